// SPDX-License-Identifier: BSL-1.0
/// @file archetypes.hpp
/// The least that each concept asks for, to prove that an algorithm asks for no more.
/// Layer: testing. Words: README.md.
///
/// Archetypes are awkward on purpose: without a default constructor, moved but not copied, odd
/// widths, nothing beyond the concept. `near_miss` holds, for each clause of a concept, a type that
/// lacks that clause alone. Instantiate your algorithm on an archetype; check your concept on the
/// near misses.
#pragma once

#include <halograph/core/communicator.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/graph/generators.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/partition/partitioner.hpp>
#include <halograph/partition/streaming.hpp>
#include <halograph/relabel/order.hpp>
#include <halograph/schema/type_offsets.hpp>
#include <halograph/serial/bytes.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/feature_store.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/layout.hpp>
#include <halograph/serial/native.hpp>
#include <halograph/serial/serializer.hpp>
#include <halograph/serial/table.hpp>
#include <halograph/testing/thread_ranks.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

/// Models `id_row` and `selection`: views the caller's integers.
template <id Id = std::int8_t>
class id_row : awkward {
 public:
  explicit constexpr id_row(std::span<const Id> ids) : awkward(0), ids_(ids) {}
  constexpr const Id* begin() const { return ids_.data(); }
  constexpr const Id* end() const { return ids_.data() + ids_.size(); }

 private:
  std::span<const Id> ids_;
};

/// Models `id_output`: views the caller's memory, and only where it may change itself.
template <id Id = std::int8_t>
class id_output : awkward {
 public:
  explicit constexpr id_output(std::span<Id> ids) : awkward(0), ids_(ids) {}
  constexpr Id* begin() { return ids_.data(); }
  constexpr Id* end() { return ids_.data() + ids_.size(); }

 private:
  std::span<Id> ids_;
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
    for (std::size_t e = 0; e < edges_.size(); ++e)
      f(edges_[e].source, edges_[e].target, static_cast<Edge>(e));
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

/// Models `sliced_edge_list`. Views the caller's edges.
template <id Node = std::int8_t, id Edge = std::uint16_t>
struct sliced_edge_list : edge_list<Node, Edge> {
  using edge_list<Node, Edge>::edge_list;
  template <class F>
  friend constexpr void for_each_edge_between(const sliced_edge_list& g, std::size_t first,
                                              std::size_t last, F&& f) {
    g.visit([&](Node source, Node target, Edge e) {
      if (index(e) >= first && index(e) < last) f(source, target, e);
    });
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

/// Rows of in-neighbors without edge IDs: models `edge_list`, edges numbered by position.
/// @complexity O(E) each visit
template <id Node = std::int8_t, id Edge = std::uint16_t>
struct in_neighbors : detail::few_edges<Node, Edge> {
  using detail::few_edges<Node, Edge>::few_edges;
  template <class F>
  constexpr void for_each_in_neighbor(Node v, F&& f) const {
    this->visit([&](Node source, Node target, Edge) {
      if (target == v) f(source);
    });
  }
};

/// The same of out-neighbors.
template <id Node = std::int8_t, id Edge = std::uint16_t>
struct out_neighbors : detail::few_edges<Node, Edge> {
  using detail::few_edges<Node, Edge>::few_edges;
  template <class F>
  constexpr void for_each_out_neighbor(Node u, F&& f) const {
    this->visit([&](Node source, Node target, Edge) {
      if (source == u) f(target);
    });
  }
};

/// The least graph: an edge list.
using graph = edge_list<>;

/// Models `typed_graph`: an edge list that tells where its types start.
class typed_graph : public edge_list<> {
 public:
  constexpr typed_graph(std::size_t nodes, std::span<const ends<std::int8_t>> edges,
                        std::span<const std::uint64_t> node_offsets,
                        std::span<const std::uint64_t> edge_offsets)
      : edge_list<>(nodes, edges), node_offsets_(node_offsets), edge_offsets_(edge_offsets) {}
  constexpr std::span<const std::uint64_t> node_type_offsets() const { return node_offsets_; }
  constexpr std::span<const std::uint64_t> edge_type_offsets() const { return edge_offsets_; }

 private:
  std::span<const std::uint64_t> node_offsets_;
  std::span<const std::uint64_t> edge_offsets_;
};

/// Models `generate::generator`: a ring.
class generator : awkward {
 public:
  explicit constexpr generator(std::uint64_t nodes) : awkward(0), nodes_(nodes) {}
  constexpr std::uint64_t num_nodes() const { return nodes_; }
  constexpr std::uint64_t num_edges() const { return nodes_; }
  constexpr generate::ends edge(std::uint64_t i) const { return {i, i + 1 == nodes_ ? 0 : i + 1}; }
  constexpr status validate() const { return status::ok; }

 private:
  std::uint64_t nodes_;
};

/// Models `halo_output`: keeps what fits the caller's memory.
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

/// Models `communicator`: one of the ranks of run_ranks, and no more than the concept.
class communicator : awkward {
 public:
  explicit communicator(const thread_rank& ranks) : awkward(0), ranks_(&ranks) {}
  std::uint16_t rank() const { return static_cast<std::uint16_t>(ranks_->rank()); }
  std::uint16_t size() const { return static_cast<std::uint16_t>(ranks_->size()); }
  status barrier() const { return ranks_->barrier(); }
  status broadcast(std::span<std::byte> data, std::size_t root) const {
    return ranks_->broadcast(data, root);
  }
  status all_gather(std::span<const std::byte> mine, std::span<std::byte> all) const {
    return ranks_->all_gather(mine, all);
  }
  status all_to_all(std::span<const std::byte> out, std::span<const std::uint64_t> out_counts,
                    std::span<std::byte> in, std::span<const std::uint64_t> in_counts) const {
    return ranks_->all_to_all(out, out_counts, in, in_counts);
  }
  status sum(std::span<std::uint64_t> values) const { return ranks_->sum(values); }

 private:
  const thread_rank* ranks_;
};

/// Models `executor`: one thread, the last piece first, so that a body that relies on ascending
/// order is found out.
struct executor : awkward {
  using awkward::awkward;
  std::size_t concurrency() const { return 3; }
  template <class Body>
  void parallel_for(std::size_t first, std::size_t last, std::size_t grain, Body&& body) const {
    const std::size_t step = grain == 0 ? 1 : grain;
    while (first < last) {
      const std::size_t count = (last - first) /
                                step;  // a last piece below the grain joins its neighbor
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
    if (offset > out_.size() || bytes.size() > out_.size() - offset)
      return status::capacity.at(offset + bytes.size());
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
  status read_at(std::uint64_t offset, std::span<std::byte> out) const {
    return source_.read_at(offset, out);
  }

 private:
  span_source source_;
};

/// Models `memory_source`: its bytes can be read and seen.
class memory_source : public byte_source {
 public:
  explicit memory_source(std::span<const std::byte> bytes) : byte_source(bytes), bytes_(bytes) {}
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
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
      const std::int16_t row[2]{static_cast<std::int16_t>(ids[i]),
                                static_cast<std::int16_t>(ids[i])};
      std::memcpy(out.data() + i * 4, row, 4);
    }
    return status::ok;
  }

 private:
  std::uint64_t rows_;
  static constexpr std::uint64_t pair_ = 2;
};

/// Models `file_opener`: every file holds the same bytes, kept by the caller; or whatever a
/// function opens.
class file_opener : awkward {
 public:
  explicit file_opener(std::span<const std::byte> content)
      : awkward(0), open_([content](const std::string&) { return file_bytes{content, {}}; }) {}
  explicit file_opener(std::function<file_bytes(const std::string&)> open)
      : awkward(0), open_(std::move(open)) {}
  file_bytes operator()(const std::string& path) const { return open_(path); }

 private:
  std::function<file_bytes(const std::string&)> open_;
};

/// Models `json_codec`: parses as a function does, or one document, null.
class json_codec : awkward {
 public:
  using parser = std::function<status(std::string_view, json::value&)>;
  explicit json_codec(int)
      : json_codec([](std::string_view text, json::value& out) {
          out = json::value{};
          return text == "null" ? status::ok : status::malformed.at(0);
        }) {}
  explicit json_codec(parser parse) : awkward(0), parse_(std::move(parse)) {}
  status parse(std::string_view text, json::value& out) const { return parse_(text, out); }

 private:
  parser parse_;
};

/// Models `serializer`: our own files under another name.
struct serializer : awkward {
  using awkward::awkward;
  std::string_view name() const { return "archetype"; }
  part_layout layout(const part_description& plan) const {
    return native_serializer{}.layout(plan);
  }
  loaded_structure read_structure(const file_bytes& bytes, const std::string& file) const {
    return native_serializer{}.read_structure(bytes, file);
  }
  std::vector<named_tensor> read_features(const file_bytes& bytes, const std::string& file) const {
    return native_serializer{}.read_features(bytes, file);
  }
};

/// Files in memory: what `partition_target` writes and `file_opener` opens.
struct files {
  std::mutex guard{};
  std::map<std::string, std::vector<std::byte>> content{};
  bool committed = false;
};

/// Models `partition_target`: writes into `files`.
class partition_target : awkward {
 public:
  explicit partition_target(files& into) : awkward(0), into_(&into) {}

  class output : awkward {
   public:
    explicit output(files& into) : awkward(0), into_(&into) {}
    byte_sink create(const std::string& name, std::uint64_t bytes) {
      const std::lock_guard lock(into_->guard);
      auto& file = into_->content[name];
      file.assign(static_cast<std::size_t>(bytes), std::byte{0});
      return byte_sink(file);
    }
    void commit(std::string_view) { into_->committed = true; }

   private:
    files* into_;
  };

  serializer format() const { return serializer(0); }
  output begin() const { return output(*into_); }

 private:
  files* into_;
};

/// Models `partitioner`: everything in part 0 of 1.
struct partitioner : awkward {
  using awkward::awkward;
  using part = std::uint8_t;
  template <class Graph>
  constexpr status assign(const Graph& g, std::span<part> owner) const {
    if (owner.size() != halograph::num_nodes(g))
      return status::mismatch.at(halograph::num_nodes(g));
    for (auto& one : owner) one = 0;
    return status::ok;
  }
};

/// Models `distributed_partitioner` and not `partitioner`: everything in part 0 of 1.
struct distributed_partitioner : awkward {
  using awkward::awkward;
  using part = std::uint8_t;
  template <halograph::communicator Communicator, class Graph>
  status assign(const Communicator& ranks, const Graph& local, std::span<part> owner) const {
    const std::size_t nodes = local.num_nodes();
    if (const status all = agree(ranks,
                                 owner.size() == nodes ? status::ok : status::mismatch.at(nodes));
        !all)
      return all;
    for (auto& one : owner) one = 0;
    return status::ok;
  }
};

/// Models every optional ability of a partitioner: everything in the last part.
struct able_partitioner : awkward {
  using awkward::awkward;
  using part = std::uint8_t;
  std::uint16_t parts = 1;
  std::uint64_t seed = 0;
  std::span<const std::int64_t> edge_weights{};
  std::span<const constraint> constraints{};
  float tolerance = 0;
  bool balance_types = true;
  stream_order order = stream_order::shuffled;
  static constexpr const char* name = "able";

  template <class Graph>
  constexpr status assign(const Graph& g, std::span<part> owner) const {
    if (const status ok = check_parts<part>(parts, halograph::num_nodes(g), owner); !ok) return ok;
    for (auto& one : owner) one = static_cast<part>(parts - 1);
    return status::ok;
  }
  std::string explain(status) const { return {}; }
};

/// Models `streaming_partitioner` and not `partitioner`: everything in part 0 of 1.
struct streaming_partitioner : awkward {
  using awkward::awkward;
  using part = std::uint8_t;
  class stream {
   public:
    stream() = default;
    stream(const stream&) = delete;
    stream& operator=(const stream&) = delete;
    stream(stream&&) = default;
    stream& operator=(stream&&) = default;
    template <class Neighbors>
    status push(std::uint64_t v, Neighbors&& neighbors) {
      if (v >= owner_.size()) return status::out_of_range.at(v);
      neighbors([](auto) {});
      owner_[static_cast<std::size_t>(v)] = 0;
      return status::ok;
    }

   private:
    friend struct streaming_partitioner;
    std::span<part> owner_{};
  };
  std::size_t stream_scratch_size(const stream_shape&) const { return 1; }
  status begin(const stream_shape& shape, std::span<part> owner, std::span<std::uint64_t> memory,
               stream& out) const {
    if (owner.size() != shape.nodes) return status::mismatch.at(shape.nodes);
    if (memory.empty()) return status::capacity.at(1);
    out.owner_ = owner;
    return status::ok;
  }
};

/// Models `refiner` and not `partitioner`: every node moves to the next of two parts.
struct refiner : awkward {
  using awkward::awkward;
  using part = std::uint8_t;
  template <class Graph>
  constexpr status refine(const Graph& g, std::span<part> owner) const {
    if (owner.size() != halograph::num_nodes(g))
      return status::mismatch.at(halograph::num_nodes(g));
    for (std::size_t v = 0; v < owner.size(); ++v) {
      if (owner[v] > 1) return status::out_of_range.at(v);
    }
    for (auto& one : owner) one = static_cast<part>(1 - one);
    return status::ok;
  }
};

/// Models `assigns_in_memory`: a partitioner that needs one word of memory.
struct partitioner_in_memory : partitioner {
  using partitioner::assign;
  using partitioner::partitioner;
  template <class Graph>
  constexpr std::uint16_t assign_scratch_size(const Graph&) const {
    return 1;
  }
  template <class Graph, class Context>
    requires(Context::has_memory)
  constexpr status assign(const Graph& g, std::span<part> owner, const Context& context) const {
    if (context.memory().empty()) return status::capacity.at(1);
    context.memory()[0] = 0;
    return assign(g, owner);
  }
};

/// Models `node_order`: the nodes of each cell, backwards.
struct node_order : awkward {
  using awkward::awkward;
  constexpr order_sizes sizes(std::size_t, std::size_t) const { return {}; }
  template <class Graph, unsigned_id Part, id Node>
  constexpr status arrange(const Graph&, const node_cells<Part, Node>& cells,
                           order_scratch<Node>) const {
    for (std::size_t cell = 0; cell + 1 < cells.bounds.size(); ++cell) {
      std::reverse(cells.nodes.begin() + static_cast<std::ptrdiff_t>(cells.bounds[cell]),
                   cells.nodes.begin() + static_cast<std::ptrdiff_t>(cells.bounds[cell + 1]));
    }
    return status::ok;
  }
};

/// Models `error_hook`: forgets what it is told.
struct error_hook {
  error_hook() = default;
  error_hook(const error_hook&) = delete;
  error_hook& operator=(const error_hook&) = delete;
  constexpr void operator()(status, const char*) const {}
};

/// Models `table_reader` and `table_writer`: tables in memory, two rows at a time.
class tables : awkward {
 public:
  struct table {
    table_info info{};
    std::vector<std::vector<std::byte>> columns{};  ///< [columns] values of all rows
  };
  using all_tables = std::map<std::string, table>;
  explicit tables(all_tables& all) : awkward(0), all_(&all) {}

  table_info examine(const std::string& path) const { return found(path).info; }
  template <class Sink>
  void read(const std::string& path, const table_info&, std::uint64_t first, std::uint64_t last,
            Sink&& sink) const {
    const table& from = found(path);
    for (; first < last; first += 2) {
      const std::uint64_t rows = std::min<std::uint64_t>(2, last - first);
      std::vector<table_values> values;
      for (std::size_t c = 0; c < from.columns.size(); ++c) {
        const std::size_t width = row_bytes(from.info.columns[c]);
        values.push_back(
            {from.info.columns[c].type, std::span<const std::byte>(from.columns[c])
                                            .subspan(static_cast<std::size_t>(first) * width,
                                                     static_cast<std::size_t>(rows) * width)});
      }
      sink(first, rows, std::span<const table_values>(values));
    }
  }
  template <class Source>
  void write(const std::string& path, std::span<const table_column> columns,
             const std::optional<std::string>& shape, std::uint64_t rows, Source&& source) const {
    table made{{rows, {columns.begin(), columns.end()}, {rows}, shape}, {}};
    for (const auto& column : columns)
      made.columns.emplace_back(static_cast<std::size_t>(rows) * row_bytes(column));
    for (std::uint64_t first = 0; first < rows; first += 2) {
      const std::uint64_t count = std::min<std::uint64_t>(2, rows - first);
      std::vector<std::span<std::byte>> out;
      for (std::size_t c = 0; c < columns.size(); ++c) {
        const std::size_t width = row_bytes(columns[c]);
        out.push_back(std::span<std::byte>(made.columns[c])
                          .subspan(static_cast<std::size_t>(first) * width,
                                   static_cast<std::size_t>(count) * width));
      }
      source(first, count, std::span<const std::span<std::byte>>(out));
    }
    (*all_)[path] = std::move(made);
  }

 private:
  static std::size_t row_bytes(const table_column& column) {
    return static_cast<std::size_t>(column.width) * item_bytes(column.type);
  }
  const table& found(const std::string& path) const {
    const auto one = all_->find(path);
    if (one == all_->end()) raise(errc::not_found, "there is no such table", {path, {}, {}});
    return one->second;
  }
  all_tables* all_;
};

/// Models `ownership`: IDs of one type dealt to two parts in turn.
class ownership : awkward {
 public:
  using id_type = std::int8_t;
  explicit constexpr ownership(std::uint64_t ids) : awkward(0), ids_(ids) {}
  constexpr std::uint8_t num_parts() const { return 2; }
  constexpr std::uint8_t num_types() const { return 1; }
  constexpr std::uint64_t size() const { return ids_; }
  constexpr std::uint64_t size(type_id) const { return ids_; }
  constexpr std::uint64_t count(std::size_t p) const { return (ids_ + 1 - p) / 2; }
  constexpr std::uint64_t count(std::size_t p, type_id) const { return count(p); }
  constexpr id_type nth(std::size_t p, std::uint64_t k) const {
    return static_cast<id_type>(2 * k + p);
  }
  constexpr id_type nth(std::size_t p, type_id, std::uint64_t k) const { return nth(p, k); }
  constexpr status part_of(id_type x, part_id& out) const {
    if (index(x) >= ids_) return status::out_of_range;
    out = static_cast<part_id>(x % 2);
    return status::ok;
  }
  constexpr status part_of(type_id, id_type x, part_id& out) const { return part_of(x, out); }
  constexpr status to_typed(id_type x, typed_id<id_type>& out) const {
    if (index(x) >= ids_) return status::out_of_range;
    out = {0, x};
    return status::ok;
  }
  constexpr status to_global(type_id t, id_type x, id_type& out) const {
    if (t != 0 || index(x) >= ids_) return status::out_of_range;
    out = x;
    return status::ok;
  }
  constexpr status to_local(std::size_t p, id_type x, id_type& out) const {
    if (index(x) >= ids_ || index(x) % 2 != p) return status::out_of_range;
    out = static_cast<id_type>(x / 2);
    return status::ok;
  }
  constexpr status to_local(std::size_t p, type_id, id_type x, id_type& out) const {
    return to_local(p, x, out);
  }

 private:
  std::uint64_t ids_;
};

/// Models `partition_book_like`.
class partition_book : awkward {
 public:
  constexpr partition_book(std::uint64_t nodes, std::uint64_t edges)
      : awkward(0), nodes_(nodes), edges_(edges) {}
  constexpr const ownership& nodes() const { return nodes_; }
  constexpr const ownership& edges() const { return edges_; }

 private:
  ownership nodes_;
  ownership edges_;
};

}  // namespace halograph::archetype

namespace halograph::near_miss {

/// Not every integer names a thing.
using id_that_is_bool = bool;
using id_that_is_a_character = char;
using id_that_is_no_integer = double;
/// Signed.
using unsigned_id_that_is_signed = int;
/// Elements that lie here and there.
template <id Id>
struct id_row_in_pieces {
  struct iterator {
    using value_type = Id;
    using difference_type = std::ptrdiff_t;
    Id operator*() const { return 0; }
    iterator& operator++() { return *this; }
    iterator operator++(int) { return *this; }
    bool operator==(const iterator&) const { return true; }
  };
  iterator begin() const { return {}; }
  iterator end() const { return {}; }
};
/// Contiguous, but not of IDs.
struct id_row_of_characters {
  const char* begin() const { return nullptr; }
  const char* end() const { return nullptr; }
};
/// Cannot be written.
struct id_output_of_const {
  const int* begin() { return nullptr; }
  const int* end() { return nullptr; }
};
/// Numbers that are no integers.
struct selection_of_numbers {
  const double* begin() const { return nullptr; }
  const double* end() const { return nullptr; }
};

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

/// Lists neighbors, but only where it may change itself.
struct neighbors_not_const {
  std::size_t num_nodes() const { return 0; }
  template <class F>
  void for_each_in_neighbor(std::uint64_t, F&&) {}
};
/// Lists neighbors beside edge IDs by target, which a number by position would contradict.
struct neighbors_beside_edge_ids {
  std::size_t num_nodes() const { return 0; }
  template <class F>
  void for_each_in_edge(std::uint64_t, F&&) const {}
  template <class F>
  void for_each_out_neighbor(std::uint64_t, F&&) const {}
};
/// Knows its edges by target, not as a list.
struct edge_list_by_target {
  std::size_t num_nodes() const { return 0; }
  template <class F>
  void for_each_in_edge(std::uint64_t, F&&) const {}
};
/// Visits all its edges, not some.
struct sliced_edge_list_without_slices : archetype::edge_list<> {};
/// Knows its edges by source alone.
struct in_adjacency_by_source {
  std::size_t num_nodes() const { return 0; }
  template <class F>
  void for_each_out_edge(std::uint64_t, F&&) const {}
};
/// Knows its edges as a list alone.
struct out_adjacency_as_list {
  std::size_t num_nodes() const { return 0; }
  template <class F>
  void for_each_edge(F&&) const {}
};
/// A graph whose nodes have no types.
struct typed_graph_without_node_types : out_adjacency_as_list {
  std::span<const std::uint64_t> edge_type_offsets() const { return {}; }
};
/// A graph whose edges have no types.
struct typed_graph_without_edge_types : out_adjacency_as_list {
  std::span<const std::uint64_t> node_type_offsets() const { return {}; }
};
/// Types, and no graph.
struct typed_graph_without_graph {
  std::span<const std::uint64_t> node_type_offsets() const { return {}; }
  std::span<const std::uint64_t> edge_type_offsets() const { return {}; }
};

/// Counts in int.
struct generator_of_int_counts {
  int num_nodes() const { return 0; }
  int num_edges() const { return 0; }
  generate::ends edge(std::uint64_t) const { return {}; }
  status validate() const { return status::ok; }
};
/// Its edges are pairs.
struct generator_of_pairs {
  std::uint64_t num_nodes() const { return 0; }
  std::uint64_t num_edges() const { return 0; }
  std::pair<int, int> edge(std::uint64_t) const { return {}; }
  status validate() const { return status::ok; }
};
/// Does not say whether its options can be right.
struct generator_without_validate {
  std::uint64_t num_nodes() const { return 0; }
  std::uint64_t num_edges() const { return 0; }
  generate::ends edge(std::uint64_t) const { return {}; }
};

/// Takes nodes, and does not give them back.
struct halo_output_without_nodes {
  bool node(int) { return true; }
  bool edge(unsigned, unsigned, int, bool) { return true; }
  void hop(std::size_t) {}
};
/// Is not told whether an edge is inner.
struct halo_output_of_plain_edges {
  bool node(int) { return true; }
  int halo_node(std::size_t) const { return 0; }
  bool edge(unsigned, unsigned, int) { return true; }
  void hop(std::size_t) {}
};
/// Does not hear of hops.
struct halo_output_without_hops {
  bool node(int) { return true; }
  int halo_node(std::size_t) const { return 0; }
  bool edge(unsigned, unsigned, int, bool) { return true; }
};

/// Does not say how many ranks there are.
class communicator_without_size : public single_rank {
  using single_rank::size;
};
/// Never waits.
class communicator_without_barrier : public single_rank {
  using single_rank::barrier;
};
/// Broadcasts from rank 0 alone.
struct communicator_without_root : single_rank {
  status broadcast(std::span<std::byte>) const { return status::ok; }
};
/// Gathers into nothing.
struct communicator_of_one_length : single_rank {
  status all_gather(std::span<std::byte>) const { return status::ok; }
};
/// Counts as MPI does.
struct communicator_of_int_counts : single_rank {
  status all_to_all(std::span<const std::byte>, std::span<const int>, std::span<std::byte>,
                    std::span<const int>) const {
    return status::ok;
  }
};
/// Sums only where it may change itself.
struct communicator_not_const : single_rank {
  status sum(std::span<std::uint64_t>) { return status::ok; }
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

/// Reads, and shows nothing.
struct memory_source_without_bytes {
  std::uint64_t size() const { return 0; }
  status read_at(std::uint64_t, std::span<std::byte>) const { return status::ok; }
};
/// Shows, and does not read.
struct memory_source_without_read {
  std::uint64_t size() const { return 0; }
  std::span<const std::byte> bytes() const { return {}; }
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

/// What a serializer does but for one thing.
struct serializer_without_name {
  part_layout layout(const part_description&) const { return {}; }
  loaded_structure read_structure(const file_bytes&, const std::string&) const { return {}; }
  std::vector<named_tensor> read_features(const file_bytes&, const std::string&) const {
    return {};
  }
};
struct serializer_without_layout {
  std::string_view name() const { return {}; }
  loaded_structure read_structure(const file_bytes&, const std::string&) const { return {}; }
  std::vector<named_tensor> read_features(const file_bytes&, const std::string&) const {
    return {};
  }
};
struct serializer_without_structure {
  std::string_view name() const { return {}; }
  part_layout layout(const part_description&) const { return {}; }
  std::vector<named_tensor> read_features(const file_bytes&, const std::string&) const {
    return {};
  }
};
struct serializer_without_features {
  std::string_view name() const { return {}; }
  part_layout layout(const part_description&) const { return {}; }
  loaded_structure read_structure(const file_bytes&, const std::string&) const { return {}; }
};

/// Its format is a word.
struct partition_target_of_words {
  struct output {
    memory_sink create(const std::string&, std::uint64_t) { return {}; }
    void commit(std::string_view) {}
  };
  std::string_view format() const { return {}; }
  output begin() const { return {}; }
};
/// Its output cannot be finished.
struct partition_target_without_commit {
  struct output {
    memory_sink create(const std::string&, std::uint64_t) { return {}; }
  };
  native_serializer format() const { return {}; }
  output begin() const { return {}; }
};

/// Parts as a function, which no host can set.
struct names_parts_by_function {
  std::uint64_t parts() const { return 1; }
};
/// A seed that is settled.
struct takes_seed_never {
  const std::uint64_t seed = 1;
};
/// Weights that may be changed where the host's may not.
struct takes_edge_weights_to_write {
  std::span<std::int64_t> edge_weights{};
};
/// Constraints that may be changed where the host's may not.
struct takes_constraints_to_write {
  std::span<constraint> constraints{};
};
/// A tolerance for each constraint.
struct takes_tolerance_of_each {
  std::span<const double> tolerance{};
};
/// Balances types or not, and cannot be told.
struct balances_types_always {
  static constexpr bool balance_types = true;
};
/// Orders by a number.
struct chooses_order_by_number {
  int order = 0;
};
/// Every policy has a name of its own.
struct named_policy_each {
  std::string name = "mine";
};
/// Explains nothing in particular.
struct explains_status_at_large {
  std::string explain() const { return {}; }
};

namespace detail {
struct deaf_stream {};
struct open_stream {
  template <class Neighbors>
  status push(std::uint64_t, Neighbors&&) {
    return status::ok;
  }
};
template <class Part, class Stream>
struct nearly_streaming {
  using part = Part;
  using stream = Stream;
  std::size_t stream_scratch_size(const stream_shape&) const { return 0; }
  status begin(const stream_shape&, std::span<part>, std::span<std::uint64_t>, stream&) const {
    return status::ok;
  }
};
}  // namespace detail
/// Parts are signed.
using streaming_of_signed_parts = detail::nearly_streaming<int, detail::open_stream>;
/// Its streams have no type that could be named.
struct streaming_without_stream {
  using part = part_id;
  std::size_t stream_scratch_size(const stream_shape&) const { return 0; }
  template <class Stream>
  status begin(const stream_shape&, std::span<part>, std::span<std::uint64_t>, Stream&) const {
    return status::ok;
  }
};
/// Its streams cannot be made of nothing.
using streaming_of_awkward_streams = detail::nearly_streaming<part_id, archetype::awkward>;
/// Does not say how much memory it takes.
struct streaming_without_words {
  using part = part_id;
  using stream = detail::open_stream;
  status begin(const stream_shape&, std::span<part>, std::span<std::uint64_t>, stream&) const {
    return status::ok;
  }
};
/// Takes no memory of the caller.
struct streaming_without_memory {
  using part = part_id;
  using stream = detail::open_stream;
  std::size_t stream_scratch_size(const stream_shape&) const { return 0; }
  status begin(const stream_shape&, std::span<part>, stream&) const { return status::ok; }
};
/// Its streams take no nodes.
using streaming_without_neighbors = detail::nearly_streaming<part_id, detail::deaf_stream>;

/// Gives parts that are signed.
struct distributed_of_signed_parts {
  using part = int;
  template <class Communicator, class Graph>
  status assign(const Communicator&, const Graph&, std::span<part>) const {
    return status::ok;
  }
};
/// Assigns without ranks.
struct distributed_without_ranks {
  using part = part_id;
  template <class Graph>
  status assign(const Graph&, std::span<part>) const {
    return status::ok;
  }
};

/// Refines parts that are signed.
struct refiner_of_signed_parts {
  using part = int;
  template <class Graph>
  status refine(const Graph&, std::span<part>) const {
    return status::ok;
  }
};
/// Refines only where it may change itself.
struct refiner_not_const {
  using part = part_id;
  template <class Graph>
  status refine(const Graph&, std::span<part>) {
    return status::ok;
  }
};

/// Uses a context, and does not say how many words of memory it needs.
struct assigns_in_memory_without_size : archetype::partitioner {
  template <class Graph, class Context>
  status assign(const Graph&, std::span<part>, const Context&) const {
    return status::ok;
  }
};
/// Says how many words it needs, and takes no context.
struct assigns_in_memory_without_context : archetype::partitioner {
  template <class Graph>
  std::size_t assign_scratch_size(const Graph&) const {
    return 0;
  }
};

/// Does not say what memory it works in.
struct node_order_without_sizes {
  template <class Graph, class Cells, class Scratch>
  status arrange(const Graph&, const Cells&, Scratch) const {
    return status::ok;
  }
};
/// Does not look at the graph.
struct node_order_without_graph {
  order_sizes sizes(std::size_t, std::size_t) const { return {}; }
  template <class Cells, class Scratch>
  status arrange(const Cells&, Scratch) const {
    return status::ok;
  }
};

/// Is not told which step failed.
struct error_hook_without_step {
  void operator()(status) const {}
};
/// Cannot be made of nothing.
struct error_hook_with_log : archetype::awkward {
  void operator()(status, const char*) const {}
};

/// Reads tables without telling what they hold.
struct table_reader_without_examine {
  template <class Sink>
  void read(const std::string&, const table_info&, std::uint64_t, std::uint64_t, Sink&&) const {}
};
/// Tells what tables hold without reading them.
struct table_reader_without_read {
  table_info examine(const std::string&) const { return {}; }
};
/// Writes tables without metadata.
struct table_writer_without_shape {
  template <class Source>
  void write(const std::string&, std::span<const table_column>, std::uint64_t, Source&&) const {}
};

/// Names no type of IDs.
struct ownership_without_ids {};
/// Names its IDs, and counts nothing.
struct ownership_without_counts {
  using id_type = int;
  status part_of(int, part_id&) const { return status::ok; }
  status part_of(type_id, int, part_id&) const { return status::ok; }
  status to_typed(int, typed_id<int>&) const { return status::ok; }
  status to_global(type_id, int, int&) const { return status::ok; }
  status to_local(std::size_t, int, int&) const { return status::ok; }
  status to_local(std::size_t, type_id, int, int&) const { return status::ok; }
};
namespace detail {
struct counted {
  using id_type = int;
  std::size_t num_parts() const { return 0; }
  std::size_t num_types() const { return 0; }
  std::uint64_t size() const { return 0; }
  std::uint64_t size(type_id) const { return 0; }
  std::uint64_t count(std::size_t) const { return 0; }
  std::uint64_t count(std::size_t, type_id) const { return 0; }
  int nth(std::size_t, std::uint64_t) const { return 0; }
  int nth(std::size_t, type_id, std::uint64_t) const { return 0; }
};
}  // namespace detail
/// Finds the part of a global ID alone.
struct ownership_without_typed_part : detail::counted {
  status part_of(int, part_id&) const { return status::ok; }
  status to_typed(int, typed_id<int>&) const { return status::ok; }
  status to_global(type_id, int, int&) const { return status::ok; }
  status to_local(std::size_t, int, int&) const { return status::ok; }
  status to_local(std::size_t, type_id, int, int&) const { return status::ok; }
};
/// Knows no local IDs.
struct ownership_without_local_ids : detail::counted {
  status part_of(int, part_id&) const { return status::ok; }
  status part_of(type_id, int, part_id&) const { return status::ok; }
  status to_typed(int, typed_id<int>&) const { return status::ok; }
  status to_global(type_id, int, int&) const { return status::ok; }
};
/// Knows who owns edges alone.
struct partition_book_without_nodes {
  const archetype::ownership& edges() const;
};
/// Knows who owns nodes alone.
struct partition_book_without_edges {
  const archetype::ownership& nodes() const;
};

/// Does not name its part type.
struct partitioner_without_part {
  template <class Graph>
  status assign(const Graph&, std::span<part_id>) const {
    return status::ok;
  }
};
/// Parts are signed.
struct partitioner_of_signed_parts {
  using part = int;
  template <class Graph>
  status assign(const Graph&, std::span<part>) const {
    return status::ok;
  }
};
/// Assigns only where it may change itself.
struct partitioner_not_const {
  using part = part_id;
  template <class Graph>
  status assign(const Graph&, std::span<part>) {
    return status::ok;
  }
};
/// Answers nothing.
struct partitioner_of_void {
  using part = part_id;
  template <class Graph>
  void assign(const Graph&, std::span<part>) const {}
};

}  // namespace halograph::near_miss
