// SPDX-License-Identifier: BSL-1.0
// What partition_graph refuses, what it leaves behind then (nothing), who may watch and stop it,
// and where it may run.
#include "support/partition_model.hpp"
#include "support/temporary_folder.hpp"

#include <halograph/folder/targets.hpp>
#include <halograph/graph/coo.hpp>
#include <halograph/partition/random.hpp>
#include <halograph/pipeline/partition_graph.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

namespace fs = std::filesystem;
namespace hg = halograph;
namespace ht = halograph::testing;

struct refusal {
  hg::error_kind code = hg::error_kind::ok;
  std::string sentence{};
};

refusal why(const std::function<void()>& call) {
  try {
    call();
  } catch (const hg::error& problem) {
    return {problem.code(), problem.message()};
  }
  ADD_FAILURE() << "went through";
  return {};
}

/// Every file below a folder, by name.
std::map<std::string, std::string> content(const std::string& folder) {
  std::map<std::string, std::string> out;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file())
      out[fs::relative(entry.path(), folder).string()] = ht::content_of(entry.path().string());
  }
  return out;
}

class partition_graph_into : public testing::Test {
 protected:
  std::string out() const { return scratch_("out"); }
  /// Nothing at all in the scratch folder: no result, nothing staged.
  bool untouched() const { return fs::is_empty(scratch_()); }
  void refuses(const hg::partition_options& options, hg::error_kind code, const std::string& words,
               const hg::random_parts& policy = {.parts = 2}) {
    const auto [got, sentence] = why(
        [&] { hg::partition_graph(data_, policy, hg::dgl_folder{.path = out()}, options); });
    EXPECT_EQ(got, code) << sentence;
    EXPECT_NE(sentence.find(words), std::string::npos) << sentence;
    EXPECT_TRUE(untouched()) << "for " << words;
  }

  ht::temporary_folder scratch_{};
  hg::dataset<> data_ = ht::small_graph(true, 1);
};

TEST_F(partition_graph_into, rejects_names_that_could_be_paths) {
  for (const std::string name :
       {"", ".", "..", "../up", "a/b", "/root", ".hidden", "back\\slash", "new\nline"}) {
    hg::partition_options options;
    options.graph_name = name;
    refuses(options, hg::error_kind::invalid_argument, "could be a path");
  }
  hg::partition_options options;
  options.graph_name = std::string("a\0b", 3);
  refuses(options, hg::error_kind::invalid_argument, "could be a path");
  options.graph_name = std::string(300, 'a');
  refuses(options, hg::error_kind::invalid_argument, "could be a path");
}

TEST_F(partition_graph_into, warns_once_of_harmless_names_and_not_of_plain_ones) {
  hg::partition_options options;
  for (const auto& [name, warnings] :
       {std::pair("my graph-2", 1), std::pair("My_Graph", 0), std::pair("graphe été", 1)}) {
    options.graph_name = name;
    int found = 0;
    const auto result = hg::partition_graph(data_, hg::random_parts{.parts = 2},
                                            hg::dgl_folder{.path = out()}, options);
    for (const auto& note : result.notes)
      found += note.find("letters and underscores") != std::string::npos ? 1 : 0;
    EXPECT_EQ(found, warnings) << name;
    EXPECT_EQ(result.config.path, out() + "/" + name + ".json");
    EXPECT_TRUE(fs::exists(result.config.path));
  }
}

TEST_F(partition_graph_into, rejects_invalid_options) {
  const auto with = [](auto&& change) {
    hg::partition_options options;
    change(options);
    return options;
  };
  refuses(with([](auto& o) { o.hops = 2000000; }), hg::error_kind::out_of_range, "2000000 hops");
  refuses(with([](auto& o) { o.formats = hg::sparse_formats::none(); }),
          hg::error_kind::invalid_argument, "coo, csr, csc");
  refuses(with([](auto& o) { o.trainers_per_machine = 0; }), hg::error_kind::invalid_argument,
          "trainers per machine");
  refuses(with([](auto& o) { o.trainers_per_machine = 3; }), hg::error_kind::invalid_argument,
          "multiple of the 3 trainers");
  refuses({}, hg::error_kind::invalid_argument, "2147483647, not 0", {.parts = 0});
  refuses({}, hg::error_kind::invalid_argument, "2147483647, not 4294967296",
          {.parts = 4294967296});
}

TEST_F(partition_graph_into, rejects_features_with_the_same_name) {
  const auto expect = [&](hg::feature_set extra, hg::partition_options options, hg::error_kind code,
                          const std::string& words) {
    hg::feature_set features = data_.features;
    features.nodes.insert(features.nodes.end(), extra.nodes.begin(), extra.nodes.end());
    features.edges.insert(features.edges.end(), extra.edges.begin(), extra.edges.end());
    const auto [got, sentence] = why([&] {
      options.schema = data_.schema;
      options.features = features;
      hg::partition_graph(data_.graph(), hg::random_parts{.parts = 2},
                          hg::dgl_folder{.path = out()}, options);
    });
    EXPECT_EQ(got, code) << sentence;
    EXPECT_NE(sentence.find(words), std::string::npos) << sentence;
    EXPECT_TRUE(untouched()) << words;
  };
  const auto rows = [](std::uint64_t count) {
    return ht::any_feature(hg::dtype::int8, {count}, 1);
  };
  const auto users = data_.node_counts[0],
             likes = static_cast<std::uint64_t>(data_.edges[0].source.size());
  expect({{{0, "_ID", rows(users)}}, {}}, {}, hg::error_kind::invalid_argument,
         "\"user/_ID\" has a name reserved");
  expect({{{0, "inner_node", rows(users)}}, {}}, {}, hg::error_kind::invalid_argument, "reserved");
  expect({{}, {{0, "_ID", rows(likes)}}}, {}, hg::error_kind::invalid_argument, "reserved");
  expect({{}, {{0, "inner_edge", rows(likes)}}}, {}, hg::error_kind::invalid_argument,
         "\"user:likes:item/inner_edge\" has a name reserved");
  expect({{{0, "x", rows(users)}, {0, "x", rows(users)}}, {}}, {}, hg::error_kind::exists,
         "\"user/x\" is given twice");
  expect({{{0, "", rows(users)}}, {}}, {}, hg::error_kind::invalid_argument, "no usable name");
  expect({{{0, std::string("a\0b", 3), rows(users)}}, {}}, {}, hg::error_kind::invalid_argument,
         "no usable name");
  expect({{{9, "x", rows(users)}}, {}}, {}, hg::error_kind::not_found,
         "type that the graph does not have");
  expect({{{0, "x", rows(users + 1)}}, {}}, {}, hg::error_kind::mismatch,
         std::to_string(users + 1) + " rows for " + std::to_string(users) + " nodes");
  expect({{}, {{0, "x", rows(likes - 1)}}}, {}, hg::error_kind::mismatch,
         std::to_string(likes - 1) + " rows for " + std::to_string(likes) + " edges");
  hg::partition_options trainers;
  trainers.trainers_per_machine = 2;
  expect({{{0, "trainer_id", rows(users)}}, {}}, trainers, hg::error_kind::exists,
         "\"user/trainer_id\" is given twice");
}

TEST_F(partition_graph_into, takes_every_other_name_of_a_feature) {
  hg::feature_set features;
  const auto users = data_.node_counts[0];
  for (const char* name :
       {"inner_edge", "orig_id", "part_id", "_TYPE", "user", "a/b", "ä ö", "trainer_id"}) {
    features.nodes.push_back({0, name, ht::any_feature(hg::dtype::int8, {users}, 1)});
  }
  EXPECT_NO_THROW(hg::partition_graph(data_.graph(), hg::random_parts{.parts = 2},
                                      hg::dgl_folder{.path = out()},
                                      {.schema = data_.schema, .features = features}));
}

TEST_F(partition_graph_into, rejects_schemas_and_edges_that_do_not_fit_the_graph) {
  const auto other = why([&] {
    hg::partition_graph(data_.graph(), hg::random_parts{.parts = 2}, hg::dgl_folder{.path = out()},
                        {.features = data_.features});
  });
  EXPECT_EQ(other.code, hg::error_kind::mismatch);
  const std::vector<std::uint32_t> source{0, 1, 7}, sink{1, 2, 0};
  const hg::coo_view<std::uint32_t, std::uint32_t> broken(3, source, sink);
  const auto untyped = why([&] {
    hg::partition_graph(broken, hg::random_parts{.parts = 2}, hg::dgl_folder{.path = out()},
                        {.schema = data_.schema});
  });
  EXPECT_EQ(untyped.code, hg::error_kind::mismatch);
  EXPECT_NE(untyped.sentence.find("typed_graph"), std::string::npos);
  hg::partition_options options;
  for (const bool measure : {true, false}) {
    options.measure_quality = measure;
    const auto range = why([&] {
      hg::partition_graph(broken, hg::random_parts{.parts = 2}, hg::dgl_folder{.path = out()},
                          options);
    });
    EXPECT_EQ(range.code, hg::error_kind::out_of_range) << range.sentence;
  }
  EXPECT_TRUE(untouched());
}

/// Writes a part that it does not have.
struct careless {
  using part = hg::part_id;
  std::uint64_t parts = 2;
  template <hg::graph G>
  hg::status assign(const G&, std::span<part> owner) const {
    for (auto& p : owner) p = 0;
    owner.back() = 2;
    return hg::status::ok;
  }
};

TEST_F(partition_graph_into, refuses_a_partitioner_that_breaks_its_word) {
  const auto [code, sentence] = why(
      [&] { hg::partition_graph(data_, careless{}, hg::dgl_folder{.path = out()}); });
  EXPECT_EQ(code, hg::error_kind::internal) << sentence;
  EXPECT_TRUE(untouched());
}

/// A user's store: rows computed when asked for, until it fails.
struct computed_rows {
  std::uint64_t count = 0;
  bool broken = false;
  hg::dtype type() const { return hg::dtype::int64; }
  std::uint64_t rows() const { return count; }
  std::span<const std::uint64_t> row_shape() const { return {}; }
  hg::status gather(std::span<const std::uint64_t> ids, std::span<std::byte> out) const {
    if (broken) return hg::status{hg::error_kind::io, 17};
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const auto value = static_cast<std::int64_t>(ids[i] * ids[i]);
      std::memcpy(out.data() + 8 * i, &value, 8);
    }
    return hg::status::ok;
  }
};

TEST_F(partition_graph_into, takes_rows_from_a_users_store) {
  hg::basic_feature_set<computed_rows> features;
  features.nodes.push_back({1, "square", {data_.node_counts[1]}});
  std::vector<std::int64_t> squares;
  for (std::uint64_t i = 0; i < data_.node_counts[1]; ++i)
    squares.push_back(static_cast<std::int64_t>(i * i));
  hg::feature_set same;
  same.nodes.push_back({1, "square", hg::tensor::from(squares)});
  const auto partition = [&](const hg::feature_set_ref& rows) {
    hg::partition_graph(data_.graph(), hg::random_parts{.parts = 3}, hg::dgl_folder{.path = out()},
                        {.schema = data_.schema, .features = rows});
  };
  partition(features);
  const auto computed = content(out());
  partition(same);
  EXPECT_EQ(computed, content(out()));

  features.nodes[0].rows.broken = true;
  EXPECT_EQ(why([&] { partition(features); }).code, hg::error_kind::io);
  EXPECT_EQ(computed, content(out())) << "the earlier result stays";
  EXPECT_EQ(std::distance(fs::directory_iterator(scratch_()), fs::directory_iterator()), 1)
      << "and nothing beside it";
}

TEST_F(partition_graph_into, tells_how_far_it_is_and_stops_cleanly_where_told) {
  hg::partition_options options;
  std::vector<std::string> steps;
  std::vector<std::uint64_t> parts;
  options.on_progress = [&](const hg::progress& at) {
    if (at.total == 0) {
      steps.emplace_back(at.step);
    } else {
      EXPECT_EQ(at.step, "write");
      EXPECT_EQ(at.unit, "parts");
      EXPECT_EQ(at.total, 4u);
      parts.push_back(at.done);
    }
  };
  const auto result = hg::partition_graph(data_, hg::random_parts{.parts = 4},
                                          hg::dgl_folder{.path = out()}, options);
  EXPECT_EQ(steps, (std::vector<std::string>{"assign", "measure", "relabel", "write"}));
  EXPECT_EQ(parts, (std::vector<std::uint64_t>{1, 2, 3, 4}));
  ASSERT_EQ(result.report.steps.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(result.report.steps[i].name, steps[i]);
  fs::remove_all(out());

  struct stop {};
  for (const std::string at : {"assign", "measure", "relabel", "write"}) {
    for (const std::uint64_t done : {0u, 3u}) {
      if (done != 0 && at != "write") continue;
      options.on_progress = [&](const hg::progress& now) {
        if (now.step == at && now.done == done) throw stop{};
      };
      EXPECT_THROW(hg::partition_graph(data_, hg::random_parts{.parts = 4},
                                       hg::dgl_folder{.path = out()}, options),
                   stop);
      EXPECT_TRUE(untouched()) << "stopped at " << at;
    }
  }
}

/// A user's pool: pieces on threads of their own, the first exception handed on.
struct pool {
  std::size_t threads = 2;
  std::size_t concurrency() const { return threads; }
  template <class Body>
  void parallel_for(std::size_t first, std::size_t last, std::size_t, Body&& body) const {
    const std::size_t count = last - first;
    std::vector<std::thread> running;
    std::exception_ptr problem;
    std::mutex mutex;
    for (std::size_t i = 0; i < threads; ++i) {
      const std::size_t begin = first + count * i / threads,
                        end = first + count * (i + 1) / threads;
      if (begin == end) continue;
      running.emplace_back([&, begin, end] {
        try {
          body(begin, end);
        } catch (...) {
          const std::lock_guard lock(mutex);
          problem = std::current_exception();
        }
      });
    }
    for (auto& thread : running) thread.join();
    if (problem) std::rethrow_exception(problem);
  }
};

TEST_F(partition_graph_into, gives_the_same_bytes_on_any_number_of_threads) {
  hg::partition_options options;
  options.hops = 2;
  options.formats = hg::sparse_formats::all();
  options.save_mapping = true;
  options.return_mapping = true;
  options.trainers_per_machine = 2;
  for (const bool reshuffle : {true, false}) {
    options.reshuffle = reshuffle;
    const auto alone = hg::partition_graph(data_, hg::random_parts{.parts = 10},
                                           hg::dgl_folder{.path = out()}, options);
    const auto wanted = content(out());
    EXPECT_GE(wanted.size(), 26u);
    for (const std::size_t threads : {1u, 2u, 3u, 7u}) {
      const pool run{threads};
      options.executor = run;
      const auto result = hg::partition_graph(data_, hg::random_parts{.parts = 10},
                                              hg::dgl_folder{.path = out()}, options);
      EXPECT_EQ(content(out()), wanted) << threads;
      EXPECT_EQ(result.node_mapping, alone.node_mapping);
      EXPECT_EQ(result.edge_mapping, alone.edge_mapping);
    }
    options.on_progress = [](const hg::progress& at) {
      if (at.done == 3) throw std::runtime_error("stop");
    };
    const pool three{3};
    options.executor = three;
    EXPECT_THROW(hg::partition_graph(data_, hg::random_parts{.parts = 10, .seed = 9},
                                     hg::dgl_folder{.path = out()}, options),
                 std::runtime_error);
    EXPECT_EQ(content(out()), wanted) << "a stopped run leaves the earlier result";
    options.on_progress = {};
    options.executor = {};
  }
}

}  // namespace
