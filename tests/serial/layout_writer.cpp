// SPDX-License-Identifier: BSL-1.0
#include <halograph/serial/layout.hpp>
#include <halograph/serial/layout_writer.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace hg = halograph;

namespace {

hg::section section_of(hg::dtype type, hg::tensor_shape shape, std::uint64_t offset = 0) {
  return {hg::column::node_id, 0, offset, type, std::move(shape)};
}

/// Refuses what lies beyond its size, as a full disk does.
struct small_sink {
  std::uint64_t room = 0;
  hg::status write_at(std::uint64_t offset, std::span<const std::byte> bytes) const {
    return offset + bytes.size() > room ? hg::status{hg::errc::io, offset} : hg::status::ok;
  }
};

TEST(write_part, writes_each_file_from_front_to_back_and_short_gaps_as_zeros) {
  hg::part_layout part;
  hg::layout_builder builder("a");
  builder.text("head")
      .align(64)
      .array(hg::column::edge_id, 0, hg::dtype::uint8, {3})
      .array(hg::column::node_id, 0, hg::dtype::uint8, {0});
  builder.align(64).text("tail").zeros(5);
  part.files.push_back(std::move(builder).finish());
  struct watching_sink {
    hg::memory_sink& into;
    std::uint64_t& next;
    hg::status write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
      EXPECT_EQ(offset, next);
      next = offset + bytes.size();
      return into.write_at(offset, bytes);
    }
  };
  hg::memory_sink memory;
  std::uint64_t next = 0;
  hg::write_part(
      part, [&](const hg::file_layout&) { return watching_sink{memory, next}; },
      [](watching_sink& sink, const hg::section& target) {
        const std::vector<int> values{'x', 'y', 'z'};
        return hg::write_as(
            sink, target, 0,
            std::span<const int>(values).first(static_cast<std::size_t>(target.elements())));
      });
  EXPECT_EQ(next, part.files[0].bytes);
  std::string want(static_cast<std::size_t>(next), '\0');
  want.replace(0, 4, "head").replace(64, 3, "xyz").replace(128, 4, "tail");
  EXPECT_EQ(
      std::string(reinterpret_cast<const char*>(memory.bytes().data()), memory.bytes().size()),
      want);
}

}  // namespace
