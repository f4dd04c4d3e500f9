#pragma once
// What converters and cells leave of a network: one model over a grid of ADC bits, cell bits, rows active at once and
// conductance variation, each point against the same program on ideal arrays. Cells and rows are compiled for; bits of
// converters and devices are physics, for which one program serves.
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler/pipeline/compile.hpp"
#include "isa/chip/chip.hpp"

namespace pimento::validation {

/// Empty: only what the chip has.
struct AccuracyGrid {
  std::vector<int> adc_bits, cell_bits, rows_active;
  std::vector<double> variation;
  std::string range = "calibrated";  ///< core.crossbar.adc.range of points with given ADC bits
};

struct AccuracyPoint {
  std::optional<int> adc_bits;  ///< nothing: the chip's converters are ideal
  int cell_bits = 0, rows_active = 0;
  double variation = 0;
  std::optional<double> sqnr_db;  ///< over all outputs and inputs, against ideal arrays; nothing: equal
  int agreeing = 0, decided = 0;  ///< largest element of the first output, by input and batch
  Cycles cycles = 0;
};

struct AccuracyOptions {
  CompileOptions compile;  ///< its calibration inputs; made-up ones when there are none
  int inputs = 8;          ///< seeded, beginning with compile.seed
  std::uint64_t device_seed = 1;
  std::function<void(const AccuracyPoint&)> progress;
};

/// Points in the order of the lists, the last one fastest. UserError when the chip does not take a value.
std::vector<AccuracyPoint> accuracy(const std::string& model, const isa::Chip& chip, const AccuracyGrid& grid,
                                    const AccuracyOptions& options);

}  // namespace pimento::validation
