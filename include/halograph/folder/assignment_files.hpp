// SPDX-License-Identifier: BSL-1.0
/// @file assignment_files.hpp
/// Partition assignment folders: the part of each node, one text file per node type.
/// Layer: folder. Words: README.md.
///
/// | file | holds |
/// | --- | --- |
/// | `<node type>.txt` | line i: the part of the type's node i, decimal |
/// | `partition_meta.json` | `algo_name`, `num_parts`, `version` "1.0.0"; optional when reading |
/// For a graph with one node type, the assignment may also be that text file alone, under any name,
/// as METIS and KaMinPar write it.
#pragma once

#include <halograph/comm/collective_errors.hpp>
#include <halograph/core/checked_cast.hpp>
#include <halograph/core/communicator.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/id_row.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/folder_entries.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/text/columns.hpp>
#include <halograph/serial/text/lines.hpp>
#include <halograph/serial/text/numbers.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace halograph {

/// Is an assignment one text file, not a folder of them?
inline bool is_assignment_file(const std::string& assignment) {
  return detail::is_file(assignment);
}

/// The file with the parts of a node type: `<node type>.txt` in a folder, or the assignment itself
/// where it is a file.
/// @param types  the graph's node types   @param type  which of them
/// @errors invalid_argument: a file, but a graph of several node types
std::string assignment_file(const std::string& assignment, std::span<const std::string> types,
                            std::size_t type);

/// The beginning of a note: why an assignment without partition_meta.json does not give the number
/// of parts.
inline std::string without_num_parts(const std::string& assignment) {
  return assignment + (is_assignment_file(assignment)
                           ? " is a single file, which does not record the number of parts; "
                           : " has no partition_meta.json; ");
}

/// What is in an assignment folder.
struct assignment_folder {
  part_id parts = 0;             ///< P
  std::string algorithm{};       ///< "random", "metis", or "" without partition_meta.json
  std::vector<part_id> owner{};  ///< [V] part of each node, homogenized: types laid end to end
  std::string note{};     ///< without partition_meta.json: which number of parts is used, and why
  json::value made_by{};  ///< as in resolved_parts
};

/// The number of parts and the algorithm from the text of a partition_meta.json.
/// @errors malformed, not_found, unsupported, out_of_range: what is wrong with which key
std::pair<part_id, std::string> assignment_meta_from_json(const json::value& root,
                                                          const std::string& path);

/// The number of parts of an assignment folder, as far as it is known before the parts are read.
struct resolved_parts {
  std::optional<part_id> parts{};  ///< nothing: the largest part plus one, once all are read
  std::string algorithm{};         ///< as in assignment_folder
  std::string note{};              ///< a note for the user, where partition_meta.json is missing
  json::value made_by{};  ///< what write_assignment() got besides the algorithm: "method" and
                          ///< "options"; may be null
};

/// Find the number of parts: from partition_meta.json, else as requested, else one per machine;
/// else it is known only after reading all parts.
///
/// @param asked        the requested number (`--num-partitions`)
/// @param machines     lines of the ip config file, if any
/// @param open, codec  open and parse partition_meta.json
/// @errors mismatch: partition_meta.json differs from `asked`; out_of_range: no machines, or too
///     many; those of assignment_meta_from_json
resolved_parts resolve_num_parts(const std::string& folder, std::optional<part_id> asked,
                                 std::optional<std::uint64_t> machines, const any_file_opener& open,
                                 const any_json_codec& codec);

namespace detail {
/// A place in a file of an assignment folder: where a line begins, and the node of the next record.
struct assigned_place {
  std::uint64_t byte = 0, node = 0;
};

/// One file of an assignment folder, `<node type>.txt`, open. Thread-safe to read.
class assigned_file {
 public:
  /// @param most  the largest part that is accepted   @errors those of the opener
  assigned_file(std::string file, std::string type, std::uint64_t nodes, std::int64_t most,
                const any_file_opener& open);

  std::uint64_t nodes() const noexcept { return nodes_; }
  std::span<const std::byte> bytes() const noexcept { return content_.bytes; }
  /// Parse the lines that begin in a range of the file's bytes, a piece at a time.
  /// @param f  f(parts, the bytes of their lines), in order; returns whether to go on
  /// @errors   out_of_range, malformed with file and line
  template <class Part>
  void read(id_range lines, executor_ref run,
            function_ref<bool(std::span<const std::type_identity_t<Part>>, id_range)> f) const {
    const std::size_t piece = (std::size_t{1} << 20) * std::max<std::size_t>(run.concurrency(), 1);
    const std::uint64_t last = next_line(lines.end);
    id_range here{next_line(lines.begin), 0};
    for (bool more = true; more && here.begin < last; here.begin = here.end) {
      here.end = std::min(next_line(std::min<std::uint64_t>(here.begin + piece, last)), last);
      std::vector<Part> column;
      try {
        column = read_column<Part>(bytes_in(here), file_,
                                   {.format = {.delimiter = ' ', .comments = true},
                                    .least = 0,
                                    .most = most_,
                                    .integral_floats = true,
                                    .what = "a part"},
                                   run);
      } catch (const error& problem) {
        raise_at(here.begin, problem);
      }
      more = f(std::span<const Part>(column), here);
    }
  }
  /// Read the parts of a range of nodes.
  /// @param from  a place before the first of them   @param f  f(parts, the first node), in order
  /// @errors as read(); mismatch: a wrong number of lines
  template <class Part>
  void read_nodes(
      const assigned_place& from, id_range own, executor_ref run,
      function_ref<void(std::span<const std::type_identity_t<Part>>, std::uint64_t)> f) const {
    std::uint64_t node = from.node;
    const auto take = [&](std::span<const Part> parts, id_range lines) {
      const std::uint64_t end = node + parts.size(), first = std::max(node, own.begin),
                          last = std::min(end, own.end);
      if (end > nodes_) raise_count(end, lines.end);
      if (first < last)
        f(parts.subspan(static_cast<std::size_t>(first - node),
                        static_cast<std::size_t>(last - first)),
          first);
      node = end;
      return node < own.end || own.end == nodes_;  // are there lines after the last node's?
    };
    read<Part>({from.byte, bytes().size()}, run, take);
    if (node < own.end) raise_count(node, bytes().size());
  }
  /// Raise that the file has a wrong number of lines.
  /// @param records, end  those before a place in the file, and that place
  [[noreturn]] void raise_count(std::uint64_t records, std::uint64_t end) const;

 private:
  std::span<const std::byte> bytes_in(id_range range) const noexcept {
    return content_.bytes.subspan(static_cast<std::size_t>(range.begin),
                                  static_cast<std::size_t>(range.size()));
  }
  std::uint64_t lines_in(id_range range) const noexcept;
  /// Where the first line begins that does not begin before a place.
  std::uint64_t next_line(std::uint64_t at) const noexcept;
  /// Raise what is wrong with lines that were parsed apart from the file.
  [[noreturn]] void raise_at(std::uint64_t begin, const error& problem) const;

  std::string file_, type_;
  std::uint64_t nodes_;
  std::int64_t most_;
  file_bytes content_;
};
}  // namespace detail

/// Read one file of an assignment folder piece by piece.
///
/// @tparam Part        an integer type that holds `most`
/// @param file         `<node type>.txt`
/// @param type, nodes  the node type and its number of nodes; the file must have a line for each
/// @param most         the largest part that is accepted
/// @param f            f(span of parts, index of the first), in order
/// @errors mismatch: a wrong number of lines; out_of_range, malformed with file and line; those of
///     the opener
/// @complexity O(bytes) time; memory of a few pieces of 1 MiB for each thread
template <class Part = std::int32_t>
void for_each_part_assigned(
    const std::string& file, const std::string& type, std::uint64_t nodes, std::int64_t most,
    const any_file_opener& open, executor_ref executor,
    function_ref<void(std::span<const std::type_identity_t<Part>>, std::uint64_t)> f) {
  detail::assigned_file(file, type, nodes, most, open)
      .template read_nodes<Part>({}, {0, nodes}, executor, f);
}

/// The number of parts of an assignment folder that does not record it: the largest part plus
/// one.
/// @errors as for_each_part_assigned()
part_id count_parts_assigned(const std::string& folder, const graph_schema& schema,
                             std::span<const std::uint64_t> node_counts,
                             const any_file_opener& open, executor_ref executor = {});

/// Read an assignment folder and check it against the graph's node types and counts.
///
/// @param folder       the folder, or the one file of a graph of one node type
/// @param schema       whose node types name the files
/// @param node_counts  [T] lines that each file must have; a type without nodes needs no file
/// @param parts        the number of parts, if known; else partition_meta.json's; else the largest
///     part plus one
/// @param open, codec  open and parse files; `executor` parses pieces of a file
/// @errors not_found: a file; mismatch: a wrong number of lines, or of parts in
///     partition_meta.json; out_of_range, malformed: a line that is not a part (with file and
///     line). "1.0" counts as 1
/// @complexity O(bytes)
assignment_folder read_assignment(const std::string& folder, const graph_schema& schema,
                                  std::span<const std::uint64_t> node_counts,
                                  std::optional<part_id> parts, const any_file_opener& open,
                                  const any_json_codec& codec, executor_ref executor = {});

/// Write partition_meta.json; parameters as for write_assignment. @return its name
std::string write_assignment_meta(const std::string& folder, std::uint64_t parts,
                                  const std::string& algorithm, const json::value& further = {});

namespace detail {
/// Bytes of a column of parts, one line each.
template <id Part>
std::uint64_t part_column_bytes(std::span<const Part> column) {
  std::uint64_t bytes = 0;
  for (const Part part : column) {
    bytes += 2;
    for (std::uint64_t left = index(part); left >= 10; left /= 10) ++bytes;
  }
  return bytes;
}

/// Write a column of parts at an offset of a file, a block at a time.
template <id Part>
void write_part_column(file_sink& sink, std::uint64_t at, std::span<const Part> column) {
  constexpr std::size_t block = std::size_t{1} << 18;
  std::string text;
  for (; !column.empty(); at += text.size()) {
    const std::size_t count = std::min(block, column.size());
    text.clear();
    append_column(text, column.first(count));
    sink.require(sink.write_at(at, std::as_bytes(std::span(text))));
    column = column.subspan(count);
  }
}
}  // namespace detail

/// Write the part of each node, one to a line, as METIS writes `graph.part.K`.
/// @param path   created, or emptied
/// @param owner  [V] part of each node, contiguous, of any integer type
/// @return its bytes   @errors out_of_range: a part is negative; io
std::uint64_t write_part_file(const std::string& path, const any_id_row& owner);

/// Does not compile: owners must be contiguous memory of integers.
template <class Owner>
  requires(!std::convertible_to<const Owner&, any_id_row>)
__attribute__((unavailable(
    "id_row: owners need contiguous memory of integers, as a vector, array or span of them has")))
std::uint64_t
write_part_file(const std::string&, const Owner&);

/// Write an assignment folder in DGL's format: one file per node type and partition_meta.json. The
/// folder must exist (a staged_folder's path, so that all files appear at once).
///
/// @param owner      [V] part of each node, homogenized; each below `parts`; contiguous, of any
///     integer type
/// @param algorithm  "random" or "metis", the only ones that DGL knows
/// @param further    an object: extra keys for partition_meta.json, which DGL ignores; or null
/// @return           the names of the files
/// @errors mismatch: owner does not have one entry per node; out_of_range: a part; io
template <id Part>
std::vector<std::string> write_assignment(const std::string& folder, const graph_schema& schema,
                                          std::span<const std::uint64_t> node_counts,
                                          std::span<const Part> owner, std::uint64_t parts,
                                          const std::string& algorithm,
                                          const json::value& further = {}) {
  std::uint64_t nodes = 0;
  for (const auto count : node_counts) nodes += count;
  if (nodes != owner.size()) {
    raise(error_kind::mismatch,
          concat({"there are ", owner.size(), " parts for ", nodes, " nodes"}));
  }
  for (std::size_t v = 0; v < owner.size(); ++v) {
    if (index(owner[v]) >= parts) {
      raise(error_kind::out_of_range,
            concat({"node ", v, " has part ", index(owner[v]), "; there are ", parts}));
    }
  }
  std::vector<std::string> names;
  std::size_t first = 0;
  for (std::size_t t = 0; t < schema.num_node_types(); ++t) {
    const auto column = owner.subspan(first, static_cast<std::size_t>(node_counts[t]));
    first += column.size();
    names.push_back(schema.node_types()[t] + ".txt");
    auto sink = file_sink::create(concat({folder, "/", names.back()}),
                                  detail::part_column_bytes(column));
    detail::write_part_column(sink, 0, column);
    sink.close();
  }
  names.push_back(write_assignment_meta(folder, parts, algorithm, further));
  return names;
}
/// @copydoc write_assignment
template <id_row Owner>
std::vector<std::string> write_assignment(const std::string& folder, const graph_schema& schema,
                                          std::span<const std::uint64_t> node_counts,
                                          const Owner& owner, std::uint64_t parts,
                                          const std::string& algorithm,
                                          const json::value& further = {}) {
  return write_assignment(folder, schema, node_counts, parts_of(owner), parts, algorithm, further);
}
template <class Owner>
  requires(!id_row<Owner>)
__attribute__((unavailable(
    "id_row: owners need contiguous memory of integers, as a vector, array or span of them has")))
std::vector<std::string>
write_assignment(const std::string&, const graph_schema&, std::span<const std::uint64_t>,
                 const Owner&, std::uint64_t, const std::string&, const json::value& = {});

/// The same on several ranks, each writing its own nodes. Rank 0 creates the files; every rank must
/// be able to open them. Inside run_collective(); collective.
///
/// @param folder  taken from rank 0
/// @param ranges  [R+1] first node of each rank, types laid end to end
/// @param owner   [n] part of each node of this rank's range, contiguous, of any integer type
/// @errors those of write_assignment; not_found: a rank does not see the folder
/// @complexity O(n + types)
template <id Part>
std::vector<std::string> write_assignment_share(communicator_ref ranks, std::string folder,
                                                const graph_schema& schema,
                                                std::span<const std::uint64_t> node_counts,
                                                std::span<const std::uint64_t> ranges,
                                                std::span<const Part> owner, std::uint64_t parts,
                                                const std::string& algorithm,
                                                const json::value& further = {}) {
  const std::uint64_t first = ranges[ranks.rank()], last = ranges[ranks.rank() + 1];
  if (owner.size() != last - first) {
    raise(error_kind::mismatch,
          concat({"there are ", owner.size(), " parts for ", last - first, " nodes of the rank"}));
  }
  for (std::size_t v = 0; v < owner.size(); ++v) {
    if (index(owner[v]) >= parts) {
      raise(error_kind::out_of_range,
            concat({"node ", first + v, " has part ", index(owner[v]), "; there are ", parts}));
    }
  }
  broadcast_text(ranks, folder, 0);
  std::vector<std::string> names;
  std::uint64_t begin = 0;
  for (std::size_t t = 0; t < schema.num_node_types(); ++t) {
    // This rank's nodes of the type.
    const std::uint64_t end = begin + node_counts[t], low = std::clamp(first, begin, end),
                        high = std::clamp(last, begin, end);
    const auto column = low == high ? std::span<const Part>()
                                    : owner.subspan(static_cast<std::size_t>(low - first),
                                                    static_cast<std::size_t>(high - low));
    const auto bytes = gather_numbers(ranks, detail::part_column_bytes(column));
    names.push_back(schema.node_types()[t] + ".txt");
    const std::string path = concat({folder, "/", names.back()});
    std::uint64_t at = 0, size = 0;
    for (std::size_t r = 0; r < bytes.size(); ++r) {
      at += r < ranks.rank() ? bytes[r] : 0;
      size += bytes[r];
    }
    if (ranks.rank() == 0) file_sink::create(path, size).close();
    check_peers(ranks);
    if (!column.empty()) {
      auto sink = file_sink::open(path);
      detail::write_part_column(sink, at, column);
      if (ranks.size() > 1) sink.sync();  // before rank 0 publishes it
      sink.close();
    }
    begin = end;
  }
  names.push_back("partition_meta.json");
  if (ranks.rank() == 0) write_assignment_meta(folder, parts, algorithm, further);
  check_peers(ranks);
  return names;
}
/// @copydoc write_assignment_share
template <id_row Owner>
std::vector<std::string> write_assignment_share(communicator_ref ranks, std::string folder,
                                                const graph_schema& schema,
                                                std::span<const std::uint64_t> node_counts,
                                                std::span<const std::uint64_t> ranges,
                                                const Owner& owner, std::uint64_t parts,
                                                const std::string& algorithm,
                                                const json::value& further = {}) {
  return write_assignment_share(ranks, std::move(folder), schema, node_counts, ranges,
                                parts_of(owner), parts, algorithm, further);
}
template <class Owner>
  requires(!id_row<Owner>)
__attribute__((unavailable(
    "id_row: owners need contiguous memory of integers, as a vector, array or span of them has")))
std::vector<std::string>
write_assignment_share(communicator_ref, std::string, const graph_schema&,
                       std::span<const std::uint64_t>, std::span<const std::uint64_t>, const Owner&,
                       std::uint64_t, const std::string&, const json::value& = {});

#if HALOGRAPH_COMPILED
// Instantiated in the compiled library (impl/assignment_files.ipp).
extern template std::vector<std::string> write_assignment(const std::string&, const graph_schema&,
                                                          std::span<const std::uint64_t>,
                                                          std::span<const part_id>, std::uint64_t,
                                                          const std::string&, const json::value&);
extern template std::vector<std::string> write_assignment_share(
    communicator_ref, std::string, const graph_schema&, std::span<const std::uint64_t>,
    std::span<const std::uint64_t>, std::span<const part_id>, std::uint64_t, const std::string&,
    const json::value&);
#endif

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/folder/impl/assignment_files.ipp>
#endif
