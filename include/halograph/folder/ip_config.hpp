// SPDX-License-Identifier: BSL-1.0
/// @file ip_config.hpp
/// The list of machines that trainers run on: one address per line, in the order of ranks.
/// Layer: folder. Words: README.md.
#pragma once

#include <halograph/core/linkage.hpp>
#include <halograph/serial/files/file.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

/// One line of an ip_config file.
struct machine {
  std::string address{};                ///< an IP address or a host name, as written
  std::optional<std::uint16_t> port{};  ///< the second field, if any
  friend bool operator==(const machine&, const machine&) = default;
};

/// Read `address [port]` per line, skipping empty lines. Addresses are not resolved.
/// @errors malformed with the line: more than two fields, an invalid port, a control character;
///         not_found and io: those of the opener
std::vector<machine> read_ip_config(const std::string& path, const any_file_opener& open);

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/folder/impl/ip_config.ipp>
#endif
