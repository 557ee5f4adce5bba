// SPDX-License-Identifier: BSL-1.0
// expect: count_components.*id_row: owners need contiguous memory of integers
// expect: write_part_file.*id_row: owners need contiguous memory of integers
// expect: write_assignment.*id_row: owners need contiguous memory of integers
// expect: write_pyg.*id_row: owners need contiguous memory of integers
// expect: refine.*id_output: owners need contiguous memory of integers that can be written
// Every call that takes owners takes any contiguous memory of any integer type, and nothing else.
#include <halograph/folder/assignment_files.hpp>
#include <halograph/io/write_arrays.hpp>
#include <halograph/partition/connected/components.hpp>
#include <halograph/partition/refine.hpp>

#include <cstdint>
#include <list>
#include <string>
#include <vector>

namespace hg = halograph;

#ifdef MUST_FAIL
using owners = std::vector<double>;
using refined = const std::vector<int>;
#else
using owners = std::vector<short>;
using refined = std::vector<int>;
#endif

void use(const std::vector<std::vector<int>>& g, const owners& owner, refined& changed,
         const hg::streamed_graph& stream, hg::staged_folder& staged) {
  const std::vector<std::uint64_t> counts{3};
  hg::count_components(g, owner, 2);
  hg::write_part_file("graph.part.2", owner);
  hg::write_assignment("owners", hg::graph_schema::homogeneous(), counts, owner, 2, "random");
  hg::write_pyg(stream, owner, 2, staged);
  hg::refine(g, hg::label_propagation{.parts = 2}, changed);
}
