// SPDX-License-Identifier: BSL-1.0
// From an assignment to parts: relabeling, HALO expansion, rows of features.
#include "ladder.hpp"

#include <halograph/core/random.hpp>
#include <halograph/halo/expand.hpp>
#include <halograph/pipeline/part_columns.hpp>
#include <halograph/relabel/relabeling.hpp>
#include <halograph/serial/feature_store.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace halograph::bench {

namespace {

using rows_type = csc_arrays<narrow_id, narrow_id>;
using plan_type = partition_plan<narrow_id, narrow_id>;

struct numbering {
  std::vector<std::uint64_t> node_bounds{}, edge_bounds{};
  std::vector<narrow_id> old_node{}, new_node{}, new_edge{};
};

/// Stored edges of all parts.
std::uint64_t count_stored(const subject& s, const plan_type& plan, unsigned hops) {
  part_columns<narrow_id, narrow_id> columns(plan);
  std::uint64_t out = 0;
  for (std::size_t p = 0; p < s.parts; ++p) {
    columns.expand(p, {.hops = hops});
    out += columns.num_edges();
  }
  return out;
}

/// Breadth first from the inner nodes along in-edges, then the out-edges: the obvious way,
/// with a mark per node. It scans all nodes for each part. @return edges that the part holds
std::uint64_t plain_halo(const subject& s, const rows_type& in, const rows_type& out, part_id part,
                         unsigned hops, std::vector<narrow_id>& mark) {
  std::fill(mark.begin(), mark.end(), 0u);
  std::vector<narrow_id> layer, next;
  std::uint64_t edges = 0;
  for (std::size_t v = 0; v < s.g.nodes; ++v) {
    if (s.owner[v] == part) mark[v] = 1;
  }
  for (std::size_t v = 0; v < s.g.nodes; ++v) {
    if (s.owner[v] == part) layer.push_back(static_cast<narrow_id>(v));
  }
  const std::vector<narrow_id> inner = layer;
  for (unsigned hop = 1; hop <= hops; ++hop) {
    next.clear();
    for (const narrow_id v : layer) {
      for (std::size_t i = in.offsets[v]; i < in.offsets[v + 1]; ++i) {
        const narrow_id u = in.sources[i];
        if (hop > 1 && s.owner[u] == part) continue;
        ++edges;
        if (mark[u] == 0) {
          mark[u] = hop + 1;
          next.push_back(u);
        }
      }
    }
    layer.swap(next);
  }
  for (const narrow_id v : inner) {
    for (std::size_t i = out.offsets[v]; i < out.offsets[v + 1]; ++i)
      edges += s.owner[out.sources[i]] != part;
  }
  return edges;
}

void add_relabel(const subject& s) {
  const lazy<rows_type> rows([&s] { return build_csc<narrow_id, narrow_id>(s.g.view()); });
  const lazy<numbering> made([&s] {
    numbering out;
    out.node_bounds.resize(s.parts + 1);
    out.edge_bounds.resize(s.parts + 1);
    out.old_node.resize(s.g.nodes);
    out.new_node.resize(s.g.nodes);
    out.new_edge.resize(s.g.edges());
    return out;
  });
  const double node_in = 4 * s.nodes(), node_out = 8 * s.nodes();
  const auto number_nodes = [&s, made] {
    auto& bounds = made->node_bounds;
    std::fill(bounds.begin(), bounds.end(), 0u);
    for (const part_id p : s.owner) ++bounds[p + 1];
    for (std::size_t p = 0; p < s.parts; ++p) bounds[p + 1] += bounds[p];
    for (std::size_t v = 0; v < s.g.nodes; ++v) {
      const auto fresh = static_cast<narrow_id>(bounds[s.owner[v]]++);
      made->old_node[fresh] = static_cast<narrow_id>(v);
      made->new_node[v] = fresh;
    }
    for (std::size_t p = s.parts; p > 0; --p) bounds[p] = bounds[p - 1];
    bounds[0] = 0;
  };
  add(s, {"relabel_nodes/plain", s.nodes(), node_in, node_out, 1, "node"}, number_nodes);
  add(s, {"relabel_nodes/span", s.nodes(), node_in, node_out, 1, "node"}, [&s, made] {
    const std::uint64_t types[] = {0, s.g.nodes};
    check(relabel_nodes_into(
              std::span<const part_id>(s.owner), std::span<const std::uint64_t>(types), s.parts,
              std::span(made->node_bounds), std::span(made->old_node), std::span(made->new_node)),
          "new IDs of nodes");
  });
  const double edge_in = 4 * s.edges() + 8 * s.nodes(), edge_out = 4 * s.edges();
  add(s, {"relabel_edges/plain", s.edges(), edge_in, edge_out},
      [&s, made, rows, number_nodes, ready = false]() mutable {
        if (!std::exchange(ready, true)) number_nodes();
        narrow_id next = 0;
        for (const narrow_id v : made->old_node) {
          for (std::size_t i = rows->offsets[v]; i < rows->offsets[v + 1]; ++i)
            made->new_edge[rows->edges[i]] = next++;
        }
      });
  for (const std::size_t threads : {std::size_t{1}, s.threads}) {
    add(s, {"relabel_edges/span", s.edges(), edge_in, edge_out, threads},
        [&s, made, rows, threads, number_nodes, ready = false]() mutable {
          if (!std::exchange(ready, true)) number_nodes();
          const std::uint64_t types[] = {0, s.g.edges()};
          check(relabel_edges_into(rows->view(), std::span<const part_id>(s.owner),
                                   std::span<const narrow_id>(made->old_node),
                                   std::span<const std::uint64_t>(made->node_bounds),
                                   std::span<const std::uint64_t>(types), same_edge_id{}, false,
                                   std::span(made->edge_bounds), std::span(made->new_edge),
                                   threads == 1 ? s.one : s.many),
                "new IDs of edges");
        });
  }
  const double plan_in = 8 * s.edges() + 4 * s.nodes(), plan_out = 16 * s.edges() + 8 * s.nodes();
  add(s, {"relabel/full", s.edges(), plan_in, plan_out},
      [&s] { keep(relabel(s.g.view(), s.owner, s.parts)); });
  for (const std::size_t threads : {std::size_t{1}, s.threads}) {
    add(s, {"partition_plan/full", s.edges(), plan_in, plan_out, threads}, [&s, threads] {
      keep(make_partition_plan<narrow_id, narrow_id>(s.g.view(), s.owner, s.parts, {},
                                                     threads == 1 ? s.one : s.many));
    });
  }
}

void add_halo(const subject& s) {
  const lazy<rows_type> in([&s] { return build_csc<narrow_id, narrow_id>(s.g.view()); });
  const lazy<rows_type> out([&s] {
    return build_csc<narrow_id, narrow_id>(
        coo_view<narrow_id, narrow_id>(s.g.nodes, s.g.target, s.g.source));
  });
  const lazy<plan_type> plan([&s] {
    return make_partition_plan<narrow_id, narrow_id>(s.g.view(), s.owner, s.parts, {}, s.many);
  });
  for (const unsigned hops : {1u, 2u}) {
    const auto stored = static_cast<double>(count_stored(s, *plan, hops));
    const double bytes_in = 4 * stored, bytes_out = 12 * stored;
    const std::string name = "halo_" + std::to_string(hops);
    const lazy<std::vector<narrow_id>> mark([&s] { return std::vector<narrow_id>(s.g.nodes); });
    add(s, {name + "/plain", stored, bytes_in, 0}, [&s, in, out, hops, mark] {
      std::uint64_t edges = 0;
      for (std::size_t p = 0; p < s.parts; ++p)
        edges += plain_halo(s, *in, *out, static_cast<part_id>(p), hops, *mark);
      keep(edges);
    });
    const lazy<std::vector<narrow_id>> local(
        [&s] { return std::vector<narrow_id>(s.g.nodes, absent<narrow_id>); });
    const lazy<std::vector<narrow_id>> found([&s] { return std::vector<narrow_id>(s.g.nodes); });
    const auto view = std::make_shared<std::optional<csc_view<narrow_id, narrow_id>>>();
    const auto expander =
        std::make_shared<std::optional<halo_expander<csc_view<narrow_id, narrow_id>>>>();
    const auto prepare = [&s, in, view, expander] {
      if (*expander) return;
      view->emplace(in->view());
      expander->emplace(**view, std::span<const part_id>(s.owner), s.parts);
    };
    add(s, {name + "/span", stored, bytes_in, 0},
        [&s, hops, view, expander, prepare, local, found] {
          prepare();
          for (std::size_t p = 0; p < s.parts; ++p) {
            halo_counter<narrow_id> counter(*found);
            check(expand_into(**view, (*expander)->halo_index(), p, {.hops = hops},
                              std::span(*local), counter),
                  "HALO");
            keep(counter);
          }
        });
    add(s, {name + "/full", stored, bytes_in, 20 * stored}, [&s, hops, expander, prepare] {
      prepare();
      for (std::size_t p = 0; p < s.parts; ++p) keep((*expander)->expand(p, {.hops = hops}));
    });
    const auto columns = std::make_shared<std::optional<part_columns<narrow_id, narrow_id>>>();
    add(s, {name + "/part_columns", stored, bytes_in, bytes_out}, [&s, plan, hops, columns] {
      if (!*columns) columns->emplace(*plan);
      for (std::size_t p = 0; p < s.parts; ++p) (*columns)->expand(p, {.hops = hops});
    });
  }
}

void add_gather(const subject& s) {
  constexpr std::size_t width = 64;
  const std::size_t rows = std::min<std::size_t>(s.g.nodes, 1 << 18);
  const lazy<tensor> whole(
      [rows] { return tensor::from(std::vector<float>(rows * width, 1.0f), {rows, width}); });
  const lazy<chunked_tensor> chunks([rows] {
    std::vector<tensor> all;
    for (std::size_t i = 0; i < 4; ++i) {
      const std::size_t part = rows * (i + 1) / 4 - rows * i / 4;
      all.push_back(tensor::from(std::vector<float>(part * width, 1.0f), {part, width}));
    }
    return chunked_tensor(std::move(all));
  });
  const lazy<std::vector<std::uint64_t>> ids([rows] {
    std::vector<std::uint64_t> out(rows);
    for (std::size_t i = 0; i < rows; ++i) out[i] = i;
    random_stream draws(3);
    shuffle(std::span(out), draws);
    return out;
  });
  const lazy<std::vector<std::byte>> to(
      [rows] { return std::vector<std::byte>(rows * width * sizeof(float)); });
  const auto count = static_cast<double>(rows);
  const double bytes = count * width * sizeof(float);
  add(s, {"gather/plain", count, bytes + 8 * count, bytes, 1, "row"}, [whole, ids, to] {
    for (std::size_t i = 0; i < ids->size(); ++i) {
      std::memcpy(to->data() + i * width * sizeof(float),
                  whole->bytes().data() + (*ids)[i] * width * sizeof(float), width * sizeof(float));
    }
    keep(*to->data());
  });
  add(s, {"gather/tensor", count, bytes + 8 * count, bytes, 1, "row"}, [whole, ids, to] {
    check(whole->gather(std::span<const std::uint64_t>(*ids), std::span(*to)), "rows");
  });
  add(s, {"gather/four_chunks", count, bytes + 8 * count, bytes, 1, "row"}, [chunks, ids, to] {
    check(chunks->gather(std::span<const std::uint64_t>(*ids), std::span(*to)), "rows");
  });
}

void add_kernels(const subject& s) {
  add_relabel(s);
  add_halo(s);
  add_gather(s);
}

const ladder these(add_kernels);

}  // namespace
}  // namespace halograph::bench
