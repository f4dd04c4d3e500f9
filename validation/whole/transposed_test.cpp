// Images that come with their channels last, as TensorFlow's exporters leave them: a transposition, then an image
// operator.
#include <doctest/doctest.h>

#include "compiler/frontend/import.hpp"
#include "validation/whole/random_windows.hpp"

using namespace pimento;
using namespace pimento::validation;

TEST_CASE("transposed: is what is made in one order of dimensions and read as an image right?") {
  const isa::Chip chip = isa::load_chip("tiny-4");
  for (const char* body : {
           "a = Relu (x) b = Transpose <perm = [0,3,1,2]> (a) y = MaxPool <kernel_shape = [1,2]> (b)",
           "a = Concat <axis = 0> (x, x) b = Transpose <perm = [0,3,1,2]> (a) y = MaxPool <kernel_shape = [2,2]> (b)",
           "a = Transpose <perm = [0,3,1,2]> (x) b = MaxPool <kernel_shape = [2,2]> (a) "
           "c = Transpose <perm = [0,2,3,1]> (b) y = Relu (c)",
           "s = Constant <value_ints = [2,4]> () a, b = Split <axis = 2> (x, s) c = Concat <axis = 2> (b, a) "
           "d = Transpose <perm = [0,3,1,2]> (c) y = AveragePool <kernel_shape = [3,3]> (d)",
       }) {
    const std::string text = std::string("g (float[2,5,6,3] x) => (float[d0,d1,d2,d3] y) { ") + body + " }";
    CAPTURE(text);
    CHECK(fault_of({text, frontend::import_text(text)}, chip) == std::optional<std::string>(""));
  }
}
