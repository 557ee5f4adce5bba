// SPDX-License-Identifier: BSL-1.0
/// @file parts_reader.ipp
/// Bodies of the plain functions of parmetis/parts_reader.hpp.
/// Layer: parmetis. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/parmetis/attributes.hpp>
#include <halograph/parmetis/files.hpp>
#include <halograph/parmetis/parts_reader.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/feature_store.hpp>
#include <halograph/serial/files/path.hpp>
#include <halograph/serial/text/cursor.hpp>
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

namespace halograph::detail {

HALOGRAPH_INLINE void parmetis_parts_base::check_options(std::uint64_t capacity,
                                                         std::size_t bits) const {
  if (options_.parts == 0 || options_.parts > 0x7FFFFFFFu)
    raise(error_kind::invalid_argument, "the number of parts must be 1 to 2147483647");
  if (options_.weights > most_weights)
    raise(error_kind::out_of_range,
          std::to_string(options_.weights) + " weight columns are more than any ParMETIS takes");
  const std::uint64_t nodes = schema_.num_nodes();
  if (nodes >= capacity) {
    raise(error_kind::overflow, std::to_string(nodes) + " nodes are more than node IDs of " +
                                    std::to_string(bits) + " bits can number; use wider ones");
  }
}

HALOGRAPH_INLINE void parmetis_parts_base::join_types() {
  ends_.resize(schema_.edge_names.size());
  for (std::size_t r = 0; r < ends_.size(); ++r) {
    if (const auto& type = schema_.edge_types[r])
      ends_[r] = {type_of(type->source), type_of(type->target)};
  }
}

HALOGRAPH_INLINE type_id parmetis_parts_base::type_of(const std::string& node_type) const {
  return static_cast<type_id>(
      std::find(schema_.node_types.begin(), schema_.node_types.end(), node_type) -
      schema_.node_types.begin());
}

HALOGRAPH_INLINE void parmetis_parts_base::check_stats(std::uint64_t part, std::uint64_t rows,
                                                       bool of_nodes) const {
  const std::string file = path_in(folder_, names_.part_stats(part));
  parmetis_stats stats;
  try {
    stats = read_parmetis_stats(file, open_);
  } catch (const error& problem) {
    if (problem.code() == error_kind::not_found) return;
    throw;
  }
  if (of_nodes && stats.weights != options_.weights) {
    raise(error_kind::mismatch,
          "there are " + std::to_string(stats.weights) + " weight columns, but " +
              std::to_string(options_.weights) + " were requested",
          {.file = file, .line = 1});
  }
  const std::uint64_t said = of_nodes ? stats.nodes : stats.edges;
  if (said != rows) {
    raise(error_kind::mismatch,
          path_in(folder_, of_nodes ? names_.part_nodes(part) : names_.part_edges(part)) + " has " +
              std::to_string(rows) + " rows, but this file declares " + std::to_string(said),
          {.file = file, .line = 1});
  }
}

HALOGRAPH_INLINE parmetis_parts_base::node_rows parmetis_parts_base::read_node_rows(
    const kept_texts::entry& from, std::uint64_t p) const {
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
  parse_pieces(
      pieces, parmetis_text, executor_, [&](text_cursor& cursor, std::size_t slot) -> text_problem {
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
                cursor, column, schema_.node_ranges[static_cast<std::size_t>(type)].size(), typed);
            problem.fault != text_fault::none)
          return problem;
        out.fresh[slot] = fresh;
        out.typed[slot] = typed;
        out.type[slot] = static_cast<std::uint32_t>(type);
        out.row[slot] = static_cast<std::uint64_t>(begin - text.data());
        if (!out.attributes.empty())
          out.attributes[slot] = static_cast<std::uint64_t>(cursor.at() - text.data()) + from.base;
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
    return std::pair{std::move(sentence), error_kind::out_of_range};
  });
  for (auto* column : {&out.fresh, &out.typed, &out.row}) close_gaps(*column, pieces);
  close_gaps(out.type, pieces);
  if (options_.node_attributes) close_gaps(out.attributes, pieces);
  check_stats(p, out.fresh.size(), true);
  return out;
}

HALOGRAPH_INLINE void parmetis_parts_base::check_found(
    const std::vector<std::uint64_t>& found) const {
  std::uint64_t nodes = 0;
  for (const auto count : found) nodes += count;
  if (nodes >= schema_.num_nodes()) return;
  for (std::size_t t = 0; t < found.size(); ++t) {
    if (const std::uint64_t counted = schema_.node_ranges[t].size(); found[t] < counted) {
      raise(error_kind::mismatch,
            "the parts have " + std::to_string(found[t]) + " nodes of type " +
                graph_schema::quoted(schema_.node_types[t]) + ", but the schema counts " +
                std::to_string(counted) + "; every node must be in one part",
            {.file = folder_});
    }
  }
}

HALOGRAPH_INLINE void parmetis_parts_base::refuse_order(const node_rows& part, std::size_t i,
                                                        std::uint64_t next,
                                                        const kept_texts::entry& from) {
  if (part.fresh[i] != next) {
    raise(error_kind::mismatch,
          "the new ID is " + std::to_string(part.fresh[i]) + "; it must be " +
              std::to_string(next) + ": new IDs increase by one across all parts",
          line_at(from.text(), part.row[i], from.file));
  }
  raise(error_kind::mismatch,
        "a node of type " + std::to_string(part.type[i]) + " follows one of type " +
            std::to_string(part.type[i - 1]) + "; types ascend in a part",
        line_at(from.text(), part.row[i], from.file));
}

HALOGRAPH_INLINE void parmetis_parts_base::refuse_second_node(std::uint64_t old, part_id has,
                                                              const location& where) const {
  const std::size_t type = schema_.node_type(old);
  raise(error_kind::exists,
        "node " + std::to_string(old - schema_.node_ranges[type].begin) + " of type " +
            graph_schema::quoted(schema_.node_types[type]) + " occurs twice; part " +
            std::to_string(has) + " already has it",
        where);
}

HALOGRAPH_INLINE std::string parmetis_parts_base::reordered_note() {
  return "the parts list nodes of one type out of order; the folder numbers them in their original order, so its IDs differ from those in the files";
}

HALOGRAPH_INLINE void parmetis_parts_base::refuse_ends(std::size_t r,
                                                       const std::pair<type_id, type_id>& has,
                                                       const location& where) const {
  const auto name = [&](const std::pair<type_id, type_id>& ends) {
    return schema_.node_types[ends.first] + " to " + schema_.node_types[ends.second];
  };
  raise(error_kind::mismatch,
        "this edge of type " + graph_schema::quoted(schema_.edge_names[r]) + " goes from " +
            name(has) + ", but the type joins " + name(*ends_[r]),
        where);
}

HALOGRAPH_INLINE void parmetis_parts_base::refuse_new_id(std::uint64_t fresh, std::uint64_t old,
                                                         std::uint64_t here,
                                                         const location& where) {
  raise(error_kind::mismatch,
        "new ID " + std::to_string(fresh) + " is original ID " + std::to_string(old) +
            " by the node files, but here it is " + std::to_string(here),
        where);
}

HALOGRAPH_INLINE void parmetis_parts_base::refuse_part(std::uint64_t has, std::uint64_t part,
                                                       const location& where) {
  raise(error_kind::mismatch,
        "the edge ends in a node of part " + std::to_string(has) +
            "; this file is for edges that end in part " + std::to_string(part),
        where);
}

HALOGRAPH_INLINE void parmetis_parts_base::refuse_second_edge(std::size_t r, std::uint64_t id,
                                                              const location& where) const {
  raise(error_kind::exists,
        "edge " + std::to_string(id) + " of type " + graph_schema::quoted(schema_.edge_names[r]) +
            " occurs twice; each ID must occur once",
        where);
}

HALOGRAPH_INLINE graph_schema parmetis_parts_base::describe_types() const {
  graph_schema out;
  for (const auto& type : schema_.node_types) out.add_node_type(type);
  for (std::size_t r = 0; r < ends_.size(); ++r) {
    if (!ends_[r]) {
      raise(
          error_kind::not_found,
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

HALOGRAPH_INLINE void parmetis_parts_base::note_counts(std::uint64_t missing,
                                                       std::uint64_t uncounted,
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

HALOGRAPH_INLINE void parmetis_parts_base::raise_edge_problem(const std::vector<text_piece>& pieces,
                                                              const std::string& file,
                                                              bool of_part) const {
  const std::uint64_t nodes = schema_.num_nodes(), types = schema_.edge_names.size();
  const unsigned first = of_part ? 2 : 0;  // columns in front
  raise_row_problem(pieces, file, [&](unsigned column) -> id_field {
    static constexpr const char* what[] = {"the source's new ID",
                                           "the target's new ID",
                                           "the source's original ID over all types",
                                           "the target's original ID over all types",
                                           "the edge's ID in its type",
                                           "an edge type of the schema"};
    const unsigned i = column - 1 + 2 - first;
    return {what[i], i < 4 ? nodes : i == 4 ? any : types};
  });
}

HALOGRAPH_INLINE location parmetis_parts_base::second_row(std::size_t r, std::uint64_t id) const {
  bool found = false;
  for (std::size_t f = 0; f < edge_files_.size(); ++f) {
    const auto& from = edge_files_[f];
    const std::string_view text = from.text();
    const bool removed = f + 1 == edge_files_.size() && !options_.removed_edges.empty();
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

HALOGRAPH_INLINE void parmetis_parts_base::read_attributes_of(
    bool of_nodes, std::size_t t, std::span<const std::uint64_t> places,
    std::vector<feature<chunked_tensor>>& features) const {
  auto parsed = attributes_of_type(
      of_nodes ? node_files_ : edge_files_, t,
      of_nodes ? schema_.node_attributes : schema_.edge_attributes,
      of_nodes ? options_.node_attribute_type : options_.edge_attribute_type, places,
      places.empty() ? std::nullopt : std::optional(places[0]), [](bool here) { return here; },
      executor_);
  for (std::size_t i = 0; i < parsed.columns.size(); ++i)
    features.push_back(
        {static_cast<type_id>(t), parsed.columns[i].name, std::move(parsed.tensors[i])});
}

}  // namespace halograph::detail
