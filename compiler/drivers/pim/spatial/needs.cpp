#include "compiler/drivers/pim/spatial/needs.hpp"

namespace pimento::pim {

ir::Box to_logical(const Layout& layout, const ir::Shape& shape, const PBox& box) {
  const std::size_t rank = shape.size();
  ir::Box result(rank);
  // rows r0 .. r1-1 in mixed radix over the row dimensions: a range in one digit, whole digits below it
  std::int64_t first = box.r0;
  std::int64_t last = box.r1 - 1;
  for (std::size_t i = rank; i-- > 0;) {
    const auto d = static_cast<std::size_t>(layout.order[i]);
    if (i + 1 == rank) {
      result[d] = {box.c0, box.c1};
    } else if (i + 2 == rank) {
      result[d] = {box.p0, box.p1};
    } else {
      const std::int64_t extent = shape[d];
      result[d] = first / extent == last / extent ? ir::Range{first % extent, last % extent + 1} : ir::Range{0, extent};
      first /= extent;
      last /= extent;
    }
  }
  return result;
}

PBox physical(const Layout& layout, const ir::Shape& shape, const ir::Box& box) {
  std::vector<std::pair<std::int64_t, std::int64_t>> ranges;
  ranges.reserve(box.size());
  for (const ir::Range& r : box) ranges.emplace_back(r.begin, r.end);
  return to_physical(layout, shape, ranges);
}

InputNeeds::InputNeeds(const ir::Graph& graph, const ir::Node& node, const ir::KernelSequence& sequence,
                       std::size_t first_call, int output_index)
    : graph_(&graph), node_(&node), sequence_(&sequence), output_index_(output_index) {
  for (std::size_t i = sequence.calls.size(); i-- > first_call;) add_writes(sequence.calls[i]);
  in_place_ = inputs_in_place();
}

std::optional<std::vector<std::size_t>> InputNeeds::inputs_in_place() const {
  std::vector<std::size_t> inputs;
  const ir::Shape& shape = graph_->type(node_->outputs[static_cast<std::size_t>(output_index_)]).shape;
  std::vector<bool> is_read(sequence_->temporaries.size(), false);
  for (const Write& write : writes_) {
    const ir::Slot to = write.call->slots[write.operand];
    if (to.kind == ir::SlotKind::temporary && !is_read[static_cast<std::size_t>(to.index)]) continue;
    if (!ir::works_in_place(*write.call, shape, ir::constants_of(*write.call))) return std::nullopt;
    const std::vector<ir::Operand>& operands = ir::operands_of(write.call->kernel);
    for (std::size_t in = 0; in < operands.size(); ++in) {
      const ir::Slot source = write.call->slots[in];
      if (operands[in].role != ir::OperandRole::input) continue;
      const auto at = static_cast<std::size_t>(source.index);
      if (source.kind == ir::SlotKind::temporary) is_read[at] = true;
      if (source.kind != ir::SlotKind::input) continue;
      if (graph_->type(node_->inputs[at]).shape != shape) return std::nullopt;
      inputs.push_back(at);
    }
  }
  return inputs;
}

void InputNeeds::add_writes(const ir::KernelCall& call) {
  const std::vector<ir::Operand>& operands = ir::operands_of(call.kernel);
  const auto* kernel = std::get_if<ir::Kernel>(&call.kernel);
  int ordinal = -1;
  for (std::size_t o = 0; o < operands.size(); ++o) {
    if (operands[o].role != ir::OperandRole::output) continue;
    ++ordinal;
    const ir::Slot slot = call.slots[o];
    const bool is_asked_for = slot.kind == ir::SlotKind::output && slot.index == output_index_;
    if (!is_asked_for && slot.kind != ir::SlotKind::temporary) continue;
    if (kernel == nullptr) {
      writes_.push_back({&call, o, ordinal, std::nullopt});
      continue;
    }
    for (std::size_t w = 0; w < kernel->outputs.size(); ++w)
      if (kernel->outputs[w].operand == static_cast<int>(o))
        writes_.push_back({&call, o, ordinal, ir::Needs(*kernel, static_cast<int>(w))});
  }
}

std::vector<ir::Box> InputNeeds::of(const ir::Box& output) const {
  std::vector<ir::Box> inputs(node_->inputs.size());
  if (in_place_) {
    for (const std::size_t in : *in_place_)
      if (!ir::is_empty(output)) inputs[in] = output;
    return inputs;
  }
  std::vector<std::optional<ir::Box>> temporaries(sequence_->temporaries.size());  // a box of rank 0 holds one element
  const auto nothing = [](const ir::Box& b) { return b.empty() || ir::is_empty(b); };
  const auto add = [&](ir::Box& to, const ir::Box& box) { to = nothing(to) ? box : ir::bounding(to, box); };
  for (const Write& write : writes_) {
    const ir::KernelCall& call = *write.call;
    const std::vector<ir::Operand>& operands = ir::operands_of(call.kernel);
    const ir::Shape& written = operands[write.operand].type.shape;
    const ir::Slot slot = call.slots[write.operand];
    ir::Box box;
    if (slot.kind == ir::SlotKind::output) {
      box = ir::reshaped(output, graph_->type(node_->outputs[static_cast<std::size_t>(output_index_)]).shape, written);
    } else {
      const auto at = static_cast<std::size_t>(slot.index);
      if (!temporaries[at]) continue;
      box = ir::reshaped(*temporaries[at], sequence_->temporaries[at].shape, written);
    }
    const std::vector<ir::Range> axes = write.needs ? write.needs->axes(box) : std::vector<ir::Range>{};
    for (std::size_t in = 0; in < operands.size(); ++in) {
      const ir::Slot source = call.slots[in];
      if (operands[in].role != ir::OperandRole::input || source.kind == ir::SlotKind::constant) continue;
      const auto operand = static_cast<int>(in);
      const ir::Box part = write.needs
                               ? write.needs->part(operand, box, axes)
                               : ir::needed(std::get<ir::LibraryKernel>(call.kernel), operand, box, write.ordinal);
      if (!part.empty() && ir::is_empty(part)) continue;
      const auto at = static_cast<std::size_t>(source.index);
      if (source.kind == ir::SlotKind::input) {
        const ir::Shape& stored = graph_->type(node_->inputs[at]).shape;
        add(inputs[at], ir::reshaped(part, operands[in].type.shape, stored));
      } else if (source.kind == ir::SlotKind::temporary) {
        const ir::Shape& stored = sequence_->temporaries[at].shape;
        const ir::Box needed = ir::reshaped(part, operands[in].type.shape, stored);
        temporaries[at] = temporaries[at] ? ir::bounding(*temporaries[at], needed) : needed;
      }
    }
  }
  return inputs;
}

}  // namespace pimento::pim
