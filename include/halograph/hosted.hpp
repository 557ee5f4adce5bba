// SPDX-License-Identifier: BSL-1.0
/// @file hosted.hpp
/// The usual choices bound: METIS partitions, nlohmann-json parses, Boost.Interprocess maps files.
/// Layer: above all; needs the components metis, nlohmann_json and boost_interprocess. Words: README.md.
#pragma once

#include <halograph/adapters/boost_interprocess.hpp>
#include <halograph/adapters/metis.hpp>
#include <halograph/adapters/nlohmann_json.hpp>
#include <halograph/halograph.hpp>
