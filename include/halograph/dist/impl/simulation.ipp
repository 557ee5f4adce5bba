// SPDX-License-Identifier: BSL-1.0
/// @file simulation.ipp
/// Bodies of the plain functions of dist/simulation.hpp.
/// Layer: dist. Words: README.md.
#pragma once

#include <halograph/core/ids.hpp>
#include <halograph/dist/simulation.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/json.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace halograph {

HALOGRAPH_INLINE json::value to_json(const simulation& found, const graph_schema& schema) {
  const auto figures = [](const auto& one, std::uint64_t batches) {
    json::value out{json::object{}};
    const auto per_batch = [&](std::uint64_t sum) {
      return batches == 0 ? 0.0 : static_cast<double>(sum) / static_cast<double>(batches);
    };
    out.set("input_nodes", one.input_nodes);
    out.set("remote_rows", one.remote_rows);
    out.set("remote_row_bytes", one.remote_row_bytes);
    out.set("remote_requests", one.remote_requests);
    out.set("structure_bytes", one.structure_bytes);
    out.set("remote_rows_per_batch", per_batch(one.remote_rows));
    out.set("remote_row_bytes_per_batch", per_batch(one.remote_row_bytes));
    out.set("remote_requests_per_batch", per_batch(one.remote_requests));
    out.set("structure_bytes_per_batch", per_batch(one.structure_bytes));
    return out;
  };
  struct sums {
    std::uint64_t input_nodes = 0, remote_rows = 0, remote_row_bytes = 0, remote_requests = 0,
                  structure_bytes = 0;
  };
  const auto of_type = [](const simulated_type& t) {
    return sums{t.input_nodes, t.remote_rows, t.remote_row_bytes(), t.structure.remote,
                t.structure.remote_bytes()};
  };
  const auto of_part = [](const simulated_part& p) {
    return sums{p.input_nodes(), p.remote_rows(), p.remote_row_bytes(), p.remote_requests(),
                p.structure_bytes()};
  };
  const auto cache = [](const simulated_cache& one) {
    json::value out{json::object{}};
    out.set("rows", one.rows);
    out.set("bytes", one.bytes);
    out.set("remote_rows", one.remote_rows);
    out.set("remote_bytes", one.remote_bytes);
    out.set("saved_rows", one.saved_rows);
    out.set("saved_bytes", one.saved_bytes);
    return out;
  };
  sums all;
  simulated_cache kept;
  std::uint64_t batches = 0;
  std::vector<std::uint64_t> edges, inputs;
  json::value parts{json::array{}};
  for (const auto& part : found.parts) {
    const sums own = of_part(part);
    all.input_nodes += own.input_nodes;
    all.remote_rows += own.remote_rows;
    all.remote_row_bytes += own.remote_row_bytes;
    all.remote_requests += own.remote_requests;
    all.structure_bytes += own.structure_bytes;
    kept.rows += part.cache.rows;
    kept.bytes += part.cache.bytes;
    kept.remote_rows += part.cache.remote_rows;
    kept.remote_bytes += part.cache.remote_bytes;
    kept.saved_rows += part.cache.saved_rows;
    kept.saved_bytes += part.cache.saved_bytes;
    batches += part.batches;
    edges.push_back(part.edges);
    inputs.push_back(part.input_nodes());
    json::value one{json::object{}};
    one.set("batches", part.batches);
    one.set("seeds", part.seeds());
    one.set("edges", part.edges);
    const json::value of_it = figures(own, part.batches);
    for (const auto& [key, value] : *of_it.if_object()) one.set(key, value);
    json::value types{json::object{}};
    for (std::size_t t = 0; t < part.types.size(); ++t) {
      const auto& type = part.types[t];
      json::value entry{json::object{}};
      entry.set("row_bytes", type.row_bytes);
      entry.set("seeds", type.seeds);
      const json::value of_this = figures(of_type(type), part.batches);
      for (const auto& [key, value] : *of_this.if_object()) entry.set(key, value);
      entry.set("drawn_own", type.structure.own);
      entry.set("drawn_from_halo", type.structure.from_halo);
      types.set(schema.node_type_name(static_cast<type_id>(t)), std::move(entry));
    }
    one.set("types", std::move(types));
    one.set("cache", cache(part.cache));
    parts.push(std::move(one));
  }
  const auto imbalance = [](const std::vector<std::uint64_t>& loads) {
    spread load{0, 0, loads.size()};
    for (const auto one : loads) {
      load.total += static_cast<std::int64_t>(one);
      load.largest = std::max(load.largest, static_cast<std::int64_t>(one));
    }
    return load.imbalance();
  };
  json::value out{json::object{}}, fanout{json::array{}}, features{json::array{}};
  for (const auto hop : found.options.fanout)
    fanout.push(hop == all_neighbors ? json::value(-1) : json::value(hop));
  for (const auto& feature : found.options.features) features.push(feature);
  out.set("fanout", std::move(fanout));
  out.set("replace", found.options.replace);
  out.set("batch", found.options.batch);
  out.set("epochs", found.options.epochs);
  out.set("seed", found.options.seed);
  out.set("features", std::move(features));
  out.set("cache_bytes", found.options.cache_bytes);
  out.set("same_for_any_parts", found.same_for_any_parts);
  out.set("batches", batches);
  const json::value whole = figures(all, batches);
  for (const auto& [key, value] : *whole.if_object()) out.set(key, value);
  out.set("edges", std::accumulate(edges.begin(), edges.end(), std::uint64_t{0}));
  out.set("edge_imbalance", imbalance(edges));
  out.set("input_imbalance", imbalance(inputs));
  out.set("cache", cache(kept));
  out.set("parts", std::move(parts));
  return out;
}

}  // namespace halograph
