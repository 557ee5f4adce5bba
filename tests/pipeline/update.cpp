// SPDX-License-Identifier: BSL-1.0
#include "support/few_threads.hpp"
#include "support/npy.hpp"
#include "support/same_files.hpp"
#include "support/small_folder.hpp"
#include "support/temporary_folder.hpp"

#include <halograph/partition/given.hpp>
#include <halograph/pipeline/update.hpp>
#include <halograph/serial/files/manifest.hpp>
#include <halograph/serial/native.hpp>
#include <halograph/serial/npy.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace hg = halograph;
namespace fs = std::filesystem;
using namespace hg::testing;

/// What a run of partition writes, too.
std::map<std::string, std::string> part_files_of(const std::string& folder) {
  auto out = files_of(folder, hg::manifest_name);
  out.erase(std::string(hg::new_node_ids_name));
  out.erase(std::string(hg::new_edge_ids_name));
  return out;
}

/// A drawn change, and rows of what it adds.
struct drawn_change {
  hg::graph_change<> change{};
  hg::feature_set rows{};
};

drawn_change draw_change(const hg::dataset<>& data, std::uint64_t seed) {
  hg::random_stream stream(seed);
  drawn_change out;
  for (std::size_t t = 0; t < data.node_counts.size(); ++t) {
    const std::uint64_t fresh = stream.below(4);
    out.change.new_nodes.push_back(fresh);
    std::vector<float> x;
    for (std::uint64_t i = 0; i < 2 * fresh; ++i) x.push_back(-1 - static_cast<float>(i));
    out.rows.nodes.push_back(
        {static_cast<hg::type_id>(t), "x", hg::tensor::from(std::move(x), {fresh, 2})});
  }
  for (std::size_t r = 0; r < data.edges.size(); ++r) {
    const auto type = static_cast<hg::type_id>(r);
    auto &added = out.change.added.emplace_back(), &removed = out.change.removed.emplace_back();
    std::vector<std::int64_t> w;
    for (std::uint64_t i = stream.below(5); i != 0; --i) {
      const auto drawn = [&](hg::type_id t) {
        return stream.below(data.node_counts[t] + out.change.new_nodes[t]);
      };
      added.source.push_back(drawn(data.schema.source_type(type)));
      added.target.push_back(drawn(data.schema.target_type(type)));
      w.push_back(-static_cast<std::int64_t>(i));
    }
    out.rows.edges.push_back({type, "w", hg::tensor::from(std::move(w))});
    for (std::uint64_t i = stream.below(5); i != 0; --i) {
      const std::size_t e = static_cast<std::size_t>(7 * i);
      removed.source.push_back(data.edges[r].source[e]);
      removed.target.push_back(data.edges[r].target[e]);
    }
  }
  return out;
}

/// Old rows without those that are gone, and new ones behind.
template <class T>
hg::tensor joined(const hg::chunked_tensor& old, const std::vector<std::uint64_t>& gone,
                  const hg::chunked_tensor& more, std::size_t width) {
  std::vector<T> out;
  const auto take = [&](const hg::chunked_tensor& from, const std::vector<std::uint64_t>& skip) {
    std::vector<std::uint64_t> ids;
    for (std::uint64_t i = 0; i < from.rows(); ++i) {
      if (!std::binary_search(skip.begin(), skip.end(), i)) ids.push_back(i);
    }
    std::vector<T> rows(ids.size() * width);
    EXPECT_TRUE(
        from.gather(std::span<const std::uint64_t>(ids), std::as_writable_bytes(std::span(rows))));
    out.insert(out.end(), rows.begin(), rows.end());
  };
  take(old, gone);
  take(more, {});
  const std::uint64_t count = out.size() / width;
  return width == 1 ? hg::tensor::from(std::move(out))
                    : hg::tensor::from(std::move(out), {count, width});
}

/// The whole graph after a change, as one would have given it to partition_graph.
hg::dataset<> changed(hg::dataset<> data, const drawn_change& drawn) {
  auto features = std::move(data.features);
  const auto applied = hg::apply_change(data, drawn.change);
  for (std::size_t i = 0; i < features.nodes.size(); ++i) {
    data.features.nodes.push_back(
        {features.nodes[i].type, "x",
         joined<float>(features.nodes[i].rows, {}, drawn.rows.nodes[i].rows, 2)});
  }
  for (std::size_t i = 0; i < features.edges.size(); ++i) {
    data.features.edges.push_back({features.edges[i].type, "w",
                                   joined<std::int64_t>(features.edges[i].rows, applied.removed[i],
                                                        drawn.rows.edges[i].rows, 1)});
  }
  data.finish();
  return data;
}

/// New nodes go round the parts; earlier node `moves` moves to the next part.
auto placing(std::size_t parts, std::size_t moves) {
  return [parts, moves](const hg::hetero_view<std::uint64_t, std::uint64_t>&,
                        std::span<hg::part_id> owner) {
    std::size_t next = 0;
    for (auto& p : owner) {
      if (p == hg::no_part_yet) p = static_cast<hg::part_id>(next++ % parts);
    }
    if (moves < owner.size()) owner[moves] = static_cast<hg::part_id>((owner[moves] + 1) % parts);
  };
}

TEST(update_folder, makes_what_partitioning_the_changed_graph_makes) {
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const temporary_folder place;
    auto data = small_dataset(seed, seed % 2 == 1);
    hg::partition_options how;
    how.graph_name = "g";
    how.save_mapping = seed % 3 == 0;  // original IDs of edges are kept
    how.store_original_ids = seed % 3 == 1;
    how.hops = static_cast<unsigned>(seed % 4 == 3 ? 2 : 1);
    if (seed % 5 == 0) how.formats = *hg::sparse_formats::parse("csr,csc");
    const auto first = drawn_owners(data.num_nodes(), 3, seed);
    hg::partition_graph(data, hg::given{.parts = 3, .owners = first}, hg::dgl_folder{place("p")},
                        how);
    if (seed % 3 == 2) {
      // Edges have the order of their new IDs: so must the graph that is compared.
      const auto stream = hg::stream_partition(config_of(place("p")), {.scratch = place("p")},
                                               hg::read_files{}, test_formats{});
      data = hg::materialize(stream);
    }
    const auto drawn = draw_change(data, seed + 100);
    const std::size_t moves = seed % 4 == 0 ? 2 : data.num_nodes() + 100;
    const auto before = content_of(place("p") + "/g.json");
    hg::update_options options;
    options.out = seed % 6 < 3 ? place("q") : "";
    options.rows = &drawn.rows;
    const few_threads threads{.count = 3};
    if (seed % 2 == 0) options.executor = threads;
    const auto config = config_of(place("p"));
    const auto done = hg::update_folder<std::uint64_t>(config, drawn.change, placing(3, moves),
                                                       test_access{}, options);
    const std::string made = options.out.empty() ? place("p") : options.out;
    if (!options.out.empty()) {
      EXPECT_EQ(content_of(place("p") + "/g.json"), before);
    }
    EXPECT_EQ(done.moved_nodes, moves == 2 ? 1u : 0u);
    EXPECT_FALSE(hg::foreign_entry(made));

    // The same, from the beginning.
    std::vector<hg::part_id> owner;
    std::size_t at = 0;
    for (std::size_t t = 0; t < data.node_counts.size(); ++t) {
      for (std::uint64_t i = 0; i < data.node_counts[t]; ++i) owner.push_back(first[at++]);
      owner.insert(owner.end(), static_cast<std::size_t>(drawn.change.new_nodes[t]),
                   hg::no_part_yet);
    }
    placing(3, moves)({}, owner);
    const auto whole = changed(std::move(data), drawn);
    const auto again = hg::partition_graph(whole, hg::given{.parts = 3, .owners = owner},
                                           hg::dgl_folder{place("whole")}, how);
    auto files = part_files_of(made), expected = part_files_of(place("whole"));
    ASSERT_EQ(files.size(), expected.size());
    for (const auto& [name, content] : expected) EXPECT_EQ(files[name], content) << name;

    // Where everything is now.
    const auto node_ids = hg::read_npy(
        hg::read_files{}(made + "/" + std::string(hg::new_node_ids_name)), "nodes");
    ASSERT_EQ(node_ids.rows(), config.num_nodes);
    std::set<std::int64_t> seen;
    for (std::size_t v = 0; v < config.num_nodes; ++v) seen.insert(node_ids.integer(v));
    EXPECT_EQ(seen.size(), config.num_nodes);
    const auto edge_ids = hg::read_npy(
        hg::read_files{}(made + "/" + std::string(hg::new_edge_ids_name)), "edges");
    ASSERT_EQ(edge_ids.rows(), config.num_edges);
    std::uint64_t gone = 0;
    std::set<std::int64_t> stay;
    for (std::size_t e = 0; e < config.num_edges; ++e) {
      if (edge_ids.integer(e) < 0)
        ++gone;
      else
        stay.insert(edge_ids.integer(e));
    }
    EXPECT_EQ(gone, done.removed_edges);
    EXPECT_EQ(stay.size(), config.num_edges - gone);
  }
}

TEST(update_folder, earlier_ids_lead_to_the_same_rows) {
  const temporary_folder place;
  const auto data = small_dataset(7, true);
  small_partition(data, place("p"), 3, 7);
  const auto drawn = draw_change(data, 8);
  const auto config = config_of(place("p"));
  hg::update_options options;
  options.out = place("q");
  options.rows = &drawn.rows;
  hg::update_folder<std::uint64_t>(config, drawn.change, placing(3, 4), test_access{}, options);
  const auto now = config_of(place("q"));
  for (const bool nodes : {true, false}) {
    const auto rows_by_id = [&](const hg::partition_config& of) {
      std::map<std::int64_t, std::string> out;
      for (std::size_t p = 0; p < of.num_parts; ++p) {
        const auto all = hg::load_partition_feats(of, p, hg::read_files{}, test_formats{});
        const auto& map = nodes ? of.node_map : of.edge_map;
        for (std::size_t t = 0; t < map.size(); ++t) {
          const std::string key = (nodes ? of.schema.node_types()[t] + "/x"
                                         : of.schema.edge_types()[t].str() + "/w");
          for (const auto& one : nodes ? all.nodes : all.edges) {
            if (one.name != key) continue;
            const std::size_t width = one.value.row_bytes();
            for (std::uint64_t i = 0; i < one.value.rows(); ++i)
              out[static_cast<std::int64_t>(map[t][p].begin + i)] =
                  key +
                  std::string(reinterpret_cast<const char*>(one.value.bytes().data()) + i * width,
                              width);
          }
        }
      }
      return out;
    };
    auto earlier = rows_by_id(config), later = rows_by_id(now);
    const std::string name(nodes ? hg::new_node_ids_name : hg::new_edge_ids_name);
    const auto ids = hg::read_npy(hg::read_files{}(place("q") + "/" + name), name);
    ASSERT_EQ(earlier.size(), ids.rows());
    for (const auto& [id, row] : earlier) {
      const auto to = ids.integer(static_cast<std::size_t>(id));
      if (to >= 0) {
        EXPECT_EQ(later.at(to), row) << id;
      }
    }
  }
}

TEST(update_folder, rows_that_are_as_they_were_stay_in_their_files) {
  for (const bool replace : {true, false}) {
    const temporary_folder place;
    const auto data = small_dataset(9, false);
    small_partition(data, place("p"), 3, 9, {.save_mapping = true});
    const auto config = config_of(place("p"));
    const auto owner = drawn_owners(data.num_nodes(), 3, 9);
    // One edge more, into a node of part 1.
    const auto target = static_cast<std::uint64_t>(std::find(owner.begin(), owner.end(), 1u) -
                                                   owner.begin());
    hg::graph_change<> change;
    change.added.push_back({{0}, {target}});
    const auto inode = [&](const std::string& folder, const std::string& file) {
      std::error_code ignored;
      return fs::hard_link_count(folder + "/" + file, ignored);
    };
    const auto kept_before = content_of(place("p") + "/part1/node_feats.dgl");
    // A second name, so that what is linked is seen.
    fs::create_hard_link(place("p") + "/part1/node_feats.dgl", place("name"));
    hg::update_options options;
    options.zero_rows = true;
    if (!replace) options.out = place("q");
    const auto done = hg::update_folder<std::uint64_t>(config, change, placing(3, 1000),
                                                       test_access{}, options);
    EXPECT_EQ(done.kept_files, 5u);  // of six, all but the edges of part 1
    const std::string made = replace ? place("p") : place("q");
    EXPECT_EQ(content_of(made + "/part1/node_feats.dgl"), kept_before);
    EXPECT_EQ(inode(made, "part1/node_feats.dgl"), replace ? 2u : 1u);
    // A file that changes later changes in one folder alone.
    EXPECT_EQ(inode(made, "part0/edge_feats.dgl"), 1u);
  }
}

TEST(update_folder, files_of_the_same_size_with_other_rows_are_written) {
  for (const bool of_edges : {false, true}) {
    const temporary_folder place;
    auto data = small_dataset(10, false);
    auto owner = drawn_owners(data.num_nodes(), 3, 10);
    const hg::partition_options how{.graph_name = "g", .save_mapping = true};
    hg::partition_graph(data, hg::given{.parts = 3, .owners = owner}, hg::dgl_folder{place("p")},
                        how);
    // Two nodes of different parts that have as many in-edges.
    std::size_t one = 0, other = 0;
    const auto degree = [&](std::size_t v) {
      const auto& targets = data.edges[0].target;
      return std::count(targets.begin(), targets.end(), v);
    };
    for (std::size_t v = 0; v < owner.size() && one == other; ++v) {
      for (std::size_t u = v; u < owner.size() && one == other; ++u) {
        if (owner[u] != owner[v] && degree(u) == degree(v) && degree(v) != 0) one = v, other = u;
      }
    }
    ASSERT_NE(one, other);
    drawn_change drawn;
    if (of_edges) {
      // One edge less and one more, into the same part.
      const std::uint64_t source = data.edges[0].source[5], target = data.edges[0].target[5];
      drawn.change.removed.push_back({{source}, {target}});
      drawn.change.added.push_back({{(source + 1) % 30}, {target}});
      drawn.rows.edges.push_back({0, "w", hg::tensor::from(std::vector<std::int64_t>{-5})});
    } else {
      std::swap(owner[one], owner[other]);
      drawn.rows.edges.push_back({0, "w", hg::tensor::from(std::vector<std::int64_t>())});
    }
    drawn.rows.nodes.push_back({0, "x", hg::tensor::from(std::vector<float>(), {0, 2})});
    hg::update_options options;
    options.rows = &drawn.rows;
    hg::update_folder<std::uint64_t>(
        config_of(place("p")), drawn.change,
        [&](const hg::hetero_view<std::uint64_t, std::uint64_t>&, std::span<hg::part_id> parts) {
          std::copy(owner.begin(), owner.end(), parts.begin());
        },
        test_access{}, options);
    const auto whole = changed(std::move(data), drawn);
    hg::partition_graph(whole, hg::given{.parts = 3, .owners = owner},
                        hg::dgl_folder{place("whole")}, how);
    EXPECT_EQ(part_files_of(place("p")), part_files_of(place("whole")));
  }
}

template <hg::id ID>
std::map<std::string, std::string> updated_at_width() {
  const temporary_folder place;
  const auto data = small_dataset(11, true);
  small_partition(data, place("p"), 3, 11);
  const auto drawn = draw_change(data, 12);
  hg::graph_change<ID> change;
  change.new_nodes = drawn.change.new_nodes;
  const auto narrow = [](const std::vector<hg::edge_columns<>>& from) {
    std::vector<hg::edge_columns<ID>> out;
    for (const auto& one : from) {
      out.push_back(
          {{one.source.begin(), one.source.end()}, {one.target.begin(), one.target.end()}});
    }
    return out;
  };
  change.added = narrow(drawn.change.added);
  change.removed = narrow(drawn.change.removed);
  hg::update_options options;
  options.rows = &drawn.rows;
  hg::update_folder<ID>(
      config_of(place("p")), change,
      [](const hg::hetero_view<ID, ID>&, std::span<hg::part_id> owner) {
        std::replace(owner.begin(), owner.end(), hg::no_part_yet, 2u);
      },
      test_access{}, options);
  auto out = part_files_of(place("p"));
  out["nodes"] = content_of(place("p") + "/" + std::string(hg::new_node_ids_name));
  out["edges"] = content_of(place("p") + "/" + std::string(hg::new_edge_ids_name));
  return out;
}

TEST(update_folder, makes_the_same_at_any_width_of_ids) {
  const auto wide = updated_at_width<std::uint64_t>();
  EXPECT_EQ(updated_at_width<std::uint8_t>(), wide);
  EXPECT_EQ(updated_at_width<std::uint16_t>(), wide);
  EXPECT_EQ(updated_at_width<std::uint32_t>(), wide);
}

std::string refusal(const hg::partition_options& how, const hg::graph_change<>& change,
                    const hg::update_options& options, bool leave_out = false) {
  const temporary_folder place;
  auto data = small_dataset(3, false);
  small_partition(data, place("p"), 2, 3, how);
  const auto before = part_files_of(place("p"));
  std::string out = "updated";
  try {
    hg::update_folder<std::uint64_t>(
        config_of(place("p")), change,
        [&](const auto&, std::span<hg::part_id> owner) {
          if (!leave_out) std::replace(owner.begin(), owner.end(), hg::no_part_yet, 1u);
        },
        test_access{}, options);
  } catch (const hg::error& problem) {
    out = problem.what();
    EXPECT_EQ(part_files_of(place("p")), before);
  }
  return out;
}

TEST(update_folder, says_what_is_missing_and_leaves_the_folder_as_it_is) {
  const hg::graph_change<> one{.new_nodes = {1}};
  const auto has = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  EXPECT_EQ(refusal({}, one, {.zero_rows = true}), "updated");
  has(refusal({}, one, {}), "feature \"_N/x\" needs rows for 1 new node; give them");
  has(refusal({}, {.added = {{{0}, {1}}}}, {}), "needs rows for 1 new edge");
  has(refusal({}, one, {.zero_rows = true}, true), "node 30 has no part");
  has(refusal({.reshuffle = false}, one, {.zero_rows = true}), "keeps original IDs");
  has(refusal({.hops = 0, .drop_cut_edges = true}, one, {.zero_rows = true}),
      "edges were dropped when the graph was partitioned");
  has(refusal({}, {.removed = {{{0}, {0}}}}, {}), "removed edge 0, 0 to 0");
  hg::feature_set rows;
  rows.nodes.push_back({0, "x", hg::tensor::from(std::vector<float>(4), {2, 2})});
  has(refusal({}, one, {.rows = &rows, .zero_rows = true}),
      "needs float32 of shape (1, 2) for what is new; those rows are float32 of shape (2, 2)");
  rows.nodes[0] = {0, "other", hg::tensor::from(std::vector<float>(1))};
  has(refusal({}, one, {.rows = &rows, .zero_rows = true}),
      "\"_N/other\", a feature that the folder does not have");
}

}  // namespace
