// SPDX-License-Identifier: BSL-1.0
/// @file ogb.ipp
/// Bodies of the plain functions of io/formats/ogb.hpp.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/io/chunked/elements.hpp>
#include <halograph/io/formats/edge_list.hpp>
#include <halograph/io/formats/ogb.hpp>
#include <halograph/io/streamed_graph.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/feature_store.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/folder_entries.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/json_members.hpp>
#include <halograph/serial/npy.hpp>
#include <halograph/serial/read_json.hpp>
#include <halograph/serial/tensor.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE std::optional<std::string> ogb_folder(const std::string& path) {
  namespace fs = std::filesystem;
  for (const auto& folder : {path, path + "/processed"}) {
    if (is_file(folder + "/edge_index.npy")) return folder;
    if (!is_folder(folder)) continue;
    for (const auto& name : names_in(folder)) {
      if (name.find("___") != std::string::npos &&
          is_file((fs::path(folder) / name / "edge_index.npy").string()))
        return folder;
    }
  }
  return std::nullopt;
}

HALOGRAPH_INLINE edge_index_array::edge_index_array(file_bytes content, std::string file)
    : content_(std::move(content)), file_(std::move(file)) {
  const npy_view array = view_npy(content_.bytes, file_);
  if (array.shape.size() != 2 || array.shape[0] != 2 || !is_integer(array.type) ||
      array.type == dtype::boolean) {
    raise(error_kind::malformed,
          "an array of shape " + to_string(array.shape) + " and dtype " +
              std::string(name(array.type)) +
              " is not an edge index; it must be (2, E) integers, all sources and then all targets",
          {.file = file_});
  }
  edges_ = array.shape[1];
  type_ = array.type;
  swapped_ = array.swapped;
  const std::size_t width = item_bytes(type_);
  data_ = array.elements.data();
  stride_ = array.column_major ? 2 * width : width;
  second_ = array.column_major ? width : static_cast<std::size_t>(edges_) * width;
}

HALOGRAPH_INLINE void edge_index_array::read(std::uint64_t first, std::uint64_t last,
                                             std::uint64_t sources, std::uint64_t targets,
                                             const edge_block_visitor& f) const {
  std::vector<std::uint64_t> ends[2];
  for (; first < last; first += ends[0].size()) {
    for (const int end : {0, 1}) {
      auto& out = ends[end];
      out.resize(static_cast<std::size_t>(std::min(edges_per_block, last - first)));
      const std::byte* const at = data_ + (end == 0 ? 0 : second_) +
                                  static_cast<std::size_t>(first) * stride_;
      const std::uint64_t limit = end == 0 ? sources : targets;
      const std::size_t good = ids_from(type_, at, stride_, swapped_, limit, out.data(),
                                        out.size());
      if (good == out.size()) continue;
      raise(error_kind::out_of_range,
            std::string(end == 0 ? "source" : "target") + " [" + std::to_string(end) + ", " +
                std::to_string(first + good) + "] is " +
                integer_text(type_, at + good * stride_, swapped_) +
                (limit == 0 ? "; its type has no nodes"
                            : "; it must be an integer from 0 to " + std::to_string(limit - 1)),
            {.file = file_});
    }
    f(ends[0], ends[1], first);
  }
}

HALOGRAPH_INLINE streamed_graph ogb_streamer::run(std::string name) {
  graph_.name = std::move(name);
  const bool typed = !is_file(folder_ + "/edge_index.npy");
  if (typed) {
    read_folders();
  } else {
    graph_.schema = graph_schema::homogeneous();
    node_folders_ = {folder_};
    edge_folders_ = {folder_};
  }
  read_counts();
  for (const auto& folder : edge_folders_) {
    const std::string file = folder + "/edge_index.npy";
    edges_.push_back(std::make_shared<const edge_index_array>(open_(file), file));
    graph_.edge_counts.push_back(edges_.back()->edges());
  }
  graph_.node_counts.assign(graph_.schema.num_node_types(), 0);
  for (std::size_t t = 0; t < graph_.node_counts.size(); ++t) count_nodes(t, typed);
  for (std::size_t r = 0; r < edges_.size(); ++r) read_features(r, false, typed);
  graph_.read_edges = [edges = edges_, schema = graph_.schema, counts = graph_.node_counts](
                          type_id r, std::uint64_t first, std::uint64_t last,
                          const edge_block_visitor& visit) {
    edges[r]->read(first, last, counts[schema.source_type(r)], counts[schema.target_type(r)],
                   visit);
  };
  return std::move(graph_);
}

HALOGRAPH_INLINE void ogb_streamer::read_folders() {
  namespace fs = std::filesystem;
  std::vector<std::string> triples, types;
  for (const auto& name : names_in(folder_)) {
    const fs::path inner = fs::path(folder_) / name;
    if (!is_folder(inner.string())) continue;
    if (name.find("___") != std::string::npos) {
      if (is_file((inner / "edge_index.npy").string()))
        triples.push_back(name);
      else
        graph_.notes.push_back(inner.string() +
                               ": the folder has no edge_index.npy and is left out");
    } else if (!arrays_of(inner.string()).empty()) {
      types.push_back(name);
    }
  }
  std::vector<canonical_etype> parsed;
  for (const auto& name : triples) {
    const auto first = name.find("___"), second = name.find("___", first + 3);
    if (second == std::string::npos || name.find("___", second + 3) != std::string::npos) {
      raise(error_kind::malformed, "the folder's name must be source___relation___target",
            {.file = folder_ + "/" + name});
    }
    parsed.push_back({name.substr(0, first), name.substr(first + 3, second - first - 3),
                      name.substr(second + 3)});
    types.push_back(parsed.back().source);
    types.push_back(parsed.back().target);
    edge_folders_.push_back(folder_ + "/" + name);
  }
  sort_names(types);
  types.erase(std::unique(types.begin(), types.end()), types.end());
  try {
    read_counts();
    for (const auto& one : announced_) graph_.schema.add_node_type(one.first);
    for (const auto& name : types) {
      if (!graph_.schema.node_type(name)) graph_.schema.add_node_type(name);
    }
    for (auto& type : parsed) graph_.schema.add_edge_type(std::move(type));
  } catch (const error& wrong) {
    if (!wrong.where().file.empty()) throw;
    raise(wrong.code(), wrong.message(), {.file = folder_});
  }
  for (const auto& name : graph_.schema.node_types()) node_folders_.push_back(folder_ + "/" + name);
}

HALOGRAPH_INLINE void ogb_streamer::read_counts() {
  announced_.clear();
  for (const std::string_view name : {"num_nodes.json", "meta_info.json"}) {
    const std::string file = folder_ + "/" + std::string(name);
    if (!is_file(file)) continue;
    const json::value root = read_json(file, open_, codec_);
    const auto* const inner = root.find("num_nodes");
    const json::value& counts = inner != nullptr && inner->is_object() ? *inner : root;
    if (name == "meta_info.json" && &counts == &root) continue;  // describes other things
    counts_file_ = file;
    for (const auto& [type, count] : as_object(counts, "num_nodes", file))
      announced_.emplace_back(type, as_count(count, type, file));
    return;
  }
}

HALOGRAPH_INLINE std::vector<std::string> ogb_streamer::arrays_of(const std::string& folder) {
  std::vector<std::string> out;
  if (!is_folder(folder)) return out;
  for (const auto& name : names_in(folder)) {
    const std::filesystem::path file = std::filesystem::path(folder) / name;
    if (file.extension() == ".npy" && name != "edge_index.npy" && is_file(file.string()))
      out.push_back(file.stem().string());
  }
  sort_names(out);
  return out;
}

HALOGRAPH_INLINE void ogb_streamer::count_nodes(std::size_t t, bool typed) {
  const auto type = static_cast<type_id>(t);
  const std::string& name = graph_.schema.node_type_name(type);
  std::uint64_t& count = graph_.node_counts[t];
  const auto announced = std::find_if(announced_.begin(), announced_.end(),
                                      [&](const auto& one) { return one.first == name; });
  if (announced != announced_.end()) {
    count = announced->second;
    read_features(t, true, typed);
    return;
  }
  // The rows of its features, all of which must agree; arrays of other names do not count.
  for (const auto& array : arrays_of(node_folders_[t])) {
    if (!array.starts_with("node_")) continue;
    const std::string file = node_folders_[t] + "/" + array + ".npy";
    const file_bytes content = open_(file);
    const npy_view rows = view_npy(content.bytes, file);
    if (rows.shape.empty()) continue;
    count = rows.rows();
    read_features(t, true, typed);
    return;
  }
  for (std::size_t r = 0; r < edges_.size(); ++r) {
    const bool from = graph_.schema.source_type(static_cast<type_id>(r)) == type,
               to = graph_.schema.target_type(static_cast<type_id>(r)) == type;
    if (!from && !to) continue;
    // Negative IDs are above 2^63 here and out of range.
    edges_[r]->read(
        0, edges_[r]->edges(), std::uint64_t{1} << 63, std::uint64_t{1} << 63,
        [&](auto sources, auto targets, std::uint64_t) {
          if (from) count = std::max(count, *std::max_element(sources.begin(), sources.end()) + 1);
          if (to) count = std::max(count, *std::max_element(targets.begin(), targets.end()) + 1);
        });
  }
  graph_.notes.push_back("the number of nodes of type " + graph_schema::quoted(name) +
                         " is not given, so it is the largest ID of its edges plus one, " +
                         std::to_string(count) + "; num_nodes.json can set another number");
  read_features(t, true, typed);
}

HALOGRAPH_INLINE void ogb_streamer::read_features(std::size_t t, bool of_nodes, bool typed) {
  const auto type = static_cast<type_id>(t);
  const std::string& folder = (of_nodes ? node_folders_ : edge_folders_)[t];
  const std::string_view prefix = of_nodes ? "node_" : "edge_";
  const std::uint64_t count = (of_nodes ? graph_.node_counts : graph_.edge_counts)[t];
  for (const auto& array : arrays_of(folder)) {
    const bool ours = array.starts_with(prefix) && array.size() > prefix.size();
    if (!typed && !ours) continue;  // both kinds are in one folder
    const std::string file = folder + "/" + array + ".npy";
    auto content = std::make_shared<const file_bytes>(open_(file));
    const npy_view rows = view_npy(content->bytes, file);
    const std::string name = ours ? array.substr(prefix.size()) : array;
    if (rows.shape.empty() || rows.rows() != count) {
      if (ours) {
        raise(error_kind::mismatch,
              "an array of shape " + to_string(rows.shape) + " is not a feature of " +
                  std::to_string(count) + (of_nodes ? " nodes" : " edges") +
                  "; it needs one row each" +
                  (announced_.empty() || !of_nodes ? "" : ", as " + counts_file_ + " says"),
              {.file = file});
      }
      graph_.notes.push_back(file + ": an array of shape " + to_string(rows.shape) +
                             " is not a feature of " + std::to_string(count) +
                             (of_nodes ? " nodes" : " edges") + " and is left out");
      continue;
    }
    if (is_reserved_feature(name, of_nodes)) {
      graph_.notes.push_back(file + ": is left out; its name is reserved for partitions");
      continue;
    }
    streamed_feature feature{
        type, name, rows.type, {rows.row_shape().begin(), rows.row_shape().end()}, count, {}};
    feature.read = [content, rows](std::uint64_t first, std::uint64_t last,
                                   std::span<std::byte> out) {
      check(npy_rows_into(rows, first, last, out), "rows of an array cannot be read");
    };
    (of_nodes ? graph_.node_features : graph_.edge_features).push_back(std::move(feature));
  }
}

}  // namespace halograph::detail

namespace halograph {

HALOGRAPH_INLINE streamed_graph stream_ogb(const std::string& path, const any_file_opener& open,
                                           const any_json_codec& codec) {
  const auto folder = detail::ogb_folder(path);
  if (!folder) {
    raise(
        error_kind::not_found,
        "neither the folder nor its processed/ holds edge_index.npy, or a folder source___relation___target that does",
        {.file = path});
  }
  return detail::ogb_streamer(*folder, open, codec).run(detail::stem_of(path));
}

}  // namespace halograph
