// SPDX-License-Identifier: BSL-1.0
/// @file policy.ipp
/// Bodies of the plain functions of book/policy.hpp.
/// Layer: book. Words: README.md.
#pragma once

#include <halograph/book/fwd.hpp>
#include <halograph/book/policy.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/id_row.hpp>
#include <halograph/schema/schema.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace halograph {

HALOGRAPH_INLINE policy_name policy_name::node(std::string_view ntype) {
  if (!plain(ntype))
    raise(error_kind::invalid_argument,
          "node type " + graph_schema::quoted(ntype) + " cannot be part of a policy's name");
  policy_name result;
  result.is_node_ = true;
  result.type_ = ntype;
  return result;
}

HALOGRAPH_INLINE policy_name policy_name::edge(const canonical_etype& etype) {
  if (!plain(etype.str()) || canonical_etype::parse(etype.str()) != etype) {
    raise(error_kind::invalid_argument,
          "edge type " + graph_schema::quoted(etype.str()) + " cannot be part of a policy's name");
  }
  policy_name result;
  result.is_node_ = false;
  result.type_ = etype.str();
  result.etype_ = etype;
  return result;
}

HALOGRAPH_INLINE policy_name policy_name::parse(std::string_view text) {
  const auto tilde = text.find('~');
  const std::string_view word = text.substr(0, tilde);
  const bool typed = tilde != std::string_view::npos;
  const std::string_view type = typed ? text.substr(tilde + 1) : std::string_view();
  if (word == "node" && !typed) return node();
  if (word == "node" && plain(type)) return node(type);
  // A bare "edge" means `_E`, which is not a triple: rejected, as in DGL.
  if (word == "edge" && plain(type)) {
    if (const auto triple = canonical_etype::parse(type)) return edge(*triple);
  }
  raise(error_kind::malformed,
        "policy " + graph_schema::quoted(text) +
            " must be \"node\", \"node~<type>\" or \"edge~<source:relation:target>\"");
}

HALOGRAPH_INLINE data_name::data_name(policy_name policy, std::string name)
    : policy_(std::move(policy)), name_(std::move(name)) {
  if (!is_safe_name(name_) || name_.find('~') != std::string::npos) {
    raise(error_kind::invalid_argument,
          "data name " + graph_schema::quoted(name_) +
              " must be 1 to 200 bytes without '/', '~' and control characters");
  }
}

HALOGRAPH_INLINE data_name data_name::parse(std::string_view text) {
  const auto first = text.find('~');
  const auto last = text.rfind('~');
  if (first == last || text.find('~', first + 1) != last) {
    raise(error_kind::malformed,
          "data name " + graph_schema::quoted(text) + " must have three fields joined by '~'");
  }
  return {policy_name::parse(text.substr(0, last)), std::string(text.substr(last + 1))};
}

}  // namespace halograph
