// SPDX-License-Identifier: BSL-1.0
/// @file attributes.hpp
/// Attribute columns of ParMETIS's text files, parsed as features.
/// Layer: parmetis. Words: README.md. The format is described in parmetis/files.hpp.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/parmetis/files.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/tensor.hpp>
#include <halograph/serial/text/cursor.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph::detail {

/// The texts of several files, kept open. A *place* is an offset into all of them, end to end.
class kept_texts {
 public:
  struct entry {
    std::string file{};
    file_bytes content{};
    std::uint64_t base = 0;  ///< place of its first byte
    std::string_view text() const noexcept { return as_text(content.bytes); }
  };

  const entry& open(const std::string& file, const any_file_opener& opener) {
    const std::uint64_t base = all_.empty() ? 0 : all_.back().base + all_.back().text().size();
    all_.push_back({file, opener(file), base});
    return all_.back();
  }
  std::size_t size() const noexcept { return all_.size(); }
  const entry& operator[](std::size_t i) const noexcept { return all_[i]; }
  const entry& back() const noexcept { return all_.back(); }

  /// The file that holds a place: the last one that begins at or before it.
  std::size_t file_of(std::uint64_t place) const noexcept {
    const auto after = std::upper_bound(
        all_.begin(), all_.end(), place,
        [](std::uint64_t at, const entry& one) { return at < one.base; });
    return static_cast<std::size_t>(after - all_.begin()) - 1;
  }
  /// File and line of a place.
  location line_of(std::uint64_t place) const {
    const entry& from = all_[file_of(place)];
    return line_at(from.text(), place - from.base, from.file);
  }
  text_cursor cursor_at(std::uint64_t place) const {
    const entry& from = all_[file_of(place)];
    const std::string_view text = from.text();
    return text_cursor(text.data() + (place - from.base), text.data() + text.size(), parmetis_text);
  }

 private:
  std::vector<entry> all_{};
};

/// Parse an attribute as an element of a dtype; on a fault the cursor does not move.
text_fault take_element(text_cursor& cursor, dtype type, std::byte* out) noexcept;

/// The features that the attributes of type t make up.
/// @param described  by the schema, for all types
/// @param asked      the dtype of all, where the user names one
/// @param first      place of the attributes of the type's first row, where it has rows
/// @param guess      out: the dtype is a guess: integers, if all attributes can be read as such
std::vector<parmetis_attribute> attribute_columns(const kept_texts& texts, std::size_t t,
                                                  const std::vector<parmetis_attribute>& described,
                                                  std::optional<dtype> asked,
                                                  std::optional<std::uint64_t> first, bool& guess);

/// Parse the attributes of rows. @param places  where those of each row begin
/// @param may_fail  return nothing, instead of an error, where one is not a number of its dtype
std::vector<tensor> parse_attributes(const kept_texts& texts, std::span<const std::uint64_t> places,
                                     const std::vector<parmetis_attribute>& columns, bool may_fail,
                                     executor_ref executor);

/// @errors unsupported: attributes of a dtype that .npy lacks (guessed dtypes are never among them)
void require_npy_dtypes(const std::vector<parmetis_attribute>& described,
                        std::optional<dtype> asked);

/// The attributes of one type as features.
struct parsed_attributes {
  std::vector<parmetis_attribute> columns{};
  std::vector<tensor> tensors{};  ///< one for each of `columns`
};
/// Parse the attributes of one type's rows. Where nothing names a dtype, it is int64 if all are
/// integers, float64 otherwise.
/// @param first    place of the type's first attributes on any rank, where it has rows
/// @param any_rank  any_rank(bool): is it true on any rank?
/// @errors malformed, out_of_range with file and line: an attribute that its dtype cannot hold, or
///     too few or too many of them; mismatch: the schema describes more than the rows can hold
parsed_attributes attributes_of_type(const kept_texts& texts, std::size_t t,
                                     const std::vector<parmetis_attribute>& described,
                                     std::optional<dtype> asked,
                                     std::span<const std::uint64_t> places,
                                     std::optional<std::uint64_t> first,
                                     function_ref<bool(bool)> any_rank, executor_ref executor);

}  // namespace halograph::detail

#if !HALOGRAPH_COMPILED
#include <halograph/parmetis/impl/attributes.ipp>
#endif
