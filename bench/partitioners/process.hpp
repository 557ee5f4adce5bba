// SPDX-License-Identifier: BSL-1.0
/// @file process.hpp
/// Run a program and measure the whole process: wall time, processor time, peak memory.
/// Part of the benchmarks, not of the library. Linux.
#pragma once

#include "../measure.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

namespace halograph::bench {

/// What a process took, or why it failed.
struct process_result {
  double wall = 0, cpu = 0;
  std::uint64_t peak_bytes = 0;  ///< resident; never below what this process has when it starts it
  std::string problem{};         ///< empty: it ended with exit code 0
};

/// The last line of a file that is not empty.
inline std::string last_line(const std::string& path) {
  std::ifstream file(path);
  std::string found;
  for (std::string line; std::getline(file, line);) {
    if (line.find_first_not_of(" \t\r") != std::string::npos) found = line;
  }
  return found;
}

/// Run a program to its end. It is killed after `seconds`.
/// @param folder  its working directory
/// @param log     gets its standard output and error
inline process_result run_measured(const std::vector<std::string>& command,
                                   const std::string& folder, const std::string& log,
                                   double seconds) {
  std::vector<char*> arguments;
  for (const auto& one : command) arguments.push_back(const_cast<char*>(one.c_str()));
  arguments.push_back(nullptr);
  // Blocked here, so that sigtimedwait() sees it; the child gets the mask from before.
  sigset_t ended, before;
  sigemptyset(&ended);
  sigaddset(&ended, SIGCHLD);
  sigprocmask(SIG_BLOCK, &ended, &before);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0644);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setsigmask(&attributes, &before);

  using clock = std::chrono::steady_clock;
  const auto begin = clock::now();
  const auto deadline = begin + std::chrono::duration_cast<clock::duration>(
                                    std::chrono::duration<double>(seconds));
  pid_t child = 0;
  const int refused = posix_spawnp(&child, arguments[0], &actions, &attributes, arguments.data(),
                                   environ);
  process_result out;
  if (refused != 0) {
    out.problem = "cannot start it: " + std::system_category().message(refused);
  } else {
    int answer = 0;
    rusage used{};
    bool late = false;
    for (;;) {
      const pid_t done = wait4(child, &answer, late ? 0 : WNOHANG, &used);
      if (done == child) break;
      if (done < 0 && errno != EINTR) {
        out.problem = "cannot wait for it";
        break;
      }
      if (late) continue;
      const auto left = deadline - clock::now();
      if (left <= clock::duration::zero()) {
        late = true;
        kill(child, SIGKILL);
        continue;
      }
      const auto whole = std::chrono::duration_cast<std::chrono::seconds>(left);
      const timespec wait{
          static_cast<time_t>(whole.count()),
          static_cast<long>(
              std::chrono::duration_cast<std::chrono::nanoseconds>(left - whole).count())};
      sigtimedwait(&ended, nullptr, &wait);
    }
    out.wall = std::chrono::duration<double>(clock::now() - begin).count();
    out.cpu = seconds_of(used);
    out.peak_bytes = static_cast<std::uint64_t>(used.ru_maxrss) * 1024;
    if (late) {
      out.problem = "not done after " + std::to_string(static_cast<long>(seconds)) + " s";
    } else if (out.problem.empty() && WIFSIGNALED(answer)) {
      out.problem = "ended by signal " + std::to_string(WTERMSIG(answer));
    } else if (out.problem.empty() && WEXITSTATUS(answer) != 0) {
      out.problem = "exit code " + std::to_string(WEXITSTATUS(answer)) + ": " + last_line(log);
    }
  }
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  sigprocmask(SIG_SETMASK, &before, nullptr);
  return out;
}

}  // namespace halograph::bench
