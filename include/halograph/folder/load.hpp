// SPDX-License-Identifier: BSL-1.0
/// @file load.hpp
/// Open one part of a partition folder: its graph, its features, and the partition book.
/// Layer: folder. Words: README.md.
/// Loading part X opens only the config JSON and the files of part X. The format's reader checks
/// the contents; `verify` proves the rest.
#pragma once

#include <halograph/book/map_book.hpp>
#include <halograph/book/range_book.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/folder/access.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/input_record.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/layout.hpp>
#include <halograph/serial/npy.hpp>
#include <halograph/serial/serializer.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace halograph {

/// A set of formats to choose from by the config's key `serializer`.
template <serializer... Formats>
struct format_set {
  std::tuple<Formats...> formats{};

  /// Call f(format) for the config's format. @errors unsupported: unknown format, listing the known
  /// ones
  template <class F>
  decltype(auto) with(const partition_config& config, F&& f) const {
    return pick<0>(config, f);
  }

 private:
  template <std::size_t I, class F>
  auto pick(const partition_config& config, F& f) const -> decltype(f(std::get<0>(formats))) {
    if constexpr (I < sizeof...(Formats)) {
      if (std::get<I>(formats).name() == config.serializer) return f(std::get<I>(formats));
      return pick<I + 1>(config, f);
    } else {
      std::string known;
      std::apply(
          [&](const auto&... all) {
            ((known += (known.empty() ? "" : ", ") + std::string(all.name())), ...);
          },
          formats);
      raise(errc::unsupported,
            "the files are in format " + graph_schema::quoted(config.serializer) +
                "; this program reads " + known,
            {config.path, {}, {}});
    }
  }
};

/// The book of a config: of ranges or, with reshuffle off, of one part per ID.
using any_partition_book = std::variant<partition_book, map_partition_book>;

/// One part in memory, or views of mapped files: what DGL's load_partition returns.
struct loaded_partition {
  std::size_t part = 0;
  loaded_structure graph{};
  std::vector<named_tensor> node_features{};  ///< "type/name"; rows of inner nodes by new ID
  std::vector<named_tensor> edge_features{};
  any_partition_book book;
  std::string graph_name{};
  std::vector<std::string> ntypes{};  ///< in the order in which the config lists them
  std::vector<canonical_etype> etypes{};
};

/// What to load in addition to the structure.
struct load_options {
  bool features = true;
};

namespace detail {

[[noreturn]] inline void raise_in(const partition_config& config, errc code,
                                  const std::string& message) {
  raise(code, message, {config.path, {}, {}});
}

inline const part_paths& paths_of(const partition_config& config, std::size_t part) {
  if (part >= config.num_parts) {
    raise_in(config, errc::out_of_range,
             "part " + std::to_string(part) + " does not exist; parts are 0 to " +
                 std::to_string(config.num_parts - 1));
  }
  if (part >= config.parts.size() ||
      (config.parts[part].graph.empty() && config.parts[part].graphbolt.empty())) {
    raise_in(config, errc::not_found,
             "key \"part-" + std::to_string(part) + "\" is missing or names no \"part_graph\"");
  }
  if (config.parts[part].graph.empty()) {
    raise_in(
        config, errc::unsupported,
        "part " + std::to_string(part) +
            " is a GraphBolt-only partition; it needs a \"part_graph\" in DGL's or halograph's format");
  }
  return config.parts[part];
}

/// The file of a part's node or edge features, as the config names it; "" if its format writes
/// none.
/// @errors not_found: a part in DGL's format that does not name both files
inline const std::string& features_file(const partition_config& config, std::size_t part,
                                        bool of_nodes) {
  const auto& paths = paths_of(config, part);
  if (config.serializer == "dgl" && (paths.node_features.empty() || paths.edge_features.empty())) {
    raise_in(
        config, errc::not_found,
        "\"part-" + std::to_string(part) + "\" must name both \"node_feats\" and \"edge_feats\"");
  }
  return of_nodes ? paths.node_features : paths.edge_features;
}

/// The same, where the file will be replaced by one that holds only features.
/// @errors as features_file; unsupported: no such file, or it holds more than these features
inline const std::string& own_features_file(const partition_config& config, std::size_t part,
                                            bool of_nodes) {
  const std::string& file = features_file(config, part, of_nodes);
  const auto& paths = paths_of(config, part);
  if (file.empty() || file == paths.graph || file == paths.original_nodes ||
      file == paths.original_edges || paths.node_features == paths.edge_features) {
    raise_in(config, errc::unsupported,
             "the format " + graph_schema::quoted(config.serializer) + " keeps " +
                 (of_nodes ? "node" : "edge") + " features of part " + std::to_string(part) +
                 (file.empty() ? " in no file" : " in a file with other columns") +
                 ", so none can be added later; partition again with these features");
  }
  return file;
}

inline const tensor* find_column(const std::vector<named_tensor>& columns,
                                 std::string_view name) noexcept {
  for (const auto& column : columns) {
    if (column.name == name) return &column.value;
  }
  return nullptr;
}

}  // namespace detail

/// Read the graph of one part. @errors those of the opener and the format; not_found, unsupported
template <file_opener Files, class Formats>
loaded_structure load_partition_graph(const partition_config& config, std::size_t part,
                                      const Files& files, const Formats& formats) {
  const std::string path = config.resolve(detail::paths_of(config, part).graph);
  return formats.with(config,
                      [&](const auto& format) { return format.read_structure(files(path), path); });
}

/// Node and edge features of one part.
struct partition_features {
  std::vector<named_tensor> nodes{};  ///< "type/name"
  std::vector<named_tensor> edges{};
};

/// Read the features of one part. Keys that DGL 0.5 wrote without a type get `_N/` and `_N:_E:_N/`.
/// @errors as load_partition_graph
template <file_opener Files, class Formats>
partition_features load_partition_feats(const partition_config& config, std::size_t part,
                                        const Files& files, const Formats& formats) {
  partition_features out;
  const auto read = [&](bool of_nodes, const char* prefix) {
    const std::string& file = detail::features_file(config, part, of_nodes);
    if (file.empty()) return std::vector<named_tensor>();
    const std::string path = config.resolve(file);
    auto all = formats.with(config, [&](const auto& format) {
      return read_features_of(format, files(path), path,
                              of_nodes ? column::node_feature : column::edge_feature);
    });
    for (auto& one : all) {
      if (one.name.find('/') == std::string::npos) one.name = prefix + one.name;
    }
    return all;
  };
  out.nodes = read(true, "_N/");
  out.edges = read(false, "_N:_E:_N/");
  return out;
}

/// Find the node types of edge types that a config of DGL 0.6 to 0.9 names by relation alone, from
/// one edge of each. Newer configs are left unchanged.
/// @errors not_found: a relation has no edge; malformed: the part contradicts the config
/// @source partition-folder rules of DGL's change_etype_to_canonical_etype, with its defect fixed
/// (offsets count from type number 0, not from the first one listed)
template <file_opener Files, class Formats>
void resolve_relations(partition_config& config, const Files& files, const Formats& formats) {
  if (config.bare_relations.empty()) return;
  const auto relations = std::move(config.bare_relations);
  config.bare_relations.clear();
  std::vector<std::optional<loaded_structure>> parts(config.parts.size());
  for (std::size_t r = 0; r < relations.size(); ++r) {
    std::optional<std::size_t> part;
    for (std::size_t p = 0; p < config.num_parts && !part; ++p) {
      if (config.edge_map[r][p].size() != 0) part = p;
    }
    const auto who = "relation " + graph_schema::quoted(relations[r]);
    if (!part)
      detail::raise_in(
          config, errc::not_found,
          who +
              " has no edges, so the node types it joins are unknown; name it \"source:relation:target\"");
    const auto& paths = detail::paths_of(config, *part);
    if (!parts[*part]) parts[*part] = load_partition_graph(config, *part, files, formats);
    const auto& graph = *parts[*part];
    const auto* types = detail::find_column(graph.node_columns, "_TYPE");
    const std::uint64_t local = config.edge_map[r][*part].begin - config.edge_map[0][*part].begin;
    const auto fail = [&](const std::string& what) {
      raise(errc::malformed, who + " cannot be resolved: " + what,
            {config.resolve(paths.graph), {}, {}});
    };
    if (!graph.coo || !types || types->rows() != graph.nodes || local >= graph.edges)
      fail("the part has no edge " + std::to_string(local) +
           " in COO form, or no node column _TYPE");
    const auto end_type = [&](const tensor& ends) -> const std::string& {
      const auto node = static_cast<std::uint64_t>(ends.integer(static_cast<std::size_t>(local)));
      if (node >= graph.nodes)
        fail("edge " + std::to_string(local) + " has an endpoint out of range");
      const auto type = types->integer(static_cast<std::size_t>(node));
      if (type < 0 || static_cast<std::uint64_t>(type) >= config.schema.num_node_types())
        fail("node " + std::to_string(node) + " has type " + std::to_string(type) +
             ", which is not listed");
      return config.schema.node_types()[static_cast<std::size_t>(type)];
    };
    config.schema.add_edge_type(
        {end_type(graph.coo->source), relations[r], end_type(graph.coo->target)});
  }
}

/// The book of a config, from the view of `part`.
/// @errors as partition_book; map files: those of the opener and of the .npy reader
template <file_opener Files>
any_partition_book load_partition_book(const partition_config& config, std::size_t part,
                                       const Files& files) {
  if (part >= config.num_parts) {
    detail::raise_in(config, errc::out_of_range,
                     "part " + std::to_string(part) + " does not exist; parts are 0 to " +
                         std::to_string(config.num_parts - 1));
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
        raise(errc::mismatch,
              "a map must be one column of " + std::to_string(total) + " integers, not " +
                  std::string(name(column.type())) + " of shape " + to_string(column.shape()),
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

/// Read the config of a partition folder and resolve its relations.
/// @errors as read_config and resolve_relations
template <file_opener Files, json_codec Codec, class Formats>
partition_config open_config(const std::string& path, const Files& files, const Codec& codec,
                             const Formats& formats) {
  partition_config config = read_config(path, files, codec);
  resolve_relations(config, files, formats);
  return config;
}
template <file_opener Files, json_codec Codec, class Formats>
partition_config open_config(const std::string& path,
                             const folder_access<Files, Codec, Formats>& access) {
  return open_config(path, access.files, access.codec, access.formats);
}

/// Load one part.
///
/// @param path     the config JSON
/// @param part     which, below num_parts
/// @param access   reads the folder; views of mapped files cost nothing until touched
/// @errors         not_found, malformed, truncated, unsupported, out_of_range: one sentence with
///     the file; mismatch: the folder was replaced while it was read
/// @complexity     O(size of the part); with mapped files the native format is O(sections)
template <file_opener Files, json_codec Codec, class Formats>
loaded_partition load_partition(const std::string& path, std::size_t part,
                                const folder_access<Files, Codec, Formats>& access,
                                const load_options& options = {}) {
  const recorded_files<borrowed_files<Files>> recorded{.inner = {&access.files}};
  return read_unchanged(*recorded.record, [&] {
    const partition_config config = open_config(path, recorded, access.codec, access.formats);
    loaded_partition out{part,
                         load_partition_graph(config, part, recorded, access.formats),
                         {},
                         {},
                         load_partition_book(config, part, recorded),
                         config.graph_name,
                         {},
                         {}};
    if (options.features) {
      auto features = load_partition_feats(config, part, recorded, access.formats);
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
