// SPDX-License-Identifier: BSL-1.0
/// @file targets.hpp
/// Where partition_graph writes: a folder of parts in some format, published atomically.
/// Layer: folder. Words: README.md.
#pragma once

#include <halograph/folder/access.hpp>
#include <halograph/serial/dgl/serializer.hpp>
#include <halograph/serial/files/staged_folder.hpp>
#include <halograph/serial/native.hpp>
#include <halograph/serial/partition_target.hpp>
#include <halograph/serial/serializer.hpp>

#include <string>

namespace halograph {

/// A folder in any format: give your own serializer.
template <serializer Format>
struct format_folder {
  std::string path{};  ///< the folder; an earlier result in its place is replaced
  Format files{};      ///< lays out and reads the files of a part

  /// @{
  /// As `partition_target` asks for. @errors of begin: as staged_folder
  const Format& format() const { return files; }
  staged_folder begin() const { return staged_folder(path); }
  /// @}
};

/// A folder in DGL's formats: hg::dgl_folder{path}.
struct dgl_folder {
  std::string path{};  ///< the folder; an earlier result in its place is replaced
  dgl_file_names names = dgl_file_names::guide;  ///< what the feature files are called

  /// @{
  /// As `partition_target` asks for. @errors of begin: as staged_folder
  dgl_serializer format() const { return {names}; }
  staged_folder begin() const { return staged_folder(path); }
  /// @}
};
static_assert(partition_target<dgl_folder>);

/// A folder in halograph's own format, which is loaded by mapping: hg::native_folder{path}.
struct native_folder {
  std::string path{};  ///< the folder; an earlier result in its place is replaced

  /// @{
  /// As `partition_target` asks for. @errors of begin: as staged_folder
  native_serializer format() const { return {}; }
  staged_folder begin() const { return staged_folder(path); }
  /// @}
};
static_assert(partition_target<native_folder>);

/// The formats that the library can read.
using built_in_formats = format_set<dgl_serializer, native_serializer>;

}  // namespace halograph
