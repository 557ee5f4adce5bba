// SPDX-License-Identifier: BSL-1.0
#include "command.hpp"
#include "partition_inputs.hpp"
#include "reported_memory.hpp"

#include <halograph/serial/text/readable.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

namespace halograph::cli {

void reported_memory::operator()(std::uint64_t policy_bytes, bool in_all) {
  most_ = std::max(most_, policy_bytes);
  const std::uint64_t needed = need_(most_);
  if (limits_.budget != 0 && needed > limits_.budget)
    throw memory_refusal(
        "going on takes up to " + readable::bytes(needed) + " of memory, more than " +
        (limits_.given ? "--memory " + readable::bytes(limits_.budget)
                       : "the " + readable::bytes(limits_.budget) + " that are free") +
        "; allow more, " + (limits_.may_compress ? "compress the graph with --compress, " : "") +
        "or choose a method that streams (buffered, ldg, fennel)");
  if (!in_all) return;
  reported_all_ = true;
  if (!limits_.quiet)
    note("now that the graph's clusters are known: " +
         std::string(limits_.on_ranks ? "each rank" : "this run") + " takes up to " +
         readable::bytes(needed) + " of memory");
}

}  // namespace halograph::cli
