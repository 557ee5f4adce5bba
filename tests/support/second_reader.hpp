// SPDX-License-Identifier: BSL-1.0
/// @file second_reader.hpp
/// For tests: DGL's files read a second time, by code that shares nothing with the library's
/// readers.
///
/// Written from the description of the format alone; it stands in for DGL's own loader. Simple,
/// slow and strict: every byte of a file is accounted for, what a careful writer would not write is
/// refused, and nothing is taken from the library but the standard's own types. Any doubt throws
/// std::runtime_error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace second_reader {

/// An array as the file holds it.
struct array {
  std::string dtype{};  ///< "int64", "float16", ...
  std::vector<std::int64_t> shape{};
  std::string data{};  ///< little-endian, row-major

  std::size_t item_bytes() const {
    return dtype.empty() ? 0 : std::stoul(dtype.substr(dtype.find_first_of("0123456789"))) / 8;
  }
  std::int64_t rows() const { return shape.empty() ? 1 : shape[0]; }
  bool operator==(const array&) const = default;

  /// All elements, of any integer dtype.
  std::vector<std::int64_t> integers() const {
    if (dtype.find("int") == std::string::npos)
      throw std::runtime_error(dtype + " holds no integers");
    const std::size_t width = item_bytes();
    std::vector<std::int64_t> out;
    for (std::size_t at = 0; at < data.size(); at += width) {
      std::uint64_t value = 0;
      for (std::size_t i = 0; i < width; ++i)
        value |= std::uint64_t{static_cast<unsigned char>(data[at + i])} << (8 * i);
      const bool negative = dtype[0] == 'i' && width < 8 && (value >> (8 * width - 1)) != 0;
      if (negative) value |= ~std::uint64_t{0} << (8 * width);
      out.push_back(static_cast<std::int64_t>(value));
    }
    return out;
  }
};
using arrays = std::map<std::string, array>;

using edge_list = std::vector<std::pair<std::int64_t, std::int64_t>>;

/// One edge type of a graph.
struct relation {
  std::int64_t source_type = 0, target_type = 0;
  std::int64_t sources = 0, targets = 0;  ///< nodes of the two types
  std::string name{};
  std::string id_dtype{};           ///< of its node IDs
  std::set<std::string> formats{};  ///< "coo", "csr", "csc": those stored
  std::set<std::string> allowed{};  ///< those the graph may make
  edge_list edges{};                ///< [E] by edge ID; every stored format says the same
  arrays columns{};
};

struct node_type {
  std::string name{};
  std::int64_t nodes = 0;
  arrays columns{};
};

struct graph {
  std::vector<node_type> types{};
  std::vector<relation> relations{};
};

struct graph_file {
  arrays labels{};
  std::vector<graph> graphs{};
  bool padding_is_zero = true;
};

inline std::string bytes_of_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot open " + path);
  return {std::istreambuf_iterator<char>(in), {}};
}

namespace detail {

inline void demand(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error(what);
}

/// Reads a file's bytes front to back.
class cursor {
 public:
  explicit cursor(const std::string& bytes) : bytes_(bytes) {}

  std::size_t at() const { return at_; }
  bool done() const { return at_ == bytes_.size(); }
  std::size_t left() const { return bytes_.size() - at_; }

  std::string take(std::uint64_t count) {
    demand(count <= left(), "the file ends early");
    const auto out = bytes_.substr(at_, static_cast<std::size_t>(count));
    at_ += static_cast<std::size_t>(count);
    return out;
  }
  std::uint64_t number(std::size_t width) {
    const auto raw = take(width);
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < width; ++i)
      value |= std::uint64_t{static_cast<unsigned char>(raw[i])} << (8 * i);
    return value;
  }
  std::uint64_t u64() { return number(8); }
  std::int64_t i64() { return static_cast<std::int64_t>(u64()); }
  /// A count of things that take at least `least` bytes each.
  std::uint64_t count(std::size_t least) {
    const auto n = u64();
    demand(n <= left() / least, "a count is larger than the file");
    return n;
  }
  std::string text() { return take(u64()); }
  bool flag() {
    const auto value = number(1);
    demand(value <= 1, "a flag is neither 0 nor 1");
    return value == 1;
  }
  void magic(std::uint64_t wanted) {
    demand(u64() == wanted, "wrong magic number before byte " + std::to_string(at_));
  }

 private:
  const std::string& bytes_;
  std::size_t at_ = 0;
};

inline array read_array(cursor& in) {
  in.magic(0xDD5E40F096B4A13F);
  demand(in.u64() == 0, "a reserved field is not 0");
  demand(in.number(4) == 1, "an array is not on the CPU");
  demand(in.number(4) == 0, "an array has a device number");
  const auto rank = in.number(4);
  demand(rank <= 32, "an array has too many dimensions");
  const auto code = in.number(1), bits = in.number(1), lanes = in.number(2);
  demand(lanes == 1, "an array has lanes");
  array out;
  const bool whole = bits == 8 || bits == 16 || bits == 32 || bits == 64;
  if (code == 0 && whole)
    out.dtype = "int" + std::to_string(bits);
  else if (code == 1 && whole)
    out.dtype = "uint" + std::to_string(bits);
  else if (code == 2 && whole && bits != 8)
    out.dtype = "float" + std::to_string(bits);
  else if (code == 4 && bits == 16)
    out.dtype = "bfloat16";
  else
    throw std::runtime_error("unknown dtype");
  std::uint64_t elements = 1;
  bool nothing = false;
  for (std::uint64_t d = 0; d < rank; ++d) {
    const auto extent = in.i64();
    demand(extent >= 0, "an array has a negative extent");
    out.shape.push_back(extent);
    nothing = nothing || extent == 0;
    if (extent != 0) {
      demand(elements <= (std::uint64_t{1} << 60) / static_cast<std::uint64_t>(extent),
             "an array is too large");
      elements *= static_cast<std::uint64_t>(extent);
    }
  }
  const auto size = in.u64();
  demand(size == (nothing ? 0 : elements * (bits / 8)), "an array's size contradicts its shape");
  out.data = in.take(size);
  return out;
}

inline arrays read_named_arrays(cursor& in, std::optional<std::uint64_t> wanted = {}) {
  const auto count = in.count(8 + 40);
  demand(!wanted || *wanted == count, "two counts of the same arrays differ");
  arrays out;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto name = in.text();
    demand(out.emplace(name, read_array(in)).second, "two arrays have one name");
  }
  return out;
}

/// A compressed matrix: rows of (column, ID).
struct matrix {
  std::int64_t columns = 0, rows = 0;
  std::string dtype{};
  std::vector<std::vector<std::pair<std::int64_t, std::int64_t>>> row{};
};

inline matrix read_csr(cursor& in) {
  in.magic(0xDD6CD31205DFF127);
  matrix out;
  out.columns = in.i64();
  out.rows = in.i64();
  demand(out.columns >= 0 && out.rows >= 0, "a matrix has negative extents");
  const auto offsets = read_array(in), neighbors = read_array(in), edges = read_array(in);
  const bool sorted = in.flag();
  for (const auto* one : {&offsets, &neighbors, &edges}) {
    demand(one->shape.size() == 1, "a matrix has an array that is no column");
    demand(one->dtype == "int32" || one->dtype == "int64",
           "a matrix has IDs of type " + one->dtype);
  }
  demand(offsets.dtype == neighbors.dtype, "a matrix mixes ID types");
  out.dtype = offsets.dtype;
  demand(offsets.rows() - 1 == out.rows,  // out.rows + 1 may overflow
         "a matrix has too few or too many rows");
  const auto entries = neighbors.rows();
  const bool given = edges.rows() != 0;  // no IDs: an entry's ID is its position
  demand(!given || (edges.rows() == entries && edges.dtype == out.dtype),
         "a matrix has IDs for another number of entries");
  const auto bounds = offsets.integers(), ends = neighbors.integers(), ids = edges.integers();
  demand(bounds.front() == 0 && bounds.back() == entries,
         "a matrix's rows do not span its entries");
  std::set<std::int64_t> seen;
  for (std::size_t r = 0; r + 1 < bounds.size(); ++r) {
    demand(bounds[r] <= bounds[r + 1] && bounds[r + 1] <= entries,
           "a matrix has a row that ends before it starts");
    auto& row = out.row.emplace_back();
    for (auto k = bounds[r]; k < bounds[r + 1]; ++k) {
      const auto end = ends[static_cast<std::size_t>(k)],
                 id = given ? ids[static_cast<std::size_t>(k)] : k;
      demand(end >= 0 && end < out.columns, "a matrix names a column that it does not have");
      demand(id >= 0 && id < entries && seen.insert(id).second,
             "a matrix numbers its entries wrongly");
      demand(!sorted || row.empty() || row.back().first <= end, "a matrix says sorted and is not");
      row.emplace_back(end, id);
    }
  }
  return out;
}

/// A metagraph: [edges] (source vertex, target vertex) by edge number, and how many vertices.
inline std::pair<std::int64_t, edge_list> read_metagraph(cursor& in) {
  in.magic(0xDD3C5FFE20046ABF);
  const auto adjacency = read_csr(in);
  demand(adjacency.rows == adjacency.columns, "a metagraph is not square");
  demand(adjacency.dtype == "int64", "a metagraph is not of int64");
  std::size_t count = 0;
  for (const auto& row : adjacency.row) count += row.size();
  edge_list edges(count);
  for (std::size_t v = 0; v < adjacency.row.size(); ++v) {
    for (const auto& [end, id] : adjacency.row[v])
      edges[static_cast<std::size_t>(id)] = {static_cast<std::int64_t>(v), end};
  }
  return {adjacency.rows, edges};
}

inline std::set<std::string> format_names(std::uint64_t mask) {
  demand(mask < 8, "an unknown sparse format");
  std::set<std::string> out;
  if ((mask & 1) != 0) out.insert("coo");
  if ((mask & 2) != 0) out.insert("csr");
  if ((mask & 4) != 0) out.insert("csc");
  return out;
}

/// The adjacency of one relation, within one node type or between two.
inline relation read_relation(cursor& in, bool one_type) {
  in.magic(0xDD2E60F0F6B4A127);
  const auto format = [](std::uint64_t code, bool allowed) {
    if ((code >> 32) != 0) {
      demand((code >> 32) == 1, "a format code has unknown high bits");
      return format_names(code & 0xFFFFFFFF);
    }
    demand(code <= 3 && (allowed || code != 0), "an unknown format code");
    return format_names(code == 0 ? 7 : code == 3 ? 4 : code);
  };
  relation out;
  out.formats = format(in.u64(), false);
  out.allowed = format(in.u64(), true);
  demand(!out.formats.empty(), "a relation without any adjacency");
  std::optional<edge_list> agreed;
  const auto meta = [&] {
    const auto [vertices, edges] = read_metagraph(in);
    demand(vertices == (one_type ? 1 : 2) && edges == edge_list{{0, one_type ? 0 : 1}},
           "a relation's own metagraph is wrong");
  };
  const auto agree = [&](edge_list edges, const std::string& dtype, std::int64_t sources,
                         std::int64_t targets) {
    demand(!agreed || (sources == out.sources && targets == out.targets),
           "two sparse formats have different extents");
    out.sources = sources;
    out.targets = targets;
    demand(out.id_dtype.empty() || out.id_dtype == dtype, "a relation mixes ID types");
    out.id_dtype = dtype;
    demand(!agreed || *agreed == edges, "two sparse formats describe different edges");
    agreed = std::move(edges);
  };
  if (out.formats.count("coo") != 0) {
    meta();
    in.magic(0xDD61FFD305DFF127);
    const auto columns = in.i64(), rows = in.i64();
    demand(rows >= 0 && columns >= 0, "a matrix has negative extents");
    const auto row = read_array(in), column = read_array(in), ids = read_array(in);
    demand(row.shape.size() == 1 && row.shape == column.shape && row.dtype == column.dtype,
           "a coo matrix's columns do not fit");
    demand(row.dtype == "int64" || row.dtype == "int32",
           "a coo matrix has IDs of type " + row.dtype);
    demand(ids.shape == std::vector<std::int64_t>{0} && ids.dtype == "int64",
           "a coo matrix numbers its edges");
    const bool row_sorted = in.flag(), column_sorted = in.flag();
    const auto u = row.integers(), v = column.integers();
    edge_list edges;
    for (std::size_t e = 0; e < u.size(); ++e) {
      demand(u[e] >= 0 && u[e] < rows && v[e] >= 0 && v[e] < columns,
             "an edge has an end that is no node");
      edges.emplace_back(u[e], v[e]);
    }
    for (std::size_t e = 1; e < u.size(); ++e) {
      demand(!row_sorted || u[e - 1] <= u[e], "a coo matrix says sorted by rows and is not");
      demand(!column_sorted || u[e - 1] != u[e] || v[e - 1] <= v[e],
             "a coo matrix says sorted by columns and is not");
    }
    agree(std::move(edges), row.dtype, rows, columns);
  }
  for (const bool by_source : {true, false}) {
    if (out.formats.count(by_source ? "csr" : "csc") == 0) continue;
    meta();
    const auto adjacency = read_csr(in);
    std::size_t count = 0;
    for (const auto& row : adjacency.row) count += row.size();
    edge_list edges(count);
    for (std::size_t r = 0; r < adjacency.row.size(); ++r) {
      const auto here = static_cast<std::int64_t>(r);
      for (const auto& [end, id] : adjacency.row[r]) {
        edges[static_cast<std::size_t>(id)] = by_source ? std::pair(here, end)
                                                        : std::pair(end, here);
      }
    }
    if (by_source)
      agree(std::move(edges), adjacency.dtype, adjacency.rows, adjacency.columns);
    else
      agree(std::move(edges), adjacency.dtype, adjacency.columns, adjacency.rows);
  }
  out.edges = std::move(*agreed);
  return out;
}

inline graph read_graph(cursor& in) {
  in.magic(0xDD589FBE35224ABF);
  const auto [vertices, metaedges] = read_metagraph(in);
  const auto relations = in.count(8);
  demand(relations == metaedges.size(), "relations and metagraph disagree");
  graph out;
  for (const auto& [source, target] : metaedges) {
    out.relations.push_back(read_relation(in, source == target));
    out.relations.back().source_type = source;
    out.relations.back().target_type = target;
  }
  const auto types = in.count(8);
  demand(types == static_cast<std::uint64_t>(vertices), "node counts and metagraph disagree");
  for (std::uint64_t t = 0; t < types; ++t) {
    const auto count = in.i64();
    demand(count >= 0, "a node type has a negative number of nodes");
    out.types.push_back({{}, count, {}});
  }
  for (const auto& one : out.relations) {
    demand(one.sources == out.types[static_cast<std::size_t>(one.source_type)].nodes &&
               one.targets == out.types[static_cast<std::size_t>(one.target_type)].nodes,
           "node counts and matrices disagree");
  }
  demand(in.count(8) == types, "node columns and node types disagree");
  for (auto& type : out.types) type.columns = read_named_arrays(in);
  demand(in.count(8) == relations, "edge columns and relations disagree");
  for (auto& one : out.relations) one.columns = read_named_arrays(in);
  demand(in.count(8) == types, "node type names and node types disagree");
  for (auto& type : out.types) type.name = in.text();
  demand(in.count(8) == relations, "relation names and relations disagree");
  for (auto& one : out.relations) one.name = in.text();
  for (const auto& type : out.types) {
    for (const auto& [name, column] : type.columns)
      demand(!column.shape.empty() && column.shape[0] == type.nodes,
             "node column " + name + " has the wrong number of rows");
  }
  for (const auto& one : out.relations) {
    for (const auto& [name, column] : one.columns) {
      demand(
          !column.shape.empty() && column.shape[0] == static_cast<std::int64_t>(one.edges.size()),
          "edge column " + name + " has the wrong number of rows");
    }
  }
  return out;
}

}  // namespace detail

/// A dictionary of tensors.
inline arrays read_tensors(const std::string& bytes) {
  detail::cursor in(bytes);
  in.magic(0xDD5A9FBE3FA2443F);
  const auto count = in.u64();
  auto out = detail::read_named_arrays(in, count);
  detail::demand(in.done(), "bytes follow the last tensor");
  return out;
}

/// A graph file of version 2, to its last byte.
inline graph_file read_graphs(const std::string& bytes) {
  detail::cursor in(bytes);
  in.magic(0xDD2E4FF046B4A13F);
  detail::demand(in.u64() == 2, "not version 2");
  detail::demand(in.u64() == 2, "not a heterograph");
  const auto count = in.u64();
  detail::demand(count <= bytes.size() / 8, "a count is larger than the file");
  graph_file out;
  for (const char c : in.take(4096 - 32)) out.padding_is_zero = out.padding_is_zero && c == 0;
  const auto first = in.u64();
  out.labels = detail::read_named_arrays(in);
  detail::demand(in.at() == first, "the graphs do not start where the file says");
  std::vector<std::uint64_t> starts;
  for (std::uint64_t g = 0; g < count; ++g) {
    starts.push_back(in.at());
    out.graphs.push_back(detail::read_graph(in));
  }
  detail::demand(in.u64() == 8 + 8 * count, "the index has the wrong length");
  detail::demand(in.u64() == count, "the index has the wrong count");
  for (const auto start : starts) detail::demand(in.u64() == start, "the index points elsewhere");
  detail::demand(in.u64() == 8 + 8 * count, "the length behind the index is wrong");
  detail::demand(in.done(), "bytes follow the index");
  return out;
}

}  // namespace second_reader
