// SPDX-License-Identifier: BSL-1.0
/// @file metis.hpp
/// A graph from METIS's own text format.
/// Layer: io. Words: README.md.
///
/// | line | holds |
/// | --- | --- |
/// | begins with % | a comment, anywhere |
/// | first other | vertices, edges (each once) [, format [, constraints]] |
/// | i-th after it | of vertex i: [size] [weight of each constraint] then neighbor [edge weight] ... |
///
/// Format is three digits, leading zeros left out: 100 sizes, 010 vertex weights, 001 edge weights.
/// Vertices count from 1. An empty line is a vertex without neighbors.
#pragma once

#include <halograph/core/checked_cast.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/random.hpp>
#include <halograph/io/dataset.hpp>
#include <halograph/io/formats/edge_list.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/text/cursor.hpp>
#include <halograph/serial/text/lines.hpp>
#include <halograph/serial/text/pieces.hpp>

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
  metis_reader(std::string_view text, const std::string& file,
               std::uint64_t most_bytes = ~std::uint64_t{0})
      : file_(file),
        most_bytes_(most_bytes),
        bytes_(text.size()),
        cursor_(text.data(), text.data() + text.size(), {.delimiter = ' '}) {}

  dataset<Node, Edge> read(executor_ref executor) {
    read_header();
    require_room_for_edges(2 * edges_, 2 * sizeof(Node) + (has_edge_weights_ ? 8 : 0), most_bytes_,
                           file_);
    data_.name = stem_of(file_);
    data_.schema = graph_schema::homogeneous();
    data_.node_counts = {nodes_};
    data_.edges.resize(1);
    if (!read_plain_lines(executor)) read_all_lines();
    if (entries() != 2 * edges_) {
      raise(
          error_kind::mismatch,
          "the lines list " + std::to_string(entries()) + " neighbors, but " +
              std::to_string(edges_) +
              " edges are announced; each edge must be in the lines of both endpoints, which makes " +
              std::to_string(2 * edges_),
          {.file = file_, .line = header_line_});
    }
    if (balance_ != 0) {
      data_.notes.push_back(
          file_ +
          ": some edges are in the line of one endpoint only, or have another weight there; METIS's format requires both lines, and the edges are read as listed");
    }
    if (has_edge_weights_) {
      data_.features.edges.push_back(
          {0, "weight", chunked_tensor(tensor::from(std::move(edge_weights_)))});
      data_.edge_weight_feature = "weight";
    }
    data_.finish();
    return std::move(data_);
  }

 private:
  std::uint64_t entries() const noexcept { return data_.edges[0].source.size(); }

  /// A hash of an edge that both of its lines agree on. It is added for one line and subtracted for
  /// the other, so a sum other than 0 shows that some edges are one-sided.
  /// @return the hash, negated if v < u; 0 if u == v. Without branches, because neighbors come in
  ///     any order
  [[gnu::always_inline]] static std::uint64_t signed_hash(std::uint64_t u, std::uint64_t v,
                                                          std::uint64_t w, bool narrow) noexcept {
    const std::uint64_t swapped = std::uint64_t{0} - static_cast<std::uint64_t>(v < u);
    const std::uint64_t different = (u ^ v) & swapped;
    const std::uint64_t low = u ^ different, high = v ^ different;
    const std::uint64_t pair = mix((narrow ? low << 32 : mix(low)) + high +
                                   w * 0x9E3779B97F4A7C15u);
    return ((pair ^ swapped) - swapped) & (std::uint64_t{0} - static_cast<std::uint64_t>(u != v));
  }
  bool narrow() const noexcept { return nodes_ >> 32 == 0; }

  // --- lines that hold numbers and single blanks, in pieces
  // ---------------------------------------------

  /// A run through a piece: the next number, its vertex, and the place of its entry.
  struct plain_run {
    const char* at;
    const char* end;
    std::uint64_t vertex;
    std::size_t entry, last_entry;
    std::uint64_t balance = 0;
    bool sound = true;
  };

  /// Where entries are stored. Loops take a copy: members would be read again after each store.
  struct plain_target {
    Node* source;
    Node* target;
    std::int64_t* weight;
    std::uint64_t nodes;
    const char* words_end;  ///< numbers that begin before it may be read by words
    bool narrow, weighted;
  };

  /// How many numbers begin in whole lines.
  static std::uint64_t count_numbers(const char* p, const char* end) noexcept {
    // As count_line_ends(): blocks of a known length become vector code.
    constexpr int block = 128;
    std::uint64_t count = 0;
    const auto ends_here = [](const char* at) {
      return static_cast<int>(static_cast<unsigned char>(at[0] - '0') < 10) &
             static_cast<int>(static_cast<unsigned char>(at[1] - '0') >= 10);
    };
    for (; end - p > block; p += block) {
      std::uint8_t few = 0;
      for (int i = 0; i < block; ++i) few = static_cast<std::uint8_t>(few + ends_here(p + i));
      count += few;
    }
    for (; end - p > 1; ++p) count += static_cast<std::uint64_t>(ends_here(p));
    return count + (p != end && text_cursor::is_digit(*p) ? 1 : 0);
  }

  /// Read all vertices if their lines are plain and agree with the header. Otherwise returns false
  /// and leaves them to read_all_lines(), which handles everything that the format allows and
  /// reports what it does not.
  bool read_plain_lines(executor_ref executor) {
    text_cursor body = cursor_;
    body.next_line();
    const std::string_view text(body.at(), static_cast<std::size_t>(body.end() - body.at()));
    if (nodes_ == 0 || text.empty() || text[0] == '\xEF' ||
        text.find('%') != std::string_view::npos)
      return false;
    auto pieces = cut_text(text, 1, executor);
    std::uint64_t lines = 0;
    for (const auto& piece : pieces) lines += piece.slots;
    if (lines != nodes_) return false;
    const std::uint64_t before = constraints_ + (has_sizes_ ? 1 : 0),
                        width = has_edge_weights_ ? 2 : 1;
    std::vector<std::uint64_t> first_entry(pieces.size() + 1);
    executor.parallel_for(0, pieces.size(), 1, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i)
        first_entry[i + 1] = count_numbers(pieces[i].begin, pieces[i].end);
    });
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const std::uint64_t numbers = first_entry[i + 1], others = before * pieces[i].slots;
      if (numbers < others || (numbers - others) % width != 0) return false;
      first_entry[i + 1] = first_entry[i] + (numbers - others) / width;
    }
    if (first_entry.back() != 2 * edges_) return false;

    auto& [source, target] = data_.edges[0];
    const auto size = static_cast<std::size_t>(2 * edges_);
    if (has_edge_weights_)
      resize_columns(size, executor, source, target, edge_weights_);
    else
      resize_columns(size, executor, source, target);
    data_.node_weights.assign(constraints_,
                              std::vector<std::int64_t>(static_cast<std::size_t>(nodes_)));
    data_.node_sizes.resize(has_sizes_ ? static_cast<std::size_t>(nodes_) : 0);
    std::vector<plain_run> runs;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      runs.push_back({pieces[i].begin, pieces[i].end, pieces[i].first_slot,
                      static_cast<std::size_t>(first_entry[i]),
                      static_cast<std::size_t>(first_entry[i + 1])});
    }
    const plain_target to{source.data(),
                          target.data(),
                          edge_weights_.data(),
                          nodes_,
                          text.size() < 32 ? text.data() : text.data() + text.size() - 32,
                          narrow(),
                          has_edge_weights_};
    executor.parallel_for(0, (runs.size() + 1) / 2, 1, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = 2 * first; i < 2 * last && i < runs.size(); i += 2) {
        // Two in turn, for the reason that parse_pieces() has.
        if (has_edge_weights_ || before != 0) {
          read_runs<true>(runs[i], i + 1 < runs.size() ? &runs[i + 1] : nullptr, to);
        } else {
          read_runs<false>(runs[i], i + 1 < runs.size() ? &runs[i + 1] : nullptr, to);
        }
      }
    });
    for (const auto& run : runs) {
      if (!run.sound || run.entry != run.last_entry) return false;
      balance_ += run.balance;
    }
    cursor_ = text_cursor(body.end(), body.end(), {.delimiter = ' '});
    return true;
  }

  template <bool HasWeights>
  void read_runs(plain_run& first, plain_run* second, const plain_target to) {
    plain_run one = first;
    if (one.at != one.end) begin_vertex<HasWeights>(one, to);
    if (second != nullptr) {
      plain_run other = *second;
      if (other.at != other.end) begin_vertex<HasWeights>(other, to);
      while (one.at != one.end && other.at != other.end) {
        step<HasWeights>(one, to);
        step<HasWeights>(other, to);
      }
      while (other.at != other.end) step<HasWeights>(other, to);
      *second = other;
    }
    while (one.at != one.end) step<HasWeights>(one, to);
    first = one;
  }

  [[gnu::always_inline]] static void give_up(plain_run& run) noexcept {
    run.sound = false;
    run.at = run.end;
  }

  /// Read a number and the blank after it. @return whether there is a number, followed by a blank
  /// or the end of the line
  [[gnu::always_inline]] static bool plain_number(plain_run& run, const char* words_end,
                                                  std::uint64_t& value) noexcept {
    const char* p = run.at;
    if (p < words_end) {
      const unsigned digits = text_cursor::plain_number(p, value);
      if (digits == 0) return false;
      p += digits;
    } else {
      if (p == run.end || !text_cursor::is_digit(*p)) return false;
      text_cursor cursor(p, run.end, {.delimiter = ' '});
      if (cursor.unsigned_number(value) != text_fault::none) return false;
      p = cursor.at();
      if (p == run.end) {
        run.at = p;
        return true;
      }
    }
    if (*p == ' ' || *p == '\t') {
      run.at = p + 1;
      return true;
    }
    run.at = p;
    return *p == '\n' || *p == '\r';
  }

  /// Read the size and the weights that precede the neighbors.
  template <bool HasWeights>
  [[gnu::always_inline]] void begin_vertex(plain_run& run, const plain_target& to) {
    if constexpr (HasWeights) {
      const auto put = [&](std::vector<std::int64_t>& column) {
        while (run.at != run.end && (*run.at == ' ' || *run.at == '\t')) ++run.at;
        std::uint64_t value = 0;
        if (!run.sound || !plain_number(run, to.words_end, value) || !fits<std::int64_t>(value)) {
          give_up(run);
          return;
        }
        column[static_cast<std::size_t>(run.vertex)] = static_cast<std::int64_t>(value);
      };
      if (has_sizes_) put(data_.node_sizes);
      for (auto& weights : data_.node_weights) put(weights);
    }
  }

  /// One entry, or the end of a line, or a blank. @pre run.at != run.end
  template <bool HasWeights>
  [[gnu::always_inline]] void step(plain_run& run, const plain_target& to) {
    if (static_cast<unsigned char>(*run.at) <= ' ') {
      const char c = *run.at++;
      if (c == '\n') {
        ++run.vertex;
        if (run.at != run.end) begin_vertex<HasWeights>(run, to);
      } else if (c != ' ' && c != '\t' && !(c == '\r' && (run.at == run.end || *run.at == '\n'))) {
        give_up(run);
      }
      return;
    }
    std::uint64_t u = 0, w = 1;
    if (!plain_number(run, to.words_end, u) || u - 1 >= to.nodes || run.entry == run.last_entry)
      return give_up(run);
    --u;
    if constexpr (HasWeights) {
      if (to.weighted) {
        while (run.at != run.end && (*run.at == ' ' || *run.at == '\t')) ++run.at;
        if (!plain_number(run, to.words_end, w) || w == 0 || !fits<std::int64_t>(w))
          return give_up(run);
        to.weight[run.entry] = static_cast<std::int64_t>(w);
      }
    }
    to.source[run.entry] = static_cast<Node>(run.vertex);
    to.target[run.entry] = static_cast<Node>(u);
    ++run.entry;
    run.balance += signed_hash(u, run.vertex, w, to.narrow);
  }

  // --- all that the format allows
  // -----------------------------------------------------------------------

  void read_all_lines() {
    data_.edges[0] = {};
    edge_weights_.clear();
    balance_ = 0;
    data_.node_weights.assign(constraints_, {});
    for (auto& weights : data_.node_weights) weights.reserve(static_cast<std::size_t>(nodes_));
    data_.node_sizes.clear();
    if (has_sizes_) data_.node_sizes.reserve(static_cast<std::size_t>(nodes_));
    data_.edges[0].source.reserve(static_cast<std::size_t>(2 * edges_));
    data_.edges[0].target.reserve(static_cast<std::size_t>(2 * edges_));
    if (has_edge_weights_) edge_weights_.reserve(static_cast<std::size_t>(2 * edges_));
    for (std::uint64_t v = 0; v < nodes_; ++v) read_vertex(v);
    read_rest();
  }

  [[noreturn]] void fail(error_kind code, std::string sentence) const {
    raise(code, std::move(sentence), {.file = file_, .line = line_});
  }

  /// Go to the next line that is not a comment. @return whether there is one
  bool next_line() {
    for (;;) {
      if (started_) {
        if (cursor_.done()) return false;
        cursor_.next_line();
        ++line_;
      } else {
        started_ = true;
      }
      // After the last line end there is one more line, an empty one.
      if (cursor_.done())
        return !std::exchange(past_end_, true) && bytes_ != 0 && cursor_.end()[-1] == '\n';
      if (*cursor_.at() != '%') return true;
    }
  }

  /// The next number of the line, if there is one.
  bool number(std::uint64_t& out, const char* what) {
    cursor_.skip_blanks();
    if (cursor_.at_line_end()) return false;
    const auto fault = cursor_.unsigned_number(out);
    if (fault != text_fault::none) {
      fail(fault == text_fault::not_a_number ? error_kind::malformed : error_kind::out_of_range,
           column_at(cursor_.at(), cursor_.end(), {.delimiter = ' '}) + " is found where " + what +
               " is expected, a non-negative integer of at most 64 bits");
    }
    return true;
  }
  std::int64_t weight(const char* what) {
    std::uint64_t value = 0;
    if (!number(value, what))
      fail(error_kind::malformed, std::string("the line ends where ") + what + " is expected");
    if (!fits<std::int64_t>(value)) {
      fail(error_kind::overflow,
           std::string(what) + " is " + std::to_string(value) + "; it must be below 2^63");
    }
    return static_cast<std::int64_t>(value);
  }

  void read_header() {
    do {
      if (!next_line())
        fail(error_kind::truncated,
             "there is no header; the first line must hold the numbers of vertices and edges");
      cursor_.skip_blanks();
    } while (cursor_.at_line_end() && !cursor_.done());
    header_line_ = line_;
    std::uint64_t format = 0, constraints = 0;
    if (!number(nodes_, "the number of vertices") || !number(edges_, "the number of edges")) {
      fail(error_kind::malformed,
           "the header is incomplete; it must hold the numbers of vertices and edges");
    }
    const bool has_format = number(format, "the format, three digits of 0 or 1,");
    const bool has_constraints = has_format && number(constraints, "the number of constraints");
    std::uint64_t more = 0;
    if (number(more, "nothing more")) {
      fail(error_kind::malformed,
           "the header holds more than vertices, edges, format and constraints");
    }
    const auto digit = [&](std::uint64_t unit) { return format / unit % 10; };
    if (format > 111 || digit(1) > 1 || digit(10) > 1 || digit(100) > 1) {
      fail(error_kind::malformed,
           "the format is " + std::to_string(format) +
               "; it must be three digits of 0 or 1: sizes, vertex weights, edge weights");
    }
    has_sizes_ = digit(100) == 1;
    has_edge_weights_ = digit(1) == 1;
    const bool has_weights = digit(10) == 1;
    if (has_constraints && constraints > 0 && !has_weights) {
      fail(error_kind::malformed,
           std::to_string(constraints) +
               " constraints are announced, but the format has no vertex weights; "
               "it must be 010, 011, 110 or 111");
    }
    // What the header announces takes at least this space: a line end for a vertex, two characters
    // for a number.
    const std::uint64_t room = bytes_;
    if (nodes_ > room || edges_ > room / 2 || (nodes_ > 0 && constraints > room / nodes_)) {
      fail(error_kind::malformed,
           std::to_string(nodes_) + " vertices, " + std::to_string(edges_) + " edges and " +
               std::to_string(constraints) + " constraints cannot be in a file of " +
               std::to_string(room) + " bytes; the header must describe what follows");
    }
    if (nodes_ > id_capacity<Node>() || 2 * edges_ > id_capacity<Edge>()) {
      fail(error_kind::overflow, "the graph has more vertices or edges than IDs of " +
                                     std::to_string(sizeof(Node) * 8) + " and " +
                                     std::to_string(sizeof(Edge) * 8) +
                                     " bits can number; read it with wider ones");
    }
    constraints_ = !has_weights || nodes_ == 0
                       ? 0
                       : static_cast<std::size_t>(std::max<std::uint64_t>(constraints, 1));
  }

  void read_vertex(std::uint64_t v) {
    if (!next_line()) {
      fail(error_kind::truncated, "the file ends before the line of vertex " +
                                      std::to_string(v + 1) + " of " + std::to_string(nodes_));
    }
    if (has_sizes_) data_.node_sizes.push_back(weight("a vertex size"));
    for (auto& weights : data_.node_weights) weights.push_back(weight("a vertex weight"));
    auto& [source, target] = data_.edges[0];
    std::uint64_t u = 0;
    while (number(u, "a neighbor")) {
      if (u == 0 || u > nodes_) {
        fail(error_kind::out_of_range,
             "neighbor " + std::to_string(u) + " of vertex " + std::to_string(v + 1) +
                 " does not exist; vertices are numbered from 1 to " + std::to_string(nodes_));
      }
      --u;
      std::int64_t w = 1;
      if (has_edge_weights_) {
        w = weight("an edge weight");
        if (w == 0) fail(error_kind::out_of_range, "an edge weight is 0; it must be at least 1");
        edge_weights_.push_back(w);
      }
      if (entries() == 2 * edges_) {
        fail(error_kind::mismatch, "the lines list more than the " + std::to_string(2 * edges_) +
                                       " neighbors that " + std::to_string(edges_) +
                                       " announced edges make");
      }
      source.push_back(static_cast<Node>(v));
      target.push_back(static_cast<Node>(u));
      balance_ += signed_hash(u, v, static_cast<std::uint64_t>(w), narrow());
    }
  }

  void read_rest() {
    while (next_line()) {
      cursor_.skip_blanks();
      if (!cursor_.at_line_end()) {
        fail(error_kind::mismatch,
             "there is a line after that of the last vertex; the header announces " +
                 std::to_string(nodes_));
      }
    }
  }

  const std::string& file_;
  std::uint64_t most_bytes_, bytes_;
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

/// Read a METIS graph. Every adjacency entry is an edge, from the line's vertex to the neighbor,
/// its ID being its place in the file: m undirected edges give 2m. Vertex weights come as
/// node_weights (METIS's constraints), sizes as node_sizes, edge weights as the edge feature
/// "weight" (int64). The types are `_N` and `_N:_E:_N`.
///
/// @errors malformed, out_of_range, truncated, mismatch (the header's counts are wrong), with the
///     line; overflow: too many vertices or edges for Node or Edge. An edge that only one endpoint
///     lists is read as it is, and a note says so
/// @param executor  reads pieces of a text in parallel if it holds numbers and blanks only, and
///     comments only before the header; any other text is read sequentially
/// @param most_bytes  memory that the edges may take; if they need more, error_kind::memory is
///     raised before any is read
/// @complexity O(bytes)
/// @source METIS manual 5.1, section 4.1.1
template <id Node = std::uint64_t, id Edge = std::uint64_t>
dataset<Node, Edge> read_metis_graph(const std::string& path, const any_file_opener& open = {},
                                     executor_ref executor = {},
                                     std::uint64_t most_bytes = ~std::uint64_t{0}) {
  const file_bytes content = open(path);
  return detail::metis_reader<Node, Edge>(detail::as_text(content.bytes), path, most_bytes)
      .read(executor);
}

#if HALOGRAPH_COMPILED
// Instantiated in the compiled library (io/impl/widths.ipp).
extern template dataset<std::uint32_t, std::uint32_t>
read_metis_graph<std::uint32_t, std::uint32_t>(const std::string&, const any_file_opener&,
                                               executor_ref, std::uint64_t);
extern template dataset<std::uint64_t, std::uint64_t>
read_metis_graph<std::uint64_t, std::uint64_t>(const std::string&, const any_file_opener&,
                                               executor_ref, std::uint64_t);
#endif

}  // namespace halograph
