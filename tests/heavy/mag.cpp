// SPDX-License-Identifier: BSL-1.0
// The chunked pipeline on 27 million edges: every step in bounded memory, every byte of the result
// accounted for.
#include "support/temporary_folder.hpp"

#include <halograph/adapters/nlohmann_json.hpp>
#include <halograph/graph/mag.hpp>
#include <halograph/pipeline/out_of_core/budget.hpp>
#include <halograph/serial/json.hpp>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

namespace hg = halograph;

namespace {

constexpr std::uint64_t mib = std::uint64_t{1} << 20;

struct finished {
  int code = -1;                     // of exit, or -1
  std::uint64_t peak_anonymous = 0;  // bytes, as seen from outside
  std::string out{}, err{};
};

/// Anonymous resident bytes of a process, 0 where it is gone.
std::uint64_t anonymous_bytes_of(pid_t process) {
  const std::string status = hg::testing::content_of("/proc/" + std::to_string(process) +
                                                     "/status");
  auto at = status.find("RssAnon:");
  if (at == std::string::npos) return 0;
  at = status.find_first_of("0123456789", at);
  std::uint64_t kib = 0;
  std::from_chars(status.data() + at, status.data() + status.size(), kib);
  return kib * 1024;
}

class mag : public testing::Test {
 protected:
  /// Run the program and watch it.
  finished run(std::vector<std::string> arguments, int expected = 0) const {
    arguments.insert(arguments.begin(), HALOGRAPH_PROGRAM);
    std::vector<char*> words;
    for (auto& argument : arguments) words.push_back(argument.data());
    words.push_back(nullptr);
    const std::string out = folder("out"), err = folder("err");
    const auto start = std::chrono::steady_clock::now();
    const pid_t child = ::fork();
    if (child == 0) {
      constexpr int how = O_WRONLY | O_CREAT | O_TRUNC;
      if (::dup2(::open(out.c_str(), how, 0600), 1) < 0 ||
          ::dup2(::open(err.c_str(), how, 0600), 2) < 0)
        ::_exit(126);
      ::execv(words[0], words.data());
      ::_exit(127);
    }
    finished done;
    int status = 0;
    while (::waitpid(child, &status, WNOHANG) == 0) {
      done.peak_anonymous = std::max(done.peak_anonymous, anonymous_bytes_of(child));
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    done.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    done.out = hg::testing::content_of(out);
    done.err = hg::testing::content_of(err);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    std::cout << arguments[1] << ": " << took.count() << " s, " << done.peak_anonymous / mib
              << " MiB\n";
    EXPECT_EQ(done.code, expected) << done.out << done.err;
    return done;
  }

  /// A count in the answer, found by its path.
  static std::uint64_t number(const finished& done, const std::vector<const char*>& path) {
    hg::json::value answer;
    EXPECT_EQ(hg::nlohmann_codec{}.parse(done.out, answer), hg::status::ok) << done.out;
    const hg::json::value* at = &answer;
    for (const char* key : path) {
      if (at != nullptr) at = at->find(key);
    }
    std::uint64_t value = 0;
    EXPECT_TRUE(at != nullptr && at->to_uint(value)) << path.back() << " in " << done.out;
    return value;
  }

  hg::testing::temporary_folder folder{};
};

TEST_F(mag, a_64th_is_cut_within_the_smallest_budget_and_nothing_is_lost) {
  const hg::generators::mag drawn({.numerator = 1, .denominator = 64});
  std::uint64_t nodes = 0, edges = 0;
  for (std::uint32_t t = 0; t < 3; ++t) {
    nodes += drawn.num_nodes(hg::generators::mag::node_type(t));
    edges += drawn.num_edges(hg::generators::mag::relation(t));
  }
  ASSERT_GT(edges, 26'900'000u);

  const auto made = run({"generate", "mag", "--scale", "1/64", "--feature-columns", "64",
                         "--chunks", "3", "--out", folder("graph"), "--json"});
  ASSERT_EQ(made.code, 0);
  // Blocks of rows and no more, though a column of IDs is ten times as large.
  EXPECT_LT(made.peak_anonymous, 64 * mib);

  const auto assigned = run({"assign", "--in-dir", folder("graph"), "--out-dir", folder("assigned"),
                             "--num-partitions", "4", "--method", "ldg", "--memory", "256MiB",
                             "--json"});
  ASSERT_EQ(assigned.code, 0);
  EXPECT_LT(assigned.peak_anonymous, 320 * mib);

  // Less than the least is refused; the least is kept.
  const auto dispatch_within = [&](std::uint64_t budget, int expected) {
    return run({"dispatch", "--in-dir", folder("graph"), "--partitions-dir", folder("assigned"),
                "--out-dir", folder("parts"), "--threads", "2", "--memory", std::to_string(budget),
                "--json"},
               expected);
  };
  const auto refused = dispatch_within(mib, 1);
  const std::string before = "smallest that suffices is ";
  const auto at = refused.out.find(before);
  ASSERT_NE(at, std::string::npos) << refused.out;
  std::uint64_t least = 0;
  std::from_chars(refused.out.data() + at + before.size(), refused.out.data() + refused.out.size(),
                  least);
  ASSERT_GT(least, nodes * 4 / mib);
  const std::uint64_t budget = least * mib;
  const auto dispatched = dispatch_within(budget, 0);
  ASSERT_EQ(dispatched.code, 0);
  EXPECT_GT(dispatched.peak_anonymous, nodes * 4) << "the table by node is in it";
  EXPECT_LE(dispatched.peak_anonymous, budget + hg::dispatch_slack_bytes);
  EXPECT_LE(number(dispatched, {"peak_anonymous_bytes"}), budget + hg::dispatch_slack_bytes);
  EXPECT_EQ(number(dispatched, {"graph", "nodes"}), nodes);
  EXPECT_EQ(number(dispatched, {"graph", "edges"}), edges);

  const auto verified = run({"verify", folder("parts/mag.json"), "--against", folder("graph"),
                             "--assignment", folder("assigned"), "--json"});
  ASSERT_EQ(verified.code, 0);
  EXPECT_EQ(number(verified, {"parts"}), 4u);
  EXPECT_EQ(number(verified, {"nodes"}), nodes);
  EXPECT_EQ(number(verified, {"edges"}), edges);
  for (const char* check : {"edges", "crossing edges", "halo", "features", "input", "assignment"})
    EXPECT_EQ(number(verified, {"checks", check, "findings"}), 0u) << check;
}

}  // namespace
