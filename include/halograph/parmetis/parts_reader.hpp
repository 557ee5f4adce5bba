// SPDX-License-Identifier: BSL-1.0
/// @file parts_reader.hpp
/// The rows of the parts that ParMETIS wrote as text, parsed and checked one by one.
/// Layer: parmetis. Words: README.md. The format is described in parmetis/files.hpp.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/parmetis/attributes.hpp>
#include <halograph/parmetis/files.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/path.hpp>
#include <halograph/serial/text/cursor.hpp>
#include <halograph/serial/text/pieces.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

/// How to read the files of parts.
struct parmetis_parts_options {
  std::uint64_t parts = 1;
  std::uint64_t weights = 1;     ///< weight columns in the node rows
  std::string removed_edges{};   ///< path of the file of removed edges; "": none were
  bool node_attributes = false;  ///< read the columns after a node's ID as features
  bool edge_attributes = false;  ///< read the columns after an edge's type as features
  /// Dtype of all node attributes. Without one the schema decides; where it is silent, int64 if all
  /// columns of a type are integers, else float64.
  std::optional<dtype> node_attribute_type{};
  std::optional<dtype> edge_attribute_type{};  ///< the same for edges
  progress_callback on_progress{};
};

namespace detail {

/// What reading on one rank and on several share: parsing the rows of one file, and checking a row.
template <id Node>
class parmetis_parts_reader {
 public:
  parmetis_parts_reader(const std::string& folder, const std::string& graph,
                        const parmetis_schema& schema, const parmetis_parts_options& options,
                        const any_file_opener& open, executor_ref executor)
      : folder_(folder),
        names_{graph},
        schema_(schema),
        options_(options),
        open_(open),
        executor_(executor) {}

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
  /// The node types that edge types join, as far as the schema declares them.
  void join_types() {
    ends_.resize(schema_.edge_names.size());
    for (std::size_t r = 0; r < ends_.size(); ++r) {
      if (const auto& type = schema_.edge_types[r])
        ends_[r] = {type_of(type->source), type_of(type->target)};
    }
  }

  static constexpr std::uint64_t most_weights = 256;
  static constexpr part_id nobody = static_cast<part_id>(id_capacity<part_id>() - 1);
  static constexpr std::uint64_t any = ~std::uint64_t{0};

  void tell(std::uint64_t done) const {
    if (options_.on_progress) options_.on_progress({"read", done, 2 * options_.parts, "files"});
  }
  type_id type_of(const std::string& node_type) const {
    return static_cast<type_id>(
        std::find(schema_.node_types.begin(), schema_.node_types.end(), node_type) -
        schema_.node_types.begin());
  }
  /// Compare with a part's stats file, if there is one: the guide names it, ParMETIS writes none.
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
                std::to_string(options_.weights) + " were requested",
            {.file = file, .line = 1});
    }
    const std::uint64_t said = of_nodes ? stats.nodes : stats.edges;
    if (said != rows) {
      raise(errc::mismatch,
            path_in(folder_, of_nodes ? names_.part_nodes(part) : names_.part_edges(part)) +
                " has " + std::to_string(rows) + " rows, but this file declares " +
                std::to_string(said),
            {.file = file, .line = 1});
    }
  }

  /// The rows of a part's nodes.
  struct node_rows {
    std::vector<std::uint64_t> fresh{}, typed{};
    std::vector<std::uint64_t> row{};         // offset in its file
    std::vector<std::uint64_t> attributes{};  // places in node_files_, where asked for
    std::vector<std::uint32_t> type{};
  };
  node_rows read_node_rows(const kept_texts::entry& from, std::uint64_t p) const {
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
    if (options_.node_attributes) out.attributes.resize(slots);
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
                   if (!out.attributes.empty())
                     out.attributes[slot] = static_cast<std::uint64_t>(cursor.at() - text.data()) +
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
              ? std::string("a weight, a non-negative integer")
              : "the node's ID in its type, one of those that the schema counts, after " +
                    std::to_string(weights) + " weights";
      return std::pair{std::move(sentence), errc::out_of_range};
    });
    for (auto* column : {&out.fresh, &out.typed, &out.row}) close_gaps(*column, pieces);
    close_gaps(out.type, pieces);
    if (options_.node_attributes) close_gaps(out.attributes, pieces);
    check_stats(p, out.fresh.size(), true);
    return out;
  }

  static void count_types(const node_rows& part, std::vector<std::uint64_t>& found) {
    for (const auto type : part.type) ++found[type];
  }
  /// Reject too few nodes. (If there are too many, one occurs twice, and its row is reported.)
  /// @param found  of each type, in all parts
  void check_found(const std::vector<std::uint64_t>& found) const {
    std::uint64_t nodes = 0;
    for (const auto count : found) nodes += count;
    if (nodes >= schema_.num_nodes()) return;
    for (std::size_t t = 0; t < found.size(); ++t) {
      if (const std::uint64_t counted = schema_.node_ranges[t].size(); found[t] < counted) {
        raise(errc::mismatch,
              "the parts have " + std::to_string(found[t]) + " nodes of type " +
                  graph_schema::quoted(schema_.node_types[t]) + ", but the schema counts " +
                  std::to_string(counted) + "; every node must be in one part",
              {.file = folder_});
      }
    }
  }
  /// Check the position of a node's row: new IDs increase by one, types ascend.
  void check_order(const node_rows& part, std::size_t i, std::uint64_t next,
                   const kept_texts::entry& from) const {
    if (part.fresh[i] != next) {
      raise(errc::mismatch,
            "the new ID is " + std::to_string(part.fresh[i]) + "; it must be " +
                std::to_string(next) + ": new IDs increase by one across all parts",
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
              graph_schema::quoted(schema_.node_types[type]) + " occurs twice; part " +
              std::to_string(has) + " already has it",
          where);
  }
  static std::string reordered_note() {
    return "the parts list nodes of one type out of order; the folder numbers them in their original order, so its IDs differ from those in the files";
  }

  [[noreturn]] void refuse_ends(std::size_t r, const std::pair<type_id, type_id>& has,
                                const location& where) const {
    const auto name = [&](const std::pair<type_id, type_id>& ends) {
      return schema_.node_types[ends.first] + " to " + schema_.node_types[ends.second];
    };
    raise(errc::mismatch,
          "this edge of type " + graph_schema::quoted(schema_.edge_names[r]) + " goes from " +
              name(has) + ", but the type joins " + name(*ends_[r]),
          where);
  }
  [[noreturn]] static void refuse_new_id(std::uint64_t fresh, std::uint64_t old, std::uint64_t here,
                                         const location& where) {
    raise(errc::mismatch,
          "new ID " + std::to_string(fresh) + " is original ID " + std::to_string(old) +
              " by the node files, but here it is " + std::to_string(here),
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
              " occurs twice; each ID must occur once",
          where);
  }

  /// Rows of edges.
  struct edge_rows {
    std::vector<Node>
        ends[4]{};  // new source and target (of parts only); source and target over all types
    std::vector<std::uint64_t> ids{}, row{}, attributes{};  // as in node_rows
    std::vector<std::uint32_t> type{};
  };
  /// @param pieces   of the file's text, or of some of its lines
  /// @param of_part  the rows also have new endpoints
  edge_rows read_edge_rows(const kept_texts::entry& from, std::vector<text_piece> pieces,
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
    if (options_.edge_attributes) out.attributes.resize(slots);
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
          if (!out.attributes.empty())
            out.attributes[slot] = static_cast<std::uint64_t>(cursor.at() - text.data()) +
                                   from.base;
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
    if (options_.edge_attributes) close_gaps(out.attributes, pieces);
    return out;
  }
  static std::size_t shortest_edge_row(bool of_part) noexcept { return of_part ? 12 : 8; }

  /// The types, once all rows have been seen. @errors not_found: nothing names the node types of an
  /// edge type
  graph_schema describe_types() const {
    graph_schema out;
    for (const auto& type : schema_.node_types) out.add_node_type(type);
    for (std::size_t r = 0; r < ends_.size(); ++r) {
      if (!ends_[r]) {
        raise(
            errc::not_found,
            "edge type " + graph_schema::quoted(schema_.edge_names[r]) +
                " has no edges, so the node types it joins are unknown; declare them in the schema: \"edge_types\": {\"" +
                schema_.edge_names[r] + "\": \"source:relation:target\"}");
      }
      const auto& known = schema_.edge_types[r];
      out.add_edge_type(known ? *known
                              : canonical_etype{schema_.node_types[ends_[r]->first],
                                                schema_.edge_names[r],
                                                schema_.node_types[ends_[r]->second]});
    }
    return out;
  }
  /// Add notes where the schema's counts differ from the files. That is not an error: its ranges
  /// only define the order of types.
  static void note_counts(std::uint64_t missing, std::uint64_t uncounted,
                          std::vector<std::string>& notes) {
    if (missing != 0) {
      notes.push_back(
          std::to_string(missing) +
          " edges that the schema counts are in no file; if they were removed as loops and duplicates, give the file of removed edges. Original edge IDs number only the edges found");
    }
    if (uncounted != 0) {
      notes.push_back(
          std::to_string(uncounted) +
          " edges have IDs above those that the schema counts; they are included. Where the IDs of a type have gaps, original edge IDs number only the edges found");
    }
  }

  const std::string& folder_;
  parmetis_names names_;
  const parmetis_schema& schema_;
  const parmetis_parts_options& options_;
  any_file_opener open_;
  executor_ref executor_;
  kept_texts node_files_{}, edge_files_{};
  std::vector<Node> old_of_new_{};  // [V], of several ranks those of the own parts
  std::vector<std::uint64_t>
      node_places_{};  // [V] by original ID, of the attributes, where asked for
  std::vector<std::optional<std::pair<type_id, type_id>>> ends_{};  // [R]
};

}  // namespace detail

}  // namespace halograph
