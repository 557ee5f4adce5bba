// SPDX-License-Identifier: BSL-1.0
// needs: metis nlohmann_json boost_interprocess tbb zlib cli metis_clock
// uses: program
// The whole job on a list of graphs, each step beside what the machine can do in the same run: one
// table of promises, as text, Markdown and JSON, and a picture of time and memory.
#include "graphs.hpp"
#include "job.hpp"
#include "measure.hpp"
#include "metis_clock.hpp"
#include "picture.hpp"
#include "table.hpp"
#include "words.hpp"
#include "yardsticks.hpp"

#include <halograph/adapters/boost_interprocess.hpp>
#include <halograph/adapters/metis.hpp>
#include <halograph/adapters/nlohmann_json.hpp>
#include <halograph/adapters/tbb.hpp>
#include <halograph/adapters/zlib.hpp>
#include <halograph/book/range_book.hpp>
#include <halograph/core/random.hpp>
#include <halograph/folder/load.hpp>
#include <halograph/folder/targets.hpp>
#include <halograph/io/open_dataset.hpp>
#include <halograph/partition/assign.hpp>
#include <halograph/partition/random.hpp>
#include <halograph/serial/text/edges.hpp>
#include <halograph/serial/text/lines.hpp>
#include <halograph/serial/text/numbers.hpp>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace halograph::bench {

namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

struct options {
  std::vector<std::string> graphs{};
  std::string data{};
  std::uint64_t least_edges = 250000;
  std::vector<std::uint32_t> rmat{18, 20};
  std::uint64_t degree = 16;
  std::uint64_t parts = 8;
  std::vector<unsigned> hops{1, 2};
  std::size_t threads = std::max(1u, std::thread::hardware_concurrency());
  std::size_t runs = 5;
  std::size_t ids = 1000000;
  std::uint64_t folder_limit = 1500000000;  // for one output; its copy takes as much again
  std::uint64_t metis_edges = 20000000;
  double metis_least = 0.2;  // seconds from which METIS is a yardstick
  std::size_t memcpy_bytes = std::size_t{1} << 28;
  std::string scratch = "/dev/shm";
  std::string out = ".";
  std::string program{};
  std::string metis_clock{};
  time_base base = time_base::wall;
};

cost metis_cost() {
  cost out;
  halograph_metis_seconds(&out.wall, &out.cpu);
  return out;
}

/// A graph of any file or folder that the library reads.
inline edge_graph load_graph(const std::string& path, std::string name) {
  const auto data = load_dataset<narrow_id, narrow_id>(path, {.features = false},
                                                       gz_files<mapped_files>{}, nlohmann_codec{});
  edge_graph out{std::move(name), static_cast<std::size_t>(data.num_nodes()), {}, {}};
  out.source.resize(static_cast<std::size_t>(data.num_edges()));
  out.target.resize(out.source.size());
  visit_edges(data.graph(), [&](auto u, auto v, auto e) {
    out.source[index(e)] = static_cast<narrow_id>(u);
    out.target[index(e)] = static_cast<narrow_id>(v);
  });
  return out;
}

loaded_partition load_part(const std::string& config, std::size_t part) {
  return load_partition(config, part,
                        folder_access(mapped_files{}, nlohmann_codec{}, built_in_formats{}));
}

/// A temporary folder, removed by the destructor.
class scratch_folder {
 public:
  explicit scratch_folder(const std::string& parent) {
    std::string name = parent + "/halograph-bench-XXXXXX";
    if (mkdtemp(name.data()) == nullptr)
      throw std::runtime_error("cannot make a folder in " + parent);
    path_ = name;
  }
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;
  ~scratch_folder() {
    std::error_code problem;
    fs::remove_all(path_, problem);
  }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_{};
};

std::uint64_t folder_bytes(const std::string& path) {
  std::uint64_t out = 0;
  for (const auto& one : fs::recursive_directory_iterator(path)) {
    if (one.is_regular_file()) out += one.file_size();
  }
  return out;
}

class measurement {
 public:
  explicit measurement(const options& given)
      : given_(given),
        one_(1),
        many_(given.threads),
        scratch_(given.scratch),
        here_(this_machine()) {
    std::cerr << "memcpy\n";
    memcpy_one_ = memcpy_bandwidth(1, given_.memcpy_bytes, given_.base);
    memcpy_all_ = memcpy_bandwidth(given_.threads, given_.memcpy_bytes);
  }

  /// Measure look-ups again, because slow moments of a machine may last for seconds.
  void look_ups();
  void tell_look_ups();
  void measure(const edge_graph& g);
  void write() const;

 private:
  double judged(cost c) const { return seconds(c, given_.base); }
  /// One thread if processor times are compared, else all.
  const tbb_threads& threads() const { return given_.base == time_base::cpu ? one_ : many_; }
  std::vector<part_id> assign_parts(const edge_graph& g, ordered_json& about);
  void whole_program(const edge_graph& g);
  void whole_job(const edge_graph& g, std::span<const part_id> owner, unsigned hops,
                 ordered_json& about);
  void loading(const edge_graph& g, std::span<const part_id> owner);
  void text(const edge_graph& g);
  void second_core(const edge_graph& g, const std::string& step, double one, double many);
  std::uint64_t sum_of_parts(const std::string& config) const;

  const options& given_;
  tbb_threads one_, many_;
  scratch_folder scratch_;
  machine here_;
  double memcpy_one_ = 0, memcpy_all_ = 0;
  double plain_one_ = 0, plain_many_ = 0;  // of the graph at hand
  struct look_up {
    const char* step;
    std::size_t ranges;
    double nanoseconds;
  };
  std::vector<look_up> look_ups_{};
  double table_look_up_ = endless.wall;
  std::vector<target_row> rows_{};
  ordered_json graphs_ = ordered_json::array();
  std::vector<diagram> diagrams_{};
};

// ---- look-ups
// ------------------------------------------------------------------------------------

void measurement::look_ups() {
  constexpr std::size_t nodes = std::size_t{1} << 20;
  random_stream draws(7);
  std::vector<std::int64_t> global(given_.ids);
  for (auto& one : global) one = static_cast<std::int64_t>(draws.below(nodes));
  std::vector<std::uint32_t> table(nodes), found(given_.ids);
  for (std::size_t v = 0; v < nodes; ++v) table[v] = static_cast<std::uint32_t>(v % 13);
  const auto per_id = [&](const auto& work) {
    return judged(least_cost_of(given_.runs, work)) * 1e9 / static_cast<double>(given_.ids);
  };
  table_look_up_ = std::min(table_look_up_, per_id([&] {
                              for (std::size_t i = 0; i < global.size(); ++i)
                                found[i] = table[static_cast<std::size_t>(global[i])];
                              keep(*found.data());
                            }));
  std::size_t at = 0;
  for (const std::size_t ranges : {std::size_t{16}, std::size_t{1024}}) {
    // Two types; the ranges' sizes differ by a factor of up to three.
    const std::size_t parts = ranges / 2;
    std::vector<std::uint64_t> weights(ranges), bounds(ranges + 1, 0);
    std::uint64_t total = 0, sum = 0;
    for (auto& one : weights) total += one = 50 + draws.below(101);
    for (std::size_t i = 0; i < ranges; ++i) {
      sum += weights[i];
      bounds[i + 1] = sum * nodes / total;
    }
    graph_schema schema;
    schema.add_node_type("item");
    schema.add_node_type("user");
    schema.add_edge_type({"user", "buys", "item"});
    const partition_book book(schema, parts, bounds, std::vector<std::uint64_t>(parts + 1, 0));
    const auto& map = book.nodes();
    std::vector<part_id> owners(given_.ids);
    std::vector<type_id> types(given_.ids);
    std::vector<std::int64_t> typed(given_.ids), users(given_.ids), back(given_.ids);
    for (auto& one : users) one = static_cast<std::int64_t>(draws.below(map.size(1)));
    const auto row = [&](const char* step, double nanoseconds) {
      if (at == look_ups_.size()) look_ups_.push_back({step, ranges, nanoseconds});
      look_ups_[at].nanoseconds = std::min(look_ups_[at].nanoseconds, nanoseconds);
      ++at;
    };
    row("owner of a global ID", per_id([&] { check(map.part_of(global, owners), "part_of"); }));
    row("global to typed",
        per_id([&] { check(map.to_typed(global, types, std::span(typed)), "to_typed"); }));
    row("typed to global",
        per_id([&] { check(map.to_global(1, users, std::span(back)), "to_global"); }));
    keep(*owners.data());
    keep(*typed.data());
    keep(*back.data());
  }
}

void measurement::tell_look_ups() {
  for (const auto& one : look_ups_) {
    rows_.push_back({.step = std::string(one.step) + ", " + std::to_string(one.ranges) + " ranges",
                     .graph = std::to_string(given_.ids) + " random IDs",
                     .measured = digits(one.nanoseconds) + " ns",
                     .yardstick = "table " + digits(table_look_up_) + " ns",
                     .value = one.nanoseconds,
                     .unit = "ns/ID",
                     .must = one.ranges == 16 ? 2.0 : 4.0,
                     .aim = table_look_up_});
  }
}

// ---- one graph ----------------------------------------------------------------------------------

void measurement::measure(const edge_graph& g) {
  std::cerr << g.name << ": " << g.nodes << " nodes, " << g.edges() << " edges\n";
  ordered_json about{{"name", g.name}, {"nodes", g.nodes}, {"edges", g.edges()}};
  plain_one_ = count_and_scatter_cost(g.target, g.source, g.nodes, 1, given_.runs).wall;
  plain_many_ =
      count_and_scatter_cost(g.target, g.source, g.nodes, given_.threads, given_.runs).wall;
  const double per_edge = 1e9 / static_cast<double>(std::max<std::size_t>(1, g.edges()));
  about["count_and_scatter_ns_per_edge"] = {
      {"1", plain_one_ * per_edge}, {std::to_string(given_.threads), plain_many_ * per_edge}};
  const auto owner = assign_parts(g, about);
  for (const unsigned hops : given_.hops) whole_job(g, owner, hops, about);
  loading(g, owner);
  text(g);
  graphs_.push_back(std::move(about));
}

/// METIS's parts if METIS may run, else random ones.
std::vector<part_id> measurement::assign_parts(const edge_graph& g, ordered_json& about) {
  if (g.edges() > given_.metis_edges) {
    about["assignment"] = "random";
    return assign(g.view(), halograph::random_parts{.parts = given_.parts});
  }
  about["assignment"] = "metis";
  const cost before = metis_cost();
  std::vector<part_id> owner;
  const cost whole = cost_of([&] {
    const auto made = assign(g.view(), metis{.parts = given_.parts}, threads());
    owner.assign(made.begin(), made.end());
  });
  const cost own = metis_cost() - before, rest = whole - own;
  about["metis_seconds"] = own.wall;
  target_row row{.step = "symmetrize and deduplicate for METIS",
                 .graph = g.name,
                 .measured = human_seconds(judged(rest)),
                 .yardstick = "METIS " + human_seconds(judged(own)),
                 .value = judged(rest) / judged(own),
                 .must = 0.15,
                 .aim = 0.08};
  const bool long_enough = judged(own) >= given_.metis_least;
  if (!long_enough) row.unjudged = "METIS takes less than " + human_seconds(given_.metis_least);
  rows_.push_back(row);
  if (long_enough) whole_program(g);
  return owner;
}

void measurement::whole_program(const edge_graph& g) {
  target_row row{.step = "halograph partition --method metis --hops 1",
                 .graph = g.name,
                 .must = 1.5,
                 .aim = 1.2};
  if (!fs::exists(given_.program) || !fs::exists(given_.metis_clock)) {
    row.unjudged = "no program was given";
    rows_.push_back(row);
    return;
  }
  const std::string input = scratch_ / "chunks", output = scratch_ / "parts",
                    clock = scratch_ / "clock";
  // The edges as numpy chunks, through a file that all our tools read.
  {
    std::string text;
    append_edges(text, std::span<const narrow_id>(g.source), std::span<const narrow_id>(g.target));
    write_file(scratch_ / "edges.txt", text);
  }
  run_program({given_.program, "chunk", "--input", scratch_ / "edges.txt", "--num-nodes",
               std::to_string(g.nodes), "--out", input, "--format", "numpy", "--num-chunks", "4"});
  fs::remove(scratch_ / "edges.txt");
  // As often as the others, unless METIS takes long: long runs vary less.
  constexpr double long_enough = 3;
  cost whole = endless, own;
  double spent = 0;
  for (std::size_t i = 0; i < given_.runs && (i == 0 || spent < long_enough); ++i) {
    fs::remove_all(output);
    const cost run = run_program(
        {given_.program, "partition", "--input", input, "--name", "bench", "--parts",
         std::to_string(given_.parts), "--method", "metis", "--hops", "1", "--threads",
         std::to_string(threads().concurrency()), "--out", output},
        {"LD_PRELOAD=" + given_.metis_clock, "HALOGRAPH_METIS_CLOCK=" + clock});
    spent += run.wall;
    if (judged(run) >= judged(whole)) continue;
    whole = run;
    own = {};
    std::ifstream(clock) >> own.wall >> own.cpu;  // METIS's time is that of the same run
  }
  row.measured = human_seconds(judged(whole));
  row.yardstick = "METIS in it " + human_seconds(judged(own));
  row.value = own.wall > 0 ? judged(whole) / judged(own) : 0;
  if (!(own.wall > 0)) row.unjudged = "METIS is linked so that its time cannot be taken";
  rows_.push_back(row);
  fs::remove_all(input);
  fs::remove_all(output);
}

/// Relabel, expand, write; first into a target that discards, to know the size of the folder.
void measurement::whole_job(const edge_graph& g, std::span<const part_id> owner, unsigned hops,
                            ordered_json& about) {
  const std::string depth = std::to_string(hops) + (hops == 1 ? " hop" : " hops");
  null_folder discarded;
  job one, many;
  double relabel_one = endless.wall, relabel_many = endless.wall, halo_one = endless.wall,
         halo_many = endless.wall;
  std::uint64_t bytes = 0;
  measured_often(std::max<std::size_t>(1, given_.runs / 2), [&] {
    const std::uint64_t before = discarded.bytes();
    one = run_job(g, owner, given_.parts, hops, discarded, one_);
    bytes = discarded.bytes() - before;
    many = run_job(g, owner, given_.parts, hops, discarded, many_);
    relabel_one = std::min(relabel_one, step_seconds(one.report, "relabel"));
    relabel_many = std::min(relabel_many, step_seconds(many.report, "relabel"));
    halo_one = std::min(halo_one, step_seconds(one.report, "write"));
    halo_many = std::min(halo_many, step_seconds(many.report, "write"));
  });
  if (hops == given_.hops.front()) second_core(g, "relabel", relabel_one, relabel_many);
  second_core(g, "HALO, " + depth, halo_one, halo_many);

  const std::string output = scratch_ / "job", copy = scratch_ / "copy";
  const bool written = bytes <= given_.folder_limit;
  cost ours = endless, copied = endless;
  std::uint64_t growth = 0;
  std::optional<diagram> picture;
  ordered_json steps = ordered_json::array();
  for (std::size_t i = 0; i < (written ? given_.runs : 1); ++i) {
    job made;
    if (written) {
      fs::remove_all(output);
      made = run_job(g, owner, given_.parts, hops, dgl_folder{output}, threads());
      copied = least(copied, copy_folder(output, copy));
      fs::remove_all(copy);
    } else {
      made = run_job(g, owner, given_.parts, hops, discarded, threads());
    }
    growth = std::max(growth, made.watch->growth());
    const bool fastest = made.total.wall < ours.wall;
    ours = least(ours, made.total);
    if (!fastest) continue;
    picture = memory_over_time(g.name + ", " + std::to_string(given_.parts) + " parts, " + depth +
                                   ", " + std::to_string(threads().concurrency()) +
                                   (threads().concurrency() == 1 ? " thread" : " threads"),
                               *made.watch);
    steps = ordered_json::array();
    for (const auto& step : made.report.steps)
      steps.push_back({{"name", step.name}, {"seconds", step.seconds}});
  }
  const std::uint64_t stored = stored_edges(many.report);
  const auto edges = static_cast<double>(std::max<std::size_t>(1, g.edges()));
  target_row time{.step = "relabel, HALO and DGL folder, " + depth,
                  .graph = g.name,
                  .measured = human_seconds(judged(ours)),
                  .yardstick = "",
                  .value = 0,
                  .must = 2.5,
                  .aim = 1.5};
  if (written) {
    time.yardstick = "cp -r of " + human_size(static_cast<double>(bytes)) + " " +
                     human_seconds(judged(copied));
    time.value = judged(ours) / judged(copied);
  } else {
    time.unjudged = human_size(static_cast<double>(bytes)) +
                    " are more than --folder-limit; thrown away";
  }
  rows_.push_back(time);
  const double bound = 32 + 24 * static_cast<double>(g.nodes) / edges;
  rows_.push_back({.step = "memory growth of it, " + depth,
                   .graph = g.name,
                   .measured = human_size(static_cast<double>(growth)),
                   .yardstick = "32 B/edge + 24 B/node",
                   .value = static_cast<double>(growth) / edges,
                   .unit = "B/edge",
                   .must = bound,
                   .aim = 16.0});
  about["hops"][std::to_string(hops)] = {
      {"input_bytes", 8 * g.edges()},
      {"output_bytes", bytes},
      {"written", written},
      {"stored_edges", stored},
      {"seconds", ours.wall},
      {"cpu_seconds", ours.cpu},
      {"ns_per_edge", ours.wall * 1e9 / edges},
      {"ns_per_stored_edge",
       ours.wall * 1e9 / static_cast<double>(std::max<std::uint64_t>(1, stored))},
      {"memory_growth_bytes", growth},
      {"memory_growth_bytes_per_edge", static_cast<double>(growth) / edges},
      {"memory_growth_bytes_per_node",
       static_cast<double>(growth) / static_cast<double>(std::max<std::size_t>(1, g.nodes))},
      {"steps", steps},
      {"threads", threads().concurrency()},
      {"thrown_away",
       {{"relabel", {{"1", relabel_one}, {std::to_string(given_.threads), relabel_many}}},
        {"halo", {{"1", halo_one}, {std::to_string(given_.threads), halo_many}}}}}};
  if (written) about["hops"][std::to_string(hops)]["copy_seconds"] = copied.wall;
  if (picture) diagrams_.push_back(std::move(*picture));
  fs::remove_all(output);
}

void measurement::second_core(const edge_graph& g, const std::string& step, double one,
                              double many) {
  const double gain = one / many, plain = plain_one_ / plain_many_;
  target_row row{.step = "second core, " + step,
                 .graph = g.name,
                 .measured = digits(gain) + "x faster",
                 .yardstick = "plain loop " + digits(plain) + "x",
                 .value = gain / plain,
                 .must = 0.85,
                 .aim = 1.0,
                 .at_least = true};
  if (given_.threads == 1)
    row.unjudged = "one core";
  else if (plain_one_ < 5e-3)
    row.unjudged = "too small to share";
  else if (given_.base == time_base::cpu)
    row.unjudged = "needs wall time";
  rows_.push_back(row);
}

/// Every byte of every array of all parts, summed.
std::uint64_t measurement::sum_of_parts(const std::string& config) const {
  std::uint64_t sum = 0;
  const auto add = [&](const tensor& column) {
    const auto bytes = column.bytes();
    std::size_t i = 0;
    for (; i + 8 <= bytes.size(); i += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data() + i, 8);
      sum += word;
    }
    for (; i < bytes.size(); ++i) sum += static_cast<std::uint64_t>(bytes[i]);
  };
  for (std::size_t p = 0; p < given_.parts; ++p) {
    const auto part = load_part(config, p);
    if (part.graph.coo) {
      add(part.graph.coo->source);
      add(part.graph.coo->target);
    }
    for (const auto& one : part.graph.node_columns) add(one.value);
    for (const auto& one : part.graph.edge_columns) add(one.value);
  }
  return sum;
}

void measurement::loading(const edge_graph& g, std::span<const part_id> owner) {
  null_folder discarded;
  run_job(g, owner, given_.parts, 1, discarded, many_);
  if (discarded.bytes() > given_.folder_limit) return;
  for (const bool native : {true, false}) {
    const std::string folder = scratch_ / "load", config = folder + "/bench.json";
    if (native)
      run_job(g, owner, given_.parts, 1, native_folder{folder}, many_);
    else
      run_job(g, owner, given_.parts, 1, dgl_folder{folder}, many_);
    const auto bytes = static_cast<double>(folder_bytes(folder));
    cost slowest{}, all{};
    for (std::size_t p = 0; p < given_.parts; ++p) {
      const cost part = least_cost_of(given_.runs, [&] { keep(load_part(config, p)); });
      if (part.wall > slowest.wall) slowest = part;
      all = all + part;
    }
    // The cost that mapping defers until the bytes are read.
    std::uint64_t sum = 0;
    const cost read = least_cost_of(given_.runs, [&] { sum = sum_of_parts(config); });
    keep(sum);
    const double copy = bytes / memcpy_one_;
    if (native) {
      rows_.push_back({.step = "loading a part, native",
                       .graph = g.name,
                       .measured = human_seconds(judged(slowest)),
                       .yardstick = "whatever its size: " +
                                    human_size(bytes / static_cast<double>(given_.parts)),
                       .value = judged(slowest) * 1e3,
                       .unit = "ms",
                       .must = 2.0});
    } else {
      rows_.push_back({.step = "loading all parts, DGL",
                       .graph = g.name,
                       .measured = human_seconds(judged(all)),
                       .yardstick = "memcpy of " + human_size(bytes) + " " + human_seconds(copy),
                       .value = judged(all) / copy,
                       .must = 3.0,
                       .aim = 1.5});
    }
    rows_.push_back({.step = std::string("loading all parts, ") + (native ? "native" : "DGL") +
                             ", and reading every byte",
                     .graph = g.name,
                     .measured = human_seconds(judged(read)),
                     .yardstick = "memcpy " + human_seconds(copy),
                     .value = judged(read) / copy,
                     .must = 3.0,
                     .aim = 1.5,
                     .unjudged = "for orientation"});
    fs::remove_all(folder);
  }
}

void measurement::text(const edge_graph& g) {
  const std::span<const narrow_id> source(g.source), target(g.target);
  for (const char between : {' ', ','}) {
    const std::string kind = between == ' ' ? "edge list" : "csv";
    std::string text;
    const auto put_on = [&](const tbb_threads& on) {
      return [&] {
        text.clear();
        append_edges(text, source, target, between, on);
      };
    };
    const auto [put, put_by_many] = least_costs_of(given_.runs, put_on(one_), put_on(many_));
    const auto bytes = static_cast<double>(text.size());
    const auto row = [&](const std::string& step, double time) {
      rows_.push_back({.step = step,
                       .graph = g.name,
                       .measured = human_seconds(time),
                       .yardstick = human_size(bytes) + " of text",
                       .value = bytes / time / 1e9,
                       .unit = "GB/s",
                       .must = 0.8,
                       .aim = 1.5,
                       .at_least = true});
    };
    const edge_text_options how{.format = {.delimiter = between == ',' ? ',' : '\0'},
                                .source_count = g.nodes,
                                .target_count = g.nodes};
    const auto parse_on = [&](const tbb_threads& on) {
      return [&] {
        const auto edges = read_edges<narrow_id>(std::as_bytes(std::span(text.data(), text.size())),
                                                 "bench", how, on);
        if (edges.source.size() != g.edges()) throw std::runtime_error("edges were lost in text");
      };
    };
    const auto [one, many] = least_costs_of(given_.runs, parse_on(one_), parse_on(many_));
    const auto better = [&](cost alone, cost together) {
      return given_.base == time_base::cpu ? alone.cpu : std::min(alone.wall, together.wall);
    };
    row(kind + " into IDs", better(one, many));
    if (between == ' ') {
      second_core(g, "parse", one.wall, many.wall);
      row("IDs into text", better(put, put_by_many));
    }
  }
}

// ---- results ------------------------------------------------------------------------------------

void measurement::write() const {
  // Steps together, graphs below each other.
  std::map<std::string, std::size_t> first;
  for (std::size_t i = 0; i < rows_.size(); ++i) first.emplace(rows_[i].step, i);
  auto rows = rows_;
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const auto& a, const auto& b) { return first[a.step] < first[b.step]; });

  machine here = here_;
  here.share = std::min(here.share, processor_share(here.cores));
  const std::string busy = warning(here);
  const std::string yardsticks =
      "memcpy " + digits(memcpy_one_ / 1e9) + " GB/s on one core, " + digits(memcpy_all_ / 1e9) +
      " GB/s on " + std::to_string(given_.threads) + "; " +
      (given_.base == time_base::wall ? "wall time" : "processor time, one thread") +
      ", least of " + std::to_string(given_.runs) + " runs or more, METIS alone once\n";
  std::string plain;
  for (const auto& g : graphs_) {
    plain += g["name"].get<std::string>() + ": " + std::to_string(g["nodes"].get<std::uint64_t>()) +
             " nodes, " + std::to_string(g["edges"].get<std::uint64_t>()) + " edges, parts by " +
             g["assignment"].get<std::string>() + "; count and scatter";
    for (const auto& [threads, nanoseconds] : g["count_and_scatter_ns_per_edge"].items()) {
      plain += " " + digits(nanoseconds.get<double>()) + " ns/edge on " + threads +
               (threads == "1" ? " core," : " cores,");
    }
    plain.back() = '\n';
  }
  const std::string head = in_words(here_) + "\n" + yardsticks + plain + busy;
  const std::string table = head + "\n" + as_text(table_of(rows));
  std::cout << table;
  write_file(given_.out + "/end_to_end.txt", table);

  std::string markdown = in_words(here_) + "; " + yardsticks;
  markdown.back() = '.';
  markdown += " Of each step the graph that does worst against its promise:\n\n" +
              as_markdown(summary_of(rows));
  if (!busy.empty()) markdown += "\n" + busy;
  write_file(given_.out + "/end_to_end.md", markdown);

  ordered_json all{{"machine", as_json(here)},
                   {"clock", given_.base == time_base::wall ? "wall" : "cpu"},
                   {"runs", given_.runs},
                   {"memcpy_bytes_per_second",
                    {{"1", memcpy_one_}, {std::to_string(given_.threads), memcpy_all_}}},
                   {"rows", ordered_json::array()},
                   {"graphs", graphs_}};
  for (const auto& row : rows) all["rows"].push_back(as_json(row));
  write_file(given_.out + "/end_to_end.json", all.dump(1) + "\n");
  write_file(given_.out + "/end_to_end.svg", draw(diagrams_));
}

int run(int argc, char** argv) {
  options given;
#ifdef HALOGRAPH_PROGRAM
  given.program = HALOGRAPH_PROGRAM;
#endif
#ifdef HALOGRAPH_METIS_CLOCK
  given.metis_clock = HALOGRAPH_METIS_CLOCK;
#endif
  bool no_look_ups = false;
  CLI::App app(
      "The whole job on a list of graphs, each step beside what the machine can do in the same run.");
  app.add_option("--graph", given.graphs,
                 "a file or folder with a graph; may be given several times")
      ->type_name("PATH");
  app.add_option("--data", given.data, "every graph in this folder of folders, if large enough")
      ->type_name("DIR")
      ->check(CLI::ExistingDirectory);
  app.add_option("--least-edges", given.least_edges, "what is large enough for --data")
      ->capture_default_str();
  app.add_option("--rmat", given.rmat, "R-MAT graphs of 2^S nodes; 0: none")
      ->type_name("S")
      ->capture_default_str()
      ->check(CLI::Range(0, 32));
  app.add_option("--degree", given.degree, "their edges per node")->capture_default_str();
  app.add_option("--parts", given.parts, "parts")
      ->capture_default_str()
      ->check(CLI::Range(2, 65536));
  app.add_option("--hops", given.hops, "depths of the HALO")->capture_default_str();
  app.add_option("--threads", given.threads, "threads where there are several")
      ->capture_default_str()
      ->check(CLI::Range(1, 4096));
  app.add_option("--runs", given.runs, "of which the fastest counts")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  app.add_option("--ids", given.ids, "random IDs of the look-ups")->capture_default_str();
  app.add_option("--folder-limit", given.folder_limit, "larger outputs are thrown away, in bytes")
      ->capture_default_str();
  app.add_option("--metis-edges", given.metis_edges, "larger graphs get random parts")
      ->capture_default_str();
  app.add_option("--metis-least", given.metis_least, "seconds from which METIS is a yardstick")
      ->capture_default_str();
  app.add_option("--memcpy-bytes", given.memcpy_bytes, "copied to measure bandwidth")
      ->capture_default_str()
      ->check(CLI::Range(std::size_t{4096}, std::size_t{1} << 36));
  app.add_option("--scratch", given.scratch, "where folders are written; a RAM-backed file system")
      ->capture_default_str();
  app.add_option("--out", given.out, "where end_to_end.{txt,md,json,svg} go")
      ->capture_default_str();
  app.add_option("--program", given.program,
                 "the program halograph, for the row of the whole process")
      ->capture_default_str();
  app.add_option("--metis-clock", given.metis_clock, "the library that takes METIS's time in it")
      ->capture_default_str();
  app.add_option("--clock", given.base,
                 "wall, or on a busy machine cpu: processor time of one thread")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, time_base>{{"wall", time_base::wall}, {"cpu", time_base::cpu}}));
  app.add_flag("--no-look-ups", no_look_ups, "leave out the rows of ID look-ups");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& problem) {
    return app.exit(problem) == 0 ? 0 : 2;
  }
  make_output_folder(given.out);
  measurement all(given);
  const auto measure = [&](const edge_graph& g) {
    if (!no_look_ups) all.look_ups();
    all.measure(g);
  };
  for (const auto& path : given.graphs)
    measure(load_graph(path, fs::path(path).filename().string()));
  if (!given.data.empty()) {
    std::vector<fs::path> folders;
    for (const auto& one : fs::directory_iterator(given.data)) {
      if (one.is_directory()) folders.push_back(one.path());
    }
    std::sort(folders.begin(), folders.end());
    for (const auto& one : folders) {
      std::optional<edge_graph> g;
      try {
        g = load_graph(one.string(), one.filename().string());
      } catch (const error& problem) {  // there may be other files beside the graphs
        std::cerr << "left out: " << problem.what() << '\n';
        continue;
      }
      if (g->edges() >= given.least_edges) measure(*g);
    }
  }
  for (const auto scale : given.rmat) {
    if (scale != 0) measure(make_rmat(scale, given.degree, given.threads));
  }
  if (!no_look_ups) all.look_ups();
  all.tell_look_ups();
  all.write();
  return 0;
}

}  // namespace
}  // namespace halograph::bench

int main(int argc, char** argv) {
  return halograph::bench::answer_of([&] { return halograph::bench::run(argc, argv); });
}
