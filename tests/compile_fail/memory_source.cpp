// SPDX-License-Identifier: BSL-1.0
// expect: memory_source: needs span<const byte> bytes\(\) const
#include <halograph/serial/bytes.hpp>

struct tape {
  std::uint64_t size() const { return 0; }
  halograph::status read_at(std::uint64_t, std::span<std::byte>) const {
    return halograph::status::truncated;
  }
};

template <halograph::memory_source Source>
struct reader {};
#ifdef MUST_FAIL
reader<tape> answer;
#else
reader<halograph::span_source> answer;
#endif
