// SPDX-License-Identifier: BSL-1.0
#include <halograph/adapters/duckdb.hpp>
#if __has_include(<metis.h>)
#include <halograph/adapters/metis.hpp>  // has an idx_t of its own
#endif
#include <halograph/adapters/nlohmann_json.hpp>
#include <halograph/adapters/yaml_cpp.hpp>
#include <halograph/io/chunked/open.hpp>
#include <halograph/io/chunked/read.hpp>
#include <halograph/io/chunked/write.hpp>
#include <halograph/io/formats/graphar/stream.hpp>
#include <halograph/io/formats/tables.hpp>

#include <gtest/gtest.h>
#include <support/collect_stream.hpp>
#include <support/temporary_folder.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <limits>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace hg = halograph;
using hg::testing::temporary_folder;

namespace {

const hg::duckdb_tables& tables() {
  static const hg::duckdb_tables one;
  return one;
}

/// Columns in memory, written and read back.
struct column {
  hg::table_column what{};
  std::string bytes{};
};

template <class T>
std::string bytes_from(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

std::size_t row_bytes(const hg::table_column& what) {
  return static_cast<std::size_t>(what.width) * hg::item_bytes(what.type);
}

void write(const std::string& path, const std::vector<column>& columns, std::uint64_t rows,
           const std::optional<std::string>& shape = {}, const hg::duckdb_tables& with = tables()) {
  std::vector<hg::table_column> what;
  for (const auto& one : columns) what.push_back(one.what);
  with.write(
      path, what, shape, rows,
      [&](std::uint64_t first, std::uint64_t count, std::span<const std::span<std::byte>> out) {
        for (std::size_t c = 0; c < columns.size(); ++c) {
          const std::size_t width = row_bytes(columns[c].what);
          ASSERT_EQ(out[c].size(), count * width);
          if (count * width != 0)
            std::memcpy(out[c].data(), columns[c].bytes.data() + first * width, count * width);
        }
      });
}

std::vector<std::string> read(const std::string& path, const hg::table_info& info,
                              std::uint64_t first, std::uint64_t last) {
  std::vector<std::string> out(info.columns.size());
  std::uint64_t next = first;
  tables().read(
      path, info, first, last,
      [&](std::uint64_t row, std::uint64_t rows, std::span<const hg::table_values> values) {
        EXPECT_EQ(row, next);
        next += rows;
        for (std::size_t c = 0; c < out.size(); ++c) {
          EXPECT_EQ(values[c].type, info.columns[c].type);
          EXPECT_EQ(values[c].values.size(), rows * row_bytes(info.columns[c]));
          out[c] += hg::testing::text_of(values[c].values);
        }
      });
  EXPECT_EQ(next, last);
  return out;
}

hg::error refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const hg::error& problem) {
    return problem;
  }
  return {hg::error_kind::ok, "nothing was refused"};
}

void run_sql(const std::string& sql) {
  using namespace hg::detail::duckdb_c;
  duckdb_database database = nullptr;
  duckdb_connection connection = nullptr;
  ASSERT_EQ(duckdb_open(nullptr, &database), DuckDBSuccess);
  ASSERT_EQ(duckdb_connect(database, &connection), DuckDBSuccess);
  duckdb_result result;
  EXPECT_EQ(duckdb_query(connection, sql.c_str(), &result), DuckDBSuccess)
      << duckdb_result_error(&result);
  duckdb_destroy_result(&result);
  duckdb_disconnect(&connection);
  duckdb_close(&database);
}

TEST(duckdb_tables, write_what_they_read_in_every_dtype) {
  const temporary_folder folder;
  const std::vector<column> columns{
      {{"0", hg::dtype::boolean, false, 1}, std::string("\0\1\1", 3)},
      {{"1", hg::dtype::int8, false, 1}, bytes_from(std::vector<std::int8_t>{-128, 0, 127})},
      {{"2", hg::dtype::int16, false, 1}, bytes_from(std::vector<std::int16_t>{-32768, 0, 32767})},
      {{"3", hg::dtype::int32, false, 1},
       bytes_from(std::vector<std::int32_t>{std::numeric_limits<std::int32_t>::min(), 0, 7})},
      {{"4", hg::dtype::int64, false, 1},
       bytes_from(std::vector<std::int64_t>{std::numeric_limits<std::int64_t>::min(), 0, 7})},
      {{"5", hg::dtype::uint8, false, 1}, bytes_from(std::vector<std::uint8_t>{0, 1, 255})},
      {{"6", hg::dtype::uint16, false, 1}, bytes_from(std::vector<std::uint16_t>{0, 1, 65535})},
      {{"7", hg::dtype::uint32, false, 1},
       bytes_from(std::vector<std::uint32_t>{0, 1, 0xFFFFFFFFu})},
      {{"8", hg::dtype::uint64, false, 1},
       bytes_from(std::vector<std::uint64_t>{0, 1, ~std::uint64_t{0}})},
      {{"9", hg::dtype::float32, false, 1},
       bytes_from(std::vector<float>{-1.5f, 0, std::numeric_limits<float>::infinity()})},
      {{"10", hg::dtype::float64, false, 1},
       bytes_from(std::vector<double>{-1.5, 1e-300, std::numeric_limits<double>::quiet_NaN()})},
      {{"11", hg::dtype::int16, true, 2}, bytes_from(std::vector<std::int16_t>{1, 2, 3, 4, 5, 6})},
      {{"12", hg::dtype::boolean, true, 1}, std::string("\1\0\1", 3)}};
  write(folder("t"), columns, 3);
  const hg::table_info info = tables().examine(folder("t"));
  EXPECT_EQ(info.rows, 3u);
  EXPECT_EQ(info.group_rows, (std::vector<std::uint64_t>{3}));
  EXPECT_EQ(info.shape, std::nullopt);
  ASSERT_EQ(info.columns.size(), columns.size());
  const auto back = read(folder("t"), info, 0, 3);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    EXPECT_EQ(info.columns[c].name, columns[c].what.name);
    EXPECT_EQ(info.columns[c].type, columns[c].what.type);
    EXPECT_EQ(info.columns[c].list, columns[c].what.list);
    EXPECT_EQ(info.columns[c].width, columns[c].what.width);
    EXPECT_EQ(back[c], columns[c].bytes) << c;
  }
}

TEST(duckdb_tables, give_any_run_of_rows_across_row_groups) {
  const temporary_folder folder;
  std::vector<std::uint32_t> numbers(9000), lists(27000);
  for (std::size_t i = 0; i < lists.size(); ++i) {
    lists[i] = static_cast<std::uint32_t>(i * i);
    if (i < numbers.size()) numbers[i] = static_cast<std::uint32_t>(i * 7);
  }
  for (const char* const name : {"x", "file_row_number", "FILE_row_number"}) {
    const std::vector<column> columns{{{name, hg::dtype::uint32, false, 1}, bytes_from(numbers)},
                                      {{"l", hg::dtype::uint32, true, 3}, bytes_from(lists)}};
    write(folder("t"), columns, 9000, "(9000, 4)", hg::duckdb_tables({.group_bytes = 1}));
    const hg::table_info info = tables().examine(folder("t"));
    EXPECT_EQ(info.group_rows, (std::vector<std::uint64_t>{2048, 2048, 2048, 2048, 808}));
    EXPECT_EQ(info.shape, "(9000, 4)");
    for (const std::uint64_t first : {0u, 1u, 2047u, 4096u, 8999u, 9000u}) {
      for (const std::uint64_t last : {0u, 1u, 2048u, 5000u, 8999u, 9000u}) {
        if (first > last) continue;
        const auto back = read(folder("t"), info, first, last);
        EXPECT_EQ(back[0], columns[0].bytes.substr(4 * first, 4 * (last - first))) << name;
        EXPECT_EQ(back[1], columns[1].bytes.substr(12 * first, 12 * (last - first))) << name;
      }
    }
    // A column of that name that is not read is no row number either.
    hg::table_info lists_alone = info;
    lists_alone.columns.erase(lists_alone.columns.begin());
    EXPECT_EQ(read(folder("t"), lists_alone, 3, 5)[0], columns[1].bytes.substr(36, 24)) << name;
  }
}

TEST(duckdb_tables, take_paths_as_they_are) {
  const temporary_folder folder;
  const std::string names[] = {"ab.parquet",          "a*.parquet",
                               "a?.parquet",          "a[b].parquet",
                               "a[*].parquet",        "part=7/x=1.parquet",
                               "it's \"; --.parquet", "a\\b.parquet",
                               "\xC3\xA9\n.parquet",  "{a,b}"};
  const auto columns = [&](const std::string& name) {
    return std::vector<column>{{{"a", hg::dtype::uint8, false, 1}, name}};
  };
  for (const auto& name : names) {
    std::filesystem::create_directories(std::filesystem::path(folder(name)).parent_path());
    write(folder(name), columns(name), name.size());
  }
  for (const auto& name : names) {
    const auto info = tables().examine(folder(name));
    ASSERT_EQ(info.columns.size(), 1u) << name;
    ASSERT_EQ(info.rows, name.size()) << name;
    EXPECT_EQ(read(folder(name), info, 0, name.size())[0], name);
  }
  const auto previous = std::filesystem::current_path();
  std::filesystem::current_path(folder());
  write("relative.parquet", columns("abc"), 3);
  EXPECT_EQ(tables().examine("relative.parquet").rows, 3u);
  std::filesystem::current_path(previous);
  EXPECT_TRUE(std::filesystem::exists(folder("relative.parquet")));
}

TEST(duckdb_tables, take_empty_tables_and_replace_files) {
  const temporary_folder folder;
  const std::vector<column> columns{{{"a", hg::dtype::uint8, false, 1}, "xyz"},
                                    {{"b", hg::dtype::float32, true, 0}, ""}};
  write(folder("t"), columns, 3);
  EXPECT_EQ(tables().examine(folder("t")).columns[1].width, 0u);
  write(folder("t"), columns, 0, "(0, 2)");
  const auto info = tables().examine(folder("t"));
  EXPECT_EQ(info.rows, 0u);
  EXPECT_TRUE(info.group_rows.empty());
  EXPECT_EQ(info.shape, "(0, 2)");
  EXPECT_EQ(read(folder("t"), info, 0, 0), (std::vector<std::string>(2)));
}

TEST(duckdb_tables, write_equal_bytes_each_time) {
  const temporary_folder folder;
  std::vector<std::int64_t> numbers(10000);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = static_cast<std::int64_t>(i * i % 1000);
  const std::vector<column> columns{{{"a", hg::dtype::int64, false, 1}, bytes_from(numbers)}};
  write(folder("a"), columns, 10000, "(10000,)");
  write(folder("b"), columns, 10000, "(10000,)", hg::duckdb_tables{});
  EXPECT_EQ(hg::testing::content_of(folder("a")), hg::testing::content_of(folder("b")));
}

TEST(duckdb_tables, say_what_is_wrong_where) {
  const temporary_folder folder;
  EXPECT_EQ(refusal([&] { static_cast<void>(tables().examine(folder("gone"))); }).code(),
            hg::error_kind::not_found);
  folder.write("text", "no parquet file at all, but a text");
  const auto text = refusal([&] { static_cast<void>(tables().examine(folder("text"))); });
  EXPECT_NE(text.code(), hg::error_kind::ok);
  EXPECT_EQ(text.where().file, folder("text"));
  const auto sql = [&](const std::string& query) {
    run_sql("COPY (" + query + ") TO '" + folder("t") + "' (FORMAT parquet)");
    return refusal([&] {
      const auto info = hg::examine_numbers(tables(), folder("t"));
      static_cast<void>(read(folder("t"), info, 0, info.rows));
    });
  };
  EXPECT_EQ(sql("SELECT 1 a, [1, 2] b").code(), hg::error_kind::ok);
  EXPECT_EQ(sql("SELECT 'x' a").code(), hg::error_kind::unsupported);
  EXPECT_EQ(sql("SELECT 1.5::DECIMAL(5, 2) a").code(), hg::error_kind::unsupported);
  EXPECT_EQ(sql("SELECT [[1]] a").code(), hg::error_kind::unsupported);
  EXPECT_EQ(sql("SELECT {'x': 1} a").code(), hg::error_kind::unsupported);
  const auto missing = sql("SELECT CASE WHEN range = 5 THEN NULL ELSE range END a FROM range(7)");
  EXPECT_EQ(missing.code(), hg::error_kind::malformed);
  EXPECT_NE(missing.message().find("row 5 of column \"a\""), std::string::npos) << missing.what();
  EXPECT_EQ(sql("SELECT CASE WHEN range = 5 THEN NULL ELSE [range] END a FROM range(7)").code(),
            hg::error_kind::malformed);
  const auto hole = sql("SELECT CASE WHEN range = 5 THEN [NULL] ELSE [range] END a FROM range(7)");
  EXPECT_EQ(hole.code(), hg::error_kind::malformed);
  const auto ragged = sql(
      "SELECT CASE WHEN range = 5 THEN [1, 2] ELSE [range] END a FROM range(7)");
  EXPECT_EQ(ragged.code(), hg::error_kind::malformed);
  EXPECT_NE(ragged.message().find("row 5"), std::string::npos) << ragged.what();
  const std::vector<column> half{{{"a", hg::dtype::float16, false, 1}, "xy"}};
  EXPECT_EQ(refusal([&] { write(folder("half"), half, 1); }).code(), hg::error_kind::unsupported);
  const std::vector<column> good{{{"a", hg::dtype::uint8, false, 1}, "x"}};
  EXPECT_NE(refusal([&] { write(folder("gone/t"), good, 1); }).code(), hg::error_kind::ok);
  // A file that is cut off.
  write(folder("t"), good, 1);
  folder.write("t", hg::testing::content_of(folder("t")).substr(0, 20));
  EXPECT_NE(refusal([&] { static_cast<void>(tables().examine(folder("t"))); }).code(),
            hg::error_kind::ok);
}

TEST(duckdb_tables, propagate_exceptions_of_source_and_sink) {
  const temporary_folder folder;
  const hg::table_column one{"a", hg::dtype::uint8, false, 1};
  EXPECT_THROW(
      tables().write(folder("t"), {&one, 1}, {}, 5000,
                     [](std::uint64_t first, std::uint64_t, std::span<const std::span<std::byte>>) {
                       if (first > 0) throw std::out_of_range("from the source");
                     }),
      std::out_of_range);
  write(folder("t"), {{one, std::string(5000, 'x')}}, 5000);
  const auto info = tables().examine(folder("t"));
  EXPECT_THROW(tables().read(folder("t"), info, 0, 5000,
                             [](std::uint64_t, std::uint64_t, std::span<const hg::table_values>) {
                               throw std::out_of_range("from the sink");
                             }),
               std::out_of_range);
}

TEST(duckdb_tables, say_that_a_file_has_changed) {
  const temporary_folder folder;
  const hg::table_column one{"a", hg::dtype::uint8, false, 1};
  write(folder("t"), {{one, std::string(5000, 'x')}}, 5000);
  const auto info = tables().examine(folder("t"));
  write(folder("t"), {{one, std::string(5000, 'x')}}, 4000);
  EXPECT_EQ(refusal([&] { static_cast<void>(read(folder("t"), info, 3000, 5000)); }).code(),
            hg::error_kind::mismatch);
}

TEST(duckdb_tables, continue_where_the_last_call_ended) {
  const temporary_folder folder;
  std::vector<std::uint16_t> numbers(9000), lists(18000);
  for (std::size_t i = 0; i < lists.size(); ++i) {
    lists[i] = static_cast<std::uint16_t>(i * 3);
    if (i < numbers.size()) numbers[i] = static_cast<std::uint16_t>(i * 7);
  }
  const std::vector<column> columns{
      {{"x", hg::dtype::uint16, false, 1}, bytes_from(numbers)},
      {{"l", hg::dtype::uint16, true, 2}, bytes_from(lists)},
      {{"h", hg::dtype::float32, false, 1}, std::string(36000, '\0')}};
  std::vector<std::string> paths;
  for (const char* const name : {"a", "b", "c", "d", "e", "f"}) {
    paths.push_back(folder(name));
    write(paths.back(), columns, 9000, {}, hg::duckdb_tables({.group_bytes = 1}));
  }
  const hg::table_info info = tables().examine(paths[0]);
  hg::table_info lists_alone = info;
  lists_alone.columns.erase(lists_alone.columns.begin());
  // More files in turn than are kept open, and of one file other columns.
  for (std::size_t files : {1u, 2u, 6u}) {
    std::vector<std::string> x(files), l(files), other;
    std::uint64_t first = 0;
    for (const std::uint64_t last : {1u, 700u, 2048u, 2049u, 2049u, 4100u, 8999u, 9000u}) {
      for (std::size_t i = 0; i < files; ++i) {
        const auto back = read(paths[i], info, first, last);
        x[i] += back[0];
        l[i] += back[1];
      }
      if (first == 700) other = read(paths[0], lists_alone, 2048, 3000);
      first = last;
    }
    for (std::size_t i = 0; i < files; ++i) {
      EXPECT_EQ(x[i], columns[0].bytes) << i;
      EXPECT_EQ(l[i], columns[1].bytes) << i;
    }
    EXPECT_EQ(other[0], columns[1].bytes.substr(4 * 2048, 4 * 952));
  }
}

TEST(duckdb_tables, do_not_continue_in_a_file_that_was_replaced) {
  const temporary_folder folder;
  const hg::table_column one{"a", hg::dtype::uint8, false, 1};
  write(folder("t"), {{one, std::string(5000, 'x')}}, 5000);
  const auto info = tables().examine(folder("t"));
  EXPECT_EQ(read(folder("t"), info, 0, 10)[0], std::string(10, 'x'));
  write(folder("new"), {{one, std::string(5000, 'y')}}, 5000);
  std::filesystem::rename(folder("new"), folder("t"));
  EXPECT_EQ(read(folder("t"), info, 10, 20)[0], std::string(10, 'y'));
  write(folder("new"), {{one, std::string(5000, 'x')}}, 4000);
  std::filesystem::rename(folder("new"), folder("t"));
  EXPECT_EQ(refusal([&] { static_cast<void>(read(folder("t"), info, 20, 5000)); }).code(),
            hg::error_kind::mismatch);
}

TEST(duckdb_tables, survive_changed_bytes) {
  const temporary_folder folder;
  constexpr std::uint64_t rows = 500;
  std::vector<std::int64_t> numbers(rows);
  std::vector<float> lists(3 * rows);
  for (std::size_t i = 0; i < rows; ++i) numbers[i] = static_cast<std::int64_t>(i * 3);
  for (std::size_t i = 0; i < 3 * rows; ++i) lists[i] = static_cast<float>(i);
  write(folder("good"),
        {{{"a", hg::dtype::int64, false, 1}, bytes_from(numbers)},
         {{"l", hg::dtype::float32, true, 3}, bytes_from(lists)}},
        rows, "(500, 4)");
  const std::string good = hg::testing::content_of(folder("good"));
  std::uint32_t footer = 0;  // its size stands before the last four bytes
  std::memcpy(&footer, good.data() + good.size() - 8, sizeof footer);
  std::mt19937 random(2026);
  std::size_t refused = 0, taken = 0;
  for (int i = 0; i < 1500; ++i) {
    std::string bad = good;
    for (unsigned changes = 1 + random() % 4; changes > 0; --changes) {
      const std::size_t at = random() % 2 == 0 ? bad.size() - 8 - footer + random() % footer
                                               : random() % bad.size();
      const unsigned how = random() % 4;
      bad[at] = how == 0   ? static_cast<char>(random())
                : how == 1 ? static_cast<char>(bad[at] ^ (1 << random() % 8))
                : how == 2 ? '\xff'
                           : '\0';
    }
    // The same name each time: of no file are bytes remembered.
    const std::string path = folder.write("bad", bad);
    try {
      const hg::table_info info = tables().examine(path);
      tables().read(path, info, 0, std::min<std::uint64_t>(info.rows, 100000),
                    [](std::uint64_t, std::uint64_t, std::span<const hg::table_values>) {});
      ++taken;
    } catch (const hg::error& problem) {
      ++refused;
      EXPECT_EQ(problem.where().file, path) << problem.what();
    }
  }
  EXPECT_GT(refused, 500u);
  EXPECT_GT(taken, 300u);
}

/// Thrift's compact protocol, as far as a Parquet footer needs it.
class thrift {
 public:
  std::string out{};
  void begin() { last_.push_back(0); }
  void end() {
    out += '\0';
    last_.pop_back();
  }
  void field(int id, int type) {
    out += static_cast<char>((id - last_.back()) << 4 | type);
    last_.back() = id;
  }
  void varint(std::uint64_t value) {
    for (; value >= 128; value >>= 7) out += static_cast<char>(value | 128);
    out += static_cast<char>(value);
  }
  void number(int id, int type, std::uint64_t value) {
    field(id, type);
    varint(value << 1);
  }
  void i32(int id, std::uint64_t value) { number(id, 5, value); }
  void i64(int id, std::uint64_t value) { number(id, 6, value); }
  void word(const std::string& text) {
    varint(text.size());
    out += text;
  }
  void string(int id, const std::string& text) {
    field(id, 8);
    word(text);
  }
  void list(int id, int type, std::size_t size) {
    field(id, 9);
    out += static_cast<char>(size << 4 | static_cast<std::size_t>(type));
  }

 private:
  std::vector<int> last_{};
};

/// A Parquet file of one column of FLOAT16, put together by hand: DuckDB does not write them.
std::string half_parquet(const std::vector<std::uint16_t>& values) {
  const std::string data = bytes_from(values);
  thrift page;
  page.begin();
  page.i32(1, 0);  // data page
  page.i32(2, data.size());
  page.i32(3, data.size());
  page.field(5, 12);
  page.begin();
  page.i32(1, values.size());
  page.i32(2, 0);  // plain
  page.i32(3, 3);
  page.i32(4, 3);
  page.end();
  page.end();
  thrift footer;
  footer.begin();
  footer.i32(1, 1);
  footer.list(2, 12, 2);
  footer.begin();
  footer.string(4, "schema");
  footer.i32(5, 1);
  footer.end();
  footer.begin();
  footer.i32(1, 7);  // fixed length
  footer.i32(2, 2);
  footer.i32(3, 0);  // required
  footer.string(4, "h");
  footer.field(10, 12);
  footer.begin();
  footer.field(15, 12);  // FLOAT16
  footer.begin();
  footer.end();
  footer.end();
  footer.end();
  footer.i64(3, values.size());
  footer.list(4, 12, 1);
  footer.begin();
  footer.list(1, 12, 1);
  footer.begin();
  footer.i64(2, 4);
  footer.field(3, 12);
  footer.begin();
  footer.i32(1, 7);
  footer.list(2, 5, 1);
  footer.varint(0);
  footer.list(3, 8, 1);
  footer.word("h");
  footer.i32(4, 0);  // uncompressed
  footer.i64(5, values.size());
  footer.i64(6, page.out.size() + data.size());
  footer.i64(7, page.out.size() + data.size());
  footer.i64(9, 4);
  footer.end();
  footer.end();
  footer.i64(2, page.out.size() + data.size());
  footer.i64(3, values.size());
  footer.end();
  footer.end();
  std::string length(4, '\0');
  for (std::size_t i = 0; i < 4; ++i)
    length[i] = static_cast<char>(footer.out.size() >> (8 * i) & 255);
  return "PAR1" + page.out + data + footer.out + length + "PAR1";
}

TEST(duckdb_tables, columns_without_numbers_are_named_and_not_read) {
  const temporary_folder folder;
  run_sql(
      "COPY (SELECT 'x' \"t\"\"\"\"ext\", range::INTEGER AS \"a\"\"b\", {'k': 1, 'l': [2]} s, "
      "[range, 7] pair, DATE '2020-01-01' d, range / 2 half FROM range(3)) TO '" +
      folder("t") + "' (FORMAT parquet)");
  auto info = tables().examine(folder("t"));
  EXPECT_EQ(info.others, (std::vector<std::string>{"t\"\"ext", "s", "d"}));
  ASSERT_EQ(info.columns.size(), 3u);
  EXPECT_EQ(info.columns[0].name, "a\"b");
  EXPECT_EQ(info.columns[1].width, 2u);
  EXPECT_EQ(info.columns[2].type, hg::dtype::float64);
  EXPECT_EQ(read(folder("t"), info, 0, 3),
            (std::vector<std::string>{bytes_from(std::vector<std::int32_t>{0, 1, 2}),
                                      bytes_from(std::vector<std::int64_t>{0, 7, 1, 7, 2, 7}),
                                      bytes_from(std::vector<double>{0, 0.5, 1})}));
  info.columns.erase(info.columns.begin());
  EXPECT_EQ(read(folder("t"), info, 1, 2),
            (std::vector<std::string>{bytes_from(std::vector<std::int64_t>{1, 7}),
                                      bytes_from(std::vector<double>{0.5})}));
}

TEST(duckdb_tables, give_columns_of_any_kind_as_text) {
  const temporary_folder folder;
  run_sql(
      "COPY (SELECT 'x' || range \"k\"\"ey\", CASE WHEN range % 2 = 0 THEN range END n, "
      "(range / 10)::FLOAT f, [range, 7] l, range % 2 = 0 b FROM range(5000)) TO '" +
      folder("t") + "' (FORMAT parquet, ROW_GROUP_SIZE 2048)");
  EXPECT_EQ(tables().column_names(folder("t")),
            (std::vector<std::string>{"k\"ey", "n", "f", "l", "b"}));
  const std::vector<std::string> columns{"n", "k\"ey", "f", "l", "b"};
  std::vector<std::string> found;
  std::uint64_t next = 2046;
  tables().read_text(
      folder("t"), columns, 2046, 2049,
      [&](std::uint64_t first, std::uint64_t rows, std::span<const std::string_view> fields) {
        EXPECT_EQ(first, next);
        next += rows;
        found.insert(found.end(), fields.begin(), fields.end());
      });
  EXPECT_EQ(found, (std::vector<std::string>{"2046", "x2046", "204.6", "[2046, 7]", "true",  //
                                             "", "x2047", "204.7", "[2047, 7]", "false",     //
                                             "2048", "x2048", "204.8", "[2048, 7]", "true"}));
}

TEST(duckdb_tables, serve_tables_whose_keys_are_text) {
  const temporary_folder folder;
  run_sql(
      "COPY (SELECT 'user ' || (range * 7 % 5000) id, range::SMALLINT age, "
      "[range / 8, 0.1]::FLOAT[] feat FROM range(5000)) TO '" +
      folder("users.parquet") + "' (FORMAT parquet, ROW_GROUP_SIZE 2048)");
  run_sql(
      "COPY (SELECT 'user ' || range a, 'user ' || (range * 3 % 5000) b, range / 3 w FROM "
      "range(5000)) TO '" +
      folder("knows.parquet") + "' (FORMAT parquet, ROW_GROUP_SIZE 2048)");
  folder.write("spec.json", R"({"nodes": {"user": {"files": ["users.parquet"], "key": "id",
    "features": {"age": {"columns": "age", "dtype": "int16"}, "feat": {"columns": "feat"}}}},
    "edges": {"user:knows:user": {"files": ["knows.parquet"], "source": "a", "target": "b",
    "features": {"w": {"columns": "w", "dtype": "float64"}}}}})");
  const auto graph = hg::stream_tables(
      hg::read_tables_spec(folder("spec.json"), hg::read_files{}, hg::nlohmann_codec{}),
      {.scratch = folder(), .dictionaries = {}, .memory = 1 << 20, .on_progress = {}},
      hg::read_files{}, tables());
  ASSERT_EQ(graph.node_counts, std::vector<std::uint64_t>{5000});
  ASSERT_EQ(graph.edge_counts, std::vector<std::uint64_t>{5000});
  std::vector<std::uint64_t> row_of(5000);
  for (std::uint64_t row = 0; row < 5000; ++row) row_of[row * 7 % 5000] = row;
  graph.read_edges(0, 0, 5000,
                   [&](std::span<const std::uint64_t> from, std::span<const std::uint64_t> to,
                       std::uint64_t first) {
                     for (std::size_t i = 0; i < from.size(); ++i) {
                       EXPECT_EQ(from[i], row_of[first + i]);
                       EXPECT_EQ(to[i], row_of[(first + i) * 3 % 5000]);
                     }
                   });
  std::vector<float> feat(10000);
  EXPECT_EQ(graph.node_features[1].row_shape, hg::tensor_shape{2});
  graph.node_features[1].read(0, 5000, std::as_writable_bytes(std::span(feat)));
  std::vector<double> weight(5000);
  graph.edge_features[0].read(0, 5000, std::as_writable_bytes(std::span(weight)));
  for (std::size_t i = 0; i < 5000; ++i) {
    EXPECT_EQ(feat[2 * i], static_cast<float>(static_cast<double>(i) / 8));
    EXPECT_EQ(feat[2 * i + 1], 0.1f);
    EXPECT_EQ(weight[i], static_cast<double>(i) / 3);
  }
}

TEST(duckdb_tables, serve_graphar_data_sets) {
  const temporary_folder folder;
  folder.write("g.graph.yml", "vertices: [p.yml]\nedges: [e.yml]\n");
  folder.write(
      "p.yml",
      "type: p\nchunk_size: 2\nproperty_groups:\n- properties:\n  - {name: name, data_type: "
      "string}\n  - {name: at, data_type: list<float>}\n  prefix: g\n  file_type: parquet\n");
  folder.write(
      "e.yml",
      "src_type: p\nedge_type: to\ndst_type: p\nchunk_size: 2\nsrc_chunk_size: 3\n"
      "dst_chunk_size: 3\nadj_lists:\n- {ordered: true, aligned_by: src, file_type: parquet}\n");
  using namespace std::string_literals;
  folder.write("vertex/p/vertex_count", "\3\0\0\0\0\0\0\0"s);
  folder.write("edge/p_to_p/ordered_by_source/edge_count0", "\2\0\0\0\0\0\0\0"s);
  const auto copy = [&](const std::string& query, const std::string& file) {
    folder.write(file, "");
    run_sql("COPY (" + query + ") TO '" + folder(file) + "' (FORMAT parquet)");
  };
  copy(
      "SELECT range _graphArVertexIndex, 'n' AS name, [range::FLOAT, 0.5::FLOAT] AS at FROM range(2)",
      "vertex/p/g/chunk0");
  copy("SELECT 2 _graphArVertexIndex, 'n' AS name, [2::FLOAT, 0.5::FLOAT] AS at",
       "vertex/p/g/chunk1");
  copy("SELECT range _graphArSrcIndex, 2 - range _graphArDstIndex FROM range(2)",
       "edge/p_to_p/ordered_by_source/adj_list/part0/chunk0");
  const auto g = hg::stream_graphar(folder("g.graph.yml"), {.scratch = folder()}, hg::read_files{},
                                    hg::yaml_cpp_codec{}, tables());
  EXPECT_EQ(hg::testing::edges_of(g, 0), (hg::testing::edge_pairs{{0, 2}, {1, 1}}));
  EXPECT_EQ(hg::testing::rows_of(hg::testing::feature_of(g.node_features, 0, "at")).values<float>(),
            (std::vector<float>{0, 0.5f, 1, 0.5f, 2, 0.5f}));
}

TEST(duckdb_tables, read_float16) {
  const temporary_folder folder;
  const std::vector<std::uint16_t> values{0x3C00, 0xC000, 0x0001, 0x7C00, 0x8000, 0x7BFF};
  folder.write("h", half_parquet(values));
  const auto info = tables().examine(folder("h"));
  ASSERT_EQ(info.columns.size(), 1u);
  EXPECT_EQ(info.columns[0].type, hg::dtype::float16);
  EXPECT_EQ(read(folder("h"), info, 0, 6)[0], bytes_from(values));
  EXPECT_EQ(read(folder("h"), info, 1, 3)[0], bytes_from(std::vector<std::uint16_t>{0xC000, 1}));
}

TEST(duckdb_tables, serve_chunked_graphs) {
  const temporary_folder folder;
  folder.write(
      "metadata.json",
      R"({"node_type": ["n"], "edge_type": ["n:e:n"], "num_nodes_per_type": [3], "num_edges_per_chunk": [[2, 0, 1]],
    "edges": {"n:e:n": {"format": {"name": "parquet"}, "data": ["e0", "e1", "e2"]}},
    "node_data": {"n": {"cube": {"format": {"name": "parquet"}, "data": ["cube"]}, "vector": {"format": {"name": "parquet"}, "data": ["vector"]}}}})");
  run_sql("COPY (SELECT unnest([0, 2])::SMALLINT a, unnest([1, 1])::UBIGINT b) TO '" +
          folder("e0") + "' (FORMAT parquet)");
  run_sql("COPY (SELECT 1 a, 1 b WHERE false) TO '" + folder("e1") + "' (FORMAT parquet)");
  run_sql("COPY (SELECT 1 a, 2 b) TO '" + folder("e2") + "' (FORMAT parquet)");
  run_sql(
      "COPY (SELECT range \"0\", range + 10 \"1\", range + 20 \"2\", range + 30 \"3\" FROM range(3)) TO '" +
      folder("cube") + "' (FORMAT parquet, KV_METADATA {shape: '(3, 2, 2)'})");
  run_sql("COPY (SELECT [range::FLOAT, 0.5::FLOAT] vector FROM range(3)) TO '" + folder("vector") +
          "' (FORMAT parquet)");
  const auto data = hg::read_chunked(folder(), {}, hg::read_files{}, hg::nlohmann_codec{},
                                     hg::sequential{}, tables());
  EXPECT_EQ(data.edges[0].source, (std::vector<std::uint64_t>{0, 2, 1}));
  EXPECT_EQ(data.edges[0].target, (std::vector<std::uint64_t>{1, 1, 2}));
  EXPECT_EQ(data.node_feature(0, "cube")->rows.chunks()[0],
            hg::tensor::from(std::vector<std::int64_t>{0, 10, 20, 30, 1, 11, 21, 31, 2, 12, 22, 32},
                             {3, 2, 2}));
  EXPECT_EQ(data.node_feature(0, "vector")->rows.chunks()[0],
            hg::tensor::from(std::vector<float>{0, 0.5, 1, 0.5, 2, 0.5}, {3, 2}));
  EXPECT_EQ(refusal([&] {
              static_cast<void>(hg::open_chunked(folder(), hg::read_files{}, hg::nlohmann_codec{}));
            }).code(),
            hg::error_kind::unsupported);
}

TEST(duckdb_tables, hold_chunked_graphs_that_are_read_back) {
  hg::dataset<std::uint32_t, std::uint32_t> data;
  data.name = "g";
  data.schema = hg::graph_schema::homogeneous();
  data.node_counts = {5000};
  data.edges.resize(1);
  for (std::uint32_t e = 0; e < 9000; ++e) {
    data.edges[0].source.push_back(e * 7 % 5000);
    data.edges[0].target.push_back(e * e % 5000);
  }
  std::vector<float> numbers(5000 * 6);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i) / 3;
  std::vector<std::uint8_t> flags(5000);
  for (std::size_t i = 0; i < flags.size(); ++i) flags[i] = i % 3 == 0;
  data.features.nodes.push_back({0, "cube", hg::tensor::from(numbers, {5000, 2, 3})});
  data.features.nodes.push_back({0, "flag", hg::tensor::from(flags, {5000}, hg::dtype::boolean)});
  data.finish();
  for (const bool vector : {false, true}) {
    const temporary_folder folder;
    hg::write_chunked(data, folder(),
                      {.chunks = 2,
                       .edges = hg::edge_file_format::parquet,
                       .features = hg::chunk_format::parquet,
                       .vector_rows = vector},
                      hg::duckdb_tables({.group_bytes = 1}));
    const auto graph = hg::open_chunked(folder(), hg::read_files{}, hg::nlohmann_codec{}, tables());
    EXPECT_EQ(graph.edge_blocks(0).size(), 6u);  // two files of 4500 edges in groups of 2048
    const auto back = hg::read_chunked<std::uint32_t, std::uint32_t>(
        folder(), {}, hg::read_files{}, hg::nlohmann_codec{}, hg::sequential{}, tables());
    EXPECT_EQ(back.edges[0].source, data.edges[0].source);
    EXPECT_EQ(back.edges[0].target, data.edges[0].target);
    for (const auto& feature : data.features.nodes) {
      ASSERT_NE(back.node_feature(0, feature.name), nullptr);
      EXPECT_EQ(back.node_feature(0, feature.name)->rows.chunks()[0], feature.rows.chunks()[0])
          << feature.name;
    }
  }
}

}  // namespace
