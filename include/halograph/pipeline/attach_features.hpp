// SPDX-License-Identifier: BSL-1.0
/// @file attach_features.hpp
/// Add features, given in the order of the input, to an existing partition folder.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/folder/access.hpp>
#include <halograph/folder/amend.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/folder/original_ids.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/feature_store.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/staged_folder.hpp>
#include <halograph/serial/files/staged_sink.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/layout.hpp>
#include <halograph/serial/layout_writer.hpp>
#include <halograph/serial/tensor.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

/// How to attach.
struct attach_options {
  bool replace = false;   ///< replace existing features instead of failing
  std::string out{};      ///< the folder to make; "": the config's own, replaced in one step
  json::value command{};  ///< how the result was made, for the manifest
  progress_callback on_progress{};  ///< told which parts are done
};

/// What was attached.
struct attach_result {
  std::vector<std::string> added{};     ///< keys, "type/name"
  std::vector<std::string> replaced{};  ///< keys of features that existed with other rows
  std::uint64_t rows = 0;               ///< copied, all parts together
  /// parts whose cached rows of other parts were dropped, because the rows were replaced
  std::size_t caches_dropped = 0;
  /// the folder's simulation was dropped, because rows of nodes changed
  bool simulation_dropped = false;
  std::vector<std::string> unchanged{};  ///< keys of features that existed with the same rows
  std::vector<std::string> notes{};      ///< notes for the user
};

/// Features from a folder of `<folder>/<type>/<name>.npy`, where `<type>` is a node type,
/// `source:relation:target`, or a relation that is unique; row i belongs to the input's node (or
/// edge) i of the type.
/// @errors not_found: no features, or a type that the schema does not have; those of the opener and
///     read_npy
feature_set read_feature_folder(const std::string& folder, const graph_schema& schema,
                                const any_file_opener& files);

/// Features of one graph, numbered for a folder whose types have the same names, perhaps in another
/// order.
/// @errors not_found: the folder has no such type
feature_set match_features(feature_set features, const graph_schema& from,
                           const partition_config& config);

namespace detail {

/// One run of attach_features.
class feature_attacher {
 public:
  feature_attacher(const partition_config& config, const feature_set_ref& features,
                   const any_file_opener& files, const format_list& formats,
                   const attach_options& options)
      : config_(config), features_(features), files_(files), formats_(formats), options_(options) {}

  attach_result run();

 private:
  using any_feature = feature<feature_store_ref>;

  std::string key_of(const any_feature& one, entity kind) const {
    return concat({type_name(config_.schema, {kind, one.type}), "/", one.name});
  }

  void check(const std::vector<any_feature>& all, entity kind) const;

  /// A key as today's files have it: before DGL 0.6 types were left out, before 1.0 edge types were
  /// relations.
  std::string today(const std::string& key, entity kind) const;

  void rewrite(std::size_t p, entity kind, const std::vector<any_feature>& given,
               staged_folder& staged, std::set<std::string>& written);

  /// Are the rows of a part's feature those that would be attached?
  static bool same_rows(const tensor& there, const feature_store_ref& rows,
                        std::span<const std::uint64_t> ids);

  /// Cached rows of other parts (feature_cache.hpp) are copies of what is replaced: drop them.
  void drop_cached_rows(std::set<std::string>& written);

  /// The simulation of a training batch (simulation_file) counted the rows that nodes had: drop it.
  void drop_simulation(std::set<std::string>& written);

  void gather(staged_sink& sink, const section& where, const feature_store_ref& rows,
              std::span<const std::uint64_t> ids, const std::string& key);

  const partition_config& config_;
  const feature_set_ref& features_;
  any_file_opener files_;
  format_list formats_;
  const attach_options& options_;
  attach_result result_{};
  std::set<std::string> added_{}, replaced_{}, unchanged_{};
  bool nodes_replaced_ = false, nodes_changed_ = false;
};

}  // namespace detail

/// Bytes that attaching features takes at most, besides what their stores and the opener hold.
/// @complexity O(P x features)
std::uint64_t attach_memory(const partition_config& config, const feature_set_ref& features);

/// Attach features to the folder of a config, part by part, through its mapping to original IDs.
/// The config and all other files stay as they are, except what the new rows make stale, which is
/// dropped: where rows of nodes are replaced, other parts' cached copies (feature_cache.hpp); where
/// nodes get any, the simulation of training (simulation_file). Everything is exchanged in one
/// step, or nothing changes. A feature that exists with the same rows stays as it is, so that a
/// killed run can be repeated.
///
/// @param config    as read from the folder; relations resolved
/// @param features  rows by the input's typed IDs; types by the config's numbers (match_features)
/// @param access    reads the folder; features are written in its own format
/// @errors          exists: the feature exists with other rows, or the folder holds files that are
///     not ours (give options.out); not_found: the folder has no mapping; mismatch: not one row
///     each; busy, io: the folder
/// @complexity      O(bytes of the feature files); memory: attach_memory(), and what the stores
/// hold
inline attach_result attach_features(const partition_config& config,
                                     const feature_set_ref& features, const folder_access& access,
                                     const attach_options& options = {}) {
  return detail::feature_attacher(config, features, access.files, access.formats, options).run();
}

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/pipeline/impl/attach_features.ipp>
#endif
