// SPDX-License-Identifier: BSL-1.0
/// @file assign.hpp
/// Run a partitioner on a graph and check what it answers.
/// Layer: partition (allocates its result; raises through core/error.hpp). Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/status.hpp>
#include <halograph/core/unmet.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/partition/partitioner.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph {

namespace detail {
template <class P>
concept has_explain = requires(const P& policy, status answer) {
  { policy.explain(answer) } -> std::convertible_to<std::string>;
};
}  // namespace detail

/// Makes the sentence for a status of its own: `std::string explain(status) const`; an empty one
/// means "nothing to add". Optional.
template <class P>
concept explains_status = (detail::has_explain<P> ||
                           unmet<"explains_status: needs std::string explain(status) const">());

/// Assign every node a part, in the caller's memory.
/// @param g       V nodes
/// @param policy  a partitioner of G
/// @param owner   [V] out, part of each node; unspecified unless ok
/// @errors        mismatch at V: owner is not [V]; what the policy answers; internal at v: the
///     policy answered ok with a part for node v that it does not have
/// @complexity    the policy's, and O(V)
/// @repeatable    as the policy
template <graph G, class P>
  requires partitioner<P, G>
constexpr status assign_into(const G& g, const P& policy, std::span<typename P::part> owner) {
  if (const std::size_t nodes = num_nodes(g); owner.size() != nodes)
    return status::mismatch.at(nodes);
  if (const status answer = policy.assign(g, owner); !answer) return answer;
  if constexpr (names_parts<P>) {
    const auto checked = check_owners(std::span<const typename P::part>(owner),
                                      static_cast<std::uint64_t>(policy.parts));
    if (!checked) return status::internal.at(checked.position);
  }
  return status::ok;
}

namespace detail {
template <class P, class G>
concept has_assign_scratch_size = requires(const P& policy, const G& g) {
  { policy.assign_scratch_size(g) } -> std::convertible_to<std::size_t>;
};
template <class P, class G>
concept assigns_in_given_words = requires(const P& policy, const G& g,
                                          std::span<typename P::part> owner,
                                          std::span<std::uint64_t> memory) {
  { policy.assign(g, owner, memory) } -> std::same_as<status>;
};
}  // namespace detail

/// Works in memory of the caller's, where it needs any: for builds without a heap. Optional.
template <class P, class G>
concept assigns_in_words =
    (detail::has_assign_scratch_size<P, G> ||
     unmet<"assigns_in_words: needs size_t assign_scratch_size(const G&) const">()) &&
    (detail::assigns_in_given_words<P, G> ||
     unmet<
         "assigns_in_words: needs status assign(const G&, span<part>, span<uint64_t> memory) const">());

/// Words of memory that assign_into needs besides `owner`; 0 where the policy needs none, or takes
/// its own.
template <graph G, class P>
  requires partitioner<P, G>
constexpr std::size_t assign_scratch_size(const G& g, const P& policy) {
  if constexpr (assigns_in_words<P, G>) {
    return static_cast<std::size_t>(policy.assign_scratch_size(g));
  } else {
    return 0;
  }
}

/// The same in memory that the caller gives: policies that model assigns_in_words allocate nothing
/// then.
/// @param memory  [assign_scratch_size(g, policy)]
/// @errors as above; capacity at the words that suffice
template <graph G, class P>
  requires partitioner<P, G>
constexpr status assign_into(const G& g, const P& policy, std::span<typename P::part> owner,
                             std::span<std::uint64_t> memory) {
  if constexpr (assigns_in_words<P, G>) {
    if (const std::size_t nodes = num_nodes(g); owner.size() != nodes)
      return status::mismatch.at(nodes);
    if (const status answer = policy.assign(g, owner, memory); !answer) return answer;
    if constexpr (names_parts<P>) {
      const auto checked = check_owners(std::span<const typename P::part>(owner),
                                        static_cast<std::uint64_t>(policy.parts));
      if (!checked) return status::internal.at(checked.position);
    }
    return status::ok;
  } else {
    static_cast<void>(memory);
    return assign_into(g, policy, owner);
  }
}

/// The sentence for a status of assign_into: the policy's own where it has one.
template <class P>
std::string explain_assignment(const P& policy, status answer) {
  if constexpr (explains_status<P>) {
    if (std::string sentence = policy.explain(answer); !sentence.empty()) return sentence;
  }
  std::string parts = "the number of parts";
  if constexpr (names_parts<P>) {
    parts += " (" + std::to_string(static_cast<std::uint64_t>(policy.parts)) + ")";
  }
  const std::string at = std::to_string(answer.position);
  switch (answer.code) {
    case errc::ok:
      return "nothing is wrong";
    case errc::invalid_argument:
      return parts + " must be at least 1, and every option within its range";
    case errc::overflow:
      return parts + " does not fit the partitioner's part type; it must be at most " +
             std::to_string(id_capacity<typename P::part>());
    case errc::mismatch:
      return "an assignment of " + at + " nodes needs exactly one part for each";
    case errc::out_of_range:
      return "node " + at + " is given a part that is not below " + parts;
    case errc::internal:
      return "the partitioner put node " + at + " into a part that is not below " + parts +
             "; its assign() must write every owner";
    default:
      return "the partitioner answered \"" + std::string(name(answer.code)) + "\" at " + at;
  }
}

/// Assign every node a part.
/// @param g       V nodes
/// @param policy  a partitioner of G, such as `hg::random{.parts = 8}`
/// @return        [V] part of each node
/// @errors        raises halograph::error with the policy's code and sentence; memory
/// @complexity    the policy's, and O(V)
template <graph G, class P>
  requires partitioner<P, G>
std::vector<typename P::part> assign(const G& g, const P& policy) {
  std::vector<typename P::part> owner(num_nodes(g));
  if (const status answer = assign_into(g, policy, std::span<typename P::part>(owner)); !answer) {
    raise(answer.code, explain_assignment(policy, answer));
  }
  return owner;
}

namespace detail {
template <class P, class G, class E>
concept assigns_on = requires(const P& policy, const G& g, std::span<typename P::part> owner,
                              const E& run) {
  { policy.assign(g, owner, run) } -> std::same_as<status>;
};
}  // namespace detail

/// The same on an executor's threads, where the policy has work for them, which it says by a
/// `status assign(const G&, span<part>, const Executor&) const`; the answer does not depend on
/// them.
/// @param run  executor
template <graph G, class P, executor Executor>
  requires partitioner<P, G>
constexpr status assign_into(const G& g, const P& policy, std::span<typename P::part> owner,
                             const Executor& run) {
  if constexpr (detail::assigns_on<P, G, Executor>) {
    if (const std::size_t nodes = num_nodes(g); owner.size() != nodes)
      return status::mismatch.at(nodes);
    if (const status answer = policy.assign(g, owner, run); !answer) return answer;
    if constexpr (names_parts<P>) {
      const auto checked = check_owners(std::span<const typename P::part>(owner),
                                        static_cast<std::uint64_t>(policy.parts));
      if (!checked) return status::internal.at(checked.position);
    }
    return status::ok;
  } else {
    static_cast<void>(run);
    return assign_into(g, policy, owner);
  }
}

/// The same into memory of its own. @errors raises as assign
template <graph G, class P, executor Executor>
  requires partitioner<P, G>
std::vector<typename P::part> assign(const G& g, const P& policy, const Executor& run) {
  std::vector<typename P::part> owner(num_nodes(g));
  if (const status answer = assign_into(g, policy, std::span<typename P::part>(owner), run);
      !answer) {
    raise(answer.code, explain_assignment(policy, answer));
  }
  return owner;
}

}  // namespace halograph
