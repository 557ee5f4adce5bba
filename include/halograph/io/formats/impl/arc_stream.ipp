// SPDX-License-Identifier: BSL-1.0
/// @file arc_stream.ipp
/// Bodies of the plain functions of io/formats/arc_stream.hpp.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/executor.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/io/formats/arc_lines.hpp>
#include <halograph/io/formats/arc_stream.hpp>
#include <halograph/io/streamed_graph.hpp>
#include <halograph/serial/bytes.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/text/edges.hpp>
#include <halograph/serial/text/pieces.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE arc_pieces::arc_pieces(file_bytes content, std::string path,
                                        const arc_lines& lines, std::size_t begin,
                                        arc_weights weights, arc_mirror mirror,
                                        executor_ref executor, std::size_t piece_bytes)
    : content_(std::move(content)),
      path_(std::move(path)),
      lines_(lines),
      weights_(weights),
      mirror_(mirror) {
  const std::string_view text = as_text(content_.bytes);
  require_text_of(lines_, text.size() - begin, shortest_arc(lines_, weights_ != arc_weights::none),
                  path_);
  places_.push_back({begin, lines.first_line, 0, 0});
  while (places_.back().byte < text.size()) {
    const place from = places_.back();
    const std::size_t least = std::min(text.size(),
                                       from.byte + std::max<std::size_t>(piece_bytes, 1));
    const std::size_t end = piece_begin(text, least - 1);
    const std::size_t arcs = parse(from, end, executor);
    const auto lines_in = std::count(text.begin() + static_cast<std::ptrdiff_t>(from.byte),
                                     text.begin() + static_cast<std::ptrdiff_t>(end), '\n');
    kept_ = places_.size() - 1;
    places_.push_back({end, from.line + static_cast<std::uint64_t>(lines_in), from.arc + arcs,
                       from.mirrored + edges_.source.size() - arcs});
  }
  require_announced(lines_, places_.back().arc, path_);
}

HALOGRAPH_INLINE void arc_pieces::each(
    std::uint64_t begin, std::uint64_t end,
    function_ref<void(const edge_text<std::uint64_t>&, std::size_t, std::size_t)> f) {
  while (begin < end) {
    const bool mirrored = begin >= places_.back().arc;
    const std::uint64_t asked = mirrored ? begin - places_.back().arc : begin;
    const auto after = std::upper_bound(places_.begin(), places_.end(), asked,
                                        [&](std::uint64_t record, const place& one) {
                                          return record < (mirrored ? one.mirrored : one.arc);
                                        });
    const auto i = static_cast<std::size_t>(after - places_.begin()) - 1;
    const auto& edges = piece(i);
    const std::uint64_t arcs = places_[i + 1].arc - places_[i].arc,
                        at = mirrored ? asked - places_[i].mirrored + arcs : asked - places_[i].arc,
                        last = std::min(mirrored ? edges.source.size() : arcs, at + (end - begin));
    f(edges, static_cast<std::size_t>(at), static_cast<std::size_t>(last));
    begin += last - at;
  }
}

HALOGRAPH_INLINE std::size_t arc_pieces::parse(const place& from, std::size_t end,
                                               executor_ref executor) {
  const std::string_view text = as_text(content_.bytes.subspan(from.byte, end - from.byte));
  arc_lines lines = lines_;
  lines.first_line = from.line;
  edges_ = weights_ == arc_weights::none
               ? parse_arcs<void, std::uint64_t>(text, lines, path_, executor)
           : weights_ == arc_weights::integers
               ? parse_arcs<std::int64_t, std::uint64_t>(text, lines, path_, executor)
               : parse_arcs<double, std::uint64_t>(text, lines, path_, executor);
  const std::size_t arcs = edges_.source.size();
  if (mirror_ != arc_mirror::none) mirror_entries(edges_, mirror_ == arc_mirror::negated);
  return arcs;
}

HALOGRAPH_INLINE const edge_text<std::uint64_t>& arc_pieces::piece(std::size_t i) {
  if (i != kept_) {
    kept_ = ~std::size_t{0};
    static_cast<void>(parse(places_[i], places_[i + 1].byte));
    kept_ = i;
  }
  return edges_;
}

HALOGRAPH_INLINE void stream_arcs(streamed_graph& out, file_bytes content, const std::string& path,
                                  const arc_lines& lines, std::size_t begin, arc_weights weights,
                                  arc_mirror mirror, executor_ref executor,
                                  std::size_t piece_bytes) {
  const auto pieces = std::make_shared<arc_pieces>(std::move(content), path, lines, begin, weights,
                                                   mirror, executor, piece_bytes);
  out.edge_counts = {pieces->edges()};
  out.read_edges = [pieces](type_id, std::uint64_t first, std::uint64_t last,
                            const edge_block_visitor& visit) {
    pieces->each(first, last,
                 [&](const edge_text<std::uint64_t>& edges, std::size_t from, std::size_t to) {
                   visit(std::span(edges.source).subspan(from, to - from),
                         std::span(edges.target).subspan(from, to - from), first);
                   first += to - from;
                 });
  };
  if (weights == arc_weights::none) return;
  streamed_feature weight{
      0,  "weight",        weights == arc_weights::integers ? dtype::int64 : dtype::float64,
      {}, pieces->edges(), {}};
  weight.read = [pieces](std::uint64_t first, std::uint64_t last, std::span<std::byte> bytes) {
    pieces->each(
        first, last, [&](const edge_text<std::uint64_t>& edges, std::size_t from, std::size_t to) {
          std::visit(
              [&](const auto& values) {
                if constexpr (!std::is_same_v<std::decay_t<decltype(values)>, std::monostate>) {
                  const auto some = std::as_bytes(std::span(values).subspan(from, to - from));
                  if (!some.empty()) std::memcpy(bytes.data(), some.data(), some.size());
                  bytes = bytes.subspan(some.size());
                }
              },
              edges.weight);
        });
  };
  out.edge_features.push_back(std::move(weight));
}

}  // namespace halograph::detail
