// SPDX-License-Identifier: BSL-1.0
/// @file serial_laws.hpp
/// The laws of serializers, JSON codecs, file openers and tables.
/// Layer: testing (no test framework: a law returns a verdict). Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/status.hpp>
#include <halograph/serial/bytes.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/layout.hpp>
#include <halograph/serial/layout_writer.hpp>
#include <halograph/serial/serializer.hpp>
#include <halograph/serial/table.hpp>
#include <halograph/serial/tensor.hpp>
#include <halograph/testing/laws/verdict.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph::laws {

/// Valid JSON (RFC 8259) gives its value, keys in order and 64-bit integers exact; any other text
/// is malformed, at a byte of the text or its end; nesting that is too deep for the codec may be
/// unsupported.
template <halograph::json_codec Codec>
verdict json_codec(const Codec& codec) {
  using json::array, json::object, json::value;
  // Member by member and element by element: compilers differ in what nested braces mean.
  const value nested = value().push(1).push(value().push(2)).push(value().set("a", value()));
  const value ordered = value().set("b", 1).set("a", value().set("z", 2).set("y", 3));
  const std::vector<std::pair<std::string, value>> texts{
      {"null", {}},
      {" true\r\n", true},
      {"\tfalse", false},
      {"0", 0},
      {"-9223372036854775808", std::numeric_limits<std::int64_t>::min()},
      {"18446744073709551615", std::numeric_limits<std::uint64_t>::max()},
      {"1.5", 1.5},
      {"-25e-2", -0.25},
      {"\"\"", ""},
      {"\"a\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\"", "a\"\\/\b\f\n\r\tA"},
      {"\"\\u00e9\\ud83d\\ude00\"", "\xC3\xA9\xF0\x9F\x98\x80"},
      {"\"\xC3\xA9\"", "\xC3\xA9"},
      {"[]", array{}},
      {"{}", object{}},
      {"[1, [2], {\"a\": null}]", nested},
      {"{\"b\": 1, \"a\": {\"z\": 2, \"y\": 3}}", ordered},
  };
  for (const auto& [text, expected] : texts) {
    value out = "something else";
    if (const status answer = codec.parse(text, out); !answer)
      return detail::broken(text + " is rejected with " + std::string(name(answer.code)));
    if (out != expected)
      return detail::broken(text + " becomes " + json::print(out, 0) + ", not " +
                            json::print(expected, 0));
  }
  std::vector<std::string> wrong{
      "",      " ",        "nul",          "[1,]", "[1 2]",    "{\"a\": 1,}", "{\"a\"}", "{a: 1}",
      "01",    "1.",       ".5",           "+1",   "'a'",      "\"a",         "\"\n\"",  "\"\\x\"",
      "[1] 2", "// no\n1", "[1 /* no */]", "NaN",  "Infinity", "[",           "]"};
  wrong.push_back(std::string(100'000, '['));
  for (const auto& text : wrong) {
    value out;
    const status answer = codec.parse(text, out);
    const std::string shown = text.size() > 40 ? text.substr(0, 3) + "... (" +
                                                     std::to_string(text.size()) + " bytes)"
                                               : "\"" + text + "\"";
    const bool too_deep = text.size() > 1000 && answer == status::unsupported;
    if (answer != status::malformed && !too_deep)
      return detail::broken(shown + " is not JSON and must be malformed, not " +
                            std::string(name(answer.code)));
    if (answer.position > text.size())
      return detail::broken(shown + " is malformed at byte " + std::to_string(answer.position) +
                            ", beyond its end");
  }
  return {};
}

/// Returns the file's bytes, which stay valid as long as a copy of the handle; for a missing file
/// it throws an error that names it.
/// @param path     of a file that holds `content`
/// @param missing  a path without a file
template <halograph::file_opener Opener>
verdict file_opener(const Opener& open, const std::string& path, std::span<const std::byte> content,
                    const std::string& missing) {
  file_bytes kept;
  try {
    const file_bytes opened = open(path);
    kept = opened;
  } catch (const std::exception& problem) {
    return detail::broken(std::string("the file cannot be opened: ") + problem.what());
  }
  if (kept.bytes.size() != content.size() ||
      !std::equal(content.begin(), content.end(), kept.bytes.begin())) {
    return detail::broken("the file's " + std::to_string(content.size()) + " bytes are not the " +
                          std::to_string(kept.bytes.size()) + " bytes that were opened");
  }
  try {
    static_cast<void>(open(missing));
  } catch (const error& problem) {
    if (problem.where().file != missing)
      return detail::broken("the error for a missing file must name it as where().file");
    return {};
  }
  return detail::broken("a missing file must throw halograph::error");
}

namespace detail {

/// A part with everything that a plan can hold: 3 nodes, edges 2->0, 0->1, 1->2, the last of each
/// not inner.
inline part_description example_part(sparse_formats formats) {
  part_description part;
  part.parts = 2;
  part.nodes = part.edges = 3;
  part.inner_nodes = part.inner_edges = 2;
  part.types = part.part_ids = part.original_ids = part.mapping = true;
  part.formats = formats;
  part.node_features = {{"user/w", dtype::float32, {2, 2}}, {"item/n", dtype::int64, {0}}};
  part.edge_features = {{"user:buys:item/n", dtype::int16, {2}}};
  part.original_nodes = {{"user", 2}, {"item", 0}};
  part.original_edges = {{"user:buys:item", 2}};
  return part;
}

/// Its columns, as narrow integers, which writing widens.
inline tensor example_column(const section& target) {
  const auto of = [](std::vector<std::int16_t> values) { return tensor::from(std::move(values)); };
  switch (target.what) {
    case column::coo_source:
    case column::csc_sources:
      return of({2, 0, 1});
    case column::coo_target:
      return of({0, 1, 2});
    case column::csr_targets:
    case column::csr_edges:
      return of({1, 2, 0});
    case column::csr_offsets:
    case column::csc_offsets:
      return of({0, 1, 2, 3});
    case column::csc_edges:
      return of({0, 1, 2});
    case column::node_id:
      return of({0, 1, 4});
    case column::inner_node:
    case column::inner_edge:
      return of({1, 1, 0});
    case column::node_part:
      return of({0, 0, 1});
    case column::node_type:
      return of({0, 0, 1});
    case column::node_original:
      return of({3, 5, 7});
    case column::edge_id:
      return of({0, 1, 5});
    case column::edge_type:
      return of({0, 0, 0});
    case column::edge_original:
      return of({8, 9, 10});
    case column::node_feature:
      return target.item == 0 ? tensor::from(std::vector<float>{1, 2, 3, 4}, {2, 2})
                              : tensor::from(std::vector<std::int64_t>{});
    case column::edge_feature:
      return of({-1, 1});
    case column::original_nodes:
      return target.item == 0 ? of({3, 5}) : of({});
    case column::original_edges:
      return of({8, 9});
  }
  return {};
}

/// Are the integers equal, whatever their width?
inline bool same_integers(const tensor& stored, const std::vector<std::int64_t>& expected) {
  if (!is_integer(stored.type()) || element_count(stored.shape()) != expected.size()) return false;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (stored.integer(i) != expected[i]) return false;
  }
  return true;
}

inline std::string list_of(const std::vector<std::int64_t>& values) {
  std::string out;
  for (const auto value : values) out += (out.empty() ? "" : " ") + std::to_string(value);
  return out;
}

/// Check what read_structure returns for example_part(). @return "" or what is wrong
inline std::string check_example_structure(const loaded_structure& part, sparse_formats formats) {
  if (part.nodes != 3 || part.edges != 3) return "does not give 3 nodes and 3 edges";
  // Sparse rows may come in either order of equal entries; the example has one entry in each row.
  const auto wrong = [](const std::string& what, const tensor& stored,
                        const std::vector<std::int64_t>& expected) {
    return same_integers(stored, expected) ? std::string()
                                           : "does not give the " + what + " " + list_of(expected);
  };
  if (!part.coo && !part.csr && !part.csc) return "gives no structure";
  if (formats.has(sparse_format::coo) && !part.coo)
    return "does not give the coo that it was to store";
  if (formats.has(sparse_format::csr) && !part.csr)
    return "does not give the csr that it was to store";
  if (formats.has(sparse_format::csc) && !part.csc)
    return "does not give the csc that it was to store";
  std::string problem;
  const auto look = [&](const std::string& what, const tensor& stored,
                        const std::vector<std::int64_t>& expected) {
    if (problem.empty()) problem = wrong(what, stored, expected);
  };
  if (part.coo) {
    look("coo sources", part.coo->source, {2, 0, 1});
    look("coo targets", part.coo->target, {0, 1, 2});
  }
  if (part.csr) {
    look("csr offsets", part.csr->offsets, {0, 1, 2, 3});
    look("csr targets", part.csr->neighbors, {1, 2, 0});
    look("csr edge IDs", part.csr->edges, {1, 2, 0});
  }
  if (part.csc) {
    look("csc offsets", part.csc->offsets, {0, 1, 2, 3});
    look("csc sources", part.csc->neighbors, {2, 0, 1});
    if (element_count(part.csc->edges.shape()) != 0)
      look("csc edge IDs", part.csc->edges, {0, 1, 2});
  }
  const auto columns =
      [&](const std::vector<named_tensor>& stored, const char* of,
          const std::vector<std::pair<std::string, std::vector<std::int64_t>>>& expected) {
        for (const auto& [key, values] : expected) {
          const auto found = std::find_if(
              stored.begin(), stored.end(),
              [&, wanted = key](const named_tensor& one) { return one.name == wanted; });
          if (found == stored.end()) {
            if (problem.empty()) problem = "does not give the column " + key + " of " + of;
          } else {
            look("values in " + key + " of " + of, found->value, values);
          }
        }
      };
  columns(part.node_columns, "nodes",
          {{"_ID", {0, 1, 4}},
           {"inner_node", {1, 1, 0}},
           {"part_id", {0, 0, 1}},
           {"_TYPE", {0, 0, 1}},
           {"orig_id", {3, 5, 7}}});
  columns(part.edge_columns, "edges",
          {{"_ID", {0, 1, 5}},
           {"inner_edge", {1, 1, 0}},
           {"_TYPE", {0, 0, 0}},
           {"orig_id", {8, 9, 10}}});
  return problem;
}

}  // namespace detail

/// The sections of a layout fit into their files without overlap; each file is named once, and the
/// roles name files of the layout; the same plan gives the same layout; reading gives what was
/// written into the sections, for every combination of sparse formats; a truncated file is rejected
/// with an error that names it.
template <halograph::serializer Serializer>
verdict serializer(const Serializer& format) {
  if (std::string_view(format.name()).empty()) return detail::broken("name() must not be empty");
  for (std::uint8_t bits = 1; bits < 8; ++bits) {
    const part_description plan = detail::example_part({bits});
    const std::string with = " (formats " + plan.formats.str() + ")";
    const auto broken = [&](const std::string& why) { return detail::broken(why + with); };
    const part_layout layout = format.layout(plan);
    std::map<std::string, std::vector<std::byte>> files;
    for (const auto& file : layout.files) {
      if (const status fits = check_layout(file); !fits) {
        return broken("the layout of " + file.name + " overlaps or leaves the file at byte " +
                      std::to_string(fits.position));
      }
      memory_sink sink;
      try {
        save(file, sink, detail::example_column);
      } catch (const error& problem) {
        return broken(std::string("the columns do not fit the layout: ") + problem.what());
      }
      auto& bytes = files[file.name];
      if (!bytes.empty()) return broken("two files have the name " + file.name);
      bytes.assign(sink.bytes().begin(), sink.bytes().end());
      bytes.resize(static_cast<std::size_t>(file.bytes));  // zeros at the end may stay unwritten
    }
    const part_layout again = format.layout(plan);
    if (again.bytes() != layout.bytes() || again.files.size() != layout.files.size())
      return broken("the layout differs the second time");
    for (const auto* role :
         {&layout.graph_file, &layout.node_feature_file, &layout.edge_feature_file,
          &layout.original_nodes_file, &layout.original_edges_file}) {
      if (files.count(*role) == 0)
        return broken("a role names the file \"" + *role + "\", which is not in the layout");
    }
    try {
      const std::string problem = detail::check_example_structure(
          format.read_structure({files[layout.graph_file], {}}, layout.graph_file), plan.formats);
      if (!problem.empty()) return broken("read_structure " + problem);
      const auto feature = [&](const std::vector<named_tensor>& all,
                               const std::string& key) -> const tensor* {
        const auto found = std::find_if(all.begin(), all.end(),
                                        [&](const named_tensor& one) { return one.name == key; });
        return found == all.end() ? nullptr : &found->value;
      };
      const auto features = [&](const std::string& file, [[maybe_unused]] column what) {
        if constexpr (halograph::detail::reads_features_by_column<
                          std::remove_cvref_t<decltype(format)>>) {
          return format.read_features({files[file], {}}, file, what);
        } else {
          return format.read_features({files[file], {}}, file);
        }
      };
      const auto nodes = features(layout.node_feature_file, column::node_feature);
      const auto edges = features(layout.edge_feature_file, column::edge_feature);
      const tensor *weights = feature(nodes, "user/w"), *empty = feature(nodes, "item/n"),
                   *counts = feature(edges, "user:buys:item/n");
      if (!weights || *weights != detail::example_column({.what = column::node_feature}))
        return broken("read_features does not return user/w");
      if (!empty || empty->rows() != 0)
        return broken("read_features does not return the empty item/n");
      if (!counts || !detail::same_integers(*counts, {-1, 1}))
        return broken("read_features does not return user:buys:item/n");
    } catch (const error& problem) {
      return broken(std::string("what was written is rejected: ") + problem.what());
    }
    const auto& whole = files[layout.graph_file];
    try {
      static_cast<void>(format.read_structure(
          {std::span<const std::byte>(whole).first(whole.size() / 2), {}}, layout.graph_file));
      return broken("half a graph file must be rejected");
    } catch (const error& problem) {
      if (problem.where().file != layout.graph_file)
        return broken("the error for half a graph file must name it as where().file");
    }
  }
  return {};
}

/// Reading gives what was written, in consecutive blocks of the requested rows, and the same
/// counts, dtypes and metadata.
/// @param path  where a table may be written
template <class Tables>
  requires halograph::table_reader<Tables> && halograph::table_writer<Tables>
verdict tables(const Tables& both, const std::string& path) {
  constexpr std::uint64_t rows = 5;
  const std::vector<table_column> columns{{"id", dtype::int64, false, 1},
                                          {"weight", dtype::float32, false, 1},
                                          {"vector", dtype::int16, true, 3}};
  const auto cell = [&](std::size_t column, std::uint64_t row, std::uint64_t i, std::byte* to) {
    if (column == 0) {
      const auto x = static_cast<std::int64_t>(row) - 2;
      std::memcpy(to, &x, sizeof x);
    }
    if (column == 1) {
      const auto x = static_cast<float>(row) / 4;
      std::memcpy(to, &x, sizeof x);
    }
    if (column == 2) {
      const auto x = static_cast<std::int16_t>(10 * row + i);
      std::memcpy(to, &x, sizeof x);
    }
  };
  const auto expected = [&](std::size_t column, std::uint64_t row) {
    const std::size_t width = item_bytes(columns[column].type);
    std::vector<std::byte> bytes(static_cast<std::size_t>(columns[column].width) * width);
    for (std::uint64_t i = 0; i < columns[column].width; ++i)
      cell(column, row, i, bytes.data() + static_cast<std::size_t>(i) * width);
    return bytes;
  };
  verdict answer;
  const auto broken = [&](const std::string& why) {
    if (answer.holds) answer = detail::broken(why);
  };
  try {
    std::uint64_t next = 0;
    both.write(
        path, std::span<const table_column>(columns), std::optional<std::string>("[3]"), rows,
        [&](std::uint64_t first, std::uint64_t count, std::span<const std::span<std::byte>> out) {
          if (first != next || count > rows - first || out.size() != columns.size())
            return broken("write does not ask for the next rows and all columns");
          for (std::size_t c = 0; c < out.size(); ++c) {
            auto to = out[c].begin();
            for (std::uint64_t r = first; r < first + count; ++r) {
              const auto bytes = expected(c, r);
              if (out[c].end() - to < static_cast<std::ptrdiff_t>(bytes.size()))
                return broken("write has no room for the rows it asks for");
              to = std::copy(bytes.begin(), bytes.end(), to);
            }
          }
          next = first + count;
        });
    if (next != rows)
      broken("write asks for " + std::to_string(next) + " rows of " + std::to_string(rows));
    const table_info info = both.examine(path);
    if (info.rows != rows || info.columns.size() != columns.size())
      broken("examine does not return the counts that were written");
    if (info.shape != std::optional<std::string>("[3]"))
      broken("examine does not return the shape that was written");
    std::uint64_t grouped = 0;
    for (const auto group : info.group_rows) grouped += group;
    if (grouped != info.rows) broken("the groups of rows do not add up to the rows");
    for (std::size_t c = 0; answer.holds && c < columns.size(); ++c) {
      const auto& told = info.columns[c];
      if (told.name != columns[c].name || told.type != columns[c].type ||
          told.list != columns[c].list || told.width != columns[c].width) {
        broken("examine does not return the column " + columns[c].name);
      }
    }
    for (const auto& [first, last] :
         {std::pair<std::uint64_t, std::uint64_t>{0, rows}, {1, 4}, {2, 2}, {4, 5}}) {
      next = first;
      both.read(path, info, first, last,
                [&, end = last](std::uint64_t row, std::uint64_t count,
                                std::span<const table_values> values) {
                  if (row != next || count > end - row || values.size() != columns.size())
                    return broken("read does not give the next rows and all columns");
                  for (std::size_t c = 0; c < values.size(); ++c) {
                    const std::size_t width = expected(c, 0).size();
                    for (std::uint64_t r = 0; r < count; ++r) {
                      const auto bytes = expected(c, row + r);
                      if (values[c].values.size() != width * count ||
                          !std::equal(
                              bytes.begin(), bytes.end(),
                              values[c].values.begin() + static_cast<std::ptrdiff_t>(r * width))) {
                        return broken("row " + std::to_string(row + r) + " of " + columns[c].name +
                                      " is not read as it was written");
                      }
                    }
                  }
                  next = row + count;
                });
      if (next != last)
        broken("read gives " + std::to_string(next - first) + " of rows " + std::to_string(first) +
               " to " + std::to_string(last));
    }
  } catch (const std::exception& problem) {
    broken(std::string("throws: ") + problem.what());
  }
  return answer;
}

}  // namespace halograph::laws
