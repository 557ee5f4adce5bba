// SPDX-License-Identifier: BSL-1.0
// expect: partition_book_like: needs nodes\(\) const, a model of ownership
// expect: partition_book_like: needs edges\(\) const, a model of ownership
#include <halograph/book/policy.hpp>
#include <halograph/book/range_map.hpp>

struct half {
  const halograph::range_map& nodes() const;
#ifdef MUST_FAIL
  int edges() const;
#else
  const halograph::range_map& edges() const;
#endif
};
struct other_half {
  const halograph::range_map& edges() const;
#ifndef MUST_FAIL
  const halograph::range_map& nodes() const;
#endif
};

template <halograph::partition_book_like Book>
struct reader {};
reader<half> a;
reader<other_half> b;
