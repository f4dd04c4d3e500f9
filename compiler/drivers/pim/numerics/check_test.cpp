#include <doctest/doctest.h>

#include <limits>

#include "compiler/drivers/pim/emit/small_compile.hpp"

namespace pimento::pim {

TEST_CASE("numerics: does the verifier name a type that the chip lacks and a scale that is none?") {
  const bench::Compiled c = bench::scheduled(R"(graph net (%x : f32[1,2,4,4]) {
    @w : f32[2,2,1,1] = [1.0, 0.5, -0.5, 1.0]
    %y = conv %x, @w {strides = [1, 1], pads = [0, 0, 0, 0], dilations = [1, 1], group = 1} : f32[1,2,4,4] from "Conv_0"
    return %y
  })");
  REQUIRE(verify(c.plan, c.graph, c.chip) == "");
  const auto x = ir::to_index(c.graph.inputs[0]);
  const auto fault = [&](auto&& plant) {
    NumericsPlan plan = c.plan;
    plant(plan);
    return verify(plan, c.graph, c.chip);
  };
  CHECK(fault([&](NumericsPlan& p) { p.formats[x].scale = 0; }) ==
        "value 'x': scale 0, expected a finite number above 0");
  CHECK(fault([&](NumericsPlan& p) { p.formats[x].scale = std::numeric_limits<double>::infinity(); }) ==
        "value 'x': scale inf, expected a finite number above 0");
  CHECK(fault([&](NumericsPlan& p) { p.formats[x].type = ElementType::i16; }) ==
        "value 'x': type i16, chip 'tiny-4' has activations of 8 bits");
  CHECK(fault([&](NumericsPlan& p) { p.weight_scales[0][1] = -1; }) ==
        "node 'Conv_0', column 1: weight scale -1, expected a finite number above 0");
  CHECK(fault([&](NumericsPlan& p) { p.formats.pop_back(); }).find("values have a format") != std::string::npos);
  isa::Chip integers = c.chip;
  integers.numerics.f32 = false;
  NumericsPlan real = c.plan;
  real.numerics = Numerics::f32;
  CHECK(verify(real, c.graph, integers) == "value 'x': type f32, chip 'tiny-4' has no f32");
}

TEST_CASE("numerics: do integers keep their meaning?") {
  bench::Compiled c = bench::scheduled("graph net (%x : i32[4]) {\n  %y = neg %x : i32[4]\n  return %y\n}");
  REQUIRE(verify(c.plan, c.graph, c.chip) == "");
  c.plan.formats[ir::to_index(c.graph.inputs[0])].scale = 0.5;
  CHECK(verify(c.plan, c.graph, c.chip) == "value 'x': scale 0.5 of integers, expected 1");
}

}  // namespace pimento::pim
