// SPDX-License-Identifier: BSL-1.0
// expect: typed_graph: needs span<const uint64_t> edge_type_offsets
// expect: typed_graph: needs span<const uint64_t> node_type_offsets
#include <halograph/graph/hetero.hpp>

struct mesh {
  std::size_t num_nodes() const { return 1; }
  void for_each_edge(auto f) const { f(0u, 0u, 0u); }
  std::span<const std::uint64_t> node_type_offsets() const { return {}; }
#ifndef MUST_FAIL
  std::span<const std::uint64_t> edge_type_offsets() const { return {}; }
#endif
};
struct net {
  std::size_t num_nodes() const { return 1; }
  void for_each_edge(auto f) const { f(0u, 0u, 0u); }
  std::span<const std::uint64_t> edge_type_offsets() const { return {}; }
#ifndef MUST_FAIL
  std::span<const std::uint64_t> node_type_offsets() const { return {}; }
#endif
};

template <halograph::typed_graph Graph>
struct reader {};
reader<mesh> a;
reader<net> b;
