// SPDX-License-Identifier: BSL-1.0
/// @file structure.hpp
/// Does a stored adjacency describe a graph: IDs in range, offsets ascending, formats of the same
/// edges?
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/random.hpp>
#include <halograph/serial/layout.hpp>
#include <halograph/serial/serializer.hpp>
#include <halograph/serial/tensor.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace halograph {

/// What is wrong with a stored adjacency: in which array, at which element, and what would be
/// right.
struct structure_fault {
  column what = column::coo_source;
  std::uint64_t element = 0;
  std::string sentence{};
};

namespace detail {

/// Element i of a column as int64, for a width that nothing is tuned to.
struct any_integers {
  const std::byte* data;
  std::int64_t (*read)(const std::byte* data, std::uint64_t i);
  std::int64_t operator()(std::uint64_t i) const { return read(data, i); }
};
template <class T>
std::int64_t read_integer(const std::byte* data, std::uint64_t i) {
  T value;
  std::memcpy(&value, data + i * sizeof(T), sizeof(T));
  return static_cast<std::int64_t>(value);
}

/// Call f(at), where at(i) gives element i as int64 (beyond that: negative), with the dtype
/// resolved once. The widths that files really hold have loops of their own; the others share one,
/// since each loop is compiled for each of them, at every call.
/// @pre an integer dtype
template <class Function>
decltype(auto) with_integers(const tensor& values, Function&& f) {
  const std::byte* const data = values.bytes().data();
  switch (values.type()) {
    case dtype::int32:
      return f([data](std::uint64_t i) { return read_integer<std::int32_t>(data, i); });
    case dtype::int8:
      return f(any_integers{data, &read_integer<std::int8_t>});
    case dtype::int16:
      return f(any_integers{data, &read_integer<std::int16_t>});
    case dtype::uint8:
    case dtype::boolean:
      return f(any_integers{data, &read_integer<std::uint8_t>});
    case dtype::uint16:
      return f(any_integers{data, &read_integer<std::uint16_t>});
    case dtype::uint32:
      return f(any_integers{data, &read_integer<std::uint32_t>});
    case dtype::uint64:
      return f(any_integers{data, &read_integer<std::uint64_t>});
    default:
      return f([data](std::uint64_t i) { return read_integer<std::int64_t>(data, i); });
  }
}

inline std::optional<structure_fault> fault(column what, std::uint64_t element,
                                            std::string sentence) {
  return structure_fault{what, element, std::move(sentence)};
}

inline std::optional<structure_fault> check_column(const tensor& values, column what,
                                                   const char* noun) {
  if (values.rank() == 1 && is_integer(values.type()) && values.type() != dtype::boolean)
    return std::nullopt;
  return fault(what, 0,
               std::string(noun) + " have shape " + to_string(values.shape()) + " and dtype " +
                   std::string(name(values.type())) + "; they must be a column of integers");
}

/// Is each of at(0) to at(n - 1) at least 0 and below `limit`? Without a jump, so that it is vector
/// code.
template <class At>
bool all_below(At at, std::uint64_t n, std::uint64_t limit) noexcept {
  if (n == 0 || limit == 0) return n == 0;
  constexpr std::uint64_t top = std::uint64_t{1} << 63;
  const std::uint64_t last = std::min(limit, top) - 1;
  std::uint64_t any = 0;  // an ID outside, or its distance to the last one, has the top bit
  for (std::uint64_t i = 0; i < n; ++i) {
    const auto id = static_cast<std::uint64_t>(at(i));
    any |= id | (last - id);
  }
  return any < top;
}

inline std::optional<structure_fault> check_ids(const tensor& values, column what, const char* noun,
                                                std::uint64_t limit) {
  if (auto found = check_column(values, what, noun)) return found;
  return with_integers(values, [&](auto at) -> std::optional<structure_fault> {
    if (all_below(at, values.rows(), limit)) return std::nullopt;
    std::uint64_t i = 0;
    // Bounded, since a mapping may change between two looks.
    while (i + 1 < values.rows() && at(i) >= 0 && static_cast<std::uint64_t>(at(i)) < limit) ++i;
    return fault(what, i,
                 std::string(noun) + "[" + std::to_string(i) + "] is " + std::to_string(at(i)) +
                     "; it must be at least 0 and below " + std::to_string(limit));
  });
}

/// Is each of 0..n-1 there once?
inline std::optional<structure_fault> check_permutation(const tensor& values, column what,
                                                        const char* noun) {
  const std::uint64_t n = values.rows();
  if (auto found = check_ids(values, what, noun, n)) return found;
  std::vector<std::uint64_t> seen(static_cast<std::size_t>((n + 63) / 64));
  return with_integers(values, [&](auto at) -> std::optional<structure_fault> {
    const auto bit = [](std::uint64_t id) { return std::uint64_t{1} << (id % 64); };
    // n IDs below n: if one is there twice, another one is missing.
    for (std::uint64_t i = 0; i < n; ++i) {
      const auto id = static_cast<std::uint64_t>(at(i));
      seen[static_cast<std::size_t>(id / 64)] |= bit(id);
    }
    std::uint64_t different = 0;
    for (const std::uint64_t some : seen)
      different += static_cast<std::uint64_t>(std::popcount(some));
    if (different == n) return std::nullopt;
    std::fill(seen.begin(), seen.end(), 0);
    for (std::uint64_t i = 0; i < n; ++i) {
      const auto id = static_cast<std::uint64_t>(at(i));
      auto& some = seen[static_cast<std::size_t>(id / 64)];
      if ((some & bit(id)) != 0) {
        return fault(what, i,
                     std::string(noun) + "[" + std::to_string(i) + "] is " + std::to_string(id) +
                         ", which is there already; each edge ID must be there once");
      }
      some |= bit(id);
    }
    return std::nullopt;
  });
}

inline bool same_dtype(const tensor& a, const tensor& b) {
  return a.type() == b.type() || a.rows() == 0 || b.rows() == 0;
}

}  // namespace detail

/// Two columns of one length and dtype, sources below `sources`, targets below `targets`?
/// @complexity O(edges)
inline std::optional<structure_fault> check_coo(const coo_columns& coo, std::uint64_t sources,
                                                std::uint64_t targets) {
  if (auto found = detail::check_column(coo.source, column::coo_source, "sources")) return found;
  if (auto found = detail::check_column(coo.target, column::coo_target, "targets")) return found;
  if (coo.source.rows() != coo.target.rows()) {
    return detail::fault(column::coo_target, 0,
                         "there are " + std::to_string(coo.source.rows()) + " sources, but " +
                             std::to_string(coo.target.rows()) + " targets; each edge needs both");
  }
  if (!detail::same_dtype(coo.source, coo.target)) {
    return detail::fault(column::coo_target, 0,
                         "targets are of another dtype than sources; both must be the same");
  }
  if (auto found = detail::check_ids(coo.source, column::coo_source, "sources", sources))
    return found;
  return detail::check_ids(coo.target, column::coo_target, "targets", targets);
}

/// Offsets [rows + 1] from 0, ascending, to the number of entries; entries below `columns`; edge
/// IDs a permutation or absent?
/// @param by  column::csr_offsets or column::csc_offsets: which of the two it is
/// @complexity O(rows + edges) time, a bit per edge
inline std::optional<structure_fault> check_compressed(const compressed_columns& adjacency,
                                                       column by, std::uint64_t rows,
                                                       std::uint64_t columns) {
  const auto next = static_cast<column>(static_cast<int>(by) + 1),
             ids = static_cast<column>(static_cast<int>(by) + 2);
  const tensor &offsets = adjacency.offsets, &neighbors = adjacency.neighbors,
               &edges = adjacency.edges;
  if (auto found = detail::check_column(offsets, by, "offsets")) return found;
  if (auto found = detail::check_column(neighbors, next, "neighbors")) return found;
  if (auto found = detail::check_column(edges, ids, "edge IDs")) return found;
  if (offsets.rows() == 0 || offsets.rows() - 1 != rows) {
    return detail::fault(by, 0,
                         "there are " + std::to_string(offsets.rows()) + " offsets; " +
                             std::to_string(rows) + " rows need one more than rows");
  }
  if (edges.rows() != 0 && edges.rows() != neighbors.rows()) {
    return detail::fault(ids, 0,
                         "there are " + std::to_string(edges.rows()) + " edge IDs for " +
                             std::to_string(neighbors.rows()) +
                             " entries; there must be as many, or none");
  }
  if (!detail::same_dtype(offsets, neighbors) || !detail::same_dtype(neighbors, edges)) {
    return detail::fault(
        next, 0, "offsets, neighbors and edge IDs are of several dtypes; all must be the same");
  }
  auto found = detail::with_integers(offsets, [&](auto at) -> std::optional<structure_fault> {
    if (at(0) != 0)
      return detail::fault(by, 0, "offsets[0] is " + std::to_string(at(0)) + "; it must be 0");
    for (std::uint64_t i = 1; i <= rows; ++i) {
      if (at(i) < at(i - 1)) {
        return detail::fault(by, i,
                             "offsets[" + std::to_string(i) + "] is " + std::to_string(at(i)) +
                                 ", less than " + std::to_string(at(i - 1)) +
                                 " before it; offsets must not descend");
      }
    }
    if (static_cast<std::uint64_t>(at(rows)) != neighbors.rows()) {
      return detail::fault(by, rows,
                           "the last offset is " + std::to_string(at(rows)) +
                               "; it must be the number of entries, " +
                               std::to_string(neighbors.rows()));
    }
    return std::nullopt;
  });
  if (found) return found;
  if ((found = detail::check_ids(neighbors, next, "neighbors", columns))) return found;
  if (edges.rows() == 0) return std::nullopt;
  return detail::check_permutation(edges, ids, "edge IDs");
}

namespace detail {

/// Call f(row, neighbor, edge, k) for each entry, until it answers false. @pre check_compressed()
/// found nothing
template <class Function>
void for_each_entry(const compressed_columns& adjacency, Function&& f) {
  // Dtypes are resolved at each element here: resolving them once would take 9 x 9 x 9 copies of f.
  const auto at = [](const tensor& values, std::uint64_t i) {
    return values.integer(static_cast<std::size_t>(i));
  };
  const bool explicit_ids = adjacency.edges.rows() != 0;
  for (std::uint64_t row = 0; row + 1 < adjacency.offsets.rows(); ++row) {
    const std::int64_t end = at(adjacency.offsets, row + 1);
    for (std::int64_t k = at(adjacency.offsets, row); k < end; ++k) {
      const auto place = static_cast<std::uint64_t>(k);
      if (!f(static_cast<std::int64_t>(row), at(adjacency.neighbors, place),
             explicit_ids ? at(adjacency.edges, place) : k, place)) {
        return;
      }
    }
  }
}

/// The same edges as pairs by edge ID. @pre check_compressed() found nothing
inline coo_columns pairs_of(const compressed_columns& adjacency, bool rows_are_sources) {
  std::vector<std::int64_t> rows(static_cast<std::size_t>(adjacency.neighbors.rows())),
      neighbors(rows.size());
  for_each_entry(adjacency,
                 [&](std::int64_t row, std::int64_t neighbor, std::int64_t edge, std::uint64_t) {
                   rows[static_cast<std::size_t>(edge)] = row;
                   neighbors[static_cast<std::size_t>(edge)] = neighbor;
                   return true;
                 });
  if (!rows_are_sources) rows.swap(neighbors);
  return {tensor::from(std::move(rows)), tensor::from(std::move(neighbors))};
}

}  // namespace detail

/// How formats are compared.
enum class agreement : std::uint8_t {
  exact,  ///< edge by edge, by ID: memory is read in the order of the rows, which is any order for
          ///< the pairs
  by_sum  ///< by a sum of 64-bit hashes of all edges, each format read from front to back; where
          ///< the sums differ, exactly. Faults that happen go unseen once in 2^64; faults that are
          ///< made for it may
};

namespace detail {

/// Sum of the hashes of all (edge ID, source, target), in whatever order they come.
inline constexpr std::uint64_t source_factor = 0xD6E8FEB86659FD93u,
                               target_factor = 0xA0761D6478BD642Fu,
                               edge_factor = 0xE7037ED1A0B428DBu;

template <class T>
T element(const tensor& values, std::uint64_t i) noexcept {
  T value;
  std::memcpy(&value, values.bytes().data() + i * sizeof(T), sizeof(T));
  return value;
}

template <class T>
std::uint64_t sum_of(const coo_columns& coo) noexcept {
  std::uint64_t sum = 0;
  for (std::uint64_t e = 0, n = coo.source.rows(); e < n; ++e) {
    sum += mix(static_cast<std::uint64_t>(element<T>(coo.source, e)) * source_factor +
               static_cast<std::uint64_t>(element<T>(coo.target, e)) * target_factor +
               e * edge_factor);
  }
  return sum;
}
template <class T>
std::uint64_t sum_of(const compressed_columns& adjacency, bool rows_are_sources) noexcept {
  const std::uint64_t row_factor = rows_are_sources ? source_factor : target_factor,
                      factor = rows_are_sources ? target_factor : source_factor;
  const bool explicit_ids = adjacency.edges.rows() != 0;
  std::uint64_t sum = 0;
  for (std::uint64_t row = 0, rows = adjacency.offsets.rows() - 1; row < rows; ++row) {
    const auto end = static_cast<std::uint64_t>(element<T>(adjacency.offsets, row + 1));
    for (auto k = static_cast<std::uint64_t>(element<T>(adjacency.offsets, row)); k < end; ++k) {
      const auto edge = explicit_ids ? static_cast<std::uint64_t>(element<T>(adjacency.edges, k))
                                     : k;
      sum += mix(row * row_factor +
                 static_cast<std::uint64_t>(element<T>(adjacency.neighbors, k)) * factor +
                 edge * edge_factor);
    }
  }
  return sum;
}

/// Do all formats have as many edges, and one sum? false: or they are of several dtypes.
inline bool same_sums(const std::optional<coo_columns>& coo,
                      const std::optional<compressed_columns>& csr,
                      const std::optional<compressed_columns>& csc) noexcept {
  const int formats = (coo ? 1 : 0) + (csr ? 1 : 0) + (csc ? 1 : 0);
  if (formats < 2) return true;
  const std::uint64_t edges = coo ? coo->source.rows() : csr->neighbors.rows();
  if ((csr && csr->neighbors.rows() != edges) || (csc && csc->neighbors.rows() != edges))
    return false;
  if (edges == 0) return true;
  const dtype type = coo ? coo->source.type() : csr->offsets.type();
  if ((csr && csr->offsets.type() != type) || (csc && csc->offsets.type() != type)) return false;
  const auto compare = [&]<class T>(T) {
    const std::uint64_t sum = coo ? sum_of<T>(*coo) : sum_of<T>(*csr, true);
    return (!coo || !csr || sum_of<T>(*csr, true) == sum) &&
           (!csc || sum_of<T>(*csc, false) == sum);
  };
  return type == dtype::int64 ? compare(std::int64_t{})
                              : type == dtype::int32 && compare(std::int32_t{});
}

/// The first entry of an adjacency that a coo contradicts, or as many as there are.
template <class T>
std::uint64_t first_difference(const coo_columns& coo, const compressed_columns& adjacency,
                               bool rows_are_sources) noexcept {
  const tensor& ends = rows_are_sources ? coo.source : coo.target;  // those that rows are
  const tensor& others = rows_are_sources ? coo.target : coo.source;
  const bool explicit_ids = adjacency.edges.rows() != 0;
  for (std::uint64_t row = 0, rows = adjacency.offsets.rows() - 1; row < rows; ++row) {
    const auto begin = static_cast<std::uint64_t>(element<T>(adjacency.offsets, row)),
               end = static_cast<std::uint64_t>(element<T>(adjacency.offsets, row + 1));
    // No jump within a row, so that the memory of several edges is waited for at once.
    bool same = true;
    const auto agrees = [&](std::uint64_t k) {
      const auto edge = explicit_ids ? static_cast<std::uint64_t>(element<T>(adjacency.edges, k))
                                     : k;
      return static_cast<int>(static_cast<std::uint64_t>(element<T>(ends, edge)) == row) &
             static_cast<int>(element<T>(others, edge) == element<T>(adjacency.neighbors, k));
    };
    for (std::uint64_t k = begin; k < end; ++k) same &= agrees(k) != 0;
    if (same) continue;
    for (std::uint64_t k = begin; k < end; ++k) {
      if (agrees(k) == 0) return k;
    }
  }
  return adjacency.neighbors.rows();
}

}  // namespace detail

/// Are the edges of a csr (or csc) those of a coo, ID by ID? @pre each alone is right
/// @complexity O(edges)
inline std::optional<structure_fault> check_same_edges(const coo_columns& coo,
                                                       const compressed_columns& adjacency,
                                                       column by) {
  const auto next = static_cast<column>(static_cast<int>(by) + 1);
  if (adjacency.neighbors.rows() != coo.source.rows()) {
    return detail::fault(next, 0,
                         "there are " + std::to_string(adjacency.neighbors.rows()) +
                             " edges in one format and " + std::to_string(coo.source.rows()) +
                             " in another; all formats must hold the same edges");
  }
  if (coo.source.rows() == 0) return std::nullopt;
  const bool rows_are_sources = by == column::csr_offsets;
  // Both of one of the two dtypes that files hold, or whatever they are.
  std::uint64_t agreed = 0;
  if (const dtype type = coo.source.type(); type == adjacency.offsets.type()) {
    if (type == dtype::int64)
      agreed = detail::first_difference<std::int64_t>(coo, adjacency, rows_are_sources);
    else if (type == dtype::int32)
      agreed = detail::first_difference<std::int32_t>(coo, adjacency, rows_are_sources);
  }
  if (agreed == coo.source.rows()) return std::nullopt;
  std::optional<structure_fault> found;
  detail::for_each_entry(
      adjacency, [&](std::int64_t row, std::int64_t neighbor, std::int64_t edge, std::uint64_t k) {
        const auto e = static_cast<std::size_t>(edge);
        const std::int64_t source = coo.source.integer(e), target = coo.target.integer(e);
        const bool same = rows_are_sources ? source == row && target == neighbor
                                           : target == row && source == neighbor;
        if (!same) {
          found = detail::fault(
              next, k,
              "edge " + std::to_string(edge) + " leads from " + std::to_string(source) + " to " +
                  std::to_string(target) +
                  " in one format and elsewhere in another; all must hold the same edges");
        }
        return same;
      });
  return found;
}

/// All of the above for formats that are each right or absent.
/// @complexity O(edges), and memory for the pairs where there is csr and csc, but no coo
inline std::optional<structure_fault> check_agreement(const std::optional<coo_columns>& coo,
                                                      const std::optional<compressed_columns>& csr,
                                                      const std::optional<compressed_columns>& csc,
                                                      agreement how = agreement::exact) {
  if (how == agreement::by_sum && detail::same_sums(coo, csr, csc)) return std::nullopt;
  if (coo && csr) {
    if (auto found = check_same_edges(*coo, *csr, column::csr_offsets)) return found;
  }
  if (coo && csc) return check_same_edges(*coo, *csc, column::csc_offsets);
  if (csr && csc) return check_same_edges(detail::pairs_of(*csr, true), *csc, column::csc_offsets);
  return std::nullopt;
}

/// The graph of a part: every format right and all of the same edges, every column as long as there
/// are nodes or edges?
/// @complexity O(nodes + edges) time, a bit per edge
inline std::optional<structure_fault> check_structure(const loaded_structure& part) {
  if (!part.coo && !part.csr && !part.csc)
    return detail::fault(column::coo_source, 0, "the graph has no structure");
  const auto count = [&](const tensor& values, column what) -> std::optional<structure_fault> {
    if (values.rows() == part.edges) return std::nullopt;
    return detail::fault(what, 0,
                         "there are " + std::to_string(values.rows()) + " edges; the graph has " +
                             std::to_string(part.edges));
  };
  if (part.coo) {
    if (auto found = check_coo(*part.coo, part.nodes, part.nodes)) return found;
    if (auto found = count(part.coo->source, column::coo_source)) return found;
  }
  if (part.csr) {
    if (auto found = check_compressed(*part.csr, column::csr_offsets, part.nodes, part.nodes))
      return found;
    if (auto found = count(part.csr->neighbors, column::csr_targets)) return found;
  }
  if (part.csc) {
    if (auto found = check_compressed(*part.csc, column::csc_offsets, part.nodes, part.nodes))
      return found;
    if (auto found = count(part.csc->neighbors, column::csc_sources)) return found;
  }
  const auto lengths = [](const std::vector<named_tensor>& columns, std::uint64_t rows,
                          column what) -> std::optional<structure_fault> {
    for (const auto& one : columns) {
      if (one.value.rank() == 0 || one.value.rows() != rows) {
        return detail::fault(what, 0,
                             "column \"" + one.name + "\" has shape " +
                                 to_string(one.value.shape()) + "; it must have " +
                                 std::to_string(rows) + " rows");
      }
    }
    return std::nullopt;
  };
  if (auto found = lengths(part.node_columns, part.nodes, column::node_id)) return found;
  if (auto found = lengths(part.edge_columns, part.edges, column::edge_id)) return found;
  return check_agreement(part.coo, part.csr, part.csc);
}

}  // namespace halograph
