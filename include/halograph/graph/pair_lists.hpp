// SPDX-License-Identifier: BSL-1.0
/// @file pair_lists.hpp
/// Pairs in several lists, counted once however often they are there.
/// Layer: graph (allocates; no exceptions of its own). Words: README.md.
#pragma once

#include <halograph/core/executor.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace halograph::detail {

template <class Word>
using pair_list = std::vector<std::pair<Word, Word>>;

/// How many different pairs the lists hold together. Sorts each list.
/// @param below    what first elements are below, at most 2^63
/// @param threads  sort lists and merge pieces of them
/// @complexity     O(C log C) time for C pairs; memory: a number for each 2^15 of them, and for
/// each
///     thread and list
template <class Word>
std::uint64_t count_distinct(std::span<pair_list<Word>> lists, std::uint64_t below,
                             executor_ref threads = {}) {
  threads.parallel_for(0, lists.size(), 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) std::sort(lists[i].begin(), lists[i].end());
  });
  std::size_t all = 0;
  for (const auto& one : lists) all += one.size();
  // Pieces of the range of first elements.
  const std::size_t pieces = (all >> 15) + 1;
  const std::uint64_t width = below / pieces + 1;
  std::vector<std::uint64_t> counts(pieces);
  using cursor = std::pair<const std::pair<Word, Word>*, const std::pair<Word, Word>*>;
  threads.parallel_for(0, pieces, 1, [&](std::size_t first, std::size_t last) {
    std::vector<cursor> heap;
    const auto later = [](const cursor& a, const cursor& b) { return *b.first < *a.first; };
    for (std::size_t i = first; i < last; ++i) {
      heap.clear();
      for (const auto& one : lists) {
        const auto start_of = [&](std::size_t piece) {
          const auto is_before = [&](const std::pair<Word, Word>& pair) {
            return pair.first < piece * width;
          };
          return one.data() +
                 (std::partition_point(one.begin(), one.end(), is_before) - one.begin());
        };
        if (const cursor found{start_of(i), start_of(i + 1)}; found.first != found.second)
          heap.push_back(found);
      }
      std::make_heap(heap.begin(), heap.end(), later);
      const std::pair<Word, Word>* before = nullptr;
      while (!heap.empty()) {
        std::pop_heap(heap.begin(), heap.end(), later);
        auto& [at, end] = heap.back();
        if (before == nullptr || *before != *at) ++counts[i];
        before = at++;
        if (at == end)
          heap.pop_back();
        else
          std::push_heap(heap.begin(), heap.end(), later);
      }
    }
  });
  std::uint64_t sum = 0;
  for (const std::uint64_t count : counts) sum += count;
  return sum;
}

}  // namespace halograph::detail
