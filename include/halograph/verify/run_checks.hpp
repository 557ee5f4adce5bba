// SPDX-License-Identifier: BSL-1.0
/// @file run_checks.hpp
/// All checks of a partition folder in their order, several parts at a time.
/// Layer: verify. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/partition/fixed_point.hpp>
#include <halograph/verify/across.hpp>
#include <halograph/verify/features.hpp>
#include <halograph/verify/findings.hpp>
#include <halograph/verify/input.hpp>
#include <halograph/verify/input_graph.hpp>
#include <halograph/verify/manifest.hpp>
#include <halograph/verify/mapping.hpp>
#include <halograph/verify/options.hpp>
#include <halograph/verify/part.hpp>
#include <halograph/verify/state.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace halograph {

namespace detail {

/// Every inner node and edge takes at least a byte of its part's graph file.
bool plausible(const verify_context& state, finding_list& findings);

/// Where the checks across parts find the ends of edges.
enum class ends_kept : std::uint8_t {
  nowhere,   ///< there are no such checks
  in_parts,  ///< in the files of the parts that own the edges
  in_memory
};

/// What decides how much memory the checks take.
struct verify_sizes {
  std::uint64_t nodes = 0, edges = 0;
  std::uint64_t id_bytes = 4;      ///< of each ID that is kept
  std::uint64_t running = 1;       ///< parts that are checked at once
  std::uint64_t originals = 0;     ///< original IDs of nodes and edges that are kept
  std::uint64_t owners = 0;        ///< parts that are kept of nodes or edges, one by one
  std::uint64_t paired_edges = 0;  ///< of a part whose pairs are made of its rows, the largest
  std::uint64_t halo_edges = 0;    ///< that parts hold of others: those between parts, at least, if
                                   ///< out-edges of inner nodes are among them
  std::uint64_t parts = 1;         ///< of the folder
  std::uint64_t hops = 1;
  ends_kept ends = ends_kept::in_memory;
};

/// An upper bound on the memory of the checks, in bytes; with ends in parts, without a list of the
/// edges between parts.
std::uint64_t verify_memory(const verify_sizes& of);

/// Record in `out` what the checks need, and in the state how many parts are checked at once.
/// @errors memory: more than options.most_bytes
void require_memory(verify_context& state, verification& out, verify_sizes of);

/// Can the ends of edges be read from the parts that own them? @param sizes  gets the edges of
/// parts
bool ends_are_in_parts(const verify_context& state, verify_sizes& sizes);

/// The checks in order. Several parts are checked at a time; findings are merged in the order of
/// the parts.
template <class Id>
void run_checks(verify_state<Id>& state, const input_graph* input, verification& out,
                finding_list& findings, executor_ref executor) {
  const verify_options& options = state.options;
  const std::size_t first = options.part.value_or(0),
                    last = options.part ? first + 1 : state.config.num_parts;
  out.parts = last - first;
  bool matched = false;
  input_check<Id> against_input(state, findings);
  if (input != nullptr) {
    findings.done(check_kind::input);
    matched = against_input.match_types(*input);
  }
  manifest_check manifest(state, findings);
  manifest.check_digests(first, last, executor);
  // Allocate for all nodes and edges only if the files or the input confirm the config's numbers.
  if (!options.part && !matched && !plausible(state, findings)) return;
  verify_sizes sizes{.nodes = state.nodes.size(),
                     .edges = state.edges.size(),
                     .id_bytes = sizeof(Id),
                     .running = std::min(wave_of(executor), last - first),
                     .parts = state.config.num_parts,
                     .hops = state.config.halo_hops};
  const bool in_parts = ends_are_in_parts(state, sizes);
  sizes.ends = !matched && options.part ? ends_kept::nowhere
               : !matched && in_parts   ? ends_kept::in_parts
                                        : ends_kept::in_memory;
  const auto require = [&] {
    // Against an input they are found where no file has them.
    sizes.originals = matched ? saturating(state.nodes.size(), 2, state.edges.size())
                              : std::uint64_t{state.node_old.size()} + state.new_node.size() +
                                    state.edge_old.size();
    require_memory(state, out, sizes);
  };
  require();  // at once, and with what turns out to be mapped
  mapping_check<Id>(state, findings).read_mapping(matched, first, last);
  require();
  if (matched) against_input.against(*input);
  state.usable.assign(state.config.num_parts, 0);
  const bool whole = !state.truth_known && !options.part;
  if (whole && in_parts) state.cut.assign(state.config.num_parts, 0);
  if (whole && !in_parts) {
    state.source.assign(static_cast<std::size_t>(state.edges.size()), state.none);
    state.target.assign(static_cast<std::size_t>(state.edges.size()), state.none);
  }
  for (const auto kind :
       {check_kind::structure, check_kind::nodes, check_kind::edges, check_kind::features})
    findings.done(kind);

  std::optional<part_signature> signature;
  feature_agreement features;
  std::uint64_t kept_edges = 0;
  in_waves(first, last, state.running, [&](std::size_t begin, std::size_t end) {
    if (options.on_progress)
      options.on_progress({"verify parts", begin - first, last - first, "parts"});
    struct looked_at {
      finding_log findings{};
      open_part part{};
      std::optional<part_signature> signature{};
      bool sound = false;  // up to here
      std::uint64_t kept_edges = 0;
      std::vector<std::uint64_t> cut{};
    };
    std::vector<looked_at> wave(end - begin);
    executor.parallel_for(begin, end, 1, [&](std::size_t from, std::size_t to) {
      for (std::size_t p = from; p < to; ++p) {
        auto& here = wave[p - begin];
        if (!open(state, p, here.part, reading::all, &here.findings)) continue;
        bool comparable = false;
        here.sound = part_check<Id>(state, here.findings).check_columns(here.part, comparable);
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
          part_check<Id> check(state, here.findings);
          state.usable[p] = check.check_nodes(p, here.part) && check.check_edges(p, here.part) ? 1
                                                                                               : 0;
          here.kept_edges = check.kept_edges();
          here.cut = check.cut();
        } else {
          here.part = {};
        }
        with_feature_ids(state, [&](const feature_ids& ids) {
          feature_check(state, ids, here.findings, features)
              .check_features(p, state.usable[p] != 0 ? &here.part : nullptr, input);
        });
        manifest.locate_changes(p, here.findings);
      }
    });
    for (auto& here : wave) {
      here.findings.tell(findings);
      kept_edges += here.kept_edges;
      for (std::size_t p = 0; p < here.cut.size(); ++p) state.cut[p] += here.cut[p];
    }
  });
  if (options.on_progress)
    options.on_progress({"verify parts", last - first, last - first, "parts"});
  features.check_features_agree(state, findings, first, last);
  features.check_trainers(findings);
  if (features.unknown)
    findings.note("only the shape is checked of features that the input does not have");
  bool sound = whole && std::all_of(state.usable.begin(), state.usable.end(),
                                    [](auto good) { return good != 0; });
  if (sound && in_parts) {
    state.owners.resize(state.config.num_parts);
    for (std::size_t p = 0; p < state.owners.size() && sound; ++p)
      sound = open(state, p, state.owners[p], reading::all);
  }
  if (state.truth_known || sound) {
    across_check<Id>(state, findings).check_across(first, last, kept_edges, executor);
  } else if (options.part) {
    findings.note(
        "edges across parts and the extent of the HALO cannot be checked for one part alone; verify all parts, or against the input");
  } else {
    findings.note(
        "edges across parts and the extent of the HALO are not checked, because a part cannot be read");
  }
}

}  // namespace detail

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/verify/impl/run_checks.ipp>
#endif
