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
#include <halograph/core/linkage.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

/// How fields are separated and quoted.
struct csv_format {
  char delimiter = ',';  ///< between fields
  char quote = '"';      ///< NUL: fields are never quoted, and quotation marks are ordinary
};

/// Reads records one after the other. The text must outlive it. Not thread-safe.
class csv_reader {
 public:
  /// The most bytes of a field, so that a missing quotation mark does not consume the whole file.
  static constexpr std::size_t longest_field = std::size_t{1} << 24;
  /// The most bytes and fields of a record.
  /// @{
  static constexpr std::size_t longest_record = std::size_t{1} << 25,
                               most_fields = std::size_t{1} << 20;
  /// @}

  /// @param file  the text's name, for errors
  /// @errors invalid_argument: delimiter and quote are the same, or one of them ends lines
  csv_reader(std::span<const std::byte> text, csv_format format, std::string file);

  /// Move to the next record. @return false at the end of the text
  /// @errors malformed, at the line: a quoted field that does not end, or text after its closing
  ///     mark; a field or record that is too long
  bool next();

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
  /// The name given to the constructor.
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
  void pass_ordinary() noexcept;
  void plain_field();
  void quoted_field();
  void check_length(std::size_t size) const {
    if (size > longest_field)
      fail("has more than " + std::to_string(longest_field) +
           " bytes; a quotation mark or delimiter may be missing");
  }
  [[noreturn]] void fail(const std::string& what) const {
    raise(error_kind::malformed, "field " + std::to_string(fields_.size() + 1) + " " + what,
          where());
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
void append_csv_field(std::string& out, std::string_view text, csv_format format = {});

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/serial/text/impl/csv.ipp>
#endif
