// SPDX-License-Identifier: BSL-1.0
/// @file serializer.ipp
/// Bodies of the plain functions of serial/serializer.hpp.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/unmet.hpp>
#include <halograph/serial/layout.hpp>
#include <halograph/serial/serializer.hpp>

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

HALOGRAPH_INLINE void check_roles(const any_serializer& format, const part_description& plan,
                                  const part_layout& layout) {
  struct role {
    const std::string& file;
    bool wanted;
    const char* what;
  };
  const role roles[] = {
      {layout.node_feature_file, !plan.node_features.empty(), "node features"},
      {layout.edge_feature_file, !plan.edge_features.empty(), "edge features"},
      {layout.original_nodes_file, !plan.original_nodes.empty(), "original node IDs"},
      {layout.original_edges_file, !plan.original_edges.empty(), "original edge IDs"}};
  const auto format_name = [&] { return "format \"" + std::string(format.name()) + "\""; };
  for (const role& one : roles) {
    if (one.wanted && one.file.empty())
      raise(error_kind::unsupported,
            format_name() + " lays out no file for " + one.what +
                ", which the part has; leave them out, or name the file in its layout");
    if (!format.tells_columns_apart()) {
      for (const role* before = roles; before != &one; ++before) {
        if (one.file.empty() || one.file != before->file) continue;
        raise(
            error_kind::invalid_argument,
            format_name() + " keeps " + before->what + " and " + one.what +
                " in one file, which its read_features(bytes, file) cannot tell apart; let it take the column that is wanted, too",
            {.file = one.file});
      }
    }
  }
}

}  // namespace halograph
