// SPDX-License-Identifier: BSL-1.0
/// @file json_members.hpp
/// Members of a JSON object by key and kind, or the sentence that says what is missing.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/json.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace halograph::detail {

[[noreturn]] inline void raise_kind(std::string_view key, const char* kind,
                                    const std::string& file) {
  raise(error_kind::malformed, graph_schema::quoted(key) + " must be " + kind, {.file = file});
}

/// The value of a key that must be there. @errors not_found
const json::value& required_member(const json::value& object, std::string_view key,
                                   const std::string& file);

/// The members of an object: `v` itself. @errors malformed: it is none
inline const json::object& as_object(const json::value& v, std::string_view key,
                                     const std::string& file) {
  const auto* const object = v.if_object();
  if (object == nullptr) raise_kind(key, "an object", file);
  return *object;
}
inline const json::array& as_array(const json::value& v, std::string_view key,
                                   const std::string& file) {
  const auto* const array = v.if_array();
  if (array == nullptr) raise_kind(key, "a list", file);
  return *array;
}
inline const std::string& as_string(const json::value& v, std::string_view key,
                                    const std::string& file) {
  const auto* const string = v.if_string();
  if (string == nullptr) raise_kind(key, "a string", file);
  return *string;
}
inline std::uint64_t as_count(const json::value& v, std::string_view key, const std::string& file) {
  std::uint64_t count = 0;
  if (!v.to_uint(count)) raise_kind(key, "an integer from 0 on", file);
  return count;
}

/// The object under a key, or nullptr where the key is missing or null.
inline const json::object* optional_object(const json::value& object, std::string_view key,
                                           const std::string& file) {
  const json::value* const found = object.find(key);
  return found == nullptr || found->is_null() ? nullptr : &as_object(*found, key, file);
}

}  // namespace halograph::detail

#if !HALOGRAPH_COMPILED
#include <halograph/serial/impl/json_members.ipp>
#endif
