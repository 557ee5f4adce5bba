// SPDX-License-Identifier: BSL-1.0
/// @file output_guard.hpp
/// Rejects outputs that would replace an input of the run.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/schema/schema.hpp>

#include <filesystem>
#include <string>
#include <system_error>

namespace halograph {

namespace detail {

/// The canonical path, links followed; it need not exist.
std::filesystem::path canonical_place(const std::string& name);
/// Is `place` the folder, or inside it? Both are canonical.
bool holds_place(const std::filesystem::path& folder, const std::filesystem::path& place);

}  // namespace detail

/// Is `path` the folder `target`, or inside it? Links are followed; neither needs to exist.
bool is_inside(const std::string& target, const std::string& path);

namespace detail {

[[noreturn]] inline void raise_over_input(const std::string& target, const std::string& input) {
  raise(error_kind::invalid_argument, "the output " + graph_schema::quoted(target) +
                                          " would replace the input " +
                                          graph_schema::quoted(input) + "; name another folder");
}

}  // namespace detail

/// @errors raises invalid_argument: `input` is the folder `target` or inside it
inline void reject_output_over_input(const std::string& target, const std::string& input) {
  if (is_inside(target, input)) detail::raise_over_input(target, input);
}

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/serial/files/impl/output_guard.ipp>
#endif
