// SPDX-License-Identifier: BSL-1.0
/// @file input_record.hpp
/// The files that a run has opened for reading: the result must not replace them, and they must not
/// change until the result is complete.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/output_guard.hpp>
#include <halograph/serial/text/lines.hpp>

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

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
  template <class Names>
  void protect(const std::string& folder, const Names& names) {
    const auto place = detail::canonical_place(folder);
    const std::lock_guard lock(mutex_);
    for (const auto& name : names) targets_.emplace(place / name, folder + "/" + name);
  }

  /// Record a file that is about to be opened.
  /// @param amended  it belongs to the folder that the run replaces by an amended copy, so it may
  /// be
  ///     in a target
  /// @errors invalid_argument: it is in a target; mismatch, truncated: it has changed since it was
  ///     first opened
  void opening(const std::string& path, bool amended = false) {
    const std::lock_guard lock(mutex_);
    const auto now = identify(path);
    if (const auto known = files_.find(path); known != files_.end()) {
      if (const auto problem = difference(path, known->second, now)) throw_(*problem);
      if (amended) return;
    }
    if (!amended) require_outside(path);
    if (!now) return;  // opening it will fail
    files_.emplace(path, *now);
    const auto slash = path.rfind('/');
    std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
    if (const auto place = folders_.find(folder); place == folders_.end()) {
      if (const auto found = identify(folder)) folders_.emplace(std::move(folder), *found);
    }
  }

  /// The recorded files, each as it was before it was first opened.
  std::map<std::string, file_identity> files() const {
    const std::lock_guard lock(mutex_);
    return files_;
  }

  /// The first change since a file was opened, as an error that names the file.
  /// @complexity a look at each file and its folder
  std::optional<error> changed() const {
    const std::lock_guard lock(mutex_);
    for (const auto& [path, before] : folders_) {
      const auto now = identify(path);
      if (!now || !now->same_file(before)) return replaced(path, now.has_value());
    }
    for (const auto& [path, before] : files_) {
      if (auto problem = difference(path, before, identify(path))) return problem;
    }
    return std::nullopt;
  }

  /// @errors mismatch, truncated: a file has changed
  void require_unchanged() const {
    if (const auto problem = changed()) throw_(*problem);
  }

  /// Call after the last read: checks that nothing has changed, and clears the record, so that the
  /// run may replace the folder that it amends. @errors as require_unchanged()
  void settle() {
    require_unchanged();
    const std::lock_guard lock(mutex_);
    files_.clear();
    folders_.clear();
  }

  /// Forget the files in `folder`, which the run has made itself and now removes.
  void forget(const std::string& folder) {
    const std::lock_guard lock(mutex_);
    const auto inside = [&](const auto& entry) { return is_inside(folder, entry.first); };
    std::erase_if(files_, inside);
    std::erase_if(folders_, inside);
  }

 private:
  [[noreturn]] static void throw_(const error& problem) {
    raise(problem.code(), problem.message(), problem.where());
  }

  static error replaced(const std::string& path, bool there) {
    return error(
        errc::mismatch,
        there ? "was replaced while it was read; run again" : "was removed while it was read",
        {.file = path, .line = {}, .byte = {}});
  }
  static std::optional<error> difference(const std::string& path, const file_identity& before,
                                         const std::optional<file_identity>& now) {
    if (now && *now == before) return std::nullopt;
    if (!now || !now->same_file(before)) return replaced(path, now.has_value());
    if (now->bytes < before.bytes) {
      return error(errc::truncated,
                   "became shorter while it was read: it had " + std::to_string(before.bytes) +
                       " bytes and has " + std::to_string(now->bytes),
                   {.file = path, .line = {}, .byte = {}});
    }
    return error(errc::mismatch, "was written to while it was read; run again",
                 {.file = path, .line = {}, .byte = {}});
  }

  void require_outside(const std::string& path) const {
    if (targets_.empty()) return;
    for (auto place = detail::canonical_place(path);; place = place.parent_path()) {
      if (const auto target = targets_.find(place); target != targets_.end())
        detail::raise_over_input(target->second, path);
      if (!place.has_relative_path()) return;
    }
  }

  mutable std::mutex mutex_{};
  std::map<std::filesystem::path, std::string> targets_{};  ///< by canonical path
  std::map<std::string, file_identity> files_{}, folders_{};
};

/// Opens files through another opener, and keeps a record of them. Thread-safe.
/// @errors those of input_record::opening() and of the other opener
template <file_opener Opener>
struct recorded_files {
  std::shared_ptr<input_record> record = std::make_shared<input_record>();
  Opener inner{};
  bool amended = false;  ///< as input_record::opening()

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

/// Opens files through an opener that the caller keeps: openers need not be copyable.
template <file_opener Files>
struct borrowed_files {
  const Files* files = nullptr;

  file_bytes operator()(const std::string& path) const { return (*files)(path); }
  /// See file_opener; called by open_lines().
  file_bytes lines(const std::string& path, std::size_t longest) const {
    return open_lines(*files, path, longest);
  }
};

/// Read something through a record. If a file has changed meanwhile, that is the error, whatever
/// other error it has caused.
/// @errors as input_record::settle(), and what `work` raises where nothing has changed
template <class Work>
auto read_unchanged(input_record& record, Work&& work) {
  try {
    auto result = std::forward<Work>(work)();
    record.settle();
    return result;
  } catch (const error&) {
    record.require_unchanged();
    throw;
  }
}

namespace detail {
/// A source that opens its files through another opener.
template <class Source>
concept wraps_opener = requires(const Source& source) { source.opener(); };
}  // namespace detail

/// Call after the last read and before a result is put in place: if an opener, or the opener of a
/// chunked graph, records its files, checks that they have not changed.
/// @errors as input_record::settle()
template <class Source>
void settle_inputs(const Source& source) {
  if constexpr (detail::settles<Source>)
    source.settle();
  else if constexpr (detail::wraps_opener<Source>)
    settle_inputs(source.opener());
}

}  // namespace halograph
