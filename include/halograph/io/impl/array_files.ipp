// SPDX-License-Identifier: BSL-1.0
/// @file array_files.ipp
/// What the writers of io/write_arrays.hpp share: arrays in files, and edges in the order of their
/// targets.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/io/streamed_graph.hpp>
#include <halograph/io/write_arrays.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/files/staged_folder.hpp>
#include <halograph/serial/layout_writer.hpp>
#include <halograph/serial/npy.hpp>
#include <halograph/serial/tensor.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph::detail {

/// One array of the folder, written in pieces.
class array_file {
 public:
  array_file(staged_folder& staged, written_arrays& made, const std::string& name, dtype type,
             tensor_shape shape)
      : layout_(npy_layout(name, type, std::move(shape))),
        sink_(staged.create(name, layout_.bytes)) {
    ++made.files;
    made.bytes += layout_.bytes;
    sink_.require(write_literals(layout_, sink_));
  }
  /// Integers as the elements first, first + 1, ...
  void put(std::uint64_t first, std::span<const std::uint64_t> values) {
    sink_.require(write_as(sink_, layout_.sections.at(0), first, values));
  }
  /// The same, as they lie in memory.
  void put_elements(std::uint64_t first, std::span<const std::byte> values) {
    sink_.require(write_elements(sink_, layout_.sections.at(0), first, values));
  }
  void close() {
    sink_.sync();
    sink_.close();
  }

 private:
  file_layout layout_;
  staged_sink sink_;
};

HALOGRAPH_INLINE void put_array(staged_folder& staged, written_arrays& made,
                                const std::string& name, dtype type,
                                std::span<const std::uint64_t> values) {
  array_file file(staged, made, name, type, {values.size()});
  file.put(0, values);
  file.close();
}

HALOGRAPH_INLINE void put_text(staged_folder& staged, written_arrays& made, const std::string& name,
                               const std::string& text) {
  staged_sink sink = staged.create(name, text.size());
  sink.require(sink.write_at(0, std::as_bytes(std::span(text))));
  sink.sync();
  sink.close();
  ++made.files;
  made.bytes += text.size();
}

HALOGRAPH_INLINE tensor_shape shape_with(std::uint64_t rows, const tensor_shape& row_shape) {
  tensor_shape out{rows};
  out.insert(out.end(), row_shape.begin(), row_shape.end());
  return out;
}

HALOGRAPH_INLINE void put_feature(staged_folder& staged, written_arrays& made,
                                  const std::string& name, const streamed_feature& rows) {
  array_file file(staged, made, name, rows.element, shape_with(rows.rows, rows.row_shape));
  std::vector<std::byte> buffer;
  for_each_row_block(rows, 0, rows.rows, [&](std::uint64_t first, std::uint64_t last) {
    buffer.resize(static_cast<std::size_t>(last - first) * rows.row_bytes());
    rows.read(first, last, buffer);
    file.put_elements(first * rows.row_elements(), buffer);
  });
  file.close();
}

/// Nodes must fit before anything that grows with them is allocated.
HALOGRAPH_INLINE void require_room_for_nodes(const streamed_graph& g, std::uint64_t bytes_each,
                                             std::uint64_t most) {
  if (g.num_nodes() < most / bytes_each) return;
  raise(error_kind::memory, "each of the " + std::to_string(g.num_nodes()) + " nodes takes " +
                                std::to_string(bytes_each) + " bytes of memory, more than the " +
                                std::to_string(most) + " bytes there are; use a machine with more");
}

/// An edge of type `type`; IDs are typed.
struct incoming_edge {
  std::uint64_t source, target, edge;
  type_id type;
};

/// Edges in the order of places that their targets have, those of one place by type and then by
/// edge ID. Where memory does not hold all, places are taken in several passes over the edges.
/// @tparam Place  place(type, target) below `places`
template <class Place>
class edges_by_target {
 public:
  edges_by_target(const streamed_graph& g, std::vector<type_id> types, std::uint64_t places,
                  Place place)
      : checked_(with_checked_edges(g)), types_(std::move(types)), place_(std::move(place)) {
    begin_.resize(static_cast<std::size_t>(places) + 1);
    visit([&](std::uint64_t at, const incoming_edge&) {
      ++begin_[static_cast<std::size_t>(at) + 1];
    });
    for (std::size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
  }

  /// [places + 1] where the edges of a place begin.
  std::span<const std::uint64_t> begins() const noexcept { return begin_; }

  /// f(first, edges): the edges from place in the order `first` on, from front to back.
  /// @errors memory: those of one place do not fit; mismatch: the edges have changed
  void each(std::uint64_t memory,
            function_ref<void(std::uint64_t, std::span<const incoming_edge>)> f) const {
    const std::uint64_t most = std::max<std::uint64_t>(memory / sizeof(incoming_edge), 1);
    for (std::size_t v = 0; v + 1 < begin_.size(); ++v) {
      if (begin_[v + 1] - begin_[v] <= most) continue;
      raise(error_kind::memory, "a node has " + std::to_string(begin_[v + 1] - begin_[v]) +
                                    " incoming edges, which take " +
                                    std::to_string(sizeof(incoming_edge)) +
                                    " bytes of memory each, but " + std::to_string(memory) +
                                    " bytes are free to sort them; use a machine with more");
    }
    std::vector<incoming_edge> held;
    std::vector<std::uint64_t> next;
    for (std::size_t first = 0; first + 1 < begin_.size();) {
      std::size_t last = first + 1;
      while (last + 1 < begin_.size() && begin_[last + 1] - begin_[first] <= most) ++last;
      const std::uint64_t base = begin_[first];
      if (begin_[last] != base) {
        held.resize(static_cast<std::size_t>(begin_[last] - base));
        next.assign(begin_.begin() + static_cast<std::ptrdiff_t>(first),
                    begin_.begin() + static_cast<std::ptrdiff_t>(last));
        visit([&](std::uint64_t at, const incoming_edge& one) {
          if (at < first || at >= last) return;
          const auto v = static_cast<std::size_t>(at);
          std::uint64_t& to = next[v - first];
          if (to == begin_[v + 1]) changed();
          held[static_cast<std::size_t>(to++ - base)] = one;
        });
        for (std::size_t v = first; v < last; ++v) {
          if (next[v - first] != begin_[v + 1]) changed();
        }
        f(base, held);
      }
      first = last;
    }
  }

 private:
  [[noreturn]] static void changed() {
    raise(error_kind::mismatch,
          "the edges are not those that were read before; leave the input alone while it is read");
  }
  template <class Function>
  void visit(Function&& f) const {
    for (const type_id r : types_) {
      checked_.read_edges(r, 0, checked_.edge_counts[r],
                          [&](std::span<const std::uint64_t> from,
                              std::span<const std::uint64_t> to, std::uint64_t first) {
                            for (std::size_t i = 0; i < to.size(); ++i)
                              f(place_(r, to[i]), incoming_edge{from[i], to[i], first + i, r});
                          });
    }
  }

  streamed_graph checked_;
  std::vector<type_id> types_;
  Place place_;
  std::vector<std::uint64_t> begin_{};
};

}  // namespace halograph::detail
