// SPDX-License-Identifier: BSL-1.0
/// @file verify.hpp
/// Prove that a partition folder agrees with its config and with its input graph.
/// Layer: verify. Words: README.md.
/// Written from the format's rules alone: ownership, the HALO and the endpoints of edges are
/// derived here a second time, independently of the code that writes folders. Keep it so: this is
/// the oracle.
///
/// | check | proves |
/// | --- | --- |
/// | book | ranges tile all IDs part by part, type by type; the library's book agrees |
/// | digests | files are those of the manifest, if there is one |
/// | mapping | original IDs are a permutation of each type; the compact mapping fits the ranges |
/// | structure | files are complete; IDs in range; formats hold the same edges; columns have legal dtypes |
/// | nodes, edges | inner first, `_ID` without gaps; flags, owners, types, endpoints agree with book and schema |
/// | crossing edges | an edge held by several parts has the same endpoints in all of them |
/// | halo | HALO nodes and edges are exactly those of the config's hops |
/// | features | a row for each inner node or edge; the same dtypes and row shapes in all parts |
/// | input | each input edge is inner in one part with its endpoints; features equal the input's, bit for bit |
/// | assignment | owners are those assigned |
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/folder/load.hpp>
#include <halograph/io/dataset.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/verify/across.hpp>
#include <halograph/verify/features.hpp>
#include <halograph/verify/findings.hpp>
#include <halograph/verify/input.hpp>
#include <halograph/verify/manifest.hpp>
#include <halograph/verify/mapping.hpp>
#include <halograph/verify/options.hpp>
#include <halograph/verify/part.hpp>
#include <halograph/verify/spaces.hpp>
#include <halograph/verify/state.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace halograph {

namespace detail {

/// Every inner node and edge takes at least a byte of its part's graph file.
template <class State>
bool plausible(State& state, finding_list& findings) {
  std::uint64_t bytes = 0;
  for (std::size_t p = 0; p < state.config.num_parts; ++p) {
    try {
      bytes += state.files(state.config.resolve(paths_of(state.config, p).graph)).bytes.size();
    } catch (const error& problem) {
      findings.done(check_kind::structure);
      findings.add(check_kind::structure, state.config.path, problem);
    }
  }
  if (state.nodes.size() <= bytes && state.edges.size() <= bytes) return true;
  findings.note("nothing else is checked, because the parts' graph files have " +
                std::to_string(bytes) + " bytes for the config's " +
                std::to_string(state.nodes.size()) + " nodes and " +
                std::to_string(state.edges.size()) + " edges");
  if (findings.count() == 0) {
    findings.add(check_kind::book, state.config.path,
                 "the ranges hold " + std::to_string(state.nodes.size()) + " nodes and " +
                     std::to_string(state.edges.size()) +
                     " edges, but the parts' graph files have " + std::to_string(bytes) + " bytes");
  }
  return false;
}

/// The checks in order. Several parts are checked at a time; findings are merged in the order of
/// the parts.
template <class State, class Dataset, executor Executor>
void run_checks(State& state, const Dataset* input, verification& out, finding_list& findings,
                const Executor& executor) {
  const verify_options& options = state.options;
  const std::size_t first = options.part.value_or(0),
                    last = options.part ? first + 1 : state.config.num_parts;
  out.parts = last - first;
  bool matched = false;
  input_check<State> against_input(state, findings);
  if (input != nullptr) {
    findings.done(check_kind::input);
    matched = against_input.match_types(*input);
  }
  manifest_check<State> manifest(state, findings);
  manifest.check_digests(first, last, executor);
  // Allocate for all nodes and edges only if the files or the input confirm the config's numbers.
  if (!options.part && !matched && !plausible(state, findings)) return;
  mapping_check<State>(state, findings).read_mapping(matched, first, last);
  if (matched) against_input.against(*input);
  state.usable.assign(state.config.num_parts, 0);
  const bool whole = !state.truth_known && !options.part;
  if (whole) {
    state.source.assign(static_cast<std::size_t>(state.edges.size()), state.none);
    state.target.assign(static_cast<std::size_t>(state.edges.size()), state.none);
  }
  for (const auto kind :
       {check_kind::structure, check_kind::nodes, check_kind::edges, check_kind::features})
    findings.done(kind);

  std::optional<part_signature> signature;
  feature_agreement features;
  std::uint64_t kept_edges = 0;
  in_waves(first, last, executor, [&](std::size_t begin, std::size_t end) {
    if (options.on_progress)
      options.on_progress({"verify parts", begin - first, last - first, "parts"});
    struct looked_at {
      finding_log findings{};
      open_part part{};
      std::optional<part_signature> signature{};
      bool sound = false;  // up to here
      std::uint64_t kept_edges = 0;
    };
    std::vector<looked_at> wave(end - begin);
    executor.parallel_for(begin, end, 1, [&](std::size_t from, std::size_t to) {
      for (std::size_t p = from; p < to; ++p) {
        auto& here = wave[p - begin];
        if (!open(state, p, here.part, reading::judge, here.findings)) continue;
        bool comparable = false;
        here.sound = part_check<State>(state, here.findings).check_columns(here.part, comparable);
        if (comparable) here.signature.emplace(here.part.graph);
      }
    });
    // The others are compared with the first part that has its columns.
    for (auto& here : wave) {
      if (!here.signature) continue;
      if (!signature)
        signature = here.signature;
      else if (!agree(*signature, *here.signature, here.part.file, here.findings))
        here.sound = false;
    }
    executor.parallel_for(begin, end, 1, [&](std::size_t from, std::size_t to) {
      for (std::size_t p = from; p < to; ++p) {
        auto& here = wave[p - begin];
        if (here.sound) {
          part_check<State> check(state, here.findings);
          state.usable[p] = check.check_nodes(p, here.part) && check.check_edges(p, here.part) ? 1
                                                                                               : 0;
          here.kept_edges = check.kept_edges();
        } else {
          here.part = {};
        }
        feature_check<State>(state, here.findings, features)
            .check_features(p, state.usable[p] != 0 ? &here.part : nullptr, input);
        manifest.locate_changes(p, here.findings);
      }
    });
    for (auto& here : wave) {
      here.findings.tell(findings);
      kept_edges += here.kept_edges;
    }
  });
  if (options.on_progress)
    options.on_progress({"verify parts", last - first, last - first, "parts"});
  features.check_features_agree(state, findings, first, last);
  features.check_trainers(findings);
  if (features.unknown)
    findings.note("only the shape is checked of features that the input does not have");
  if (state.truth_known || (whole && std::all_of(state.usable.begin(), state.usable.end(),
                                                 [](auto good) { return good != 0; }))) {
    across_check<State>(state, findings).check_across(first, last, kept_edges, executor);
  } else if (options.part) {
    findings.note(
        "edges across parts and the extent of the HALO cannot be checked for one part alone; verify all parts, or against the input");
  } else {
    findings.note(
        "edges across parts and the extent of the HALO are not checked, because a part cannot be read");
  }
}

template <class Dataset, class Files, class Codec, class Formats, executor Executor>
verification verify(const std::string& path, const Dataset* input,
                    const folder_access<Files, Codec, Formats>& access,
                    const verify_options& options, const Executor& executor) {
  const auto& files = access.files;
  const auto& formats = access.formats;
  verification out;
  finding_list findings(out, options.most_findings);
  partition_config config = read_config(path, files, access.codec);
  if (options.part && *options.part >= config.num_parts) {
    raise(errc::out_of_range,
          "part " + std::to_string(*options.part) + " does not exist; parts are 0 to " +
              std::to_string(config.num_parts - 1),
          {path, {}, {}});
  }
  out.nodes = config.num_nodes;
  out.edges = config.num_edges;
  if (config.parts.size() >= config.num_parts) {
    try {
      resolve_relations(config, files, formats);
    } catch (const error& problem) {
      findings.add(check_kind::structure, path, problem);
      return out;
    }
  }
  id_space nodes, edges;
  if (!bind_spaces(config, files, nodes, edges, findings)) return out;
  const auto run = [&](auto id) {
    using state_type = verify_state<decltype(id), Files, Formats>;
    state_type state{config, options, files, formats, std::move(nodes), std::move(edges)};
    run_checks(state, input, out, findings, executor);
  };
  constexpr std::uint64_t narrow = 0xFFFFFFFEu;
  if (nodes.size() < narrow && edges.size() < narrow)
    run(std::uint32_t{});
  else
    run(std::uint64_t{});
  return out;
}

}  // namespace detail

/// Prove a partition folder by itself: that its parts fit its config and one another.
///
/// @param path     the config JSON
/// @param access   reads the folder; mapped files cost least, because parts are read twice
/// @param executor  checks several parts at a time, at most 16; the result does not depend on it
/// @return         the findings, and which checks ran
/// @errors         those of read_config: nothing can be checked if the config cannot be read
/// @complexity     O(V + E + sizes of the parts) time, 16 bytes per edge and 12 per node with
///     32-bit IDs, and for each part checked at once 5 per node
template <file_opener Files, json_codec Codec, class Formats, executor Executor = sequential>
verification verify_partition(const std::string& path,
                              const folder_access<Files, Codec, Formats>& access,
                              const verify_options& options = {}, const Executor& executor = {}) {
  if (!options.assignment.empty())
    raise(errc::invalid_argument, "an assignment can only be verified against an input graph");
  return detail::verify<dataset<>>(path, nullptr, access, options, executor);
}

/// The same, and prove that it is a partitioning of `input`: through its saved original IDs or,
/// without them, through the assignment and the order in which partition_graph numbers.
///
/// @param input    the graph and features that were partitioned
/// @errors         those of read_config; not_found: neither original IDs nor an assignment;
/// mismatch: the assignment has
///     another number of nodes
/// @complexity     as above, 8 bytes more per node and 4 per edge; O(E log E) time by assignment
template <file_opener Files, json_codec Codec, class Formats, id Node, id Edge,
          executor Executor = sequential>
verification verify_partition(const std::string& path, const dataset<Node, Edge>& input,
                              const folder_access<Files, Codec, Formats>& access,
                              const verify_options& options = {}, const Executor& executor = {}) {
  return detail::verify(path, &input, access, options, executor);
}

}  // namespace halograph
