// SPDX-License-Identifier: BSL-1.0
/// @file simulate_sampling.hpp
/// What a trainer of each part would fetch from the others: epochs of sampling, counted, and what a
/// cache would save.
/// Layer: dist. Words: README.md.
///
/// Each part's trainer goes through its seeds in a shuffled order, batch by batch. A batch draws
/// neighbors hop by hop, and then needs a feature row for every node it has met, once. What it
/// costs:
///
/// - *structure*: nodes whose edges another part must draw, 16 bytes each and 16 for each edge that
/// comes back;
/// - *rows*: feature rows of nodes that another part owns, as many bytes as the features have.
///
/// The figures are functions of the folder and the options alone: not of threads, ranks or
/// machines. Over several ranks each works for its parts, and asks the others to draw for theirs.
#pragma once

#include <halograph/comm/collective_errors.hpp>
#include <halograph/core/communicator.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/core/random.hpp>
#include <halograph/core/status.hpp>
#include <halograph/dist/block.hpp>
#include <halograph/dist/dist_graph.hpp>
#include <halograph/dist/draw_exchange.hpp>
#include <halograph/dist/part_graph.hpp>
#include <halograph/dist/part_sampler.hpp>
#include <halograph/dist/sample_neighbors.hpp>
#include <halograph/folder/feature_cache.hpp>
#include <halograph/folder/original_ids.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/digest.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/npy.hpp>
#include <halograph/serial/tensor.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
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
  std::vector<std::uint64_t> fanout{
      10, 10};  ///< hop by hop from the seeds, for every edge type; all_neighbors takes all
  std::uint64_t batch = 1024;  ///< seeds of a batch
  std::uint64_t epochs = 1;
  bool replace = false;
  std::uint64_t seed = 0;
  /// Bytes of feature rows that each part may keep of others. Which rows to keep is learned from
  /// all epochs but the last, and what they save is measured in the last. A single epoch is
  /// measured, and one more is drawn to learn from, which no other figure counts.
  std::uint64_t cache_bytes = 0;
  std::vector<std::string>
      features{};  ///< "type/name" of the node features that are fetched; empty: all
  progress_callback on_progress{};
};

/// What one part's trainer did with nodes of one type, over all epochs.
struct simulated_type {
  std::uint64_t row_bytes = 0;  ///< of the features fetched
  std::uint64_t seeds = 0;
  std::uint64_t input_nodes = 0;  ///< nodes met by a batch, each once
  std::uint64_t remote_rows = 0;  ///< of those, other parts'
  sampling_counters structure{};  ///< nodes that edges were drawn for

  std::uint64_t remote_row_bytes() const noexcept { return remote_rows * row_bytes; }
};

/// What a cache holds, and what it saves in the last epoch, whose batches it was not chosen from.
struct simulated_cache {
  std::uint64_t rows = 0, bytes = 0;                ///< kept
  std::uint64_t remote_rows = 0, remote_bytes = 0;  ///< fetched without it
  std::uint64_t saved_rows = 0, saved_bytes = 0;    ///< of those, found in it
};

/// What one part's trainer did.
struct simulated_part {
  std::uint64_t batches = 0;
  std::uint64_t edges = 0;              ///< drawn
  std::vector<simulated_type> types{};  ///< [T]
  simulated_cache cache{};

  /// The sum of a figure over the types.
  template <class Figure>
  std::uint64_t sum(Figure&& figure) const {
    std::uint64_t all = 0;
    for (const auto& type : types) all += figure(type);
    return all;
  }
  std::uint64_t seeds() const {
    return sum([](const auto& t) { return t.seeds; });
  }
  std::uint64_t input_nodes() const {
    return sum([](const auto& t) { return t.input_nodes; });
  }
  std::uint64_t remote_rows() const {
    return sum([](const auto& t) { return t.remote_rows; });
  }
  std::uint64_t remote_row_bytes() const {
    return sum([](const auto& t) { return t.remote_row_bytes(); });
  }
  std::uint64_t remote_requests() const {
    return sum([](const auto& t) { return t.structure.remote; });
  }
  std::uint64_t structure_bytes() const {
    return sum([](const auto& t) { return t.structure.remote_bytes(); });
  }
};

/// What simulate_sampling answers.
struct simulation {
  simulation_options options{};
  /// samples of a node do not depend on how the graph was cut (original IDs are known)
  bool same_for_any_parts = false;
  std::vector<simulated_part> parts{};  ///< [P]
  cache_plan plan{};  ///< rows that each part should keep, on rank 0; empty without a budget
};

namespace detail {

/// A number of its own for each step of nested loops.
constexpr std::uint64_t nested_seed(std::uint64_t seed, std::uint64_t index) noexcept {
  return random_stream::at(seed, index).next();
}

/// A batch on its way from its seeds to the nodes whose rows it needs, hop by hop, and what was
/// counted. Memory is kept for the next one.
struct simulated_batch {
  std::uint64_t seed = 0;
  std::vector<global_id> nodes{}, neighbors{}, next{};
  std::vector<global_id> elsewhere{};  // nodes that other ranks draw for
  std::vector<std::uint32_t> sources{}, table{};
  part_sampler::scratch scratch{};
  std::uint64_t edges = 0;
  std::vector<simulated_type> types{};

  simulated_type& of(const partition_book& book, global_id node) {
    typed_id<global_id> typed{};
    static_cast<void>(book.nodes().to_typed(node, typed));
    return types[typed.type];
  }
  void begin(std::span<const global_id> seeds, std::uint64_t seed_of_batch,
             const std::vector<simulated_type>& blank, const partition_book& book) {
    seed = seed_of_batch;
    nodes.assign(seeds.begin(), seeds.end());
    edges = 0;
    types = blank;
    for (const global_id v : nodes) ++of(book, v).seeds;
  }
  /// What this rank can draw of a hop; the rest is left in `elsewhere`.
  template <class Sampler>
  void draw(const Sampler& sampler, std::size_t part, sample_options hop, std::size_t layer) {
    hop.seed = nested_seed(seed, layer);
    neighbors.clear();
    elsewhere.clear();
    for (const global_id v : nodes) {
      const auto place = sampler.locate(v, part);
      if (place.sampler == nullptr) {
        elsewhere.push_back(v);
        continue;
      }
      const std::uint64_t drawn = place.sampler->draw(
          place.local, hop, scratch, [&](global_id u, global_id) { neighbors.push_back(u); });
      Sampler::count(of(sampler.graph().book(), v).structure, place.from, drawn);
      edges += drawn;
    }
  }
  /// The answer of another rank for a node: neighbors and edges.
  template <class Sampler>
  void take(const Sampler& sampler, global_id node, std::span<const global_id> ends) {
    for (std::size_t k = 0; k < ends.size(); k += 2) neighbors.push_back(ends[k]);
    Sampler::count(of(sampler.graph().book(), node).structure, Sampler::source::other_part,
                   ends.size() / 2);
    edges += ends.size() / 2;
  }
  /// The nodes of the next hop.
  void compact() {
    std::size_t count = 0;
    next.resize(nodes.size() + neighbors.size());
    sources.resize(neighbors.size());
    table.resize(std::max(table.size(), block_table_size(nodes.size(), neighbors.size())));
    check(to_block_into(std::span<const global_id>(nodes), std::span<const global_id>(neighbors),
                        std::span(next), count, std::span(sources), std::span(table)),
          "a batch meets more than 4294967294 nodes; give a smaller batch or fewer neighbors");
    next.resize(count);
    nodes.swap(next);
  }
};

/// Does every rank say the same? Collective, inside run_collective(). @errors raises mismatch
template <communicator Communicator>
void check_same_simulation(const Communicator& ranks, const simulation_options& options) {
  if (ranks.size() == 1) return;
  std::vector<std::uint64_t> words(options.fanout);
  words.insert(words.end(), {options.batch, options.epochs, options.replace ? 1u : 0u, options.seed,
                             options.cache_bytes});
  digest64 said;
  said.update(std::as_bytes(std::span(words)));
  for (const auto& feature : options.features)
    said.update(std::as_bytes(std::span(feature))).update(std::as_bytes(std::span("/", 1)));
  require_same(ranks, said.value(), "simulates with other options than",
               "they must be the same on all ranks");
}

/// Every rank's parts, everywhere, and every rank's plan on rank 0. Collective, inside
/// run_collective().
template <communicator Communicator>
void share_simulation(const Communicator& ranks, simulation& out) {
  if (ranks.size() == 1) return;
  // Of a part that is not here the figures are 0 so far: sums over the ranks are what its rank
  // says.
  std::vector<std::uint64_t> numbers;
  const auto each = [&](auto&& see) {
    for (auto& part : out.parts) {
      see(part.batches), see(part.edges);
      for (auto& type : part.types) {
        see(type.seeds), see(type.input_nodes), see(type.remote_rows);
        for (auto* const one : {&type.structure.own, &type.structure.from_halo,
                                &type.structure.remote, &type.structure.remote_edges})
          see(*one);
      }
      for (auto* const one :
           {&part.cache.rows, &part.cache.bytes, &part.cache.remote_rows, &part.cache.remote_bytes,
            &part.cache.saved_rows, &part.cache.saved_bytes})
        see(*one);
    }
  };
  each([&](std::uint64_t& one) { numbers.push_back(one); });
  const auto lengths = gather_numbers(ranks, out.plan.size() * sizeof(cached_row));
  check_ranks(ranks.sum(numbers));
  std::size_t at = 0;
  each([&](std::uint64_t& one) { one = numbers[at++]; });
  const bool root = ranks.rank() == 0;
  std::vector<std::uint64_t> sent(ranks.size()), got(ranks.size());
  sent[0] = out.plan.size() * sizeof(cached_row);
  if (root) got = lengths;
  cache_plan whole(static_cast<std::size_t>(
      std::accumulate(got.begin(), got.end(), std::uint64_t{0}) / sizeof(cached_row)));
  check_peers(ranks);
  check_ranks(ranks.all_to_all(std::as_bytes(std::span(out.plan)), sent,
                               std::as_writable_bytes(std::span(whole)), got));
  out.plan.swap(whole);
}

/// The hottest rows that fit, by how often they were fetched, then by ID.
inline void choose_cached(const std::vector<std::uint32_t>& fetched, std::size_t part,
                          const partition_book& book, std::span<const simulated_type> types,
                          std::uint64_t budget, cache_plan& plan) {
  std::vector<global_id> hot;
  for (std::size_t v = 0; v < fetched.size(); ++v) {
    if (fetched[v] != 0) hot.push_back(static_cast<global_id>(v));
  }
  std::sort(hot.begin(), hot.end(), [&](global_id a, global_id b) {
    const auto of_a = fetched[static_cast<std::size_t>(a)],
               of_b = fetched[static_cast<std::size_t>(b)];
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

/// All nodes of a type as seeds, or of all types: [P] ascending global IDs, each of the part that
/// owns them; those of parts of other ranks are empty.
template <communicator Communicator>
std::vector<std::vector<global_id>> all_seeds(const dist_graph<Communicator>& g,
                                              std::optional<type_id> type = {}) {
  std::vector<std::vector<global_id>> seeds(g.num_parts());
  for (auto p = static_cast<std::size_t>(g.part_range().begin); p < g.part_range().end; ++p) {
    const auto nodes = type ? g.book().nodes().cell(p, *type) : g.book().nodes().range(p);
    seeds[p].resize(static_cast<std::size_t>(nodes.size()));
    std::iota(seeds[p].begin(), seeds[p].end(), static_cast<global_id>(nodes.begin));
  }
  return seeds;
}

/// The nodes of a type whose row of a feature is not zero (a mask): [P], those of parts of other
/// ranks are empty.
/// @errors raises not_found: no such feature; mismatch: not one integer or boolean for each node
template <communicator Communicator>
std::vector<std::vector<global_id>> seeds_of_feature(const dist_graph<Communicator>& g,
                                                     type_id type, std::string_view feature) {
  const auto rows = g.nodes(type).data(feature);
  if (element_count(rows.row_shape()) != 1 || !is_integer(rows.type())) {
    raise(errc::mismatch,
          "feature " + graph_schema::quoted(feature) + " has rows of dtype " +
              std::string(name(rows.type())) + " and shape " + to_string(rows.row_shape()) +
              "; to name seeds it must be one integer or boolean for each node",
          {.file = g.config().path});
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

/// The nodes of a type that a `.npy` file lists by their original IDs, such as a `train_idx`: [P]
/// ascending global IDs, those of parts of other ranks are empty.
/// @errors raises not_found: the folder holds no mapping; mismatch: not a column of integers;
///     out_of_range: no such node; exists: one is listed twice; those of the opener
template <communicator Communicator, file_opener Files, class Formats>
std::vector<std::vector<global_id>> seeds_of_file(const dist_graph<Communicator>& g, type_id type,
                                                  const std::string& path, const Files& files,
                                                  const Formats& formats) {
  const tensor listed = read_npy(files(path), path);
  if (listed.rank() != 1 || !is_integer(listed.type())) {
    raise(errc::mismatch,
          "seeds must be a column of integers, not " + std::string(name(listed.type())) +
              " of shape " + to_string(listed.shape()),
          {.file = path});
  }
  std::vector<bool> wanted(static_cast<std::size_t>(g.nodes(type).size()));
  for (std::size_t i = 0; i < listed.rows(); ++i) {
    const auto id = static_cast<std::uint64_t>(listed.integer(i));
    const auto fail = [&](errc code, const std::string& what) {
      raise(code,
            "row " + std::to_string(i) + " names node " + std::to_string(listed.integer(i)) + what,
            {.file = path});
    };
    if (id >= wanted.size())
      fail(errc::out_of_range, "; there are " + std::to_string(wanted.size()) + " of type " +
                                   graph_schema::quoted(g.schema().node_type_name(type)));
    if (wanted[static_cast<std::size_t>(id)])
      fail(errc::exists, ", which a row before names, too; each seed must be there once");
    wanted[static_cast<std::size_t>(id)] = true;
  }
  std::vector<std::vector<global_id>> seeds(g.num_parts());
  for (auto p = static_cast<std::size_t>(g.part_range().begin); p < g.part_range().end; ++p) {
    const auto original = load_original_ids(g.config(), p, {entity::node, type}, files, formats);
    const auto first = static_cast<global_id>(g.book().nodes().cell(p, type).begin);
    for (std::size_t i = 0; i < original.size(); ++i) {
      if (wanted[static_cast<std::size_t>(original[i])])
        seeds[p].push_back(first + static_cast<global_id>(i));
    }
  }
  return seeds;
}

/// Simulate epochs of sampled training on every part. Collective.
///
/// @param sampler  whose ranks each work for their parts
/// @param seeds    [P] nodes that each part's trainer trains on; its own ones, as a rule. Those of
///     other ranks' parts are not looked at
/// @param options  the same on all ranks
/// @return         figures on every rank; the plan on rank 0
/// @errors         raises, on all ranks, invalid_argument: a batch of no seeds, no epochs, no hops;
///     mismatch: not one list for each part, ranks with other options; out_of_range: a seed;
///     exists: a seed that is there twice; not_found: a feature
/// @complexity     O(edges drawn), with a cache and one epoch those of a second; 4 bytes for each
///     node of the graph, twice, 8 for each seed of a part, and two batches' nodes for each thread
/// @repeatable     yes, for any executor and number of ranks
template <communicator Communicator, executor Executor = sequential>
simulation simulate_sampling(neighbor_sampler<Communicator>& sampler,
                             const std::vector<std::vector<global_id>>& seeds,
                             const simulation_options& options, const Executor& run = {}) {
  const auto& g = sampler.graph();
  const auto& ranks = g.ranks();
  const auto& book = g.book();
  std::optional<simulation> made;
  run_collective(ranks, [&] {
    simulation& out = made.emplace();
    if (options.batch == 0 || options.epochs == 0 || options.fanout.empty()) {
      raise(errc::invalid_argument,
            "a simulation needs at least one seed in a batch, one epoch and one hop");
    }
    if (seeds.size() != g.num_parts()) {
      raise(errc::mismatch, "there are seeds for " + std::to_string(seeds.size()) +
                                " parts; the graph has " + std::to_string(g.num_parts()));
    }
    out.options = options;
    out.same_for_any_parts = sampler.knows_original_ids();
    std::vector<simulated_type> blank(g.schema().num_node_types());
    std::vector<bool> used(options.features.size());
    for (std::size_t t = 0; t < blank.size(); ++t) {
      const auto type = static_cast<type_id>(t);
      for (const auto& feature : g.nodes(type).names()) {
        const auto at = std::find(options.features.begin(), options.features.end(),
                                  g.schema().node_type_name(type) + "/" + feature);
        if (at == options.features.end() && !options.features.empty()) continue;
        if (at != options.features.end())
          used[static_cast<std::size_t>(at - options.features.begin())] = true;
        blank[t].row_bytes += g.nodes(type).data(feature).row_bytes();
      }
    }
    for (std::size_t i = 0; i < used.size(); ++i) {
      if (!used[i])
        raise(errc::not_found,
              "the folder has no node feature " + graph_schema::quoted(options.features[i]) +
                  "; name one as TYPE/NAME",
              {.file = g.config().path});
    }
    out.parts.resize(g.num_parts());
    for (auto& part : out.parts) part.types = blank;
    const id_range held = g.part_range();
    for (std::uint64_t p = held.begin; p < held.end; ++p) {
      sampler.check(seeds[static_cast<std::size_t>(p)], {});
      std::vector<global_id> sorted(seeds[static_cast<std::size_t>(p)]);
      std::sort(sorted.begin(), sorted.end());
      if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
          twice != sorted.end()) {
        raise(errc::exists, "node " + std::to_string(*twice) +
                                " is twice among the seeds of part " + std::to_string(p) +
                                "; each must be there once");
      }
    }
    detail::check_same_simulation(ranks, options);

    std::vector<sample_options> hops(options.fanout.size());
    for (std::size_t layer = 0; layer < hops.size(); ++layer)
      hops[layer] = {.fanout = {options.fanout[layer]}, .replace = options.replace};
    const bool alone = ranks.size() == 1;
    std::vector<detail::simulated_batch> wave(2 * std::max<std::size_t>(1, run.concurrency()));
    // All ranks take all hops of a wave of batches together; of none, where this one has no more.
    const auto run_wave = [&](std::size_t part, std::span<detail::simulated_batch> batches,
                              const auto& finish) {
      const auto at_once = [&](const auto& act) {
        if (batches.empty()) return;
        run.parallel_for(0, batches.size(), 1, [&](std::size_t begin, std::size_t end) {
          for (std::size_t b = begin; b < end; ++b) act(batches[b]);
        });
      };
      if (alone) {
        return at_once([&](auto& batch) {
          for (std::size_t layer = 0; layer < hops.size(); ++layer) {
            batch.draw(sampler, part, hops[layer], layer);
            batch.compact();
          }
          finish(batch);
        });
      }
      for (std::size_t layer = 0; layer < hops.size(); ++layer) {
        at_once([&](auto& batch) { batch.draw(sampler, part, hops[layer], layer); });
        std::size_t asking = 0, asked = 0, taking = 0, taken = 0;
        sampler.ask_owners(
            hops[layer], true,
            [&](std::size_t& rank, draw_request& request) {
              for (; asking < batches.size() && asked == batches[asking].elsewhere.size(); ++asking)
                asked = 0;
              if (asking == batches.size()) return false;
              request = {batches[asking].elsewhere[asked++],
                         detail::nested_seed(batches[asking].seed, layer)};
              rank = g.rank_of_node(request.node);
              return true;
            },
            [&](std::span<const global_id> ends) {
              for (; taken == batches[taking].elsewhere.size(); ++taking) taken = 0;
              batches[taking].take(sampler, batches[taking].elsewhere[taken++], ends);
            });
        at_once([](auto& batch) { batch.compact(); });
      }
      at_once(finish);
    };
    // Ranks have more or fewer waves than others.
    const auto go_on = [&](bool more) {
      if (alone) return more;
      const auto [failed, any] = halograph::ask_ranks(ranks, false, more);
      if (failed) throw collective_abort{};
      return any;
    };

    // Never judge a cache by the batches that it was chosen from.
    const std::uint64_t extra = options.cache_bytes != 0 && options.epochs == 1 ? 1 : 0;
    std::vector<std::uint32_t> learnt, measured;  // how often each node's row was fetched
    for (std::uint64_t p = held.begin; p < held.end; ++p) {
      const auto number = static_cast<std::size_t>(p);
      const auto index = static_cast<std::size_t>(p - held.begin);
      auto& part = out.parts[number];
      learnt.assign(static_cast<std::size_t>(g.num_nodes()), 0);
      const auto own = g.parts()[index].inner_nodes();
      measured.assign(learnt.size(), 0);
      for (std::uint64_t epoch = 0; epoch < options.epochs + extra; ++epoch) {
        const bool counts = epoch < options.epochs;
        auto& fetched = epoch + 1 == options.epochs ? measured : learnt;
        const std::uint64_t of_epoch = detail::nested_seed(detail::nested_seed(options.seed, epoch),
                                                           p);
        std::vector<global_id> order(seeds[number]);
        random_stream dealing(of_epoch);
        shuffle(std::span(order), dealing);
        const auto step = static_cast<std::size_t>(
            std::min<std::uint64_t>(options.batch, std::max<std::size_t>(1, order.size())));
        const std::size_t batches = (order.size() + step - 1) / step;
        if (counts) part.batches += batches;
        for (std::size_t first = 0; first < batches; first += wave.size()) {
          const auto now = std::span(wave).first(std::min(wave.size(), batches - first));
          for (std::size_t b = 0; b < now.size(); ++b) {
            const std::size_t at = (first + b) * step;
            now[b].begin(
                std::span<const global_id>(order).subspan(at, std::min(step, order.size() - at)),
                detail::nested_seed(of_epoch, first + b), blank, book);
          }
          static_cast<void>(go_on(true));
          // What batches have fetched is added up; no sum depends on who comes first.
          run_wave(index, now, [&](detail::simulated_batch& batch) {
            for (const global_id v : batch.nodes) {
              auto& type = batch.of(book, v);
              ++type.input_nodes;
              const auto id = static_cast<std::uint64_t>(v);
              if (id >= own.begin && id < own.end) continue;
              ++type.remote_rows;
              std::atomic_ref(fetched[static_cast<std::size_t>(v)])
                  .fetch_add(1, std::memory_order_relaxed);
            }
          });
          for (auto& batch : now) {
            if (!counts) break;
            part.edges += batch.edges;
            for (std::size_t t = 0; t < blank.size(); ++t) {
              part.types[t].seeds += batch.types[t].seeds;
              part.types[t].input_nodes += batch.types[t].input_nodes;
              part.types[t].remote_rows += batch.types[t].remote_rows;
              part.types[t].structure += batch.types[t].structure;
            }
          }
        }
        if (options.on_progress)
          options.on_progress({"simulate", index * (options.epochs + extra) + epoch + 1,
                               held.size() * (options.epochs + extra), "epochs"});
      }
      const std::size_t before = out.plan.size();
      if (options.cache_bytes != 0)
        detail::choose_cached(learnt, number, book, blank, options.cache_bytes, out.plan);
      const auto add = [&](global_id v, std::uint64_t& rows, std::uint64_t& bytes,
                           std::uint64_t times) {
        typed_id<global_id> typed{};
        static_cast<void>(book.nodes().to_typed(v, typed));
        rows += times;
        bytes += times * blank[typed.type].row_bytes;
      };
      for (std::size_t v = 0; v < measured.size(); ++v) {
        if (measured[v] != 0)
          add(static_cast<global_id>(v), part.cache.remote_rows, part.cache.remote_bytes,
              measured[v]);
      }
      for (std::size_t i = before; i < out.plan.size(); ++i) {
        const global_id v = out.plan[i].node;
        add(v, part.cache.rows, part.cache.bytes, 1);
        add(v, part.cache.saved_rows, part.cache.saved_bytes,
            measured[static_cast<std::size_t>(v)]);
      }
    }
    while (go_on(false)) run_wave(0, {}, [](const detail::simulated_batch&) {});
    detail::share_simulation(ranks, out);
  });
  return std::move(*made);
}

/// The figures as a document: totals and means per batch for the folder, each part and each node
/// type.
inline json::value to_json(const simulation& found, const graph_schema& schema) {
  const auto figures = [](const auto& one, std::uint64_t batches) {
    json::value out{json::object{}};
    const auto per_batch = [&](std::uint64_t sum) {
      return batches == 0 ? 0.0 : static_cast<double>(sum) / static_cast<double>(batches);
    };
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
    std::uint64_t input_nodes = 0, remote_rows = 0, remote_row_bytes = 0, remote_requests = 0,
                  structure_bytes = 0;
  };
  const auto of_type = [](const simulated_type& t) {
    return sums{t.input_nodes, t.remote_rows, t.remote_row_bytes(), t.structure.remote,
                t.structure.remote_bytes()};
  };
  const auto of_part = [](const simulated_part& p) {
    return sums{p.input_nodes(), p.remote_rows(), p.remote_row_bytes(), p.remote_requests(),
                p.structure_bytes()};
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
  for (const auto hop : found.options.fanout)
    fanout.push(hop == all_neighbors ? json::value(-1) : json::value(hop));
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
