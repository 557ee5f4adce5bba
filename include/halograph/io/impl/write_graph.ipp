// SPDX-License-Identifier: BSL-1.0
/// @file write_graph.ipp
/// Bodies of the plain functions of io/write_graph.hpp.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/io/dataset.hpp>
#include <halograph/io/streamed_graph.hpp>
#include <halograph/io/write_graph.hpp>
#include <halograph/serial/bytes.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/tensor.hpp>
#include <halograph/serial/text/readable.hpp>
#include <halograph/serial/text/writer.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph::detail {

/// The edges of a graph of one edge type with their weights, block by block.
class weighted_edges {
 public:
  weighted_edges(const streamed_graph& g, const std::string& weights)
      : graph_(g), checked_(with_checked_edges(g)) {
    for (const auto& one : g.edge_features) {
      if (one.name == weights && one.type == 0) feature_ = &one;
    }
    if (feature_ == nullptr) return;
    if (one_number() && (is_integer(feature_->element) || feature_->element == dtype::float32 ||
                         feature_->element == dtype::float64))
      return;
    raise(error_kind::unsupported,
          "edge feature " + graph_schema::quoted(weights) + " is " +
              std::string(name(feature_->element)) + " with rows of shape " +
              to_string(feature_->row_shape) +
              "; a weight must be one integer, float32 or float64 per edge");
  }

  bool weighted() const noexcept { return feature_ != nullptr; }
  bool integral() const noexcept { return feature_ != nullptr && is_integer(feature_->element); }

  /// f(u, v, i, weights): weights hold the rows of a block, whose row i is the edge's.
  template <class Function>
  void each(Function&& f) const {
    checked_.read_edges(0, 0, graph_.edge_counts[0],
                        [&](std::span<const std::uint64_t> from, std::span<const std::uint64_t> to,
                            std::uint64_t first) {
                          // Sources choose their blocks; rows are read in ours.
                          for (std::size_t at = 0; at < from.size();) {
                            const std::size_t count = std::min<std::size_t>(
                                from.size() - at, static_cast<std::size_t>(edges_per_block));
                            const tensor rows = rows_of(first + at, count);
                            for (std::size_t i = 0; i < count; ++i)
                              f(from[at + i], to[at + i], i, rows);
                            at += count;
                          }
                        });
  }
  static double number(const tensor& rows, std::size_t i) {
    return rows.type() == dtype::float32
               ? double{load_as<float>(rows.bytes().data() + i * sizeof(float))}
               : load_as<double>(rows.bytes().data() + i * sizeof(double));
  }

 private:
  bool one_number() const noexcept { return feature_->row_elements() == 1; }
  tensor rows_of(std::uint64_t first, std::size_t count) const {
    if (feature_ == nullptr) return {};
    std::vector<std::uint8_t> bytes(count * feature_->row_bytes());
    feature_->read(first, first + count, std::as_writable_bytes(std::span(bytes)));
    return tensor::from(std::move(bytes), {count}, feature_->element);
  }

  const streamed_graph& graph_;
  streamed_graph checked_;
  const streamed_feature* feature_ = nullptr;
};

HALOGRAPH_INLINE void put_weight(text_writer& out, const weighted_edges& edges, const tensor& rows,
                                 std::size_t i) {
  if (edges.integral())
    out.put(' ').number(rows.integer(i));
  else
    out.put(' ').number(weighted_edges::number(rows, i));
}

HALOGRAPH_INLINE void write_edge_lines(const weighted_edges& edges, std::uint64_t base,
                                       text_writer& out) {
  edges.each([&](std::uint64_t u, std::uint64_t v, std::size_t i, const tensor& rows) {
    out.number(u + base).put(' ').number(v + base);
    if (edges.weighted()) put_weight(out, edges, rows, i);
    out.put('\n');
  });
}

/// Entries by node, in the order in which they come.
struct entries_by_node {
  std::vector<std::uint64_t> begin{};     // [nodes + 1]
  std::vector<std::uint64_t> neighbor{};  // [entries]
  std::vector<std::int64_t> weight{};     // [entries], or none
};

/// @param both  each edge in the rows of both endpoints, self-loops in none; entries of the edge's
///     own direction have the lowest bit of 2 v, those of the other have it set
HALOGRAPH_INLINE entries_by_node rows_by_source(const weighted_edges& edges, std::uint64_t nodes,
                                                bool both) {
  entries_by_node out;
  out.begin.resize(static_cast<std::size_t>(nodes + 1));
  edges.each([&](std::uint64_t u, std::uint64_t v, std::size_t, const tensor&) {
    if (both && u == v) return;
    ++out.begin[static_cast<std::size_t>(u + 1)];
    if (both) ++out.begin[static_cast<std::size_t>(v + 1)];
  });
  for (std::size_t i = 1; i < out.begin.size(); ++i) out.begin[i] += out.begin[i - 1];
  const auto entries = static_cast<std::size_t>(out.begin.back());
  out.neighbor.resize(entries);
  if (edges.weighted()) out.weight.resize(entries);
  std::vector<std::uint64_t> next(out.begin.begin(), out.begin.end() - 1);
  const auto put = [&](std::uint64_t row, std::uint64_t neighbor, std::int64_t weight) {
    const auto at = static_cast<std::size_t>(next[static_cast<std::size_t>(row)]++);
    out.neighbor[at] = neighbor;
    if (!out.weight.empty()) out.weight[at] = weight;
  };
  edges.each([&](std::uint64_t u, std::uint64_t v, std::size_t i, const tensor& rows) {
    const std::int64_t weight = edges.weighted() ? rows.integer(i) : 1;
    if (!both) return put(u, v, weight);
    if (u == v) return;
    put(u, 2 * v, weight);
    put(v, 2 * u + 1, weight);
  });
  return out;
}

HALOGRAPH_INLINE void write_galois(const weighted_edges& edges, std::uint64_t nodes,
                                   text_writer& out) {
  const entries_by_node rows = rows_by_source(edges, nodes, false);
  const auto put = [&](std::uint64_t value, std::size_t width) {
    std::byte bytes[8];
    store_le(value, bytes);
    out.text({reinterpret_cast<const char*>(bytes), width});
  };
  const bool narrow = nodes >> 32 == 0;
  for (const std::uint64_t value :
       {std::uint64_t{narrow ? 1u : 2u}, std::uint64_t{edges.weighted() ? 8u : 0u}, nodes,
        std::uint64_t{rows.neighbor.size()}})
    put(value, 8);
  for (std::size_t v = 1; v < rows.begin.size(); ++v) put(rows.begin[v], 8);
  for (const auto v : rows.neighbor) put(v, narrow ? 4 : 8);
  if (narrow && rows.neighbor.size() % 2 != 0) put(0, 4);
  for (const auto w : rows.weight) put(static_cast<std::uint64_t>(w), 8);
}

/// One entry for each neighbor of a row that lists both directions, sorted.
/// @return the entries that were merged with others of their direction
HALOGRAPH_INLINE std::uint64_t merge_row(std::span<const std::uint64_t> neighbor,
                                         std::span<const std::int64_t> weight,
                                         std::vector<std::pair<std::uint64_t, std::int64_t>>& row) {
  std::vector<std::pair<std::uint64_t, std::int64_t>> all;
  for (std::size_t i = 0; i < neighbor.size(); ++i)
    all.emplace_back(neighbor[i], weight.empty() ? 1 : weight[i]);
  std::sort(all.begin(), all.end());
  row.clear();
  std::uint64_t merged = 0;
  for (std::size_t i = 0; i < all.size();) {
    const std::uint64_t v = all[i].first / 2;
    std::uint64_t sums[2] = {};
    for (; i < all.size() && all[i].first / 2 == v; ++i) {
      std::uint64_t& sum = sums[all[i].first % 2];
      if (sum != 0) ++merged;
      sum += static_cast<std::uint64_t>(all[i].second);  // at least 1, and below 2^63
      if (sum > static_cast<std::uint64_t>(most_file_ids))
        raise(error_kind::overflow,
              "the weights of edges between two nodes add up to 2^63 or more");
    }
    row.emplace_back(v, static_cast<std::int64_t>(std::max(sums[0], sums[1])));
  }
  return merged;
}

HALOGRAPH_INLINE void write_metis(const weighted_edges& edges, std::uint64_t nodes,
                                  text_writer& out, written_graph& done) {
  std::uint64_t loops = 0, e = 0;
  edges.each([&](std::uint64_t u, std::uint64_t v, std::size_t i, const tensor& weights) {
    if (u == v) ++loops;
    if (edges.weighted() && weights.integer(i) < 1) {
      raise(error_kind::unsupported, "edge " + std::to_string(e) + " has the weight " +
                                         std::to_string(weights.integer(i)) +
                                         "; in a METIS graph weights must be at least 1");
    }
    ++e;
  });
  const entries_by_node rows = rows_by_source(edges, nodes, true);
  std::vector<std::pair<std::uint64_t, std::int64_t>> row;
  std::uint64_t merged = 0, entries = 0;
  const auto each_row = [&](auto&& f) {
    for (std::uint64_t v = 0; v < nodes; ++v) {
      const auto begin = static_cast<std::size_t>(rows.begin[static_cast<std::size_t>(v)]),
                 count = static_cast<std::size_t>(rows.begin[static_cast<std::size_t>(v + 1)]) -
                         begin;
      merged += merge_row(std::span(rows.neighbor).subspan(begin, count),
                          rows.weight.empty() ? std::span<const std::int64_t>{}
                                              : std::span(rows.weight).subspan(begin, count),
                          row);
      f();
    }
  };
  each_row([&] { entries += row.size(); });  // the header comes first
  // Each duplicate was found in the rows of both of its endpoints.
  if (merged != 0)
    done.notes.push_back("merged " + readable::counted(merged / 2, "duplicate edge") +
                         "; a METIS graph has none");
  if (loops != 0)
    done.notes.push_back("left out " + readable::counted(loops, "self-loop") +
                         "; a METIS graph has none");
  done.edges = entries / 2;
  out.number(nodes).put(' ').number(done.edges);
  if (edges.weighted()) out.text(" 001");
  out.put('\n');
  each_row([&] {
    bool first = true;
    for (const auto& [v, w] : row) {
      if (!std::exchange(first, false)) out.put(' ');
      out.number(v + 1);
      if (edges.weighted()) out.put(' ').number(w);
    }
    out.put('\n');
  });
}

}  // namespace halograph::detail

namespace halograph {

HALOGRAPH_INLINE std::optional<output_format> output_format_named(std::string_view name) noexcept {
  if (name == "edge-list") return output_format::edge_list;
  if (name == "matrix-market") return output_format::matrix_market;
  if (name == "galois") return output_format::galois;
  if (name == "metis") return output_format::metis_graph;
  return std::nullopt;
}

HALOGRAPH_INLINE std::optional<output_format> output_format_of(const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension().string();
  for (const std::string_view one : {".txt", ".el", ".wel", ".edges", ".tsv"}) {
    if (ending == one) return output_format::edge_list;
  }
  if (ending == ".mtx") return output_format::matrix_market;
  if (ending == ".gr") return output_format::galois;
  if (ending == ".graph") return output_format::metis_graph;
  return std::nullopt;
}

HALOGRAPH_INLINE written_graph write_graph(const streamed_graph& g, const std::string& path,
                                           const write_graph_options& options) {
  validate(g);
  const bool matrix = options.format == output_format::matrix_market;
  if (g.edge_counts.size() != 1 || g.node_counts.size() > (matrix ? 2u : 1u)) {
    raise(error_kind::unsupported,
          "the graph has " + std::to_string(g.node_counts.size()) + " node types and " +
              std::to_string(g.edge_counts.size()) +
              " edge types; a graph in this format must have one of each (Matrix Market: up to two "
              "node types)");
  }
  const detail::weighted_edges edges(g, options.weights);
  const std::uint64_t rows = g.node_counts[g.schema.source_type(0)],
                      columns = g.node_counts[g.schema.target_type(0)];
  written_graph out{g.num_nodes(), g.num_edges(), edges.weighted(), 0, {}};
  const bool sorts = options.format == output_format::galois ||
                     options.format == output_format::metis_graph;
  if (sorts && edges.weighted() && !edges.integral()) {
    raise(error_kind::unsupported,
          "the weights of the edges are floating-point numbers; this format holds integers, so "
          "write the graph without weights");
  }
  if (sorts) {
    require_room_for_edges(
        out.edges,
        (options.format == output_format::galois ? 8u : 16u) * (edges.weighted() ? 2u : 1u),
        options.most_bytes, path);
  }
  const std::size_t features = g.node_features.size() + g.edge_features.size() -
                               (edges.weighted() ? 1u : 0u);
  if (features != 0)
    out.notes.push_back("left out " + readable::counted(features, "feature") +
                        "; the format has no place for them");
  text_writer file(path);
  switch (options.format) {
    case output_format::edge_list:
      detail::write_edge_lines(edges, 0, file);
      break;
    case output_format::matrix_market:
      file.text("%%MatrixMarket matrix coordinate ")
          .text(!edges.weighted()  ? "pattern"
                : edges.integral() ? "integer"
                                   : "real")
          .text(" general\n");
      file.number(rows).put(' ').number(columns).put(' ').number(out.edges).put('\n');
      detail::write_edge_lines(edges, 1, file);
      break;
    case output_format::galois:
      detail::write_galois(edges, out.nodes, file);
      break;
    case output_format::metis_graph:
      detail::write_metis(edges, out.nodes, file, out);
      break;
  }
  out.bytes = file.size();
  file.sync();
  file.close();
  return out;
}

}  // namespace halograph
