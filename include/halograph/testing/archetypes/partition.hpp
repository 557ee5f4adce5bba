// SPDX-License-Identifier: BSL-1.0
/// @file partition.hpp
/// Minimal partitioners and refiners, and near misses.
/// Layer: testing. Words: README.md.
#pragma once

#include <halograph/core/communicator.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/partition/partitioner.hpp>
#include <halograph/partition/streaming.hpp>
#include <halograph/testing/archetypes/awkward.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace halograph::archetype {

/// Models `partitioner`: everything in part 0 of 1.
struct partitioner : awkward {
  using awkward::awkward;
  using part = std::uint8_t;
  template <class Graph>
  constexpr status assign(const Graph& g, std::span<part> owner) const {
    if (owner.size() != halograph::num_nodes(g))
      return status::mismatch.at(halograph::num_nodes(g));
    for (auto& one : owner) one = 0;
    return status::ok;
  }
};

/// Models `distributed_partitioner` and not `partitioner`: everything in part 0 of 1.
struct distributed_partitioner : awkward {
  using awkward::awkward;
  using part = std::uint8_t;
  template <halograph::communicator Communicator, class Graph>
  status assign(const Communicator& ranks, const Graph& local, std::span<part> owner) const {
    const std::size_t nodes = local.num_nodes();
    if (const status all = agree(ranks,
                                 owner.size() == nodes ? status::ok : status::mismatch.at(nodes));
        !all)
      return all;
    for (auto& one : owner) one = 0;
    return status::ok;
  }
};

/// Models every optional ability of a partitioner: everything in the last part.
struct able_partitioner : awkward {
  using awkward::awkward;
  using part = std::uint8_t;
  std::uint16_t parts = 1;
  std::uint64_t seed = 0;
  std::span<const std::int64_t> edge_weights{};
  std::span<const constraint> constraints{};
  float tolerance = 0;
  bool balance_types = true;
  stream_order order = stream_order::shuffled;
  static constexpr const char* name = "able";

  template <class Graph>
  constexpr status assign(const Graph& g, std::span<part> owner) const {
    if (const status ok = check_parts<part>(parts, halograph::num_nodes(g), owner); !ok) return ok;
    for (auto& one : owner) one = static_cast<part>(parts - 1);
    return status::ok;
  }
  std::string explain(status) const { return {}; }
};

/// Models `streaming_partitioner` and not `partitioner`: everything in part 0 of 1.
struct streaming_partitioner : awkward {
  using awkward::awkward;
  using part = std::uint8_t;
  class stream {
   public:
    stream() = default;
    stream(const stream&) = delete;
    stream& operator=(const stream&) = delete;
    stream(stream&&) = default;
    stream& operator=(stream&&) = default;
    template <class Neighbors>
    status push(std::uint64_t v, Neighbors&& neighbors) {
      if (v >= owner_.size()) return status::out_of_range.at(v);
      neighbors([](auto) {});
      owner_[static_cast<std::size_t>(v)] = 0;
      return status::ok;
    }

   private:
    friend struct streaming_partitioner;
    std::span<part> owner_{};
  };
  std::size_t stream_scratch_size(const stream_shape&) const { return 1; }
  status begin(const stream_shape& shape, std::span<part> owner, std::span<std::uint64_t> memory,
               stream& out) const {
    if (owner.size() != shape.nodes) return status::mismatch.at(shape.nodes);
    if (memory.empty()) return status::capacity.at(1);
    out.owner_ = owner;
    return status::ok;
  }
};

/// Models `refiner` and not `partitioner`: every node moves to the next of two parts.
struct refiner : awkward {
  using awkward::awkward;
  using part = std::uint8_t;
  template <class Graph>
  constexpr status refine(const Graph& g, std::span<part> owner) const {
    if (owner.size() != halograph::num_nodes(g))
      return status::mismatch.at(halograph::num_nodes(g));
    for (std::size_t v = 0; v < owner.size(); ++v) {
      if (owner[v] > 1) return status::out_of_range.at(v);
    }
    for (auto& one : owner) one = static_cast<part>(1 - one);
    return status::ok;
  }
};

/// Models `assigns_in_memory`: a partitioner that needs one word of memory.
struct partitioner_in_memory : partitioner {
  using partitioner::assign;
  using partitioner::partitioner;
  template <class Graph>
  constexpr std::uint16_t assign_scratch_size(const Graph&) const {
    return 1;
  }
  template <class Graph, class Context>
    requires(Context::has_memory)
  constexpr status assign(const Graph& g, std::span<part> owner, const Context& context) const {
    if (context.memory().empty()) return status::capacity.at(1);
    context.memory()[0] = 0;
    return assign(g, owner);
  }
};

}  // namespace halograph::archetype

namespace halograph::near_miss {

/// parts is a function and cannot be set.
struct names_parts_by_function {
  std::uint64_t parts() const { return 1; }
};
/// The seed is const.
struct takes_seed_never {
  const std::uint64_t seed = 1;
};
/// The weights are not const, but the caller's are.
struct takes_edge_weights_to_write {
  std::span<std::int64_t> edge_weights{};
};
/// The constraints are not const, but the caller's are.
struct takes_constraints_to_write {
  std::span<constraint> constraints{};
};
/// A tolerance for each constraint.
struct takes_tolerance_of_each {
  std::span<const double> tolerance{};
};
/// Balances types or not, and cannot be told.
struct balances_types_always {
  static constexpr bool balance_types = true;
};
/// Orders by a number.
struct chooses_order_by_number {
  int order = 0;
};
/// Every policy has a name of its own.
struct named_policy_each {
  std::string name = "mine";
};
/// explain() takes no status.
struct explains_status_at_large {
  std::string explain() const { return {}; }
};

namespace detail {
struct deaf_stream {};
struct open_stream {
  template <class Neighbors>
  status push(std::uint64_t, Neighbors&&) {
    return status::ok;
  }
};
template <class Part, class Stream>
struct nearly_streaming {
  using part = Part;
  using stream = Stream;
  std::size_t stream_scratch_size(const stream_shape&) const { return 0; }
  status begin(const stream_shape&, std::span<part>, std::span<std::uint64_t>, stream&) const {
    return status::ok;
  }
};
}  // namespace detail
/// Parts are signed.
using streaming_of_signed_parts = detail::nearly_streaming<int, detail::open_stream>;
/// Does not name the type of its streams.
struct streaming_without_stream {
  using part = part_id;
  std::size_t stream_scratch_size(const stream_shape&) const { return 0; }
  template <class Stream>
  status begin(const stream_shape&, std::span<part>, std::span<std::uint64_t>, Stream&) const {
    return status::ok;
  }
};
/// Its streams are not default-constructible.
using streaming_of_awkward_streams = detail::nearly_streaming<part_id, archetype::awkward>;
/// Has no stream_scratch_size().
struct streaming_without_words {
  using part = part_id;
  using stream = detail::open_stream;
  status begin(const stream_shape&, std::span<part>, std::span<std::uint64_t>, stream&) const {
    return status::ok;
  }
};
/// Takes none of the caller's memory.
struct streaming_without_memory {
  using part = part_id;
  using stream = detail::open_stream;
  std::size_t stream_scratch_size(const stream_shape&) const { return 0; }
  status begin(const stream_shape&, std::span<part>, stream&) const { return status::ok; }
};
/// Its streams have no push().
using streaming_without_neighbors = detail::nearly_streaming<part_id, detail::deaf_stream>;

/// Parts are signed.
struct distributed_of_signed_parts {
  using part = int;
  template <class Communicator, class Graph>
  status assign(const Communicator&, const Graph&, std::span<part>) const {
    return status::ok;
  }
};
/// assign() takes no communicator.
struct distributed_without_ranks {
  using part = part_id;
  template <class Graph>
  status assign(const Graph&, std::span<part>) const {
    return status::ok;
  }
};

/// Parts are signed.
struct refiner_of_signed_parts {
  using part = int;
  template <class Graph>
  status refine(const Graph&, std::span<part>) const {
    return status::ok;
  }
};
/// refine() is not const.
struct refiner_not_const {
  using part = part_id;
  template <class Graph>
  status refine(const Graph&, std::span<part>) {
    return status::ok;
  }
};

/// Uses a context, and does not say how many words of memory it needs.
struct assigns_in_memory_without_size : archetype::partitioner {
  template <class Graph, class Context>
  status assign(const Graph&, std::span<part>, const Context&) const {
    return status::ok;
  }
};
/// Says how many words it needs, and takes no context.
struct assigns_in_memory_without_context : archetype::partitioner {
  template <class Graph>
  std::size_t assign_scratch_size(const Graph&) const {
    return 0;
  }
};

/// Has no type part.
struct partitioner_without_part {
  template <class Graph>
  status assign(const Graph&, std::span<part_id>) const {
    return status::ok;
  }
};
/// Parts are signed.
struct partitioner_of_signed_parts {
  using part = int;
  template <class Graph>
  status assign(const Graph&, std::span<part>) const {
    return status::ok;
  }
};
/// assign() is not const.
struct partitioner_not_const {
  using part = part_id;
  template <class Graph>
  status assign(const Graph&, std::span<part>) {
    return status::ok;
  }
};
/// assign() returns void.
struct partitioner_of_void {
  using part = part_id;
  template <class Graph>
  void assign(const Graph&, std::span<part>) const {}
};

}  // namespace halograph::near_miss
