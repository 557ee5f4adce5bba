// SPDX-License-Identifier: BSL-1.0
/// @file copy_script.ipp
/// Bodies of the plain functions of folder/copy_script.hpp.
/// Layer: folder. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/folder/copy_script.hpp>
#include <halograph/folder/ip_config.hpp>
#include <halograph/schema/schema.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace halograph {

HALOGRAPH_INLINE void check_machines(std::span<const machine> machines, std::uint64_t parts,
                                     const std::string& file) {
  if (machines.empty())
    raise(error_kind::malformed,
          "the file lists no machines; it needs one line `address [port]` for each",
          {.file = file});
  if (parts % machines.size() != 0) {
    raise(error_kind::mismatch,
          concat({parts, " parts cannot be distributed evenly over ", machines.size(),
                  " machines; the number of parts must be a multiple of the number of machines"}),
          {.file = file});
  }
  for (const auto& one : machines) {
    if (one.address.starts_with('-'))
      raise(error_kind::malformed, graph_schema::quoted(one.address) + " is not an address",
            {.file = file});
  }
}

HALOGRAPH_INLINE std::vector<std::vector<std::uint64_t>> parts_of_machines(std::size_t machines,
                                                                           std::uint64_t parts) {
  std::vector<std::vector<std::uint64_t>> out(machines);
  for (std::uint64_t p = 0; p < parts; ++p)
    out[static_cast<std::size_t>(p % machines)].push_back(p);
  return out;
}

HALOGRAPH_INLINE std::string shell_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'')
      out += "'\\''";
    else
      out += c;
  }
  return out + "'";
}

HALOGRAPH_INLINE std::string copy_script(std::span<const machine> machines, std::uint64_t parts,
                                         std::span<const std::string> shared) {
  std::string out = concat(
      {"#!/bin/sh\n"
       "# Copy each machine its parts, the config and the manifest.\n"
       "# usage: sh ",
       copy_script_name,
       " FOLDER     (a folder on the machines; made where missing)\n"
       "# SSH names the command that reaches a machine, with its options (default: ssh).\n"
       "# Afterwards, on each machine: halograph verify FOLDER/CONFIG.json --part N\n"
       "set -eu\n"
       "here=$(CDPATH= cd -- \"$(dirname -- \"$0\")\" && pwd)\n"
       "folder=${1:?give the folder on the machines}\n"
       "quoted=$(printf %s \"$folder\" | sed \"s/'/'\\\\\\\\''/g\")\n"
       "copy() {\n"
       "  machine=$1\n"
       "  shift\n"
       "  tar -C \"$here\" -cf - -- \"$@\" | ${SSH:-ssh} \"$machine\" \"mkdir -p -- '$quoted' && tar -C '$quoted' -xf -\"\n"
       "}\n"});
  const auto shares = parts_of_machines(machines.size(), parts);
  for (std::size_t m = 0; m < machines.size(); ++m) {
    out += "copy " + shell_quoted(machines[m].address);
    for (const auto& file : shared) out += " " + shell_quoted(file);
    for (const auto p : shares[m]) out += concat({" part", p});
    out += "\n";
  }
  return out;
}

}  // namespace halograph
