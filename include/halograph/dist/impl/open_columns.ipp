// SPDX-License-Identifier: BSL-1.0
/// @file open_columns.ipp
/// Bodies of the plain functions of dist/open_columns.hpp.
/// Layer: dist. Words: README.md.
#pragma once

#include <halograph/comm/collective_errors.hpp>
#include <halograph/core/communicator.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/search.hpp>
#include <halograph/dist/dist_state.hpp>
#include <halograph/dist/open_columns.hpp>
#include <halograph/folder/feature_cache.hpp>
#include <halograph/folder/load.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/tensor.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE std::string gather_texts(communicator_ref ranks, const std::string& mine) {
  const auto lengths = gather_numbers(ranks, mine.size());
  const std::vector<std::uint64_t> sent(ranks.size(), mine.size());
  std::string out, all(static_cast<std::size_t>(
                           std::accumulate(lengths.begin(), lengths.end(), std::uint64_t{0})),
                       '\0');
  for (std::size_t r = 0; r < ranks.size(); ++r) out += mine;
  check_peers(ranks);
  check_ranks(ranks.all_to_all(std::as_bytes(std::span(out)), sent,
                               std::as_writable_bytes(std::span(all)), lengths));
  return all;
}

HALOGRAPH_INLINE void open_columns(dist_state& state, const any_file_opener& files,
                                   const format_list& formats) {
  const auto& book = *state.book;
  for (std::uint64_t p = state.held.begin; p < state.held.end; ++p) {
    const auto part = static_cast<part_id>(p);
    const auto path = state.config.resolve(state.config.parts[part].graph);
    auto found = load_partition_feats(state.config, part, files, formats);
    for (const bool of_nodes : {true, false}) {
      for (auto& one : of_nodes ? found.nodes : found.edges) {
        const auto slash = one.name.find('/');
        const auto of = one.name.substr(0, slash);
        const auto fail = [&](error_kind code, const std::string& what) {
          raise(code,
                concat({"feature ", graph_schema::quoted(one.name), " of part ", part, " ", what}),
                {path, {}, {}});
        };
        type_id type = 0;
        try {
          type = of_nodes ? book.node_type_number(of) : book.edge_type_number(of);
        } catch (const error& problem) {
          fail(problem.code(), "is of a type that the config lacks: " + problem.message());
        }
        const std::uint64_t owned = of_nodes ? book.nodes().count(part, type)
                                             : book.edges().count(part, type);
        if (one.value.rank() == 0 || one.value.rows() != owned) {
          fail(error_kind::mismatch,
               concat({"has shape ", to_string(one.value.shape()), "; the config gives the part ",
                       owned, " rows of it"}));
        }
        const std::string name = one.name.substr(slash + 1);
        auto column = std::find_if(
            state.columns.begin(), state.columns.end(), [&](const dist_column& c) {
              return c.of_nodes == of_nodes && c.type == type && c.name == name;
            });
        if (column == state.columns.end()) {
          state.columns.push_back({of_nodes,
                                   type,
                                   name,
                                   one.value.type(),
                                   {one.value.row_shape().begin(), one.value.row_shape().end()},
                                   std::vector<tensor>(static_cast<std::size_t>(state.held.size())),
                                   owned != 0});
          column = state.columns.end() - 1;
        } else if (owned != 0 && !column->certain) {
          column->item = one.value.type();
          column->row_shape.assign(one.value.row_shape().begin(), one.value.row_shape().end());
          column->certain = true;
        }
        if (owned == 0) continue;
        if (column->item != one.value.type() ||
            !std::equal(column->row_shape.begin(), column->row_shape.end(),
                        one.value.row_shape().begin(), one.value.row_shape().end())) {
          fail(error_kind::mismatch, concat({"has dtype ", halograph::name(one.value.type()),
                                             " and shape ", to_string(one.value.shape()),
                                             "; another part's is ", halograph::name(column->item),
                                             " with rows of ", to_string(column->row_shape)}));
        }
        column->rows[static_cast<std::size_t>(p - state.held.begin)] = std::move(one.value);
      }
    }
  }
}

HALOGRAPH_INLINE void agree_on_columns(communicator_ref ranks, dist_state& state) {
  std::string lines;
  for (const auto& column : state.columns) {
    lines += concat({(column.of_nodes ? "n" : "e"), (column.certain ? "+" : "?"), column.type, " ",
                     static_cast<int>(column.item), " ", column.row_shape.size()});
    for (const auto extent : column.row_shape) lines += concat({" ", extent});
    lines += concat({" ", column.name.size(), " ", column.name});
  }
  const std::string text = gather_texts(ranks, lines);
  std::vector<dist_column> merged;
  std::size_t at = 0;
  const auto number = [&] {
    std::uint64_t value = 0;
    for (; at < text.size() && text[at] != ' '; ++at)
      value = value * 10 + static_cast<std::uint64_t>(text[at] - '0');
    ++at;
    return value;
  };
  while (at < text.size()) {
    dist_column column;
    column.of_nodes = text[at] == 'n';
    column.certain = text[at + 1] == '+';
    at += 2;
    column.type = static_cast<type_id>(number());
    column.item = static_cast<dtype>(number());
    for (auto left = number(); left > 0; --left) column.row_shape.push_back(number());
    const auto length = static_cast<std::size_t>(number());
    column.name = text.substr(at, length);
    at += length;
    const auto key = [](const dist_column& c) {
      return std::tuple(!c.of_nodes, c.type, std::string_view(c.name));
    };
    const auto place = std::lower_bound(
        merged.begin(), merged.end(), column,
        [&](const auto& a, const auto& b) { return key(a) < key(b); });
    if (place == merged.end() || key(*place) != key(column)) {
      column.rows.resize(static_cast<std::size_t>(state.held.size()));
      merged.insert(place, std::move(column));
    } else if (!place->certain) {
      if (!column.certain) continue;
      place->item = column.item;
      place->row_shape = column.row_shape;
      place->certain = true;
    } else if (column.certain &&
               (place->item != column.item || place->row_shape != column.row_shape)) {
      raise(error_kind::mismatch,
            concat({"feature ", graph_schema::quoted(column.name), " has rows of dtype ",
                    name(place->item), " and shape ", to_string(place->row_shape),
                    " in one part, of ", name(column.item), " and ", to_string(column.row_shape),
                    " in another; folders of different runs are mixed"}),
            {state.config.path, {}, {}});
    }
  }
  for (auto& column : state.columns) {
    for (auto& into : merged) {
      if (into.of_nodes == column.of_nodes && into.type == column.type && into.name == column.name)
        into.rows = std::move(column.rows);
    }
  }
  state.columns = std::move(merged);
}

HALOGRAPH_INLINE void check_columns(const dist_state& state) {
  for (const auto& column : state.columns) {
    for (std::uint64_t p = state.held.begin; p < state.held.end; ++p) {
      const auto part = static_cast<std::size_t>(p);
      const std::uint64_t owned = column.of_nodes ? state.book->nodes().count(part, column.type)
                                                  : state.book->edges().count(part, column.type);
      const auto& rows = column.rows[static_cast<std::size_t>(p - state.held.begin)];
      if (owned != rows.rows()) {
        raise(error_kind::not_found,
              concat({"part ", p, " has no feature ", graph_schema::quoted(column.name),
                      ", which other parts have; folders of different runs are mixed"}),
              {state.config.path, {}, {}});
      }
    }
  }
}

HALOGRAPH_INLINE void open_kept_rows(dist_state& state, std::size_t rank,
                                     const any_file_opener& files, const format_list& formats) {
  struct kept_row {
    std::uint64_t node;
    const std::byte* row;
  };
  std::vector<std::vector<kept_row>> found(state.columns.size());
  for (std::uint64_t p = state.held.begin; p < state.held.end; ++p) {
    const auto part = static_cast<std::size_t>(p);
    const auto all = load_cached_features(state.config, part, files, formats);
    if (all.empty()) continue;
    const auto fail = [&](const std::string& name, const std::string& what) {
      raise(error_kind::mismatch,
            concat({"the kept rows ", graph_schema::quoted(name), " of part ", part, " ", what,
                    "; place the plan again, by attach-features --cache-plan"}),
            {state.config.resolve(cached_features_file(state.config, part)), {}, {}});
    };
    for (const auto& one : all) {
      const auto slash = one.name.find('/');
      const std::string type_name = one.name.substr(0, slash),
                        name = slash == std::string::npos ? "" : one.name.substr(slash + 1);
      if (name == "_ID") continue;
      const auto type = state.config.schema.node_type(type_name);
      const auto* const ids = find_column(all, type_name + "/_ID");
      if (!type || ids == nullptr) fail(one.name, "are of nodes that the file does not name");
      if (ids->rank() != 1 || ids->type() != dtype::int64 || one.value.rank() == 0 ||
          one.value.rows() != ids->rows()) {
        fail(one.name, concat({"have shape ", to_string(one.value.shape()), ", their IDs ",
                               to_string(ids->shape()), " of ", halograph::name(ids->type()),
                               "; each row needs an int64"}));
      }
      const auto column = std::find_if(
          state.columns.begin(), state.columns.end(),
          [&](const auto& c) { return c.of_nodes && c.type == *type && c.name == name; });
      if (column == state.columns.end() || column->item != one.value.type() ||
          !std::equal(column->row_shape.begin(), column->row_shape.end(),
                      one.value.row_shape().begin(), one.value.row_shape().end())) {
        fail(one.name, "are none of a feature of the folder, or of another dtype or shape");
      }
      for (std::size_t i = 0; i < ids->rows(); ++i) {
        const std::int64_t id = ids->integer(i);
        typed_id<global_id> typed{};
        if (!state.book->nodes().to_typed(id, typed) || typed.type != *type ||
            (i != 0 && id <= ids->integer(i - 1))) {
          fail(one.name,
               concat({"name node ", id, " in row ", i, ", where nodes of the type must ascend"}));
        }
        if (state.rank_of[state.book->nodes().part_of_unchecked(id)] == rank) continue;
        found[static_cast<std::size_t>(column - state.columns.begin())].push_back(
            {static_cast<std::uint64_t>(id), one.value.bytes().data() + i * column->row_bytes()});
      }
      column->kept.owners.push_back(one.value);
    }
  }
  for (std::size_t c = 0; c < found.size(); ++c) {
    auto& [ids, rows, table, owners] = state.columns[c].kept;
    std::sort(found[c].begin(), found[c].end(),
              [](const kept_row& a, const kept_row& b) { return a.node < b.node; });
    for (const auto& one : found[c]) {
      if (!ids.empty() && ids.back() == one.node) continue;  // cached by several parts of this rank
      ids.push_back(one.node);
      rows.push_back(one.row);
    }
    table.resize(ids.empty() ? 0 : boundary_index<std::uint64_t>::memory_size(ids.size()));
    if (!boundary_index<std::uint64_t>::build(ids, table))
      table.clear();  // too many for a table: binary search
  }
}

}  // namespace halograph::detail
