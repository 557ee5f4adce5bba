// SPDX-License-Identifier: BSL-1.0
// The whole program with a partitioner of your own: `custom_method partition --method stripes ...`.
// needs: program
#include "custom_partitioner.hpp"
#include "halograph/cli.hpp"

int main(int argc, char** argv) {
  // Run as a test, without arguments: show that --method knows it.
  char program[] = "custom_method", command[] = "partition", help[] = "--help";
  char* shown[] = {program, command, help, nullptr};
  return argc > 1 ? halograph::cli::run<in_stripes>(argc, argv)
                  : halograph::cli::run<in_stripes>(3, shown);
}
