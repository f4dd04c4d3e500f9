#include "compiler/drivers/pim/emit/moves.hpp"

#include <algorithm>

#include "isa/support/error.hpp"

namespace pimento::pim {
namespace {
using isa::Opcode;

PimOp box_operation(Opcode opcode, const PBox& box) {
  PimOp op;
  op.form.opcode = opcode;
  op.form.len = box.channels();
  op.form.count = box.positions();
  if (box.rows() > 1) {
    op.depth = 1;
    op.trips[0] = box.rows();
  }
  return op;
}
OperandRef box_operand(SpatialValueId id, const PBox& box) {
  OperandRef ref;
  ref.kind = OperandRef::Kind::value;
  ref.id = static_cast<std::int32_t>(id);
  ref.row = box.r0, ref.position = box.p0, ref.channel = box.c0;
  ref.position_step = 1;
  ref.loop_steps[0] = {1, 0, 0};
  return ref;
}

FlatOp zeros(const Buffer& buffer, ElementType type, const PBox& box) {
  PimOp op = box_operation(Opcode::vfill, box);
  op.dst = box_operand(buffer.value, box);
  op.form.type_d = type;
  op.form.scale = op.form.real = 0;
  return flatten(op, buffer.located(), {}, {});
}

Opcode opcode_of(Step::Kind kind, const Transfer& t) {
  switch (kind) {
    case Step::Kind::load:
      return Opcode::load;
    case Step::Kind::store:
      return Opcode::store;
    case Step::Kind::receive:
      return Opcode::recv;
    default:
      return t.destinations.size() > 1 ? Opcode::mcast : Opcode::send;
  }
}

FlatOp move_of(Step::Kind kind, const Transfer& t, const PBox& box, ElementType type, const Located& here,
               const Located& global) {
  PimOp op = box_operation(Opcode::move, box);
  op.form.type_d = op.form.type_a = type;
  const OperandRef operand = box_operand(t.what.value, box);
  const bool brings = kind == Step::Kind::load || kind == Step::Kind::receive;
  const bool takes = kind != Step::Kind::receive;
  if (brings || kind == Step::Kind::store) op.dst = operand;
  if (takes) op.a = operand;
  op.form.opcode = opcode_of(kind, t);
  return flatten(op, kind == Step::Kind::store ? global : here, kind == Step::Kind::load ? global : here, {});
}

/// A message goes row by row, too, where its view crosses the end of a ring and leaves out some of each row: while one
/// row travels, the next is read.
bool is_one_view(const Transfer& t, ElementType type, const CorePlan& plan) {
  PimOp op = box_operation(Opcode::move, t.what.box);
  op.form.type_d = type;
  op.dst = box_operand(t.what.value, t.what.box);
  const Located at = plan.buffer(t.what).located();
  const FlatOp flat = flatten(op, at, {}, {});
  const std::int32_t positions = t.what.box.positions();
  const bool is_whole = positions == 1 || at.row_pitch == positions * at.position_pitch;
  return flat.depth == 0 && (flat.d.ring_size == 0 || is_whole);
}
}  // namespace

std::uint32_t node_of(const Steps& all, const Spatial& spatial, CoreId core, std::size_t step) {
  const std::vector<Step>& steps = all.cores[core];
  const auto of_compute = [&](std::size_t c) {
    return static_cast<std::uint32_t>(spatial.batches[index_of(spatial.computes[c].batch)].body.node);
  };
  if (steps[step].kind == Step::Kind::write) {
    const CellWrite& w = all.writes[static_cast<std::size_t>(steps[step].index)];
    return static_cast<std::uint32_t>(spatial.tiles[static_cast<std::size_t>(w.tile)].node);
  }
  for (std::size_t at = step; at < steps.size(); ++at) {
    if (steps[at].kind == Step::Kind::write) continue;
    if (steps[at].kind == Step::Kind::compute) return of_compute(static_cast<std::size_t>(steps[at].index));
    const Transfer& t = all.transfers[static_cast<std::size_t>(steps[at].index)];
    if (t.producer != ComputeId{-1}) return of_compute(index_of(t.producer));
  }
  return 0;
}

Located dense(const SpatialValue& value, std::int64_t base) {
  Located at;
  at.base = base;
  at.channel_pitch = size_of(value.type);
  at.position_pitch = at.channel_pitch * value.layout.channels;
  at.row_pitch = at.position_pitch * value.layout.positions;
  return at;
}

std::vector<FlatOp> moves(Step::Kind kind, const Transfer& t, CoreId core, const SpatialValue& value,
                          const std::vector<CorePlan>& plans, const Located& global) {
  bool at_once = true;
  if (t.kind == Transfer::Kind::message && t.what.box.rows() > 1) {
    at_once = is_one_view(t, value.type, plans[t.source]);
    for (const CoreId d : t.destinations) at_once = at_once && is_one_view(t, value.type, plans[d]);
  }
  const Located here = plans[core].buffer(t.what).located();
  std::vector<FlatOp> all;
  if (at_once) all.push_back(move_of(kind, t, t.what.box, value.type, here, global));
  if (!at_once || all.front().depth > 0) {
    all.clear();
    PBox row = t.what.box;
    for (row.r0 = t.what.box.r0; row.r0 < t.what.box.r1; ++row.r0) {
      row.r1 = row.r0 + 1;
      all.push_back(move_of(kind, t, row, value.type, here, global));
      PIMENTO_CHECK(all.back().depth == 0, "a row of a box is one view");
    }
  }
  for (FlatOp& each : all) {
    each.form.len *= static_cast<std::int32_t>(size_of(value.type));
    each.form.type_d = each.form.type_a = ElementType::u8;
  }
  return all;
}

isa::Instruction packed_move(Step::Kind kind, const Transfer& t, const SpatialValue& value) {
  isa::Instruction i;
  i.opcode = opcode_of(kind, t);
  i.type_d = i.type_a = ElementType::u8;
  i.count = t.what.box.rows();
  i.len = static_cast<std::int32_t>(t.what.box.elements() * size_of(value.type) / std::max(1, t.what.box.rows()));
  i.stride_d = i.stride_a = i.len;
  return i;
}

std::vector<FlatOp> Padding::before(const Access& access, int time) {
  std::vector<FlatOp> all;
  if (access.box.empty()) return all;
  const std::size_t index = plan_.buffer_at(access.value, access.box.p0, access.box.c0);
  const Buffer& buffer = plan_.buffers[index];
  const SpatialValue& value = spatial_.values[index_of(access.value)];
  const Layout& layout = value.layout;
  const auto zero = [&](const PBox& box) { all.push_back(zeros(buffer, value.type, box)); };
  const PBox& box = buffer.box;
  if (born_[index] != time && (time == buffer.birth || buffer.begins(time))) {
    born_[index] = time;
    if (box.p0 < 0) zero({box.r0, box.r0 + buffer.slots, box.p0, std::min(0, box.p1), box.c0, box.c1});
    if (box.p1 > layout.positions)
      zero({box.r0, box.r0 + buffer.slots, std::max(layout.positions, box.p0), box.p1, box.c0, box.c1});
  }
  for (std::int32_t r = access.box.r0; r < access.box.r1; ++r) {
    if (r >= 0 && r < layout.rows) continue;
    if (buffer.rows[static_cast<std::size_t>(r - box.r0)].first != time) continue;
    zero({r, r + 1, box.p0, box.p1, box.c0, box.c1});
  }
  return all;
}

}  // namespace pimento::pim
