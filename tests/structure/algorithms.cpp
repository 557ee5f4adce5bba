// SPDX-License-Identifier: BSL-1.0
// A file tests/testing/on_*.cpp runs every public function and class template that takes a model of
// one of our concepts on an archetype; they are found in the headers.
#include "structure/concepts.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

namespace {

std::string content(const std::filesystem::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The names of templates outside the namespaces detail, at the beginning of a line (not members),
/// whose parameters are constrained by one of the concepts.
std::set<std::string> constrained_templates(const std::string& text, const std::regex& concepts) {
  static const std::regex opens("^(inline )?namespace ([\\w:]+) \\{.*"),
      closes("^\\}  // namespace.*"), word("[A-Za-z_]\\w*");
  std::set<std::string> found;
  std::vector<bool> hidden;
  const auto lines = structure::lines_of(structure::code_of(text)), raw = structure::lines_of(text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::smatch match;
    if (std::regex_match(lines[i], match, opens))
      hidden.push_back((!hidden.empty() && hidden.back()) ||
                       match[2].str().find("detail") != std::string::npos);
    if (std::regex_match(raw[i], closes) && !hidden.empty()) hidden.pop_back();
    if (lines[i].rfind("template <", 0) != 0 || hidden.empty() || hidden.back()) continue;
    std::string declaration;  // up to its body
    for (std::size_t j = i; j < lines.size() && j < i + 12; ++j) {
      declaration += lines[j] + " ";
      if (lines[j].find('{') != std::string::npos || (!lines[j].empty() && lines[j].back() == ';'))
        break;
    }
    // After the parameters and the requirements: the declared name.
    std::size_t end = std::string("template ").size();
    for (int depth = 0; end < declaration.size(); ++end) {
      depth += declaration[end] == '<' ? 1 : declaration[end] == '>' ? -1 : 0;
      if (depth == 0) break;
    }
    std::string constraints = declaration.substr(0, end + 1),
                rest = declaration.substr(std::min(end + 1, declaration.size()));
    if (std::regex_search(rest, match, std::regex("^\\s*requires\\b"))) {
      // A requirement is a chain of concept<...>, (...) and !..., joined by && and ||.
      std::size_t at = static_cast<std::size_t>(match.length());
      int depth = 0;
      bool joined = true;
      for (; at < rest.size(); ++at) {
        const char c = rest[at];
        if (c == '<' || c == '(') ++depth;
        if (c == '>' || c == ')') {
          --depth;
          joined = false;
        }
        if (c == '&' || c == '|') joined = true;
        if (depth == 0 && !joined && (std::isalpha(static_cast<unsigned char>(c)) || c == '_'))
          break;
      }
      constraints += rest.substr(0, at);
      rest = rest.substr(at);
    }
    if (!std::regex_search(constraints, concepts)) continue;
    if (std::regex_search(rest, match, std::regex("^\\s*(struct|class) (\\w+)"))) {
      found.insert(match[2]);
    } else if (rest.find("__attribute__") != std::string::npos) {
      continue;  // a sentence for a mistake, never defined
    } else if (std::regex_search(rest, match, std::regex("\\b(\\w+)\\("))) {
      found.insert(match[1]);
    }
  }
  return found;
}

// The concepts of IDs need no archetypes: the integer types are the archetypes, and the suites of
// each layer run over them.
std::regex asked_for() {
  std::string names;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(HALOGRAPH_INCLUDE_DIR "/halograph")) {
    const auto path = std::filesystem::relative(entry.path(), HALOGRAPH_INCLUDE_DIR "/halograph")
                          .generic_string();
    if (entry.path().extension() != ".hpp" || structure::header_name(path).folder == "adapters")
      continue;
    for (const auto& one : structure::public_concepts(path, content(entry.path()))) {
      if (one.name != "id" && one.name != "unsigned_id")
        names += (names.empty() ? "" : "|") + one.name;
    }
  }
  return std::regex("\\b(" + names + ")(<| [A-Z])");
}

TEST(algorithms, each_runs_on_archetypes) {
  const std::regex concepts = asked_for();
  std::string tables;
  for (const auto& entry : std::filesystem::directory_iterator(HALOGRAPH_TESTS_DIR "/testing")) {
    if (entry.path().filename().string().rfind("on_", 0) == 0)
      tables += structure::code_of(content(entry.path()));
  }
  std::size_t count = 0;
  std::string forgotten;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(HALOGRAPH_INCLUDE_DIR "/halograph")) {
    const auto path = std::filesystem::relative(entry.path(), HALOGRAPH_INCLUDE_DIR "/halograph")
                          .generic_string();
    const auto folder = structure::header_name(path).folder;
    if (entry.path().extension() != ".hpp" || folder == "adapters" || folder == "testing" ||
        folder.empty())
      continue;
    for (const auto& name : constrained_templates(content(entry.path()), concepts)) {
      ++count;
      if (!std::regex_search(tables, std::regex("[^\\w]" + name + "\\b")))
        forgotten += path + ": " + name + "\n";
    }
  }
  EXPECT_GT(count, 70u);
  EXPECT_TRUE(forgotten.empty()) << "no tests/testing/on_*.cpp runs these on an archetype:\n"
                                 << forgotten;
}

TEST(algorithms, are_found_in_headers) {
  const std::string text =
      "namespace halograph {\nnamespace detail {\ntemplate <graph G>\nvoid hidden(const G& g) {}\n}  // namespace detail\n"
      "template <id Node, graph G>\n  requires partitioner<P, G>\nvoid first(const G& g) {\n}\n"
      "template <class P,\n          class G>\n  requires(sizeof(P) != 1) && graph<G>\nstruct second {\n};\n"
      "template <class T>\nvoid free_of_concepts(T paragraph) {}\n"
      "template <id Node>\nstruct of_ids {};\n  template <graph G>\n  void member(const G&);\n}  // namespace halograph\n";
  EXPECT_EQ(constrained_templates(text, std::regex("\\b(graph|partitioner)(<| [A-Z])")),
            (std::set<std::string>{"first", "second"}));
}

}  // namespace
