// SPDX-License-Identifier: BSL-1.0
#include "command.hpp"
#include "flag_values.hpp"
#include "help_text.hpp"
#include "inputs.hpp"
#include "ranks.hpp"

#include <halograph/comm/collective_errors.hpp>
#include <halograph/core/utf8.hpp>
#include <halograph/folder/quality_report.hpp>
#include <halograph/serial/text/readable.hpp>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <iterator>
#include <memory>
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

/// The beginning of a message, in a color where standard error shows them.
std::string highlighted(const std::string& text, const char* color) {
  return shows_color(STDERR_FILENO) ? std::string("\033[") + color + "m" + text + "\033[0m" : text;
}

int fail(const context& asked, std::string_view command, const error& problem, int code) {
  ignore_signals();
  end_line();
  if (!speaks()) return end_ranks(code);
  if (asked.json) print_json(json_of(command, problem));
  // Made before a part of it is printed: memory may end.
  std::cerr << highlighted("halograph:", "31") + ' ' + printable(problem.what()) + '\n';
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

/// Run a command that only reads, and again where its inputs were replaced meanwhile: what it
/// answers is about one state of them. Nothing but notes has been printed before it returns.
answer read_one_state(const action& act, const context& asked) {
  constexpr int attempts = 20;
  const auto changed = [] { return inputs_of_this_run()->changed().has_value(); };
  for (int attempt = 1;; ++attempt) {
    try {
      answer done = act(asked);
      inputs_of_this_run()->settle();
      return done;
    } catch (const error& problem) {
      if (attempt == attempts || problem.code() == error_kind::canceled || !changed()) throw;
    }
    inputs_of_this_run()->forget("/");  // everything is read again
    // Folders that are replaced in a loop are not read in the same rhythm.
    std::this_thread::sleep_for(std::chrono::milliseconds(attempt));
  }
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const auto next = first_utf8(text.substr(at));
    const std::size_t bytes = std::max<std::size_t>(next.bytes, 1);
    if (text[at] == '\n' || text[at] == '\t' || (next.bytes != 0 && !is_control(next.value))) {
      out += text.substr(at, bytes);
    } else {
      out += detail::escaped_bytes(text.substr(at, bytes));
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

/// The edges of the graph that an answer is about; 0: it does not say.
static std::uint64_t edges_of(const answer& done) {
  const json::value* const graph = done.details.find("graph");
  const json::value* const edges = (graph != nullptr ? *graph : done.details).find("edges");
  std::uint64_t count = 0;
  return edges != nullptr && edges->to_uint(count) ? count : 0;
}

void note(const std::string& sentence) {
  if (sentence.empty() || !speaks() || is_quiet()) return;
  end_line();
  std::cerr << highlighted("halograph: note:", "33") + ' ' + printable(sentence) + '\n';
}

std::string table(const std::vector<std::vector<std::string>>& all) {
  auto rows = all;
  for (auto& row : rows) {
    for (std::size_t i = 1; i < row.size(); ++i) {
      if (const auto number = whole_number(row[i])) row[i] = grouped(*number);
    }
  }
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  // Numbers, perhaps with a unit, are to the right; words are not.
  std::vector<bool> numbers(widths.size(), true);
  for (std::size_t r = 1; r < rows.size(); ++r) {
    for (std::size_t i = 0; i < rows[r].size(); ++i) {
      const std::string& cell = rows[r][i];
      const bool sign = cell == "-" || cell == "?";
      if (i == 0 || (!sign && (cell.empty() || cell[0] < '0' || cell[0] > '9' ||
                               std::count(cell.begin(), cell.end(), ' ') > 1)))
        numbers[i] = false;
    }
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string pad(widths[i] - row[i].size(), ' ');
      line += (i ? "  " : "") + (numbers[i] ? pad + row[i] : row[i] + pad);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  return out;
}

shown_balance shown(const balance_report& one) {
  shown_balance out;
  for (int digits = 3; digits <= 9; ++digits) {
    out = {readable::fixed(one.imbalance, digits), readable::fixed(one.tolerance, digits)};
    const double lost = std::abs(std::strtod(out.tolerance.c_str(), nullptr) - one.tolerance);
    if (lost <= one.tolerance / 200 && (one.met || out.imbalance != out.tolerance)) break;
  }
  return out;
}

void note_unmet(const std::vector<balance_report>& loads, std::string_view method, bool named) {
  for (const auto& one : loads) {
    const bool unavoidable = one.least_imbalance > one.tolerance;
    const std::string least = readable::fixed(one.least_imbalance, 3);
    if (one.met) {
      if (unavoidable)
        note("constraint " + one.name + " has imbalance " + readable::fixed(one.imbalance, 3) +
             ", above its tolerance " + readable::fixed(one.tolerance, 3) +
             ", because parts hold whole nodes: less than " + least + " is impossible");
      continue;
    }
    // The next hundredth is what the result at hand would satisfy.
    const std::string enough = "--tolerance " + (named ? one.name + "=" : std::string()) +
                               readable::fixed(std::floor(one.imbalance * 100 + 1) / 100, 2);
    const std::string other = method == "multilevel" ? "--preset strong, another --seed"
                              : method == "metis"    ? "--method multilevel, another --seed"
                              : method == "given"    ? "--refine"
                              : method.empty()       ? "another --seed"
                                                     : "--method multilevel, --refine";
    const auto [imbalance, tolerance] = shown(one);
    note("constraint " + one.name + " is not met: imbalance " + imbalance + ", tolerance " +
         tolerance +
         (unavoidable ? ", of which " + least + " is unavoidable because parts hold whole nodes"
                      : std::string()) +
         "; try " + other +
         (std::isfinite(one.imbalance) ? ", or allow it with " + enough : std::string()));
  }
}

std::string how_to_load(const std::string& config, bool native) {
  const std::string call = "load_partition(\"" + config + "\", 0)";
  return (native ? std::string() : "in DGL:  dgl.distributed." + call + "\n") +
         "in C++:  halograph::" + call + ", of <halograph/hosted.hpp>\n";
}

void tell_owned_nodes(const quality_report& report,
                      const std::vector<std::vector<std::uint64_t>>& nodes, answer& done) {
  constexpr std::size_t most_rows = 64;
  json::value parts{json::array{}};
  std::vector<std::vector<std::string>> rows{{"part"}};
  for (const auto& [type, count] : report.node_types) rows[0].push_back(type);
  for (std::size_t p = 0; p < nodes.size(); ++p) {
    json::value types{json::object{}};
    if (p < most_rows) rows.push_back({std::to_string(p)});
    for (std::size_t t = 0; t < nodes[p].size(); ++t) {
      types.set(report.node_types[t].first, nodes[p][t]);
      if (p < most_rows) rows.back().push_back(std::to_string(nodes[p][t]));
    }
    parts.push(std::move(types));
  }
  done.details.set("parts", std::move(parts));
  done.text += table(rows);
  if (nodes.size() > most_rows)
    done.text += "... and " + counted(nodes.size() - most_rows, "more part") + "\n";
}

std::string to_text(const quality_report& report, bool cut_known) {
  std::string out = counted(report.nodes, "node") + " of " +
                    counted(report.node_types.size(), "type") + ", " +
                    counted(report.edges, "edge") + " of " +
                    counted(report.edge_types.size(), "type") + "\n\n";
  std::vector<std::vector<std::string>> rows{
      {"part", "inner nodes", "halo nodes", "inner edges", "halo edges", "halo by hop"}};
  for (std::size_t p = 0; p < report.parts.size(); ++p) {
    const auto& part = report.parts[p];
    std::string hops;
    for (const auto count : part.halo_nodes_per_hop)
      hops += (hops.empty() ? "" : " + ") + grouped(count);
    rows.push_back({std::to_string(p), std::to_string(part.inner_nodes),
                    std::to_string(part.halo_nodes), std::to_string(part.inner_edges),
                    std::to_string(part.halo_edges), hops.empty() ? "-" : hops});
  }
  out += table(rows) + '\n';
  const auto if_known = [&](std::uint64_t count) {
    return cut_known ? std::to_string(count) : std::string("-");
  };
  out += table({{"edge cut", if_known(report.edge_cut)},
                {"directed cut", std::to_string(report.directed_cut)},
                {"communication volume", if_known(report.communication_volume)},
                {"replication factor", readable::fixed(report.replication_factor, 3)}});
  if (!report.balance.empty()) {
    rows = {{"balance", "tolerance", "imbalance", "met"}};
    for (const auto& one : report.balance) {
      const auto [imbalance, tolerance] = shown(one);
      rows.push_back({one.name, tolerance, imbalance, one.met ? "yes" : "no"});
    }
    out += '\n' + table(rows);
  }
  return out;
}

namespace {

/// halograph help [COMMAND], and its manual page.
action add_help(flag_set& app, const command_line& line) {
  struct help_flags {
    std::vector<std::string> command{};
    bool man = false;
  };
  const auto given = std::make_shared<help_flags>();
  app.example("halograph help partition", "the flags of a command");
  app.example("halograph help --man partition | man -l -", "its manual page");
  app.add_option("command", given->command, "the command (default: the list of all commands)")
      .type_name("COMMAND");
  app.add_flag("--man", given->man, "print the manual page instead, in roff");
  return [given, &line](const context&) {
    std::string name;
    for (const auto& word : given->command) name += (name.empty() ? "" : " ") + word;
    const command_words all = line.describe();
    const command_words& command = find_command(all, name);
    answer done;
    done.raw = true;
    done.text = given->man ? man_page(all, command)
                           : help_text(command, shows_color(STDOUT_FILENO));
    done.details.set("text", given->man ? done.text : help_text(command, false));
    return done;
  };
}

/// halograph completion SHELL.
action add_completion(flag_set& app, const command_line& line) {
  const auto shell = std::make_shared<std::string>();
  app.example("halograph completion bash >~/.local/share/bash-completion/completions/halograph",
              "completion in every new bash");
  app.example("halograph completion fish >~/.config/fish/completions/halograph.fish",
              "the same for fish; for zsh, write _halograph to a folder of $fpath");
  app.add_option("shell", *shell, "bash, zsh or fish")
      .required()
      .one_of({std::begin(completion_shells), std::end(completion_shells)});
  return [shell, &line](const context&) {
    answer done;
    done.raw = true;
    done.text = completion_script(*shell, line.describe());
    done.details.set("text", done.text);
    return done;
  };
}

}  // namespace

int run_program(int argc, char** argv, const std::vector<entry>& entries) {
  context asked;
  asked.words = normalize(argc, argv);
  // Known before parsing, so that a command line that does not parse is answered in the form asked
  // for.
  asked.json = std::find(asked.words.begin(), asked.words.end(), "--json") != asked.words.end();

  command_line line("halograph",
                    "Cut a graph into partitions that a distributed graph engine can load.");
  flag_set common = line.common();
  common.example("halograph partition papers/ -k 8 -o parts/",
                 "a graph in 8 parts, as DGL's files");
  common.example("halograph verify parts/papers.json --against papers/",
                 "prove that they are the graph");
  common.add_flag("--json", asked.json,
                  "print one JSON object on standard output and nothing else");
  common.add_flag("--quiet", asked.quiet, "print errors and what was asked for, and nothing else");
  common
      .add_option("--inputs-within", asked.inputs_within,
                  "read files in this folder alone, whatever paths an input names; may be repeated")
      .type_name("DIR");
  add_number(common, "--threads", asked.threads,
             "threads to use (default: all cores); the result is the same for any number", 1, 4096);
  std::vector<entry> all = entries;
  const char* const about = "About the program";
  all.push_back({"help", "show the flags of a command, or its manual page",
                 [&](flag_set& app) { return add_help(app, line); }, true, true, about});
  all.push_back({"completion", "print the completion script for bash, zsh or fish",
                 [&](flag_set& app) { return add_completion(app, line); }, true, true, about});
  struct offered {
    flag_set flags;
    action act;
    const entry* what;
  };
  std::vector<offered> actions;
  for (const auto& one : all) {
    flag_set flags = line.add_subcommand(one.name, one.summary, one.section);
    actions.push_back({flags, one.add(flags), &one});
  }
  std::string command;
  try {
    const auto read = line.parse(asked.words);
    if (read.help || read.version) {
      if (!speaks()) return 0;
      const command_words described = line.describe();
      std::cout << (read.version ? version_text()
                                 : help_text(find_command(described, read.command),
                                             shows_color(STDOUT_FILENO)));
      std::cout.flush();
      if (!std::cout)
        return fail({}, command, error(error_kind::io, "cannot write to standard output"), 1);
      return 0;
    }
    for (const auto& [flags, act, what] : actions) {
      if (!flags.parsed()) continue;
      command = flags.name();
      if (read.wrong) continue;
      require_one_process(*what);
      // Ranks on one machine share its cores.
      if (asked.threads == 0 && launched().nearby > 1)
        asked.threads = std::max<std::size_t>(
            1, std::thread::hardware_concurrency() / launched().nearby);
      be_quiet(asked.quiet);
      for (const auto& folder : asked.inputs_within) {
        if (!is_folder(folder)) raise(error_kind::not_found, "no such folder", {.file = folder});
        inputs_of_this_run()->confine(folder);
      }
      end_on_signals(asked.json, command);
      const bool only_reads = what->shows && !what->ranks;
      const answer done = only_reads ? read_one_state(act, asked) : act(asked);
      if (!only_reads) inputs_of_this_run()->settle();
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
        if (!asked.quiet || what->shows) std::cout << (done.raw ? done.text : printable(done.text));
        if (!asked.quiet) {
          if (!steps.empty()) std::cout << '\n' << to_text(steps, edges_of(done));
          if (!done.next.empty()) std::cout << '\n' << printable(done.next);
        }
        std::cout.flush();
      }
      if (!std::cout)
        return fail({}, command, error(error_kind::io, "cannot write to standard output"), 1);
      return done.ok ? 0 : 1;
    }
    return fail(asked, command,
                error(error_kind::invalid_argument,
                      read.wrong.value_or("a command is required") + "; see halograph " +
                          (read.command.empty() ? "" : read.command + " ") + "--help"),
                2);
  } catch (const usage_error& problem) {
    return fail(asked, command, error(error_kind::invalid_argument, problem.what()), 2);
  } catch (...) {
    return fail(asked, command, cause_of(error_of(std::current_exception())), 1);
  }
}

}  // namespace halograph::cli
