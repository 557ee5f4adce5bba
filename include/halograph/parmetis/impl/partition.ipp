// SPDX-License-Identifier: BSL-1.0
/// @file partition.ipp
/// Bodies of the plain functions of parmetis/partition.hpp.
/// Layer: parmetis. Words: README.md.
#pragma once

#include <halograph/comm/collective_errors.hpp>
#include <halograph/comm/owner_fetch.hpp>
#include <halograph/core/block_range.hpp>
#include <halograph/core/communicator.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/search.hpp>
#include <halograph/parmetis/files.hpp>
#include <halograph/parmetis/graph.hpp>
#include <halograph/parmetis/partition.hpp>
#include <halograph/partition/distributed.hpp>
#include <halograph/serial/text/cursor.hpp>
#include <halograph/serial/text/writer.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

HALOGRAPH_INLINE std::vector<std::string> parmetis_part_files(const parmetis_names& names,
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

HALOGRAPH_INLINE share_writer::share_writer(communicator_ref ranks, const parmetis_row_places& in,
                                            std::span<const part_id> owner, std::uint64_t parts,
                                            function_ref<text_writer(const std::string&)> open,
                                            const parmetis_write_options& options)
    : ranks_(ranks),
      in_(in),
      owner_(owner),
      parts_(parts),
      open_(open),
      options_(options),
      rank_(static_cast<std::size_t>(ranks.rank())),
      size_(static_cast<std::size_t>(ranks.size())),
      types_(in.type_begin.size() - 1),
      first_(in.ranges[rank_]),
      last_(in.ranges[rank_ + 1]) {
  const auto nodes = static_cast<std::size_t>(in.num_nodes()),
             count = static_cast<std::size_t>(parts);
  require_same(
      ranks,
      std::to_string(parts) + (options.duplicates == parmetis_duplicates::last ? " last" : " keep"),
      "writes other parts than",
      "their number and what becomes of duplicates must be the same on all ranks");
  if (owner.size() != nodes)
    raise(error_kind::mismatch, "there are " + std::to_string(owner.size()) + " parts for " +
                                    std::to_string(nodes) + " nodes; there must be one for each");
  for (std::size_t v = 0; v < nodes; ++v) {
    if (owner[v] >= parts) {
      raise(error_kind::out_of_range, "node " + std::to_string(first_ + v) + " is in part " +
                                          std::to_string(owner[v]) + "; parts are 0 to " +
                                          std::to_string(parts == 0 ? 0 : parts - 1));
    }
  }
  // New IDs ascend by part, type and old ID: in each cell, this rank's nodes follow those of
  // earlier ranks.
  const std::size_t cells = count * types_;
  std::vector<std::uint64_t> cell_of(nodes), mine(cells), next(cells);
  bounds_.resize(cells + 1);
  std::size_t type = 0;
  for (std::size_t v = 0; v < nodes; ++v) {
    while (first_ + v >= in.type_begin[type + 1]) ++type;
    cell_of[v] = owner[v] * types_ + type;
    ++mine[static_cast<std::size_t>(cell_of[v])];
  }
  {
    const auto all = gather_numbers(ranks, mine);
    for (std::size_t c = 0; c < cells; ++c) {
      next[c] = bounds_[c + 1] = bounds_[c];
      for (std::size_t r = 0; r < size_; ++r) {
        bounds_[c + 1] += all[r * cells + c];
        if (r < rank_) next[c] += all[r * cells + c];
      }
    }
  }
  fresh_.resize(nodes);
  for (std::size_t v = 0; v < nodes; ++v) fresh_[v] = next[static_cast<std::size_t>(cell_of[v])]++;
  own_ = block_range(parts, rank_, size_);
  own_begin_ = bounds_[static_cast<std::size_t>(own_.begin) * types_];
  own_end_ = bounds_[static_cast<std::size_t>(own_.end) * types_];
  sums_.resize(4 + 2 * count);
}

HALOGRAPH_INLINE void share_writer::fetch(std::vector<std::uint64_t> wanted) {
  wanted_ = std::move(wanted);
  theirs_ = values_of_nodes(ranks_, in_.ranges, wanted_, [&](std::size_t v) { return fresh_[v]; });
}

HALOGRAPH_INLINE void share_writer::place_nodes() {
  node_rows_.resize(static_cast<std::size_t>(own_end_ - own_begin_));
  const std::size_t nodes = fresh_.size();
  if (size_ == 1) {
    for (std::size_t v = 0; v < nodes; ++v) node_rows_[place_of(fresh_[v])] = in_.node_rows[v];
    return;
  }
  std::vector<words<2>> sent;  // (new ID, row)
  sent.reserve(nodes);
  for (std::size_t v = 0; v < nodes; ++v) sent.push_back({fresh_[v], in_.node_rows[v]});
  sent = send_records(ranks_, std::span<const words<2>>(sent), [&](const words<2>& one) {
    return static_cast<std::size_t>(
        block_range_of(parts_, range_of<std::uint64_t>(bounds_, one[0]) / types_, size_));
  });
  for (const auto& [id_of_new, row] : sent) node_rows_[place_of(id_of_new)] = row;
}

HALOGRAPH_INLINE std::vector<words<3>> share_writer::exchange(std::vector<words<3>> edges) const {
  edges = send_records(ranks_, std::span<const words<3>>(edges), [&](const words<3>& one) {
    return static_cast<std::size_t>(
        block_range_of(parts_, range_of<std::uint64_t>(bounds_, one[1]) / types_, size_));
  });
  std::sort(edges.begin(), edges.end());
  return edges;
}

HALOGRAPH_INLINE text_writer share_writer::begin_part(std::uint64_t part) {
  if (options_.on_progress)
    options_.on_progress({"write", part - own_.begin, own_.size(), "parts"});
  const std::string_view node_text = as_text(in_.node_text.bytes);
  const id_range nodes = nodes_of(part);
  text_writer file = open_(in_.names.part_nodes(part));
  for (std::uint64_t node = nodes.begin; node < nodes.end; ++node)
    file.number(node).put(' ').text(line_from(node_text, node_rows_[place_of(node)])).put('\n');
  close(file);
  return open_(in_.names.part_edges(part));
}

HALOGRAPH_INLINE void share_writer::end_part(std::uint64_t part, text_writer& edges,
                                             std::uint64_t part_edges) {
  close(edges);
  const std::uint64_t part_nodes = nodes_of(part).size();
  text_writer stats = open_(in_.names.part_stats(part));
  write_stats(stats, {part_nodes, part_edges, in_.stats.weights});
  close(stats);
  sums_[4 + static_cast<std::size_t>(part)] = part_nodes;
  sums_[4 + static_cast<std::size_t>(parts_) + static_cast<std::size_t>(part)] = part_edges;
}

HALOGRAPH_INLINE parmetis_write_result share_writer::finish() {
  // The assignment, slice by slice, through rank 0. A full disk there fails all ranks.
  constexpr std::size_t slice = std::size_t{1} << 16;
  std::vector<part_id> piece;
  std::optional<text_writer> file;
  if (rank_ == 0) file.emplace(open_(in_.names.assignment(parts_)));
  for (std::size_t root = 0; root < size_; ++root) {
    for (std::uint64_t begin = in_.ranges[root]; begin < in_.ranges[root + 1]; begin += slice) {
      const auto length = static_cast<std::size_t>(
          std::min<std::uint64_t>(slice, in_.ranges[root + 1] - begin));
      if (root == rank_)
        piece.assign(owner_.begin() + static_cast<std::ptrdiff_t>(begin - first_),
                     owner_.begin() + static_cast<std::ptrdiff_t>(begin - first_ + length));
      else
        piece.resize(length);
      check_peers(ranks_);
      check_ranks(ranks_.broadcast(std::as_writable_bytes(std::span(piece)), root));
      for (std::size_t i = 0; i < piece.size() && file; ++i)
        file->number(begin + i).put(' ').number(piece[i]).put('\n');
    }
  }
  if (file) close(*file);
  sums_[0] = loops;
  sums_[1] = duplicates;
  sums_[2] = dropped;
  check_peers(ranks_);
  check_ranks(ranks_.sum(sums_));
  if (options_.on_progress) options_.on_progress({"write", parts_, parts_, "parts"});
  const auto count = static_cast<std::ptrdiff_t>(parts_);
  parmetis_write_result out;
  out.loops = sums_[0];
  out.duplicates = sums_[1];
  out.dropped = sums_[2];
  out.bytes = sums_[3];
  out.part_nodes.assign(sums_.begin() + 4, sums_.begin() + 4 + count);
  out.part_edges.assign(sums_.begin() + 4 + count, sums_.end());
  return out;
}

}  // namespace detail

}  // namespace halograph
