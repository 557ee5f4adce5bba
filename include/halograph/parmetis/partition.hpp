// SPDX-License-Identifier: BSL-1.0
/// @file partition.hpp
/// The files that ParMETIS reads as a graph, and an assignment of it as the files that ParMETIS
/// writes: what stands in for its program pm_dglpart. Any partitioner may come between
/// (parmetis_files.hpp says what is in the files).
/// Layer: parmetis. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/graph/build.hpp>
#include <halograph/graph/coo.hpp>
#include <halograph/parmetis/files.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/relabel/relabel_nodes.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/path.hpp>
#include <halograph/serial/text/cursor.hpp>
#include <halograph/serial/text/edges.hpp>
#include <halograph/serial/text/lines.hpp>
#include <halograph/serial/text/pieces.hpp>
#include <halograph/serial/text/writer.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

/// A graph in ParMETIS's files. Rows are kept as places in the text, which the object keeps alive:
/// 8 bytes a row.
template <id Node = std::uint64_t>
struct parmetis_graph {
  parmetis_names names{};
  parmetis_stats stats{};
  file_bytes node_text{}, edge_text{};
  std::vector<std::uint64_t> node_rows{};   ///< [V] where each row begins
  std::vector<std::uint64_t> edge_rows{};   ///< [E]
  std::vector<std::uint64_t> type_begin{};  ///< [types+1] first node of each type that occurs
  std::vector<std::vector<std::int64_t>> weights{};  ///< [columns][V]
  std::vector<Node> source{}, target{};              ///< [E]

  std::uint64_t num_nodes() const noexcept { return node_rows.size(); }
  std::uint64_t num_edges() const noexcept { return edge_rows.size(); }
  coo_view<Node, std::uint64_t> graph() const noexcept {
    return {node_rows.size(), source, target};
  }
  /// A constraint for each weight column, named weight:0, weight:1, ...; the columns are moved into
  /// it.
  balance_set take_weights(double tolerance) {
    balance_set out;
    for (std::size_t c = 0; c < weights.size(); ++c)
      out.add("weight:" + std::to_string(c), std::move(weights[c]), tolerance);
    weights.clear();
    return out;
  }
};

/// What to make of repeated edges.
enum class parmetis_duplicates : std::uint8_t {
  keep,  ///< every edge goes to its part
  last   ///< of equal (source, target), of any types, the last row alone; what pm_dglpart does
};

struct parmetis_write_options {
  parmetis_duplicates duplicates = parmetis_duplicates::keep;
  progress_callback on_progress{};
};

struct parmetis_write_result {
  std::vector<std::uint64_t> part_nodes{}, part_edges{};  ///< [K]
  std::uint64_t loops = 0;                                ///< self-loops among the edges
  std::uint64_t duplicates = 0;  ///< edges whose source and target another edge before has
  std::uint64_t dropped = 0;     ///< of those, left out
  std::uint64_t bytes = 0;       ///< of all files
};

namespace detail {

/// More types than this are a misread file: DGL's graphs have a few hundred at most.
inline constexpr std::size_t most_parmetis_types = 65536;

/// ParMETIS takes 32 at most.
inline constexpr std::size_t most_parmetis_weights = 256;

/// The stats of a graph whose nodes Node can number.
template <id Node, file_opener Opener>
parmetis_stats read_stats_for(const std::string& stats_file, const Opener& open) {
  const parmetis_stats stats = read_parmetis_stats(stats_file, open);
  if (stats.weights > most_parmetis_weights) {
    raise(errc::out_of_range,
          std::to_string(stats.weights) + " weight columns are more than the " +
              std::to_string(most_parmetis_weights) +
              " that are read; the third number is how many there are, not their sum",
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

/// Rows of X_nodes.txt. @param pieces  of `text`, which may be more than they are
template <executor Executor>
void parse_parmetis_nodes(std::vector<text_piece>& pieces, std::string_view text,
                          const std::string& file, const parmetis_stats& stats,
                          const Executor& executor, std::vector<std::uint64_t>& rows,
                          std::vector<std::uint32_t>& types, std::vector<std::uint64_t>& typed,
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
                 // Only now: a row that is none may have no slot.
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
    return {"the node's ID in its type (behind as many weights as the stats file says)",
            stats.nodes};
  });
  close_gaps(rows, pieces);
  close_gaps(types, pieces);
  close_gaps(typed, pieces);
  for (auto& column : loads_of) close_gaps(column, pieces);
}

/// Rows of X_edges.txt, as above.
template <id Node, executor Executor>
void parse_parmetis_edges(std::vector<text_piece>& pieces, std::string_view text,
                          const std::string& file, const parmetis_stats& stats,
                          const Executor& executor, std::vector<std::uint64_t>& rows,
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

[[noreturn]] inline void raise_type_order(std::string_view text, const std::string& file,
                                          std::uint64_t row, std::uint64_t type,
                                          std::uint64_t before) {
  raise(errc::mismatch,
        "a node of type " + std::to_string(type) + " follows one of type " +
            std::to_string(before) + "; nodes of one type stand together, types ascending",
        line_at(text, row, file));
}
[[noreturn]] inline void raise_typed_range(std::string_view text, const std::string& file,
                                           std::uint64_t row, std::size_t weights,
                                           std::uint64_t typed, std::uint64_t count,
                                           const std::string& stats_file) {
  raise(errc::out_of_range,
        "column " + std::to_string(weights + 2) + " is " + std::to_string(typed) +
            "; it must be the node's ID in its type, 0 to " + std::to_string(count - 1) +
            ", behind the " + std::to_string(weights) + " weights that " + stats_file + " says",
        line_at(text, row, file));
}
[[noreturn]] inline void raise_typed_twice(std::string_view text, const std::string& file,
                                           std::uint64_t row, std::size_t weights,
                                           std::uint64_t typed, const std::string& stats_file) {
  raise(errc::exists,
        "column " + std::to_string(weights + 2) + " is " + std::to_string(typed) +
            " for the second time; it must be the node's ID in its type, behind the " +
            std::to_string(weights) + " weights that " + stats_file + " says",
        line_at(text, row, file));
}

}  // namespace detail

/// Read X_nodes.txt, X_edges.txt and X_stats.txt.
///
/// @param folder    where they are
/// @param graph     X
/// @param open      opens files; mapped ones stay mapped, their rows are copied to the parts later
/// @param executor  parses pieces of the files
/// @errors          not_found; malformed, out_of_range with file and line: a row that is none, a
///     weight below 0, an ID that is no node; mismatch: other numbers of rows than X_stats.txt
///     says, types that do not ascend; exists: an ID twice in a type; overflow: Node is too narrow
/// @complexity      O(bytes) time; memory 8 V x (weights + 1) + E x (8 + 2 sizeof(Node)) bytes
/// @source          formats: ParMETIS files, sections 1 and 2
template <id Node = std::uint64_t, file_opener Opener, executor Executor = sequential>
parmetis_graph<Node> read_parmetis_graph(const std::string& folder, const std::string& graph,
                                         const Opener& open, const Executor& executor = {}) {
  parmetis_graph<Node> out;
  out.names = {graph};
  const std::string stats_file = path_in(folder, out.names.stats());
  out.stats = detail::read_stats_for<Node>(stats_file, open);
  const auto weights = static_cast<std::size_t>(out.stats.weights);
  {
    const std::string file = path_in(folder, out.names.nodes());
    out.node_text = open(file);
    const std::string_view text = detail::as_text(out.node_text.bytes);
    // A row has a type, the weights and an ID, each of one character and one behind.
    auto pieces = detail::cut_text(text, 2 * (weights + 2), executor);
    std::vector<std::uint32_t> types;
    std::vector<std::uint64_t> typed;
    detail::parse_parmetis_nodes(pieces, text, file, out.stats, executor, out.node_rows, types,
                                 typed, out.weights);
    if (out.node_rows.size() != out.stats.nodes) {
      raise(errc::mismatch,
            "there are " + std::to_string(out.node_rows.size()) + " rows; " + stats_file +
                " says " + std::to_string(out.stats.nodes) + " nodes",
            {.file = file});
    }
    out.type_begin.push_back(0);
    for (std::size_t v = 0; v < types.size(); ++v) {
      if (v != 0 && types[v] < types[v - 1])
        detail::raise_type_order(text, file, out.node_rows[v], types[v], types[v - 1]);
      if (v != 0 && types[v] != types[v - 1]) out.type_begin.push_back(v);
    }
    if (!types.empty()) out.type_begin.push_back(types.size());
    for (std::size_t t = 0; t + 1 < out.type_begin.size(); ++t) {
      const std::uint64_t count = out.type_begin[t + 1] - out.type_begin[t];
      std::vector<bool> seen(static_cast<std::size_t>(count));
      for (auto v = static_cast<std::size_t>(out.type_begin[t]); v < out.type_begin[t + 1]; ++v) {
        if (typed[v] >= count)
          detail::raise_typed_range(text, file, out.node_rows[v], weights, typed[v], count,
                                    stats_file);
        if (seen[static_cast<std::size_t>(typed[v])])
          detail::raise_typed_twice(text, file, out.node_rows[v], weights, typed[v], stats_file);
        seen[static_cast<std::size_t>(typed[v])] = true;
      }
    }
  }
  {
    const std::string file = path_in(folder, out.names.edges());
    out.edge_text = open(file);
    const std::string_view text = detail::as_text(out.edge_text.bytes);
    auto pieces = detail::cut_text(text, 8, executor);
    detail::parse_parmetis_edges(pieces, text, file, out.stats, executor, out.edge_rows, out.source,
                                 out.target);
    if (out.edge_rows.size() != out.stats.edges) {
      raise(errc::mismatch,
            "there are " + std::to_string(out.edge_rows.size()) + " rows; " + stats_file +
                " says " + std::to_string(out.stats.edges) + " edges",
            {.file = file});
    }
  }
  return out;
}

/// Write `p000-X_nodes.txt`, `p000-X_edges.txt`, `p000-X_stats.txt` and so on for each part, three
/// digits or more, and X_part.K.
///
/// New IDs ascend by part, type and original ID. A part's edge file holds the edges that end in it,
/// by new target, and those of one target in the order of X_edges.txt. `p000-X_stats.txt` holds the
/// part's nodes, edges and the number of weight columns: the guide names the file, readers need
/// none.
///
/// @param in      the graph as read
/// @param owner   [V] part of each node, each below `parts`
/// @param parts   K
/// @param output  anything with add(name) and path(): staged_folder, staged_files; not committed
///     here
/// @errors        mismatch, out_of_range: owner; io
/// @complexity    O(V + E + bytes) time; memory E x (sizeof(node) + 8) + 16 V bytes and one buffer,
///     whatever the text; while rows are made, what build_csc takes besides
/// @repeatable    yes
/// @source        formats: ParMETIS files, section 2
template <id Node, class Output>
parmetis_write_result write_parmetis_parts(const parmetis_graph<Node>& in,
                                           std::span<const part_id> owner, std::uint64_t parts,
                                           Output& output,
                                           const parmetis_write_options& options = {}) {
  const auto nodes = static_cast<std::size_t>(in.num_nodes());
  if (owner.size() != nodes) {
    raise(errc::mismatch, "there are " + std::to_string(owner.size()) + " parts for " +
                              std::to_string(nodes) + " nodes; it must be one each");
  }
  const std::size_t types = in.type_begin.size() - 1, count = static_cast<std::size_t>(parts);
  std::vector<std::uint64_t> bounds(relabel_bounds_count(count, types));
  std::vector<Node> old_of_new(nodes), new_of_old(nodes);
  const status placed = relabel_nodes_into(owner, std::span<const std::uint64_t>(in.type_begin),
                                           count, std::span(bounds), std::span(old_of_new),
                                           std::span(new_of_old));
  if (placed == status::out_of_range) {
    raise(placed.code, "node " + std::to_string(placed.position) + " is in part " +
                           std::to_string(owner[static_cast<std::size_t>(placed.position)]) +
                           "; parts are 0 to " + std::to_string(parts == 0 ? 0 : parts - 1));
  }
  check(placed, "the types of the nodes do not tile them");
  const auto rows = build_csc<Node, std::uint64_t>(in.graph());

  parmetis_write_result out;
  out.part_nodes.resize(count);
  out.part_edges.resize(count);
  const auto open = [&](const std::string& name) {
    output.add(name);
    return text_writer(output.path() + "/" + name);
  };
  const auto close = [&](text_writer& file) {
    file.close();
    out.bytes += file.size();
  };
  const std::string_view node_text = detail::as_text(in.node_text.bytes),
                         edge_text = detail::as_text(in.edge_text.bytes);
  std::vector<std::size_t> seen(nodes, 0);  // the target whose row last had this source, and one
  std::vector<bool> repeated;
  for (std::size_t p = 0; p < count; ++p) {
    if (options.on_progress) options.on_progress({"write", p, parts, "parts"});
    const auto first = static_cast<std::size_t>(bounds[p * types]),
               last = static_cast<std::size_t>(bounds[(p + 1) * types]);
    auto file = open(in.names.part_nodes(p));
    for (std::size_t fresh = first; fresh < last; ++fresh) {
      file.number(fresh)
          .put(' ')
          .text(detail::line_from(node_text, in.node_rows[index(old_of_new[fresh])]))
          .put('\n');
    }
    close(file);
    auto edges = open(in.names.part_edges(p));
    for (std::size_t fresh = first; fresh < last; ++fresh) {
      const std::size_t v = index(old_of_new[fresh]);
      const auto begin = index(rows.offsets[v]), end = index(rows.offsets[v + 1]);
      repeated.assign(end - begin, false);
      for (auto k = end; k-- > begin;) {
        const std::size_t u = index(rows.sources[k]);
        repeated[k - begin] = seen[u] == fresh + 1;
        seen[u] = fresh + 1;
        out.loops += u == v;
        out.duplicates += repeated[k - begin];
      }
      for (auto k = begin; k < end; ++k) {
        if (repeated[k - begin] && options.duplicates == parmetis_duplicates::last) {
          ++out.dropped;
          continue;
        }
        edges.number(new_of_old[index(rows.sources[k])]).put(' ').number(fresh).put(' ');
        edges.text(detail::line_from(edge_text, in.edge_rows[index(rows.edges[k])])).put('\n');
        ++out.part_edges[p];
      }
    }
    close(edges);
    out.part_nodes[p] = last - first;
    auto stats = open(in.names.part_stats(p));
    stats.number(out.part_nodes[p])
        .put(' ')
        .number(out.part_edges[p])
        .put(' ')
        .number(in.stats.weights)
        .put('\n');
    close(stats);
  }
  auto file = open(in.names.assignment(parts));
  for (std::size_t v = 0; v < nodes; ++v) file.number(v).put(' ').number(owner[v]).put('\n');
  close(file);
  if (options.on_progress) options.on_progress({"write", parts, parts, "parts"});
  return out;
}

}  // namespace halograph
