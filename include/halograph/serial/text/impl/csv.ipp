// SPDX-License-Identifier: BSL-1.0
/// @file csv.ipp
/// Bodies of the plain functions of serial/text/csv.hpp.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/text/csv.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

HALOGRAPH_INLINE csv_reader::csv_reader(std::span<const std::byte> text, csv_format format,
                                        std::string file)
    : begin_(reinterpret_cast<const char*>(text.data())),
      at_(begin_),
      end_(begin_ + text.size()),
      format_(format),
      file_(std::move(file)) {
  const auto ends_lines = [](char c) { return c == '\n' || c == '\r'; };
  if (format.delimiter == format.quote || format.delimiter == '\0' ||
      ends_lines(format.delimiter) || ends_lines(format.quote)) {
    raise(error_kind::invalid_argument,
          "delimiter and quotation mark must be different, and neither may be a line end");
  }
  if (end_ - at_ >= 3 && std::memcmp(at_, "\xEF\xBB\xBF", 3) == 0) at_ += 3;
}

HALOGRAPH_INLINE bool csv_reader::next() {
  fields_.clear();
  unquoted_.clear();
  line_ = next_line_;
  while (at_ != end_ && end_of_line(at_)) {
    pass_line_end();
    line_ = next_line_;
  }
  if (at_ == end_) return false;
  ++records_;
  const char* const begin = at_;
  for (;;) {
    if (format_.quote != '\0' && at_ != end_ && *at_ == format_.quote)
      quoted_field();
    else
      plain_field();
    if (fields_.size() > most_fields || static_cast<std::size_t>(at_ - begin) > longest_record) {
      raise(error_kind::malformed,
            "the record has more than " + std::to_string(most_fields) + " fields or " +
                std::to_string(longest_record) +
                " bytes, which are the limits; a line end may be missing",
            where());
    }
    if (at_ == end_) return true;
    if (*at_ == format_.delimiter) {
      ++at_;
      continue;
    }
    pass_line_end();
    return true;
  }
}

HALOGRAPH_INLINE void csv_reader::pass_ordinary() noexcept {
  if constexpr (std::endian::native == std::endian::little) {
    constexpr std::uint64_t ones = 0x0101010101010101u, high = 0x8080808080808080u;
    // Bit 7 of each byte that is c; above the lowest one there may be others that are not.
    const auto places_of = [](std::uint64_t word, char c) {
      const std::uint64_t differs = word ^ ones * static_cast<unsigned char>(c);
      return (differs - ones) & ~differs & high;
    };
    // A field without quotes has no mark to look for; the delimiter stands in.
    const char mark = format_.quote == '\0' ? format_.delimiter : format_.quote;
    for (; end_ - at_ >= 8; at_ += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, at_, 8);
      const std::uint64_t special = places_of(word, format_.delimiter) | places_of(word, mark) |
                                    places_of(word, '\n') | places_of(word, '\r');
      if (special != 0) {
        at_ += std::countr_zero(special) / 8;
        return;
      }
    }
  }
}

HALOGRAPH_INLINE void csv_reader::plain_field() {
  const char* const begin = at_;
  pass_ordinary();
  while (at_ != end_ && *at_ != format_.delimiter && *at_ != '\n' &&
         !(*at_ == '\r' && end_of_line(at_))) {
    if (*at_ == format_.quote && format_.quote != '\0') {
      fail(
          "holds a quotation mark but does not begin with one; such a field must be quoted as a whole, with the mark in it "
          "doubled, or the table be read without quotes");
    }
    ++at_;
  }
  check_length(static_cast<std::size_t>(at_ - begin));
  fields_.push_back({begin, static_cast<std::size_t>(at_ - begin), 0, false});
}

HALOGRAPH_INLINE void csv_reader::quoted_field() {
  ++at_;
  const char* begin = at_;
  const std::size_t offset = unquoted_.size();
  bool copied = false;
  for (;;) {
    // Find the mark with memchr, then count the line ends before it.
    const auto window = static_cast<std::size_t>(
        std::min<std::ptrdiff_t>(end_ - at_, static_cast<std::ptrdiff_t>(longest_field) + 1));
    const void* const found = window == 0 ? nullptr : std::memchr(at_, format_.quote, window);
    if (found == nullptr) {
      if (window == static_cast<std::size_t>(end_ - at_))
        fail("is quoted but the file ends before its closing quotation mark");
      check_length(window);
    }
    const char* const mark = static_cast<const char*>(found);
    check_length(static_cast<std::size_t>(mark - begin) + unquoted_.size() - offset);
    for (const char* p = at_; p != mark; ++p) next_line_ += *p == '\n' ? 1u : 0u;
    at_ = mark + 1;
    if (at_ == end_ || *at_ != format_.quote) {
      if (copied) unquoted_.append(begin, mark);
      if (at_ != end_ && *at_ != format_.delimiter && !end_of_line(at_)) {
        fail(
            "continues after its closing quotation mark; a delimiter or the end of the line must follow, and a mark within the field must be doubled");
      }
      if (copied)
        fields_.push_back({nullptr, unquoted_.size() - offset, offset, true});
      else
        fields_.push_back({begin, static_cast<std::size_t>(mark - begin), 0, false});
      return;
    }
    unquoted_.append(begin, at_);  // one of the two marks
    copied = true;
    ++at_;
    begin = at_;
  }
}

HALOGRAPH_INLINE void append_csv_field(std::string& out, std::string_view text, csv_format format) {
  const bool needed = format.quote != '\0' &&
                      (text.empty() ||
                       text.find_first_of(std::string{format.delimiter, format.quote, '\n',
                                                      '\r'}) != std::string_view::npos);
  if (!needed) {
    out += text;
    return;
  }
  out += format.quote;
  for (const char c : text) {
    if (c == format.quote) out += c;
    out += c;
  }
  out += format.quote;
}

}  // namespace halograph
