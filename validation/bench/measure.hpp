#pragma once
// CPU time of a piece of work, the best of five, and the time of a fixed loop beside it.
#include <algorithm>
#include <cstdint>
#include <ctime>

namespace pimento::bench {

inline double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

template <class Work>
double best_of_five(Work&& work) {
  double best = 1e30;
  for (int i = 0; i < 5; ++i) {
    const double start = cpu_seconds();
    work();
    best = std::min(best, cpu_seconds() - start);
  }
  return best;
}

/// 100 million steps of splitmix64: about 0.1 s on a machine of 2020.
inline double calibration_seconds() {
  volatile std::uint64_t sink = 0;
  return best_of_five([&] {
    std::uint64_t state = 1;
    for (int i = 0; i < 100'000'000; ++i) {
      state += 0x9e3779b97f4a7c15ULL;
      std::uint64_t z = state;
      z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
      state ^= z >> 27;
    }
    sink = state;
  });
}

}  // namespace pimento::bench
