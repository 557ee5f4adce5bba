// SPDX-License-Identifier: BSL-1.0
// halograph generate rmat|grid|hetero: a seeded graph of any size as a chunked graph.
#include "command.hpp"

#include <halograph/graph/generators.hpp>
#include <halograph/pipeline/generate_chunked.hpp>
#include <halograph/serial/folder.hpp>

#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace halograph::cli {

namespace {

struct flags {
  std::string kind{}, out{}, name{}, format = "csv";
  std::optional<unsigned> scale{};
  std::optional<std::uint64_t> edge_factor{}, width{}, height{}, depth{}, nodes{};
  std::uint64_t seed = 0, chunks = 1, features = 0;
  bool undirected = false;
};

/// Flags that one kind has and the one asked for has not. @errors usage_error
void refuse_foreign(const flags& given) {
  const auto only = [&](bool is_given, const char* flag, const std::set<std::string>& kinds) {
    if (!is_given || kinds.count(given.kind) != 0) return;
    throw usage_error(std::string(flag) + " has no meaning for " + given.kind + "; see halograph generate --help");
  };
  only(given.scale.has_value(), "--scale", {"rmat", "hetero"});
  only(given.edge_factor.has_value(), "--edge-factor", {"rmat"});
  only(given.width.has_value(), "--width", {"grid"});
  only(given.height.has_value(), "--height", {"grid"});
  only(given.depth.has_value(), "--depth", {"grid"});
  only(given.nodes.has_value(), "--nodes", {"hetero"});
  only(given.undirected, "--undirected", {"rmat", "grid"});
  if (given.scale && given.nodes) throw usage_error("--scale and --nodes both say how many papers there are; give one of them");
  if (given.kind == "grid" && (!given.width || !given.height)) throw usage_error("a grid needs --width and --height");
}

generated_graph make(const flags& given) {
  const std::string name = given.name.empty() ? given.kind : given.name;
  const auto directed = [&](const auto& g) {
    if (!given.undirected) return make_generated(name, g);
    return make_generated(name, generate::reversed<std::remove_cvref_t<decltype(g)>>{g});
  };
  try {
    if (given.kind == "rmat") {
      generate::rmat g;
      g.scale = given.scale.value_or(10);
      g.edge_factor = given.edge_factor.value_or(16);
      g.seed = given.seed;
      return directed(g);
    }
    if (given.kind == "grid") return directed(generate::grid{*given.width, *given.height, given.depth.value_or(1)});
    generate::academic::options wanted;
    wanted.papers = given.nodes ? *given.nodes : given.scale ? std::uint64_t{1} << *given.scale : wanted.papers;
    wanted.seed = given.seed;
    return make_generated(name, generate::academic(wanted));
  } catch (const error& problem) {
    throw usage_error(problem.message());
  }
}

/// @errors io: the disk is too small
void require_disk(const std::string& folder, std::uint64_t need) {
  namespace fs = std::filesystem;
  fs::path at = fs::absolute(folder).lexically_normal();
  std::error_code problem;
  while (!fs::exists(at, problem) && at.has_parent_path() && at != at.parent_path()) at = at.parent_path();
  const auto space = fs::space(at, problem);
  if (problem) {
    note("up to " + human_bytes(need) + " will be written; how much is free is not known");
    return;
  }
  if (need > space.available) {
    raise(errc::io, "up to " + human_bytes(need) + " would be written, but " + human_bytes(space.available) + " are free; choose another place, or a smaller graph",
          {.file = folder});
  }
  note("up to " + human_bytes(need) + " will be written; " + human_bytes(space.available) + " are free");
}

}  // namespace

action add_generate(CLI::App& app) {
  auto given = std::make_shared<flags>();
  app.footer(
      "rmat    a power-law graph of 2^S nodes: --scale S, --edge-factor F\n"
      "grid    neighbours in a box: --width, --height, --depth\n"
      "hetero  authors, papers and institutions: --nodes (papers), or --scale S for 2^S papers\n"
      "The same flags give the same bytes on every machine.");
  const auto count = CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 48);
  app.add_option("kind", given->kind, "what graph: rmat, grid or hetero")->required()->check(CLI::IsMember({"rmat", "grid", "hetero"}));
  app.add_option("--out", given->out, "folder to make")->required()->type_name("DIR");
  app.add_option("--scale", given->scale, "2^S nodes (rmat, default 10) or papers (hetero)")->check(CLI::Range(0u, 48u));
  app.add_option("--edge-factor,--degree", given->edge_factor, "edges per node (rmat; default 16)")->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1} << 48));
  app.add_option("--width", given->width, "nodes along x (grid)")->check(count);
  app.add_option("--height", given->height, "nodes along y (grid)")->check(count);
  app.add_option("--depth", given->depth, "nodes along z (grid; default 1)")->check(count);
  app.add_option("--nodes,--papers", given->nodes, "papers (hetero; default 1000)")->check(count);
  app.add_flag("--undirected", given->undirected, "append the reverse of edge i as edge m + i (rmat, grid)");
  app.add_option("--seed", given->seed, "what the graph is drawn from (default: 0)");
  app.add_option("--name", given->name, "the graph's name (default: its kind)");
  app.add_option("--chunks", given->chunks, "files per edge type and feature (default: 1)")->check(CLI::Range(1, 1000000));
  app.add_option("--format", given->format, "how edges are written: csv or numpy (default: csv)")->check(CLI::IsMember({"csv", "numpy"}));
  app.add_option("--features", given->features, "columns of a float32 feature \"feat\" on every node type (default: none)")->check(CLI::Range(0, 1 << 20));
  return [given](const context&) {
    refuse_foreign(*given);
    if (!given->name.empty() && !is_safe_name(given->name)) throw usage_error("--name must be 1 to 200 bytes without '/' and control characters");
    const generated_graph graph = make(*given);
    generate_options options;
    options.chunks = given->chunks;
    options.edges = given->format == "numpy" ? edge_file_format::numpy : edge_file_format::csv;
    options.feature_columns = given->features;
    options.seed = given->seed;
    options.on_progress = show_progress();
    const std::uint64_t need = generated_bytes(graph, options);
    require_disk(given->out, need);

    staged_folder staged(given->out);
    generate_chunked(graph, staged.path(), options);
    namespace fs = std::filesystem;
    std::uint64_t bytes = 0;
    std::vector<std::string> names;
    for (const auto& one : fs::recursive_directory_iterator(staged.path())) {
      if (!one.is_regular_file()) continue;
      names.push_back(one.path().lexically_relative(staged.path()).generic_string());
      bytes += one.file_size();
    }
    for (const auto& name : names) staged.add(name);
    // Without the place: the same graph is the same bytes wherever it lies.
    const auto number = [](const auto& one) { return one ? json::value(*one) : json::value(); };
    staged.commit(json::object{{"command", "generate"}, {"kind", given->kind}, {"scale", number(given->scale)}, {"edge_factor", number(given->edge_factor)},
                               {"width", number(given->width)}, {"height", number(given->height)}, {"depth", number(given->depth)},
                               {"nodes", number(given->nodes)}, {"undirected", given->undirected}, {"seed", given->seed}});

    answer done;
    std::uint64_t nodes = 0, edges = 0;
    json::value node_types{json::object{}}, edge_types{json::object{}};
    std::vector<std::vector<std::string>> rows{{"type", "count"}};
    for (std::size_t t = 0; t < graph.node_counts.size(); ++t) {
      nodes += graph.node_counts[t];
      node_types.set(graph.schema.node_types()[t], graph.node_counts[t]);
      rows.push_back({graph.schema.node_types()[t], std::to_string(graph.node_counts[t])});
    }
    for (std::size_t r = 0; r < graph.edge_counts.size(); ++r) {
      edges += graph.edge_counts[r];
      edge_types.set(graph.schema.edge_types()[r].str(), graph.edge_counts[r]);
      rows.push_back({graph.schema.edge_types()[r].str(), std::to_string(graph.edge_counts[r])});
    }
    done.details.set("out", given->out);
    done.details.set("kind", given->kind);
    done.details.set("graph", json::object{{"nodes", nodes}, {"edges", edges}, {"types", json::object{{"nodes", node_types}, {"edges", edge_types}}}});
    done.details.set("bytes", bytes);
    done.text = given->out + ": " + std::to_string(nodes) + " nodes, " + std::to_string(edges) + " edges, " + human_bytes(bytes) + "\n\n" + table(rows);
    return done;
  };
}

}  // namespace halograph::cli
