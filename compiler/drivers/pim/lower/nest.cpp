#include "compiler/drivers/pim/lower/nest.hpp"

#include <algorithm>
#include <numeric>

#include "isa/support/error.hpp"

namespace pimento::pim {
namespace {
constexpr Stride zero{};

OperandRef reference(const View& view) {
  OperandRef ref;
  ref.kind = view.kind;
  ref.id = view.id;
  ref.row = view.origin.row;
  ref.position = view.origin.position;
  ref.channel = view.origin.channel;
  return ref;
}
void set_segment_step(OperandRef& ref, Stride step) {
  ref.row_step = step.row;
  ref.position_step = step.position;
  ref.channel_step = step.channel;
}
bool takes_scalar(isa::Form form) {
  return form == isa::Form::binary || form == isa::Form::ternary || form == isa::Form::requant;
}

/// Drops dimensions of extent 1.
void drop_units(Extents& nest, const std::vector<View*>& views) {
  for (std::size_t d = nest.size(); d-- > 0;) {
    if (nest[d] != 1) continue;
    nest.erase(nest.begin() + static_cast<std::ptrdiff_t>(d));
    for (View* view : views) {
      if (*view) view->steps.erase(view->steps.begin() + static_cast<std::ptrdiff_t>(d));
    }
  }
}
}  // namespace

View without(View view, std::size_t d) {
  view.steps.erase(view.steps.begin() + static_cast<std::ptrdiff_t>(d));
  return view;
}

isa::Instruction instruction(isa::Opcode opcode, ElementType d, ElementType a, ElementType b) {
  isa::Instruction i;
  i.opcode = opcode;
  i.type_d = d;
  i.type_a = a;
  i.type_b = b;
  return i;
}

bool Builder::has_vector_type(ElementType type) const {
  const auto& types = context_.chip.core.vector.types;
  return std::find(types.begin(), types.end(), type) != types.end();
}

View Builder::scratch(ElementType type, const Extents& nest) {
  View view{OperandRef::Kind::scratch, static_cast<std::int32_t>(selected_.scratch.size()), type, {}, {}};
  view.steps.resize(nest.size());
  std::int32_t stride = 1;
  for (std::size_t d = nest.size(); d-- > 0; stride *= nest[d]) view.steps[d].channel = stride;
  selected_.scratch.push_back({type, stride, 0});
  return view;
}

View Builder::constant(ConstantData data, const Extents& nest, const std::vector<bool>& used) {
  return constant(context_.pool.add(std::move(data)), nest, used);
}

View Builder::constant(std::int32_t index, const Extents& nest, const std::vector<bool>& used) {
  View view{OperandRef::Kind::constant, 0, context_.pool[index].type, {}, {}};
  view.steps.resize(nest.size());
  std::int32_t stride = 1;
  for (std::size_t d = nest.size(); d-- > 0;) {
    if (!used[d]) continue;
    view.steps[d].channel = stride;
    stride *= nest[d];
  }
  auto& constants = selected_.constants;
  const auto found = std::find(constants.begin(), constants.end(), index);
  view.id = static_cast<std::int32_t>(found - constants.begin());
  if (found == constants.end()) constants.push_back(index);
  return view;
}

bool Builder::contiguous(const View& view, std::size_t dimension) const {
  const Stride step = view.steps[dimension];
  if (step == Stride{0, 0, 1}) return true;
  // Positions of one channel stand side by side.
  return step == Stride{0, 1, 0} && view.kind == OperandRef::Kind::value &&
         context_.values[static_cast<std::size_t>(view.id)].layout.channels == 1;
}

void Builder::push(PimOp op, const Extents& nest, const std::vector<std::size_t>& loops, const View& dst, const View& a,
                   const View& b) {
  const auto limit = static_cast<std::size_t>(std::min(isa::max_loop_levels, context_.chip.core.loop_depth));
  if (loops.size() > limit) {  // the outermost dimension is written out
    const std::size_t outer = loops.front();
    const std::vector<std::size_t> inner(loops.begin() + 1, loops.end());
    const auto at = [&](View view, std::int32_t i) {
      if (view) view.origin = view.origin + view.steps[outer] * i;
      return view;
    };
    const auto moved = [&](OperandRef ref, const View& view) {
      const Stride origin = view.origin;
      ref.row = origin.row, ref.position = origin.position, ref.channel = origin.channel;
      return ref;
    };
    for (std::int32_t i = 0; i < nest[outer]; ++i) {
      PimOp copy = op;
      const View d = at(dst, i), x = at(a, i), y = at(b, i);
      copy.dst = moved(op.dst, d), copy.a = moved(op.a, x), copy.b = moved(op.b, y);
      push(copy, nest, inner, d, x, y);
    }
    return;
  }
  op.depth = static_cast<std::int32_t>(loops.size());
  for (std::size_t level = 0; level < loops.size(); ++level) {
    op.trips[level] = nest[loops[level]];
    op.loop_ids[level] = next_loop_++;
    const auto set = [&](OperandRef& ref, const View& view) {
      if (view) ref.loop_steps[level] = view.steps[loops[level]];
    };
    set(op.dst, dst), set(op.a, a), set(op.b, b);
  }
  selected_.ops.push_back(op);
}

void Builder::emit(isa::Instruction form, const Extents& extents, const View& dst_view, const View& a_view,
                   const View& b_view) {
  Extents nest = extents;
  View dst = dst_view, a = a_view, b = b_view;
  if (points(nest) == 0) return;
  drop_units(nest, {&dst, &a, &b});
  const bool scalar_b = takes_scalar(isa::row(form.opcode).form);
  const auto fits_lane = [&](std::size_t d) {
    return contiguous(dst, d) && (!a || contiguous(a, d)) &&
           (!b || contiguous(b, d) || (scalar_b && b.steps[d] == zero));
  };
  std::vector<std::size_t> rest(nest.size());
  std::iota(rest.begin(), rest.end(), std::size_t{0});
  PimOp op;
  op.form = form;
  op.form.len = 1;
  op.dst = reference(dst), op.a = reference(a), op.b = reference(b);
  for (std::size_t d = nest.size(); d-- > 0;) {
    if (!fits_lane(d)) continue;
    op.form.len = nest[d];
    if (b && b.steps[d] == zero) op.form.flags |= isa::flag::b_scalar;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(d));
    break;
  }
  if (!rest.empty()) {
    const std::size_t segments = rest.back();
    rest.pop_back();
    op.form.count = nest[segments];
    set_segment_step(op.dst, dst.steps[segments]);
    if (a) set_segment_step(op.a, a.steps[segments]);
    if (b) set_segment_step(op.b, b.steps[segments]);
  }
  push(op, nest, rest, dst, a, b);
}

void Builder::reduce(isa::Opcode opcode, const Extents& extents, const View& dst_view, const View& a_view) {
  const std::int32_t length = extents.back();
  Extents nest(extents.begin(), extents.end() - 1);
  View dst = dst_view, a = a_view;
  PIMENTO_CHECK(contiguous(a, nest.size()), "reduction over elements that are apart");
  a.steps.pop_back();
  drop_units(nest, {&dst, &a});
  PimOp op;
  op.form = instruction(opcode, dst.type, a.type);
  op.form.len = length;
  op.dst = reference(dst), op.a = reference(a);
  std::vector<std::size_t> rest(nest.size());
  std::iota(rest.begin(), rest.end(), std::size_t{0});
  for (std::size_t d = nest.size(); d-- > 0;) {
    if (!contiguous(dst, d)) continue;
    op.form.count = nest[d];
    set_segment_step(op.a, a.steps[d]);
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(d));
    break;
  }
  push(op, nest, rest, dst, a, {});
}

void Builder::each(PimOp op, const Extents& extents, const View& dst_view, const View& a_view, const View& b_view) {
  Extents nest = extents;
  View dst = dst_view, a = a_view, b = b_view;
  drop_units(nest, {&dst, &a, &b});
  const auto keep_segments = [](OperandRef& ref, const View& view) {
    const OperandRef segments = ref;
    ref = reference(view);
    set_segment_step(ref, {segments.row_step, segments.position_step, segments.channel_step});
  };
  keep_segments(op.dst, dst), keep_segments(op.a, a), keep_segments(op.b, b);
  std::vector<std::size_t> loops(nest.size());
  std::iota(loops.begin(), loops.end(), std::size_t{0});
  push(op, nest, loops, dst, a, b);
}

Selected Builder::take() {
  place_scratch(selected_, std::max<Bytes>(context_.chip.core.local_memory.width, 1));
  return std::move(selected_);
}

}  // namespace pimento::pim
