// SPDX-License-Identifier: BSL-1.0
/// @file dispatch_nodes.hpp
/// Dispatch, nodes: assignment files to new node IDs, in memory that grows with nodes alone.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/folder/assignment_files.hpp>
#include <halograph/relabel/relabel_nodes.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/scratch.hpp>
#include <halograph/serial/text/columns.hpp>
#include <halograph/serial/text/lines.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory_resource>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph {

/// Read one file of an assignment folder piece by piece.
///
/// @param file   `<node type>.txt`  @param type, nodes  the node type and its nodes; the file must
///     have a line for each
/// @param most   no part is larger
/// @param f      f(span of parts, index of the first), in order
/// @errors mismatch: another number of lines; out_of_range, malformed with file and line; those of
///     the opener
/// @complexity O(bytes) time; memory of a few pieces of 1 MiB for each thread
template <file_opener Opener, executor Executor, class F>
void for_each_part_assigned(const std::string& file, const std::string& type, std::uint64_t nodes,
                            std::int64_t most, const Opener& open, const Executor& executor,
                            F&& f) {
  const file_bytes content = open(file);
  std::span<const std::byte> rest = content.bytes;
  const std::size_t piece = (std::size_t{1} << 20) *
                            std::max<std::size_t>(executor.concurrency(), 1);
  std::uint64_t line = 1, records = 0;
  const auto lines_in = [](std::span<const std::byte> text) {
    const auto* const begin = reinterpret_cast<const char*>(text.data());
    return std::uint64_t{detail::count_line_ends(begin, begin + text.size())};
  };
  const auto disagree = [&](std::uint64_t lines) {
    raise(errc::mismatch,
          "there are " + std::to_string(lines) + " lines for " + std::to_string(nodes) +
              " nodes of type " + graph_schema::quoted(type) + "; it needs one line each",
          {.file = file, .line = std::min(lines, nodes) + 1});
  };
  while (!rest.empty()) {
    std::size_t end = std::min(piece, rest.size());
    while (end < rest.size() && rest[end - 1] != std::byte{'\n'}) ++end;
    const auto here = rest.first(end);
    std::vector<std::int32_t> column;
    try {
      column = read_column<std::int32_t>(here, file,
                                         {.format = {.delimiter = ' ', .comments = true},
                                          .least = 0,
                                          .most = most,
                                          .integral_floats = true,
                                          .what = "a part"},
                                         executor);
    } catch (const error& problem) {
      location where = problem.where();
      if (!where.line) throw;
      *where.line += line - 1;
      if (where.byte) *where.byte += content.bytes.size() - rest.size();
      raise(problem.code(), problem.message(), where);
    }
    if (column.size() > nodes - records)
      disagree(records + column.size() + lines_in(rest.subspan(end)));
    f(std::span<const std::int32_t>(column), records);
    records += column.size();
    line += lines_in(here);
    rest = rest.subspan(end);
  }
  if (records != nodes) disagree(records);
}

/// The largest part of an assignment folder and one: where nothing tells the number of parts.
/// @errors as for_each_part_assigned()
template <file_opener Opener, executor Executor = sequential>
part_id count_parts_assigned(const std::string& folder, const graph_schema& schema,
                             std::span<const std::uint64_t> node_counts, const Opener& open,
                             const Executor& executor = {}) {
  std::int32_t largest = 0;
  for (std::size_t t = 0; t < node_counts.size(); ++t) {
    if (node_counts[t] == 0) continue;
    const auto& type = schema.node_types()[t];
    for_each_part_assigned(assignment_file(folder, schema.node_types(), t), type, node_counts[t],
                           std::numeric_limits<std::int32_t>::max() - 1, open, executor,
                           [&](std::span<const std::int32_t> parts, std::uint64_t) {
                             for (const auto part : parts) largest = std::max(largest, part);
                           });
  }
  return static_cast<part_id>(largest) + 1;
}

namespace detail {

/// [T+1] prefix sums.
inline std::vector<std::uint64_t> offsets_of(std::span<const std::uint64_t> counts) {
  std::vector<std::uint64_t> out{0};
  for (const auto count : counts) out.push_back(out.back() + count);
  return out;
}

/// Nodes in new order, in files: `old_node` [V] and `node_bounds` [P*T+1].
template <id Node>
struct dispatched_nodes {
  scratch_array<Node> old_node{};
  scratch_array<std::uint64_t> bounds{};

  static constexpr const char* files[] = {"old_node", "node_bounds"};
  void open(const std::string& folder, std::uint64_t nodes, std::uint64_t cells) {
    old_node = scratch_array<Node>::open(folder + "/old_node", nodes);
    bounds = scratch_array<std::uint64_t>::open(folder + "/node_bounds", cells + 1);
  }
};

/// Assignment to new IDs: writes the files.
/// @tparam Owner    holds each part
/// @param owner_of  fills [count] owners of a node type: f(type, span)
/// @param keep      is given all owners, types laid end to end: f(span)
template <unsigned_id Owner, id Node, class Owners, class Keep>
void relabel_nodes_to_files(const std::string& folder, std::span<const std::uint64_t> node_counts,
                            std::size_t parts, const Owners& owner_of, const Keep& keep,
                            std::pmr::memory_resource* memory, dispatched_nodes<Node>& out) {
  const auto offsets = offsets_of(node_counts);
  const auto nodes = static_cast<std::size_t>(offsets.back());
  out.old_node = scratch_array<Node>::create(folder + "/old_node", nodes);
  out.bounds = scratch_array<std::uint64_t>::create(folder + "/node_bounds",
                                                    parts * node_counts.size() + 1);
  std::pmr::vector<Owner> owner(nodes, memory);
  for (std::size_t t = 0; t < node_counts.size(); ++t) {
    owner_of(t, std::span(owner).subspan(static_cast<std::size_t>(offsets[t]),
                                         static_cast<std::size_t>(node_counts[t])));
  }
  check(relabel_nodes_into(std::span<const Owner>(owner), std::span<const std::uint64_t>(offsets),
                           parts, out.bounds.values(), out.old_node.values()),
        "the assignment does not fit the graph's nodes");
  keep(std::span<const Owner>(owner));
}

/// New ID of each original node, in memory.
template <id Node>
std::pmr::vector<Node> new_nodes(const dispatched_nodes<Node>& nodes,
                                 std::pmr::memory_resource* memory) {
  std::pmr::vector<Node> out(nodes.old_node.size(), memory);
  const auto old = nodes.old_node.values();
  for (std::size_t i = 0; i < old.size(); ++i) out[index(old[i])] = static_cast<Node>(i);
  return out;
}

}  // namespace detail

}  // namespace halograph
