// SPDX-License-Identifier: BSL-1.0
// What cut_on_chip.cpp offers a machine, and what it needs from one.
#pragma once

/// Partition three graphs in eight ways and say a digest of everything; returns false after a
/// failure, which it says, too.
bool cut_on_chip();

/// Provided by the machine: show a line of text that ends with a zero.
void say(const char* line);
