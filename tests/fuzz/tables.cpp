// SPDX-License-Identifier: BSL-1.0
// Any bytes as a specification of tables and its files: a line "%%" ends one and begins the next,
// in the order in which they are opened first. Refused, or the graph that maps in memory give.
#include <halograph/adapters/nlohmann_json.hpp>
#include <halograph/io/formats/tables.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hg = halograph;

namespace {

using edges = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

/// A graph of the tables by maps in memory. @errors what is wrong with the tables and their keys
struct model {
  std::vector<std::uint64_t> nodes{};
  std::vector<edges> all{};

  model(const hg::tables_spec& spec, const hg::any_file_opener& open) {
    const hg::progress_callback silent;
    const auto type_named = [&](const std::string& name) {
      std::size_t t = 0;
      while (spec.nodes[t].type != name) ++t;
      return t;
    };
    const auto key = [](std::string_view field, hg::key_kind kind) {
      const auto one = hg::node_key::from(field, kind);
      if (!one || field.empty()) hg::raise(hg::error_kind::malformed, "no key");
      return std::string(one->bytes());
    };
    std::vector<std::map<std::string, std::uint64_t>> ids(spec.nodes.size());
    for (std::size_t t = 0; t < spec.nodes.size(); ++t) {
      const auto& node = spec.nodes[t];
      if (!node.table.files.empty()) {
        hg::detail::csv_table_reader at(node.table, open, {}, silent);
        const auto slot = at.want(node.key);
        while (at.next()) {
          if (!ids[t].emplace(key(at.field(slot), node.keys), at.rows() - 1).second)
            hg::raise(hg::error_kind::exists, "a key twice");
        }
        continue;
      }
      for (const auto& edge : spec.edges) {
        hg::detail::csv_table_reader at(edge.table, open, {}, silent);
        const auto source = at.want(edge.source), target = at.want(edge.target);
        const bool from = edge.type.source == node.type, to = edge.type.target == node.type;
        while ((from || to) && at.next()) {
          if (from) ids[t].emplace(key(at.field(source), node.keys), 0);
          if (to) ids[t].emplace(key(at.field(target), node.keys), 0);
        }
      }
      std::uint64_t next = 0;
      for (auto& one : ids[t]) one.second = next++;
    }
    for (const auto& one : ids) nodes.push_back(one.size());
    for (const auto& edge : spec.edges) {
      const auto s = type_named(edge.type.source), t = type_named(edge.type.target);
      hg::detail::csv_table_reader at(edge.table, open, {}, silent);
      const auto source = at.want(edge.source), target = at.want(edge.target);
      auto& list = all.emplace_back();
      while (at.next()) {
        const auto from = ids[s].find(key(at.field(source), spec.nodes[s].keys)),
                   to = ids[t].find(key(at.field(target), spec.nodes[t].keys));
        if (from == ids[s].end() || to == ids[t].end())
          hg::raise(hg::error_kind::not_found, "no such key");
        list.emplace_back(from->second, to->second);
      }
    }
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string scratch = std::filesystem::temp_directory_path().string();
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  std::map<std::string, std::string_view> files;
  const auto open = [&](const std::string& path) {
    if (path.ends_with(".parquet"))
      hg::raise(hg::error_kind::unsupported, "no library", {.file = path});
    const auto found = files.try_emplace(path);
    if (found.second) {
      const auto end = rest.find("\n%%\n");
      found.first->second = rest.substr(0, end == rest.npos ? end : end + 1);
      rest.remove_prefix(end == rest.npos ? rest.size() : end + 4);
    }
    const std::string_view text = found.first->second;
    return hg::file_bytes{std::as_bytes(std::span(text.data(), text.size())), {}};
  };
  std::optional<hg::tables_spec> spec;
  std::optional<hg::streamed_graph> graph;
  try {
    spec = hg::read_tables_spec("spec.json", open, hg::nlohmann_codec{});
    if (spec->nodes.size() + spec->edges.size() > 64) return 0;
    graph = hg::stream_tables(
        *spec, {.scratch = scratch, .dictionaries = {}, .memory = 1 << 16, .on_progress = {}},
        open);
  } catch (const hg::error&) {
  }
  if (!spec) return 0;
  // Only what is wrong with a feature is the reader's alone.
  bool features = false;
  for (const auto& one : spec->nodes) features = features || !one.table.features.empty();
  for (const auto& one : spec->edges) features = features || !one.table.features.empty();
  std::optional<model> wanted;
  try {
    wanted.emplace(*spec, open);
  } catch (const hg::error&) {
  }
  if (graph ? !wanted : wanted && !features) std::abort();
  if (!graph) return 0;
  if (graph->node_counts != wanted->nodes || graph->edge_counts.size() != wanted->all.size())
    std::abort();
  for (std::size_t r = 0; r < wanted->all.size(); ++r) {
    edges found;
    graph->read_edges(
        static_cast<hg::type_id>(r), 0, graph->edge_counts[r],
        [&](std::span<const std::uint64_t> from, std::span<const std::uint64_t> to, std::uint64_t) {
          for (std::size_t i = 0; i < from.size(); ++i) found.emplace_back(from[i], to[i]);
        });
    if (found != wanted->all[r]) std::abort();
  }
  return 0;
}
