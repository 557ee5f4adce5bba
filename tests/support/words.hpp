// SPDX-License-Identifier: BSL-1.0
/// @file words.hpp
/// For tests: binary files as text, and what a reader says of one.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/serial/bytes.hpp>

#include <cstddef>
#include <initializer_list>
#include <string>

namespace halograph::testing {

/// Integers in little-endian order, one after the other.
template <class T>
std::string words(std::initializer_list<T> values) {
  std::string out;
  for (const T value : values) {
    std::byte bytes[sizeof(T)];
    store_le(value, bytes);
    out.append(reinterpret_cast<const char*>(bytes), sizeof(T));
  }
  return out;
}

/// The error that f() throws; without one, error_kind::ok.
template <class Function>
error refusal_of(Function&& f) {
  try {
    static_cast<void>(f());
  } catch (const error& problem) {
    return problem;
  }
  return error(error_kind::ok, "it was taken");
}

}  // namespace halograph::testing
