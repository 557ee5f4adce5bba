// SPDX-License-Identifier: BSL-1.0
// halograph generate rmat|grid|hetero|mag: write a seeded graph of any size as a chunked graph.
#include "command.hpp"
#include "flag_values.hpp"
#include "inputs.hpp"

#include <halograph/graph/generators.hpp>
#include <halograph/graph/mag.hpp>
#include <halograph/io/chunked/generate.hpp>
#include <halograph/io/chunked/write.hpp>
#include <halograph/io/streamed_graph.hpp>
#include <halograph/serial/files/staged_folder.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/text/readable.hpp>

#include <charconv>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

namespace halograph::cli {

namespace {

struct generate_flags {
  std::string kind{}, out{}, name{}, format{}, scale{};
  std::optional<std::uint64_t> edge_factor{}, width{}, height{}, depth{}, nodes{};
  std::uint64_t seed = 0, chunks = 1, features = 0;
  bool undirected = false;
};

/// Reject flags of other kinds of graphs. @errors usage_error
void refuse_foreign(const generate_flags& given) {
  const auto only = [&](bool is_given, const char* flag, const std::set<std::string>& kinds) {
    if (!is_given || kinds.count(given.kind) != 0) return;
    throw usage_error(std::string(flag) + " does not apply to " + given.kind +
                      "; see halograph generate --help");
  };
  only(!given.scale.empty(), "--scale", {"rmat", "hetero", "mag"});
  only(given.edge_factor.has_value(), "--edge-factor", {"rmat"});
  only(given.width.has_value(), "--width", {"grid"});
  only(given.height.has_value(), "--height", {"grid"});
  only(given.depth.has_value(), "--depth", {"grid"});
  only(given.nodes.has_value(), "--nodes", {"hetero"});
  only(given.undirected, "--undirected", {"rmat", "grid"});
  if (!given.scale.empty() && given.nodes)
    throw usage_error("--scale and --nodes both set the number of papers; give only one of them");
  if (given.kind == "grid" && (!given.width || !given.height))
    throw usage_error("a grid requires --width and --height");
}

/// The S of --scale S, for 2^S nodes. @errors usage_error
std::optional<unsigned> exponent_of(const generate_flags& given) {
  if (given.scale.empty()) return std::nullopt;
  unsigned value = 0;
  const char* const end = given.scale.data() + given.scale.size();
  if (const auto [ptr, problem] = std::from_chars(given.scale.data(), end, value);
      problem != std::errc{} || ptr != end || value > 48) {
    throw usage_error("--scale of " + given.kind + " must be an integer from 0 to 48, not " +
                      graph_schema::quoted(given.scale));
  }
  return value;
}

/// "1/64", "0.25" or "2" as an exact fraction. @errors usage_error
generators::mag::options fraction_of(const generate_flags& given) {
  generators::mag::options out{.numerator = 1, .denominator = 1, .seed = given.seed};
  if (given.scale.empty()) return out;
  const auto wrong = [&] {
    return usage_error(
        "--scale of mag must be a number above 0 with at most 9 digits, or a fraction of two integers, as in 1/64, not " +
        graph_schema::quoted(given.scale));
  };
  const auto digits = [&](std::string_view text) {
    std::uint64_t value = 0;
    const auto [ptr, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || text.size() > 9 || problem != std::errc{} ||
        ptr != text.data() + text.size())
      throw wrong();
    return value;
  };
  const std::string_view text = given.scale;
  if (const auto slash = text.find('/'); slash != std::string_view::npos) {
    out.numerator = digits(text.substr(0, slash));
    out.denominator = digits(text.substr(slash + 1));
  } else {
    const auto point = text.find('.');
    out.numerator = digits(
        std::string(text.substr(0, point)) +
        std::string(point == std::string_view::npos ? "" : text.substr(point + 1)));
    for (std::size_t i = point; point != std::string_view::npos && i + 1 < text.size(); ++i)
      out.denominator *= 10;
  }
  if (out.numerator == 0 || out.denominator == 0) throw wrong();
  return out;
}

streamed_graph make(const generate_flags& given, std::size_t threads) {
  const std::string name = given.name.empty() ? given.kind : given.name;
  const auto stream = [&](const auto& g) {
    return stream_generated(make_generated(name, g), given.features, given.seed,
                            make_threads(threads));
  };
  const auto directed = [&](const auto& g) {
    if (!given.undirected) return stream(g);
    return stream(generators::reversed<std::remove_cvref_t<decltype(g)>>{g});
  };
  try {
    if (given.kind == "mag")
      return stream_generated(name, generators::mag(fraction_of(given)), given.features, given.seed,
                              make_threads(threads));
    const auto exponent = exponent_of(given);
    if (given.kind == "rmat") {
      generators::rmat g;
      g.scale = exponent.value_or(10);
      g.edge_factor = given.edge_factor.value_or(16);
      g.seed = given.seed;
      return directed(g);
    }
    if (given.kind == "grid")
      return directed(generators::grid{*given.width, *given.height, given.depth.value_or(1)});
    generators::academic::options wanted;
    wanted.papers = given.nodes ? *given.nodes
                    : exponent  ? std::uint64_t{1} << *exponent
                                : wanted.papers;
    wanted.seed = given.seed;
    return stream(generators::academic(wanted));
  } catch (const error& problem) {
    throw usage_error(problem.message());
  }
}

/// @errors io: the disk is too small
void require_disk(const std::string& folder, std::uint64_t need) {
  namespace fs = std::filesystem;
  fs::path at = fs::path(detail::absolute_path(folder)).lexically_normal();
  std::error_code problem;
  while (!fs::exists(at, problem) && at.has_parent_path() && at != at.parent_path())
    at = at.parent_path();
  const auto space = fs::space(at, problem);
  if (problem) {
    note("up to " + readable::bytes(need) + " will be written; the free disk space is unknown");
    return;
  }
  if (need > space.available) {
    raise(error_kind::io,
          "up to " + readable::bytes(need) + " would be written, but " +
              readable::bytes(space.available) +
              " are free; choose another place or a smaller graph",
          {.file = folder});
  }
  note("up to " + readable::bytes(need) + " will be written; " + readable::bytes(space.available) +
       " are free");
}

}  // namespace

action add_generate(flag_set& app) {
  auto given = std::make_shared<generate_flags>();
  app.example("halograph generate rmat --scale 20 -o graph/", "a power-law graph of 2^20 nodes");
  app.example("halograph generate grid --width 100 --height 100 --features 16 -o graph/",
              "a grid with a feature of 16 columns");
  app.footer(
      "rmat    a power-law graph of 2^S nodes: --scale S, --edge-factor F\n"
      "grid    a box whose nodes are connected to their neighbors: --width, --height, --depth\n"
      "hetero  authors, papers and institutions: --nodes (papers), or --scale S for 2^S papers\n"
      "mag     the schema, types and degree distribution of MAG240M: --scale S, a fraction of its 1.7 billion edges (1/64, 0.25);\n"
      "        papers have a label, a year, and with --feature-columns N a float16 feature\n"
      "The same flags give the same bytes on every machine.");
  constexpr std::uint64_t most = std::uint64_t{1} << 48;
  app.add_option("kind", given->kind, "kind of graph: rmat, grid, hetero or mag")
      .required()
      .one_of({"rmat", "grid", "hetero", "mag"});
  app.section("Output");
  app.add_option("--out", given->out, "folder to create").required().type_name("DIR");
  app.section("Graph");
  app.add_option(
         "--scale", given->scale,
         "rmat: 2^S nodes (default: 10); hetero: 2^S papers; mag: a fraction of the data set, such as 1/64 (default: 1)")
      .type_name("S");
  add_number(app, "--edge-factor,--degree", given->edge_factor,
             "rmat: edges per node (default: 16)", 0, most);
  add_number(app, "--width", given->width, "grid: nodes along x", 1, most);
  add_number(app, "--height", given->height, "grid: nodes along y", 1, most);
  add_number(app, "--depth", given->depth, "grid: nodes along z (default: 1)", 1, most);
  add_number(app, "--nodes,--papers", given->nodes, "hetero: papers (default: 1,000)", 1, most);
  app.add_flag("--undirected", given->undirected,
               "rmat, grid: append the reverse of edge i as edge m + i");
  add_number(app, "--seed", given->seed, "seed of the random numbers (default: 0)");
  app.add_option("--name", given->name, "the graph's name (default: its kind)").graph_name();
  app.section("Files");
  add_number(app, "--chunks", given->chunks, "files per edge type and feature (default: 1)", 1,
             1000000);
  app.add_option("--format", given->format,
                 "how edges are written: csv or numpy (default: csv; mag: numpy)")
      .one_of({"csv", "numpy"});
  add_number(
      app, "--features,--feature-columns", given->features,
      "columns of a float32 feature \"feat\" of every node type; mag: float16, of papers (default: none)",
      0, 1 << 20);
  return [given](const context& asked) {
    refuse_foreign(*given);
    const streamed_graph graph = make(*given, asked.threads);
    write_chunked_options options;
    options.chunks = given->chunks;
    options.edges = given->format == "numpy" || (given->format.empty() && given->kind == "mag")
                        ? chunk_format::numpy
                        : chunk_format::csv;
    options.step = "generate";
    options.on_progress = show_progress();
    const std::uint64_t need = chunked_bytes(graph, options);
    require_disk(given->out, need);

    begin_step("generate");
    staged_folder staged(given->out);
    std::uint64_t bytes = 0;
    for (const auto& file :
         write_chunked(graph, staged, options, no_tables{}, make_threads(asked.threads)))
      bytes += file.bytes;
    // Without the path: the same graph has the same bytes in any folder.
    const auto exponent = given->kind == "mag" ? std::nullopt : exponent_of(*given);
    const json::value scale = exponent               ? json::value(*exponent)
                              : given->scale.empty() ? json::value()
                                                     : json::value(given->scale);
    const auto number = [](const auto& one) { return one ? json::value(*one) : json::value(); };
    note(staged.commit(json::one_line(json::object{{"command", "generate"},
                                                   {"kind", given->kind},
                                                   {"scale", scale},
                                                   {"edge_factor", number(given->edge_factor)},
                                                   {"width", number(given->width)},
                                                   {"height", number(given->height)},
                                                   {"depth", number(given->depth)},
                                                   {"nodes", number(given->nodes)},
                                                   {"undirected", given->undirected},
                                                   {"seed", given->seed}})));

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
    done.details.set(
        "graph",
        json::object{{"nodes", nodes},
                     {"edges", edges},
                     {"types", json::object{{"nodes", node_types}, {"edges", edge_types}}}});
    done.details.set("bytes", bytes);
    done.text = given->out + ": " + counted(nodes, "node") + ", " + counted(edges, "edge") + ", " +
                readable::bytes(bytes) + "\n\n" + table(rows);
    return done;
  };
}

}  // namespace halograph::cli
