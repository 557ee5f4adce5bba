// SPDX-License-Identifier: BSL-1.0
/// @file csv.hpp
/// Reads CSV: records of fields, separated and quoted as spreadsheets and databases write them.
/// Layer: serial. Words: README.md.
///
/// | part | rule (RFC 4180) |
/// | --- | --- |
/// | record | ends with `\n`, `\r\n` or the end of the text; empty lines hold none |
/// | field | the text between delimiters, blanks included |
/// | quoted field | begins and ends with a quotation mark; two of them in it stand for one; it may hold delimiters and line ends |
/// | mark | a UTF-8 byte order mark at the very beginning is passed over |
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/schema/schema.hpp>

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

/// How fields are separated and quoted.
struct csv_format {
  char delimiter = ',';
  char quote = '"';  ///< NUL: fields are never quoted, and quotation marks are ordinary
};

/// Reads records one after the other. The text must outlive it. Not thread-safe.
class csv_reader {
 public:
  /// The most bytes of a field, so that a missing quotation mark does not consume the whole file.
  static constexpr std::size_t longest_field = std::size_t{1} << 24;
  /// The most bytes and fields of a record.
  static constexpr std::size_t longest_record = std::size_t{1} << 25,
                               most_fields = std::size_t{1} << 20;

  /// @param file  the text's name, for errors
  /// @errors invalid_argument: delimiter and quote are the same, or one of them ends lines
  csv_reader(std::span<const std::byte> text, csv_format format, std::string file)
      : begin_(reinterpret_cast<const char*>(text.data())),
        at_(begin_),
        end_(begin_ + text.size()),
        format_(format),
        file_(std::move(file)) {
    const auto ends_lines = [](char c) { return c == '\n' || c == '\r'; };
    if (format.delimiter == format.quote || format.delimiter == '\0' ||
        ends_lines(format.delimiter) || ends_lines(format.quote)) {
      raise(errc::invalid_argument,
            "delimiter and quotation mark must be different, and neither may be a line end");
    }
    if (end_ - at_ >= 3 && std::memcmp(at_, "\xEF\xBB\xBF", 3) == 0) at_ += 3;
  }

  /// Move to the next record. @return false at the end of the text
  /// @errors malformed, at the line: a quoted field that does not end, or text after its closing
  ///     mark; a field or record that is too long
  bool next() {
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
        raise(errc::malformed,
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

  /// Fields of the record.
  std::size_t size() const noexcept { return fields_.size(); }
  /// A field's text, valid until next(). @pre i < size()
  std::string_view operator[](std::size_t i) const noexcept {
    const field& one = fields_[i];
    return one.copied ? std::string_view(unquoted_).substr(one.offset, one.size)
                      : std::string_view(one.text, one.size);
  }
  /// The line on which the record begins, from 1.
  std::uint64_t line() const noexcept { return line_; }
  /// Records so far, this one included.
  std::uint64_t records() const noexcept { return records_; }
  /// Bytes of the text read so far.
  std::uint64_t bytes() const noexcept { return static_cast<std::uint64_t>(at_ - begin_); }
  const std::string& file() const noexcept { return file_; }
  /// Here, for errors.
  location where() const { return {.file = file_, .line = line_, .byte = {}}; }

 private:
  struct field {
    const char* text;
    std::size_t size;
    std::size_t offset;
    bool copied;
  };

  bool end_of_line(const char* p) const noexcept {
    return *p == '\n' || (*p == '\r' && (p + 1 == end_ || p[1] == '\n'));
  }
  void pass_line_end() noexcept {
    if (*at_ == '\r') ++at_;
    if (at_ != end_ && *at_ == '\n') ++at_;
    ++next_line_;
  }
  /// Skip ordinary characters, 8 at a time.
  void pass_ordinary() noexcept {
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
  void plain_field() {
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
  void quoted_field() {
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
  void check_length(std::size_t size) const {
    if (size > longest_field)
      fail("has more than " + std::to_string(longest_field) +
           " bytes; a quotation mark or delimiter may be missing");
  }
  [[noreturn]] void fail(const std::string& what) const {
    raise(errc::malformed, "field " + std::to_string(fields_.size() + 1) + " " + what, where());
  }

  const char* begin_;
  const char* at_;
  const char* end_;
  csv_format format_;
  std::string file_;
  std::vector<field> fields_{};
  std::string unquoted_{};
  std::uint64_t line_ = 1, next_line_ = 1, records_ = 0;
};

/// Append a field, quoted if necessary.
inline void append_csv_field(std::string& out, std::string_view text, csv_format format = {}) {
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
