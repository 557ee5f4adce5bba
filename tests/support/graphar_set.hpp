// SPDX-License-Identifier: BSL-1.0
/// @file graphar_set.hpp
/// Writes small GraphAr data sets of csv chunks. For tests.
#pragma once

#include "temporary_folder.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph::testing {

/// A count as the format has it.
inline std::string graphar_count(std::uint64_t n) {
  std::string out;
  for (int i = 0; i < 8; ++i) out += static_cast<char>(n >> 8 * i & 0xFF);
  return out;
}

/// Rows in chunks of `size`, each with the header.
inline void write_graphar_chunks(const temporary_folder& place, const std::string& folder,
                                 std::string_view header, const std::vector<std::string>& rows,
                                 std::size_t size) {
  for (std::size_t k = 0; k * size < rows.size(); ++k) {
    std::string text = std::string(header) + "\n";
    for (std::size_t i = k * size; i < std::min(rows.size(), (k + 1) * size); ++i)
      text += rows[i] + "\n";
    place.write(folder + "/chunk" + std::to_string(k), text);
  }
}

/// One edge and the row of its property group.
struct graphar_edge {
  std::uint64_t source = 0, target = 0;
  std::string properties{};
};

/// An adjacency list of `edges`, in the order given within each part.
inline void write_graphar_list(const temporary_folder& place, const std::string& folder,
                               bool by_source, std::uint64_t nodes, std::uint64_t part_nodes,
                               std::size_t chunk_size, std::string_view group,
                               std::string_view header, const std::vector<graphar_edge>& edges) {
  for (std::uint64_t part = 0; part * part_nodes < nodes; ++part) {
    std::vector<std::string> ends, properties;
    for (const auto& edge : edges) {
      if ((by_source ? edge.source : edge.target) / part_nodes != part) continue;
      ends.push_back(std::to_string(edge.source) + "," + std::to_string(edge.target));
      properties.push_back(edge.properties);
    }
    const std::string number = std::to_string(part);
    place.write(folder + "/edge_count" + number, graphar_count(ends.size()));
    write_graphar_chunks(place, folder + "/adj_list/part" + number,
                         "\"_graphArSrcIndex\",\"_graphArDstIndex\"", ends, chunk_size);
    if (!group.empty())
      write_graphar_chunks(place, folder + "/" + std::string(group) + "/part" + number, header,
                           properties, chunk_size);
  }
}

inline constexpr const char* small_graphar_person =
    R"(type: person
chunk_size: 2
prefix: vertex/person/
property_groups:
  - properties:
      - name: id
        data_type: int64
        is_primary: true
    prefix: id/
    file_type: csv
  - properties:
      - {name: firstName, data_type: string, is_primary: false}
      - {name: height, data_type: double, is_primary: false}
    file_type: csv
version: gar/v1
)";
inline constexpr const char* small_graphar_knows =
    R"(src_type: person
edge_type: knows
dst_type: person
chunk_size: 2
src_chunk_size: 2
dst_chunk_size: 2
directed: true
prefix: edge/person_knows_person/
adj_lists:
  - ordered: true
    aligned_by: dst
    prefix: ordered_by_dest/
    file_type: csv
  - ordered: true
    aligned_by: src
    prefix: ordered_by_source/
    file_type: csv
property_groups:
  - prefix: since/
    file_type: csv
    properties:
      - {name: since, data_type: int32, is_primary: false}
version: gar/v1
)";
inline constexpr const char* small_graphar_in =
    R"(src_type: person
edge_type: in
dst_type: city
chunk_size: 8
src_chunk_size: 2
dst_chunk_size: 3
directed: false
adj_lists:
  - {ordered: false, aligned_by: dst, file_type: csv}
)";

/// 5 persons with `id` 100 + 10 n and `height` n / 2, 4 cities, 6 edges person:knows:person with
/// `since` 2000 + e and 5 person:in:city. @return the graph's info
inline std::string write_small_graphar(const temporary_folder& place,
                                       const std::string& in = "set") {
  const std::string at = in + "/";
  place.write(at + "person.vertex.yml", small_graphar_person);
  place.write(at + "city.vertex.yml", "type: city\nchunk_size: 3\n");
  place.write(at + "person_knows_person.edge.yml", small_graphar_knows);
  place.write(at + "person_in_city.edge.yml", small_graphar_in);
  std::vector<std::string> ids, names;
  for (int n = 0; n < 5; ++n) {
    const std::string number = std::to_string(n);
    ids.push_back(number + "," + std::to_string(100 + 10 * n));
    names.push_back(number + ",\"a \"\"b\"\", " + number + "\"," + std::to_string(n / 2.0));
  }
  place.write(at + "vertex/person/vertex_count", graphar_count(5));
  place.write(at + "vertex/city/vertex_count", graphar_count(4));
  write_graphar_chunks(place, at + "vertex/person/id", "_graphArVertexIndex,id", ids, 2);
  write_graphar_chunks(place, at + "vertex/person/firstName_height",
                       "_graphArVertexIndex,firstName,height", names, 2);
  // In the order of the parts: those of nodes 0 and 1, of 2 and 3, of 4.
  const std::vector<graphar_edge> knows{{0, 1, "2000"}, {0, 4, "2001"}, {1, 0, "2002"},
                                        {2, 2, "2003"}, {4, 0, "2004"}, {4, 3, "2005"}};
  write_graphar_list(place, at + "edge/person_knows_person/ordered_by_source", true, 5, 2, 2,
                     "since", "since", knows);
  write_graphar_list(place, at + "edge/person_in_city/unordered_by_dest", false, 4, 3, 8, "", "",
                     {{4, 2, ""}, {0, 0, ""}, {1, 3, ""}, {2, 1, ""}, {3, 3, ""}});
  return place.write(at + "small.graph.yml",
                     "name: small\nprefix: ./\nvertices:\n  - person.vertex.yml\n  - "
                     "city.vertex.yml\nedges:\n  - person_knows_person.edge.yml\n  - "
                     "person_in_city.edge.yml\nversion: gar/v1\n");
}

}  // namespace halograph::testing
