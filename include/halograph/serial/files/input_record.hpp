// SPDX-License-Identifier: BSL-1.0
/// @file input_record.hpp
/// The files that a run has opened for reading: the result must not replace them, and they must not
/// change until the result is complete.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/output_guard.hpp>
#include <halograph/serial/text/lines.hpp>

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace halograph {

/// The files that a run has opened and their folders, each as it was before it was first opened.
///
/// An output folder is replaced in one rename, so two of its files may belong to two results. They
/// do not if, after the last file was read, every path still refers to the same file. Other files
/// are compared, too: a file that has shrunk, was written to or was removed is an error, because
/// its content may be a mixture of both states. Thread-safe.
class input_record {
 public:
  /// Declare that `target`, a file or a folder, will be replaced: opening it, or a file in it, is
  /// an error from now on.
  void protect(const std::string& target) {
    if (target.empty()) return;
    const std::lock_guard lock(mutex_);
    targets_.emplace(detail::canonical_place(target), target);
  }

  /// The same for files of one folder, by their names.
  void protect(const std::string& folder, std::span<const std::string> names) {
    const auto place = detail::canonical_place(folder);
    const std::lock_guard lock(mutex_);
    for (const auto& name : names) targets_.emplace(place / name, folder + "/" + name);
  }

  /// Allow inputs only in `folder`: from now on, opening any other file is an error. Each further
  /// call allows one more folder. Links are followed before a path is judged; a link that is
  /// changed between that and the opening is not noticed.
  void confine(const std::string& folder) {
    const std::lock_guard lock(mutex_);
    allowed_.push_back(detail::canonical_place(folder));
  }

  /// If inputs are confined, also allow `folder`, which the run has made itself.
  void allow_own(const std::string& folder) {
    const std::lock_guard lock(mutex_);
    if (!allowed_.empty()) allowed_.push_back(detail::canonical_place(folder));
  }

  /// Record a file that is about to be opened.
  /// @param amended  it belongs to the folder that the run replaces by an amended copy, so it may
  ///     be in a target
  /// @errors invalid_argument: it is in a target, or outside the folders that inputs are confined
  ///     to; mismatch, truncated: it has changed since it was first opened
  void opening(const std::string& path, bool amended = false);

  /// The recorded files, each as it was before it was first opened.
  std::map<std::string, file_identity> files() const {
    const std::lock_guard lock(mutex_);
    return files_;
  }

  /// The first change since a file was opened, as an error that names the file. Once seen it stays,
  /// even if what takes the place of a folder next cannot be told from the first one.
  /// @complexity a look at each file and its folder
  std::optional<error> changed() const;

  /// @errors mismatch, truncated: a file has changed
  void require_unchanged() const {
    if (const auto problem = changed()) throw_(*problem);
  }

  /// Call after the last read: checks that nothing has changed, and clears the record, so that the
  /// run may replace the folder that it amends. @errors as require_unchanged()
  void settle();

  /// Forget the files in `folder`, which the run has made itself and now removes.
  void forget(const std::string& folder);

 private:
  [[noreturn]] static void throw_(const error& problem) {
    raise(problem.code(), problem.message(), problem.where());
  }

  static error replaced(const std::string& path, bool there);
  static std::optional<error> difference(const std::string& path, const file_identity& before,
                                         const std::optional<file_identity>& now);

  std::optional<error> find_change() const;
  void require_outside(const std::string& path) const;
  void require_allowed(const std::string& path) const;

  mutable std::mutex mutex_{};
  std::map<std::filesystem::path, std::string> targets_{};  ///< by canonical path
  std::vector<std::filesystem::path> allowed_{};            ///< canonical; empty: everywhere
  std::map<std::string, file_identity> files_{}, folders_{};
  mutable std::optional<error> change_{};  ///< the last that was seen
};

/// Opens files through another opener, and keeps a record of them. Thread-safe.
/// @errors those of input_record::opening() and of the other opener
template <file_opener Opener>
struct recorded_files {
  /// Where opened files are recorded; shared by copies of this opener. Not null.
  std::shared_ptr<input_record> record = std::make_shared<input_record>();
  Opener inner{};        ///< opens the files
  bool amended = false;  ///< as input_record::opening()

  /// Record a file, then open it.
  file_bytes operator()(const std::string& path) const {
    record->opening(path, amended);
    return inner(path);
  }
  /// See file_opener; called by open_lines().
  file_bytes lines(const std::string& path, std::size_t longest) const {
    record->opening(path, amended);
    return open_lines(inner, path, longest);
  }
  /// @errors as input_record::settle()
  void settle() const { record->settle(); }
};
static_assert(file_opener<recorded_files<read_files>>);

/// Read something through a record. If a file has changed meanwhile, that is the error, whatever
/// other error it has caused.
/// @errors as input_record::settle(), and what `work` raises where nothing has changed
template <class Work>
std::invoke_result_t<Work> read_unchanged(input_record& record, Work&& work) {
  try {
    std::invoke_result_t<Work> result = std::forward<Work>(work)();
    record.settle();
    return result;
  } catch (const error&) {
    record.require_unchanged();
    throw;
  }
}

/// Call after the last read and before a result is put in place: if an opener records its files,
/// checks that they have not changed.
/// @errors as input_record::settle()
inline void settle_inputs(const any_file_opener& open) { open.settle(); }

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/serial/files/impl/input_record.ipp>
#endif
