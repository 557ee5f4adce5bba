// SPDX-License-Identifier: BSL-1.0
/// @file draw_exchange.hpp
/// Request edges drawn by the ranks that own the nodes, in rounds of bounded memory.
/// Layer: dist. Words: README.md.
#pragma once

#include <halograph/comm/alltoallv.hpp>
#include <halograph/comm/collective_errors.hpp>
#include <halograph/comm/owner_fetch.hpp>
#include <halograph/core/communicator.hpp>
#include <halograph/core/function_ref.hpp>
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
  std::int64_t node = 0;   ///< global ID
  std::uint64_t seed = 0;  ///< of the node's draws
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
  ///     sent at once. The same on all ranks
  /// @param next     bool next(rank, draw_request): the next request of this rank, and the rank to
  ///     send it to; false: no more requests
  /// @param answer   void answer(draw_request, vector<int64_t>& out): append the answer to a
  ///     request of another rank
  /// @param take     void take(span<const int64_t>): the answer to the oldest unanswered request
  /// @errors         what the three throw, on all ranks
  /// @complexity     8 bytes for a request, 16 with its seed; 8 and its length for an answer
  template <class Next, class Answer, class Take>
  void run(bool seeded, std::uint64_t expected, Next&& next, Answer&& answer, Take&& take) {
    const std::size_t width = seeded ? 2 : 1;
    const std::size_t window = begin(expected);
    bool more = true,
         held = false;  // next() has more requests; one request waits for room
    std::size_t held_rank = 0;
    draw_request held_request{};
    const auto look_ahead = [&] {
      while (more) {
        if (!held) {
          more = held = next(held_rank, held_request);
          if (!held) break;
        }
        auto& to = peers_[held_rank];
        if (to.asked.size() == window) break;
        order_.push_back(static_cast<std::uint32_t>(held_rank));
        to.asked.push_back(held_request);
        held = false;
      }
      return more;
    };
    // As many answers as fit each rank's share.
    const auto answer_all = [&](std::span<const std::uint64_t> asked) {
      bool left = false;
      for (std::size_t r = 0, at = 0; r < ranks_.size(); ++r) {
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
      return left;
    };
    const auto take_answers = [&] {
      while (taken_ < order_.size() && peers_[order_[taken_]].has_answer())
        peers_[order_[taken_++]].give(take);
    };
    run_rounds(seeded, look_ahead, answer_all, take_answers);
  }

  /// Bytes that went to other ranks, and came from them.
  std::uint64_t sent_bytes() const noexcept { return traffic_.sent_bytes(); }
  /// Bytes that came from other ranks.
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
  /// @return the most requests to a rank that wait for an answer
  std::size_t begin(std::uint64_t expected);
  /// The rounds of run().
  /// @param look_ahead    put requests to their ranks while there is room; are there more?
  /// @param answer_all    answer what the ranks ask; is any of it left?
  /// @param take_answers  take the answers that have come, in the order of the requests
  void run_rounds(bool seeded, function_ref<bool()> look_ahead,
                  function_ref<bool(std::span<const std::uint64_t>)> answer_all,
                  function_ref<void()> take_answers);
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
