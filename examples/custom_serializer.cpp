// SPDX-License-Identifier: BSL-1.0
// A file format of your own: a name, a layout made from counts alone, and two readers.
// partition_graph writes it, with features, as it writes DGL's files; here into memory, through a
// custom target, and load_partition_feats reads it.
#include <halograph/folder/load.hpp>
#include <halograph/halograph.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hg = halograph;

/// One file per part. Little-endian: nodes, edges, node features, edge features; then sources,
/// targets, new node IDs and new edge IDs, as 64-bit columns; then each feature: length of its key,
/// dtype, dimensions, each dimension, key, rows.
struct flat_format {
  std::string_view name() const { return "flat"; }

  hg::part_layout layout(const hg::part_description& plan) const {
    hg::layout_builder file("part.flat");
    file.number(plan.nodes)
        .number(plan.edges)
        .number(std::uint64_t{plan.node_features.size()})
        .number(std::uint64_t{plan.edge_features.size()});
    for (const auto what : {hg::column::coo_source, hg::column::coo_target})
      file.array(what, 0, hg::dtype::int64, {plan.edges});
    file.array(hg::column::node_id, 0, hg::dtype::int64, {plan.nodes});
    file.array(hg::column::edge_id, 0, hg::dtype::int64, {plan.edges});
    const auto add = [&](hg::column what, const std::vector<hg::feature_plan>& features) {
      for (std::size_t i = 0; i < features.size(); ++i) {
        const auto& [key, type, shape] = features[i];
        file.number(std::uint64_t{key.size()})
            .number(static_cast<std::uint64_t>(type))
            .number(std::uint64_t{shape.size()});
        for (const auto extent : shape) file.number(extent);
        file.text(key).align(8).array(what, i, type, shape).align(8);
      }
    };
    add(hg::column::node_feature, plan.node_features);
    add(hg::column::edge_feature, plan.edge_features);
    return {{std::move(file).finish()}, "part.flat", "part.flat", "part.flat", "", ""};
  }

  hg::loaded_structure read_structure(const hg::file_bytes& file, const std::string& path) const {
    reader in{file, path};
    hg::loaded_structure part;
    part.nodes = in.number();
    part.edges = in.number();
    in.take(16);
    const auto column = [&](std::uint64_t count) { return in.array(hg::dtype::int64, {count}); };
    hg::tensor source = column(part.edges), target = column(part.edges);
    part.coo = hg::coo_columns{std::move(source), std::move(target)};
    part.node_columns.push_back({"_ID", column(part.nodes)});
    part.edge_columns.push_back({"_ID", column(part.edges)});
    return part;
  }

  /// The third argument says which features to read, because the file holds both.
  std::vector<hg::named_tensor> read_features(const hg::file_bytes& file, const std::string& path,
                                              hg::column what) const {
    reader in{file, path};
    const std::uint64_t nodes = in.number(), edges = in.number(), of_nodes = in.number(),
                        of_edges = in.number();
    for (const auto count : {edges, edges, nodes, edges}) in.array(hg::dtype::int64, {count});
    std::vector<hg::named_tensor> out;
    for (std::uint64_t i = 0; i < of_nodes + of_edges; ++i) {
      const std::uint64_t length = in.number(), type = in.number(), dimensions = in.number();
      hg::tensor_shape shape;
      for (std::uint64_t d = 0; d < dimensions; ++d) shape.push_back(in.number());
      const auto key = in.take(length);
      in.align();
      auto rows = in.array(static_cast<hg::dtype>(std::min<std::uint64_t>(type, 255)), shape);
      in.align();
      if ((i < of_nodes) == (what == hg::column::node_feature))
        out.push_back(
            {std::string(reinterpret_cast<const char*>(key.data()), key.size()), std::move(rows)});
    }
    return out;
  }

 private:
  /// Reads a file from front to back; reading past its end is an error.
  struct reader {
    const hg::file_bytes& file;
    const std::string& path;
    std::size_t at = 0;

    std::span<const std::byte> take(std::uint64_t count) {
      if (count > file.bytes.size() - at)
        hg::raise(hg::error_kind::truncated, "the file is shorter than its counts require",
                  {.file = path, .byte = at});
      at += static_cast<std::size_t>(count);
      return file.bytes.subspan(at - static_cast<std::size_t>(count),
                                static_cast<std::size_t>(count));
    }
    std::uint64_t number() { return hg::load_le<std::uint64_t>(take(8).data()); }
    void align() { take((8 - at % 8) % 8); }
    hg::tensor array(hg::dtype type, const hg::tensor_shape& shape) {
      if (type > hg::dtype::boolean)
        hg::raise(hg::error_kind::malformed, "a feature has an unknown dtype",
                  {.file = path, .byte = at});
      return hg::tensor(type, shape, take(hg::layout_builder::array_bytes(type, shape)),
                        file.owner);
    }
  };
};
static_assert(hg::serializer<flat_format>);

/// Files in memory; a commit publishes them all.
struct memory_target {
  using files = std::map<std::string, std::shared_ptr<hg::memory_sink>>;
  std::shared_ptr<files> published = std::make_shared<files>();

  struct sink {
    std::shared_ptr<hg::memory_sink> file;
    hg::status write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
      return file->write_at(offset, bytes);
    }
  };
  struct output {
    std::shared_ptr<files> target;
    std::shared_ptr<files> staged = std::make_shared<files>();
    std::shared_ptr<std::mutex> lock = std::make_shared<std::mutex>();
    sink create(const std::string& name, std::uint64_t) {
      const std::lock_guard guard(*lock);
      return {(*staged)[name] = std::make_shared<hg::memory_sink>()};
    }
    void commit(std::string_view) { target->swap(*staged); }
  };
  flat_format format() const { return {}; }
  output begin() const { return {published}; }
};
static_assert(hg::partition_target<memory_target>);

int main() {
  const std::vector<std::vector<std::uint32_t>> path{{1}, {2}, {3}, {4}, {5}, {}};
  hg::feature_set features;
  features.nodes.push_back(
      {0, "height", hg::tensor::from(std::vector<float>{10, 11, 12, 13, 14, 15})});
  features.edges.push_back(
      {0, "length", hg::tensor::from(std::vector<std::int16_t>{1, 2, 3, 4, 5})});
  const memory_target target;
  const auto result = hg::partition_graph(path, hg::range_parts{.parts = 2}, target,
                                          {.graph_name = "path", .hops = 1, .features = features});

  for (const auto& [name, file] : *target.published) {
    if (name.ends_with(".flat")) std::cout << name << ": " << file->bytes().size() << " bytes\n";
  }
  const auto open = [&](const std::string& name) {
    return hg::file_bytes{target.published->at(name)->bytes(), {}};
  };
  const hg::format_set<flat_format> formats;
  const auto part = hg::load_partition_graph(result.config, 1, open, formats);
  std::cout << "part 1 holds " << part.nodes << " nodes, the last of them node "
            << part.node_columns[0].value.integer(part.nodes - 1) << ", and " << part.edges
            << " edges\n";
  const auto loaded = hg::load_partition_feats(result.config, 1, open, formats);
  const auto& length = loaded.edges.at(0);
  std::cout << "it owns " << loaded.nodes.at(0).value.rows() << " rows of " << loaded.nodes[0].name
            << ", and " << length.name << ':';
  for (std::size_t e = 0; e < length.value.rows(); ++e) std::cout << ' ' << length.value.integer(e);
  std::cout << '\n';
  return result.report.parts[1].halo_nodes == 1 && part.edges == 3 ? 0 : 1;
}
