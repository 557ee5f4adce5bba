// SPDX-License-Identifier: BSL-1.0
// halograph report CONFIG.json: the quality report, recomputed from the folder alone.
#include "command.hpp"
#include "formats.hpp"

#include <halograph/pipeline/report_folder.hpp>

#include <memory>
#include <string>
#include <utility>

namespace halograph::cli {

namespace {

struct flags {
  std::string config{};
  double tolerance = default_tolerance;
};

}  // namespace

action add_report(CLI::App& app) {
  auto given = std::make_shared<flags>();
  app.add_option("config", given->config, "the JSON file of a partition folder")->required()->type_name("CONFIG.json");
  app.add_option("--tolerance", given->tolerance, "imbalance to judge against; a folder does not tell what it was made for (default: 0.03)")
      ->check(CLI::Range(0.0, 1e6));
  return [given](const context&) {
    const auto config = open_partition(given->config);
    const auto found = report_folder(config, mapped_files{}, known_formats{}, {.tolerance = given->tolerance, .on_progress = show_progress()});
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
    return done;
  };
}

}  // namespace halograph::cli
