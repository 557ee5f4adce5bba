// SPDX-License-Identifier: BSL-1.0
/// @file schema.ipp
/// Bodies of the plain functions of schema/schema.hpp.
/// Layer: schema. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>
#include <halograph/core/utf8.hpp>
#include <halograph/schema/fwd.hpp>
#include <halograph/schema/schema.hpp>

#include <algorithm>
#include <bit>
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
/// Add the last of `types` to the numbers of the others by name: sorted runs whose lengths are the
/// binary digits of their count, the longest first (Bentley and Saxe, 1980).
/// @complexity O(log n) comparisons, amortized
template <class Type>
void add_to_runs(std::vector<type_id>& runs, const std::vector<Type>& types) {
  runs.push_back(static_cast<type_id>(types.size() - 1));
  const auto by_name = [&types](type_id a, type_id b) { return types[a] < types[b]; };
  for (std::ptrdiff_t length = 1; (static_cast<std::ptrdiff_t>(runs.size()) & length) == 0;
       length *= 2) {
    std::inplace_merge(runs.end() - 2 * length, runs.end() - length, runs.end(), by_name);
  }
}

/// The number of a type in runs made by add_to_runs().
template <class Type, class Name>
std::optional<type_id> find_in_runs(const std::vector<type_id>& runs,
                                    const std::vector<Type>& types, const Name& name) noexcept {
  auto begin = runs.begin();
  for (std::size_t length = std::bit_floor(runs.size()); length != 0; length /= 2) {
    if ((runs.size() & length) == 0) continue;
    const auto end = begin + static_cast<std::ptrdiff_t>(length);
    const auto found = std::lower_bound(
        begin, end, name, [&types](type_id t, const Name& wanted) { return types[t] < wanted; });
    if (found != end && types[*found] == name) return *found;
    begin = end;
  }
  return std::nullopt;
}
}  // namespace detail

HALOGRAPH_INLINE std::string canonical_etype::str() const {
  return source + ":" + relation + ":" + target;
}

HALOGRAPH_INLINE std::optional<canonical_etype> canonical_etype::parse(std::string_view text) {
  const auto first = text.find(':');
  if (first == std::string_view::npos) return std::nullopt;
  const auto second = text.find(':', first + 1);
  if (second == std::string_view::npos || text.find(':', second + 1) != std::string_view::npos) {
    return std::nullopt;
  }
  canonical_etype type{std::string(text.substr(0, first)),
                       std::string(text.substr(first + 1, second - first - 1)),
                       std::string(text.substr(second + 1))};
  if (type.source.empty() || type.relation.empty() || type.target.empty()) return std::nullopt;
  return type;
}

HALOGRAPH_INLINE graph_schema graph_schema::homogeneous() {
  graph_schema schema;
  schema.add_node_type("_N");
  schema.add_edge_type({"_N", "_E", "_N"});
  return schema;
}

HALOGRAPH_INLINE type_id graph_schema::add_node_type(std::string name) {
  if (!is_safe_name(name) || name.find(':') != std::string::npos) {
    raise(error_kind::invalid_argument,
          "node type name " + quoted(name) +
              " must be 1 to 200 bytes of UTF-8 without '/', '\\', ':' and control characters");
  }
  if (node_type(name))
    raise(error_kind::exists, "node type " + quoted(name) + " is listed twice; names must differ");
  node_types_.push_back(std::move(name));
  detail::add_to_runs(node_types_by_name_, node_types_);
  return static_cast<type_id>(node_types_.size() - 1);
}

HALOGRAPH_INLINE type_id graph_schema::add_edge_type(canonical_etype type) {
  if (!is_safe_name(type.relation) || type.relation.find(':') != std::string::npos) {
    raise(error_kind::invalid_argument,
          "relation name " + quoted(type.relation) +
              " must be 1 to 200 bytes of UTF-8 without '/', '\\', ':' and control characters");
  }
  const auto source = node_type(type.source), target = node_type(type.target);
  if (!source || !target) {
    raise(error_kind::not_found, "edge type " + quoted(type.str()) + " names node type " +
                                     quoted(source ? type.target : type.source) +
                                     ", which is not listed");
  }
  if (edge_type(type))
    raise(error_kind::exists,
          "edge type " + quoted(type.str()) + " is listed twice; triples must differ");
  edge_types_.push_back(std::move(type));
  ends_.emplace_back(*source, *target);
  detail::add_to_runs(edge_types_by_name_, edge_types_);
  return static_cast<type_id>(edge_types_.size() - 1);
}

HALOGRAPH_INLINE std::optional<type_id> graph_schema::node_type(
    std::string_view name) const noexcept {
  return detail::find_in_runs(node_types_by_name_, node_types_, name);
}

HALOGRAPH_INLINE std::optional<type_id> graph_schema::edge_type(
    const canonical_etype& name) const noexcept {
  return detail::find_in_runs(edge_types_by_name_, edge_types_, name);
}

HALOGRAPH_INLINE type_id graph_schema::resolve_edge_type(std::string_view name) const {
  if (const auto triple = canonical_etype::parse(name)) {
    if (const auto found = edge_type(*triple)) return *found;
  }
  std::optional<type_id> found;
  std::string candidates;
  std::size_t count = 0;
  for (std::size_t t = 0; t < edge_types_.size(); ++t) {
    if (edge_types_[t].relation != name) continue;
    if (!found) found = static_cast<type_id>(t);
    if (++count <= 10) candidates += (count == 1 ? "" : ", ") + edge_types_[t].str();
  }
  if (!found) raise(error_kind::not_found, "no edge type is called " + quoted(name));
  if (count > 1) {
    if (count > 10) candidates += " and " + std::to_string(count - 10) + " more";
    raise(error_kind::invalid_argument,
          "relation " + quoted(name) + " is ambiguous; name one of " + candidates);
  }
  return *found;
}

HALOGRAPH_INLINE std::string graph_schema::quoted(std::string_view name) {
  std::string out = "\"";
  std::size_t at = 0;
  while (at < name.size() && at < 100) {
    const utf8_character c = first_utf8(name.substr(at));
    const std::size_t bytes = c.bytes == 0 ? 1 : c.bytes;
    if (c.bytes != 0 && !is_control(c.value)) {
      out += name.substr(at, bytes);
    } else {
      out += detail::escaped_bytes(name.substr(at, bytes));
    }
    at += bytes;
  }
  return out + (at < name.size() ? "...\"" : "\"");
}

HALOGRAPH_INLINE void check_graph_size(const graph_schema& schema,
                                       std::span<const std::uint64_t> node_counts,
                                       std::span<const std::uint64_t> edge_counts,
                                       const location& where) {
  if (schema.num_node_types() == 0)
    raise(error_kind::malformed, "no node type; a graph has at least one", where);
  const auto check_total = [&where](std::span<const std::uint64_t> counts, const char* what) {
    std::uint64_t room = most_file_ids;
    for (const auto count : counts) {
      if (count > room) {
        raise(error_kind::out_of_range,
              std::string("the graph has more than ") + std::to_string(most_file_ids) + " " + what +
                  "; their IDs must fit int64",
              where);
      }
      room -= count;
    }
  };
  check_total(node_counts, "nodes");
  check_total(edge_counts, "edges");
}

HALOGRAPH_INLINE std::string check_graph_name(std::string_view name) {
  if (!is_safe_name(name) || name[0] == '.') {
    raise(error_kind::invalid_argument, "graph name " + graph_schema::quoted(name) +
                                            " could be a path; use letters and underscores");
  }
  const bool plain = std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  });
  return plain ? std::string()
               : "graph name " + graph_schema::quoted(name) +
                     " has characters besides letters and underscores; DGL asks for those alone";
}

HALOGRAPH_INLINE void detail::sort_names(std::vector<std::string>& names) {
  std::sort(names.begin(), names.end());
}

}  // namespace halograph
