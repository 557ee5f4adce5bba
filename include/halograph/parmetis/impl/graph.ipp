// SPDX-License-Identifier: BSL-1.0
/// @file graph.ipp
/// Bodies of the plain functions of parmetis/graph.hpp.
/// Layer: parmetis. Words: README.md.
#pragma once

#include <halograph/comm/collective_errors.hpp>
#include <halograph/comm/owner_fetch.hpp>
#include <halograph/core/communicator.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/parmetis/files.hpp>
#include <halograph/parmetis/graph.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/text/cursor.hpp>
#include <halograph/serial/text/pieces.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE void parse_parmetis_nodes(std::vector<text_piece>& pieces, std::string_view text,
                                           const std::string& file, const parmetis_stats& stats,
                                           executor_ref executor, std::vector<std::uint64_t>& rows,
                                           std::vector<std::uint32_t>& types,
                                           std::vector<std::uint64_t>& typed,
                                           std::vector<std::vector<std::int64_t>>& loads_of) {
  const auto weights = static_cast<std::size_t>(stats.weights);
  rows.resize(slots_of(pieces));
  types.resize(slots_of(pieces));
  typed.resize(slots_of(pieces));
  loads_of.assign(weights, std::vector<std::int64_t>(slots_of(pieces)));
  constexpr auto heaviest = std::uint64_t{1} << 63;
  parse_pieces(pieces, parmetis_text, executor,
               [&](text_cursor& cursor, std::size_t slot) -> text_problem {
                 const auto row = static_cast<std::uint64_t>(cursor.at() - text.data());
                 std::uint64_t type = 0, id_in_type = 0;
                 std::uint64_t loads[most_parmetis_weights];
                 if (const auto problem = take_id(cursor, 1, most_parmetis_types, type);
                     problem.fault != text_fault::none)
                   return problem;
                 unsigned column = 2;
                 for (std::size_t c = 0; c < weights; ++c, ++column) {
                   if (const auto problem = take_id(cursor, column, heaviest, loads[c]);
                       problem.fault != text_fault::none)
                     return problem;
                 }
                 if (const auto problem = take_id(cursor, column, stats.nodes, id_in_type);
                     problem.fault != text_fault::none)
                   return problem;
                 // Only now: an invalid row may have no slot.
                 rows[slot] = row;
                 types[slot] = static_cast<std::uint32_t>(type);
                 typed[slot] = id_in_type;
                 for (std::size_t c = 0; c < weights; ++c)
                   loads_of[c][slot] = static_cast<std::int64_t>(loads[c]);
                 return {};
               });
  raise_row_problem(pieces, file, [&](unsigned column) -> id_field {
    if (column == 1) return {"a node type", most_parmetis_types};
    if (column < weights + 2) return {"a weight", heaviest};
    return {"the node's ID in its type (after as many weights as the stats file declares)",
            stats.nodes};
  });
  close_gaps(rows, pieces);
  close_gaps(types, pieces);
  close_gaps(typed, pieces);
  for (auto& column : loads_of) close_gaps(column, pieces);
}

HALOGRAPH_INLINE void raise_type_order(std::string_view text, const std::string& file,
                                       std::uint64_t row, std::uint64_t type,
                                       std::uint64_t before) {
  raise(error_kind::mismatch,
        "a node of type " + std::to_string(type) + " follows one of type " +
            std::to_string(before) + "; nodes must be grouped by type, in ascending order",
        line_at(text, row, file));
}

HALOGRAPH_INLINE void raise_typed_range(std::string_view text, const std::string& file,
                                        std::uint64_t row, std::size_t weights, std::uint64_t typed,
                                        std::uint64_t count, const std::string& stats_file) {
  raise(error_kind::out_of_range,
        "column " + std::to_string(weights + 2) + " is " + std::to_string(typed) +
            "; it must be the node's ID in its type, 0 to " + std::to_string(count - 1) +
            ", after the " + std::to_string(weights) + " weights that " + stats_file + " declares",
        line_at(text, row, file));
}

HALOGRAPH_INLINE void raise_typed_twice(std::string_view text, const std::string& file,
                                        std::uint64_t row, std::size_t weights, std::uint64_t typed,
                                        const std::string& stats_file) {
  raise(error_kind::exists,
        "column " + std::to_string(weights + 2) + " is " + std::to_string(typed) +
            ", which occurs twice; it must be the node's ID in its type, after the " +
            std::to_string(weights) + " weights that " + stats_file + " says",
        line_at(text, row, file));
}

HALOGRAPH_INLINE std::vector<text_piece> open_share(communicator_ref ranks, const std::string& file,
                                                    const any_file_opener& open,
                                                    std::size_t shortest, executor_ref executor,
                                                    file_bytes& bytes) {
  bytes = open(file);
  const std::string name = file.substr(file.rfind('/') + 1);
  require_same(ranks, glance_at(as_text(bytes.bytes)), "reads another " + name + " than",
               "it must be the same for all ranks");
  const std::string_view mine = share_of_text(as_text(bytes.bytes),
                                              static_cast<std::size_t>(ranks.rank()),
                                              static_cast<std::size_t>(ranks.size()));
  auto pieces = cut_text(mine, shortest, executor);
  if (ranks.size() == 1) return pieces;
  const std::uint64_t before = sum_before(ranks,
                                          count_line_ends(mine.data(), mine.data() + mine.size()));
  for (auto& piece : pieces) piece.first_line += before;
  return pieces;
}

HALOGRAPH_INLINE balance_set balance_of_weights(std::vector<std::vector<std::int64_t>> weights,
                                                double tolerance) {
  balance_set out;
  for (std::size_t c = 0; c < weights.size(); ++c)
    out.add("weight:" + std::to_string(c), std::move(weights[c]), tolerance);
  return out;
}

HALOGRAPH_INLINE void raise_edge_problem(const std::vector<text_piece>& pieces,
                                         const std::string& file, const parmetis_stats& stats) {
  raise_row_problem(pieces, file, [&](unsigned column) -> id_field {
    switch (column) {
      case 1:
        return {"the ID of a source over all types", stats.nodes};
      case 2:
        return {"the ID of a target over all types", stats.nodes};
      case 3:
        return {"the edge's ID in its type", ~std::uint64_t{0}};
      default:
        return {"an edge type", most_parmetis_types};
    }
  });
}

/// Read the stats of a graph, and check that IDs of that many bits can number its nodes.
HALOGRAPH_INLINE parmetis_stats read_stats_for(std::uint64_t capacity, std::size_t bits,
                                               const std::string& stats_file,
                                               const any_file_opener& open) {
  const parmetis_stats stats = read_parmetis_stats(stats_file, open);
  if (stats.weights > most_parmetis_weights) {
    raise(error_kind::out_of_range,
          std::to_string(stats.weights) + " weight columns are more than the " +
              std::to_string(most_parmetis_weights) +
              " supported; the third number counts the columns, it is not their sum",
          {.file = stats_file});
  }
  if (stats.nodes >= capacity) {
    raise(error_kind::overflow,
          std::to_string(stats.nodes) + " nodes are more than node IDs of " + std::to_string(bits) +
              " bits can number; use wider ones",
          {.file = stats_file});
  }
  return stats;
}

HALOGRAPH_INLINE void read_node_share(communicator_ref ranks, const std::string& folder,
                                      const std::string& graph, const any_file_opener& open,
                                      executor_ref executor, std::uint64_t capacity,
                                      std::size_t bits, parmetis_row_places& out,
                                      std::vector<std::vector<std::int64_t>>& weights) {
  const auto rank = static_cast<std::size_t>(ranks.rank()),
             size = static_cast<std::size_t>(ranks.size());
  out.names = {graph};
  const std::string stats_file = path_in(folder, out.names.stats()),
                    node_file = path_in(folder, out.names.nodes());
  out.stats = read_stats_for(capacity, bits, stats_file, open);
  require_same(ranks,
               graph + " " + std::to_string(out.stats.nodes) + " " +
                   std::to_string(out.stats.edges) + " " + std::to_string(out.stats.weights),
               "reads another graph than", "its name and files must be the same for all ranks");
  const auto columns = static_cast<std::size_t>(out.stats.weights);

  // Nodes.
  auto pieces = open_share(ranks, node_file, open, 2 * (columns + 2), executor, out.node_text);
  const std::string_view node_text = as_text(out.node_text.bytes);
  std::vector<std::uint32_t> types;
  std::vector<std::uint64_t> typed;
  parse_parmetis_nodes(pieces, node_text, node_file, out.stats, executor, out.node_rows, types,
                       typed, weights);
  const std::size_t nodes = out.node_rows.size();
  const auto counts = gather_numbers(ranks, nodes);
  out.ranges = offsets_of(counts);
  const std::uint64_t first = out.ranges[rank];
  if (out.ranges.back() != out.stats.nodes) {
    raise_collective(
        ranks, joint_error(error_kind::mismatch,
                           "there are " + std::to_string(out.ranges.back()) + " rows; " +
                               stats_file + " says " + std::to_string(out.stats.nodes) + " nodes",
                           {.file = node_file, .line = {}, .byte = {}}));
  }
  // Types ascend, also from rank to rank.
  const auto last_types = gather_numbers(ranks, nodes == 0 ? ~std::uint64_t{0} : types.back());
  std::uint64_t before = 0;
  for (std::size_t r = 0; r < rank; ++r)
    before = last_types[r] == ~std::uint64_t{0} ? before : last_types[r];
  for (std::size_t v = 0; v < nodes; ++v) {
    const std::uint64_t previous = v == 0 ? before : types[v - 1];
    if (types[v] < previous)
      raise_type_order(node_text, node_file, out.node_rows[v], types[v], previous);
  }
  check_peers(ranks);  // so that errors appear in the same order as on one rank
  std::uint64_t most = 0;
  for (const auto type : last_types) most = type == ~std::uint64_t{0} ? most : std::max(most, type);
  std::vector<std::uint64_t> of_type(static_cast<std::size_t>(most) + 1),
      begin_of_type(of_type.size());
  for (const auto type : types) ++of_type[type];
  check_peers(ranks);
  check_ranks(ranks.sum(of_type));
  std::exclusive_scan(of_type.begin(), of_type.end(), begin_of_type.begin(), std::uint64_t{0});
  out.type_begin.push_back(0);
  for (std::size_t t = 0; t < of_type.size(); ++t) {
    if (of_type[t] != 0) out.type_begin.push_back(begin_of_type[t] + of_type[t]);
  }
  // The IDs in a type are 0 to its count - 1, each once: each is a place among all nodes, which the
  // owner of that place checks.
  for (std::size_t v = 0; v < nodes; ++v) {
    if (typed[v] >= of_type[types[v]])
      raise_typed_range(node_text, node_file, out.node_rows[v], columns, typed[v],
                        of_type[types[v]], stats_file);
  }
  {
    std::vector<std::uint64_t> row_of(nodes, ~std::uint64_t{0});
    std::uint64_t twice = ~std::uint64_t{0}, which = 0;
    const auto claim = [&](std::uint64_t place, std::uint64_t claimant) {
      auto& row = row_of[static_cast<std::size_t>(place - first)];
      const std::uint64_t later = row == ~std::uint64_t{0} ? row : std::max(row, claimant);
      if (later < twice) {
        twice = later;
        which = place;
      }
      row = std::min(row, claimant);
    };
    const auto place_of = [&](std::size_t v) { return begin_of_type[types[v]] + typed[v]; };
    if (size == 1) {
      for (std::size_t v = 0; v < nodes; ++v) claim(place_of(v), out.node_rows[v]);
    } else {
      std::vector<words<2>> records;
      records.reserve(nodes);
      for (std::size_t v = 0; v < nodes; ++v) records.push_back({place_of(v), out.node_rows[v]});
      for (const auto& [place, row] :
           send_records(ranks, std::span<const words<2>>(records),
                        [&](const words<2>& one) { return rank_of_node(out.ranges, one[0]); }))
        claim(place, row);
    }
    if (twice != ~std::uint64_t{0}) {
      const auto type = count_not_above<std::uint64_t>(begin_of_type, which) - 1;
      raise_typed_twice(node_text, node_file, twice, columns, which - begin_of_type[type],
                        stats_file);
    }
  }
  types = {};
  typed = {};
  check_peers(ranks);
}

HALOGRAPH_INLINE void check_edge_count(communicator_ref ranks, const std::string& folder,
                                       const parmetis_row_places& out) {
  const std::string stats_file = path_in(folder, out.names.stats()),
                    edge_file = path_in(folder, out.names.edges());
  const auto edge_counts = gather_numbers(ranks, out.edge_rows.size());
  if (const auto edges = std::accumulate(edge_counts.begin(), edge_counts.end(), std::uint64_t{0});
      edges != out.stats.edges) {
    raise_collective(ranks,
                     joint_error(error_kind::mismatch,
                                 "there are " + std::to_string(edges) + " rows; " + stats_file +
                                     " says " + std::to_string(out.stats.edges) + " edges",
                                 {.file = edge_file, .line = {}, .byte = {}}));
  }
}

}  // namespace halograph::detail
