// SPDX-License-Identifier: BSL-1.0
/// @file inspect_input.hpp
/// halograph inspect: graphs that partition reads and that no file of their own describes.
#pragma once

#include "command.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace halograph::cli {

/// A name from a file, whose control bytes must not reach a terminal, and without quotes.
std::string shown(std::string_view text);

/// What is in a graph of any input format, from its counts: no edge is kept.
/// @return nothing: it is no input
/// @errors those of the format's reader
std::optional<answer> inspect_input(const std::string& path);

/// The tables that a specification lists.
answer inspect_tables_spec(const json::value& root, const std::string& path);

}  // namespace halograph::cli
