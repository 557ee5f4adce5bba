// SPDX-License-Identifier: BSL-1.0
/// @file arming.hpp
/// For tests that run with inject.cpp preloaded: a call of the C library fails in this process.
#pragma once

#include <dlfcn.h>

#include <cstdlib>
#include <iostream>

namespace faults {

/// While it lives, the `at`-th call fails, from 1, or each from then on.
class armed {
 public:
  armed(const char* call, long at, int number, bool persists) {
    static const auto arm = find<void (*)(const char*, long, int, bool)>("faults_arm");
    arm(call, at, number, persists);
  }
  armed(const armed&) = delete;
  armed& operator=(const armed&) = delete;
  ~armed() { stop(); }
  /// No call fails from now on. @return how many calls there were
  long stop() {
    static const auto disarm = find<long (*)()>("faults_disarm");
    return disarm();
  }

 private:
  template <class Function>
  static Function find(const char* name) {
    void* const found = dlsym(RTLD_DEFAULT, name);
    if (found == nullptr) {
      std::cerr << "run with LD_PRELOAD=libfaults_inject.so, as CTest does\n";
      std::exit(2);
    }
    return reinterpret_cast<Function>(found);
  }
};

}  // namespace faults
