// SPDX-License-Identifier: BSL-1.0
#include "../graphs.hpp"
#include "../words.hpp"
#include "graphs.hpp"

#include <halograph/adapters/boost_interprocess.hpp>
#include <halograph/adapters/nlohmann_json.hpp>
#include <halograph/adapters/tbb.hpp>
#include <halograph/adapters/zlib.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/random.hpp>
#include <halograph/graph/symmetrize.hpp>
#include <halograph/io/formats/metis.hpp>
#include <halograph/io/open_dataset.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/partition/quality.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace halograph::bench {

namespace {

using nlohmann::ordered_json;
using symmetric = symmetric_graph<std::uint32_t, std::int64_t>;

/// Text that grows by numbers.
class number_text {
 public:
  void add(std::uint64_t number, char then) {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    text_.append(digits, end);
    text_ += then;
  }
  /// End the line: its last blank becomes a line end.
  void end_line() {
    if (!text_.empty() && text_.back() == ' ')
      text_.back() = '\n';
    else
      text_ += '\n';
  }
  const std::string& text() const noexcept { return text_; }

 private:
  std::string text_{};
};

/// The same number of nodes in each of `classes`, give or take one.
std::vector<std::uint32_t> random_classes(std::size_t nodes, std::uint32_t classes) {
  std::vector<std::uint32_t> out(nodes);
  for (std::size_t v = 0; v < nodes; ++v) out[v] = static_cast<std::uint32_t>(v % classes);
  random_stream draws(1);
  shuffle(std::span<std::uint32_t>(out), draws);
  return out;
}

void write_metis_file(const symmetric& g, bool constraints, const std::string& path) {
  constexpr std::uint32_t classes = 3;
  const std::size_t nodes = g.num_nodes();
  const auto class_of = random_classes(constraints ? nodes : 0, classes);
  number_text out;
  out.add(nodes, ' ');
  out.add(g.num_pairs(), ' ');
  if (constraints) {
    out.add(10, ' ');
    out.add(classes + 1, ' ');
  }
  out.end_line();
  for (std::size_t v = 0; v < nodes; ++v) {
    const auto first = g.offsets[v], last = g.offsets[v + 1];
    if (constraints) {
      for (std::uint32_t c = 0; c < classes; ++c) out.add(class_of[v] == c ? 1 : 0, ' ');
      out.add(last - first, ' ');
    }
    for (auto e = first; e < last; ++e) out.add(std::uint64_t{g.neighbors[e]} + 1, ' ');
    out.end_line();
  }
  write_file(path, out.text());
}

template <graph G>
ordered_json write_undirected(const std::string& name, const G& g, bool constraints,
                              const std::string& path) {
  const auto both = symmetrize<std::uint32_t>(g, pairs_once{});
  write_metis_file(both, constraints, path);
  return {{"name", name}, {"nodes", both.num_nodes()}, {"edges", both.num_pairs()}};
}

/// @errors malformed: a line that holds no part; mismatch: not one line for each node
std::vector<part_id> read_owners(const std::string& path, std::size_t nodes) {
  const file_bytes content = mapped_files{}(path);
  const std::string_view text = detail::as_text(content.bytes);
  std::vector<part_id> owner(nodes);
  std::size_t lines = 0;
  const char *at = text.data(), *const end = at + text.size();
  const auto number = [&](std::uint64_t& out) {
    const auto found = std::from_chars(at, end, out);
    if (found.ec != std::errc{})
      raise(error_kind::malformed, "no part is found in line " + std::to_string(lines + 1),
            {.file = path, .line = lines + 1});
    at = found.ptr;
  };
  while (at != end) {
    std::uint64_t value = 0, node = lines + 1;
    number(value);
    if (at != end && *at == ',') {
      ++at;
      node = value;
      number(value);
    }
    if (node == 0 || node > nodes || lines == nodes)
      raise(error_kind::mismatch, "the assignment has more lines than the graph has nodes",
            {.file = path, .line = lines + 1});
    owner[static_cast<std::size_t>(node - 1)] = static_cast<part_id>(
        std::min<std::uint64_t>(value, 0xFFFFFFFFu));
    ++lines;
    while (at != end && (*at == ' ' || *at == '\r' || *at == '\n')) ++at;
  }
  if (lines != nodes)
    raise(error_kind::mismatch,
          "the assignment has " + std::to_string(lines) + " lines for " + std::to_string(nodes) +
              " nodes",
          {.file = path});
  return owner;
}

/// Whether no part has more than graphs.hpp allows.
bool is_met(const spread& load, double tolerance) {
  constexpr double rounding = 1e-4;  // of the mean: others round, too; METIS adds half of it
  if (load.total == 0) return true;
  const auto share = share_rounded_up(static_cast<std::uint64_t>(load.total), 1, load.parts);
  // Other programs allow so much of the mean rounded up.
  return load.met((1 + tolerance) * static_cast<double>(share) / load.mean() - 1 + rounding);
}

}  // namespace

nlohmann::ordered_json prepare_graph(const std::string& input, const std::string& out,
                                     bool constraints) {
  constexpr std::string_view generated = "rmat:";
  if (input.starts_with(generated)) {
    const auto scale = static_cast<std::uint32_t>(std::stoul(input.substr(generated.size())));
    const generators::rmat g{.scale = scale, .edge_factor = 16, .seed = 0};
    edge_graph edges{
        "rmat" + std::to_string(scale), static_cast<std::size_t>(g.num_nodes()), {}, {}};
    const auto count = static_cast<std::size_t>(g.num_edges());
    edges.source.resize(count);
    edges.target.resize(count);
    check(generators::fill(g, 0, std::span(edges.source), std::span(edges.target)),
          "the generator cannot make these edges");
    return write_undirected(edges.name, edges.view(), constraints, out);
  }
  const tbb_threads threads;
  const auto data = load_dataset<std::uint32_t, std::uint32_t>(input, {}, gz_files<mapped_files>{},
                                                               nlohmann_codec{}, threads);
  return write_undirected(data.name, data.graph(), constraints, out);
}

void write_cuttana_file(const std::string& metis, const std::string& out) {
  const auto data = read_metis_graph<std::uint32_t, std::uint32_t>(metis, mapped_files{});
  const auto both = symmetrize<std::uint32_t>(data.graph(), pairs_once{});
  number_text text;
  text.add(both.num_nodes(), ' ');
  text.add(both.num_pairs(), '\n');
  for (std::size_t v = 0; v < both.num_nodes(); ++v) {
    text.add(v + 1, ' ');
    text.add(both.offsets[v + 1] - both.offsets[v], ' ');
    for (auto e = both.offsets[v]; e < both.offsets[v + 1]; ++e)
      text.add(std::uint64_t{both.neighbors[e]} + 1, ' ');
    text.end_line();
  }
  write_file(out, text.text());
}

nlohmann::ordered_json judge(const judged_assignment& what) {
  const tbb_threads threads;
  auto data = read_metis_graph<std::uint32_t, std::uint32_t>(what.graph, mapped_files{}, threads);
  const auto nodes = static_cast<std::size_t>(data.num_nodes());
  const auto owner = read_owners(what.file, nodes);
  const std::span<const part_id> owners(owner);
  const auto quality = measure_quality(data.graph(), owners, what.parts, {}, threads);
  ordered_json out{
      {"cut", quality.edge_cut},
      {"volume", quality.communication_volume},
      {"replication_factor", 1 + static_cast<double>(quality.communication_volume) /
                                     static_cast<double>(std::max<std::size_t>(1, nodes))}};
  std::vector<std::int64_t> loads(static_cast<std::size_t>(what.parts));
  ordered_json balance = ordered_json::array();
  double largest = 0;
  bool met = true;
  const auto line = [&](const std::string& name, const load_view& load) {
    spread measured;
    check(part_loads(owners, load, std::span<std::int64_t>(loads), measured),
          "the loads cannot be summed");
    const bool within = is_met(measured, what.tolerance);
    balance.push_back({{"name", name}, {"imbalance", measured.imbalance()}, {"met", within}});
    largest = std::max(largest, measured.imbalance());
    met = met && within;
  };
  spread counted;
  check(part_loads(owners, {}, std::span<std::int64_t>(loads), counted), "nodes cannot be counted");
  out["empty_parts"] = std::count(loads.begin(), loads.end(), 0);
  if (data.node_weights.empty()) line("nodes", {});
  for (std::size_t c = 0; c < data.node_weights.size(); ++c)
    line("weight:" + std::to_string(c), load_view(data.node_weights[c]));
  out["largest_imbalance"] = largest;
  out["met"] = met;
  out["balance"] = std::move(balance);
  if (!what.rewrite.empty()) {
    number_text lines;
    for (const auto part : owner) lines.add(part, '\n');
    write_file(what.rewrite, lines.text());
  }
  return out;
}

}  // namespace halograph::bench
