// SPDX-License-Identifier: BSL-1.0
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/layout.hpp>
#include <halograph/serial/layout_writer.hpp>

#include <gtest/gtest.h>
#include <support/temporary_folder.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace hg = halograph;
using hg::testing::content_of;
using hg::testing::text_of;

namespace {

hg::section section_of(hg::dtype type, hg::tensor_shape shape, std::uint64_t offset = 0) {
  return {hg::column::node_id, 0, offset, type, std::move(shape)};
}
/// Refuses what lies beyond its size, as a full disk does.
struct small_sink {
  std::uint64_t room = 0;
  hg::status write_at(std::uint64_t offset, std::span<const std::byte> bytes) const {
    return offset + bytes.size() > room ? hg::status{hg::error_kind::io, offset} : hg::status::ok;
  }
};

TEST(write_part, writes_each_file_from_front_to_back_and_short_gaps_as_zeros) {
  hg::part_layout part;
  hg::layout_builder builder("a");
  builder.text("head")
      .align(64)
      .array(hg::column::edge_id, 0, hg::dtype::uint8, {3})
      .array(hg::column::node_id, 0, hg::dtype::uint8, {0});
  builder.align(64).array(hg::column::node_id, 1, hg::dtype::uint8, {1}).text("tail").zeros(5);
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
      [](hg::any_sink& sink, const hg::section& target) {
        const std::vector<int> values{'x', 'y', 'z'};
        return hg::write_as(
            sink, target, 0,
            std::span<const int>(values).first(static_cast<std::size_t>(target.elements())));
      });
  EXPECT_EQ(next, part.files[0].bytes);
  std::string want(static_cast<std::size_t>(next), '\0');
  want.replace(0, 4, "head").replace(64, 3, "xyz").replace(128, 5, "xtail");
  EXPECT_EQ(
      std::string(reinterpret_cast<const char*>(memory.bytes().data()), memory.bytes().size()),
      want);
}

template <class T>
class write_as : public ::testing::Test {};
using integers = ::testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t,
                                  std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(write_as, integers);

TYPED_TEST(write_as, widens_to_int64_whatever_the_width) {
  std::vector<TypeParam> values(2500);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<TypeParam>(i * 37 % 128);
  values[7] = std::numeric_limits<TypeParam>::min();
  const auto target = section_of(hg::dtype::int64, {2600}, 5);
  hg::memory_sink sink;
  ASSERT_EQ(hg::write_as(sink, target, 10, std::span<const TypeParam>(values)), hg::status::ok);
  ASSERT_EQ(sink.bytes().size(), 5u + 2510u * 8);
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_EQ(hg::load_le<std::int64_t>(sink.bytes().data() + 5 + 8 * (i + 10)),
              static_cast<std::int64_t>(values[i]));
  }
}

TYPED_TEST(write_as, says_which_element_does_not_fit) {
  std::vector<TypeParam> values(1030, TypeParam{1});
  hg::memory_sink sink;
  values[1027] = std::numeric_limits<TypeParam>::max();
  const bool narrow = std::in_range<std::int8_t>(values[1027]);
  const auto answer = hg::write_as(sink, section_of(hg::dtype::int8, {1030}), 0,
                                   std::span<const TypeParam>(values));
  EXPECT_EQ(answer, narrow ? hg::status::ok : hg::status::overflow);
  if (!narrow) {
    EXPECT_EQ(answer.position, 1027u);
  }
}

TEST(write_as_any, refuses_what_lies_beyond_the_section_and_what_is_no_integer) {
  const std::vector<int> values{1, 2, 3};
  hg::memory_sink sink;
  EXPECT_EQ(hg::write_as(sink, section_of(hg::dtype::int64, {3}), 1, std::span<const int>(values)),
            hg::status::out_of_range);
  EXPECT_EQ(
      hg::write_as(sink, section_of(hg::dtype::float32, {3}), 0, std::span<const int>(values)),
      hg::status::mismatch);
  EXPECT_EQ(hg::write_as(sink, section_of(hg::dtype::int64, {3}), 4, std::span<const int>()),
            hg::status::out_of_range);
  EXPECT_TRUE(sink.bytes().empty());
  const bool flags[] = {true, false};
  EXPECT_EQ(hg::write_as(sink, section_of(hg::dtype::uint8, {2}), 0, std::span<const bool>(flags)),
            hg::status::ok);
  EXPECT_EQ(text_of(sink.bytes()), std::string("\1\0", 2));
}

TEST(write_as_any, stores_integers_in_the_width_of_the_section) {
  const std::vector<int> values{0, 1};
  for (int i = 0; i <= static_cast<int>(hg::dtype::boolean); ++i) {
    const auto type = static_cast<hg::dtype>(i);
    if (!hg::is_integer(type)) continue;
    hg::memory_sink sink;
    EXPECT_EQ(hg::write_as(sink, section_of(type, {4}, 3), 2, std::span<const int>(values)),
              hg::status::ok);
    std::string want(3 + 4 * hg::item_bytes(type), '\0');
    want[3 + 3 * hg::item_bytes(type)] = '\1';
    EXPECT_EQ(text_of(sink.bytes()), want) << hg::name(type);
  }
}

TEST(write_as_any, passes_on_what_the_sink_says) {
  const std::vector<int> values(20000, 1);
  small_sink sink{1 << 16};
  const hg::status answer = hg::write_as(sink, section_of(hg::dtype::int64, {20000}), 0,
                                         std::span<const int>(values));
  EXPECT_EQ(answer.code, hg::error_kind::io);
  EXPECT_EQ(answer.position, 1u << 16);
}

TEST(write_elements, puts_rows_where_they_belong) {
  const std::vector<float> rows{1, 2, 3, 4};
  const auto target = section_of(hg::dtype::float32, {3, 2}, 1);
  hg::memory_sink sink;
  EXPECT_EQ(hg::write_elements(sink, target, 2, std::as_bytes(std::span(rows))), hg::status::ok);
  EXPECT_EQ(sink.bytes().size(), 1u + 24u);
  EXPECT_EQ(sink.bytes()[1 + 8 + 3], std::byte{0x3f});
  EXPECT_EQ(hg::write_elements(sink, target, 4, std::as_bytes(std::span(rows))),
            hg::status::out_of_range);
  EXPECT_EQ(hg::write_elements(sink, target, 7, {}), hg::status::out_of_range);
  EXPECT_EQ(hg::write_elements(sink, target, 0, std::as_bytes(std::span(rows)).first(3)),
            hg::status::mismatch);
}

TEST(write_tensor, converts_integers_and_nothing_else) {
  hg::memory_sink sink;
  EXPECT_EQ(hg::write_tensor(sink, section_of(hg::dtype::int64, {2}),
                             hg::tensor::from(std::vector<std::int16_t>{-2, 3})),
            hg::status::ok);
  EXPECT_EQ(hg::load_le<std::int64_t>(sink.bytes().data()), -2);
  EXPECT_EQ(hg::write_tensor(sink, section_of(hg::dtype::int32, {2}),
                             hg::tensor::from(std::vector<std::uint64_t>{7, 8})),
            hg::status::ok);
  EXPECT_EQ(hg::load_le<std::int32_t>(sink.bytes().data() + 4), 8);
  EXPECT_EQ(hg::write_tensor(sink, section_of(hg::dtype::int64, {2}),
                             hg::tensor::from(std::vector<float>{1, 2})),
            hg::status::mismatch);
  EXPECT_EQ(hg::write_tensor(sink, section_of(hg::dtype::float64, {2}),
                             hg::tensor::from(std::vector<int>{1, 2})),
            hg::status::mismatch);
  EXPECT_EQ(hg::write_tensor(sink, section_of(hg::dtype::int64, {3}),
                             hg::tensor::from(std::vector<std::int64_t>{1, 2})),
            hg::status::mismatch);
  EXPECT_EQ(hg::write_tensor(sink, section_of(hg::dtype::int64, {1}),
                             hg::tensor::from(std::vector<std::uint64_t>{1ull << 63})),
            hg::status::overflow);
}

TEST(save, names_the_file_whose_data_do_not_fit) {
  hg::layout_builder builder("graph.dgl");
  builder.array(hg::column::edge_id, 0, hg::dtype::int8, {1});
  const auto layout = std::move(builder).finish();
  hg::memory_sink sink;
  try {
    hg::save(layout, sink,
             [](const hg::section&) { return hg::tensor::from(std::vector<int>{300}); });
    FAIL();
  } catch (const hg::error& problem) {
    EXPECT_EQ(problem.code(), hg::error_kind::overflow);
    EXPECT_EQ(problem.where().file, "graph.dgl");
  }
}

/// Fails each write and throws an error of its own.
struct failing_sink {
  hg::status write_at(std::uint64_t offset, std::span<const std::byte>) const {
    return {hg::error_kind::io, offset};
  }
  void require(hg::status) const { throw std::runtime_error("the disk is full"); }
};

TEST(save, lets_the_sink_throw_when_a_write_fails) {
  failing_sink sink;
  const auto save = [&](std::vector<int> values) {
    hg::layout_builder builder("graph.dgl");
    builder.array(hg::column::edge_id, 0, hg::dtype::int8, {1});
    hg::save(std::move(builder).finish(), sink,
             [&](const hg::section&) { return hg::tensor::from(values); });
  };
  EXPECT_THROW(save({3}), std::runtime_error);
  EXPECT_THROW(save({300}), hg::error) << "the data do not fit; no write failed";
}

TEST(write_part, leaves_long_gaps_to_the_sink) {
  struct noting_sink {
    std::vector<std::uint64_t>* offsets;
    hg::status write_at(std::uint64_t offset, std::span<const std::byte>) const {
      offsets->push_back(offset);
      return hg::status::ok;
    }
  };
  hg::part_layout part;
  hg::layout_builder builder("a");
  builder.text("head").zeros(4096).text("mid").zeros(4097).text("tail");
  part.files.push_back(std::move(builder).finish());
  std::vector<std::uint64_t> offsets;
  hg::write_part(
      part, [&](const hg::file_layout&) { return noting_sink{&offsets}; },
      [](hg::any_sink&, const hg::section&) { return hg::status::ok; });
  EXPECT_EQ(offsets, (std::vector<std::uint64_t>{0, 4, 4100, 8200}));
}

TEST(write_part, leaves_alone_what_a_layout_in_another_order_has_written) {
  hg::part_layout part;
  hg::layout_builder builder("a");
  builder.text("head")
      .array(hg::column::edge_id, 0, hg::dtype::uint8, {3})
      .text("mid")
      .array(hg::column::node_id, 0, hg::dtype::uint8, {2})
      .text("end");
  const hg::file_layout in_order = std::move(builder).finish();
  auto shuffled = in_order;
  std::reverse(shuffled.sections.begin(), shuffled.sections.end());
  const hg::file_layout sections_shuffled = shuffled;
  std::reverse(shuffled.literals.begin(), shuffled.literals.end());
  for (const auto& file : {in_order, sections_shuffled, shuffled}) {
    const hg::testing::temporary_folder folder;
    part.files.assign(1, file);
    hg::write_part(
        part,
        [&](const hg::file_layout& one) {
          return hg::file_sink::create(folder(one.name), one.bytes);
        },
        [](hg::any_sink& sink, const hg::section& target) {
          const std::vector<int> values{'x', 'y', 'z'};
          return hg::write_as(
              sink, target, 0,
              std::span<const int>(values).first(static_cast<std::size_t>(target.elements())));
        });
    EXPECT_EQ(content_of(folder("a")), "headxyzmidxyend");
  }
}

TEST(write_part, streams_each_file_into_its_own_sink) {
  const hg::testing::temporary_folder folder;
  hg::part_layout part;
  for (const char* name : {"a", "b"}) {
    hg::layout_builder builder(name);
    builder.text(name).array(hg::column::edge_id, 0, hg::dtype::uint8, {2});
    part.files.push_back(std::move(builder).finish());
  }
  EXPECT_EQ(part.bytes(), 6u);
  hg::write_part(
      part,
      [&](const hg::file_layout& file) {
        return hg::file_sink::create(folder(file.name), file.bytes);
      },
      [](hg::any_sink& sink, const hg::section& target) {
        const std::vector<int> values{'x', 'y'};
        return hg::write_as(sink, target, 0, std::span<const int>(values));
      });
  EXPECT_EQ(content_of(folder("a")), "axy");
  EXPECT_EQ(content_of(folder("b")), "bxy");
}

}  // namespace
