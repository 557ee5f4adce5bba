// SPDX-License-Identifier: BSL-1.0
/// @file bytes.hpp
/// Where bytes go to and come from: positional sinks and sources, and little-endian numbers.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/status.hpp>
#include <halograph/core/unmet.hpp>

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace halograph {

/// The bytes of a file and whatever keeps them alive (a buffer, a mapping). Copies share.
struct file_bytes {
  std::span<const std::byte> bytes{};   ///< valid as long as a copy of `owner` exists
  std::shared_ptr<const void> owner{};  ///< null where the caller keeps the bytes alive
};

namespace detail {
template <class S>
concept writes_at = requires(S& s, std::uint64_t offset, std::span<const std::byte> bytes) {
  { s.write_at(offset, bytes) } -> std::same_as<status>;
};
template <class S>
concept reads_at = requires(const S& s, std::uint64_t offset, std::span<std::byte> out) {
  { s.read_at(offset, out) } -> std::same_as<status>;
  { s.size() } -> std::convertible_to<std::uint64_t>;
};
template <class S>
concept views_bytes = requires(const S& s) {
  { s.bytes() } -> std::convertible_to<std::span<const std::byte>>;
};
}  // namespace detail

/// Takes bytes at positions, in any order. Positions never written hold zeros.
///
/// A sink may have further members; writers call those that exist:
/// - `require(status)` throws when a write failed, with a message that names the file and the
/// cause;
/// - `sync()` after the last write: the bytes are on disk when it returns;
/// - `close()` after that: nothing is written any more. Both throw when they fail;
/// - `write_apart(offset, bytes)` and `account_for(offset, bytes)`: several threads write at once
///   with the first, and one thread then passes the same bytes to the second, front to back.
template <class S>
concept byte_sink =
    (detail::writes_at<S> ||
     unmet<"byte_sink: needs status write_at(uint64_t offset, span<const byte>)">());

namespace detail {
/// Abilities of a byte_sink, described there.
template <class S>
concept throwing_sink = requires(const S& s, status answer) { s.require(answer); };
template <class S>
concept syncable_sink = requires(S& s) { s.sync(); };
template <class S>
concept closable_sink = requires(S& s) { s.close(); };
template <class S>
concept apart_sink = requires(S& s, std::uint64_t offset, std::span<const std::byte> bytes) {
  { s.write_apart(offset, bytes) } -> std::same_as<status>;
  s.account_for(offset, bytes);
};
}  // namespace detail

/// Throw when a write failed.
/// @param file  the name of the file, where the sink does not know its own
/// @errors those of the sink's require(); else the failed status
template <byte_sink Sink>
void require_written(const Sink& sink, status answer, const std::string& file) {
  if (answer) return;
  if constexpr (detail::throwing_sink<Sink>) sink.require(answer);
  raise(answer.code, "cannot write the file", {.file = file, .byte = answer.position});
}

/// Sync and close a sink that can be. @errors those of the sink
template <byte_sink Sink>
void finish_sink(Sink& sink) {
  if constexpr (detail::syncable_sink<Sink>) sink.sync();
  if constexpr (detail::closable_sink<Sink>) sink.close();
}

/// Any sink, owned: code that takes it is compiled once for all of them. It has every ability of a
/// byte_sink: where the sink lacks one, require() throws nothing of its own, sync() and close() do
/// nothing, and writes_apart() is false.
class any_sink {
 public:
  /// No sink: of a file that needs no writing. Only the check for one may be called.
  any_sink() = default;
  /// Take over a sink; one allocation.
  template <class Sink>
    requires(!std::same_as<Sink, any_sink> && byte_sink<Sink>)
  any_sink(Sink sink) : held_(std::make_unique<holder<Sink>>(std::move(sink))) {}

  /// As the held sink; see byte_sink. @errors those of the sink
  /// @{
  status write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
    return held_->write_at(offset, bytes);
  }
  void require(status answer) const { held_->require(answer); }
  void sync() { held_->sync(); }
  void close() { held_->close(); }
  /// @}
  /// Is there a sink?
  explicit operator bool() const noexcept { return held_ != nullptr; }
  /// May several threads write at once, with write_apart() and account_for()?
  bool writes_apart() const noexcept { return held_->apart; }
  /// The held sink's; write_at() where it has none.
  status write_apart(std::uint64_t offset, std::span<const std::byte> bytes) {
    return held_->write_apart(offset, bytes);
  }
  /// The held sink's; does nothing where it has none.
  void account_for(std::uint64_t offset, std::span<const std::byte> bytes) {
    held_->account_for(offset, bytes);
  }

 private:
  struct base {
    explicit base(bool writes_apart) noexcept : apart(writes_apart) {}
    base(const base&) = delete;
    base& operator=(const base&) = delete;
    virtual ~base() = default;
    virtual status write_at(std::uint64_t, std::span<const std::byte>) = 0;
    virtual void require(status) const = 0;
    virtual void sync() = 0;
    virtual void close() = 0;
    virtual status write_apart(std::uint64_t, std::span<const std::byte>) = 0;
    virtual void account_for(std::uint64_t, std::span<const std::byte>) = 0;
    const bool apart;
  };
  template <class Sink>
  struct holder final : base {
    explicit holder(Sink&& sink) : base(detail::apart_sink<Sink>), inner(std::move(sink)) {}
    status write_at(std::uint64_t offset, std::span<const std::byte> bytes) override {
      return inner.write_at(offset, bytes);
    }
    void require(status answer) const override {
      if constexpr (detail::throwing_sink<Sink>) inner.require(answer);
    }
    void sync() override {
      if constexpr (detail::syncable_sink<Sink>) inner.sync();
    }
    void close() override {
      if constexpr (detail::closable_sink<Sink>) inner.close();
    }
    status write_apart(std::uint64_t offset, std::span<const std::byte> bytes) override {
      if constexpr (detail::apart_sink<Sink>) return inner.write_apart(offset, bytes);
      return inner.write_at(offset, bytes);
    }
    void account_for(std::uint64_t offset, std::span<const std::byte> bytes) override {
      if constexpr (detail::apart_sink<Sink>) inner.account_for(offset, bytes);
    }
    Sink inner;
  };

  std::unique_ptr<base> held_;
};
static_assert(byte_sink<any_sink>);

/// Gives bytes at positions; reading past size() is status::truncated.
template <class S>
concept byte_source =
    (detail::reads_at<S> ||
     unmet<
         "byte_source: needs size() const and status read_at(uint64_t offset, span<byte>) const">());

/// A source whose bytes lie in memory: a buffer, a mapped file. Readers return views into it.
template <class S>
concept memory_source = byte_source<S> &&
                        (detail::views_bytes<S> ||
                         unmet<"memory_source: needs span<const byte> bytes() const">());

/// A sink that discards and counts: for measuring a writer. Never fails.
class null_sink {
 public:
  /// Count the bytes and drop them.
  status write_at(std::uint64_t, std::span<const std::byte> bytes) noexcept {
    written_ += bytes.size();
    return status::ok;
  }
  /// Bytes of all writes together; those written twice count twice.
  std::uint64_t written() const noexcept { return written_; }

 private:
  std::uint64_t written_ = 0;
};
static_assert(byte_sink<null_sink>);

/// A sink that grows in memory; overflow for a position that no memory can have.
class memory_sink {
 public:
  /// Copy the bytes to `offset`, growing where they end beyond the last one; gaps are zero.
  /// @errors overflow at `offset`
  status write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
    if (offset > data_.max_size() || bytes.size() > data_.max_size() - offset)
      return status::overflow.at(offset);
    const auto end = static_cast<std::size_t>(offset) + bytes.size();
    if (data_.size() < end) data_.resize(end);
    std::copy(bytes.begin(), bytes.end(), data_.begin() + static_cast<std::ptrdiff_t>(offset));
    return status::ok;
  }
  /// Everything from position 0 to the last byte written; valid until the next write.
  std::span<const std::byte> bytes() const noexcept { return data_; }

 private:
  std::vector<std::byte> data_{};
};
static_assert(byte_sink<memory_sink>);

/// A source over memory that the caller keeps.
class span_source {
 public:
  /// View `data`, which must outlive the source and its copies.
  constexpr explicit span_source(std::span<const std::byte> data) noexcept : data_(data) {}
  /// Bytes that can be read.
  constexpr std::uint64_t size() const noexcept { return data_.size(); }
  /// The whole memory, as a view.
  constexpr std::span<const std::byte> bytes() const noexcept { return data_; }
  /// Copy the bytes from `offset` on until `out` is full. @errors truncated at size(): there are
  /// fewer
  constexpr status read_at(std::uint64_t offset, std::span<std::byte> out) const noexcept {
    if (offset > data_.size() || out.size() > data_.size() - offset)
      return status::truncated.at(data_.size());
    std::copy_n(data_.begin() + static_cast<std::ptrdiff_t>(offset), out.size(), out.begin());
    return status::ok;
  }

 private:
  std::span<const std::byte> data_;
};
static_assert(memory_source<span_source>);

/// Put an integer in little-endian order.
template <std::integral T>
constexpr void store_le(T value, std::byte* out) noexcept {
  auto bits = static_cast<std::make_unsigned_t<T>>(value);
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    out[i] = static_cast<std::byte>(bits & 0xFF);
    if constexpr (sizeof(T) > 1) bits = static_cast<std::make_unsigned_t<T>>(bits >> 8);
  }
}

/// Take an integer from little-endian order.
template <std::integral T>
constexpr T load_le(const std::byte* in) noexcept {
  std::make_unsigned_t<T> bits = 0;
  for (std::size_t i = sizeof(T); i-- > 0;) {
    if constexpr (sizeof(T) > 1) bits = static_cast<std::make_unsigned_t<T>>(bits << 8);
    bits = static_cast<std::make_unsigned_t<T>>(bits | static_cast<std::make_unsigned_t<T>>(in[i]));
  }
  return static_cast<T>(bits);
}

/// Reverse the bytes of each element of `width` bytes, in place, on big-endian machines only:
/// between a file's order and memory's.
constexpr void swap_elements_to_little_endian(std::span<std::byte> data,
                                              std::size_t width) noexcept {
  if constexpr (std::endian::native == std::endian::big) {
    for (std::size_t i = 0; i + width <= data.size(); i += width) {
      std::reverse(data.begin() + static_cast<std::ptrdiff_t>(i),
                   data.begin() + static_cast<std::ptrdiff_t>(i + width));
    }
  } else {
    static_cast<void>(data);
    static_cast<void>(width);
  }
}

}  // namespace halograph
