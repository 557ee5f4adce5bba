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

#include <halograph/core/checked_cast.hpp>
#include <halograph/core/error.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/bytes.hpp>
#include <halograph/serial/external_sort.hpp>
#include <halograph/serial/files/file.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
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
  explicit node_key(std::string_view text) noexcept : text_(text), number_(0) {}
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
  static dictionary_layout of(std::uint64_t count, std::uint64_t key_bytes) {
    dictionary_layout out{count, key_bytes};
    std::uint64_t column = 0;
    status sum = multiply_into(count, std::uint64_t{8}, column);
    const auto add = [&](std::uint64_t a, std::uint64_t b, std::uint64_t& c) {
      sum = sum ? add_into(a, b, c) : sum;
    };
    add(out.ends + 8, column, out.ids);
    add(out.ids, column, out.places);
    add(out.places, column, out.keys);
    add(out.keys, key_bytes, out.bytes);
    check(sum, "a dictionary of so many keys has more than 2^64 bytes");
    return out;
  }
};

/// Writes consecutive bytes through a buffer.
class sequential_writer {
 public:
  sequential_writer(file_sink& sink, std::uint64_t at) : sink_(sink), at_(at) {
    buffer_.reserve(capacity);
  }
  void bytes(std::span<const std::byte> data) {
    if (buffer_.size() + data.size() > capacity) flush();
    if (data.size() > capacity) {
      sink_.require(sink_.write_at(at_, data));
      at_ += data.size();
    } else {
      buffer_.insert(buffer_.end(), data.begin(), data.end());
    }
  }
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
  std::span<const std::byte> bytes(std::size_t count) {
    if (buffer_.size() - read_ < count) {
      buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(read_));
      read_ = 0;
      const std::uint64_t more = std::min<std::uint64_t>(
          end_ - at_, std::max<std::size_t>(count - buffer_.size(), capacity));
      if (buffer_.size() + more < count)
        raise(errc::truncated, "the dictionary ends in a key", {.file = file_.path()});
      const std::size_t had = buffer_.size();
      buffer_.resize(had + static_cast<std::size_t>(more));
      if (!file_.read_at(at_, std::span(buffer_).subspan(had)))
        raise(errc::io, "cannot be read", {.file = file_.path()});
      at_ += more;
    }
    read_ += count;
    return std::span(buffer_).subspan(read_ - count, count);
  }
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
      raise(errc::mismatch, "more keys come than were announced", {.file = path});
    ends.number(end);
    ids.number(id);
    keys.bytes(std::as_bytes(std::span(key)));
    by_id.add(number_key(id), place);
  }
  std::uint64_t expected = 0;
  for (auto at = by_id.sorted(); at.next(); ++expected) {
    if (number_key::value_of(at.key()) != expected)
      raise(errc::mismatch, "ID " + std::to_string(expected) + " has not one key", {.file = path});
    places.number(at.value());
  }
  if (expected != count || end != key_bytes)
    raise(errc::mismatch, "fewer keys come than were announced", {.file = path});
  for (auto* writer : {&head, &ends, &ids, &places, &keys}) writer->flush();
  sink.close();
}

/// A dictionary that is looked up in place: with mapped files, a look-up touches a few pages.
/// Thread-safe.
class key_dictionary {
 public:
  /// @param file  the bytes' name, for errors
  /// @errors malformed, truncated: not such a file, or one of another size than it says
  key_dictionary(file_bytes content, std::string file)
      : content_(std::move(content)), file_(std::move(file)) {
    const auto bytes = content_.bytes;
    const auto& magic = detail::dictionary_magic;
    if (bytes.size() < 64 || std::memcmp(bytes.data(), magic.data(), magic.size()) != 0) {
      raise(errc::malformed,
            "is no dictionary of keys; one begins with \"" + std::string(magic) + "\"",
            {.file = file_});
    }
    const auto number = [&](std::size_t at) { return load_le<std::uint64_t>(bytes.data() + at); };
    if (number(24) > 1)
      raise(errc::unsupported,
            "the kind of keys is " + std::to_string(number(24)) +
                "; it must be 0 (text) or 1 (integers)",
            {.file = file_});
    kind_ = static_cast<key_kind>(number(24));
    if (number(16) > bytes.size() / 24 || number(32) > bytes.size()) size_disagrees();
    layout_ = detail::dictionary_layout::of(number(16), number(32));
    if (layout_.bytes != bytes.size()) size_disagrees();
  }

  std::uint64_t size() const noexcept { return layout_.count; }
  key_kind kind() const noexcept { return kind_; }

  /// The ID of a key; nothing where no node has it. @complexity O(log n) keys compared
  /// @errors malformed: the file contradicts itself
  std::optional<std::uint64_t> find(std::string_view field) const {
    const auto key = node_key::from(field, kind_);
    if (!key) return std::nullopt;
    std::uint64_t low = 0, high = size();
    while (low < high) {
      const std::uint64_t middle = low + (high - low) / 2;
      const int order = at(middle).compare(key->bytes());
      if (order == 0) return number(layout_.ids, middle);
      if (order < 0)
        low = middle + 1;
      else
        high = middle;
    }
    return std::nullopt;
  }
  /// The key of a node. @errors out_of_range: there is no such node; malformed
  std::string key(std::uint64_t id) const {
    if (id >= size())
      raise(errc::out_of_range,
            "there is no node " + std::to_string(id) + "; the dictionary has " +
                std::to_string(size()) + " keys",
            {.file = file_});
    return node_key::text(at(number(layout_.places, id)), kind_);
  }

 private:
  [[noreturn]] void size_disagrees() const {
    raise(errc::truncated,
          "the file's " + std::to_string(content_.bytes.size()) +
              " bytes are not those its first 64 announce",
          {.file = file_});
  }
  std::uint64_t number(std::uint64_t column, std::uint64_t i) const noexcept {
    return load_le<std::uint64_t>(content_.bytes.data() + column + 8 * i);
  }
  std::string_view at(std::uint64_t place) const {
    const bool there = place < size();
    const std::uint64_t begin = there ? number(layout_.ends, place) : 1,
                        end = there ? number(layout_.ends, place + 1) : 0;
    if (begin > end || end > layout_.key_bytes) {
      raise(errc::malformed, "key " + std::to_string(place) + " is outside the keys",
            {.file = file_});
    }
    return {reinterpret_cast<const char*>(content_.bytes.data() + layout_.keys + begin),
            static_cast<std::size_t>(end - begin)};
  }

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

  bool next() {
    if (place_ == layout_.count) return false;
    ++place_;
    const std::uint64_t end = ends_.number();
    const auto bytes = keys_.bytes(static_cast<std::size_t>(end - end_));
    key_ = {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    end_ = end;
    id_ = ids_.number();
    return true;
  }
  std::string_view key() const noexcept { return key_; }
  std::uint64_t id() const noexcept { return id_; }

 private:
  /// @pre the file is one that write_key_dictionary() has just made
  static dictionary_layout read_layout(const file_source& file) {
    std::array<std::byte, 64> head{};
    if (!file.read_at(0, head)) raise(errc::io, "cannot be read", {.file = file.path()});
    return dictionary_layout::of(load_le<std::uint64_t>(head.data() + 16),
                                 load_le<std::uint64_t>(head.data() + 32));
  }

  file_source file_;
  dictionary_layout layout_;
  sequential_reader ends_, ids_, keys_;
  std::uint64_t place_ = 0, end_ = 0, id_ = 0;
  std::string_view key_{};
};

}  // namespace detail

}  // namespace halograph
