// SPDX-License-Identifier: BSL-1.0
/// @file options.ipp
/// Bodies of the plain functions of verify/options.hpp.
/// Layer: verify. Words: README.md.
#pragma once

#include <halograph/serial/json.hpp>
#include <halograph/verify/options.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

HALOGRAPH_INLINE json::value to_json(const verification& answer) {
  json::value root{json::object{}}, checks{json::object{}}, findings{json::array{}},
      notes{json::array{}};
  root.set("parts", answer.parts);
  root.set("nodes", answer.nodes);
  root.set("edges", answer.edges);
  for (std::size_t i = 0; i < check_kinds; ++i) {
    json::value check;
    check.set("done", answer.checks[i].done).set("findings", answer.checks[i].findings);
    checks.set(std::string(name(static_cast<check_kind>(i))), std::move(check));
  }
  for (const auto& one : answer.findings) {
    json::value found;
    found.set("check", name(one.check)).set("file", one.file).set("message", one.sentence);
    findings.push(std::move(found));
  }
  for (const auto& one : answer.notes) notes.push(one);
  root.set("checks", std::move(checks));
  root.set("count", answer.count);
  root.set("findings", std::move(findings));
  root.set("notes", std::move(notes));
  return root;
}

}  // namespace halograph
