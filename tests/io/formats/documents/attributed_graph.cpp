// SPDX-License-Identifier: BSL-1.0
#include <halograph/io/formats/documents/attributed_graph.hpp>

#include <gtest/gtest.h>
#include <support/temporary_folder.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace hg = halograph;
using hg::detail::node_keys;
using hg::detail::number_columns;

namespace {

std::string names_of(const std::vector<hg::feature<>>& features) {
  std::string out;
  for (const auto& one : features) out += one.name + ":" + std::string(name(one.rows.type())) + " ";
  return out;
}

TEST(number_columns, keeps_what_each_row_has_as_a_number) {
  number_columns columns;
  columns.next_row();
  columns.put("whole", std::int64_t{1});
  columns.put("mixed", std::int64_t{2});
  columns.put("twice", std::int64_t{1});
  columns.put("twice", std::int64_t{1});
  columns.put("early", 1.0);
  columns.put("text", 1.0);
  columns.put("a/b", 1.0);
  columns.next_row();
  columns.put("late", 1.0);
  columns.put("mixed", 0.5);
  columns.put("whole", std::int64_t{-1});
  columns.put("twice", std::int64_t{1});
  columns.put_other("text");
  columns.put("a/b", 1.0);
  EXPECT_TRUE(columns.has("late") && columns.has("text") && !columns.has("early"));
  const std::vector<std::size_t> order{1, 0, 1};
  columns.rearrange(order);
  std::vector<std::string> notes;
  const auto features = std::move(columns).finish("node", notes);
  ASSERT_EQ(names_of(features), "whole:int64 mixed:float64 ");
  EXPECT_EQ(features[0].rows.chunks()[0], hg::tensor::from(std::vector<std::int64_t>{-1, 1, -1}));
  EXPECT_EQ(features[1].rows.chunks()[0], hg::tensor::from(std::vector<double>{0.5, 2, 0.5}));
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find("\"twice\", \"early\", \"text\", \"a/b\", \"late\" are left out"),
            std::string::npos)
      << notes[0];
}

TEST(number_columns, makes_no_more_than_a_thousand) {
  number_columns columns;
  columns.next_row();
  for (int i = 0; i < 1200; ++i) columns.put("a" + std::to_string(i), 1.0);
  std::vector<std::string> notes;
  EXPECT_EQ(std::move(columns).finish("edge", notes).size(), 1000u);
  EXPECT_NE(notes.at(0).find("and 195 more"), std::string::npos);
}

TEST(node_keys, finds_nodes_by_text_and_by_number) {
  node_keys texts(hg::key_kind::text);
  for (const char* key : {"b", "", "a"}) texts.add(std::string_view(key));
  EXPECT_FALSE(texts.sort());
  EXPECT_FALSE(texts.are_ids());
  EXPECT_EQ(texts.find(""), 1u);
  EXPECT_EQ(texts.find("a"), 2u);
  EXPECT_FALSE(texts.find("c"));
  EXPECT_FALSE(texts.find(std::int64_t{0}));

  node_keys ids(hg::key_kind::integer);
  for (const std::int64_t key : {2, 0, 1}) ids.add(key);
  EXPECT_FALSE(ids.sort());
  EXPECT_TRUE(ids.are_ids());
  EXPECT_EQ(ids.find(std::int64_t{2}), 2u);
  EXPECT_EQ(ids.positions(), (std::vector<std::size_t>{1, 2, 0}));

  node_keys sparse(hg::key_kind::integer);
  for (const std::int64_t key : {5, -7, 5, -7, 1}) sparse.add(key);
  const auto twice = sparse.sort();
  ASSERT_TRUE(twice);
  EXPECT_EQ(twice->first, 2u);
  EXPECT_EQ(twice->second, 0u);
  EXPECT_FALSE(sparse.find(std::int64_t{0}));
}

TEST(node_keys, writes_a_dictionary) {
  const hg::testing::temporary_folder folder;
  node_keys keys(hg::key_kind::text);
  for (const char* key : {"b", "a", "ab"}) keys.add(std::string_view(key));
  keys.sort();
  keys.write({.dictionaries = folder("keys"), .scratch = folder()});
  const hg::key_dictionary read(hg::read_files{}(folder("keys/_N.keys")), "_N.keys");
  EXPECT_EQ(read.find("ab"), 2u);
  EXPECT_EQ(read.key(0), "b");
}

}  // namespace
