// SPDX-License-Identifier: BSL-1.0
/// @file reported_memory.hpp
/// The memory of a run, from what its method reports of its own as it works.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

namespace halograph::cli {

/// A memory_callback, by std::ref, that compares what a method reports with what there is.
class reported_memory {
 public:
  /// Bytes that the run takes, if its method takes so many.
  using run_need = std::function<std::uint64_t(std::uint64_t policy_bytes)>;
  struct limits {
    std::uint64_t first_bytes = 0;  ///< that the method takes before it reports more
    std::uint64_t budget = 0;       ///< bytes of the run; 0: any
    bool given = false;             ///< by --memory; else the budget is what is free
    bool may_compress = false;      ///< would --compress help?
    bool on_ranks = false;          ///< is it what each of several ranks takes?
    bool quiet = false;             ///< no note
  };

  reported_memory(run_need need, limits given)
      : need_(std::move(need)), limits_(given), most_(given.first_bytes) {}

  /// @errors memory_refusal: it is more than there is
  void operator()(std::uint64_t policy_bytes, bool in_all);
  /// What the method takes, once it has reported all.
  std::optional<std::uint64_t> policy_bytes() const {
    return reported_all_ ? std::optional(most_) : std::nullopt;
  }

 private:
  run_need need_;
  limits limits_;
  std::uint64_t most_;  // of what it takes at first and has reported
  bool reported_all_ = false;
};

}  // namespace halograph::cli
