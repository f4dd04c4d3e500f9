#pragma once
// What a chip's non-idealities make of cells and reads (core.crossbar.nonideal; README.md has the arithmetic). Every
// random number is a pure function of the seed and of what it is for, so neither order nor threads can change it.
#include <cstdint>
#include <span>
#include <vector>

#include "isa/chip/chip.hpp"

namespace pimento::sim {

/// A standard normal number from 64 random bits: the inverse of its distribution, by Acklam's rational approximation
/// (relative error 1.2e-9).
double normal(std::uint64_t bits);

/// Random bits for one thing: a hash of the seed, its kind and its numbers.
enum class Chance : std::uint64_t { conductance, stuck, drift, read };
std::uint64_t bits_for(std::uint64_t seed, Chance kind, std::uint64_t a, std::uint64_t b, std::uint64_t c);

class Devices {
 public:
  /// `tile`: a number that tells one tile's devices from another's.
  Devices(const isa::Chip& chip, std::uint64_t tile);

  /// Of a cell that was written with `level`, in steps of a level: stuck, varied and aged, without wires.
  double conductance(std::int32_t level, std::int64_t row, std::int64_t column) const;
  /// One array as its rows of `columns` conductances, of which rows [first, last) are driven at once: the wires take
  /// their part from each driven cell. `array_rows`: down to the last of which a bit line runs.
  void wire(std::span<float> cells, int columns, int first, int last, int array_rows) const;
  bool has_wires() const { return wire_ > 0; }
  bool is_noisy() const { return noise_ > 0; }
  /// What is added to one read of a line, in steps of a level times a digit.
  double noise(std::uint64_t inputs, std::uint64_t line, std::uint64_t digit) const;

 private:
  isa::Nonideal given_;
  std::uint64_t seed_, tile_;
  std::int32_t largest_;
  double age_log_, noise_, wire_;
};

}  // namespace pimento::sim
