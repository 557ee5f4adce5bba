// SPDX-License-Identifier: BSL-1.0
/// @file folder.hpp
/// The unit of output: a folder that appears whole or not at all, and never over anything that is not ours.
/// Layer: serial. Words: README.md.
///
/// Files are written into `.<name>.halograph-tmp` beside the target, synced, listed with sizes and
/// digests in `.halograph-manifest`, and exchanged with the target in one rename. A failed or killed run
/// leaves the target as it was; the next run removes what it left.
///
/// The manifest is text: `halograph <version>`, then how the folder was made as JSON on one line, then a line
/// per file in order of path: digest (16 hexadecimal digits, core/digest.hpp), size in bytes, path.
#pragma once

#include <halograph/core/digest.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/version.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/file.hpp>
#include <halograph/serial/json.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace halograph {

namespace detail {

/// Create a file if it is not there, and own it: nobody else does as long as the descriptor is open.
/// @errors busy: another run owns it; io
inline descriptor lock_file(const std::string& path) {
  const auto busy = [&] { raise(errc::busy, "another run is writing here; wait for it, or choose another file", {.file = path, .line = {}, .byte = {}}); };
  for (int attempt = 0; attempt < 16; ++attempt) {
    descriptor fd = open_file(path, O_WRONLY | O_CREAT | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK, 0666);
    if (!fd) raise_io(path, "create", errno);
    if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno == EWOULDBLOCK) busy();
      raise_io(path, "lock", errno);
    }
    // A run that ended may have renamed or removed what was opened here.
    struct stat ours {}, there {};
    if (::fstat(fd.get(), &ours) == 0 && ::stat(path.c_str(), &there) == 0 && ours.st_ino == there.st_ino && ours.st_dev == there.st_dev) return fd;
  }
  busy();
  return {};
}

}  // namespace detail

/// The name of the manifest in every folder of ours.
inline constexpr std::string_view manifest_name = ".halograph-manifest";

/// One file of a folder.
struct manifest_entry {
  std::uint64_t digest = 0;
  std::uint64_t bytes = 0;
  std::string path{};  ///< relative to the folder
  friend bool operator==(const manifest_entry&, const manifest_entry&) = default;
};

/// What a folder of ours holds and how it was made.
struct manifest {
  std::string version = HALOGRAPH_VERSION_STRING;
  std::string command = "{}";  ///< JSON on one line
  std::vector<manifest_entry> files{};

  const manifest_entry* find(std::string_view path) const noexcept {
    for (const auto& file : files) {
      if (file.path == path) return &file;
    }
    return nullptr;
  }
};

namespace detail {

/// Is this a relative path of safe names, one that cannot leave its folder?
inline bool stays_inside(std::string_view path) noexcept {
  for (std::size_t begin = 0; begin <= path.size();) {
    const auto end = std::min(path.find('/', begin), path.size());
    if (!is_safe_name(path.substr(begin, end - begin))) return false;
    begin = end + 1;
  }
  return true;
}

}  // namespace detail

/// A manifest as text. Files are written in the order of their paths.
inline std::string print(const manifest& made) {
  std::string out = "halograph " + made.version + "\n" + made.command + "\n";
  auto files = made.files;
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  for (const auto& file : files) {
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(file.digest));
    out += std::string(digits) + " " + std::to_string(file.bytes) + " " + file.path + "\n";
  }
  return out;
}

/// Understand a manifest. @param path for errors  @errors malformed, with the line
inline manifest parse_manifest(std::string_view text, const std::string& path) {
  manifest out;
  std::uint64_t line = 0;
  const auto fail = [&](const char* sentence) { raise(errc::malformed, sentence, {.file = path, .line = line, .byte = {}}); };
  while (!text.empty()) {
    ++line;
    const auto end = text.find('\n');
    if (end == std::string_view::npos) fail("the manifest's last line does not end");
    const auto row = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (line == 1) {
      if (row.substr(0, 10) != "halograph ") fail("a manifest begins with \"halograph\" and a version");
      out.version = std::string(row.substr(10));
    } else if (line == 2) {
      out.command = std::string(row);
    } else {
      manifest_entry file;
      const char* const last = row.data() + row.size();
      const auto digest = std::from_chars(row.data(), last, file.digest, 16);
      if (digest.ec != std::errc{} || digest.ptr != row.data() + 16 || digest.ptr == last || *digest.ptr != ' ') {
        fail("a line must be a digest of 16 digits, a size and a path");
      }
      const auto size = std::from_chars(digest.ptr + 1, last, file.bytes);
      if (size.ec != std::errc{} || size.ptr == last || *size.ptr != ' ' || size.ptr + 1 == last) {
        fail("a line must be a digest of 16 digits, a size and a path");
      }
      file.path.assign(size.ptr + 1, last);
      if (!detail::stays_inside(file.path)) fail("a path must be made of plain names, with '/' between");
      if (!out.files.empty() && out.files.back().path >= file.path) fail("paths must ascend, each listed once");
      out.files.push_back(std::move(file));
    }
  }
  if (line < 2) fail("the manifest ends too early");
  return out;
}

/// Read the manifest of a folder; nothing where there is none.
inline std::optional<manifest> read_manifest(const std::string& folder) {
  const std::string path = folder + "/" + std::string(manifest_name);
  file_bytes content;
  try {
    content = read_files{}(path);
  } catch (const error& problem) {
    if (problem.code() == errc::not_found) return std::nullopt;
    throw;
  }
  return parse_manifest({reinterpret_cast<const char*>(content.bytes.data()), content.bytes.size()}, path);
}

/// The digest of a file's bytes, read through a fixed buffer. @errors as read_files
inline manifest_entry digest_file(const std::string& path, std::string name) {
  manifest_entry out;
  out.path = std::move(name);
  const detail::descriptor fd = detail::open_regular(path, out.bytes);
  const auto buffer = std::make_unique<std::array<std::byte, 1 << 20>>();
  digest64 digest;
  for (std::uint64_t at = 0; at < out.bytes;) {
    const auto piece = std::span(*buffer).first(static_cast<std::size_t>(std::min<std::uint64_t>(out.bytes - at, buffer->size())));
    if (const int problem = detail::read_fully(fd.get(), at, piece); problem != 0) {
      if (problem < 0) raise(errc::truncated, "became shorter while it was read", {.file = path, .line = {}, .byte = at});
      raise_io(path, "read", problem);
    }
    digest.update(piece);
    at += piece.size();
  }
  out.digest = digest.value();
  return out;
}

/// The first entry of a folder that its manifest does not account for, relative to the folder; nothing where all
/// of it is ours. An empty folder is ours; one without a manifest is not.
inline std::optional<std::string> foreign_entry(const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code problem;
  if (fs::is_empty(folder, problem) && !problem) return std::nullopt;
  if (problem) raise_io(folder, "look into", problem.value());
  std::optional<manifest> made;
  try {
    made = read_manifest(folder);
  } catch (const error&) {
    return std::string(manifest_name);
  }
  std::set<std::string, std::less<>> files, folders;
  if (made) {
    files.insert(std::string(manifest_name));
    for (const auto& file : made->files) {
      files.insert(file.path);
      for (auto slash = file.path.find('/'); slash != std::string::npos; slash = file.path.find('/', slash + 1)) {
        folders.insert(file.path.substr(0, slash));
      }
    }
  }
  fs::recursive_directory_iterator at(folder, problem), end;
  for (; !problem && at != end; at.increment(problem)) {
    const std::string name = at->path().lexically_relative(folder).generic_string();
    const auto kind = at->symlink_status(problem).type();
    const bool known = kind == fs::file_type::regular ? files.count(name) != 0
                       : kind == fs::file_type::directory && folders.count(name) != 0;
    if (!known) return name;
  }
  if (problem) raise_io(folder, "look into", problem.value());
  return std::nullopt;
}

/// What becomes of what an earlier run left in the staging folder.
enum class leftovers : std::uint8_t {
  remove,
  keep  ///< to go on with it; a run that ends without a commit leaves it, unless it lets go
};

namespace detail {

/// What is known of a folder's files before commit(); lent to their sinks.
struct folder_notes {
  std::mutex mutex{};
  std::map<std::string, manifest_entry, std::less<>> files{};
};

}  // namespace detail

/// A file of an output folder in the making. What is written from front to back is digested on its way, while it is
/// still in the cache; commit() reads such a file no more if it was synced and closed. Otherwise as file_sink.
class staged_sink {
 public:
  staged_sink(staged_sink&&) noexcept = default;
  staged_sink& operator=(staged_sink&&) noexcept = default;

  const std::string& path() const noexcept { return file_.path(); }
  std::uint64_t size() const noexcept { return file_.size(); }
  /// @errors as file_sink::write_at
  status write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
    const status answer = write_apart(offset, bytes);
    if (answer) account_for(offset, bytes);
    return answer;
  }
  /// Write, and let account_for() follow: so several threads write at once, and one digests what they wrote in its order.
  status write_apart(std::uint64_t offset, std::span<const std::byte> bytes) noexcept { return file_.write_at(offset, bytes); }
  void account_for(std::uint64_t offset, std::span<const std::byte> bytes) {
    if (bytes.empty()) return;
    const std::lock_guard guard(state_->mutex);
    state_->synced = false;
    if (offset != state_->next) state_->in_order = false;
    if (!state_->in_order) return;
    state_->digest.update(bytes);
    state_->next += bytes.size();
  }
  void require(status answer) const { file_.require(answer); }
  void sync() {
    file_.sync();
    state_->synced = true;
  }
  void close() {
    file_.close();
    if (!state_->synced || !state_->in_order || state_->next != size()) return;
    const std::lock_guard guard(notes_->mutex);
    notes_->files[name_] = {state_->digest.value(), size(), name_};
  }

 private:
  friend class staged_folder;
  struct progress_of_bytes {
    std::mutex mutex{};
    digest64 digest{};
    std::uint64_t next = 0;
    bool in_order = true, synced = false;
  };
  staged_sink(file_sink file, std::string name, std::shared_ptr<detail::folder_notes> notes)
      : file_(std::move(file)), name_(std::move(name)), notes_(std::move(notes)) {}

  file_sink file_;
  std::string name_;
  std::shared_ptr<detail::folder_notes> notes_;
  std::unique_ptr<progress_of_bytes> state_ = std::make_unique<progress_of_bytes>();
};
static_assert(byte_sink<staged_sink>);

/// An output folder in the making. create() is safe from several threads; everything else from one.
class staged_folder {
 public:
  /// Lock the target, remove what an earlier run left, and make an empty staging folder beside it.
  ///
  /// @param target   the folder to be; its parents are made where missing
  /// @param earlier  keep: go on in a staging folder that an earlier run left, as it is
  /// @errors exists: the target is a file, a link, or holds anything but a result of ours (named);
  ///         busy: another run works on it; invalid_argument: the path names no folder of its own; io
  explicit staged_folder(const std::string& target, leftovers earlier = leftovers::remove) {
    namespace fs = std::filesystem;
    fs::path path = fs::path(target).lexically_normal();
    if (path.filename().empty()) path = path.parent_path();
    const std::string name = path.filename().string();
    if (target.find('\0') != std::string::npos || !is_safe_name(name)) {
      raise(errc::invalid_argument, graph_schema::quoted(target) + " names no folder that could be replaced; give one with a name of its own");
    }
    target_ = path.string();
    parent_ = path.has_parent_path() ? path.parent_path().string() : ".";
    staging_ = parent_ + "/." + name + ".halograph-tmp";
    aside_ = parent_ + "/." + name + ".halograph-old";
    std::error_code problem;
    fs::create_directories(parent_, problem);
    if (problem) raise_io(parent_, "create the folder", problem.value());
    lock_staging();
    // Where the target is refused no destructor runs, and an empty folder would stay; what an earlier run left does stay.
    struct unless_made {
      const std::string* staging;
      ~unless_made() {
        if (staging != nullptr) static_cast<void>(::rmdir(staging->c_str()));
      }
    } refused{&staging_};
    recover();
    check_target();
    if (earlier == leftovers::remove) clear(staging_);
    refused.staging = nullptr;
    keep_ = earlier == leftovers::keep;
  }
  staged_folder(staged_folder&& other) noexcept { *this = std::move(other); }
  staged_folder& operator=(staged_folder&& other) noexcept {
    if (this != &other) {
      discard();
      target_ = std::move(other.target_);
      parent_ = std::move(other.parent_);
      staging_ = std::exchange(other.staging_, {});
      aside_ = std::move(other.aside_);
      lock_ = std::move(other.lock_);
      target_lock_ = std::move(other.target_lock_);
      names_ = std::move(other.names_);
      working_ = std::move(other.working_);
      notes_ = std::move(other.notes_);
      keep_ = other.keep_;
    }
    return *this;
  }
  /// Without a commit nothing is left behind.
  ~staged_folder() { discard(); }

  /// Where files are staged; for writers that need a path. Files put there by hand must be told to add().
  const std::string& path() const noexcept { return staging_; }
  const std::string& target() const noexcept { return target_; }

  /// A new file of a given size. @param name relative, of safe names: "part0/graph.dgl"
  /// @errors invalid_argument: the name leaves the folder; exists: given before; io: what the system said
  staged_sink create(const std::string& name, std::uint64_t bytes) {
    add(name);
    return staged_sink(file_sink::create(staging_ + "/" + name, bytes), name, notes_);
  }

  /// Take a file that lies in path() already, or will by commit(), as part of the result; makes its folders.
  void add(const std::string& name) {
    if (!detail::stays_inside(name)) {
      raise(errc::invalid_argument, "file name " + graph_schema::quoted(name) + " could leave its folder; it must be made of plain names");
    }
    const std::lock_guard guard(notes_->mutex);
    if (name == manifest_name || !names_.insert(name).second) {
      raise(errc::exists, "file " + graph_schema::quoted(name) + " is made twice in one result; names must differ");
    }
    if (const auto slash = name.rfind('/'); slash != std::string::npos) {
      std::error_code problem;
      std::filesystem::create_directories(staging_ + "/" + name.substr(0, slash), problem);
      if (problem) raise_io(staging_ + "/" + name.substr(0, slash), "create the folder", problem.value());
    }
  }

  /// The digest and size of a file that is part of the result already; commit() does not read it again.
  void know(const manifest_entry& file) {
    const std::lock_guard guard(notes_->mutex);
    notes_->files[file.path] = file;
  }
  /// A file or folder in path() that serves the making alone: commit() removes them last, in the
  /// order told.
  void working(const std::string& name) { working_.push_back(name); }
  /// From now on a run that ends without a commit leaves the staging folder for the next run.
  void keep() noexcept { keep_ = true; }
  /// A run that ends without a commit removes the staging folder, as at first.
  void let_go() noexcept { keep_ = false; }

  /// Write the manifest, sync everything, and put the result in the target's place in one rename.
  /// @param command  how the result was made, for the manifest; null: nothing to say
  /// @errors io, exists: the target changed meanwhile
  void commit(const json::value& command = {}) {
    manifest made;
    if (!command.is_null()) made.command = json::print(command, 0);
    std::set<std::string> folders{staging_};
    for (const auto& name : names_) {
      const auto known = notes_->files.find(name);
      made.files.push_back(known != notes_->files.end() ? known->second : digest_file(staging_ + "/" + name, name));
      if (known == notes_->files.end()) sync_file(staging_ + "/" + name);
      for (auto slash = name.find('/'); slash != std::string::npos; slash = name.find('/', slash + 1)) {
        folders.insert(staging_ + "/" + name.substr(0, slash));
      }
    }
    const std::string text = print(made);
    auto sink = file_sink::create(staging_ + "/" + std::string(manifest_name), text.size());
    sink.require(sink.write_at(0, std::as_bytes(std::span(text.data(), text.size()))));
    sink.sync();
    sink.close();
    for (auto folder = folders.rbegin(); folder != folders.rend(); ++folder) sync_folder(*folder);
    check_target();
    for (const auto& name : working_) {
      std::error_code problem;
      std::filesystem::remove_all(staging_ + "/" + name, problem);
      if (problem) raise_io(staging_ + "/" + name, "remove", problem.value());
    }
    exchange();
    sync_folder(parent_);
    // Where there was a target it is now in the staging folder's place, locked by target_lock_; where there was
    // none, that place may already belong to the next run.
    std::error_code ignored;
    if (target_lock_ && same_file(target_lock_.get(), staging_)) std::filesystem::remove_all(staging_, ignored);
    staging_.clear();
    target_lock_ = {};
    lock_ = {};
  }

 private:
  /// Those put there by hand may not have been synced; to sync one again costs nothing.
  static void sync_file(const std::string& path) {
    const auto fd = detail::open_file(path, O_RDONLY);
    if (!fd) raise_io(path, "open", errno);
    detail::sync_file(fd.get(), path);
  }
  static void sync_folder(const std::string& path) {
    const auto fd = detail::open_file(path, O_RDONLY | O_DIRECTORY);
    if (!fd) raise_io(path, "open", errno);
    if (::fsync(fd.get()) != 0 && errno != EINVAL && errno != EROFS) raise_io(path, "sync", errno);
  }

  static bool same_file(int fd, const std::string& path) {
    struct stat here {}, there {};
    return ::fstat(fd, &here) == 0 && ::lstat(path.c_str(), &there) == 0 && here.st_dev == there.st_dev && here.st_ino == there.st_ino;
  }

  [[noreturn]] void raise_busy() const {
    raise(errc::busy, "another run is writing here; wait for it, or choose another folder", {.file = target_, .line = {}, .byte = {}});
  }

  /// Own the staging folder: nobody else does while our lock on it is held.
  void lock_staging() {
    for (int attempt = 0; attempt < 16; ++attempt) {
      if (::mkdir(staging_.c_str(), 0777) != 0 && errno != EEXIST) raise_io(staging_, "create the folder", errno);
      auto fd = detail::open_file(staging_, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
      if (!fd) {
        if (errno == ENOENT) continue;  // a run that ended removed it
        raise_io(staging_, "open the folder", errno);
      }
      if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK) raise_busy();
        raise_io(staging_, "lock the folder", errno);
      }
      if (same_file(fd.get(), staging_)) {
        lock_ = std::move(fd);
        return;
      }
    }
    raise_busy();
  }

  /// A run that died between the two renames of a file system without exchange left the result aside.
  void recover() {
    std::error_code problem;
    if (!std::filesystem::exists(std::filesystem::symlink_status(aside_, problem))) return;
    if (!std::filesystem::exists(std::filesystem::symlink_status(target_, problem))) {
      if (::rename(aside_.c_str(), target_.c_str()) != 0) raise_io(aside_, "put back", errno);
    } else {
      std::filesystem::remove_all(aside_, problem);
    }
  }

  /// Is the target free for us, and if it is there, locked by us?
  void check_target() {
    struct stat info {};
    if (::lstat(target_.c_str(), &info) != 0) {
      if (errno == ENOENT) return;
      raise_io(target_, "examine", errno);
    }
    if (!S_ISDIR(info.st_mode)) {
      raise(errc::exists, "is not a folder; it stays as it is, choose another place", {.file = target_, .line = {}, .byte = {}});
    }
    // What is in it goes at the end, which its owner can forbid.
    if (::access(target_.c_str(), W_OK | X_OK) != 0) raise_io(target_, "replace the folder", errno);
    if (!target_lock_) {
      auto fd = detail::open_file(target_, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
      if (!fd) raise_io(target_, "open the folder", errno);
      if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK) raise_busy();
        raise_io(target_, "lock the folder", errno);
      }
      target_lock_ = std::move(fd);
    }
    if (const auto foreign = foreign_entry(target_)) {
      raise(errc::exists, "holds " + graph_schema::quoted(*foreign) + ", which is not part of a result of halograph; it stays as it is, choose another folder",
            {.file = target_, .line = {}, .byte = {}});
    }
  }

  static void clear(const std::string& folder) {
    std::error_code problem;
    std::vector<std::filesystem::path> entries;
    for (std::filesystem::directory_iterator at(folder, problem), end; !problem && at != end; at.increment(problem)) entries.push_back(at->path());
    for (const auto& entry : entries) {
      if (!problem) std::filesystem::remove_all(entry, problem);
    }
    if (problem) raise_io(folder, "remove what an earlier run left in", problem.value());
  }

  void exchange() {
#if defined(__linux__)
    // 2: RENAME_EXCHANGE, 1: RENAME_NOREPLACE (linux/fs.h, which clashes with other headers).
    const bool there = static_cast<bool>(target_lock_);
    if (::syscall(SYS_renameat2, AT_FDCWD, staging_.c_str(), AT_FDCWD, target_.c_str(), there ? 2u : 1u) == 0) return;
    if (errno != EINVAL && errno != ENOSYS) raise_io(target_, "put the result in place", errno);
#endif
    // No exchange here: the old result steps aside, and the next run puts it back should we die in between.
    if (target_lock_ && ::rename(target_.c_str(), aside_.c_str()) != 0) raise_io(target_, "set aside", errno);
    if (::rename(staging_.c_str(), target_.c_str()) != 0) {
      const int problem = errno;
      if (target_lock_) static_cast<void>(::rename(aside_.c_str(), target_.c_str()));
      raise_io(target_, "put the result in place", problem);
    }
    std::error_code ignored;
    if (target_lock_) std::filesystem::remove_all(aside_, ignored);
  }

  void discard() noexcept {
    if (staging_.empty() || !lock_) return;
    std::error_code ignored;
    if (!keep_) std::filesystem::remove_all(staging_, ignored);
    staging_.clear();
    lock_ = {};
    target_lock_ = {};
  }

  std::string target_{}, parent_{}, staging_{}, aside_{};
  detail::descriptor lock_{}, target_lock_{};
  std::set<std::string> names_{};
  std::vector<std::string> working_{};
  bool keep_ = false;
  std::shared_ptr<detail::folder_notes> notes_ = std::make_shared<detail::folder_notes>();
};

}  // namespace halograph
