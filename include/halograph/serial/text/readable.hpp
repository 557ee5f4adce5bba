// SPDX-License-Identifier: BSL-1.0
/// @file readable.hpp
/// Numbers for people: digits in groups, counts with their noun, bytes and times with a unit.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/linkage.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace halograph::readable {

/// 1234567 as 1,234,567.
std::string grouped(std::uint64_t number);
/// "1 hop", "12,345 nodes". @param several  of nouns that do not take an s
std::string counted(std::uint64_t number, std::string_view noun, std::string_view several = {});
/// "1.500". @param digits  after the point
std::string fixed(double number, int digits);
/// 0.125 as "12.5%".
std::string percent(double share);
/// "75 s", "5 min 03 s", "12 h 40 min".
std::string duration(double seconds);
/// "12.3 MiB", "512 B".
/// @{
std::string bytes(double bytes);
std::string bytes(std::uint64_t bytes);
/// @}

}  // namespace halograph::readable

#if !HALOGRAPH_COMPILED
#include <halograph/serial/text/impl/readable.ipp>
#endif
