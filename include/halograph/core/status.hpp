// SPDX-License-Identifier: BSL-1.0
/// @file status.hpp
/// What a call in the core answers: a code, and the position (index, ID or byte) it speaks of.
/// Layer: core (no allocation, no exceptions). Words: README.md.
#pragma once

#include <cstdint>
#include <string_view>

namespace halograph {

/// Why a call failed. `name()` gives the word used in `--json`.
enum class errc : std::uint8_t {
  ok,
  capacity,  ///< the caller's memory is too small; position is the size that suffices where known
  invalid_argument,  ///< an option or argument that can never be right
  out_of_range,      ///< an ID outside its space; position is the place it was found at
  mismatch,          ///< two things that must agree in size or value do not
  overflow,          ///< a value does not fit its type
  infeasible,        ///< asked for something that no result can satisfy
  cut_edges,         ///< 0 hops while edges cross parts; position is their number
  malformed,         ///< a file or text is not what its format says; position is the byte or line
  truncated,         ///< a file ends too early; position is its size
  unsupported,       ///< legal, but not handled (here, or by a missing library)
  not_found,         ///< a file, key, type or name does not exist
  exists,            ///< the target holds something that is not ours to replace
  busy,              ///< another run works on the same target
  io,                ///< the operating system refused (disk full, permission, ...)
  memory,            ///< not enough memory
  canceled,          ///< the caller's callback asked to stop
  internal           ///< a check of our own failed; please report
};

/// The word of a code, as `--json` prints it. Never empty.
constexpr std::string_view name(errc code) noexcept {
  switch (code) {
    case errc::ok:
      return "ok";
    case errc::capacity:
      return "capacity";
    case errc::invalid_argument:
      return "invalid_argument";
    case errc::out_of_range:
      return "out_of_range";
    case errc::mismatch:
      return "mismatch";
    case errc::overflow:
      return "overflow";
    case errc::infeasible:
      return "infeasible";
    case errc::cut_edges:
      return "cut_edges";
    case errc::malformed:
      return "malformed";
    case errc::truncated:
      return "truncated";
    case errc::unsupported:
      return "unsupported";
    case errc::not_found:
      return "not_found";
    case errc::exists:
      return "exists";
    case errc::busy:
      return "busy";
    case errc::io:
      return "io";
    case errc::memory:
      return "memory";
    case errc::canceled:
      return "canceled";
    case errc::internal:
      return "internal";
  }
  return "unknown";
}

/// A code and a position, 16 bytes, trivially copyable. Two statuses are equal when their codes
/// are.
struct [[nodiscard]] status {
  errc code = errc::ok;
  std::uint64_t position = 0;

  static const status ok;
  static const status capacity;
  static const status invalid_argument;
  static const status out_of_range;
  static const status mismatch;
  static const status overflow;
  static const status infeasible;
  static const status cut_edges;
  static const status malformed;
  static const status truncated;
  static const status unsupported;
  static const status internal;

  /// The same code, speaking of position `where`.
  constexpr status at(std::uint64_t where) const noexcept { return {code, where}; }

  constexpr explicit operator bool() const noexcept { return code == errc::ok; }
  friend constexpr bool operator==(status a, status b) noexcept { return a.code == b.code; }
};

inline constexpr status status::ok{errc::ok, 0};
inline constexpr status status::capacity{errc::capacity, 0};
inline constexpr status status::invalid_argument{errc::invalid_argument, 0};
inline constexpr status status::out_of_range{errc::out_of_range, 0};
inline constexpr status status::mismatch{errc::mismatch, 0};
inline constexpr status status::overflow{errc::overflow, 0};
inline constexpr status status::infeasible{errc::infeasible, 0};
inline constexpr status status::cut_edges{errc::cut_edges, 0};
inline constexpr status status::malformed{errc::malformed, 0};
inline constexpr status status::truncated{errc::truncated, 0};
inline constexpr status status::unsupported{errc::unsupported, 0};
inline constexpr status status::internal{errc::internal, 0};

}  // namespace halograph
