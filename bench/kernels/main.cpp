// SPDX-License-Identifier: BSL-1.0
// needs: tbb nlohmann_json boost_interprocess benchmark
// Kernels as ladders, on an R-MAT graph of --scale S (default 18), with --threads N (default: all)
// for the rungs that take an executor and --ids N random IDs; further flags are Google Benchmark's.
#include "ladder.hpp"
#include "words.hpp"

#include <halograph/partition/assign.hpp>
#include <halograph/partition/random.hpp>

#include <benchmark/benchmark.h>

#include <charconv>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <string>
#include <string_view>
#include <system_error>

namespace {

namespace hb = halograph::bench;

/// Take `--flag value` out of the arguments. @return whether it is given, and a number
bool take(int& argc, char** argv, std::string_view flag, std::size_t& value) {
  for (int i = 1; i + 1 < argc; ++i) {
    if (argv[i] != flag) continue;
    const std::string_view text(argv[i + 1]);
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    for (int k = i; k + 2 <= argc; ++k) argv[k] = argv[k + 2];
    argc -= 2;
    return problem == std::errc{} && end == text.data() + text.size();
  }
  return true;
}

int run(int argc, char** argv) {
  std::size_t scale = 18, ids = 1000000,
              threads = std::max(1u, std::thread::hardware_concurrency());
  if (!take(argc, argv, "--scale", scale) || !take(argc, argv, "--threads", threads) ||
      !take(argc, argv, "--ids", ids) || scale == 0 || scale > 30 || threads == 0 ||
      threads > 4096 || ids == 0) {
    std::cerr << "--scale takes 1 to 30, --threads 1 to 4096, --ids a number above 0\n";
    return 2;
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;

  hb::subject s;
  s.threads = threads;
  s.many = halograph::tbb_threads(threads);
  s.ids = ids;
  s.g = hb::make_rmat(static_cast<std::uint32_t>(scale), 16, threads);
  s.owner = halograph::assign(s.g.view(), halograph::random_parts{.parts = s.parts});
  const std::size_t copied = std::size_t{1} << (scale < 14 ? 20 : 28);
  s.memcpy_one = hb::memcpy_bandwidth(1, copied, hb::time_base::cpu);  // as one thread is measured
  const double memcpy_all = hb::memcpy_bandwidth(threads, copied);
  const auto plain = [&](std::size_t on) {
    return hb::digits(hb::count_and_scatter_cost(s.g.target, s.g.source, s.g.nodes, on).wall * 1e9 /
                      s.edges()) +
           " ns/edge";
  };

  const auto here = hb::this_machine();
  benchmark::AddCustomContext("processor", here.processor);
  benchmark::AddCustomContext("compiler", here.compiler + " " + here.flags);
  if (const auto busy = hb::warning(here); !busy.empty())
    benchmark::AddCustomContext("warning", busy.substr(0, busy.size() - 1));
  benchmark::AddCustomContext("graph", s.g.name + ", " + std::to_string(s.g.nodes) + " nodes, " +
                                           std::to_string(s.g.edges()) + " edges");
  benchmark::AddCustomContext("memcpy on 1 core", hb::digits(s.memcpy_one / 1e9) + " GB/s");
  benchmark::AddCustomContext("memcpy on " + std::to_string(threads) + " cores",
                              hb::digits(memcpy_all / 1e9) + " GB/s");
  benchmark::AddCustomContext("count and scatter on 1 core", plain(1));
  benchmark::AddCustomContext("count and scatter on " + std::to_string(threads) + " cores",
                              plain(threads));

  std::string folder = (std::filesystem::exists("/dev/shm")
                            ? std::string("/dev/shm")
                            : std::filesystem::temp_directory_path().string()) +
                       "/halograph-bench-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) throw std::runtime_error("cannot make a folder " + folder);
  s.scratch = folder;
  for (const auto add_all : hb::ladder::all()) add_all(s);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  std::error_code problem;
  std::filesystem::remove_all(folder, problem);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& problem) {
    std::cerr << problem.what() << "\n";
    return 1;
  }
}
