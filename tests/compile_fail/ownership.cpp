// SPDX-License-Identifier: BSL-1.0
// expect: ownership: M::id_type must be an integer
#include <halograph/book/concepts.hpp>
#include <halograph/book/range_map.hpp>

struct nothing {};
#ifdef MUST_FAIL
using map = nothing;
#else
using map = halograph::range_map;
#endif

template <halograph::ownership Map>
struct reader {};
reader<map> answer;
