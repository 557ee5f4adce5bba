// SPDX-License-Identifier: BSL-1.0
/// @file simulation_seeds.ipp
/// Bodies of the plain functions of dist/simulation_seeds.hpp.
/// Layer: dist. Words: README.md.
#pragma once

#include <halograph/core/communicator.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/dist/dist_graph.hpp>
#include <halograph/dist/simulation_seeds.hpp>
#include <halograph/folder/original_ids.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/npy.hpp>
#include <halograph/serial/tensor.hpp>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace halograph {

HALOGRAPH_INLINE std::vector<std::vector<global_id>> all_seeds(const dist_graph& g,
                                                               std::optional<type_id> type) {
  std::vector<std::vector<global_id>> seeds(g.num_parts());
  for (auto p = static_cast<std::size_t>(g.part_range().begin); p < g.part_range().end; ++p) {
    const auto nodes = type ? g.book().nodes().cell(p, *type) : g.book().nodes().range(p);
    seeds[p].resize(static_cast<std::size_t>(nodes.size()));
    std::iota(seeds[p].begin(), seeds[p].end(), static_cast<global_id>(nodes.begin));
  }
  return seeds;
}

HALOGRAPH_INLINE std::vector<std::vector<global_id>> seeds_of_feature(const dist_graph& g,
                                                                      type_id type,
                                                                      std::string_view feature) {
  const auto rows = g.nodes(type).data(feature);
  if (element_count(rows.row_shape()) != 1 || !is_integer(rows.type())) {
    raise(error_kind::mismatch,
          concat({"feature ", graph_schema::quoted(feature), " has rows of dtype ",
                  name(rows.type()), " and shape ", to_string(rows.row_shape()),
                  "; to name seeds it must be one integer or boolean for each node"}),
          {.file = g.config().path});
  }
  std::vector<std::vector<global_id>> seeds(g.num_parts());
  for (const auto& part : g.parts()) {
    const tensor& mask = rows.of_part(part.part());
    const auto first = static_cast<global_id>(g.book().nodes().cell(part.part(), type).begin);
    for (std::size_t i = 0; i < g.nodes(type).of_part(part.part()).size(); ++i) {
      if (mask.integer(i) != 0) seeds[part.part()].push_back(first + static_cast<global_id>(i));
    }
  }
  return seeds;
}

HALOGRAPH_INLINE std::vector<std::vector<global_id>> seeds_of_file(const dist_graph& g,
                                                                   type_id type,
                                                                   const std::string& path,
                                                                   const any_file_opener& files,
                                                                   const format_list& formats) {
  const tensor listed = read_npy(files(path), path);
  if (listed.rank() != 1 || !is_integer(listed.type())) {
    raise(error_kind::mismatch,
          concat({"seeds must be a column of integers, not ", name(listed.type()), " of shape ",
                  to_string(listed.shape())}),
          {.file = path});
  }
  std::vector<bool> wanted(static_cast<std::size_t>(g.nodes(type).size()));
  for (std::size_t i = 0; i < listed.rows(); ++i) {
    const auto id = static_cast<std::uint64_t>(listed.integer(i));
    const auto fail = [&](error_kind code, const std::string& what) {
      raise(code, concat({"row ", i, " names node ", listed.integer(i), what}), {.file = path});
    };
    if (id >= wanted.size())
      fail(error_kind::out_of_range,
           concat({"; there are ", wanted.size(), " of type ",
                   graph_schema::quoted(g.schema().node_type_name(type))}));
    if (wanted[static_cast<std::size_t>(id)])
      fail(error_kind::exists, ", as an earlier row does; seeds must differ");
    wanted[static_cast<std::size_t>(id)] = true;
  }
  std::vector<std::vector<global_id>> seeds(g.num_parts());
  for (auto p = static_cast<std::size_t>(g.part_range().begin); p < g.part_range().end; ++p) {
    const auto original = load_original_ids(g.config(), p, {entity::node, type}, files, formats);
    const auto first = static_cast<global_id>(g.book().nodes().cell(p, type).begin);
    for (std::size_t i = 0; i < original.size(); ++i) {
      if (wanted[static_cast<std::size_t>(original[i])])
        seeds[p].push_back(first + static_cast<global_id>(i));
    }
  }
  return seeds;
}

}  // namespace halograph
