// SPDX-License-Identifier: BSL-1.0
#include "formats.hpp"
#include "inputs.hpp"
#include "inspect_input.hpp"

#include <halograph/core/error.hpp>
#include <halograph/io/input_format.hpp>
#include <halograph/io/open_stream.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/read_json.hpp>

#include <utility>
#include <vector>

namespace halograph::cli {

namespace {

/// The features of a type: "feat float32 [1000, 16]".
std::string features_of(const std::vector<streamed_feature>& all, std::size_t type,
                        json::value& out) {
  std::string text;
  for (const auto& one : all) {
    if (one.type != type) continue;
    tensor_shape shape{one.rows};
    json::value extents{json::array{one.rows}};
    for (const auto extent : one.row_shape) {
      shape.push_back(extent);
      extents.push(extent);
    }
    out.set(one.name, json::object{{"dtype", name(one.element)}, {"shape", std::move(extents)}});
    text += (text.empty() ? "" : ", ") + shown(one.name) + " " + std::string(name(one.element)) +
            " " + to_string(shape);
  }
  return text.empty() ? "-" : text;
}

}  // namespace

std::string shown(std::string_view text) {
  const std::string quoted = graph_schema::quoted(text);
  return quoted.substr(1, quoted.size() - 2);
}

answer inspect_tables_spec(const json::value& root, const std::string& path) {
  answer done;
  std::vector<std::vector<std::string>> rows{{"type", "files"}};
  for (const char* key : {"nodes", "edges"}) {
    const auto* const types = root.find(key);
    if (types == nullptr || !types->if_object()) continue;
    for (const auto& [type, entry] : *types->if_object()) {
      std::string files;
      const auto* const list = entry.find("files");
      if (list != nullptr && list->if_array()) {
        for (const auto& file : *list->if_array()) {
          if (file.if_string()) files += (files.empty() ? "" : " ") + shown(*file.if_string());
        }
      }
      rows.push_back({shown(type), files.empty() ? "-" : files});
    }
  }
  done.details.set("kind", "tables");
  done.details.set("specification", root);
  done.text = "specification of tables, for halograph chunk --tables " + path + "\n\n" +
              table(rows);
  return done;
}

std::optional<answer> inspect_input(const std::string& path) {
  const any_file_opener files = input_files();
  const any_json_codec codec = json_codec();
  recognized_input input;
  try {
    input = recognize_input(path, files, codec);
  } catch (const error& problem) {
    if (problem.code() == error_kind::not_found || problem.code() == error_kind::unsupported)
      return std::nullopt;
    throw;
  }
  if (input.format == input_format::tables)
    return inspect_tables_spec(read_json(input.path, files, codec), input.path);
  const opened_stream opened = open_stream(input,
                                           {.most_bytes = available_memory(), .yaml = yaml_codec()},
                                           files, codec, known_formats(), input_tables());
  const streamed_graph& graph = opened.graph;
  for (const auto& sentence : graph.notes) note(sentence);
  answer done;
  std::vector<std::vector<std::string>> rows{{"type", "count", "features"}};
  json::value nodes{json::object{}}, edges{json::object{}};
  const auto add = [&](const std::string& type, std::uint64_t count,
                       const std::vector<streamed_feature>& all, std::size_t number,
                       json::value& out) {
    json::value features{json::object{}};
    rows.push_back({shown(type), std::to_string(count), features_of(all, number, features)});
    out.set(type, json::object{{"count", count}, {"features", std::move(features)}});
  };
  for (std::size_t t = 0; t < graph.node_counts.size(); ++t)
    add(graph.schema.node_types()[t], graph.node_counts[t], graph.node_features, t, nodes);
  for (std::size_t r = 0; r < graph.edge_counts.size(); ++r)
    add(graph.schema.edge_types()[r].str(), graph.edge_counts[r], graph.edge_features, r, edges);
  done.details.set("kind", opened.format);
  done.details.set("nodes", std::move(nodes)).set("edges", std::move(edges));
  done.text = std::string(opened.format) + ": " + counted(graph.num_nodes(), "node") + ", " +
              counted(graph.num_edges(), "edge") + "\n\n" + table(rows);
  return done;
}

}  // namespace halograph::cli
