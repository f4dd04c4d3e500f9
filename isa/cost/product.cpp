#include "isa/cost/product.hpp"

#include <algorithm>

#include "isa/support/whole.hpp"

namespace pimento::isa::cost {
namespace {

std::int64_t slices_of(const Chip& chip, ElementType input) {
  if (chip.rules.rounded_down) return std::max(1, chip.applied_bits(input) / chip.core.crossbar.dac_bits);
  return chip.input_slices(input);
}

int rows_active(const Crossbar& x) { return x.rows_active > 0 ? x.rows_active : x.rows; }

/// Times that all slices of an input are applied: for groups of rows, and phases.
std::int64_t rounds_of(const Chip& chip, const TileShape& tile) {
  const Crossbar& x = chip.core.crossbar;
  const std::int64_t rows = rows_used(chip, tile), active = rows_active(x);
  return x.phases * (chip.rules.rounded_down ? std::max<std::int64_t>(1, rows / active) : ceil_div(rows, active));
}

/// The times of one slice of an input.
struct Slice {
  Cycles front = 0, back = 0;
  Cycles step() const { return std::max(front, back); }
};

Slice slice(const Chip& chip, const TileShape& tile, ElementType input, std::int64_t index) {
  const Crossbar& x = chip.core.crossbar;
  const int before = static_cast<int>(index) * x.dac_bits;
  const int width = std::min(x.dac_bits, std::max(1, chip.applied_bits(input) - before));
  std::int64_t reads = 1;
  if (x.input == InputForm::pulse_count) reads = (std::int64_t{1} << width) - 1;
  if (x.input == InputForm::pulse_width) reads = std::int64_t{1} << width;
  const std::int64_t rows =
      ceil_div(std::min<std::int64_t>(rows_active(x), rows_used(chip, tile)), std::max(x.stages, 1));
  const Femtoseconds read =
      reads * x.read_latency_fs + rows * x.row_latency_fs + chip.columns_per_weight() * x.column_latency_fs;
  const Cycles drain = x.shift_add_cycles + x.output_cycles;
  Slice s{x.dac_latency_cycles + ceil_div(read, chip.core.clock.period_fs) + x.sample_hold_cycles, drain};
  if (x.adc.per_crossbar == 0) return s;
  const int done = x.adc.fewer_steps ? std::min(x.adc.steps, before) : 0;
  const Cycles adc = x.adc.latency_cycles + (x.adc.steps - done) * x.adc.step_latency_cycles;
  // every column is converted, used or not: the sequence of an ADC is wired
  const Cycles per_adc =
      chip.rules.rounded_down ? std::max<Cycles>(1, x.cols / x.adc.per_crossbar) : ceil_div(x.cols, x.adc.per_crossbar);
  s.back = adc + drain + (per_adc - 1) * std::max(adc, drain);
  return s;
}

}  // namespace

std::int64_t rows_used(const Chip& chip, const TileShape& tile) {
  return std::min<std::int64_t>(tile.rows, chip.core.crossbar.rows);
}

std::int64_t dac_steps(const Chip& chip, const TileShape& tile, ElementType input) {
  return slices_of(chip, input) * rounds_of(chip, tile);
}

Product product(const Chip& chip, const TileShape& tile, ElementType input) {
  const Crossbar& x = chip.core.crossbar;
  const std::int64_t slices = slices_of(chip, input), rounds = rounds_of(chip, tile);
  Product p;
  Slice before = slice(chip, tile, input, slices - 1);
  const Cycles last_back = before.back, last_stages = x.stages * before.step();
  for (std::int64_t n = 0; n < slices; ++n) {
    const Slice s = slice(chip, tile, input, n);
    p.occupied += x.pipelined ? std::max(s.front, before.back) : s.front + s.back + x.stages * s.step();
    before = s;
  }
  p.occupied *= rounds;
  const Cycles first_front = slice(chip, tile, input, 0).front;
  if (x.pipelined) p.drain = std::min(first_front, last_back) + last_stages;
  return p;
}

}  // namespace pimento::isa::cost
