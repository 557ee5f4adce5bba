// SPDX-License-Identifier: BSL-1.0
/// @file halo.hpp
/// A minimal output of HALO expansion, and near misses.
/// Layer: testing. Words: README.md.
#pragma once

#include <halograph/core/ids.hpp>
#include <halograph/testing/archetypes/awkward.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace halograph::archetype {

/// Models `halo_output`: keeps what fits into the caller's memory.
class halo_output : awkward {
 public:
  struct edge_seen {
    std::uint64_t source, target, edge;
    bool inner;
  };
  constexpr halo_output(std::span<std::int8_t> nodes, std::span<edge_seen> edges)
      : awkward(0), nodes_(nodes), edges_(edges) {}
  constexpr bool node(std::int8_t v) {
    if (node_count_ == nodes_.size()) return false;
    nodes_[node_count_++] = v;
    return true;
  }
  constexpr std::int8_t halo_node(std::size_t i) const { return nodes_[i]; }
  template <unsigned_id Local, id Edge>
  constexpr bool edge(Local u, Local v, Edge e, bool inner) {
    if (edge_count_ == edges_.size()) return false;
    edges_[edge_count_++] = {u, v, static_cast<std::uint64_t>(e), inner};
    return true;
  }
  constexpr void hop(std::size_t) {}

  std::size_t node_count() const { return node_count_; }
  std::size_t edge_count() const { return edge_count_; }

 private:
  std::span<std::int8_t> nodes_;
  std::span<edge_seen> edges_;
  std::size_t node_count_ = 0, edge_count_ = 0;
};

}  // namespace halograph::archetype

namespace halograph::near_miss {

/// Takes nodes, but does not return them.
struct halo_output_without_nodes {
  bool node(int) { return true; }
  bool edge(unsigned, unsigned, int, bool) { return true; }
  void hop(std::size_t) {}
};
/// Does not take whether an edge is inner.
struct halo_output_of_plain_edges {
  bool node(int) { return true; }
  int halo_node(std::size_t) const { return 0; }
  bool edge(unsigned, unsigned, int) { return true; }
  void hop(std::size_t) {}
};
/// Has no hop().
struct halo_output_without_hops {
  bool node(int) { return true; }
  int halo_node(std::size_t) const { return 0; }
  bool edge(unsigned, unsigned, int, bool) { return true; }
};

}  // namespace halograph::near_miss
