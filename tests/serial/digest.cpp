// SPDX-License-Identifier: BSL-1.0
#include <halograph/serial/digest.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace {

namespace hg = halograph;

std::uint64_t of(std::string_view text, std::uint64_t seed = 0) {
  return hg::digest_of(std::as_bytes(std::span(text.data(), text.size())), seed);
}

/// The bytes of xxHash's own sanity checks.
std::vector<std::byte> sanity_buffer(std::size_t length) {
  std::vector<std::byte> out(length);
  std::uint64_t generator = 2654435761u;
  for (auto& byte : out) {
    byte = static_cast<std::byte>(generator >> 56);
    generator *= 11400714785074694797ull;
  }
  return out;
}

TEST(Digest64, GivesThePublishedValues) {
  EXPECT_EQ(of(""), 0xEF46DB3751D8E999ull);
  EXPECT_EQ(of("a"), 0xD24EC4F1A98C6E5Bull);
  EXPECT_EQ(of("abc"), 0x44BC2CF5AD770999ull);
  constexpr std::uint64_t seed = 2654435761u;
  const auto buffer = sanity_buffer(222);
  const auto first = [&](std::size_t n, std::uint64_t s) {
    return hg::digest_of(std::span<const std::byte>(buffer).first(n), s);
  };
  EXPECT_EQ(first(0, seed), 0xAC75FDA2929B17EFull);
  EXPECT_EQ(first(1, 0), 0xE934A84ADB052768ull);
  EXPECT_EQ(first(1, seed), 0x5014607643A9B4C3ull);
  EXPECT_EQ(first(14, 0), 0x8282DCC4994E35C8ull);
  EXPECT_EQ(first(14, seed), 0xC3BD6BF63DEB6DF0ull);
  EXPECT_EQ(first(222, 0), 0xB641AE8CB691C174ull);
  EXPECT_EQ(first(222, seed), 0x20CB8AB7AE10C14Aull);
}

TEST(Digest64, PiecesGiveWhatTheWholeGives) {
  const auto buffer = sanity_buffer(200);
  const auto whole = hg::digest_of(buffer);
  for (std::size_t cut = 0; cut <= buffer.size(); ++cut) {
    hg::digest64 digest;
    digest.update(std::span<const std::byte>(buffer).first(cut))
        .update(std::span<const std::byte>(buffer).subspan(cut));
    EXPECT_EQ(digest.value(), whole) << cut;
  }
}

TEST(DigestInOrder, EndsWithTheFirstBytesThatDoNotFollow) {
  const auto buffer = sanity_buffer(100);
  const auto bytes = [&](std::size_t first, std::size_t count) {
    return std::span<const std::byte>(buffer).subspan(first, count);
  };
  hg::digest_in_order digest(10);
  digest.add(50, {});  // no bytes are anywhere
  digest.add(10, bytes(10, 20));
  digest.add(30, bytes(30, 40));
  EXPECT_TRUE(digest.in_order());
  EXPECT_EQ(digest.next(), 70u);
  EXPECT_EQ(digest.value(), hg::digest_of(bytes(10, 60)));
  for (const std::uint64_t offset : {69u, 71u}) {
    hg::digest_in_order late = digest;
    late.add(offset, bytes(70, 5));
    late.add(70, bytes(70, 5));
    EXPECT_FALSE(late.in_order()) << offset;
    EXPECT_EQ(late.next(), 70u) << offset;
  }
}

constexpr std::array<std::byte, 3> abc{std::byte{'a'}, std::byte{'b'}, std::byte{'c'}};
static_assert(hg::digest_of(abc) == 0x44BC2CF5AD770999ull);

}  // namespace
