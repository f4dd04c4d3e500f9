#include "compiler/ir/kernel.hpp"

#include <fmt/format.h>

#include <limits>

#include "isa/support/error.hpp"

namespace pimento::ir {
namespace {

bool same(const Expr& a, const Expr& b) { return (!a && !b) || (a && b && equal(a, b)); }

template <class T, class F>
bool same_lists(const std::vector<T>& a, const std::vector<T>& b, const F& same_item) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!same_item(a[i], b[i])) return false;
  }
  return true;
}

/// Lowest or highest value of a type; for floats the infinities.
Scalar extreme(ElementType type, bool highest) {
  const double infinity = std::numeric_limits<double>::infinity();
  return Scalar::of_real(type, highest ? infinity : -infinity);  // integers saturate at their limits
}

}  // namespace

Scalar identity(Combiner combiner, ElementType type) {
  switch (combiner) {
    case Combiner::add:
      return Scalar::of(type, 0);
    case Combiner::mul:
      return Scalar::of(type, 1);
    case Combiner::max:
      return type == ElementType::boolean ? Scalar::of(type, 0) : extreme(type, false);
    case Combiner::min:
      return type == ElementType::boolean ? Scalar::of(type, 1) : extreme(type, true);
    case Combiner::logical_and:
      return Scalar::of(type, type == ElementType::boolean ? 1 : -1);
    case Combiner::logical_or:
      return Scalar::of(type, 0);
    case Combiner::merge:
      break;
  }
  throw InternalError("a merge has no neutral element: its initial value must be given");
}

int Kernel::operand(std::string_view operand_name) const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].name == operand_name) return static_cast<int>(i);
    names.push_back(operands[i].name);
  }
  throw InternalError(
      fmt::format("kernel '{}' has no operand '{}'{}", name, operand_name, suggestion(operand_name, names)));
}

bool equal(const Kernel& a, const Kernel& b) {
  return a.name == b.name &&
         same_lists(a.axes, b.axes,
                    [](const KernelAxis& x, const KernelAxis& y) {
                      return x.name == y.name && x.extent == y.extent && x.kind == y.kind;
                    }) &&
         same_lists(a.operands, b.operands,
                    [](const Operand& x, const Operand& y) {
                      return x.name == y.name && x.type == y.type && x.role == y.role;
                    }) &&
         same_lists(a.accumulators, b.accumulators,
                    [](const Accumulator& x, const Accumulator& y) {
                      return x.name == y.name && x.type == y.type && x.combiner == y.combiner &&
                             x.initial == y.initial && same(x.body, y.body) && same(x.guard, y.guard) &&
                             same(x.merge, y.merge);
                    }) &&
         same_lists(a.states, b.states,
                    [](const State& x, const State& y) {
                      return x.name == y.name && x.type == y.type && same(x.initial, y.initial) && same(x.next, y.next);
                    }) &&
         same_lists(a.outputs, b.outputs, [](const Output& x, const Output& y) {
           return x.operand == y.operand && same_lists(x.map, y.map, same) && same(x.value, y.value) &&
                  same(x.guard, y.guard) && x.rule == y.rule && x.out_of_range == y.out_of_range &&
                  x.starts_from == y.starts_from;
         });
}

}  // namespace pimento::ir
