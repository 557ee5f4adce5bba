// SPDX-License-Identifier: BSL-1.0
/// @file convert.hpp
/// The parts that ParMETIS wrote as text (parmetis_files.hpp), read back as one graph and its
/// assignment, and made into a partition folder.
/// Layer: parmetis. Words: README.md.
///
/// What comes out is what partition_graph makes of the whole graph with that assignment, in every
/// byte: IDs in a (part, type) cell follow the original ones, whatever order the files list them
/// in.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/core/radix_sort.hpp>
#include <halograph/io/dataset.hpp>
#include <halograph/parmetis/files.hpp>
#include <halograph/partition/given.hpp>
#include <halograph/pipeline/partition_graph.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/feature_store.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/path.hpp>
#include <halograph/serial/half.hpp>
#include <halograph/serial/tensor.hpp>
#include <halograph/serial/text/cursor.hpp>
#include <halograph/serial/text/edges.hpp>
#include <halograph/serial/text/lines.hpp>
#include <halograph/serial/text/pieces.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace halograph {

/// How to understand the files of parts.
struct parmetis_parts_options {
  std::uint64_t parts = 1;
  std::uint64_t weights = 1;     ///< weight columns in the node rows
  std::string removed_edges{};   ///< path of the file of removed edges; "": none were
  bool node_attributes = false;  ///< read the columns behind a node's ID as features
  bool edge_attributes = false;  ///< read the columns behind an edge's type as features
  std::optional<dtype> node_attribute_type{};  ///< of all node attributes; else what the schema
                                               ///< says; else int64 where
  std::optional<dtype>
      edge_attribute_type{};  ///< all columns of a type are integers, and float64 where one is not
  progress_callback on_progress{};
};

/// The graph of all parts together, and who has what.
template <id Node = std::uint64_t, id Edge = std::uint64_t>
struct parmetis_parts {
  dataset<Node, Edge> data{};
  std::vector<part_id> owner{};  ///< [V] by original ID
  /// removed edges that are in the graph again: all that the file lists
  std::uint64_t restored = 0;
  /// edges that the schema counts and no file has: IDs of their types without a row
  std::uint64_t missing = 0;
  /// edges with IDs that the schema does not count; they are in the graph, too
  std::uint64_t uncounted = 0;
  /// [R] original typed IDs of the edges, ascending; empty where they are 0, 1, 2, ...
  std::vector<std::vector<std::uint64_t>> edge_ids{};
};

namespace detail {

/// Take an attribute as an element of a dtype; on a fault the cursor stays.
inline text_fault take_element(text_cursor& cursor, dtype type, std::byte* out) noexcept {
  const auto store = [&](auto value) {
    std::memcpy(out, &value, sizeof value);
    return text_fault::none;
  };
  const text_cursor begin = cursor;
  const auto integer = [&](auto least_and_type, std::int64_t most) {
    using T = decltype(least_and_type);
    std::int64_t value = 0;
    if (const auto fault = cursor.signed_number(value); fault != text_fault::none) return fault;
    if (value >= static_cast<std::int64_t>(std::numeric_limits<T>::min()) && value <= most)
      return store(static_cast<T>(value));
    cursor = begin;
    return text_fault::out_of_range;
  };
  const auto floating = [&](auto kind, double& value) {
    using T = decltype(kind);
    const char* const digits = cursor.at() != cursor.end() && *cursor.at() == '+' ? cursor.at() + 1
                                                                                  : cursor.at();
    T read = 0;
    const auto [ptr, problem] = std::from_chars(digits, cursor.end(), read);
    if (problem == std::errc{}) {
      text_cursor behind(ptr, cursor.end(), parmetis_text);
      if (behind.at_column_end()) {
        cursor = behind;
        value = static_cast<double>(read);
        return text_fault::none;
      }
    }
    // Too small to be told from 0, too large, or no number: as everywhere.
    if (const auto fault = cursor.floating_number(value); fault != text_fault::none) return fault;
    if (std::isfinite(static_cast<T>(value))) return text_fault::none;
    cursor = begin;
    return text_fault::overflow;
  };
  double value = 0;
  text_fault fault = text_fault::none;
  switch (type) {
    case dtype::int8:
      return integer(std::int8_t{}, std::numeric_limits<std::int8_t>::max());
    case dtype::int16:
      return integer(std::int16_t{}, std::numeric_limits<std::int16_t>::max());
    case dtype::int32:
      return integer(std::int32_t{}, std::numeric_limits<std::int32_t>::max());
    case dtype::int64:
      return integer(std::int64_t{}, std::numeric_limits<std::int64_t>::max());
    case dtype::uint8:
      return integer(std::uint8_t{}, std::numeric_limits<std::uint8_t>::max());
    case dtype::boolean:
      return integer(std::uint8_t{}, 1);
    case dtype::uint16:
      return integer(std::uint16_t{}, std::numeric_limits<std::uint16_t>::max());
    case dtype::uint32:
      return integer(std::uint32_t{}, std::numeric_limits<std::uint32_t>::max());
    case dtype::uint64: {
      std::uint64_t number = 0;
      fault = cursor.unsigned_number(number);
      return fault == text_fault::none ? store(number) : fault;
    }
    case dtype::float64:
      fault = floating(double{}, value);
      return fault == text_fault::none ? store(value) : fault;
    case dtype::float32:
      fault = floating(float{}, value);
      return fault == text_fault::none ? store(static_cast<float>(value)) : fault;
    case dtype::float16:
    case dtype::bfloat16:
      // As a double, so that it is rounded once; what no float holds is too large for these, too.
      fault = floating(double{}, value);
      if (fault != text_fault::none) return fault;
      if (std::isfinite(value) && !std::isfinite(static_cast<float>(value))) {
        cursor = begin;
        return text_fault::overflow;
      }
      return store(type == dtype::float16 ? half_from_double(value) : bfloat16_from_double(value));
  }
  return text_fault::not_a_number;
}

template <id Node, id Edge, class Opener, class Executor>
class parmetis_parts_reader {
 public:
  parmetis_parts_reader(const std::string& folder, const std::string& graph,
                        const parmetis_schema& schema, const parmetis_parts_options& options,
                        const Opener& open, const Executor& executor)
      : folder_(folder),
        names_{graph},
        schema_(schema),
        options_(options),
        open_(open),
        executor_(executor) {}

  parmetis_parts<Node, Edge> read() {
    check_options();
    read_nodes();
    join_types();
    for (std::uint64_t p = 0; p < options_.parts; ++p) {
      tell(options_.parts + p);
      read_part_edges(p);
    }
    if (!options_.removed_edges.empty()) read_removed();
    tell(2 * options_.parts);
    assemble();
    return std::move(out_);
  }

 protected:
  void check_options() const {
    if (options_.parts == 0 || options_.parts > 0x7FFFFFFFu)
      raise(errc::invalid_argument, "the number of parts must be 1 to 2147483647");
    if (options_.weights > most_weights)
      raise(errc::out_of_range,
            std::to_string(options_.weights) + " weight columns are more than any ParMETIS takes");
    const std::uint64_t nodes = schema_.num_nodes();
    if (nodes >= id_capacity<Node>()) {
      raise(errc::overflow, std::to_string(nodes) + " nodes are more than node IDs of " +
                                std::to_string(8 * sizeof(Node)) +
                                " bits can number; use wider ones");
    }
  }
  /// What types of edges join, where the schema says it.
  void join_types() {
    relations_.resize(schema_.edge_names.size());
    ends_.resize(schema_.edge_names.size());
    for (std::size_t r = 0; r < ends_.size(); ++r) {
      if (const auto& type = schema_.edge_types[r])
        ends_[r] = {type_of(type->source), type_of(type->target)};
    }
  }

  static constexpr std::uint64_t most_weights = 256;
  static constexpr part_id nobody = static_cast<part_id>(id_capacity<part_id>() - 1);
  static constexpr std::uint64_t any = ~std::uint64_t{0};

  /// The text of one file, kept for its attributes.
  struct source_text {
    std::string file{};
    file_bytes content{};
    std::uint64_t base = 0;  // where its bytes begin among those of all
    std::string_view text() const noexcept { return as_text(content.bytes); }
  };
  struct relation_rows {
    std::vector<std::uint64_t> ids{};
    std::vector<Node> source{}, target{};  // typed
    std::vector<std::uint64_t> places{};   // of the attributes, where asked for
  };

  void tell(std::uint64_t done) const {
    if (options_.on_progress) options_.on_progress({"read", done, 2 * options_.parts, "files"});
  }
  type_id type_of(const std::string& node_type) const {
    return static_cast<type_id>(
        std::find(schema_.node_types.begin(), schema_.node_types.end(), node_type) -
        schema_.node_types.begin());
  }
  /// The file that has a byte, numbered among those of all: the last that begins at or before it.
  static std::size_t file_index(const std::vector<source_text>& files, std::uint64_t place) {
    const auto after = std::upper_bound(
        files.begin(), files.end(), place,
        [](std::uint64_t at, const source_text& one) { return at < one.base; });
    return static_cast<std::size_t>(after - files.begin()) - 1;
  }
  /// The line that has it.
  static location line_of(const std::vector<source_text>& files, std::uint64_t place) {
    const source_text& from = files[file_index(files, place)];
    return line_at(from.text(), place - from.base, from.file);
  }
  const source_text& open(std::vector<source_text>& all, const std::string& file) {
    const std::uint64_t base = all.empty() ? 0 : all.back().base + all.back().content.bytes.size();
    all.push_back({file, open_(file), base});
    return all.back();
  }

  /// What a part's stats file says, where there is one: the guide names it, ParMETIS writes none.
  void check_stats(std::uint64_t part, std::uint64_t rows, bool of_nodes) const {
    const std::string file = path_in(folder_, names_.part_stats(part));
    parmetis_stats stats;
    try {
      stats = read_parmetis_stats(file, open_);
    } catch (const error& problem) {
      if (problem.code() == errc::not_found) return;
      throw;
    }
    if (of_nodes && stats.weights != options_.weights) {
      raise(errc::mismatch,
            "there are " + std::to_string(stats.weights) + " weight columns, but " +
                std::to_string(options_.weights) + " are asked for",
            {.file = file, .line = 1});
    }
    const std::uint64_t said = of_nodes ? stats.nodes : stats.edges;
    if (said != rows) {
      raise(errc::mismatch,
            path_in(folder_, of_nodes ? names_.part_nodes(part) : names_.part_edges(part)) +
                " has " + std::to_string(rows) + " rows, this file says " + std::to_string(said),
            {.file = file, .line = 1});
    }
  }

  /// The rows of a part's nodes.
  struct node_rows {
    std::vector<std::uint64_t> fresh{}, typed{}, row{},
        behind{};  // row: the byte where it begins; behind: where its attributes do, among the
                   // bytes of all
    std::vector<std::uint32_t> type{};
  };
  node_rows read_node_rows(const source_text& from, std::uint64_t p) const {
    const auto weights = static_cast<std::size_t>(options_.weights);
    const std::uint64_t nodes = schema_.num_nodes(), types = schema_.node_types.size();
    const std::string_view text = from.text();
    auto pieces = cut_text(text, 2 * (weights + 3), executor_);
    node_rows out;
    const auto slots = slots_of(pieces);
    out.fresh.resize(slots);
    out.typed.resize(slots);
    out.row.resize(slots);
    out.type.resize(slots);
    if (options_.node_attributes) out.behind.resize(slots);
    parse_pieces(pieces, parmetis_text, executor_,
                 [&](text_cursor& cursor, std::size_t slot) -> text_problem {
                   const char* const begin = cursor.at();
                   std::uint64_t fresh = 0, type = 0, weight = 0, typed = 0;
                   unsigned column = 1;
                   if (const auto problem = take_id(cursor, column++, nodes, fresh);
                       problem.fault != text_fault::none)
                     return problem;
                   if (const auto problem = take_id(cursor, column++, types, type);
                       problem.fault != text_fault::none)
                     return problem;
                   for (std::size_t c = 0; c < weights; ++c) {
                     if (const auto problem = take_id(cursor, column++, any, weight);
                         problem.fault != text_fault::none)
                       return problem;
                   }
                   if (const auto problem = take_id(
                           cursor, column,
                           schema_.node_ranges[static_cast<std::size_t>(type)].size(), typed);
                       problem.fault != text_fault::none)
                     return problem;
                   out.fresh[slot] = fresh;
                   out.typed[slot] = typed;
                   out.type[slot] = static_cast<std::uint32_t>(type);
                   out.row[slot] = static_cast<std::uint64_t>(begin - text.data());
                   if (!out.behind.empty())
                     out.behind[slot] = static_cast<std::uint64_t>(cursor.at() - text.data()) +
                                        from.base;
                   return {};
                 });
    raise_first_problem(pieces, parmetis_text, from.file, [&](const text_problem& problem) {
      const auto upto = [](std::uint64_t limit) {
        return limit == 0 ? std::string(", of which there are none")
                          : ", an integer from 0 to " + std::to_string(limit - 1);
      };
      std::string sentence =
          problem.column == 1   ? "the node's new ID" + upto(nodes)
          : problem.column == 2 ? "a node type of the schema" + upto(types)
          : problem.column < weights + 3
              ? std::string("a weight, an integer from 0 on")
              : "the node's ID in its type, one of those that the schema counts, behind " +
                    std::to_string(weights) + " weights";
      return std::pair{std::move(sentence), errc::out_of_range};
    });
    for (auto* column : {&out.fresh, &out.typed, &out.row}) close_gaps(*column, pieces);
    close_gaps(out.type, pieces);
    if (options_.node_attributes) close_gaps(out.behind, pieces);
    check_stats(p, out.fresh.size(), true);
    return out;
  }

  static void count_types(const node_rows& part, std::vector<std::uint64_t>& found) {
    for (const auto type : part.type) ++found[type];
  }
  /// Too few nodes. Of too many one is there twice, which its row shows.
  /// @param found  of each type, in all parts
  void check_found(const std::vector<std::uint64_t>& found) const {
    std::uint64_t nodes = 0;
    for (const auto count : found) nodes += count;
    if (nodes >= schema_.num_nodes()) return;
    for (std::size_t t = 0; t < found.size(); ++t) {
      if (const std::uint64_t counted = schema_.node_ranges[t].size(); found[t] < counted) {
        raise(errc::mismatch,
              "the parts have " + std::to_string(found[t]) + " nodes of type " +
                  graph_schema::quoted(schema_.node_types[t]) + ", the schema counts " +
                  std::to_string(counted) + "; every node must be in one part",
              {.file = folder_});
      }
    }
  }
  /// A row of a part's nodes in its place: new IDs rise by one, types ascend.
  void check_order(const node_rows& part, std::size_t i, std::uint64_t next,
                   const source_text& from) const {
    if (part.fresh[i] != next) {
      raise(errc::mismatch,
            "the new ID is " + std::to_string(part.fresh[i]) + "; it must be " +
                std::to_string(next) + ": new IDs rise by one over all parts",
            line_at(from.text(), part.row[i], from.file));
    }
    if (i != 0 && part.type[i] < part.type[i - 1]) {
      raise(errc::mismatch,
            "a node of type " + std::to_string(part.type[i]) + " follows one of type " +
                std::to_string(part.type[i - 1]) + "; types ascend in a part",
            line_at(from.text(), part.row[i], from.file));
    }
  }
  static bool is_reordered(const node_rows& part, std::size_t i) {
    return i != 0 && part.type[i] == part.type[i - 1] && part.typed[i] < part.typed[i - 1];
  }
  /// @param old  ID over all types
  [[noreturn]] void refuse_second_node(std::uint64_t old, part_id has,
                                       const location& where) const {
    const std::size_t type = schema_.node_type(old);
    raise(errc::exists,
          "node " + std::to_string(old - schema_.node_ranges[type].begin) + " of type " +
              graph_schema::quoted(schema_.node_types[type]) +
              " is there for the second time; part " + std::to_string(has) + " has it already",
          where);
  }
  static std::string reordered_note() {
    return "the parts list nodes of one type out of order; the folder numbers them in their original order, so its IDs are not those of the files";
  }

  void read_nodes() {
    const std::uint64_t nodes = schema_.num_nodes();
    std::vector<node_rows> parts;
    std::vector<std::uint64_t> found(schema_.node_types.size());
    for (std::uint64_t p = 0; p < options_.parts; ++p) {
      tell(p);
      parts.push_back(read_node_rows(open(node_files_, path_in(folder_, names_.part_nodes(p))), p));
      count_types(parts.back(), found);
    }
    // Before memory is asked for by what the schema says.
    check_found(found);
    out_.owner.assign(static_cast<std::size_t>(nodes), nobody);
    old_of_new_.resize(static_cast<std::size_t>(nodes));
    if (options_.node_attributes) node_places_.resize(static_cast<std::size_t>(nodes));
    std::uint64_t next = 0;
    bool reordered = false;
    for (std::uint64_t p = 0; p < options_.parts; ++p) {
      node_rows& part = parts[static_cast<std::size_t>(p)];
      const source_text& from = node_files_[static_cast<std::size_t>(p)];
      for (std::size_t i = 0; i < part.fresh.size(); ++i, ++next) {
        check_order(part, i, next, from);
        reordered |= is_reordered(part, i);
        const auto old = static_cast<std::size_t>(schema_.node_ranges[part.type[i]].begin +
                                                  part.typed[i]);
        if (out_.owner[old] != nobody)
          refuse_second_node(old, out_.owner[old], line_at(from.text(), part.row[i], from.file));
        out_.owner[old] = static_cast<part_id>(p);
        old_of_new_[static_cast<std::size_t>(next)] = static_cast<Node>(old);
        if (options_.node_attributes) node_places_[old] = part.behind[i];
      }
      part = {};
    }
    if (reordered) out_.data.notes.push_back(reordered_note());
  }

  [[noreturn]] void refuse_ends(std::size_t r, const std::pair<type_id, type_id>& has,
                                const location& where) const {
    const auto name = [&](const std::pair<type_id, type_id>& ends) {
      return schema_.node_types[ends.first] + " to " + schema_.node_types[ends.second];
    };
    raise(errc::mismatch,
          "this edge of type " + graph_schema::quoted(schema_.edge_names[r]) + " goes from " +
              name(has) + ", the type joins " + name(*ends_[r]),
          where);
  }
  [[noreturn]] static void refuse_new_id(std::uint64_t fresh, std::uint64_t old, std::uint64_t here,
                                         const location& where) {
    raise(errc::mismatch,
          "new ID " + std::to_string(fresh) + " is original ID " + std::to_string(old) +
              " by the node files, here it is " + std::to_string(here),
          where);
  }
  [[noreturn]] static void refuse_part(std::uint64_t has, std::uint64_t part,
                                       const location& where) {
    raise(errc::mismatch,
          "the edge ends in a node of part " + std::to_string(has) +
              "; this file is for edges that end in part " + std::to_string(part),
          where);
  }
  [[noreturn]] void refuse_second_edge(std::size_t r, std::uint64_t id,
                                       const location& where) const {
    raise(errc::exists,
          "edge " + std::to_string(id) + " of type " + graph_schema::quoted(schema_.edge_names[r]) +
              " is there for the second time; each ID must be there once",
          where);
  }

  /// The ends of an edge, checked against what its type joins.
  template <class Where>
  void add_edge(std::size_t r, std::uint64_t id, std::uint64_t u, std::uint64_t v,
                std::uint64_t place, const Where& where) {
    const auto from = static_cast<type_id>(schema_.node_type(u)),
               to = static_cast<type_id>(schema_.node_type(v));
    if (!ends_[r]) ends_[r] = std::pair{from, to};
    if (ends_[r]->first != from || ends_[r]->second != to) refuse_ends(r, {from, to}, where());
    auto& rows = relations_[r];
    rows.ids.push_back(id);
    rows.source.push_back(static_cast<Node>(u - schema_.node_ranges[from].begin));
    rows.target.push_back(static_cast<Node>(v - schema_.node_ranges[to].begin));
    if (options_.edge_attributes) rows.places.push_back(place);
  }

  /// Rows of edges.
  struct edge_rows {
    std::vector<Node>
        ends[4]{};  // new source and target, of a part's alone; source and target over all types
    std::vector<std::uint64_t> ids{}, row{}, behind{};  // as of node_rows
    std::vector<std::uint32_t> type{};
  };
  /// @param pieces   of the file's text, or of some of its lines
  /// @param of_part  the rows have new ends too
  edge_rows read_edge_rows(const source_text& from, std::vector<text_piece> pieces,
                           bool of_part) const {
    const std::uint64_t nodes = schema_.num_nodes(), types = schema_.edge_names.size();
    const std::string_view text = from.text();
    const unsigned first = of_part ? 2 : 0;  // columns in front
    const auto slots = slots_of(pieces);
    edge_rows out;
    for (unsigned i = of_part ? 0 : 2; i < 4; ++i) out.ends[i].resize(slots);
    out.ids.resize(slots);
    out.row.resize(slots);
    out.type.resize(slots);
    if (options_.edge_attributes) out.behind.resize(slots);
    parse_pieces(
        pieces, parmetis_text, executor_,
        [&](text_cursor& cursor, std::size_t slot) -> text_problem {
          const char* const begin = cursor.at();
          std::uint64_t values[6]{};  // GCC at -O3 cannot see that each one is taken
          for (unsigned i = 0; i < first + 4; ++i) {
            const std::uint64_t limit = i < first + 2 ? nodes : i == first + 2 ? any : types;
            if (const auto problem = take_id(cursor, i + 1, limit, values[i]);
                problem.fault != text_fault::none)
              return problem;
          }
          for (unsigned i = 0; i < first + 2; ++i)
            out.ends[i + 2 - first][slot] = static_cast<Node>(values[i]);
          out.ids[slot] = values[first + 2];
          out.type[slot] = static_cast<std::uint32_t>(values[first + 3]);
          out.row[slot] = static_cast<std::uint64_t>(begin - text.data());
          if (!out.behind.empty())
            out.behind[slot] = static_cast<std::uint64_t>(cursor.at() - text.data()) + from.base;
          return {};
        });
    raise_row_problem(pieces, from.file, [&](unsigned column) -> id_field {
      static constexpr const char* what[] = {"the source's new ID",
                                             "the target's new ID",
                                             "the source's original ID over all types",
                                             "the target's original ID over all types",
                                             "the edge's ID in its type",
                                             "an edge type of the schema"};
      const unsigned i = column - 1 + 2 - first;
      return {what[i], i < 4 ? nodes : i == 4 ? any : types};
    });
    for (auto& column : out.ends) {
      if (!column.empty()) close_gaps(column, pieces);
    }
    close_gaps(out.ids, pieces);
    close_gaps(out.type, pieces);
    close_gaps(out.row, pieces);
    if (options_.edge_attributes) close_gaps(out.behind, pieces);
    return out;
  }
  static std::size_t shortest_edge_row(bool of_part) noexcept { return of_part ? 12 : 8; }

  /// @param part  the part's edge rows have new ends too; nothing: the file of removed edges
  void read_edges(const std::string& file, std::optional<std::uint64_t> part,
                  std::uint64_t& count) {
    const source_text& from = open(edge_files_, file);
    const std::string_view text = from.text();
    const edge_rows rows = read_edge_rows(
        from, cut_text(text, shortest_edge_row(part.has_value()), executor_), part.has_value());
    const auto& ends = rows.ends;
    const auto &ids = rows.ids, &row = rows.row, &behind = rows.behind;
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
          if (old != here) refuse_new_id(fresh, old, here, where());
        }
        if (const part_id has = out_.owner[static_cast<std::size_t>(v)]; has != *part)
          refuse_part(has, *part, where());
      }
      add_edge(type[i], ids[i], u, v, behind.empty() ? 0 : behind[i], where);
    }
  }
  void read_part_edges(std::uint64_t part) {
    std::uint64_t rows = 0;
    read_edges(path_in(folder_, names_.part_edges(part)), part, rows);
    check_stats(part, rows, false);
  }
  void read_removed() {
    // The file lies with the parts, or where it was made.
    read_edges(options_.removed_edges, std::nullopt, out_.restored);
  }

  /// The second row of an edge, for a sentence.
  location second_row(std::size_t r, std::uint64_t id) const {
    bool found = false;
    for (const auto& from : edge_files_) {
      const std::string_view text = from.text();
      const bool removed = &from == &edge_files_.back() && !options_.removed_edges.empty();
      text_cursor cursor(text.data(), text.data() + text.size(), parmetis_text);
      for (std::uint64_t line = 1; !cursor.done(); cursor.next_line(), ++line) {
        cursor.skip_blanks();
        std::uint64_t value = 0, last = 0;
        text_problem problem{};
        for (unsigned i = 0; i < (removed ? 4u : 6u) && problem.fault == text_fault::none; ++i) {
          last = value;
          problem = take_id(cursor, i + 1, any, value);
        }
        if (problem.fault != text_fault::none || last != id || value != r) continue;
        if (found) return {.file = from.file, .line = line};
        found = true;
      }
    }
    return {.file = path_in(folder_, names_.part_edges(0))};
  }

  /// Names and counts of types, once all rows have been seen.
  void describe_types() {
    auto& data = out_.data;
    data.name = names_.graph;
    for (std::size_t t = 0; t < schema_.node_types.size(); ++t) {
      data.schema.add_node_type(schema_.node_types[t]);
      data.node_counts.push_back(schema_.node_ranges[t].size());
    }
    for (std::size_t r = 0; r < ends_.size(); ++r) {
      if (!ends_[r]) {
        raise(
            errc::not_found,
            "edge type " + graph_schema::quoted(schema_.edge_names[r]) +
                " has no edge that would show which node types it joins; say so in the schema: \"edge_types\": {\"" +
                schema_.edge_names[r] + "\": \"source:relation:target\"}");
      }
      const auto& known = schema_.edge_types[r];
      data.schema.add_edge_type(known ? *known
                                      : canonical_etype{schema_.node_types[ends_[r]->first],
                                                        schema_.edge_names[r],
                                                        schema_.node_types[ends_[r]->second]});
    }
  }
  /// What the schema counts against what there is. Its ranges are for the order of types alone: to
  /// count others is no error.
  static void note_counts(std::uint64_t missing, std::uint64_t uncounted,
                          std::vector<std::string>& notes) {
    if (missing != 0) {
      notes.push_back(
          std::to_string(missing) +
          " edges that the schema counts are in no file; if they were removed as loops and duplicates, give the file of removed edges. Original edge IDs number those that are there");
    }
    if (uncounted != 0) {
      notes.push_back(
          std::to_string(uncounted) +
          " edges have IDs above those that the schema counts; they are taken, too. Where IDs of a type leave gaps, original edge IDs number those that are there");
    }
  }
  void assemble() {
    describe_types();
    out_.edge_ids.resize(relations_.size());
    for (std::size_t r = 0; r < relations_.size(); ++r) order_relation(r);
    if (options_.node_attributes) read_attributes(true);
    if (options_.edge_attributes) read_attributes(false);
    note_counts(out_.missing, out_.uncounted, out_.data.notes);
    out_.data.finish();
  }

  /// Put a relation's edges in the order of their IDs.
  void order_relation(std::size_t r) {
    auto& rows = relations_[r];
    const std::size_t count = rows.ids.size();
    const std::uint64_t counted = schema_.edge_ranges[r].size();
    std::uint64_t bound = 0,
                  inside = 0;  // one above the largest ID; rows with IDs that the schema counts
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
      refuse_second_edge(r, id, second_row(r, id));
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

  /// The features that a type's attributes are.
  /// @param first  place of its first row's attributes, where there is a row
  /// @param guess  out: they are integers if all can be read as such
  std::vector<parmetis_attribute> attribute_columns(bool of_nodes, std::size_t t,
                                                    std::optional<std::uint64_t> first,
                                                    bool& guess) const {
    const auto& described = of_nodes ? schema_.node_attributes : schema_.edge_attributes;
    const auto& asked = of_nodes ? options_.node_attribute_type : options_.edge_attribute_type;
    std::vector<parmetis_attribute> columns;
    for (const auto& one : described) {
      if (one.type == t) columns.push_back(one);
    }
    guess = described.empty() && !asked;
    if (described.empty() && first) {
      std::uint64_t width = 0;
      for (auto cursor = cursor_at(of_nodes ? node_files_ : edge_files_, *first);
           cursor.next_column(); ++width) {
        while (!cursor.at_column_end())
          cursor = text_cursor(cursor.at() + 1, cursor.end(), parmetis_text);
      }
      // DGL's name and shape: one row of all columns.
      if (width != 0) columns.push_back({static_cast<type_id>(t), "feat", dtype::int64, {width}});
    }
    if (asked) {
      for (auto& one : columns) one.element = *asked;
    }
    return columns;
  }

  void read_attributes(bool of_nodes) {
    const auto& files = of_nodes ? node_files_ : edge_files_;
    const std::size_t types = of_nodes ? schema_.node_types.size() : schema_.edge_names.size();
    for (std::size_t t = 0; t < types; ++t) {
      const std::span<const std::uint64_t> places =
          of_nodes ? std::span<const std::uint64_t>(node_places_)
                         .subspan(static_cast<std::size_t>(schema_.node_ranges[t].begin),
                                  static_cast<std::size_t>(schema_.node_ranges[t].size()))
                   : std::span<const std::uint64_t>(relations_[t].places);
      bool guess = false;
      auto columns = attribute_columns(
          of_nodes, t, places.empty() ? std::nullopt : std::optional(places[0]), guess);
      auto tensors = parse_attributes(files, places, columns, guess);
      if (guess && tensors.empty() && !columns.empty()) {
        columns[0].element = dtype::float64;
        tensors = parse_attributes(files, places, columns, false);
      }
      auto& features = of_nodes ? out_.data.features.nodes : out_.data.features.edges;
      for (std::size_t i = 0; i < columns.size(); ++i)
        features.push_back({static_cast<type_id>(t), columns[i].name, std::move(tensors[i])});
    }
  }
  text_cursor cursor_at(const std::vector<source_text>& files, std::uint64_t place) const {
    const source_text& from = files[file_index(files, place)];
    const std::string_view text = from.text();
    return text_cursor(text.data() + (place - from.base), text.data() + text.size(), parmetis_text);
  }

  /// @param may_fail  nothing where an attribute is no number of its dtype, instead of an error
  std::vector<tensor> parse_attributes(const std::vector<source_text>& files,
                                       std::span<const std::uint64_t> places,
                                       const std::vector<parmetis_attribute>& columns,
                                       bool may_fail) const {
    struct buffer {
      std::shared_ptr<std::vector<std::byte>> bytes;
      std::size_t row_bytes;
    };
    // A row's line holds its columns: what a schema claims must not decide how much is allocated.
    std::uint64_t width = 0, available = 0;
    for (const auto& one : columns) width += one.columns();
    for (const auto& one : files) available += one.content.bytes.size();
    if (width != 0 && places.size() > available / width) {
      raise(errc::mismatch,
            "the schema gives a type " + std::to_string(width) + " attribute columns, which its " +
                std::to_string(places.size()) + " rows do not have",
            {.file = files.empty() ? std::string() : files[0].file});
    }
    std::vector<buffer> buffers;
    for (const auto& one : columns) {
      const std::size_t row_bytes = static_cast<std::size_t>(one.columns()) *
                                    item_bytes(one.element);
      buffers.push_back(
          {std::make_shared<std::vector<std::byte>>(places.size() * row_bytes), row_bytes});
    }
    struct trouble {
      std::size_t row = std::numeric_limits<std::size_t>::max();
      text_fault fault = text_fault::none;
      std::uint64_t column = 0;
      dtype element = dtype::int64;
    } first;
    std::mutex mutex;
    executor_.parallel_for(0, places.size(), 4096, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        auto cursor = cursor_at(files, places[i]);
        text_fault fault = text_fault::none;
        std::uint64_t column = 0;
        dtype element = dtype::int64;
        for (std::size_t f = 0; f < columns.size() && fault == text_fault::none; ++f) {
          element = columns[f].element;
          std::byte* to = buffers[f].bytes->data() + i * buffers[f].row_bytes;
          for (std::uint64_t c = 0; c < columns[f].columns() && fault == text_fault::none;
               ++c, to += item_bytes(element)) {
            ++column;
            fault = cursor.next_column() ? take_element(cursor, element, to)
                                         : text_fault::missing_column;
          }
        }
        if (fault == text_fault::none && cursor.next_column()) {
          fault = text_fault::unknown_column;
          ++column;
        }
        if (fault == text_fault::none) continue;
        const std::lock_guard lock(mutex);
        if (i < first.row) first = {i, fault, column, element};
        break;
      }
    });
    if (first.fault != text_fault::none) {
      if (may_fail && first.fault != text_fault::missing_column &&
          first.fault != text_fault::unknown_column)
        return {};
      const auto where = line_of(files, places[first.row]);
      const std::string place = "attribute column " + std::to_string(first.column);
      switch (first.fault) {
        case text_fault::missing_column:
          raise(
              errc::malformed,
              "there is no " + place + "; this type has " + std::to_string(width) + " in every row",
              where);
        case text_fault::unknown_column:
          raise(
              errc::malformed,
              place + " is one too many; this type has " + std::to_string(width) + " in every row",
              where);
        case text_fault::not_a_number:
          raise(errc::malformed,
                place + " is no number of dtype " + std::string(name(first.element)), where);
        default:
          raise(errc::out_of_range,
                place + " is beyond what " + std::string(name(first.element)) + " can hold", where);
      }
    }
    std::vector<tensor> out;
    for (std::size_t f = 0; f < columns.size(); ++f) {
      tensor_shape shape{places.size()};
      shape.insert(shape.end(), columns[f].row_shape.begin(), columns[f].row_shape.end());
      const auto& bytes = buffers[f].bytes;
      out.push_back(tensor(columns[f].element, std::move(shape), *bytes, bytes));
    }
    return out;
  }

  const std::string& folder_;
  parmetis_names names_;
  const parmetis_schema& schema_;
  const parmetis_parts_options& options_;
  const Opener& open_;
  const Executor& executor_;
  std::vector<source_text> node_files_{}, edge_files_{};
  std::vector<Node> old_of_new_{};  // [V]
  std::vector<std::uint64_t>
      node_places_{};  // [V] by original ID, of the attributes, where asked for
  std::vector<relation_rows> relations_{};
  std::vector<std::optional<std::pair<type_id, type_id>>> ends_{};
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
/// @param folder   where the parts are
/// @param graph    X
/// @param schema   types and their IDs; edge types that it does not join to node types are joined
///     as their edges are
/// @param open     opens files
/// @errors         not_found; malformed, out_of_range, mismatch, exists with file and line: a row
///     that is none, new IDs that do not rise by one, a node or edge that is there twice, an edge
///     in the wrong part or of other ends than its type's; overflow: Node or Edge is too narrow
/// @complexity     O(bytes) time; memory: 29 bytes a node, 24 an edge with 32-bit IDs, and the
///     attributes as tensors
/// @source         formats: ParMETIS files, section 7
template <id Node = std::uint64_t, id Edge = std::uint64_t, file_opener Opener,
          executor Executor = sequential>
parmetis_parts<Node, Edge> read_parmetis_parts(const std::string& folder, const std::string& graph,
                                               const parmetis_schema& schema,
                                               const parmetis_parts_options& options,
                                               const Opener& open, const Executor& executor = {}) {
  return detail::parmetis_parts_reader<Node, Edge, Opener, Executor>(folder, graph, schema, options,
                                                                     open, executor)
      .read();
}

/// Make a partition folder of what read_parmetis_parts gave: what partition_graph makes of the
/// graph with that assignment.
/// @errors as partition_graph
template <id Node, id Edge, partition_target Target>
partition_result convert_parmetis(const parmetis_parts<Node, Edge>& in, std::uint64_t parts,
                                  const Target& target, partition_options options) {
  if (options.part_method.empty()) options.part_method = "metis";
  return partition_graph(in.data, given{.parts = parts, .owners = in.owner}, target, options);
}

}  // namespace halograph
