// SPDX-License-Identifier: BSL-1.0
/// @file digest.ipp
/// Bodies of the plain functions of io/chunked/digest.hpp.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/io/chunked/digest.hpp>
#include <halograph/io/chunked/graph.hpp>
#include <halograph/io/chunked/metadata.hpp>
#include <halograph/serial/digest.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/tensor.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string_view>
#include <system_error>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE std::uint64_t digest_of_input(const chunked_graph& graph) {
  digest64 said;
  const auto number = [&said](std::uint64_t value) {
    said.update(std::as_bytes(std::span(&value, 1)));
  };
  const auto text = [&](std::string_view of) {
    number(of.size());
    said.update(std::as_bytes(std::span(of.data(), of.size())));
  };
  const auto list = [&](const chunk_list& of) {
    text(halograph::name(of.format));
    std::vector<char> beginning(4096);
    for (const auto& file : of.files) {
      for (const auto word : {file.first, file.rows, file.text.bytes}) number(word);
      for (const auto& place : file.text.places) number(place.byte);
      for (const auto rows : file.table.group_rows) number(rows);
      std::error_code problem;  // an opener may know files that the system does not
      const auto bytes = std::filesystem::file_size(file.path, problem);
      if (problem) continue;
      std::ifstream stream(file.path, std::ios::binary);
      stream.read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
      number(static_cast<std::uint64_t>(bytes));
      text({beginning.data(), static_cast<std::size_t>(stream.gcount())});
    }
  };
  text(graph.name);
  for (const auto& type : graph.schema.node_types()) text(type);
  for (const auto& type : graph.schema.edge_types()) text(type.str());
  for (const auto* counts : {&graph.node_counts, &graph.edge_counts}) {
    for (const auto count : *counts) number(count);
  }
  for (const auto& of_type : graph.edges) list(of_type);
  for (const auto* all : {&graph.node_features, &graph.edge_features}) {
    number(all->size());
    for (const auto& one : *all) {
      number(one.type);
      text(one.name);
      text(halograph::name(one.dtype));
      text(to_string(one.row_shape));
      list(one.list);
    }
  }
  return said.value();
}

}  // namespace halograph::detail
