// SPDX-License-Identifier: BSL-1.0
#include "flag_values.hpp"
#include "inputs.hpp"

#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/text/readable.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <set>
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
  std::string all;
  for (const auto& word : words) all += (all.empty() ? "" : ",") + word;
  option_->type_name("{" + all + "}");  // words_of() reads it
  option_->check(CLI::Validator(
      [words = std::move(words)](std::string& text) -> std::string {
        if (std::find(words.begin(), words.end(), text) != words.end()) return {};
        std::string sentence = graph_schema::quoted(text) + " is unknown" +
                               did_you_mean(text, words) + "; it must be one of";
        for (const auto& word : words) sentence += (&word == &words.front() ? " " : ", ") + word;
        return sentence;
      },
      ""));
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

namespace {

/// The names of a flag with the letter of the common ones.
std::string with_letter(const CLI::App& app, const std::string& names) {
  static constexpr std::pair<std::string_view, const char*> letters[] = {
      {"--input", "-i"},  {"--in-dir", "-i"},  {"--out", "-o"},  {"--parts", "-k"},
      {"--method", "-m"}, {"--threads", "-j"}, {"--quiet", "-q"}};
  const std::vector<std::string> all = CLI::detail::split(names, ',');
  for (const auto& [name, letter] : letters) {
    if (std::find(all.begin(), all.end(), name) == all.end()) continue;
    const bool words =
        !app.get_options([](const CLI::Option* one) { return one->get_positional(); }).empty();
    return std::string(letter) + "," + names +
           (std::string_view(letter) == "-i" && !words ? ",input" : "");
  }
  return names;
}

/// "parmetis export"
std::string path_of(const CLI::App& app) {
  const CLI::App* const above = app.get_parent();
  if (above == nullptr || above->get_parent() == nullptr) return app.get_name();
  return path_of(*above) + " " + app.get_name();
}

/// The subcommand that the words have chosen, of that again, and so on.
const CLI::App& innermost(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : innermost(*chosen.front());
}

std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> out;
  for (const auto& name : option.get_snames()) out.push_back("-" + name);
  for (const auto& name : option.get_lnames()) out.push_back("--" + name);
  return out;
}

flag_words words_of(const CLI::Option& option) {
  flag_words out;
  out.names = names_of(option);
  if (option.get_positional()) out.word = option.get_name(true);
  out.help = option.get_description();
  out.section = option.get_group() == "Options" ? "" : option.get_group();
  out.required = option.get_required();
  if (option.get_items_expected_max() != 0) {
    out.value = option.get_type_name();  // with the names of the checks
    out.value.erase(0, out.value.rfind(':') + 1);
    if (out.value.size() > 1 && out.value.front() == '{') {
      out.choices = CLI::detail::split(out.value.substr(1, out.value.size() - 2), ',');
      out.value = "WORD";
    }
  }
  const auto list = [&](const std::set<CLI::Option*>& others, const char* how) {
    std::vector<std::string> names;
    for (const auto* other : others) names.push_back(other->get_name());
    std::sort(names.begin(), names.end());  // by name, not by address
    for (const auto& name : names)
      out.help += (&name == &names.front() ? how : std::string(", ")) + name;
  };
  list(option.get_needs(), "; requires ");
  list(option.get_excludes(), "; not with ");
  return out;
}

command_words words_of(const CLI::App& app, const std::vector<command_example>& examples) {
  command_words out;
  out.name = path_of(app);
  out.summary = app.get_description();
  out.section = app.get_group();
  out.footer = app.get_footer();
  for (const auto* one : app.get_options()) {
    if (!one->get_group().empty()) out.all_flags.push_back(words_of(*one));
  }
  for (const auto& one : examples) {
    if (one.of == &app) out.examples.push_back(one);
  }
  for (const auto* one : app.get_subcommands([](const CLI::App*) { return true; }))
    out.commands.push_back(words_of(*one, examples));
  return out;
}

bool knows(const CLI::App& app, const std::string& key) {
  const auto* const option = app.get_option_no_throw("--" + key);
  return option != nullptr && option->get_configurable();
}

/// Every flag and command that may stand at this place.
std::vector<std::string> expected_at(const CLI::App& app, bool flag) {
  std::vector<std::string> out;
  if (!flag) {
    for (const auto* one : app.get_subcommands([](const CLI::App*) { return true; }))
      out.push_back(one->get_name());
    return out;
  }
  for (const CLI::App* at = &app; at != nullptr; at = at->get_parent()) {
    for (const auto* one : at->get_options()) {
      if (one->get_group().empty()) continue;
      for (auto& name : names_of(*one)) out.push_back(std::move(name));
    }
  }
  return out;
}

/// Reads the file of --config. A key is a flag without its dashes; above the first section it is
/// for every command that has the flag, in [partition] for that command. Only what is for the
/// command that was chosen is given to CLI11, which would run every command that has a section.
class config_file : public CLI::ConfigBase {
 public:
  explicit config_file(const CLI::App& app) : app_(&app) {}

  std::vector<CLI::ConfigItem> from_config(std::istream& in) const override {
    const CLI::App& chosen = innermost(*app_);
    const std::vector<std::string> path = path_to(chosen);
    struct key {
      const CLI::Option* option;
      bool section;
      CLI::ConfigItem item;
    };
    std::vector<key> found;
    for (auto& item : CLI::ConfigBase::from_config(in)) {
      if (item.name == "++" || item.name == "--") continue;  // where a section begins and ends
      std::replace(item.name.begin(), item.name.end(), '_', '-');
      const CLI::App* of = app_;
      for (const auto& name : item.parents) {
        const CLI::App* const within = of;
        of = nullptr;
        for (const auto* one : within->get_subcommands([](const CLI::App*) { return true; })) {
          if (one->get_name() == name) of = one;
        }
        if (of == nullptr)
          refuse("section [" + CLI::detail::join(item.parents, ".") + "] names no command" +
                 did_you_mean(name, expected_at(*within, false)));
      }
      const bool section = of != app_,
                 common = !knows(section ? *of : chosen, item.name) && knows(*app_, item.name);
      if (!common && !(section ? knows(*of, item.name) : anyone_knows(*app_, item.name))) {
        std::vector<std::string> keys;
        for (const auto& flag : expected_at(section ? *of : chosen, true)) {
          if (flag.starts_with("--")) keys.push_back(flag.substr(2));
        }
        refuse("key " + graph_schema::quoted(item.name) + " is no flag" +
               (section ? " of " + path_of(*of) : std::string()) + did_you_mean(item.name, keys));
      }
      if (section ? of != &chosen : !common && !knows(chosen, item.name)) continue;
      item.parents = common ? std::vector<std::string>() : path;
      const CLI::App& owner = common ? *app_ : chosen;
      const auto* const option = owner.get_option_no_throw("--" + item.name);
      const auto same = std::find_if(found.begin(), found.end(),
                                     [&](const key& one) { return one.option == option; });
      if (same == found.end())
        found.push_back({option, section, std::move(item)});
      else if (same->section == section)
        refuse("key " + graph_schema::quoted(item.name) + " is given twice");
      else if (section)  // which goes before what stands above the sections
        *same = {option, section, std::move(item)};
    }
    std::vector<CLI::ConfigItem> out;
    for (auto& one : found) out.push_back(std::move(one.item));
    return out;
  }

 private:
  static std::vector<std::string> path_to(const CLI::App& app) {
    if (app.get_parent() == nullptr) return {};
    std::vector<std::string> out = path_to(*app.get_parent());
    out.push_back(app.get_name());
    return out;
  }
  static bool anyone_knows(const CLI::App& app, const std::string& key) {
    if (app.get_parent() != nullptr && knows(app, key)) return true;
    for (const auto* one : app.get_subcommands([](const CLI::App*) { return true; })) {
      if (anyone_knows(*one, key)) return true;
    }
    return false;
  }
  [[noreturn]] void refuse(const std::string& sentence) const {
    throw CLI::ConfigError(app_->get_config_ptr()->as<std::string>() + ": " + sentence,
                           CLI::ExitCodes::ConfigError);
  }

  const CLI::App* app_;
};

/// What is wrong, with the word that was probably meant.
std::string explain(const CLI::App& app, const CLI::ParseError& problem) {
  const CLI::App& at = innermost(app);
  const auto unknown = app.remaining(true);
  const bool missing = dynamic_cast<const CLI::RequiredError*>(&problem) != nullptr;
  if (unknown.empty() || (!missing && dynamic_cast<const CLI::ExtrasError*>(&problem) == nullptr)) {
    if (missing && at.get_subcommands([](const CLI::App*) { return true; }).size() != 0)
      return "a command is required";
    return problem.what();
  }
  const auto flag = std::find_if(unknown.begin(), unknown.end(), [](const std::string& word) {
    return word.size() > 1 && word[0] == '-';
  });
  const bool is_flag = flag != unknown.end();
  const std::string word = is_flag ? flag->substr(0, flag->find('=')) : unknown.front();
  const auto expected = expected_at(at, is_flag);
  std::string out = (is_flag            ? "unknown flag "
                     : expected.empty() ? "unexpected word "
                                        : "unknown command ") +
                    graph_schema::quoted(word);
  return out + did_you_mean(word, expected);
}

}  // namespace

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  // The least number of characters to insert, delete, replace or exchange with the next one.
  const auto distance = [](std::string_view a, std::string_view b) {
    std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
      now[0] = i;
      for (std::size_t j = 1; j <= b.size(); ++j) {
        now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
        if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
          now[j] = std::min(now[j], before[j - 2] + 1);
      }
      before.swap(last);
      last.swap(now);
    }
    return last[b.size()];
  };
  constexpr std::size_t longest = 64;  // no word of ours is longer
  if (word.empty() || word.size() > longest) return {};
  const std::string* best = nullptr;
  std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const auto& one : known) {
    // The beginning of a word is as good as a slip.
    const bool begins = word.size() > 2 && one.size() > word.size() && one.starts_with(word) &&
                        !word.ends_with('-');
    const std::size_t wrong = begins ? 1 : distance(word, one);
    if (wrong < least) least = wrong, best = &one;
  }
  return best == nullptr ? std::string() : " (did you mean " + *best + "?)";
}

template <class Value>
CLI::Option* flag_set::add(const std::string& names, Value& value, const std::string& help) {
  const std::string all = with_letter(*app_, names);
  CLI::Option* const option = app_->add_option(all, value, help);
  if (all.starts_with("-i,")) option->type_name("PATH");
  if (all.starts_with("-o,")) option->type_name("DIR");
  return option;
}

bound_flag flag_set::add_option(const std::string& names, std::string& value,
                                const std::string& help) {
  return bound_flag(add(names, value, help));
}
bound_flag flag_set::add_option(const std::string& names, std::vector<std::string>& value,
                                const std::string& help) {
  return bound_flag(add(names, value, help));
}
bound_flag flag_set::add_flag(const std::string& names, bool& value, const std::string& help) {
  return bound_flag(app_->add_flag(with_letter(*app_, names), value, help));
}
void flag_set::section(const std::string& name) { app_->option_defaults()->group(name); }
void flag_set::footer(const std::string& text) { app_->footer(text); }
void flag_set::example(const std::string& words, const std::string& does) {
  examples_->push_back({app_, words, does});
}
// Not CLI11's parse_complete_callback(), which comes before the file of --config.
void flag_set::parse_complete_callback(std::function<void()> then) {
  app_->final_callback(std::move(then));
}
flag_set flag_set::add_subcommand(const std::string& name, const std::string& summary) {
  CLI::App* const added = app_->add_subcommand(name, summary);
  added->fallthrough();
  added->group("Commands");
  added->set_help_flag("-h,--help", "print this help")->group(common_section);
  return flag_set(*added, *examples_);
}
void flag_set::require_subcommand() { app_->require_subcommand(1); }
bool flag_set::parsed() const { return app_->parsed(); }
std::string flag_set::name() const { return app_->get_name(); }

command_line::command_line(const std::string& name, const std::string& summary)
    : app_(std::make_unique<CLI::App>(summary, name)) {
  app_->set_help_flag("-h,--help", "print this help");
  app_->set_version_flag(
      "--version", [] { return std::string(); },
      "print the version, the libraries and the compiler that the program was built with");
  app_->set_config(
          "--config", "",
          "read flags from a file, such as parts = 8; what the command line says goes first")
      ->type_name("FILE")
      ->check(CLI::Validator(
          [](std::string& path) -> std::string {
            constexpr std::uintmax_t most = 1 << 20;
            std::error_code problem;
            const bool plain = std::filesystem::is_regular_file(path, problem);
            if (!plain) return graph_schema::quoted(path) + " is not a file";
            if (std::filesystem::file_size(path, problem) > most)
              return graph_schema::quoted(path) + " has more than 1 MiB; it must list flags";
            return {};
          },
          ""));
  app_->config_formatter(std::make_shared<config_file>(*app_));
  app_->require_subcommand(1);
}
command_line::~command_line() = default;
flag_set command_line::common() { return flag_set(*app_, examples_); }
flag_set command_line::add_subcommand(const std::string& name, const std::string& summary,
                                      const std::string& section) {
  flag_set added = flag_set(*app_, examples_).add_subcommand(name, summary);
  app_->get_subcommand(name)->group(section);
  return added;
}
command_line::outcome command_line::parse(std::vector<std::string> words) {
  outcome out;
  std::reverse(words.begin(), words.end());
  try {
    app_->parse(words);
  } catch (const CLI::CallForHelp&) {
    out.help = true;
  } catch (const CLI::CallForVersion&) {
    out.version = true;
  } catch (const CLI::ParseError& problem) {
    out.wrong = explain(*app_, problem);
  }
  const CLI::App& chosen = innermost(*app_);
  if (chosen.get_parent() != nullptr) out.command = path_of(chosen);
  return out;
}
command_words command_line::describe() const {
  command_words out = words_of(*app_, examples_);
  // Every command takes the program's flags, except for its own --help.
  const auto common = [&](auto& self, command_words& command) -> void {
    for (auto& one : command.commands) {
      for (const auto& flag : out.all_flags) {
        if (flag.names.back() == "--help") continue;
        one.all_flags.push_back(flag);
        one.all_flags.back().section = common_section;
      }
      self(self, one);
    }
  };
  common(common, out);
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
  // No one meets the other limits by accident.
  if (most < 1 << 20)
    option->description(option->get_description() + " [" + readable::grouped(least) + " to " +
                        readable::grouped(most) + "]");
  option->type_name("N");
  option->transform(CLI::Validator(
      [least, most, range](std::string& text) -> std::string {
        const auto number = whole_number(text);
        if (!number || *number < least || *number > most)
          return graph_schema::quoted(text) + " must be a whole number from " + range;
        text = std::to_string(*number);  // CLI11 takes a leading 0 for octal
        return {};
      },
      ""));
  return bound_flag(option);
}

}  // namespace

bound_flag add_number(flag_set& app, const std::string& names, std::uint64_t& value,
                      const std::string& help, std::uint64_t least, std::uint64_t most) {
  return limit(app.add(names, value, help), least, most);
}
bound_flag add_number(flag_set& app, const std::string& names, std::optional<std::uint64_t>& value,
                      const std::string& help, std::uint64_t least, std::uint64_t most) {
  return limit(app.add(names, value, help), least, most);
}
bound_flag add_number(flag_set& app, const std::string& names, unsigned& value,
                      const std::string& help, std::uint64_t least, std::uint64_t most) {
  return limit(app.add(names, value, help), least, most);
}

namespace {

/// @param range  what the number must be, such as "from 0 to 1"
bound_flag add_checked(flag_set& app, const std::string& names, double& value,
                       const std::string& help, std::function<bool(double)> fits,
                       std::string range) {
  auto* const option = app.add(names, value, help);
  option->check(CLI::Validator(
      [fits = std::move(fits), range = std::move(range)](std::string& text) -> std::string {
        const auto number = finite_number(text);
        if (number && fits(*number)) return {};
        return graph_schema::quoted(text) + " must be a number " + range;
      },
      ""));
  option->type_name("X");
  return bound_flag(option);
}

}  // namespace

bound_flag add_tolerance(flag_set& app, const std::string& names, double& value,
                         const std::string& help, bool zero) {
  return add_checked(
      app, names, value, help,
      [zero](double number) {
        return (zero ? number >= 0 : number > 0) && number <= static_cast<double>(most_tolerance);
      },
      (zero ? "from 0 to " : "above 0, up to ") + std::to_string(most_tolerance));
}

bound_flag add_real(flag_set& app, const std::string& names, double& value, const std::string& help,
                    double least, double most) {
  // Without the zeros behind the point.
  const auto text = [](double bound) {
    std::string out = std::to_string(bound);
    out.erase(out.find_last_not_of('0') + 1);
    if (out.back() == '.') out.pop_back();
    return out;
  };
  return add_checked(
      app, names, value, help,
      [least, most](double number) { return number >= least && number <= most; },
      "from " + text(least) + " to " + text(most));
}

bound_flag add_size(flag_set& app, const std::string& names, std::uint64_t& value,
                    const std::string& help, std::uint64_t least) {
  auto* const option = app.add(names, value, help);
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

std::uint64_t memory_flags::allowed() const { return memory_allowed(budget, ignore); }

void memory_flags::require(std::uint64_t bytes, const std::string& doing,
                           const std::string& file) const {
  const std::uint64_t most = allowed();
  if (bytes <= most) return;
  raise(error_kind::memory,
        doing + " needs up to " + readable::bytes(bytes) + " of memory, but " +
            readable::bytes(most) + " are available; allow more, or free some",
        {.file = file, .line = {}, .byte = {}});
}

void add_memory(flag_set& app, memory_flags& flags) {
  app.section("Memory");
  add_size(app, "--memory", flags.budget,
           "memory budget, such as 4GiB; a run that needs more is refused (default: what is free)");
  app.add_flag("--ignore-memory", flags.ignore, "continue even if memory will not suffice");
}

}  // namespace halograph::cli
