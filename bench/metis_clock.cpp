// SPDX-License-Identifier: BSL-1.0
// Wraps METIS's two partitioning functions and measures them; see metis_clock.hpp.
#include "metis_clock.hpp"

#include <dlfcn.h>
#include <metis.h>
#include <time.h>

#include <cstdio>
#include <cstdlib>

namespace {

double total_wall = 0, total_cpu = 0;
int depth = 0;  // METIS calls its own functions through us

double seconds(clockid_t which) {
  timespec now{};
  clock_gettime(which, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

void write_total() {
  const char* const path = std::getenv("HALOGRAPH_METIS_CLOCK");
  if (path == nullptr) return;
  if (std::FILE* file = std::fopen(path, "we")) {
    std::fprintf(file, "%.6f %.6f\n", total_wall, total_cpu);
    std::fclose(file);
  }
}

template <class... Arguments>
int measured(const char* name, Arguments... arguments) {
  using function = int (*)(Arguments...);
  const auto real = reinterpret_cast<function>(dlsym(RTLD_NEXT, name));
  if (real == nullptr) return METIS_ERROR;
  if (depth != 0) return real(arguments...);
  ++depth;
  const double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_THREAD_CPUTIME_ID);
  const int answer = real(arguments...);
  --depth;
  total_wall += seconds(CLOCK_MONOTONIC) - wall;
  total_cpu += seconds(CLOCK_THREAD_CPUTIME_ID) - cpu;
  write_total();
  return answer;
}

}  // namespace

extern "C" {

void halograph_metis_seconds(double* wall, double* cpu) {
  *wall = total_wall;
  *cpu = total_cpu;
}

int METIS_PartGraphKway(idx_t* nvtxs, idx_t* ncon, idx_t* xadj, idx_t* adjncy, idx_t* vwgt,
                        idx_t* vsize, idx_t* adjwgt, idx_t* nparts, real_t* tpwgts, real_t* ubvec,
                        idx_t* options, idx_t* edgecut, idx_t* part) {
  return measured("METIS_PartGraphKway", nvtxs, ncon, xadj, adjncy, vwgt, vsize, adjwgt, nparts,
                  tpwgts, ubvec, options, edgecut, part);
}

int METIS_PartGraphRecursive(idx_t* nvtxs, idx_t* ncon, idx_t* xadj, idx_t* adjncy, idx_t* vwgt,
                             idx_t* vsize, idx_t* adjwgt, idx_t* nparts, real_t* tpwgts,
                             real_t* ubvec, idx_t* options, idx_t* edgecut, idx_t* part) {
  return measured("METIS_PartGraphRecursive", nvtxs, ncon, xadj, adjncy, vwgt, vsize, adjwgt,
                  nparts, tpwgts, ubvec, options, edgecut, part);
}

}  // extern "C"
