// SPDX-License-Identifier: BSL-1.0
// expect: id_row: needs contiguous memory and a size
// A book looks up a list of nodes, which must be contiguous.
#include <halograph/core/id_row.hpp>

#include <list>
#include <vector>

#ifdef MUST_FAIL
using nodes = std::list<int>;
#else
using nodes = std::vector<int>;
#endif
auto answer = halograph::ids_of(nodes{1, 2});
