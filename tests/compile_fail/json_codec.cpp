// SPDX-License-Identifier: BSL-1.0
// expect: json_codec: needs status parse
#include <halograph/serial/json.hpp>

struct codec {
#ifdef MUST_FAIL
  halograph::json::value parse(std::string_view) const { return {}; }
#else
  halograph::status parse(std::string_view, halograph::json::value&) const {
    return halograph::status::ok;
  }
#endif
};

template <halograph::json_codec Codec>
struct reader {};
reader<codec> answer;
