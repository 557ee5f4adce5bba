// SPDX-License-Identifier: BSL-1.0
/// @file import.ipp
/// Bodies of the plain functions of parmetis/import.hpp.
/// Layer: parmetis. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/parmetis/files.hpp>
#include <halograph/parmetis/import.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/json_members.hpp>
#include <halograph/serial/read_json.hpp>
#include <halograph/serial/text/columns.hpp>
#include <halograph/serial/text/lines.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace halograph {

HALOGRAPH_INLINE parmetis_assignment read_parmetis_assignment(const std::string& path,
                                                              std::uint64_t nodes,
                                                              std::optional<part_id> parts,
                                                              const any_file_opener& open,
                                                              executor_ref executor) {
  const file_bytes content = open(path);
  if (!parts) {
    const std::string ending = path.substr(std::min(path.size(), path.rfind('.') + 1));
    part_id number = 0;
    const auto read = std::from_chars(ending.data(), ending.data() + ending.size(), number);
    if (read.ec == std::errc{} && read.ptr == ending.data() + ending.size() && number != 0 &&
        ending.size() < path.size())
      parts = number;
  }
  const std::int64_t most = static_cast<std::int64_t>(
                                parts.value_or(static_cast<part_id>(id_capacity<part_id>() - 1))) -
                            1;
  const auto columns = read_columns(content.bytes, path, 2,
                                    {.format = detail::parmetis_text,
                                     .least = 0,
                                     .integral_floats = true,
                                     .no_more_columns = true,
                                     .what = "a node and its part, integers"},
                                    executor);
  parmetis_assignment out;
  constexpr part_id nobody = static_cast<part_id>(id_capacity<part_id>() - 1);
  // Do not trust V: a wrong schema must not decide how much is allocated.
  if (columns[0].size() != nodes) {
    raise(error_kind::mismatch,
          "there are " + std::to_string(columns[0].size()) + " lines for " + std::to_string(nodes) +
              " nodes; there must be one line for each",
          {.file = path});
  }
  // Find the line of a record by counting again: there may be empty lines.
  const auto fail = [&](std::size_t record, error_kind code, const std::string& sentence) {
    std::uint64_t line = 0;
    std::string_view text = detail::as_text(content.bytes);
    for (std::size_t seen = 0; !text.empty();) {
      ++line;
      const auto end = std::min(text.find('\n'), text.size());
      if (text.substr(0, end).find_first_not_of(" \t\r") != std::string_view::npos &&
          seen++ == record)
        break;
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    raise(code, sentence, {.file = path, .line = line});
  };
  out.owner.assign(static_cast<std::size_t>(nodes), nobody);
  part_id largest = 0;
  for (std::size_t i = 0; i < columns[0].size(); ++i) {
    const auto node = static_cast<std::uint64_t>(columns[0][i]);
    if (node >= nodes)
      fail(i, error_kind::out_of_range,
           "node " + std::to_string(node) + " is not in the graph; its nodes are 0 to " +
               std::to_string(nodes - 1));
    if (columns[1][i] > most) {
      fail(i, error_kind::out_of_range,
           "part " + std::to_string(columns[1][i]) + " is not one of the " +
               std::to_string(most + 1) + " parts; they are 0 to " + std::to_string(most));
    }
    auto& owner = out.owner[static_cast<std::size_t>(node)];
    if (owner != nobody)
      fail(i, error_kind::exists,
           "node " + std::to_string(node) + " occurs twice; each must occur once");
    owner = static_cast<part_id>(columns[1][i]);
    largest = std::max(largest, owner);
  }
  out.parts = parts.value_or(out.owner.empty() ? 1 : static_cast<part_id>(largest + 1));
  return out;
}

HALOGRAPH_INLINE std::pair<graph_schema, std::vector<std::uint64_t>> read_node_counts(
    const std::string& path, const any_file_opener& open, const any_json_codec& codec) {
  const auto root = read_json(path, open, codec);
  std::pair<graph_schema, std::vector<std::uint64_t>> out;
  if (root.find("nid") != nullptr || !root.is_object()) {
    const auto schema = parmetis_schema_from_json(root, path);
    for (std::size_t t = 0; t < schema.node_types.size(); ++t) {
      out.first.add_node_type(schema.node_types[t]);
      out.second.push_back(schema.node_ranges[t].size());
    }
    return out;
  }
  for (const auto& type :
       detail::as_array(detail::required_member(root, "node_type", path), "node_type", path)) {
    try {
      out.first.add_node_type(detail::as_string(type, "node_type", path));
    } catch (const error& problem) {
      if (!problem.where().file.empty()) throw;
      raise(problem.code(), problem.message(), {.file = path});
    }
  }
  const bool chunked = root.find("num_nodes_per_type") == nullptr;
  const char* key = chunked ? "num_nodes_per_chunk" : "num_nodes_per_type";
  for (const auto& count : detail::as_array(detail::required_member(root, key, path), key, path)) {
    std::uint64_t sum = 0;
    if (chunked) {
      for (const auto& one : detail::as_array(count, key, path)) {
        if (!add_into(sum, detail::as_count(one, key, path), sum))
          raise(error_kind::overflow, graph_schema::quoted(key) + " sums to more than 2^64",
                {.file = path});
      }
    } else {
      sum = detail::as_count(count, key, path);
    }
    out.second.push_back(sum);
  }
  if (out.second.size() != out.first.num_node_types()) {
    raise(error_kind::mismatch,
          graph_schema::quoted(key) + " has " + std::to_string(out.second.size()) +
              " entries for " + std::to_string(out.first.num_node_types()) + " node types",
          {.file = path});
  }
  return out;
}

}  // namespace halograph
