// SPDX-License-Identifier: BSL-1.0
/// @file read_json.ipp
/// Bodies of the plain functions of serial/read_json.hpp.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/status.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/read_json.hpp>

#include <string>
#include <string_view>

namespace halograph {

HALOGRAPH_INLINE json::value read_json(const std::string& path, const any_file_opener& files,
                                       const any_json_codec& codec) {
  const file_bytes content = files(path);
  json::value root;
  const status parsed = codec.parse(
      std::string_view(reinterpret_cast<const char*>(content.bytes.data()), content.bytes.size()),
      root);
  if (!parsed)
    raise(parsed.code, "this is not valid JSON; parsing fails here", {path, {}, parsed.position});
  return root;
}

}  // namespace halograph
