// SPDX-License-Identifier: BSL-1.0
/// @file assign.hpp
/// Run a partitioner on a graph and check its result.
/// Layer: partition (allocates its result; raises through core/error.hpp). Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/status.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/graph/indexed_rows.hpp>
#include <halograph/partition/assign_context.hpp>
#include <halograph/partition/partitioner.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace halograph {

/// Words of scratch memory that assign_into uses for g; 0 where the policy needs none or allocates
/// it. @complexity the policy's
template <graph G, class P>
  requires partitioner<P, G>
constexpr std::size_t assign_scratch_size(const G& g, const P& policy) {
  if constexpr (assigns_in_memory<P, G>) {
    return static_cast<std::size_t>(policy.assign_scratch_size(g));
  } else {
    return 0;
  }
}

/// Assign every node a part, in the caller's memory.
/// @param g        V nodes
/// @param policy   a partitioner of G
/// @param owner    [V] out, part of each node; unspecified unless ok
/// @param context  an assign_context, or its only member: an executor, or scratch memory; policies
///     that cannot use one of them ignore it. A policy that models assigns_in_memory allocates
///     nothing when it is given memory
/// @errors         mismatch at V: owner is not [V]; what the policy answers; capacity at the words
///     that suffice: too little memory; internal at v: the policy answered ok and gave node v a
///     part that does not exist
/// @complexity     the policy's, and O(V)
/// @repeatable     as the policy, whatever the context
template <graph G, class P, detail::makes_assign_context Context = assign_context<>>
  requires partitioner<P, G>
constexpr status assign_into(const G& g, const P& policy, std::span<typename P::part> owner,
                             const Context& context = Context()) {
  if (const std::size_t nodes = num_nodes(g); owner.size() != nodes)
    return status::mismatch.at(nodes);
  const auto resources = detail::assign_context_of(context);
  if (const status answer = detail::assign_in_context(policy, g, owner, resources); !answer)
    return answer;
  if constexpr (names_parts<P>) {
    const auto checked = check_owners(std::span<const typename P::part>(owner),
                                      static_cast<std::uint64_t>(policy.parts));
    if (!checked) return status::internal.at(checked.position);
  }
  return status::ok;
}

namespace detail {

/// The sentence for a status of assign_into.
/// @param parts     that the policy names
/// @param capacity  of its part type
std::string explain_assignment_status(status answer, std::optional<std::uint64_t> parts,
                                      std::uint64_t capacity);

}  // namespace detail

/// The sentence for a status of assign_into: the policy's own where it has one.
template <class P>
std::string explain_assignment(const P& policy, status answer) {
  if constexpr (explains_status<P>) {
    if (std::string sentence = policy.explain(answer); !sentence.empty()) return sentence;
  }
  std::optional<std::uint64_t> parts;
  if constexpr (names_parts<P>) parts = static_cast<std::uint64_t>(policy.parts);
  return detail::explain_assignment_status(answer, parts, id_capacity<typename P::part>());
}

namespace detail {
/// Policies that walk along out-edges take standard rows once these are indexed.
template <class P, class G>
concept walks_rows = requires {
  requires adjacency_rows<G> && !partitioner<P, G> && partitioner<P, indexed_rows<G>>;
};
}  // namespace detail

/// Assign every node a part.
/// @param g        V nodes; standard rows also for policies that need out_adjacency: their
///     positions are indexed for the call, 8 bytes per node
/// @param policy   a partitioner of G, such as `hg::random_parts{.parts = 8}`
/// @param context  as of assign_into; often an executor
/// @return         [V] part of each node
/// @errors         raises halograph::error with the policy's code and sentence; memory
/// @complexity     the policy's, and O(V)
template <graph G, class P, detail::makes_assign_context Context = assign_context<>>
  requires partitioner<P, G>
std::vector<typename P::part> assign(const G& g, const P& policy,
                                     const Context& context = Context()) {
  std::vector<typename P::part> owner(num_nodes(g));
  const std::span<typename P::part> out(owner);
  if (const status answer = assign_into(g, policy, out, context); !answer)
    raise(answer.code, explain_assignment(policy, answer));
  return owner;
}
template <class G, class P, detail::makes_assign_context Context = assign_context<>>
  requires detail::walks_rows<P, G>
std::vector<typename P::part> assign(const G& g, const P& policy,
                                     const Context& context = Context()) {
  const indexed_rows<G> rows(g);
  return assign(rows, policy, context);
}

// Sentences for the commonest mistakes, which compilers print first, at the line of the call.
template <class G, class P, class Context = assign_context<>>
  requires detail::list_of_pairs<G>
__attribute__((unavailable(
    "graph: a list of pairs does not say how many nodes there are; wrap it: edge_pairs(nodes, pairs)")))
std::vector<part_id>
assign(const G&, const P&, const Context& = Context());
template <class G, class P, class Context = assign_context<>>
  requires(!graph<G> && graph<P>)
__attribute__((unavailable("assign: takes the graph first, then the policy"))) std::vector<part_id>
assign(const G&, const P&, const Context& = Context());
template <class G, class P, class Context = assign_context<>>
  requires(!graph<G> && !detail::list_of_pairs<G> && !graph<P>)
__attribute__((unavailable(
    "graph: needs num_nodes(g), and one of for_each_in_neighbor, for_each_out_neighbor, for_each_edge, for_each_in_edge, for_each_out_edge")))
std::vector<part_id>
assign(const G&, const P&, const Context& = Context());
template <graph G, class P, class Context = assign_context<>>
  requires(!detail::names_part<P>)
__attribute__((unavailable(
    "partitioner: needs a policy such as ldg{.parts = 8}, whose P::part must name an unsigned integer")))
std::vector<part_id>
assign(const G&, const P&, const Context& = Context());
template <graph G, class P, class Context = assign_context<>>
  requires(detail::names_part<P> && !partitioner<P, G> && !detail::walks_rows<P, G>)
__attribute__((unavailable(
    "partitioner: needs status assign(const G&, span<part>) const, for a graph of this type; one that walks along out-edges takes neighbors(g)")))
std::vector<part_id>
assign(const G&, const P&, const Context& = Context());

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/partition/impl/assign.ipp>
#endif
