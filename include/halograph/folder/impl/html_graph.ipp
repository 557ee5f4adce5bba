// SPDX-License-Identifier: BSL-1.0
/// @file html_graph.ipp
/// Bodies of the plain functions of folder/html_graph.hpp.
/// Layer: folder. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/folder/graph_drawing.hpp>
#include <halograph/folder/html.hpp>
#include <halograph/folder/html_graph.hpp>
#include <halograph/folder/report.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph::detail::html {

HALOGRAPH_INLINE std::vector<std::size_t> listed_parts(std::span<const part_report> parts) {
  std::vector<std::size_t> order(parts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (order.size() <= most_rows) return order;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const auto of_a = parts[a].inner_nodes + parts[a].halo_nodes,
               of_b = parts[b].inner_nodes + parts[b].halo_nodes;
    return of_a != of_b ? of_a > of_b : a < b;
  });
  order.erase(order.begin() + most_rows / 2, order.end() - most_rows / 2);
  std::sort(order.begin(), order.end());
  return order;
}

HALOGRAPH_INLINE std::vector<std::uint64_t> hops_of(const part_report& part, std::size_t shown) {
  std::vector<std::uint64_t> out(shown);
  std::uint64_t left = part.halo_nodes;
  for (std::size_t k = 0; k + 1 < shown; ++k) {
    if (k < part.halo_nodes_per_hop.size()) out[k] = std::min(left, part.halo_nodes_per_hop[k]);
    left -= out[k];
  }
  if (shown != 0) out.back() = left;
  return out;
}

HALOGRAPH_INLINE std::string hop_shares(std::span<const part_report> parts, std::size_t shown,
                                        bool more) {
  std::uint64_t stored = 0;
  std::vector<std::uint64_t> found(shown);
  for (const auto& part : parts) {
    stored += part.inner_nodes + part.halo_nodes;
    const auto hops = hops_of(part, shown);
    for (std::size_t k = 0; k < shown; ++k) found[k] += hops[k];
  }
  if (shown == 0 || stored == 0) return {};
  std::string out = "<p class=\"soft\">Of the nodes that all parts store";
  for (std::size_t k = 0; k < shown; ++k) {
    out += concat({k != 0 && k + 1 == shown ? " and " : ", ", percent(share_of(found[k], stored)),
                   k == 0 ? " are of hop " : " of hop ", k + 1,
                   k + 1 == shown && more ? " and on" : ""});
  }
  return out + ".</p>\n";
}

HALOGRAPH_INLINE grouped_matrix matrix_of(const folder_report& found) {
  grouped_matrix out;
  const std::size_t parts = found.report.parts.size();
  out.parts_per_group = std::max<std::size_t>(1, (parts + most_rows - 1) / most_rows);
  out.groups = (parts + out.parts_per_group - 1) / out.parts_per_group;
  out.edges.resize(out.groups * out.groups);
  for (const auto& one : found.figures->edges_between) {
    out.edges[one.source / out.parts_per_group * out.groups + one.target / out.parts_per_group] +=
        one.edges;
  }
  for (std::size_t i = 0; i < out.edges.size(); ++i) {
    if (i / out.groups != i % out.groups) out.most = std::max(out.most, out.edges[i]);
  }
  return out;
}

HALOGRAPH_INLINE std::string matrix_html(const grouped_matrix& all, std::size_t parts,
                                         std::string_view of) {
  constexpr std::size_t most_in_a_table = 12;
  std::string out;
  const auto name = [&](std::size_t g) {
    if (all.parts_per_group == 1) return std::to_string(g);
    return concat(
        {g * all.parts_per_group, "-", std::min((g + 1) * all.parts_per_group, parts) - 1});
  };
  if (all.parts_per_group > 1)
    out += concat({"<p class=\"soft\">Each row and column stands for ", all.parts_per_group,
                   " neighboring parts.</p>\n"});
  std::string head = head_cell("from / to", true), rows;
  for (std::size_t g = 0; g < all.groups; ++g) head += head_cell(name(g));
  const bool colored = all.groups <= most_in_a_table;
  for (std::size_t s = 0; s < all.groups; ++s) {
    rows += "<tr>" + row_head(name(s));
    for (std::size_t t = 0; t < all.groups; ++t) {
      const auto edges = grouped(all.edges[s * all.groups + t]);
      if (!colored)
        rows += cell(edges);
      else if (s == t)
        rows += concat({"<td class=\"own\">", edges, "</td>"});
      else
        rows += concat({"<td class=\"h", all.level(s, t), "\">", edges, "</td>"});
    }
    rows += "</tr>\n";
  }
  const auto table = table_of(concat({"Edges from part to part", of}), head, rows, false, "matrix");
  if (colored) {
    return out + table;
  }
  std::array<std::string, 6> squares;
  std::string own;
  for (std::size_t s = 0; s < all.groups; ++s) {
    for (std::size_t t = 0; t < all.groups; ++t) {
      auto& path = s == t ? own : squares[all.level(s, t)];
      path += concat({"M", t, " ", s, "h1v1h-1z"});
    }
  }
  out += concat({"<svg class=\"heat\" role=\"img\" viewBox=\"0 0 ", all.groups, " ", all.groups,
                 "\" aria-label=\"Heat map of the edges between ", grouped(parts), " parts", of,
                 "; the table below has the numbers\">"});
  for (std::size_t i = 0; i < squares.size(); ++i) {
    if (!squares[i].empty()) out += concat({"<path class=\"h", i, "\" d=\"", squares[i], "\"/>"});
  }
  out += concat({"<path class=\"own\" d=\"", own, "\"/></svg>\n"});
  // Both directions of a pair together.
  std::vector<std::pair<std::uint64_t, std::size_t>> pairs;
  for (std::size_t s = 0; s < all.groups; ++s) {
    for (std::size_t t = 0; t < s; ++t) {
      const auto edges = all.edges[s * all.groups + t] + all.edges[t * all.groups + s];
      if (edges != 0) pairs.emplace_back(edges, s * all.groups + t);
    }
  }
  std::sort(pairs.begin(), pairs.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  pairs.resize(std::min<std::size_t>(pairs.size(), 10));
  std::string top;
  for (const auto& [edges, at] : pairs) {
    top += concat({"<tr>", row_head(name(at % all.groups) + " and " + name(at / all.groups)),
                   cell(grouped(edges)), "</tr>\n"});
  }
  out += table_of(concat({"The ", pairs.size(), " pairs with the most edges", of}),
                  head_cell("Parts", true) + head_cell("Edges"), top, false);
  out += concat({"<details><summary>All numbers</summary>\n", table, "</details>\n"});
  return out;
}

/// A mark at (x, y); parts that share a color differ in shape.
HALOGRAPH_INLINE std::string mark_at(std::size_t part, std::int64_t x, std::int64_t y,
                                     std::int64_t r) {
  const std::string start = concat({"M", x, " ", y});
  const auto n = [](std::int64_t value) { return std::to_string(value); };
  switch ((part + part / 8) % 4) {
    case 0:
      return start + "m" + n(-r) + " 0a" + n(r) + " " + n(r) + " 0 1 0 " + n(2 * r) + " 0a" + n(r) +
             " " + n(r) + " 0 1 0 " + n(-2 * r) + " 0z";
    case 1:
      return start + "m" + n(-r) + " " + n(-r) + "h" + n(2 * r) + "v" + n(2 * r) + "h" + n(-2 * r) +
             "z";
    case 2:
      return start + "m0 " + n(-r - 1) + "l" + n(r + 1) + " " + n(2 * r) + "h" + n(-2 * r - 2) +
             "z";
    default:
      return start + "m0 " + n(-r - 1) + "l" + n(r + 1) + " " + n(r + 1) + " " + n(-r - 1) + " " +
             n(r + 1) + " " + n(-r - 1) + " " + n(-r - 1) + "z";
  }
}

/// The number of each part amid its nodes, unless numbers would cover each other.
HALOGRAPH_INLINE std::string labels_of(const graph_drawing& drawn, std::size_t parts) {
  constexpr std::size_t most_labels = 24;
  constexpr std::int64_t apart = 700;
  if (parts > most_labels) return {};
  struct middle {
    std::int64_t x = 0, y = 0, nodes = 0;
  };
  std::vector<middle> at(parts);
  for (const auto& node : drawn.nodes) {
    auto& one = at[node.part];
    one = {one.x + node.x, one.y + node.y, one.nodes + 1};
  }
  std::string out;
  for (std::size_t p = 0; p < parts; ++p) {
    if (at[p].nodes == 0) continue;
    at[p] = {at[p].x / at[p].nodes, at[p].y / at[p].nodes, at[p].nodes};
    for (std::size_t q = 0; q < p; ++q) {
      if (at[q].nodes != 0 && std::abs(at[p].x - at[q].x) < apart &&
          std::abs(at[p].y - at[q].y) < apart)
        return {};
    }
    out += concat({"<text x=\"", 24 + at[p].x * 952 / graph_drawing::side, "\" y=\"",
                   24 + at[p].y * 952 / graph_drawing::side, "\">", p, "</text>"});
  }
  return out;
}

HALOGRAPH_INLINE std::string drawing_html(const graph_drawing& drawn, std::size_t parts,
                                          std::uint64_t nodes, std::string_view of) {
  constexpr std::size_t most_marks = 32;  // colors times shapes
  std::string out;
  if (drawn.nodes.empty()) {
    return "<p class=\"soft\">There are no nodes.</p>\n";
  }
  constexpr std::int64_t border = 24, width = 1000;
  const auto scaled = [](std::int64_t at) {
    return border + at * (width - 2 * border) / graph_drawing::side;
  };
  std::string inside, across;
  std::uint64_t cut = 0;
  for (const auto& [u, v] : drawn.edges) {
    const auto &a = drawn.nodes[u], &b = drawn.nodes[v];
    (a.part == b.part ? inside : across) += concat(
        {"M", scaled(a.x), " ", scaled(a.y), "L", scaled(b.x), " ", scaled(b.y)});
    cut += a.part != b.part ? 1u : 0u;
  }
  const std::int64_t r = drawn.nodes.size() <= 60    ? 11
                         : drawn.nodes.size() <= 250 ? 7
                         : drawn.nodes.size() <= 700 ? 5
                                                     : 4;
  std::vector<std::string> marks(std::min(parts, most_marks));
  for (const auto& node : drawn.nodes)
    marks[node.part % most_marks] += mark_at(node.part, scaled(node.x), scaled(node.y), r);
  if (!drawn.all_nodes)
    out += concat({"<p class=\"soft\">A sample: ", grouped(drawn.nodes.size()), " of ",
                   counted(nodes, "node"), ", as many of each part, found along edges.</p>\n"});
  if (!drawn.all_edges)
    out += concat({"<p class=\"soft\">Of the edges between these nodes ",
                   grouped(drawn.edges.size()), " are drawn.</p>\n"});
  out += concat(
      {"<figure><svg class=\"drawing\" role=\"img\" viewBox=\"0 0 1000 1000\" aria-label=\"",
       "Drawing of ", counted(drawn.nodes.size(), "node"), " and ",
       counted(drawn.edges.size(), "edge"), ", ", grouped(cut), " of them between parts", of,
       "\">\n<path class=\"in\" stroke-width=\"1.5\" d=\"", inside,
       "\"/>\n<path class=\"cut\" stroke-width=\"1.5\" d=\"", across, "\"/>\n"});
  for (std::size_t m = 0; m < marks.size(); ++m) {
    if (!marks[m].empty()) out += concat({"<path class=\"c", m % 8, "\" d=\"", marks[m], "\"/>\n"});
  }
  out += labels_of(drawn, parts);
  out += "</svg><figcaption>";
  if (parts <= most_marks) {
    out += "<ul class=\"key\">";
    for (std::size_t m = 0; m < marks.size(); ++m) {
      out += concat(
          {("<li><svg aria-hidden=\"true\" focusable=\"false\" viewBox=\"0 0 16 16\"><path "
            "class=\"mark c"),
           m % 8, "\" d=\"", mark_at(m, 8, 8, 6), "\"/></svg>part ", m, "</li>"});
    }
    out += "</ul>";
  } else {
    out += concat({"There are more parts than marks: those whose numbers differ by ", most_marks,
                   " look the same."});
  }
  out += "</figcaption></figure>\n";
  return out;
}

}  // namespace halograph::detail::html
