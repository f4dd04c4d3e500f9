// Several neighbouring positions in one MVM: are the values those of one position after the other, in fewer MVMs?
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstring>
#include <limits>

#include "compiler/frontend/import.hpp"
#include "isa/support/whole.hpp"
#include "validation/whole/whole.hpp"

using namespace pimento;
using namespace pimento::validation;

namespace {

struct Convolution {
  const char* what;
  int batch, channels, size, made, kernel, stride, dilation, pad, groups;
  int positions() const { return (size + 2 * pad - dilation * (kernel - 1) - 1) / stride + 1; }
  ir::Graph graph() const {
    std::string weights;
    const int count = made * (channels / groups) * kernel * kernel;
    for (int i = 0; i < count; ++i) weights += fmt::format("{}{}", i ? ", " : "", (i * 37 % 23 - 11) / 16.0);
    return frontend::import_text(fmt::format(
        "g (float[{0},{1},{2},{2}] x) => (float[{0},{3},{9},{9}] y) <float[{3},{4},{5},{5}] w = {{{10}}}> {{ c = Conv "
        "<group = {6}, strides = [{7},{7}], dilations = [{11},{11}], pads = [{8},{8},{8},{8}]> (x, w) y = Relu (c) }}",
        batch, channels, size, made, channels / groups, kernel, groups, stride, pad, positions(), weights, dilation));
  }
};

struct Made {
  std::int64_t mvms = 0;
  std::vector<std::vector<std::uint8_t>> outputs;
};
Made made(const Convolution& c, const isa::Chip& chip, Numerics numerics, int windows) {
  CompileOptions options;
  options.numerics = numerics;
  options.windows_per_mvm = windows;
  const Whole whole = make_whole(c.graph(), chip, options);
  const sim::Result result = simulate(whole, chip);
  REQUIRE_MESSAGE(result.stop == sim::StopReason::finished, result.explanation);
  const NumericalCheck values = check(whole, result);
  CHECK_MESSAGE(values.passed, to_text(values));
  Made all{whole.compiled.record.figures.at("mvms"), {}};
  for (const sim::OutputData& output : result.outputs) all.outputs.push_back(output.bytes);
  return all;
}

}  // namespace

TEST_CASE("wide windows: are convolutions of any shape the same, bit for bit, however many positions an MVM makes?") {
  const std::vector<Convolution> all{
      {"plain", 1, 3, 9, 4, 3, 1, 1, 1, 1},
      {"strided", 1, 3, 11, 4, 3, 2, 1, 1, 1},
      {"a stride that skips what no window reads", 1, 4, 12, 5, 1, 3, 1, 0, 1},
      {"dilated", 1, 2, 11, 3, 3, 1, 2, 2, 1},
      {"in groups", 1, 6, 8, 6, 3, 1, 1, 1, 3},
      {"of two images", 2, 3, 7, 4, 3, 1, 1, 1, 1},
      {"of several strips, added up on one core or several", 1, 24, 7, 6, 3, 1, 1, 1, 1},
      {"of several strips in groups", 1, 48, 7, 4, 3, 1, 1, 1, 2},
  };
  for (const char* chip_name : {"tiny-4", "pimsim-nn-64", "pimsim-nn-64-wide"}) {
    const isa::Chip chip = isa::load_chip(chip_name);
    for (const Convolution& c : all)
      for (const Numerics numerics : {Numerics::quantised, Numerics::exact}) {
        CAPTURE(chip_name);
        CAPTURE(c.what);
        const Made one = made(c, chip, numerics, 1);
        for (const int windows : {2, 3, 5, 0}) {
          CAPTURE(windows);
          const Made several = made(c, chip, numerics, windows);
          CHECK(several.mvms <= one.mvms);
          if (numerics == Numerics::quantised) CHECK(several.outputs == one.outputs);
        }
      }
  }
}

TEST_CASE("wide windows: does an MVM of N windows make N positions, and the last of a row what is left?") {
  const Convolution c{"", 1, 3, 9, 4, 3, 1, 1, 1, 1};
  const isa::Chip chip = isa::load_chip("pimsim-nn-64-wide");
  for (const int windows : {1, 2, 3, 4, 9})
    CHECK(made(c, chip, Numerics::quantised, windows).mvms == 9 * ceil_div(9, windows));
}

TEST_CASE("wide windows: does an infinity in f32 stay with the positions that read it?") {
  const Convolution c{"", 1, 3, 9, 4, 3, 1, 1, 1, 1};
  const isa::Chip chip = isa::load_chip("tiny-4");
  CompileOptions options;
  options.numerics = Numerics::f32;
  Whole whole = make_whole(c.graph(), chip, options);
  whole.inputs[0].mutable_data<float>()[9 * 9 + 4 * 9 + 4] = std::numeric_limits<float>::infinity();
  use(whole, std::move(whole.compiled));
  const sim::Result result = simulate(whole, chip);
  REQUIRE(result.stop == sim::StopReason::finished);
  const NumericalCheck values = check(whole, result);
  CHECK_MESSAGE(values.passed, to_text(values));
}
