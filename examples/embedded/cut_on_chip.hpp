// SPDX-License-Identifier: BSL-1.0
// What cut_on_chip.cpp gives to a machine, and what it asks of one.
#pragma once

/// Cut three graphs in eight ways and say a digest of everything; false after a failure, which was
/// said.
bool cut_on_chip();

/// Provided by the machine: show a line of text that ends with a zero.
void say(const char* line);
