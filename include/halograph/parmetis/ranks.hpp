// SPDX-License-Identifier: BSL-1.0
/// @file ranks.hpp
/// The files that ParMETIS reads, over several ranks: each reads its share of the rows, and writes
/// the parts that are its own.
/// Layer: parmetis. Words: README.md.
///
/// What is in the files, parmetis_files.hpp says; what comes out is byte for byte what
/// parmetis_partition.hpp writes on one rank for the same owners. Nothing is gathered on one rank:
/// rows go between ranks as places in the files, which all ranks can open.
#pragma once

#include <halograph/comm/checked_communicator.hpp>
#include <halograph/comm/collective_errors.hpp>
#include <halograph/comm/owner_fetch.hpp>
#include <halograph/core/block_range.hpp>
#include <halograph/core/communicator.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/offsets.hpp>
#include <halograph/core/search.hpp>
#include <halograph/parmetis/files.hpp>
#include <halograph/parmetis/partition.hpp>
#include <halograph/partition/distributed.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/path.hpp>
#include <halograph/serial/text/edges.hpp>
#include <halograph/serial/text/lines.hpp>
#include <halograph/serial/text/pieces.hpp>
#include <halograph/serial/text/writer.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

/// One rank's share of a graph in ParMETIS's files: nodes and edges whose rows lie in its share of
/// the bytes, and the rows of its nodes in the undirected graph.
template <id Node = std::uint64_t>
struct parmetis_share {
  parmetis_names names{};
  parmetis_stats stats{};
  file_bytes node_text{}, edge_text{};
  std::vector<std::uint64_t> ranges{};  ///< [R+1] first node of each rank
  std::vector<std::uint64_t>
      type_begin{};  ///< [types+1] first node of each type that occurs, over all ranks
  std::vector<std::uint64_t> node_rows{};  ///< [n] where each row begins
  std::vector<std::int64_t> weights{};     ///< [n x columns], node by node
  std::vector<std::uint64_t> edge_rows{};  ///< [e] of the edges in this rank's share of the file
  std::vector<Node> source{}, target{};    ///< [e] IDs over all types
  std::vector<std::uint64_t> offsets{0};   ///< [n+1]
  std::vector<Node> neighbors{};           ///< each neighbor once, loops left out

  std::size_t num_nodes() const noexcept { return node_rows.size(); }
  distributed_graph_view<Node> graph() const noexcept {
    return {ranges,
            offsets,
            neighbors,
            weights,
            std::max<std::size_t>(1, static_cast<std::size_t>(stats.weights)),
            {}};
  }
};

/// The files of K parts and of the assignment, as write_parmetis_share makes them.
inline std::vector<std::string> parmetis_part_files(const parmetis_names& names,
                                                    std::uint64_t parts) {
  std::vector<std::string> out;
  for (std::uint64_t p = 0; p < parts; ++p) {
    out.push_back(names.part_nodes(p));
    out.push_back(names.part_edges(p));
    out.push_back(names.part_stats(p));
  }
  out.push_back(names.assignment(parts));
  return out;
}

namespace detail {

/// A rank's share of a text: whole lines, those that begin in its share of the bytes.
inline std::string_view share_of_text(std::string_view text, std::size_t rank, std::size_t ranks) {
  const auto line_at_or_behind = [&](std::uint64_t byte) {
    if (byte == 0 || byte >= text.size())
      return static_cast<std::size_t>(std::min<std::uint64_t>(byte, text.size()));
    const auto found = text.find('\n', static_cast<std::size_t>(byte - 1));
    return found == std::string_view::npos ? text.size() : found + 1;
  };
  const id_range mine = block_range(text.size(), rank, ranks);
  const std::size_t begin = line_at_or_behind(mine.begin), end = line_at_or_behind(mine.end);
  return text.substr(begin, end - begin);
}

/// The sum of what the ranks before this one have. Inside run_collective().
template <communicator C>
std::uint64_t sum_before(const C& ranks, std::uint64_t mine) {
  const auto all = gather_numbers(ranks, mine);
  return std::accumulate(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(ranks.rank()),
                         std::uint64_t{0});
}

/// Open a file and cut this rank's share of it, lines numbered as in the whole. Inside
/// run_collective().
template <communicator C, file_opener Opener, executor Executor>
std::vector<text_piece> open_share(const C& ranks, const std::string& file, const Opener& open,
                                   std::size_t shortest, const Executor& executor,
                                   file_bytes& bytes) {
  bytes = open(file);
  const std::string name = file.substr(file.rfind('/') + 1);
  require_same(ranks, glance_at(as_text(bytes.bytes)), "reads another " + name + " than",
               "it must be the same for all ranks");
  const std::string_view mine = share_of_text(as_text(bytes.bytes),
                                              static_cast<std::size_t>(ranks.rank()),
                                              static_cast<std::size_t>(ranks.size()));
  auto pieces = cut_text(mine, shortest, executor);
  const std::uint64_t before = sum_before(ranks,
                                          count_line_ends(mine.data(), mine.data() + mine.size()));
  for (auto& piece : pieces) piece.first_line += before;
  return pieces;
}

template <std::size_t Count>
using words = std::array<std::uint64_t, Count>;

/// What read_parmetis_share does, inside run_collective().
template <id Node, communicator C, file_opener Opener, executor Executor>
parmetis_share<Node> read_share(const C& ranks, const std::string& folder, const std::string& graph,
                                const Opener& open, const Executor& executor) {
  const auto rank = static_cast<std::size_t>(ranks.rank()),
             size = static_cast<std::size_t>(ranks.size());
  parmetis_share<Node> out;
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
  std::vector<std::vector<std::int64_t>> weights;
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
  out.weights.reserve(nodes * columns);
  for (std::size_t v = 0; v < nodes; ++v) {
    for (std::size_t c = 0; c < columns; ++c) out.weights.push_back(weights[c][v]);
  }
  weights = {};
  // Types ascend, from rank to rank too.
  const auto last_types = gather_numbers(ranks, nodes == 0 ? ~std::uint64_t{0} : types.back());
  std::uint64_t before = 0;
  for (std::size_t r = 0; r < rank; ++r)
    before = last_types[r] == ~std::uint64_t{0} ? before : last_types[r];
  for (std::size_t v = 0; v < nodes; ++v) {
    const std::uint64_t previous = v == 0 ? before : types[v - 1];
    if (types[v] < previous)
      raise_type_order(node_text, node_file, out.node_rows[v], types[v], previous);
  }
  check_peers(ranks);  // what is wrong is told in the order in which one rank would tell it
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
  // The IDs in a type are 0 to its count - 1, each once: a place each among all nodes, looked at by
  // the rank that has it.
  for (std::size_t v = 0; v < nodes; ++v) {
    if (typed[v] >= of_type[types[v]])
      raise_typed_range(node_text, node_file, out.node_rows[v], columns, typed[v],
                        of_type[types[v]], stats_file);
  }
  {
    std::vector<words<2>> records;
    records.reserve(nodes);
    for (std::size_t v = 0; v < nodes; ++v)
      records.push_back({begin_of_type[types[v]] + typed[v], out.node_rows[v]});
    const auto came = send_records(
        ranks, std::span<const words<2>>(records),
        [&](const words<2>& one) { return rank_of_node(out.ranges, one[0]); });
    std::vector<std::uint64_t> row_of(nodes, ~std::uint64_t{0});
    std::uint64_t twice = ~std::uint64_t{0}, which = 0;
    for (const auto& [place, row_there] : came) {
      auto& row = row_of[static_cast<std::size_t>(place - first)];
      const std::uint64_t later = row == ~std::uint64_t{0} ? row : std::max(row, row_there);
      if (later < twice) {
        twice = later;
        which = place;
      }
      row = std::min(row, row_there);
    }
    if (twice != ~std::uint64_t{0}) {
      const auto type = count_not_above<std::uint64_t>(begin_of_type, which) - 1;
      raise_typed_twice(node_text, node_file, twice, columns, which - begin_of_type[type],
                        stats_file);
    }
  }

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
  // Each pair goes to the ranks of both its ends.
  std::vector<std::array<Node, 2>> pairs;
  pairs.reserve(2 * out.source.size());
  for (std::size_t e = 0; e < out.source.size(); ++e) {
    const Node u = out.source[e], v = out.target[e];
    if (u == v) continue;
    pairs.push_back({u, v});
    pairs.push_back({v, u});
  }
  auto came = send_records(ranks, std::span<const std::array<Node, 2>>(pairs),
                           [&](const auto& one) {
                             return rank_of_node(out.ranges, static_cast<std::uint64_t>(one[0]));
                           });
  pairs = {};
  std::vector<std::uint64_t> begin(nodes + 1);
  const auto place_of = [&](Node v) {
    return static_cast<std::size_t>(static_cast<std::uint64_t>(v) - first);
  };
  for (const auto& one : came) ++begin[place_of(one[0]) + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<Node> rows(came.size());
  {
    auto at = begin;
    for (const auto& one : came) rows[static_cast<std::size_t>(at[place_of(one[0])]++)] = one[1];
  }
  came = {};
  std::size_t kept = 0;
  out.offsets.reserve(nodes + 1);
  for (std::size_t v = 0; v < nodes; ++v) {
    const auto from = rows.begin() + static_cast<std::ptrdiff_t>(begin[v]),
               to = rows.begin() + static_cast<std::ptrdiff_t>(begin[v + 1]);
    std::sort(from, to);
    kept = static_cast<std::size_t>(
        std::copy(from, std::unique(from, to), rows.begin() + static_cast<std::ptrdiff_t>(kept)) -
        rows.begin());
    out.offsets.push_back(kept);
  }
  rows.resize(kept);
  rows.shrink_to_fit();
  out.neighbors = std::move(rows);
  return out;
}

}  // namespace detail

/// Read this rank's share of X_nodes.txt and X_edges.txt. Collective.
///
/// @param folder    where they are; every rank can open them
/// @param open      opens files; mapped ones are read where the rank's share is, others as a whole
/// @param executor  parses pieces of the share
/// @errors          those of read_parmetis_graph, the same on every rank; mismatch: files of other
///     sizes or beginnings on one
/// @complexity      O(bytes / R) time; memory for n nodes and e edges of the rank about 8 n x
///     (weights + 2) bytes, and ten Nodes for each of its e edges on their way, of which four stay
/// @source          formats: ParMETIS files, sections 1 and 2
template <id Node = std::uint64_t, communicator C, file_opener Opener,
          executor Executor = sequential>
parmetis_share<Node> read_parmetis_share(const C& ranks, const std::string& folder,
                                         const std::string& graph, const Opener& open,
                                         const Executor& executor = {}) {
  std::optional<parmetis_share<Node>> out;
  run_collective(ranks,
                 [&] { out = detail::read_share<Node>(ranks, folder, graph, open, executor); });
  return std::move(*out);
}

namespace detail {

/// What write_parmetis_share does, inside run_collective().
template <communicator C, id Node>
parmetis_write_result write_share(const C& ranks, const parmetis_share<Node>& in,
                                  std::span<const part_id> owner, std::uint64_t parts,
                                  const std::string& folder,
                                  const parmetis_write_options& options) {
  const auto rank = static_cast<std::size_t>(ranks.rank()),
             size = static_cast<std::size_t>(ranks.size());
  const std::size_t nodes = in.num_nodes(), types = in.type_begin.size() - 1,
                    count = static_cast<std::size_t>(parts);
  const std::uint64_t first = in.ranges[rank], last = in.ranges[rank + 1];
  require_same(
      ranks,
      std::to_string(parts) + (options.duplicates == parmetis_duplicates::last ? " last" : " keep"),
      "writes other parts than",
      "their number and what becomes of duplicates must be the same on all ranks");
  if (owner.size() != nodes)
    raise(errc::mismatch, "there are " + std::to_string(owner.size()) + " parts for " +
                              std::to_string(nodes) + " nodes; it must be one each");
  for (std::size_t v = 0; v < nodes; ++v) {
    if (owner[v] >= parts) {
      raise(errc::out_of_range, "node " + std::to_string(first + v) + " is in part " +
                                    std::to_string(owner[v]) + "; parts are 0 to " +
                                    std::to_string(parts == 0 ? 0 : parts - 1));
    }
  }
  // New IDs ascend by part, type and old ID: those of this rank's nodes follow those of the ranks
  // before, cell by cell.
  const std::size_t cells = count * types;
  std::vector<std::uint64_t> cell_of(nodes), mine(cells), all, bounds(cells + 1), next(cells);
  std::size_t type = 0;
  for (std::size_t v = 0; v < nodes; ++v) {
    while (first + v >= in.type_begin[type + 1]) ++type;
    cell_of[v] = owner[v] * types + type;
    ++mine[static_cast<std::size_t>(cell_of[v])];
  }
  all = gather_numbers(ranks, mine);
  for (std::size_t c = 0; c < cells; ++c) {
    next[c] = bounds[c + 1] = bounds[c];
    for (std::size_t r = 0; r < size; ++r) {
      bounds[c + 1] += all[r * cells + c];
      if (r < rank) next[c] += all[r * cells + c];
    }
  }
  all = {};
  std::vector<std::uint64_t> fresh(nodes);
  for (std::size_t v = 0; v < nodes; ++v) fresh[v] = next[static_cast<std::size_t>(cell_of[v])]++;
  cell_of = {};
  const auto part_of = [&](std::uint64_t id_of_new) {
    return range_of<std::uint64_t>(bounds, id_of_new) / types;
  };
  const auto writer_of = [&](std::uint64_t id_of_new) {
    return static_cast<std::size_t>(block_range_of(parts, part_of(id_of_new), size));
  };

  // To the writers: (new ID, row) of nodes, (new target, row, new source) of edges.
  std::vector<words<2>> node_rows;
  node_rows.reserve(nodes);
  for (std::size_t v = 0; v < nodes; ++v) node_rows.push_back({fresh[v], in.node_rows[v]});
  node_rows = send_records(ranks, std::span<const words<2>>(node_rows),
                           [&](const words<2>& one) { return writer_of(one[0]); });
  std::vector<std::uint64_t> wanted;
  {
    const auto sources = remote_nodes(in.source, first, last),
               targets = remote_nodes(in.target, first, last);
    std::set_union(sources.begin(), sources.end(), targets.begin(), targets.end(),
                   std::back_inserter(wanted));
  }
  const auto theirs = values_of_nodes(ranks, in.ranges, wanted,
                                      [&](std::size_t v) { return fresh[v]; });
  const auto new_id = [&](Node node) {
    const auto v = static_cast<std::uint64_t>(node);
    return v >= first && v < last
               ? fresh[static_cast<std::size_t>(v - first)]
               : theirs[static_cast<std::size_t>(std::lower_bound(wanted.begin(), wanted.end(), v) -
                                                 wanted.begin())];
  };
  std::vector<words<3>> edge_rows;
  edge_rows.reserve(in.source.size());
  for (std::size_t e = 0; e < in.source.size(); ++e)
    edge_rows.push_back({new_id(in.target[e]), in.edge_rows[e], new_id(in.source[e])});
  edge_rows = send_records(ranks, std::span<const words<3>>(edge_rows),
                           [&](const words<3>& one) { return writer_of(one[0]); });

  // Loops, duplicates, dropped, bytes, then nodes and edges of each part.
  std::vector<std::uint64_t> sums(4 + 2 * count);
  std::sort(node_rows.begin(), node_rows.end());
  std::sort(edge_rows.begin(), edge_rows.end());
  const std::string_view node_text = as_text(in.node_text.bytes),
                         edge_text = as_text(in.edge_text.bytes);
  const id_range own = block_range(parts, rank, size);
  std::size_t node = 0, edge = 0;
  std::vector<std::pair<std::uint64_t, std::size_t>> sources;
  std::vector<bool> repeated;
  for (std::uint64_t p = own.begin; p < own.end; ++p) {
    if (options.on_progress) options.on_progress({"write", p - own.begin, own.size(), "parts"});
    const std::uint64_t end = bounds[static_cast<std::size_t>(p + 1) * types];
    auto& part_nodes = sums[4 + static_cast<std::size_t>(p)];
    auto& part_edges = sums[4 + count + static_cast<std::size_t>(p)];
    const auto close = [&](text_writer& file) {
      file.close();
      sums[3] += file.size();
    };
    text_writer file(path_in(folder, in.names.part_nodes(p)));
    for (; node < node_rows.size() && node_rows[node][0] < end; ++node, ++part_nodes) {
      file.number(node_rows[node][0])
          .put(' ')
          .text(line_from(node_text, node_rows[node][1]))
          .put('\n');
    }
    close(file);
    text_writer edges(path_in(folder, in.names.part_edges(p)));
    while (edge < edge_rows.size() && edge_rows[edge][0] < end) {
      const std::uint64_t target = edge_rows[edge][0];
      std::size_t behind = edge;
      sources.clear();
      for (; behind < edge_rows.size() && edge_rows[behind][0] == target; ++behind) {
        sources.emplace_back(edge_rows[behind][2], behind - edge);
        sums[0] += edge_rows[behind][2] == target ? 1u : 0u;
      }
      // Of equal sources the last row stands.
      std::sort(sources.begin(), sources.end());
      repeated.assign(behind - edge, false);
      for (std::size_t i = 0; i + 1 < sources.size(); ++i) {
        if (sources[i].first != sources[i + 1].first) continue;
        repeated[sources[i].second] = true;
        ++sums[1];
      }
      for (std::size_t k = edge; k < behind; ++k) {
        if (repeated[k - edge] && options.duplicates == parmetis_duplicates::last) {
          ++sums[2];
          continue;
        }
        edges.number(edge_rows[k][2])
            .put(' ')
            .number(target)
            .put(' ')
            .text(line_from(edge_text, edge_rows[k][1]))
            .put('\n');
        ++part_edges;
      }
      edge = behind;
    }
    close(edges);
    text_writer stats(path_in(folder, in.names.part_stats(p)));
    stats.number(part_nodes)
        .put(' ')
        .number(part_edges)
        .put(' ')
        .number(in.stats.weights)
        .put('\n');
    close(stats);
  }
  // The assignment, slice by slice, over rank 0. A disk that is full there stops all.
  constexpr std::size_t slice = std::size_t{1} << 16;
  std::vector<part_id> piece;
  std::optional<text_writer> file;
  if (rank == 0) file.emplace(path_in(folder, in.names.assignment(parts)));
  for (std::size_t root = 0; root < size; ++root) {
    for (std::uint64_t begin = in.ranges[root]; begin < in.ranges[root + 1]; begin += slice) {
      const auto length = static_cast<std::size_t>(
          std::min<std::uint64_t>(slice, in.ranges[root + 1] - begin));
      if (root == rank)
        piece.assign(owner.begin() + static_cast<std::ptrdiff_t>(begin - first),
                     owner.begin() + static_cast<std::ptrdiff_t>(begin - first + length));
      else
        piece.resize(length);
      check_peers(ranks);
      check_ranks(ranks.broadcast(std::as_writable_bytes(std::span(piece)), root));
      for (std::size_t i = 0; i < piece.size() && file; ++i)
        file->number(begin + i).put(' ').number(piece[i]).put('\n');
    }
  }
  if (file) {
    file->close();
    sums[3] += file->size();
  }
  check_peers(ranks);
  check_ranks(ranks.sum(sums));
  if (options.on_progress) options.on_progress({"write", parts, parts, "parts"});
  parmetis_write_result out;
  out.loops = sums[0];
  out.duplicates = sums[1];
  out.dropped = sums[2];
  out.bytes = sums[3];
  out.part_nodes.assign(sums.begin() + 4, sums.begin() + 4 + static_cast<std::ptrdiff_t>(count));
  out.part_edges.assign(sums.begin() + 4 + static_cast<std::ptrdiff_t>(count), sums.end());
  return out;
}

}  // namespace detail

/// Write the parts: each rank those that block_range gives it, rank 0 the assignment too.
/// Collective.
///
/// @param in      this rank's share
/// @param owner   [n] part of each of its nodes, each below `parts`
/// @param parts   K
/// @param folder  where the files go, the same for every rank (a staged one: parmetis_part_files
///     says what will be in it)
/// @return        the same on every rank
/// @errors        mismatch, out_of_range: owner; mismatch: another number of parts, or other
///     options, on one rank; io; the same on every rank
/// @complexity    O((V + E) / R + bytes of the rank's parts) time; memory 24 bytes for each edge of
///     the rank's parts and of its share
/// @repeatable    the bytes of write_parmetis_parts, for any number of ranks
template <communicator C, id Node>
parmetis_write_result write_parmetis_share(const C& ranks, const parmetis_share<Node>& in,
                                           std::span<const part_id> owner, std::uint64_t parts,
                                           const std::string& folder,
                                           const parmetis_write_options& options = {}) {
  parmetis_write_result out;
  run_collective(ranks,
                 [&] { out = detail::write_share(ranks, in, owner, parts, folder, options); });
  return out;
}

}  // namespace halograph
