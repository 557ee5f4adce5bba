// SPDX-License-Identifier: BSL-1.0
/// @file partition.hpp
/// Write an assignment as the files that ParMETIS's program pm_dglpart writes, on one rank or
/// several, so that any partitioner can replace it.
/// Layer: parmetis. Words: README.md. The format is described in parmetis/files.hpp.
///
/// Several ranks write the same bytes as one. Nothing is gathered on one rank: rows travel between
/// ranks as offsets into the files, which all ranks can open.
#pragma once

#include <halograph/comm/collective_errors.hpp>
#include <halograph/comm/owner_fetch.hpp>
#include <halograph/core/block_range.hpp>
#include <halograph/core/communicator.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/core/search.hpp>
#include <halograph/parmetis/files.hpp>
#include <halograph/parmetis/graph.hpp>
#include <halograph/partition/distributed/remote_values.hpp>
#include <halograph/serial/files/path.hpp>
#include <halograph/serial/text/writer.hpp>

#include <algorithm>
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

/// What to do with repeated edges.
enum class parmetis_duplicates : std::uint8_t {
  keep,  ///< every edge goes to its part
  last   ///< keep only the last row of equal (source, target), of any types, as pm_dglpart does
};

struct parmetis_write_options {
  parmetis_duplicates duplicates = parmetis_duplicates::keep;
  progress_callback on_progress{};
};

struct parmetis_write_result {
  std::vector<std::uint64_t> part_nodes{}, part_edges{};  ///< [K]
  std::uint64_t loops = 0;                                ///< self-loops among the edges
  std::uint64_t duplicates = 0;  ///< edges whose source and target another edge has
  std::uint64_t dropped = 0;     ///< of those, not written
  std::uint64_t bytes = 0;       ///< of all files
};

/// The files of K parts and of the assignment, as they are written.
std::vector<std::string> parmetis_part_files(const parmetis_names& names, std::uint64_t parts);

namespace detail {

/// Write this rank's parts. Inside run_collective().
/// @param open  open(name): a text_writer for the file of that name
template <id Node>
parmetis_write_result write_share(communicator_ref ranks, const parmetis_rows<Node>& in,
                                  std::span<const part_id> owner, std::uint64_t parts,
                                  function_ref<text_writer(const std::string&)> open,
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
                              std::to_string(nodes) + " nodes; there must be one for each");
  for (std::size_t v = 0; v < nodes; ++v) {
    if (owner[v] >= parts) {
      raise(errc::out_of_range, "node " + std::to_string(first + v) + " is in part " +
                                    std::to_string(owner[v]) + "; parts are 0 to " +
                                    std::to_string(parts == 0 ? 0 : parts - 1));
    }
  }
  // New IDs ascend by part, type and old ID: in each cell, this rank's nodes follow those of
  // earlier ranks.
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

  // The rows of this rank's parts by new ID; the edges of a target in the order of the file.
  const id_range own = block_range(parts, rank, size);
  const std::uint64_t own_begin = bounds[static_cast<std::size_t>(own.begin) * types],
                      own_end = bounds[static_cast<std::size_t>(own.end) * types];
  const auto place_of = [&](std::uint64_t id_of_new) {
    return static_cast<std::size_t>(id_of_new - own_begin);
  };
  std::vector<std::uint64_t> node_rows(static_cast<std::size_t>(own_end - own_begin)),
      edge_begin(node_rows.size() + 1), edge_rows;
  std::vector<Node> edge_sources;
  const auto place_edges = [&](const auto& for_each_edge) {
    for_each_edge([&](std::uint64_t target, std::uint64_t, std::uint64_t) {
      ++edge_begin[place_of(target) + 1];
    });
    std::partial_sum(edge_begin.begin(), edge_begin.end(), edge_begin.begin());
    edge_rows.resize(static_cast<std::size_t>(edge_begin.back()));
    edge_sources.resize(edge_rows.size());
    for_each_edge([&](std::uint64_t target, std::uint64_t row, std::uint64_t source) {
      const auto at = static_cast<std::size_t>(edge_begin[place_of(target)]++);
      edge_rows[at] = row;
      edge_sources[at] = static_cast<Node>(source);
    });
    // Each entry has become the end of its target's edges, the beginning of the next one's.
    std::copy_backward(edge_begin.begin(), edge_begin.end() - 1, edge_begin.end());
    edge_begin[0] = 0;
  };
  const auto for_each_own_edge = [&](const auto& visit) {
    for (std::size_t e = 0; e < in.source.size(); ++e)
      visit(new_id(in.target[e]), in.edge_rows[e], new_id(in.source[e]));
  };
  if (size == 1) {
    for (std::size_t v = 0; v < nodes; ++v) node_rows[place_of(fresh[v])] = in.node_rows[v];
    place_edges(for_each_own_edge);
  } else {
    std::vector<words<2>> nodes_sent;  // (new ID, row)
    nodes_sent.reserve(nodes);
    for (std::size_t v = 0; v < nodes; ++v) nodes_sent.push_back({fresh[v], in.node_rows[v]});
    nodes_sent = send_records(ranks, std::span<const words<2>>(nodes_sent),
                              [&](const words<2>& one) { return writer_of(one[0]); });
    for (const auto& [id_of_new, row] : nodes_sent) node_rows[place_of(id_of_new)] = row;
    nodes_sent = {};
    std::vector<words<3>> edges_sent;  // (row, new target, new source)
    edges_sent.reserve(in.source.size());
    for_each_own_edge([&](std::uint64_t target, std::uint64_t row, std::uint64_t source) {
      edges_sent.push_back({row, target, source});
    });
    edges_sent = send_records(ranks, std::span<const words<3>>(edges_sent),
                              [&](const words<3>& one) { return writer_of(one[1]); });
    std::sort(edges_sent.begin(), edges_sent.end());
    place_edges([&](const auto& visit) {
      for (const auto& [row, target, source] : edges_sent) visit(target, row, source);
    });
  }

  // Loops, duplicates, dropped, bytes, then nodes and edges of each part.
  std::vector<std::uint64_t> sums(4 + 2 * count);
  const std::string_view node_text = as_text(in.node_text.bytes),
                         edge_text = as_text(in.edge_text.bytes);
  std::vector<std::pair<Node, std::size_t>> sources;
  std::vector<bool> repeated;
  const auto close = [&](text_writer& file) {
    file.close();
    sums[3] += file.size();
  };
  for (std::uint64_t p = own.begin; p < own.end; ++p) {
    if (options.on_progress) options.on_progress({"write", p - own.begin, own.size(), "parts"});
    const std::uint64_t begin = bounds[static_cast<std::size_t>(p) * types],
                        end = bounds[static_cast<std::size_t>(p + 1) * types];
    const std::uint64_t part_nodes = end - begin;
    std::uint64_t part_edges = 0;
    text_writer file = open(in.names.part_nodes(p));
    for (std::uint64_t node = begin; node < end; ++node)
      file.number(node).put(' ').text(line_from(node_text, node_rows[place_of(node)])).put('\n');
    close(file);
    text_writer edges = open(in.names.part_edges(p));
    for (std::uint64_t target = begin; target < end; ++target) {
      const auto from = static_cast<std::size_t>(edge_begin[place_of(target)]),
                 to = static_cast<std::size_t>(edge_begin[place_of(target) + 1]);
      sources.clear();
      for (std::size_t k = from; k < to; ++k) {
        sources.emplace_back(edge_sources[k], k - from);
        sums[0] += static_cast<std::uint64_t>(edge_sources[k]) == target ? 1u : 0u;
      }
      // The last of the rows with equal sources is the one to keep.
      std::sort(sources.begin(), sources.end());
      repeated.assign(to - from, false);
      for (std::size_t i = 0; i + 1 < sources.size(); ++i) {
        if (sources[i].first != sources[i + 1].first) continue;
        repeated[sources[i].second] = true;
        ++sums[1];
      }
      for (std::size_t k = from; k < to; ++k) {
        if (repeated[k - from] && options.duplicates == parmetis_duplicates::last) {
          ++sums[2];
          continue;
        }
        edges.number(edge_sources[k])
            .put(' ')
            .number(target)
            .put(' ')
            .text(line_from(edge_text, edge_rows[k]))
            .put('\n');
        ++part_edges;
      }
    }
    close(edges);
    text_writer stats = open(in.names.part_stats(p));
    write_stats(stats, {part_nodes, part_edges, in.stats.weights});
    close(stats);
    sums[4 + static_cast<std::size_t>(p)] = part_nodes;
    sums[4 + count + static_cast<std::size_t>(p)] = part_edges;
  }
  // The assignment, slice by slice, through rank 0. A full disk there fails all ranks.
  constexpr std::size_t slice = std::size_t{1} << 16;
  std::vector<part_id> piece;
  std::optional<text_writer> file;
  if (rank == 0) file.emplace(open(in.names.assignment(parts)));
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
  if (file) close(*file);
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

/// Write `p000-X_nodes.txt`, `p000-X_edges.txt`, `p000-X_stats.txt` and so on for each part, three
/// digits or more, and X_part.K.
///
/// New IDs ascend by part, type and original ID. A part's edge file holds the edges that end in it,
/// by new target, and those of one target in the order of X_edges.txt. `p000-X_stats.txt` holds the
/// part's nodes, edges and the number of weight columns: the guide names the file, readers do not
/// need it.
///
/// @param in      the graph as read
/// @param owner   [V] part of each node, each below `parts`
/// @param parts   K
/// @param output  anything with add(name) and path(): staged_folder, staged_files; not committed
///     here
/// @errors        mismatch, out_of_range: owner; io
/// @complexity    O(V + E log(degree) + bytes) time; memory E x (sizeof(node) + 8) + 24 V bytes and
///     one buffer, whatever the text
/// @repeatable    yes
/// @source        formats: ParMETIS files, section 2
template <id Node, class Output>
parmetis_write_result write_parmetis_parts(const parmetis_rows<Node>& in,
                                           std::span<const part_id> owner, std::uint64_t parts,
                                           Output& output,
                                           const parmetis_write_options& options = {}) {
  const auto open = [&](const std::string& name) {
    output.add(name);
    return text_writer(path_in(output.path(), name));
  };
  return detail::write_share(single_rank{}, in, owner, parts, open, options);
}

/// Write the parts: each rank writes those of its block_range, rank 0 also the assignment.
/// Collective.
///
/// @param in      this rank's share
/// @param owner   [n] part of each of its nodes, each below `parts`
/// @param parts   K
/// @param folder  of the files, the same for every rank (a staged one: parmetis_part_files lists
/// what
///     will be in it)
/// @return        the same on every rank
/// @errors        mismatch, out_of_range: owner; mismatch: the number of parts or options differ
/// between ranks; io; the
///     same on every rank
/// @complexity    O((V + E) / R + bytes of the rank's parts) time; memory 24 bytes for each edge of
///     the rank's parts and of its share
/// @repeatable    the bytes of write_parmetis_parts, for any number of ranks
template <id Node>
parmetis_write_result write_parmetis_share(communicator_ref ranks, const parmetis_rows<Node>& in,
                                           std::span<const part_id> owner, std::uint64_t parts,
                                           const std::string& folder,
                                           const parmetis_write_options& options = {}) {
  parmetis_write_result out;
  const auto open = [&](const std::string& name) { return text_writer(path_in(folder, name)); };
  run_collective(ranks, [&] { out = detail::write_share(ranks, in, owner, parts, open, options); });
  return out;
}

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/parmetis/impl/partition.ipp>
#endif
