// SPDX-License-Identifier: BSL-1.0
/// @file access.ipp
/// Bodies of the plain functions of folder/access.hpp.
/// Layer: folder. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/folder/access.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/serializer.hpp>

#include <string>
#include <utility>
#include <vector>

namespace halograph {

HALOGRAPH_INLINE const any_serializer& format_list::of(const partition_config& config) const {
  for (const any_serializer& one : formats_) {
    if (one.name() == config.serializer) return one;
  }
  std::string known;
  for (const any_serializer& one : formats_)
    known += (known.empty() ? "" : ", ") + std::string(one.name());
  raise(error_kind::unsupported,
        concat({"the files are in format ", graph_schema::quoted(config.serializer),
                "; this program reads ", known}),
        {config.path, {}, {}});
}

}  // namespace halograph
