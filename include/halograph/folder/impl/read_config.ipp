// SPDX-License-Identifier: BSL-1.0
/// @file read_config.ipp
/// Bodies of the plain functions of folder/read_config.hpp.
/// Layer: folder. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/folder/read_config.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/json.hpp>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE partition_config config_reader::read() {
  if (!root_.is_object()) fail(error_kind::malformed, "a partition config must be a JSON object");
  config_.graph_name = string_at("graph_name");
  config_.num_nodes = count_at("num_nodes");
  config_.num_edges = count_at("num_edges");
  const std::uint64_t parts = count_at("num_parts");
  if (parts == 0 || parts > 0x7FFFFFFFu)
    fail(error_kind::out_of_range,
         concat({"\"num_parts\" is ", parts, "; it must be 1 to 2147483647"}));
  config_.num_parts = static_cast<std::size_t>(parts);
  if (const auto* method = root_.find("part_method"); method && method->if_string())
    config_.part_method = *method->if_string();
  if (const auto* hops = root_.find("halo_hops"); hops && !hops->to_uint(config_.halo_hops)) {
    fail(error_kind::malformed, "\"halo_hops\" must be a number of hops, 0 or more");
  }
  if (config_.halo_hops > max_halo_hops) {
    fail(error_kind::out_of_range,
         concat({"\"halo_hops\" is ", config_.halo_hops, "; it must be 0 to ", max_halo_hops}));
  }
  if (const auto* name = root_.find("serializer")) {
    if (!name->if_string()) fail(error_kind::malformed, "\"serializer\" must be a string");
    config_.serializer = *name->if_string();
  }
  if (const auto* order = root_.find("node_order")) {
    if (!order->if_string()) fail(error_kind::malformed, "\"node_order\" must be a string");
    config_.node_order = *order->if_string();
  }
  if (const auto* dropped = root_.find("cut_edges_dropped")) {
    std::uint64_t count = 0;
    if (!dropped->to_uint(count))
      fail(error_kind::malformed, "\"cut_edges_dropped\" must be a number of edges");
    config_.cut_edges_dropped = count;
  }
  read_dtype("node_map_dtype", config_.node_map_dtype);
  read_dtype("edge_map_dtype", config_.edge_map_dtype);
  read_types();
  read_maps();
  read_parts();
  return std::move(config_);
}

HALOGRAPH_INLINE const json::value& config_reader::at(std::string_view key) const {
  const auto* found = root_.find(key);
  if (!found)
    fail(error_kind::not_found, concat({"key ", graph_schema::quoted(key),
                                        " is missing; a partition config must have it"}));
  return *found;
}

HALOGRAPH_INLINE std::uint64_t config_reader::count_at(std::string_view key) const {
  std::uint64_t count = 0;
  if (!at(key).to_uint(count))
    fail(error_kind::malformed, graph_schema::quoted(key) + " must be a number, 0 or more");
  return count;
}

HALOGRAPH_INLINE void config_reader::read_dtype(const char* key, std::string& out) const {
  const auto* found = root_.find(key);
  if (!found) return;
  const auto* text = found->if_string();
  if (!text || (*text != "int32" && *text != "int64"))
    fail(error_kind::unsupported, concat({"\"", key, "\" must be \"int32\" or \"int64\""}));
  out = *text;
}

HALOGRAPH_INLINE std::vector<std::string> config_reader::names_by_number(
    const char* key, const json::value& table, std::vector<type_id>& listed) const {
  const auto* members = table.if_object();
  if (!members)
    fail(error_kind::malformed,
         concat({"\"", key, "\" must be an object of type names and numbers"}));
  std::vector<std::string> names(members->size());
  std::vector<bool> seen(members->size());
  listed.clear();
  for (const auto& [name, number] : *members) {
    std::uint64_t n = 0;
    if (!number.to_uint(n) || n >= names.size() || seen[static_cast<std::size_t>(n)]) {
      fail(error_kind::malformed, concat({"\"", key, "\" gives ", graph_schema::quoted(name),
                                          " an invalid type number; numbers must be 0 to ",
                                          names.size() - 1, ", each once"}));
    }
    seen[static_cast<std::size_t>(n)] = true;
    names[static_cast<std::size_t>(n)] = name;
    listed.push_back(static_cast<type_id>(n));
  }
  return names;
}

HALOGRAPH_INLINE void config_reader::read_types() {
  std::vector<std::string> node_types{"_N"}, edge_types{"_N:_E:_N"};
  config_.node_types_listed = {0};
  config_.edge_types_listed = {0};
  if (const auto* table = root_.find("ntypes"))
    node_types = names_by_number("ntypes", *table, config_.node_types_listed);
  else if (const auto* members = at("node_map").if_object(); members && members->size() == 1)
    node_types[0] = (*members)[0].first;
  if (const auto* table = root_.find("etypes"))
    edge_types = names_by_number("etypes", *table, config_.edge_types_listed);
  if (node_types.empty())
    fail(error_kind::malformed, "\"ntypes\" is empty; a graph has at least one node type");
  try {
    for (auto& name : node_types) config_.schema.add_node_type(std::move(name));
    std::size_t bare = 0;
    for (const auto& name : edge_types) bare += name.find(':') == std::string::npos ? 1u : 0u;
    if (bare != 0 && bare != edge_types.size()) {
      fail(
          error_kind::malformed,
          "\"etypes\" mixes relation names and \"source:relation:target\"; all must be of one form");
    }
    // Before DGL 1.0 edge types were named by their relation; with one node type the ends are
    // known.
    if (bare != 0 && config_.schema.num_node_types() > 1) {
      config_.bare_relations = edge_types;
      return;
    }
    for (const auto& name : edge_types) {
      auto type = bare ? std::optional<canonical_etype>(
                             {config_.schema.node_types()[0], name, config_.schema.node_types()[0]})
                       : canonical_etype::parse(name);
      if (!type)
        fail(error_kind::malformed, concat({"edge type ", graph_schema::quoted(name),
                                            " must be \"source:relation:target\""}));
      config_.schema.add_edge_type(std::move(*type));
    }
  } catch (const error& problem) {
    if (!problem.where().file.empty()) throw;
    fail(problem.code(), problem.message());
  }
}

HALOGRAPH_INLINE std::vector<id_range> config_reader::ranges(const char* key, std::string_view type,
                                                             const json::value& list) const {
  const auto* items = list.if_array();
  const auto where = concat({"\"", key, "\" of ", graph_schema::quoted(type)});
  if (!items || items->size() != config_.num_parts) {
    fail(error_kind::malformed,
         concat({where, " must list one range for each of the ", config_.num_parts, " parts"}));
  }
  std::vector<id_range> out;
  const bool pairs = !items->empty() && (*items)[0].is_array();
  std::uint64_t previous = 0;
  for (const auto& item : *items) {
    id_range range{previous, 0};
    if (pairs) {
      const auto* pair = item.if_array();
      if (!pair || pair->size() != 2 || !(*pair)[0].to_uint(range.begin) ||
          !(*pair)[1].to_uint(range.end)) {
        fail(error_kind::malformed, where + " must hold pairs [start, end) of IDs");
      }
    } else if (!item.to_uint(range.end)) {
      fail(error_kind::malformed,
           where + " must hold pairs [start, end) of IDs, or the ends alone");
    }
    if (range.end < range.begin) {
      fail(error_kind::malformed, concat({where, " has the range [", range.begin, ", ", range.end,
                                          "), which ends before it starts"}));
    }
    if (range.end > 0x7FFFFFFFFFFFFFFFull)
      fail(error_kind::overflow, where + " has an ID beyond 63 bits");
    previous = range.end;
    out.push_back(range);
  }
  return out;
}

HALOGRAPH_INLINE std::vector<std::vector<id_range>> config_reader::map(
    const char* key, const std::vector<std::string>& names, const std::string& homogeneous,
    std::string& file) const {
  const auto& value = at(key);
  std::vector<std::vector<id_range>> out(names.size());
  if (const auto* name = value.if_string()) {
    file = *name;
    return {};
  }
  if (value.is_array()) {
    if (names.size() != 1)
      fail(error_kind::malformed,
           concat({"\"", key, "\" is one list, but there are ", names.size(), " types"}));
    out[0] = ranges(key, homogeneous, value);
    return out;
  }
  const auto* members = value.if_object();
  if (!members)
    fail(error_kind::malformed,
         concat({"\"", key, "\" must be an object of type names and ranges"}));
  std::vector<bool> seen(names.size());
  for (const auto& [name, list] : *members) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      fail(error_kind::not_found,
           concat({"\"", key, "\" has the type ", graph_schema::quoted(name), ", which \"",
                   (key[0] == 'n' ? "ntypes" : "etypes"), "\" does not list"}));
    }
    if (list.is_object() || list.is_string())
      fail(error_kind::unsupported,
           concat({"\"", key, "\" of ", graph_schema::quoted(name),
                   " is not a list of ranges; only range maps are supported here"}));
    const auto t = static_cast<std::size_t>(found - names.begin());
    seen[t] = true;
    out[t] = ranges(key, name, list);
  }
  for (std::size_t t = 0; t < names.size(); ++t) {
    if (!seen[t])
      fail(error_kind::not_found,
           concat({"\"", key, "\" has no ranges for type ", graph_schema::quoted(names[t])}));
  }
  if (names.empty()) return out;  // there may be any number of parts, none of them listed
  // Flattened part by part, type by type, bounds must not decrease.
  std::uint64_t last = 0;
  for (std::size_t p = 0; p < config_.num_parts; ++p) {
    for (std::size_t t = 0; t < names.size(); ++t) {
      if (out[t][p].begin < last && !(t > 0 && out[t][p] == out[t - 1][p])) {
        fail(error_kind::malformed,
             concat({"\"", key, "\" of ", graph_schema::quoted(names[t]), " starts part ", p,
                     " at ", out[t][p].begin, ", before the end of what precedes it (", last,
                     "); ranges must follow one another part by part, type by type"}));
      }
      last = out[t][p].end;
    }
  }
  return out;
}

HALOGRAPH_INLINE void config_reader::read_maps() {
  std::vector<std::string> edge_names = config_.bare_relations;
  if (edge_names.empty()) {
    const auto* table = root_.find("etypes");
    if (table && table->is_object()) {
      edge_names.resize(table->if_object()->size());
      for (const auto& [name, number] : *table->if_object()) {
        std::uint64_t n = 0;
        if (number.to_uint(n)) edge_names[static_cast<std::size_t>(n)] = name;
      }
    } else {
      edge_names = {"_N:_E:_N"};
    }
  }
  config_.node_map = map("node_map", config_.schema.node_types(), "_N", config_.node_map_file);
  config_.edge_map = map("edge_map", edge_names, edge_names.empty() ? "" : edge_names[0],
                         config_.edge_map_file);
  if (config_.node_map_file.empty() != config_.edge_map_file.empty()) {
    fail(error_kind::malformed,
         "\"node_map\" and \"edge_map\" must both hold ranges or both name a .npy file");
  }
  if (!config_.reshuffled() && !config_.bare_relations.empty()) {
    fail(
        error_kind::malformed,
        concat(
            {"relation ", graph_schema::quoted(config_.bare_relations[0]),
             " does not say which node types it joins, and \"edge_map\" has no ranges to find them by; name it \"source:relation:target\""}));
  }
  if (!config_.reshuffled()) {
    const auto counts = [&](const char* key, std::size_t types, std::uint64_t total) {
      std::vector<std::uint64_t> out;
      if (const auto* list = root_.find(key); list && list->if_array()) {
        for (const auto& item : *list->if_array()) {
          std::uint64_t n = 0;
          if (!item.to_uint(n))
            fail(error_kind::malformed, concat({"\"", key, "\" must list numbers"}));
          out.push_back(n);
        }
      } else if (types == 1) {
        out.push_back(total);
      }
      if (out.size() != types)
        fail(error_kind::malformed,
             concat({"\"", key, "\" must give a number for each of the ", types, " types"}));
      return out;
    };
    config_.nodes_per_type = counts("num_nodes_per_type", config_.schema.num_node_types(),
                                    config_.num_nodes);
    config_.edges_per_type = counts("num_edges_per_type", edge_names.size(), config_.num_edges);
  }
}

HALOGRAPH_INLINE void config_reader::read_parts() {
  // From the keys present: "num_parts" alone must not decide how much is allocated.
  for (const auto& member : *root_.if_object()) {
    const std::string& key = member.first;  // not a structured binding: Clang 14 cannot capture one
    const json::value& part = member.second;
    if (key.rfind("part-", 0) != 0) continue;
    std::uint64_t number = 0;
    const auto* end = key.data() + key.size();
    const auto parsed = std::from_chars(key.data() + 5, end, number);
    if (parsed.ec != std::errc{} || parsed.ptr != end || number >= config_.num_parts) continue;
    const auto p = static_cast<std::size_t>(number);
    if (p >= config_.parts.size()) {
      if (p > root_.if_object()->size()) continue;  // far out of order: not a valid config
      config_.parts.resize(p + 1);
    }
    auto& paths = config_.parts[p];
    const auto get = [&](const char* name, std::string& out) {
      const auto* found = part.find(name);
      if (!found) return;
      if (!found->if_string() || found->if_string()->find('\0') != std::string::npos) {
        fail(error_kind::malformed, concat({"\"", name, "\" of \"", key, "\" must be a path"}));
      }
      out = *found->if_string();
    };
    get("part_graph", paths.graph);
    get("node_feats", paths.node_features);
    get("edge_feats", paths.edge_features);
    get("orig_nids", paths.original_nodes);
    get("orig_eids", paths.original_edges);
    get("part_graph_graphbolt", paths.graphbolt);
  }
}

}  // namespace halograph::detail
