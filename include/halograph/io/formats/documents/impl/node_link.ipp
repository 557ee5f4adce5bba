// SPDX-License-Identifier: BSL-1.0
/// @file node_link.ipp
/// Bodies of the plain functions of io/formats/documents/node_link.hpp.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/io/formats/documents/attributed_graph.hpp>
#include <halograph/io/formats/documents/node_link.hpp>
#include <halograph/io/streamed_graph.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/json_members.hpp>
#include <halograph/serial/text/lines.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace halograph::detail {

/// The byte after a string that begins after its quote at `at`.
HALOGRAPH_INLINE std::size_t end_of_string(std::string_view text, std::size_t at) noexcept {
  for (++at; at < text.size() && text[at] != '"'; ++at) at += text[at] == '\\' ? 1u : 0u;
  return at < text.size() ? at + 1 : text.size();
}

HALOGRAPH_INLINE std::size_t after_blanks(std::string_view text, std::size_t at) noexcept {
  at = text.find_first_not_of(" \t\r\n", at);
  return at == std::string_view::npos ? text.size() : at;
}

HALOGRAPH_INLINE node_link_outline::node_link_outline(std::string_view text) noexcept {
  // Bytes on the heap, with what vectors reserve and allocators round up: of each element of a
  // list, member of an object, object or list, and string beyond those that std::string keeps in
  // itself.
  constexpr std::uint64_t of_element = 48, of_member = 112, of_container = 40, of_string = 64;
  std::string_view key;
  std::uint64_t depth = 0;
  const std::size_t start = after_blanks(text, text.starts_with("\xEF\xBB\xBF") ? 3 : 0);
  if (start == text.size() || text[start] != '{') return;
  most_bytes = std::uint64_t{2} * text.size();
  for (std::size_t i = start; i < text.size(); ++i) {
    switch (text[i]) {
      case '"': {
        const std::size_t end = end_of_string(text, i);
        key = text.substr(i + 1, end - i - 1);
        if (key.ends_with('"')) key.remove_suffix(1);
        most_bytes += of_string;
        i = end - 1;
        break;
      }
      case ':': {
        most_bytes += of_member;
        const std::size_t value = after_blanks(text, i + 1);
        if (depth != 1) break;
        auto* const list = key == "nodes"   ? &nodes
                           : key == "links" ? &links
                           : key == "edges" ? &edges
                                            : nullptr;
        if (list != nullptr) *list = value < text.size() && text[value] == '[' ? value : none;
        break;
      }
      case ',':
        most_bytes += of_element;
        break;
      case '{':
      case '[':
        most_bytes += of_container + of_element;
        ++depth;
        break;
      case '}':
      case ']':
        if (--depth == 0) return;
        break;
      default:
        break;
    }
  }
}

HALOGRAPH_INLINE std::size_t byte_of_element(std::string_view text, std::size_t list,
                                             std::uint64_t element) noexcept {
  std::uint64_t depth = 0;
  std::size_t i = list + 1;
  for (; i < text.size() && element != 0; ++i) {
    const char c = text[i];
    if (c == '"') i = end_of_string(text, i) - 1;
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    if (c == ',' && depth == 0) --element;
  }
  return after_blanks(text, i);
}

/// Reads one document.
class node_link_reader {
 public:
  node_link_reader(std::string_view text, const node_link_outline& outline,
                   const json::value& document, const std::string& file, bool features)
      : text_(text), outline_(outline), document_(document), file_(file), features_(features) {}

  attributed_graph read() {
    const bool two = document_.find("links") != nullptr && document_.find("edges") != nullptr;
    if (two) fail("both \"links\" and \"edges\" are given; a node-link document has one of them");
    links_key_ = document_.find("links") != nullptr ? "links" : "edges";
    const auto& nodes = as_array(required_member(document_, "nodes", file_), "nodes", file_);
    const auto& links = as_array(required_member(document_, links_key_, file_), links_key_, file_);
    const json::value* const first = nodes.empty() ? nullptr : nodes[0].find("id");
    attributed_graph out{
        node_keys(first != nullptr && first->is_string() ? key_kind::text : key_kind::integer)};
    for (const auto& node : nodes) {
      add_node(out, node);
      ++element_;
    }
    if (const auto twice = out.keys.sort()) {
      element_ = twice->first;
      fail("the id of node " + std::to_string(twice->first) + " is also the id of node " +
           std::to_string(twice->second) + "; ids must differ");
    }
    in_links_ = true;
    element_ = 0;
    out.edges.reserve(links.size());
    for (const auto& link : links) {
      add_edge(out, link);
      ++element_;
    }
    const json::value* const directed = document_.find("directed");
    if (directed == nullptr) {
      out.notes.push_back(file_ + ": \"directed\" is missing; each edge is taken as undirected");
    } else if (directed->if_bool() == nullptr) {
      raise_kind("directed", "true or false", file_);
    }
    if (directed == nullptr || !*directed->if_bool())
      mirror_edges(out, [](std::size_t) { return true; });
    return out;
  }

 private:
  /// @errors raises malformed, at the byte of the current element
  [[noreturn]] void fail(std::string sentence, error_kind code = error_kind::malformed) const {
    const std::size_t list = !in_links_              ? outline_.nodes
                             : links_key_ == "links" ? outline_.links
                                                     : outline_.edges;
    raise(code, std::move(sentence),
          {.file = file_, .byte = byte_of_element(text_, list, element_)});
  }
  std::string named() const { return (in_links_ ? "edge " : "node ") + std::to_string(element_); }

  const json::object& object(const json::value& element) const {
    const auto* const members = element.if_object();
    if (members == nullptr)
      fail(named() + " is no object; it must be one, such as " +
           (in_links_ ? "{\"source\": 0, \"target\": 1}" : "{\"id\": 0}"));
    return *members;
  }

  const json::value& member(const json::value& element, const char* key) const {
    const json::value* const found = element.find(key);
    if (found == nullptr) fail(named() + " has no \"" + key + "\"");
    return *found;
  }

  void add_node(attributed_graph& out, const json::value& node) {
    const auto& members = object(node);
    const json::value& key = member(node, "id");
    std::int64_t number = 0;
    if (out.keys.kind() == key_kind::text) {
      if (!key.is_string()) fail_kind();
      out.keys.add(std::string_view(*key.if_string()));
    } else {
      if (!key.to_int(number)) fail_kind();
      out.keys.add(number);
    }
    put(out.node_attributes, members, [](std::string_view name) { return name == "id"; });
  }
  [[noreturn]] void fail_kind() const {
    fail("the id of " + named() + " must be " +
         (element_ == 0
              ? "an integer of 64 bits or text"
              : "of the kind of the first: all must be integers of 64 bits, or all text"));
  }

  void add_edge(attributed_graph& out, const json::value& link) {
    const auto& members = object(link);
    const std::uint64_t source = end_of(out.keys, link, "source");
    out.edges.push_back({source, end_of(out.keys, link, "target")});
    put(out.edge_attributes, members, [](std::string_view name) {
      return name == "source" || name == "target" || name == "key";
    });
  }

  std::uint64_t end_of(const node_keys& keys, const json::value& link, const char* which) const {
    const json::value& key = member(link, which);
    std::int64_t number = 0;
    std::optional<std::uint64_t> node;
    if (key.is_string()) {
      node = keys.find(std::string_view(*key.if_string()));
    } else if (key.to_int(number)) {
      node = keys.find(number);
    } else {
      fail("the " + std::string(which) + " of " + named() + " must be the id of a node");
    }
    if (!node) {
      fail("the " + std::string(which) + " of " + named() + " is " +
               (key.is_string() ? graph_schema::quoted(*key.if_string()) : std::to_string(number)) +
               "; no node has this id",
           error_kind::out_of_range);
    }
    return *node;
  }

  template <class Reserved>
  void put(number_columns& columns, const json::object& members, Reserved reserved) const {
    if (!features_) return;
    columns.next_row();
    for (const auto& [name, value] : members) {
      std::int64_t integer = 0;
      double number = 0;
      if (reserved(name)) continue;
      if (value.to_int(integer))
        columns.put(name, integer);
      else if (value.is_number() && value.to_double(number))
        columns.put(name, number);
      else
        columns.put_other(name);
    }
  }

  std::string_view text_;
  const node_link_outline& outline_;
  const json::value& document_;
  const std::string& file_;
  const bool features_;
  std::string_view links_key_{};
  bool in_links_ = false;
  std::uint64_t element_ = 0;
};

}  // namespace halograph::detail

namespace halograph {

HALOGRAPH_INLINE streamed_graph stream_node_link(const std::string& path,
                                                 const any_file_opener& open,
                                                 const any_json_codec& codec,
                                                 const document_options& options) {
  const file_bytes content = open(path);
  const std::string_view text = detail::as_text(content.bytes);
  const detail::node_link_outline outline(text);
  if (outline.most_bytes > options.most_bytes) {
    raise(error_kind::memory,
          "reading this document can take " + std::to_string(outline.most_bytes) +
              " bytes of memory, more than the " + std::to_string(options.most_bytes) +
              " bytes that the budget leaves; increase the budget, or use a format that is read in "
              "blocks, such as an edge list",
          {.file = path});
  }
  json::value document;
  if (const status parsed = codec.parse(text, document); !parsed)
    raise(parsed.code, "this is not valid JSON; parsing fails here", {path, {}, parsed.position});
  detail::node_link_reader reader(text, outline, document, path, options.features);
  return detail::stream_attributed(reader.read(), path, "\"nodes\"", options);
}

}  // namespace halograph
