// SPDX-License-Identifier: BSL-1.0
/// @file feature_rows.ipp
/// Bodies of the plain functions of pipeline/out_of_core/feature_rows.hpp.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/comm/alltoallv.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/io/chunked/graph.hpp>
#include <halograph/io/chunked/metadata.hpp>
#include <halograph/pipeline/out_of_core/buckets.hpp>
#include <halograph/pipeline/out_of_core/budget.hpp>
#include <halograph/pipeline/out_of_core/feature_rows.hpp>
#include <halograph/pipeline/part_columns.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/scratch.hpp>
#include <halograph/serial/layout_writer.hpp>
#include <halograph/serial/serializer.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE file_sink& open_files::operator[](std::size_t file) {
  if (slot_[file] == none) {
    if (open_.size() < most_) {
      slot_[file] = open_.size();
      open_.emplace_back(file, file_sink::open(paths_[file]));
    } else {
      next_ = (next_ + 1) % most_;
      slot_[open_[next_].first] = none;
      open_[next_].second.close();
      open_[next_] = {file, file_sink::open(paths_[file])};
      slot_[file] = next_;
    }
  }
  return open_[slot_[file]].second;
}

HALOGRAPH_INLINE void open_files::sync() {
  for (std::size_t file = 0; file < paths_.size(); ++file) {
    if (!paths_[file].empty()) (*this)[file].sync();
  }
  for (auto& one : open_) one.second.close();
  open_.clear();
  slot_.assign(paths_.size(), none);
}

HALOGRAPH_INLINE void for_each_row_run(
    const chunked_graph& input, const chunked_feature& feature, std::pmr::memory_resource* memory,
    function_ref<void(std::uint64_t, std::uint64_t, std::span<const std::byte>)> f) {
  const std::size_t width = feature.row_bytes();
  const std::uint64_t step = std::max<std::uint64_t>(1, (std::uint64_t{1} << 20) / width);
  const raw_bytes buffer(static_cast<std::size_t>(std::min(step, feature.rows)) * width, memory);
  for (std::uint64_t first = 0; first < feature.rows;
       first += std::min(step, feature.rows - first)) {
    const std::uint64_t last = first + std::min(step, feature.rows - first);
    const auto bytes = buffer.first(static_cast<std::size_t>(last - first) * width);
    input.read_rows(feature, first, last, bytes);
    f(first, last, std::span<const std::byte>(bytes));
  }
}

}  // namespace halograph::detail
