// SPDX-License-Identifier: BSL-1.0
#include <halograph/core/error.hpp>
#include <halograph/serial/table.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace hg = halograph;

namespace {

/// A table of the numbers 0, 1, ... in one column of bytes, two rows at a time.
struct counting_tables {
  std::uint64_t rows;
  hg::table_info examine(const std::string&) const {
    hg::table_info out;
    out.rows = rows;
    return out;
  }
  template <class Sink>
  void read(const std::string&, const hg::table_info&, std::uint64_t first, std::uint64_t last,
            Sink&& sink) const {
    for (; first < last; first += 2) {
      const std::uint64_t some = std::min<std::uint64_t>(2, last - first);
      const std::array<std::byte, 2> bytes{static_cast<std::byte>(first),
                                           static_cast<std::byte>(first + 1)};
      const hg::table_values values{hg::dtype::uint8,
                                    std::span(bytes).first(static_cast<std::size_t>(some))};
      sink(first, some, std::span(&values, 1));
    }
  }
  template <class Source>
  void write(const std::string&, std::span<const hg::table_column>,
             const std::optional<std::string>&, std::uint64_t count, Source&& source) const {
    std::vector<std::byte> bytes(static_cast<std::size_t>(count));
    const std::array<std::span<std::byte>, 1> columns{std::span(bytes)};
    source(0, count, std::span<const std::span<std::byte>>(columns));
  }
};

TEST(any_table_reader, reads_as_the_reader_does) {
  const hg::any_table_reader tables(counting_tables{5});
  const hg::table_info info = tables.examine("t");
  ASSERT_EQ(info.rows, 5u);
  std::vector<int> seen;
  tables.read("t", info, 1, 4,
              [&](std::uint64_t first, std::uint64_t rows, std::span<const hg::table_values> all) {
                EXPECT_EQ(first, 1 + seen.size());
                EXPECT_EQ(all[0].values.size(), rows);
                for (const auto b : all[0].values) seen.push_back(std::to_integer<int>(b));
              });
  EXPECT_EQ(seen, (std::vector<int>{1, 2, 3}));
}

TEST(any_table_writer, asks_for_rows_as_the_writer_does) {
  const hg::any_table_writer tables(counting_tables{0});
  std::uint64_t asked = 0;
  tables.write("t", {}, std::nullopt, 3,
               [&](std::uint64_t, std::uint64_t rows, std::span<const std::span<std::byte>> into) {
                 EXPECT_EQ(into[0].size(), rows);
                 asked += rows;
               });
  EXPECT_EQ(asked, 3u);
}

TEST(any_tables, refuse_by_default) {
  EXPECT_THROW(hg::any_table_reader().examine("t.parquet"), hg::error);
  EXPECT_THROW(hg::any_table_writer().write(
                   "t.parquet", {}, std::nullopt, 0,
                   [](std::uint64_t, std::uint64_t, std::span<const std::span<std::byte>>) {}),
               hg::error);
}

}  // namespace
