// SPDX-License-Identifier: BSL-1.0
/// @file chart.hpp
/// Cut against time as SVG: one mark for each method, the Pareto front drawn, marks beyond the
/// tolerance or without all rows faded. Readable on light and dark pages; text stays text.
/// Part of the benchmarks, not of the library.
#pragma once

#include "../picture.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

namespace halograph::bench {

/// A method in the chart. Both coordinates are relative to a reference and above 0.
struct chart_mark {
  std::string name{};
  double time = 1, cut = 1;
  bool ours = false;
  std::string fault{};  ///< "": none; else the mark is faded, and not part of the front
};

/// Marks of which none is both faster and cuts less, by time; faded ones are left out.
inline std::vector<std::size_t> pareto_front(const std::vector<chart_mark>& marks) {
  std::vector<std::size_t> order, out;
  for (std::size_t i = 0; i < marks.size(); ++i) {
    if (marks[i].fault.empty()) order.push_back(i);
  }
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(marks[a].time, marks[a].cut) < std::pair(marks[b].time, marks[b].cut);
  });
  for (const std::size_t i : order) {
    if (out.empty() || marks[i].cut < marks[out.back()].cut) out.push_back(i);
  }
  return out;
}

namespace detail {

/// A logarithmic axis whose upper values, above `knee`, get a band of their own at the far end.
struct broken_axis {
  double low = 1, knee = 1, high = 1;
  double from = 0, bend = 0, to = 0;  ///< places of low, knee and high

  double at(double value) const {
    if (value <= knee) return from + (bend - from) * std::log(value / low) / std::log(knee / low);
    const double begin = bend + (to > from ? 14 : -14);  // the gap of the break
    return begin + (to - begin) * std::log(value / knee) / std::log(high / knee);
  }
};

struct box {
  double left = 0, top = 0, right = 0, bottom = 0;
  bool meets(const box& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
};

}  // namespace detail

/// @param title, note  of the picture, above it
inline std::string draw_chart(const std::vector<chart_mark>& marks, const std::string& title,
                              const std::string& note, const std::string& reference) {
  using namespace detail;
  constexpr double width = 860, height = 520, left = 66, right = 30, top = 64, bottom = 56;
  constexpr double plot_right = width - right, plot_bottom = height - bottom;
  double fastest = 1, slowest = 1, least = 1, near = 1, most = 1;
  for (const auto& one : marks) {
    fastest = std::min(fastest, one.time);
    slowest = std::max(slowest, one.time);
    least = std::min(least, one.cut);
    most = std::max(most, one.cut);
    if (one.cut <= 1.6) near = std::max(near, one.cut);
  }
  const double x_low = fastest / 1.3, x_high = slowest * 1.9;
  const auto x_at = [&](double time) {
    return left + (plot_right - left) * std::log(time / x_low) / std::log(x_high / x_low);
  };
  const bool broken = most > 1.6;
  broken_axis y;
  y.low = std::min(0.97, least * 0.96);
  y.knee = std::max(1.06, near * 1.04);
  y.high = broken ? most * 1.3 : y.knee * 1.0001;
  y.from = plot_bottom;
  y.bend = broken ? top + 110 : top;
  y.to = top;
  const auto y_at = [&](double cut) { return y.at(cut); };

  std::string out =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + number(width) + " " +
      number(height) + "\" width=\"" + number(width) + "\" height=\"" + number(height) +
      "\" font-family=\"sans-serif\" font-size=\"12\" role=\"img\" aria-labelledby=\"title "
      "desc\">\n<title id=\"title\">" +
      escaped(title) + "</title>\n<desc id=\"desc\">" + escaped(note) + "</desc>\n" +
      "<style>\n"
      ".paper{fill:#ffffff} .ink{fill:#1f2328} .soft{fill:#59636e} .grid{stroke:#d8dee4} "
      ".axis{stroke:#818b98}\n"
      ".ours{fill:#0969da;stroke:#0969da} .peer{fill:#ffffff;stroke:#bc4c00} "
      ".front{stroke:#818b98;fill:none}\n"
      ".faded{opacity:0.45}\n"
      "@media (prefers-color-scheme: dark){\n"
      ".paper{fill:#0d1117} .ink{fill:#e6edf3} .soft{fill:#9198a1} .grid{stroke:#262c36} "
      ".axis{stroke:#656c76}\n"
      ".ours{fill:#4493f8;stroke:#4493f8} .peer{fill:#0d1117;stroke:#f0883e} "
      ".front{stroke:#656c76}\n"
      "}\n</style>\n<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n";
  const auto text = [&](double x, double at, std::string_view anchor, std::string_view kind,
                        std::string_view what, std::string_view more = {}) {
    out += "<text class=\"" + std::string(kind) + "\" x=\"" + place(x) + "\" y=\"" + place(at) +
           "\" text-anchor=\"" + std::string(anchor) + "\"" + std::string(more) + ">" +
           escaped(what) + "</text>\n";
  };
  const auto line = [&](double x1, double y1, double x2, double y2, std::string_view kind) {
    out += "<line class=\"" + std::string(kind) + "\" x1=\"" + place(x1) + "\" y1=\"" + place(y1) +
           "\" x2=\"" + place(x2) + "\" y2=\"" + place(y2) + "\"/>\n";
  };
  text(left, 24, "start", "ink", title, " font-size=\"15\" font-weight=\"bold\"");
  text(left, 44, "start", "soft", note);

  // Axes.
  for (const double value :
       {0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0}) {
    if (value < x_low || value > x_high) continue;
    line(x_at(value), top, x_at(value), plot_bottom, "grid");
    text(x_at(value), plot_bottom + 17, "middle", "soft", number(value));
  }
  const double step = y.knee - y.low > 0.45 ? 0.1 : 0.05;
  for (double value = std::ceil(y.low / step) * step; value <= y.knee; value += step) {
    line(left, y_at(value), plot_right, y_at(value), "grid");
    text(left - 8, y_at(value) + 4, "end", "soft", number(std::round(value * 100) / 100));
  }
  if (broken) {
    for (const double value : {2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0}) {
      if (value <= y.knee * 1.1 || value > y.high) continue;
      line(left, y_at(value), plot_right, y_at(value), "grid");
      text(left - 8, y_at(value) + 4, "end", "soft", number(value));
    }
    line(left, y.bend, plot_right, y.bend, "axis");
    line(left, y.bend - 14, plot_right, y.bend - 14, "axis");
  }
  line(left, plot_bottom, plot_right, plot_bottom, "axis");
  text((left + plot_right) / 2, height - 14, "middle", "ink",
       "wall time relative to " + reference + " (logarithmic; left is better)");
  text(0, 0, "middle", "ink", "cut edges relative to " + reference + " (lower is better)",
       " transform=\"translate(18 " + place((top + plot_bottom) / 2) + ") rotate(-90)\"");

  // The front: steps, since nothing between two marks was measured.
  const auto front = pareto_front(marks);
  std::string path;
  for (std::size_t i = 0; i < front.size(); ++i) {
    const auto& one = marks[front[i]];
    path += path.empty() ? "M" + place(x_at(one.time)) + " " + place(y_at(one.cut))
                         : " H" + place(x_at(one.time)) + " V" + place(y_at(one.cut));
  }
  if (front.size() > 1)
    out += "<path class=\"front\" stroke-width=\"1.5\" stroke-dasharray=\"5 4\" d=\"" + path +
           "\"/>\n";

  // Marks, then their names where there is room.
  std::vector<box> taken;
  for (const auto& one : marks) {
    const double x = x_at(one.time), at = y_at(one.cut);
    taken.push_back({x - 6, at - 6, x + 6, at + 6});
    out += "<g" + std::string(one.fault.empty() ? "" : " class=\"faded\"") + "><title>" +
           escaped(one.name) + ": cut " + number(std::round(one.cut * 1000) / 1000) + ", time " +
           number(std::round(one.time * 1000) / 1000) +
           (one.fault.empty() ? "" : ", " + one.fault) + "</title>";
    if (one.ours)
      out += "<circle class=\"ours\" cx=\"" + place(x) + "\" cy=\"" + place(at) + "\" r=\"5\"/>";
    else
      out += "<rect class=\"peer\" stroke-width=\"2\" x=\"" + place(x - 4.5) + "\" y=\"" +
             place(at - 4.5) + "\" width=\"9\" height=\"9\"/>";
    out += "</g>\n";
  }
  for (const auto& one : marks) {
    const std::string name = one.name + (one.fault.empty() ? "" : " (" + one.fault + ")");
    const double x = x_at(one.time), at = y_at(one.cut);
    const double wide = 6.4 * static_cast<double>(name.size());
    struct offset {
      double x, y;
      std::string_view anchor;
    };
    static constexpr std::array<offset, 12> places{{{10, 4, "start"},
                                                    {-10, 4, "end"},
                                                    {0, -11, "middle"},
                                                    {0, 21, "middle"},
                                                    {9, -10, "start"},
                                                    {9, 19, "start"},
                                                    {-9, -10, "end"},
                                                    {-9, 19, "end"},
                                                    {9, 34, "start"},
                                                    {9, -25, "start"},
                                                    {-9, 34, "end"},
                                                    {9, 49, "start"}}};
    const auto box_of = [&](const offset& o) {
      const double begin = o.anchor == "start" ? x + o.x
                           : o.anchor == "end" ? x + o.x - wide
                                               : x + o.x - wide / 2;
      return box{begin, at + o.y - 10, begin + wide, at + o.y + 3};
    };
    const offset* chosen = &places[0];
    for (const auto& o : places) {
      const box candidate = box_of(o);
      if (candidate.left < left || candidate.right > plot_right || candidate.top < top - 14 ||
          candidate.bottom > plot_bottom)
        continue;
      if (std::none_of(taken.begin(), taken.end(),
                       [&](const box& other) { return other.meets(candidate); })) {
        chosen = &o;
        break;
      }
    }
    taken.push_back(box_of(*chosen));
    text(x + chosen->x, at + chosen->y, chosen->anchor, one.fault.empty() ? "ink" : "soft", name);
  }
  return out + "</svg>\n";
}

}  // namespace halograph::bench
