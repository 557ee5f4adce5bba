// SPDX-License-Identifier: BSL-1.0
/// @file compressed.hpp
/// A graph's rows in a few bits for each edge, decoded while they are visited.
/// Layer: graph (allocates its result; raises where it is made). Words: README.md.
///
/// A row's neighbors ascend, so that each is stored as its distance to the one before: neighbors
/// that follow each other, as in web graphs, take two bits, others two bits and as many bytes as
/// the distance needs, of four widths that suit the graph.
///
/// | part of it | bytes |
/// | --- | --- |
/// | where a row starts | 8: its first byte and its first edge, counted from those of its piece |
/// | a row | 2 bits for each neighbor, in whole bytes; then the distances |
/// | a piece of 4,096 rows | 24: its first byte and first edge, and the end of its last row |
///
/// A distance is what the neighbor exceeds the one before by, less 1; the first of a row is the
/// difference to the row's own number, its sign in the lowest bit. The four widths, such as 0, 1, 2
/// and 4, are those for which the distances take fewest bytes. This is a form for memory, not for
/// files.
///
/// @source Boldi & Vigna, "The WebGraph framework I: compression techniques", WWW 2004 (gaps and
///     intervals); Dean, "Challenges in building large-scale information retrieval systems", WSDM
///     2009 (groups of four)
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/large_pages.hpp>
#include <halograph/core/status.hpp>
#include <halograph/graph/concepts.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace halograph {

namespace detail {

/// Where a row starts, counted from its piece.
struct compressed_row {
  std::uint32_t byte, edge;
};
/// Where a piece of rows starts.
struct compressed_piece {
  static constexpr std::size_t rows = 4096;

  std::uint64_t byte = 0, edge = 0;
};

/// Bytes of the numbers of a row: four widths, and what each byte of four two-bit codes means.
class number_widths {
 public:
  /// @param widths  ascending
  explicit constexpr number_widths(std::array<std::uint8_t, 4> widths = {0, 1, 2, 4}) noexcept
      : widths_(widths) {
    for (std::size_t code = 0; code < 4; ++code)
      masks_[code] = widths[code] == 0 ? 0 : ~std::uint64_t{0} >> (64 - 8 * widths[code]);
    for (std::size_t codes = 0; codes < groups_.size(); ++codes) {
      std::size_t end = 0;
      for (std::size_t i = 0; i < 4; ++i) {
        end += widths[codes >> (2 * i) & 3];
        groups_[codes][i] = static_cast<std::uint8_t>(end);
      }
    }
  }
  /// Those for which all numbers together are smallest. @param counts  [9] numbers of each width
  static constexpr number_widths best_of(const std::array<std::uint64_t, 9>& counts) noexcept {
    std::uint8_t widest = 8;
    while (widest > 3 && counts[widest] == 0) --widest;
    std::array<std::uint8_t, 4> best{0, 1, 2, widest};
    std::uint64_t fewest = ~std::uint64_t{0};
    for (std::uint8_t a = 0; a + 2 < widest; ++a) {
      for (auto b = static_cast<std::uint8_t>(a + 1); b + 1 < widest; ++b) {
        for (auto c = static_cast<std::uint8_t>(b + 1); c < widest; ++c) {
          std::uint64_t sum = 0;
          for (std::size_t w = 0; w <= widest; ++w)
            sum += counts[w] * (w <= a ? a : w <= b ? b : w <= c ? c : widest);
          if (sum >= fewest) continue;
          fewest = sum;
          best = {a, b, c, widest};
        }
      }
    }
    return number_widths(best);
  }
  /// The code of the narrowest width that holds the number.
  constexpr unsigned code_of(std::uint64_t number) const noexcept {
    unsigned code = 0;
    while (code < 3 && (number & ~masks_[code]) != 0) ++code;
    return code;
  }
  constexpr std::size_t width(unsigned code) const noexcept { return widths_[code]; }
  constexpr std::uint64_t mask(unsigned code) const noexcept { return masks_[code]; }
  /// Where each of four numbers ends.
  constexpr const std::array<std::uint8_t, 4>& ends(std::uint8_t codes) const noexcept {
    return groups_[codes];
  }

 private:
  std::array<std::uint8_t, 4> widths_;
  std::array<std::uint64_t, 4> masks_{};
  std::array<std::array<std::uint8_t, 4>, 256> groups_{};
};

/// A number of as many bytes as Word, the lowest first: one load where compilers see it.
template <std::unsigned_integral Word>
constexpr Word load_low_first(const std::uint8_t* at) noexcept {
  Word out = 0;
  for (std::size_t i = 0; i < sizeof(Word); ++i)
    out = static_cast<Word>(out | static_cast<Word>(Word{at[i]} << (8 * i)));
  return out;
}

/// Compressed rows of neighbors. The classes below give the rows their meaning.
template <id Node>
class compressed_storage {
  // What distances are counted in: they wrap around.
  using word = std::conditional_t<(sizeof(Node) <= 4), std::uint32_t, std::uint64_t>;

 public:
  using node_id = Node;           ///< see graph_traits
  using edge_id = std::uint64_t;  ///< see graph_traits

  std::size_t num_nodes() const noexcept { return nodes_; }
  std::size_t num_edges() const noexcept { return edges_; }
  static constexpr bool edge_id_is_position() noexcept { return true; }
  /// Neighbors of a row, each as often as it is listed. @complexity O(1)
  template <id AnyNode>
  std::size_t degree(AnyNode row) const noexcept {
    return find(index(row)).degree;
  }
  /// Edges in the rows before one: its first edge ID. @pre row <= V  @complexity O(1)
  std::size_t row_begin(std::size_t row) const noexcept {
    return row == nodes_ ? edges_ : static_cast<std::size_t>(find(row).edge);
  }
  /// What the rows take in memory, without the object itself.
  std::size_t memory_bytes() const noexcept {
    return rows_.size() * sizeof(compressed_row) + pieces_.size() * sizeof(compressed_piece) +
           bytes_.size();
  }

  /// Decodes a row a few neighbors at a time, ascending. The rows must outlive it.
  class row_reader {
   public:
    row_reader() = default;  ///< of a row without neighbors
    /// @param out  its size is a multiple of 4; what lies behind the neighbors is overwritten, too
    /// @return how many neighbors there are in it; 0: the row has ended
    std::size_t next(std::span<Node> out) noexcept {
      const std::size_t count = std::min(left_, out.size());
      word neighbor = before_;
      Node* to = out.data();
      for (std::size_t i = 0; i < count; i += 4, to += 4, ++codes_) {
        const unsigned code = *codes_;
        const auto& ends = rows_->widths_.ends(*codes_);
        const auto a = static_cast<word>(neighbor + 1 + rows_->number(at_, code & 3)),
                   b = static_cast<word>(a + 1 + rows_->number(at_ + ends[0], code >> 2 & 3)),
                   c = static_cast<word>(b + 1 + rows_->number(at_ + ends[1], code >> 4 & 3));
        neighbor = static_cast<word>(c + 1 + rows_->number(at_ + ends[2], code >> 6));
        at_ += ends[3];
        to[0] = static_cast<Node>(a);
        to[1] = static_cast<Node>(b);
        to[2] = static_cast<Node>(c);
        to[3] = static_cast<Node>(neighbor);
      }
      before_ = neighbor;
      left_ -= count;
      return count;
    }

   private:
    friend compressed_storage;
    const compressed_storage* rows_ = nullptr;
    const std::uint8_t *codes_ = nullptr, *at_ = nullptr;
    std::size_t left_ = 0;
    word before_ = 0;
  };
  /// @pre row < V
  row_reader read_row(std::size_t row) const noexcept {
    const row_place place = find(row);
    row_reader out;
    if (place.degree == 0) return out;
    out.rows_ = this;
    out.codes_ = place.at;
    out.at_ = place.at + (place.degree + 3) / 4;
    out.left_ = place.degree;
    out.before_ = before_first(row, out.at_, *out.codes_);
    return out;
  }

 protected:
  compressed_storage() = default;
  /// @param visit  visit(row, f) calls f(neighbor) for each neighbor of a row, in any order; by
  ///     several threads, and twice for each row with the same result
  /// @errors raises out_of_range, overflow, mismatch
  template <class Visit, executor Executor>
  compressed_storage(std::size_t nodes, const Visit& visit, const Executor& run) : nodes_(nodes) {
    if (nodes > id_capacity<Node>()) {
      raise(error_kind::overflow, "the graph has " + std::to_string(nodes) + " nodes, more than " +
                                      std::to_string(8 * sizeof(Node)) +
                                      "-bit IDs can number; use wider ones");
    }
    const std::size_t pieces = (nodes + compressed_piece::rows - 1) / compressed_piece::rows;
    std::vector<made_piece> made(pieces);
    const auto each_piece = [&](const auto& work) {
      run.parallel_for(0, pieces, 1, [&](std::size_t first, std::size_t last) {
        std::vector<word> row;
        for (std::size_t i = first; i < last; ++i) work(i, row);
      });
    };
    each_piece([&](std::size_t i, std::vector<word>& row) { count(i, visit, row, made[i]); });
    std::array<std::uint64_t, 9> counts{};
    for (const made_piece& one : made) {
      if (one.problem_row != none) {
        raise(error_kind::out_of_range, "node " + std::to_string(one.problem_row) +
                                            " has a neighbor outside the " + std::to_string(nodes) +
                                            " nodes of the graph; IDs must be 0 to " +
                                            std::to_string(nodes - 1));
      }
      for (std::size_t w = 0; w < counts.size(); ++w) counts[w] += one.counts[w];
    }
    widths_ = number_widths::best_of(counts);
    for (unsigned code = 0; code < 4; ++code) masks_[code] = static_cast<word>(widths_.mask(code));
    rows_.resize(nodes + pieces);
    each_piece([&](std::size_t i, std::vector<word>& row) { encode(i, visit, row, made[i]); });
    pieces_.resize(pieces);
    std::uint64_t size = 0, edges = 0;
    for (std::size_t i = 0; i < pieces; ++i) {
      if (made[i].edges != made[i].edges_again) {
        raise(error_kind::mismatch,
              "the graph lists other edges when it is visited again; it must list the same each "
              "time");
      }
      constexpr std::uint64_t most = ~std::uint32_t{0};
      if (made[i].bytes.size() > most || made[i].edges > most) {
        raise(error_kind::overflow,
              "the " + std::to_string(compressed_piece::rows) + " nodes from " +
                  std::to_string(i * compressed_piece::rows) + " on have more than " +
                  std::to_string(most) + " edges or bytes of compressed rows");
      }
      pieces_[i] = {size, edges};
      size += made[i].bytes.size();
      edges += made[i].edges;
    }
    edges_ = static_cast<std::size_t>(edges);
    bytes_.resize(static_cast<std::size_t>(size) + padding);
    each_piece([&](std::size_t i, std::vector<word>&) {
      std::copy(made[i].bytes.begin(), made[i].bytes.end(),
                bytes_.begin() + static_cast<std::ptrdiff_t>(pieces_[i].byte));
      made[i].bytes = std::vector<std::uint8_t>();
    });
    for (std::size_t b = 0; b < padding; ++b) bytes_[static_cast<std::size_t>(size) + b] = 0;
  }

  /// f(neighbor, edge ID) for each entry of a row, ascending. @pre row < V
  template <class F>
  void for_each_in_row(std::size_t row, F&& f) const {
    visit_row(row, find(row), f);
  }

 private:
  // What four numbers behind the last may be read beyond.
  static constexpr std::size_t padding = 4 * sizeof(word);
  static constexpr std::size_t none = ~std::size_t{0};

  struct row_place {
    const std::uint8_t* at;
    std::size_t degree;
    std::uint64_t edge;
  };
  /// What is made of some rows before the sizes of all are known.
  struct made_piece {
    std::array<std::uint64_t, 9> counts{};
    std::vector<std::uint8_t> bytes{};
    std::uint64_t edges = 0, edges_again = 0;
    std::size_t problem_row = none;
  };

  static constexpr word sign_last(word difference) noexcept {
    return static_cast<word>(difference << 1 ^ (0 - (difference >> (8 * sizeof(word) - 1))));
  }
  static constexpr word sign_first(word number) noexcept {
    return static_cast<word>(number >> 1 ^ (0 - (number & 1)));
  }
  /// f(number) for each of a row, from its ascending neighbors.
  template <class F>
  static void for_each_number(std::size_t row, const std::vector<word>& neighbors, F&& f) {
    word before = 0;
    for (std::size_t i = 0; i < neighbors.size(); ++i) {
      f(i == 0 ? sign_last(static_cast<word>(neighbors[0] - static_cast<word>(row)))
               : static_cast<word>(neighbors[i] - before - 1));
      before = neighbors[i];
    }
  }
  /// @param f  f(row, its ascending neighbors)
  template <class Visit, class F>
  void for_each_row(std::size_t i, const Visit& visit, std::vector<word>& neighbors,
                    std::size_t& problem, F&& f) const {
    const std::size_t end = std::min(nodes_, (i + 1) * compressed_piece::rows);
    for (std::size_t row = i * compressed_piece::rows; row < end; ++row) {
      neighbors.clear();
      visit(row, [&](auto v) {
        if (index(v) >= nodes_)
          problem = std::min(problem, row);
        else
          neighbors.push_back(static_cast<word>(index(v)));
      });
      if (!std::is_sorted(neighbors.begin(), neighbors.end()))
        std::sort(neighbors.begin(), neighbors.end());
      f(row, neighbors);
    }
  }
  template <class Visit>
  void count(std::size_t i, const Visit& visit, std::vector<word>& neighbors,
             made_piece& out) const {
    for_each_row(i, visit, neighbors, out.problem_row, [&](std::size_t row, const auto& all) {
      out.edges += all.size();
      for_each_number(row, all, [&](word number) {
        std::size_t width = 0;
        for (std::uint64_t rest = number; rest != 0; rest >>= 8) ++width;
        ++out.counts[width];
      });
    });
  }
  template <class Visit>
  void encode(std::size_t i, const Visit& visit, std::vector<word>& neighbors, made_piece& out) {
    std::vector<std::uint8_t>& to = out.bytes;
    const auto put = [&](std::uint64_t number, std::size_t width) {
      for (std::size_t b = 0; b < width; ++b)
        to.push_back(static_cast<std::uint8_t>(number >> (8 * b)));
    };
    for_each_row(i, visit, neighbors, out.problem_row, [&](std::size_t row, const auto& all) {
      rows_[row + i] = {static_cast<std::uint32_t>(to.size()),
                        static_cast<std::uint32_t>(out.edges_again)};
      out.edges_again += all.size();
      std::size_t codes = to.size(), k = 0;
      to.resize(to.size() + (all.size() + 3) / 4);
      for_each_number(row, all, [&](word number) {
        const unsigned code = widths_.code_of(number);
        to[codes + k / 4] = static_cast<std::uint8_t>(to[codes + k / 4] | code << (2 * (k % 4)));
        ++k;
        put(number, widths_.width(code));
      });
    });
    rows_[std::min(nodes_, (i + 1) * compressed_piece::rows) + i] = {
        static_cast<std::uint32_t>(to.size()), static_cast<std::uint32_t>(out.edges_again)};
  }

  row_place find(std::size_t row) const noexcept {
    const compressed_piece& piece = pieces_[row / compressed_piece::rows];
    const compressed_row* const at = &rows_[row + row / compressed_piece::rows];
    return {bytes_.data() + piece.byte + at->byte, std::size_t{at[1].edge} - at->edge,
            piece.edge + at->edge};
  }
  word number(const std::uint8_t* from, unsigned code) const noexcept {
    return static_cast<word>(load_low_first<word>(from) & masks_[code]);
  }
  /// The neighbor that the first number of a row is a distance from, as others are from the one
  /// before: a distance of 0 follows it, but the first is counted from the row.
  word before_first(std::size_t row, const std::uint8_t* at, unsigned codes) const noexcept {
    const word first = number(at, codes & 3u);
    return static_cast<word>(static_cast<word>(row) + sign_first(first) - first - 1);
  }
  template <class F>
  void visit_row(std::size_t row, row_place place, F&& f) const {
    if (place.degree == 0) return;
    const std::uint8_t* codes = place.at;
    const std::uint8_t* at = codes + (place.degree + 3) / 4;
    word neighbor = before_first(row, at, *codes);
    std::uint64_t edge = place.edge;
    const std::uint8_t* const last = codes + place.degree / 4;
    for (; codes != last; ++codes, edge += 4) {
      const unsigned code = *codes;
      const auto& ends = widths_.ends(*codes);
      if (ends[3] == 0) {  // four that follow each other
        f(static_cast<Node>(neighbor + 1), edge);
        f(static_cast<Node>(neighbor + 2), edge + 1);
        f(static_cast<Node>(neighbor + 3), edge + 2);
        f(static_cast<Node>(neighbor + 4), edge + 3);
        neighbor += 4;
        continue;
      }
      const auto a = static_cast<word>(neighbor + 1 + number(at, code & 3)),
                 b = static_cast<word>(a + 1 + number(at + ends[0], code >> 2 & 3)),
                 c = static_cast<word>(b + 1 + number(at + ends[1], code >> 4 & 3));
      neighbor = static_cast<word>(c + 1 + number(at + ends[2], code >> 6));
      at += ends[3];
      f(static_cast<Node>(a), edge);
      f(static_cast<Node>(b), edge + 1);
      f(static_cast<Node>(c), edge + 2);
      f(static_cast<Node>(neighbor), edge + 3);
    }
    if (place.degree % 4 == 0) return;
    const unsigned code = *codes;
    const auto& ends = widths_.ends(*codes);
    neighbor = static_cast<word>(neighbor + 1 + number(at, code & 3));
    f(static_cast<Node>(neighbor), edge);
    if (place.degree % 4 == 1) return;
    neighbor = static_cast<word>(neighbor + 1 + number(at + ends[0], code >> 2 & 3));
    f(static_cast<Node>(neighbor), edge + 1);
    if (place.degree % 4 == 2) return;
    neighbor = static_cast<word>(neighbor + 1 + number(at + ends[1], code >> 4 & 3));
    f(static_cast<Node>(neighbor), edge + 2);
  }

  uninitialized_vector<compressed_row> rows_{};  // [V + pieces], with the end of each piece's last
  std::vector<compressed_piece> pieces_{};
  uninitialized_vector<std::uint8_t> bytes_{};
  number_widths widths_{};
  std::array<word, 4> masks_{};  // of widths_
  std::size_t nodes_ = 0;
  std::size_t edges_ = 0;
};

}  // namespace detail

/// Rows are sources: the out-neighbors of each node, compressed. Rows ascend, and edges are
/// numbered by position in them; an edge that is listed twice stays so.
///
/// Takes a third of csr_view's bytes on web graphs, half to 0.6 on social ones; visiting takes 1.4
/// to 2.5 times as long, see bench/README.md. Any number of threads may visit it at the same time.
template <id Node = std::uint32_t>
class compressed_csr : public detail::compressed_storage<Node> {
 public:
  compressed_csr() = default;  ///< without nodes
  /// Compress the rows of any graph that has them by source.
  /// @param run  executor; the result is the same for any
  /// @errors raises overflow: Node cannot number the nodes, or 4,096 rows have 2^32 edges or bytes;
  ///     out_of_range: a neighbor is not a node; mismatch: the graph lists other edges in the
  ///     second visit
  /// @complexity O(V + E), where a row does not ascend O(d log d) for its d neighbors; visits the
  ///     rows twice; memory: twice that of the result while it is made
  template <out_adjacency Graph, executor Executor = sequential>
  explicit compressed_csr(const Graph& g, const Executor& run = {})
      : detail::compressed_storage<Node>(
            halograph::num_nodes(g),
            [&g](std::size_t row, auto&& f) {
              halograph::for_each_out_edge(g, static_cast<node_id_t<Graph>>(row),
                                           [&](auto v, auto) { f(v); });
            },
            run) {}
  /// f(target, edge ID) for every edge out of u, ascending. @pre u < num_nodes()
  template <id AnyNode, class F>
  void for_each_out_edge(AnyNode u, F&& f) const {
    this->for_each_in_row(index(u), f);
  }
  /// f(source, target, edge ID) for every edge, IDs ascending.
  template <class F>
  void for_each_edge(F&& f) const {
    for (std::size_t u = 0; u < this->num_nodes(); ++u)
      this->for_each_in_row(u, [&](Node v, std::uint64_t e) { f(static_cast<Node>(u), v, e); });
  }
};

/// Rows are targets: the in-neighbors of each node. Otherwise as compressed_csr.
template <id Node = std::uint32_t>
class compressed_csc : public detail::compressed_storage<Node> {
 public:
  compressed_csc() = default;  ///< without nodes
  /// As that of compressed_csr, from a graph that has rows by target.
  template <in_adjacency Graph, executor Executor = sequential>
  explicit compressed_csc(const Graph& g, const Executor& run = {})
      : detail::compressed_storage<Node>(
            halograph::num_nodes(g),
            [&g](std::size_t row, auto&& f) {
              halograph::for_each_in_edge(g, static_cast<node_id_t<Graph>>(row),
                                          [&](auto u, auto) { f(u); });
            },
            run) {}
  /// f(source, edge ID) for every edge into v, ascending. @pre v < num_nodes()
  template <id AnyNode, class F>
  void for_each_in_edge(AnyNode v, F&& f) const {
    this->for_each_in_row(index(v), f);
  }
  /// f(source, target, edge ID) for every edge, IDs ascending.
  template <class F>
  void for_each_edge(F&& f) const {
    for (std::size_t v = 0; v < this->num_nodes(); ++v)
      this->for_each_in_row(v, [&](Node u, std::uint64_t e) { f(u, static_cast<Node>(v), e); });
  }
};

}  // namespace halograph
