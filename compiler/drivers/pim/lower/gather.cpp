// A read whose index is data: rows of the operand picked by indices that stand in local memory.
#include <algorithm>

#include "compiler/drivers/pim/lower/terms.hpp"
#include "isa/support/error.hpp"

namespace pimento::pim {

Term Terms::gather(const ir::Load& load) {
  const ir::Operand& operand = constants_.kernel().operands[static_cast<std::size_t>(load.operand)];
  std::optional<std::size_t> picked;
  for (std::size_t d = 0; d < load.indices.size(); ++d) {
    if (constants_.known(load.indices[d])) continue;
    if (picked) refuse("a read with several indices that depend on data has no instruction sequence");
    picked = d;
  }
  const std::int64_t extent = operand.type.shape[*picked];
  // The indices, once per point that they depend on.
  ir::Expr index = load.indices[*picked];
  if (load.rule == ir::OutOfRange::clamp) index = ir::max(ir::min(index, ir::index(extent - 1)), ir::index(0));
  const View indices = plain(evaluate(index), {ElementType::i32, 1});
  std::vector<bool> moves(dims_.size());
  for (std::size_t d = 0; d < dims_.size(); ++d) moves[d] = nest_[d] > 1 && !(indices.steps[d] == Stride{});

  // The operand at index 0: a value, or a table that becomes a constant of this core.
  std::vector<ir::Expr> fixed = load.indices;
  fixed[*picked] = ir::index(0);
  View rows;
  Stride pitch;
  Meaning meaning;
  if (const auto& stored = operands_[static_cast<std::size_t>(load.operand)]) {
    const auto view = affine_view(indices_in(fixed, operand.type.shape, stored->shape), *stored, dims_, domain_);
    if (!view || operand.type.shape != stored->shape || stored->meaning.columns) {
      refuse("a gather from a renamed or permuted operand has no instruction sequence");
    }
    rows = *view;
    pitch = stored->place.steps[*picked];
    meaning = stored->meaning;
  } else {
    rows = table_view(load.operand, fixed, *picked, pitch);
    meaning.scale = work(operand.type.type).scale;
  }
  const View result = builder_.scratch(rows.type, nest_);
  PimOp op;
  op.form = instruction(isa::Opcode::vgather, rows.type, rows.type, ElementType::i32);
  op.form.imm = static_cast<std::int32_t>(extent);
  op.form.len = 1;
  op.a.row_step = pitch.row, op.a.position_step = pitch.position, op.a.channel_step = pitch.channel;
  // One dimension of the rest is the row's elements, one of the indices' the rows; the others are loops.
  Extents nest = nest_;
  View dst = result, a = rows, b = indices;
  const auto take = [&](std::size_t d) {
    nest.erase(nest.begin() + static_cast<std::ptrdiff_t>(d));
    moves.erase(moves.begin() + static_cast<std::ptrdiff_t>(d));
    dst = without(dst, d), a = without(a, d), b = without(b, d);
  };
  for (std::size_t d = nest.size(); d-- > 0;) {
    if (moves[d] || nest[d] == 1 || !builder_.contiguous(a, d) || !builder_.contiguous(dst, d)) continue;
    op.form.len = nest[d];
    take(d);
    break;
  }
  for (std::size_t d = nest.size(); d-- > 0;) {
    if (!moves[d] || !(a.steps[d] == Stride{})) continue;
    if (!builder_.contiguous(b, d)) b = innermost(b, nest, moves, d);
    op.form.count = nest[d];
    const Stride step = dst.steps[d];
    op.dst.row_step = step.row, op.dst.position_step = step.position, op.dst.channel_step = step.channel;
    take(d);
    break;
  }
  builder_.each(op, nest, dst, a, b);
  Term term = of_stored({}, result);
  term.meaning = meaning;
  return term;
}

/// The indices copied so that dimension `lane` is contiguous.
View Terms::innermost(const View& indices, const Extents& nest, const std::vector<bool>& moves, std::size_t lane) {
  Extents order;
  std::vector<std::size_t> dims;
  for (std::size_t d = 0; d < nest.size(); ++d) {
    if (moves[d] && d != lane) dims.push_back(d), order.push_back(nest[d]);
  }
  dims.push_back(lane), order.push_back(nest[lane]);
  const View packed = builder_.scratch(indices.type, order);
  View result = packed, from = indices;
  result.steps.assign(nest.size(), {});
  from.steps.clear();
  for (std::size_t i = 0; i < dims.size(); ++i) {
    result.steps[dims[i]] = packed.steps[i];
    from.steps.push_back(indices.steps[dims[i]]);
  }
  builder_.emit(instruction(isa::Opcode::vmov, indices.type, indices.type), order, packed, from);
  return result;
}

/// A constant operand whole in local memory, row-major; `pitch`: from one index of dimension `picked` to the next.
View Terms::table_view(int operand, const std::vector<ir::Expr>& indices, std::size_t picked, Stride& pitch) {
  const ir::Operand& own = constants_.kernel().operands[static_cast<std::size_t>(operand)];
  const ir::Tensor* content = constants_.content(operand);
  // A kernel with the operand's own dimensions as axes: its nest is the whole table.
  ir::Kernel whole;
  whole.operands = {own};
  Domain domain;
  std::vector<int> dims;
  for (std::size_t d = 0; d < own.type.shape.size(); ++d) {
    whole.axes.push_back({"d", own.type.shape[d], ir::AxisKind::parallel});
    domain.push_back({0, own.type.shape[d]});
    dims.push_back(static_cast<int>(d));
  }
  const Constants constants(whole, {content});
  const std::vector<std::optional<Stored>> none(1);
  Terms table(builder_, constants, none, none, dims, domain, work_, node_);
  const ir::Shape strides = ir::row_major_strides(own.type.shape);
  const auto element = [&](const Point& p) {
    std::int64_t flat = 0;
    for (std::size_t d = 0; d < p.size(); ++d) flat += p[d] * strides[d];
    return content->at(flat).as_double();
  };
  const auto key = static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(content->bytes()));
  Stored stored;
  stored.place = table.known_view(std::vector<bool>(dims.size(), true), work(own.type.type), element, {}, {{}, {key}});
  stored.shape = own.type.shape;
  pitch = stored.place.steps[picked];
  const auto view = affine_view(indices, stored, dims_, domain_);
  if (!view) refuse("a gather from a permuted table has no instruction sequence");
  return *view;
}

}  // namespace pimento::pim
