// SPDX-License-Identifier: BSL-1.0
// needs: nlohmann_json boost_interprocess cli
// Compressed rows beside CSR: bytes for each entry, and the time to visit all rows, in their order
// and in a random one, with nothing looked up, and with the part of each neighbor looked up.
// Undirected graphs, each edge in both rows.
#include "graphs.hpp"
#include "measure.hpp"
#include "table.hpp"
#include "words.hpp"
#include "yardsticks.hpp"

#include <halograph/adapters/boost_interprocess.hpp>
#include <halograph/core/random.hpp>
#include <halograph/graph/compressed.hpp>
#include <halograph/graph/symmetrize.hpp>
#include <halograph/io/formats/metis.hpp>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace halograph::bench {

namespace {

using nlohmann::ordered_json;

struct options {
  std::vector<std::string> graphs{};  ///< METIS files
  std::uint32_t scale = 18;
  std::uint64_t degree = 16;
  std::size_t runs = 3;
  std::string out{};  ///< the folder for compressed.json; "": none
  bool quick = false;
};

/// What visiting brings: keeps the compiler from leaving it out, and must be the same for both.
template <class Graph, class Of>
std::uint64_t visit(const Graph& g, const std::vector<narrow_id>& order, const Of& of) {
  std::uint64_t sum = 0;
  for (const narrow_id u : order) g.for_each_out_edge(u, [&](narrow_id v, auto) { sum += of(v); });
  keep(sum);
  return sum;
}

text_row measure(const std::string& name, const symmetric_graph<narrow_id>& csr, std::size_t runs,
                 ordered_json& into) {
  const compressed_csr<narrow_id> packed(csr);
  const auto entries = static_cast<double>(csr.num_edges());
  const double plain_bytes = 4.0 * static_cast<double>(csr.num_edges() + csr.num_nodes() + 1);
  const auto packed_bytes = static_cast<double>(packed.memory_bytes());
  ordered_json row{{"graph", name},
                   {"nodes", csr.num_nodes()},
                   {"entries", csr.num_edges()},
                   {"csr_bytes", plain_bytes},
                   {"compressed_bytes", packed_bytes}};
  text_row text{name,
                std::to_string(csr.num_nodes()),
                std::to_string(csr.num_edges()),
                digits(plain_bytes / entries),
                digits(packed_bytes / entries),
                digits(packed_bytes / plain_bytes)};
  std::vector<narrow_id> order(csr.num_nodes());
  std::iota(order.begin(), order.end(), narrow_id{0});
  std::vector<narrow_id> shuffled = order;
  random_stream stream(1);
  for (std::size_t i = shuffled.size(); i > 1; --i)
    std::swap(shuffled[i - 1], shuffled[stream.below(i)]);
  std::vector<std::uint32_t> part(csr.num_nodes());
  for (auto& p : part) p = static_cast<std::uint32_t>(stream.below(64));
  const auto compare = [&](const char* what, const std::vector<narrow_id>& rows, const auto& of) {
    if (visit(csr, rows, of) != visit(packed, rows, of))
      raise(error_kind::mismatch, "compressed rows of " + name + " differ from its rows");
    const auto [plain, compressed] = least_costs_of(
        runs, [&] { visit(csr, rows, of); }, [&] { visit(packed, rows, of); });
    row[what] = {{"csr_ns", plain.cpu * 1e9 / entries},
                 {"compressed_ns", compressed.cpu * 1e9 / entries}};
    text.push_back(digits(plain.cpu * 1e9 / entries) + " -> " +
                   digits(compressed.cpu * 1e9 / entries) + " (" +
                   digits(compressed.cpu / plain.cpu) + "x)");
  };
  const auto itself = [](narrow_id v) { return std::uint64_t{v}; };
  const auto look_up = [&](narrow_id v) { return std::uint64_t{part[v]}; };
  compare("in_order", order, itself);
  compare("in_order_parts", order, look_up);
  compare("shuffled_parts", shuffled, look_up);
  into.push_back(row);
  return text;
}

int run(int argc, char** argv) {
  options given;
  CLI::App app("Bytes and visiting times of compressed rows beside CSR.");
  app.add_option("graphs", given.graphs, "METIS files; none: an R-MAT graph");
  app.add_option("--scale", given.scale, "R-MAT of 2^scale nodes")->capture_default_str();
  app.add_option("--degree", given.degree, "its edges per node")->capture_default_str();
  app.add_option("--runs", given.runs, "of which the fastest counts")->capture_default_str();
  app.add_option("--out", given.out, "where compressed.json goes");
  app.add_flag("--quick", given.quick, "a smaller R-MAT graph");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& problem) {
    return app.exit(problem) == 0 ? 0 : 2;
  }
  if (given.quick) given.scale = 12;
  const machine here = this_machine();
  std::vector<text_row> rows{{"graph", "nodes", "entries", "CSR bytes/entry", "compressed", "ratio",
                              "ns/entry in order", "with parts", "shuffled, with parts"}};
  ordered_json json = ordered_json::array();
  for (const auto& path : given.graphs) {
    const auto data = read_metis_graph<narrow_id, narrow_id>(path, mapped_files{});
    rows.push_back(measure(std::filesystem::path(path).stem().string(),
                           symmetrize<narrow_id>(data.graph()), given.runs, json));
  }
  if (given.graphs.empty()) {
    const auto g = make_rmat(given.scale, given.degree, 1);
    rows.push_back(measure(g.name, symmetrize<narrow_id>(g.view()), given.runs, json));
  }
  std::cout << in_words(here) << "\nprocessor time of one thread, least of " << given.runs
            << " runs or more\n"
            << warning(here) << "\n"
            << as_text(rows);
  if (!given.out.empty()) {
    make_output_folder(given.out);
    write_file(given.out + "/compressed.json",
               ordered_json{{"machine", as_json(here)}, {"rows", json}}.dump(1) + "\n");
  }
  return 0;
}

}  // namespace
}  // namespace halograph::bench

int main(int argc, char** argv) {
  return halograph::bench::answer_of([&] { return halograph::bench::run(argc, argv); });
}
