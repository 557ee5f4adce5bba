// SPDX-License-Identifier: BSL-1.0
/// @file ip_config.ipp
/// Bodies of the plain functions of folder/ip_config.hpp.
/// Layer: folder. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/folder/ip_config.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/files/file.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace halograph {

HALOGRAPH_INLINE std::vector<machine> read_ip_config(const std::string& path,
                                                     const any_file_opener& open) {
  const file_bytes content = open(path);
  std::string_view rest(reinterpret_cast<const char*>(content.bytes.data()), content.bytes.size());
  std::vector<machine> machines;
  for (std::uint64_t line = 1; !rest.empty(); ++line) {
    const auto end = rest.find('\n');
    std::string_view text = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    std::vector<std::string_view> fields;
    for (;;) {
      const auto begin = text.find_first_not_of(" \t\r");
      if (begin == std::string_view::npos) break;
      const auto stop = std::min(text.find_first_of(" \t\r", begin), text.size());
      fields.push_back(text.substr(begin, stop - begin));
      text.remove_prefix(stop);
    }
    if (fields.empty()) continue;
    const location where{.file = path, .line = line};
    if (fields.size() > 2) {
      raise(error_kind::malformed,
            concat({"there are ", fields.size(),
                    " fields; a line holds an address and optionally a port"}),
            where);
    }
    if (!is_safe_name(fields[0])) {
      raise(error_kind::malformed, graph_schema::quoted(fields[0]) + " is not an address", where);
    }
    machine one{std::string(fields[0]), {}};
    if (fields.size() == 2) {
      std::uint16_t port = 0;
      const auto [ptr, problem] = std::from_chars(fields[1].data(),
                                                  fields[1].data() + fields[1].size(), port);
      if (problem != std::errc{} || ptr != fields[1].data() + fields[1].size() || port == 0) {
        raise(error_kind::malformed,
              graph_schema::quoted(fields[1]) +
                  " is not a port; it must be an integer from 1 to 65535",
              where);
      }
      one.port = port;
    }
    machines.push_back(std::move(one));
  }
  return machines;
}

}  // namespace halograph
