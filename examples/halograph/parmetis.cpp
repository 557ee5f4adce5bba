// SPDX-License-Identifier: BSL-1.0
// halograph parmetis export|partition|import: writes a graph as the files that ParMETIS reads,
// partitions such files with METIS or, on several ranks, with a parallel partitioner, and turns
// ParMETIS's result into an assignment.
#include "command.hpp"
#include "flag_values.hpp"
#include "inputs.hpp"
#include "keep_input.hpp"
#include "metis_policy.hpp"
#include "parallel_methods.hpp"
#include "partition_inputs.hpp"
#include "ranks.hpp"

#include <halograph/comm/alltoallv.hpp>
#include <halograph/comm/collective_errors.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>
#include <halograph/folder/assignment_files.hpp>
#include <halograph/folder/quality_report.hpp>
#include <halograph/graph/hetero.hpp>
#include <halograph/io/open_dataset.hpp>
#include <halograph/parmetis/export.hpp>
#include <halograph/parmetis/import.hpp>
#include <halograph/parmetis/partition.hpp>
#include <halograph/parmetis/ranks.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/partition/fixed_point.hpp>
#include <halograph/pipeline/measure.hpp>
#include <halograph/serial/files/staged_files.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/text/readable.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace halograph::cli {

namespace {

/// Run with 32-bit IDs, and again with 64-bit IDs where they do not suffice.
template <class Work>
answer at_least_width(const Work& work) {
  try {
    return work(std::uint32_t{});
  } catch (const error& problem) {
    if (problem.code() != error_kind::overflow) throw;
  }
  return work(std::uint64_t{});
}

/// The process itself, its libraries, and blocks of text of each thread.
std::uint64_t process_bytes(std::size_t threads) {
  return (std::uint64_t{6} + 2 * std::uint64_t{make_threads(threads).concurrency()}) << 20;
}

// ---- export
// --------------------------------------------------------------------------------------

struct export_flags {
  partition_flags common{};  // input, name, out, what to balance
  bool node_attributes = false, edge_attributes = false;
  memory_flags memory{};
};

parmetis_export_options how_to_export(const export_flags& flags, const std::string& name,
                                      const balance_set& balance) {
  parmetis_export_options options;
  options.graph_name = flags.common.name.empty() ? name : flags.common.name;
  options.weights = balance.constraints();
  options.node_attributes = flags.node_attributes;
  options.edge_attributes = flags.edge_attributes;
  options.on_progress = show_progress();
  return options;
}

/// Commit what was exported, and say so.
answer finish_export(const export_flags& flags, const std::string& name, std::uint64_t need,
                     const any_file_opener& files, const std::vector<std::string>& notes,
                     const parmetis_export_result& made, staged_folder& staged) {
  const auto& common = flags.common;
  json::value weights{json::array{}};
  for (const auto& one : made.weights) weights.push(one);
  settle_inputs(files);
  note(staged.commit(json::one_line(json::object{{"command", "parmetis export"},
                                                 {"name", name},
                                                 {"weights", weights},
                                                 {"node_attributes", flags.node_attributes},
                                                 {"edge_attributes", flags.edge_attributes},
                                                 {"undirected", common.undirected}})));

  for (const auto& sentence : notes) note(sentence);
  for (const auto& sentence : made.notes) note(sentence);
  const parmetis_names names{name};
  answer done;
  done.details.set("out", common.out);
  done.details.set("need", json::object{{"memory_bytes", need}});
  done.details.set("files", json::object{{"nodes", names.nodes()},
                                         {"edges", names.edges()},
                                         {"removed_edges", names.removed_edges()},
                                         {"stats", names.stats()},
                                         {"schema", names.schema()}});
  done.details.set("nodes", made.stats.nodes)
      .set("edges", made.stats.edges)
      .set("weights", std::move(weights));
  done.details.set("removed_edges",
                   json::object{{"loops", made.loops}, {"duplicates", made.duplicates}});
  done.details.set("bytes", made.bytes);
  done.text = common.out + ": " + counted(made.stats.nodes, "node") + " with " +
              counted(made.stats.weights, "weight") + ", " + counted(made.stats.edges, "edge") +
              ", " + counted(made.loops, "self-loop") + " and " +
              counted(made.duplicates, "duplicate") + " removed into " + names.removed_edges() +
              "\n\n" + "next: halograph parmetis partition --graph-name " + name +
              " --num-parts K --input-dir " + common.out + "\n";
  return done;
}

template <id ID>
answer export_at(const export_flags& flags, const context& asked) {
  const any_file_opener files = input_files();
  const auto& common = flags.common;
  staged_folder::require_replaceable(common.out);
  const bool features = flags.node_attributes || flags.edge_attributes ||
                        !common.balance_ntypes.empty();
  const auto data = step("read", [&] {
    return load_dataset<ID, ID>(
        common.input,
        {.features = features,
         .undirected = common.undirected,
         .num_nodes = common.sized ? std::optional(common.num_nodes) : std::nullopt,
         .most_bytes = flags.memory.allowed(),
         .scratch = existing_folder_of(common.out),
         .yaml = yaml_codec()},
        files, json_codec(), make_threads(asked.threads), input_tables());
  });
  // The edges, what the input keeps, and of each node the numbers that become weights.
  const std::uint64_t nodes = data.num_nodes(), edges = data.num_edges(),
                      held = counts_of_data(data, common).resident_input_bytes,
                      constraints = common.balance_edges || !common.balance_ntypes.empty() ? 24 : 0,
                      need = detail::saturating(
                          edges, 2 * sizeof(ID),
                          detail::saturating(
                              nodes, constraints,
                              detail::saturating_sum(
                                  detail::saturating_sum(process_bytes(asked.threads), held),
                                  parmetis_export_bytes(nodes, edges, sizeof(ID), sizeof(ID)))));
  flags.memory.require(need, "exporting this graph", common.input);
  const auto balance = step("weights", [&] { return make_balance(data, common, files); });
  const auto options = how_to_export(flags, data.name, balance);
  staged_folder staged(common.out);
  const auto made = export_parmetis(data, staged, options);
  return finish_export(flags, options.graph_name, need, files, data.notes, made, staged);
}

action add_export(flag_set& app) {
  auto flags = std::make_shared<export_flags>();
  auto& common = flags->common;
  app.example("halograph parmetis export papers/ --name papers -o export/",
              "papers_nodes.txt, papers_edges.txt and papers_stats.txt");
  app.example("halograph parmetis export papers/ -o export/ --balance-ntypes paper:split",
              "with weight columns by the classes of a feature");
  app.add_option("--input,--in-dir", common.input, "the graph, in any format that partition takes")
      .required();
  app.add_option("--graph-name,--name", common.name,
                 "prefix of the file names (default: the input's name)")
      .graph_name();
  app.add_option("--output-dir,--out-dir,--out", common.out,
                 "the folder to make or, if it is a result of ours, to replace")
      .required();
  app.add_option(
      "--balance-ntypes", common.balance_ntypes,
      "weight columns: TYPE:FEATURE, a folder of class files, or none (default: one for each node type)");
  app.add_flag("--balance-edges", common.balance_edges,
               "add weight columns of in-degrees, one per class");
  app.add_flag("--node-attributes", flags->node_attributes, "node features as columns of text");
  app.add_flag("--edge-attributes", flags->edge_attributes, "edge features as columns of text");
  app.add_flag("--undirected", common.undirected,
               "edge lists: append the reverse of edge i as edge m + i");
  const bound_flag sized = add_number(
      app, "--num-nodes", common.num_nodes,
      "edge lists: the number of nodes (default: the largest ID plus one)", 0, most_file_ids);
  add_memory(app, flags->memory);
  return [flags, sized](const context& asked) {
    guard_inputs(flags->common.out, {flags->common.input});
    flags->common.sized = sized.count() != 0;
    return at_least_width([&]<class ID>(ID) { return export_at<ID>(*flags, asked); });
  };
}

// ---- partition
// -----------------------------------------------------------------------------------

struct partition_parts_flags {
  std::vector<std::string> metis{};
  std::string graph{}, input = ".", out{}, method = "metis", objective = "cut", duplicates = "keep";
  std::uint64_t parts = 0, seed = 4321;
  double tolerance = 0.02;
  memory_flags memory{};
};

/// What a rank takes: rows, for which room is made by the sizes of the files, then what partitions
/// or, if that is more, an edge and where it comes from, of all edges of its parts.
/// @param id_bytes  of a node   @param policy  policy(nodes, edges, weights): bytes
/// @errors memory: more than is allowed; those of read_parmetis_stats
std::uint64_t require_partition_memory(
    const partition_parts_flags& flags, std::size_t threads, std::uint64_t id_bytes,
    std::uint64_t ranks,
    function_ref<std::uint64_t(std::uint64_t, std::uint64_t, std::uint64_t)> policy) {
  const any_file_opener files = input_files();
  const parmetis_names names{flags.graph};
  const auto path = [&](const std::string& name) { return path_in(flags.input, name); };
  const parmetis_stats stats = read_parmetis_stats(path(names.stats()), files);
  const auto share = [&](std::uint64_t whole) { return whole / ranks + 1; };
  // Rows have two characters for each number at least; edges are kept with two nodes.
  const std::uint64_t node_rows = share(files(path(names.nodes())).bytes.size() /
                                        (2 * (stats.weights + 2))),
                      edge_rows = share(files(path(names.edges())).bytes.size() / 8),
                      rows = detail::saturating(node_rows, 28 + 8 * stats.weights,
                                                detail::saturating(edge_rows, 8 + 2 * id_bytes)),
                      need = detail::saturating_sum(
                          detail::saturating_sum(process_bytes(threads), rows),
                          std::max(policy(stats.nodes, stats.edges, stats.weights),
                                   detail::saturating(share(stats.edges), 48)));
  flags.memory.require(need, "partitioning these files", path(names.edges()));
  return need;
}

/// The answer, for one process and for several.
answer tell_partition(const partition_parts_flags& flags, std::uint64_t need,
                      const parmetis_write_result& made, std::uint64_t edge_cut,
                      std::uint64_t communication_volume,
                      const std::vector<balance_report>& balance) {
  const bool in_place = flags.out.empty();
  if (made.loops != 0)
    note(counted(made.loops, "self-loop is", "self-loops are") +
         " copied to the parts; ParMETIS itself does not support them");
  if (made.duplicates != 0) {
    note(counted(made.duplicates, "edge repeats", "edges repeat") +
         " the source and target of another edge; " +
         (made.dropped != 0
              ? "the last of each pair was kept, as pm_dglpart does"
              : "all were kept; pm_dglpart keeps only the last of each pair (--duplicates last)"));
  }
  note_unmet(balance, {}, false);
  const parmetis_names names{flags.graph};
  answer done;
  done.details.set("method", flags.method)
      .set("need", json::object{{"memory_bytes", need}})
      .set("out", in_place ? flags.input : flags.out)
      .set("assignment", names.assignment(flags.parts));
  json::value parts{json::array{}}, constraints{json::array{}};
  std::vector<std::vector<std::string>> rows{{"part", "nodes", "edges"}};
  for (std::size_t p = 0; p < made.part_nodes.size(); ++p) {
    parts.push(json::object{{"nodes", made.part_nodes[p]}, {"edges", made.part_edges[p]}});
    rows.push_back({std::to_string(p), std::to_string(made.part_nodes[p]),
                    std::to_string(made.part_edges[p])});
  }
  for (const auto& one : balance)
    constraints.push(json::object{{"name", one.name},
                                  {"tolerance", one.tolerance},
                                  {"imbalance", one.imbalance},
                                  {"met", one.met}});
  done.details.set("parts", std::move(parts))
      .set("edge_cut", edge_cut)
      .set("communication_volume", communication_volume);
  done.details.set("balance", std::move(constraints))
      .set("loops", made.loops)
      .set("duplicates", made.duplicates)
      .set("dropped", made.dropped)
      .set("bytes", made.bytes);
  done.text = table(rows) + "\nedge cut " + std::to_string(edge_cut) + "; the parts are " +
              path_in(in_place ? flags.input : flags.out, names.part_nodes(0)) +
              " and so on, the assignment " + names.assignment(flags.parts) + "\n";
  return done;
}

/// Rows of edges as a graph of one type, the view that METIS and measuring are compiled for.
/// @errors overflow: more edges than IDs of this width
template <id ID>
class one_type_graph {
 public:
  explicit one_type_graph(const parmetis_graph<ID>& in)
      : nodes_{0, in.num_nodes()},
        edges_{0, in.num_edges()},
        relation_{0, 0, in.source, in.target} {
    if (in.num_edges() > id_capacity<ID>())
      raise(error_kind::overflow, "the graph has more edges than IDs of this width can number");
  }
  hetero_view<ID, ID> view() const noexcept { return {nodes_, edges_, {&relation_, 1}}; }

 private:
  std::array<std::uint64_t, 2> nodes_, edges_;
  relation_view<ID> relation_;
};

/// METIS as the flags ask for it.
std::unique_ptr<chosen_policy> policy_of(const partition_parts_flags& flags,
                                         const balance_set& balance) {
  auto policy = metis_entry().make();
  policy_inputs in;
  in.parts = flags.parts;
  in.seed = flags.seed;
  in.tolerance = flags.tolerance;
  in.constraints = balance.constraints();
  in.volume = flags.objective == "vol";
  in.metis_options = flags.metis;
  policy->configure(in, flags.method);
  return policy;
}

/// Files that are staged, whatever way.
struct staged_output {
  function_ref<void(const std::string&)> add_file;
  std::string folder;

  void add(const std::string& name) const { add_file(name); }
  const std::string& path() const noexcept { return folder; }
};

/// Stage the parts in place or in a folder of their own, and commit them.
parmetis_write_result write_staged(
    const partition_parts_flags& flags,
    function_ref<parmetis_write_result(staged_output&, const parmetis_write_options&)> write) {
  parmetis_write_options options;
  options.duplicates = flags.duplicates == "last" ? parmetis_duplicates::last
                                                  : parmetis_duplicates::keep;
  options.on_progress = show_progress();
  json::value command = json::object{
      {"command", "parmetis partition"}, {"name", flags.graph}, {"parts", flags.parts},
      {"objective", flags.objective},    {"seed", flags.seed},  {"tolerance", flags.tolerance},
      {"duplicates", flags.duplicates}};
  if (!flags.metis.empty()) {
    json::value asked{json::array{}};
    for (const auto& one : flags.metis) asked.push(one);
    command.set("metis", std::move(asked));
  }
  const auto into = [&](auto& staged) {
    const auto add = [&](const std::string& name) { staged.add(name); };
    staged_output output{add, staged.path()};
    parmetis_write_result made = write(output, options);
    inputs_of_this_run()->settle();  // rows are copied from the mapped files until now
    note(staged.commit(json::one_line(command)));
    return made;
  };
  if (flags.out.empty()) {
    staged_files staged(flags.input, "parmetis");
    return into(staged);
  }
  staged_folder staged(flags.out);
  return into(staged);
}

template <id ID>
answer partition_parts_at(const partition_parts_flags& flags, const context& asked) {
  if (!flags.out.empty()) staged_folder::require_replaceable(flags.out);
  const std::uint64_t need = require_partition_memory(
      flags, asked.threads, sizeof(ID), 1,
      [&](std::uint64_t nodes, std::uint64_t edges, std::uint64_t weights) {
        return bytes_of_metis(nodes, detail::saturating(edges, 2),
                              std::max<std::uint64_t>(weights, 1), flags.parts);
      });
  auto in = step("read", [&] {
    return read_parmetis_graph<ID>(flags.input, flags.graph, input_files(),
                                   make_threads(asked.threads));
  });
  const auto balance = in.take_weights(flags.tolerance);
  const one_type_graph<ID> typed(in);
  const auto graph = typed.view();
  if (!asked.json)  // the note is for human readers
    note("this run will take up to " + readable::bytes(need) + " of memory");
  const auto policy = policy_of(flags, balance);
  std::vector<part_id> owner(in.num_nodes());
  step("assign", [&] {
    if (const status answer = policy->assign(graph, owner, executor_ref()); !answer)
      raise(answer.code, policy->explain(answer));
  });
  quality_report report;
  step("measure", [&] {
    measure_into(report, graph, std::span<const part_id>(owner),
                 static_cast<std::size_t>(flags.parts), balance.constraints());
  });
  const auto made = write_staged(flags, [&](staged_output& output,
                                            const parmetis_write_options& options) {
    return write_parmetis_parts(in, std::span<const part_id>(owner), flags.parts, output, options);
  });
  return tell_partition(flags, need, made, report.edge_cut, report.communication_volume,
                        report.balance);
}

// Several processes: each reads a share of the rows and writes its own parts.
answer partition_parts_on_ranks(const partition_parts_flags& flags, const context& asked,
                                communicator_ref ranks) {
  json::value command = json::object{
      {"command", "parmetis partition"}, {"name", flags.graph}, {"parts", flags.parts},
      {"method", flags.method},          {"seed", flags.seed},  {"tolerance", flags.tolerance},
      {"duplicates", flags.duplicates}};
  run_collective(ranks, [&] {
    require_same(ranks, json::print(command, 0), "partitions with other options than",
                 "they must be the same on all ranks");
    if (ranks.rank() == 0 && !flags.out.empty()) staged_folder::require_replaceable(flags.out);
  });
  const parallel_method method{flags.method, flags.parts, flags.tolerance, flags.seed};
  std::uint64_t need = 0;
  run_collective(ranks, [&] {
    need = require_partition_memory(
        flags, asked.threads, sizeof(std::uint64_t), ranks.size(),
        [&](std::uint64_t nodes, std::uint64_t edges, std::uint64_t weights) {
          return method.bytes(nodes, edges,
                              std::max(static_cast<std::size_t>(weights), std::size_t{1}),
                              ranks.size());
        });
  });
  const auto in = step("read", [&] {
    return read_parmetis_share<std::uint64_t>(ranks, flags.input, flags.graph, input_files(),
                                              make_threads(asked.threads));
  });
  std::vector<part_id> owner(in.num_nodes());
  step("assign", [&] {
    run_collective(ranks, [&] {
      static_cast<void>(method.assign(checked_communicator(ranks), in.graph(), std::span(owner)));
    });
  });
  distributed_quality quality;
  step("measure", [&] {
    status measured = status::ok;
    run_collective(ranks, [&] {
      measured = measure_parallel(checked_communicator(ranks), in.graph(),
                                  std::span<const part_id>(owner), flags.parts, quality);
    });
    if (!measured) throw joint_error(measured.code, "the parts cannot be measured");
  });
  std::vector<std::uint64_t> heaviest(in.stats.weights);
  run_collective(ranks, [&] {
    const auto mine = in.graph();
    for (std::size_t c = 0; c < heaviest.size(); ++c) {
      for (std::size_t v = 0; v < mine.num_nodes(); ++v)
        heaviest[c] = std::max(heaviest[c], mine.load(v, c));
      heaviest[c] = all_reduce_max(ranks, heaviest[c]);
    }
  });
  std::vector<balance_report> balance;
  for (std::size_t c = 0; c < in.stats.weights; ++c) {
    spread of{0, 0, flags.parts, static_cast<std::int64_t>(heaviest[c])};
    for (std::size_t p = 0; p < flags.parts; ++p) {
      const auto load = static_cast<std::int64_t>(quality.loads[c * flags.parts + p]);
      of.total += load;
      of.largest = std::max(of.largest, load);
    }
    balance.push_back({"weight:" + std::to_string(c), flags.tolerance, of.imbalance(),
                       of.met(flags.tolerance), of.least_imbalance()});
  }

  parmetis_write_options options;
  options.duplicates = flags.duplicates == "last" ? parmetis_duplicates::last
                                                  : parmetis_duplicates::keep;
  options.on_progress = show_progress();
  // Rank 0 stages and commits; the others write into the same folder.
  const auto write = [&]<class Staged>(std::optional<Staged> staged, const auto&... where) {
    std::string folder;
    run_collective(ranks, [&] {
      if (ranks.rank() != 0) return;
      staged.emplace(where...);
      for (const auto& name : parmetis_part_files(in.names, flags.parts)) staged->add(name);
      folder = staged->path();
    });
    broadcast_text(ranks, folder, 0);
    const auto made = write_parmetis_share(ranks, in, std::span<const part_id>(owner), flags.parts,
                                           folder, options);
    run_collective(ranks, [] { inputs_of_this_run()->settle(); });
    run_collective(ranks, [&] {
      if (ranks.rank() == 0) note(staged->commit(json::one_line(command)));
    });
    return made;
  };
  const auto made = flags.out.empty()
                        ? write(std::optional<staged_files>(), flags.input, std::string("parmetis"))
                        : write(std::optional<staged_folder>(), flags.out);
  return tell_partition(flags, need, made, quality.edge_cut, quality.communication_volume, balance);
}

action add_partition_parts(flag_set& app) {
  auto flags = std::make_shared<partition_parts_flags>();
  app.example("halograph parmetis partition export/ --name papers -k 8", "by METIS");
  app.example("mpirun -n 4 halograph parmetis partition export/ --name papers -k 8 -m ptscotch",
              "on 4 ranks");
  app.footer(
      "Reads X_nodes.txt, X_edges.txt and X_stats.txt; writes p000-X_nodes.txt, p000-X_edges.txt,\n"
      "p000-X_stats.txt and so on, three digits or more, and X_part.K.\n"
      "Node weights are balanced column by column; edges count once, in either direction.");
  app.add_option("--graph-name,--name", flags->graph, "the X of the files' names")
      .required()
      .graph_name();
  add_number(app, "--num-parts,--parts,--num-partitions", flags->parts, "number of parts", 1,
             1000000)
      .required();
  app.add_option("--input-dir,--in-dir", flags->input,
                 "folder of the three files (default: the current one)");
  app.add_option("--output-dir,--out-dir,--out", flags->out,
                 "the output folder of the parts (default: beside the input)");
  add_tolerance(app, "--tolerance", flags->tolerance,
                "allowed imbalance of every weight column (default: 0.02, ParMETIS's)");
  std::vector<std::string> methods{"metis"};
  methods.insert(methods.end(), parallel_methods.begin(), parallel_methods.end());
  app.add_option(
         "--method", flags->method,
         "metis; or on any number of ranks (mpirun -np R): label_propagation, ptscotch, parmetis (default: metis)")
      .one_of(methods);
  const bound_flag objective_flag = app.add_option(
                                           "--objective", flags->objective,
                                           "what METIS minimizes: cut or vol (default: cut)")
                                        .one_of({"cut", "vol"});
  bind_metis_options(app, flags->metis);
  add_number(app, "--seed", flags->seed, "seed of the method (default: 4321)");
  app.add_option(
         "--duplicates", flags->duplicates,
         "edges with equal source and target: keep all, or only the last as pm_dglpart does (default: keep)")
      .one_of({"keep", "last"});
  add_memory(app, flags->memory);
  return [flags, objective_flag](const context& asked) {
    if (flags->method != "metis" && objective_flag.count() != 0)
      throw usage_error("--objective applies to METIS only; method " + flags->method +
                        " minimizes the cut");
    check_metis_options(flags->metis, flags->method);
    if (flags->out.empty()) {
      inputs_of_this_run()->protect(flags->input.empty() ? "." : flags->input,
                                    parmetis_part_files({flags->graph}, flags->parts));
    } else {
      guard_inputs(flags->out, {flags->input.empty() ? "." : flags->input});
    }
    return with_ranks([&](communicator_ref ranks) {
      if (flags->method != "metis") return partition_parts_on_ranks(*flags, asked, ranks);
      if (ranks.size() != 1)
        throw joint_error(
            error_kind::unsupported,
            "METIS runs as one process; --method label_propagation, ptscotch and parmetis run as several");
      if (const auto sentence = missing_metis(); !sentence.empty())
        raise(error_kind::unsupported, sentence);
      return at_least_width([&]<class ID>(ID) { return partition_parts_at<ID>(*flags, asked); });
    });
  };
}

// ---- import
// --------------------------------------------------------------------------------------

struct import_flags {
  std::string parts_file{}, schema{}, input_dir{}, out{};
  std::uint64_t parts = 0;
  memory_flags memory{};
};

answer run_import(const import_flags& flags, const context& asked) {
  staged_folder::require_replaceable(flags.out);
  const any_file_opener files = input_files();
  const std::string schema_file = path_in(flags.input_dir, flags.schema);
  const auto [schema, counts] = step(
      "read", [&] { return read_node_counts(schema_file, files, json_codec()); });
  std::uint64_t nodes = 0;
  for (const auto count : counts) {
    if (!add_into(nodes, count, nodes))
      raise(error_kind::overflow, "the node types have more than 2^64 nodes together",
            {.file = schema_file, .line = {}, .byte = {}});
  }
  const std::uint64_t need = detail::saturating(nodes, parmetis_assignment_bytes,
                                                process_bytes(asked.threads));
  flags.memory.require(need, "importing these parts", flags.parts_file);
  const auto read = read_parmetis_assignment(
      flags.parts_file, nodes,
      flags.parts == 0 ? std::nullopt : std::optional(static_cast<part_id>(flags.parts)), files,
      make_threads(asked.threads));
  std::vector<std::uint64_t> sizes(read.parts);
  for (const auto part : read.owner) ++sizes[part];
  begin_step("write");
  staged_folder staged(flags.out);
  for (const auto& type : schema.node_types()) staged.add(type + ".txt");
  staged.add("partition_meta.json");
  write_assignment(staged.path(), schema, counts, std::span<const part_id>(read.owner), read.parts,
                   "metis");
  settle_inputs(files);
  note(staged.commit(
      json::one_line(json::object{{"command", "parmetis import"}, {"parts", read.parts}})));

  std::uint64_t empty = 0;
  for (const auto size : sizes) empty += size == 0;
  if (empty != 0)
    note(grouped(empty) + " of " + counted(read.parts, "part") + (empty == 1 ? " has" : " have") +
         " no nodes");
  answer done;
  json::value list{json::array{}};
  std::vector<std::vector<std::string>> rows{{"part", "nodes"}};
  for (std::size_t p = 0; p < sizes.size(); ++p) {
    list.push(sizes[p]);
    rows.push_back({std::to_string(p), std::to_string(sizes[p])});
  }
  done.details.set("out", flags.out)
      .set("need", json::object{{"memory_bytes", need}})
      .set("parts", read.parts)
      .set("nodes", nodes)
      .set("part_nodes", std::move(list));
  done.text = flags.out + ": " + counted(nodes, "node") + " in " + counted(read.parts, "part") +
              "\n\n" + table(rows);
  return done;
}

action add_import(flag_set& app) {
  auto flags = std::make_shared<import_flags>();
  app.example(
      "halograph parmetis import --parts-file papers_part.8 --schema papers.json -o owners/",
      "the assignment, for dispatch");
  app.example(
      "halograph parmetis import --parts-file papers_part.8 --schema papers/metadata.json -o owners/",
      "by the schema of a chunked graph");
  app.footer(
      "Writes <node type>.txt, one part per line, and partition_meta.json, for partition --assignment and dispatch --partitions-dir.\n"
      "K is --num-parts; by default the number after the last dot of the file name, or else the largest part plus one.");
  app.add_option("--parts-file,--parmetis-output-file", flags->parts_file,
                 "X_part.K: a node and its part per line, in any order")
      .required();
  app.add_option("--schema,--schema-file", flags->schema,
                 "X.json of an export, or the metadata.json of a chunked graph")
      .required();
  app.add_option("--input-dir,--postproc-input-dir", flags->input_dir,
                 "folder of the schema (default: the current one)");
  app.add_option("--output-dir,--partitions-dir,--out-dir,--out", flags->out, "the output folder")
      .required();
  add_number(app, "--num-parts,--parts,--num-partitions", flags->parts,
             "number of parts (default: by the file's name, else the largest part plus one)", 1,
             most_parts);
  add_memory(app, flags->memory);
  return [flags](const context& asked) {
    guard_inputs(flags->out, {flags->parts_file, path_in(flags->input_dir, flags->schema)});
    return run_import(*flags, asked);
  };
}

}  // namespace

action add_parmetis(flag_set& app) {
  app.require_subcommand();
  app.example("halograph parmetis export papers/ --name papers -o export/",
              "the files that ParMETIS reads");
  app.example(
      "halograph parmetis import --parts-file papers_part.8 --schema papers.json -o owners/",
      "what it answered, as an assignment for partition and dispatch");
  auto actions = std::make_shared<std::vector<std::pair<flag_set, action>>>();
  const auto add = [&](const char* name, const char* summary, action (*bind)(flag_set&)) {
    flag_set sub = app.add_subcommand(name, summary);
    actions->emplace_back(sub, bind(sub));
  };
  add("export", "write a graph as the files that ParMETIS reads", &add_export);
  add("partition", "partition such files as pm_dglpart does, with METIS or in parallel",
      &add_partition_parts);
  add("import", "turn ParMETIS's result into an assignment folder", &add_import);
  add("convert", "make a partition folder of the parts that ParMETIS wrote", &add_parmetis_convert);
  return [actions](const context& asked) -> answer {
    for (const auto& [sub, act] : *actions) {
      if (!sub.parsed()) continue;
      if (launched().ranks > 1 && sub.name() != "partition" && sub.name() != "convert") {
        return with_ranks([](communicator_ref) -> answer {
          throw joint_error(
              error_kind::unsupported,
              "only parmetis partition and parmetis convert run as several processes");
        });
      }
      return act(asked);
    }
    throw usage_error(
        "one of export, partition, import and convert is needed; see halograph parmetis --help");
  };
}

}  // namespace halograph::cli
