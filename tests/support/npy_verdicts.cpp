// SPDX-License-Identifier: BSL-1.0
// Reads .npy files from standard input, each after its length as 4 little-endian bytes, and prints
// a line for each: what read_npy() finds in it, or that it is refused. For tests/fuzz/numpy.py.
#include <halograph/core/error.hpp>
#include <halograph/serial/npy.hpp>
#include <halograph/serial/tensor.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <span>
#include <string>

namespace hg = halograph;

int main() {
  std::string content;
  for (unsigned char length[4]; std::cin.read(reinterpret_cast<char*>(length), 4);) {
    std::uint32_t bytes = 0;
    for (int i = 4; i-- > 0;) bytes = bytes << 8 | std::uint32_t{length[i]};
    content.resize(bytes);
    if (!std::cin.read(content.data(), static_cast<std::streamsize>(content.size()))) return 1;
    try {
      const auto found = hg::read_npy({std::as_bytes(std::span(content)), nullptr}, "array.npy");
      std::printf("%s ", std::string(hg::name(found.type())).c_str());
      for (const auto extent : found.shape())
        std::printf("%llu,", static_cast<unsigned long long>(extent));
      std::printf(" ");
      for (const auto byte : found.bytes()) std::printf("%02x", std::to_integer<unsigned>(byte));
      std::printf("\n");
    } catch (const hg::error& problem) {
      std::printf("refused %s\n", problem.what());
    }
  }
  return 0;
}
