// SPDX-License-Identifier: BSL-1.0
/// @file part_columns.hpp
/// One part of a graph with its HALO, in new and local IDs: everything its files hold, column by
/// column.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/radix_sort.hpp>
#include <halograph/core/search.hpp>
#include <halograph/core/status.hpp>
#include <halograph/folder/quality_report.hpp>
#include <halograph/halo/cut_lists.hpp>
#include <halograph/halo/expand.hpp>
#include <halograph/pipeline/local_ids.hpp>
#include <halograph/pipeline/partition_plan.hpp>
#include <halograph/serial/serializer.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace halograph {

/// The order of a part's HALO nodes.
enum class halo_order : std::uint8_t {
  discovered,  ///< as expansion finds them: what DGL's partition_graph does
  ascending    ///< by new ID: what DGL's dispatch pipeline does
};

/// One expanded part. Local nodes: inner by new ID, then HALO as found; local edges: inner by new
/// ID, then the others by new ID. Where edge_id_is_position() no edge is copied: columns are read
/// from the plan's rows and cut lists while they are written. Reuse one object for several parts;
/// its memory grows to the largest.
template <id Node, id Edge>
class part_columns {
 public:
  /// A node or edge of the part, numbered from 0.
  using local_id = std::make_unsigned_t<Node>;

  /// @param plan    its memory must outlive this object
  /// @param memory  for columns with an entry per node or edge of the part
  /// @param table   for local IDs, which are read at random
  /// @param how     local IDs are found; with a table it has an entry for each node of the graph
  explicit part_columns(const partition_plan_view<Node, Edge>& plan,
                        std::pmr::memory_resource* memory = std::pmr::get_default_resource(),
                        std::pmr::memory_resource* table = std::pmr::get_default_resource(),
                        local_lookup how = local_lookup::table)
      : plan_(plan),
        part_of_(plan.part_begin),
        local_(static_cast<std::size_t>(plan.num_nodes()), how, table),
        halo_(memory),
        followed_(memory),
        places_(memory),
        listed_(memory) {}
  /// The same of a plan that owns its memory, which must outlive this object.
  explicit part_columns(const partition_plan<Node, Edge>& plan) : part_columns(plan.view()) {}

  /// @errors raises cut_edges: 0 hops although edges enter the part; overflow: Node is too narrow
  ///     for V + 1 values
  /// @complexity linear in the nodes and edges of the part
  void expand(std::size_t part, const halo_options& options,
              halo_order order = halo_order::discovered);

  /// The plan whose part this is.
  const partition_plan_view<Node, Edge>& plan() const noexcept { return plan_; }
  /// Counts of the part that was expanded last.
  const part_report& report() const noexcept { return report_; }
  /// The number of that part.
  std::size_t part() const noexcept { return part_; }
  /// Nodes of the part, inner and HALO.
  std::size_t num_nodes() const noexcept { return inner_nodes_ + halo_.size(); }
  /// Nodes that the part owns: the first of its local IDs.
  std::size_t num_inner_nodes() const noexcept { return inner_nodes_; }
  /// Edges of the part, with those that HALO nodes brought.
  std::size_t num_edges() const noexcept { return inner_edges_ + other_edges_; }
  /// Edges that the part owns: the first of its local IDs.
  std::size_t num_inner_edges() const noexcept { return inner_edges_; }

  // By local IDs. Columns of edges are read in pieces: out[i] belongs to local edge first + i.
  /// The original ID of a local node.
  std::uint64_t old_node(std::size_t v) const {
    return static_cast<std::uint64_t>(plan_.original_node(rank(v)));
  }
  /// The new ID of a local node.
  std::uint64_t new_node(std::size_t v) const { return plan_.reshuffled ? rank(v) : old_node(v); }
  /// The part that owns a local node.
  part_id node_owner(std::size_t v) const {
    return static_cast<part_id>(v < inner_nodes_ ? part_ : part_of_(rank(v)));
  }
  /// The type of a local node.
  std::size_t node_type(std::size_t v) const {
    return plan_.num_node_types() == 1 ? 0 : plan_.node_cell(rank(v)) % plan_.num_node_types();
  }
  /// Local IDs of the edges' sources.
  void sources_into(std::size_t first, std::span<std::int64_t> out) const;
  /// Local IDs of the edges' targets.
  void targets_into(std::size_t first, std::span<std::int64_t> out) const;
  /// Positions in the plan's rows.
  void positions_into(std::size_t first, std::span<std::int64_t> out) const;
  /// New IDs of the edges.
  void new_edges_into(std::size_t first, std::span<std::int64_t> out) const;
  /// @pre the plan keeps original IDs
  void old_edges_into(std::size_t first, std::span<std::int64_t> out) const;

  /// Sizes of everything that is written, without features.
  part_description describe() const;

  /// Local IDs of the inner nodes of a type.
  id_range inner_of_type(std::size_t type) const {
    const auto cell = plan_.nodes(part_, type);
    return {cell.begin - plan_.part_begin[part_], cell.end - plan_.part_begin[part_]};
  }
  /// Local IDs of the inner edges of a type.
  id_range inner_edges_of_type(std::size_t type) const {
    const auto cell = plan_.edges(part_, type);
    return {cell.begin - edge_begin_, cell.end - edge_begin_};
  }

 private:
  static constexpr std::size_t edges_per_place = std::size_t{1} << 15;

  /// Where a walk over the other edges is: between rows of followed nodes and cut edges.
  struct place {
    std::size_t row = 0;     // in followed_
    std::size_t inside = 0;  // edges of that row before this place
    std::size_t cut = 0;     // in cut()
  };
  struct listed_edge {
    Edge position;  // in plan_.rows
    Node target;    // of the plan
  };
  /// The plan's node of a local node.
  std::uint64_t rank(std::size_t v) const {
    return v < inner_nodes_ ? plan_.part_begin[part_] + v
                            : static_cast<std::uint64_t>(halo_[v - inner_nodes_]);
  }

  /// Clear the previous part.
  void clear();

  // --- nodes ---

  /// All nodes in DGL's order: sources of hop after hop, then the targets of cut edges by (source,
  /// target).
  void find_nodes(const halo_options& options);

  void count_hop(std::size_t slot, std::size_t before) {
    if (halo_.size() != before) report_.halo_nodes_per_hop[slot] += halo_.size() - before;
  }

  void sort_followed();

  /// Targets of cut edges that no hop found, in the order of (smallest source, target).
  void add_targets();

  // --- edges that are not inner: whole rows of followed nodes, and cut edges into the others, by
  // position ---

  /// Visit `count` of them from `at` on, `skip` left out first. @return how many were visited
  /// @param row  row(target, first position, count);  @param cut  cut(first cut edge, count)
  template <class Row, class Cut>
  std::size_t walk(place& at, std::size_t skip, std::size_t count, Row&& row, Cut&& cut) const {
    const std::size_t wanted = count;
    const auto take = [&](std::size_t there, std::size_t& moved) {
      const std::size_t passed = std::min(skip, there);
      skip -= passed;
      moved = passed;
      return std::min(count, there - passed);
    };
    while (count != 0) {
      const bool rows_left = at.row < followed_.size();
      std::size_t cut_end = cut_.size(), passed = 0;
      if (rows_left) {
        // No further than needed: every block starts in long runs again.
        const std::size_t enough = at.cut + std::min(cut_.size() - at.cut, skip + count);
        for (cut_end = at.cut; cut_end < enough && cut_[cut_end].target < followed_[at.row];
             ++cut_end) {
        }
      }
      if (at.inside == 0 && at.cut < cut_end) {
        const std::size_t now = take(cut_end - at.cut, passed);
        if (now != 0) cut(at.cut + passed, now);
        at.cut += passed + now;
        count -= now;
        continue;
      }
      if (!rows_left) break;
      const Node v = followed_[at.row];
      const std::size_t begin = plan_.row_begin(index(v)),
                        length = plan_.row_begin(index(v) + 1) - begin;
      const std::size_t now = take(length - at.inside, passed);
      if (now != 0) row(v, begin + at.inside + passed, now);
      at.inside += passed + now;
      count -= now;
      if (at.inside == length) {
        ++at.row;
        at.inside = 0;
        while (at.cut < cut_.size() && cut_[at.cut].target == v) ++at.cut;  // in the row too
      }
    }
    return wanted - count;
  }

  /// Count them, and remember a place every so often so that a column can be entered anywhere.
  void mark_places();

  /// Fill a column of local edges from `first` on, which are no inner ones.
  /// @param row  row(target, first position, out);  @param cut  cut(first cut edge, out)
  template <class Row, class Cut>
  void halo_edges_into(std::size_t first, std::span<std::int64_t> out, Row&& row, Cut&& cut) const {
    if (out.empty()) return;
    const std::size_t other = first - inner_edges_;
    place at = places_[other / edges_per_place];
    std::size_t done = 0;
    const auto next = [&](std::size_t count) {
      const auto piece = out.subspan(done, count);
      done += count;
      return piece;
    };
    walk(
        at, other % edges_per_place, out.size(),
        [&](Node target, std::size_t position, std::size_t count) {
          row(target, position, next(count));
        },
        [&](std::size_t edge, std::size_t count) { cut(cut_.data() + edge, next(count)); });
  }

  /// Where IDs are not positions: list the edges in the order of their IDs.
  void list_edges();

  /// Edges by position are sorted by part of the target; in a part, deal them by type.
  void deal_by_type(std::span<const listed_edge> found, std::span<listed_edge> to) const;

  partition_plan_view<Node, Edge> plan_;
  part_finder part_of_;
  detail::local_ids<Node> local_;
  std::size_t part_ = 0;
  std::size_t node_begin_ = 0, inner_nodes_ = 0;
  std::size_t inner_edges_ = 0, other_edges_ = 0;
  std::uint64_t edge_begin_ = 0;
  std::size_t row_begin_ = 0, row_end_ = 0;  // positions of the edges into inner nodes
  std::pmr::vector<Node> halo_;              // nodes of the plan
  std::pmr::vector<Node> followed_;          // those whose in-edges the part holds, ascending
  std::span<const cut_edge<Node, Edge>> cut_{};
  std::pmr::vector<place> places_;        // before each block of other edges
  std::pmr::vector<listed_edge> listed_;  // [num_edges()] unless edge_id_is_position()
  part_report report_{};
};

template <id Node, id Edge>
void part_columns<Node, Edge>::expand(std::size_t part, const halo_options& options,
                                      halo_order order) {
  clear();
  if (plan_.num_nodes() > absent<local_id>) {
    raise(error_kind::overflow,
          "the node IDs are too narrow to number a part's nodes; use wider ones");
  }
  part_ = part;
  report_ = {};
  // A hop without new nodes is the last: more than V hops do not need more than V counts.
  report_.halo_nodes_per_hop.assign(
      static_cast<std::size_t>(std::min<std::uint64_t>(options.hops, plan_.num_nodes())), 0);
  const std::size_t types = plan_.num_edge_types();
  node_begin_ = static_cast<std::size_t>(plan_.part_begin[part]);
  inner_nodes_ = static_cast<std::size_t>(plan_.part_begin[part + 1]) - node_begin_;
  edge_begin_ = plan_.edge_bounds[part * types];
  inner_edges_ = static_cast<std::size_t>(plan_.edge_bounds[(part + 1) * types] - edge_begin_);
  row_begin_ = inner_nodes_ == 0 ? 0 : plan_.row_begin(node_begin_);
  row_end_ = inner_nodes_ == 0 ? 0 : plan_.row_begin(node_begin_ + inner_nodes_);
  local_.set_inner(node_begin_, inner_nodes_);
  find_nodes(options);
  if (order == halo_order::ascending) {
    std::sort(halo_.begin(), halo_.end());
    for (std::size_t i = 0; i < halo_.size(); ++i)
      local_.set(index(halo_[i]), static_cast<local_id>(inner_nodes_ + i));
  }
  mark_places();
  if (!plan_.edge_id_is_position()) list_edges();
  report_.inner_nodes = inner_nodes_;
  report_.halo_nodes = halo_.size();
  report_.inner_edges = inner_edges_;
  report_.halo_edges = other_edges_;
}

template <id Node, id Edge>
void part_columns<Node, Edge>::sources_into(std::size_t first, std::span<std::int64_t> out) const {
  const Node* const source = plan_.rows.neighbors().data();
  local_.visit([&](const auto& local) {
    if (!listed_.empty()) {
      for (std::size_t i = 0; i < out.size(); ++i) {
        out[i] = static_cast<std::int64_t>(
            local(index(source[index(listed_[first + i].position)])));
      }
      return;
    }
    const auto row = [&](Node, std::size_t position, std::span<std::int64_t> to) {
      for (std::size_t i = 0; i < to.size(); ++i)
        to[i] = static_cast<std::int64_t>(local(index(source[position + i])));
    };
    const std::size_t inner = first < inner_edges_ ? std::min(out.size(), inner_edges_ - first) : 0;
    row(Node{}, row_begin_ + first, out.first(inner));
    halo_edges_into(first + inner, out.subspan(inner), row,
                    [&](const cut_edge<Node, Edge>* edge, std::span<std::int64_t> to) {
                      for (std::size_t i = 0; i < to.size(); ++i)
                        to[i] = static_cast<std::int64_t>(index(edge[i].source) - node_begin_);
                    });
  });
}

template <id Node, id Edge>
void part_columns<Node, Edge>::targets_into(std::size_t first, std::span<std::int64_t> out) const {
  if (!listed_.empty()) {
    local_.visit([&](const auto& local) {
      for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = static_cast<std::int64_t>(local(index(listed_[first + i].target)));
    });
    return;
  }
  std::size_t done = 0;
  if (first < inner_edges_ && !out.empty()) {
    const std::size_t inner = std::min(out.size(), inner_edges_ - first);
    const auto offsets = plan_.row_offsets(node_begin_, inner_nodes_);
    const auto not_above = [&](Edge offset) { return index(offset) <= row_begin_ + first; };
    auto v = static_cast<std::size_t>(
                 std::partition_point(offsets.begin(), offsets.end(), not_above) -
                 offsets.begin()) -
             1;
    for (; done < inner; ++v) {
      const std::size_t end = std::min(inner, index(offsets[v + 1]) - row_begin_ - first);
      for (; done < end; ++done) out[done] = static_cast<std::int64_t>(v);
    }
  }
  local_.visit([&](const auto& local) {
    halo_edges_into(
        first + done, out.subspan(done),
        [&](Node target, std::size_t, std::span<std::int64_t> to) {
          std::fill(to.begin(), to.end(), static_cast<std::int64_t>(local(index(target))));
        },
        [&](const cut_edge<Node, Edge>* edge, std::span<std::int64_t> to) {
          for (std::size_t i = 0; i < to.size(); ++i)
            to[i] = static_cast<std::int64_t>(local(index(edge[i].target)));
        });
  });
}

template <id Node, id Edge>
void part_columns<Node, Edge>::positions_into(std::size_t first,
                                              std::span<std::int64_t> out) const {
  if (!listed_.empty()) {
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = static_cast<std::int64_t>(listed_[first + i].position);
    return;
  }
  const auto row = [](Node, std::size_t position, std::span<std::int64_t> to) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = static_cast<std::int64_t>(position + i);
  };
  const std::size_t inner = first < inner_edges_ ? std::min(out.size(), inner_edges_ - first) : 0;
  row(Node{}, row_begin_ + first, out.first(inner));
  halo_edges_into(first + inner, out.subspan(inner), row,
                  [](const cut_edge<Node, Edge>* edge, std::span<std::int64_t> to) {
                    for (std::size_t i = 0; i < to.size(); ++i)
                      to[i] = static_cast<std::int64_t>(edge[i].position);
                  });
}

template <id Node, id Edge>
void part_columns<Node, Edge>::new_edges_into(std::size_t first,
                                              std::span<std::int64_t> out) const {
  positions_into(first, out);
  if (plan_.edge_id_is_position()) return;
  for (auto& one : out)
    one = static_cast<std::int64_t>(plan_.new_edge[static_cast<std::size_t>(one)]);
}

template <id Node, id Edge>
void part_columns<Node, Edge>::old_edges_into(std::size_t first,
                                              std::span<std::int64_t> out) const {
  positions_into(first, out);
  for (auto& one : out)
    one = static_cast<std::int64_t>(plan_.old_edge[static_cast<std::size_t>(one)]);
}

template <id Node, id Edge>
part_description part_columns<Node, Edge>::describe() const {
  part_description out;
  out.part = static_cast<part_id>(part_);
  out.parts = static_cast<part_id>(plan_.parts);
  out.nodes = num_nodes();
  out.inner_nodes = inner_nodes_;
  out.edges = num_edges();
  out.inner_edges = inner_edges_;
  return out;
}

template <id Node, id Edge>
void part_columns<Node, Edge>::clear() {
  local_.clear(halo_);
  node_begin_ = inner_nodes_ = inner_edges_ = other_edges_ = 0;
  halo_.clear();
  followed_.clear();
  cut_ = {};
  places_.clear();
  listed_.clear();
}

template <id Node, id Edge>
void part_columns<Node, Edge>::find_nodes(const halo_options& options) {
  const std::size_t nodes = static_cast<std::size_t>(plan_.num_nodes());
  const Node* const source = plan_.rows.neighbors().data();
  const auto reject_endpoint = [] {
    raise(error_kind::out_of_range, "edge endpoint out of range of the plan's nodes");
  };
  if (options.hops == 0) {
    std::uint64_t entering = 0;
    for (std::size_t i = row_begin_; i < row_end_; ++i)
      entering += index(source[i]) - node_begin_ >= inner_nodes_ ? 1u : 0u;
    if (entering != 0 && !options.drop_cut_edges) {
      raise(error_kind::cut_edges,
            concat({"0 hops cannot keep the ", plan_.cut_edges,
                    " edges that cross parts; use 1 hop or more, or drop them"}));
    }
    return;
  }
  const auto add = [&](std::size_t v) {
    local_.set(v, static_cast<local_id>(inner_nodes_ + halo_.size()));
    halo_.push_back(static_cast<Node>(v));
  };
  const auto follow = [&](std::size_t begin, std::size_t end) {
    local_.visit([&](const auto& local) {
      for (std::size_t i = begin; i < end; ++i) {
        const std::size_t u = index(source[i]);
        if (u >= nodes) reject_endpoint();
        if (local(u) == absent<local_id>) add(u);
      }
    });
  };
  std::size_t counted = 0;
  const std::size_t followed = detail::grow_halo(
      options.hops, [&] { return halo_.size(); }, [&] { follow(row_begin_, row_end_); },
      [&](std::size_t i) {
        const std::size_t v = index(halo_[i]);
        follow(plan_.row_begin(v), plan_.row_begin(v + 1));
      },
      [&](std::size_t hop) { count_hop(hop - 1, std::exchange(counted, halo_.size())); });
  followed_.assign(halo_.begin(), halo_.begin() + static_cast<std::ptrdiff_t>(followed));
  sort_followed();
  if (!options.closing_out_edges) return;
  cut_ = plan_.cut_lists.of(part_);
  const std::size_t before = halo_.size();
  add_targets();
  count_hop(0, before);
}

template <id Node, id Edge>
void part_columns<Node, Edge>::sort_followed() {
  if (followed_.empty()) return;
  // Where most nodes were followed, visiting all is cheaper than sorting.
  const std::size_t nodes = static_cast<std::size_t>(plan_.num_nodes()), count = followed_.size();
  if (local_.is_table() && count >= nodes / 8) {
    local_.visit([&](const auto& local) {
      std::size_t at = 0;
      for (std::size_t v = 0; v < nodes; ++v) {
        const local_id here = local(v);
        if (here != absent<local_id> && here - inner_nodes_ < count)
          followed_[at++] = static_cast<Node>(v);
      }
    });
  } else {
    std::pmr::vector<Node> scratch(count, followed_.get_allocator());
    radix_sort(
        std::span(followed_), std::span(scratch),
        [](Node v) { return static_cast<std::uint64_t>(v); }, nodes);
  }
}

template <id Node, id Edge>
void part_columns<Node, Edge>::add_targets() {
  using found = cut_target<Node>;
  std::pmr::vector<found> more(halo_.get_allocator());
  local_.visit([&](const auto& local) {
    visit_cut_targets(
        cut_, [&](Node target) { return local(index(target)) == absent<local_id>; },
        [&](std::span<const found> some) { more.insert(more.end(), some.begin(), some.end()); });
  });
  std::pmr::vector<found> scratch(more.size(), halo_.get_allocator());
  radix_sort(
      std::span(more), std::span(scratch),
      [&](const found& one) { return static_cast<std::uint64_t>(index(one.source) - node_begin_); },
      inner_nodes_);
  for (const found& one : more) {
    local_.set(index(one.target), static_cast<local_id>(inner_nodes_ + halo_.size()));
    halo_.push_back(one.target);
  }
}

template <id Node, id Edge>
void part_columns<Node, Edge>::mark_places() {
  place at;
  while (true) {
    places_.push_back(at);
    const std::size_t seen = walk(
        at, 0, edges_per_place, [](Node, std::size_t, std::size_t) {},
        [](std::size_t, std::size_t) {});
    other_edges_ += seen;
    if (seen < edges_per_place) return;
  }
}

template <id Node, id Edge>
void part_columns<Node, Edge>::list_edges() {
  std::pmr::vector<listed_edge> found(listed_.get_allocator());
  found.reserve(std::max(inner_edges_, other_edges_));
  listed_.resize(num_edges());
  const bool dropped = plan_.dropped != 0;
  for (std::size_t v = node_begin_; v < node_begin_ + inner_nodes_; ++v) {
    for (std::size_t i = plan_.row_begin(v); i < plan_.row_begin(v + 1); ++i) {
      const Edge fresh = plan_.new_edge[i];
      if (dropped && fresh == dropped_edge<Edge>) continue;
      const listed_edge one{static_cast<Edge>(i), static_cast<Node>(v)};
      if (plan_.reshuffled)
        listed_[static_cast<std::size_t>(static_cast<std::uint64_t>(fresh) - edge_begin_)] = one;
      else
        found.push_back(one);
    }
  }
  const auto sort = [&](std::span<listed_edge> to) {
    radix_sort(
        std::span(found), to,
        [&](const listed_edge& one) {
          return static_cast<std::uint64_t>(plan_.new_edge[index(one.position)]);
        },
        plan_.edge_type_offsets.back());
    std::copy(found.begin(), found.end(), to.begin());
  };
  if (!plan_.reshuffled) sort(std::span(listed_).first(inner_edges_));
  found.clear();
  place at;
  walk(
      at, 0, other_edges_,
      [&](Node target, std::size_t position, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i)
          found.push_back({static_cast<Edge>(position + i), target});
      },
      [&](std::size_t edge, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i)
          found.push_back({cut_[edge + i].position, cut_[edge + i].target});
      });
  if (plan_.reshuffled)
    deal_by_type(found, std::span(listed_).subspan(inner_edges_));
  else
    sort(std::span(listed_).subspan(inner_edges_));
}

template <id Node, id Edge>
void part_columns<Node, Edge>::deal_by_type(std::span<const listed_edge> found,
                                            std::span<listed_edge> to) const {
  const std::size_t types = plan_.num_edge_types();
  std::vector<std::size_t> next(types + 1);
  for (std::size_t begin = 0, end = 0; begin < found.size(); begin = end) {
    const std::size_t part = part_of_(static_cast<std::uint64_t>(found[begin].target));
    const auto bounds = plan_.edge_bounds.subspan(part * types, types + 1);
    const auto type = [&](const listed_edge& one) {
      return range_of(bounds, static_cast<std::uint64_t>(plan_.new_edge[index(one.position)]));
    };
    std::fill(next.begin(), next.end(), std::size_t{0});
    for (; end < found.size() &&
           static_cast<std::uint64_t>(found[end].target) < plan_.part_begin[part + 1];
         ++end)
      ++next[type(found[end])];
    std::size_t sum = begin;
    for (auto& one : next) sum += std::exchange(one, sum);
    for (std::size_t i = begin; i < end; ++i) to[next[type(found[i])]++] = found[i];
  }
}

#if HALOGRAPH_COMPILED
// Instantiated in the compiled library (impl/widths.ipp).
extern template class part_columns<std::uint32_t, std::uint32_t>;
extern template class part_columns<std::uint32_t, std::uint64_t>;
extern template class part_columns<std::uint64_t, std::uint64_t>;
#endif

}  // namespace halograph
