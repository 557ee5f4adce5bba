// SPDX-License-Identifier: BSL-1.0
/// @file html.hpp
/// Text, numbers, bars and tables of a page for browsers.
/// Layer: folder. Words: README.md.
#pragma once

#include <halograph/core/linkage.hpp>
#include <halograph/serial/text/readable.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace halograph::detail::html {

using readable::counted;
using readable::fixed;
using readable::grouped;
using readable::percent;

/// What every page begins with.
inline constexpr std::string_view page_opening =
    "<!doctype html>\n<!-- a report of halograph -->\n";

/// Colors are Okabe and Ito's, which the color-blind can tell apart; patterns and shapes differ
/// too. With colors for dark screens and for paper.
std::string_view page_style() noexcept;
/// Sorts tables of class "sort" by the column whose heading is clicked; pages work without it.
std::string_view page_script() noexcept;
/// base64 of the script's SHA-256: a page lets browsers run this script and no other.
std::string_view page_script_hash() noexcept;

/// Series that bars tell apart; further ones look like the last.
inline constexpr std::size_t most_series = 6;
/// Rows of a table, and of a matrix.
inline constexpr std::size_t most_rows = 64;

/// Text that a browser shows as it is. What would be invisible or would turn the direction of the
/// text around is shown as bytes; after 100 characters it is cut off.
std::string html_text(std::string_view text);
std::string html_name(std::string_view text);
double share_of(std::uint64_t part, std::uint64_t whole);
/// A bar of segments, each with the next pattern; it only repeats numbers of its row.
/// @param mark    draws a line there, if not negative
/// @param series  that of the first segment; most_series: for what is over its bound
std::string bar(std::span<const double> lengths, double whole, double mark = -1,
                std::size_t series = 0);
std::string bar_cell(const std::string& drawn);
std::string cell(std::string_view text);
/// @param called  caption, and name of the region that scrolls
std::string table_of(std::string_view called, std::string_view head, std::string_view rows,
                     bool sortable = true, std::string_view kind = "");
std::string head_cell(std::string_view text, bool name = false);
std::string bar_head(std::string_view text);
std::string row_head(std::string_view text);
std::string key_of(std::span<const std::string> names);

}  // namespace halograph::detail::html

#if !HALOGRAPH_COMPILED
#include <halograph/folder/impl/html.ipp>
#endif
