// SPDX-License-Identifier: BSL-1.0
// The lines of digests.hpp that the multilevel partitioner makes: each of its options on small
// graphs, and on graphs that are large enough for every loop to be split among threads.
#pragma once

#include "determinism/lines.hpp"

#include <halograph/core/ids.hpp>
#include <halograph/core/random.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/graph/coo.hpp>
#include <halograph/graph/generators.hpp>
#include <halograph/graph/symmetrize.hpp>
#include <halograph/partition/assign.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/partition/given.hpp>
#include <halograph/partition/multilevel.hpp>
#include <halograph/partition/multilevel/buffered.hpp>
#include <halograph/pipeline/partition_graph.hpp>
#include <halograph/serial/native.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace determinism {

/// What the options of multilevel may refer to, drawn for a graph.
struct multilevel_inputs {
  std::vector<std::int64_t> weights{}, edge_weights{}, sizes{};
  std::vector<std::uint32_t> classes{};
  std::vector<hg::constraint> constraints{};
  std::vector<hg::part_id> fixed{}, from{};

  template <class Graph>
  multilevel_inputs(const Graph& g, std::uint64_t parts) {
    const auto nodes = static_cast<std::size_t>(hg::num_nodes(g));
    hg::random_stream draw(7);
    for (std::size_t v = 0; v < nodes; ++v) {
      weights.push_back(1 + static_cast<std::int64_t>(draw.below(9)));
      sizes.push_back(static_cast<std::int64_t>(draw.below(5)));
      classes.push_back(static_cast<std::uint32_t>(draw.below(3)));
      fixed.push_back(v % 50 == 3 ? static_cast<hg::part_id>(draw.below(parts))
                                  : hg::multilevel::no_part);
      // Stripes, and some nodes that are new or elsewhere.
      from.push_back(v % 11 == 0  ? hg::multilevel::no_part
                     : v % 7 == 0 ? static_cast<hg::part_id>(draw.below(parts))
                                  : static_cast<hg::part_id>(v * parts / nodes));
    }
    edge_weights.resize(static_cast<std::size_t>(hg::num_edges(g)));
    for (auto& w : edge_weights) w = 1 + static_cast<std::int64_t>(draw.below(20));
    constraints.push_back({"nodes", hg::load_view::ones(nodes), 0.05});
    constraints.push_back({"weight", weights, 0.03});
    for (std::uint32_t c = 0; c < 3; ++c)
      constraints.push_back({"class:" + std::to_string(c),
                             hg::load_view::of_class(nodes, 0, nodes, classes, c, {}), 0.05});
  }
};

/// f(name, policy) for each option that decides which code runs.
template <class Graph, class F>
void for_each_multilevel(const Graph& g, F&& f) {
  const multilevel_inputs inputs(g, 4);
  using effort = hg::multilevel_effort;
  f("fast", hg::multilevel{.parts = 4, .effort = effort::fast(), .seed = 1});
  f("constraints", hg::multilevel{.parts = 4, .seed = 1, .constraints = inputs.constraints});
  f("constraints_strong",
    hg::multilevel{
        .parts = 4, .effort = effort::strong(), .seed = 1, .constraints = inputs.constraints});
  f("edge_weights", hg::multilevel{.parts = 4, .seed = 1, .edge_weights = inputs.edge_weights});
  f("fixed", hg::multilevel{.parts = 4, .seed = 1, .fixed = inputs.fixed});
  f("from", hg::multilevel{
                .parts = 4, .seed = 1, .from = inputs.from, .max_moved = inputs.from.size() / 20});
  f("volume",
    hg::multilevel{
        .parts = 4, .objective = hg::objective::volume, .seed = 1, .node_sizes = inputs.sizes});
}

template <class Graph>
void multilevel_owners(const std::string& graph, const Graph& g, const any_executor& run,
                       lines& out) {
  for_each_multilevel(g, [&](const std::string& method, const auto& policy) {
    out.add("owner/" + graph + "/multilevel_" + method,
            number_digest().add_all(hg::assign(g, policy, run)).value());
  });
}

/// More than 65,536 nodes, from where on clusters are chosen by all threads: a mesh, and a graph of
/// skewed degrees, in which communities are found first.
inline lines large_graphs(const any_executor& run) {
  lines out;
  const auto owners = [&](const std::string& name, const auto& g, const auto& policy) {
    auto owner = hg::assign(g, policy, run);
    out.add("owner/" + name, number_digest().add_all(owner).value());
    return owner;
  };
  using effort = hg::multilevel_effort;
  const hg::generators::grid grid{.width = 260, .height = 256};
  multilevel_owners("large_grid", grid, run, out);
  owners("large_grid/multilevel_strong", grid,
         hg::multilevel{.parts = 4, .effort = effort::strong()});
  owners("large_grid/buffered", grid, hg::buffered{.parts = 4, .batch = 150000});
  const hg::generators::rmat skewed{.scale = 17, .edge_factor = 1, .seed = 1};
  owners("large_rmat/multilevel", skewed, hg::multilevel{.parts = 4});
  owners("large_rmat/multilevel_volume", skewed,
         hg::multilevel{.parts = 4, .objective = hg::objective::volume, .effort = effort::fast()});
  const auto owner = owners("large_rmat/multilevel_fast", skewed,
                            hg::multilevel{.parts = 4, .effort = effort::fast()});
  // The same parts: rows are coded and packed, whatever the order of a word's bytes.
  owners("large_rmat/multilevel_compressed", skewed,
         hg::multilevel{.parts = 4, .effort = effort::fast(), .compress = true});
  const auto pairs = hg::symmetrize<std::uint32_t, std::int32_t>(skewed,
                                                                 hg::pairs_by_multiplicity{}, run);
  out.add("symmetrize/large_rmat", number_digest()
                                       .add_all(pairs.offsets)
                                       .add_all(pairs.neighbors)
                                       .add_all(pairs.weights)
                                       .value());
  // Relabeled, and parts with their HALO.
  std::vector<std::uint64_t> source, target;
  hg::visit_edges(skewed, [&](auto u, auto v, auto) {
    source.push_back(static_cast<std::uint64_t>(u));
    target.push_back(static_cast<std::uint64_t>(v));
  });
  const hg::coo_view<> edges(static_cast<std::size_t>(hg::num_nodes(skewed)), source, target);
  const shared_target<hg::native_serializer> folder;
  hg::partition_options options;
  options.graph_name = "large";
  options.executor = run;
  static_cast<void>(
      hg::partition_graph(edges, hg::given{.parts = 4, .owners = owner}, folder, options));
  for (const auto& file : folder.folder.names())
    out.add_bytes("file/large_rmat/" + file, folder.folder(file).bytes);
  return out;
}

}  // namespace determinism
