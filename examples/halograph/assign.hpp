// SPDX-License-Identifier: BSL-1.0
/// @file assign.hpp
/// `halograph assign`: assign the nodes of a graph to parts and write an assignment folder.
#pragma once

#include "command.hpp"
#include "policies.hpp"

namespace halograph::cli {

action add_assign(flag_set& app, const offered_policies& policies);

}  // namespace halograph::cli
