// SPDX-License-Identifier: BSL-1.0
// Random IDs, many at once: who owns them, what type they have, what their global ID is. The plain
// rung is a table with an entry for each node.
#include "ladder.hpp"

#include <halograph/book/range_book.hpp>
#include <halograph/core/random.hpp>
#include <halograph/schema/id_converter.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace halograph::bench {

namespace {

constexpr std::size_t all_nodes = std::size_t{1} << 20;

/// Half as many parts as ranges, two types; sizes differ by a factor of up to three.
std::vector<std::uint64_t> draw_bounds(std::size_t ranges, random_stream& draws) {
  std::vector<std::uint64_t> weights(ranges), bounds(ranges + 1, 0);
  std::uint64_t total = 0, sum = 0;
  for (auto& one : weights) total += one = 50 + draws.below(101);
  for (std::size_t i = 0; i < ranges; ++i) {
    sum += weights[i];
    bounds[i + 1] = sum * all_nodes / total;
  }
  return bounds;
}

void add_kernels(const subject& s) {
  const auto count = static_cast<double>(s.ids);
  struct columns {
    std::vector<std::int64_t> global, typed, users, back;
    std::vector<part_id> owners;
    std::vector<type_id> types;
    std::vector<std::uint32_t> table;
  };
  for (const std::size_t ranges : {std::size_t{16}, std::size_t{1024}}) {
    random_stream draws(7);
    const std::size_t parts = ranges / 2;
    const auto bounds = std::make_shared<const std::vector<std::uint64_t>>(
        draw_bounds(ranges, draws));
    graph_schema schema;
    schema.add_node_type("item");
    schema.add_node_type("user");
    schema.add_edge_type({"user", "buys", "item"});
    const auto book = std::make_shared<const partition_book>(
        schema, parts, *bounds, std::vector<std::uint64_t>(parts + 1, 0));
    // Without tables: the minimum that the caller's memory must hold.
    const auto totals = std::make_shared<std::vector<std::uint64_t>>(
        basic_range_map<std::int64_t>::totals_size(parts, 2));
    basic_range_map<std::int64_t> bare;
    check(bare.bind(parts, 2, std::span<const std::uint64_t>(*bounds), std::span(*totals)),
          "ranges");
    const auto data = std::make_shared<columns>();
    for (std::size_t i = 0; i < s.ids; ++i) {
      data->global.push_back(static_cast<std::int64_t>(draws.below(all_nodes)));
      data->users.push_back(static_cast<std::int64_t>(draws.below(book->nodes().size(1))));
    }
    data->typed.resize(s.ids);
    data->back.resize(s.ids);
    data->owners.resize(s.ids);
    data->types.resize(s.ids);
    data->table.resize(all_nodes, 1);
    const std::string behind = "_" + std::to_string(ranges);
    const double in = 8 * count;
    const auto name = [&](const char* kernel, const char* which) {
      return std::string(kernel) + behind + "/" + which;
    };
    add(s, {name("owner", "plain"), count, in, 4 * count, 1, "ID"}, [data] {
      for (std::size_t i = 0; i < data->global.size(); ++i)
        data->owners[i] = static_cast<part_id>(
            data->table[static_cast<std::size_t>(data->global[i])]);
      keep(*data->owners.data());
    });
    add(s, {name("owner", "span"), count, in, 4 * count, 1, "ID"}, [data, bare, bounds, totals] {
      check(bare.part_of(data->global, data->owners), "owners");
    });
    add(s, {name("owner", "span_with_tables"), count, in, 4 * count, 1, "ID"},
        [data, book] { check(book->nodes().part_of(data->global, data->owners), "owners"); });
    add(s, {name("owner", "full"), count, in, 4 * count, 1, "ID"},
        [data, book] { keep(book->nid2partid(data->global)); });
    add(s, {name("to_typed", "span"), count, in, 12 * count, 1, "ID"},
        [data, bare, bounds, totals] {
          check(bare.to_typed(data->global, data->types, std::span(data->typed)), "types");
        });
    add(s, {name("to_typed", "span_with_tables"), count, in, 12 * count, 1, "ID"}, [data, book] {
      check(book->nodes().to_typed(data->global, data->types, std::span(data->typed)), "types");
    });
    add(s, {name("to_typed", "full"), count, in, 12 * count, 1, "ID"},
        [data, book] { keep(book->map_to_per_ntype(data->global)); });
    add(s, {name("to_global", "span"), count, in, 8 * count, 1, "ID"},
        [data, bare, bounds, totals] {
          check(bare.to_global(1, data->users, std::span(data->back)), "IDs");
        });
    add(s, {name("to_global", "span_with_tables"), count, in, 8 * count, 1, "ID"}, [data, book] {
      check(book->nodes().to_global(1, data->users, std::span(data->back)), "IDs");
    });
    add(s, {name("to_global", "full"), count, in, 8 * count, 1, "ID"},
        [data, book] { keep(book->map_to_homo_nid(data->users, "user")); });

    // The same number of types, end to end.
    graph_schema typed;
    std::vector<std::uint64_t> counts;
    for (std::size_t t = 0; t < ranges; ++t) {
      typed.add_node_type("t" + std::to_string(t));
      counts.push_back((*bounds)[t + 1] - (*bounds)[t]);
    }
    const auto converter = std::make_shared<const id_converter>(typed, counts,
                                                                std::vector<std::uint64_t>{});
    const auto types = std::make_shared<std::vector<type_id>>(s.ids);
    const auto ids = std::make_shared<std::vector<std::uint64_t>>(s.ids);
    add(s, {name("nid_hom2het", "span"), count, in, 12 * count, 1, "ID"},
        [data, converter, types, ids] {
          check(converter->nid_hom2het(data->global, *types, std::span(*ids)), "types");
        });
    add(s, {name("nid_hom2het", "full"), count, in, 12 * count, 1, "ID"},
        [data, converter] { keep(converter->nid_hom2het(data->global)); });
  }
}

const ladder these(add_kernels);

}  // namespace
}  // namespace halograph::bench
