// SPDX-License-Identifier: BSL-1.0
#include "assign_kinds.hpp"

#include <halograph/pipeline/out_of_core/assign.hpp>

#include <array>
#include <cstddef>
#include <memory>

namespace halograph::cli {

namespace {

struct streamed_policy : erased_policy {
  struct stream {
    std::shared_ptr<const chosen_policy> policy{};
    std::unique_ptr<policy_stream> inner{};

    void run_on(executor_ref threads) { inner->run_on(threads); }
    status finish() { return inner->finish(); }
    void fetch(std::span<const std::uint64_t> soon) const { inner->fetch(soon); }

    /// Neighbors go on in blocks, so that a call for each of them stays in one place.
    template <class Neighbors>
    status push(std::uint64_t v, const Neighbors& neighbors) {
      const auto in_blocks = [&neighbors](function_ref<void(std::span<const std::uint64_t>)> take) {
        std::array<std::uint64_t, 64> block;
        std::size_t filled = 0;
        neighbors([&](auto u) {
          block[filled++] = static_cast<std::uint64_t>(u);
          if (filled < block.size()) return;
          take(block);
          filled = 0;
        });
        if (filled != 0) take(std::span<const std::uint64_t>(block).first(filled));
      };
      return inner->push(v, in_blocks);
    }
  };

  stream_order order;

  explicit streamed_policy(const chosen_policy& policy)
      : erased_policy(policy), order(policy.order()) {}
  std::size_t stream_scratch_size(const stream_shape& shape) const {
    return chosen()->stream_scratch_size(shape);
  }
  std::uint64_t stream_bytes(const stream_shape& shape) const {
    return chosen()->stream_bytes(shape);
  }
  status begin(const stream_shape& shape, std::span<part_id> owner, std::span<std::uint64_t> memory,
               stream& out) const {
    out.policy = chosen();
    return out.policy->begin(shape, owner, memory, out.inner);
  }
};
static_assert(streaming_partitioner<streamed_policy>);

}  // namespace

assign_result assign_streamed(const assign_job& job) {
  return assign_chunked(job.graph, streamed_policy(job.policy), job.target, job.options,
                        job.threads, job.ranks);
}

}  // namespace halograph::cli
