// SPDX-License-Identifier: BSL-1.0
// IDs alone: typed <-> global with the converter, and who owns what with the book; no graph is
// loaded.
#include <halograph/book/range_book.hpp>
#include <halograph/schema/id_converter.hpp>

#include <cstdint>
#include <iostream>
#include <vector>

namespace hg = halograph;

int main() {
  hg::graph_schema schema;
  schema.add_node_type("paper");
  schema.add_node_type("author");
  schema.add_edge_type({"author", "writes", "paper"});

  // Before partitioning: the types of the input, end to end.
  const hg::id_converter ids(schema, std::vector<std::uint64_t>{200, 100},
                             std::vector<std::uint64_t>{500});
  const auto [type, typed] = ids.nid_hom2het(200);
  std::cout << "global node 200 is " << ids.id2ntype(type) << ' ' << typed
            << ", and author 0 is global node " << ids.nid_het2hom("author", 0) << '\n';

  // After partitioning: ranges per type and part, [type][part].
  const hg::partition_book book(schema, 2,
                                hg::range_table{{{0, 120}, {160, 240}}, {{120, 160}, {240, 300}}},
                                hg::range_table{{{0, 300}, {300, 500}}});
  const auto owner = book.nid2partid(250);
  const auto where = book.map_to_per_ntype(250);
  std::cout << "new node 250 belongs to part " << owner << " as " << book.ntypes()[where.type]
            << ' ' << where.id << ", which is new node " << book.map_to_homo_nid(where.id, "author")
            << '\n';
  return type == 1 && typed == 0 && owner == 1 ? 0 : 1;
}
