// SPDX-License-Identifier: BSL-1.0
// expect: one is one
// expect: two are company
#ifdef MUST_FAIL
static_assert(false, "one is one");
#endif
