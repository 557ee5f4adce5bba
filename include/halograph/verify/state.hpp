// SPDX-License-Identifier: BSL-1.0
/// @file state.hpp
/// The state that the checks of a partition folder share, and how they open a part.
/// Layer: verify. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/folder/original_ids.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/serializer.hpp>
#include <halograph/serial/structure.hpp>
#include <halograph/serial/tensor.hpp>
#include <halograph/verify/findings.hpp>
#include <halograph/verify/options.hpp>
#include <halograph/verify/spaces.hpp>

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

namespace detail {

enum class reading : std::uint8_t { columns, all };

/// The graph of a part, with named columns.
struct open_part {
  loaded_structure graph{};
  coo_columns ends{};
  std::string file{};
  const tensor *id = nullptr, *inner = nullptr, *owner = nullptr, *type = nullptr,
               *original = nullptr;
  const tensor *edge_id = nullptr, *inner_edge = nullptr, *edge_type = nullptr,
               *edge_original = nullptr;
};

/// Element i of a column. @errors out_of_range
[[gnu::always_inline]] inline std::int64_t at(const tensor* column, std::uint64_t i) {
  const std::span<const std::byte> bytes = column->bytes();
  // Nearly all columns are of these types.
  if (column->type() == dtype::int64 && i < bytes.size() / sizeof(std::int64_t))
    return load_as<std::int64_t>(bytes.data() + i * sizeof(std::int64_t));
  if (column->type() == dtype::uint8 && i < bytes.size())
    return std::to_integer<std::int64_t>(bytes[static_cast<std::size_t>(i)]);
  return column->integer(static_cast<std::size_t>(i));
}

/// The number of parts checked at once, if there is memory; each needs its own.
inline std::size_t wave_of(executor_ref executor) {
  return std::clamp<std::size_t>(executor.concurrency(), 1, 16);
}

/// Call f(begin, end) for consecutive runs of `wave` parts.
inline void in_waves(std::size_t first, std::size_t last, std::size_t wave,
                     function_ref<void(std::size_t, std::size_t)> f) {
  for (std::size_t begin = first; begin < last; begin += wave)
    f(begin, std::min(last, begin + wave));
}

/// What the checks share, whatever the width of the IDs that they keep.
struct verify_context {
  const partition_config& config;
  const verify_options& options;
  any_file_opener files;
  format_list formats;
  id_space nodes, edges;

  bool mapping_good = false, mapping_partial = false;
  bool compact_mapping_wrong = false;                             ///< it exists but cannot be used
  std::vector<std::size_t> input_node_type{}, input_edge_type{};  ///< by config type
  std::vector<std::uint64_t> input_nodes{}, input_edges{};
  std::vector<part_id> assigned{};  ///< [V] by original ID, the config's types laid end to end
  std::uint64_t trainers = 1;
  bool truth_known = false;  ///< source and target are the input's
  bool trainers_are_input = false;
  std::vector<std::uint8_t> usable{};  ///< [P] 1: the part's IDs can be used to index what is kept
  std::size_t running = 1;             ///< parts that are checked at once
  std::vector<open_part> owners{};     ///< [P] the ends of edges are read from the parts that own
                                       ///< them; empty: they are in memory
  std::vector<std::uint64_t> cut{};    ///< [P] edges to other parts, where owners are read
  std::uint64_t cut_list_bytes = 0;    ///< may be taken to list the edges between parts

  std::string node_type_name(std::size_t t) const {
    return graph_schema::quoted(config.schema.node_types()[t]);
  }
  std::string edge_type_name(std::size_t r) const {
    return graph_schema::quoted(config.schema.edge_types()[r].str());
  }
  std::string type_name(bool of_nodes, std::size_t t) const {
    return of_nodes ? node_type_name(t) : edge_type_name(t);
  }
  static const char* noun(bool of_nodes) { return of_nodes ? "node" : "edge"; }

  /// The file of original IDs: named by the config, or where DGL's pipeline puts it; "" if none.
  std::string mapping_file(std::size_t p, bool of_nodes) const;

  std::optional<std::size_t> find_type(bool of_nodes, std::string_view text_of) const;
};

/// And what depends on that width. Id holds every node and edge ID, and one more value.
template <class Id>
struct verify_state : verify_context {
  static constexpr Id none = static_cast<Id>(-1);

  std::vector<Id> node_old{},
      edge_old{};              ///< [V], [E] original typed IDs by new ID; empty where unknown
  std::vector<Id> new_node{};  ///< [V] by original ID, the config's types laid end to end
  std::vector<Id> source{},
      target{};  ///< [E] new IDs of the ends, by new edge ID; none where absent; or see owners

  /// "edge 7 of type "a:b:c"" by new ID, with the original ID if it is known.
  std::string input_edge(std::uint64_t id) const {
    if (edge_old.empty()) return concat({"edge ", id});
    return concat({"edge ", std::uint64_t{edge_old[static_cast<std::size_t>(id)]}, " of type ",
                   edge_type_name(edges.type(id))});
  }
  std::string input_node(std::uint64_t id) const {
    if (node_old.empty()) return concat({"node ", id});
    return concat({"node ", std::uint64_t{node_old[static_cast<std::size_t>(id)]}, " of type ",
                   node_type_name(nodes.type(id))});
  }

  /// New IDs of source and target; none where no part owns the edge.
  std::pair<Id, Id> ends_of(std::uint64_t e) const {
    if (owners.empty())
      return {source[static_cast<std::size_t>(e)], target[static_cast<std::size_t>(e)]};
    const std::size_t p = edges.part(e);
    return ends_in(owners[p], e - edges.first(p));
  }
  /// The same of edge j of a part.
  std::pair<Id, Id> ends_in(const open_part& part, std::uint64_t j) const {
    return {node_of(part, at(&part.ends.source, j)), node_of(part, at(&part.ends.target, j))};
  }
  /// f(e, source, target) for each edge that a part owns, ascending.
  template <class F>
  void for_each_edge(const F& f) const {
    const auto visit = [&](std::uint64_t e, Id u, Id v) {
      if (u != none && v != none) f(e, u, v);
    };
    for (std::size_t e = 0; e < source.size(); ++e) visit(e, source[e], target[e]);
    for (std::size_t p = 0; p < owners.size(); ++p) {
      for (std::uint64_t j = 0, count = edges.count(p); j < count; ++j) {
        const auto [u, v] = ends_in(owners[p], j);
        visit(edges.first(p) + j, u, v);
      }
    }
  }
  /// New ID of a local node. None if there is no such node: a mapped file may have changed since it
  /// was checked.
  Id node_of(const open_part& part, std::int64_t local) const {
    if (static_cast<std::uint64_t>(local) >= part.graph.nodes) return none;
    const auto id = static_cast<std::uint64_t>(at(part.id, static_cast<std::uint64_t>(local)));
    return id < nodes.size() ? static_cast<Id>(id) : none;
  }

  /// Position of a node among original IDs, the config's types concatenated.
  std::size_t original_place(std::uint64_t v) const {
    return static_cast<std::size_t>(nodes.begin_of(nodes.type(v)) +
                                    node_old[static_cast<std::size_t>(v)]);
  }
};

std::string place_of(column what, std::uint64_t element);

void check_index_dtypes(const verify_context& state, const open_part& part, finding_log& findings);

/// Read the graph of a part: all of it, or only its columns.
/// @param findings  if not null, the graph is checked and problems are reported to it
/// @return whether it is usable
bool open(const verify_context& state, std::size_t p, open_part& part, reading how,
          finding_log* findings = nullptr);

}  // namespace detail

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/verify/impl/state.ipp>
#endif
