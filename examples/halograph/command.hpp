// SPDX-License-Identifier: BSL-1.0
/// @file command.hpp
/// What every subcommand of the program shares: how it is registered, how it answers, how it fails.
///
/// A subcommand adds its flags to a flag_set and returns a function that does the work when it was
/// chosen. With --json standard output holds one JSON object and nothing else; messages go to
/// standard error. Exit codes: 0 done; 2 the command line alone is wrong; 1 everything else.
#pragma once

#include "flag_values.hpp"
#include "progress.hpp"
#include "usage_error.hpp"

#include <halograph/core/error.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/text/readable.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace halograph {
struct quality_report;
struct balance_report;
}  // namespace halograph

namespace halograph::cli {

/// What one run of the program was asked for, besides the subcommand's own flags.
struct context {
  bool json = false;
  bool quiet = false;                        ///< print errors and what was asked for, nothing else
  std::size_t threads = 0;                   ///< 0: all cores
  std::vector<std::string> inputs_within{};  ///< folders that inputs may be in; empty: anywhere
  std::vector<std::string> words{};  ///< the command line, normalized, without the program's name
};

/// What a subcommand answers. `details` is merged into the --json object behind ok and command;
/// `text` is what a person reads; the steps of the run (progress.hpp) are added to both. Exit code
/// 1 with ok = false: it ran and found something wrong (verify).
struct answer {
  json::value details{json::object{}};
  std::string text{};
  std::string next{};  ///< what to do with the result, behind the steps; not with --quiet
  bool ok = true;
  bool raw = false;  ///< the text is our own, with control characters that are meant
};

/// Does the work of a subcommand once its flags are parsed.
using action = std::function<answer(const context&)>;

/// Adds a subcommand to the program and gives its action; flags are bound to what the action owns.
using registration = std::function<action(flag_set& subcommand)>;

struct entry {
  const char* name;
  const char* summary;
  registration add;
  bool ranks = false;  ///< it knows what to do as several processes (ranks.hpp)
  bool shows = false;  ///< its text is what it is run for: printed with --quiet, too
  const char* section = "Commands";
};

/// The subcommands that do not depend on the partitioners compiled in. Each lives in a file of its
/// own.
action add_verify(flag_set& app);
action add_inspect(flag_set& app);
action add_report(flag_set& app);
action add_restore(flag_set& app);
action add_attach_features(flag_set& app);
action add_update(flag_set& app);
action add_simulate(flag_set& app);
action add_generate(flag_set& app);
action add_dispatch(flag_set& app);
action add_chunk(flag_set& app);
action add_parmetis(flag_set& app);
action add_parmetis_convert(flag_set& app);
action add_convert(flag_set& app);

/// Parse, run, print, and give the exit code. @param entries all subcommands
int run_program(int argc, char** argv, const std::vector<entry>& entries);

/// Warnings and remarks: one line each on standard error, prefixed with the program's name; "":
/// nothing.
void note(const std::string& sentence);

/// Text for a terminal: paths may come from files, whose control characters are not for it.
std::string printable(std::string_view text);

/// What --json prints on standard output.
void print_json(const json::value& document);
/// The --json object of a failure.
json::value json_of(std::string_view command, const error& problem);

using readable::counted;
using readable::grouped;

/// A table for people: columns padded, numbers to the right and grouped, words to the left. @param
/// rows the first is the head
std::string table(const std::vector<std::vector<std::string>>& rows);

/// The imbalance and the tolerance of a load, in at least three digits and in as many as show what
/// the tolerance is and, if it is not met, that the imbalance differs.
struct shown_balance {
  std::string imbalance{}, tolerance{};
};
shown_balance shown(const balance_report& one);

/// Note each load that is not within its tolerance, and what to try. @param named  --tolerance can
/// name one of them
void note_unmet(const std::vector<balance_report>& loads, std::string_view method, bool named);

/// How to load a partition folder: a line for DGL, unless the files are native, and one for C++.
std::string how_to_load(const std::string& config, bool native);

/// Add the nodes that each part owns to an answer: its member "parts", and a table.
/// @param report  names the node types   @param nodes  [P][T]
void tell_owned_nodes(const quality_report& report,
                      const std::vector<std::vector<std::uint64_t>>& nodes, answer& done);

/// The quality report as tables for people. @param cut_known  does it hold cut and volume?
std::string to_text(const quality_report& report, bool cut_known = true);

}  // namespace halograph::cli
