// SPDX-License-Identifier: BSL-1.0
/// @file formats.hpp
/// What the subcommands that read partition folders share: the known formats, and how to open one.
#pragma once

#include "command.hpp"
#include "inputs.hpp"

#include <halograph/adapters/nlohmann_json.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/folder/load.hpp>
#include <halograph/folder/original_ids.hpp>
#include <halograph/serial/dgl/serializer.hpp>
#include <halograph/serial/files/manifest.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/native.hpp>

#include <string>
#include <utility>

namespace halograph::cli {

using known_formats = format_set<dgl_serializer, native_serializer>;
using known_access = folder_access<folder_files, nlohmann_codec, known_formats>;

/// Read a config and resolve its relations.
inline partition_config open_partition(const std::string& path, const folder_files& files = {}) {
  return open_config(path, files, nlohmann_codec{}, known_formats{});
}

/// The manifest's command after a change of a folder; it keeps how the folder was made before.
inline json::value command_after(const partition_config& config, json::value command) {
  if (const auto made = read_manifest(config.folder().empty() ? "." : config.folder())) {
    json::value before;
    if (nlohmann_codec{}.parse(made->command, before)) command.set("before", std::move(before));
  }
  return command;
}

/// The type that a flag names; without one, the only node type. @errors usage_error: there are
/// several
inline entity_type chosen_type(const partition_config& config, const std::string& flag) {
  if (!flag.empty()) return find_type(config.schema, flag);
  if (config.schema.num_node_types() == 1) return {entity::node, 0};
  std::string known;
  for (const auto& type : config.schema.node_types())
    known += (known.empty() ? "" : ", ") + graph_schema::quoted(type);
  raise(errc::invalid_argument,
        "the graph has several node types; name the type of the rows with --type: one of " + known +
            ", or an edge type",
        {.file = config.path});
}

}  // namespace halograph::cli
