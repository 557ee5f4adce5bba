// SPDX-License-Identifier: BSL-1.0
/// @file cursor.hpp
/// Reads the columns of a line of text: numbers and separators.
/// Layer: serial. Words: README.md.
///
/// | part | rule |
/// | --- | --- |
/// | line | ends with `\n`, `\r\n` or the end of the text; empty lines (blanks alone) hold no record; in files at most 1 MiB (`longest_line`) |
/// | column | decimal digits after an optional sign; floating-point columns: the syntax of strtod, without hexadecimal |
/// | separator | blanks and tabs, or one comma with or without blanks around it; or one given character |
/// | comment | optional: from a # or % where a column could begin, to the end of the line |
/// | mark | a UTF-8 byte order mark at the very beginning is skipped |
#pragma once

#include <halograph/core/error.hpp>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <system_error>

namespace halograph {

/// How columns are separated.
struct text_format {
  char delimiter = '\0';  ///< one character between columns; NUL: blanks, tabs or a comma
  bool comments = false;  ///< # and % begin comments
};

namespace detail {

enum class text_fault : std::uint8_t {
  none,
  not_a_number,
  negative,
  out_of_range,
  overflow,
  missing_column,
  unknown_column,
  mixed_columns
};

/// Reads the columns of a line one after the other. Never reads past `end`.
class text_cursor {
 public:
  text_cursor(const char* begin, const char* end, text_format format) noexcept
      : at_(begin),
        end_(end),
        format_(format),
        blank_delimiter_(format.delimiter == '\0' || format.delimiter == ' ' ||
                         format.delimiter == '\t'),
        plain_separators_(separators_of(format.delimiter)) {}

  const char* at() const noexcept { return at_; }
  bool done() const noexcept { return at_ == end_; }
  const char* end() const noexcept { return end_; }

  void skip_blanks() noexcept {
    while (at_ != end_ && is_blank(*at_)) ++at_;
  }
  /// Does the record end here? @pre a column could begin here
  bool at_line_end() const noexcept {
    if (at_ == end_ || *at_ == '\n') return true;
    if (*at_ == '\r') return at_ + 1 == end_ || at_[1] == '\n';
    return format_.comments && (*at_ == '#' || *at_ == '%');
  }
  /// Skip one character. @pre !done()
  void pass() noexcept { ++at_; }
  /// Move to the beginning of the next line.
  void next_line() noexcept {
    if (at_ != end_ && *at_ == '\n') {
      ++at_;
    } else if (end_ - at_ > 1 && at_[0] == '\r' && at_[1] == '\n') {
      at_ += 2;
    } else {
      const void* const found = at_ == end_
                                    ? nullptr
                                    : std::memchr(at_, '\n', static_cast<std::size_t>(end_ - at_));
      at_ = found == nullptr ? end_ : static_cast<const char*>(found) + 1;
    }
  }
  /// Skip a separator. @return whether a column follows
  bool next_column() noexcept {
    if (end_ - at_ > 1 && is_plain_separator(*at_) && is_digit(at_[1])) {
      ++at_;
      return true;
    }
    skip_blanks();
    if (at_line_end()) return false;
    const char between = *at_;
    if ((format_.delimiter == '\0' && between == ',') ||
        (!blank_delimiter_ && between == format_.delimiter)) {
      ++at_;
      skip_blanks();
      return !at_line_end();
    }
    return true;
  }
  /// Does the number end here? @pre the cursor is after its last digit
  bool at_column_end() const noexcept {
    if (at_ == end_) return true;
    const char c = *at_;
    if (c == '\n') return true;
    if (c == ' ' || c == '\t') {
      if (blank_delimiter_) return true;
      text_cursor after = *this;  // blanks do not separate here: the delimiter must follow them
      after.skip_blanks();
      return after.at_line_end() || *after.at_ == format_.delimiter;
    }
    if (c == '\r') return at_line_end();
    return format_.delimiter == '\0' ? c == ',' : c == format_.delimiter;
  }

  /// A number from 0 to 2^64 - 1. On a fault the cursor does not move.
  text_fault unsigned_number(std::uint64_t& out) noexcept {
    if constexpr (std::endian::native == std::endian::little) {
      if (end_ - at_ > 24) {
        const unsigned count = plain_number(at_, out);
        if (count != 0) {
          const char behind = at_[count];
          if (is_plain_separator(behind) || after_line_end(at_ + count) != nullptr) {
            at_ += count;
            return text_fault::none;
          }
        }
      }
    }
    // Passed and returned by value, so that the cursor can stay in registers here.
    const auto read = any_unsigned_number(*this);
    at_ = read.at;
    out = read.value;
    return read.fault;
  }
  /// A number from -2^63 to 2^63 - 1.
  text_fault signed_number(std::int64_t& out) noexcept {
    const char* const begin = at_;
    const bool negative = at_ != end_ && *at_ == '-';
    if (negative) {
      ++at_;
      if (at_ == end_ || !is_digit(*at_)) {
        at_ = begin;
        return text_fault::not_a_number;
      }
    }
    std::uint64_t magnitude = 0;
    text_fault answer = unsigned_number(magnitude);
    constexpr auto top = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (answer == text_fault::none && magnitude > top + (negative ? 1u : 0u))
      answer = text_fault::overflow;
    if (answer != text_fault::none) {
      at_ = begin;
      return answer;
    }
    out = static_cast<std::int64_t>(negative ? std::uint64_t{0} - magnitude : magnitude);
    return answer;
  }
  /// A finite number.
  text_fault floating_number(double& out) noexcept {
    const char* const begin = at_;
    const char* const digits = begin != end_ && *begin == '+' ? begin + 1 : begin;
    double value = 0;
    const auto [ptr, problem] = std::from_chars(digits, end_, value);
    if (problem == std::errc::result_out_of_range) {
      // Too small is zero; too large overflows.
      if (tiny(digits, ptr))
        value = 0;
      else
        return text_fault::overflow;
    } else if (problem != std::errc{} || !std::isfinite(value) ||
               (digits != begin && *digits == '-')) {
      return text_fault::not_a_number;
    }
    at_ = ptr;
    if (!at_column_end()) {
      at_ = begin;
      return text_fault::not_a_number;
    }
    out = value;
    return text_fault::none;
  }

  /// The separator after the first number of this line, or the default separator.
  char separator_of_line() const noexcept {
    const char* p = at_;
    if (p != end_ && *p == '-') ++p;
    while (p != end_ && is_digit(*p)) ++p;
    if (p != end_ && is_plain_separator(*p)) return *p;
    return format_.delimiter == '\0' ? ' ' : format_.delimiter;
  }
  /// Up to 19 digits. @pre 24 bytes may be read @return how many there are; 0: none, more, or
  /// unsupported on this machine
  [[gnu::always_inline]] static unsigned plain_number(const char* p,
                                                      std::uint64_t& value) noexcept {
    if constexpr (std::endian::native == std::endian::little) {
      unsigned count = leading_digits(p, value);
      if (count == 8) {
        std::uint64_t low = 0;
        const unsigned second = leading_digits(p + 8, low);
        value = value * power_of_ten(second) + low;
        count += second;
        if (second == 8) {
          const unsigned third = leading_digits(p + 16, low);
          if (third > 3) return 0;  // 20 digits may be more than 64 bits hold
          if (third != 0) value = value * power_of_ten(third) + low;
          count += third;
        }
      }
      return count;
    } else {
      static_cast<void>(p), static_cast<void>(value);
      return 0;
    }
  }
  /// The position after a line end at p, or null.
  [[gnu::always_inline]] static const char* after_line_end(const char* p) noexcept {
    if (*p == '\n') return p + 1;
    return p[0] == '\r' && p[1] == '\n' ? p + 2 : nullptr;
  }

  static bool is_digit(char c) noexcept { return static_cast<unsigned char>(c - '0') < 10; }

 private:
  static bool is_blank(char c) noexcept { return c == ' ' || c == '\t'; }
  /// A bit for each character below 64 that always ends a column, line ends excepted. With a given
  /// delimiter blanks do not.
  static constexpr std::uint64_t separators_of(char delimiter) noexcept {
    const auto bit = [](char c) {
      return static_cast<unsigned char>(c) < 64 ? std::uint64_t{1} << c : 0;
    };
    const std::uint64_t blanks = bit(' ') | bit('\t');
    return delimiter == '\0'                       ? blanks | bit(',')
           : delimiter == ' ' || delimiter == '\t' ? blanks
                                                   : bit(delimiter);
  }
  bool is_plain_separator(char c) const noexcept {
    const auto place = static_cast<unsigned char>(c);
    return place < 64 && (plain_separators_ >> place & 1u) != 0;
  }
  /// @pre exponent <= 8
  static constexpr std::uint64_t power_of_ten(unsigned exponent) noexcept {
    constexpr std::uint64_t powers[9] = {1,      10,      100,      1000,     10000,
                                         100000, 1000000, 10000000, 100000000};
    return powers[exponent];
  }
  struct number_read {
    const char* at;
    std::uint64_t value;
    text_fault fault;
  };
  static number_read any_unsigned_number(text_cursor cursor) noexcept {
    const char* const begin = cursor.at_;
    const char* const end = cursor.end_;
    const char* const digits = begin != end && *begin == '+' ? begin + 1 : begin;
    const char* p = digits;
    std::uint64_t value = 0;
    for (; p != end && is_digit(*p); ++p) value = value * 10 + static_cast<std::uint64_t>(*p - '0');
    if (p == digits) {
      const bool negative = end - begin > 1 && *begin == '-' && is_digit(begin[1]);
      return {begin, 0, negative ? text_fault::negative : text_fault::not_a_number};
    }
    cursor.at_ = p;
    if (!cursor.at_column_end()) return {begin, 0, text_fault::not_a_number};
    // Up to 19 digits cannot overflow.
    if (p - digits > 19 && std::from_chars(digits, p, value).ec != std::errc{}) {
      return {begin, 0, text_fault::overflow};
    }
    return {p, value, text_fault::none};
  }
  /// Read up to 8 digits at once. @pre 8 bytes may be read; little-endian machine
  /// @return how many digits there are, 0 to 8
  /// @source the digits' values are added up pairwise by three multiplications, after D. Lemire's
  ///         "Number parsing at a gigabyte per second", 2021
  [[gnu::always_inline]] static unsigned leading_digits(const char* p,
                                                        std::uint64_t& value) noexcept {
    std::uint64_t digits = 0;
    std::memcpy(&digits, p, 8);
    digits -= 0x3030303030303030u;  // borrows of a non-digit only affect later bytes
    const std::uint64_t others = ((digits + 0x7676767676767676u) | digits) & 0x8080808080808080u;
    const auto count = static_cast<unsigned>(std::countr_zero(others)) /
                       8;  // 64 / 8 where all are digits
    if (count == 0) return 0;
    digits <<= 64 - 8 * count;  // zeros in front
    digits = digits * 10 + (digits >> 8);
    value = (((digits & 0x000000FF000000FFu) * 0x000F424000000064u) +
             (((digits >> 16) & 0x000000FF000000FFu) * 0x0000271000000001u)) >>
            32;
    return count;
  }
  /// Is a literal outside the range of double too small, rather than too large?
  static bool tiny(const char* begin, const char* end) noexcept {
    const char* const exponent = std::find_if(begin, end,
                                              [](char c) { return c == 'e' || c == 'E'; });
    if (exponent != end) return exponent + 1 != end && exponent[1] == '-';
    return std::find_if(begin, end, [](char c) { return c >= '1' && c <= '9'; }) >
           std::find(begin, end, '.');
  }

  const char* at_;
  const char* end_;
  text_format format_;
  bool blank_delimiter_;
  std::uint64_t plain_separators_;
};

}  // namespace detail

}  // namespace halograph
