// SPDX-License-Identifier: BSL-1.0
/// @file quality_report.ipp
/// Bodies of the plain functions of folder/quality_report.hpp.
/// Layer: folder. Words: README.md.
#pragma once

#include <halograph/core/function_ref.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/folder/quality_report.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/resident_memory.hpp>

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

HALOGRAPH_INLINE json::value to_json(const quality_report& report) {
  json::value root{json::object{}};
  json::value node_types{json::object{}}, edge_types{json::object{}};
  for (const auto& [name, count] : report.node_types) node_types.set(name, count);
  for (const auto& [name, count] : report.edge_types) edge_types.set(name, count);
  root.set("graph",
           json::object{{"nodes", report.nodes},
                        {"edges", report.edges},
                        {"types", json::object{{"nodes", node_types}, {"edges", edge_types}}}});
  json::value parts{json::array{}};
  for (const auto& part : report.parts) {
    json::value hops{json::array{}};
    for (const auto count : part.halo_nodes_per_hop) hops.push(count);
    parts.push(json::object{{"inner_nodes", part.inner_nodes},
                            {"halo_nodes", part.halo_nodes},
                            {"inner_edges", part.inner_edges},
                            {"halo_edges", part.halo_edges},
                            {"halo_nodes_per_hop", std::move(hops)}});
  }
  root.set("parts", std::move(parts));
  root.set("edge_cut", report.edge_cut);
  root.set("directed_cut", report.directed_cut);
  root.set("communication_volume", report.communication_volume);
  root.set("replication_factor", report.replication_factor);
  json::value balance{json::array{}};
  for (const auto& one : report.balance) {
    balance.push(json::object{{"name", one.name},
                              {"tolerance", one.tolerance},
                              {"imbalance", one.imbalance},
                              {"met", one.met},
                              {"least_imbalance", one.least_imbalance}});
  }
  root.set("balance", std::move(balance));
  json::value steps{json::array{}};
  for (const auto& step : report.steps) {
    steps.push(json::object{
        {"name", step.name}, {"seconds", step.seconds}, {"peak_bytes", step.peak_bytes}});
  }
  root.set("steps", std::move(steps));
  root.set("peak_bytes", report.peak_bytes);
  return root;
}

HALOGRAPH_INLINE void step_clock::run(std::string_view name, function_ref<void()> work) {
  if (callback_) callback_({name, 0, 0, {}});
  // <chrono> costs more to compile than all else here.
  timespec start{}, end{};
  ::clock_gettime(CLOCK_MONOTONIC, &start);
  work();
  ::clock_gettime(CLOCK_MONOTONIC, &end);
  const double seconds = static_cast<double>(end.tv_sec - start.tv_sec) +
                         static_cast<double>(end.tv_nsec - start.tv_nsec) * 1e-9;
  report_.peak_bytes = peak_resident_bytes();
  report_.steps.push_back({std::string(name), seconds, report_.peak_bytes});
}

}  // namespace halograph
