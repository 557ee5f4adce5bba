// SPDX-License-Identifier: BSL-1.0
/// @file fwd.hpp
/// The names of this folder, their default template arguments and short names, without their
/// definitions.
/// Layer: schema. Words: README.md.
#pragma once

#include <halograph/core/ids.hpp>

#include <cstdint>

namespace halograph {

struct canonical_etype;
class graph_schema;
template <id ID = std::uint64_t>
struct typed_id;
template <id ID>
struct typed_ids;
template <id ID = std::uint64_t, id Offset = std::uint64_t>
class basic_type_offsets;
using type_offsets = basic_type_offsets<>;  ///< of 64-bit IDs
template <id Node = std::uint64_t, id Edge = std::uint64_t>
class basic_id_converter;
using id_converter = basic_id_converter<>;  ///< of 64-bit IDs

}  // namespace halograph
