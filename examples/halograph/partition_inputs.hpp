// SPDX-License-Identifier: BSL-1.0
/// @file partition_inputs.hpp
/// What the flags of partition say about a graph that was read: what it takes, what is balanced,
/// what edges weigh. Compiled once for each width of IDs.
#pragma once

#include "partition_flags.hpp"

#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/io/dataset.hpp>
#include <halograph/io/input_format.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/pipeline/estimate.hpp>
#include <halograph/serial/files/file.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace halograph::cli {

/// What an input holds, features included, where that is known without reading its edges: a chunked
/// graph or the plain form.
std::optional<estimate_input> quick_counts(const std::string& path);

/// What a run takes with these flags; where the method is auto, decide which one it means, and in
/// any case whether it runs out of core.
/// @param entries      of the undirected rows, at most
/// @param constraints  how many are balanced; by default as many as node types, since classes are
///     unknown before they are read
resource_estimate estimate_run(const estimate_input& counts, std::uint64_t entries,
                               partition_flags& flags, std::size_t threads, bool wide_ids,
                               std::optional<std::uint64_t> constraints = std::nullopt);
/// The counts with what the flags decide. @param entries, constraints  as estimate_run()
/// @param method_bytes  what the method takes; by default what it takes at most of any graph
estimate_input decided_counts(const estimate_input& counts, std::uint64_t entries,
                              const partition_flags& flags, std::size_t threads, bool wide_ids,
                              std::optional<std::uint64_t> constraints = std::nullopt,
                              std::optional<std::uint64_t> method_bytes = std::nullopt);
/// Does the method report its memory as it works? (reported_memory.hpp)
bool tells_memory(const partition_flags& flags);

/// The memory of a run in memory by a method that was decided.
class partition_need {
 public:
  /// The other parameters are those of estimate_run(), which has decided the method.
  /// @param most  its peak
  partition_need(std::uint64_t most, const estimate_input& counts, std::uint64_t entries,
                 const partition_flags& flags, std::size_t threads, bool wide_ids,
                 std::optional<std::uint64_t> constraints = std::nullopt);

  /// What the method takes before it reports more; 0: it reports nothing.
  std::uint64_t first_bytes() const noexcept { return first_bytes_; }
  /// What has to be there to start.
  std::uint64_t first_peak() const { return first_bytes_ == 0 ? most_ : peak(first_bytes_); }
  /// The peak if the method takes so many bytes.
  std::uint64_t peak(std::uint64_t method_bytes) const;

 private:
  std::uint64_t most_;
  estimate_input counts_;
  std::uint64_t entries_;
  const partition_flags& flags_;
  std::size_t threads_;
  bool wide_ids_;
  std::optional<std::uint64_t> constraints_;
  std::uint64_t first_bytes_ = 0;
};
/// Do the flags or the counts call for IDs of 64 bits?
bool needs_wide_ids(const estimate_input& counts, const partition_flags& flags);

/// What a loaded graph holds.
template <id ID>
estimate_input counts_of_data(const dataset<ID, ID>& data, const partition_flags& flags);

/// Everything that is to be balanced, tolerances set. May view the data's weights.
/// @errors usage-like errors of the flag's values, with the flag named
template <id ID>
balance_set make_balance(const dataset<ID, ID>& data, const partition_flags& flags,
                         const any_file_opener& files);

/// [E] weights by homogenized edge ID, or nothing: edge types without the feature weigh 1. A METIS
/// graph's own weights are used unless the flag says "none".
template <id ID>
std::vector<std::int64_t> edge_weights_of(const dataset<ID, ID>& data,
                                          const partition_flags& flags);

/// A run was not started because of what it may take; memory that could not be allocated is another
/// error.
struct memory_refusal : error {
  explicit memory_refusal(std::string sentence) : error(error_kind::memory, std::move(sentence)) {}
};

/// Refuse what would take more than --memory, swap or fill the disk, unless told to go on.
/// @param first_bytes  of memory that have to be there to start
/// @errors memory_refusal; io
void check_resources(const resource_estimate& estimate, std::uint64_t first_bytes,
                     const partition_flags& flags);

/// The format of an input. @errors those of recognize_input()
input_format format_of(const std::string& path);
/// Is the input a METIS graph? @errors those of recognize_input()
bool is_metis_graph(const std::string& path);
/// ... or a graph in DGL's format, whose features stay in their file?
bool is_dgl_graph(const std::string& path);

/// Note whether the input brings weights that are used without a flag.
template <id ID>
void note_input_weights(partition_flags& flags, const dataset<ID, ID>& data) {
  flags.weighs_nodes = !data.node_weights.empty() || !data.node_sizes.empty();
  if (is_metis_graph(flags.input)) flags.input_weights = data.edge_weight_feature;
}

}  // namespace halograph::cli
