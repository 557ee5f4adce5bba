// SPDX-License-Identifier: BSL-1.0
// What the lines of digests.hpp are made with: executors, digests of numbers, and a folder in
// memory.
#pragma once

#include "support/memory_folder.hpp"

#include <halograph/core/executor.hpp>
#include <halograph/serial/digest.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace determinism {

namespace hg = halograph;

/// An executor of `threads` threads of the standard library; pieces are dealt out in turn.
struct std_threads {
  std::size_t threads = 1;
  std::size_t concurrency() const { return threads; }
  template <class Body>
  void parallel_for(std::size_t first, std::size_t last, std::size_t grain, Body&& body) const {
    if (first >= last) return;
    grain = std::max<std::size_t>(1, grain);
    const std::size_t pieces = (last - first + grain - 1) / grain;
    std::vector<std::exception_ptr> problems(threads);
    const auto work = [&](std::size_t thread) {
      try {
        for (std::size_t i = thread; i < pieces; i += threads) {
          body(first + i * grain, std::min(last, first + (i + 1) * grain));
        }
      } catch (...) {
        problems[thread] = std::current_exception();
      }
    };
    std::vector<std::thread> others;
    for (std::size_t t = 1; t < threads; ++t) others.emplace_back(work, t);
    work(0);
    for (auto& one : others) one.join();
    for (const auto& problem : problems) {
      if (problem) std::rethrow_exception(problem);
    }
  }
};
static_assert(hg::executor<std_threads>);

/// Any executor as one type, so that the library's templates are compiled once.
class any_executor {
 public:
  template <hg::executor Executor>
  explicit any_executor(Executor run)
      : threads_(run.concurrency()),
        loop_([run](std::size_t first, std::size_t last, std::size_t grain, const body& f) {
          run.parallel_for(first, last, grain, f);
        }) {}
  std::size_t concurrency() const { return threads_; }
  template <class Body>
  void parallel_for(std::size_t first, std::size_t last, std::size_t grain, Body&& f) const {
    loop_(first, last, grain, std::ref(f));
  }

 private:
  using body = std::function<void(std::size_t, std::size_t)>;
  std::size_t threads_;
  std::function<void(std::size_t, std::size_t, std::size_t, const body&)> loop_;
};
static_assert(hg::executor<any_executor>);

class number_digest {
 public:
  number_digest& add(std::uint64_t number) {
    std::array<std::byte, 8> bytes{};
    hg::store_le(number, bytes.data());
    digest_.update(bytes);
    return *this;
  }
  template <class Row>
  number_digest& add_all(const Row& row) {
    for (const auto number : row) add(static_cast<std::uint64_t>(number));
    return *this;
  }
  std::uint64_t value() const { return digest_.value(); }

 private:
  hg::digest64 digest_{};
};

/// "name digest" in the order in which they were made.
class lines {
 public:
  void add(const std::string& name, std::uint64_t digest) {
    constexpr char digits[] = "0123456789abcdef";
    std::string text = name + ' ';
    for (int shift = 60; shift >= 0; shift -= 4) text += digits[digest >> shift & 15];
    all_.push_back(std::move(text));
  }
  void add_bytes(const std::string& name, std::span<const std::byte> bytes) {
    add(name, hg::digest_of(bytes));
  }
  const std::vector<std::string>& all() const { return all_; }

 private:
  std::vector<std::string> all_{};
};

/// A folder in memory that several threads may write.
template <class Format>
struct shared_target {
  hg::testing::memory_folder folder{};
  Format serializer{};
  std::shared_ptr<std::mutex> door = std::make_shared<std::mutex>();

  struct output {
    hg::testing::memory_folder folder;
    std::shared_ptr<std::mutex> door;
    auto create(const std::string& name, std::uint64_t size) {
      const std::lock_guard lock(*door);
      auto& data = folder[name];
      data.assign(static_cast<std::size_t>(size), std::byte{0});
      return typename hg::testing::memory_target<Format>::sink(data);
    }
    void commit(std::string_view) {}
  };
  Format format() const { return serializer; }
  output begin() const { return {folder, door}; }
};

}  // namespace determinism
