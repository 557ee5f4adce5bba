// SPDX-License-Identifier: BSL-1.0
/// @file feature_rows.ipp
/// Bodies of the plain functions of pipeline/out_of_core/feature_rows.hpp.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/comm/alltoallv.hpp>
#include <halograph/core/block_range.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/io/chunked/graph.hpp>
#include <halograph/io/chunked/metadata.hpp>
#include <halograph/pipeline/out_of_core/buckets.hpp>
#include <halograph/pipeline/out_of_core/budget.hpp>
#include <halograph/pipeline/out_of_core/feature_rows.hpp>
#include <halograph/pipeline/out_of_core/job.hpp>
#include <halograph/pipeline/part_columns.hpp>
#include <halograph/serial/digest.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/manifest.hpp>
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

HALOGRAPH_INLINE void open_files::sync(id_range files) {
  for (auto file = static_cast<std::size_t>(files.begin); file < files.end; ++file) {
    if (!paths_[file].empty()) (*this)[file].sync();
  }
  for (auto& one : open_) one.second.close();
  open_.clear();
  slot_.assign(paths_.size(), none);
}

HALOGRAPH_INLINE row_files::row_files(std::vector<std::string> paths, id_range own,
                                      std::size_t lanes)
    : paths_(std::move(paths)), own_(own), digests_(paths_.size()) {
  constexpr std::size_t most_open = 128;
  lanes = std::max<std::size_t>(std::min<std::size_t>(lanes, own.size()), 1);
  for (std::size_t lane = 0; lane < lanes; ++lane)
    lanes_.emplace_back(paths_, std::max<std::size_t>(most_open / lanes, 1));
}

HALOGRAPH_INLINE void row_files::write(std::size_t part, const section& to, std::uint64_t first,
                                       std::span<const std::byte> elements) {
  const auto lane = static_cast<std::size_t>(
      block_range_of(own_.size(), part - own_.begin, lanes_.size()));
  file_sink& sink = lanes_[lane][part];
  const std::uint64_t offset = to.offset + first * item_bytes(to.type);
  catch_up(part, offset);
  digests& of = digests_[part];
  if (of.sections.empty() || of.sections.back().first != to.offset)
    of.sections.emplace_back(to.offset, digest_in_order(to.offset));
  const status answer = elements_to(
      [&](std::uint64_t at, std::span<const std::byte> bytes) {
        const status written = sink.write_at(at, bytes);
        if (written) {
          of.file.add(at, bytes);
          of.sections.back().second.add(at, bytes);
        }
        return written;
      },
      to, first, elements);
  if (!answer) sink.require(answer);
}

HALOGRAPH_INLINE void row_files::sync() {
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane) lanes_[lane].sync(parts_of(lane));
}

HALOGRAPH_INLINE void row_files::catch_up(std::size_t part, std::uint64_t end) {
  digest_in_order& digest = digests_[part].file;
  if (!digest.in_order() || digest.next() >= end || end - digest.next() > most_between) return;
  std::uint64_t size = 0;
  const auto fd = open_regular(paths_[part], size);
  for_each_piece(
      fd, paths_[part], digest.next(), end - digest.next(),
      [&](std::uint64_t offset, std::span<const std::byte> bytes) { digest.add(offset, bytes); });
}

HALOGRAPH_INLINE std::optional<std::uint64_t> row_files::take_digest(std::size_t part,
                                                                     const section& of) {
  auto& all = digests_[part].sections;
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const auto& one) { return one.first == of.offset; });
  if (found == all.end()) return std::nullopt;
  const digest_in_order digest = found->second;
  all.erase(found);
  if (!digest.in_order() || digest.next() != of.offset + of.bytes()) return std::nullopt;
  return digest.value();
}

HALOGRAPH_INLINE std::optional<std::uint64_t> row_files::digest_of_file(std::size_t part,
                                                                        std::uint64_t bytes) {
  catch_up(part, bytes);
  const digest_in_order& digest = digests_[part].file;
  if (!digest.in_order() || digest.next() != bytes) return std::nullopt;
  return digest.value();
}

HALOGRAPH_INLINE void for_each_row_run(
    const chunked_graph& input, const chunked_feature& feature, std::pmr::memory_resource* memory,
    executor_ref run,
    function_ref<void(std::uint64_t, std::uint64_t, std::span<const std::byte>, executor_ref)> f) {
  const std::size_t width = feature.row_bytes();
  const auto rows_in = [&](std::uint64_t bytes) {
    return std::min(feature.rows, std::max<std::uint64_t>(1, bytes / width));
  };
  const auto bytes_of = [&](std::uint64_t rows) { return static_cast<std::size_t>(rows) * width; };
  constexpr std::uint64_t most_bytes = std::uint64_t{1} << 20;
  if (feature.list.format == chunk_format::numpy) {
    const std::uint64_t step = rows_in(most_bytes);
    const raw_bytes buffer(bytes_of(step), memory);
    for (std::uint64_t first = 0, last = 0; first < feature.rows; first = last) {
      last = first + std::min(step, feature.rows - first);
      const auto rows = static_cast<std::size_t>(last - first);
      run.parallel_for(
          0, rows, rows / run.concurrency() + 1, [&](std::size_t begin, std::size_t end) {
            input.read_rows(feature, first + begin, first + end,
                            buffer.all().subspan(begin * width, (end - begin) * width));
          });
      f(first, last, buffer.first(bytes_of(rows)), run);
    }
    return;
  }
  // Of text and tables a reader may have to parse what comes before its rows, so one thread reads
  // them in order.
  const std::uint64_t step = rows_in(most_bytes / 2);
  const raw_bytes buffers(2 * bytes_of(step), memory);
  std::span<std::byte> current = buffers.first(bytes_of(step)),
                       next = buffers.all().subspan(current.size());
  const auto end_of = [&](std::uint64_t first) {
    return first + std::min(step, feature.rows - first);
  };
  const auto read_next = [&](std::uint64_t first) {
    input.read_rows(feature, first, end_of(first), next.first(bytes_of(end_of(first) - first)));
  };
  if (feature.rows != 0) read_next(0);
  for (std::uint64_t first = 0; first < feature.rows; first = end_of(first)) {
    std::swap(current, next);
    const std::uint64_t last = end_of(first);
    const auto read = [&] {
      if (last < feature.rows) read_next(last);
    };
    const run_beside both(run, read);
    f(first, last, current.first(bytes_of(last - first)), both);
  }
}

}  // namespace halograph::detail
