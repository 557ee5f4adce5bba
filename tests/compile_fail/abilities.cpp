// SPDX-License-Identifier: BSL-1.0
// expect: names_parts: needs a data member parts, the number of parts
// expect: takes_seed: needs a data member seed that takes a uint64_t
// expect: takes_edge_weights: needs a data member edge_weights that takes a span<const int64_t>
// expect: takes_constraints: needs a data member constraints that takes a span<const constraint>
// expect: explains_status: needs std::string explain\(status\) const
// Abilities are detected, not required: an author who intends one can assert it.
#include <halograph/partition/assign.hpp>
#include <halograph/partition/balance.hpp>

#include <string>

struct policy {
#ifdef MUST_FAIL
  const std::uint64_t seed = 1;  // cannot be set
  std::uint64_t parts() const { return 2; }
  std::span<std::int64_t> edge_weights;
  std::span<halograph::constraint> constraints;
  std::string explain() const { return {}; }
#else
  std::uint64_t seed = 1;
  std::uint64_t parts = 2;
  std::span<const std::int64_t> edge_weights;
  std::span<const halograph::constraint> constraints;
  std::string explain(halograph::status) const { return {}; }
#endif
};

template <halograph::takes_seed P>
struct seeded {};
template <halograph::names_parts P>
struct counted {};
template <halograph::takes_edge_weights P>
struct weighted {};
template <halograph::takes_constraints P>
struct balanced {};
template <halograph::explains_status P>
struct explained {};
seeded<policy> a;
counted<policy> b;
weighted<policy> c;
balanced<policy> d;
explained<policy> e;
