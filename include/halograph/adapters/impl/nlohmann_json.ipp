// SPDX-License-Identifier: BSL-1.0
/// @file nlohmann_json.ipp
/// Bodies of the plain functions of adapters/nlohmann_json.hpp.
/// Layer: adapters. Words: README.md.
#pragma once

#include <halograph/adapters/nlohmann_json.hpp>
#include <halograph/core/status.hpp>
#include <halograph/serial/json.hpp>

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

namespace detail {

/// Builds a json::value from nlohmann's parse events. Every event returns whether to continue.
class json_builder {
 public:
  json_builder(json::value& root, std::size_t max_depth) : root_(root), max_depth_(max_depth) {}

  bool null() { return put(nullptr) != nullptr; }
  bool boolean(bool b) { return put(b) != nullptr; }
  bool number_integer(std::int64_t i) { return put(i) != nullptr; }
  bool number_unsigned(std::uint64_t u) { return put(u) != nullptr; }
  bool number_float(double d, const std::string&) { return put(d) != nullptr; }
  bool string(std::string& s) { return put(std::move(s)) != nullptr; }
  /// An event of binary formats, which text never raises.
  bool binary(std::vector<std::uint8_t>&) { return false; }
  bool start_object(std::size_t) { return open(json::object{}); }
  bool start_array(std::size_t) { return open(json::array{}); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(std::string& name) {
    key_ = std::move(name);
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) {
    position_ = position == 0 ? 0 : position - 1;  // nlohmann counts the characters read
    return false;
  }

  std::size_t error_position() const noexcept { return position_; }
  bool too_deep() const noexcept { return too_deep_; }

 private:
  json::value* put(json::value v) {
    if (open_.empty()) return &(root_ = std::move(v));
    if (auto* elements = open_.back()->if_array()) return &elements->emplace_back(std::move(v));
    return &open_.back()->if_object()->emplace_back(std::move(key_), std::move(v)).second;
  }
  // A container's address is stable while it is open: its parent grows only after it is closed.
  bool open(json::value container) {
    if (open_.size() == max_depth_) {
      too_deep_ = true;
      return false;
    }
    open_.push_back(put(std::move(container)));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  json::value& root_;
  std::size_t max_depth_;
  std::vector<json::value*> open_{};
  std::string key_{};
  std::size_t position_ = 0;
  bool too_deep_ = false;
};

}  // namespace detail

HALOGRAPH_HOSTED_INLINE status nlohmann_codec::parse(std::string_view text,
                                                     json::value& out) const {
  out = json::value{};
  json::value document;
  detail::json_builder builder(document, max_depth);
  if (nlohmann::json::sax_parse(text.begin(), text.end(), &builder)) {
    out = std::move(document);
    return status::ok;
  }
  return builder.too_deep() ? status::unsupported : status::malformed.at(builder.error_position());
}

}  // namespace halograph
