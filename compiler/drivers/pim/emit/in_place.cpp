// Where an element-wise compute may write over its input: the input dies there, both buffers have one shape, no row
// shares a slot with another (a ring would tie the arrival of its next row to the departure of this one), and every
// write waits for the reads that it overwrites anyway. So no dependence is added.
#include <algorithm>
#include <optional>

#include "compiler/drivers/pim/emit/plan.hpp"
#include "isa/instruction/form.hpp"

namespace pimento::pim {
namespace {
bool elementwise(const PimOp& op) {
  const isa::Form form = isa::row(op.form.opcode).form;
  return form == isa::Form::unary || form == isa::Form::binary || form == isa::Form::convert ||
         form == isa::Form::requant || form == isa::Form::clip;
}
bool walked_alike(const OperandRef& a, const OperandRef& b) {
  return a.row == b.row && a.position == b.position && a.channel == b.channel && a.row_step == b.row_step &&
         a.position_step == b.position_step && a.channel_step == b.channel_step && a.loop_steps == b.loop_steps;
}
bool is_value(const OperandRef& ref, SpatialValueId id) {
  return ref.kind == OperandRef::Kind::value && ref.id == static_cast<std::int32_t>(id);
}

/// The one operation that reads `from` and the one that writes `to` are the same, element by element; or the writer
/// waits for the reader through temporaries, each over the whole box at once.
bool overwrites(const Selected& selected, SpatialValueId from, SpatialValueId to) {
  std::optional<std::size_t> reader, writer;
  for (std::size_t k = 0; k < selected.ops.size(); ++k) {
    const PimOp& op = selected.ops[k];
    if (is_value(op.a, from) || is_value(op.b, from)) {
      if (reader) return false;
      reader = k;
    }
    if (is_value(op.a, to) || is_value(op.b, to)) return false;
    if (is_value(op.dst, to)) {
      if (writer) return false;
      writer = k;
    }
  }
  if (!reader || !writer || *writer < *reader) return false;
  const PimOp &first = selected.ops[*reader], &last = selected.ops[*writer];
  if (*reader == *writer) {
    const auto fits = [&](const OperandRef& ref) { return !is_value(ref, from) || walked_alike(ref, last.dst); };
    return elementwise(last) && fits(last.a) && fits(last.b);
  }
  if (first.depth > 0 || last.depth > 0 || first.dst.kind != OperandRef::Kind::scratch) return false;
  std::vector<bool> waits(selected.scratch.size(), false);
  const auto waiting = [&](const OperandRef& ref) {
    return ref.kind == OperandRef::Kind::scratch && waits[static_cast<std::size_t>(ref.id)];
  };
  waits[static_cast<std::size_t>(first.dst.id)] = true;
  for (std::size_t k = *reader + 1; k < *writer; ++k) {
    const PimOp& op = selected.ops[k];
    if (op.dst.kind == OperandRef::Kind::scratch && (waiting(op.a) || waiting(op.b)))
      waits[static_cast<std::size_t>(op.dst.id)] = true;
  }
  return waiting(last.a) || waiting(last.b);
}

bool unpadded(const PBox& box, const SpatialValue& value) { return intersect(box, value.whole()) == box; }

class InPlace {
 public:
  InPlace(CorePlan& plan, const EmitInput& input) : plan_(plan), input_(input), taken_(plan.buffers.size(), false) {}

  void run() {
    const std::vector<Step>& steps = input_.steps.cores[plan_.core];
    for (std::size_t at = 0; at < steps.size(); ++at) {
      if (steps[at].kind != Step::Kind::compute) continue;
      const auto compute = static_cast<std::size_t>(steps[at].index);
      consider(input_.spatial.computes[compute], input_.operations[compute]);
    }
  }

 private:
  void consider(const Compute& compute, const Selected& selected) {
    if (compute.write.box.empty()) return;
    const std::size_t to = plan_.buffer_at(compute.write.value, compute.write.box.p0, compute.write.box.c0);
    if (plan_.buffers[to].in_place_of >= 0) return;
    for (const Access& read : compute.reads) {
      if (read.box != compute.write.box || read.value == compute.write.value) continue;
      const std::size_t from = plan_.buffer_at(read.value, read.box.p0, read.box.c0);
      if (taken_[from] || !fits(from, to) || !overwrites(selected, read.value, compute.write.value)) continue;
      plan_.buffers[to].in_place_of = static_cast<std::ptrdiff_t>(from);
      taken_[from] = true;
      return;
    }
  }
  /// Of one shape, without rings and padding, and every row of the new one is born no earlier than the old one dies,
  /// in the same compute only where that one may overwrite it.
  bool fits(std::size_t from, std::size_t to) const {
    const Buffer &a = plan_.buffers[from], &b = plan_.buffers[to];
    if (a.box != b.box || a.element != b.element || a.ring || b.ring || a.slots != b.slots) return false;
    if (a.lives.size() > 1 || b.lives.size() > 1 || !a.absences.empty() || !b.absences.empty()) return false;
    if (!unpadded(a.box, value(a)) || !unpadded(b.box, value(b))) return false;
    for (std::size_t r = 0; r < a.rows.size(); ++r) {
      const int dies = a.rows[r].second, born = b.rows[r].first;
      if (dies < 0 || born < 0) return false;
      if (dies > born || (dies == born && !hands_over(a.value, b.value, born))) return false;
    }
    return true;
  }
  bool hands_over(SpatialValueId from, SpatialValueId to, int at) const {
    const Step& step = input_.steps.cores[plan_.core][static_cast<std::size_t>(at)];
    if (step.kind != Step::Kind::compute) return false;
    const auto index = static_cast<std::size_t>(step.index);
    const Compute& compute = input_.spatial.computes[index];
    if (compute.write.value != to) return false;
    for (const Access& read : compute.reads)
      if (read.value == from && read.box != compute.write.box) return false;
    return overwrites(input_.operations[index], from, to);
  }
  const SpatialValue& value(const Buffer& buffer) const { return input_.spatial.values[index_of(buffer.value)]; }

  CorePlan& plan_;
  const EmitInput& input_;
  std::vector<bool> taken_;  ///< by buffer: another one takes its place
};
}  // namespace

void find_in_place(CorePlan& plan, const EmitInput& input) { InPlace(plan, input).run(); }

}  // namespace pimento::pim
