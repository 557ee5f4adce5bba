// SPDX-License-Identifier: BSL-1.0
/// @file flag_values.hpp
/// The flags of a subcommand: text, switches, numbers within a range, sizes in bytes, names of
/// graphs. Each value is checked when the command line is read, so that exit code 2 and a sentence
/// with the flag, the value and the range answer a wrong one.
///
/// CLI11 is behind these classes: it is compiled in flag_values.cpp alone. Its
/// own conversions take "-1" for 2^64 - 1, "010" for 8 and "nan" for a number, so that no number is
/// bound without add_number(), add_real(), add_size() or add_tolerance().
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace halograph::cli {

/// Where the help lists what every command takes.
inline constexpr const char* common_section = "All commands";

/// " (did you mean parts?)", or "" where no known word is near.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

/// The most parts, and the most hops, that a flag may ask for.
inline constexpr std::uint64_t most_parts = 2147483647, most_hops = std::uint64_t{1} << 20;
/// The largest tolerance that a flag may ask for.
inline constexpr std::uint64_t most_tolerance = 1000000;

/// One flag, or one word, of a subcommand. Refers to the program's; copies refer to the same one.
class bound_flag {
 public:
  explicit bound_flag(CLI::Option* option) noexcept : option_(option) {}

  bound_flag required() const;
  /// What the help shows in place of the value.
  bound_flag type_name(const std::string& name) const;
  /// The value must be one of these words.
  bound_flag one_of(std::vector<std::string> words) const;
  /// The value must be the name of a graph, which names files, or nothing. @errors as
  /// check_graph_name()
  bound_flag graph_name() const;
  /// Replaces the value before it is checked.
  bound_flag transform(std::function<std::string(const std::string&)> replace) const;
  bound_flag excludes(bound_flag other) const;
  bound_flag needs(bound_flag other) const;
  /// "" leaves it out of the help.
  bound_flag group(const std::string& name) const;

  /// How often it was given. Known after parsing.
  std::size_t count() const;

 private:
  friend class flag_set;
  CLI::Option* option_;
};

/// Where it belongs, a command line, and what it does.
struct command_example {
  const CLI::App* of = nullptr;
  std::string words{}, does{};
};

/// The flags of one subcommand. What they are bound to must outlive the parsing.
///
/// Common flags also get a letter and, where they name the input, need not be written:
/// --input and --in-dir -i, --out -o, --parts -k, --method -m, --threads -j, --quiet -q.
class flag_set {
 public:
  /// @param examples  of all commands, in the order in which they are added
  flag_set(CLI::App& app, std::vector<command_example>& examples) noexcept
      : app_(&app), examples_(&examples) {}

  bound_flag add_option(const std::string& names, std::string& value, const std::string& help);
  /// One that may be given several times.
  bound_flag add_option(const std::string& names, std::vector<std::string>& value,
                        const std::string& help);
  bound_flag add_flag(const std::string& names, bool& value, const std::string& help);
  /// The help shows flags that are added from here on under this heading.
  void section(const std::string& name);
  void footer(const std::string& text);
  /// What the help shows at its end: a command line, and what it does.
  void example(const std::string& words, const std::string& does);
  /// Called when the command line and the file of --config have been read.
  void parse_complete_callback(std::function<void()> then);

  flag_set add_subcommand(const std::string& name, const std::string& summary);
  void require_subcommand();
  /// Was this subcommand chosen?
  bool parsed() const;
  std::string name() const;

  /// add_option() of CLI11 with the letters of common flags.
  template <class Value>
  CLI::Option* add(const std::string& names, Value& value, const std::string& help);

 private:
  CLI::App* app_;
  std::vector<command_example>* examples_;
};

/// One flag, or one word, as the help, the manual page and completion show it.
struct flag_words {
  std::vector<std::string> names{};  ///< "-k", "--parts" and so on; none: a word alone
  std::string word{};                ///< the word by which it may be given without its name, or ""
  std::string value{};               ///< such as "N"; "": a switch
  std::vector<std::string> choices{};  ///< what the value may be; empty: not a list
  std::string help{}, section{};
  bool required = false;
};

/// One command as the help, the manual page and completion show it.
struct command_words {
  std::string name{};  ///< "halograph", "partition", "parmetis export"
  std::string summary{}, section{}, footer{};
  std::vector<flag_words> all_flags{};
  std::vector<command_example> examples{};
  std::vector<command_words> commands{};
};

/// The program's command line, with a flag_set for each subcommand.
class command_line {
 public:
  command_line(const std::string& name, const std::string& summary);
  command_line(const command_line&) = delete;
  command_line& operator=(const command_line&) = delete;
  ~command_line();

  /// The flags that all commands take.
  flag_set common();
  /// @param section  heading under which the program's help lists it
  flag_set add_subcommand(const std::string& name, const std::string& summary,
                          const std::string& section);

  /// What came of reading the words.
  struct outcome {
    bool help = false, version = false;  ///< asked for: nothing else is to be done
    std::string command{};               ///< the innermost subcommand, as "parmetis export"
    std::optional<std::string> wrong{};  ///< what is wrong with the words
  };
  /// Read the words and set what flags are bound to; what they leave out is taken from the file of
  /// --config.
  outcome parse(std::vector<std::string> words);

  /// All that was declared.
  command_words describe() const;

 private:
  std::unique_ptr<CLI::App> app_;
  std::vector<command_example> examples_{};
};

/// Decimal digits and nothing else. @return nothing for any other text, and for 2^64 and more
std::optional<std::uint64_t> whole_number(std::string_view text) noexcept;

/// A finite decimal number. @return nothing for any other text
std::optional<double> finite_number(std::string_view text) noexcept;

/// Bind a flag to a whole number from `least` to `most`; the help shows a range that is narrow.
bound_flag add_number(flag_set& app, const std::string& names, std::uint64_t& value,
                      const std::string& help, std::uint64_t least = 0,
                      std::uint64_t most = ~std::uint64_t{0});
bound_flag add_number(flag_set& app, const std::string& names, std::optional<std::uint64_t>& value,
                      const std::string& help, std::uint64_t least = 0,
                      std::uint64_t most = ~std::uint64_t{0});
bound_flag add_number(flag_set& app, const std::string& names, unsigned& value,
                      const std::string& help, std::uint64_t least = 0, std::uint64_t most = ~0u);

/// Bind a flag to an allowed imbalance: a finite number up to most_tolerance. @param zero  may it
/// be 0?
bound_flag add_tolerance(flag_set& app, const std::string& names, double& value,
                         const std::string& help, bool zero = false);

/// Bind a flag to a finite number from `least` to `most`.
bound_flag add_real(flag_set& app, const std::string& names, double& value, const std::string& help,
                    double least, double most);

/// Bind a flag to a whole number of bytes, perhaps with a unit, such as 4GiB. @param least  the
/// smallest that works
bound_flag add_size(flag_set& app, const std::string& names, std::uint64_t& value,
                    const std::string& help, std::uint64_t least = 1);

/// --memory and --ignore-memory of a command that refuses to start where it needs more.
struct memory_flags {
  std::uint64_t budget = 0;  ///< 0: not given
  bool ignore = false;
  /// Bytes that the run may take. See memory_allowed() of inputs.hpp
  std::uint64_t allowed() const;
  /// Refuse a run that may take more. @param doing  such as "restoring these rows"
  /// @errors memory, naming the file
  void require(std::uint64_t bytes, const std::string& doing, const std::string& file) const;
};

/// Bind them, in a section of their own.
void add_memory(flag_set& app, memory_flags& flags);

}  // namespace halograph::cli
