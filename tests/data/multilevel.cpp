// SPDX-License-Identifier: BSL-1.0
// Multilevel on real graphs: cuts near the best that are known.
#include <halograph/adapters/boost_interprocess.hpp>
#include <halograph/adapters/nlohmann_json.hpp>
#include <halograph/adapters/zlib.hpp>
#include <halograph/io/open_dataset.hpp>
#include <halograph/partition/assign.hpp>
#include <halograph/partition/multilevel.hpp>
#include <halograph/partition/quality.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <string>

namespace hg = halograph;

namespace {

template <class G>
std::uint64_t cut_of(const G& g, const hg::multilevel& policy) {
  const auto owner = hg::assign(g, policy);
  return hg::measure_quality(g, std::span<const hg::part_id>(owner), policy.parts, {}).edge_cut;
}

TEST(multilevel_on_meshes, bisects_4elt_as_well_as_is_known) {
  const auto data = hg::load_dataset<std::uint32_t, std::uint32_t>(
      std::string(HALOGRAPH_SHARED_DIR) + "/data/mesh-4elt/4elt.graph", {},
      hg::gz_files<hg::mapped_files>{}, hg::nlohmann_codec{});
  for (std::uint64_t seed = 0; seed < 5; ++seed)
    EXPECT_LE(cut_of(data.graph(), {.parts = 2, .seed = seed}), 138u) << "seed " << seed;
}

}  // namespace
