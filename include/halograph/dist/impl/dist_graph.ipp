// SPDX-License-Identifier: BSL-1.0
/// @file dist_graph.ipp
/// Bodies of the plain functions of dist/dist_graph.hpp.
/// Layer: dist. Words: README.md.
#pragma once

#include <halograph/book/range_book.hpp>
#include <halograph/comm/collective_errors.hpp>
#include <halograph/comm/owner_fetch.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/id_row.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/dist/dist_graph.hpp>
#include <halograph/dist/part_graph.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/tensor.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace halograph {

HALOGRAPH_INLINE void dist_graph::find_edges(any_id_row edges, std::span<global_id> sources,
                                             std::span<global_id> targets, type_key etype) const {
  run_collective(ranks_, [&] {
    if (sources.size() != edges.size() || targets.size() != sources.size()) {
      raise(error_kind::mismatch, concat({"the endpoints of ", edges.size(),
                                          " edges need as many sources and targets, not ",
                                          sources.size(), " and ", targets.size()}));
    }
    const auto type = type_of(false, etype);
    check_ids(false, type, edges);
    const auto ends_of = [&](std::uint64_t id) {
      const auto& at = *part(part_of_edge(static_cast<global_id>(id)));
      const std::size_t edge = *at.local_inner_edge_of(static_cast<global_id>(id));
      const global_id source = at.global_of(at.source_of(edge)),
                      target = at.global_of(at.target_of(edge));
      return type ? std::array{typed_node(source), typed_node(target)} : std::array{source, target};
    };
    const auto serve = [&](std::uint64_t id, std::span<std::byte> row) {
      const auto found = ends_of(id);
      std::memcpy(row.data(), found.data(), sizeof found);
    };
    const auto keep = [&](std::size_t i, const std::array<global_id, 2>& found) {
      sources[i] = found[0];
      targets[i] = found[1];
    };
    row_exchange exchange(ranks_, state_->options.exchange_bytes);
    exchange.fetch_each(
        edges.size(),
        [&](std::size_t first, std::span<std::uint64_t> out) {
          fill_global(false, type, edges, first, out);
        },
        sizeof(std::array<global_id, 2>), [&](std::uint64_t id) { return rank_of(false, id); },
        serve, [&](std::size_t i, std::uint64_t id) { keep(i, ends_of(id)); },
        [&](std::size_t i, std::span<const std::byte> row) {
          std::array<global_id, 2> found{};
          std::memcpy(found.data(), row.data(), sizeof found);
          keep(i, found);
        });
  });
}

HALOGRAPH_INLINE std::pair<std::vector<global_id>, std::vector<global_id>> dist_graph::find_edges(
    any_id_row edges, type_key etype) const {
  std::pair<std::vector<global_id>, std::vector<global_id>> ends;
  run_collective(ranks_, [&] {
    ends.first.resize(edges.size());
    ends.second.resize(edges.size());
    find_edges(edges, ends.first, ends.second, etype);
  });
  return ends;
}

HALOGRAPH_INLINE type_id dist_graph::only(std::size_t types, const char* noun) {
  if (types != 1)
    raise(error_kind::invalid_argument,
          concat({"there are ", types, " ", noun, " types; name one"}));
  return 0;
}

/// Calls f(span) with some of the IDs, widened to 64 bits, signed as they are.
template <class F>
decltype(auto) with_wide_ids(any_id_row ids, std::size_t first, std::size_t count, F&& f) {
  const auto widened = [&](auto zero) {
    std::vector<decltype(zero)> wide(count);
    ids.convert(first, wide);
    return f(std::span<const decltype(zero)>(wide));
  };
  if (ids.visit([](auto all) { return std::is_signed_v<typename decltype(all)::value_type>; }))
    return widened(std::int64_t{});
  return widened(std::uint64_t{});
}

HALOGRAPH_INLINE void dist_graph::check_ids(bool of_nodes, std::optional<type_id> type,
                                            any_id_row ids) const {
  const auto size_in = [&](const auto& map) { return type ? map.size(*type) : map.size(); };
  const std::uint64_t end = of_nodes ? size_in(book().nodes()) : size_in(book().edges());
  const std::size_t at = ids.find_outside(end);
  if (at == ids.size()) return;
  with_wide_ids(ids, at, 1, [&](auto all) {
    const auto id = all[0];
    if (type)
      static_cast<void>(of_nodes ? book().map_to_homo_nid(id, *type)
                                 : book().map_to_homo_eid(id, *type));  // knows the words
    raise(error_kind::out_of_range, concat({"global ", (of_nodes ? "node" : "edge"), " ID ", id,
                                            " is not in the valid range [0, ", end, ")"}));
  });
}

HALOGRAPH_INLINE std::uint64_t dist_graph::degree_at(const part_graph& at, std::size_t local,
                                                     bool in, std::optional<type_id> type,
                                                     bool owned_alone) {
  if (!type && !owned_alone) return in ? at.in_degree(local) : at.out_degree(local);
  std::uint64_t count = 0;
  const auto see = [&](std::size_t, std::size_t edge) {
    count += (!owned_alone || at.is_inner_edge(edge)) && (!type || at.edge_type(edge) == *type)
                 ? 1u
                 : 0u;
  };
  if (in)
    at.for_each_in_edge(local, see);
  else
    at.for_each_out_edge(local, see);
  return count;
}

HALOGRAPH_INLINE std::vector<std::uint64_t> dist_graph::degrees(bool in, any_id_row nodes,
                                                                type_key etype) const {
  std::vector<std::uint64_t> found;
  run_collective(ranks_, [&] {
    if (!(in ? state_->options.part.in_edges : state_->options.part.out_edges)) {
      raise(error_kind::invalid_argument,
            concat({"the graph was opened without its ", (in ? "in" : "out"),
                    "-edges; request them in part_options"}));
    }
    const auto type = type_of(false, etype);
    const auto of = type ? std::optional(in ? schema().target_type(*type)
                                            : schema().source_type(*type))
                         : std::nullopt;
    check_ids(true, of, nodes);
    found.resize(nodes.size());
    const bool everyone = !in && !has_all_out_edges();
    const auto count_here = [&](std::uint64_t id) {
      const auto node = static_cast<global_id>(id);
      if (!everyone) {
        const auto& at = *part(part_of_node(node));
        return degree_at(at, *at.local_of(node), in, type, false);
      }
      std::uint64_t count = 0;
      for (const auto& at : parts()) {
        if (const auto local = at.local_of(node)) count += degree_at(at, *local, in, type, true);
      }
      return count;
    };
    const auto serve = [&](std::uint64_t id, std::span<std::byte> row) {
      const std::uint64_t count = count_here(id);
      std::memcpy(row.data(), &count, sizeof count);
    };
    row_exchange exchange(ranks_, state_->options.exchange_bytes);
    // If edges of a node may be in any part, request all nodes from each rank in turn.
    for (std::size_t asked = 0; asked < (everyone ? ranks_.size() : 1); ++asked) {
      exchange.fetch_each(
          nodes.size(),
          [&](std::size_t first, std::span<std::uint64_t> out) {
            fill_global(true, of, nodes, first, out);
          },
          sizeof found[0], [&](std::uint64_t id) { return everyone ? asked : rank_of(true, id); },
          serve, [&](std::size_t i, std::uint64_t id) { found[i] += count_here(id); },
          [&](std::size_t i, std::span<const std::byte> row) {
            std::uint64_t count = 0;
            std::memcpy(&count, row.data(), sizeof count);
            found[i] += count;
          });
    }
  });
  return found;
}

HALOGRAPH_INLINE void dist_rows::gather(any_id_row ids, std::span<std::byte> out,
                                        exchange_counters* moved) const {
  exchange_counters cost;
  run_collective(graph_->ranks(), [&] {
    const std::size_t width = row_bytes();
    graph_->check_ids(column_->of_nodes, column_->type, ids);
    detail::check_rows(ids.size(), width, out.size());
    row_exchange exchange(graph_->ranks(), graph_->options().exchange_bytes);
    const std::size_t here = graph_->ranks().rank();
    const auto keeps = column_->kept.finder();
    std::uint64_t kept = 0;
    const auto rank = [&](std::uint64_t id) {
      const std::size_t owner = graph_->rank_of(column_->of_nodes, id);
      return owner != here && keeps(id) != nullptr ? here : owner;
    };
    const auto serve = [&](std::uint64_t id, std::span<std::byte> row) {
      copy_row(row_at(id).data(), row);
    };
    const auto take = [&](std::size_t i, std::uint64_t id) {
      const auto row = out.subspan(i * width, width);
      if (graph_->rank_of(column_->of_nodes, id) == here) return serve(id, row);
      copy_row(keeps(id), row);
      ++kept;
    };
    exchange.fetch_each(
        ids.size(),
        [&](std::size_t first, std::span<std::uint64_t> global) {
          graph_->fill_global(column_->of_nodes, column_->type, ids, first, global);
        },
        width, rank, serve, take,
        [&](std::size_t i, std::span<const std::byte> row) {
          copy_row(row.data(), out.subspan(i * width, width));
        });
    cost = exchange.counters();
    cost.cached_rows = kept;
  });
  if (moved != nullptr) *moved += cost;
}

HALOGRAPH_INLINE tensor dist_rows::operator[](any_id_row ids) const {
  std::optional<tensor> out;
  run_collective(graph_->ranks(), [&] {
    tensor_shape shape{ids.size()};
    shape.insert(shape.end(), row_shape().begin(), row_shape().end());
    auto bytes = std::make_shared<std::vector<std::byte>>(ids.size() * row_bytes());
    gather(ids, *bytes);
    const std::span<const std::byte> view(*bytes);
    out.emplace(type(), std::move(shape), view, std::move(bytes));
  });
  return std::move(*out);
}

HALOGRAPH_INLINE std::uint64_t dist_rows::global_of(any_id_row one) const {
  std::array<std::uint64_t, 1> out{};
  graph_->check_ids(column_->of_nodes, column_->type, one);
  graph_->fill_global(column_->of_nodes, column_->type, one, 0, out);
  return out[0];
}

HALOGRAPH_INLINE std::vector<std::string> dist_type::names() const {
  std::vector<std::string> all;
  for (const auto& column : graph_->state_->columns) {
    if (column.of_nodes == of_nodes_ && column.type == type_) all.push_back(column.name);
  }
  return all;
}

HALOGRAPH_INLINE dist_rows dist_type::data(std::string_view name) const {
  for (const auto& column : graph_->state_->columns) {
    if (column.of_nodes == of_nodes_ && column.type == type_ && column.name == name) {
      return dist_rows(graph_, &column, size());
    }
  }
  std::string known;
  for (const auto& one : names()) known += (known.empty() ? "" : ", ") + graph_schema::quoted(one);
  const graph_schema& schema = graph_->schema();
  raise(
      error_kind::not_found,
      concat({(of_nodes_ ? "node type " + graph_schema::quoted(schema.node_type_name(type_))
                         : "edge type " + graph_schema::quoted(schema.edge_type_name(type_).str())),
              " has no feature ", graph_schema::quoted(name), "; it has ",
              (known.empty() ? "none" : known)}),
      {graph_->config().path, {}, {}});
}

HALOGRAPH_INLINE std::vector<global_id> dist_type::to_global(any_id_row typed) const {
  return with_wide_ids(typed, 0, typed.size(), [&](auto ids) {
    return of_nodes_ ? graph_->book().map_to_homo_nid(ids, type_)
                     : graph_->book().map_to_homo_eid(ids, type_);
  });
}

}  // namespace halograph
