// SPDX-License-Identifier: BSL-1.0
/// @file targets.hpp
/// Where partition_graph writes: a folder of parts in some format, published atomically.
/// Layer: folder. Words: README.md.
#pragma once

#include <halograph/core/unmet.hpp>
#include <halograph/folder/load.hpp>
#include <halograph/serial/dgl/serializer.hpp>
#include <halograph/serial/files/manifest.hpp>
#include <halograph/serial/files/staged_folder.hpp>
#include <halograph/serial/native.hpp>
#include <halograph/serial/serializer.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace halograph {

namespace detail {

template <class T>
concept has_format = requires(const T& target) {
  { target.format() } -> serializer;
};
template <class T>
concept begins_output = requires(const T& target, const std::string& name,
                                 std::string_view command) {
  { target.begin().create(name, std::uint64_t{0}) } -> byte_sink;
  target.begin().commit(command);
};

}  // namespace detail

/// Where a partitioning is written. `format()` returns a serializer. `begin()` opens an output:
/// `create(name, bytes)` returns a byte sink for a file of that size (thread-safe; names like
/// "part0/graph.dgl"), and `commit(command)` publishes all files at once; `command` is one line of
/// JSON that says how the result was made, or empty. It may return a note for the user as a string.
/// An output that is destroyed without a commit leaves nothing.
template <class T>
concept partition_target =
    (detail::has_format<T> ||
     unmet<"partition_target: needs format() const, returning a serializer">()) &&
    (detail::begins_output<T> ||
     unmet<
         "partition_target: needs begin() const, whose result has create(name, bytes) -> byte_sink and commit(std::string_view command)">());

/// A folder in any format: give your own serializer.
template <serializer Format>
struct format_folder {
  std::string path{};
  Format files{};

  const Format& format() const { return files; }
  staged_folder begin() const { return staged_folder(path); }
};

/// A folder in DGL's formats: hg::dgl_folder{path}.
struct dgl_folder {
  std::string path{};
  dgl_file_names names = dgl_file_names::guide;

  dgl_serializer format() const { return {names}; }
  staged_folder begin() const { return staged_folder(path); }
};
static_assert(partition_target<dgl_folder>);

/// A folder in halograph's own format, which is loaded by mapping: hg::native_folder{path}.
struct native_folder {
  std::string path{};

  native_serializer format() const { return {}; }
  staged_folder begin() const { return staged_folder(path); }
};
static_assert(partition_target<native_folder>);

/// The formats that the library can read.
using built_in_formats = format_set<dgl_serializer, native_serializer>;

}  // namespace halograph
