// SPDX-License-Identifier: BSL-1.0
// Training over partitions: two layers of mean aggregation learn, from sampled neighbors, the mean
// over all of them. The loss is the same, bit for bit, on one process and under mpirun with any
// number of ranks.
// needs: hosted, component metis
//
//   example_train_mean [CONFIG.json]     a folder with a float32 node feature "feat"; by default it
//   cuts a graph of its own
#include <halograph/adapters/metis.hpp>
#include <halograph/comm/collective_errors.hpp>
#include <halograph/dist/block.hpp>
#include <halograph/dist/dist_graph.hpp>
#include <halograph/dist/open_dist_graph.hpp>
#include <halograph/dist/sample_neighbors.hpp>
#include <halograph/graph/generators.hpp>
#include <halograph/hosted.hpp>
#include <halograph/hosted/dist.hpp>
#include <halograph/pipeline/partition_graph.hpp>
#if defined(HALOGRAPH_WITH_MPI)
#include <halograph/adapters/mpi.hpp>
#endif

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <iostream>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace hg = halograph;

namespace {

using row = std::vector<float>;

constexpr int all_failed = 1, this_rank_failed = 2;
const std::string own_config = "train_mean.parts/own.json";

/// A graph of 512 nodes with 4 random features each, cut into 4 parts.
void cut_a_graph() {
  const hg::generators::rmat graph{.scale = 9, .edge_factor = 8, .seed = 7};
  hg::random_stream draw(7);
  row feat(4 * graph.num_nodes());
  for (float& value : feat) value = static_cast<float>(draw.below(1024)) / 1024;
  hg::feature_set features;
  features.nodes.push_back({0, "feat", hg::tensor::from(std::move(feat), {graph.num_nodes(), 4})});
  hg::partition_graph(graph, hg::metis{.parts = 4, .seed = 1},
                      hg::native_folder{"train_mean.parts"},
                      {.graph_name = "own", .hops = 2, .features = features});
}

/// out = W_self x(self) + W_mean x(mean of neighbors); both weight matrices are stored end to end,
/// row by row.
struct layer {
  std::size_t in = 0, out = 0;
  std::size_t size() const { return 2 * in * out; }
  void forward(std::span<const float> weights, const float* self, const float* mean,
               float* result) const {
    for (std::size_t o = 0; o < out; ++o) {
      result[o] = 0;
      for (std::size_t i = 0; i < in; ++i) {
        result[o] += weights[o * in + i] * self[i] + weights[(out + o) * in + i] * mean[i];
      }
    }
  }
  /// Adds to the gradient of the weights, given that of the result.
  void backward(std::span<float> gradient, const float* self, const float* mean,
                const float* of_result) const {
    for (std::size_t o = 0; o < out; ++o) {
      for (std::size_t i = 0; i < in; ++i) {
        gradient[o * in + i] += of_result[o] * self[i];
        gradient[(out + o) * in + i] += of_result[o] * mean[i];
      }
    }
  }
};

/// The mean of the sources of each destination of a block; [destinations x width]
row means(const hg::block& block, const row& of_sources, std::size_t width) {
  row mean(static_cast<std::size_t>(block.num_dst) * width);
  for (std::size_t v = 0; v < block.num_dst; ++v) {
    const auto first = static_cast<std::size_t>(block.offsets[v]),
               last = static_cast<std::size_t>(block.offsets[v + 1]);
    for (std::size_t e = first; e < last; ++e) {
      for (std::size_t i = 0; i < width; ++i)
        mean[v * width + i] += of_sources[block.sources[e] * width + i] /
                               static_cast<float>(last - first);
    }
  }
  return mean;
}

template <hg::communicator Communicator>
void train(const Communicator& ranks, const std::string& config) {
  constexpr std::size_t steps = 60, batch = 64, hidden = 8;
  constexpr float rate = 0.1F;
  const auto g = hg::open_dist_graph(
      ranks, config,
      hg::folder_access(hg::mapped_files{}, hg::nlohmann_codec{}, hg::built_in_formats{}));
  hg::neighbor_sampler sampler(g, hg::mapped_files{}, hg::built_in_formats{});
  std::optional<hg::dist_rows> found;
  hg::run_collective(ranks, [&] {  // all ranks report the same error of the folder
    found = g.nodes().data("feat");
    if (found->type() != hg::dtype::float32 || found->rows() == 0) {
      hg::raise(hg::error_kind::mismatch,
                "found " + std::to_string(found->rows()) + " rows of dtype " +
                    std::string(hg::name(found->type())) +
                    " in feature \"feat\"; training needs rows of float32",
                {.file = config, .line = {}, .byte = {}});
    }
  });
  const auto& feat = *found;
  const auto width = static_cast<std::size_t>(hg::element_count(feat.row_shape()));
  const auto rows_of = [&](const std::vector<std::int64_t>&
                               nodes) {  // of one type, typed and global IDs are the same
    row rows(nodes.size() * width);
    feat.gather(nodes, std::as_writable_bytes(std::span(rows)));
    return rows;
  };

  const layer first{width, hidden}, second{hidden, 1};
  row weights(first.size() + second.size());
  hg::random_stream init(1);
  for (float& w : weights) w = (static_cast<float>(init.below(2001)) - 1000) / 2000;
  const auto w1 = std::span(weights).first(first.size()),
             w2 = std::span(weights).subspan(first.size());

  // This rank's share of each batch, and a row of gradient and loss for each seed: summed in the
  // order of the batch, so that the sum does not depend on which rank computed which row.
  const auto mine = hg::block_range(batch, ranks.rank(), ranks.size());
  const std::size_t slot = weights.size() + 1, most = (batch + ranks.size() - 1) / ranks.size();
  for (std::size_t step = 0; step < steps; ++step) {
    auto draw = hg::random_stream::at(2, step);
    std::vector<std::int64_t> all;
    while (all.size() < std::min<std::uint64_t>(batch, g.num_nodes())) {
      const auto v = static_cast<std::int64_t>(draw.below(g.num_nodes()));
      if (std::find(all.begin(), all.end(), v) == all.end()) all.push_back(v);
    }
    const auto begin = std::min<std::size_t>(all.size(), mine.begin),
               end = std::min<std::size_t>(all.size(), mine.end);
    const std::vector<std::int64_t> seeds(all.begin() + static_cast<std::ptrdiff_t>(begin),
                                          all.begin() + static_cast<std::ptrdiff_t>(end));

    // The target: the mean of the first feature over all in-neighbors.
    const auto truth = hg::to_block(hg::in_subgraph(sampler, seeds));
    const row target = means(truth, rows_of(truth.nodes), width);

    // Two layers of sampled neighbors, outermost last.
    const auto near = hg::to_block(
        hg::sample_neighbors(sampler, seeds, {.fanout = {8}, .seed = 2 * step}));
    const auto far = hg::to_block(
        hg::sample_neighbors(sampler, near.nodes, {.fanout = {4}, .seed = 2 * step + 1}));
    const row x = rows_of(far.nodes), mean_x = means(far, x, width);
    row h(near.num_src() * hidden);
    for (std::size_t v = 0; v < near.num_src(); ++v) {
      first.forward(w1, &x[v * width], &mean_x[v * width], &h[v * hidden]);
      for (std::size_t i = 0; i < hidden; ++i)
        h[v * hidden + i] = std::max(0.0F, h[v * hidden + i]);
    }
    const row mean_h = means(near, h, hidden);

    row gradients(most * slot);
    for (std::size_t s = 0; s < seeds.size(); ++s) {
      float out = 0;
      second.forward(w2, &h[s * hidden], &mean_h[s * hidden], &out);
      const float wrong = out - target[s * width];
      const auto gradient = std::span(gradients).subspan(s * slot, slot);
      gradient.back() = wrong * wrong;
      second.backward(gradient.subspan(first.size(), second.size()), &h[s * hidden],
                      &mean_h[s * hidden], &wrong);
      const auto back = [&](std::size_t v, std::span<const float> through, float share) {
        row of_h(hidden);
        for (std::size_t i = 0; i < hidden; ++i)
          of_h[i] = h[v * hidden + i] > 0 ? wrong * through[i] * share : 0;
        first.backward(gradient.first(first.size()), &x[v * width], &mean_x[v * width],
                       of_h.data());
      };
      back(s, w2.first(hidden), 1);
      const auto from = static_cast<std::size_t>(near.offsets[s]),
                 to = static_cast<std::size_t>(near.offsets[s + 1]);
      for (std::size_t e = from; e < to; ++e)
        back(near.sources[e], w2.subspan(hidden), 1 / static_cast<float>(to - from));
    }
    row everyones(most * slot * ranks.size());
    hg::check(ranks.all_gather(std::as_bytes(std::span(gradients)),
                               std::as_writable_bytes(std::span(everyones))),
              "ranks cannot exchange gradients");

    row sum(slot);
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      const auto share = hg::block_range(batch, r, ranks.size());
      for (std::size_t s = 0; s < share.size(); ++s) {
        for (std::size_t i = 0; i < slot; ++i) sum[i] += everyones[(r * most + s) * slot + i];
      }
    }
    const float seeds_in_all = static_cast<float>(all.size());
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] -= rate * sum[i] / seeds_in_all;
    if (ranks.rank() == 0 && (step % 10 == 0 || step + 1 == steps)) {
      std::printf("step %2zu: loss %.7f\n", step, static_cast<double>(sum.back() / seeds_in_all));
    }
  }
}

template <hg::communicator Communicator>
int run(const Communicator& ranks, int count, char** words) {
  try {
    const bool given = count > 1;
    hg::run_collective(ranks, [&] {
      if (!given && ranks.rank() == 0) cut_a_graph();
    });
    train(ranks, given ? words[1] : own_config);
    return 0;
  } catch (const hg::joint_error& problem) {  // thrown by all ranks: one prints it, and none waits
    if (ranks.rank() == 0) std::cerr << "train_mean: " << problem.what() << '\n';
    return all_failed;
  } catch (const std::exception& problem) {
    std::cerr << "train_mean: " << problem.what() << '\n';
    return this_rank_failed;
  }
}

}  // namespace

int main(int count, char** words) {
#if defined(HALOGRAPH_WITH_MPI)
  if (hg::launched_by_mpi()) {
    const hg::mpi_session session;
    const int code = run(hg::mpi_ranks(), count, words);
    if (code == this_rank_failed) session.stop_all(1);  // the others may be waiting for it
    return code == 0 ? 0 : 1;
  }
#endif
  return run(hg::single_rank{}, count, words) == 0 ? 0 : 1;
}
