// SPDX-License-Identifier: BSL-1.0
/// @file table.hpp
/// Results as a table: what was measured, its yardstick, and whether the promise is kept. Text,
/// Markdown, JSON. Part of the benchmarks, not of the library.
#pragma once

#include "words.hpp"
#include "yardsticks.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace halograph::bench {

/// One promise, on one graph.
struct target_row {
  std::string step{};
  std::string graph{};
  std::string measured{};   ///< in words: "0.41 s"
  std::string yardstick{};  ///< in words: "cp -r 0.20 s"
  double value = 0;         ///< measured divided by yardstick, or another judged value
  std::string unit{"x"};
  double must = 0;
  std::optional<double> aim{};  ///< none: must is the only limit
  bool at_least = false;        ///< false: value is to be at most must
  std::string unjudged{};       ///< why there is no verdict, or ""

  bool keeps(double limit) const { return at_least ? value >= limit : value <= limit; }
  std::string verdict() const {
    if (!unjudged.empty()) return "- (" + unjudged + ")";
    if (!keeps(must)) return "NOT MET";
    return aim && keeps(*aim) ? "met, and the aim" : "met";
  }
  /// Distance from the limit: above 1 the promise is not kept.
  double strain() const { return at_least ? must / value : value / must; }
};

using text_row = std::vector<std::string>;

/// Columns aligned by blanks, a rule under the first row.
inline std::string as_text(const std::vector<text_row>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string out;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::string line;
    for (std::size_t i = 0; i < rows[r].size(); ++i) {
      line += rows[r][i] + std::string(widths[i] - rows[r][i].size() + 2, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
    if (r == 0) {
      std::size_t width = 0;
      for (const std::size_t one : widths) width += one + 2;
      out += std::string(width - 2, '-') + "\n";
    }
  }
  return out;
}

inline std::string as_markdown(const std::vector<text_row>& rows) {
  std::string out;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    out += "|";
    for (const auto& cell : rows[r]) {
      out += " ";
      for (const char c : cell) out += c == '|' ? std::string("\\|") : std::string(1, c);
      out += " |";
    }
    out += "\n";
    if (r != 0) continue;
    out += "|";
    for (std::size_t i = 0; i < rows[r].size(); ++i) out += " --- |";
    out += "\n";
  }
  return out;
}

inline text_row cells(const target_row& row) {
  const std::string bound = row.at_least ? ">= " : "<= ";
  return {row.step,
          row.graph,
          row.measured,
          row.yardstick,
          row.value == 0 ? "" : digits(row.value) + " " + row.unit,
          bound + digits(row.must),
          row.aim ? bound + digits(*row.aim) : "",
          row.verdict()};
}

inline std::vector<text_row> table_of(const std::vector<target_row>& rows) {
  std::vector<text_row> out{
      {"step", "graph", "measured", "yardstick", "result", "must", "aim", "verdict"}};
  for (const auto& row : rows) out.push_back(cells(row));
  return out;
}

/// For each step the graph that comes closest to missing the promise, or misses it most; steps keep
/// their order, and unjudged rows are used if there are no others.
inline std::vector<target_row> worst_of_each_step(const std::vector<target_row>& rows) {
  std::vector<target_row> out;
  for (const auto& row : rows) {
    const auto same = std::find_if(out.begin(), out.end(),
                                   [&](const target_row& other) { return other.step == row.step; });
    if (same == out.end()) {
      out.push_back(row);
    } else if (same->unjudged.empty() == row.unjudged.empty() ? row.strain() > same->strain()
                                                              : row.unjudged.empty()) {
      *same = row;
    }
  }
  return out;
}

/// The table of worst_of_each_step(), saying on how many graphs each promise is kept.
inline std::vector<text_row> summary_of(const std::vector<target_row>& rows) {
  auto out = table_of(worst_of_each_step(rows));
  for (std::size_t i = 1; i < out.size(); ++i) {
    std::size_t judged = 0, kept = 0;
    for (const auto& row : rows) {
      if (row.step != out[i][0] || !row.unjudged.empty()) continue;
      ++judged;
      if (row.keeps(row.must)) ++kept;
    }
    if (judged > 1)
      out[i].back() += "; " + std::to_string(kept) + " of " + std::to_string(judged) +
                       " graphs meet it";
  }
  return out;
}

inline nlohmann::ordered_json as_json(const target_row& row) {
  nlohmann::ordered_json out{{"step", row.step},         {"graph", row.graph},
                             {"measured", row.measured}, {"yardstick", row.yardstick},
                             {"value", row.value},       {"unit", row.unit},
                             {"must", row.must}};
  if (row.aim) out["aim"] = *row.aim;
  out["at_least"] = row.at_least;
  if (row.unjudged.empty())
    out["met"] = row.keeps(row.must);
  else
    out["unjudged"] = row.unjudged;
  return out;
}

inline nlohmann::ordered_json as_json(const machine& here) {
  return {{"processor", here.processor},       {"cores", here.cores},
          {"memory_bytes", here.memory_bytes}, {"system", here.system},
          {"compiler", here.compiler},         {"flags", here.flags},
          {"processor_share", here.share}};
}

}  // namespace halograph::bench
