// SPDX-License-Identifier: BSL-1.0
// expect: feature_store: needs status gather
// expect: feature_store: needs dtype type\(\) const, rows\(\) const and span<const uint64_t> row_shape\(\) const
#include <halograph/serial/feature_store.hpp>

struct ones {
  halograph::dtype type() const { return halograph::dtype::int8; }
  std::uint64_t rows() const { return 1; }
  std::span<const std::uint64_t> row_shape() const { return {}; }
#ifndef MUST_FAIL
  halograph::status gather(std::span<const std::uint64_t>, std::span<std::byte>) const {
    return halograph::status::ok;
  }
#endif
};
struct heap {
#ifndef MUST_FAIL
  halograph::dtype type() const { return halograph::dtype::int8; }
#endif
  std::uint64_t rows() const { return 1; }
  std::span<const std::uint64_t> row_shape() const { return {}; }
  halograph::status gather(std::span<const std::uint64_t>, std::span<std::byte>) const {
    return halograph::status::ok;
  }
};

halograph::feature<ones> a;
halograph::feature<heap> b;
