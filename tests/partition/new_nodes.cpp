// SPDX-License-Identifier: BSL-1.0
// Placing new nodes: against a naive model on small random graphs, and what it promises.
#include <halograph/core/status.hpp>
#include <halograph/graph/coo.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/partition/partitioner.hpp>
#include <halograph/partition/placement/new_nodes.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace hg = halograph;

namespace {

using ids = std::vector<std::uint32_t>;
using parts = std::vector<std::uint32_t>;
constexpr std::uint32_t none = hg::new_nodes::no_part;

struct edges {
  std::size_t nodes = 0;
  ids source{}, target{};
  void add(std::uint32_t u, std::uint32_t v) {
    source.push_back(u);
    target.push_back(v);
  }
  hg::coo_view<std::uint32_t> graph() const { return {nodes, source, target}; }
};
static_assert(hg::partitioner<hg::new_nodes, hg::coo_view<std::uint32_t>>);

parts place(const edges& g, const hg::new_nodes& policy) {
  parts owner(g.nodes);
  EXPECT_EQ(policy.assign(g.graph(), std::span<std::uint32_t>(owner)), hg::status::ok);
  return owner;
}

/// The rule of new_nodes, with every question answered by looking at all edges.
class model {
 public:
  model(const edges& g, const parts& old, std::uint32_t k, std::int64_t limit)
      : near_(g.nodes), owner_(old), old_(old), held_(k), limit_(limit) {
    for (std::size_t e = 0; e < g.source.size(); ++e) {
      if (g.source[e] == g.target[e]) continue;
      near_[g.source[e]][g.target[e]] = near_[g.target[e]][g.source[e]] = 1;
    }
    for (const auto p : old) {
      if (p != none) ++held_[p];
    }
  }

  parts run() {
    std::deque<std::size_t> queue;
    std::vector<char> seen(near_.size());
    const auto drain = [&] {
      for (; !queue.empty(); queue.pop_front()) {
        place(queue.front());
        for (const auto& [u, w] : near_[queue.front()]) {
          if (owner_[u] == none && !seen[u]) {
            seen[u] = 1;
            queue.push_back(u);
          }
        }
      }
    };
    for (std::size_t v = 0; v < near_.size(); ++v) {
      bool meets = false;
      for (const auto& [u, w] : near_[v]) meets = meets || owner_[u] != none;
      if (old_[v] == none && meets) {
        seen[v] = 1;
        queue.push_back(v);
      }
    }
    drain();
    for (std::size_t v = 0; v < near_.size(); ++v) {
      if (owner_[v] != none || near_[v].empty()) continue;
      seen[v] = 1;
      queue.push_back(v);
      drain();
    }
    for (std::size_t v = 0; v < near_.size(); ++v) {
      if (owner_[v] == none) place(v);
    }
    for (int round = 0; round < 10; ++round) {
      for (std::size_t v = 0; v < near_.size(); ++v) {
        if (old_[v] != none) continue;
        const auto to = best(v);
        if (to == held_.size() || in(v, to) <= in(v, owner_[v]) || held_[owner_[v]] == 1) continue;
        --held_[owner_[v]];
        owner_[v] = static_cast<std::uint32_t>(to);
        ++held_[to];
      }
    }
    return owner_;
  }

 private:
  std::int64_t in(std::size_t v, std::size_t p) const {
    std::int64_t sum = 0;
    for (const auto& [u, w] : near_[v]) sum += owner_[u] == p ? w : 0;
    return sum;
  }
  /// Of the parts that hold a neighbor, but the own one.
  std::size_t best(std::size_t v) const {
    std::size_t out = held_.size();
    for (std::size_t p = 0; p < held_.size(); ++p) {
      if (p == owner_[v] || in(v, p) == 0 || held_[p] + 1 > limit_) continue;
      if (out == held_.size() || in(v, p) > in(v, out) ||
          (in(v, p) == in(v, out) && held_[p] < held_[out]))
        out = p;
    }
    return out;
  }
  void place(std::size_t v) {
    std::size_t to = best(v);
    if (to == held_.size())
      to = static_cast<std::size_t>(std::min_element(held_.begin(), held_.end()) - held_.begin());
    owner_[v] = static_cast<std::uint32_t>(to);
    ++held_[to];
  }

  std::vector<std::map<std::size_t, std::int64_t>> near_;
  parts owner_, old_;
  std::vector<std::int64_t> held_;
  std::int64_t limit_;
};

struct drawn {
  edges g{};
  parts old{};
  std::uint32_t k = 2;
};

/// A graph with loops and double edges, of which some nodes have parts within the limit.
drawn draw(std::uint32_t seed) {
  std::mt19937 random(seed);
  drawn out;
  out.k = static_cast<std::uint32_t>(2 + random() % 4);
  out.g.nodes = 12 + random() % 30;
  const std::size_t count = random() % (4 * out.g.nodes);
  for (std::size_t e = 0; e < count; ++e)
    out.g.add(static_cast<std::uint32_t>(random() % out.g.nodes),
              static_cast<std::uint32_t>(random() % out.g.nodes));
  out.old.assign(out.g.nodes, none);
  const auto share = random() % 10;
  for (std::size_t v = 0; v < out.old.size(); ++v) {
    if (v < 2 * out.k || random() % 10 < share) out.old[v] = static_cast<std::uint32_t>(v % out.k);
  }
  return out;
}

TEST(new_nodes, are_placed_as_a_naive_model_places_them) {
  std::size_t moved = 0;
  for (std::uint32_t seed = 0; seed < 400; ++seed) {
    const drawn one = draw(seed);
    const auto limit = static_cast<std::int64_t>(hg::part_limit(one.g.nodes, 1, one.k, 0.1));
    const parts owner = place(
        one.g, {.parts = one.k, .fixed = one.old, .tolerance = 0.1, .improve = false});
    ASSERT_EQ(owner, model(one.g, one.old, one.k, limit).run()) << "seed " << seed;
    std::vector<std::int64_t> held(one.k);
    for (std::size_t v = 0; v < owner.size(); ++v) {
      ASSERT_TRUE(one.old[v] == none || owner[v] == one.old[v]) << "node " << v;
      ++held[owner[v]];
    }
    std::vector<std::int64_t> before(one.k);
    for (const auto p : one.old) {
      if (p != none) ++before[p];
    }
    for (std::size_t p = 0; p < held.size(); ++p) {
      ASSERT_LE(held[p], std::max(limit, before[p])) << "seed " << seed;
      moved += held[p] != before[p];
    }
  }
  EXPECT_GT(moved, 400u) << "hardly any graph has new nodes";
}

TEST(new_nodes, are_improved_without_harm) {
  std::size_t better = 0;
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    const drawn one = draw(seed);
    const auto cut = [&](const parts& owner) {
      std::size_t count = 0;
      for (std::size_t e = 0; e < one.g.source.size(); ++e)
        count += owner[one.g.source[e]] != owner[one.g.target[e]];
      return count;
    };
    const auto limit = hg::part_limit(one.g.nodes, 1, one.k, 0.1);
    const parts plain = place(
        one.g, {.parts = one.k, .fixed = one.old, .tolerance = 0.1, .improve = false});
    const parts owner = place(one.g, {.parts = one.k, .fixed = one.old, .tolerance = 0.1});
    std::vector<std::uint64_t> held(one.k), before(one.k);
    for (std::size_t v = 0; v < owner.size(); ++v) {
      ASSERT_TRUE(one.old[v] == none || owner[v] == one.old[v]) << "node " << v;
      ++held[owner[v]];
      if (one.old[v] != none) ++before[one.old[v]];
    }
    for (std::size_t p = 0; p < held.size(); ++p) ASSERT_LE(held[p], std::max(limit, before[p]));
    better += cut(owner) < cut(plain);
  }
  EXPECT_GT(better, 10u);
}

TEST(new_nodes, do_not_depend_on_the_order_of_edges) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    drawn one = draw(seed);
    const hg::new_nodes policy{.parts = one.k, .fixed = one.old};
    const parts expected = place(one.g, policy);
    for (std::size_t e = 0; e < one.g.source.size(); e += 2)
      std::swap(one.g.source[e], one.g.target[e]);
    std::reverse(one.g.source.begin(), one.g.source.end());
    std::reverse(one.g.target.begin(), one.g.target.end());
    EXPECT_EQ(place(one.g, policy), expected);
  }
}

TEST(new_nodes, keep_only_the_edges_that_touch_one) {
  const parts old{0, 1, none, 0, none};
  parts owner(5);
  hg::new_node_scan scan;
  hg::new_nodes policy{.parts = 2, .fixed = old};
  ASSERT_EQ(policy.begin_scan({.nodes = 5, .edges = 9, .node_type_offsets = {}}, owner, scan),
            hg::status::ok);
  EXPECT_FALSE(scan.touches(0, 1));
  EXPECT_FALSE(scan.touches(2, 2)) << "a loop";
  EXPECT_TRUE(scan.touches(0, 2));
  EXPECT_TRUE(scan.touches(4, 3));
  EXPECT_EQ(scan.add(1, 2), hg::status::ok);
  EXPECT_EQ(scan.entries(), 1u);
  EXPECT_EQ(scan.add(2, 4), hg::status::ok);
  EXPECT_EQ(scan.entries(), 3u) << "an edge of two new nodes is a neighbor of both";
  EXPECT_EQ(scan.finish(), hg::status::ok);
  EXPECT_EQ(owner, (parts{0, 1, 1, 0, 1}));

  policy.most_entries = 2;
  ASSERT_EQ(policy.begin_scan({.nodes = 5, .edges = 9, .node_type_offsets = {}}, owner, scan),
            hg::status::ok);
  EXPECT_EQ(scan.add(1, 2), hg::status::ok);
  const hg::status full = scan.add(2, 4);
  EXPECT_EQ(full, hg::status::capacity);
  EXPECT_NE(policy.explain(full).find("more than 2 neighbors"), std::string::npos);
}

TEST(new_nodes, go_by_the_weight_of_edges_where_these_have_some) {
  edges g{.nodes = 5};
  g.add(4, 0);
  g.add(4, 1);
  g.add(2, 4);
  const parts old{0, 0, 1, 1, none};
  const std::vector<std::int64_t> weights{2, 3, 6};
  EXPECT_EQ(place(g, {.parts = 2, .fixed = old}).back(), 0u);
  EXPECT_EQ(place(g, {.parts = 2, .fixed = old, .edge_weights = weights}).back(), 1u);
  constexpr std::int64_t heavy = std::int64_t{1} << 62;
  const std::vector<std::int64_t> most{heavy, heavy - 2, 1}, more{heavy, heavy, 1};
  EXPECT_EQ(place(g, {.parts = 2, .fixed = old, .edge_weights = most}).back(), 0u)
      << "2^63 - 1 is the largest sum";
  parts owner(5);
  const hg::new_nodes policy{.parts = 2, .fixed = old, .edge_weights = more};
  const hg::status answer = policy.assign(g.graph(), std::span<std::uint32_t>(owner));
  EXPECT_EQ(answer, hg::status::overflow);
  EXPECT_EQ(answer.position, 4u);
  EXPECT_NE(policy.explain(answer).find("2^63"), std::string::npos);
}

TEST(new_nodes, fill_parts_that_are_empty) {
  edges g{.nodes = 9};
  for (std::uint32_t v = 0; v + 1 < 9; ++v) g.add(v, v + 1);
  const parts old{0, 0, none, none, none, none, none, none, none};
  const parts owner = place(g, {.parts = 3, .fixed = old, .tolerance = 10});
  for (std::uint32_t p = 0; p < 3; ++p)
    EXPECT_NE(std::count(owner.begin(), owner.end(), p), 0) << "part " << p;
}

TEST(new_nodes, balance_every_constraint) {
  edges g{.nodes = 400};
  std::mt19937 random(7);
  parts old(400, none);
  for (std::uint32_t v = 0; v < 400; ++v) {
    if (v % 4 != 3) old[v] = v / 4 % 4;
    for (int i = 0; i < 4; ++i) g.add(v, static_cast<std::uint32_t>(random() % 400));
  }
  std::vector<std::int64_t> load(400);
  for (std::size_t v = 0; v < 400; ++v) load[v] = static_cast<std::int64_t>(v % 3 == 0);
  const std::vector<hg::constraint> both{{"nodes", hg::load_view::ones(400), 0.03},
                                         {"third", load, 0.05}};
  const parts owner = place(g, {.parts = 4, .fixed = old, .constraints = both});
  for (const auto& line : hg::measure_balance(owner, 4, both))
    EXPECT_TRUE(line.met) << line.name << " " << line.imbalance;
}

TEST(new_nodes, refuse_what_is_no_assignment) {
  edges g{.nodes = 3};
  g.add(0, 2);
  parts owner(3);
  const std::span<std::uint32_t> out(owner);
  const parts beyond{0, 2, none}, few{0};
  EXPECT_EQ((hg::new_nodes{.parts = 2, .fixed = beyond}.assign(g.graph(), out)),
            hg::status::out_of_range);
  EXPECT_EQ((hg::new_nodes{.parts = 2, .fixed = few}.assign(g.graph(), out)), hg::status::mismatch);
  EXPECT_EQ((hg::new_nodes{.parts = 0, .fixed = few}.assign(g.graph(), out)),
            hg::status::infeasible);
  const parts old{0, 1, none};
  const std::vector<std::int64_t> zero{0}, two{1, 1};
  EXPECT_EQ((hg::new_nodes{.parts = 2, .fixed = old, .edge_weights = zero}.assign(g.graph(), out)),
            hg::status::invalid_argument);
  EXPECT_EQ((hg::new_nodes{.parts = 2, .fixed = old, .edge_weights = two}.assign(g.graph(), out)),
            hg::status::mismatch);
}

}  // namespace
