// SPDX-License-Identifier: BSL-1.0
/// @file partition.hpp
/// `halograph partition` and `halograph estimate`: the same flags; the whole job, or what it would
/// take.
#pragma once

#include "command.hpp"
#include "flag_values.hpp"
#include "formats.hpp"
#include "inputs.hpp"
#include "keep_input.hpp"
#include "methods.hpp"

#include <halograph/hosted.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace halograph::cli {

/// The flags of `partition` as they stand on the command line.
struct partition_flags {
  std::string input{}, name{}, out{}, assignment{}, edge_weights{};
  std::string method = "metis", objective = "cut", graph_formats = "coo", node_order = "original",
              stream_order = "natural", serializer = "dgl", file_names = "guide", id_bits = "auto";
  std::uint64_t parts = 0, trainers = 1, seed = 0, num_nodes = 0;
  unsigned hops = 1;
  bool drop_cut_edges = false, balance_edges = false, save_mapping = false, no_mapping = false,
       store_orig_ids = false, no_reshuffle = false;
  bool undirected = false, ignore_memory = false, seeded = false, sized = false;
  std::vector<std::string> balance_ntypes{}, tolerance{};
};

/// Bind the flags. @param methods the words that --method takes  @param estimate_only --out is not
/// needed
void bind_partition_flags(CLI::App& app, partition_flags& flags,
                          const std::vector<std::string>& methods, bool estimate_only);

/// Contradictions and values that the command line alone shows to be wrong. @errors usage_error
void check_partition_flags(const partition_flags& flags, bool estimate_only);

/// The format of an input. @errors those of recognize_input()
input_format format_of(const std::string& path);

/// What an input holds, features included, where that is known without reading its edges: a chunked
/// graph or the plain form.
std::optional<estimate_input> quick_counts(const std::string& path);

/// Fill in what the flags decide.
/// @param constraints  how many are balanced; by default as many as node types, since classes are
///     unknown before they are read
void apply_flags(estimate_input& counts, const partition_flags& flags, std::size_t threads,
                 bool wide_ids, std::optional<std::uint64_t> constraints = std::nullopt);

/// What a loaded graph holds.
template <id Node, id Edge>
estimate_input counts_of_data(const dataset<Node, Edge>& data, const partition_flags& flags) {
  estimate_input counts;
  counts.nodes = data.num_nodes();
  counts.edges = data.num_edges();
  counts.node_types = data.schema.num_node_types();
  counts.edge_types = data.schema.num_edge_types();
  for (const auto* all : {&data.features.nodes, &data.features.edges}) {
    for (const auto& one : *all) counts.feature_bytes += one.rows.rows() * one.rows.row_bytes();
  }
  // Features in arrays stay in their files; those in text are read.
  const auto known = quick_counts(flags.input);
  counts.resident_input_bytes = known ? known->resident_input_bytes
                                : format_of(flags.input) == input_format::dgl_graph
                                    ? 0
                                    : counts.feature_bytes;
  counts.resident_input_bytes += 8 * counts.nodes *
                                 (data.node_weights.size() + (data.node_sizes.empty() ? 0 : 1));
  return counts;
}

/// The estimate as a table for people.
std::string to_text(const resource_estimate& estimate);

/// Refuse what would swap or fill the disk, unless told to go on. @errors memory, io
void check_resources(const resource_estimate& estimate, const partition_flags& flags);

/// How a result was made, for its manifest: what decides its bytes, and no paths.
json::value describe_command(const partition_flags& flags, const std::string& name);

/// Can a policy cut a graph in memory? One that only works on ranks' own rows is for assign alone.
template <class Policy>
inline constexpr bool cuts_graphs = requires(
    const Policy& policy, const hetero_view<std::uint32_t, std::uint32_t>& graph,
    std::span<typename Policy::part> owner) { policy.assign(graph, owner); };

/// Integer values of a node or edge feature, one per row. @errors mismatch: not a column of
/// integers
std::vector<std::int64_t> integer_column(const chunked_tensor& rows, const std::string& what);

/// The classes that --balance-ntypes asks for. @errors usage-like errors of the flag's values, with
/// the flag named
template <id Node, id Edge>
node_classes balance_classes(const dataset<Node, Edge>& data, const partition_flags& flags,
                             const input_files& files) {
  const auto graph = data.graph();
  const auto& types = data.schema.node_types();
  if (flags.balance_ntypes.empty()) {
    return types.size() > 1 ? classes_by_type<std::int64_t>(graph.node_type_offsets(), types)
                            : node_classes{};
  }
  if (flags.balance_ntypes.size() == 1 && flags.balance_ntypes[0] == "none") return {};
  std::vector<std::vector<std::int64_t>> columns(types.size());
  values_by_type<std::int64_t> values;
  for (const auto& asked : flags.balance_ntypes) {
    const auto colon = asked.rfind(':');
    const auto type_name = colon == std::string::npos ? std::string() : asked.substr(0, colon);
    const auto feature_name = colon == std::string::npos ? asked : asked.substr(colon + 1);
    const auto type = colon == std::string::npos
                          ? (types.size() == 1 ? std::optional<type_id>(0) : std::nullopt)
                          : data.schema.node_type(type_name);
    if (type && data.node_feature(*type, feature_name)) {
      columns[*type] = integer_column(data.node_feature(*type, feature_name)->rows,
                                      "--balance-ntypes " + asked);
      values[types[*type]] = columns[*type];
      continue;
    }
    if (is_folder(asked)) {
      for (std::size_t t = 0; t < types.size(); ++t) {
        const std::string file = asked + "/" + types[t] + ".txt";
        if (!is_file(file)) continue;
        columns[t] = read_column(files(file).bytes, file, {.what = "a class"});
        values[types[t]] = columns[t];
      }
      if (values.empty())
        raise(
            errc::not_found,
            "the folder of --balance-ntypes holds a file <node type>.txt for none of the node types",
            {.file = asked, .line = {}, .byte = {}});
      continue;
    }
    std::string known;
    for (const auto& one : data.features.nodes)
      known += (known.empty() ? "" : ", ") + types[one.type] + ":" + one.name;
    raise(
        errc::not_found,
        "--balance-ntypes " + asked +
            " is neither a node feature TYPE:FEATURE nor a folder of class files; features are: " +
            (known.empty() ? "none" : known));
  }
  if (types.size() == 1) return classes_by_value(std::span<const std::int64_t>(columns[0]));
  return classes_by_type(graph.node_type_offsets(), types, values);
}

/// Everything that is to be balanced, tolerances set. May view the data's weights.
template <id Node, id Edge>
balance_set make_balance(const dataset<Node, Edge>& data, const partition_flags& flags,
                         const input_files& files) {
  balance_set set;
  if (!data.node_weights.empty() && flags.balance_ntypes.empty() && !flags.balance_edges) {
    for (std::size_t i = 0; i < data.node_weights.size(); ++i) {
      set.add(data.node_weights.size() == 1 ? "weight" : "weight:" + std::to_string(i),
              load_view(data.node_weights[i]));
    }
  } else {
    set = balance_like_dgl(data.graph(), balance_classes(data, flags, files), flags.balance_edges);
  }
  for (const auto& asked : flags.tolerance) {
    const auto equals = asked.rfind('=');
    const double value = finite_number(std::string_view(asked).substr(
                                           equals == std::string::npos ? 0 : equals + 1))
                             .value();  // check_partition_flags() has looked
    if (equals == std::string::npos)
      set.set_tolerance(value);
    else
      set.set_tolerance(asked.substr(0, equals), value);
  }
  return set;
}

/// [E] weights by homogenized edge ID, or nothing: edge types without the feature weigh 1. A METIS
/// graph's own weights are used unless the flag says "none".
template <id Node, id Edge>
std::vector<std::int64_t> edge_weights_of(const dataset<Node, Edge>& data,
                                          const partition_flags& flags, bool metis_input) {
  const std::string name = flags.edge_weights.empty() && metis_input ? data.edge_weight_feature
                                                                     : flags.edge_weights;
  if (name.empty() || name == "none") return {};
  std::vector<std::int64_t> weights(static_cast<std::size_t>(data.num_edges()), 1);
  bool found = false;
  for (const auto& one : data.features.edges) {
    if (one.name != name) continue;
    found = true;
    const auto column = integer_column(
        one.rows, "--edge-weights " + name + " of " + data.schema.edge_types()[one.type].str());
    std::copy(
        column.begin(), column.end(),
        weights.begin() + static_cast<std::ptrdiff_t>(data.graph().edge_type_offsets()[one.type]));
  }
  if (!found)
    raise(errc::not_found, "--edge-weights " + name + " names no edge feature of this graph");
  return weights;
}

/// Any policy, behind one type: the whole job is then compiled once per width and format, not once
/// per policy.
template <class Graph>
struct any_policy {
  using part = part_id;
  std::uint64_t parts = 1;
  std::function<status(const Graph&, std::span<part_id>)> call{};
  std::function<std::string(status)> sentence{};

  status assign(const Graph& g, std::span<part_id> owner) const { return call(g, owner); }
  std::string explain(status answer) const { return sentence(answer); }
};

/// Wrap a policy whose options are set. Its part numbers are widened; threads help it where it has
/// work for them.
template <class Graph, class Policy, executor Threads>
any_policy<Graph> erase(Policy policy, const Threads& threads) {
  auto shared = std::make_shared<const Policy>(std::move(policy));
  any_policy<Graph> out;
  out.parts = static_cast<std::uint64_t>(shared->parts);
  out.call = [shared, threads](const Graph& g, std::span<part_id> owner) -> status {
    if constexpr (std::same_as<typename Policy::part, part_id>) {
      return assign_into(g, *shared, owner, threads);
    } else {
      std::vector<typename Policy::part> narrow(owner.size());
      const auto narrowed = std::span<typename Policy::part>(narrow);
      const status answer = assign_into(g, *shared, narrowed, threads);
      std::copy(narrow.begin(), narrow.end(), owner.begin());
      return answer;
    }
  };
  out.sentence = [shared](status answer) { return explain_assignment(*shared, answer); };
  return out;
}

/// Everything that policies may want to know, set where they have a member of the name.
struct policy_inputs {
  std::uint64_t parts = 1;
  std::optional<std::uint64_t> seed{};
  std::span<const constraint> constraints{};
  std::span<const std::int64_t> edge_weights{};
  std::span<const std::int64_t> node_sizes{};
  bool volume = false;
  bool edge_weights_asked = false;  ///< by a flag, not by the input alone
  bool shuffled = false;            ///< nodes are pushed in a seeded order
};

template <class Policy>
void configure(Policy& policy, const policy_inputs& in, const char* method) {
  if constexpr (requires { policy.parts = {}; }) {
    policy.parts = checked_cast<std::remove_cvref_t<decltype(policy.parts)>>(in.parts,
                                                                             "the number of parts");
  }
  if constexpr (takes_seed<Policy>) {
    if (in.seed)
      policy.seed = checked_cast<std::remove_cvref_t<decltype(policy.seed)>>(*in.seed, "the seed");
  } else if (in.seed) {
    throw usage_error(std::string("--seed means nothing to --method ") + method);
  }
  if constexpr (takes_constraints<Policy>) policy.constraints = in.constraints;
  if constexpr (takes_edge_weights<Policy>) {
    policy.edge_weights = in.edge_weights;
  } else if (in.edge_weights_asked) {
    throw usage_error(std::string("--edge-weights means nothing to --method ") + method);
  }
  if constexpr (requires {
                  { policy.order } -> std::convertible_to<stream_order>;
                }) {
    policy.order = in.shuffled ? stream_order::shuffled : stream_order::natural;
  }
}

/// The policy that --method names, with its options set.
template <class Graph, class... Policies, executor Threads>
any_policy<Graph> make_policy(const partition_flags& flags, const policy_inputs& in,
                              std::vector<part_id>& given_owner, const Threads& threads) {
  if (flags.method == given::name)
    return erase<Graph>(given{.parts = in.parts, .owners = given_owner}, threads);
  any_policy<Graph> out;
  const auto make = [&]<class Policy>(std::type_identity<Policy>) {
    if constexpr (cuts_graphs<Policy>) {
      Policy policy{};
      auto inputs = in;
      if constexpr (std::same_as<Policy, random>) inputs.edge_weights_asked = false;
      configure(policy, inputs, flags.method.c_str());
      if constexpr (std::same_as<Policy, metis>) {
        policy.objective = in.volume ? objective::volume : objective::cut;
        if (in.volume) policy.node_sizes = in.node_sizes;
      }
      out = erase<Graph>(std::move(policy), threads);
    }
    return cuts_graphs<Policy>;
  };
  if (!built_in_policies::find(flags.method, make) &&
      !policy_list<Policies...>::find(flags.method, make))
    raise(errc::internal, "no policy has the name " + flags.method);
  return out;
}

/// The whole job at one ID width.
template <id ID, class... Policies>
answer partition_at(const partition_flags& flags, const context& asked) {
  const input_files files;
  const nlohmann_codec codec;
  const auto threads = make_threads(asked.threads);
  const auto progress_shown = show_progress();
  partition_result result;
  step_clock clock(result.report, progress_shown);
  std::optional<dataset<ID, ID>> loaded;
  clock.run("read", [&] {
    loaded.emplace(load_dataset<ID, ID>(
        flags.input,
        {.undirected = flags.undirected,
         .num_nodes = flags.sized ? std::optional(flags.num_nodes) : std::nullopt,
         .scratch = existing_folder_of(flags.out)},
        files, codec, threads, input_tables{}, known_formats{}));
  });
  auto& data = *loaded;
  const bool metis_input = format_of(flags.input) == input_format::metis_graph;
  using graph = decltype(data.graph());

  const auto balance = make_balance(data, flags, files);
  auto counts = counts_of_data(data, flags);
  if (metis_input && !data.edge_weight_feature.empty())
    counts.resident_input_bytes += 8 * counts.edges;
  apply_flags(counts, flags, asked.threads, sizeof(ID) > 4, balance.constraints().size());
  const auto estimate = estimate_partition(counts);
  if (!asked.json)
    note("this run will take up to " + human_bytes(estimate.peak_bytes) + " of memory and " +
         human_bytes(estimate.disk_bytes_least) + " to " + human_bytes(estimate.disk_bytes_most) +
         " of disk");
  check_resources(estimate, flags);

  std::vector<part_id> given_owner;
  json::value assigned_by;  // what else partition_meta.json says
  std::string made_by;      // as partition_meta.json names it, and dispatch with it
  policy_inputs in;
  in.parts = flags.parts * flags.trainers;
  if (flags.seeded) in.seed = flags.seed;
  if (!flags.assignment.empty()) {
    auto given = read_assignment(flags.assignment, data.schema, data.node_counts,
                                 checked_cast<part_id>(in.parts, "the number of parts"), files,
                                 codec, threads);
    given_owner = std::move(given.owner);
    made_by = std::move(given.algorithm);
    assigned_by = std::move(given.made_by);
  }
  const auto weights = edge_weights_of(data, flags, metis_input);
  in.constraints = balance.constraints();
  in.edge_weights = weights;
  in.node_sizes = data.node_sizes;
  in.volume = flags.objective == "vol";
  in.edge_weights_asked = !flags.edge_weights.empty() && flags.edge_weights != "none";
  in.shuffled = flags.stream_order == "shuffled";
  const auto policy = make_policy<graph, Policies...>(flags, in, given_owner, threads);

  basic_partition_options<chosen_order> options;
  options.graph_name = flags.name.empty() ? data.name : flags.name;
  options.hops = flags.hops;
  options.drop_cut_edges = flags.drop_cut_edges;
  options.reshuffle = !flags.no_reshuffle;
  options.store_original_ids = flags.store_orig_ids;
  options.save_mapping = flags.save_mapping;
  options.compact_mapping = !flags.no_mapping;
  options.trainers_per_machine = static_cast<std::size_t>(flags.trainers);
  options.formats = *sparse_formats::parse(flags.graph_formats);
  options.part_method = made_by.empty() ? flags.method : made_by;
  options.balance = balance.constraints();
  options.command = describe_command(flags, options.graph_name);
  if (!assigned_by.is_null()) options.command.set("assigned_by", std::move(assigned_by));
  options.on_progress = progress_shown;
  options.executor = threads;
  options.order = chosen_order::named(flags.node_order);
  const auto file_names = flags.file_names == "dgl" ? dgl_file_names::dgl : dgl_file_names::guide;
  auto made =
      flags.serializer == "native"
          ? partition_graph(data, policy, settled<native_folder>{{.path = flags.out}}, options)
          : partition_graph(data, policy,
                            settled<dgl_folder>{{.path = flags.out, .names = file_names}}, options);
  made.report.steps.insert(made.report.steps.begin(), result.report.steps.begin(),
                           result.report.steps.end());

  for (const auto& sentence : data.notes) note(sentence);
  for (const auto& sentence : made.notes) note(sentence);
  answer done;
  done.details.set("config", made.config.path);
  done.details.set("estimate", to_json(estimate));
  const json::value report = to_json(made.report);
  for (const auto& [key, value] : *report.if_object()) done.details.set(key, value);
  done.text = to_text(made.report) + "\nthe partitions are in " + made.config.path + "\n";
  for (const auto& one : made.report.balance) {
    if (!one.met)
      note("constraint " + one.name + " is not met: imbalance " + std::to_string(one.imbalance) +
           ", tolerance " + std::to_string(one.tolerance));
  }
  return done;
}

template <class... Policies>
answer run_partition(const partition_flags& flags, const context& asked) {
  check_partition_flags(flags, false);
  staged_folder::require_replaceable(flags.out);
  if (const auto counts = quick_counts(flags.input)) {
    auto full = *counts;
    apply_flags(full, flags, asked.threads,
                flags.id_bits == "64" || full.nodes >= (1ull << 32) || full.edges >= (1ull << 32));
    check_resources(estimate_partition(full), flags);
  }
  if (flags.id_bits == "64") return partition_at<std::uint64_t, Policies...>(flags, asked);
  if (flags.id_bits == "32") return partition_at<std::uint32_t, Policies...>(flags, asked);
  try {
    return partition_at<std::uint32_t, Policies...>(flags, asked);
  } catch (const error& problem) {
    // The graph is larger than 32 bits can number: once more, wider.
    if (problem.code() != errc::overflow) throw;
  }
  return partition_at<std::uint64_t, Policies...>(flags, asked);
}

/// Counts for `estimate`, by reading the input where nothing less tells them.
estimate_input counts_of(const partition_flags& flags, std::size_t threads);

template <class... Policies>
std::vector<std::string> method_names() {
  auto names = built_in_policies::names();
  names.emplace_back(given::name);
  [[maybe_unused]] const auto add = [&]<class Policy>(std::type_identity<Policy>) {
    if constexpr (cuts_graphs<Policy>) names.emplace_back(name_of_policy<Policy>());
  };
  (add(std::type_identity<Policies>{}), ...);
  return names;
}

template <class... Policies>
action add_partition(CLI::App& app) {
  auto flags = std::make_shared<partition_flags>();
  bind_partition_flags(app, *flags, method_names<Policies...>(), false);
  return [flags](const context& asked) { return run_partition<Policies...>(*flags, asked); };
}

template <class... Policies>
action add_estimate(CLI::App& app) {
  auto flags = std::make_shared<partition_flags>();
  bind_partition_flags(app, *flags, method_names<Policies...>(), true);
  return [flags](const context& asked) {
    check_partition_flags(*flags, true);
    auto counts = counts_of(*flags, asked.threads);
    apply_flags(
        counts, *flags, asked.threads,
        flags->id_bits == "64" || counts.nodes >= (1ull << 32) || counts.edges >= (1ull << 32));
    const auto estimate = estimate_partition(counts);
    answer done;
    done.details = to_json(estimate);
    done.details.set("available_memory_bytes", available_memory());
    done.text = to_text(estimate);
    return done;
  };
}

}  // namespace halograph::cli
