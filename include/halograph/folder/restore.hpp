// SPDX-License-Identifier: BSL-1.0
/// @file restore.hpp
/// Put rows that were computed part by part (embeddings, predictions) back into the order of the
/// input.
/// Layer: folder. Words: README.md.
/// Rows are `.npy` files, one for each part: row i of part p belongs to the part's i-th inner node
/// (or edge) of the type, the order of the part's own features. Their names are
///
/// | for | file |
/// | --- | --- |
/// | any type | `<folder>/<type>/part<p>.npy`, if `<folder>/<type>` exists |
/// | otherwise | `<folder>/part<p>.npy` |
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/folder/original_ids.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/bytes.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/input_record.hpp>
#include <halograph/serial/files/lock.hpp>
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
#include <system_error>
#include <utility>
#include <vector>

namespace halograph {

/// What restore_rows wrote.
struct restore_result {
  dtype type = dtype::float32;
  tensor_shape shape{};     ///< rows first: all nodes or edges of the type
  std::uint64_t bytes = 0;  ///< of the file
};

/// The file of one part's rows in a folder of results; see the table above.
inline std::string rows_file(const std::string& folder, const graph_schema& schema, entity_type of,
                             std::size_t part) {
  const std::string own = folder + "/" + type_name(schema, of);
  std::error_code ignored;
  return (std::filesystem::is_directory(own, ignored) ? own : folder) + "/part" +
         std::to_string(part) + ".npy";
}

namespace detail {

/// An atomically replaced file: written under a temporary name beside its target and renamed at the
/// end.
class replaced_file {
 public:
  /// @errors exists: `path` exists and is not a .npy file
  explicit replaced_file(std::string path) : path_(std::move(path)) {
    const std::filesystem::path target(path_);
    if (!target.has_filename())
      raise(errc::invalid_argument, "this is a folder; the output must be a file", {.file = path_});
    std::error_code ignored;
    const auto there = std::filesystem::symlink_status(target, ignored).type();
    if (there != std::filesystem::file_type::not_found &&
        there != std::filesystem::file_type::none) {
      std::byte head[6]{};
      const bool regular = there == std::filesystem::file_type::regular;
      if (!regular || !file_source(path_).read_at(0, head) || !is_npy(head)) {
        raise(errc::exists, "not a .npy file; refusing to replace it", {.file = path_});
      }
    }
    temporary_ =
        (target.parent_path() / ("." + target.filename().string() + ".halograph-tmp")).string();
  }
  replaced_file(const replaced_file&) = delete;
  replaced_file& operator=(const replaced_file&) = delete;
  ~replaced_file() {
    std::error_code ignored;
    if (!temporary_.empty() && created_) std::filesystem::remove(temporary_, ignored);
  }

  /// @errors busy: another run is writing the same file; those of file_sink::create
  file_sink create(std::uint64_t bytes) {
    lock_ = lock_file(temporary_);
    created_ = true;
    return file_sink::create(temporary_, bytes);
  }
  /// @pre the sink is synced and closed
  void commit() {
    std::error_code problem;
    std::filesystem::rename(temporary_, path_, problem);
    if (problem) raise_io(path_, "replace", problem.value());
    temporary_.clear();
  }

 private:
  std::string path_;
  std::string temporary_{};
  descriptor lock_{};
  bool created_ = false;
};

/// One part's rows, or nothing if there is no file.
template <file_opener Files>
std::optional<tensor> open_rows(const std::string& path, const Files& files) {
  try {
    tensor rows = read_npy(files(path), path);
    if (rows.rank() == 0)
      raise(errc::mismatch,
            "the file holds a single number; it must hold a row for each inner node or edge",
            {.file = path});
    return rows;
  } catch (const error& problem) {
    if (problem.code() != errc::not_found) throw;
    return std::nullopt;
  }
}

/// Write rows[i] as row to[i] of the section, consecutive rows together.
template <byte_sink Sink>
status scatter_rows(Sink& sink, const section& where, std::span<const std::uint64_t> to,
                    const tensor& rows) {
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

}  // namespace detail

/// Restore the rows of one type.
///
/// @param config     of the partition folder; relations resolved
/// @param of         the node or edge type
/// @param rows_of    std::string rows_of(std::size_t part): the part's `.npy` file; may be missing
///     for a part without rows
/// @param out        the `.npy` file to write, atomically; an older `.npy` file is replaced
/// @param access     reads the folder
/// @errors           not_found: a part's rows, or a mapping (of edges: partition with
///     save_mapping); mismatch: a part does not have one row for each inner node, or has another
///     dtype or row shape than earlier parts; infeasible: edges were dropped, so that rows are
///     missing; malformed: an original ID occurs twice; exists, busy (another run makes the same
///     file), io: the output
/// @complexity       O(rows) time, and a sort of a part's rows where its mapping is not ascending;
///     memory: one part's mapping, a bit for each row, and what the opener holds
template <class RowsOf, file_opener Files, json_codec Codec, class Formats>
restore_result restore_rows(const partition_config& config, entity_type of, const RowsOf& rows_of,
                            const std::string& out,
                            const folder_access<Files, Codec, Formats>& access,
                            const progress_callback& on_progress = {}) {
  const auto& files = access.files;
  const auto& formats = access.formats;
  if (of.kind == entity::edge && config.cut_edges_dropped.value_or(0) != 0) {
    raise(errc::infeasible,
          std::to_string(*config.cut_edges_dropped) +
              " edges were dropped when the graph was partitioned; their rows cannot be restored",
          {.file = config.path});
  }
  const std::uint64_t total = type_count(config, of);
  const std::string who = std::string(name(of.kind)) + "s of type " +
                          graph_schema::quoted(type_name(config.schema, of));

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
      raise(errc::mismatch,
            "rows have dtype " + std::string(name(rows->type())) + " and shape " +
                to_string(rows->row_shape()) + "; those of " + model + " have " +
                std::string(name(result.type)) + " and " +
                to_string(std::span<const std::uint64_t>(result.shape).subspan(1)),
            {.file = path});
    }
    if (first) {
      model = path;
      result.type = rows->type();
      result.shape = rows->shape();
    }
  }
  if (model.empty())
    raise(errc::not_found, "no part has rows; the rows of a part must be in a file like this one",
          {.file = rows_of(0)});
  if (found != total) {
    // The mappings show which part is at fault or missing.
    for (std::size_t p = 0; p < config.num_parts; ++p) {
      const auto rows = detail::open_rows(rows_of(p), files);
      const auto wanted = load_original_ids(config, p, of, files, formats).size();
      if (rows ? rows->rows() != wanted : wanted != 0) {
        raise(rows ? errc::mismatch : errc::not_found,
              (rows ? "there are " + std::to_string(rows->rows()) + " rows"
                    : std::string("no such file")) +
                  "; part " + std::to_string(p) + " has " + std::to_string(wanted) + " inner " +
                  who + ", each of which needs a row",
              {.file = rows_of(p)});
      }
    }
    raise(errc::mismatch,
          "the parts hold " + std::to_string(found) + " inner " + who + "; the config says " +
              std::to_string(total),
          {.file = config.path});
  }
  result.shape[0] = total;

  const auto layout = npy_layout(out, result.type, result.shape);
  result.bytes = layout.bytes;
  const section& where = layout.sections.at(0);
  detail::replaced_file target(out);
  auto sink = target.create(layout.bytes);
  sink.require(write_literals(layout, sink));
  std::vector<bool> seen(static_cast<std::size_t>(total));
  for (std::size_t p = 0; p < config.num_parts; ++p) {
    const auto ids = load_original_ids(config, p, of, files, formats);
    const std::string path = rows_of(p);
    const auto rows = detail::open_rows(path, files);
    if (rows ? rows->rows() != ids.size() : !ids.empty()) {
      raise(errc::mismatch,
            "there are " + std::to_string(rows ? rows->rows() : 0) + " rows; part " +
                std::to_string(p) + " has " + std::to_string(ids.size()) + " inner " + who +
                ", each of which needs a row",
            {.file = path});
    }
    for (const auto id : ids) {
      if (seen[static_cast<std::size_t>(id)]) {
        raise(errc::malformed,
              "the saved mapping names original ID " + std::to_string(id) + " of the " + who +
                  " twice; each must occur once",
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
