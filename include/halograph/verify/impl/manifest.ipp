// SPDX-License-Identifier: BSL-1.0
/// @file manifest.ipp
/// Bodies of the plain functions of verify/manifest.hpp.
/// Layer: verify. Words: README.md.
#pragma once

#include <halograph/book/policy.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/folder/load.hpp>
#include <halograph/serial/bytes.hpp>
#include <halograph/serial/digest.hpp>
#include <halograph/serial/files/folder_entries.hpp>
#include <halograph/serial/files/manifest.hpp>
#include <halograph/serial/layout.hpp>
#include <halograph/serial/serializer.hpp>
#include <halograph/verify/findings.hpp>
#include <halograph/verify/manifest.hpp>
#include <halograph/verify/state.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE std::array<std::string, 5> manifest_check::files_of(std::size_t p) const {
  if (p >= state_.config.parts.size()) return {};
  const auto& paths = state_.config.parts[p];
  return {paths.graph, paths.node_features, paths.edge_features, paths.original_nodes,
          paths.original_edges};
}

HALOGRAPH_INLINE void manifest_check::check_digests(std::size_t first, std::size_t last,
                                                    executor_ref executor) {
  const std::string path = state_.config.resolve(std::string(manifest_name));
  manifest made;
  try {
    const file_bytes content = state_.files(path);
    made = parse_manifest(
        {reinterpret_cast<const char*>(content.bytes.data()), content.bytes.size()}, path);
  } catch (const error& problem) {
    if (problem.code() == error_kind::not_found) return;  // DGL writes none
    findings_.done(check_kind::digests);
    findings_.add(check_kind::digests, path, problem);
    return;
  }
  findings_.done(check_kind::digests);
  ours_ = true;
  std::vector<std::string> names;
  names.push_back(state_.config.path.substr(state_.config.folder().size()));
  if (!state_.options.part) {
    for (const auto* map : {&state_.config.node_map_file, &state_.config.edge_map_file}) {
      if (!map->empty()) names.push_back(*map);
    }
  }
  for (std::size_t p = first; p < last; ++p) {
    const std::size_t of_part = names.size();
    for (auto& file : files_of(p)) {
      if (!file.empty() && std::find(names.begin() + static_cast<std::ptrdiff_t>(of_part),
                                     names.end(), file) == names.end())
        names.push_back(std::move(file));
    }
  }
  if (!state_.options.part) {
    find_foreign_entries(made);
    // Other files of the result, such as copies of other parts' rows.
    const std::set<std::string> known(names.begin(), names.end());
    for (const auto& entry : made.files) {
      if (known.count(entry.path) == 0) names.push_back(entry.path);
    }
  }
  // Digests are computed in parallel and reported in the order of the names.
  struct outcome {
    std::uint64_t bytes = 0;
    bool same = false;
    std::optional<error> problem{};
  };
  std::vector<outcome> outcomes(names.size());
  executor.parallel_for(0, names.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto* entry = made.find(names[i]);
      if (entry == nullptr) continue;
      try {
        const file_bytes content = state_.files(state_.config.resolve(names[i]));
        outcomes[i].bytes = content.bytes.size();
        outcomes[i].same = content.bytes.size() == entry->bytes &&
                           digest64().update(content.bytes).value() == entry->digest;
      } catch (const error& problem) {
        outcomes[i].problem = problem;
      }
    }
  });
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string file = state_.config.resolve(names[i]);
    const auto* entry = made.find(names[i]);
    const auto& found = outcomes[i];
    if (entry == nullptr) {
      findings_.add(check_kind::digests, file, "the file is not listed in the folder's manifest");
    } else if (found.problem) {
      findings_.add(check_kind::digests, file, *found.problem);
    } else if (!found.same) {
      changed_.insert(file);
      findings_.add(
          check_kind::digests, file,
          found.bytes != entry->bytes
              ? concat({"the file has ", found.bytes, " bytes; the manifest says ", entry->bytes})
              : "the file has changed: its digest differs from the manifest's");
    }
  }
}

HALOGRAPH_INLINE void manifest_check::find_foreign_entries(const manifest& made) {
  const std::string folder = state_.config.folder().empty() ? "." : state_.config.folder();
  std::error_code problem;
  if (!is_file(concat({folder, "/", manifest_name}))) return;  // the opener finds files elsewhere
  const auto is_saved_tensor = [&](const std::string& entry) {
    const std::string name = entry.substr(entry.rfind('/') + 1);
    if (!name.ends_with(".npy") ||
        !std::filesystem::is_regular_file(
            std::filesystem::symlink_status(state_.config.resolve(entry), problem)))
      return false;
    try {
      static_cast<void>(data_name::parse(std::string_view(name).substr(0, name.size() - 4)));
      return true;
    } catch (const error&) {
      return false;
    }
  };
  for (const auto& entry : entries_besides(folder, halograph::detail::files_of(made))) {
    if (is_saved_tensor(entry)) continue;
    findings_.add(
        check_kind::digests, state_.config.resolve(entry),
        "is not part of the result: the folder's manifest does not list it, so no run will replace the folder; move it elsewhere");
  }
}

HALOGRAPH_INLINE void manifest_check::locate_changes(std::size_t p, finding_log& findings) const {
  const auto roles = files_of(p);
  if (!ours_ || std::none_of(roles.begin(), roles.end(), [&](const auto& file) {
        return changed_.count(state_.config.resolve(file)) != 0;
      }))
    return;
  try {
    const any_serializer& format = state_.formats.of(state_.config);
    const auto named = [&](const std::string& file, column what) {
      return file.empty()
                 ? std::vector<named_tensor>()
                 : format.read_features(state_.files(state_.config.resolve(file)), file, what);
    };
    const loaded_structure graph = format.read_structure(
        state_.files(state_.config.resolve(roles[0])), roles[0]);
    part_description plan;
    plan.part = static_cast<part_id>(p);
    plan.parts = static_cast<part_id>(state_.config.num_parts);
    plan.nodes = graph.nodes;
    plan.inner_nodes = state_.nodes.count(p);
    plan.edges = graph.edges;
    plan.inner_edges = state_.edges.count(p);
    plan.types = find_column(graph.node_columns, "_TYPE") != nullptr;
    plan.part_ids = find_column(graph.node_columns, "part_id") != nullptr;
    plan.original_ids = find_column(graph.node_columns, "orig_id") != nullptr;
    plan.formats.bits = static_cast<std::uint8_t>((graph.coo ? 1 : 0) | (graph.csr ? 2 : 0) |
                                                  (graph.csc ? 4 : 0));
    for (const auto& one : named(roles[1], column::node_feature))
      plan.node_features.push_back({one.name, one.value.type(), one.value.shape()});
    for (const auto& one : named(roles[2], column::edge_feature))
      plan.edge_features.push_back({one.name, one.value.type(), one.value.shape()});
    plan.mapping = !roles[3].empty();
    if (plan.mapping) {
      for (const auto& one : named(roles[3], column::original_nodes))
        plan.original_nodes.push_back({one.name, one.value.rows()});
      for (const auto& one : named(roles[4], column::original_edges))
        plan.original_edges.push_back({one.name, one.value.rows()});
    }
    const part_layout layout = format.layout(plan);
    const std::string* names[] = {&layout.graph_file, &layout.node_feature_file,
                                  &layout.edge_feature_file, &layout.original_nodes_file,
                                  &layout.original_edges_file};
    for (std::size_t role = 0; role < roles.size(); ++role) {
      const std::string path = state_.config.resolve(roles[role]);
      if (roles[role].empty() || changed_.count(path) == 0) continue;
      if (std::find(roles.begin(), roles.begin() + static_cast<std::ptrdiff_t>(role),
                    roles[role]) != roles.begin() + static_cast<std::ptrdiff_t>(role))
        continue;
      for (const auto& file : layout.files) {
        if (file.name == *names[role]) locate_change(findings, path, file);
      }
    }
  } catch (const error&) {
    // Unreadable files have been reported already, with the byte.
  }
}

HALOGRAPH_INLINE void manifest_check::locate_change(finding_log& findings, const std::string& path,
                                                    const file_layout& layout) const {
  const file_bytes content = state_.files(path);
  if (content.bytes.size() != layout.bytes) return;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> data;
  for (const auto& one : layout.sections) {
    if (one.bytes() != 0) data.emplace_back(one.offset, one.offset + one.bytes());
  }
  std::sort(data.begin(), data.end());
  std::size_t next_data = 0, next_literal = 0;
  for (std::uint64_t byte = 0; byte < layout.bytes; ++byte) {
    if (next_data < data.size() && byte == data[next_data].first) {
      byte = data[next_data++].second - 1;
      continue;
    }
    while (next_literal < layout.literals.size() &&
           byte >=
               layout.literals[next_literal].offset + layout.literals[next_literal].bytes.size()) {
      ++next_literal;
    }
    const bool fixed = next_literal < layout.literals.size() &&
                       byte >= layout.literals[next_literal].offset;
    const auto wanted = fixed ? layout.literals[next_literal].bytes[static_cast<std::size_t>(
                                    byte - layout.literals[next_literal].offset)]
                              : std::byte{0};
    const auto there = content.bytes[static_cast<std::size_t>(byte)];
    if (there == wanted) continue;
    findings.add(check_kind::digests, path,
                 concat({"byte ", byte, " is ", std::to_integer<std::uint64_t>(there),
                         "; the format has ", std::to_integer<std::uint64_t>(wanted), " there"}));
    return;
  }
}

}  // namespace halograph::detail
