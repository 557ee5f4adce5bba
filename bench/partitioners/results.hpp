// SPDX-License-Identifier: BSL-1.0
/// @file results.hpp
/// What was measured of each method on each graph, and its summary relative to a reference.
/// Part of the benchmarks, not of the library.
#pragma once

#include "../picture.hpp"
#include "../table.hpp"
#include "../words.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph::bench {

/// A method on a graph with a number of parts: medians over its runs.
struct measured_row {
  std::string graph{};
  std::uint64_t parts = 0;
  std::string method{};
  std::size_t threads = 1;
  std::string problem{};  ///< why there are no figures, or ""
  double cut = 0, volume = 0, replication = 0, wall = 0, peak_bytes = 0;
  double reading = 0;        ///< seconds of `wall` before the method begins; 0: unknown
  double imbalance = 0;      ///< the largest of all loads and runs
  double worst_seed = 0;     ///< the largest cut of all runs relative to the median; 0: one run
  bool met = true;           ///< every load within the tolerance, in every run
  double remote_bytes = -1;  ///< per batch of `simulate`; below 0: not asked for
  nlohmann::ordered_json runs = nlohmann::ordered_json::array();

  /// Fill the medians from `runs`.
  void close();
};

/// A method over all rows: geometric means relative to the reference.
struct method_summary {
  std::string method{};
  std::size_t threads = 1, rows = 0, failed = 0, beyond = 0;
  double cut = 0, volume = 0, wall = 0, memory = 0;
  double worst_cut = 0;        ///< largest cut relative to the reference
  double worst_where_met = 0;  ///< the same, of the rows on which the reference meets the tolerance
  double imbalance = 0;        ///< the largest
  double worst_seed = 0;  ///< of all rows, the largest cut of a run relative to the row's median
  double reading = 0;     ///< mean share of the time that is reading; 0: unknown
};

namespace detail {

inline double median(const nlohmann::ordered_json& runs, const char* member) {
  std::vector<double> values;
  for (const auto& run : runs) values.push_back(run.value(member, 0.0));
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

/// A whole number with separators: 1,234,567.
inline std::string whole(double value) {
  std::string out = std::to_string(static_cast<std::uint64_t>(value + 0.5));
  for (auto i = static_cast<std::ptrdiff_t>(out.size()) - 3; i > 0; i -= 3)
    out.insert(static_cast<std::size_t>(i), ",");
  return out;
}
inline std::string fixed(double value, int places) {
  char out[64];
  std::snprintf(out, sizeof out, "%.*f", places, value);
  return out;
}
inline std::string ratio(double value) {
  return value >= 10 ? digits(value) : fixed(value, value < 2 ? 3 : 2);
}

inline const measured_row* find(const std::vector<measured_row>& rows, const measured_row& like,
                                const std::string& method) {
  for (const auto& row : rows) {
    if (row.graph == like.graph && row.parts == like.parts && row.method == method) return &row;
  }
  return nullptr;
}

template <class F>
std::vector<std::string> distinct(const std::vector<measured_row>& rows, const F& of) {
  std::vector<std::string> out;
  for (const auto& row : rows) {
    if (std::find(out.begin(), out.end(), of(row)) == out.end()) out.push_back(of(row));
  }
  return out;
}

/// What is promised of a method relative to the reference: cut and time, the cut of its worst row,
/// and of the worst row on which gpmetis meets the tolerance. 0: nothing.
struct promise {
  std::string_view method;
  double must_cut, must_time, must_worst, aim_cut, aim_time, must_where_met = 0;

  bool must_holds(const method_summary& one) const {
    const auto holds = [](double value, double most) { return most == 0 || value <= most; };
    return holds(one.cut, must_cut) && holds(one.wall, must_time) &&
           holds(one.worst_cut, must_worst) && holds(one.worst_where_met, must_where_met);
  }
  bool aim_holds(const method_summary& one) const {
    return aim_cut != 0 && one.cut <= aim_cut && one.wall <= aim_time;
  }
  std::string must() const {
    if (must_where_met != 0)
      return number(must_where_met) + " on each row where gpmetis meets it, " + number(must_time);
    return number(must_cut) + ", " + number(must_time) +
           (must_worst == 0 ? std::string() : "; worst " + number(must_worst));
  }
  std::string aim() const {
    return aim_cut == 0 ? std::string() : number(aim_cut) + ", " + number(aim_time);
  }
};
inline constexpr promise promises[]{{"multilevel:fast", 0.97, 0.7, 0, 0.94, 0.4},
                                    {"multilevel:balanced", 0.9, 1.2, 1.02, 0.82, 0.8},
                                    {"multilevel:strong", 0.83, 6, 0, 0.78, 4}};
inline constexpr promise promises_of_constraints[]{{"multilevel:balanced", 0, 2, 0, 0, 0, 1}};
/// Relative to Fennel.
inline constexpr promise promises_of_streaming[]{{"assign:buffered", 1, 8, 1, 0, 0}};

}  // namespace detail

inline void measured_row::close() {
  cut = detail::median(runs, "cut");
  volume = detail::median(runs, "volume");
  replication = detail::median(runs, "replication_factor");
  wall = detail::median(runs, "wall_seconds");
  peak_bytes = detail::median(runs, "peak_bytes");
  reading = detail::median(runs, "reading_seconds");
  for (const auto& run : runs) {
    imbalance = std::max(imbalance, run.value("largest_imbalance", 0.0));
    met = met && run.value("met", true);
    if (runs.size() > 1)
      worst_seed = std::max(worst_seed, run.value("cut", 0.0) / std::max(cut, 1.0));
  }
}

inline std::vector<method_summary> summarize(const std::vector<measured_row>& rows,
                                             const std::string& reference) {
  std::vector<method_summary> out;
  for (const auto& name : detail::distinct(rows, [](const auto& row) { return row.method; })) {
    method_summary one;
    one.method = name;
    double cut = 0, volume = 0, wall = 0, memory = 0, reading = 0;
    const auto log_of = [](double a, double b) {
      return std::log(std::max(a, 1e-9) / std::max(b, 1e-9));
    };
    for (const auto& row : rows) {
      if (row.method != name) continue;
      one.threads = row.threads;
      if (!row.problem.empty()) {
        ++one.failed;
        continue;
      }
      one.imbalance = std::max(one.imbalance, row.imbalance);
      one.worst_seed = std::max(one.worst_seed, row.worst_seed);
      one.beyond += row.met ? 0u : 1u;
      const auto* to = detail::find(rows, row, reference);
      if (to == nullptr || !to->problem.empty()) continue;
      ++one.rows;
      cut += log_of(std::max(row.cut, 1.0), std::max(to->cut, 1.0));
      volume += log_of(std::max(row.volume, 1.0), std::max(to->volume, 1.0));
      wall += log_of(row.wall, to->wall);
      memory += log_of(row.peak_bytes, to->peak_bytes);
      reading += row.wall > 0 ? row.reading / row.wall : 0;
      const double relative = std::max(row.cut, 1.0) / std::max(to->cut, 1.0);
      one.worst_cut = std::max(one.worst_cut, relative);
      if (to->met) one.worst_where_met = std::max(one.worst_where_met, relative);
    }
    if (one.rows != 0) {
      const auto count = static_cast<double>(one.rows);
      one.cut = std::exp(cut / count);
      one.volume = std::exp(volume / count);
      one.wall = std::exp(wall / count);
      one.memory = std::exp(memory / count);
      one.reading = reading / count;
    }
    out.push_back(one);
  }
  return out;
}

/// A line for each method. @param promises  what is promised of some of them, or empty
/// @param seeds  runs differ in their seeds: a column for the worst of them
inline std::vector<text_row> summary_table(const std::vector<method_summary>& all,
                                           std::span<const detail::promise> promises,
                                           bool seeds = false) {
  std::vector<text_row> out{{"method", "threads", "cut", "time", "memory", "volume", "worst cut",
                             "largest imbalance", "beyond the tolerance"}};
  if (seeds) out[0].push_back("worst seed");
  if (!promises.empty()) out[0].insert(out[0].end(), {"must", "aim", "verdict"});
  for (const auto& one : all) {
    text_row row{one.method, std::to_string(one.threads)};
    if (one.rows == 0) {
      row.insert(row.end(), {"failed", "", "", "", "", "", ""});
    } else {
      row.insert(
          row.end(),
          {detail::ratio(one.cut), detail::ratio(one.wall), detail::ratio(one.memory),
           detail::ratio(one.volume), detail::ratio(one.worst_cut), detail::fixed(one.imbalance, 3),
           std::to_string(one.beyond) + " of " + std::to_string(one.rows) +
               (one.failed == 0 ? std::string() : ", " + std::to_string(one.failed) + " failed")});
    }
    if (seeds)
      row.push_back(one.rows == 0 ? std::string()
                                  : detail::ratio(one.worst_seed) + " of its median");
    if (!promises.empty()) {
      const auto found = std::find_if(promises.begin(), promises.end(),
                                      [&](const auto& p) { return p.method == one.method; });
      if (found == promises.end() || one.rows == 0)
        row.insert(row.end(), {"", "", ""});
      else
        row.insert(row.end(),
                   {found->must(), found->aim(),
                    one.beyond != 0 || one.failed != 0 || !found->must_holds(one) ? "NOT MET"
                    : found->aim_holds(one) ? "met, and the aim"
                                            : "met"});
    }
    out.push_back(std::move(row));
  }
  return out;
}

/// A line for each graph and number of parts, a column for each method: the cut; in brackets the
/// time relative to the reference, whose own is in seconds; the imbalance where it is beyond the
/// tolerance, or everywhere.
inline std::vector<text_row> cut_table(const std::vector<measured_row>& rows,
                                       const std::string& reference, bool every_imbalance) {
  auto methods = detail::distinct(rows, [](const auto& row) { return row.method; });
  // The reference first.
  std::stable_partition(methods.begin(), methods.end(),
                        [&](const auto& name) { return name == reference; });
  std::vector<text_row> out{{"graph", "k"}};
  out[0].insert(out[0].end(), methods.begin(), methods.end());
  std::vector<std::pair<std::string, std::uint64_t>> seen;
  for (const auto& row : rows) {
    const std::pair key(row.graph, row.parts);
    if (std::find(seen.begin(), seen.end(), key) != seen.end()) continue;
    text_row line{seen.empty() || seen.back().first != row.graph ? row.graph : "",
                  std::to_string(row.parts)};
    seen.push_back(key);
    const auto* to = detail::find(rows, row, reference);
    for (const auto& name : methods) {
      const auto* one = detail::find(rows, row, name);
      if (one == nullptr || !one->problem.empty()) {
        line.emplace_back(one == nullptr ? "" : "failed");
        continue;
      }
      std::string cell = detail::whole(one->cut);
      if (one == to || to == nullptr || !to->problem.empty())
        cell += " (" + human_seconds(one->wall) + ")";
      else
        cell += " (" + digits(one->wall / to->wall) + ")";
      if (!one->met)
        cell += " [**" + detail::fixed(one->imbalance, 4) + "**]";
      else if (every_imbalance)
        cell += " [" + detail::fixed(one->imbalance, 3) + "]";
      line.push_back(std::move(cell));
    }
    out.push_back(std::move(line));
  }
  return out;
}

/// A line for each measurement, with everything.
inline std::vector<text_row> full_table(const std::vector<measured_row>& rows) {
  const bool remote = std::any_of(rows.begin(), rows.end(),
                                  [](const auto& row) { return row.remote_bytes >= 0; });
  std::vector<text_row> out{{"graph", "k", "method", "threads", "cut", "volume", "replication",
                             "imbalance", "time", "reading", "memory"}};
  if (remote) out[0].push_back("remote bytes a batch");
  for (const auto& row : rows) {
    text_row line{row.graph, std::to_string(row.parts), row.method, std::to_string(row.threads)};
    if (!row.problem.empty()) {
      line.push_back("failed: " + row.problem);
      line.resize(out[0].size());
    } else {
      line.insert(
          line.end(),
          {detail::whole(row.cut), detail::whole(row.volume), detail::fixed(row.replication, 3),
           detail::fixed(row.imbalance, 3) + (row.met ? "" : " !"), human_seconds(row.wall),
           row.reading > 0 ? human_seconds(row.reading) : "", human_size(row.peak_bytes)});
      if (remote) line.push_back(row.remote_bytes >= 0 ? human_size(row.remote_bytes) : "");
    }
    out.push_back(std::move(line));
  }
  return out;
}

inline nlohmann::ordered_json as_json(const measured_row& row) {
  nlohmann::ordered_json out{
      {"graph", row.graph}, {"parts", row.parts}, {"method", row.method}, {"threads", row.threads}};
  if (!row.problem.empty()) {
    out["problem"] = row.problem;
    return out;
  }
  out["cut"] = row.cut;
  out["volume"] = row.volume;
  out["replication_factor"] = row.replication;
  out["largest_imbalance"] = row.imbalance;
  out["met"] = row.met;
  out["wall_seconds"] = row.wall;
  out["peak_bytes"] = row.peak_bytes;
  if (row.worst_seed > 0) out["worst_run_relative_to_median"] = row.worst_seed;
  if (row.reading > 0) out["reading_seconds"] = row.reading;
  if (row.remote_bytes >= 0) out["remote_bytes_per_batch"] = row.remote_bytes;
  out["runs"] = row.runs;
  return out;
}

inline nlohmann::ordered_json as_json(const method_summary& one) {
  return {{"method", one.method},
          {"threads", one.threads},
          {"rows", one.rows},
          {"failed", one.failed},
          {"beyond_tolerance", one.beyond},
          {"cut", one.cut},
          {"wall", one.wall},
          {"memory", one.memory},
          {"volume", one.volume},
          {"worst_cut", one.worst_cut},
          {"worst_cut_where_met", one.worst_where_met},
          {"largest_imbalance", one.imbalance},
          {"worst_run_relative_to_median", one.worst_seed},
          {"reading_share", one.reading}};
}

}  // namespace halograph::bench
