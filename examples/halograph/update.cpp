// SPDX-License-Identifier: BSL-1.0
// halograph update CONFIG.json --add EDGES --remove EDGES --add-nodes COUNT: makes a partition
// folder of an earlier one and a change of its graph.
#include "command.hpp"
#include "formats.hpp"
#include "inputs.hpp"
#include "keep_input.hpp"
#include "node_orders.hpp"
#include "partition_inputs.hpp"
#include "policies.hpp"
#include "starting_parts.hpp"

#include <halograph/core/checked_cast.hpp>
#include <halograph/io/graph_change.hpp>
#include <halograph/io/open_dataset.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/partition/multilevel.hpp>
#include <halograph/partition/placement/new_nodes.hpp>
#include <halograph/pipeline/attach_features.hpp>
#include <halograph/pipeline/estimate.hpp>
#include <halograph/pipeline/update.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/text/readable.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph::cli {

namespace {

struct update_flags {
  std::string config{}, out{}, rows{}, max_moved{};
  std::vector<std::string> added{}, removed{}, new_nodes{};
  double tolerance = default_tolerance;
  bool undirected = false, zero_rows = false;
  memory_flags memory{};
};

/// TYPE=VALUE, where TYPE is of the folder; the type is left out where there is one alone.
struct typed_value {
  std::optional<type_id> type{};
  std::string value{};
};
typed_value split_type(const std::string& text, const graph_schema& schema, entity kind) {
  const auto equals = text.find('=');
  if (equals == std::string::npos) return {{}, text};
  try {
    const auto found = find_type(schema, text.substr(0, equals));
    if (found.kind == kind) return {found.type, text.substr(equals + 1)};
  } catch (const error&) {
    // A path may have an equals sign.
  }
  return {{}, text};
}

/// Nodes of each type that --add-nodes asks for. @errors usage_error
std::vector<std::uint64_t> new_nodes_of(const update_flags& asked, const graph_schema& schema) {
  std::vector<std::uint64_t> out(schema.num_node_types());
  for (const auto& text : asked.new_nodes) {
    const auto [type, value] = split_type(text, schema, entity::node);
    const auto count = whole_number(value);
    if (!count)
      throw usage_error("--add-nodes " + text + " must be a number of nodes, or TYPE=NUMBER");
    if (!type && out.size() != 1)
      throw usage_error("--add-nodes " + text + " must name a node type: TYPE=NUMBER");
    std::uint64_t& sum = out[type.value_or(0)];
    if (*count > most_file_ids - sum)
      throw usage_error("--add-nodes " + text + " is more nodes than files can number");
    sum += *count;
  }
  return out;
}

/// The edges of a flag's graphs, appended to those of their types.
template <id ID>
void read_edges(const std::vector<std::string>& graphs, const update_flags& asked,
                const graph_schema& schema, executor_ref threads,
                std::vector<edge_columns<ID>>& out) {
  out.resize(schema.num_edge_types());
  for (const auto& text : graphs) {
    const auto [type, path] = split_type(text, schema, entity::edge);
    const auto given = load_dataset<ID, ID>(path,
                                            {.features = false,
                                             .undirected = asked.undirected,
                                             .most_bytes = asked.memory.allowed(),
                                             .yaml = yaml_codec()},
                                            input_files(), json_codec(), threads, input_tables(),
                                            known_formats());
    for (const auto& sentence : given.notes) note(path + ": " + sentence);
    const bool one = given.schema.num_edge_types() == 1 && (type || schema.num_edge_types() == 1);
    if (type && !one)
      raise(error_kind::mismatch,
            "the graph has " + std::to_string(given.schema.num_edge_types()) +
                " edge types; behind TYPE= there must be one",
            {.file = path});
    for (std::size_t r = 0; r < given.edges.size(); ++r) {
      type_id into = type.value_or(0);
      if (!one) {
        try {
          const auto found = find_type(schema,
                                       given.schema.edge_type_name(static_cast<type_id>(r)).str());
          into = found.type;
        } catch (const error& unknown) {
          raise(unknown.code(), unknown.message() + "; name the type of an edge list as TYPE=PATH",
                {.file = path});
        }
      }
      auto& [source, target] = out[into];
      const auto& from = given.edges[r];
      source.insert(source.end(), from.source.begin(), from.source.end());
      target.insert(target.end(), from.target.begin(), from.target.end());
    }
  }
}

/// What the run takes: as partition with these parts, and the IDs before and after.
resource_estimate estimate_of(const partition_config& config, const update_flags& asked,
                              std::uint64_t nodes, std::uint64_t edges, std::uint64_t fresh,
                              std::uint64_t degree_sum, std::size_t threads, bool wide) {
  estimate_input counts;
  counts.nodes = nodes;
  counts.edges = edges;
  counts.node_types = config.schema.num_node_types();
  counts.edge_types = config.schema.num_edge_types();
  counts.parts = config.num_parts;
  counts.hops = static_cast<unsigned>(config.halo_hops);
  counts.node_id_bytes = counts.edge_id_bytes = wide ? 8 : 4;
  counts.threads = threads;
  counts.original_order = in_original_order(config);
  // Earlier IDs as they are now, by type and all together.
  counts.resident_input_bytes = 16 * edges + 24 * nodes;
  counts.policy_bytes = asked.max_moved.empty()
                            ? new_nodes_bytes(fresh, 2 * degree_sum, counts.node_types,
                                              counts.parts)
                            : bytes_in_memory(multilevel::name, nodes, 2 * edges, counts.node_types,
                                              counts.parts, 0, {.from = true});
  return estimate_partition(counts);
}

/// Gives new nodes their parts and, where asked, moves others.
template <id ID>
void find_parts(const hetero_view<ID, ID>& g, std::span<part_id> owner, std::size_t parts,
                const update_flags& asked, executor_ref threads) {
  static_assert(no_part_yet == new_nodes::no_part && no_part_yet == multilevel::no_part);
  const std::vector<part_id> before(owner.begin(), owner.end());
  const auto fresh = static_cast<std::uint64_t>(
      std::count(before.begin(), before.end(), no_part_yet));
  const std::uint64_t most = asked.max_moved.empty()
                                 ? 0
                                 : moves_allowed(asked.max_moved, before.size() - fresh);
  std::string sentence;
  if (most == 0) {
    if (fresh == 0) return;
    const new_nodes policy{.parts = checked_cast<part_id>(parts, "the number of parts"),
                           .fixed = before,
                           .tolerance = asked.tolerance};
    if (const status answer = policy.assign(g, owner); !answer) {
      sentence = policy.explain(answer);
      raise(error_kind::infeasible, sentence.empty() ? "new nodes cannot be placed" : sentence);
    }
    return;
  }
  for (const auto& entry : built_in_policies()) {
    if (entry.name != multilevel::name) continue;
    const auto policy = entry.make();
    policy_inputs in;
    in.parts = parts;
    in.tolerance = asked.tolerance;
    in.from = before;
    in.max_moved = most;
    policy->configure(in, std::string(multilevel::name));
    if (const status answer = policy->assign(g, owner, threads); !answer) {
      sentence = policy->explain(answer);
      raise(error_kind::infeasible, sentence.empty() ? "nodes cannot be moved" : sentence);
    }
  }
}

chosen_order order_of(const partition_config& config) {
  for (const auto word : chosen_order::words) {
    if (const auto order = chosen_order::named(word); order.name == config.node_order) return order;
  }
  raise(error_kind::unsupported,
        "the nodes of each part are in an order " + graph_schema::quoted(config.node_order) +
            " that this program does not know; update the folder with the program that made it",
        {.file = config.path});
}

json::value describe(const update_flags& asked) {
  json::value out = json::object{{"command", "update"}, {"tolerance", asked.tolerance}};
  if (!asked.max_moved.empty()) out.set("max_moved", asked.max_moved);
  if (asked.zero_rows) out.set("zero_rows", true);
  if (asked.undirected) out.set("undirected", true);
  return out;
}

template <id ID>
answer update_at(const update_flags& asked, const partition_config& config,
                 std::vector<std::uint64_t> fresh, const any_file_opener& files,
                 const context& from) {
  const auto threads = make_threads(from.threads);
  graph_change<ID> change;
  change.new_nodes = std::move(fresh);
  step("read change", [&] {
    read_edges(asked.added, asked, config.schema, threads, change.added);
    read_edges(asked.removed, asked, config.schema, threads, change.removed);
  });
  std::uint64_t nodes = 0, edges = config.num_edges, added = 0;
  for (const auto count : change.new_nodes) nodes += count;
  for (const auto& one : change.added) added += one.source.size();
  edges += added;
  const auto estimate = estimate_of(config, asked, config.num_nodes + nodes, edges, nodes, added,
                                    threads.concurrency(), sizeof(ID) > 4);
  partition_flags limits;
  limits.memory = asked.memory.budget;
  limits.ignore_memory = asked.memory.ignore;
  limits.out = asked.out.empty() ? folder_of(config.path) : asked.out;
  if (!from.json)
    note("this run will take up to " + readable::bytes(estimate.peak_bytes) + " of memory and " +
         readable::bytes(estimate.disk_bytes_least) + " to " +
         readable::bytes(estimate.disk_bytes_most) + " of disk");
  check_resources(estimate, estimate.peak_bytes, limits);

  feature_set rows;
  if (!asked.rows.empty()) rows = read_feature_folder(asked.rows, config.schema, folder_files());
  basic_update_options<chosen_order> options;
  options.out = asked.out;
  options.rows = &rows;
  options.zero_rows = asked.zero_rows;
  options.command = command_after(config, describe(asked));
  options.on_progress = show_progress();
  options.executor = threads;
  options.order = order_of(config);
  const auto place = [&](const hetero_view<ID, ID>& g, std::span<part_id> owner) {
    find_parts(g, owner, config.num_parts, asked, threads);
  };
  const auto done = update_folder<ID>(config, change, place, known_access(files), options);
  for (const auto& sentence : done.made.notes) note(sentence);
  answer out;
  out.details.set("config", done.made.config.path);
  out.details.set("estimate", to_json(estimate));
  out.details.set("added_nodes", done.added_nodes);
  out.details.set("added_edges", done.added_edges);
  out.details.set("removed_edges", done.removed_edges);
  out.details.set("moved_nodes", done.moved_nodes);
  out.details.set("kept_files", done.kept_files);
  out.details.set("kept_bytes", done.kept_bytes);
  const json::value report = to_json(done.made.report);
  for (const auto& [key, value] : *report.if_object()) out.details.set(key, value);
  out.text = to_text(done.made.report) + "\nadded " + counted(done.added_nodes, "node") + " and " +
             counted(done.added_edges, "edge") + ", removed " +
             counted(done.removed_edges, "edge") + ", moved " + counted(done.moved_nodes, "node") +
             " to another part\n";
  if (done.kept_files != 0)
    out.text += counted(done.kept_files, "file") + " of rows kept, " +
                readable::bytes(done.kept_bytes) + "\n";
  out.text += "the partitions are in " + done.made.config.path + ", and what IDs have become in " +
              std::string(new_node_ids_name) + " and " + std::string(new_edge_ids_name) + "\n";
  return out;
}

}  // namespace

action add_update(flag_set& app) {
  auto given = std::make_shared<update_flags>();
  app.example("halograph update parts/papers.json --add new_edges.txt --add-nodes 120 --zero-rows",
              "edges and nodes that have come since, rows of zeros for them");
  app.example(
      "halograph update parts/papers.json --add writes=new.csv --remove writes=gone.csv -o parts2",
      "one edge type, into a new folder");
  app.footer(
      "GRAPH is a graph in any form that partition reads, most simply a list of edges; it names nodes by their IDs in the graph that\n"
      "was partitioned or, where the folder was made with --no-mapping, by their place among the nodes of all parts. New nodes get the\n"
      "IDs that follow. new_node_ids.npy and new_edge_ids.npy hold, by earlier ID of the folder, the ID of each node and edge now.");
  bind_config(app, given->config);
  app.section("What changes");
  app.add_option("--add", given->added,
                 "edges to add; TYPE=GRAPH for one edge type; may be repeated")
      .type_name("[TYPE=]GRAPH");
  app.add_option("--remove", given->removed,
                 "edges to remove, by their ends: each pair one edge; may be repeated")
      .type_name("[TYPE=]GRAPH");
  app.add_option("--add-nodes", given->new_nodes, "nodes to add to a type; may be repeated")
      .type_name("[TYPE=]COUNT");
  app.add_flag("--undirected", given->undirected,
               "edge lists: append the reverse of edge i as edge m + i");
  app.section("Rows of what is added");
  app.add_option("--rows", given->rows,
                 "folder of <type>/<name>.npy: a row for each added node or edge, in order")
      .type_name("DIR");
  app.add_flag("--zero-rows", given->zero_rows, "zeros where there are no rows");
  app.section("Where nodes go");
  app.add_option(
         "--max-moved", given->max_moved,
         "nodes that may change their part for fewer cut edges and better balance, a number or a share such as 5% (default: 0)")
      .type_name("COUNT");
  add_tolerance(app, "--tolerance", given->tolerance, "allowed imbalance of nodes (default: 0.03)");
  app.section("Input and output");
  app.add_option("--out", given->out, "write a new folder and leave the old one unchanged")
      .type_name("DIR");
  add_memory(app, given->memory);
  return [given](const context& from) {
    if (given->added.empty() && given->removed.empty() && given->new_nodes.empty())
      throw usage_error("update needs --add, --remove or --add-nodes");
    if (!given->max_moved.empty()) check_max_moved(given->max_moved);
    const std::string replaced = guard_changed_folder(given->config, given->out, {});
    if (!given->rows.empty()) guard_inputs(replaced, {given->rows});
    const any_file_opener files = folder_files(is_inside(replaced, given->config));
    const auto config = open_partition(given->config, files);
    for (const auto* graphs : {&given->added, &given->removed}) {
      for (const auto& one : *graphs)
        guard_inputs(replaced, {split_type(one, config.schema, entity::edge).value});
    }
    auto fresh = new_nodes_of(*given, config.schema);
    std::uint64_t nodes = config.num_nodes;
    for (const auto count : fresh) nodes += std::min(count, most_file_ids - nodes);
    constexpr std::uint64_t narrow = std::uint64_t{1} << 32;
    if (nodes < narrow && config.num_edges < narrow) {
      try {
        return update_at<std::uint32_t>(*given, config, fresh, files, from);
      } catch (const error& problem) {
        if (problem.code() != error_kind::overflow) throw;
      }
    }
    return update_at<std::uint64_t>(*given, config, std::move(fresh), files, from);
  };
}

}  // namespace halograph::cli
