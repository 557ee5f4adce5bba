// SPDX-License-Identifier: BSL-1.0
/// @file graphml.ipp
/// Bodies of the plain functions of io/formats/documents/graphml.hpp.
/// Layer: io. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/io/formats/documents/attributed_graph.hpp>
#include <halograph/io/formats/documents/graphml.hpp>
#include <halograph/io/streamed_graph.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/text/lines.hpp>
#include <halograph/serial/text/xml.hpp>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace halograph::detail {

/// Text as a number, all of it but blanks around.
template <class Number>
std::optional<Number> graphml_number(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return std::nullopt;
  text = text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
  Number value{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Reads one document.
class graphml_reader {
 public:
  graphml_reader(std::string_view text, const std::string& file, const document_options& options)
      : xml_(text, file), text_(text), file_(file), options_(options) {}

  attributed_graph read() {
    for (xml_event event = xml_.next(); event != xml_event::done; event = xml_.next()) {
      if (event == xml_event::start)
        open();
      else if (event == xml_event::end)
        close();
      else if (within_.back() == place::data || within_.back() == place::value)
        xml_.append_text(value_);
    }
    if (!has_graph_) xml_.fail(error_kind::malformed, "the document holds no graph");
    return finish();
  }

 private:
  /// Which element is open.
  enum class place : std::uint8_t { root, key, value, graph, node, edge, data, other };
  enum class kind : std::uint8_t { integer, floating, other };
  struct key {
    std::string name{};
    kind type = kind::other;
    bool of_nodes = true, of_edges = true;
    std::optional<std::string> value{};  // the default
  };
  struct edge {
    std::string_view ends[2];
    std::size_t byte;
    bool undirected;
  };
  static constexpr std::size_t most_keys = 1000;

  void open() {
    const std::string_view name = xml_.name();
    if (within_.empty()) {
      if (name != "graphml") {
        xml_.fail(error_kind::malformed, "the first element is " + graph_schema::quoted(name) +
                                             "; it must be \"graphml\"");
      }
      return within_.push_back(place::root);
    }
    const place in = within_.back();
    place now = place::other;
    if (in == place::root && name == "key") {
      now = place::key;
      open_key();
    } else if (in == place::key && name == "default") {
      now = place::value;
    } else if (name == "graph" && in != place::other && in != place::data) {
      now = place::graph;
      open_graph(in);
    } else if (in == place::graph && name == "node") {
      now = place::node;
      ids_.push_back(kept(required("id")));
      nodes_.next_row();
    } else if (in == place::graph && name == "edge") {
      now = place::edge;
      open_edge();
    } else if (in == place::graph && name == "hyperedge") {
      xml_.fail(error_kind::unsupported, "hyperedges cannot be read; an edge has two ends");
    } else if ((in == place::node || in == place::edge) && name == "data") {
      now = place::data;
      const std::string id = xml_.decoded(required("key"));
      const auto found = places_.find(id);
      if (found == places_.end()) {
        xml_.fail(error_kind::malformed,
                  "no key " + graph_schema::quoted(id) + " is declared before this data");
      }
      key_ = found->second;
    } else if (in == place::data) {
      plain_ = false;
    }
    if (now == place::data || now == place::value) {
      value_.clear();
      plain_ = true;
    }
    within_.push_back(now);
  }

  void close() {
    const place was = within_.back();
    within_.pop_back();
    if (was == place::value) {
      keys_.back().value = value_;
      if (options_.features && keys_.back().type != kind::other) check(keys_.back(), value_);
    } else if (was == place::data && options_.features) {
      put(within_.back() == place::node ? nodes_ : edges_, keys_[key_],
          plain_ ? std::string_view(value_) : std::string_view(), plain_);
    } else if ((was == place::node || was == place::edge) && options_.features) {
      number_columns& columns = was == place::node ? nodes_ : edges_;
      for (const auto& one : keys_) {
        if (one.value && one.type != kind::other &&
            (was == place::node ? one.of_nodes : one.of_edges) && !columns.has(one.name))
          put(columns, one, *one.value, true);
      }
    }
  }

  /// An attribute that must be there. @errors raises malformed
  std::string_view required(const char* attribute) const {
    const auto found = xml_.attribute(attribute);
    if (!found) {
      xml_.fail(error_kind::malformed, "element " + graph_schema::quoted(xml_.name()) +
                                           " has no attribute \"" + attribute + "\"");
    }
    return *found;
  }

  /// A value without references, which lives as long as the document.
  std::string_view kept(std::string_view value) {
    return value.find('&') == std::string_view::npos ? value
                                                     : decoded_.emplace_back(xml_.decoded(value));
  }

  void open_key() {
    if (keys_.size() == most_keys) {
      xml_.fail(error_kind::unsupported,
                "more than " + std::to_string(most_keys) + " keys are declared");
    }
    const std::string id = xml_.decoded(required("id"));
    if (!places_.emplace(id, keys_.size()).second)
      xml_.fail(error_kind::malformed, "key " + graph_schema::quoted(id) + " is declared twice");
    key& one = keys_.emplace_back();
    one.name = xml_.decoded(xml_.attribute("attr.name").value_or(id));
    const std::string_view of = xml_.attribute("for").value_or("all"),
                           type = xml_.attribute("attr.type").value_or("string");
    one.of_nodes = of == "node" || of == "all";
    one.of_edges = of == "edge" || of == "all";
    one.type = type == "int" || type == "long"       ? kind::integer
               : type == "float" || type == "double" ? kind::floating
                                                     : kind::other;
  }

  void open_graph(place in) {
    if (in != place::root)
      xml_.fail(error_kind::unsupported, "graphs within a graph cannot be read");
    if (has_graph_) {
      xml_.fail(error_kind::unsupported, "the document holds several graphs; it must hold one");
    }
    has_graph_ = true;
    undirected_ = is_undirected(required("edgedefault"), "undirected", "directed", "edgedefault");
    require_memory();
  }

  bool is_undirected(std::string_view value, const char* yes, const char* no, const char* what) {
    if (value != yes && value != no) {
      xml_.fail(error_kind::malformed, std::string("\"") + what + "\" is " +
                                           graph_schema::quoted(value) + "; it must be " + no +
                                           " or " + yes);
    }
    return value == yes;
  }

  /// @errors raises memory
  void require_memory() const {
    // Of each start tag, with what vectors reserve: an ID or a pair of them with its place, an
    // edge, and values.
    constexpr std::uint64_t of_element = 192, of_value = 24;
    std::uint64_t elements = 0, defaults = 0;
    for (std::size_t at = text_.find('<'); at < text_.size(); at = text_.find('<', at + 1))
      elements += text_.substr(at, 2) == "</" ? 0u : 1u;
    for (const auto& one : keys_) defaults += one.value ? 1u : 0u;
    const std::uint64_t bytes = elements * (of_element + of_value * defaults);
    if (bytes <= options_.most_bytes) return;
    raise(error_kind::memory,
          "reading this document can take " + std::to_string(bytes) +
              " bytes of memory, more than the " + std::to_string(options_.most_bytes) +
              " bytes that the budget leaves; increase the budget, or use a format that is read in "
              "blocks, such as an edge list",
          {.file = file_, .line = {}, .byte = {}});
  }

  void open_edge() {
    bool undirected = undirected_;
    if (const auto given = xml_.attribute("directed"))
      undirected = is_undirected(*given, "false", "true", "directed");
    pending_.push_back(
        {{kept(required("source")), kept(required("target"))}, xml_.byte(), undirected});
    edges_.next_row();
  }

  /// @errors raises malformed: the value is not of the key's type
  void check(const key& one, std::string_view value) const {
    if (one.type == kind::integer ? graphml_number<std::int64_t>(value).has_value()
                                  : graphml_number<double>(value).has_value())
      return;
    xml_.fail(error_kind::malformed,
              "the value of " + graph_schema::quoted(one.name) + " is " +
                  graph_schema::quoted(value.substr(0, 80)) + "; by its key it must be " +
                  (one.type == kind::integer ? "an integer of 64 bits" : "a number"));
  }

  void put(number_columns& columns, const key& one, std::string_view value, bool plain) const {
    if (one.type == kind::other || !plain) return columns.put_other(one.name);
    check(one, value);
    if (one.type == kind::integer)
      columns.put(one.name, *graphml_number<std::int64_t>(value));
    else
      columns.put(one.name, *graphml_number<double>(value));
  }

  /// The IDs as keys: integers where all of them are written as such.
  node_keys keys_of_nodes() const {
    node_keys numbers(key_kind::integer);
    for (const auto id : ids_) {
      const auto number = graphml_number<std::int64_t>(id);
      if (!number || std::to_string(*number) != id) {
        node_keys texts(key_kind::text);
        for (const auto text : ids_) texts.add(text);
        return texts;
      }
      numbers.add(*number);
    }
    return numbers;
  }

  attributed_graph finish() {
    attributed_graph out{keys_of_nodes()};
    if (const auto twice = out.keys.sort()) {
      raise(error_kind::malformed,
            "the id " + graph_schema::quoted(ids_[twice->first]) + " of node " +
                std::to_string(twice->first) + " is also that of node " +
                std::to_string(twice->second) + "; ids must differ",
            {.file = file_, .line = {}, .byte = {}});
    }
    out.edges.reserve(pending_.size());
    for (const auto& one : pending_) {
      const std::uint64_t source = node_of(out.keys, one, 0);
      out.edges.push_back({source, node_of(out.keys, one, 1)});
    }
    out.node_attributes = std::move(nodes_);
    out.edge_attributes = std::move(edges_);
    mirror_edges(out, [&](std::size_t i) { return pending_[i].undirected; });
    return out;
  }

  std::uint64_t node_of(const node_keys& keys, const edge& one, int end) const {
    const std::string_view id = one.ends[end];
    std::optional<std::uint64_t> found;
    if (keys.kind() == key_kind::text) {
      found = keys.find(id);
    } else if (const auto number = graphml_number<std::int64_t>(id);
               number && std::to_string(*number) == id) {
      found = keys.find(*number);
    }
    if (!found) {
      raise(error_kind::out_of_range,
            std::string(end == 0 ? "the source" : "the target") + " of an edge is " +
                graph_schema::quoted(id) + "; no node has this id",
            {.file = file_, .line = xml_.line_of(one.byte), .byte = {}});
    }
    return *found;
  }

  xml_reader xml_;
  std::string_view text_;
  const std::string& file_;
  const document_options& options_;
  std::vector<place> within_{};
  std::vector<key> keys_{};
  std::map<std::string, std::size_t, std::less<>> places_{};  // of keys by id
  std::vector<std::string_view> ids_{};
  std::vector<edge> pending_{};
  std::deque<std::string> decoded_{};
  number_columns nodes_{}, edges_{};
  std::string value_{};  // of the open data or default
  std::size_t key_ = 0;  // of the open data
  bool plain_ = true;    // the open data has no elements
  bool has_graph_ = false, undirected_ = false;
};

}  // namespace halograph::detail

namespace halograph {

HALOGRAPH_INLINE bool is_graphml(std::string_view text) noexcept {
  text = text.substr(0, std::size_t{1} << 12);
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || text[first] != '<') return false;
  for (std::size_t at = text.find("graphml"); at != std::string_view::npos;
       at = text.find("graphml", at + 1)) {
    if (text[at - 1] == '<') return true;
    const std::size_t tag = text.rfind('<', at);
    if (text[at - 1] == ':' &&
        text.substr(tag, at - tag).find_first_of(" \t\r\n\">!?") == std::string_view::npos)
      return true;
  }
  return false;
}

HALOGRAPH_INLINE streamed_graph stream_graphml(const std::string& path, const any_file_opener& open,
                                               const document_options& options) {
  const file_bytes content = open(path);
  detail::graphml_reader reader(detail::as_text(content.bytes), path, options);
  return detail::stream_attributed(reader.read(), path, "the document", options);
}

}  // namespace halograph
