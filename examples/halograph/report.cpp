// SPDX-License-Identifier: BSL-1.0
// halograph report CONFIG.json...: the quality report, recomputed from the folders alone.
#include "command.hpp"
#include "flag_values.hpp"
#include "formats.hpp"
#include "inputs.hpp"
#include "keep_input.hpp"
#include "report.hpp"
#include "starting_parts.hpp"

#include <halograph/core/executor.hpp>
#include <halograph/folder/html_report.hpp>
#include <halograph/folder/report.hpp>
#include <halograph/serial/text/readable.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace halograph::cli {

namespace {

struct report_flags {
  std::vector<std::string> configs{};
  std::string html{};
  double tolerance = default_tolerance;
  memory_flags memory{};
};

/// A bar of so many of `most` characters.
std::string bar_of(double value, double whole, char filled, std::size_t most) {
  const double share = whole > 0 ? std::clamp(value / whole, 0.0, 1.0) : 0.0;
  return std::string(static_cast<std::size_t>(share * static_cast<double>(most) + 0.5), filled);
}

/// Each part's stored nodes beside the largest part's, and each imbalance beside its tolerance.
std::string bars_of(const quality_report& report) {
  constexpr std::size_t width = 40;
  double most = 0;
  for (const auto& part : report.parts)
    most = std::max(most, static_cast<double>(part.inner_nodes + part.halo_nodes));
  const auto padded = [&](std::string text) {
    text.resize(std::max(text.size(), width), ' ');
    return text;
  };
  std::vector<std::vector<std::string>> rows{
      {"part", padded("stored nodes: # inner, + halo"), "halo"}};
  for (std::size_t p = 0; p < report.parts.size(); ++p) {
    const auto& part = report.parts[p];
    const auto inner = static_cast<double>(part.inner_nodes),
               halo = static_cast<double>(part.halo_nodes);
    const std::string first = bar_of(inner, most, '#', width);
    const std::string both = bar_of(inner + halo, most, '+', width);
    const std::string share = readable::percent(inner + halo > 0 ? halo / (inner + halo) : 0.0);
    rows.push_back({std::to_string(p),
                    padded(first + both.substr(std::min(first.size(), both.size()))), share});
  }
  std::string out = "\n" + table(rows);
  if (report.balance.empty()) return out;
  double widest = 0;
  for (const auto& one : report.balance) widest = std::max({widest, one.imbalance, one.tolerance});
  rows = {{"balance", padded("imbalance: =, tolerance: |")}};
  for (const auto& one : report.balance) {
    std::string bar = padded(bar_of(one.imbalance, widest, '=', width - 1));
    bar[bar_of(one.tolerance, widest, ' ', width - 1).size()] = '|';
    rows.push_back({one.name, bar});
  }
  return out + "\n" + table(rows);
}

std::uint64_t simulated_bytes(const json::value& simulated, const char* key) {
  double value = 0;
  if (const auto* const figure = simulated.find(key)) static_cast<void>(figure->to_double(value));
  return value > 0 && value < 1e18 ? static_cast<std::uint64_t>(value) : 0;
}

/// What the command answers for one folder.
answer tell_folder(const std::string& path, const reported_folder& folder) {
  answer done;
  const auto& found = folder.found;
  json::value details = to_json(found.report);
  if (!found.cut_known) {
    for (auto& [key, value] : *details.if_object()) {
      if (key == "edge_cut" || key == "communication_volume") value = json::value();
    }
  }
  done.details.set("config", path);
  done.details.set("need", json::object{{"memory_bytes", found.memory_bytes}});
  for (auto& [key, value] : *details.if_object()) done.details.set(key, std::move(value));
  done.text = to_text(found.report, found.cut_known) + bars_of(found.report);
  tell_components(found, done);
  if (folder.simulation) {
    done.text += "\nsimulated training: a batch fetches " +
                 readable::bytes(
                     simulated_bytes(*folder.simulation, "remote_row_bytes_per_batch")) +
                 " of rows and " +
                 readable::bytes(simulated_bytes(*folder.simulation, "structure_bytes_per_batch")) +
                 " of structure from other parts\n";
    done.details.set("simulation", *folder.simulation);
  }
  return done;
}

/// Several folders beside each other.
std::string compare(const std::vector<std::string>& paths,
                    const std::vector<reported_folder>& folders) {
  std::vector<std::vector<std::string>> rows{{"folder", "method", "parts", "edge cut",
                                              "directed cut", "volume", "replication",
                                              "imbalance"}};
  for (std::size_t f = 0; f < folders.size(); ++f) {
    const auto& report = folders[f].found.report;
    double worst = 0;
    for (const auto& one : report.balance) worst = std::max(worst, one.imbalance);
    const bool known = folders[f].found.cut_known;
    rows.push_back({paths[f], folders[f].method, std::to_string(report.parts.size()),
                    known ? std::to_string(report.edge_cut) : "-",
                    std::to_string(report.directed_cut),
                    known ? std::to_string(report.communication_volume) : "-",
                    readable::fixed(report.replication_factor, 3), readable::fixed(worst, 3)});
  }
  return table(rows);
}

}  // namespace

void guard_page(const std::string& page, const std::string& folder, const char* flag) {
  if (is_inside(folder, page))
    throw usage_error(
        std::string(flag) + " " + page +
        " is inside the partition folder, which may hold only its own files; choose a path outside it");
  require_html_target(page);
  inputs_of_this_run()->protect(page);
}

reported_folder page_entry(const partition_config& config, const folder_access& access,
                           report_options options, executor_ref threads) {
  options.figures = true;
  return {.graph = config.graph_name,
          .method = config.part_method,
          .hops = config.halo_hops,
          .found = report_folder(config, access, options, threads)};
}

void write_page(std::span<const reported_folder> folders, const std::string& page) {
  inputs_of_this_run()->settle();
  write_html_report(html_report(folders), page);
}

action add_report(flag_set& app) {
  auto given = std::make_shared<report_flags>();
  app.example("halograph report parts/papers.json", "cut edges, halo and balance of a folder");
  app.example("halograph report metis/ ours/ --html page.html",
              "two folders, on a page for browsers");
  app.add_option("config", given->configs,
                 "a partition folder, or its JSON file; several are compared")
      .required()
      .type_name("CONFIG.json");
  app.section("Output");
  app.add_option("--html", given->html,
                 "write a page for browsers: charts, tables and a drawing of the graph")
      .type_name("FILE.html");
  app.section("Comparison");
  add_tolerance(
      app, "--tolerance", given->tolerance,
      "allowed imbalance to compare with; the folder does not record its own (default: 0.03)",
      true);
  add_memory(app, given->memory);
  return [given](const context& asked) {
    // By name each time that it is read: a folder may be replaced by one of another name.
    std::vector<std::string> configs = given->configs;
    for (auto& path : configs) path = config_in(path);
    if (!given->html.empty()) {
      for (const auto& path : configs) guard_page(given->html, folder_of(path), "--html");
    }
    const report_options options{.tolerance = given->tolerance,
                                 .on_progress = show_progress(),
                                 .most_bytes = given->memory.allowed()};
    const executor_ref threads = make_threads(asked.threads);
    std::vector<reported_folder> folders;
    for (const auto& path : configs) {
      const auto config = open_partition(path);
      auto& folder = folders.emplace_back();
      if (given->html.empty()) {
        folder.method = config.part_method;
        folder.found = report_folder(config, known_access(), options, threads);
      } else {
        folder = page_entry(config, known_access(), options, threads);
      }
      folder.simulation = read_simulation(config, folder_files(), json_codec());
      for (const auto& sentence : folder.found.notes) note(sentence);
    }
    answer done;
    if (folders.size() == 1) {
      done = tell_folder(configs[0], folders[0]);
    } else {
      json::value all{json::array{}};
      for (std::size_t f = 0; f < folders.size(); ++f) {
        answer one = tell_folder(configs[f], folders[f]);
        one.details.set("method", folders[f].method);
        done.text += configs[f] + ": " + folders[f].method + "\n\n" + one.text + "\n";
        all.push(std::move(one.details));
      }
      done.details.set("folders", std::move(all));
      done.text += compare(configs, folders);
    }
    if (!given->html.empty()) {
      step("write page", [&] { write_page(folders, given->html); });
      done.details.set("html", given->html);
      done.text += "\nthe page is in " + given->html + "\n";
    }
    return done;
  };
}

}  // namespace halograph::cli
