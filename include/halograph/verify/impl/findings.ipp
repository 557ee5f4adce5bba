// SPDX-License-Identifier: BSL-1.0
/// @file findings.ipp
/// Bodies of the plain functions of verify/findings.hpp.
/// Layer: verify. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/verify/findings.hpp>
#include <halograph/verify/options.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE void finding_list::add(check_kind kind, const std::string& file, const char* fault,
                                        function_ref<std::string()> make) {
  ++out_.count;
  ++out_.checks[static_cast<std::size_t>(kind)].findings;
  auto& alike = alike_[{file, fault}];
  if (++alike > most_alike || out_.findings.size() >= most_) return;
  out_.findings.push_back({kind, file, make()});
}

HALOGRAPH_INLINE std::string finding_list::sentence_of(const error& problem) {
  const auto& where = problem.where();
  std::string place;
  if (where.line) place += concat({"line ", *where.line, ": "});
  if (where.byte) place += concat({"byte ", *where.byte, ": "});
  return place + problem.message();
}

HALOGRAPH_INLINE void finding_log::add(check_kind kind, const std::string& file, const char* fault,
                                       function_ref<std::string()> make) {
  auto& alike = alike_[{file, fault}];
  if (++alike > finding_list::most_alike) {
    // Counted with the last kept finding of its kind.
    ++entries_[last_[{file, fault}]].more;
    return;
  }
  last_[{file, fault}] = entries_.size();
  entries_.push_back({kind, file, fault, make(), 0, {}});
}

HALOGRAPH_INLINE void finding_log::tell(finding_list& all) const {
  for (const auto& one : entries_) {
    if (one.judge) {
      one.judge(all);
      continue;
    }
    all.add(one.check, one.file, one.fault.c_str(), [&] { return one.sentence; });
    all.add_more(one.check, one.more);
  }
}

}  // namespace halograph::detail
