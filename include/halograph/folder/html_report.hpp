// SPDX-License-Identifier: BSL-1.0
/// @file html_report.hpp
/// The report of one or several partition folders as a page for browsers.
/// Layer: folder. Words: README.md.
/// One page, complete in itself: no network, no fonts, no images but its own SVG, and a script of a
/// few lines that sorts tables. Every bar and every color stands beside its number or name as text.
#pragma once

#include <halograph/core/linkage.hpp>
#include <halograph/folder/quality_report.hpp>
#include <halograph/folder/report.hpp>
#include <halograph/serial/json.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace halograph {

/// One folder on a page.
struct reported_folder {
  std::string graph{};                      ///< its name
  std::string method{};                     ///< how nodes were assigned
  std::uint64_t hops = 0;                   ///< HALO depth
  folder_report found{};                    ///< figures are shown if they are there
  std::optional<json::value> simulation{};  ///< as read_simulation() returns it
  std::vector<step_report> steps{};  ///< of the run that made the folder, where they are known
};

/// The page as text. Its bytes depend on the folders alone. Names may hold anything: they are
/// shown as text. Of more than 64 parts the largest and the smallest are listed, and neighboring
/// parts share rows of the matrix, so that a page has at most some 300 KB for each folder.
///
/// @param folders  at least one; several are compared side by side, on the same scales
/// @complexity     O(parts log parts + types + pairs of parts with edges) for each folder
std::string html_report(std::span<const reported_folder> folders);

/// Write a page to a file, whole or not at all.
/// @errors  exists: `path` is there and no such page; busy: another run writes it; io
void write_html_report(std::string_view page, const std::string& path);

/// May a page be written there? @errors as write_html_report, as far as that is known before
void require_html_target(const std::string& path);

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/folder/impl/html_report.ipp>
#endif
