// SPDX-License-Identifier: BSL-1.0
// Built without exceptions: hosted calls hand their errors to the function that the program
// defines.
#include <halograph/core/error.hpp>
#include <halograph/graph/coo.hpp>
#include <halograph/partition/assign.hpp>
#include <halograph/partition/random.hpp>

#include <cstdlib>
#include <string_view>

namespace hg = halograph;

void hg::on_error(const hg::error& problem) {
  const bool right =
      problem.code() == hg::error_kind::invalid_argument &&
      std::string_view(problem.what()).find("the number of parts (0) must be at least 1") == 0;
  std::exit(right ? 0 : 2);
}

int main() {
  static_cast<void>(hg::assign(hg::coo_view<>(), hg::random_parts{.parts = 0}));
  return 1;  // the error got lost
}
