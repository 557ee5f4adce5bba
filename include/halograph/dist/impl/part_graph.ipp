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
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

HALOGRAPH_INLINE std::uint64_t part_graph_memory(const loaded_structure& graph, std::uint64_t inner,
                                                 const part_options& options) {
  const std::uint64_t nodes = graph.nodes, edges = graph.edges,
                      halo = nodes - std::min(nodes, inner);
  // As in build_rows().
  const std::uint64_t width =
      std::max(nodes, edges) < std::uint64_t{std::numeric_limits<std::int32_t>::max()} ? 4 : 8;
  const unsigned made = (options.in_edges && !graph.csc ? 1u : 0u) +
                        (options.out_edges && !graph.csr ? 1u : 0u);
  std::uint64_t bytes = detail::saturating(edges, 2 * width * made,
                                           detail::saturating(nodes, width * (made + 1)));
  if (!graph.coo) bytes = detail::saturating(edges, 8, bytes);
  // Global and local IDs, and layers of nodes of which all in-edges are here.
  return detail::saturating(halo, 16 + (options.in_edges ? 17 : 0), bytes);
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
                     : detail::walked_rows(detail::build_rows(targets_, sources_, num_nodes()));
  if (options.out_edges)
    out_ = graph_.csr ? detail::walked_rows(std::move(*graph_.csr))
                      : detail::walked_rows(detail::build_rows(sources_, targets_, num_nodes()));
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
  halo_.reserve(num_nodes() - num_inner_nodes());
  for (std::size_t i = num_inner_nodes(); i < num_nodes(); ++i) halo_.push_back({node_ids_[i], i});
  std::sort(halo_.begin(), halo_.end(),
            [](const halo_node& a, const halo_node& b) { return a.global < b.global; });
  for (std::size_t i = 1; i < halo_.size(); ++i) {
    if (halo_[i].global == halo_[i - 1].global)
      fail(error_kind::malformed, concat({"HALO node ", halo_[i].global, " is there twice"}),
           halo_[i].local);
  }
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
  if (hops < 2 || halo_.empty()) return;
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
