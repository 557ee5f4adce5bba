// SPDX-License-Identifier: BSL-1.0
/// @file structure.hpp
/// Does a stored adjacency describe a graph: IDs in range, offsets ascending, formats of the same
/// edges?
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/executor.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/random.hpp>
#include <halograph/serial/element.hpp>
#include <halograph/serial/layout.hpp>
#include <halograph/serial/serializer.hpp>
#include <halograph/serial/tensor.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace halograph {

/// What is wrong with a stored adjacency: in which array, at which element, and what would be
/// right.
struct structure_fault {
  column what = column::coo_source;  ///< the array; node_id, edge_id: any column of nodes, of edges
  std::uint64_t element = 0;         ///< the element at fault; 0 where it is the whole array
  std::string sentence{};            ///< for an error message, without a file name
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
  return static_cast<std::int64_t>(load_as<T>(data + i * sizeof(T)));
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

std::optional<structure_fault> check_column(const tensor& values, column what, const char* noun);

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

std::optional<structure_fault> check_ids(const tensor& values, column what, const char* noun,
                                         std::uint64_t limit, executor_ref executor = {});

/// Is each of 0..n-1 there once?
std::optional<structure_fault> check_permutation(const tensor& values, column what,
                                                 const char* noun, executor_ref executor = {});

inline bool same_dtype(const tensor& a, const tensor& b) {
  return a.type() == b.type() || a.rows() == 0 || b.rows() == 0;
}

}  // namespace detail

/// Two columns of one length and dtype, sources below `sources`, targets below `targets`?
/// @complexity O(edges)
std::optional<structure_fault> check_coo(const coo_columns& coo, std::uint64_t sources,
                                         std::uint64_t targets, executor_ref executor = {});

/// Offsets [rows + 1] from 0, ascending, to the number of entries; entries below `columns`; edge
/// IDs a permutation or absent?
/// @param by  column::csr_offsets or column::csc_offsets: which of the two it is
/// @complexity O(rows + edges) time, a bit per edge
std::optional<structure_fault> check_compressed(const compressed_columns& adjacency, column by,
                                                std::uint64_t rows, std::uint64_t columns,
                                                executor_ref executor = {});

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
coo_columns pairs_of(const compressed_columns& adjacency, bool rows_are_sources);

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
  return load_as<T>(values.bytes().data() + i * sizeof(T));
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
bool same_sums(const std::optional<coo_columns>& coo, const std::optional<compressed_columns>& csr,
               const std::optional<compressed_columns>& csc) noexcept;

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
std::optional<structure_fault> check_same_edges(const coo_columns& coo,
                                                const compressed_columns& adjacency, column by);

/// All of the above for formats that are each right or absent.
/// @complexity O(edges), and memory for the pairs where there is csr and csc, but no coo
std::optional<structure_fault> check_agreement(const std::optional<coo_columns>& coo,
                                               const std::optional<compressed_columns>& csr,
                                               const std::optional<compressed_columns>& csc,
                                               agreement how = agreement::exact);

/// The graph of a part: every format right, unless that was checked, and all of the same edges,
/// every column as long as there are nodes or edges?
/// @param executor  compares IDs with what there is; the same fault is found for any
/// @complexity O(nodes + edges) time, a bit per edge
std::optional<structure_fault> check_structure(const loaded_structure& part,
                                               executor_ref executor = {});

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/serial/impl/structure.ipp>
#endif
