// SPDX-License-Identifier: BSL-1.0
/// @file fwd.hpp
/// The names of this folder, without their definitions. Default template arguments stay with those.
/// Layer: schema. Words: README.md.
#pragma once

#include <halograph/core/ids.hpp>

namespace halograph {

struct canonical_etype;
class graph_schema;
template <id ID>
struct typed_id;
template <id ID>
struct typed_ids;
template <id ID, id Offset>
class basic_type_offsets;
template <id Node, id Edge>
class basic_id_converter;

}  // namespace halograph
