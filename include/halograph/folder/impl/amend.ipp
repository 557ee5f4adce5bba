// SPDX-License-Identifier: BSL-1.0
/// @file amend.ipp
/// Bodies of the plain functions of folder/amend.hpp.
/// Layer: folder. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/folder/amend.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/folder_entries.hpp>
#include <halograph/serial/files/input_record.hpp>
#include <halograph/serial/files/manifest.hpp>
#include <halograph/serial/files/output_guard.hpp>
#include <halograph/serial/files/staged_folder.hpp>
#include <halograph/serial/json.hpp>

#include <cstddef>
#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE void keep_file(const std::string& from, staged_folder& staged,
                                const std::string& name, bool link) {
  namespace fs = std::filesystem;
  staged.add(name);
  const fs::path to = fs::path(staged.path()) / name;
  std::error_code problem;
  if (link) {
    fs::create_hard_link(from, to, problem);
    if (!problem) return;
    problem.clear();
  }
  fs::copy_file(from, to, problem);
  if (problem)
    raise_io(to.string(), concat({"copy ", graph_schema::quoted(from), " to it"}), problem.value());
}

HALOGRAPH_INLINE void keep_other_files(const std::filesystem::path& folder, staged_folder& staged,
                                       const std::set<std::string>& written, bool link) {
  std::vector<std::string> names;
  for_each_entry(folder.string(), [&](std::string name, entry_kind kind) {
    if (kind == entry_kind::folder || name == manifest_name || written.count(name) != 0)
      return true;
    if (kind != entry_kind::file)
      raise(error_kind::unsupported, "is not a regular file; a partition folder holds nothing else",
            {.file = (folder / name).string()});
    names.push_back(std::move(name));
    return true;
  });
  sort_names(names);
  for (const auto& name : names) keep_file((folder / name).string(), staged, name, link);
}

HALOGRAPH_INLINE void require_files_inside(const partition_config& config) {
  const auto require = [&](const std::string& listed, const std::string& what) {
    if (listed.empty() ||
        stays_inside(std::filesystem::path(listed).lexically_normal().generic_string()))
      return;
    raise(
        error_kind::unsupported,
        concat(
            {what, " is ", graph_schema::quoted(listed),
             ", outside the config's folder; copy the files into one folder and update the config"}),
        {.file = config.path});
  };
  require(config.node_map_file, "\"node_map\"");
  require(config.edge_map_file, "\"edge_map\"");
  for (std::size_t p = 0; p < config.parts.size(); ++p) {
    const auto& paths = config.parts[p];
    const std::string part = concat({"\"part-", p, "\": "});
    require(paths.graph, part + "\"part_graph\"");
    require(paths.node_features, part + "\"node_feats\"");
    require(paths.edge_features, part + "\"edge_feats\"");
    require(paths.original_nodes, part + "\"orig_nids\"");
    require(paths.original_edges, part + "\"orig_eids\"");
  }
}

}  // namespace halograph::detail

namespace halograph {

HALOGRAPH_INLINE void require_beside(const std::string& folder, const std::string& out) {
  if (!is_inside(folder, out) || is_inside(out, folder)) return;
  raise(error_kind::invalid_argument,
        concat({"the output ", graph_schema::quoted(out),
                " is inside the folder that it would be made from; choose a folder outside it"}));
}

HALOGRAPH_INLINE std::string amend_folder(
    const partition_config& config, const std::string& out, const json::value& command,
    function_ref<bool(staged_folder&, std::set<std::string>&)> write,
    const any_file_opener& files) {
  namespace fs = std::filesystem;
  const fs::path folder =
      fs::path(detail::absolute_path(config.path)).lexically_normal().parent_path();
  require_beside(folder.string(), out);
  detail::require_files_inside(config);
  staged_folder staged(out.empty() ? folder.string() : detail::absolute_path(out));
  std::set<std::string> written;
  if (!write(staged, written) && out.empty()) return {};
  detail::keep_other_files(folder, staged, written, out.empty());
  settle_inputs(files);
  return staged.commit(json::one_line(command));
}

HALOGRAPH_INLINE std::string put_into_folder(const partition_config& config,
                                             const std::string& name, std::string_view text,
                                             const json::value& command,
                                             const any_file_opener& files) {
  return amend_folder(
      config, {}, command,
      [&](staged_folder& staged, std::set<std::string>& written) {
        auto sink = staged.create(name, text.size());
        sink.require(sink.write_at(0, std::as_bytes(std::span(text.data(), text.size()))));
        sink.sync();
        sink.close();
        written.insert(name);
        return true;
      },
      files);
}

}  // namespace halograph
