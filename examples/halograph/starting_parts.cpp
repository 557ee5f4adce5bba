// SPDX-License-Identifier: BSL-1.0
#include "auto_method.hpp"
#include "flag_values.hpp"
#include "inputs.hpp"
#include "metis_policy.hpp"
#include "starting_parts.hpp"

#include <halograph/core/error.hpp>
#include <halograph/folder/assignment_files.hpp>
#include <halograph/partition/connected/components.hpp>
#include <halograph/partition/connected/connected_parts.hpp>
#include <halograph/partition/fixed_point.hpp>
#include <halograph/partition/multilevel.hpp>
#include <halograph/serial/text/columns.hpp>
#include <halograph/serial/text/readable.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

namespace halograph::cli {

namespace {

constexpr part_id none = starting_parts::no_part;
static_assert(none == multilevel::no_part);

/// A number of nodes, or a share of them.
struct moves_bound {
  std::optional<std::uint64_t> nodes{};
  double percent = 100;
};
std::optional<moves_bound> bound_of(const std::string& text) {
  if (text.empty() || text.back() != '%') {
    const auto nodes = whole_number(text);
    return nodes ? std::optional(moves_bound{nodes, 100}) : std::nullopt;
  }
  const auto percent = finite_number(std::string_view(text).substr(0, text.size() - 1));
  if (!percent || !(*percent >= 0) || *percent > 100) return std::nullopt;
  return moves_bound{std::nullopt, *percent};
}

/// The parts of one node type, appended. @param flag  that names the file  @param nodes  of the
/// type
void append_parts(std::string_view flag, const std::string& file, const std::string& type,
                  std::uint64_t nodes, std::uint64_t parts, executor_ref threads,
                  std::vector<part_id>& owner) {
  const bool fixed = flag == "--fixed";
  const any_file_opener files = input_files();
  const auto content = open_lines(files, file);
  const auto column = read_column<std::int64_t>(
      content.bytes, file,
      {.format = {.delimiter = ' ', .comments = true},
       .least = -1,
       .most = static_cast<std::int64_t>(parts) - 1,
       .integral_floats = true,
       .what = fixed ? "a part (-1: any)" : "a part (-1: a new node)"},
      threads);
  if (column.size() > nodes) {
    raise(error_kind::mismatch,
          "the assignment of " + std::string(flag) + " has " + std::to_string(column.size()) +
              " nodes of type " + graph_schema::quoted(type) + ", but the graph has only " +
              std::to_string(nodes) +
              (fixed ? std::string() : "; nodes may be new, and none may be missing"),
          {.file = file});
  }
  for (const auto part : column) owner.push_back(part < 0 ? none : static_cast<part_id>(part));
  owner.insert(owner.end(), static_cast<std::size_t>(nodes) - column.size(), none);
}

multilevel_refinement policy_of(const refinement& asked) {
  return {.parts = asked.parts,
          .objective = asked.objective,
          .effort = effort_of(asked.preset),
          .seed = asked.seed,
          .constraints = asked.constraints,
          .tolerance = asked.tolerance,
          .balance_types = asked.balance_types,
          .edge_weights = asked.edge_weights,
          .node_sizes = asked.node_sizes,
          .fixed = asked.fixed,
          .part_weights = asked.part_weights};
}

connected_parts joiner_of(const refinement& asked) {
  return {.parts = asked.parts,
          .tolerance = asked.tolerance,
          .constraints = asked.constraints,
          .balance_types = asked.balance_types};
}

template <class Graph>
status refine_if_asked(const refinement& asked, const Graph& g, std::span<part_id> owner,
                       executor_ref threads) {
  if (asked.asked) {
    if (const status refined = policy_of(asked).refine(g, owner, assign_context(threads)); !refined)
      return refined;
  }
  if (asked.connected) {
    if (const status joined = joiner_of(asked).refine(g, owner); !joined) return joined;
  }
  if (asked.connections != nullptr)
    *asked.connections = count_components(g, std::span<const part_id>(owner), asked.parts);
  return status::ok;
}

}  // namespace

multilevel_effort effort_of(std::string_view preset) {
  return preset == "fast"     ? multilevel_effort::fast()
         : preset == "strong" ? multilevel_effort::strong()
                              : multilevel_effort::balanced();
}

halograph::objective objective_of(std::string_view word) {
  return word == "vol" ? halograph::objective::volume : halograph::objective::cut;
}

void bind_goal_flags(flag_set& app, std::string& objective, std::string& preset, bool& compress) {
  app.add_option("--objective", objective,
                 "what multilevel, metis and --refine minimize: cut or vol (default: cut)")
      .one_of({"cut", "vol"});
  app.add_option(
         "--preset", preset,
         "what multilevel does for fewer cut edges: fast, balanced or strong (default: balanced)")
      .one_of({"fast", "balanced", "strong"});
  app.add_flag(
      "--compress", compress,
      "multilevel: keep the graph compressed while parts are found: the same parts, less memory, more time");
}

void bind_start_flags(flag_set& app, start_flags& flags) {
  app.add_option(
         "--from", flags.from,
         "multilevel: an earlier assignment to improve; nodes that it lacks, at the end of a type or with -1, are new")
      .type_name("PATH");
  app.add_option(
         "--fixed", flags.fixed,
         "multilevel and --refine: parts that nodes must get, in files as those of --from; nodes with -1, or that it lacks, may get any")
      .type_name("PATH");
  app.add_option(
         "--max-moved", flags.max_moved,
         "with --from: nodes that may change their part, a number or a share such as 5% (default: 100%)")
      .type_name("COUNT");
  app.add_flag(
      "--only-new", flags.only_new,
      "with --from: place the new nodes, where their neighbors are, and leave all others in their parts; assign then reads the edges once and keeps only those of new nodes");
  app.add_option(
         "--part-weights", flags.part_weights,
         "multilevel, metis and --refine: what each part is to hold relative to the others, such as "
         "2,1,1")
      .type_name("LIST");
  bind_metis_options(app, flags.metis);
  app.add_flag("--refine", flags.refine,
               "improve what the method made as multilevel does; all edges are loaded");
  app.add_flag(
      "--connected", flags.connected,
      "move what is apart from the rest of its part to a neighboring part that has room; all edges are loaded");
}

std::vector<double> part_weights_of(const start_flags& flags, std::uint64_t parts) {
  std::vector<double> out;
  if (flags.part_weights.empty()) return out;
  const auto refuse = [&](const std::string& why) {
    throw usage_error("--part-weights " + flags.part_weights + " " + why);
  };
  for (std::string_view rest = flags.part_weights;;) {
    const auto comma = rest.find(',');
    const auto weight = finite_number(rest.substr(0, comma));
    constexpr double most = 1048576;
    if (!weight || !(*weight > 0) || *weight > most)
      refuse("must be numbers above 0 and up to 1048576, with commas between");
    else
      out.push_back(*weight);
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  if (out.size() != parts)
    refuse("has " + std::to_string(out.size()) + " weights for " + std::to_string(parts) +
           " parts");
  return out;
}

std::string_view decides_method(const start_flags& flags) {
  if (!flags.from.empty()) return "--from";
  if (!flags.fixed.empty() && !flags.refine) return "--fixed";
  return !flags.part_weights.empty() && !flags.refine ? "--part-weights" : "";
}

void check_start_flags(const start_flags& flags, std::string_view method, std::uint64_t parts) {
  check_metis_options(flags.metis, method);
  if (!flags.part_weights.empty() && method != multilevel::name && method != "metis" &&
      !flags.refine)
    throw usage_error("--part-weights requires --method multilevel or metis, or --refine");
  (void)part_weights_of(flags, parts);
  if (!flags.from.empty() && method != multilevel::name)
    throw usage_error("--from requires --method multilevel");
  if (!flags.fixed.empty() && method != multilevel::name && !flags.refine)
    throw usage_error("--fixed requires --method multilevel or --refine");
  if (!flags.fixed.empty() && flags.only_new)
    throw usage_error("--only-new moves no node that has a part; leave --fixed out");
  if (!flags.fixed.empty() && flags.connected)
    throw usage_error("--connected may move nodes of --fixed; leave one out");
  if (!flags.max_moved.empty() && flags.from.empty())
    throw usage_error("--max-moved requires --from");
  if (flags.only_new && flags.from.empty()) throw usage_error("--only-new requires --from");
  if (flags.only_new && !flags.max_moved.empty())
    throw usage_error("--only-new moves no node that has a part; leave --max-moved out");
  if (flags.refine && !flags.from.empty())
    throw usage_error("--from refines already; leave --refine out");
  if (flags.connected && flags.only_new)
    throw usage_error("--only-new moves no node that has a part; leave --connected out");
  if (flags.connected && !flags.max_moved.empty())
    throw usage_error("--connected may move more nodes than --max-moved allows; leave one out");
  if (flags.connected && !flags.part_weights.empty())
    throw usage_error(
        "--connected knows only parts that are to hold the same; leave --part-weights out");
  if (!flags.max_moved.empty()) check_max_moved(flags.max_moved);
}

void check_compress(bool compress, std::string_view method, const start_flags& flags) {
  if (!compress) return;
  if (method != multilevel::name && method != auto_method)
    throw usage_error("--compress requires --method multilevel");
  if (!may_compress(flags))
    throw usage_error(
        "--from, --refine and --connected need the graph as it is; leave --compress out");
}

void check_max_moved(const std::string& text) {
  if (!bound_of(text))
    throw usage_error("--max-moved " + text +
                      " must be a number of nodes, or a share from 0% to 100%");
}

std::uint64_t moves_allowed(const std::string& text, std::uint64_t nodes) {
  const auto bound = bound_of(text).value_or(moves_bound{});
  return bound.nodes.value_or(
      multiply_divide(nodes, fixed_32(bound.percent), std::uint64_t{100} << 32));
}

void describe(const start_flags& flags, json::value& out) {
  if (!flags.from.empty()) out.set("from", true);
  if (!flags.fixed.empty()) out.set("fixed", true);
  if (!flags.max_moved.empty()) out.set("max_moved", flags.max_moved);
  if (flags.only_new) out.set("only_new", true);
  if (flags.refine) out.set("refine", true);
  if (flags.connected) out.set("connected", true);
  if (!flags.part_weights.empty()) out.set("part_weights", flags.part_weights);
  if (!flags.metis.empty()) {
    json::value options{json::array{}};
    for (const auto& one : flags.metis) options.push(one);
    out.set("metis", std::move(options));
  }
}

namespace {

/// The parts of all nodes that a flag names.
std::vector<part_id> parts_of_flag(std::string_view flag, const std::string& from,
                                   const graph_schema& schema,
                                   std::span<const std::uint64_t> node_counts, std::uint64_t parts,
                                   executor_ref threads) {
  std::vector<part_id> out;
  for (std::size_t t = 0; t < schema.num_node_types(); ++t) {
    const std::string& type = schema.node_types()[t];
    const std::string file = assignment_file(from, schema.node_types(), t);
    if (!is_file(file) && is_folder(from) && node_counts[t] != 0 && schema.num_node_types() > 1) {
      if (flag == "--from") note(file + " does not exist: all nodes of type " + type + " are new");
      out.insert(out.end(), static_cast<std::size_t>(node_counts[t]), none);
      continue;
    }
    if (node_counts[t] != 0 || is_file(file))
      append_parts(flag, file, type, node_counts[t], parts, threads, out);
  }
  return out;
}

}  // namespace

starting_parts starting_parts::read(const start_flags& flags, const graph_schema& schema,
                                    std::span<const std::uint64_t> node_counts, std::uint64_t parts,
                                    executor_ref threads) {
  starting_parts out;
  out.part_weights = part_weights_of(flags, parts);
  const auto read = [&](std::string_view flag, const std::string& from) {
    return from.empty() ? std::vector<part_id>()
                        : parts_of_flag(flag, from, schema, node_counts, parts, threads);
  };
  out.fixed = read("--fixed", flags.fixed);
  out.owner = read("--from", flags.from);
  out.only_new = flags.only_new;
  if (!flags.max_moved.empty())
    out.max_moved = moves_allowed(flags.max_moved, out.owner.size() - out.new_nodes());
  return out;
}

void starting_parts::tell(policy_inputs& in) const {
  in.max_moved = max_moved;
  in.part_weights = part_weights;
  in.fixed = fixed;
  (only_new ? in.fixed : in.from) = owner;
}

std::uint64_t starting_parts::new_nodes() const {
  return static_cast<std::uint64_t>(std::count(owner.begin(), owner.end(), none));
}

starting_parts::moves starting_parts::none_moved() const {
  moves out;
  out.known = true;
  out.old_nodes = owner.size() - new_nodes();
  return out;
}

starting_parts::moves starting_parts::count(std::span<const part_id> now,
                                            std::span<const std::uint64_t> types,
                                            std::span<const std::uint64_t> bytes,
                                            std::span<const constraint> constraints) const {
  moves out;
  if (!part_weights.empty())
    out.balance = measure_balance(now, part_weights.size(), constraints, part_weights);
  out.known = !owner.empty();
  for (std::size_t t = 0; out.known && t + 1 < types.size(); ++t) {
    for (auto v = index(types[t]); v < types[t + 1]; ++v) {
      if (owner[v] == none) continue;
      ++out.old_nodes;
      if (owner[v] == now[v]) continue;
      ++out.moved_nodes;
      if (t < bytes.size()) out.moved_bytes += bytes[t];
    }
  }
  return out;
}

void note_overfull(const starting_parts& start, std::uint64_t parts, double tolerance) {
  if (start.fixed.empty() || !start.part_weights.empty()) return;
  const std::uint64_t most = part_limit(start.fixed.size(), 1, parts, tolerance);
  std::vector<std::uint64_t> given(static_cast<std::size_t>(parts));
  for (const part_id p : start.fixed) {
    if (p != none) ++given[p];
  }
  for (std::size_t p = 0; p < given.size(); ++p) {
    if (given[p] > most)
      note("part " + std::to_string(p) + " is given " + grouped(given[p]) +
           " of what it may hold, " + grouped(most) +
           ", by --fixed: the balance of nodes cannot be met");
  }
}

void tell_moves(const starting_parts::moves& moves, bool bytes_known, answer& done) {
  if (!moves.known) return;
  json::value told = json::object{{"old_nodes", moves.old_nodes},
                                  {"moved_nodes", moves.moved_nodes},
                                  {"moved_edges", moves.moved_edges}};
  if (bytes_known) told.set("moved_bytes", moves.moved_bytes);
  done.details.set("moves", std::move(told));
  done.text += grouped(moves.moved_nodes) + " of " + counted(moves.old_nodes, "node") +
               " moved to another part" +
               (moves.moved_nodes == 0
                    ? std::string()
                    : ", with " + counted(moves.moved_edges, "edge") +
                          (bytes_known
                               ? " and " + readable::bytes(moves.moved_bytes) + " of features"
                               : std::string())) +
               "\n";
}

std::uint64_t bytes_to_connect(std::uint64_t nodes, std::uint64_t edges) {
  // Where every node is apart from its part, and finds no room.
  const std::uint64_t id_bytes = nodes < id_capacity<std::uint32_t>() ? 4 : 8;
  return nodes * (100 + 9 * id_bytes) + 4 * edges * id_bytes;
}

void tell_connections(std::span<const part_connection> connections, const start_flags& flags,
                      answer& done) {
  if (connections.empty()) return;
  std::uint64_t components = 0, whole = 0, avoidable = 0, to_join = 0, apart = 0;
  json::value each{json::array{}};
  for (const auto& one : connections) {
    components += one.components;
    whole += one.whole;
    avoidable += one.avoidable();
    to_join += one.avoidable() != 0 ? 1u : 0u;
    apart += one.components > 1 && one.avoidable() == 0 ? 1u : 0u;
    each.push(json::object{{"components", one.components}, {"whole", one.whole}});
  }
  done.details.set("connection", json::object{{"components", components},
                                              {"whole", whole},
                                              {"avoidable", avoidable},
                                              {"parts", std::move(each)}});
  const std::string in_parts = counted(connections.size(), "part");
  done.text += in_parts + (connections.size() == 1 ? " has " : " have ") +
               counted(components, "connected component") +
               (whole == 0 ? std::string()
                           : ", of which " + grouped(whole) +
                                 (whole == 1 ? " is a whole component" : " are whole components") +
                                 " of the graph") +
               "\n";
  if (!flags.connected) return;
  if (avoidable != 0)
    note(
        "--connected is not met: " + counted(to_join, "part") +
        (to_join == 1 ? " has " : " have ") + counted(avoidable, "component") +
        " too many, for which no neighboring part has room within its tolerance; allow a larger one");
  if (apart != 0)
    note(counted(apart, "part") + (apart == 1 ? " is" : " are") +
         " not connected because the graph is not: " + std::to_string(whole) +
         " of its components each lie in one part");
}

void tell_components(const folder_report& found, answer& done) {
  const std::span<const std::uint64_t> components = found.components;
  if (found.whole.size() == components.size()) {
    std::vector<part_connection> connections;
    for (std::size_t p = 0; p < components.size(); ++p)
      connections.push_back({components[p], found.whole[p]});
    tell_connections(connections, {}, done);
    return;
  }
  std::uint64_t sum = 0;
  json::value each{json::array{}};
  for (const std::uint64_t one : components) {
    sum += one;
    each.push(json::object{{"components", one}});
  }
  done.details.set("connection", json::object{{"components", sum}, {"parts", std::move(each)}});
  done.text += counted(components.size(), "part") + (components.size() == 1 ? " has " : " have ") +
               counted(sum, "connected component") + "\n";
}

status refinement::refine(const hetero_view<std::uint32_t, std::uint32_t>& g,
                          std::span<part_id> owner, executor_ref threads) const {
  return refine_if_asked(*this, g, owner, threads);
}
status refinement::refine(const hetero_view<std::uint64_t, std::uint64_t>& g,
                          std::span<part_id> owner, executor_ref threads) const {
  return refine_if_asked(*this, g, owner, threads);
}

std::string refinement::explain(status answer, const chosen_policy& policy) const {
  std::string sentence = policy.explain(answer);
  if (sentence.empty() && asked) sentence = policy_of(*this).explain(answer);
  return sentence.empty() && connected ? joiner_of(*this).explain(answer) : sentence;
}

}  // namespace halograph::cli
