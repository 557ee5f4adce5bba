// SPDX-License-Identifier: BSL-1.0
/// @file simulate_sampling.ipp
/// Bodies of the plain functions of dist/simulate_sampling.hpp.
/// Layer: dist. Words: README.md.
#pragma once

#include <halograph/book/range_book.hpp>
#include <halograph/comm/collective_errors.hpp>
#include <halograph/core/checked_cast.hpp>
#include <halograph/core/communicator.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/random.hpp>
#include <halograph/dist/block.hpp>
#include <halograph/dist/draw_exchange.hpp>
#include <halograph/dist/part_sampler.hpp>
#include <halograph/dist/sample_neighbors.hpp>
#include <halograph/dist/simulate_sampling.hpp>
#include <halograph/dist/simulation.hpp>
#include <halograph/folder/feature_cache.hpp>
#include <halograph/partition/fixed_point.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/digest.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE void simulated_batch::begin(std::span<const global_id> seeds,
                                             std::uint64_t seed_of_batch,
                                             const std::vector<simulated_type>& blank,
                                             const partition_book& book) {
  seed = seed_of_batch;
  nodes.assign(seeds.begin(), seeds.end());
  edges = 0;
  types = blank;
  for (const global_id v : nodes) ++of(book, v).seeds;
}

HALOGRAPH_INLINE void simulated_batch::draw(const neighbor_sampler& sampler, std::size_t part,
                                            sample_options hop, std::size_t layer) {
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
    neighbor_sampler::count(of(sampler.graph().book(), v).structure, place.from, drawn);
    edges += drawn;
  }
}

HALOGRAPH_INLINE void simulated_batch::take(const neighbor_sampler& sampler, global_id node,
                                            std::span<const global_id> ends) {
  for (std::size_t k = 0; k < ends.size(); k += 2) neighbors.push_back(ends[k]);
  neighbor_sampler::count(of(sampler.graph().book(), node).structure,
                          neighbor_sampler::source::other_part, ends.size() / 2);
  edges += ends.size() / 2;
}

HALOGRAPH_INLINE void simulated_batch::compact() {
  std::size_t count = 0;
  next.resize(nodes.size() + neighbors.size());
  sources.resize(neighbors.size());
  table.resize(std::max(table.size(), block_table_size(nodes.size(), neighbors.size())));
  check(to_block_into(std::span<const global_id>(nodes), std::span<const global_id>(neighbors),
                      std::span(next), count, std::span(sources), std::span(table)),
        "a batch has more than 4294967294 nodes; use smaller batches or fewer neighbors");
  next.resize(count);
  nodes.swap(next);
}

HALOGRAPH_INLINE void check_same_simulation(communicator_ref ranks,
                                            const simulation_options& options) {
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

HALOGRAPH_INLINE void share_simulation(communicator_ref ranks, simulation& out) {
  if (ranks.size() == 1) return;
  // Counts of parts of other ranks are 0, so the sums over all ranks are the counts of each part.
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

HALOGRAPH_INLINE void choose_cached(const std::vector<std::uint32_t>& fetched, std::size_t part,
                                    const partition_book& book,
                                    std::span<const simulated_type> types, std::uint64_t budget,
                                    cache_plan& plan) {
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

}  // namespace halograph::detail

namespace halograph {

HALOGRAPH_INLINE std::uint64_t simulation_memory(const dist_graph& g,
                                                 const simulation_options& options,
                                                 std::size_t threads) {
  constexpr std::uint64_t base = 8u << 20;  // the process, its libraries and buffers
  std::uint64_t keys = 0, largest = 0;
  std::uint64_t bytes = detail::saturating(g.num_nodes(), 8,
                                           base);  // how often each was fetched, twice
  for (const auto& part : g.parts()) {
    // Original IDs of nodes that are drawn from, with more than 1 hop asked of other parts, and
    // seeds; of one part in a vector that grows, sorted, and in the order of an epoch.
    const std::uint64_t halo = part.num_nodes() - part.num_inner_nodes();
    keys = detail::saturating_sum(
        keys,
        detail::saturating(part.num_inner_nodes(), 2, g.config().halo_hops < 2 ? 0 : 3 * halo));
    largest = std::max<std::uint64_t>(largest, part.num_nodes());
    if (!part_sampler::takes_stored_order(part, edge_direction::in))
      keys = detail::saturating_sum(keys, part.num_nodes() + part.num_edges());
  }
  bytes = detail::saturating(keys, 8, detail::saturating(largest, 24, bytes));
  // Of a batch the nodes, those of the next hop, the edges drawn and a table to compact them with.
  const auto& schema = g.schema();
  std::vector<std::uint64_t> batch(schema.num_node_types());  // nodes of each type
  const auto most_nodes = [&](std::size_t t) {
    return g.book().num_nodes(static_cast<type_id>(t));
  };
  for (std::size_t t = 0; t < batch.size(); ++t) batch[t] = std::min(options.batch, most_nodes(t));
  std::uint64_t drawn = 0;
  for (const std::uint64_t fanout : options.fanout) {
    drawn = 0;
    std::vector<std::uint64_t> next = batch;
    for (std::size_t r = 0; r < schema.num_edge_types(); ++r) {
      const auto type = static_cast<type_id>(r);
      const std::uint64_t edges = g.book().num_edges(type);
      if (edges == 0) continue;
      const std::uint64_t most = saturating_multiply(batch[schema.target_type(type)], fanout),
                          own = options.replace ? most : std::min(most, edges);
      std::uint64_t& sources = next[schema.source_type(type)];
      sources = detail::saturating_sum(sources, own);
      drawn = detail::saturating_sum(drawn, own);
    }
    for (std::size_t t = 0; t < batch.size(); ++t) batch[t] = std::min(next[t], most_nodes(t));
  }
  std::uint64_t all = 0;
  for (const std::uint64_t one : batch) all += one;
  const std::uint64_t of_batch = detail::saturating(all, 32, saturating_multiply(drawn, 44));
  return detail::saturating(of_batch, 2 * std::max<std::size_t>(1, threads), bytes);
}

HALOGRAPH_INLINE simulation simulate_sampling(neighbor_sampler& sampler,
                                              const std::vector<std::vector<global_id>>& seeds,
                                              const simulation_options& options, executor_ref run) {
  const auto& g = sampler.graph();
  const communicator_ref ranks = g.ranks();
  const auto& book = g.book();
  std::optional<simulation> made;
  run_collective(ranks, [&] {
    simulation& out = made.emplace();
    if (options.batch == 0 || options.epochs == 0 || options.fanout.empty()) {
      raise(error_kind::invalid_argument,
            "a simulation needs at least one seed in a batch, one epoch and one hop");
    }
    if (seeds.size() != g.num_parts()) {
      raise(error_kind::mismatch, concat({"there are seeds for ", seeds.size(),
                                          " parts; the graph has ", g.num_parts()}));
    }
    out.options = options;
    out.same_for_any_parts = sampler.knows_original_ids();
    std::vector<simulated_type> blank(g.schema().num_node_types());
    std::vector<bool> used(options.features.size());
    for (std::size_t t = 0; t < blank.size(); ++t) {
      const auto type = static_cast<type_id>(t);
      for (const auto& feature : g.nodes(type).names()) {
        const auto at = std::find(options.features.begin(), options.features.end(),
                                  concat({g.schema().node_type_name(type), "/", feature}));
        if (at == options.features.end() && !options.features.empty()) continue;
        if (at != options.features.end())
          used[static_cast<std::size_t>(at - options.features.begin())] = true;
        blank[t].row_bytes += g.nodes(type).data(feature).row_bytes();
      }
    }
    for (std::size_t i = 0; i < used.size(); ++i) {
      if (!used[i])
        raise(error_kind::not_found,
              concat({"the folder has no node feature ", graph_schema::quoted(options.features[i]),
                      "; name one as TYPE/NAME"}),
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
        raise(error_kind::exists, concat({"node ", *twice, " occurs twice among the seeds of part ",
                                          p, "; seeds must differ"}));
      }
    }
    detail::check_same_simulation(ranks, options);

    std::vector<sample_options> hops(options.fanout.size());
    for (std::size_t layer = 0; layer < hops.size(); ++layer)
      hops[layer] = {.fanout = {options.fanout[layer]}, .replace = options.replace};
    const bool alone = ranks.size() == 1;
    std::vector<detail::simulated_batch> wave(2 * std::max<std::size_t>(1, run.concurrency()));
    // All ranks process all hops of a wave of batches together; a rank that has no more takes part
    // with an empty wave.
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
    // The number of waves differs between ranks.
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
          // Sums do not depend on the order of the batches.
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

}  // namespace halograph
