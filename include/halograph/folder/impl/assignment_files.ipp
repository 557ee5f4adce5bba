// SPDX-License-Identifier: BSL-1.0
/// @file assignment_files.ipp
/// Bodies of the plain functions of folder/assignment_files.hpp.
/// Layer: folder. Words: README.md.
#pragma once

#include <halograph/core/checked_cast.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/id_row.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/folder/assignment_files.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/read_json.hpp>
#include <halograph/serial/text/lines.hpp>
#include <halograph/serial/text/pieces.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

namespace halograph {

HALOGRAPH_INLINE std::string assignment_file(const std::string& assignment,
                                             std::span<const std::string> types, std::size_t type) {
  if (!is_assignment_file(assignment)) return concat({assignment, "/", types[type], ".txt"});
  if (types.size() == 1) return assignment;
  std::string files;
  for (std::size_t t = 0; t < types.size() && t < 8; ++t)
    files += (t ? ", " : "") + graph_schema::quoted(types[t] + ".txt");
  raise(error_kind::invalid_argument,
        concat({"one file assigns the nodes of one type, but the graph has ", types.size(),
                " node types; the assignment must be a folder with a file for each, ", files,
                (types.size() > 8 ? ", ..." : "")}),
        {.file = assignment, .line = {}, .byte = {}});
}

HALOGRAPH_INLINE std::pair<part_id, std::string> assignment_meta_from_json(
    const json::value& root, const std::string& path) {
  const location where{.file = path};
  if (!root.is_object()) raise(error_kind::malformed, "the document must be an object", where);
  if (const auto* version = root.find("version")) {
    const auto* text = version->if_string();
    if (text == nullptr || *text != "1.0.0") {
      raise(error_kind::unsupported,
            concat({"\"version\" is ",
                    (text ? graph_schema::quoted(*text) : json::print(*version, 0).substr(0, 40)),
                    "; the only supported version is \"1.0.0\""}),
            where);
    }
  }
  const auto* count = root.find("num_parts");
  std::uint64_t parts = 0;
  if (count == nullptr)
    raise(error_kind::not_found, "key \"num_parts\" is missing; it must hold the number of parts",
          where);
  if (!count->to_uint(parts) || parts == 0 || parts >= id_capacity<part_id>()) {
    raise(error_kind::out_of_range,
          concat({"\"num_parts\" must be an integer from 1 to ", id_capacity<part_id>() - 1}),
          where);
  }
  const auto* algorithm = root.find("algo_name");
  if (algorithm == nullptr)
    raise(error_kind::not_found, "key \"algo_name\" is missing; it must be \"random\" or \"metis\"",
          where);
  const auto* name = algorithm->if_string();
  if (name == nullptr || (*name != "random" && *name != "metis")) {
    raise(error_kind::unsupported,
          concat({"\"algo_name\" is ",
                  (name ? graph_schema::quoted(*name) : std::string("not a string")),
                  "; it must be \"random\" or \"metis\""}),
          where);
  }
  return {static_cast<part_id>(parts), *name};
}

HALOGRAPH_INLINE resolved_parts resolve_num_parts(const std::string& folder,
                                                  std::optional<part_id> asked,
                                                  std::optional<std::uint64_t> machines,
                                                  const any_file_opener& open,
                                                  const any_json_codec& codec) {
  resolved_parts out;
  const std::string meta = folder + "/partition_meta.json";
  std::optional<json::value> document;
  try {
    if (!is_assignment_file(folder)) document = read_json(meta, open, codec);
  } catch (const error& problem) {
    if (problem.code() != error_kind::not_found) throw;  // folders made before DGL 1.0 have none
  }
  if (document) {
    const auto [count, algorithm] = assignment_meta_from_json(*document, meta);
    if (asked && *asked != count) {
      raise(error_kind::mismatch,
            concat({"\"num_parts\" is ", count, ", but ", *asked,
                    " parts were requested; the two must agree"}),
            {.file = meta});
    }
    out.parts = count;
    out.algorithm = algorithm;
    if (const auto* const method = document->find("method");
        method != nullptr && method->if_string() != nullptr)
      out.made_by.set("method", *method);
    if (const auto* const options = document->find("options");
        options != nullptr && options->if_object() != nullptr)
      out.made_by.set("options", *options);
    return out;
  }
  const std::string missing = without_num_parts(folder);
  if (asked) {
    out.parts = asked;
    out.note = concat({missing, "the ", *asked, " requested parts are used"});
  } else if (machines) {
    if (*machines == 0 || *machines >= id_capacity<part_id>()) {
      raise(error_kind::out_of_range, concat({"the ip config lists ", *machines,
                                              " machines, which is not a valid number of parts"}));
    }
    out.parts = static_cast<part_id>(*machines);
    out.note = concat(
        {missing, "one part is used for each of the ", *machines, " machines of the ip config"});
  }
  return out;
}

namespace detail {

HALOGRAPH_INLINE assigned_file::assigned_file(std::string file, std::string type,
                                              std::uint64_t nodes, std::int64_t most,
                                              const any_file_opener& open)
    : file_(std::move(file)),
      type_(std::move(type)),
      nodes_(nodes),
      most_(most),
      content_(open_lines(open, file_)) {}

HALOGRAPH_INLINE std::uint64_t assigned_file::lines_in(id_range range) const noexcept {
  const auto text = bytes_in(range);
  const auto* const begin = reinterpret_cast<const char*>(text.data());
  return count_line_ends(begin, begin + text.size());
}

HALOGRAPH_INLINE std::uint64_t assigned_file::next_line(std::uint64_t at) const noexcept {
  return at == 0 ? 0 : piece_begin(as_text(content_.bytes), static_cast<std::size_t>(at - 1));
}

HALOGRAPH_INLINE void assigned_file::raise_at(std::uint64_t begin, const error& problem) const {
  location where = problem.where();
  if (!where.line) throw;
  *where.line += lines_in({0, begin});
  if (where.byte) *where.byte += begin;
  raise(problem.code(), problem.message(), where);
}

HALOGRAPH_INLINE void assigned_file::raise_count(std::uint64_t records, std::uint64_t end) const {
  const std::uint64_t lines = records + lines_in({end, content_.bytes.size()});
  raise(error_kind::mismatch,
        concat({"there are ", lines, " lines for ", nodes_, " nodes of type ",
                graph_schema::quoted(type_), "; there must be one line for each"}),
        {.file = file_, .line = std::min(lines, nodes_) + 1});
}

}  // namespace detail

HALOGRAPH_INLINE part_id count_parts_assigned(const std::string& folder, const graph_schema& schema,
                                              std::span<const std::uint64_t> node_counts,
                                              const any_file_opener& open, executor_ref executor) {
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

HALOGRAPH_INLINE assignment_folder
read_assignment(const std::string& folder, const graph_schema& schema,
                std::span<const std::uint64_t> node_counts, std::optional<part_id> parts,
                const any_file_opener& open, const any_json_codec& codec, executor_ref executor) {
  assignment_folder out;
  auto known = resolve_num_parts(folder, parts, std::nullopt, open, codec);
  parts = known.parts;
  out.algorithm = std::move(known.algorithm);
  out.note = std::move(known.note);
  out.made_by = std::move(known.made_by);
  const std::int64_t most = static_cast<std::int64_t>(
                                parts.value_or(static_cast<part_id>(id_capacity<part_id>() - 1))) -
                            1;
  for (std::size_t t = 0; t < schema.num_node_types(); ++t) {
    const std::string file = assignment_file(folder, schema.node_types(), t);
    try {
      for_each_part_assigned<std::int64_t>(
          file, schema.node_types()[t], node_counts[t], most, open, executor,
          [&](std::span<const std::int64_t> column, std::uint64_t first) {
            if (first == 0)
              out.owner.reserve(out.owner.size() + static_cast<std::size_t>(node_counts[t]));
            for (const auto part : column) out.owner.push_back(static_cast<part_id>(part));
          });
    } catch (const error& problem) {
      if (problem.code() != error_kind::not_found || node_counts[t] != 0) throw;
    }
  }
  out.parts = parts.value_or(
      out.owner.empty() ? 1 : *std::max_element(out.owner.begin(), out.owner.end()) + 1);
  if (!parts) {
    out.note = concat({without_num_parts(folder), "the largest part plus one, ", out.parts,
                       ", is used as the number of parts"});
  }
  return out;
}

HALOGRAPH_INLINE std::string write_assignment_meta(const std::string& folder, std::uint64_t parts,
                                                   const std::string& algorithm,
                                                   const json::value& further) {
  json::value meta;
  meta.set("algo_name", algorithm).set("num_parts", parts).set("version", "1.0.0");
  if (const auto* more = further.if_object()) {
    for (const auto& [key, value] : *more) meta.set(key, value);
  }
  std::string name = "partition_meta.json";
  const std::string text = json::print(meta);
  auto sink = file_sink::create(concat({folder, "/", name}), text.size());
  sink.require(sink.write_at(0, std::as_bytes(std::span(text))));
  sink.close();
  return name;
}

HALOGRAPH_INLINE std::uint64_t write_part_file(const std::string& path, const any_id_row& owner) {
  return owner.visit([&](auto ids) {
    const auto parts = parts_of(ids);
    auto sink = file_sink::create(path, detail::part_column_bytes(parts));
    detail::write_part_column(sink, 0, parts);
    sink.sync();
    sink.close();
    return sink.size();
  });
}

#if HALOGRAPH_COMPILED
template std::vector<std::string> write_assignment(const std::string&, const graph_schema&,
                                                   std::span<const std::uint64_t>,
                                                   std::span<const part_id>, std::uint64_t,
                                                   const std::string&, const json::value&);
template std::vector<std::string> write_assignment_share(communicator_ref, std::string,
                                                         const graph_schema&,
                                                         std::span<const std::uint64_t>,
                                                         std::span<const std::uint64_t>,
                                                         std::span<const part_id>, std::uint64_t,
                                                         const std::string&, const json::value&);
#endif

}  // namespace halograph
