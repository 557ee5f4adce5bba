// SPDX-License-Identifier: BSL-1.0
/// @file export.hpp
/// Write a graph as the text files that ParMETIS reads (parmetis/files.hpp says what is in them).
/// Layer: parmetis. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/core/search.hpp>
#include <halograph/graph/build.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/graph/hetero.hpp>
#include <halograph/io/dataset.hpp>
#include <halograph/parmetis/files.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/partition/fixed_point.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/feature_store.hpp>
#include <halograph/serial/files/staged_folder.hpp>
#include <halograph/serial/text/writer.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph {

/// What to write besides the graph.
struct parmetis_export_options {
  std::string graph_name = "graph";  ///< X in the names of the files
  /// One weight column each, in this order. Empty: 1 at the node's type and 0 elsewhere, which
  /// balances every type.
  std::span<const constraint> weights{};
  bool node_attributes = false;     ///< node features as columns after the node's ID
  bool edge_attributes = false;     ///< edge features as columns after the edge's type
  progress_callback on_progress{};  ///< called with rows written; empty: no reports
};

/// What was written.
struct parmetis_export_result {
  parmetis_schema schema{};            ///< content of X.json
  parmetis_stats stats{};              ///< content of X_stats.txt
  std::vector<std::string> weights{};  ///< names of the weight columns
  std::uint64_t loops = 0;             ///< self-loops removed
  std::uint64_t duplicates = 0;      ///< removed edges whose source and target an earlier edge has
  std::uint64_t bytes = 0;           ///< of all files
  std::vector<std::string> notes{};  ///< notes for the user
};

#if HALOGRAPH_COMPILED
// Instantiated in the compiled library (pipeline/impl/widths.ipp).
extern template csc_arrays<std::uint32_t, std::uint32_t> build_csc<std::uint32_t, std::uint32_t>(
    const hetero_view<std::uint32_t, std::uint32_t>&, const sequential&);
extern template csc_arrays<std::uint64_t, std::uint64_t> build_csc<std::uint64_t, std::uint64_t>(
    const hetero_view<std::uint64_t, std::uint64_t>&, const sequential&);
#endif

namespace detail {

/// Writes rows of features as columns of text.
class attribute_writer {
 public:
  attribute_writer(const std::vector<feature<feature_store_ref>>& features, std::size_t types,
                   bool wanted);

  std::vector<parmetis_attribute> describe() const;
  /// Do all types with rows have the same number of columns? DGL's script assumes so.
  bool even(std::span<const std::uint64_t> counts) const;
  /// Write one row as " 0.5 1.25"; nothing if the type has no features.
  void write(text_writer& out, std::size_t type, std::uint64_t row) {
    if (!of_[type].empty()) write_features(out, type, row);
  }

 private:
  void write_features(text_writer& out, std::size_t type, std::uint64_t row);

  std::vector<std::vector<const feature<feature_store_ref>*>> of_;  // by type, in the input's order
  std::vector<std::byte> row_{};
};

/// The constraints that become weight columns, checked; those without any load are left out.
std::vector<const constraint*> weight_columns(std::span<const constraint> wanted, std::size_t nodes,
                                              std::vector<std::string>& notes);

/// What exporting does for graphs of any type: everything but to visit the edges.
class parmetis_exporter {
 public:
  /// @param open  open(name): a text_writer for the file of that name
  parmetis_exporter(std::vector<std::uint64_t> node_begin, std::vector<std::uint64_t> edge_begin,
                    const graph_schema& schema, const feature_set_ref& features,
                    function_ref<text_writer(const std::string&)> open,
                    const parmetis_export_options& options);
  void write_nodes();
  /// A row more has been written.
  void advance() {
    if ((++done_ & 0xFFFF) == 0) tell(done_);
  }
  void close(text_writer& file) {
    file.close();
    made.bytes += file.size();
  }
  /// Write what follows the edges.
  parmetis_export_result finish();

 private:
  void tell(std::uint64_t done) const;

  std::vector<std::uint64_t> node_begin_, edge_begin_;  // [types + 1]
  function_ref<text_writer(const std::string&)> open_;
  const parmetis_export_options& options_;
  attribute_writer node_columns_;
  std::vector<const constraint*> weights_{};
  std::vector<std::size_t> column_of_type_{};
  bool by_type_ = false;
  std::uint64_t done_ = 0, total_;

 public:
  attribute_writer edge_columns;
  parmetis_names names;
  parmetis_export_result made{};
};

/// [E] by edge ID: is it a self-loop, or does an earlier edge have its source and target?
template <id Node, id Edge, graph Graph>
std::vector<bool> excess_edges(const Graph& g, std::uint64_t& loops, std::uint64_t& duplicates) {
  const auto rows = build_csc<Node, Edge>(g);
  std::vector<bool> out(rows.sources.size());
  // The last target, plus one, whose row had this source.
  std::vector<std::size_t> seen(halograph::num_nodes(g), 0);
  for (std::size_t v = 0; v + 1 < rows.offsets.size(); ++v) {
    for (auto k = index(rows.offsets[v]); k < index(rows.offsets[v + 1]); ++k) {
      const std::size_t u = index(rows.sources[k]);
      const bool again = seen[u] == v + 1;
      seen[u] = v + 1;
      loops += u == v;
      duplicates += u != v && again;
      out[index(rows.edges[k])] = u == v || again;
    }
  }
  return out;
}

}  // namespace detail

/// Bytes that export_parmetis() takes at most besides the graph, its features and weights.
/// @complexity O(1)
constexpr std::uint64_t parmetis_export_bytes(std::uint64_t nodes, std::uint64_t edges,
                                              std::uint64_t node_bytes,
                                              std::uint64_t edge_bytes) noexcept {
  // Rows by target, and while they are made each edge or, of few nodes, each node once more; a bit
  // for each edge, the row in which each source was seen last, and text.
  const bool few = nodes < least_bucketed_nodes || edges < nodes;
  return detail::saturating(edges,
                            node_bytes + edge_bytes + 1 + (few ? 0 : 2 * node_bytes + edge_bytes),
                            detail::saturating(nodes, 8 + 2 * edge_bytes, std::uint64_t{4} << 20));
}

/// Write the files of a graph. Self-loops, and edges whose source and target an earlier edge (by
/// ID, of any type) has, go to the file of removed edges, from which convert restores them; all
/// others are in the order in which the graph visits its edges.
///
/// @param g         any graph whose edge IDs are 0 to E - 1, with types where it is a typed_graph
/// @param schema    names of its types
/// @param features  rows by typed ID; written if requested
/// @param output    receives the files: staged_folder, or any type with add(name) and path(); not
///     committed here
/// @errors          mismatch: schema, weights or rows do not fit the graph; invalid_argument: a
///     negative load, an unsafe name; overflow: loads beyond 64 bits; io
/// @complexity      O(V x weights + E + elements of the features) time; memory:
///     parmetis_export_bytes(), whatever the text
/// @repeatable      yes
/// @source          formats: ParMETIS files, sections 1 and 7.2
template <graph Graph, feature_store Store, class Output>
parmetis_export_result export_parmetis(const Graph& g, const graph_schema& schema,
                                       const basic_feature_set<Store>& features, Output& output,
                                       const parmetis_export_options& options = {}) {
  std::vector<std::uint64_t> node_begin{0, halograph::num_nodes(g)},
      edge_begin{0, halograph::num_edges(g)};
  if constexpr (typed_graph<Graph>) {
    node_begin.assign(g.node_type_offsets().begin(), g.node_type_offsets().end());
    edge_begin.assign(g.edge_type_offsets().begin(), g.edge_type_offsets().end());
  }
  const auto open = [&](const std::string& name) {
    output.add(name);
    return text_writer(output.path() + "/" + name);
  };
  const feature_set_ref rows(features);
  detail::parmetis_exporter job(std::move(node_begin), edge_begin, schema, rows, open, options);
  job.write_nodes();
  {
    const auto superfluous = detail::excess_edges<node_id_t<Graph>, edge_id_t<Graph>>(
        g, job.made.loops, job.made.duplicates);
    auto file = open(job.names.edges()), removed = open(job.names.removed_edges());
    std::size_t r = 0;
    visit_edges(g, [&](auto u, auto v, auto e) {
      const auto number = static_cast<std::uint64_t>(e);
      if (number < edge_begin[r] || number >= edge_begin[r + 1]) {
        r = range_of<std::uint64_t>(edge_begin, number);
      }
      auto& to = superfluous[index(e)] ? removed : file;
      to.number(u).put(' ').number(v).put(' ').number(number - edge_begin[r]).put(' ').number(r);
      job.edge_columns.write(to, r, number - edge_begin[r]);
      to.put('\n');
      job.advance();
    });
    job.close(file);
    job.close(removed);
  }
  return job.finish();
}

/// Write the files of a dataset as it was read.
template <id Node, id Edge, class Output>
parmetis_export_result export_parmetis(const dataset<Node, Edge>& data, Output& output,
                                       const parmetis_export_options& options = {}) {
  return export_parmetis(data.graph(), data.schema, data.features, output, options);
}

#if HALOGRAPH_COMPILED
// Instantiated in the compiled library (impl/widths.ipp).
extern template parmetis_export_result export_parmetis(const dataset<std::uint32_t, std::uint32_t>&,
                                                       staged_folder&,
                                                       const parmetis_export_options&);
extern template parmetis_export_result export_parmetis(const dataset<std::uint64_t, std::uint64_t>&,
                                                       staged_folder&,
                                                       const parmetis_export_options&);
#endif

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/parmetis/impl/export.ipp>
#endif
