// SPDX-License-Identifier: BSL-1.0
/// @file nodes.hpp
/// Dispatch, nodes: from assignment files to new node IDs, in memory that grows only with the
/// nodes.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/comm/collective_errors.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/offsets.hpp>
#include <halograph/folder/assignment_files.hpp>
#include <halograph/pipeline/out_of_core/budget.hpp>
#include <halograph/pipeline/out_of_core/job.hpp>
#include <halograph/pipeline/out_of_core/ranges.hpp>
#include <halograph/relabel/relabel_nodes.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/digest.hpp>
#include <halograph/serial/files/checkpoint.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/manifest.hpp>
#include <halograph/serial/files/scratch.hpp>
#include <halograph/serial/npy.hpp>

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph::detail {

/// Sort nodes by (part, type) and write the files of dispatched_nodes.
/// @tparam Owner    a type that holds each part
/// @param owner_of  owner_of(type, span) fills in the parts of the nodes of a type
/// @param keep      keep(span) gets the parts of all nodes, type after type
template <unsigned_id Owner, id Node, class Owners, class Keep>
void relabel_nodes_to_files(const std::string& folder, std::span<const std::uint64_t> node_counts,
                            std::size_t parts, const Owners& owner_of, const Keep& keep,
                            std::pmr::memory_resource* memory, dispatched_nodes<Node>& out) {
  const auto offsets = offsets_of(node_counts);
  const auto nodes = static_cast<std::size_t>(offsets.back());
  out.old_node = scratch_array<Node>::create(folder + "/old_node", nodes);
  out.bounds = scratch_array<std::uint64_t>::create(folder + "/node_bounds",
                                                    parts * node_counts.size() + 1);
  std::pmr::vector<Owner> owner(nodes, memory);
  for (std::size_t t = 0; t < node_counts.size(); ++t) {
    owner_of(t, std::span(owner).subspan(static_cast<std::size_t>(offsets[t]),
                                         static_cast<std::size_t>(node_counts[t])));
  }
  check(relabel_nodes_into(std::span<const Owner>(owner), std::span<const std::uint64_t>(offsets),
                           parts, out.bounds.values(), out.old_node.values()),
        "the assignment does not fit the graph's nodes");
  keep(std::span<const Owner>(owner));
}

/// [V] new ID of each node by original ID, in memory.
template <id Node>
std::pmr::vector<Node> new_nodes(const dispatched_nodes<Node>& nodes,
                                 std::pmr::memory_resource* memory) {
  std::pmr::vector<Node> out(nodes.old_node.size(), memory);
  const auto old = nodes.old_node.values();
  for (std::size_t i = 0; i < old.size(); ++i) out[index(old[i])] = static_cast<Node>(i);
  return out;
}

/// Add numbers to a digest as little-endian bytes, so that it is the same on every machine.
void update_little_endian(digest64& digest, std::span<const std::int32_t> values);

/// Write the folder's node mapping: the part of each node.
template <class Owner>
void write_mapping(const std::string& folder, const std::string& name,
                   std::span<const Owner> owner) {
  const auto layout = npy_layout(name, dtype_of<Owner>(), tensor_shape{owner.size()});
  auto sink = file_sink::create(concat({folder, "/", name}), layout.bytes);
  sink.require(write_literals(layout, sink));
  sink.require(write_as(sink, layout.sections.at(0), 0, owner));
  sink.sync();
  sink.close();
}

/// Read the assignment and sort the nodes by (part, type). @return the record of the stage
template <id Node, id Edge>
const stage_record& relabel_nodes(dispatch_job<Node, Edge>& job) {
  const auto& counts = job.input.node_counts;
  const auto& types = job.input.schema.node_types();
  const bool mapping = job.writes_mapping() && job.output.owns_folder();
  std::uint64_t read = 0;
  digest64 digest;
  const auto read_owners = [&](std::size_t t, auto owner) {
    if (owner.empty()) return;
    using part = typename decltype(owner)::value_type;
    for_each_part_assigned(
        assignment_file(job.assignment, types, t), types[t], owner.size(),
        std::int64_t{job.parts} - 1, job.input.opener(), job.run,
        [&](std::span<const std::int32_t> some, std::uint64_t first) {
          update_little_endian(digest, some);
          for (std::size_t i = 0; i < some.size(); ++i)
            owner[static_cast<std::size_t>(first) + i] = static_cast<part>(some[i]);
          read += some.size();
          job.show_progress("nodes", read, job.num_nodes(), "nodes");
        });
  };
  const auto keep = [&](auto owner) {
    if (mapping) write_mapping(job.output.path(), job.mapping_name(), owner);
  };
  // The narrowest type that holds a part: this table decides how much memory is required.
  const auto relabel = [&]<class Owner>(Owner) {
    relabel_nodes_to_files<Owner>(job.output.scratch(), counts, job.parts, read_owners, keep,
                                  job.memory(), job.nodes);
  };
  if (owner_bytes(job.parts) == 1)
    relabel(std::uint8_t{});
  else if (owner_bytes(job.parts) == 2)
    relabel(std::uint16_t{});
  else
    relabel(part_id{});
  stage_record stage{"nodes", {{"nodes", job.num_nodes()}, {"assignment", digest.value()}}, {}, {}};
  const auto bounds = job.nodes.bounds.values();
  for (std::size_t t = 0; t < counts.size(); ++t) {
    std::uint64_t count = 0;
    for (std::size_t p = 0; p < job.parts; ++p) {
      const std::size_t cell = p * counts.size() + t;
      count += bounds[cell + 1] - bounds[cell];
    }
    require_equal(count, counts[t], "nodes of type " + graph_schema::quoted(types[t]));
    stage.counts.emplace_back(concat({"type", t}), count);
  }
  job.add_file(stage, job.nodes.old_node, "old_node");
  job.add_file(stage, job.nodes.bounds, "node_bounds");
  if (mapping)
    stage.files.push_back(
        digest_file(concat({job.output.path(), "/", job.mapping_name()}), job.mapping_name()));
  return job.stages.complete(std::move(stage));
}

/// The phase of nodes: every rank sorts all of them.
template <id Node, id Edge>
void dispatch_nodes(dispatch_job<Node, Edge>& job) {
  const stage_record* done = job.stages.completed("nodes");
  if (done == nullptr) run_collective(job.ranks, [&] { done = &relabel_nodes(job); });
  run_collective(job.ranks, [&] {
    job.assignment_digest = done->count("assignment");
    if (job.writes_mapping() && job.output.owns_folder()) {
      job.output.add(job.mapping_name());
      job.output.record(done->files.back());
    }
    // Ranks with different assignments would send edges to ranks that do not own their endpoints.
    require_same(job.ranks, job.assignment_digest, "reads another assignment than",
                 "its files must be the same for all ranks");
    job.nodes.open(job.output.scratch(), job.num_nodes(), job.node_cells());
  });
  job.part_begin.resize(std::size_t{job.parts} + 1);
  const auto bounds = std::as_const(job.nodes).bounds.values();
  for (std::size_t p = 0; p <= job.parts; ++p)
    job.part_begin[p] = bounds[p * job.input.node_counts.size()];
  job.shares = rank_shares(job.part_begin, job.ranks.rank(), job.ranks.size());
}

}  // namespace halograph::detail

#if !HALOGRAPH_COMPILED
#include <halograph/pipeline/out_of_core/impl/nodes.ipp>
#endif
