// SPDX-License-Identifier: BSL-1.0
/// @file graph.ipp
/// Bodies of the plain functions of io/chunked/graph.hpp.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>
#include <halograph/io/chunked/elements.hpp>
#include <halograph/io/chunked/graph.hpp>
#include <halograph/io/chunked/metadata.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/feature_store.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/output_guard.hpp>
#include <halograph/serial/npy.hpp>
#include <halograph/serial/table.hpp>
#include <halograph/serial/tensor.hpp>
#include <halograph/serial/text/blocks.hpp>
#include <halograph/serial/text/cursor.hpp>
#include <halograph/serial/text/lines.hpp>
#include <halograph/serial/text/pieces.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE file_bytes* shared_files::find(const std::string& path) {
  const auto found = std::find_if(files_.begin(), files_.end(),
                                  [&](const opened_file& one) { return one.path == path; });
  if (found == files_.end()) return nullptr;
  std::rotate(files_.begin(), found, found + 1);
  return &files_.front().content;
}

HALOGRAPH_INLINE void shared_files::close_unused() {
  const auto is_unused = [](const opened_file& one) { return one.content.owner.use_count() <= 1; };
  const auto unused = static_cast<std::size_t>(
      std::count_if(files_.begin(), files_.end(), is_unused));
  const std::size_t kept = std::max<std::size_t>(1, files_.size() - unused);
  std::size_t seen = 0;
  std::erase_if(files_, [&](const opened_file& one) { return is_unused(one) && ++seen > kept; });
}

HALOGRAPH_INLINE file_bytes shared_files::open(const std::string& path,
                                               const any_file_opener& opener) {
  {
    const std::lock_guard guard(lock_);
    if (const file_bytes* const known = find(path)) return *known;
  }
  file_bytes opened = opener(path);
  const std::lock_guard guard(lock_);
  if (const file_bytes* const known = find(path)) return *known;
  files_.insert(files_.begin(), {path, opened});
  close_unused();
  return opened;
}

}  // namespace halograph::detail

namespace halograph {

HALOGRAPH_INLINE chunked_graph::chunked_graph(chunked_graph&&) noexcept = default;
HALOGRAPH_INLINE chunked_graph& chunked_graph::operator=(chunked_graph&&) noexcept = default;
HALOGRAPH_INLINE chunked_graph::~chunked_graph() = default;

HALOGRAPH_INLINE std::vector<edge_block> chunked_graph::edge_blocks(type_id type) const {
  std::vector<edge_block> out;
  const auto cut = [&out](std::uint64_t first, std::uint64_t last) {
    if (first < last) out.push_back({first, last});
  };
  for (const chunk_file& file : list_of(type).files) {
    const std::uint64_t end = file.first + file.rows;
    switch (edges[type].format) {
      case chunk_format::csv:
        for (std::size_t i = 0; i < file.text.places.size(); ++i) {
          cut(file.first + file.text.places[i].record,
              i + 1 < file.text.places.size() ? file.first + file.text.places[i + 1].record : end);
        }
        break;
      case chunk_format::numpy:
        for (std::uint64_t at = file.first; at < end; at += std::uint64_t{1} << 20) {
          cut(at, std::min(end, at + (std::uint64_t{1} << 20)));
        }
        break;
      case chunk_format::parquet: {
        std::uint64_t at = file.first;
        for (const std::uint64_t rows : file.table.group_rows) {
          cut(at, at + rows);
          at += rows;
        }
        break;
      }
    }
  }
  return out;
}

HALOGRAPH_INLINE void chunked_graph::read_rows(const chunked_feature& feature, std::uint64_t first,
                                               std::uint64_t last, std::span<std::byte> out) const {
  if (first > last || last > feature.rows) {
    raise(error_kind::out_of_range, "rows " + std::to_string(first) + " to " +
                                        std::to_string(last) + " of feature " +
                                        graph_schema::quoted(feature.name) +
                                        " are requested; it has " + std::to_string(feature.rows));
  }
  const std::size_t width = feature.row_bytes();
  if (width == 0 || first == last) return;
  if (out.size() / width < last - first) {
    raise(error_kind::capacity, std::to_string(last - first) + " rows of " + std::to_string(width) +
                                    " bytes do not fit memory of " + std::to_string(out.size()) +
                                    " bytes");
  }
  const auto& files = feature.list.files;
  for (std::size_t i = file_of(files, first); first < last; ++i) {
    const chunk_file& file = files[i];
    const std::uint64_t end = std::min(last, file.first + file.rows);
    if (first >= end) continue;
    const auto bytes = static_cast<std::size_t>(end - first) * width;
    rows_of_file(feature, file, first - file.first, end - file.first, out.first(bytes));
    out = out.subspan(bytes);
    first = end;
  }
}

HALOGRAPH_INLINE const chunk_list& chunked_graph::list_of(type_id type) const {
  if (type >= edges.size()) {
    raise(error_kind::out_of_range, "edge type " + std::to_string(type) +
                                        " does not exist; there are " +
                                        std::to_string(edges.size()) + ", numbered from 0");
  }
  return edges[type];
}

HALOGRAPH_INLINE void chunked_graph::rows_of_file(const chunked_feature& feature,
                                                  const chunk_file& file, std::uint64_t first,
                                                  std::uint64_t last,
                                                  std::span<std::byte> out) const {
  switch (feature.list.format) {
    case chunk_format::csv: {
      const file_bytes opened = content(file);
      if (opened.bytes.size() != file.text.bytes) raise_changed(file.path);
      const text_place& place = file.text.before(first);
      text_records records(opened.bytes, place, feature.list.text, file.path);
      records.skip(first - place.record);
      if (feature.dtype == dtype::int64)
        text_rows<std::int64_t>(feature, file, records, out);
      else
        text_rows<double>(feature, file, records, out);
      return;
    }
    case chunk_format::numpy: {
      const file_bytes opened = content(file);
      const npy_view array = view_npy(opened.bytes, file.path);
      if (array.type != feature.dtype || array.shape != file.shape) raise_changed(file.path);
      check(npy_rows_into(array, first, last, out), "rows of an array cannot be read");
      return;
    }
    case chunk_format::parquet:
      table_rows(feature, file, first, last, out);
      return;
  }
}

HALOGRAPH_INLINE void chunked_graph::table_rows(const chunked_feature& feature,
                                                const chunk_file& file, std::uint64_t first,
                                                std::uint64_t last,
                                                std::span<std::byte> out) const {
  std::uint64_t columns = 0;
  for (const auto& column : file.table.columns) columns += column.width;
  if (columns == 0) raise_changed(file.path);
  const std::uint64_t in_row = element_count(feature.row_shape), from = first * in_row,
                      to = last * in_row;
  const std::size_t item = item_bytes(feature.dtype);
  std::uint64_t next = from / columns;
  const std::uint64_t last_row = (to + columns - 1) / columns;
  tables_.read(file.path, file.table, next, last_row,
               [&](std::uint64_t row, std::uint64_t rows, std::span<const table_values> values) {
                 if (row != next || values.size() != file.table.columns.size())
                   raise_changed(file.path);
                 next += rows;
                 std::uint64_t before = 0;  // elements of the row in the columns to the left
                 for (std::size_t c = 0; c < values.size(); ++c) {
                   const std::uint64_t width = file.table.columns[c].width;
                   const dtype type = values[c].type;
                   const std::byte* in = values[c].values.data();
                   if (values[c].values.size() != rows * width * item_bytes(type))
                     raise_changed(file.path);
                   if (values.size() == 1 && type == feature.dtype) {
                     const std::uint64_t begin = std::max(from, row * columns),
                                         end = std::min(to, (row + rows) * columns);
                     std::memcpy(out.data() + (begin - from) * item,
                                 in + (begin - row * columns) * item,
                                 static_cast<std::size_t>(end - begin) * item);
                     break;
                   }
                   for (std::uint64_t r = row; r < row + rows; ++r) {
                     for (std::uint64_t w = 0; w < width; ++w, in += item_bytes(type)) {
                       const std::uint64_t element = r * columns + before + w;
                       if (element < from || element >= to) continue;
                       std::byte* const at = out.data() + (element - from) * item;
                       if (type == feature.dtype)
                         std::memcpy(at, in, item);
                       else
                         detail::convert_element(type, in, feature.dtype, at);
                     }
                   }
                   before += width;
                 }
               });
  if (next != last_row) raise_changed(file.path);
}

HALOGRAPH_INLINE status chunked_rows::gather(std::span<const std::uint64_t> ids,
                                             std::span<std::byte> out) const {
  const std::size_t width = feature_->row_bytes();
  if (width != 0 && out.size() / width < ids.size()) return status::capacity.at(ids.size() * width);
  for (std::size_t i = 0; i < ids.size();) {
    std::size_t end = i + 1;
    if (ids[i] >= rows()) return status::out_of_range.at(i);
    while (end < ids.size() && ids[end] == ids[end - 1] + 1 && ids[end] < rows()) ++end;
    graph_->read_rows(*feature_, ids[i], ids[end - 1] + 1,
                      out.subspan(i * width, (end - i) * width));
    i = end;
  }
  return status::ok;
}

HALOGRAPH_INLINE void keep_files_of(const std::string& target, const chunked_graph& graph) {
  std::string last;
  const auto keep = [&](const std::vector<chunk_file>& files) {
    for (const auto& file : files) {
      auto folder = std::filesystem::path(file.path).parent_path().string();
      if (folder == last) continue;
      if (is_inside(target, file.path)) reject_output_over_input(target, file.path);
      last = std::move(folder);
    }
  };
  for (const auto& list : graph.edges) keep(list.files);
  for (const auto* all : {&graph.node_features, &graph.edge_features}) {
    for (const auto& one : *all) keep(one.list.files);
  }
}

}  // namespace halograph
