// SPDX-License-Identifier: BSL-1.0
/// @file draw_exchange.hpp
/// Request edges drawn by the ranks that own the nodes, in rounds of bounded memory.
/// Layer: dist. Words: README.md.
#pragma once

#include <halograph/comm/alltoallv.hpp>
#include <halograph/comm/collective_errors.hpp>
#include <halograph/comm/owner_fetch.hpp>
#include <halograph/core/communicator.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/status.hpp>
#include <halograph/core/uninitialized.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <vector>

namespace halograph {

/// A node to draw edges of, and the seed of its draws.
struct draw_request {
  std::int64_t node = 0;  ///< global ID
  std::uint64_t seed = 0;
};

/// Sends requests, and receives answers of any length in the order of the requests.
///
/// A round sends each rank at most its share of the budget, but at least one request or answer;
/// what does not fit is requested again in the next round. Memory: four times the budget and 4 R
/// answers; six times if answers are longer than expected. Not thread-safe.
class draw_exchange {
 public:
  /// @param budget_bytes  the most bytes that a rank receives in a round. The same on all ranks
  explicit draw_exchange(communicator_ref ranks, std::size_t budget_bytes = default_exchange_bytes)
      : ranks_(ranks),
        traffic_(ranks),
        share_(std::max<std::size_t>(
            1, budget_bytes / (budget_of_word * std::max<std::size_t>(1, ranks.size() - 1)))) {}

  /// Answer the requests of all ranks. Collective, inside run_collective().
  ///
  /// @param seeded   requests carry their seeds; otherwise the seed arrives as 0. The same on all
  ///     ranks
  /// @param expected approximate words (of 8 bytes) of an answer; decides how many requests are
  /// sent
  ///     at once. The same on all ranks
  /// @param next     bool next(rank, draw_request): the next request of this rank, and the rank to
  ///     send it to; false: no more requests
  /// @param answer   void answer(draw_request, vector<int64_t>& out): append the answer to a
  ///     request of another rank
  /// @param take     void take(span<const int64_t>): the answer to the oldest unanswered request
  /// @errors         what the three throw, on all ranks
  /// @complexity     8 bytes for a request, 16 with its seed; 8 and its length for an answer
  template <class Next, class Answer, class Take>
  void run(bool seeded, std::uint64_t expected, Next&& next, Answer&& answer, Take&& take) {
    const std::size_t size = ranks_.size(), width = seeded ? 2 : 1;
    const auto window = static_cast<std::size_t>(
        std::max<std::uint64_t>(1, share_ / (std::clamp<std::uint64_t>(expected, 1, share_) + 1)));
    begin(expected);
    bool more = true,
         held = false;  // next() has more requests; one request waits for room
    std::size_t held_rank = 0;
    draw_request held_request{};
    std::exception_ptr problem;
    const auto guarded = [&](auto&& act) {
      if (problem) return;
      try {
        act();
      } catch (...) {
        problem = std::current_exception();
      }
    };
    const auto look_ahead = [&] {
      while (more) {
        if (!held) {
          more = held = next(held_rank, held_request);
          if (!held) return;
        }
        auto& to = peers_[held_rank];
        if (to.asked.size() == window) return;
        order_.push_back(static_cast<std::uint32_t>(held_rank));
        to.asked.push_back(held_request);
        held = false;
      }
    };
    guarded(look_ahead);
    auto [failed, any] = ask_ranks(ranks_, problem != nullptr, !order_.empty());
    while (any && !failed) {
      // Requests without an answer, to ranks whose answers have been taken.
      std::size_t words = 0;
      bool left = more;  // will there be another round?
      for (std::size_t r = 0; r < size; ++r) {
        traffic_.out[r] = 0;
        if (problem) continue;
        if (peers_[r].words() >= share_) {
          left = left || !peers_[r].asked.empty();
          continue;
        }
        traffic_.out[r] = width * peers_[r].asked.size();
        for (const auto& one : peers_[r].asked) {
          requests_out_[words++] = static_cast<std::uint64_t>(one.node);
          if (seeded) requests_out_[words++] = one.seed;
        }
      }
      const std::uint64_t coming = traffic_.exchange_counts();
      if (coming > requests_in_.size()) check_ranks(status::mismatch);  // another budget there
      const auto asked = requests_in_.values().first(static_cast<std::size_t>(coming));
      traffic_.exchange(std::as_bytes(requests_out_.values().first(words)),
                        std::as_writable_bytes(asked), 8);

      // Answers, as many as fit each rank's share.
      std::fill(traffic_.out.begin(), traffic_.out.end(), 0);
      answers_out_.clear();
      guarded([&] {
        for (std::size_t r = 0, at = 0; r < size; ++r) {
          const std::size_t begin = answers_out_.size(),
                            end = at + static_cast<std::size_t>(traffic_.in[r]);
          for (; at < end && answers_out_.size() - begin < share_; at += width) {
            const std::size_t head = answers_out_.size();
            answers_out_.push_back(0);
            answer(draw_request{static_cast<std::int64_t>(asked[at]), seeded ? asked[at + 1] : 0},
                   answers_out_);
            answers_out_[head] = static_cast<std::int64_t>(answers_out_.size() - head - 1);
          }
          left = left || at != end;
          at = end;
          traffic_.out[r] = answers_out_.size() - begin;
        }
      });
      if (problem) {
        std::fill(traffic_.out.begin(), traffic_.out.end(), 0);
        answers_out_.clear();
      }
      const std::uint64_t got = traffic_.exchange_counts();
      guarded([&] {
        make_room(answers_in_, static_cast<std::size_t>(got));
        for (std::size_t r = 0; r < size; ++r)
          peers_[r].reserve(static_cast<std::size_t>(traffic_.in[r]));
      });
      const auto told = ask_ranks(ranks_, problem != nullptr, left);
      failed = told.first;
      any = told.second;
      if (failed) break;
      const auto came = answers_in_.values().first(static_cast<std::size_t>(got));
      traffic_.exchange(std::as_bytes(std::span(answers_out_)), std::as_writable_bytes(came), 8);
      for (std::size_t r = 0, at = 0; r < size; ++r) {
        peers_[r].receive(came.subspan(at, static_cast<std::size_t>(traffic_.in[r])));
        at += static_cast<std::size_t>(traffic_.in[r]);
      }
      guarded([&] {
        while (taken_ < order_.size() && peers_[order_[taken_]].has_answer())
          peers_[order_[taken_++]].give(take);
        order_.erase(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(taken_));
        taken_ = 0;
        look_ahead();
      });
    }
    if (failed) throw collective_abort{problem};
    if (problem) std::rethrow_exception(problem);
  }

  /// Bytes that went to other ranks, and came from them.
  std::uint64_t sent_bytes() const noexcept { return traffic_.sent_bytes(); }
  std::uint64_t received_bytes() const noexcept { return traffic_.received_bytes(); }

 private:
  /// What one other rank is asked, and has answered.
  struct peer {
    std::vector<draw_request> asked{};  // without an answer
    std::vector<std::int64_t> inbox{};  // lengths and answers, from `begin` on not taken
    std::size_t begin = 0;

    std::size_t words() const noexcept { return inbox.size() - begin; }
    bool has_answer() const noexcept { return begin != inbox.size(); }
    void reserve(std::size_t more) {
      inbox.erase(inbox.begin(), inbox.begin() + static_cast<std::ptrdiff_t>(begin));
      begin = 0;
      inbox.reserve(inbox.size() + more);
    }
    void receive(std::span<const std::int64_t> answers) noexcept {
      std::size_t count = 0;
      for (std::size_t at = 0; at < answers.size(); at += 1 + static_cast<std::size_t>(answers[at]))
        ++count;
      asked.erase(asked.begin(), asked.begin() + static_cast<std::ptrdiff_t>(count));
      inbox.insert(inbox.end(), answers.begin(), answers.end());  // there is room
    }
    template <class Take>
    void give(Take& take) {
      const auto length = static_cast<std::size_t>(inbox[begin]);
      const auto answer = std::span<const std::int64_t>(inbox).subspan(begin + 1, length);
      begin += 1 + length;
      take(answer);
    }
  };

  /// All memory that runs take, unless answers are longer than expected; it stays from run to run,
  /// and what nobody has touched costs nothing.
  void begin(std::uint64_t expected);
  template <class T>
  static void make_room(uninitialized_array<T>& memory, std::size_t size) {
    if (memory.size() >= size) return;
    memory = {};  // before the new one is there
    memory = uninitialized_array<T>(size);
  }

  // Bytes of a budget for a word of another rank's share. It takes 8.25 words, 66 bytes, which four
  // budgets pay for: an answer out, one in, two that wait; half a request kept (two words), out and
  // in (two each); two and a half notes whom one was put to.
  static constexpr std::size_t budget_of_word = 17;

  communicator_ref ranks_;
  alltoallv traffic_;
  std::size_t share_;  // of the budget for each rank, in words
  std::vector<peer> peers_{};
  std::vector<std::uint32_t> order_{};  // whom requests without a taken answer were put to
  std::size_t taken_ = 0;
  uninitialized_array<std::uint64_t> requests_out_{}, requests_in_{};
  std::vector<std::int64_t> answers_out_{};
  uninitialized_array<std::int64_t> answers_in_{};
};

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/dist/impl/draw_exchange.ipp>
#endif
