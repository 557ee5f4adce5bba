// SPDX-License-Identifier: BSL-1.0
#include <halograph/core/function_ref.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>

namespace hg = halograph;

namespace {

int called_with(hg::function_ref<int(int)> f, int x) { return f(x); }

static_assert(!std::is_constructible_v<hg::function_ref<int(int)>, std::string>);
static_assert(!std::is_constructible_v<hg::function_ref<int(int)>, int (*)(std::string)>);
static_assert(std::is_trivially_copyable_v<hg::function_ref<void()>>);
static_assert(sizeof(hg::function_ref<void()>) == 2 * sizeof(void*));

TEST(function_ref, calls_lambdas_that_are_temporary_constant_or_mutable) {
  const auto twice = [](int x) { return 2 * x; };
  int calls = 0;
  auto count = [&calls, own = 0](int x) mutable {
    ++calls;
    return x + ++own;
  };
  EXPECT_EQ(called_with([](int x) { return x + 1; }, 4), 5);
  EXPECT_EQ(called_with(twice, 4), 8);
  EXPECT_EQ(called_with(count, 4), 5);
  EXPECT_EQ(called_with(count, 4), 6) << "the function object must not be copied";
  EXPECT_EQ(calls, 2);
}

TEST(function_ref, copies_call_the_same_object) {
  int calls = 0;
  auto count = [&] { return ++calls; };
  const hg::function_ref<int()> first = count;
  const hg::function_ref<int()> second = first;
  EXPECT_EQ(first(), 1);
  EXPECT_EQ(second(), 2);
}

TEST(function_ref, passes_references_and_moves_values) {
  std::string text = "a";
  const auto append = [](std::string& to, const std::string& more) -> std::string& {
    return to += more;
  };
  const hg::function_ref<std::string&(std::string&, const std::string&)> f = append;
  EXPECT_EQ(&f(text, "b"), &text);
  EXPECT_EQ(text, "ab");
  const auto take = [](std::unique_ptr<int> owned) { return *owned; };
  const hg::function_ref<int(std::unique_ptr<int>)> taker = take;
  EXPECT_EQ(taker(std::make_unique<int>(7)), 7);
}

struct without_copies {
  without_copies() = default;
  without_copies(const without_copies&) = delete;
  without_copies& operator=(const without_copies&) = delete;
  std::size_t operator()(std::size_t x) const { return x + 1; }
};

TEST(function_ref, refers_to_objects_that_cannot_be_copied_and_drops_results) {
  const without_copies f;
  EXPECT_EQ(hg::function_ref<std::size_t(std::size_t)>(f)(2), 3u);
  int calls = 0;
  const auto count = [&] { return ++calls; };
  hg::function_ref<void()>{count}();
  EXPECT_EQ(calls, 1);
}

}  // namespace
