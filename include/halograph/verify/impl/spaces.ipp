// SPDX-License-Identifier: BSL-1.0
/// @file spaces.ipp
/// Bodies of the plain functions of verify/spaces.hpp.
/// Layer: verify. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/offsets.hpp>
#include <halograph/core/search.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/folder/load.hpp>
#include <halograph/serial/npy.hpp>
#include <halograph/serial/tensor.hpp>
#include <halograph/verify/findings.hpp>
#include <halograph/verify/spaces.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE bool id_space::bind(const std::vector<std::vector<id_range>>& ranges,
                                     std::size_t parts, std::uint64_t total, const char* noun,
                                     std::string& sentence) {
  parts_ = parts;
  types_ = ranges.size();
  begins_.assign(1, 0);
  for (std::size_t p = 0; p < parts; ++p) {
    for (std::size_t t = 0; t < types_; ++t) {
      const id_range range = ranges[t][p];
      if (range.begin != begins_.back()) {
        sentence = concat({noun, " range of type ", t, " in part ", p, " starts at ", range.begin,
                           "; ranges must leave no gap, so it must start at ", begins_.back()});
        return false;
      }
      begins_.push_back(range.end);
    }
  }
  cell_part_.clear();
  cell_type_.clear();
  for (std::size_t p = 0; p < parts; ++p) {
    for (std::size_t t = 0; t < types_; ++t) {
      cell_part_.push_back(static_cast<part_id>(p));
      cell_type_.push_back(static_cast<type_id>(t));
    }
  }
  if (begins_.back() != total) {
    sentence = concat({noun, " ranges end at ", begins_.back(), "; they must end at the number of ",
                       noun, "s, ", total});
    return false;
  }
  type_begin_.assign(types_ + 1, 0);
  for (std::size_t t = 0; t < types_; ++t) {
    std::uint64_t sum = 0;
    for (std::size_t p = 0; p < parts; ++p) sum += count(p, t);
    type_begin_[t + 1] = type_begin_[t] + sum;
  }
  table_.resize(boundary_index<std::uint64_t>::memory_size(parts_ * types_));
  return static_cast<bool>(boundary_index<std::uint64_t>::build(ends(), table_));
}

HALOGRAPH_INLINE void id_space::bind(std::vector<part_id> owner,
                                     const std::vector<std::uint64_t>& counts, std::size_t parts) {
  parts_ = parts;
  types_ = counts.size();
  owner_ = std::move(owner);
  mapped_ = true;
  type_begin_ = offsets_of(counts);
  counts_.assign(parts_ * types_, 0);
  for (std::size_t t = 0; t < types_; ++t) {
    for (auto i = static_cast<std::size_t>(type_begin_[t]); i < type_begin_[t + 1]; ++i)
      ++counts_[owner_[i] * types_ + t];
  }
}

HALOGRAPH_INLINE bool bind_spaces(const partition_config& config, const any_file_opener& files,
                                  id_space& nodes, id_space& edges, finding_list& findings) {
  findings.done(check_kind::book);
  if (config.parts.size() < config.num_parts) {
    findings.add(check_kind::book, config.path,
                 concat({"key \"part-", config.parts.size(), "\" is missing; there are ",
                         config.num_parts, " parts"}));
    return false;
  }
  try {
    const auto book = load_partition_book(config, 0, files);
    std::string sentence;
    if (config.reshuffled()) {
      if (!nodes.bind(config.node_map, config.num_parts, config.num_nodes, "node", sentence) ||
          !edges.bind(config.edge_map, config.num_parts, config.num_edges, "edge", sentence)) {
        findings.add(check_kind::book, config.path, std::move(sentence));
        return false;
      }
    } else {
      const auto owners = [&](const std::string& file) {
        const std::string path = config.resolve(file);
        const tensor column = read_npy(files(path), path);  // load_partition_book has checked it
        std::vector<part_id> out(static_cast<std::size_t>(column.rows()));
        for (std::size_t i = 0; i < out.size(); ++i)
          out[i] = static_cast<part_id>(column.integer(i));
        return out;
      };
      nodes.bind(owners(config.node_map_file), config.nodes_per_type, config.num_parts);
      edges.bind(owners(config.edge_map_file), config.edges_per_type, config.num_parts);
      const std::uint64_t dropped = config.cut_edges_dropped.value_or(0);
      if (nodes.size() != config.num_nodes ||
          edges.size() - std::min(dropped, edges.size()) != config.num_edges) {
        findings.add(check_kind::book, config.path,
                     concat({"the maps hold ", nodes.size(), " nodes and ", edges.size(),
                             " edges, \"num_nodes\" and \"num_edges\" say otherwise"}));
        return false;
      }
    }
    // The first and last ID of every cell, where off-by-one errors show.
    std::visit(
        [&](const auto& answers) {
          const auto compare = [&](const id_space& space, const char* noun, const auto& part_of,
                                   const auto& typed) {
            for (std::size_t p = 0; p < config.num_parts; ++p) {
              for (std::size_t t = 0; t < space.types(); ++t) {
                const std::uint64_t count = space.count(p, t);
                if (count == 0 || space.mapped()) continue;
                for (const std::uint64_t id : {space.first(p, t), space.first(p, t) + count - 1}) {
                  if (part_of(id) == p && typed(id) == t) continue;
                  findings.add(
                      check_kind::book, config.path,
                      concat({"the partition book places ", noun, " ", id, " in part ", part_of(id),
                              ", type ", typed(id), "; it names part ", p, ", type ", t}));
                }
              }
            }
          };
          compare(
              nodes, "node", [&](std::uint64_t id) { return answers.nid2partid(id); },
              [&](std::uint64_t id) { return answers.map_to_per_ntype(id).type; });
          compare(
              edges, "edge", [&](std::uint64_t id) { return answers.eid2partid(id); },
              [&](std::uint64_t id) { return answers.map_to_per_etype(id).type; });
        },
        book);
  } catch (const error& problem) {
    findings.add(check_kind::book, config.path, problem);
    return false;
  }
  return true;
}

}  // namespace halograph::detail
