// SPDX-License-Identifier: BSL-1.0
/// @file manifest.hpp
/// Checks that a partition folder holds exactly the files of its manifest.
/// Layer: verify. Words: README.md.
#pragma once

#include <halograph/core/executor.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/serial/files/folder_entries.hpp>
#include <halograph/serial/files/manifest.hpp>
#include <halograph/serial/layout.hpp>
#include <halograph/verify/findings.hpp>
#include <halograph/verify/state.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

namespace detail {

/// Compares files with the manifest that our own folders have.
class manifest_check {
 public:
  manifest_check(const verify_context& state, finding_list& findings)
      : state_(state), findings_(findings) {}

  /// A part's files: graph, features of nodes and edges, original IDs of nodes and edges; "" for
  /// none.
  std::array<std::string, 5> files_of(std::size_t p) const;

  /// Compare files with the manifest.
  void check_digests(std::size_t first, std::size_t last, executor_ref executor);

  /// Files that the manifest does not list prevent later runs from replacing the folder. Tensors
  /// saved into it (dist_tensor::save) are exempt.
  void find_foreign_entries(const manifest& made);

  /// For changed files, report the first byte outside the data that differs from the format.
  void locate_changes(std::size_t p, finding_log& findings) const;

  void locate_change(finding_log& findings, const std::string& path,
                     const file_layout& layout) const;

 private:
  const verify_context& state_;
  finding_list& findings_;
  bool ours_ = false;                // there is a manifest
  std::set<std::string> changed_{};  // files that differ from it
};

}  // namespace detail

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/verify/impl/manifest.ipp>
#endif
