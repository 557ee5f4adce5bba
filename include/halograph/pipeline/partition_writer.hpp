// SPDX-License-Identifier: BSL-1.0
/// @file partition_writer.hpp
/// Writes a partition plan as a folder: each part's files, the mapping and the config.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/status.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/folder/node_mapping.hpp>
#include <halograph/folder/quality_report.hpp>
#include <halograph/pipeline/part_column_writer.hpp>
#include <halograph/pipeline/part_columns.hpp>
#include <halograph/pipeline/partition_options.hpp>
#include <halograph/pipeline/partition_plan.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/bytes.hpp>
#include <halograph/serial/feature_store.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/npy.hpp>
#include <halograph/serial/partition_target.hpp>
#include <halograph/serial/serializer.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

namespace detail {

/// Lends scratch objects to the pieces of a parallel loop: as many as run at once.
template <class T>
class scratch_pool {
 public:
  std::unique_ptr<T> take(function_ref<std::unique_ptr<T>()> make) {
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        auto out = std::move(free_.back());
        free_.pop_back();
        return out;
      }
    }
    return make();
  }
  void give(std::unique_ptr<T> used) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(used));
  }

 private:
  std::mutex mutex_{};
  std::vector<std::unique_ptr<T>> free_{};
};

/// "type/name" of every feature; refuses reserved, repeated and unwritable names.
std::vector<std::string> feature_keys(const std::vector<feature<feature_store_ref>>& features,
                                      const graph_schema& schema, bool of_nodes, bool trainers);

/// A part's entry in the config: its files, which lie in `folder` ("part0/").
part_paths part_paths_of(const part_layout& layout, const std::string& folder);

/// Fill config and report with what a plan determines: counts, types, ranges.
void describe_partition(partition_config& config, quality_report& report,
                        const partition_ranges& plan, const graph_schema& schema);

/// Sum up the reports of the parts. @return a warning where parts are empty, or ""
std::string sum_up_parts(quality_report& report);

/// Write text as a file of an output.
void write_text_file(any_output& output, const std::string& name, std::string_view text);

/// Write a column as a `.npy` file of an output.
/// @param threads  of two or more one writes and one digests, where the sink can
template <class T>
void write_npy_column(any_output& output, const std::string& name, std::span<const T> values,
                      executor_ref threads = {}) {
  const auto layout = npy_layout(name, dtype_of<T>(), tensor_shape{values.size()});
  any_sink sink = output.create(name, layout.bytes);
  require_written(sink, write_literals(layout, sink), name);
  const section& where = layout.sections.at(0);
  status answer = status::ok;
  if (threads.concurrency() > 1 && sink.writes_apart() &&
      std::endian::native == std::endian::little) {
    // Memory and file have the same bytes.
    threads.parallel_for(0, 2, 1, [&](std::size_t first, std::size_t last) {
      for (; first < last; ++first) {
        if (first == 0)
          answer = sink.write_apart(where.offset, std::as_bytes(values));
        else
          sink.account_for(where.offset, std::as_bytes(values));
      }
    });
  } else {
    answer = write_as(sink, where, 0, values);
  }
  require_written(sink, answer, name);
  finish_sink(sink);
}

/// What of a partition_writer does not depend on the width of IDs.
class partition_writer_base {
 public:
  partition_writer_base(const graph_schema& schema, feature_set_ref features,
                        const partition_options& options);

  /// Does anything that is written need the original IDs of edges?
  bool needs_original_edges() const noexcept {
    return !features_.edges.empty() || options_.store_original_ids || options_.save_mapping ||
           options_.return_mapping || options_.on_edge_ids || schema_.num_edge_types() > 1;
  }

  /// Complete the description of a part, which determines the sizes of its files.
  /// @param out  its counts: part_columns::describe()
  part_description describe(const partition_ranges& plan, part_description out) const;

 protected:
  void check_rows(const partition_ranges& plan) const;

  void prepare_mapping(const partition_ranges& plan, partition_result& result) const;

  const graph_schema& schema_;
  const feature_set_ref features_;
  const partition_options& options_;
  std::vector<std::string> node_keys_, edge_keys_;
};

/// One run of partition_graph, independent of the graph's type.
template <id Node, id Edge>
class partition_writer : public partition_writer_base {
 public:
  /// Schema, features (the rows) and options, which must outlive this object.
  using partition_writer_base::partition_writer_base;

  /// @param output    of target.begin()
  /// @param trainers  [V] by original ID, or empty
  void write(any_output& output, const any_serializer& format,
             const partition_plan<Node, Edge>& made, const std::vector<part_id>& trainers,
             partition_result& result) const;

 private:
  /// Which parts all threads should share: none where threads that take one part after another
  /// would finish at about the same time.
  static std::vector<bool> parts_to_share(const partition_plan_view<Node, Edge>& plan,
                                          std::size_t threads);

  status fill(any_sink& sink, const section& where, const std::vector<part_id>& trainers,
              const part_columns<Node, Edge>& columns,
              part_column_writer<Node, Edge>& sections) const;

  /// Call take(type, from, original) with the original IDs, within the type, of a part's inner
  /// nodes or edges, in blocks: `from` counts those of the type before.
  template <class Take>
  void for_each_original_id(const partition_plan_view<Node, Edge>& plan,
                            const part_columns<Node, Edge>& columns, bool nodes,
                            executor_ref executor, const Take& take) const;

  /// Parts write disjoint ranges: thread-safe.
  void collect_mapping(const partition_plan_view<Node, Edge>& plan,
                       const part_columns<Node, Edge>& columns, executor_ref executor,
                       partition_result& result) const;

  /// Tell those who listen which IDs a part has.
  void tell_ids(const partition_plan_view<Node, Edge>& plan,
                const part_columns<Node, Edge>& columns, executor_ref executor) const;

  /// The compact mapping: node_mapping.hpp.
  static void write_node_mapping(any_output& output, const partition_plan_view<Node, Edge>& plan,
                                 std::string_view order);

  /// node_map.npy and edge_map.npy: the part of each node and edge by original ID, int64.
  void write_maps(any_output& output, const partition_plan<Node, Edge>& plan) const;
};

template <id Node, id Edge>
void partition_writer<Node, Edge>::write(any_output& output, const any_serializer& format,
                                         const partition_plan<Node, Edge>& made,
                                         const std::vector<part_id>& trainers,
                                         partition_result& result) const {
  const partition_plan_view<Node, Edge> plan = made.view();
  check_rows(plan.ranges());
  auto& config = result.config;
  config.parts.resize(plan.parts);
  result.report.parts.resize(plan.parts);
  prepare_mapping(plan.ranges(), result);
  // First, because parts need more memory than this.
  if (options_.compact_mapping && plan.reshuffled &&
      (plan.parts > 1 || config.node_order != original_order::name)) {
    write_node_mapping(output, plan, config.node_order);
  }
  scratch_pool<part_columns<Node, Edge>> pool;
  std::mutex progress_mutex;
  std::uint64_t finished = 0;
  const auto write_one = [&](std::size_t p, part_columns<Node, Edge>& columns,
                             executor_ref sharing) {
    columns.expand(p, {options_.hops, options_.closing_out_edges, options_.drop_cut_edges});
    const auto described = describe(plan.ranges(), columns.describe());
    const auto layout = format.layout(described);
    check_roles(format, described, layout);
    const std::string folder = concat({"part", p, "/"});
    part_column_writer<Node, Edge> sections(columns, std::pmr::get_default_resource(), sharing);
    write_part(
        layout,
        [&](const file_layout& file) { return output.create(folder + file.name, file.bytes); },
        [&](any_sink& sink, const section& where) {
          return fill(sink, where, trainers, columns, sections);
        });
    config.parts[p] = part_paths_of(layout, folder);
    result.report.parts[p] = columns.report();
    if (options_.return_mapping) collect_mapping(plan, columns, sharing, result);
    tell_ids(plan, columns, sharing);
    const std::lock_guard lock(progress_mutex);
    ++finished;
    if (options_.on_progress) options_.on_progress({"write", finished, plan.parts, "parts"});
  };
  // First the parts that would keep one thread busy while others are idle: all threads share
  // each.
  const executor_ref run = options_.executor;
  const std::size_t threads = run.concurrency();
  const std::vector<bool> shared = parts_to_share(plan, threads);
  if (std::find(shared.begin(), shared.end(), true) != shared.end()) {
    auto columns = pool.take([&] { return std::make_unique<part_columns<Node, Edge>>(plan); });
    for (std::size_t p = 0; p < plan.parts; ++p) {
      if (shared[p]) write_one(p, *columns, run);
    }
    pool.give(std::move(columns));
  }
  run.parallel_for(0, plan.parts, 1, [&](std::size_t first, std::size_t last) {
    auto columns = pool.take([&] { return std::make_unique<part_columns<Node, Edge>>(plan); });
    for (std::size_t p = first; p < last; ++p) {
      if (!shared[p]) write_one(p, *columns, {});
    }
    pool.give(std::move(columns));
  });
  if (!plan.reshuffled) write_maps(output, made);
  if (options_.add_files) options_.add_files(output, result);
  write_text_file(output, options_.graph_name + ".json", json::print(to_json(config)));
  if (std::string note = output.commit(json::one_line(options_.command)); !note.empty())
    result.notes.push_back(std::move(note));
}

template <id Node, id Edge>
std::vector<bool> partition_writer<Node, Edge>::parts_to_share(
    const partition_plan_view<Node, Edge>& plan, std::size_t threads) {
  std::vector<bool> out(plan.parts, false);
  if (threads < 2) return out;
  const std::size_t types = plan.num_edge_types();
  std::vector<std::uint64_t> size(plan.parts), load(threads);
  std::uint64_t total = 0;
  for (std::size_t p = 0; p < plan.parts; ++p) {
    size[p] = plan.edge_bounds[(p + 1) * types] - plan.edge_bounds[p * types];
    if (!plan.cut_lists.begin.empty()) size[p] += plan.cut_lists.of(p).size();
    total += size[p];
    *std::min_element(load.begin(), load.end()) += size[p];
  }
  const std::uint64_t fair = total / threads;
  if (*std::max_element(load.begin(), load.end()) <= fair + fair / 4) return out;
  for (std::size_t p = 0; p < plan.parts; ++p) out[p] = size[p] > fair / 2;
  return out;
}

template <id Node, id Edge>
status partition_writer<Node, Edge>::fill(any_sink& sink, const section& where,
                                          const std::vector<part_id>& trainers,
                                          const part_columns<Node, Edge>& columns,
                                          part_column_writer<Node, Edge>& sections) const {
  if (where.what != column::node_feature && where.what != column::edge_feature)
    return sections.write(sink, where);
  const bool of_nodes = where.what == column::node_feature;
  const auto& all = of_nodes ? features_.nodes : features_.edges;
  if (where.item < all.size())
    return sections.write_rows(sink, where, all[where.item].rows, all[where.item].type, of_nodes);
  const std::size_t type = where.item - all.size();
  const id_range local = of_nodes ? columns.inner_of_type(type) : columns.inner_edges_of_type(type);
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(local.size()));
  if (!of_nodes) columns.targets_into(static_cast<std::size_t>(local.begin), std::span(numbers));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::size_t v = of_nodes ? static_cast<std::size_t>(local.begin) + i
                                   : static_cast<std::size_t>(numbers[i]);
    numbers[i] = static_cast<std::int64_t>(trainers[static_cast<std::size_t>(columns.old_node(v))]);
  }
  return write_as(sink, where, 0, std::span<const std::int64_t>(numbers));
}

template <id Node, id Edge>
template <class Take>
void partition_writer<Node, Edge>::for_each_original_id(const partition_plan_view<Node, Edge>& plan,
                                                        const part_columns<Node, Edge>& columns,
                                                        bool nodes, executor_ref executor,
                                                        const Take& take) const {
  constexpr std::size_t block = std::size_t{1} << 16;
  const auto& type_begin = nodes ? plan.node_type_offsets : plan.edge_type_offsets;
  const std::size_t types = nodes ? plan.num_node_types() : plan.num_edge_types();
  for (std::size_t t = 0; t < types; ++t) {
    const id_range local = nodes ? columns.inner_of_type(t) : columns.inner_edges_of_type(t);
    executor.parallel_for(
        static_cast<std::size_t>(local.begin), static_cast<std::size_t>(local.end), block,
        [&](std::size_t first, std::size_t last) {
          std::vector<std::int64_t> old;
          std::vector<std::uint64_t> original;
          for (; first < last; first += old.size()) {
            old.resize(std::min(block, last - first));
            original.resize(old.size());
            if (!nodes) columns.old_edges_into(first, std::span(old));
            for (std::size_t i = 0; i < old.size(); ++i) {
              original[i] = (nodes ? static_cast<std::uint64_t>(columns.old_node(first + i))
                                   : static_cast<std::uint64_t>(old[i])) -
                            type_begin[t];
            }
            take(t, first - local.begin, std::span<const std::uint64_t>(original));
          }
        });
  }
}

template <id Node, id Edge>
void partition_writer<Node, Edge>::collect_mapping(const partition_plan_view<Node, Edge>& plan,
                                                   const part_columns<Node, Edge>& columns,
                                                   executor_ref executor,
                                                   partition_result& result) const {
  for (const bool nodes : {true, false}) {
    for_each_original_id(
        plan, columns, nodes, executor,
        [&](std::size_t t, std::uint64_t from, std::span<const std::uint64_t> original) {
          for (std::size_t p = 0; p < columns.part(); ++p)
            from += nodes ? plan.nodes(p, t).size() : plan.edges(p, t).size();
          auto& mapping = nodes ? result.node_mapping[t] : result.edge_mapping[t];
          std::copy(original.begin(), original.end(),
                    mapping.begin() + static_cast<std::ptrdiff_t>(from));
        });
  }
}

template <id Node, id Edge>
void partition_writer<Node, Edge>::tell_ids(const partition_plan_view<Node, Edge>& plan,
                                            const part_columns<Node, Edge>& columns,
                                            executor_ref executor) const {
  for (const bool nodes : {true, false}) {
    const id_listener& listener = nodes ? options_.on_node_ids : options_.on_edge_ids;
    if (!listener) continue;
    for_each_original_id(
        plan, columns, nodes, executor,
        [&](std::size_t t, std::uint64_t from, std::span<const std::uint64_t> original) {
          const id_range own = nodes ? plan.nodes(columns.part(), t)
                                     : plan.edges(columns.part(), t);
          listener(static_cast<type_id>(t), own.begin + from, original);
        });
  }
}

template <id Node, id Edge>
void partition_writer<Node, Edge>::write_node_mapping(any_output& output,
                                                      const partition_plan_view<Node, Edge>& plan,
                                                      std::string_view order) {
  const bool by_owner = order == original_order::name;
  const std::uint64_t nodes = plan.num_nodes();
  with_smallest_unsigned(
      by_owner ? plan.parts - 1 : std::max<std::uint64_t>(nodes, 1) - 1, [&](auto zero) {
        using value = decltype(zero);
        std::vector<value> column(static_cast<std::size_t>(nodes));
        for (std::size_t p = 0; p < plan.parts; ++p) {
          for (std::size_t t = 0; t < plan.num_node_types(); ++t) {
            const id_range cell = plan.nodes(p, t);
            for (auto v = static_cast<std::size_t>(cell.begin); v < cell.end; ++v) {
              const std::size_t old = index(plan.old_node[v]);
              if (by_owner)
                column[old] = static_cast<value>(p);
              else
                column[v] = static_cast<value>(old - plan.node_type_offsets[t]);
            }
          }
        }
        write_npy_column(output, std::string(node_mapping_name(order)),
                         std::span<const value>(column));
      });
}

template <id Node, id Edge>
void partition_writer<Node, Edge>::write_maps(any_output& output,
                                              const partition_plan<Node, Edge>& plan) const {
  std::vector<std::int64_t> parts(plan.owner.begin(), plan.owner.end());
  write_npy_column(output, "node_map.npy", std::span<const std::int64_t>(parts));
  parts.assign(plan.sources.size(), 0);
  const auto rows = plan.rows();
  for (std::size_t p = 0; p < plan.parts; ++p) {
    for (auto v = static_cast<std::size_t>(plan.part_begin[p]); v < plan.part_begin[p + 1]; ++v) {
      rows.for_each_in_edge(v, [&](auto, auto k) {
        parts[index(plan.old_edge[index(k)])] = static_cast<std::int64_t>(p);
      });
    }
  }
  write_npy_column(output, "edge_map.npy", std::span<const std::int64_t>(parts));
}

#if HALOGRAPH_COMPILED
// Instantiated in the compiled library (impl/widths.ipp).
extern template class partition_writer<std::uint32_t, std::uint32_t>;
extern template class partition_writer<std::uint32_t, std::uint64_t>;
extern template class partition_writer<std::uint64_t, std::uint64_t>;
#endif

}  // namespace detail

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/pipeline/impl/partition_writer.ipp>
#endif
