// SPDX-License-Identifier: BSL-1.0
#include <halograph/testing/laws.hpp>

#include <halograph/book/range_map.hpp>
#include <halograph/graph/csr.hpp>
#include <halograph/partition/random.hpp>
#include <halograph/partition/range.hpp>
#include <halograph/testing/archetypes.hpp>
#include <halograph/testing/small_graphs.hpp>

#include <gtest/gtest.h>

#include <array>
#include <thread>
#include <vector>

namespace hg = halograph;
namespace laws = halograph::laws;
namespace archetype = halograph::archetype;

namespace {

// A helper that judges others is judged too: each law holds for what obeys it and names what breaks it.
void expect_broken(const laws::verdict& verdict, const std::string& why) {
  EXPECT_FALSE(verdict) << "must be broken: " << why;
  EXPECT_NE(verdict.why.find(why), std::string::npos) << verdict.why;
}
void expect_holds(const laws::verdict& verdict) { EXPECT_TRUE(verdict) << verdict.why; }

TEST(graph_law, holds_for_the_drawn_graphs_and_views_of_them) {
  for (const auto& g : hg::small_graphs<std::uint8_t>()) {
    expect_holds(laws::graph(g));
    expect_holds(laws::graph(g.coo()));
  }
}

TEST(graph_law, holds_for_standard_containers) {
  expect_holds(laws::graph(std::vector<std::vector<int>>{{1, 2}, {}, {0, 2}}));
  expect_holds(laws::graph(std::pair{std::vector<int>{0, 2, 2}, std::vector<short>{0, 1}}));
}

struct open_graph {  // whatever a test puts in
  std::size_t nodes = 2, edges = 2;
  std::vector<std::array<unsigned, 3>> list{{0, 1, 0}, {1, 0, 1}}, in{{0, 1, 0}, {1, 0, 1}};
  std::size_t num_nodes() const { return nodes; }
  std::size_t num_edges() const { return edges; }
  void for_each_edge(auto f) const {
    for (const auto& [u, v, e] : list) f(u, v, e);
  }
  void for_each_in_edge(auto at, auto f) const {
    for (const auto& [u, v, e] : in) {
      if (v == hg::index(at)) f(u, e);
    }
  }
};

TEST(graph_law, names_each_breach) {
  expect_holds(laws::graph(open_graph{}));
  expect_broken(laws::graph(open_graph{.edges = 3}), "visits 2 edges, num_edges is 3");
  expect_broken(laws::graph(open_graph{.edges = 1}), "num_edges is 1");
  expect_broken(laws::graph(open_graph{.nodes = 1}), "an end of which is no node");
  expect_broken(laws::graph(open_graph{.list = {{1, 0, 1}, {0, 1, 0}}}), "out of turn");
  expect_broken(laws::graph(open_graph{.in = {{0, 1, 0}, {0, 0, 1}}}), "which another way shows otherwise");
  expect_broken(laws::graph(open_graph{.in = {{0, 1, 0}}}), "for_each_in_edge visits 1 edges");
}

TEST(partitioner_law, holds_for_the_built_in_policies_and_the_archetype) {
  for (const auto& g : hg::small_graphs<std::int8_t>()) {
    expect_holds(laws::partitioner(hg::random{.parts = 3, .seed = 7}, 3, g));
    expect_holds(laws::partitioner(hg::random{.parts = 3, .seed = 7, .balanced = false}, 3, g));
    expect_holds(laws::partitioner(hg::range{.parts = 2}, 2, g));
    expect_holds(laws::partitioner(archetype::partitioner(0), 1, g));
  }
}

struct forgetful {  // leaves the last node out
  using part = std::uint8_t;
  hg::status assign(const auto& g, std::span<part> owner) const {
    if (owner.size() != hg::num_nodes(g)) return hg::status::mismatch;
    for (std::size_t v = 0; v + 1 < owner.size(); ++v) owner[v] = 0;
    return hg::status::ok;
  }
};
struct moody {  // never the same twice
  using part = std::uint8_t;
  mutable unsigned runs = 0;
  hg::status assign(const auto& g, std::span<part> owner) const {
    if (owner.size() != hg::num_nodes(g)) return hg::status::mismatch;
    ++runs;
    for (auto& one : owner) one = static_cast<part>(runs % 2);
    return hg::status::ok;
  }
};
struct careless {  // takes any span
  using part = std::uint8_t;
  hg::status assign(const auto&, std::span<part> owner) const {
    for (auto& one : owner) one = 1;
    return hg::status::ok;
  }
};

TEST(partitioner_law, names_each_breach) {
  const auto g = hg::small_graphs()[4];
  expect_broken(laws::partitioner(forgetful{}, 1, g), "node 4");
  expect_broken(laws::partitioner(moody{}, 2, g), "repeatable");
  expect_broken(laws::partitioner(careless{}, 1, g), "in range");
  expect_broken(laws::partitioner(careless{}, 2, g), "refused with mismatch");
  expect_broken(laws::partitioner(hg::random{.parts = 0}, 1, g), "refuses the graph");
}

struct threads {
  std::size_t concurrency() const { return 2; }
  void parallel_for(std::size_t first, std::size_t last, std::size_t grain, auto&& body) const {
    if (last - first < 2 * grain || last <= first) {
      if (first < last) body(first, last);
      return;
    }
    const std::size_t middle = first + (last - first) / 2;
    std::thread half([&] { body(first, middle); });
    body(middle, last);
    half.join();
  }
};

TEST(executor_law, holds_for_one_thread_two_threads_and_backwards) {
  expect_holds(laws::executor(hg::sequential{}));
  expect_holds(laws::executor(threads{}));
  expect_holds(laws::executor(archetype::executor(0)));
}

struct sloppy {
  enum { skips_the_last, runs_twice, ignores_the_grain, runs_nothing_too, no_workers } fault;
  std::size_t concurrency() const { return fault == no_workers ? 0 : 1; }
  void parallel_for(std::size_t first, std::size_t last, std::size_t, auto&& body) const {
    if (fault == skips_the_last && first < last && first + 1 < last) body(first, last - 1);
    if (fault == runs_twice && first < last) { body(first, last); body(first, last); }
    if (fault == ignores_the_grain) for (; first < last; ++first) body(first, first + 1);
    if (fault == runs_nothing_too) body(first, last);
  }
};

TEST(executor_law, names_each_breach) {
  expect_broken(laws::executor(sloppy{sloppy::skips_the_last}), "is visited 0 times");
  expect_broken(laws::executor(sloppy{sloppy::runs_twice}), "is visited 2 times");
  expect_broken(laws::executor(sloppy{sloppy::ignores_the_grain}), "smaller than the grain");
  expect_broken(laws::executor(sloppy{sloppy::runs_nothing_too}), "empty");
  expect_broken(laws::executor(sloppy{sloppy::no_workers}), "at least 1");
}

TEST(byte_laws, hold_for_memory_and_the_archetypes) {
  hg::memory_sink memory;
  expect_holds(laws::byte_sink(memory, [&](std::uint64_t at, std::span<std::byte> out) {
    return hg::span_source(memory.bytes()).read_at(at, out);
  }));
  std::vector<std::byte> room(64);
  archetype::byte_sink sink{std::span<std::byte>(room)};
  expect_holds(laws::byte_sink(sink, [&](std::uint64_t at, std::span<std::byte> out) { return hg::span_source(room).read_at(at, out); }));
  room[3] = std::byte{5};
  expect_holds(laws::byte_source(hg::span_source(room), room));
  expect_holds(laws::byte_source(archetype::byte_source(room), room));
}

TEST(byte_laws, name_each_breach) {
  hg::null_sink nowhere;
  const std::vector<std::byte> zeros(64), ones(64, std::byte{1});
  expect_broken(laws::byte_sink(nowhere, [&](std::uint64_t at, std::span<std::byte> out) { return hg::span_source(zeros).read_at(at, out); }),
                "byte 0 is 0, not 1");
  expect_broken(laws::byte_source(hg::span_source(ones), zeros), "gives something else");
  expect_broken(laws::byte_source(hg::span_source(std::span(zeros).first(63)), zeros), "size() is 63, not 64");
}

TEST(feature_store_law, holds_for_tensors_and_the_archetype) {
  const auto whole = hg::tensor::from(std::vector<std::int32_t>{1, 2, 3, 4, 5, 6}, {3, 2});
  expect_holds(laws::feature_store(whole));
  expect_holds(laws::feature_store(hg::chunked_tensor(std::vector<hg::tensor>{whole, hg::tensor::from(std::vector<std::int32_t>{7, 8}, {1, 2})})));
  expect_holds(laws::feature_store(hg::tensor::from(std::vector<double>{}, {0, 4})));
  expect_holds(laws::feature_store(archetype::feature_store(9)));
}

struct generous : hg::tensor {  // gives any row
  explicit generous(hg::tensor t) : hg::tensor(std::move(t)) {}
  hg::status gather(std::span<const std::uint64_t>, std::span<std::byte> out) const {
    for (auto& byte : out) byte = std::byte{1};
    return hg::status::ok;
  }
};

TEST(feature_store_law, names_a_breach) {
  expect_broken(laws::feature_store(generous(hg::tensor::from(std::vector<std::int32_t>{1, 2}))), "must be out_of_range");
}

struct two_parts {  // three types in two parts, the middle type missing from part 1
  std::array<std::uint64_t, 7> bounds{0, 3, 5, 5, 8, 8, 9};
  std::array<std::uint64_t, 9> totals{};
  hg::basic_range_map<std::int8_t> map{};
  two_parts() { EXPECT_EQ(map.bind(2, 3, bounds, totals), hg::status::ok); }
};

TEST(ownership_law, holds_for_a_map_of_ranges) { expect_holds(laws::ownership(two_parts().map)); }

struct off_by_one : hg::basic_range_map<std::int8_t> {  // counts one more
  using base = hg::basic_range_map<std::int8_t>;
  explicit off_by_one(const base& map) : base(map) {}
  std::uint64_t count(std::size_t p) const { return base::count(p) + 1; }
  std::uint64_t count(std::size_t p, hg::type_id t) const { return base::count(p, t); }
};
struct single_minded : hg::basic_range_map<std::int8_t> {  // everything is in part 0
  using base = hg::basic_range_map<std::int8_t>;
  explicit single_minded(const base& map) : base(map) {}
  template <hg::id In>
  hg::status part_of(In global, hg::part_id& out) const {
    const hg::status answer = base::part_of(global, out);
    out = 0;
    return answer;
  }
  template <hg::id In>
  hg::status part_of(hg::type_id t, In typed, hg::part_id& out) const {
    return base::part_of(t, typed, out);
  }
};

TEST(ownership_law, names_each_breach) {
  const two_parts good;
  expect_broken(laws::ownership(off_by_one(good.map)), "part 0 owns 5 IDs, but count says otherwise");
  expect_broken(laws::ownership(single_minded(good.map)), "ID 5 has another part by its typed ID");
}

}  // namespace
