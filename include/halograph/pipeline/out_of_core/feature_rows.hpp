// SPDX-License-Identifier: BSL-1.0
/// @file feature_rows.hpp
/// Rows of one feature, copied from the input into the files of parts, each to its place.
/// Layer: pipeline. Words: README.md.
///
/// Rows of nodes keep their order within a part, so they are written as they are read. Rows of
/// edges follow the edges' new order: they are first written to buckets, one for each window of new
/// IDs, and then to the parts window by window.
#pragma once

#include <halograph/comm/alltoallv.hpp>
#include <halograph/core/block_range.hpp>
#include <halograph/core/communicator.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/search.hpp>
#include <halograph/io/chunked/graph.hpp>
#include <halograph/io/chunked/metadata.hpp>
#include <halograph/pipeline/out_of_core/buckets.hpp>
#include <halograph/pipeline/out_of_core/budget.hpp>
#include <halograph/pipeline/out_of_core/ranges.hpp>
#include <halograph/pipeline/partition_plan.hpp>
#include <halograph/relabel/relabel_edges.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/scratch.hpp>
#include <halograph/serial/layout_writer.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory_resource>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph::detail {

/// The files of all parts, of which some are open: there may be more parts than files that a
/// process may open.
class open_files {
 public:
  /// @param paths  "": a part of another rank
  /// @param most   files open at once
  explicit open_files(std::vector<std::string> paths, std::size_t most = 128)
      : paths_(std::move(paths)), slot_(paths_.size(), none), most_(most) {}

  file_sink& operator[](std::size_t file);
  /// Wait until all files are on disk, and close them.
  void sync();

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

/// Where the rows of a feature go: one section in the file of each part.
struct feature_places {
  std::vector<section> sections{};  // [P]
  std::uint64_t row_elements = 1;
};

/// Call f(first, last, bytes) for consecutive rows until all rows of a feature are read, in order.
void for_each_row_run(
    const chunked_graph& input, const chunked_feature& feature, std::pmr::memory_resource* memory,
    function_ref<void(std::uint64_t, std::uint64_t, std::span<const std::byte>)> f);

/// Writes rows of a node feature, which are read in original order, to the files of parts.
template <id Node, id Edge>
class node_row_writer {
 public:
  /// @param parts  those of this rank
  node_row_writer(const chunked_feature& feature, const partition_plan_view<Node, Edge>& plan,
                  id_range parts, const feature_places& places, open_files& files,
                  std::uint64_t buffer_bytes, std::pmr::memory_resource* memory)
      : feature_(feature),
        plan_(plan),
        parts_(parts),
        places_(places),
        files_(files),
        width_(feature.row_bytes()),
        room_(static_cast<std::size_t>(std::max<std::uint64_t>(buffer_bytes / width_, 1))),
        buffer_(static_cast<std::size_t>(parts.size()) * room_ * width_, memory),
        written_(static_cast<std::size_t>(parts.size())),
        held_(written_.size()) {}

  /// @param node  new ID
  void put(std::uint64_t node, const std::byte* row) {
    const std::size_t p = plan_.node_cell(node) / plan_.num_node_types(),
                      i = p - static_cast<std::size_t>(parts_.begin);
    if (node - plan_.nodes(p, feature_.type).begin != written_[i] + held_[i]) {
      raise(error_kind::internal,
            concat({"rows of node feature ", graph_schema::quoted(feature_.name),
                    " are not in the order of part ", p}));
    }
    std::memcpy(buffer_.data() + (i * room_ + static_cast<std::size_t>(held_[i])) * width_, row,
                width_);
    if (++held_[i] == room_) flush(i);
  }
  /// @return rows written  @errors internal: some are missing; those of writing
  std::uint64_t finish() {
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < written_.size(); ++i) {
      flush(i);
      const auto p = static_cast<std::size_t>(parts_.begin) + i;
      if (written_[i] != plan_.nodes(p, feature_.type).size()) {
        raise(error_kind::internal,
              concat({"rows of node feature ", graph_schema::quoted(feature_.name),
                      " were lost in part ", p}));
      }
      total += written_[i];
    }
    return total;
  }

 private:
  void flush(std::size_t i) {
    if (held_[i] == 0) return;
    const auto p = static_cast<std::size_t>(parts_.begin) + i;
    const auto rows = std::span<const std::byte>(buffer_.all())
                          .subspan(i * room_ * width_, static_cast<std::size_t>(held_[i]) * width_);
    require_written(files_[p], write_elements(files_[p], places_.sections[p],
                                              written_[i] * places_.row_elements, rows));
    written_[i] += held_[i];
    held_[i] = 0;
  }

  const chunked_feature& feature_;
  const partition_plan_view<Node, Edge>& plan_;
  id_range parts_;
  const feature_places& places_;
  open_files& files_;
  std::size_t width_, room_;  // room: rows
  raw_bytes buffer_;
  std::vector<std::uint64_t> written_, held_;
};

/// Copy the rows of a node feature into the files of parts. Each rank reads its share of the rows
/// and writes those of its parts. Inside run_collective().
/// @param new_node  new ID of each node of the feature's type, by original typed ID
/// @return          rows written by this rank
template <id Node, id Edge>
std::uint64_t node_rows_to_parts(const chunked_graph& input, const chunked_feature& feature,
                                 const partition_plan_view<Node, Edge>& plan,
                                 std::span<const Node> new_node, const rank_shares& shares,
                                 const feature_places& places, open_files& files,
                                 const dispatch_buffers& use, std::pmr::memory_resource* memory,
                                 communicator_ref ranks,
                                 const std::function<void(std::uint64_t)>& told) {
  const std::size_t width = feature.row_bytes();
  node_row_writer<Node, Edge> writer(feature, plan, shares.parts(), places, files,
                                     use.part_row_bytes, memory);
  if (ranks.size() == 1) {
    for_each_row_run(
        input, feature, memory,
        [&](std::uint64_t first, std::uint64_t last, std::span<const std::byte> bytes) {
          for (std::uint64_t row = first; row < last; ++row) {
            writer.put(static_cast<std::uint64_t>(new_node[static_cast<std::size_t>(row)]),
                       bytes.data() + (row - first) * width);
          }
          if (told) told(last);
        });
    return writer.finish();
  }
  // Ranks read in turn, so that rows arrive in order of original IDs; the receiver can compute
  // which rows they are.
  const auto step = static_cast<std::size_t>(
      std::min<std::uint64_t>(records_per_round(use.exchange_bytes, ranks.size(), 2 * width),
                              feature.rows / ranks.size() + 1));
  record_exchange exchange(ranks, width, step, memory);
  const raw_bytes buffer(step * width, memory);
  const auto turn = [&](std::uint64_t round, std::size_t rank) {
    const std::uint64_t first = (round * ranks.size() + rank) * step;
    return std::pair{std::min<std::uint64_t>(first, feature.rows),
                     std::min<std::uint64_t>(first + step, feature.rows)};
  };
  const auto node = [&](std::uint64_t row) {
    return static_cast<std::uint64_t>(new_node[static_cast<std::size_t>(row)]);
  };
  exchange.run(
      [&](std::uint64_t round) {
        const auto [first, last] = turn(round, ranks.rank());
        input.read_rows(feature, first, last,
                        buffer.first(static_cast<std::size_t>(last - first) * width));
        for (std::uint64_t row = first; row < last; ++row) {
          std::memcpy(exchange.append(shares.of_node(node(row))),
                      buffer.data() + static_cast<std::size_t>(row - first) * width, width);
        }
        if (told) told(last);
        return turn(round + 1, ranks.rank()).first < feature.rows;
      },
      [&](std::uint64_t round, std::size_t from, std::span<const std::byte> bytes) {
        const auto [first, last] = turn(round, from);
        std::size_t at = 0;
        for (std::uint64_t row = first; row < last; ++row) {
          if (!shares.owns_node(node(row))) continue;
          if (at == bytes.size())
            raise(error_kind::internal,
                  concat({"rows of node feature ", graph_schema::quoted(feature.name),
                          " were lost between ranks"}));
          writer.put(node(row), bytes.data() + at);
          at += width;
        }
      });
  return writer.finish();
}

/// The place of an edge that was dropped. Other edges have their place in the new order of their
/// type, over all parts.
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

/// The place of the edge at position `k` in the rows of part `p`, whose type is `r`.
template <id Node, id Edge>
Edge place_of_edge(const partition_plan_view<Node, Edge>& plan,
                   std::span<const std::uint64_t> begin, std::size_t p, std::size_t r,
                   std::size_t k) {
  if (plan.dropped != 0 && plan.new_edge[k] == dropped_edge<Edge>) return no_place<Edge>;
  return static_cast<Edge>(begin[p * plan.num_edge_types() + r] +
                           (static_cast<std::uint64_t>(plan.new_id(k)) - plan.edges(p, r).begin));
}

/// Which rank reads which rows of edge features: a share of each type. A rank keeps the places of
/// the edges that it reads in slots, type after type.
class edge_readers {
 public:
  edge_readers(std::span<const std::uint64_t> type_offsets, std::size_t rank, std::size_t ranks);
  /// Slots of this rank.
  std::uint64_t count() const noexcept { return count_; }
  /// Rows of a type that this rank reads.
  id_range rows(std::size_t type) const noexcept { return own_[type]; }
  /// The slot of an edge that this rank reads.
  std::uint64_t slot(std::size_t type, std::uint64_t typed) const noexcept {
    return begin_[type] + (typed - own_[type].begin);
  }
  /// The rank that reads an edge. @param old  original ID
  std::size_t of(std::size_t type, std::uint64_t old) const noexcept {
    return ranks_ == 1 ? 0
                       : static_cast<std::size_t>(block_range_of(types_[type + 1] - types_[type],
                                                                 old - types_[type], ranks_));
  }

 private:
  std::vector<std::uint64_t> types_, begin_{};
  std::vector<id_range> own_{};
  std::uint64_t count_ = 0;
  std::size_t ranks_;
};

/// Write the inverse of the edges' order to a file: the places of the edges whose rows this rank
/// reads, by slot. Inside run_collective().
template <id Node, id Edge>
scratch_array<Edge> edge_places_to_file(const std::string& folder,
                                        const partition_plan_view<Node, Edge>& plan,
                                        const rank_shares& shares, const edge_readers& readers,
                                        const dispatch_buffers& use,
                                        std::pmr::memory_resource* memory, communicator_ref ranks,
                                        executor_ref run) {
  struct record {
    Edge edge, place;
  };
  struct slot_record {
    Edge slot, place;
  };
  const bucket_ranges ranges(readers.count(), use.buckets);
  const auto begin = edge_places(plan);
  spill_buckets spill(folder + "/place_buckets", ranges.count, sizeof(slot_record),
                      static_cast<std::size_t>(use.bucket_bytes), memory);
  const auto keep = [&](std::uint64_t old, std::size_t type, Edge place) {
    const std::uint64_t slot = readers.slot(type, old - plan.edge_type_offsets[type]);
    spill.push(ranges.of(slot), slot_record{static_cast<Edge>(slot), place});
  };
  const auto first_of = [&](std::size_t p) {
    return index(plan.rows.offsets()[static_cast<std::size_t>(plan.part_begin[p])]);
  };
  if (ranks.size() == 1) {
    for (std::size_t p = 0; p < plan.parts; ++p) {
      for (std::size_t k = first_of(p), last = first_of(p + 1); k < last; ++k) {
        const auto old = static_cast<std::uint64_t>(plan.old_edge[k]);
        const std::size_t r = plan.edge_type(old);
        keep(old, r, place_of_edge(plan, begin, p, r, k));
      }
    }
  } else {
    record_exchange exchange(ranks, sizeof(record),
                             records_per_round(use.exchange_bytes, ranks.size(), sizeof(record)),
                             memory);
    auto p = static_cast<std::size_t>(shares.parts().begin);
    std::size_t k = p < plan.parts ? first_of(p) : 0;
    exchange.run(
        [&](std::uint64_t) {
          for (; p < shares.parts().end; ++p) {
            for (const std::size_t last = first_of(p + 1); k < last; ++k) {
              if (exchange.room() == 0) return true;
              const auto old = static_cast<std::uint64_t>(plan.old_edge[k]);
              const std::size_t r = plan.edge_type(old);
              exchange.push(readers.of(r, old),
                            record{static_cast<Edge>(old), place_of_edge(plan, begin, p, r, k)});
            }
          }
          return false;
        },
        [&](std::uint64_t, std::size_t, std::span<const std::byte> bytes) {
          for_each_record<record>(bytes, [&](const record& one) {
            const auto old = static_cast<std::uint64_t>(one.edge);
            keep(old, plan.edge_type(old), one.place);
          });
        });
  }
  spill.finish();
  auto out = scratch_array<Edge>::create(folder + "/edge_places", readers.count());
  const auto places = out.values();
  run.parallel_for(0, ranges.count, 1, [&](std::size_t first, std::size_t last) {
    const raw_bytes window(static_cast<std::size_t>(use.window_bytes), memory);
    for (std::size_t b = first; b < last; ++b) {
      spill.read(b, window.all(), [&](std::span<const std::byte> bytes) {
        for_each_record<slot_record>(
            bytes, [&](const slot_record& one) { places[index(one.slot)] = one.place; });
      });
    }
  });
  return out;
}

/// Copy the rows of an edge feature into the files of parts, window by window of the new order.
/// Each rank reads its share of the rows and writes those of its parts. Inside run_collective().
/// @param place  places of the rows that this rank reads (edge_places_to_file)
/// @return       rows written by this rank
template <id Node, id Edge>
std::uint64_t edge_rows_to_parts(const chunked_graph& input, const chunked_feature& feature,
                                 const partition_plan_view<Node, Edge>& plan,
                                 std::span<const Edge> place, const rank_shares& shares,
                                 const edge_readers& readers, const feature_places& places,
                                 open_files& files, const std::string& folder,
                                 const dispatch_buffers& use, std::pmr::memory_resource* memory,
                                 communicator_ref ranks,
                                 const std::function<void(std::uint64_t)>& told) {
  const std::size_t width = feature.row_bytes(), types = plan.num_edge_types();
  const auto begin = edge_places(plan);
  // The first place of this rank's parts.
  const id_range parts = shares.parts();
  const std::uint64_t base =
      parts.size() == 0 ? 0 : begin[static_cast<std::size_t>(parts.begin) * types + feature.type];
  std::uint64_t rows = 0;
  for (auto p = static_cast<std::size_t>(parts.begin); p < parts.end; ++p)
    rows += plan.edges(p, feature.type).size();
  const std::uint64_t window_rows = std::max<std::uint64_t>(use.feature_window_bytes / width, 1);
  const auto windows = static_cast<std::size_t>(rows / window_rows + 1);
  // A record is the place and the row.
  const std::size_t record = sizeof(std::uint64_t) + width;
  spill_buckets spill(folder + "/row_buckets", windows, record,
                      static_cast<std::size_t>(use.feature_bucket_bytes), memory);
  const auto put = [](std::byte* at, std::uint64_t to, const std::byte* row, std::size_t bytes) {
    std::memcpy(at, &to, sizeof to);
    std::memcpy(at + sizeof to, row, bytes);
  };
  const auto place_in = [](std::span<const std::byte> one) {
    std::uint64_t to = 0;
    std::memcpy(&to, one.data(), sizeof to);
    return to;
  };
  const std::uint64_t first_row = readers.rows(feature.type).begin;
  const auto place_of = [&](std::uint64_t row) {
    return place[static_cast<std::size_t>(row - first_row)];
  };
  if (ranks.size() == 1) {
    for_each_row_run(
        input, feature, memory,
        [&](std::uint64_t first, std::uint64_t last, std::span<const std::byte> bytes) {
          for (std::uint64_t row = first; row < last; ++row) {
            const Edge to = place_of(row);
            if (plan.dropped != 0 && to == no_place<Edge>) continue;
            const auto at = static_cast<std::uint64_t>(to);
            put(spill.append(static_cast<std::size_t>(at / window_rows)), at,
                bytes.data() + (row - first) * width, width);
          }
          if (told) told(last / 2);
        });
  } else {
    const auto step = static_cast<std::size_t>(
        std::min<std::uint64_t>(records_per_round(use.exchange_bytes, ranks.size(), 2 * record),
                                feature.rows / ranks.size() + 1));
    record_exchange exchange(ranks, record, step, memory);
    const raw_bytes buffer(step * width, memory);
    // First place of each rank.
    std::vector<std::uint64_t> rank_begin(ranks.size());
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      const id_range theirs = block_range(plan.parts, r, ranks.size());
      rank_begin[r] = theirs.begin < plan.parts
                          ? begin[static_cast<std::size_t>(theirs.begin) * types + feature.type]
                          : ~std::uint64_t{0};
    }
    std::uint64_t next = first_row;
    const std::uint64_t end = readers.rows(feature.type).end;
    exchange.run(
        [&](std::uint64_t) {
          const std::uint64_t last = std::min<std::uint64_t>(end, next + step);
          input.read_rows(feature, next, last,
                          buffer.first(static_cast<std::size_t>(last - next) * width));
          for (std::uint64_t row = next; row < last; ++row) {
            const Edge to = place_of(row);
            if (plan.dropped != 0 && to == no_place<Edge>) continue;
            const auto at = static_cast<std::uint64_t>(to);
            const auto rank = count_not_above(std::span<const std::uint64_t>(rank_begin).subspan(1),
                                              at);
            put(exchange.append(rank), at,
                buffer.data() + static_cast<std::size_t>(row - next) * width, width);
          }
          next = last;
          if (told) told((next - first_row) / 2);
          return next < end;
        },
        [&](std::uint64_t, std::size_t, std::span<const std::byte> bytes) {
          for_each_record(bytes, record, [&](std::span<const std::byte> one) {
            const std::uint64_t to = place_in(one);
            if (to - base >= rows)
              raise(error_kind::internal,
                    concat({"rows of edge feature ", graph_schema::quoted(feature.name),
                            " were sent to the wrong rank"}));
            std::memcpy(spill.append(static_cast<std::size_t>((to - base) / window_rows)),
                        one.data(), record);
          });
        });
  }
  spill.finish();
  const raw_bytes window(static_cast<std::size_t>(std::min(window_rows, rows)) * width, memory);
  const raw_bytes buffer(std::max<std::size_t>(std::size_t{1} << 18, spill.record_bytes()), memory);
  std::uint64_t written = 0;
  auto p = static_cast<std::size_t>(parts.begin);
  for (std::size_t w = 0; w < windows; ++w) {
    const std::uint64_t first = base + w * window_rows,
                        last = std::min(base + rows, first + window_rows);
    if (first >= last) break;
    if (spill.count(w) != last - first) {
      raise(error_kind::internal,
            concat({"rows of edge feature ", graph_schema::quoted(feature.name),
                    " were lost: ", spill.count(w), " of ", last - first, " arrived in a window"}));
    }
    spill.read(w, buffer.all(), [&](std::span<const std::byte> bytes) {
      for_each_record(bytes, record, [&](std::span<const std::byte> one) {
        std::memcpy(window.data() + (place_in(one) - first) * width,
                    one.data() + sizeof(std::uint64_t), width);
      });
    });
    for (std::uint64_t at = first; at < last;) {
      while (begin[p * types + feature.type] + plan.edges(p, feature.type).size() <= at) ++p;
      const std::uint64_t local = at - begin[p * types + feature.type];
      const std::uint64_t count = std::min(last - at, plan.edges(p, feature.type).size() - local);
      require_written(files[p],
                      write_elements(files[p], places.sections[p], local * places.row_elements,
                                     std::span<const std::byte>(window.all())
                                         .subspan(static_cast<std::size_t>(at - first) * width,
                                                  static_cast<std::size_t>(count) * width)));
      at += count;
      written += count;
    }
    if (told) told((feature.rows + written) / 2);
  }
  return written;
}

}  // namespace halograph::detail

#if !HALOGRAPH_COMPILED
#include <halograph/pipeline/out_of_core/impl/feature_rows.ipp>
#endif
