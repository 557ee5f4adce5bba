// SPDX-License-Identifier: BSL-1.0
/// @file collective_errors.hpp
/// What several ranks do together succeeds on all of them or fails on all of them, with one
/// sentence.
/// Layer: comm. Words: README.md.
///
/// A rank that fails alone would leave the others waiting for it. So work on which ranks depend is
/// run by run_collective(): at its end all tell each other whether they failed. Where the work
/// itself goes on in rounds (record_exchange.hpp), a round begins with the same question, and ranks
/// leave the work together by throwing collective_abort. So does what they tell each other in
/// between (check_peers, raise_collective, all_reduce_min, jointly itself): whatever a rank does
/// between two such calls may throw.
#pragma once

#include <halograph/core/communicator.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/status.hpp>
#include <halograph/serial/digest.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace halograph {

/// Whatever was thrown, as an error with a sentence: the standard library's exceptions, too.
inline error error_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const error& problem) {
    return problem;
  } catch (const std::bad_alloc&) {
    return {errc::memory, "not enough memory"};
  } catch (const std::length_error&) {
    return {errc::memory,
            "not enough memory: an array would be larger than the system can address"};
  } catch (const std::filesystem::filesystem_error& problem) {
    return {errc::io,
            "cannot be examined: " + problem.code().message(),
            {problem.path1().string(), {}, {}}};
  } catch (const std::system_error& problem) {
    if (problem.code() == std::errc::resource_unavailable_try_again)
      return {errc::io, "the system refuses to start more threads (" + problem.code().message() +
                            "); use fewer, --threads 1 for example"};
    return {errc::io, "the system refused: " + problem.code().message()};
  } catch (const std::exception& problem) {
    return {errc::internal, problem.what()};
  } catch (...) {
    return {errc::internal, "something was thrown that is no std::exception"};
  }
}

/// An error that every rank raises, the same on all: nobody waits for anybody.
class joint_error : public error {
 public:
  using error::error;
};

/// What all ranks leave joint work with once they have told each other that one of them failed.
/// Caught by run_collective().
struct collective_abort {
  std::exception_ptr mine{};  ///< this rank's failure, or none
};

/// A communicator's answer, made an error: not one of all ranks, since ranks cannot talk to each
/// other any more.
inline void check_ranks(status answer) {
  if (answer) return;
  if (answer == status::mismatch || answer == status::invalid_argument ||
      answer == status::out_of_range) {
    raise(
        answer.code,
        "ranks have sent each other what does not fit; all must run the same program with the same options and inputs");
  }
  raise(answer.code, "the ranks cannot reach each other any more; one of them has probably ended");
}

/// Has any rank failed? What run_collective() ends with and each round begins with, so that a rank
/// that fails early meets those that are at work still. Collective.
/// @param failed  this one has   @param more  and whether it has more to do
/// @return        did any fail, and has any more to do
template <communicator C>
std::pair<bool, bool> ask_ranks(const C& ranks, bool failed, bool more) {
  std::array<std::uint64_t, 2> told{failed ? 1u : 0u, more ? 1u : 0u};
  check_ranks(ranks.sum(told));
  return {told[0] != 0, told[1] != 0};
}

/// Go on where no rank has failed: in run_collective(), before ranks tell each other what is no
/// such question. What a rank did since the last one may have thrown. Collective.
/// @errors collective_abort everywhere where one has
template <communicator C>
void check_peers(const C& ranks) {
  if (ask_ranks(ranks, false, false).first) throw collective_abort{};
}

/// Raise what all ranks have found, once each of them has its sentence: in run_collective().
/// Collective.
/// @errors the problem, the same everywhere; collective_abort everywhere where one has thrown since
///     they last talked
template <communicator C>
[[noreturn]] void raise_collective(const C& ranks, joint_error problem) {
  check_peers(ranks);
  throw problem;
}

/// Each rank's numbers, everywhere: [R x n], in the order of ranks. Collective. @param mine  [n],
/// as many on all @errors as check_peers()
template <communicator C>
std::vector<std::uint64_t> gather_numbers(const C& ranks, std::span<const std::uint64_t> mine) {
  std::vector<std::uint64_t> out(mine.size() * ranks.size());
  check_peers(ranks);
  check_ranks(ranks.all_gather(std::as_bytes(mine), std::as_writable_bytes(std::span(out))));
  return out;
}
/// One number of each: [R]
template <communicator C>
std::vector<std::uint64_t> gather_numbers(const C& ranks, std::uint64_t mine) {
  return gather_numbers(ranks, std::span<const std::uint64_t>(&mine, 1));
}

/// Go on where all ranks say the same: before they share work, whose rounds would not meet, or
/// whose results would not fit, had they been asked for different things or did they see different
/// files. In run_collective(). Collective.
///
/// @param said     a digest (serial/digest.hpp) of what must be the same everywhere: not of paths,
///     which a rank may see elsewhere
/// @param differs  what a rank does that says another: "samples with other options than"
/// @param right    what would be right: "they must be the same on all ranks"
/// @errors         mismatch, the same everywhere: "rank 1 samples with other options than rank 0;
///     they must be ..."; as check_peers()
/// @complexity     one gather of a number of each rank; one rank alone: nothing
template <communicator C>
void require_same(const C& ranks, std::uint64_t said, std::string_view differs,
                  std::string_view right) {
  if (ranks.size() == 1) return;
  const auto all = gather_numbers(ranks, said);
  const auto other = std::find_if(all.begin(), all.end(),
                                  [&](std::uint64_t one) { return one != all[0]; });
  if (other == all.end()) return;
  const auto sentence = [&] {
    return "rank " + std::to_string(other - all.begin()) + " " + std::string(differs) +
           " rank 0; " + std::string(right);
  };
  raise_collective(ranks, joint_error(errc::mismatch, sentence()));
}
/// The same, of a text that says it.
template <communicator C>
void require_same(const C& ranks, std::string_view said, std::string_view differs,
                  std::string_view right) {
  require_same(ranks, digest_of(std::as_bytes(std::span(said.data(), said.size()))), differs,
               right);
}

/// A text of one rank, everywhere. Collective. @errors as check_peers()  @param text  taken on rank
/// `root`, replaced on the others
template <communicator C>
void broadcast_text(const C& ranks, std::string& text, std::size_t root) {
  const auto lengths = gather_numbers(ranks, text.size());
  text.resize(static_cast<std::size_t>(lengths[root]));
  check_peers(ranks);
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
    numbers = {static_cast<std::uint64_t>(mine->code()), where.line ? 1u : 0u,
               where.line.value_or(0), where.byte ? 1u : 0u, where.byte.value_or(0)};
  }
  // The others add nothing: the sum is what that rank says.
  check_ranks(ranks.sum(numbers));
  broadcast_text(ranks, message, root);
  broadcast_text(ranks, file, root);
  location where{std::move(file), {}, {}};
  if (numbers[1] != 0) where.line = numbers[2];
  if (numbers[3] != 0) where.byte = numbers[4];
  throw joint_error(
      static_cast<errc>(numbers[0]),
      message + " (on rank " + std::to_string(root) + " of " + std::to_string(ranks.size()) + ")",
      where);
}

}  // namespace detail

/// Run `body()` on every rank, and raise on all of them where any failed. Collective.
///
/// @param body  the ranks talk to each other in it by record_exchange::run, run_collective() and
/// behind
///     check_peers() alone
/// @errors      raises joint_error, the same on every rank: what the lowest rank that failed
///     raised, with its number. One rank alone: what body raises, as it is
/// @complexity  one sum where all is well
template <communicator C, class Body>
void run_collective(const C& ranks, Body&& body) {
  if (ranks.size() == 1) {
    body();
    return;
  }
  std::exception_ptr problem;
  bool told = false;
  try {
    body();
  } catch (const joint_error&) {
    throw;  // all have raised it
  } catch (const collective_abort& left) {
    problem = left.mine;
    told = true;
  } catch (...) {
    problem = std::current_exception();
  }
  if (!told && !ask_ranks(ranks, problem != nullptr, false).first) return;
  std::optional<error> mine;
  if (problem) mine = error_of(problem);
  const auto who = gather_numbers(ranks, mine ? 1 : 0);
  const auto first = std::find(who.begin(), who.end(), 1u);
  if (first == who.end())
    throw joint_error(errc::internal,
                      "ranks have left their work for a failure that none of them has");
  detail::raise_of_rank(ranks, mine ? &*mine : nullptr,
                        static_cast<std::size_t>(first - who.begin()));
}

}  // namespace halograph
