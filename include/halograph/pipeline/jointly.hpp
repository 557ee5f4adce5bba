// SPDX-License-Identifier: BSL-1.0
/// @file jointly.hpp
/// What several ranks do together succeeds on all of them or fails on all of them, with one sentence.
/// Layer: pipeline. Words: README.md.
///
/// A rank that fails alone would leave the others waiting for it. So work on which ranks depend is run by jointly(): at
/// its end all tell each other whether they failed. Where the work itself is in rounds (exchange.hpp), a rank's failure
/// is told with the next round, and the others leave the work by throwing other_rank_failed.
#pragma once

#include <halograph/core/communicator.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/status.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph {

/// An error that every rank raises, the same on all: nobody waits for anybody.
class joint_error : public error {
 public:
  using error::error;
};

/// What a rank leaves joint work with that has not failed itself. Caught by jointly(); not an error of its own.
struct other_rank_failed {};

/// A communicator's answer, made an error: not one of all ranks, since ranks cannot talk to each other any more.
inline void check_ranks(status answer) {
  if (answer) return;
  if (answer == status::mismatch || answer == status::invalid_argument || answer == status::out_of_range) {
    raise(answer.code, "ranks have sent each other what does not fit; all must run the same program with the same options and inputs");
  }
  raise(answer.code, "the ranks cannot reach each other any more; one of them has probably ended");
}

/// Each rank's number, everywhere: [R].
template <communicator C>
std::vector<std::uint64_t> gather_numbers(const C& ranks, std::uint64_t mine) {
  std::array<std::byte, 8> sent{};
  for (unsigned i = 0; i < 8; ++i) sent[i] = static_cast<std::byte>(mine >> (8 * i));
  std::vector<std::byte> all(8 * ranks.size());
  check_ranks(ranks.all_gather(sent, all));
  std::vector<std::uint64_t> out(ranks.size());
  for (std::size_t r = 0; r < out.size(); ++r) {
    for (unsigned i = 0; i < 8; ++i) out[r] |= std::to_integer<std::uint64_t>(all[8 * r + i]) << (8 * i);
  }
  return out;
}

/// A text of one rank, everywhere. @param text  taken on rank `root`, replaced on the others
template <communicator C>
void broadcast_text(const C& ranks, std::string& text, std::size_t root) {
  const auto lengths = gather_numbers(ranks, text.size());
  text.resize(static_cast<std::size_t>(lengths[root]));
  check_ranks(ranks.broadcast(std::as_writable_bytes(std::span(text.data(), text.size())), root));
}

namespace detail {

/// Everyone raises the error of rank `root`.
template <communicator C>
[[noreturn]] void raise_of_rank(const C& ranks, const error* mine, std::size_t root) {
  std::string message, file;
  std::array<std::uint64_t, 5> numbers{};
  if (mine != nullptr && root == ranks.rank()) {
    message = mine->message();
    const location& where = mine->where();
    file = where.file;
    numbers = {static_cast<std::uint64_t>(mine->code()), where.line ? 1u : 0u, where.line.value_or(0), where.byte ? 1u : 0u, where.byte.value_or(0)};
  }
  // The others add nothing: the sum is what that rank says.
  check_ranks(ranks.sum(numbers));
  broadcast_text(ranks, message, root);
  broadcast_text(ranks, file, root);
  location where{std::move(file), {}, {}};
  if (numbers[1] != 0) where.line = numbers[2];
  if (numbers[3] != 0) where.byte = numbers[4];
  throw joint_error(static_cast<errc>(numbers[0]), message + " (on rank " + std::to_string(root) + " of " + std::to_string(ranks.size()) + ")", where);
}

}  // namespace detail

/// Run `body()` on every rank, and raise on all of them where any failed. Collective.
///
/// @param body  may use the ranks, in calls that all of them make; leaves them, where it fails alone, as other ranks
///              expect them: outside of any call, or told by a round of exchange.hpp
/// @errors      raises joint_error, the same on every rank: what the lowest rank that failed raised, with its number.
///              One rank alone: what body raises, as it is
/// @complexity  one sum where all is well
template <communicator C, class Body>
void jointly(const C& ranks, Body&& body) {
  if (ranks.size() == 1) {
    body();
    return;
  }
  std::optional<error> mine;
  bool others = false;
  try {
    body();
  } catch (const joint_error&) {
    throw;  // told to all already
  } catch (const other_rank_failed&) {
    others = true;
  } catch (const error& problem) {
    mine = problem;
  } catch (const std::bad_alloc&) {
    mine = error(errc::memory, "not enough memory");
  } catch (const std::exception& problem) {
    mine = error(errc::internal, problem.what());
  }
  std::array<std::uint64_t, 2> failed{mine ? 1u : 0u, others ? 1u : 0u};
  check_ranks(ranks.sum(failed));
  if (failed[0] == 0 && failed[1] == 0) return;
  if (failed[0] == 0) throw joint_error(errc::internal, "ranks have left their work for a failure that none of them has");
  const auto who = gather_numbers(ranks, mine ? 1 : 0);
  detail::raise_of_rank(ranks, mine ? &*mine : nullptr, static_cast<std::size_t>(std::find(who.begin(), who.end(), 1u) - who.begin()));
}

}  // namespace halograph
