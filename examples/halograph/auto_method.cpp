// SPDX-License-Identifier: BSL-1.0
#include "auto_method.hpp"
#include "command.hpp"

namespace halograph::cli {

method_choice choose_by_flags(const std::string& method, bool volume, bool metis,
                              std::string_view multilevel) {
  if (method != auto_method) return {method, {}};
  if (volume) return {"metis", "no other minimizes the communication volume"};
  if (metis) return {"metis", "no other knows --metis"};
  if (!multilevel.empty()) return {"multilevel", "no other knows " + std::string(multilevel)};
  return {method, {}};
}

method_choice choose_by_memory(std::uint64_t needed, std::uint64_t room, bool budget) {
  const std::string of = human_bytes(room) + (budget ? " of --memory" : " of free memory");
  if (needed <= room) return {"multilevel", "its " + human_bytes(needed) + " fit in the " + of};
  return {"buffered", "multilevel needs " + human_bytes(needed) + ", more than the " + of};
}

}  // namespace halograph::cli
