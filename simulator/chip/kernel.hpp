#pragma once
// The SystemC kernel as this room uses it: plain objects with spawned methods, woken by events at computed times; no
// modules, no ports, no clocks. Times are relative to the run's start, so any number of runs follow one another.
#include <functional>
#include <memory>

#include "isa/support/types.hpp"

namespace pimento::sim {

class Kernel {
 public:
  Kernel();
  ~Kernel() = default;
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  Femtoseconds now() const;
  /// Runs until nothing is due any more.
  void run();

 private:
  Femtoseconds base_ = 0;
};

/// One method of one hardware object. It runs when it is woken, to its end, and wakes others meanwhile.
class Process {
 public:
  Process(const Kernel& kernel, const char* name, std::function<void()> body);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// In this evaluation phase.
  void wake();
  /// After all that runs now.
  void wake_after_others();
  /// At a time from now on; of several times the earliest counts, and `wake` drops them.
  void wake_at(Femtoseconds time);

 private:
  struct Body;
  const Kernel* kernel_;
  std::unique_ptr<Body> body_;
};

/// Cycles of one clock as cycles of another: the first edge that is not earlier.
constexpr Cycles convert(Cycles cycles, Femtoseconds from, Femtoseconds to) {
  return from == to ? cycles : (cycles * from + to - 1) / to;
}

/// The three clock domains of a chip.
struct Clocks {
  Femtoseconds core = 1, network = 1, memory = 1;
  Cycles core_to_network(Cycles c) const { return convert(c, core, network); }
  Cycles network_to_core(Cycles c) const { return convert(c, network, core); }
  Cycles network_to_memory(Cycles c) const { return convert(c, network, memory); }
  Cycles memory_to_network(Cycles c) const { return convert(c, memory, network); }
  Cycles memory_to_core(Cycles c) const { return convert(c, memory, core); }
};

}  // namespace pimento::sim
