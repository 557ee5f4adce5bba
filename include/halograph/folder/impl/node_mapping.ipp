// SPDX-License-Identifier: BSL-1.0
/// @file node_mapping.ipp
/// Bodies of the plain functions of folder/node_mapping.hpp.
/// Layer: folder. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/folder/node_mapping.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/npy.hpp>
#include <halograph/serial/tensor.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace halograph {

HALOGRAPH_INLINE std::optional<tensor> read_node_mapping(const partition_config& config,
                                                         const any_file_opener& files) {
  if (keeps_node_ids(config)) return std::nullopt;
  const std::string path = node_mapping_file(config);
  std::optional<tensor> out;
  try {
    out = read_npy(files(path), path);
  } catch (const error& problem) {
    if (problem.code() == error_kind::not_found) return std::nullopt;
    throw;
  }
  std::uint64_t nodes = 0;
  for (const auto& ranges : config.node_map) {
    for (const auto& owned : ranges) nodes += owned.size();
  }
  if (out->rank() != 1 || !is_integer(out->type()) || out->rows() != nodes) {
    raise(error_kind::mismatch,
          concat({"the mapping has dtype ", name(out->type()), " and shape ",
                  to_string(out->shape()), "; it must be ", nodes, " integers, one for each node"}),
          {.file = path});
  }
  return out;
}

}  // namespace halograph
