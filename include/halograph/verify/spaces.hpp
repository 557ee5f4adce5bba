// SPDX-License-Identifier: BSL-1.0
/// @file spaces.hpp
/// Ownership as declared by a config, derived independently of the library's own book and compared
/// with it.
/// Layer: verify. Words: README.md.
#pragma once

#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/search.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/tensor.hpp>
#include <halograph/verify/findings.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph {

namespace detail {

/// IDs that are looked at at once, where those of a part may be many.
inline constexpr std::size_t id_block = std::size_t{1} << 16;

/// Part and type of each ID of one space, from ranges that tile it or from one part per ID.
class id_space {
 public:
  /// @param ranges  [T][P] @return false and a sentence if they do not tile [0, total)
  bool bind(const std::vector<std::vector<id_range>>& ranges, std::size_t parts,
            std::uint64_t total, const char* noun, std::string& sentence);
  /// @param owner   [n] part of each ID, types concatenated  @param counts  [T]
  void bind(std::vector<part_id> owner, const std::vector<std::uint64_t>& counts,
            std::size_t parts);

  bool mapped() const noexcept { return mapped_; }
  std::size_t types() const noexcept { return types_; }
  std::uint64_t size() const noexcept { return type_begin_.back(); }
  std::uint64_t size_of(std::size_t t) const noexcept {
    return type_begin_[t + 1] - type_begin_[t];
  }
  /// First position of a type when types are concatenated.
  std::uint64_t begin_of(std::size_t t) const noexcept { return type_begin_[t]; }
  std::uint64_t count(std::size_t p, std::size_t t) const noexcept {
    return mapped_ ? counts_[p * types_ + t]
                   : begins_[p * types_ + t + 1] - begins_[p * types_ + t];
  }
  std::uint64_t count(std::size_t p) const noexcept {
    std::uint64_t sum = 0;
    for (std::size_t t = 0; t < types_; ++t) sum += count(p, t);
    return sum;
  }
  /// First ID of a part's cell. @pre !mapped()
  std::uint64_t first(std::size_t p, std::size_t t = 0) const noexcept {
    return begins_[p * types_ + t];
  }
  /// @pre id < size()
  part_id part(std::uint64_t id) const noexcept {
    return mapped_ ? owner_[static_cast<std::size_t>(id)] : cell_part_[cell(id)];
  }
  std::size_t type(std::uint64_t id) const noexcept {
    if (!mapped_) return cell_type_[cell(id)];
    return range_of<std::uint64_t>(type_begin_, id);
  }
  /// The IDs of a part and type, ascending: those from place `from` on, `most` at most.
  template <class Id>
  void ids(std::size_t p, std::size_t t, std::uint64_t from, std::size_t most, std::vector<Id>& out,
           std::uint64_t& cursor) const {
    out.clear();
    out.reserve(static_cast<std::size_t>(std::min<std::uint64_t>(count(p, t), most)));
    if (!mapped_) {
      const std::uint64_t end = std::min<std::uint64_t>(count(p, t), from + most);
      for (std::uint64_t i = from; i < end; ++i) out.push_back(static_cast<Id>(first(p, t) + i));
      return;
    }
    if (from == 0) cursor = type_begin_[t];
    for (; cursor < type_begin_[t + 1] && out.size() < most; ++cursor) {
      if (owner_[static_cast<std::size_t>(cursor)] == p) out.push_back(static_cast<Id>(cursor));
    }
  }

 private:
  std::span<const std::uint64_t> ends() const noexcept { return std::span(begins_).subspan(1); }
  std::size_t cell(std::uint64_t id) const noexcept {
    return boundary_index<std::uint64_t>(ends(), table_).count_not_above(id);
  }

  std::size_t parts_ = 0, types_ = 0;
  bool mapped_ = false;
  std::vector<std::uint64_t> begins_{0};      // [P*T+1]
  std::vector<std::uint32_t> table_{};        // leads into it
  std::vector<part_id> cell_part_{};          // [P*T]
  std::vector<type_id> cell_type_{};          // [P*T]
  std::vector<part_id> owner_{};              // [n]
  std::vector<std::uint64_t> type_begin_{0};  // [T+1]
  std::vector<std::uint64_t> counts_{};       // [P*T]
};

/// Read the ownership from the config, and compare it with the library's own book.
/// @return false if the other checks cannot run
bool bind_spaces(const partition_config& config, const any_file_opener& files, id_space& nodes,
                 id_space& edges, finding_list& findings);

}  // namespace detail

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/verify/impl/spaces.ipp>
#endif
