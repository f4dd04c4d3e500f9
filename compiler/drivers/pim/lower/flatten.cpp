#include "compiler/drivers/pim/lower/flatten.hpp"

#include <algorithm>

namespace pimento::pim {
namespace {
constexpr std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a >= 0 ? a / b : -((b - 1 - a) / b); }

FlatOperand locate(const OperandRef& ref, const Located& at, const PimOp& op) {
  FlatOperand flat;
  const auto bytes = [&](std::int64_t row, std::int64_t position, std::int64_t channel) {
    return row * at.row_pitch + position * at.position_pitch + channel * at.channel_pitch;
  };
  std::int64_t slot = ref.row;
  if (at.ring_rows > 0) {
    // Rows that the segment starts touch, over all segments and iterations.
    std::int64_t lowest = ref.row, highest = ref.row;
    const auto reach = [&](std::int64_t step, std::int64_t times) {
      (step < 0 ? lowest : highest) += step * (times - 1);
    };
    reach(ref.row_step, op.form.count);
    for (std::int32_t level = 0; level < op.depth; ++level) {
      const auto l = static_cast<std::size_t>(level);
      reach(ref.loop_steps[l].row, op.trips[l]);
    }
    const std::int64_t turn = floor_div(ref.row - at.row0, at.ring_rows);
    slot = ref.row - at.row0 - turn * at.ring_rows;
    flat.home_lo = at.ring_lo;
    flat.home_size = at.ring_rows * at.row_pitch;
    if (floor_div(lowest - at.row0, at.ring_rows) != floor_div(highest - at.row0, at.ring_rows)) {
      flat.ring_lo = flat.home_lo;
      flat.ring_size = flat.home_size;
    }
  } else {
    slot = ref.row - at.row0;
  }
  flat.address = at.base + bytes(slot, ref.position, ref.channel);
  flat.stride = bytes(ref.row_step, ref.position_step, ref.channel_step);
  for (std::size_t l = 0; l < flat.loops.size(); ++l) {
    flat.loops[l] = bytes(ref.loop_steps[l].row, ref.loop_steps[l].position, ref.loop_steps[l].channel);
  }
  return flat;
}

/// Segment forms merge freely; a reduction packs its results; products of tiles keep their shape.
enum class Mergeable : std::uint8_t { no, segments, reduction };
Mergeable mergeable(isa::Form form) {
  using isa::Form;
  switch (form) {
    case Form::unary:
    case Form::binary:
    case Form::ternary:
    case Form::fill:
    case Form::convert:
    case Form::requant:
    case Form::clip:
    case Form::move:
    case Form::load:
    case Form::store:
    case Form::send:
    case Form::multicast:
    case Form::receive:
      return Mergeable::segments;
    case Form::reduce:
      return Mergeable::reduction;
    default:
      return Mergeable::no;
  }
}

class Merger {
 public:
  Merger(FlatOp& flat, const PimOp& op) : flat_(flat) {
    const auto add = [&](FlatOperand& at, const OperandRef& ref, ElementType type, bool scalar) {
      if (ref.kind != OperandRef::Kind::none)
        operands_.push_back({&at, &ref, size_of(type), scalar, ref.row_step != 0});
    };
    add(flat.d, op.dst, flat.form.type_d, false);
    add(flat.a, op.a, flat.form.type_a, false);
    add(flat.b, op.b, flat.form.type_b, (flat.form.flags & isa::flag::b_scalar) != 0);
  }
  void segments() {
    merge_count();
    while (flat_.depth > 0 && take_loop()) merge_count();
  }
  void reduction() {
    flat_.d.stride = size_of(flat_.form.type_d);
    while (flat_.depth > 0 && take_loop()) {}
    flat_.d.stride = 0;
  }

 private:
  struct Operand {
    FlatOperand* at;
    const OperandRef* ref;
    std::int64_t size;
    bool scalar;
    bool over_rows;  ///< its segments lie in several rows: between two of them a ring may end
  };
  /// Adjacent segments are one.
  void merge_count() {
    if (flat_.form.count == 1) {
      for (auto& each : operands_) each.at->stride = 0;
      return;
    }
    for (const auto& each : operands_) {
      if (each.at->ring_size > 0 && each.over_rows) return;
      if (each.at->stride != (each.scalar ? 0 : flat_.form.len * each.size)) return;
    }
    flat_.form.len *= flat_.form.count;
    flat_.form.count = 1;
    for (auto& each : operands_) each.at->stride = 0;
  }
  /// The innermost loop becomes segments, or more segments.
  bool take_loop() {
    const auto inner = static_cast<std::size_t>(flat_.depth - 1);
    const bool single = flat_.form.count == 1;
    for (const auto& each : operands_) {
      const bool packed = each.at == &flat_.d && mergeable(isa::row(flat_.form.opcode).form) == Mergeable::reduction;
      if (single && !packed) continue;
      if (each.at->loops[inner] != each.at->stride * flat_.form.count) return false;
    }
    for (auto& each : operands_) {
      if (single) each.at->stride = each.at->loops[inner], each.over_rows = false;
      each.over_rows |= each.ref->loop_steps[inner].row != 0;
      each.at->loops[inner] = 0;
    }
    flat_.form.count *= flat_.trips[inner];
    flat_.trips[inner] = 0;
    --flat_.depth;
    return true;
  }
  FlatOp& flat_;
  std::vector<Operand> operands_;
};
}  // namespace

FlatOp flatten(const PimOp& op, const Located& d, const Located& a, const Located& b) {
  FlatOp flat;
  flat.form = op.form;
  flat.trips = op.trips;
  flat.depth = op.depth;
  const bool has_d = op.dst.kind != OperandRef::Kind::none, has_a = op.a.kind != OperandRef::Kind::none;
  const bool has_b = op.b.kind != OperandRef::Kind::none;
  if (has_d) flat.d = locate(op.dst, d, op);
  if (has_a) flat.a = locate(op.a, a, op);
  if (has_b) flat.b = locate(op.b, b, op);
  const Mergeable how = mergeable(isa::row(op.form.opcode).form);
  if (how == Mergeable::segments) Merger(flat, op).segments();
  if (how == Mergeable::reduction) Merger(flat, op).reduction();
  flat.form.stride_d = static_cast<std::int32_t>(flat.d.stride);
  flat.form.stride_a = static_cast<std::int32_t>(flat.a.stride);
  flat.form.stride_b = static_cast<std::int32_t>(flat.b.stride);
  return flat;
}

}  // namespace pimento::pim
