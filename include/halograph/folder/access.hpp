// SPDX-License-Identifier: BSL-1.0
/// @file access.hpp
/// What reading a partition folder takes: an opener of files, a JSON codec and the known formats.
/// Layer: folder. Words: README.md.
#pragma once

#include <halograph/core/linkage.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/serializer.hpp>

#include <string>
#include <utility>
#include <vector>

namespace halograph {

/// Formats to choose from by the config's key `serializer`.
class format_list {
 public:
  format_list() = default;
  /// @param formats  searched in this order
  explicit format_list(std::vector<any_serializer> formats) : formats_(std::move(formats)) {}

  /// The config's format. @errors unsupported: unknown format, listing the known ones
  const any_serializer& of(const partition_config& config) const;

 private:
  std::vector<any_serializer> formats_{};
};

/// The formats of these types: hg::format_set<hg::dgl_serializer, my_format>{}.
template <serializer... Formats>
struct format_set : format_list {
  format_set() : format_list({any_serializer(Formats{})...}) {}
  /// Takes the formats themselves, for those that have options.
  explicit format_set(Formats... formats)
    requires(sizeof...(Formats) > 0)
      : format_list({any_serializer(std::move(formats))...}) {}
};

/// How the calls that read a whole partition folder open its files, parse its config and decode its
/// parts. Owns all three, so it may be kept; thread-safe if they are. Any models are taken:
///
///     hg::verify_partition("parts/g.json", hg::folder_access(hg::mapped_files{}, codec, formats));
///
/// hosted.hpp names the usual choice `hosted_access` and passes it for you.
struct folder_access {
  any_file_opener files;  ///< mapped_files for views that cost nothing until touched, read_files
  any_json_codec codec;   ///< parses the config
  format_list formats;    ///< those that the parts may be in

  /// Takes the opener, the parser and the known formats.
  folder_access(any_file_opener opener, any_json_codec parser, format_list known)
      : files(std::move(opener)), codec(std::move(parser)), formats(std::move(known)) {}
};

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/folder/impl/access.ipp>
#endif
