// SPDX-License-Identifier: BSL-1.0
/// @file update.ipp
/// Bodies of the plain functions of pipeline/update.hpp.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/large_pages.hpp>
#include <halograph/core/search.hpp>
#include <halograph/folder/amend.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/folder/load.hpp>
#include <halograph/folder/node_mapping.hpp>
#include <halograph/folder/original_ids.hpp>
#include <halograph/io/formats/partition.hpp>
#include <halograph/pipeline/partition_writer.hpp>
#include <halograph/pipeline/update.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/dgl/serializer.hpp>
#include <halograph/serial/files/folder_entries.hpp>
#include <halograph/serial/files/input_record.hpp>
#include <halograph/serial/files/manifest.hpp>
#include <halograph/serial/files/output_guard.hpp>
#include <halograph/serial/layout.hpp>
#include <halograph/serial/tensor.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace halograph::detail {

/// The second config that dispatch makes where parts hold in-edges alone.
inline constexpr std::string_view in_edges_config = "metadata.json";

HALOGRAPH_INLINE updated_rows::updated_rows(std::shared_ptr<const source> from,
                                            std::vector<tensor> parts, tensor added)
    : from_(std::move(from)), parts_(std::move(parts)), added_(std::move(added)) {
  while (shape_of_ + 1 < parts_.size() && parts_[shape_of_].rows() == 0) ++shape_of_;
  if (parts_[shape_of_].rows() == 0) shape_of_ = 0;
}

HALOGRAPH_INLINE std::pair<std::size_t, std::uint64_t> updated_rows::cursor::find(
    std::uint64_t old) noexcept {
  const std::uint64_t row = from_.place.empty() ? old : from_.place[static_cast<std::size_t>(old)];
  // The part of the row before, mostly.
  if (row < first_ || row >= from_.ends[part_]) {
    part_ = count_not_above<std::uint64_t>(from_.ends, row);
    first_ = part_ == 0 ? 0 : from_.ends[part_ - 1];
  }
  return {part_, row - first_};
}

HALOGRAPH_INLINE status updated_rows::gather(std::span<const std::uint64_t> ids,
                                             std::span<std::byte> out) const noexcept {
  const std::size_t width = shaped().row_bytes();
  cursor at(*from_);
  applied_change::cursor kept(from_->removed);
  return gather_rows(ids, width, rows(), out, [&](std::uint64_t id) {
    if (id >= from_->kept) return added_.bytes().data() + (id - from_->kept) * width;
    const auto [part, row] = at.find(kept.old_of(id));
    return parts_[part].bytes().data() + row * width;
  });
}

HALOGRAPH_INLINE updated_folder::updated_folder(const partition_config& config,
                                                const folder_access& access)
    : config_(config), access_(access) {
  if (!config.reshuffled())
    raise(
        error_kind::unsupported,
        "the folder keeps original IDs, so parts have no ranges that could be updated; partition again without --no-reshuffle",
        {.file = config.path});
  if (config.cut_edges_dropped.value_or(0) != 0)
    raise(
        error_kind::unsupported,
        concat(
            {*config.cut_edges_dropped,
             " edges were dropped when the graph was partitioned, and an update would lose them; partition the whole graph again"}),
        {.file = config.path});
  require_files_inside(config);
}

HALOGRAPH_INLINE void updated_folder::take_ids(const partition_streamer& reader) {
  edges_restored_ = reader.edges_restored();
  form_ = reader.form();
  for (std::size_t t = 0; t < config_.schema.num_node_types(); ++t) {
    auto one = ranges_of({entity::node, static_cast<type_id>(t)});
    const auto& ids = reader.node_ids()[t];
    if (reader.nodes_restored()) {
      one.place.resize(ids.size());
      for (std::size_t row = 0; row < ids.size(); ++row)
        one.place[static_cast<std::size_t>(ids[row])] = row;
    }
    nodes_.push_back(std::make_shared<const updated_rows::source>(std::move(one)));
  }
}

HALOGRAPH_INLINE std::uint64_t updated_folder::rows_of(std::size_t part, entity_type of) const {
  return (of.kind == entity::node ? config_.node_map : config_.edge_map)[of.type][part].size();
}

HALOGRAPH_INLINE std::vector<part_id> updated_folder::owners(
    std::span<const std::uint64_t> nodes_now, executor_ref executor) const {
  std::vector<part_id> out;
  for (std::size_t t = 0; t < nodes_now.size(); ++t) {
    const std::size_t first = out.size();
    out.resize(first + static_cast<std::size_t>(nodes_now[t]), no_part_yet);
    executor.parallel_for(0, static_cast<std::size_t>(nodes_[t]->kept), std::size_t{1} << 14,
                          [&](std::size_t from, std::size_t to) {
                            updated_rows::cursor at(*nodes_[t]);
                            for (std::size_t v = from; v < to; ++v)
                              out[first + v] = static_cast<part_id>(at.find(v).first);
                          });
  }
  return out;
}

HALOGRAPH_INLINE updated_rows::source updated_folder::ranges_of(entity_type of) const {
  updated_rows::source out;
  out.kept = type_count(config_, of);
  std::uint64_t sum = 0;
  for (std::size_t p = 0; p < config_.num_parts; ++p) out.ends.push_back(sum += rows_of(p, of));
  return out;
}

HALOGRAPH_INLINE basic_feature_set<updated_rows> updated_folder::rows(
    const row_sources& edges, std::span<const std::uint64_t> nodes_now,
    std::span<const std::uint64_t> edges_now, const feature_set* added, bool zero_rows) const {
  basic_feature_set<updated_rows> out;
  std::vector<partition_features> parts;
  for (std::size_t p = 0; p < config_.num_parts; ++p)
    parts.push_back(load_partition_feats(config_, p, access_.files, access_.formats));
  const auto take = [&](entity_type of, const std::vector<feature<>>* given,
                        std::vector<feature<updated_rows>>& into) {
    const bool nodes = of.kind == entity::node;
    const auto columns = [&](std::size_t p) -> const std::vector<named_tensor>& {
      return nodes ? parts[p].nodes : parts[p].edges;
    };
    const std::string prefix = type_name(config_.schema, of) + "/";
    const auto& from = (nodes ? nodes_ : edges)[of.type];
    const std::uint64_t fresh = (nodes ? nodes_now : edges_now)[of.type] - from->kept;
    for (const auto& first : columns(0)) {
      if (!first.name.starts_with(prefix)) continue;
      const std::string name = first.name.substr(prefix.size());
      const auto raise_rows = [&](error_kind kind, const std::string& sentence,
                                  const std::string& file) {
        raise(kind, concat({"feature ", graph_schema::quoted(first.name), " ", sentence}),
              {.file = file});
      };
      std::vector<tensor> rows;
      const tensor* shaped = nullptr;  // the first with rows
      for (std::size_t p = 0; p < config_.num_parts; ++p) {
        const tensor* const found = find_column(columns(p), first.name);
        const std::string file = config_.resolve(nodes ? paths_of(config_, p).node_features
                                                       : paths_of(config_, p).edge_features);
        if (found == nullptr || found->rank() == 0 || found->rows() != rows_of(p, of))
          raise_rows(error_kind::mismatch,
                     concat({"must have ", rows_of(p, of), " rows, one for each inner ",
                             halograph::name(of.kind), " of its type"}),
                     file);
        if (found->rows() != 0) {
          if (shaped == nullptr) shaped = found;
          if (found->type() != shaped->type() ||
              !std::equal(found->row_shape().begin(), found->row_shape().end(),
                          shaped->row_shape().begin(), shaped->row_shape().end()))
            raise_rows(error_kind::mismatch, "has another dtype or shape in the parts before",
                       file);
        }
        rows.push_back(*found);
      }
      const tensor& like = shaped == nullptr ? rows[0] : *shaped;
      tensor_shape shape{like.row_shape().begin(), like.row_shape().end()};
      shape.insert(shape.begin(), fresh);
      tensor more;
      const feature<>* asked = nullptr;
      for (std::size_t i = 0; given != nullptr && i < given->size(); ++i) {
        if ((*given)[i].type == of.type && (*given)[i].name == name) asked = &(*given)[i];
      }
      if (asked != nullptr) {
        const auto& chunks = asked->rows;
        tensor_shape given_shape{chunks.row_shape().begin(), chunks.row_shape().end()};
        given_shape.insert(given_shape.begin(), chunks.rows());
        if (chunks.type() != like.type() || chunks.rows() != fresh ||
            !std::equal(chunks.row_shape().begin(), chunks.row_shape().end(),
                        like.row_shape().begin(), like.row_shape().end()))
          raise_rows(error_kind::mismatch,
                     concat({"needs ", halograph::name(like.type()), " of shape ", to_string(shape),
                             " for what is new; those rows are ", halograph::name(chunks.type()),
                             " of shape ", to_string(given_shape)}),
                     {});
        if (chunks.chunks().size() == 1) more = chunks.chunks()[0];
      } else if (fresh != 0 && !zero_rows) {
        raise_rows(error_kind::not_found,
                   concat({"needs rows for ", fresh, " new ", halograph::name(of.kind),
                           fresh == 1 ? "" : "s", "; give them, or ask for zeros"}),
                   config_.path);
      }
      if (more.rows() != fresh || more.rank() == 0) {
        const auto bytes = std::make_shared<std::vector<std::byte>>(
            static_cast<std::size_t>(element_count(shape)) * item_bytes(like.type()));
        if (asked != nullptr) {
          std::vector<std::uint64_t> all(static_cast<std::size_t>(fresh));
          std::iota(all.begin(), all.end(), std::uint64_t{0});
          static_cast<void>(
              asked->rows.gather(std::span<const std::uint64_t>(all), std::span(*bytes)));
        }
        more = tensor(like.type(), shape, std::span<const std::byte>(*bytes), bytes);
      }
      into.push_back({of.type, name, updated_rows(from, std::move(rows), std::move(more))});
    }
    // A feature that the folder does not have would be lost.
    for (std::size_t i = 0; given != nullptr && i < given->size(); ++i) {
      const auto& one = (*given)[i];
      if (one.type == of.type && std::none_of(into.begin(), into.end(), [&](const auto& made) {
            return made.type == one.type && made.name == one.name;
          }))
        raise(
            error_kind::not_found,
            concat(
                {"there are new rows of ", graph_schema::quoted(prefix + one.name),
                 ", a feature that the folder does not have; attach it first, or leave the rows out"}),
            {.file = config_.path});
    }
  };
  for (std::size_t t = 0; t < nodes_now.size(); ++t)
    take({entity::node, static_cast<type_id>(t)}, added == nullptr ? nullptr : &added->nodes,
         out.nodes);
  for (std::size_t r = 0; r < edges_now.size(); ++r)
    take({entity::edge, static_cast<type_id>(r)}, added == nullptr ? nullptr : &added->edges,
         out.edges);
  return out;
}

HALOGRAPH_INLINE row_sources updated_folder::edges(const applied_change& change) const {
  row_sources out;
  for (std::size_t r = 0; r < config_.schema.num_edge_types(); ++r) {
    const entity_type of{entity::edge, static_cast<type_id>(r)};
    auto one = ranges_of(of);
    if (edges_restored_) {
      one.place.resize(static_cast<std::size_t>(one.kept));
      std::uint64_t row = 0;
      for (std::size_t p = 0; p < config_.num_parts; ++p) {
        for (const auto id : load_original_ids(config_, p, of, access_.files, access_.formats))
          one.place[static_cast<std::size_t>(id)] = row++;
      }
    }
    one.kept = change.kept_edges(static_cast<type_id>(r));
    one.removed = &change.removed[r];
    out.push_back(std::make_shared<const updated_rows::source>(std::move(one)));
  }
  return out;
}

HALOGRAPH_INLINE new_ids::new_ids(const partition_config& config, entity kind, row_sources types)
    : map_(kind == entity::node ? config.node_map : config.edge_map),
      types_(std::move(types)),
      now_(static_cast<std::size_t>(kind == entity::node ? config.num_nodes : config.num_edges)) {
  prefer_large_pages(std::as_writable_bytes(now_.values()));
}

HALOGRAPH_INLINE void new_ids::write(any_output& output, const std::string& name,
                                     executor_ref threads) {
  for (std::size_t t = 0; t < types_.size(); ++t) {
    if (types_[t]->removed == nullptr) continue;
    updated_rows::cursor at(*types_[t]);
    for (const std::uint64_t old : *types_[t]->removed) {
      const auto [part, row] = at.find(old);
      now_[static_cast<std::size_t>(map_[t][part].begin + row)] = -1;
    }
  }
  write_npy_column(output, name, std::as_const(now_).values(), threads);
}

HALOGRAPH_INLINE void new_ids::take(type_id type, std::uint64_t first,
                                    std::span<const std::uint64_t> original) {
  const updated_rows::source& from = *types_[type];
  updated_rows::cursor at(from);
  applied_change::cursor kept(from.removed);
  for (std::size_t i = 0; i < original.size(); ++i) {
    if (original[i] >= from.kept) continue;
    const auto [part, row] = at.find(kept.old_of(original[i]));
    now_[static_cast<std::size_t>(map_[type][part].begin + row)] = static_cast<std::int64_t>(first +
                                                                                             i);
  }
}

HALOGRAPH_INLINE void updated_folder::describe(partition_options& options) const {
  options.graph_name = config_.graph_name;
  options.hops = static_cast<unsigned>(config_.halo_hops);
  options.part_method = config_.part_method;
  options.compact_mapping = is_there(node_mapping_file(config_));
  const auto& paths = paths_of(config_, 0);
  options.closing_out_edges = !is_there(config_.resolve(std::string(in_edges_config)));
  options.save_mapping = !paths.original_nodes.empty() ||
                         is_there(config_.resolve(unlisted_original_ids(paths, true)));
  options.store_original_ids = form_.original_ids;
  options.formats = form_.formats;
}

HALOGRAPH_INLINE std::vector<std::string> updated_folder::other_names() const {
  const std::string own = config_.graph_name + ".json";
  std::vector<std::string> out;
  const std::string name = config_.path.substr(config_.folder().size());
  if (name != own) out.push_back(name);
  if (const std::string second(in_edges_config);
      second != own && second != name && is_there(config_.resolve(second)))
    out.push_back(second);
  return out;
}

HALOGRAPH_INLINE any_serializer updated_folder::format() const {
  if (config_.serializer == "dgl" && paths_of(config_, 0).node_features.ends_with("node_feat.dgl"))
    return dgl_serializer{dgl_file_names::dgl};
  return access_.formats.of(config_);
}

HALOGRAPH_INLINE void find_kept_files(const partition_config& config, const changed_parts& changed,
                                      kept_row_files& out) {
  if (!read_manifest(config.folder().empty() ? "." : config.folder())) return;
  for (std::size_t p = 0; p < config.num_parts; ++p) {
    const auto& paths = paths_of(config, p);
    const std::string &nodes = paths.node_features, &edges = paths.edge_features;
    if (nodes == edges || nodes == paths.graph || edges == paths.graph) continue;
    if (!nodes.empty() && !changed.nodes[p]) out.files[nodes] = config.resolve(nodes);
    if (!edges.empty() && !changed.edges[p]) out.files[edges] = config.resolve(edges);
  }
}

HALOGRAPH_INLINE any_sink update_target::output::create(const std::string& name,
                                                        std::uint64_t bytes) {
  const auto found = kept->files.find(name);
  if (found != kept->files.end()) {
    std::error_code problem;
    // One of another size is no file that this writer makes.
    if (std::filesystem::file_size(found->second, problem) == bytes && !problem) {
      keep_file(found->second, staged, name, kept->link);
      const std::lock_guard lock(kept->mutex);
      ++kept->count;
      kept->bytes += bytes;
      return {};
    }
  }
  return staged.create(name, bytes);
}

HALOGRAPH_INLINE std::string update_target::output::commit(std::string_view command) {
  settle_inputs(opener);
  return staged.commit(command);
}

HALOGRAPH_INLINE std::string folder_to_make(const partition_config& config,
                                            const std::string& out) {
  const auto folder =
      std::filesystem::path(absolute_path(config.path)).lexically_normal().parent_path().string();
  require_beside(folder, out);
  return out.empty() ? folder : absolute_path(out);
}

HALOGRAPH_INLINE void require_parts(std::span<const part_id> owner, std::size_t parts) {
  for (std::size_t v = 0; v < owner.size(); ++v) {
    if (owner[v] < parts) continue;
    raise(error_kind::infeasible,
          concat({"node ", v, " has ", owner[v] == no_part_yet ? "no part" : "a part",
                  "; an update gives each node one of the ", parts, " parts that there are"}));
  }
}

}  // namespace halograph::detail
