// SPDX-License-Identifier: BSL-1.0
/// @file structure.ipp
/// Bodies of the plain functions of serial/structure.hpp.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/executor.hpp>
#include <halograph/core/random.hpp>
#include <halograph/serial/layout.hpp>
#include <halograph/serial/serializer.hpp>
#include <halograph/serial/structure.hpp>
#include <halograph/serial/tensor.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE std::optional<structure_fault> check_column(const tensor& values, column what,
                                                             const char* noun) {
  if (values.rank() == 1 && is_integer(values.type()) && values.type() != dtype::boolean)
    return std::nullopt;
  return fault(what, 0,
               std::string(noun) + " have shape " + to_string(values.shape()) + " and dtype " +
                   std::string(name(values.type())) + "; they must be a column of integers");
}

HALOGRAPH_INLINE std::optional<structure_fault> check_ids(const tensor& values, column what,
                                                          const char* noun, std::uint64_t limit,
                                                          executor_ref executor) {
  if (auto found = check_column(values, what, noun)) return found;
  return with_integers(values, [&](auto at) -> std::optional<structure_fault> {
    std::atomic<bool> right = true;
    executor.parallel_for(0, static_cast<std::size_t>(values.rows()), std::size_t{1} << 16,
                          [&](std::size_t first, std::size_t last) {
                            const auto from = [&](std::uint64_t i) { return at(first + i); };
                            if (!all_below(from, last - first, limit))
                              right.store(false, std::memory_order_relaxed);
                          });
    if (right.load()) return std::nullopt;
    std::uint64_t i = 0;
    // Bounded, since a mapping may change between two looks.
    while (i + 1 < values.rows() && at(i) >= 0 && static_cast<std::uint64_t>(at(i)) < limit) ++i;
    return fault(what, i,
                 std::string(noun) + "[" + std::to_string(i) + "] is " + std::to_string(at(i)) +
                     "; it must be at least 0 and below " + std::to_string(limit));
  });
}

HALOGRAPH_INLINE std::optional<structure_fault> check_permutation(const tensor& values, column what,
                                                                  const char* noun,
                                                                  executor_ref executor) {
  const std::uint64_t n = values.rows();
  if (auto found = check_ids(values, what, noun, n, executor)) return found;
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

}  // namespace halograph::detail

namespace halograph {

HALOGRAPH_INLINE std::optional<structure_fault> check_coo(const coo_columns& coo,
                                                          std::uint64_t sources,
                                                          std::uint64_t targets,
                                                          executor_ref executor) {
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
  if (auto found = detail::check_ids(coo.source, column::coo_source, "sources", sources, executor))
    return found;
  return detail::check_ids(coo.target, column::coo_target, "targets", targets, executor);
}

HALOGRAPH_INLINE std::optional<structure_fault> check_compressed(
    const compressed_columns& adjacency, column by, std::uint64_t rows, std::uint64_t columns,
    executor_ref executor) {
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
  if ((found = detail::check_ids(neighbors, next, "neighbors", columns, executor))) return found;
  if (edges.rows() == 0) return std::nullopt;
  return detail::check_permutation(edges, ids, "edge IDs", executor);
}

}  // namespace halograph

namespace halograph::detail {

HALOGRAPH_INLINE coo_columns pairs_of(const compressed_columns& adjacency, bool rows_are_sources) {
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

HALOGRAPH_INLINE bool same_sums(const std::optional<coo_columns>& coo,
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

}  // namespace halograph::detail

namespace halograph {

HALOGRAPH_INLINE std::optional<structure_fault> check_same_edges(
    const coo_columns& coo, const compressed_columns& adjacency, column by) {
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

HALOGRAPH_INLINE std::optional<structure_fault> check_agreement(
    const std::optional<coo_columns>& coo, const std::optional<compressed_columns>& csr,
    const std::optional<compressed_columns>& csc, agreement how) {
  if (how == agreement::by_sum && detail::same_sums(coo, csr, csc)) return std::nullopt;
  if (coo && csr) {
    if (auto found = check_same_edges(*coo, *csr, column::csr_offsets)) return found;
  }
  if (coo && csc) return check_same_edges(*coo, *csc, column::csc_offsets);
  if (csr && csc) return check_same_edges(detail::pairs_of(*csr, true), *csc, column::csc_offsets);
  return std::nullopt;
}

HALOGRAPH_INLINE std::optional<structure_fault> check_structure(const loaded_structure& part,
                                                                executor_ref executor) {
  if (!part.coo && !part.csr && !part.csc)
    return detail::fault(column::coo_source, 0, "the graph has no structure");
  const auto count = [&](const tensor& values, column what) -> std::optional<structure_fault> {
    if (values.rows() == part.edges) return std::nullopt;
    return detail::fault(what, 0,
                         "there are " + std::to_string(values.rows()) + " edges; the graph has " +
                             std::to_string(part.edges));
  };
  const bool unchecked = !part.formats_checked;
  const auto check_rows = [&](const compressed_columns& adjacency, column by) {
    return unchecked ? check_compressed(adjacency, by, part.nodes, part.nodes, executor)
                     : std::nullopt;
  };
  if (part.coo) {
    if (auto found = unchecked ? check_coo(*part.coo, part.nodes, part.nodes, executor)
                               : std::nullopt)
      return found;
    if (auto found = count(part.coo->source, column::coo_source)) return found;
  }
  if (part.csr) {
    if (auto found = check_rows(*part.csr, column::csr_offsets)) return found;
    if (auto found = count(part.csr->neighbors, column::csr_targets)) return found;
  }
  if (part.csc) {
    if (auto found = check_rows(*part.csc, column::csc_offsets)) return found;
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
