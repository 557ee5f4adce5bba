// SPDX-License-Identifier: BSL-1.0
// halograph assign --in-dir PATH --out-dir DIR --num-partitions K: step 1 of the chunked pipeline.
#include "any_graph.hpp"
#include "assign.hpp"
#include "assign_kinds.hpp"
#include "auto_method.hpp"
#include "flag_values.hpp"
#include "inputs.hpp"
#include "keep_input.hpp"
#include "parallel_methods.hpp"
#include "policies.hpp"
#include "ranks.hpp"
#include "reported_memory.hpp"

#include <halograph/comm/collective_errors.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/io/chunked/open.hpp>
#include <halograph/io/input_format.hpp>
#include <halograph/partition/distributed/label_propagation.hpp>
#include <halograph/partition/fixed_point.hpp>
#include <halograph/partition/multilevel.hpp>
#include <halograph/partition/multilevel/buffered.hpp>
#include <halograph/partition/placement/new_nodes.hpp>
#include <halograph/pipeline/out_of_core/assign.hpp>
#include <halograph/serial/text/readable.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace halograph::cli {

namespace {

/// The flags of `assign` as they stand on the command line.
struct assign_flags {
  std::string method{auto_method}, method_reason{};  // why auto became this method
  std::string input{}, out{}, objective = "cut", preset = "balanced", stream_order = "natural",
                              balance_ntypes = "types";
  std::uint64_t parts = 0, seed = 0, memory = 0, batch = 0;
  double tolerance = default_tolerance;
  reading_flags reading{};
  start_flags start{};
  bool seeded = false, tolerant = false, balance_edges = false, no_measure = false,
       ignore_memory = false, compress = false;
  std::uint64_t entries = 0;  // of the undirected view, at most
};

/// Bind the flags. @param methods the words that --method takes
void bind_assign_flags(flag_set& app, assign_flags& flags,
                       const std::vector<std::string>& methods) {
  app.example("halograph assign papers/ -k 8 -o owners/ --memory 4GiB",
              "8 parts of a graph that may be larger than memory");
  app.example("mpirun -n 4 halograph assign papers/ -k 64 -o owners/ -m label_propagation",
              "64 parts, on 4 ranks");
  app.footer(
      "auto                  multilevel if it fits in memory (--memory), compressed if need be, else buffered\n"
      "random, hash, range   read no edges; memory for the nodes only\n"
      "ldg, fennel           read each edge once, through files beside --out-dir; memory for the nodes only\n"
      "buffered              reads each edge once and holds --batch edges between clusters of nodes; far fewer edges cross parts\n"
      "multilevel, metis     load all edges; the best parts (multilevel --compress: in less memory, through files beside --out-dir)\n"
      "--from --only-new     reads each edge once and keeps those of new nodes: memory for the nodes and these; no node moves\n"
      "label_propagation     shares nodes and edges among the ranks of mpirun -np R; the same parts for any R\n"
      "ptscotch, parmetis    libraries that also do so; their parts depend on R, and they balance one load: the nodes of one\n"
      "                      type or, with --balance-ntypes none, all nodes\n"
      "Under mpirun all ranks count the edges that cross parts; with ldg, fennel, buffered, metis and multilevel only the first rank assigns.\n"
      "The folder holds <node type>.txt, whose line i is the part of node i, and partition_meta.json: algo_name is DGL's word\n"
      "for the method (random or metis), method and options say how it was really made.");
  app.section("Input and output");
  app.add_option("--in-dir,--input", flags.input, any_graph_words).required().type_name("PATH");
  bind_reading_flags(app, flags.reading);
  app.add_option("--out-dir,--out", flags.out,
                 "the folder to create; an earlier result is replaced")
      .required()
      .type_name("DIR");
  add_number(app, "--num-partitions,--parts,--num-parts", flags.parts, "number of parts", 1,
             most_parts)
      .required();
  app.section("Method");
  app.add_option(
         "--method,--part-method", flags.method,
         "how nodes are assigned; auto: multilevel if it fits in memory, compressed if need be, else buffered (default: auto)")
      .one_of(methods);
  const bound_flag seed = add_number(app, "--seed", flags.seed,
                                     "seed of the method (default: the method's own)");
  app.section("Balance");
  const bound_flag tolerance = add_tolerance(app, "--tolerance", flags.tolerance,
                                             "allowed imbalance of each node type (default: 0.03)");
  app.section("Method");
  bind_goal_flags(app, flags.objective, flags.preset, flags.compress);
  app.section("Balance");
  app.add_option(
         "--balance-ntypes", flags.balance_ntypes,
         "balance the nodes of each type (types) or those of all types together (none) (default: types)")
      .one_of({"types", "none"});
  app.add_flag("--balance-edges", flags.balance_edges,
               "also balance the edges that end in each part, for each node type");
  app.section("Method");
  app.add_option(
         "--stream-order", flags.stream_order,
         "ldg, fennel and buffered: read nodes by ID (natural) or in a seeded order (shuffled) (default: natural)")
      .one_of({"natural", "shuffled"});
  add_number(app, "--batch", flags.batch,
             "buffered: edges between clusters that are held at once (default: 524,288)", 1,
             std::uint64_t{1} << 60);
  bind_start_flags(app, flags.start);
  app.section("Memory and disk");
  add_size(app, "--memory", flags.memory,
           "memory budget, such as 4GiB; rejected if it is too small (default: what is needed)");
  app.add_flag("--no-measure", flags.no_measure,
               "do not read the edges again to count those that cross parts");
  app.add_flag("--ignore-memory", flags.ignore_memory,
               "continue even if memory or disk space is too small");
  app.parse_complete_callback([&flags, seed, tolerance] {
    flags.seeded = seed.count() != 0;
    flags.tolerant = tolerance.count() != 0;
  });
}

any_graph open_for_assign(const assign_flags& flags, const context& asked, communicator_ref ranks) {
  any_graph_options options;
  options.reading = flags.reading;
  options.features = false;
  options.memory_bytes = flags.memory;
  options.ignore_room = flags.ignore_memory;
  options.json = asked.json;
  return open_any_graph(flags.input, flags.out, options, asked.threads, ranks);
}

void check_need(const assign_need& need, const assign_flags& flags, bool json) {
  const bool shared = need.edges == edge_access::shared;
  const auto& ranks = launched();
  const std::string most = depends_on_ranks(flags.method) || need.edges == edge_access::scanned
                               ? "about "
                               : "up to ";
  if (!json) {
    if (!flags.method_reason.empty())
      note("method " + flags.method + ", because " + flags.method_reason);
    if (ranks.ranks > 1 && need.edges != edge_access::none && !shared) {
      note("method " + flags.method + " assigns on the first of the " +
           std::to_string(ranks.ranks) + " ranks only; label_propagation works on all");
    }
    note((shared && ranks.ranks > 1
              ? "each of the " + std::to_string(ranks.ranks) + " ranks will take "
              : std::string("this run will take ")) +
         most + readable::bytes(need.memory_bytes) + " of memory" +
         (need.disk_bytes == 0
              ? std::string()
              : " and " + readable::bytes(need.disk_bytes) + " of disk space besides the result") +
         (need.edges == edge_access::loaded
              ? (flags.compress ? " because the method loads all edges, compressed"
                                : " because the method loads all edges")
          : need.edges == edge_access::scanned ? " because it keeps the edges of new nodes"
                                               : ""));
  }
  if (flags.ignore_memory) return;
  const std::uint64_t here = shared ? ranks.nearby : 1;  // on this machine
  if (const auto memory = available_memory(); need.memory_bytes > memory / here) {
    raise(
        error_kind::memory,
        "this run needs " + most + readable::bytes(detail::saturating(need.memory_bytes, here)) +
            " of memory here but only " + readable::bytes(memory) + " are free; " +
            (shared
                 ? "start ranks on more machines, or choose a method that streams (buffered, ldg, fennel)"
             : need.edges == edge_access::loaded
                 ? std::string(flags.method == multilevel::name && !flags.compress
                                   ? "compress the graph with --compress, "
                                   : "") +
                       "choose a method that streams (buffered, ldg, fennel)"
             : need.edges == edge_access::scanned ? "add fewer nodes at once"
                                                  : "give a smaller --memory") +
            ", or continue with --ignore-memory");
  }
  const std::uint64_t all = detail::saturating_sum(need.disk_bytes, need.result_bytes);
  if (const auto disk = available_disk(flags.out); all > disk) {
    raise(error_kind::io,
          "this run needs at least " + readable::bytes(all) + " of disk space but only " +
              readable::bytes(disk) +
              " are free; choose another --out-dir, or continue with --ignore-memory",
          {.file = flags.out});
  }
}

assign_options options_of(const assign_flags& flags, json::value settings, std::size_t types,
                          bool json) {
  assign_options options;
  // The answer has an object for each part with a member for each type; when it is printed, its
  // text doubles as it grows.
  options.caller_bytes = detail::saturating(
      flags.parts,
      64 + 96 * std::uint64_t{types} + (json ? 3 * (16 + 32 * std::uint64_t{types}) : 0));
  options.memory_bytes = flags.memory;
  options.measure_cut = !flags.no_measure;
  options.method = flags.method;
  options.balance = {flags.balance_ntypes == "types", flags.balance_edges};
  options.command = json::object{{"command", "assign"},
                                 {"parts", flags.parts},
                                 {"method", flags.method},
                                 {"options", settings}};
  options.settings = std::move(settings);
  options.on_need = [&flags, json](const assign_need& need) { check_need(need, flags, json); };
  options.on_progress = show_progress();
  return options;
}

answer answer_of(assign_result made, std::uint64_t at_start, const starting_parts::moves& moves,
                 const assign_flags& flags) {
  moves.correct(made.report.balance);
  for (const auto& sentence : made.notes) note(sentence);
  answer done;
  const auto report = to_json(made.report);
  done.details.set("out", flags.out)
      .set("num_parts", flags.parts)
      .set("method", flags.method)
      .set("algo_name", made.algorithm);
  if (!flags.method_reason.empty()) done.details.set("method_reason", flags.method_reason);
  done.details.set("need", json::object{{"edges", name(made.need.edges)},
                                        {"memory_bytes", made.need.memory_bytes},
                                        {"memory_bytes_at_start", at_start},
                                        {"disk_bytes", made.need.disk_bytes}});
  done.details.set("graph", *report.find("graph"));
  tell_owned_nodes(made.report, made.nodes, done);
  done.details.set("directed_cut",
                   made.cut_known ? json::value(made.report.directed_cut) : json::value());
  done.details.set("balance", *report.find("balance"));
  if (made.cut_known) {
    done.text += "\n" + grouped(made.report.directed_cut) + " of " +
                 counted(made.report.edges, "edge") + " cross parts";
  }
  done.text += "\nthe assignment is in " + flags.out + "\n";
  note_unmet(made.report.balance, flags.method, false);
  done.next = "next:  halograph dispatch " + flags.input + " --assignment " + flags.out +
              " --out DIR\n";
  return done;
}

/// A policy with its options. @errors usage_error: the policy has no member for a flag that was
/// given
void configure_from(chosen_policy& policy, const policy_abilities& can, const assign_flags& flags,
                    const starting_parts& start, const progress_callback* on_progress = nullptr,
                    const memory_callback* on_bytes = nullptr) {
  policy_inputs in;
  in.on_progress = on_progress;
  in.on_bytes = on_bytes;
  start.tell(in);
  in.parts = flags.parts;
  if (flags.seeded) in.seed = flags.seed;
  in.tolerance = flags.tolerance;
  in.volume = flags.objective == "vol";
  in.metis_options = flags.start.metis;
  in.preset = flags.preset;
  in.shuffled = flags.stream_order == "shuffled";
  in.batch = flags.batch;
  in.compress = flags.compress;
  policy.configure(in, flags.method);
  if (!can.tolerance && flags.tolerant && !flags.start.improves())
    throw usage_error("--tolerance means nothing to --method " + flags.method);
  if (flags.balance_edges && !can.shares_edges && !can.constraints)
    throw usage_error("--balance-edges means nothing to --method " + flags.method);
  if (flags.balance_ntypes != "types" && !can.shares_edges && !can.balances_types)
    throw usage_error("--balance-ntypes means nothing to --method " + flags.method);
}

/// What decides the bytes of the result besides the graph, the number of parts and the method, for
/// partition_meta.json; no paths.
json::value settings_of(const chosen_policy& policy, const policy_abilities& can,
                        const assign_flags& flags) {
  json::value out{json::object{}};
  if (can.seed) out.set("seed", policy.seed());
  if (can.tolerance)
    out.set("tolerance", policy.tolerance());
  else if (flags.start.improves())
    out.set("tolerance", flags.tolerance);
  if (flags.method == "metis" || flags.objective != "cut") out.set("objective", flags.objective);
  if (flags.method == "multilevel" || flags.start.refine) out.set("preset", flags.preset);
  describe(flags.start, out);
  if (can.order) out.set("stream_order", flags.stream_order);
  if (flags.batch != 0) out.set("batch", flags.batch);
  if (can.reads_edges)
    out.set("balance_ntypes", flags.balance_ntypes).set("balance_edges", flags.balance_edges);
  if (depends_on_ranks(flags.method)) out.set("ranks", launched().ranks);
  describe(flags.reading, out);
  return out;
}

/// Memory that the policy needs besides loaded or shared edges; 0 where it does not say.
std::uint64_t bytes_of(const chosen_policy& policy, const chunked_graph& graph,
                       const assign_flags& flags) {
  const std::size_t types = graph.node_counts.size(), columns = flags.balance_edges ? 2 : 1;
  const multilevel_inputs given = given_to_multilevel(flags);
  const std::uint64_t after = flags.start.connected
                                  ? bytes_to_connect(graph.num_nodes(), graph.num_edges())
                                  : 0;
  if (flags.start.improves() && is_parallel(flags.method)) {
    // The rows and loads of all nodes, and what the method takes of them; then what refines.
    const std::size_t rows = columns * (flags.balance_ntypes == "types" ? types : 1);
    const std::uint64_t nodes = graph.num_nodes(), ends = flags.entries,
                        refining = flags.start.refine
                                       ? bytes_in_memory("multilevel", nodes, ends, columns * types,
                                                         flags.parts, 0, given)
                                       : 0,
                        made = policy.bytes(nodes, graph.num_edges(), rows, 1).value_or(0);
    return std::max({after, refining,
                     detail::saturating(ends, 24, detail::saturating(nodes, 24 + 8 * rows, made))});
  }
  const std::string method = flags.start.refine && flags.method != "metis" ? "multilevel"
                                                                           : flags.method;
  if (const std::uint64_t bytes = bytes_in_memory(
          method, graph.num_nodes(),
          // Streams pass on each edge and its reverse.
          is_streaming(method) ? 2 * graph.num_edges() : flags.entries, columns * types,
          flags.parts, flags.batch, given);
      bytes != 0)
    return std::max(bytes, after);
  const std::size_t constraints = columns * (flags.balance_ntypes == "types" ? types : 1);
  return std::max(after,
                  policy.bytes(graph.num_nodes(), graph.num_edges(), constraints, launched().ranks)
                      .value_or(0));
}

/// Does the method report its memory as it works? (memory_callback)
bool tells_memory(const assign_flags& flags) {
  return !flags.start.improves() &&
         (flags.method == multilevel::name || flags.method == parallel_methods.front());
}
/// What the method takes before it reports more, where that is less than in all; else 0.
std::uint64_t first_bytes_of(const chunked_graph& graph, const assign_flags& flags,
                             std::size_t threads) {
  if (!tells_memory(flags)) return 0;
  const std::uint64_t nodes = graph.num_nodes(), edges = graph.num_edges();
  const std::size_t types = graph.node_counts.size(), columns = flags.balance_edges ? 2 : 1;
  if (flags.method == multilevel::name)
    return first_bytes_in_memory(flags.method, nodes, edges, flags.entries, columns * types,
                                 flags.parts, threads, given_to_multilevel(flags));
  const std::size_t rows = columns * (flags.balance_ntypes == "types" ? types : 1);
  return distributed_label_propagation_first_bytes(nodes, detail::saturating(edges, 2),
                                                   rows == 1 ? 0 : rows);
}

/// Is it an assignment that the policy can make? @errors usage_error, not_found
void check_asked(chosen_policy& policy, const policy_abilities& can, const assign_flags& flags) {
  guard_inputs(flags.out, {flags.input, flags.start.from, flags.start.fixed});
  for (const auto* given : {&flags.start.from, &flags.start.fixed}) {
    if (!given->empty()) require_assignment(*given);
  }
  const std::string improved = flags.start.refine ? "--refine" : "--connected";
  if (flags.start.improves() && can.shares_edges && launched().ranks > 1)
    throw usage_error(improved + " loads all edges on one rank; run assign --method " +
                      flags.method + " on the ranks without it, and then, on one, " +
                      "assign --method multilevel --from with its result");
  if (flags.start.improves() && !can.cuts_graphs && !can.shares_edges)
    throw usage_error(improved + " requires a method that can load the graph, which " +
                      flags.method + " does not");
  configure_from(policy, can, flags, {});
}

/// What a policy of a graph in memory, or a streaming one, takes on one rank.
assign_need need_of(const chosen_policy& policy, const policy_abilities& can,
                    const chunked_graph& graph, const assign_flags& flags, std::size_t threads) {
  assign_options options = options_of(flags, {}, graph.node_counts.size(), true);
  options.policy_bytes = bytes_of(policy, graph, flags);
  const detail::policy_facts facts = facts_of(
      policy, can.streams && !flags.start.improves() ? edge_access::streamed : edge_access::loaded);
  return detail::estimate_by(facts, graph.num_nodes(), graph.num_edges(), graph.node_counts.size(),
                             options, 1, threads);
}

/// Let buffered hold as many edges as a budget allows, unless a flag says how many.
void fit_batch(chosen_policy& policy, const policy_abilities& can, const chunked_graph& graph,
               assign_flags& flags, std::size_t threads) {
  if (flags.method != buffered::name || flags.memory == 0 || flags.batch != 0) return;
  // As many entries for each part are held in any case.
  const std::uint64_t least = 128 * flags.parts;
  std::uint64_t batch = buffered::default_batch / 2;
  while (batch / 2 >= least &&
         need_of(policy, can, graph, flags, threads).least_memory_bytes > flags.memory) {
    flags.batch = batch /= 2;
    configure_from(policy, can, flags, {});
  }
}

/// Neighbors of new nodes for which there is memory, and what options say of it: as if new nodes
/// had as many edges as others.
std::uint64_t budget_new_nodes(const chunked_graph& graph, const starting_parts& start,
                               const assign_flags& flags, assign_options& options,
                               std::size_t threads) {
  const std::uint64_t nodes = graph.num_nodes(), fresh = start.new_nodes();
  const std::size_t rows = (flags.balance_ntypes == "types" ? graph.node_counts.size() : 1) *
                           (flags.balance_edges ? 2 : 1);
  detail::policy_facts facts;
  facts.access = edge_access::scanned;
  facts.parts = flags.parts;
  facts.part_bytes = sizeof(part_id);
  const auto takes = [&](std::uint64_t neighbors) {
    options.policy_bytes = detail::saturating_sum(
        nodes * sizeof(part_id),  // the earlier parts
        new_nodes_bytes(fresh, neighbors, rows, flags.parts));
    return detail::estimate_by(facts, nodes, graph.num_edges(), graph.node_counts.size(), options,
                               1, threads)
        .memory_bytes;
  };
  const std::uint64_t least = takes(0),
                      budget = flags.memory != 0 ? flags.memory : available_memory();
  takes(nodes == 0
            ? 0
            : std::min(detail::saturating(graph.num_edges(), 2),
                       multiply_divide(detail::saturating(graph.num_edges(), 2), fresh, nodes)));
  if (flags.ignore_memory) return ~std::uint64_t{0};
  // As much as for each of very many, which takes wider numbers.
  constexpr std::uint64_t many = std::uint64_t{1} << 32;
  const std::uint64_t each = (new_nodes_bytes(fresh, 2 * many, rows, flags.parts) -
                              new_nodes_bytes(fresh, many, rows, flags.parts)) /
                                 many +
                             1;
  return budget < least ? 0 : (budget - least) / each;
}

/// Sizes of the features that moved nodes and edges take along. Only a chunked graph tells them
/// without a copy; of other inputs: nothing.
row_sizes sizes_of_features(const assign_flags& flags, const any_graph& input,
                            std::size_t threads) {
  row_sizes out;
  if (input.place != nullptr) return out;  // a copy, which has no features
  try {
    const uncounted_bytes headers;
    const auto graph = open_chunked(flags.input, input_files(), json_codec(), input_tables(), {},
                                    make_threads(threads));
    out.nodes.resize(graph.schema.num_node_types());
    out.edges.resize(graph.schema.num_edge_types());
    for (const auto& one : graph.node_features) out.nodes[one.type] += one.row_bytes();
    for (const auto& one : graph.edge_features) out.edges[one.type] += one.row_bytes();
  } catch (const error& problem) {
    note(std::string("the features of moved nodes are not counted: ") + problem.what());
    return {};
  }
  return out;
}

/// What a method that loads edges, or shares them, takes with these options.
assign_need need_with(const chosen_policy& policy, edge_access access, const chunked_graph& graph,
                      const assign_options& options, std::size_t threads) {
  return detail::estimate_by(facts_of(policy, access), graph.num_nodes(), graph.num_edges(),
                             graph.node_counts.size(), options,
                             access == edge_access::shared ? launched().ranks : 1, threads);
}

/// Where all that the method may take is more than is free, start if what it takes at first is not.
void allow_what_is_free(const chosen_policy& policy, edge_access access, const chunked_graph& graph,
                        const assign_flags& flags, std::size_t threads, assign_options& options) {
  if (options.memory_bytes != 0 || flags.ignore_memory || options.least_policy_bytes == 0) return;
  const std::uint64_t free = available_memory() /
                             (access == edge_access::shared ? launched().nearby : 1),
                      room = free - free / 16;
  const assign_need all = need_with(policy, access, graph, options, threads);
  if (all.memory_bytes > room && all.least_memory_bytes <= room) options.memory_bytes = room;
}

/// Assign by a policy that was checked, on all ranks.
answer assign_opened(chosen_policy& policy, const policy_abilities& can, assign_flags flags,
                     const context& asked, const any_graph& input, communicator_ref ranks) {
  const auto& graph = input.graph;
  const std::size_t threads = make_threads(asked.threads).concurrency();
  fit_batch(policy, can, graph, flags, threads);
  auto options = options_of(flags, settings_of(policy, can, flags), graph.node_counts.size(),
                            asked.json);
  options.policy_bytes = bytes_of(policy, graph, flags);
  const auto start = starting_parts::read(flags.start, graph.schema, graph.node_counts, flags.parts,
                                          make_threads(asked.threads));
  options.least_policy_bytes = first_bytes_of(graph, flags, threads);
  const edge_access access = can.shares_edges ? edge_access::shared : edge_access::loaded;
  if (tells_memory(flags)) allow_what_is_free(policy, access, graph, flags, threads, options);
  const auto need_if = [&](std::uint64_t policy_bytes) {
    assign_options with = options;
    with.memory_bytes = with.least_policy_bytes = 0;
    with.policy_bytes = policy_bytes;
    return need_with(policy, access, graph, with, threads).memory_bytes;
  };
  reported_memory reported(need_if,
                           {.first_bytes = options.least_policy_bytes,
                            .budget = options.memory_bytes,
                            .given = flags.memory != 0,
                            .may_compress = flags.method == multilevel::name && !flags.compress,
                            .on_ranks = can.shares_edges && launched().ranks > 1,
                            .quiet = asked.json});
  const memory_callback on_bytes = std::ref(reported);
  const progress_callback progress_shown = show_progress();
  configure_from(policy, can, flags, start, &progress_shown,
                 tells_memory(flags) ? &on_bytes : nullptr);
  const bool scans = start.are_placed_in_one_pass(flags.preset, objective_of(flags.objective));
  const std::uint64_t most_neighbors = scans
                                           ? budget_new_nodes(graph, start, flags, options, threads)
                                           : 0;
  starting_parts::moves moves;
  const row_sizes features = flags.start.from.empty()
                                 ? row_sizes()
                                 : sizes_of_features(flags, input, asked.threads);
  std::vector<part_connection> connections;
  const refinement after{
      .asked = flags.start.refine,
      .connected = flags.start.connected,
      .parts = flags.parts,
      .seed = flags.seed,
      .preset = flags.preset,
      .objective = objective_of(flags.objective),
      .tolerance = flags.tolerance,
      .part_weights = start.part_weights,
      .fixed = start.fixed,
      .connections = flags.no_measure && !flags.start.connected ? nullptr : &connections};
  const assign_job job{graph,           policy, flags.out, options, make_threads(asked.threads),
                       ranks,           after,  &start,    &moves,  &features,
                       can.shares_edges};
  auto made = scans                    ? assign_new_nodes(job, most_neighbors)
              : flags.start.improves() ? assign_loaded(job)
              : !can.reads_edges       ? assign_without_edges(job)
              : can.shares_edges       ? assign_shared(job)
              : can.streams            ? assign_streamed(job)
                                       : assign_loaded(job);
  const std::uint64_t at_start = made.need.memory_bytes;
  if (const auto bytes = reported.policy_bytes()) made.need.memory_bytes = need_if(*bytes);
  answer done = answer_of(std::move(made), at_start, moves, flags);
  note_overfull(start, flags.parts, flags.tolerance);
  tell_moves(moves, !features.nodes.empty(), done);
  tell_connections(connections, flags.start, done);
  done.details.set("copy", input.describe_copy());
  return done;
}

/// Assign by a policy, on all ranks.
answer assign_by(chosen_policy& policy, const policy_abilities& can, assign_flags flags,
                 const context& asked) {
  check_asked(policy, can, flags);
  return with_ranks([&](communicator_ref ranks) {
    const auto input = open_for_assign(flags, asked, ranks);
    if (flags.start.improves() || (can.reads_edges && !can.shares_edges && !can.streams))
      flags.entries = undirected_entries(input.graph, asked.threads, ranks);
    return assign_opened(policy, can, flags, asked, input, ranks);
  });
}

/// Assign by multilevel if the first rank, which assigns, has the memory, else by buffered.
answer assign_auto(assign_flags flags, const offered_policies& policies, const context& asked) {
  const auto make = [&](std::string_view method) {
    flags.method = method;
    const policy_entry& entry = *policies.find(method);
    auto policy = entry.make();
    check_asked(*policy, entry.can, flags);
    return std::pair(std::move(policy), entry.can);
  };
  (void)make(buffered::name);
  auto policy = make(multilevel::name);
  return with_ranks([&](communicator_ref ranks) {
    const auto input = open_for_assign(flags, asked, ranks);
    const std::size_t threads = make_threads(asked.threads).concurrency();
    const auto needed = [&] {
      return need_of(*policy.first, policy.second, input.graph, flags, threads).least_memory_bytes;
    };
    const bool budget = flags.memory != 0;
    const std::uint64_t edges = input.graph.num_edges(),
                        room = budget ? flags.memory : available_memory();
    // Where each edge has its reverse, the undirected view has as many entries, else twice as many.
    std::uint64_t plain = 0, compressed = 0;
    const auto need_with = [&](std::uint64_t entries) {
      flags.entries = entries;
      flags.compress = false;
      policy = make(multilevel::name);
      plain = needed();
      compressed = ~std::uint64_t{0};
      if (!may_compress(flags.start)) return;
      flags.compress = true;
      policy = make(multilevel::name);
      compressed = needed();
    };
    need_with(edges);
    std::string may_fit = std::min(plain, compressed) <= room ? "yes" : "";
    broadcast_text(ranks, may_fit, 0);
    need_with(may_fit.empty() ? 2 * edges : undirected_entries(input.graph, asked.threads, ranks));
    auto chosen = choose_by_memory(plain, compressed, room, budget);
    std::string compress = chosen.compress ? "compress" : "";
    broadcast_text(ranks, chosen.method, 0);
    broadcast_text(ranks, compress, 0);
    flags.method_reason = std::move(chosen.reason);
    flags.compress = !compress.empty();
    policy = make(chosen.method);
    return assign_opened(*policy.first, policy.second, flags, asked, input, ranks);
  });
}

answer run_assign(assign_flags flags, const offered_policies& policies, const context& asked) {
  const policy_entry* const given = [&]() -> const policy_entry* {
    for (const auto& one : policies.given) {
      if (one.name == flags.method) return &one;
    }
    return nullptr;
  }();
  if (auto chosen = choose_by_flags(flags.method, flags.objective == "vol",
                                    !flags.start.metis.empty(),
                                    flags.preset != "balanced" ? "--preset"
                                    : flags.compress           ? "--compress"
                                                               : decides_method(flags.start));
      chosen.method != flags.method) {
    flags.method = std::move(chosen.method);
    flags.method_reason = std::move(chosen.reason);
  }
  const bool decided = flags.method != auto_method;
  check_start_flags(flags.start, decided ? flags.method : multilevel::name, flags.parts);
  if (given != nullptr) return assign_by(*given->make(), given->can, flags, asked);
  if (flags.objective != "cut" && flags.method != "metis" && flags.method != "multilevel" &&
      !flags.start.refine)
    throw usage_error("--objective requires --method multilevel or metis, or --refine");
  if (flags.preset != "balanced" && flags.method != "multilevel" && !flags.start.refine)
    throw usage_error("--preset requires --method multilevel");
  check_compress(flags.compress, flags.method, flags.start);
  if (flags.stream_order != "natural" && !is_streaming(flags.method))
    throw usage_error("--stream-order requires --method ldg, fennel or buffered");
  if (flags.batch != 0 && flags.method != "buffered")
    throw usage_error("--batch requires --method buffered");
  if (!decided) return assign_auto(std::move(flags), policies, asked);
  if (is_parallel(flags.method)) {
    if (const auto sentence = missing_for(flags.method); !sentence.empty()) {
      return with_ranks([&](communicator_ref) -> answer {
        throw joint_error(error_kind::unsupported, sentence);
      });
    }
    parallel_method policy{.method = flags.method};
    if (flags.balance_ntypes == "types" && !flags.balance_edges)
      policy.instead = ", or --balance-ntypes none";
    return assign_by(*erased(std::move(policy)), abilities_of<parallel_method>(), flags, asked);
  }
  if (const auto sentence = missing_for(flags.method); !sentence.empty())
    raise(error_kind::unsupported, sentence);
  const policy_entry* const built_in = policies.find(flags.method);
  if (built_in == nullptr) raise(error_kind::internal, "no policy has the name " + flags.method);
  return assign_by(*built_in->make(), built_in->can, flags, asked);
}

}  // namespace

action add_assign(flag_set& app, const offered_policies& policies) {
  auto flags = std::make_shared<assign_flags>();
  std::vector<std::string> methods{std::string(auto_method)};
  for (const auto& one : built_in_policies()) methods.emplace_back(one.name);
  methods.insert(methods.end(), parallel_methods.begin(), parallel_methods.end());
  for (const auto& one : policies.given) methods.emplace_back(one.name);
  bind_assign_flags(app, *flags, methods);
  return [flags, &policies](const context& asked) { return run_assign(*flags, policies, asked); };
}

}  // namespace halograph::cli
