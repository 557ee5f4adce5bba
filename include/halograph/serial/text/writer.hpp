// SPDX-License-Identifier: BSL-1.0
/// @file writer.hpp
/// Writes text of any length into a file, through one buffer.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/linkage.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/text/numbers.hpp>

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace halograph {

/// Writes a text file. Not thread-safe.
///
///     text_writer rows(folder + "/edges.txt");
///     rows.number(u).put(' ').number(v).put('\n');
///     rows.close();
class text_writer {
 public:
  /// @param path  created, or emptied
  /// @errors as file_writer::create; those of file_writer::write apply to all members below
  explicit text_writer(const std::string& path)
      : file_(file_writer::create(path)),
        buffer_(std::make_unique_for_overwrite<char[]>(capacity)) {}

  /// The path given to the constructor.
  const std::string& path() const noexcept { return file_.path(); }
  /// Bytes written so far, buffered ones included.
  std::uint64_t size() const noexcept { return file_.size() + used_; }

  /// One character.
  text_writer& put(char c) {
    room(1);
    buffer_[used_++] = c;
    return *this;
  }
  /// Characters as they are.
  text_writer& text(std::string_view characters);
  /// Decimal digits of an integer.
  template <std::integral T>
    requires(!std::same_as<T, bool> && !std::same_as<T, char>)
  text_writer& number(T value) {
    room(longest_number);
    char* const at = buffer_.get() + used_;
    used_ += static_cast<std::size_t>(detail::write_number(at, value) - at);
    return *this;
  }
  /// The shortest text that reads back as the same value.
  template <std::floating_point T>
  text_writer& number(T value) {
    room(longest_number);
    char* const at = buffer_.get() + used_;
    used_ += static_cast<std::size_t>(std::to_chars(at, at + longest_number, value).ptr - at);
    return *this;
  }

  /// Write the buffer and wait until the file is on disk.
  void sync() {
    flush();
    file_.sync();
  }
  /// Write the buffer and close the file.
  void close() {
    flush();
    file_.close();
  }

 private:
  static constexpr std::size_t capacity = std::size_t{1} << 20;
  static constexpr std::size_t longest_number =
      64;  // the shortest form of a double has at most 24 characters

  void room(std::size_t bytes) {
    if (capacity - used_ < bytes) flush();
  }
  void flush() {
    file_.write(std::as_bytes(std::span(buffer_.get(), used_)));
    used_ = 0;
  }

  file_writer file_;
  std::unique_ptr<char[]> buffer_;
  std::size_t used_ = 0;
};

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/serial/text/impl/writer.ipp>
#endif
