// SPDX-License-Identifier: BSL-1.0
/// @file convert.hpp
/// The parts that ParMETIS wrote as text, read back as one graph and its assignment, and made into
/// a partition folder.
/// Layer: parmetis. Words: README.md. The format is described in parmetis/files.hpp.
///
/// The folder is, byte for byte, what partition_graph writes for the whole graph with that
/// assignment: IDs in a (part, type) cell follow the original ones, in whatever order the files
/// list them.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/radix_sort.hpp>
#include <halograph/folder/targets.hpp>
#include <halograph/io/dataset.hpp>
#include <halograph/parmetis/attributes.hpp>
#include <halograph/parmetis/files.hpp>
#include <halograph/parmetis/parts_reader.hpp>
#include <halograph/partition/given.hpp>
#include <halograph/pipeline/partition_graph.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/path.hpp>
#include <halograph/serial/text/cursor.hpp>
#include <halograph/serial/text/edges.hpp>
#include <halograph/serial/text/pieces.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

/// The graph of all parts together, and its assignment.
template <id Node = std::uint64_t, id Edge = std::uint64_t>
struct parmetis_parts {
  dataset<Node, Edge> data{};    ///< finished; edges of a type ascend by original ID
  std::vector<part_id> owner{};  ///< [V] by original ID
  /// removed edges that were restored: all that the file lists
  std::uint64_t restored = 0;
  /// edges that the schema counts but no file has: IDs without a row
  std::uint64_t missing = 0;
  /// edges with IDs beyond the schema's counts; they are in the graph as well
  std::uint64_t uncounted = 0;
  /// [R] original typed IDs of the edges, ascending; empty if they are 0, 1, 2, ...
  std::vector<std::vector<std::uint64_t>> edge_ids{};
};

namespace detail {

/// Reads all parts into memory.
template <id Node, id Edge>
class parmetis_parts_collector : parmetis_parts_reader<Node> {
  using base = parmetis_parts_reader<Node>;
  using base::any, base::nobody;
  using base::folder_, base::names_, base::schema_, base::options_, base::open_, base::executor_;
  using base::node_files_, base::edge_files_, base::old_of_new_, base::node_places_, base::ends_;
  using typename base::edge_rows, typename base::node_rows;

 public:
  using base::base;

  parmetis_parts<Node, Edge> read() {
    base::check_options(id_capacity<Node>(), 8 * sizeof(Node));
    read_nodes();
    base::join_types();
    relations_.resize(ends_.size());
    for (std::uint64_t p = 0; p < options_.parts; ++p) {
      base::tell(options_.parts + p);
      read_part_edges(p);
    }
    if (!options_.removed_edges.empty()) read_removed();
    base::tell(2 * options_.parts);
    assemble();
    return std::move(out_);
  }

 private:
  struct relation_rows {
    std::vector<std::uint64_t> ids{};
    std::vector<Node> source{}, target{};  // typed
    std::vector<std::uint64_t> places{};   // of the attributes, where asked for
  };

  void read_nodes() {
    const std::uint64_t nodes = schema_.num_nodes();
    std::vector<node_rows> parts;
    std::vector<std::uint64_t> found(schema_.node_types.size());
    for (std::uint64_t p = 0; p < options_.parts; ++p) {
      base::tell(p);
      parts.push_back(
          this->read_node_rows(node_files_.open(path_in(folder_, names_.part_nodes(p)), open_), p));
      base::count_types(parts.back(), found);
    }
    // Before allocating by the schema's counts.
    base::check_found(found);
    out_.owner.assign(static_cast<std::size_t>(nodes), nobody);
    old_of_new_.resize(static_cast<std::size_t>(nodes));
    if (options_.node_attributes) node_places_.resize(static_cast<std::size_t>(nodes));
    std::uint64_t next = 0;
    bool reordered = false;
    for (std::uint64_t p = 0; p < options_.parts; ++p) {
      node_rows& part = parts[static_cast<std::size_t>(p)];
      const kept_texts::entry& from = node_files_[static_cast<std::size_t>(p)];
      for (std::size_t i = 0; i < part.fresh.size(); ++i, ++next) {
        base::check_order(part, i, next, from);
        reordered |= base::is_reordered(part, i);
        const auto old = static_cast<std::size_t>(schema_.node_ranges[part.type[i]].begin +
                                                  part.typed[i]);
        if (out_.owner[old] != nobody)
          base::refuse_second_node(old, out_.owner[old],
                                   line_at(from.text(), part.row[i], from.file));
        out_.owner[old] = static_cast<part_id>(p);
        old_of_new_[static_cast<std::size_t>(next)] = static_cast<Node>(old);
        if (options_.node_attributes) node_places_[old] = part.attributes[i];
      }
      part = {};
    }
    if (reordered) out_.data.notes.push_back(base::reordered_note());
  }

  /// Add an edge after checking its endpoints against its type.
  template <class Where>
  void add_edge(std::size_t r, std::uint64_t id, std::uint64_t u, std::uint64_t v,
                std::uint64_t place, const Where& where) {
    const auto from = static_cast<type_id>(schema_.node_type(u)),
               to = static_cast<type_id>(schema_.node_type(v));
    if (!ends_[r]) ends_[r] = std::pair{from, to};
    if (ends_[r]->first != from || ends_[r]->second != to)
      base::refuse_ends(r, {from, to}, where());
    auto& rows = relations_[r];
    rows.ids.push_back(id);
    rows.source.push_back(static_cast<Node>(u - schema_.node_ranges[from].begin));
    rows.target.push_back(static_cast<Node>(v - schema_.node_ranges[to].begin));
    if (options_.edge_attributes) rows.places.push_back(place);
  }

  /// @param part  of the file, whose rows also have new endpoints; nothing: the file of removed
  /// edges
  void read_edges(const std::string& file, std::optional<std::uint64_t> part,
                  std::uint64_t& count) {
    const kept_texts::entry& from = edge_files_.open(file, open_);
    const std::string_view text = from.text();
    const edge_rows rows = base::read_edge_rows(
        from, cut_text(text, base::shortest_edge_row(part.has_value()), executor_),
        part.has_value());
    const auto& ends = rows.ends;
    const auto &ids = rows.ids, &row = rows.row, &attributes = rows.attributes;
    const auto& type = rows.type;
    count = ids.size();
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const auto where = [&] { return line_at(text, row[i], file); };
      const auto u = static_cast<std::uint64_t>(ends[2][i]),
                 v = static_cast<std::uint64_t>(ends[3][i]);
      if (part) {
        for (const unsigned end : {0u, 1u}) {
          const auto fresh = static_cast<std::uint64_t>(ends[end][i]),
                     here = static_cast<std::uint64_t>(ends[end + 2][i]);
          const auto old = static_cast<std::uint64_t>(old_of_new_[static_cast<std::size_t>(fresh)]);
          if (old != here) base::refuse_new_id(fresh, old, here, where());
        }
        if (const part_id has = out_.owner[static_cast<std::size_t>(v)]; has != *part)
          base::refuse_part(has, *part, where());
      }
      add_edge(type[i], ids[i], u, v, attributes.empty() ? 0 : attributes[i], where);
    }
  }
  void read_part_edges(std::uint64_t part) {
    std::uint64_t rows = 0;
    read_edges(path_in(folder_, names_.part_edges(part)), part, rows);
    base::check_stats(part, rows, false);
  }
  void read_removed() {
    // The file is beside the parts, or where it was exported.
    read_edges(options_.removed_edges, std::nullopt, out_.restored);
  }

  void assemble() {
    out_.data.name = names_.graph;
    out_.data.schema = base::describe_types();
    for (const auto& ids : schema_.node_ranges) out_.data.node_counts.push_back(ids.size());
    out_.edge_ids.resize(relations_.size());
    for (std::size_t r = 0; r < relations_.size(); ++r) order_relation(r);
    if (options_.node_attributes) read_attributes(true);
    if (options_.edge_attributes) read_attributes(false);
    base::note_counts(out_.missing, out_.uncounted, out_.data.notes);
    out_.data.finish();
  }

  /// Sort the edges of a relation by ID.
  void order_relation(std::size_t r) {
    auto& rows = relations_[r];
    const std::size_t count = rows.ids.size();
    const std::uint64_t counted = schema_.edge_ranges[r].size();
    std::uint64_t bound = 0,
                  inside = 0;  // the largest ID plus one; rows with IDs that the schema counts
    for (const auto id : rows.ids) {
      bound = std::max(bound, id + 1);
      inside += id < counted ? 1u : 0u;
    }
    edge_columns<Node> columns;
    columns.source.resize(count);
    columns.target.resize(count);
    std::vector<std::uint64_t> places(rows.places.size());
    const auto put = [&](std::size_t at, std::size_t i) {
      columns.source[at] = rows.source[i];
      columns.target[at] = rows.target[i];
      if (!places.empty()) places[at] = rows.places[i];
    };
    const auto refuse_second = [&](std::uint64_t id) {
      base::refuse_second_edge(r, id, base::second_row(r, id));
    };
    if (bound <= count) {
      std::vector<bool> seen(count);
      for (std::size_t i = 0; i < count; ++i) {
        const auto at = static_cast<std::size_t>(rows.ids[i]);
        if (seen[at]) refuse_second(rows.ids[i]);
        seen[at] = true;
        put(at, i);
      }
    } else {
      struct numbered {
        std::uint64_t id;
        std::size_t row;
      };
      std::vector<numbered> order(count), scratch(count);
      for (std::size_t i = 0; i < count; ++i) order[i] = {rows.ids[i], i};
      radix_sort(
          std::span(order), std::span(scratch), [](const numbered& one) { return one.id; },
          bound - 1);
      auto& ids = out_.edge_ids[r];
      ids.resize(count);
      for (std::size_t i = 0; i < count; ++i) {
        if (i != 0 && order[i].id == order[i - 1].id) refuse_second(order[i].id);
        ids[i] = order[i].id;
        put(i, order[i].row);
      }
    }
    out_.missing += counted - inside;
    out_.uncounted += count - inside;
    rows = {};
    rows.places = std::move(places);
    out_.data.edges.push_back(std::move(columns));
  }

  void read_attributes(bool of_nodes) {
    const std::size_t types = of_nodes ? schema_.node_types.size() : schema_.edge_names.size();
    auto& features = of_nodes ? out_.data.features.nodes : out_.data.features.edges;
    for (std::size_t t = 0; t < types; ++t) {
      const std::span<const std::uint64_t> places =
          of_nodes ? std::span<const std::uint64_t>(node_places_)
                         .subspan(static_cast<std::size_t>(schema_.node_ranges[t].begin),
                                  static_cast<std::size_t>(schema_.node_ranges[t].size()))
                   : std::span<const std::uint64_t>(relations_[t].places);
      base::read_attributes_of(of_nodes, t, places, features);
    }
  }

  std::vector<relation_rows> relations_{};
  parmetis_parts<Node, Edge> out_{};
};

}  // namespace detail

/// Read `p000-X_nodes.txt`, `p000-X_edges.txt` and so on of all parts (the number has three digits
/// or more), and the edges that were removed before.
///
/// Every removed edge is restored: its target is in some part. Attributes become features: as the
/// schema describes them, or as DGL's script names them, one feature "feat" [n, columns] for each
/// type.
///
/// @param folder   of the parts
/// @param graph    X
/// @param schema   types and their IDs; where it does not declare the node types of an edge type,
///     the first edge decides
/// @param open     opens files
/// @errors         not_found; malformed, out_of_range, mismatch, exists with file and line: an
/// invalid row, new IDs that do not increase by one, a node or edge that occurs twice, an edge in
///     the wrong part or whose endpoints do not match its type; overflow: Node or Edge is too
///     narrow
/// @complexity     O(bytes) time; memory: 29 bytes a node, 24 an edge with 32-bit IDs, and the
///     attributes as tensors
/// @source         formats: ParMETIS files, section 7
template <id Node = std::uint64_t, id Edge = std::uint64_t>
parmetis_parts<Node, Edge> read_parmetis_parts(const std::string& folder, const std::string& graph,
                                               const parmetis_schema& schema,
                                               const parmetis_parts_options& options,
                                               const any_file_opener& open,
                                               executor_ref executor = {}) {
  return detail::parmetis_parts_collector<Node, Edge>(folder, graph, schema, options, open,
                                                      executor)
      .read();
}

#if HALOGRAPH_COMPILED
// Instantiated in the compiled library (impl/widths.ipp).
extern template parmetis_parts<std::uint32_t, std::uint32_t>
read_parmetis_parts<std::uint32_t, std::uint32_t>(const std::string&, const std::string&,
                                                  const parmetis_schema&,
                                                  const parmetis_parts_options&,
                                                  const any_file_opener&, executor_ref);
extern template parmetis_parts<std::uint64_t, std::uint64_t>
read_parmetis_parts<std::uint64_t, std::uint64_t>(const std::string&, const std::string&,
                                                  const parmetis_schema&,
                                                  const parmetis_parts_options&,
                                                  const any_file_opener&, executor_ref);
#endif

/// Write the parts read by read_parmetis_parts as a partition folder: partition_graph with their
/// assignment.
/// @errors as partition_graph
template <id Node, id Edge, partition_target Target>
partition_result convert_parmetis(const parmetis_parts<Node, Edge>& in, std::uint64_t parts,
                                  const Target& target, partition_options options) {
  if (options.part_method.empty()) options.part_method = "metis";
  return partition_graph(in.data, given{.parts = parts, .owners = in.owner}, target, options);
}

}  // namespace halograph
