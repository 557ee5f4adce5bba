// SPDX-License-Identifier: BSL-1.0
/// @file staged_folder.ipp
/// Bodies of the plain functions of serial/files/staged_folder.hpp.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/status.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/folder_entries.hpp>
#include <halograph/serial/files/lock.hpp>
#include <halograph/serial/files/manifest.hpp>
#include <halograph/serial/files/staged_folder.hpp>
#include <halograph/serial/files/staged_sink.hpp>

#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace halograph {

namespace detail {

/// A target without a slash at its end.
inline std::filesystem::path normal_target(const std::string& target) {
  const auto path = std::filesystem::path(target).lexically_normal();
  return path.filename().empty() ? path.parent_path() : path;
}

}  // namespace detail

HALOGRAPH_INLINE staged_folder::staged_folder(const std::string& target, leftovers earlier) {
  name(target);
  make_parents();
  // If this constructor throws, no destructor runs: remove the empty folders that it has created,
  // but not what an earlier run left.
  struct unless_made {
    staged_folder* made;
    ~unless_made() {
      if (made == nullptr) return;
      if (made->lock_)
        static_cast<void>(::rmdir(made->staging_.c_str()));  // else it may be another run's
      // Their marker files may be in a parent that is removed next.
      made->target_lock_ = {};
      made->lock_ = {};
      made->remove_parents();
    }
  } refused{this};
  lock_ = detail::lock_staging_folder(staging_, target_);
  recover();
  check_target(true);
  if (earlier == leftovers::remove) clear(staging_);
  refused.made = nullptr;
  keep_ = earlier == leftovers::keep;
}

HALOGRAPH_INLINE void staged_folder::require_name(const std::string& target) {
  const auto path = detail::normal_target(target);
  const std::string name = path.filename().string();
  const auto too_long = [](const char* what, const std::string& text, std::size_t most) {
    if (text.size() <= most) return;
    raise(error_kind::invalid_argument,
          what + graph_schema::quoted(text) + " of the output folder is too long: it has " +
              std::to_string(text.size()) + " bytes and may have at most " + std::to_string(most));
  };
  too_long("the name ", name, longest_name);
  too_long("the path ", target, longest_path);
  if (target.find('\0') != std::string::npos || !is_safe_name(name)) {
    raise(error_kind::invalid_argument,
          graph_schema::quoted(target) +
              " is not the name of a folder that can be replaced; choose a named folder");
  }
}

HALOGRAPH_INLINE staged_folder& staged_folder::operator=(staged_folder&& other) noexcept {
  if (this != &other) {
    discard();
    target_ = std::move(other.target_);
    parent_ = std::move(other.parent_);
    staging_ = std::exchange(other.staging_, {});
    aside_ = std::move(other.aside_);
    lock_ = std::move(other.lock_);
    target_lock_ = std::move(other.target_lock_);
    names_ = std::move(other.names_);
    notes_ = std::move(other.notes_);
    made_parents_ = std::move(other.made_parents_);
    keep_ = other.keep_;
    in_place_ = other.in_place_;
  }
  return *this;
}

HALOGRAPH_INLINE void staged_folder::add(const std::string& name) {
  if (!detail::stays_inside(name)) {
    raise(error_kind::invalid_argument,
          "file name " + graph_schema::quoted(name) +
              " could leave its folder; it must be made of plain names");
  }
  const std::lock_guard guard(notes_->mutex);
  if (name == manifest_name || !names_.insert(name).second) {
    raise(error_kind::exists, "file " + graph_schema::quoted(name) +
                                  " is written twice in one result; names must differ");
  }
  if (const auto slash = name.rfind('/'); slash != std::string::npos) {
    std::error_code problem;
    std::filesystem::create_directories(staging_ + "/" + name.substr(0, slash), problem);
    if (problem)
      raise_io(staging_ + "/" + name.substr(0, slash), "create the folder", problem.value());
  }
}

HALOGRAPH_INLINE std::vector<manifest_entry> staged_folder::add_all() {
  std::vector<manifest_entry> out;
  detail::for_each_entry(staging_, [&](std::string name, detail::entry_kind kind) {
    if (kind != detail::entry_kind::file || name == manifest_name) return true;
    std::error_code problem;
    const auto bytes = std::filesystem::file_size(staging_ + "/" + name, problem);
    if (problem) raise_io(staging_ + "/" + name, "examine", problem.value());
    out.push_back({0, static_cast<std::uint64_t>(bytes), std::move(name)});
    return true;
  });
  std::sort(out.begin(), out.end(),
            [](const auto& one, const auto& other) { return one.path < other.path; });
  for (const auto& file : out) {
    if (!names_.contains(file.path)) add(file.path);
  }
  return out;
}

HALOGRAPH_INLINE std::string staged_folder::commit(std::string_view command) {
  manifest made;
  if (!command.empty()) made.command = command;
  std::set<std::string> folders{staging_};
  for (const auto& name : names_) {
    const auto found = notes_->files.find(name);
    const auto known = found != notes_->files.end()
                           ? found->second
                           : detail::folder_notes::note{digest_file(staging_ + "/" + name, name)};
    made.files.push_back(known.entry);
    if (!known.synced) sync_file(staging_ + "/" + name);
    for (auto slash = name.find('/'); slash != std::string::npos;
         slash = name.find('/', slash + 1)) {
      folders.insert(staging_ + "/" + name.substr(0, slash));
    }
  }
  const std::string text = print(made);
  auto sink = file_sink::create(staging_ + "/" + std::string(manifest_name), text.size());
  sink.require(sink.write_at(0, std::as_bytes(std::span(text.data(), text.size()))));
  sink.sync();
  sink.close();
  check_target(true);
  for (const auto& name : detail::entries_besides(staging_, detail::files_of(made))) {
    if (made.find(name) != nullptr)
      raise(error_kind::unsupported,
            "is not a regular file; a result can contain only regular files",
            {.file = staging_ + "/" + name});
    if (const auto problem = detail::remove_tree(staging_ + "/" + name))
      raise_io(staging_ + "/" + name, "remove", problem);
  }
  // Last, so that what was removed cannot come back beside the result after a crash.
  for (auto folder = folders.rbegin(); folder != folders.rend(); ++folder)
    detail::sync_folder(*folder);
  const std::string earlier = exchange();
  // From here on the path of the staging folder holds the earlier result, or belongs to the next
  // run.
  staging_.clear();
  made_parents_.clear();
  in_place_ = true;
  try {
    detail::sync_folder(parent_);
  } catch (const error& problem) {
    raise(
        error_kind::io,
        "the result is in place, but may be lost if the machine crashes now, because its parent folder could not be synced (" +
            problem.message() + ")" +
            (earlier.empty()
                 ? std::string()
                 : "; the earlier result is kept in " + earlier + " until the next run"),
        {.file = target_});
  }
  std::string note;
  if (const int problem = earlier.empty() ? 0 : detail::remove_tree(earlier)) {
    note = target_ + " is replaced, but the earlier result could not be removed (" +
           std::generic_category().message(problem) + "): what is left of it is in " + earlier +
           ", which the next run into " + target_ + " removes";
  }
  target_lock_ = {};
  lock_ = {};
  return note;
}

HALOGRAPH_INLINE void staged_folder::name(const std::string& target) {
  require_name(target);
  const auto path = detail::normal_target(target);
  const std::string last = path.filename().string();
  target_ = path.string();
  parent_ = path.has_parent_path() ? path.parent_path().string() : ".";
  staging_ = parent_ + "/." + last + ".halograph-tmp";
  aside_ = parent_ + "/." + last + ".halograph-old";
}

HALOGRAPH_INLINE void staged_folder::discard() noexcept {
  if (staging_.empty() || !lock_) return;
  if (!keep_) detail::remove_tree(staging_);
  staging_.clear();
  target_lock_ = {};  // its marker file may be in a parent that is removed next
  lock_ = {};
  remove_parents();
}

HALOGRAPH_INLINE void staged_folder::make_parents() {
  namespace fs = std::filesystem;
  std::error_code problem;
  for (fs::path at = parent_;
       !at.empty() && !detail::entry_at(at.string(), false) && at != at.parent_path();
       at = at.parent_path())
    made_parents_.push_back(at.string());
  fs::create_directories(parent_, problem);
  if (!problem) return;
  remove_parents();
  raise_io(parent_, "create the folder", problem.value());
}

HALOGRAPH_INLINE void staged_folder::recover() {
  if (!detail::entry_at(aside_, false)) return;
  if (!detail::entry_at(target_, false)) {
    if (::rename(aside_.c_str(), target_.c_str()) != 0) raise_io(aside_, "put back", errno);
  } else {
    detail::remove_tree(aside_);
  }
}

HALOGRAPH_INLINE void staged_folder::check_target(bool lock) {
  struct stat info{}, above{};
  if (::lstat(target_.c_str(), &info) != 0) {
    if (errno == ENOENT) return;
    raise_io(target_, "examine", errno);
  }
  if (!S_ISDIR(info.st_mode)) {
    raise(error_kind::exists, "is not a folder; refusing to replace it, choose another output",
          {.file = target_, .line = {}, .byte = {}});
  }
  if (::stat(parent_.c_str(), &above) == 0 && !detail::may_remove(above, info)) {
    raise_io(
        target_,
        "replace the folder, which belongs to another user and lies in a folder with the sticky bit",
        EPERM);
  }
  if (::faccessat(AT_FDCWD, target_.c_str(), W_OK | X_OK, AT_EACCESS) != 0)
    raise_io(target_, "replace the folder", errno);
  if (lock && !target_lock_) target_lock_ = detail::lock_folder(target_);
  if (const auto foreign = foreign_entry(target_)) {
    raise(
        error_kind::exists,
        "holds " + graph_schema::quoted(*foreign) +
            ", which is not part of a result of halograph; refusing to replace the folder, choose another output",
        {.file = target_, .line = {}, .byte = {}});
  }
  if (const auto name = detail::irremovable_entry(target_)) {
    raise_io(target_,
             "replace the folder, because " + graph_schema::quoted(*name) +
                 " in it cannot be removed by this user",
             EACCES);
  }
}

HALOGRAPH_INLINE bool staged_folder::clear(const std::string& folder) {
  const auto entries = detail::names_in(folder);
  int problem = 0;
  for (const auto& entry : entries) {
    if (problem == 0) problem = detail::remove_tree(folder + "/" + entry);
  }
  if (problem != 0) raise_io(folder, "remove what an earlier run left in", problem);
  return !entries.empty();
}

HALOGRAPH_INLINE std::string staged_folder::exchange() {
  const bool there = static_cast<bool>(target_lock_);
#if defined(__linux__)
  // 2: RENAME_EXCHANGE, 1: RENAME_NOREPLACE (linux/fs.h, which clashes with other headers).
  if (::syscall(SYS_renameat2, AT_FDCWD, staging_.c_str(), AT_FDCWD, target_.c_str(),
                there ? 2u : 1u) == 0) {
    // Locked by target_lock_, or else not what was replaced.
    return there && detail::is_at(target_lock_, staging_) ? staging_ : std::string();
  }
  // File systems and sandboxes refuse the flags, or the call, with any of these. Where a rename is
  // refused, too, the first one below fails, and the target is unchanged.
  constexpr int refusals[] = {EINVAL, ENOSYS, EOPNOTSUPP, EPERM, EXDEV};
  if (std::find(std::begin(refusals), std::end(refusals), errno) == std::end(refusals))
    raise_io(target_, "put the result in place", errno);
#endif
  // No atomic exchange: rename the earlier result first. If this run is killed in between, the
  // next one restores it.
  if (there && ::rename(target_.c_str(), aside_.c_str()) != 0)
    raise_io(target_, "set aside", errno);
  if (::rename(staging_.c_str(), target_.c_str()) != 0) {
    const int problem = errno;
    if (there) static_cast<void>(::rename(aside_.c_str(), target_.c_str()));
    raise_io(target_, "put the result in place", problem);
  }
  return there ? aside_ : std::string();
}

}  // namespace halograph
