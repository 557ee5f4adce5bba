// SPDX-License-Identifier: BSL-1.0
// halograph attach-features CONFIG.json --input PATH: features in the order of the input, added to every part.
#include "command.hpp"
#include "formats.hpp"
#include "inputs.hpp"

#include <halograph/pipeline/attach_features.hpp>
#include <halograph/pipeline/open_dataset.hpp>
#include <halograph/serial/folder.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace halograph::cli {

namespace {

struct flags {
  std::string config{}, input{}, out{};
  std::vector<std::string> only{};
  bool replace = false;
};

/// The input's features, by the folder's type numbers.
feature_set read_features(const std::string& path, const partition_config& config) {
  std::error_code ignored;
  const bool folder = std::filesystem::is_directory(path, ignored);
  if (folder && !std::filesystem::exists(path + "/metadata.json", ignored) && !std::filesystem::exists(path + "/meta.json", ignored)) {
    return read_feature_folder(path, config.schema, mapped_files{});
  }
  auto data = load_dataset(path, {}, input_files{}, nlohmann_codec{}, sequential{}, input_tables{});
  for (const auto& sentence : data.notes) note(sentence);
  return match_features(std::move(data.features), data.schema, config);
}

/// Keep the features that --feature names. @errors not_found: one that the input does not have
void choose(feature_set& features, const std::vector<std::string>& wanted, const partition_config& config) {
  if (wanted.empty()) return;
  std::vector<bool> used(wanted.size());
  const auto keep = [&](auto& all, entity kind) {
    std::erase_if(all, [&](const auto& one) {
      const std::string key = type_name(config.schema, {kind, one.type}) + "/" + one.name;
      bool found = false;
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (wanted[i] != key && wanted[i] != one.name) continue;
        used[i] = found = true;
      }
      return !found;
    });
  };
  keep(features.nodes, entity::node);
  keep(features.edges, entity::edge);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (!used[i]) raise(errc::not_found, "the input has no feature " + graph_schema::quoted(wanted[i]) + "; name one as TYPE/NAME or NAME");
  }
}

}  // namespace

action add_attach_features(CLI::App& app) {
  auto given = std::make_shared<flags>();
  app.footer(
      "PATH is a graph in any form that partition reads, or a folder of <type>/<name>.npy, one row for each node (or edge)\n"
      "of the type in the order of the input. The folder must hold the mapping to original IDs: partition with\n"
      "--save-mapping or --store-orig-ids. The result takes the folder's place in one step.");
  app.add_option("config", given->config, "the JSON file of a partition folder")->required()->type_name("CONFIG.json");
  app.add_option("--input", given->input, "where the features are")->required()->type_name("PATH");
  app.add_option("--feature", given->only, "attach this one alone, TYPE/NAME or NAME; may be repeated (default: all)")->type_name("KEY");
  app.add_option("--out", given->out, "make a new folder and leave the old one as it is")->type_name("DIR");
  app.add_flag("--replace", given->replace, "replace features that are there already");
  return [given](const context&) {
    const auto config = open_partition(given->config);
    feature_set features = read_features(given->input, config);
    choose(features, given->only, config);
    if (features.nodes.empty() && features.edges.empty()) raise(errc::not_found, "the input has no features to attach", {.file = given->input});

    // The manifest keeps how the folder was made before.
    json::value keys{json::array{}}, command{json::object{}};
    for (const auto& one : features.nodes) keys.push(type_name(config.schema, {entity::node, one.type}) + "/" + one.name);
    for (const auto& one : features.edges) keys.push(type_name(config.schema, {entity::edge, one.type}) + "/" + one.name);
    command.set("command", "attach-features");
    command.set("features", std::move(keys));
    const std::string folder = config.folder().empty() ? "." : config.folder();
    if (const auto made = read_manifest(folder)) {
      json::value before;
      if (nlohmann_codec{}.parse(made->command, before)) command.set("before", std::move(before));
    }
    const auto attached = attach_features(config, features, mapped_files{}, known_formats{},
                                          {.replace = given->replace, .out = given->out, .command = std::move(command), .on_progress = show_progress()});
    answer done;
    const auto list = [](const std::vector<std::string>& all) {
      json::value out{json::array{}};
      for (const auto& key : all) out.push(key);
      return out;
    };
    const std::string target = given->out.empty() ? folder : given->out;
    done.details.set("config", given->config);
    done.details.set("folder", target);
    done.details.set("added", list(attached.added));
    done.details.set("replaced", list(attached.replaced));
    done.details.set("rows", attached.rows);
    for (const auto& key : attached.added) done.text += "added " + key + '\n';
    for (const auto& key : attached.replaced) done.text += "replaced " + key + '\n';
    done.text += std::to_string(attached.rows) + " rows in " + std::to_string(config.num_parts) + " parts of " + target + '\n';
    return done;
  };
}

}  // namespace halograph::cli
