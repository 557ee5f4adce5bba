// SPDX-License-Identifier: BSL-1.0
/// @file chained.hpp
/// Combine partitioners: partition, then refine; partition, then repair the balance.
/// Layer: partition (allocates only its sentences, and what its members do; no exceptions).
///
///     hg::chained<hg::ldg, hg::label_propagation> better{.parts = 8, .second = {.rounds = 4}};
///     hg::rebalanced<hg::metis> even{.parts = 8, .seed = 1};
///     hg::rebalanced<hg::chained<hg::ldg, hg::label_propagation>> both{.parts = 8};
///
/// The types are written out, since not every compiler deduces the arguments of an aggregate
/// template.
#pragma once

#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/partition/assign.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/partition/partitioner.hpp>
#include <halograph/partition/refine.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace halograph {

namespace detail {

template <class P>
constexpr std::uint64_t default_seed() {
  if constexpr (takes_seed<P>) {
    return static_cast<std::uint64_t>(P{}.seed);
  } else {
    return 0;
  }
}

template <class P, class G, class Part>
concept refines_in_memory = requires(const P& policy, const G& g, std::span<Part> owner,
                                     std::span<std::uint64_t> memory) {
  { policy.refine_scratch_size(g) } -> std::convertible_to<std::size_t>;
  { policy.refine(g, owner, memory) } -> std::same_as<status>;
};

template <class P, class G, class Part, class Context>
concept refines_in_context = requires(const P& policy, const G& g, std::span<Part> owner,
                                      const Context& context) {
  { policy.refine(g, owner, context) } -> std::same_as<status>;
};

template <class First, class Second, class G>
concept chains_in_memory = refines_in_memory<Second, G, typename First::part> &&
                           (assigns_in_memory<First, G> || !reads_edges<First>);

/// "first+second".
template <class First, class Second>
struct joined_name {
  static constexpr std::string_view one = name_of_policy<First>(), two = name_of_policy<Second>();
  static constexpr auto letters = [] {
    std::array<char, one.size() + 1 + two.size()> out{};
    *std::copy(one.begin(), one.end(), out.begin()) = '+';
    std::copy(two.begin(), two.end(), out.begin() + one.size() + 1);
    return out;
  }();
  static constexpr std::string_view text{letters.data(), letters.size()};
};

}  // namespace detail

/// A partitioner and a refiner of its result, as one partitioner. The members `parts`, `seed` and
/// `edge_weights`, and `constraints` where there are some, override those of `first` and `second`
/// that have such a member; `seed` and `edge_weights` exist only where one of the two takes
/// them. `second` names its part type like `first`.
/// @complexity that of both, one after the other  @repeatable as both
template <class First, class Second>
struct chained {
  using part = typename First::part;  ///< see partitioner
  /// Both names, joined.
  static constexpr std::string_view name = detail::joined_name<First, Second>::text;
  static_assert(std::same_as<part, typename Second::part>,
                "chained: first and second must have the same part type");
  /// @{
  /// Does one of the two take a seed, edge weights, constraints?
  static constexpr bool seeded = takes_seed<First> || takes_seed<Second>;
  static constexpr bool weighted = takes_edge_weights<First> || takes_edge_weights<Second>;
  static constexpr bool constrained = takes_constraints<First> || takes_constraints<Second>;
  /// @}

  std::uint64_t parts = 1;  ///< how many parts to make
  /// Of both; only where `seeded`.
  [[no_unique_address]] std::conditional_t<seeded, std::uint64_t, detail::no_member<0>> seed =
      default_seed();
  /// What both balance; only where `constrained`.
  [[no_unique_address]] std::conditional_t<constrained, std::span<const constraint>,
                                           detail::no_member<1>> constraints{};
  [[no_unique_address]] std::conditional_t<weighted, std::span<const std::int64_t>,
                                           detail::no_member<2>> edge_weights{};  ///< [E]
  First first{};    ///< assigns all nodes
  Second second{};  ///< moves them on

  /// Words of scratch memory that assign needs for g: the larger of both.
  template <graph G>
    requires detail::chains_in_memory<First, Second, G>
  constexpr std::size_t assign_scratch_size(const G& g) const {
    auto words = static_cast<std::size_t>(configured(second).refine_scratch_size(g));
    if constexpr (assigns_in_memory<First, G>)
      words = std::max<std::size_t>(words, configured(first).assign_scratch_size(g));
    return words;
  }

  /// @param context  for both; its memory is used where neither then allocates
  /// @errors those of first.assign and second.refine; capacity
  template <graph G, class Context>
    requires partitioner<First, G> && refiner<Second, G>
  constexpr status assign(const G& g, std::span<part> owner, const Context& context) const {
    if constexpr (Context::has_memory && !detail::chains_in_memory<First, Second, G>) {
      return assign(g, owner, context.in_allocated_memory());
    } else {
      if (const status ok = check_parts<part>(parts, num_nodes(g), owner); !ok) return ok;
      if constexpr (Context::has_memory) {
        if (const std::size_t needed = assign_scratch_size(g); context.memory().size() < needed)
          return status::capacity.at(needed);
      }
      if (const status assigned = detail::assign_in_context(configured(first), g, owner, context);
          !assigned)
        return assigned;
      if constexpr (Context::has_memory) {
        return configured(second).refine(g, owner, context.memory());
      } else if constexpr (detail::refines_in_context<Second, G, part, Context>) {
        return configured(second).refine(g, owner, context);
      } else {
        return configured(second).refine(g, owner);
      }
    }
  }
  /// The same on the caller's thread.
  template <graph G>
    requires partitioner<First, G> && refiner<Second, G>
  constexpr status assign(const G& g, std::span<part> owner) const {
    return assign(g, owner, assign_context());
  }

  /// The sentence of the first of both that has one.
  std::string explain(status answer) const {
    const auto ask = [&](const auto& policy) {
      if constexpr (explains_status<std::remove_cvref_t<decltype(policy)>>) {
        return std::string(policy.explain(answer));
      } else {
        return std::string();
      }
    };
    std::string sentence = ask(configured(second));
    return sentence.empty() ? ask(configured(first)) : sentence;
  }

 private:
  static constexpr auto default_seed() {
    if constexpr (!seeded) {
      return detail::no_member<0>{};
    } else if constexpr (takes_seed<First>) {
      return detail::default_seed<First>();
    } else {
      return detail::default_seed<Second>();
    }
  }

  /// first or second with the options of this policy.
  template <class Policy>
  constexpr decltype(auto) configured(const Policy& policy) const {
    constexpr bool numbered = requires(Policy& p) { p.parts = {}; };
    if constexpr (numbered || takes_seed<Policy> || takes_constraints<Policy> ||
                  takes_edge_weights<Policy>) {
      return overridden(policy);
    } else {
      return (policy);
    }
  }
  template <class Policy>
  constexpr Policy overridden(Policy policy) const {
    if constexpr (requires { policy.parts = {}; })
      policy.parts = static_cast<std::remove_cvref_t<decltype(policy.parts)>>(parts);
    if constexpr (takes_seed<Policy>)
      policy.seed = static_cast<std::remove_cvref_t<decltype(policy.seed)>>(seed);
    if constexpr (takes_constraints<Policy>) {
      if (!constraints.empty()) policy.constraints = constraints;
    }
    if constexpr (takes_edge_weights<Policy>) policy.edge_weights = edge_weights;
    return policy;
  }
};

/// A partitioner whose parts are then brought within the tolerance: `second` has the options
/// (basic_balance_repair).
template <class Policy>
using rebalanced = chained<Policy, basic_balance_repair<typename Policy::part>>;

}  // namespace halograph
