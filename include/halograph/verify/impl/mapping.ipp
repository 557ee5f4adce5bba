// SPDX-License-Identifier: BSL-1.0
/// @file mapping.ipp
/// Bodies of the plain functions of verify/mapping.hpp.
/// Layer: verify. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/folder/load.hpp>
#include <halograph/folder/node_mapping.hpp>
#include <halograph/folder/original_ids.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/structure.hpp>
#include <halograph/serial/tensor.hpp>
#include <halograph/verify/findings.hpp>
#include <halograph/verify/mapping.hpp>
#include <halograph/verify/state.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE bool mapping_files::read_compact() {
  const std::string file = node_mapping_file(context_.config);
  try {
    compact_ = read_node_mapping(context_.config, context_.files);
  } catch (const error& problem) {
    findings_.done(check_kind::mapping);
    findings_.add(check_kind::mapping, file, problem);
    context_.compact_mapping_wrong = true;
    return false;
  }
  if (!compact_) return false;
  findings_.done(check_kind::mapping);
  context_.compact_mapping_wrong = in_original_order(context_.config) && !check_owners(file);
  return !context_.compact_mapping_wrong;
}
HALOGRAPH_INLINE bool mapping_files::check_owners(const std::string& file) {
  const auto& space = context_.nodes;
  const std::size_t parts = context_.config.num_parts, types = space.types();
  std::vector<std::uint64_t> owned(parts * types);
  bool good = true;
  with_integers(*compact_, [&](auto owner) {
    for (std::size_t t = 0; t < types; ++t) {
      for (std::uint64_t i = 0; i < space.size_of(t); ++i) {
        const std::int64_t p = owner(space.begin_of(t) + i);
        if (p >= 0 && static_cast<std::uint64_t>(p) < parts) {
          ++owned[static_cast<std::size_t>(p) * types + t];
          continue;
        }
        good = false;
        findings_.add(check_kind::mapping, file, "part of a node", [&] {
          return concat({"node ", i, " of type ", context_.node_type_name(t), " is in part ", p,
                         "; parts are 0 to ", std::uint64_t{parts - 1}});
        });
      }
    }
  });
  for (std::size_t cell = 0; good && cell < owned.size(); ++cell) {
    const std::size_t p = cell / types, t = cell % types;
    if (owned[cell] == space.count(p, t)) continue;
    good = false;
    findings_.add(
        check_kind::mapping, file,
        concat({"part ", p, " owns ", owned[cell], " nodes of type ", context_.node_type_name(t),
                " here; the config gives it ", space.count(p, t)}));
  }
  return good;
}

HALOGRAPH_INLINE std::uint64_t mapping_files::most_original(bool of_nodes, std::size_t t) const {
  const auto& space = of_nodes ? context_.nodes : context_.edges;
  const auto& counts = of_nodes ? context_.input_nodes : context_.input_edges;
  if (!counts.empty()) return counts[t];
  return space.size_of(t) +
         (of_nodes || space.mapped() ? 0 : context_.config.cut_edges_dropped.value_or(0));
}

HALOGRAPH_INLINE void mapping_files::read_mapping_file(std::size_t p, bool of_nodes,
                                                       const std::string& file,
                                                       take_rows take_mapping) {
  const auto& space = of_nodes ? context_.nodes : context_.edges;
  std::vector<named_tensor> all;
  try {
    all = context_.formats.of(context_.config)
              .read_features(context_.files(file), file,
                             of_nodes ? column::original_nodes : column::original_edges);
  } catch (const error& problem) {
    context_.mapping_good = false;
    findings_.add(check_kind::mapping, file, problem);
    return;
  }
  std::vector<bool> taken(space.types());
  for (const auto& one : all) {
    const auto t = context_.find_type(of_nodes, one.name);
    if (!t) {
      context_.mapping_good = false;
      findings_.add(check_kind::mapping, file,
                    concat({"tensor ", graph_schema::quoted(one.name), " names no ",
                            context_.noun(of_nodes), " type of the config"}));
      continue;
    }
    taken[*t] = true;
    const std::uint64_t count = space.count(p, *t);
    if (one.value.rank() != 1 || one.value.rows() != count || one.value.type() != dtype::int64) {
      context_.mapping_good = false;
      findings_.add(check_kind::mapping, file,
                    concat({"original IDs of type ", context_.type_name(of_nodes, *t),
                            " have dtype ", name(one.value.type()), " and shape ",
                            to_string(one.value.shape()), "; they must be int64 of shape (", count,
                            ",), one for each inner ", context_.noun(of_nodes)}));
      continue;
    }
    take_mapping(p, *t, of_nodes, one.value, 0, file);
  }
  for (std::size_t t = 0; t < taken.size(); ++t) {
    if (taken[t] || (space.count(p, t) == 0 && all.size() != taken.size())) continue;
    context_.mapping_good = context_.mapping_good && space.count(p, t) == 0;
    findings_.add(check_kind::mapping, file,
                  concat({"there are no original IDs of type ", context_.type_name(of_nodes, t),
                          "; every type must have them"}));
  }
}

HALOGRAPH_INLINE void mapping_files::read_mapping_columns(std::size_t p, take_rows take_mapping) {
  open_part part;
  if (!open(context_, p, part, reading::columns)) {
    context_.mapping_good = false;
    return;
  }
  const auto take = [&](bool of_nodes, const tensor* column, std::uint64_t rows) {
    const auto& space = of_nodes ? context_.nodes : context_.edges;
    if (column == nullptr || !is_integer(column->type()) || column->rank() != 1 ||
        column->rows() < space.count(p) || column->rows() != rows) {
      context_.mapping_good = false;
      findings_.add(check_kind::mapping, part.file,
                    std::string(context_.noun(of_nodes)) +
                        "s have no usable column \"orig_id\", which other parts have");
      return;
    }
    std::uint64_t from = 0;
    for (std::size_t t = 0; t < space.types(); ++t) {
      take_mapping(p, t, of_nodes, *column, from, part.file);
      from += space.count(p, t);
    }
  };
  take(true, part.original, part.graph.nodes);
  take(false, part.edge_original, part.graph.edges);
}

}  // namespace halograph::detail
