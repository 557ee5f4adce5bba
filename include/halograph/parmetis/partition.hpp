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

/// How write_parmetis_parts() and write_parmetis_share() write.
struct parmetis_write_options {
  parmetis_duplicates duplicates = parmetis_duplicates::keep;  ///< what to do with repeated edges
  progress_callback on_progress{};  ///< called with parts written; empty: no reports
};

/// What was written, by all ranks together.
struct parmetis_write_result {
  /// [K] nodes of each part
  std::vector<std::uint64_t> part_nodes{}, part_edges{};  ///< [K] edges written of each part
  std::uint64_t loops = 0;                                ///< self-loops among the edges
  std::uint64_t duplicates = 0;  ///< edges whose source and target a later edge has
  std::uint64_t dropped = 0;     ///< of those, not written
  std::uint64_t bytes = 0;       ///< of all files
};

/// The files of K parts and of the assignment, as they are written.
std::vector<std::string> parmetis_part_files(const parmetis_names& names, std::uint64_t parts);

namespace detail {

/// What writing parts does at any width of IDs: numbers the nodes, sends rows to the ranks that
/// write them, and writes all but the edges. Inside run_collective().
class share_writer {
 public:
  /// Number the nodes. @param open  open(name): a text_writer for the file of that name
  share_writer(communicator_ref ranks, const parmetis_row_places& in,
               std::span<const part_id> owner, std::uint64_t parts,
               function_ref<text_writer(const std::string&)> open,
               const parmetis_write_options& options);

  /// Fetch the new IDs of nodes of other ranks. @param wanted  ascending
  void fetch(std::vector<std::uint64_t> wanted);
  std::uint64_t new_id(std::uint64_t v) const {
    return v >= first_ && v < last_
               ? fresh_[static_cast<std::size_t>(v - first_)]
               : theirs_[static_cast<std::size_t>(
                     std::lower_bound(wanted_.begin(), wanted_.end(), v) - wanted_.begin())];
  }
  /// Place the rows of the nodes of this rank's parts.
  void place_nodes();
  /// Send edges to the ranks that write them. @param edges  (row, new target, new source)
  /// @return those of this rank's parts, by row
  std::vector<words<3>> exchange(std::vector<words<3>> edges) const;
  /// A new ID of this rank's parts, counted from the first of them.
  std::size_t place_of(std::uint64_t id_of_new) const noexcept {
    return static_cast<std::size_t>(id_of_new - own_begin_);
  }
  std::size_t num_places() const noexcept { return node_rows_.size(); }

  const id_range& own() const noexcept { return own_; }
  /// The new IDs of a part.
  id_range nodes_of(std::uint64_t part) const {
    return {bounds_[static_cast<std::size_t>(part) * types_],
            bounds_[static_cast<std::size_t>(part + 1) * types_]};
  }
  bool keeps_last() const noexcept { return options_.duplicates == parmetis_duplicates::last; }
  /// Write a part's nodes, and open the file of its edges.
  text_writer begin_part(std::uint64_t part);
  void end_part(std::uint64_t part, text_writer& edges, std::uint64_t part_edges);
  /// Write the assignment, and sum up over all ranks.
  parmetis_write_result finish();

  std::uint64_t loops = 0, duplicates = 0, dropped = 0;  // of the edges written here

 private:
  void close(text_writer& file) {
    file.close();
    sums_[3] += file.size();
  }

  communicator_ref ranks_;
  const parmetis_row_places& in_;
  std::span<const part_id> owner_;
  std::uint64_t parts_;
  function_ref<text_writer(const std::string&)> open_;
  const parmetis_write_options& options_;
  std::size_t rank_, size_, types_;
  std::uint64_t first_, last_;           // own nodes
  std::vector<std::uint64_t> bounds_{};  // [K x types + 1] new IDs of each cell
  std::vector<std::uint64_t> fresh_{};   // [n] new IDs of own nodes
  std::vector<std::uint64_t> wanted_{}, theirs_{};
  id_range own_{};                             // own parts
  std::uint64_t own_begin_ = 0, own_end_ = 0;  // their new IDs
  std::vector<std::uint64_t> node_rows_{};     // of their nodes
  std::vector<std::uint64_t>
      sums_{};  // loops, duplicates, dropped, bytes, nodes and edges of parts
};

/// Write this rank's parts. Inside run_collective().
/// @param open  open(name): a text_writer for the file of that name
template <id Node>
parmetis_write_result write_share(communicator_ref ranks, const parmetis_rows<Node>& in,
                                  std::span<const part_id> owner, std::uint64_t parts,
                                  function_ref<text_writer(const std::string&)> open,
                                  const parmetis_write_options& options) {
  share_writer writer(ranks, in, owner, parts, open, options);
  const auto rank = static_cast<std::size_t>(ranks.rank());
  {
    const std::uint64_t first = in.ranges[rank], last = in.ranges[rank + 1];
    const auto sources = remote_nodes(in.source, first, last),
               targets = remote_nodes(in.target, first, last);
    std::vector<std::uint64_t> wanted;
    std::set_union(sources.begin(), sources.end(), targets.begin(), targets.end(),
                   std::back_inserter(wanted));
    writer.fetch(std::move(wanted));
  }
  writer.place_nodes();

  // The rows of this rank's parts by new ID; the edges of a target in the order of the file.
  std::vector<std::uint64_t> edge_begin(writer.num_places() + 1), edge_rows;
  std::vector<Node> edge_sources;
  const auto place_edges = [&](const auto& for_each_edge) {
    for_each_edge([&](std::uint64_t target, std::uint64_t, std::uint64_t) {
      ++edge_begin[writer.place_of(target) + 1];
    });
    std::partial_sum(edge_begin.begin(), edge_begin.end(), edge_begin.begin());
    edge_rows.resize(static_cast<std::size_t>(edge_begin.back()));
    edge_sources.resize(edge_rows.size());
    for_each_edge([&](std::uint64_t target, std::uint64_t row, std::uint64_t source) {
      const auto at = static_cast<std::size_t>(edge_begin[writer.place_of(target)]++);
      edge_rows[at] = row;
      edge_sources[at] = static_cast<Node>(source);
    });
    // Each entry has become the end of its target's edges, the beginning of the next one's.
    std::copy_backward(edge_begin.begin(), edge_begin.end() - 1, edge_begin.end());
    edge_begin[0] = 0;
  };
  const auto for_each_own_edge = [&](const auto& visit) {
    for (std::size_t e = 0; e < in.source.size(); ++e)
      visit(writer.new_id(static_cast<std::uint64_t>(in.target[e])), in.edge_rows[e],
            writer.new_id(static_cast<std::uint64_t>(in.source[e])));
  };
  if (ranks.size() == 1) {
    place_edges(for_each_own_edge);
  } else {
    std::vector<words<3>> edges;
    edges.reserve(in.source.size());
    for_each_own_edge([&](std::uint64_t target, std::uint64_t row, std::uint64_t source) {
      edges.push_back({row, target, source});
    });
    edges = writer.exchange(std::move(edges));
    place_edges([&](const auto& visit) {
      for (const auto& [row, target, source] : edges) visit(target, row, source);
    });
  }

  const std::string_view edge_text = as_text(in.edge_text.bytes);
  std::vector<std::pair<Node, std::size_t>> sources;
  std::vector<bool> repeated;
  for (std::uint64_t p = writer.own().begin; p < writer.own().end; ++p) {
    text_writer edges = writer.begin_part(p);
    const id_range nodes = writer.nodes_of(p);
    std::uint64_t part_edges = 0;
    for (std::uint64_t target = nodes.begin; target < nodes.end; ++target) {
      const auto from = static_cast<std::size_t>(edge_begin[writer.place_of(target)]),
                 to = static_cast<std::size_t>(edge_begin[writer.place_of(target) + 1]);
      sources.clear();
      for (std::size_t k = from; k < to; ++k) {
        sources.emplace_back(edge_sources[k], k - from);
        writer.loops += static_cast<std::uint64_t>(edge_sources[k]) == target ? 1u : 0u;
      }
      // The last of the rows with equal sources is the one to keep.
      std::sort(sources.begin(), sources.end());
      repeated.assign(to - from, false);
      for (std::size_t i = 0; i + 1 < sources.size(); ++i) {
        if (sources[i].first != sources[i + 1].first) continue;
        repeated[sources[i].second] = true;
        ++writer.duplicates;
      }
      for (std::size_t k = from; k < to; ++k) {
        if (repeated[k - from] && writer.keeps_last()) {
          ++writer.dropped;
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
    writer.end_part(p, edges, part_edges);
  }
  return writer.finish();
}

#if HALOGRAPH_COMPILED
// Instantiated in the compiled library (impl/widths.ipp).
extern template parmetis_write_result write_share(communicator_ref,
                                                  const parmetis_rows<std::uint32_t>&,
                                                  std::span<const part_id>, std::uint64_t,
                                                  function_ref<text_writer(const std::string&)>,
                                                  const parmetis_write_options&);
extern template parmetis_write_result write_share(communicator_ref,
                                                  const parmetis_rows<std::uint64_t>&,
                                                  std::span<const part_id>, std::uint64_t,
                                                  function_ref<text_writer(const std::string&)>,
                                                  const parmetis_write_options&);
#endif

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
///     what will be in it)
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
