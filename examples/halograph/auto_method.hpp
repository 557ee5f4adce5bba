// SPDX-License-Identifier: BSL-1.0
/// @file auto_method.hpp
/// --method auto, the default of partition and assign: multilevel where it fits in memory,
/// compressed if need be, else buffered.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace halograph::cli {

inline constexpr std::string_view auto_method = "auto";

/// What auto has come to. The reason completes the sentence "method X, because ...".
struct method_choice {
  std::string method{};
  std::string reason{};  ///< empty: the method was named
  bool compress = false;
};

/// What other flags say about the method: one that means something to one method alone chooses it.
/// @param volume      is the communication volume to be minimized?
/// @param metis       are there options of METIS?
/// @param multilevel  a given flag that only multilevel knows, or ""
/// @return auto where they say nothing
method_choice choose_by_flags(const std::string& method, bool volume, bool metis,
                              std::string_view multilevel);

/// Multilevel where it fits, compressed if it does not fit otherwise.
/// @param needed      bytes of the run with multilevel
/// @param compressed  of one that compresses
/// @param room        bytes that it may take
/// @param budget      is `room` what the user allows, or what is free?
method_choice choose_by_memory(std::uint64_t needed, std::uint64_t compressed, std::uint64_t room,
                               bool budget);

}  // namespace halograph::cli
