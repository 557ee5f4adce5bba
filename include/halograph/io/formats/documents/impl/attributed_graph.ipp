// SPDX-License-Identifier: BSL-1.0
/// @file attributed_graph.ipp
/// Bodies of the plain functions of io/formats/documents/attributed_graph.hpp.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/io/formats/documents/attributed_graph.hpp>
#include <halograph/io/formats/edge_list.hpp>
#include <halograph/io/key_dictionary.hpp>
#include <halograph/io/streamed_graph.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/feature_store.hpp>
#include <halograph/serial/tensor.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE number_columns::column* number_columns::at(std::string_view name) {
  constexpr std::size_t most = 1000;  // columns; further ones are left out
  auto found = places_.find(name);
  if (found == places_.end()) {
    found = places_.emplace(std::string(name), columns_.size()).first;
    columns_.emplace_back().name = name;
    if (columns_.size() > most || !is_safe_name(name)) drop(columns_.back());
  }
  column& one = columns_[found->second];
  if (one.last != rows_ - 1) drop(one);  // a row is missing, or has two values
  one.last = rows_;
  return one.whole ? &one : nullptr;
}

HALOGRAPH_INLINE void number_columns::drop(column& one) noexcept {
  one.whole = false;
  one.integers = {};
  one.floats = {};
}

HALOGRAPH_INLINE void number_columns::put(std::string_view name, std::int64_t value) {
  column* const one = at(name);
  if (one == nullptr) return;
  if (one->floating)
    one->floats.push_back(static_cast<double>(value));
  else
    one->integers.push_back(value);
}

HALOGRAPH_INLINE void number_columns::put(std::string_view name, double value) {
  column* const one = at(name);
  if (one == nullptr) return;
  if (!one->floating) {
    one->floats.assign(one->integers.begin(), one->integers.end());
    one->integers = {};
    one->floating = true;
  }
  one->floats.push_back(value);
}

HALOGRAPH_INLINE void number_columns::put_other(std::string_view name) {
  if (column* const one = at(name)) drop(*one);
}

HALOGRAPH_INLINE bool number_columns::has(std::string_view name) const {
  const auto found = places_.find(name);
  return found != places_.end() && columns_[found->second].last == rows_;
}

HALOGRAPH_INLINE void number_columns::rearrange(std::span<const std::size_t> order) {
  const auto rearranged = [&](auto& values) {
    auto moved = std::move(values);
    values = {};
    values.reserve(order.size());
    for (const std::size_t i : order) values.push_back(moved[i]);
  };
  for (auto& one : columns_) {
    if (!one.whole || one.last != rows_) {
      drop(one);
      continue;
    }
    one.last = order.size();
    if (one.floating)
      rearranged(one.floats);
    else
      rearranged(one.integers);
  }
  rows_ = order.size();
}

HALOGRAPH_INLINE std::vector<feature<>> number_columns::finish(const char* kind,
                                                               std::vector<std::string>& notes) && {
  constexpr std::size_t most_named = 5;
  std::vector<feature<>> out;
  std::string left_out;
  std::size_t count = 0;
  for (auto& one : columns_) {
    if (one.whole && one.last == rows_) {
      out.push_back({0, one.name,
                     chunked_tensor(one.floating ? tensor::from(std::move(one.floats))
                                                 : tensor::from(std::move(one.integers)))});
    } else if (++count <= most_named) {
      left_out += (count == 1 ? " " : ", ") + graph_schema::quoted(one.name);
    }
  }
  if (count != 0) {
    if (count > most_named) left_out += " and " + std::to_string(count - most_named) + " more";
    notes.push_back(std::string(kind) + " attributes" + left_out +
                    " are left out; an attribute becomes a feature where every " + kind +
                    " has one number for it");
  }
  return out;
}

HALOGRAPH_INLINE std::optional<std::pair<std::size_t, std::size_t>> node_keys::sort() {
  std::optional<std::pair<std::size_t, std::size_t>> twice;
  const auto sorted = [&](auto& keys) {
    std::sort(keys.begin(), keys.end());
    for (std::size_t i = 1; i < keys.size(); ++i) {
      if (keys[i].first == keys[i - 1].first && (!twice || keys[i].second < twice->first))
        twice = std::pair(keys[i].second, keys[i - 1].second);
    }
  };
  sorted(texts_);
  sorted(numbers_);
  return twice;
}

HALOGRAPH_INLINE bool node_keys::are_ids() const noexcept {
  return texts_.empty() &&
         (numbers_.empty() ||
          (numbers_.front().first == 0 &&
           static_cast<std::uint64_t>(numbers_.back().first) == numbers_.size() - 1));
}

HALOGRAPH_INLINE std::optional<std::uint64_t> node_keys::find(
    std::string_view text) const noexcept {
  const auto found = std::lower_bound(texts_.begin(), texts_.end(),
                                      std::pair(text, std::size_t{0}));
  if (found == texts_.end() || found->first != text) return std::nullopt;
  return found->second;
}

HALOGRAPH_INLINE std::optional<std::uint64_t> node_keys::find(std::int64_t number) const noexcept {
  const auto found = std::lower_bound(numbers_.begin(), numbers_.end(),
                                      std::pair(number, std::size_t{0}));
  if (found == numbers_.end() || found->first != number) return std::nullopt;
  return are_ids() ? static_cast<std::uint64_t>(number) : found->second;
}

HALOGRAPH_INLINE std::vector<std::size_t> node_keys::positions() const {
  std::vector<std::size_t> out;
  for (const auto& [number, position] : numbers_) out.push_back(position);
  return out;
}

HALOGRAPH_INLINE std::vector<std::int64_t> node_keys::numbers() const {
  std::vector<std::int64_t> out(numbers_.size());
  for (const auto& [number, position] : numbers_) out[position] = number;
  return out;
}

HALOGRAPH_INLINE void node_keys::write(const document_options& options) const {
  std::error_code ignored;  // writing says what is wrong
  std::filesystem::create_directories(options.dictionaries, ignored);
  std::uint64_t bytes = std::uint64_t{8} * numbers_.size();
  for (const auto& [text, position] : texts_) bytes += text.size();
  std::size_t i = 0;
  std::optional<node_key> current;
  const auto next = [&](std::string_view& key, std::uint64_t& id) {
    if (i == size()) return false;
    current = kind_ == key_kind::text ? node_key(texts_[i].first) : node_key(numbers_[i].first);
    id = kind_ == key_kind::text ? texts_[i].second : numbers_[i].second;
    key = current->bytes();
    ++i;
    return true;
  };
  write_key_dictionary(
      options.dictionaries + "/_N.keys", size(), bytes, kind_, next,
      options.scratch.empty() ? std::filesystem::temp_directory_path().string() : options.scratch,
      options.memory);
}

HALOGRAPH_INLINE void mirror_edges(attributed_graph& graph,
                                   function_ref<bool(std::size_t)> undirected) {
  const std::size_t count = graph.edges.size();
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = 0; i < count; ++i) {
    const auto [source, target] = graph.edges[i];
    if (source == target || !undirected(i)) continue;
    graph.edges.push_back({target, source});
    order.push_back(i);
  }
  graph.edge_attributes.rearrange(order);
}

HALOGRAPH_INLINE streamed_graph stream_attributed(attributed_graph graph, const std::string& path,
                                                  const char* place,
                                                  const document_options& options) {
  streamed_graph out;
  out.name = stem_of(path);
  out.schema = graph_schema::homogeneous();
  out.notes = std::move(graph.notes);
  const node_keys& keys = graph.keys;
  feature_set features;
  const bool ids = keys.are_ids();
  if (ids) graph.node_attributes.rearrange(keys.positions());
  if (options.features) {
    features.nodes = std::move(graph.node_attributes).finish("node", out.notes);
    features.edges = std::move(graph.edge_attributes).finish("edge", out.notes);
    if (!ids && keys.kind() == key_kind::integer)
      features.nodes.push_back({0, "id", chunked_tensor(tensor::from(keys.numbers()))});
  }
  if (!ids) {
    if (!options.dictionaries.empty()) keys.write(options);
    out.notes.push_back(path + ": nodes get their IDs in the order of " + place +
                        (keys.kind() == key_kind::text ? ", since they are named by text"
                                                       : ", since their own are not 0 to " +
                                                             std::to_string(keys.size() - 1)));
  }
  stream_pairs(out, keys.size(),
               std::make_shared<const std::vector<endpoint_pair>>(std::move(graph.edges)));
  out.node_features = stream_features(features.nodes);
  out.edge_features = stream_features(features.edges);
  return out;
}

}  // namespace halograph::detail
