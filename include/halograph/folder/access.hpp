// SPDX-License-Identifier: BSL-1.0
/// @file access.hpp
/// What reading a partition folder takes: an opener of files, a JSON codec and the known formats.
/// Layer: folder. Words: README.md.
#pragma once

#include <halograph/serial/files/file.hpp>
#include <halograph/serial/json.hpp>

#include <utility>

namespace halograph {

/// How the calls that read a whole partition folder open its files, parse its config and decode its
/// parts. Owns all three, so it may be kept; thread-safe if they are.
///
///     hg::verify_partition("parts/g.json", hg::folder_access(hg::mapped_files{}, codec, formats));
///
/// hosted.hpp names the usual choice `hosted_access` and passes it for you.
///
/// @tparam Files    opens files: mapped_files for views that cost nothing until touched, read_files
/// @tparam Codec    parses JSON
/// @tparam Formats  the formats that the parts may be in: format_set<dgl_serializer, ...>
template <file_opener Files, json_codec Codec, class Formats>
struct folder_access {
  Files files;
  Codec codec;
  Formats formats;

  explicit folder_access(Files opener = Files(), Codec parser = Codec(), Formats known = Formats())
      : files(std::move(opener)), codec(std::move(parser)), formats(std::move(known)) {}
};

}  // namespace halograph
