// SPDX-License-Identifier: BSL-1.0
// Chapter 5: parts in a file format of your own.
// needs: hosted
#include "town.hpp"

#include <halograph/halograph.hpp>
#include <halograph/hosted.hpp>
#include <halograph/partition/multilevel.hpp>

#include <cstddef>
#include <cstdint>
#include <iostream>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hg = halograph;

/// A file `part.streets` for each part: the numbers of nodes and edges; then sources, targets, new
/// node IDs and new edge IDs, 64 bits each, little-endian. Features are not kept.
struct street_format {
  std::string_view name() const { return "streets"; }

  hg::part_layout layout(const hg::part_description& plan) const {
    hg::layout_builder file("part.streets");
    file.number(plan.nodes).number(plan.edges);
    for (const auto what : {hg::column::coo_source, hg::column::coo_target, hg::column::edge_id})
      file.array(what, 0, hg::dtype::int64, {plan.edges});
    file.array(hg::column::node_id, 0, hg::dtype::int64, {plan.nodes});
    return {{std::move(file).finish()}, "part.streets", "", "", "", ""};
  }

  hg::loaded_structure read_structure(const hg::file_bytes& file, const std::string& path) const {
    std::size_t at = 0;
    const auto take = [&](std::uint64_t count) {
      if (count > file.bytes.size() - at)
        hg::raise(hg::error_kind::truncated, "the file is shorter than its counts require",
                  {.file = path, .byte = at});
      at += static_cast<std::size_t>(count);
      return file.bytes.subspan(at - static_cast<std::size_t>(count),
                                static_cast<std::size_t>(count));
    };
    const auto number = [&] { return hg::load_le<std::uint64_t>(take(8).data()); };
    const auto column = [&](std::uint64_t count) {
      const hg::tensor_shape shape{count};
      return hg::tensor(hg::dtype::int64, shape,
                        take(hg::layout_builder::array_bytes(hg::dtype::int64, shape)), file.owner);
    };
    hg::loaded_structure part;
    part.nodes = number();
    part.edges = number();
    hg::tensor source = column(part.edges), target = column(part.edges);
    part.coo = hg::coo_columns{std::move(source), std::move(target)};
    part.edge_columns.push_back({"_ID", column(part.edges)});
    part.node_columns.push_back({"_ID", column(part.nodes)});
    return part;
  }
  std::vector<hg::named_tensor> read_features(const hg::file_bytes&, const std::string&) const {
    return {};
  }
};
static_assert(hg::serializer<street_format>);

int main() {
  const auto town = town::build(60, 40);
  const auto made = hg::partition_graph(town, hg::multilevel{.parts = 8},
                                        hg::format_folder<street_format>{"town.streets"},
                                        {.graph_name = "town"});
  const hg::folder_access access(hg::mapped_files{}, hg::nlohmann_codec{},
                                 hg::format_set<street_format>{});
  const auto part = hg::load_partition(made.config.path, 3, access);
  std::cout << "part 3 holds " << part.graph.nodes << " nodes and " << part.graph.edges
            << " edges\nthe first is node " << part.graph.node_columns[0].value.integer(0) << '\n';
}
