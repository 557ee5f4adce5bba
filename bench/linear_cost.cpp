// SPDX-License-Identifier: BSL-1.0
// needs: tbb nlohmann_json cli
// Does cost grow with what is stored, and with nothing else? Time and bytes per stored edge over
// the size of the graph and the number of parts, and a part's cost over its number. Everything is
// discarded instead of written.
#include "graphs.hpp"
#include "job.hpp"
#include "measure.hpp"
#include "picture.hpp"
#include "table.hpp"
#include "words.hpp"
#include "yardsticks.hpp"

#include <halograph/adapters/tbb.hpp>
#include <halograph/partition/assign.hpp>
#include <halograph/partition/random.hpp>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <fstream>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

namespace halograph::bench {

namespace {

using nlohmann::ordered_json;

struct options {
  std::uint32_t least_scale = 16, most_scale = 23;
  std::uint64_t parts = 8;
  std::uint32_t scale = 18;
  std::uint64_t most_parts = 1024;
  std::uint64_t numbered_parts = 64;
  std::uint64_t degree = 16;
  unsigned hops = 1;
  std::size_t threads = 1;
  std::size_t runs = 3;
  std::string out = ".";
};

/// What one stored edge, inner or HALO, of any part costs.
struct point {
  std::uint32_t scale = 0;
  std::uint64_t parts = 0, edges = 0, stored = 0;
  double nanoseconds = 0;  ///< processor time, all threads
  double wall = 0;         ///< nanoseconds
  double output = 0;       ///< bytes of the files
  double memory = 0;       ///< bytes of growth
  double plain = 0;        ///< count and scatter, nanoseconds per edge of the graph
};

std::uint64_t available_memory_bytes() {
  std::ifstream file("/proc/meminfo");
  for (std::string word; file >> word;) {
    if (word != "MemAvailable:") continue;
    std::uint64_t kilobytes = 0;
    file >> kilobytes;
    return kilobytes * 1024;
  }
  return std::numeric_limits<std::uint64_t>::max();
}

point measure(const edge_graph& g, std::uint32_t scale, std::uint64_t parts, double plain,
              const options& given) {
  const auto owner = assign(g.view(), halograph::random_parts{.parts = parts});
  const tbb_threads threads(given.threads);
  point out{.scale = scale, .parts = parts, .edges = g.edges()};
  out.plain = plain;
  cost best = endless;
  std::uint64_t growth = 0, bytes = 0;
  for (std::size_t i = 0; i < given.runs; ++i) {
    const null_folder discarded;
    const job made = run_job(g, owner, parts, given.hops, discarded, threads);
    best = least(best, made.total);
    growth = std::max(growth, made.watch->growth());
    out.stored = stored_edges(made.report);
    bytes = discarded.bytes();
  }
  const auto stored = static_cast<double>(std::max<std::uint64_t>(1, out.stored));
  out.nanoseconds = best.cpu * 1e9 / stored;
  out.wall = best.wall * 1e9 / stored;
  out.output = static_cast<double>(bytes) / stored;
  out.memory = static_cast<double>(growth) / stored;
  std::cerr << g.name << ", " << parts << " parts: " << digits(out.nanoseconds)
            << " ns per stored edge\n";
  return out;
}

double plain_cost(const edge_graph& g, const options& given) {
  return count_and_scatter_cost(g.target, g.source, g.nodes, 1, given.runs).cpu * 1e9 /
         static_cast<double>(std::max<std::size_t>(1, g.edges()));
}

/// Largest over smallest: 1 is constant.
template <class Value>
double spread(const std::vector<point>& points, const Value& value) {
  double low = std::numeric_limits<double>::infinity(), high = 0;
  for (const auto& one : points) {
    low = std::min(low, value(one));
    high = std::max(high, value(one));
  }
  return points.empty() || low <= 0 ? 0 : high / low;
}

std::vector<text_row> table_of(const std::vector<point>& points) {
  std::vector<text_row> out{{"graph", "parts", "edges", "stored edges", "ns/stored edge",
                             "wall ns/stored edge", "output B/stored edge", "memory B/stored edge",
                             "count and scatter ns/edge", "ratio"}};
  for (const auto& one : points) {
    out.push_back({"rmat " + std::to_string(one.scale), std::to_string(one.parts),
                   std::to_string(one.edges), std::to_string(one.stored), digits(one.nanoseconds),
                   digits(one.wall), digits(one.output), digits(one.memory), digits(one.plain),
                   digits(one.nanoseconds / one.plain)});
  }
  const auto largest = [&](const auto& value) { return digits(spread(points, value)) + "x"; };
  out.push_back({"largest over smallest", "", "", "",
                 largest([](const point& p) { return p.nanoseconds; }),
                 largest([](const point& p) { return p.wall; }),
                 largest([](const point& p) { return p.output; }),
                 largest([](const point& p) { return p.memory; }),
                 largest([](const point& p) { return p.plain; }),
                 largest([](const point& p) { return p.nanoseconds / p.plain; })});
  return out;
}

ordered_json as_json(const std::vector<point>& points) {
  ordered_json out = ordered_json::array();
  for (const auto& one : points) {
    out.push_back({{"scale", one.scale},
                   {"parts", one.parts},
                   {"edges", one.edges},
                   {"stored_edges", one.stored},
                   {"cpu_ns_per_stored_edge", one.nanoseconds},
                   {"wall_ns_per_stored_edge", one.wall},
                   {"output_bytes_per_stored_edge", one.output},
                   {"memory_bytes_per_stored_edge", one.memory},
                   {"count_and_scatter_ns_per_edge", one.plain}});
  }
  return out;
}

curve line(std::string name, const std::vector<point>& points, double (*x)(const point&),
           double (*y)(const point&)) {
  curve out{std::move(name), {}};
  for (const auto& one : points) out.points.emplace_back(x(one), y(one));
  return out;
}

/// Nanoseconds per stored edge of each part of one run, by its number. One thread, one part after
/// the other.
std::vector<double> by_number(const edge_graph& g, const options& given) {
  const auto owner = assign(g.view(), halograph::random_parts{.parts = given.numbered_parts});
  std::vector<double> out(given.numbered_parts, std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < given.runs; ++i) {
    std::vector<double> ends;
    const null_folder discarded;
    // The start of the first part is not reported; it is left out below.
    const job made = run_job(g, owner, given.numbered_parts, given.hops, discarded, sequential{},
                             [&](std::uint64_t) { ends.push_back(clocks().cpu); });
    for (std::size_t p = 1; p < ends.size() && p < out.size(); ++p) {
      const auto& part = made.report.parts[p];
      const auto stored = static_cast<double>(
          std::max<std::uint64_t>(1, part.inner_edges + part.halo_edges));
      out[p] = std::min(out[p], (ends[p] - ends[p - 1]) * 1e9 / stored);
    }
  }
  out.erase(out.begin());
  return out;
}

double mean(std::vector<double>::const_iterator first, std::vector<double>::const_iterator last) {
  double sum = 0;
  for (auto at = first; at != last; ++at) sum += *at;
  return first == last ? 0 : sum / static_cast<double>(last - first);
}

int run(int argc, char** argv) {
  options given;
  CLI::App app(
      "Time and bytes per stored edge over the size of the graph and the number of parts, and a part's cost over its number.");
  app.add_option("--least-scale", given.least_scale, "smallest R-MAT graph, 2^S nodes")
      ->capture_default_str();
  app.add_option("--most-scale", given.most_scale,
                 "largest; left out where memory does not suffice")
      ->capture_default_str();
  app.add_option("--parts", given.parts, "parts of each")
      ->capture_default_str()
      ->check(CLI::Range(2, 65536));
  app.add_option("--scale", given.scale, "the graph that is cut into ever more parts")
      ->capture_default_str();
  app.add_option("--most-parts", given.most_parts, "how many at most, from 2 in powers of two")
      ->capture_default_str()
      ->check(CLI::Range(2, 65536));
  app.add_option("--numbered-parts", given.numbered_parts,
                 "parts of it whose cost is taken one by one")
      ->capture_default_str()
      ->check(CLI::Range(8, 65536));
  app.add_option("--degree", given.degree, "edges per node")->capture_default_str();
  app.add_option("--hops", given.hops, "depth of the HALO")->capture_default_str();
  app.add_option("--threads", given.threads, "threads")
      ->capture_default_str()
      ->check(CLI::Range(1, 4096));
  app.add_option("--runs", given.runs, "of which the fastest counts")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  app.add_option("--out", given.out, "where linear_cost.{txt,json,svg} go")->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& problem) {
    return app.exit(problem) == 0 ? 0 : 2;
  }
  make_output_folder(given.out);
  const machine here = this_machine();
  std::string notes;
  std::vector<point> sizes, counts;
  for (std::uint32_t scale = given.least_scale; scale <= given.most_scale; ++scale) {
    // The edges, the plan and the largest part, rounded up.
    const double needed = 64.0 * static_cast<double>(given.degree) *
                          std::ldexp(1.0, static_cast<int>(scale));
    if (needed > static_cast<double>(available_memory_bytes())) {
      notes += "rmat " + std::to_string(scale) + " was left out: it may need " +
               human_size(needed) + " of memory\n";
      break;
    }
    const auto g = make_rmat(scale, given.degree,
                             std::max(1u, std::thread::hardware_concurrency()));
    sizes.push_back(measure(g, scale, given.parts, plain_cost(g, given), given));
  }
  const auto g = make_rmat(given.scale, given.degree,
                           std::max(1u, std::thread::hardware_concurrency()));
  const double plain = plain_cost(g, given);
  for (std::uint64_t parts = 2; parts <= given.most_parts; parts *= 2)
    counts.push_back(measure(g, given.scale, parts, plain, given));
  const auto numbered = by_number(g, given);
  const auto quarter = static_cast<std::ptrdiff_t>(numbered.size() / 4);
  const double early = mean(numbered.begin(), numbered.begin() + quarter),
               late = mean(numbered.end() - quarter, numbered.end());

  const std::string number_line = "a part's cost over its number, " +
                                  std::to_string(given.numbered_parts) +
                                  " parts: " + digits(early) +
                                  " ns per stored edge in the first quarter, " + digits(late) +
                                  " in the last, " + digits(late / early) + "x\n";
  const std::string text =
      in_words(here) + "\nprocessor time unless said otherwise, " + std::to_string(given.threads) +
      (given.threads == 1 ? " thread, " : " threads, ") + std::to_string(given.hops) +
      (given.hops == 1 ? " hop" : " hops") + ", random parts, least of " +
      std::to_string(given.runs) + " runs, nothing written\n" + warning(here) + notes + "\n" +
      as_text(table_of(sizes)) + "\n" + as_text(table_of(counts)) + "\n" + number_line;
  std::cout << text;
  write_file(given.out + "/linear_cost.txt", text);
  write_file(given.out + "/linear_cost.json",
             ordered_json{{"machine", bench::as_json(here)},
                          {"threads", given.threads},
                          {"hops", given.hops},
                          {"runs", given.runs},
                          {"sizes", as_json(sizes)},
                          {"part_counts", as_json(counts)},
                          {"parts_by_number_ns_per_stored_edge", numbered},
                          {"last_quarter_over_first", late / early}}
                     .dump(1) +
                 "\n");
  const auto scale = [](const point& p) { return static_cast<double>(p.scale); };
  const auto parts = [](const point& p) { return std::log2(static_cast<double>(p.parts)); };
  const auto time = [](const point& p) { return p.nanoseconds; };
  const auto memory = [](const point& p) { return p.memory; };
  const auto output = [](const point& p) { return p.output; };
  const auto yardstick = [](const point& p) { return p.plain; };
  curve number_curve{"a part", {}};
  for (std::size_t p = 0; p < numbered.size(); ++p)
    number_curve.points.emplace_back(static_cast<double>(p + 1), numbered[p]);
  const std::string parts_title = "rmat " + std::to_string(given.scale);
  write_file(given.out + "/linear_cost.svg",
             draw({{"Time over size, " + std::to_string(given.parts) + " parts",
                    "nodes",
                    "ns",
                    {line("per stored edge", sizes, scale, time),
                     line("count and scatter", sizes, scale, yardstick)},
                    {},
                    true},
                   {"Bytes over size, " + std::to_string(given.parts) + " parts",
                    "nodes",
                    "bytes",
                    {line("written", sizes, scale, output), line("memory", sizes, scale, memory)},
                    {},
                    true},
                   {"Time over parts, " + parts_title,
                    "parts",
                    "ns",
                    {line("per stored edge", counts, parts, time)},
                    {},
                    true},
                   {"Bytes over parts, " + parts_title,
                    "parts",
                    "bytes",
                    {line("written", counts, parts, output), line("memory", counts, parts, memory)},
                    {},
                    true},
                   {"A part's time over its number, " + parts_title,
                    "part",
                    "ns per stored edge",
                    {number_curve},
                    {},
                    false}}));
  return 0;
}

}  // namespace
}  // namespace halograph::bench

int main(int argc, char** argv) {
  return halograph::bench::answer_of([&] { return halograph::bench::run(argc, argv); });
}
