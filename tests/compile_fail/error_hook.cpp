// SPDX-License-Identifier: BSL-1.0
// expect: error_hook: needs operator
// expect: error_hook: needs a default constructor
#include <halograph/pipeline/fixed.hpp>

struct logger {
#ifdef MUST_FAIL
  void operator()(halograph::status) const {}
#else
  void operator()(halograph::status, const char*) const {}
#endif
};
struct port {
#ifdef MUST_FAIL
  explicit port(int) {}
#endif
  void operator()(halograph::status, const char*) const {}
};

template <halograph::error_hook Hook>
using job = halograph::fixed_partitioning<halograph::fixed_limits{.nodes = 4, .edges = 4}, std::uint8_t, std::uint8_t, std::uint8_t, Hook>;
using logging = job<logger>;
using to_port = job<port>;
