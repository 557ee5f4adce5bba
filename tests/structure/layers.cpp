// SPDX-License-Identifier: BSL-1.0
// Every header of the library follows the rules, and every rule finds planted faults.
#include "structure/rules.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace {

structure::files library() {
  structure::files headers;
  const std::filesystem::path root = HALOGRAPH_INCLUDE_DIR "/halograph";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (entry.path().extension() != ".hpp" && entry.path().extension() != ".ipp") continue;
    std::ifstream in(entry.path());
    headers[std::filesystem::relative(entry.path(), root).generic_string()] = std::string(
        std::istreambuf_iterator<char>(in), {});
  }
  return headers;
}

std::string joined(const structure::complaints& all) {
  std::string out;
  for (const auto& one : all) out += one + "\n";
  return out;
}

const std::string opening =
    "// SPDX-License-Identifier: BSL-1.0\n/// @file x.hpp\n/// Gives x.\n/// Layer: ";

TEST(headers, every_header_follows_the_rules) {
  const auto headers = library();
  EXPECT_GT(headers.size(), 20u);
  structure::complaints all;
  for (const auto& [path, text] : headers) {
    const auto own = structure::check(path, text);
    all.insert(all.end(), own.begin(), own.end());
  }
  EXPECT_TRUE(all.empty()) << joined(all);
}

TEST(headers, a_header_has_at_most_600_lines) {
  const auto header = [](std::size_t lines) {
    return opening + "core\n#pragma once\n" + std::string(lines - 5, '\n');
  };
  EXPECT_TRUE(structure::check("core/x.hpp", header(600)).empty());
  EXPECT_EQ(structure::check("core/x.hpp", header(601)),
            structure::complaints{"core/x.hpp: has 601 lines, of at most 600"});
}

TEST(headers, no_folder_holds_more_than_20_headers) {
  structure::complaints all;
  structure::check_folders(library(), all);
  EXPECT_TRUE(all.empty()) << joined(all);

  structure::files headers;
  for (char c = 'a'; c < 'a' + 20; ++c) {
    headers[std::string("core/") + c + ".hpp"] = "";
    headers[std::string("core/detail/") + c + ".hpp"] = "";
  }
  structure::check_folders(headers, all);
  EXPECT_TRUE(all.empty()) << joined(all);
  headers["core/z.hpp"] = "";
  structure::check_folders(headers, all);
  EXPECT_EQ(all, structure::complaints{"core/: holds 21 headers, of at most 20"});
}

TEST(headers, includes_are_not_circular) {
  structure::complaints all;
  structure::check_circles(library(), all);
  EXPECT_TRUE(all.empty()) << joined(all);
}

TEST(headers, the_umbrellas_include_what_they_should) {
  structure::complaints all;
  structure::check_umbrellas(library(), all);
  EXPECT_TRUE(all.empty()) << joined(all);
}

TEST(headers, definitions_include_their_forward_declarations) {
  structure::complaints all;
  structure::check_forwards(library(), all);
  EXPECT_TRUE(all.empty()) << joined(all);
  structure::check_forwards({{"core/fwd.hpp", "\nclass a;\nstruct b;\nstruct c;\n"},
                             {"core/a.hpp", "#include <halograph/core/fwd.hpp>\nclass a {\n"},
                             {"core/b.hpp", "\nstruct b : a {\n"}},
                            all);
  ASSERT_EQ(all.size(), 2u) << joined(all);
  EXPECT_EQ(all[0], "core/b.hpp: defines b and must include core/fwd.hpp, which declares it");
  EXPECT_EQ(all[1], "core/fwd.hpp: declares c, which no header of its folder defines");
}

struct planted {
  std::string path, body, sentence;
};

TEST(headers, a_planted_fault_is_found) {
  const std::vector<planted> faults{
      {"core/x.hpp", "#include <halograph/graph/coo.hpp>", "core must not include graph"},
      {"graph/x.hpp", "#include <halograph/schema/schema.hpp>", "graph must not include schema"},
      {"halo/x.hpp", "#include <halograph/relabel/relabeling.hpp>",
       "halo must not include relabel"},
      {"partition/x.hpp", "#include <halograph/adapters/metis.hpp>",
       "partition must not include adapters"},
      {"serial/x.hpp", "#include <halograph/io/dataset.hpp>", "serial must not include io"},
      {"serial/x.hpp", "#include <halograph/halograph.hpp>", "includes the umbrella"},
      {"serial/x.hpp", "#include <nlohmann/json.hpp>", "no layer names a foreign library"},
      {"serial/x.hpp", "#include <unistd.h>", "no layer names a foreign library"},
      {"core/x.hpp", "#include <iostream>", "no layer names a foreign library"},
      {"core/x.hpp", "#include \"ids.hpp\"", "angle brackets"},
      {"core/x.hpp", "#define X 1", "defines a macro"},
      {"core/x.hpp", "  # undef X", "defines a macro"},
      {"core/x.hpp", "void f() { std::cout << 1; }", "prints"},
      {"core/x.hpp", "void f() { std::fprintf(stderr, \"x\"); }", "prints"},
      {"core/x.hpp", "int f() { return std::rand (); }", "draws numbers"},
      {"core/x.hpp", "auto f(auto r) { return r | std::views::all; }", "Clang 14"},
      {"core/x.hpp", "inline int counter = 0;", "keeps a global"},
      {"core/x.hpp", "static std::string cache{};", "keeps a global"},
      {"core/x.hpp", "void f() { throw 1; }", "needs exceptions"},
      {"book/x.hpp", "void f() { try { g(); } catch (...) {} }", "needs exceptions"},
      {"halo/x.hpp", "int* f() { return new int[3]; }", "allocates by hand"},
      {"graph/x.hpp", "using namespace std;", "opens a namespace"},
      {"graph/x.hpp", "#ifdef HALOGRAPH_WIDE", "asks the preprocessor"},
      {"serial/x.hpp", "#if defined(__linux__)", "asks the preprocessor"},
      {"core/x.hpp", "# if !__has_include(<zlib.h>)", "asks the preprocessor"},
      {"graph/x.hpp", "void f() { std::abort(); }", "ends the program"},
      {"other/x.hpp", "", "is not a layer"},
      {"x.hpp", "", "belongs into the folder of a layer"},
  };
  for (const auto& fault : faults) {
    const structure::header_name name(fault.path);
    const auto text = opening + name.folder + "\n#pragma once\n" + fault.body + "\n";
    const auto found = structure::check(fault.path, text);
    ASSERT_EQ(found.size(), 1u) << fault.path << ": " << fault.body << "\n" << joined(found);
    EXPECT_NE(found[0].find(fault.sentence), std::string::npos) << found[0];
  }
}

TEST(headers, core_includes_headers_of_the_system_on_linux_only) {
  const std::string path = "core/large_pages.hpp", include = "#include <sys/mman.h>\n";
  structure::complaints all;
  structure::check_includes(path, "#if defined(__linux__)\n" + include + "#endif\n", all);
  EXPECT_TRUE(all.empty()) << joined(all);
  structure::check_includes(path, "#pragma once\n" + include, all);
  ASSERT_EQ(all.size(), 1u) << joined(all);
  EXPECT_NE(all[0].find("<sys/mman.h> and must ask for Linux first"), std::string::npos) << all[0];
}

structure::complaints adapter(const std::string& name, const std::string& body,
                              const std::string& guard = "") {
  const auto header = "adapters/" + name + ".hpp";
  const auto asks = guard.empty() ? "#if !__has_include(<x.h>)\n#error \"halograph/" + header +
                                        " needs x\"\n#else\n"
                                  : guard;
  return structure::check(header, "// SPDX-License-Identifier: BSL-1.0\n/// @file " + name +
                                      ".hpp\n/// Gives x.\n/// Layer: adapters\n#pragma once\n" +
                                      asks + body + "\n#endif\n");
}

TEST(headers, an_adapter_asks_for_its_library_once_and_says_what_it_needs) {
  EXPECT_TRUE(adapter("zlib", "").empty());
  EXPECT_EQ(adapter("zlib", "", "#if 1\n").size(), 2u);
  EXPECT_EQ(adapter("zlib", "", "#if !__has_include(<x.h>)\n#error \"install it\"\n").size(), 1u);
  EXPECT_EQ(adapter("zlib", "#if !__has_include(<y.h>)\n#endif").size(), 1u);
  EXPECT_EQ(adapter("zlib", "#ifdef NO_GZIP\n#endif").size(), 1u);
}

TEST(headers, an_adapter_exposes_no_type_of_its_library) {
  EXPECT_TRUE(
      adapter(
          "metis",
          "namespace halograph {\nnamespace detail {\nidx_t f();\n}  // namespace detail\nstruct metis {\n  int run() const { idx_t n = 0; return n; }\n"
          " private:\n  idx_t hidden() const;\n};\nint g() {\n  return [] {\n    idx_t n = 0;\n  }();\n}\n}")
          .empty());
  EXPECT_EQ(adapter("metis", "struct metis {\n  idx_t parts = 1;\n};").size(), 1u);
  EXPECT_EQ(adapter("metis", "idx_t parts(int);").size(), 1u);
  EXPECT_EQ(adapter("tbb", "struct x {\n  explicit x(tbb::task_arena& arena) {}\n};").size(), 1u);
  EXPECT_EQ(adapter("zlib", "namespace detail {\n}  // namespace detail\nz_stream open();").size(),
            1u);
}

TEST(headers, an_adapter_includes_only_the_library_it_is_named_after) {
  EXPECT_TRUE(adapter("metis", "#include <metis.h>\n#include <halograph/pipeline/x.hpp>").empty());
  EXPECT_EQ(adapter("metis", "#include <zlib.h>").size(), 1u);
  EXPECT_EQ(adapter("metis", "#include <halograph/adapters/zlib.hpp>").size(), 1u);
  EXPECT_FALSE(adapter("unheard_of", "#include <vector>").empty());
}

TEST(headers, a_part_of_an_adapter_belongs_to_it_and_asks_for_nothing) {
  const auto part = [](const std::string& body) {
    return structure::check("adapters/metis/x.hpp",
                            "// SPDX-License-Identifier: BSL-1.0\n/// @file x.hpp\n/// Gives x.\n"
                            "/// Layer: adapters\n#pragma once\n" +
                                body + "\n");
  };
  EXPECT_TRUE(part("#include <metis.h>\n#include <halograph/adapters/metis/y.hpp>").empty());
  EXPECT_TRUE(adapter("metis", "#include <halograph/adapters/metis/x.hpp>").empty());
  EXPECT_EQ(part("#include <zlib.h>").size(), 1u);
  EXPECT_EQ(part("#include <halograph/adapters/metis.hpp>").size(), 1u);
  EXPECT_EQ(part("#include <halograph/adapters/duckdb/session.hpp>").size(), 1u);
  EXPECT_EQ(part("#if !__has_include(<metis.h>)\n#endif").size(), 1u);
  EXPECT_EQ(part("idx_t parts(int);").size(), 1u);
}

TEST(headers, a_header_opens_with_its_license_name_purpose_and_layer) {
  const auto good = opening + "core\n#pragma once\n";
  EXPECT_TRUE(structure::check("core/x.hpp", good).empty());
  for (std::size_t line = 0; line < 5; ++line) {
    auto lines = structure::lines_of(good);
    lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(line));
    std::string text;
    for (const auto& one : lines) text += one + "\n";
    EXPECT_FALSE(structure::check("core/x.hpp", text).empty())
        << "line " << line + 1 << " taken out";
  }
}

TEST(headers, comments_and_strings_are_not_code) {
  EXPECT_TRUE(structure::check("core/x.hpp",
                               opening + "core\n#pragma once\n// throw std::cout\n/* printf( */\n"
                                         "constexpr auto x = \"throw \\\" new int\"; // try {\n"
                                         "constexpr int y = 1'000'000;\n")
                  .empty());
}

TEST(headers, circular_includes_and_missing_headers_are_found) {
  const auto including = [](const std::string& target) {
    return "#include <halograph/" + target + ">\n";
  };
  structure::complaints all;
  structure::check_circles(
      {{"core/a.hpp", including("core/b.hpp")}, {"core/b.hpp", including("core/a.hpp")}}, all);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_NE(all[0].find("which includes it"), std::string::npos);
  all.clear();
  structure::check_circles({{"core/a.hpp", including("core/gone.hpp")}}, all);
  EXPECT_EQ(all.size(), 1u);
}

TEST(headers, a_header_missing_from_an_umbrella_is_found) {
  structure::complaints all;
  structure::check_umbrellas({{"halograph.hpp", "#include <halograph/halo/b.hpp>\n"},
                              {"halo/a.hpp", ""},
                              {"halo/b.hpp", "#include <halograph/halo/impl/b.ipp>\n"},
                              {"halo/impl/b.ipp", "#include <halograph/dist/c.hpp>\n"},
                              {"dist/c.hpp", ""},
                              {"adapters/nlohmann_json.hpp", ""}},
                             all);
  ASSERT_EQ(all.size(), 4u) << joined(all);
  EXPECT_EQ(all[0], "halograph.hpp: reaches dist/c.hpp, which has a header of its own");
  EXPECT_EQ(all[1], "halograph.hpp: must include halo/a.hpp");
  all.clear();
  structure::check_includes("halograph.hpp", "#include <halograph/testing/laws.hpp>\n", all);
  EXPECT_EQ(all, structure::complaints{"halograph.hpp: includes testing/laws.hpp"});
}

}  // namespace
