// SPDX-License-Identifier: BSL-1.0
#include "available_memory.hpp"
#include "estimate_cluster.hpp"
#include "inputs.hpp"
#include "partition.hpp"
#include "partition_flags.hpp"
#include "partition_inputs.hpp"
#include "partition_job.hpp"
#include "partition_out_of_core.hpp"

#include <halograph/io/chunked/metadata.hpp>
#include <halograph/io/input_format.hpp>
#include <halograph/io/open_dataset.hpp>
#include <halograph/partition/fixed_point.hpp>
#include <halograph/partition/multilevel/buffered.hpp>
#include <halograph/partition/multilevel/effort.hpp>
#include <halograph/pipeline/estimate.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/npy.hpp>
#include <halograph/serial/read_json.hpp>
#include <halograph/serial/text/readable.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace halograph::cli {

namespace {

/// Bytes of the features of a chunked graph. @return false: there is one whose size only a reader
/// tells
bool add_chunked_features(const json::value& root, const std::string& folder,
                          const any_file_opener& files, estimate_input& out) {
  for (const char* key : {"node_data", "edge_data"}) {
    const auto* const types = root.find(key);
    if (!types) continue;
    if (!types->if_object()) return false;
    for (const auto& [type, features] : *types->if_object()) {
      if (!features.if_object()) return false;
      for (const auto& [name, entry] : *features.if_object()) {
        const auto list = detail::chunk_list_from(entry, type + "/" + name, folder, folder);
        if (list.format != chunk_format::numpy) return false;
        for (const auto& file : list.files) {
          const auto opened = files(file.path);
          if (!is_npy(opened.bytes)) return false;
          const auto array = view_npy(opened.bytes, file.path);
          out.feature_bytes += element_count(array.shape) * item_bytes(array.type);
        }
      }
    }
  }
  return true;
}

/// Bytes of the features of a folder in the plain form: arrays stay in their files, everything else
/// is held.
/// @return false: there is one whose size only a reader tells
bool add_plain_features(const json::value& root, const std::string& folder,
                        const any_file_opener& files, estimate_input& out) {
  const auto* const nodes = root.find("num_nodes");
  const auto rows_of = [&](const std::string& type, std::uint64_t& rows) {
    const auto* const count = nodes ? nodes->find(type) : nullptr;
    return count && count->to_uint(rows);
  };
  const auto hold = [&](std::uint64_t bytes) {
    out.feature_bytes += bytes;
    out.resident_input_bytes += bytes;
  };
  std::uint64_t rows = 0;
  // Labels are 64-bit; a split is a column and three masks.
  struct column {
    const char* key;
    std::uint64_t bytes;
  };
  for (const column& one : std::array<column, 2>{{{"labels", 8}, {"split", 4}}}) {
    const auto* const types = root.find(one.key);
    if (!types) continue;
    if (!types->if_object()) return false;
    for (const auto& [type, ignored] : *types->if_object()) {
      if (!rows_of(type, rows)) return false;
      hold(rows * one.bytes);
    }
  }
  if (const auto* const features = root.find("features")) {
    if (!features->if_object()) return false;
    for (const auto& [type, entry] : *features->if_object()) {
      const std::string array = path_in(folder, "feat/" + type + ".npy");
      std::uint64_t columns = 0;
      if (is_file(array)) {
        const auto opened = files(array);
        if (!is_npy(opened.bytes)) return false;
        const auto view = view_npy(opened.bytes, array);
        out.feature_bytes += element_count(view.shape) * item_bytes(view.type);
      } else if (const auto* const dim = entry.find("dim");
                 dim && dim->to_uint(columns) && rows_of(type, rows)) {
        hold(detail::saturating(rows, columns));
      } else {
        return false;
      }
    }
  }
  if (const auto* const weighted = root.find("weighted")) {
    const bool* const all = weighted->if_bool();
    if (!all || *all) hold(out.edges * 8);
  }
  return true;
}

}  // namespace

input_format format_of(const std::string& path) {
  return recognize_input(path, input_files(), json_codec()).format;
}

bool needs_wide_ids(const estimate_input& counts, const partition_flags& flags) {
  return flags.id_bits == "64" || counts.nodes >= (1ull << 32) || counts.edges >= (1ull << 32);
}

bool is_metis_graph(const std::string& path) {
  return format_of(path) == input_format::metis_graph;
}
bool is_dgl_graph(const std::string& path) { return format_of(path) == input_format::dgl_graph; }

std::optional<estimate_input> quick_counts(const std::string& path) {
  const any_json_codec codec = json_codec();
  const any_file_opener files = folder_files();
  const auto format = format_of(path);
  estimate_input out;
  const auto sum = [](const json::value* counts, std::uint64_t& total, std::uint64_t& types) {
    if (!counts) return false;
    total = types = 0;
    const auto add = [&](const json::value& one) {
      std::uint64_t n = 0;
      if (!one.to_uint(n)) return false;
      total += n;
      ++types;
      return true;
    };
    if (const auto* list = counts->if_array()) {
      for (const auto& one : *list) {
        if (!add(one)) return false;
      }
      return true;
    }
    if (const auto* members = counts->if_object()) {
      for (const auto& one : *members) {
        if (!add(one.second)) return false;
      }
      return true;
    }
    return false;
  };
  const bool chunked = format == input_format::chunked;
  if (!chunked && format != input_format::plain) return std::nullopt;
  const std::string file = !is_folder(path) ? path
                                            : path + (chunked ? "/metadata.json" : "/meta.json");
  const std::string folder = std::filesystem::path(file).parent_path().string();
  const auto root = read_json(file, files, codec);
  const bool known =
      sum(root.find(chunked ? "num_nodes_per_type" : "num_nodes"), out.nodes, out.node_types) &&
      sum(root.find(chunked ? "num_edges_per_type" : "num_edges"), out.edges, out.edge_types) &&
      (chunked ? add_chunked_features : add_plain_features)(root, folder, files, out);
  return known ? std::optional(out) : std::nullopt;
}

namespace {

/// Counts for `estimate`, by reading the input where nothing less tells them.
/// @param flags  in and out: input_weights
estimate_input counts_of(partition_flags& flags, std::size_t threads) {
  if (const auto counts = quick_counts(flags.input); counts && !flags.undirected) return *counts;
  const auto data = load_dataset<std::uint64_t, std::uint64_t>(
      flags.input,
      {.undirected = flags.undirected,
       .num_nodes = flags.sized ? std::optional(flags.num_nodes) : std::nullopt,
       .yaml = yaml_codec()},
      input_files(), json_codec(), make_threads(threads), input_tables());
  note_input_weights(flags, data);
  return counts_of_data(data, flags);
}

bool balances_classes(const partition_flags& flags) {
  return !flags.balance_ntypes.empty() && flags.balance_ntypes[0] != "none";
}
/// Balanced by node type, which takes no memory, or by class, and by in-degree of each where asked.
std::uint64_t count_constraints(const estimate_input& counts, const partition_flags& flags) {
  if (!flags.balance_ntypes.empty() && !balances_classes(flags)) return 1;
  return std::max<std::uint64_t>(1, counts.node_types) * (flags.balance_edges ? 2 : 1);
}
multilevel_inputs with_weights(const partition_flags& flags) {
  multilevel_inputs given = given_to_multilevel(flags);
  given.edge_weights = !edge_weight_feature(flags).empty();
  return given;
}

}  // namespace

estimate_input decided_counts(const estimate_input& known, std::uint64_t entries,
                              const partition_flags& flags, std::size_t threads, bool wide_ids,
                              std::optional<std::uint64_t> known_constraints,
                              std::optional<std::uint64_t> method_bytes) {
  estimate_input counts = known;
  counts.parts = flags.parts;
  counts.hops = flags.hops;
  counts.node_id_bytes = counts.edge_id_bytes = wide_ids ? 8 : 4;
  counts.threads = threads == 0 ? make_threads(0).concurrency() : threads;
  counts.original_ids = flags.store_orig_ids;
  counts.mapping = flags.save_mapping;
  counts.compact_mapping = !flags.no_mapping;
  counts.original_order = flags.node_order == chosen_order::words[0];
  counts.reshuffle = !flags.no_reshuffle;
  counts.formats = *sparse_formats::parse(flags.graph_formats);
  const bool classes = balances_classes(flags);
  const std::uint64_t constraints = known_constraints.value_or(count_constraints(counts, flags));
  counts.resident_input_bytes += detail::saturating(
      counts.nodes, (flags.balance_edges ? 8u : 0u) + (classes ? 4u : 0u));
  const bool weighs = !edge_weight_feature(flags).empty();
  if (weighs) counts.resident_input_bytes += detail::saturating(counts.edges, 8);
  counts.policy_bytes = classes ? detail::saturating(counts.nodes, 12) : 0;
  // Streams: rows of neighbors, each edge once.
  if (is_streaming(flags.method))
    counts.policy_bytes += counts.nodes * 8 + counts.edges * (wide_ids ? 8 : 4);
  const multilevel_inputs given = with_weights(flags);
  const auto bytes_of = [&](std::string_view method) {
    // Streams pass on each edge and its reverse.
    return bytes_in_memory(method, counts.nodes, is_streaming(method) ? 2 * counts.edges : entries,
                           constraints, flags.parts * flags.trainers, flags.batch, given);
  };
  counts.policy_bytes += method_bytes.value_or(bytes_of(flags.method));
  if (flags.start.refine)
    counts.policy_bytes = std::max(counts.policy_bytes, bytes_of("multilevel"));
  if (flags.start.connected)
    counts.policy_bytes = std::max(counts.policy_bytes,
                                   bytes_to_connect(counts.nodes, counts.edges));
  return counts;
}

namespace {

/// Leave out of an estimate what makes a partition folder.
void without_folder(resource_estimate& all, const estimate_input& counts,
                    const partition_flags& flags) {
  const auto relabels = [](const step_estimate& step) { return step.name == "relabel"; };
  all.steps.erase(std::find_if(all.steps.begin(), all.steps.end(), relabels), all.steps.end());
  // A line for each node; or edges, CSC or CSR, and features, in 8 bytes at most.
  const std::uint64_t digits = std::to_string(flags.parts - 1).size() + 1,
                      arrays = detail::saturating(counts.edges, 40) +
                               detail::saturating(counts.nodes, 24) + counts.feature_bytes,
                      least = flags.to == "parts" ? counts.nodes * 2 : counts.edges * 16,
                      most = flags.to == "parts" ? counts.nodes * digits : arrays;
  // Sorting takes what is free, and less where there is less.
  all.steps.push_back({"write", all.steps.back().memory_bytes, least, most});
  all.peak_bytes = 0;
  for (const auto& step : all.steps) all.peak_bytes = std::max(all.peak_bytes, step.memory_bytes);
  all.disk_bytes_least = least;
  all.disk_bytes_most = most;
}

}  // namespace

resource_estimate estimate_run(const estimate_input& counts, std::uint64_t entries,
                               partition_flags& flags, std::size_t threads, bool wide_ids,
                               std::optional<std::uint64_t> constraints) {
  const auto with = [&](const std::string& method) {
    flags.method = method;
    const auto full = decided_counts(counts, entries, flags, threads, wide_ids, constraints);
    resource_estimate all = estimate_partition(full);
    if (is_export(flags)) without_folder(all, counts, flags);
    flags.out_of_core = false;
    if (!may_run_out_of_core(flags)) return all;
    resource_estimate files = guess_out_of_core(counts, full, flags);
    flags.out_of_core = files.peak_bytes < all.peak_bytes;
    return flags.out_of_core ? files : all;
  };
  if (flags.method != auto_method) return with(flags.method);
  resource_estimate out = with("multilevel");
  std::uint64_t compressed = ~std::uint64_t{0};
  if (may_compress(flags.start)) {
    flags.compress = true;
    compressed = with("multilevel").peak_bytes;
  }
  method_choice chosen = choose_by_memory(out.peak_bytes, compressed,
                                          memory_allowed(flags.memory, false), flags.memory != 0);
  flags.compress = chosen.compress;
  flags.out_of_core = flags.out_of_core && chosen.compress;
  if (chosen.method != flags.method || chosen.compress) out = with(chosen.method);
  flags.method_reason = std::move(chosen.reason);
  return out;
}

bool tells_memory(const partition_flags& flags) {
  return flags.method == "multilevel" && !flags.start.improves();
}

partition_need::partition_need(std::uint64_t most, const estimate_input& counts,
                               std::uint64_t entries, const partition_flags& flags,
                               std::size_t threads, bool wide_ids,
                               std::optional<std::uint64_t> constraints)
    : most_(most),
      counts_(counts),
      entries_(entries),
      flags_(flags),
      threads_(threads),
      wide_ids_(wide_ids),
      constraints_(constraints) {
  if (!tells_memory(flags) || flags.out_of_core) return;
  first_bytes_ = first_bytes_in_memory(flags.method, counts.nodes, counts.edges, entries,
                                       constraints.value_or(count_constraints(counts, flags)),
                                       flags.parts * flags.trainers,
                                       make_threads(threads).concurrency(), with_weights(flags));
}

std::uint64_t partition_need::peak(std::uint64_t method_bytes) const {
  const auto full = decided_counts(counts_, entries_, flags_, threads_, wide_ids_, constraints_,
                                   method_bytes);
  resource_estimate out = estimate_partition(full);
  if (is_export(flags_)) without_folder(out, counts_, flags_);
  return out.peak_bytes;
}

namespace {

/// The estimate as a table for people.
std::string estimate_text(const resource_estimate& estimate, bool out_of_core) {
  std::vector<std::vector<std::string>> rows{{"step", "memory", "disk, least", "disk, most"}};
  for (const auto& step : estimate.steps) {
    rows.push_back({step.name, readable::bytes(step.memory_bytes),
                    step.disk_bytes_most ? readable::bytes(step.disk_bytes_least) : "-",
                    step.disk_bytes_most ? readable::bytes(step.disk_bytes_most) : "-"});
  }
  rows.push_back({out_of_core ? "largest" : "largest / sum", readable::bytes(estimate.peak_bytes),
                  readable::bytes(estimate.disk_bytes_least),
                  readable::bytes(estimate.disk_bytes_most)});
  return table(rows);
}

}  // namespace

void check_resources(const resource_estimate& estimate, std::uint64_t first_bytes,
                     const partition_flags& flags) {
  if (flags.ignore_memory) return;
  const std::string to_start = first_bytes == estimate.peak_bytes
                                   ? ""
                                   : readable::bytes(first_bytes) + " of it to start, ";
  if (flags.memory != 0 && first_bytes > flags.memory) {
    throw memory_refusal(
        "this run needs up to " + readable::bytes(estimate.peak_bytes) + " of memory, " + to_start +
        "more than --memory " + readable::bytes(flags.memory) +
        (is_streaming(flags.method)
             ? "; allow more, or use fewer threads"
             : "; allow more, use fewer threads, or choose a method that streams (buffered, ldg, fennel)"));
  }
  if (const auto memory = available_memory(); first_bytes > memory) {
    throw memory_refusal(
        "this run needs up to " + readable::bytes(estimate.peak_bytes) + " of memory but only " +
        readable::bytes(memory) +
        " are free; free some, use fewer threads, or go on regardless with --ignore-memory");
  }
  if (const auto disk = available_disk(flags.out);
      !flags.out.empty() && estimate.disk_bytes_least > disk) {
    raise(error_kind::io,
          "this run needs at least " + readable::bytes(estimate.disk_bytes_least) +
              " of disk but only " + readable::bytes(disk) +
              " are free; choose another --out, or go on regardless with --ignore-memory",
          {.file = flags.out, .line = {}, .byte = {}});
  }
}

void announce(const resource_estimate& estimate, std::uint64_t first_bytes,
              const partition_flags& flags, const context& asked) {
  check_resources(estimate, first_bytes, flags);
  if (asked.json) return;
  if (!flags.method_reason.empty())
    note("method " + flags.method + ", because " + flags.method_reason);
  // A run that starts with less than the estimate ends before it exceeds what there is.
  const std::uint64_t most = flags.ignore_memory || first_bytes == estimate.peak_bytes
                                 ? estimate.peak_bytes
                                 : std::min(estimate.peak_bytes,
                                            flags.memory != 0 ? flags.memory : available_memory());
  note("this run will take up to " + readable::bytes(most) + " of memory and " +
       readable::bytes(estimate.disk_bytes_least) + " to " +
       readable::bytes(estimate.disk_bytes_most) + " of disk");
}

action add_estimate(flag_set& app, const offered_policies& policies) {
  auto flags = std::make_shared<partition_flags>();
  auto on = std::make_shared<cluster_flags>();
  bind_partition_flags(app, *flags, policies, true);
  bind_cluster_flags(app, *on);
  return [flags, on, &policies](const context& asked) {
    settle_partition_flags(*flags, true);
    check_cluster_flags(*on, *flags);
    auto counts = on->num_edges ? counts_of_flags(*on, *flags) : counts_of(*flags, asked.threads);
    if (on->machines != 0) {
      if (flags->method == auto_method) flags->method = buffered::name;
      const bool wide = needs_wide_ids(counts, *flags);
      return tell_cluster(decided_counts(counts, 2 * counts.edges, *flags, asked.threads, wide),
                          *on, *flags);
    }
    const auto estimate = estimate_run(counts, 2 * counts.edges, *flags, asked.threads,
                                       needs_wide_ids(counts, *flags));
    if (!asked.json && !flags->method_reason.empty())
      note("method " + flags->method + ", because " + flags->method_reason);
    if (estimate.peak_bytes > memory_allowed(flags->memory, flags->ignore_memory) &&
        may_stream_out_of_core(*flags, policies))
      note("this does not fit in memory: partition would keep the graph in files, in less memory");
    answer done;
    done.details = to_json(estimate);
    done.details.set("method", flags->method);
    done.details.set("available_memory_bytes", available_memory());
    done.text = estimate_text(estimate, flags->out_of_core);
    return done;
  };
}

}  // namespace halograph::cli
