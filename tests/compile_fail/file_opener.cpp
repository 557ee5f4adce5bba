// SPDX-License-Identifier: BSL-1.0
// expect: file_opener: needs file_bytes operator
#include <halograph/serial/files/file.hpp>

struct archive {
#ifdef MUST_FAIL
  std::span<const std::byte> operator()(const std::string&) const { return {}; }
#else
  halograph::file_bytes operator()(const std::string&) const { return {}; }
#endif
};

template <halograph::file_opener Opener>
struct reader {};
reader<archive> answer;
