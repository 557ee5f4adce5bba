// SPDX-License-Identifier: BSL-1.0
/// @file output.hpp
/// The staging folder of a dispatch run: one folder shared by all ranks, or one for each rank.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/comm/collective_errors.hpp>
#include <halograph/core/communicator.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/manifest.hpp>
#include <halograph/serial/files/staged_folder.hpp>
#include <halograph/serial/files/staged_sink.hpp>
#include <halograph/serial/json.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace halograph::detail {

/// Where the files of a run are staged. With a shared folder the first rank owns it: it begins and
/// commits the folder, and the other ranks put their files into it.
class staged_output {
 public:
  staged_output(communicator_ref ranks, std::string target, bool own_folders)
      : ranks_(ranks), target_(std::move(target)), own_folders_(own_folders) {}

  /// Lock the target and open the staging folder. Collective.
  /// @param earlier  what to do with the files of an earlier run
  /// @errors those of staged_folder; busy also where ranks with folders of their own share a place
  void open(leftovers earlier);

  const std::string& target() const noexcept { return target_; }
  /// The staging folder.
  const std::string& path() const noexcept { return staging_; }
  /// The folder of this rank's scratch files, inside the staging folder.
  const std::string& scratch() const noexcept { return scratch_; }
  /// Does this rank own a folder?
  bool owns_folder() const noexcept { return folder_.has_value(); }
  bool in_place() const noexcept { return folder_ && folder_->in_place(); }

  /// A new file of a part. Thread-safe. @errors those of staged_folder::add() and file_sink
  staged_sink create_part_file(const std::string& name, std::uint64_t bytes);
  /// The size and digest of a file of create_part_file() that was synced and closed: as it was
  /// digested while it was written, or else read back. Thread-safe. @errors as digest_file()
  manifest_entry entry_of_part_file(const std::string& name);
  /// Write a small text file into the folder that this rank owns.
  void write_text(const std::string& name, std::string_view text);
  /// Make a file that exists already, or will by commit(), part of the result.
  void add(const std::string& name) {
    if (folder_) folder_->add(name);
  }
  /// Record the size and digest of a file of the result, so that commit() need not read it.
  void record(const manifest_entry& file) {
    if (several()) written_.push_back(file);
    if (folder_) folder_->know(file);
  }

  void make_scratch_folder() const { make_folder(scratch_); }
  /// Remove what an earlier run left. @return whether there was anything
  bool start_over() { return folder_ && folder_->start_over(); }
  /// Keep the staging folder when the run ends without a commit.
  void keep() {
    if (folder_) folder_->keep();
  }
  /// Remove the staging folder when the run ends without a commit, unless an earlier run left it.
  void let_go() {
    if (folder_) folder_->let_go();
  }

  /// Collect on the first rank the entries of all files that the ranks wrote. Collective; only with
  /// a shared folder.
  void collect_entries();
  /// Put the folder in place of the target. @return a note for the user, or ""
  std::string commit(std::string_view made_by) {
    return folder_ ? folder_->commit(made_by) : std::string();
  }

 private:
  bool several() const noexcept { return ranks_.size() > 1; }

  void open_folder(leftovers earlier) try {
    folder_.emplace(target_, earlier);
  } catch (const error& problem) {
    if (problem.code() != error_kind::busy || !several() || !own_folders_) throw;
    raise(error_kind::busy,
          "another run, or another rank of this run, is writing here; ranks that each write their "
          "own folder need a path that no other rank sees",
          {.file = target_});
  }
  static void make_folder(const std::string& path) {
    std::error_code problem;
    std::filesystem::create_directories(path, problem);
    if (problem) raise_io(path, "create the folder", problem.value());
  }
  /// A line of another rank, as collect_entries() writes it.
  void add_entry(std::string_view line);

  communicator_ref ranks_;
  std::string target_;
  bool own_folders_;
  std::string staging_{}, scratch_{};
  std::optional<staged_folder> folder_{};  // of ranks that own one
  std::vector<manifest_entry> written_{};  // by this rank, of several
  // Of files of parts; not those of folder_, which other ranks do not have.
  std::shared_ptr<folder_notes> digested_ = std::make_shared<folder_notes>();
};

}  // namespace halograph::detail

#if !HALOGRAPH_COMPILED
#include <halograph/pipeline/out_of_core/impl/output.ipp>
#endif
