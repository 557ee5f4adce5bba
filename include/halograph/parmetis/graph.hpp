// SPDX-License-Identifier: BSL-1.0
/// @file graph.hpp
/// The text files that ParMETIS reads as a graph: their rows, on one rank or shared by several.
/// Layer: parmetis. Words: README.md. The format is described in parmetis/files.hpp.
#pragma once

#include <halograph/comm/collective_errors.hpp>
#include <halograph/comm/owner_fetch.hpp>
#include <halograph/core/communicator.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/offsets.hpp>
#include <halograph/core/search.hpp>
#include <halograph/graph/coo.hpp>
#include <halograph/parmetis/files.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/path.hpp>
#include <halograph/serial/text/cursor.hpp>
#include <halograph/serial/text/pieces.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

/// What of parmetis_rows depends on no width of IDs.
struct parmetis_row_places {
  parmetis_names names{};  ///< of the files
  parmetis_stats stats{};  ///< of the whole graph
  /// X_nodes.txt as a whole, on every rank.
  file_bytes node_text{}, edge_text{};  ///< X_edges.txt as a whole, on every rank
  std::vector<std::uint64_t> ranges{};  ///< [R+1] first node of each rank
  std::vector<std::uint64_t>
      type_begin{};  ///< [types+1] first node of each type that occurs, over all ranks
  std::vector<std::uint64_t> node_rows{};  ///< [n] where the row of each node begins
  std::vector<std::uint64_t> edge_rows{};  ///< [e] where the row of each edge begins

  /// n and e: the rows held here, of one rank those of its share.
  /// @{
  std::uint64_t num_nodes() const noexcept { return node_rows.size(); }
  std::uint64_t num_edges() const noexcept { return edge_rows.size(); }
  /// @}
};

/// The rows of a graph's files, or of one rank's share of them: rows are kept as offsets into the
/// text, which the object keeps alive, 8 bytes each.
template <id Node = std::uint64_t>
struct parmetis_rows : parmetis_row_places {
  /// [e] sources, IDs over all types
  std::vector<Node> source{}, target{};  ///< [e] targets, IDs over all types
};

namespace detail {

/// Weight columns as constraints. @param weights  [columns][V], moved from
balance_set balance_of_weights(std::vector<std::vector<std::int64_t>> weights, double tolerance);

}  // namespace detail

/// A whole graph in ParMETIS's files.
template <id Node = std::uint64_t>
struct parmetis_graph : parmetis_rows<Node> {
  std::vector<std::vector<std::int64_t>> weights{};  ///< [columns][V]

  /// The edges as a graph, in IDs over all types; views this object.
  coo_view<Node, std::uint64_t> graph() const noexcept {
    return {this->node_rows.size(), this->source, this->target};
  }
  /// Move the weight columns into constraints named weight:0, weight:1, ...
  balance_set take_weights(double tolerance) {
    return detail::balance_of_weights(std::exchange(weights, {}), tolerance);
  }
};

namespace detail {

/// More types than this indicate a wrong file: DGL's graphs have a few hundred at most.
inline constexpr std::size_t most_parmetis_types = 65536;

/// ParMETIS takes 32 at most.
inline constexpr std::size_t most_parmetis_weights = 256;

/// Parse rows of X_nodes.txt. @param pieces  of `text`, or of a share of it
void parse_parmetis_nodes(std::vector<text_piece>& pieces, std::string_view text,
                          const std::string& file, const parmetis_stats& stats,
                          executor_ref executor, std::vector<std::uint64_t>& rows,
                          std::vector<std::uint32_t>& types, std::vector<std::uint64_t>& typed,
                          std::vector<std::vector<std::int64_t>>& loads_of);

/// Refuse the first row of X_edges.txt that could not be parsed.
void raise_edge_problem(const std::vector<text_piece>& pieces, const std::string& file,
                        const parmetis_stats& stats);

/// Parse rows of X_edges.txt.
template <id Node>
void parse_parmetis_edges(std::vector<text_piece>& pieces, std::string_view text,
                          const std::string& file, const parmetis_stats& stats,
                          executor_ref executor, std::vector<std::uint64_t>& rows,
                          std::vector<Node>& source, std::vector<Node>& target) {
  rows.resize(slots_of(pieces));
  source.resize(slots_of(pieces));
  target.resize(slots_of(pieces));
  parse_pieces(pieces, parmetis_text, executor,
               [&](text_cursor& cursor, std::size_t slot) -> text_problem {
                 const auto row = static_cast<std::uint64_t>(cursor.at() - text.data());
                 std::uint64_t u = 0, v = 0, ignored = 0;
                 if (const auto problem = take_id(cursor, 1, stats.nodes, u);
                     problem.fault != text_fault::none)
                   return problem;
                 if (const auto problem = take_id(cursor, 2, stats.nodes, v);
                     problem.fault != text_fault::none)
                   return problem;
                 if (const auto problem = take_id(cursor, 3, ~std::uint64_t{0}, ignored);
                     problem.fault != text_fault::none)
                   return problem;
                 if (const auto problem = take_id(cursor, 4, most_parmetis_types, ignored);
                     problem.fault != text_fault::none)
                   return problem;
                 rows[slot] = row;
                 source[slot] = static_cast<Node>(u);
                 target[slot] = static_cast<Node>(v);
                 return {};
               });
  raise_edge_problem(pieces, file, stats);
  close_gaps(rows, pieces);
  close_gaps(source, pieces);
  close_gaps(target, pieces);
}

[[noreturn]] void raise_type_order(std::string_view text, const std::string& file,
                                   std::uint64_t row, std::uint64_t type, std::uint64_t before);
[[noreturn]] void raise_typed_range(std::string_view text, const std::string& file,
                                    std::uint64_t row, std::size_t weights, std::uint64_t typed,
                                    std::uint64_t count, const std::string& stats_file);
[[noreturn]] void raise_typed_twice(std::string_view text, const std::string& file,
                                    std::uint64_t row, std::size_t weights, std::uint64_t typed,
                                    const std::string& stats_file);

/// The sum over the ranks before this one. Inside run_collective().
inline std::uint64_t sum_before(communicator_ref ranks, std::uint64_t mine) {
  const auto all = gather_numbers(ranks, mine);
  return std::accumulate(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(ranks.rank()),
                         std::uint64_t{0});
}

/// Open a file and cut this rank's share of it, with line numbers of the whole file. Inside
/// run_collective().
std::vector<text_piece> open_share(communicator_ref ranks, const std::string& file,
                                   const any_file_opener& open, std::size_t shortest,
                                   executor_ref executor, file_bytes& bytes);

template <std::size_t Count>
using words = std::array<std::uint64_t, Count>;

/// Read the stats and this rank's share of the nodes' rows. Inside run_collective().
/// @param capacity, bits  of node IDs
/// @param weights  out: [columns][n]
void read_node_share(communicator_ref ranks, const std::string& folder, const std::string& graph,
                     const any_file_opener& open, executor_ref executor, std::uint64_t capacity,
                     std::size_t bits, parmetis_row_places& out,
                     std::vector<std::vector<std::int64_t>>& weights);
/// Compare the edges' rows of all ranks with the stats. Inside run_collective().
void check_edge_count(communicator_ref ranks, const std::string& folder,
                      const parmetis_row_places& out);

/// Read this rank's share of the rows. Inside run_collective().
/// @param weights  out: [columns][n]
template <id Node>
void read_rows(communicator_ref ranks, const std::string& folder, const std::string& graph,
               const any_file_opener& open, executor_ref executor, parmetis_rows<Node>& out,
               std::vector<std::vector<std::int64_t>>& weights) {
  read_node_share(ranks, folder, graph, open, executor, id_capacity<Node>(), 8 * sizeof(Node), out,
                  weights);
  const std::string edge_file = path_in(folder, out.names.edges());
  auto pieces = open_share(ranks, edge_file, open, 8, executor, out.edge_text);
  parse_parmetis_edges(pieces, as_text(out.edge_text.bytes), edge_file, out.stats, executor,
                       out.edge_rows, out.source, out.target);
  check_edge_count(ranks, folder, out);
}

#if HALOGRAPH_COMPILED
// Instantiated in the compiled library (impl/widths.ipp).
extern template void read_rows(communicator_ref, const std::string&, const std::string&,
                               const any_file_opener&, executor_ref, parmetis_rows<std::uint32_t>&,
                               std::vector<std::vector<std::int64_t>>&);
extern template void read_rows(communicator_ref, const std::string&, const std::string&,
                               const any_file_opener&, executor_ref, parmetis_rows<std::uint64_t>&,
                               std::vector<std::vector<std::int64_t>>&);
#endif

}  // namespace detail

/// Read X_nodes.txt, X_edges.txt and X_stats.txt.
///
/// @param folder    of the files
/// @param graph     X
/// @param open      opens files; mapped ones stay mapped, and their rows are copied to the parts
///     later
/// @param executor  parses pieces of the files
/// @errors          not_found; malformed, out_of_range with file and line: an invalid row, a
/// negative weight, an unknown node; mismatch: the numbers of rows differ from
///     X_stats.txt, types that do not ascend; exists: an ID twice in a type; overflow: Node is too
///     narrow
/// @complexity      O(bytes) time; memory 8 V x (weights + 1) + E x (8 + 2 sizeof(Node)) bytes
/// @source          formats: ParMETIS files, sections 1 and 2
template <id Node = std::uint64_t>
parmetis_graph<Node> read_parmetis_graph(const std::string& folder, const std::string& graph,
                                         const any_file_opener& open, executor_ref executor = {}) {
  parmetis_graph<Node> out;
  detail::read_rows<Node>(single_rank{}, folder, graph, open, executor, out, out.weights);
  return out;
}

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/parmetis/impl/graph.ipp>
#endif
