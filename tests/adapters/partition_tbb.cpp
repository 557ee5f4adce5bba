// SPDX-License-Identifier: BSL-1.0
// oneTBB's threads as an executor; partition_graph writes the same bytes on any number of them.
#include "support/partition_model.hpp"
#include "support/temporary_folder.hpp"

#include <halograph/adapters/tbb.hpp>
#include <halograph/folder/targets.hpp>
#include <halograph/partition/random.hpp>
#include <halograph/pipeline/partition_graph.hpp>
#include <halograph/serial/digest.hpp>
#include <halograph/testing/laws/core.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <set>
#include <span>
#include <stdexcept>
#include <string>

namespace {

namespace fs = std::filesystem;
namespace hg = halograph;
namespace ht = halograph::testing;

/// One number for every name and byte below a folder.
std::uint64_t digest_of(const std::string& folder) {
  std::set<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.insert(entry.path());
  }
  EXPECT_GE(files.size(), 26u);
  hg::digest64 out;
  for (const auto& file : files) {
    const std::string name = fs::relative(file, folder).string(),
                      bytes = ht::content_of(file.string());
    out.update(std::as_bytes(std::span(name))).update(std::as_bytes(std::span(bytes)));
  }
  return out.value();
}

TEST(tbb_threads, obey_the_laws_of_executors) {
  for (const std::size_t threads : {1u, 2u, 3u, 8u}) {
    const auto verdict = hg::laws::executor(hg::tbb_threads(threads));
    EXPECT_TRUE(verdict) << threads << " threads: " << verdict.why;
  }
}

TEST(partition_tbb, gives_the_same_bytes_on_any_number_of_threads) {
  const auto data = ht::graph_h1(ht::few::nothing, 3, 300);
  ht::temporary_folder scratch;
  hg::partition_options options;
  options.hops = 2;
  options.save_mapping = true;
  const hg::random_parts policy{.parts = 5, .seed = 2};
  hg::partition_graph(data, policy, hg::dgl_folder{.path = scratch("alone")}, options);
  const auto wanted = digest_of(scratch("alone"));
  for (const std::size_t threads : {1u, 2u, 3u}) {
    const std::string out = scratch("threads" + std::to_string(threads));
    const hg::tbb_threads run(threads);
    options.executor = run;
    hg::partition_graph(data, policy, hg::dgl_folder{.path = out}, options);
    EXPECT_EQ(digest_of(out), wanted) << threads;
  }
}

TEST(partition_tbb, stops_cleanly_where_the_callback_throws) {
  const auto data = ht::graph_h1(ht::few::nothing, 4, 300);
  ht::temporary_folder scratch;
  hg::partition_options options;
  options.on_progress = [](const hg::progress& at) {
    if (at.done == 2) throw std::runtime_error("stop");
  };
  const hg::tbb_threads run(3);
  options.executor = run;
  EXPECT_THROW(hg::partition_graph(data, hg::random_parts{.parts = 6},
                                   hg::dgl_folder{.path = scratch("out")}, options),
               std::runtime_error);
  EXPECT_TRUE(fs::is_empty(scratch()));
}

}  // namespace
