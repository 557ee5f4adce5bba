// SPDX-License-Identifier: BSL-1.0
/// @file methods.hpp
/// Who can partition a METIS file: our policies, methods of the program halograph, and programs of
/// others. To add one, add a row to a table in methods.cpp or policies.cpp.
/// Part of the benchmarks, not of the library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace halograph::bench {

/// One question to a partitioner.
struct assignment_request {
  std::string graph{};  ///< a METIS file; its name alone where the working directory holds it
  std::uint64_t parts = 8;
  double tolerance = 0.03;
  std::size_t threads = 1;
  std::optional<std::uint64_t> seed{};  ///< none: the method's own default
  std::string out{};                    ///< where one part a line goes
};

// ---- our policies (policies.cpp)

struct own_policy {
  std::string name{};
  bool constraints = false;  ///< it balances several loads
  bool threads = false;      ///< it uses several threads
  bool ours = true;          ///< false: a library of others does the work
};
/// All of them, in the order of the tables.
std::vector<own_policy> own_policies();
/// Read the graph, assign, write: what a process of its own does. Prints the seconds of each step.
/// @errors raises what reading and assigning raise; not_found: no policy has this name
void assign_by_policy(const std::string& policy, const assignment_request& request);

// ---- all (methods.cpp)

/// What runs a method.
enum class runner : std::uint8_t {
  policy,   ///< one of own_policies(), in a process of this benchmark
  program,  ///< the program halograph: assign --method, on binary chunks
  peer      ///< a program found on the PATH
};

struct method {
  std::string name{};  ///< as in --methods and in the tables
  runner runs = runner::policy;
  std::string program{};  ///< of a peer, its path; of `program`, the method
  std::size_t threads = 1;
  bool constraints = false;
  bool ours = false;  ///< no code of others partitions
};

/// Whatever can run here: policies, the program's methods where `program` is not empty, peers found
/// on the PATH.
std::vector<method> available_methods(const std::string& program, std::size_t threads);

/// The command line of a peer. @param at  the request; `graph` is relative to the working directory
std::vector<std::string> peer_command(const method& which, const assignment_request& at);

/// Whether a peer reads CUTTANA's text format instead of METIS's.
bool needs_cuttana_file(const method& which);

}  // namespace halograph::bench
