// SPDX-License-Identifier: BSL-1.0
// expect: generator: needs uint64_t num_nodes\(\) const and uint64_t num_edges\(\) const
// expect: generator: needs ends edge\(uint64_t i\) const
// expect: generator: needs status validate\(\) const
#include <halograph/graph/generators.hpp>

namespace generators = halograph::generators;

template <class Count>
struct counted {
  Count num_nodes() const { return 1; }
  Count num_edges() const { return 1; }
  generators::ends edge(std::uint64_t) const { return {0, 0}; }
  halograph::status validate() const { return halograph::status::ok; }
};
struct sure : counted<std::uint64_t> {
#ifdef MUST_FAIL
  bool validate() const { return true; }
#endif
};
struct numbered : counted<std::uint64_t> {
#ifdef MUST_FAIL
  void edge(std::uint64_t) const {}
#endif
};
#ifdef MUST_FAIL
using count = int;
#else
using count = std::uint64_t;
#endif

void draw() {
  std::uint32_t source = 0, target = 0;
  (void)generators::fill(counted<count>{}, 0, std::span(&source, 1), std::span(&target, 1));
  (void)generators::fill(sure{}, 0, std::span(&source, 1), std::span(&target, 1));
  (void)generators::fill(numbered{}, 0, std::span(&source, 1), std::span(&target, 1));
}
