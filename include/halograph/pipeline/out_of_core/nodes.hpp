// SPDX-License-Identifier: BSL-1.0
/// @file nodes.hpp
/// Dispatch, nodes: from assignment files to new node IDs, and who has the new ID of which node.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/comm/alltoallv.hpp>
#include <halograph/comm/collective_errors.hpp>
#include <halograph/core/communicator.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/offsets.hpp>
#include <halograph/folder/assignment_files.hpp>
#include <halograph/folder/node_mapping.hpp>
#include <halograph/pipeline/out_of_core/job.hpp>
#include <halograph/pipeline/out_of_core/ranges.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/digest.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/files/checkpoint.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/manifest.hpp>
#include <halograph/serial/files/scratch.hpp>
#include <halograph/serial/layout_writer.hpp>
#include <halograph/serial/npy.hpp>
#include <halograph/serial/serializer.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph::detail {

/// Some parts of nodes of one type, and the typed ID of the first.
using parts_reader = function_ref<void(std::span<const std::int32_t>, std::uint64_t)>;

/// Number nodes by (part, type, original ID) and write the files of dispatched_nodes. What it keeps
/// in memory does not grow with the nodes, so it reads their parts twice.
/// @param share       whose new IDs are kept
/// @param read_parts  read_parts(type, f): the parts of all nodes of a type, in order
/// @errors mismatch: the second time they are other parts
template <id Node>
void number_nodes_to_files(const std::string& folder, std::span<const std::uint64_t> node_counts,
                           std::size_t parts, const row_readers& share,
                           function_ref<void(std::size_t, parts_reader)> read_parts,
                           dispatched_nodes<Node>& out) {
  const auto offsets = offsets_of(node_counts);
  const std::size_t types = node_counts.size(), cells = parts * types;
  out.old_node = scratch_array<Node>::create(folder + "/old_node", offsets.back());
  out.new_node = scratch_array<Node>::create(folder + "/new_node", share.count());
  out.bounds = scratch_array<std::uint64_t>::create(folder + "/node_bounds", cells + 1);
  const auto bounds = out.bounds.values();
  std::vector<std::uint64_t> next(cells);
  for (std::size_t t = 0; t < types; ++t) {
    read_parts(t, [&](std::span<const std::int32_t> some, std::uint64_t) {
      for (const auto p : some) ++next[static_cast<std::size_t>(p) * types + t];
    });
  }
  for (std::size_t cell = 0; cell < cells; ++cell) {
    bounds[cell + 1] = bounds[cell] + next[cell];
    next[cell] = bounds[cell];
  }
  const auto old_node = out.old_node.values(), new_node = out.new_node.values();
  for (std::size_t t = 0; t < types; ++t) {
    const id_range own = share.rows(t);
    read_parts(t, [&](std::span<const std::int32_t> some, std::uint64_t first) {
      for (std::size_t i = 0; i < some.size(); ++i) {
        const std::size_t cell = static_cast<std::size_t>(some[i]) * types + t;
        if (next[cell] == bounds[cell + 1])
          raise(error_kind::mismatch, "the assignment was written to while it was read; run again");
        const std::uint64_t typed = first + i, fresh = next[cell]++;
        old_node[static_cast<std::size_t>(fresh)] = static_cast<Node>(offsets[t] + typed);
        if (typed - own.begin < own.size())
          new_node[static_cast<std::size_t>(share.slot(t, typed))] = static_cast<Node>(fresh);
      }
    });
  }
}

/// New IDs that are asked for by original ID, and where the answers go: as many.
template <id Node>
struct node_request {
  std::span<const Node> nodes{};
  std::span<Node> answers{};
};

/// New IDs of nodes by original ID. Each rank has those of its share in memory, and asks the others
/// for theirs.
template <id Node>
class new_node_table {
 public:
  /// @param share           of this rank
  /// @param most_asked      nodes in a call of find(): the same on all ranks, as is the next
  /// @param exchange_bytes  for requests and answers of a round
  new_node_table(const dispatched_nodes<Node>& nodes, const row_readers& share,
                 communicator_ref ranks, std::size_t most_asked, std::uint64_t exchange_bytes,
                 std::pmr::memory_resource* memory)
      : share_(share),
        ranks_(ranks),
        most_(is_whole() ? 0
                         : static_cast<std::size_t>(std::clamp<std::uint64_t>(
                               exchange_bytes / round_bytes(ranks.size()), 1, most_asked))),
        in_one_round_(most_ == most_asked),
        own_(memory),
        place_(most_, memory),
        sent_(most_, memory),
        answered_(most_, memory),
        received_(ranks.size() * most_, memory),
        found_(ranks.size() * most_, memory),
        peers_(ranks) {
    const auto values = nodes.new_node.values();
    own_.assign(values.begin(), values.end());
    if (!is_whole()) peers_.allocate();
  }

  /// Does this rank have all of them? Then they are in the order of original IDs.
  bool is_whole() const noexcept { return ranks_.size() == 1; }
  /// [S] those of this rank, by slot.
  std::span<const Node> own() const noexcept { return own_; }

  /// Look up nodes of any rank, in rounds. Collective, inside run_collective().
  void find(std::span<const node_request<Node>> requests) {
    std::uint64_t count = 0, rounds = 1;
    for (const auto& one : requests) count += one.nodes.size();
    if (!in_one_round_) rounds = all_reduce_max(ranks_, (count + most_ - 1) / most_);
    if (in_one_round_ && count > most_)
      raise(error_kind::internal, "more nodes are looked up at once than was said");
    place_of_request at;
    for (std::uint64_t round = 0; round < rounds; ++round) {
      auto& out = peers_.out;
      std::fill(out.begin(), out.end(), 0);
      const auto each = [&](auto&& f) { return visit(requests, at, f); };
      const auto rank_of = [&](Node node) { return share_.of(static_cast<std::uint64_t>(node)); };
      each([&](std::size_t k, Node node, Node&) {
        const std::size_t to = rank_of(node);
        place_[k] = static_cast<std::uint32_t>(to);
        ++out[to];
      });
      std::exclusive_scan(out.begin(), out.end(), begin_.begin(), std::uint64_t{0});
      const auto end = each([&](std::size_t k, Node node, Node&) {
        place_[k] = static_cast<std::uint32_t>(begin_[place_[k]]++);
        sent_[place_[k]] = node;
      });
      answer_peers(begin_.empty() ? 0 : static_cast<std::size_t>(begin_.back()));
      each([&](std::size_t k, Node, Node& answer) { answer = answered_[place_[k]]; });
      at = end;
    }
  }

 private:
  struct place_of_request {
    std::size_t request = 0, node = 0;
  };
  static constexpr std::uint64_t round_bytes(std::size_t ranks) noexcept {
    return sizeof(std::uint32_t) + (2 + 2 * std::uint64_t{ranks}) * sizeof(Node);
  }
  /// f(k, node, answer) for the nodes of a round. @return where the next begins
  template <class F>
  place_of_request visit(std::span<const node_request<Node>> requests, place_of_request at,
                         F&& f) const {
    for (std::size_t k = 0; at.request < requests.size(); at = {at.request + 1, 0}) {
      const auto& one = requests[at.request];
      for (; at.node < one.nodes.size(); ++at.node, ++k) {
        if (k == most_) return at;
        f(k, one.nodes[at.node], one.answers[at.node]);
      }
    }
    return at;
  }
  /// Send what is in `sent_`, and get the answers. Collective.
  void answer_peers(std::size_t count) {
    check_peers(ranks_);
    const auto total = static_cast<std::size_t>(peers_.exchange_counts());
    if (total > received_.size())
      raise(error_kind::mismatch,
            "a rank requests more nodes in a round than this rank has room for");
    peers_.exchange(std::as_bytes(std::span(sent_).first(count)),
                    std::as_writable_bytes(std::span(received_).first(total)), sizeof(Node));
    bool strange = false;
    for (std::size_t i = 0; i < total; ++i) {
      const std::uint64_t slot = share_.slot_of(static_cast<std::uint64_t>(received_[i]));
      strange = strange || slot >= own_.size();
      found_[i] = slot < own_.size() ? own_[static_cast<std::size_t>(slot)] : Node{};
    }
    peers_.reply(std::as_bytes(std::span(found_).first(total)),
                 std::as_writable_bytes(std::span(answered_).first(count)), sizeof(Node));
    if (strange)
      raise(error_kind::internal, "a rank requested from another a node that it does not have");
  }

  const row_readers& share_;
  communicator_ref ranks_;
  std::size_t most_;  // nodes that a rank asks for in a round
  bool in_one_round_;
  std::pmr::vector<Node> own_;
  std::pmr::vector<std::uint32_t> place_;  // of each in `sent_`; before that, its rank
  std::pmr::vector<Node> sent_, answered_, received_, found_;
  std::vector<std::uint64_t> begin_ = std::vector<std::uint64_t>(ranks_.size());
  alltoallv peers_;
};

/// Add numbers to a digest as little-endian bytes, so that it is the same on every machine.
void update_little_endian(digest64& digest, std::span<const std::int32_t> values);

/// Writes the folder's node mapping: the part of each node, as it is read.
class mapping_writer {
 public:
  mapping_writer(const std::string& folder, const std::string& name, std::uint64_t parts,
                 std::uint64_t nodes)
      : layout_(npy_layout(
            name,
            with_smallest_unsigned(parts - 1, []<class Owner>(Owner) { return dtype_of<Owner>(); }),
            tensor_shape{nodes})),
        sink_(file_sink::create(concat({folder, "/", name}), layout_.bytes)) {
    sink_.require(write_literals(layout_, sink_));
  }
  /// @param first  original ID of the first node
  void write(std::uint64_t first, std::span<const std::int32_t> parts) {
    sink_.require(write_as(sink_, layout_.sections.at(0), first, parts));
  }
  void finish() {
    sink_.sync();
    sink_.close();
  }

 private:
  file_layout layout_;
  file_sink sink_;
};

/// Read the assignment and number the nodes. @return the record of the stage
template <id Node, id Edge>
const stage_record& relabel_nodes(dispatch_job<Node, Edge>& job) {
  const auto& counts = job.input.node_counts;
  const auto& types = job.input.schema.node_types();
  const bool mapping = job.writes_mapping() && job.output.owns_folder();
  std::optional<mapping_writer> owners;
  if (mapping) owners.emplace(job.output.path(), job.mapping_name(), job.parts, job.num_nodes());
  std::uint64_t read = 0;
  digest64 digest;
  const auto read_parts = [&](std::size_t t, parts_reader f) {
    if (counts[t] == 0) return;
    for_each_part_assigned(assignment_file(job.assignment, types, t), types[t], counts[t],
                           std::int64_t{job.parts} - 1, job.input.opener(), job.run,
                           [&](std::span<const std::int32_t> some, std::uint64_t first) {
                             f(some, first);
                             if (read < job.num_nodes()) {  // the first time
                               update_little_endian(digest, some);
                               if (owners) owners->write(read, some);
                             }
                             read += some.size();
                             job.show_progress("nodes", read / 2, job.num_nodes(), "nodes");
                           });
  };
  number_nodes_to_files<Node>(job.output.scratch(), counts, job.parts, job.node_readers(),
                              read_parts, job.nodes);
  if (owners) owners->finish();
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
  job.add_file(stage, job.nodes.new_node, "new_node");
  job.add_file(stage, job.nodes.bounds, "node_bounds");
  if (mapping)
    stage.files.push_back(
        digest_file(concat({job.output.path(), "/", job.mapping_name()}), job.mapping_name()));
  return job.stages.complete(std::move(stage));
}

/// The phase of nodes: every rank numbers all of them, and keeps the new IDs of its share.
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
    job.nodes.open(job.output.scratch(), job.num_nodes(), job.node_readers().count(),
                   job.node_cells());
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
