// SPDX-License-Identifier: BSL-1.0
#include "cli.hpp"

int main(int argc, char** argv) { return halograph::cli::run<>(argc, argv); }
