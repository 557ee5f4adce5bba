// SPDX-License-Identifier: BSL-1.0
/// @file normalize.hpp
/// Scale the features of a streamed graph: rows to length 1, or columns to a common range or
/// spread.
/// Layer: io. Words: README.md.
///
/// | | result, float32 | read |
/// | --- | --- | --- |
/// | l2 | each row divided by its Euclidean length; a row of zeros stays | once |
/// | minmax | each column from 0, its least value, to 1, its largest; a constant column is 0 | twice |
/// | standard | each column less its mean, over its standard deviation (of all rows); a constant column is 0 | three times |
///
/// A column is one place of the row shape. Sums run in row order and compensate for rounding, so
/// the bytes of the result do not depend on how rows are chunked.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/progress.hpp>
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
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

/// How a feature is scaled.
enum class normalization : std::uint8_t { l2, minmax, standard };

/// "l2", "minmax", "standard".
constexpr std::string_view name(normalization how) noexcept {
  return how == normalization::l2 ? "l2" : how == normalization::minmax ? "minmax" : "standard";
}
/// The inverse of name().
constexpr std::optional<normalization> normalization_named(std::string_view text) noexcept {
  for (const auto how : {normalization::l2, normalization::minmax, normalization::standard}) {
    if (name(how) == text) return how;
  }
  return std::nullopt;
}

/// A feature to be scaled: "feat" if only one has this name, else "paper/feat" or
/// "author:writes:paper/weight".
struct feature_normalization {
  std::string feature{};
  normalization how = normalization::standard;
};

namespace detail {

/// Elements as double; integers beyond 2^53 are rounded.
inline void widen_elements(dtype type, std::span<const std::byte> bytes, std::vector<double>& out) {
  out.resize(bytes.size() / item_bytes(type));
  with_element(type, [&](auto element) {
    for (std::size_t i = 0; i < out.size(); ++i) {
      std::memcpy(&element, bytes.data() + i * sizeof element, sizeof element);
      out[i] = static_cast<double>(element);
    }
  });
}

/// A sum that carries along what rounding cut off. @source Neumaier, ZAMM 54, 1974
struct compensated_sum {
  double sum = 0, rest = 0;
  void add(double value) noexcept {
    const double next = sum + value;
    rest += std::abs(sum) >= std::abs(value) ? (sum - next) + value : (value - next) + sum;
    sum = next;
  }
  double value() const noexcept { return sum + rest; }
};

/// What column-wise scaling needs of a column: the result is (x - shift) / scale.
struct column_scale {
  double shift = 0, scale = 1;
};

class feature_scaler {
 public:
  feature_scaler(const streamed_feature& feature, std::string who,
                 const progress_callback& on_progress)
      : feature_(feature), who_(std::move(who)), on_progress_(on_progress) {}

  std::vector<column_scale> scales(normalization how) {
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
        raise(errc::overflow, who_ + " has values from " + std::to_string(least[c]) + " to " +
                                  std::to_string(most[c]) + " in column " + std::to_string(c) +
                                  ", too large to be scaled in 64 bits");
      }
    }
    return out;
  }

  /// Reject a block with a value that is not finite. @param first  the block's first row
  static void check_finite(std::span<const double> values, std::uint64_t first, std::size_t columns,
                           const std::string& who) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!std::isfinite(values[i])) {
        raise(errc::out_of_range,
              who + " is " + std::string(std::isnan(values[i]) ? "not a number" : "infinite") +
                  " in row " + std::to_string(first + i / columns) + ", column " +
                  std::to_string(i % columns) + "; all values must be finite to be scaled");
      }
    }
  }

 private:
  template <class Function>
  void each_value(Function&& f) {
    const std::size_t columns = feature_.row_elements();
    std::vector<std::byte> bytes;
    std::vector<double> values;
    for_each_row_block(feature_, 0, feature_.rows, [&](std::uint64_t first, std::uint64_t last) {
      bytes.resize(static_cast<std::size_t>(last - first) * feature_.row_bytes());
      feature_.read(first, last, bytes);
      widen_elements(feature_.element, bytes, values);
      check_finite(values, first, columns, who_);
      for (std::size_t i = 0, c = 0; i < values.size(); ++i, c = c + 1 == columns ? 0 : c + 1)
        f(c, values[i]);
      if (on_progress_) on_progress_({"normalize", last, feature_.rows, "rows"});
    });
  }

  const streamed_feature& feature_;
  std::string who_;
  const progress_callback& on_progress_;
};

inline std::string feature_label(const streamed_graph& g, const streamed_feature& feature,
                                 bool of_nodes) {
  return (of_nodes ? g.schema.node_type_name(feature.type)
                   : g.schema.edge_type_name(feature.type).str()) +
         "/" + feature.name;
}

/// The feature that is meant. @errors not_found, invalid_argument: listing those there are
inline std::pair<streamed_feature*, bool> find_streamed_feature(streamed_graph& g,
                                                                const std::string& asked) {
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
    raise(errc::not_found, "no feature is called " + graph_schema::quoted(asked) + "; there " +
                               (known.empty() ? std::string("are none") : "are " + known));
  }
  if (matches > 1)
    raise(errc::invalid_argument, "several features are called " + graph_schema::quoted(asked) +
                                      "; name one of " + candidates);
  return found;
}

}  // namespace detail

/// Scale features; see the table atop. Statistics are gathered here, rows are scaled as they are
/// read.
///
/// @errors not_found, invalid_argument: a feature that is not there, is asked for twice, or has one
///     number a row and is to be scaled by row; out_of_range: a value that is not finite (with its
///     row; for l2 when the row is read); overflow
/// @complexity a pass over the rows for minmax, two for standard; memory of a few rows
inline streamed_graph normalize(streamed_graph g, const std::vector<feature_normalization>& asked,
                                const progress_callback& on_progress = {}) {
  std::vector<const streamed_feature*> done;
  for (const auto& [label, wanted] : asked) {
    const normalization how = wanted;  // Clang 14 captures no structured binding
    const auto [feature, of_nodes] = detail::find_streamed_feature(g, label);
    const std::string who = "feature " +
                            graph_schema::quoted(detail::feature_label(g, *feature, of_nodes));
    if (std::find(done.begin(), done.end(), feature) != done.end())
      raise(errc::invalid_argument, who + " is listed twice; normalize it once");
    done.push_back(feature);
    if (how == normalization::l2 && feature->row_elements() == 1) {
      raise(
          errc::invalid_argument,
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
