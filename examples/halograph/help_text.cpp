// SPDX-License-Identifier: BSL-1.0
#include "help_text.hpp"
#include "ranks.hpp"
#include "usage_error.hpp"

#include <halograph/core/error.hpp>
#include <halograph/core/version.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <utility>
#include <vector>

namespace halograph::cli {

namespace {

/// Break a text into lines. @param indent  of all but the first line  @param column  where the
/// first line begins
std::string wrapped(std::string_view text, std::size_t indent, std::size_t column) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    auto end = std::min(text.find(' ', at), text.size());
    if (end == at) {  // more than one space: kept within a line
      out += ' ';
      ++column;
      ++at;
      continue;
    }
    if (column + (end - at) > help_width && column > indent) {
      while (!out.empty() && out.back() == ' ') out.pop_back();
      out += '\n' + std::string(indent, ' ');
      column = indent;
    }
    out += text.substr(at, end - at);
    column += end - at;
    at = end;
    if (at < text.size()) {
      out += ' ';
      ++column;
      ++at;
    }
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

/// A text of the command's file, whose lines are broken at any width: paragraphs, and items, which
/// are a word, spaces and what is said of it.
struct block {
  std::string item{}, text{};
  bool literal = false;
};
std::vector<block> blocks_of(std::string_view text) {
  std::vector<block> out;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    at = end + 1;
    const auto start = std::min(line.find_first_not_of(' '), line.size());
    line.remove_prefix(start);
    const auto gap = line.find("  ");
    if (start != 0 && gap == std::string_view::npos &&
        (out.empty() || out.back().item.empty() || start <= 4)) {
      out.push_back({{}, std::string(start, ' ') + std::string(line), true});
      continue;
    }
    if (gap != std::string_view::npos) {
      out.push_back({std::string(line.substr(0, gap)),
                     std::string(line.substr(line.find_first_not_of(' ', gap)))});
    } else if (line.empty()) {
      out.push_back({});
    } else if (!out.empty() && !out.back().text.empty() && !out.back().literal &&
               (out.back().item.empty() || start > 4)) {
      out.back().text += " " + std::string(line);
    } else {
      out.push_back({{}, std::string(line)});
    }
  }
  return out;
}

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string out;
  for (const auto& word : words) {
    if (!out.empty()) out += between;
    out += word;
  }
  return out;
}

std::string upper(std::string text) {
  for (char& c : text) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return text;
}

/// "N"; few choices as "cut|vol", many as "METHOD".
std::string shown_value(const flag_words& flag) {
  constexpr std::size_t few = 26;
  if (flag.choices.empty() || flag.names.empty()) return flag.value;
  const std::string all = joined(flag.choices, "|");
  if (all.size() <= few) return all;
  const auto name = std::find_if(flag.names.begin(), flag.names.end(),
                                 [](const std::string& one) { return one.size() > 2; });
  return name == flag.names.end() ? flag.value : upper(name->substr(2));
}

/// "-k, --parts, --num-parts N", or "INPUT".
std::string left_side(const flag_words& flag) {
  if (flag.names.empty()) return upper(flag.word);
  return joined(flag.names, ", ") + (flag.value.empty() ? "" : " " + shown_value(flag));
}

/// What is said of a flag, with its choices unless the sentence has them.
std::string right_side(const flag_words& flag) {
  std::string out = flag.help;
  const bool told = shown_value(flag).find('|') != std::string::npos ||
                    std::all_of(flag.choices.begin(), flag.choices.end(), [&](const auto& word) {
                      return out.find(word) != std::string::npos;
                    });
  if (!told) out += "; one of " + joined(flag.choices, ", ");
  return out + (flag.required ? "; required" : "");
}

/// Sections in the order of their first flags, what all commands take at the end.
std::vector<std::pair<std::string, std::vector<const flag_words*>>> sections_of(
    const command_words& command) {
  std::vector<std::pair<std::string, std::vector<const flag_words*>>> out;
  for (const bool common : {false, true}) {
    for (const auto& flag : command.all_flags) {
      if ((flag.section == common_section) != common) continue;
      const std::string name = flag.names.empty()     ? "Arguments"
                               : flag.section.empty() ? "Flags"
                                                      : flag.section;
      auto at = std::find_if(out.begin(), out.end(),
                             [&](const auto& section) { return section.first == name; });
      if (at == out.end()) at = out.insert(out.end(), {name, {}});
      at->second.push_back(&flag);
    }
  }
  return out;
}

std::string usage_of(const command_words& command) {
  std::string out = (command.name == "halograph" ? "" : "halograph ") + command.name;
  if (!command.commands.empty()) return out + " COMMAND";
  for (const auto& flag : command.all_flags) {
    if (flag.word.empty()) continue;
    out += flag.required ? " " + upper(flag.word) : " [" + upper(flag.word) + "]";
  }
  for (const auto& flag : command.all_flags) {
    if (flag.required && flag.word.empty())
      out += " " + flag.names.front() + " " + shown_value(flag);
  }
  return out + " [FLAGS]";
}

/// The last word of a command's name.
std::string last_word(const command_words& command) {
  return command.name.substr(command.name.rfind(' ') + 1);
}

void for_each_leaf(const command_words& command,
                   const std::function<void(const command_words&)>& visit) {
  visit(command);
  for (const auto& one : command.commands) for_each_leaf(one, visit);
}

}  // namespace

std::string help_text(const command_words& command, bool color) {
  constexpr std::size_t column = 28;
  const auto heading = [&](const std::string& text) {
    return color ? "\033[1m" + text + "\033[0m" : text;
  };
  const auto row = [&](const std::string& left, const std::string& right, std::size_t indent) {
    std::string out = std::string(indent, ' ') + left;
    if (right.empty()) return out + '\n';
    out += out.size() + 2 > column ? '\n' + std::string(column, ' ')
                                   : std::string(column - out.size(), ' ');
    return out + wrapped(right, column, column) + '\n';
  };
  std::string out = wrapped(command.summary, 0, 0) + "\n\n" + heading("Usage:") + " " +
                    wrapped(usage_of(command), 7, 7) + '\n';
  std::vector<std::string> groups;
  for (const auto& one : command.commands) {
    if (std::find(groups.begin(), groups.end(), one.section) == groups.end())
      groups.push_back(one.section);
  }
  for (const auto& group : groups) {
    out += '\n' + heading((group == "Subcommands" ? "Commands" : group) + ":") + '\n';
    for (const auto& one : command.commands) {
      if (one.section == group) out += row(last_word(one), one.summary, 2);
    }
  }
  for (const auto& [name, flags] : sections_of(command)) {
    out += '\n' + heading(name + ":") + '\n';
    for (const auto* flag : flags) {
      const bool letter = !flag->names.empty() && flag->names.front().size() == 2;
      out += row(left_side(*flag), right_side(*flag), flag->names.empty() || letter ? 2 : 6);
    }
  }
  if (!command.footer.empty()) {
    const auto blocks = blocks_of(command.footer);
    std::size_t widest = 0;
    for (const auto& one : blocks) widest = std::max(widest, one.item.size());
    out += '\n';
    for (const auto& one : blocks) {
      if (one.literal) {
        out += one.text + '\n';
      } else if (one.item.empty()) {
        out += wrapped(one.text, 0, 0) + '\n';
      } else {
        const std::size_t indent = 2 + widest + 2;
        out += "  " + one.item + std::string(widest - one.item.size() + 2, ' ') +
               wrapped(one.text, indent, indent) + '\n';
      }
    }
  }
  if (!command.examples.empty()) {
    out += '\n' + heading("Examples:") + '\n';
    for (const auto& one : command.examples) {
      out += "  # " + wrapped(one.does, 4, 4) + "\n  " + one.words + '\n';
    }
  }
  if (!command.commands.empty()) {
    out += "\nhalograph help " + (command.name == "halograph" ? "" : command.name + " ") +
           "COMMAND describes a command and its flags.\n";
  }
  return out;
}

namespace {

/// Text of a manual page: nothing in it is a request, and dashes can be copied.
std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  if (!out.empty() && (out.front() == '.' || out.front() == '\'')) out.insert(0, "\\&");
  return out;
}

std::string page_name(const command_words& command) {
  std::string name = command.name == "halograph" ? command.name : "halograph-" + command.name;
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

}  // namespace

std::string man_page(const command_words& program, const command_words& command) {
  const std::string name = page_name(command);
  std::string out = ".TH " + upper(roff(name)) +
                    " 1 \"\" \"halograph " HALOGRAPH_VERSION_STRING
                    "\" \"User Commands\"\n.SH NAME\n" +
                    roff(name) + " \\- " + roff(command.summary) + "\n.SH SYNOPSIS\n.B " +
                    roff(usage_of(command)) + "\n";
  if (!command.footer.empty()) {
    out += ".SH DESCRIPTION\n";
    for (const auto& one : blocks_of(command.footer)) {
      if (one.literal)
        out += ".nf\n" + roff(one.text) + "\n.fi\n";
      else if (one.item.empty())
        out += ".PP\n" + roff(one.text) + "\n";
      else
        out += ".TP\n.B " + roff(one.item) + "\n" + roff(one.text) + "\n";
    }
  }
  if (!command.commands.empty()) {
    out += ".SH COMMANDS\n";
    for (const auto& one : command.commands)
      out += ".TP\n.B " + roff(last_word(one)) + "\n" + roff(one.summary) + "\n";
  }
  out += ".SH OPTIONS\n";
  for (const auto& [section, flags] : sections_of(command)) {
    out += ".SS " + roff(section) + "\n";
    for (const auto* flag : flags)
      out += ".TP\n.B " + roff(left_side(*flag)) + "\n" + roff(right_side(*flag)) + "\n";
  }
  out += ".SH EXIT STATUS\n0: done; 2: the command line is wrong; 1: everything else.\n";
  if (!command.examples.empty()) {
    out += ".SH EXAMPLES\n";
    for (const auto& one : command.examples)
      out += ".TP\n" + roff(one.does) + "\n.nf\n" + roff(one.words) + "\n.fi\n";
  }
  out += ".SH SEE ALSO\n";
  std::string others;
  for (const auto& one : command.name == program.name ? program.commands : command.commands)
    others += (others.empty() ? "" : ", ") + roff(page_name(one)) + "(1)";
  if (others.empty()) others = "halograph(1)";
  return out + others + "\n";
}

command_words find_command(const command_words& program, const std::string& name) {
  if (name.empty()) return program;
  const command_words* found = nullptr;
  std::vector<std::string> names;
  for_each_leaf(program, [&](const command_words& one) {
    if (&one == &program) return;
    if (one.name == name) found = &one;
    names.push_back(one.name);
  });
  if (found == nullptr)
    throw usage_error("unknown command \"" + name + "\"" + did_you_mean(name, names) +
                      "; see halograph help");
  return *found;
}

namespace {

/// What a shell offers as the value of a flag.
enum class offers { nothing, files, words };

offers offers_of(const flag_words& flag) {
  if (!flag.choices.empty()) return offers::words;
  for (const char* word : {"PATH", "DIR", "FILE", "CONFIG"}) {
    if (flag.value.find(word) != std::string::npos) return offers::files;
  }
  return offers::nothing;
}

/// The words by which the completion scripts know a command: the program's is "".
std::string key_of(const command_words& command) {
  return command.name == "halograph" ? std::string() : command.name;
}

/// The flag that a word without a flag's name is for.
const flag_words* first_word(const command_words& command) {
  for (const auto& flag : command.all_flags) {
    if (!flag.word.empty()) return &flag;
  }
  return nullptr;
}

/// The word of a command: choices, files or a command's name.
std::vector<std::string> first_words(const command_words& program, const command_words& command) {
  std::vector<std::string> out;
  for (const auto& one : command.commands) out.push_back(last_word(one));
  if (const auto* flag = first_word(command)) {
    if (!flag->choices.empty()) out = flag->choices;
    if (flag->value == "COMMAND") {
      for (const auto& one : program.commands) out.push_back(last_word(one));
    }
  }
  return out;
}

/// Lines of a case of a shell: the words typed so far choose a subcommand.
/// @param pattern, set, end  the shell's text before the words, and before and after the command
std::string descend(const command_words& program, std::string_view pattern = "      '",
                    std::string_view set = "') command='", std::string_view end = "' ;;\n") {
  std::string out;
  for_each_leaf(program, [&](const command_words& one) {
    if (&one == &program) return;
    const auto space = one.name.rfind(' ');
    const std::string above = space == std::string::npos ? "" : one.name.substr(0, space);
    out += concat({pattern, above, ":", last_word(one), set, one.name, end});
  });
  return out;
}

std::string bash_completion(const command_words& program) {
  std::string values, flags;
  for_each_leaf(program, [&](const command_words& one) {
    std::vector<std::string> names;
    for (const auto& flag : one.all_flags) {
      names.insert(names.end(), flag.names.begin(), flag.names.end());
      if (flag.names.empty() || flag.value.empty()) continue;
      std::string pattern;
      for (const auto& name : flag.names)
        pattern += (pattern.empty() ? "'" : "|'") + key_of(one) + ":" + name + "'";
      values += "    " + pattern + ") ";
      switch (offers_of(flag)) {
        case offers::words:
          values += "words='" + joined(flag.choices, " ") + "'";
          break;
        case offers::files:
          values += "files=1";
          break;
        case offers::nothing:
          values += "words=''";
      }
      values += "; is_value=1 ;;\n";
    }
    const auto first = first_words(program, one);
    const auto* word = first_word(one);
    flags += "    '" + key_of(one) + "') flags='" + joined(names, " ") + "'; words='" +
             joined(first, " ") + "'" +
             (word != nullptr && offers_of(*word) == offers::files ? "; files=1" : "") + " ;;\n";
  });
  return "# bash completion for halograph " HALOGRAPH_VERSION_STRING
         ", made by: halograph completion bash\n"
         "_halograph() {\n"
         "  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
         "  local command='' words='' flags='' files='' is_value='' at\n"
         "  # Bash makes words of its own of \"--flag=value\".\n"
         "  if [[ $current == '=' ]]; then\n"
         "    current=''\n"
         "  elif [[ $before == '=' && $COMP_CWORD -ge 2 ]]; then\n"
         "    before=${COMP_WORDS[COMP_CWORD-2]}\n"
         "  fi\n"
         "  for ((at = 1; at < COMP_CWORD; ++at)); do\n"
         "    case \"$command:${COMP_WORDS[at]}\" in\n" +
         descend(program) +
         "    esac\n"
         "  done\n"
         "  case \"$command:$before\" in\n" +
         values +
         "  esac\n"
         "  [[ $is_value ]] || case $command in\n" +
         flags +
         "  esac\n"
         "  [[ $current != -* || $is_value ]] || words='' files=''\n"
         "  COMPREPLY=($(compgen -W \"$words $([[ $current == -* ]] && echo \"$flags\")\" -- "
         "\"$current\"))\n"
         "  if [[ $files ]]; then\n"
         "    compopt -o filenames 2>/dev/null\n"
         "    local IFS=$'\\n'\n"
         "    COMPREPLY+=($(compgen -f -- \"$current\"))\n"
         "  fi\n"
         "}\n"
         "complete -F _halograph halograph\n";
}

/// Text between single quotes of a shell.
std::string quoted_for_shell(std::string_view text, std::string_view escaped = {}) {
  std::string out;
  for (const char c : text) {
    if (c == '\'')
      out += "'\\''";
    else if (escaped.find(c) != std::string_view::npos)
      out += std::string("\\") + c;
    else
      out += c;
  }
  return out;
}

std::string zsh_completion(const command_words& program) {
  std::string cases;
  for_each_leaf(program, [&](const command_words& one) {
    cases += "    '" + key_of(one) + "')\n      _arguments -S";
    for (const auto& flag : one.all_flags) {
      std::string value;
      if (!flag.value.empty()) {
        value = ":" + quoted_for_shell(flag.value, ":[]\\") + ":";
        if (offers_of(flag) == offers::words) value += "(" + joined(flag.choices, " ") + ")";
        if (offers_of(flag) == offers::files) value += "_files";
      }
      const std::string help = "[" + quoted_for_shell(flag.help, "[]:\\") + "]";
      for (const auto& name : flag.names) {
        // "-k4" and "--parts=4" are taken, too.
        cases += " \\\n        '*" + name +
                 (flag.value.empty() ? ""
                  : name.size() == 2 ? "+"
                                     : "=") +
                 help + value + "'";
      }
    }
    const auto first = first_words(program, one);
    const auto* word = first_word(one);
    if (!first.empty())
      cases += " \\\n        '*:word:(" + joined(first, " ") + ")'";
    else if (word != nullptr && offers_of(*word) == offers::files)
      cases += " \\\n        '*:file:_files'";
    cases += "\n      ;;\n";
  });
  return "#compdef halograph\n"
         "# zsh completion for halograph " HALOGRAPH_VERSION_STRING
         ", made by: halograph completion zsh\n"
         "_halograph() {\n"
         "  local command='' at\n"
         "  for ((at = 2; at < CURRENT; ++at)); do\n"
         "    case \"$command:${words[at]}\" in\n" +
         descend(program) +
         "    esac\n"
         "  done\n"
         "  # Without the words that have chosen the command.\n"
         "  local -a chosen\n"
         "  chosen=(${(z)command})\n"
         "  local skip=$#chosen\n"
         "  words=(\"${words[1]}\" \"${(@)words[skip+2,-1]}\")\n"
         "  ((CURRENT -= skip))\n"
         "  case $command in\n" +
         cases +
         "  esac\n"
         "}\n"
         "if [[ $funcstack[1] == _halograph ]]; then\n"
         "  _halograph \"$@\"\n"
         "else\n"
         "  compdef _halograph halograph\n"
         "fi\n";
}

std::string fish_completion(const command_words& program) {
  std::string out = "# fish completion for halograph " HALOGRAPH_VERSION_STRING
                    ", made by: halograph completion fish\n"
                    "function __halograph_command\n"
                    "  set -l command ''\n"
                    "  for word in (commandline -opc)[2..-1]\n"
                    "    switch \"$command:$word\"\n";
  out += descend(program, "      case '", "'\n        set command '", "'\n");
  out += "    end\n  end\n  test \"$command\" = \"$argv[1]\"\nend\ncomplete -c halograph -f\n";
  for_each_leaf(program, [&](const command_words& one) {
    const std::string here = "complete -c halograph -n \"__halograph_command '" + key_of(one) +
                             "'\"";
    for (const auto& command : one.commands)
      out += here + " -a " + last_word(command) + " -d '" +
             quoted_for_shell(command.summary, "\\") + "'\n";
    if (one.commands.empty()) {
      for (const auto& word : first_words(program, one)) out += here + " -a " + word + "\n";
    }
    const auto* word = first_word(one);
    if (word != nullptr && offers_of(*word) == offers::files) out += here + " -F\n";
    for (const auto& flag : one.all_flags) {
      if (flag.names.empty()) continue;
      out += here;
      for (const auto& name : flag.names)
        out += name.size() == 2 ? " -s " + name.substr(1) : " -l " + name.substr(2);
      if (!flag.value.empty()) out += " -r";
      if (offers_of(flag) == offers::words) out += " -a '" + joined(flag.choices, " ") + "'";
      if (offers_of(flag) == offers::files) out += " -F";
      std::string help = flag.help;
      // Not a backslash before a quote, as in other shells.
      for (std::size_t at = 0; (at = help.find('\'', at)) != std::string::npos; at += 2)
        help.insert(at, "\\");
      out += " -d '" + help + "'\n";
    }
  });
  return out;
}

}  // namespace

std::string completion_script(std::string_view shell, const command_words& program) {
  if (shell == "bash") return bash_completion(program);
  if (shell == "zsh") return zsh_completion(program);
  return fish_completion(program);
}

std::string version_text() {
  std::string out = "halograph " HALOGRAPH_VERSION_STRING "\nlibraries: ";
#if defined(HALOGRAPH_COMPONENT_NAMES)
  out += *HALOGRAPH_COMPONENT_NAMES == '\0' ? "none" : HALOGRAPH_COMPONENT_NAMES;
#else
  out += "unknown";
#endif
  out += "\ncompiler: ";
#if defined(__clang__)
  out += "Clang " __clang_version__;
#elif defined(__GNUC__)
  out += "GCC " __VERSION__;
#else
  out += "unknown";
#endif
  while (out.back() == ' ') out.pop_back();
#if defined(NDEBUG)
  return out + "\n";
#else
  return out + ", with assertions\n";
#endif
}

bool shows_color(int file) {
  const char* const off = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  // mpirun gives ranks terminals of its own, whatever becomes of what they print.
  return launched().ranks == 1 && (off == nullptr || *off == '\0') && isatty(file) != 0 &&
         terminal != nullptr && std::string_view(terminal) != "dumb";
}

}  // namespace halograph::cli
