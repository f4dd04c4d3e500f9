#include "validation/accuracy/accuracy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "isa/support/error.hpp"
#include "simulator/chip/simulate.hpp"
#include "validation/cases/ports.hpp"

namespace pimento::validation {
namespace {

using Values = std::vector<std::vector<double>>;  ///< by output

/// One program and its encoded inputs.
class Bench {
 public:
  Bench(const std::string& model, const isa::Chip& chip, const AccuracyOptions& options)
      : compiled_(compile_model(model, chip, options.compile)) {
    const isa::Program& program = compiled_.program;
    if (program.outputs.empty()) throw UserError({.file = model}, "the model has no output to compare");
    for (int n = 0; n < options.inputs; ++n) {
      const std::vector<ir::Tensor> tensors =
          complete_inputs(program.inputs, {}, options.compile.seed + static_cast<std::uint64_t>(n), [](const auto&) {});
      sim::Options& one = runs_.emplace_back();
      for (std::size_t i = 0; i < tensors.size(); ++i) one.inputs.push_back(encode(program.inputs[i], tensors[i]));
    }
  }

  /// What the program gives for every input on a chip.
  std::vector<Values> run(const isa::Chip& chip, Cycles& cycles) const {
    std::vector<Values> all;
    for (const sim::Options& one : runs_) {
      const sim::Result result = sim::simulate(compiled_.program, chip, one);
      if (result.stop != sim::StopReason::finished) throw Negative(result.explanation);
      cycles = result.cycles;
      Values& outputs = all.emplace_back();
      for (std::size_t i = 0; i < result.outputs.size(); ++i)
        outputs.push_back(decode(compiled_.program.outputs[i], result.outputs[i]).to_doubles());
    }
    return all;
  }
  /// Rows of the first output among which the largest is looked for: its first extent, when it has more than one.
  std::size_t batch() const {
    const auto& shape = compiled_.program.outputs[0].shape;
    return shape.size() < 2 ? 1 : static_cast<std::size_t>(shape[0]);
  }

 private:
  CompileResult compiled_;
  std::vector<sim::Options> runs_;
};

std::size_t largest(const std::vector<double>& values, std::size_t first, std::size_t count) {
  const auto begin = values.begin() + static_cast<std::ptrdiff_t>(first);
  return static_cast<std::size_t>(std::max_element(begin, begin + static_cast<std::ptrdiff_t>(count)) - begin);
}

void compare(const std::vector<Values>& ideal, const std::vector<Values>& real, std::size_t batch,
             AccuracyPoint& point) {
  double signal = 0, noise = 0;
  for (std::size_t n = 0; n < ideal.size(); ++n) {
    for (std::size_t i = 0; i < ideal[n].size(); ++i)
      for (std::size_t k = 0; k < ideal[n][i].size(); ++k) {
        const double want = ideal[n][i][k], off = real[n][i][k] - want;
        signal += want * want;
        noise += off * off;
      }
    const std::size_t each = ideal[n][0].size() / std::max<std::size_t>(batch, 1);
    for (std::size_t b = 0; b < batch && each > 0; ++b) {
      point.agreeing += largest(ideal[n][0], b * each, each) == largest(real[n][0], b * each, each) ? 1 : 0;
      ++point.decided;
    }
  }
  if (noise > 0) point.sqnr_db = 10 * std::log10(signal / noise);
}

template <class T>
std::vector<T> or_own(const std::vector<T>& given, T own) {
  return given.empty() ? std::vector<T>{own} : given;
}

}  // namespace

std::vector<AccuracyPoint> accuracy(const std::string& model, const isa::Chip& chip, const AccuracyGrid& grid,
                                    const AccuracyOptions& options) {
  const isa::Crossbar& own = chip.core.crossbar;
  std::vector<std::optional<int>> bits;
  for (const int b : grid.adc_bits) bits.emplace_back(b);
  if (bits.empty()) bits.push_back(own.adc.ideal ? std::nullopt : std::optional(own.adc.bits));
  // Before anything takes time: does the chip take every value?
  std::vector<isa::Chip> compiled_for;
  std::map<std::string, std::string> ideal{{"core.crossbar.adc.ideal", "true"}};
  for (const isa::KeyInfo& key : isa::chip_keys())
    if (key.path.starts_with("core.crossbar.nonideal.") && !key.path.ends_with("seed"))
      ideal[key.path] = key.default_text;
  for (const int cell : or_own(grid.cell_bits, own.cell_bits))
    for (const int rows : or_own(grid.rows_active, own.rows_active))
      compiled_for.push_back(isa::with_values(chip, {{"core.crossbar.cell_bits", fmt::format("{}", cell)},
                                                     {"core.crossbar.rows_active", fmt::format("{}", rows)}}));
  const auto real_chip = [&](const isa::Chip& base, std::optional<int> adc, double variation) {
    std::map<std::string, std::string> values{{"core.crossbar.nonideal.seed", fmt::format("{}", options.device_seed)},
                                              {"core.crossbar.nonideal.variation", fmt::format("{}", variation)}};
    if (!grid.adc_bits.empty()) {
      values["core.crossbar.adc.ideal"] = "false";
      values["core.crossbar.adc.bits"] = fmt::format("{}", *adc);
      values["core.crossbar.adc.range"] = grid.range;
    }
    return isa::with_values(base, values);
  };
  for (const std::optional<int> adc : bits)
    for (const double variation : or_own(grid.variation, own.nonideal.variation))
      real_chip(compiled_for.front(), adc, variation);

  std::vector<AccuracyPoint> points;
  for (const isa::Chip& base : compiled_for) {
    const Bench bench(model, base, options);
    Cycles cycles = 0;
    const std::vector<Values> wanted = bench.run(isa::with_values(base, ideal), cycles);
    for (const std::optional<int> adc : bits)
      for (const double variation : or_own(grid.variation, own.nonideal.variation)) {
        AccuracyPoint point;
        point.adc_bits = adc;
        point.cell_bits = base.core.crossbar.cell_bits;
        point.rows_active = base.core.crossbar.rows_active;
        point.variation = variation;
        compare(wanted, bench.run(real_chip(base, adc, variation), point.cycles), bench.batch(), point);
        if (options.progress) options.progress(point);
        points.push_back(point);
      }
  }
  return points;
}

}  // namespace pimento::validation
