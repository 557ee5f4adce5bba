// SPDX-License-Identifier: BSL-1.0
/// @file report.hpp
/// Pages for browsers: `report --html` and `partition --report`.
#pragma once

#include <halograph/core/executor.hpp>
#include <halograph/folder/access.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/folder/html_report.hpp>
#include <halograph/folder/report.hpp>

#include <span>
#include <string>

namespace halograph::cli {

/// Refuse a page that would be inside a partition folder or replace what is not a page; what it
/// replaces may not be read from now on.
/// @errors usage_error: it is inside; those of require_html_target()
void guard_page(const std::string& page, const std::string& folder, const char* flag);

/// A folder with the figures that pages show. @errors those of report_folder()
reported_folder page_entry(const partition_config& config, const folder_access& access,
                           report_options options, executor_ref threads);

/// Write the page. @errors those of write_html_report()
void write_page(std::span<const reported_folder> folders, const std::string& page);

}  // namespace halograph::cli
