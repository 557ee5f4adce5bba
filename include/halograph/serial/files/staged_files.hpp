// SPDX-License-Identifier: BSL-1.0
/// @file staged_files.hpp
/// Files of one result in an existing folder: each appears complete, and none before all are
/// written.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/linkage.hpp>
#include <halograph/serial/files/staged_folder.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

/// Files of one result in a folder of the user. They are written into a hidden folder in it, then
/// renamed one by one, over older files of the same names. A run that is killed before leaves the
/// folder unchanged, one that is killed while renaming leaves each file old or new. If the folder
/// has a manifest, the files are added to it.
class staged_files {
 public:
  /// @param folder  must exist
  /// @param tag     names the kind of result, so that runs of one kind exclude each other
  /// @errors        as staged_folder; not_found: the folder
  staged_files(const std::string& folder, const std::string& tag)
      : folder_(checked(folder)), staged_(folder_ + "/.halograph-" + tag) {}

  /// The hidden folder, for writers that need a path; they must call add() for their files.
  const std::string& path() const noexcept { return staged_.path(); }
  /// The user's folder, where commit() puts the files.
  const std::string& target() const noexcept { return folder_; }
  /// As staged_folder::add(), for names without folders. @errors exists also: the name is taken by
  /// something other than a regular file
  void add(const std::string& name);

  /// Rename the files to their final paths. @return as staged_folder::commit()  @errors io
  std::string commit(std::string_view command = {});

 private:
  static std::string checked(const std::string& folder);

  std::string folder_;
  staged_folder staged_;
};

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/serial/files/impl/staged_files.ipp>
#endif
