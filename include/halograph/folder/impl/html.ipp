// SPDX-License-Identifier: BSL-1.0
/// @file html.ipp
/// Bodies of the plain functions of folder/html.hpp.
/// Layer: folder. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/utf8.hpp>
#include <halograph/folder/html.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace halograph::detail::html {

HALOGRAPH_INLINE std::string_view page_style() noexcept {
  return R"css(
:root{color-scheme:light dark;--bg:#fff;--fg:#1c2127;--soft:#59636e;--line:#d8dee4;--card:#f6f8fa;--on:#fff;
--a:#0072b2;--b:#e69f00;--c:#009e73;--d:#cc79a7;--e:#56b4e9;--f:#d55e00;--g:#b8a800;--h:#6e7781;
--h1:#e1edf7;--h2:#bad5ee;--h3:#84b5de;--h4:#2f74b5;--h5:#0b4a86;--hi:#fff;--lo:#1c2127;--cut:#b3261e}
@media(prefers-color-scheme:dark){:root{--bg:#0f1419;--fg:#e3e8ed;--soft:#9ba6b2;--line:#303942;--card:#171d24;--on:#0f1419;
--a:#4ea3dc;--b:#f0b440;--c:#35bd95;--d:#dd9cc0;--e:#8accf2;--f:#f0844a;--g:#ece04c;--h:#98a3ae;
--h1:#18283a;--h2:#1d3c5e;--h3:#28598d;--h4:#62a0da;--h5:#abd2f7;--hi:#0f1419;--lo:#e3e8ed;--cut:#ff8a80}}
*{box-sizing:border-box}
body{margin:0 auto;padding:2rem clamp(1rem,3vw,2.5rem);max-width:88rem;background:var(--bg);color:var(--fg);
font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;overflow-wrap:anywhere}
h1{font-size:1.9rem;line-height:1.2;margin:0}h2{font-size:1.2rem;margin:0 0 .3rem}h3{font-size:1rem;margin:.6rem 0 .3rem}
p{margin:.3rem 0 .8rem;max-width:46rem}.soft,figcaption,caption,footer{color:var(--soft);font-size:.875rem}
main{display:grid;grid-template-columns:minmax(0,1fr);gap:1.5rem;margin-top:1.5rem}
section{border-top:1px solid var(--line);padding-top:1.2rem;min-width:0}
.panels{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,25rem),1fr));gap:1.5rem}.panels>*{min-width:0}
.panels>:not(:only-child) :is(th,td){padding-left:.35rem;padding-right:.35rem}.panels>:not(:only-child) td.bar{min-width:3.5rem}
.letter{display:inline-block;min-width:1.5em;padding:0 .35em;margin-right:.35em;border-radius:.25em;background:var(--fg);color:var(--bg);text-align:center;font-size:.85em}
dl.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(9.5rem,1fr));gap:.75rem;margin:0}
.cards div{background:var(--card);border:1px solid var(--line);border-radius:.5rem;padding:.7rem .9rem}
.cards dt{color:var(--soft);font-size:.875rem}.cards dd{margin:0;font-size:1.35rem;font-weight:600;font-variant-numeric:tabular-nums}
.cards dd+dd{font-size:.875rem;font-weight:400;color:var(--soft)}
.scroll{overflow-x:auto;max-height:34rem}.scroll:focus-visible,button:focus-visible,summary:focus-visible{outline:2px solid var(--a);outline-offset:2px}
table{border-collapse:collapse;width:100%;font-size:.875rem;font-variant-numeric:tabular-nums}
caption{text-align:left;padding:.2rem 0 .4rem}
th,td{padding:.25rem .6rem;text-align:right;border-bottom:1px solid var(--line);white-space:nowrap}
th:first-child,td:first-child{padding-left:.2rem}
thead th{position:sticky;top:0;background:var(--bg);vertical-align:bottom;font-weight:600;white-space:normal;overflow-wrap:normal}
th[scope=row],.name,thead th.name{text-align:left}th[scope=row]{font-weight:400}th[scope=row] bdi{white-space:normal;overflow-wrap:break-word}
td.bar{width:80%;min-width:5rem}.halves td.bar{width:45%;min-width:3.5rem}.bar svg{display:block;width:100%;height:.9rem}
.none{text-align:left;color:var(--soft)}.badge{border:1px solid;border-radius:.6em;padding:0 .45em;font-size:.75rem;margin-left:.4em}
thead button{all:unset;cursor:pointer}thead button{text-decoration:underline dotted var(--soft);text-underline-offset:.25em}
[aria-sort=ascending] button::after{content:"\a0\2191"}[aria-sort=descending] button::after{content:"\a0\2193"}
.vh{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.key{list-style:none;display:flex;flex-wrap:wrap;gap:.2rem 1.1rem;margin:.2rem 0 .5rem;padding:0;font-size:.875rem}
.key svg{width:1.1rem;height:.9rem;vertical-align:-.1rem;margin-right:.35rem}
.s0{fill:var(--a)}.s1{fill:url(#s1)}.s2{fill:url(#s2)}.s3{fill:url(#s3)}.s4{fill:url(#s4)}.s5{fill:url(#s5)}
.on{fill:none;stroke:var(--bg);stroke-width:1.6}.dot{fill:var(--bg)}.s6{fill:var(--f)}.track{fill:var(--card)}.tick{fill:var(--fg);stroke:var(--bg);stroke-width:1}
figure{margin:0}.matrix td,.matrix th{text-align:center;border:1px solid var(--bg)}.matrix{width:auto}.matrix thead th{white-space:nowrap}.wide .scroll{max-height:none}
.heat{display:block;width:100%;max-width:32rem;height:auto}
.h0{fill:var(--card);background:var(--card)}.h1{fill:var(--h1);background:var(--h1)}.h2{fill:var(--h2);background:var(--h2)}
.h3{fill:var(--h3);background:var(--h3);color:var(--lo)}.h4{fill:var(--h4);background:var(--h4);color:var(--hi)}.h5{fill:var(--h5);background:var(--h5);color:var(--hi)}
.own{fill:url(#own)}td.own{background:repeating-linear-gradient(45deg,var(--card) 0 3px,var(--line) 3px 5px)}
.drawing{display:block;width:100%;max-width:46rem;height:auto;margin:0 auto}
.drawing .in{stroke:var(--h);stroke-opacity:.45;fill:none}.drawing .cut{stroke:var(--cut);stroke-opacity:.75;fill:none;stroke-dasharray:6 4}
.drawing path,.key .mark{stroke:var(--bg);stroke-width:1}.key .mark{stroke:none}
.drawing text{font:600 26px system-ui,sans-serif;fill:var(--fg);stroke:var(--bg);stroke-width:7px;paint-order:stroke;text-anchor:middle;dominant-baseline:central}
.c0{fill:var(--a)}.c1{fill:var(--b)}.c2{fill:var(--c)}.c3{fill:var(--d)}.c4{fill:var(--e)}.c5{fill:var(--f)}.c6{fill:var(--g)}.c7{fill:var(--h)}
details{margin-top:.6rem}summary{cursor:pointer;font-size:.875rem}
footer{margin-top:2rem;border-top:1px solid var(--line);padding-top:.8rem}
@media(min-width:72rem){main.one{grid-template-columns:repeat(2,minmax(0,1fr))}main.one .wide{grid-column:1/-1}main.one .tall{grid-row:span 3}}
@media(max-width:40rem){th[scope=row]{white-space:normal;overflow-wrap:normal}td.bar{min-width:3rem}body{padding:1.2rem .9rem}h1{font-size:1.5rem}th,td{padding:.25rem .4rem}.cards dd{font-size:1.15rem}}
@media print{:root{color-scheme:light;--bg:#fff;--fg:#000;--soft:#444;--line:#bbb;--card:#f3f3f3;--a:#0072b2;--b:#e69f00;--c:#009e73;--d:#cc79a7;--e:#56b4e9;--f:#d55e00;--g:#b8a800;--h:#6e7781;
--h1:#e1edf7;--h2:#bad5ee;--h3:#84b5de;--h4:#2f74b5;--h5:#0b4a86;--hi:#fff;--lo:#000;--cut:#b3261e}
*{print-color-adjust:exact;-webkit-print-color-adjust:exact}body{max-width:none;padding:0;font-size:10pt}
main,main.one{display:block}section{margin-bottom:1rem}tr,figure,.cards div{break-inside:avoid}.scroll{overflow:visible;max-height:none}thead th{position:static}
thead button{text-decoration:none}thead button::after{content:none!important}.drawing,.heat{max-width:14cm}}
)css";
}

HALOGRAPH_INLINE std::string_view page_script() noexcept {
  return R"js(
"use strict";
for (const table of document.querySelectorAll("table.sort")) {
  const heads = [...table.tHead.rows[0].cells], body = table.tBodies[0];
  const value = (row, at) => {
    const cell = row.cells[at], text = cell.dataset.v ?? cell.textContent.replace(/,/g, "");
    const number = parseFloat(text);
    return Number.isNaN(number) ? text : number;
  };
  heads.forEach((head, at) => {
    if (head.hasAttribute("data-bar")) return;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const up = head.getAttribute("aria-sort") === "descending";
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const rows = [...body.rows].sort((x, y) => {
        const a = value(x, at), b = value(y, at);
        return (a < b ? -1 : a > b ? 1 : 0) * (up ? 1 : -1);
      });
      body.append(...rows);
    });
  });
}
)js";
}

HALOGRAPH_INLINE std::string_view page_script_hash() noexcept {
  return "C9zkdNJdaMDLKomo+1PdDryutDX9hAoWgLP+JPIjT6A=";
}

HALOGRAPH_INLINE std::string html_text(std::string_view text) {
  std::string out;
  for (std::size_t characters = 0; !text.empty(); ++characters) {
    if (characters == 100) return out + "…";
    const auto next = first_utf8(text);
    const std::size_t bytes = std::max<std::size_t>(next.bytes, 1);
    const char32_t c = next.value;
    const bool shown = next.bytes != 0 && !is_control(c) && !(c >= 0x200B && c <= 0x200F) &&
                       !(c >= 0x2028 && c <= 0x202E) && !(c >= 0x2066 && c <= 0x2069) &&
                       c != 0xFEFF && (c & 0xFFFE) != 0xFFFE;
    if (!shown)
      out += detail::escaped_bytes(text.substr(0, bytes));
    else if (c == U'&' || c == U'<' || c == U'>' || c == U'"' || c == U'\'')
      out += concat({"&#", static_cast<std::uint64_t>(c), ";"});
    else
      out += text.substr(0, bytes);
    text.remove_prefix(bytes);
  }
  return out;
}

HALOGRAPH_INLINE std::string html_name(std::string_view text) {
  return "<bdi>" + html_text(text) + "</bdi>";
}

HALOGRAPH_INLINE double share_of(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

HALOGRAPH_INLINE std::string bar(std::span<const double> lengths, double whole, double mark,
                                 std::size_t series) {
  std::string out =
      "<svg aria-hidden=\"true\" focusable=\"false\"><rect class=\"track\" width=\"100%\" height=\"100%\"/>";
  const auto at = [&](double length) {
    return whole > 0 ? std::clamp(100 * length / whole, 0.0, 100.0) : 0.0;
  };
  double from = 0;
  for (std::size_t i = 0; i < lengths.size(); from += lengths[i++]) {
    if (!(lengths[i] > 0)) continue;
    out += concat({"<rect class=\"s", std::min(i, most_series - 1) + series, "\" x=\"",
                   fixed(at(from), 2), "%\" width=\"", fixed(at(from + lengths[i]) - at(from), 2),
                   "%\" height=\"100%\"/>"});
  }
  if (mark >= 0)
    out += concat({"<rect class=\"tick\" x=\"", fixed(std::min(at(mark), 99.0), 2),
                   "%\" width=\"3\" height=\"100%\"/>"});
  return out + "</svg>";
}

HALOGRAPH_INLINE std::string bar_cell(const std::string& drawn) {
  return "<td class=\"bar\">" + drawn + "</td>";
}

HALOGRAPH_INLINE std::string cell(std::string_view text) { return concat({"<td>", text, "</td>"}); }

HALOGRAPH_INLINE std::string table_of(std::string_view called, std::string_view head,
                                      std::string_view rows, bool sortable, std::string_view kind) {
  return concat({"<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"", called,
                 "\"><table class=\"", sortable ? "sort" : "", kind, "\"><caption>", called,
                 "</caption><thead><tr>", head, "</tr></thead><tbody>\n", rows,
                 "</tbody></table></div>\n"});
}

HALOGRAPH_INLINE std::string head_cell(std::string_view text, bool name) {
  return concat({"<th scope=\"col\"", name ? " class=\"name\"" : "", ">", text, "</th>"});
}

HALOGRAPH_INLINE std::string bar_head(std::string_view text) {
  return concat(
      {"<th scope=\"col\" class=\"name\" data-bar><span class=\"vh\">", text, "</span></th>"});
}

HALOGRAPH_INLINE std::string row_head(std::string_view text) {
  return concat({"<th scope=\"row\">", text, "</th>"});
}

HALOGRAPH_INLINE std::string key_of(std::span<const std::string> names) {
  std::string out = "<ul class=\"key\">";
  for (std::size_t i = 0; i < names.size(); ++i) {
    out += concat({"<li><svg aria-hidden=\"true\" focusable=\"false\"><rect class=\"s",
                   std::min(i, most_series - 1), "\" width=\"100%\" height=\"100%\"/></svg>",
                   names[i], "</li>"});
  }
  return out + "</ul>\n";
}

}  // namespace halograph::detail::html
