// SPDX-License-Identifier: BSL-1.0
/// @file part_column_writer.hpp
/// Writes the columns of a part, and the rows of its features, through fixed buffers.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/core/executor.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/status.hpp>
#include <halograph/pipeline/part_columns.hpp>
#include <halograph/pipeline/partition_plan.hpp>
#include <halograph/serial/bytes.hpp>
#include <halograph/serial/feature_store.hpp>
#include <halograph/serial/layout.hpp>
#include <halograph/serial/layout_writer.hpp>
#include <halograph/serial/serializer.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace halograph {

/// Writes one expanded part, section by section. One thread at a time; make one per part.
template <id Node, id Edge>
class part_column_writer {
 public:
  /// As wide as Node, unsigned.
  using local_id = typename part_columns<Node, Edge>::local_id;

  /// @param part    expanded; must outlive this object
  /// @param memory  for compressed rows, if the part's files have them
  /// @param run     threads that share each column, where parts alone would not keep them busy
  explicit part_column_writer(const part_columns<Node, Edge>& part,
                              std::pmr::memory_resource* memory = std::pmr::get_default_resource(),
                              executor_ref run = {})
      : part_(part),
        plan_(part.plan()),
        run_(run),
        threads_(run.concurrency()),
        source_(memory),
        target_(memory),
        csr_(memory),
        csc_(memory) {}

  /// Write one structural section. @errors those of the sink
  status write(any_sink& sink, const section& where);

  /// Write the rows of a feature for the inner nodes (or edges) of its type, through a fixed
  /// buffer.
  /// @errors those of the store and the sink
  status write_rows(any_sink& sink, const section& where, const feature_store_ref& store,
                    std::size_t type, bool of_nodes);

 private:
  using edge_number = std::make_unsigned_t<Edge>;
  static constexpr std::size_t buffer_bytes = 1 << 18;
  static constexpr std::size_t block = buffer_bytes / sizeof(std::int64_t);

  struct compressed {
    explicit compressed(std::pmr::memory_resource* memory) : offsets(memory), edges(memory) {}
    std::pmr::vector<std::uint64_t> offsets;
    std::pmr::vector<edge_number> edges;  // local edge IDs, ascending in a row
  };

  /// fill(first, out) gives the values from `first` on.
  using block_values = function_ref<void(std::size_t, std::span<std::int64_t>)>;

  status generate(any_sink& sink, const section& where, std::size_t count, block_values fill);
  status fill_and_write(any_sink& sink, const section& where, std::size_t first,
                        std::span<std::int64_t> piece, block_values fill) {
    fill(first, piece);
    return write_as(sink, where, first, std::span<const std::int64_t>(piece));
  }
  /// On several threads, a block each; they write too where the sink can.
  status fill_at_once(any_sink& sink, const section& where, std::size_t first,
                      std::span<std::int64_t> piece, block_values fill);
  /// Let the sink account for what fill_at_once() wrote last.
  void account(any_sink& sink);

  /// Ones, then zeros.
  status flags(any_sink& sink, const section& where, std::size_t ones, std::size_t count);

  /// Keep the endpoints of all edges in memory, for readers out of order.
  void keep_ends();

  /// Stable in edge ID.
  void compress(compressed& out, bool by_source);
  const compressed& csr() {
    if (csr_.offsets.empty()) compress(csr_, true);
    return csr_;
  }
  const compressed& csc() {
    if (csc_.offsets.empty()) compress(csc_, false);
    return csc_;
  }

  void for_each_block(std::size_t blocks, function_ref<void(std::size_t)> f) const;

  const part_columns<Node, Edge>& part_;
  const partition_plan_view<Node, Edge>& plan_;
  executor_ref run_;
  std::size_t threads_;
  std::pmr::vector<local_id> source_, target_;  // of all edges, once compressed rows are needed
  compressed csr_, csc_;
  std::vector<std::int64_t> numbers_{};
  std::span<const std::int64_t> written_{};  // not accounted for yet
  std::uint64_t written_at_ = 0;             // their place in the file
  std::vector<std::uint64_t> ids_{};
  std::vector<std::byte> bytes_{};
};

template <id Node, id Edge>
status part_column_writer<Node, Edge>::write(any_sink& sink, const section& where) {
  // Most columns: a value for each node.
  const auto each = [](auto&& value) {
    return [value](std::size_t first, std::span<std::int64_t> out) {
      for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = static_cast<std::int64_t>(value(first + i));
    };
  };
  switch (where.what) {
    case column::coo_source:
      return generate(
          sink, where, part_.num_edges(),
          [&](std::size_t first, std::span<std::int64_t> out) { part_.sources_into(first, out); });
    case column::coo_target:
      return generate(
          sink, where, part_.num_edges(),
          [&](std::size_t first, std::span<std::int64_t> out) { part_.targets_into(first, out); });
    case column::csr_offsets:
      return write_as(sink, where, 0, std::span<const std::uint64_t>(csr().offsets));
    case column::csr_targets:
      return generate(sink, where, part_.num_edges(),
                      each([&, edges = csr().edges.data()](std::size_t k) {
                        return target_[index(edges[k])];
                      }));
    case column::csr_edges:
      return write_as(sink, where, 0, std::span<const edge_number>(csr().edges));
    case column::csc_offsets:
      return write_as(sink, where, 0, std::span<const std::uint64_t>(csc().offsets));
    case column::csc_sources:
      return generate(sink, where, part_.num_edges(),
                      each([&, edges = csc().edges.data()](std::size_t k) {
                        return source_[index(edges[k])];
                      }));
    case column::csc_edges:
      return write_as(sink, where, 0, std::span<const edge_number>(csc().edges));
    case column::node_id:
      return generate(sink, where, part_.num_nodes(),
                      each([&](std::size_t v) { return part_.new_node(v); }));
    case column::inner_node:
      return flags(sink, where, part_.num_inner_nodes(), part_.num_nodes());
    case column::node_part:
      return generate(sink, where, part_.num_nodes(),
                      each([&](std::size_t v) { return part_.node_owner(v); }));
    case column::node_type:
      return generate(sink, where, part_.num_nodes(),
                      each([&](std::size_t v) { return part_.node_type(v); }));
    case column::node_original:
      return generate(sink, where, part_.num_nodes(), each([&](std::size_t v) {
                        return part_.old_node(v) - plan_.node_type_offsets[part_.node_type(v)];
                      }));
    case column::edge_id:
      return generate(sink, where, part_.num_edges(),
                      [&](std::size_t first, std::span<std::int64_t> out) {
                        part_.new_edges_into(first, out);
                      });
    case column::inner_edge:
      return flags(sink, where, part_.num_inner_edges(), part_.num_edges());
    case column::edge_type:
      return generate(
          sink, where, part_.num_edges(), [&](std::size_t first, std::span<std::int64_t> out) {
            if (plan_.num_edge_types() == 1)
              return std::fill(out.begin(), out.end(), std::int64_t{0});
            part_.old_edges_into(first, out);
            for (auto& one : out)
              one = static_cast<std::int64_t>(plan_.edge_type(static_cast<std::uint64_t>(one)));
          });
    case column::edge_original:
      return generate(
          sink, where, part_.num_edges(), [&](std::size_t first, std::span<std::int64_t> out) {
            part_.old_edges_into(first, out);
            for (auto& one : out) {
              const auto old = static_cast<std::uint64_t>(one);
              one = static_cast<std::int64_t>(old - plan_.edge_type_offsets[plan_.edge_type(old)]);
            }
          });
    case column::original_nodes:
      return generate(sink, where, static_cast<std::size_t>(part_.inner_of_type(where.item).size()),
                      each([&, first = part_.inner_of_type(where.item).begin](std::size_t i) {
                        return part_.old_node(static_cast<std::size_t>(first) + i) -
                               plan_.node_type_offsets[where.item];
                      }));
    case column::original_edges:
      return generate(
          sink, where, static_cast<std::size_t>(part_.inner_edges_of_type(where.item).size()),
          [&, begin = static_cast<std::size_t>(part_.inner_edges_of_type(where.item).begin)](
              std::size_t first, std::span<std::int64_t> out) {
            part_.old_edges_into(begin + first, out);
            for (auto& one : out)
              one -= static_cast<std::int64_t>(plan_.edge_type_offsets[where.item]);
          });
    case column::node_feature:
    case column::edge_feature:
      return status::unsupported;
  }
  return status::internal;
}

template <id Node, id Edge>
status part_column_writer<Node, Edge>::write_rows(any_sink& sink, const section& where,
                                                  const feature_store_ref& store, std::size_t type,
                                                  bool of_nodes) {
  const id_range local = of_nodes ? part_.inner_of_type(type) : part_.inner_edges_of_type(type);
  const std::uint64_t base = of_nodes ? plan_.node_type_offsets[type]
                                      : plan_.edge_type_offsets[type];
  const std::uint64_t row_elements = element_count(store.row_shape());
  const std::size_t row_bytes = static_cast<std::size_t>(row_elements) * item_bytes(store.type());
  if (row_bytes == 0) return status::ok;
  const std::size_t rows_at_once = std::max<std::size_t>(1, buffer_bytes / row_bytes);
  for (std::uint64_t done = 0; done < local.size();) {
    const auto count = static_cast<std::size_t>(
        std::min<std::uint64_t>(rows_at_once, local.size() - done));
    const auto first = static_cast<std::size_t>(local.begin + done);
    ids_.resize(count);
    if (of_nodes) {
      for (std::size_t i = 0; i < count; ++i) ids_[i] = part_.old_node(first + i) - base;
    } else {
      numbers_.resize(std::max(numbers_.size(), count));
      const auto old = std::span(numbers_).first(count);
      part_.old_edges_into(first, old);
      for (std::size_t i = 0; i < count; ++i) ids_[i] = static_cast<std::uint64_t>(old[i]) - base;
    }
    bytes_.resize(count * row_bytes);
    if (const status answer = store.gather(std::span<const std::uint64_t>(ids_), std::span(bytes_));
        !answer)
      return answer;
    if (const status answer = write_elements(sink, where, done * row_elements,
                                             std::span<const std::byte>(bytes_));
        !answer) {
      return answer;
    }
    done += count;
  }
  return status::ok;
}

template <id Node, id Edge>
status part_column_writer<Node, Edge>::generate(any_sink& sink, const section& where,
                                                std::size_t count, block_values fill) {
  const std::size_t window = count > block && threads_ > 1 ? 2 * threads_ * block : block;
  // Two windows in turn: one is accounted for while the next is filled.
  numbers_.resize(std::max(numbers_.size(), std::min(count, window == block ? block : 2 * window)));
  std::size_t done = 0;
  for (bool second = false; done < count; second = !second) {
    const std::size_t size = std::min(window, count - done);
    if (size <= block) {
      account(sink);
      if (const status answer = fill_and_write(sink, where, done, std::span(numbers_).first(size),
                                               fill);
          !answer)
        return answer;
    } else if (const status answer = fill_at_once(
                   sink, where, done, std::span(numbers_).subspan(second ? window : 0, size), fill);
               !answer) {
      written_ = {};
      return answer;
    }
    done += size;
  }
  account(sink);
  return status::ok;
}

template <id Node, id Edge>
void part_column_writer<Node, Edge>::account(any_sink& sink) {
  if (!written_.empty()) sink.account_for(written_at_, std::as_bytes(written_));
  written_ = {};
}

template <id Node, id Edge>
status part_column_writer<Node, Edge>::fill_at_once(any_sink& sink, const section& where,
                                                    std::size_t first,
                                                    std::span<std::int64_t> piece,
                                                    block_values fill) {
  const std::size_t blocks = (piece.size() + block - 1) / block;
  const auto block_of = [&](std::size_t i) {
    return piece.subspan(i * block, std::min(block, piece.size() - i * block));
  };
  // Memory and file have the same bytes.
  if (sink.writes_apart() && where.type == dtype::int64 &&
      std::endian::native == std::endian::little) {
    if (first > where.elements() || piece.size() > where.elements() - first)
      return status::out_of_range.at(first);
    const std::uint64_t offset = where.offset + std::uint64_t{first} * sizeof(std::int64_t);
    std::vector<status> answers(blocks);
    for_each_block(blocks + 1, [&](std::size_t i) {
      if (i == 0) return account(sink);
      fill(first + (i - 1) * block, block_of(i - 1));
      answers[i - 1] = sink.write_apart(offset + (i - 1) * buffer_bytes,
                                        std::as_bytes(block_of(i - 1)));
    });
    for (const status answer : answers) {
      if (!answer) return answer;
    }
    written_ = piece;
    written_at_ = offset;
    return status::ok;
  }
  for_each_block(blocks, [&](std::size_t i) { fill(first + i * block, block_of(i)); });
  return write_as(sink, where, first, std::span<const std::int64_t>(piece));
}

template <id Node, id Edge>
status part_column_writer<Node, Edge>::flags(any_sink& sink, const section& where, std::size_t ones,
                                             std::size_t count) {
  bytes_.resize(std::max(bytes_.size(), std::min(count, buffer_bytes)));
  for (std::size_t done = 0; done < count;) {
    const std::size_t piece = std::min(buffer_bytes, count - done),
                      set = done < ones ? std::min(piece, ones - done) : 0;
    auto* const byte = reinterpret_cast<std::uint8_t*>(bytes_.data());
    std::fill_n(byte, set, std::uint8_t{1});
    std::fill_n(byte + set, piece - set, std::uint8_t{0});
    if (const status answer = write_as(sink, where, done,
                                       std::span<const std::uint8_t>(byte, piece));
        !answer)
      return answer;
    done += piece;
  }
  return status::ok;
}

template <id Node, id Edge>
void part_column_writer<Node, Edge>::keep_ends() {
  if (!source_.empty()) return;
  const auto keep = [&](std::pmr::vector<local_id>& into, block_values fill) {
    into.resize(part_.num_edges());
    numbers_.resize(std::max(numbers_.size(), std::min(into.size(), block)));
    for (std::size_t done = 0; done < into.size();) {
      const auto piece = std::span(numbers_).first(std::min(block, into.size() - done));
      fill(done, piece);
      for (std::size_t i = 0; i < piece.size(); ++i)
        into[done + i] = static_cast<local_id>(piece[i]);
      done += piece.size();
    }
  };
  keep(source_,
       [&](std::size_t first, std::span<std::int64_t> out) { part_.sources_into(first, out); });
  keep(target_,
       [&](std::size_t first, std::span<std::int64_t> out) { part_.targets_into(first, out); });
}

template <id Node, id Edge>
void part_column_writer<Node, Edge>::compress(compressed& out, bool by_source) {
  keep_ends();
  out.offsets.assign(part_.num_nodes() + 1, 0);
  out.edges.resize(part_.num_edges());
  const auto& row = by_source ? source_ : target_;
  for (std::size_t e = 0; e < part_.num_edges(); ++e)
    ++out.offsets[static_cast<std::size_t>(row[e])];
  std::uint64_t sum = 0;
  for (auto& offset : out.offsets) sum += std::exchange(offset, sum);
  for (std::size_t e = 0; e < part_.num_edges(); ++e) {
    auto& next = out.offsets[static_cast<std::size_t>(row[e])];
    out.edges[static_cast<std::size_t>(next++)] = static_cast<edge_number>(e);
  }
  for (std::size_t v = part_.num_nodes(); v > 0; --v) out.offsets[v] = out.offsets[v - 1];
  out.offsets[0] = 0;
}

template <id Node, id Edge>
void part_column_writer<Node, Edge>::for_each_block(std::size_t blocks,
                                                    function_ref<void(std::size_t)> f) const {
  run_.parallel_for(0, blocks, 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) f(i);
  });
}

#if HALOGRAPH_COMPILED
// Instantiated in the compiled library (impl/widths.ipp).
extern template class part_column_writer<std::uint32_t, std::uint32_t>;
extern template class part_column_writer<std::uint32_t, std::uint64_t>;
extern template class part_column_writer<std::uint64_t, std::uint64_t>;
#endif

}  // namespace halograph
