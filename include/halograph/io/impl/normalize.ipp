// SPDX-License-Identifier: BSL-1.0
/// @file normalize.ipp
/// Bodies of the plain functions of io/normalize.hpp.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/io/normalize.hpp>
#include <halograph/io/streamed_graph.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/element.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE void widen_elements(dtype type, std::span<const std::byte> bytes,
                                     std::vector<double>& out) {
  out.resize(bytes.size() / item_bytes(type));
  with_element(type, [&](auto element) {
    for (std::size_t i = 0; i < out.size(); ++i) {
      std::memcpy(&element, bytes.data() + i * sizeof element, sizeof element);
      out[i] = static_cast<double>(element);
    }
  });
}

HALOGRAPH_INLINE std::vector<column_scale> feature_scaler::scales(normalization how) {
  std::vector<column_scale> out(feature_.row_elements());
  if (how == normalization::l2 || out.empty() || feature_.rows == 0) return out;
  std::vector<double> least(out.size(), std::numeric_limits<double>::infinity()),
      most(out.size(), -std::numeric_limits<double>::infinity());
  std::vector<compensated_sum> sums(how == normalization::standard ? out.size() : 0);
  each_value([&](std::size_t c, double x) {
    least[c] = std::min(least[c], x);
    most[c] = std::max(most[c], x);
    if (!sums.empty()) sums[c].add(x);
  });
  const auto rows = static_cast<double>(feature_.rows);
  if (how == normalization::standard) {
    for (std::size_t c = 0; c < out.size(); ++c) out[c].shift = sums[c].value() / rows;
    std::fill(sums.begin(), sums.end(), compensated_sum{});
    each_value(
        [&](std::size_t c, double x) { sums[c].add((x - out[c].shift) * (x - out[c].shift)); });
  }
  for (std::size_t c = 0; c < out.size(); ++c) {
    if (how == normalization::minmax)
      out[c] = {least[c], most[c] - least[c]};
    else
      out[c].scale = std::sqrt(sums[c].value() / rows);
    // By its ends, not by its spread, which rounding can keep from being 0.
    if (least[c] == most[c]) out[c] = {least[c], 1};
    if (!std::isfinite(out[c].shift) || !std::isfinite(out[c].scale)) {
      raise(error_kind::overflow, who_ + " has values from " + std::to_string(least[c]) + " to " +
                                      std::to_string(most[c]) + " in column " + std::to_string(c) +
                                      ", too large to be scaled in 64 bits");
    }
  }
  return out;
}

HALOGRAPH_INLINE void feature_scaler::check_finite(std::span<const double> values,
                                                   std::uint64_t first, std::size_t columns,
                                                   const std::string& who) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) {
      raise(error_kind::out_of_range,
            who + " is " + std::string(std::isnan(values[i]) ? "not a number" : "infinite") +
                " in row " + std::to_string(first + i / columns) + ", column " +
                std::to_string(i % columns) + "; all values must be finite to be scaled");
    }
  }
}

HALOGRAPH_INLINE std::pair<streamed_feature*, bool> find_streamed_feature(
    streamed_graph& g, const std::string& asked) {
  std::pair<streamed_feature*, bool> found{nullptr, false};
  std::string known, candidates;
  std::size_t matches = 0;
  for (const bool of_nodes : {true, false}) {
    for (auto& one : of_nodes ? g.node_features : g.edge_features) {
      const std::string label = feature_label(g, one, of_nodes);
      known += (known.empty() ? "" : ", ") + graph_schema::quoted(label);
      if (label == asked) return {&one, of_nodes};
      if (one.name != asked) continue;
      candidates += (candidates.empty() ? "" : ", ") + graph_schema::quoted(label);
      found = {&one, of_nodes};
      ++matches;
    }
  }
  if (matches == 0) {
    raise(error_kind::not_found, "no feature is called " + graph_schema::quoted(asked) +
                                     "; there " +
                                     (known.empty() ? std::string("are none") : "are " + known));
  }
  if (matches > 1)
    raise(error_kind::invalid_argument, "several features are called " +
                                            graph_schema::quoted(asked) + "; name one of " +
                                            candidates);
  return found;
}

}  // namespace halograph::detail

namespace halograph {

HALOGRAPH_INLINE streamed_graph normalize(streamed_graph g,
                                          const std::vector<feature_normalization>& asked,
                                          const progress_callback& on_progress) {
  std::vector<const streamed_feature*> done;
  for (const auto& [label, wanted] : asked) {
    const normalization how = wanted;  // Clang 14 captures no structured binding
    const auto [feature, of_nodes] = detail::find_streamed_feature(g, label);
    const std::string who = "feature " +
                            graph_schema::quoted(detail::feature_label(g, *feature, of_nodes));
    if (std::find(done.begin(), done.end(), feature) != done.end())
      raise(error_kind::invalid_argument, who + " is listed twice; normalize it once");
    done.push_back(feature);
    if (how == normalization::l2 && feature->row_elements() == 1) {
      raise(
          error_kind::invalid_argument,
          who +
              " has one number per row, so l2 would leave only its sign; use minmax or standard, which scale columns");
    }
    const auto scales = std::make_shared<const std::vector<detail::column_scale>>(
        detail::feature_scaler(*feature, who, on_progress).scales(how));
    const streamed_feature from = *feature;
    feature->element = dtype::float32;
    feature->read = [from, scales, how, who](std::uint64_t first, std::uint64_t last,
                                             std::span<std::byte> out) {
      std::vector<std::byte> bytes(static_cast<std::size_t>(last - first) * from.row_bytes());
      if (bytes.empty()) return;
      from.read(first, last, bytes);
      std::vector<double> values;
      detail::widen_elements(from.element, bytes, values);
      const std::size_t columns = scales->size();
      detail::feature_scaler::check_finite(values, first, columns, who);
      for (std::size_t row = 0; row < values.size(); row += columns) {
        double largest = 1, length = 1;
        if (how == normalization::l2) {
          largest = 0;
          for (std::size_t c = 0; c < columns; ++c)
            largest = std::max(largest, std::abs(values[row + c]));
          if (largest == 0) largest = 1;
          detail::compensated_sum squares;
          for (std::size_t c = 0; c < columns; ++c)
            squares.add((values[row + c] / largest) * (values[row + c] / largest));
          length = squares.value() > 0 ? std::sqrt(squares.value()) : 1;
        }
        for (std::size_t c = 0; c < columns; ++c) {
          const double scaled = how == normalization::l2
                                    ? values[row + c] / largest / length
                                    : (values[row + c] - (*scales)[c].shift) / (*scales)[c].scale;
          const auto value = static_cast<float>(scaled);
          std::memcpy(out.data() + (row + c) * sizeof(float), &value, sizeof value);
        }
      }
    };
  }
  return g;
}

}  // namespace halograph
