// SPDX-License-Identifier: BSL-1.0
/// @file graph.hpp
/// DGL's graph files: any number of heterogeneous graphs with columns, and labels, written and read
/// as views.
/// Layer: serial. Words: README.md.
///
/// Version 2, written by DGL 0.5 and later; version 1 is refused by name. Little-endian and packed;
/// string, array and tensors (u64 count | count x (string, array)) as in dgl_tensors.hpp; null: an
/// int64 array [0].
///
///     file       0 u64 magic 0xDD2E4FF046B4A13F | 8 u64 version, 2 | 16 u64 kind, 2 | 24 u64
///     graphs
///                | 32 reserved up to 4096 (written 0, never read) | 4096 u64 place of the first graph
///                | 4104 labels: tensors | graphs | u64 L = 8 + 8 x graphs | u64 graphs | u64 x graphs places | u64 L
///     graph      u64 magic 0xDD589FBE35224ABF | metagraph | u64 count | relations | u64 count |
///     i64 x nodes by type
///                | u64 count | tensors by node type | u64 count | tensors by edge type
///                | u64 count | names of node types | u64 count | names of relations
///     metagraph  u64 magic 0xDD3C5FFE20046ABF | csr of int64: rows source types, columns target
///     types, data the
///                number of the relation
///     relation   u64 magic 0xDD2E60F0F6B4A127 | i64 formats stored | i64 formats allowed | [coo]
///     [csr] [csc],
///                each behind the metagraph of this relation alone (1 vertex with a loop, or 0 ->
///                1)
///     formats    2^32 + bits (1 coo, 2 csr, 4 csc); before DGL 1.0 stored: 1 coo, 2 csr, 3 csc;
///     allowed: 0 all coo        u64 magic 0xDD61FFD305DFF127 | i64 columns | i64 rows | array row
///     (sources) | array col (targets)
///                | array data (null: edge i has ID i) | u8 rows sorted | u8 columns sorted (both written 0)
///     csr, csc   u64 magic 0xDD6CD31205DFF127 | i64 columns | i64 rows | array indptr | array
///     indices
///                | array data (edge IDs; null: positions) | u8 sorted; csc: rows are targets
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/bytes.hpp>
#include <halograph/serial/dgl/tensors.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/serializer.hpp>
#include <halograph/serial/structure.hpp>
#include <halograph/serial/tensor.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph::dgl {

/// One node type of a graph.
struct node_type_data {
  std::string name{};
  std::uint64_t nodes = 0;
  std::vector<named_tensor> columns{};  ///< each with `nodes` rows
};

/// One edge type: its name alone, its end types by number, its edges in one format or several.
struct relation_data {
  std::string name{};
  type_id source = 0;
  type_id target = 0;
  std::uint64_t edges = 0;
  sparse_formats allowed = sparse_formats::all();  ///< what DGL may convert to
  std::optional<coo_columns> coo{};
  std::optional<compressed_columns> csr{};
  std::optional<compressed_columns> csc{};
  std::vector<named_tensor> columns{};  ///< each with `edges` rows

  /// The formats that are there.
  sparse_formats stored() const noexcept {
    sparse_formats found = sparse_formats::none();
    if (coo) found = found.with(sparse_format::coo);
    if (csr) found = found.with(sparse_format::csr);
    if (csc) found = found.with(sparse_format::csc);
    return found;
  }
};

/// One graph.
struct graph_data {
  std::vector<node_type_data> node_types{};
  std::vector<relation_data> relations{};
};

/// What a graph file holds.
struct graph_file {
  std::vector<graph_data> graphs{};
  std::vector<named_tensor> labels{};  ///< of the graphs, by name
};

namespace detail {

inline constexpr std::uint64_t heterograph_magic = 0xDD589FBE35224ABF;
inline constexpr std::uint64_t metagraph_magic = 0xDD3C5FFE20046ABF;
inline constexpr std::uint64_t relation_magic = 0xDD2E60F0F6B4A127;
inline constexpr std::uint64_t coo_magic = 0xDD61FFD305DFF127;
inline constexpr std::uint64_t csr_magic = 0xDD6CD31205DFF127;
inline constexpr std::uint64_t reserved_end = 4096;
inline constexpr std::uint64_t least_graph_file_bytes = 4112;
/// Set in the codes of formats since DGL 1.0.
inline constexpr std::uint64_t code_of_bits = std::uint64_t{1} << 32;

// --- writing
// ----------------------------------------------------------------------------------------

/// A graph before its data: what decides the bytes around them. `item` is what its sections carry.
struct relation_plan {
  std::string name{};
  type_id source = 0;
  type_id target = 0;
  std::uint64_t edges = 0;
  dtype ids = dtype::int64;
  sparse_formats stored{};
  sparse_formats allowed = sparse_formats::all();
  bool csr_edges = true;  ///< false: null, edge IDs are positions
  bool csc_edges = true;
  std::size_t item = 0;
  std::vector<tensor_plan> columns{};
};
struct node_type_plan {
  std::string name{};
  std::uint64_t nodes = 0;
  std::vector<tensor_plan> columns{};
};
struct graph_plan {
  std::vector<node_type_plan> node_types{};
  std::vector<relation_plan> relations{};
};

inline void put_integers(layout_builder& out, std::span<const std::int64_t> values) {
  const std::uint64_t shape[] = {values.size()};
  put_array_header(out, dtype::int64, shape);
  for (const std::int64_t value : values) out.number(value);
}

inline void put_metagraph(layout_builder& out, std::size_t vertices,
                          std::span<const std::pair<type_id, type_id>> edges) {
  std::vector<std::int64_t> indptr{0}, indices, data;
  for (std::size_t row = 0; row < vertices; ++row) {
    for (std::size_t e = 0; e < edges.size(); ++e) {
      if (edges[e].first != row) continue;
      indices.push_back(edges[e].second);
      data.push_back(static_cast<std::int64_t>(e));
    }
    indptr.push_back(static_cast<std::int64_t>(indices.size()));
  }
  out.number(metagraph_magic).number(csr_magic);
  out.number(static_cast<std::uint64_t>(vertices)).number(static_cast<std::uint64_t>(vertices));
  put_integers(out, indptr);
  put_integers(out, indices);
  put_integers(out, data);
  out.number(std::uint8_t{0});
}

inline void put_unit_metagraph(layout_builder& out, const relation_plan& plan) {
  const std::pair<type_id, type_id> edge{0, plan.source == plan.target ? 0 : 1};
  put_metagraph(out, plan.source == plan.target ? 1 : 2, std::span(&edge, 1));
}

inline void put_column(layout_builder& out, column what, std::size_t item, dtype type,
                       std::uint64_t count) {
  const std::uint64_t shape[] = {count};
  put_array_header(out, type, shape);
  out.array(what, item, type, {count});
}

inline void put_compressed(layout_builder& out, const relation_plan& plan, column by,
                           std::uint64_t rows, std::uint64_t columns, bool explicit_edges) {
  put_unit_metagraph(out, plan);
  out.number(csr_magic).number(columns).number(rows);
  put_column(out, by, plan.item, plan.ids, rows + 1);
  put_column(out, static_cast<column>(static_cast<int>(by) + 1), plan.item, plan.ids, plan.edges);
  if (explicit_edges)
    put_column(out, static_cast<column>(static_cast<int>(by) + 2), plan.item, plan.ids, plan.edges);
  else
    put_integers(out, {});
  out.number(std::uint8_t{0});
}

inline void put_graph(layout_builder& out, const graph_plan& graph) {
  std::vector<std::pair<type_id, type_id>> ends;
  for (const auto& relation : graph.relations) ends.emplace_back(relation.source, relation.target);
  out.number(heterograph_magic);
  put_metagraph(out, graph.node_types.size(), ends);
  out.number(static_cast<std::uint64_t>(graph.relations.size()));
  for (const auto& relation : graph.relations) {
    const std::uint64_t sources = graph.node_types[relation.source].nodes,
                        targets = graph.node_types[relation.target].nodes;
    out.number(relation_magic)
        .number(code_of_bits | relation.stored.bits)
        .number(code_of_bits | relation.allowed.bits);
    if (relation.stored.has(sparse_format::coo)) {
      put_unit_metagraph(out, relation);
      out.number(coo_magic).number(targets).number(sources);
      put_column(out, column::coo_source, relation.item, relation.ids, relation.edges);
      put_column(out, column::coo_target, relation.item, relation.ids, relation.edges);
      put_integers(out, {});
      // "Not sorted" is always true enough; a wrong "sorted" makes DGL convert wrongly.
      out.number(std::uint8_t{0}).number(std::uint8_t{0});
    }
    if (relation.stored.has(sparse_format::csr)) {
      put_compressed(out, relation, column::csr_offsets, sources, targets, relation.csr_edges);
    }
    if (relation.stored.has(sparse_format::csc)) {
      put_compressed(out, relation, column::csc_offsets, targets, sources, relation.csc_edges);
    }
  }
  out.number(static_cast<std::uint64_t>(graph.node_types.size()));
  for (const auto& type : graph.node_types) out.number(type.nodes);
  out.number(static_cast<std::uint64_t>(graph.node_types.size()));
  for (const auto& type : graph.node_types) put_named_arrays(out, type.columns);
  out.number(static_cast<std::uint64_t>(graph.relations.size()));
  for (const auto& relation : graph.relations) put_named_arrays(out, relation.columns);
  out.number(static_cast<std::uint64_t>(graph.node_types.size()));
  for (const auto& type : graph.node_types) put_string(out, type.name);
  out.number(static_cast<std::uint64_t>(graph.relations.size()));
  for (const auto& relation : graph.relations) put_string(out, relation.name);
}

inline file_layout layout_graphs(std::string file, std::span<const graph_plan> graphs,
                                 std::vector<tensor_plan> labels) {
  layout_builder head(file);
  put_named_arrays(head,
                   labels);  // measured first: the place of the first graph stands before them
  layout_builder out(std::move(file));
  out.number(graphs_magic)
      .number(std::uint64_t{2})
      .number(std::uint64_t{2})
      .number(static_cast<std::uint64_t>(graphs.size()));
  out.align(reserved_end).number(reserved_end + 8 + head.position());
  put_named_arrays(out, std::move(labels));
  std::vector<std::uint64_t> places;
  for (const auto& graph : graphs) {
    places.push_back(out.position());
    put_graph(out, graph);
  }
  const auto index_bytes = static_cast<std::uint64_t>(8 + 8 * graphs.size());
  out.number(index_bytes).number(static_cast<std::uint64_t>(graphs.size()));
  for (const std::uint64_t place : places) out.number(place);
  out.number(index_bytes);
  return std::move(out).finish();
}

/// The plan of a graph in memory, its tensors appended to `payload`; refuses what no reader would
/// accept.
inline graph_plan plan_of(const graph_data& graph, std::vector<tensor>& payload) {
  const auto refuse = [](const relation_data& relation, const std::string& sentence) {
    raise(errc::mismatch, "relation " + graph_schema::quoted(relation.name) + ": " + sentence);
  };
  const auto columns_of = [&](const std::vector<named_tensor>& columns, std::uint64_t rows) {
    std::vector<tensor_plan> plans;
    for (const auto& one : columns) {
      if (one.value.rank() == 0 || one.value.rows() != rows) {
        raise(errc::mismatch, "column " + graph_schema::quoted(one.name) + " has shape " +
                                  to_string(one.value.shape()) + "; it must have " +
                                  std::to_string(rows) + " rows");
      }
      plans.push_back(
          {one.name, one.value.type(), one.value.shape(), column::node_feature, payload.size()});
      payload.push_back(one.value);
    }
    return plans;
  };
  graph_plan plan;
  for (const auto& type : graph.node_types)
    plan.node_types.push_back({type.name, type.nodes, columns_of(type.columns, type.nodes)});
  for (const auto& relation : graph.relations) {
    if (relation.source >= graph.node_types.size() || relation.target >= graph.node_types.size()) {
      refuse(relation, "its end types must be below " + std::to_string(graph.node_types.size()));
    }
    const std::uint64_t sources = graph.node_types[relation.source].nodes,
                        targets = graph.node_types[relation.target].nodes;
    relation_plan made{relation.name, relation.source,   relation.target,  relation.edges,
                       dtype::int64,  relation.stored(), relation.allowed, true,
                       true,          payload.size(),    columns_of({}, 0)};
    if (made.stored.empty()) refuse(relation, "it must be there as coo, csr or csc");
    const auto require = [&](std::optional<structure_fault> found, std::uint64_t edges) {
      if (found) refuse(relation, found->sentence);
      if (edges != relation.edges) {
        refuse(relation, "it is said to have " + std::to_string(relation.edges) +
                             " edges, but has " + std::to_string(edges));
      }
    };
    if (relation.coo) {
      require(check_coo(*relation.coo, sources, targets), relation.coo->source.rows());
      made.ids = relation.coo->source.type();
    }
    if (relation.csr) {
      require(check_compressed(*relation.csr, column::csr_offsets, sources, targets),
              relation.csr->neighbors.rows());
      made.csr_edges = relation.csr->edges.rows() != 0;
      made.ids = relation.csr->offsets.type();
    }
    if (relation.csc) {
      require(check_compressed(*relation.csc, column::csc_offsets, targets, sources),
              relation.csc->neighbors.rows());
      made.csc_edges = relation.csc->edges.rows() != 0;
      made.ids = relation.csc->offsets.type();
    }
    require(check_agreement(relation.coo, relation.csr, relation.csc), relation.edges);
    if (made.ids != dtype::int32) made.ids = dtype::int64;  // DGL knows these two
    // Eight places, in the order of `column`, so that a section finds its tensor.
    const compressed_columns none{};
    const compressed_columns &csr = relation.csr ? *relation.csr : none,
                             &csc = relation.csc ? *relation.csc : none;
    const coo_columns coo = relation.coo.value_or(coo_columns{});
    for (const tensor* one : {&coo.source, &coo.target, &csr.offsets, &csr.neighbors, &csr.edges,
                              &csc.offsets, &csc.neighbors, &csc.edges}) {
      payload.push_back(*one);
    }
    made.columns = columns_of(relation.columns, relation.edges);
    plan.relations.push_back(std::move(made));
  }
  return plan;
}

// --- reading
// ----------------------------------------------------------------------------------------

/// Reads the records of a graph file; `in` names the byte of each fault.
class graph_reader {
 public:
  graph_reader(const file_bytes& data, const std::string& file, strictness how)
      : data_(data), in_(data, file, how) {}

  graph_file read(std::optional<std::span<const std::uint64_t>> chosen) {
    if (kind_of(data_.bytes) == file_kind::tensors) {
      in_.malformed("this is a DGL tensor dictionary, where a DGL graph file is needed");
    }
    in_.magic(graphs_magic, "DGL graph file");
    if (const auto version = in_.number<std::uint64_t>("the version"); version == 1) {
      in_.fail(
          errc::unsupported,
          "this graph file is of version 1, written before DGL 0.5; load it with DGL and save it "
          "anew, which makes version 2",
          8);
    } else if (version != 2) {
      in_.fail(errc::unsupported,
               "this graph file is of version " + std::to_string(version) + "; version 2 is read",
               8);
    }
    if (const auto kind = in_.number<std::uint64_t>("the kind of graph"); kind != 2) {
      in_.malformed("the kind of graph is " + std::to_string(kind) +
                    "; it must be 2 (heterogeneous)");
    }
    const auto graphs = in_.number<std::uint64_t>("the number of graphs");
    if (in_.size() < least_graph_file_bytes) {
      in_.fail(errc::truncated,
               "a graph file has at least 4112 bytes, this one has " + std::to_string(in_.size()),
               in_.size());
    }
    if (graphs > (in_.size() - least_graph_file_bytes) / 8) {
      in_.fail(errc::truncated,
               "the number of graphs is " + std::to_string(graphs) + ", more than " +
                   std::to_string(in_.size()) + " bytes can hold",
               24);
    }
    in_.seek(reserved_end);
    const auto start = in_.number<std::uint64_t>("the place of the first graph");
    graph_file found;
    found.labels = in_.named_arrays("the number of labels");
    if (start < least_graph_file_bytes || (in_.strict() && start != in_.position())) {
      in_.fail(errc::malformed,
               "the first graph is said to be at byte " + std::to_string(start) +
                   "; the labels end at byte " + std::to_string(in_.position()),
               reserved_end);
    }
    if (start > in_.size()) {
      in_.fail(errc::truncated,
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
            in_.fail(errc::malformed,
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
        in_.fail(errc::out_of_range,
                 "graph " + std::to_string(i) + " is asked for; the file has " +
                     std::to_string(graphs) + ", numbered from 0",
                 24);
      }
      const std::uint64_t place = index[static_cast<std::size_t>(i)];
      if (place < start || place > tail) {
        in_.fail(errc::malformed,
                 "graph " + std::to_string(i) + " is said to be at byte " + std::to_string(place) +
                     "; it must be between " + std::to_string(start) + " and " +
                     std::to_string(tail),
                 tail + 16 + 8 * i);
      }
      in_.seek(place);
      found.graphs.push_back(graph());
    }
    return found;
  }

 private:
  /// An array and the byte where its data start.
  struct placed {
    tensor values{};
    std::uint64_t at = 0;
  };
  struct adjacency {
    std::uint64_t rows = 0, columns = 0;
    std::uint64_t at = 0;              // of the record
    placed first{}, second{}, data{};  // indptr, indices, edge IDs; or row, col, edge IDs
  };

  placed array(std::string_view what) {
    placed out;
    out.values = in_.array(what);
    out.at = in_.position() - out.values.bytes().size();
    return out;
  }

  /// The byte of an element of one of the three arrays of an adjacency.
  static std::uint64_t byte_of(const adjacency& from, int which, std::uint64_t element) {
    const placed& one = which == 0 ? from.first : which == 1 ? from.second : from.data;
    return one.at + element * item_bytes(one.values.type());
  }
  void require(const std::optional<structure_fault>& found, const adjacency& from,
               column base) const {
    if (!found) return;
    const int which = static_cast<int>(found->what) - static_cast<int>(base);
    in_.fail(errc::malformed, found->sentence, byte_of(from, which, found->element));
  }

  /// Columns, rows and three arrays, common to coo and csr.
  adjacency matrix(std::uint64_t magic, std::string_view noun, const char* first,
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
  void flag() {
    if (in_.number<std::uint8_t>("a flag") > 1 && in_.strict())
      in_.malformed("a flag must be 0 or 1");
  }
  adjacency compressed() { return matrix(csr_magic, "csr matrix", "offsets", "indices"); }
  adjacency coo() {
    adjacency out = matrix(coo_magic, "coo matrix", "row numbers", "column numbers");
    flag();
    return out;
  }

  void require_compressed(const adjacency& from, column base) const {
    const compressed_columns parts{from.first.values, from.second.values, from.data.values};
    require(check_compressed(parts, base, from.rows, from.columns), from, base);
  }
  void require_id_type(const placed& one, const char* noun) const {
    const dtype type = one.values.type();
    if (type != dtype::int64 && type != dtype::int32) {
      in_.fail(errc::malformed,
               std::string(noun) + " are of dtype " + std::string(name(type)) +
                   "; they must be int32 or int64",
               one.at);
    }
  }

  /// End types by relation.
  std::vector<std::pair<type_id, type_id>> metagraph(std::uint64_t& vertices) {
    in_.magic(metagraph_magic, "metagraph");
    const adjacency meta = compressed();
    for (const placed* one : {&meta.first, &meta.second, &meta.data}) {
      if (one->values.type() != dtype::int64)
        in_.fail(errc::malformed, "a metagraph must be of int64", one->at);
    }
    if (meta.rows != meta.columns)
      in_.fail(errc::malformed, "a metagraph must have as many rows as columns", meta.at + 8);
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

  /// The metagraph in front of a section says nothing new.
  void unit_metagraph(bool loop) {
    const std::uint64_t at = in_.position();
    std::uint64_t vertices = 0;
    const auto ends = metagraph(vertices);
    if (!in_.strict()) return;
    const std::pair<type_id, type_id> only{0, loop ? 0 : 1};
    if (vertices != (loop ? 1u : 2u) || ends.size() != 1 || ends[0] != only) {
      in_.fail(
          errc::malformed,
          loop ? "the metagraph of a relation within one node type must be one vertex with a loop"
               : "the metagraph of a relation between two node types must be one edge from 0 to 1",
          at);
    }
  }

  sparse_formats formats(std::string_view what, bool stored) {
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

  /// Both numbers of nodes; they are known only behind the relations.
  struct shape_claim {
    std::uint64_t sources, targets, at;
  };

  relation_data relation(std::pair<type_id, type_id> ends, shape_claim& claim) {
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
            errc::malformed,
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
      require(check_coo(*out.coo, from.rows, from.columns), from, column::coo_source);
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
    if (!any) in_.fail(errc::malformed, "a relation must be stored in at least one format", at);
    return out;
  }

  /// Put the edges of a coo with explicit edge IDs in the order of their IDs.
  void reorder(coo_columns& edges, const adjacency& from) const {
    const tensor& ids = from.data.values;
    const auto wrong = [&](const structure_fault& found) {
      in_.fail(errc::malformed, found.sentence, byte_of(from, 2, found.element));
    };
    if (ids.rank() != 1 || ids.rows() != edges.source.rows()) {
      wrong({column::coo_source, 0,
             "there are " + std::to_string(ids.rows()) + " edge IDs for " +
                 std::to_string(edges.source.rows()) + " edges; there must be as many, or none"});
    }
    if (const auto found = halograph::detail::check_permutation(ids, column::coo_source,
                                                                "edge IDs"))
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

  std::uint64_t same_count(std::string_view what, std::uint64_t expected, std::string_view of,
                           std::uint64_t least) {
    const std::uint64_t found = in_.count(what, least);
    if (found != expected) {
      in_.malformed(std::string(what) + " is " + std::to_string(found) + ", but there are " +
                    std::to_string(expected) + " " + std::string(of));
    }
    return found;
  }

  std::vector<named_tensor> columns(std::uint64_t rows, const char* noun) {
    const std::uint64_t at = in_.position();
    auto found = in_.named_arrays("a number of columns");
    for (const auto& one : found) {
      if (one.value.rank() == 0 || one.value.rows() != rows) {
        in_.fail(errc::malformed,
                 "column " + graph_schema::quoted(one.name) + " has shape " +
                     to_string(one.value.shape()) + "; it must have one row for each of " +
                     std::to_string(rows) + " " + noun,
                 at);
      }
    }
    return found;
  }

  graph_data graph() {
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
        in_.fail(errc::malformed,
                 "relation " + std::to_string(r) + " leads from " +
                     std::to_string(claims[r].sources) + " to " +
                     std::to_string(claims[r].targets) + " nodes, but its end types have " +
                     std::to_string(sources) + " and " + std::to_string(targets),
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

  /// Where the index starts, found from the end of the file.
  std::uint64_t find_index() {
    in_.seek(in_.size() - 8);
    const auto bytes = in_.number<std::uint64_t>("the size of the index");
    if (bytes > in_.size() - 16 - reserved_end) {
      in_.fail(errc::malformed,
               "the index is said to have " + std::to_string(bytes) + " bytes, more than the file",
               in_.size() - 8);
    }
    return in_.size() - 16 - bytes;
  }

  /// @pre graphs were checked against the size of the file
  std::vector<std::uint64_t> read_index(std::uint64_t graphs, std::uint64_t tail) {
    const std::uint64_t expected = 8 + 8 * graphs;
    const auto size = [&] {
      if (const auto found = in_.number<std::uint64_t>("the size of the index");
          found != expected) {
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
      in_.fail(errc::malformed,
               std::to_string(in_.left()) + " bytes follow the index; the file must end there",
               in_.position());
    }
    return places;
  }

  const file_bytes& data_;
  cursor in_;
};

}  // namespace detail

/// Write graphs in memory as one file; equal content makes equal bytes.
/// @errors mismatch: what no reader would accept (an ID out of range, a column of the wrong length,
///     formats of different edges), in a sentence; exists: two columns of one name; those of the
///     sink
/// @complexity O(nodes + edges)
template <byte_sink Sink>
void write_graphs(Sink& sink, const graph_file& content, std::string file = "graph.dgl") {
  std::vector<tensor> payload;
  std::vector<detail::graph_plan> graphs;
  for (const auto& graph : content.graphs) graphs.push_back(detail::plan_of(graph, payload));
  std::vector<tensor_plan> labels;
  for (const auto& one : content.labels) {
    labels.push_back(
        {one.name, one.value.type(), one.value.shape(), column::node_feature, payload.size()});
    payload.push_back(one.value);
  }
  save(detail::layout_graphs(std::move(file), graphs, std::move(labels)), sink,
       [&](const section& target) -> const tensor& {
         const bool structural = target.what <= column::csc_edges;
         return payload[target.item + (structural ? static_cast<std::size_t>(target.what) : 0)];
       });
}

/// Read all graphs of a file. Tensors are views that keep `data.owner` alive; a coo with edge IDs
/// of its own is put in their order. Everything is checked: sizes, counts, IDs, offsets, edge IDs,
/// and (strict) that the formats of a relation hold the same edges, as agreement::by_sum says.
/// @param file  what errors call it
/// @errors malformed, truncated, at a byte; unsupported: version 1, or one from the future
/// @complexity O(nodes + edges)
inline graph_file read_graphs(const file_bytes& data, const std::string& file,
                              strictness how = strictness::strict) {
  return detail::graph_reader(data, file, how).read(std::nullopt);
}

/// Read the graphs at some positions, in that order, repeats allowed; labels are always there in
/// full.
/// @errors as read_graphs(); out_of_range: a position beyond the last graph
/// @complexity that of the graphs asked for
inline graph_file read_graphs_at(const file_bytes& data, const std::string& file,
                                 std::span<const std::uint64_t> positions,
                                 strictness how = strictness::strict) {
  return detail::graph_reader(data, file, how).read(positions);
}

}  // namespace halograph::dgl
