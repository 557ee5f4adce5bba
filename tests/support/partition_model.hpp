// SPDX-License-Identifier: BSL-1.0
/// @file partition_model.hpp
/// For tests: the expected partitions, derived naively from the rules, and graphs to partition.
#pragma once

#include <halograph/core/random.hpp>
#include <halograph/io/dataset.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/tensor.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace halograph::testing {

/// One expected part. IDs are local unless stated otherwise.
struct modelled_part {
  std::vector<std::size_t> nodes{};  ///< homogenized original IDs in local order
  std::size_t inner_nodes = 0;
  std::vector<std::size_t> edges{};  ///< homogenized original IDs in local order
  std::size_t inner_edges = 0;
  std::vector<std::pair<std::int64_t, std::int64_t>> ends{};  ///< of each edge
  std::vector<std::uint64_t> halo_per_hop{};                  ///< out-edges' finds count with hop 1
};

/// The expected partitions: sorts and sets, no offsets, no shortcuts.
struct partition_model {
  std::vector<std::size_t> source{}, target{};        ///< by homogenized original edge ID
  std::vector<std::size_t> node_type{}, edge_type{};  ///< by homogenized original ID
  std::vector<std::size_t> node_base{}, edge_base{};  ///< first homogenized ID of each type
  std::vector<std::size_t> old_node{}, old_edge{};    ///< by new ID
  std::vector<std::size_t> new_node{};                ///< by original ID
  std::map<std::size_t, std::size_t> new_edge{};      ///< by original ID; dropped edges are absent
  std::vector<std::vector<std::pair<std::size_t, std::size_t>>> node_map{},
      edge_map{};  ///< [type][part]
  std::size_t dropped = 0;
  std::vector<modelled_part> parts{};
};

template <id Node, id Edge>
partition_model model_partition(const dataset<Node, Edge>& data, const std::vector<part_id>& owner,
                                std::size_t parts, unsigned hops) {
  partition_model out;
  for (std::size_t t = 0, base = 0; t < data.node_counts.size(); ++t) {
    out.node_base.push_back(base);
    base += static_cast<std::size_t>(data.node_counts[t]);
    out.node_type.resize(base, t);
  }
  for (std::size_t r = 0; r < data.edges.size(); ++r) {
    out.edge_base.push_back(out.source.size());
    const auto first = out.node_base[data.schema.source_type(static_cast<type_id>(r))];
    const auto second = out.node_base[data.schema.target_type(static_cast<type_id>(r))];
    for (std::size_t i = 0; i < data.edges[r].source.size(); ++i) {
      out.source.push_back(first + static_cast<std::size_t>(data.edges[r].source[i]));
      out.target.push_back(second + static_cast<std::size_t>(data.edges[r].target[i]));
      out.edge_type.push_back(r);
    }
  }
  const std::size_t nodes = out.node_type.size(), edges = out.source.size();
  const auto& src = out.source;
  const auto& dst = out.target;

  // New IDs: one part keeps the old ones.
  for (std::size_t v = 0; v < nodes; ++v) out.old_node.push_back(v);
  std::stable_sort(out.old_node.begin(), out.old_node.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(owner[a], out.node_type[a]) < std::pair(owner[b], out.node_type[b]);
  });
  out.new_node.resize(nodes);
  for (std::size_t v = 0; v < nodes; ++v) out.new_node[out.old_node[v]] = v;
  for (std::size_t e = 0; e < edges; ++e) {
    if (hops == 0 && owner[src[e]] != owner[dst[e]])
      ++out.dropped;
    else
      out.old_edge.push_back(e);
  }
  if (parts > 1) {
    std::stable_sort(out.old_edge.begin(), out.old_edge.end(), [&](std::size_t a, std::size_t b) {
      return std::tuple(owner[dst[a]], out.edge_type[a], out.new_node[dst[a]]) <
             std::tuple(owner[dst[b]], out.edge_type[b], out.new_node[dst[b]]);
    });
  }
  for (std::size_t e = 0; e < out.old_edge.size(); ++e) out.new_edge[out.old_edge[e]] = e;

  // Ranges are consecutive, part by part, type by type.
  const auto ranges = [&](std::size_t types, const auto& cell_size) {
    std::vector<std::vector<std::pair<std::size_t, std::size_t>>> map(types);
    std::size_t at = 0;
    for (std::size_t p = 0; p < parts; ++p) {
      for (std::size_t t = 0; t < types; ++t) {
        const std::size_t size = cell_size(p, t);
        map[t].emplace_back(at, at + size);
        at += size;
      }
    }
    return map;
  };
  out.node_map = ranges(data.node_counts.size(), [&](std::size_t p, std::size_t t) {
    std::size_t count = 0;
    for (std::size_t v = 0; v < nodes; ++v)
      count += owner[v] == p && out.node_type[v] == t ? 1u : 0u;
    return count;
  });
  out.edge_map = ranges(data.edges.size(), [&](std::size_t p, std::size_t r) {
    std::size_t count = 0;
    for (const auto e : out.old_edge)
      count += owner[dst[e]] == p && out.edge_type[e] == r ? 1u : 0u;
    return count;
  });

  for (std::size_t p = 0; p < parts; ++p) {
    auto& part = out.parts.emplace_back();
    part.halo_per_hop.assign(hops, 0);
    for (const auto v : out.old_node) {
      if (owner[v] == p) part.nodes.push_back(v);
    }
    part.inner_nodes = part.nodes.size();
    std::set<std::size_t> seen(part.nodes.begin(), part.nodes.end());
    const auto find = [&](std::size_t v, std::size_t hop) {
      if (!seen.insert(v).second) return;
      part.nodes.push_back(v);
      ++part.halo_per_hop[hop];
    };
    std::set<std::size_t> held;
    std::size_t layer = 0;
    for (unsigned hop = 0; hop < hops; ++hop) {
      const std::size_t end = part.nodes.size();
      for (std::size_t i = layer; i < end; ++i) {
        for (std::size_t e = 0; e < edges; ++e) {
          if (dst[e] != part.nodes[i]) continue;
          held.insert(e);
          find(src[e], hop);
        }
      }
      layer = end;
    }
    if (hops > 0) {
      for (std::size_t i = 0; i < part.inner_nodes; ++i) {
        std::vector<std::pair<std::size_t, std::size_t>> outward;  // by new target, then edge
        for (std::size_t e = 0; e < edges; ++e) {
          if (src[e] == part.nodes[i]) outward.emplace_back(out.new_node[dst[e]], e);
        }
        std::sort(outward.begin(), outward.end());
        for (const auto& [v, e] : outward) {
          held.insert(e);
          find(dst[e], 0);
        }
      }
    } else {
      for (const auto e : out.old_edge) {
        if (owner[dst[e]] == p) held.insert(e);
      }
    }
    for (const bool inner : {true, false}) {
      std::vector<std::size_t> some;
      for (const auto e : held) {
        if ((owner[dst[e]] == p) == inner) some.push_back(e);
      }
      std::sort(some.begin(), some.end(), [&](std::size_t a, std::size_t b) {
        return out.new_edge.at(a) < out.new_edge.at(b);
      });
      part.edges.insert(part.edges.end(), some.begin(), some.end());
      if (inner) part.inner_edges = some.size();
    }
    std::map<std::size_t, std::int64_t> local;
    for (std::size_t i = 0; i < part.nodes.size(); ++i)
      local[part.nodes[i]] = static_cast<std::int64_t>(i);
    for (const auto e : part.edges) part.ends.emplace_back(local.at(src[e]), local.at(dst[e]));
  }
  return out;
}

/// Rows that all differ, of any dtype: row i's bytes depend on `salt` and i. bool holds 0 and 1.
inline tensor any_feature(dtype type, tensor_shape shape, std::uint64_t salt) {
  auto bytes = std::make_shared<std::vector<std::byte>>(
      static_cast<std::size_t>(element_count(shape)) * item_bytes(type));
  random_stream stream(salt);
  for (auto& byte : *bytes)
    byte = static_cast<std::byte>(type == dtype::boolean ? stream.below(2) : stream.below(256));
  const std::span<const std::byte> view(*bytes);
  return tensor(type, std::move(shape), view, std::move(bytes));
}

inline constexpr dtype every_dtype[] = {
    dtype::int8,    dtype::int16,    dtype::int32,  dtype::int64,   dtype::uint8,
    dtype::uint16,  dtype::uint32,   dtype::uint64, dtype::float16, dtype::float32,
    dtype::float64, dtype::bfloat16, dtype::boolean};

/// Edges drawn with repetition, self-loops included.
inline void draw_edges(dataset<>& data, std::size_t count, random_stream& stream) {
  const auto r = static_cast<type_id>(data.edges.size());
  auto& columns = data.edges.emplace_back();
  const auto sources = data.node_counts[data.schema.source_type(r)],
             targets = data.node_counts[data.schema.target_type(r)];
  for (std::size_t e = 0; e < count && sources != 0 && targets != 0; ++e) {
    columns.source.push_back(stream.below(sources));
    columns.target.push_back(stream.below(targets));
  }
}

/// DGL's homogeneous test graph, drawn by our generator: 1000 nodes, about 1000 edges, `labels`,
/// `feats` [n, 10].
inline dataset<> graph_g1(std::uint64_t seed = 1, std::uint64_t nodes = 1000) {
  dataset<> data;
  data.name = "g1";
  data.schema = graph_schema::homogeneous();
  data.node_counts = {nodes};
  random_stream stream(seed);
  draw_edges(data, nodes, stream);
  std::vector<std::int64_t> labels;
  for (std::uint64_t v = 0; v < nodes; ++v) labels.push_back(static_cast<std::int64_t>(v));
  data.features.nodes.push_back({0, "labels", tensor::from(std::move(labels))});
  data.features.nodes.push_back({0, "feats", any_feature(dtype::float32, {nodes, 10}, seed + 1)});
  data.features.edges.push_back(
      {0, "feats", any_feature(dtype::float32, {data.edges[0].source.size(), 10}, seed + 2)});
  data.finish();
  return data;
}

/// What to add to H1.
enum class few { nothing, edges, nodes };

/// DGL's heterogeneous test graph, drawn by our generator: n1, n2, n3; r1 twice; features on n1 and
/// n1:r1:n2.
inline dataset<> graph_h1(few extra = few::nothing, std::uint64_t seed = 2,
                          std::uint64_t nodes = 1000) {
  dataset<> data;
  data.name = "h1";
  for (const char* name : {"n1", "n2", "n3"}) data.schema.add_node_type(name);
  data.node_counts = {nodes, nodes + nodes / 100, nodes + nodes / 50};
  data.schema.add_edge_type({"n1", "r1", "n2"});
  data.schema.add_edge_type({"n2", "r1", "n1"});
  data.schema.add_edge_type({"n1", "r2", "n3"});
  data.schema.add_edge_type({"n2", "r3", "n3"});
  random_stream stream(seed);
  for (int r = 0; r < 4; ++r) draw_edges(data, nodes, stream);
  if (extra == few::edges) {
    data.schema.add_edge_type({"n1", "a0", "n2"});
    data.schema.add_edge_type({"n1", "a1", "n3"});
    for (int r = 0; r < 2; ++r) draw_edges(data, 2, stream);
  }
  if (extra == few::nodes) {
    data.schema.add_node_type("n_few");
    data.schema.add_node_type("a0");
    data.schema.add_node_type("n_1");
    data.node_counts.insert(data.node_counts.end(), 3, 2);
    data.schema.add_edge_type({"n1", "r_few", "n_few"});
    data.schema.add_edge_type({"a0", "a01", "n_1"});
    for (int r = 0; r < 2; ++r) draw_edges(data, 2, stream);
  }
  std::vector<std::int64_t> labels;
  for (std::uint64_t v = 0; v < nodes; ++v) labels.push_back(static_cast<std::int64_t>(v));
  data.features.nodes.push_back({0, "labels", tensor::from(std::move(labels))});
  data.features.nodes.push_back({0, "feats", any_feature(dtype::float32, {nodes, 10}, seed + 1)});
  data.features.edges.push_back({0, "labels", any_feature(dtype::int64, {nodes}, seed + 3)});
  data.features.edges.push_back({0, "feats", any_feature(dtype::float32, {nodes, 10}, seed + 2)});
  data.finish();
  return data;
}

/// A small graph for models: three node types and four relations (one without edges, one relation
/// name twice), or one of each; features of every dtype.
inline dataset<> small_graph(bool typed, std::uint64_t seed, std::uint64_t nodes = 14,
                             std::size_t edges = 22) {
  dataset<> data;
  data.name = "small";
  if (typed) {
    for (const char* name : {"user", "item", "tag"}) data.schema.add_node_type(name);
    data.node_counts = {nodes, nodes / 2, 2};
    data.schema.add_edge_type({"user", "likes", "item"});
    data.schema.add_edge_type({"user", "likes", "user"});
    data.schema.add_edge_type({"tag", "marks", "tag"});
    data.schema.add_edge_type({"item", "has", "tag"});
  } else {
    data.schema = graph_schema::homogeneous();
    data.node_counts = {nodes};
  }
  random_stream stream(seed);
  for (std::size_t r = 0; r < data.schema.num_edge_types(); ++r)
    draw_edges(data, r == 2 ? 0 : edges, stream);
  const tensor_shape tails[] = {{}, {2}, {3, 2}, {0}, {1}};
  std::size_t i = 0;
  for (const auto type : every_dtype) {
    const auto shape = [&](std::uint64_t rows) {
      tensor_shape out{rows};
      out.insert(out.end(), tails[i % 5].begin(), tails[i % 5].end());
      return out;
    };
    const std::string name = "as/" + std::string(halograph::name(type));  // a name may hold '/'
    const auto t = static_cast<type_id>(i % data.node_counts.size());
    data.features.nodes.push_back(
        {t, name, any_feature(type, shape(data.node_counts[t]), seed + i)});
    const auto r = static_cast<type_id>(i % data.edges.size());
    data.features.edges.push_back(
        {r, name, any_feature(type, shape(data.edges[r].source.size()), seed + 100 + i)});
    ++i;
  }
  data.finish();
  return data;
}

/// A random part for each node; parts may be empty.
inline std::vector<part_id> draw_owners(std::uint64_t nodes, std::size_t parts,
                                        std::uint64_t seed) {
  random_stream stream(seed);
  std::vector<part_id> owner;
  for (std::uint64_t v = 0; v < nodes; ++v)
    owner.push_back(static_cast<part_id>(stream.below(parts)));
  return owner;
}

}  // namespace halograph::testing
