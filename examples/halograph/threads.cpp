// SPDX-License-Identifier: BSL-1.0
#include "inputs.hpp"

#if defined(HALOGRAPH_WITH_TBB)
#include <halograph/adapters/tbb.hpp>
#endif

#include <map>
#include <mutex>

namespace halograph::cli {

#if defined(HALOGRAPH_WITH_TBB)
executor_ref make_threads(std::size_t threads) {
  // Never destroyed: a run that a signal ends may still be in a loop.
  static auto& made = *new std::map<std::size_t, tbb_threads>;
  static std::mutex making;
  const std::lock_guard guard(making);
  return made.try_emplace(threads, threads).first->second;
}
#else
executor_ref make_threads(std::size_t) { return {}; }
#endif

}  // namespace halograph::cli
