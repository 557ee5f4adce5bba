// SPDX-License-Identifier: BSL-1.0
/// @file dispatch_features.hpp
/// Dispatch, features: rows stream from the input into the parts' files, each at its place.
/// Layer: pipeline. Words: README.md.
///
/// Rows of nodes keep their order within a part: they are dealt out to the parts as they come. Rows of edges follow
/// the edges' new order: they wait in buckets, one for each window of new IDs, and go out window by window.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/pipeline/chunked_graph.hpp>
#include <halograph/pipeline/dispatch_budget.hpp>
#include <halograph/pipeline/dispatch_edges.hpp>
#include <halograph/pipeline/part.hpp>
#include <halograph/serial/file.hpp>
#include <halograph/serial/scratch.hpp>
#include <halograph/serial/serializer.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph::detail {

/// Files of all parts, some of them open: there may be more parts than a process may open files.
class open_files {
 public:
  /// @param most  of them open at once
  explicit open_files(std::vector<std::string> paths, std::size_t most = 128) : paths_(std::move(paths)), slot_(paths_.size(), none), most_(most) {}

  file_sink& operator[](std::size_t file) {
    if (slot_[file] == none) {
      if (open_.size() < most_) {
        slot_[file] = open_.size();
        open_.emplace_back(file, file_sink::open(paths_[file]));
      } else {
        next_ = (next_ + 1) % most_;
        slot_[open_[next_].first] = none;
        open_[next_].second.close();
        open_[next_] = {file, file_sink::open(paths_[file])};
        slot_[file] = next_;
      }
    }
    return open_[slot_[file]].second;
  }
  /// Wait until all files are on disk, and close them.
  void sync() {
    for (std::size_t file = 0; file < paths_.size(); ++file) (*this)[file].sync();
    for (auto& one : open_) one.second.close();
    open_.clear();
    slot_.assign(paths_.size(), none);
  }

 private:
  static constexpr std::size_t none = ~std::size_t{0};
  std::vector<std::string> paths_;
  std::vector<std::size_t> slot_;
  std::vector<std::pair<std::size_t, file_sink>> open_{};
  std::size_t most_, next_ = 0;
};

inline void require_written(file_sink& sink, status answer) {
  if (!answer) sink.require(answer);
}

/// Where a feature's rows go: one section in the file of each part.
struct feature_places {
  std::vector<section> sections{};  // [P]
  std::uint64_t row_elements = 1;
};

/// f(first, last, bytes) over all rows of a feature, in order.
template <class Input, class F>
void for_each_row_run(const Input& input, const chunked_feature& feature, std::pmr::memory_resource* memory, F&& f) {
  const std::size_t width = feature.row_bytes();
  const std::uint64_t step = std::max<std::uint64_t>(1, (std::uint64_t{1} << 20) / width);
  std::pmr::vector<std::byte> buffer(static_cast<std::size_t>(std::min(step, feature.rows)) * width, memory);
  for (std::uint64_t first = 0; first < feature.rows; first += std::min(step, feature.rows - first)) {
    const std::uint64_t last = first + std::min(step, feature.rows - first);
    const auto bytes = std::span(buffer).first(static_cast<std::size_t>(last - first) * width);
    input.read_rows(feature, first, last, bytes);
    f(first, last, std::span<const std::byte>(bytes));
  }
}

/// @param new_node  new ID of each node of the feature's type, by original typed ID
/// @return          rows written
template <id Node, id Edge, class Input>
std::uint64_t node_rows_to_parts(const Input& input, const chunked_feature& feature, const partition_plan_view<Node, Edge>& plan,
                                 std::span<const Node> new_node, const feature_places& places, open_files& files,
                                 std::uint64_t buffer_bytes, std::pmr::memory_resource* memory,
                                 const std::function<void(std::uint64_t)>& told) {
  const std::size_t width = feature.row_bytes();
  const auto room = static_cast<std::size_t>(std::max<std::uint64_t>(buffer_bytes / width, 1));  // rows
  std::pmr::vector<std::byte> buffer(plan.parts * room * width, memory);
  std::vector<std::uint64_t> written(plan.parts), held(plan.parts);
  const auto flush = [&](std::size_t p) {
    if (held[p] == 0) return;
    const auto rows = std::span<const std::byte>(buffer).subspan(p * room * width, static_cast<std::size_t>(held[p]) * width);
    require_written(files[p], write_elements(files[p], places.sections[p], written[p] * places.row_elements, rows));
    written[p] += held[p];
    held[p] = 0;
  };
  for_each_row_run(input, feature, memory, [&](std::uint64_t first, std::uint64_t last, std::span<const std::byte> bytes) {
    for (std::uint64_t row = first; row < last; ++row) {
      const auto node = static_cast<std::uint64_t>(new_node[static_cast<std::size_t>(row)]);
      const std::size_t p = plan.node_cell(node) / plan.num_node_types();
      if (node - plan.nodes(p, feature.type).begin != written[p] + held[p]) {
        raise(errc::internal, "rows of node feature " + graph_schema::quoted(feature.name) + " do not come in the order of part " + std::to_string(p));
      }
      std::memcpy(buffer.data() + (p * room + static_cast<std::size_t>(held[p])) * width, bytes.data() + (row - first) * width, width);
      if (++held[p] == room) flush(p);
    }
    if (told) told(last);
  });
  std::uint64_t total = 0;
  for (std::size_t p = 0; p < plan.parts; ++p) {
    flush(p);
    if (written[p] != plan.nodes(p, feature.type).size()) {
      raise(errc::internal, "rows of node feature " + graph_schema::quoted(feature.name) + " were lost in part " + std::to_string(p));
    }
    total += written[p];
  }
  return total;
}

/// The place of each edge in its type's new order, parts laid end to end, by original ID; absent where it was dropped.
template <id Edge>
inline constexpr Edge no_place = static_cast<Edge>(~std::make_unsigned_t<Edge>{0});

/// First place of each (part, edge type) in its type's new order: [P*R].
template <id Node, id Edge>
std::vector<std::uint64_t> edge_places(const partition_plan_view<Node, Edge>& plan) {
  const std::size_t types = plan.num_edge_types();
  std::vector<std::uint64_t> begin(plan.parts * types);
  for (std::size_t r = 0; r < types; ++r) {
    std::uint64_t before = 0;
    for (std::size_t p = 0; p < plan.parts; ++p) {
      begin[p * types + r] = before;
      before += plan.edges(p, r).size();
    }
  }
  return begin;
}

/// Write the inverse of the edges' order to a file: [E] by original ID.
template <id Node, id Edge, executor Executor>
scratch_array<Edge> edge_places_to_file(const std::string& folder, const partition_plan_view<Node, Edge>& plan, const dispatch_buffers& use,
                                        std::pmr::memory_resource* memory, const Executor& run) {
  struct record {
    Edge edge, place;
  };
  const std::uint64_t edges = plan.edge_type_offsets.back();
  const bucket_ranges ranges(edges, use.buckets);
  const auto begin = edge_places(plan);
  const std::size_t types = plan.num_edge_types();
  spill_buckets spill(folder + "/place_buckets", ranges.count, sizeof(record), static_cast<std::size_t>(use.bucket_bytes), memory);
  for (std::size_t p = 0; p < plan.parts; ++p) {
    const std::size_t first = index(plan.rows.offsets()[static_cast<std::size_t>(plan.part_begin[p])]);
    const std::size_t last = index(plan.rows.offsets()[static_cast<std::size_t>(plan.part_begin[p + 1])]);
    for (std::size_t k = first; k < last; ++k) {
      const auto old = static_cast<std::uint64_t>(plan.old_edge[k]);
      Edge place = no_place<Edge>;
      if (plan.dropped == 0 || plan.new_edge[k] != dropped_edge<Edge>) {
        const std::size_t r = plan.edge_type(old);
        place = static_cast<Edge>(begin[p * types + r] + (static_cast<std::uint64_t>(plan.new_edge[k]) - plan.edges(p, r).begin));
      }
      spill.push(ranges.of(old), record{static_cast<Edge>(old), place});
    }
  }
  spill.finish();
  auto out = scratch_array<Edge>::create(folder + "/edge_places", edges);
  const auto places = out.values();
  run.parallel_for(0, ranges.count, 1, [&](std::size_t first, std::size_t last) {
    std::pmr::vector<std::byte> window(static_cast<std::size_t>(use.window_bytes), memory);
    for (std::size_t b = first; b < last; ++b) {
      spill.read(b, window, [&](std::span<const std::byte> bytes) {
        for (std::size_t at = 0; at < bytes.size(); at += sizeof(record)) {
          record one;
          std::memcpy(&one, bytes.data() + at, sizeof one);
          places[index(one.edge)] = one.place;
        }
      });
    }
  });
  return out;
}

/// @param place  [rows] place of each row in the type's new order (edge_places_to_file)
/// @return       rows written
template <id Node, id Edge, class Input>
std::uint64_t edge_rows_to_parts(const Input& input, const chunked_feature& feature, const partition_plan_view<Node, Edge>& plan,
                                 std::span<const Edge> place, const feature_places& places, open_files& files, const std::string& folder,
                                 const dispatch_buffers& use, std::pmr::memory_resource* memory,
                                 const std::function<void(std::uint64_t)>& told) {
  const std::size_t width = feature.row_bytes(), types = plan.num_edge_types();
  const auto begin = edge_places(plan);
  std::uint64_t rows = 0;
  for (std::size_t p = 0; p < plan.parts; ++p) rows += plan.edges(p, feature.type).size();
  const std::uint64_t window_rows = std::max<std::uint64_t>(use.feature_window_bytes / width, 1);
  const auto windows = static_cast<std::size_t>(rows / window_rows + 1);
  // A record is the place and the row.
  spill_buckets spill(folder + "/row_buckets", windows, sizeof(std::uint64_t) + width, static_cast<std::size_t>(use.feature_bucket_bytes), memory);
  for_each_row_run(input, feature, memory, [&](std::uint64_t first, std::uint64_t last, std::span<const std::byte> bytes) {
    for (std::uint64_t row = first; row < last; ++row) {
      const Edge to = place[static_cast<std::size_t>(row)];
      if (plan.dropped != 0 && to == no_place<Edge>) continue;
      const auto at = static_cast<std::uint64_t>(to);
      std::byte* const record = spill.append(static_cast<std::size_t>(at / window_rows));
      std::memcpy(record, &at, sizeof at);
      std::memcpy(record + sizeof at, bytes.data() + (row - first) * width, width);
    }
    if (told) told(last / 2);
  });
  spill.finish();
  std::pmr::vector<std::byte> window(static_cast<std::size_t>(std::min(window_rows, rows)) * width, memory);
  std::pmr::vector<std::byte> buffer(std::max<std::size_t>(std::size_t{1} << 18, spill.record_bytes()), memory);
  std::uint64_t written = 0;
  std::size_t p = 0;
  for (std::size_t w = 0; w < windows; ++w) {
    const std::uint64_t first = w * window_rows, last = std::min(rows, first + window_rows);
    if (first >= last) break;
    if (spill.count(w) != last - first) {
      raise(errc::internal, "rows of edge feature " + graph_schema::quoted(feature.name) + " were lost: " + std::to_string(spill.count(w)) + " of " +
                                std::to_string(last - first) + " arrived in a window");
    }
    spill.read(w, buffer, [&](std::span<const std::byte> bytes) {
      for (std::size_t at = 0; at < bytes.size(); at += spill.record_bytes()) {
        std::uint64_t to = 0;
        std::memcpy(&to, bytes.data() + at, sizeof to);
        std::memcpy(window.data() + (to - first) * width, bytes.data() + at + sizeof to, width);
      }
    });
    for (std::uint64_t at = first; at < last;) {
      while (begin[p * types + feature.type] + plan.edges(p, feature.type).size() <= at) ++p;
      const std::uint64_t local = at - begin[p * types + feature.type];
      const std::uint64_t count = std::min(last - at, plan.edges(p, feature.type).size() - local);
      require_written(files[p], write_elements(files[p], places.sections[p], local * places.row_elements,
                                               std::span<const std::byte>(window).subspan(static_cast<std::size_t>(at - first) * width,
                                                                                          static_cast<std::size_t>(count) * width)));
      at += count;
      written += count;
    }
    if (told) told((feature.rows + written) / 2);
  }
  return written;
}

}  // namespace halograph::detail
