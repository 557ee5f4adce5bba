// SPDX-License-Identifier: BSL-1.0
/// @file edge_list.ipp
/// Bodies of the plain functions of io/formats/edge_list.hpp.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/io/formats/edge_list.hpp>
#include <halograph/io/streamed_graph.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/unpacked.hpp>
#include <halograph/serial/text/blocks.hpp>
#include <halograph/serial/text/edges.hpp>
#include <halograph/serial/text/lines.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE std::string stem_of(const std::string& path) {
  const std::filesystem::path file(unpacked_name(path));
  std::filesystem::path name = file.filename();
  if (name.empty()) name = file.parent_path().filename();
  return name.has_extension() && !name.stem().empty() ? name.stem().string() : name.string();
}

HALOGRAPH_INLINE std::optional<tensor> weight_tensor(weight_column column) {
  if (auto* integers = std::get_if<std::vector<std::int64_t>>(&column))
    return tensor::from(std::move(*integers));
  if (auto* floats = std::get_if<std::vector<double>>(&column))
    return tensor::from(std::move(*floats));
  return std::nullopt;
}

HALOGRAPH_INLINE edge_list_pieces::edge_list_pieces(file_bytes content, std::string path,
                                                    const edge_list_options& options,
                                                    executor_ref executor, std::size_t piece_bytes)
    : content_(std::move(content)),
      path_(std::move(path)),
      options_(options),
      index_(index_text(content_.bytes, options.format, executor, piece_bytes)) {
  weighted_ = options.weights == edge_weights::required ||
              (options.weights == edge_weights::detected &&
               first_record_has_third_column(as_text(content_.bytes), options.format));
  // A first pass finds errors, the largest ID, and whether all weights are integers.
  for (std::size_t i = 0; i < index_.places.size(); ++i) {
    const auto& edges = piece(i, true);
    for (const auto* const ids : {&edges.source, &edges.target}) {
      for (const auto v : *ids) nodes_ = std::max(nodes_, v + 1);
    }
    floating_ = floating_ || std::holds_alternative<std::vector<double>>(edges.weight);
  }
  if (options.num_nodes) nodes_ = *options.num_nodes;
}

HALOGRAPH_INLINE void edge_list_pieces::each(
    std::uint64_t begin, std::uint64_t end, bool weights,
    function_ref<void(const edge_text<std::uint64_t>&, std::size_t, std::size_t)> f) {
  while (begin < end) {
    const auto i = static_cast<std::size_t>(&index_.before(begin) - index_.places.data());
    const std::uint64_t first = index_.places[i].record;
    const std::uint64_t last = i + 1 < index_.places.size() ? index_.places[i + 1].record
                                                            : index_.records;
    const auto& edges = piece(i, weights);
    f(edges, static_cast<std::size_t>(begin - first),
      static_cast<std::size_t>(std::min(end, last) - first));
    begin = std::min(end, last);
  }
}

HALOGRAPH_INLINE const edge_text<std::uint64_t>& edge_list_pieces::piece(std::size_t i,
                                                                         bool weights) {
  weights = weights && weighted_;
  if (i == kept_ && (kept_weights_ || !weights)) return edges_;
  kept_ = ~std::size_t{0};
  const text_place& place = index_.places[i];
  // read_edges() passes over the mark that a text may begin with.
  const std::size_t begin = i == 0 ? 0 : static_cast<std::size_t>(place.byte);
  const auto end = i + 1 < index_.places.size()
                       ? static_cast<std::size_t>(index_.places[i + 1].byte)
                       : content_.bytes.size();
  edge_text_options text{.format = options_.format};
  // A third column is an error if the first line has none.
  text.weights = weights                                                    ? edge_weights::required
                 : options_.weights == edge_weights::detected && !weighted_ ? edge_weights::detected
                                                                            : edge_weights::ignored;
  text.source_count = text.target_count = options_.num_nodes.value_or(most_file_ids);
  try {
    edges_ = read_edges<std::uint64_t>(content_.bytes.subspan(begin, end - begin), path_, text);
  } catch (const error& problem) {
    if (!problem.where().line) throw;
    raise(problem.code(), problem.message(),
          {.file = path_, .line = *problem.where().line + place.line - 1, .byte = {}});
  }
  if (!weighted_ && !std::holds_alternative<std::monostate>(edges_.weight)) {
    raise(error_kind::malformed, "column 3 must be in every line or in none, as in the first line",
          {.file = path_,
           .line = place.line - 1 +
                   line_of_record(as_text(content_.bytes).substr(begin), 0, options_.format),
           .byte = {}});
  }
  kept_ = i;
  kept_weights_ = weights;
  return edges_;
}

}  // namespace halograph::detail

namespace halograph {

HALOGRAPH_INLINE streamed_graph stream_edge_list(const std::string& path,
                                                 const edge_list_options& options,
                                                 const any_file_opener& open, executor_ref executor,
                                                 std::size_t piece_bytes) {
  auto pieces = std::make_shared<detail::edge_list_pieces>(open_lines(open, path), path, options,
                                                           executor, piece_bytes);
  streamed_graph out;
  out.name = detail::stem_of(path);
  out.schema = graph_schema::homogeneous();
  out.node_counts = {pieces->nodes()};
  out.edge_counts = {pieces->edges()};
  out.read_edges = [pieces](type_id, std::uint64_t first, std::uint64_t last,
                            const edge_block_visitor& visit) {
    pieces->each(first, last, false,
                 [&](const edge_text<std::uint64_t>& edges, std::size_t begin, std::size_t end) {
                   visit(std::span(edges.source).subspan(begin, end - begin),
                         std::span(edges.target).subspan(begin, end - begin), first);
                   first += end - begin;
                 });
  };
  if (pieces->weighted()) {
    streamed_feature weight{0,  "weight",        pieces->floating() ? dtype::float64 : dtype::int64,
                            {}, pieces->edges(), {}};
    weight.read = [pieces](std::uint64_t first, std::uint64_t last, std::span<std::byte> bytes) {
      pieces->each(
          first, last, true,
          [&](const edge_text<std::uint64_t>& edges, std::size_t begin, std::size_t end) {
            const auto put = [&](const auto& values, auto as) {
              for (std::size_t i = begin; i < end; ++i) {
                const auto value = static_cast<decltype(as)>(values[i]);
                std::memcpy(bytes.data(), &value, sizeof value);
                bytes = bytes.subspan(sizeof value);
              }
            };
            const auto* const integers = std::get_if<std::vector<std::int64_t>>(&edges.weight);
            if (integers != nullptr && !pieces->floating())
              put(*integers, std::int64_t{});
            else if (integers != nullptr)
              put(*integers, double{});
            else
              put(std::get<std::vector<double>>(edges.weight), double{});
          });
    };
    out.edge_features.push_back(std::move(weight));
  }
  return out;
}

}  // namespace halograph
