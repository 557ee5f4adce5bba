// SPDX-License-Identifier: BSL-1.0
/// @file cli.hpp
/// The whole program, with partitioners of your own in `--method`:
///
///     int main(int argc, char** argv) { return halograph::cli::run<my_policy>(argc, argv); }
///
/// A policy is called by its `static constexpr std::string_view name`; its members `parts`, `seed`
/// and `edge_weights` are set from the flags of the same meaning where it has them. One that works
/// on ranks' own rows (partition/distributed.hpp) is taken by assign alone; where it has
/// bytes(nodes, edges, constraints, ranks), that is announced.
#pragma once

#include "assign.hpp"
#include "command.hpp"
#include "partition.hpp"

#include <vector>

namespace halograph::cli {

/// Run the program with the built-in partitioners and the given ones. @return the exit code
template <class... Policies>
int run(int argc, char** argv) {
  return run_program(
      argc, argv,
      {{"partition", "partition a graph into a folder that engines load",
        &add_partition<Policies...>},
       {"estimate", "estimate the memory and disk space of a partition run",
        &add_estimate<Policies...>},
       {"chunk", "make a chunked graph of any graph, or of tables", &add_chunk},
       {"assign", "assign the nodes of a chunked graph to parts, for dispatch",
        &add_assign<Policies...>, true},
       {"dispatch", "write the parts of a chunked graph and its assignment, within a memory budget",
        &add_dispatch, true},
       {"verify", "prove that a partition folder is right", &add_verify},
       {"inspect", "show what is in a file", &add_inspect},
       {"report", "recompute the quality report of a partition folder", &add_report},
       {"simulate", "count what sampled training would fetch from other parts", &add_simulate,
        true},
       {"restore", "put rows of all parts back into original order", &add_restore},
       {"attach-features", "add features to a partition folder", &add_attach_features},
       {"generate", "generate a seeded graph of any size", &add_generate},
       {"parmetis", "exchange graphs and parts with ParMETIS: export, partition, import",
        &add_parmetis, true},
       {"convert", "make a partition folder of the parts that ParMETIS wrote", &add_convert,
        true}});
}

}  // namespace halograph::cli
