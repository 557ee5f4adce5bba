// SPDX-License-Identifier: BSL-1.0
/// @file tables.ipp
/// Bodies of the plain functions of io/formats/tables.hpp.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/io/formats/csv_table.hpp>
#include <halograph/io/formats/tables.hpp>
#include <halograph/io/formats/tables_spec.hpp>
#include <halograph/io/key_dictionary.hpp>
#include <halograph/io/streamed_graph.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/external_sort.hpp>
#include <halograph/serial/files/file.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE streamed_graph tables_streamer::run() {
  graph_.name = spec_.name;
  for (const auto& node : spec_.nodes) graph_.schema.add_node_type(node.type);
  for (const auto& edge : spec_.edges) graph_.schema.add_edge_type(edge.type);
  for (std::size_t t = 0; t < spec_.nodes.size(); ++t) {
    graph_.node_counts.push_back(spec_.nodes[t].table.files.empty() ? keys_of_edges(t)
                                                                    : keys_of_nodes(t));
  }
  if (options_.dictionaries.empty()) {
    graph_.notes.push_back(
        "the mapping from keys to IDs is not kept; make a chunked graph of the tables to keep it");
  }
  struct ends {
    std::shared_ptr<scratch_file> source, target;
  };
  std::vector<ends> columns;
  for (std::size_t r = 0; r < spec_.edges.size(); ++r) {
    auto [source, target] = resolve(r);
    columns.push_back({std::move(source), std::move(target)});
  }
  graph_.read_edges = [columns](type_id r, std::uint64_t first, std::uint64_t last,
                                const edge_block_visitor& visit) {
    std::vector<std::uint64_t> from, to;
    for (; first < last; first += from.size()) {
      from.resize(static_cast<std::size_t>(std::min(edges_per_block, last - first)));
      to.resize(from.size());
      columns[r].source->read_at(first * 8, std::as_writable_bytes(std::span(from)));
      columns[r].target->read_at(first * 8, std::as_writable_bytes(std::span(to)));
      visit(from, to, first);
    }
  };
  return std::move(graph_);
}

HALOGRAPH_INLINE node_key tables_streamer::key_from(const reader& at, std::size_t slot,
                                                    key_kind kind) const {
  const std::string_view field = at.field(slot);
  const auto key = node_key::from(field, kind);
  if (!key || field.empty()) {
    at.where().fail(error_kind::malformed,
                    "the key in " + at.column_name(slot) + " is " +
                        (field.empty() ? "empty" : graph_schema::quoted(field)) + "; it must be " +
                        (kind == key_kind::text ? "some text" : "an integer of 64 bits"));
  }
  if (key->bytes().size() > external_sorter<std::uint64_t>::longest_key) {
    at.where().fail(error_kind::overflow,
                    "the key in " + at.column_name(slot) + " has " + std::to_string(field.size()) +
                        " bytes; it may have " +
                        std::to_string(external_sorter<std::uint64_t>::longest_key));
  }
  return *key;
}

HALOGRAPH_INLINE tables_streamer::feature_columns::feature_columns(const csv_table& table,
                                                                   reader& at,
                                                                   const std::string& scratch)
    : table_(table) {
  for (const auto& feature : table.features) {
    auto& one = columns_.emplace_back();
    for (const auto& wanted : feature.columns) one.slots.push_back(at.want(wanted));
    one.row.resize(feature.columns.size() * item_bytes(feature.element));
    one.file = std::make_shared<scratch_file>(scratch);
  }
}

HALOGRAPH_INLINE void tables_streamer::feature_columns::take(const reader& at) {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const auto& feature = table_.features[i];
    auto& one = columns_[i];
    const std::size_t item = item_bytes(feature.element);
    const auto store = [&](std::size_t slot, std::string_view field, std::byte* out) {
      const bool empty = field.find_first_not_of(" \t") == std::string_view::npos;
      if (empty && feature.missing) field = *feature.missing;
      if (store_field(field, feature.element, out)) return;
      at.where().fail(error_kind::malformed,
                      at.column_name(slot) + " is " +
                          (empty ? std::string("empty") : graph_schema::quoted(field)) +
                          "; it must be a number that " + std::string(name(feature.element)) +
                          " holds" +
                          (empty && !feature.missing
                               ? ", or the specification must give a value for \"missing\""
                               : ""));
    };
    if (at.rows() == 1 && feature.columns.size() == 1 && !feature.vector) {
      one.list = at.list_width(one.slots[0]);
      if (one.list) one.row.resize(static_cast<std::size_t>(*one.list) * item);
    }
    if (!one.list) {
      for (std::size_t c = 0; c < one.slots.size(); ++c)
        store(one.slots[c], at.field(one.slots[c]), one.row.data() + c * item);
    } else {
      take_list(at, one, item, store);
    }
    one.file->append(one.row);
  }
}

HALOGRAPH_INLINE void tables_streamer::feature_columns::take_list(
    const reader& at, column& one, std::size_t item,
    function_ref<void(std::size_t, std::string_view, std::byte*)> store) const {
  // "[1, 2]"; numbers hold neither commas nor brackets.
  std::string_view rest = at.field(one.slots[0]);
  const std::string_view whole = rest;
  std::size_t done = 0;
  const std::size_t wanted = static_cast<std::size_t>(*one.list);
  const bool list = rest.size() >= 2 && rest.front() == '[' && rest.back() == ']';
  if (list) rest = rest.substr(1, rest.size() - 2);
  bool more = list && !rest.empty();
  while (more && done < wanted) {
    const std::size_t comma = rest.find(',');
    store(one.slots[0], rest.substr(0, comma), one.row.data() + done++ * item);
    more = comma != std::string_view::npos;
    if (more) rest.remove_prefix(comma + 1);
  }
  if (!list || done != wanted || more) {
    at.where().fail(
        error_kind::malformed,
        at.column_name(one.slots[0]) + " is " +
            (whole.empty() ? std::string("empty") : graph_schema::quoted(whole.substr(0, 40))) +
            "; it must be a list of " + std::to_string(wanted) + " numbers, as in the first row");
  }
}

HALOGRAPH_INLINE void tables_streamer::feature_columns::give(type_id type, std::uint64_t rows,
                                                             std::vector<streamed_feature>& out) {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const auto& feature = table_.features[i];
    streamed_feature one{type, feature.name, feature.element, {}, rows, {}};
    if (feature.vector) one.row_shape.push_back(feature.columns.size());
    if (columns_[i].list) one.row_shape.push_back(*columns_[i].list);
    columns_[i].file->flush();
    one.read = [file = columns_[i].file, width = columns_[i].row.size()](
                   std::uint64_t first, std::uint64_t, std::span<std::byte> bytes) {
      file->read_at(first * width, bytes);
    };
    out.push_back(std::move(one));
  }
}

HALOGRAPH_INLINE table_place tables_streamer::place_of(const csv_table& table,
                                                       const csv_column& column,
                                                       std::uint64_t row) const {
  const progress_callback silent;
  reader at(table, open_, tables_, silent);
  at.want(column);
  while (at.next()) {
    if (at.rows() == row + 1) return at.where();
  }
  return {};
}

HALOGRAPH_INLINE std::uint64_t tables_streamer::keys_of_nodes(std::size_t t) {
  const node_table& node = spec_.nodes[t];
  external_sorter<std::uint64_t> keys(options_.scratch, options_.memory / 2);
  {
    reader at(node.table, open_, tables_, options_.on_progress);
    const std::size_t key = at.want(node.key);
    feature_columns features(node.table, at, options_.scratch);
    while (at.next()) {
      keys.add(key_from(at, key, node.keys).bytes(), at.rows() - 1);
      features.take(at);
    }
    features.give(static_cast<type_id>(t), keys.size(), graph_.node_features);
  }
  auto sorted = keys.sorted();
  std::string before;
  std::uint64_t id_before = 0, seen = 0;
  write_key_dictionary(
      path_of(t), keys.size(), keys.key_bytes(), node.keys,
      [&](std::string_view& key, std::uint64_t& id) {
        if (!sorted.next()) return false;
        key = sorted.key();
        id = sorted.value();
        if (seen++ != 0 && key == before) {
          place_of(node.table, node.key, id)
              .fail(error_kind::exists,
                    "the key " + graph_schema::quoted(node_key::text(key, node.keys)) +
                        " of node type " + graph_schema::quoted(node.type) + " occurs already in " +
                        place_of(node.table, node.key, id_before).words() +
                        "; keys must be unique");
        }
        before.assign(key);
        id_before = id;
        return true;
      },
      options_.scratch, options_.memory / 2);
  return keys.size();
}

HALOGRAPH_INLINE std::uint64_t tables_streamer::keys_of_edges(std::size_t t) {
  const node_table& node = spec_.nodes[t];
  external_sorter<char> keys(options_.scratch, options_.memory / 2);
  for (const auto& edge : spec_.edges) {
    reader at(edge.table, open_, tables_, options_.on_progress);
    std::vector<std::size_t> slots;
    if (edge.type.source == node.type) slots.push_back(at.want(edge.source));
    if (edge.type.target == node.type) slots.push_back(at.want(edge.target));
    if (slots.empty()) continue;
    while (at.next()) {
      for (const auto slot : slots) keys.add(key_from(at, slot, node.keys).bytes(), 0);
    }
  }
  // Once to count, once to write.
  const auto each = [&](auto&& f) {
    auto sorted = keys.sorted();
    std::string before;
    for (bool first = true; sorted.next(); first = false) {
      if (!first && sorted.key() == before) continue;
      before.assign(sorted.key());
      f(sorted.key());
    }
  };
  std::uint64_t count = 0, bytes = 0;
  each([&](std::string_view key) {
    ++count;
    bytes += key.size();
  });
  auto sorted = keys.sorted();
  std::string before;
  std::uint64_t next_id = 0;
  write_key_dictionary(
      path_of(t), count, bytes, node.keys,
      [&](std::string_view& key, std::uint64_t& id) {
        while (sorted.next()) {
          if (next_id != 0 && sorted.key() == before) continue;
          before.assign(sorted.key());
          key = sorted.key();
          id = next_id++;
          return true;
        }
        return false;
      },
      options_.scratch, options_.memory / 2);
  graph_.notes.push_back("node type " + graph_schema::quoted(node.type) + " has no files; its " +
                         std::to_string(count) +
                         " nodes are the keys that edges use, in ascending order");
  return count;
}

HALOGRAPH_INLINE std::pair<std::shared_ptr<scratch_file>, std::shared_ptr<scratch_file>>
tables_streamer::resolve(std::size_t r) {
  const edge_table& edge = spec_.edges[r];
  const type_id source_type = node_type_of(edge.type.source),
                target_type = node_type_of(edge.type.target);
  external_sorter<std::uint64_t> sources(options_.scratch, options_.memory / 3),
      targets(options_.scratch, options_.memory / 3);
  {
    reader at(edge.table, open_, tables_, options_.on_progress);
    const std::size_t source = at.want(edge.source), target = at.want(edge.target);
    feature_columns features(edge.table, at, options_.scratch);
    while (at.next()) {
      sources.add(key_from(at, source, spec_.nodes[source_type].keys).bytes(), at.rows() - 1);
      targets.add(key_from(at, target, spec_.nodes[target_type].keys).bytes(), at.rows() - 1);
      features.take(at);
    }
    graph_.edge_counts.push_back(at.rows());
    features.give(static_cast<type_id>(r), at.rows(), graph_.edge_features);
  }
  auto from = join(edge, edge.source, sources, source_type);
  auto to = join(edge, edge.target, targets, target_type);
  return {std::move(from), std::move(to)};
}

HALOGRAPH_INLINE std::shared_ptr<scratch_file> tables_streamer::join(
    const edge_table& edge, const csv_column& column, external_sorter<std::uint64_t>& keys,
    type_id type) {
  const node_table& node = spec_.nodes[type];
  external_sorter<std::uint64_t> by_edge(options_.scratch, options_.memory / 3);
  dictionary_cursor known(path_of(type));
  bool more = known.next();
  std::uint64_t missing = 0, first_missing = ~std::uint64_t{0};
  std::string missing_key;
  std::uint64_t done = 0;
  const auto report = [&](const char* what, std::uint64_t n) {
    if (options_.on_progress && n % (1 << 16) == 0)
      options_.on_progress({what, n, keys.size(), "edges"});
  };
  for (auto at = keys.sorted(); at.next();) {
    report("find keys", ++done);
    while (more && known.key() < at.key()) more = known.next();
    if (more && known.key() == at.key()) {
      by_edge.add(number_key(at.value()), known.id());
    } else {
      ++missing;
      if (at.value() < first_missing) {
        first_missing = at.value();
        missing_key = node_key::text(at.key(), node.keys);
      }
    }
  }
  if (missing != 0) {
    place_of(edge.table, column, first_missing)
        .fail(error_kind::not_found,
              (column.name.empty() ? "column " + std::to_string(column.number)
                                   : "column " + graph_schema::quoted(column.name)) +
                  " is " + graph_schema::quoted(missing_key) +
                  ", which is not a key of node type " + graph_schema::quoted(node.type) +
                  (missing > 1 ? "; " + std::to_string(missing) +
                                     " edges use keys that its files do not have"
                               : "; its files must have it"));
  }
  auto out = std::make_shared<scratch_file>(options_.scratch);
  done = 0;
  for (auto at = by_edge.sorted(); at.next();) {
    report("order edges", ++done);
    out->append(std::as_bytes(std::span(&at.value(), 1)));
  }
  out->flush();
  return out;
}

}  // namespace halograph::detail
