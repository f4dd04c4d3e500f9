#include "compiler/drivers/pim/lower/select.hpp"

#include <fmt/format.h>

#include "compiler/drivers/pim/lower/flatten.hpp"
#include "compiler/drivers/pim/lower/lowering.hpp"
#include "compiler/drivers/pim/lower/windows_of_images.hpp"
#include "isa/support/error.hpp"

namespace pimento::pim {
namespace {
using isa::Opcode;

/// A box of a value as a view over [rows][positions][channels].
View box_view(const SelectContext& context, SpatialValueId id, const PBox& box) {
  return {OperandRef::Kind::value,
          static_cast<std::int32_t>(id),
          context.values[index_of(id)].type,
          {box.r0, box.p0, box.c0},
          {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
}
Extents extents_of(const PBox& box) { return {box.rows(), box.positions(), box.channels()}; }
/// What the products of a box fill.
Extents whole_mvms(const SelectContext& context, const Body& body, const PBox& box) {
  const WeightTile& tile = context.tiles[static_cast<std::size_t>(body.tile)];
  return {box.rows(), tile.mvms(box.positions()) * tile.windows, box.channels()};
}

/// The packed accumulator of a box by the logical dimensions of the node's output.
View accumulator_by_dimension(const View& packed, const PBox& box, const Layout& layout, const ir::Shape& shape) {
  View view = packed;
  view.steps = layout_steps(layout, shape);
  const auto bytes = [&](Stride step) {
    return Stride{0, 0, step.row * packed.steps[0].channel + step.position * packed.steps[1].channel + step.channel};
  };
  for (Stride& step : view.steps) step = bytes(step);
  view.origin = bytes({-box.r0, -box.p0, -box.c0});
  return view;
}

/// A row whose windows reach over the edge of their image: the windows of all MVMs are put together, zeros where
/// another image stands.
void emit_edge_row(Builder& builder, const Window& w, const PimOp& mvm, const View& window,
                   const std::vector<bool>& outside, std::int32_t in_row, const View& dst) {
  const View packed = builder.scratch(window.type, {in_row, w.count, w.len});
  auto fill = instruction(Opcode::vfill, window.type);
  fill.scale = fill.real = 0;
  builder.emit(fill, {in_row, w.count, w.len}, packed);
  for (std::int32_t k = 0; k < w.count; ++k) {
    if (outside[static_cast<std::size_t>(k)]) continue;
    View from = window, to = without(packed, 1);
    from.origin = from.origin + Stride{w.row_step, w.position_step, w.channel_step} * k;
    from.steps.push_back({0, 0, 1});
    to.origin = to.origin + packed.steps[1] * k;
    builder.emit(instruction(Opcode::vmov, window.type, window.type), {in_row, w.len}, to, from);
  }
  PimOp op = mvm;
  op.a = {};
  op.form.count = 1;
  op.form.len = w.count * w.len;
  builder.each(op, {in_row}, dst, without(without(packed, 2), 1));
}

/// MVMs for the positions of the box; `dst` has room for whole ones. `layout`: of the node's output.
void emit_mvms(Builder& builder, std::int32_t tile_index, ClassId cls, const Access& read, const PBox& box,
               const Layout& layout, const View& dst) {
  const SelectContext& context = builder.context();
  const WeightTile& tile = context.tiles[static_cast<std::size_t>(tile_index)];
  const SpatialValue& value = context.values[index_of(read.value)];
  const Window& w = tile.window;
  View window{OperandRef::Kind::value, static_cast<std::int32_t>(read.value), value.type, {}, {}};
  const std::int32_t in_row = tile.mvms(box.positions()), first_mvm = box.p0 / tile.windows;
  window.steps = {{w.pace.row_stride, 0, 0}, {w.pace.rows_per_position, w.pace.position_stride, 0}};
  PimOp op;
  op.form = instruction(Opcode::mvm, dst.type, window.type);
  op.form.count = w.count;
  op.form.len = w.len;
  op.a.row_step = w.row_step, op.a.position_step = w.position_step, op.a.channel_step = w.channel_step;
  op.tile_class = static_cast<std::int32_t>(cls);
  op.tile = tile_index;
  View target = without(dst, 2);
  target.steps[1] = target.steps[1] * tile.windows;
  const auto to_row = [&](std::int32_t row) {
    View view = target;
    view.origin = view.origin + view.steps[0] * (row - box.r0);
    return view;
  };
  const auto from_row = [&](std::int32_t row) {
    View view = window;
    view.origin = {w.pace.row(row, first_mvm) + w.row0, w.pace.position(first_mvm) + w.position0, w.channel0};
    return view;
  };
  std::int32_t first = box.r0;  // rows from here on wait to be emitted together
  const auto emit_until = [&](std::int32_t row) {
    for (std::int32_t end = first; first < row; first = end) {
      end = w.pace.run_end(first, row);
      builder.each(op, {end - first, in_row}, to_row(first), from_row(first));
    }
    first = row + 1;
  };
  for (std::int32_t row = box.r0; row < box.r1; ++row) {
    const auto outside = segments_outside(context, tile, value, layout, row);
    if (outside.empty()) continue;
    emit_until(row);
    const View here = without(from_row(row), 0), to = without(to_row(row), 0);
    emit_edge_row(builder, w, op, here, outside, in_row, to);
  }
  emit_until(box.r1);
}

/// The products of all tiles that stand together, added up into `dst`.
void emit_product(Builder& builder, const Body& body, ClassId cls, const std::vector<Access>& reads, const PBox& box,
                  const Layout& layout, const View& dst) {
  const Extents nest = whole_mvms(builder.context(), body, box);
  const auto one = [&](std::int32_t t, const View& to) {
    emit_mvms(builder, body.tile + t, cls, reads[static_cast<std::size_t>(t)], box, layout, to);
  };
  if (body.tile_count == 1) return one(0, dst);
  std::vector<View> products;
  for (std::int32_t t = 0; t < body.tile_count; ++t) {
    products.push_back(builder.scratch(dst.type, nest));
    one(t, products.back());
  }
  for (std::size_t t = 1; t < products.size(); ++t) {
    const View& to = t + 1 == products.size() ? dst : products[0];
    builder.emit(instruction(Opcode::vadd, dst.type, dst.type, dst.type), nest, to, products[0], products[t]);
  }
}

/// Adds the partial sums of all strips; one alone is read where it stands.
View add_partials(Builder& builder, const std::vector<Access>& reads, const Extents& nest, ElementType type) {
  const SelectContext& context = builder.context();
  std::vector<View> partials;
  for (const Access& read : reads) {
    if (context.values[index_of(read.value)].role == ValueRole::partial)
      partials.push_back(box_view(context, read.value, read.box));
  }
  PIMENTO_CHECK(!partials.empty(), "a combination without partial sums");
  View sum = builder.scratch(type, nest);
  if (partials.size() == 1) builder.emit(instruction(Opcode::vmov, type, type), nest, sum, partials[0]);
  for (std::size_t i = 1; i < partials.size(); ++i) {
    builder.emit(instruction(Opcode::vadd, type, type, type), nest, sum, i == 1 ? partials[0] : sum, partials[i]);
  }
  return sum;
}

/// Addresses as a buffer that holds just the value would have them.
Located ideal(const SelectContext& context, const Selected& selected, const OperandRef& ref) {
  Located at;
  switch (ref.kind) {
    case OperandRef::Kind::value: {
      const SpatialValue& value = context.values[static_cast<std::size_t>(ref.id)];
      at.channel_pitch = size_of(value.type);
      at.position_pitch = at.channel_pitch * value.layout.channels;
      at.row_pitch = at.position_pitch * value.layout.positions;
      break;
    }
    case OperandRef::Kind::scratch:
      at.channel_pitch = size_of(selected.scratch[static_cast<std::size_t>(ref.id)].type);
      break;
    case OperandRef::Kind::constant:
      at.channel_pitch = size_of(context.pool[selected.constants[static_cast<std::size_t>(ref.id)]].type);
      break;
    default:
      break;
  }
  return at;
}
}  // namespace

Selected select(const SelectContext& context, const Body& body, const std::vector<Access>& reads, const Access& write,
                ClassId cls) {
  Builder builder(context);
  const ElementType sum_type = context.plan.numerics == Numerics::f32 ? ElementType::f32 : ElementType::i32;
  if (body.kind == BodyKind::mvm && !body.epilogue) {
    emit_product(builder, body, cls, reads, write.box, context.values[index_of(write.value)].layout,
                 box_view(context, write.value, write.box));
    return builder.take();
  }
  Lowering lowering(builder, body, reads, write);
  if (body.kind == BodyKind::vector) {
    lowering.vector();
    return builder.take();
  }
  const Extents nest = extents_of(lowering.box());
  View sum;
  if (body.kind == BodyKind::mvm) {
    sum = builder.scratch(sum_type, whole_mvms(context, body, lowering.box()));
    emit_product(builder, body, cls, reads, lowering.box(), lowering.layout(), sum);
  } else {
    sum = add_partials(builder, reads, nest, sum_type);
  }
  lowering.epilogue(accumulator_by_dimension(sum, lowering.box(), lowering.layout(), lowering.shape()));
  return builder.take();
}

namespace {

/// One instruction of an operation on this chip, and how often it is executed.
struct Repeated {
  isa::cost::Duration once;
  std::int64_t times = 1;
  std::int32_t depth = 0;
};
Repeated repeated(const SelectContext& context, const Selected& selected, const PimOp& op) {
  const FlatOp flat =
      flatten(op, ideal(context, selected, op.dst), ideal(context, selected, op.a), ideal(context, selected, op.b));
  Repeated r;
  r.once = op.form.opcode == Opcode::mvm
               ? isa::cost::mvm(context.chip, context.tiles[static_cast<std::size_t>(op.tile)].shape, flat.form)
               : isa::cost::local(context.chip, flat.form);
  r.depth = flat.depth;
  for (std::int32_t level = 0; level < flat.depth; ++level) r.times *= flat.trips[static_cast<std::size_t>(level)];
  return r;
}

}  // namespace

Cycles predicted_cycles(const SelectContext& context, const Selected& selected) {
  Cycles total = 0;
  const Cycles scalar = std::max<Cycles>(context.chip.core.scalar.latency_cycles, 1);
  for (const PimOp& op : selected.ops) {
    const Repeated r = repeated(context, selected, op);
    total += r.times * (r.once.total() + 1);
    // A loop costs its own issue and the address registers that walk its operands.
    if (r.depth > 0) total += r.depth * 2 + 2 * (scalar + 1);
  }
  return total;
}

Cycles alone(const SelectContext& context, const Selected& selected) {
  Cycles total = 0;
  for (const PimOp& op : selected.ops) {
    const Repeated r = repeated(context, selected, op);
    total += r.times * std::max<Cycles>(1, r.once.total());
  }
  return std::max<Cycles>(total, 1);
}

}  // namespace pimento::pim
