// SPDX-License-Identifier: BSL-1.0
#include "command.hpp"
#include "inputs.hpp"
#include "progress.hpp"

#include <halograph/core/error.hpp>
#include <halograph/serial/resident_memory.hpp>
#include <halograph/serial/text/readable.hpp>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iostream>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

namespace halograph::cli {

namespace {

using run_clock = std::chrono::steady_clock;

std::atomic<std::uint64_t>& counted_bytes() {
  static std::atomic<std::uint64_t> counter = 0;
  return counter;
}

std::atomic<int>& uncounted() {
  static std::atomic<int> living = 0;
  return living;
}

/// Bytes that this process has read and written by calls, or counted where it maps them.
struct moved_bytes {
  std::uint64_t read = 0, written = 0;

  std::uint64_t both() const { return read + written; }
  moved_bytes since(const moved_bytes& before) const {
    return {read - before.read, written - before.written};
  }
};
moved_bytes transferred_bytes() {
  std::ifstream file("/proc/self/io");
  moved_bytes out{counted_bytes().load(), 0};
  for (std::string word; file >> word;) {
    std::uint64_t value = 0;
    if (word == "rchar:" && file >> value) out.read += value;
    if (word == "wchar:" && file >> value) out.written += value;
  }
  return out;
}

std::string with_unit(double value, const char* const* units, std::size_t count, double base) {
  std::size_t unit = 0;
  while (value >= base && unit + 1 < count) {
    value /= base;
    ++unit;
  }
  return readable::fixed(value, unit == 0 ? 0 : 1) + units[unit];
}

/// "430.1 M": a count for people; "1.3 GB": bytes.
std::string amount(double value, std::string_view unit) {
  static constexpr const char* bytes[] = {" B", " kB", " MB", " GB", " TB", " PB"};
  static constexpr const char* counts[] = {"", " k", " M", " G", " T"};
  return unit == "bytes" ? with_unit(value, bytes, std::size(bytes), 1000)
                         : with_unit(value, counts, std::size(counts), 1000);
}

std::string signal_name(int number) {
  switch (number) {
    case SIGTERM:
      return "SIGTERM";
    case SIGINT:
      return "SIGINT";
    case SIGHUP:
      return "SIGHUP";
    default:
      return "signal " + std::to_string(number);
  }
}

/// Everything about the one run that this process makes.
class run_monitor {
 public:
  static run_monitor& of_this_process() {
    static run_monitor& one = *new run_monitor;  // never destroyed: the watcher may outlive main()
    return one;
  }

  void report(const progress& at) {
    const std::lock_guard lock(mutex_);
    if (const int number = signal_.load(); number != 0) {
      raise(error_kind::canceled, "ended by " + signal_name(number) + " in step \"" +
                                      std::string(at.step) + "\"; earlier output is as it was");
    }
    const auto now = run_clock::now();
    if (!current_ || steps_[*current_].name != at.step) {
      end_current(now);
      const auto found = std::find_if(steps_.begin(), steps_.end(), [&](const measured_step& one) {
        return one.name == at.step;
      });
      current_ = static_cast<std::size_t>(found - steps_.begin());
      if (found == steps_.end()) steps_.push_back({.name = std::string(at.step)});
      start_ = now;
      transferred_ = transferred_bytes();
      done_ = total_ = 0;
      unit_.clear();
    }
    if (at.total != 0 || at.done != 0) {
      done_ = at.done;
      total_ = at.total;
      unit_ = std::string(at.unit);
    }
    draw(now, total_ != 0 && done_ == total_);
  }

  std::vector<measured_step> finish() {
    const std::lock_guard lock(mutex_);
    end_current(run_clock::now());
    return steps_;
  }

  void end_on_signals(bool json, std::string command) {
    json_ = json;
    command_ = std::move(command);
    // A file beyond a limit of the system is an error with a sentence, not the end of the process.
    std::signal(SIGXFSZ, SIG_IGN);
    sigset_t wanted;
    sigemptyset(&wanted);
    for (const int number : {SIGTERM, SIGINT, SIGHUP}) {
      struct sigaction before{};
      // Who started us may have switched a signal off (nohup, a shell's background); then it stays
      // off.
      if (sigaction(number, nullptr, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaddset(&wanted, number);
    }
    // Blocked here and thus in every thread to come, METIS's calls included: only the watcher takes
    // them.
    if (pthread_sigmask(SIG_BLOCK, &wanted, nullptr) != 0) return;
    try {
      std::thread([this, wanted] { watch(wanted); }).detach();
      wait_for_lost_files();
    } catch (const std::system_error&) {
      // Without a watcher a signal ends the run at once, and the next run removes what this one
      // staged.
      static_cast<void>(pthread_sigmask(SIG_UNBLOCK, &wanted, nullptr));
    }
  }

  void ignore_signals() {
    const std::lock_guard lock(mutex_);
    decided_ = true;
  }

  void clean_on_signals(std::function<void()> clean) {
    const std::lock_guard lock(mutex_);
    clean_ = std::move(clean);
  }

  void be_quiet(bool quiet) { quiet_ = quiet; }
  bool is_quiet() const { return quiet_; }

  void end_line() {
    const std::lock_guard lock(mutex_);
    if (shown_) std::cerr << '\n';
    shown_ = false;
  }

 private:
  static constexpr std::chrono::seconds patience{5};
  // Launchers kill a second after the signal that they pass on.
  static constexpr std::chrono::milliseconds before_cleaning{400};

  void end_current(run_clock::time_point now) {
    if (!current_) return;
    auto& step = steps_[*current_];
    step.seconds += std::chrono::duration<double>(now - start_).count();
    moved_bytes moved = transferred_bytes().since(transferred_);
    if (moved.both() < 4096) moved = {};  // looking this up is some hundred bytes itself
    step.read_bytes += moved.read;
    step.written_bytes += moved.written;
    step.bytes += unit_ == "bytes" ? done_ : moved.both();
    step.peak_bytes = peak_resident_bytes();
    current_.reset();
    if (shown_) std::cerr << '\n';
    shown_ = false;
  }

  void draw(run_clock::time_point now, bool at_once) {
    if (!terminal_ || quiet_ || !current_) return;
    const double seconds = std::chrono::duration<double>(now - start_).count();
    // What is over at once is not worth a line; a line is not worth more than ten updates a second.
    if (!shown_ && seconds < 0.3) return;
    if (!at_once && shown_ && now - drawn_ < std::chrono::milliseconds(100)) return;
    drawn_ = now;
    shown_ = true;
    std::string line = "\r" + steps_[*current_].name + ": ";
    if (total_ != 0) {
      const double rate = seconds > 0 ? static_cast<double>(done_) / seconds : 0;
      const std::string unit = unit_ == "bytes" || unit_.empty() ? "" : " " + unit_;
      line += amount(static_cast<double>(done_), unit_) + " of " +
              amount(static_cast<double>(total_), unit_) + unit + ", " + amount(rate, unit_) +
              "/s, ";
      line += done_ == total_ ? readable::duration(seconds)
              : rate > 0      ? readable::duration(
                               static_cast<double>(total_ - std::min(done_, total_)) / rate) +
                               " left"
                         : "time left unknown";
    } else {
      line += readable::duration(seconds);
    }
    // What moves while a long part is written, or while a library computes that reports nothing.
    constexpr std::uint64_t worth_showing = 1 << 20;
    const std::uint64_t transferred = transferred_bytes().since(transferred_).both();
    if (unit_ != "bytes" && transferred >= worth_showing)
      line += ", " + amount(static_cast<double>(transferred), "bytes") + " read and written";
    else if (const std::uint64_t memory = total_ == 0 ? anonymous_resident_bytes() : 0; memory != 0)
      line += ", " + readable::bytes(memory) + " of memory";
    std::cerr << line << "\033[K" << std::flush;
  }

  /// The watcher's thread: takes signals, and keeps the line alive while a step says nothing.
  void watch(sigset_t wanted) {
    std::optional<run_clock::time_point> asked;
    for (;;) {
      const timespec half_a_second{0, 500'000'000};
      const int number = sigtimedwait(&wanted, nullptr, &half_a_second);
      const std::lock_guard lock(mutex_);
      if (decided_) return;
      if (const auto lost = lost_file()) {
        remove_staging();
        end_at_once(error(error_kind::truncated, "became shorter while it was read; run again",
                          {.file = *lost, .line = {}, .byte = {}}));
      }
      if (number > 0 && !asked) {
        asked = run_clock::now();
        signal_.store(number);
        if (terminal_) {
          std::cerr << (shown_ ? "\n" : "") << "halograph: ending; once more to end at once\n";
          shown_ = false;
        }
      } else if (asked && (number > 0 || run_clock::now() - *asked > patience)) {
        end_at_once(error(
            error_kind::canceled,
            "ended by " + signal_name(signal_.load()) +
                (current_ ? " in step \"" + steps_[*current_].name + "\"" : std::string()) +
                "; earlier output is as it was, and the next run removes or resumes what this one had staged"));
      } else {
        if (asked && run_clock::now() - *asked > before_cleaning) clean();
        draw(run_clock::now(), false);
      }
    }
  }

  void clean() {
    if (const auto once = std::exchange(clean_, nullptr)) once();
  }

  [[noreturn]] void end_at_once(const error& problem) {
    clean();
    remove_lock_markers();
    if (json_) print_json(json_of(command_, problem));
    std::cerr << (shown_ ? "\n" : "") << "halograph: " << printable(problem.what()) << '\n'
              << std::flush;
    ::_exit(1);  // other threads are at work: no destructors
  }

  std::mutex mutex_{};
  std::vector<measured_step> steps_{};
  std::optional<std::size_t> current_{};
  run_clock::time_point start_{}, drawn_{};
  moved_bytes transferred_{};
  std::uint64_t done_ = 0, total_ = 0;
  std::string unit_{};
  bool shown_ = false;
  const bool terminal_ = isatty(STDERR_FILENO) != 0;
  std::atomic<int> signal_ = 0;
  bool decided_ = false;
  std::atomic<bool> quiet_ = false;
  bool json_ = false;
  std::string command_{};
  std::function<void()> clean_{};
};

}  // namespace

progress_callback show_progress() {
  return [](const progress& at) { run_monitor::of_this_process().report(at); };
}

void begin_step(std::string_view name) { run_monitor::of_this_process().report({name, 0, 0, {}}); }

void count_bytes(std::uint64_t bytes) {
  if (uncounted() == 0) counted_bytes() += bytes;
}
uncounted_bytes::uncounted_bytes() { ++uncounted(); }
uncounted_bytes::~uncounted_bytes() { --uncounted(); }

std::vector<measured_step> finished_steps() { return run_monitor::of_this_process().finish(); }

std::string to_text(const std::vector<measured_step>& steps, std::uint64_t edges) {
  std::vector<std::vector<std::string>> rows{{"step", "seconds", "MB/s", "peak memory"}};
  if (edges != 0) rows[0].insert(rows[0].end(), {"read B/edge", "written B/edge"});
  const auto of_edge = [&](std::uint64_t bytes) {
    return readable::fixed(static_cast<double>(bytes) / static_cast<double>(edges), 1);
  };
  for (const auto& step : steps) {
    // Of a moment's work no rate is worth saying.
    const bool rated = step.seconds >= 0.001 && step.bytes != 0;
    rows.push_back(
        {step.name, readable::fixed(step.seconds, 3),
         rated ? readable::fixed(static_cast<double>(step.bytes) / step.seconds / 1e6, 1) : "-",
         readable::bytes(step.peak_bytes)});
    if (edges != 0)
      rows.back().insert(rows.back().end(),
                         {of_edge(step.read_bytes), of_edge(step.written_bytes)});
  }
  return table(rows);
}

json::value to_json(const std::vector<measured_step>& steps) {
  json::value out{json::array{}};
  for (const auto& step : steps) {
    out.push(json::object{{"name", step.name},
                          {"seconds", step.seconds},
                          {"bytes", step.bytes},
                          {"read_bytes", step.read_bytes},
                          {"written_bytes", step.written_bytes},
                          {"peak_bytes", step.peak_bytes}});
  }
  return out;
}

void end_on_signals(bool json, std::string command) {
  run_monitor::of_this_process().end_on_signals(json, std::move(command));
}
void be_quiet(bool quiet) { run_monitor::of_this_process().be_quiet(quiet); }
bool is_quiet() { return run_monitor::of_this_process().is_quiet(); }
void end_line() { run_monitor::of_this_process().end_line(); }
void ignore_signals() { run_monitor::of_this_process().ignore_signals(); }
void clean_on_signals(std::function<void()> clean) {
  run_monitor::of_this_process().clean_on_signals(std::move(clean));
}

}  // namespace halograph::cli
