// SPDX-License-Identifier: BSL-1.0
/// @file digest.hpp
/// A 64-bit digest of bytes, to tell whether a file arrived as it was written.
/// Layer: serial (no allocation, no exceptions). Words: README.md.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace halograph {

/// XXH64 of bytes that come piece by piece. Finds accidents, not attacks.
/// @complexity O(bytes), several GB/s  @repeatable the same on every machine
/// @source     Yann Collet, xxHash (the XXH64 algorithm description)
class digest64 {
 public:
  /// The digest of no bytes. @param seed  of XXH64; other seeds give other digests
  constexpr explicit digest64(std::uint64_t seed = 0) noexcept
      : lanes_{seed + p1 + p2, seed + p2, seed, seed - p1}, seed_(seed) {}

  /// Append bytes.
  constexpr digest64& update(std::span<const std::byte> bytes) noexcept {
    total_ += bytes.size();
    std::size_t at = 0;
    if (held_ != 0) {
      while (held_ < 32 && at < bytes.size()) buffer_[held_++] = bytes[at++];
      if (held_ < 32) return *this;
      consume(buffer_.data());
      held_ = 0;
    }
    for (; bytes.size() - at >= 32; at += 32) consume(bytes.data() + at);
    while (at < bytes.size()) buffer_[held_++] = bytes[at++];
    return *this;
  }

  /// The digest of all bytes so far; more may follow.
  constexpr std::uint64_t value() const noexcept {
    std::uint64_t mixed = seed_ + p5;
    if (total_ >= 32) {
      mixed = std::rotl(lanes_[0], 1) + std::rotl(lanes_[1], 7) + std::rotl(lanes_[2], 12) +
              std::rotl(lanes_[3], 18);
      for (const auto lane : lanes_) mixed = (mixed ^ round(0, lane)) * p1 + p4;
    }
    mixed += total_;
    std::size_t at = 0;
    for (; held_ - at >= 8; at += 8)
      mixed = std::rotl(mixed ^ round(0, word<8>(buffer_.data() + at)), 27) * p1 + p4;
    for (; held_ - at >= 4; at += 4)
      mixed = std::rotl(mixed ^ (word<4>(buffer_.data() + at) * p1), 23) * p2 + p3;
    for (; at < held_; ++at)
      mixed = std::rotl(mixed ^ (std::to_integer<std::uint64_t>(buffer_[at]) * p5), 11) * p1;
    mixed = (mixed ^ (mixed >> 33)) * p2;
    mixed = (mixed ^ (mixed >> 29)) * p3;
    return mixed ^ (mixed >> 32);
  }

 private:
  static constexpr std::uint64_t p1 = 0x9E3779B185EBCA87ull, p2 = 0xC2B2AE3D27D4EB4Full,
                                 p3 = 0x165667B19E3779F9ull, p4 = 0x85EBCA77C2B2AE63ull,
                                 p5 = 0x27D4EB2F165667C5ull;

  template <std::size_t N>
  static constexpr std::uint64_t word(const std::byte* in) noexcept {
    std::uint64_t out = 0;
    for (std::size_t i = N; i-- > 0;) out = (out << 8) | std::to_integer<std::uint64_t>(in[i]);
    return out;
  }
  static constexpr std::uint64_t round(std::uint64_t lane, std::uint64_t input) noexcept {
    return std::rotl(lane + input * p2, 31) * p1;
  }
  constexpr void consume(const std::byte* in) noexcept {
    for (std::size_t i = 0; i < 4; ++i) lanes_[i] = round(lanes_[i], word<8>(in + 8 * i));
  }

  std::array<std::uint64_t, 4> lanes_;
  std::array<std::byte, 32> buffer_{};
  std::size_t held_ = 0;
  std::uint64_t total_ = 0, seed_;
};

/// The digest of a range of a file, of bytes as they are written: while they come one after the
/// other.
class digest_in_order {
 public:
  /// @param begin  where in the file the range begins
  constexpr explicit digest_in_order(std::uint64_t begin = 0) noexcept : next_(begin) {}

  /// Append bytes that were written at an offset. From the first that do not follow those before,
  /// nothing is digested any more.
  constexpr void add(std::uint64_t offset, std::span<const std::byte> bytes) noexcept {
    if (bytes.empty()) return;
    if (offset != next_) in_order_ = false;
    if (!in_order_) return;
    digest_.update(bytes);
    next_ += bytes.size();
  }

  /// Have all bytes followed those before?
  constexpr bool in_order() const noexcept { return in_order_; }
  /// Where the digested bytes end in the file.
  constexpr std::uint64_t next() const noexcept { return next_; }
  /// The digest of the bytes before next().
  constexpr std::uint64_t value() const noexcept { return digest_.value(); }

 private:
  digest64 digest_{};
  std::uint64_t next_;
  bool in_order_ = true;
};

/// The digest of bytes in one piece.
constexpr std::uint64_t digest_of(std::span<const std::byte> bytes,
                                  std::uint64_t seed = 0) noexcept {
  return digest64(seed).update(bytes).value();
}

}  // namespace halograph
