// SPDX-License-Identifier: BSL-1.0
/// @file staged_sink.ipp
/// Bodies of the plain functions of serial/files/staged_sink.hpp.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/progress.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/manifest.hpp>
#include <halograph/serial/files/staged_sink.hpp>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace halograph {

HALOGRAPH_INLINE void staged_sink::account_for(std::uint64_t offset,
                                               std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  const std::lock_guard guard(state_->mutex);
  state_->synced = false;
  state_->digest.add(offset, bytes);
}

HALOGRAPH_INLINE void staged_sink::close() {
  file_.close();
  const std::uint64_t digested = state_->digest.next();
  if (!state_->digest.in_order() || (digested != size() && size() != file_sink::grows)) return;
  const std::lock_guard guard(notes_->mutex);
  notes_->files[name_] = {{state_->digest.value(), digested, name_}, state_->synced};
}

HALOGRAPH_INLINE std::optional<manifest_entry> detail::take_note(folder_notes& notes,
                                                                 const std::string& name) {
  const std::lock_guard guard(notes.mutex);
  const auto found = notes.files.find(name);
  if (found == notes.files.end()) return std::nullopt;
  manifest_entry out = std::move(found->second.entry);
  notes.files.erase(found);
  return out;
}

}  // namespace halograph
