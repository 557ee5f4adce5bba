// SPDX-License-Identifier: BSL-1.0
/// @file collective_errors.ipp
/// Bodies of the plain functions of comm/collective_errors.hpp.
/// Layer: comm. Words: README.md.
#pragma once

#include <halograph/comm/collective_errors.hpp>
#include <halograph/core/communicator.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/status.hpp>

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

HALOGRAPH_INLINE error error_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const error& problem) {
    return problem;
  } catch (const std::bad_alloc&) {
    return {error_kind::memory, "not enough memory"};
  } catch (const std::length_error&) {
    return {error_kind::memory,
            "not enough memory: an array would be larger than the system can address"};
  } catch (const std::filesystem::filesystem_error& problem) {
    return {error_kind::io,
            "cannot be examined: " + problem.code().message(),
            {problem.path1().string(), {}, {}}};
  } catch (const std::system_error& problem) {
    if (problem.code() == std::errc::resource_unavailable_try_again)
      return {error_kind::io,
              concat({"the system cannot start more threads (", problem.code().message(),
                      "); use fewer, for example --threads 1"})};
    return {error_kind::io, "a system call failed: " + problem.code().message()};
  } catch (const std::exception& problem) {
    return {error_kind::internal, problem.what()};
  } catch (...) {
    return {error_kind::internal, "an exception of unknown type was thrown"};
  }
}

HALOGRAPH_INLINE void check_ranks(status answer) {
  if (answer) return;
  if (answer == status::mismatch || answer == status::invalid_argument ||
      answer == status::out_of_range) {
    raise(
        answer.code,
        "the ranks disagree on the sizes of a message; all must run the same program with the same options and inputs");
  }
  raise(answer.code, "the ranks can no longer communicate; one of them has probably ended");
}

HALOGRAPH_INLINE std::vector<std::uint64_t> gather_numbers(communicator_ref ranks,
                                                           std::span<const std::uint64_t> mine) {
  std::vector<std::uint64_t> out(mine.size() * ranks.size());
  check_peers(ranks);
  check_ranks(ranks.all_gather(std::as_bytes(mine), std::as_writable_bytes(std::span(out))));
  return out;
}

HALOGRAPH_INLINE void require_same(communicator_ref ranks, std::uint64_t said,
                                   std::string_view differs, std::string_view right) {
  if (ranks.size() == 1) return;
  const auto all = gather_numbers(ranks, said);
  const auto other = std::find_if(all.begin(), all.end(),
                                  [&](std::uint64_t one) { return one != all[0]; });
  if (other == all.end()) return;
  const auto sentence = [&] {
    return concat({"rank ", other - all.begin(), " ", differs, " rank 0; ", right});
  };
  raise_collective(ranks, joint_error(error_kind::mismatch, sentence()));
}

HALOGRAPH_INLINE void broadcast_text(communicator_ref ranks, std::string& text, std::size_t root) {
  const auto lengths = gather_numbers(ranks, text.size());
  text.resize(static_cast<std::size_t>(lengths[root]));
  check_peers(ranks);
  check_ranks(ranks.broadcast(std::as_writable_bytes(std::span(text.data(), text.size())), root));
}

}  // namespace halograph

namespace halograph::detail {

HALOGRAPH_INLINE void raise_of_rank(communicator_ref ranks, const error* mine, std::size_t root) {
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
  throw joint_error(static_cast<error_kind>(numbers[0]),
                    concat({message, " (on rank ", root, " of ", ranks.size(), ")"}), where);
}

}  // namespace halograph::detail

namespace halograph {

HALOGRAPH_INLINE void run_collective(communicator_ref ranks, function_ref<void()> body) {
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
    throw joint_error(error_kind::internal,
                      "the collective was aborted but no rank reported an error");
  detail::raise_of_rank(ranks, mine ? &*mine : nullptr,
                        static_cast<std::size_t>(first - who.begin()));
}

}  // namespace halograph
