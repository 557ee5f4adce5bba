// SPDX-License-Identifier: BSL-1.0
/// @file part.ipp
/// Bodies of the plain functions of verify/part.hpp.
/// Layer: verify. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/folder/load.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/layout.hpp>
#include <halograph/serial/serializer.hpp>
#include <halograph/verify/findings.hpp>
#include <halograph/verify/part.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE part_signature::part_signature(const loaded_structure& graph)
    : formats(static_cast<std::uint8_t>((graph.coo ? 1 : 0) | (graph.csr ? 2 : 0) |
                                        (graph.csc ? 4 : 0))) {
  for (const auto& one : graph.node_columns)
    columns.emplace_back("node column " + one.name, one.value.type());
  for (const auto& one : graph.edge_columns)
    columns.emplace_back("edge column " + one.name, one.value.type());
  std::sort(columns.begin(), columns.end());
}

HALOGRAPH_INLINE bool agree(const part_signature& first, const part_signature& here,
                            const std::string& file, finding_log& findings) {
  const bool same = first.columns == here.columns && first.formats == here.formats;
  if (first.columns != here.columns) {
    findings.add(
        check_kind::structure, file,
        "the columns of this part differ from those of an earlier one in name or dtype; all parts must have the same");
  }
  if (first.formats != here.formats) {
    findings.add(check_kind::structure, file,
                 concat({"this part is stored as ", sparse_formats{here.formats}.str(),
                         ", an earlier part as ", sparse_formats{first.formats}.str(),
                         "; all parts must have the same formats"}));
  }
  return same;
}

}  // namespace halograph::detail
