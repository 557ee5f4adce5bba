// SPDX-License-Identifier: BSL-1.0
#include "methods.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <sstream>
#include <stdexcept>
#include <string_view>

namespace halograph::bench {

namespace {

namespace fs = std::filesystem;
using words = std::vector<std::string>;

std::string decimal(double value) {
  char out[32];
  std::snprintf(out, sizeof out, "%.10g", value);
  return out;
}

/// A peer: programs it may be installed as, and its command line without the program. Results may
/// be written under any name: the only file in the working directory is taken.
struct peer {
  std::string_view name;
  words programs;
  bool threads;
  bool constraints;
  std::function<words(const assignment_request&)> arguments;
};

words with_seed(words command, const assignment_request& at, const std::string& flag) {
  if (at.seed) command.push_back(flag + std::to_string(*at.seed));
  return command;
}

/// Source: gpmetis -help.
words gpmetis_words(const assignment_request& at) {
  return with_seed(
      {at.graph, std::to_string(at.parts),
       "-ufactor=" + std::to_string(static_cast<long>(std::lround(at.tolerance * 1000)))},
      at, "-seed=");
}
/// Source: KaMinPar's README and --help.
peer kaminpar(std::string_view name, const std::string& preset) {
  return {name, {"KaMinPar", "kaminpar"}, true, false, [preset](const assignment_request& at) {
            return with_seed(
                {"-G", at.graph, "-k", std::to_string(at.parts), "-P", preset, "-t",
                 std::to_string(at.threads), "-e", decimal(at.tolerance), "-o", at.out},
                at, "--seed=");
          }};
}
/// Source: KaHIP's user guide.
peer kaffpa(std::string_view name, const std::string& preset) {
  return {name, {"kaffpa"}, false, false, [preset](const assignment_request& at) {
            return with_seed(
                {at.graph, "--k=" + std::to_string(at.parts), "--preconfiguration=" + preset,
                 "--imbalance=" + decimal(at.tolerance * 100), "--output_filename=" + at.out},
                at, "--seed=");
          }};
}
/// Source: Mt-KaHyPar's README and --help. It names the file of the result itself.
peer mtkahypar(std::string_view name, const std::string& preset) {
  return {name,
          {"MtKaHyPar", "mtkahypar", "mt-kahypar"},
          true,
          false,
          [preset](const assignment_request& at) {
            return with_seed(
                {"-h", at.graph, "--input-file-format=metis", "--instance-type=graph",
                 "--preset-type=" + preset, "-t", std::to_string(at.threads), "-k",
                 std::to_string(at.parts), "-e", decimal(at.tolerance), "-o", "cut", "-m", "direct",
                 "--write-partition-file=true", "--partition-output-folder=."},
                at, "--seed=");
          }};
}
/// Source: HeiStream's README.
peer heistream(std::string_view name, const std::string& buffer) {
  return {name, {"heistream"}, false, false, [buffer](const assignment_request& at) {
            words out{at.graph, "--k=" + std::to_string(at.parts), "--batch_size=32768",
                      "--imbalance=" + decimal(at.tolerance * 100), "--output_filename=" + at.out};
            if (!buffer.empty()) out.push_back("--buffer_size=" + buffer);
            return with_seed(std::move(out), at, "--seed=");
          }};
}
/// Source: CUTTANA's README and main(): -b is 1 + the imbalance, -subp counts within each part.
words cuttana_words(const assignment_request& at) {
  return {"-d",    at.graph,
          "-p",    std::to_string(at.parts),
          "-subp", std::to_string(std::max<std::uint64_t>(1, 4096 / at.parts)),
          "-b",    decimal(1 + at.tolerance),
          "-vb",   "1"};
}

const std::vector<peer>& peers() {
  static const std::vector<peer> all{{"gpmetis", {"gpmetis"}, false, true, gpmetis_words},
                                     kaminpar("kaminpar:default", "default"),
                                     kaminpar("kaminpar:eco", "eco"),
                                     kaminpar("kaminpar:strong", "strong"),
                                     mtkahypar("mtkahypar:default", "default"),
                                     mtkahypar("mtkahypar:deterministic", "deterministic"),
                                     mtkahypar("mtkahypar:quality", "quality"),
                                     kaffpa("kaffpa:eco", "eco"),
                                     kaffpa("kaffpa:strong", "strong"),
                                     heistream("heistream", ""),
                                     heistream("heistream:buffcut", "65536"),
                                     {"cuttana", {"cuttana"}, true, false, cuttana_words}};
  return all;
}

/// The path of a program on the PATH, or "".
std::string found_program(const words& names) {
  const char* const path = std::getenv("PATH");
  for (const auto& name : names) {
    std::istringstream folders(path == nullptr ? "" : path);
    for (std::string folder; std::getline(folders, folder, ':');) {
      const fs::path file = fs::absolute(fs::path(folder.empty() ? "." : folder) / name);
      std::error_code problem;
      if (fs::is_regular_file(file, problem) && ::access(file.c_str(), X_OK) == 0)
        return file.string();
    }
  }
  return {};
}

}  // namespace

std::vector<method> available_methods(const std::string& program, std::size_t threads) {
  std::vector<method> out;
  for (const auto& one : own_policies()) {
    out.push_back(
        {one.name, runner::policy, "", one.threads ? threads : 1, one.constraints, one.ours});
  }
  if (!program.empty()) {
    // Libraries of others work with one thread on one rank.
    for (const std::string name : {"ldg", "fennel", "buffered", "label_propagation"})
      out.push_back({"assign:" + name, runner::program, name, threads, false, true});
    for (const std::string name : {"ptscotch", "parmetis"})
      out.push_back({"assign:" + name, runner::program, name, 1, false, false});
  }
  for (const auto& one : peers()) {
    if (const std::string path = found_program(one.programs); !path.empty()) {
      out.push_back(
          {std::string(one.name), runner::peer, path, one.threads ? threads : 1, one.constraints});
    }
  }
  return out;
}

std::vector<std::string> peer_command(const method& which, const assignment_request& at) {
  for (const auto& one : peers()) {
    if (one.name != which.name) continue;
    words out = one.arguments(at);
    out.insert(out.begin(), which.program);
    return out;
  }
  throw std::runtime_error("no peer has the name " + which.name);
}

bool needs_cuttana_file(const method& which) {
  return which.runs == runner::peer && which.name == "cuttana";
}

}  // namespace halograph::bench
