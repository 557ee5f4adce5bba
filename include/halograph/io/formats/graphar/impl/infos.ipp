// SPDX-License-Identifier: BSL-1.0
/// @file infos.ipp
/// Bodies of the plain functions of io/formats/graphar/infos.hpp.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/status.hpp>
#include <halograph/io/formats/graphar/infos.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/json_members.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace halograph {

HALOGRAPH_INLINE status no_yaml::parse(std::string_view, json::value&) const {
  raise(error_kind::unsupported,
        "YAML needs a library that is not built in; build with the component \"yaml_cpp\"");
}

}  // namespace halograph

namespace halograph::detail {

HALOGRAPH_INLINE graphar_info_reader::graphar_info_reader(std::string file,
                                                          const any_file_opener& open,
                                                          const any_json_codec& yaml)
    : file_(std::move(file)) {
  const file_bytes content = open(file_);
  status parsed;
  try {
    parsed = yaml.parse(
        std::string_view(reinterpret_cast<const char*>(content.bytes.data()), content.bytes.size()),
        root_);
  } catch (const error& problem) {
    fail(problem.code(), problem.message());
  }
  const location place{file_, {}, parsed.position};
  if (parsed == status::overflow)
    fail(parsed.code, "the document is too large; an information file has at most 1 MiB");
  if (parsed == status::unsupported) {
    raise(parsed.code,
          "the YAML here has an alias, a key that is not text, too many keys or too many levels; "
          "an information file needs none of them",
          place);
  }
  if (!parsed) raise(parsed.code, "this is not one valid YAML document; parsing fails here", place);
  if (!root_.is_object())
    fail(error_kind::malformed, "the document must be a mapping, as \"type: person\"");
}

HALOGRAPH_INLINE const std::string* graphar_info_reader::optional_text(const json::value& entry,
                                                                       std::string_view key) const {
  const json::value* const found = entry.find(key);
  return found == nullptr || found->is_null() ? nullptr : &as_string(*found, key, file_);
}

HALOGRAPH_INLINE const std::string& graphar_info_reader::text(
    const json::value& entry, std::initializer_list<std::string_view> keys) const {
  for (const auto key : keys) {
    if (const auto* const found = optional_text(entry, key)) return *found;
  }
  return as_string(required_member(entry, *keys.begin(), file_), *keys.begin(), file_);
}

HALOGRAPH_INLINE std::uint64_t graphar_info_reader::positive(const json::value& entry,
                                                             std::string_view key) const {
  const std::string& digits = text(entry, {key});
  std::uint64_t out = 0;
  const auto [stop, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), out);
  if (problem != std::errc{} || stop != digits.data() + digits.size() || out == 0 || out >> 63 != 0)
    fail(error_kind::malformed, graph_schema::quoted(key) + " is " + graph_schema::quoted(digits) +
                                    "; it must be an integer from 1 to 2^63 - 1");
  return out;
}

HALOGRAPH_INLINE bool graphar_info_reader::flag(const json::value& entry, std::string_view key,
                                                bool otherwise) const {
  const auto* const word = optional_text(entry, key);
  if (word == nullptr) return otherwise;
  const bool yes = *word == "true" || *word == "True" || *word == "TRUE";
  if (!yes && *word != "false" && *word != "False" && *word != "FALSE")
    fail(error_kind::malformed, graph_schema::quoted(key) + " is " + graph_schema::quoted(*word) +
                                    "; it must be true or false");
  return yes;
}

HALOGRAPH_INLINE const json::array& graphar_info_reader::list(const json::value& entry,
                                                              std::string_view key) const {
  static const json::array none{};
  const json::value* const found = entry.find(key);
  return found == nullptr || found->is_null() ? none : as_array(*found, key, file_);
}

HALOGRAPH_INLINE std::string graphar_info_reader::below(const std::string& folder,
                                                        std::string_view path,
                                                        std::string_view key) const {
  std::string out = folder;
  const auto refuse = [&] {
    fail(error_kind::invalid_argument,
         graph_schema::quoted(key) + " is " + graph_schema::quoted(path) +
             "; it must be a relative path that does not leave the folder of the data set");
  };
  if (path.starts_with('/') || path.find('\0') != std::string_view::npos) refuse();
  for (std::string_view rest = path; !rest.empty();) {
    const std::string_view step = rest.substr(0, rest.find('/'));
    rest.remove_prefix(std::min(rest.size(), step.size() + 1));
    if (step == "..") refuse();
    if (step.empty() || step == ".") continue;
    if (!out.empty()) out += '/';
    out += step;
  }
  return out;
}

HALOGRAPH_INLINE graphar_file graphar_info_reader::file_type(const json::value& entry,
                                                             const std::string& of) const {
  const std::string& word = text(entry, {"file_type"});
  if (word == "csv") return graphar_file::csv;
  if (word == "parquet") return graphar_file::parquet;
  fail(error_kind::unsupported, "\"file_type\" of " + of + " is " + graph_schema::quoted(word) +
                                    "; files of this type are not read, it must be csv or parquet");
}

HALOGRAPH_INLINE graphar_property graphar_info_reader::property(const json::value& entry) const {
  graphar_property out;
  out.name = text(entry, {"name"});
  std::string_view word = text(entry, {"data_type"});
  if (word.starts_with("list<") && word.ends_with('>')) {
    out.list = true;
    word = word.substr(5, word.size() - 6);
  }
  if (const auto* const number = optional_text(entry, "cardinality");
      number != nullptr && *number != "single")
    out.list = true;
  struct known {
    std::string_view word;
    dtype element;
  };
  constexpr known all[] = {{"bool", dtype::boolean},
                           {"int32", dtype::int32},
                           {"int64", dtype::int64},
                           {"float", dtype::float32},
                           {"double", dtype::float64}};
  for (const auto& one : all) {
    if (one.word == word) out.element = one.element;
  }
  return out;
}

HALOGRAPH_INLINE std::vector<graphar_group> graphar_info_reader::groups(
    const json::value& entry, const std::string& folder) const {
  std::vector<graphar_group> out;
  for (const auto& one : list(entry, "property_groups")) {
    graphar_group& group = out.emplace_back();
    std::string names;
    for (const auto& each : list(one, "properties")) {
      group.properties.push_back(property(each));
      names += (names.empty() ? "" : "_") + group.properties.back().name;
    }
    if (group.properties.empty())
      fail(error_kind::malformed, "\"properties\" of a property group must list at least one");
    const auto* const prefix = optional_text(one, "prefix");
    // A name may hold a slash; as a path it is checked as the prefix that it stands for.
    group.folder = below(folder, prefix == nullptr || prefix->empty() ? names : *prefix, "prefix");
    group.type = file_type(one, "the property group " + graph_schema::quoted(names));
  }
  return out;
}

HALOGRAPH_INLINE void graphar_info_reader::check_version() const {
  const auto* const version = optional_text(root_, "version");
  if (version != nullptr && *version != "gar/v1" && !version->starts_with("gar/v1 "))
    fail(error_kind::unsupported,
         "\"version\" is " + graph_schema::quoted(*version) + "; only gar/v1 is read");
}

HALOGRAPH_INLINE graphar_vertex_info graphar_info_reader::vertex(const std::string& data) const {
  check_version();
  graphar_vertex_info out;
  out.file = file_;
  out.type = text(root_, {"type", "label"});
  out.chunk_size = positive(root_, "chunk_size");
  const auto* const prefix = optional_text(root_, "prefix");
  out.folder = below(
      data, prefix == nullptr || prefix->empty() ? "vertex/" + out.type + "/" : *prefix, "prefix");
  out.groups = groups(root_, out.folder);
  return out;
}

HALOGRAPH_INLINE graphar_edge_info graphar_info_reader::edge(const std::string& data) const {
  check_version();
  graphar_edge_info out;
  out.file = file_;
  out.type = {text(root_, {"src_type", "src_label"}), text(root_, {"edge_type", "edge_label"}),
              text(root_, {"dst_type", "dst_label"})};
  out.chunk_size = positive(root_, "chunk_size");
  out.directed = flag(root_, "directed", true);
  const auto* prefix = optional_text(root_, "prefix");
  const std::string folder = below(
      data,
      prefix == nullptr || prefix->empty()
          ? "edge/" + out.type.source + "_" + out.type.relation + "_" + out.type.target + "/"
          : *prefix,
      "prefix");
  // Each list has all edges. One of files that can be read, by source, and ordered.
  const json::value* best = nullptr;
  int best_rank = -1;
  for (const auto& one : list(root_, "adj_lists")) {
    const std::string& by = text(one, {"aligned_by"});
    if (by != "src" && by != "dst")
      fail(error_kind::malformed,
           "\"aligned_by\" is " + graph_schema::quoted(by) + "; it must be src or dst");
    const std::string& type = text(one, {"file_type"});
    const int rank = (type == "csv" || type == "parquet" ? 4 : 0) + (by == "src" ? 2 : 0) +
                     (flag(one, "ordered", false) ? 1 : 0);
    if (rank <= best_rank) continue;
    best_rank = rank;
    best = &one;
  }
  if (best == nullptr)
    fail(error_kind::not_found, "\"adj_lists\" is empty; edges are read from an adjacency list");
  out.by_source = (best_rank & 2) != 0;
  out.part_nodes = positive(root_, out.by_source ? "src_chunk_size" : "dst_chunk_size");
  const std::string name = std::string((best_rank & 1) != 0 ? "ordered" : "unordered") +
                           (out.by_source ? "_by_source" : "_by_dest");
  prefix = optional_text(*best, "prefix");
  out.folder = below(folder, prefix == nullptr || prefix->empty() ? name : *prefix, "prefix");
  out.list_type = file_type(*best, "the adjacency list " + name);
  out.groups = groups(best->find("property_groups") != nullptr ? *best : root_, out.folder);
  return out;
}

}  // namespace halograph::detail

namespace halograph {

HALOGRAPH_INLINE bool is_graphar_name(std::string_view name) noexcept {
  for (const std::string_view ending : {"graph.yml", "graph.yaml"}) {
    if (name == ending) return true;
    if (name.size() > ending.size() && name.ends_with(ending) &&
        name[name.size() - ending.size() - 1] == '.')
      return true;
  }
  return false;
}

HALOGRAPH_INLINE graphar_infos read_graphar_infos(const std::string& path,
                                                  const any_file_opener& open,
                                                  const any_json_codec& yaml) {
  const detail::graphar_info_reader graph(path, open, yaml);
  graph.check_version();
  const std::filesystem::path file(path);
  const std::string folder = file.parent_path().string();
  graphar_infos out;
  const auto* const name = graph.optional_text(graph.root(), "name");
  out.name = name != nullptr ? *name : file.stem().stem().string();
  const auto* const prefix = graph.optional_text(graph.root(), "prefix");
  const std::string data = prefix == nullptr ? folder : graph.below(folder, *prefix, "prefix");
  const auto info = [&](const json::value& entry, std::string_view key) {
    return detail::graphar_info_reader(
        graph.below(folder, detail::as_string(entry, key, path), key), open, yaml);
  };
  for (const auto& one : graph.list(graph.root(), "vertices"))
    out.vertices.push_back(info(one, "vertices").vertex(data));
  if (out.vertices.empty())
    graph.fail(error_kind::not_found, "\"vertices\" is empty; a graph needs at least one type");
  for (const auto& one : graph.list(graph.root(), "edges"))
    out.edges.push_back(info(one, "edges").edge(data));
  return out;
}

}  // namespace halograph
