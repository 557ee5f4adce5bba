// SPDX-License-Identifier: BSL-1.0
/// @file thread_ranks.hpp
/// Several ranks in one process, one thread each, to test code that takes a communicator: in
/// parallel, or one at a time in an order that a seed draws.
/// Layer: testing. Words: README.md.
#pragma once

#include <halograph/core/communicator.hpp>
#include <halograph/core/random.hpp>
#include <halograph/core/status.hpp>

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <limits>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

namespace halograph {

/// The order in which ranks run.
///
/// With a seed, one rank runs at a time, and at every call of the communicator the seed draws which
/// one goes on: some ranks are slow for long, and the root of a broadcast may be far ahead of those
/// that it sends to, as with MPI. The same seed gives the same run, if the ranks start no threads
/// of their own that make a difference.
struct rank_schedule {
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();  ///< no rank

  std::uint64_t seed = 0;         ///< 0: the ranks run in parallel
  std::size_t dying_rank = none;  ///< ends with rank_death
  std::uint64_t dying_call = 0;   ///< at which of its calls, from 0

  /// The seed is the number in HALOGRAPH_RANK_SEED, if there is one, so that tests can be run again
  /// in other orders.
  static rank_schedule of_environment() {
    const char* const seed = std::getenv("HALOGRAPH_RANK_SEED");
    return {.seed = seed == nullptr ? 0 : std::strtoull(seed, nullptr, 10)};
  }
};

/// Thrown by the call at which a rank dies.
struct rank_death {};

namespace detail {

enum class rank_call : std::uint8_t { barrier, broadcast, all_gather, all_to_all, sum };

/// What the ranks share: whose turn it is, and what each has brought to each call.
class thread_meeting {
 public:
  /// What a rank brings to a call.
  struct offer {
    rank_call call{};
    std::size_t root = 0;
    std::span<const std::byte> bytes{};
    std::span<const std::uint64_t> numbers{};
    bool made = false, used = false;      // used: the rank has taken what the others offer it
    std::vector<std::byte> kept_bytes{};  // of a rank that goes on before the others
    std::vector<std::uint64_t> kept_numbers{};
  };

  explicit thread_meeting(std::size_t ranks, const rank_schedule& schedule = {})
      : schedule_(schedule),
        draw_(schedule.seed),
        at_(ranks),
        ended_(ranks),
        urgency_(ranks),
        waiting_for_(ranks) {
    by_urgency_ = draw_.below(2) == 0;
    for (auto& one : urgency_) one = draw_.next();
    turn_ = static_cast<std::size_t>(draw_.below(ranks));
  }
  std::size_t size() const noexcept { return at_.size(); }
  /// Has a rank died?
  bool died() const noexcept { return died_; }

  /// Wait for this rank's first turn.
  void enter(std::size_t rank) {
    std::unique_lock lock(mutex_);
    wait_for_turn(rank, lock);
  }
  /// End this rank: nobody waits for it again.
  void leave(std::size_t rank) {
    const std::lock_guard lock(mutex_);
    ended_[rank] = true;
    choose();
  }

  /// Bring something to the rank's next call, and wait until the call can return.
  /// @param use  use(offers), [R] what each rank has brought; only a broadcast may lack some
  /// @return mismatch at the number of the call: ranks made different calls; canceled: a rank has
  ///     ended
  template <class Use>
  status meet(std::size_t rank, offer mine, const Use& use) {
    std::unique_lock lock(mutex_);
    const std::uint64_t call = at_[rank];
    if (schedule_.dying_rank == rank && schedule_.dying_call == call) {
      died_ = true;
      throw rank_death();
    }
    const auto offers = offers_of(call);
    for (const offer& other : offers)
      broken_ = broken_ || (other.made && (other.call != mine.call || other.root != mine.root));
    mine.made = true;
    if (schedule_.seed != 0) {
      mine.kept_bytes.assign(mine.bytes.begin(), mine.bytes.end());
      mine.kept_numbers.assign(mine.numbers.begin(), mine.numbers.end());
      mine.bytes = mine.kept_bytes;
      mine.numbers = mine.kept_numbers;
    }
    offers[rank] = std::move(mine);
    waiting_for_[rank] = call;
    choose();
    wait_for_turn(rank, lock);
    waiting_for_[rank].reset();
    if (broken_) return status::mismatch.at(call);
    if (!is_complete(rank, call)) return {error_kind::canceled, 0};
    const status answer = use(std::span<const offer>(offers));
    if (schedule_.seed == 0) {  // nobody may release what others still have to take
      offers[rank].used = true;
      next_.notify_all();
      next_.wait(lock, [&] {
        for (std::size_t r = 0; r < size(); ++r) {
          if (!offers[r].used && !ended_[r]) return broken_;
        }
        return true;
      });
    }
    ++at_[rank];
    close_calls();
    return answer;
  }

 private:
  /// What ranks bring to one call, by rank; used again for a later call.
  struct open_call {
    std::uint64_t call = 0;
    std::vector<offer> offers{};
  };
  std::span<offer> offers_of(std::uint64_t call) {
    open_call* unused = nullptr;
    for (open_call& one : calls_) {
      if (one.call == call) return one.offers;
      if (one.call == closed) unused = &one;
    }
    if (unused == nullptr)
      unused = &calls_.emplace_back(open_call{closed, std::vector<offer>(size())});
    unused->call = call;
    return unused->offers;
  }
  /// Can the rank's call return with a result?
  bool is_complete(std::size_t rank, std::uint64_t call) {
    if (broken_) return false;
    const auto offers = offers_of(call);
    if (offers[rank].call == rank_call::broadcast) return offers[offers[rank].root].made;
    return std::all_of(offers.begin(), offers.end(), [](const offer& one) { return one.made; });
  }
  bool is_runnable(std::size_t rank) {
    if (ended_[rank]) return false;
    if (!waiting_for_[rank]) return true;
    const std::uint64_t call = *waiting_for_[rank];
    if (broken_ || is_complete(rank, call)) return true;
    for (std::size_t r = 0; r < size(); ++r) {  // one that has ended will not come
      if (ended_[r] && !offers_of(call)[r].made) return true;
    }
    return false;
  }
  /// Draw whose turn is next.
  void choose() {
    if (schedule_.seed == 0) return next_.notify_all();
    std::vector<std::size_t> runnable;
    for (std::size_t r = 0; r < size(); ++r) {
      if (is_runnable(r)) runnable.push_back(r);
    }
    if (runnable.empty()) return;  // all have ended
    if (by_urgency_) {
      // The most urgent one runs until it waits; now and then another becomes so.
      if (draw_.below(16) == 0)
        urgency_[static_cast<std::size_t>(draw_.below(size()))] = draw_.next();
      turn_ = *std::max_element(
          runnable.begin(), runnable.end(),
          [&](std::size_t a, std::size_t b) { return urgency_[a] < urgency_[b]; });
    } else {
      turn_ = runnable[static_cast<std::size_t>(draw_.below(runnable.size()))];
    }
    next_.notify_all();
  }
  void wait_for_turn(std::size_t rank, std::unique_lock<std::mutex>& lock) {
    next_.wait(lock, [&] { return schedule_.seed == 0 ? is_runnable(rank) : turn_ == rank; });
  }
  void close_calls() {
    const std::uint64_t least = *std::min_element(at_.begin(), at_.end());
    for (open_call& one : calls_) {
      if (one.call == closed || one.call >= least) continue;
      one.call = closed;
      for (offer& each : one.offers) each = {};
    }
  }

  static constexpr std::uint64_t closed = std::numeric_limits<std::uint64_t>::max();
  std::mutex mutex_{};
  std::condition_variable next_{};
  rank_schedule schedule_;
  random_stream draw_;
  std::vector<std::uint64_t> at_;  // [R] calls that have returned
  std::vector<bool> ended_;
  std::vector<std::uint64_t> urgency_;
  bool by_urgency_ = false, broken_ = false, died_ = false;
  std::size_t turn_ = 0;
  std::vector<std::optional<std::uint64_t>> waiting_for_;  // [R] the call in which a rank waits
  std::vector<open_call> calls_{};
};

}  // namespace detail

/// One of the ranks of run_ranks. Models communicator; every call returns canceled after a rank has
/// ended, and mismatch after ranks have made different calls.
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
  /// The calls of `communicator`; each waits for all ranks, a broadcast only for its root.
  status barrier() const {
    return meeting_->meet(rank_, {.call = detail::rank_call::barrier},
                          [](offers) -> status { return status::ok; });
  }
  status broadcast(std::span<std::byte> data, std::size_t root) const {
    if (root >= size()) return status::out_of_range.at(root);
    return meeting_->meet(rank_,
                          {.call = detail::rank_call::broadcast, .root = root, .bytes = data},
                          [&](offers all) -> status {
                            // The root may have gone on before others come: it never looks at
                            // theirs.
                            if (root == rank_) return status::ok;
                            const std::span<const std::byte> sent = all[root].bytes;
                            if (sent.size() != data.size()) return status::mismatch;
                            std::copy(sent.begin(), sent.end(), data.begin());
                            return status::ok;
                          });
  }
  status all_gather(std::span<const std::byte> mine, std::span<std::byte> all) const {
    if (mine.size() > all.size() / size() || all.size() != mine.size() * size())
      return status::mismatch.at(mine.size() * size());
    return meeting_->meet(rank_, {.call = detail::rank_call::all_gather, .bytes = mine},
                          [&](offers got) -> status {
                            auto to = all.begin();
                            for (const offer& one : got) {
                              if (one.bytes.size() != mine.size()) return status::mismatch;
                              to = std::copy(one.bytes.begin(), one.bytes.end(), to);
                            }
                            return status::ok;
                          });
  }
  status all_to_all(std::span<const std::byte> out, std::span<const std::uint64_t> out_counts,
                    std::span<std::byte> in, std::span<const std::uint64_t> in_counts) const {
    if (const status fits = check_exchange(size(), out.size(), out_counts); !fits) return fits;
    if (const status fits = check_exchange(size(), in.size(), in_counts); !fits) return fits;
    return meeting_->meet(
        rank_, {.call = detail::rank_call::all_to_all, .bytes = out, .numbers = out_counts},
        [&](offers all) -> status {
          auto to = in.begin();
          for (std::size_t r = 0; r < size(); ++r) {
            if (all[r].numbers[rank_] != in_counts[r]) return status::mismatch;
            std::uint64_t begin = 0;
            for (std::size_t p = 0; p < rank_; ++p) begin += all[r].numbers[p];
            const auto piece = all[r].bytes.subspan(static_cast<std::size_t>(begin),
                                                    static_cast<std::size_t>(in_counts[r]));
            to = std::copy(piece.begin(), piece.end(), to);
          }
          return status::ok;
        });
  }
  status sum(std::span<std::uint64_t> values) const {
    const std::vector<std::uint64_t> mine(values.begin(), values.end());
    return meeting_->meet(rank_, {.call = detail::rank_call::sum, .numbers = mine},
                          [&](offers all) -> status {
                            for (const offer& one : all) {
                              if (one.numbers.size() != values.size()) return status::mismatch;
                            }
                            for (std::size_t i = 0; i < values.size(); ++i) {
                              values[i] = 0;
                              for (const offer& one : all) values[i] += one.numbers[i];
                            }
                            return status::ok;
                          });
  }
  /// @}

 private:
  using offer = detail::thread_meeting::offer;
  using offers = std::span<const offer>;
  detail::thread_meeting* meeting_;
  std::size_t rank_;
};
static_assert(communicator<thread_rank>);

/// Run `body(const thread_rank&)` on every rank, one thread each, and return when all have
/// returned. After the body of a rank returns or throws, calls of the other ranks return canceled.
/// The first exception is rethrown here, other than rank_death.
/// @return whether a rank has died
template <class Body>
bool run_ranks(std::size_t ranks, Body&& body,
               const rank_schedule& schedule = rank_schedule::of_environment()) {
  detail::thread_meeting meeting(ranks, schedule);
  std::exception_ptr raised;
  std::mutex first;
  std::vector<std::thread> threads;
  threads.reserve(ranks);
  for (std::size_t r = 0; r < ranks; ++r) {
    threads.emplace_back([&, r] {
      meeting.enter(r);
      try {
        body(thread_rank(meeting, r));
      } catch (const rank_death&) {
        // As asked for; the others find out by their next call.
      } catch (...) {
        const std::lock_guard lock(first);
        if (!raised) raised = std::current_exception();
      }
      meeting.leave(r);
    });
  }
  for (auto& thread : threads) thread.join();
  if (raised) std::rethrow_exception(raised);
  return meeting.died();
}

}  // namespace halograph
