// SPDX-License-Identifier: BSL-1.0
// What every public concept needs, as functions from file contents to complaints: a sentence and a
// near miss for each clause, an archetype, and a case of compile_fail that quotes each sentence.
#pragma once

#include "structure/rules.hpp"

#include <algorithm>
#include <cstddef>
#include <regex>
#include <string>
#include <vector>

namespace structure {

struct concept_definition {
  std::string path, name;  ///< with its namespace below halograph: "generators::generator"
  std::vector<std::string> sentences;  ///< those of unmet<"...">, in order
  bool optional = false;  ///< "/// Optional: ...": an ability that is found, never required
};

/// The public concepts of a header: not those in a namespace detail.
inline std::vector<concept_definition> public_concepts(const std::string& path,
                                                       const std::string& text) {
  static const std::regex opens("^(inline )?namespace ([\\w:]+) \\{.*"),
      closes("^\\}  // namespace.*"), starts("^concept (\\w+).*");
  static const std::regex sentence("unmet<\\s*\"([^\"]*)\">");
  std::vector<concept_definition> found;
  std::vector<std::string> open;
  const auto lines = lines_of(text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::smatch match;
    if (std::regex_match(lines[i], match, opens)) open.push_back(match[2]);
    if (std::regex_match(lines[i], closes) && !open.empty()) open.pop_back();
    if (!std::regex_match(lines[i], match, starts)) continue;
    std::string space;
    bool hidden = open.empty() || open[0].rfind("halograph", 0) != 0;
    for (const auto& name : open) {
      hidden = hidden || name.find("detail") != std::string::npos;
      if (name != "halograph")
        space += (name.rfind("halograph::", 0) == 0 ? name.substr(11) : name) + "::";
    }
    if (hidden) continue;
    concept_definition made{path, space + match[1].str(), {}};
    for (std::size_t j = i; j-- > 0 && (lines[j].rfind("///", 0) == 0 || j + 1 == i);)
      made.optional = made.optional || lines[j].rfind("/// Optional: ", 0) == 0;
    std::string body;  // up to the ';' that ends a line
    for (std::size_t j = i; j < lines.size(); ++j) {
      body += lines[j] + "\n";
      if (!lines[j].empty() && lines[j].back() == ';') break;
    }
    for (std::sregex_iterator one(body.begin(), body.end(), sentence), end; one != end; ++one)
      made.sentences.push_back((*one)[1]);
    found.push_back(std::move(made));
  }
  return found;
}

/// What a case of compile_fail expects.
inline void add_expected(const std::string& text, std::vector<std::regex>& expected) {
  for (const auto& line : lines_of(text)) {
    if (line.rfind("// expect: ", 0) == 0) expected.emplace_back(line.substr(11));
  }
}

/// @param proofs  the text that holds the static_asserts on archetypes and near misses
/// @param expected  what the cases of compile_fail expect
inline void check_concept(const concept_definition& one, const std::string& proofs,
                          const std::vector<std::regex>& expected, complaints& out) {
  const std::string name = "concept " + one.name + " (" + one.path + ")";
  if (one.sentences.empty() != one.optional)
    out.push_back(name + (one.optional ? ": an ability that is optional needs no sentence"
                                       : ": no clause has a sentence, || unmet<\"...\">()"));
  for (const auto& sentence : one.sentences) {
    bool quoted = false;
    for (const auto& one_expected : expected)
      quoted = quoted || std::regex_search(sentence, one_expected);
    if (!quoted)
      out.push_back(name + ": no case of tests/compile_fail expects \"" + sentence + "\"");
  }
  if (header_name(one.path).folder == "adapters")
    return;  // tested in tests/adapters, if the library is installed
  const auto times = [&](const std::string& pattern) {
    const std::regex wanted(pattern);
    return std::distance(std::sregex_iterator(proofs.begin(), proofs.end(), wanted),
                         std::sregex_iterator());
  };
  if (times("[^!]hg::" + one.name + "<[^;]*") == 0)
    out.push_back(name + ": no static_assert shows that an archetype models it");
  const auto misses = times("!hg::" + one.name + "<near_miss::");
  const auto clauses = std::max<std::size_t>(1, one.sentences.size());
  if (misses < static_cast<std::ptrdiff_t>(clauses)) {
    out.push_back(name + ": " + std::to_string(clauses) + " clauses, but " +
                  std::to_string(misses) + " near misses");
  }
}

}  // namespace structure
