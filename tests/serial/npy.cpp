// SPDX-License-Identifier: BSL-1.0
#include <halograph/serial/layout_writer.hpp>
#include <halograph/serial/npy.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace {

namespace hg = halograph;

std::string file(std::string_view dict, std::string_view data, int version = 1) {
  std::string out("\x93NUMPY", 6);
  out += static_cast<char>(version);
  out += '\0';
  const auto length = dict.size();
  out += static_cast<char>(length & 0xFF);
  out += static_cast<char>((length >> 8) & 0xFF);
  if (version > 1) out.append(2, '\0');
  out += dict;
  out += data;
  return out;
}

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

hg::tensor read(const std::string& bytes) { return hg::read_npy({bytes_of(bytes), {}}, "a.npy"); }

std::string refusal(const std::string& bytes) {
  try {
    read(bytes);
  } catch (const hg::error& problem) {
    return problem.what();
  }
  return "";
}

std::string raw(const auto& values) {
  return std::string(reinterpret_cast<const char*>(values.data()),
                     values.size() * sizeof(values[0]));
}

TEST(Npy, ReadsEveryDtypeAndVersion) {
  const std::vector<std::int32_t> numbers{1, -2, 3, 4, 5, 6};
  for (const int version : {1, 2, 3}) {
    const auto bytes = file("{'descr': '<i4', 'fortran_order': False, 'shape': (3, 2), }\n",
                            raw(numbers), version);
    const auto array = read(bytes);
    EXPECT_EQ(array.type(), hg::dtype::int32);
    EXPECT_EQ(array.shape(), (hg::tensor_shape{3, 2}));
    EXPECT_EQ(array.values<std::int32_t>(), numbers);
    EXPECT_EQ(array.bytes().data(),
              reinterpret_cast<const std::byte*>(bytes.data() + bytes.size() - 24))
        << "a view, not a copy";
  }
  for (const char* descr :
       {"|i1", "<i2", "<i4", "<i8", "|u1", "<u2", "<u4", "<u8", "<f2", "<f4", "<f8", "|b1"}) {
    const std::string word(descr);
    const auto width = static_cast<std::size_t>(word[2] - '0');
    const auto array = read(
        file("{'descr': '" + word + "', 'fortran_order': False, 'shape': (2,), }\n",
             std::string(2 * width, '\1')));
    EXPECT_EQ(hg::item_bytes(array.type()), width) << word;
    EXPECT_EQ(array.shape(), (hg::tensor_shape{2}));
  }
}

TEST(Npy, KeysMayComeInAnyOrderAndQuotesBeOfEitherKind) {
  EXPECT_EQ(read(file("{\"shape\":(1,),\"fortran_order\":False,\"descr\":\"<i2\"}",
                      std::string("\x05\0", 2)))
                .integer(0),
            5);
}

TEST(Npy, ReadsWhatPython2AndOtherWritersMayWrite) {
  const std::string bytes = file(
      "{'descr':\t'=i2',\r\n'fortran_order': False,\t'shape': (2L, 1L)}\r\n",
      raw(std::vector<std::int16_t>{5, -6}));
  const auto array = read(bytes);
  EXPECT_EQ(array.shape(), (hg::tensor_shape{2, 1}));
  EXPECT_EQ(array.values<std::int16_t>(), (std::vector<std::int16_t>{5, -6}));
}

TEST(Npy, BigEndianElementsAreTurned) {
  const auto array = read(file("{'descr': '>i4', 'fortran_order': False, 'shape': (2,), }\n",
                               std::string("\0\0\1\2\xFF\xFF\xFF\xFE", 8)));
  EXPECT_EQ(array.integer(0), 258);
  EXPECT_EQ(array.integer(1), -2);
}

TEST(Npy, ColumnMajorBecomesRowMajor) {
  // numpy.asfortranarray([[[0, 1], [2, 3], [4, 5]], [[6, 7], [8, 9], [10, 11]]]), shape (2, 3, 2)
  const std::vector<std::int16_t> stored{0, 6, 2, 8, 4, 10, 1, 7, 3, 9, 5, 11};
  const auto array = read(
      file("{'descr': '<i2', 'fortran_order': True, 'shape': (2, 3, 2), }\n", raw(stored)));
  for (int i = 0; i < 12; ++i) EXPECT_EQ(array.integer(static_cast<std::size_t>(i)), i);
}

TEST(Npy, EmptyAndScalarArraysKeepTheirShape) {
  EXPECT_EQ(read(file("{'descr': '<f4', 'fortran_order': True, 'shape': (0, 3), }", "")).shape(),
            (hg::tensor_shape{0, 3}));
  // The tensor views the bytes: they have to outlive it.
  const auto bytes = file("{'descr': '<i8', 'fortran_order': False, 'shape': (), }",
                          std::string("\7\0\0\0\0\0\0\0", 8));
  const auto scalar = read(bytes);
  EXPECT_EQ(scalar.rank(), 0u);
  EXPECT_EQ(scalar.integer(0), 7);
  for (const char* order : {"True", "False"}) {
    const auto turned = read(file(
        std::string("{'descr': '>i2', 'fortran_order': ") + order + ", 'shape': (), }", "\1\2"));
    EXPECT_EQ(turned.rank(), 0u);
    EXPECT_EQ(turned.integer(0), 258);
  }
}

TEST(Npy, CopiesSomeRowsWhateverTheirOrderInTheFile) {
  // The rows of [[1, 2], [3, 4], [5, 6]] that hold 3 to 6, also as (6,) and (6, 1).
  const std::vector<std::int16_t> by_rows{1, 2, 3, 4, 5, 6}, by_columns{1, 3, 5, 2, 4, 6};
  for (const char* shape : {"(3, 2)", "(6,)", "(6, 1)"}) {
    for (const bool columns : {false, true}) {
      for (const bool swapped : {false, true}) {
        auto stored = columns && shape == std::string("(3, 2)") ? by_columns : by_rows;
        for (auto& one : stored)
          if (swapped) one = static_cast<std::int16_t>(one << 8);
        const std::string bytes = file(std::string("{'descr': '") + (swapped ? ">i2" : "<i2") +
                                           "', 'fortran_order': " + (columns ? "True" : "False") +
                                           ", 'shape': " + shape + "}",
                                       raw(stored));
        const hg::npy_view array = hg::view_npy(bytes_of(bytes), "a.npy");
        const std::uint64_t width = 6 / array.rows();
        std::vector<std::int16_t> out(4, -1);
        const auto into = std::as_writable_bytes(std::span(out));
        ASSERT_EQ(hg::npy_rows_into(array, 2 / width, 6 / width, into), hg::status::ok);
        EXPECT_EQ(out, (std::vector<std::int16_t>{3, 4, 5, 6})) << bytes;
      }
    }
  }
}

TEST(Npy, RowsThatAreNotThereOrDoNotFitAreNotCopied) {
  const std::string bytes = file("{'descr': '<i2', 'fortran_order': False, 'shape': (3, 2)}",
                                 raw(std::vector<std::int16_t>{1, 2, 3, 4, 5, 6}));
  const hg::npy_view array = hg::view_npy(bytes_of(bytes), "a.npy");
  std::vector<std::byte> out(12);
  const auto copying = [&](std::uint64_t first, std::uint64_t last, std::size_t room) {
    const hg::status answer = hg::npy_rows_into(array, first, last, std::span(out).first(room));
    return std::pair(answer.code, answer.position);
  };
  EXPECT_EQ(copying(2, 1, 12), std::pair(hg::error_kind::out_of_range, std::uint64_t{1}));
  EXPECT_EQ(copying(0, 4, 12), std::pair(hg::error_kind::out_of_range, std::uint64_t{4}));
  EXPECT_EQ(copying(0, 3, 11), std::pair(hg::error_kind::capacity, std::uint64_t{12}));
  EXPECT_EQ(hg::npy_rows_into(array, 3, 3, {}), hg::status::ok) << "no rows";

  const std::string none = file("{'descr': '<i2', 'fortran_order': False, 'shape': (3, 0)}", "");
  EXPECT_EQ(hg::npy_rows_into(hg::view_npy(bytes_of(none), "a.npy"), 0, 3, {}), hg::status::ok);

  const std::string one = file("{'descr': '|i1', 'fortran_order': False, 'shape': ()}", "x");
  const hg::npy_view scalar = hg::view_npy(bytes_of(one), "a.npy");
  EXPECT_EQ(scalar.rows(), 1u);
  EXPECT_TRUE(scalar.row_shape().empty());
  EXPECT_EQ(hg::npy_rows_into(scalar, 0, 1, out).code, hg::error_kind::out_of_range);
}

TEST(Npy, WhatIsNoPlainArrayIsRefusedWithASentence) {
  const std::string good = file("{'descr': '<i4', 'fortran_order': False, 'shape': (3, 2), }\n",
                                std::string(24, 'x'));
  std::string later_minor = good;
  later_minor[7] = 1;
  const std::pair<std::string, const char*> cases[] = {
      {"", "not a .npy file"},
      {"PK\3\4 zip", "not a .npy file"},
      {file("{'descr': '|O', 'fortran_order': False, 'shape': (3,), }", "xxx"), "not supported"},
      {file("{'descr': '<U4', 'fortran_order': False, 'shape': (3,), }", "xxx"), "not supported"},
      {file("{'descr': '<c8', 'fortran_order': False, 'shape': (3,), }", "xxx"), "not supported"},
      {file("{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (3,), }", "xxx"),
       "structured and object arrays"},
      {file("{'descr': '<i4', 'fortran_order': 0, 'shape': (3,), }", "xxx"), "True or False"},
      {file("{'descr': '<i4', 'fortran_order': False, 'shape': (-3,), }", "xxx"),
       "tuple of numbers"},
      {file("{'descr': '<i4', 'fortran_order': False, 'shape': (3, ", "xxx"), "tuple of numbers"},
      {file("{'descr': '<i4', 'fortran_order': False, 'shape': (99999999999999999999,), }", ""),
       "63 bits"},
      {file(
           "{'descr': '<i4', 'fortran_order': False, 'shape': (4294967296, 4294967296, 4294967296), }",
           ""),
       "more bytes than a file"},
      {file("{'descr': '<i4', 'fortran_order': False, }", ""), "each once"},
      {file("{'descr': '<i4', 'descr': '<i4', 'fortran_order': False, 'shape': (), }", ""),
       "each once"},
      {file("{'descr': '<i4', 'fortran_order': False, 'shape': (1,), } + exit()", "xxxx"),
       "continues after its end"},
      {file("{'descr': '<i4', 'fortran_order': False, 'shape': (1,), }", "xxxx", 9), "version 9.0"},
      {later_minor, "version 1.1 of .npy is unknown"},
      {file("{'descr': '<i4', 'fortran_order': False, 'shape': (1), }", "xxxx"), "has a comma"},
      {file("{'descr': '<i4', 'fortran_order': False, 'shape': (01,), }", "xxxx"),
       "tuple of numbers"},
      {file("{'descr': '<i4', 'fortran_order': False, 'shape': (1L,), }", "xxxx", 3),
       "needs a ')' here"},
      {file("{'descr': '<i4', 'fortran_order': False, 'shape': (1,), }\n ", "xxxx"),
       "continues after its end"},
      {good + "y", "25 follow"},
      {good.substr(0, good.size() - 1), "23 follow"},
  };
  for (const auto& [bytes, sentence] : cases) {
    const auto said = refusal(bytes);
    EXPECT_NE(said.find(sentence), std::string::npos) << said << "\nfor " << sentence;
    EXPECT_EQ(said.rfind("a.npy, byte ", 0), 0u) << said;
  }
}

TEST(Npy, NamesTheByteWhereTheHeaderIsWrong) {
  const std::string i4 = "{'descr': '<i4', ", order = "'fortran_order': False, ";
  const std::tuple<std::string, std::size_t, const char*> cases[] = {
      {"[", 0, "needs a '{' here"},
      {"{", 1, "needs a quoted word here"},
      {"{'descr", 2, "does not end"},
      {"{'descr' '<i4'", 9, "needs a ':' here"},
      {"{'descr': ''}", 10, "dtype '' is not supported"},
      {"{'descr': '!i4'}", 10, "dtype '!i4' is not supported"},
      {i4 + "'shape': (1,)}", 31, "each once"},
      {order + i4, 0, "needs a '{' here"},
      {i4 + order + order, 57, "each once"},
      {i4 + "'shape': (1a", 28, "needs a ')' here"},
      {i4 + "'shape': (1,), 'shape': (", 40, "each once"},
  };
  for (const auto& [dict, byte, sentence] : cases) {
    try {
      read(file(dict, ""));
      ADD_FAILURE() << dict;
    } catch (const hg::error& problem) {
      EXPECT_NE(problem.message().find(sentence), std::string::npos) << problem.what();
      EXPECT_EQ(problem.where().byte, 10 + byte) << dict;
    }
  }
}

TEST(Npy, AnArrayHasAtMost32Dimensions) {
  const auto of_rank = [](int rank) {
    std::string shape;
    for (int i = 0; i < rank; ++i) shape += "1,";
    return file("{'descr': '|i1', 'fortran_order': False, 'shape': (" + shape + ")}", "x");
  };
  EXPECT_EQ(read(of_rank(32)).rank(), 32u);
  EXPECT_NE(refusal(of_rank(33)).find("more than 32 dimensions"), std::string::npos);
}

TEST(Npy, AFileCutAnywhereIsRefused) {
  for (const int version : {1, 2}) {
    const std::string good = file("{'descr': '<i4', 'fortran_order': False, 'shape': (3, 2), }\n",
                                  std::string(24, 'x'), version);
    const std::size_t prefix = version == 1 ? 10 : 12;
    for (std::size_t length = 0; length < good.size(); ++length) {
      const char* const sentence = length < 6                  ? "not a .npy file"
                                   : length < prefix           ? "ends in the array's header"
                                   : length < good.size() - 24 ? "does not fit the file"
                                                               : "follow the header";
      const auto said = refusal(good.substr(0, length));
      EXPECT_NE(said.find(sentence), std::string::npos) << length << ": " << said;
    }
    EXPECT_EQ(refusal(good), "");
  }
}

TEST(Npy, LayoutIsWhatNumpyWrites) {
  const std::vector<float> values{1, 2, 3, 4, 5, 6};
  const auto layout = hg::npy_layout("a.npy", hg::dtype::float32, {2, 3});
  EXPECT_EQ(hg::check_layout(layout), hg::status::ok);
  hg::memory_sink sink;
  hg::save(layout, sink, [&](const hg::section&) { return hg::tensor::from(values, {2, 3}); });
  const std::string bytes(reinterpret_cast<const char*>(sink.bytes().data()), sink.bytes().size());
  // numpy.save of the same array: 128 bytes of header.
  std::string header(
      "\x93NUMPY\x01\x00v\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", 69);
  header.append(58, ' ');
  EXPECT_EQ(bytes.substr(0, 127), header);
  EXPECT_EQ(bytes[127], '\n');
  EXPECT_EQ(layout.bytes, 128u + 24u);
  EXPECT_EQ(read(bytes).values<float>(), values);
}

TEST(Npy, WhatNumpyLacksCannotBeWritten) {
  for (const auto type : {hg::dtype::bfloat16, static_cast<hg::dtype>(13)}) {
    try {
      hg::npy_layout("a.npy", type, {1});
      ADD_FAILURE() << hg::name(type);
    } catch (const hg::error& problem) {
      EXPECT_EQ(problem.code(), hg::error_kind::unsupported);
      EXPECT_EQ(problem.where().file, "a.npy");
    }
  }
}

}  // namespace
