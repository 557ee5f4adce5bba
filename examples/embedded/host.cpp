// SPDX-License-Identifier: BSL-1.0
// The machine is a desktop.
#include "embedded/cut_on_chip.hpp"

#include <cstdio>

void say(const char* line) { std::puts(line); }

int main() { return cut_on_chip() ? 0 : 1; }
