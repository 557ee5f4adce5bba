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

#include <halograph/core/function_ref.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/folder/original_ids.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/bytes.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/folder_entries.hpp>
#include <halograph/serial/files/lock.hpp>
#include <halograph/serial/layout_writer.hpp>
#include <halograph/serial/npy.hpp>
#include <halograph/serial/tensor.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

/// What restore_rows wrote.
struct restore_result {
  dtype type = dtype::float32;  ///< of the rows, as in the parts' files
  tensor_shape shape{};         ///< rows first: all nodes or edges of the type
  std::uint64_t bytes = 0;      ///< of the file
};

/// The file of one part's rows in a folder of results; see the table above.
std::string rows_file(const std::string& folder, const graph_schema& schema, entity_type of,
                      std::size_t part);

namespace detail {

/// An atomically replaced file: written under a temporary name beside its target and renamed at the
/// end.
class replaced_file {
 public:
  /// @param opening  what a file begins with that may be replaced; by default a .npy file's magic
  /// @param kind     such a file, for the message
  /// @errors exists: `path` exists and does not begin so
  explicit replaced_file(std::string path, std::string_view opening = npy_magic,
                         std::string_view kind = "a .npy file");
  replaced_file(const replaced_file&) = delete;
  replaced_file& operator=(const replaced_file&) = delete;
  ~replaced_file() {
    if (!temporary_.empty() && created_) remove_tree(temporary_);
  }

  /// @errors busy: another run is writing the same file; those of file_sink::create
  file_sink create(std::uint64_t bytes) {
    lock_ = lock_file(temporary_);
    created_ = true;
    return file_sink::create(temporary_, bytes);
  }
  /// @pre the sink is synced and closed
  void commit();

 private:
  std::string path_;
  std::string temporary_{};
  held_lock lock_{};
  bool created_ = false;
};

/// One part's rows, or nothing if there is no file.
std::optional<tensor> open_rows(const std::string& path, const any_file_opener& files);

/// Write rows[i] as row to[i] of the section, consecutive rows together.
status scatter_rows(any_sink& sink, const section& where, std::span<const std::uint64_t> to,
                    const tensor& rows);

}  // namespace detail

/// Bytes that restoring the rows of a type takes at most, besides what the opener holds.
/// @complexity O(P)
inline std::uint64_t restore_memory(const partition_config& config, entity_type of) {
  return original_ids_memory(config, {&of, 1}) + (std::uint64_t{2} << 20);
}

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
///     memory: restore_memory(), and what the opener holds
restore_result restore_rows(const partition_config& config, entity_type of,
                            function_ref<std::string(std::size_t)> rows_of, const std::string& out,
                            const folder_access& access, const progress_callback& on_progress = {});

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/folder/impl/restore.ipp>
#endif
