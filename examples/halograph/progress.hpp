// SPDX-License-Identifier: BSL-1.0
/// @file progress.hpp
/// The steps of one run: shown on a terminal as they go on, measured, summed up at the end, ended
/// by a signal.
///
/// A subcommand hands `show_progress()` to the library, and wraps what it does itself in
/// `step("read", ...)`. The rest happens in one place: the line on a terminal, the table and the
/// "steps" of --json, SIGTERM.
#pragma once

#include <halograph/core/progress.hpp>
#include <halograph/serial/json.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph::cli {

/// One step, measured. A step that is entered several times is one line.
struct measured_step {
  std::string name{};
  double seconds = 0;
  std::uint64_t bytes = 0;  ///< what the step says it worked through; else what was read, mapped
                            ///< and written meanwhile
  std::uint64_t read_bytes = 0, written_bytes = 0;  ///< by this process, mapped ones as read
  /// the process's highest resident memory up to the end of the step
  std::uint64_t peak_bytes = 0;
};

/// A callback for the library: shows the step where standard error is a terminal (what, how far,
/// rate, time left), measures it everywhere, and ends the run by an exception where a signal asked
/// for it.
progress_callback show_progress();

/// A new step of the run begins; the one before it is over. @errors canceled: a signal came
void begin_step(std::string_view name);

/// Run a step that is the subcommand's own: step("read", [&] { return read(...); }).
template <class Work>
decltype(auto) step(std::string_view name, Work&& work) {
  begin_step(name);
  return std::forward<Work>(work)();
}

/// Bytes of a file that is mapped and about to be read: they count for the step's rate. input_files
/// does so.
void count_bytes(std::uint64_t bytes);
/// While one lives nothing is counted: files are opened to look at their beginnings, not to be
/// read.
class uncounted_bytes {
 public:
  uncounted_bytes();
  ~uncounted_bytes();
  uncounted_bytes(const uncounted_bytes&) = delete;
  uncounted_bytes& operator=(const uncounted_bytes&) = delete;
};

/// End the last step and give all of them, in the order in which they began.
std::vector<measured_step> finished_steps();

/// The table for people, and the "steps" of --json: [{name, seconds, bytes, read_bytes,
/// written_bytes, peak_bytes}]. @param edges  of the graph, for what is read and written for each;
/// 0: not known
std::string to_text(const std::vector<measured_step>& steps, std::uint64_t edges);
json::value to_json(const std::vector<measured_step>& steps);

/// From now on SIGTERM, SIGINT and SIGHUP end the run: at the next report of progress by an
/// exception, so that what was staged is removed or kept for --resume; where none comes within some
/// seconds, or at a second signal, at once. To be called before any thread is started.
/// @param json  what ends the run at once answers in JSON too  @param command  the subcommand's
///     name
void end_on_signals(bool json, std::string command);

/// What a signal that ends the run does besides, at most once and a moment later: for what the next
/// run would not find, where a launcher gives the ranks no time to end together. Called on another
/// thread. @param clean  null: no more
void clean_on_signals(std::function<void()> clean);

/// Show no progress and no notes from now on.
void be_quiet(bool quiet);
bool is_quiet();

/// Leave the line that shows progress, for a message on standard error.
void end_line();

/// The run is decided: a signal changes nothing any more.
void ignore_signals();

}  // namespace halograph::cli
