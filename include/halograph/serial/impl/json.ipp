// SPDX-License-Identifier: BSL-1.0
/// @file json.ipp
/// Bodies of the plain functions of serial/json.hpp.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/status.hpp>
#include <halograph/core/unmet.hpp>
#include <halograph/core/utf8.hpp>
#include <halograph/serial/json.hpp>

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace halograph::json {

HALOGRAPH_INLINE value& value::set(std::string key, value v) {
  if (is_null()) data_ = object{};
  object* members = if_object();
  if (!members)
    raise(errc::invalid_argument,
          "a JSON value can be given a member only where it is an object or null");
  members->emplace_back(std::move(key), std::move(v));
  return *this;
}

HALOGRAPH_INLINE value& value::push(value v) {
  if (is_null()) data_ = array{};
  array* elements = if_array();
  if (!elements)
    raise(errc::invalid_argument,
          "a JSON value can be given an element only where it is an array or null");
  elements->push_back(std::move(v));
  return *this;
}

}  // namespace halograph::json

namespace halograph::json::detail {

HALOGRAPH_INLINE void print_unicode_escape(std::string& out, std::uint32_t unit) {
  constexpr char digits[] = "0123456789abcdef";
  out += {'\\',
          'u',
          digits[(unit >> 12) & 15],
          digits[(unit >> 8) & 15],
          digits[(unit >> 4) & 15],
          digits[unit & 15]};
}

HALOGRAPH_INLINE void print_string(std::string& out, std::string_view text) {
  out += '"';
  for (std::size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c < 0x80) {
      ++i;
      switch (c) {
        case '"':
          out += "\\\"";
          break;
        case '\\':
          out += "\\\\";
          break;
        case '\b':
          out += "\\b";
          break;
        case '\f':
          out += "\\f";
          break;
        case '\n':
          out += "\\n";
          break;
        case '\r':
          out += "\\r";
          break;
        case '\t':
          out += "\\t";
          break;
        default:
          if (c < 0x20 || c == 0x7F)
            print_unicode_escape(out, c);
          else
            out += static_cast<char>(c);
      }
      continue;
    }
    const utf8_character character = first_utf8(text.substr(i));
    const auto point = static_cast<std::uint32_t>(character.value);
    if (character.bytes == 0) {
      print_unicode_escape(out, 0xFFFD);
      ++i;
    } else {
      if (point >= 0x10000) {
        print_unicode_escape(out, 0xD800 + ((point - 0x10000) >> 10));
        print_unicode_escape(out, 0xDC00 + ((point - 0x10000) & 0x3FF));
      } else {
        print_unicode_escape(out, point);
      }
      i += character.bytes;
    }
  }
  out += '"';
}

HALOGRAPH_INLINE void print(std::string& out, const value& v, std::size_t indent,
                            std::size_t depth) {
  const auto line = [&](std::size_t level) {
    if (indent != 0) {
      out += '\n';
      out.append(level * indent, ' ');
    }
  };
  if (v.is_null()) {
    out += "null";
  } else if (const auto* b = v.if_bool()) {
    out += *b ? "true" : "false";
  } else if (const auto* i = std::get_if<std::int64_t>(&v.data())) {
    out += std::to_string(*i);
  } else if (const auto* u = std::get_if<std::uint64_t>(&v.data())) {
    out += std::to_string(*u);
  } else if (const auto* d = std::get_if<double>(&v.data())) {
    char buffer[40];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, *d).ptr;
    const std::string_view digits(buffer, static_cast<std::size_t>(end - buffer));
    // JSON has no word for them.
    if (digits.find_first_of("in") != std::string_view::npos)
      out += "null";
    else
      out += digits;
    if (digits.find_first_of(".ein") == std::string_view::npos) out += ".0";
  } else if (const auto* s = v.if_string()) {
    print_string(out, *s);
  } else if (const auto* a = v.if_array()) {
    if (a->empty()) {
      out += "[]";
      return;
    }
    out += '[';
    for (std::size_t k = 0; k < a->size(); ++k) {
      if (k) out += indent ? "," : ", ";
      line(depth + 1);
      print(out, (*a)[k], indent, depth + 1);
    }
    line(depth);
    out += ']';
  } else if (const auto* o = v.if_object()) {
    if (o->empty()) {
      out += "{}";
      return;
    }
    out += '{';
    for (std::size_t k = 0; k < o->size(); ++k) {
      if (k) out += indent ? "," : ", ";
      line(depth + 1);
      print_string(out, (*o)[k].first);
      out += ": ";
      print(out, (*o)[k].second, indent, depth + 1);
    }
    line(depth);
    out += '}';
  }
}

}  // namespace halograph::json::detail
