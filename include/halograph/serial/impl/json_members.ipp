// SPDX-License-Identifier: BSL-1.0
/// @file json_members.ipp
/// Bodies of the plain functions of serial/json_members.hpp.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/json_members.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace halograph::detail {

HALOGRAPH_INLINE const json::value& required_member(const json::value& object, std::string_view key,
                                                    const std::string& file) {
  const json::value* const found = object.find(key);
  if (found == nullptr)
    raise(error_kind::not_found, "key " + graph_schema::quoted(key) + " is missing",
          {.file = file});
  return *found;
}

}  // namespace halograph::detail
