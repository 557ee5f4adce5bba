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

#include <halograph/core/linkage.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/io/streamed_graph.hpp>
#include <halograph/serial/dtype.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
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
  std::string feature{};                        ///< its name, where needed with its type
  normalization how = normalization::standard;  ///< how it is scaled
};

namespace detail {

/// Elements as double; integers beyond 2^53 are rounded.
void widen_elements(dtype type, std::span<const std::byte> bytes, std::vector<double>& out);

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

  std::vector<column_scale> scales(normalization how);

  /// Reject a block with a value that is not finite. @param first  the block's first row
  static void check_finite(std::span<const double> values, std::uint64_t first, std::size_t columns,
                           const std::string& who);

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
std::pair<streamed_feature*, bool> find_streamed_feature(streamed_graph& g,
                                                         const std::string& asked);

}  // namespace detail

/// Scale features; see the table atop. Statistics are gathered here, rows are scaled as they are
/// read.
///
/// @errors not_found, invalid_argument: a feature that is not there, is asked for twice, or has one
///     number a row and is to be scaled by row; out_of_range: a value that is not finite (with its
///     row; for l2 when the row is read); overflow
/// @complexity a pass over the rows for minmax, two for standard; memory of a few rows
streamed_graph normalize(streamed_graph g, const std::vector<feature_normalization>& asked,
                         const progress_callback& on_progress = {});

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/io/impl/normalize.ipp>
#endif
