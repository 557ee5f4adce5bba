// SPDX-License-Identifier: BSL-1.0
/// @file local_ids.hpp
/// The local ID of each node of a part, by node of the graph.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/core/ids.hpp>
#include <halograph/core/large_pages.hpp>
#include <halograph/halo/expand.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace halograph {

/// How the local IDs of a part are found.
enum class local_lookup : std::uint8_t {
  table,  ///< an entry for each node of the graph: one access
  hash    ///< an entry or two for each HALO node: a few accesses, memory of the part alone
};

namespace detail {

/// Local IDs of the nodes of a part: its inner nodes, which are consecutive, from 0, and HALO nodes
/// one by one. As thread-safe as a container.
template <id Node>
class local_ids {
 public:
  using local_id = std::make_unsigned_t<Node>;  ///< absent: the node is not in the part

  /// @param nodes  of the graph
  local_ids(std::size_t nodes, local_lookup how, std::pmr::memory_resource* memory)
      : how_(how), table_(memory), entries_(memory) {
    if (how != local_lookup::table) return;
    table_.reserve(nodes);
    prefer_large_pages({reinterpret_cast<std::byte*>(table_.data()), nodes * sizeof(local_id)});
    table_.resize(nodes, absent<local_id>);
  }

  bool is_table() const noexcept { return how_ == local_lookup::table; }

  /// Begin a part: nodes [begin, begin + count) are inner. @pre new, or after clear()
  void set_inner(std::size_t begin, std::size_t count) {
    begin_ = begin;
    inner_ = count;
    if (!is_table()) return;
    for (std::size_t i = 0; i < count; ++i) table_[begin + i] = static_cast<local_id>(i);
  }
  /// Give a HALO node its local ID, or another one.
  void set(std::size_t node, local_id local) {
    if (is_table()) {
      table_[node] = local;
      return;
    }
    if (held_ >= entries_.size() / 2) grow();
    entry& one = entries_[slot_of(node)];
    held_ += one.local == absent<local_id> ? 1u : 0u;
    one = {static_cast<Node>(node), local};
  }
  /// Forget the part. @param halo  its HALO nodes
  void clear(std::span<const Node> halo) {
    if (is_table()) {
      std::fill_n(table_.begin() + static_cast<std::ptrdiff_t>(begin_), inner_, absent<local_id>);
      for (const Node v : halo) table_[index(v)] = absent<local_id>;
    } else {
      std::fill(entries_.begin(), entries_.end(), entry{});
    }
    begin_ = inner_ = held_ = 0;
  }

  /// f(local), where local(node) is the local ID of a node, or absent; it sees what is set later.
  template <class F>
  decltype(auto) visit(F&& f) const {
    if (is_table()) return f([table = table_.data()](std::size_t node) { return table[node]; });
    return f([this](std::size_t node) { return find(node); });
  }

 private:
  struct entry {
    Node node{};
    local_id local = absent<local_id>;
  };

  local_id find(std::size_t node) const noexcept {
    if (node - begin_ < inner_) return static_cast<local_id>(node - begin_);
    return held_ == 0 ? absent<local_id> : entries_[slot_of(node)].local;
  }
  /// Where a node is, or would be. @pre an entry is empty
  std::size_t slot_of(std::size_t node) const noexcept {
    const std::size_t mask = entries_.size() - 1;
    std::size_t at = static_cast<std::size_t>((std::uint64_t{node} * 0x9E3779B97F4A7C15u) >> 32) &
                     mask;
    while (entries_[at].local != absent<local_id> && index(entries_[at].node) != node)
      at = (at + 1) & mask;
    return at;
  }
  void grow() {
    std::pmr::vector<entry> before(std::max<std::size_t>(2 * entries_.size(), 1024),
                                   entries_.get_allocator());
    before.swap(entries_);
    for (const entry& one : before) {
      if (one.local != absent<local_id>) entries_[slot_of(index(one.node))] = one;
    }
  }

  local_lookup how_;
  std::size_t begin_ = 0, inner_ = 0, held_ = 0;
  std::pmr::vector<local_id> table_;
  std::pmr::vector<entry> entries_;  // 2^k, at most half of them taken
};

}  // namespace detail

}  // namespace halograph
