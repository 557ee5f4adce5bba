// SPDX-License-Identifier: BSL-1.0
// The rules for every header of the library, as functions from file contents to complaints, so that
// the rules themselves can be tested on planted faults.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace structure {

using files = std::map<std::string, std::string>;  // "core/ids.hpp" -> text
using complaints = std::vector<std::string>;
using names = std::set<std::string>;

/// The layers that each layer may include, besides itself.
inline const std::map<std::string, names>& layers() {
  static const names below_serial{"core", "graph",   "schema", "partition",
                                  "halo", "relabel", "book"};
  static const auto with = [](names set, const names& more) {
    set.insert(more.begin(), more.end());
    return set;
  };
  static const auto below_io = with(below_serial, {"serial", "comm", "folder"}),
                    below_pipeline = with(below_io, {"io"}),
                    below_dist = with(below_pipeline,
                                      {"pipeline", "verify", "parmetis", "embedded"});
  static const std::map<std::string, names> allowed{
      {"core", {}},
      {"graph", {"core"}},
      {"schema", {"core"}},
      {"partition", {"core", "graph"}},
      {"halo", {"core", "graph"}},
      {"relabel", {"core", "graph", "schema", "book"}},
      {"book", {"core", "schema"}},
      {"serial", below_serial},
      {"comm", with(below_serial, {"serial"})},
      {"folder", with(below_serial, {"serial", "comm"})},
      {"io", below_io},
      {"pipeline", below_pipeline},
      {"verify", with(below_pipeline, {"pipeline"})},
      {"parmetis", with(below_pipeline, {"pipeline"})},
      {"embedded", below_serial},
      {"dist", below_dist},
      {"testing", with(below_dist, {"dist"})},
      {"adapters", with(below_dist, {"dist"})},
  };
  return allowed;
}

/// What an adapter may include besides the standard library: the library that it is named after.
inline const std::map<std::string, std::string>& adapter_libraries() {
  static const std::map<std::string, std::string> libraries{
      {"metis", "metis[.]h"},
      {"nlohmann_json", "nlohmann/.*"},
      {"boost_graph", "boost/(graph|property_map)/.*"},
      {"boost_interprocess", "boost/interprocess/.*"},
      {"tbb", "(oneapi/)?tbb/.*"},
      {"zlib", "zlib[.]h"},
      {"zstd", "zstd(_errors)?[.]h"},
      {"yaml_cpp", "yaml-cpp/.*"},
      {"mpi", "mpi[.]h"},
      {"ptscotch", "(pt)?scotch[.]h|mpi[.]h"},
      {"parmetis", "parmetis[.]h|mpi[.]h"},
      {"duckdb", "duckdb[.]h"},
  };
  return libraries;
}

/// Standard headers in use. <iostream>, <format>, <random>, <source_location> and <regex> are left
/// out on purpose: the library does not print, builds with GCC 12 and Clang 14, and has its own
/// random numbers.
inline bool is_standard(const std::string& header) {
  static const names allowed{
      "algorithm",    "any",           "array",           "atomic",
      "barrier",      "bit",           "bitset",          "cerrno",
      "cfenv",        "charconv",      "chrono",          "climits",
      "cmath",        "compare",       "concepts",        "condition_variable",
      "cstddef",      "cstdint",       "cstdio",          "cstdlib",
      "cstring",      "deque",         "exception",       "filesystem",
      "fstream",      "functional",    "future",          "initializer_list",
      "iterator",     "latch",         "limits",          "list",
      "map",          "memory",        "memory_resource", "mutex",
      "new",          "numeric",       "optional",        "queue",
      "ranges",       "ratio",         "semaphore",       "set",
      "shared_mutex", "span",          "sstream",         "stack",
      "stdexcept",    "stop_token",    "string",          "string_view",
      "system_error", "thread",        "tuple",           "type_traits",
      "typeinfo",     "unordered_map", "unordered_set",   "utility",
      "variant",      "vector",        "version",         "ctime"};
  return allowed.count(header) != 0;
}

inline bool is_platform(const std::string& header) {
  static const std::regex posix(
      "(fcntl|unistd|dirent|ftw|errno|signal|poll)[.]h|sys/[a-z]+[.]h|linux/fs[.]h");
  return std::regex_match(header, posix);
}

/// The text without comments and without the contents of string literals; line breaks stay.
inline std::string code_of(const std::string& text) {
  std::string out;
  enum { code, line_comment, block_comment, string, character } state = code;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i], next = i + 1 < text.size() ? text[i + 1] : '\0';
    switch (state) {
      case code:
        if (c == '/' && next == '/')
          state = line_comment;
        else if (c == '/' && next == '*')
          state = block_comment;
        else if (c == '"') {
          state = string;
          out += c;
        } else if (c == '\'' &&
                   (out.empty() || !std::isalnum(static_cast<unsigned char>(out.back())))) {
          state = character;
          out += c;
        } else
          out += c;
        break;
      case line_comment:
        if (c == '\n') {
          state = code;
          out += c;
        }
        break;
      case block_comment:
        if (c == '\n') out += c;
        if (c == '*' && next == '/') {
          state = code;
          ++i;
        }
        break;
      case string:
      case character:
        if (c == '\\')
          ++i;
        else if (c == (state == string ? '"' : '\'')) {
          state = code;
          out += c;
        }
        break;
    }
  }
  return out;
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

struct header_name {
  std::string folder, stem, extension;  ///< .hpp, or .ipp: bodies of the header of that stem
  std::string library;  ///< of an adapter: adapters/x.hpp, and its parts adapters/x/*.hpp
  bool is_part = false;
  explicit header_name(const std::string& path) {
    const auto slash = path.find('/');
    folder = slash == std::string::npos ? "" : path.substr(0, slash);
    const auto base = path.substr(path.rfind('/') + 1);  // npos + 1 is 0
    extension = base.ends_with(".ipp") ? ".ipp" : ".hpp";
    stem = base.substr(0, base.find(extension));
    is_part = folder == "adapters" && std::count(path.begin(), path.end(), '/') > 1;
    library = is_part && !path.starts_with("adapters/impl/") ? path.substr(9, path.find('/', 9) - 9)
                                                             : stem;
  }
};

inline std::vector<std::string> own_includes(const std::string& text) {
  static const std::regex own("^#include <halograph/(.*)>.*");
  std::vector<std::string> found;
  std::smatch match;
  for (const auto& line : lines_of(text)) {
    if (std::regex_match(line, match, own)) found.push_back(match[1]);
  }
  return found;
}

inline void check_includes(const std::string& path, const std::string& text, complaints& out) {
  static const std::regex angled("^\\s*#\\s*include\\s*<([^>]*)>.*"),
      quoted("^\\s*#\\s*include\\s*\".*");
  const header_name name(path);
  std::smatch match;
  std::string before;
  for (const auto& line : lines_of(text)) {
    if (line.find("include") == std::string::npos) {
      if (line.rfind("#", 0) == 0) before = line;
      continue;
    }
    if (std::regex_match(line, quoted))
      out.push_back(path + ": include in angle brackets, from the root: " + line);
    if (!std::regex_match(line, match, angled)) continue;
    const std::string header = match[1];
    if (header.rfind("halograph/", 0) == 0) {
      const std::string target = header.substr(10);
      const header_name to(target);
      if (path.starts_with("hosted")) continue;
      if (path == "halograph.hpp") {
        if (to.folder == "adapters" || to.folder == "testing" || target.starts_with("hosted"))
          out.push_back(path + ": includes " + target);
        continue;
      }
      if (to.folder.empty()) {
        out.push_back(path + ": includes the umbrella " + target);
      } else if (to.folder != name.folder && layers().at(name.folder).count(to.folder) == 0) {
        out.push_back(path + ": " + name.folder + " must not include " + to.folder + " (" + target +
                      ")");
      } else if (name.folder == "adapters" && to.folder == "adapters" &&
                 (to.library != name.library || (!to.is_part && name.extension != ".ipp"))) {
        out.push_back(path + ": one adapter includes another, " + target);
      }
    } else if (name.folder == "adapters") {
      const auto library = adapter_libraries().find(name.library);
      if (library == adapter_libraries().end()) {
        out.push_back(path +
                      ": an adapter is named after its library; no library of this name is known");
      } else if (!is_standard(header) && !std::regex_match(header, std::regex(library->second))) {
        out.push_back(path + ": includes <" + header +
                      ">, which is not the library that it is named after");
      }
    } else if (!is_standard(header)) {
      // Files and folders that survive a crash, arrays in files, and the peak of memory, need the
      // platform.
      static const names calls_the_system{
          "serial/files/file",           "serial/files/staged_folder",
          "serial/files/folder_entries", "serial/files/lock",
          "serial/files/scratch",        "serial/files/scratch_folder",
          "serial/resident_memory",      "core/large_pages"};
      std::string of_header = path.substr(0, path.size() - 4);
      if (const auto impl = of_header.find("impl/"); impl != std::string::npos)
        of_header.erase(impl, 5);
      const bool platform = calls_the_system.count(of_header) != 0;
      if (!platform || !is_platform(header)) {
        out.push_back(path + ": includes <" + header + ">; no layer names a foreign library");
      } else if (name.folder == "core" && before != "#if defined(__linux__)") {
        out.push_back(path + ": includes <" + header +
                      "> and must ask for Linux first; core is for programs without a system, too");
      }
    }
  }
}

inline void check_opening(const std::string& path, const std::string& text, complaints& out) {
  const auto lines = lines_of(text);
  const header_name name(path);
  if (lines.empty() || lines[0] != "// SPDX-License-Identifier: BSL-1.0")
    out.push_back(path + ": the first line must be the license");
  if (lines.size() < 2 || lines[1] != "/// @file " + name.stem + name.extension) {
    out.push_back(path + ": the second line must be \"/// @file " + name.stem + name.extension +
                  "\"");
  }
  if (lines.size() < 3 || lines[2].rfind("/// ", 0) != 0 || lines[2].rfind("/// Layer", 0) == 0) {
    out.push_back(path + ": the third line must say what the header holds");
  }
  if (!name.folder.empty()) {
    const bool told = std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
      return line.rfind("/// Layer: " + name.folder, 0) == 0;
    });
    if (!told) out.push_back(path + ": must name its layer, \"/// Layer: " + name.folder + "\"");
  }
  if (text.find("\n#pragma once\n") == std::string::npos)
    out.push_back(path + ": needs #pragma once");
}

inline void check_code(const std::string& path, const std::string& text, complaints& out) {
  struct rule {
    std::regex pattern;
    std::string sentence;
    std::vector<std::string> words;  ///< lines without any of them need no regex
    bool holds(const std::string& line) const {
      return std::none_of(
                 words.begin(), words.end(),
                 [&](const std::string& word) { return line.find(word) != std::string::npos; }) ||
             !std::regex_match(line, pattern);
    }
  };
  static const std::vector<rule> everywhere{
      {std::regex("^\\s*#\\s*(define|undef)\\b.*"), "defines a macro", {"define", "undef"}},
      {std::regex(
           ".*\\bstd::(cout|cerr|clog|wcout|print|println)\\b.*|.*\\b(printf|fprintf|vprintf|puts|fputs|putchar|perror)\\s*\\(.*"),
       "prints",
       {"cout", "cerr", "clog", "print", "puts", "putchar", "perror"}},
      {std::regex(
           ".*\\b(rand|srand|random_device|drand48)\\s*\\(.*|.*\\bstd::(mt19937|uniform_\\w+_distribution)\\b.*"),
       "draws numbers that differ between machines; use core/random.hpp",
       {"rand", "random_device", "mt19937", "_distribution"}},
      {std::regex(
           ".*\\b(std::views|std::ranges::(views|subrange|view_interface)|std::format|std::source_location)\\b.*"),
       "uses what Clang 14 with libstdc++ 12 lacks",
       {"views", "subrange", "view_interface", "std::format", "source_location"}},
      {std::regex(
           "^(static|inline|extern|thread_local)\\s+(?!template\\b|constexpr\\b|const\\b|namespace\\b|consteval\\b)[^()]*[;={].*|.*\\bthread_local\\b.*"),
       "keeps a global",
       {"static", "inline", "extern", "thread_local"}},
      {std::regex(".*\\busing namespace\\b.*"),
       "opens a namespace for its users",
       {"using namespace"}},
      {std::regex(".*\\b(std::abort|std::exit|std::quick_exit|_Exit|abort|exit)\\s*\\(.*"),
       "ends the program",
       {"abort", "xit"}},
  };
  static const std::vector<rule> below_serial{
      {std::regex(".*\\b(throw|catch|dynamic_cast|typeid)\\b.*|.*\\btry\\s*\\{.*"),
       "needs exceptions or type information",
       {"throw", "catch", "dynamic_cast", "typeid", "try"}},
      {std::regex(".*[^_\\w]new\\s+\\w.*|.*\\b(malloc|calloc|realloc)\\s*\\(.*"),
       "allocates by hand",
       {"new", "alloc"}},
  };
  const header_name name(path);
  static const names bare_layers{"core", "graph",   "schema", "partition",
                                 "halo", "relabel", "book",   "embedded"};
  const bool bare = bare_layers.count(name.folder) != 0;
  std::size_t number = 0;
  for (const auto& line : lines_of(code_of(text))) {
    ++number;
    const auto at = path + ", line " + std::to_string(number) + ": ";
    for (const auto& r : everywhere) {
      if (path == "core/version.hpp" && r.sentence == "defines a macro") continue;
      if (path == "core/linkage.hpp" &&
          (r.sentence == "defines a macro" || r.sentence == "keeps a global"))
        continue;
      if (!r.holds(line)) out.push_back(at + r.sentence);
    }
    if (!bare || path == "core/error.hpp" || path == "core/impl/error.ipp") continue;
    for (const auto& r : below_serial) {
      if (!r.holds(line)) out.push_back(at + r.sentence);
    }
  }
}

/// The preprocessor decides only what nothing else can: whether the library of an adapter is
/// installed, whether exceptions are enabled, and which calls the platform has. Options are
/// template parameters.
inline void check_conditions(const std::string& path, const std::string& text, complaints& out) {
  static const std::regex conditional(
      "^\\s*#\\s*(if|ifdef|ifndef|elif|elifdef|elifndef)\\b\\s*(.*)"),
      guard("(!__has_include\\(<[^>]*>\\)( \\|\\| )?)+");
  static const std::map<std::string, names> justified{
      {"core/error.hpp", {"!defined(__cpp_exceptions)", "defined(__cpp_exceptions)"}},
      {"core/impl/error.ipp", {"defined(__cpp_exceptions)"}},
      {"adapters/metis.hpp", {"defined(__cpp_exceptions)"}},
      {"serial/files/file.hpp", {"defined(__linux__)"}},
      {"serial/files/impl/file.ipp", {"defined(__linux__)"}},
      {"core/large_pages.hpp", {"defined(__linux__)", "defined(MADV_HUGEPAGE)"}},
      {"serial/files/staged_folder.hpp", {"defined(__linux__)"}},
      {"serial/files/impl/staged_folder.ipp", {"defined(__linux__)"}},
  };
  const header_name name(path);
  const bool foreign = (name.folder == "adapters" && !name.is_part) || path == "hosted.hpp";
  std::size_t guards = 0, number = 0;
  std::string error;
  static const std::regex splice("[ ]*\\\\\n\\s*");
  const std::string spliced = std::regex_replace(text, splice, " ");
  std::smatch match;
  for (const auto& line : lines_of(spliced)) {
    ++number;
    const auto at = path + ", line " + std::to_string(number) + ": ";
    if (line.rfind("#error \"halograph/" + path + " needs ", 0) == 0) error = line;
    if (line.find('#') == std::string::npos || !std::regex_match(line, match, conditional))
      continue;
    const std::string condition = match[2];
    if (foreign && match[1] == "if" && std::regex_match(condition, guard)) {
      ++guards;
      continue;
    }
    // Bodies in the header or in the compiled library: core/linkage.hpp.
    static const std::regex mode(
        "!?HALOGRAPH_COMPILED(_HOSTED)?|!defined\\(HALOGRAPH_COMPILED(_HOSTED)?\\)");
    if (std::regex_match(condition, mode)) continue;
    const auto known = justified.find(path);
    if (known == justified.end() || known->second.count(condition) == 0)
      out.push_back(at + "asks the preprocessor; options are template parameters");
  }
  if (foreign && (guards != 1 || error.empty())) {
    out.push_back(
        path +
        ": must test for its library once, #if !__has_include(<...>), with #error \"halograph/" +
        path + " needs ...\"");
  }
}

/// The interface of an adapter names no type of its library. (boost_graph.hpp is about Boost's
/// types.)
inline void check_leaks(const std::string& path, const std::string& text, complaints& out) {
  static const std::map<std::string, std::regex> foreign{
      {"metis", std::regex("\\b(idx_t|real_t|METIS_\\w+)\\b")},
      {"nlohmann_json", std::regex("\\bnlohmann::")},
      {"boost_interprocess", std::regex("\\bboost::|\\binterprocess::")},
      {"tbb", std::regex("\\btbb::|\\boneapi::")},
      {"zlib", std::regex("\\b(z_stream|gzFile|gz_header|Bytef|uInt|uLong)\\b")},
      {"zstd", std::regex("\\bZSTD_\\w+")},
      {"duckdb",
       std::regex(
           "\\b(duckdb_(database|connection|result|config|vector|data_chunk|appender|value|logical_type|prepared_statement|state|type|string_t)|idx_t)\\b")},
      {"yaml_cpp", std::regex("\\bYAML::")},
      {"mpi", std::regex("\\bMPI_\\w+")},
      {"ptscotch", std::regex("\\bSCOTCH_\\w+|\\bMPI_\\w+")},
      {"parmetis", std::regex("\\b(idx_t|real_t)\\b|\\b(ParMETIS|METIS|SCOTCH|MPI)_\\w+")},
  };
  const header_name name(path);
  const auto library = foreign.find(name.library);
  if (name.folder != "adapters" || library == foreign.end()) return;
  static const std::regex opens("namespace (\\w+::)*detail\\b.*"),
      closes("\\}  // namespace .*detail\\b.*"), type("(class|struct)\\b.*\\{");
  const auto lines = lines_of(text), code = lines_of(code_of(text));
  bool hidden = false, in_type = false,
       closed = false;  // in a namespace detail, a class, behind private:
  for (std::size_t i = 0; i < code.size(); ++i) {
    const auto& line = code[i];
    if (std::regex_match(line, opens)) hidden = true;
    if (std::regex_match(lines[i], closes)) hidden = false;
    if (std::regex_match(line, type)) in_type = true, closed = line.rfind("class", 0) == 0;
    if (line.rfind("};", 0) == 0) in_type = false;
    if (line.rfind(" private:", 0) == 0) closed = true;
    if (line.rfind(" public:", 0) == 0) closed = false;
    const std::size_t indent = line.find_first_not_of(' ');
    // Functions begin in column 0 and members in column 2; deeper lines are bodies.
    if (hidden || indent == std::string::npos || line[indent] == '#' ||
        !(indent == 0 || (indent == 2 && in_type && !closed)))
      continue;
    if (std::regex_search(line.substr(0, line.find('{')), library->second)) {
      out.push_back(path + ", line " + std::to_string(i + 1) + ": shows a type of its library");
    }
  }
}

/// Includes must not be circular; #pragma once would hide it.
inline void check_circles(const files& headers, complaints& out) {
  std::map<std::string, int> state;  // 1: being visited, 2: done
  const std::function<void(const std::string&)> visit = [&](const std::string& path) {
    state[path] = 1;
    for (const auto& to : own_includes(headers.at(path))) {
      if (headers.count(to) == 0)
        out.push_back(path + ": includes " + to + ", which does not exist");
      else if (to.ends_with(".ipp"))  // bodies, after all declarations
        continue;
      else if (state[to] == 1)
        out.push_back(path + ": includes " + to + ", which includes it");
      else if (state[to] == 0)
        visit(to);
    }
    state[path] = 2;
  };
  for (const auto& [path, text] : headers) {
    if (state[path] == 0) visit(path);
  }
}

/// halograph.hpp includes, through others or itself, every step on a graph of one's own, and
/// nothing that works on files, ranks or finished partitions; hosted.hpp includes the usual
/// adapters.
inline void check_umbrellas(const files& headers, complaints& out) {
  const auto listed = [&](const std::string& path) {
    const auto found = headers.count(path) ? own_includes(headers.at(path))
                                           : std::vector<std::string>{};
    return names(found.begin(), found.end());
  };
  names all;
  std::vector<std::string> next{"halograph.hpp"};
  while (!next.empty()) {
    const std::string path = next.back();
    next.pop_back();
    for (const auto& to : listed(path)) {
      if (all.insert(to).second) next.push_back(to);
    }
  }
  static const std::regex own_header(
      "(comm|parmetis|verify|embedded|dist|testing)/.*|io/(formats|chunked)/.*|pipeline/out_of_core/.*");
  static const names steps{"graph", "schema", "halo", "relabel", "book"};
  for (const auto& path : all) {
    if (std::regex_match(path, own_header))
      out.push_back("halograph.hpp: reaches " + path + ", which has a header of its own");
  }
  for (const auto& [path, text] : headers) {
    if (steps.count(header_name(path).folder) != 0 && path.ends_with(".hpp") &&
        header_name(path).stem != "fwd" && all.count(path) == 0)
      out.push_back("halograph.hpp: must include " + path);
  }
  const auto usual = listed("hosted.hpp");
  for (const auto* header : {"adapters/nlohmann_json.hpp", "adapters/boost_interprocess.hpp"}) {
    if (usual.count(header) == 0) out.push_back("hosted.hpp: must include " + std::string(header));
  }
}

/// Definitions include the forward declarations of their folder, so that the compiler compares
/// them.
inline void check_forwards(const files& headers, complaints& out) {
  static const std::regex declared("\\n(class|struct) (\\w+);");
  for (const auto& [path, text] : headers) {
    if (header_name(path).stem != "fwd") continue;
    const std::string& declaring = path;  // Clang 14 captures no structured binding
    for (auto name = std::sregex_iterator(text.begin(), text.end(), declared);
         name != std::sregex_iterator(); ++name) {
      const std::regex defined("\\n(class|struct) " + (*name)[2].str() + "\\b[^;\\n]*\\{");
      const auto definition = std::find_if(headers.begin(), headers.end(), [&](const auto& header) {
        return header_name(header.first).folder == header_name(declaring).folder &&
               std::regex_search(header.second, defined);
      });
      if (definition == headers.end()) {
        out.push_back(path + ": declares " + (*name)[2].str() +
                      ", which no header of its folder defines");
      } else if (const auto all = own_includes(definition->second);
                 std::find(all.begin(), all.end(), path) == all.end()) {
        out.push_back(definition->first + ": defines " + (*name)[2].str() + " and must include " +
                      path + ", which declares it");
      }
    }
  }
}

/// No header is longer than a reader can keep in mind.
inline void check_length(const std::string& path, const std::string& text, complaints& out) {
  constexpr std::ptrdiff_t most_lines = 600;
  const auto lines = std::count(text.begin(), text.end(), '\n');
  if (lines > most_lines)
    out.push_back(path + ": has " + std::to_string(lines) + " lines, of at most " +
                  std::to_string(most_lines));
}

/// No folder holds more headers than a reader can look through.
inline void check_folders(const files& headers, complaints& out) {
  constexpr std::size_t most_headers = 20;
  std::map<std::string, std::size_t> counts;
  for (const auto& [path, text] : headers) {
    if (path.ends_with(".hpp")) ++counts[path.substr(0, path.rfind('/') + 1)];
  }
  for (const auto& [folder, count] : counts) {
    if (count > most_headers)
      out.push_back(folder + ": holds " + std::to_string(count) + " headers, of at most " +
                    std::to_string(most_headers));
  }
}

/// Everything that is wrong with one header on its own.
inline complaints check(const std::string& path, const std::string& text) {
  complaints out;
  const header_name name(path);
  if (!name.folder.empty() && name.folder != "hosted" && layers().count(name.folder) == 0) {
    out.push_back(path + ": " + name.folder + " is not a layer");
    return out;
  }
  if (name.folder.empty() && path != "halograph.hpp" && path != "hosted.hpp")
    out.push_back(path + ": belongs into the folder of a layer");
  check_opening(path, text, out);
  check_includes(path, text, out);
  check_code(path, text, out);
  check_conditions(path, text, out);
  check_leaks(path, text, out);
  check_length(path, text, out);
  return out;
}

}  // namespace structure
