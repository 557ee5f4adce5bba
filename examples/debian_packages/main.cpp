// SPDX-License-Identifier: BSL-1.0
// Makes a heterogeneous chunked graph of this machine's apt package lists, or of a given file.
#include "package_graph.hpp"

#include <halograph/io/chunked/write.hpp>
#include <halograph/serial/files/file.hpp>

#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>

namespace {

namespace hg = halograph;

/// What a command prints; empty if it cannot be run.
std::string output_of(const char* command) {
  const auto close = [](std::FILE* pipe) { static_cast<void>(pclose(pipe)); };
  const std::unique_ptr<std::FILE, decltype(close)> pipe(popen(command, "r"), close);
  std::string text;
  if (!pipe) return text;
  char buffer[1 << 16];
  for (std::size_t got; (got = std::fread(buffer, 1, sizeof buffer, pipe.get())) > 0;)
    text.append(buffer, got);
  return text;
}

/// names/<type>.txt: line i is the name of node i.
void write_names(const debian_packages::package_graph& graph, const std::string& folder) {
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  if (problem) hg::raise_io(folder, "create the folder", problem.value());
  for (std::size_t t = 0; t < graph.names.size(); ++t) {
    const auto file = folder + "/" + graph.data.schema.node_types()[t] + ".txt";
    std::ofstream lines(file, std::ios::binary);
    for (const auto& name : graph.names[t]) lines << name << '\n';
    if (!lines.flush()) hg::raise(hg::error_kind::io, "cannot be written", {.file = file});
  }
}

int make(const std::string& from, const std::string& out, std::uint64_t seed, std::size_t chunks) {
  std::string text;
  std::string_view list;
  hg::file_bytes file;
  if (from.empty()) {
    text = output_of("apt-cache dumpavail 2>/dev/null");
    if (text.empty())
      text = output_of(
          "/usr/lib/apt/apt-helper cat-file /var/lib/apt/lists/*_Packages* 2>/dev/null");
    if (text.empty()) {
      hg::raise(
          hg::error_kind::not_found,
          "apt knows no packages here; run apt-get update, or name a Packages file with --from");
    }
    list = text;
  } else {
    file = hg::read_files{}(from);
    list = {reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size()};
  }
  const auto stanzas = debian_packages::parse_stanzas(list, from.empty() ? "apt's lists" : from);
  const auto graph = debian_packages::build(stanzas, seed);
  hg::write_chunked(graph.data, out, {.chunks = chunks});
  const auto& schema = graph.data.schema;
  write_names(graph, out + "/names");
  for (std::size_t t = 0; t < schema.num_node_types(); ++t) {
    std::cout << graph.data.node_counts[t] << ' ' << schema.node_types()[t] << " nodes\n";
  }
  for (std::size_t r = 0; r < schema.num_edge_types(); ++r) {
    std::cout << graph.data.edges[r].source.size() << ' ' << schema.edge_types()[r].str()
              << " edges\n";
  }
  if (graph.repeated != 0)
    std::cout << graph.repeated << " packages were listed again; the first counts\n";
  if (graph.unresolved != 0)
    std::cout << graph.unresolved << " relations to packages that nobody provides were left out\n";
  std::cout << "written to " << out << '\n';
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Makes a heterogeneous chunked graph of Debian's package lists."};
  std::string from, out;
  std::uint64_t seed = 0;
  std::size_t chunks = 1;
  app.add_option("--from", from, "a Packages file; apt's own lists where none is given");
  app.add_option("--out", out, "the folder to write")->required();
  app.add_option("--seed", seed, "deals the train, validation and test masks")
      ->capture_default_str();
  app.add_option("--chunks", chunks, "files per edge type and feature")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& problem) {
    return app.exit(problem) == 0 ? 0 : 2;
  }
  try {
    return make(from, out, seed, chunks);
  } catch (const std::exception& problem) {
    std::cerr << "debian_packages: " << problem.what() << '\n';
    return 1;
  }
}
