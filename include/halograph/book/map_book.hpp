// SPDX-License-Identifier: BSL-1.0
/// @file map_book.hpp
/// Who owns which node and edge when IDs were not renumbered: one part per ID.
/// Layer: book (part_map, map_book: no allocation, no exceptions; map_partition_book owns its memory).
///
/// This is the book of partitions made without reshuffling (`node_map.npy`, `edge_map.npy`): global
/// IDs are the input's, types laid end to end, and a part's IDs are scattered. It answers what
/// range books answer, over O(N) memory instead of O(P T).
#pragma once

#include <halograph/book/concepts.hpp>
#include <halograph/book/fwd.hpp>
#include <halograph/book/named_book.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/id_row.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/search.hpp>
#include <halograph/core/status.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/schema/type_offsets.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <ranges>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph {

/// Ownership by one part per ID, over the caller's memory. The view is as valid as that memory;
/// reading is safe from several threads. Queries are those of basic_range_map: see there for their
/// errors.
/// @tparam ID numbers nodes or edges, Part their owners, Offset counts them
template <id ID, id Part, id Offset>
class basic_part_map {
 public:
  using id_type = ID;          ///< of global, typed and local IDs
  using part_type = Part;      ///< of the part numbers in the map
  using offset_type = Offset;  ///< of the offsets of types

  constexpr basic_part_map() = default;

  /// @param parts        P
  /// @param owner        [N] part of each global ID
  /// @param offsets      [T+1] first global ID of each type; last: N
  /// @param first        [P+1] working memory   @param order [N] working memory, the IDs of each
  ///     part ascending
  /// @errors invalid_argument: no part; malformed at t: offsets descend or do not start at 0;
  ///     mismatch: they do not end at N; overflow: ID or Offset cannot count them; capacity:
  ///     working memory is too small; out_of_range at i: owner[i] is not a part. After an error the
  ///     map is unchanged.
  /// @complexity O(N + P + T)
  constexpr status bind(std::size_t parts, std::span<const Part> owner,
                        std::span<const Offset> offsets, std::span<Offset> first,
                        std::span<ID> order) noexcept {
    if (parts == 0 || parts > std::numeric_limits<part_id>::max())
      return status::invalid_argument.at(parts);
    const basic_type_offsets<ID, Offset> types(offsets);
    if (const auto bad = types.validate(); !bad) return bad;
    if (types.size() != owner.size()) return status::mismatch.at(owner.size());
    if (first.size() < parts + 1) return status::capacity.at(parts + 1);
    if (order.size() < owner.size()) return status::capacity.at(owner.size());
    if (const auto bad = detail::all_in_space(owner, parts); !bad) return bad;

    // Counting sort: first[p] runs from the start of part p to its end, which is the start of part
    // p+1.
    for (std::size_t p = 0; p <= parts; ++p) first[p] = 0;
    for (const Part p : owner) ++first[index(p)];
    Offset sum = 0;
    for (std::size_t p = 0; p <= parts; ++p) {
      const Offset count = first[p];
      first[p] = sum;
      sum = static_cast<Offset>(sum + count);
    }
    for (std::size_t i = 0; i < owner.size(); ++i)
      order[index(first[index(owner[i])]++)] = static_cast<ID>(i);
    for (std::size_t p = parts; p > 0; --p) first[p] = first[p - 1];
    first[0] = 0;

    parts_ = parts;
    types_ = types;
    owner_ = owner;
    first_ = first.first(parts + 1);
    order_ = order.first(owner.size());
    return status::ok;
  }

  constexpr std::size_t num_parts() const noexcept { return parts_; }              ///< P
  constexpr std::size_t num_types() const noexcept { return types_.num_types(); }  ///< T
  constexpr std::uint64_t size() const noexcept { return owner_.size(); }          ///< N
  /// IDs of type t. @pre t < num_types()
  constexpr std::uint64_t size(type_id t) const noexcept { return types_.size(t); }
  /// [N] part of each global ID.
  constexpr std::span<const Part> owner() const noexcept { return owner_; }
  /// The global IDs of part p, ascending.
  constexpr std::span<const ID> owned(std::size_t p) const noexcept {
    return order_.subspan(index(first_[p]), index(first_[p + 1]) - index(first_[p]));
  }
  /// The global IDs of type t in part p, ascending. @complexity O(log N)
  constexpr std::span<const ID> owned(std::size_t p, type_id t) const noexcept {
    const auto all = owned(p);
    const std::size_t begin = below(all, types_.offsets()[t]),
                      end = below(all, types_.offsets()[t + 1]);
    return all.subspan(begin, end - begin);
  }
  /// @{
  /// How many IDs part p owns, of all types or of one. @pre p < num_parts(), t < num_types()
  constexpr std::uint64_t count(std::size_t p) const noexcept { return owned(p).size(); }
  constexpr std::uint64_t count(std::size_t p, type_id t) const noexcept {
    return owned(p, t).size();
  }
  /// @}
  /// @{
  /// The k-th of owned(p), or the k-th typed ID of type t in part p. @pre k < count of the same
  constexpr ID nth(std::size_t p, std::uint64_t k) const noexcept {
    return owned(p)[static_cast<std::size_t>(k)];
  }
  constexpr ID nth(std::size_t p, type_id t, std::uint64_t k) const noexcept {
    return typed(t, owned(p, t)[static_cast<std::size_t>(k)]);
  }
  /// @}

  /// @{
  /// One ID, as `ownership`; not_found: no type t; out_of_range: no such ID. `out` is kept then.
  template <id In>
  constexpr status part_of(In global, part_id& out) const noexcept {
    if (!detail::in_space(global, size())) return status::out_of_range;
    out = static_cast<part_id>(owner_[index(global)]);
    return status::ok;
  }
  template <id In>
  constexpr status part_of(type_id t, In typed_value, part_id& out) const noexcept {
    ID global = 0;
    if (const auto bad = types_.to_global(t, typed_value, global); !bad) return bad;
    return part_of(global, out);
  }
  template <id In>
  constexpr status to_typed(In global, typed_id<ID>& out) const noexcept {
    return types_.to_typed(global, out);
  }
  template <id In>
  constexpr status to_global(type_id t, In typed_value, ID& out) const noexcept {
    return types_.to_global(t, typed_value, out);
  }
  /// @}
  /// @complexity O(log N)
  template <id In>
  constexpr status to_local(std::size_t p, In global, ID& out) const noexcept {
    if (p >= parts_) return status::invalid_argument.at(p);
    if (!owns(p, global)) return status::out_of_range;
    out = static_cast<ID>(below(owned(p), static_cast<std::uint64_t>(global)));
    return status::ok;
  }
  /// The same among the part's IDs of type t. @complexity O(log N)
  template <id In>
  constexpr status to_local(std::size_t p, type_id t, In typed_value, ID& out) const noexcept {
    if (p >= parts_) return status::invalid_argument.at(p);
    ID global = 0;
    if (const auto bad = types_.to_global(t, typed_value, global); !bad) return bad;
    if (!owns(p, global)) return status::out_of_range;
    out = static_cast<ID>(below(owned(p, t), static_cast<std::uint64_t>(global)));
    return status::ok;
  }

  /// @{
  /// Many IDs: outputs have the size of the input, else mismatch; errors name the place in it.
  template <id_row Row, id_output Parts>
  constexpr status part_of(const Row& global_row, Parts&& parts) const noexcept {
    return each_part(ids_of(global_row), ids_out(parts), size(), 0);
  }
  template <id_row Row, id_output Parts>
  constexpr status part_of(type_id t, const Row& typed_row, Parts&& parts) const noexcept {
    if (t >= num_types()) return status{error_kind::not_found, t};
    return each_part(ids_of(typed_row), ids_out(parts), size(t),
                     static_cast<std::uint64_t>(types_.offsets()[t]));
  }
  template <id_row Row, id_output Types>
  constexpr status to_typed(const Row& global_row, Types&& type_row,
                            std::span<ID> typed_row) const noexcept {
    return types_.to_typed(global_row, type_row, typed_row);
  }
  template <id_row Row>
  constexpr status to_global(type_id t, const Row& typed_row, std::span<ID> out) const noexcept {
    return types_.to_global(t, typed_row, out);
  }
  /// @}
  /// Up to the place of an error, outputs are written.
  template <id_row Row>
  constexpr status to_local(std::size_t p, const Row& global_row,
                            std::span<ID> out) const noexcept {
    const auto ids = ids_of(global_row);
    if (out.size() != ids.size()) return status::mismatch.at(ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (const auto bad = to_local(p, ids[i], out[i]); !bad) return placed(bad, i);
    }
    return status::ok;
  }
  /// The same for typed IDs; local IDs are positions among the part's IDs of type t.
  template <id_row Row>
  constexpr status to_local(std::size_t p, type_id t, const Row& typed_row,
                            std::span<ID> out) const noexcept {
    const auto ids = ids_of(typed_row);
    if (out.size() != ids.size()) return status::mismatch.at(ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (const auto bad = to_local(p, t, ids[i], out[i]); !bad) return placed(bad, i);
    }
    return status::ok;
  }

 private:
  static constexpr status placed(status bad, std::size_t i) noexcept {
    return bad == status::out_of_range ? bad.at(i) : bad;
  }
  // How many of the ascending IDs are below a bound.
  template <class Bound>
  static constexpr std::size_t below(std::span<const ID> ids, Bound bound) noexcept {
    if (bound == 0) return 0;
    return count_not_above(ids,
                           static_cast<search_value<ID>>(static_cast<std::uint64_t>(bound) - 1));
  }
  template <id In>
  constexpr bool owns(std::size_t p, In global) const noexcept {
    return detail::in_space(global, size()) && index(owner_[index(global)]) == p;
  }
  constexpr ID typed(type_id t, ID global) const noexcept {
    return static_cast<ID>(static_cast<std::uint64_t>(global) -
                           static_cast<std::uint64_t>(types_.offsets()[t]));
  }
  template <id In, id Out>
  constexpr status each_part(std::span<const In> ids, std::span<Out> out, std::uint64_t limit,
                             std::uint64_t base) const noexcept {
    if (out.size() != ids.size()) return status::mismatch.at(ids.size());
    if (parts_ > id_capacity<Out>()) return status::overflow.at(parts_);
    if (const auto bad = detail::all_in_space(ids, limit); !bad) return bad;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      out[i] = static_cast<Out>(
          owner_[static_cast<std::size_t>(base + static_cast<std::uint64_t>(ids[i]))]);
    }
    return status::ok;
  }

  std::size_t parts_ = 0;
  basic_type_offsets<ID, Offset> types_{};
  std::span<const Part> owner_{};    // [N]
  std::span<const Offset> first_{};  // [P+1]
  std::span<const ID> order_{};      // [N] IDs by (part, ID)
};

namespace detail {
template <id Node, id Edge, id Part, id Offset>
using part_maps = map_pair<basic_part_map<Node, Part, Offset>, basic_part_map<Edge, Part, Offset>>;
}  // namespace detail

/// Two part maps over the same parts, without names.
template <id Node, id Edge, id Part, id Offset>
class basic_map_book : public detail::part_maps<Node, Edge, Part, Offset> {
 public:
  /// @{
  /// Who owns nodes, and who owns edges.
  using node_map_type = basic_part_map<Node, Part, Offset>;
  using edge_map_type = basic_part_map<Edge, Part, Offset>;
  /// @}
  using basic_map_book::map_pair::map_pair;
};

namespace detail {

/// Memory and map of one ID space. Immutable and shared, so that copies are cheap and views stay
/// valid.
template <id ID>
class owned_parts {
 public:
  using map = basic_part_map<ID, std::int64_t, std::uint64_t>;

  owned_parts(const char* word, std::size_t parts, std::vector<std::int64_t> owner,
              std::span<const std::uint64_t> counts) {
    auto memory = std::make_shared<arrays>();
    memory->offsets.resize(counts.size() + 1);
    if (!offsets_from_counts(counts, memory->offsets) || memory->offsets.back() != owner.size()) {
      raise(error_kind::mismatch, std::string("the ") + word + " map names a part for " +
                                      std::to_string(owner.size()) + " " + word +
                                      "s; it must be one for each " + word + " of all types");
    }
    if (parts == 0 || parts > std::numeric_limits<part_id>::max()) {
      raise(error_kind::invalid_argument,
            "a partition book needs at least one part, and fewer than 2^32");
    }
    memory->owner = std::move(owner);
    memory->first.resize(parts + 1);
    memory->order.resize(memory->owner.size());
    const status answer = map_.bind(parts, std::span<const std::int64_t>(memory->owner),
                                    std::span<const std::uint64_t>(memory->offsets),
                                    std::span(memory->first), std::span(memory->order));
    if (answer == status::out_of_range) {
      raise(answer.code,
            std::string(word) + " " + std::to_string(answer.position) + " is assigned to part " +
                std::to_string(memory->owner[static_cast<std::size_t>(answer.position)]) +
                ", which is not in the valid range [0, " + std::to_string(parts) + ")");
    }
    if (!answer) {
      raise(answer.code, std::string("the ") + word + " map holds more " + word +
                             "s than the book's ID type can number; use a wider one");
    }
    memory_ = std::move(memory);
  }
  const map& get() const noexcept { return map_; }

 private:
  struct arrays {
    std::vector<std::int64_t> owner{};
    std::vector<std::uint64_t> offsets{}, first{};
    std::vector<ID> order{};
  };
  std::shared_ptr<const arrays> memory_{};
  map map_{};
};

template <id Node, id Edge>
using map_storage = owned_maps<owned_parts<Node>, owned_parts<Edge>>;

}  // namespace detail

/// A book of `node_map.npy` and `edge_map.npy` that owns its memory and knows the types' names;
/// with DGL: its book of partitions made with `reshuffle=False`. Copies share their memory.
/// Queries: named_book.
template <id Node, id Edge>
class basic_map_partition_book : public named_book<detail::map_storage<Node, Edge>> {
 public:
  using base = typename basic_map_partition_book::named_book;  ///< has the queries

  /// @param schema      T node types and R edge types
  /// @param parts       P
  /// @param node_map    [V] part of each node, types laid end to end   @param node_counts [T] nodes
  ///     of each type
  /// @param edge_map    [E] part of each edge, likewise                @param edge_counts [R]
  /// @param partid      the book's own part
  /// @errors mismatch, out_of_range (naming the node or edge), invalid_argument, overflow
  basic_map_partition_book(graph_schema schema, std::size_t parts,
                           std::vector<std::int64_t> node_map, std::vector<std::int64_t> edge_map,
                           std::span<const std::uint64_t> node_counts,
                           std::span<const std::uint64_t> edge_counts, part_id partid = 0)
      : base(std::move(schema),
             {detail::owned_parts<Node>("node", parts, std::move(node_map), node_counts),
              detail::owned_parts<Edge>("edge", parts, std::move(edge_map), edge_counts)},
             partid) {}
};

static_assert(partition_book_like<map_book>);
static_assert(partition_book_like<map_partition_book>);

}  // namespace halograph
