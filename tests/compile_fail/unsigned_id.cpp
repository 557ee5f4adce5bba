// SPDX-License-Identifier: BSL-1.0
// expect: unsigned_id: needs an unsigned integer type
#include <halograph/partition/random.hpp>

#ifdef MUST_FAIL
using part = int;
#else
using part = unsigned;
#endif
halograph::basic_random_parts<part> policy;
