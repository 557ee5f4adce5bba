// SPDX-License-Identifier: BSL-1.0
/// @file read_json.hpp
/// A JSON file, read and parsed.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/linkage.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/json.hpp>

#include <string>

namespace halograph {

/// Read and parse a JSON file. @errors as the opener; malformed, with the byte
json::value read_json(const std::string& path, const any_file_opener& files,
                      const any_json_codec& codec);

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/serial/impl/read_json.ipp>
#endif
