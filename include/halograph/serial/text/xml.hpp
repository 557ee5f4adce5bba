// SPDX-License-Identifier: BSL-1.0
/// @file xml.hpp
/// Reads an XML document from front to back: tags, attributes and text, one after another.
/// Layer: serial. Words: README.md.
///
/// Nothing is expanded but character references and the five entities of XML itself, nothing is
/// fetched, and nothing calls itself: a document takes no more memory than its text and the names
/// of open elements.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/linkage.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

/// What next() of an xml_reader has found.
enum class xml_event : std::uint8_t {
  start,  ///< of an element: name(), attribute()
  end,    ///< of an element; follows the start of one that is empty, too
  text,   ///< inside an element: text()
  done    ///< the end of the document
};

/// A pull parser for XML 1.0 in UTF-8. Not validating; namespaces are not resolved: names are
/// those behind the colon. Not thread-safe.
/// @source W3C, Extensible Markup Language (XML) 1.0, fifth edition
class xml_reader {
 public:
  static constexpr std::size_t max_depth = 256;  ///< of open elements

  /// @param text  the document; kept by reference   @param file  its name, for errors; the same
  xml_reader(std::string_view text, const std::string& file);

  /// Go on to the next event.
  /// @errors malformed, truncated: not well-formed, with the line; unsupported: deeper than
  ///     max_depth, another encoding than UTF-8, or a document type with declarations of its own
  xml_event next();

  /// The element's name.
  std::string_view name() const noexcept { return name_; }
  /// The value of an attribute as the text has it: to be decoded. @complexity O(attributes)
  std::optional<std::string_view> attribute(std::string_view name) const noexcept;
  /// The value without references. @errors malformed: an unknown or cut reference
  std::string decoded(std::string_view value) const;
  /// Append the text of this event without references. @errors as decoded()
  void append_text(std::string& out) const;
  /// Is the text of this event nothing but blanks?
  bool is_blank() const noexcept;

  /// The line in which a byte of the document is. @complexity O(bytes)
  std::uint64_t line_of(std::size_t byte) const noexcept;
  /// The first byte of this event.
  std::size_t byte() const noexcept { return start_; }
  /// Throw an error at the line of this event.
  [[noreturn]] void fail(error_kind code, std::string sentence) const;

 private:
  bool starts(std::string_view with) const noexcept { return text_.substr(at_).starts_with(with); }
  void skip_blanks() noexcept;
  void skip_behind(std::string_view end, const char* what);
  void skip_document_type();
  std::string_view take_name();
  void check_declaration(std::string_view declaration) const;
  xml_event start_tag();
  xml_event end_tag();
  xml_event close();

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0, start_ = 0;
  std::string_view name_{}, content_{};
  std::vector<std::pair<std::string_view, std::string_view>> attributes_{};
  std::vector<std::string_view> open_{};  // whole names
  bool empty_ = false;                    // the start that was found is an end, too
  bool literal_ = false;                  // the text is in a CDATA section
  bool closed_ = false;                   // the root is complete
};

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/serial/text/impl/xml.ipp>
#endif
