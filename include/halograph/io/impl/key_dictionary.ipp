// SPDX-License-Identifier: BSL-1.0
/// @file key_dictionary.ipp
/// Bodies of the plain functions of io/key_dictionary.hpp.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/checked_cast.hpp>
#include <halograph/core/error.hpp>
#include <halograph/io/key_dictionary.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/bytes.hpp>
#include <halograph/serial/files/file.hpp>

#include <algorithm>
#include <array>
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

namespace halograph::detail {

HALOGRAPH_INLINE dictionary_layout dictionary_layout::of(std::uint64_t count,
                                                         std::uint64_t key_bytes) {
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

HALOGRAPH_INLINE void sequential_writer::bytes(std::span<const std::byte> data) {
  if (buffer_.size() + data.size() > capacity) flush();
  if (data.size() > capacity) {
    sink_.require(sink_.write_at(at_, data));
    at_ += data.size();
  } else {
    buffer_.insert(buffer_.end(), data.begin(), data.end());
  }
}

HALOGRAPH_INLINE std::span<const std::byte> sequential_reader::bytes(std::size_t count) {
  if (buffer_.size() - read_ < count) {
    buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(read_));
    read_ = 0;
    const std::uint64_t more = std::min<std::uint64_t>(
        end_ - at_, std::max<std::size_t>(count - buffer_.size(), capacity));
    if (buffer_.size() + more < count)
      raise(error_kind::truncated, "the dictionary ends in a key", {.file = file_.path()});
    const std::size_t had = buffer_.size();
    buffer_.resize(had + static_cast<std::size_t>(more));
    if (!file_.read_at(at_, std::span(buffer_).subspan(had)))
      raise(error_kind::io, "cannot be read", {.file = file_.path()});
    at_ += more;
  }
  read_ += count;
  return std::span(buffer_).subspan(read_ - count, count);
}

}  // namespace halograph::detail

namespace halograph {

HALOGRAPH_INLINE key_dictionary::key_dictionary(file_bytes content, std::string file)
    : content_(std::move(content)), file_(std::move(file)) {
  const auto bytes = content_.bytes;
  const auto& magic = detail::dictionary_magic;
  if (bytes.size() < 64 || std::memcmp(bytes.data(), magic.data(), magic.size()) != 0) {
    raise(error_kind::malformed,
          "is no dictionary of keys; one begins with \"" + std::string(magic) + "\"",
          {.file = file_});
  }
  const auto number = [&](std::size_t at) { return load_le<std::uint64_t>(bytes.data() + at); };
  if (number(24) > 1)
    raise(error_kind::unsupported,
          "the kind of keys is " + std::to_string(number(24)) +
              "; it must be 0 (text) or 1 (integers)",
          {.file = file_});
  kind_ = static_cast<key_kind>(number(24));
  if (number(16) > bytes.size() / 24 || number(32) > bytes.size()) size_disagrees();
  layout_ = detail::dictionary_layout::of(number(16), number(32));
  if (layout_.bytes != bytes.size()) size_disagrees();
}

HALOGRAPH_INLINE std::optional<std::uint64_t> key_dictionary::find(std::string_view field) const {
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

HALOGRAPH_INLINE std::string key_dictionary::key(std::uint64_t id) const {
  if (id >= size())
    raise(error_kind::out_of_range,
          "there is no node " + std::to_string(id) + "; the dictionary has " +
              std::to_string(size()) + " keys",
          {.file = file_});
  return node_key::text(at(number(layout_.places, id)), kind_);
}

HALOGRAPH_INLINE void key_dictionary::size_disagrees() const {
  raise(error_kind::truncated,
        "the file's " + std::to_string(content_.bytes.size()) +
            " bytes are not those its first 64 announce",
        {.file = file_});
}

HALOGRAPH_INLINE std::string_view key_dictionary::at(std::uint64_t place) const {
  const bool there = place < size();
  const std::uint64_t begin = there ? number(layout_.ends, place) : 1,
                      end = there ? number(layout_.ends, place + 1) : 0;
  if (begin > end || end > layout_.key_bytes) {
    raise(error_kind::malformed, "key " + std::to_string(place) + " is outside the keys",
          {.file = file_});
  }
  return {reinterpret_cast<const char*>(content_.bytes.data() + layout_.keys + begin),
          static_cast<std::size_t>(end - begin)};
}

}  // namespace halograph

namespace halograph::detail {

HALOGRAPH_INLINE bool dictionary_cursor::next() {
  if (place_ == layout_.count) return false;
  ++place_;
  const std::uint64_t end = ends_.number();
  const auto bytes = keys_.bytes(static_cast<std::size_t>(end - end_));
  key_ = {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  end_ = end;
  id_ = ids_.number();
  return true;
}

HALOGRAPH_INLINE dictionary_layout dictionary_cursor::read_layout(const file_source& file) {
  std::array<std::byte, 64> head{};
  if (!file.read_at(0, head)) raise(error_kind::io, "cannot be read", {.file = file.path()});
  return dictionary_layout::of(load_le<std::uint64_t>(head.data() + 16),
                               load_le<std::uint64_t>(head.data() + 32));
}

}  // namespace halograph::detail
