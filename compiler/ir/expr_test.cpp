#include "compiler/ir/expr.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "compiler/ir/kernel_builder.hpp"
#include "compiler/ir/path_check.hpp"
#include "compiler/ir/text.hpp"
#include "isa/support/error.hpp"

using namespace pimento;
using namespace pimento::ir;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
double value(ElementType type, const char* text) {
  // evaluated through a kernel of one point, on all paths
  Kernel k = parse_kernel(std::string("kernel k () { Y[] = ") + text + " } where Y : out " +
                          std::string(to_string(type)) + "[]");
  return on_all_paths(k, {})[0].to_doubles()[0];
}
std::vector<double> battery(ElementType type) {
  if (type == ElementType::boolean) return {0, 1};
  if (is_float(type)) return {0.0, -0.0, 1, -1, 0.5, 2.5, -3.5, 1e-3, 100, -100, 3e4, 1e30, inf, -inf, std::nan("")};
  return {0,    1,      -1,  2,   3,     7,      -8,    31,           100,
          127,  -128,   255, 256, 32767, -32768, 65535, 2147483647.0, -2147483648.0,
          9e18, -9.3e18};
}
/// All pairs (or all values) of the battery as two tensors.
std::pair<Tensor, Tensor> pairs(ElementType type) {
  std::vector<double> a, b;
  for (const double x : battery(type)) {
    for (const double y : battery(type)) {
      a.push_back(x);
      b.push_back(y);
    }
  }
  const TensorType t{type, {static_cast<std::int64_t>(a.size())}};
  return {Tensor::of(t, a), Tensor::of(t, b)};
}

}  // namespace

TEST_CASE("expr: do all paths agree on every operator, type and awkward value?") {
  for (int i = 0; i < element_type_count; ++i) {
    const auto type = static_cast<ElementType>(i);
    const auto [a, b] = pairs(type);
    const auto run = [&, &a = a, &b = b](const std::string& name,
                                         const std::function<Expr(const Expr&, const Expr&)>& f) {
      KernelBuilder k(name);
      const auto x = k.parallel("x", a.elements());
      const auto in_a = k.input("a", a.type()), in_b = k.input("b", b.type());
      const Expr e = f(in_a.at({x}), in_b.at({x}));
      k.write(k.output("y", {e.type(), a.shape()}), {x}, e);
      on_all_paths(k.build(), {a, b});
    };
    for (const UnaryInfo& row : unary_operators()) {
      if (accepts(row.domain, type))
        run(std::string(row.name), [&](const Expr& x, const Expr&) { return Unary::make(row.op, x); });
    }
    for (const BinaryInfo& row : binary_operators()) {
      if (accepts(row.domain, type))
        run(std::string(row.name), [&](const Expr& x, const Expr& y) { return Binary::make(row.op, x, y); });
    }
    for (int to = 0; to < element_type_count; ++to) {
      run("cast", [&](const Expr& x, const Expr&) { return Cast::make(static_cast<ElementType>(to), x); });
    }
  }
}
TEST_CASE("expr: how do integers divide, wrap and shift?") {
  constexpr auto i64 = ElementType::i64, i8 = ElementType::i8, u8 = ElementType::u8;
  CHECK(value(i64, "-1 // 4") == -1);
  CHECK(value(i64, "-1 % 4") == 3);
  CHECK(value(i64, "-7 / 2") == -3);
  CHECK(value(i64, "rem(-7, 2)") == -1);
  CHECK(value(i64, "7 // -2") == -4);
  CHECK(value(i64, "7 % -2") == -1);
  CHECK(value(i8, "i8(100) + i8(100)") == -56);
  CHECK(value(u8, "u8(3) - u8(5)") == 254);
  CHECK(value(i8, "i8(-128) / i8(-1)") == -128);
  CHECK(value(i8, "neg(i8(-128))") == -128);
  CHECK(value(i8, "i8(1) << i8(7)") == -128);
  CHECK(value(i8, "i8(1) << i8(8)") == 0);
  CHECK(value(i8, "i8(-5) >> i8(1)") == -3);
  CHECK(value(i64, "pow(3, 4)") == 81);
}
TEST_CASE("expr: how do floats round, compare and convert?") {
  constexpr auto f32 = ElementType::f32, i8 = ElementType::i8, f16 = ElementType::f16;
  CHECK(value(f32, "round(2.5) + round(-1.5)") == 0);  // 2 and -2
  CHECK(std::isnan(value(f32, "max(1.0, nan)")));
  CHECK(std::isnan(value(f32, "relu(nan)")));
  CHECK(value(f32, "-5.5 % 3.0") == 0.5);
  CHECK(value(f32, "-5.5 // 3.0") == -2);
  CHECK(value(i8, "cast<i8>(200.7)") == 127);  // saturates
  CHECK(value(i8, "cast<i8>(-1.9)") == -1);    // truncates
  CHECK(value(i8, "cast<i8>(nan)") == 0);
  CHECK(value(i8, "cast<i8>(i32(300))") == 44);         // wraps
  CHECK(value(f16, "f16(2048.0) + f16(1.0)") == 2048);  // 2049 is a tie, 2048 is even
  CHECK(value(f32, "cast<f32>(16777217)") == 16777216);
  CHECK(value(ElementType::boolean, "(nan == nan) | (nan < 1.0)") == 0);
  CHECK(value(ElementType::boolean, "nan != nan") == 1);
}
TEST_CASE("expr: does make refuse what has no meaning?") {
  const Expr real = constant(ElementType::f32, 1), whole = index(1);
  CHECK_THROWS_WITH_AS(real + whole, "operator '+' on two types: f32 and i64", InternalError);
  CHECK_THROWS_WITH_AS(unary(UnaryOp::exp, whole), "operator 'exp' does not take i64", InternalError);
  CHECK_THROWS_WITH_AS(Load::make(0, ElementType::f32, {real}), "an index of a load must be i64, got f32",
                       InternalError);
  CHECK_THROWS_WITH_AS(select(whole, real, real), "the condition of select must be bool", InternalError);
}
TEST_CASE("expr: is a rewrite that finds nothing free?") {
  const Expr e = floor_div(Axis::make(0), 4) + Axis::make(1);
  CHECK(rewrite(e, [](const Expr& n) { return n; }).same_node(e));
  CHECK(substitute_axes(e, {}).same_node(e));
  const Expr moved = substitute_axes(e, {Axis::make(0) + 8});
  CHECK(print(moved) == "(axis0 + 8) // 4 + axis1");
  CHECK(moved.as<Binary>()->b.same_node(e.as<Binary>()->b));  // what does not change is shared
}
TEST_CASE("expr: which index expressions are affine?") {
  const Expr x = Axis::make(0), y = Axis::make(1);
  CHECK(*as_affine(2 * (x - y) + 3 - y, 2) == Affine{3, {2, -3}});
  CHECK(*as_affine(x * (index(2) + 1), 2) == Affine{0, {3, 0}});
  CHECK_FALSE(as_affine(x * y, 2));
  CHECK_FALSE(as_affine(floor_mod(x, 4), 2));
}
