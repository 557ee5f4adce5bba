// SPDX-License-Identifier: BSL-1.0
/// @file level_graph.hpp
/// What every phase of a multilevel partitioner over ranks reads: ranks, options and loads, and the
/// graph of one level of coarsening, each rank's share of its rows.
/// Layer: partition (allocates; no exceptions of its own). Words: README.md.
#pragma once

#include <halograph/core/communicator.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/partition/distributed/remote_values.hpp>
#include <halograph/partition/multilevel/effort.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace halograph::detail {

struct multilevel_options {
  std::uint32_t parts = 1;
  std::uint64_t seed = 0;
  multilevel_effort effort{};
  // Neighbors in all rows of a graph that the first rank holds whole, and its nodes, at most.
  std::uint64_t coarsest_entries = 0;
  std::vector<double> tolerances{};  // [rows - 1] of each load
  const function_ref<void(std::uint64_t, bool)>* on_bytes =
      nullptr;  // told on the first rank, of a graph held whole
};

/// One call of a multilevel partitioner. With single_rank, this process alone.
template <communicator C>
struct multilevel_problem {
  const C& ranks;
  multilevel_options options;
  std::size_t rank, size;           // of `ranks`
  std::vector<std::uint64_t> caps;  // [rows] a part's limit of each load
  std::size_t rows;                 // loads of each node; the last one counts nodes, without limit
  std::vector<std::uint64_t> totals;  // [rows] loads of all nodes

  /// @param limits  [rows - 1] a part's limit of each load
  multilevel_problem(const C& over, const multilevel_options& asked,
                     std::vector<std::uint64_t> limits)
      : ranks(over),
        options(asked),
        rank(static_cast<std::size_t>(over.rank())),
        size(static_cast<std::size_t>(over.size())),
        caps(std::move(limits)),
        rows(caps.size() + 1),
        totals(rows) {
    caps.push_back(~std::uint64_t{0});
  }
};

/// Numbers that take 4 bytes each, or 8 bytes each once one of them needs more than 32 bits.
class packed_words {
 public:
  class iterator {
   public:
    iterator(const packed_words& words, std::size_t i) : words_(&words), i_(i) {}
    std::uint64_t operator*() const { return (*words_)[i_]; }
    iterator& operator++() {
      ++i_;
      return *this;
    }
    bool operator==(const iterator& other) const { return i_ == other.i_; }

   private:
    const packed_words* words_;
    std::size_t i_;
  };

  std::size_t size() const noexcept { return is_wide_ ? wide_.size() : narrow_.size(); }
  bool empty() const noexcept { return size() == 0; }
  std::uint64_t operator[](std::size_t i) const noexcept {
    return is_wide_ ? wide_[i] : narrow_[i];
  }
  iterator begin() const { return {*this, 0}; }
  iterator end() const { return {*this, size()}; }

  void reserve(std::size_t most) {
    if (is_wide_)
      wide_.reserve(most);
    else
      narrow_.reserve(most);
  }
  void push_back(std::uint64_t x) {
    if (!is_wide_ && x >> 32 != 0) widen();
    if (is_wide_)
      wide_.push_back(x);
    else
      narrow_.push_back(static_cast<std::uint32_t>(x));
  }
  void set(std::size_t i, std::uint64_t x) {
    if (!is_wide_ && x >> 32 != 0) widen();
    if (is_wide_)
      wide_[i] = x;
    else
      narrow_[i] = static_cast<std::uint32_t>(x);
  }

 private:
  void widen() {
    wide_.reserve(narrow_.capacity());
    wide_.assign(narrow_.begin(), narrow_.end());
    narrow_ = std::vector<std::uint32_t>();
    is_wide_ = true;
  }

  std::vector<std::uint32_t> narrow_{};
  std::vector<std::uint64_t> wide_{};
  bool is_wide_ = false;
};

/// One rank's piece of a graph on the way from fine to coarse.
struct level_graph {
  std::vector<std::uint64_t> ranges{};    // [R+1]
  std::vector<std::uint64_t> offsets{0};  // [n+1]
  packed_words targets{};  // [m] below n: of this rank; else n + position in remote.nodes()
  packed_words weights{};  // [m], or empty: 1 each
  std::vector<std::uint64_t> loads{};      // [n x rows]; the last row counts the nodes of the graph
  std::vector<std::uint64_t> coarse_of{};  // [n] the node of the next level
  remote_values remote{};

  std::size_t num_nodes() const noexcept { return offsets.size() - 1; }
  std::uint64_t total_nodes() const noexcept { return ranges.back(); }
  template <class F>
  void visit(std::size_t v, F&& f) const {
    for (auto i = static_cast<std::size_t>(offsets[v]); i < offsets[v + 1]; ++i)
      f(static_cast<std::size_t>(targets[i]), weights.empty() ? 1 : weights[i]);
  }
  std::size_t degree(std::size_t v) const noexcept {
    return static_cast<std::size_t>(offsets[v + 1] - offsets[v]);
  }
  std::size_t largest_degree() const noexcept {
    std::size_t most = 0;
    for (std::size_t v = 0; v < num_nodes(); ++v) most = std::max(most, degree(v));
    return most;
  }
};

}  // namespace halograph::detail
