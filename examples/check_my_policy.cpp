// SPDX-License-Identifier: BSL-1.0
// Is my partitioner correct? All laws over all test graphs in one call, without a test framework;
// in GoogleTest the same call is EXPECT_EQ(hg::laws::check_partitioner(in_stripes{}).why, "").
#include "custom_partitioner.hpp"

#include <halograph/testing/check.hpp>

#include <iostream>
#include <span>

namespace hg = halograph;

/// Stripes that forget the nodes after the last whole stripe.
struct hasty_stripes : in_stripes {
  hg::status assign(const auto& graph, std::span<part> owner) const {
    if (const auto answer = in_stripes::assign(graph, owner); !answer) return answer;
    for (std::size_t v = owner.size() / width * width; v < owner.size(); ++v) owner[v] = parts;
    return hg::status::ok;
  }
};

int main() {
  const auto careful = hg::laws::check_partitioner(in_stripes{.width = 2});
  std::cout << "stripes: " << (careful ? "all laws hold" : careful.why) << '\n';
  const auto hasty = hg::laws::check_partitioner(hasty_stripes{{.width = 2}});
  std::cout << "hasty stripes: " << (hasty ? "all laws hold" : hasty.why) << '\n';
  return careful && !hasty ? 0 : 1;
}
