// SPDX-License-Identifier: BSL-1.0
/// @file collect_stream.hpp
/// For tests: the edges and rows of a streamed graph, collected, and compared with those of ranges.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/io/dataset.hpp>
#include <halograph/io/streamed_graph.hpp>
#include <halograph/serial/tensor.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph::testing {

using edge_pairs = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

/// Edges [first, last) of a type; fails if blocks do not tile the range.
inline edge_pairs edges_of(const streamed_graph& g, type_id r, std::uint64_t first,
                           std::uint64_t last) {
  edge_pairs out;
  g.read_edges(r, first, last, [&](auto sources, auto targets, std::uint64_t at) {
    EXPECT_EQ(at, first + out.size());
    EXPECT_EQ(sources.size(), targets.size());
    for (std::size_t i = 0; i < sources.size(); ++i) out.emplace_back(sources[i], targets[i]);
  });
  EXPECT_EQ(out.size(), last - first);
  return out;
}
/// All edges of a type; every range must give the same.
inline edge_pairs edges_of(const streamed_graph& g, type_id r) {
  const std::uint64_t count = g.edge_counts.at(r);
  const edge_pairs all = edges_of(g, r, 0, count);
  for (std::uint64_t first = 0; first <= count; first += 1 + count / 5) {
    for (std::uint64_t last = first; last <= count; last += 1 + count / 5) {
      EXPECT_EQ(edges_of(g, r, first, last),
                edge_pairs(all.begin() + static_cast<std::ptrdiff_t>(first),
                           all.begin() + static_cast<std::ptrdiff_t>(last)));
    }
  }
  return all;
}

/// All rows of a feature; every range must give the same.
inline tensor rows_of(const streamed_feature& feature) {
  tensor_shape shape{feature.rows};
  shape.insert(shape.end(), feature.row_shape.begin(), feature.row_shape.end());
  auto bytes = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(feature.rows) *
                                                        feature.row_bytes());
  feature.read(0, feature.rows, *bytes);
  for (std::uint64_t first = 0; first < feature.rows; first += 1 + feature.rows / 4) {
    for (std::uint64_t last = first; last <= feature.rows; last += 1 + feature.rows / 4) {
      std::vector<std::byte> some(static_cast<std::size_t>(last - first) * feature.row_bytes());
      feature.read(first, last, some);
      EXPECT_TRUE(
          std::equal(some.begin(), some.end(),
                     bytes->begin() + static_cast<std::ptrdiff_t>(first * feature.row_bytes())))
          << feature.name << " rows " << first << " to " << last;
    }
  }
  const std::span<const std::byte> view(*bytes);
  return tensor(feature.element, shape, view, std::move(bytes));
}

/// The feature of a type and name; fails if there is none.
inline streamed_feature feature_of(const std::vector<streamed_feature>& all, type_id type,
                                   const std::string& name) {
  for (const auto& one : all) {
    if (one.type == type && one.name == name) return one;
  }
  ADD_FAILURE() << "no feature " << name << " of type " << type;
  return {type, name, dtype::int8,
          {},   0,    [](std::uint64_t, std::uint64_t, std::span<std::byte>) {}};
}

/// Expect the stream of a graph to equal the graph.
template <class Node, class Edge>
void expect_same_graph(const streamed_graph& g, const dataset<Node, Edge>& data) {
  EXPECT_EQ(g.schema, data.schema);
  EXPECT_EQ(g.node_counts, data.node_counts);
  ASSERT_EQ(g.edge_counts.size(), data.edges.size());
  for (std::size_t r = 0; r < data.edges.size(); ++r) {
    edge_pairs expected;
    for (std::size_t e = 0; e < data.edges[r].source.size(); ++e)
      expected.emplace_back(data.edges[r].source[e], data.edges[r].target[e]);
    EXPECT_EQ(edges_of(g, static_cast<type_id>(r)), expected) << "edge type " << r;
  }
  const auto features = [](const std::vector<streamed_feature>& streamed,
                           const std::vector<feature<>>& held) {
    ASSERT_EQ(streamed.size(), held.size());
    for (const auto& one : held) {
      const tensor got = rows_of(feature_of(streamed, one.type, one.name));
      std::vector<std::uint64_t> ids;
      for (std::uint64_t i = 0; i < one.rows.rows(); ++i) ids.push_back(i);
      std::vector<std::byte> bytes(ids.size() * one.rows.row_bytes());
      EXPECT_TRUE(
          one.rows.gather(std::span<const std::uint64_t>(ids), std::span<std::byte>(bytes)));
      tensor_shape shape{one.rows.rows()};
      shape.insert(shape.end(), one.rows.row_shape().begin(), one.rows.row_shape().end());
      EXPECT_EQ(got, tensor(one.rows.type(), shape, bytes)) << one.name;
    }
  };
  features(g.node_features, data.features.nodes);
  features(g.edge_features, data.features.edges);
}

/// What read() gives; stream(piece) must give the same graph or the same error, for pieces of any
/// size.
template <class Read, class Stream>
auto read_as_streamed(const Read& read, const Stream& stream) {
  constexpr std::size_t sizes[] = {1, 7, 64, std::size_t{1} << 22};
  try {
    auto data = read();
    for (const std::size_t piece : sizes) expect_same_graph(stream(piece), data);
    return data;
  } catch (const error& wanted) {
    for (const std::size_t piece : sizes) {
      try {
        static_cast<void>(stream(piece));
        ADD_FAILURE() << "streamed in pieces of " << piece << " in spite of: " << wanted.what();
      } catch (const error& problem) {
        EXPECT_EQ(problem.code(), wanted.code());
        EXPECT_STREQ(problem.what(), wanted.what()) << "in pieces of " << piece;
      }
    }
    throw;
  }
}

}  // namespace halograph::testing
