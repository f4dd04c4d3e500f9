// One output of one kernel: its accumulators, its value, where it goes.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "compiler/drivers/pim/lower/lowering.hpp"
#include "compiler/drivers/pim/lower/refusals.hpp"
#include "compiler/ir/kernel_builder.hpp"
#include "isa/support/error.hpp"

namespace pimento::pim {
namespace {
/// The kernel's parallel axes in memory order of what is written: the largest step first.
std::vector<int> axis_order(const ir::Kernel& kernel, const View& by_axis) {
  std::vector<int> dims;
  for (std::size_t a = 0; a < kernel.axes.size(); ++a) {
    if (kernel.axes[a].kind == ir::AxisKind::parallel) dims.push_back(static_cast<int>(a));
  }
  std::stable_sort(dims.begin(), dims.end(), [&](int a, int b) {
    const Stride x = by_axis.steps[static_cast<std::size_t>(a)], y = by_axis.steps[static_cast<std::size_t>(b)];
    return std::tie(x.row, x.position, x.channel) > std::tie(y.row, y.position, y.channel);
  });
  return dims;
}
std::vector<int> all_axes(std::size_t count) {
  std::vector<int> axes(count);
  for (std::size_t a = 0; a < count; ++a) axes[a] = static_cast<int>(a);
  return axes;
}
/// Steps and origin of a tensor by kernel axis, under an affine map.
View by_axis(const std::vector<ir::Expr>& indices, const Stored& stored, std::size_t axes) {
  const auto view = affine_view(indices, stored, all_axes(axes), Domain(axes, ir::Range{0, 1}));
  if (!view) throw NoSequence("an output map that is not affine has no instruction sequence");
  return *view;
}
/// Points of a domain that write an element of their own.
std::int64_t written_points(const ir::Kernel& kernel, const Domain& domain) {
  std::int64_t count = 1;
  for (std::size_t a = 0; a < domain.size(); ++a) {
    if (kernel.axes[a].kind != ir::AxisKind::reduction) count *= domain[a].size();
  }
  return count;
}
}  // namespace

Stored Lowering::plain_temporary(int index, const ir::Box& box) {
  const ir::TensorType& type = sequence_.temporaries[static_cast<std::size_t>(index)];
  const ir::Shape& shape = type.shape;
  const bool logical = type.type == ElementType::boolean;
  const Format format = is_float(type.type) ? work_ : Format{logical ? type.type : ElementType::i32, 1};
  // Laid out as the result is where the ranks agree.
  std::vector<std::int32_t> order = layout_.order;
  if (order.size() != shape.size()) {
    order.resize(shape.size());
    for (std::size_t d = 0; d < order.size(); ++d) order[d] = static_cast<std::int32_t>(d);
  }
  Extents extents;
  for (const std::int32_t d : order)
    extents.push_back(static_cast<std::int32_t>(box[static_cast<std::size_t>(d)].size()));
  Stored stored;
  stored.place = builder_.scratch(format.type, extents);
  stored.shape = shape;
  stored.meaning.scale = format.scale;
  const std::vector<Stride> packed = stored.place.steps;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto d = static_cast<std::size_t>(order[i]);
    stored.place.steps[d] = packed[i];
    stored.place.origin = stored.place.origin + packed[i] * -box[d].begin;
  }
  return stored;
}

void Lowering::copy(const Stored& from, const Stored& to, const ir::Box& box) {
  ir::KernelBuilder k("copy");
  const auto at = k.parallel_axes("d", to.shape);
  const auto source = k.input("X", {ElementType::f32, to.shape});
  const auto target = k.output("Y", {ElementType::f32, to.shape});
  k.write(target, at, source.at(at));
  const ir::Kernel kernel = k.build();
  const Constants constants(kernel, {nullptr, nullptr});
  const std::vector<std::optional<Stored>> operands{from, std::nullopt}, none;
  const std::vector<int> dims = axis_order(kernel, by_axis(at, to, at.size()));
  Terms terms(builder_, constants, operands, none, dims, box, work_, node_.source);
  terms.store(kernel.outputs[0].value, *affine_view(at, to, dims, box), {to.place.type, to.meaning.scale});
}

void Lowering::write_output(std::size_t index, const Constants& constants,
                            const std::vector<std::optional<Stored>>& operands, int output, const ir::Box& box,
                            const View* accumulator) {
  const ir::Kernel& kernel = constants.kernel();
  const ir::Output& out = kernel.outputs[static_cast<std::size_t>(output)];
  const ir::Slot& slot = sequence_.calls[index].slots[static_cast<std::size_t>(out.operand)];
  const ir::Operand& operand = kernel.operands[static_cast<std::size_t>(out.operand)];
  if (out.rule != ir::WriteRule::assign || out.starts_from >= 0) refuse("a scatter has no instruction sequence");
  if (out.guard && !constants.known(out.guard))
    refuse("a write under a data-dependent guard has no instruction sequence");
  const auto at = static_cast<std::size_t>(slot.index);
  const bool temporary = slot.kind == ir::SlotKind::temporary;
  const ir::Shape& shape = temporary ? sequence_.temporaries[at].shape : output_.shape;

  std::vector<Domain> domains;
  std::int64_t written = 0, wanted = 1;
  for (const ir::Range& range : box) wanted *= range.size();
  for (const ir::Box& part : boxes_in(box, shape, operand.type.shape)) {
    for (Domain& domain : domains_for(kernel, output, part)) {
      const std::int64_t count = written_points(kernel, domain);
      written += count;
      if (count > 0) domains.push_back(std::move(domain));
    }
  }
  const bool whole = written == wanted && !out.guard;
  const bool carries = !kernel.states.empty();
  if (temporary && domains.size() == 1 && whole && !carries && !temporaries_[at]) {
    std::optional<Stored> alias;
    part(constants, operands, output, domains[0], nullptr, &alias, accumulator);
    if (!alias) return;
    alias->shape = shape;
    if (wanted_[at].readers > 1 && !alias->meaning.plain()) {  // several readers: made plain once
      const Stored target = plain_temporary(slot.index, box);
      copy(*alias, target, box);
      alias = target;
    }
    temporaries_[at] = alias;
    return;
  }
  if (temporary && !temporaries_[at]) temporaries_[at] = plain_temporary(slot.index, box);
  const Stored target = temporary ? *temporaries_[at] : output_;
  if (!whole) {  // what no point writes holds zero
    Extents extents;
    View view = target.place;
    for (std::size_t d = 0; d < box.size(); ++d) {
      extents.push_back(static_cast<std::int32_t>(box[d].size()));
      view.origin = view.origin + view.steps[d] * box[d].begin;
    }
    auto fill = instruction(isa::Opcode::vfill, view.type);
    fill.scale = fill.real = 0;
    builder_.emit(fill, extents, view);
  }
  for (const Domain& domain : domains) part(constants, operands, output, domain, &target, nullptr, accumulator);
}

void Lowering::part(const Constants& constants, const std::vector<std::optional<Stored>>& operands, int output,
                    const Domain& domain, const Stored* target, std::optional<Stored>* alias, const View* accumulator) {
  const ir::Kernel& kernel = constants.kernel();
  const ir::Output& out = kernel.outputs[static_cast<std::size_t>(output)];
  const ir::Operand& operand = kernel.operands[static_cast<std::size_t>(out.operand)];
  Stored shaped;  // the order of axes follows the memory that is written: the result's, or a temporary like it
  if (target != nullptr) {
    shaped = *target;
  } else {
    shaped.shape = operand.type.shape;
    std::vector<std::int32_t> order = layout_.order;
    if (order.size() != shaped.shape.size()) {
      order.resize(shaped.shape.size());
      for (std::size_t d = 0; d < order.size(); ++d) order[d] = static_cast<std::int32_t>(d);
    }
    shaped.place.steps = layout_steps(make_layout(shaped.shape, order), shaped.shape);
  }
  const auto map = indices_in(out.map, operand.type.shape, shaped.shape);
  const std::vector<int> dims = axis_order(kernel, by_axis(map, shaped, kernel.axes.size()));
  if (!kernel.states.empty()) return recurrent(constants, operands, output, dims, domain, *target, map);
  const auto sums = accumulators(constants, operands, output, dims, domain, accumulator);
  Domain points = domain;
  for (std::size_t a = 0; a < points.size(); ++a) {
    if (kernel.axes[a].kind != ir::AxisKind::parallel) points[a] = {0, 1};
  }
  std::vector<std::pair<ir::Expr, Domain>> pieces;
  for_uniform(constants, out.value, out.guard, points,
              [&](const ir::Expr& e, const Domain& d) { pieces.emplace_back(e, d); });
  if (alias != nullptr && pieces.size() == 1 && !constants.known(pieces[0].first)) {
    Terms terms(builder_, constants, operands, sums, dims, points, work_, node_.source);
    *alias = terms.as_stored(terms.evaluate(pieces[0].first), out.map, operand.type.shape);
    if (*alias) return;
    refuse("a temporary whose map mixes axes has no instruction sequence");
  }
  if (alias != nullptr) refuse("a temporary in pieces has no instruction sequence");
  for (const auto& [value, piece] : pieces) {
    Terms terms(builder_, constants, operands, sums, dims, piece, work_, node_.source);
    const auto view = affine_view(map, shaped, dims, piece);
    if (!view) refuse("an output map that is not affine has no instruction sequence");
    terms.store(value, *view, {target->place.type, target->meaning.scale});
  }
}

std::vector<std::optional<Stored>> Lowering::accumulators(const Constants& constants,
                                                          const std::vector<std::optional<Stored>>& operands,
                                                          int output, const std::vector<int>& dims,
                                                          const Domain& domain, const View* accumulator) {
  const ir::Kernel& kernel = constants.kernel();
  std::vector<std::optional<Stored>> result(kernel.accumulators.size());
  const auto scales = columns(kernel, output);
  ir::visit(kernel.outputs[static_cast<std::size_t>(output)].value, [&](const ir::Expr& e) {
    const auto* sum = e.as<ir::Accumulated>();
    if (sum == nullptr || constants.known(e)) return;
    auto& stored = result[static_cast<std::size_t>(sum->accumulator)];
    if (stored) return;
    if (accumulator != nullptr) {
      stored = bound_accumulator(constants, output, *accumulator);
    } else {
      Reduction reduction(builder_, constants, operands, dims, domain, work_, scales ? &*scales : nullptr,
                          node_.source);
      if (kernel.accumulators[static_cast<std::size_t>(sum->accumulator)].combiner != ir::Combiner::merge) {
        stored = reduction.accumulate(sum->accumulator);
        return;
      }
      const auto tuple = reduction.merge_tuple();
      for (std::size_t k = 0; k < tuple.size(); ++k) {
        if (tuple[k]) result[k] = tuple[k];
      }
    }
  });
  return result;
}

std::optional<ColumnScales> Lowering::columns(const ir::Kernel& kernel, int output) const {
  const auto& scales = context_.plan.weight_scales[static_cast<std::size_t>(body_.node)];
  if (scales.empty() || context_.plan.numerics == Numerics::f32) return {};
  if (&kernel != std::get_if<ir::Kernel>(&sequence_.calls[0].kernel)) return {};
  ColumnScales result;
  result.scales = std::shared_ptr<const std::vector<double>>(std::shared_ptr<void>(), &scales);  // the plan outlives us
  if (layout_.order.empty()) {  // a scalar is the one column there is
    result.steps.assign(kernel.axes.size(), 0);
    return result;
  }
  const auto channel = static_cast<std::size_t>(layout_.order.back());
  const auto& map = kernel.outputs[static_cast<std::size_t>(output)].map;
  if (channel >= map.size()) return {};
  const auto affine = ir::as_affine(map[channel], static_cast<int>(kernel.axes.size()));
  if (!affine) return {};
  result.steps = affine->coefficients;
  result.origin = affine->constant;
  return result;
}

/// Scale of the operand that the MVMs streamed.
double Lowering::streamed_scale(const ir::Kernel& kernel) const {
  const auto contraction = ir::as_contraction(kernel);
  PIMENTO_CHECK(contraction.has_value(), fmt::format("node '{}' does not begin with a contraction", node_.source));
  for (const ir::Expr& e : {contraction->left_load, contraction->right_load}) {
    const ir::Slot& slot = sequence_.calls[0].slots[static_cast<std::size_t>(e.as<ir::Load>()->operand)];
    if (slot.kind == ir::SlotKind::input && content(slot) == nullptr) {
      return context_.plan.of(node_.inputs[static_cast<std::size_t>(slot.index)]).scale;
    }
  }
  throw InternalError(fmt::format("node '{}': a contraction without a streamed operand", node_.source));
}

/// The sum that the MVMs left, by kernel axis.
Stored Lowering::bound_accumulator(const Constants& constants, int output, const View& accumulator) const {
  const ir::Kernel& kernel = constants.kernel();
  const ir::Output& out = kernel.outputs[static_cast<std::size_t>(output)];
  Stored by_dimension;
  by_dimension.place = accumulator;
  by_dimension.shape = output_.shape;
  Stored result;
  const auto& own = kernel.operands[static_cast<std::size_t>(out.operand)].type.shape;
  result.place = by_axis(indices_in(out.map, own, output_.shape), by_dimension, kernel.axes.size());
  if (context_.plan.numerics == Numerics::f32) return result;
  result.meaning.scale = streamed_scale(kernel);
  if (context_.plan.weight_scales[static_cast<std::size_t>(body_.node)].empty()) return result;  // integers are codes
  const auto scales = columns(kernel, output);
  PIMENTO_CHECK(scales.has_value(), fmt::format("node '{}' has no weight scales", node_.source));
  result.meaning.columns = scales->scales;
  result.column_steps = scales->steps;
  result.column_origin = scales->origin;
  return result;
}

}  // namespace pimento::pim
