// SPDX-License-Identifier: BSL-1.0
/// @file simulate_sampling.hpp
/// What a trainer of each part would fetch from the others: epochs of sampling, counted, and what a cache would save.
/// Layer: dist. Words: README.md.
///
/// Each part's trainer goes through its seeds in a shuffled order, batch by batch. A batch draws neighbours hop by hop, and
/// then needs a feature row for every node it has met, once. What it costs:
///
/// - *structure*: nodes whose edges another part must draw, 16 bytes each and 16 for each edge that comes back;
/// - *rows*: feature rows of nodes that another part owns, as many bytes as the features have.
///
/// The figures are functions of the folder and the options alone: not of threads or machines.
#pragma once

#include <halograph/core/communicator.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/random.hpp>
#include <halograph/core/status.hpp>
#include <halograph/dist/block.hpp>
#include <halograph/dist/dist_graph.hpp>
#include <halograph/dist/part_graph.hpp>
#include <halograph/dist/part_sampler.hpp>
#include <halograph/dist/sample_neighbors.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/pipeline/feature_cache.hpp>
#include <halograph/pipeline/original_ids.hpp>
#include <halograph/pipeline/report.hpp>
#include <halograph/serial/file.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/npy.hpp>
#include <halograph/serial/tensor.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

/// What is simulated.
struct simulation_options {
  std::vector<std::uint64_t> fanout{10, 10};  ///< hop by hop from the seeds, for every edge type; all_neighbours takes all
  std::uint64_t batch = 1024;                 ///< seeds of a batch
  std::uint64_t epochs = 1;
  bool replace = false;
  std::uint64_t seed = 0;
  /// Bytes of feature rows that each part may keep of others. Which rows is learnt from all epochs but the last, and what
  /// they save is measured in the last; of one epoch alone both are that one's, so the saving is an upper bound.
  std::uint64_t cache_bytes = 0;
  std::vector<std::string> features{};  ///< "type/name" of the node features that are fetched; empty: all
  progress_callback on_progress{};
};

/// What one part's trainer did with nodes of one type, over all epochs.
struct simulated_type {
  std::uint64_t row_bytes = 0;      ///< of the features fetched
  std::uint64_t seeds = 0;
  std::uint64_t input_nodes = 0;    ///< nodes met by a batch, each once
  std::uint64_t remote_rows = 0;    ///< of those, other parts'
  sampling_counters structure{};    ///< nodes that edges were drawn for

  std::uint64_t remote_row_bytes() const noexcept { return remote_rows * row_bytes; }
};

/// What a cache holds and saves, counted in one epoch.
struct simulated_cache {
  std::uint64_t rows = 0, bytes = 0;              ///< kept
  std::uint64_t remote_rows = 0, remote_bytes = 0; ///< fetched without it
  std::uint64_t saved_rows = 0, saved_bytes = 0;   ///< of those, found in it
};

/// What one part's trainer did.
struct simulated_part {
  std::uint64_t batches = 0;
  std::uint64_t edges = 0;  ///< drawn
  std::vector<simulated_type> types{};  ///< [T]
  simulated_cache cache{};

  /// The sum of a figure over the types.
  template <class Figure>
  std::uint64_t sum(Figure&& figure) const {
    std::uint64_t all = 0;
    for (const auto& type : types) all += figure(type);
    return all;
  }
  std::uint64_t seeds() const { return sum([](const auto& t) { return t.seeds; }); }
  std::uint64_t input_nodes() const { return sum([](const auto& t) { return t.input_nodes; }); }
  std::uint64_t remote_rows() const { return sum([](const auto& t) { return t.remote_rows; }); }
  std::uint64_t remote_row_bytes() const { return sum([](const auto& t) { return t.remote_row_bytes(); }); }
  std::uint64_t remote_requests() const { return sum([](const auto& t) { return t.structure.remote; }); }
  std::uint64_t structure_bytes() const { return sum([](const auto& t) { return t.structure.remote_bytes(); }); }
};

/// What simulate_sampling answers.
struct simulation {
  simulation_options options{};
  bool same_for_any_parts = false;         ///< samples of a node do not depend on how the graph was cut (original IDs are known)
  std::vector<simulated_part> parts{};     ///< [P]
  cache_plan plan{};                       ///< rows that each part should keep; empty without a budget
};

namespace detail {

/// Memory of one thread of a simulation, and what it has counted.
struct simulation_worker {
  std::vector<global_id> nodes{}, neighbours{}, next{};
  std::vector<std::uint32_t> sources{}, table{};
  part_sampler::scratch scratch{};
  std::uint64_t edges = 0;
  std::vector<simulated_type> types{};
};

/// A number of its own for each step of nested loops.
constexpr std::uint64_t nested_seed(std::uint64_t seed, std::uint64_t index) noexcept { return random_stream::at(seed, index).next(); }

/// One batch: from seeds to the nodes whose rows it needs, which are left in worker.nodes.
template <class Sampler>
void simulate_batch(const Sampler& sampler, std::size_t part, std::span<const global_id> seeds, const simulation_options& options, std::uint64_t seed,
                    simulation_worker& worker) {
  const auto& nodes = sampler.graph().book().nodes();
  worker.nodes.assign(seeds.begin(), seeds.end());
  sample_options hop;
  hop.replace = options.replace;
  for (std::size_t layer = 0; layer < options.fanout.size(); ++layer) {
    hop.fanout.assign(1, options.fanout[layer]);
    hop.seed = nested_seed(seed, layer);
    worker.neighbours.clear();
    for (const global_id v : worker.nodes) {
      const auto place = sampler.locate(v, part);
      const std::uint64_t drawn = place.sampler->draw(place.local, hop, worker.scratch, [&](global_id u, global_id) { worker.neighbours.push_back(u); });
      typed_id<global_id> typed{};
      static_cast<void>(nodes.to_typed(v, typed));
      Sampler::count(worker.types[typed.type].structure, place.from, drawn);
      worker.edges += drawn;
    }
    std::size_t count = 0;
    worker.next.resize(worker.nodes.size() + worker.neighbours.size());
    worker.sources.resize(worker.neighbours.size());
    worker.table.resize(std::max(worker.table.size(), block_table_size(worker.nodes.size(), worker.neighbours.size())));
    check(to_block_into(std::span<const global_id>(worker.nodes), std::span<const global_id>(worker.neighbours), std::span(worker.next), count,
                        std::span(worker.sources), std::span(worker.table)),
          "a batch meets more than 4294967294 nodes; give a smaller batch or fewer neighbours");
    worker.next.resize(count);
    worker.nodes.swap(worker.next);
  }
}

/// The hottest rows that fit, by how often they were fetched, then by ID.
inline void choose_cached(const std::vector<std::uint32_t>& fetched, std::size_t part, const partition_book& book, std::span<const simulated_type> types,
                          std::uint64_t budget, cache_plan& plan) {
  std::vector<global_id> hot;
  for (std::size_t v = 0; v < fetched.size(); ++v) {
    if (fetched[v] != 0) hot.push_back(static_cast<global_id>(v));
  }
  std::sort(hot.begin(), hot.end(), [&](global_id a, global_id b) {
    const auto of_a = fetched[static_cast<std::size_t>(a)], of_b = fetched[static_cast<std::size_t>(b)];
    return of_a != of_b ? of_a > of_b : a < b;
  });
  for (const global_id v : hot) {
    typed_id<global_id> typed{};
    static_cast<void>(book.nodes().to_typed(v, typed));
    const std::uint64_t width = types[typed.type].row_bytes;
    if (width == 0 || width > budget) continue;
    budget -= width;
    plan.push_back({static_cast<std::int64_t>(part), v, fetched[static_cast<std::size_t>(v)]});
  }
}

}  // namespace detail

/// All nodes of a type as seeds, or of all types: [P] ascending global IDs, each of the part that owns them.
template <communicator Communicator>
std::vector<std::vector<global_id>> all_seeds(const dist_graph<Communicator>& g, std::optional<type_id> type = {}) {
  std::vector<std::vector<global_id>> seeds(g.num_parts());
  for (std::size_t p = 0; p < seeds.size(); ++p) {
    const auto range = type ? g.book().nodes().cell(p, *type) : g.book().nodes().range(p);
    seeds[p].resize(static_cast<std::size_t>(range.size()));
    std::iota(seeds[p].begin(), seeds[p].end(), static_cast<global_id>(range.begin));
  }
  return seeds;
}

/// The nodes of a type whose row of a feature is not zero (a mask): [P], those of parts of other ranks are empty.
/// @errors raises not_found: no such feature; mismatch: not one integer or boolean for each node
template <communicator Communicator>
std::vector<std::vector<global_id>> seeds_of_feature(const dist_graph<Communicator>& g, type_id type, std::string_view feature) {
  const auto rows = g.nodes(type).data(feature);
  if (element_count(rows.row_shape()) != 1 || !is_integer(rows.type())) {
    raise(errc::mismatch, "feature " + graph_schema::quoted(feature) + " has rows of dtype " + std::string(name(rows.type())) + " and shape " + to_string(rows.row_shape()) +
                              "; to name seeds it must be one integer or boolean for each node", {.file = g.config().path});
  }
  std::vector<std::vector<global_id>> seeds(g.num_parts());
  for (const auto& part : g.parts()) {
    const tensor& mask = rows.of_part(part.part());
    const auto first = static_cast<global_id>(g.book().nodes().cell(part.part(), type).begin);
    for (std::size_t i = 0; i < g.nodes(type).of_part(part.part()).size(); ++i) {
      if (mask.integer(i) != 0) seeds[part.part()].push_back(first + static_cast<global_id>(i));
    }
  }
  return seeds;
}

/// The nodes of a type that a `.npy` file lists by their original IDs, such as a `train_idx`: [P] ascending global IDs.
/// @errors raises not_found: the folder holds no mapping; mismatch: not a column of integers; out_of_range: no such node;
///         exists: one is listed twice; those of the opener
template <communicator Communicator, file_opener Files, class Formats>
std::vector<std::vector<global_id>> seeds_of_file(const dist_graph<Communicator>& g, type_id type, const std::string& path, const Files& files, const Formats& formats) {
  const tensor listed = read_npy(files(path), path);
  if (listed.rank() != 1 || !is_integer(listed.type())) {
    raise(errc::mismatch, "seeds must be a column of integers, not " + std::string(name(listed.type())) + " of shape " + to_string(listed.shape()), {.file = path});
  }
  std::vector<bool> wanted(static_cast<std::size_t>(g.nodes(type).size()));
  for (std::size_t i = 0; i < listed.rows(); ++i) {
    const auto id = static_cast<std::uint64_t>(listed.integer(i));
    const auto fail = [&](errc code, const std::string& what) {
      raise(code, "row " + std::to_string(i) + " names node " + std::to_string(listed.integer(i)) + what, {.file = path});
    };
    if (id >= wanted.size()) fail(errc::out_of_range, "; there are " + std::to_string(wanted.size()) + " of type " + graph_schema::quoted(g.schema().node_type_name(type)));
    if (wanted[static_cast<std::size_t>(id)]) fail(errc::exists, ", which a row before names, too; each seed must be there once");
    wanted[static_cast<std::size_t>(id)] = true;
  }
  std::vector<std::vector<global_id>> seeds(g.num_parts());
  for (std::size_t p = 0; p < seeds.size(); ++p) {
    const auto original = load_original_ids(g.config(), p, {entity::node, type}, files, formats);
    const auto first = static_cast<global_id>(g.book().nodes().cell(p, type).begin);
    for (std::size_t i = 0; i < original.size(); ++i) {
      if (wanted[static_cast<std::size_t>(original[i])]) seeds[p].push_back(first + static_cast<global_id>(i));
    }
  }
  return seeds;
}

/// Simulate epochs of sampled training on every part.
///
/// @param sampler  over all parts in one process
/// @param seeds    [P] nodes that each part's trainer trains on; its own ones, as a rule
/// @errors         raises invalid_argument: a batch of no seeds, no epochs, no hops; mismatch: not one list for each part;
///                 out_of_range: a seed; exists: a seed that is there twice; not_found: a feature
/// @complexity     O(edges drawn); 4 bytes for each node of the graph, twice, and a batch's nodes for each thread
/// @repeatable     yes, for any executor
template <executor Executor = sequential>
simulation simulate_sampling(const neighbor_sampler<single_rank>& sampler, const std::vector<std::vector<global_id>>& seeds, const simulation_options& options,
                             const Executor& run = {}) {
  const auto& g = sampler.graph();
  const auto& book = g.book();
  if (options.batch == 0 || options.epochs == 0 || options.fanout.empty()) {
    raise(errc::invalid_argument, "a simulation needs at least one seed in a batch, one epoch and one hop");
  }
  if (seeds.size() != g.num_parts()) {
    raise(errc::mismatch, "there are seeds for " + std::to_string(seeds.size()) + " parts; the graph has " + std::to_string(g.num_parts()));
  }
  simulation out;
  out.options = options;
  out.same_for_any_parts = sampler.knows_original_ids();
  std::vector<simulated_type> blank(g.schema().num_node_types());
  std::vector<bool> used(options.features.size());
  for (std::size_t t = 0; t < blank.size(); ++t) {
    const auto type = static_cast<type_id>(t);
    for (const auto& feature : g.nodes(type).names()) {
      const auto at = std::find(options.features.begin(), options.features.end(), g.schema().node_type_name(type) + "/" + feature);
      if (at == options.features.end() && !options.features.empty()) continue;
      if (at != options.features.end()) used[static_cast<std::size_t>(at - options.features.begin())] = true;
      blank[t].row_bytes += g.nodes(type).data(feature).row_bytes();
    }
  }
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (!used[i]) raise(errc::not_found, "the folder has no node feature " + graph_schema::quoted(options.features[i]) + "; name one as TYPE/NAME", {.file = g.config().path});
  }

  std::vector<std::uint32_t> learnt, measured;  // how often each node's row was fetched
  for (std::size_t p = 0; p < seeds.size(); ++p) {
    sampler.check(seeds[p], {});
    std::vector<global_id> sorted(seeds[p]);
    std::sort(sorted.begin(), sorted.end());
    if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end()) {
      raise(errc::exists, "node " + std::to_string(*twice) + " is twice among the seeds of part " + std::to_string(p) + "; each must be there once");
    }
    auto& part = out.parts.emplace_back();
    part.types = blank;
    learnt.assign(static_cast<std::size_t>(g.num_nodes()), 0);
    const auto own = g.parts()[p].inner_nodes();
    for (std::uint64_t epoch = 0; epoch < options.epochs; ++epoch) {
      const bool last = epoch + 1 == options.epochs;
      if (last && epoch != 0) measured.assign(learnt.size(), 0);
      auto& fetched = last && epoch != 0 ? measured : learnt;
      const std::uint64_t of_epoch = detail::nested_seed(detail::nested_seed(options.seed, epoch), p);
      std::vector<global_id> order(seeds[p]);
      random_stream dealing(of_epoch);
      shuffle(std::span(order), dealing);
      const auto step = static_cast<std::size_t>(std::min<std::uint64_t>(options.batch, std::max<std::size_t>(1, order.size())));
      const std::size_t batches = (order.size() + step - 1) / step;
      part.batches += batches;
      std::mutex adding;
      // What threads have counted is added up; no sum depends on who comes first.
      run.parallel_for(0, batches, std::max<std::size_t>(1, batches / (4 * std::max<std::size_t>(1, run.concurrency()))), [&](std::size_t begin, std::size_t end) {
        detail::simulation_worker worker;
        worker.types = blank;
        for (std::size_t b = begin; b < end; ++b) {
          const auto batch = std::span<const global_id>(order).subspan(b * step, std::min(step, order.size() - b * step));
          typed_id<global_id> typed{};
          for (const global_id v : batch) {
            static_cast<void>(book.nodes().to_typed(v, typed));
            ++worker.types[typed.type].seeds;
          }
          detail::simulate_batch(sampler, p, batch, options, detail::nested_seed(of_epoch, b), worker);
          for (const global_id v : worker.nodes) {
            static_cast<void>(book.nodes().to_typed(v, typed));
            ++worker.types[typed.type].input_nodes;
            const auto id = static_cast<std::uint64_t>(v);
            if (id >= own.begin && id < own.end) continue;
            ++worker.types[typed.type].remote_rows;
            std::atomic_ref(fetched[static_cast<std::size_t>(v)]).fetch_add(1, std::memory_order_relaxed);
          }
        }
        const std::lock_guard lock(adding);
        part.edges += worker.edges;
        for (std::size_t t = 0; t < blank.size(); ++t) {
          part.types[t].seeds += worker.types[t].seeds;
          part.types[t].input_nodes += worker.types[t].input_nodes;
          part.types[t].remote_rows += worker.types[t].remote_rows;
          part.types[t].structure += worker.types[t].structure;
        }
      });
      if (options.on_progress) options.on_progress({"simulate", p * options.epochs + epoch + 1, seeds.size() * options.epochs, "epochs"});
    }
    const std::size_t before = out.plan.size();
    if (options.cache_bytes != 0) detail::choose_cached(learnt, p, book, blank, options.cache_bytes, out.plan);
    const auto& counted = options.epochs == 1 ? learnt : measured;
    const auto add = [&](global_id v, std::uint64_t& rows, std::uint64_t& bytes, std::uint64_t times) {
      typed_id<global_id> typed{};
      static_cast<void>(book.nodes().to_typed(v, typed));
      rows += times;
      bytes += times * blank[typed.type].row_bytes;
    };
    for (std::size_t v = 0; v < counted.size(); ++v) {
      if (counted[v] != 0) add(static_cast<global_id>(v), part.cache.remote_rows, part.cache.remote_bytes, counted[v]);
    }
    for (std::size_t i = before; i < out.plan.size(); ++i) {
      const global_id v = out.plan[i].node;
      add(v, part.cache.rows, part.cache.bytes, 1);
      add(v, part.cache.saved_rows, part.cache.saved_bytes, counted[static_cast<std::size_t>(v)]);
    }
  }
  return out;
}

/// The figures as a document: totals and means per batch for the folder, each part and each node type.
inline json::value to_json(const simulation& found, const graph_schema& schema) {
  const auto figures = [](const auto& one, std::uint64_t batches) {
    json::value out{json::object{}};
    const auto per_batch = [&](std::uint64_t sum) { return batches == 0 ? 0.0 : static_cast<double>(sum) / static_cast<double>(batches); };
    out.set("input_nodes", one.input_nodes);
    out.set("remote_rows", one.remote_rows);
    out.set("remote_row_bytes", one.remote_row_bytes);
    out.set("remote_requests", one.remote_requests);
    out.set("structure_bytes", one.structure_bytes);
    out.set("remote_rows_per_batch", per_batch(one.remote_rows));
    out.set("remote_row_bytes_per_batch", per_batch(one.remote_row_bytes));
    out.set("remote_requests_per_batch", per_batch(one.remote_requests));
    out.set("structure_bytes_per_batch", per_batch(one.structure_bytes));
    return out;
  };
  struct sums {
    std::uint64_t input_nodes = 0, remote_rows = 0, remote_row_bytes = 0, remote_requests = 0, structure_bytes = 0;
  };
  const auto of_type = [](const simulated_type& t) {
    return sums{t.input_nodes, t.remote_rows, t.remote_row_bytes(), t.structure.remote, t.structure.remote_bytes()};
  };
  const auto of_part = [](const simulated_part& p) {
    return sums{p.input_nodes(), p.remote_rows(), p.remote_row_bytes(), p.remote_requests(), p.structure_bytes()};
  };
  const auto cache = [](const simulated_cache& one) {
    json::value out{json::object{}};
    out.set("rows", one.rows);
    out.set("bytes", one.bytes);
    out.set("remote_rows", one.remote_rows);
    out.set("remote_bytes", one.remote_bytes);
    out.set("saved_rows", one.saved_rows);
    out.set("saved_bytes", one.saved_bytes);
    return out;
  };
  sums all;
  simulated_cache kept;
  std::uint64_t batches = 0;
  std::vector<std::uint64_t> edges, inputs;
  json::value parts{json::array{}};
  for (const auto& part : found.parts) {
    const sums own = of_part(part);
    all.input_nodes += own.input_nodes;
    all.remote_rows += own.remote_rows;
    all.remote_row_bytes += own.remote_row_bytes;
    all.remote_requests += own.remote_requests;
    all.structure_bytes += own.structure_bytes;
    kept.rows += part.cache.rows;
    kept.bytes += part.cache.bytes;
    kept.remote_rows += part.cache.remote_rows;
    kept.remote_bytes += part.cache.remote_bytes;
    kept.saved_rows += part.cache.saved_rows;
    kept.saved_bytes += part.cache.saved_bytes;
    batches += part.batches;
    edges.push_back(part.edges);
    inputs.push_back(part.input_nodes());
    json::value one{json::object{}};
    one.set("batches", part.batches);
    one.set("seeds", part.seeds());
    one.set("edges", part.edges);
    const json::value of_it = figures(own, part.batches);
    for (const auto& [key, value] : *of_it.if_object()) one.set(key, value);
    json::value types{json::object{}};
    for (std::size_t t = 0; t < part.types.size(); ++t) {
      const auto& type = part.types[t];
      json::value entry{json::object{}};
      entry.set("row_bytes", type.row_bytes);
      entry.set("seeds", type.seeds);
      const json::value of_this = figures(of_type(type), part.batches);
      for (const auto& [key, value] : *of_this.if_object()) entry.set(key, value);
      entry.set("drawn_own", type.structure.own);
      entry.set("drawn_from_halo", type.structure.from_halo);
      types.set(schema.node_type_name(static_cast<type_id>(t)), std::move(entry));
    }
    one.set("types", std::move(types));
    one.set("cache", cache(part.cache));
    parts.push(std::move(one));
  }
  const auto imbalance = [](const std::vector<std::uint64_t>& loads) {
    spread load{0, 0, loads.size()};
    for (const auto one : loads) {
      load.total += static_cast<std::int64_t>(one);
      load.largest = std::max(load.largest, static_cast<std::int64_t>(one));
    }
    return load.imbalance();
  };
  json::value out{json::object{}}, fanout{json::array{}}, features{json::array{}};
  for (const auto hop : found.options.fanout) fanout.push(hop == all_neighbours ? json::value(-1) : json::value(hop));
  for (const auto& feature : found.options.features) features.push(feature);
  out.set("fanout", std::move(fanout));
  out.set("replace", found.options.replace);
  out.set("batch", found.options.batch);
  out.set("epochs", found.options.epochs);
  out.set("seed", found.options.seed);
  out.set("features", std::move(features));
  out.set("cache_bytes", found.options.cache_bytes);
  out.set("same_for_any_parts", found.same_for_any_parts);
  out.set("batches", batches);
  const json::value whole = figures(all, batches);
  for (const auto& [key, value] : *whole.if_object()) out.set(key, value);
  out.set("edges", std::accumulate(edges.begin(), edges.end(), std::uint64_t{0}));
  out.set("edge_imbalance", imbalance(edges));
  out.set("input_imbalance", imbalance(inputs));
  out.set("cache", cache(kept));
  out.set("parts", std::move(parts));
  return out;
}

}  // namespace halograph
