// SPDX-License-Identifier: BSL-1.0
// expect: id: needs an integer type of 8 to 64 bits, signed or not
#include <halograph/graph/coo.hpp>

#ifdef MUST_FAIL
using node = bool;
#else
using node = signed char;
#endif
halograph::coo_view<node> graph;
