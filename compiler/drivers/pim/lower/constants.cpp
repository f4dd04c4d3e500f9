#include "compiler/drivers/pim/lower/constants.hpp"

#include <algorithm>

#include "isa/support/error.hpp"

namespace pimento::pim {
namespace {
using ir::Expr;
using ir::Scalar;

Scalar combine(ir::Combiner combiner, const Scalar& a, const Scalar& b) {
  using ir::BinaryOp;
  using ir::Combiner;
  switch (combiner) {
    case Combiner::add:
      return ir::evaluate(BinaryOp::add, a, b);
    case Combiner::mul:
      return ir::evaluate(BinaryOp::mul, a, b);
    case Combiner::max:
      return ir::evaluate(BinaryOp::max, a, b);
    case Combiner::min:
      return ir::evaluate(BinaryOp::min, a, b);
    case Combiner::logical_and:
      return ir::evaluate(BinaryOp::bit_and, a, b);
    case Combiner::logical_or:
      return ir::evaluate(BinaryOp::bit_or, a, b);
    case Combiner::merge:
      break;
  }
  throw InternalError("a merge is not known at compile time");
}
}  // namespace

Constants::Constants(const ir::Kernel& kernel, std::vector<const ir::Tensor*> contents)
    : kernel_(kernel), contents_(std::move(contents)) {}

bool Constants::known_accumulator(int accumulator) const {
  const ir::Accumulator& a = kernel_.accumulators[static_cast<std::size_t>(accumulator)];
  return a.combiner != ir::Combiner::merge && known(a.body) && (!a.guard || known(a.guard));
}

bool Constants::known(const Expr& e) const {
  if (e.as<ir::Const>() || e.as<ir::Axis>()) return true;
  if (const auto found = known_.find(e.identity()); found != known_.end()) return found->second.second;
  bool result = true;
  if (const auto* load = e.as<ir::Load>()) {
    result = contents_[static_cast<std::size_t>(load->operand)] != nullptr;
  } else if (const auto* acc = e.as<ir::Accumulated>()) {
    result = known_accumulator(acc->accumulator);
  } else if (e.as<ir::Carried>() || e.as<ir::Incoming>()) {
    result = false;
  }
  if (result) ir::for_each_child(e, [&](const Expr& part) { result = result && known(part); });
  known_[e.identity()] = {e, result};
  return result;
}

void Constants::mark_axes(const Expr& e, std::vector<bool>& used) const {
  if (const auto* axis = e.as<ir::Axis>()) used[static_cast<std::size_t>(axis->axis)] = true;
  if (const auto* acc = e.as<ir::Accumulated>()) {
    const ir::Accumulator& a = kernel_.accumulators[static_cast<std::size_t>(acc->accumulator)];
    std::vector<bool> inner(used.size());
    mark_axes(a.body, inner);
    if (a.guard) mark_axes(a.guard, inner);
    for (std::size_t i = 0; i < used.size(); ++i) {
      if (inner[i] && kernel_.axes[i].kind != ir::AxisKind::reduction) used[i] = true;
    }
  }
  ir::for_each_child(e, [&](const Expr& part) { mark_axes(part, used); });
}

Scalar Constants::load(const ir::Load& load, const Point& axes) const {
  const ir::TensorType& type = kernel_.operands[static_cast<std::size_t>(load.operand)].type;
  std::int64_t flat = 0;
  for (std::size_t d = 0; d < load.indices.size(); ++d) {
    std::int64_t index = at(load.indices[d], axes).integer;
    const std::int64_t extent = type.shape[d];
    if (index < 0 || index >= extent) {
      if (load.rule == ir::OutOfRange::value) return load.outside;
      PIMENTO_CHECK(load.rule == ir::OutOfRange::clamp,
                    "kernel '" + kernel_.name + "': constant operand read out of range");
      index = std::clamp<std::int64_t>(index, 0, extent - 1);
    }
    flat = flat * extent + index;
  }
  return contents_[static_cast<std::size_t>(load.operand)]->at(flat);
}

Scalar Constants::accumulated(int accumulator, const Point& axes) const {
  const ir::Accumulator& a = kernel_.accumulators[static_cast<std::size_t>(accumulator)];
  Scalar value = a.initial;
  Point point = axes;
  std::vector<std::size_t> reduced;
  for (std::size_t i = 0; i < kernel_.axes.size(); ++i) {
    if (kernel_.axes[i].kind == ir::AxisKind::reduction) reduced.push_back(i);
  }
  for (const std::size_t i : reduced) point[i] = 0;
  while (true) {
    if (!a.guard || at(a.guard, point).integer != 0) value = combine(a.combiner, value, at(a.body, point));
    std::size_t level = reduced.size();
    for (; level > 0; --level) {
      const std::size_t axis = reduced[level - 1];
      if (++point[axis] < kernel_.axes[axis].extent) break;
      point[axis] = 0;
    }
    if (level == 0) return value;
  }
}

Scalar Constants::at(const Expr& e, const Point& axes) const {
  if (const auto* x = e.as<ir::Const>()) return x->value;
  if (const auto* x = e.as<ir::Axis>()) return Scalar::of(ElementType::i64, axes[static_cast<std::size_t>(x->axis)]);
  if (const auto* x = e.as<ir::Load>()) return load(*x, axes);
  if (const auto* x = e.as<ir::Lookup>()) return x->table.at(at(x->index, axes).integer);
  if (const auto* x = e.as<ir::Unary>()) return ir::evaluate(x->op, at(x->a, axes));
  if (const auto* x = e.as<ir::Binary>()) return ir::evaluate(x->op, at(x->a, axes), at(x->b, axes));
  if (const auto* x = e.as<ir::Select>()) return at(x->condition, axes).integer != 0 ? at(x->a, axes) : at(x->b, axes);
  if (const auto* x = e.as<ir::Cast>()) return ir::evaluate_cast(x->to, at(x->a, axes));
  if (const auto* x = e.as<ir::Accumulated>()) return accumulated(x->accumulator, axes);
  throw InternalError("expression is not known at compile time");
}

}  // namespace pimento::pim
