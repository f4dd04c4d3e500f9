#include "compiler/ir/kernel_builder.hpp"

#include <fmt/format.h>

#include <set>

#include "compiler/ir/verify.hpp"
#include "isa/support/error.hpp"

namespace pimento::ir {
namespace {

Expr load(int operand, const TensorType& type, std::vector<Expr> indices, OutOfRange rule, Scalar outside) {
  return Load::make(operand, type.type, std::move(indices), rule, outside);
}

}  // namespace

Expr KernelBuilder::Tensor::at(std::vector<Expr> indices) const {
  return load(operand_, type_, std::move(indices), OutOfRange::error, Scalar{type_.type});
}
Expr KernelBuilder::Tensor::at(std::vector<Expr> indices, double outside) const {
  return load(operand_, type_, std::move(indices), OutOfRange::value, Scalar::of_real(type_.type, outside));
}
Expr KernelBuilder::Tensor::clamped(std::vector<Expr> indices) const {
  return load(operand_, type_, std::move(indices), OutOfRange::clamp, Scalar{type_.type});
}

KernelBuilder::KernelBuilder(std::string name) { kernel_.name = std::move(name); }

Expr KernelBuilder::axis(std::string name, std::int64_t extent, AxisKind kind) {
  kernel_.axes.push_back({std::move(name), extent, kind});
  return Axis::make(static_cast<int>(kernel_.axes.size()) - 1);
}
Expr KernelBuilder::parallel(std::string name, std::int64_t extent) {
  return axis(std::move(name), extent, AxisKind::parallel);
}
Expr KernelBuilder::reduction(std::string name, std::int64_t extent) {
  return axis(std::move(name), extent, AxisKind::reduction);
}
Expr KernelBuilder::carried(std::string name, std::int64_t extent) {
  return axis(std::move(name), extent, AxisKind::carried);
}
std::vector<Expr> KernelBuilder::parallel_axes(const std::string& prefix, const Shape& shape) {
  std::vector<Expr> axes;
  for (std::size_t i = 0; i < shape.size(); ++i) axes.push_back(parallel(prefix + std::to_string(i), shape[i]));
  return axes;
}
std::vector<Expr> KernelBuilder::reduction_axes(const std::string& prefix, const Shape& shape) {
  std::vector<Expr> axes;
  for (std::size_t i = 0; i < shape.size(); ++i) axes.push_back(reduction(prefix + std::to_string(i), shape[i]));
  return axes;
}

KernelBuilder::Tensor KernelBuilder::input(std::string name, TensorType type) {
  Tensor t;
  t.operand_ = static_cast<int>(kernel_.operands.size());
  t.type_ = type;
  kernel_.operands.push_back({std::move(name), std::move(type), OperandRole::input});
  return t;
}
KernelBuilder::Tensor KernelBuilder::output(std::string name, TensorType type) {
  Tensor t = input(std::move(name), std::move(type));
  kernel_.operands.back().role = OperandRole::output;
  return t;
}

Expr KernelBuilder::accumulate(Combiner combiner, const Expr& body, Expr guard) {
  const auto index = static_cast<int>(kernel_.accumulators.size());
  const std::string name = index == 0 ? "acc" : fmt::format("acc{}", index);
  kernel_.accumulators.push_back(
      {name, body.type(), combiner, identity(combiner, body.type()), body, std::move(guard), {}});
  return Accumulated::make(index, body.type());
}

std::pair<Expr, Expr> KernelBuilder::arg_best(BinaryOp better, const Expr& value, const Expr& at, bool last_wins) {
  PIMENTO_CHECK(better == BinaryOp::gt || better == BinaryOp::lt, "arg_best compares by gt or lt");
  const auto index = static_cast<int>(kernel_.accumulators.size());
  const Expr best = Accumulated::make(index, value.type()), seen = Incoming::make(index, value.type());
  const Expr best_at = Accumulated::make(index + 1, at.type()), seen_at = Incoming::make(index + 1, at.type());
  BinaryOp op = better;
  if (last_wins) op = better == BinaryOp::gt ? BinaryOp::ge : BinaryOp::le;
  // The place starts at -1 so that the first point is always taken, even when it equals the initial value or is NaN.
  const Expr none = binary(BinaryOp::lt, best_at, constant(at.type(), 0));
  const Expr take = binary(BinaryOp::bit_or, none, binary(op, seen, best));
  const Combiner like = better == BinaryOp::gt ? Combiner::max : Combiner::min;
  const std::string suffix = index == 0 ? "" : fmt::format("{}", index);
  kernel_.accumulators.push_back({"best" + suffix,
                                  value.type(),
                                  Combiner::merge,
                                  identity(like, value.type()),
                                  value,
                                  {},
                                  select(take, seen, best)});
  kernel_.accumulators.push_back(
      {"at" + suffix, at.type(), Combiner::merge, Scalar::of(at.type(), -1), at, {}, select(take, seen_at, best_at)});
  return {best, best_at};
}

Expr KernelBuilder::merge(const Expr& body, Scalar initial,
                          const std::function<Expr(const Expr&, const Expr&)>& merge_of) {
  const auto index = static_cast<int>(kernel_.accumulators.size());
  const Expr so_far = Accumulated::make(index, body.type());
  kernel_.accumulators.push_back({fmt::format("acc{}", index),
                                  body.type(),
                                  Combiner::merge,
                                  initial,
                                  body,
                                  {},
                                  merge_of(so_far, Incoming::make(index, body.type()))});
  return so_far;
}

Expr KernelBuilder::state(std::string name, const Expr& initial) {
  const auto index = static_cast<int>(kernel_.states.size());
  kernel_.states.push_back({std::move(name), initial.type(), initial, {}});
  return Carried::make(index, initial.type());
}
void KernelBuilder::advance(const Expr& state, const Expr& next) {
  const auto* carried_state = state.as<Carried>();
  PIMENTO_CHECK(carried_state != nullptr, "advance takes what `state` returned");
  kernel_.states[static_cast<std::size_t>(carried_state->state)].next = next;
}

void KernelBuilder::write(const Tensor& output, std::vector<Expr> map, const Expr& value) {
  write(output, std::move(map), value, {});
}
void KernelBuilder::write(const Tensor& output, std::vector<Expr> map, const Expr& value, const WriteOptions& options) {
  kernel_.outputs.push_back({output.operand(), std::move(map), value, options.guard, options.rule, options.out_of_range,
                             options.starts_from});
}

Kernel KernelBuilder::build() const {
  Kernel k = kernel_;
  std::set<std::string> taken;
  if (!k.states.empty() || !k.accumulators.empty()) {
    for (const KernelAxis& a : k.axes) taken.insert(a.name);
    for (const Operand& o : k.operands) taken.insert(o.name);
  }
  const auto make_unique = [&](std::string& name) {  // accumulators and states give way to what the caller named
    const std::string base = name;
    for (int i = 1; !taken.insert(name).second; ++i) name = fmt::format("{}_{}", base, i);
  };
  for (State& s : k.states) make_unique(s.name);
  for (Accumulator& a : k.accumulators) make_unique(a.name);
  require_valid(k, fmt::format("kernel '{}'", k.name));
  return k;
}

}  // namespace pimento::ir
