// SPDX-License-Identifier: BSL-1.0
/// @file metis_clock.hpp
/// METIS's own time, measured between us and the library: metis_clock.cpp wraps METIS's functions.
/// Part of the benchmarks, not of the library.
///
/// Linked into a program it measures the time of its calls; as a shared library in LD_PRELOAD it
/// writes the time of another program's calls, "wall cpu" in seconds, into the file that
/// HALOGRAPH_METIS_CLOCK names.
#pragma once

extern "C" {
/// Seconds spent in METIS's partitioning functions since the program began. @param wall, cpu out
void halograph_metis_seconds(double* wall, double* cpu);
}
