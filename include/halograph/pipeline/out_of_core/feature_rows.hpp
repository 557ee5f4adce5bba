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
#include <halograph/serial/digest.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/scratch.hpp>
#include <halograph/serial/layout_writer.hpp>
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

/// The files of all parts, of which some are open: there may be more parts than files that a
/// process may open.
class open_files {
 public:
  /// @param paths  must outlive this object; "": a part of another rank
  /// @param most   files open at once
  open_files(std::span<const std::string> paths, std::size_t most)
      : paths_(paths), slot_(paths.size(), none), most_(most) {}

  file_sink& operator[](std::size_t file);
  /// Wait until files are on disk, and close all that are open.
  void sync(id_range files);

 private:
  static constexpr std::size_t none = ~std::size_t{0};
  std::span<const std::string> paths_;
  std::vector<std::size_t> slot_;
  std::vector<std::pair<std::size_t, file_sink>> open_{};
  std::size_t most_, next_ = 0;
};

/// The files of parts into which rows of features are written. Threads may write at once, each to
/// the parts of its lane. What comes in the order of a file is digested on the way, so that it need
/// not be read back.
class row_files {
 public:
  /// @param paths  [P]; "": a part of another rank
  /// @param own    the parts of this rank
  /// @param lanes  threads that write at once; at most a lane for each part is made
  row_files(std::vector<std::string> paths, id_range own, std::size_t lanes);

  std::size_t lanes() const noexcept { return lanes_.size(); }
  /// The parts of a lane.
  id_range parts_of(std::size_t lane) const noexcept {
    const id_range of = block_range(own_.size(), lane, lanes_.size());
    return {own_.begin + of.begin, own_.begin + of.end};
  }
  /// Write elements of a section of a part's file. @errors out_of_range, io
  void write(std::size_t part, const section& to, std::uint64_t first,
             std::span<const std::byte> elements);
  /// Wait until all files are on disk, and close them.
  void sync();

  /// The digest of a section that was written in order, from its first element to its last; of
  /// others nothing. It is given once.
  std::optional<std::uint64_t> take_digest(std::size_t part, const section& of);
  /// The digest of a whole file of so many bytes, if all its rows were written in order.
  std::optional<std::uint64_t> digest_of_file(std::size_t part, std::uint64_t bytes);

 private:
  /// What lies between rows is read back, up to so many bytes.
  static constexpr std::uint64_t most_between = std::uint64_t{1} << 20;

  struct digests {
    digest_in_order file{};
    /// Of sections, by where they begin.
    std::vector<std::pair<std::uint64_t, digest_in_order>> sections{};
  };
  void catch_up(std::size_t part, std::uint64_t end);

  std::vector<std::string> paths_;
  id_range own_;
  std::vector<open_files> lanes_;
  std::vector<digests> digests_;  // [P]
};

/// Where the rows of a feature go: one section in the file of each part.
struct feature_places {
  std::vector<section> sections{};  // [P]
  std::uint64_t row_elements = 1;
};

/// Call f(first, last, bytes, run) for consecutive rows until all rows of a feature are read, in
/// order. `run` is what f must run its first loop with: the next rows are read beside it, where
/// threads do not read all at once, as they do arrays. Takes 1 MiB, or two rows that are larger.
void for_each_row_run(
    const chunked_graph& input, const chunked_feature& feature, std::pmr::memory_resource* memory,
    executor_ref run,
    function_ref<void(std::uint64_t, std::uint64_t, std::span<const std::byte>, executor_ref)> f);

/// Write where a row goes, and the row.
inline void put_row(std::byte* at, std::uint64_t place, const std::byte* row, std::size_t bytes) {
  std::memcpy(at, &place, sizeof place);
  std::memcpy(at + sizeof place, row, bytes);
}
/// Where the row goes that put_row() wrote.
inline std::uint64_t place_of_row(std::span<const std::byte> one) {
  std::uint64_t place = 0;
  std::memcpy(&place, one.data(), sizeof place);
  return place;
}

/// Writes rows of a node feature to the files of parts. What one rank reads comes in original
/// order, and so, in each part, one after the other. Threads may put rows at once, each those of
/// parts of its own.
template <id Node, id Edge>
class node_row_writer {
 public:
  /// @param parts    those of this rank
  /// @param readers  ranks that read rows
  node_row_writer(const chunked_feature& feature, const partition_plan_view<Node, Edge>& plan,
                  id_range parts, std::size_t readers, const feature_places& places,
                  row_files& files, std::uint64_t buffer_bytes, std::pmr::memory_resource* memory)
      : feature_(feature),
        plan_(plan),
        parts_(parts),
        readers_(readers),
        places_(places),
        files_(files),
        width_(feature.row_bytes()),
        room_(static_cast<std::size_t>(std::max<std::uint64_t>(buffer_bytes / width_, 1))),
        streams_(static_cast<std::size_t>(parts.size()) * readers),
        buffer_(streams_.size() * room_ * width_, memory) {}

  /// @param reader  the rank that has read it  @param node  new ID
  void put(std::size_t reader, std::uint64_t node, const std::byte* row) {
    const std::size_t p = plan_.node_cell(node) / plan_.num_node_types(),
                      i = (p - static_cast<std::size_t>(parts_.begin)) * readers_ + reader;
    const std::uint64_t at = node - plan_.nodes(p, feature_.type).begin;
    stream& to = streams_[i];
    if (to.held == 0 && to.rows == 0) to.next = at;
    if (at != to.next + to.held) {
      raise(error_kind::internal,
            concat({"rows of node feature ", graph_schema::quoted(feature_.name),
                    " are not in the order of part ", p}));
    }
    std::memcpy(buffer_.data() + (i * room_ + static_cast<std::size_t>(to.held)) * width_, row,
                width_);
    if (++to.held == room_) flush(i);
  }
  /// @return rows written  @errors internal: some are missing; those of writing
  std::uint64_t finish() {
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < streams_.size(); i += readers_) {
      const auto p = static_cast<std::size_t>(parts_.begin) + i / readers_;
      std::uint64_t rows = 0;
      for (std::size_t reader = 0; reader < readers_; ++reader) {
        flush(i + reader);
        rows += streams_[i + reader].rows;
      }
      if (rows != plan_.nodes(p, feature_.type).size()) {
        raise(error_kind::internal,
              concat({"rows of node feature ", graph_schema::quoted(feature_.name),
                      " were lost in part ", p}));
      }
      total += rows;
    }
    return total;
  }

 private:
  struct stream {
    std::uint64_t next = 0;  // the row that the next one to be written is in the part
    std::uint64_t rows = 0;  // written
    std::uint64_t held = 0;  // in the buffer
  };

  void flush(std::size_t i) {
    stream& to = streams_[i];
    if (to.held == 0) return;
    const auto p = static_cast<std::size_t>(parts_.begin) + i / readers_;
    const auto rows = std::span<const std::byte>(buffer_.all())
                          .subspan(i * room_ * width_, static_cast<std::size_t>(to.held) * width_);
    files_.write(p, places_.sections[p], to.next * places_.row_elements, rows);
    to.next += to.held;
    to.rows += std::exchange(to.held, 0);
  }

  const chunked_feature& feature_;
  const partition_plan_view<Node, Edge>& plan_;
  id_range parts_;
  std::size_t readers_;
  const feature_places& places_;
  row_files& files_;
  std::size_t width_, room_;     // room: rows
  std::vector<stream> streams_;  // by part and reader
  raw_bytes buffer_;
};

/// Copy the rows of a node feature into the files of parts. Each rank reads its share of the rows
/// and writes those of its parts. Inside run_collective().
/// @param new_node  new IDs of the nodes whose rows this rank reads
/// @return          rows written by this rank
template <id Node, id Edge>
std::uint64_t node_rows_to_parts(const chunked_graph& input, const chunked_feature& feature,
                                 const partition_plan_view<Node, Edge>& plan,
                                 std::span<const Node> new_node, const rank_shares& shares,
                                 const row_readers& readers, const feature_places& places,
                                 row_files& files, const dispatch_buffers& use,
                                 std::pmr::memory_resource* memory, communicator_ref ranks,
                                 executor_ref run, const std::function<void(std::uint64_t)>& told) {
  const std::size_t width = feature.row_bytes();
  node_row_writer<Node, Edge> writer(feature, plan, shares.parts(), ranks.size(), places, files,
                                     use.part_row_bytes, memory);
  if (ranks.size() == 1) {
    const auto part_begin = [&](std::uint64_t p) {
      return static_cast<std::uint64_t>(plan.part_begin[static_cast<std::size_t>(p)]);
    };
    for_each_row_run(
        input, feature, memory, run,
        [&](std::uint64_t first, std::uint64_t last, std::span<const std::byte> bytes,
            executor_ref with) {
          with.parallel_for(0, files.lanes(), 1, [&](std::size_t lane, std::size_t lanes_end) {
            const id_range nodes{part_begin(files.parts_of(lane).begin),
                                 part_begin(files.parts_of(lanes_end - 1).end)};
            for (std::uint64_t row = first; row < last; ++row) {
              const auto node = static_cast<std::uint64_t>(new_node[static_cast<std::size_t>(row)]);
              if (node - nodes.begin < nodes.size())
                writer.put(0, node, bytes.data() + (row - first) * width);
            }
          });
          if (told) told(last);
        });
    return writer.finish();
  }
  // A record is the new ID and the row.
  const std::size_t record = sizeof(std::uint64_t) + width;
  const auto step = static_cast<std::size_t>(
      std::min<std::uint64_t>(records_per_round(use.exchange_bytes, ranks.size(), 2 * record),
                              feature.rows / ranks.size() + 1));
  record_exchange exchange(ranks, record, step, memory);
  const raw_bytes buffer(step * width, memory);
  const id_range own = readers.rows(feature.type);
  std::uint64_t next = own.begin;
  exchange.run(
      [&](std::uint64_t) {
        const std::uint64_t last = std::min<std::uint64_t>(own.end, next + step);
        input.read_rows(feature, next, last,
                        buffer.first(static_cast<std::size_t>(last - next) * width));
        for (std::uint64_t row = next; row < last; ++row) {
          const auto node = static_cast<std::uint64_t>(
              new_node[static_cast<std::size_t>(row - own.begin)]);
          put_row(exchange.append(shares.of_node(node)), node,
                  buffer.data() + static_cast<std::size_t>(row - next) * width, width);
        }
        next = last;
        if (told) told(std::min<std::uint64_t>((next - own.begin) * ranks.size(), feature.rows));
        return next < own.end;
      },
      [&](std::uint64_t, std::size_t from, std::span<const std::byte> bytes) {
        for_each_record(bytes, record, [&](std::span<const std::byte> one) {
          const std::uint64_t node = place_of_row(one);
          if (!shares.owns_node(node))
            raise(error_kind::internal,
                  concat({"rows of node feature ", graph_schema::quoted(feature.name),
                          " were sent to the wrong rank"}));
          writer.put(from, node, one.data() + sizeof(std::uint64_t));
        });
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

/// Write the inverse of the edges' order to a file: the places of the edges whose rows this rank
/// reads, by slot. Inside run_collective().
template <id Node, id Edge>
scratch_array<Edge> edge_places_to_file(const std::string& folder,
                                        const partition_plan_view<Node, Edge>& plan,
                                        const rank_shares& shares, const row_readers& readers,
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
  const auto first_of = [&](std::size_t p) { return plan.row_begin(plan.part_begin[p]); };
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
              exchange.push(readers.of(old),
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
                                 const row_readers& readers, const feature_places& places,
                                 row_files& files, const std::string& folder,
                                 const dispatch_buffers& use, std::pmr::memory_resource* memory,
                                 communicator_ref ranks, executor_ref run,
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
  const std::uint64_t first_row = readers.rows(feature.type).begin;
  const auto place_of = [&](std::uint64_t row) {
    return place[static_cast<std::size_t>(row - first_row)];
  };
  if (ranks.size() == 1) {
    for_each_row_run(input, feature, memory, run,
                     [&](std::uint64_t first, std::uint64_t last, std::span<const std::byte> bytes,
                         executor_ref with) {
                       with.parallel_for(0, 1, 1, [&](std::size_t, std::size_t) {
                         for (std::uint64_t row = first; row < last; ++row) {
                           const Edge to = place_of(row);
                           if (plan.dropped != 0 && to == no_place<Edge>) continue;
                           const auto at = static_cast<std::uint64_t>(to);
                           put_row(spill.append(static_cast<std::size_t>(at / window_rows)), at,
                                   bytes.data() + (row - first) * width, width);
                         }
                       });
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
            put_row(exchange.append(rank), at,
                    buffer.data() + static_cast<std::size_t>(row - next) * width, width);
          }
          next = last;
          if (told) told((next - first_row) / 2);
          return next < end;
        },
        [&](std::uint64_t, std::size_t, std::span<const std::byte> bytes) {
          for_each_record(bytes, record, [&](std::span<const std::byte> one) {
            const std::uint64_t to = place_of_row(one);
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
        std::memcpy(window.data() + (place_of_row(one) - first) * width,
                    one.data() + sizeof(std::uint64_t), width);
      });
    });
    for (std::uint64_t at = first; at < last;) {
      while (begin[p * types + feature.type] + plan.edges(p, feature.type).size() <= at) ++p;
      const std::uint64_t local = at - begin[p * types + feature.type];
      const std::uint64_t count = std::min(last - at, plan.edges(p, feature.type).size() - local);
      files.write(p, places.sections[p], local * places.row_elements,
                  std::span<const std::byte>(window.all())
                      .subspan(static_cast<std::size_t>(at - first) * width,
                               static_cast<std::size_t>(count) * width));
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
