// SPDX-License-Identifier: BSL-1.0
// A whole existing engine: its graph type, its threads and its feature store are used as they are;
// every machine maps its own part; features of HALO nodes are fetched from the owners that the
// partition book names; results come back in the engine's own order.
// needs: hosted
#include <halograph/halograph.hpp>
#include <halograph/hosted.hpp>
#include <halograph/testing/laws.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <iostream>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <variant>
#include <vector>

namespace hg = halograph;

// --- the engine as it was -------------------------------------------------------------------

namespace engine {

/// In-links of each node.
struct graph {
  using node_id = std::uint32_t;
  using edge_id = std::uint32_t;
  std::vector<std::uint32_t> first{0}, from{};

  void add_node(const std::vector<std::uint32_t>& in) {
    from.insert(from.end(), in.begin(), in.end());
    first.push_back(static_cast<std::uint32_t>(from.size()));
  }
};

/// Profiles of the nodes: four numbers each, stored in pages.
struct profiles {
  static constexpr std::size_t width = 4, rows_per_page = 50;
  std::vector<std::vector<float>> pages{};
  std::uint64_t count = 0;

  void add(const std::array<float, width>& row) {
    if (count++ % rows_per_page == 0) pages.emplace_back();
    pages.back().insert(pages.back().end(), row.begin(), row.end());
  }
  const float* row(std::uint64_t i) const {
    return pages[i / rows_per_page].data() + i % rows_per_page * width;
  }
};

/// A few threads.
struct pool {
  std::size_t threads = 2;
};

}  // namespace engine

// --- the integration ------------------------------------------------------------------------

namespace engine {

// A graph: two functions.
std::size_t num_nodes(const graph& g) { return g.first.size() - 1; }
void for_each_in_edge(const graph& g, std::uint32_t v, auto f) {
  for (std::uint32_t e = g.first[v]; e < g.first[v + 1]; ++e) f(g.from[e], e);
}

// A feature store: what a row is, and copies of rows.
struct profile_rows {
  const profiles* of = nullptr;
  std::array<std::uint64_t, 1> shape{profiles::width};

  hg::dtype type() const { return hg::dtype::float32; }
  std::uint64_t rows() const { return of->count; }
  std::span<const std::uint64_t> row_shape() const { return shape; }
  hg::status gather(std::span<const std::uint64_t> ids, std::span<std::byte> out) const {
    constexpr std::size_t bytes = profiles::width * sizeof(float);
    if (out.size() < ids.size() * bytes) return hg::status::capacity.at(ids.size() * bytes);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (ids[i] >= of->count) return hg::status::out_of_range.at(i);
      std::memcpy(out.data() + i * bytes, of->row(ids[i]), bytes);
    }
    return hg::status::ok;
  }
};

// An executor: pieces of a loop on the engine's threads.
struct executor : pool {
  std::size_t concurrency() const { return threads; }
  template <class Body>
  void parallel_for(std::size_t begin, std::size_t end, std::size_t grain, Body&& body) const {
    if (begin >= end) return;
    const std::size_t piece = std::max(
        {std::size_t{1}, grain, (end - begin + threads - 1) / threads});
    std::vector<std::thread> running;
    std::exception_ptr failure;
    std::mutex lock;
    for (std::size_t at = begin; at < end;) {
      const std::size_t stop = end - at < 2 * piece
                                   ? end
                                   : at + piece;  // a remainder would be smaller than the grain
      running.emplace_back([&, at, stop] {
        try {
          body(at, stop);
        } catch (...) {
          const std::lock_guard guard(lock);
          failure = std::current_exception();
        }
      });
      at = stop;
    }
    for (auto& thread : running) thread.join();
    if (failure) std::rethrow_exception(failure);
  }
};

static_assert(hg::in_adjacency<graph> && hg::feature_store<profile_rows> && hg::executor<executor>);

/// One machine: a part, mapped from its files.
class machine {
 public:
  machine(const std::string& config, std::size_t part)
      : loaded_(hg::load_partition(config, part)),
        inner_(static_cast<std::size_t>(book().metadata()[part].num_nodes)) {
    for (const auto& [name, rows] : loaded_.node_features) {
      if (name == "_N/profile") profile_ = rows;
    }
    for (const auto& [name, column] : loaded_.graph.node_columns) {
      if (name == "_ID") ids_ = column.values<std::int64_t>();
    }
  }

  const hg::partition_book& book() const { return std::get<hg::partition_book>(loaded_.book); }
  std::size_t inner_nodes() const { return inner_; }
  std::size_t nodes() const { return ids_.size(); }

  /// Serves another machine: rows of nodes that this one owns, by their new IDs.
  std::vector<float> answer(const std::vector<std::int64_t>& ids) const {
    const auto local = book().nid2localnid(ids, book().partid());
    std::vector<float> rows(ids.size() * profiles::width);
    hg::check(profile_.gather(std::span(local), std::as_writable_bytes(std::span(rows))),
              "a row was requested that this machine does not own");
    return rows;
  }

  /// Which HALO nodes each part owns, from the book: part -> new IDs, in the order of the HALO.
  std::map<hg::part_id, std::vector<std::int64_t>> wanted() const {
    std::map<hg::part_id, std::vector<std::int64_t>> from;
    for (std::size_t v = inner_nodes(); v < nodes(); ++v)
      from[book().nid2partid(ids_[v])].push_back(ids_[v]);
    return from;
  }

  /// For each inner node, the sum of the profiles of all nodes that link to it; rows of HALO nodes
  /// come from the other machines.
  std::vector<float> sums(std::map<hg::part_id, std::vector<float>> fetched) const {
    constexpr std::size_t width = profiles::width;
    std::vector<float> rows(nodes() * width), sum(inner_nodes() * width, 0.0f);
    std::memcpy(rows.data(), profile_.bytes().data(), profile_.bytes().size());
    std::map<hg::part_id, std::size_t> used;
    for (std::size_t v = inner_nodes(); v < nodes(); ++v) {
      const hg::part_id owner = book().nid2partid(ids_[v]);
      std::memcpy(rows.data() + v * width, fetched[owner].data() + used[owner]++ * width,
                  width * sizeof(float));
    }
    const auto& edges = *loaded_.graph.coo;  // local IDs; edges of inner nodes come first
    for (std::size_t e = 0; e < loaded_.graph.edges; ++e) {
      const auto source = static_cast<std::size_t>(edges.source.integer(e)),
                 target = static_cast<std::size_t>(edges.target.integer(e));
      if (target >= inner_nodes()) continue;
      for (std::size_t i = 0; i < width; ++i) sum[target * width + i] += rows[source * width + i];
    }
    return sum;
  }

 private:
  hg::loaded_partition loaded_;
  std::size_t inner_;
  hg::tensor profile_;
  std::vector<std::int64_t> ids_;  // new ID of each local node
};

}  // namespace engine

int main() {
  // A town of 12 x 10 crossings, neighbors linked both ways, and a profile of each.
  constexpr std::uint32_t columns = 12, lines = 10;
  engine::graph town;
  engine::profiles profiles;
  for (std::uint32_t v = 0; v < columns * lines; ++v) {
    std::vector<std::uint32_t> in;
    if (v >= columns) in.push_back(v - columns);
    if (v % columns != 0) in.push_back(v - 1);
    if (v % columns != columns - 1) in.push_back(v + 1);
    if (v + columns < columns * lines) in.push_back(v + columns);
    town.add_node(in);
    const auto number = static_cast<float>(v);
    profiles.add({1.0f, number, static_cast<float>(v % columns), static_cast<float>(v / columns)});
  }
  const engine::executor threads{{.threads = 3}};
  if (const auto kept = hg::laws::executor(threads);
      !kept.holds) {  // the law of executors, on the engine's type
    std::cout << "the pool is not an executor: " << kept.why << '\n';
    return 1;
  }

  // Once: partition the graph and write the parts in the format that loads by mapping.
  hg::basic_feature_set<engine::profile_rows> features;
  features.nodes.push_back({0, "profile", {&profiles}});
  const auto made = hg::partition_graph(town, hg::range_parts{.parts = 3},
                                        hg::native_folder{"engine_integration.parts"},
                                        {.graph_name = "town",
                                         .hops = 1,
                                         .features = features,
                                         .return_mapping = true,
                                         .executor = threads});
  std::cout << "partitioned into " << made.config.num_parts << " parts, " << made.report.edge_cut
            << " links cross\n";

  // On every machine: load its part, request the features of HALO nodes from their owners, compute.
  std::vector<engine::machine> machines;
  for (std::size_t part = 0; part < made.config.num_parts; ++part)
    machines.emplace_back("engine_integration.parts/town.json", part);
  std::vector<float> all;  // rows by new ID
  for (std::size_t part = 0; part < machines.size(); ++part) {
    std::map<hg::part_id, std::vector<float>> fetched;
    std::cout << "machine " << part << ": " << machines[part].inner_nodes() << " inner nodes";
    for (const auto& [owner, ids] : machines[part].wanted()) {
      fetched[owner] = machines[owner].answer(ids);
      std::cout << ", " << ids.size() << " rows from machine " << owner;
    }
    std::cout << '\n';
    const auto sums = machines[part].sums(std::move(fetched));
    all.insert(all.end(), sums.begin(), sums.end());
  }

  // Restore the engine's order, and compare with the engine on one machine.
  std::vector<float> restored(all.size());
  hg::check(hg::unshuffle(made.node_mapping[0], all, restored),
            "the mapping has one entry per node");
  std::size_t differ = 0;
  for (std::uint32_t v = 0; v < columns * lines; ++v) {
    std::array<float, engine::profiles::width> sum{};
    engine::for_each_in_edge(town, v, [&](std::uint32_t u, std::uint32_t) {
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += profiles.row(u)[i];
    });
    differ += std::memcmp(sum.data(), restored.data() + v * sum.size(), sizeof sum) == 0 ? 0u : 1u;
  }
  std::cout << "one machine and " << machines.size() << " machines differ in " << differ << " of "
            << columns * lines << " nodes\n";
  return differ == 0 ? 0 : 1;
}
