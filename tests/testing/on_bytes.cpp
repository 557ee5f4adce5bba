// SPDX-License-Identifier: BSL-1.0
// Every algorithm over byte sinks, feature stores and executors, run on the archetypes: it uses no
// more than its concepts grant, and gives the same results as for memory.
// tests/structure/algorithms.cpp checks that none is missing.
#include <halograph/serial/bytes.hpp>
#include <halograph/serial/dgl/graph.hpp>
#include <halograph/serial/dgl/tensors.hpp>
#include <halograph/serial/feature_store.hpp>
#include <halograph/serial/files/unpacked.hpp>
#include <halograph/serial/layout.hpp>
#include <halograph/serial/layout_writer.hpp>
#include <halograph/serial/serializer.hpp>
#include <halograph/serial/text/blocks.hpp>
#include <halograph/serial/text/columns.hpp>
#include <halograph/serial/text/edges.hpp>
#include <halograph/serial/text/lines.hpp>
#include <halograph/serial/text/numbers.hpp>
#include <halograph/testing/archetypes.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hg = halograph;
namespace archetype = halograph::archetype;

namespace {

// The same bytes through the archetype as through memory. write(sink) writes them.
template <class Write>
void expect_the_same_bytes(Write&& write) {
  hg::memory_sink memory;
  write(memory);
  std::vector<std::byte> room(memory.bytes().size());
  archetype::byte_sink sink{std::span(room)};
  write(sink);
  EXPECT_FALSE(room.empty());
  EXPECT_EQ(room, std::vector<std::byte>(memory.bytes().begin(), memory.bytes().end()));
}

TEST(on_sinks, sections_of_a_layout) {
  hg::layout_builder builder("f");
  builder.text("head").array(hg::column::edge_id, 0, hg::dtype::int32, {3});
  const hg::file_layout layout = std::move(builder).finish();
  const hg::section& section = layout.sections[0];
  const std::vector<std::int16_t> values{1, 2, 3};
  expect_the_same_bytes(
      [&](auto& sink) { EXPECT_EQ(hg::write_literals(layout, sink), hg::status::ok); });
  expect_the_same_bytes([&](auto& sink) {
    EXPECT_EQ(hg::write_as(sink, section, 0, std::span<const std::int16_t>(values)),
              hg::status::ok);
  });
  expect_the_same_bytes([&](auto& sink) {
    EXPECT_EQ(hg::write_elements(sink, section, 1, std::as_bytes(std::span(values)).first(4)),
              hg::status::ok);
  });
  expect_the_same_bytes([&](auto& sink) {
    EXPECT_EQ(hg::write_tensor(sink, section, hg::tensor::from(values)), hg::status::ok);
  });
  expect_the_same_bytes([&](auto& sink) {
    hg::save(layout, sink, [&](const hg::section&) { return hg::tensor::from(values); });
  });
}

TEST(on_sinks, a_sink_without_further_members_can_be_finished) {
  std::vector<std::byte> room(1);
  archetype::byte_sink sink{std::span(room)};
  EXPECT_NO_THROW(hg::finish_sink(sink));
  EXPECT_NO_THROW(hg::require_written(sink, hg::status::ok, "f"));
  EXPECT_THROW(hg::require_written(sink, hg::status::capacity, "f"), hg::error);
}

TEST(on_openers, files_of_lines) {
  const hg::any_file_opener open(archetype::file_opener(std::as_bytes(std::span("12\n345\n", 7))));
  EXPECT_EQ(hg::open_lines(open, "f", 3).bytes.size(), 7u);
  EXPECT_THROW(hg::open_lines(open, "f", 2), hg::error);
}

/// "Compressed" is the same, without the last byte.
struct shortening_reader {
  static constexpr std::string_view ending = ".cut";
  std::span<const std::byte> left;
  shortening_reader(std::span<const std::byte> packed, const std::string&)
      : left(packed.first(packed.size() - 1)) {}
  std::size_t read(std::span<std::byte> out) {
    const auto taken = left.first(std::min(left.size(), out.size()));
    std::copy(taken.begin(), taken.end(), out.begin());
    left = left.subspan(taken.size());
    return taken.size();
  }
};

TEST(on_openers, compressed_files) {
  const hg::any_file_opener inner(archetype::file_opener([](const std::string& path) {
    return path == "f.cut" ? hg::file_bytes{std::as_bytes(std::span("12\n345", 7)), {}}
                           : hg::read_files{}(path);
  }));
  const hg::unpacked_files<shortening_reader, hg::any_file_opener> open{inner};
  EXPECT_EQ(open("f.cut").bytes.size(), 6u);
  EXPECT_EQ(hg::open_lines(open, "f.cut", 3).bytes.size(), 6u);
  EXPECT_THROW(hg::open_lines(open, "f.cut", 2), hg::error);
  const hg::spilled_files<shortening_reader, hg::any_file_opener> spilled{
      inner, std::filesystem::temp_directory_path().string()};
  EXPECT_EQ(spilled("f.cut").bytes.size(), 6u);
  EXPECT_THROW(hg::open_lines(spilled, "f.cut", 2), hg::error);
}

TEST(on_sinks, files_of_dgl) {
  hg::dgl::graph_file content;
  content.labels.push_back({"split", hg::tensor::from(std::vector<std::int64_t>{1, 0})});
  expect_the_same_bytes([&](auto& sink) { hg::dgl::write_graphs(sink, content); });
  const std::vector<hg::named_tensor> tensors{{"a", hg::tensor::from(std::vector<float>{1, 2})}};
  expect_the_same_bytes([&](auto& sink) { hg::dgl::write_tensors(sink, tensors); });
}

TEST(on_stores, features_hold_any_store) {
  hg::basic_feature_set<archetype::feature_store> set;
  set.nodes.push_back({0, "pair", archetype::feature_store(3)});
  const hg::feature<archetype::feature_store>& one = set.nodes[0];
  EXPECT_EQ(one.rows.rows(), 3u);
}

TEST(on_executors, text) {
  const archetype::executor pool(0);
  std::string text;
  for (int i = 0; i < 500; ++i) text += std::to_string(i) + " " + std::to_string(499 - i) + "\n";
  const auto bytes = std::as_bytes(std::span(text.data(), text.size()));
  EXPECT_EQ(hg::read_edges<std::uint16_t>(bytes, "f", {}, pool).target,
            hg::read_edges<std::uint16_t>(bytes, "f").target);
  EXPECT_EQ(hg::read_columns<std::int16_t>(bytes, "f", 2, {}, pool),
            hg::read_columns<std::int16_t>(bytes, "f", 2));
  EXPECT_EQ(hg::read_column<std::int16_t>(bytes.first(0), "f", {}, pool),
            std::vector<std::int16_t>{});
  const std::vector<std::uint16_t> many(9000, 7);
  std::string written, alone_written;
  hg::append_edges<std::uint16_t>(written, many, many, ' ', pool);
  hg::append_edges<std::uint16_t>(alone_written, many, many);
  EXPECT_EQ(written, alone_written);
  const auto index = hg::index_text(bytes, {}, pool, 64),
             alone = hg::index_text(bytes, {}, hg::sequential{}, 64);
  EXPECT_EQ(index.bytes, alone.bytes);
  EXPECT_EQ(index.records, alone.records);
}

}  // namespace
