// SPDX-License-Identifier: BSL-1.0
/// @file folder.hpp
/// The unit of output: a folder that appears whole or not at all, and never over anything that is
/// not ours.
/// Layer: serial. Words: README.md.
///
/// Files are written into `.<name>.halograph-tmp` beside the target, synced, listed with sizes and
/// digests in `.halograph-manifest`, and exchanged with the target in one rename. Nothing but what
/// the manifest lists is put in place. A failed or killed run leaves the target as it was; the next
/// run removes what it left.
///
/// The manifest is text: `halograph <version>`, then how the folder was made as JSON on one line,
/// then a line per file in order of path: digest (16 hexadecimal digits, serial/digest.hpp), size
/// in bytes, path.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/version.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/digest.hpp>
#include <halograph/serial/files/file.hpp>
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

/// Create a file if it is not there, and own it: nobody else does as long as the descriptor is
/// open.
/// @errors busy: another run owns it; io
inline descriptor lock_file(const std::string& path) {
  const auto busy = [&] {
    raise(errc::busy, "another run is writing here; wait for it, or choose another file",
          {.file = path, .line = {}, .byte = {}});
  };
  for (int attempt = 0; attempt < 16; ++attempt) {
    descriptor fd = open_file(path, O_WRONLY | O_CREAT | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK, 0666);
    if (!fd) raise_io(path, "create", errno);
    if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno == EWOULDBLOCK) busy();
      raise_io(path, "lock", errno);
    }
    // A run that ended may have renamed or removed what was opened here.
    struct stat ours{}, there{};
    if (::fstat(fd.get(), &ours) == 0 && ::stat(path.c_str(), &there) == 0 &&
        ours.st_ino == there.st_ino && ours.st_dev == there.st_dev)
      return fd;
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
  std::sort(files.begin(), files.end(),
            [](const auto& a, const auto& b) { return a.path < b.path; });
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
  const auto fail = [&](const char* sentence) {
    raise(errc::malformed, sentence, {.file = path, .line = line, .byte = {}});
  };
  while (!text.empty()) {
    ++line;
    const auto end = text.find('\n');
    if (end == std::string_view::npos) fail("the manifest's last line does not end");
    const auto row = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (line == 1) {
      if (row.substr(0, 10) != "halograph ")
        fail("a manifest begins with \"halograph\" and a version");
      out.version = std::string(row.substr(10));
    } else if (line == 2) {
      out.command = std::string(row);
    } else {
      manifest_entry file;
      const char* const last = row.data() + row.size();
      const auto digest = std::from_chars(row.data(), last, file.digest, 16);
      if (digest.ec != std::errc{} || digest.ptr != row.data() + 16 || digest.ptr == last ||
          *digest.ptr != ' ') {
        fail("a line must be a digest of 16 digits, a size and a path");
      }
      const auto size = std::from_chars(digest.ptr + 1, last, file.bytes);
      if (size.ec != std::errc{} || size.ptr == last || *size.ptr != ' ' || size.ptr + 1 == last) {
        fail("a line must be a digest of 16 digits, a size and a path");
      }
      file.path.assign(size.ptr + 1, last);
      if (!detail::stays_inside(file.path))
        fail("a path must be made of plain names, with '/' between");
      if (!out.files.empty() && out.files.back().path >= file.path)
        fail("paths must ascend, each listed once");
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
  return parse_manifest({reinterpret_cast<const char*>(content.bytes.data()), content.bytes.size()},
                        path);
}

namespace detail {

/// The digest of a range of a file's bytes, read through a fixed buffer. @errors truncated, io
inline std::uint64_t digest_range(const descriptor& fd, const std::string& path,
                                  std::uint64_t offset, std::uint64_t bytes) {
  const auto buffer = std::make_unique<std::array<std::byte, 1 << 20>>();
  digest64 digest;
  for (std::uint64_t at = offset; at < offset + bytes;) {
    const auto piece = std::span(*buffer).first(
        static_cast<std::size_t>(std::min<std::uint64_t>(offset + bytes - at, buffer->size())));
    if (const int problem = read_fully(fd.get(), at, piece); problem != 0) {
      if (problem < 0)
        raise(errc::truncated, "became shorter while it was read",
              {.file = path, .line = {}, .byte = at});
      raise_io(path, "read", problem);
    }
    digest.update(piece);
    at += piece.size();
  }
  return digest.value();
}

}  // namespace detail

/// The digest of a file's bytes, read through a fixed buffer. @errors as read_files
inline manifest_entry digest_file(const std::string& path, std::string name) {
  manifest_entry out;
  out.path = std::move(name);
  const detail::descriptor fd = detail::open_regular(path, out.bytes);
  out.digest = detail::digest_range(fd, path, 0, out.bytes);
  return out;
}

namespace detail {

/// Visit what is in a folder, each folder before what is in it: f(name relative to the folder,
/// status without following links) returns whether to look into it. @errors io
template <class F>
void for_each_entry(const std::string& folder, F&& f) {
  namespace fs = std::filesystem;
  std::error_code problem;
  fs::recursive_directory_iterator at(folder, problem), end;
  for (; !problem && at != end; at.increment(problem)) {
    const auto status = at->symlink_status(problem);
    if (problem) break;
    if (!f(at->path().lexically_relative(folder).generic_string(), status))
      at.disable_recursion_pending();
  }
  if (problem) raise_io(folder, "look into", problem.value());
}

/// What a folder holds besides some files and the folders that these lie in, in order; of a folder
/// that holds none of them its name alone. @param files  relative paths  @param most  no more names
/// than this  @errors io
inline std::vector<std::string> entries_besides(const std::string& folder,
                                                const std::set<std::string, std::less<>>& files,
                                                std::size_t most = ~std::size_t{0}) {
  namespace fs = std::filesystem;
  std::vector<std::string> out;
  for_each_entry(folder, [&](std::string name, fs::file_status status) {
    bool known = false;
    if (fs::is_directory(status)) {
      const auto inside = files.lower_bound(name + "/");
      known = inside != files.end() && inside->starts_with(name + "/");
    } else {
      known = fs::is_regular_file(status) && files.count(name) != 0;
    }
    if (!known && out.size() < most) out.push_back(std::move(name));
    return known;
  });
  std::sort(out.begin(), out.end());
  return out;
}

/// The files that a manifest accounts for, itself among them.
inline std::set<std::string, std::less<>> files_of(const manifest& made) {
  std::set<std::string, std::less<>> out{std::string(manifest_name)};
  for (const auto& file : made.files) out.insert(file.path);
  return out;
}

/// May we remove an entry of a folder? Of a folder with the sticky bit only owners may. @param
/// folder, entry  lstat of each
inline bool may_remove(const struct stat& folder, const struct stat& entry) noexcept {
  const uid_t us = ::geteuid();
  return us == 0 || (folder.st_mode & S_ISVTX) == 0 || folder.st_uid == us || entry.st_uid == us;
}

/// An entry of a folder that we may not remove, or whose entries we may not; nothing where all of
/// it can be removed.
inline std::optional<std::string> irremovable_entry(const std::string& folder) {
  namespace fs = std::filesystem;
  std::optional<std::string> out;
  for_each_entry(folder, [&](std::string name, fs::file_status status) {
    const std::string path = folder + "/" + name;
    struct stat above{}, entry{};
    const bool here = ::lstat(path.substr(0, path.rfind('/')).c_str(), &above) == 0 &&
                      ::lstat(path.c_str(), &entry) == 0;
    const bool inside = !fs::is_directory(status) ||
                        ::faccessat(AT_FDCWD, path.c_str(), R_OK | W_OK | X_OK, AT_EACCESS) == 0;
    if (!out && (!inside || (here && !may_remove(above, entry)))) out = std::move(name);
    return !out;
  });
  return out;
}

}  // namespace detail

/// The first entry of a folder that its manifest does not account for, relative to the folder;
/// nothing where all of it is ours. An empty folder is ours; one without a manifest is not.
inline std::optional<std::string> foreign_entry(const std::string& folder) {
  std::error_code problem;
  if (std::filesystem::is_empty(folder, problem) && !problem) return std::nullopt;
  if (problem) raise_io(folder, "look into", problem.value());
  std::optional<manifest> made;
  try {
    made = read_manifest(folder);
  } catch (const error&) {
    return std::string(manifest_name);
  }
  auto foreign = detail::entries_besides(
      folder, made ? detail::files_of(*made) : std::set<std::string, std::less<>>{}, 1);
  return foreign.empty() ? std::nullopt : std::optional(std::move(foreign.front()));
}

/// The line of a manifest that records how a result was made; empty for null.
inline std::string command_text(const json::value& command) {
  return command.is_null() ? std::string() : json::print(command, 0);
}

/// What becomes of what an earlier run left in the staging folder.
enum class leftovers : std::uint8_t {
  remove,
  keep  ///< to go on with it, or start_over(); a run that ends without a commit leaves it, unless
        ///< it lets go
};

namespace detail {

/// What is known of a folder's files before commit(); lent to their sinks.
struct folder_notes {
  std::mutex mutex{};
  std::map<std::string, manifest_entry, std::less<>> files{};
};

}  // namespace detail

/// A file of an output folder in the making. What is written from front to back is digested on its
/// way, while it is still in the cache; commit() reads such a file no more if it was synced and
/// closed. Otherwise as file_sink.
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
  /// Write, and let account_for() follow: so several threads write at once, and one digests what
  /// they wrote in its order.
  status write_apart(std::uint64_t offset, std::span<const std::byte> bytes) noexcept {
    return file_.write_at(offset, bytes);
  }
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
  ///         busy: another run works on it; invalid_argument: the path names no folder of its own;
  ///         io
  explicit staged_folder(const std::string& target, leftovers earlier = leftovers::remove) {
    name(target);
    make_parents();
    // Where the target is refused no destructor runs, and empty folders would stay; what an earlier
    // run left does stay.
    struct unless_made {
      const staged_folder* made;
      ~unless_made() {
        if (made == nullptr) return;
        if (made->lock_)
          static_cast<void>(::rmdir(made->staging_.c_str()));  // else it may be another run's
        made->remove_parents();
      }
    } refused{this};
    lock_staging();
    recover();
    check_target(true);
    if (earlier == leftovers::remove) clear(staging_);
    refused.made = nullptr;
    keep_ = earlier == leftovers::keep;
  }
  /// The longest name and the longest path that a target may have, in bytes: those of the staging
  /// folder beside it and of the files in it are longer.
  static constexpr std::size_t longest_name = 200, longest_path = 3800;
  /// @errors invalid_argument: the path names no folder of its own, or is too long
  static void require_name(const std::string& target) {
    const auto path = normal(target);
    const std::string name = path.filename().string();
    const auto too_long = [](const char* what, const std::string& text, std::size_t most) {
      if (text.size() <= most) return;
      raise(errc::invalid_argument, what + graph_schema::quoted(text) +
                                        " of the output folder is too long: it has " +
                                        std::to_string(text.size()) +
                                        " bytes and may have at most " + std::to_string(most));
    };
    too_long("the name ", name, longest_name);
    too_long("the path ", target, longest_path);
    if (target.find('\0') != std::string::npos || !is_safe_name(name)) {
      raise(errc::invalid_argument,
            graph_schema::quoted(target) +
                " names no folder that could be replaced; give one with a name of its own");
    }
  }
  /// Refuse now what the constructor would refuse, before a long job has read its input. Nothing is
  /// made, removed or locked.
  /// @errors as the constructor, but for busy
  static void require_replaceable(const std::string& target) {
    staged_folder asked;
    asked.name(target);
    asked.check_target(false);
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
      notes_ = std::move(other.notes_);
      made_parents_ = std::move(other.made_parents_);
      keep_ = other.keep_;
      in_place_ = other.in_place_;
    }
    return *this;
  }
  /// Without a commit nothing is left behind.
  ~staged_folder() { discard(); }

  /// Where files are staged; for writers that need a path. Files put there by hand must be told to
  /// add(): commit() removes everything else.
  const std::string& path() const noexcept { return staging_; }
  const std::string& target() const noexcept { return target_; }

  /// A new file of a given size. @param name relative, of safe names: "part0/graph.dgl"
  /// @errors invalid_argument: the name leaves the folder; exists: given before; io: what the
  ///     system said
  staged_sink create(const std::string& name, std::uint64_t bytes) {
    add(name);
    return staged_sink(file_sink::create(staging_ + "/" + name, bytes), name, notes_);
  }

  /// Take a file that lies in path() already, or will by commit(), as part of the result; makes its
  /// folders.
  void add(const std::string& name) {
    if (!detail::stays_inside(name)) {
      raise(errc::invalid_argument, "file name " + graph_schema::quoted(name) +
                                        " could leave its folder; it must be made of plain names");
    }
    const std::lock_guard guard(notes_->mutex);
    if (name == manifest_name || !names_.insert(name).second) {
      raise(errc::exists, "file " + graph_schema::quoted(name) +
                              " is made twice in one result; names must differ");
    }
    if (const auto slash = name.rfind('/'); slash != std::string::npos) {
      std::error_code problem;
      std::filesystem::create_directories(staging_ + "/" + name.substr(0, slash), problem);
      if (problem)
        raise_io(staging_ + "/" + name.substr(0, slash), "create the folder", problem.value());
    }
  }

  /// The digest and size of a file that is part of the result already; commit() does not read it
  /// again.
  void know(const manifest_entry& file) {
    const std::lock_guard guard(notes_->mutex);
    notes_->files[file.path] = file;
  }
  /// Every file that lies in path() becomes part of the result. @return their names, sizes and no
  /// digests, in order of names
  /// @errors io
  std::vector<manifest_entry> add_all() {
    std::vector<manifest_entry> out;
    detail::for_each_entry(staging_, [&](std::string name, std::filesystem::file_status status) {
      if (!std::filesystem::is_regular_file(status) || name == manifest_name) return true;
      std::error_code problem;
      const auto bytes = std::filesystem::file_size(staging_ + "/" + name, problem);
      if (problem) raise_io(staging_ + "/" + name, "examine", problem.value());
      out.push_back({0, static_cast<std::uint64_t>(bytes), std::move(name)});
      return true;
    });
    std::sort(out.begin(), out.end(),
              [](const auto& one, const auto& other) { return one.path < other.path; });
    for (const auto& file : out) add(file.path);
    return out;
  }
  /// Remove what an earlier run left, where leftovers::keep has kept it. @return was there
  /// anything?  @errors io
  bool start_over() { return clear(staging_); }
  /// From now on a run that ends without a commit leaves the staging folder for the next run.
  void keep() noexcept { keep_ = true; }
  /// A run that ends without a commit removes the staging folder, as at first.
  void let_go() noexcept { keep_ = false; }

  /// Write the manifest, remove whatever else lies in path(), sync everything, and put the result
  /// in the target's place in one rename.
  ///
  /// @param command  how the result was made, one line of JSON for the manifest (command_text);
  ///     may be empty
  /// @return         what the user should know of a result that is in place: that the earlier one
  ///     could not be removed, and where it lies now; "": nothing
  /// @errors io, exists: the target changed meanwhile; the target is as it was then, unless
  ///     in_place(): the system cannot promise that the new result survives a crash of the machine,
  ///     and the earlier one is kept beside it
  std::string commit(std::string_view command = {}) {
    manifest made;
    made.command = command;
    std::set<std::string> folders{staging_};
    for (const auto& name : names_) {
      const auto known = notes_->files.find(name);
      made.files.push_back(known != notes_->files.end() ? known->second
                                                        : digest_file(staging_ + "/" + name, name));
      if (known == notes_->files.end()) sync_file(staging_ + "/" + name);
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
    for (auto folder = folders.rbegin(); folder != folders.rend(); ++folder) sync_folder(*folder);
    check_target(true);
    for (const auto& name : detail::entries_besides(staging_, detail::files_of(made))) {
      if (made.find(name) != nullptr)
        raise(errc::unsupported, "is not a regular file; a result holds nothing else",
              {.file = staging_ + "/" + name});
      std::error_code problem;
      std::filesystem::remove_all(staging_ + "/" + name, problem);
      if (problem) raise_io(staging_ + "/" + name, "remove", problem.value());
    }
    const std::string earlier = exchange();
    // From here on the staging folder's place holds the earlier result, or belongs to the next run.
    staging_.clear();
    made_parents_.clear();
    in_place_ = true;
    try {
      sync_folder(parent_);
    } catch (const error& problem) {
      raise(
          errc::io,
          "the result is in place, but may be lost if the machine crashes now, because its parent folder could not be synced (" +
              problem.message() + ")" +
              (earlier.empty()
                   ? std::string()
                   : "; the earlier result is kept in " + earlier + " until the next run"),
          {.file = target_});
    }
    std::string note;
    std::error_code problem;
    if (!earlier.empty()) std::filesystem::remove_all(earlier, problem);
    if (problem) {
      note = target_ + " is replaced, but the earlier result could not be removed (" +
             problem.message() + "): what is left of it is in " + earlier +
             ", which the next run into " + target_ + " removes";
    }
    target_lock_ = {};
    lock_ = {};
    return note;
  }
  /// Has commit() put the result in place?
  bool in_place() const noexcept { return in_place_; }

 private:
  staged_folder() = default;

  static std::filesystem::path normal(const std::string& target) {
    const auto path = std::filesystem::path(target).lexically_normal();
    return path.filename().empty() ? path.parent_path() : path;
  }
  /// Set the paths. @errors invalid_argument
  void name(const std::string& target) {
    require_name(target);
    const auto path = normal(target);
    const std::string last = path.filename().string();
    target_ = path.string();
    parent_ = path.has_parent_path() ? path.parent_path().string() : ".";
    staging_ = parent_ + "/." + last + ".halograph-tmp";
    aside_ = parent_ + "/." + last + ".halograph-old";
  }

  /// Make the folders above the target; those that were missing go again with a run that fails.
  void make_parents() {
    namespace fs = std::filesystem;
    std::error_code problem;
    for (fs::path at = parent_;
         !at.empty() && !fs::exists(fs::symlink_status(at, problem)) && at != at.parent_path();
         at = at.parent_path())
      made_parents_.push_back(at.string());
    fs::create_directories(parent_, problem);
    if (!problem) return;
    remove_parents();
    raise_io(parent_, "create the folder", problem.value());
  }
  void remove_parents() const noexcept {
    for (const auto& one : made_parents_)
      static_cast<void>(::rmdir(one.c_str()));  // the deepest first; not what holds something
  }

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
    struct stat here{}, there{};
    return ::fstat(fd, &here) == 0 && ::lstat(path.c_str(), &there) == 0 &&
           here.st_dev == there.st_dev && here.st_ino == there.st_ino;
  }

  [[noreturn]] void raise_busy() const {
    raise(errc::busy, "another run is writing here; wait for it, or choose another folder",
          {.file = target_, .line = {}, .byte = {}});
  }

  /// Own the staging folder: nobody else does while our lock on it is held.
  void lock_staging() {
    for (int attempt = 0; attempt < 16; ++attempt) {
      if (::mkdir(staging_.c_str(), 0777) != 0 && errno != EEXIST)
        raise_io(staging_, "create the folder", errno);
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

  /// A run that died between the two renames of a file system without exchange left the result
  /// aside.
  void recover() {
    std::error_code problem;
    if (!std::filesystem::exists(std::filesystem::symlink_status(aside_, problem))) return;
    if (!std::filesystem::exists(std::filesystem::symlink_status(target_, problem))) {
      if (::rename(aside_.c_str(), target_.c_str()) != 0) raise_io(aside_, "put back", errno);
    } else {
      std::filesystem::remove_all(aside_, problem);
    }
  }

  /// Is the target free for us, and what is in it ours to remove at the end? @param lock  if it is
  /// there, lock it
  void check_target(bool lock) {
    struct stat info{}, above{};
    if (::lstat(target_.c_str(), &info) != 0) {
      if (errno == ENOENT) return;
      raise_io(target_, "examine", errno);
    }
    if (!S_ISDIR(info.st_mode)) {
      raise(errc::exists, "is not a folder; it stays as it is, choose another place",
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
    if (lock && !target_lock_) {
      auto fd = detail::open_file(target_, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
      if (!fd) raise_io(target_, "open the folder", errno);
      if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK) raise_busy();
        raise_io(target_, "lock the folder", errno);
      }
      target_lock_ = std::move(fd);
    }
    if (const auto foreign = foreign_entry(target_)) {
      raise(
          errc::exists,
          "holds " + graph_schema::quoted(*foreign) +
              ", which is not part of a result of halograph; it stays as it is, choose another folder",
          {.file = target_, .line = {}, .byte = {}});
    }
    if (const auto name = detail::irremovable_entry(target_)) {
      raise_io(target_,
               "replace the folder, because " + graph_schema::quoted(*name) +
                   " in it cannot be removed by this user",
               EACCES);
    }
  }

  /// @return was there anything in it?
  static bool clear(const std::string& folder) {
    std::error_code problem;
    std::vector<std::filesystem::path> entries;
    for (std::filesystem::directory_iterator at(folder, problem), end; !problem && at != end;
         at.increment(problem))
      entries.push_back(at->path());
    for (const auto& entry : entries) {
      if (!problem) std::filesystem::remove_all(entry, problem);
    }
    if (problem) raise_io(folder, "remove what an earlier run left in", problem.value());
    return !entries.empty();
  }

  /// @return where the earlier result is now; "": there was none
  std::string exchange() {
    const bool there = static_cast<bool>(target_lock_);
#if defined(__linux__)
    // 2: RENAME_EXCHANGE, 1: RENAME_NOREPLACE (linux/fs.h, which clashes with other headers).
    if (::syscall(SYS_renameat2, AT_FDCWD, staging_.c_str(), AT_FDCWD, target_.c_str(),
                  there ? 2u : 1u) == 0) {
      // Locked by target_lock_, or else not what was replaced.
      return there && same_file(target_lock_.get(), staging_) ? staging_ : std::string();
    }
    if (errno != EINVAL && errno != ENOSYS) raise_io(target_, "put the result in place", errno);
#endif
    // No exchange here: the old result steps aside, and the next run puts it back should we die in
    // between.
    if (there && ::rename(target_.c_str(), aside_.c_str()) != 0)
      raise_io(target_, "set aside", errno);
    if (::rename(staging_.c_str(), target_.c_str()) != 0) {
      const int problem = errno;
      if (there) static_cast<void>(::rename(aside_.c_str(), target_.c_str()));
      raise_io(target_, "put the result in place", problem);
    }
    return there ? aside_ : std::string();
  }

  void discard() noexcept {
    if (staging_.empty() || !lock_) return;
    std::error_code ignored;
    if (!keep_) std::filesystem::remove_all(staging_, ignored);
    remove_parents();
    staging_.clear();
    lock_ = {};
    target_lock_ = {};
  }

  std::string target_{}, parent_{}, staging_{}, aside_{};
  detail::descriptor lock_{}, target_lock_{};
  std::set<std::string> names_{};
  std::vector<std::string> made_parents_{};  // the deepest first
  bool keep_ = false, in_place_ = false;
  std::shared_ptr<detail::folder_notes> notes_ = std::make_shared<detail::folder_notes>();
};

}  // namespace halograph
