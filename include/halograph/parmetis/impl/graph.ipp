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
  raise(errc::mismatch,
        "a node of type " + std::to_string(type) + " follows one of type " +
            std::to_string(before) + "; nodes must be grouped by type, in ascending order",
        line_at(text, row, file));
}

HALOGRAPH_INLINE void raise_typed_range(std::string_view text, const std::string& file,
                                        std::uint64_t row, std::size_t weights, std::uint64_t typed,
                                        std::uint64_t count, const std::string& stats_file) {
  raise(errc::out_of_range,
        "column " + std::to_string(weights + 2) + " is " + std::to_string(typed) +
            "; it must be the node's ID in its type, 0 to " + std::to_string(count - 1) +
            ", after the " + std::to_string(weights) + " weights that " + stats_file + " declares",
        line_at(text, row, file));
}

HALOGRAPH_INLINE void raise_typed_twice(std::string_view text, const std::string& file,
                                        std::uint64_t row, std::size_t weights, std::uint64_t typed,
                                        const std::string& stats_file) {
  raise(errc::exists,
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

}  // namespace halograph::detail
