// SPDX-License-Identifier: BSL-1.0
/// @file yaml_cpp.hpp
/// Parse YAML with yaml-cpp into the documents that JSON gives: a json_codec of another notation.
/// Layer: adapters (models json_codec of serial/json.hpp). Words: README.md.
#pragma once

#if !__has_include(<yaml-cpp/parser.h>)
#error \
    "halograph/adapters/yaml_cpp.hpp needs yaml-cpp 0.6.3 or newer (Debian: apt install libyaml-cpp-dev)."
#else

#include <halograph/core/status.hpp>
#include <halograph/serial/json.hpp>

#include <yaml-cpp/anchor.h>
#include <yaml-cpp/emitterstyle.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

namespace detail {

/// What a document was refused for; thrown through yaml-cpp, which unwinds.
struct yaml_refusal {
  status why;
};

/// Builds a json::value from yaml-cpp's parse events; nothing is expanded or repeated.
class yaml_builder final : public YAML::EventHandler {
 public:
  /// The largest number of keys in one mapping: each is compared with those before.
  static constexpr std::size_t max_keys = 1000;

  yaml_builder(json::value& root, std::size_t max_depth) : root_(root), max_depth_(max_depth) {}

  static std::uint64_t place(const YAML::Mark& mark) noexcept {
    return static_cast<std::uint64_t>(std::max(mark.pos, 0));
  }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override { put(nullptr, mark); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    throw yaml_refusal{status::unsupported.at(place(mark))};
  }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                const std::string& text) override {
    level* const at = open_.empty() ? nullptr : &open_.back();
    if (at == nullptr || !at->of->is_object() || at->has_key) {
      put(text, mark);
      return;
    }
    if (at->of->if_object()->size() == max_keys)
      throw yaml_refusal{status::unsupported.at(place(mark))};
    if (at->of->find(text) != nullptr) throw yaml_refusal{status::malformed.at(place(mark))};
    at->key = text;
    at->has_key = true;
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    open(json::array{}, mark);
  }
  void OnSequenceEnd() override { open_.pop_back(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    open(json::object{}, mark);
  }
  void OnMapEnd() override { open_.pop_back(); }

 private:
  struct level {
    json::value* of = nullptr;
    std::string key{};
    bool has_key = false;
  };

  json::value* put(json::value v, const YAML::Mark& mark) {
    if (open_.empty()) return &(root_ = std::move(v));
    level& at = open_.back();
    if (auto* elements = at.of->if_array()) return &elements->emplace_back(std::move(v));
    // A key that is no text: null, a list or a mapping.
    if (!at.has_key) throw yaml_refusal{status::unsupported.at(place(mark))};
    at.has_key = false;
    return &at.of->if_object()->emplace_back(std::move(at.key), std::move(v)).second;
  }
  // A container's address is stable while it is open: its parent grows only after it is closed.
  void open(json::value container, const YAML::Mark& mark) {
    if (open_.size() == max_depth_) throw yaml_refusal{status::unsupported.at(place(mark))};
    open_.push_back({put(std::move(container), mark), {}, false});
  }

  json::value& root_;
  std::size_t max_depth_;
  std::vector<level> open_{};
};

/// One document of `text`.
inline status parse_yaml(std::string_view text, std::size_t max_depth, json::value& out) {
  try {
    json::value document, second;
    yaml_builder builder(document, max_depth), next(second, max_depth);
    std::istringstream in{std::string(text)};
    YAML::Parser parser(in);
    static_cast<void>(parser.HandleNextDocument(builder));
    if (parser.HandleNextDocument(next)) return status::malformed.at(text.size());
    out = std::move(document);
    return status::ok;
  } catch (const yaml_refusal& refusal) {
    return refusal.why;
  } catch (const YAML::Exception& problem) {
    return status::malformed.at(
        std::min<std::uint64_t>(yaml_builder::place(problem.mark), text.size()));
  }
}

}  // namespace detail

/// YAML by yaml-cpp, for small documents of other programs. Stateless; thread-safe.
///
/// Scalars stay the text that they are, quoted or not (YAML's failsafe schema), so that a type
/// called `no` or `007` keeps its name: the reader of a document knows what is a number.
struct yaml_cpp_codec {
  /// The largest document, in bytes.
  static constexpr std::size_t max_bytes = std::size_t{1} << 20;
  /// The largest depth of nested containers.
  static constexpr std::size_t max_depth = 32;

  /// @param text  one YAML document in UTF-8
  /// @param out   strings, nulls (nothing, `~`), arrays and objects; left null on failure
  /// @errors malformed at the byte where the text stops being YAML, a key is repeated or a second
  ///     document begins; unsupported at an alias, at a key that is no text, at what is nested
  ///     deeper than max_depth, and where a mapping has more than 1000 keys; overflow: more than
  ///     max_bytes
  /// @complexity O(text.size() * max_depth)
  /// @source YAML 1.2, section 10.1
  status parse(std::string_view text, json::value& out) const {
    out = json::value{};
    if (text.size() > max_bytes) return status::overflow;
    // yaml-cpp takes a NUL for the end of the text.
    if (const auto nul = text.find('\0'); nul != std::string_view::npos)
      return status::malformed.at(nul);
    return detail::parse_yaml(text, max_depth, out);
  }
};
static_assert(json_codec<yaml_cpp_codec>);

}  // namespace halograph

#endif
