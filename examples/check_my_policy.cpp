// SPDX-License-Identifier: BSL-1.0
// Is my partitioner one? All laws over all drawn graphs in one call, without a test framework; in
// GoogleTest the same call is EXPECT_EQ(hg::laws::check_partitioner(in_stripes{}).why, "").
#include "custom_partitioner.hpp"

#include <halograph/testing/check.hpp>

#include <iostream>
#include <span>

namespace hg = halograph;

/// Stripes that forget the nodes behind the last whole one.
struct hasty_stripes : in_stripes {
  hg::status assign(const auto& graph, std::span<part> owner) const {
    if (const auto answer = in_stripes::assign(graph, owner); !answer) return answer;
    for (std::size_t v = owner.size() / width * width; v < owner.size(); ++v) owner[v] = parts;
    return hg::status::ok;
  }
};

int main() {
  const auto careful = hg::laws::check_partitioner(in_stripes{.width = 2});
  std::cout << "stripes: " << (careful ? "every law kept" : careful.why) << '\n';
  const auto hasty = hg::laws::check_partitioner(hasty_stripes{{.width = 2}});
  std::cout << "hasty stripes: " << (hasty ? "every law kept" : hasty.why) << '\n';
  return careful && !hasty ? 0 : 1;
}
