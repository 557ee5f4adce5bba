// SPDX-License-Identifier: BSL-1.0
/// @file native.ipp
/// Bodies of the plain functions of serial/native.hpp.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/checked_cast.hpp>
#include <halograph/core/error.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/bytes.hpp>
#include <halograph/serial/digest.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/layout.hpp>
#include <halograph/serial/native.hpp>
#include <halograph/serial/serializer.hpp>
#include <halograph/serial/tensor.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph::native::detail {

HALOGRAPH_INLINE file_layout layout_file(std::string file, file_kind kind, std::uint64_t nodes,
                                         std::uint64_t edges,
                                         const std::vector<array_plan>& arrays) {
  std::uint64_t table = header_bytes;
  std::set<std::string_view> names;
  for (const auto& one : arrays) {
    if (one.shape.size() > most_dimensions) {
      raise(error_kind::unsupported, "feature " + graph_schema::quoted(one.name) + " has " +
                                         std::to_string(one.shape.size()) +
                                         " dimensions; at most 32 can be stored");
    }
    if (kind == file_kind::arrays && !names.insert(one.name).second) {
      raise(error_kind::exists, "array " + graph_schema::quoted(one.name) +
                                    " is listed twice; names in a file must differ");
    }
    table = aligned(table + entry_bytes + 8 * one.shape.size() + one.name.size(), 8);
  }

  // Measured first: the header tells the size of the whole.
  layout_builder data(file);
  data.zeros(table);
  for (const auto& one : arrays)
    data.align(alignment).array(one.what, one.item, one.type, one.shape);
  const std::uint64_t total = data.position();
  file_layout measured = std::move(data).finish();

  layout_builder head(file);
  head.bytes(std::as_bytes(std::span(magic)))
      .number(std::uint32_t{1})
      .number(static_cast<std::uint32_t>(kind));
  head.number(total)
      .number(table)
      .number(static_cast<std::uint64_t>(arrays.size()))
      .number(nodes)
      .number(edges);
  head.number(std::uint64_t{0});
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const auto& one = arrays[i];
    head.number(static_cast<std::uint8_t>(one.type))
        .number(static_cast<std::uint8_t>(one.shape.size()));
    head.number(static_cast<std::uint16_t>(one.what));
    head.number(checked_cast<std::uint32_t>(one.name.size(), "the length of a name"));
    head.number(measured.sections[i].offset).number(measured.sections[i].bytes());
    for (const std::uint64_t extent : one.shape) head.number(extent);
    head.text(one.name);
    while (head.position() % 8 != 0) head.number(std::uint8_t{0});
  }
  measured.literals = std::move(head).finish().literals;
  auto& bytes = measured.literals[0].bytes;
  store_le(digest_of(bytes), bytes.data() + 56);
  return measured;
}

}  // namespace halograph::native::detail

namespace halograph::native {

HALOGRAPH_INLINE file_view open(const file_bytes& data, const std::string& file) {
  const std::span<const std::byte> bytes = data.bytes;
  const auto fail = [&](error_kind code, std::string sentence, std::uint64_t byte) {
    raise(code, std::move(sentence), {.file = file, .byte = byte});
  };
  if (bytes.size() < detail::header_bytes) {
    fail(error_kind::truncated,
         "a native file has a header of 64 bytes, this one has " + std::to_string(bytes.size()) +
             " bytes",
         bytes.size());
  }
  if (!is_native(bytes))
    fail(error_kind::malformed, "this is not a native file; one begins with \\x89HGP", 0);
  const auto u32 = [&](std::uint64_t at) { return load_le<std::uint32_t>(bytes.data() + at); };
  const auto u64 = [&](std::uint64_t at) { return load_le<std::uint64_t>(bytes.data() + at); };
  if (u32(8) != 1)
    fail(error_kind::unsupported,
         "the file is of version " + std::to_string(u32(8)) + "; version 1 is read", 8);
  if (u64(16) != bytes.size()) {
    fail(u64(16) > bytes.size() ? error_kind::truncated : error_kind::malformed,
         "the file says to have " + std::to_string(u64(16)) + " bytes, but has " +
             std::to_string(bytes.size()),
         16);
  }
  const std::uint64_t table = u64(24), count = u64(32);
  if (table < detail::header_bytes || table > bytes.size()) {
    fail(error_kind::malformed,
         "header and table are said to have " + std::to_string(table) +
             " bytes; they must have 64 to " + std::to_string(bytes.size()),
         24);
  }
  const auto head = bytes.first(static_cast<std::size_t>(table));
  if (detail::digest_of(head) != u64(56)) {
    fail(error_kind::malformed,
         "header and table do not have the digest that the file was written with; it is damaged",
         56);
  }
  file_view out;
  out.kind = static_cast<file_kind>(u32(12));
  if (out.kind != file_kind::graph && out.kind != file_kind::arrays) {
    fail(error_kind::malformed,
         "the kind of file is " + std::to_string(u32(12)) + "; it must be 1 or 2", 12);
  }
  out.nodes = u64(40);
  out.edges = u64(48);
  if (count > (table - detail::header_bytes) / detail::entry_bytes) {
    fail(error_kind::malformed,
         "the table of " + std::to_string(table - detail::header_bytes) + " bytes cannot list " +
             std::to_string(count) + " sections",
         32);
  }
  out.sections.reserve(static_cast<std::size_t>(count));
  std::uint64_t at = detail::header_bytes, end = table;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t entry = at;
    if (detail::entry_bytes > table - at)
      fail(error_kind::malformed, "the table ends inside an entry", at);
    const auto type = std::to_integer<unsigned>(bytes[static_cast<std::size_t>(at)]),
               rank = std::to_integer<unsigned>(bytes[static_cast<std::size_t>(at) + 1]);
    const auto what = load_le<std::uint16_t>(bytes.data() + at + 2);
    const std::uint64_t name_bytes = u32(at + 4), place = u64(at + 8), size = u64(at + 16);
    if (type > static_cast<unsigned>(dtype::boolean))
      fail(error_kind::malformed, "dtype " + std::to_string(type) + " is none of 0 to 12", at);
    if (rank > detail::most_dimensions)
      fail(error_kind::malformed,
           "an array has " + std::to_string(rank) + " dimensions; 0 to 32 are legal", at + 1);
    if (what > static_cast<unsigned>(column::original_edges))
      fail(error_kind::malformed,
           "a section holds " + std::to_string(what) + ", which is none of 0 to 20", at + 2);
    at += detail::entry_bytes;
    if (8 * rank + name_bytes > table - at)
      fail(error_kind::malformed, "the table ends inside an entry", entry);
    tensor_shape shape;
    for (unsigned d = 0; d < rank; ++d, at += 8) shape.push_back(u64(at));
    std::string name(reinterpret_cast<const char*>(bytes.data()) + at,
                     static_cast<std::size_t>(name_bytes));
    at = detail::aligned(at + name_bytes, 8);
    if (at > table) fail(error_kind::malformed, "the table ends inside an entry", entry);

    std::uint64_t expected = 0;
    try {
      expected = layout_builder::array_bytes(static_cast<dtype>(type), shape);
    } catch (const error& problem) {
      fail(error_kind::malformed, problem.message(), entry + detail::entry_bytes);
    }
    if (size != expected) {
      fail(error_kind::malformed,
           "section " + graph_schema::quoted(name) + " says to have " + std::to_string(size) +
               " bytes, but shape " + to_string(shape) + " takes " + std::to_string(expected),
           entry + 16);
    }
    const std::uint64_t start = detail::aligned(end, detail::alignment);
    if (place != start || place > bytes.size() || size > bytes.size() - place) {
      fail(error_kind::malformed,
           "section " + graph_schema::quoted(name) + " of " + std::to_string(size) +
               " bytes is said to be at byte " + std::to_string(place) + "; it must be at byte " +
               std::to_string(start) + " of " + std::to_string(bytes.size()),
           entry + 8);
    }
    for (std::uint64_t gap = end; gap < start; ++gap) {
      if (bytes[static_cast<std::size_t>(gap)] != std::byte{0})
        fail(error_kind::malformed, "bytes between sections must be zero", gap);
    }
    end = place + size;
    const auto content = bytes.subspan(static_cast<std::size_t>(place),
                                       static_cast<std::size_t>(size));
    const auto element = static_cast<dtype>(type);
    if constexpr (std::endian::native == std::endian::big) {
      auto owned = std::make_shared<std::vector<std::byte>>(content.begin(), content.end());
      swap_elements_to_little_endian(*owned, item_bytes(element));
      const std::span<const std::byte> view(*owned);
      out.sections.push_back({static_cast<column>(what), std::move(name),
                              tensor(element, std::move(shape), view, std::move(owned))});
    } else {
      out.sections.push_back({static_cast<column>(what), std::move(name),
                              tensor(element, std::move(shape), content, data.owner)});
    }
  }
  if (at != table)
    fail(error_kind::malformed, std::to_string(table - at) + " bytes follow the table's last entry",
         at);
  if (end != bytes.size())
    fail(error_kind::malformed,
         std::to_string(bytes.size() - end) + " bytes follow the last section", end);
  return out;
}

}  // namespace halograph::native

namespace halograph {

HALOGRAPH_INLINE part_layout native_serializer::layout(const part_description& plan) const {
  part_layout out;
  out.graph_file = "graph.hgp";
  out.node_feature_file = "node_feats.hgp";
  out.edge_feature_file = "edge_feats.hgp";
  out.files.push_back(graph_layout(out.graph_file, plan));
  out.files.push_back(features(out.node_feature_file, plan.node_features, column::node_feature));
  out.files.push_back(features(out.edge_feature_file, plan.edge_features, column::edge_feature));
  if (plan.mapping) {
    out.original_nodes_file = "orig_nids.hgp";
    out.original_edges_file = "orig_eids.hgp";
    out.files.push_back(
        originals(out.original_nodes_file, plan.original_nodes, column::original_nodes));
    out.files.push_back(
        originals(out.original_edges_file, plan.original_edges, column::original_edges));
  }
  return out;
}

HALOGRAPH_INLINE loaded_structure native_serializer::read_structure(const file_bytes& data,
                                                                    const std::string& file) const {
  native::file_view content = native::open(data, file);
  const auto fail = [&](std::string sentence) {
    raise(error_kind::malformed, std::move(sentence), {.file = file});
  };
  if (content.kind != native::file_kind::graph)
    fail("this file holds arrays by name, where the graph of a part is needed");
  if (content.nodes >= limit || content.edges >= limit)
    fail("a graph must have fewer than 2^63 nodes and edges");
  loaded_structure out;
  out.nodes = content.nodes;
  out.edges = content.edges;
  std::array<std::optional<tensor>, static_cast<std::size_t>(column::node_feature)> found;
  for (auto& one : content.sections) {
    const auto place = static_cast<std::size_t>(one.what);
    if (place >= found.size())
      fail("section " + graph_schema::quoted(one.name) +
           " does not belong into the graph of a part");
    if (found[place]) fail("section " + graph_schema::quoted(one.name) + " is there twice");
    const std::uint64_t rows = rows_of(one.what, out);
    if (one.value.rank() != 1 || one.value.rows() != rows || !is_integer(one.value.type()) ||
        one.value.type() == dtype::boolean) {
      fail("section " + graph_schema::quoted(one.name) + " has shape " +
           to_string(one.value.shape()) + " and dtype " +
           std::string(halograph::name(one.value.type())) + "; it must be " + std::to_string(rows) +
           " integers");
    }
    if (one.what >= column::node_id) {
      auto& columns = one.what < column::edge_id ? out.node_columns : out.edge_columns;
      columns.push_back({std::string(column_name(one.what)), one.value});
    }
    found[place] = std::move(one.value);
  }
  const auto at = [&](column what) -> std::optional<tensor>& {
    return found[static_cast<std::size_t>(what)];
  };
  const auto has = [&](column first, int count) {
    int there = 0;
    for (int i = 0; i < count; ++i)
      there += found[static_cast<std::size_t>(first) + static_cast<std::size_t>(i)].has_value() ? 1
                                                                                                : 0;
    if (there != 0 && there != count) fail("an array of the graph's coo, csr or csc is missing");
    return there != 0;
  };
  if (has(column::coo_source, 2))
    out.coo = coo_columns{*at(column::coo_source), *at(column::coo_target)};
  if (has(column::csr_offsets, 3))
    out.csr = compressed_columns{*at(column::csr_offsets), *at(column::csr_targets),
                                 *at(column::csr_edges)};
  if (has(column::csc_offsets, 3))
    out.csc = compressed_columns{*at(column::csc_offsets), *at(column::csc_sources),
                                 *at(column::csc_edges)};
  if (!out.coo && !out.csr && !out.csc)
    fail("the graph is stored in no format; it must be there as coo, csr or csc");
  return out;
}

HALOGRAPH_INLINE std::vector<named_tensor> native_serializer::read_features(
    const file_bytes& data, const std::string& file) const {
  native::file_view content = native::open(data, file);
  if (content.kind != native::file_kind::arrays) {
    raise(error_kind::malformed,
          "this file holds the graph of a part, where arrays by name are needed",
          {.file = file, .byte = 12});
  }
  std::set<std::string_view> names;
  for (const auto& one : content.sections) {
    if (!names.insert(one.name).second) {
      raise(error_kind::malformed,
            "array " + graph_schema::quoted(one.name) + " is there twice; names must differ",
            {.file = file});
    }
  }
  std::vector<named_tensor> out;
  for (auto& one : content.sections) out.push_back({one.name, one.value});
  return out;
}

HALOGRAPH_INLINE file_layout native_serializer::graph_layout(const std::string& file,
                                                             const part_description& plan) {
  if (plan.formats.empty())
    raise(error_kind::invalid_argument, "a graph must be stored as coo, csr or csc");
  if (plan.nodes >= limit || plan.edges >= limit)
    raise(error_kind::overflow, "a part must have fewer than 2^63 nodes and edges");
  constexpr std::uint64_t narrow = std::numeric_limits<std::int32_t>::max();
  const dtype local = plan.nodes < narrow && plan.edges <= narrow ? dtype::int32 : dtype::int64;
  const loaded_structure counts{.nodes = plan.nodes, .edges = plan.edges};
  std::vector<native::detail::array_plan> arrays;
  const auto add = [&](bool wanted, std::initializer_list<column> columns, dtype type) {
    if (!wanted) return;
    for (const column what : columns)
      arrays.push_back({what, 0, std::string(column_name(what)), type, {rows_of(what, counts)}});
  };
  add(plan.formats.has(sparse_format::coo), {column::coo_source, column::coo_target}, local);
  add(plan.formats.has(sparse_format::csr),
      {column::csr_offsets, column::csr_targets, column::csr_edges}, local);
  add(plan.formats.has(sparse_format::csc),
      {column::csc_offsets, column::csc_sources, column::csc_edges}, local);
  add(true, {column::node_id}, dtype::int64);
  add(true, {column::inner_node}, dtype::uint8);
  add(plan.part_ids, {column::node_part}, dtype::uint32);
  add(plan.types, {column::node_type}, dtype::int32);
  add(plan.original_ids, {column::node_original}, dtype::int64);
  add(true, {column::edge_id}, dtype::int64);
  add(true, {column::inner_edge}, dtype::uint8);
  add(plan.types, {column::edge_type}, dtype::int32);
  add(plan.original_ids, {column::edge_original}, dtype::int64);
  return native::detail::layout_file(file, native::file_kind::graph, plan.nodes, plan.edges,
                                     arrays);
}

HALOGRAPH_INLINE file_layout native_serializer::features(const std::string& file,
                                                         const std::vector<feature_plan>& plans,
                                                         column what) {
  std::vector<native::detail::array_plan> arrays;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (plans[i].shape.empty()) {
      raise(error_kind::invalid_argument, "feature " + graph_schema::quoted(plans[i].key) +
                                              " has no rows; its shape must start with them");
    }
    arrays.push_back({what, i, plans[i].key, plans[i].type, plans[i].shape});
  }
  return native::detail::layout_file(file, native::file_kind::arrays, 0, 0, arrays);
}

HALOGRAPH_INLINE file_layout native_serializer::originals(const std::string& file,
                                                          const std::vector<mapping_plan>& plans,
                                                          column what) {
  std::vector<native::detail::array_plan> arrays;
  for (std::size_t i = 0; i < plans.size(); ++i)
    arrays.push_back({what, i, plans[i].type, dtype::int64, {plans[i].count}});
  return native::detail::layout_file(file, native::file_kind::arrays, 0, 0, arrays);
}

}  // namespace halograph
