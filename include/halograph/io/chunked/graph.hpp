// SPDX-License-Identifier: BSL-1.0
/// @file graph.hpp
/// A graph in DGL's Chunked Graph Format, opened and not held: edges and feature rows block by
/// block.
/// Layer: io. Words: README.md.
///
/// | key of metadata.json | meaning |
/// | --- | --- |
/// | `graph_name` | the graph's name; without it, the folder's |
/// | `node_type`, `edge_type` | names, `source:relation:target`; their places are their numbers |
/// | `num_nodes_per_type`, or `num_nodes_per_chunk` | counts by type, or rows of counts to be summed |
/// | `num_edges_per_type`, `num_edges_per_chunk` | the same for edges; optional, checked where there |
/// | `edges` | edge type -> files; csv, numpy [n, 2], or parquet with two columns |
/// | `node_data`, `edge_data` | type -> feature -> files; numpy of any rank from 1, csv, or parquet |
///
/// A list of files is `{"format": {"name": ..., "delimiter": ...}, "data": [path, ...]}`; paths are
/// absolute or relative to the folder of metadata.json; files are laid end to end, and may be
/// empty.
///
/// | format | dtype and shape of a feature |
/// | --- | --- |
/// | numpy | the array's |
/// | csv | [n, columns], int64, or float64 as soon as one number is no integer |
/// | parquet, one column of lists | [n, length of the lists] |
/// | parquet, columns of numbers | [n, columns], of the dtype that holds them all |
/// | parquet with `shape` in its metadata | that shape |
#pragma once

#include <halograph/comm/collective_errors.hpp>
#include <halograph/core/checked_cast.hpp>
#include <halograph/core/communicator.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/folder/id_converter_from_metadata.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/digest.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/feature_store.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/path.hpp>
#include <halograph/serial/half.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/json_members.hpp>
#include <halograph/serial/npy.hpp>
#include <halograph/serial/table.hpp>
#include <halograph/serial/tensor.hpp>
#include <halograph/serial/text/blocks.hpp>
#include <halograph/serial/text/cursor.hpp>
#include <halograph/serial/text/edges.hpp>
#include <halograph/serial/text/lines.hpp>
#include <halograph/serial/text/pieces.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>

namespace halograph {

/// What to read of a chunked graph.
struct chunked_options {
  bool features = true;  ///< false: structure alone; feature files are not opened
  /// keep .npy features open, for an opener that would read or inflate them twice
  bool keep_arrays = false;
};

/// The formats of a chunked graph's files.
enum class chunk_format : std::uint8_t { csv, numpy, parquet };

/// The name in metadata.json.
constexpr std::string_view name(chunk_format format) noexcept {
  return format == chunk_format::csv ? "csv" : format == chunk_format::numpy ? "numpy" : "parquet";
}

/// One file of a chunked graph.
struct chunk_file {
  std::string path{};
  std::uint64_t first = 0;  ///< of the type: ID of its first edge, or first row
  std::uint64_t rows = 0;
  text_index text{};     ///< csv: where its lines are
  table_info table{};    ///< parquet
  tensor_shape shape{};  ///< features: of this file's rows, the first extent being `rows`
  file_bytes kept{};     ///< numpy, with chunked_options::keep_arrays
};

/// The files of one edge type or feature, in order.
struct chunk_list {
  chunk_format format = chunk_format::csv;
  text_format text{};
  std::vector<chunk_file> files{};

  std::uint64_t rows() const noexcept {
    return files.empty() ? 0 : files.back().first + files.back().rows;
  }
};

/// One feature of a chunked graph.
struct chunked_feature {
  type_id type = 0;  ///< node type or edge type
  std::string name{};
  halograph::dtype dtype = halograph::dtype::float32;  ///< as in the input: bool stays bool
  tensor_shape row_shape{};
  std::uint64_t rows = 0;  ///< as many as the type has nodes or edges
  chunk_list list{};

  std::size_t row_bytes() const noexcept {
    return static_cast<std::size_t>(element_count(row_shape)) * item_bytes(dtype);
  }
};

/// Edges [first, last) of a type that lie together in one file: a piece of work.
struct edge_block {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
};

/// Names that a partition's own columns have: a feature called so would be lost or overwrite them.
constexpr bool is_reserved_feature(std::string_view name, bool of_nodes) noexcept {
  return name == "_ID" || name == (of_nodes ? "inner_node" : "inner_edge");
}

namespace detail {

/// Refuse names that could be paths, and reserved ones. @errors invalid_argument
inline void check_feature_name(std::string_view name, bool of_nodes, const std::string& file) {
  if (!is_safe_name(name)) {
    raise(errc::invalid_argument,
          "feature name " + graph_schema::quoted(name) +
              " must be 1 to 200 bytes without '/' and control characters",
          {.file = file});
  }
  if (is_reserved_feature(name, of_nodes)) {
    raise(errc::invalid_argument,
          "feature name " + graph_schema::quoted(name) +
              " is reserved for the partitions' own columns; it must be another",
          {.file = file});
  }
}

inline std::string folder_name(const std::string& path) {
  const std::filesystem::path folder(path);
  return folder.has_filename() ? folder.filename().string()
                               : folder.parent_path().filename().string();
}

inline bool is_folder(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

/// One character, or what others write for blanks: "  ", "\s+", ", ".
inline std::optional<char> delimiter_from(std::string_view text) noexcept {
  if (text == "\\s+") return ' ';
  if (text.size() == 1 && text[0] != '\0') return text[0];
  while (text.size() > 1 && text.front() == ' ') text.remove_prefix(1);
  while (text.size() > 1 && text.back() == ' ') text.remove_suffix(1);
  return text.size() == 1 && text[0] != '\0' ? std::optional(text[0]) : std::nullopt;
}

/// A list of files as metadata.json has it; the files are not opened.
inline chunk_list chunk_list_from(const json::value& entry, const std::string& of,
                                  const std::string& folder, const std::string& file) {
  static_cast<void>(as_object(entry, of, file));
  chunk_list out;
  out.text.comments =
      true;  // DGL's guide shows its files with a heading; no other line could begin with #
  const json::value& format = required_member(entry, "format", file);
  static_cast<void>(as_object(format, "format", file));
  const std::string& called = as_string(required_member(format, "name", file), "name", file);
  if (called == "csv")
    out.format = chunk_format::csv;
  else if (called == "numpy")
    out.format = chunk_format::numpy;
  else if (called == "parquet")
    out.format = chunk_format::parquet;
  else {
    raise(errc::unsupported,
          "the files of " + graph_schema::quoted(of) + " are in format " +
              graph_schema::quoted(called) + "; it must be \"csv\", \"numpy\" or \"parquet\"",
          {.file = file});
  }
  if (const auto* delimiter = format.find("delimiter");
      delimiter != nullptr && out.format == chunk_format::csv) {
    const auto& text = as_string(*delimiter, "delimiter", file);
    const auto one = delimiter_from(text);
    if (!one) {
      raise(errc::unsupported,
            "\"delimiter\" of " + graph_schema::quoted(of) + " is " + graph_schema::quoted(text) +
                "; it must be one character",
            {.file = file});
    }
    out.text.delimiter = *one;
    placed({.file = file}, [&] { check_format(out.text); });
  }
  for (const auto& path : as_array(required_member(entry, "data", file), "data", file)) {
    out.files.emplace_back().path = path_in(folder, as_string(path, "data", file));
  }
  return out;
}

/// The number of the line that holds record n (from 0), or of the line behind the last.
inline std::uint64_t line_of_record(std::string_view text, std::uint64_t n,
                                    text_format format = {}) noexcept {
  text_cursor cursor(text.data(), text.data() + text.size(), format);
  std::uint64_t line = 1;
  for (; !cursor.done(); cursor.next_line(), ++line) {
    cursor.skip_blanks();
    if (!cursor.at_line_end() && n-- == 0) return line;
  }
  return line;
}

/// Integers `stride` bytes apart, as IDs. @return how many are below `limit` before the first that
/// is not
template <class From, id To>
std::size_t ids_from(const std::byte* at, std::size_t stride, bool swapped, std::uint64_t limit,
                     To* out, std::size_t count) noexcept {
  for (std::size_t i = 0; i < count; ++i, at += stride) {
    From value;
    if (swapped) {
      std::byte bytes[sizeof(From)];
      std::reverse_copy(at, at + sizeof(From), bytes);
      std::memcpy(&value, bytes, sizeof value);
    } else {
      std::memcpy(&value, at, sizeof value);
    }
    // A negative number is beyond every limit once it is unsigned.
    const auto id = static_cast<std::uint64_t>(value);
    if (id >= limit) return i;
    out[i] = static_cast<To>(id);
  }
  return count;
}

template <id To>
std::size_t ids_from(dtype type, const std::byte* at, std::size_t stride, bool swapped,
                     std::uint64_t limit, To* out, std::size_t count) noexcept {
  switch (type) {
    case dtype::int8:
      return ids_from<std::int8_t>(at, stride, swapped, limit, out, count);
    case dtype::int16:
      return ids_from<std::int16_t>(at, stride, swapped, limit, out, count);
    case dtype::int32:
      return ids_from<std::int32_t>(at, stride, swapped, limit, out, count);
    case dtype::int64:
      return ids_from<std::int64_t>(at, stride, swapped, limit, out, count);
    case dtype::uint8:
      return ids_from<std::uint8_t>(at, stride, swapped, limit, out, count);
    case dtype::uint16:
      return ids_from<std::uint16_t>(at, stride, swapped, limit, out, count);
    case dtype::uint32:
      return ids_from<std::uint32_t>(at, stride, swapped, limit, out, count);
    case dtype::uint64:
      return ids_from<std::uint64_t>(at, stride, swapped, limit, out, count);
    default:
      return 0;
  }
}

/// An integer in memory as text, for a sentence.
inline std::string integer_text(dtype type, const std::byte* at, bool swapped) {
  std::byte bytes[8]{};
  const std::size_t width = item_bytes(type);
  if (swapped)
    std::reverse_copy(at, at + width, bytes);
  else
    std::copy_n(at, width, bytes);
  if (type == dtype::uint64) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes, 8);
    return std::to_string(value);
  }
  return std::to_string(tensor(type, {1}, std::span<const std::byte>(bytes, width)).integer(0));
}

/// Put a number into another dtype that can hold it.
inline void convert_element(dtype from, const std::byte* in, dtype to, std::byte* out) {
  const auto load = [in](auto value) {
    std::memcpy(&value, in, sizeof value);
    return value;
  };
  const auto store = [out](auto value) { std::memcpy(out, &value, sizeof value); };
  if (is_integer(to)) {
    std::uint64_t bits = 0;  // two's complement: the low bytes are right for either sign
    switch (from) {
      case dtype::int8:
        bits = static_cast<std::uint64_t>(load(std::int8_t{}));
        break;
      case dtype::int16:
        bits = static_cast<std::uint64_t>(load(std::int16_t{}));
        break;
      case dtype::int32:
        bits = static_cast<std::uint64_t>(load(std::int32_t{}));
        break;
      case dtype::uint8:
      case dtype::boolean:
        bits = load(std::uint8_t{});
        break;
      case dtype::uint16:
        bits = load(std::uint16_t{});
        break;
      case dtype::uint32:
        bits = load(std::uint32_t{});
        break;
      default:
        bits = load(std::uint64_t{});
        break;
    }
    switch (item_bytes(to)) {
      case 1:
        store(static_cast<std::uint8_t>(bits));
        break;
      case 2:
        store(static_cast<std::uint16_t>(bits));
        break;
      case 4:
        store(static_cast<std::uint32_t>(bits));
        break;
      default:
        store(bits);
        break;
    }
    return;
  }
  double value = 0;
  switch (from) {
    case dtype::int8:
      value = load(std::int8_t{});
      break;
    case dtype::int16:
      value = load(std::int16_t{});
      break;
    case dtype::int32:
      value = load(std::int32_t{});
      break;
    case dtype::int64:
      value = static_cast<double>(load(std::int64_t{}));
      break;
    case dtype::uint8:
    case dtype::boolean:
      value = load(std::uint8_t{});
      break;
    case dtype::uint16:
      value = load(std::uint16_t{});
      break;
    case dtype::uint32:
      value = load(std::uint32_t{});
      break;
    case dtype::uint64:
      value = static_cast<double>(load(std::uint64_t{}));
      break;
    case dtype::float16:
      value = static_cast<double>(float_from_half(load(std::uint16_t{})));
      break;
    case dtype::bfloat16:
      value = static_cast<double>(float_from_bfloat16(load(std::uint16_t{})));
      break;
    case dtype::float32:
      value = static_cast<double>(load(float{}));
      break;
    case dtype::float64:
      value = load(double{});
      break;
  }
  if (to == dtype::float64)
    store(value);
  else if (to == dtype::float32)
    store(static_cast<float>(value));
  else
    store(half_from_double(value));
}

/// Opened files, shared among those who read them at the same time; the last one stays open.
class shared_files {
 public:
  template <class Opener>
  file_bytes open(const std::string& path, const Opener& opener) {
    {
      const std::lock_guard guard(lock_);
      if (path == last_path_) return last_;
      if (const auto found = known_.find(path); found != known_.end()) {
        if (auto owner = found->second.second.lock())
          return {found->second.first, std::move(owner)};
      }
    }
    file_bytes opened = opener(path);
    const std::lock_guard guard(lock_);
    known_[path] = {opened.bytes, opened.owner};
    last_path_ = path;
    last_ = opened;
    return opened;
  }

 private:
  std::mutex lock_{};
  std::string last_path_{};
  file_bytes last_{};
  std::unordered_map<std::string, std::pair<std::span<const std::byte>, std::weak_ptr<const void>>>
      known_{};
};

/// The chunked graph of another rank is this one if it says the same: names, counts and features;
/// of each file the format, the size, where its lines or pieces lie, and the first 4 KiB. Not
/// paths, nor all that is in a file: one of the same size that begins alike is taken for the same.
/// @complexity O(names) and reading 4 KiB of each file
template <class Chunked>
std::uint64_t digest_of_input(const Chunked& graph) {
  digest64 said;
  const auto number = [&said](std::uint64_t value) {
    said.update(std::as_bytes(std::span(&value, 1)));
  };
  const auto text = [&](std::string_view of) {
    number(of.size());
    said.update(std::as_bytes(std::span(of.data(), of.size())));
  };
  const auto list = [&](const chunk_list& of) {
    text(halograph::name(of.format));
    std::vector<char> beginning(4096);
    for (const auto& file : of.files) {
      for (const auto word : {file.first, file.rows, file.text.bytes}) number(word);
      for (const auto& place : file.text.places) number(place.byte);
      for (const auto rows : file.table.group_rows) number(rows);
      std::error_code problem;  // an opener may know files that the system does not
      const auto bytes = std::filesystem::file_size(file.path, problem);
      if (problem) continue;
      std::ifstream stream(file.path, std::ios::binary);
      stream.read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
      number(static_cast<std::uint64_t>(bytes));
      text({beginning.data(), static_cast<std::size_t>(stream.gcount())});
    }
  };
  text(graph.name);
  for (const auto& type : graph.schema.node_types()) text(type);
  for (const auto& type : graph.schema.edge_types()) text(type.str());
  for (const auto* counts : {&graph.node_counts, &graph.edge_counts}) {
    for (const auto count : *counts) number(count);
  }
  for (const auto& of_type : graph.edges) list(of_type);
  for (const auto* all : {&graph.node_features, &graph.edge_features}) {
    number(all->size());
    for (const auto& one : *all) {
      number(one.type);
      text(one.name);
      text(halograph::name(one.dtype));
      text(to_string(one.row_shape));
      list(one.list);
    }
  }
  return said.value();
}
/// Go on where all ranks see the same chunked graph. In run_collective(); collective. @errors as
/// require_same()
template <communicator C, class Chunked>
void require_same_input(const C& ranks, const Chunked& graph) {
  if (ranks.size() == 1) return;
  require_same(ranks, digest_of_input(graph), "reads another chunked graph than",
               "metadata.json and the files that it names must be the same for all ranks");
}

}  // namespace detail

/// A chunked graph of any size: its names and counts, and its edges and rows where they lie. Made
/// by open_chunked().
///
/// Counts are known and agree with the metadata; IDs and numbers are checked as they are read.
/// Memory: names, counts and 24 bytes for each 4 MiB of text; each call takes its buffers, and what
/// the opener takes to open one file (nothing to speak of where it maps). All const calls may run
/// at the same time on several threads.
template <file_opener Opener, table_reader Tables = no_tables>
class chunked_graph {
 public:
  std::string name{};
  graph_schema schema{};
  std::vector<std::uint64_t> node_counts{};      ///< [T]
  std::vector<std::uint64_t> edge_counts{};      ///< [R]
  std::vector<chunk_list> edges{};               ///< [R] files of each edge type
  std::vector<chunked_feature> node_features{};  ///< in the order of the metadata
  std::vector<chunked_feature> edge_features{};

  explicit chunked_graph(Opener open = {}, Tables tables = {})
      : open_(std::move(open)),
        tables_(std::move(tables)),
        files_(std::make_unique<detail::shared_files>()) {}

  std::uint64_t num_nodes() const noexcept { return sum(node_counts); }
  std::uint64_t num_edges() const noexcept { return sum(edge_counts); }

  /// A feature by type and name, or nullptr.
  const chunked_feature* node_feature(type_id type, std::string_view feature) const noexcept {
    return find(node_features, type, feature);
  }
  const chunked_feature* edge_feature(type_id type, std::string_view feature) const noexcept {
    return find(edge_features, type, feature);
  }

  /// The edges of a type in pieces that are quick to find, none across files, in order: what
  /// workers may share out. Text: about 4 MiB each; arrays: 2^20 edges; tables: their row groups.
  std::vector<edge_block> edge_blocks(type_id type) const {
    std::vector<edge_block> out;
    const auto cut = [&out](std::uint64_t first, std::uint64_t last) {
      if (first < last) out.push_back({first, last});
    };
    for (const chunk_file& file : list_of(type).files) {
      const std::uint64_t end = file.first + file.rows;
      switch (edges[type].format) {
        case chunk_format::csv:
          for (std::size_t i = 0; i < file.text.places.size(); ++i) {
            cut(file.first + file.text.places[i].record,
                i + 1 < file.text.places.size() ? file.first + file.text.places[i + 1].record
                                                : end);
          }
          break;
        case chunk_format::numpy:
          for (std::uint64_t at = file.first; at < end; at += std::uint64_t{1} << 20) {
            cut(at, std::min(end, at + (std::uint64_t{1} << 20)));
          }
          break;
        case chunk_format::parquet: {
          std::uint64_t at = file.first;
          for (const std::uint64_t rows : file.table.group_rows) {
            cut(at, at + rows);
            at += rows;
          }
          break;
        }
      }
    }
    return out;
  }

  /// Hand edges first, first + 1, ... last - 1 of a type on in order, at most `buffer_rows` at a
  /// time: f(span<const Node> sources, span<const Node> targets, uint64_t ID of the first). Typed
  /// IDs.
  ///
  /// @errors out_of_range: no such edges, or an ID that is no node (file and line, or row);
  ///     malformed, truncated; overflow: Node cannot hold an ID; mismatch: a file has changed since
  ///     it was opened
  /// @complexity O(edges), and of text up to 4 MiB before the first
  template <id Node, class F>
  void read_edges(type_id type, std::uint64_t first, std::uint64_t last, std::size_t buffer_rows,
                  F&& f) const {
    std::vector<Node> source(static_cast<std::size_t>(std::min<std::uint64_t>(
        std::max<std::size_t>(buffer_rows, 1), last > first ? last - first : 0)));
    std::vector<Node> target(source.size());
    stream<Node>(
        type, first, last,
        [&](std::uint64_t, std::size_t most) {
          return std::pair{std::span<Node>(source).first(std::min(most, source.size())),
                           std::span<Node>(target).first(std::min(most, source.size()))};
        },
        [&](std::uint64_t at, std::size_t count) {
          f(std::span<const Node>(source).first(count), std::span<const Node>(target).first(count),
            at);
        });
  }

  /// Read edges [first, first + source.size()) of a type into the caller's columns. As
  /// read_edges().
  template <id Node>
  void read_edges_into(type_id type, std::uint64_t first, std::span<Node> source,
                       std::span<Node> target) const {
    if (target.size() != source.size()) {
      raise(errc::mismatch, "columns of " + std::to_string(source.size()) + " sources and " +
                                std::to_string(target.size()) +
                                " targets cannot hold edges; each edge has one of both");
    }
    stream<Node>(
        type, first, first + source.size(),
        [&](std::uint64_t at, std::size_t most) {
          const auto from = static_cast<std::size_t>(at - first);
          return std::pair{source.subspan(from, most), target.subspan(from, most)};
        },
        [](std::uint64_t, std::size_t) {});
  }

  /// Read rows [first, last) of a feature of this graph into `out`, one behind the other,
  /// row-major, machine's byte order.
  ///
  /// @errors out_of_range: no such rows; capacity: `out` is too small; malformed; mismatch: the
  ///     file has changed
  /// @complexity O(bytes read), and of text up to 4 MiB before the first
  void read_rows(const chunked_feature& feature, std::uint64_t first, std::uint64_t last,
                 std::span<std::byte> out) const {
    if (first > last || last > feature.rows) {
      raise(errc::out_of_range, "rows " + std::to_string(first) + " to " + std::to_string(last) +
                                    " of feature " + graph_schema::quoted(feature.name) +
                                    " are asked for; it has " + std::to_string(feature.rows));
    }
    const std::size_t width = feature.row_bytes();
    if (width == 0 || first == last) return;
    if (out.size() / width < last - first) {
      raise(errc::capacity, std::to_string(last - first) + " rows of " + std::to_string(width) +
                                " bytes do not fit memory of " + std::to_string(out.size()) +
                                " bytes");
    }
    const auto& files = feature.list.files;
    for (std::size_t i = file_of(files, first); first < last; ++i) {
      const chunk_file& file = files[i];
      const std::uint64_t end = std::min(last, file.first + file.rows);
      if (first >= end) continue;
      const auto bytes = static_cast<std::size_t>(end - first) * width;
      rows_of_file(feature, file, first - file.first, end - file.first, out.first(bytes));
      out = out.subspan(bytes);
      first = end;
    }
  }

  const Opener& opener() const noexcept { return open_; }
  const Tables& tables() const noexcept { return tables_; }

 private:
  static std::uint64_t sum(const std::vector<std::uint64_t>& counts) noexcept {
    std::uint64_t total = 0;
    for (const auto count : counts) total += count;
    return total;
  }
  static const chunked_feature* find(const std::vector<chunked_feature>& all, type_id type,
                                     std::string_view feature) noexcept {
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& one) {
      return one.type == type && one.name == feature;
    });
    return found == all.end() ? nullptr : &*found;
  }
  const chunk_list& list_of(type_id type) const {
    if (type >= edges.size()) {
      raise(errc::out_of_range, "edge type " + std::to_string(type) +
                                    " does not exist; there are " + std::to_string(edges.size()) +
                                    ", numbered from 0");
    }
    return edges[type];
  }
  /// The file that holds a row: the last that begins at or before it.
  static std::size_t file_of(const std::vector<chunk_file>& files, std::uint64_t row) noexcept {
    const auto found = std::upper_bound(
        files.begin(), files.end(), row,
        [](std::uint64_t r, const chunk_file& file) { return r < file.first; });
    return found == files.begin() ? 0 : static_cast<std::size_t>(found - files.begin()) - 1;
  }
  [[noreturn]] static void raise_changed(const std::string& path) {
    raise(errc::mismatch,
          "the file has changed since it was opened; it must stay as it is while it is read",
          {.file = path});
  }
  file_bytes content(const chunk_file& file) const {
    return file.kept.owner != nullptr || !file.kept.bytes.empty() ? file.kept
                                                                  : files_->open(file.path, open_);
  }

  template <id Node, class Room, class Filled>
  void stream(type_id type, std::uint64_t first, std::uint64_t last, Room&& room,
              Filled&& filled) const {
    const chunk_list& list = list_of(type);
    if (first > last || last > edge_counts[type]) {
      raise(errc::out_of_range,
            "edges " + std::to_string(first) + " to " + std::to_string(last) + " of " +
                graph_schema::quoted(schema.edge_type_name(type).str()) +
                " are asked for; there are " + std::to_string(edge_counts[type]));
    }
    const std::uint64_t sources = node_counts[schema.source_type(type)],
                        targets = node_counts[schema.target_type(type)];
    for (std::size_t i = file_of(list.files, first); first < last; ++i) {
      const chunk_file& file = list.files[i];
      const std::uint64_t end = std::min(last, file.first + file.rows);
      if (first >= end) continue;
      if (list.format == chunk_format::csv) {
        const file_bytes opened = content(file);
        if (opened.bytes.size() != file.text.bytes) raise_changed(file.path);
        const text_place& place = file.text.before(first - file.first);
        text_records records(opened.bytes, place, list.text, file.path);
        records.skip(first - file.first - place.record);
        const edge_text_options options{
            .format = list.text, .source_count = sources, .target_count = targets};
        while (first < end) {
          const auto [source, target] = room(first, most_rows(end - first));
          const std::size_t count = records.read_edges(options, source, target);
          if (count != source.size()) raise_changed(file.path);
          filled(first, count);
          first += count;
        }
      } else if (list.format == chunk_format::numpy) {
        const file_bytes opened = content(file);
        const npy_view array = view_npy(opened.bytes, file.path);
        if (array.shape.size() != 2 || array.shape[1] != 2 || array.rows() != file.rows ||
            !is_integer(array.type))
          raise_changed(file.path);
        const std::size_t width = item_bytes(array.type),
                          stride = array.column_major ? width : 2 * width;
        const std::size_t second = array.column_major
                                       ? static_cast<std::size_t>(array.rows()) * width
                                       : width;
        while (first < end) {
          const auto [source, target] = room(first, most_rows(end - first));
          const std::byte* const at = array.elements.data() +
                                      static_cast<std::size_t>(first - file.first) * stride;
          ids(array.type, at, stride, array.swapped, sources, source, "source", file.path,
              first - file.first);
          ids(array.type, at + second, stride, array.swapped, targets, target, "target", file.path,
              first - file.first);
          filled(first, source.size());
          first += source.size();
        }
      } else {
        tables_.read(
            file.path, file.table, first - file.first, end - file.first,
            [&](std::uint64_t row, std::uint64_t rows, std::span<const table_values> columns) {
              if (columns.size() != 2 || row != first - file.first || rows > end - first)
                raise_changed(file.path);
              const std::size_t widths[] = {item_bytes(columns[0].type),
                                            item_bytes(columns[1].type)};
              for (std::size_t done = 0; done < rows;) {
                const auto [source, target] = room(first, static_cast<std::size_t>(rows) - done);
                ids(columns[0].type, columns[0].values.data() + done * widths[0], widths[0], false,
                    sources, source, "source", file.path, row + done);
                ids(columns[1].type, columns[1].values.data() + done * widths[1], widths[1], false,
                    targets, target, "target", file.path, row + done);
                filled(first, source.size());
                first += source.size();
                done += source.size();
              }
            });
        if (first != end) raise_changed(file.path);
      }
    }
  }
  static std::size_t most_rows(std::uint64_t rows) noexcept {
    return static_cast<std::size_t>(std::min<std::uint64_t>(rows, static_cast<std::size_t>(-1)));
  }

  /// Convert a run of one end of edges. @param row the row of the first in its file
  template <id Node>
  static void ids(dtype type, const std::byte* at, std::size_t stride, bool swapped,
                  std::uint64_t count, std::span<Node> out, const char* end,
                  const std::string& path, std::uint64_t row) {
    const std::uint64_t limit = std::min(count, id_capacity<Node>());
    const std::size_t good = detail::ids_from(type, at, stride, swapped, limit, out.data(),
                                              out.size());
    if (good == out.size()) return;
    const std::string value = detail::integer_text(type, at + good * stride, swapped);
    raise(limit == count ? errc::out_of_range : errc::overflow,
          "row " + std::to_string(row + good) + " has " + end + " " + value +
              (limit == 0 ? "; its type has no nodes"
                          : "; it must be an integer from 0 to " + std::to_string(limit - 1)),
          {.file = path});
  }

  void rows_of_file(const chunked_feature& feature, const chunk_file& file, std::uint64_t first,
                    std::uint64_t last, std::span<std::byte> out) const {
    switch (feature.list.format) {
      case chunk_format::csv: {
        const file_bytes opened = content(file);
        if (opened.bytes.size() != file.text.bytes) raise_changed(file.path);
        const text_place& place = file.text.before(first);
        text_records records(opened.bytes, place, feature.list.text, file.path);
        records.skip(first - place.record);
        if (feature.dtype == dtype::int64)
          text_rows<std::int64_t>(feature, file, records, out);
        else
          text_rows<double>(feature, file, records, out);
        return;
      }
      case chunk_format::numpy: {
        const file_bytes opened = content(file);
        const npy_view array = view_npy(opened.bytes, file.path);
        if (array.type != feature.dtype || array.shape != file.shape) raise_changed(file.path);
        check(npy_rows_into(array, first, last, out), "rows of an array cannot be read");
        return;
      }
      case chunk_format::parquet:
        table_rows(feature, file, first, last, out);
        return;
    }
  }

  template <class Value>
  static void text_rows(const chunked_feature& feature, const chunk_file& file,
                        text_records& records, std::span<std::byte> out) {
    const auto columns = static_cast<std::size_t>(feature.row_shape[0]);
    std::vector<Value> buffer(std::max<std::size_t>(
        columns, std::min<std::size_t>(out.size() / sizeof(Value), 8192 / columns * columns)));
    while (!out.empty()) {
      const auto some = std::span(buffer).first(
          std::min(buffer.size(), out.size() / sizeof(Value)));
      if (records.read_rows<Value>(columns, some) * columns != some.size())
        raise_changed(file.path);
      std::memcpy(out.data(), some.data(), some.size_bytes());
      out = out.subspan(some.size_bytes());
    }
  }

  /// Elements of the feature's rows, counted row-major through the file, out of the table's rows
  /// that hold them.
  void table_rows(const chunked_feature& feature, const chunk_file& file, std::uint64_t first,
                  std::uint64_t last, std::span<std::byte> out) const {
    std::uint64_t columns = 0;
    for (const auto& column : file.table.columns) columns += column.width;
    if (columns == 0) raise_changed(file.path);
    const std::uint64_t in_row = element_count(feature.row_shape), from = first * in_row,
                        to = last * in_row;
    const std::size_t item = item_bytes(feature.dtype);
    std::uint64_t next = from / columns;
    const std::uint64_t last_row = (to + columns - 1) / columns;
    tables_.read(file.path, file.table, next, last_row,
                 [&](std::uint64_t row, std::uint64_t rows, std::span<const table_values> values) {
                   if (row != next || values.size() != file.table.columns.size())
                     raise_changed(file.path);
                   next += rows;
                   std::uint64_t before = 0;  // elements of the row in the columns to the left
                   for (std::size_t c = 0; c < values.size(); ++c) {
                     const std::uint64_t width = file.table.columns[c].width;
                     const dtype type = values[c].type;
                     const std::byte* in = values[c].values.data();
                     if (values[c].values.size() != rows * width * item_bytes(type))
                       raise_changed(file.path);
                     if (values.size() == 1 && type == feature.dtype) {
                       const std::uint64_t begin = std::max(from, row * columns),
                                           end = std::min(to, (row + rows) * columns);
                       std::memcpy(out.data() + (begin - from) * item,
                                   in + (begin - row * columns) * item,
                                   static_cast<std::size_t>(end - begin) * item);
                       break;
                     }
                     for (std::uint64_t r = row; r < row + rows; ++r) {
                       for (std::uint64_t w = 0; w < width; ++w, in += item_bytes(type)) {
                         const std::uint64_t element = r * columns + before + w;
                         if (element < from || element >= to) continue;
                         std::byte* const at = out.data() + (element - from) * item;
                         if (type == feature.dtype)
                           std::memcpy(at, in, item);
                         else
                           detail::convert_element(type, in, feature.dtype, at);
                       }
                     }
                     before += width;
                   }
                 });
    if (next != last_row) raise_changed(file.path);
  }

  Opener open_;
  Tables tables_;
  std::unique_ptr<detail::shared_files> files_;
};

/// A feature of a chunked graph as a feature store; views the graph. Runs of consecutive IDs are
/// read at once.
template <file_opener Opener, table_reader Tables>
class chunked_rows {
 public:
  chunked_rows(const chunked_graph<Opener, Tables>& graph, const chunked_feature& feature) noexcept
      : graph_(&graph), feature_(&feature) {}

  dtype type() const noexcept { return feature_->dtype; }
  std::uint64_t rows() const noexcept { return feature_->rows; }
  std::span<const std::uint64_t> row_shape() const noexcept { return feature_->row_shape; }
  /// @errors out_of_range at i: ids[i] is no row; capacity; raises what chunked_graph::read_rows()
  ///     raises
  status gather(std::span<const std::uint64_t> ids, std::span<std::byte> out) const {
    const std::size_t width = feature_->row_bytes();
    if (width != 0 && out.size() / width < ids.size())
      return status::capacity.at(ids.size() * width);
    for (std::size_t i = 0; i < ids.size();) {
      std::size_t end = i + 1;
      if (ids[i] >= rows()) return status::out_of_range.at(i);
      while (end < ids.size() && ids[end] == ids[end - 1] + 1 && ids[end] < rows()) ++end;
      graph_->read_rows(*feature_, ids[i], ids[end - 1] + 1,
                        out.subspan(i * width, (end - i) * width));
      i = end;
    }
    return status::ok;
  }

 private:
  const chunked_graph<Opener, Tables>* graph_;
  const chunked_feature* feature_;
};
static_assert(feature_store<chunked_rows<read_files, no_tables>>);

namespace detail {

/// Opens the files of a chunked graph and compares them with its metadata.
template <file_opener Opener, table_reader Tables, executor Executor>
class chunked_opener {
 public:
  chunked_opener(const json::value& metadata, const std::string& file, const std::string& folder,
                 Opener open, Tables tables, const chunked_options& options,
                 const Executor& executor)
      : metadata_(metadata),
        file_(file),
        folder_(folder),
        options_(options),
        executor_(executor),
        graph_(std::move(open), std::move(tables)) {}

  /// Names and node counts.
  void read_names() {
    if (!metadata_.is_object())
      raise(errc::malformed, "the document must be an object", {.file = file_});
    const auto* const name = metadata_.find("graph_name");
    graph_.name = name != nullptr ? as_string(*name, "graph_name", file_) : folder_name(folder_);
    try {
      graph_.schema = schema_from_metadata(metadata_, {.file = file_});
    } catch (const error& problem) {
      if (!problem.where().file.empty()) throw;
      raise(problem.code(), problem.message(), {.file = file_});
    }
    graph_.node_counts = metadata_counts(metadata_, "num_nodes_per_type", "num_nodes_per_chunk",
                                         graph_.schema.num_node_types(), {.file = file_});
    check_graph_size(graph_.schema, graph_.node_counts, {}, {.file = file_});
  }
  const graph_schema& schema() const noexcept { return graph_.schema; }
  const std::vector<std::uint64_t>& node_counts() const noexcept { return graph_.node_counts; }

  /// Everything else.
  chunked_graph<Opener, Tables> read_files() {
    open_edges();
    if (options_.features) {
      open_features("node_data", true);
      open_features("edge_data", false);
    }
    return std::move(graph_);
  }

 private:
  void open_edges() {
    const std::size_t types = graph_.schema.num_edge_types();
    std::optional<std::vector<std::uint64_t>> counts;
    if (metadata_.find("num_edges_per_type") || metadata_.find("num_edges_per_chunk")) {
      counts = metadata_counts(metadata_, "num_edges_per_type", "num_edges_per_chunk", types,
                               {.file = file_});
    }
    const json::value& edges = required_member(metadata_, "edges", file_);
    for (const auto& [key, entry] : as_object(edges, "edges", file_)) {
      static_cast<void>(entry);
      if (const auto type = canonical_etype::parse(key); !type || !graph_.schema.edge_type(*type)) {
        raise(errc::not_found,
              "\"edges\" has files of " + graph_schema::quoted(key) +
                  ", which \"edge_type\" does not list",
              {.file = file_});
      }
    }
    graph_.edges.resize(types);
    graph_.edge_counts.assign(types, 0);
    for (std::size_t t = 0; t < types; ++t) {
      const std::string key = graph_.schema.edge_types()[t].str();
      const auto* const entry = edges.find(key);
      if (entry == nullptr) {
        if (counts && (*counts)[t] == 0) continue;
        raise(errc::not_found,
              "\"edges\" has no files of " + graph_schema::quoted(key) +
                  "; every edge type needs them",
              {.file = file_});
      }
      graph_.edges[t] = chunk_list_from(*entry, key, folder_, file_);
      open_edges_of(static_cast<type_id>(t), key,
                    counts ? std::optional((*counts)[t]) : std::nullopt);
      graph_.edge_counts[t] = graph_.edges[t].rows();
    }
    check_graph_size(graph_.schema, graph_.node_counts, graph_.edge_counts, {.file = file_});
  }

  void open_edges_of(type_id type, const std::string& key, std::optional<std::uint64_t> count) {
    chunk_list& list = graph_.edges[type];
    const std::vector<std::uint64_t> chunk_counts = edge_chunk_counts(type, list.files.size());
    std::uint64_t before = 0;
    for (std::size_t i = 0; i < list.files.size(); ++i) {
      chunk_file& file = list.files[i];
      const file_bytes opened = count_edges(list, file);
      file.first = before;
      const auto disagree = [&](std::uint64_t announced, const std::string& in) {
        std::optional<std::uint64_t> line;
        if (list.format == chunk_format::csv)
          line = line_of_record(as_text(opened.bytes), std::min(file.rows, announced), list.text);
        raise(errc::mismatch,
              "the file has " + std::to_string(file.rows) + " edges of " +
                  graph_schema::quoted(key) + " where " + std::to_string(announced) + " are " + in,
              {.file = file.path, .line = line});
      };
      if (!chunk_counts.empty() && file.rows != chunk_counts[i])
        disagree(chunk_counts[i], "announced by \"num_edges_per_chunk\"");
      if (count && (file.rows > *count - before ||
                    (i + 1 == list.files.size() && file.rows != *count - before))) {
        disagree(*count - before, "left of the " + std::to_string(*count) + " announced");
      }
      if (!add_into(before, file.rows, before))
        raise(errc::overflow, "there are more edges than 64 bits can number", {.file = file.path});
    }
    if (count && before != *count) {
      raise(errc::mismatch,
            graph_schema::quoted(key) + " has " + std::to_string(before) +
                " edges in its files, but " + std::to_string(*count) + " are announced",
            {.file = file_});
    }
  }

  /// Fill in a file's rows. @return its bytes, where the format is text
  file_bytes count_edges(const chunk_list& list, chunk_file& file) {
    if (list.format == chunk_format::parquet) {
      file.table = graph_.tables().examine(file.path);
      file.rows = file.table.rows;
      if (file.table.columns.size() != 2) {
        raise(errc::malformed,
              "a table of " + std::to_string(file.table.columns.size()) +
                  " columns holds no edges; it must have two, source and target",
              {.file = file.path});
      }
      for (const auto& column : file.table.columns) {
        if (column.list || !is_integer(column.type) || column.type == dtype::boolean) {
          raise(errc::malformed,
                "column " + graph_schema::quoted(column.name) + " of " +
                    (column.list ? "lists" : std::string(halograph::name(column.type))) +
                    " holds no node IDs; it must be of integers",
                {.file = file.path});
        }
      }
      return {};
    }
    file_bytes opened = list.format == chunk_format::csv ? open_lines(graph_.opener(), file.path)
                                                         : graph_.opener()(file.path);
    if (list.format == chunk_format::csv) {
      file.text = index_text(opened.bytes, list.text, executor_);
      file.rows = file.text.records;
    } else {
      const npy_view array = view_npy(opened.bytes, file.path);
      if (array.elements.empty()) return opened;
      if (array.shape.size() != 2 || array.shape[1] != 2 || !is_integer(array.type) ||
          array.type == dtype::boolean) {
        raise(errc::malformed,
              "an array of shape " + to_string(array.shape) + " and dtype " +
                  std::string(halograph::name(array.type)) +
                  " holds no edges; it must be (n, 2) integers",
              {.file = file.path});
      }
      file.rows = array.rows();
    }
    return opened;
  }

  /// The counts of the chunks of an edge type, where there is one for each file; else none.
  std::vector<std::uint64_t> edge_chunk_counts(type_id type, std::size_t files) const {
    const auto* const rows = metadata_.find("num_edges_per_chunk");
    if (rows == nullptr) return {};
    const auto& all = as_array(*rows, "num_edges_per_chunk", file_);
    if (all.size() != graph_.schema.num_edge_types()) {
      raise(errc::mismatch,
            "\"num_edges_per_chunk\" has " + std::to_string(all.size()) + " rows for " +
                std::to_string(graph_.schema.num_edge_types()) + " edge types",
            {.file = file_});
    }
    const auto& row = as_array(all[type], "num_edges_per_chunk", file_);
    if (row.size() != files) return {};
    std::vector<std::uint64_t> counts;
    for (const auto& count : row) counts.push_back(as_count(count, "num_edges_per_chunk", file_));
    return counts;
  }

  void open_features(const char* key, bool of_nodes) {
    const json::object* const types = optional_object(metadata_, key, file_);
    if (types == nullptr) return;
    auto& all = of_nodes ? graph_.node_features : graph_.edge_features;
    for (const auto& [type_name, entries] : *types) {
      type_id type = 0;
      if (of_nodes) {
        const auto found = graph_.schema.node_type(type_name);
        if (!found) {
          raise(errc::not_found,
                "\"node_data\" has features of " + graph_schema::quoted(type_name) +
                    ", which \"node_type\" does not list",
                {.file = file_});
        }
        type = *found;
      } else {
        try {
          type = graph_.schema.resolve_edge_type(type_name);
        } catch (const error& problem) {
          raise(problem.code(), "\"edge_data\": " + problem.message(), {.file = file_});
        }
      }
      for (const auto& [feature_name, entry] : as_object(entries, type_name, file_)) {
        check_feature_name(feature_name, of_nodes, file_);
        const std::string label = type_name + "/" + feature_name;
        const auto& called = feature_name;
        if (std::any_of(all.begin(), all.end(),
                        [&](const auto& f) { return f.type == type && f.name == called; })) {
          raise(errc::exists,
                "feature " + graph_schema::quoted(label) + " is listed twice; names must differ",
                {.file = file_});
        }
        chunked_feature feature;
        feature.type = type;
        feature.name = feature_name;
        feature.rows = of_nodes ? graph_.node_counts[type] : graph_.edge_counts[type];
        feature.list = chunk_list_from(entry, label, folder_, file_);
        open_feature(feature, label, of_nodes ? "node" : "edge");
        all.push_back(std::move(feature));
      }
    }
  }

  /// Look into the files of a feature; they are checked against each other and against the number
  /// of rows.
  void open_feature(chunked_feature& feature, const std::string& label, const char* rows_of) {
    auto& files = feature.list.files;
    if (files.empty()) {
      raise(errc::malformed,
            "the list of files of feature " + graph_schema::quoted(label) +
                " is empty; leave the feature out instead",
            {.file = file_});
    }
    std::uint64_t total = 0;
    const chunk_file* like = nullptr;  // the first file with rows, else the first
    for (chunk_file& file : files) {
      const dtype type = examine_feature(feature.list, file);
      if (file.shape.empty()) {
        raise(errc::malformed,
              "an array without dimensions has no rows; a feature needs at least one dimension",
              {.file = file.path});
      }
      file.first = total;
      file.rows = file.shape[0];
      const auto row_shape = std::span<const std::uint64_t>(file.shape).subspan(1);
      // An empty file may be of any dtype and shape: there was nothing to take them from.
      if (like == nullptr || (like->rows == 0 && file.rows != 0)) {
        like = &file;
        feature.dtype = type;
        feature.row_shape.assign(row_shape.begin(), row_shape.end());
      } else if (file.rows != 0) {
        const bool text = feature.list.format ==
                          chunk_format::csv;  // has no dtype of its own: a later file may be the
                                              // first with a fraction
        if (!std::ranges::equal(row_shape, feature.row_shape) || (type != feature.dtype && !text)) {
          raise(errc::mismatch,
                "chunk of dtype " + std::string(halograph::name(type)) + " and shape " +
                    to_string(file.shape) + " does not continue one of dtype " +
                    std::string(halograph::name(feature.dtype)) + " and shape " +
                    to_string(like->shape) + "; all but the first extent must be equal",
                {.file = file.path});
        }
        feature.dtype = promoted(feature.dtype, type);
      }
      if (file.rows > feature.rows - total) {
        const std::optional<std::uint64_t> line =
            feature.list.format == chunk_format::csv
                ? std::optional(line_of_record(as_text(graph_.opener()(file.path).bytes),
                                               feature.rows - total, feature.list.text))
                : std::nullopt;
        raise(errc::mismatch,
              "feature " + graph_schema::quoted(label) + " has row " +
                  std::to_string(feature.rows) + " here; it must have " +
                  std::to_string(feature.rows) + " rows in all, one for each " + rows_of,
              {.file = file.path, .line = line});
      }
      total += file.rows;
    }
    if (total != feature.rows) {
      raise(errc::mismatch,
            "feature " + graph_schema::quoted(label) + " ends here after " + std::to_string(total) +
                " rows; it must have " + std::to_string(feature.rows) + ", one for each " + rows_of,
            {.file = files.back().path});
    }
  }

  /// Fill in the shape of a file's rows. @return their dtype
  dtype examine_feature(const chunk_list& list, chunk_file& file) {
    if (list.format == chunk_format::parquet) return examine_table(file);
    file_bytes opened = list.format == chunk_format::csv ? open_lines(graph_.opener(), file.path)
                                                         : graph_.opener()(file.path);
    if (list.format == chunk_format::numpy) {
      npy_view array = view_npy(opened.bytes, file.path);
      file.shape = std::move(array.shape);
      if (options_.keep_arrays) file.kept = std::move(opened);
      return array.type;
    }
    file.text = index_text(opened.bytes, list.text, executor_);
    text_records records(opened.bytes, file.text.places.front(), list.text, file.path);
    const std::size_t columns = records.count_columns();
    file.shape = {file.text.records, std::max<std::size_t>(columns, 1)};
    return records.all_integers() ? dtype::int64 : dtype::float64;
  }

  dtype examine_table(chunk_file& file) {
    file.table = graph_.tables().examine(file.path);
    const auto& columns = file.table.columns;
    dtype type = columns.empty() ? dtype::float64 : columns[0].type;
    for (const auto& column : columns) {
      if (column.list && columns.size() != 1) {
        raise(
            errc::malformed,
            "column " + graph_schema::quoted(column.name) +
                " of lists stands beside others; a feature is one column of lists, or columns of numbers",
            {.file = file.path});
      }
      type = promoted(type, column.type);
    }
    const std::uint64_t width = columns.size() == 1 ? columns[0].width : columns.size();
    file.shape = {file.table.rows, width};
    std::uint64_t bytes = 0;
    if (!tensor_bytes_into(file.shape, type, bytes))
      raise(errc::overflow, "the table has more than 2^64 bytes", {.file = file.path});
    if (file.table.shape) {
      auto shape = parse_shape(*file.table.shape);
      std::uint64_t reshaped = 0;
      if (!shape || shape->empty()) {
        raise(errc::malformed,
              "the file's metadata have the shape " + graph_schema::quoted(*file.table.shape) +
                  "; it must be a tuple of numbers, as in \"(300, 10)\"",
              {.file = file.path});
      }
      if (!tensor_bytes_into(*shape, type, reshaped) || reshaped != bytes) {
        raise(errc::mismatch,
              "the file's metadata have the shape " + to_string(*shape) +
                  ", but its columns hold " + to_string(file.shape) +
                  " numbers; "
                  "both must be as many",
              {.file = file.path});
      }
      file.shape = std::move(*shape);
    }
    return type;
  }

  const json::value& metadata_;
  const std::string& file_;
  const std::string& folder_;
  const chunked_options& options_;
  const Executor& executor_;
  chunked_graph<Opener, Tables> graph_;
};

/// Where a chunked graph is: its metadata.json and the folder that paths are relative to.
struct chunked_place {
  explicit chunked_place(const std::string& path)
      : file(is_folder(path) ? path + "/metadata.json" : path),
        folder(is_folder(path) ? path : std::filesystem::path(path).parent_path().string()) {}
  std::string file;
  std::string folder;
};

}  // namespace detail

/// Open a chunked graph: read its metadata, look into its files, count the lines of its text files,
/// and compare.
///
/// @param path      the folder, or its metadata.json under any name
/// @param open      how to open files; kept by the graph
/// @param codec     parses JSON
/// @param tables    reads Parquet files; no_tables refuses them; kept by the graph
/// @param executor  counts the lines of pieces of text
/// @errors what is wrong with which key, or with which file and line: not_found, malformed,
///     mismatch (counts, shapes), unsupported (other formats, a missing library), invalid_argument
///     (names that could be paths, reserved feature names), overflow
/// @complexity O(bytes of metadata and text, and headers of the other files)
template <file_opener Opener, json_codec Codec, table_reader Tables = no_tables,
          executor Executor = sequential>
chunked_graph<Opener, Tables> open_chunked(const std::string& path, Opener open, const Codec& codec,
                                           Tables tables = {}, const chunked_options& options = {},
                                           const Executor& executor = {}) {
  const detail::chunked_place place(path);
  const json::value metadata = read_json(place.file, open, codec);
  detail::chunked_opener<Opener, Tables, Executor> opener(
      metadata, place.file, place.folder, std::move(open), std::move(tables), options, executor);
  opener.read_names();
  return opener.read_files();
}

}  // namespace halograph
