// SPDX-License-Identifier: BSL-1.0
/// @file range_book.hpp
/// Who owns which node and edge, in every ID space, when each part owns one range per type.
/// Layer: book (range_book: no allocation, no exceptions; partition_book owns its memory).
///
/// range_book views the caller's memory and takes type numbers; partition_book owns its memory and
/// takes names. Both use O(P T) memory and answer in O(log(P T)), or, with the tables that
/// partition_book always has, in O(1) where ranges have similar sizes.
#pragma once

#include <halograph/book/concepts.hpp>
#include <halograph/book/fwd.hpp>
#include <halograph/book/named_book.hpp>
#include <halograph/book/range_map.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>
#include <halograph/schema/schema.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph {

namespace detail {
template <id Node, id Edge, id Offset>
using range_maps = map_pair<basic_range_map<Node, Offset>, basic_range_map<Edge, Offset>>;
}  // namespace detail

/// A book over the caller's memory, without names: two range maps over the same parts. May run in
/// constexpr.
template <id Node, id Edge, id Offset>
class basic_range_book : public detail::range_maps<Node, Edge, Offset> {
 public:
  /// @{
  /// Who owns nodes, and who owns edges.
  using node_map_type = basic_range_map<Node, Offset>;
  using edge_map_type = basic_range_map<Edge, Offset>;
  /// @}

  /// Entries of working memory that bind() needs.
  static constexpr std::size_t memory_size(std::size_t parts, std::size_t node_types,
                                           std::size_t edge_types) noexcept {
    return node_map_type::totals_size(parts, node_types) +
           edge_map_type::totals_size(parts, edge_types);
  }

  using basic_range_book::map_pair::map_pair;

  /// Bind ranges without gaps, as this library writes them.
  /// @param node_bounds [P*T+1], edge_bounds [P*R+1] cell (p, t) is [bounds[p*T+t],
  ///     bounds[p*T+t+1])
  /// @param memory      [memory_size(P, T, R)] filled here and read by every query
  /// @errors those of basic_range_map::bind, nodes first
  constexpr status bind(std::size_t parts, std::size_t node_types,
                        std::span<const Offset> node_bounds, std::size_t edge_types,
                        std::span<const Offset> edge_bounds, std::span<Offset> memory) noexcept {
    if (memory.size() < memory_size(parts, node_types, edge_types)) {
      return status::capacity.at(memory_size(parts, node_types, edge_types));
    }
    node_map_type nodes;
    edge_map_type edges;
    const std::size_t cut = node_map_type::totals_size(parts, node_types);
    if (const auto bad = nodes.bind(parts, node_types, node_bounds, memory.first(cut)); !bad)
      return bad;
    if (const auto bad = edges.bind(parts, edge_types, edge_bounds, memory.subspan(cut)); !bad)
      return bad;
    nodes_ = nodes;
    edges_ = edges;
    return status::ok;
  }

  /// Entries of the tables that bind_index() fills.
  static constexpr std::size_t index_size(std::size_t parts, std::size_t node_types,
                                          std::size_t edge_types) noexcept {
    return node_map_type::index_size(parts, node_types) +
           edge_map_type::index_size(parts, edge_types);
  }
  /// Bind tables with which look-ups take O(1) where ranges have similar sizes. Optional.
  /// @param tables [index_size(P, T, R)] filled here and read by every query
  /// @errors capacity: tables is too small
  constexpr status bind_index(std::span<std::uint32_t> tables) noexcept {
    const std::size_t cut = node_map_type::index_size(nodes_.num_parts(), nodes_.num_types());
    const std::size_t all = index_size(nodes_.num_parts(), nodes_.num_types(), edges_.num_types());
    if (tables.size() < all) return status::capacity.at(all);
    if (const auto bad = nodes_.bind_index(tables.first(cut)); !bad) return bad;
    return edges_.bind_index(tables.subspan(cut));
  }

 private:
  using basic_range_book::map_pair::edges_;
  using basic_range_book::map_pair::nodes_;
};

/// [T][P] the ranges of each type, type after type.
using range_table = std::vector<std::vector<id_range>>;

namespace detail {

/// Memory and map of one ID space. Immutable and shared, so that copies are cheap and views stay
/// valid.
template <id ID>
class owned_ranges {
 public:
  static owned_ranges from_bounds(const char* word, std::size_t parts, std::size_t types,
                                  std::span<const std::uint64_t> bounds) {
    // Sizes before memory: parts and types may come from a file.
    if (parts == 0 || bounds.empty() || (types != 0 && parts > (bounds.size() - 1) / types) ||
        bounds.size() != parts * types + 1) {
      raise(error_kind::mismatch,
            std::string(word) + " bounds have " + std::to_string(bounds.size()) + " entries for " +
                std::to_string(parts) + " parts and " + std::to_string(types) +
                " types; there must be at least one part and parts x types + 1 entries");
    }
    auto memory = std::make_shared<arrays>();
    memory->starts.assign(bounds.begin(), bounds.end());
    memory->totals.resize(map::totals_size(parts, types));
    owned_ranges result;
    explain(word, types,
            result.map_.bind(parts, types, std::span<const std::uint64_t>(memory->starts),
                             std::span(memory->totals)));
    result.finish(std::move(memory));
    return result;
  }

  static owned_ranges from_table(const char* word, std::size_t parts, const range_table& table,
                                 range_rule rule) {
    const std::size_t types = table.size();
    for (std::size_t t = 0; t < types; ++t) {
      if (table[t].size() != parts) {
        raise(error_kind::mismatch, std::string(word) + " type " + std::to_string(t) + " has " +
                                        std::to_string(table[t].size()) +
                                        " ranges; it must have one for each of the " +
                                        std::to_string(parts) + " parts");
      }
    }
    if (parts == 0) raise(error_kind::invalid_argument, "a partition book needs at least one part");
    auto memory = std::make_shared<arrays>();
    memory->starts.resize(parts * types);
    memory->ends.resize(parts * types);
    memory->totals.resize(map::totals_size(parts, types));
    for (std::size_t t = 0; t < types; ++t) {
      for (std::size_t p = 0; p < parts; ++p) {
        memory->starts[p * types + t] = table[t][p].begin;
        memory->ends[p * types + t] = table[t][p].end;
      }
    }
    owned_ranges result;
    explain(word, types,
            result.map_.bind(parts, types, std::span<const std::uint64_t>(memory->starts),
                             std::span<const std::uint64_t>(memory->ends),
                             std::span(memory->totals), rule));
    result.finish(std::move(memory));
    return result;
  }

  using map = basic_range_map<ID, std::uint64_t>;
  const map& get() const noexcept { return map_; }

 private:
  struct arrays {
    std::vector<std::uint64_t> starts{}, ends{}, totals{};
    std::vector<std::uint32_t> index{};
  };

  void finish(std::shared_ptr<arrays> memory) {
    memory->index.resize(map::index_size(map_.num_parts(), map_.num_types()));
    check(map_.bind_index(memory->index), "the book's tables are too small");
    memory_ = std::move(memory);
  }

  static void explain(const char* word, std::size_t types, status answer) {
    if (answer) return;
    if (answer == status::malformed) {
      const std::uint64_t k = answer.position;
      const std::uint64_t part = types == 0 ? 0 : k / types, type = types == 0 ? 0 : k % types;
      raise(
          error_kind::malformed,
          std::string(word) + " range of type " + std::to_string(type) + " in part " +
              std::to_string(part) +
              " starts before an earlier one ends, or ends before it starts; ranges must ascend from 0"
              ", part by part and in a part type by type");
    }
    if (answer == status::overflow) {
      raise(error_kind::overflow, std::string(word) + " ranges reach ID " +
                                      std::to_string(answer.position) +
                                      ", which the book's ID type does not hold; use a wider one");
    }
    raise(answer.code, std::string(word) + " ranges cannot be bound");
  }

  std::shared_ptr<const arrays> memory_{};
  map map_{};
};

template <id Node, id Edge>
using range_storage = owned_maps<owned_ranges<Node>, owned_ranges<Edge>>;

}  // namespace detail

/// Options of a partition_book.
struct book_options {
  part_id partid = 0;  ///< the book's own part
  /// what range tables must satisfy; those of configs are `ascending`
  range_rule rule = range_rule::overlapping;
  /// @{
  /// Width of IDs that a config records.
  map_dtype node_map_dtype = map_dtype::int64;
  map_dtype edge_map_dtype = map_dtype::int64;
  /// @}
};

/// A partition book that owns its memory and knows the types' names; DGL's RangePartitionBook.
/// Copies share their memory. Queries: named_book.
///
///     hg::partition_book book(schema, 2, plan.node_bounds, plan.edge_bounds, {.partid = 1});
///     auto [type, id] = book.map_to_per_ntype(17);
///     auto owners = book.nid2partid(ids, "paper");
template <id Node, id Edge>
class basic_partition_book : public named_book<detail::range_storage<Node, Edge>> {
 public:
  using base = typename basic_partition_book::named_book;  ///< has the queries

  /// A book of ranges without gaps.
  /// @param schema      T node types and R edge types
  /// @param node_bounds [P*T+1], edge_bounds [P*R+1] cell (p, t) is [bounds[p*T+t],
  ///     bounds[p*T+t+1])
  /// @errors mismatch, malformed, overflow, invalid_argument, with a sentence
  basic_partition_book(graph_schema schema, std::size_t parts,
                       std::span<const std::uint64_t> node_bounds,
                       std::span<const std::uint64_t> edge_bounds, book_options options = {})
      : base(schema,
             {detail::owned_ranges<Node>::from_bounds("node", parts, schema.num_node_types(),
                                                      node_bounds),
              detail::owned_ranges<Edge>::from_bounds("edge", parts, schema.num_edge_types(),
                                                      edge_bounds)},
             options.partid, narrow<Node>(options.node_map_dtype),
             narrow<Edge>(options.edge_map_dtype)) {}

  /// A book of the ranges of a config, which may leave gaps.
  /// @param node_map [T][P], edge_map [R][P] ranges by type number
  basic_partition_book(graph_schema schema, std::size_t parts, const range_table& node_map,
                       const range_table& edge_map, book_options options = {})
      : base(schema,
             {detail::owned_ranges<Node>::from_table("node", parts, node_map, options.rule),
              detail::owned_ranges<Edge>::from_table("edge", parts, edge_map, options.rule)},
             options.partid, narrow<Node>(options.node_map_dtype),
             narrow<Edge>(options.edge_map_dtype)) {}

 private:
  template <class ID>
  static constexpr map_dtype narrow(map_dtype asked) noexcept {
    return sizeof(ID) <= 4 ? map_dtype::int32 : asked;
  }
};
using GraphPartitionBook = partition_book;  ///< the name DGL's users know

static_assert(partition_book_like<range_book>);
static_assert(partition_book_like<partition_book>);

}  // namespace halograph
