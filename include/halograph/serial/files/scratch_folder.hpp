// SPDX-License-Identifier: BSL-1.0
/// @file scratch_folder.hpp
/// A folder for temporary files that need names; a killed run leaves one that the next run removes.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/linkage.hpp>
#include <halograph/serial/files/folder_entries.hpp>
#include <halograph/serial/files/lock.hpp>

#include <string>

namespace halograph::detail {

/// A new folder `.halograph-scratch-<process>-<number>` that is removed with the object.
/// Constructors are thread-safe.
class scratch_folder {
 public:
  /// Remove what killed runs of this user have left in `place`, and make a folder there. Where the
  /// file system has no locks nothing is removed.
  /// @errors not_found, io: of `place`
  explicit scratch_folder(const std::string& place);
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;
  ~scratch_folder() { static_cast<void>(remove_tree(path_)); }

  /// Of the folder, below `place`.
  const std::string& path() const noexcept { return path_; }

 private:
  std::string path_{};
  held_lock lock_{};  // says that a run uses the folder
};

}  // namespace halograph::detail

#if !HALOGRAPH_COMPILED
#include <halograph/serial/files/impl/scratch_folder.ipp>
#endif
