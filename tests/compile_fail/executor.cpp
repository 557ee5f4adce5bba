// SPDX-License-Identifier: BSL-1.0
// expect: executor: needs void parallel_for
// expect: executor: needs size_t concurrency
#include <halograph/core/executor.hpp>

struct pool {
  std::size_t concurrency() const { return 1; }
#ifdef MUST_FAIL
  void parallel_for(std::size_t first, std::size_t last, auto body) const { body(first, last); }
#else
  void parallel_for(std::size_t first, std::size_t last, std::size_t, auto body) const {
    body(first, last);
  }
#endif
};
struct farm {
#ifndef MUST_FAIL
  std::size_t concurrency() const { return 1; }
#endif
  void parallel_for(std::size_t first, std::size_t last, std::size_t, auto body) const {
    body(first, last);
  }
};

void run(const halograph::executor auto& e) {
  e.parallel_for(0, 4, 1, [](std::size_t, std::size_t) {});
}
void run() {
  run(pool{});
  run(farm{});
}
