// SPDX-License-Identifier: BSL-1.0
/// @file plain.hpp
/// A graph from the plain form: one folder of text files, described by a meta.json.
/// Layer: io. Words: README.md.
///
/// | file | holds |
/// | --- | --- |
/// | `meta.json` | `name`, `directed`, `num_nodes` (type -> count), `num_edges` (`source:relation:target` -> count); where they exist `weighted`, `features`, `labels`, `split`, `num_edge_types`, `format` |
/// | `edges.txt[.gz]` | of a graph with one edge type: `source target [weight]` a line |
/// | `edges/S.R.T.txt[.gz]` | of a graph with several: the same, one file per edge type |
/// | `triples.X.txt[.gz]`, `relations.txt` | `head tail relation` a line; the name of each relation a line |
/// | `feat/T.npy`, `feat/T.coo.txt[.gz]` | dense features; sparse ones, `node column` a line, the value is 1 |
/// | `label/T.txt[.gz]`, `split/T.txt[.gz]` | a class a line, -1 none; 0 train, 1 validation, 2 test, -1 none |
/// | `*.graph` | where `format` is "METIS": the graph |
///
/// Where `.gz` may follow, `.zst` may. Types are numbered in the order of `num_nodes` and
/// `num_edges`.
#pragma once

#include <halograph/core/checked_cast.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/io/chunked/metadata.hpp>
#include <halograph/io/dataset.hpp>
#include <halograph/io/formats/edge_list.hpp>
#include <halograph/io/formats/metis.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/folder_entries.hpp>
#include <halograph/serial/files/unpacked.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/json_members.hpp>
#include <halograph/serial/npy.hpp>
#include <halograph/serial/read_json.hpp>
#include <halograph/serial/tensor.hpp>
#include <halograph/serial/text/columns.hpp>
#include <halograph/serial/text/edges.hpp>
#include <halograph/serial/text/lines.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace halograph {

/// How a folder in the plain form is read.
struct plain_options {
  /// append the reverse of edge i as edge m + i; refused where `directed` is true
  bool undirected = false;
  bool features = true;           ///< false: structure alone
  std::string triples = "train";  ///< which triples file is the graph
  std::uint64_t most_bytes = ~std::uint64_t{
      0};  ///< memory that the edges may take while they are read; more is refused
  /// a sparse feature larger than this when dense is refused
  std::uint64_t most_dense_bytes = std::uint64_t{1} << 32;
};

/// A relation's name as part of an edge type: '/', ':' and '\' become '.', control characters '_',
/// leading dots are dropped, the rest is cut at 190 bytes: "/tv/program/genre" gives
/// "tv.program.genre".
std::string relation_from_text(std::string_view text);

namespace detail {

template <id Node, id Edge>
class plain_reader {
 public:
  plain_reader(const json::value& meta, const std::string& file, const std::string& folder,
               const plain_options& options, const any_file_opener& open, executor_ref executor)
      : meta_(meta),
        file_(file),
        folder_(folder),
        options_(options),
        open_(open),
        executor_(executor) {}

  dataset<Node, Edge> read() {
    if (!meta_.is_object())
      raise(error_kind::malformed, "the document must be an object", {.file = file_});
    if (const auto* directed = meta_.find("directed"); directed != nullptr) {
      const bool* const value = directed->if_bool();
      if (value == nullptr) raise_kind("directed", "true or false", file_);
      directed_ = *value;
    }
    if (options_.undirected && directed_.value_or(false)) {
      raise(error_kind::invalid_argument,
            "the graph is directed, so its edges have no reverses to append", {.file = file_});
    }
    if (const auto* format = meta_.find("format")) {
      if (as_string(*format, "format", file_) != "METIS") {
        raise(error_kind::unsupported,
              "\"format\" is " + graph_schema::quoted(*format->if_string()) +
                  "; the only supported format is \"METIS\"",
              {.file = file_});
      }
      read_metis();
    } else {
      read_structure();
    }
    const auto* const name = meta_.find("name");
    data_.name = name != nullptr ? as_string(*name, "name", file_) : folder_name(folder_);
    if (options_.features) read_node_features();
    if (directed_ == false && !options_.undirected && !meta_.find("format")) {
      data_.notes.push_back(
          file_ +
          ": the graph is undirected; each edge is one edge here, as listed, and its reverse is not added");
    }
    data_.finish();
    return std::move(data_);
  }

 private:
  /// Open a file of the folder, plain or compressed.
  std::pair<file_bytes, std::string> open_either(const std::string& name) const {
    std::string looked_for = name;
    const auto opened = [&](std::string path) -> std::optional<std::pair<file_bytes, std::string>> {
      try {
        file_bytes content = open_lines(open_, path);
        return std::pair(std::move(content), std::move(path));
      } catch (const error& problem) {
        if (problem.code() != error_kind::not_found) throw;
        return std::nullopt;
      }
    };
    if (auto plain = opened(folder_ + "/" + name)) return *std::move(plain);
    for (const auto ending : packed_endings) {
      const std::string packed = name + std::string(ending);
      if (auto found = opened(folder_ + "/" + packed)) return *std::move(found);
      looked_for += " nor " + packed;
    }
    raise(error_kind::not_found, "there is neither " + looked_for, {.file = folder_});
  }

  void read_metis() {
    std::vector<std::string> graphs;
    for (const auto& name : names_in(folder_)) {
      const std::filesystem::path file = std::filesystem::path(folder_) / name;
      if (file.extension() == ".graph") graphs.push_back(file.string());
    }
    if (graphs.size() != 1) {
      raise(error_kind::not_found,
            "the folder has " + std::to_string(graphs.size()) + " files *.graph; it must have one",
            {.file = folder_});
    }
    data_ = read_metis_graph<Node, Edge>(graphs[0], open_, executor_, options_.most_bytes);
    check_count(as_object(required_member(meta_, "num_nodes", file_), "num_nodes", file_),
                data_.num_nodes(), "nodes", graphs[0]);
    check_count(as_object(required_member(meta_, "num_edges", file_), "num_edges", file_),
                directed_.value_or(true) ? data_.num_edges() : data_.num_edges() / 2, "edges",
                graphs[0]);
  }

  void check_count(const json::object& counts, std::uint64_t found, const char* of,
                   const std::string& where) const {
    if (counts.size() != 1)
      raise(error_kind::mismatch, "a METIS graph has one node type and one edge type",
            {.file = file_});
    const std::uint64_t announced = as_count(counts[0].second, counts[0].first, file_);
    if (announced != found) {
      raise(error_kind::mismatch,
            "there are " + std::to_string(found) + " " + of + ", but " + file_ + " announces " +
                std::to_string(announced),
            {.file = where});
    }
  }

  void read_structure() {
    for (const auto& member :
         as_object(required_member(meta_, "num_nodes", file_), "num_nodes", file_)) {
      placed([&] { data_.schema.add_node_type(member.first); });
      data_.node_counts.push_back(as_count(member.second, member.first, file_));
    }
    check_node_total<Node>(data_.schema, data_.node_counts, file_);
    const auto& edges = as_object(required_member(meta_, "num_edges", file_), "num_edges", file_);
    if (meta_.find("num_edge_types")) {
      read_triples(edges);
      return;
    }
    std::vector<std::uint64_t> counts;
    for (const auto& [type, count] : edges) {
      auto triple = canonical_etype::parse(type);
      if (!triple) {
        raise(error_kind::malformed,
              "edge type " + graph_schema::quoted(type) +
                  " is not of the form source:relation:target",
              {.file = file_});
      }
      placed([&] { data_.schema.add_edge_type(std::move(*triple)); });
      counts.push_back(as_count(count, type, file_));
    }
    require_room(counts, options_.undirected ? 3 * edge_bytes : edge_bytes);
    data_.edges.resize(counts.size());
    for (std::size_t t = 0; t < counts.size(); ++t) {
      const auto type = static_cast<type_id>(t);
      const canonical_etype& name = data_.schema.edge_type_name(type);
      const auto [content, path] = open_either(data_.schema.is_homogeneous()
                                                   ? "edges.txt"
                                                   : "edges/" + name.source + "." + name.relation +
                                                         "." + name.target + ".txt");
      edge_text<Node> list = read_edges<Node>(
          content.bytes, path,
          {.source_count = data_.node_counts[data_.schema.source_type(type)],
           .target_count = data_.node_counts[data_.schema.target_type(type)],
           .weights = is_weighted(name.str()) ? edge_weights::required : edge_weights::ignored},
          executor_);
      check_lines(list.source.size(), counts[t], as_text(content.bytes), path);
      if (options_.undirected) append_reverses_of(type, list);
      put_edges(data_, type, std::move(list));
    }
  }

  /// Of an edge and its weight.
  static constexpr std::uint64_t edge_bytes = 2 * sizeof(Node) + 8;

  void require_room(std::span<const std::uint64_t> counts, std::uint64_t bytes_each) const {
    std::uint64_t edges = 0;
    for (const auto count : counts) {
      if (!add_into(edges, count, edges)) edges = ~std::uint64_t{0};
    }
    require_room_for_edges(edges, bytes_each, options_.most_bytes, file_);
  }

  void append_reverses_of(type_id type, edge_text<Node>& list) const {
    if (data_.schema.source_type(type) != data_.schema.target_type(type)) {
      raise(
          error_kind::invalid_argument,
          "edge type " + graph_schema::quoted(data_.schema.edge_type_name(type).str()) +
              " joins two node types, so the reverses of its edges would need a type of their own",
          {.file = file_});
    }
    append_reverses(list);
  }

  /// Run f and add file_ to its errors.
  void placed(function_ref<void()> f) const {
    try {
      f();
    } catch (const error& problem) {
      raise(problem.code(), problem.message(), {.file = file_});
    }
  }

  bool is_weighted(const std::string& edge_type) const {
    const auto* const weighted = meta_.find("weighted");
    if (weighted == nullptr) return false;
    if (const bool* const all = weighted->if_bool()) return *all;
    const auto& types = as_array(*weighted, "weighted", file_);
    return std::any_of(types.begin(), types.end(), [&](const json::value& type) {
      const auto* const name = type.if_string();
      return name != nullptr && *name == edge_type;
    });
  }

  static void check_lines(std::uint64_t found, std::uint64_t announced, std::string_view text,
                          const std::string& path) {
    if (found == announced) return;
    raise(error_kind::mismatch,
          "there are " + std::to_string(found) + " lines, but meta.json announces " +
              std::to_string(announced),
          {.file = path, .line = line_of_record(text, std::min(found, announced))});
  }

  void read_triples(const json::object& counts) {
    if (data_.node_counts.size() != 1) {
      raise(error_kind::mismatch,
            "triples join nodes of one type; \"num_nodes\" lists " +
                std::to_string(data_.node_counts.size()),
            {.file = file_});
    }
    const std::string& node_type = data_.schema.node_types()[0];
    const auto [names, names_path] = open_either("relations.txt");
    std::string_view rest = as_text(names.bytes);
    while (!rest.empty()) {
      const auto end = rest.find('\n');
      std::string_view line = rest.substr(0, end);
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
      if (line.ends_with('\r')) line.remove_suffix(1);
      add_relation(node_type, relation_from_text(line));
    }
    const std::uint64_t relations = as_count(required_member(meta_, "num_edge_types", file_),
                                             "num_edge_types", file_);
    if (data_.schema.num_edge_types() != relations) {
      raise(error_kind::mismatch,
            "there are " + std::to_string(data_.schema.num_edge_types()) +
                " relations, but meta.json announces " + std::to_string(relations),
            {.file = names_path});
    }
    const auto announced = std::find_if(counts.begin(), counts.end(),
                                        [&](const auto& c) { return c.first == options_.triples; });
    if (announced == counts.end()) {
      raise(error_kind::not_found,
            "\"num_edges\" does not list " + graph_schema::quoted(options_.triples),
            {.file = file_});
    }
    if (!is_safe_name(options_.triples)) {
      raise(error_kind::invalid_argument, "triples " + graph_schema::quoted(options_.triples) +
                                              " cannot be part of a file's name");
    }
    const std::uint64_t triples = as_count(announced->second, announced->first, file_);
    require_room({&triples, 1}, 2 * edge_bytes);  // all of them, then those of each relation
    const auto [content, path] = open_either("triples." + options_.triples + ".txt");
    edge_text<Node> all = read_edges<Node>(content.bytes, path,
                                           {.source_count = data_.node_counts[0],
                                            .target_count = data_.node_counts[0],
                                            .weights = edge_weights::required},
                                           executor_);
    check_lines(all.source.size(), triples, as_text(content.bytes), path);
    const auto* const relation = std::get_if<std::vector<std::int64_t>>(&all.weight);
    if (relation == nullptr)
      raise(error_kind::malformed,
            "a relation is not an integer; the third column must hold integers", {.file = path});
    std::vector<std::size_t> sizes(data_.schema.num_edge_types());
    for (std::size_t e = 0; e < relation->size(); ++e) {
      const std::int64_t r = (*relation)[e];
      if (r < 0 || static_cast<std::uint64_t>(r) >= relations) {
        raise(error_kind::out_of_range,
              "relation " + std::to_string(r) + " is not listed in relations.txt, which has " +
                  std::to_string(relations),
              {.file = path, .line = line_of_record(as_text(content.bytes), e)});
      }
      ++sizes[static_cast<std::size_t>(r)];
    }
    std::vector<edge_text<Node>> lists(sizes.size());
    for (std::size_t r = 0; r < sizes.size(); ++r) {
      lists[r].source.reserve(sizes[r]);
      lists[r].target.reserve(sizes[r]);
    }
    for (std::size_t e = 0; e < relation->size(); ++e) {
      auto& list = lists[static_cast<std::size_t>((*relation)[e])];
      list.source.push_back(all.source[e]);
      list.target.push_back(all.target[e]);
    }
    data_.edges.resize(sizes.size());
    for (std::size_t r = 0; r < sizes.size(); ++r) {
      if (options_.undirected) append_reverses(lists[r]);
      put_edges(data_, static_cast<type_id>(r), std::move(lists[r]));
    }
  }

  /// Equal names are distinguished by a number: "a.b", "a.b-2".
  void add_relation(const std::string& node_type, const std::string& relation) {
    std::string name = relation;
    if (data_.schema.edge_type({node_type, name, node_type})) {
      // Numbers below that of the last one are taken.
      std::uint64_t& number = last_number_.try_emplace(relation, 1).first->second;
      do {
        name = relation + "-" + std::to_string(++number);
      } while (data_.schema.edge_type({node_type, name, node_type}));
    }
    placed([&] { data_.schema.add_edge_type({node_type, name, node_type}); });
  }

  type_id node_type_of(const std::string& name, const char* key) const {
    const auto type = data_.schema.node_type(name);
    if (!type) {
      raise(error_kind::not_found,
            std::string("\"") + key + "\" names node type " + graph_schema::quoted(name) +
                ", which \"num_nodes\" does not list",
            {.file = file_});
    }
    return *type;
  }

  void read_node_features() {
    if (const auto* const features = optional_object(meta_, "features", file_)) {
      for (const auto& [name, description] : *features)
        read_feature(node_type_of(name, "features"), name, description);
    }
    if (const auto* const labels = optional_object(meta_, "labels", file_)) {
      for (const auto& [name, classes] : *labels) {
        const type_id type = node_type_of(name, "labels");
        const auto most = static_cast<std::int64_t>(
                              std::min<std::uint64_t>(as_count(classes, name, file_), 1u << 31)) -
                          1;
        put(type, "label",
            tensor::from(
                read_node_column<std::int64_t>(type, "label/" + name + ".txt", most, "a class")));
      }
    }
    if (const auto* const splits = optional_object(meta_, "split", file_)) {
      for (const auto& [name, description] : *splits) {
        static_cast<void>(description);
        const type_id type = node_type_of(name, "split");
        auto codes = read_node_column<std::int8_t>(
            type, "split/" + name + ".txt", 2,
            "0 train, 1 validation, 2 test or -1 none, a number");
        constexpr const char* masks[] = {"train_mask", "val_mask", "test_mask"};
        for (std::int8_t code = 0; code < 3; ++code) {
          std::vector<std::uint8_t> mask(codes.size());
          std::transform(codes.begin(), codes.end(), mask.begin(),
                         [code](std::int8_t c) { return static_cast<std::uint8_t>(c == code); });
          put(type, masks[code], tensor::from(std::move(mask)));
        }
        put(type, "split", tensor::from(std::move(codes)));
      }
    }
  }

  void put(type_id type, const char* name, tensor values) {
    data_.features.nodes.push_back({type, name, chunked_tensor(std::move(values))});
  }

  template <class Value>
  std::vector<Value> read_node_column(type_id type, const std::string& name, std::int64_t most,
                                      std::string_view what) const {
    const auto [content, path] = open_either(name);
    auto values = read_column<Value>(content.bytes, path, {.least = -1, .most = most, .what = what},
                                     executor_);
    check_lines(values.size(), data_.node_counts[type], as_text(content.bytes), path);
    return values;
  }

  void read_feature(type_id type, const std::string& name, const json::value& description) {
    static_cast<void>(as_object(description, name, file_));
    const auto& formats = as_array(required_member(description, "format", file_), "format", file_);
    const auto has = [&](std::string_view format) {
      return std::any_of(formats.begin(), formats.end(),
                         [&](const json::value& f) { return f == json::value(format); });
    };
    const std::uint64_t rows = data_.node_counts[type];
    if (has("npy")) {
      const std::string path = folder_ + "/feat/" + name + ".npy";
      tensor values = read_npy(open_(path), path);
      if (values.rank() == 0 || values.rows() != rows) {
        raise(error_kind::mismatch,
              "an array of shape " + to_string(values.shape()) + " is not a feature of " +
                  std::to_string(rows) + " nodes; it needs one row each",
              {.file = path});
      }
      put(type, "feat", std::move(values));
    } else if (has("coo")) {
      put(type, "feat",
          read_sparse(name, rows,
                      as_count(required_member(description, "dim", file_), "dim", file_)));
    } else {
      raise(error_kind::unsupported,
            "the features of " + graph_schema::quoted(name) +
                " are neither in \"npy\" nor in \"coo\"",
            {.file = file_});
    }
  }

  /// `node column` a line, the value is 1: as a dense uint8 array.
  tensor read_sparse(const std::string& name, std::uint64_t rows, std::uint64_t columns) const {
    std::uint64_t bytes = 0;
    if (!multiply_into(rows, columns, bytes) || bytes > options_.most_dense_bytes) {
      raise(error_kind::memory,
            "the sparse features of " + graph_schema::quoted(name) + ", " + std::to_string(rows) +
                " x " + std::to_string(columns) + ", would take more than " +
                std::to_string(options_.most_dense_bytes) + " bytes as a dense array",
            {.file = file_});
    }
    const auto [content, path] = open_either("feat/" + name + ".coo.txt");
    const auto ones = read_edges<std::uint64_t>(
        content.bytes, path, {.source_count = rows, .target_count = columns}, executor_);
    std::vector<std::uint8_t> dense(static_cast<std::size_t>(bytes));
    for (std::size_t i = 0; i < ones.source.size(); ++i)
      dense[static_cast<std::size_t>(ones.source[i] * columns + ones.target[i])] = 1;
    return tensor::from(std::move(dense), {rows, columns});
  }

  const json::value& meta_;
  const std::string& file_;
  const std::string& folder_;
  const plain_options& options_;
  any_file_opener open_;
  executor_ref executor_;
  std::optional<bool> directed_{};
  std::map<std::string, std::uint64_t> last_number_{};  // of relations of the same name
  dataset<Node, Edge> data_{};
};

}  // namespace detail

/// Read a folder in the plain form. Features are called `feat`, `label` (int64), `split` (int8)
/// with `train_mask`, `val_mask`, `test_mask` (uint8), and `weight` on edges; sparse features
/// become dense uint8. In triples each relation is an edge type; see relation_from_text() for its
/// name.
///
/// @param path      the folder, or its meta.json
/// @param open      how to open files; gz_files or zst_files where some are compressed
/// @param codec     parses JSON
/// @param executor  parses pieces of the text files
/// @errors as read_chunked(); memory: the edges would take more than options.most_bytes, or a
///     sparse feature would be larger than options.most_dense_bytes
/// @complexity O(bytes), and of sparse features rows x columns
template <id Node = std::uint64_t, id Edge = std::uint64_t>
dataset<Node, Edge> read_plain(const std::string& path, const plain_options& options,
                               const any_file_opener& open, const any_json_codec& codec,
                               executor_ref executor = {}) {
  const bool folder = detail::is_folder(path);
  const std::string file = folder ? path + "/meta.json" : path;
  std::string base = folder ? path : std::filesystem::path(path).parent_path().string();
  if (base.empty()) base = ".";
  const json::value meta = read_json(file, open, codec);
  return detail::plain_reader<Node, Edge>(meta, file, base, options, open, executor).read();
}

#if HALOGRAPH_COMPILED
// Instantiated in the compiled library (io/impl/widths.ipp).
extern template dataset<std::uint32_t, std::uint32_t> read_plain<std::uint32_t, std::uint32_t>(
    const std::string&, const plain_options&, const any_file_opener&, const any_json_codec&,
    executor_ref);
extern template dataset<std::uint64_t, std::uint64_t> read_plain<std::uint64_t, std::uint64_t>(
    const std::string&, const plain_options&, const any_file_opener&, const any_json_codec&,
    executor_ref);
#endif

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/io/formats/impl/plain.ipp>
#endif
