// SPDX-License-Identifier: BSL-1.0
#include "inputs.hpp"

#include <halograph/adapters/nlohmann_json.hpp>
#if defined(HALOGRAPH_WITH_YAML_CPP)
#include <halograph/adapters/yaml_cpp.hpp>
#else
#include <halograph/io/formats/graphar/infos.hpp>
#endif

namespace halograph::cli {

any_json_codec json_codec() { return nlohmann_codec{}; }

#if defined(HALOGRAPH_WITH_YAML_CPP)
any_json_codec yaml_codec() { return yaml_cpp_codec{}; }
#else
any_json_codec yaml_codec() { return no_yaml{}; }
#endif

}  // namespace halograph::cli
