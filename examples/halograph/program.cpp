// SPDX-License-Identifier: BSL-1.0
#include "assign.hpp"
#include "cli.hpp"
#include "command.hpp"
#include "partition.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace halograph::cli {

namespace {

/// Give large blocks back to the system as soon as they are freed. Left to itself, glibc takes
/// blocks of up to 32 MiB from its heap once one of them has been freed, where others that are
/// allocated later keep them from being given back: up to a third more memory than is announced.
void give_large_blocks_back() noexcept {
#if defined(__GLIBC__)
  constexpr int large = 4 << 20;
  static_cast<void>(mallopt(M_MMAP_THRESHOLD, large));
  static_cast<void>(mallopt(M_TRIM_THRESHOLD, 2 * large));
#endif
}

/// The command line, where `convert` with the flags of ParMETIS's parts, as it was once, becomes
/// `parmetis convert`.
std::vector<char*> with_parmetis_convert(int argc, char** argv) {
  std::vector<char*> words(argv, argv + argc);
  const auto convert = std::find_if(words.begin(), words.end(), [](const char* word) {
    return std::string_view(word) == "convert";
  });
  if (convert == words.end() || convert == words.begin() ||
      std::any_of(words.begin() + 1, convert, [](const char* word) { return word[0] != '-'; }))
    return words;
  const bool of_parts = std::any_of(convert, words.end(), [](const char* word) {
    std::string flag(word);
    flag.resize(std::min(flag.find('='), flag.size()));
    std::replace(flag.begin(), flag.end(), '_', '-');
    return flag == "--input-dir" || flag == "--in-dir" || flag == "--schema" ||
           flag == "--num-node-weights";
  });
  static char parmetis[] = "parmetis";
  if (of_parts) words.insert(convert, parmetis);
  return words;
}

int run_commands(int argc, char** argv, const offered_policies& policies) {
  const char* const make = "From a graph to parts, in memory";
  const char* const steps = "The same in steps, for graphs larger than memory";
  const char* const check = "Check and compare";
  const char* const features = "Features, and graphs to try things with";
  const char* const exchange = "Other programs";
  return run_program(
      argc, argv,
      {{"partition", "partition a graph into a folder that engines load",
        [&](flag_set& app) { return add_partition(app, policies); }, false, false, make},
       {"estimate", "estimate the memory and disk space of a partition run",
        [&](flag_set& app) { return add_estimate(app, policies); }, false, true, make},
       {"update", "add and remove edges and nodes of a partition folder", &add_update, false, false,
        make},
       {"chunk", "make a chunked graph of any graph, or of tables", &add_chunk, false, false,
        steps},
       {"assign", "assign the nodes of a graph to parts, for dispatch",
        [&](flag_set& app) { return add_assign(app, policies); }, true, false, steps},
       {"dispatch", "write the parts of a graph and its assignment, within a memory budget",
        &add_dispatch, true, false, steps},
       {"verify", "prove that a partition folder is right", &add_verify, false, true, check},
       {"inspect", "show what is in a file or folder", &add_inspect, false, true, check},
       {"report", "recompute the quality report of a partition folder", &add_report, false, true,
        check},
       {"simulate", "count what sampled training would fetch from other parts", &add_simulate, true,
        true, check},
       {"restore", "put rows of all parts back into original order", &add_restore, false, false,
        features},
       {"attach-features", "add features to a partition folder", &add_attach_features, false, false,
        features},
       {"generate", "generate a seeded graph of any size", &add_generate, false, false, features},
       {"convert", "write a graph in a format of other programs", &add_convert, false, false,
        exchange},
       {"parmetis", "exchange graphs and parts with ParMETIS: export, partition, import, convert",
        &add_parmetis, true, false, exchange}});
}

}  // namespace

int run(int argc, char** argv, const offered_policies& policies) {
  give_large_blocks_back();
  try {
    std::vector<char*> words = with_parmetis_convert(argc, argv);
    words.push_back(nullptr);
    return run_commands(static_cast<int>(words.size() - 1), words.data(), policies);
  } catch (const std::bad_alloc&) {
    // No stream and no string: they would allocate.
    constexpr std::string_view sentence = "halograph: not enough memory\n";
    return ::write(STDERR_FILENO, sentence.data(), sentence.size()) < 0 ? 2 : 1;
  }
}

}  // namespace halograph::cli
