// SPDX-License-Identifier: BSL-1.0
/// @file binary_rows.ipp
/// Bodies of the plain functions of io/formats/binary_rows.hpp.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/io/formats/binary_rows.hpp>
#include <halograph/io/formats/edge_list.hpp>
#include <halograph/io/streamed_graph.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/dtype.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE binary_column binary_sections::take(std::uint64_t count, unsigned width,
                                                     const char* what) {
  const std::uint64_t left = bytes_.size() - at_;
  if (count > left / width) {
    raise(error_kind::truncated,
          "the file ends within " + std::string(what) + ": " + std::to_string(count) + " times " +
              std::to_string(width) + " bytes are announced, " + std::to_string(left) + " are left",
          {.file = path_, .line = {}, .byte = at_});
  }
  const binary_column out{at_, count, width, width, false};
  at_ += count * width;
  return out;
}

HALOGRAPH_INLINE std::uint64_t binary_sections::take_number(const char* what) {
  return word_at(bytes_, take(1, 8, what), 0);
}

HALOGRAPH_INLINE void binary_sections::align(unsigned width) {
  if (at_ % width != 0) static_cast<void>(take(width - at_ % width, 1, "its padding"));
}

HALOGRAPH_INLINE void binary_sections::finish() const {
  if (at_ != bytes_.size()) {
    raise(error_kind::malformed,
          std::to_string(bytes_.size() - at_) +
              " bytes follow what the header announces; the file must end here",
          {.file = path_, .line = {}, .byte = at_});
  }
}

/// Rows whose sections lie within the file.
class binary_row_reader {
 public:
  explicit binary_row_reader(binary_rows rows) : rows_(std::move(rows)) {
    const std::string announced = std::to_string(rows_.edges) + " edges";
    std::uint64_t before = 0;
    for (std::uint64_t i = 0; i < rows_.offsets.count; ++i) {
      const std::uint64_t offset = word_at(bytes(), rows_.offsets, i);
      const std::uint64_t moved = offset - rows_.first_offset;
      const bool begins = i == 0 && rows_.offsets.count > rows_.nodes;
      if (offset < rows_.first_offset || moved % rows_.offset_unit != 0 ||
          moved / rows_.offset_unit < before || moved / rows_.offset_unit > rows_.edges ||
          (begins && moved != 0)) {
        raise(error_kind::malformed,
              "offset " + std::to_string(i) + " is " + std::to_string(offset) +
                  "; offsets must ascend over the rows of " + announced,
              {.file = rows_.path, .line = {}, .byte = place_of(rows_.offsets, i)});
      }
      before = moved / rows_.offset_unit;
    }
    if (before != rows_.edges) {
      raise(error_kind::malformed,
            "the rows hold " + std::to_string(before) + " edges; the header announces " + announced,
            {.file = rows_.path, .line = {}, .byte = rows_.offsets.at});
    }
    for (std::uint64_t i = 0; i < rows_.edges; ++i) {
      if (const std::uint64_t v = neighbor(i); v >= rows_.nodes) {
        raise(error_kind::out_of_range,
              "neighbor " + std::to_string(v) + " is no node; nodes are numbered from 0 to " +
                  std::to_string(rows_.nodes - 1),
              {.file = rows_.path, .line = {}, .byte = place_of(rows_.neighbors, i)});
      }
    }
  }

  const binary_rows& rows() const noexcept { return rows_; }

  void edges(std::uint64_t first, std::uint64_t last, const edge_block_visitor& visit) const {
    if (first >= last) return;
    // The row of the first edge: the last that begins at or before it.
    std::uint64_t row = 0;
    for (std::uint64_t count = rows_.nodes; count > 0;) {
      const std::uint64_t half = count / 2;
      if (end_of(row + half) <= first) {
        row += half + 1;
        count -= half + 1;
      } else {
        count = half;
      }
    }
    std::vector<std::uint64_t> source, target;
    std::uint64_t end = end_of(row);
    while (first < last) {
      const auto count = static_cast<std::size_t>(std::min(edges_per_block, last - first));
      source.resize(count);
      target.resize(count);
      for (std::size_t i = 0; i < count; ++i) {
        while (end <= first + i) end = end_of(++row);
        source[i] = row;
        target[i] = neighbor(first + i);
      }
      visit(source, target, first);
      first += count;
    }
  }

  void weights(const binary_column& column, std::uint64_t first, std::uint64_t last,
               std::span<std::byte> out) const {
    for (; first < last; ++first) {
      const auto value = static_cast<std::int64_t>(word_at(bytes(), column, first));
      std::memcpy(out.data(), &value, sizeof value);
      out = out.subspan(sizeof value);
    }
  }

 private:
  std::span<const std::byte> bytes() const noexcept { return rows_.content.bytes; }
  std::uint64_t neighbor(std::uint64_t i) const noexcept {
    return word_at(bytes(), rows_.neighbors, i);
  }
  static std::uint64_t place_of(const binary_column& column, std::uint64_t i) noexcept {
    return column.at + i * column.stride;
  }
  /// The edge after the last of a row.
  std::uint64_t end_of(std::uint64_t row) const noexcept {
    const std::uint64_t i = row + (rows_.offsets.count - rows_.nodes);
    return (word_at(bytes(), rows_.offsets, i) - rows_.first_offset) / rows_.offset_unit;
  }

  binary_rows rows_;
};

HALOGRAPH_INLINE streamed_graph stream_binary_rows(binary_rows rows) {
  const auto reader = std::make_shared<const binary_row_reader>(std::move(rows));
  const binary_rows& in = reader->rows();
  streamed_graph out;
  out.name = stem_of(in.path);
  out.schema = graph_schema::homogeneous();
  out.node_counts = {in.nodes};
  out.edge_counts = {in.edges};
  out.read_edges = [reader](type_id, std::uint64_t first, std::uint64_t last,
                            const edge_block_visitor& visit) { reader->edges(first, last, visit); };
  const auto add = [&](const binary_column& column, std::vector<streamed_feature>& features) {
    if (column.width == 0) return;
    features.push_back(
        {0,
         "weight",
         dtype::int64,
         {},
         column.count,
         [reader, column](std::uint64_t first, std::uint64_t last, std::span<std::byte> bytes) {
           reader->weights(column, first, last, bytes);
         }});
  };
  add(in.node_weights, out.node_features);
  add(in.edge_weights, out.edge_features);
  return out;
}

}  // namespace halograph::detail
