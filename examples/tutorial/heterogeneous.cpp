// SPDX-License-Identifier: BSL-1.0
// Chapter 6: several node types and edge types.
// needs: hosted
#include <halograph/halograph.hpp>
#include <halograph/hosted.hpp>
#include <halograph/partition/multilevel.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <variant>
#include <vector>

namespace hg = halograph;

int main() {
  // 4 readers and 6 books. IDs of each type start at 0.
  const std::vector<std::uint32_t> reader{0, 0, 0, 1, 1, 1, 2, 2, 3, 3},
      read{0, 1, 2, 1, 2, 3, 3, 4, 4, 5};
  const std::vector<std::uint32_t> book{1, 2, 4, 5}, sequel_of{0, 1, 3, 4};

  hg::graph_schema schema;
  const auto readers = schema.add_node_type("reader"), books = schema.add_node_type("book");
  schema.add_edge_type({"reader", "reads", "book"});
  schema.add_edge_type({"book", "sequel_of", "book"});

  const std::vector<hg::relation_view<std::uint32_t>> relations{{readers, books, reader, read},
                                                                {books, books, book, sequel_of}};
  const std::array<std::uint64_t, 3> first_node{0, 4, 10}, first_edge{0, 10, 14};
  const hg::hetero_view<std::uint32_t, std::uint32_t> library(first_node, first_edge, relations);
  hg::check(library.validate(), "the columns do not fit the offsets");

  const auto made = hg::partition_graph(
      library, hg::multilevel{.parts = 2}, hg::dgl_folder{"library.parts"},
      {.graph_name = "library", .schema = schema, .return_mapping = true});
  std::cout << "edge cut " << made.report.edge_cut << '\n';

  const auto any = hg::load_partition_book("library.parts/library.json");
  const auto& owners = std::get<hg::partition_book>(any);
  for (std::size_t part = 0; part < 2; ++part) {
    std::cout << "part " << part << " owns books";
    for (const auto id : owners.partid2nids(part, "book"))
      std::cout << ' ' << made.node_mapping[books][static_cast<std::size_t>(id)];
    std::cout << '\n';
  }
}
