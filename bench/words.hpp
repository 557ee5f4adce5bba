// SPDX-License-Identifier: BSL-1.0
/// @file words.hpp
/// Numbers and machines in words, and files of text.
/// Part of the benchmarks, not of the library.
#pragma once

#include "yardsticks.hpp"

#include <unistd.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

namespace halograph::bench {

/// A number with three significant digits.
inline std::string digits(double value) {
  char out[64];
  const double size = value < 0 ? -value : value;
  std::snprintf(out, sizeof out,
                size >= 100  ? "%.0f"
                : size >= 10 ? "%.1f"
                : size >= 1  ? "%.2f"
                             : "%.3f",
                value);
  return out;
}

inline std::string human_seconds(double value) {
  if (value >= 1) return digits(value) + " s";
  return value >= 1e-3 ? digits(value * 1e3) + " ms" : digits(value * 1e6) + " us";
}

inline std::string human_size(double bytes) {
  for (const auto& [unit, name] :
       {std::pair{1e9, " GB"}, std::pair{1e6, " MB"}, std::pair{1e3, " kB"}}) {
    if (bytes >= unit) return digits(bytes / unit) + name;
  }
  return digits(bytes) + " B";
}

/// One line for the head of a table.
inline std::string in_words(const machine& here) {
  return here.processor + ", " + std::to_string(here.cores) + " cores, " +
         human_size(static_cast<double>(here.memory_bytes)) + ", " + here.system + ", " +
         here.compiler + " " + here.flags;
}

/// Make the folder of the results, before minutes are spent on them.
/// @errors std::runtime_error: it cannot be made, or no file in it
inline void make_output_folder(const std::string& path) {
  std::error_code problem;
  std::filesystem::create_directories(path, problem);
  if (::access(path.c_str(), W_OK | X_OK) != 0)
    throw std::runtime_error("cannot write into " + path +
                             "; results need a folder that can be written");
}

/// @errors std::runtime_error: the file cannot be written
inline void write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
}

/// A warning if others use the machine, or "".
inline std::string warning(const machine& here) {
  if (here.share > 0.9) return {};
  return "The machine was busy, " + digits(here.share * 100) +
         " % of its cores' time were ours: wall times say little.\n";
}

/// The exit code of main(): that of the work, or 1 if it throws, with the reason on standard error.
template <class Work>
int answer_of(Work&& work) {
  try {
    return work();
  } catch (const std::exception& problem) {
    std::cerr << problem.what() << "\n";
    return 1;
  }
}

}  // namespace halograph::bench
