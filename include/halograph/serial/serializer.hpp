// SPDX-License-Identifier: BSL-1.0
/// @file serializer.hpp
/// What a file format of partitions must be able to do: say from counts, dtypes and shapes alone
/// which bytes go where, so that data can follow in any order and nothing need be held whole; and
/// read back.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/checked_cast.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>
#include <halograph/core/unmet.hpp>
#include <halograph/serial/bytes.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/tensor.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

/// How a graph's structure is stored: edges as pairs, or adjacency compressed by rows of sources
/// (csr) or of targets (csc).
enum class sparse_format : std::uint8_t { coo = 1, csr = 2, csc = 4 };

/// A set of sparse formats. The bits are those of DGL's files.
struct sparse_formats {
  std::uint8_t bits = static_cast<std::uint8_t>(sparse_format::coo);

  constexpr bool has(sparse_format format) const noexcept {
    return (bits & static_cast<std::uint8_t>(format)) != 0;
  }
  constexpr sparse_formats with(sparse_format format) const noexcept {
    return {static_cast<std::uint8_t>(bits | static_cast<std::uint8_t>(format))};
  }
  constexpr bool empty() const noexcept { return bits == 0; }

  static constexpr sparse_formats none() noexcept { return {0}; }
  static constexpr sparse_formats all() noexcept { return {7}; }

  /// "coo", "csr", "csc" with commas between them, in any order; nothing where it is anything else.
  static constexpr std::optional<sparse_formats> parse(std::string_view text) noexcept {
    sparse_formats found = none();
    while (true) {
      const std::string_view word = text.substr(0, text.find(','));
      if (word == "coo")
        found = found.with(sparse_format::coo);
      else if (word == "csr")
        found = found.with(sparse_format::csr);
      else if (word == "csc")
        found = found.with(sparse_format::csc);
      else
        return std::nullopt;
      if (word.size() == text.size()) return found;
      text.remove_prefix(word.size() + 1);
    }
  }
  /// "coo,csr,csc": those in the set, in the order in which files hold them.
  std::string str() const {
    std::string out;
    const auto add = [&](sparse_format format, const char* word) {
      if (has(format)) out += (out.empty() ? "" : ",") + std::string(word);
    };
    add(sparse_format::coo, "coo");
    add(sparse_format::csr, "csr");
    add(sparse_format::csc, "csc");
    return out;
  }

  friend constexpr bool operator==(sparse_formats, sparse_formats) = default;
};

// --- what a part holds: known before any of its data
// ------------------------------------------------

/// One feature of one type in a part.
struct feature_plan {
  std::string key{};            ///< "type/name"; an edge type as "source:relation:target"
  dtype type = dtype::float32;  ///< as in the input; a format may store another (bool as uint8)
  tensor_shape shape{};         ///< rows first: the part's inner nodes or edges of the type
};

/// The original IDs of one type in a part.
struct mapping_plan {
  std::string type{};       ///< node type, or edge type as "source:relation:target"
  std::uint64_t count = 0;  ///< the part's inner nodes or edges of the type
};

/// Everything about one part that decides the size of its files.
struct part_description {
  part_id part = 0;
  part_id parts = 1;
  std::uint64_t nodes = 0;  ///< inner and halo
  std::uint64_t inner_nodes = 0;
  std::uint64_t edges = 0;  ///< inner and other
  std::uint64_t inner_edges = 0;
  bool types = false;         ///< the graph has columns of type numbers
  bool part_ids = false;      ///< nodes have a column of owners
  bool original_ids = false;  ///< nodes and edges have a column of original IDs, typed
  sparse_formats formats{};
  std::vector<feature_plan> node_features{};
  std::vector<feature_plan> edge_features{};
  bool mapping = false;  ///< there are files of original IDs
  std::vector<mapping_plan> original_nodes{};
  std::vector<mapping_plan> original_edges{};
};

// --- where its bytes go
// -----------------------------------------------------------------------------

/// What a section holds. N = nodes, M = edges of the part; IDs are local unless said otherwise.
enum class column : std::uint8_t {
  coo_source,      ///< [M] source of each edge
  coo_target,      ///< [M] target of each edge
  csr_offsets,     ///< [N + 1]
  csr_targets,     ///< [M] targets by source
  csr_edges,       ///< [M] edge ID of each entry
  csc_offsets,     ///< [N + 1]
  csc_sources,     ///< [M] sources by target
  csc_edges,       ///< [M] edge ID of each entry
  node_id,         ///< [N] new global ID
  inner_node,      ///< [N] 1 inner, 0 halo
  node_part,       ///< [N] owner
  node_type,       ///< [N] type number
  node_original,   ///< [N] original typed ID
  edge_id,         ///< [M] new global ID
  inner_edge,      ///< [M] 1 inner, 0 other
  edge_type,       ///< [M] type number
  edge_original,   ///< [M] original typed ID
  node_feature,    ///< the shape in part_description::node_features[item]
  edge_feature,    ///< the shape in part_description::edge_features[item]
  original_nodes,  ///< [original_nodes[item].count] original typed IDs, by new ID
  original_edges   ///< [original_edges[item].count] original typed IDs, by new ID
};

/// One array in a file: row-major, little-endian, contiguous.
struct section {
  column what = column::node_id;
  std::size_t item = 0;       ///< which feature or mapping; 0 for everything else
  std::uint64_t offset = 0;   ///< first byte in the file
  dtype type = dtype::int64;  ///< as stored
  tensor_shape shape{};

  std::uint64_t elements() const noexcept { return element_count(shape); }
  std::uint64_t bytes() const noexcept { return elements() * item_bytes(type); }
};

/// Bytes that do not depend on data: headers, names, shapes.
struct literal {
  std::uint64_t offset = 0;
  std::vector<std::byte> bytes{};
};

/// One file: its size, and what lies where. What neither literals nor sections cover is zero.
struct file_layout {
  std::string name{};  ///< without a folder: "graph.dgl"
  std::uint64_t bytes = 0;
  std::vector<literal> literals{};
  std::vector<section> sections{};
};

/// The files of one part. The names are those in `files`, or empty where there is no such file.
/// Several may name one file; features and original IDs that share one need read_features with a
/// column (see serializer).
struct part_layout {
  std::vector<file_layout> files{};
  std::string graph_file{};
  std::string node_feature_file{};
  std::string edge_feature_file{};
  std::string original_nodes_file{};
  std::string original_edges_file{};

  /// All bytes of all files.
  std::uint64_t bytes() const noexcept {
    std::uint64_t sum = 0;
    for (const auto& file : files) sum += file.bytes;
    return sum;
  }
};

// --- what reading gives
// -----------------------------------------------------------------------------

/// Edges as pairs: edge i leads from source[i] to target[i]. Integer columns [M].
struct coo_columns {
  tensor source{};
  tensor target{};
};

/// Adjacency by rows. `edges` is [M], or [0] where the ID of an edge is its position.
struct compressed_columns {
  tensor offsets{};    ///< [rows + 1]
  tensor neighbors{};  ///< [M]
  tensor edges{};
};

/// The graph of a part as stored: at least one of coo, csr (rows are sources) and csc (rows are
/// targets), and the columns by the names they have in the file ("_ID", "inner_node", ...).
struct loaded_structure {
  std::uint64_t nodes = 0;
  std::uint64_t edges = 0;
  std::optional<coo_columns> coo{};
  std::optional<compressed_columns> csr{};
  std::optional<compressed_columns> csc{};
  std::vector<named_tensor> node_columns{};
  std::vector<named_tensor> edge_columns{};
};

namespace detail {
template <class S>
concept names_format = requires(const S& s) {
  { s.name() } -> std::convertible_to<std::string_view>;
};
template <class S>
concept lays_out_parts = requires(const S& s, const part_description& plan) {
  { s.layout(plan) } -> std::same_as<part_layout>;
};
template <class S>
concept reads_structures = requires(const S& s, const file_bytes& bytes, const std::string& file) {
  { s.read_structure(bytes, file) } -> std::same_as<loaded_structure>;
};
template <class S>
concept reads_features = requires(const S& s, const file_bytes& bytes, const std::string& file) {
  { s.read_features(bytes, file) } -> std::same_as<std::vector<named_tensor>>;
};
template <class S>
concept reads_features_by_column = requires(const S& s, const file_bytes& bytes,
                                            const std::string& file) {
  { s.read_features(bytes, file, column::node_feature) } -> std::same_as<std::vector<named_tensor>>;
};
}  // namespace detail

/// A file format of partitions. `name()` is the word in a config's key `serializer`; the file name
/// given to the readers is for their errors. `read_features` reads every file but that of the
/// graph; where one file holds several of node features, edge features and original IDs of nodes
/// and edges, it takes a third argument that tells which are wanted: column::node_feature,
/// edge_feature, original_nodes or original_edges. Laws: the sections of a layout fit their files
/// without overlap (check_layout()), each column the plan asks for is there once, and reading gives
/// back what was written.
template <class S>
concept serializer =
    (detail::names_format<S> || unmet<"serializer: needs a string_view name() const">()) &&
    (detail::lays_out_parts<S> ||
     unmet<"serializer: needs part_layout layout(const part_description&) const">()) &&
    (detail::reads_structures<S> ||
     unmet<
         "serializer: needs loaded_structure read_structure(file_bytes, const std::string& file) const">()) &&
    (detail::reads_features<S> || detail::reads_features_by_column<S> ||
     unmet<
         "serializer: needs vector<named_tensor> read_features(file_bytes, const std::string& file) const">());

/// The features or original IDs in a file of a part. @param what  node_feature, edge_feature,
/// original_nodes, original_edges
/// @errors the format's
template <serializer Format>
std::vector<named_tensor> read_features_of(const Format& format, const file_bytes& bytes,
                                           const std::string& file, column what) {
  if constexpr (detail::reads_features_by_column<Format>) {
    return format.read_features(bytes, file, what);
  } else {
    return format.read_features(bytes, file);
  }
}

/// Has a layout a file for everything in the part, and can the format tell apart what shares one?
/// @errors unsupported: no file for features or original IDs that the part has; invalid_argument:
///     one file holds several of them, and the format's read_features takes no column
template <class Format>
void check_roles(const Format& format, const part_description& plan, const part_layout& layout) {
  struct role {
    const std::string& file;
    bool wanted;
    const char* what;
  };
  const role roles[] = {
      {layout.node_feature_file, !plan.node_features.empty(), "node features"},
      {layout.edge_feature_file, !plan.edge_features.empty(), "edge features"},
      {layout.original_nodes_file, !plan.original_nodes.empty(), "original node IDs"},
      {layout.original_edges_file, !plan.original_edges.empty(), "original edge IDs"}};
  const auto format_name = [&] { return "format \"" + std::string(format.name()) + "\""; };
  for (const role& one : roles) {
    if (one.wanted && one.file.empty())
      raise(errc::unsupported,
            format_name() + " lays out no file for " + one.what +
                ", which the part has; leave them out, or name the file in its layout");
    if constexpr (!detail::reads_features_by_column<Format>) {
      for (const role* before = roles; before != &one; ++before) {
        if (one.file.empty() || one.file != before->file) continue;
        raise(
            errc::invalid_argument,
            format_name() + " keeps " + before->what + " and " + one.what +
                " in one file, which its read_features(bytes, file) cannot tell apart; let it take the column that is wanted, too",
            {.file = one.file});
      }
    }
  }
}

// --- building a layout
// ------------------------------------------------------------------------------

/// Builds a layout from front to back.
/// @errors overflow: the file would have more than 2^63 - 1 bytes
class layout_builder {
 public:
  explicit layout_builder(std::string name) { layout_.name = std::move(name); }

  /// Where the next byte goes.
  std::uint64_t position() const noexcept { return layout_.bytes; }

  layout_builder& bytes(std::span<const std::byte> data) {
    if (data.empty()) return *this;
    if (layout_.literals.empty() ||
        layout_.literals.back().offset + layout_.literals.back().bytes.size() != position()) {
      layout_.literals.push_back({position(), {}});
    }
    auto& target = layout_.literals.back().bytes;
    target.insert(target.end(), data.begin(), data.end());
    return advance(data.size());
  }
  layout_builder& text(std::string_view data) {
    return bytes(std::as_bytes(std::span(data.data(), data.size())));
  }
  template <std::integral T>
  layout_builder& number(T value) {
    std::array<std::byte, sizeof(T)> encoded{};
    store_le(value, encoded.data());
    return bytes(encoded);
  }
  /// Bytes that stay zero.
  layout_builder& zeros(std::uint64_t count) { return advance(count); }
  /// Zeros up to the next multiple of `alignment`.
  layout_builder& align(std::uint64_t alignment) {
    return advance((alignment - position() % alignment) % alignment);
  }
  /// An array whose data follow later. @errors overflow
  layout_builder& array(column what, std::size_t item, dtype type, tensor_shape shape) {
    const std::uint64_t size = array_bytes(type, shape);
    layout_.sections.push_back({what, item, position(), type, std::move(shape)});
    return advance(size);
  }
  file_layout finish() && { return std::move(layout_); }

  /// Bytes of an array. @errors overflow: more than 2^63 - 1, also of its shape without empty
  /// extents
  static std::uint64_t array_bytes(dtype type, std::span<const std::uint64_t> shape) {
    std::uint64_t size = item_bytes(type);
    bool none = false, fits = true;
    for (const std::uint64_t extent : shape) {
      if (extent == 0)
        none = true;
      else
        fits = fits && multiply_into(size, extent, size) && size <= limit;
    }
    if (!fits)
      raise(errc::overflow,
            "an array of shape " + to_string(shape) + " has more bytes than a file can have");
    return none ? 0 : size;
  }

 private:
  static constexpr std::uint64_t limit = std::numeric_limits<std::int64_t>::max();

  layout_builder& advance(std::uint64_t count) {
    std::uint64_t end = 0;
    if (!add_into(layout_.bytes, count, end) || end > limit) {
      raise(errc::overflow, "the file would have more than 2^63 - 1 bytes", {.file = layout_.name});
    }
    layout_.bytes = end;
    return *this;
  }

  file_layout layout_{};
};

/// Do literals and sections lie inside the file, none over another?
/// @errors out_of_range at the byte where one reaches beyond the file; mismatch at the byte where
///     two overlap
/// @complexity O(n log n) in their number
inline status check_layout(const file_layout& layout) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;  // offset, bytes
  for (const auto& one : layout.literals) ranges.emplace_back(one.offset, one.bytes.size());
  for (const auto& one : layout.sections) ranges.emplace_back(one.offset, one.bytes());
  std::sort(ranges.begin(), ranges.end());
  std::uint64_t end = 0;
  for (const auto& [offset, bytes] : ranges) {
    if (offset > layout.bytes || bytes > layout.bytes - offset)
      return status::out_of_range.at(offset);
    if (bytes != 0 && offset < end) return status::mismatch.at(offset);
    if (bytes != 0) end = offset + bytes;
  }
  return status::ok;
}

// --- writing
// ----------------------------------------------------------------------------------------

/// Write the bytes that do not depend on data. @errors those of the sink
template <byte_sink Sink>
status write_literals(const file_layout& layout, Sink& sink) {
  for (const auto& one : layout.literals) {
    if (const status answer = sink.write_at(one.offset, one.bytes); !answer) return answer;
  }
  return status::ok;
}

namespace detail {

/// Bytes converted at once by write_as() and its like: enough that a system call for each of them
/// costs nothing.
inline constexpr std::size_t conversion_bytes = std::size_t{1} << 16;
inline constexpr std::size_t conversion_elements = conversion_bytes / 8;

template <class Stored, byte_sink Sink, class T>
status write_converted(Sink& sink, std::uint64_t offset, std::uint64_t first,
                       std::span<const T> values) {
  if constexpr (std::same_as<Stored, T> &&
                (sizeof(T) == 1 || std::endian::native == std::endian::little)) {
    return sink.write_at(offset, std::as_bytes(values));
  } else {
    std::array<std::byte, conversion_bytes> buffer;
    while (!values.empty()) {
      const std::size_t count = std::min(values.size(), conversion_bytes / sizeof(Stored));
      for (std::size_t i = 0; i < count; ++i) {
        Stored stored{};
        if constexpr (std::same_as<T, bool>) {
          stored = static_cast<Stored>(values[i]);
        } else if (!narrow_into(values[i], stored)) {
          return status::overflow.at(first + i);
        }
        store_le(stored, buffer.data() + i * sizeof(Stored));
      }
      const auto bytes = std::span<const std::byte>(buffer).first(count * sizeof(Stored));
      if (const status answer = sink.write_at(offset, bytes); !answer) return answer;
      values = values.subspan(count);
      first += count;
      offset += bytes.size();
    }
    return status::ok;
  }
}

}  // namespace detail

/// Write integers of any width as the elements first, first + 1, ... of a section of any integer
/// dtype, through a buffer of fixed size; directly where memory and file agree.
/// @errors overflow at the element whose value does not fit the section's dtype (what went before
///     it may have been written); out_of_range at `first`: beyond the section; mismatch: the
///     section holds no integers; those of the sink
template <byte_sink Sink, class T>
  requires(std::same_as<T, bool> || id<T>)
status write_as(Sink& sink, const section& target, std::uint64_t first, std::span<const T> values) {
  const std::uint64_t elements = target.elements();
  if (first > elements || values.size() > elements - first) return status::out_of_range.at(first);
  const std::uint64_t offset = target.offset + first * item_bytes(target.type);
  switch (target.type) {
    case dtype::int8:
      return detail::write_converted<std::int8_t>(sink, offset, first, values);
    case dtype::int16:
      return detail::write_converted<std::int16_t>(sink, offset, first, values);
    case dtype::int32:
      return detail::write_converted<std::int32_t>(sink, offset, first, values);
    case dtype::int64:
      return detail::write_converted<std::int64_t>(sink, offset, first, values);
    case dtype::uint8:
    case dtype::boolean:
      return detail::write_converted<std::uint8_t>(sink, offset, first, values);
    case dtype::uint16:
      return detail::write_converted<std::uint16_t>(sink, offset, first, values);
    case dtype::uint32:
      return detail::write_converted<std::uint32_t>(sink, offset, first, values);
    case dtype::uint64:
      return detail::write_converted<std::uint64_t>(sink, offset, first, values);
    default:
      return status::mismatch.at(first);
  }
}

/// Write elements that lie in memory as the file stores them (but for the machine's byte order), as
/// the elements first, first + 1, ... of a section: rows of features.
/// @errors out_of_range at `first`: beyond the section; mismatch: no whole elements; those of the
///     sink
template <byte_sink Sink>
status write_elements(Sink& sink, const section& target, std::uint64_t first,
                      std::span<const std::byte> data) {
  const std::size_t width = item_bytes(target.type);
  const std::uint64_t elements = target.elements();
  if (data.size() % width != 0) return status::mismatch.at(first);
  if (first > elements || data.size() / width > elements - first)
    return status::out_of_range.at(first);
  const std::uint64_t offset = target.offset + first * width;
  if constexpr (std::endian::native == std::endian::little) {
    return sink.write_at(offset, data);
  } else {
    std::array<std::byte, 8 * detail::conversion_elements> buffer;
    for (std::size_t done = 0; done < data.size();) {
      const auto piece = std::span(buffer).first(std::min(data.size() - done, buffer.size()));
      std::copy_n(data.begin() + static_cast<std::ptrdiff_t>(done), piece.size(), piece.begin());
      swap_elements_to_little_endian(piece, width);
      if (const status answer = sink.write_at(offset + done, piece); !answer) return answer;
      done += piece.size();
    }
    return status::ok;
  }
}

/// Write a whole tensor as a section; integers are widened or narrowed to the section's dtype.
/// @errors mismatch: another number of elements, or a dtype that cannot become the section's;
///     overflow
template <byte_sink Sink>
status write_tensor(Sink& sink, const section& target, const tensor& data) {
  if (element_count(data.shape()) != target.elements())
    return status::mismatch.at(element_count(data.shape()));
  if (stored_dtype(data.type()) == stored_dtype(target.type))
    return write_elements(sink, target, 0, data.bytes());
  if (!is_integer(data.type()) || !is_integer(target.type)) return status::mismatch;
  // As uint64 only where the values need it; integer() gives int64.
  std::array<std::int64_t, detail::conversion_elements> buffer{};
  const std::uint64_t count = target.elements();
  for (std::uint64_t done = 0; done < count;) {
    const auto piece = std::span(buffer).first(
        static_cast<std::size_t>(std::min<std::uint64_t>(count - done, buffer.size())));
    for (std::size_t i = 0; i < piece.size(); ++i) {
      piece[i] = data.integer(static_cast<std::size_t>(done) + i);
      if (data.type() == dtype::uint64 && piece[i] < 0) return status::overflow.at(done + i);
    }
    if (const status answer = write_as(sink, target, done, std::span<const std::int64_t>(piece));
        !answer)
      return answer;
    done += piece.size();
  }
  return status::ok;
}

/// Write a whole file: literals, then each section as the tensor that `columns(section)` gives.
/// @errors those of write_tensor(), raised with the file's name
template <byte_sink Sink, class Columns>
void save(const file_layout& layout, Sink& sink, Columns&& columns) {
  const auto require = [&](status answer, const char* what) {
    if (answer) return;
    if constexpr (requires { sink.require(answer); }) {
      if (answer.code == errc::io) sink.require(answer);
    }
    raise(answer.code, what, {.file = layout.name, .byte = answer.position});
  };
  require(write_literals(layout, sink), "cannot write the fixed bytes of the file");
  for (const auto& one : layout.sections) {
    require(write_tensor(sink, one, columns(one)),
            "the data of a section do not fit the dtype and shape of its layout");
  }
}

/// Stream a part into files: open each, then write literals and sections in the order in which they
/// lie in the file, each section by `fill(sink, section)`.
/// @param open  sink open(const file_layout&); sinks with sync() and close() are synced and closed
/// @param fill  status fill(sink&, const section&)
/// @errors those of open and fill, raised with the file's name
template <class Open, class Fill>
void write_part(const part_layout& layout, Open&& open, Fill&& fill) {
  for (const auto& file : layout.files) {
    auto sink = open(file);
    const auto require = [&](status answer) {
      if (answer) return;
      if constexpr (requires { sink.require(answer); }) sink.require(answer);
      raise(answer.code, "cannot write the file", {.file = file.name, .byte = answer.position});
    };
    // Short gaps are zeros by contract: written too, so that a sink sees the file from front to
    // back. A layout may name its pieces in any order; then gaps are left to the sink.
    constexpr std::array<std::byte, 4096> zeros{};
    const auto by_offset = [](const auto& a, const auto& b) { return a.offset < b.offset; };
    const bool in_order = std::is_sorted(file.literals.begin(), file.literals.end(), by_offset) &&
                          std::is_sorted(file.sections.begin(), file.sections.end(), by_offset);
    std::uint64_t at = 0;
    const auto fill_up = [&](std::uint64_t offset) {
      if (in_order && offset > at && offset - at <= zeros.size())
        require(sink.write_at(at, std::span(zeros).first(static_cast<std::size_t>(offset - at))));
    };
    auto next = file.literals.begin();
    const auto literals_before = [&](std::uint64_t offset) {
      for (; next != file.literals.end() && next->offset < offset; ++next) {
        fill_up(next->offset);
        require(sink.write_at(next->offset, next->bytes));
        at = next->offset + next->bytes.size();
      }
    };
    for (const auto& one : file.sections) {
      literals_before(one.offset);
      if (one.elements() != 0) fill_up(one.offset);
      require(fill(sink, one));
      if (one.elements() != 0) at = one.offset + one.bytes();
    }
    literals_before(std::numeric_limits<std::uint64_t>::max());
    fill_up(file.bytes);
    if constexpr (requires { sink.sync(); }) sink.sync();
    if constexpr (requires { sink.close(); }) sink.close();
  }
}

}  // namespace halograph
