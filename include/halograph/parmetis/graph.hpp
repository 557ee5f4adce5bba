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

/// The rows of a graph's files, or of one rank's share of them: rows are kept as offsets into the
/// text, which the object keeps alive, 8 bytes each.
template <id Node = std::uint64_t>
struct parmetis_rows {
  parmetis_names names{};
  parmetis_stats stats{};
  file_bytes node_text{}, edge_text{};
  std::vector<std::uint64_t> ranges{};  ///< [R+1] first node of each rank
  std::vector<std::uint64_t>
      type_begin{};  ///< [types+1] first node of each type that occurs, over all ranks
  std::vector<std::uint64_t> node_rows{};  ///< [n] where the row of each node begins
  std::vector<std::uint64_t> edge_rows{};  ///< [e] where the row of each edge begins
  std::vector<Node> source{}, target{};    ///< [e] IDs over all types

  std::uint64_t num_nodes() const noexcept { return node_rows.size(); }
  std::uint64_t num_edges() const noexcept { return edge_rows.size(); }
};

/// A whole graph in ParMETIS's files.
template <id Node = std::uint64_t>
struct parmetis_graph : parmetis_rows<Node> {
  std::vector<std::vector<std::int64_t>> weights{};  ///< [columns][V]

  coo_view<Node, std::uint64_t> graph() const noexcept {
    return {this->node_rows.size(), this->source, this->target};
  }
  /// Move the weight columns into constraints named weight:0, weight:1, ...
  balance_set take_weights(double tolerance) {
    balance_set out;
    for (std::size_t c = 0; c < weights.size(); ++c)
      out.add("weight:" + std::to_string(c), std::move(weights[c]), tolerance);
    weights.clear();
    return out;
  }
};

namespace detail {

/// More types than this indicate a wrong file: DGL's graphs have a few hundred at most.
inline constexpr std::size_t most_parmetis_types = 65536;

/// ParMETIS takes 32 at most.
inline constexpr std::size_t most_parmetis_weights = 256;

/// Read the stats of a graph, and check that Node can number its nodes.
template <id Node>
parmetis_stats read_stats_for(const std::string& stats_file, const any_file_opener& open) {
  const parmetis_stats stats = read_parmetis_stats(stats_file, open);
  if (stats.weights > most_parmetis_weights) {
    raise(errc::out_of_range,
          std::to_string(stats.weights) + " weight columns are more than the " +
              std::to_string(most_parmetis_weights) +
              " supported; the third number counts the columns, it is not their sum",
          {.file = stats_file});
  }
  if (stats.nodes >= id_capacity<Node>()) {
    raise(errc::overflow,
          std::to_string(stats.nodes) + " nodes are more than node IDs of " +
              std::to_string(8 * sizeof(Node)) + " bits can number; use wider ones",
          {.file = stats_file});
  }
  return stats;
}

/// Parse rows of X_nodes.txt. @param pieces  of `text`, or of a share of it
void parse_parmetis_nodes(std::vector<text_piece>& pieces, std::string_view text,
                          const std::string& file, const parmetis_stats& stats,
                          executor_ref executor, std::vector<std::uint64_t>& rows,
                          std::vector<std::uint32_t>& types, std::vector<std::uint64_t>& typed,
                          std::vector<std::vector<std::int64_t>>& loads_of);

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

/// Read this rank's share of the rows. Inside run_collective().
/// @param weights  out: [columns][n]
template <id Node>
void read_rows(communicator_ref ranks, const std::string& folder, const std::string& graph,
               const any_file_opener& open, executor_ref executor, parmetis_rows<Node>& out,
               std::vector<std::vector<std::int64_t>>& weights) {
  const auto rank = static_cast<std::size_t>(ranks.rank()),
             size = static_cast<std::size_t>(ranks.size());
  out.names = {graph};
  const std::string stats_file = path_in(folder, out.names.stats()),
                    node_file = path_in(folder, out.names.nodes()),
                    edge_file = path_in(folder, out.names.edges());
  out.stats = read_stats_for<Node>(stats_file, open);
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
        ranks, joint_error(errc::mismatch,
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

  // Edges.
  pieces = open_share(ranks, edge_file, open, 8, executor, out.edge_text);
  parse_parmetis_edges(pieces, as_text(out.edge_text.bytes), edge_file, out.stats, executor,
                       out.edge_rows, out.source, out.target);
  const auto edge_counts = gather_numbers(ranks, out.edge_rows.size());
  if (const auto edges = std::accumulate(edge_counts.begin(), edge_counts.end(), std::uint64_t{0});
      edges != out.stats.edges) {
    raise_collective(ranks,
                     joint_error(errc::mismatch,
                                 "there are " + std::to_string(edges) + " rows; " + stats_file +
                                     " says " + std::to_string(out.stats.edges) + " edges",
                                 {.file = edge_file, .line = {}, .byte = {}}));
  }
}

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
