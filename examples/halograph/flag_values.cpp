// SPDX-License-Identifier: BSL-1.0
#include "flag_values.hpp"

#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/schema/schema.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>
#include <utility>

namespace halograph::cli {

bound_flag bound_flag::required() const {
  option_->required();
  return *this;
}
bound_flag bound_flag::type_name(const std::string& name) const {
  option_->type_name(name);
  return *this;
}
bound_flag bound_flag::one_of(std::vector<std::string> words) const {
  option_->check(CLI::IsMember(std::move(words)));
  return *this;
}
bound_flag bound_flag::graph_name() const {
  option_->check(CLI::Validator(
      [](std::string& text) -> std::string {
        if (text.empty()) return {};  // as if it were not given
        try {
          static_cast<void>(check_graph_name(text));
          return {};
        } catch (const error& problem) {
          return problem.message();
        }
      },
      "NAME"));
  return *this;
}
bound_flag bound_flag::transform(std::function<std::string(const std::string&)> replace) const {
  option_->transform(
      [replace = std::move(replace)](const std::string& text) { return replace(text); }, "");
  return *this;
}
bound_flag bound_flag::excludes(bound_flag other) const {
  option_->excludes(other.option_);
  return *this;
}
bound_flag bound_flag::needs(bound_flag other) const {
  option_->needs(other.option_);
  return *this;
}
bound_flag bound_flag::group(const std::string& name) const {
  option_->group(name);
  return *this;
}
std::size_t bound_flag::count() const { return option_->count(); }

bound_flag flag_set::add_option(const std::string& names, std::string& value,
                                const std::string& help) {
  return bound_flag(app_->add_option(names, value, help));
}
bound_flag flag_set::add_option(const std::string& names, std::vector<std::string>& value,
                                const std::string& help) {
  return bound_flag(app_->add_option(names, value, help));
}
bound_flag flag_set::add_flag(const std::string& names, bool& value, const std::string& help) {
  return bound_flag(app_->add_flag(names, value, help));
}
flag_set flag_set::add_option_group(const std::string& name, const std::string& help) {
  return flag_set(*app_->add_option_group(name, help));
}
void flag_set::footer(const std::string& text) { app_->footer(text); }
void flag_set::parse_complete_callback(std::function<void()> then) {
  app_->parse_complete_callback(std::move(then));
}
flag_set flag_set::add_subcommand(const std::string& name, const std::string& summary) {
  return flag_set(*app_->add_subcommand(name, summary));
}
void flag_set::require_subcommand() { app_->require_subcommand(1); }
void flag_set::fallthrough() { app_->fallthrough(); }
bool flag_set::parsed() const { return app_->parsed(); }
std::string flag_set::name() const { return app_->get_name(); }

command_line::command_line(const std::string& name, const std::string& summary,
                           const std::string& version)
    : app_(std::make_unique<CLI::App>(summary, name)) {
  app_->set_version_flag("--version", version);
  app_->require_subcommand(1);
}
command_line::~command_line() = default;
flag_set command_line::add_subcommand(const std::string& name, const std::string& summary) {
  return flag_set(*app_->add_subcommand(name, summary));
}
command_line::outcome command_line::parse(std::vector<std::string> words, bool print) {
  outcome out;
  std::reverse(words.begin(), words.end());
  try {
    app_->parse(words);
  } catch (const CLI::Success& wanted) {
    out.exit_code = print ? app_->exit(wanted) : 0;  // --help, --version
  } catch (const CLI::ParseError& problem) {
    out.wrong = problem.what();
  }
  return out;
}

std::optional<std::uint64_t> whole_number(std::string_view text) noexcept {
  std::uint64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || problem != std::errc{} || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

std::optional<double> finite_number(std::string_view text) noexcept {
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || problem != std::errc{} || end != text.data() + text.size() ||
      !std::isfinite(value))
    return std::nullopt;
  return value;
}

namespace {

bound_flag limit(CLI::Option* option, std::uint64_t least, std::uint64_t most) {
  const std::string range = std::to_string(least) + " to " + std::to_string(most);
  option->transform(CLI::Validator(
      [least, most, range](std::string& text) -> std::string {
        const auto number = whole_number(text);
        if (!number || *number < least || *number > most)
          return graph_schema::quoted(text) + " must be a whole number from " + range;
        text = std::to_string(*number);  // CLI11 takes a leading 0 for octal
        return {};
      },
      ""));
  option->type_name(least == 0 && most >= most_file_ids ? std::string("N") : "N (" + range + ")");
  return bound_flag(option);
}

}  // namespace

bound_flag add_number(flag_set& app, const std::string& names, std::uint64_t& value,
                      const std::string& help, std::uint64_t least, std::uint64_t most) {
  return limit(app.app().add_option(names, value, help), least, most);
}
bound_flag add_number(flag_set& app, const std::string& names, std::optional<std::uint64_t>& value,
                      const std::string& help, std::uint64_t least, std::uint64_t most) {
  return limit(app.app().add_option(names, value, help), least, most);
}
bound_flag add_number(flag_set& app, const std::string& names, unsigned& value,
                      const std::string& help, std::uint64_t least, std::uint64_t most) {
  return limit(app.app().add_option(names, value, help), least, most);
}

bound_flag add_tolerance(flag_set& app, const std::string& names, double& value,
                         const std::string& help, bool zero) {
  auto* const option = app.app().add_option(names, value, help);
  option->check(CLI::Validator(
      [zero](std::string& text) -> std::string {
        const auto number = finite_number(text);
        if (number && (zero ? *number >= 0 : *number > 0) &&
            *number <= static_cast<double>(most_tolerance))
          return {};
        return graph_schema::quoted(text) + " must be a number " +
               (zero ? "from 0 to " : "above 0, up to ") + std::to_string(most_tolerance);
      },
      ""));
  option->type_name("X");
  return bound_flag(option);
}

bound_flag add_size(flag_set& app, const std::string& names, std::uint64_t& value,
                    const std::string& help, std::uint64_t least) {
  auto* const option = app.app().add_option(names, value, help);
  const CLI::AsSizeValue units(false);
  option->transform(CLI::Validator(
      [units, least](std::string& text) -> std::string {
        const std::string sentence = graph_schema::quoted(text) +
                                     " is no size; it must be a whole number of bytes from " +
                                     std::to_string(least) +
                                     " to 2^64 - 1, perhaps with a unit, such as 4GiB";
        std::uint64_t number = 0;
        const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (problem != std::errc{} || end == text.data()) return sentence;
        try {
          std::string bytes = std::to_string(number) +
                              text.substr(static_cast<std::size_t>(
                                  end - text.data()));  // CLI11 takes a leading 0 for octal
          if (!units(bytes).empty()) return sentence;
          const auto size = whole_number(bytes);
          if (!size || *size < least) return sentence;
          text = bytes;
          return {};
        } catch (const CLI::Error&) {
          return sentence;
        }
      },
      "SIZE"));
  return bound_flag(option);
}

}  // namespace halograph::cli
