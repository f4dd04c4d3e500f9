// Functions that the vector unit lacks: are they right where they are made of others?
#include <doctest/doctest.h>

#include "compiler/frontend/import.hpp"
#include "validation/whole/random_windows.hpp"

using namespace pimento;
using namespace pimento::validation;

TEST_CASE("functions: are inverse trigonometric and hyperbolic ones right over their domains, and float remainders?") {
  const isa::Chip chip = isa::load_chip("tiny-4");
  for (const char* body : {
           "t = Tanh (x) y = Asin (t)",
           "t = Tanh (x) y = Acos (t)",
           "c = Constant <value_float = 20.0> () t = Mul (x, c) y = Atan (t)",
           "c = Constant <value_float = 0.3> () t = Mul (x, c) y = Atan (t)",
           "y = Sinh (x)",
           "y = Cosh (x)",
           "t = Exp (x) y = Asinh (t)",
           "t = Cosh (x) y = Acosh (t)",
           "c = Constant <value_float = 0.2> () t = Mul (x, c) y = Atanh (t)",
           "c = Constant <value_float = -0.75> () y = Mod <fmod = 1> (x, c)",
       }) {
    const std::string text = std::string("g (float[300] x) => (float[300] y) { ") + body + " }";
    CAPTURE(text);
    CHECK(fault_of({text, frontend::import_text(text)}, chip) == std::optional<std::string>(""));
  }
}
