// SPDX-License-Identifier: BSL-1.0
/// @file feature_cache.ipp
/// Bodies of the plain functions of folder/feature_cache.hpp.
/// Layer: folder. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/folder/amend.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/folder/feature_cache.hpp>
#include <halograph/folder/load.hpp>
#include <halograph/folder/original_ids.hpp>
#include <halograph/folder/restore.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/manifest.hpp>
#include <halograph/serial/files/staged_folder.hpp>
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
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

HALOGRAPH_INLINE void write_cache_plan(const cache_plan& plan, const std::string& path) {
  std::vector<std::int64_t> cells;
  cells.reserve(3 * plan.size());
  for (const auto& row : plan) cells.insert(cells.end(), {row.part, row.node, row.fetched});
  const auto layout = npy_layout(path, dtype::int64, {plan.size(), 3});
  detail::replaced_file target(path);
  auto sink = target.create(layout.bytes);
  sink.require(write_literals(layout, sink));
  sink.require(write_elements(sink, layout.sections.at(0), 0,
                              std::as_bytes(std::span<const std::int64_t>(cells))));
  sink.sync();
  sink.close();
  target.commit();
}

HALOGRAPH_INLINE cache_plan read_cache_plan(const std::string& path, const partition_config& config,
                                            const any_file_opener& files) {
  const tensor cells = read_npy(files(path), path);
  if (cells.rank() != 2 || cells.shape()[1] != 3 || cells.type() != dtype::int64) {
    raise(error_kind::mismatch,
          concat({"a plan has rows of three int64 (part, node, count); this file has ",
                  name(cells.type()), " of shape ", to_string(cells.shape())}),
          {.file = path});
  }
  cache_plan plan(static_cast<std::size_t>(cells.rows()));
  std::vector<std::pair<std::int64_t, std::int64_t>> seen;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    plan[i] = {cells.integer(3 * i), cells.integer(3 * i + 1), cells.integer(3 * i + 2)};
    const auto fail = [&](error_kind code, const std::string& what) {
      raise(code, concat({"row ", i, " ", what}), {.file = path});
    };
    const auto part = static_cast<std::uint64_t>(plan[i].part),
               node = static_cast<std::uint64_t>(plan[i].node);
    if (part >= config.num_parts)
      fail(error_kind::out_of_range,
           concat({"names part ", plan[i].part, "; parts are 0 to ", config.num_parts - 1}));
    if (node >= config.num_nodes)
      fail(error_kind::out_of_range,
           concat({"names node ", plan[i].node, "; there are ", config.num_nodes}));
    for (const auto& type : config.node_map) {
      const auto& own = type[static_cast<std::size_t>(part)];
      if (node >= own.begin && node < own.end) {
        fail(error_kind::malformed,
             concat({"lets part ", part, " keep node ", node,
                     ", which it owns; the plan must be made for this folder"}));
      }
    }
    seen.emplace_back(plan[i].part, plan[i].node);
  }
  std::sort(seen.begin(), seen.end());
  if (const auto twice = std::adjacent_find(seen.begin(), seen.end()); twice != seen.end()) {
    raise(error_kind::malformed,
          concat({"part ", twice->first, " keeps node ", twice->second, " twice; once is enough"}),
          {.file = path});
  }
  return plan;
}

}  // namespace halograph

namespace halograph::detail {

HALOGRAPH_INLINE std::string cached_features_file(const partition_config& config,
                                                  std::size_t part) {
  const auto& paths = paths_of(config, part);
  const std::string& listed = paths.node_features.empty() ? paths.graph : paths.node_features;
  const std::filesystem::path path = std::filesystem::path(listed).lexically_normal();
  return (path.parent_path() / ("cached_feats" + path.extension().string())).generic_string();
}

HALOGRAPH_INLINE std::vector<parted_feature> node_features_of(
    const partition_config& config, const std::vector<std::string>& wanted,
    const any_file_opener& files, const format_list& formats) {
  std::vector<parted_feature> all;
  for (std::size_t p = 0; p < config.num_parts; ++p) {
    const std::string path = config.resolve(paths_of(config, p).node_features);
    for (auto& one : load_partition_feats(config, p, files, formats).nodes) {
      if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), one.name) == wanted.end())
        continue;
      const auto type = config.schema.node_type(one.name.substr(0, one.name.find('/')));
      if (!type)
        raise(error_kind::not_found,
              concat({"feature ", graph_schema::quoted(one.name),
                      " has a type that the config does not list"}),
              {.file = path});
      const std::uint64_t owned = config.node_map[*type][p].size();
      if (one.value.rank() == 0 || one.value.rows() != owned) {
        raise(error_kind::mismatch,
              concat({"feature ", graph_schema::quoted(one.name), " has shape ",
                      to_string(one.value.shape()), "; the config gives the part ", owned,
                      " rows of it"}),
              {.file = path});
      }
      auto found = std::find_if(all.begin(), all.end(),
                                [&](const auto& known) { return known.key == one.name; });
      if (found == all.end()) {
        found = all.insert(found, {*type,
                                   one.name,
                                   one.value.type(),
                                   {one.value.row_shape().begin(), one.value.row_shape().end()},
                                   std::vector<tensor>(config.num_parts)});
      } else if (owned != 0 && found->rows_seen == 0) {
        found->item = one.value.type();
        found->row_shape.assign(one.value.row_shape().begin(), one.value.row_shape().end());
      } else if (owned != 0 &&
                 (found->item != one.value.type() ||
                  !std::equal(found->row_shape.begin(), found->row_shape.end(),
                              one.value.row_shape().begin(), one.value.row_shape().end()))) {
        raise(error_kind::mismatch,
              concat({"feature ", graph_schema::quoted(one.name),
                      " has a different dtype or row shape in earlier parts"}),
              {.file = path});
      }
      found->rows_seen += owned;
      found->rows[p] = std::move(one.value);
    }
  }
  for (const auto& key : wanted) {
    if (std::none_of(all.begin(), all.end(), [&](const auto& one) { return one.key == key; })) {
      raise(error_kind::not_found,
            concat({"the folder has no node feature ", graph_schema::quoted(key),
                    "; name one as TYPE/NAME"}),
            {.file = config.path});
    }
  }
  for (const auto& one : all) {
    for (std::size_t p = 0; p < config.num_parts; ++p) {
      if (one.rows[p].rows() != config.node_map[one.type][p].size()) {
        raise(error_kind::not_found,
              concat({"part ", p, " has no feature ", graph_schema::quoted(one.key),
                      ", which other parts have"}),
              {.file = config.path});
      }
    }
  }
  return all;
}

}  // namespace halograph::detail

namespace halograph {

HALOGRAPH_INLINE cache_result attach_cache(const partition_config& config, const cache_plan& plan,
                                           const folder_access& access,
                                           const cache_options& options) {
  const auto& files = access.files;
  const auto& formats = access.formats;
  if (!config.reshuffled())
    detail::raise_in(
        config, error_kind::unsupported,
        "the folder was made without relabeling, so no part owns a range of IDs; partition again without --no-reshuffle");
  const auto features = detail::node_features_of(config, options.features, files, formats);
  cache_result result;
  const std::size_t types = config.schema.num_node_types();
  // By part and node; and where each node's row lies: the cells of all parts and types, by their
  // first node.
  cache_plan ordered(plan);
  std::sort(ordered.begin(), ordered.end(), [](const cached_row& a, const cached_row& b) {
    return a.part != b.part ? a.part < b.part : a.node < b.node;
  });
  std::vector<detail::node_cell> cells;
  for (std::size_t t = 0; t < types; ++t) {
    for (std::size_t p = 0; p < config.num_parts; ++p) {
      if (config.node_map[t][p].size() != 0) cells.push_back({config.node_map[t][p], t, p});
    }
  }
  std::sort(cells.begin(), cells.end(),
            [](const auto& one, const auto& other) { return one.nodes.begin < other.nodes.begin; });
  const auto cell_of = [&](std::int64_t node) -> const detail::node_cell& {
    const auto value = static_cast<std::uint64_t>(node);
    const auto after = std::upper_bound(
        cells.begin(), cells.end(), value,
        [](std::uint64_t v, const detail::node_cell& one) { return v < one.nodes.begin; });
    if (after == cells.begin() || value >= (after - 1)->nodes.end) {
      raise(error_kind::out_of_range,
            concat({"the plan names node ", node, ", which no part owns"}), {.file = config.path});
    }
    return *(after - 1);
  };
  result.note = amend_folder(
      config, options.out, options.command,
      [&](staged_folder& staged, std::set<std::string>& written) {
        auto next = ordered.begin();
        for (std::size_t p = 0; p < config.num_parts; ++p) {
          std::vector<std::vector<std::int64_t>> nodes(types);  // ascending
          for (; next != ordered.end() && next->part == static_cast<std::int64_t>(p); ++next)
            nodes[cell_of(next->node).type].push_back(next->node);
          const std::string name = detail::cached_features_file(config, p),
                            path = config.resolve(name);
          written.insert(name);
          part_description planned;
          planned.part = static_cast<part_id>(p);
          planned.parts = static_cast<part_id>(config.num_parts);
          std::vector<tensor> columns;
          for (std::size_t t = 0; t < types; ++t) {
            if (nodes[t].empty()) continue;
            result.rows += nodes[t].size();
            const std::string& type = config.schema.node_types()[t];
            planned.node_features.push_back({type + "/_ID", dtype::int64, {nodes[t].size()}});
            columns.push_back(tensor::from(nodes[t]));
            for (const auto& one : features) {
              if (one.type != t) continue;
              tensor_shape shape{nodes[t].size()};
              shape.insert(shape.end(), one.row_shape.begin(), one.row_shape.end());
              const std::size_t width = static_cast<std::size_t>(element_count(one.row_shape)) *
                                        item_bytes(one.item);
              auto bytes = std::make_shared<std::vector<std::byte>>(nodes[t].size() * width);
              for (std::size_t i = 0; i < nodes[t].size(); ++i) {
                const detail::node_cell& cell = cell_of(nodes[t][i]);
                const std::uint64_t row = static_cast<std::uint64_t>(nodes[t][i]) -
                                          cell.nodes.begin;
                check(one.rows[cell.part].gather(std::span(&row, 1),
                                                 std::span(*bytes).subspan(i * width, width)),
                      "a row of a feature is not there");
              }
              result.bytes += bytes->size();
              planned.node_features.push_back({one.key, one.item, shape});
              const std::span<const std::byte> view(*bytes);
              columns.emplace_back(one.item, std::move(shape), view, std::move(bytes));
            }
          }
          if (!columns.empty()) {
            static_cast<void>(detail::own_features_file(
                config, p, true));  // one with other columns has no form of its own
            const auto layout = formats.of(config).layout(planned);
            const auto file = std::find_if(
                layout.files.begin(), layout.files.end(),
                [&](const auto& one) { return one.name == layout.node_feature_file; });
            if (file == layout.files.end())
              raise(error_kind::internal, "the format has no file for features", {.file = path});
            auto sink = staged.create(name, file->bytes);
            save(*file, sink, [&](const section& where) { return columns[where.item]; });
            sink.sync();
            sink.close();
          }
          if (options.on_progress) options.on_progress({"place", p + 1, config.num_parts, "parts"});
        }
        return true;
      },
      files);
  return result;
}

HALOGRAPH_INLINE std::vector<named_tensor> load_cached_features(const partition_config& config,
                                                                std::size_t part,
                                                                const any_file_opener& files,
                                                                const format_list& formats) {
  const std::string path = config.resolve(detail::cached_features_file(config, part));
  std::optional<file_bytes> content;
  try {
    content = files(path);
  } catch (const error& problem) {
    if (problem.code() == error_kind::not_found) return {};
    throw;
  }
  return formats.of(config).read_features(*content, path, column::node_feature);
}

}  // namespace halograph
