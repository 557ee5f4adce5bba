// SPDX-License-Identifier: BSL-1.0
#include <halograph/serial/dgl/tensors.hpp>

#include <gtest/gtest.h>
#include <support/sha256.hpp>
#include <support/temporary_folder.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace hg = halograph;
using hg::dgl::strictness;
using hg::testing::bytes_of;
using hg::testing::sha256;

namespace {

using bytes = std::vector<std::byte>;

bytes written(const std::vector<hg::named_tensor>& tensors) {
  hg::memory_sink sink;
  hg::dgl::write_tensors(sink, tensors);
  return {sink.bytes().begin(), sink.bytes().end()};
}

std::vector<hg::named_tensor> read(const bytes& file, strictness how = strictness::strict) {
  return hg::dgl::read_tensors({file, nullptr}, "x.dgl", how);
}

/// Code and byte of the refusal; ok where there is none.
hg::status refusal(const bytes& file, strictness how = strictness::strict) {
  try {
    read(file, how);
  } catch (const hg::error& problem) {
    EXPECT_EQ(problem.where().file, "x.dgl");
    EXPECT_TRUE(problem.where().byte.has_value()) << problem.what();
    EXPECT_FALSE(problem.message().empty());
    return {problem.code(), problem.where().byte.value_or(~std::uint64_t{0})};
  }
  return hg::status::ok;
}

template <class T>
bytes changed(bytes file, std::size_t at, T value) {
  hg::store_le(value, file.data() + at);
  return file;
}

/// The worked example of the format's description.
std::vector<hg::named_tensor> example() {
  return {{"_N/mask", hg::tensor::from(std::vector<std::uint8_t>{1, 0}, {2}, hg::dtype::boolean)},
          {"_N/feat", hg::tensor::from(std::vector<float>{0, 1, 2, 3}, {2, 2})}};
}

void expect_refused(hg::status answer, hg::error_kind code, std::uint64_t byte,
                    int line = __builtin_LINE()) {
  if (answer.code == code && answer.position == byte) return;
  ADD_FAILURE_AT(__FILE__, line) << hg::name(answer.code) << " at " << answer.position
                                 << ", expected " << hg::name(code) << " at " << byte;
}

}  // namespace

TEST(sha256, gives_the_published_values) {
  EXPECT_EQ(sha256(bytes_of("")),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256(bytes_of("abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(dgl_kind, is_what_the_first_eight_bytes_say) {
  const bytes file = written(example());
  const std::span<const std::byte> all(file);
  EXPECT_EQ(hg::dgl::kind_of(all), hg::dgl::file_kind::tensors);
  EXPECT_EQ(hg::dgl::kind_of(all.first(8)), hg::dgl::file_kind::tensors);
  EXPECT_EQ(hg::dgl::kind_of(all.first(7)), hg::dgl::file_kind::other);
  EXPECT_EQ(hg::dgl::kind_of(changed(file, 0, hg::dgl::graphs_magic)), hg::dgl::file_kind::graphs);
  EXPECT_EQ(hg::dgl::kind_of(all.subspan(8)), hg::dgl::file_kind::other);
}

TEST(dgl_tensors, write_the_bytes_of_the_worked_example) {
  const bytes file = written(example());
  EXPECT_EQ(file.size(), 176u);
  EXPECT_EQ(sha256(file), "f69baaedda9723f373ce74d03729165e0fa9df569d9573909bce9f263ae5688b");
}

TEST(dgl_tensors, write_an_empty_dictionary_of_24_bytes) {
  const bytes file = written({});
  EXPECT_EQ(file.size(), 24u);
  EXPECT_EQ(sha256(file), "0f9f672a07a2cd706cfc4fc6467956785c3e6d821a5b1a85131a5ed8d32e0613");
  EXPECT_TRUE(read(file).empty());
}

TEST(dgl_tensors, give_back_every_dtype_and_shape) {
  std::vector<hg::named_tensor> all;
  for (int t = 0; t < static_cast<int>(hg::dtype::boolean); ++t) {
    const auto type = static_cast<hg::dtype>(t);
    std::vector<std::uint8_t> raw(6 * hg::item_bytes(type));
    for (std::size_t i = 0; i < raw.size(); ++i) raw[i] = static_cast<std::uint8_t>(i + 1);
    const auto owner = std::make_shared<std::vector<std::uint8_t>>(raw);
    all.push_back({std::string(hg::name(type)),
                   hg::tensor(type, {3, 1, 2}, std::as_bytes(std::span(*owner)), owner)});
  }
  all.push_back({"rows", hg::tensor::from(std::vector<float>{}, {0, 3})});
  all.push_back({"columns", hg::tensor::from(std::vector<float>{}, {3, 0})});
  all.push_back({"", hg::tensor::from(std::vector<int>{7})});
  const bytes file = written(all);
  const auto back = read(file);
  ASSERT_EQ(back.size(), all.size());
  EXPECT_TRUE(std::is_sorted(back.begin(), back.end(),
                             [](const auto& a, const auto& b) { return a.name < b.name; }));
  for (const auto& one : all) {
    const auto found = std::find_if(back.begin(), back.end(),
                                    [&](const auto& b) { return b.name == one.name; });
    ASSERT_NE(found, back.end());
    EXPECT_EQ(found->value, one.value) << one.name;
  }
}

TEST(dgl_tensors, are_views_that_keep_the_file_alive) {
  auto owner = std::make_shared<bytes>(written(example()));
  const std::byte* const memory = owner->data();
  const std::weak_ptr<bytes> watched = owner;
  hg::tensor kept;
  {
    const hg::file_bytes file{*owner, owner};
    kept = hg::dgl::read_tensors(file, "x.dgl")[0].value;
  }
  owner.reset();
  EXPECT_FALSE(watched.expired());
  EXPECT_EQ(kept.bytes().data(), memory + 95);
  kept = {};
  EXPECT_TRUE(watched.expired());
}

TEST(dgl_tensors, store_rank_0_as_one_element_and_read_it) {
  const bytes file = written({{"x", hg::tensor::from(std::vector<double>{2.5}, {})}});
  EXPECT_EQ(read(file)[0].value.shape(), hg::tensor_shape{1});
  // By hand: rank 0, no extent.
  bytes scalar(file.begin(), file.end() - 24);
  scalar = changed(scalar, 57, std::int32_t{0});
  scalar.insert(scalar.end(), file.end() - 16, file.end());
  const auto back = read(scalar);
  EXPECT_TRUE(back[0].value.shape().empty());
  EXPECT_EQ(back[0].value.values<double>(), std::vector<double>{2.5});
}

TEST(dgl_tensors, refuse_two_equal_keys_when_written) {
  auto two = example();
  two[0].name = two[1].name;
  EXPECT_THROW(written(two), hg::error);
}

TEST(dgl_tensors, refuse_more_than_32_dimensions) {
  EXPECT_THROW(written({{"x", hg::tensor::from(std::vector<int>{1}, hg::tensor_shape(33, 1))}}),
               hg::error);
}

TEST(dgl_tensors, name_the_byte_of_each_fault) {
  const bytes good = written(example());
  ASSERT_EQ(refusal(good), hg::status::ok);
  using hg::error_kind;
  expect_refused(refusal(changed(good, 0, std::uint8_t{0})), error_kind::malformed, 0u);
  expect_refused(refusal(changed(good, 0, hg::dgl::graphs_magic)), error_kind::malformed, 0u);
  expect_refused(refusal(changed(good, 8, std::uint64_t{3})), error_kind::malformed,
                 8u);  // counts differ
  expect_refused(refusal(changed(good, 16, ~std::uint64_t{0})), error_kind::truncated,
                 16u);  // a count beyond the file
  expect_refused(refusal(changed(good, 24, ~std::uint64_t{0})), error_kind::truncated,
                 24u);  // a name beyond the file
  expect_refused(refusal(changed(good, 39, std::uint8_t{0})), error_kind::malformed,
                 39u);  // array's magic
  expect_refused(refusal(changed(good, 55, std::int32_t{2})), error_kind::malformed,
                 55u);  // on a GPU
  expect_refused(refusal(changed(good, 59, std::int32_t{1})), error_kind::malformed,
                 59u);  // device number
  expect_refused(refusal(changed(good, 63, std::int32_t{-1})), error_kind::malformed, 63u);  // rank
  expect_refused(refusal(changed(good, 63, std::int32_t{33})), error_kind::malformed, 63u);
  expect_refused(refusal(changed(good, 67, std::uint8_t{5})), error_kind::malformed,
                 67u);  // complex
  expect_refused(refusal(changed(good, 67, std::uint8_t{3})), error_kind::malformed, 67u);
  expect_refused(refusal(changed(good, 68, std::uint8_t{33})), error_kind::malformed, 67u);  // bits
  expect_refused(refusal(changed(good, 69, std::uint16_t{2})), error_kind::malformed,
                 67u);  // lanes
  expect_refused(refusal(changed(good, 71, std::int64_t{-2})), error_kind::malformed,
                 71u);  // negative extent
  expect_refused(refusal(changed(good, 79, std::int64_t{1} << 62)), error_kind::malformed,
                 79u);  // product beyond 63 bits
  expect_refused(refusal(changed(good, 79, std::int64_t{3})), error_kind::malformed,
                 87u);  // size of data
  expect_refused(refusal(changed(good, 87, std::int64_t{-16})), error_kind::malformed, 87u);
  expect_refused(
      refusal(changed(changed(good, 79, std::int64_t{1} << 40), 87, std::int64_t{1} << 43)),
      error_kind::truncated, 95u);
  bytes longer = good;
  longer.push_back(std::byte{0});
  expect_refused(refusal(longer), error_kind::malformed, 176u);
  bytes twice(good.begin(), good.begin() + 111);
  twice.insert(twice.end(), good.begin() + 24, good.begin() + 111);
  expect_refused(refusal(twice), error_kind::malformed, 111u);
}

TEST(dgl_tensors, lenient_reading_accepts_what_dgl_accepts) {
  const bytes good = written(example());
  EXPECT_EQ(refusal(changed(good, 8, std::uint64_t{3}), strictness::lenient), hg::status::ok);
  EXPECT_EQ(refusal(changed(good, 59, std::int32_t{1}), strictness::lenient), hg::status::ok);
  EXPECT_EQ(refusal(changed(good, 47, ~std::uint64_t{0})), hg::status::ok)
      << "reserved bytes mean nothing";
  bytes longer = good;
  longer.push_back(std::byte{0});
  EXPECT_EQ(refusal(longer, strictness::lenient), hg::status::ok);
  bytes twice(good.begin(), good.begin() + 111);
  twice.insert(twice.end(), good.begin() + 24, good.begin() + 111);
  twice = changed(twice, 182, std::uint32_t{0x41100000});  // its first element: 9
  const auto back = read(twice, strictness::lenient);
  ASSERT_EQ(back.size(), 1u);
  EXPECT_EQ(back[0].value.values<float>()[0], 9.0f) << "of equal keys the last counts";
}

TEST(dgl_tensors, cut_anywhere_are_refused) {
  const bytes good = written(example());
  for (std::size_t size = 0; size < good.size(); ++size) {
    // A copy of exactly that size, so that reading beyond it shows under a sanitizer.
    const bytes cut(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size));
    const hg::status answer = refusal(cut);
    ASSERT_EQ(answer.code, hg::error_kind::truncated) << size;
    ASSERT_LE(answer.position, size);
  }
}

TEST(dgl_tensors, with_any_bit_flipped_are_read_or_refused) {
  const bytes good = written(example());
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      bytes bad = good;
      bad[at] ^= static_cast<std::byte>(1 << bit);
      static_cast<void>(refusal(bad));
      static_cast<void>(refusal(bad, strictness::lenient));
    }
  }
}

TEST(dgl_tensors, layout_covers_every_byte_once) {
  const auto layout = hg::dgl::layout_tensors(
      "f", {{"b", hg::dtype::float32, {3, 2}, hg::column::edge_feature, 4},
            {"a", hg::dtype::boolean, {5}, hg::column::edge_feature, 3}});
  EXPECT_EQ(hg::check_layout(layout), hg::status::ok);
  std::uint64_t covered = 0;
  for (const auto& one : layout.literals) covered += one.bytes.size();
  for (const auto& one : layout.sections) covered += one.bytes();
  EXPECT_EQ(covered, layout.bytes);
  EXPECT_EQ(layout.sections[0].item, 3u);
  EXPECT_EQ(layout.sections[0].type, hg::dtype::uint8);
}
