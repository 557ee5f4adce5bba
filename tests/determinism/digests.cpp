// SPDX-License-Identifier: BSL-1.0
// Prints the lines of digests.hpp; fails where executors of 1, 2 and 3 threads do not agree on
// them.
//
//   digests FOLDER     FOLDER holds files while it runs
#include "determinism/digests.hpp"

#ifdef HALOGRAPH_WITH_TBB
#include <halograph/adapters/tbb.hpp>
#endif

#include <cstdio>

int main(int count, char** arguments) {
  if (count != 2) {
    std::fputs("usage: digests FOLDER\n", stderr);
    return 2;
  }
  try {
    const std::string work = arguments[1];
    const auto first =
        determinism::all(work, determinism::any_executor(halograph::sequential{})).all();
    bool same = true;
    const auto compare = [&](const char* name, std::size_t threads, const auto& run) {
      const auto other = determinism::all(work, determinism::any_executor(run)).all();
      for (std::size_t i = 0; i < first.size(); ++i) {
        if (i < other.size() && other[i] == first[i]) continue;
        std::fprintf(stderr, "FAILED: one thread gives \"%s\", %zu %s give \"%s\"\n",
                     first[i].c_str(), threads, name, i < other.size() ? other[i].c_str() : "");
        same = false;
      }
    };
    for (std::size_t threads = 1; threads <= 3; ++threads) {
      compare("threads", threads, determinism::std_threads{threads});
#ifdef HALOGRAPH_WITH_TBB
      compare("threads of oneTBB", threads, halograph::tbb_threads(threads));
#endif
    }
    for (const auto& line : first) std::puts(line.c_str());
    return same ? 0 : 1;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "FAILED: %s\n", problem.what());
    return 1;
  }
}
