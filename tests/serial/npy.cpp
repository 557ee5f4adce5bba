// SPDX-License-Identifier: BSL-1.0
#include <halograph/serial/layout_writer.hpp>
#include <halograph/serial/npy.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
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

hg::tensor read(const std::string& bytes) {
  return hg::read_npy({std::as_bytes(std::span(bytes.data(), bytes.size())), {}}, "a.npy");
}

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
}

TEST(Npy, WhatIsNoPlainArrayIsRefusedWithASentence) {
  const std::string good = file("{'descr': '<i4', 'fortran_order': False, 'shape': (3, 2), }\n",
                                std::string(24, 'x'));
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
      {file("{'descr': '<i4', 'fortran_order': False, 'shape': (1,), }", "xxxx", 9), "version 9"},
      {good + "y", "25 follow"},
      {good.substr(0, good.size() - 1), "23 follow"},
  };
  for (const auto& [bytes, sentence] : cases) {
    const auto said = refusal(bytes);
    EXPECT_NE(said.find(sentence), std::string::npos) << said << "\nfor " << sentence;
    EXPECT_EQ(said.rfind("a.npy, byte ", 0), 0u) << said;
  }
}

TEST(Npy, AFileCutAnywhereIsRefused) {
  const std::string good = file("{'descr': '<i4', 'fortran_order': False, 'shape': (3, 2), }\n",
                                std::string(24, 'x'));
  for (std::size_t length = 0; length < good.size(); ++length)
    EXPECT_NE(refusal(good.substr(0, length)), "") << length;
  EXPECT_EQ(refusal(good), "");
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
  EXPECT_THROW(hg::npy_layout("a.npy", hg::dtype::bfloat16, {1}), hg::error);
}

}  // namespace
