// SPDX-License-Identifier: BSL-1.0
/// @file help_text.hpp
/// What is made of the declared commands and flags: the help, manual pages and completion.
#pragma once

#include "flag_values.hpp"

#include <string>
#include <string_view>

namespace halograph::cli {

/// Columns that the help takes at most.
inline constexpr std::size_t help_width = 100;

/// The help of a command. @param color  headings are bold, for a terminal
std::string help_text(const command_words& command, bool color);

/// The manual page of a command, in roff with the macros man. @param program  all commands
std::string man_page(const command_words& program, const command_words& command);

/// The completion script for a shell. @param shell  one of completion_shells
std::string completion_script(std::string_view shell, const command_words& program);
inline constexpr const char* completion_shells[] = {"bash", "zsh", "fish"};

/// The command of this name, such as "parmetis export"; "": the program. @errors usage_error: none
/// has it
command_words find_command(const command_words& program, const std::string& name);

/// The version, and the libraries and the compiler that the program was built with.
std::string version_text();

/// May colors be written to this file? To a terminal that knows them, unless NO_COLOR is set.
bool shows_color(int file);

}  // namespace halograph::cli
