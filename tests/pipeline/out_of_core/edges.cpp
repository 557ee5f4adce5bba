// SPDX-License-Identifier: BSL-1.0
#include <halograph/core/random.hpp>
#include <halograph/pipeline/out_of_core/edges.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

namespace hg = halograph;

namespace {

TEST(edge_sum, sees_an_edge_that_changed_and_edges_that_exchanged_something) {
  using record = hg::detail::edge_record<std::uint32_t, std::uint32_t>;
  hg::random_stream draw(1);
  const auto sum = [](const record& a, const record& b) {
    return hg::detail::edge_sum(a.target, a.source, a.edge) +
           hg::detail::edge_sum(b.target, b.source, b.edge);
  };
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t below = std::uint64_t{1} << (2 + draw.below(31));
    const auto id = [&] { return static_cast<std::uint32_t>(draw.below(below)); };
    record a{id(), id(), id()}, b{id(), id(), id()};
    const auto whole = sum(a, b);
    EXPECT_EQ(sum(b, a), whole);
    for (const auto member : {&record::target, &record::source, &record::edge}) {
      record other = a;
      other.*member ^= static_cast<std::uint32_t>(1 + draw.below(below - 1));
      EXPECT_NE(sum(other, b), whole);
      if (a.*member == b.*member) continue;
      record c = a, d = b;
      std::swap(c.*member, d.*member);
      const bool same = (c.target == b.target && c.source == b.source && c.edge == b.edge) ||
                        (member == &record::edge && a.target == b.target && a.source == b.source);
      if (!same && !(member != &record::edge && a.edge == b.edge)) {
        EXPECT_NE(sum(c, d), whole);
      }
    }
  }
}

}  // namespace
