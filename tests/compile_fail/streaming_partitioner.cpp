// SPDX-License-Identifier: BSL-1.0
// expect: streaming_partitioner: P::part must name an unsigned integer
// expect: streaming_partitioner: P::stream must name the type of its streams, which has a default constructor
// expect: streaming_partitioner: needs size_t stream_scratch_size\(const stream_shape&\) const
// expect: streaming_partitioner: needs status begin
// expect: streaming_partitioner: its stream needs status push
#include <halograph/testing/archetypes.hpp>

namespace hg = halograph;

template <hg::streaming_partitioner P>
struct host {};
#ifdef MUST_FAIL
namespace model = halograph::near_miss;
#else
namespace model {
using streaming_of_signed_parts = hg::archetype::streaming_partitioner;
using streaming_without_stream = hg::archetype::streaming_partitioner;
using streaming_without_words = hg::archetype::streaming_partitioner;
using streaming_without_memory = hg::archetype::streaming_partitioner;
using streaming_without_neighbors = hg::archetype::streaming_partitioner;
}  // namespace model
#endif
host<model::streaming_of_signed_parts> a;
host<model::streaming_without_stream> b;
host<model::streaming_without_words> c;
host<model::streaming_without_memory> d;
host<model::streaming_without_neighbors> e;
