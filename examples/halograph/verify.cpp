// SPDX-License-Identifier: BSL-1.0
// halograph verify CONFIG.json: is a partition folder right, by itself or as a partitioning of its
// input?
#include "command.hpp"
#include "flag_values.hpp"
#include "formats.hpp"
#include "inputs.hpp"

#include <halograph/folder/assignment_files.hpp>
#include <halograph/io/open_dataset.hpp>
#include <halograph/verify/verify.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace halograph::cli {

namespace {

struct verify_flags {
  std::string config{}, against{}, assignment{};
  std::uint64_t part = 0, trainers = 0, findings = 100, num_nodes = 0;
  bool one_part = false, undirected = false, sized = false;
  memory_flags memory{};
};

template <id Id>
verification verify_against(const verify_flags& asked, verify_options options,
                            std::size_t threads) {
  input_options reading{.features = true, .undirected = asked.undirected};
  reading.yaml = yaml_codec();
  if (asked.sized) reading.num_nodes = asked.num_nodes;
  reading.most_bytes = options.most_bytes;
  const auto run = make_threads(threads);
  const auto input = load_dataset<Id, Id>(asked.against, reading, input_files(), json_codec(), run,
                                          input_tables());
  assignment_folder assigned;
  if (!asked.assignment.empty()) {
    assigned = read_assignment(asked.assignment, input.schema, input.node_counts, std::nullopt,
                               input_files(), json_codec(), run);
    if (!assigned.note.empty()) note(assigned.note);
    options.assignment = assigned.owner;
  }
  const std::uint64_t held = std::uint64_t{input.num_edges()} * 2 * sizeof(Id);
  options.most_bytes -= std::min(options.most_bytes, held);
  return verify_partition(asked.config, input, known_access(), options, run);
}

verification verify(const verify_flags& asked, std::size_t threads) {
  verify_options options{
      .part = asked.one_part ? std::optional<std::size_t>(asked.part) : std::nullopt,
      .most_findings = static_cast<std::size_t>(asked.findings),
      .assignment = {},
      .trainers_per_machine = static_cast<std::size_t>(asked.trainers),
      .on_progress = show_progress(),
      .most_bytes = asked.memory.allowed()};
  if (asked.against.empty())
    return verify_partition(asked.config, known_access(), options, make_threads(threads));
  try {
    return verify_against<std::uint32_t>(asked, options, threads);
  } catch (const error& problem) {
    if (problem.code() != error_kind::overflow) throw;
  }
  return verify_against<std::uint64_t>(asked, options, threads);
}

std::string text_of(const verification& found) {
  std::string out;
  for (const auto& one : found.findings) out += one.file + ": " + one.sentence + "\n";
  if (found.count > found.findings.size()) {
    out += "... and " + counted(found.count - found.findings.size(), "more finding") + "\n";
  }
  std::vector<std::vector<std::string>> rows{{"check", "findings"}};
  for (std::size_t i = 0; i < check_kinds; ++i) {
    const auto& check = found.checks[i];
    rows.push_back({std::string(name(static_cast<check_kind>(i))),
                    check.done || check.findings != 0 ? std::to_string(check.findings) : "-"});
  }
  out += (out.empty() ? "" : "\n") + table(rows) + "\n";
  out += found.ok() ? "nothing wrong in " : counted(found.count, "finding") + " in ";
  return out + counted(found.parts, "part") + " of a graph of " + counted(found.nodes, "node") +
         " and " + counted(found.edges, "edge") + "\n";
}

}  // namespace

action add_verify(flag_set& app) {
  auto given = std::make_shared<verify_flags>();
  app.example("halograph verify parts/papers.json", "check the folder alone");
  app.example("halograph verify parts/papers.json --against papers/",
              "compare every node, edge and feature with the input");
  bind_config(app, given->config);
  app.section("What to compare with");
  const bound_flag against =
      app.add_option("--against", given->against,
                     "the graph that was partitioned, in any format that partition reads")
          .type_name("PATH");
  const bound_flag assignment =
      app.add_option(
             "--assignment", given->assignment,
             "the parts assigned, one text file per node type; needed for folders made with --no-mapping")
          .type_name("DIR")
          .needs(against);
  app.section("What to check");
  const bound_flag part = add_number(app, "--part", given->part, "check this part only", 0,
                                     most_parts - 1);
  add_number(app, "--trainers-per-machine", given->trainers,
             "the assignment names trainers: part = trainer / T (default: detected)", 1, 1 << 20)
      .needs(assignment);
  add_number(app, "--max-findings", given->findings,
             "number of findings to print; all are counted (default: 100)", 1, 1000000);
  add_memory(app, given->memory);
  app.section("What to compare with");
  const bound_flag nodes = add_number(app, "--num-nodes", given->num_nodes,
                                      "as for partition: nodes of an edge list", 0, most_file_ids)
                               .needs(against);
  app.add_flag("--undirected", given->undirected, "as for partition: reverse edges are appended")
      .needs(against);
  return [given, part, nodes](const context& asked) {
    given->one_part = part.count() != 0;
    given->sized = nodes.count() != 0;
    const verification found = verify(*given, asked.threads);
    answer done;
    done.ok = found.ok();
    done.details.set("config", given->config);
    done.details.set("need", json::object{{"memory_bytes", found.memory_bytes},
                                          {"least_bytes", found.least_bytes}});
    const json::value details = to_json(found);
    for (const auto& [key, value] : *details.if_object()) done.details.set(key, value);
    for (const auto& sentence : found.notes) note(sentence);
    done.text = text_of(found);
    return done;
  };
}

}  // namespace halograph::cli
