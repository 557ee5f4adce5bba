// SPDX-License-Identifier: BSL-1.0
/// @file json.hpp
/// A JSON document in memory, its printing, and the codec concept by which a library parses one.
/// Layer: serial. Words: README.md.
///
/// Printing is ours, so that bytes are pinned whatever library parses: 4 blanks of indentation, one
/// element a line, keys in the order of insertion, everything beyond ASCII as `\uXXXX`, no final
/// newline: the form in which DGL writes its configs.
#pragma once

#include <halograph/core/linkage.hpp>
#include <halograph/core/status.hpp>
#include <halograph/core/unmet.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace halograph::json {

class value;
using array = std::vector<value>;
/// Keys in the order in which the text has them; of equal keys the last counts (find()).
using object = std::vector<std::pair<std::string, value>>;

/// null, boolean, integer (64 bits, signed or not), number, string, array or object.
class value {
 public:
  value() = default;
  value(std::nullptr_t) {}
  value(bool b) : data_(b) {}
  template <std::signed_integral T>
  value(T i) : data_(static_cast<std::int64_t>(i)) {}
  template <std::unsigned_integral T>
    requires(!std::same_as<T, bool>)
  value(T i) {
    // One way to hold each integer, so that equal ones compare equal.
    if (std::in_range<std::int64_t>(i))
      data_ = static_cast<std::int64_t>(i);
    else
      data_ = static_cast<std::uint64_t>(i);
  }
  value(double d) : data_(d) {}
  value(std::string s) : data_(std::move(s)) {}
  value(std::string_view s) : data_(std::string(s)) {}
  value(const char* s) : data_(std::string(s)) {}
  value(array a) : data_(std::move(a)) {}
  value(object o) : data_(std::move(o)) {}
  // Assigned, not copied: libstdc++ 12 takes a variant whose copy ran out of memory for one with a
  // value, and destroys that.
  value(const value& other) { data_ = other.data_; }
  value(value&&) noexcept = default;
  value& operator=(const value&) = default;
  value& operator=(value&&) noexcept = default;
  ~value() = default;

  bool is_null() const noexcept { return std::holds_alternative<std::monostate>(data_); }
  bool is_bool() const noexcept { return std::holds_alternative<bool>(data_); }
  bool is_integer() const noexcept {
    return std::holds_alternative<std::int64_t>(data_) ||
           std::holds_alternative<std::uint64_t>(data_);
  }
  bool is_number() const noexcept { return is_integer() || std::holds_alternative<double>(data_); }
  bool is_string() const noexcept { return std::holds_alternative<std::string>(data_); }
  bool is_array() const noexcept { return std::holds_alternative<array>(data_); }
  bool is_object() const noexcept { return std::holds_alternative<object>(data_); }

  const bool* if_bool() const noexcept { return std::get_if<bool>(&data_); }
  const std::string* if_string() const noexcept { return std::get_if<std::string>(&data_); }
  const array* if_array() const noexcept { return std::get_if<array>(&data_); }
  const object* if_object() const noexcept { return std::get_if<object>(&data_); }
  array* if_array() noexcept { return std::get_if<array>(&data_); }
  object* if_object() noexcept { return std::get_if<object>(&data_); }

  /// A non-negative integer; nullptr-like false where it is not one.
  bool to_uint(std::uint64_t& out) const noexcept {
    if (const auto* u = std::get_if<std::uint64_t>(&data_)) {
      out = *u;
      return true;
    }
    if (const auto* i = std::get_if<std::int64_t>(&data_); i && *i >= 0) {
      out = static_cast<std::uint64_t>(*i);
      return true;
    }
    return false;
  }
  /// Any integer that fits 64 signed bits.
  bool to_int(std::int64_t& out) const noexcept {
    if (const auto* i = std::get_if<std::int64_t>(&data_)) {
      out = *i;
      return true;
    }
    if (const auto* u = std::get_if<std::uint64_t>(&data_); u && *u <= 0x7FFFFFFFFFFFFFFFull) {
      out = static_cast<std::int64_t>(*u);
      return true;
    }
    return false;
  }
  bool to_double(double& out) const noexcept {
    if (const auto* d = std::get_if<double>(&data_)) {
      out = *d;
      return true;
    }
    if (const auto* i = std::get_if<std::int64_t>(&data_)) {
      out = static_cast<double>(*i);
      return true;
    }
    if (const auto* u = std::get_if<std::uint64_t>(&data_)) {
      out = static_cast<double>(*u);
      return true;
    }
    return false;
  }

  /// The value under a key of an object (the last, if there are several), or nullptr.
  const value* find(std::string_view key) const noexcept {
    const value* found = nullptr;
    if (const auto* members = if_object()) {
      for (const auto& member : *members) {
        if (member.first == key) found = &member.second;
      }
    }
    return found;
  }
  /// Append a member; makes a null an object. Returns *this for chaining.
  /// @errors raises invalid_argument: the value is neither null nor an object
  value& set(std::string key, value v);
  /// Append an element; makes a null an array. @errors raises invalid_argument: neither null nor an
  /// array
  value& push(value v);

  friend bool operator==(const value&, const value&) = default;

  using storage = std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double,
                               std::string, array, object>;
  const storage& data() const noexcept { return data_; }

 private:
  storage data_{};
};

namespace detail {

void print_unicode_escape(std::string& out, std::uint32_t unit);

/// UTF-8 to escaped ASCII. Bytes that are no UTF-8 become U+FFFD, so that the result is always
/// JSON.
void print_string(std::string& out, std::string_view text);

void print(std::string& out, const value& v, std::size_t indent, std::size_t depth);

}  // namespace detail

/// The document as text. @param indent blanks per level; 0: one line
inline std::string print(const value& document, std::size_t indent = 4) {
  std::string out;
  detail::print(out, document, indent, 0);
  return out;
}

}  // namespace halograph::json

namespace halograph {

namespace detail {
template <class C>
concept parses_json = requires(const C& codec, std::string_view text, json::value& out) {
  { codec.parse(text, out) } -> std::same_as<status>;
};
}  // namespace detail

/// Parses JSON text (RFC 8259, nothing more: no comments, no trailing commas, nesting bounded by
/// the codec, never a crash) into a document; malformed at the byte where it stops being JSON.
/// Integers that fit 64 bits stay integers.
template <class C>
concept json_codec =
    (detail::parses_json<C> ||
     unmet<"json_codec: needs status parse(string_view, json::value& out) const">());

/// Any JSON codec, owned, and shared by its copies: code that takes it is compiled once for all of
/// them. Thread-safe if the codec is.
class any_json_codec {
 public:
  template <class Codec>
    requires(!std::same_as<Codec, any_json_codec> && json_codec<Codec>)
  any_json_codec(Codec codec)
      : codec_(hold(std::move(codec))),
        parse_([](const void* held, std::string_view text, json::value& out) {
          return static_cast<const Codec*>(held)->parse(text, out);
        }) {}

  status parse(std::string_view text, json::value& out) const {
    return parse_(codec_.get(), text, out);
  }

 private:
  /// A codec without members is shared by all, so that wrapping it allocates nothing.
  template <class Codec>
  static std::shared_ptr<const void> hold(Codec codec) {
    if constexpr (std::is_empty_v<Codec> && std::is_default_constructible_v<Codec>) {
      static const Codec all{};
      return {std::shared_ptr<const void>(), &all};
    } else {
      return std::make_shared<const Codec>(std::move(codec));
    }
  }

  std::shared_ptr<const void> codec_;
  status (*parse_)(const void*, std::string_view, json::value&);
};
static_assert(json_codec<any_json_codec>);

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/serial/impl/json.ipp>
#endif
