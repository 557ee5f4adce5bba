// SPDX-License-Identifier: BSL-1.0
// halograph simulate CONFIG.json --fanout 15,10,5: count what sampled training would fetch from
// other parts, batch by batch.
#include "command.hpp"
#include "flag_values.hpp"
#include "formats.hpp"
#include "inputs.hpp"
#include "keep_input.hpp"
#include "ranks.hpp"

#include <halograph/comm/collective_errors.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/dist/dist_graph.hpp>
#include <halograph/dist/dist_state.hpp>
#include <halograph/dist/open_dist_graph.hpp>
#include <halograph/dist/sample_neighbors.hpp>
#include <halograph/dist/simulate_sampling.hpp>
#include <halograph/dist/simulation.hpp>
#include <halograph/dist/simulation_seeds.hpp>
#include <halograph/folder/amend.hpp>
#include <halograph/folder/feature_cache.hpp>
#include <halograph/folder/report.hpp>
#include <halograph/serial/text/readable.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace halograph::cli {

namespace {

struct simulate_flags {
  std::string config{}, fanout = "10,10", seeds{}, type{}, plan{};
  std::uint64_t batch = 1024, epochs = 1, seed = 0, cache = 0;
  std::vector<std::string> features{};
  bool replace = false, save = false;
  memory_flags memory{};
};

constexpr std::int64_t most_fanout = 1'000'000'000;

/// "15,10,5": neighbors for each hop; -1 for all. @errors usage_error
std::vector<std::uint64_t> read_fanout(std::string_view text) {
  std::vector<std::uint64_t> hops;
  for (bool more = true; more;) {
    const auto comma = text.find(',');
    const auto word = text.substr(0, comma);
    std::int64_t number = 0;
    const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (problem != std::errc{} || end != word.data() + word.size() || number < -1 ||
        number > most_fanout) {
      throw usage_error("--fanout has " + graph_schema::quoted(word) +
                        "; it must be numbers of neighbors up to " + std::to_string(most_fanout) +
                        ", separated by commas, one for each hop, -1 for all");
    }
    hops.push_back(number == -1 ? all_neighbors : static_cast<std::uint64_t>(number));
    more = comma != std::string_view::npos;
    if (more) text.remove_prefix(comma + 1);
  }
  return hops;
}

type_id node_type_of(const partition_config& config, const std::string& name) {
  const auto of = chosen_type(config, name);
  if (of.kind != entity::node)
    raise(error_kind::invalid_argument,
          "seeds are nodes; " + graph_schema::quoted(name) + " is an edge type",
          {.file = config.path});
  return of.type;
}

std::vector<std::vector<global_id>> read_seeds(const dist_graph& g, const simulate_flags& asked) {
  if (asked.seeds.empty())
    return all_seeds(
        g, asked.type.empty() ? std::nullopt : std::optional(node_type_of(g.config(), asked.type)));
  if (asked.seeds.ends_with(".npy"))
    return seeds_of_file(g, node_type_of(g.config(), asked.type), asked.seeds, folder_files(),
                         known_formats());
  const auto slash = asked.seeds.find('/');
  if (slash == std::string::npos)
    return seeds_of_feature(g, node_type_of(g.config(), asked.type), asked.seeds);
  return seeds_of_feature(g, node_type_of(g.config(), asked.seeds.substr(0, slash)),
                          asked.seeds.substr(slash + 1));
}

/// What a run takes, the largest of all ranks. @errors memory: more than is allowed
std::uint64_t require_memory(const dist_graph& g, const simulation_options& options,
                             std::size_t threads, std::uint64_t most_bytes) {
  std::uint64_t need = simulation_memory(g, options, threads);
  need += std::min(g.memory_bytes(), ~std::uint64_t{0} - need);
  if (need > most_bytes)
    raise(error_kind::memory,
          "simulating this folder needs up to " + readable::bytes(need) + " of memory, but " +
              readable::bytes(most_bytes) +
              " are available; allow more, use fewer threads or smaller batches, or more ranks",
          {.file = g.config().path});
  const auto all = gather_numbers(g.ranks(), need);
  return *std::max_element(all.begin(), all.end());
}

std::string per_batch(std::uint64_t sum, std::uint64_t batches) {
  return batches == 0 ? "-"
                      : readable::fixed(static_cast<double>(sum) / static_cast<double>(batches), 1);
}

std::string text_of(const simulation& found, const graph_schema& schema,
                    const json::value& document) {
  std::vector<std::vector<std::string>> parts{{"part", "batches", "edges", "input nodes",
                                               "remote rows/batch", "row bytes/batch",
                                               "requests/batch", "structure bytes/batch"}},
      types{{"part", "node type", "row bytes", "seeds", "input nodes", "remote rows",
             "remote bytes", "requests"}};
  if (found.options.cache_bytes != 0) {
    for (const char* const head : {"cached rows", "cached bytes", "fetches saved"})
      parts[0].emplace_back(head);
  }
  for (std::size_t p = 0; p < found.parts.size(); ++p) {
    const auto& part = found.parts[p];
    parts.push_back({std::to_string(p), std::to_string(part.batches), std::to_string(part.edges),
                     std::to_string(part.input_nodes()),
                     per_batch(part.remote_rows(), part.batches),
                     per_batch(part.remote_row_bytes(), part.batches),
                     per_batch(part.remote_requests(), part.batches),
                     per_batch(part.structure_bytes(), part.batches)});
    if (found.options.cache_bytes != 0) {
      const double share = part.cache.remote_rows == 0
                               ? 0.0
                               : 100.0 * static_cast<double>(part.cache.saved_rows) /
                                     static_cast<double>(part.cache.remote_rows);
      for (const auto& cell : {std::to_string(part.cache.rows), std::to_string(part.cache.bytes),
                               readable::fixed(share, 1) + "%"})
        parts.back().push_back(cell);
    }
    for (std::size_t t = 0; t < part.types.size(); ++t) {
      const auto& type = part.types[t];
      types.push_back({std::to_string(p), schema.node_type_name(static_cast<type_id>(t)),
                       std::to_string(type.row_bytes), std::to_string(type.seeds),
                       std::to_string(type.input_nodes), std::to_string(type.remote_rows),
                       std::to_string(type.remote_row_bytes()),
                       std::to_string(type.structure.remote)});
    }
  }
  std::string out = table(parts);
  if (schema.num_node_types() > 1) out += "\n" + table(types);
  const auto number = [&](const char* key) {
    double value = 0;
    static_cast<void>(document.find(key)->to_double(value));
    return value;
  };
  return out + "\na batch fetches " + readable::fixed(number("remote_rows_per_batch"), 1) +
         " rows, " +
         readable::bytes(static_cast<std::uint64_t>(number("remote_row_bytes_per_batch"))) +
         ", and requests the neighbors of " +
         readable::fixed(number("remote_requests_per_batch"), 1) + " remote nodes, " +
         readable::bytes(static_cast<std::uint64_t>(number("structure_bytes_per_batch"))) +
         "; imbalance of sampled edges " + readable::fixed(number("edge_imbalance"), 3) +
         ", of input nodes " + readable::fixed(number("input_imbalance"), 3) + "\n";
}

}  // namespace

action add_simulate(flag_set& app) {
  auto given = std::make_shared<simulate_flags>();
  app.example("halograph simulate parts/papers.json --fanout 15,10",
              "what two layers of sampled neighbors fetch from other parts");
  app.example("halograph simulate parts/papers.json --cache 1GiB --plan plan.npy",
              "what a cache would save, and which rows to keep");
  app.footer(
      "The trainer of each part uses its own seeds. The results are the same for any number of threads and, under mpirun, of\n"
      "processes, each of which simulates its parts. With --cache, the rows to cache are chosen from all epochs but the last and\n"
      "evaluated in the last; with one epoch they are chosen from an additional one, which is not counted otherwise.\n"
      "attach-features --cache-plan places them.");
  bind_config(app, given->config);
  app.section("Sampling");
  app.add_option(
         "--fanout", given->fanout,
         "neighbors sampled for each edge type, one number for each hop; -1 for all (default: 10,10)")
      .type_name("N,N,...");
  add_number(app, "--batch", given->batch, "seeds per batch (default: 1,024)", 1,
             std::uint64_t{1} << 31);
  add_number(app, "--epochs", given->epochs,
             "number of times that each trainer uses its seeds (default: 1)", 1,
             std::uint64_t{1} << 20);
  app.add_option(
         "--seeds", given->seeds,
         "seeds: nodes where the feature [TYPE/]NAME is not 0, or FILE.npy of original IDs (default: all nodes)")
      .type_name("FEATURE|FILE");
  app.add_option("--type", given->type, "node type of the seeds").type_name("TYPE");
  app.add_flag("--replace", given->replace, "sample with replacement");
  add_number(app, "--seed", given->seed, "seed of the random numbers (default: 0)");
  app.section("Features and cache");
  app.add_option("--feature", given->features,
                 "a node feature TYPE/NAME that batches fetch; may be repeated (default: all)")
      .type_name("KEY");
  const bound_flag cache = add_size(app, "--cache", given->cache,
                                    "memory in which each part may cache rows of other parts", 0);
  app.add_option("--plan", given->plan, "write the rows to cache to a file")
      .type_name("FILE.npy")
      .needs(cache);
  add_memory(app, given->memory);
  app.section("Output");
  app.add_flag("--save", given->save, "store the results in the folder, for report");
  return [given](const context& asked) {
    if (is_inside(folder_of(given->config), given->plan)) {
      throw usage_error(
          "--plan " + given->plan +
          " is inside the partition folder, which may hold only its own files; choose a path outside it");
    }
    inputs_of_this_run()->protect(given->plan);
    if (given->seeds.ends_with(".npy") && is_inside(given->plan, given->seeds))
      throw usage_error("--plan would replace the seeds, " + given->seeds + "; name another file");
    simulation_options options{.fanout = read_fanout(given->fanout),
                               .batch = given->batch,
                               .epochs = given->epochs,
                               .replace = given->replace,
                               .seed = given->seed,
                               .cache_bytes = given->cache,
                               .features = given->features,
                               .on_progress = show_progress()};
    return with_ranks([&](communicator_ref ranks) {
      dist_options opening;
      opening.part.out_edges = false;
      opening.part.halo_rows = false;
      opening.cached_features = false;
      // A limit in any case, so that it is told what the parts take.
      opening.most_bytes = std::min(given->memory.allowed(), ~std::uint64_t{0} - 1);
      const executor_ref threads = make_threads(asked.threads);
      const auto g = open_dist_graph(ranks, given->config, known_access(), opening);
      std::uint64_t need = 0;
      run_collective(ranks, [&] {
        need = require_memory(g, options, threads.concurrency(), opening.most_bytes);
      });
      neighbor_sampler sampler(g, folder_files(), known_formats());
      if (!sampler.knows_original_ids()) {
        note(
            "the folder has no original IDs, so another partition of the same graph would be simulated with other samples; partition again without --no-mapping to compare partitions");
      }
      std::vector<std::vector<global_id>> seeds;
      run_collective(ranks, [&] { seeds = read_seeds(g, *given); });
      const auto found = simulate_sampling(sampler, seeds, options, threads);
      answer done;
      const any_file_opener files = folder_files();
      run_collective(ranks, [&] {
        // With --save the first rank still links the files that it does not replace, and checks
        // again.
        if (ranks.rank() == 0 && given->save)
          inputs_of_this_run()->require_unchanged();
        else
          files.settle();
      });
      run_collective(ranks, [&] {
        if (ranks.rank() != 0) return;
        const json::value document = to_json(found, g.schema());
        if (!given->plan.empty()) write_cache_plan(found.plan, given->plan);
        json::value command{json::object{}};
        command.set("command", "simulate");
        if (given->save)
          note(put_into_folder(g.config(), std::string(simulation_file),
                               json::print(document) + "\n",
                               command_after(g.config(), std::move(command)), files));
        done.details.set("config", given->config);
        done.details.set("need", json::object{{"memory_bytes", need}});
        for (const auto& [key, value] : *document.if_object()) done.details.set(key, value);
        done.text = text_of(found, g.schema(), document);
        if (!given->plan.empty()) {
          done.details.set("plan", given->plan);
          done.text += given->plan + ": " + counted(found.plan.size(), "row") +
                       " to cache; place them with attach-features --cache-plan\n";
        }
      });
      return done;
    });
  };
}

}  // namespace halograph::cli
