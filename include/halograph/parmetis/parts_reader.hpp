// SPDX-License-Identifier: BSL-1.0
/// @file parts_reader.hpp
/// The rows of the parts that ParMETIS wrote as text, parsed and checked one by one.
/// Layer: parmetis. Words: README.md. The format is described in parmetis/files.hpp.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/parmetis/attributes.hpp>
#include <halograph/parmetis/files.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/feature_store.hpp>
#include <halograph/serial/files/file.hpp>
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

namespace halograph {

/// How to read the files of parts.
struct parmetis_parts_options {
  std::uint64_t parts = 1;       ///< K; the files of parts 0 to K - 1 are read
  std::uint64_t weights = 1;     ///< weight columns in the node rows
  std::string removed_edges{};   ///< path of the file of removed edges; "": none were
  bool node_attributes = false;  ///< read the columns after a node's ID as features
  bool edge_attributes = false;  ///< read the columns after an edge's type as features
  /// Dtype of all node attributes. Without one the schema decides; where it is silent, int64 if all
  /// columns of a type are integers, else float64.
  std::optional<dtype> node_attribute_type{};
  std::optional<dtype> edge_attribute_type{};  ///< the same for edges
  progress_callback on_progress{};             ///< called with files read; empty: no reports
};

namespace detail {

/// What reading on one rank and on several share: parsing the rows of one file, and checking a row.
/// Here what depends on no width of IDs.
class parmetis_parts_base {
 public:
  parmetis_parts_base(const std::string& folder, const std::string& graph,
                      const parmetis_schema& schema, const parmetis_parts_options& options,
                      const any_file_opener& open, executor_ref executor)
      : folder_(folder),
        names_{graph},
        schema_(schema),
        options_(options),
        open_(open),
        executor_(executor) {}

 protected:
  /// @param capacity, bits  of node IDs
  void check_options(std::uint64_t capacity, std::size_t bits) const;
  /// The node types that edge types join, as far as the schema declares them.
  void join_types();

  static constexpr std::uint64_t most_weights = 256;
  static constexpr part_id nobody = static_cast<part_id>(id_capacity<part_id>() - 1);
  static constexpr std::uint64_t any = ~std::uint64_t{0};

  void tell(std::uint64_t done) const {
    if (options_.on_progress) options_.on_progress({"read", done, 2 * options_.parts, "files"});
  }
  type_id type_of(const std::string& node_type) const;
  /// Compare with a part's stats file, if there is one: the guide names it, ParMETIS writes none.
  void check_stats(std::uint64_t part, std::uint64_t rows, bool of_nodes) const;

  /// The rows of a part's nodes.
  struct node_rows {
    std::vector<std::uint64_t> fresh{}, typed{};
    std::vector<std::uint64_t> row{};         // offset in its file
    std::vector<std::uint64_t> attributes{};  // places in node_files_, where asked for
    std::vector<std::uint32_t> type{};
  };
  node_rows read_node_rows(const kept_texts::entry& from, std::uint64_t p) const;

  static void count_types(const node_rows& part, std::vector<std::uint64_t>& found) {
    for (const auto type : part.type) ++found[type];
  }
  /// Reject too few nodes. (If there are too many, one occurs twice, and its row is reported.)
  /// @param found  of each type, in all parts
  void check_found(const std::vector<std::uint64_t>& found) const;
  /// Check the position of a node's row: new IDs increase by one, types ascend.
  void check_order(const node_rows& part, std::size_t i, std::uint64_t next,
                   const kept_texts::entry& from) const {
    if (part.fresh[i] != next || (i != 0 && part.type[i] < part.type[i - 1]))
      refuse_order(part, i, next, from);
  }
  [[noreturn]] static void refuse_order(const node_rows& part, std::size_t i, std::uint64_t next,
                                        const kept_texts::entry& from);
  static bool is_reordered(const node_rows& part, std::size_t i) {
    return i != 0 && part.type[i] == part.type[i - 1] && part.typed[i] < part.typed[i - 1];
  }
  /// @param old  ID over all types
  [[noreturn]] void refuse_second_node(std::uint64_t old, part_id has, const location& where) const;
  static std::string reordered_note();

  [[noreturn]] void refuse_ends(std::size_t r, const std::pair<type_id, type_id>& has,
                                const location& where) const;
  [[noreturn]] static void refuse_new_id(std::uint64_t fresh, std::uint64_t old, std::uint64_t here,
                                         const location& where);
  [[noreturn]] static void refuse_part(std::uint64_t has, std::uint64_t part,
                                       const location& where);
  [[noreturn]] void refuse_second_edge(std::size_t r, std::uint64_t id,
                                       const location& where) const;

  /// Refuse the first row of edges that could not be parsed.
  void raise_edge_problem(const std::vector<text_piece>& pieces, const std::string& file,
                          bool of_part) const;
  static std::size_t shortest_edge_row(bool of_part) noexcept { return of_part ? 12 : 8; }

  /// The types, once all rows have been seen. @errors not_found: nothing names the node types of an
  /// edge type
  graph_schema describe_types() const;
  /// Add notes where the schema's counts differ from the files. That is not an error: its ranges
  /// only define the order of types.
  static void note_counts(std::uint64_t missing, std::uint64_t uncounted,
                          std::vector<std::string>& notes);

  /// The second row of an edge, for an error message.
  location second_row(std::size_t r, std::uint64_t id) const;
  /// The attributes of one type as features, on one rank. @param places  where those of each row
  /// begin
  void read_attributes_of(bool of_nodes, std::size_t t, std::span<const std::uint64_t> places,
                          std::vector<feature<chunked_tensor>>& features) const;

  const std::string& folder_;
  parmetis_names names_;
  const parmetis_schema& schema_;
  const parmetis_parts_options& options_;
  any_file_opener open_;
  executor_ref executor_;
  kept_texts node_files_{}, edge_files_{};
  std::vector<std::uint64_t>
      node_places_{};  // [V] by original ID, of the attributes, where asked for
  std::vector<std::optional<std::pair<type_id, type_id>>> ends_{};  // [R]
};

template <id Node>
class parmetis_parts_reader : public parmetis_parts_base {
 public:
  using parmetis_parts_base::parmetis_parts_base;

 protected:
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
    raise_edge_problem(pieces, from.file, of_part);
    for (auto& column : out.ends) {
      if (!column.empty()) close_gaps(column, pieces);
    }
    close_gaps(out.ids, pieces);
    close_gaps(out.type, pieces);
    close_gaps(out.row, pieces);
    if (options_.edge_attributes) close_gaps(out.attributes, pieces);
    return out;
  }

  std::vector<Node> old_of_new_{};  // [V], of several ranks those of the own parts
};

}  // namespace detail

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/parmetis/impl/parts_reader.ipp>
#endif
