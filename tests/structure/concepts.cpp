// SPDX-License-Identifier: BSL-1.0
// Every public concept has archetypes, near misses and cases of compile_fail.
#include "structure/concepts.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace {

std::string content(const std::filesystem::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<structure::concept_definition> library() {
  std::vector<structure::concept_definition> all;
  const std::filesystem::path root = HALOGRAPH_INCLUDE_DIR "/halograph";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (entry.path().extension() != ".hpp") continue;
    const auto own = structure::public_concepts(
        std::filesystem::relative(entry.path(), root).generic_string(), content(entry.path()));
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

TEST(concepts, each_has_sentences_an_archetype_near_misses_and_refusals) {
  const auto all = library();
  EXPECT_GT(all.size(), 30u);
  std::vector<std::regex> expected;
  for (const auto& entry :
       std::filesystem::directory_iterator(HALOGRAPH_TESTS_DIR "/compile_fail")) {
    if (entry.path().extension() == ".cpp")
      structure::add_expected(content(entry.path()), expected);
  }
  const std::string proofs = content(HALOGRAPH_TESTS_DIR "/testing/archetypes.cpp");
  structure::complaints complaints;
  for (const auto& one : all) structure::check_concept(one, proofs, expected, complaints);
  std::string joined;
  for (const auto& one : complaints) joined += one + "\n";
  EXPECT_TRUE(complaints.empty()) << joined;
}

const std::string header =
    "namespace halograph {\nnamespace detail {\ntemplate <class T>\nconcept hidden = true;\n}  // namespace detail\n"
    "template <class T>\nconcept shown =\n    (detail::hidden<T> || unmet<\"shown: needs a(int)\">()) &&\n"
    "    (detail::hidden<T> || unmet<\"shown: needs b\">());\n}  // namespace halograph\n"
    "namespace halograph::inner {\ntemplate <class T>\nconcept bare = true;\n}  // namespace halograph::inner\n";
const std::string proofs =
    "static_assert(hg::shown<archetype::x>);\nstatic_assert(!hg::shown<near_miss::y> && !hg::shown<near_miss::z>);\n";
const std::string refusal = "// expect: shown: needs a\\(int\\)\n// expect: needs b\n";

TEST(concepts, are_found_in_headers_with_their_sentences) {
  const auto found = structure::public_concepts("core/x.hpp", header);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].name, "shown");
  EXPECT_EQ(found[0].sentences,
            (std::vector<std::string>{"shown: needs a(int)", "shown: needs b"}));
  EXPECT_EQ(found[1].name, "inner::bare");
  EXPECT_TRUE(found[1].sentences.empty());
}

TEST(concepts, what_is_missing_is_named) {
  const auto shown = structure::public_concepts("core/x.hpp", header)[0],
             bare = structure::public_concepts("core/x.hpp", header)[1];
  const auto of = [](const auto& one, const std::string& asserts,
                     const std::vector<std::string>& cases) {
    std::vector<std::regex> expected;
    for (const auto& text : cases) structure::add_expected(text, expected);
    structure::complaints out;
    structure::check_concept(one, asserts, expected, out);
    return out;
  };
  EXPECT_TRUE(of(shown, proofs, {"", refusal}).empty());
  EXPECT_EQ(of(shown, proofs, {"// expect: needs b\n"}).size(), 1u);
  EXPECT_EQ(
      of(shown, "static_assert(!hg::shown<near_miss::y> && !hg::shown<near_miss::z>);", {refusal})
          .size(),
      1u);
  EXPECT_EQ(
      of(shown, "static_assert(hg::shown<archetype::x> && !hg::shown<near_miss::y>);", {refusal})
          .size(),
      1u);
  EXPECT_FALSE(of(bare, proofs, {refusal}).empty());
  auto asked = bare;
  asked.optional = true;
  const std::string once = "static_assert(hg::inner::bare<archetype::x>);\n",
                    miss = "static_assert(!hg::inner::bare<near_miss::x>);\n";
  EXPECT_TRUE(of(asked, once + miss, {}).empty());
  EXPECT_EQ(of(asked, once, {}).size(), 1u);
  asked = shown;
  asked.optional = true;
  EXPECT_EQ(of(asked, proofs, {refusal}).size(), 1u);
}

}  // namespace
