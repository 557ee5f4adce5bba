// SPDX-License-Identifier: BSL-1.0
/// @file memory_told.hpp
/// What a run takes, by what its method tells of its own memory on its way.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

namespace halograph::cli {

/// Compares what a method tells (memory_callback) with what there is.
class memory_told {
 public:
  /// Bytes that the run takes, if its method takes so many.
  using run_need = std::function<std::uint64_t(std::uint64_t policy_bytes)>;
  struct limits {
    std::uint64_t first_bytes = 0;  ///< that the method takes before it tells of more
    std::uint64_t budget = 0;       ///< bytes of the run; 0: any
    bool given = false;             ///< by --memory; else the budget is what is free
    bool may_compress = false;      ///< would --compress help?
    bool on_ranks = false;          ///< is it what each of several ranks takes?
    bool quiet = false;             ///< no note
  };

  memory_told(run_need need, limits given)
      : need_(std::move(need)), limits_(given), most_(given.first_bytes) {}

  /// @errors memory_refusal: it is more than there is
  void tell(std::uint64_t policy_bytes, bool in_all);
  /// What the method takes, once it has told all.
  std::optional<std::uint64_t> policy_bytes() const {
    return told_all_ ? std::optional(most_) : std::nullopt;
  }

 private:
  run_need need_;
  limits limits_;
  std::uint64_t most_;  // of what it takes at first and has told
  bool told_all_ = false;
};

}  // namespace halograph::cli
