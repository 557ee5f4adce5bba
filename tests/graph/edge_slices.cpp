// SPDX-License-Identifier: BSL-1.0
#include <halograph/graph/coo.hpp>
#include <halograph/graph/csr.hpp>
#include <halograph/graph/edge_slices.hpp>
#include <halograph/graph/hetero.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace hg = halograph;

namespace {

static_assert(hg::sliced_edge_list<hg::coo_view<std::int32_t, std::int32_t>> &&
              hg::sliced_edge_list<hg::hetero_view<>>);
static_assert(!hg::sliced_edge_list<hg::csr_view<>>);

template <class Graph>
void expect_slices_of_all(const Graph& g) {
  std::vector<std::array<std::uint64_t, 3>> all;
  hg::for_each_edge(g, [&](auto u, auto v, auto e) { all.push_back({u, v, e}); });
  for (std::size_t first = 0; first <= all.size(); ++first) {
    for (std::size_t last = first; last <= all.size(); ++last) {
      std::vector<std::array<std::uint64_t, 3>> got;
      hg::for_each_edge_between(g, first, last,
                                [&](auto u, auto v, auto e) { got.push_back({u, v, e}); });
      const std::vector<std::array<std::uint64_t, 3>> want(
          all.begin() + static_cast<std::ptrdiff_t>(first),
          all.begin() + static_cast<std::ptrdiff_t>(last));
      EXPECT_EQ(got, want) << first << " to " << last;
    }
  }
}

TEST(for_each_edge_between, visits_what_for_each_edge_does_in_any_range) {
  const std::vector<std::uint64_t> a{0, 1, 2}, b{2, 1, 0}, none{}, c{3, 4};
  expect_slices_of_all(hg::coo_view<>(3, a, b));
  const std::vector<std::uint64_t> nodes{0, 3, 8}, edges{0, 3, 3, 5};
  const std::vector<hg::relation_view<>> relations{
      {0, 1, a, b}, {1, 1, none, none}, {1, 0, c, std::span(a).first(2)}};
  expect_slices_of_all(hg::hetero_view<>(nodes, edges, relations));
}

}  // namespace
