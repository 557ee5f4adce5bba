// SPDX-License-Identifier: BSL-1.0
/// @file unpacked.ipp
/// Bodies of the plain functions of serial/files/unpacked.hpp.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/scratch_folder.hpp>
#include <halograph/serial/files/unpacked.hpp>
#include <halograph/serial/text/lines.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE void packed_input::require_content(std::size_t least) const {
  if (!bytes.empty()) return;
  raise(error_kind::truncated,
        std::string("is empty; a ") + format + " file has at least " + std::to_string(least) +
            " bytes",
        {.file = file, .byte = 0});
}

HALOGRAPH_INLINE void packed_input::raise_truncated() const {
  raise(error_kind::truncated, std::string("ends in the middle of a ") + format + " " + unit,
        {.file = file, .byte = read});
}

HALOGRAPH_INLINE void packed_input::raise_malformed(const std::string& why) const {
  raise(error_kind::malformed, std::string("is not sound ") + format + ": " + why,
        {.file = file, .byte = read});
}

HALOGRAPH_INLINE void packed_input::raise_rubbish(const std::string& allowed) const {
  raise(error_kind::malformed,
        std::string("what follows the ") + format + " " + unit + " is " +
            (allowed.empty() ? "not another " : "neither another ") + unit +
            (allowed.empty() ? "" : " nor " + allowed),
        {.file = file, .byte = read});
}

HALOGRAPH_INLINE void packed_input::raise_memory() const {
  raise(error_kind::memory, std::string("not enough memory to decompress ") + format,
        {.file = file});
}

HALOGRAPH_INLINE void packed_input::raise_internal(const std::string& answer) const {
  raise(error_kind::internal, std::string("the library for ") + format + " answers " + answer,
        {.file = file});
}

/// Decompress a file.
/// @param next_room  next_room(): where the next bytes go, never empty
/// @param took       took(n): the first n bytes of that room have been set
HALOGRAPH_INLINE void unpack_into(unpacked_bytes next, const std::string& file,
                                  function_ref<std::span<std::byte>()> next_room,
                                  function_ref<void(std::size_t)> took, std::size_t longest) {
  line_lengths lengths(longest);
  std::uint64_t lines = 0;
  for (bool more = true; more;) {
    std::span<std::byte> room = next_room();
    if (longest != 0) room = room.first(std::min(room.size(), longest));
    const std::size_t got = next(room);
    more = got == room.size();
    if (longest != 0) {
      const std::string_view block = as_text(room.first(got));
      if (const char* const at = lengths.too_long(block))
        raise_long_line(file, lines + 1 + count_line_ends(block.data(), at), longest);
      lines += count_line_ends(block.data(), block.data() + block.size());
    }
    took(got);
  }
}

/// Memory that doubles as it fills. It is not initialized; realloc moves large blocks by remapping
/// their pages.
class unpacked_memory {
 public:
  unpacked_memory(std::size_t packed, const std::string& file, std::uint64_t (*available)())
      : file_(file), available_(available) {
    grow(std::max<std::size_t>(std::size_t{1} << 12, std::min(packed, std::size_t{1} << 30) * 4));
  }
  std::span<std::byte> room() {
    if (written_ == capacity_) grow(capacity_ > most_ / 2 ? most_ : capacity_ * 2);
    return {bytes_.get() + written_, capacity_ - written_};
  }
  void took(std::size_t count) noexcept { written_ += count; }
  file_bytes result() {
    resize(written_);
    const std::span<const std::byte> bytes(bytes_.get(), written_);
    return {bytes, std::shared_ptr<const void>(std::move(bytes_))};
  }

 private:
  struct freed {
    void operator()(std::byte* bytes) const noexcept { std::free(bytes); }
  };
  /// Make room for `wanted` bytes, or as many as there may be.
  void grow(std::size_t wanted) {
    if (available_ != nullptr && wanted > unasked_bytes) {
      // One byte more tells whether the content ends there.
      most_ = static_cast<std::size_t>(
          std::min<std::uint64_t>(available_() / 2, std::numeric_limits<std::size_t>::max() - 1) +
          1);
      available_ = nullptr;
    }
    const std::size_t next = std::min(wanted, std::max(most_, unasked_bytes));
    if (next <= capacity_) too_large(most_ - 1, "the limit for decompressed files on this machine");
    resize(next);
    capacity_ = next;
  }
  void resize(std::size_t size) {
    std::byte* const before = bytes_.release();
    void* const moved = std::realloc(before, std::max<std::size_t>(size, 1));
    bytes_.reset(moved != nullptr ? static_cast<std::byte*>(moved) : before);
    if (moved == nullptr) too_large(size - 1, "which could not be allocated");
  }
  [[noreturn]] void too_large(std::size_t size, const char* why) const {
    raise(error_kind::memory,
          "its contents need more than " + std::to_string(size) + " bytes, " + why +
              "; decompress it first, or use a machine with more memory",
          {.file = file_});
  }

  const std::string& file_;
  std::unique_ptr<std::byte, freed> bytes_{};
  std::uint64_t (*available_)();  // null: has been asked, or there is no limit
  std::size_t most_ = std::numeric_limits<std::size_t>::max(), capacity_ = 0, written_ = 0;
};

HALOGRAPH_INLINE file_bytes unpack_into_memory(unpacked_bytes next, std::size_t packed,
                                               const std::string& file, std::size_t longest,
                                               std::uint64_t (*available)()) {
  unpacked_memory memory(packed, file, available);
  unpack_into(
      next, file, [&] { return memory.room(); }, [&](std::size_t n) { memory.took(n); }, longest);
  return memory.result();
}

HALOGRAPH_INLINE file_bytes unpack_into_scratch(unpacked_bytes next, const std::string& file,
                                                const std::string& scratch, std::size_t longest,
                                                const any_file_opener& open) {
  const scratch_folder folder(scratch);
  const std::string name = folder.path() + "/unpacked";
  file_writer out = file_writer::create(name);
  std::vector<std::byte> buffer(std::size_t{1} << 18);
  unpack_into(
      next, file, [&] { return std::span(buffer); },
      [&](std::size_t n) { out.write(std::span(buffer).first(n)); }, longest);
  out.close();
  return open(name);
}

}  // namespace halograph::detail
