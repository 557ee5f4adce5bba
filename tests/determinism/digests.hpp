// SPDX-License-Identifier: BSL-1.0
// One line for everything that must be the same on every machine, compiler, word size, byte order
// and number of threads: "what/graph/method digest". Left out is METIS alone, which draws from the
// C library's rand().
//
// A digest of numbers is XXH64 of them as 64-bit little-endian integers, so that IDs of any width
// have the same one; a digest of a file is XXH64 of its bytes.
#pragma once

#include "determinism/lines.hpp"
#include "determinism/multilevel.hpp"
#include "support/memory_folder.hpp"

#include <halograph/book/range_book.hpp>
#include <halograph/book/split.hpp>
#include <halograph/core/block_range.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/random.hpp>
#include <halograph/graph/build.hpp>
#include <halograph/graph/coo.hpp>
#include <halograph/graph/generators.hpp>
#include <halograph/graph/symmetrize.hpp>
#include <halograph/halo/expand.hpp>
#include <halograph/io/chunked/generate.hpp>
#include <halograph/io/chunked/write.hpp>
#include <halograph/io/dataset.hpp>
#include <halograph/io/formats/edge_list.hpp>
#include <halograph/io/formats/metis.hpp>
#include <halograph/partition/assign.hpp>
#include <halograph/partition/chained.hpp>
#include <halograph/partition/distributed/label_propagation.hpp>
#include <halograph/partition/fennel.hpp>
#include <halograph/partition/given.hpp>
#include <halograph/partition/hash.hpp>
#include <halograph/partition/ldg.hpp>
#include <halograph/partition/multilevel.hpp>
#include <halograph/partition/multilevel/buffered.hpp>
#include <halograph/partition/quality.hpp>
#include <halograph/partition/random.hpp>
#include <halograph/partition/range.hpp>
#include <halograph/partition/refine.hpp>
#include <halograph/pipeline/partition_graph.hpp>
#include <halograph/relabel/order.hpp>
#include <halograph/relabel/relabel_edges.hpp>
#include <halograph/relabel/relabeling.hpp>
#include <halograph/serial/dgl/serializer.hpp>
#include <halograph/serial/digest.hpp>
#include <halograph/serial/native.hpp>
#include <halograph/serial/npy.hpp>
#include <halograph/serial/text/numbers.hpp>
#include <halograph/testing/distributed_pieces.hpp>
#include <halograph/testing/thread_ranks.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace determinism {

// ---- graphs and policies: those of examples/embedded/cut_on_chip.cpp
// ------------------------------

inline hg::generators::academic academic() {
  return hg::generators::academic({.papers = 60,
                                   .authors = 40,
                                   .institutions = 5,
                                   .authors_per_paper = 3,
                                   .citations_per_paper = 4,
                                   .seed = 1});
}

/// f(name, graph) for each graph.
template <class F>
void for_each_graph(F&& f) {
  f("grid", hg::generators::grid{.width = 12, .height = 10});
  f("rmat", hg::generators::rmat{.scale = 7, .edge_factor = 4, .seed = 1});
  f("academic", academic());
}

/// f(name, policy) for each policy of ours.
template <class Graph, class F>
void for_each_policy(const Graph& g, F&& f) {
  f("random", hg::random_parts{.parts = 4, .seed = 1});
  f("random_unbalanced", hg::random_parts{.parts = 4, .seed = 1, .balanced = false});
  f("hash", hg::hash_parts{.parts = 4, .seed = 1});
  f("range", hg::range_parts{.parts = 4});
  std::vector<hg::part_id> elsewhere(hg::num_nodes(g));
  for (std::size_t v = 0; v < elsewhere.size(); ++v) elsewhere[v] = static_cast<hg::part_id>(v % 3);
  f("given", hg::given{.parts = 3, .owners = elsewhere});
  f("multilevel", hg::multilevel{.parts = 4});
  f("multilevel_strong",
    hg::multilevel{.parts = 4, .effort = hg::multilevel_effort::strong(), .seed = 3});
  f("buffered", hg::buffered{.parts = 4});
  f("buffered_small_batch", hg::buffered{.parts = 4, .batch = 1, .seed = 3});
  f("ldg", hg::ldg{.parts = 4});
  f("ldg_all_types_as_one", hg::ldg{.parts = 4, .tolerance = 0.1, .balance_types = false});
  f("fennel", hg::fennel{.parts = 4});
  f("fennel_shuffled", hg::fennel{.parts = 4, .order = hg::stream_order::shuffled, .seed = 1});
  f("ldg_refined", hg::chained<hg::ldg, hg::label_propagation>{.parts = 4});
  f("random_rebalanced",
    hg::rebalanced<hg::random_parts>{.parts = 4, .seed = 1, .first = {.balanced = false}});
  f("hash_refined_rebalanced",
    hg::rebalanced<hg::chained<hg::hash_parts, hg::label_propagation>>{.parts = 4, .seed = 1});
}

// ---- in memory
// -----------------------------------------------------------------------------------

/// Owners, new IDs, parts with their HALO, the book's answers, and the cut.
template <class Graph>
void steps(const std::string& name, const Graph& g, const std::vector<hg::part_id>& owner,
           std::size_t parts, const any_executor& run, lines& out) {
  out.add("owner/" + name, number_digest().add_all(owner).value());
  auto plan = hg::relabel(g, owner, parts);
  // Once more, by the executor.
  const auto rows = hg::build_csc<std::uint64_t, std::uint64_t>(g);
  std::vector<std::uint64_t> part_begin(parts + 1), new_edge(rows.sources.size());
  for (std::size_t p = 0; p <= parts; ++p)
    part_begin[p] = plan.node_bounds[p * plan.num_node_types()];
  hg::check(hg::relabel_edges_into(rows.view(), std::span<const hg::part_id>(owner),
                                   std::span<const std::uint64_t>(plan.old_node),
                                   std::span<const std::uint64_t>(part_begin),
                                   std::span<const std::uint64_t>(plan.edge_type_offsets),
                                   hg::same_edge_id{}, false, std::span(plan.edge_bounds),
                                   std::span(new_edge), run),
            "edges cannot be relabeled");
  for (std::size_t e = 0; e < new_edge.size(); ++e)
    plan.old_edge[static_cast<std::size_t>(new_edge[e])] = e;
  out.add("nodes/" + name,
          number_digest().add_all(plan.old_node).add_all(plan.node_bounds).value());
  out.add("edges/" + name,
          number_digest().add_all(plan.old_edge).add_all(plan.edge_bounds).value());
  const auto in_order = [&](const char* what, const auto& order) {
    const auto other = hg::relabel(g, owner, parts, order);
    out.add(what + name, number_digest().add_all(other.old_node).add_all(other.old_edge).value());
  };
  in_order("by_degree/", hg::descending_degree{});
  in_order("breadth_first/", hg::breadth_first{});
  const auto view = rows.view();
  hg::halo_expander<hg::csc_view<std::uint64_t, std::uint64_t>> expander(
      view, std::span<const hg::part_id>(owner), parts);
  for (const unsigned hops : {1u, 2u}) {
    number_digest digest;
    for (std::size_t p = 0; p < parts; ++p) {
      const auto part = expander.expand(p, {.hops = hops});
      digest.add_all(part.nodes).add_all(part.sources).add_all(part.targets).add_all(part.edges);
    }
    out.add((hops == 1 ? "halo1/" : "halo2/") + name, digest.value());
  }
  std::vector<std::uint64_t> memory(
      hg::range_book::memory_size(parts, plan.num_node_types(), plan.num_edge_types()));
  hg::range_book book;
  hg::check(book.bind(parts, plan.num_node_types(),
                      std::span<const std::uint64_t>(plan.node_bounds), plan.num_edge_types(),
                      std::span<const std::uint64_t>(plan.edge_bounds), std::span(memory)),
            "the book cannot be bound");
  number_digest answers;
  for (std::uint64_t v = 0; v < book.nodes().size(); ++v) {
    hg::part_id part = 0;
    hg::typed_id<> typed;
    std::uint64_t local = 0;
    hg::check(book.nodes().part_of(v, part), "no owner");
    hg::check(book.nodes().to_typed(v, typed), "no type");
    hg::check(book.nodes().to_local(part, v, local), "no place");
    answers.add(part).add(typed.type).add(typed.id).add(local);
  }
  out.add("book/" + name, answers.value());
  std::uint64_t crossing = 0;
  hg::check(hg::directed_cut_into(g, std::span<const hg::part_id>(owner), crossing),
            "the cut cannot be counted");
  out.add("cut/" + name, number_digest().add(crossing).value());
  // What trainers share.
  const std::vector<std::uint8_t> mask(static_cast<std::size_t>(book.nodes().size()), 1);
  std::vector<std::uint64_t> share(mask.size());
  number_digest shares;
  for (std::size_t rank = 0; rank < 2 * parts; ++rank) {
    std::size_t size = 0;
    hg::check(hg::split_into(book.nodes(), std::nullopt, static_cast<hg::part_id>(rank / 2), mask,
                             hg::detail::no_trainers, {.rank = rank, .trainers = 2 * parts},
                             std::span(share), size),
              "nodes cannot be shared");
    shares.add_all(std::span(share).first(size));
  }
  out.add("split/" + name, shares.value());
}

// ---- files
// ---------------------------------------------------------------------------------------

/// The academic graph with a feature of every kind.
inline hg::dataset<> academic_dataset() {
  const auto g = academic();
  hg::dataset<> data;
  data.name = "academic";
  for (std::size_t t = 0; t < 3; ++t) {
    data.schema.add_node_type(std::string(hg::generators::academic::node_types[t]));
    data.node_counts.push_back(g.num_nodes(static_cast<hg::generators::academic::node_type>(t)));
  }
  for (std::size_t r = 0; r < 3; ++r) {
    const auto relation = static_cast<hg::generators::academic::relation>(r);
    data.schema.add_edge_type(
        {data.schema.node_types()[hg::generators::academic::source_types[r]],
         std::string(hg::generators::academic::relations[r]),
         data.schema.node_types()[hg::generators::academic::target_types[r]]});
    auto& columns = data.edges.emplace_back();
    std::vector<std::int16_t> weight;
    for (std::uint64_t i = 0; i < g.num_edges(relation); ++i) {
      const auto one = g.edge(relation, i);
      columns.source.push_back(one.source);
      columns.target.push_back(one.target);
      weight.push_back(static_cast<std::int16_t>(i * 37 % 1000 - 500));
    }
    data.features.edges.push_back(
        {static_cast<hg::type_id>(r), "weight", hg::tensor::from(std::move(weight))});
  }
  const auto add = [&]<class T>(hg::type_id type, const char* name, T, hg::dtype kind) {
    const std::uint64_t rows = data.node_counts[type];
    std::vector<T> values(static_cast<std::size_t>(2 * rows));
    // Exact in every type: no rounding is asked of any machine.
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<T>(i * 7 % 128);
    data.features.nodes.push_back(
        {type, name, hg::tensor::from(std::move(values), {rows, 2}, kind)});
  };
  add(0, "f64", double{}, hg::dtype::float64);
  add(0, "f32", float{}, hg::dtype::float32);
  add(1, "f16", std::uint16_t{}, hg::dtype::float16);
  add(1, "i64", std::int64_t{}, hg::dtype::int64);
  add(1, "i32", std::int32_t{}, hg::dtype::int32);
  add(2, "u8", std::uint8_t{}, hg::dtype::uint8);
  add(2, "flag", std::uint8_t{}, hg::dtype::boolean);
  data.finish();
  return data;
}

inline void add_tensor(number_digest& digest, const hg::tensor& value) {
  if (hg::is_integer(value.type())) {
    const auto count = hg::element_count(value.shape());
    for (std::size_t i = 0; i < count; ++i)
      digest.add(static_cast<std::uint64_t>(value.integer(i)));
  } else if (value.type() == hg::dtype::float32) {
    for (const float x : value.values<float>())
      digest.add(static_cast<std::uint64_t>(static_cast<std::int64_t>(x)));
  } else if (value.type() == hg::dtype::float64) {
    for (const double x : value.values<double>())
      digest.add(static_cast<std::uint64_t>(static_cast<std::int64_t>(x)));
  } else {
    for (std::size_t i = 0; i + 1 < value.bytes().size(); i += 2) {
      std::uint16_t bits = 0;
      std::memcpy(&bits, value.bytes().data() + i, 2);
      digest.add(bits);
    }
  }
}

/// The files of a partition folder, and what reading them gives.
template <class Format, class Policy>
void folder(const std::string& name, const Format& format, const hg::dataset<>& data,
            const Policy& policy, hg::partition_options options, const any_executor& run,
            lines& out) {
  shared_target<Format> target{.serializer = format};
  options.graph_name = "academic";
  options.executor = run;
  const auto owner = hg::assign(data.graph(), policy);
  static_cast<void>(hg::partition_graph(data, hg::given{.parts = policy.parts, .owners = owner},
                                        target, options));
  for (const auto& file : target.folder.names())
    out.add_bytes("file/" + name + "/" + file, target.folder(file).bytes);
  number_digest read;
  for (const auto& file : target.folder.names()) {
    const auto bytes = target.folder(file);
    if (file.find("/graph.") != std::string::npos) {
      const auto graph = format.read_structure(bytes, file);
      read.add(graph.nodes).add(graph.edges);
      if (graph.coo) {
        add_tensor(read, graph.coo->source);
        add_tensor(read, graph.coo->target);
      }
      for (const auto* rows : {&graph.csr, &graph.csc}) {
        if (!*rows) continue;
        add_tensor(read, (*rows)->offsets);
        add_tensor(read, (*rows)->neighbors);
        add_tensor(read, (*rows)->edges);
      }
      for (const auto* columns : {&graph.node_columns, &graph.edge_columns}) {
        for (const auto& one : *columns) add_tensor(read, one.value);
      }
    } else if (file.find("_feats.") != std::string::npos ||
               file.find("orig_") != std::string::npos) {
      for (const auto& one : format.read_features(bytes, file)) add_tensor(read, one.value);
    } else if (file.ends_with("_map.npy")) {
      add_tensor(read, hg::read_npy(bytes, file));
    }
  }
  out.add("read/" + name, read.value());
}

inline void files(const std::string& work, const any_executor& run, lines& out) {
  const auto data = academic_dataset();
  hg::partition_options everything;
  everything.save_mapping = everything.store_original_ids = true;
  everything.formats = hg::sparse_formats::all();
  const hg::random_parts policy{.parts = 3, .seed = 2};
  folder("dgl", hg::dgl_serializer{}, data, policy, everything, run, out);
  folder("native", hg::native_serializer{}, data, policy, everything, run, out);
  hg::partition_options two_hops;
  two_hops.hops = 2;
  folder("dgl_hash_2_hops", hg::dgl_serializer{}, data, hg::hash_parts{.parts = 3, .seed = 2},
         two_hops, run, out);
  hg::partition_options in_place;
  in_place.reshuffle = false;
  folder("dgl_in_place", hg::dgl_serializer{}, data, policy, in_place, run, out);

  // Chunked graphs, on disk: text and .npy.
  namespace fs = std::filesystem;
  const auto written = [&](const std::string& name, const auto& write) {
    const fs::path place = fs::path(work) / name;
    fs::remove_all(place);
    write(place.string());
    std::map<std::string, std::string> found;  // by name, in the order of bytes
    for (const auto& entry : fs::recursive_directory_iterator(place)) {
      if (entry.is_regular_file())
        found[fs::relative(entry.path(), place).generic_string()] = entry.path().string();
    }
    for (const auto& [file, path] : found)
      out.add_bytes("file/" + name + "/" + file, hg::read_files{}(path).bytes);
    fs::remove_all(place);
  };
  written("chunked_csv", [&](const std::string& place) {
    hg::generate_chunked(hg::make_generated("academic", academic()), place,
                         {.chunks = 2, .feature_columns = 3, .seed = 9});
  });
  written("chunked_numpy", [&](const std::string& place) {
    hg::write_chunked(data, place, {.chunks = 3, .edges = hg::edge_file_format::numpy});
  });

  // Text, read by pieces: blanks, comments and numbers of every length.
  std::string text = "# an edge list\n";
  hg::random_stream draw(4);
  for (int e = 0; e < 3000; ++e) {
    hg::append_number(text, draw.below(100000));
    text += e % 7 == 0 ? "\t " : " ";
    hg::append_number(text, draw.below(1000));
    text += ' ';
    hg::append_number(text, static_cast<std::int64_t>(draw.below(2000000)) - 1000000);
    text += e % 11 == 0 ? "\r\n" : "\n";
  }
  hg::testing::memory_folder memory;
  memory.write("edges.txt", text);
  out.add_bytes("file/text/edges.txt", memory("edges.txt").bytes);
  const auto edges = hg::read_edge_list<std::uint32_t, std::uint32_t>("edges.txt", {}, memory, run);
  number_digest read;
  read.add_all(edges.edges[0].source).add_all(edges.edges[0].target);
  for (const auto& one : edges.features.edges) {
    for (const auto& chunk : one.rows.chunks()) add_tensor(read, chunk);
  }
  out.add("read/text/edges.txt", read.value());
  memory.write("g.graph",
               "% a triangle and a tail\n4 4 011\n5 2 1 3 9\n6 1 1 3 2\n7 1 9 2 2 4 3\n8 3 3\n");
  const auto metis = hg::read_metis_graph("g.graph", memory);
  number_digest metis_read;
  metis_read.add_all(metis.edges[0].source)
      .add_all(metis.edges[0].target)
      .add_all(metis.node_weights.at(0));
  out.add("read/text/g.graph", metis_read.value());
}

// ---- the rest
// ------------------------------------------------------------------------------------

inline void small_things(lines& out) {
  hg::random_stream stream(42);
  number_digest numbers;
  for (const std::uint64_t bound :
       {1ull, 2ull, 7ull, 1000ull, 1ull << 32, (1ull << 63) + 1, ~0ull}) {
    for (int i = 0; i < 16; ++i) numbers.add(stream.below(bound));
  }
  out.add("random_stream", numbers.value());
  std::vector<std::uint32_t> cards(100);
  std::iota(cards.begin(), cards.end(), 0u);
  hg::shuffle(std::span<std::uint32_t>(cards), stream);
  out.add("shuffle", number_digest().add_all(cards).value());
  for_each_graph([&](const char* name, const auto& g) {
    number_digest digest;
    hg::visit_edges(g, [&](auto u, auto v, auto e) { digest.add(u).add(v).add(e); });
    out.add(std::string("generate/") + name, digest.value());
    const auto pairs = hg::symmetrize<std::uint32_t, std::int32_t>(g, hg::pairs_by_multiplicity{});
    out.add(std::string("symmetrize/") + name, number_digest()
                                                   .add_all(pairs.offsets)
                                                   .add_all(pairs.neighbors)
                                                   .add_all(pairs.weights)
                                                   .value());
  });
}

/// The partitioner of graphs that no rank holds whole, on as many ranks as there are threads: nodes
/// balanced, and edges beside them.
inline void on_ranks(std::size_t size, lines& out) {
  for_each_graph([&](const std::string& name, const auto& g) {
    const auto nodes = static_cast<std::uint64_t>(hg::num_nodes(g));
    std::vector<std::uint64_t> source, target, ranges;
    hg::visit_edges(g, [&](auto u, auto v, auto) {
      source.push_back(static_cast<std::uint64_t>(u));
      target.push_back(static_cast<std::uint64_t>(v));
    });
    const hg::coo_view<> edges(static_cast<std::size_t>(nodes), source, target);
    for (std::size_t r = 0; r <= size; ++r)
      ranges.push_back(r == size ? nodes : hg::block_range(nodes, r, size).begin);
    for (const std::size_t constraints : {1u, 2u}) {
      std::vector<hg::part_id> owner(static_cast<std::size_t>(nodes));
      hg::run_ranks(size, [&](const hg::thread_rank& ranks) {
        auto piece = hg::piece_of(edges, ranges, ranks.rank());
        piece.constraints = constraints;
        for (std::size_t v = 0; v < piece.view().num_nodes(); ++v) {
          piece.node_weights.push_back(1);
          if (constraints == 2)
            piece.node_weights.push_back(
                static_cast<std::int64_t>(piece.offsets[v + 1] - piece.offsets[v]));
        }
        const hg::distributed_label_propagation policy{
            .parts = 4, .tolerance = 0.05, .seed = 1, .coarsest_entries = 400};
        const auto mine = std::span(owner).subspan(static_cast<std::size_t>(ranges[ranks.rank()]),
                                                   piece.view().num_nodes());
        if (const hg::status answer = policy.assign(ranks, piece.view(), mine); !answer)
          throw std::runtime_error(policy.explain(answer));
      });
      out.add("owner/" + name +
                  (constraints == 1 ? "/distributed_label_propagation"
                                    : "/distributed_label_propagation_by_edges"),
              number_digest().add_all(owner).value());
    }
  });
}

/// Everything but large graphs (multilevel.hpp), with loops run by `run`.
/// @param work  a folder for files; left empty
inline lines all(const std::string& work, const any_executor& run) {
  lines out;
  small_things(out);
  for_each_graph([&](const std::string& graph, const auto& g) {
    for_each_policy(g, [&](const char* method, const auto& policy) {
      steps(graph + "/" + method, g, hg::assign(g, policy), static_cast<std::size_t>(policy.parts),
            run, out);
    });
    multilevel_owners(graph, g, run, out);
  });
  on_ranks(run.concurrency(), out);
  files(work, run, out);
  return out;
}

}  // namespace determinism
