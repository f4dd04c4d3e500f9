// A bias that is large beside its channel's weights: does the channel's sum stay within what accumulators hold?
#include <doctest/doctest.h>

#include "compiler/frontend/import.hpp"
#include "validation/whole/whole.hpp"

using namespace pimento;
using namespace pimento::validation;

TEST_CASE("large bias: are channels right whose weights are tiny, with codes of 8 bits and of 16?") {
  const std::string text = R"(<ir_version: 8, opset_import: ["" : 14]>
    g (float[1,2,4,4] x) => (float[1,3,4,4] y) {
    w = Constant <value = float[3,2,1,1] {0.00001, -0.00001, 0.5, 0.25, 0.0000001, 0.0}> ()
    b = Constant <value = float[3] {-0.75, 0.1, 3.0}> ()
    c = Conv (x, w, b)  y = HardSwish (c) })";
  for (const std::string name : {"tiny-4", "isaac", "puma"}) {
    CAPTURE(name);
    const Whole whole = make_whole(frontend::import_text(text), isa::load_chip(name), Numerics::quantised);
    const sim::Result result = simulate(whole, isa::load_chip(name));
    const NumericalCheck values = check(whole, result);
    CHECK_MESSAGE(values.passed, to_text(values));
    REQUIRE(values.outputs.size() == 1);
    CHECK(values.outputs[0].max_relative < 0.01);
  }
}
