// SPDX-License-Identifier: BSL-1.0
/// @file key_dictionary.hpp
/// A file that maps the keys of nodes to their IDs, and IDs to keys, without being read whole.
/// Layer: io. Words: README.md.
///
/// | bytes | content, numbers little-endian |
/// | --- | --- |
/// | 0..15 | `halograph-keys-1` |
/// | 16..23 | n, the number of keys |
/// | 24..31 | 0: keys are text; 1: keys are integers |
/// | 32..39 | b, the bytes of all keys |
/// | 40..63 | 0 |
/// | 64.. | n + 1 numbers of 64 bits, ascending from 0 to b: key k lies at [place k, place k + 1) of the keys |
/// | .. | n numbers of 64 bits: the ID of key k |
/// | .. | n numbers of 64 bits: which key ID i has |
/// | .. | b bytes: the keys, ascending byte by byte, each once |
///
/// An integer key is 8 bytes, the highest first, its sign bit inverted: keys ascend as numbers do.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/serial/bytes.hpp>
#include <halograph/serial/external_sort.hpp>
#include <halograph/serial/files/file.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace halograph {

/// The type of keys.
enum class key_kind : std::uint8_t { text, integer };

/// A key as dictionaries store it, made from a field of a table.
class node_key {
 public:
  /// @return nothing if the kind is integer and the field is not an integer of 64 bits
  static std::optional<node_key> from(std::string_view field, key_kind kind) noexcept {
    if (kind == key_kind::text) return node_key(field);
    while (!field.empty() && (field.front() == ' ' || field.front() == '\t'))
      field.remove_prefix(1);
    while (!field.empty() && (field.back() == ' ' || field.back() == '\t')) field.remove_suffix(1);
    if (field.size() > 1 && field.front() == '+' && field[1] != '-') field.remove_prefix(1);
    std::int64_t value = 0;
    const auto [end, problem] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (problem != std::errc{} || end != field.data() + field.size()) return std::nullopt;
    return node_key(value);
  }
  /// A key of kind text; views `text`.
  explicit node_key(std::string_view text) noexcept : text_(text), number_(0) {}
  /// A key of kind integer.
  explicit node_key(std::int64_t value) noexcept
      : number_(static_cast<std::uint64_t>(value) ^ sign), integer_(true) {}

  /// The bytes; valid as long as the field and the key are.
  std::string_view bytes() const noexcept { return integer_ ? std::string_view(number_) : text_; }
  /// The key of these bytes as readable text.
  static std::string text(std::string_view bytes, key_kind kind) {
    if (kind == key_kind::text || bytes.size() != 8) return std::string(bytes);
    return std::to_string(static_cast<std::int64_t>(number_key::value_of(bytes) ^ sign));
  }

 private:
  static constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  std::string_view text_{};
  number_key number_;
  bool integer_ = false;
};

namespace detail {

inline constexpr std::string_view dictionary_magic = "halograph-keys-1";

struct dictionary_layout {
  std::uint64_t count = 0, key_bytes = 0;
  std::uint64_t ends = 64, ids = 0, places = 0, keys = 0, bytes = 0;

  /// @errors overflow
  static dictionary_layout of(std::uint64_t count, std::uint64_t key_bytes);
};

/// Writes consecutive bytes through a buffer.
class sequential_writer {
 public:
  sequential_writer(file_sink& sink, std::uint64_t at) : sink_(sink), at_(at) {
    buffer_.reserve(capacity);
  }
  void bytes(std::span<const std::byte> data);
  void number(std::uint64_t value) {
    std::array<std::byte, 8> encoded{};
    store_le(value, encoded.data());
    bytes(encoded);
  }
  void flush() {
    sink_.require(sink_.write_at(at_, buffer_));
    at_ += buffer_.size();
    buffer_.clear();
  }

 private:
  static constexpr std::size_t capacity = std::size_t{1} << 16;
  file_sink& sink_;
  std::uint64_t at_;
  std::vector<std::byte> buffer_{};
};

/// Reads consecutive bytes through a buffer.
class sequential_reader {
 public:
  sequential_reader(const file_source& file, std::uint64_t at, std::uint64_t end)
      : file_(file), at_(at), end_(end) {}
  /// The next `count` bytes, valid until the next call. @errors truncated
  std::span<const std::byte> bytes(std::size_t count);
  std::uint64_t number() { return load_le<std::uint64_t>(bytes(8).data()); }

 private:
  static constexpr std::size_t capacity = std::size_t{1} << 16;
  const file_source& file_;
  std::uint64_t at_, end_;
  std::vector<std::byte> buffer_{};
  std::size_t read_ = 0;
};

}  // namespace detail

/// Write a dictionary.
///
/// @param path       the file
/// @param count      n, the number of keys
/// @param key_bytes  bytes of all keys
/// @param next       bool next(std::string_view& key, std::uint64_t& id): keys ascending, each
///     once; IDs 0 to n - 1
/// @param scratch    folder for temporary files
/// @param memory     bytes to sort with
/// @errors io: the disk is full; mismatch: `next` gives other keys or IDs than promised
template <class Next>
void write_key_dictionary(const std::string& path, std::uint64_t count, std::uint64_t key_bytes,
                          key_kind kind, Next&& next, const std::string& scratch,
                          std::uint64_t memory) {
  const auto layout = detail::dictionary_layout::of(count, key_bytes);
  auto sink = file_sink::create(path, layout.bytes);
  detail::sequential_writer head(sink, 0), ends(sink, layout.ends), ids(sink, layout.ids),
      places(sink, layout.places), keys(sink, layout.keys);
  head.bytes(std::as_bytes(std::span(detail::dictionary_magic)));
  head.number(count);
  head.number(static_cast<std::uint64_t>(kind));
  head.number(key_bytes);
  for (int i = 0; i < 3; ++i) head.number(0);
  external_sorter<std::uint64_t> by_id(scratch, memory);
  std::string_view key;
  std::uint64_t id = 0, end = 0, place = 0;
  ends.number(0);
  for (; next(key, id); ++place) {
    end += key.size();
    if (place == count || end > key_bytes || id >= count)
      raise(error_kind::mismatch, "more keys come than were announced", {.file = path});
    ends.number(end);
    ids.number(id);
    keys.bytes(std::as_bytes(std::span(key)));
    by_id.add(number_key(id), place);
  }
  std::uint64_t expected = 0;
  for (auto at = by_id.sorted(); at.next(); ++expected) {
    if (number_key::value_of(at.key()) != expected)
      raise(error_kind::mismatch, "ID " + std::to_string(expected) + " has not one key",
            {.file = path});
    places.number(at.value());
  }
  if (expected != count || end != key_bytes)
    raise(error_kind::mismatch, "fewer keys come than were announced", {.file = path});
  for (auto* writer : {&head, &ends, &ids, &places, &keys}) writer->flush();
  sink.close();
}

/// A dictionary that is looked up in place: with mapped files, a look-up touches a few pages.
/// Thread-safe.
class key_dictionary {
 public:
  /// @param file  the bytes' name, for errors
  /// @errors malformed, truncated: not such a file, or one of another size than it says
  key_dictionary(file_bytes content, std::string file);

  /// n, the number of keys; IDs are 0 to n - 1.
  std::uint64_t size() const noexcept { return layout_.count; }
  /// The type of all its keys.
  key_kind kind() const noexcept { return kind_; }

  /// The ID of a key; nothing where no node has it. @complexity O(log n) keys compared
  /// @errors malformed: the file contradicts itself
  std::optional<std::uint64_t> find(std::string_view field) const;
  /// The key of a node. @errors out_of_range: there is no such node; malformed
  std::string key(std::uint64_t id) const;

 private:
  [[noreturn]] void size_disagrees() const;
  std::uint64_t number(std::uint64_t column, std::uint64_t i) const noexcept {
    return load_le<std::uint64_t>(content_.bytes.data() + column + 8 * i);
  }
  std::string_view at(std::uint64_t place) const;

  file_bytes content_;
  std::string file_;
  detail::dictionary_layout layout_{};
  key_kind kind_ = key_kind::text;
};

namespace detail {

/// The keys of a dictionary file and their IDs, in order, through buffers.
class dictionary_cursor {
 public:
  explicit dictionary_cursor(const std::string& path)
      : file_(path),
        layout_(read_layout(file_)),
        ends_(file_, layout_.ends + 8, layout_.ids),
        ids_(file_, layout_.ids, layout_.places),
        keys_(file_, layout_.keys, layout_.bytes) {}

  bool next();
  std::string_view key() const noexcept { return key_; }
  std::uint64_t id() const noexcept { return id_; }

 private:
  /// @pre the file is one that write_key_dictionary() has just made
  static dictionary_layout read_layout(const file_source& file);

  file_source file_;
  dictionary_layout layout_;
  sequential_reader ends_, ids_, keys_;
  std::uint64_t place_ = 0, end_ = 0, id_ = 0;
  std::string_view key_{};
};

}  // namespace detail

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/io/impl/key_dictionary.ipp>
#endif
