// SPDX-License-Identifier: BSL-1.0
/// @file serial.hpp
/// The laws of bytes and feature stores.
/// Layer: testing. Words: README.md.
#pragma once

#include <halograph/core/status.hpp>
#include <halograph/serial/bytes.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/feature_store.hpp>
#include <halograph/serial/tensor.hpp>
#include <halograph/testing/laws/verdict.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace halograph::laws {

/// A sink stores what is written, in any order and overlapping.
/// @param sink  empty, with room for 64 bytes   @param read  read(offset, out) reads what is stored
template <halograph::byte_sink Sink, class Read>
verdict byte_sink(Sink& sink, Read&& read) {
  const auto put = [&](std::uint64_t offset, std::size_t count, unsigned value) {
    const std::vector<std::byte> bytes(count, static_cast<std::byte>(value));
    return static_cast<bool>(sink.write_at(offset, bytes));
  };
  if (!put(40, 8, 3) || !put(0, 4, 1) || !put(2, 4, 2) || !put(47, 1, 4) || !put(5, 0, 9)) {
    return detail::broken("rejects a write of a few bytes below 64");
  }
  std::vector<std::byte> seen(48);
  if (!static_cast<bool>(read(std::uint64_t{0}, std::span<std::byte>(seen))))
    return detail::broken("what was written cannot be read");
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const unsigned expected = i < 2 ? 1 : i < 6 ? 2 : i < 40 ? 0 : i < 47 ? 3 : 4;
    if (seen[i] != static_cast<std::byte>(expected)) {
      return detail::broken("byte " + std::to_string(i) + " is " +
                            std::to_string(std::to_integer<unsigned>(seen[i])) + ", not " +
                            std::to_string(expected));
    }
  }
  return {};
}

/// Reads give ranges of the bytes; reading past the end is truncated, however far.
template <halograph::byte_source Source>
verdict byte_source(const Source& source, std::span<const std::byte> whole) {
  if (source.size() != whole.size())
    return detail::broken("size() is " + std::to_string(source.size()) + ", not " +
                          std::to_string(whole.size()));
  for (std::size_t begin = 0; begin <= whole.size(); ++begin) {
    for (const std::size_t count : {std::size_t{0}, std::size_t{1}, whole.size() - begin}) {
      std::vector<std::byte> piece(count);
      const status answer = source.read_at(begin, piece);
      const std::string read = "reading " + std::to_string(count) + " bytes at " +
                               std::to_string(begin);
      if (count > whole.size() - begin) {
        if (answer != status::truncated)
          return detail::broken(read + " must be truncated, not " + std::string(name(answer.code)));
      } else if (!answer || !std::equal(piece.begin(), piece.end(),
                                        whole.begin() + static_cast<std::ptrdiff_t>(begin))) {
        return detail::broken(read + " gives other bytes");
      }
    }
  }
  std::byte one{};
  if (source.read_at(std::numeric_limits<std::uint64_t>::max(), {&one, 1}) != status::truncated) {
    return detail::broken("reading at 2^64 - 1 must be truncated");
  }
  return {};
}

/// bytes() shows the bytes that reads give; and the law of sources.
template <halograph::memory_source Source>
verdict memory_source(const Source& source, std::span<const std::byte> whole) {
  const std::span<const std::byte> seen = source.bytes();
  if (seen.size() != whole.size() || !std::equal(seen.begin(), seen.end(), whole.begin()))
    return detail::broken("bytes() shows other bytes");
  return byte_source(source, whole);
}

/// Rows fetched together, in any order and repeated, are the rows fetched one by one; an ID without
/// a row is out_of_range at its position; too little memory is capacity with the size that
/// suffices.
template <halograph::feature_store Store>
verdict feature_store(const Store& store) {
  const auto rows = store.rows();
  const auto width = static_cast<std::size_t>(element_count(store.row_shape())) *
                     item_bytes(store.type());
  std::vector<std::uint64_t> ids;
  for (std::uint64_t row = rows; row-- > 0;) ids.push_back(row);
  if (rows > 0) ids.push_back(rows / 2);
  std::vector<std::byte> together(ids.size() * width), one(width);
  const auto fetch = [&](const std::vector<std::uint64_t>& which, std::vector<std::byte>& out) {
    return store.gather(std::span<const std::uint64_t>(which), std::span<std::byte>(out));
  };
  if (!fetch(ids, together)) return detail::broken("does not return its own rows");
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (!fetch({ids[i]}, one))
      return detail::broken("does not return row " + std::to_string(ids[i]));
    if (!std::equal(one.begin(), one.end(),
                    together.begin() + static_cast<std::ptrdiff_t>(i * width))) {
      return detail::broken("row " + std::to_string(ids[i]) + " differs when fetched with others");
    }
  }
  auto wrong = ids;
  wrong.push_back(rows);
  std::vector<std::byte> room(wrong.size() * width);
  const status refused = fetch(wrong, room);
  if (refused != status::out_of_range || refused.position != ids.size()) {
    return detail::broken("row " + std::to_string(rows) + " of " + std::to_string(rows) +
                          " must be out_of_range at its position in the request");
  }
  if (!ids.empty() && width > 0) {
    together.pop_back();
    const status short_of = fetch(ids, together);
    if (short_of != status::capacity || short_of.position != ids.size() * width) {
      return detail::broken("too little memory must be capacity, with the size that suffices");
    }
  }
  return {};
}

}  // namespace halograph::laws
