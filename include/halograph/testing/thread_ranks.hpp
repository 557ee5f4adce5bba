// SPDX-License-Identifier: BSL-1.0
/// @file thread_ranks.hpp
/// Several ranks in one process, one thread each, to test code that takes a communicator.
/// Layer: testing. Words: README.md.
#pragma once

#include <halograph/core/communicator.hpp>
#include <halograph/core/status.hpp>

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

namespace halograph {

namespace detail {

/// What the ranks share: a barrier, and the buffers that each rank offers the others to read.
class thread_meeting {
 public:
  struct offer {
    std::span<const std::byte> bytes{};
    std::span<const std::uint64_t> numbers{};
  };

  explicit thread_meeting(std::size_t ranks) : offers_(ranks) {}
  std::size_t size() const noexcept { return offers_.size(); }
  const offer& of(std::size_t rank) const noexcept { return offers_[rank]; }

  /// Offer buffers and wait for the others. Returns false if one of them has ended.
  bool meet(std::size_t rank, std::span<const std::byte> bytes,
            std::span<const std::uint64_t> numbers) {
    std::unique_lock lock(mutex_);
    offers_[rank] = {bytes, numbers};
    return wait(lock);
  }
  /// Wait for the others; the offered buffers stay.
  bool meet() {
    std::unique_lock lock(mutex_);
    return wait(lock);
  }
  /// End this rank: nobody waits for it again.
  void leave() {
    const std::lock_guard lock(mutex_);
    any_rank_aborted_ = true;
    come_together_.notify_all();
  }

 private:
  bool wait(std::unique_lock<std::mutex>& lock) {
    if (any_rank_aborted_) return false;
    const std::uint64_t round = round_;
    if (++waiting_ == offers_.size()) {
      waiting_ = 0;
      ++round_;
      come_together_.notify_all();
      return true;
    }
    come_together_.wait(lock, [&] { return round_ != round || any_rank_aborted_; });
    return round_ != round;
  }

  std::mutex mutex_{};
  std::condition_variable come_together_{};
  std::vector<offer> offers_;
  std::size_t waiting_ = 0;
  std::uint64_t round_ = 0;
  bool any_rank_aborted_ = false;
};

}  // namespace detail

/// One of the ranks of run_ranks. Models communicator; every call returns canceled after a rank has
/// ended.
class thread_rank {
 public:
  /// Made by run_ranks(). @param meeting  must outlive this object
  thread_rank(detail::thread_meeting& meeting, std::size_t rank) noexcept
      : meeting_(&meeting), rank_(rank) {}
  /// @{
  /// A rank is moved, never copied.
  thread_rank(thread_rank&&) = default;
  thread_rank& operator=(thread_rank&&) = default;
  /// @}

  std::size_t rank() const noexcept { return rank_; }             ///< from 0
  std::size_t size() const noexcept { return meeting_->size(); }  ///< R, as passed to run_ranks()

  /// @{
  /// The calls of `communicator`; each waits for all ranks.
  status barrier() const { return meeting_->meet() ? status::ok : status{error_kind::canceled, 0}; }

  status broadcast(std::span<std::byte> data, std::size_t root) const {
    if (root >= size()) return status::out_of_range.at(root);
    if (const status there = met(data); !there) return there;
    const auto from = meeting_->of(root).bytes;
    const bool fits = from.size() == data.size();
    if (fits && root != rank_) std::copy(from.begin(), from.end(), data.begin());
    return done(fits);
  }
  status all_gather(std::span<const std::byte> mine, std::span<std::byte> all) const {
    if (mine.size() > all.size() / size() || all.size() != mine.size() * size())
      return status::mismatch.at(mine.size() * size());
    if (const status there = met(mine); !there) return there;
    bool fits = true;
    for (std::size_t r = 0; r < size(); ++r) {
      const auto from = meeting_->of(r).bytes;
      fits = fits && from.size() == mine.size();
      if (fits)
        std::copy(from.begin(), from.end(),
                  all.begin() + static_cast<std::ptrdiff_t>(r * mine.size()));
    }
    return done(fits);
  }
  status all_to_all(std::span<const std::byte> out, std::span<const std::uint64_t> out_counts,
                    std::span<std::byte> in, std::span<const std::uint64_t> in_counts) const {
    if (const status fits = check_exchange(size(), out.size(), out_counts); !fits) return fits;
    if (const status fits = check_exchange(size(), in.size(), in_counts); !fits) return fits;
    if (const status there = met(out, out_counts); !there) return there;
    bool fits = true;
    auto to = in.begin();
    for (std::size_t r = 0; r < size(); ++r) {
      const auto& from = meeting_->of(r);
      fits = fits && from.numbers[rank_] == in_counts[r];
      if (!fits) break;
      std::uint64_t begin = 0;
      for (std::size_t p = 0; p < rank_; ++p) begin += from.numbers[p];
      const auto piece = from.bytes.subspan(static_cast<std::size_t>(begin),
                                            static_cast<std::size_t>(in_counts[r]));
      to = std::copy(piece.begin(), piece.end(), to);
    }
    return done(fits);
  }
  status sum(std::span<std::uint64_t> values) const {
    const std::vector<std::uint64_t> mine(values.begin(), values.end());
    if (const status there = met({}, mine); !there) return there;
    bool fits = true;
    for (std::size_t r = 0; r < size(); ++r)
      fits = fits && meeting_->of(r).numbers.size() == values.size();
    for (std::size_t i = 0; fits && i < values.size(); ++i) {
      values[i] = 0;
      for (std::size_t r = 0; r < size(); ++r) values[i] += meeting_->of(r).numbers[i];
    }
    return done(fits);
  }
  /// @}

 private:
  status met(std::span<const std::byte> bytes, std::span<const std::uint64_t> numbers = {}) const {
    return meeting_->meet(rank_, bytes, numbers) ? status::ok : status{error_kind::canceled, 0};
  }
  // No rank may release buffers that others still read.
  status done(bool fits) const {
    const status everyone = barrier();
    return fits ? everyone : status::mismatch;
  }

  detail::thread_meeting* meeting_;
  std::size_t rank_;
};
static_assert(communicator<thread_rank>);

/// Run `body(const thread_rank&)` on every rank, one thread each, and return when all have
/// returned. After the body of a rank returns or throws, calls of the other ranks return canceled.
/// The first exception is rethrown here.
template <class Body>
void run_ranks(std::size_t ranks, Body&& body) {
  detail::thread_meeting meeting(ranks);
  std::exception_ptr raised;
  std::mutex first;
  std::vector<std::thread> threads;
  threads.reserve(ranks);
  for (std::size_t r = 0; r < ranks; ++r) {
    threads.emplace_back([&, r] {
      try {
        body(thread_rank(meeting, r));
      } catch (...) {
        const std::lock_guard lock(first);
        if (!raised) raised = std::current_exception();
      }
      meeting.leave();
    });
  }
  for (auto& thread : threads) thread.join();
  if (raised) std::rethrow_exception(raised);
}

}  // namespace halograph
