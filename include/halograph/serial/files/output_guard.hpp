// SPDX-License-Identifier: BSL-1.0
/// @file output_guard.hpp
/// Rejects outputs that would replace an input of the run.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/schema/schema.hpp>

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>

namespace halograph {

namespace detail {

/// The canonical path, links followed; it need not exist.
inline std::filesystem::path canonical_place(const std::string& name) {
  std::error_code problem;
  const auto whole = std::filesystem::absolute(name, problem);
  auto found = std::filesystem::weakly_canonical(whole, problem);
  if (problem)
    found = whole.lexically_normal();  // a place that we may not look at: whoever uses it says so
  return found.has_filename() ? found : found.parent_path();
}

}  // namespace detail

/// Is `path` the folder `target`, or inside it? Links are followed; neither needs to exist.
inline bool is_inside(const std::string& target, const std::string& path) {
  if (target.empty() || path.empty()) return false;
  const auto folder = detail::canonical_place(target), inside = detail::canonical_place(path);
  return std::mismatch(folder.begin(), folder.end(), inside.begin(), inside.end()).first ==
         folder.end();
}

namespace detail {

[[noreturn]] inline void raise_over_input(const std::string& target, const std::string& input) {
  raise(errc::invalid_argument, "the output " + graph_schema::quoted(target) +
                                    " would replace the input " + graph_schema::quoted(input) +
                                    "; name another folder");
}

}  // namespace detail

/// @errors raises invalid_argument: `input` is the folder `target` or inside it
inline void reject_output_over_input(const std::string& target, const std::string& input) {
  if (is_inside(target, input)) detail::raise_over_input(target, input);
}

/// The same for every file of a chunked graph.
template <class Chunked>
void keep_files_of(const std::string& target, const Chunked& graph) {
  std::string last;
  const auto keep = [&](const auto& files) {
    for (const auto& file : files) {
      auto folder = std::filesystem::path(file.path).parent_path().string();
      if (folder == last) continue;
      if (is_inside(target, file.path)) reject_output_over_input(target, file.path);
      last = std::move(folder);
    }
  };
  for (const auto& list : graph.edges) keep(list.files);
  for (const auto* all : {&graph.node_features, &graph.edge_features}) {
    for (const auto& one : *all) keep(one.list.files);
  }
}

}  // namespace halograph
