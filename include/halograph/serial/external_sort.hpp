// SPDX-License-Identifier: BSL-1.0
/// @file external_sort.hpp
/// Sort more records than memory holds: by keys of bytes, stably, within a budget.
/// Layer: serial. Words: README.md.
///
/// Records are collected in a buffer of the budget's size; a full one is sorted and goes as a run
/// into a temporary file. Reading merges the runs, and where there are more than the budget can
/// merge at once, neighboring ones are merged into longer ones first. Each record is written once
/// and once more for each such pass.
///
/// | a record in a run | bytes |
/// | --- | --- |
/// | length of the key | 4 |
/// | the key | its length |
/// | the value | sizeof(Value) |
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/serial/files/file.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace halograph {

/// A number as a key: numbers ascend as their keys do.
struct number_key {
  std::array<char, 8> bytes{};  ///< the number, most significant byte first

  /// The key of a number.
  constexpr explicit number_key(std::uint64_t value) noexcept {
    for (std::size_t i = 0; i < 8; ++i)
      bytes[i] = static_cast<char>(static_cast<unsigned char>(value >> (56 - 8 * i)));
  }
  /// The 8 bytes as a key, viewed in this object.
  constexpr operator std::string_view() const noexcept { return {bytes.data(), bytes.size()}; }

  /// The number of a key. @pre key.size() == 8
  static constexpr std::uint64_t value_of(std::string_view key) noexcept {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < 8; ++i) value = value << 8 | static_cast<unsigned char>(key[i]);
    return value;
  }
};

/// Sorts records, each a key of up to 2^20 bytes and a value. Keys ascend byte by byte, a key
/// before those that continue it; records of one key keep the order in which they were added. Not
/// thread-safe.
///
/// The result depends on the records alone, never on the budget.
/// @complexity O(n log n) comparisons; reads and writes of O(n log(n / memory) / log(memory / 64
///     KiB)) records
/// @source balanced merging of sorted runs (Knuth, The Art of Computer Programming 3, 5.4)
template <class Value>
  requires std::is_trivially_copyable_v<Value>
class external_sorter {
 public:
  /// The most bytes of a key.
  static constexpr std::size_t longest_key = std::size_t{1} << 20;
  /// A smaller budget is taken as this.
  static constexpr std::uint64_t least_memory = 4096;

  /// @param folder  where temporary files take their room; nothing is seen there
  /// @param memory  bytes that are held at most, but for keys longer than a share of it
  /// @errors memory: the buffer cannot be had
  explicit external_sorter(std::string folder, std::uint64_t memory = std::uint64_t{1} << 28)
      : folder_(std::move(folder)), memory_(std::max(memory, least_memory)) {
    allocate();
  }

  /// Records added so far.
  std::uint64_t size() const noexcept { return count_; }
  /// Bytes of all keys together.
  std::uint64_t key_bytes() const noexcept { return key_bytes_; }
  /// Runs on disk at the moment: 0 where all fits the budget.
  std::size_t runs() const noexcept { return runs_.size(); }

  /// @pre sorted() has not been called
  /// @errors overflow: the key is longer than longest_key; io: the disk is full
  void add(std::string_view key, const Value& value) {
    if (key.size() > longest_key) {
      raise(error_kind::overflow, "a key of " + std::to_string(key.size()) +
                                      " bytes cannot be sorted; keys may have " +
                                      std::to_string(longest_key));
    }
    if (finished_)
      raise(error_kind::invalid_argument,
            "records are added to a sorter whose result was asked for already");
    // Up to 8 bytes live in the entry itself.
    const std::size_t tail = key.size() > 8 ? key.size() : 0;
    if (!fits(tail)) flush();
    if (!fits(tail)) {  // a key larger than the whole buffer is a run of its own
      append_run_of_one(key, value);
    } else {
      place(key, tail, value);
    }
    ++count_;
    key_bytes_ += key.size();
  }

 private:
  class merger;

 public:
  /// One pass over the sorted records. Not to be moved to another place while key() is in use.
  class reader {
   public:
    /// To the next record. @return is there one?
    bool next() {
      if (sorter_->runs_.empty()) {
        if (at_ == sorter_->entries().size()) return false;
        const entry& one = sorter_->entries()[at_++];
        key_ = sorter_->key_of(one, short_key_);
        value_ = one.value;
        return true;
      }
      return merged_.next(key_, value_);
    }
    /// The key of the record, valid until next(). @pre next() has returned true
    std::string_view key() const noexcept { return key_; }
    /// The value of the record, valid until next(). @pre next() has returned true
    const Value& value() const noexcept { return value_; }

   private:
    friend class external_sorter;
    explicit reader(external_sorter& sorter) : sorter_(&sorter) {
      if (!sorter.runs_.empty()) merged_.open(*sorter.file_, sorter.runs_, sorter.memory_);
    }

    external_sorter* sorter_;
    std::size_t at_ = 0;
    std::array<char, 8> short_key_{};
    merger merged_{};
    std::string_view key_{};
    Value value_{};
  };

  /// The records in order. May be asked for several times, one pass after the other.
  /// @errors io: the disk is full
  reader sorted() {
    if (!finished_) {
      if (runs_.empty())
        sort_entries();
      else
        finish_runs();
      finished_ = true;
    }
    return reader(*this);
  }

 private:
  struct entry {
    std::uint64_t prefix;  // the first 8 bytes, the first one highest, 0 behind the end
    std::uint64_t begin;   // of a longer key, in the buffer
    std::uint32_t length;
    std::uint32_t order;
    Value value;
  };
  struct run {
    std::uint64_t begin = 0, end = 0;  // in the file
  };

  /// Reads one run front to back through a buffer.
  class cursor {
   public:
    cursor(scratch_file& file, run where, std::size_t buffer)
        : file_(&file), at_(where.begin), end_(where.end), buffer_(buffer) {}

    /// To the next record. @return is there one?
    bool next() {
      read_ += record_;
      record_ = 0;
      if (read_ == filled_ && at_ == end_) return false;
      require(4);
      std::uint32_t length = 0;
      std::memcpy(&length, buffer_.data() + read_, 4);
      require(4 + std::size_t{length} + sizeof(Value));
      record_ = 4 + std::size_t{length} + sizeof(Value);
      key_ = {reinterpret_cast<const char*>(buffer_.data() + read_ + 4), length};
      prefix_ = prefix_of(key_);
      return true;
    }
    std::string_view key() const noexcept { return key_; }
    std::uint64_t prefix() const noexcept { return prefix_; }
    Value value() const noexcept {
      Value out;
      std::memcpy(&out, buffer_.data() + read_ + record_ - sizeof(Value), sizeof(Value));
      return out;
    }
    std::span<const std::byte> bytes() const noexcept {
      return std::span(buffer_).subspan(read_, record_);
    }

   private:
    /// Have `bytes` of the current record in the buffer.
    void require(std::size_t bytes) {
      if (filled_ - read_ >= bytes) return;
      std::memmove(buffer_.data(), buffer_.data() + read_, filled_ - read_);
      filled_ -= read_;
      read_ = 0;
      if (bytes > buffer_.size()) buffer_.resize(bytes);
      const auto more = static_cast<std::size_t>(
          std::min<std::uint64_t>(end_ - at_, buffer_.size() - filled_));
      file_->read_at(at_, std::span(buffer_).subspan(filled_, more));
      at_ += more;
      filled_ += more;
    }

    scratch_file* file_;
    std::uint64_t at_, end_;
    std::vector<std::byte> buffer_;
    std::size_t read_ = 0, filled_ = 0, record_ = 0;
    std::string_view key_{};
    std::uint64_t prefix_ = 0;
  };

  /// Several runs as one, by a heap of cursors; of equal keys the earlier run's come first.
  class merger {
   public:
    void open(scratch_file& file, std::span<const run> runs, std::uint64_t memory) {
      cursors_.clear();
      heap_.clear();
      const auto share = static_cast<std::size_t>(
          std::clamp<std::uint64_t>(memory / std::max<std::size_t>(runs.size(), 1), 256, 1 << 20));
      cursors_.reserve(runs.size());
      for (const run& one : runs) cursors_.emplace_back(file, one, share);
      for (std::size_t i = 0; i < cursors_.size(); ++i) {
        if (cursors_[i].next()) heap_.push_back(i);
      }
      for (std::size_t i = heap_.size() / 2; i-- > 0;) sink(i);
      begun_ = false;
    }
    /// The cursor at the next record, or nullptr.
    cursor* advance() {
      if (begun_) {
        if (!cursors_[heap_[0]].next()) {
          heap_[0] = heap_.back();
          heap_.pop_back();
        }
        if (!heap_.empty()) sink(0);
      }
      begun_ = true;
      return heap_.empty() ? nullptr : &cursors_[heap_[0]];
    }
    bool next(std::string_view& key, Value& value) {
      const cursor* const at = heap_.empty() ? nullptr : advance();
      if (at == nullptr) return false;
      key = at->key();
      value = at->value();
      return true;
    }

   private:
    bool before(std::size_t a, std::size_t b) const noexcept {
      const cursor &x = cursors_[a], &y = cursors_[b];
      if (x.prefix() != y.prefix()) return x.prefix() < y.prefix();
      const int order = x.key().compare(y.key());
      return order != 0 ? order < 0 : a < b;
    }
    void sink(std::size_t i) {
      for (;;) {
        std::size_t least = i;
        for (const std::size_t child : {2 * i + 1, 2 * i + 2}) {
          if (child < heap_.size() && before(heap_[child], heap_[least])) least = child;
        }
        if (least == i) return;
        std::swap(heap_[i], heap_[least]);
        i = least;
      }
    }

    std::vector<cursor> cursors_{};
    std::vector<std::size_t> heap_{};
    bool begun_ = false;
  };

  static std::uint64_t prefix_of(std::string_view key) noexcept {
    std::uint64_t prefix = 0;
    const std::size_t bytes = std::min<std::size_t>(key.size(), 8);
    for (std::size_t i = 0; i < bytes; ++i)
      prefix |= std::uint64_t{static_cast<unsigned char>(key[i])} << (56 - 8 * i);
    return prefix;
  }

  // The buffer: entries grow from its front, long keys from its back.
  void allocate() {
    const std::uint64_t wanted = memory_ / sizeof(entry);
    if (wanted > std::numeric_limits<std::size_t>::max() / sizeof(entry)) no_memory();
    // Not initialized: pages that are never filled are never taken.
    buffer_.reset(new (std::nothrow) entry[static_cast<std::size_t>(wanted)]);
    if (!buffer_) no_memory();
    capacity_ = static_cast<std::size_t>(wanted) * sizeof(entry);
    keys_ = capacity_;
    used_ = 0;
  }
  [[noreturn]] void no_memory() const {
    raise(error_kind::memory,
          "the " + std::to_string(memory_) + " bytes to sort in cannot be had; allow less memory");
  }
  std::span<const entry> entries() const noexcept { return {buffer_.get(), used_}; }
  char* text() const noexcept { return reinterpret_cast<char*>(buffer_.get()); }
  bool fits(std::size_t tail) const noexcept {
    const std::size_t front = (used_ + 1) * sizeof(entry);
    return front <= keys_ && tail <= keys_ - front &&
           used_ < std::numeric_limits<std::uint32_t>::max();
  }
  void place(std::string_view key, std::size_t tail, const Value& value) {
    keys_ -= tail;
    if (tail != 0) std::memcpy(text() + keys_, key.data(), tail);
    ::new (static_cast<void*>(buffer_.get() + used_))
        entry{prefix_of(key), keys_, static_cast<std::uint32_t>(key.size()),
              static_cast<std::uint32_t>(used_), value};
    ++used_;
  }
  /// @param room  where a short key is put
  std::string_view key_of(const entry& one, std::array<char, 8>& room) const noexcept {
    if (one.length > 8) return {text() + one.begin, one.length};
    room = number_key(one.prefix).bytes;
    return {room.data(), one.length};
  }
  void sort_entries() {
    const char* const base = text();
    std::sort(buffer_.get(), buffer_.get() + used_, [base](const entry& a, const entry& b) {
      if (a.prefix != b.prefix) return a.prefix < b.prefix;
      if (a.length > 8 && b.length > 8) {
        const int order = std::string_view(base + a.begin, a.length)
                              .compare(std::string_view(base + b.begin, b.length));
        if (order != 0) return order < 0;
      } else if (a.length != b.length) {
        return a.length < b.length;  // of equal prefixes the one ends where the other has zeros
      }
      return a.order < b.order;
    });
  }

  void write_record(std::string_view key, const Value& value) {
    std::array<std::byte, 4> length{};
    const auto bytes = static_cast<std::uint32_t>(key.size());
    std::memcpy(length.data(), &bytes, 4);
    file_->append(length);
    file_->append(std::as_bytes(std::span(key.data(), key.size())));
    file_->append(std::as_bytes(std::span(&value, 1)));
  }
  void begin_run() {
    if (!file_) file_ = std::make_unique<scratch_file>(folder_, write_buffer());
    runs_.push_back({file_->size(), 0});
  }
  std::size_t write_buffer() const noexcept {
    return static_cast<std::size_t>(std::clamp<std::uint64_t>(memory_ / 16, 256, 1 << 20));
  }
  void flush() {
    if (used_ == 0) return;
    sort_entries();
    begin_run();
    std::array<char, 8> room{};
    for (const entry& one : entries()) write_record(key_of(one, room), one.value);
    runs_.back().end = file_->size();
    used_ = 0;
    keys_ = capacity_;
  }
  void append_run_of_one(std::string_view key, const Value& value) {
    begin_run();
    write_record(key, value);
    runs_.back().end = file_->size();
  }

  /// Merge runs until the budget can merge those that are left while they are read.
  void finish_runs() {
    flush();
    buffer_.reset();
    file_->flush();
    const auto ways = static_cast<std::size_t>(
        std::clamp<std::uint64_t>(memory_ / (1 << 16), 2, 1024));
    while (runs_.size() > ways) {
      auto from = std::exchange(file_, std::make_unique<scratch_file>(folder_, write_buffer()));
      const auto shorter = std::exchange(runs_, {});
      merger merged;
      for (std::size_t first = 0; first < shorter.size(); first += ways) {
        const auto count = std::min(ways, shorter.size() - first);
        runs_.push_back({file_->size(), 0});
        merged.open(*from, std::span(shorter).subspan(first, count), memory_);
        while (const cursor* const at = merged.advance()) file_->append(at->bytes());
        runs_.back().end = file_->size();
      }
      file_->flush();
    }
  }

  std::string folder_;
  std::uint64_t memory_;
  std::unique_ptr<entry[]> buffer_{};
  std::size_t capacity_ = 0, keys_ = 0, used_ = 0;
  std::unique_ptr<scratch_file> file_{};
  std::vector<run> runs_{};
  std::uint64_t count_ = 0, key_bytes_ = 0;
  bool finished_ = false;
};

}  // namespace halograph
