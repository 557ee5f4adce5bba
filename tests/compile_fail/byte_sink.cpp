// SPDX-License-Identifier: BSL-1.0
// expect: byte_sink: needs status write_at
#include <halograph/serial/bytes.hpp>

struct socket {
#ifdef MUST_FAIL
  bool write_at(std::uint64_t, std::span<const std::byte>) { return true; }
#else
  halograph::status write_at(std::uint64_t, std::span<const std::byte>) {
    return halograph::status::ok;
  }
#endif
};

halograph::status put(halograph::byte_sink auto& sink) { return sink.write_at(0, {}); }
halograph::status put(socket& s) { return put<socket>(s); }
