// SPDX-License-Identifier: BSL-1.0
// Whole graphs are partitioned, relabeled, expanded and queried inside constant expressions;
// limits that are too low are told by status::capacity; and nothing differs from what the hosted
// calls give.
#include <halograph/embedded/fixed.hpp>
#include <halograph/graph/coo.hpp>
#include <halograph/graph/generators.hpp>
#include <halograph/graph/hetero.hpp>
#include <halograph/partition/chained.hpp>
#include <halograph/partition/fennel.hpp>
#include <halograph/partition/given.hpp>
#include <halograph/partition/hash.hpp>
#include <halograph/partition/ldg.hpp>
#include <halograph/partition/random.hpp>
#include <halograph/partition/range.hpp>
#include <halograph/partition/refine.hpp>
#include <halograph/relabel/relabeling.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace hg = halograph;

namespace {

// ---- in the compiler
// -----------------------------------------------------------------------------

/// Everything that must be true of a result, whatever the graph and the policy.
template <class Job>
constexpr bool is_consistent(Job& job, unsigned hops) {
  std::size_t owned_nodes = 0, owned_edges = 0;
  for (std::size_t v = 0; v < job.num_nodes(); ++v) {
    hg::part_id part = 0;
    if (!job.book().nodes().part_of(job.new_node()[v], part) || part != job.owner()[v])
      return false;
    if (job.old_node()[hg::index(job.new_node()[v])] != v) return false;
    hg::typed_id<typename Job::node_id> typed;
    typename Job::node_id back = 0;
    if (!job.book().nodes().to_typed(job.new_node()[v], typed) ||
        !job.book().nodes().to_global(typed.type, typed.id, back))
      return false;
    if (back != job.new_node()[v]) return false;
  }
  for (std::size_t p = 0; p < job.num_parts(); ++p) {
    if (!job.expand(p, {.hops = hops})) return false;
    const auto& part = job.part();
    owned_nodes += part.inner.size();
    for (const auto v : part.inner) {
      if (job.owner()[v] != p) return false;
    }
    for (const auto v : part.halo) {
      if (job.owner()[v] == p) return false;
    }
    for (std::size_t i = 0; i < part.num_edges(); ++i) {
      const bool inner = part.targets[i] < part.inner.size();
      if (inner != (part.inner_edges[i] == 1) || part.sources[i] >= part.num_nodes()) return false;
      hg::part_id owner = 0;
      if (!job.book().edges().part_of(job.new_edge()[part.edges[i]], owner) ||
          (owner == p) != inner)
        return false;
      if (owner != job.owner()[part.node(part.targets[i])]) return false;
      owned_edges += inner;
    }
  }
  return owned_nodes == job.num_nodes() && owned_edges == job.num_edges();
}

template <class Policy>
constexpr bool cuts_a_grid(Policy policy) {
  constexpr hg::fixed_limits limits{.nodes = 12, .edges = 17, .parts = 3};
  hg::fixed_partitioning<limits.with_scratch_words(
      hg::fixed_scratch_size<limits>(Policy{.parts = 3}))>
      job;
  return job.partition(hg::generators::grid{.width = 4, .height = 3}, policy) &&
         is_consistent(job, 2);
}
static_assert(cuts_a_grid(hg::basic_random_parts<std::uint8_t>{.parts = 3, .seed = 7}));
static_assert(cuts_a_grid(hg::basic_hash_parts<std::uint8_t>{.parts = 3}));
static_assert(cuts_a_grid(hg::basic_range_parts<std::uint8_t>{.parts = 3}));
static_assert(cuts_a_grid(hg::basic_ldg<std::uint8_t>{
    .parts = 3, .order = hg::stream_order::shuffled, .seed = 5}));
static_assert(cuts_a_grid(hg::basic_fennel<std::uint8_t>{.parts = 3}));
static_assert(cuts_a_grid(hg::rebalanced<hg::chained<hg::basic_ldg<std::uint8_t>,
                                                     hg::basic_label_propagation<std::uint8_t>>>{
    .parts = 3}));

constexpr std::array<std::uint8_t, 12> by_column{0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1};
constexpr bool cuts_a_grid_as_told() {
  hg::fixed_partitioning<hg::fixed_limits{.nodes = 12, .edges = 17, .parts = 3}> job;
  if (!job.partition(hg::generators::grid{.width = 4, .height = 3},
                     hg::basic_given<std::uint8_t>{.parts = 2, .owners = by_column}))
    return false;
  if (!job.expand(1)) return false;
  // Columns 2 and 3, and column 1 in front of them: edges point to the right.
  const auto& part = job.part();
  return part.inner.size() == 6 && part.halo.size() == 3 && part.halo[0] == 1 &&
         part.halo[1] == 5 && part.halo[2] == 9 && part.num_edges() == 10 &&
         job.book().nodes().count(0) == 6 && job.new_node()[2] == 6 && is_consistent(job, 1);
}
static_assert(cuts_a_grid_as_told());

// Two node types and two relations.
template <class Policy>
constexpr bool cuts_a_typed_graph(Policy policy) {
  constexpr std::array<std::uint64_t, 3> node_begin{0, 4, 7}, edge_begin{0, 5, 8};
  constexpr std::array<std::uint8_t, 5> buyer{0, 1, 2, 3, 3}, bought{0, 0, 1, 2, 1};
  constexpr std::array<std::uint8_t, 3> knows{0, 1, 2}, known{1, 2, 3};
  const std::array<hg::relation_view<std::uint8_t>, 2> relations{
      {{0, 1, buyer, bought}, {0, 0, knows, known}}};
  const hg::hetero_view<std::uint8_t, std::uint8_t> g(node_begin, edge_begin, relations);
  constexpr hg::fixed_limits limits{
      .nodes = 7, .edges = 8, .parts = 2, .node_types = 2, .edge_types = 2};
  hg::fixed_partitioning<limits.with_scratch_words(
      hg::fixed_scratch_size<limits>(Policy{.parts = 2}))>
      job;
  if (!job.partition(g, policy) || job.num_node_types() != 2 || job.num_edge_types() != 2)
    return false;
  // Each type keeps its size, spread over the parts.
  for (hg::type_id t = 0; t < 2; ++t) {
    if (job.book().nodes().count(0, t) + job.book().nodes().count(1, t) !=
        node_begin[t + 1] - node_begin[t])
      return false;
    if (job.book().edges().count(0, t) + job.book().edges().count(1, t) !=
        edge_begin[t + 1] - edge_begin[t])
      return false;
  }
  return is_consistent(job, 1);
}
// In every order of nodes.
template <class Policy, class Order>
constexpr bool cuts_a_grid_in(Policy policy, Order order) {
  constexpr hg::fixed_limits limits{.nodes = 12, .edges = 17, .parts = 3};
  hg::fixed_partitioning<limits.with_scratch_words(
      hg::fixed_scratch_size<limits>(Policy{.parts = 3}, Order{}))>
      job;
  return job.partition(hg::generators::grid{.width = 4, .height = 3}, policy, order) &&
         is_consistent(job, 2);
}
static_assert(cuts_a_grid_in(hg::basic_ldg<std::uint8_t>{.parts = 3}, hg::descending_degree{}));
static_assert(cuts_a_grid_in(hg::basic_hash_parts<std::uint8_t>{.parts = 3}, hg::breadth_first{}));

static_assert(cuts_a_typed_graph(hg::basic_random_parts<std::uint8_t>{.parts = 2, .seed = 3}));
static_assert(cuts_a_typed_graph(hg::basic_hash_parts<std::uint8_t>{.parts = 2}));
static_assert(cuts_a_typed_graph(hg::basic_range_parts<std::uint8_t>{.parts = 2}));
static_assert(cuts_a_typed_graph(hg::basic_ldg<std::uint8_t>{.parts = 2}));
static_assert(cuts_a_typed_graph(hg::basic_fennel<std::uint8_t>{
    .parts = 2, .order = hg::stream_order::shuffled, .seed = 5}));

// ---- limits
// --------------------------------------------------------------------------------------

template <hg::fixed_limits Limits>
hg::status grid_within() {
  hg::fixed_partitioning<Limits> job;
  return job.partition(hg::generators::grid{.width = 4, .height = 3},
                       hg::basic_random_parts<std::uint8_t>{.parts = 3, .seed = 7});
}

TEST(fixed_partitioning, reports_which_limit_is_too_low) {
  EXPECT_EQ((grid_within<hg::fixed_limits{.nodes = 12, .edges = 17, .parts = 3}>()),
            hg::status::ok);
  const auto nodes = grid_within<hg::fixed_limits{.nodes = 11, .edges = 17, .parts = 3}>();
  EXPECT_EQ(nodes, hg::status::capacity);
  EXPECT_EQ(nodes.position, 12u);
  const auto edges = grid_within<hg::fixed_limits{.nodes = 12, .edges = 16, .parts = 3}>();
  EXPECT_EQ(edges, hg::status::capacity);
  EXPECT_EQ(edges.position, 17u);
  const auto parts = grid_within<hg::fixed_limits{.nodes = 12, .edges = 17, .parts = 2}>();
  EXPECT_EQ(parts, hg::status::capacity);
  EXPECT_EQ(parts.position, 3u);
  const auto cut =
      grid_within<hg::fixed_limits{.nodes = 12, .edges = 17, .parts = 3, .cut_edges = 2}>();
  EXPECT_EQ(cut, hg::status::capacity);
  EXPECT_GT(cut.position, 2u);
}

TEST(fixed_partitioning, reports_more_types_than_its_limits) {
  const hg::generators::academic g({.papers = 6,
                                    .authors = 5,
                                    .institutions = 2,
                                    .authors_per_paper = 1,
                                    .citations_per_paper = 1});
  hg::fixed_partitioning<hg::fixed_limits{
      .nodes = 32, .edges = 64, .parts = 2, .node_types = 2, .edge_types = 3}>
      two_node_types;
  hg::fixed_partitioning<hg::fixed_limits{
      .nodes = 32, .edges = 64, .parts = 2, .node_types = 3, .edge_types = 2}>
      two_edge_types;
  const hg::basic_range_parts<std::uint8_t> policy{.parts = 2};
  EXPECT_EQ(two_node_types.partition(g, policy), hg::status::capacity);
  EXPECT_EQ(two_node_types.partition(g, policy).position, 3u);
  EXPECT_EQ(two_edge_types.partition(g, policy), hg::status::capacity);
}

TEST(fixed_partitioning, is_empty_after_a_failure_and_whole_after_the_next_success) {
  hg::fixed_partitioning<hg::fixed_limits{.nodes = 12, .edges = 17, .parts = 3}> job;
  EXPECT_EQ(job.expand(0), hg::status::invalid_argument);
  const hg::generators::grid g{.width = 4, .height = 3};
  ASSERT_TRUE(job.partition(g, hg::basic_range_parts<std::uint8_t>{.parts = 3}));
  ASSERT_TRUE(job.expand(1));
  EXPECT_GT(job.part().num_edges(), 0u);
  EXPECT_EQ(job.expand(3), hg::status::out_of_range);
  EXPECT_EQ(job.part().num_edges(), 0u);
  EXPECT_EQ(job.partition(g, hg::basic_range_parts<std::uint8_t>{.parts = 4}),
            hg::status::capacity);
  EXPECT_EQ(job.expand(0), hg::status::invalid_argument);
  EXPECT_EQ(job.book().num_parts(), 0u);
  ASSERT_TRUE(job.partition(g, hg::basic_range_parts<std::uint8_t>{.parts = 3}));
  EXPECT_TRUE(is_consistent(job, 1));
}

TEST(fixed_partitioning, ends_a_part_that_outgrows_its_limits_and_can_expand_another) {
  hg::fixed_partitioning<hg::fixed_limits{
      .nodes = 6, .edges = 8, .parts = 2, .part_nodes = 1, .part_edges = 5}>
      job;
  // Nodes 3, 4, 5 -> 0; 0 -> 1: part 0 has three HALO nodes, part 1 has one.
  const std::vector<std::uint8_t> source{3, 4, 5, 0}, target{0, 0, 0, 1}, owner{0, 0, 0, 1, 1, 1};
  const hg::coo_view<std::uint8_t, std::uint8_t> g(6, source, target);
  ASSERT_TRUE(job.partition(g, hg::basic_given<std::uint8_t>{.parts = 2, .owners = owner}));
  EXPECT_EQ(job.expand(0), hg::status::capacity);
  ASSERT_TRUE(job.expand(1));
  EXPECT_EQ(job.part().halo.size(), 1u);
  EXPECT_EQ(job.part().halo[0], 0u);
}

/// Has two edges and says something else.
struct liar {
  std::size_t said;
  std::size_t num_nodes() const { return 3; }
  std::size_t num_edges() const { return said; }
  template <class F>
  void for_each_edge(F&& f) const {
    for (unsigned e = 0; e < 2; ++e) f(0u, e, e);
  }
};

TEST(fixed_partitioning, rejects_endpoints_out_of_range_and_graphs_that_miscount) {
  hg::fixed_partitioning<hg::fixed_limits{.nodes = 3, .edges = 3, .parts = 1}> job;
  const std::vector<std::uint8_t> source{0, 1, 7}, target{1, 2, 0};
  const auto bad = job.partition(hg::coo_view<std::uint8_t, std::uint8_t>(3, source, target),
                                 hg::basic_range_parts<std::uint8_t>{});
  EXPECT_EQ(bad, hg::status::out_of_range);
  EXPECT_EQ(bad.position, 2u);
  EXPECT_EQ(job.partition(liar{1}, hg::basic_range_parts<std::uint8_t>{}), hg::status::mismatch);
  EXPECT_EQ(job.partition(liar{3}, hg::basic_range_parts<std::uint8_t>{}), hg::status::mismatch);
  EXPECT_EQ(job.partition(liar{2}, hg::basic_range_parts<std::uint8_t>{}), hg::status::ok);
}

/// A ring by target whose edge IDs start again in each row.
struct restarting_ring {
  using node_id = unsigned;
  unsigned first = 0;
  std::size_t num_nodes() const { return 3; }
  template <class F>
  void for_each_in_edge(unsigned v, F&& f) const {
    f((v + 2) % 3, first);
  }
};
struct unnumbered_ring {
  using node_id = unsigned;
  std::size_t num_nodes() const { return 3; }
  template <class F>
  void for_each_in_neighbor(unsigned v, F&& f) const {
    f((v + 2) % 3);
  }
};

TEST(fixed_partitioning, rejects_edge_ids_that_are_not_a_permutation_and_needs_none) {
  hg::fixed_partitioning<hg::fixed_limits{.nodes = 3, .edges = 3, .parts = 2}> job;
  const auto twice = job.partition(restarting_ring{.first = 1},
                                   hg::basic_range_parts<std::uint8_t>{.parts = 2});
  EXPECT_EQ(twice, hg::status::mismatch);
  EXPECT_EQ(twice.position, 1u);
  const auto beyond = job.partition(restarting_ring{.first = 3},
                                    hg::basic_range_parts<std::uint8_t>{.parts = 2});
  EXPECT_EQ(beyond, hg::status::out_of_range);
  EXPECT_EQ(beyond.position, 3u);
  ASSERT_EQ(job.partition(unnumbered_ring{}, hg::basic_range_parts<std::uint8_t>{.parts = 2}),
            hg::status::ok);
  EXPECT_EQ(job.num_edges(), 3u);
}

// ---- memory and errors
// ---------------------------------------------------------------------------

TEST(fixed_partitioning, works_in_the_callers_memory_at_any_address) {
  using job_type = hg::fixed_partitioning<hg::fixed_limits{.nodes = 12, .edges = 17, .parts = 3}>;
  static_assert(job_type::memory_bytes() < 2000);
  std::vector<std::byte> memory(job_type::memory_bytes() + 7);
  for (std::size_t shift = 0; shift < 8; ++shift) {
    job_type* job = nullptr;
    ASSERT_TRUE(job_type::make_in(std::span(memory).subspan(shift, job_type::memory_bytes()), job));
    ASSERT_TRUE(job->partition(hg::generators::grid{.width = 4, .height = 3},
                               hg::basic_range_parts<std::uint8_t>{.parts = 3}));
    EXPECT_TRUE(is_consistent(*job, 1));
  }
  job_type* none = nullptr;
  const auto little = job_type::make_in(std::span(memory).first(sizeof(job_type) - 1), none);
  EXPECT_EQ(little, hg::status::capacity);
  EXPECT_EQ(little.position, job_type::memory_bytes());
  EXPECT_EQ(none, nullptr);
}

struct last_failure {
  static inline std::string told{};
  void operator()(hg::status problem, const char* step) const {
    told = std::string(hg::name(problem.code)) + " in " + step;
  }
};

TEST(fixed_partitioning, calls_its_hook_for_failures_only) {
  hg::fixed_partitioning<hg::fixed_limits{.nodes = 12, .edges = 17, .parts = 3}, std::uint8_t,
                         std::uint8_t, std::uint8_t, last_failure>
      job;
  const auto failing = [&](std::uint64_t width, std::uint64_t parts) {
    last_failure::told.clear();
    static_cast<void>(job.partition(hg::generators::grid{.width = width, .height = 3},
                                    hg::basic_range_parts<std::uint8_t>{.parts = parts}));
    return last_failure::told;
  };
  EXPECT_EQ(failing(4, 3), "");
  EXPECT_EQ(failing(5, 3), "capacity in load");
  EXPECT_EQ(failing(4, 0), "invalid_argument in assign");
  static_cast<void>(job.expand(0));
  EXPECT_EQ(last_failure::told, "invalid_argument in expand");
}

struct near_miss_hook {
  void operator()(hg::status) const {}
};
static_assert(hg::error_hook<hg::only_return> && hg::error_hook<last_failure> &&
              !hg::error_hook<near_miss_hook> && !hg::error_hook<int>);

// ---- the same as hosted calls
// --------------------------------------------------------------------

template <class Job, class G>
void expect_as_hosted(Job& job, const G& g, unsigned hops) {
  const std::vector<hg::part_id> owner(job.owner().begin(), job.owner().end());
  const auto plan = hg::relabel(g, owner, job.num_parts());
  EXPECT_TRUE(std::equal(plan.old_node.begin(), plan.old_node.end(), job.old_node().begin(),
                         job.old_node().end()));
  EXPECT_TRUE(std::equal(plan.new_edge.begin(), plan.new_edge.end(), job.new_edge().begin(),
                         job.new_edge().end()));
  EXPECT_TRUE(std::equal(plan.old_edge.begin(), plan.old_edge.end(), job.old_edge().begin(),
                         job.old_edge().end()));
  EXPECT_TRUE(std::equal(plan.node_bounds.begin(), plan.node_bounds.end(),
                         job.node_bounds().begin(), job.node_bounds().end()));
  EXPECT_TRUE(std::equal(plan.edge_bounds.begin(), plan.edge_bounds.end(),
                         job.edge_bounds().begin(), job.edge_bounds().end()));
  for (std::size_t p = 0; p < job.num_parts(); ++p) {
    const auto hosted = hg::expand_halo(g, owner, p, {.hops = hops});
    ASSERT_TRUE(job.expand(p, {.hops = hops}));
    const auto& part = job.part();
    ASSERT_EQ(part.num_nodes(), hosted.nodes.size());
    EXPECT_EQ(part.inner.size(), hosted.inner_nodes);
    for (std::size_t i = 0; i < part.num_nodes(); ++i) EXPECT_EQ(part.node(i), hosted.nodes[i]);
    EXPECT_TRUE(std::equal(hosted.sources.begin(), hosted.sources.end(), part.sources.begin(),
                           part.sources.end()));
    EXPECT_TRUE(std::equal(hosted.targets.begin(), hosted.targets.end(), part.targets.begin(),
                           part.targets.end()));
    EXPECT_TRUE(
        std::equal(hosted.edges.begin(), hosted.edges.end(), part.edges.begin(), part.edges.end()));
  }
}

TEST(fixed_partitioning, gives_what_relabel_and_expand_halo_give) {
  const hg::generators::academic g({.papers = 30, .authors = 20, .institutions = 3, .seed = 5});
  auto job = std::make_unique<hg::fixed_partitioning<hg::fixed_limits{
      .nodes = 64, .edges = 400, .parts = 4, .node_types = 3, .edge_types = 3}>>();
  for (const unsigned hops : {1u, 3u}) {
    ASSERT_TRUE(job->partition(g, hg::basic_hash_parts<std::uint8_t>{.parts = 4, .seed = hops}));
    expect_as_hosted(*job, g, hops);
  }
  // Wider IDs than needed are as good.
  auto wide = std::make_unique<hg::fixed_partitioning<
      hg::fixed_limits{.nodes = 60, .edges = 400, .parts = 4, .node_types = 3, .edge_types = 3},
      std::uint64_t, std::int64_t, hg::part_id>>();
  ASSERT_TRUE(wide->partition(g, hg::hash_parts{.parts = 4, .seed = 3}));
  expect_as_hosted(*wide, g, 2);
  EXPECT_TRUE(std::equal(wide->new_edge().begin(), wide->new_edge().end(), job->new_edge().begin(),
                         job->new_edge().end(),
                         [](auto a, auto b) { return std::cmp_equal(a, b); }));
}

TEST(fixed_partitioning, runs_streaming_policies_as_assign_does_in_the_memory_that_they_need) {
  const hg::generators::academic g({.papers = 30, .authors = 20, .institutions = 3, .seed = 5});
  constexpr hg::fixed_limits limits{
      .nodes = 53, .edges = 350, .parts = 4, .node_types = 3, .edge_types = 3};
  constexpr std::size_t words = hg::fixed_scratch_size<limits>(
      hg::basic_fennel<std::uint8_t>{.parts = 4});
  static_assert(words > 200 && hg::fixed_scratch_size<limits>(hg::hash_parts{}) == 0);
  auto job = std::make_unique<hg::fixed_partitioning<limits.with_scratch_words(words)>>();
  for (const auto order : {hg::stream_order::natural, hg::stream_order::shuffled}) {
    const hg::basic_fennel<std::uint8_t> policy{.parts = 4, .order = order, .seed = 11};
    ASSERT_TRUE(job->partition(g, policy));
    const auto hosted = hg::assign(g, policy);
    EXPECT_TRUE(std::equal(hosted.begin(), hosted.end(), job->owner().begin(), job->owner().end()));
    expect_as_hosted(*job, g, 2);
  }
  hg::fixed_partitioning<limits.with_scratch_words(8)> small;
  const auto answer = small.partition(g, hg::basic_ldg<std::uint8_t>{.parts = 4});
  EXPECT_EQ(answer, hg::status::capacity);
  EXPECT_GT(answer.position, 8u);
}

TEST(fixed_partitioning, numbers_nodes_in_the_given_order) {
  const hg::generators::academic g({.papers = 30, .authors = 20, .institutions = 3, .seed = 5});
  constexpr hg::fixed_limits limits{
      .nodes = 53, .edges = 350, .parts = 4, .node_types = 3, .edge_types = 3};
  constexpr std::size_t words = hg::fixed_scratch_size<limits>(hg::descending_degree{},
                                                               hg::breadth_first{});
  static_assert(words == 53);
  auto job = std::make_unique<hg::fixed_partitioning<limits.with_scratch_words(words)>>();
  const hg::basic_hash_parts<std::uint8_t> policy{.parts = 4, .seed = 3};
  const auto owner = hg::assign(g, policy);
  const auto check = [&](const auto& order) {
    ASSERT_TRUE(job->partition(g, policy, order));
    const auto plan = hg::relabel(g, owner, 4, order);
    EXPECT_TRUE(std::equal(plan.old_node.begin(), plan.old_node.end(), job->old_node().begin(),
                           job->old_node().end()));
    EXPECT_TRUE(std::equal(plan.new_node.begin(), plan.new_node.end(), job->new_node().begin(),
                           job->new_node().end()));
    EXPECT_TRUE(std::equal(plan.new_edge.begin(), plan.new_edge.end(), job->new_edge().begin(),
                           job->new_edge().end()));
    EXPECT_TRUE(is_consistent(*job, 2));
  };
  check(hg::original_order{});
  check(hg::descending_degree{});
  check(hg::breadth_first{});
  hg::fixed_partitioning<limits.with_scratch_words(words - 1)> small;
  EXPECT_EQ(small.partition(g, policy, hg::descending_degree{}), hg::status::capacity);
}

TEST(fixed_partitioning, puts_rows_in_order_whatever_order_the_storage_has) {
  // Edges 0 to 5 in rows of sources, shuffled.
  const std::vector<std::uint8_t> offsets{0, 2, 4, 6}, targets{0, 1, 1, 0, 0, 1},
      edges{5, 2, 1, 3, 0, 4};
  const hg::csr_view<std::uint8_t, std::uint8_t> g(offsets, targets, edges);
  hg::fixed_partitioning<hg::fixed_limits{.nodes = 3, .edges = 6, .parts = 2}> job;
  ASSERT_TRUE(job.partition(g, hg::basic_range_parts<std::uint8_t>{.parts = 2}));
  EXPECT_EQ(std::vector<unsigned>(job.graph().edges().begin(), job.graph().edges().end()),
            (std::vector<unsigned>{0, 3, 5, 1, 2, 4}));
  EXPECT_EQ(std::vector<unsigned>(job.graph().neighbors().begin(), job.graph().neighbors().end()),
            (std::vector<unsigned>{2, 1, 0, 1, 0, 2}));
  expect_as_hosted(job, g, 1);
}

TEST(fixed_partitioning, holds_an_empty_graph) {
  hg::fixed_partitioning<hg::fixed_limits{}> job;
  ASSERT_TRUE(job.partition(hg::coo_view<std::uint8_t, std::uint8_t>(),
                            hg::basic_range_parts<std::uint8_t>{}));
  ASSERT_TRUE(job.expand(0));
  EXPECT_EQ(job.part().num_nodes(), 0u);
  EXPECT_EQ(job.book().nodes().size(), 0u);
}

}  // namespace
