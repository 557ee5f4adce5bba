// SPDX-License-Identifier: BSL-1.0
// halograph attach-features CONFIG.json --input PATH: adds features in the order of the input to
// every part or, with --cache-plan, copies of other parts' rows.
#include "command.hpp"
#include "flag_values.hpp"
#include "formats.hpp"
#include "inputs.hpp"
#include "keep_input.hpp"
#include "partition_inputs.hpp"

#include <halograph/folder/feature_cache.hpp>
#include <halograph/io/chunked/open.hpp>
#include <halograph/io/chunked/read.hpp>
#include <halograph/io/input_format.hpp>
#include <halograph/io/open_dataset.hpp>
#include <halograph/partition/fixed_point.hpp>
#include <halograph/pipeline/attach_features.hpp>
#include <halograph/serial/files/folder_entries.hpp>
#include <halograph/serial/files/manifest.hpp>
#include <halograph/serial/text/readable.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace halograph::cli {

namespace {

struct attach_features_flags {
  std::string config{}, input{}, plan{}, out{};
  std::vector<std::string> only{};
  bool replace = false;
  memory_flags memory{};
};

/// The input's features, by the folder's type numbers.
/// @param held  out: bytes of memory that reading the graph with its features takes
feature_set read_input_features(const attach_features_flags& asked, const partition_config& config,
                                std::uint64_t& held) {
  const std::string& path = asked.input;
  if (is_folder(path) && !detail::is_there(path + "/metadata.json") &&
      !detail::is_there(path + "/meta.json")) {
    held = 0;  // arrays stay in their files
    return read_feature_folder(path, config.schema, folder_files());
  }
  if (recognize_input(path, input_files(), json_codec()).format == input_format::chunked) {
    const auto graph = open_chunked(path, input_files(), json_codec(), input_tables(),
                                    {.keep_arrays = true});
    held = 0;  // arrays stay in their files
    for (const auto* all : {&graph.node_features, &graph.edge_features}) {
      for (const auto& one : *all) {
        if (one.list.format != chunk_format::numpy)
          held += detail::saturating(one.rows, one.row_bytes());
      }
    }
    asked.memory.require(held, "reading these features", path);
    return match_features(read_features(graph), graph.schema, config);
  }
  // The edges of other graphs are read, too.
  const auto with_edges = [](std::uint64_t nodes, std::uint64_t edges, std::uint64_t others) {
    return detail::saturating(edges, 16, detail::saturating(nodes, 8, others));
  };
  const auto known = quick_counts(path);
  if (known) {
    held = with_edges(known->nodes, known->edges, known->resident_input_bytes);
    asked.memory.require(held, "reading this graph", path);
  }
  auto data = load_dataset(path, {.most_bytes = asked.memory.allowed(), .yaml = yaml_codec()},
                           input_files(), json_codec(), sequential{}, input_tables());
  for (const auto& sentence : data.notes) note(sentence);
  if (!known) {
    std::uint64_t rows = 0;
    for (const auto* all : {&data.features.nodes, &data.features.edges}) {
      for (const auto& one : *all) rows += one.rows.rows() * one.rows.row_bytes();
    }
    held = with_edges(data.num_nodes(), data.num_edges(), rows);
  }
  return match_features(std::move(data.features), data.schema, config);
}

/// Keep the features that --feature names. @errors not_found: one that the input does not have
void choose(feature_set& features, const std::vector<std::string>& wanted,
            const partition_config& config) {
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
    if (!used[i])
      raise(error_kind::not_found, "the input has no feature " + graph_schema::quoted(wanted[i]) +
                                       "; name one as TYPE/NAME or NAME");
  }
}

/// Rows of other parts, placed by a plan.
answer place_cache(const attach_features_flags& asked, const partition_config& config,
                   const any_file_opener& files) {
  const auto plan = read_cache_plan(asked.plan, config, folder_files());
  json::value command{json::object{}};
  command.set("command", "attach-features");
  command.set("cache_plan", asked.plan);
  const auto placed = attach_cache(config, plan, known_access(files),
                                   {.features = asked.only,
                                    .out = asked.out,
                                    .command = command_after(config, std::move(command)),
                                    .on_progress = show_progress()});
  const std::string target = asked.out.empty() ? folder_of(config.path) : asked.out;
  note(placed.note);
  answer done;
  done.details.set("config", asked.config);
  done.details.set("folder", target);
  done.details.set("rows", placed.rows);
  done.details.set("bytes", placed.bytes);
  done.text = "parts of " + target + " keep " + counted(placed.rows, "row") + " of others, " +
              readable::bytes(placed.bytes) + '\n';
  return done;
}

}  // namespace

action add_attach_features(flag_set& app) {
  auto given = std::make_shared<attach_features_flags>();
  app.example("halograph attach-features parts/papers.json -i papers/",
              "add the features of the graph that was partitioned");
  app.example(
      "halograph attach-features parts/papers.json -i papers/ --feature paper/feat --replace",
      "replace one of them");
  app.footer(
      "PATH is a graph in any form that partition reads, or a folder of <type>/<name>.npy, one row for each node (or edge)\n"
      "of the type in the order of the input. Nodes can get features unless the folder was made with --no-mapping, edges only if\n"
      "it was made with --save-mapping or --store-orig-ids. The result replaces the folder atomically. A feature that exists\n"
      "with the same rows is left unchanged, so a killed run can be repeated.");
  bind_config(app, given->config);
  app.section("Input and output");
  const bound_flag input =
      app.add_option("--input", given->input, "the features").type_name("PATH");
  const bound_flag plan =
      app.add_option(
             "--cache-plan", given->plan,
             "instead: copy other parts' rows into each part, as chosen by simulate --cache --plan")
          .type_name("FILE.npy")
          .excludes(input);
  app.section("Which features");
  app.add_option("--feature", given->only,
                 "attach only this feature, TYPE/NAME or NAME; may be repeated (default: all)")
      .type_name("KEY");
  app.section("Input and output");
  app.add_option("--out", given->out, "write a new folder and leave the old one unchanged")
      .type_name("DIR");
  app.section("Which features");
  app.add_flag("--replace", given->replace, "replace existing features").excludes(plan);
  add_memory(app, given->memory);
  return [given, input, plan](const context&) {
    if (input.count() + plan.count() == 0)
      throw usage_error("attach-features needs --input, or --cache-plan");
    const std::string replaced = guard_changed_folder(
        given->config, given->out, {plan.count() != 0 ? given->plan : given->input});
    const any_file_opener files = folder_files(is_inside(replaced, given->config));
    const auto config = open_partition(given->config, files);
    if (plan.count() != 0) return place_cache(*given, config, files);
    std::uint64_t held = 0;
    feature_set features = read_input_features(*given, config, held);
    choose(features, given->only, config);
    if (features.nodes.empty() && features.edges.empty())
      raise(error_kind::not_found, "the input has no features to attach", {.file = given->input});

    const std::uint64_t need = detail::saturating_sum(
        held, attach_memory(config, feature_set_ref(features)));
    given->memory.require(need, "attaching these features", given->config);

    // The manifest keeps how the folder was made before.
    json::value keys{json::array{}}, command{json::object{}};
    for (const auto& one : features.nodes)
      keys.push(type_name(config.schema, {entity::node, one.type}) + "/" + one.name);
    for (const auto& one : features.edges)
      keys.push(type_name(config.schema, {entity::edge, one.type}) + "/" + one.name);
    command.set("command", "attach-features");
    command.set("features", std::move(keys));
    const auto attached = attach_features(config, features, known_access(files),
                                          {.replace = given->replace,
                                           .out = given->out,
                                           .command = command_after(config, std::move(command)),
                                           .on_progress = show_progress()});
    for (const auto& sentence : attached.notes) note(sentence);
    answer done;
    const auto list = [](const std::vector<std::string>& all) {
      json::value out{json::array{}};
      for (const auto& key : all) out.push(key);
      return out;
    };
    const std::string target = given->out.empty() ? folder_of(config.path) : given->out;
    done.details.set("config", given->config);
    done.details.set("folder", target);
    done.details.set("need", json::object{{"memory_bytes", need}});
    done.details.set("added", list(attached.added));
    done.details.set("replaced", list(attached.replaced));
    done.details.set("unchanged", list(attached.unchanged));
    done.details.set("rows", attached.rows);
    done.details.set("caches_dropped", attached.caches_dropped);
    if (attached.caches_dropped != 0) {
      note(
          counted(attached.caches_dropped, "part no longer keeps", "parts no longer keep") +
          " rows of others, which were copies of the replaced rows; place them again with --cache-plan");
    }
    done.details.set("simulation_dropped", attached.simulation_dropped);
    if (attached.simulation_dropped)
      note(
          "the simulated figures are dropped, because rows of nodes have changed; compute them again with simulate --save");
    for (const auto& key : attached.added) done.text += "added " + key + '\n';
    for (const auto& key : attached.replaced) done.text += "replaced " + key + '\n';
    for (const auto& key : attached.unchanged)
      done.text += key + " already exists with the same rows\n";
    done.text += counted(attached.rows, "row") + " in " + counted(config.num_parts, "part") +
                 " of " + target + '\n';
    return done;
  };
}

}  // namespace halograph::cli
