// SPDX-License-Identifier: BSL-1.0
/// @file input_record.hpp
/// What a run has opened for reading: the result must not replace any of it, and none of it may
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

/// The files that a run has opened, each as it was before it was opened first, and the folder of
/// each.
///
/// A folder of ours is replaced in one rename, so two of its files may come from two results. They
/// did not if, after the last file was read, every path still leads to what it led to before. Files
/// of others are compared, too: a file that became shorter, was written to or was removed is an
/// error, since what was read of it may be half of each state. Thread-safe.
class input_record {
 public:
  /// `target`, a file or a folder, is going to be replaced: opening it, or a file in it, is an
  /// error from now on.
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

  /// A file is about to be opened.
  /// @param amended  it belongs to the folder that the run replaces by an amended copy, so it may
  ///     lie in a target
  /// @errors invalid_argument: it lies in a target; mismatch, truncated: it was opened before and
  ///     has changed since
  void opening(const std::string& path, bool amended = false) {
    const std::lock_guard lock(mutex_);
    const auto now = identify(path);
    if (const auto known = files_.find(path); known != files_.end()) {
      if (const auto problem = difference(path, known->second, now)) throw_(*problem);
      if (amended) return;
    }
    if (!amended) require_outside(path);
    if (!now) return;  // whoever opens it says so
    files_.emplace(path, *now);
    const auto slash = path.rfind('/');
    std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
    if (const auto place = folders_.find(folder); place == folders_.end()) {
      if (const auto found = identify(folder)) folders_.emplace(std::move(folder), *found);
    }
  }

  /// The files that are recorded, each as it was before it was opened first.
  std::map<std::string, file_identity> files() const {
    const std::lock_guard lock(mutex_);
    return files_;
  }

  /// What has changed since it was opened, as an error that names it; nothing where all is as it
  /// was.
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

  /// @errors mismatch, truncated: what has changed
  void require_unchanged() const {
    if (const auto problem = changed()) throw_(*problem);
  }

  /// The last file has been read: nothing may have changed. Afterwards the record is empty, so that
  /// the run may replace the folder that it amends. @errors as require_unchanged()
  void settle() {
    require_unchanged();
    const std::lock_guard lock(mutex_);
    files_.clear();
    folders_.clear();
  }

  /// The run removes `folder`, which it made itself: that what was read there is gone is no change
  /// of an input.
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
  std::map<std::filesystem::path, std::string> targets_{};  ///< by the place they lead to
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
  /// As open_lines() of serial/text/lines.hpp, which calls it.
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
  /// As open_lines() of serial/text/lines.hpp, which calls it.
  file_bytes lines(const std::string& path, std::size_t longest) const {
    return open_lines(*files, path, longest);
  }
};

/// Read something through a record: what has changed meanwhile is the error, whatever else it led
/// to.
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

/// To be called after the last read and before a result is put in place: where an opener, or the
/// opener of a chunked graph, keeps a record of what it has opened, none of that may have changed.
/// @errors as input_record::settle()
template <class Source>
void settle_inputs(const Source& source) {
  if constexpr (detail::settles<Source>)
    source.settle();
  else if constexpr (detail::wraps_opener<Source>)
    settle_inputs(source.opener());
}

}  // namespace halograph
