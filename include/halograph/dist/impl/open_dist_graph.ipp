// SPDX-License-Identifier: BSL-1.0
/// @file open_dist_graph.ipp
/// Bodies of the plain functions of dist/open_dist_graph.hpp.
/// Layer: dist. Words: README.md.
#pragma once

#include <halograph/book/range_book.hpp>
#include <halograph/comm/collective_errors.hpp>
#include <halograph/core/block_range.hpp>
#include <halograph/core/communicator.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/dist/dist_graph.hpp>
#include <halograph/dist/dist_state.hpp>
#include <halograph/dist/open_columns.hpp>
#include <halograph/dist/open_dist_graph.hpp>
#include <halograph/dist/part_graph.hpp>
#include <halograph/folder/access.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/folder/load.hpp>
#include <halograph/folder/read_config.hpp>
#include <halograph/partition/fixed_point.hpp>
#include <halograph/serial/digest.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/input_record.hpp>
#include <halograph/serial/files/manifest.hpp>
#include <halograph/serial/text/readable.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE void check_same_run(communicator_ref ranks, const partition_config& config,
                                     std::uint64_t of_config, const std::optional<manifest>& made) {
  const auto mixed = [&](const char* what, std::size_t one, std::size_t other) {
    raise(
        error_kind::mismatch,
        concat(
            {"the ", what, " of rank ", other, " is not that of rank ", one,
             ": folders of different runs are mixed; every rank needs the config and its parts of one run"}),
        {config.path, {}, {}});
  };
  const auto configs = gather_numbers(ranks, of_config);
  for (std::size_t r = 1; r < ranks.size(); ++r) {
    if (configs[r] != configs[0]) mixed("config", 0, r);
  }
  // Digests of how the run was made, then of the files of each part; 0: not listed.
  std::vector<std::uint64_t> said(1 + config.num_parts);
  if (made) {
    said[0] = digest64{}
                  .update(std::as_bytes(std::span(made->version)))
                  .update(std::as_bytes(std::span(made->command)))
                  .value();
    for (std::size_t p = 0; p < std::min(config.num_parts, config.parts.size());
         ++p) {  // paths_of() says which are missing
      digest64 of_part;
      for (const auto& name :
           {config.parts[p].graph, config.parts[p].node_features, config.parts[p].edge_features}) {
        const auto* const entry = name.empty() ? nullptr : made->find(name);
        if (entry != nullptr)
          said[1 + p] = of_part.update(std::as_bytes(std::span(&entry->digest, 1))).value();
      }
    }
  }
  const auto all = gather_numbers(ranks, said);
  for (std::size_t k = 0; k < said.size(); ++k) {
    std::size_t first = 0;
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      const std::uint64_t it = all[r * said.size() + k], before = all[first * said.size() + k];
      if (before == 0)
        first = r;
      else if (it != 0 && it != before)
        mixed("manifest", first, r);
    }
  }
}

HALOGRAPH_INLINE any_file_opener as_listed(const partition_config& config,
                                           const any_file_opener& files,
                                           const std::optional<manifest>& made, bool digests) {
  return [&config, files, &made, digests](const std::string& path) {
    file_bytes content = files(path);
    const std::string folder = config.folder();
    const auto* const entry = made && path.starts_with(folder)
                                  ? made->find(path.substr(folder.size()))
                                  : nullptr;
    if (entry != nullptr &&
        (entry->bytes != content.bytes.size() ||
         (digests && entry->digest != digest64{}.update(content.bytes).value()))) {
      raise(
          error_kind::mismatch,
          "this is not the file that the folder's manifest lists: it was changed, or folders of different runs are mixed; partition again, or copy the part again",
          {path, {}, {}});
    }
    return content;
  };
}

}  // namespace halograph::detail

namespace halograph {

HALOGRAPH_INLINE dist_graph open_dist_graph(communicator_ref ranks, const std::string& path,
                                            const folder_access& access,
                                            const dist_options& options) {
  const auto& formats = access.formats;
  std::shared_ptr<detail::dist_state> state;
  run_collective(ranks, [&] {
    const recorded_files<any_file_opener> recorded{.inner = access.files};
    const auto& [in_edges, out_edges, digest, halo_rows] = options.part;
    const std::array<std::uint64_t, 8> said{in_edges,
                                            out_edges,
                                            digest,
                                            halo_rows,
                                            options.features,
                                            options.digest_features,
                                            options.cached_features,
                                            options.exchange_bytes};
    require_same(ranks, digest_of(std::as_bytes(std::span(said))),
                 "opens the graph with other options than", "they must be the same on all ranks");
    state = std::make_shared<detail::dist_state>();
    state->options = options;
    state->config = read_config(path, recorded, access.codec);
    const std::uint64_t of_config = digest64{}.update(recorded(path).bytes).value();
    std::optional<manifest> made;
    try {
      const std::string place = state->config.folder() + std::string(manifest_name);
      const file_bytes content = recorded(place);
      made = parse_manifest(
          {reinterpret_cast<const char*>(content.bytes.data()), content.bytes.size()}, place);
    } catch (const error& problem) {
      if (problem.code() != error_kind::not_found) throw;  // DGL writes none
    }
    if (!state->config.reshuffled()) {
      detail::raise_in(
          state->config, error_kind::unsupported,
          "the folder was made without relabeling, so no part owns a range of IDs; partition again without --no-reshuffle");
    }
    detail::check_same_run(ranks, state->config, of_config, made);
    resolve_relations(state->config, recorded, formats);
    state->held = block_range(state->config.num_parts, ranks.rank(), ranks.size());
    const auto first = static_cast<std::size_t>(
        std::min<std::uint64_t>(state->held.begin, state->config.num_parts - 1));
    state->book = std::make_shared<const partition_book>(
        std::get<partition_book>(load_partition_book(state->config, first, recorded)));
    state->rank_of.resize(state->config.num_parts);
    for (std::size_t p = 0; p < state->rank_of.size(); ++p)
      state->rank_of[p] = static_cast<std::size_t>(
          block_range_of(state->config.num_parts, p, ranks.size()));
    if (options.most_bytes != ~std::uint64_t{0}) {
      for (std::uint64_t p = state->held.begin; p < state->held.end; ++p) {
        const auto part = static_cast<std::size_t>(p);
        state->memory_bytes = detail::saturating_sum(
            state->memory_bytes,
            part_graph_memory(load_partition_graph(state->config, part, recorded, formats),
                              state->book->nodes().range(part).size(), state->config.halo_hops,
                              options.part));
      }
      if (state->memory_bytes > options.most_bytes) {
        detail::raise_in(state->config, error_kind::memory,
                         concat({"opening the parts of this rank needs up to ",
                                 readable::bytes(state->memory_bytes), " of memory, but ",
                                 readable::bytes(options.most_bytes),
                                 " are available; allow more, or use more ranks"}));
      }
    }
    for (std::uint64_t p = state->held.begin; p < state->held.end; ++p) {
      state->parts.push_back(open_part_graph(state->config, static_cast<part_id>(p), state->book,
                                             recorded, formats, made ? &*made : nullptr,
                                             options.part));
    }
    const auto listed = detail::as_listed(state->config, recorded, made, options.digest_features);
    if (options.features) detail::open_columns(*state, listed, formats);
    detail::agree_on_columns(ranks, *state);
    detail::check_columns(*state);
    if (options.features && options.cached_features && ranks.size() > 1)
      detail::open_kept_rows(*state, ranks.rank(), listed, formats);
    recorded.settle();
    std::array<std::uint64_t, 1> from_inner{};
    for (const auto& part : state->parts) from_inner[0] += part.edges_from_inner();
    check_peers(ranks);
    check_ranks(ranks.sum(from_inner));
    state->complete_out_edges = from_inner[0] == state->book->edges().size();
  });
  return dist_graph(ranks, std::move(state));
}

}  // namespace halograph
