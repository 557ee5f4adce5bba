// SPDX-License-Identifier: BSL-1.0
// expect: distributed_partitioner: P::part must name an unsigned integer
// expect: distributed_partitioner: needs status assign\(const C& ranks, const Graph& local, span<part> owner\) const
#include <halograph/partition/distributed.hpp>
#include <halograph/testing/archetypes.hpp>

namespace hg = halograph;

template <class Policy>
  requires hg::distributed_partitioner<Policy, hg::single_rank>
struct host {};
#ifdef MUST_FAIL
namespace model = halograph::near_miss;
#else
namespace model {
using distributed_of_signed_parts = hg::archetype::distributed_partitioner;
using distributed_without_ranks = hg::archetype::distributed_partitioner;
}  // namespace model
#endif
host<model::distributed_of_signed_parts> a;
host<model::distributed_without_ranks> b;
