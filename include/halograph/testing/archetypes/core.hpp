// SPDX-License-Identifier: BSL-1.0
/// @file core.hpp
/// Minimal models of IDs, executors and communicators, and near misses.
/// Layer: testing. Words: README.md.
#pragma once

#include <halograph/core/communicator.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>
#include <halograph/testing/archetypes/awkward.hpp>
#include <halograph/testing/thread_ranks.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace halograph::archetype {

/// Models `id_row` and `selection`: a view of the caller's integers.
template <id Id = std::int8_t>
class id_row : awkward {
 public:
  explicit constexpr id_row(std::span<const Id> ids) : awkward(0), ids_(ids) {}
  constexpr const Id* begin() const { return ids_.data(); }
  constexpr const Id* end() const { return ids_.data() + ids_.size(); }

 private:
  std::span<const Id> ids_;
};

/// Models `id_output`: a view of the caller's memory without const access.
template <id Id = std::int8_t>
class id_output : awkward {
 public:
  explicit constexpr id_output(std::span<Id> ids) : awkward(0), ids_(ids) {}
  constexpr Id* begin() { return ids_.data(); }
  constexpr Id* end() { return ids_.data() + ids_.size(); }

 private:
  std::span<Id> ids_;
};

/// Models `communicator`: one of the ranks of run_ranks, and no more than the concept.
class communicator : awkward {
 public:
  explicit communicator(const thread_rank& ranks) : awkward(0), ranks_(&ranks) {}
  std::uint16_t rank() const { return static_cast<std::uint16_t>(ranks_->rank()); }
  std::uint16_t size() const { return static_cast<std::uint16_t>(ranks_->size()); }
  status barrier() const { return ranks_->barrier(); }
  status broadcast(std::span<std::byte> data, std::size_t root) const {
    return ranks_->broadcast(data, root);
  }
  status all_gather(std::span<const std::byte> mine, std::span<std::byte> all) const {
    return ranks_->all_gather(mine, all);
  }
  status all_to_all(std::span<const std::byte> out, std::span<const std::uint64_t> out_counts,
                    std::span<std::byte> in, std::span<const std::uint64_t> in_counts) const {
    return ranks_->all_to_all(out, out_counts, in, in_counts);
  }
  status sum(std::span<std::uint64_t> values) const { return ranks_->sum(values); }

 private:
  const thread_rank* ranks_;
};

/// Models `executor`: one thread, the last piece first, to expose bodies that rely on ascending
/// order.
struct executor : awkward {
  using awkward::awkward;
  std::size_t concurrency() const { return 3; }
  template <class Body>
  void parallel_for(std::size_t first, std::size_t last, std::size_t grain, Body&& body) const {
    const std::size_t step = grain == 0 ? 1 : grain;
    while (first < last) {
      const std::size_t count = (last - first) /
                                step;  // a last piece below the grain joins its neighbor
      const std::size_t begin = count <= 1 ? first : first + (count - 1) * step;
      body(begin, last);
      last = begin;
    }
  }
};

}  // namespace halograph::archetype

namespace halograph::near_miss {

/// Integers, or not, that are not IDs.
using id_that_is_bool = bool;
using id_that_is_a_character = char;   ///< A character type.
using id_that_is_no_integer = double;  ///< A floating-point type.
/// Signed.
using unsigned_id_that_is_signed = int;
/// Not contiguous.
template <id Id>
struct id_row_in_pieces {
  struct iterator {
    using value_type = Id;
    using difference_type = std::ptrdiff_t;
    Id operator*() const { return 0; }
    iterator& operator++() { return *this; }
    iterator operator++(int) { return *this; }
    bool operator==(const iterator&) const { return true; }
  };
  iterator begin() const { return {}; }
  iterator end() const { return {}; }
};
/// Contiguous, but not IDs.
struct id_row_of_characters {
  const char* begin() const { return nullptr; }
  const char* end() const { return nullptr; }
};
/// Not writable.
struct id_output_of_const {
  const int* begin() { return nullptr; }
  const int* end() { return nullptr; }
};
/// Numbers, but not integers.
struct selection_of_numbers {
  const double* begin() const { return nullptr; }
  const double* end() const { return nullptr; }
};

/// size() is not accessible.
class communicator_without_size : public single_rank {
  using single_rank::size;
};
/// barrier() is not accessible.
class communicator_without_barrier : public single_rank {
  using single_rank::barrier;
};
/// Broadcasts from rank 0 only.
struct communicator_without_root : single_rank {
  status broadcast(std::span<std::byte>) const { return status::ok; }
};
/// Has no output to gather into.
struct communicator_of_one_length : single_rank {
  status all_gather(std::span<std::byte>) const { return status::ok; }
};
/// Counts are int, as in MPI.
struct communicator_of_int_counts : single_rank {
  status all_to_all(std::span<const std::byte>, std::span<const int>, std::span<std::byte>,
                    std::span<const int>) const {
    return status::ok;
  }
};
/// sum() is not const.
struct communicator_not_const : single_rank {
  status sum(std::span<std::uint64_t>) { return status::ok; }
};

/// Takes no grain.
struct executor_without_grain {
  std::size_t concurrency() const { return 1; }
  template <class Body>
  void parallel_for(std::size_t, std::size_t, Body&&) const {}
};
/// Has no concurrency().
struct executor_without_concurrency {
  template <class Body>
  void parallel_for(std::size_t, std::size_t, std::size_t, Body&&) const {}
};

}  // namespace halograph::near_miss
