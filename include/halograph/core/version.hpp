// SPDX-License-Identifier: BSL-1.0
/// @file version.hpp
/// The version of the library, as numbers and as text.
/// Layer: core (no allocation, no exceptions).
#pragma once

/// @{
/// Major, minor and patch for `#if`, and the three as text.
#define HALOGRAPH_VERSION_MAJOR 0
#define HALOGRAPH_VERSION_MINOR 1
#define HALOGRAPH_VERSION_PATCH 0
#define HALOGRAPH_VERSION_STRING "0.1.0"
/// @}
