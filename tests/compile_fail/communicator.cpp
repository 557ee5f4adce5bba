// SPDX-License-Identifier: BSL-1.0
// expect: communicator: needs size_t rank\(\) const and size_t size\(\) const
// expect: communicator: needs status barrier\(\) const
// expect: communicator: needs status broadcast\(span<byte> data, size_t root\) const
// expect: communicator: needs status all_gather\(span<const byte> mine, span<byte> all\) const
// expect: communicator: needs status all_to_all\(span<const byte> out, span<const uint64_t> out_counts, span<byte> in, span<const uint64_t> in_counts\) const
// expect: communicator: needs status sum\(span<uint64_t> values\) const
#include <halograph/testing/archetypes.hpp>

namespace hg = halograph;

#ifdef MUST_FAIL
namespace model = halograph::near_miss;
#else
namespace model {
using communicator_without_size = hg::single_rank;
using communicator_without_barrier = hg::single_rank;
using communicator_without_root = hg::single_rank;
using communicator_of_one_length = hg::single_rank;
using communicator_of_int_counts = hg::single_rank;
using communicator_not_const = hg::single_rank;
}  // namespace model
#endif

hg::status tell(const hg::communicator auto& ranks) { return hg::agree(ranks, hg::status::ok); }
void tell_all() {
  (void)tell(model::communicator_without_size{});
  (void)tell(model::communicator_without_barrier{});
  (void)tell(model::communicator_without_root{});
  (void)tell(model::communicator_of_one_length{});
  (void)tell(model::communicator_of_int_counts{});
  (void)tell(model::communicator_not_const{});
}
