// SPDX-License-Identifier: BSL-1.0
// expect: id_row: needs contiguous memory and a size
// Asking a book about a list of nodes: the list must lie in one piece.
#include <halograph/core/id_row.hpp>

#include <list>
#include <vector>

#ifdef MUST_FAIL
using nodes = std::list<int>;
#else
using nodes = std::vector<int>;
#endif
auto answer = halograph::ids_of(nodes{1, 2});
