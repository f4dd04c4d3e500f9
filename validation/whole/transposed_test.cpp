// Images that come with their channels last, as TensorFlow's exporters leave them: a transposition, then an image
// operator.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <numeric>

#include "compiler/frontend/import.hpp"
#include "isa/instruction/samples.hpp"
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

TEST_CASE("rearranged: are reshapes and transpositions in a row right, however they cut across each other?") {
  const isa::Chip chip = isa::load_chip("tiny-4");
  isa::Random random(5);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random.next() % n); };
  const std::vector<ir::Shape> shapes{{24},      {4, 6},    {3, 8},       {2, 12},         {2, 3, 4},
                                      {1, 4, 6}, {4, 1, 6}, {2, 2, 2, 3}, {1, 2, 1, 4, 3}, {6, 2, 2}};
  for (int trial = 0; trial < 60; ++trial) {
    ir::Shape shape = shapes[below(shapes.size())];
    std::string body = "v0 = Relu (x) ";
    const std::string first = fmt::format("{}", fmt::join(shape, ","));
    std::vector<std::string> outputs;
    std::size_t made = 1;
    for (; made < 2 + below(5); ++made) {
      const std::string of = fmt::format("v{}", made - 1);
      if (below(2) == 0) {
        std::vector<std::int64_t> perm(shape.size());
        std::iota(perm.begin(), perm.end(), 0);
        for (std::size_t d = perm.size(); d-- > 1;) std::swap(perm[d], perm[below(d + 1)]);
        ir::Shape permuted;
        for (const std::int64_t d : perm) permuted.push_back(shape[static_cast<std::size_t>(d)]);
        body += fmt::format("v{} = Transpose <perm = [{}]> ({}) ", made, fmt::join(perm, ","), of);
        shape = permuted;
      } else {
        shape = shapes[below(shapes.size())];
        body += fmt::format("s{0} = Constant <value_ints = [{1}]> () v{0} = Reshape ({2}, s{0}) ", made,
                            fmt::join(shape, ","), of);
      }
      if (below(4) == 0) outputs.push_back(fmt::format("float[{}] v{}", fmt::join(shape, ","), made));
    }
    body += fmt::format("y = Neg (v{}) ", made - 1);
    outputs.push_back(fmt::format("float[{}] y", fmt::join(shape, ",")));
    const std::string text = fmt::format("g (float[{}] x) => ({}) {{ {}}}", first, fmt::join(outputs, ", "), body);
    CAPTURE(text);
    CHECK(fault_of({text, frontend::import_text(text)}, chip) == std::optional<std::string>(""));
  }
}

TEST_CASE("rearranged: have several outputs and readers of what is only renamed each their bytes?") {
  const isa::Chip chip = isa::load_chip("tiny-4");
  for (const char* text : {
           "g (float[3,8] x) => (float[8,3] y, float[24] z) { s = Constant <value_ints = [8,3]> () t = Constant "
           "<value_ints = [24]> () a = Relu (x) y = Reshape (a, s) z = Reshape (a, t) }",
           "g (float[1,4] x) => (float[4,1] y, float[2,2] z) { s = Constant <value_ints = [2,2]> () a = Relu (x) "
           "y = Transpose <perm = [1,0]> (a) z = Reshape (a, s) }",
           "g (float[4,3] x) => (float[12] p, float[6,2] q) { s = Constant <value_ints = [12]> () t = Constant "
           "<value_ints = [6,2]> () a = Transpose <perm = [1,0]> (x) b = Transpose <perm = [1,0]> (a) "
           "c = Reshape (b, s) p = Relu (c) d = Reshape (b, t) q = Relu (d) }",
           "g (float[3,8] x) => (float[1,8,3] y, float[8,1,3] z) { s = Constant <value_ints = [1,8,3]> () "
           "a = Transpose <perm = [1,0]> (x) y = Reshape (a, s) z = Transpose <perm = [1,0,2]> (y) }",
       }) {
    CAPTURE(text);
    CHECK(fault_of({text, frontend::import_text(text)}, chip) == std::optional<std::string>(""));
  }
}
