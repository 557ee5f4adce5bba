// SPDX-License-Identifier: BSL-1.0
// Every span core of the layers core to book that examples/embedded does not use, built as for a
// small machine: what this object needs, and who calls whom in it, is looked at by needs.sh and
// calls.sh. It also runs.
#include "embedded/cut_on_chip.hpp"

#include <halograph/book/map_book.hpp>
#include <halograph/book/range_book.hpp>
#include <halograph/book/split.hpp>
#include <halograph/core/checked_cast.hpp>
#include <halograph/core/radix_sort.hpp>
#include <halograph/core/utf8.hpp>
#include <halograph/graph/build.hpp>
#include <halograph/graph/coo.hpp>
#include <halograph/graph/generators.hpp>
#include <halograph/graph/hetero.hpp>
#include <halograph/graph/symmetrize.hpp>
#include <halograph/halo/expand.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/partition/hash.hpp>
#include <halograph/partition/ldg.hpp>
#include <halograph/partition/quality.hpp>
#include <halograph/relabel/relabel_edges.hpp>
#include <halograph/relabel/relabel_nodes.hpp>
#include <halograph/relabel/unshuffle.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/schema/type_offsets.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace hg = halograph;

namespace {

constexpr std::size_t nodes = 24, most_edges = 64, parts = 3;
using node = std::uint8_t;
using edge = std::uint16_t;
using part = std::uint8_t;
template <class T, std::size_t N>
using row = std::array<T, N>;

template <class T, std::size_t N>
std::span<T> all(row<T, N>& of) {
  return of;
}
template <class T, std::size_t N>
std::span<const T> read(const row<T, N>& of) {
  return of;
}

row<node, most_edges> source, target, sources, targets, lower;
row<edge, most_edges> names, new_edge, cut_edges, out_edge;
row<edge, nodes + 1> offsets, cut_offsets;
row<edge, nodes> cursor;
row<part, nodes> owner;
row<node, nodes> old_node, new_node, back, share, order, members, halo;
row<std::uint8_t, nodes> local, types;
row<std::uint8_t, most_edges> out_source, out_target, out_inner;
row<std::uint8_t, nodes> mask;
row<std::uint16_t, nodes> trainer;
row<std::size_t, hg::symmetrize_size(nodes, 0).positions> positions;
row<std::int32_t, most_edges> lower_weights;
row<std::uint16_t, 2 * most_edges> neighbors;
row<std::uint16_t, nodes + 1> pair_offsets;
row<std::uint16_t, most_edges> pair_lower;
row<std::int32_t, 2 * most_edges> pair_weights;
row<std::uint64_t, nodes> words;
row<std::uint64_t, 400> policy_memory;
row<std::int64_t, parts> loads;
row<std::uint64_t, parts + 1> begin;
row<std::uint64_t, 2 * parts + 1> node_bounds, edge_bounds;
row<std::uint64_t, 400> book_memory;
row<std::uint32_t, 400> tables;

bool fails(const char* step) {
  say(step);
  return false;
}

bool graphs(std::size_t& edges) {
  // Two types of 12 nodes; one relation along each axis of a grid.
  const hg::generators::grid grid{.width = 6, .height = 4};
  edges = static_cast<std::size_t>(grid.num_edges());
  if (!hg::generators::fill(grid, 0, all(source).first(edges), all(target).first(edges)))
    return fails("FAILED fill");
  const hg::coo_view<node, edge> list(nodes, read(source).first(edges), read(target).first(edges));
  if (!list.validate() || !hg::build_csc_into(list, all(offsets), all(sources), all(names)))
    return fails("FAILED build");
  hg::sort_rows_by_edge(read(offsets), all(sources), all(names));
  const hg::csc_view<node, edge> rows(read(offsets), read(sources).first(edges),
                                      read(names).first(edges));
  std::size_t pairs = 0;
  const hg::pair_scratch<std::uint16_t, std::int32_t> scratch{all(positions), all(pair_lower),
                                                              all(lower_weights)};
  if (!rows.validate() || !hg::collect_pairs(rows, hg::pairs_by_multiplicity{}, scratch, pairs) ||
      pairs != edges ||
      !hg::expand_pairs(nodes, scratch, all(pair_offsets), all(neighbors), all(pair_weights))) {
    return fails("FAILED symmetrize");
  }
  constexpr row<std::uint64_t, 3> node_begin{0, 12, 24}, edge_begin{0, 1, 2};
  constexpr row<node, 1> one{3};
  const row<hg::relation_view<node>, 2> relations{{{0, 1, one, one}, {1, 0, one, one}}};
  const hg::hetero_view<node, edge> typed(node_begin, edge_begin, relations);
  return typed.validate() && hg::num_edges(typed) == 2 ? true : fails("FAILED hetero_view");
}

bool policies(std::size_t edges) {
  const hg::coo_view<node, edge> list(nodes, read(source).first(edges), read(target).first(edges));
  // A node at a time, as it arrives.
  const hg::basic_ldg<part> policy{.parts = parts};
  const hg::stream_shape shape{nodes, edges, {}};
  hg::basic_ldg<part>::stream stream;
  if (policy.stream_scratch_size(shape) > policy_memory.size() ||
      !policy.begin(shape, all(owner), all(policy_memory), stream))
    return fails("FAILED begin");
  for (std::size_t v = 0; v < nodes; ++v) {
    if (!stream.push(v,
                     hg::each_of(read(neighbors).subspan(
                         pair_offsets[v], pair_offsets[v + 1] - std::size_t{pair_offsets[v]})))) {
      return fails("FAILED push");
    }
  }
  hg::spread measured;
  std::uint64_t crossing = 0, pairs = 0, volume = 0;
  if (!hg::check_owners(read(owner), parts) ||
      !hg::part_loads(read(owner), {}, all(loads), measured) || measured.total != nodes) {
    return fails("FAILED part_loads");
  }
  if (!hg::directed_cut_into(list, read(owner), crossing) ||
      !hg::edge_cut_into(list, read(owner), all(positions), all(lower), pairs) ||
      !hg::communication_volume_into(list, read(owner), parts, all(words), volume) ||
      crossing != pairs || volume == 0) {
    return fails("FAILED quality");
  }
  return true;
}

bool numbers(std::size_t edges) {
  constexpr row<std::uint64_t, 3> node_types{0, 12, 24};
  const row<std::uint64_t, 3> edge_types{0, 20, edges};
  const hg::csc_view<node, edge> rows(read(offsets), read(sources).first(edges),
                                      read(names).first(edges));
  if (!hg::relabel_nodes_into(read(owner), read(node_types), parts, all(node_bounds), all(old_node),
                              all(new_node)))
    return fails("FAILED relabel_nodes");
  for (std::size_t p = 0; p <= parts; ++p) begin[p] = node_bounds[2 * p];
  if (!hg::relabel_edges_into(rows, read(owner), read(old_node), read(begin), read(edge_types),
                              hg::same_edge_id{}, true, all(edge_bounds), all(new_edge))) {
    return fails("FAILED relabel_edges");
  }
  if (!hg::unshuffle(read(old_node), read(old_node), all(back)) ||
      !hg::unshuffle_bytes(read(old_node), 1, std::as_bytes(all(old_node)),
                           std::as_writable_bytes(all(back)))) {
    return fails("FAILED unshuffle");
  }
  for (std::size_t v = 0; v < nodes; ++v) {
    if (back[v] != v) return fails("FAILED: what was shuffled is not back");
  }
  // Boundaries by search and by table.
  const hg::basic_type_offsets<node> plain(read(node_types));
  if (hg::basic_type_offsets<node>::index_size(2) > tables.size() ||
      !hg::basic_type_offsets<node>::build_index(read(node_types), all(tables))) {
    return fails("FAILED build_index");
  }
  const hg::basic_type_offsets<node> quick(read(node_types), tables);
  if (!plain.validate() || !quick.to_typed(read(old_node), all(types), all(back)) ||
      !plain.to_global(1, read(order).first(12), all(back).first(12))) {
    return fails("FAILED type_offsets");
  }
  return true;
}

bool halos(std::size_t edges) {
  const hg::csc_view<node, edge> rows(read(offsets), read(sources).first(edges),
                                      read(names).first(edges));
  if (!hg::group_members_into(read(owner), parts, all(begin), all(members)) ||
      !hg::group_cut_edges_into(rows, read(owner), read(members), all(cursor), all(cut_offsets),
                                all(targets), all(cut_edges)) ||
      hg::count_cut_edges(rows, read(owner)) != cut_offsets[nodes]) {
    return fails("FAILED group");
  }
  const hg::halo_index_view<node, edge> plan{
      read(begin), read(members), {read(cut_offsets), read(targets), read(cut_edges)}};
  local.fill(hg::absent<std::uint8_t>);
  for (std::size_t p = 0; p < parts; ++p) {
    for (const bool closing : {true, false}) {
      hg::halo_counter<node> counter{all(halo)};
      const hg::halo_options options{.hops = 3, .closing_out_edges = closing};
      if (!hg::expand_into(rows, read(owner), plan, p, options, all(local), counter))
        return fails("FAILED expand");
      hg::halo_buffer<node, edge, std::uint8_t> out{all(halo), all(out_source), all(out_target),
                                                    all(out_edge), all(out_inner)};
      if (!hg::expand_into(rows, read(owner), plan, p, options, all(local), out) ||
          out.num_edges() != counter.num_edges()) {
        return fails("FAILED expand");
      }
    }
  }
  return true;
}

template <class Map>
bool questions(const Map& map) {
  node typed = 0, global = 0, place = 0;
  hg::typed_id<node> both;
  hg::part_id found = 0;
  for (std::size_t p = 0; p < parts; ++p) {
    for (std::uint64_t k = 0; k < map.count(p); ++k) {
      const node v = map.nth(p, k);
      if (!map.part_of(v, found) || found != p || !map.to_local(p, v, place) || place != k)
        return fails("FAILED part_of");
      if (!map.to_typed(v, both) || !map.to_global(both.type, both.id, global) || global != v)
        return fails("FAILED to_typed");
      if (!map.part_of(both.type, both.id, found) || found != p ||
          !map.to_local(p, both.type, both.id, typed))
        return fails("FAILED typed");
    }
    for (hg::type_id t = 0; t < 2; ++t) {
      if (map.count(p, t) != 0 && map.nth(p, t, 0) >= map.size(t)) return fails("FAILED nth");
    }
  }
  for (std::size_t i = 0; i < nodes; ++i) order[i] = static_cast<node>(nodes - 1 - i);
  if (!map.part_of(read(order), all(types)) || !map.to_typed(read(order), all(types), all(back)))
    return fails("FAILED rows of questions");
  // Shares of trainers, with and without known ones.
  mask.fill(1);
  for (std::size_t i = 0; i < nodes; ++i) trainer[i] = static_cast<std::uint16_t>(i % (2 * parts));
  std::size_t size = 0, sum = 0;
  for (std::size_t rank = 0; rank < 2 * parts; ++rank) {
    const hg::split_options options{.rank = rank, .trainers = 2 * parts};
    const auto of = static_cast<hg::part_id>(rank / 2);
    if (!hg::split_into(map, std::nullopt, of, mask, std::span<const std::uint16_t>(), options,
                        all(share), size))
      return fails("FAILED split");
    sum += size;
    if (!hg::split_into(map, std::nullopt, of, mask, trainer, options, all(share), size))
      return fails("FAILED split by trainers");
    if (!hg::split_into(map, std::optional<hg::type_id>(0), of, read(mask).first(12),
                        std::span<const std::uint16_t>(),
                        {.rank = rank, .trainers = 2 * parts, .force_even = false}, all(share),
                        size)) {
      return fails("FAILED uneven split");
    }
  }
  return sum == nodes ? true : fails("FAILED: shares do not cover the nodes");
}

bool books() {
  hg::basic_range_book<node, edge> ranges;
  const std::size_t needed = hg::basic_range_book<node, edge>::memory_size(parts, 2, 2);
  if (needed > book_memory.size() ||
      !ranges.bind(parts, 2, read(node_bounds), 2, read(edge_bounds), all(book_memory)))
    return fails("FAILED bind");
  if (!questions(ranges.nodes())) return false;
  if (hg::basic_range_book<node, edge>::index_size(parts, 2, 2) > tables.size() ||
      !ranges.bind_index(all(tables)))
    return fails("FAILED bind_index");
  if (!questions(ranges.nodes())) return false;
  hg::basic_part_map<node, part, std::uint16_t> scattered;
  static row<std::uint16_t, parts + 1> first;
  static row<node, nodes> by_part;
  constexpr row<std::uint16_t, 3> types_begin{0, 12, 24};
  if (!scattered.bind(parts, read(owner), read(types_begin), all(first), all(by_part)))
    return fails("FAILED map bind");
  return questions(scattered);
}

bool small_things() {
  row<std::uint8_t, 6> items{9, 3, 200, 3, 0, 77}, scratch{};
  if (!hg::radix_sort<8>(
          all(items), all(scratch), [](std::uint8_t i) { return std::uint64_t{i}; }, 255) ||
      items[5] != 200)
    return fails("FAILED radix_sort");
  std::uint8_t narrow = 0;
  std::uint64_t sum = 0;
  if (hg::narrow_into(300, narrow) || !hg::narrow_into(30, narrow) || !hg::add_into(1, 2, sum) ||
      hg::multiply_into(~0ull, 2, sum))
    return fails("FAILED casts");
  return hg::first_utf8("\xC3\xA4").value == 0xE4 && hg::is_safe_name("paper") &&
                 !hg::is_safe_name("a/b")
             ? true
             : fails("FAILED names");
}

}  // namespace

bool cut_on_chip() {
  std::size_t edges = 0;
  const bool right = graphs(edges) && policies(edges) && numbers(edges) && halos(edges) &&
                     books() && small_things();
  if (right) say("all is right");
  return right;
}
