// SPDX-License-Identifier: BSL-1.0
#include "support/memory_folder.hpp"
#include "support/piece_threads.hpp"
#include "support/small_folder.hpp"
#include "support/temporary_folder.hpp"

#include <halograph/adapters/nlohmann_json.hpp>
#include <halograph/core/random.hpp>
#include <halograph/partition/given.hpp>
#include <halograph/pipeline/partition_graph.hpp>
#include <halograph/serial/dgl/serializer.hpp>
#include <halograph/verify/verify.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace hg = halograph;
using hg::check_kind;
using hg::testing::memory_folder;

namespace {

using graph = hg::dataset<std::uint32_t, std::uint32_t>;
const hg::format_set<hg::dgl_serializer> formats;
const hg::nlohmann_codec codec;

template <class T>
hg::tensor numbered(std::uint64_t rows, hg::tensor_shape row, std::uint64_t seed,
                    hg::dtype type = hg::dtype_of<T>()) {
  hg::tensor_shape shape{rows};
  shape.insert(shape.end(), row.begin(), row.end());
  std::vector<T> values(hg::element_count(shape));
  hg::random_stream draws(seed);
  for (auto& value : values)
    value = static_cast<T>(draws.below(type == hg::dtype::boolean ? 2 : 100));
  return hg::tensor::from(std::move(values), shape, type);
}

graph drawn(std::vector<std::string> node_types, std::vector<std::uint64_t> counts,
            std::vector<hg::canonical_etype> edge_types, std::vector<std::uint64_t> edges,
            std::uint64_t seed) {
  graph out;
  out.name = "drawn";
  for (auto& type : node_types) out.schema.add_node_type(type);
  for (auto& type : edge_types) out.schema.add_edge_type(type);
  out.node_counts = counts;
  hg::random_stream draws(seed);
  for (std::size_t r = 0; r < edge_types.size(); ++r) {
    const auto source = out.schema.source_type(static_cast<hg::type_id>(r)),
               target = out.schema.target_type(static_cast<hg::type_id>(r));
    out.edges.emplace_back();
    for (std::uint64_t e = 0; e < edges[r]; ++e) {
      out.edges[r].source.push_back(static_cast<std::uint32_t>(draws.below(counts[source])));
      out.edges[r].target.push_back(static_cast<std::uint32_t>(draws.below(counts[target])));
    }
  }
  out.features.nodes.push_back({0, "x", numbered<float>(counts[0], {2}, seed + 1)});
  out.features.nodes.push_back(
      {0, "mask", numbered<std::uint8_t>(counts[0], {}, seed + 2, hg::dtype::boolean)});
  out.features.edges.push_back({0, "w", numbered<std::int16_t>(edges[0], {}, seed + 3)});
  out.finish();
  return out;
}

graph homogeneous(std::uint64_t nodes = 14, std::uint64_t edges = 30, std::uint64_t seed = 1) {
  return drawn({"_N"}, {nodes}, {{"_N", "_E", "_N"}}, {edges}, seed);
}
graph typed(std::uint64_t seed = 2) {
  return drawn({"b", "a", "lone"}, {9, 6, 1},
               {{"b", "to", "a"}, {"a", "to", "b"}, {"b", "in", "b"}, {"a", "none", "a"}},
               {14, 9, 8, 0}, seed);
}

std::vector<hg::part_id> owners(std::uint64_t nodes, std::uint64_t parts, std::uint64_t seed = 7) {
  std::vector<hg::part_id> out;
  hg::random_stream draws(seed);
  for (std::uint64_t v = 0; v < nodes; ++v)
    out.push_back(static_cast<hg::part_id>(v < parts ? v : draws.below(parts)));
  return out;
}

memory_folder written(const graph& data, const std::vector<hg::part_id>& owner, std::uint64_t parts,
                      hg::partition_options options) {
  const hg::testing::memory_target<hg::dgl_serializer> target;
  options.graph_name = "g";
  hg::partition_graph(data, hg::given{.parts = static_cast<hg::part_id>(parts), .owners = owner},
                      target, options);
  return target.folder;
}

hg::partition_options with_mapping(unsigned hops = 1) {
  hg::partition_options options;
  options.hops = hops;
  options.save_mapping = true;
  return options;
}

int runs_without_list = 0;

/// Verifies a folder by itself, twice: the same is found where no memory is left for a list of the
/// edges between parts.
hg::verification alone(const memory_folder& files, const hg::verify_options& options = {}) {
  const hg::folder_access access(files, codec, formats);
  const auto found = hg::verify_partition("g.json", access, options);
  auto little = options;
  little.most_bytes = found.least_bytes;
  EXPECT_EQ(to_json(hg::verify_partition("g.json", access, little)), to_json(found));
  runs_without_list += found.least_bytes < found.memory_bytes ? 1 : 0;
  return found;
}
hg::verification against(const memory_folder& files, const graph& data,
                         const hg::verify_options& options = {}) {
  return hg::verify_partition("g.json", data, hg::folder_access(files, codec, formats), options);
}

std::string told(const hg::verification& answer) {
  std::string out;
  for (const auto& one : answer.findings)
    out += std::string(name(one.check)) + ": " + one.file + ": " + one.sentence + "\n";
  for (const auto& one : answer.notes) out += "note: " + one + "\n";
  return out;
}

bool says(const hg::verification& answer, check_kind kind, const std::string& file,
          const std::string& words) {
  return std::any_of(answer.findings.begin(), answer.findings.end(), [&](const auto& one) {
    return one.check == kind && one.file == file && one.sentence.find(words) != std::string::npos;
  });
}

void replace(memory_folder& files, const std::string& from, const std::string& to) {
  auto text = files.text("g.json");
  const auto at = text.find(from);
  ASSERT_NE(at, std::string::npos) << from << " in " << text;
  files.write("g.json", text.replace(at, from.size(), to));
  files.seal();
}

}  // namespace

TEST(verify, finds_nothing_in_what_partition_graph_writes) {
  for (const bool hetero : {false, true}) {
    const graph data = hetero ? typed() : homogeneous();
    for (const std::uint64_t parts : {1u, 2u, 3u, 5u}) {
      const auto owner = owners(data.num_nodes(), parts);
      for (const unsigned hops : {1u, 2u, 3u}) {
        for (const int variant : {0, 1, 2, 3, 4}) {
          auto options = with_mapping(hops);
          if (variant == 1) options.closing_out_edges = false;
          if (variant == 2) options.formats = hg::sparse_formats::all();
          if (variant == 3) options.reshuffle = false;
          if (variant == 4) {
            options.save_mapping = false;
            options.store_original_ids = true;
            options.formats = hg::sparse_formats::none().with(hg::sparse_format::csc);
          }
          const memory_folder files = written(data, owner, parts, options);
          SCOPED_TRACE(std::to_string(hetero) + " parts " + std::to_string(parts) + " hops " +
                       std::to_string(hops) + " variant " + std::to_string(variant));
          const auto first = alone(files);
          EXPECT_EQ(first.count, 0u) << told(first);
          EXPECT_TRUE(first[check_kind::halo].done && first[check_kind::crossing_edges].done &&
                      first[check_kind::digests].done);
          EXPECT_TRUE(first.notes.empty()) << told(first);
          const auto second = against(files, data,
                                      {.part = {}, .most_findings = 100, .assignment = owner});
          EXPECT_EQ(second.count, 0u) << told(second);
          EXPECT_TRUE(second[check_kind::input].done && second[check_kind::assignment].done &&
                      second[check_kind::halo].done);
          for (std::size_t p = 0; p < parts; ++p) {
            const auto one = alone(files, {.part = p});
            EXPECT_EQ(one.count, 0u) << told(one);
            EXPECT_EQ(one.parts, 1u);
            EXPECT_EQ(against(files, data, {.part = p}).count, 0u);
          }
        }
      }
    }
  }
}

TEST(verify, accepts_dropped_cut_edges_and_counts_them) {
  for (const bool reshuffle : {true, false}) {
    const graph data = typed();
    const auto owner = owners(data.num_nodes(), 3);
    auto options = with_mapping(0);
    options.drop_cut_edges = true;
    options.reshuffle = reshuffle;
    options.save_mapping = reshuffle;
    memory_folder files = written(data, owner, 3, options);
    EXPECT_EQ(alone(files).count, 0u) << told(alone(files));
    EXPECT_EQ(against(files, data).count, 0u) << told(against(files, data));
    auto text = files.text("g.json");
    const auto at = text.find("\"cut_edges_dropped\": ");
    ASSERT_NE(at, std::string::npos);
    files.write("g.json", text.insert(at + 21, "1"));
    files.seal();
    EXPECT_GT(against(files, data).count, 0u);
  }
}

TEST(verify, accepts_an_empty_graph) {
  for (const bool mapping : {true, false}) {
    const graph data = homogeneous(0, 0);
    auto options = with_mapping(0);
    options.save_mapping = mapping;
    const memory_folder files = written(data, {}, 3, options);
    EXPECT_EQ(alone(files).count, 0u) << told(alone(files));
    EXPECT_EQ(against(files, data).count, 0u) << told(against(files, data));
  }
}

TEST(verify, uses_the_assignment_and_our_order_without_a_saved_mapping) {
  for (const bool hetero : {false, true}) {
    const graph data = hetero ? typed() : homogeneous();
    const auto owner = owners(data.num_nodes(), 3);
    const memory_folder files = written(data, owner, 3, {.compact_mapping = false});
    const auto answer = against(files, data,
                                {.part = {}, .most_findings = 100, .assignment = owner});
    EXPECT_EQ(answer.count, 0u) << told(answer);
    EXPECT_TRUE(answer[check_kind::input].done);
    auto other = owner;
    std::swap(*std::find(other.begin(), other.end(), 0u),
              *std::find(other.begin(), other.end(), 1u));
    EXPECT_GT(against(files, data, {.part = {}, .most_findings = 100, .assignment = other}).count,
              0u);
    try {
      against(files, data);
      ADD_FAILURE() << "without either there is nothing to go by";
    } catch (const hg::error& problem) {
      EXPECT_EQ(problem.code(), hg::error_kind::not_found);
      EXPECT_NE(std::string(problem.what()).find("partition again without --no-mapping"),
                std::string::npos)
          << problem.what();
    }
  }
}

TEST(verify, uses_the_compact_mapping_if_nothing_else_is_saved) {
  for (const bool hetero : {false, true}) {
    const graph data = hetero ? typed() : homogeneous();
    for (const std::uint64_t parts : {1u, 2u, 6u}) {
      const auto owner = owners(data.num_nodes(), parts);
      for (const int variant : {0, 1, 2, 3}) {
        SCOPED_TRACE(std::to_string(hetero) + " parts " + std::to_string(parts) + " variant " +
                     std::to_string(variant));
        hg::partition_options options;
        if (variant == 1) options.closing_out_edges = false;
        if (variant == 2) {
          options.hops = 0;
          options.drop_cut_edges = true;
        }
        if (variant == 3 && parts == 6) options.trainers_per_machine = 2;
        const memory_folder files = written(data, owner, parts, options);
        EXPECT_EQ(files.has("owners.npy"), parts != 1);
        EXPECT_EQ(alone(files).count, 0u) << told(alone(files));
        EXPECT_EQ(alone(files)[check_kind::mapping].done, parts != 1);
        EXPECT_EQ(alone(files, {.part = 0}).count, 0u);
        for (const auto& given : {std::vector<hg::part_id>{}, owner}) {
          const auto answer = against(files, data,
                                      {.part = {}, .most_findings = 100, .assignment = given});
          EXPECT_EQ(answer.count, 0u) << told(answer);
          EXPECT_TRUE(answer[check_kind::input].done && answer.notes.empty()) << told(answer);
        }
        if (variant == 2) continue;  // an edge that was dropped may be any
        graph moved = hetero ? typed() : homogeneous();
        moved.edges[0].source[4] = (moved.edges[0].source[4] + 1) % 3;
        EXPECT_GT(against(files, moved).count, 0u);
      }
    }
  }
}

TEST(verify, finds_an_invalid_compact_mapping) {
  const graph data = homogeneous();
  const auto owner = owners(data.num_nodes(), 3);
  const auto changed = [&](const memory_folder& from,
                           const std::function<void(std::string&)>& change) {
    memory_folder files = from.copy();
    std::string bytes = files.text("owners.npy");
    change(bytes);
    files.write("owners.npy", bytes);
    files.seal();
    return files;
  };
  for (const bool saved : {false, true}) {
    hg::partition_options options;
    options.save_mapping = saved;
    const memory_folder sound = written(data, owner, 3, options);
    const std::size_t first = sound.text("owners.npy").size() - owner.size();
    const auto expect = [&](const memory_folder& files, const std::string& words) {
      for (const auto& answer : {alone(files), against(files, data)}) {
        EXPECT_TRUE(says(answer, check_kind::mapping, "owners.npy", words))
            << words << ": " << told(answer);
      }
      EXPECT_TRUE(says(alone(files, {.part = 1}), check_kind::mapping, "owners.npy", words))
          << words;
      // What the parts hold is proven by an assignment, or the other mapping, all the same.
      const auto assigned = against(files, data,
                                    {.part = {}, .most_findings = 100, .assignment = owner});
      EXPECT_EQ(assigned.count, assigned[check_kind::mapping].findings) << told(assigned);
      EXPECT_TRUE(assigned.notes.empty()) << told(assigned);
    };
    expect(changed(sound, [&](auto& bytes) { bytes[first + 5] = 3; }),
           "node 5 of type \"_N\" is in part 3; parts are 0 to 2");
    expect(changed(sound, [&](auto& bytes) { bytes[first] = 1; }), "part 0 owns");
    expect(changed(sound, [&](auto& bytes) { bytes.pop_back(); }), "");
    expect(changed(sound, [&](auto& bytes) { bytes[bytes.find("u1")] = 'f'; }), "");
    const auto swapped = changed(sound,
                                 [&](auto& bytes) { std::swap(bytes[first], bytes[first + 1]); });
    if (saved) {
      EXPECT_TRUE(says(alone(swapped), check_kind::mapping, "owners.npy",
                       "node 0 of type \"_N\" is in part 1 here; part 0 owns it"))
          << told(alone(swapped));
    } else {
      EXPECT_GT(against(swapped, data).count, 0u);
    }
  }
}

TEST(verify, names_nodes_whose_owner_is_not_the_assigned_one) {
  const graph data = homogeneous();
  auto owner = owners(data.num_nodes(), 2);
  const memory_folder files = written(data, owner, 2, with_mapping());
  owner[5] = 1 - owner[5];
  const auto answer = against(files, data, {.part = {}, .most_findings = 100, .assignment = owner});
  EXPECT_EQ(answer.count, 1u) << told(answer);
  EXPECT_TRUE(says(answer, check_kind::assignment, "g.json", "node 5 of type")) << told(answer);
}

TEST(verify, proves_trainers_of_nodes_and_edges) {
  const graph data = typed();
  const auto trainer = owners(data.num_nodes(), 6);
  auto options = with_mapping();
  options.trainers_per_machine = 2;
  memory_folder files = written(data, trainer, 6, options);
  EXPECT_EQ(alone(files).count, 0u) << told(alone(files));
  const hg::verify_options given{.part = {}, .most_findings = 100, .assignment = trainer};
  EXPECT_EQ(against(files, data, given).count, 0u) << told(against(files, data, given));
  auto other = trainer;
  other[3] = other[3] ^ 1u;  // the other trainer of the same machine
  const auto answer = against(files, data, {.part = {}, .most_findings = 100, .assignment = other});
  EXPECT_EQ(answer.count, 1u) << told(answer);
  EXPECT_EQ(answer[check_kind::features].findings, 1u);
}

TEST(verify, compares_with_the_input_edge_by_edge_and_row_by_row) {
  const graph data = typed();
  const memory_folder files = written(data, owners(data.num_nodes(), 2), 2, with_mapping());
  const auto mentions = [](const hg::verification& answer, check_kind kind,
                           const std::string& words) {
    return std::any_of(answer.findings.begin(), answer.findings.end(), [&](const auto& one) {
      return one.check == kind && one.sentence.find(words) != std::string::npos;
    });
  };
  graph moved = typed();
  moved.edges[1].source[4] = (moved.edges[1].source[4] + 1) % 6;
  const auto edge = against(files, moved);
  EXPECT_TRUE(mentions(edge, check_kind::input, "edge 4 of type \"a:to:b\"")) << told(edge);

  graph other = typed();
  auto values = numbered<float>(9, {2}, 3).values<float>();
  values[2 * 6 + 1] += 1;
  other.features.nodes[0].rows = hg::tensor::from(std::move(values), {9, 2});
  const auto row = against(files, other);
  EXPECT_EQ(row.count, 1u) << told(row);
  EXPECT_TRUE(mentions(row, check_kind::features, "element 1, differs from the input's node 6"))
      << told(row);

  graph more = typed();
  more.features.nodes.push_back({1, "y", numbered<float>(6, {}, 3)});
  const auto missing = against(files, more);
  EXPECT_TRUE(mentions(missing, check_kind::features, "\"a/y\" of the input is missing"))
      << told(missing);

  graph larger = homogeneous();
  EXPECT_GT(against(files, larger).count, 0u);
}

TEST(verify, finds_a_halo_that_is_too_small_or_too_large) {
  const graph data = homogeneous(30, 60);
  for (const auto& [made, claimed] : {std::pair{1, 2}, {2, 1}, {3, 2}}) {
    memory_folder files = written(data, owners(30, 3), 3,
                                  with_mapping(static_cast<unsigned>(made)));
    replace(files, "\"halo_hops\": " + std::to_string(made),
            "\"halo_hops\": " + std::to_string(claimed));
    const auto answer = alone(files);
    EXPECT_GT(answer[check_kind::halo].findings, 0u);
    EXPECT_EQ(answer.count, answer[check_kind::halo].findings) << told(answer);
    EXPECT_NE(told(answer).find(made < claimed ? "but is missing" : "does not belong"),
              std::string::npos)
        << told(answer);
  }
}

TEST(verify, refuses_ranges_with_gaps_and_parts_that_are_missing) {
  const graph data = homogeneous();
  memory_folder files = written(data, owners(14, 2), 2, {});
  memory_folder gap = files.copy();
  replace(gap, "\"num_nodes\": 14", "\"num_nodes\": 15");
  EXPECT_TRUE(says(alone(gap), check_kind::book, "g.json", "must end at the number of nodes, 15"))
      << told(alone(gap));
  memory_folder renamed = files.copy();
  replace(renamed, "\"part-1\"", "\"part_1\"");
  EXPECT_TRUE(says(alone(renamed), check_kind::book, "g.json", "\"part-1\" is missing"));
  memory_folder lost = files.copy();
  lost.remove("part1/graph.dgl");
  EXPECT_TRUE(says(alone(lost), check_kind::structure, "part1/graph.dgl", "no such file"))
      << told(alone(lost));
  EXPECT_THROW(alone(files, {.part = 2}), hg::error);
  const std::vector<hg::part_id> nobody(14);
  EXPECT_THROW(alone(files, {.part = {}, .most_findings = 1, .assignment = nobody}), hg::error);
}

TEST(verify, does_not_allocate_by_the_counts_of_a_config) {
  memory_folder files;
  files.write("part0/graph.dgl", "short");
  files.write(
      "g.json",
      R"({"graph_name": "g", "num_nodes": 1000000000000000, "num_edges": 1000000000000000, "num_parts": 1, "halo_hops": 1,
    "node_map": {"_N": [[0, 1000000000000000]]}, "edge_map": {"_N:_E:_N": [[0, 1000000000000000]]},
    "ntypes": {"_N": 0}, "etypes": {"_N:_E:_N": 0}, "part-0": {"part_graph": "part0/graph.dgl", "node_feats": "n", "edge_feats": "e"}})");
  EXPECT_GT(alone(files).count, 0u);
  EXPECT_GT(alone(files, {.part = 0}).count, 0u);
}

TEST(verify, counts_all_findings_and_keeps_the_requested_number) {
  const graph data = homogeneous(30, 60);
  memory_folder files = written(data, owners(30, 3), 3, with_mapping(2));
  replace(files, "\"halo_hops\": 2", "\"halo_hops\": 1");
  const auto all = alone(files), few = alone(files, {.part = {}, .most_findings = 2});
  EXPECT_GT(all.count, 3u);
  EXPECT_EQ(few.count, all.count);
  EXPECT_EQ(few.findings.size(), 2u);
  EXPECT_EQ(hg::json::value(few.count), *to_json(few).find("count"));
}

/// As many threads as there are pieces, which is more than parts are looked at at once.
using threads = hg::testing::piece_threads;

TEST(verify, finds_the_same_in_the_same_order_with_any_number_of_threads) {
  const graph data = typed();
  const auto sound = written(data, owners(16, 5), 5, with_mapping(2));
  hg::random_stream draws(3);
  std::uint64_t most = 0;
  for (int round = 0; round < 24; ++round) {
    auto damaged = sound.copy();
    if (round % 2 == 0) damaged.remove(std::string(hg::manifest_name));
    const auto names = damaged.names();
    for (int flips = 0; flips < 12; ++flips) {
      const auto& file = names[static_cast<std::size_t>(draws.below(names.size()))];
      auto& content = damaged[file];
      if (file.rfind("part", 0) != 0 || content.size() < 4200) continue;
      const std::size_t at = 4120 + static_cast<std::size_t>(draws.below(content.size() - 4120));
      content[at] ^= std::byte{1};
    }
    if (round % 8 == 3) damaged["part2/graph.dgl"].resize(100);
    if (round % 8 == 5) damaged["part1/node_feats.dgl"] = damaged["part0/node_feats.dgl"];
    if (round % 8 == 6) damaged["part3/graph.dgl"] = damaged["part0/graph.dgl"];
    for (const bool compared : {false, true}) {
      const hg::verify_options few{
          .part = {}, .most_findings = round % 3 == 0 ? std::size_t{4} : std::size_t{100}};
      const auto one = compared ? against(damaged, data, few) : alone(damaged, few);
      for (const std::size_t count : {2u, 3u, 8u}) {
        const threads run{count};
        const auto several =
            compared ? hg::verify_partition("g.json", data,
                                            hg::folder_access(damaged, codec, formats), few, run)
                     : hg::verify_partition("g.json", hg::folder_access(damaged, codec, formats),
                                            few, run);
        EXPECT_EQ(told(several), told(one));
        EXPECT_EQ(to_json(several), to_json(one));
      }
      most = std::max(most, one.count);
    }
  }
  EXPECT_GT(most, 8u);
  EXPECT_GE(runs_without_list, 24);
}

// --- one flipped byte
// ---------------------------------------------------------------------------------

namespace {

/// Bytes of a graph or tensor file that its format calls ignored: header padding and `reserved` of
/// arrays.
std::set<std::size_t> reserved_bytes(const memory_folder::bytes& content) {
  std::set<std::size_t> out;
  if (hg::dgl::kind_of(content) == hg::dgl::file_kind::graphs) {
    for (std::size_t i = 32; i < 4096; ++i) out.insert(i);
  }
  for (std::size_t i = 0; i + 16 <= content.size(); ++i) {
    if (hg::load_le<std::uint64_t>(content.data() + i) != 0xDD5E40F096B4A13F) continue;
    for (std::size_t k = 8; k < 16; ++k) out.insert(i + k);
  }
  return out;
}

struct flip_count {
  std::size_t tried = 0;
  std::map<std::string, std::set<std::size_t>>
      unfound{};  // without a manifest, outside reserved bytes
};

/// Flip bytes one at a time; each must be found, and placed in its file.
flip_count expect_every_flip_found(const graph& data, const memory_folder& made) {
  const memory_folder sealed = made.copy();
  memory_folder bare = made.copy();
  bare.remove(std::string(hg::manifest_name));
  EXPECT_EQ(against(sealed, data).count, 0u) << told(against(sealed, data));
  EXPECT_EQ(against(bare, data).count, 0u);
  flip_count count;
  for (const auto& file : made.names()) {
    if (file.rfind("part", 0) != 0) continue;
    const auto original = (sealed.copy())[file];
    const auto reserved = reserved_bytes(original);
    memory_folder with = sealed, without = bare;
    auto &one = with[file], &two = without[file];
    for (std::size_t at = 0; at < original.size(); ++at) {
      const bool skipped = reserved.count(at) != 0;
      if (skipped && at % 61 != 0) continue;  // thousands of them, all alike
      one[at] = two[at] = original[at] ^ static_cast<std::byte>(at % 5 == 0 ? 0xFF : 1 << (at % 8));
      ++count.tried;
      const auto placed = [&](const hg::verification& answer) {
        return std::any_of(answer.findings.begin(), answer.findings.end(), [&](const auto& found) {
          return (found.file == file &&
                  found.sentence.find("digest differs") == std::string::npos) ||
                 found.sentence.find(file) != std::string::npos;
        });
      };
      // Contents speak for themselves; a manifest is needed for the rest.
      const auto unaided = against(without, data);
      if (unaided.count == 0 && !skipped) count.unfound[file].insert(at);
      if (unaided.count == 0 || !placed(unaided)) {
        const auto answer = against(with, data);
        if (!placed(answer)) {
          ADD_FAILURE() << file << " byte " << at << " is not placed: " << told(answer);
          return count;
        }
      }
      one[at] = two[at] = original[at];
    }
  }
  return count;
}

}  // namespace

TEST(verify, reports_every_entry_that_the_manifest_does_not_list) {
  const hg::testing::temporary_folder place;
  hg::testing::small_partition(hg::testing::small_dataset(4, true), place("out"), 2, 4);
  const auto check = [&](const hg::verify_options& options = {}) {
    return hg::verify_partition(place("out/g.json"),
                                hg::folder_access(hg::read_files{}, codec, formats), options);
  };
  EXPECT_EQ(check().count, 0u);
  place.write("out/foreign", "x");
  place.write("out/part0/notes/a.txt", "x");
  place.write("out/part0/notes/b.txt", "x");
  place.write("out/part1/node~user~emb.npy", "a tensor that dist_tensor has saved");
  const auto found = check();
  ASSERT_EQ(found.findings.size(), 2u);
  EXPECT_EQ(found.findings[0].file, place("out/foreign"));
  EXPECT_EQ(found.findings[1].file, place("out/part0/notes")) << "a foreign folder is one entry";
  for (const auto& one : found.findings) {
    EXPECT_EQ(one.check, check_kind::digests);
    EXPECT_NE(one.sentence.find("not part of the result"), std::string::npos) << one.sentence;
  }
  EXPECT_EQ(check({.part = 0}).count, 0u)
      << "of one part, which may lie on a machine of its own, its files alone are judged";
}

TEST(verify, finds_and_places_every_flipped_byte) {
  for (const bool hetero : {false, true}) {
    const graph data = hetero ? typed() : homogeneous();
    auto options = with_mapping();
    if (hetero) options.formats = hg::sparse_formats::all();
    const auto count = expect_every_flip_found(
        data, written(data, owners(data.num_nodes(), 2), 2, options));
    EXPECT_GT(count.tried, 4000u);
    // Without a manifest: the names of the file's one node and edge type, and flags that no reader
    // of parts uses.
    EXPECT_EQ(count.unfound.size(), 2u);
    for (const auto& [file, places] : count.unfound) {
      EXPECT_TRUE(file == "part0/graph.dgl" || file == "part1/graph.dgl") << file;
      EXPECT_LE(places.size(), 8u);
      EXPECT_TRUE(places.count(4328) && places.count(4353));
    }
  }
}
