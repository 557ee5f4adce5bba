// SPDX-License-Identifier: BSL-1.0
/// @file findings.hpp
/// The list of findings: all are counted, the first of each kind are kept, and findings of several
/// threads are merged in the order of the parts.
/// Layer: verify. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/verify/options.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace halograph {

namespace detail {

/// Counts all findings and keeps the first ones.
class finding_list {
 public:
  finding_list(verification& out, std::size_t most) : out_(out), most_(most) {}

  /// @param make  returns the sentence; called only if it is kept
  void add(check_kind kind, const std::string& file, const char* fault,
           function_ref<std::string()> make);
  void add(check_kind kind, const std::string& file, std::string sentence) {
    const std::string key = sentence;
    add(kind, file, key.c_str(), [&] { return std::move(sentence); });
  }
  /// Add an error of a reader. @param file  used if the error names none
  void add(check_kind kind, const std::string& file, const error& problem) {
    add(kind, problem.where().file.empty() ? file : problem.where().file, sentence_of(problem));
  }
  /// Count more findings of a fault whose first ones (at least most_alike) have been added.
  void add_more(check_kind kind, std::uint64_t more) {
    out_.count += more;
    out_.checks[static_cast<std::size_t>(kind)].findings += more;
  }
  void done(check_kind kind) { out_.checks[static_cast<std::size_t>(kind)].done = true; }
  void note(std::string sentence) { out_.notes.push_back(std::move(sentence)); }
  std::uint64_t count() const noexcept { return out_.count; }

  static std::string sentence_of(const error& problem);

  /// Number of kept sentences of one fault in one file.
  static constexpr std::uint64_t most_alike = 3;

 private:
  verification& out_;
  std::size_t most_;
  std::map<std::pair<std::string, std::string>, std::uint64_t> alike_{};
};

/// The findings of one part, merged later in the order of the parts, so that the result does not
/// depend on the number of threads.
class finding_log {
 public:
  void add(check_kind kind, const std::string& file, const char* fault,
           function_ref<std::string()> make);
  void add(check_kind kind, const std::string& file, std::string sentence) {
    const std::string key = sentence;
    add(kind, file, key.c_str(), [&] { return std::move(sentence); });
  }
  void add(check_kind kind, const std::string& file, const error& problem) {
    add(kind, problem.where().file.empty() ? file : problem.where().file,
        finding_list::sentence_of(problem));
  }
  /// Run a check after the findings of all earlier parts have been merged.
  void later(std::function<void(finding_list&)> judge) {
    entries_.push_back({check_kind::book, {}, {}, {}, 0, std::move(judge)});
  }

  void tell(finding_list& all) const;

 private:
  struct entry {
    check_kind check;
    std::string file, fault, sentence;
    std::uint64_t more;  // of the same fault in the same file, whose sentences nobody will read
    std::function<void(finding_list&)> judge;
  };
  std::vector<entry> entries_{};
  std::map<std::pair<std::string, std::string>, std::uint64_t> alike_{};
  std::map<std::pair<std::string, std::string>, std::size_t> last_{};
};

}  // namespace detail

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/verify/impl/findings.ipp>
#endif
