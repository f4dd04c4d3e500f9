// Random kernels of every form: do the paths agree, and does text give back the kernel? A failing seed is printed and
// stays reproducible.
#include <doctest/doctest.h>

#include "compiler/ir/fingerprint.hpp"
#include "compiler/ir/kernel_sections.hpp"
#include "compiler/ir/path_check.hpp"
#include "compiler/ir/text.hpp"
#include "isa/support/error.hpp"

using namespace pimento;
using namespace pimento::ir;

namespace {

constexpr ElementType value_types[] = {ElementType::f32, ElementType::i32, ElementType::i8, ElementType::f16,
                                       ElementType::u8};

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : state_(seed * 2 + 1) {}

  Kernel kernel() {
    k_.name = "random";
    const int axes = 1 + pick(4);
    for (int i = 0; i < axes; ++i) {
      const std::int64_t extent = pick(12) == 0 ? 40 : pick(20) == 0 ? 530 : 1 + pick(5);
      k_.axes.push_back({"a" + std::to_string(i), extent, kind()});
    }
    for (int i = 0; i < 2; ++i) {
      Shape shape;
      for (int d = pick(4); d > 0; --d) shape.push_back(1 + pick(5));
      k_.operands.push_back({"X" + std::to_string(i), {value_types[pick(5)], shape}, OperandRole::input});
    }
    if (has_axis(k_, AxisKind::carried) && pick(4) != 0) {
      for (int i = 0; i <= pick(2); ++i) k_.states.push_back({"s" + std::to_string(i), value_types[pick(5)], {}, {}});
    }
    if (has_axis(k_, AxisKind::reduction)) accumulators();
    section_ = Section::initial;
    for (State& s : k_.states) s.initial = expr(s.type, 2);
    section_ = Section::finish;
    for (State& s : k_.states) s.next = expr(s.type, 3);
    for (int i = 0; i <= pick(2); ++i) output(i);
    return k_;
  }

  Tensor tensor(const TensorType& type) {
    Tensor t = Tensor::zeros(type);
    for (std::int64_t i = 0; i < t.elements(); ++i) {
      t.set(i, is_float(type.type) ? Scalar::of_real(type.type, (pick(2001) - 1000) / 64.0)
                                   : Scalar::of(type.type, pick(40) - 20));
    }
    return t;
  }

 private:
  int pick(int n) {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<int>((state_ >> 33) % static_cast<std::uint64_t>(n));
  }
  AxisKind kind() {
    const int k = pick(6);
    return k < 3 ? AxisKind::parallel : k < 5 ? AxisKind::reduction : AxisKind::carried;
  }

  void accumulators() {
    const int n = 1 + pick(2);
    for (int i = 0; i < n; ++i) {
      Accumulator a;
      a.name = "acc" + std::to_string(i);
      a.type = value_types[pick(5)];
      a.combiner = static_cast<Combiner>(pick(4));
      if (pick(3) == 0) a.combiner = Combiner::merge;
      k_.accumulators.push_back(a);
    }
    for (Accumulator& a : k_.accumulators) {
      section_ = Section::body;
      a.body = expr(a.type, 3);
      a.initial = a.combiner == Combiner::merge ? Scalar::of(a.type, pick(5)) : identity(a.combiner, a.type);
      if (pick(4) == 0) a.guard = condition(2);
      section_ = Section::merge;
      if (a.combiner == Combiner::merge) a.merge = expr(a.type, 3);
    }
  }

  void output(int number) {
    section_ = Section::finish;
    Output o;
    o.operand = static_cast<int>(k_.operands.size());
    Shape shape;
    for (int d = pick(4); d >= 0; --d) {
      Expr e = pick(3) == 0 ? position(2) : axis();
      const Range r = interval(e, full_axes(k_));
      std::int64_t extent = std::min<std::int64_t>(r.end, 60);
      if (r.begin < 0 || r.end > 60) {
        o.out_of_range = OutOfRange::value;
        extent = 3;
      }
      shape.push_back(std::max<std::int64_t>(extent, 1));
      o.map.push_back(e);
    }
    const ElementType type = value_types[pick(5)];
    k_.operands.push_back({"Y" + std::to_string(number), {type, shape}, OperandRole::output});
    o.value = expr(type, 3);
    if (pick(4) == 0) o.guard = condition(2);
    if (pick(3) == 0) o.rule = static_cast<WriteRule>(pick(5));
    k_.outputs.push_back(o);
  }

  /// An axis that the section may use, or a constant.
  Expr axis() {
    const int i = pick(static_cast<int>(k_.axes.size()));
    const AxisKind kind = k_.axes[static_cast<std::size_t>(i)].kind;
    if (kind == AxisKind::reduction && section_ != Section::body && section_ != Section::merge) return index(pick(3));
    if (kind == AxisKind::carried && section_ == Section::initial) return index(pick(3));
    return Axis::make(i);
  }

  Expr position(int depth) {
    if (depth == 0) return pick(4) == 0 ? index(pick(5) - 2) : axis();
    switch (pick(9)) {
      case 0:
        return floor_div(position(depth - 1), 1 + pick(4));
      case 1:
        return floor_mod(position(depth - 1), 1 + pick(4));
      case 2:
        return position(depth - 1) * static_cast<double>(pick(4) - 1);
      case 3:
        return Lookup::make(Tensor::of_integers({ElementType::i64, {3}}, {2, 0, 1}), floor_mod(position(depth - 1), 3));
      case 4:
        return cast(ElementType::i64, load(depth - 1));
      case 5:
        return select(condition(depth - 1), position(depth - 1), position(depth - 1));
      case 6:
        return position(depth - 1) - position(depth - 1);
      default:
        return position(depth - 1) + position(depth - 1);
    }
  }

  Expr load(int depth) {
    const int operand = pick(2);
    const Operand& o = k_.operands[static_cast<std::size_t>(operand)];
    std::vector<Expr> indices;
    for (std::size_t d = 0; d < o.type.shape.size(); ++d)
      indices.push_back(depth > 0 && pick(3) == 0 ? position(depth - 1) : axis() + static_cast<double>(pick(3) - 1));
    const bool clamp = pick(3) == 0;
    return Load::make(operand, o.type.type, indices, clamp ? OutOfRange::clamp : OutOfRange::value,
                      Scalar::of(o.type.type, pick(3)));
  }

  Expr condition(int depth) {
    const ElementType type = pick(2) == 0 ? ElementType::i64 : value_types[pick(5)];
    const auto op = static_cast<BinaryOp>(static_cast<int>(BinaryOp::eq) + pick(6));
    return type == ElementType::i64 ? binary(op, position(1), position(1))
                                    : binary(op, expr(type, depth - 1), expr(type, depth - 1));
  }

  Expr expr(ElementType type, int depth) {
    if (depth <= 0 || pick(5) == 0) return leaf(type);
    switch (pick(8)) {
      case 0:
        return unary(pick(2) == 0 ? UnaryOp::relu : UnaryOp::abs, expr(type, depth - 1));
      case 1:
        return select(condition(depth - 1), expr(type, depth - 1), expr(type, depth - 1));
      case 2:
        return min(expr(type, depth - 1), expr(type, depth - 1));
      case 3:
        return expr(type, depth - 1) - expr(type, depth - 1);
      case 4:
        return expr(type, depth - 1) * expr(type, depth - 1);
      case 5:
        return cast(type, expr(value_types[pick(5)], depth - 1));
      case 6:
        return is_float(type) ? unary(UnaryOp::sigmoid, expr(type, depth - 1)) : expr(type, depth - 1);
      default:
        return expr(type, depth - 1) + expr(type, depth - 1);
    }
  }

  Expr leaf(ElementType type) {
    const int n = pick(6);
    if (n == 0) return constant(type, pick(9) - 4);
    if (n == 1 && !k_.states.empty() && section_ != Section::initial) {
      const int s = pick(static_cast<int>(k_.states.size()));
      return cast(type, Carried::make(s, k_.states[static_cast<std::size_t>(s)].type));
    }
    if (n <= 3 && !k_.accumulators.empty() && (section_ == Section::finish || section_ == Section::merge)) {
      const int a = pick(static_cast<int>(k_.accumulators.size()));
      const ElementType t = k_.accumulators[static_cast<std::size_t>(a)].type;
      const bool incoming = section_ == Section::merge && pick(2) == 0;
      return cast(type, incoming ? Incoming::make(a, t) : Accumulated::make(a, t));
    }
    if (n == 4) return cast(type, axis());
    return cast(type, load(1));
  }

  std::uint64_t state_;
  Kernel k_;
  Section section_ = Section::finish;
};

}  // namespace

TEST_CASE("fuzz: do the paths agree on random kernels, and does text give each back?") {
  int valid = 0;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    Generator g(seed);
    const Kernel k = g.kernel();
    if (!verify(k).empty() || points(k) > 40000) continue;
    ++valid;
    CAPTURE(seed);
    const std::string text = print(k);
    CAPTURE(text);
    std::vector<Tensor> inputs;
    for (const Operand& o : k.operands) {
      if (o.role == OperandRole::input) inputs.push_back(g.tensor(o.type));
    }
    on_all_paths(k, inputs);
    REQUIRE(equal(parse_kernel(text), k));
    REQUIRE(fingerprint(parse_kernel(text)) == fingerprint(k));
  }
  CHECK(valid > 1400);
}
