// SPDX-License-Identifier: BSL-1.0
// expect: names_parts: needs a data member parts, the number of parts
// The ability that hosts require.
#include <halograph/partition/partitioner.hpp>

struct policy {
#ifdef MUST_FAIL
  std::uint64_t parts() const { return 2; }
#else
  std::uint64_t parts = 2;
#endif
};

template <halograph::names_parts P>
struct counted {};
counted<policy> a;
