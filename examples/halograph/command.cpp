// SPDX-License-Identifier: BSL-1.0
#include "command.hpp"
#include "flag_values.hpp"
#include "inputs.hpp"
#include "ranks.hpp"

#include <halograph/comm/collective_errors.hpp>
#include <halograph/core/utf8.hpp>
#include <halograph/core/version.hpp>
#include <halograph/folder/quality_report.hpp>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <iostream>
#include <string_view>
#include <thread>

namespace halograph::cli {

namespace {

/// In every flag '-' and '_' are the same: "--num_parts=4" becomes "--num-parts=4". Values stay.
std::vector<std::string> normalize(int argc, char** argv) {
  std::vector<std::string> words;
  bool flags = true;
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    if (word == "--") flags = false;
    if (flags && word.size() > 2 && word[0] == '-' && word[1] == '-') {
      const auto end = std::min(word.find('='), word.size());
      std::replace(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(end), '_', '-');
    }
    words.push_back(std::move(word));
  }
  return words;
}

int fail(const context& asked, std::string_view command, const error& problem, int code) {
  ignore_signals();
  end_line();
  if (!speaks()) return end_ranks(code);
  if (asked.json) print_json(json_of(command, problem));
  std::cerr << "halograph: " << printable(problem.what()) << '\n';
  return end_ranks(code);
}

/// What is wrong where an input has changed while it was read: that, not what came of it.
error cause_of(const error& problem) {
  if (problem.code() == error_kind::canceled) return problem;
  return inputs_of_this_run()->changed().value_or(problem);
}

/// Under a launcher every process would do the whole of what knows nothing of ranks, all into one
/// output.
void require_one_process(const entry& chosen) {
  if (chosen.ranks || launched().ranks == 1) return;
  raise(error_kind::unsupported,
        std::string(chosen.name) + " works in one process, and a launcher has started " +
            std::to_string(launched().ranks) + "; run it without, or on one rank");
}

}  // namespace

std::string printable(std::string_view text) {
  constexpr char digits[] = "0123456789abcdef";
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const auto next = first_utf8(text.substr(at));
    const std::size_t bytes = std::max<std::size_t>(next.bytes, 1);
    if (text[at] == '\n' || text[at] == '\t' || (next.bytes != 0 && !is_control(next.value))) {
      out += text.substr(at, bytes);
    } else {
      for (const char c : text.substr(at, bytes)) {
        const auto byte = static_cast<unsigned char>(c);
        out += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
      }
    }
    at += bytes;
  }
  return out;
}

void print_json(const json::value& document) {
  std::cout << json::print(document) << '\n';
  std::cout.flush();
}

json::value json_of(std::string_view command, const error& problem) {
  json::value details{json::object{}};
  details.set("code", name(problem.code()));
  details.set("message", problem.what());
  details.set("file",
              problem.where().file.empty() ? json::value() : json::value(problem.where().file));
  details.set("line", problem.where().line ? json::value(*problem.where().line) : json::value());
  details.set("byte", problem.where().byte ? json::value(*problem.where().byte) : json::value());
  json::value root{json::object{}};
  root.set("ok", false);
  root.set("command", command);
  root.set("error", std::move(details));
  return root;
}

void note(const std::string& sentence) {
  if (sentence.empty() || !speaks()) return;
  end_line();
  std::cerr << "halograph: note: " << printable(sentence) << '\n';
}

std::string human_bytes(std::uint64_t bytes) {
  const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(units)) {
    value /= 1024;
    ++unit;
  }
  char text[40];
  std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : "%.1f %s", value, units[unit]);
  return text;
}

std::string table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string pad(widths[i] - row[i].size(), ' ');
      line += (i ? "  " : "") + (i == 0 ? row[i] + pad : pad + row[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  return out;
}

std::string to_text(const quality_report& report) {
  const auto number = [](double value, const char* format) {
    char text[40];
    std::snprintf(text, sizeof text, format, value);
    return std::string(text);
  };
  std::string out = std::to_string(report.nodes) + " nodes of " +
                    std::to_string(report.node_types.size()) + " types, " +
                    std::to_string(report.edges) + " edges of " +
                    std::to_string(report.edge_types.size()) + " types\n\n";
  std::vector<std::vector<std::string>> rows{
      {"part", "inner nodes", "halo nodes", "inner edges", "halo edges", "halo by hop"}};
  for (std::size_t p = 0; p < report.parts.size(); ++p) {
    const auto& part = report.parts[p];
    std::string hops;
    for (const auto count : part.halo_nodes_per_hop)
      hops += (hops.empty() ? "" : " + ") + std::to_string(count);
    rows.push_back({std::to_string(p), std::to_string(part.inner_nodes),
                    std::to_string(part.halo_nodes), std::to_string(part.inner_edges),
                    std::to_string(part.halo_edges), hops.empty() ? "-" : hops});
  }
  out += table(rows) + '\n';
  out += table({{"edge cut", std::to_string(report.edge_cut)},
                {"directed cut", std::to_string(report.directed_cut)},
                {"communication volume", std::to_string(report.communication_volume)},
                {"replication factor", number(report.replication_factor, "%.3f")}});
  if (!report.balance.empty()) {
    rows = {{"balance", "tolerance", "imbalance", "met"}};
    for (const auto& one : report.balance) {
      rows.push_back({one.name, number(one.tolerance, "%.3f"), number(one.imbalance, "%.3f"),
                      one.met ? "yes" : "no"});
    }
    out += '\n' + table(rows);
  }
  return out;
}

int run_program(int argc, char** argv, const std::vector<entry>& entries) {
  context asked;
  asked.words = normalize(argc, argv);
  // Known before parsing, so that a command line that does not parse is answered in the form asked
  // for.
  asked.json = std::find(asked.words.begin(), asked.words.end(), "--json") != asked.words.end();

  command_line line("halograph",
                    "Cut a graph into partitions that a distributed graph engine can load.",
                    HALOGRAPH_VERSION_STRING);
  struct offered {
    flag_set flags;
    action act;
    const entry* what;
  };
  std::vector<offered> actions;
  for (const auto& one : entries) {
    flag_set flags = line.add_subcommand(one.name, one.summary);
    flags.add_flag("--json", asked.json,
                   "print one JSON object on standard output and nothing else");
    add_number(flags, "--threads", asked.threads,
               "threads to use (default: all cores); the result is the same for any number", 1,
               4096);
    actions.push_back({flags, one.add(flags), &one});
  }
  std::string command;
  try {
    const auto read = line.parse(asked.words, speaks());
    if (read.exit_code) return *read.exit_code;
    for (const auto& [flags, act, what] : actions) {
      if (!flags.parsed()) continue;
      command = flags.name();
      if (read.wrong) continue;
      require_one_process(*what);
      // Ranks on one machine share its cores.
      if (asked.threads == 0 && launched().nearby > 1)
        asked.threads = std::max<std::size_t>(
            1, std::thread::hardware_concurrency() / launched().nearby);
      end_on_signals(asked.json, command);
      const answer done = act(asked);
      inputs_of_this_run()->settle();
      ignore_signals();
      const auto steps = finished_steps();
      if (!speaks()) return done.ok ? 0 : 1;
      if (asked.json) {
        json::value root{json::object{}};
        root.set("ok", done.ok);
        root.set("command", command);
        if (const auto* members = done.details.if_object()) {
          for (const auto& [key, value] : *members) {
            if (steps.empty() || (key != "steps" && key != "peak_bytes")) root.set(key, value);
          }
        }
        if (!steps.empty())
          root.set("steps", to_json(steps)).set("peak_bytes", steps.back().peak_bytes);
        print_json(root);
      } else {
        std::cout << printable(done.text);
        if (!steps.empty()) std::cout << '\n' << to_text(steps);
        std::cout.flush();
      }
      if (!std::cout)
        return fail({}, command, error(error_kind::io, "cannot write to standard output"), 1);
      return done.ok ? 0 : 1;
    }
    if (!read.wrong) return 2;
    return fail(
        asked, command,
        error(error_kind::invalid_argument,
              *read.wrong + "; see halograph " + (command.empty() ? "" : command + " ") + "--help"),
        2);
  } catch (const usage_error& problem) {
    return fail(asked, command, error(error_kind::invalid_argument, problem.what()), 2);
  } catch (...) {
    return fail(asked, command, cause_of(error_of(std::current_exception())), 1);
  }
}

}  // namespace halograph::cli
