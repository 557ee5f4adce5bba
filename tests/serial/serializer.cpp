// SPDX-License-Identifier: BSL-1.0
#include "support/few_threads.hpp"

#include <halograph/core/executor.hpp>
#include <halograph/serial/serializer.hpp>

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace hg = halograph;

namespace {

/// The least that is a serializer.
struct minimal {
  std::string_view name() const { return "minimal"; }
  hg::part_layout layout(const hg::part_description&) const { return {}; }
  hg::loaded_structure read_structure(const hg::file_bytes&, const std::string&) const {
    return {};
  }
  std::vector<hg::named_tensor> read_features(const hg::file_bytes&, const std::string&) const {
    return {};
  }
};
static_assert(hg::serializer<minimal>);

struct nameless {
  hg::part_layout layout(const hg::part_description&) const { return {}; }
  hg::loaded_structure read_structure(const hg::file_bytes&, const std::string&) const {
    return {};
  }
  std::vector<hg::named_tensor> read_features(const hg::file_bytes&, const std::string&) const {
    return {};
  }
};
static_assert(!hg::serializer<nameless>);

struct without_features {
  std::string_view name() const { return "minimal"; }
  hg::part_layout layout(const hg::part_description&) const { return {}; }
  hg::loaded_structure read_structure(const hg::file_bytes&, const std::string&) const {
    return {};
  }
};
static_assert(!hg::serializer<without_features>);

struct mutable_layout {
  std::string_view name() const { return "minimal"; }
  hg::part_layout layout(const hg::part_description&) { return {}; }
  hg::loaded_structure read_structure(const hg::file_bytes&, const std::string&) const {
    return {};
  }
  std::vector<hg::named_tensor> read_features(const hg::file_bytes&, const std::string&) const {
    return {};
  }
};
static_assert(!hg::serializer<mutable_layout>);

/// Tells the columns of one file apart.
struct by_column : minimal {
  std::vector<hg::named_tensor> read_features(const hg::file_bytes&, const std::string&,
                                              hg::column what) const {
    return std::vector<hg::named_tensor>(what == hg::column::edge_feature ? 2 : 1);
  }
};

/// Says how many threads it was given.
struct by_threads : minimal {
  hg::loaded_structure read_structure(const hg::file_bytes&, const std::string&,
                                      hg::executor_ref threads = {}) const {
    return {.nodes = threads.concurrency()};
  }
};

TEST(any_serializer, passes_the_threads_to_formats_that_take_them) {
  const hg::any_serializer plain(minimal{}), sharing(by_threads{});
  const hg::testing::few_threads three{3};
  EXPECT_EQ(plain.read_structure({}, "f", three).nodes, 0u);
  EXPECT_EQ(sharing.read_structure({}, "f", three).nodes, 3u);
  EXPECT_EQ(sharing.read_structure({}, "f").nodes, 1u);
}

TEST(any_serializer, passes_the_column_to_formats_that_take_it) {
  const hg::any_serializer plain(minimal{}), telling(by_column{});
  EXPECT_EQ(plain.name(), "minimal");
  EXPECT_FALSE(plain.tells_columns_apart());
  EXPECT_TRUE(telling.tells_columns_apart());
  EXPECT_TRUE(plain.read_features({}, "f", hg::column::edge_feature).empty());
  EXPECT_EQ(telling.read_features({}, "f", hg::column::edge_feature).size(), 2u);
  EXPECT_EQ(telling.read_features({}, "f", hg::column::node_feature).size(), 1u);
}

}  // namespace
