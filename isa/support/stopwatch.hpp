#pragma once
// How long something took: wall time, and the processor time of this process meanwhile. Figures of a record, never of a
// program: nothing that is compiled or simulated depends on them.
#include <chrono>
#include <ctime>

namespace pimento {

class Stopwatch {
 public:
  double wall_s() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }
  double cpu_s() const { return cpu_now() - cpu_; }

 private:
  static double cpu_now() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  }
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double cpu_ = cpu_now();
};

}  // namespace pimento
