// SPDX-License-Identifier: BSL-1.0
// expect: assigns_in_words: needs size_t assign_scratch_size\(const G&\) const
// expect: assigns_in_words: needs status assign\(const G&, span<part>, span<uint64_t> memory\) const
#include <halograph/partition/assign.hpp>
#include <halograph/testing/archetypes.hpp>

namespace hg = halograph;

template <class Policy>
  requires hg::assigns_in_words<Policy, hg::archetype::graph>
struct host {};
#ifdef MUST_FAIL
namespace model = halograph::near_miss;
#else
namespace model {
using assigns_in_words_untold = hg::archetype::partitioner_in_words;
using assigns_in_words_never = hg::archetype::partitioner_in_words;
}  // namespace model
#endif
host<model::assigns_in_words_untold> a;
host<model::assigns_in_words_never> b;
