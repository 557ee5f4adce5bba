// SPDX-License-Identifier: BSL-1.0
// The example debian_packages on a list made up for it.
#include "debian_packages/package_graph.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace hg = halograph;
namespace deb = debian_packages;

namespace {

// Sorted by name: apple 0, bread 1, cook 2, dish 3, egg 4.
const std::string list =
    "Package: egg\n"
    "Version: 1\n"
    "Installed-Size: 7\n"
    "Size: 700\n"
    "Maintainer: Hen <hen@farm.example>\n"
    "Section: food\n"
    "Priority: required\n"
    "Provides: ingredient (= 1), white\n"
    "Description: white and yolk\n"
    "\n"
    "Package: cook\n"
    "Source: kitchen (2.0)\n"
    "Pre-Depends: egg (>= 1)\n"
    "Depends: dish | bread:any, ingredient,\n"
    " egg, nobody (= 1)\n"
    "Conflicts: cook, apple (<< 2)\n"
    "Breaks: egg (<< 1)\n"
    "Suggests: bread [amd64] <!nocheck>\n"
    "Maintainer: Hen <hen@farm.example>\n"
    "Section: people\n"
    "\n"
    "\n"
    "Package: dish\r\n"
    "Source: kitchen\r\n"
    "Recommends: egg\r\n"
    "\r\n"
    "Package: apple\n"
    "Provides: ingredient\n"
    "Installed-Size: 3\n"
    "\n"
    "Package: apple\n"
    "Installed-Size: 99\n"
    "\n"
    "Package: bread\n"
    "Priority: optional\n";

using pairs = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
pairs edges(const deb::package_graph& g, std::size_t r) {
  pairs out;
  for (std::size_t e = 0; e < g.data.edges[r].source.size(); ++e)
    out.emplace_back(g.data.edges[r].source[e], g.data.edges[r].target[e]);
  return out;
}

deb::package_graph example(std::uint64_t seed = 0) {
  return deb::build(deb::parse_stanzas(list, "list"), seed);
}

TEST(debian_packages, numbers_every_type_by_name) {
  const auto g = example();
  EXPECT_EQ(g.names[0], (std::vector<std::string>{"apple", "bread", "cook", "dish", "egg"}));
  EXPECT_EQ(g.names[1], (std::vector<std::string>{"apple", "bread", "egg", "kitchen"}));
  EXPECT_EQ(g.names[2], (std::vector<std::string>{"Hen <hen@farm.example>", "unknown"}));
  EXPECT_EQ(g.names[3], (std::vector<std::string>{"food", "people", "unknown"}));
  EXPECT_EQ(g.data.node_counts, (std::vector<std::uint64_t>{5, 4, 2, 3}));
  EXPECT_EQ(g.repeated, 1u);
}

TEST(debian_packages, links_every_alternative_and_every_provider_once_and_never_itself) {
  const auto g = example();
  // dish, bread, egg (twice) and apple as ingredients; nobody is nobody.
  EXPECT_EQ(edges(g, 0), (pairs{{2, 0}, {2, 1}, {2, 3}, {2, 4}}));
  EXPECT_EQ(edges(g, 1), (pairs{{3, 4}}));
  EXPECT_EQ(edges(g, 2), (pairs{{2, 1}}));
  EXPECT_EQ(edges(g, 3), (pairs{{2, 0}, {2, 4}}));
  EXPECT_EQ(g.unresolved, 1u);
  EXPECT_EQ(g.data.edge_feature(0, "versioned")->rows.chunks()[0].values<std::uint8_t>(),
            (std::vector<std::uint8_t>{0, 0, 0, 1}));
  EXPECT_EQ(g.data.edge_feature(3, "versioned")->rows.chunks()[0].values<std::uint8_t>(),
            (std::vector<std::uint8_t>{1, 1}));
}

TEST(debian_packages, links_each_package_to_its_maintainer_section_and_source) {
  const auto g = example();
  EXPECT_EQ(edges(g, 4), (pairs{{0, 1}, {1, 1}, {2, 0}, {3, 1}, {4, 0}}));
  EXPECT_EQ(edges(g, 5), (pairs{{0, 2}, {1, 2}, {2, 1}, {3, 2}, {4, 0}}));
  EXPECT_EQ(edges(g, 6), (pairs{{0, 0}, {1, 1}, {2, 3}, {3, 3}, {4, 2}}));
  EXPECT_EQ(g.data.graph().validate(), hg::status::ok);
}

TEST(debian_packages, carries_features_of_packages) {
  const auto g = example();
  const auto column = [&](const char* name) {
    return g.data.node_feature(0, name)->rows.chunks()[0];
  };
  EXPECT_EQ(column("installed_size").values<std::int64_t>(),
            (std::vector<std::int64_t>{3, 0, 0, 0, 7}));
  EXPECT_EQ(column("size").values<std::int64_t>(), (std::vector<std::int64_t>{0, 0, 0, 0, 700}));
  EXPECT_EQ(column("priority").values<std::int8_t>(), (std::vector<std::int8_t>{-1, 3, -1, -1, 0}));
  EXPECT_EQ(column("text").shape(), (hg::tensor_shape{5, 16}));
  const auto text = column("text").values<float>();
  float words = 0;
  for (std::size_t i = 4 * 16; i < 5 * 16; ++i) words += text[i];
  EXPECT_EQ(words, 3.0f);
  const auto train = column("train_mask").values<std::uint8_t>(),
             validation = column("val_mask").values<std::uint8_t>(),
             test = column("test_mask").values<std::uint8_t>();
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(train[i] + validation[i] + test[i], 1) << i;
}

TEST(debian_packages, masks_follow_the_seed_and_the_name_not_the_place) {
  std::string many, shifted = "Package: aaa\n\n";
  for (int i = 0; i < 1000; ++i) many += "Package: p" + std::to_string(1000 + i) + "\n\n";
  shifted += many;
  const auto train = [](const std::string& text, std::uint64_t seed) {
    return deb::build(deb::parse_stanzas(text, "list"), seed)
        .data.node_feature(0, "train_mask")
        ->rows.chunks()[0]
        .values<std::uint8_t>();
  };
  const auto one = train(many, 1);
  auto other = train(shifted, 1);
  other.erase(other.begin());
  EXPECT_EQ(one, other);
  EXPECT_NE(one, train(many, 2));
  EXPECT_NEAR(static_cast<double>(std::count(one.begin(), one.end(), 1)), 800.0, 50.0);
}

TEST(debian_packages, an_empty_list_is_an_empty_graph) {
  const auto g = deb::build(deb::parse_stanzas("\n \n", "list"), 0);
  EXPECT_EQ(g.data.num_nodes(), 0u);
  EXPECT_EQ(g.data.num_edges(), 0u);
}

TEST(debian_packages, a_wrong_line_is_named) {
  const auto why = [](const std::string& text) -> std::string {
    try {
      static_cast<void>(deb::parse_stanzas(text, "list"));
    } catch (const hg::error& problem) {
      return problem.what();
    }
    return "";
  };
  EXPECT_EQ(why("Package: a\n\nSize: 5\n"), "list, line 3: the stanza has no field Package");
  EXPECT_EQ(why("Package: a\nSize: five\n"),
            "list, line 2: \"five\" is not a size; it must be a whole number");
  EXPECT_EQ(why("Package: a\nInstalled-Size: -5\n"),
            "list, line 2: \"-5\" is not a size; it must be a whole number");
  EXPECT_EQ(why("Package: a\nSize: 99999999999999999999\n"),
            "list, line 2: \"99999999999999999999\" is not a size; it must be a whole number");
  EXPECT_EQ(why("Package: a\nnonsense\n"), "list, line 2: expected \"Field: value\"");
  EXPECT_EQ(why(" Package: a\n"),
            "list, line 1: the line continues a field, but there is none before it");
}

TEST(debian_packages, a_list_cut_anywhere_is_read_or_refused) {
  for (std::size_t size = 0; size <= list.size(); ++size) {
    try {
      static_cast<void>(
          deb::build(deb::parse_stanzas(std::string_view(list).substr(0, size), "list"), 0));
    } catch (const hg::error& problem) {
      EXPECT_EQ(problem.code(), hg::error_kind::malformed) << size;
    }
  }
}

}  // namespace
