// SPDX-License-Identifier: BSL-1.0
// Prints the lines of digests.hpp; fails where executors of 1, 2 and 3 threads do not agree on
// them.
//
//   digests FOLDER [small|large [THREADS]]
//
//   FOLDER   holds files while it runs
//   small    the default; large: on graphs that are large enough for every loop to be split
//   THREADS  of one executor alone, for tools that look for races
#include "determinism/digests.hpp"

#ifdef HALOGRAPH_WITH_TBB
#include <halograph/adapters/tbb.hpp>
#endif

#include <cstdio>
#include <cstdlib>

int main(int count, char** arguments) {
  const std::string size = count > 2 ? arguments[2] : "small";
  if (count < 2 || count > 4 || (size != "small" && size != "large")) {
    std::fputs("usage: digests FOLDER [small|large [THREADS]]\n", stderr);
    return 2;
  }
  const bool large = size == "large";
  const std::size_t alone = count > 3 ? std::strtoul(arguments[3], nullptr, 10) : 0;
  const auto lines_of = [&](const auto& threads) {
    const determinism::any_executor run(threads);
    return (large ? determinism::large_graphs(run) : determinism::all(arguments[1], run)).all();
  };
  try {
    const auto first = alone == 0 ? lines_of(halograph::sequential{})
                                  : lines_of(determinism::std_threads{alone});
    bool same = true;
    const auto compare = [&](const char* name, std::size_t threads, const auto& run) {
      const auto other = lines_of(run);
      for (std::size_t i = 0; i < first.size(); ++i) {
        if (i < other.size() && other[i] == first[i]) continue;
        std::fprintf(stderr, "FAILED: one thread gives \"%s\", %zu %s give \"%s\"\n",
                     first[i].c_str(), threads, name, i < other.size() ? other[i].c_str() : "");
        same = false;
      }
    };
    for (std::size_t threads = large ? 2 : 1; threads <= 3 && alone == 0; ++threads) {
      compare("threads", threads, determinism::std_threads{threads});
#ifdef HALOGRAPH_WITH_TBB
      if (!large) compare("threads of oneTBB", threads, halograph::tbb_threads(threads));
#endif
    }
    for (const auto& line : first) std::puts(line.c_str());
    return same ? 0 : 1;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "FAILED: %s\n", problem.what());
    return 1;
  }
}
