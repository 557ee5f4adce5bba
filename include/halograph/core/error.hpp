// SPDX-License-Identifier: BSL-1.0
/// @file error.hpp
/// The one exception type of hosted calls: a code, a sentence, and the file and position it speaks
/// of.
/// Layer: core (compiles without exceptions: there, raise() calls on_error(), which the program defines).
/// Words: README.md.
#pragma once

#include <halograph/core/linkage.hpp>
#include <halograph/core/status.hpp>

#include <concepts>
#include <cstdint>
#include <exception>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace halograph {

/// Where in the input an error lies. Lines count from 1, bytes from 0.
struct location {
  std::string file{};                   ///< path, as the caller wrote it; empty: unknown
  std::optional<std::uint64_t> line{};  ///< from 1
  std::optional<std::uint64_t> byte{};  ///< from 0
};

namespace detail {
/// Each byte as \xNN.
std::string escaped_bytes(std::string_view bytes);
}  // namespace detail

/// Thrown by hosted calls. `what()` is one sentence on one line: where, what, and what would be
/// right; control characters, which may come from a file or its name, are written \\xNN.
class error : public std::exception {
 public:
  /// @param code     why
  /// @param message  the sentence without the place: what is wrong and what would be right
  /// @param where    file, line, byte, as far as known; they are put in front of the message
  error(error_kind code, std::string message, location where = {});

  /// Place and message, UTF-8.
  const char* what() const noexcept override { return what_.c_str(); }
  error_kind code() const noexcept { return code_; }                ///< why
  const std::string& message() const noexcept { return message_; }  ///< without the place
  const location& where() const noexcept { return where_; }         ///< as far as known

 private:
  error_kind code_;
  std::string message_;
  location where_;
  std::string what_;
};

#if !defined(__cpp_exceptions)
/// Where exceptions are switched off, hosted calls pass their errors to this function. It is
/// declared here and defined by the program, once, in a file of its own; a program that makes no
/// hosted call needs none; the linker reports a program that needs it and forgets it.
///
///     [[noreturn]] void halograph::on_error(const halograph::error& problem) {
///       log(problem.what());
///       reset();
///     }
[[noreturn]] void on_error(const error& problem);
#endif

/// Throw an error; where exceptions are switched off, pass it to on_error().
[[noreturn]] void raise(error problem);

/// Throw an error made of its parts.
[[noreturn]] inline void raise(error_kind code, std::string message, location where = {}) {
  raise(error(code, std::move(message), std::move(where)));
}

/// A piece of a text: characters that the caller keeps, or an integer.
class text_piece {
 public:
  template <class T>
    requires std::convertible_to<const T&, std::string_view>
  constexpr text_piece(const T& text) noexcept : text_(text) {}  ///< Refers to the characters.
  /// Holds the number, which is printed in decimal.
  template <std::integral T>
    requires(!std::same_as<T, bool> && !std::same_as<T, char>)
  constexpr text_piece(T number) noexcept
      : number_(static_cast<std::uint64_t>(number)), kind_(number < T{0} ? negative : positive) {}

  void append_to(std::string& out) const;  ///< The characters, or the number in decimal.

 private:
  enum kind : unsigned char { characters, positive, negative };
  std::string_view text_{};
  std::uint64_t number_ = 0;
  kind kind_ = characters;
};

/// The pieces one after another, integers in decimal: the sentences of errors. Compiles to one
/// call, where a chain of `+` is inlined link by link.
std::string concat(std::initializer_list<text_piece> pieces);

/// Pass an ok status, throw any other with the given sentence.
inline void check(status answer, const char* message) {
  if (answer.code != error_kind::ok) raise(answer.code, message);
}

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/core/impl/error.ipp>
#endif
