// SPDX-License-Identifier: BSL-1.0
/// @file buckets.hpp
/// Records on disk in buckets by key, from which they are read back sorted.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/comm/alltoallv.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/serial/files/scratch.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory_resource>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace halograph::detail {

/// Which bucket a key belongs to: each has a range of 2^shift keys.
struct bucket_ranges {
  unsigned shift = 0;
  std::size_t count = 1;

  bucket_ranges(std::uint64_t keys, std::uint64_t buckets) {
    while (((keys == 0 ? 0 : keys - 1) >> shift) >= buckets) ++shift;
    count = static_cast<std::size_t>((keys == 0 ? 0 : keys - 1) >> shift) + 1;
  }
  std::size_t of(std::uint64_t key) const noexcept {
    return static_cast<std::size_t>(key >> shift);
  }
  /// Keys [first, last) of a bucket; there are `keys` keys.
  std::pair<std::uint64_t, std::uint64_t> keys(std::size_t bucket,
                                               std::uint64_t keys) const noexcept {
    return {std::min<std::uint64_t>(std::uint64_t{bucket} << shift, keys),
            std::min<std::uint64_t>((std::uint64_t{bucket} + 1) << shift, keys)};
  }
};

/// Sort records by key into rows, bucket by bucket.
///
/// @param spill    finished; the records of a row stay in the order in which they were pushed
/// @param offsets  [keys+1] out: where each key's row starts
/// @param window   bytes of the buffer that a thread reads through
/// @param sorted   bytes in which a thread may sort the rows of a bucket before they are written;
///     those of larger buckets are put into the mapped files one by one
/// @param key      key(record)
/// @param rows     where they go, as row_columns (edges.hpp)
/// @param told     told(records): progress
template <class Record, id Edge, class Key, class Rows>
void rows_from_buckets(const spill_buckets& spill, const bucket_ranges& ranges,
                       std::span<Edge> offsets, std::uint64_t window, std::uint64_t sorted,
                       std::pmr::memory_resource* memory, executor_ref run, const Key& key,
                       const Rows& rows, const std::function<void(std::uint64_t)>& told) {
  const std::uint64_t keys = offsets.size() - 1;
  std::vector<std::uint64_t> begin(ranges.count + 1);
  for (std::size_t b = 0; b < ranges.count; ++b) begin[b + 1] = begin[b] + spill.count(b);
  std::mutex mutex;
  std::uint64_t finished = 0;
  const auto one_bucket = [&](std::size_t b, const raw_bytes& buffer,
                              std::optional<raw_bytes>& own) {
    const auto [first, last] = ranges.keys(b, keys);
    const auto count = static_cast<std::size_t>(begin[b + 1] - begin[b]);
    // Each bucket is gone through twice: from memory, if it fits.
    std::span<const std::byte> records;
    const bool fits = count <= buffer.size() / sizeof(Record);
    if (fits) records = spill.read_all(b, buffer.all());
    const auto each = [&](auto&& f) {
      if (fits) return for_each_record<Record>(records, f);
      spill.read(b, buffer.all(),
                 [&](std::span<const std::byte> bytes) { for_each_record<Record>(bytes, f); });
    };
    for (std::uint64_t k = first; k < last; ++k) offsets[static_cast<std::size_t>(k)] = 0;
    each([&](const Record& record) { ++offsets[index(key(record))]; });
    auto sum = static_cast<Edge>(begin[b]);
    for (std::uint64_t k = first; k < last; ++k) {
      const Edge row = offsets[static_cast<std::size_t>(k)];
      offsets[static_cast<std::size_t>(k)] = sum;
      sum = static_cast<Edge>(sum + row);
    }
    const auto fill = [&](const auto& block, std::uint64_t from) {
      each([&](const Record& record) {
        block.put(index(offsets[index(key(record))]++) - static_cast<std::size_t>(from), record);
      });
    };
    if (const std::size_t bytes = rows.bytes(count); bytes <= sorted) {
      if (!own || own->size() < bytes) {
        own.reset();
        own.emplace(bytes, memory);
      }
      const auto block = rows.in_memory(own->all(), count);
      fill(block, begin[b]);
      rows.write(block, static_cast<std::size_t>(begin[b]), count);
    } else {
      fill(rows.mapped(), 0);
    }
    // Each offset is now at the end of its row, which is the start of the next row.
    for (std::uint64_t k = last; k > first + 1; --k)
      offsets[static_cast<std::size_t>(k - 1)] = offsets[static_cast<std::size_t>(k - 2)];
    if (first < last) offsets[static_cast<std::size_t>(first)] = static_cast<Edge>(begin[b]);
    const std::lock_guard lock(mutex);
    finished += count;
    if (told) told(finished);
  };
  // Each thread has one buffer for all its buckets.
  const std::size_t lanes = std::min(std::max<std::size_t>(run.concurrency(), 1), ranges.count);
  std::atomic<std::size_t> next = 0;
  run.parallel_for(0, lanes, 1, [&](std::size_t first, std::size_t last) {
    const raw_bytes buffer(
        static_cast<std::size_t>(std::max<std::uint64_t>(window, sizeof(Record))), memory);
    std::optional<raw_bytes> own;
    for (; first < last; ++first) {
      for (std::size_t b = next++; b < ranges.count; b = next++) {
        if (b < lanes) spill.prefetch(b);
        if (b + lanes < ranges.count) spill.prefetch(b + lanes);
        one_bucket(b, buffer, own);
      }
    }
  });
  offsets[static_cast<std::size_t>(keys)] = static_cast<Edge>(begin.back());
}

/// Call f(record, position) for all records, bucket by bucket.
template <class Record, class F>
void for_each_in_buckets(const spill_buckets& spill, std::uint64_t window,
                         std::pmr::memory_resource* memory, F&& f) {
  const raw_bytes buffer(static_cast<std::size_t>(std::max<std::uint64_t>(window, sizeof(Record))),
                         memory);
  std::size_t at = 0;
  for (std::size_t b = 0; b < spill.buckets(); ++b) {
    spill.read(b, buffer.all(), [&](std::span<const std::byte> bytes) {
      for_each_record<Record>(bytes, [&](const Record& record) { f(record, at++); });
    });
  }
}

/// Where the list of each part begins, if each part of `parts` has `each` buckets.
/// @param begin  [P+1] out
void lists_from_buckets(const spill_buckets& spill, id_range parts, std::size_t each,
                        std::span<std::uint64_t> begin);

}  // namespace halograph::detail

#if !HALOGRAPH_COMPILED
#include <halograph/pipeline/out_of_core/impl/buckets.ipp>
#endif
