// SPDX-License-Identifier: BSL-1.0
#include "formats.hpp"

#include <halograph/core/error.hpp>
#include <halograph/folder/load.hpp>
#include <halograph/io/input_format.hpp>
#include <halograph/serial/dgl/serializer.hpp>
#include <halograph/serial/files/manifest.hpp>
#include <halograph/serial/native.hpp>

#include <utility>

namespace halograph::cli {

const format_list& known_formats() {
  static const format_set<dgl_serializer, native_serializer> all;
  return all;
}

folder_access known_access(const any_file_opener& files) {
  return folder_access(files, json_codec(), known_formats());
}

partition_config open_partition(const std::string& path, const any_file_opener& files) {
  return open_config(path, files, json_codec(), known_formats());
}

std::string config_in(const std::string& path) {
  if (!is_folder(path)) return path;
  try {
    const auto found = recognize_input(path, folder_files(), json_codec());
    if (found.format == input_format::partition) return found.path;
  } catch (const error&) {
    // Whoever opens it says what is wrong.
  }
  return path;
}

bound_flag bind_config(flag_set& app, std::string& config) {
  return app.add_option("config", config, "a partition folder, or its JSON file")
      .required()
      .type_name("CONFIG.json")
      .transform(config_in);
}

json::value command_after(const partition_config& config, json::value command) {
  if (const auto made = read_manifest(config.folder().empty() ? "." : config.folder())) {
    json::value before;
    if (json_codec().parse(made->command, before)) command.set("before", std::move(before));
  }
  return command;
}

entity_type chosen_type(const partition_config& config, const std::string& flag) {
  if (!flag.empty()) return find_type(config.schema, flag);
  if (config.schema.num_node_types() == 1) return {entity::node, 0};
  std::string known;
  for (const auto& type : config.schema.node_types())
    known += (known.empty() ? "" : ", ") + graph_schema::quoted(type);
  raise(error_kind::invalid_argument,
        "the graph has several node types; name the type of the rows with --type: one of " + known +
            ", or an edge type",
        {.file = config.path});
}

}  // namespace halograph::cli
