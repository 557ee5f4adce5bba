// SPDX-License-Identifier: BSL-1.0
/// @file xml.ipp
/// Bodies of the plain functions of serial/text/xml.hpp.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/text/lines.hpp>
#include <halograph/serial/text/xml.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace halograph {

namespace detail {

inline constexpr std::string_view xml_blanks = " \t\r\n";

/// A name without the prefix of its namespace.
HALOGRAPH_INLINE std::string_view local_name(std::string_view name) noexcept {
  return name.substr(name.rfind(':') + 1);
}

HALOGRAPH_INLINE void append_utf8(std::string& out, std::uint32_t value) {
  const auto put = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (value < 0x80) return put(value);
  if (value < 0x800) {
    put(0xC0 | value >> 6);
  } else {
    if (value < 0x10000) {
      put(0xE0 | value >> 12);
    } else {
      put(0xF0 | value >> 18);
      put(0x80 | (value >> 12 & 0x3F));
    }
    put(0x80 | (value >> 6 & 0x3F));
  }
  put(0x80 | (value & 0x3F));
}

/// What a reference means, "#65" or "amp". @return false: nothing
HALOGRAPH_INLINE bool append_reference(std::string& out, std::string_view name) {
  constexpr std::pair<std::string_view, char> entities[] = {
      {"lt", '<'}, {"gt", '>'}, {"amp", '&'}, {"apos", '\''}, {"quot", '"'}};
  for (const auto& [entity, character] : entities) {
    if (entity != name) continue;
    out += character;
    return true;
  }
  if (!name.starts_with('#')) return false;
  name.remove_prefix(1);
  const bool hex = name.starts_with('x');
  if (hex) name.remove_prefix(1);
  std::uint32_t value = 0;
  const auto [end, problem] = std::from_chars(name.data(), name.data() + name.size(), value,
                                              hex ? 16 : 10);
  if (problem != std::errc{} || end != name.data() + name.size() || value == 0 ||
      value > 0x10FFFF || (value >= 0xD800 && value < 0xE000))
    return false;
  append_utf8(out, value);
  return true;
}

}  // namespace detail

HALOGRAPH_INLINE xml_reader::xml_reader(std::string_view text, const std::string& file)
    : text_(text), file_(file) {
  if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
}

HALOGRAPH_INLINE std::uint64_t xml_reader::line_of(std::size_t byte) const noexcept {
  return 1 + detail::count_line_ends(text_.data(), text_.data() + std::min(byte, text_.size()));
}

HALOGRAPH_INLINE void xml_reader::fail(error_kind code, std::string sentence) const {
  raise(code, std::move(sentence), {.file = file_, .line = line_of(start_), .byte = {}});
}

HALOGRAPH_INLINE void xml_reader::skip_blanks() noexcept {
  at_ = std::min(text_.find_first_not_of(detail::xml_blanks, at_), text_.size());
}

HALOGRAPH_INLINE void xml_reader::skip_behind(std::string_view end, const char* what) {
  const std::size_t found = text_.find(end, at_);
  if (found == std::string_view::npos)
    fail(error_kind::truncated, std::string(what) + " begins here and does not end");
  at_ = found + end.size();
}

HALOGRAPH_INLINE void xml_reader::skip_document_type() {
  for (; at_ < text_.size() && text_[at_] != '>'; ++at_) {
    const char c = text_[at_];
    if (c == '[') {
      fail(error_kind::unsupported,
           "the document type has declarations of its own, which are not read; remove them");
    }
    if (c != '"' && c != '\'') continue;
    at_ = std::min(text_.find(c, at_ + 1), text_.size() - 1);
  }
  skip_behind(">", "a document type");
}

HALOGRAPH_INLINE void xml_reader::check_declaration(std::string_view declaration) const {
  const std::size_t at = declaration.find("encoding");
  if (at == std::string_view::npos) return;
  const std::size_t open = declaration.find_first_of("\"'", at);
  if (open == std::string_view::npos) return;
  std::string encoding(
      declaration.substr(open + 1, declaration.find(declaration[open], open + 1) - open - 1));
  for (char& c : encoding) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (encoding != "utf-8" && encoding != "us-ascii" && encoding != "ascii") {
    fail(error_kind::unsupported,
         "the encoding is " + graph_schema::quoted(encoding) + "; it must be UTF-8");
  }
}

HALOGRAPH_INLINE std::string_view xml_reader::take_name() {
  const std::size_t end = std::min(text_.find_first_of(" \t\r\n/>=<\"'&", at_), text_.size());
  const std::string_view name = text_.substr(at_, end - at_);
  if (name.empty())
    fail(error_kind::malformed, "a tag must have a name, and attributes such as x=\"1\"");
  at_ = end;
  return name;
}

HALOGRAPH_INLINE xml_event xml_reader::next() {
  if (empty_) {
    empty_ = false;
    return close();
  }
  for (;;) {
    start_ = at_;
    if (at_ == text_.size()) {
      if (!open_.empty())
        fail(error_kind::truncated,
             "the document ends within the element " + graph_schema::quoted(open_.back()));
      if (!closed_) fail(error_kind::truncated, "the document holds no element");
      return xml_event::done;
    }
    if (starts("<!--")) {
      at_ += 4;
      skip_behind("-->", "a comment");
    } else if (starts("<?")) {
      skip_behind("?>", "an instruction");
      const auto declaration = text_.substr(start_, at_ - start_);
      if (declaration.starts_with("<?xml ")) check_declaration(declaration);
    } else if (starts("<![CDATA[") && !open_.empty()) {
      at_ += 9;
      skip_behind("]]>", "a CDATA section");
      content_ = text_.substr(start_ + 9, at_ - start_ - 12);
      literal_ = true;
      return xml_event::text;
    } else if (starts("<!DOCTYPE") && open_.empty() && !closed_) {
      skip_document_type();
    } else if (starts("<!")) {
      fail(error_kind::malformed,
           "<! must begin a comment, a document type before the first element, or a CDATA section "
           "within an element");
    } else if (starts("</")) {
      return end_tag();
    } else if (starts("<")) {
      return start_tag();
    } else {
      at_ = std::min(text_.find('<', at_), text_.size());
      content_ = text_.substr(start_, at_ - start_);
      literal_ = false;
      if (!open_.empty()) return xml_event::text;
      if (!is_blank()) fail(error_kind::malformed, "text is found outside all elements");
    }
  }
}

HALOGRAPH_INLINE xml_event xml_reader::start_tag() {
  if (closed_) fail(error_kind::malformed, "another element follows the first; a document has one");
  if (open_.size() == max_depth) {
    fail(error_kind::unsupported,
         "elements are nested deeper than " + std::to_string(max_depth) + " levels");
  }
  ++at_;
  attributes_.clear();
  open_.push_back(take_name());
  name_ = detail::local_name(open_.back());
  const auto unfinished = [&] {
    fail(error_kind::truncated, "the tag " + graph_schema::quoted(name_) + " does not end");
  };
  for (;;) {
    skip_blanks();
    if (at_ == text_.size()) unfinished();
    if (text_[at_] == '>') {
      ++at_;
      return xml_event::start;
    }
    if (starts("/>")) {
      at_ += 2;
      empty_ = true;
      return xml_event::start;
    }
    const std::string_view key = take_name();
    skip_blanks();
    if (at_ == text_.size()) unfinished();
    const bool assigned = text_[at_] == '=';
    if (assigned) {
      ++at_;
      skip_blanks();
      if (at_ == text_.size()) unfinished();
    }
    const char quote = text_[at_];
    if (!assigned || (quote != '"' && quote != '\'')) {
      fail(error_kind::malformed,
           "attribute " + graph_schema::quoted(key) + " must have a value in quotes");
    }
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) unfinished();
    const std::string_view value = text_.substr(at_ + 1, end - at_ - 1);
    if (value.find('<') != std::string_view::npos) {
      fail(error_kind::malformed, "the value of attribute " + graph_schema::quoted(key) +
                                      " contains <; it must be written as &lt;");
    }
    attributes_.emplace_back(key, value);
    at_ = end + 1;
  }
}

HALOGRAPH_INLINE xml_event xml_reader::end_tag() {
  at_ += 2;
  const std::string_view name = take_name();
  skip_blanks();
  if (!starts(">"))
    fail(at_ == text_.size() ? error_kind::truncated : error_kind::malformed,
         "the end tag " + graph_schema::quoted(name) + " must close with >");
  ++at_;
  if (open_.empty() || open_.back() != name) {
    fail(error_kind::malformed,
         "the end tag " + graph_schema::quoted(name) +
             (open_.empty() ? " closes no element"
                            : " must close " + graph_schema::quoted(open_.back())));
  }
  return close();
}

HALOGRAPH_INLINE xml_event xml_reader::close() {
  name_ = detail::local_name(open_.back());
  open_.pop_back();
  closed_ = open_.empty();
  return xml_event::end;
}

HALOGRAPH_INLINE std::optional<std::string_view> xml_reader::attribute(
    std::string_view name) const noexcept {
  for (const auto& [key, value] : attributes_) {
    if (key == name) return value;
  }
  return std::nullopt;
}

HALOGRAPH_INLINE std::string xml_reader::decoded(std::string_view value) const {
  std::string out;
  while (!value.empty()) {
    const std::size_t plain = std::min(value.find('&'), value.size());
    out += value.substr(0, plain);
    value.remove_prefix(plain);
    if (value.empty()) break;
    const std::size_t end = value.find(';');
    // The longest is &#x10FFFF; a reference that does not end is not searched for to the end.
    if (end == std::string_view::npos || end > 32 ||
        !detail::append_reference(out, value.substr(1, end - 1))) {
      fail(error_kind::malformed,
           "the reference " +
               graph_schema::quoted(value.substr(0, std::min<std::size_t>(end, 32))) +
               " is unknown; only &lt; &gt; &amp; &apos; &quot; and character references are read");
    }
    value.remove_prefix(end + 1);
  }
  return out;
}

HALOGRAPH_INLINE void xml_reader::append_text(std::string& out) const {
  if (literal_)
    out += content_;
  else
    out += decoded(content_);
}

HALOGRAPH_INLINE bool xml_reader::is_blank() const noexcept {
  return content_.find_first_not_of(detail::xml_blanks) == std::string_view::npos;
}

}  // namespace halograph
