// SPDX-License-Identifier: BSL-1.0
// Any bytes as JSON: parsed or refused; what is parsed survives printing and parsing again.
#include <halograph/adapters/nlohmann_json.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const halograph::nlohmann_codec codec;
  halograph::json::value document, again;
  if (!codec.parse({reinterpret_cast<const char*>(data), size}, document)) return 0;
  for (const std::size_t indent : {0u, 4u}) {
    if (!codec.parse(halograph::json::print(document, indent), again)) std::abort();
    if (halograph::json::print(again) != halograph::json::print(document)) std::abort();
  }
  return 0;
}
