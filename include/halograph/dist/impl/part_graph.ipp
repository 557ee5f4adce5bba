// SPDX-License-Identifier: BSL-1.0
/// @file part_graph.ipp
/// Bodies of the plain functions of dist/part_graph.hpp.
/// Layer: dist. Words: README.md.
#pragma once

#include <halograph/book/range_book.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/dist/part_graph.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/folder/load.hpp>
#include <halograph/partition/fixed_point.hpp>
#include <halograph/serial/digest.hpp>
#include <halograph/serial/files/manifest.hpp>
#include <halograph/serial/structure.hpp>
#include <halograph/serial/tensor.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

namespace detail {

/// f(int32_t) or f(int64_t), whichever holds the local IDs.
template <class Function>
auto with_local_width(std::uint64_t nodes, std::uint64_t edges, const Function& f) {
  return std::max(nodes, edges) < std::uint64_t{std::numeric_limits<std::int32_t>::max()}
             ? f(std::int32_t{})
             : f(std::int64_t{});
}

HALOGRAPH_INLINE std::size_t sorted_already(const id_column& ids) {
  std::size_t count = std::min<std::size_t>(1, ids.size());
  while (count < ids.size() && ids[count] >= ids[count - 1]) ++count;
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (std::size_t i = count; i < ids.size(); ++i) least = std::min(least, ids[i]);
  std::size_t low = 0;
  while (low < count) {
    const std::size_t middle = low + (count - low) / 2;
    if (ids[middle] <= least)
      low = middle + 1;
    else
      count = middle;
  }
  return low;
}
HALOGRAPH_INLINE bool ascends(const id_column& ids, std::size_t first) {
  for (std::size_t i = first + 1; i < ids.size(); ++i) {
    if (ids[i] < ids[i - 1]) return false;
  }
  return true;
}

/// Where each row begins, and the edges by row, but for the first `in_order`.
template <class Local>
compressed_columns rows_of(const id_column& rows, std::size_t nodes, std::size_t in_order) {
  std::vector<Local> offsets(nodes + 1), edges(rows.size() - in_order);
  for (std::size_t e = 0; e < rows.size(); ++e) ++offsets[rows[e] + 1];
  for (std::size_t v = 0; v < nodes; ++v)
    offsets[v + 1] = static_cast<Local>(offsets[v + 1] + offsets[v]);
  if (!edges.empty()) {
    for (std::size_t e = 0; e < rows.size(); ++e) {
      const auto place = static_cast<std::size_t>(offsets[rows[e]]++);
      if (e >= in_order) edges[place - in_order] = static_cast<Local>(e);
    }
    // Now each row begins where the next one should.
    std::copy_backward(offsets.begin(), offsets.end() - 1, offsets.end());
    offsets.front() = 0;
  }
  return {tensor::from(std::move(offsets)), tensor{}, tensor::from(std::move(edges))};
}

HALOGRAPH_INLINE walked_rows::walked_rows(const id_column& rows, const id_column& neighbors,
                                          std::size_t nodes)
    : neighbors_(neighbors), in_order_(sorted_already(rows)), neighbors_by_edge_(true) {
  owner_ = with_local_width(nodes, rows.size(), [&](auto local) {
    return rows_of<decltype(local)>(rows, nodes, in_order_);
  });
  offsets_ = id_column(owner_.offsets);
  edges_ = id_column(owner_.edges);
}

}  // namespace detail

HALOGRAPH_INLINE std::uint64_t part_graph_memory(const loaded_structure& graph, std::uint64_t inner,
                                                 std::uint64_t hops, const part_options& options) {
  const std::uint64_t nodes = graph.nodes, edges = graph.edges,
                      halo = nodes - std::min(nodes, inner),
                      width = detail::with_local_width(
                          nodes, edges, [](auto local) { return std::uint64_t{sizeof(local)}; });
  constexpr std::uint64_t names = 2048;  // and the like
  std::uint64_t bytes = detail::saturating(graph.coo ? 0 : edges, 8, names);
  const auto add_rows = [&](const tensor* rows, bool inner_alone) {
    const std::size_t in_order = rows != nullptr ? detail::sorted_already(detail::id_column(*rows))
                                                 : 0;
    if (inner_alone) {  // the edges to inner nodes come first, in any order
      std::uint64_t owned = in_order;
      while (owned < edges &&
             rows->integer(static_cast<std::size_t>(owned)) < static_cast<std::int64_t>(inner))
        ++owned;
      bytes = detail::saturating(inner + 1, width,
                                 detail::saturating(owned - in_order, width, bytes));
    } else {
      bytes = detail::saturating(nodes + 1, width,
                                 detail::saturating(edges - in_order, width, bytes));
    }
  };
  if (options.in_edges && !graph.csc)
    add_rows(graph.coo ? &graph.coo->target : nullptr, graph.coo && !options.halo_rows && hops < 2);
  if (options.out_edges && !graph.csr) add_rows(graph.coo ? &graph.coo->source : nullptr, false);
  const tensor* const ids = detail::find_column(graph.node_columns, "_ID");
  const bool halo_in_order = ids != nullptr && is_integer(ids->type()) && ids->rank() == 1 &&
                             detail::ascends(detail::id_column(*ids),
                                             static_cast<std::size_t>(nodes - halo));
  // The order of HALO nodes, and layers of nodes of which all in-edges are here.
  return detail::saturating(
      halo, (halo_in_order ? 0 : width) + (options.in_edges && hops > 1 ? 17 : 0), bytes);
}

HALOGRAPH_INLINE part_graph::part_graph(const partition_config& config, part_id part,
                                        loaded_structure graph,
                                        std::shared_ptr<const partition_book> book,
                                        const part_options& options)
    : part_(part),
      graph_(std::move(graph)),
      book_(std::move(book)),
      file_(config.resolve(detail::paths_of(config, part).graph)) {
  if (const auto found = check_structure(graph_))
    fail(error_kind::malformed, found->sentence, found->element);
  number_nodes();
  number_edges();
  if (options.in_edges)
    in_ = graph_.csc ? detail::walked_rows(std::move(*graph_.csc))
          : !options.halo_rows && config.halo_hops < 2
              ? detail::walked_rows(targets_.first(num_inner_edges()), sources_, num_inner_nodes())
              : detail::walked_rows(targets_, sources_, num_nodes());
  if (options.out_edges)
    out_ = graph_.csr ? detail::walked_rows(std::move(*graph_.csr))
                      : detail::walked_rows(sources_, targets_, num_nodes());
  graph_.csc.reset();
  graph_.csr.reset();
  if (options.in_edges) find_complete(config.halo_hops);
}

HALOGRAPH_INLINE detail::id_column part_graph::column(const std::vector<named_tensor>& columns,
                                                      const char* name) const {
  const tensor* const found = detail::find_column(columns, name);
  if (found == nullptr || !is_integer(found->type()) || found->rank() != 1)
    fail(error_kind::malformed, concat({"there is no column of integers \"", name, "\""}), 0);
  return detail::id_column(*found);
}

HALOGRAPH_INLINE void part_graph::check_numbers(const detail::id_column& ids,
                                                const detail::id_column& inner, id_range own,
                                                std::uint64_t all, const char* noun) const {
  if (ids.size() < own.size()) {
    fail(error_kind::mismatch,
         concat({"the config gives this part ", own.size(), " ", noun, "s, the file holds ",
                 ids.size()}),
         ids.size());
  }
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const std::uint64_t id = ids[i];
    const bool mine = i < own.size();
    if (mine ? id != own.begin + i : id >= all || (id >= own.begin && id < own.end)) {
      fail(error_kind::mismatch,
           concat({noun, " ID ", id,
                   (mine ? concat({" stands where the config says ", own.begin + i})
                         : " is none of another part"),
                   "; the file must be part ", part_, " of the graph of this config"}),
           i);
    }
    if ((inner[i] != 0) != mine)
      fail(error_kind::malformed,
           concat({"inner ", noun, "s must come first, and as many as the config says"}), i);
  }
}

HALOGRAPH_INLINE void part_graph::number_nodes() {
  nodes_ = own_range(book_->nodes(), "nodes");
  node_ids_ = column(graph_.node_columns, "_ID");
  check_numbers(node_ids_, column(graph_.node_columns, "inner_node"), nodes_, book_->nodes().size(),
                "node");
  if (!detail::ascends(node_ids_, num_inner_nodes())) sort_halo();
  for (std::size_t i = 1; i < num_nodes() - num_inner_nodes(); ++i) {
    const std::size_t local = halo_by_global(i);
    if (node_ids_[local] == node_ids_[halo_by_global(i - 1)])
      fail(error_kind::malformed, concat({"HALO node ", node_ids_[local], " is there twice"}),
           local);
  }
}

HALOGRAPH_INLINE void part_graph::sort_halo() {
  halo_ = detail::with_local_width(num_nodes(), num_edges(), [&](auto local) {
    using local_id = decltype(local);
    std::vector<local_id> order(num_nodes() - num_inner_nodes());
    std::iota(order.begin(), order.end(), static_cast<local_id>(num_inner_nodes()));
    std::sort(order.begin(), order.end(), [&](local_id a, local_id b) {
      return std::pair(node_ids_[static_cast<std::size_t>(a)], a) <
             std::pair(node_ids_[static_cast<std::size_t>(b)], b);
    });
    return tensor::from(std::move(order));
  });
  halo_column_ = detail::id_column(halo_);
}

HALOGRAPH_INLINE void part_graph::number_edges() {
  edges_ = own_range(book_->edges(), "edges");
  edge_ids_ = column(graph_.edge_columns, "_ID");
  check_numbers(edge_ids_, column(graph_.edge_columns, "inner_edge"), edges_, book_->edges().size(),
                "edge");
  if (!graph_.coo)
    graph_.coo = graph_.csc ? detail::pairs_of(*graph_.csc, false)
                            : detail::pairs_of(*graph_.csr, true);
  sources_ = detail::id_column(graph_.coo->source);
  targets_ = detail::id_column(graph_.coo->target);
  for (std::size_t e = 0; e < num_edges(); ++e) {
    if (is_inner(targets_[e]) != is_inner_edge(e)) {
      fail(error_kind::malformed,
           concat({"edge ", edge_ids_[e], " leads to node ", node_ids_[targets_[e]],
                   "; an edge is owned by the part of the node it leads to"}),
           e);
    }
    edges_from_inner_ += is_inner(sources_[e]) ? 1u : 0u;
  }
}

HALOGRAPH_INLINE void part_graph::find_complete(std::uint64_t hops) {
  if (hops < 2 || num_nodes() == num_inner_nodes()) return;
  complete_.assign(num_nodes() - num_inner_nodes(), false);
  std::vector<std::size_t> layer, next;
  const auto find = [&](std::size_t v) {
    for_each_in_edge(v, [&](std::size_t u, std::size_t) {
      if (is_inner(u) || complete_[u - num_inner_nodes()]) return;
      complete_[u - num_inner_nodes()] = true;
      next.push_back(u);
    });
  };
  for (std::size_t v = 0; v < num_inner_nodes(); ++v) find(v);
  for (std::uint64_t hop = 2; hop < hops && !next.empty(); ++hop) {
    layer.swap(next);
    next.clear();
    for (const auto v : layer) find(v);
  }
}

HALOGRAPH_INLINE part_graph open_part_graph(const partition_config& config, part_id part,
                                            std::shared_ptr<const partition_book> book,
                                            const any_file_opener& files,
                                            const format_list& formats, const manifest* made,
                                            const part_options& options) {
  const std::string& name = detail::paths_of(config, part).graph;
  const std::string path = config.resolve(name);
  const file_bytes content = files(path);
  if (const auto* entry = made != nullptr && options.digest ? made->find(name) : nullptr) {
    if (entry->bytes != content.bytes.size() ||
        entry->digest != digest64{}.update(content.bytes).value()) {
      raise(
          error_kind::mismatch,
          "this is not the file that the folder's manifest lists: it was changed, or folders of different runs are mixed; partition again, or copy the part again",
          {path, {}, {}});
    }
  }
  auto graph = formats.of(config).read_structure(content, path);
  return part_graph(config, part, std::move(graph), std::move(book), options);
}

}  // namespace halograph
