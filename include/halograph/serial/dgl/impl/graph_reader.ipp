// SPDX-License-Identifier: BSL-1.0
/// @file graph_reader.ipp
/// Bodies of the plain functions of serial/dgl/graph_reader.hpp.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/dgl/graph_data.hpp>
#include <halograph/serial/dgl/graph_reader.hpp>
#include <halograph/serial/dgl/tensors.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/layout.hpp>
#include <halograph/serial/serializer.hpp>
#include <halograph/serial/structure.hpp>
#include <halograph/serial/tensor.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph::dgl::detail {

HALOGRAPH_INLINE graph_file
graph_reader::read(std::optional<std::span<const std::uint64_t>> chosen) {
  if (kind_of(data_.bytes) == file_kind::tensors) {
    in_.malformed("this is a DGL tensor dictionary, where a DGL graph file is needed");
  }
  in_.magic(graphs_magic, "DGL graph file");
  if (const auto version = in_.number<std::uint64_t>("the version"); version == 1) {
    in_.fail(
        error_kind::unsupported,
        "this graph file is of version 1, written before DGL 0.5; load it with DGL and save it "
        "anew, which makes version 2",
        8);
  } else if (version != 2) {
    in_.fail(error_kind::unsupported,
             "this graph file is of version " + std::to_string(version) + "; version 2 is read", 8);
  }
  if (const auto kind = in_.number<std::uint64_t>("the kind of graph"); kind != 2) {
    in_.malformed("the kind of graph is " + std::to_string(kind) +
                  "; it must be 2 (heterogeneous)");
  }
  const auto graphs = in_.number<std::uint64_t>("the number of graphs");
  if (in_.size() < least_graph_file_bytes) {
    in_.fail(error_kind::truncated,
             "a graph file has at least 4112 bytes, this one has " + std::to_string(in_.size()),
             in_.size());
  }
  if (graphs > (in_.size() - least_graph_file_bytes) / 8) {
    in_.fail(error_kind::truncated,
             "the number of graphs is " + std::to_string(graphs) + ", more than " +
                 std::to_string(in_.size()) + " bytes can hold",
             24);
  }
  in_.seek(reserved_end);
  const auto start = in_.number<std::uint64_t>("the place of the first graph");
  graph_file found;
  found.labels = in_.named_arrays("the number of labels");
  if (start < least_graph_file_bytes || (in_.strict() && start != in_.position())) {
    in_.fail(error_kind::malformed,
             "the first graph is said to be at byte " + std::to_string(start) +
                 "; the labels end at byte " + std::to_string(in_.position()),
             reserved_end);
  }
  if (start > in_.size()) {
    in_.fail(error_kind::truncated,
             "the first graph is said to be at byte " + std::to_string(start) + " of " +
                 std::to_string(in_.size()),
             reserved_end);
  }
  if (!chosen) {
    in_.seek(start);
    std::vector<std::uint64_t> places;
    for (std::uint64_t i = 0; i < graphs; ++i) {
      places.push_back(in_.position());
      found.graphs.push_back(graph());
    }
    if (in_.strict()) {
      const std::uint64_t tail = in_.position();
      const auto index = read_index(graphs, tail);
      for (std::size_t i = 0; i < index.size(); ++i) {
        if (index[i] != places[i]) {
          in_.fail(error_kind::malformed,
                   "graph " + std::to_string(i) + " is said to be at byte " +
                       std::to_string(index[i]) + ", but is at byte " + std::to_string(places[i]),
                   tail + 16 + 8 * i);
        }
      }
    }
    return found;
  }
  const std::uint64_t tail = find_index();
  const auto index = read_index(graphs, tail);
  for (const std::uint64_t i : *chosen) {
    if (i >= graphs) {
      in_.fail(error_kind::out_of_range,
               "graph " + std::to_string(i) + " is asked for; the file has " +
                   std::to_string(graphs) + ", numbered from 0",
               24);
    }
    const std::uint64_t place = index[static_cast<std::size_t>(i)];
    if (place < start || place > tail) {
      in_.fail(error_kind::malformed,
               "graph " + std::to_string(i) + " is said to be at byte " + std::to_string(place) +
                   "; it must be between " + std::to_string(start) + " and " + std::to_string(tail),
               tail + 16 + 8 * i);
    }
    in_.seek(place);
    found.graphs.push_back(graph());
  }
  return found;
}

HALOGRAPH_INLINE graph_reader::placed graph_reader::array(std::string_view what) {
  placed out;
  out.values = in_.array(what);
  out.at = in_.position() - out.values.bytes().size();
  return out;
}

HALOGRAPH_INLINE graph_reader::adjacency graph_reader::matrix(std::uint64_t magic,
                                                              std::string_view noun,
                                                              const char* first,
                                                              const char* second) {
  adjacency out;
  out.at = in_.position();
  in_.magic(magic, noun);
  out.columns = in_.extent("a number of columns");
  out.rows = in_.extent("a number of rows");
  out.first = array(first);
  out.second = array(second);
  out.data = array("edge IDs");
  flag();
  return out;
}

HALOGRAPH_INLINE void graph_reader::require_id_type(const placed& one, const char* noun) const {
  const dtype type = one.values.type();
  if (type != dtype::int64 && type != dtype::int32) {
    in_.fail(error_kind::malformed,
             std::string(noun) + " are of dtype " + std::string(name(type)) +
                 "; they must be int32 or int64",
             one.at);
  }
}

HALOGRAPH_INLINE std::vector<std::pair<type_id, type_id>> graph_reader::metagraph(
    std::uint64_t& vertices) {
  in_.magic(metagraph_magic, "metagraph");
  const adjacency meta = compressed();
  for (const placed* one : {&meta.first, &meta.second, &meta.data}) {
    if (one->values.type() != dtype::int64)
      in_.fail(error_kind::malformed, "a metagraph must be of int64", one->at);
  }
  if (meta.rows != meta.columns)
    in_.fail(error_kind::malformed, "a metagraph must have as many rows as columns", meta.at + 8);
  require_compressed(meta, column::csr_offsets);
  vertices = meta.rows;
  const coo_columns pairs = halograph::detail::pairs_of(
      {meta.first.values, meta.second.values, meta.data.values}, true);
  std::vector<std::pair<type_id, type_id>> ends;
  for (std::size_t e = 0; e < pairs.source.rows(); ++e) {
    ends.emplace_back(static_cast<type_id>(pairs.source.integer(e)),
                      static_cast<type_id>(pairs.target.integer(e)));
  }
  return ends;
}

HALOGRAPH_INLINE void graph_reader::unit_metagraph(bool loop) {
  const std::uint64_t at = in_.position();
  std::uint64_t vertices = 0;
  const auto ends = metagraph(vertices);
  if (!in_.strict()) return;
  const std::pair<type_id, type_id> only{0, loop ? 0 : 1};
  if (vertices != (loop ? 1u : 2u) || ends.size() != 1 || ends[0] != only) {
    in_.fail(
        error_kind::malformed,
        loop ? "the metagraph of a relation within one node type must be one vertex with a loop"
             : "the metagraph of a relation between two node types must be one edge from 0 to 1",
        at);
  }
}

HALOGRAPH_INLINE sparse_formats graph_reader::formats(std::string_view what, bool stored) {
  const auto code = in_.number<std::uint64_t>(what);
  const std::uint64_t high = code >> 32, low = code & 0xFFFFFFFF;
  if (high == 0) {
    // An enumeration, where csc is 3; for the formats allowed 0 is "any".
    if (low == 0 && !stored) return sparse_formats::all();
    if (low >= 1 && low <= 3) return {static_cast<std::uint8_t>(1u << (low - 1))};
  } else if ((high == 1 || !in_.strict()) && low <= 7 && (low != 0 || !stored)) {
    return {static_cast<std::uint8_t>(low)};
  }
  in_.malformed(
      std::string(what) + " have code " + std::to_string(code) +
      "; it must be 2^32 plus 1 (coo), 2 (csr), 4 (csc) or a sum of these, or of an older DGL 1, 2 or 3");
}

HALOGRAPH_INLINE relation_data graph_reader::relation(std::pair<type_id, type_id> ends,
                                                      shape_claim& claim) {
  const std::uint64_t at = in_.position();
  in_.magic(relation_magic, "relation");
  relation_data out;
  out.source = ends.first;
  out.target = ends.second;
  const sparse_formats stored = formats("the formats stored", true);
  out.allowed = formats("the formats allowed", false);
  bool any = false;
  dtype ids = dtype::int64;
  const auto agree = [&](const adjacency& from, std::uint64_t sources, std::uint64_t targets,
                         std::uint64_t edges) {
    const dtype type = from.first.values.type();
    if (any && (claim.sources != sources || claim.targets != targets || out.edges != edges ||
                ids != type)) {
      in_.fail(
          error_kind::malformed,
          "the formats of one relation must have the same numbers of nodes and edges and one dtype",
          from.at);
    }
    any = true;
    claim = {sources, targets, from.at};
    out.edges = edges;
    ids = type;
  };
  const auto numbers = [&](const adjacency& from) {
    require_id_type(from.first, "IDs");
    if (from.second.values.rows() != 0) require_id_type(from.second, "IDs");
    if (from.data.values.rows() != 0) require_id_type(from.data, "edge IDs");
  };
  // For the byte of a fault between formats; a coo that was reordered is not pointed into.
  std::optional<adjacency> csr, csc;
  if (stored.has(sparse_format::coo)) {
    unit_metagraph(ends.first == ends.second);
    const adjacency from = coo();
    numbers(from);
    out.coo = coo_columns{from.first.values, from.second.values};
    require(check_coo(*out.coo, from.rows, from.columns, threads_), from, column::coo_source);
    if (from.data.values.rows() != 0) reorder(*out.coo, from);
    agree(from, from.rows, from.columns, from.first.values.rows());
  }
  if (stored.has(sparse_format::csr)) {
    unit_metagraph(ends.first == ends.second);
    csr = compressed();
    numbers(*csr);
    require_compressed(*csr, column::csr_offsets);
    out.csr = compressed_columns{csr->first.values, csr->second.values, csr->data.values};
    agree(*csr, csr->rows, csr->columns, csr->second.values.rows());
  }
  if (stored.has(sparse_format::csc)) {
    unit_metagraph(ends.first == ends.second);
    csc = compressed();
    numbers(*csc);
    require_compressed(*csc, column::csc_offsets);
    out.csc = compressed_columns{csc->first.values, csc->second.values, csc->data.values};
    agree(*csc, csc->columns, csc->rows, csc->second.values.rows());
  }
  if (in_.strict()) {
    // By sums: exactly, memory is read in any order, which takes many times as long as all the
    // rest.
    if (const auto found = check_agreement(out.coo, out.csr, out.csc, agreement::by_sum)) {
      const bool in_csr = found->what < column::csc_offsets;
      require(found, in_csr ? *csr : *csc, in_csr ? column::csr_offsets : column::csc_offsets);
    }
  }
  if (!any) in_.fail(error_kind::malformed, "a relation must be stored in at least one format", at);
  return out;
}

HALOGRAPH_INLINE void graph_reader::reorder(coo_columns& edges, const adjacency& from) const {
  const tensor& ids = from.data.values;
  const auto wrong = [&](const structure_fault& found) {
    in_.fail(error_kind::malformed, found.sentence, byte_of(from, 2, found.element));
  };
  if (ids.rank() != 1 || ids.rows() != edges.source.rows()) {
    wrong({column::coo_source, 0,
           "there are " + std::to_string(ids.rows()) + " edge IDs for " +
               std::to_string(edges.source.rows()) + " edges; there must be as many, or none"});
  }
  if (const auto found = halograph::detail::check_permutation(ids, column::coo_source, "edge IDs"))
    wrong(*found);
  const std::size_t width = item_bytes(edges.source.type());
  for (tensor* one : {&edges.source, &edges.target}) {
    auto sorted = std::make_shared<std::vector<std::byte>>(one->bytes().size());
    for (std::size_t i = 0; i < ids.rows(); ++i) {
      std::memcpy(sorted->data() + static_cast<std::size_t>(ids.integer(i)) * width,
                  one->bytes().data() + i * width, width);
    }
    const std::span<const std::byte> view(*sorted);
    *one = tensor(one->type(), one->shape(), view, std::move(sorted));
  }
}

HALOGRAPH_INLINE std::uint64_t graph_reader::same_count(std::string_view what,
                                                        std::uint64_t expected, std::string_view of,
                                                        std::uint64_t least) {
  const std::uint64_t found = in_.count(what, least);
  if (found != expected) {
    in_.malformed(std::string(what) + " is " + std::to_string(found) + ", but there are " +
                  std::to_string(expected) + " " + std::string(of));
  }
  return found;
}

HALOGRAPH_INLINE std::vector<named_tensor> graph_reader::columns(std::uint64_t rows,
                                                                 const char* noun) {
  const std::uint64_t at = in_.position();
  auto found = in_.named_arrays("a number of columns");
  for (const auto& one : found) {
    if (one.value.rank() == 0 || one.value.rows() != rows) {
      in_.fail(error_kind::malformed,
               "column " + graph_schema::quoted(one.name) + " has shape " +
                   to_string(one.value.shape()) + "; it must have one row for each of " +
                   std::to_string(rows) + " " + noun,
               at);
    }
  }
  return found;
}

HALOGRAPH_INLINE graph_data graph_reader::graph() {
  in_.magic(heterograph_magic, "graph");
  std::uint64_t types = 0;
  const auto ends = metagraph(types);
  graph_data out;
  same_count("the number of relations", ends.size(), "edges in the metagraph", 24);
  std::vector<shape_claim> claims;
  for (const auto& pair : ends) out.relations.push_back(relation(pair, claims.emplace_back()));
  same_count("the number of node counts", types, "node types in the metagraph", 8);
  for (std::uint64_t t = 0; t < types; ++t)
    out.node_types.push_back({{}, in_.extent("a number of nodes"), {}});
  for (std::size_t r = 0; r < ends.size(); ++r) {
    const std::uint64_t sources = out.node_types[ends[r].first].nodes,
                        targets = out.node_types[ends[r].second].nodes;
    if (claims[r].sources != sources || claims[r].targets != targets) {
      in_.fail(error_kind::malformed,
               "relation " + std::to_string(r) + " leads from " +
                   std::to_string(claims[r].sources) + " to " + std::to_string(claims[r].targets) +
                   " nodes, but its end types have " + std::to_string(sources) + " and " +
                   std::to_string(targets),
               claims[r].at);
    }
  }
  same_count("the number of node types with columns", types, "node types", 8);
  for (auto& type : out.node_types) type.columns = columns(type.nodes, "nodes");
  same_count("the number of edge types with columns", ends.size(), "relations", 8);
  for (auto& one : out.relations) one.columns = columns(one.edges, "edges");
  same_count("the number of node type names", types, "node types", 8);
  for (auto& type : out.node_types) type.name = in_.string("a node type's name");
  same_count("the number of relation names", ends.size(), "relations", 8);
  for (auto& one : out.relations) one.name = in_.string("a relation's name");
  return out;
}

HALOGRAPH_INLINE std::uint64_t graph_reader::find_index() {
  in_.seek(in_.size() - 8);
  const auto bytes = in_.number<std::uint64_t>("the size of the index");
  if (bytes > in_.size() - 16 - reserved_end) {
    in_.fail(error_kind::malformed,
             "the index is said to have " + std::to_string(bytes) + " bytes, more than the file",
             in_.size() - 8);
  }
  return in_.size() - 16 - bytes;
}

HALOGRAPH_INLINE std::vector<std::uint64_t> graph_reader::read_index(std::uint64_t graphs,
                                                                     std::uint64_t tail) {
  const std::uint64_t expected = 8 + 8 * graphs;
  const auto size = [&] {
    if (const auto found = in_.number<std::uint64_t>("the size of the index"); found != expected) {
      in_.malformed("the index is said to have " + std::to_string(found) + " bytes; " +
                    std::to_string(graphs) + " graphs take " + std::to_string(expected));
    }
  };
  in_.seek(tail);
  size();
  if (const auto found = in_.number<std::uint64_t>("the number of places"); found != graphs) {
    in_.malformed("the index has " + std::to_string(found) + " places for " +
                  std::to_string(graphs) + " graphs");
  }
  std::vector<std::uint64_t> places;
  for (std::uint64_t i = 0; i < graphs; ++i)
    places.push_back(in_.number<std::uint64_t>("the place of a graph"));
  size();
  if (in_.strict() && in_.left() != 0) {
    in_.fail(error_kind::malformed,
             std::to_string(in_.left()) + " bytes follow the index; the file must end there",
             in_.position());
  }
  return places;
}

}  // namespace halograph::dgl::detail
