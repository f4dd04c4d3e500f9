#include <limits>
#include <map>

#include "compiler/ir/analysis.hpp"
#include "compiler/ops/testing.hpp"

using namespace pimento;
using namespace pimento::ops::testing;

namespace {
constexpr double infinity = std::numeric_limits<double>::infinity();
const double not_a_number = std::numeric_limits<double>::quiet_NaN();
}  // namespace

TEST_CASE("broadcasting: does every pair of shapes align at the end?") {
  struct Case {
    Shape a, b, y;
  };
  for (const auto& t : std::vector<Case>{{{}, {}, {}},
                                         {{3}, {}, {3}},
                                         {{2, 3}, {3}, {2, 3}},
                                         {{2, 1}, {5}, {2, 5}},
                                         {{7, 1, 3}, {2, 1}, {7, 2, 3}},
                                         {{1}, {2, 3, 5}, {2, 3, 5}}}) {
    const auto A = sample(t.a, 1), B = sample(t.b, 2);
    Reals y;
    each(t.y, [&](const Ints& o) {
      const auto pick = [&](const Tensor& T) {
        Ints i;
        for (std::size_t d = 0; d < T.shape().size(); ++d)
          i.push_back(T.shape()[d] == 1 ? 0 : o[o.size() - T.shape().size() + d]);
        return at(T.to_doubles(), T.shape(), i);
      };
      y.push_back(pick(A) - pick(B));
    });
    check_equal(run("Sub", 13, {}, {A, B}), t.y, y);
    CHECK(ir::is_elementwise(kernel(import("Sub", 13, {}, {A, B}))));
  }
  CHECK(refusal("Add", 13, {}, {sample({2, 3}), sample({2})}) ==
        "node 'n' (add), input 'B' f32[2]: expected extent 1 or 3 on dimension 0, to broadcast, got 2");
}

TEST_CASE("broadcasting before opset 7: does the attribute axis place the second operand?") {
  const auto A = sample({2, 3, 2}, 1), B = real({3}, {10, 20, 30});
  const auto a = A.to_doubles();
  Reals y;
  each({2, 3, 2}, [&](const Ints& o) { y.push_back(at(a, {2, 3, 2}, o) + 10 * static_cast<double>(o[1] + 1)); });
  check_equal(run("Add", 6, {{"axis", std::int64_t{1}}, {"broadcast", std::int64_t{1}}}, {A, B}), {2, 3, 2}, y);
}

TEST_CASE("binary operators: what do integers, comparisons and shifts give?") {
  const auto A = ints({4}, {7, -7, 5, 0}), B = ints({4}, {2, 2, -3, 3});
  check_equal(run("Div", 13, {}, {A, B}), {4}, {3, -3, -1, 0});
  check_equal(run("Mod", 13, {}, {A, B}), {4}, {1, 1, -1, 0});
  check_equal(run("Mod", 13, {{"fmod", std::int64_t{1}}}, {A, B}), {4}, {1, -1, 2, 0});
  check_equal(run("Less", 13, {}, {B, A}), {4}, {1, 0, 1, 0});
  check_equal(run("GreaterOrEqual", 13, {}, {A, A}), {4}, {1, 1, 1, 1});
  check_equal(run("Equal", 13, {}, {A, B}), {4}, {0, 0, 0, 0});
  check_equal(run("Pow", 13, {}, {A, Tensor::of({f32, {}}, {2})}), {4}, {49, 49, 25, 0});
  const auto U = Tensor::of({ElementType::u8, {2}}, {200, 3}), one = Tensor::of({ElementType::u8, {2}}, {1, 2});
  check_equal(run("BitShift", 13, {{"direction", std::string("LEFT")}}, {U, one}), {2}, {144, 12});
  check_equal(run("BitShift", 13, {{"direction", std::string("RIGHT")}}, {U, one}), {2}, {100, 0});
  CHECK(refusal("Mod", 13, {}, {sample({2}), sample({2})}) ==
        "node 'n' (mod), attribute 'fmod': expected 1, since the operands are floats, got 0");
}

TEST_CASE("chains: do min, max, sum and mean take any number of operands?") {
  const auto a = real({2}, {1, 5}), b = real({1}, {3}), c = real({2}, {2, -8});
  check_equal(run("Min", 13, {}, {a, b, c}), {2}, {1, -8});
  check_equal(run("Max", 13, {}, {a, b, c}), {2}, {3, 5});
  check_equal(run("Sum", 13, {}, {a, b, c}), {2}, {6, 0});
  check_equal(run("Mean", 13, {}, {a, b, c}), {2}, {2, 0});
  check_equal(run("Mean", 13, {}, {a}), {2}, {1, 5});
}

TEST_CASE("one operand: does each operator equal its formula?") {
  const Reals x{-2.5, -1, -0.5, 0, 0.25, 0.5, 1, 2.5, 3};
  const auto X = real({9}, x);
  const std::map<std::string, double (*)(double)> formulas{
      {"Relu", [](double v) { return v > 0 ? v : 0; }},
      {"Sigmoid", [](double v) { return 1 / (1 + std::exp(-v)); }},
      {"Tanh", [](double v) { return std::tanh(v); }},
      {"Exp", [](double v) { return std::exp(v); }},
      {"Abs", [](double v) { return std::fabs(v); }},
      {"Neg", [](double v) { return -v; }},
      {"Sign", [](double v) { return v > 0   ? 1.0
                                     : v < 0 ? -1.0
                                             : 0.0; }},
      {"Floor", [](double v) { return std::floor(v); }},
      {"Ceil", [](double v) { return std::ceil(v); }},
      {"Round", [](double v) { return std::nearbyint(v); }},
      {"Erf", [](double v) { return std::erf(v); }},
      {"Sin", [](double v) { return std::sin(v); }},
      {"Cosh", [](double v) { return std::cosh(v); }},
      {"LeakyRelu", [](double v) { return v < 0 ? 0.01 * v : v; }},
      {"ThresholdedRelu", [](double v) { return v > 1 ? v : 0; }},
      {"HardSigmoid", [](double v) { return std::fmax(0, std::fmin(1, 0.2 * v + 0.5)); }},
      {"HardSwish", [](double v) { return v * std::fmax(0, std::fmin(1, v / 6 + 0.5)); }},
      {"Elu", [](double v) { return v < 0 ? std::exp(v) - 1 : v; }},
      {"Celu", [](double v) { return std::fmax(0, v) + std::fmin(0, std::exp(v) - 1); }},
      {"Selu", [](double v) { return 1.0507009873554805 * (v > 0 ? v : 1.6732632423543772 * (std::exp(v) - 1)); }},
      {"Softplus", [](double v) { return std::log1p(std::exp(v)); }},
      {"Softsign", [](double v) { return v / (1 + std::fabs(v)); }},
      {"Mish", [](double v) { return v * std::tanh(std::log1p(std::exp(v))); }},
      {"Gelu", [](double v) { return v / 2 * (1 + std::erf(v / std::sqrt(2.0))); }},
  };
  for (const auto& row : formulas) {  // clang 14 does not let CAPTURE take structured bindings
    const auto& [row_name, f] = row;
    const std::string name = row_name;
    CAPTURE(name);
    Reals y;
    for (const double v : x) y.push_back(f(v));
    check_close(run(name, 20, {}, {X}), {9}, y, 2e-6);
    const auto half = run(name, 20, {}, {Tensor::of({ElementType::f16, {9}}, x)});
    CHECK(half.element_type() == ElementType::f16);
    check_close(half, {9}, y, 2e-3);
  }
  const auto positive = real({3}, {0.25, 1, 4});
  check_close(run("Log", 13, {}, {positive}), {3}, {std::log(0.25), 0, std::log(4.0)});
  check_close(run("Sqrt", 13, {}, {positive}), {3}, {0.5, 1, 2});
  check_close(run("Reciprocal", 13, {}, {positive}), {3}, {4, 1, 0.25});
}

TEST_CASE("activations: do large operands neither overflow nor lose their sign?") {
  const auto X = real({2}, {-200, 200});
  check_close(run("Softplus", 13, {}, {X}), {2}, {0, 200});
  check_close(run("Mish", 18, {}, {X}), {2}, {0, 200});
  check_close(run("Gelu", 20, {{"approximate", std::string("tanh")}}, {X}), {2}, {0, 200});
  check_close(run("Sigmoid", 13, {}, {X}), {2}, {0, 1});
}

TEST_CASE("clip: do attributes, inputs and absent limits come to one form?") {
  const auto X = real({5}, {-3, -1, 0, 1, 3});
  check_equal(run("Clip", 6, {{"min", -1.0}, {"max", 2.0}}, {X}), {5}, {-1, -1, 0, 1, 2});
  check_equal(run("Clip", 13, {}, {X, real({}, {-1}), real({}, {2})}), {5}, {-1, -1, 0, 1, 2});
  check_equal(run("Clip", 13, {}, {X, Tensor{}, real({}, {2})}), {5}, {-3, -1, 0, 1, 2});
  check_equal(run("Clip", 13, {}, {X}), {5}, {-3, -1, 0, 1, 3});
  const auto old = import("Clip", 6, {{"min", 0.0}, {"max", 6.0}}, {X}),
             recent = import("Clip", 13, {}, {X, real({}, {0}), real({}, {6})});
  CHECK(old.node.attributes == recent.node.attributes);
  CHECK(old.node.inputs.size() == recent.node.inputs.size());
  const auto unlimited = import("Clip", 6, {{"min", -3.402823466e+38}, {"max", 6.0}}, {X});
  CHECK(unlimited.node.attributes.count("min") == 0);
}

TEST_CASE("special values: what are infinity and NaN to the tests?") {
  const auto X = real({4}, {infinity, -infinity, not_a_number, 1});
  check_equal(run("IsNaN", 13, {}, {X}), {4}, {0, 0, 1, 0});
  check_equal(run("IsInf", 13, {}, {X}), {4}, {1, 1, 0, 0});
  check_equal(run("IsInf", 13, {{"detect_negative", std::int64_t{0}}}, {X}), {4}, {1, 0, 0, 0});
}

TEST_CASE("prelu and where: which operand is chosen?") {
  const auto X = real({1, 2, 2}, {-1, 2, -3, 4});
  check_equal(run("PRelu", 16, {}, {X, real({2, 1}, {0.5, 10})}), {1, 2, 2}, {-0.5, 2, -30, 4});
  check_equal(run("PRelu", 6, {}, {X, real({2}, {0.5, 10})}), {1, 2, 2}, {-0.5, 2, -30, 4});  // one slope per channel
  const auto condition = Tensor::of({ElementType::boolean, {2, 1}}, {1, 0});
  check_equal(run("Where", 16, {}, {condition, real({2}, {1, 2}), real({1}, {9})}), {2, 2}, {1, 2, 9, 9});
}

TEST_CASE("cast: do numbers, names of old opsets and refused types behave?") {
  const auto X = real({4}, {-1.5, 0, 2.5, 300});
  const auto i8 = run("Cast", 13, {{"to", std::int64_t{3}}}, {X});
  CHECK(i8.element_type() == ElementType::i8);
  check_equal(i8, {4}, {-1, 0, 2, 127});
  check_equal(run("Cast", 5, {{"to", std::string("BOOL")}}, {X}), {4}, {1, 0, 1, 1});
  check_equal(run("CastLike", 15, {}, {X, ints({1}, {0})}), {4}, {-1, 0, 2, 300});
  CHECK(refusal("Cast", 13, {{"to", std::int64_t{8}}}, {X}) ==
        "node 'n' (cast), attribute 'to': expected a float, integer or bool type, got ONNX type number 8");
}

TEST_CASE("dropout: is it the identity with a mask of ones, and is training refused?") {
  const auto X = sample({2, 3});
  const auto got = run_all("Dropout", 13, {}, {X, real({}, {0.5}), Tensor::of({ElementType::boolean, {}}, {0})}, 1);
  CHECK(got[0] == X);
  const auto old = run_all("Dropout", 6, {{"is_test", std::int64_t{1}}, {"ratio", 0.3}}, {X}, 1);
  CHECK(old[0] == X);
  CHECK(refusal("Dropout", 13, {}, {X, real({}, {0.5}), Tensor::of({ElementType::boolean, {}}, {1})}) ==
        "node 'n' (identity), input '#2' bool[]: expected false: only inference is compiled, got true");
}
