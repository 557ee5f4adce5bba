// SPDX-License-Identifier: BSL-1.0
// Any bytes as a chunked graph's metadata.json, or as a plain form's meta.json; every file it lists
// holds the rest behind the first NUL, tables too. Refused, or a graph whose edges are in range,
// and whose edges and rows are the same read at once and one by one.
#include <halograph/adapters/nlohmann_json.hpp>
#include <halograph/io/chunked/open.hpp>
#include <halograph/io/chunked/read.hpp>
#include <halograph/io/formats/plain.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

namespace hg = halograph;

namespace {

/// A table that the bytes describe: columns, rows, the shape in its metadata, and then its values
/// over and over.
struct fuzz_tables {
  std::span<const std::byte> bytes{};

  std::size_t at(std::size_t i) const {
    return i < bytes.size() ? std::to_integer<std::size_t>(bytes[i]) : 0;
  }
  hg::table_info examine(const std::string&) const {
    hg::table_info info;
    info.rows = at(0);
    if (info.rows != 0) info.group_rows = {info.rows};
    for (std::size_t c = 0; c < 1 + at(1) % 4; ++c) {
      const bool list = at(2 + c) >= 128;
      info.columns.push_back(
          {"x", static_cast<hg::dtype>(at(2 + c) % 13), list, list ? at(2 + c) % 5 : 1});
    }
    if (bytes.size() > 16 && at(6) % 2 == 0) {
      info.shape = std::string(reinterpret_cast<const char*>(bytes.data()) + 7,
                               std::min<std::size_t>(bytes.size() - 7, 9));
    }
    return info;
  }
  template <class Sink>
  void read(const std::string&, const hg::table_info& info, std::uint64_t first, std::uint64_t last,
            Sink&& sink) const {
    for (; first < last; ++first) {
      std::vector<std::vector<std::byte>> rows;
      std::vector<hg::table_values> values;
      for (const auto& column : info.columns) {
        auto& row = rows.emplace_back(static_cast<std::size_t>(column.width) *
                                      hg::item_bytes(column.type));
        // Small numbers: in the lowest bytes alone.
        for (std::size_t i = 0; i < row.size(); i += hg::item_bytes(column.type))
          row[i] = static_cast<std::byte>(at(static_cast<std::size_t>(first) + i) & 1);
        values.push_back({column.type, row});
      }
      sink(first, std::uint64_t{1}, std::span<const hg::table_values>(values));
    }
  }
};

template <class Graph>
void compare(const Graph& graph) {
  using ids = std::vector<std::uint32_t>;
  for (std::size_t r = 0; r < graph.edge_counts.size(); ++r) {
    const auto type = static_cast<hg::type_id>(r);
    const std::uint64_t count = graph.edge_counts[r];
    ids source(static_cast<std::size_t>(count)), target(source.size()), from, to;
    graph.template read_edges_into<std::uint32_t>(type, 0, source, target);
    for (const auto& block : graph.edge_blocks(type)) {
      for (std::uint64_t e = block.first; e < block.last; e += 3) {
        graph.template read_edges<std::uint32_t>(
            type, e, std::min(block.last, e + 3), 2, [&](auto some, auto others, std::uint64_t) {
              from.insert(from.end(), some.begin(), some.end());
              to.insert(to.end(), others.begin(), others.end());
            });
      }
    }
    if (from != source || to != target) std::abort();
  }
  for (const auto* const all : {&graph.node_features, &graph.edge_features}) {
    for (const auto& feature : *all) {
      if (feature.rows > 1000 || feature.row_bytes() > 1000) continue;
      const std::size_t width = feature.row_bytes();
      std::vector<std::byte> whole(static_cast<std::size_t>(feature.rows) * width), row(width);
      graph.read_rows(feature, 0, feature.rows, whole);
      for (std::uint64_t i = 0; i < feature.rows; ++i) {
        graph.read_rows(feature, i, i + 1, row);
        if (!std::equal(row.begin(), row.end(),
                        whole.begin() + static_cast<std::ptrdiff_t>(i * width)))
          std::abort();
      }
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto all = std::as_bytes(std::span(data, size));
  const auto middle = std::find(all.begin(), all.end(), std::byte{0}) - all.begin();
  const auto head = all.first(static_cast<std::size_t>(middle));
  const auto tail = all.subspan(std::min(size, static_cast<std::size_t>(middle) + 1));
  const auto open = [&](const std::string& path) {
    return hg::file_bytes{path == "no-folder/m.json" ? head : tail, {}};
  };
  const auto check = [](const auto& graph) {
    if (graph.graph().validate() != hg::status::ok) std::abort();
  };
  try {
    check(hg::read_chunked<std::uint32_t, std::uint32_t>(
        "no-folder/m.json", {}, open, hg::nlohmann_codec{}, hg::sequential{}, fuzz_tables{tail}));
    compare(hg::open_chunked("no-folder/m.json", open, hg::nlohmann_codec{}, fuzz_tables{tail}));
  } catch (const hg::error&) {
  }
  try {
    check(hg::read_plain<std::uint32_t, std::uint32_t>(
        "no-folder/m.json", {.most_dense_bytes = 1 << 16}, open, hg::nlohmann_codec{}));
  } catch (const hg::error&) {
  }
  return 0;
}
