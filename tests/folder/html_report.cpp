// SPDX-License-Identifier: BSL-1.0
#include "support/small_folder.hpp"
#include "support/temporary_folder.hpp"

#include <halograph/core/error.hpp>
#include <halograph/folder/html_report.hpp>
#include <halograph/folder/report.hpp>
#include <halograph/serial/text/readable.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

namespace hg = halograph;
using namespace hg::testing;

hg::reported_folder folder_of(hg::part_id parts, std::uint64_t seed, std::uint64_t nodes = 60,
                              hg::partition_options options = {}) {
  const temporary_folder place;
  small_partition(small_dataset(1, true, nodes, 3 * nodes), place("out"), parts, seed, options);
  return {.graph = "small",
          .method = "given",
          .hops = options.hops,
          .found = hg::report_folder(config_of(place("out")), test_access{}, {.figures = true})};
}

std::string page_of(const std::vector<hg::reported_folder>& folders) {
  return hg::html_report(folders);
}

std::size_t count(std::string_view page, std::string_view word) {
  std::size_t out = 0;
  for (auto at = page.find(word); at != std::string_view::npos; at = page.find(word, at + 1)) ++out;
  return out;
}

/// Every element that is opened is closed, in order.
void expect_nested(std::string_view page) {
  std::vector<std::string> open;
  for (std::size_t at = 0; (at = page.find('<', at)) != std::string_view::npos;) {
    if (page.substr(at, 2) == "<!") {
      at = page.find('>', at);
      continue;
    }
    const auto end = page.find('>', at);
    ASSERT_NE(end, std::string_view::npos);
    const auto tag = page.substr(at + 1, end - at - 1);
    const bool closes = tag.front() == '/';
    const std::string name(tag.substr(closes ? 1 : 0, tag.find_first_of(" \n") - (closes ? 1 : 0)));
    at = end;
    if (closes) {
      ASSERT_FALSE(open.empty());
      ASSERT_EQ(open.back(), name);
      open.pop_back();
    } else if (name != "meta" && tag.back() != '/') {
      open.push_back(name);
      if (name == "script" || name == "style") at = page.find("</" + name, at);
    }
  }
  EXPECT_TRUE(open.empty());
}

TEST(html_report, shows_the_numbers_of_the_report) {
  auto folder = folder_of(3, 1, 60, {.hops = 2});
  const auto& report = folder.found.report;
  const std::string page = page_of({folder});
  expect_nested(page);
  EXPECT_NE(page.find("<dd>" + std::to_string(report.edge_cut) + "</dd>"), std::string::npos);
  EXPECT_NE(page.find("<dd>" + std::to_string(report.communication_volume) + "</dd>"),
            std::string::npos);
  for (std::size_t p = 0; p < 3; ++p) {
    const auto& part = report.parts[p];
    const auto cell = [](std::uint64_t n) { return "<td>" + std::to_string(n) + "</td>"; };
    EXPECT_NE(page.find(cell(part.inner_nodes) + cell(folder.found.figures->nodes_by_type[0][p]) +
                        cell(folder.found.figures->nodes_by_type[1][p]) + cell(part.inner_edges) +
                        cell(folder.found.components[p])),
              std::string::npos)
        << p;
    EXPECT_NE(page.find(cell(part.halo_nodes_per_hop[0]) + cell(part.halo_nodes_per_hop[1]) +
                        cell(part.halo_edges)),
              std::string::npos)
        << p;
  }
  std::uint64_t stored = 0, first = 0, second = 0;
  for (const auto& part : report.parts) {
    stored += part.inner_nodes + part.halo_nodes;
    first += part.halo_nodes_per_hop[0];
    second += part.halo_nodes_per_hop[1];
  }
  const auto share = [&](std::uint64_t n) {
    return hg::readable::percent(static_cast<double>(n) / static_cast<double>(stored));
  };
  EXPECT_NE(page.find("Of the nodes that all parts store, " + share(first) + " are of hop 1 and " +
                      share(second) + " of hop 2."),
            std::string::npos);
  for (const auto& one : folder.found.figures->edges_between)
    EXPECT_NE(page.find(">" + std::to_string(one.edges) + "</td>"), std::string::npos);
  EXPECT_EQ(page, page_of({folder})) << "the bytes depend on more than the folder";
  EXPECT_EQ(count(page, "Time and memory"), 0u);
  folder.steps.push_back({"read", 1.25, 3u << 20});
  EXPECT_NE(page_of({folder}).find("<td>1.250</td>"), std::string::npos);
  EXPECT_NE(page_of({folder}).find("3.0 MiB"), std::string::npos);
}

TEST(html_report, names_cannot_become_markup) {
  auto folder = folder_of(2, 1);
  const std::string hostile = "</title><script>alert(1)</script>\xE2\x80\xAE\"'&";
  folder.graph = folder.method = hostile;
  for (auto& type : folder.found.report.node_types) type.first = hostile;
  for (auto& line : folder.found.report.balance) line.name = hostile;
  folder.found.notes.push_back(hostile);
  folder.steps.push_back({hostile, 1, 1});
  for (const auto& page : {page_of({folder}), page_of({folder, folder})}) {
    expect_nested(page);
    EXPECT_EQ(count(page, "<script"), 1u);
    EXPECT_EQ(count(page, "alert(1)</"), 0u);
    EXPECT_EQ(count(page, "\xE2\x80\xAE"), 0u);
    EXPECT_GT(count(page, "&#60;script&#62;"), 4u);
  }
}

TEST(html_report, several_folders_stand_side_by_side) {
  const auto good = folder_of(3, 1, 60, {.hops = 1}), other = folder_of(4, 2, 60, {.hops = 2});
  const std::string page = page_of({good, other});
  expect_nested(page);
  EXPECT_EQ(count(page, "<h2>Comparison</h2>"), 1u);
  EXPECT_EQ(count(page, "<h3>"), 2 * count(page, "<div class=\"panels\">"));
  EXPECT_GE(count(page, ">lowest<"), 3u);
  EXPECT_EQ(count(page, "different graphs"), 0u);
  EXPECT_EQ(count(page_of({good, folder_of(3, 1, 30)}), "different graphs"), 1u);
  // Equal figures have no lowest.
  EXPECT_EQ(count(page_of({good, good}), ">lowest<"), 0u);
}

TEST(html_report, unknown_figures_are_called_unknown) {
  hg::partition_options options;
  options.hops = 0;
  options.drop_cut_edges = true;
  auto folder = folder_of(2, 1, 60, options);
  expect_nested(page_of({folder}));
  EXPECT_EQ(count(page_of({folder}), "<dd>unknown</dd>"), 2u);
  EXPECT_EQ(count(page_of({folder}), "were dropped"), 2u);
  folder.found.figures.reset();
  expect_nested(page_of({folder}));
  EXPECT_EQ(count(page_of({folder}), "<h2>The graph</h2>"), 0u);
  // The content of simulation.json is not ours to trust.
  hg::json::value simulated{hg::json::object{}};
  simulated.set("remote_rows_per_batch", 12.5);
  simulated.set("remote_row_bytes_per_batch", "many");
  simulated.set("structure_bytes_per_batch", -1);
  folder.simulation = simulated;
  const auto page = page_of({folder});
  EXPECT_NE(page.find("<td>12.5</td>"), std::string::npos);
  EXPECT_EQ(count(page, "<td>unknown</td>"), 3u);
}

TEST(html_report, pages_of_many_parts_and_types_are_bounded) {
  hg::reported_folder folder{.graph = "large", .method = "none", .hops = 40};
  auto& found = folder.found;
  found.figures.emplace();
  constexpr std::uint32_t parts = 1000;
  for (std::uint32_t p = 0; p < parts; ++p) {
    found.report.parts.push_back({.inner_nodes = 1000000000 + p * 37 % parts,
                                  .halo_nodes = 40000000,
                                  .inner_edges = 5,
                                  .halo_edges = 6,
                                  .halo_nodes_per_hop = std::vector<std::uint64_t>(40, 1000000)});
    found.components.push_back(1);
    for (std::uint32_t q = 0; q < parts; q += 7)
      found.figures->edges_between.push_back({q, p, 1000000007});
  }
  for (int t = 0; t < 300; ++t) {
    found.report.node_types.emplace_back("type" + std::to_string(t), 10);
    found.report.balance.push_back({"constraint" + std::to_string(t), 0.03, 0.5, false});
    found.figures->nodes_by_type.emplace_back(parts, 7);
  }
  const std::string page = page_of({folder});
  expect_nested(page);
  EXPECT_LT(page.size(), 400000u);
  EXPECT_GT(count(page, "Of 1,000 parts the 32 with the most"), 1u);
  EXPECT_EQ(count(page, "The first 64 of 300 constraints"), 1u);
  EXPECT_EQ(count(page, "295 other types"), 2u);  // in the key and in the table
  EXPECT_EQ(count(page, "hop&nbsp;5 and on"), 2u);
  EXPECT_EQ(count(page, "stands for 16 neighboring parts"), 1u);
  EXPECT_NE(page.find(">992-999<"), std::string::npos);
  // Nothing at all is shown, too.
  expect_nested(page_of({hg::reported_folder{}}));
  EXPECT_THROW(page_of({}), hg::error);
}

TEST(html_report, replaces_pages_and_nothing_else) {
  const temporary_folder place;
  const std::string page = page_of({hg::reported_folder{}}), path = place("page.html");
  hg::require_html_target(path);
  hg::write_html_report(page, path);
  EXPECT_EQ(content_of(path), page);
  hg::write_html_report(page, path);
  place.write("mine.html", "<!doctype html>\n<p>not yours");
  for (const auto& other : {place("mine.html"), place("none/page.html"), place("")}) {
    EXPECT_THROW(hg::require_html_target(other), hg::error) << other;
    EXPECT_THROW(hg::write_html_report(page, other), hg::error) << other;
  }
  EXPECT_EQ(content_of(place("mine.html")), "<!doctype html>\n<p>not yours");
}

}  // namespace
