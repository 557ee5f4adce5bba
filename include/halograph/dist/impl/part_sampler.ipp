// SPDX-License-Identifier: BSL-1.0
/// @file part_sampler.ipp
/// Bodies of the plain functions of dist/part_sampler.hpp.
/// Layer: dist. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>
#include <halograph/dist/draw_neighbors.hpp>
#include <halograph/dist/part_graph.hpp>
#include <halograph/dist/part_sampler.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/element.hpp>
#include <halograph/serial/half.hpp>
#include <halograph/serial/tensor.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE double weight_at(const tensor& column, std::size_t i) noexcept {
  const auto load = [&](auto value) {
    return load_as<decltype(value)>(column.bytes().data() + i * sizeof value);
  };
  switch (column.type()) {
    case dtype::float64:
      return load(double{});
    case dtype::float32:
      return static_cast<double>(load(float{}));
    case dtype::float16:
      return static_cast<double>(float_from_half(load(std::uint16_t{})));
    case dtype::bfloat16:
      return static_cast<double>(float_from_bfloat16(load(std::uint16_t{})));
    case dtype::int8:
      return load(std::int8_t{}) < 0 ? -1 : 1;
    case dtype::int16:
      return load(std::int16_t{}) < 0 ? -1 : 1;
    case dtype::int32:
      return load(std::int32_t{}) < 0 ? -1 : 1;
    case dtype::int64:
      return load(std::int64_t{}) < 0 ? -1 : 1;
    default:
      return 1;
  }
}

}  // namespace halograph::detail

namespace halograph {

HALOGRAPH_INLINE part_sampler::part_sampler(const part_graph& part, edge_direction direction,
                                            std::vector<std::uint64_t> keys)
    : part_(&part), direction_(direction), keys_(std::move(keys)) {
  const std::size_t wanted = direction == edge_direction::in && !part.completes_halo_nodes()
                                 ? part.num_inner_nodes()
                                 : part.num_nodes();
  if (!keys_.empty() && keys_.size() != wanted && keys_.size() != part.num_nodes()) {
    raise(error_kind::mismatch,
          concat({"part ", part.part(), " has ", wanted, " nodes but ", keys_.size(),
                  " original IDs; it needs one for each node"}));
  }
  const auto& schema = part.book().schema();
  types_of_.resize(schema.num_node_types());
  for (std::size_t r = 0; r < schema.num_edge_types(); ++r) {
    const auto type = static_cast<type_id>(r);
    types_of_[direction == edge_direction::in ? schema.target_type(type) : schema.source_type(type)]
        .push_back(type);
  }
  num_edge_types_ = schema.num_edge_types();
  arrange();
}

HALOGRAPH_INLINE void part_sampler::weigh(const tensor& weights) {
  if (weights.rank() != 1 || weights.rows() != part_->num_edges()) {
    raise(error_kind::mismatch, concat({"weights have shape ", to_string(weights.shape()),
                                        "; they must be one number for each of the ",
                                        part_->num_edges(), " edges of part ", part_->part()}));
  }
  const auto as = [&](auto stored, auto wide) {
    using Wide = decltype(wide);
    weigh_as<Wide>([&](std::span<const std::size_t> edges, std::span<Wide> out) {
      for (std::size_t i = 0; i < edges.size(); ++i) {
        out[i] = static_cast<Wide>(
            detail::load_as<decltype(stored)>(weights.bytes().data() + edges[i] * sizeof stored));
      }
    });
  };
  switch (weights.type()) {
    case dtype::int8:
      return as(std::int8_t{}, std::int64_t{});
    case dtype::int16:
      return as(std::int16_t{}, std::int64_t{});
    case dtype::int32:
      return as(std::int32_t{}, std::int64_t{});
    case dtype::int64:
      return as(std::int64_t{}, std::int64_t{});
    case dtype::uint8:
    case dtype::boolean:
      return as(std::uint8_t{}, std::uint64_t{});
    case dtype::uint16:
      return as(std::uint16_t{}, std::uint64_t{});
    case dtype::uint32:
      return as(std::uint32_t{}, std::uint64_t{});
    case dtype::uint64:
      return as(std::uint64_t{}, std::uint64_t{});
    case dtype::float32:
      return as(float{}, double{});
    case dtype::float64:
      return as(double{}, double{});
    case dtype::float16:
    case dtype::bfloat16:
      return weigh_as<double>([&](std::span<const std::size_t> edges, std::span<double> out) {
        for (std::size_t i = 0; i < edges.size(); ++i)
          out[i] = detail::weight_at(weights, edges[i]);
      });
  }
}

template <class Wide>
void part_sampler::weigh_as(
    function_ref<void(std::span<const std::size_t>, std::span<Wide>)> load) {
  number_rows();
  ends_.assign(static_cast<std::size_t>(begin_.back()), 0);
  std::vector<std::size_t> edges;
  std::vector<Wide> row;
  for (std::size_t v = 0; v < part_->num_nodes(); ++v) {
    if (!holds_all(v)) continue;
    const std::size_t all = degree(v);
    std::size_t first = 0;
    for (const type_id type : types_of_[part_->node_type(v)]) {
      const std::size_t last = end_of_type(v, first, all, type);
      edges.resize(last - first);
      row.resize(last - first);
      for (std::size_t k = first; k < last; ++k) edges[k - first] = edge(v, k).second;
      load(edges, row);
      const auto ends = std::span(ends_).subspan(static_cast<std::size_t>(begin_[v]) + first,
                                                 last - first);
      if (const status summed = cumulate_weights_into(std::span<const Wide>(row), ends); !summed) {
        raise(summed.code,
              concat({"part ", part_->part(), ": the weight of edge ",
                      part_->global_edge_of(edges[static_cast<std::size_t>(summed.position)]),
                      " is negative, infinite or not a number; weights must be finite and ",
                      "at least 0"}));
      }
      first = last;
    }
  }
}

HALOGRAPH_INLINE void part_sampler::number_rows() {
  if (!begin_.empty()) return;
  begin_.resize(part_->num_nodes() + 1);
  for (std::size_t v = 0; v < part_->num_nodes(); ++v)
    begin_[v + 1] = begin_[v] + (holds_all(v) ? degree(v) : 0);
}

HALOGRAPH_INLINE bool part_sampler::takes_stored_order(const part_graph& part,
                                                       edge_direction direction) {
  bool arranged = direction == edge_direction::in;
  for (std::size_t v = 0; arranged && v < part.num_nodes(); ++v) {
    if (!part.has_all_in_edges(v)) continue;
    global_id before = -1;
    part.for_each_in_edge(v, [&](std::size_t, std::size_t e) {
      const global_id id = part.global_edge_of(e);
      arranged = arranged && id > before;
      before = id;
    });
  }
  return arranged;
}

HALOGRAPH_INLINE void part_sampler::arrange() {
  if (takes_stored_order(*part_, direction_)) return;
  number_rows();
  order_.resize(static_cast<std::size_t>(begin_.back()));
  struct place {
    std::uint64_t type, key;
    global_id edge;
    std::uint64_t at;
  };
  std::vector<place> row;
  for (std::size_t v = 0; v < part_->num_nodes(); ++v) {
    if (!holds_all(v)) continue;
    row.clear();
    for (std::size_t k = 0; k < degree(v); ++k) {
      const auto [neighbor, e] = listed(v, k);
      // The global IDs of in-edges are by type already.
      if (direction_ == edge_direction::in)
        row.push_back({0, 0, part_->global_edge_of(e), k});
      else
        row.push_back({part_->edge_type(e), key_of(neighbor), part_->global_edge_of(e), k});
    }
    std::sort(row.begin(), row.end(), [](const place& a, const place& b) {
      if (a.type != b.type) return a.type < b.type;
      return a.key != b.key ? a.key < b.key : a.edge < b.edge;
    });
    for (std::size_t k = 0; k < row.size(); ++k)
      order_[static_cast<std::size_t>(begin_[v]) + k] = row[k].at;
  }
}

}  // namespace halograph
