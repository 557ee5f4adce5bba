// SPDX-License-Identifier: BSL-1.0
// expect: ownership: M::id_type must be an integer
// expect: ownership: needs num_parts\(\), num_types\(\), size\(\), size\(type\), count\(part\), count\(part, type\), nth\(part, k\), nth\(part, type, k\)
// expect: ownership: needs status part_of\(id, part_id&\) const and status part_of\(type, id, part_id&\) const
// expect: ownership: needs status to_typed\(id, typed_id&\), to_global\(type, id, out\), to_local\(part, id, out\), to_local\(part, type, id, out\) const
#include <halograph/book/concepts.hpp>
#include <halograph/testing/archetypes.hpp>

namespace hg = halograph;

template <hg::ownership Map>
struct reader {};
#ifdef MUST_FAIL
namespace model = halograph::near_miss;
#else
namespace model {
using ownership_without_ids = hg::archetype::ownership;
using ownership_without_counts = hg::archetype::ownership;
using ownership_without_typed_part = hg::archetype::ownership;
using ownership_without_local_ids = hg::archetype::ownership;
}  // namespace model
#endif
reader<model::ownership_without_ids> a;
reader<model::ownership_without_counts> b;
reader<model::ownership_without_typed_part> c;
reader<model::ownership_without_local_ids> d;
