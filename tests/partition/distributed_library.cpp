// SPDX-License-Identifier: BSL-1.0
// partition/distributed/library.hpp around a library of our own, without MPI.
#include "support/failing_ranks.hpp"
#include "support/sure_rank.hpp"

#include <halograph/partition/distributed/library.hpp>
#include <halograph/testing/distributed_pieces.hpp>
#include <halograph/testing/small_graphs.hpp>
#include <halograph/testing/thread_ranks.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace hg = halograph;

namespace {

using hg::status;
using hg::detail::library_reason;
using hg::detail::library_totals;
using piece = hg::distributed_piece<>;

/// A rank with what MPI would call its communicator.
struct rank_with_handle : hg::testing::sure_rank {
  using sure_rank::sure_rank;
  static constexpr int handle() { return 7; }
};

constexpr int none = -1, refused = 1, undefined = -2;

/// What the library is asked on one rank, and what it answers.
struct toy_library {
  using index = std::int16_t;
  bool has_group = true;
  status prepared = status::ok, answer = status::ok;
  index part_of_odd = 1;
  library_totals totals{};
  hg::detail::library_rows<index> rows{};
  int calls = 0;
  static inline thread_local int freed = 0, colour = 0;

  template <class View>
  status prepare(const View& local, const library_totals& sums) {
    totals = sums;
    rows.fill(local, sums);
    return prepared;
  }
  auto group() const {
    const auto split = [works = has_group](int all, int how, int, int* made) {
      EXPECT_EQ(all, rank_with_handle::handle());
      colour = how;
      if (works) *made = 8;
      return works ? 0 : refused;
    };
    const auto free = [](int* handle) {
      EXPECT_EQ(*handle, 8);
      return ++freed;
    };
    return hg::detail::rank_group(none, split, free, undefined, 0);
  }
  template <class Group>
  status call(const Group& group, std::span<index> out) {
    EXPECT_EQ(group.get(), 8);
    ++calls;
    for (std::size_t v = 0; v < out.size(); ++v) out[v] = v % 2 == 0 ? index{0} : part_of_odd;
    return answer;
  }
};

/// The path 0 - 1 - 2 - 3 - 4, of which rank 1 has nothing.
struct outcome {
  std::vector<status> answers = std::vector<status>(3);
  std::vector<toy_library> libraries = std::vector<toy_library>(3);
  std::vector<std::vector<std::uint8_t>> owners{{9, 9}, {}, {9, 9, 9}};
  std::vector<int> freed = std::vector<int>(3), colours = std::vector<int>(3);
};
outcome run(const std::function<void(toy_library&, piece&, std::size_t)>& change,
            std::uint64_t parts = 2, status checked = status::ok) {
  outcome out;
  const std::vector<std::uint64_t> ranges{0, 2, 2, 5};
  hg::run_ranks(3, [&](const hg::thread_rank& ranks) {
    const std::size_t r = ranks.rank();
    piece mine = hg::piece_of(hg::small_graphs()[4], ranges, r);
    change(out.libraries[r], mine, r);
    toy_library::freed = toy_library::colour = 0;
    out.answers[r] = hg::detail::assign_by_library(rank_with_handle(ranks), mine.view(), 5,
                                                   r == 2 ? checked : status::ok, parts,
                                                   std::span(out.owners[r]), out.libraries[r]);
    out.freed[r] = toy_library::freed;
    out.colours[r] = toy_library::colour;
  });
  EXPECT_EQ(out.answers[0], out.answers[1]);
  EXPECT_EQ(out.answers[0], out.answers[2]);
  EXPECT_EQ(out.answers[0].position, out.answers[2].position);
  return out;
}
constexpr auto as_it_is = [](toy_library&, piece&, std::size_t) {};

TEST(assign_by_library, calls_it_on_the_ranks_that_hold_nodes) {
  const auto out = run(as_it_is);
  EXPECT_EQ(out.answers[0], status::ok);
  EXPECT_EQ(out.owners, (std::vector<std::vector<std::uint8_t>>{{0, 1}, {}, {0, 1, 0}}));
  const auto& libraries = out.libraries;
  EXPECT_EQ(libraries[0].calls, 1);
  EXPECT_EQ(libraries[1].calls, 0);
  EXPECT_EQ(libraries[2].calls, 1);
  EXPECT_EQ(out.freed, (std::vector<int>{1, 1, 1}));
  EXPECT_EQ(out.colours, (std::vector<int>{0, undefined, 0}));
  for (const toy_library& one : libraries) {
    EXPECT_EQ(one.totals.entries, 8u);
    EXPECT_EQ(one.totals.edge_weight, 8u);
    EXPECT_EQ(one.totals.largest, 8u);
    EXPECT_FALSE(one.totals.has_loads || one.totals.has_weights);
  }
  EXPECT_EQ(libraries[0].rows.offsets, (std::vector<std::int16_t>{0, 1, 3}));
  EXPECT_EQ(libraries[0].rows.neighbors, (std::vector<std::int16_t>{1, 0, 2}));
}

TEST(assign_by_library, gives_loads_and_weights_where_some_rank_has_them) {
  const auto out = run([](toy_library&, piece& mine, std::size_t rank) {
    if (rank == 2) mine.node_weights = {3, 0, 5};
    mine.edge_weights.assign(mine.neighbors.size(), 4);
  });
  EXPECT_EQ(out.answers[0], status::ok);
  for (const toy_library& one : out.libraries) {
    EXPECT_TRUE(one.totals.has_loads && one.totals.has_weights);
    EXPECT_EQ(one.totals.entries, 8u);
    EXPECT_EQ(one.totals.edge_weight, 32u);
    EXPECT_EQ(one.totals.largest, 32u);
  }
  using row = std::vector<std::int16_t>;
  EXPECT_EQ(out.libraries[0].rows.loads, (row{1, 1}));
  EXPECT_EQ(out.libraries[2].rows.loads, (row{3, 0, 5}));
  EXPECT_EQ(out.libraries[0].rows.weights, (row{4, 4, 4}));
  EXPECT_EQ(out.libraries[1].rows.weights, (row{1}));  // no null pointer where there is no edge
  const auto idle = run([](toy_library&, piece& mine, std::size_t) {
    mine.node_weights.assign(mine.view().num_nodes(), 0);
  });
  EXPECT_FALSE(idle.libraries[0].totals.has_loads);
}

TEST(assign_by_library, every_rank_has_the_error_of_one) {
  const auto reason = [](const outcome& out) { return hg::detail::reason_of(out.answers[0]); };
  const auto on_2 = [](auto change) {
    return run([change](toy_library& library, piece&, std::size_t rank) {
      if (rank == 2) change(library);
    });
  };
  EXPECT_EQ(run(as_it_is, 2, status::infeasible).answers[0], status::infeasible);
  EXPECT_EQ(on_2([](toy_library& one) { one.prepared = status::capacity; }).answers[0],
            status::capacity);
  EXPECT_EQ(on_2([](toy_library& one) { one.answer = status::internal; }).answers[0],
            status::internal);
  const auto no_group = on_2([](toy_library& one) { one.has_group = false; });
  EXPECT_EQ(reason(no_group), library_reason::no_mpi);
  EXPECT_EQ(no_group.freed, (std::vector<int>{1, 1, 0}));
  EXPECT_EQ(no_group.libraries[0].calls, 0);
  for (const std::int16_t part : {std::int16_t{-1}, std::int16_t{2}})
    EXPECT_EQ(reason(on_2([part](toy_library& one) { one.part_of_odd = part; })),
              library_reason::parts);
  // A sum of weights that the integers of the library do not hold.
  const auto heavy = [&](std::int64_t weight) {
    return run([weight](toy_library&, piece& mine, std::size_t) {
      mine.edge_weights.assign(mine.neighbors.size(), weight);
    });
  };
  EXPECT_EQ(heavy(4095).answers[0], status::ok);  // 8 x 4095 = 32760
  const auto too_heavy = heavy(4096);
  EXPECT_EQ(too_heavy.answers[0], status::overflow);
  EXPECT_EQ(reason(too_heavy), library_reason::index);
  EXPECT_EQ(too_heavy.libraries[0].calls, 0);
}

TEST(library_options, are_parts_that_its_integers_count_and_a_tolerance) {
  const std::vector<std::uint16_t> owner(4);
  const auto check = [&](std::uint64_t parts, double tolerance) {
    return hg::detail::check_library_options<std::int8_t>(parts, tolerance, 4,
                                                          std::span<const std::uint16_t>(owner));
  };
  const auto reason = [&](std::uint64_t parts, double tolerance) {
    return hg::detail::reason_of(check(parts, tolerance));
  };
  EXPECT_EQ(check(126, 0.03), status::ok);
  EXPECT_EQ(reason(127, 0.03), library_reason::index);
  EXPECT_EQ(check(2, 1e6), status::ok);
  for (const double bad : {0.0, -1.0, 1.1e6, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_EQ(reason(2, bad), library_reason::tolerance) << bad;
  EXPECT_EQ(reason(0, 0.03), library_reason::none);
  EXPECT_FALSE(check(0, 0.03));
  EXPECT_EQ(hg::detail::reason_of(status::ok.at(3)), library_reason::none);
  EXPECT_EQ(hg::detail::reason_of(status::ok.at(~std::uint64_t{0})), library_reason::none);
}

TEST(library_options, errors_have_a_sentence) {
  const auto sentence = [](library_reason reason) {
    return hg::detail::explain_library<std::uint8_t>(
        hg::detail::library_status(hg::error_kind::io, reason), 2, "Toy", 16);
  };
  EXPECT_EQ(sentence(library_reason::index),
            "the graph has more nodes, neighbors or weight than a Toy of 16 bits can count");
  EXPECT_EQ(sentence(library_reason::failed), "Toy failed; it may not have had enough memory");
  EXPECT_EQ(sentence(library_reason::parts), "Toy left a node without a part; please report");
  EXPECT_EQ(sentence(library_reason::no_mpi),
            "MPI refused a communicator of the ranks that hold nodes");
  EXPECT_EQ(sentence(library_reason::tolerance),
            "the tolerance must be a number above 0, such as 0.03");
  EXPECT_EQ(sentence(library_reason::strategy), "");
  const auto of_parts = [](status answer, std::uint64_t parts) {
    return hg::detail::explain_library<std::uint8_t>(answer, parts, "Toy", 16);
  };
  EXPECT_EQ(of_parts(status::invalid_argument, 0),
            "the number of parts is 0; it must be at least 1");
  EXPECT_EQ(of_parts(status::overflow, 257), "the number of parts (257) does not fit its type");
}

TEST(assign_by_library, needs_no_library_for_one_part_or_as_many_as_nodes) {
  for (const std::uint64_t parts : {1u, 5u}) {
    const auto out = run(as_it_is, parts);
    EXPECT_EQ(out.answers[0], status::ok);
    for (const toy_library& one : out.libraries) EXPECT_EQ(one.calls, 0);
    using owners = std::vector<std::vector<std::uint8_t>>;
    EXPECT_EQ(out.owners,
              parts == 1 ? owners({{0, 0}, {}, {0, 0, 0}}) : owners({{0, 1}, {}, {2, 3, 4}}));
  }
}

struct failing_with_handle : hg::testing::failing_ranks {
  static constexpr int handle() { return 7; }
};

TEST(assign_by_library, ends_with_the_error_of_each_call_that_fails) {
  const std::vector<std::uint64_t> ranges{0, 2, 5};
  status answer = status::internal;
  std::uint64_t calls = 0;
  for (; answer != status::ok; ++calls) {
    std::vector<status> answers(2);
    std::vector<std::uint64_t> left(2, calls);
    hg::run_ranks(2, [&](const hg::thread_rank& ranks) {
      const std::size_t r = ranks.rank();
      const piece mine = hg::piece_of(hg::small_graphs()[4], ranges, r);
      std::vector<std::uint8_t> owner(mine.view().num_nodes());
      toy_library library;
      answers[r] = hg::detail::assign_by_library(failing_with_handle{{&ranks, &left[r]}},
                                                 mine.view(), 5, status::ok, 2, std::span(owner),
                                                 library);
    });
    EXPECT_EQ(answers[0], answers[1]);
    answer = answers[0];
    ASSERT_TRUE(answer == status::ok || answer.code == hg::error_kind::io) << calls;
  }
  EXPECT_GT(calls, 5u);
}

}  // namespace
