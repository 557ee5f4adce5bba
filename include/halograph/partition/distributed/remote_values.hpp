// SPDX-License-Identifier: BSL-1.0
/// @file remote_values.hpp
/// Fetch a number of each remote node from the rank that holds the node.
/// Layer: partition (allocates what ranks exchange; no exceptions of its own). Words: README.md.
#pragma once

#include <halograph/core/communicator.hpp>
#include <halograph/core/status.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace halograph::detail {

/// All-to-all of words. Collective.
/// @param out         words for each rank, end to end in the order of ranks
/// @param out_counts  [R] words for each rank
/// @param in          out: words from each rank, in the order of ranks
/// @param in_counts   [R] out: words from each rank
template <communicator C>
status exchange_words(const C& ranks, std::span<const std::uint64_t> out,
                      std::span<const std::uint64_t> out_counts, std::vector<std::uint64_t>& in,
                      std::vector<std::uint64_t>& in_counts) {
  const auto size = static_cast<std::size_t>(ranks.size());
  std::vector<std::uint64_t> eights(size), out_bytes(size), in_bytes(size);
  std::vector<std::byte> scratch(16 * size);
  in_counts.resize(size);
  if (const status answer = exchange_counts(ranks, out_counts, std::span(in_counts),
                                            std::span(eights), std::span(scratch));
      !answer)
    return answer;
  std::uint64_t total = 0;
  for (std::size_t r = 0; r < size; ++r) {
    out_bytes[r] = 8 * out_counts[r];
    in_bytes[r] = 8 * in_counts[r];
    total += in_counts[r];
  }
  in.resize(static_cast<std::size_t>(total));
  return ranks.all_to_all(std::as_bytes(out), out_bytes, std::as_writable_bytes(std::span(in)),
                          in_bytes);
}

/// The replies to an exchange_words: one word for each record, in the order of the records.
/// Collective.
/// @param replies   to the records received, `received` [R] of them from each rank
/// @param out       out: replies to the records sent, `sent` [R] of them to each rank
template <communicator C>
status reply_words(const C& ranks, std::span<const std::uint64_t> replies,
                   std::span<const std::uint64_t> received, std::span<std::uint64_t> out,
                   std::span<const std::uint64_t> sent) {
  const auto size = static_cast<std::size_t>(ranks.size());
  std::vector<std::uint64_t> out_bytes(size), in_bytes(size);
  for (std::size_t r = 0; r < size; ++r) {
    out_bytes[r] = 8 * received[r];
    in_bytes[r] = 8 * sent[r];
  }
  return ranks.all_to_all(std::as_bytes(replies), out_bytes, std::as_writable_bytes(out), in_bytes);
}

/// All-gather of words. Collective. @param all  out: [R x n], in the order of ranks
template <communicator C>
status gather_words(const C& ranks, std::span<const std::uint64_t> mine,
                    std::vector<std::uint64_t>& all) {
  all.resize(mine.size() * static_cast<std::size_t>(ranks.size()));
  return ranks.all_gather(std::as_bytes(mine), std::as_writable_bytes(std::span(all)));
}

/// The distinct IDs outside [first, last), ascending.
template <class IDs>
std::vector<std::uint64_t> remote_nodes(const IDs& ids, std::uint64_t first, std::uint64_t last) {
  std::vector<std::uint64_t> found;
  const auto sort_and_merge = [&found] {
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
  };
  for (const auto u : ids) {
    const auto v = static_cast<std::uint64_t>(u);
    if (v >= first && v < last) continue;
    found.push_back(v);
    // Rows repeat their neighbors: memory stays a small multiple of the result.
    if (found.size() == found.capacity()) {
      sort_and_merge();
      found.reserve(2 * found.size() + 1024);
    }
  }
  sort_and_merge();
  return found;
}

/// Values of remote nodes: remembers which rank needs which nodes, so that values can be fetched
/// again and again with one exchange each.
class remote_values {
 public:
  /// Collective.
  /// @param ranges  [R+1] first node of each rank, then N; the same everywhere
  /// @param nodes   distinct remote nodes, ascending; kept
  template <communicator C>
  status make(const C& ranks, std::span<const std::uint64_t> ranges,
              std::vector<std::uint64_t> nodes) {
    nodes_ = std::move(nodes);
    counts_.resize(static_cast<std::size_t>(ranks.size()));
    auto from = nodes_.begin();
    for (std::size_t r = 0; r < counts_.size(); ++r) {
      const auto to = std::lower_bound(from, nodes_.end(), ranges[r + 1]);
      counts_[r] = static_cast<std::uint64_t>(to - from);
      from = to;
    }
    if (const status answer = exchange_words(ranks, std::span<const std::uint64_t>(nodes_),
                                             std::span<const std::uint64_t>(counts_), wanted_,
                                             wanted_counts_);
        !answer)
      return answer;
    const auto rank = static_cast<std::size_t>(ranks.rank());
    first_ = ranges[rank];
    last_ = ranges[rank + 1];
    for (auto& v : wanted_) {
      if (v < first_ || v >= last_) return status::internal;
      v -= first_;
    }
    return status::ok;
  }

  /// The remote nodes, ascending.
  std::span<const std::uint64_t> nodes() const noexcept { return nodes_; }
  /// The position of a remote node in nodes().
  std::size_t position_of(std::uint64_t v) const noexcept {
    return static_cast<std::size_t>(std::lower_bound(nodes_.begin(), nodes_.end(), v) -
                                    nodes_.begin());
  }

  /// Collective. @param value  value(i) of the i-th node of this rank  @param out  [nodes()] out
  template <communicator C, class Value>
  status fetch(const C& ranks, const Value& value, std::vector<std::uint64_t>& out) const {
    std::vector<std::uint64_t> replies(wanted_.size());
    for (std::size_t i = 0; i < wanted_.size(); ++i)
      replies[i] = value(static_cast<std::size_t>(wanted_[i]));
    out.resize(nodes_.size());
    return reply_words(ranks, std::span<const std::uint64_t>(replies),
                       std::span<const std::uint64_t>(wanted_counts_), std::span(out),
                       std::span<const std::uint64_t>(counts_));
  }

  /// The value of node v, of this rank (own(i) of its i-th node) or as fetched.
  template <class Value>
  std::uint64_t value_of(std::uint64_t v, const Value& own,
                         std::span<const std::uint64_t> fetched) const {
    return v >= first_ && v < last_ ? own(static_cast<std::size_t>(v - first_))
                                    : fetched[position_of(v)];
  }

 private:
  std::vector<std::uint64_t> nodes_{}, counts_{};          // of other ranks; [R] of each
  std::vector<std::uint64_t> wanted_{}, wanted_counts_{};  // of this rank, by others; [R] by each
  std::uint64_t first_ = 0, last_ = 0;                     // the nodes of this rank
};

}  // namespace halograph::detail
