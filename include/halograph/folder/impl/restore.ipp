// SPDX-License-Identifier: BSL-1.0
/// @file restore.ipp
/// Bodies of the plain functions of folder/restore.hpp.
/// Layer: folder. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/folder/original_ids.hpp>
#include <halograph/folder/restore.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/bytes.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/folder_entries.hpp>
#include <halograph/serial/files/input_record.hpp>
#include <halograph/serial/layout_writer.hpp>
#include <halograph/serial/npy.hpp>
#include <halograph/serial/serializer.hpp>
#include <halograph/serial/tensor.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace halograph {

HALOGRAPH_INLINE std::string rows_file(const std::string& folder, const graph_schema& schema,
                                       entity_type of, std::size_t part) {
  const std::string own = concat({folder, "/", type_name(schema, of)});
  return concat({(detail::is_folder(own) ? own : folder), "/part", part, ".npy"});
}

}  // namespace halograph

namespace halograph::detail {

HALOGRAPH_INLINE replaced_file::replaced_file(std::string path, std::string_view opening,
                                              std::string_view kind)
    : path_(std::move(path)) {
  const std::filesystem::path target(path_);
  if (!target.has_filename())
    raise(error_kind::invalid_argument, "this is a folder; the output must be a file",
          {.file = path_});
  if (const auto there = entry_at(path_, false)) {
    std::string head(opening.size(), ' ');
    if (*there != entry_kind::file ||
        !file_source(path_).read_at(0, std::as_writable_bytes(std::span(head))) ||
        head != opening) {
      raise(error_kind::exists, concat({"not ", kind, "; refusing to replace it"}),
            {.file = path_});
    }
  }
  temporary_ =
      (target.parent_path() / concat({".", target.filename().string(), ".halograph-tmp"})).string();
}

HALOGRAPH_INLINE void replaced_file::commit() {
  std::error_code problem;
  std::filesystem::rename(temporary_, path_, problem);
  if (problem) raise_io(path_, "replace", problem.value());
  temporary_.clear();
  const std::string folder = std::filesystem::path(path_).parent_path().string();
  sync_folder(folder.empty() ? "." : folder);
}

HALOGRAPH_INLINE std::optional<tensor> open_rows(const std::string& path,
                                                 const any_file_opener& files) {
  try {
    tensor rows = read_npy(files(path), path);
    if (rows.rank() == 0)
      raise(error_kind::mismatch,
            "the file holds a single number; it must hold a row for each inner node or edge",
            {.file = path});
    return rows;
  } catch (const error& problem) {
    if (problem.code() != error_kind::not_found) throw;
    return std::nullopt;
  }
}

HALOGRAPH_INLINE status scatter_rows(any_sink& sink, const section& where,
                                     std::span<const std::uint64_t> to, const tensor& rows) {
  constexpr std::size_t buffer_bytes = 1 << 20;
  const std::size_t width = rows.row_bytes();
  if (width == 0) return status::ok;
  const std::uint64_t row_elements = element_count(rows.row_shape());
  std::vector<std::size_t> order(to.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // Mappings of this library are in original order; those of DGL need not be.
  if (!std::is_sorted(to.begin(), to.end()))
    std::sort(order.begin(), order.end(), [&](auto a, auto b) { return to[a] < to[b]; });
  std::vector<std::byte> buffer;
  for (std::size_t i = 0; i < order.size();) {
    const std::uint64_t first = to[order[i]];
    buffer.clear();
    std::size_t run = 0;
    while (i + run < order.size() && to[order[i + run]] == first + run &&
           (run == 0 || buffer.size() + width <= buffer_bytes)) {
      const auto row = rows.bytes().subspan(order[i + run] * width, width);
      buffer.insert(buffer.end(), row.begin(), row.end());
      ++run;
    }
    if (const status answer = write_elements(sink, where, first * row_elements,
                                             std::span<const std::byte>(buffer));
        !answer)
      return answer;
    i += run;
  }
  return status::ok;
}

}  // namespace halograph::detail

namespace halograph {

HALOGRAPH_INLINE restore_result restore_rows(const partition_config& config, entity_type of,
                                             function_ref<std::string(std::size_t)> rows_of,
                                             const std::string& out, const folder_access& access,
                                             const progress_callback& on_progress) {
  const auto& files = access.files;
  const auto& formats = access.formats;
  if (of.kind == entity::edge && config.cut_edges_dropped.value_or(0) != 0) {
    raise(
        error_kind::infeasible,
        concat(
            {*config.cut_edges_dropped,
             " edges were dropped when the graph was partitioned; their rows cannot be restored"}),
        {.file = config.path});
  }
  const std::uint64_t total = type_count(config, of);
  const std::string who = concat(
      {name(of.kind), "s of type ", graph_schema::quoted(type_name(config.schema, of))});

  // Check all headers before anything is written.
  restore_result result;
  std::string model;
  std::uint64_t found = 0;
  for (std::size_t p = 0; p < config.num_parts; ++p) {
    const std::string path = rows_of(p);
    const auto rows = detail::open_rows(path, files);
    if (!rows) continue;
    found += rows->rows();
    // Ignore dtype and shape of parts without rows: some writers put float32 there.
    if (!model.empty() && rows->rows() == 0) continue;
    const bool first = model.empty() || result.shape[0] == 0;
    if (!first && (rows->type() != result.type ||
                   !std::equal(rows->row_shape().begin(), rows->row_shape().end(),
                               result.shape.begin() + 1, result.shape.end()))) {
      raise(error_kind::mismatch,
            concat({"rows have dtype ", name(rows->type()), " and shape ",
                    to_string(rows->row_shape()), "; those of ", model, " have ", name(result.type),
                    " and ", to_string(std::span<const std::uint64_t>(result.shape).subspan(1))}),
            {.file = path});
    }
    if (first) {
      model = path;
      result.type = rows->type();
      result.shape = rows->shape();
    }
  }
  if (model.empty())
    raise(error_kind::not_found,
          "no part has rows; the rows of a part must be in a file like this one",
          {.file = rows_of(0)});
  if (found != total) {
    // The mappings show which part is at fault or missing.
    for (std::size_t p = 0; p < config.num_parts; ++p) {
      const auto rows = detail::open_rows(rows_of(p), files);
      const auto wanted = load_original_ids(config, p, of, files, formats).size();
      if (rows ? rows->rows() != wanted : wanted != 0) {
        raise(
            rows ? error_kind::mismatch : error_kind::not_found,
            concat({(rows ? concat({"there are ", rows->rows(), " rows"})
                          : std::string("no such file")),
                    "; part ", p, " has ", wanted, " inner ", who, ", each of which needs a row"}),
            {.file = rows_of(p)});
      }
    }
    raise(error_kind::mismatch,
          concat({"the parts hold ", found, " inner ", who, "; the config says ", total}),
          {.file = config.path});
  }
  result.shape[0] = total;

  const auto layout = npy_layout(out, result.type, result.shape);
  result.bytes = layout.bytes;
  const section& where = layout.sections.at(0);
  detail::replaced_file target(out);
  any_sink sink = target.create(layout.bytes);
  sink.require(write_literals(layout, sink));
  std::vector<bool> seen(static_cast<std::size_t>(total));
  for (std::size_t p = 0; p < config.num_parts; ++p) {
    const auto ids = load_original_ids(config, p, of, files, formats);
    const std::string path = rows_of(p);
    const auto rows = detail::open_rows(path, files);
    if (rows ? rows->rows() != ids.size() : !ids.empty()) {
      raise(error_kind::mismatch,
            concat({"there are ", (rows ? rows->rows() : 0), " rows; part ", p, " has ", ids.size(),
                    " inner ", who, ", each of which needs a row"}),
            {.file = path});
    }
    for (const auto id : ids) {
      if (seen[static_cast<std::size_t>(id)]) {
        raise(error_kind::malformed,
              concat({"the saved mapping names original ID ", id, " of the ", who,
                      " twice; each must occur once"}),
              {.file = config.path});
      }
      seen[static_cast<std::size_t>(id)] = true;
    }
    if (!ids.empty())
      sink.require(detail::scatter_rows(sink, where, std::span<const std::uint64_t>(ids), *rows));
    if (on_progress) on_progress({"restore", p + 1, config.num_parts, "parts"});
  }
  sink.sync();
  sink.close();
  settle_inputs(files);
  target.commit();
  return result;
}

}  // namespace halograph
