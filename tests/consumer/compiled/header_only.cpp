// SPDX-License-Identifier: BSL-1.0
// A file that brings its own bodies.
#include <halograph/serial/npy.hpp>

static_assert(!HALOGRAPH_COMPILED);
