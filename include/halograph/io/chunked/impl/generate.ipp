// SPDX-License-Identifier: BSL-1.0
/// @file generate.ipp
/// Bodies of the plain functions of io/chunked/generate.hpp.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/core/random.hpp>
#include <halograph/graph/generators.hpp>
#include <halograph/graph/mag.hpp>
#include <halograph/io/chunked/generate.hpp>
#include <halograph/io/chunked/write.hpp>
#include <halograph/io/streamed_graph.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/feature_store.hpp>
#include <halograph/serial/half.hpp>
#include <halograph/serial/tensor.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph {

HALOGRAPH_INLINE generated_graph make_generated(std::string name, const generators::academic& g) {
  using generators::academic;
  check(g.validate(), "the graph would be too large");
  generated_graph out;
  out.name = std::move(name);
  for (std::size_t t = 0; t < academic::node_types.size(); ++t) {
    out.schema.add_node_type(std::string(academic::node_types[t]));
    out.node_counts.push_back(g.num_nodes(static_cast<academic::node_type>(t)));
  }
  for (std::size_t r = 0; r < academic::relations.size(); ++r) {
    out.schema.add_edge_type({std::string(academic::node_types[academic::source_types[r]]),
                              std::string(academic::relations[r]),
                              std::string(academic::node_types[academic::target_types[r]])});
    out.edge_counts.push_back(g.num_edges(static_cast<academic::relation>(r)));
  }
  out.fill = [g](std::size_t r, std::uint64_t first, std::span<std::uint64_t> source,
                 std::span<std::uint64_t> target) {
    for (std::size_t i = 0; i < source.size(); ++i) {
      const auto one = g.edge(static_cast<academic::relation>(r), first + i);
      source[i] = one.source;
      target[i] = one.target;
    }
  };
  return out;
}

HALOGRAPH_INLINE generated_graph make_generated(std::string name, const generators::mag& g) {
  using generators::mag;
  check(g.validate(),
        "the scale must be above 0, and the graph must have less than 2^36 edges of a type");
  generated_graph out;
  out.name = std::move(name);
  for (std::size_t t = 0; t < mag::node_types.size(); ++t) {
    out.schema.add_node_type(std::string(mag::node_types[t]));
    out.node_counts.push_back(g.num_nodes(static_cast<mag::node_type>(t)));
  }
  for (std::size_t r = 0; r < mag::relations.size(); ++r) {
    out.schema.add_edge_type({std::string(mag::node_types[mag::source_types[r]]),
                              std::string(mag::relations[r]),
                              std::string(mag::node_types[mag::target_types[r]])});
    out.edge_counts.push_back(g.num_edges(static_cast<mag::relation>(r)));
  }
  out.fill = [g](std::size_t r, std::uint64_t first, std::span<std::uint64_t> source,
                 std::span<std::uint64_t> target) {
    g.fill(static_cast<mag::relation>(r), first, source, target);
  };
  return out;
}

}  // namespace halograph

namespace halograph::detail {

HALOGRAPH_INLINE streamed_graph stream_generated_on(executor_ref executor, generated_graph graph,
                                                    std::uint64_t feature_columns,
                                                    std::uint64_t seed) {
  streamed_graph out;
  out.name = std::move(graph.name);
  out.schema = std::move(graph.schema);
  out.node_counts = std::move(graph.node_counts);
  out.edge_counts = std::move(graph.edge_counts);
  out.read_edges = [fill = std::move(graph.fill), executor](type_id r, std::uint64_t first,
                                                            std::uint64_t last,
                                                            const edge_block_visitor& visit) {
    const std::uint64_t step = edges_per_block * std::max<std::size_t>(executor.concurrency(), 1);
    std::vector<std::uint64_t> source, target;
    for (; first < last; first += source.size()) {
      source.resize(static_cast<std::size_t>(std::min(step, last - first)));
      target.resize(source.size());
      executor.parallel_for(0, (source.size() + 4095) / 4096, 1,
                            [&](std::size_t from, std::size_t to) {
                              const std::size_t begin = from * 4096,
                                                count = std::min(to * 4096, source.size()) - begin;
                              fill(r, first + begin, std::span(source).subspan(begin, count),
                                   std::span(target).subspan(begin, count));
                            });
      visit(source, target, first);
    }
  };
  for (std::size_t t = 0; t < out.node_counts.size() && feature_columns != 0; ++t) {
    out.node_features.push_back(
        stream_feature(static_cast<type_id>(t), "feat",
                       random_rows(out.node_counts[t], feature_columns, mix(seed) + t)));
  }
  return out;
}

}  // namespace halograph::detail

namespace halograph {

HALOGRAPH_INLINE void fill_random_halves(std::uint64_t seed, std::uint64_t first,
                                         std::uint64_t columns, std::span<std::byte> out) {
  static constexpr std::array<std::uint16_t, 1024> values = [] {
    std::array<std::uint16_t, 1024> all{};
    for (int i = 0; i < 1024; ++i)
      all[static_cast<std::size_t>(i)] = half_from_double((i - 512) / 512.0);
    return all;
  }();
  std::byte* at = out.data();
  for (std::uint64_t row = first; at != out.data() + out.size(); ++row) {
    random_stream stream = random_stream::at(seed, row);
    std::uint64_t draw = 0;
    for (std::uint64_t c = 0; c < columns; ++c, at += 2, draw >>= 10) {
      if (c % 6 == 0) draw = stream.next();
      std::memcpy(at, &values[draw & 1023], 2);
    }
  }
}

HALOGRAPH_INLINE streamed_graph stream_generated(std::string name, const generators::mag& g,
                                                 std::uint64_t feature_columns, std::uint64_t seed,
                                                 executor_ref executor) {
  streamed_graph out = detail::stream_generated_on(executor, make_generated(std::move(name), g), 0,
                                                   0);
  const std::uint64_t papers = g.num_nodes(generators::mag::paper);
  const auto add = [&](const char* feature, dtype type, tensor_shape shape,
                       decltype(streamed_feature::read) fill) {
    streamed_feature one{generators::mag::paper, feature, type, std::move(shape), papers, {}};
    one.read = std::move(fill);
    out.node_features.push_back(std::move(one));
  };
  if (feature_columns != 0) {
    add("feat", dtype::float16, {feature_columns},
        [=](std::uint64_t first, std::uint64_t last, std::span<std::byte> bytes) {
          const std::uint64_t rows = last - first;
          const std::size_t width = static_cast<std::size_t>(feature_columns) * 2;
          executor.parallel_for(
              0, static_cast<std::size_t>(rows), 256, [&](std::size_t from, std::size_t to) {
                fill_random_halves(mix(seed), first + from, feature_columns,
                                   bytes.subspan(from * width, (to - from) * width));
              });
        });
  }
  add("label", dtype::float32, {},
      [seed](std::uint64_t first, std::uint64_t last, std::span<std::byte> bytes) {
        for (std::uint64_t row = first; row < last; ++row) {
          random_stream stream = random_stream::at(mix(seed) + 1, row);
          const bool known = multiply_high(stream.next(), 87) == 0;
          const float label = known ? static_cast<float>(multiply_high(stream.next(), 153))
                                    : std::numeric_limits<float>::quiet_NaN();
          std::memcpy(bytes.data() + (row - first) * sizeof label, &label, sizeof label);
        }
      });
  add("year", dtype::int16, {},
      [seed, papers](std::uint64_t first, std::uint64_t last, std::span<std::byte> bytes) {
        for (std::uint64_t row = first; row < last; ++row) {
          // The papers double every twelve years.
          const auto doublings = static_cast<std::uint64_t>(std::bit_width(papers / (row + 1))) - 1;
          const std::uint64_t age = 12 * doublings +
                                    multiply_high(random_stream::at(mix(seed) + 2, row).next(), 12);
          const auto year = static_cast<std::int16_t>(2021 - std::min<std::uint64_t>(age, 121));
          std::memcpy(bytes.data() + (row - first) * sizeof year, &year, sizeof year);
        }
      });
  return out;
}

HALOGRAPH_INLINE void generate_chunked(const generated_graph& graph, const std::string& folder,
                                       const generate_options& options, executor_ref executor) {
  const streamed_graph stream = detail::stream_generated_on(executor, graph,
                                                            options.feature_columns, options.seed);
  const write_chunked_options how{.chunks = options.chunks,
                                  .edges = options.edges,
                                  .step = "generate",
                                  .on_progress = options.on_progress};
  write_chunked(stream, folder, how, no_tables{}, executor);
}

}  // namespace halograph
