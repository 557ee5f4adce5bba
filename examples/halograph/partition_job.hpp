// SPDX-License-Identifier: BSL-1.0
/// @file partition_job.hpp
/// The whole job of `halograph partition` at one width of IDs.
#pragma once

#include "command.hpp"
#include "node_orders.hpp"
#include "partition_inputs.hpp"
#include "policies.hpp"
#include "reported_memory.hpp"

#include <halograph/core/ids.hpp>
#include <halograph/folder/quality_report.hpp>
#include <halograph/folder/targets.hpp>
#include <halograph/io/streamed_graph.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/pipeline/estimate.hpp>
#include <halograph/pipeline/partition_options.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/json.hpp>

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace halograph::cli {

template <id ID>
answer partition_at(partition_flags flags, const offered_policies& policies, const context& asked);

/// Tell what the run takes, and refuse one that takes too much.
/// @param first_bytes, @errors  as check_resources()
void announce(const resource_estimate& estimate, std::uint64_t first_bytes,
              const partition_flags& flags, const context& asked);
/// What a method's reports are compared with. @param first_bytes  of the method, at first
reported_memory::limits limits_of(const partition_flags& flags, std::uint64_t first_bytes,
                                  const context& asked);
/// Add what the run has announced: before it started, and what its method has reported since.
void tell_need(std::uint64_t bytes, std::uint64_t at_start, answer& done);

/// What the job does at any width of IDs. All are in partition.cpp.
///
/// What policies may want to know, of the flags alone.
policy_inputs inputs_of(const partition_flags& flags);
/// The policy that --method names, with its options set.
std::unique_ptr<chosen_policy> make_policy(const partition_flags& flags,
                                           const offered_policies& policies, policy_inputs in,
                                           const std::vector<part_id>& given_owner);
/// The options that flags decide.
/// @param name         of the input
/// @param made_by, assigned_by  of a given assignment: its algorithm, and what else is known of it
basic_partition_options<chosen_order> how_to_partition(const partition_flags& flags,
                                                       const std::string& name,
                                                       const std::string& made_by,
                                                       json::value assigned_by,
                                                       const balance_set& balance);
/// Can the format of --to hold the graph and its parts? @errors unsupported: several node types in
/// a file of parts; exists: a feature has the name under which parts are written
void require_exportable(const graph_schema& schema, const feature_set& features,
                        const partition_flags& flags);
/// Write that, and give the answer.
/// @param g       the graph, which views memory of the caller   @param owner  [V]
/// @param report  with cut and balance; gets types and counts
answer export_partition(streamed_graph g, std::span<const part_id> owner, quality_report report,
                        const std::vector<std::string>& notes, const resource_estimate& estimate,
                        const partition_flags& flags);
any_target target_of(const partition_flags& flags);
/// Print notes, and give the answer. @param cut_known  does the report hold cut and volume?
answer tell_partition(const partition_result& made, const std::vector<std::string>& notes,
                      const resource_estimate& estimate, const partition_flags& flags,
                      bool cut_known = true);

/// How a result was made, for its manifest: what decides its bytes, and no paths.
json::value describe_command(const partition_flags& flags, const std::string& name);

}  // namespace halograph::cli
