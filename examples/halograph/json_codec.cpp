// SPDX-License-Identifier: BSL-1.0
#include "inputs.hpp"

#include <halograph/adapters/nlohmann_json.hpp>

namespace halograph::cli {

any_json_codec json_codec() { return nlohmann_codec{}; }

}  // namespace halograph::cli
