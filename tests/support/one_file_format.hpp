// SPDX-License-Identifier: BSL-1.0
/// @file one_file_format.hpp
/// For tests: a format that stores a whole part in one file, the native files one after the other.
#pragma once

#include <halograph/serial/bytes.hpp>
#include <halograph/serial/layout.hpp>
#include <halograph/serial/native.hpp>
#include <halograph/serial/serializer.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace halograph::testing {

struct one_file_format {
  native_serializer files{};

  std::string_view name() const { return "one_file"; }

  /// Five pairs of (offset, bytes), by role; then the files.
  part_layout layout(const part_description& plan) const {
    const part_layout apart = files.layout(plan);
    const std::string* const roles[] = {&apart.graph_file, &apart.node_feature_file,
                                        &apart.edge_feature_file, &apart.original_nodes_file,
                                        &apart.original_edges_file};
    layout_builder head("part.one");
    std::uint64_t end = header;
    std::vector<std::uint64_t> offsets;
    for (const auto* role : roles) {
      std::uint64_t bytes = 0;
      for (const auto& file : apart.files) bytes += file.name == *role ? file.bytes : 0;
      head.number(end).number(bytes);
      for (const auto& file : apart.files) {
        if (file.name == *role) offsets.push_back(end);
      }
      end += (bytes + 63) / 64 * 64;
    }
    part_layout out{{std::move(head).finish()},
                    "part.one",
                    "part.one",
                    "part.one",
                    plan.mapping ? "part.one" : "",
                    plan.mapping ? "part.one" : ""};
    out.files[0].bytes = end;
    for (std::size_t i = 0; i < apart.files.size(); ++i) {
      for (auto one : apart.files[i].literals) {
        one.offset += offsets[i];
        out.files[0].literals.push_back(one);
      }
      for (auto one : apart.files[i].sections) {
        one.offset += offsets[i];
        out.files[0].sections.push_back(one);
      }
    }
    return out;
  }
  loaded_structure read_structure(const file_bytes& all, const std::string& file) const {
    return files.read_structure(piece(all, file, 0), file);
  }
  std::vector<named_tensor> read_features(const file_bytes& all, const std::string& file,
                                          column what) const {
    return files.read_features(piece(all, file,
                                     what == column::node_feature     ? 1
                                     : what == column::edge_feature   ? 2
                                     : what == column::original_nodes ? 3
                                                                      : 4),
                               file);
  }

 private:
  static constexpr std::uint64_t header = 128;

  static file_bytes piece(const file_bytes& all, const std::string& file, std::size_t role) {
    const auto word = [&](std::size_t i) {
      return load_le<std::uint64_t>(all.bytes.data() + 8 * i);
    };
    if (all.bytes.size() < header || word(2 * role) > all.bytes.size() ||
        word(2 * role + 1) > all.bytes.size() - word(2 * role)) {
      raise(error_kind::truncated, "the file ends within its header or its parts", {.file = file});
    }
    return {all.bytes.subspan(static_cast<std::size_t>(word(2 * role)),
                              static_cast<std::size_t>(word(2 * role + 1))),
            all.owner};
  }
};

/// The same with a reader that cannot distinguish features of nodes from those of edges.
struct one_file_format_without_columns : one_file_format {
  std::vector<named_tensor> read_features(const file_bytes& all, const std::string& file) const {
    return one_file_format::read_features(all, file, column::node_feature);
  }
};

/// A format that writes features of nodes, and has no file for those of edges.
struct node_feature_format : native_serializer {
  std::string_view name() const { return "nodes_only"; }
  part_layout layout(const part_description& plan) const {
    part_layout out = native_serializer{}.layout(plan);
    std::erase_if(out.files,
                  [&](const file_layout& one) { return one.name == out.edge_feature_file; });
    out.edge_feature_file.clear();
    return out;
  }
};

}  // namespace halograph::testing
