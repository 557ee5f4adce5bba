// SPDX-License-Identifier: BSL-1.0
// expect: selection: needs contiguous memory of integers and a size, as vector<uint8_t> has
#include <halograph/book/split.hpp>

#include <vector>

template <halograph::selection Mask>
struct mask {};
#ifdef MUST_FAIL
mask<std::vector<bool>> answer;  // bits are not bytes
#else
mask<std::vector<unsigned char>> answer;
#endif
