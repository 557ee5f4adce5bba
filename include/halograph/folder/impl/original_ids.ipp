// SPDX-License-Identifier: BSL-1.0
/// @file original_ids.ipp
/// Bodies of the plain functions of folder/original_ids.hpp.
/// Layer: folder. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/folder/load.hpp>
#include <halograph/folder/node_mapping.hpp>
#include <halograph/folder/original_ids.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/layout.hpp>
#include <halograph/serial/npy.hpp>
#include <halograph/serial/serializer.hpp>
#include <halograph/serial/structure.hpp>
#include <halograph/serial/tensor.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace halograph {

HALOGRAPH_INLINE entity_type find_type(const graph_schema& schema, std::string_view name) {
  if (const auto type = schema.node_type(name)) return {entity::node, *type};
  try {
    return {entity::edge, schema.resolve_edge_type(name)};
  } catch (const error& problem) {
    if (problem.code() != error_kind::not_found) throw;
  }
  std::string known;
  for (const auto& type : schema.node_types())
    known += (known.empty() ? "" : ", ") + graph_schema::quoted(type);
  for (const auto& type : schema.edge_types()) known += ", " + graph_schema::quoted(type.str());
  raise(error_kind::not_found, concat({"no node or edge type is called ",
                                       graph_schema::quoted(name), "; known types are ", known}));
}

HALOGRAPH_INLINE std::uint64_t type_count(const partition_config& config, entity_type of) {
  const bool nodes = of.kind == entity::node;
  if (!config.reshuffled())
    return (nodes ? config.nodes_per_type : config.edges_per_type).at(of.type);
  std::uint64_t sum = 0;
  for (const auto& owned : (nodes ? config.node_map : config.edge_map).at(of.type))
    sum += owned.size();
  return sum;
}

HALOGRAPH_INLINE std::uint64_t original_ids_memory(const partition_config& config,
                                                   std::span<const entity_type> of) {
  // The IDs, once more while they are collected, and their order; a bit for each ID that is
  // checked.
  constexpr std::uint64_t process = std::uint64_t{8} << 20, per_id = 24;
  std::uint64_t all = 0, most = 0;
  for (const auto& one : of) all += type_count(config, one);
  for (std::size_t p = 0; p < config.num_parts; ++p) {
    std::uint64_t own = 0;
    for (const auto& one : of) {
      own +=
          config.reshuffled()
              ? (one.kind == entity::node ? config.node_map : config.edge_map)[one.type][p].size()
              : type_count(config, one);
    }
    most = std::max(most, own);
  }
  return process + per_id * most + all / 4;
}

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

HALOGRAPH_INLINE std::vector<part_id> load_owners(const partition_config& config,
                                                  const any_file_opener& files,
                                                  const format_list& formats) {
  constexpr part_id none = ~part_id{0};
  std::vector<part_id> out;
  for (std::size_t t = 0; t < config.schema.num_node_types(); ++t) {
    const entity_type of{entity::node, static_cast<type_id>(t)};
    // Each part is read before memory is taken by what the config says alone.
    std::vector<std::vector<std::uint64_t>> ids;
    std::uint64_t found = 0;
    for (std::size_t p = 0; p < config.num_parts; ++p) {
      ids.push_back(load_original_ids(config, p, of, files, formats));
      found += ids.back().size();
    }
    const auto wrong = [&](const std::string& what) {
      raise(error_kind::malformed,
            what + " of type " + graph_schema::quoted(type_name(config.schema, of)) +
                "; each node must be in one part",
            {.file = config.path});
    };
    if (found != type_count(config, of)) {
      wrong("the parts hold " + std::to_string(found) + " of the " +
            std::to_string(type_count(config, of)) + " nodes");
    }
    const std::size_t first = out.size();
    out.resize(first + static_cast<std::size_t>(found), none);
    for (std::size_t p = 0; p < ids.size(); ++p) {
      for (const auto v : ids[p]) {
        if (v >= found || out[first + static_cast<std::size_t>(v)] != none)
          wrong("two parts, or none, hold node " + std::to_string(v));
        out[first + static_cast<std::size_t>(v)] = static_cast<part_id>(p);
      }
    }
  }
  return out;
}

}  // namespace halograph

namespace halograph::detail {

HALOGRAPH_INLINE std::vector<std::uint64_t> original_id_reader::read() const {
  if (!config_.reshuffled()) return kept();
  if (auto from_file = mapping_file()) return *std::move(from_file);
  if (config_.num_parts == 1 && (!nodes_ || in_original_order(config_))) {
    std::vector<std::uint64_t> ids(static_cast<std::size_t>(range().size()));
    for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = i;
    return ids;
  }
  return columns_or_compact();
}

HALOGRAPH_INLINE std::vector<std::uint64_t> original_id_reader::take(
    const tensor& values, std::uint64_t first, std::uint64_t last, const std::string& file) const {
  // Dropped edges keep their original IDs, so IDs may exceed the count.
  const std::uint64_t bound = type_count(config_, of_) +
                              (nodes_ ? 0 : config_.cut_edges_dropped.value_or(0));
  std::vector<std::uint64_t> ids(static_cast<std::size_t>(last - first));
  with_integers(values, [&](auto at) {
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const std::int64_t id = at(first + i);
      if (id < 0 || static_cast<std::uint64_t>(id) >= bound) {
        raise(error_kind::out_of_range,
              concat({who(), " have ", id, " in row ", i, "; they must be 0 to ", bound,
                      " exclusive"}),
              {.file = file});
      }
      ids[i] = static_cast<std::uint64_t>(id);
    }
  });
  return ids;
}

HALOGRAPH_INLINE std::optional<std::vector<std::uint64_t>> original_id_reader::mapping_file()
    const {
  const auto& paths = paths_of(config_, part_);
  std::string file = nodes_ ? paths.original_nodes : paths.original_edges;
  const bool listed = !file.empty();
  if (!listed && config_.serializer != "dgl") return std::nullopt;
  if (!listed) file = unlisted_original_ids(paths, nodes_);
  file = config_.resolve(file);
  std::vector<named_tensor> all;
  try {
    all = formats_.of(config_).read_features(
        files_(file), file, nodes_ ? column::original_nodes : column::original_edges);
  } catch (const error& problem) {
    if (!listed && problem.code() == error_kind::not_found) return std::nullopt;
    throw;
  }
  const tensor* values = find_column(all, type_name(config_.schema, of_));
  if (!values) raise(error_kind::not_found, who() + " are not in the file", {.file = file});
  if (values->rank() != 1 || !is_integer(values->type()) || values->rows() != range().size()) {
    raise(error_kind::mismatch,
          concat({who(), " have shape ", to_string(values->shape()), " and dtype ",
                  name_of(values->type()), "; they must be ", range().size(), " integers"}),
          {.file = file});
  }
  return take(*values, 0, values->rows(), file);
}

HALOGRAPH_INLINE loaded_structure original_id_reader::graph() const {
  return graph_ != nullptr ? *graph_ : load_partition_graph(config_, part_, files_, formats_);
}

HALOGRAPH_INLINE const tensor& original_id_reader::inner_column(const loaded_structure& graph,
                                                                std::string_view column,
                                                                std::uint64_t inner,
                                                                const std::string& file) const {
  const tensor* values = find_column(nodes_ ? graph.node_columns : graph.edge_columns, column);
  if (!values) {
    raise(error_kind::not_found,
          nodes_ ? "the folder has no ID mapping; partition again without --no-mapping"
                 : "the folder has no original edge IDs; partition again with --save-mapping",
          {.file = config_.path});
  }
  if (values->rank() != 1 || !is_integer(values->type()) || values->rows() < inner) {
    raise(error_kind::mismatch,
          concat({name(of_.kind), " column ", graph_schema::quoted(column), " has shape ",
                  to_string(values->shape()), " and dtype ", name_of(values->type()),
                  "; it must hold ", inner, " integers or more"}),
          {.file = file});
  }
  return *values;
}

HALOGRAPH_INLINE std::vector<std::uint64_t> original_id_reader::columns_or_compact() const {
  const auto& map = nodes_ ? config_.node_map : config_.edge_map;
  const std::string file = config_.resolve(paths_of(config_, part_).graph);
  const loaded_structure graph = this->graph();
  if (nodes_ && !find_column(graph.node_columns, "orig_id")) {
    if (const auto mapping = read_node_mapping(config_, files_))
      return compact(*mapping, node_mapping_file(config_));
  }
  const std::uint64_t first = range().begin - map[0][part_].begin;
  return take(inner_column(graph, "orig_id", first + range().size(), file), first,
              first + range().size(), file);
}

HALOGRAPH_INLINE std::vector<std::uint64_t> original_id_reader::compact(
    const tensor& mapping, const std::string& file) const {
  const id_range own = range();
  const bool by_owner = in_original_order(config_);
  std::uint64_t first = by_owner ? 0 : own.begin;
  for (std::size_t t = 0; by_owner && t < of_.type; ++t)
    first += type_count(config_, {entity::node, static_cast<type_id>(t)});
  const std::uint64_t count = by_owner ? type_count(config_, of_) : own.size();
  if (count > mapping.rows() || first > mapping.rows() - count) {  // overlapping ranges
    raise(error_kind::mismatch,
          concat({"the mapping has ", mapping.rows(), " rows, too few for the config's ", who()}),
          {.file = file});
  }
  if (!by_owner) return take(mapping, first, first + count, file);
  std::vector<std::uint64_t> ids;
  ids.reserve(static_cast<std::size_t>(std::min(own.size(), count)));
  const auto find = [&](auto owner) {
    for (std::uint64_t i = 0; i < count; ++i) {
      if (owner(first + i) == static_cast<std::int64_t>(part_)) ids.push_back(i);
    }
  };
  // Up to 256 parts: no indirect call per node.
  if (mapping.type() == dtype::uint8)
    find([data = mapping.bytes().data()](std::uint64_t i) {
      return std::to_integer<std::int64_t>(data[i]);
    });
  else
    with_integers(mapping, find);
  if (ids.size() != own.size()) {
    raise(error_kind::mismatch,
          concat({"part ", part_, " owns ", ids.size(), " nodes of type ",
                  graph_schema::quoted(type_name(config_.schema, of_)),
                  " here; the config gives it ", own.size()}),
          {.file = file});
  }
  return ids;
}

HALOGRAPH_INLINE std::vector<std::uint64_t> original_id_reader::kept() const {
  const std::string file = config_.resolve(paths_of(config_, part_).graph);
  const loaded_structure graph = this->graph();
  const tensor& ids = inner_column(graph, "_ID", 0, file);
  const tensor& inner = inner_column(graph, nodes_ ? "inner_node" : "inner_edge", ids.rows(), file);
  const auto& counts = nodes_ ? config_.nodes_per_type : config_.edges_per_type;
  std::uint64_t begin = 0;
  for (std::size_t t = 0; t < of_.type; ++t) begin += counts[t];
  const std::uint64_t end = begin + counts[of_.type];
  std::vector<std::uint64_t> out;
  with_integers(ids, [&](auto id) {
    with_integers(inner, [&](auto is_inner) {
      for (std::uint64_t i = 0; i < ids.rows(); ++i) {
        const auto value = static_cast<std::uint64_t>(id(i));
        if (is_inner(i) != 0 && value >= begin && value < end) out.push_back(value - begin);
      }
    });
  });
  return out;
}

}  // namespace halograph::detail
