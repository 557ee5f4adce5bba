// SPDX-License-Identifier: BSL-1.0
/// @file write_arrays.ipp
/// Bodies of the plain functions of io/write_arrays.hpp.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/utf8.hpp>
#include <halograph/io/impl/array_files.ipp>
#include <halograph/io/streamed_graph.hpp>
#include <halograph/io/write_arrays.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/tensor.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace halograph::detail {

/// A string as YAML and JSON both read it, whatever is in it: ASCII within quotes.
HALOGRAPH_INLINE std::string yaml_string(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const utf8_character c = first_utf8(text);
    const std::size_t bytes = std::max<std::size_t>(c.bytes, 1);
    if (c.bytes == 1 && c.value >= 0x20 && c.value < 0x7F) {
      if (text[0] == '"' || text[0] == '\\') out += '\\';
      out += text[0];
    } else {
      char escape[11];
      std::snprintf(escape, sizeof escape, "\\U%08X",
                    static_cast<unsigned>(c.bytes == 0 ? U'\uFFFD' : c.value));
      out += escape;
    }
    text.remove_prefix(bytes);
  }
  return out + '"';
}

constexpr dtype least_signed(std::uint64_t count) noexcept {
  return count <= 0x7FFFFFFF ? dtype::int32 : dtype::int64;
}

/// The types in the order of their names, as GraphBolt numbers them.
HALOGRAPH_INLINE std::vector<type_id> by_name(std::size_t types,
                                              function_ref<std::string(type_id)> name) {
  std::vector<std::pair<std::string, type_id>> all;
  for (std::size_t t = 0; t < types; ++t)
    all.emplace_back(name(static_cast<type_id>(t)), static_cast<type_id>(t));
  std::sort(all.begin(), all.end());
  std::vector<type_id> out;
  for (const auto& one : all) out.push_back(one.second);
  return out;
}

/// The arrays of fused_csc_sampling_graph().
HALOGRAPH_INLINE void put_csc(const streamed_graph& g, bool typed,
                              std::span<const type_id> node_types,
                              const std::vector<type_id>& edge_types, staged_folder& staged,
                              written_arrays& made, std::uint64_t memory) {
  const std::uint64_t nodes = g.num_nodes(), edges = g.num_edges();
  std::vector<std::uint64_t> offsets{0}, base(g.node_counts.size()), number(g.edge_counts.size());
  for (const type_id t : node_types) {
    base[t] = offsets.back();
    offsets.push_back(offsets.back() + g.node_counts[t]);
  }
  for (std::size_t i = 0; i < edge_types.size(); ++i) number[edge_types[i]] = i;
  const edges_by_target sorted(g, edge_types, nodes, [&](type_id r, std::uint64_t target) {
    return base[g.schema.target_type(r)] + target;
  });
  const dtype node_dtype = least_signed(nodes), edge_dtype = least_signed(edges);
  put_array(staged, made, "csc/csc_indptr.npy", edge_dtype, sorted.begins());
  array_file indices(staged, made, "csc/indices.npy", node_dtype, {edges});
  array_file ids(staged, made, "csc/original_edge_id.npy", edge_dtype, {edges});
  std::optional<array_file> types;
  if (typed) {
    const std::uint64_t most = edge_types.empty() ? 0 : edge_types.size() - 1;
    types.emplace(staged, made, "csc/type_per_edge.npy",
                  most <= 0xFF     ? dtype::uint8
                  : most <= 0x7FFF ? dtype::int16
                                   : dtype::int32,
                  tensor_shape{edges});
  }
  std::vector<std::uint64_t> column;
  const auto put = [&](array_file& file, std::uint64_t first, std::span<const incoming_edge> all,
                       auto&& number_of) {
    while (!all.empty()) {
      const auto block = all.first(
          std::min<std::size_t>(all.size(), static_cast<std::size_t>(edges_per_block)));
      column.clear();
      for (const auto& one : block) column.push_back(number_of(one));
      file.put(first, column);
      first += block.size();
      all = all.subspan(block.size());
    }
  };
  sorted.each(memory, [&](std::uint64_t first, std::span<const incoming_edge> all) {
    put(indices, first, all, [&](const incoming_edge& one) {
      return base[g.schema.source_type(one.type)] + one.source;
    });
    put(ids, first, all, [](const incoming_edge& one) { return one.edge; });
    if (types) put(*types, first, all, [&](const incoming_edge& one) { return number[one.type]; });
  });
  indices.close();
  ids.close();
  if (!types) return;
  types->close();
  put_array(staged, made, "csc/node_type_offset.npy", node_dtype, offsets);
  json::value node_numbers{json::object{}}, edge_numbers{json::object{}};
  for (std::size_t i = 0; i < node_types.size(); ++i)
    node_numbers.set(g.schema.node_type_name(node_types[i]), i);
  for (std::size_t i = 0; i < edge_types.size(); ++i)
    edge_numbers.set(g.schema.edge_type_name(edge_types[i]).str(), i);
  put_text(staged, made, "csc/types.json",
           json::print(json::object{{"node_type_to_id", std::move(node_numbers)},
                                    {"edge_type_to_id", std::move(edge_numbers)}}));
}

/// Sources in the first row, targets in the second.
HALOGRAPH_INLINE void put_pairs(const streamed_graph& checked, type_id r, const std::string& name,
                                staged_folder& staged, written_arrays& made) {
  const std::uint64_t edges = checked.edge_counts[r];
  array_file file(staged, made, name, dtype::int64, {2, edges});
  checked.read_edges(r, 0, edges,
                     [&](std::span<const std::uint64_t> from, std::span<const std::uint64_t> to,
                         std::uint64_t first) {
                       file.put(first, from);
                       file.put(edges + first, to);
                     });
  file.close();
}

}  // namespace halograph::detail

namespace halograph {

HALOGRAPH_INLINE written_arrays write_graphbolt(const streamed_graph& g, staged_folder& staged,
                                                const write_arrays_options& options) {
  validate(g);
  detail::require_room_for_nodes(g, 16, options.most_bytes);
  const bool typed = g.schema != graph_schema::homogeneous();
  const auto node_types = detail::by_name(g.node_counts.size(),
                                          [&](type_id t) { return g.schema.node_type_name(t); });
  const auto edge_types = detail::by_name(
      g.edge_counts.size(), [&](type_id r) { return g.schema.edge_type_name(r).str(); });
  written_arrays made;
  const streamed_graph checked = detail::with_checked_edges(g);
  std::string yaml = "dataset_name: " + detail::yaml_string(g.name) + "\ngraph:\n  nodes:";
  // A list of mappings: the first key stands behind the dash.
  const auto type_line = [&](const std::string& type) {
    return typed ? "type: " + detail::yaml_string(type) + "\n      " : std::string();
  };
  if (node_types.empty()) yaml += " []";
  for (const type_id t : node_types) {
    yaml += "\n    - " + type_line(g.schema.node_type_name(t)) +
            "num: " + std::to_string(g.node_counts[t]);
  }
  yaml += "\n  edges:";
  if (edge_types.empty()) yaml += " []";
  for (const type_id r : edge_types) {
    const std::string type = g.schema.edge_type_name(r).str(),
                      path = "edges/" + (typed ? type : std::string("edges")) + ".npy";
    detail::put_pairs(checked, r, path, staged, made);
    yaml += "\n    - " + type_line(type) +
            "format: numpy\n      path: " + detail::yaml_string(path);
  }
  yaml += '\n';
  if (!g.node_features.empty() || !g.edge_features.empty()) yaml += "feature_data:\n";
  const auto features = [&](const std::vector<streamed_feature>& all, const std::string& domain,
                            function_ref<std::string(type_id)> type_of) {
    for (const auto& one : all) {
      const std::string type = type_of(one.type),
                        path = domain + "_data/" + (typed ? type + "/" : "") + one.name + ".npy";
      detail::put_feature(staged, made, path, one);
      yaml += "  - domain: " + domain + "\n    ";
      if (typed) yaml += "type: " + detail::yaml_string(type) + "\n    ";
      yaml += "name: " + detail::yaml_string(one.name) +
              "\n    format: numpy\n    path: " + detail::yaml_string(path) + '\n';
    }
  };
  features(g.node_features, "node", [&](type_id t) { return g.schema.node_type_name(t); });
  features(g.edge_features, "edge", [&](type_id r) { return g.schema.edge_type_name(r).str(); });
  detail::put_text(staged, made, "metadata.yaml", yaml);
  detail::put_csc(g, typed, node_types, edge_types, staged, made, options.memory);
  return made;
}

}  // namespace halograph

namespace halograph::detail {

/// Calls f(first, owners) for the rows of a feature in order: owners[i] is the part of row first +
/// i.
using owner_blocks =
    function_ref<void(function_ref<void(std::uint64_t, std::span<const part_id>)>)>;

/// The files of a partitioned graph.
class part_arrays {
 public:
  part_arrays(const streamed_graph& g, std::span<const part_id> owner, part_id parts,
              staged_folder& staged, const write_arrays_options& options)
      : g_(g),
        checked_(with_checked_edges(g)),
        owner_(owner),
        parts_(parts),
        typed_(g.schema != graph_schema::homogeneous()),
        staged_(staged),
        options_(options) {}

  written_arrays run() {
    std::uint64_t nodes = 0, edges = 0;
    json::value node_types{json::array{}}, edge_types{json::array{}}, offsets{json::array{}};
    check_names();
    for (std::size_t t = 0; t < g_.node_counts.size(); ++t) {
      node_types.push(g_.schema.node_types()[t]);
      offsets.push(nodes);
      first_node_.push_back(nodes);
      nodes += g_.node_counts[t];
    }
    for (std::size_t t = 0; t < g_.node_counts.size(); ++t) write_nodes(static_cast<type_id>(t));
    for (std::size_t r = 0; r < g_.edge_counts.size(); ++r) {
      const canonical_etype& type = g_.schema.edge_types()[r];
      edge_types.push(json::array{type.source, type.relation, type.target});
      write_edges(static_cast<type_id>(r), edges);
      edges += g_.edge_counts[r];
    }
    json::value meta{json::object{}};
    meta.set("num_parts", parts_)
        .set("node_types", typed_ ? std::move(node_types) : json::value())
        .set("edge_types", typed_ ? std::move(edge_types) : json::value())
        .set("node_offset", typed_ ? std::move(offsets) : json::value())
        .set("is_hetero", typed_)
        .set("is_sorted", true);
    put_text(staged_, made_, "META.json", json::print(meta));
    return made_;
  }

 private:
  /// As many files of one kind are open at once.
  static constexpr std::size_t most_open = 64;

  std::string edge_name(type_id r) const {
    const canonical_etype& type = g_.schema.edge_type_name(r);
    return type.source + "__" + type.relation + "__" + type.target;
  }
  void check_names() const {
    std::set<std::string> names;
    for (std::size_t r = 0; r < g_.edge_counts.size(); ++r) {
      const std::string one = edge_name(static_cast<type_id>(r));
      if (names.insert(one).second) continue;
      raise(error_kind::exists, "two edge types become " + graph_schema::quoted(one) +
                                    " in this layout; rename one of them");
    }
  }
  std::string file_in(std::size_t part, const char* kind, const std::string& type,
                      const std::string& name) const {
    return "part_" + std::to_string(part) + "/" + kind + "/" + (typed_ ? type + "/" : "") + name +
           ".npy";
  }
  std::span<const part_id> owners_of(type_id t) const {
    return owner_.subspan(static_cast<std::size_t>(first_node_[t]),
                          static_cast<std::size_t>(g_.node_counts[t]));
  }

  /// The rows of each part, in their order, as a file of its own.
  void scatter(const streamed_feature& rows, std::span<const std::uint64_t> counts,
               owner_blocks blocks, function_ref<std::string(std::size_t)> name) {
    const std::size_t width = rows.row_bytes();
    const std::uint64_t at_once = std::max<std::uint64_t>(
        row_block_bytes / std::max<std::size_t>(width, 8), 1);
    std::vector<std::byte> buffer;
    for (std::size_t low = 0; low < counts.size(); low += most_open) {
      const std::size_t high = std::min(low + most_open, counts.size());
      std::vector<array_file> files;
      std::vector<std::vector<std::byte>> held(high - low);
      std::vector<std::uint64_t> next(high - low);
      for (std::size_t p = low; p < high; ++p)
        files.emplace_back(staged_, made_, name(p), rows.element,
                           shape_with(counts[p], rows.row_shape));
      blocks([&](std::uint64_t first, std::span<const part_id> owners) {
        while (width != 0 && !owners.empty()) {
          const auto count = static_cast<std::size_t>(
              std::min<std::uint64_t>(at_once, owners.size()));
          buffer.resize(count * width);
          rows.read(first, first + count, buffer);
          for (std::size_t i = 0; i < count; ++i) {
            const std::size_t p = owners[i];
            if (p < low || p >= high) continue;
            const auto row = std::span(buffer).subspan(i * width, width);
            held[p - low].insert(held[p - low].end(), row.begin(), row.end());
          }
          for (std::size_t p = 0; p < held.size(); ++p) {
            if (held[p].empty()) continue;
            files[p].put_elements(next[p] * rows.row_elements(), held[p]);
            next[p] += held[p].size() / width;
            held[p].clear();
          }
          first += count;
          owners = owners.subspan(count);
        }
      });
      for (auto& file : files) file.close();
    }
  }
  /// Numbers that count up, as a feature.
  static streamed_feature numbers(std::uint64_t rows, std::uint64_t base) {
    streamed_feature out;
    out.element = dtype::int64;
    out.rows = rows;
    out.read = [base](std::uint64_t first, std::uint64_t last, std::span<std::byte> bytes) {
      for (std::uint64_t i = first; i < last; ++i) {
        const std::uint64_t value = base + i;
        std::memcpy(bytes.data() + (i - first) * sizeof value, &value, sizeof value);
      }
    };
    return out;
  }

  void write_nodes(type_id t) {
    const std::string& type = g_.schema.node_type_name(t);
    const auto owners = owners_of(t);
    std::vector<std::uint64_t> counts(parts_);
    for (const part_id p : owners) ++counts[p];
    const auto blocks = [&](function_ref<void(std::uint64_t, std::span<const part_id>)> f) {
      f(0, owners);
    };
    array_file map(staged_, made_, typed_ ? "node_map/" + type + ".npy" : "node_map.npy",
                   dtype::int64, {owners.size()});
    put_owners(map, 0, owners);
    map.close();
    const auto put = [&](const streamed_feature& rows, const std::string& file) {
      scatter(rows, counts, blocks,
              [&](std::size_t p) { return file_in(p, "node_feats", type, file); });
    };
    put(numbers(owners.size(), first_node_[t]), "global_id");
    if (typed_) put(numbers(owners.size(), 0), "id");
    for (const auto& one : g_.node_features) {
      if (one.type == t) put(one, "feats/" + one.name);
    }
  }
  void put_owners(array_file& file, std::uint64_t first, std::span<const part_id> owners) {
    for (std::size_t i = 0; i < owners.size(); i += column_.size()) {
      column_.clear();
      for (std::size_t k = i; k < owners.size() && k - i < edges_per_block; ++k)
        column_.push_back(owners[k]);
      file.put(first + i, column_);
    }
  }

  void write_edges(type_id r, std::uint64_t first_edge) {
    const std::string type = edge_name(r);
    const type_id target_type = g_.schema.target_type(r);
    const auto owners = owners_of(target_type);
    // Targets by part, then by ID.
    std::vector<std::uint64_t> begin(std::size_t{parts_} + 1);
    for (const part_id p : owners) ++begin[std::size_t{p} + 1];
    for (std::size_t p = 0; p < parts_; ++p) begin[p + 1] += begin[p];
    std::vector<std::uint64_t> place(owners.size()), next(begin.begin(), begin.end() - 1);
    for (std::size_t v = 0; v < owners.size(); ++v) place[v] = next[owners[v]]++;
    const edges_by_target sorted(g_, {r}, owners.size(), [&](type_id, std::uint64_t target) {
      return place[static_cast<std::size_t>(target)];
    });
    std::vector<std::uint64_t> counts;
    for (std::size_t p = 0; p < parts_; ++p) {
      counts.push_back(sorted.begins()[static_cast<std::size_t>(begin[p + 1])] -
                       sorted.begins()[static_cast<std::size_t>(begin[p])]);
    }
    write_graphs(r, type, sorted, counts, first_edge);

    const auto blocks = [&](function_ref<void(std::uint64_t, std::span<const part_id>)> f) {
      std::vector<part_id> of_targets;
      checked_.read_edges(r, 0, g_.edge_counts[r],
                          [&](std::span<const std::uint64_t>, std::span<const std::uint64_t> to,
                              std::uint64_t first) {
                            of_targets.clear();
                            for (const auto v : to)
                              of_targets.push_back(owners[static_cast<std::size_t>(v)]);
                            f(first, of_targets);
                          });
    };
    array_file map(staged_, made_, typed_ ? "edge_map/" + type + ".npy" : "edge_map.npy",
                   dtype::int64, {g_.edge_counts[r]});
    blocks(
        [&](std::uint64_t first, std::span<const part_id> some) { put_owners(map, first, some); });
    map.close();
    const auto put = [&](const streamed_feature& rows, const std::string& file) {
      scatter(rows, counts, blocks,
              [&](std::size_t p) { return file_in(p, "edge_feats", type, file); });
    };
    bool any = false;
    for (const auto& one : g_.edge_features) {
      if (one.type != r) continue;
      if (!std::exchange(any, true)) put(numbers(g_.edge_counts[r], 0), "global_id");
      put(one, "feats/" + one.name);
    }
  }

  /// row, col and edge_id of each part, which follow each other in the order of the targets.
  template <class Sorted>
  void write_graphs(type_id r, const std::string& type, const Sorted& sorted,
                    std::span<const std::uint64_t> counts, std::uint64_t first_edge) {
    std::vector<array_file> files;
    std::size_t part = 0;
    std::uint64_t begin = 0;  // of the part, among all edges
    const auto open = [&] {
      for (const char* name : {"row", "col", "edge_id"})
        files.emplace_back(staged_, made_, file_in(part, "graph", type, name), dtype::int64,
                           tensor_shape{counts[part]});
      const std::uint64_t size[] = {g_.node_counts[g_.schema.source_type(r)],
                                    g_.node_counts[g_.schema.target_type(r)]};
      put_array(staged_, made_, file_in(part, "graph", type, "size"), dtype::int64, size);
    };
    const auto close = [&] {
      for (auto& file : files) file.close();
      files.clear();
      begin += counts[part++];
    };
    const auto put = [&](array_file& file, std::uint64_t first, std::span<const incoming_edge> all,
                         auto&& number) {
      column_.clear();
      for (const auto& one : all) column_.push_back(number(one));
      file.put(first, column_);
    };
    open();
    sorted.each(options_.memory, [&](std::uint64_t first, std::span<const incoming_edge> all) {
      while (!all.empty()) {
        while (first == begin + counts[part]) {
          close();
          open();
        }
        const auto here = all.first(static_cast<std::size_t>(
            std::min<std::uint64_t>({all.size(), begin + counts[part] - first, edges_per_block})));
        put(files[0], first - begin, here, [](const incoming_edge& one) { return one.source; });
        put(files[1], first - begin, here, [](const incoming_edge& one) { return one.target; });
        put(files[2], first - begin, here,
            [&](const incoming_edge& one) { return first_edge + one.edge; });
        first += here.size();
        all = all.subspan(here.size());
      }
    });
    close();
    while (part < counts.size()) {
      open();
      close();
    }
  }

  const streamed_graph& g_;
  streamed_graph checked_;
  std::span<const part_id> owner_;
  part_id parts_;
  bool typed_;
  staged_folder& staged_;
  const write_arrays_options& options_;
  std::vector<std::uint64_t> first_node_{}, column_{};
  written_arrays made_{};
};

}  // namespace halograph::detail

namespace halograph {

HALOGRAPH_INLINE written_arrays write_pyg(const streamed_graph& g, const any_id_row& owner,
                                          part_id parts, staged_folder& staged,
                                          const write_arrays_options& options) {
  validate(g);
  if (owner.size() != g.num_nodes()) {
    raise(error_kind::mismatch, "there are " + std::to_string(owner.size()) + " parts for " +
                                    std::to_string(g.num_nodes()) + " nodes; each node needs one");
  }
  if (parts == 0) raise(error_kind::out_of_range, "there are 0 parts; there must be one or more");
  return owner.visit([&](auto ids) {
    if (const std::size_t v = owner.find_outside(parts); v != ids.size()) {
      raise(error_kind::out_of_range, "node " + std::to_string(v) + " has part " +
                                          std::to_string(ids[v]) + "; there are " +
                                          std::to_string(parts));
    }
    using source = typename decltype(ids)::value_type;
    constexpr bool same = std::is_same_v<source, part_id>;
    detail::require_room_for_nodes(g, same ? 28 : 32, options.most_bytes);
    if constexpr (same) {
      return detail::part_arrays(g, ids, parts, staged, options).run();
    } else {
      std::vector<part_id> own(ids.size());
      std::transform(ids.begin(), ids.end(), own.begin(),
                     [](source part) { return static_cast<part_id>(part); });
      return detail::part_arrays(g, own, parts, staged, options).run();
    }
  });
}

}  // namespace halograph
