// SPDX-License-Identifier: BSL-1.0
#include "auto_method.hpp"
#include "command.hpp"

#include <halograph/serial/text/readable.hpp>

#include <algorithm>
#include <string>
#include <string_view>

namespace halograph::cli {

method_choice choose_by_flags(const std::string& method, bool volume, bool metis,
                              std::string_view multilevel) {
  if (method != auto_method) return {method, {}};
  if (metis) return {"metis", "no other knows --metis"};
  if (volume) return {"multilevel", "buffered cannot minimize the communication volume"};
  if (!multilevel.empty())
    return {"multilevel", "buffered does not know " + std::string(multilevel)};
  return {method, {}};
}

method_choice choose_by_memory(std::uint64_t needed, std::uint64_t compressed, std::uint64_t room,
                               bool budget) {
  const std::string of = readable::bytes(room) + (budget ? " of --memory" : " of free memory");
  if (needed <= room) return {"multilevel", "its " + readable::bytes(needed) + " fit in the " + of};
  if (compressed <= room)
    return {"multilevel",
            "the " + readable::bytes(compressed) +
                " that it needs of a compressed graph fit in the " + of,
            true};
  return {"buffered", "multilevel needs " + readable::bytes(std::min(needed, compressed)) +
                          ", more than the " + of};
}

}  // namespace halograph::cli
