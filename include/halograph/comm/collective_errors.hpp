// SPDX-License-Identifier: BSL-1.0
/// @file collective_errors.hpp
/// Errors of collective work: it succeeds on all ranks, or all ranks throw the same error.
/// Layer: comm. Words: README.md.
///
/// If one rank threw alone, the others would wait for it forever. So collective work runs inside
/// run_collective(), which ends with an all-reduce of "did this rank fail?". Work that takes
/// several rounds (alltoallv.hpp) begins each round with the same all-reduce, and all ranks leave
/// it by throwing collective_abort. check_peers(), raise_collective(), all_reduce_min() and a
/// nested run_collective() do the same. Between two such calls a rank may throw whatever it likes.
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

/// Any exception as an error with a message, including those of the standard library.
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
      return {errc::io, "the system cannot start more threads (" + problem.code().message() +
                            "); use fewer, for example --threads 1"};
    return {errc::io, "a system call failed: " + problem.code().message()};
  } catch (const std::exception& problem) {
    return {errc::internal, problem.what()};
  } catch (...) {
    return {errc::internal, "an exception of unknown type was thrown"};
  }
}

/// An error that all ranks throw, the same on each, so that no rank waits for another.
class joint_error : public error {
 public:
  using error::error;
};

/// Thrown on all ranks after an all-reduce has shown that one of them failed. Caught by
/// run_collective().
struct collective_abort {
  std::exception_ptr mine{};  ///< the exception of this rank, if it failed
};

/// Throw if a call of the communicator failed. The error is of this rank alone, because the ranks
/// can no longer communicate.
inline void check_ranks(status answer) {
  if (answer) return;
  if (answer == status::mismatch || answer == status::invalid_argument ||
      answer == status::out_of_range) {
    raise(
        answer.code,
        "the ranks disagree on the sizes of a message; all must run the same program with the same options and inputs");
  }
  raise(answer.code, "the ranks can no longer communicate; one of them has probably ended");
}

/// Has any rank failed, and has any more to do? run_collective() ends with this call and each round
/// begins with it, so that a rank that fails early meets the ranks that are still working.
/// Collective.
/// @param failed  whether this rank failed   @param more  whether this rank has more to do
/// @return        whether any rank failed, and whether any has more to do
template <communicator C>
std::pair<bool, bool> ask_ranks(const C& ranks, bool failed, bool more) {
  std::array<std::uint64_t, 2> told{failed ? 1u : 0u, more ? 1u : 0u};
  check_ranks(ranks.sum(told));
  return {told[0] != 0, told[1] != 0};
}

/// Throw on all ranks if one of them has failed since the last such call. Inside run_collective(),
/// before a call of the communicator. Collective.
/// @errors collective_abort, on all ranks
template <communicator C>
void check_peers(const C& ranks) {
  if (ask_ranks(ranks, false, false).first) throw collective_abort{};
}

/// Throw an error that all ranks have found, after each of them has built it. Inside
/// run_collective(). Collective.
/// @errors the problem, on all ranks; as check_peers()
template <communicator C>
[[noreturn]] void raise_collective(const C& ranks, joint_error problem) {
  check_peers(ranks);
  throw problem;
}

/// All-gather: the numbers of each rank, in the order of ranks. Collective.
/// @param mine  [n], of one length on all ranks   @return [R x n]   @errors as check_peers()
template <communicator C>
std::vector<std::uint64_t> gather_numbers(const C& ranks, std::span<const std::uint64_t> mine) {
  std::vector<std::uint64_t> out(mine.size() * ranks.size());
  check_peers(ranks);
  check_ranks(ranks.all_gather(std::as_bytes(mine), std::as_writable_bytes(std::span(out))));
  return out;
}
/// All-gather of one number of each rank. @return [R]
template <communicator C>
std::vector<std::uint64_t> gather_numbers(const C& ranks, std::uint64_t mine) {
  return gather_numbers(ranks, std::span<const std::uint64_t>(&mine, 1));
}

/// Throw the same error on all ranks if their options or inputs differ. Called before they share
/// work, whose rounds or results would not match. Inside run_collective(). Collective.
///
/// @param said     a digest (serial/digest.hpp) of what must be the same on all ranks; not of
/// paths,
///     which may differ
/// @param differs  what a rank does whose digest differs: "samples with other options than"
/// @param right    what would be right: "they must be the same on all ranks"
/// @errors         mismatch, on all ranks: "rank 1 samples with other options than rank 0; they
/// must
///     be ..."; as check_peers()
/// @complexity     one all-gather of a number; nothing for a single rank
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
/// The same for a text.
template <communicator C>
void require_same(const C& ranks, std::string_view said, std::string_view differs,
                  std::string_view right) {
  require_same(ranks, digest_of(std::as_bytes(std::span(said.data(), said.size()))), differs,
               right);
}

/// Broadcast a text of any length. Collective.
/// @param text  sent by rank `root`, replaced on the others   @errors as check_peers()
template <communicator C>
void broadcast_text(const C& ranks, std::string& text, std::size_t root) {
  const auto lengths = gather_numbers(ranks, text.size());
  text.resize(static_cast<std::size_t>(lengths[root]));
  check_peers(ranks);
  check_ranks(ranks.broadcast(std::as_writable_bytes(std::span(text.data(), text.size())), root));
}

namespace detail {

/// All ranks throw the error of rank `root`.
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
  // The other ranks add zeros, so the sum is the numbers of rank `root`.
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

/// Run `body()` on every rank, and throw on all of them if any failed. Collective.
///
/// @param body  may communicate through record_exchange::run(), a nested run_collective(), and
/// calls
///     of the communicator that directly follow check_peers()
/// @errors      joint_error, the same on all ranks: the error of the lowest rank that failed, with
///     the number of that rank. A single rank throws what body throws, unchanged
/// @complexity  one all-reduce if no rank fails
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
    throw;  // thrown by all ranks
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
    throw joint_error(errc::internal, "the collective was aborted but no rank reported an error");
  detail::raise_of_rank(ranks, mine ? &*mine : nullptr,
                        static_cast<std::size_t>(first - who.begin()));
}

}  // namespace halograph
