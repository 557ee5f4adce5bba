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
#include <string_view>
#include <utility>
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

/// The same table, whose one column "n" is given as text, too.
struct named_tables : counting_tables {
  std::vector<std::string> column_names(const std::string&) const { return {"n"}; }
  template <class Sink>
  void read_text(const std::string&, std::span<const std::string> columns, std::uint64_t first,
                 std::uint64_t last, Sink&& sink) const {
    for (; first < last; ++first) {
      const std::string number = columns[0] + std::to_string(first);
      const std::string_view field = number;
      sink(first, std::uint64_t{1}, std::span(&field, 1));
    }
  }
};

TEST(any_table_reader, gives_columns_as_text_where_the_reader_does) {
  const std::vector<std::string> columns{"n"};
  std::vector<std::string> seen;
  const auto read_text = [&](const hg::any_table_reader& tables) {
    tables.read_text("t", columns, 1, 4,
                     [&](std::uint64_t, std::uint64_t, std::span<const std::string_view> fields) {
                       seen.emplace_back(fields[0]);
                     });
  };
  const hg::any_table_reader named(named_tables{{5}}), numbers(counting_tables{5});
  EXPECT_EQ(named.column_names("t"), columns);
  read_text(named);
  EXPECT_EQ(seen, (std::vector<std::string>{"n1", "n2", "n3"}));
  const auto refused = [](auto&& call) {
    try {
      call();
    } catch (const hg::error& problem) {
      return problem.code();
    }
    return hg::error_kind::ok;
  };
  EXPECT_EQ(refused([&] { numbers.column_names("t"); }), hg::error_kind::unsupported);
  EXPECT_EQ(refused([&] { read_text(numbers); }), hg::error_kind::unsupported);
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

TEST(examine_numbers, names_the_first_column_that_holds_something_else) {
  struct tables_with_text : counting_tables {
    std::vector<std::string> others;
    hg::table_info examine(const std::string&) const {
      hg::table_info out;
      out.rows = rows;
      out.others = others;
      return out;
    }
  };
  EXPECT_EQ(hg::examine_numbers(tables_with_text{{5}, {}}, "t").rows, 5u);
  try {
    hg::examine_numbers(tables_with_text{{5}, {"when", "who"}}, "t");
    FAIL();
  } catch (const hg::error& problem) {
    EXPECT_EQ(problem.code(), hg::error_kind::unsupported);
    EXPECT_EQ(problem.where().file, "t");
    EXPECT_EQ(problem.message().find("column \"when\" is of a type that is not supported"), 0u);
  }
}

TEST(parse_shape, takes_a_tuple_of_numbers_and_nothing_else) {
  using shape = hg::tensor_shape;
  const std::pair<std::string, shape> good[] = {
      {"()", {}},   {"(500,)", {500}},        {"(300, 10)", {300, 10}},
      {"(5)", {5}}, {" ( 0 , 7, ) ", {0, 7}}, {"(9223372036854775807)", {0x7FFFFFFFFFFFFFFFu}},
  };
  for (const auto& [text, extents] : good) EXPECT_EQ(hg::parse_shape(text), extents) << text;
  for (const char* text : {"", " ", "5", "[5]", "(", "(5", "(5,", "(a)", "(5a)", "(-1)", "(,)",
                           "(5,,)", "(5 6)", "(5) x", "(9223372036854775808)"})
    EXPECT_FALSE(hg::parse_shape(text)) << text;
  std::string longest = "(1";
  for (int i = 1; i < 32; ++i) longest += ",1";
  EXPECT_EQ(hg::parse_shape(longest + ")"), shape(32, 1));
  EXPECT_FALSE(hg::parse_shape(longest + ",1)"));
}

}  // namespace
