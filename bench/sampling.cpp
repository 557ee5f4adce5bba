// SPDX-License-Identifier: BSL-1.0
// needs: nlohmann_json boost_interprocess cli
// uses: mpi
// What sampling costs over ranks: seconds and bytes through the network for a million sampled
// edges, on 1, 2 and 4 ranks of this machine, structure and features apart. The samples are the
// same in each row.
#include "measure.hpp"
#include "table.hpp"
#include "words.hpp"
#include "yardsticks.hpp"

#include <halograph/adapters/boost_interprocess.hpp>
#include <halograph/adapters/nlohmann_json.hpp>
#if defined(HALOGRAPH_WITH_MPI)
#include <halograph/adapters/mpi.hpp>
#endif
#include <halograph/core/communicator.hpp>
#include <halograph/dist/block.hpp>
#include <halograph/dist/dist_graph.hpp>
#include <halograph/dist/open_dist_graph.hpp>
#include <halograph/dist/sample_neighbors.hpp>
#include <halograph/folder/targets.hpp>
#include <halograph/graph/generators.hpp>
#include <halograph/partition/ldg.hpp>
#include <halograph/pipeline/partition_graph.hpp>
#include <halograph/serial/tensor.hpp>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <span>
#include <string>
#include <vector>

namespace halograph::bench {

namespace {

using nlohmann::ordered_json;

constexpr std::uint64_t parts = 4, width = 64;

struct options {
  std::uint32_t scale = 18;
  std::uint64_t degree = 16;
  std::size_t batches = 32;  ///< of each part
  std::size_t batch = 1024;
  std::string scratch = "/dev/shm";
  std::string out{};     ///< the folder for sampling.json; "": none
  std::string config{};  ///< measure this folder, as one of several ranks
  std::string row{};     ///< the file for the results of rank 0
  bool quick = false;
};

/// Wraps a communicator and counts the bytes that this rank sends to others.
template <communicator Communicator>
class counting {
 public:
  explicit counting(const Communicator& to) : to_(&to) {}
  std::size_t rank() const { return to_->rank(); }
  std::size_t size() const { return to_->size(); }
  std::uint64_t bytes() const noexcept { return bytes_; }

  status barrier() const { return to_->barrier(); }
  status broadcast(std::span<std::byte> data, std::size_t root) const {
    if (root == rank()) bytes_ += data.size() * (size() - 1);
    return to_->broadcast(data, root);
  }
  status all_gather(std::span<const std::byte> mine, std::span<std::byte> all) const {
    bytes_ += mine.size() * (size() - 1);
    return to_->all_gather(mine, all);
  }
  status all_to_all(std::span<const std::byte> out, std::span<const std::uint64_t> out_counts,
                    std::span<std::byte> in, std::span<const std::uint64_t> in_counts) const {
    bytes_ += out.size() - (rank() < out_counts.size() ? out_counts[rank()] : 0);
    return to_->all_to_all(out, out_counts, in, in_counts);
  }
  status sum(std::span<std::uint64_t> values) const {
    bytes_ += values.size_bytes() * (size() - 1);
    return to_->sum(values);
  }

 private:
  const Communicator* to_;
  mutable std::uint64_t bytes_ = 0;
};

/// The sum over all ranks. @param value  this rank's
template <communicator Communicator>
std::uint64_t sum_of(const Communicator& ranks, std::uint64_t value) {
  check(ranks.sum(std::span(&value, 1)), "ranks cannot add up");
  return value;
}

/// Sample for the parts of this rank, batch by batch.
/// @return what all ranks found together
template <communicator Communicator>
ordered_json measure(const Communicator& to, const options& how) {
  const counting<Communicator> ranks(to);
  const auto g = open_dist_graph(
      ranks, how.config, folder_access(mapped_files{}, nlohmann_codec{}, built_in_formats{}));
  neighbor_sampler sampler(g, mapped_files{}, built_in_formats{});
  const auto feat = g.nodes().data("feat");
  const std::size_t most = (parts + ranks.size() - 1) / ranks.size();
  std::vector<std::uint32_t> table;
  std::uint64_t edges = 0, of_structure = 0, of_rows = 0;
  double drawing = 0, fetching = 0;
  std::vector<std::byte> rows;
  for (std::size_t turn = 0; turn < most; ++turn) {
    for (std::size_t b = 0; b < how.batches; ++b) {
      std::vector<std::int64_t> seeds;
      if (turn < sampler.parts().size()) {
        const auto inner = sampler.parts()[turn].part().inner_nodes();
        const std::uint64_t first = inner.begin +
                                    std::min<std::uint64_t>(inner.size(), b * how.batch);
        for (std::uint64_t v = first; v < std::min<std::uint64_t>(inner.end, first + how.batch);
             ++v)
          seeds.push_back(static_cast<std::int64_t>(v));
      }
      const std::size_t asking = std::min(turn,
                                          std::max<std::size_t>(1, sampler.parts().size()) - 1);
      check(ranks.barrier(), "ranks cannot meet");
      std::uint64_t before = ranks.bytes();
      block last;
      drawing += cost_of([&] {
                   for (const std::uint64_t fanout : {15u, 10u}) {
                     auto frontier = sampler.sample(seeds, {.fanout = {fanout}, .seed = b}, asking);
                     edges += frontier.num_edges();
                     last = to_block(std::move(frontier), table);
                     seeds = last.nodes;
                   }
                   check(ranks.barrier(), "ranks cannot meet");
                 }).wall;
      of_structure += ranks.bytes() - before;
      before = ranks.bytes();
      rows.resize(last.nodes.size() * feat.row_bytes());
      fetching += cost_of([&] {
                    feat.gather(last.nodes, rows);
                    check(ranks.barrier(), "ranks cannot meet");
                  }).wall;
      of_rows += ranks.bytes() - before;
    }
  }
  const double millions = static_cast<double>(sum_of(ranks, edges)) * 1e-6;
  const double structure = static_cast<double>(sum_of(ranks, of_structure)),
               fetched = static_cast<double>(sum_of(ranks, of_rows));
  return {{"ranks", ranks.size()},
          {"million_edges", millions},
          {"drawing_seconds_per_million", drawing / millions},
          {"fetching_seconds_per_million", fetching / millions},
          {"structure_bytes_per_million", structure / millions},
          {"row_bytes_per_million", fetched / millions}};
}

void print_row(const ordered_json& row) {
  const auto number = [&](const char* key) { return row.at(key).get<double>(); };
  std::printf("%5zu  %14.2f  %14.4f  %14.4f  %18s  %18s\n", row.at("ranks").get<std::size_t>(),
              number("million_edges"), number("drawing_seconds_per_million"),
              number("fetching_seconds_per_million"),
              human_size(number("structure_bytes_per_million")).c_str(),
              human_size(number("row_bytes_per_million")).c_str());
  std::fflush(stdout);
}

void make_folder(const options& how, const std::string& folder) {
  const generators::rmat g{.scale = how.scale, .edge_factor = how.degree, .seed = 1};
  feature_set features;
  features.nodes.push_back(
      {0, "feat",
       tensor::from(std::vector<float>(static_cast<std::size_t>(g.num_nodes() * width)),
                    {g.num_nodes(), width})});
  partition_graph(g, ldg{.parts = parts}, native_folder{folder},
                  {.graph_name = "bench", .hops = 1, .features = features, .save_mapping = true});
}

void measure_all(options how, const std::string& self) {
  if (!how.out.empty()) make_output_folder(how.out);
  const auto here = this_machine();
  std::cout << in_words(here) << '\n' << warning(here);
  std::cout << "memcpy on one core: " << human_size(memcpy_bandwidth(1, std::size_t{1} << 28))
            << "/s\n";
  std::cout << "rmat " << how.scale << ", " << parts << " parts by LDG, 1 hop; fan-outs 15 and 10, "
            << how.batches << " batches of " << how.batch << " seeds for each part; rows of "
            << width * sizeof(float) << " bytes\n\n";
  const std::string folder = how.scratch + "/halograph-bench-sampling." + std::to_string(getpid());
  const struct removed {
    const std::string& folder;
    ~removed() {
      std::error_code ignored;
      std::filesystem::remove_all(folder, ignored);
    }
  } at_the_end{folder};
  make_folder(how, folder);
  how.config = folder + "/bench.json";
  std::cout << std::flush;
  for (const auto& head : {std::array{"", "sampled", "drawing", "fetching", "structure", "rows"},
                           std::array{"ranks", "million edges", "s per million", "s per million",
                                      "per million", "per million"}}) {
    std::printf("%5s  %14s  %14s  %14s  %18s  %18s\n", head[0], head[1], head[2], head[3], head[4],
                head[5]);
  }
  std::fflush(stdout);
  ordered_json all{{"machine", as_json(here)},
                   {"scale", how.scale},
                   {"degree", how.degree},
                   {"parts", parts},
                   {"batches", how.batches},
                   {"batch", how.batch},
                   {"row_bytes", width * sizeof(float)},
                   {"rows", ordered_json::array()}};
  all["rows"].push_back(measure(single_rank{}, how));
  print_row(all["rows"].back());
#if defined(HALOGRAPH_WITH_MPI)
  for (const char* const name : {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM",
                                 "OMPI_MCA_rmaps_base_oversubscribe"})
    setenv(name, "1", 0);
  for (const int ranks : {2, 4}) {
    const std::string row = folder + "/row" + std::to_string(ranks) + ".json";
    const std::string command = "mpirun -np " + std::to_string(ranks) + " '" + self +
                                "' --config '" + how.config + "' --row '" + row + "' --batches " +
                                std::to_string(how.batches) + " --batch " +
                                std::to_string(how.batch);
    if (std::system(command.c_str()) != 0) {
      std::cout << "not measured with " << ranks << " ranks: this failed: " << command << std::endl;
      continue;
    }
    std::ifstream found(row);
    all["rows"].push_back(ordered_json::parse(found));
    print_row(all["rows"].back());
  }
#else
  static_cast<void>(self);
  std::cout << "built without MPI: no more ranks\n";
#endif
  if (how.out.empty()) return;
  write_file(how.out + "/sampling.json", all.dump(2) + "\n");
}

}  // namespace

}  // namespace halograph::bench

int main(int count, char** words) {
  halograph::bench::options how;
  CLI::App app("what sampling costs over ranks");
  app.add_option("--scale", how.scale, "R-MAT of 2^scale nodes");
  app.add_option("--degree", how.degree, "edges per node");
  app.add_option("--batches", how.batches, "batches of each part");
  app.add_option("--batch", how.batch, "seeds of a batch");
  app.add_option("--scratch", how.scratch, "where partitions are written");
  app.add_option("--out", how.out, "where sampling.json goes");
  app.add_option("--config", how.config, "measure this folder, as one of several ranks");
  app.add_option("--row", how.row, "where rank 0 then leaves what it found");
  app.add_flag("--quick", how.quick, "a smaller graph, fewer batches");
  CLI11_PARSE(app, count, words);
  if (how.quick) {
    how.scale = std::min<std::uint32_t>(how.scale, 14);
    how.batches = std::min<std::size_t>(how.batches, 4);
  }
  return halograph::bench::answer_of([&] {
    if (how.config.empty()) {
      halograph::bench::measure_all(how, std::filesystem::canonical("/proc/self/exe").string());
      return 0;
    }
#if defined(HALOGRAPH_WITH_MPI)
    if (halograph::launched_by_mpi()) {
      const halograph::mpi_session session;
      const halograph::mpi_ranks ranks;
      const auto row = halograph::bench::measure(ranks, how);
      if (ranks.rank() == 0 && !how.row.empty())
        halograph::bench::write_file(how.row, row.dump() + "\n");
      return 0;
    }
#endif
    halograph::bench::print_row(halograph::bench::measure(halograph::single_rank{}, how));
    return 0;
  });
}
