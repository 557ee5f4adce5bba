// SPDX-License-Identifier: BSL-1.0
// needs: nlohmann_json boost_interprocess tbb zlib cli
// uses: metis program
// Partitioners side by side: ours, METIS, and programs of others that are found, on a list of
// graphs. Each run is a process of its own that reads the graph as a METIS file; one judge measures
// all results. Writes tables, JSON and a picture of cut against time.
#include "../table.hpp"
#include "../words.hpp"
#include "../yardsticks.hpp"
#include "chart.hpp"
#include "graphs.hpp"
#include "methods.hpp"
#include "process.hpp"
#include "results.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace halograph::bench {

namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

struct options {
  std::vector<std::string> graphs{};
  std::vector<std::uint32_t> rmat{};
  std::vector<std::uint64_t> parts{8, 64};
  std::vector<std::string> methods{};
  std::size_t runs = 3, seeds = 0;
  std::optional<std::uint64_t> seed{};
  std::size_t threads = std::max(1u, std::thread::hardware_concurrency());
  double tolerance = 0.03, timeout = 120;
  bool constraints = false, simulate = false, list = false, quick = false;
  std::uint64_t row_bytes = 512;
  std::string reference = "gpmetis", scratch = "/dev/shm", out = ".", name{};
  std::string program{};

  // of the steps that are processes of their own
  assignment_request request{};
  judged_assignment judged{};
  std::string input{}, policy{};
};

/// A folder that is removed at the end.
class work_folder {
 public:
  explicit work_folder(const std::string& parent) {
    std::string name = (fs::is_directory(parent) ? fs::path(parent) : fs::temp_directory_path()) /
                       "halograph-partitioners-XXXXXX";
    if (mkdtemp(name.data()) == nullptr)
      throw std::runtime_error("cannot make a folder in " + parent);
    path_ = fs::absolute(name).string();
  }
  work_folder(const work_folder&) = delete;
  work_folder& operator=(const work_folder&) = delete;
  ~work_folder() {
    std::error_code problem;
    fs::remove_all(path_, problem);
  }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_{};
};

/// The JSON object in what a program printed, notes before and after it left out.
ordered_json printed_object(const std::string& path) {
  std::ifstream file(path);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const auto first = text.find('{'), last = text.rfind('}');
  if (first == std::string::npos || last == std::string::npos || last < first)
    throw std::runtime_error("no JSON is found in: " + text);
  return ordered_json::parse(text.substr(first, last - first + 1));
}

/// The file that a peer wrote: the largest one that is no link and no JSON.
std::string result_in(const std::string& folder) {
  std::string found;
  std::uintmax_t most = 0;
  for (const auto& one : fs::recursive_directory_iterator(folder)) {
    if (one.is_symlink() || !one.is_regular_file() || one.path().extension() == ".json") continue;
    if (one.file_size() > most) {
      most = one.file_size();
      found = one.path().string();
    }
  }
  return found;
}

class comparison {
 public:
  explicit comparison(const options& given)
      : given_(given),
        work_(given.scratch),
        self_(fs::canonical("/proc/self/exe").string()),
        methods_(chosen(given)),
        here_(this_machine()) {
    make_output_folder(given.out);
  }

  static std::vector<method> chosen(const options& given);
  void measure_all();
  void write();

 private:
  struct graph {
    std::string name{};
    std::string file{};
    std::string chunked{};  ///< for methods of the program
    std::string cuttana{};
    ordered_json about{};
  };

  graph prepare(const std::string& input);
  /// A step of this benchmark as a process; its answer. @errors std::runtime_error: it failed
  ordered_json step(const std::vector<std::string>& arguments);
  void run_once(const graph& g, const method& which, measured_row& row,
                std::optional<std::uint64_t> seed);
  void simulate(const graph& g, measured_row& row, const std::string& assignment);

  const options& given_;
  work_folder work_;
  std::string self_;
  std::vector<method> methods_;
  machine here_;
  std::vector<measured_row> rows_{};
  ordered_json graphs_ = ordered_json::array();
};

std::vector<method> comparison::chosen(const options& given) {
  const auto all = available_methods(given.program, given.threads);
  std::vector<method> out;
  if (given.methods.empty()) {
    for (const auto& one : all) {
      // Of the program only what is no policy here; of several loads only what is made for them.
      if (one.runs == runner::program && one.program != "ptscotch") continue;
      if (given.constraints &&
          (!one.constraints || one.name == "ldg" || one.name == "fennel" || one.name == "buffered"))
        continue;
      out.push_back(one);
    }
    return out;
  }
  for (const auto& name : given.methods) {
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const method& one) { return one.name == name; });
    if (found == all.end())
      throw std::runtime_error("--methods: " + name + " is not available; --list shows what is");
    if (given.constraints && !found->constraints)
      throw std::runtime_error("--methods: " + name + " does not take --constraints");
    out.push_back(*found);
  }
  return out;
}

ordered_json comparison::step(const std::vector<std::string>& arguments) {
  std::vector<std::string> command{self_};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const std::string log = work_ / "step.log";
  const auto done = run_measured(command, ".", log, 3600);
  if (!done.problem.empty())
    throw std::runtime_error(arguments[0] + " of " + arguments[1] + ": " + done.problem);
  return printed_object(log);
}

comparison::graph comparison::prepare(const std::string& input) {
  graph out;
  const std::string made = work_ / "prepared.graph";
  std::vector<std::string> command{"prepare", input, "--out", made};
  if (given_.constraints) command.push_back("--constraints");
  out.about = step(command);
  out.name = out.about["name"];
  for (std::size_t i = 2; std::any_of(graphs_.begin(), graphs_.end(),
                                      [&](const auto& other) { return other["name"] == out.name; });
       ++i)
    out.name = out.about["name"].get<std::string>() + "-" + std::to_string(i);
  out.about["name"] = out.name;
  out.file = work_ / (out.name + ".graph");
  fs::rename(made, out.file);
  std::cerr << out.name << ": " << out.about["nodes"] << " nodes, " << out.about["edges"]
            << " edges\n";
  for (const auto& one : methods_) {
    if (one.runs == runner::program && out.chunked.empty()) {
      out.chunked = work_ / (out.name + ".chunks");
      const auto done = run_measured(
          {given_.program, "chunk", "--input", out.file, "--out", out.chunked, "--format", "numpy"},
          ".", work_ / "chunk.log", 3600);
      if (!done.problem.empty()) throw std::runtime_error("chunk: " + done.problem);
    }
    if (needs_cuttana_file(one) && out.cuttana.empty()) {
      out.cuttana = work_ / (out.name + ".cuttana");
      step({"cuttana", out.file, "--out", out.cuttana});
    }
  }
  return out;
}

void comparison::run_once(const graph& g, const method& which, measured_row& row,
                          std::optional<std::uint64_t> seed) {
  const std::string folder = work_ / "run", log = work_ / "run.log";
  fs::remove_all(folder);
  fs::create_directories(folder + "/partitioned_files");  // CUTTANA writes there
  const bool other_format = needs_cuttana_file(which);
  const std::string file = g.name + (other_format ? ".cuttana" : ".graph");
  fs::create_symlink(other_format ? g.cuttana : g.file, fs::path(folder) / file);
  assignment_request request{.graph = file,
                             .parts = row.parts,
                             .tolerance = given_.tolerance,
                             .threads = which.threads,
                             .seed = seed,
                             .out = "result"};
  std::vector<std::string> command;
  if (which.runs == runner::peer) {
    command = peer_command(which, request);
  } else {
    const std::string threads = std::to_string(which.threads), parts = std::to_string(row.parts);
    std::ostringstream tolerance;
    tolerance << given_.tolerance;
    if (which.runs == runner::policy) {
      command = {self_,       "assign", file,          which.name,      "--parts", parts,
                 "--threads", threads,  "--tolerance", tolerance.str(), "--out",   "result"};
    } else {
      command = {given_.program, "assign",  "--in-dir",     g.chunked,     "--out-dir",
                 "result",       "--parts", parts,          "--method",    which.program,
                 "--threads",    threads,   "--no-measure", "--tolerance", tolerance.str()};
    }
    if (seed) command.insert(command.end(), {"--seed", std::to_string(*seed)});
  }
  const auto done = run_measured(command, folder, log, given_.timeout);
  if (!done.problem.empty()) {
    row.problem = done.problem;
    return;
  }
  const std::string result = result_in(folder);
  if (result.empty()) {
    row.problem = "it wrote no result: " + last_line(log);
    return;
  }
  ordered_json run{
      {"wall_seconds", done.wall}, {"cpu_seconds", done.cpu}, {"peak_bytes", done.peak_bytes}};
  if (seed) run["seed"] = *seed;
  if (which.runs == runner::policy) {
    std::istringstream said(last_line(log));
    double seconds = 0;
    for (std::string what; said >> what >> seconds;)
      run[what == "read" ? "reading_seconds" : what + "_seconds"] = seconds;
  }
  std::ostringstream tolerance;
  tolerance << given_.tolerance;
  std::vector<std::string> judging{
      "judge",       g.file,         result, "--parts", std::to_string(row.parts),
      "--tolerance", tolerance.str()};
  const std::string plain = work_ / "plain.part";
  if (given_.simulate) judging.insert(judging.end(), {"--rewrite", plain});
  try {
    run.update(step(judging));
  } catch (const std::exception& problem) {
    row.problem = problem.what();
    return;
  }
  row.runs.push_back(std::move(run));
  if (given_.simulate && row.remote_bytes < 0) simulate(g, row, plain);
}

/// What training with sampled neighbors fetches from other parts: rows, and structure.
void comparison::simulate(const graph& g, measured_row& row, const std::string& assignment) {
  const std::string folder = work_ / "parts", log = work_ / "simulate.log";
  const auto parted = run_measured(
      {given_.program, "partition", "--input", g.file, "--name", "g", "--parts",
       std::to_string(row.parts), "--method", "given", "--assignment", assignment, "--out", folder},
      ".", log, 3600);
  if (!parted.problem.empty()) throw std::runtime_error("partition: " + parted.problem);
  const auto done = run_measured({given_.program, "simulate", folder + "/g.json", "--json"}, ".",
                                 log, 3600);
  if (!done.problem.empty()) throw std::runtime_error("simulate: " + done.problem);
  const auto found = printed_object(log);
  row.remote_bytes = found.value("remote_rows_per_batch", 0.0) *
                         static_cast<double>(given_.row_bytes) +
                     found.value("structure_bytes_per_batch", 0.0);
  fs::remove_all(folder);
}

void comparison::measure_all() {
  std::vector<std::string> inputs = given_.graphs;
  for (const auto scale : given_.rmat) inputs.push_back("rmat:" + std::to_string(scale));
  for (const auto& input : inputs) {
    const auto g = prepare(input);
    graphs_.push_back(g.about);
    for (const auto parts : given_.parts) {
      std::vector<measured_row> here;
      for (const auto& one : methods_) {
        measured_row row;
        row.graph = g.name;
        row.parts = parts;
        row.method = one.name;
        row.threads = one.threads;
        here.push_back(std::move(row));
      }
      // All methods in turn, so that a slow moment of the machine does not meet one of them alone.
      const std::size_t runs = given_.seeds != 0 ? given_.seeds : given_.runs;
      for (std::size_t i = 0; i < runs; ++i) {
        for (std::size_t m = 0; m < methods_.size(); ++m) {
          if (!here[m].problem.empty()) continue;
          run_once(g, methods_[m], here[m],
                   given_.seeds != 0 ? std::optional<std::uint64_t>(i + 1) : given_.seed);
        }
      }
      for (auto& row : here) {
        row.close();
        std::cerr << "  k = " << parts << "  " << row.method << ": ";
        if (row.problem.empty())
          std::cerr << static_cast<std::uint64_t>(row.cut) << ", " << human_seconds(row.wall)
                    << (row.met ? "" : ", beyond the tolerance") << "\n";
        else
          std::cerr << "failed: " << row.problem << "\n";
        rows_.push_back(std::move(row));
      }
    }
    fs::remove(g.file);
    if (!g.cuttana.empty()) fs::remove(g.cuttana);
    if (!g.chunked.empty()) fs::remove_all(g.chunked);
  }
}

void comparison::write() {
  auto here = here_;
  here.share = std::min(here.share, processor_share(here.cores));  // before and after
  const bool referenced = std::any_of(rows_.begin(), rows_.end(), [&](const auto& row) {
    return row.method == given_.reference && row.problem.empty();
  });
  const std::string reference = referenced ? given_.reference : rows_.front().method;
  const auto all = summarize(rows_, reference);
  std::span<const detail::promise> promises;
  if (reference == "gpmetis" && given_.tolerance == 0.03) {
    promises = detail::promises;
    if (given_.constraints) promises = detail::promises_of_constraints;
  } else if (reference == "assign:fennel" && given_.tolerance == 0.03 && !given_.constraints) {
    promises = detail::promises_of_streaming;
  }
  std::ostringstream percent;
  percent << given_.tolerance * 100;
  const std::string runs = given_.seeds != 0
                               ? "median of " + std::to_string(given_.seeds) + " seeds"
                           : given_.runs == 1
                               ? "one run"
                               : "median of " + std::to_string(given_.runs) + " runs";
  const std::string head =
      in_words(here) + "; " + runs +
      ", whole processes with reading the METIS file (assign: binary chunks); allowed " +
      "imbalance " + percent.str() + " % of " +
      (given_.constraints ? "three classes of nodes and of the degrees" : "nodes") + ". ";
  const std::string table = as_markdown(summary_table(all, promises, given_.seeds > 1));
  std::string text =
      warning(here) + head + "Geometric means relative to `" + reference + "`:\n\n" + table +
      "\nCut; in brackets the time relative to `" + reference + "`, whose own is in seconds" +
      (given_.constraints
           ? "; in square brackets the largest imbalance, bold where it is beyond the tolerance"
           : "; in square brackets the imbalance where it is beyond the tolerance") +
      ":\n\n" + as_markdown(cut_table(rows_, reference, given_.constraints));
  const std::string base = given_.out + "/" + given_.name;
  write_file(base + ".md", text);
  write_file(base + "_rows.md", as_markdown(full_table(rows_)));

  ordered_json json{{"machine", as_json(here)},
                    {"reference", reference},
                    {"tolerance", given_.tolerance},
                    {"constraints", given_.constraints},
                    {"graphs", graphs_}};
  json["summary"] = ordered_json::array();
  for (const auto& one : all) json["summary"].push_back(as_json(one));
  json["rows"] = ordered_json::array();
  for (const auto& row : rows_) json["rows"].push_back(as_json(row));
  write_file(base + ".json", json.dump(1) + "\n");

  std::vector<chart_mark> marks;
  for (const auto& one : all) {
    if (one.rows == 0) continue;
    const bool ours = std::any_of(methods_.begin(), methods_.end(),
                                  [&](const method& m) { return m.name == one.method && m.ours; });
    marks.push_back({one.method, one.wall, one.cut, ours,
                     one.failed != 0 ? std::to_string(one.rows) + " of " +
                                           std::to_string(one.rows + one.failed) + " rows"
                     : one.beyond != 0 ? "beyond the tolerance"
                                       : ""});
  }
  const std::size_t shown = rows_.size() / std::max<std::size_t>(1, methods_.size());
  write_file(
      base + ".svg",
      draw_chart(
          marks, "Cut against time",
          "Geometric means over " + std::to_string(shown) + " rows of graph and number of parts; " +
              percent.str() +
              " % imbalance; dashed: the Pareto front; faded: beyond the tolerance, or rows are missing",
          reference));
  std::cout << text << "\nresults are in " << base << "{.md,_rows.md,.json,.svg}\n";
}

int compare(options& given) {
  if (given.quick) {
    given.runs = 1;
    if (given.graphs.empty() && given.rmat.empty()) given.rmat = {10};
    given.parts = {4};
  }
  // Runs have working directories of their own.
  if (!given.program.empty()) given.program = fs::absolute(given.program).string();
  if (given.name.empty())
    given.name = given.constraints ? "partitioners_constraints" : "partitioners";
  if (given.list) {
    for (const auto& one : available_methods(given.program, given.threads)) {
      std::cout << one.name << (one.constraints ? "  (takes --constraints)" : "")
                << (one.runs == runner::peer ? "  " + one.program : "") << "\n";
    }
    return 0;
  }
  if (given.graphs.empty() && given.rmat.empty()) given.rmat = {16};
  if (given.runs == 0) throw std::runtime_error("--runs must be at least 1");
  if (given.simulate && given.program.empty())
    throw std::runtime_error("--simulate needs --program, the program halograph");
  comparison all(given);
  all.measure_all();
  all.write();
  return 0;
}

}  // namespace

}  // namespace halograph::bench

int main(int count, char** words) {
  using namespace halograph::bench;
  options given;
#ifdef HALOGRAPH_PROGRAM
  given.program = HALOGRAPH_PROGRAM;
#endif
  CLI::App app("partitioners side by side");
  app.add_option("graphs", given.graphs, "graphs in any form that `halograph partition` reads");
  // Lists by commas: an option takes one word, so that graphs may follow.
  const auto list = [&](const std::string& flag, auto& values, const std::string& what) {
    app.add_option(flag, values, what)->delimiter(',')->allow_extra_args(false);
  };
  list("--rmat", given.rmat, "R-MAT graphs of 2^S nodes and 16 edges a node");
  list("--parts,-k", given.parts, "numbers of parts, by default 8,64");
  list("--methods", given.methods, "by default all that are found; see --list");
  app.add_flag("--list", given.list, "show the methods that can run here");
  app.add_option("--runs", given.runs, "of which the median counts")->capture_default_str();
  app.add_option("--seed", given.seed, "of all runs; by default each method's own");
  app.add_option("--seeds", given.seeds, "instead of --runs: one run for each seed from 1 to N");
  app.add_option("--threads", given.threads, "for methods that use several")->capture_default_str();
  app.add_option("--tolerance", given.tolerance, "allowed imbalance")->capture_default_str();
  app.add_flag("--constraints", given.constraints,
               "balance three random classes of nodes and the degrees instead of the nodes");
  app.add_option("--reference", given.reference, "the method that others are compared with")
      ->capture_default_str();
  app.add_flag("--simulate", given.simulate,
               "also the bytes that sampling fetches from other parts");
  app.add_option("--row-bytes", given.row_bytes, "bytes of a node's features, for --simulate")
      ->capture_default_str();
  app.add_option("--timeout", given.timeout, "seconds after which a run is ended")
      ->capture_default_str();
  app.add_option("--program", given.program, "the program halograph; empty: leave its methods out");
  app.add_option("--scratch", given.scratch, "where graphs and results are written while it runs")
      ->capture_default_str();
  app.add_option("--out", given.out, "where NAME.{md,json,svg} and NAME_rows.md go");
  app.add_option("--name", given.name, "NAME, by default partitioners[_constraints]");
  app.add_flag("--quick", given.quick, "one small graph, 4 parts, one run");

  // Steps that this benchmark starts as processes of their own.
  auto* const prepare = app.add_subcommand("prepare", "write a graph as a METIS file");
  prepare->add_option("input", given.input)->required();
  prepare->add_option("--out", given.request.out)->required();
  prepare->add_flag("--constraints", given.constraints);
  auto* const cuttana = app.add_subcommand("cuttana", "write a METIS file in CUTTANA's format");
  cuttana->add_option("input", given.input)->required();
  cuttana->add_option("--out", given.request.out)->required();
  auto* const assign = app.add_subcommand("assign", "run a policy on a METIS file");
  assign->add_option("graph", given.request.graph)->required();
  assign->add_option("policy", given.policy)->required();
  assign->add_option("--out", given.request.out)->required();
  assign->add_option("--parts", given.request.parts);
  assign->add_option("--tolerance", given.request.tolerance);
  assign->add_option("--threads", given.request.threads);
  assign->add_option("--seed", given.request.seed);
  auto* const judging = app.add_subcommand("judge", "measure an assignment");
  judging->add_option("graph", given.judged.graph)->required();
  judging->add_option("assignment", given.judged.file)->required();
  judging->add_option("--parts", given.judged.parts);
  judging->add_option("--tolerance", given.judged.tolerance);
  judging->add_option("--rewrite", given.judged.rewrite);
  app.require_subcommand(0, 1);
  CLI11_PARSE(app, count, words);

  return answer_of([&] {
    if (*prepare) {
      std::cout << prepare_graph(given.input, given.request.out, given.constraints).dump() << "\n";
      return 0;
    }
    if (*cuttana) {
      write_cuttana_file(given.input, given.request.out);
      std::cout << "{}\n";
      return 0;
    }
    if (*assign) {
      assign_by_policy(given.policy, given.request);
      return 0;
    }
    if (*judging) {
      std::cout << judge(given.judged).dump() << "\n";
      return 0;
    }
    return compare(given);
  });
}
