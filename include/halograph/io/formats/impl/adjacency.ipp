// SPDX-License-Identifier: BSL-1.0
/// @file adjacency.ipp
/// Bodies of the plain functions of io/formats/adjacency.hpp.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/io/dataset.hpp>
#include <halograph/io/formats/adjacency.hpp>
#include <halograph/io/formats/edge_list.hpp>
#include <halograph/io/streamed_graph.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/text/cursor.hpp>
#include <halograph/serial/text/pieces.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE adjacency_text::adjacency_text(std::string_view text, const std::string& file)
    : file_(file), cursor_(text.data(), text.data() + text.size(), {.delimiter = ' '}) {
  std::string_view word = text.substr(0, text.find_first_of(" \t\r\n"));
  weighted_ = word == "WeightedAdjacencyGraph";
  if (!weighted_ && word != "AdjacencyGraph")
    fail(error_kind::malformed,
         "the file must begin with AdjacencyGraph or WeightedAdjacencyGraph");
  for (std::size_t i = 0; i < word.size(); ++i) cursor_.pass();
  nodes_ = number("the number of nodes", most_file_ids);
  edges_ = number("the number of edges", most_file_ids);
  // Every number takes a digit and what separates it from the next.
  const auto left = static_cast<std::uint64_t>(cursor_.end() - cursor_.at()) / 2;
  if (nodes_ > left || edges_ > (left - nodes_) / (weighted_ ? 2 : 1)) {
    fail(error_kind::truncated, std::to_string(nodes_) + " nodes and " + std::to_string(edges_) +
                                    " edges are announced, but the file is too short for as many");
  }
}

HALOGRAPH_INLINE void adjacency_text::fail(error_kind code, std::string sentence) const {
  raise(code, std::move(sentence), {.file = file_, .line = line_});
}

HALOGRAPH_INLINE bool adjacency_text::next() {
  for (;;) {
    cursor_.skip_blanks();
    if (cursor_.done()) return false;
    if (!cursor_.at_line_end()) return true;
    cursor_.next_line();
    ++line_;
  }
}

HALOGRAPH_INLINE std::uint64_t adjacency_text::number(const char* what, std::uint64_t limit) {
  if (!next())
    fail(error_kind::truncated, std::string("the file ends where ") + what + " is expected");
  std::uint64_t value = 0;
  const auto fault = cursor_.unsigned_number(value);
  if (fault != text_fault::none || value >= limit) {
    fail(fault == text_fault::none || fault == text_fault::negative ? error_kind::out_of_range
         : fault == text_fault::overflow                            ? error_kind::overflow
                                                                    : error_kind::malformed,
         column_at(
             fault == text_fault::none ? cursor_.at() - std::to_string(value).size() : cursor_.at(),
             cursor_.end(), {.delimiter = ' '}) +
             " is found where " + what + " is expected, an integer below " + std::to_string(limit));
  }
  return value;
}

HALOGRAPH_INLINE std::uint64_t adjacency_text::offset(std::uint64_t v, std::uint64_t before) {
  const std::uint64_t end = v == nodes_ ? edges_ : number("an offset", edges_ + 1);
  if (end < before || (v == 0 && end != 0 && nodes_ != 0))
    fail(error_kind::malformed, "the offset of node " + std::to_string(v) + " is " +
                                    std::to_string(end) +
                                    "; offsets must begin with 0 and must not descend");
  if (v == 0 && end != 0) fail(error_kind::malformed, "there are edges but no nodes");
  return end;
}

HALOGRAPH_INLINE weight_column adjacency_text::weights() {
  const text_cursor begin = cursor_;
  const std::uint64_t first_line = line_;
  std::vector<std::int64_t> integers(static_cast<std::size_t>(edges_));
  std::size_t read = 0;
  while (read < integers.size() && next() &&
         cursor_.signed_number(integers[read]) == text_fault::none)
    ++read;
  if (read == integers.size()) return integers;
  integers = {};
  cursor_ = begin;
  line_ = first_line;
  std::vector<double> numbers(static_cast<std::size_t>(edges_));
  for (auto& one : numbers) {
    if (!next()) fail(error_kind::truncated, "the file ends where a weight is expected");
    one = finite_weight();
  }
  return numbers;
}

HALOGRAPH_INLINE double adjacency_text::finite_weight() {
  double number = 0;
  if (cursor_.floating_number(number) != text_fault::none)
    fail(error_kind::malformed, column_at(cursor_.at(), cursor_.end(), {.delimiter = ' '}) +
                                    " is found where a weight is expected, a finite number");
  return number;
}

HALOGRAPH_INLINE double adjacency_text::weight(bool& integer, std::int64_t& value) {
  if (!next()) fail(error_kind::truncated, "the file ends where a weight is expected");
  text_cursor exact = cursor_;
  integer = exact.signed_number(value) == text_fault::none;
  if (!integer) return finite_weight();
  double number = 0;
  static_cast<void>(cursor_.floating_number(number));  // keeps the sign of -0
  cursor_ = exact;
  return number;
}

HALOGRAPH_INLINE adjacency_places::adjacency_places(file_bytes content, std::string path,
                                                    std::uint64_t step)
    : content_(std::move(content)),
      path_(std::move(path)),
      step_(step),
      text_(as_text(content_.bytes), path_) {
  std::uint64_t before = 0;
  for (std::uint64_t v = 0; v <= nodes(); ++v) {
    before = text_.offset(v, before);
    if (v % step_ != 0 || v == nodes()) continue;
    begins_.push_back(before);
    offsets_.push_back(text_.here());  // of the next offset
  }
  for (std::uint64_t e = 0; e < edges(); ++e) {
    if (e % step_ == 0) targets_.push_back(text_.here());
    static_cast<void>(text_.number("a neighbor", nodes()));
  }
  for (std::uint64_t e = 0; weighted() && e < edges(); ++e) {
    if (e % step_ == 0) weights_.push_back(text_.here());
    bool integer = true;
    std::int64_t value = 0;
    static_cast<void>(text_.weight(integer, value));
    floating_ = floating_ || !integer;
  }
  text_.finish();
}

HALOGRAPH_INLINE void adjacency_places::read_edges(std::uint64_t first, std::uint64_t last,
                                                   const edge_block_visitor& visit) {
  if (first >= last) return;
  // The row of the first edge: the last node that begins at it or before.
  const auto after = std::upper_bound(begins_.begin(), begins_.end(), first);
  auto place = static_cast<std::size_t>(after - begins_.begin()) - 1;
  std::uint64_t v = place * step_, end = begins_[place];
  adjacency_text::place rows = offsets_[place];
  // v + 1 is the node whose offset is next; the edges before `end` belong to nodes before it.
  const auto next_row = [&] {
    end = v + 1 == nodes() ? edges() : text_.number("an offset", edges() + 1);
    ++v;
  };
  std::vector<std::uint64_t> source, target;
  adjacency_text::place columns = targets_[static_cast<std::size_t>(first / step_)];
  std::uint64_t skip = first % step_;
  for (std::uint64_t at = first; at < last; at += source.size()) {
    const auto count = static_cast<std::size_t>(std::min(edges_per_block, last - at));
    source.resize(count);
    target.resize(count);
    text_.go_to(rows);
    for (std::size_t i = 0; i < count; ++i) {
      while (end <= at + i) next_row();
      source[i] = v - 1;
    }
    rows = text_.here();
    text_.go_to(columns);
    for (; skip != 0; --skip) static_cast<void>(text_.number("a neighbor", nodes()));
    for (auto& one : target) one = text_.number("a neighbor", nodes());
    columns = text_.here();
    visit(source, target, at);
  }
}

HALOGRAPH_INLINE void adjacency_places::read_weights(std::uint64_t first, std::uint64_t last,
                                                     function_ref<void(std::int64_t, double)> f) {
  if (first >= last) return;
  text_.go_to(weights_[static_cast<std::size_t>(first / step_)]);
  for (std::uint64_t at = first / step_ * step_; at < last; ++at) {
    bool integer = true;
    std::int64_t value = 0;
    const double number = text_.weight(integer, value);
    if (at >= first) f(value, number);
  }
}

HALOGRAPH_INLINE void adjacency_text::finish() {
  if (next())
    fail(error_kind::malformed, column_at(cursor_.at(), cursor_.end(), {.delimiter = ' '}) +
                                    " follows the last number that the header announces");
}

}  // namespace halograph::detail

namespace halograph {

HALOGRAPH_INLINE streamed_graph stream_adjacency_graph(const std::string& path,
                                                       const any_file_opener& open,
                                                       std::uint64_t step) {
  const auto all = std::make_shared<detail::adjacency_places>(open(path), path, step);
  streamed_graph out;
  out.name = detail::stem_of(path);
  out.schema = graph_schema::homogeneous();
  out.node_counts = {all->nodes()};
  detail::check_node_total<std::uint64_t>(out.schema, out.node_counts, path);
  out.edge_counts = {all->edges()};
  out.read_edges = [all](type_id, std::uint64_t first, std::uint64_t last,
                         const edge_block_visitor& visit) { all->read_edges(first, last, visit); };
  if (!all->weighted()) return out;
  streamed_feature weight{0,  "weight",     all->floating() ? dtype::float64 : dtype::int64,
                          {}, all->edges(), {}};
  weight.read = [all](std::uint64_t first, std::uint64_t last, std::span<std::byte> bytes) {
    all->read_weights(first, last, [&](std::int64_t value, double number) {
      if (all->floating())
        std::memcpy(bytes.data(), &number, sizeof number);
      else
        std::memcpy(bytes.data(), &value, sizeof value);
      bytes = bytes.subspan(sizeof value);
    });
  };
  out.edge_features.push_back(std::move(weight));
  return out;
}

}  // namespace halograph
