// SPDX-License-Identifier: BSL-1.0
// halograph report CONFIG.json: the quality report, recomputed from the folder alone.
#include "command.hpp"
#include "flag_values.hpp"
#include "formats.hpp"
#include "starting_parts.hpp"

#include <halograph/folder/report.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace halograph::cli {

namespace {

struct report_flags {
  std::string config{};
  double tolerance = default_tolerance;
};

}  // namespace

action add_report(flag_set& app) {
  auto given = std::make_shared<report_flags>();
  app.example("halograph report parts/papers.json", "cut edges, halo and balance of a folder");
  app.example("halograph report parts/papers.json --tolerance 0.01", "judged against 1 %");
  bind_config(app, given->config);
  add_tolerance(
      app, "--tolerance", given->tolerance,
      "allowed imbalance to compare with; the folder does not record its own (default: 0.03)",
      true);
  return [given](const context&) {
    const auto config = open_partition(given->config);
    const auto found = report_folder(
        config, known_access(), {.tolerance = given->tolerance, .on_progress = show_progress()});
    for (const auto& sentence : found.notes) note(sentence);
    answer done;
    json::value details = to_json(found.report);
    if (!found.cut_known) {
      for (auto& [key, value] : *details.if_object()) {
        if (key == "edge_cut" || key == "communication_volume") value = json::value();
      }
    }
    done.details.set("config", given->config);
    for (auto& [key, value] : *details.if_object()) done.details.set(key, std::move(value));
    done.text = to_text(found.report);
    tell_components(found.components, done);
    if (auto simulated = read_simulation(config, folder_files(), json_codec())) {
      const auto number = [&](const char* key) {
        double value = 0;
        if (const auto* const figure = simulated->find(key))
          static_cast<void>(figure->to_double(value));
        return value < 0 ? 0.0 : value;
      };
      done.text += "\nsimulated training: a batch fetches " +
                   human_bytes(static_cast<std::uint64_t>(number("remote_row_bytes_per_batch"))) +
                   " of rows and " +
                   human_bytes(static_cast<std::uint64_t>(number("structure_bytes_per_batch"))) +
                   " of structure from other parts\n";
      done.details.set("simulation", *std::move(simulated));
    }
    return done;
  };
}

}  // namespace halograph::cli
