// pimento accuracy: what converters and cells leave of a network's outputs.
#include "cli/report/accuracy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <ostream>

#include "cli/commands/registry.hpp"
#include "cli/report/session.hpp"
#include "isa/support/file.hpp"

namespace pimento::cli {
namespace {

/// `--name 4,6,8`: numbers of a type within bounds, none twice; empty when not given.
template <class T>
std::vector<T> list(const Arguments& a, const std::string& name, T low, T high) {
  std::vector<T> numbers;
  if (!a.given(name)) return numbers;
  const std::string& text = a.text(name);
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    T value{};
    const auto [end, error] = std::from_chars(text.data() + from, text.data() + comma, value);
    const bool twice = std::find(numbers.begin(), numbers.end(), value) != numbers.end();
    if (error != std::errc{} || end != text.data() + comma || !(value >= low && value <= high) || twice)
      throw UserError(fmt::format("--{} {}: expected numbers in {} .. {}, each once, with commas between, got '{}'{}",
                                  name, text, low, high, text.substr(from, comma - from), twice ? " twice" : ""));
    numbers.push_back(value);
    from = comma + 1;
  }
  return numbers;
}

Status accuracy(const Arguments& a, Streams io) {
  validation::AccuracyGrid grid;
  grid.adc_bits = list(a, "adc-bits", 1, 32);
  grid.cell_bits = list(a, "cell-bits", 1, 16);
  grid.rows_active = list(a, "rows-active", 1, 65536);
  grid.variation = list(a, "variation", 0.0, 2.0);
  refuse_in_vain(a, "adc-range", !a.given("adc-bits"), "--adc-bits, the converters that have that range");
  grid.range = a.choice("adc-range", {"calibrated", "full_scale"});
  for (const char* option : {"adc-bits", "cell-bits", "rows-active", "variation"})
    refuse_in_vain(a, option, numerics_of(a) != Numerics::quantised,
                   "--numerics quantised, since others do not go through converters and cells");
  const Model model = find_model(a.text("MODEL"));
  const isa::Chip chip = find_chip(a.text("chip"), io);
  validation::AccuracyOptions options;
  options.compile = compile_options(a, io);
  options.inputs = static_cast<int>(a.integer("inputs", 8, 1, 100'000));
  options.device_seed = options.compile.seed & 0x7fffffff;
  AccuracyReport report{a.text("MODEL"), chip.name, grid.range, options.inputs, options.compile.seed, {}};
  report.points = validation::accuracy(model.path, chip, grid, options);
  if (a.given("csv")) write_atomically(a.text("csv"), to_csv(report));
  if (a.given("svg")) write_atomically(a.text("svg"), to_svg(report));
  io.out << (a.flag("json") ? to_json(report) : to_table(report));
  return Status::done;
}

SUBCOMMAND("accuracy",
           "MODEL --chip CHIP [--adc-bits LIST] [--cell-bits LIST] [--rows-active LIST] [--variation LIST] "
           "[--adc-range RANGE] [--inputs N] [--seed N] [--numerics NUMERICS] [--calibrate FILE]... "
           "[--calibration METHOD] [--percentile P] [--dim NAME=VALUE]... [--plugin FILE]... [--csv FILE] [--svg FILE] "
           "[--json]",
           "what converters and cells leave of a model's outputs, over a grid",
           R"(
  MODEL                an ONNX file, or zoo:NAME for a model that Pimento makes itself
  --chip CHIP          a shipped chip's name, a YAML file, or pimsim-nn's or PIMCOMP's JSON
  --adc-bits LIST      resolutions of the converters, 4,6,8 (default: the chip's converters as they are)
  --cell-bits LIST     bits of a cell; each is compiled for
  --rows-active LIST   word lines driven at once; each is compiled for
  --variation LIST     sigma of a cell's conductance, relative to it: 0,0.05,0.1
  --adc-range RANGE    of given ADC bits: calibrated (the default) or full_scale
  --inputs N           made-up inputs that every point runs (default 8)
  --seed N             of inputs and devices (default 1)
  --numerics NUMERICS  quantised (the default), exact or f32; only quantised values go through converters and cells
  --calibrate FILE     input tensor on which value ranges are measured, .npy or .pb, in the model's order
  --calibration METHOD how ranges become scales: min-max (the default), percentile, mse, or adaptive
  --percentile P       percentile: how many percent of a value's elements do not saturate (default 99.99)
  --dim NAME=VALUE     extent of a dynamic dimension of the model
  --plugin FILE        a shared library that defines further operators
  --csv FILE           write the grid as CSV
  --svg FILE           write a picture: SQNR over the first axis that varies, a line per value of the others
  --json               print JSON instead of a table
  example: pimento accuracy zoo:lenet5 --chip pimcomp-144 --adc-bits 4,6,8 --variation 0,0.1)",
           accuracy);

}  // namespace
}  // namespace pimento::cli
