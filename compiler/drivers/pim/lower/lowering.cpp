#include "compiler/drivers/pim/lower/lowering.hpp"

#include <fmt/format.h>

#include "compiler/drivers/pim/lower/refusals.hpp"
#include "isa/support/error.hpp"

namespace pimento::pim {
void Lowering::refuse(const std::string& what) const { throw NoSequence(context_.chip.name, node_.source, what); }

Lowering::Lowering(Builder& builder, const Body& body, const std::vector<Access>& reads, const Access& write)
    : builder_(builder),
      context_(builder.context()),
      body_(body),
      reads_(reads),
      node_(context_.graph.nodes[static_cast<std::size_t>(body.node)]),
      sequence_(context_.pool.kernels(context_.graph, body.node)) {
  const SpatialValue& written = context_.values[index_of(write.value)];
  output_index_ = body.output;
  const ir::Shape& shape = context_.graph.type(node_.outputs[static_cast<std::size_t>(output_index_)]).shape;
  layout_ = make_layout(shape, written.layout.order);
  box_ = {write.box.r0 - body.row0,      write.box.r1 - body.row0,     write.box.p0 - body.position0,
          write.box.p1 - body.position0, write.box.c0 - body.channel0, write.box.c1 - body.channel0};
  output_.place = {OperandRef::Kind::value,
                   static_cast<std::int32_t>(write.value),
                   written.type,
                   {body.row0, body.position0, body.channel0},
                   layout_steps(layout_, shape)};
  output_.shape = shape;
  output_.meaning.scale = written.scale;
  // Without floats, real intermediates are integers 256 times finer than the result.
  work_ = builder_.has_vector_type(ElementType::f32) ? Format{ElementType::f32, 1}
                                                     : Format{ElementType::i32, written.scale / 256};
}

void Lowering::vector() {
  for (const ir::Box& box : logical_boxes(layout_, output_.shape, box_)) run(box, nullptr);
}
void Lowering::epilogue(const View& accumulator) {
  for (const ir::Box& box : logical_boxes(layout_, output_.shape, box_)) run(box, &accumulator);
}

const ir::Tensor* Lowering::content(const ir::Slot& slot) const {
  const auto at = static_cast<std::size_t>(slot.index);
  if (slot.kind == ir::SlotKind::constant) return &sequence_.constants[at];
  if (slot.kind != ir::SlotKind::input || node_.inputs[at] == ir::no_value) return nullptr;
  const auto& constant = context_.graph.value(node_.inputs[at]).constant;
  return constant ? &*constant : nullptr;
}

std::optional<Stored> Lowering::operand(const ir::Slot& slot) const {
  const auto at = static_cast<std::size_t>(slot.index);
  if (slot.kind == ir::SlotKind::temporary) return temporaries_[at];
  if (slot.kind == ir::SlotKind::output)
    refuse("a kernel that reads an output of its own node has no instruction sequence");
  if (slot.kind != ir::SlotKind::input || content(slot) != nullptr) return {};
  for (const Access& read : reads_) {
    if (context_.values[index_of(read.value)].graph_value != node_.inputs[at]) continue;
    return stored_value(context_, read.value, context_.graph.type(node_.inputs[at]).shape);
  }
  return {};
}

void Lowering::find_wanted(const ir::Box& box) {
  wanted_.assign(sequence_.temporaries.size(), {});
  for (std::size_t i = sequence_.calls.size(); i-- > 0;) {
    const ir::KernelCall& each = sequence_.calls[i];
    const auto* kernel = std::get_if<ir::Kernel>(&each.kernel);
    if (kernel == nullptr)
      refuse(fmt::format("library kernel '{}' has no instruction sequence", ir::name_of(each.kernel)));
    for (std::size_t o = 0; o < kernel->outputs.size(); ++o) {
      const auto operand = static_cast<std::size_t>(kernel->outputs[o].operand);
      const ir::Slot& slot = each.slots[operand];
      ir::Box made;
      ir::Shape own;
      if (slot.kind == ir::SlotKind::output) {
        if (slot.index != output_index_) continue;
        made = box, own = output_.shape;
      } else {
        const Wanted& wanted = wanted_[static_cast<std::size_t>(slot.index)];
        if (wanted.boxes.empty()) continue;
        made = wanted.boxes[0], own = sequence_.temporaries[static_cast<std::size_t>(slot.index)].shape;
      }
      for (const ir::Box& part : boxes_in(made, own, kernel->operands[operand].type.shape)) {
        for (std::size_t in = 0; in < kernel->operands.size(); ++in) {
          const ir::Slot& source = each.slots[in];
          if (kernel->operands[in].role != ir::OperandRole::input || source.kind != ir::SlotKind::temporary) continue;
          const ir::Box needed = ir::needed(*kernel, static_cast<int>(in), part, static_cast<int>(o));
          Wanted& wanted = wanted_[static_cast<std::size_t>(source.index)];
          const ir::Shape& stored = sequence_.temporaries[static_cast<std::size_t>(source.index)].shape;
          if (ir::is_empty(needed) && !needed.empty()) continue;
          for (const ir::Box& each_box : boxes_in(needed, kernel->operands[in].type.shape, stored)) {
            if (wanted.boxes.empty()) wanted.boxes.push_back(each_box);
            wanted.boxes[0] = ir::bounding(wanted.boxes[0], each_box);
          }
        }
      }
    }
    for (std::size_t in = 0; in < kernel->operands.size(); ++in) {
      if (kernel->operands[in].role == ir::OperandRole::input && each.slots[in].kind == ir::SlotKind::temporary) {
        ++wanted_[static_cast<std::size_t>(each.slots[in].index)].readers;
      }
    }
  }
}

void Lowering::run(const ir::Box& box, const View* accumulator) {
  find_wanted(box);
  temporaries_.assign(sequence_.temporaries.size(), {});
  for (std::size_t i = 0; i < sequence_.calls.size(); ++i) call(i, box, i == 0 ? accumulator : nullptr);
}

void Lowering::call(std::size_t index, const ir::Box& box, const View* accumulator) {
  const ir::KernelCall& each = sequence_.calls[index];
  const auto& kernel = std::get<ir::Kernel>(each.kernel);
  std::vector<const ir::Tensor*> contents(kernel.operands.size(), nullptr);
  std::vector<std::optional<Stored>> operands(kernel.operands.size());
  for (std::size_t i = 0; i < kernel.operands.size(); ++i) {
    if (kernel.operands[i].role != ir::OperandRole::input) continue;
    contents[i] = content(each.slots[i]);
    operands[i] = operand(each.slots[i]);
  }
  const Constants constants(kernel, std::move(contents));
  for (std::size_t o = 0; o < kernel.outputs.size(); ++o) {
    const ir::Slot& slot = each.slots[static_cast<std::size_t>(kernel.outputs[o].operand)];
    if (slot.kind == ir::SlotKind::output && slot.index == output_index_) {
      write_output(index, constants, operands, static_cast<int>(o), box, accumulator);
    } else if (slot.kind == ir::SlotKind::temporary && !wanted_[static_cast<std::size_t>(slot.index)].boxes.empty()) {
      write_output(index, constants, operands, static_cast<int>(o),
                   wanted_[static_cast<std::size_t>(slot.index)].boxes[0], accumulator);
    }
  }
}

}  // namespace pimento::pim
