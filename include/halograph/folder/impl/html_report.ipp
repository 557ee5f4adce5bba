// SPDX-License-Identifier: BSL-1.0
/// @file html_report.ipp
/// Bodies of the plain functions of folder/html_report.hpp.
/// Layer: folder. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/folder/html.hpp>
#include <halograph/folder/html_graph.hpp>
#include <halograph/folder/html_report.hpp>
#include <halograph/folder/quality_report.hpp>
#include <halograph/folder/report.hpp>
#include <halograph/folder/restore.hpp>
#include <halograph/serial/files/folder_entries.hpp>
#include <halograph/serial/json.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph::detail::html {

HALOGRAPH_INLINE std::string listed_note(std::size_t parts) {
  if (parts <= most_rows) return {};
  return concat(
      {"<p class=\"soft\">Of ", grouped(parts), " parts the ", most_rows / 2,
       " with the most and the ", most_rows / 2,
       (" with the fewest stored nodes are listed; <code>halograph report --json</code> has "
        "all.</p>\n")});
}

/// Writes one page; every topic shows all folders side by side.
class page_writer {
 public:
  explicit page_writer(std::span<const reported_folder> folders) : folders_(folders) {}

  std::string write();

 private:
  template <class Show>
  void topic(std::string_view title, std::string_view text, std::string_view kind, Show&& show) {
    out_ += concat({"<section class=\"", kind, "\"><h2>", title, "</h2>\n"});
    if (!text.empty()) out_ += concat({"<p class=\"soft\">", text, "</p>\n"});
    out_ += "<div class=\"panels\">\n";
    for (std::size_t f = 0; f < folders_.size(); ++f) {
      out_ += "<div>";
      if (folders_.size() > 1) out_ += "<h3>" + label(f) + "</h3>\n";
      show(f);
      out_ += "</div>\n";
    }
    out_ += "</div></section>\n";
  }
  std::string label(std::size_t f) const {
    return concat({"<span class=\"letter\">", letter(f), "</span>", html_name(folders_[f].method)});
  }
  static std::string letter(std::size_t f) {
    return f < 26 ? std::string(1, static_cast<char>('A' + f)) : std::to_string(f + 1);
  }
  /// For captions, where the heading does not say which folder it is.
  std::string of(std::size_t f) const {
    return folders_.size() > 1 ? concat({", ", letter(f), " ", html_text(folders_[f].method)}) : "";
  }
  bool with_figures() const {
    return std::all_of(folders_.begin(), folders_.end(),
                       [](const auto& one) { return one.found.figures.has_value(); });
  }

  void opening();
  void summary();
  void compare();
  void cards();
  void sizes();
  void halo();
  void balance();
  void matrix();
  void degrees();
  void drawing();
  void training();
  void steps();

  std::span<const reported_folder> folders_;
  std::string out_{};
};

HALOGRAPH_INLINE void page_writer::opening() {
  const auto& first = folders_[0];
  std::string title = html_text(first.graph) + ": " + html_text(first.method);
  for (std::size_t f = 1; f < folders_.size(); ++f)
    title += " and " + html_text(folders_[f].method);
  out_ += concat(
      {page_opening,
       ("<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
        "content=\"width=device-width,initial-scale=1\">\n<meta http-equiv=\"Content-Security-Policy\" "
        "content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-"),
       page_script_hash(), "'\">\n<title>", title, " - halograph</title>\n<style>", page_style(),
       ("</style></head><body>\n"
        "<svg class=\"vh\" aria-hidden=\"true\" focusable=\"false\"><defs>")});
  // The first series is plain.
  constexpr std::array<std::string_view, 5> patterns{
      "<path class=\"on\" d=\"M-2 2 2-2M0 8 8 0M6 10 10 6\"/>",
      "<circle class=\"dot\" cx=\"4\" cy=\"4\" r=\"1.6\"/>", "<path class=\"on\" d=\"M0 4H8\"/>",
      "<path class=\"on\" d=\"M0 0 8 8M0 8 8 0\"/>", "<path class=\"on\" d=\"M4 0V8\"/>"};
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    out_ += concat(
        {"<pattern id=\"s", i + 1,
         ("\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\"><rect width=\"8\" "
          "height=\"8\" class=\"c"),
         i + 1, "\"/>", patterns[i], "</pattern>"});
  }
  out_ +=
      "<pattern id=\"own\" width=\".5\" height=\".5\" patternUnits=\"userSpaceOnUse\"><rect width=\".5\" "
      "height=\".5\" class=\"h0\"/><path d=\"M0 .5 .5 0\" stroke=\"currentColor\" "
      "stroke-opacity=\".35\" stroke-width=\".06\"/></pattern></defs></svg>\n";
  out_ += concat({"<header><h1>", html_name(first.graph), "</h1>\n<p>"});
  const auto& report = first.found.report;
  out_ += concat({counted(report.nodes, "node"), " of ", counted(report.node_types.size(), "type"),
                  ", ", counted(report.edges, "edge"), " of ",
                  counted(report.edge_types.size(), "type")});
  if (folders_.size() == 1) {
    out_ += concat({"; ", counted(report.parts.size(), "part"), " by method ",
                    html_name(first.method), ", HALO of ", counted(first.hops, "hop"), "."});
  } else {
    out_ += concat({". ", grouped(folders_.size()),
                    " partitionings side by side, all charts of a kind on the same scale."});
  }
  out_ += "</p>\n";
  const bool same = std::all_of(folders_.begin(), folders_.end(), [&](const auto& one) {
    return one.found.report.nodes == report.nodes && one.found.report.edges == report.edges;
  });
  if (!same)
    out_ +=
        "<p><strong>The folders hold different graphs:</strong> their numbers of nodes or edges "
        "differ, so compare shares rather than counts.</p>\n";
  for (std::size_t f = 0; f < folders_.size(); ++f) {
    for (const auto& note : folders_[f].found.notes)
      out_ += concat({"<p class=\"soft\">Note", of(f), ": ", html_text(note), ".</p>\n"});
  }
  out_ += "</header>\n";
}

HALOGRAPH_INLINE const balance_report* worst_balance(const quality_report& report) {
  const auto worst = std::max_element(
      report.balance.begin(), report.balance.end(),
      [](const auto& a, const auto& b) { return a.imbalance < b.imbalance; });
  return worst == report.balance.end() ? nullptr : &*worst;
}

HALOGRAPH_INLINE std::optional<double> simulated(const reported_folder& folder, const char* key) {
  double value = 0;
  const auto* const figure = folder.simulation ? folder.simulation->find(key) : nullptr;
  if (figure == nullptr || !figure->to_double(value) || !(value >= 0)) return std::nullopt;
  return value;
}

HALOGRAPH_INLINE void page_writer::cards() {
  const auto& found = folders_[0].found;
  const auto& report = found.report;
  const auto card = [&](std::string_view name, std::string_view value, std::string_view more) {
    out_ += concat({"<div><dt>", name, "</dt><dd>", value, "</dd><dd>", more, "</dd></div>\n"});
  };
  out_ += "<section class=\"wide\"><h2>Summary</h2>\n<dl class=\"cards\">\n";
  card("Edges between parts", percent(share_of(report.directed_cut, report.edges)),
       concat({grouped(report.directed_cut), " of ", grouped(report.edges)}));
  card("Edge cut", found.cut_known ? grouped(report.edge_cut) : "unknown",
       "pairs of nodes, each once");
  card("Communication volume", found.cut_known ? grouped(report.communication_volume) : "unknown",
       "other parts next to each node, summed");
  card("Replication factor", fixed(report.replication_factor, 3), "stored nodes / nodes");
  if (const auto* const worst = worst_balance(report)) {
    card("Largest imbalance", percent(worst->imbalance),
         concat({html_name(worst->name), worst->met ? ", within " : ", over ",
                 percent(worst->tolerance)}));
  }
  const auto whole = static_cast<std::uint64_t>(std::count_if(
      found.components.begin(), found.components.end(), [](auto count) { return count <= 1; }));
  card("Connected parts", concat({grouped(whole), " of ", grouped(report.parts.size())}),
       "along edges inside the part");
  out_ += "</dl></section>\n";
}

HALOGRAPH_INLINE void page_writer::compare() {
  struct figure {
    double value = 0;
    std::string text{};
  };
  std::string head = head_cell("Figure", true), rows;
  for (std::size_t f = 0; f < folders_.size(); ++f) head += head_cell(label(f), true);
  // Of some figures less is better.
  const auto row = [&](std::string_view name, bool judged, auto&& figure_of) {
    std::vector<std::optional<figure>> cells;
    double most = 0, least = -1;
    for (const auto& folder : folders_) {
      cells.push_back(figure_of(folder));
      if (!cells.back()) continue;
      most = std::max(most, cells.back()->value);
      least = least < 0 ? cells.back()->value : std::min(least, cells.back()->value);
    }
    if (least < 0) return;
    rows += "<tr>" + row_head(name);
    for (const auto& one : cells) {
      if (!one) {
        rows += "<td class=\"none\">unknown</td>";
        continue;
      }
      rows += concat({"<td class=\"name\">", one->text,
                      judged && one->value <= least && least < most
                          ? "<span class=\"badge\">lowest</span>"
                          : ""});
      if (judged) rows += "<div class=\"bar\">" + bar(std::array{one->value}, most) + "</div>";
      rows += "</td>";
    }
    rows += "</tr>\n";
  };
  const auto count = [](std::uint64_t number) {
    return std::optional<figure>({static_cast<double>(number), grouped(number)});
  };
  using folder = const reported_folder&;
  row("Parts", false, [&](folder one) { return count(one.found.report.parts.size()); });
  row("HALO hops", false, [&](folder one) { return count(one.hops); });
  row("Edges between parts", true, [&](folder one) {
    const double share = share_of(one.found.report.directed_cut, one.found.report.edges);
    return std::optional<figure>(
        {share, concat({percent(share), " (", grouped(one.found.report.directed_cut), ")"})});
  });
  row("Edge cut", true, [&](folder one) {
    return one.found.cut_known ? count(one.found.report.edge_cut) : std::nullopt;
  });
  row("Communication volume", true, [&](folder one) {
    return one.found.cut_known ? count(one.found.report.communication_volume) : std::nullopt;
  });
  row("Replication factor", true, [&](folder one) {
    const double factor = one.found.report.replication_factor;
    return std::optional<figure>({factor, fixed(factor, 3)});
  });
  row("Largest imbalance", true, [&](folder one) -> std::optional<figure> {
    const auto* const worst = worst_balance(one.found.report);
    if (worst == nullptr) return std::nullopt;
    return figure{worst->imbalance,
                  concat({percent(worst->imbalance), worst->met ? ", met" : ", not met"})};
  });
  row("Components of parts", true, [&](folder one) {
    return count(std::accumulate(one.found.components.begin(), one.found.components.end(),
                                 std::uint64_t{0}));
  });
  const auto fetched = [&](const char* key) {
    return [key](folder one) -> std::optional<figure> {
      const auto bytes = simulated(one, key);
      return bytes ? std::optional<figure>({*bytes, readable::bytes(*bytes)}) : std::nullopt;
    };
  };
  row("Rows fetched per batch", true, fetched("remote_row_bytes_per_batch"));
  row("Structure fetched per batch", true, fetched("structure_bytes_per_batch"));
  out_ += "<section class=\"wide\"><h2>Comparison</h2>\n";
  out_ += table_of("Figures of all partitionings; bars start at 0", head, rows, false);
  out_ += "</section>\n";
}

HALOGRAPH_INLINE void page_writer::sizes() {
  std::uint64_t most = 0;
  for (const auto& one : folders_) {
    for (const auto& part : one.found.report.parts) most = std::max(most, part.inner_nodes);
  }
  topic("Part sizes", "Inner nodes: those that a part owns.", "", [&](std::size_t f) {
    const auto& found = folders_[f].found;
    const auto& types = found.report.node_types;
    const bool typed = found.figures && types.size() > 1 &&
                       found.figures->nodes_by_type.size() == types.size();
    // The largest types; the others together.
    std::vector<std::size_t> shown(types.size());
    std::iota(shown.begin(), shown.end(), std::size_t{0});
    std::sort(shown.begin(), shown.end(), [&](std::size_t a, std::size_t b) {
      return types[a].second != types[b].second ? types[a].second > types[b].second : a < b;
    });
    const bool rest = shown.size() > most_series;
    if (rest) shown.resize(most_series - 1);
    std::string head = head_cell("Part", true) + bar_head("Inner nodes, drawn") +
                       head_cell("Inner nodes"),
                rows;
    if (typed) {
      std::vector<std::string> names;
      for (const auto t : shown) names.push_back(html_name(types[t].first));
      if (rest) names.push_back(counted(types.size() - shown.size(), "other type"));
      for (const auto& name : names) head += head_cell(name);
      out_ += key_of(names);
    }
    head += head_cell("Inner edges") + head_cell("Components");
    for (const auto p : listed_parts(found.report.parts)) {
      const auto& part = found.report.parts[p];
      std::vector<double> lengths;
      std::string cells;
      std::uint64_t others = part.inner_nodes;
      if (typed) {
        for (const auto t : shown) {
          const auto nodes = found.figures->nodes_by_type[t][p];
          others -= std::min(others, nodes);
          lengths.push_back(static_cast<double>(nodes));
          cells += cell(grouped(nodes));
        }
        if (rest) cells += cell(grouped(others));
      }
      if (!typed || rest) lengths.push_back(static_cast<double>(others));
      rows += concat(
          {"<tr>", row_head(std::to_string(p)), bar_cell(bar(lengths, static_cast<double>(most))),
           cell(grouped(part.inner_nodes)), cells, cell(grouped(part.inner_edges)),
           cell(p < found.components.size() ? grouped(found.components[p]) : "-"), "</tr>\n"});
    }
    out_ += listed_note(found.report.parts.size());
    out_ += table_of("Inner nodes of each part" + of(f), head, rows);
  });
}

HALOGRAPH_INLINE void page_writer::halo() {
  std::uint64_t most = 0;
  for (const auto& one : folders_) {
    for (const auto& part : one.found.report.parts)
      most = std::max(most, part.inner_nodes + part.halo_nodes);
  }
  topic("HALO by hop", "Nodes that a part stores besides its own, by the hop that found them.", "",
        [&](std::size_t f) {
          const auto& parts = folders_[f].found.report.parts;
          std::size_t hops = 0;
          for (const auto& part : parts) hops = std::max(hops, part.halo_nodes_per_hop.size());
          const std::size_t shown = std::min(hops, most_series - 1);
          const auto hop_name = [&](std::size_t k) {
            return concat({"hop&nbsp;", k + 1, k + 1 == shown && shown < hops ? " and on" : ""});
          };
          std::vector<std::string> names{"inner"};
          std::string head = head_cell("Part", true) + bar_head("Stored nodes, drawn") +
                             head_cell("Stored nodes") + head_cell("HALO share"),
                      rows;
          for (std::size_t k = 0; k < shown; ++k) {
            names.push_back(hop_name(k));
            head += head_cell(names.back());
          }
          head += head_cell("HALO edges");
          out_ += key_of(names);
          for (const auto p : listed_parts(parts)) {
            const auto& part = parts[p];
            std::vector<double> lengths{static_cast<double>(part.inner_nodes)};
            std::string cells;
            for (const auto nodes : hops_of(part, shown)) {
              lengths.push_back(static_cast<double>(nodes));
              cells += cell(grouped(nodes));
            }
            const std::uint64_t stored = part.inner_nodes + part.halo_nodes;
            rows += concat({"<tr>", row_head(std::to_string(p)),
                            bar_cell(bar(lengths, static_cast<double>(most))),
                            cell(grouped(stored)), cell(percent(share_of(part.halo_nodes, stored))),
                            cells, cell(grouped(part.halo_edges)), "</tr>\n"});
          }
          out_ += listed_note(parts.size());
          out_ += table_of("Stored nodes of each part" + of(f), head, rows);
          out_ += hop_shares(parts, shown, shown < hops);
        });
}

HALOGRAPH_INLINE void page_writer::balance() {
  double most = 0;
  for (const auto& one : folders_) {
    for (const auto& line : one.found.report.balance)
      most = std::max({most, line.imbalance, line.tolerance * 1.25});
  }
  topic("Balance", "How far the largest part is above the mean; the line is the tolerance.", "",
        [&](std::size_t f) {
          const auto& lines = folders_[f].found.report.balance;
          std::string rows;
          for (std::size_t i = 0; i < std::min(lines.size(), most_rows); ++i) {
            const auto& line = lines[i];
            rows += concat({"<tr>", row_head(html_name(line.name)),
                            bar_cell(bar(std::array{line.imbalance}, most, line.tolerance,
                                         line.met ? 0 : most_series)),
                            cell(percent(line.imbalance)), cell(percent(line.tolerance)),
                            cell(line.met ? "yes" : "no"), "</tr>\n"});
          }
          if (lines.size() > most_rows)
            out_ += concat({"<p class=\"soft\">The first ", most_rows, " of ",
                            counted(lines.size(), "constraint"), ".</p>\n"});
          out_ += table_of("Balance of each constraint" + of(f),
                           head_cell("Constraint", true) + bar_head("Imbalance, drawn") +
                               head_cell("Imbalance") + head_cell("Tolerance") + head_cell("Met"),
                           rows);
        });
}

HALOGRAPH_INLINE void page_writer::matrix() {
  std::vector<grouped_matrix> matrices;
  std::uint64_t most = 0;
  for (const auto& one : folders_) {
    matrices.push_back(matrix_of(one.found));
    most = std::max(most, matrices.back().most);
  }
  for (auto& one : matrices) one.most = most;
  topic(
      "Edges between parts",
      "From the part of the row to the part of the column. The strongest color is more than half of "
      "the largest number between two parts, each weaker one up to half of that; cells inside a part "
      "are hatched.",
      "", [&](std::size_t f) {
        const auto& found = folders_[f].found;
        const auto& all = matrices[f];
        std::uint64_t kept = 0;
        for (const auto& one : found.figures->edges_between)
          kept += one.source != one.target ? one.edges : 0;
        if (kept < found.report.directed_cut)
          out_ += "<p class=\"soft\">Edges between parts were dropped, so none are left.</p>\n";
        out_ += matrix_html(all, found.report.parts.size(), of(f));
      });
}

HALOGRAPH_INLINE void page_writer::degrees() {
  double most = 0;
  for (const auto& one : folders_) {
    for (const auto* histogram :
         {&one.found.figures->degrees_inside, &one.found.figures->degrees_across}) {
      for (const auto nodes : *histogram)
        most = std::max(most, share_of(nodes, one.found.report.nodes));
    }
  }
  topic(
      "In-degrees inside and across parts",
      "How many nodes have so many edges from nodes of their own part, and so many from other "
      "parts. Nodes with 0 edges across are inside their part.",
      "", [&](std::size_t f) {
        const auto& found = folders_[f].found;
        const auto &inside = found.figures->degrees_inside, &across = found.figures->degrees_across;
        std::string rows;
        for (std::size_t i = 0; i < std::max(inside.size(), across.size()); ++i) {
          const auto low = i == 0 ? std::uint64_t{0} : std::uint64_t{1} << (i - 1);
          const auto high = i == 0 ? std::uint64_t{0} : low + (low - 1);
          const auto nodes = [&](const std::vector<std::uint64_t>& histogram) {
            return i < histogram.size() ? histogram[i] : 0;
          };
          const auto drawn = [&](const std::vector<std::uint64_t>& histogram, std::size_t series) {
            return bar_cell(
                bar(std::array{share_of(nodes(histogram), found.report.nodes)}, most, -1, series));
          };
          const auto digits = low == high ? grouped(low)
                                          : grouped(low) + "&#8288;–&#8288;" + grouped(high);
          rows += concat({"<tr><th scope=\"row\" data-v=\"", low, "\">", digits, "</th>",
                          drawn(inside, 0), cell(grouped(nodes(inside))), drawn(across, 1),
                          cell(grouped(nodes(across))), "</tr>\n"});
        }
        out_ += key_of(std::array<std::string, 2>{"edges inside the part", "edges across"});
        out_ += table_of("Nodes by in-degree" + of(f),
                         head_cell("Edges", true) + bar_head("Nodes inside, drawn") +
                             head_cell("Nodes, inside") + bar_head("Nodes across, drawn") +
                             head_cell("Nodes, across"),
                         rows, true, " halves");
      });
}

HALOGRAPH_INLINE void page_writer::drawing() {
  topic("The graph",
        "Neighbors are drawn near each other, whatever their parts. Color and shape show the part; "
        "dashed edges are between parts; nodes without edges stand below.",
        "tall", [&](std::size_t f) {
          const auto& found = folders_[f].found;
          out_ += drawing_html(found.figures->drawing, found.report.parts.size(),
                               found.report.nodes, of(f));
        });
}

HALOGRAPH_INLINE void page_writer::training() {
  if (std::none_of(folders_.begin(), folders_.end(),
                   [](const auto& one) { return one.simulation.has_value(); }))
    return;
  topic("Sampled training", "What a batch would fetch from other parts, as simulate found it.",
        folders_.size() == 1 ? "wide" : "", [&](std::size_t f) {
          if (!folders_[f].simulation) {
            out_ += "<p class=\"soft\">Unknown; run <code>halograph simulate --save</code>.</p>\n";
            return;
          }
          std::string rows;
          const auto row = [&](std::string_view name, const char* key, bool bytes) {
            const auto value = simulated(folders_[f], key);
            rows += concat({"<tr>", row_head(name),
                            cell(!value  ? "unknown"
                                 : bytes ? readable::bytes(*value)
                                         : fixed(*value, 1)),
                            "</tr>\n"});
          };
          row("Rows fetched from other parts", "remote_rows_per_batch", false);
          row("Bytes of these rows", "remote_row_bytes_per_batch", true);
          row("Requests for neighbors to other parts", "remote_requests_per_batch", false);
          row("Bytes of structure fetched", "structure_bytes_per_batch", true);
          out_ += table_of("For each batch" + of(f), head_cell("Figure", true) + head_cell("Value"),
                           rows, false);
        });
}

HALOGRAPH_INLINE void page_writer::steps() {
  if (std::all_of(folders_.begin(), folders_.end(),
                  [](const auto& one) { return one.steps.empty(); }))
    return;
  topic("Time and memory", "Peaks are the highest memory of the process up to the end of the step.",
        folders_.size() == 1 ? "wide" : "", [&](std::size_t f) {
          double longest = 0, highest = 0;
          std::string rows;
          for (const auto& step : folders_[f].steps) {
            longest = std::max(longest, step.seconds);
            highest = std::max(highest, static_cast<double>(step.peak_bytes));
          }
          for (const auto& step : folders_[f].steps) {
            const auto peak = static_cast<double>(step.peak_bytes);
            rows += concat({"<tr>", row_head(html_name(step.name)),
                            bar_cell(bar(std::array{step.seconds}, longest)),
                            cell(fixed(step.seconds, 3)),
                            bar_cell(bar(std::array{peak}, highest, -1, 2)), "<td data-v=\"",
                            step.peak_bytes, "\">", readable::bytes(peak), "</td></tr>\n"});
          }
          out_ += table_of("Steps of the run" + of(f),
                           head_cell("Step", true) + bar_head("Seconds, drawn") +
                               head_cell("Seconds") + bar_head("Peak memory, drawn") +
                               head_cell("Peak memory"),
                           rows, true, " halves");
        });
}

HALOGRAPH_INLINE std::string page_writer::write() {
  out_.clear();
  opening();
  out_ += concat({"<main", folders_.size() == 1 ? " class=\"one\"" : "", ">\n"});
  if (folders_.size() == 1)
    cards();
  else
    compare();
  sizes();
  halo();
  if (with_figures()) {
    drawing();
    matrix();
  }
  balance();
  if (with_figures()) degrees();
  training();
  steps();
  out_ += concat(
      {"</main>\n<footer>Made by halograph. A HALO node is stored in a part that does not "
       "own it; an edge belongs to the part of its target. Tables can be sorted by their "
       "headings.</footer>\n<script>",
       page_script(), "</script></body></html>\n"});
  return std::move(out_);
}

}  // namespace halograph::detail::html

namespace halograph {

HALOGRAPH_INLINE std::string html_report(std::span<const reported_folder> folders) {
  if (folders.empty()) raise(error_kind::invalid_argument, "a page needs at least one folder");
  return detail::html::page_writer(folders).write();
}

HALOGRAPH_INLINE void require_html_target(const std::string& path) {
  const detail::replaced_file target(path, detail::html::page_opening, "a page of halograph");
  const auto folder = std::filesystem::path(path).parent_path();
  if (!folder.empty() && !detail::is_folder(folder.string()))
    raise(error_kind::not_found, "no such folder", {.file = folder.string()});
}

HALOGRAPH_INLINE void write_html_report(std::string_view page, const std::string& path) {
  detail::replaced_file target(path, detail::html::page_opening, "a page of halograph");
  auto sink = target.create(page.size());
  sink.require(sink.write_at(0, std::as_bytes(std::span(page))));
  sink.sync();
  sink.close();
  target.commit();
}

}  // namespace halograph
