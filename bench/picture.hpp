// SPDX-License-Identifier: BSL-1.0
/// @file picture.hpp
/// Curves as SVG: memory over time with its steps, cost over size.
/// Part of the benchmarks, not of the library.
#pragma once

#include "measure.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph::bench {

/// A line through points.
struct curve {
  std::string name{};
  std::vector<std::pair<double, double>> points{};
};

/// A stretch of the x axis with a name.
struct band {
  double from = 0, to = 0;
  std::string name{};
};

/// One diagram of a picture.
struct diagram {
  std::string title{};
  std::string x_name{}, y_name{};
  std::vector<curve> curves{};
  std::vector<band> bands{};
  bool powers_of_two = false;  ///< x is a logarithm and is written as 2^x
};

namespace detail {

inline std::string number(double value) {
  char out[32];
  std::snprintf(out, sizeof out, "%.6g", value);
  return out;
}
inline std::string place(double value) {
  char out[32];
  std::snprintf(out, sizeof out, "%.2f", value);
  return out;
}
inline std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

/// 1, 2 or 5 times a power of ten, so that about five steps reach `range`.
inline double tick_step(double range) {
  if (!(range > 0)) return 1;
  const double raw = range / 5, power = std::pow(10.0, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= raw) return factor * power;
  }
  return 10 * power;
}

}  // namespace detail

/// The diagrams below each other. Y axes begin at 0.
inline std::string draw(const std::vector<diagram>& diagrams) {
  using namespace detail;
  constexpr double width = 860, height = 260, left = 70, right = 170, top = 34, bottom = 46;
  constexpr double plot_width = width - left - right, plot_height = height - top - bottom;
  constexpr std::array<std::string_view, 6> colors{"#1b6ca8", "#c8553d", "#3a7d44",
                                                   "#7b4b94", "#b58900", "#555555"};
  std::string out =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + number(width) + "\" height=\"" +
      number(height * static_cast<double>(std::max<std::size_t>(1, diagrams.size()))) +
      "\" font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
  const auto text = [&](double x, double y, std::string_view anchor, std::string_view what,
                        std::string_view more = {}) {
    out += "<text x=\"" + place(x) + "\" y=\"" + place(y) + "\" text-anchor=\"" +
           std::string(anchor) + "\"" + std::string(more) + ">" + escaped(what) + "</text>\n";
  };
  for (std::size_t d = 0; d < diagrams.size(); ++d) {
    const diagram& one = diagrams[d];
    double low = 0, high = 0, most = 0;
    bool any = false;
    const auto meet_x = [&](double x) {
      low = any ? std::min(low, x) : x;
      high = any ? std::max(high, x) : x;
      any = true;
    };
    for (const auto& line : one.curves) {
      for (const auto& [x, y] : line.points) {
        meet_x(x);
        most = std::max(most, y);
      }
    }
    for (const auto& stretch : one.bands) {
      meet_x(stretch.from);
      meet_x(stretch.to);
    }
    if (!(high > low)) high = low + 1;
    if (!(most > 0)) most = 1;
    const double step = tick_step(most), roof = std::ceil(most / step) * step;
    const auto x_at = [&](double x) { return left + (x - low) / (high - low) * plot_width; };
    const auto y_at = [&](double y) { return top + (1 - y / roof) * plot_height; };

    out += "<g transform=\"translate(0 " + place(height * static_cast<double>(d)) + ")\">\n";
    text(left, 20, "start", one.title, " font-weight=\"bold\"");
    for (std::size_t i = 0; i < one.bands.size(); ++i) {
      const auto& stretch = one.bands[i];
      out += "<rect x=\"" + place(x_at(stretch.from)) + "\" y=\"" + place(top) + "\" width=\"" +
             place(x_at(stretch.to) - x_at(stretch.from)) + "\" height=\"" + place(plot_height) +
             "\" fill=\"" + (i % 2 == 0 ? "#eef3f8" : "#f8f1e7") + "\"/>\n";
      if (x_at(stretch.to) - x_at(stretch.from) > 8.0 * static_cast<double>(stretch.name.size())) {
        text((x_at(stretch.from) + x_at(stretch.to)) / 2, top + 14, "middle", stretch.name,
             " fill=\"#666\"");
      }
    }
    for (double y = 0; y <= roof * 1.0001; y += step) {
      out += "<line x1=\"" + place(left) + "\" x2=\"" + place(left + plot_width) + "\" y1=\"" +
             place(y_at(y)) + "\" y2=\"" + place(y_at(y)) + "\" stroke=\"#ddd\"/>\n";
      text(left - 6, y_at(y) + 4, "end", number(y));
    }
    const double x_step = one.powers_of_two ? std::max(1.0, tick_step(high - low))
                                            : tick_step(high - low);
    for (double x = std::ceil(low / x_step) * x_step; x <= high + x_step * 1e-6; x += x_step) {
      text(x_at(x), top + plot_height + 16, "middle",
           std::string(one.powers_of_two ? "2^" : "") + number(x));
    }
    text(left + plot_width / 2, height - 12, "middle", one.x_name);
    text(0, 0, "middle", one.y_name,
         " transform=\"translate(16 " + place(top + plot_height / 2) + ") rotate(-90)\"");
    for (std::size_t i = 0; i < one.curves.size(); ++i) {
      const auto color = std::string(colors[i % colors.size()]);
      std::string line;
      for (const auto& [x, y] : one.curves[i].points)
        line += (line.empty() ? "" : " ") + place(x_at(x)) + "," + place(y_at(y));
      out += "<polyline fill=\"none\" stroke=\"" + color + "\" stroke-width=\"1.8\" points=\"" +
             line + "\"/>\n";
      if (one.curves[i].points.size() <= 32) {
        for (const auto& [x, y] : one.curves[i].points) {
          out += "<circle cx=\"" + place(x_at(x)) + "\" cy=\"" + place(y_at(y)) +
                 "\" r=\"2.6\" fill=\"" + color + "\"/>\n";
        }
      }
      text(left + plot_width + 12, top + 12 + 18 * static_cast<double>(i), "start",
           one.curves[i].name, " fill=\"" + color + "\"");
    }
    out += "</g>\n";
  }
  return out + "</svg>\n";
}

/// Memory over the time of one run, with its steps.
inline diagram memory_over_time(std::string title, const memory_watch& watch) {
  diagram out{.title = std::move(title),
              .x_name = "seconds",
              .y_name = "MB over the input",
              .curves = {},
              .bands = {}};
  // One point for each pixel of the width: the maximum of its stretch.
  constexpr std::size_t points = 500;
  curve line{"anonymous memory", {}};
  const auto& all = watch.samples();
  const std::size_t step = std::max<std::size_t>(1, all.size() / points);
  for (std::size_t i = 0; i < all.size(); i += step) {
    const auto most = *std::max_element(
        all.begin() + static_cast<std::ptrdiff_t>(i),
        all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), i + step)),
        [](const auto& a, const auto& b) { return a.bytes < b.bytes; });
    line.points.emplace_back(most.seconds, static_cast<double>(most.bytes) / 1e6);
  }
  out.curves.push_back(std::move(line));
  for (std::size_t i = 0; i < watch.marks().size(); ++i) {
    const double to = i + 1 < watch.marks().size() ? watch.marks()[i + 1].seconds
                                                   : watch.duration();
    out.bands.push_back({watch.marks()[i].seconds, to, watch.marks()[i].step});
  }
  return out;
}

}  // namespace halograph::bench
