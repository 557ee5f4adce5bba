// SPDX-License-Identifier: BSL-1.0
// A component brings its adapter and its library.
#include <halograph/adapters/nlohmann_json.hpp>

int main() {
  halograph::json::value document;
  const bool parsed = static_cast<bool>(
      halograph::nlohmann_codec{}.parse("{\"parts\": 2}", document));
  return parsed && document.find("parts") != nullptr ? 0 : 1;
}
