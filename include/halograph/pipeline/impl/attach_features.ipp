// SPDX-License-Identifier: BSL-1.0
/// @file attach_features.ipp
/// Bodies of the plain functions of pipeline/attach_features.hpp.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/folder/amend.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/folder/feature_cache.hpp>
#include <halograph/folder/load.hpp>
#include <halograph/folder/original_ids.hpp>
#include <halograph/folder/report.hpp>
#include <halograph/io/chunked/read.hpp>
#include <halograph/pipeline/attach_features.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/feature_store.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/folder_entries.hpp>
#include <halograph/serial/files/manifest.hpp>
#include <halograph/serial/files/staged_folder.hpp>
#include <halograph/serial/files/staged_sink.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/layout.hpp>
#include <halograph/serial/layout_writer.hpp>
#include <halograph/serial/npy.hpp>
#include <halograph/serial/serializer.hpp>
#include <halograph/serial/tensor.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

HALOGRAPH_INLINE feature_set read_feature_folder(const std::string& folder,
                                                 const graph_schema& schema,
                                                 const any_file_opener& files) {
  namespace fs = std::filesystem;
  feature_set out;
  for (const auto& type : detail::names_in(folder)) {
    const fs::path of_type = fs::path(folder) / type;
    if (!detail::is_folder(of_type.string())) continue;
    const auto features = detail::names_in(of_type.string());
    if (std::none_of(features.begin(), features.end(),
                     [](const auto& name) { return name.ends_with(".npy"); }))
      continue;
    entity_type of;
    try {
      of = find_type(schema, type);
    } catch (const error& unknown) {
      raise(unknown.code(), unknown.message(), {.file = of_type.string()});
    }
    for (const auto& feature : features) {
      if (!feature.ends_with(".npy")) continue;
      const std::string path = (of_type / feature).string(),
                        called = feature.substr(0, feature.size() - 4);
      detail::check_feature_name(called, of.kind == entity::node, path);
      tensor rows = read_npy(files(path), path);
      if (rows.rank() == 0)
        raise(
            error_kind::mismatch,
            "the file holds a single number without a shape; a feature has a row for each node or edge",
            {.file = path});
      (of.kind == entity::node ? out.nodes : out.edges)
          .push_back({of.type, called, std::move(rows)});
    }
  }
  if (out.nodes.empty() && out.edges.empty()) {
    raise(error_kind::not_found,
          "no features found; they must be in files such as " +
              graph_schema::quoted((schema.num_node_types() ? schema.node_types()[0] : "paper") +
                                   "/feat.npy"),
          {.file = folder});
  }
  return out;
}

HALOGRAPH_INLINE feature_set match_features(feature_set features, const graph_schema& from,
                                            const partition_config& config) {
  for (auto& one : features.nodes)
    one.type = find_type(config.schema, from.node_type_name(one.type)).type;
  for (auto& one : features.edges)
    one.type = find_type(config.schema, from.edge_type_name(one.type).str()).type;
  return features;
}

HALOGRAPH_INLINE std::uint64_t attach_memory(const partition_config& config,
                                             const feature_set_ref& features) {
  // Those of nodes are written before those of edges are read.
  std::uint64_t most = 0, widest = 0;
  for (const auto kind : {entity::node, entity::edge}) {
    std::vector<entity_type> types;
    for (const auto& one : kind == entity::node ? features.nodes : features.edges) {
      const entity_type of{kind, one.type};
      if (std::find(types.begin(), types.end(), of) == types.end()) types.push_back(of);
      widest = std::max(widest, element_count(one.rows.row_shape()) * item_bytes(one.rows.type()));
    }
    most = std::max(most, original_ids_memory(config, types));
  }
  return most + 2 * widest + (std::uint64_t{2} << 20);
}

}  // namespace halograph

namespace halograph::detail {

HALOGRAPH_INLINE attach_result feature_attacher::run() {
  check(features_.nodes, entity::node);
  check(features_.edges, entity::edge);
  auto note = amend_folder(
      config_, options_.out, options_.command,
      [&](staged_folder& staged, std::set<std::string>& written) {
        for (std::size_t p = 0; p < config_.num_parts; ++p) {
          rewrite(p, entity::node, features_.nodes, staged, written);
          rewrite(p, entity::edge, features_.edges, staged, written);
          if (options_.on_progress)
            options_.on_progress({"attach", p + 1, config_.num_parts, "parts"});
        }
        if (nodes_replaced_) drop_cached_rows(written);
        if (nodes_changed_) drop_simulation(written);
        return !added_.empty() || !replaced_.empty();
      },
      files_);
  if (!note.empty()) result_.notes.push_back(std::move(note));
  result_.added = std::vector<std::string>(added_.begin(), added_.end());
  result_.replaced = std::vector<std::string>(replaced_.begin(), replaced_.end());
  result_.unchanged = std::vector<std::string>(unchanged_.begin(), unchanged_.end());
  return std::move(result_);
}

HALOGRAPH_INLINE void feature_attacher::check(const std::vector<any_feature>& all,
                                              entity kind) const {
  std::set<std::string> keys;
  for (const auto& one : all) {
    const bool nodes = kind == entity::node;
    if (one.type >= (nodes ? config_.schema.num_node_types() : config_.schema.num_edge_types())) {
      raise(error_kind::not_found, concat({name(kind), " feature ", graph_schema::quoted(one.name),
                                           " belongs to a type that the folder does not have"}));
    }
    check_feature_name(one.name, nodes, {});
    const std::string key = key_of(one, kind);
    if (!keys.insert(key).second)
      raise(error_kind::exists, concat({"feature ", graph_schema::quoted(key),
                                        " is given twice; names must differ within a type"}));
    const std::uint64_t rows = one.rows.rows(), count = type_count(config_, {kind, one.type});
    // Rows of dropped edges are not stored; their number per type is unknown.
    const std::uint64_t dropped = nodes || !config_.reshuffled()
                                      ? 0
                                      : config_.cut_edges_dropped.value_or(0);
    if (rows < count || rows - count > dropped) {
      raise(error_kind::mismatch,
            concat({name(kind), " feature ", graph_schema::quoted(key), " has ", rows, " rows for ",
                    count, " ", name(kind), "s; it needs one row each"}));
    }
  }
}

HALOGRAPH_INLINE std::string feature_attacher::today(const std::string& key, entity kind) const {
  const auto slash = key.find('/');
  if (slash == std::string::npos) return (kind == entity::node ? "_N/" : "_N:_E:_N/") + key;
  if (kind == entity::node || key.find(':') < slash) return key;
  for (const auto& type : config_.schema.edge_types()) {
    if (type.relation == key.substr(0, slash)) return type.str() + key.substr(slash);
  }
  return key;
}

HALOGRAPH_INLINE void feature_attacher::rewrite(std::size_t p, entity kind,
                                                const std::vector<any_feature>& given,
                                                staged_folder& staged,
                                                std::set<std::string>& written) {
  if (given.empty()) return;
  std::vector<const any_feature*> fresh;
  for (const auto& one : given) fresh.push_back(&one);
  const bool nodes = kind == entity::node;
  const std::string& listed = own_features_file(config_, p, nodes);
  const std::string path = config_.resolve(listed);
  const std::string inside = std::filesystem::path(listed).lexically_normal().generic_string();
  const any_serializer& format = formats_.of(config_);
  auto old = format.read_features(files_(path), path,
                                  nodes ? column::node_feature : column::edge_feature);
  std::map<type_id, std::vector<std::uint64_t>> ids;
  const auto ids_of_type = [&](type_id type) -> const std::vector<std::uint64_t>& {
    if (ids.count(type) == 0)
      ids.emplace(type, load_original_ids(config_, p, {kind, type}, files_, formats_));
    return ids[type];
  };
  std::erase_if(old, [&](const named_tensor& one) {
    const std::string key = today(one.name, kind);
    const auto again = std::find_if(fresh.begin(), fresh.end(), [&](const any_feature* feature) {
      return key_of(*feature, kind) == key;
    });
    if (again == fresh.end()) return false;
    if (!options_.replace) {
      // A run that was killed after it replaced the folder must succeed when it is repeated.
      if (same_rows(one.value, (*again)->rows, ids_of_type((*again)->type))) {
        unchanged_.insert(key);
        fresh.erase(again);
        return false;
      }
      raise(
          error_kind::exists,
          concat(
              {"feature ", graph_schema::quoted(key),
               " exists with other rows; give the new one another name, or replace it (--replace)"}),
          {.file = path});
    }
    replaced_.insert(key);
    nodes_replaced_ = nodes_replaced_ || nodes;
    return true;
  });
  if (fresh.empty()) return;

  part_description plan;
  plan.part = static_cast<part_id>(p);
  plan.parts = static_cast<part_id>(config_.num_parts);
  auto& planned = nodes ? plan.node_features : plan.edge_features;
  for (const auto& one : old) planned.push_back({one.name, one.value.type(), one.value.shape()});
  for (const any_feature* one : fresh) {
    tensor_shape shape{ids_of_type(one->type).size()};
    shape.insert(shape.end(), one->rows.row_shape().begin(), one->rows.row_shape().end());
    planned.push_back({key_of(*one, kind), one->rows.type(), std::move(shape)});
  }
  const auto layout = format.layout(plan);
  const std::string& called = nodes ? layout.node_feature_file : layout.edge_feature_file;
  const auto file = std::find_if(layout.files.begin(), layout.files.end(),
                                 [&](const auto& one) { return one.name == called; });
  if (file == layout.files.end())
    raise(error_kind::internal, "the format's layout has no file of features", {.file = path});
  auto sink = staged.create(inside, file->bytes);
  sink.require(write_literals(*file, sink));
  for (const auto& where : file->sections) {
    if (where.item < old.size())
      sink.require(write_tensor(sink, where, old[where.item].value));
    else {
      const auto& one = *fresh[where.item - old.size()];
      gather(sink, where, one.rows, ids[one.type], key_of(one, kind));
    }
  }
  sink.sync();
  sink.close();
  written.insert(inside);
  nodes_changed_ = nodes_changed_ || nodes;
  for (const any_feature* one : fresh) {
    if (const auto key = key_of(*one, kind); replaced_.count(key) == 0) added_.insert(key);
  }
}

HALOGRAPH_INLINE bool feature_attacher::same_rows(const tensor& there,
                                                  const feature_store_ref& rows,
                                                  std::span<const std::uint64_t> ids) {
  if (there.rank() == 0 || there.rows() != ids.size()) return false;
  if (ids.empty()) return true;  // DGL writes anything for no rows
  if (there.type() != rows.type() || !std::equal(there.row_shape().begin(), there.row_shape().end(),
                                                 rows.row_shape().begin(), rows.row_shape().end()))
    return false;
  const std::size_t width = there.row_bytes(),
                    at_once = std::max<std::size_t>(
                        1, (std::size_t{1} << 20) / std::max<std::size_t>(width, 1));
  std::vector<std::byte> buffer;
  for (std::size_t done = 0; done < ids.size() && width != 0;) {
    const auto piece = ids.subspan(done, std::min(at_once, ids.size() - done));
    buffer.resize(piece.size() * width);
    if (!rows.gather(piece, std::span(buffer))) return false;
    if (!std::equal(buffer.begin(), buffer.end(),
                    there.bytes().begin() + static_cast<std::ptrdiff_t>(done * width)))
      return false;
    done += piece.size();
  }
  return true;
}

HALOGRAPH_INLINE void feature_attacher::drop_cached_rows(std::set<std::string>& written) {
  for (std::size_t p = 0; p < config_.num_parts; ++p) {
    const std::string copies = cached_features_file(config_, p);
    if (is_there(config_.resolve(copies))) ++result_.caches_dropped;
    written.insert(copies);
  }
}

HALOGRAPH_INLINE void feature_attacher::drop_simulation(std::set<std::string>& written) {
  const std::string figures(simulation_file);
  result_.simulation_dropped = is_there(config_.resolve(figures));
  written.insert(figures);
}

HALOGRAPH_INLINE void feature_attacher::gather(staged_sink& sink, const section& where,
                                               const feature_store_ref& rows,
                                               std::span<const std::uint64_t> ids,
                                               const std::string& key) {
  const std::uint64_t row_elements = element_count(rows.row_shape());
  const std::size_t width = static_cast<std::size_t>(row_elements) * item_bytes(rows.type());
  result_.rows += ids.size();
  if (width == 0) return;
  const std::size_t at_once = std::max<std::size_t>(1, (std::size_t{1} << 20) / width);
  std::vector<std::byte> buffer;
  for (std::size_t done = 0; done < ids.size();) {
    const auto piece = ids.subspan(done, std::min(at_once, ids.size() - done));
    buffer.resize(piece.size() * width);
    if (const status answer = rows.gather(piece, std::span(buffer)); !answer) {
      raise(answer.code, concat({"feature ", graph_schema::quoted(key), " has ", rows.rows(),
                                 " rows, fewer than the original IDs of the folder need"}));
    }
    sink.require(
        write_elements(sink, where, done * row_elements, std::span<const std::byte>(buffer)));
    done += piece.size();
  }
}

}  // namespace halograph::detail
