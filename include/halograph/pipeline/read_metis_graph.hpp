// SPDX-License-Identifier: BSL-1.0
/// @file read_metis_graph.hpp
/// A graph from METIS's own text format.
/// Layer: pipeline. Words: README.md.
///
/// | line | holds |
/// | --- | --- |
/// | begins with % | a comment, anywhere |
/// | first other | vertices, edges (each once) [, format [, constraints]] |
/// | i-th behind it | of vertex i: [size] [weight of each constraint] then neighbour [edge weight] ... |
///
/// Format is three digits, leading zeros left out: 100 sizes, 010 vertex weights, 001 edge weights.
/// Vertices count from 1. An empty line is a vertex without neighbours.
#pragma once

#include <halograph/core/checked_cast.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/random.hpp>
#include <halograph/pipeline/dataset.hpp>
#include <halograph/pipeline/read_edge_list.hpp>
#include <halograph/serial/file.hpp>
#include <halograph/serial/text.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

namespace detail {

/// Reads one METIS file. Blanks and tabs stand between numbers, nothing else.
template <id Node, id Edge>
class metis_reader {
 public:
  metis_reader(std::string_view text, const std::string& file)
      : file_(file), bytes_(text.size()), cursor_(text.data(), text.data() + text.size(), {.delimiter = ' '}) {}

  dataset<Node, Edge> read() {
    read_header();
    data_.name = stem_of(file_);
    data_.schema = graph_schema::homogeneous();
    data_.node_counts = {nodes_};
    data_.edges.resize(1);
    data_.node_weights.assign(constraints_, {});
    for (auto& weights : data_.node_weights) weights.reserve(static_cast<std::size_t>(nodes_));
    if (has_sizes_) data_.node_sizes.reserve(static_cast<std::size_t>(nodes_));
    data_.edges[0].source.reserve(static_cast<std::size_t>(2 * edges_));
    data_.edges[0].target.reserve(static_cast<std::size_t>(2 * edges_));
    if (has_edge_weights_) edge_weights_.reserve(static_cast<std::size_t>(2 * edges_));
    for (std::uint64_t v = 0; v < nodes_; ++v) read_vertex(v);
    read_rest();
    if (entries() != 2 * edges_) {
      raise(errc::mismatch, "the lines list " + std::to_string(entries()) + " neighbours, but " + std::to_string(edges_) +
                                " edges are announced; each edge must be in the lines of both its ends, which makes " +
                                std::to_string(2 * edges_), {.file = file_, .line = header_line_});
    }
    if (balance_ != 0) {
      data_.notes.push_back(file_ + ": some edges are in the line of one end only, or with another weight there; METIS's "
                                    "format wants both, and they are read as listed");
    }
    if (has_edge_weights_) {
      data_.features.edges.push_back({0, "weight", chunked_tensor(tensor::from(std::move(edge_weights_)))});
      data_.edge_weight_feature = "weight";
    }
    data_.finish();
    return std::move(data_);
  }

 private:
  std::uint64_t entries() const noexcept { return data_.edges[0].source.size(); }

  [[noreturn]] void fail(errc code, std::string sentence) const {
    raise(code, std::move(sentence), {.file = file_, .line = line_});
  }

  /// To the next line that is no comment. @return is there one?
  bool next_line() {
    for (;;) {
      if (started_) {
        if (cursor_.done()) return false;
        cursor_.next_line();
        ++line_;
      } else {
        started_ = true;
      }
      // Behind the last line end lies one more line, an empty one.
      if (cursor_.done()) return !std::exchange(past_end_, true) && bytes_ != 0 && cursor_.end()[-1] == '\n';
      if (*cursor_.at() != '%') return true;
    }
  }

  /// The next number of the line, if there is one.
  bool number(std::uint64_t& out, const char* what) {
    cursor_.skip_blanks();
    if (cursor_.at_line_end()) return false;
    const auto fault = cursor_.unsigned_number(out);
    if (fault != text_fault::none) {
      fail(fault == text_fault::not_a_number ? errc::malformed : errc::out_of_range,
           column_at(cursor_.at(), cursor_.end(), {.delimiter = ' '}) + " stands where " + what +
               " is needed, an integer of at most 64 bits that is not negative");
    }
    return true;
  }
  std::int64_t weight(const char* what) {
    std::uint64_t value = 0;
    if (!number(value, what)) fail(errc::malformed, std::string("the line ends where ") + what + " is needed");
    if (!fits<std::int64_t>(value)) {
      fail(errc::overflow, std::string(what) + " is " + std::to_string(value) + "; it must be below 2^63");
    }
    return static_cast<std::int64_t>(value);
  }

  void read_header() {
    do {
      if (!next_line()) fail(errc::truncated, "there is no header; the first line must hold the numbers of vertices and edges");
      cursor_.skip_blanks();
    } while (cursor_.at_line_end() && !cursor_.done());
    header_line_ = line_;
    std::uint64_t format = 0, constraints = 0;
    if (!number(nodes_, "the number of vertices") || !number(edges_, "the number of edges")) {
      fail(errc::malformed, "the header is incomplete; it must hold the numbers of vertices and edges");
    }
    const bool has_format = number(format, "the format, three digits of 0 or 1,");
    const bool has_constraints = has_format && number(constraints, "the number of constraints");
    std::uint64_t more = 0;
    if (number(more, "nothing more")) {
      fail(errc::malformed, "the header holds more than vertices, edges, format and constraints");
    }
    const auto digit = [&](std::uint64_t unit) { return format / unit % 10; };
    if (format > 111 || digit(1) > 1 || digit(10) > 1 || digit(100) > 1) {
      fail(errc::malformed, "the format is " + std::to_string(format) +
                                "; it must be three digits of 0 or 1: sizes, vertex weights, edge weights");
    }
    has_sizes_ = digit(100) == 1;
    has_edge_weights_ = digit(1) == 1;
    const bool has_weights = digit(10) == 1;
    if (has_constraints && constraints > 0 && !has_weights) {
      fail(errc::malformed, std::to_string(constraints) + " constraints are announced, but the format has no vertex weights; "
                                                          "it must be 010, 011, 110 or 111");
    }
    // What the header promises takes room: a line end for a vertex, two characters for a number.
    const std::uint64_t room = bytes_;
    if (nodes_ > room || edges_ > room / 2 || (nodes_ > 0 && constraints > room / nodes_)) {
      fail(errc::malformed, std::to_string(nodes_) + " vertices, " + std::to_string(edges_) + " edges and " +
                                std::to_string(constraints) + " constraints cannot be in a file of " + std::to_string(room) +
                                " bytes; the header must tell what follows");
    }
    if (nodes_ > id_capacity<Node>() || 2 * edges_ > id_capacity<Edge>()) {
      fail(errc::overflow, "the graph has more vertices or edges than IDs of " + std::to_string(sizeof(Node) * 8) + " and " +
                               std::to_string(sizeof(Edge) * 8) + " bits can number; read it with wider ones");
    }
    constraints_ = !has_weights || nodes_ == 0 ? 0 : static_cast<std::size_t>(std::max<std::uint64_t>(constraints, 1));
  }

  void read_vertex(std::uint64_t v) {
    if (!next_line()) {
      fail(errc::truncated, "the file ends before the line of vertex " + std::to_string(v + 1) + " of " + std::to_string(nodes_));
    }
    if (has_sizes_) data_.node_sizes.push_back(weight("a vertex size"));
    for (auto& weights : data_.node_weights) weights.push_back(weight("a vertex weight"));
    auto& [source, target] = data_.edges[0];
    std::uint64_t u = 0;
    while (number(u, "a neighbour")) {
      if (u == 0 || u > nodes_) {
        fail(errc::out_of_range, "neighbour " + std::to_string(u) + " of vertex " + std::to_string(v + 1) +
                                     " does not exist; vertices are numbered from 1 to " + std::to_string(nodes_));
      }
      --u;
      std::int64_t w = 1;
      if (has_edge_weights_) {
        w = weight("an edge weight");
        if (w == 0) fail(errc::out_of_range, "an edge weight is 0; it must be at least 1");
        edge_weights_.push_back(w);
      }
      if (entries() == 2 * edges_) {
        fail(errc::mismatch, "the lines list more than the " + std::to_string(2 * edges_) + " neighbours that " +
                                 std::to_string(edges_) + " announced edges make");
      }
      source.push_back(static_cast<Node>(v));
      target.push_back(static_cast<Node>(u));
      // Each pair adds its hash from one side and takes it away from the other; what is left is one-sided.
      if (u != v) {
        const std::uint64_t pair = mix(mix(mix(std::min(u, v) + 1) + std::max(u, v)) + static_cast<std::uint64_t>(w));
        balance_ = v < u ? balance_ + pair : balance_ - pair;
      }
    }
  }

  void read_rest() {
    while (next_line()) {
      cursor_.skip_blanks();
      if (!cursor_.at_line_end()) {
        fail(errc::mismatch, "there is a line behind that of the last vertex; the header announces " + std::to_string(nodes_));
      }
    }
  }

  const std::string& file_;
  std::uint64_t bytes_;
  text_cursor cursor_;
  bool started_ = false;
  bool past_end_ = false;
  std::uint64_t line_ = 1;
  std::uint64_t header_line_ = 1;
  std::uint64_t nodes_ = 0;
  std::uint64_t edges_ = 0;
  std::size_t constraints_ = 0;
  bool has_sizes_ = false;
  bool has_edge_weights_ = false;
  std::uint64_t balance_ = 0;
  std::vector<std::int64_t> edge_weights_{};
  dataset<Node, Edge> data_{};
};

}  // namespace detail

/// Read a METIS graph. Every adjacency entry is an edge, from the line's vertex to the neighbour, its ID being
/// its place in the file: m undirected edges give 2m. Vertex weights come as node_weights (METIS's constraints),
/// sizes as node_sizes, edge weights as the edge feature "weight" (int64). The types are `_N` and `_N:_E:_N`.
///
/// @errors malformed, out_of_range, truncated, mismatch (the header's counts are wrong), with the line;
///         overflow: too many vertices or edges for Node or Edge. An edge that only one of its ends lists is
///         taken as it is; a note says so
/// @complexity O(bytes)
/// @source METIS manual 5.1, section 4.1.1
template <id Node = std::uint64_t, id Edge = std::uint64_t, file_opener Opener = read_files>
dataset<Node, Edge> read_metis_graph(const std::string& path, const Opener& open = {}) {
  const file_bytes content = open(path);
  return detail::metis_reader<Node, Edge>(detail::as_text(content.bytes), path).read();
}

}  // namespace halograph
