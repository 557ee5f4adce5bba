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
#include <vector>

namespace halograph::json {

class value;
/// Elements in order, each of any kind.
using array = std::vector<value>;
/// Keys in the order in which the text has them; of equal keys the last counts (find()).
using object = std::vector<std::pair<std::string, value>>;

/// null, boolean, integer (64 bits, signed or not), number, string, array or object.
///
/// Not a std::variant, which costs every file that includes this a tenth of a second to compile.
class value {
 public:
  value() noexcept = default;
  /// Implicit, so that values nest: `object{{"parts", 8}, {"name", "web"}}`.
  /// @{
  value(std::nullptr_t) noexcept {}
  value(bool b) noexcept : kind_(kind::boolean) { data_.boolean = b; }
  template <std::signed_integral T>
  value(T i) noexcept : kind_(kind::integer) {
    data_.integer = static_cast<std::int64_t>(i);
  }
  template <std::unsigned_integral T>
    requires(!std::same_as<T, bool>)
  value(T i) noexcept {
    // One way to hold each integer, so that equal ones compare equal.
    if (std::in_range<std::int64_t>(i)) {
      kind_ = kind::integer;
      data_.integer = static_cast<std::int64_t>(i);
    } else {
      kind_ = kind::large_integer;
      data_.large_integer = static_cast<std::uint64_t>(i);
    }
  }
  value(double d) noexcept : kind_(kind::number) { data_.number = d; }
  value(std::string s);
  value(std::string_view s) : value(std::string(s)) {}
  value(const char* s) : value(std::string(s)) {}
  value(array a);
  value(object o);
  /// @}
  /// Copies are deep; a value that was moved from is null.
  /// @{
  value(const value& other);
  value(value&& other) noexcept
      : data_(other.data_), kind_(std::exchange(other.kind_, kind::null)) {}
  value& operator=(const value& other) {
    value(other).swap(*this);
    return *this;
  }
  value& operator=(value&& other) noexcept {
    value(std::move(other)).swap(*this);
    return *this;
  }
  /// @}
  ~value() {
    if (kind_ >= kind::text) destroy();
  }

  /// What it is. An integer is a number, too; every other value is of one kind.
  /// @{
  bool is_null() const noexcept { return kind_ == kind::null; }
  bool is_bool() const noexcept { return kind_ == kind::boolean; }
  bool is_integer() const noexcept {
    return kind_ == kind::integer || kind_ == kind::large_integer;
  }
  bool is_number() const noexcept { return is_integer() || kind_ == kind::number; }
  bool is_string() const noexcept { return kind_ == kind::text; }
  bool is_array() const noexcept { return kind_ == kind::elements; }
  bool is_object() const noexcept { return kind_ == kind::members; }
  /// @}

  /// What it holds, or nullptr where it is of another kind.
  /// @{
  const bool* if_bool() const noexcept { return is_bool() ? &data_.boolean : nullptr; }
  const std::string* if_string() const noexcept { return is_string() ? data_.text : nullptr; }
  const array* if_array() const noexcept { return is_array() ? data_.elements : nullptr; }
  const object* if_object() const noexcept { return is_object() ? data_.members : nullptr; }
  array* if_array() noexcept { return is_array() ? data_.elements : nullptr; }
  object* if_object() noexcept { return is_object() ? data_.members : nullptr; }
  /// @}

  /// A non-negative integer of at most 64 bits; false where the value is none.
  bool to_uint(std::uint64_t& out) const noexcept;
  /// Any integer that fits 64 signed bits.
  bool to_int(std::int64_t& out) const noexcept;
  /// Any number; integers beyond 2^53 are rounded.
  bool to_double(double& out) const noexcept;

  /// The value under a key of an object (the last, if there are several), or nullptr.
  const value* find(std::string_view key) const noexcept;
  /// Append a member; makes a null an object. Returns *this for chaining.
  /// @errors raises invalid_argument: the value is neither null nor an object
  value& set(std::string key, value v);
  /// Append an element; makes a null an array. @errors raises invalid_argument: neither null nor an
  /// array
  value& push(value v);

  /// An integer equals no number, as in the text.
  friend bool operator==(const value& one, const value& other) { return one.equals(other); }

 private:
  /// What is on the heap comes last.
  enum class kind : std::uint8_t {
    null,
    boolean,
    integer,
    large_integer,
    number,
    text,
    elements,
    members
  };
  union payload {
    std::int64_t integer;
    std::uint64_t large_integer;
    double number;
    bool boolean;
    std::string* text;
    array* elements;
    object* members;
  };

  void swap(value& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(kind_, other.kind_);
  }
  void destroy() noexcept;
  bool equals(const value& other) const;

  payload data_{};
  kind kind_ = kind::null;
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

/// The document on one line; "" for null.
inline std::string one_line(const value& document) {
  return document.is_null() ? std::string() : print(document, 0);
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
  /// Take over a codec.
  template <class Codec>
    requires(!std::same_as<Codec, any_json_codec> && json_codec<Codec>)
  any_json_codec(Codec codec)
      : codec_(hold(std::move(codec))),
        parse_([](const void* held, std::string_view text, json::value& out) {
          return static_cast<const Codec*>(held)->parse(text, out);
        }) {}

  /// As the held codec; see json_codec. @param out  unspecified after an error
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
