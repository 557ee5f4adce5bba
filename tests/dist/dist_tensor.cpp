// SPDX-License-Identifier: BSL-1.0
#include <halograph/core/block_range.hpp>
#include <halograph/dist/dist_embedding.hpp>
#include <halograph/dist/dist_tensor.hpp>
#include <halograph/testing/thread_ranks.hpp>

#include <gtest/gtest.h>
#include <support/dist_model.hpp>
#include <support/temporary_folder.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace {

namespace hg = halograph;
namespace ht = halograph::testing;
using graph = hg::dist_graph;
using dist = hg::dist_tensor;
using bytes = std::vector<std::byte>;

const ht::dist_case& made() {  // users 14, items 7, tags 2; edges 22, 22, 0, 22
  static const ht::dist_case one(true, 1, 4, 1, false);
  return one;
}

/// Run on ranks; what each has to say of a tensor's rows must be the same. The rows, gathered by
/// all.
bytes on_ranks(std::size_t ranks, const std::function<bytes(const graph&)>& act) {
  std::vector<bytes> all(ranks);
  hg::run_ranks(ranks,
                [&](const hg::thread_rank& rank) { all[rank.rank()] = act(made().open(rank)); });
  for (const auto& one : all) EXPECT_EQ(one, all[0]);
  return all[0];
}
bytes everything(const dist& x) {
  std::vector<std::uint32_t> ids;
  for (std::uint32_t i = 0; i < x.rows(); ++i) ids.push_back(i);
  const auto found = x[ids];
  return {found.bytes().begin(), found.bytes().end()};
}
template <class T>
bytes bytes_of(const std::vector<T>& values) {
  const auto view = std::as_bytes(std::span(values));
  return {view.begin(), view.end()};
}
/// The piece of a list that a rank gives, where it is dealt in consecutive pieces.
template <class T>
std::vector<T> dealt(const std::vector<T>& list, const graph& g, std::size_t width = 1) {
  const auto share = hg::block_range(list.size() / width, g.ranks().rank(), g.ranks().size());
  return {list.begin() + static_cast<std::ptrdiff_t>(share.begin * width),
          list.begin() + static_cast<std::ptrdiff_t>(share.end * width)};
}

std::string told(const std::function<void(const graph&)>& act) {
  std::string sentence;
  hg::run_ranks(2, [&](const hg::thread_rank& rank) {
    try {
      act(made().open(rank));
      if (rank.rank() == 0) sentence = "went through";
    } catch (const hg::error& problem) {
      if (rank.rank() == 0) sentence = std::string(name(problem.code())) + ": " + problem.what();
    }
  });
  return sentence;
}
void expect_told(const std::string& sentence, const std::vector<std::string>& words) {
  for (const auto& word : words)
    EXPECT_NE(sentence.find(word), std::string::npos)
        << word << " is not in \"" << sentence << "\"";
}

TEST(dist_tensor, holds_what_the_initialiser_says_of_rows_and_columns_over_any_ranks) {
  const hg::uniform draw{-2, 3, 5};
  std::vector<float> wanted;
  std::vector<std::int16_t> sevens(7, -7);
  for (std::uint64_t row = 0; row < 14; ++row) {
    for (std::uint64_t column = 0; column < 6; ++column) {
      wanted.push_back(static_cast<float>(draw(row, column)));
      EXPECT_GE(wanted.back(), -2);
      EXPECT_LE(wanted.back(), 3);
    }
  }
  EXPECT_NE(wanted[0], wanted[1]);
  EXPECT_NE(wanted[0], wanted[6]);
  for (const std::size_t ranks : {1u, 3u}) {
    EXPECT_EQ(on_ranks(ranks,
                       [&](const graph& g) {
                         const dist x(g, {.shape = {14, 2, 3}, .name = "x"}, draw);
                         EXPECT_EQ(x.policy(), "node~user");
                         EXPECT_EQ(x.file(), "node~user~x.npy");
                         return everything(x);
                       }),
              bytes_of(wanted));
    EXPECT_EQ(
        on_ranks(ranks,
                 [&](const graph& g) {
                   return everything(dist(g, {.shape = {7}, .type = hg::dtype::int16, .name = "x"},
                                          hg::constant{-7}));
                 }),
        bytes_of(sevens));
    EXPECT_EQ(on_ranks(ranks,
                       [&](const graph& g) {
                         return everything(dist(g, {.shape = {2, 0}, .name = "x"}));
                       }),
              bytes());
    EXPECT_EQ(
        on_ranks(ranks,
                 [&](const graph& g) {
                   return everything(dist(
                       g, {.shape = {23}, .type = hg::dtype::uint8, .name = "x", .policy = "node"},
                       [](std::uint64_t row, std::uint64_t) { return static_cast<double>(row); }));
                 })
            .back(),
        std::byte{22});  // all types together, by global ID
  }
}

TEST(dist_tensor, follows_the_type_that_has_as_many_members_or_asks_which) {
  expect_told(
      told([](const graph& g) { dist(g, {.shape = {22}, .name = "x"}); }),
      {"invalid_argument", "edge~user:likes:item", "edge~user:likes:user", "edge~item:has:tag"});
  expect_told(told([](const graph& g) { dist(g, {.shape = {5}, .name = "x"}); }),
              {"not_found", "5 members"});
  expect_told(
      told([](const graph& g) { dist(g, {.shape = {5}, .name = "x", .policy = "node~user"}); }),
      {"mismatch", "5 rows", "node~user", "14 members"});
  expect_told(told([](const graph& g) {
                dist(g, {.shape = {22}, .name = "x", .policy = "edge~item:has:tag"});
              }),
              {"went through"});
  expect_told(told([](const graph& g) { dist(g, {.shape = {14}, .name = "../x"}); }),
              {"invalid_argument", "data name"});
  expect_told(told([](const graph& g) { dist(g, {.shape = {}, .name = "x"}); }),
              {"invalid_argument", "needs rows"});
  expect_told(told([](const graph& g) {
                dist(g, {.shape = {14}, .type = hg::dtype::uint8, .name = "x"}, hg::constant{256});
              }),
              {"overflow", "uint8"});
  expect_told(told([](const graph& g) { dist(g, {.shape = {14, g.ranks().rank()}, .name = "x"}); }),
              {"mismatch", "rank 1 describes another tensor"});
}

TEST(dist_tensor, the_last_row_written_in_the_global_order_stays) {
  hg::random_stream stream(3);
  std::vector<std::int64_t> ids;
  std::vector<std::int32_t> rows, wanted(44, 9);
  for (int i = 0; i < 60; ++i) {
    ids.push_back(static_cast<std::int64_t>(stream.below(22)));
    for (std::size_t c = 0; c < 2; ++c) {
      rows.push_back(static_cast<std::int32_t>(stream.below(1000)));
      wanted[static_cast<std::size_t>(ids.back()) * 2 + c] = rows.back();
    }
  }
  for (const std::size_t ranks : {1u, 2u, 4u}) {
    EXPECT_EQ(on_ranks(ranks,
                       [&](const graph& g) {
                         dist x(g,
                                {.shape = {22, 2},
                                 .type = hg::dtype::int32,
                                 .name = "x",
                                 .policy = "edge~user:likes:user"},
                                hg::constant{9});
                         x.write(dealt(ids, g), bytes_of(dealt(rows, g, 2)));
                         return everything(x);
                       }),
              bytes_of(wanted));
  }
}

TEST(dist_tensor, sums_of_a_row_are_those_of_the_global_order_to_the_last_bit) {
  hg::random_stream stream(4);
  std::vector<std::int64_t> ids;
  std::vector<double> values;
  for (int i = 0; i < 400; ++i) {
    ids.push_back(static_cast<std::int64_t>(stream.below(3)));
    // Of very different sizes: another order gives other sums.
    values.push_back(std::ldexp(static_cast<double>(stream.next() >> 11) - 0x1p52,
                                static_cast<int>(stream.below(60)) - 90));
  }
  std::vector<double> sums(14), reversed(14);
  for (std::size_t i = 0; i < ids.size(); ++i) sums[static_cast<std::size_t>(ids[i])] += values[i];
  for (std::size_t i = ids.size(); i-- > 0;)
    reversed[static_cast<std::size_t>(ids[i])] += values[i];
  ASSERT_NE(sums, reversed);
  for (auto& sum : sums) sum += 1.0;
  std::vector<float> floats, narrow(14, 1.0f);
  std::vector<double> sums_of_floats(14);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    floats.push_back(static_cast<float>(values[i]));
    sums_of_floats[static_cast<std::size_t>(ids[i])] += static_cast<double>(floats[i]);
  }
  for (std::size_t i = 0; i < 14; ++i) narrow[i] = static_cast<float>(1.0 + sums_of_floats[i]);
  for (const std::size_t ranks : {1u, 2u, 3u, 4u}) {
    EXPECT_EQ(on_ranks(ranks,
                       [&](const graph& g) {
                         dist x(g, {.shape = {14}, .type = hg::dtype::float64, .name = "x"},
                                hg::constant{1});
                         x.add(dealt(ids, g), bytes_of(dealt(values, g)));
                         return everything(x);
                       }),
              bytes_of(sums));
    EXPECT_EQ(on_ranks(ranks,
                       [&](const graph& g) {
                         dist x(g, {.shape = {14}, .name = "x"}, hg::constant{1});
                         x.add(dealt(ids, g), bytes_of(dealt(floats, g)));
                         return everything(x);
                       }),
              bytes_of(narrow));
  }
  EXPECT_EQ(on_ranks(2,
                     [](const graph& g) {
                       dist x(g, {.shape = {2}, .type = hg::dtype::int8, .name = "x"},
                              hg::constant{100});
                       x.add(std::vector<int>{0, 0},
                             bytes_of(std::vector<std::int8_t>{20, -1}));  // of both ranks: wraps
                       return everything(x);
                     }),
            bytes_of(std::vector<std::int8_t>{-118, 100}));
  EXPECT_EQ(on_ranks(2,
                     [](const graph& g) {
                       dist x(g, {.shape = {2}, .type = hg::dtype::float16, .name = "x"},
                              hg::constant{0.5});
                       x.add(std::vector<int>{1},
                             bytes_of(std::vector<std::uint16_t>{0x3C00}));  // 1, of both
                       return everything(x);
                     }),
            bytes_of(std::vector<std::uint16_t>{0x3800, 0x4100}));
  expect_told(told([](const graph& g) {
                dist x(g, {.shape = {14}, .type = hg::dtype::boolean, .name = "x"},
                       hg::constant{1});
                x.add(std::vector<int>{}, {});
              }),
              {"unsupported", "bool"});
}

TEST(dist_tensor, ids_and_memory_that_do_not_fit_fail_on_all_ranks) {
  expect_told(
      told([](const graph& g) {
        dist(g, {.shape = {14}, .name = "x"})[std::vector<int>{g.ranks().rank() == 1 ? 14 : 0}];
      }),
      {"out_of_range", "row 14", "on rank 1 of 2"});
  expect_told(told([](const graph& g) {
                dist(g, {.shape = {14}, .name = "x"}).write(std::vector<int>{-1}, bytes(4));
              }),
              {"out_of_range", "row -1", "[0, 14)"});
  expect_told(told([](const graph& g) {
                dist(g, {.shape = {14}, .name = "x"}).write(std::vector<int>{0}, bytes(5));
              }),
              {"mismatch", "1 rows of 4 bytes", "5 bytes"});
}

TEST(dist_tensor, is_saved_to_part_folders_and_restored_over_any_ranks) {
  const ht::temporary_folder disk;
  for (const char* part : {"part0", "part1", "part2", "part3"})
    std::filesystem::create_directory(disk(part));
  const auto wanted = on_ranks(3, [&](const graph& g) {
    dist x(g, {.shape = {14, 3}, .name = "emb"}, hg::uniform{});
    x.save(disk());
    x.add(std::vector<int>{3}, bytes(12, std::byte{64}));
    x.save(disk());  // over what is there
    return everything(x);
  });
  for (const std::size_t ranks : {1u, 4u}) {
    EXPECT_EQ(on_ranks(ranks,
                       [&](const graph& g) {
                         dist x(g, {.shape = {14, 3}, .name = "emb"});
                         x.restore(hg::read_files{}, disk());
                         return everything(x);
                       }),
              wanted);
  }
  std::size_t files = 0;
  for (const auto& one : std::filesystem::recursive_directory_iterator(disk()))
    files += one.is_regular_file() ? 1u : 0u;
  EXPECT_EQ(files, 4u);  // nothing staged is left
  // One file of another type: nothing changes, on no rank.
  on_ranks(2, [&](const graph& g) {
    dist x(g, {.shape = {14, 3}, .name = "emb"}, hg::constant{2});
    const auto before = everything(x);
    if (g.ranks().rank() == 0)
      std::filesystem::copy_file(disk("part0/node~user~emb.npy"), disk("part3/node~user~emb.npy"),
                                 std::filesystem::copy_options::overwrite_existing);
    static_cast<void>(g.ranks().barrier());
    EXPECT_THROW(x.restore(hg::read_files{}, disk()), hg::error);
    EXPECT_EQ(everything(x), before);
    return bytes();
  });
  expect_told(
      told([&](const graph& g) { dist(g, {.shape = {14}, .name = "y"}).save(disk("nowhere")); }),
      {"not_found", "nowhere/part0"});
  expect_told(told([&](const graph& g) {
                dist(g, {.shape = {14}, .name = "y"}).restore(hg::read_files{}, disk());
              }),
              {"not_found", "part0/node~user~y.npy"});
}

TEST(dist_embedding, learns_the_same_over_any_ranks) {
  hg::random_stream stream(6);
  std::vector<std::int32_t> ids;
  std::vector<float> gradients;
  for (int i = 0; i < 50; ++i) {
    ids.push_back(static_cast<std::int32_t>(stream.below(7)));
    for (int c = 0; c < 2; ++c)
      gradients.push_back(static_cast<float>(stream.below(1000)) * 0.001f - 0.5f);
  }
  // Two steps of each, plainly.
  std::vector<float> plain(14, 0.25f), ada(14, 0.25f), squares(14);
  for (int step = 0; step < 2; ++step) {
    std::vector<double> sums(14);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      for (std::size_t c = 0; c < 2; ++c)
        sums[static_cast<std::size_t>(ids[i]) * 2 + c] += static_cast<double>(gradients[2 * i + c]);
    }
    for (std::size_t k = 0; k < 14; ++k) {
      const double g = static_cast<double>(static_cast<float>(sums[k]));
      plain[k] = static_cast<float>(static_cast<double>(plain[k]) - static_cast<double>(0.1f) * g);
      squares[k] = static_cast<float>(static_cast<double>(squares[k]) + g * g);
      if (g != 0)
        ada[k] = static_cast<float>(
            static_cast<double>(ada[k]) -
            static_cast<double>(0.1f) * g /
                (std::sqrt(static_cast<double>(squares[k])) + static_cast<double>(1e-10f)));
    }
  }
  const ht::temporary_folder disk;
  for (const char* part : {"part0", "part1", "part2", "part3"})
    std::filesystem::create_directory(disk(part));
  for (const std::size_t ranks : {1u, 2u, 4u}) {
    EXPECT_EQ(on_ranks(ranks,
                       [&](const graph& g) {
                         hg::dist_embedding x(g, 7, 2, "e", hg::constant{0.25});
                         for (int step = 0; step < 2; ++step)
                           x.step(hg::sparse_sgd{.rate = 0.1f}, dealt(ids, g),
                                  dealt(gradients, g, 2));
                         return everything(x.weights());
                       }),
              bytes_of(plain));
    EXPECT_EQ(
        on_ranks(ranks,
                 [&](const graph& g) {
                   hg::dist_embedding x(g, 7, 2, "e", hg::constant{0.25}), again(g, 7, 2, "e");
                   x.step(hg::sparse_adagrad{.rate = 0.1f}, dealt(ids, g), dealt(gradients, g, 2));
                   x.save(disk());
                   again.store_squares();
                   again.restore(hg::read_files{}, disk());
                   again.step(hg::sparse_adagrad{.rate = 0.1f}, dealt(ids, g),
                              dealt(gradients, g, 2));
                   return everything(again.weights());
                 }),
        bytes_of(ada));
  }
}

}  // namespace
