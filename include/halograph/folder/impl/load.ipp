// SPDX-License-Identifier: BSL-1.0
/// @file load.ipp
/// Bodies of the plain functions of folder/load.hpp.
/// Layer: folder. Words: README.md.
#pragma once

#include <halograph/book/map_book.hpp>
#include <halograph/book/range_book.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/folder/access.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/folder/load.hpp>
#include <halograph/folder/read_config.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/input_record.hpp>
#include <halograph/serial/layout.hpp>
#include <halograph/serial/npy.hpp>
#include <halograph/serial/serializer.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE const part_paths& paths_of(const partition_config& config, std::size_t part) {
  if (part >= config.num_parts) {
    raise_in(config, error_kind::out_of_range,
             concat({"part ", part, " does not exist; parts are 0 to ", config.num_parts - 1}));
  }
  if (part >= config.parts.size() ||
      (config.parts[part].graph.empty() && config.parts[part].graphbolt.empty())) {
    raise_in(config, error_kind::not_found,
             concat({"key \"part-", part, "\" is missing or names no \"part_graph\""}));
  }
  if (config.parts[part].graph.empty()) {
    raise_in(
        config, error_kind::unsupported,
        concat(
            {"part ", part,
             " is a GraphBolt-only partition; it needs a \"part_graph\" in DGL's or halograph's format"}));
  }
  return config.parts[part];
}

HALOGRAPH_INLINE const std::string& features_file(const partition_config& config, std::size_t part,
                                                  bool of_nodes) {
  const auto& paths = paths_of(config, part);
  if (config.serializer == "dgl" && (paths.node_features.empty() || paths.edge_features.empty())) {
    raise_in(config, error_kind::not_found,
             concat({"\"part-", part, "\" must name both \"node_feats\" and \"edge_feats\""}));
  }
  return of_nodes ? paths.node_features : paths.edge_features;
}

HALOGRAPH_INLINE const std::string& own_features_file(const partition_config& config,
                                                      std::size_t part, bool of_nodes) {
  const std::string& file = features_file(config, part, of_nodes);
  const auto& paths = paths_of(config, part);
  if (file.empty() || file == paths.graph || file == paths.original_nodes ||
      file == paths.original_edges || paths.node_features == paths.edge_features) {
    raise_in(config, error_kind::unsupported,
             concat({"the format ", graph_schema::quoted(config.serializer), " keeps ",
                     (of_nodes ? "node" : "edge"), " features of part ", part,
                     (file.empty() ? " in no file" : " in a file with other columns"),
                     ", so none can be added later; partition again with these features"}));
  }
  return file;
}

}  // namespace halograph::detail

namespace halograph {

HALOGRAPH_INLINE partition_features load_partition_feats(const partition_config& config,
                                                         std::size_t part,
                                                         const any_file_opener& files,
                                                         const format_list& formats) {
  partition_features out;
  const auto read = [&](bool of_nodes, const char* prefix) {
    const std::string& file = detail::features_file(config, part, of_nodes);
    if (file.empty()) return std::vector<named_tensor>();
    const std::string path = config.resolve(file);
    auto all = formats.of(config).read_features(
        files(path), path, of_nodes ? column::node_feature : column::edge_feature);
    for (auto& one : all) {
      if (one.name.find('/') == std::string::npos) one.name = prefix + one.name;
    }
    return all;
  };
  out.nodes = read(true, "_N/");
  out.edges = read(false, "_N:_E:_N/");
  return out;
}

HALOGRAPH_INLINE partition_features load_partition_feats(const std::string& path, std::size_t part,
                                                         const folder_access& access) {
  return load_partition_feats(read_config(path, access.files, access.codec), part, access.files,
                              access.formats);
}

HALOGRAPH_INLINE void resolve_relations(partition_config& config, const any_file_opener& files,
                                        const format_list& formats) {
  if (config.bare_relations.empty()) return;
  const auto& relations = config.bare_relations;
  graph_schema schema = config.schema;
  std::vector<std::optional<loaded_structure>> parts(config.parts.size());
  for (std::size_t r = 0; r < relations.size(); ++r) {
    std::optional<std::size_t> part;
    for (std::size_t p = 0; p < config.num_parts && !part; ++p) {
      if (config.edge_map[r][p].size() != 0) part = p;
    }
    const auto who = "relation " + graph_schema::quoted(relations[r]);
    if (!part)
      detail::raise_in(
          config, error_kind::not_found,
          who +
              " has no edges, so the node types it joins are unknown; name it \"source:relation:target\"");
    const auto& paths = detail::paths_of(config, *part);
    if (!parts[*part]) parts[*part] = load_partition_graph(config, *part, files, formats);
    const auto& graph = *parts[*part];
    const auto* types = detail::find_column(graph.node_columns, "_TYPE");
    const std::uint64_t local = config.edge_map[r][*part].begin - config.edge_map[0][*part].begin;
    const auto fail = [&](const std::string& what) {
      raise(error_kind::malformed, concat({who, " cannot be resolved: ", what}),
            {config.resolve(paths.graph), {}, {}});
    };
    if (!graph.coo || !types || types->rows() != graph.nodes || local >= graph.edges)
      fail(concat({"the part has no edge ", local, " in COO form, or no node column _TYPE"}));
    const auto end_type = [&](const tensor& ends) -> const std::string& {
      const auto node = static_cast<std::uint64_t>(ends.integer(static_cast<std::size_t>(local)));
      if (node >= graph.nodes) fail(concat({"edge ", local, " has an endpoint out of range"}));
      const auto type = types->integer(static_cast<std::size_t>(node));
      if (type < 0 || static_cast<std::uint64_t>(type) >= config.schema.num_node_types())
        fail(concat({"node ", node, " has type ", type, ", which is not listed"}));
      return config.schema.node_types()[static_cast<std::size_t>(type)];
    };
    schema.add_edge_type({end_type(graph.coo->source), relations[r], end_type(graph.coo->target)});
  }
  config.schema = std::move(schema);
  config.bare_relations.clear();
}

HALOGRAPH_INLINE any_partition_book load_partition_book(const partition_config& config,
                                                        std::size_t part,
                                                        const any_file_opener& files) {
  if (part >= config.num_parts) {
    detail::raise_in(
        config, error_kind::out_of_range,
        concat({"part ", part, " does not exist; parts are 0 to ", config.num_parts - 1}));
  }
  const auto width = [](const std::string& name) {
    return name == "int32" ? map_dtype::int32 : map_dtype::int64;
  };
  try {
    if (config.reshuffled()) {
      return partition_book(config.schema, config.num_parts, config.node_map, config.edge_map,
                            {.partid = static_cast<part_id>(part),
                             .rule = range_rule::ascending,
                             .node_map_dtype = width(config.node_map_dtype),
                             .edge_map_dtype = width(config.edge_map_dtype)});
    }
    const auto owners = [&](const std::string& file, const std::vector<std::uint64_t>& counts) {
      const std::string path = config.resolve(file);
      const tensor column = read_npy(files(path), path);
      std::uint64_t total = 0;
      for (const auto count : counts) total += count;
      if (column.rank() != 1 || !is_integer(column.type()) || column.rows() != total) {
        raise(error_kind::mismatch,
              concat({"a map must be one column of ", total, " integers, not ", name(column.type()),
                      " of shape ", to_string(column.shape())}),
              {path, {}, {}});
      }
      std::vector<std::int64_t> parts(static_cast<std::size_t>(total));
      for (std::size_t i = 0; i < parts.size(); ++i) parts[i] = column.integer(i);
      return parts;
    };
    return map_partition_book(
        config.schema, config.num_parts, owners(config.node_map_file, config.nodes_per_type),
        owners(config.edge_map_file, config.edges_per_type), config.nodes_per_type,
        config.edges_per_type, static_cast<part_id>(part));
  } catch (const error& problem) {
    if (!problem.where().file.empty()) throw;
    detail::raise_in(config, problem.code(), problem.message());
  }
}

HALOGRAPH_INLINE loaded_partition load_partition(const std::string& path, std::size_t part,
                                                 const folder_access& access,
                                                 const load_options& options) {
  const recorded_files<any_file_opener> recorded{.inner = access.files};
  return read_unchanged(*recorded.record, [&] {
    const any_file_opener files = recorded;
    const partition_config config = open_config(path, files, access.codec, access.formats);
    loaded_partition out{part,
                         load_partition_graph(config, part, files, access.formats),
                         {},
                         {},
                         load_partition_book(config, part, files),
                         config.graph_name,
                         {},
                         {}};
    if (options.features) {
      auto features = load_partition_feats(config, part, files, access.formats);
      out.node_features = std::move(features.nodes);
      out.edge_features = std::move(features.edges);
    }
    for (const auto t : config.node_types_listed)
      out.ntypes.push_back(config.schema.node_types()[t]);
    for (const auto r : config.edge_types_listed)
      out.etypes.push_back(config.schema.edge_types()[r]);
    return out;
  });
}

}  // namespace halograph
