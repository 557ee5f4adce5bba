// SPDX-License-Identifier: BSL-1.0
/// @file generate.hpp
/// Write a generated graph as a chunked graph, block by block, without holding it.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/core/random.hpp>
#include <halograph/graph/generators.hpp>
#include <halograph/graph/mag.hpp>
#include <halograph/io/chunked/write.hpp>
#include <halograph/io/streamed_graph.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/feature_store.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph {

/// Rows of random numbers in [0, 1), float32; each is a function of seed, row and column alone. A
/// feature store.
class random_rows {
 public:
  /// Rows of shape [columns].
  random_rows(std::uint64_t rows, std::uint64_t columns, std::uint64_t seed)
      : rows_(rows), shape_{columns}, seed_(seed) {}

  /// Dtype, number and shape of the rows.
  /// @{
  dtype type() const noexcept { return dtype::float32; }
  std::uint64_t rows() const noexcept { return rows_; }
  std::span<const std::uint64_t> row_shape() const noexcept { return shape_; }
  /// @}
  /// @errors out_of_range at i: ids[i] is not a row; capacity
  status gather(std::span<const std::uint64_t> ids, std::span<std::byte> out) const noexcept {
    const auto columns = static_cast<std::size_t>(shape_[0]);
    if (out.size() / sizeof(float) < ids.size() * columns)
      return status::capacity.at(ids.size() * columns * sizeof(float));
    std::size_t at = 0;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (ids[i] >= rows_) return status::out_of_range.at(i);
      random_stream stream = random_stream::at(seed_, ids[i]);
      for (std::size_t c = 0; c < columns; ++c, at += sizeof(float)) {
        const float value = static_cast<float>(stream.next() >> 40) * 0x1p-24f;  // exact: 24 bits
        std::memcpy(out.data() + at, &value, sizeof value);
      }
    }
    return status::ok;
  }

 private:
  std::uint64_t rows_;
  std::array<std::uint64_t, 1> shape_;
  std::uint64_t seed_;
};
static_assert(feature_store<random_rows>);

/// A typed graph given by functions; generate_chunked() writes it.
struct generated_graph {
  std::string name{};                        ///< of the graph
  graph_schema schema{};                     ///< T node types and R edge types
  std::vector<std::uint64_t> node_counts{};  ///< [T]
  std::vector<std::uint64_t> edge_counts{};  ///< [R]
  /// Fill columns with the edges first, first + 1, ... of relation r, in typed IDs.
  std::function<void(std::size_t r, std::uint64_t first, std::span<std::uint64_t> source,
                     std::span<std::uint64_t> target)>
      fill{};
};

/// A graph of one node type from a generator. @errors whatever g.validate() says
template <generators::generator G>
generated_graph make_generated(std::string name, G g) {
  check(g.validate(), "the graph would be too large, or its options contradict each other");
  const auto kept = std::make_shared<const G>(std::move(g));
  return {std::move(name),
          graph_schema::homogeneous(),
          {kept->num_nodes()},
          {kept->num_edges()},
          [kept](std::size_t, std::uint64_t first, std::span<std::uint64_t> source,
                 std::span<std::uint64_t> target) {
            check(generators::fill(*kept, first, source, target),
                  "the generator cannot make these edges");
          }};
}

/// Authors, papers and institutions. @errors overflow
generated_graph make_generated(std::string name, const generators::academic& g);

/// A graph of MAG240M's schema. @errors invalid_argument: a scale of 0; overflow
generated_graph make_generated(std::string name, const generators::mag& g);

/// How to write it.
struct generate_options {
  std::uint64_t chunks = 1;  ///< files for each edge type and feature, 1 to 1000000
  edge_file_format edges = edge_file_format::csv;  ///< of the files of edges
  /// N > 0: a float32 feature "feat" of shape (nodes, N) for each node type
  std::uint64_t feature_columns = 0;
  std::uint64_t seed = 0;           ///< of the features
  progress_callback on_progress{};  ///< called with edges, then rows written; empty: no reports
};

namespace detail {

streamed_graph stream_generated_on(executor_ref executor, generated_graph graph,
                                   std::uint64_t feature_columns, std::uint64_t seed);

}  // namespace detail

/// A generated graph, with random features if requested, as a stream. Edges are made in blocks by
/// the executor's workers; what they are depends on the graph and the seed alone.
/// @param graph     `fill` must be callable from several threads at once where the executor has
/// them
/// @param executor  must outlive the stream
inline streamed_graph stream_generated(generated_graph graph, std::uint64_t feature_columns = 0,
                                       std::uint64_t seed = 0, executor_ref executor = {}) {
  return detail::stream_generated_on(executor, std::move(graph), feature_columns, seed);
}

/// Random numbers in [-1, 1) as float16, multiples of 2^-9: one row after the other, each a
/// function of seed and row.
/// @param out  [rows][columns] float16
void fill_random_halves(std::uint64_t seed, std::uint64_t first, std::uint64_t columns,
                        std::span<std::byte> out);

/// A graph of MAG240M's schema as a stream, with the data set's columns on papers: `feat` [N]
/// float16, `label` float32, a number below 153 for 1 paper in 87 and NaN for the others, and
/// `year` int16, 1900 to 2021, rising with the ID.
///
/// @param feature_columns  N; 0: no `feat`
/// @param executor         must outlive the stream
/// @errors as make_generated
streamed_graph stream_generated(std::string name, const generators::mag& g,
                                std::uint64_t feature_columns, std::uint64_t seed,
                                executor_ref executor = {});

/// The most bytes that generate_chunked will write; 2^64 - 1 stands for anything larger.
inline std::uint64_t generated_bytes(const generated_graph& graph,
                                     const generate_options& options) {
  return chunked_bytes(stream_generated(graph, options.feature_columns, options.seed),
                       {.chunks = options.chunks, .edges = options.edges});
}

/// Write a generated graph as a chunked graph into `folder` (pass a staged_folder's path so that
/// all files appear at once); metadata.json is written last. The bytes depend on the graph and the
/// options alone.
///
/// @errors io; invalid_argument: an invalid number of chunks
/// @complexity O(bytes written); memory: 4 MiB
void generate_chunked(const generated_graph& graph, const std::string& folder,
                      const generate_options& options = {}, executor_ref executor = {});

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/io/chunked/impl/generate.ipp>
#endif
