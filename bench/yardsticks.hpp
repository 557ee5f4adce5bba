// SPDX-License-Identifier: BSL-1.0
/// @file yardsticks.hpp
/// What this machine does without the library: memcpy, a plain count-and-scatter loop, cp -r,
/// METIS; and a description of the machine. Part of the benchmarks, not of the library. Linux.
#pragma once

#include "measure.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

namespace halograph::bench {

/// Run `work(i)` for i below `threads`, each in a thread; a single one in the caller's.
template <class Work>
void on_threads(std::size_t threads, const Work& work) {
  std::vector<std::thread> others;
  for (std::size_t i = 1; i < threads; ++i) others.emplace_back([&work, i] { work(i); });
  work(std::size_t{0});
  for (auto& one : others) one.join();
}

// ---- memcpy -------------------------------------------------------------------------------------

/// Bytes per second that memcpy copies, each thread in its own memory, larger than caches.
/// @param bytes  copied in all
/// @param base   processor time: what one core would copy in a second of its own
inline double memcpy_bandwidth(std::size_t threads, std::size_t bytes,
                               time_base base = time_base::wall, std::size_t runs = 5) {
  const std::size_t share = bytes / threads;
  std::vector<std::unique_ptr<char[]>> from(threads), to(threads);
  for (std::size_t i = 0; i < threads; ++i) {
    from[i] = std::make_unique_for_overwrite<char[]>(share);
    to[i] = std::make_unique_for_overwrite<char[]>(share);
    std::memset(from[i].get(), 1, share);
    std::memset(to[i].get(), 2, share);
  }
  const cost best = least_cost_of(runs, [&] {
    on_threads(threads, [&](std::size_t i) {
      std::memcpy(to[i].get(), from[i].get(), share);
      keep(*to[i].get());
    });
  });
  return static_cast<double>(share * threads) / seconds(best, base);
}

// ---- count and scatter --------------------------------------------------------------------------

/// The plain loop that all our steps are made of: count keys, sum up, move each value to the place
/// of its key. Each thread counts its share of the edges and places it after those of the threads
/// before it.
class count_and_scatter {
 public:
  /// @param key, value  [E] read by run(); must outlive this
  /// @param keys        V; every key is below it
  count_and_scatter(std::span<const std::uint32_t> key, std::span<const std::uint32_t> value,
                    std::size_t keys, std::size_t threads)
      : key_(key),
        value_(value),
        keys_(keys),
        threads_(threads),
        counts_(threads, std::vector<std::uint32_t>(keys + 1)),
        out_(key.size()) {}

  void run() {
    const std::size_t share = (key_.size() + threads_ - 1) / threads_;
    const auto first = [&](std::size_t t) { return std::min(key_.size(), t * share); };
    on_threads(threads_, [&](std::size_t t) {
      auto& counts = counts_[t];
      std::fill(counts.begin(), counts.end(), 0u);
      for (std::size_t e = first(t), last = first(t + 1); e < last; ++e) ++counts[key_[e]];
    });
    std::uint32_t sum = 0;
    for (std::size_t v = 0; v < keys_; ++v) {
      for (auto& counts : counts_) sum += std::exchange(counts[v], sum);
    }
    on_threads(threads_, [&](std::size_t t) {
      auto& counts = counts_[t];
      for (std::size_t e = first(t), last = first(t + 1); e < last; ++e)
        out_[counts[key_[e]]++] = value_[e];
    });
    keep(*out_.data());
  }
  std::span<const std::uint32_t> result() const noexcept { return out_; }

 private:
  std::span<const std::uint32_t> key_, value_;
  std::size_t keys_, threads_;
  std::vector<std::vector<std::uint32_t>> counts_;
  std::vector<std::uint32_t> out_;
};

inline cost count_and_scatter_cost(std::span<const std::uint32_t> key,
                                   std::span<const std::uint32_t> value, std::size_t keys,
                                   std::size_t threads, std::size_t runs = 3) {
  count_and_scatter loop(key, value, keys, threads);
  loop.run();  // from here on the pages exist
  return least_cost_of(runs, [&] { loop.run(); });
}

// ---- other programs -----------------------------------------------------------------------------

/// Run a program to its end, its output discarded.
/// @param environment  NAME=VALUE, besides ours
/// @errors std::runtime_error: it could not be started, or did not exit with 0
inline cost run_program(const std::vector<std::string>& command,
                        const std::vector<std::string>& environment = {}) {
  std::vector<char*> arguments, variables;
  for (const auto& one : command) arguments.push_back(const_cast<char*>(one.c_str()));
  arguments.push_back(nullptr);
  for (char** one = environ; *one != nullptr; ++one) variables.push_back(*one);
  for (const auto& one : environment) variables.push_back(const_cast<char*>(one.c_str()));
  variables.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const auto begin = std::chrono::steady_clock::now();
  const int problem = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(),
                                   variables.data());
  posix_spawn_file_actions_destroy(&actions);
  if (problem != 0)
    throw std::runtime_error("cannot run " + command[0] + ": " +
                             std::system_category().message(problem));
  int answer = 0;
  rusage used{};
  while (wait4(child, &answer, 0, &used) < 0) {
    if (errno != EINTR) throw std::runtime_error("cannot wait for " + command[0]);
  }
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  if (!WIFEXITED(answer) || WEXITSTATUS(answer) != 0) {
    std::string line;
    for (const auto& one : command) line += (line.empty() ? "" : " ") + one;
    throw std::runtime_error("this failed: " + line);
  }
  return {wall.count(), seconds_of(used)};
}

/// `cp -r from to`, as a process of its own.
inline cost copy_folder(const std::string& from, const std::string& to) {
  return run_program({"cp", "-r", from, to});
}

// ---- the machine --------------------------------------------------------------------------------

/// What a result depends on. No date: the same machine prints the same.
struct machine {
  std::string processor{};
  std::size_t cores = 0;
  std::uint64_t memory_bytes = 0;
  std::string system{};
  std::string compiler{};
  std::string flags{};
  double share = 1;  ///< share of the cores' time that we got when we wanted all of it;
                     ///< below 1 others ran at the same time
};

/// Keep all cores busy for a moment. @return the share of their time that this process got
inline double processor_share(std::size_t cores) {
  const cost begin = clocks();
  on_threads(cores, [](std::size_t) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
    while (std::chrono::steady_clock::now() < end) {
    }
  });
  const cost took = clocks() - begin;
  return std::min(1.0, took.cpu / (took.wall * static_cast<double>(cores)));
}

inline machine this_machine() {
  machine out;
  std::ifstream processors("/proc/cpuinfo");
  for (std::string line; std::getline(processors, line);) {
    if (line.starts_with("model name") || line.starts_with("Model")) {
      out.processor = line.substr(std::min(line.size(), line.find(':') + 2));
      break;
    }
  }
  if (out.processor.empty()) out.processor = "unknown processor";
  out.cores = std::max(1u, std::thread::hardware_concurrency());
  out.memory_bytes = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                     static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  std::ifstream release("/etc/os-release");
  for (std::string line; std::getline(release, line);) {
    if (line.starts_with("PRETTY_NAME=")) {
      out.system = line.substr(12);
      std::erase(out.system, '"');
    }
  }
#if defined(__clang__)
  out.compiler = "Clang " + std::to_string(__clang_major__) + "." + std::to_string(__clang_minor__);
#else
  out.compiler = "GCC " + std::to_string(__GNUC__) + "." + std::to_string(__GNUC_MINOR__);
#endif
#ifdef HALOGRAPH_BENCH_FLAGS
  out.flags = HALOGRAPH_BENCH_FLAGS;
#endif
  out.share = processor_share(out.cores);
  return out;
}

}  // namespace halograph::bench
