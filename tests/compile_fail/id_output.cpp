// SPDX-License-Identifier: BSL-1.0
// expect: id_output: needs contiguous memory and a size
// expect: id_output: needs elements that are not const
#include <halograph/core/id_row.hpp>

#include <deque>
#include <span>
#include <vector>

#ifdef MUST_FAIL
using scattered = std::deque<unsigned>;
using settled = std::span<const unsigned>;
#else
using scattered = std::vector<unsigned>;
using settled = std::span<unsigned>;
#endif
auto out(scattered& row) { return halograph::ids_out(row); }
auto out(settled row) { return halograph::ids_out(row); }
