// SPDX-License-Identifier: BSL-1.0
#include <halograph/book/range_map.hpp>
#include <halograph/core/communicator.hpp>
#include <halograph/graph/csr.hpp>
#include <halograph/graph/generators.hpp>
#include <halograph/graph/hetero.hpp>
#include <halograph/partition/random.hpp>
#include <halograph/partition/range.hpp>
#include <halograph/testing/archetypes.hpp>
#include <halograph/testing/distributed_pieces.hpp>
#include <halograph/testing/laws.hpp>
#include <halograph/testing/small_graphs.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <thread>
#include <vector>

namespace hg = halograph;
namespace laws = halograph::laws;
namespace archetype = halograph::archetype;

namespace {

// The laws are tested, too: each holds for correct models and names what broken ones do.
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

struct open_graph {  // any edges, valid or not
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
  expect_broken(laws::graph(open_graph{.nodes = 1}), "whose endpoint is out of range");
  expect_broken(laws::graph(open_graph{.list = {{1, 0, 1}, {0, 1, 0}}}), "out of order");
  expect_broken(laws::graph(open_graph{.in = {{0, 1, 0}, {0, 0, 1}}}),
                "another way of visiting does not");
  expect_broken(laws::graph(open_graph{.in = {{0, 1, 0}}}), "for_each_in_edge visits 1 edges");
}

TEST(partitioner_law, holds_for_the_built_in_policies_and_the_archetype) {
  for (const auto& g : hg::small_graphs<std::int8_t>()) {
    expect_holds(laws::partitioner(hg::random_parts{.parts = 3, .seed = 7}, 3, g));
    expect_holds(
        laws::partitioner(hg::random_parts{.parts = 3, .seed = 7, .balanced = false}, 3, g));
    expect_holds(laws::partitioner(hg::range_parts{.parts = 2}, 2, g));
    expect_holds(laws::partitioner(archetype::partitioner(0), 1, g));
  }
}

struct forgetful {  // does not write the last owner
  using part = std::uint8_t;
  hg::status assign(const auto& g, std::span<part> owner) const {
    if (owner.size() != hg::num_nodes(g)) return hg::status::mismatch;
    for (std::size_t v = 0; v + 1 < owner.size(); ++v) owner[v] = 0;
    return hg::status::ok;
  }
};
struct moody {  // differs each time
  using part = std::uint8_t;
  mutable unsigned runs = 0;
  hg::status assign(const auto& g, std::span<part> owner) const {
    if (owner.size() != hg::num_nodes(g)) return hg::status::mismatch;
    ++runs;
    for (auto& one : owner) one = static_cast<part>(runs % 2);
    return hg::status::ok;
  }
};
struct careless {  // accepts spans of any size
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
  expect_broken(laws::partitioner(careless{}, 2, g), "rejected with mismatch");
  expect_broken(laws::partitioner(hg::random_parts{.parts = 0}, 1, g), "rejects the graph");
}

struct threads {
  std::size_t concurrency() const { return 2; }
  void parallel_for(std::size_t first, std::size_t last, std::size_t grain, auto&& body) const {
    if (last - first < 2 * grain || last <= first) {
      if (first < last) body(first, last);
      return;
    }
    const std::size_t middle = first + (last - first) / 2;
    std::exception_ptr raised, here;
    std::thread half([&] {
      try {
        body(first, middle);
      } catch (...) {
        raised = std::current_exception();
      }
    });
    try {
      body(middle, last);
    } catch (...) {
      here = std::current_exception();
    }
    half.join();
    if (raised) std::rethrow_exception(raised);
    if (here) std::rethrow_exception(here);
  }
};

TEST(executor_law, holds_for_one_thread_two_threads_and_backwards) {
  expect_holds(laws::executor(hg::sequential{}));
  expect_holds(laws::executor(threads{}));
  expect_holds(laws::executor(archetype::executor(0)));
}

struct sloppy {
  enum {
    skips_the_last,
    swallows,
    runs_twice,
    ignores_the_grain,
    runs_nothing_too,
    no_workers
  } fault;
  std::size_t concurrency() const { return fault == no_workers ? 0 : 1; }
  void parallel_for(std::size_t first, std::size_t last, std::size_t, auto&& body) const {
    if (fault == swallows && first < last) {
      try {
        body(first, last);
      } catch (...) {
      }
    }
    if (fault == skips_the_last && first < last && first + 1 < last) body(first, last - 1);
    if (fault == runs_twice && first < last) {
      body(first, last);
      body(first, last);
    }
    if (fault == ignores_the_grain)
      for (; first < last; ++first) body(first, first + 1);
    if (fault == runs_nothing_too) body(first, last);
  }
};

TEST(executor_law, names_each_breach) {
  expect_broken(laws::executor(sloppy{sloppy::skips_the_last}), "is visited 0 times");
  expect_broken(laws::executor(sloppy{sloppy::swallows}),
                "an exception of the body must reach the caller");
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
  expect_holds(laws::byte_sink(sink, [&](std::uint64_t at, std::span<std::byte> out) {
    return hg::span_source(room).read_at(at, out);
  }));
  room[3] = std::byte{5};
  expect_holds(laws::byte_source(hg::span_source(room), room));
  expect_holds(laws::byte_source(archetype::byte_source(room), room));
}

TEST(byte_laws, name_each_breach) {
  hg::null_sink nowhere;
  const std::vector<std::byte> zeros(64), ones(64, std::byte{1});
  expect_broken(laws::byte_sink(nowhere,
                                [&](std::uint64_t at, std::span<std::byte> out) {
                                  return hg::span_source(zeros).read_at(at, out);
                                }),
                "byte 0 is 0, not 1");
  expect_broken(laws::byte_source(hg::span_source(ones), zeros), "gives other bytes");
  expect_broken(laws::byte_source(hg::span_source(std::span(zeros).first(63)), zeros),
                "size() is 63, not 64");
}

TEST(feature_store_law, holds_for_tensors_and_the_archetype) {
  const auto whole = hg::tensor::from(std::vector<std::int32_t>{1, 2, 3, 4, 5, 6}, {3, 2});
  expect_holds(laws::feature_store(whole));
  expect_holds(laws::feature_store(hg::chunked_tensor(
      std::vector<hg::tensor>{whole, hg::tensor::from(std::vector<std::int32_t>{7, 8}, {1, 2})})));
  expect_holds(laws::feature_store(hg::tensor::from(std::vector<double>{}, {0, 4})));
  expect_holds(laws::feature_store(archetype::feature_store(9)));
}

struct generous : hg::tensor {  // returns any row
  explicit generous(hg::tensor t) : hg::tensor(std::move(t)) {}
  hg::status gather(std::span<const std::uint64_t>, std::span<std::byte> out) const {
    for (auto& byte : out) byte = std::byte{1};
    return hg::status::ok;
  }
};

TEST(feature_store_law, names_a_breach) {
  expect_broken(laws::feature_store(generous(hg::tensor::from(std::vector<std::int32_t>{1, 2}))),
                "must be out_of_range");
}

struct two_parts {  // three types in two parts, the middle type missing from part 1
  std::array<std::uint64_t, 7> bounds{0, 3, 5, 5, 8, 8, 9};
  std::array<std::uint64_t, 9> totals{};
  hg::basic_range_map<std::int8_t> map{};
  two_parts() { EXPECT_EQ(map.bind(2, 3, bounds, totals), hg::status::ok); }
};

TEST(ownership_law, holds_for_a_map_of_ranges) { expect_holds(laws::ownership(two_parts().map)); }

struct off_by_one : hg::basic_range_map<std::int8_t> {  // counts one too many
  using base = hg::basic_range_map<std::int8_t>;
  explicit off_by_one(const base& map) : base(map) {}
  std::uint64_t count(std::size_t p) const { return base::count(p) + 1; }
  std::uint64_t count(std::size_t p, hg::type_id t) const { return base::count(p, t); }
};
struct single_minded : hg::basic_range_map<std::int8_t> {  // puts everything in part 0
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
  expect_broken(laws::ownership(off_by_one(good.map)),
                "part 0 owns 5 IDs, but count says otherwise");
  expect_broken(laws::ownership(single_minded(good.map)), "ID 5 has another part by its typed ID");
}

struct two_types : open_graph {  // nodes 0 | 1, edges 0 | 1
  std::vector<std::uint64_t> node_offsets{0, 1, 2}, edge_offsets{0, 1, 2};
  std::span<const std::uint64_t> node_type_offsets() const { return node_offsets; }
  std::span<const std::uint64_t> edge_type_offsets() const { return edge_offsets; }
};

TEST(typed_graph_law, names_each_breach) {
  expect_holds(laws::typed_graph(two_types{}));
  const std::vector<archetype::ends<std::int8_t>> edges{{0, 1}, {1, 0}};
  const std::vector<std::uint64_t> offsets{0, 1, 2};
  expect_holds(laws::typed_graph(archetype::typed_graph(2, edges, offsets, offsets)));
  expect_broken(laws::typed_graph(two_types{{.edges = 3}, {0, 1, 2}, {0, 1, 2}}), "num_edges is 3");
  expect_broken(laws::typed_graph(two_types{{}, {0, 1, 3}, {0, 1, 2}}),
                "node_type_offsets must ascend from 0 to 2");
  expect_broken(laws::typed_graph(two_types{{}, {0, 1, 2}, {1, 2}}),
                "edge_type_offsets must ascend from 0 to 2");
  expect_broken(laws::typed_graph(two_types{{}, {0, 1, 2}, {0, 2}}),
                "edge 1 connects other node types");
}

struct dice {
  mutable std::uint64_t throws = 0;
  bool fair = true;
  std::uint64_t num_nodes() const { return 3; }
  std::uint64_t num_edges() const { return 2; }
  hg::generators::ends edge(std::uint64_t) const { return {fair ? 0 : throws++ % 2, 0}; }
  hg::status validate() const { return hg::status::ok; }
};
struct too_far : dice {
  hg::generators::ends edge(std::uint64_t) const { return {0, 3}; }
};
struct unsure : dice {
  hg::status validate() const { return hg::status::overflow; }
};

TEST(generator_law, names_each_breach) {
  expect_holds(laws::generator(archetype::generator(5)));
  expect_holds(laws::generator(hg::generators::grid{.width = 3, .height = 2}));
  expect_broken(laws::generator(dice{.fair = false}), "differs when it is requested again");
  expect_broken(laws::generator(too_far{}), "an endpoint of edge 0 is out of range");
  expect_broken(laws::generator(unsure{}), "validate() returns overflow");
}

struct shuffler {
  using part = std::uint8_t;
  enum { careful, forgets_the_size, trusts, grows, never_the_same } fault = careful;
  mutable unsigned runs = 0;
  hg::status refine(const auto& g, std::span<part> owner) const {
    if (fault != forgets_the_size && owner.size() != hg::num_nodes(g)) return hg::status::mismatch;
    for (auto& one : owner) {
      if (one > 1 && fault != trusts) return hg::status::out_of_range;
      if (fault == grows) one = 2;
      if (fault == never_the_same) one = static_cast<part>(runs % 2);
    }
    ++runs;
    return hg::status::ok;
  }
};

TEST(refiner_law, names_each_breach) {
  const auto g = hg::small_graphs()[4];
  expect_holds(laws::refiner(archetype::refiner(0), 2, g));
  expect_holds(laws::refiner(shuffler{}, 2, g));
  expect_broken(laws::refiner(shuffler{shuffler::forgets_the_size}, 2, g),
                "longer than the graph has nodes must be rejected with mismatch");
  expect_broken(laws::refiner(shuffler{shuffler::trusts}, 2, g),
                "a node in part 2 of 2 must be rejected with out_of_range");
  expect_broken(laws::refiner(shuffler{shuffler::grows}, 2, g),
                "in range: node 0 moves to part 2 of 2");
  expect_broken(laws::refiner(shuffler{shuffler::never_the_same}, 2, g), "repeatable: node 0");
  expect_broken(laws::refiner(shuffler{}, 3, g),
                "rejects a round-robin assignment with out_of_range");
}

struct alone {
  using part = std::uint8_t;
  enum { careful, forgets_the_size, leaves_one, grows, never_the_same, gives_up } fault = careful;
  mutable unsigned runs = 0;
  hg::status assign(const auto&, const auto& local, std::span<part> owner) const {
    if (fault == gives_up) return hg::status::unsupported;
    if (fault != forgets_the_size && owner.size() != local.num_nodes()) return hg::status::mismatch;
    for (auto& one : owner)
      one = fault == grows ? 2 : fault == never_the_same ? static_cast<part>(runs % 2) : 0;
    if (fault == leaves_one) owner[1] = static_cast<part>(runs % 2);
    ++runs;
    return hg::status::ok;
  }
};

TEST(distributed_partitioner_law, names_each_breach) {
  const auto piece = hg::piece_of(hg::small_graphs()[4], std::vector<std::uint64_t>{0, 5}, 0);
  const auto with = [&](alone policy) {
    return laws::distributed_partitioner(hg::single_rank{}, policy, 2, piece.view());
  };
  expect_holds(with(alone{}));
  expect_holds(laws::distributed_partitioner(
      hg::single_rank{}, archetype::distributed_partitioner(0), 1, piece.view()));
  expect_broken(with(alone{alone::forgets_the_size}), "must be rejected with mismatch");
  expect_broken(with(alone{alone::leaves_one}), "node 1 is in part 0, then in 1");
  expect_broken(with(alone{alone::grows}), "in range: node 0 is in part 2 of 2");
  expect_broken(with(alone{alone::never_the_same}), "repeatable: node 0");
  expect_broken(with(alone{alone::gives_up}), "rejects the graph with unsupported");
}

struct unruly {
  enum { mixes_cells, reads_scratch, gives_up } fault;
  hg::order_sizes sizes(std::size_t, std::size_t) const { return {.nodes = 0, .words = 1}; }
  template <hg::unsigned_id Part, hg::id Node>
  hg::status arrange(const auto&, const hg::node_cells<Part, Node>& cells,
                     hg::order_scratch<Node> scratch) const {
    if (fault == mixes_cells) std::reverse(cells.nodes.begin(), cells.nodes.end());
    if (fault == reads_scratch && scratch.words[0] != 0) std::swap(cells.nodes[0], cells.nodes[1]);
    return fault == gives_up ? hg::status::capacity : hg::status::ok;
  }
};

TEST(node_order_law, names_each_breach) {
  const auto g = hg::small_graphs()[4];
  expect_holds(laws::node_order(archetype::node_order(0), 2, g));
  expect_holds(laws::node_order(hg::descending_degree{}, 2, g));
  expect_broken(laws::node_order(unruly{unruly::mixes_cells}, 2, g),
                "cell 0 does not keep its nodes");
  expect_broken(laws::node_order(unruly{unruly::reads_scratch}, 1, g), "repeatable");
  expect_broken(laws::node_order(unruly{unruly::gives_up}, 1, g),
                "rejects the graph with capacity");
}

TEST(communicator_law, holds_for_one_rank_and_for_several) {
  expect_holds(laws::communicator(hg::single_rank{}));
  for (const std::size_t size : {1u, 2u, 3u, 4u}) {
    hg::run_ranks(size, [](const hg::thread_rank& ranks) {
      expect_holds(laws::communicator(ranks));
      expect_holds(laws::communicator(archetype::communicator(ranks)));
    });
  }
}

struct hard_of_hearing : hg::single_rank {
  enum fault {
    nothing,
    keeps_to_itself,
    forgets_the_root,
    loses_a_byte,
    cannot_add,
    believes_counts,
    says_nothing,
    gathers_blindly
  } wrong = nothing;
  hg::status barrier() const {
    return wrong == says_nothing ? hg::status::internal : hg::status::ok;
  }
  hg::status broadcast(std::span<std::byte> data, std::size_t root) const {
    if (wrong == keeps_to_itself && !data.empty()) data[0] = std::byte{0};
    return wrong == forgets_the_root ? hg::status::ok : hg::single_rank::broadcast(data, root);
  }
  hg::status all_gather(std::span<const std::byte> mine, std::span<std::byte> all) const {
    if (wrong == gathers_blindly && mine.size() != all.size()) return hg::status::ok;
    return hg::single_rank::all_gather(mine, all);
  }
  hg::status all_to_all(std::span<const std::byte> out, std::span<const std::uint64_t> out_counts,
                        std::span<std::byte> in, std::span<const std::uint64_t> in_counts) const {
    // In the law one rank sends itself nothing, so the first failure is a missing rejection.
    const hg::status answer = hg::single_rank::all_to_all(out, out_counts, in, in_counts);
    return wrong == believes_counts ? hg::status::ok : answer;
  }
  hg::status sum(std::span<std::uint64_t> values) const {
    if (wrong == cannot_add && !values.empty()) values[0] += 1;
    return hg::status::ok;
  }
};
struct late : hg::single_rank {
  std::size_t rank() const { return 1; }
};
struct empty_world : hg::single_rank {
  std::size_t size() const { return 0; }
};

TEST(communicator_law, names_each_breach) {
  const auto with = [](hard_of_hearing::fault wrong) {
    return laws::communicator(hard_of_hearing{{}, wrong});
  };
  expect_holds(with(hard_of_hearing::nothing));
  expect_broken(with(hard_of_hearing::keeps_to_itself),
                "broadcast must give all ranks the root's bytes");
  expect_broken(with(hard_of_hearing::forgets_the_root),
                "a root out of range must be out_of_range");
  expect_broken(with(hard_of_hearing::cannot_add), "sum must add the numbers");
  expect_broken(with(hard_of_hearing::believes_counts),
                "counts that do not add up to the bytes sent must be mismatch");
  expect_broken(with(hard_of_hearing::says_nothing), "barrier() does not return ok");
  expect_broken(with(hard_of_hearing::gathers_blindly),
                "all_gather into too few bytes must be mismatch");
  expect_broken(laws::communicator(late{}), "rank() must be below size()");
  expect_broken(laws::communicator(empty_world{}), "size() must be at least 1");
}

struct scrambler {  // stores the pieces in the wrong order
  const hg::thread_rank& ranks;
  bool gathers_backwards = false;
  std::size_t rank() const { return ranks.rank(); }
  std::size_t size() const { return ranks.size(); }
  hg::status barrier() const { return ranks.barrier(); }
  hg::status broadcast(std::span<std::byte> data, std::size_t root) const {
    return ranks.broadcast(data, root);
  }
  hg::status all_gather(std::span<const std::byte> mine, std::span<std::byte> all) const {
    const hg::status answer = ranks.all_gather(mine, all);
    if (gathers_backwards) std::reverse(all.begin(), all.end());
    return answer;
  }
  hg::status all_to_all(std::span<const std::byte> out, std::span<const std::uint64_t> out_counts,
                        std::span<std::byte> in, std::span<const std::uint64_t> in_counts) const {
    const hg::status answer = ranks.all_to_all(out, out_counts, in, in_counts);
    std::reverse(in.begin(), in.end());
    return answer;
  }
  hg::status sum(std::span<std::uint64_t> values) const { return ranks.sum(values); }
};

TEST(communicator_law, names_pieces_in_the_wrong_order) {
  hg::run_ranks(2, [](const hg::thread_rank& ranks) {
    expect_broken(laws::communicator(scrambler{ranks}),
                  "in the order of ranks (rank " + std::to_string(ranks.rank()) + " of 2)");
    expect_broken(laws::communicator(scrambler{ranks, true}),
                  "all_gather must give each rank's bytes in the order of ranks");
  });
}

TEST(byte_laws, a_source_in_memory_shows_what_it_reads) {
  const std::vector<std::byte> zeros(64), ones(64, std::byte{1});
  expect_holds(laws::memory_source(hg::span_source(zeros), zeros));
  expect_holds(laws::memory_source(archetype::memory_source(zeros), zeros));
  expect_broken(laws::memory_source(hg::span_source(ones), zeros), "bytes() shows other bytes");
}

struct uneven_book {
  archetype::ownership good{5};
  two_parts other{};
  const archetype::ownership& nodes() const { return good; }
  const auto& edges() const { return other.map; }
};
struct wrong_book {
  archetype::ownership good{5};
  two_parts other{};
  off_by_one bad{other.map};
  const archetype::ownership& nodes() const { return good; }
  const off_by_one& edges() const { return bad; }
};

TEST(ownership_law, holds_for_the_archetypes) {
  for (const std::uint64_t size : {0u, 1u, 2u, 7u}) {
    expect_holds(laws::ownership(archetype::ownership(size)));
    expect_holds(laws::partition_book(archetype::partition_book(size, size + 1)));
  }
}

struct three_parts : archetype::ownership {
  three_parts() : archetype::ownership(0) {}
  std::size_t num_parts() const { return 3; }
};
struct three_and_two {
  archetype::ownership two{0};
  three_parts three{};
  const archetype::ownership& nodes() const { return two; }
  const three_parts& edges() const { return three; }
};

TEST(partition_book_law, names_each_breach) {
  expect_holds(laws::partition_book(uneven_book{}));
  expect_broken(laws::partition_book(wrong_book{}), "edges: part 0 owns 5 IDs");
  expect_broken(laws::partition_book(three_and_two{}), "the same number of parts");
}

}  // namespace
