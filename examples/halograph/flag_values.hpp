// SPDX-License-Identifier: BSL-1.0
/// @file flag_values.hpp
/// The flags of a subcommand: text, switches, numbers within a range, sizes in bytes, names of
/// graphs. Each value is checked when the command line is read, so that exit code 2 and a sentence
/// with the flag, the value and the range answer a wrong one.
///
/// CLI11 is behind these classes: it is compiled in flag_values.cpp alone. Its
/// own conversions take "-1" for 2^64 - 1, "010" for 8 and "nan" for a number, so that no number is
/// bound without add_number(), add_size() or add_tolerance().
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

/// The flags of one subcommand. What they are bound to must outlive the parsing.
class flag_set {
 public:
  explicit flag_set(CLI::App& app) noexcept : app_(&app) {}

  bound_flag add_option(const std::string& names, std::string& value, const std::string& help);
  /// One that may be given several times.
  bound_flag add_option(const std::string& names, std::vector<std::string>& value,
                        const std::string& help);
  bound_flag add_flag(const std::string& names, bool& value, const std::string& help);
  flag_set add_option_group(const std::string& name, const std::string& help);
  void footer(const std::string& text);
  /// Called when the command line has been read.
  void parse_complete_callback(std::function<void()> then);

  flag_set add_subcommand(const std::string& name, const std::string& summary);
  void require_subcommand();
  /// Flags that this subcommand does not know are those of the one above it.
  void fallthrough();
  /// Was this subcommand chosen?
  bool parsed() const;
  std::string name() const;

  CLI::App& app() const noexcept { return *app_; }

 private:
  CLI::App* app_;
};

/// The program's command line, with a flag_set for each subcommand.
class command_line {
 public:
  command_line(const std::string& name, const std::string& summary, const std::string& version);
  command_line(const command_line&) = delete;
  command_line& operator=(const command_line&) = delete;
  ~command_line();

  flag_set add_subcommand(const std::string& name, const std::string& summary);

  /// What came of reading the words.
  struct outcome {
    std::optional<int> exit_code{};  ///< --help or --version was asked for: nothing is left to do
    std::optional<std::string> wrong{};  ///< what is wrong with the words
  };
  /// Read the words and set what flags are bound to. @param print  --help and --version
  outcome parse(std::vector<std::string> words, bool print);

 private:
  std::unique_ptr<CLI::App> app_;
};

/// Decimal digits and nothing else. @return nothing for any other text, and for 2^64 and more
std::optional<std::uint64_t> whole_number(std::string_view text) noexcept;

/// A finite decimal number. @return nothing for any other text
std::optional<double> finite_number(std::string_view text) noexcept;

/// Bind a flag to a whole number from `least` to `most`; the help shows the range.
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

/// Bind a flag to a whole number of bytes, perhaps with a unit, such as 4GiB. @param least  the
/// smallest that works
bound_flag add_size(flag_set& app, const std::string& names, std::uint64_t& value,
                    const std::string& help, std::uint64_t least = 1);

}  // namespace halograph::cli
