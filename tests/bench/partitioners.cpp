// SPDX-License-Identifier: BSL-1.0
// What bench/partitioners makes of its measurements: medians, geometric means, tables, the chart.
#include "../../bench/partitioners/chart.hpp"
#include "../../bench/partitioners/process.hpp"
#include "../../bench/partitioners/results.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace hb = halograph::bench;

namespace {

hb::measured_row row(std::string graph, std::string method, std::vector<double> cuts, double wall,
                     bool met = true) {
  hb::measured_row out;
  out.graph = std::move(graph);
  out.parts = 8;
  out.method = std::move(method);
  for (const double cut : cuts) {
    out.runs.push_back({{"cut", cut},
                        {"volume", cut},
                        {"wall_seconds", wall},
                        {"peak_bytes", 1000},
                        {"largest_imbalance", met ? 0.02 : 0.05},
                        {"met", met}});
  }
  out.close();
  return out;
}

/// The rows of two graphs: b cuts half and twice of what a cuts, in twice and eight times its time.
std::vector<hb::measured_row> rows() {
  return {row("g", "a", {100}, 1), row("g", "b", {50}, 2, false), row("h", "a", {10}, 1),
          row("h", "b", {20}, 8)};
}

TEST(bench_partitioners, a_row_is_the_median_of_its_runs_and_as_bad_as_its_worst_balance) {
  EXPECT_EQ(row("g", "a", {30, 10, 20}, 1).cut, 20);
  EXPECT_EQ(row("g", "a", {30, 10, 20, 40}, 1).cut, 25);
  auto one = row("g", "a", {1, 1}, 1);
  one.runs[0]["met"] = false;
  one.runs[0]["largest_imbalance"] = 0.3;
  one.close();
  EXPECT_FALSE(one.met);
  EXPECT_EQ(one.imbalance, 0.3);
}

TEST(bench_partitioners, the_worst_seed_is_relative_to_the_median_of_its_row) {
  EXPECT_EQ(row("g", "a", {30}, 1).worst_seed, 0);
  const std::vector<hb::measured_row> both{row("g", "a", {30, 10, 20}, 1),
                                           row("h", "a", {100, 100, 110}, 1)};
  EXPECT_NEAR(both[0].worst_seed, 1.5, 1e-12);
  EXPECT_NEAR(both[1].worst_seed, 1.1, 1e-12);
  const auto summary = hb::summarize(both, "a");
  EXPECT_NEAR(summary[0].worst_seed, 1.5, 1e-12);
  const auto table = hb::summary_table(summary, {}, true);
  EXPECT_EQ(table[0].back(), "worst seed");
  EXPECT_EQ(table[1].back(), "1.500 of its median");
  EXPECT_EQ(hb::summary_table(summary, {})[0].back(), "beyond the tolerance");
}

TEST(bench_partitioners, streaming_is_judged_by_fennel_on_every_row) {
  hb::method_summary one;
  one.method = "assign:buffered";
  one.rows = 2;
  one.cut = 0.5, one.wall = 7.9, one.worst_cut = 1;
  const auto verdict = [&] {
    return hb::summary_table({one}, hb::detail::promises_of_streaming)[1].back();
  };
  EXPECT_EQ(verdict(), "met");
  one.worst_cut = 1.01;
  EXPECT_EQ(verdict(), "NOT MET");
  one.worst_cut = 1, one.wall = 8.1;
  EXPECT_EQ(verdict(), "NOT MET");
}

TEST(bench_partitioners, methods_are_compared_by_geometric_means) {
  const auto all = hb::summarize(rows(), "a");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_NEAR(all[0].cut, 1, 1e-12);
  EXPECT_NEAR(all[1].cut, 1, 1e-12);   // sqrt(1/2 x 2)
  EXPECT_NEAR(all[1].wall, 4, 1e-12);  // sqrt(2 x 8)
  EXPECT_NEAR(all[1].worst_cut, 2, 1e-12);
  EXPECT_EQ(all[1].beyond, 1u);
}

TEST(bench_partitioners, a_failed_run_is_counted_and_compared_with_nothing) {
  auto all = rows();
  all[3].problem = "exit code 3";
  const auto summary = hb::summarize(all, "a");
  EXPECT_EQ(summary[1].failed, 1u);
  EXPECT_EQ(summary[1].rows, 1u);
  EXPECT_NEAR(summary[1].cut, 0.5, 1e-12);
  const auto cells = hb::cut_table(all, "a", false);
  EXPECT_EQ(cells[2].back(), "failed");
  EXPECT_EQ(hb::as_json(all[3]).at("problem"), "exit code 3");
}

TEST(bench_partitioners, the_table_has_the_reference_first_and_marks_imbalance) {
  const auto cells = hb::cut_table(rows(), "b", false);
  EXPECT_EQ(cells[0], (hb::text_row{"graph", "k", "b", "a"}));
  EXPECT_EQ(cells[1], (hb::text_row{"g", "8", "50 (2.00 s) [**0.0500**]", "100 (0.500)"}));
  EXPECT_EQ(hb::cut_table(rows(), "b", true)[1][3], "100 (0.500) [0.020]");
}

TEST(bench_partitioners, a_preset_is_judged_by_what_is_promised_of_it) {
  hb::method_summary one;
  one.method = "multilevel:balanced";
  one.rows = 12;
  one.cut = 0.9;
  one.wall = 1.2;
  one.worst_cut = 1.02;
  const auto verdict = [&] { return hb::summary_table({one}, hb::detail::promises)[1].back(); };
  EXPECT_EQ(verdict(), "met");
  one.cut = 0.8;
  one.wall = 0.8;
  EXPECT_EQ(verdict(), "met, and the aim");
  one.worst_cut = 1.03;
  EXPECT_EQ(verdict(), "NOT MET");
  one.worst_cut = 1;
  one.beyond = 1;
  EXPECT_EQ(verdict(), "NOT MET");
}

TEST(bench_partitioners, with_several_loads_each_row_counts_on_which_the_reference_keeps_them) {
  auto all = rows();
  EXPECT_NEAR(hb::summarize(all, "a")[1].worst_where_met, 2, 1e-12);
  all[2].met = false;  // "a" on "h"
  EXPECT_NEAR(hb::summarize(all, "a")[1].worst_where_met, 0.5, 1e-12);
  hb::method_summary one;
  one.method = "multilevel:balanced";
  one.rows = 10;
  one.cut = 0.8;
  one.wall = 2;
  one.worst_cut = 1.1;
  one.worst_where_met = 1;
  const auto line = [&] {
    return hb::summary_table({one}, hb::detail::promises_of_constraints)[1];
  };
  EXPECT_EQ(line()[line().size() - 3], "1 on each row where gpmetis meets it, 2");
  EXPECT_EQ(line().back(), "met");
  one.worst_where_met = 1.01;
  EXPECT_EQ(line().back(), "NOT MET");
  one.worst_where_met = 1;
  one.wall = 2.1;
  EXPECT_EQ(line().back(), "NOT MET");
  EXPECT_EQ(hb::summary_table({one}, {})[0].back(), "beyond the tolerance");
}

TEST(bench_partitioners, the_front_holds_what_nobody_beats_in_both) {
  const std::vector<hb::chart_mark> marks{{"slow", 4, 0.8},
                                          {"fast", 0.5, 1.2},
                                          {"beaten", 5, 0.9},
                                          {"unbalanced", 0.1, 0.1, false, "beyond the tolerance"},
                                          {"middle", 1, 1}};
  EXPECT_EQ(hb::pareto_front(marks), (std::vector<std::size_t>{1, 4, 0}));
}

/// Whether every tag is closed in order, and no text holds a bare special character.
bool well_formed(const std::string& xml) {
  std::vector<std::string> open;
  for (std::size_t at = 0; at < xml.size(); ++at) {
    if (xml[at] == '&' && xml.find(';', at) > at + 6) return false;
    if (xml[at] == '>') return false;
    if (xml[at] != '<') continue;
    const std::size_t end = xml.find('>', at);
    if (end == std::string::npos) return false;
    const std::string tag = xml.substr(at + 1, end - at - 1);
    if (tag.find('<') != std::string::npos) return false;
    const std::string name = tag.substr(tag[0] == '/' ? 1 : 0,
                                        tag.find_first_of(" \n") - (tag[0] == '/' ? 1 : 0));
    if (tag[0] == '/') {
      if (open.empty() || open.back() != tag.substr(1)) return false;
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(name);
    }
    at = end;
  }
  return open.empty();
}

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t out = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
    ++out;
  return out;
}

TEST(bench_partitioners, the_chart_shows_every_mark_and_fades_the_unbalanced) {
  EXPECT_FALSE(well_formed("<a><b></a></b>"));
  EXPECT_FALSE(well_formed("<a>1 > 0</a>"));
  const std::vector<hb::chart_mark> marks{{"ours & <fast>", 0.5, 0.9, true},
                                          {"reference", 1, 1},
                                          {"unbalanced", 2, 0.8, true, "beyond the tolerance"},
                                          {"far", 0.1, 900, true}};
  const auto svg = hb::draw_chart(marks, "Cut & time", "a < b", "reference");
  EXPECT_TRUE(well_formed(svg)) << svg;
  EXPECT_EQ(count(svg, "<circle"), 3u);
  EXPECT_EQ(count(svg, "class=\"peer\""), 1u);
  EXPECT_EQ(count(svg, "<g class=\"faded\""), 1u);
  EXPECT_NE(svg.find(">unbalanced (beyond the tolerance)<"), std::string::npos);
  EXPECT_NE(svg.find("prefers-color-scheme: dark"), std::string::npos);
  EXPECT_EQ(count(svg, "nan"), 0u);
  EXPECT_EQ(count(svg, "inf"), 0u);
  EXPECT_TRUE(well_formed(hb::draw_chart({{"alone", 1, 1}}, "", "", "alone")));
}

TEST(bench_partitioners, a_process_is_measured_and_its_failure_is_told) {
  const std::string log = testing::TempDir() + "halograph_process.log";
  const auto run = [&](const std::string& script, double seconds = 60) {
    return hb::run_measured({"sh", "-c", script}, testing::TempDir(), log, seconds);
  };
  const auto good = run("sleep 0.05; pwd");
  EXPECT_EQ(good.problem, "");
  EXPECT_GE(good.wall, 0.05);
  EXPECT_GT(good.peak_bytes, 100000u);
  EXPECT_TRUE(std::filesystem::equivalent(hb::last_line(log), testing::TempDir()));
  EXPECT_EQ(run("echo no such graph >&2; exit 3").problem, "exit code 3: no such graph");
  EXPECT_EQ(run("kill -9 $$").problem, "ended by signal 9");
  EXPECT_EQ(run("exec sleep 60", 0.1).problem, "not done after 0 s");
  EXPECT_NE(hb::run_measured({"/no/such/program"}, ".", log, 1).problem.find("cannot start"),
            std::string::npos);
}

}  // namespace
