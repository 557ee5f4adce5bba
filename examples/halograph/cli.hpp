// SPDX-License-Identifier: BSL-1.0
/// @file cli.hpp
/// The whole program, with partitioners of your own in `--method`:
///
///     int main(int argc, char** argv) { return halograph::cli::run<my_policy>(argc, argv); }
///
/// Installed with the program: `find_package(halograph COMPONENTS cli)`, link `halograph::cli`,
/// include <halograph/cli.hpp>. It needs the libraries that the program was built with, but not the
/// source tree.
///
/// A policy is called by its `static constexpr std::string_view name`; its members `parts`, `seed`
/// and `edge_weights` are set from the flags of the same meaning where it has them. One that works
/// on ranks' own rows (partition/distributed.hpp) is taken by assign alone; where it has
/// bytes(nodes, edges, constraints, ranks), that is announced.
///
/// Only what calls the policy is compiled with it (policies.hpp); the subcommands are in the
/// library halograph_cli.
#pragma once

#include "policies.hpp"

namespace halograph::cli {

/// Run the program with the built-in partitioners and the given ones. @return the exit code
int run(int argc, char** argv, const offered_policies& policies);

/// The same for partitioners by their types, in the order of --help. @return the exit code
template <class... Policies>
int run(int argc, char** argv) {
  return run(argc, argv, offered_policies{{entry_of<Policies>()...}});
}

}  // namespace halograph::cli
