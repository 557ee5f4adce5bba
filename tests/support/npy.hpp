// SPDX-License-Identifier: BSL-1.0
/// @file npy.hpp
/// For tests: the bytes of a NumPy file, built by hand.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace halograph::testing {

/// @param descr  "<i8"   @param shape  "(2, 3)"
template <class T>
std::string npy(std::string_view descr, std::string_view shape, const std::vector<T>& values) {
  std::string header = "{'descr': '" + std::string(descr) +
                       "', 'fortran_order': False, 'shape': " + std::string(shape) + ", }";
  while ((10 + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string out("\x93NUMPY\x01\x00", 8);
  out += static_cast<char>(header.size() & 0xFF);
  out += static_cast<char>(header.size() >> 8);
  out += header;
  out.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  return out;
}

}  // namespace halograph::testing
