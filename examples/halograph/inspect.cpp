// SPDX-License-Identifier: BSL-1.0
// halograph inspect FILE|CONFIG.json [--part N]: what is in a file, as a table or as an object.
#include "command.hpp"
#include "flag_values.hpp"
#include "formats.hpp"
#include "inputs.hpp"
#include "inspect_input.hpp"

#include <halograph/folder/assignment_files.hpp>
#include <halograph/folder/id_converter_from_metadata.hpp>
#include <halograph/folder/load.hpp>
#include <halograph/io/formats/documents/node_link.hpp>
#include <halograph/serial/dgl/graph.hpp>
#include <halograph/serial/dgl/tensors.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/folder_entries.hpp>
#include <halograph/serial/files/unpacked.hpp>
#include <halograph/serial/native.hpp>
#include <halograph/serial/npy.hpp>
#include <halograph/serial/read_json.hpp>
#include <halograph/serial/text/columns.hpp>
#include <halograph/serial/text/lines.hpp>
#include <halograph/serial/text/readable.hpp>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph::cli {

namespace {

using table_rows = std::vector<std::vector<std::string>>;

struct inspect_flags {
  std::string file{};
  std::optional<std::uint64_t> part{};
};

/// The first elements of a tensor, as numbers.
json::value first_values(const tensor& values) {
  json::value out{json::array{}};
  const std::uint64_t count = std::min<std::uint64_t>(element_count(values.shape()), 6);
  for (std::size_t i = 0; i < count; ++i) {
    const std::byte* at = values.bytes().data() + i * item_bytes(values.type());
    if (values.type() == dtype::float32) {
      float value = 0;
      std::memcpy(&value, at, sizeof value);
      out.push(static_cast<double>(value));
    } else if (values.type() == dtype::float64) {
      double value = 0;
      std::memcpy(&value, at, sizeof value);
      out.push(value);
    } else if (values.type() == dtype::bfloat16 || values.type() == dtype::float16) {
      std::uint16_t bits = 0;
      std::memcpy(&bits, at, sizeof bits);
      if (values.type() == dtype::bfloat16) {
        out.push(static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16)));
        continue;
      }
      const int exponent = (bits >> 10) & 31, fraction = bits & 1023;
      const double size = exponent == 0 ? std::ldexp(fraction, -24)
                                        : std::ldexp(1024 + fraction, exponent - 25);
      if (exponent == 31)
        out.push(json::value());  // infinite, or no number
      else
        out.push((bits & 0x8000) != 0 ? -size : size);
    } else if (values.type() == dtype::uint64) {
      std::uint64_t value = 0;
      std::memcpy(&value, at, sizeof value);
      out.push(value);
    } else {
      out.push(values.integer(i));
    }
  }
  return out;
}

std::string first_text(const tensor& values) {
  std::string out;
  const json::value first = first_values(values);
  for (const auto& one : *first.if_array()) out += (out.empty() ? "" : " ") + json::print(one, 0);
  return out + (element_count(values.shape()) > 6 ? " ..." : "");
}

json::value to_json(const tensor& values) {
  json::value shape{json::array{}};
  for (const auto extent : values.shape()) shape.push(extent);
  return json::object{
      {"dtype", name(values.type())}, {"shape", std::move(shape)}, {"first", first_values(values)}};
}

/// Tensors as rows of a table and as members of an object.
json::value list_tensors(const std::vector<named_tensor>& all, const std::string& prefix,
                         table_rows& rows) {
  json::value out{json::object{}};
  for (const auto& one : all) {
    rows.push_back({prefix + shown(one.name), std::string(name(one.value.type())),
                    to_string(one.value.shape()), first_text(one.value)});
    out.set(one.name, to_json(one.value));
  }
  return out;
}

answer inspect_tensors(const std::vector<named_tensor>& all, const char* kind) {
  answer done;
  table_rows rows{{"tensor", "dtype", "shape", "first values"}};
  done.details.set("kind", kind);
  done.details.set("tensors", list_tensors(all, "", rows));
  done.text = std::string(kind) + ", " + counted(all.size(), "tensor") + "\n\n" + table(rows);
  return done;
}

answer inspect_graphs(const dgl::graph_file& file) {
  answer done;
  done.text = "DGL graph file, " + counted(file.graphs.size(), "graph") + "\n";
  json::value graphs{json::array{}};
  for (std::size_t g = 0; g < file.graphs.size(); ++g) {
    const auto& graph = file.graphs[g];
    table_rows counts{{"type", "count", "formats"}},
        columns{{"column", "dtype", "shape", "first values"}};
    json::value nodes{json::array{}}, edges{json::array{}};
    const auto type_at = [&](type_id t) {
      return t < graph.node_types.size() ? graph.node_types[t].name : std::string("?");
    };
    for (const auto& type : graph.node_types) {
      counts.push_back({shown(type.name), std::to_string(type.nodes), "nodes"});
      nodes.push(
          json::object{{"name", type.name},
                       {"nodes", type.nodes},
                       {"columns", list_tensors(type.columns, shown(type.name) + "/", columns)}});
    }
    for (const auto& relation : graph.relations) {
      const std::string full = type_at(relation.source) + ":" + relation.name + ":" +
                               type_at(relation.target);
      counts.push_back({shown(full), std::to_string(relation.edges), relation.stored().str()});
      edges.push(
          json::object{{"name", full},
                       {"edges", relation.edges},
                       {"formats", relation.stored().str()},
                       {"columns", list_tensors(relation.columns, shown(full) + "/", columns)}});
    }
    done.text += "\ngraph " + std::to_string(g) + "\n" + table(counts) +
                 (columns.size() > 1 ? "\n" + table(columns) : "");
    graphs.push(json::object{{"node_types", std::move(nodes)}, {"edge_types", std::move(edges)}});
  }
  table_rows labels{{"label", "dtype", "shape", "first values"}};
  done.details.set("kind", "DGL graph file");
  done.details.set("graphs", std::move(graphs));
  done.details.set("labels", list_tensors(file.labels, "", labels));
  if (labels.size() > 1) done.text += "\n" + table(labels);
  return done;
}

answer inspect_native(const native::file_view& file) {
  std::vector<named_tensor> all;
  for (const auto& one : file.sections) {
    all.push_back(
        {one.name.empty() ? "section " + std::to_string(static_cast<int>(one.what)) : one.name,
         one.value});
  }
  answer done = inspect_tensors(
      all, file.kind == native::file_kind::graph ? "native graph of a part" : "native arrays");
  if (file.kind == native::file_kind::graph) {
    done.details.set("nodes", file.nodes);
    done.details.set("edges", file.edges);
    done.text += "\n" + counted(file.nodes, "node") + ", " + counted(file.edges, "edge") + "\n";
  }
  return done;
}

std::string size_text(const std::string& path, json::value& out) {
  std::error_code problem;
  const auto bytes = std::filesystem::file_size(path, problem);
  out = problem ? json::value() : json::value(static_cast<std::uint64_t>(bytes));
  return problem ? "missing" : readable::bytes(bytes);
}

answer inspect_config(const std::string& path) {
  const auto config = open_partition(path);
  answer done;
  done.details.set("kind", "partition config");
  done.details.set("config", to_json(config));
  done.text = "partition config of graph " + graph_schema::quoted(config.graph_name) + ": " +
              counted(config.num_nodes, "node") + ", " + counted(config.num_edges, "edge") + ", " +
              counted(config.num_parts, "part") + " by " + shown(config.part_method) + ", " +
              counted(config.halo_hops, "hop") + ", serializer " + shown(config.serializer) + "\n";
  if (config.cut_edges_dropped)
    done.text += counted(*config.cut_edges_dropped, "cut edge") + " dropped\n";
  table_rows types{{"type", "number", "count", "ranges"}};
  const auto add = [&](entity kind, std::size_t count, const auto& map) {
    for (std::size_t t = 0; t < count; ++t) {
      const entity_type of{kind, static_cast<type_id>(t)};
      std::string ranges;
      for (std::size_t p = 0; p < config.num_parts && config.reshuffled() && p < 8; ++p) {
        ranges += (p ? " [" : "[") + std::to_string(map[t][p].begin) + ", " +
                  std::to_string(map[t][p].end) + ")";
      }
      if (!config.reshuffled())
        ranges = shown(kind == entity::node ? config.node_map_file : config.edge_map_file);
      else if (config.num_parts > 8)
        ranges += " ...";
      types.push_back({shown(type_name(config.schema, of)), std::to_string(t),
                       std::to_string(type_count(config, of)), ranges});
    }
  };
  add(entity::node, config.schema.num_node_types(), config.node_map);
  add(entity::edge, config.schema.num_edge_types(), config.edge_map);
  done.text += "\n" + table(types);
  table_rows files{{"file", "size"}};
  json::value sizes{json::object{}};
  for (const auto& part : config.parts) {
    for (const auto& file : {part.graph, part.node_features, part.edge_features,
                             part.original_nodes, part.original_edges, part.graphbolt}) {
      if (file.empty()) continue;
      json::value bytes;
      files.push_back({shown(file), size_text(config.resolve(file), bytes)});
      sizes.set(file, std::move(bytes));
    }
  }
  done.details.set("files", std::move(sizes));
  done.text += "\n" + table(files);
  return done;
}

answer inspect_part(const std::string& path, std::uint64_t part) {
  const auto config = open_partition(path);
  if (part >= config.num_parts) {
    raise(error_kind::out_of_range,
          "part " + std::to_string(part) + " does not exist; parts are 0 to " +
              std::to_string(config.num_parts - 1),
          {.file = path});
  }
  const auto p = static_cast<std::size_t>(part);
  const auto graph = load_partition_graph(config, p, folder_files(), known_formats());
  const std::string file = config.resolve(config.parts[p].graph);
  answer done;
  json::value nodes{json::object{}}, edges{json::object{}};
  table_rows counts{{"type", "inner", "halo"}};
  const auto count = [&](entity kind, const std::vector<named_tensor>& columns, std::uint64_t rows,
                         std::size_t types, json::value& out) {
    std::vector<std::uint64_t> inner(types), halo(types);
    const auto* flag = detail::find_column(columns,
                                           kind == entity::node ? "inner_node" : "inner_edge");
    const auto* type = detail::find_column(columns, "_TYPE");
    if (!flag || flag->rows() != rows || !is_integer(flag->type()) ||
        (type && (type->rows() != rows || !is_integer(type->type())))) {
      raise(error_kind::malformed,
            "the " + std::string(name(kind)) +
                " columns for inner rows and types are missing or do not have one entry per row",
            {.file = file});
    }
    for (std::size_t i = 0; i < rows; ++i) {
      const auto t = static_cast<std::size_t>(type ? type->integer(i) : 0);
      if (t >= types)
        raise(error_kind::out_of_range,
              std::string(name(kind)) + " " + std::to_string(i) +
                  " has a type that the config does not list",
              {.file = file});
      ++(flag->integer(i) != 0 ? inner : halo)[t];
    }
    for (std::size_t t = 0; t < types; ++t) {
      const std::string called = type_name(config.schema, {kind, static_cast<type_id>(t)});
      counts.push_back({shown(called), std::to_string(inner[t]), std::to_string(halo[t])});
      out.set(called, json::object{{"inner", inner[t]}, {"halo", halo[t]}});
    }
  };
  count(entity::node, graph.node_columns, graph.nodes, config.schema.num_node_types(), nodes);
  count(entity::edge, graph.edge_columns, graph.edges, config.schema.num_edge_types(), edges);
  table_rows columns{{"column", "dtype", "shape", "first values"}};
  done.details.set("kind", "part");
  done.details.set("part", part);
  done.details.set("nodes", std::move(nodes));
  done.details.set("edges", std::move(edges));
  done.details.set("node_columns", list_tensors(graph.node_columns, "nodes: ", columns));
  done.details.set("edge_columns", list_tensors(graph.edge_columns, "edges: ", columns));
  const auto features = load_partition_feats(config, p, folder_files(), known_formats());
  done.details.set("node_features", list_tensors(features.nodes, "feature ", columns));
  done.details.set("edge_features", list_tensors(features.edges, "feature ", columns));
  done.text = "part " + std::to_string(part) + ": " + counted(graph.nodes, "node") + ", " +
              counted(graph.edges, "edge") + "\n\n" + table(counts) + "\n" + table(columns);
  return done;
}

/// The sum of a list of counts, or of one of lists of counts.
std::optional<std::uint64_t> sum_of(const json::value* counts) {
  std::uint64_t sum = 0, one = 0;
  if (counts == nullptr) return std::nullopt;
  if (counts->to_uint(one)) return one;
  if (!counts->if_array()) return std::nullopt;
  for (const auto& each : *counts->if_array()) {
    const auto inner = sum_of(&each);
    if (!inner || *inner > ~sum) return std::nullopt;
    sum += *inner;
  }
  return sum;
}

answer inspect_metadata(const json::value& root, const std::string& path) {
  static_cast<void>(schema_from_metadata(root, {.file = path}));  // throws if it is not valid
  answer done;
  table_rows rows{{"type", "count", "chunks", "features"}};
  const auto nth = [&](const char* key, std::size_t n) -> const json::value* {
    const auto* const list = root.find(key);
    if (list == nullptr || !list->if_array() || n >= list->if_array()->size()) return nullptr;
    return &(*list->if_array())[n];
  };
  const auto add = [&](const char* types, const char* counts, const char* chunks,
                       const char* data) {
    const auto* const list = root.find(types);
    if (list == nullptr || !list->if_array()) return;
    for (std::size_t t = 0; t < list->if_array()->size(); ++t) {
      const auto& one = (*list->if_array())[t];
      const std::string type = one.if_string() ? *one.if_string() : "?";
      const auto* const per_chunk = nth(chunks, t);
      auto count = sum_of(nth(counts, t));
      if (!count) count = sum_of(per_chunk);
      std::string features;
      const auto* const all = root.find(data);
      const auto* const of_type = all != nullptr && all->if_object() ? all->find(type) : nullptr;
      if (of_type != nullptr && of_type->if_object()) {
        for (const auto& member : *of_type->if_object())
          features += (features.empty() ? "" : ", ") + shown(member.first);
      }
      rows.push_back({shown(type), count ? std::to_string(*count) : "?",
                      per_chunk != nullptr && per_chunk->if_array()
                          ? std::to_string(per_chunk->if_array()->size())
                          : "?",
                      features.empty() ? "-" : features});
    }
  };
  add("node_type", "num_nodes_per_type", "num_nodes_per_chunk", "node_data");
  add("edge_type", "num_edges_per_type", "num_edges_per_chunk", "edge_data");
  done.details.set("kind", "chunked graph metadata");
  done.details.set("metadata", root);
  done.text = "metadata of a chunked graph\n\n" + table(rows);
  return done;
}

/// X.json of parmetis export: the ranges of types.
answer inspect_ranges(const json::value& root) {
  answer done;
  table_rows rows{{"type", "IDs"}};
  for (const char* key : {"nid", "eid"}) {
    if (const auto* types = root.find(key); types && types->if_object()) {
      for (const auto& [type, range] : *types->if_object())
        rows.push_back({shown(type), json::print(range, 0)});
    }
  }
  done.details.set("kind", "ParMETIS schema");
  done.details.set("schema", root);
  done.text = "ID ranges of types, of files for ParMETIS\n\n" + table(rows);
  return done;
}

answer inspect_plain(const json::value& root) {
  answer done;
  table_rows counts{{"type", "count"}};
  for (const char* key : {"num_nodes", "num_edges"}) {
    if (const auto* types = root.find(key); types && types->if_object()) {
      for (const auto& [type, count] : *types->if_object())
        counts.push_back({shown(type), json::print(count, 0)});
    }
  }
  done.details.set("kind", "plain form");
  done.details.set("meta", root);
  done.text = "a graph in the plain form\n\n" + table(counts);
  return done;
}

/// The file that describes a folder: metadata.json, meta.json, or the only config of a partition
/// folder; "" where nothing does. partition_meta.json describes assignments.
std::string described_by(const std::string& folder) {
  for (const char* name : {"/metadata.json", "/meta.json", "/partition_meta.json"}) {
    if (is_file(folder + name)) return folder + name;
  }
  std::vector<std::string> found;
  for (const auto& name : detail::names_in(folder)) {
    const auto file = std::filesystem::path(folder) / name;
    if (file.extension() == ".json" && is_file(file.string())) found.push_back(file.string());
  }
  return found.size() == 1 ? found[0] : std::string();
}

/// The config beside a folder part<N> that lists it, and N.
std::optional<std::pair<std::string, std::uint64_t>> part_of(const std::string& folder) {
  auto path = std::filesystem::absolute(folder).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  const std::string name = path.filename().string();
  if (!name.starts_with("part")) return std::nullopt;
  const auto part = whole_number(std::string_view(name).substr(4));
  if (!part || !is_folder(path.parent_path().string())) return std::nullopt;
  const std::string config = described_by(path.parent_path().string());
  if (config.empty()) return std::nullopt;
  return std::pair(config, *part);
}

/// A file from front to back, decompressed where its name says so; one block of it is held.
class file_blocks {
 public:
  explicit file_blocks(const std::string& path) : source_(path) {
    inputs_of_this_run()->opening(path);
    packed_ = open_packed(path);
  }

  /// The next bytes; none at the end.
  std::string_view next() {
    buffer_.resize(std::size_t{1} << 18);
    const std::span<std::byte> room(buffer_);
    if (packed_) return detail::as_text(room.first(packed_(room)));
    const auto block = room.first(
        static_cast<std::size_t>(std::min<std::uint64_t>(room.size(), source_.size() - at_)));
    if (const status read = source_.read_at(at_, block); !read)
      raise(read.code, "cannot be read; it may have become shorter",
            {.file = source_.path(), .byte = read.position});
    at_ += block.size();
    return detail::as_text(block);
  }

 private:
  file_source source_;
  unpacked_blocks packed_{};
  std::vector<std::byte> buffer_{};
  std::uint64_t at_ = 0;
};

/// METIS's header. @param block  the first block of the file
answer inspect_metis(const std::string& path, std::string_view block, file_blocks& blocks) {
  std::string line;
  std::uint64_t number = 1;
  for (bool ended = false; !block.empty() && !ended;) {
    const auto end = std::min(block.find('\n'), block.size());
    line += block.substr(0, end);
    if (line.size() > longest_line) detail::raise_long_line(path, number, longest_line);
    const bool whole = end != block.size();
    block.remove_prefix(end + (whole ? 1 : 0));
    ended = whole && !line.empty() && line[0] != '%';
    if (whole && !ended) {
      line.clear();
      ++number;
    }
    if (block.empty()) block = blocks.next();
  }
  std::vector<std::uint64_t> fields;
  for (const char *at = line.data(), *const end = line.data() + line.size(); at < end;) {
    std::uint64_t value = 0;
    const auto parsed = std::from_chars(at, end, value);
    if (parsed.ec == std::errc{})
      fields.push_back(value);
    else if (*at != ' ' && *at != '\t' && *at != '\r')
      fields.clear();
    at = parsed.ec == std::errc{} ? parsed.ptr : at + 1;
  }
  if (fields.size() < 2 || fields.size() > 4) {
    raise(
        error_kind::malformed,
        "the header of a METIS graph must be two to four numbers: vertices, edges, format, constraints",
        {.file = path, .line = number});
  }
  answer done;
  done.details.set("kind", "METIS graph");
  done.details.set("nodes", fields[0]);
  done.details.set("edges", fields[1]);
  done.details.set("format", fields.size() > 2 ? fields[2] : 0);
  done.details.set("constraints", fields.size() > 3                               ? fields[3]
                                  : fields.size() > 2 && fields[2] / 10 % 10 == 1 ? 1u
                                                                                  : 0u);
  done.text = "METIS graph: " + counted(fields[0], "vertex", "vertices") + ", " +
              counted(fields[1], "edge") + ", format " +
              std::to_string(fields.size() > 2 ? fields[2] : 0) + "\n";
  return done;
}

/// Counts the nodes of each part while the text is a valid assignment.
class parts_counter {
 public:
  explicit parts_counter(const std::string& path) : path_(path) {}

  /// The next bytes.
  void take(std::string_view block) {
    const auto end = block.rfind('\n');
    if (sound_ && end != std::string_view::npos) {
      rest_ += block.substr(0, end + 1);
      count();
      block.remove_prefix(end + 1);
    }
    if (rest_.size() + block.size() > longest_line) sound_ = false;
    if (sound_) rest_ += block;
  }
  /// After the last bytes.
  void finish() {
    if (sound_) count();
  }
  bool found() const noexcept { return sound_ && nodes_ != 0; }
  std::uint64_t nodes() const noexcept { return nodes_; }
  std::uint64_t largest() const noexcept { return largest_; }
  /// [part]; none where there are very many parts
  std::span<const std::uint64_t> loads() const noexcept {
    return largest_ < most ? std::span<const std::uint64_t>(loads_)
                           : std::span<const std::uint64_t>();
  }

 private:
  static constexpr std::uint64_t most = 4096;

  void count() {
    try {
      for (const auto value :
           read_column(std::as_bytes(std::span(rest_)), path_,
                       {.least = 0, .integral_floats = true, .what = "a part"})) {
        const auto part = static_cast<std::uint64_t>(value);
        largest_ = std::max(largest_, part);
        ++nodes_;
        if (part >= most) continue;
        if (part >= loads_.size()) loads_.resize(static_cast<std::size_t>(part) + 1);
        ++loads_[static_cast<std::size_t>(part)];
      }
    } catch (const error&) {
      sound_ = false;  // not a column of parts: an edge list, machines, or anything
    }
    rest_.clear();
  }

  const std::string& path_;
  std::string rest_{};
  std::vector<std::uint64_t> loads_{};
  std::uint64_t nodes_ = 0, largest_ = 0;
  bool sound_ = true;
};

/// Text of lines, perhaps a column of parts; it is read block by block. @param block  the first
/// block of the file
answer inspect_text(const std::string& path, std::string_view block, file_blocks& blocks) {
  answer done;
  const std::string first(block.substr(0, std::min<std::size_t>(block.find('\n'), 80)));
  const bool column = first.find_first_of(" \t,.") == std::string::npos;
  parts_counter parts(path);
  std::uint64_t lines = 0;
  for (bool open = false; !block.empty(); block = blocks.next()) {
    if (block.find('\0') != std::string_view::npos) return done;
    lines += detail::count_line_ends(block.data(), block.data() + block.size()) - (open ? 1u : 0u);
    open = block.back() != '\n';
    lines += open ? 1u : 0u;
    if (column) parts.take(block);
  }
  parts.finish();
  done.details.set("kind", "text");
  done.details.set("lines", lines);
  done.details.set("first_line", first);
  done.text = "text of " + counted(lines, "line") + "; the first is " +
              graph_schema::quoted(first) + "\n";
  if (column && parts.found()) {
    json::value sizes{json::array{}};
    table_rows rows{{"part", "nodes"}};
    for (const auto load : parts.loads()) {
      rows.push_back({std::to_string(rows.size() - 1), std::to_string(load)});
      sizes.push(load);
    }
    done.details.set("largest_part", parts.largest());
    done.details.set("nodes_per_part", std::move(sizes));
    done.text += "\nas an assignment: " + counted(parts.nodes(), "node") + ", parts 0 to " +
                 std::to_string(parts.largest()) + "\n" + (rows.size() > 1 ? table(rows) : "");
  }
  return done;
}

[[noreturn]] void raise_unknown(const std::string& path) {
  raise(
      error_kind::unsupported,
      "unrecognized; supported are everything that partition reads, partition folders, their configs and parts, assignments, "
      "DGL's graph and tensor files (.dgl), native files (.hgp), .npy, and text (also .gz, .zst)",
      {.file = path});
}

answer inspect_file(const std::string& path) {
  if (is_folder(path)) {
    if (const auto part = part_of(path)) return inspect_part(part->first, part->second);
    if (const std::string file = described_by(path); !file.empty()) return inspect_file(file);
    if (auto found = inspect_input(path)) return *std::move(found);
    raise_unknown(path);
  }
  const std::filesystem::path file(unpacked_name(path));
  const std::string ending = file.extension().string();
  if (ending == ".txt" || ending == ".graph" || ending == ".mgraph" || ending == ".csv" ||
      ending == ".tsv" || ending == ".edges" || ending == ".el") {
    file_blocks blocks(path);
    const std::string_view block = blocks.next();
    const auto head = std::as_bytes(std::span(block));
    if (!is_npy(head) && dgl::kind_of(head) == dgl::file_kind::other && !native::is_native(head)) {
      answer done = ending == ".graph" || ending == ".mgraph" ? inspect_metis(path, block, blocks)
                                                              : inspect_text(path, block, blocks);
      if (!done.details.find("kind")) raise_unknown(path);
      return done;
    }
  }
  const file_bytes content = input_files()(path);
  const auto bytes = content.bytes;
  if (is_npy(bytes)) return inspect_tensors({{"", read_npy(content, path)}}, "NumPy array");
  if (dgl::kind_of(bytes) == dgl::file_kind::tensors)
    return inspect_tensors(dgl::read_tensors(content, path), "DGL tensor dictionary");
  if (dgl::kind_of(bytes) == dgl::file_kind::graphs)
    return inspect_graphs(dgl::read_graphs(content, path));
  if (native::is_native(bytes)) return inspect_native(native::open(content, path));
  if (ending == ".json" && !is_node_link(detail::as_text(bytes))) {
    const auto root = read_json(path, input_files(), json_codec());
    if (root.find("num_parts") && root.find("part_method")) return inspect_config(path);
    if (root.find("num_parts") && root.find("node_map")) return inspect_config(path);
    if (root.find("algo_name")) {
      const auto [parts, algorithm] = assignment_meta_from_json(root, path);
      answer done;
      done.details.set("kind", "partition_meta.json");
      done.details.set("num_parts", parts);
      done.details.set("algo_name", algorithm);
      done.text = "partition_meta.json: " + counted(parts, "part") + " by " + algorithm + "\n";
      return done;
    }
    if (root.find("node_type")) return inspect_metadata(root, path);
    if (root.find("num_nodes") && root.find("num_edges")) return inspect_plain(root);
    if (root.find("nid") && root.find("eid")) return inspect_ranges(root);
    if (root.find("nodes") && root.find("edges")) return inspect_tables_spec(root, path);
  }
  if (auto found = inspect_input(path)) return *std::move(found);
  raise_unknown(path);
}

}  // namespace

action add_inspect(flag_set& app) {
  auto given = std::make_shared<inspect_flags>();
  app.example("halograph inspect papers/", "what a graph in a folder holds");
  app.example("halograph inspect parts/papers.json --part 1", "one part of a partition folder");
  app.add_option("file", given->file,
                 "a file, or the folder of a graph, of partitions, of a part or of an assignment")
      .required()
      .type_name("PATH");
  app.section("What to show");
  add_number(app, "--part", given->part, "with a config: show the graph and features of this part",
             0, most_parts - 1);
  return [given](const context&) {
    const std::string config = given->part && is_folder(given->file) ? described_by(given->file)
                                                                     : given->file;
    if (config.empty()) raise_unknown(given->file);
    answer done = given->part ? inspect_part(config, *given->part) : inspect_file(given->file);
    json::value details{json::object{}};
    details.set("file", given->file);
    for (const auto& [key, value] : *done.details.if_object()) details.set(key, value);
    done.details = std::move(details);
    return done;
  };
}

}  // namespace halograph::cli
