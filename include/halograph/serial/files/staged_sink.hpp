// SPDX-License-Identifier: BSL-1.0
/// @file staged_sink.hpp
/// A file of a staged folder, digested while it is written.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/linkage.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/core/status.hpp>
#include <halograph/serial/bytes.hpp>
#include <halograph/serial/digest.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/manifest.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace halograph {

namespace detail {

/// Digests of files that are complete before commit(); shared with their sinks.
struct folder_notes {
  struct note {
    manifest_entry entry{};
    bool synced = false;  ///< are its bytes on disk?
  };
  std::mutex mutex{};
  std::map<std::string, note, std::less<>> files{};
};

/// Remove and return the entry of a file that was digested while it was written. Thread-safe.
/// @return nothing if the file was not written from front to back, or not closed
std::optional<manifest_entry> take_note(folder_notes& notes, const std::string& name);

}  // namespace detail

class staged_folder;

/// A file of a staged folder. Bytes that are written from front to back are digested while they are
/// still in the cache; if the file was then closed, commit() does not read it again, and syncs it
/// unless that was done. Otherwise as file_sink.
class staged_sink {
 public:
  /// A file under construction; its digest goes to `notes` when it is closed.
  staged_sink(file_sink file, std::string name, std::shared_ptr<detail::folder_notes> notes)
      : file_(std::move(file)), name_(std::move(name)), notes_(std::move(notes)) {}
  /// Takes over the file; the other sink must not be used any more.
  /// @{
  staged_sink(staged_sink&&) noexcept = default;
  staged_sink& operator=(staged_sink&&) noexcept = default;
  /// @}

  /// The path of the file in the staging folder.
  const std::string& path() const noexcept { return file_.path(); }
  /// As file_sink::size().
  std::uint64_t size() const noexcept { return file_.size(); }
  /// @errors as file_sink::write_at
  status write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
    const status answer = write_apart(offset, bytes);
    if (answer) account_for(offset, bytes);
    return answer;
  }
  /// Write without digesting; account_for() must follow. So several threads write at once, and one
  /// digests the bytes in order.
  status write_apart(std::uint64_t offset, std::span<const std::byte> bytes) noexcept {
    return file_.write_at(offset, bytes);
  }
  /// Digest bytes of write_apart(). From the first that are not at the end of those before, the
  /// file is no longer digested, and commit() reads it.
  void account_for(std::uint64_t offset, std::span<const std::byte> bytes);
  /// As file_sink::require().
  void require(status answer) const { file_.require(answer); }
  /// Wait until the bytes are on disk. @errors io
  void sync() {
    file_.sync();
    state_->synced = true;
  }
  /// Close the file. If all of it was digested, commit() uses the digest. @errors io
  void close();

 private:
  struct progress_of_bytes {
    std::mutex mutex{};
    digest_in_order digest{};
    bool synced = false;
  };

  file_sink file_;
  std::string name_;
  std::shared_ptr<detail::folder_notes> notes_;
  std::unique_ptr<progress_of_bytes> state_ = std::make_unique<progress_of_bytes>();
};
static_assert(byte_sink<staged_sink>);

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/serial/files/impl/staged_sink.ipp>
#endif
