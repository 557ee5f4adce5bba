// SPDX-License-Identifier: BSL-1.0
// expect: byte_source: needs size
#include <halograph/serial/bytes.hpp>

struct blob {
#ifndef MUST_FAIL
  std::uint64_t size() const { return 0; }
#endif
  halograph::status read_at(std::uint64_t, std::span<std::byte>) const {
    return halograph::status::truncated;
  }
};

template <halograph::byte_source Source>
struct reader {};
reader<blob> answer;
