// SPDX-License-Identifier: BSL-1.0
// A file format of your own: a name, a layout made from counts alone, and two readers. partition_graph writes it
// as it writes DGL's; here into memory, through a target of our own as well.
#include <halograph/halograph.hpp>

#include <cstdint>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace hg = halograph;

/// Little-endian: nodes, edges, inner nodes, then sources, targets, new node IDs, new edge IDs, as 64-bit columns.
struct flat_format {
  std::string_view name() const { return "flat"; }

  hg::part_layout layout(const hg::part_plan& plan) const {
    hg::layout_builder file("part.flat");
    file.number(plan.nodes).number(plan.edges).number(plan.inner_nodes);
    for (const auto what : {hg::column::coo_source, hg::column::coo_target}) file.array(what, 0, hg::dtype::int64, {plan.edges});
    file.array(hg::column::node_id, 0, hg::dtype::int64, {plan.nodes});
    file.array(hg::column::edge_id, 0, hg::dtype::int64, {plan.edges});
    return {{std::move(file).finish()}, "part.flat", "part.flat", "part.flat", "", ""};
  }

  hg::loaded_structure read_structure(hg::file_bytes file, const std::string& path) const {
    const auto word = [&](std::size_t i) { return hg::load_le<std::uint64_t>(file.bytes.data() + 8 * i); };
    if (file.bytes.size() < 24 || word(0) > file.bytes.size() / 8 || word(1) > file.bytes.size() / 8 ||
        file.bytes.size() != 8 * (3 + word(0) + 3 * word(1))) {
      hg::raise(hg::errc::truncated, "the file's size does not match its counts", {path, {}, {}});
    }
    const std::uint64_t nodes = word(0), edges = word(1);
    const auto column = [&](std::uint64_t first, std::uint64_t count) {
      return hg::tensor(hg::dtype::int64, {count}, file.bytes.subspan(8 * first, 8 * count), file.owner);
    };
    hg::loaded_structure part;
    part.nodes = nodes;
    part.edges = edges;
    part.coo = hg::coo_columns{column(3, edges), column(3 + edges, edges)};
    part.node_columns.push_back({"_ID", column(3 + 2 * edges, nodes)});
    part.edge_columns.push_back({"_ID", column(3 + 2 * edges + nodes, edges)});
    return part;
  }
  std::vector<hg::named_tensor> read_features(hg::file_bytes, const std::string&) const { return {}; }
};
static_assert(hg::serializer<flat_format>);

/// Files that live in memory; a commit publishes them all.
struct memory_target {
  using files = std::map<std::string, std::shared_ptr<hg::memory_sink>>;
  std::shared_ptr<files> published = std::make_shared<files>();

  struct sink {
    std::shared_ptr<hg::memory_sink> file;
    hg::status write_at(std::uint64_t offset, std::span<const std::byte> bytes) { return file->write_at(offset, bytes); }
  };
  struct output {
    std::shared_ptr<files> target;
    std::shared_ptr<files> staged = std::make_shared<files>();
    std::shared_ptr<std::mutex> lock = std::make_shared<std::mutex>();
    sink create(const std::string& name, std::uint64_t) {
      const std::lock_guard guard(*lock);
      return {(*staged)[name] = std::make_shared<hg::memory_sink>()};
    }
    void commit(const hg::json::value&) { target->swap(*staged); }
  };
  flat_format format() const { return {}; }
  output begin() const { return {published}; }
};
static_assert(hg::partition_target<memory_target>);

int main() {
  const std::vector<std::vector<std::uint32_t>> path{{1}, {2}, {3}, {4}, {5}, {}};
  const memory_target target;
  const auto result = hg::partition_graph(path, hg::feature_set{}, hg::range{.parts = 2}, target, {.graph_name = "path", .hops = 1});

  for (const auto& [name, file] : *target.published) {
    if (name.ends_with(".flat")) std::cout << name << ": " << file->bytes().size() << " bytes\n";
  }
  const auto& bytes = *target.published->at("part1/part.flat");
  const auto part = flat_format{}.read_structure({bytes.bytes(), {}}, "part1/part.flat");
  std::cout << "part 1 holds " << part.nodes << " nodes, the last of them node " << part.node_columns[0].value.integer(part.nodes - 1)
            << ", and " << part.edges << " edges\n";
  return result.report.parts[1].halo_nodes == 1 && part.edges == 3 ? 0 : 1;
}
