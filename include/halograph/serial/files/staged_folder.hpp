// SPDX-License-Identifier: BSL-1.0
/// @file staged_folder.hpp
/// The unit of output: a folder that appears complete or not at all, and that replaces nothing but
/// an earlier result.
/// Layer: serial. Words: README.md.
///
/// Files are written into `.<name>.halograph-tmp` beside the target, synced, listed with sizes and
/// digests in `.halograph-manifest`, and exchanged with the target in one rename. Files that the
/// manifest does not list are removed. A failed or killed run leaves the target unchanged; the next
/// run removes its staging folder.
#pragma once

#include <halograph/core/linkage.hpp>
#include <halograph/core/status.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/folder_entries.hpp>
#include <halograph/serial/files/lock.hpp>
#include <halograph/serial/files/manifest.hpp>
#include <halograph/serial/files/staged_sink.hpp>

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

/// What to do with the staging folder of an earlier run.
enum class leftovers : std::uint8_t {
  remove,
  keep  ///< resume from it, or start_over(); a run that ends without a commit keeps it, unless
        ///< let_go() was called
};

/// Writes an output folder. create() is thread-safe; nothing else is.
class staged_folder {
 public:
  /// Lock the target and create an empty staging folder beside it.
  ///
  /// @param target   the output folder; missing parents are created
  /// @param earlier  keep: resume from the staging folder of an earlier run
  /// @errors exists: the target is a file or a link, or contains a file that is not part of an
  ///     earlier result (named); busy: another run writes to it; invalid_argument: not the path of
  ///     a folder that can be replaced; io
  explicit staged_folder(const std::string& target, leftovers earlier = leftovers::remove);
  /// The longest name and path of a target, in bytes; those of the staging folder and its files are
  /// longer.
  /// @{
  static constexpr std::size_t longest_name = 200, longest_path = 3800;
  /// @}
  /// @errors invalid_argument: not the path of a folder that can be replaced, or too long
  static void require_name(const std::string& target);
  /// Make the checks of the constructor now, before a long job reads its input. Creates, removes
  /// and locks nothing.
  /// @errors as the constructor, but for busy
  static void require_replaceable(const std::string& target) {
    staged_folder asked;
    asked.name(target);
    asked.check_target(false);
  }
  /// Takes over the staging folder; one that was held before is discarded as by the destructor.
  /// @{
  staged_folder(staged_folder&& other) noexcept : notes_(nullptr) { *this = std::move(other); }
  staged_folder& operator=(staged_folder&& other) noexcept;
  /// @}
  /// Without a commit, removes the staging folder.
  ~staged_folder() { discard(); }

  /// The staging folder, for writers that need a path. They must call add() for their files,
  /// because commit() removes all others.
  const std::string& path() const noexcept { return staging_; }
  /// The output folder that commit() replaces.
  const std::string& target() const noexcept { return target_; }

  /// A new file. @param name relative, of safe names: "part0/graph.dgl"
  /// @param bytes  its size, or file_sink::grows
  /// @errors invalid_argument: the path leaves the folder; exists: the name is in use; io
  staged_sink create(const std::string& name, std::uint64_t bytes) {
    add(name);
    return staged_sink(file_sink::create(staging_ + "/" + name, bytes), name, notes_);
  }

  /// Make a file in path(), which must exist by commit(), part of the result. Creates its folders.
  void add(const std::string& name);

  /// Record the digest and size of a file of the result that is on disk, so that commit() neither
  /// reads nor syncs it.
  void know(const manifest_entry& file) {
    const std::lock_guard guard(notes_->mutex);
    notes_->files[file.path] = {file, true};
  }
  /// Make all files in path() part of the result, except for those that already are.
  /// @return names and sizes of all files, without digests, by name
  /// @errors io
  std::vector<manifest_entry> add_all();
  /// Remove what leftovers::keep has kept. @return whether there was anything  @errors io
  bool start_over() { return clear(staging_); }
  /// From now on a run that ends without a commit keeps the staging folder for the next run.
  void keep() noexcept { keep_ = true; }
  /// From now on a run that ends without a commit removes the staging folder, which is the default.
  void let_go() noexcept { keep_ = false; }

  /// Write the manifest, remove all other files in path(), sync everything, and exchange the
  /// staging folder with the target in one rename.
  ///
  /// @param command  how the result was made, one line of JSON for the manifest (json::one_line);
  ///     may be empty
  /// @return         a warning that the earlier result could not be removed, with its path; "":
  ///     none
  /// @errors io, exists: the target has changed. The target is unchanged, unless in_place(): then
  ///     the new result may not survive a crash of the machine, and the earlier one is kept
  std::string commit(std::string_view command = {});
  /// Has commit() put the result in place?
  bool in_place() const noexcept { return in_place_; }

 private:
  staged_folder() = default;

  /// Set the paths. @errors invalid_argument
  void name(const std::string& target);

  /// Create the folders above the target; a run that fails removes those that it has created.
  void make_parents();
  void remove_parents() const noexcept {
    for (const auto& one : made_parents_)
      static_cast<void>(::rmdir(one.c_str()));  // the deepest first; fails if not empty
  }

  /// Files of add() may not have been synced; syncing twice costs nothing.
  static void sync_file(const std::string& path) {
    const auto fd = detail::open_file(path, O_RDONLY);
    if (!fd) raise_io(path, "open", errno);
    detail::sync_file(fd.get(), path);
  }

  /// Without an atomic exchange, a run that was killed between its two renames has left the earlier
  /// result in aside_.
  void recover();

  /// Check that the target can be replaced. @param lock  lock it if it exists
  void check_target(bool lock);

  /// @return whether there was anything in it
  static bool clear(const std::string& folder);

  /// @return where the earlier result is now; "" if there was none
  std::string exchange();

  void discard() noexcept;

  std::string target_{}, parent_{}, staging_{}, aside_{};
  detail::held_lock lock_{}, target_lock_{};
  std::set<std::string> names_{};
  std::vector<std::string> made_parents_{};  // the deepest first
  bool keep_ = false, in_place_ = false;
  std::shared_ptr<detail::folder_notes> notes_ = std::make_shared<detail::folder_notes>();
};

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/serial/files/impl/staged_folder.ipp>
#endif
