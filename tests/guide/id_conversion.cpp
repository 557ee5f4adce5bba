// SPDX-License-Identifier: BSL-1.0
// The user guide's chapter 7.5: a graph of 400 nodes, two node types T0 and T1 of 200 each, and
// four relations.
#include <halograph/book/range_book.hpp>
#include <halograph/schema/id_converter.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace hg = halograph;

namespace {

hg::graph_schema guide_schema() {
  hg::graph_schema schema;
  schema.add_node_type("T0");
  schema.add_node_type("T1");
  schema.add_edge_type({"T0", "R0", "T0"});
  schema.add_edge_type({"T0", "R1", "T1"});
  schema.add_edge_type({"T1", "R2", "T0"});
  schema.add_edge_type({"T1", "R3", "T1"});
  return schema;
}

TEST(guide_id_conversion, global_ids_of_the_two_types_are_those_of_the_guide) {
  const hg::IDConverter ids(guide_schema(), std::vector{200, 200}, std::vector{50, 60, 70, 80});
  for (std::uint64_t i = 0; i < 400; ++i) {
    const auto [type, id] = ids.nid_hom2het(i);
    EXPECT_EQ(type, i < 200 ? 0u : 1u) << i;  // T0: [0, 200), T1: [200, 400)
    EXPECT_EQ(id, i % 200) << i;              // both [0, 200) by themselves
    EXPECT_EQ(ids.nid_het2hom(ids.id2ntype(type), id), i);
  }
  // The boundary that the guide's own listing gets wrong: 0 and 200 are the first of their types.
  EXPECT_EQ(ids.nid_hom2het(0), (hg::typed_id<>{0, 0}));
  EXPECT_EQ(ids.nid_hom2het(200), (hg::typed_id<>{1, 0}));
  for (std::uint64_t e = 0; e < 260; ++e) {
    const auto [type, id] = ids.eid_hom2het(e);
    EXPECT_EQ(ids.id2etype(type).relation, e < 50 ? "R0" : e < 110 ? "R1" : e < 180 ? "R2" : "R3");
    EXPECT_EQ(ids.eid_het2hom(ids.id2etype(type).str(), id), e);
  }
  EXPECT_THROW(ids.nid_hom2het(400), hg::error);
  EXPECT_THROW(ids.nid_het2hom("T0", 200), hg::error);
}

TEST(guide_id_conversion, a_loaded_book_converts_there_and_back_by_the_guides_four_members) {
  // Two parts: 120 and 80 nodes of T0, 90 and 110 of T1.
  const std::vector<std::uint64_t> nodes{0, 120, 210, 290, 400},
      edges{0, 25, 55, 90, 130, 155, 185, 220, 260};
  const hg::GraphPartitionBook book(guide_schema(), 2, nodes, edges);
  for (int i = 0; i < 400; ++i) {
    const auto [type, id] = book.map_to_per_ntype(i);
    EXPECT_LT(id, 200);
    EXPECT_EQ(book.map_to_homo_nid(id, book.ntypes()[type]), i);
  }
  for (int e = 0; e < 260; ++e) {
    const auto [type, id] = book.map_to_per_etype(e);
    EXPECT_EQ(book.map_to_homo_eid(id, book.etypes()[type]), e);
  }
}

}  // namespace
