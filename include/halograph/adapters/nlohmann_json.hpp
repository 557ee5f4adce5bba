// SPDX-License-Identifier: BSL-1.0
/// @file nlohmann_json.hpp
/// Parse JSON with nlohmann-json: a json_codec.
/// Layer: adapters (models json_codec of serial/json.hpp). Words: README.md.
#pragma once

#if !__has_include(<nlohmann/json.hpp>)
#error \
    "halograph/adapters/nlohmann_json.hpp needs nlohmann-json 3.10 or newer (Debian: apt install nlohmann-json3-dev)."
#else

#include <halograph/core/linkage.hpp>
#include <halograph/core/status.hpp>
#include <halograph/serial/json.hpp>

#include <cstddef>
#include <string_view>

namespace halograph {

/// JSON by nlohmann-json. Stateless; thread-safe.
struct nlohmann_codec {
  /// The largest depth of nested containers: far more than any document here, far less than the
  /// stack allows.
  static constexpr std::size_t max_depth = 200;

  /// @param text  RFC 8259 in UTF-8 (a leading byte order mark is skipped)
  /// @param out   the document: keys in the text's order, duplicates kept; left null on failure
  /// @errors malformed at the byte where the text stops being JSON; unsupported: deeper than
  ///     max_depth
  /// @complexity O(text.size())
  status parse(std::string_view text, json::value& out) const;
};
static_assert(json_codec<nlohmann_codec>);

}  // namespace halograph

#if !HALOGRAPH_COMPILED_HOSTED
#include <halograph/adapters/impl/nlohmann_json.ipp>
#endif

#endif
