// SPDX-License-Identifier: BSL-1.0
/// @file archetypes.hpp
/// The least that each concept asks for, to prove that an algorithm asks for no more.
/// Layer: testing. Words: README.md.
///
/// Archetypes are awkward on purpose: without a default constructor, moved but not copied, odd widths,
/// nothing beyond the concept. `near_miss` holds, for each clause of a concept, a type that lacks that clause
/// alone. Instantiate your algorithm on an archetype; check your concept on the near misses.
#pragma once

#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/partition/partitioner.hpp>
#include <halograph/serial/bytes.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/feature_store.hpp>
#include <halograph/serial/file.hpp>
#include <halograph/serial/json.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace halograph::archetype {

/// Moved, never copied, never made of nothing.
struct awkward {
  awkward() = delete;
  explicit constexpr awkward(int) {}
  awkward(const awkward&) = delete;
  awkward& operator=(const awkward&) = delete;
  awkward(awkward&&) = default;
  awkward& operator=(awkward&&) = default;
};

/// Two ends of an edge; its ID is its position.
template <id Node>
struct ends {
  Node source;
  Node target;
};

namespace detail {
template <id Node, id Edge>
class few_edges : awkward {
 public:
  using node_id = Node;
  using edge_id = Edge;
  constexpr few_edges(std::size_t nodes, std::span<const ends<Node>> edges)
      : awkward(0), nodes_(nodes), edges_(edges) {}
  constexpr std::size_t num_nodes() const { return nodes_; }

 protected:
  template <class F>
  constexpr void visit(F&& f) const {
    for (std::size_t e = 0; e < edges_.size(); ++e) f(edges_[e].source, edges_[e].target, static_cast<Edge>(e));
  }

 private:
  std::size_t nodes_;
  std::span<const ends<Node>> edges_;
};
}  // namespace detail

/// Models `edge_list` alone. Views the caller's edges.
template <id Node = std::int8_t, id Edge = std::uint16_t>
struct edge_list : detail::few_edges<Node, Edge> {
  using detail::few_edges<Node, Edge>::few_edges;
  template <class F>
  constexpr void for_each_edge(F&& f) const {
    this->visit(f);
  }
};

/// Models `in_adjacency` alone. @complexity O(E) each visit
template <id Node = std::int8_t, id Edge = std::uint16_t>
struct in_adjacency : detail::few_edges<Node, Edge> {
  using detail::few_edges<Node, Edge>::few_edges;
  template <id AnyNode, class F>
  constexpr void for_each_in_edge(AnyNode v, F&& f) const {
    this->visit([&](Node source, Node target, Edge e) {
      if (index(target) == index(v)) f(source, e);
    });
  }
};

/// Models `out_adjacency` alone. @complexity O(E) each visit
template <id Node = std::int8_t, id Edge = std::uint16_t>
struct out_adjacency : detail::few_edges<Node, Edge> {
  using detail::few_edges<Node, Edge>::few_edges;
  template <id AnyNode, class F>
  constexpr void for_each_out_edge(AnyNode u, F&& f) const {
    this->visit([&](Node source, Node target, Edge e) {
      if (index(source) == index(u)) f(target, e);
    });
  }
};

/// The least graph: an edge list.
using graph = edge_list<>;

/// Models `executor`: one thread, the last piece first, so that a body that relies on ascending order is
/// found out.
struct executor : awkward {
  using awkward::awkward;
  std::size_t concurrency() const { return 3; }
  template <class Body>
  void parallel_for(std::size_t first, std::size_t last, std::size_t grain, Body&& body) const {
    const std::size_t step = grain == 0 ? 1 : grain;
    while (first < last) {
      const std::size_t count = (last - first) / step;  // a last piece below the grain joins its neighbour
      const std::size_t begin = count <= 1 ? first : first + (count - 1) * step;
      body(begin, last);
      last = begin;
    }
  }
};

/// Models `byte_sink`: writes to the caller's memory; capacity beyond it.
class byte_sink : awkward {
 public:
  explicit byte_sink(std::span<std::byte> out) : awkward(0), out_(out) {}
  status write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
    if (offset > out_.size() || bytes.size() > out_.size() - offset) return status::capacity.at(offset + bytes.size());
    std::copy(bytes.begin(), bytes.end(), out_.begin() + static_cast<std::ptrdiff_t>(offset));
    return status::ok;
  }

 private:
  std::span<std::byte> out_;
};

/// Models `byte_source` but not `memory_source`: its bytes can be read, not seen.
class byte_source : awkward {
 public:
  explicit byte_source(std::span<const std::byte> bytes) : awkward(0), source_(bytes) {}
  std::uint64_t size() const { return source_.size(); }
  status read_at(std::uint64_t offset, std::span<std::byte> out) const { return source_.read_at(offset, out); }

 private:
  span_source source_;
};

/// Models `feature_store`: row i is the int16 number i, twice.
class feature_store : awkward {
 public:
  explicit feature_store(std::uint64_t rows) : awkward(0), rows_(rows) {}
  dtype type() const { return dtype::int16; }
  std::uint64_t rows() const { return rows_; }
  std::span<const std::uint64_t> row_shape() const { return {&pair_, 1}; }
  template <id Id>
  status gather(std::span<const Id> ids, std::span<std::byte> out) const {
    if (out.size() < ids.size() * 4) return status::capacity.at(ids.size() * 4);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (index(ids[i]) >= rows_) return status::out_of_range.at(i);
      const std::int16_t row[2]{static_cast<std::int16_t>(ids[i]), static_cast<std::int16_t>(ids[i])};
      std::memcpy(out.data() + i * 4, row, 4);
    }
    return status::ok;
  }

 private:
  std::uint64_t rows_;
  static constexpr std::uint64_t pair_ = 2;
};

/// Models `file_opener`: every file holds the same bytes, kept by the caller.
class file_opener : awkward {
 public:
  explicit file_opener(std::span<const std::byte> content) : awkward(0), content_(content) {}
  file_bytes operator()(const std::string&) const { return {content_, {}}; }

 private:
  std::span<const std::byte> content_;
};

/// Models `json_codec` for one document: null.
struct json_codec : awkward {
  using awkward::awkward;
  status parse(std::string_view text, json::value& out) const {
    if (text != "null") return status::malformed.at(0);
    out = json::value{};
    return status::ok;
  }
};

/// Models `partitioner`: everything in part 0 of 1.
struct partitioner : awkward {
  using awkward::awkward;
  using part = std::uint8_t;
  template <class Graph>
  constexpr status assign(const Graph& g, std::span<part> owner) const {
    if (owner.size() != halograph::num_nodes(g)) return status::mismatch.at(halograph::num_nodes(g));
    for (auto& one : owner) one = 0;
    return status::ok;
  }
};

}  // namespace halograph::archetype

namespace halograph::near_miss {

/// Edges, but no num_nodes.
struct graph_without_nodes {
  template <class F>
  void for_each_edge(F&&) const {}
};
/// Nodes, but no way to the edges.
struct graph_without_edges {
  std::size_t num_nodes() const { return 0; }
};
/// Its node IDs are characters.
struct graph_of_characters {
  using node_id = char;
  std::size_t num_nodes() const { return 0; }
  template <class F>
  void for_each_edge(F&&) const {}
};
/// Visits its edges, but only where it may change itself.
struct graph_not_const {
  std::size_t num_nodes() const { return 0; }
  template <class F>
  void for_each_edge(F&&) {}
};

/// Does not take a grain.
struct executor_without_grain {
  std::size_t concurrency() const { return 1; }
  template <class Body>
  void parallel_for(std::size_t, std::size_t, Body&&) const {}
};
/// Does not say how many run at once.
struct executor_without_concurrency {
  template <class Body>
  void parallel_for(std::size_t, std::size_t, std::size_t, Body&&) const {}
};

/// Answers with something other than a status.
struct byte_sink_of_bool {
  bool write_at(std::uint64_t, std::span<const std::byte>) { return true; }
};
/// Does not know its size.
struct byte_source_without_size {
  status read_at(std::uint64_t, std::span<std::byte>) const { return status::ok; }
};
/// Reads only where it may change itself.
struct byte_source_not_const {
  std::uint64_t size() const { return 0; }
  status read_at(std::uint64_t, std::span<std::byte>) { return status::ok; }
};

/// Does not say what a row is.
struct feature_store_without_shape {
  dtype type() const { return dtype::int8; }
  std::uint64_t rows() const { return 0; }
  status gather(std::span<const std::uint64_t>, std::span<std::byte>) const { return status::ok; }
};
/// Rows cannot be fetched.
struct feature_store_without_gather {
  dtype type() const { return dtype::int8; }
  std::uint64_t rows() const { return 0; }
  std::span<const std::uint64_t> row_shape() const { return {}; }
};

/// Gives a span that nobody keeps alive.
struct file_opener_of_span {
  std::span<const std::byte> operator()(const std::string&) const { return {}; }
};

/// Returns the document instead of a status.
struct json_codec_by_value {
  json::value parse(std::string_view) const { return {}; }
};

/// Does not name its part type.
struct partitioner_without_part {
  template <class Graph>
  status assign(const Graph&, std::span<part_id>) const { return status::ok; }
};
/// Parts are signed.
struct partitioner_of_signed_parts {
  using part = int;
  template <class Graph>
  status assign(const Graph&, std::span<part>) const { return status::ok; }
};
/// Assigns only where it may change itself.
struct partitioner_not_const {
  using part = part_id;
  template <class Graph>
  status assign(const Graph&, std::span<part>) { return status::ok; }
};
/// Answers nothing.
struct partitioner_of_void {
  using part = part_id;
  template <class Graph>
  void assign(const Graph&, std::span<part>) const {}
};

}  // namespace halograph::near_miss
