// SPDX-License-Identifier: BSL-1.0
// expect: refiner: needs status refine\(const G&, span<part>\) const
// expect: refiner: P::part must name an unsigned integer
#include <halograph/partition/refine.hpp>
#include <halograph/testing/archetypes.hpp>

namespace hg = halograph;

template <class Refiner>
  requires hg::refiner<Refiner, hg::archetype::graph>
struct host {};
#ifdef MUST_FAIL
namespace model = halograph::near_miss;
#else
namespace model {
using refiner_not_const = hg::archetype::refiner;
using refiner_of_signed_parts = hg::archetype::refiner;
}  // namespace model
#endif
host<model::refiner_not_const> a;
host<model::refiner_of_signed_parts> b;
