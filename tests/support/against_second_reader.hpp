// SPDX-License-Identifier: BSL-1.0
/// @file against_second_reader.hpp
/// For tests: what the library read of DGL's files, compared with what the second reader read.
#pragma once

#include "second_reader.hpp"

#include <halograph/serial/dgl/graph.hpp>
#include <halograph/serial/tensor.hpp>

#include <cstddef>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace second_reader {

/// Whether the second reader refuses bytes that DGL and the library never look at.
inline bool is_of_no_account(const std::runtime_error& doubt) {
  return doubt.what() == std::string("a reserved field is not 0");
}

/// What differs, or "".
inline std::string difference(const std::vector<halograph::named_tensor>& ours,
                              const arrays& theirs) {
  if (ours.size() != theirs.size())
    return std::to_string(ours.size()) + " arrays, not " + std::to_string(theirs.size());
  for (const auto& one : ours) {
    const auto other = theirs.find(one.name);
    if (other == theirs.end()) return "array " + one.name + " is not in the file";
    const auto& wanted = other->second;
    const auto& found = one.value;
    if (halograph::name(found.type()) != wanted.dtype)
      return one.name + " is of " + std::string(halograph::name(found.type()));
    if (std::vector<std::int64_t>(found.shape().begin(), found.shape().end()) != wanted.shape)
      return one.name + " has another shape";
    const auto bytes = found.bytes();
    if (std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()) != wanted.data)
      return one.name + " has other elements";
  }
  return {};
}

/// Likewise, of one edge type.
inline std::string difference(const halograph::dgl::relation_data& ours, const relation& theirs) {
  if (ours.name != theirs.name || ours.source != static_cast<std::uint64_t>(theirs.source_type) ||
      ours.target != static_cast<std::uint64_t>(theirs.target_type))
    return "relation " + ours.name + " is " + theirs.name + ", or between other types";
  if (ours.edges != theirs.edges.size()) return ours.name + " has another number of edges";
  std::set<std::string> formats;
  if (ours.coo) {
    formats.insert("coo");
    for (std::size_t e = 0; e < theirs.edges.size(); ++e) {
      if (std::pair(ours.coo->source.integer(e), ours.coo->target.integer(e)) != theirs.edges[e])
        return ours.name + ": edge " + std::to_string(e) + " in coo differs";
    }
  }
  const auto compressed = [&](const halograph::compressed_columns& rows, const char* format) {
    formats.insert(format);
    const bool by_source = format == std::string("csr");
    for (std::size_t row = 0; row + 1 < rows.offsets.rows(); ++row) {
      for (auto k = rows.offsets.integer(row); k < rows.offsets.integer(row + 1); ++k) {
        const auto at = static_cast<std::size_t>(k);
        const auto here = static_cast<std::int64_t>(row), other = rows.neighbors.integer(at);
        const auto e = static_cast<std::size_t>(rows.edges.rows() == 0 ? k
                                                                       : rows.edges.integer(at));
        if ((by_source ? std::pair(here, other) : std::pair(other, here)) != theirs.edges.at(e))
          return ours.name + ": edge " + std::to_string(e) + " in " + format + " differs";
      }
    }
    return std::string();
  };
  if (ours.csr) {
    if (auto what = compressed(*ours.csr, "csr"); !what.empty()) return what;
  }
  if (ours.csc) {
    if (auto what = compressed(*ours.csc, "csc"); !what.empty()) return what;
  }
  if (formats != theirs.formats) return ours.name + " is stored in other formats";
  const auto what = difference(ours.columns, theirs.columns);
  return what.empty() ? what : ours.name + ": " + what;
}

/// Likewise, of a whole file.
inline std::string difference(const halograph::dgl::graph_file& ours, const graph_file& theirs) {
  if (auto what = difference(ours.labels, theirs.labels); !what.empty()) return what;
  if (ours.graphs.size() != theirs.graphs.size()) return "another number of graphs";
  for (std::size_t g = 0; g < ours.graphs.size(); ++g) {
    const auto& a = ours.graphs[g];
    const auto& b = theirs.graphs[g];
    if (a.node_types.size() != b.types.size() || a.relations.size() != b.relations.size())
      return "another number of types in graph " + std::to_string(g);
    for (std::size_t t = 0; t < b.types.size(); ++t) {
      const auto& x = a.node_types[t];
      const auto& y = b.types[t];
      if (x.name != y.name || x.nodes != static_cast<std::uint64_t>(y.nodes))
        return "node type " + x.name + " is " + y.name + ", or has another number of nodes";
      if (auto what = difference(x.columns, y.columns); !what.empty()) return x.name + ": " + what;
    }
    for (std::size_t r = 0; r < b.relations.size(); ++r) {
      if (auto what = difference(a.relations[r], b.relations[r]); !what.empty()) return what;
    }
  }
  return {};
}

}  // namespace second_reader
