// SPDX-License-Identifier: BSL-1.0
// main() of the tests on several ranks: GoogleTest on each of them. A rank that fails ends all,
// because the others would wait for it; only rank 0 prints progress.
#include <halograph/adapters/mpi.hpp>

#include <gtest/gtest.h>

#include <iostream>

namespace {

class ends_all : public testing::EmptyTestEventListener {
 public:
  explicit ends_all(const halograph::mpi_session& session) : session_(&session) {}
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (result.failed()) {
      std::cerr << (result.file_name() != nullptr ? result.file_name() : "?") << ":"
                << result.line_number() << ": " << result.summary() << std::endl;
    }
  }
  void OnTestEnd(const testing::TestInfo& info) override {
    if (info.result()->Passed()) return;
    std::cerr << "[  FAILED  ] " << info.test_suite_name() << "." << info.name() << std::endl;
    session_->stop_all(1);
  }

 private:
  const halograph::mpi_session* session_;
};

}  // namespace

int main(int argc, char** argv) {
  const halograph::mpi_session session;
  testing::InitGoogleTest(&argc, argv);
  auto& listeners = testing::UnitTest::GetInstance()->listeners();
  if (halograph::mpi_ranks().rank() != 0)
    delete listeners.Release(listeners.default_result_printer());
  listeners.Append(new ends_all(session));
  return RUN_ALL_TESTS();
}
