// SPDX-License-Identifier: BSL-1.0
// expect: error_hook: needs operator\(\)\(status, const char\* step\) const
// expect: error_hook: needs a default constructor
#include <halograph/embedded/fixed.hpp>
#include <halograph/testing/archetypes.hpp>

namespace hg = halograph;

template <hg::error_hook Hook>
struct host {};
#ifdef MUST_FAIL
namespace model = halograph::near_miss;
#else
namespace model {
using error_hook_without_step = hg::archetype::error_hook;
using error_hook_with_log = hg::archetype::error_hook;
}  // namespace model
#endif
host<model::error_hook_without_step> a;
host<model::error_hook_with_log> b;
