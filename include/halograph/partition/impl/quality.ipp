// SPDX-License-Identifier: BSL-1.0
/// @file quality.ipp
/// What of partition/quality.hpp several files use, for the compiled library: header-only programs
/// instantiate what they use.
/// Layer: partition. Words: README.md.
#pragma once

#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/status.hpp>
#include <halograph/partition/quality.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

#if HALOGRAPH_COMPILED
namespace halograph::detail {

template status count_crossing(std::size_t, std::span<const std::uint32_t>,
                               std::span<const std::uint32_t>, std::span<const part_id>,
                               std::uint64_t, assignment_quality&, const executor_ref&);
template status count_crossing(std::size_t, std::span<const std::uint64_t>,
                               std::span<const std::uint64_t>, std::span<const part_id>,
                               std::uint64_t, assignment_quality&, const executor_ref&);

}  // namespace halograph::detail
#endif
