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
#include <vector>

namespace halograph::json {

HALOGRAPH_INLINE value::value(std::string s)
    : data_{.text = new std::string(std::move(s))}, kind_(kind::text) {}
HALOGRAPH_INLINE value::value(array a)
    : data_{.elements = new array(std::move(a))}, kind_(kind::elements) {}
HALOGRAPH_INLINE value::value(object o)
    : data_{.members = new object(std::move(o))}, kind_(kind::members) {}

HALOGRAPH_INLINE value::value(const value& other) : data_(other.data_) {
  if (other.is_string()) data_.text = new std::string(*other.data_.text);
  if (other.is_array()) data_.elements = new array(*other.data_.elements);
  if (other.is_object()) data_.members = new object(*other.data_.members);
  kind_ = other.kind_;
}

HALOGRAPH_INLINE void value::destroy() noexcept {
  if (is_string()) delete data_.text;
  if (is_array()) delete data_.elements;
  if (is_object()) delete data_.members;
}

HALOGRAPH_INLINE bool value::equals(const value& other) const {
  if (kind_ != other.kind_) return false;
  switch (kind_) {
    case kind::null:
      return true;
    case kind::boolean:
      return data_.boolean == other.data_.boolean;
    case kind::integer:
      return data_.integer == other.data_.integer;
    case kind::large_integer:
      return data_.large_integer == other.data_.large_integer;
    case kind::number:
      return data_.number == other.data_.number;
    case kind::text:
      return *data_.text == *other.data_.text;
    case kind::elements:
      return *data_.elements == *other.data_.elements;
    case kind::members:
      return *data_.members == *other.data_.members;
  }
  return false;
}

HALOGRAPH_INLINE bool value::to_uint(std::uint64_t& out) const noexcept {
  if (!is_integer() || (kind_ == kind::integer && data_.integer < 0)) return false;
  out = kind_ == kind::integer ? static_cast<std::uint64_t>(data_.integer) : data_.large_integer;
  return true;
}

HALOGRAPH_INLINE bool value::to_int(std::int64_t& out) const noexcept {
  if (kind_ != kind::integer) return false;  // a large one does not fit
  out = data_.integer;
  return true;
}

HALOGRAPH_INLINE bool value::to_double(double& out) const noexcept {
  if (!is_number()) return false;
  out = kind_ == kind::number    ? data_.number
        : kind_ == kind::integer ? static_cast<double>(data_.integer)
                                 : static_cast<double>(data_.large_integer);
  return true;
}

HALOGRAPH_INLINE const value* value::find(std::string_view key) const noexcept {
  const value* found = nullptr;
  if (const auto* members = if_object()) {
    for (const auto& member : *members) {
      if (member.first == key) found = &member.second;
    }
  }
  return found;
}

HALOGRAPH_INLINE value& value::set(std::string key, value v) {
  if (is_null()) *this = object{};
  object* members = if_object();
  if (!members)
    raise(error_kind::invalid_argument,
          "a JSON value can be given a member only where it is an object or null");
  members->emplace_back(std::move(key), std::move(v));
  return *this;
}

HALOGRAPH_INLINE value& value::push(value v) {
  if (is_null()) *this = array{};
  array* elements = if_array();
  if (!elements)
    raise(error_kind::invalid_argument,
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
  } else if (std::int64_t i = 0; v.to_int(i)) {
    out += std::to_string(i);
  } else if (std::uint64_t u = 0; v.to_uint(u)) {
    out += std::to_string(u);
  } else if (double d = 0; v.to_double(d)) {
    char buffer[40];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, d).ptr;
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
