// SPDX-License-Identifier: BSL-1.0
/// @file mag.hpp
/// A graph of MAG240M's schema, sizes and shape of degrees, at any scale, made from a seed.
/// Layer: graph (no allocation, no exceptions). Words: README.md.
///
/// | nodes at scale 1 | | edges at scale 1 | |
/// | --- | --- | --- | --- |
/// | paper | 121751666 | author:affiliated_with:institution | 44592586 |
/// | author | 122383112 | author:writes:paper | 386022720 |
/// | institution | 25721 | paper:cites:paper | 1297748926 |
///
/// Degrees are heavy-tailed on both sides: sources are weighted by powers of two, three in ten
/// papers cite nothing and six in ten authors have no affiliation, and the j-th most popular
/// target is drawn with a density of j^-1/2. Three in four targets lie in the field of their
/// source, 2^14 nodes of neighboring IDs, so that the graph can be cut. Sources ascend with the
/// edge, as they do in the data set; of writes it is the paper that ascends.
/// @source sizes: Hu et al., "OGB-LSC: A Large-Scale Challenge for Machine Learning on Graphs",
///     2021, table 1
#pragma once

#include <halograph/core/ids.hpp>
#include <halograph/core/random.hpp>
#include <halograph/core/status.hpp>
#include <halograph/graph/generators.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace halograph::generators {

/// The node types and relations of the MAG240M data set, at any scale; ends are drawn at random.
class mag {
 public:
  /// @{
  /// Numbers of the types.
  enum node_type : type_id { paper, author, institution };
  enum relation : type_id { affiliated_with, writes, cites };
  /// @}
  /// @{
  /// Names by number.
  static constexpr std::array<std::string_view, 3> node_types{"paper", "author", "institution"};
  static constexpr std::array<std::string_view, 3> relations{"affiliated_with", "writes", "cites"};
  /// @}
  /// @{
  /// [R] node type at one end of each relation.
  static constexpr std::array<type_id, 3> source_types{author, author, paper};
  static constexpr std::array<type_id, 3> target_types{institution, paper, paper};
  /// @}
  /// Of the data set, by node type.
  static constexpr std::array<std::uint64_t, 3> full_nodes{121'751'666, 122'383'112, 25'721};
  /// Of the data set, by relation.
  static constexpr std::array<std::uint64_t, 3> full_edges{44'592'586, 386'022'720, 1'297'748'926};

  /// The scale is a fraction, so that counts are the same everywhere.
  struct options {
    /// @{
    /// The scale: 1 / 1 is the size of the data set.
    std::uint64_t numerator = 1;
    std::uint64_t denominator = 1;
    /// @}
    std::uint64_t seed = 0;  ///< equal seeds give equal graphs
  };

  /// Counts are scaled and rounded down, each at least 1, edges at least 2.
  constexpr explicit mag(const options& wanted) : seed_(wanted.seed) {
    for (std::size_t t = 0; t < 3; ++t) {
      nodes_[t] = scaled(full_nodes[t], wanted, 1);
      edges_[t] = scaled(full_edges[t], wanted, 2);
    }
  }

  /// @{
  /// Of one type, after scaling.
  constexpr std::uint64_t num_nodes(node_type t) const noexcept { return nodes_[t]; }
  constexpr std::uint64_t num_edges(relation r) const noexcept { return edges_[r]; }
  /// @}
  /// ok; invalid_argument: a scale of 0; overflow: 2^36 edges of a type, which is 53 times the data
  /// set
  constexpr status validate() const noexcept { return answer_; }

  /// The ends of edges first, first + 1, ... of r, in typed IDs. @pre validate(); they exist; the
  /// columns are equally long
  /// @complexity O(edges), and 1024 steps for each run of about 1000 sources that is touched
  constexpr void fill(relation r, std::uint64_t first, std::span<std::uint64_t> source,
                      std::span<std::uint64_t> target) const noexcept {
    // Edges are dealt to blocks of papers (writes, cites) or authors evenly, and within a block by
    // weight.
    const std::uint64_t along = r == affiliated_with ? nodes_[author] : nodes_[paper];
    const std::uint64_t blocks = (along + block - 1) / block, edges = edges_[r],
                        seed = mix(seed_ + r + 1);
    std::uint64_t b = first < edges ? first * blocks / edges : 0;
    while (begin_of(b + 1, edges, blocks) <= first && b + 1 < blocks) ++b;
    for (std::size_t i = 0; i < source.size() && b < blocks; ++b) {
      const std::uint64_t begin = begin_of(b, edges, blocks), end = begin_of(b + 1, edges, blocks);
      const std::uint64_t at = first + i, base = b * block;
      const auto some = static_cast<std::size_t>(
          std::min<std::uint64_t>(end > at ? end - at : 0, source.size() - i));
      deal(r, seed, base, std::min<std::uint64_t>(block, along - base), end - begin, at - begin,
           source.subspan(i, some), target.subspan(i, some));
      // Then the other ends, drawn edge by edge.
      for (std::size_t k = i; k < i + some; ++k) draw(r, seed, first + k, source[k], target[k]);
      i += some;
    }
  }

  /// Edge i of r. @pre i < num_edges(r)
  constexpr ends edge(relation r, std::uint64_t i) const noexcept {
    ends out;
    fill(r, i, std::span(&out.source, 1), std::span(&out.target, 1));
    return out;
  }

 private:
  static constexpr std::uint64_t block = 1024;
  static constexpr std::uint64_t field = std::uint64_t{1} << 14;

  constexpr std::uint64_t scaled(std::uint64_t full, const options& wanted,
                                 std::uint64_t least) noexcept {
    if (wanted.numerator == 0 || wanted.denominator == 0) {
      answer_ = status::invalid_argument;
      return least;
    }
    if (wanted.numerator > ~std::uint64_t{0} / full) {
      answer_ = status::overflow;
      return least;
    }
    const std::uint64_t count = full * wanted.numerator / wanted.denominator;
    if (count >= std::uint64_t{1} << 36)
      answer_ = status::overflow;  // below it, edges x blocks fit 64 bits
    return std::max(count, least);
  }
  static constexpr std::uint64_t begin_of(std::uint64_t b, std::uint64_t edges,
                                          std::uint64_t blocks) noexcept {
    return edges / blocks * b + edges % blocks * b / blocks;
  }
  static constexpr std::uint64_t square(std::uint64_t u) noexcept { return multiply_high(u, u); }

  /// Edges [at, at + n) of a block's `edges`, to its nodes by their weights, ascending.
  constexpr void deal(relation r, std::uint64_t seed, std::uint64_t base, std::uint64_t nodes,
                      std::uint64_t edges, std::uint64_t at, std::span<std::uint64_t> source,
                      std::span<std::uint64_t> target) const noexcept {
    if (source.empty()) return;
    std::array<std::uint32_t, block + 1> sum{};
    for (std::size_t v = 0; v < nodes; ++v) {
      const std::uint64_t draw = mix(seed ^ mix(base + v));
      const auto tail = static_cast<unsigned>(std::countr_zero(draw | std::uint64_t{1} << 8));
      // Of 256: how many have no edge at all.
      const std::uint64_t none = r == cites ? 77 : r == affiliated_with ? 154 : 0;
      const std::uint32_t weight = draw >> 56 < none      ? 0
                                   : r == affiliated_with ? 1 + tail / 4
                                                          : std::uint32_t{1} << tail;
      sum[v + 1] = sum[v] + weight;
    }
    if (sum[static_cast<std::size_t>(nodes)] == 0) {
      for (std::size_t v = 0; v < nodes; ++v) sum[v + 1] = static_cast<std::uint32_t>(v + 1);
    }
    // Edge k belongs to the weight k * all / edges; the quotient is carried along.
    const std::uint64_t all = sum[static_cast<std::size_t>(nodes)], step = all / edges,
                        part = all % edges;
    std::uint64_t place = at * all / edges, rest = at * all % edges;
    std::size_t v = 0;
    const std::span<std::uint64_t> out = r == writes ? target : source;
    for (std::uint64_t& one : out) {
      while (sum[v + 1] <= place) ++v;
      one = base + v;
      place += step;
      rest += part;
      if (rest >= edges) {
        rest -= edges;
        ++place;
      }
    }
  }

  /// The popular end of edge i, whose other end is there.
  constexpr void draw(relation r, std::uint64_t seed, std::uint64_t i, std::uint64_t& source,
                      std::uint64_t& target) const noexcept {
    random_stream stream(mix(seed + 0x9E3779B97F4A7C15ull) ^ (i * 0xD1342543DE82EF95ull));
    const std::uint64_t choice = stream.next(), popularity = stream.next();
    const bool near = (choice & 3) != 0;
    if (r == affiliated_with) {
      // Authors of one field share a few institutions; the others go where all go.
      const std::uint64_t home = mix(seed ^ (source / field)) + multiply_high(choice, 4);
      target = near ? multiply_high(mix(home), nodes_[institution])
                    : multiply_high(square(popularity), nodes_[institution]);
      return;
    }
    const type_id t = r == writes ? author : paper;
    const std::uint64_t count = nodes_[t], fields = (count + field - 1) / field;
    const std::uint64_t from = r == writes ? target : source;
    const std::uint64_t other = r == writes ? scaled_place(from, count) : from;
    const std::uint64_t f = near ? other / field : multiply_high(square(choice), fields);
    const std::uint64_t begin = f * field, size = std::min(field, count - begin);
    // The most popular of a field are not those with the smallest IDs.
    std::uint64_t place = multiply_high(square(popularity), size) +
                          (mix(seed ^ ~f) & (field - 1)) % size;
    if (place >= size) place -= size;
    std::uint64_t drawn = begin + place;
    if (r == cites && drawn == from) drawn = drawn + 1 < count ? drawn + 1 : 0;
    (r == writes ? source : target) = drawn;
  }
  /// The author at the place, among all, that a paper has among papers.
  constexpr std::uint64_t scaled_place(std::uint64_t of_paper,
                                       std::uint64_t authors) const noexcept {
    // Both are below 2^36: 24 bits of the fraction are enough to find the field.
    const std::uint64_t fraction = (of_paper << 24) / nodes_[paper];
    return std::min(authors - 1,
                    (authors >> 24) * fraction + ((authors & 0xFFFFFF) * fraction >> 24));
  }

  std::uint64_t seed_;
  status answer_ = status::ok;
  std::array<std::uint64_t, 3> nodes_{};
  std::array<std::uint64_t, 3> edges_{};
};

}  // namespace halograph::generators
