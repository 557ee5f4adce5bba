// SPDX-License-Identifier: BSL-1.0
/// @file status.hpp
/// What a call in the core answers: a code, and the position (index, ID or byte) it speaks of.
/// Layer: core (no allocation, no exceptions). Words: README.md.
#pragma once

#include <cstdint>
#include <string_view>

namespace halograph {

/// Why a call failed. `name()` gives the word used in `--json`.
enum class error_kind : std::uint8_t {
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
constexpr std::string_view name(error_kind code) noexcept {
  switch (code) {
    case error_kind::ok:
      return "ok";
    case error_kind::capacity:
      return "capacity";
    case error_kind::invalid_argument:
      return "invalid_argument";
    case error_kind::out_of_range:
      return "out_of_range";
    case error_kind::mismatch:
      return "mismatch";
    case error_kind::overflow:
      return "overflow";
    case error_kind::infeasible:
      return "infeasible";
    case error_kind::cut_edges:
      return "cut_edges";
    case error_kind::malformed:
      return "malformed";
    case error_kind::truncated:
      return "truncated";
    case error_kind::unsupported:
      return "unsupported";
    case error_kind::not_found:
      return "not_found";
    case error_kind::exists:
      return "exists";
    case error_kind::busy:
      return "busy";
    case error_kind::io:
      return "io";
    case error_kind::memory:
      return "memory";
    case error_kind::canceled:
      return "canceled";
    case error_kind::internal:
      return "internal";
  }
  return "unknown";
}

/// A code and a position, 16 bytes, trivially copyable. Two statuses are equal when their codes
/// are.
struct [[nodiscard]] status {
  error_kind code = error_kind::ok;  ///< why; ok: all is well
  std::uint64_t position = 0;        ///< which item, from 0; each function says of what

  /// @{
  /// Each error_kind that needs no file, at position 0.
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
  /// @}

  /// The same code, speaking of position `where`.
  constexpr status at(std::uint64_t where) const noexcept { return {code, where}; }

  /// Is the code `ok`?
  constexpr explicit operator bool() const noexcept { return code == error_kind::ok; }
  /// Positions do not count.
  friend constexpr bool operator==(status a, status b) noexcept { return a.code == b.code; }
};

inline constexpr status status::ok{error_kind::ok, 0};
inline constexpr status status::capacity{error_kind::capacity, 0};
inline constexpr status status::invalid_argument{error_kind::invalid_argument, 0};
inline constexpr status status::out_of_range{error_kind::out_of_range, 0};
inline constexpr status status::mismatch{error_kind::mismatch, 0};
inline constexpr status status::overflow{error_kind::overflow, 0};
inline constexpr status status::infeasible{error_kind::infeasible, 0};
inline constexpr status status::cut_edges{error_kind::cut_edges, 0};
inline constexpr status status::malformed{error_kind::malformed, 0};
inline constexpr status status::truncated{error_kind::truncated, 0};
inline constexpr status status::unsupported{error_kind::unsupported, 0};
inline constexpr status status::internal{error_kind::internal, 0};

}  // namespace halograph
