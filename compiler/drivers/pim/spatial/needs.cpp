#include "compiler/drivers/pim/spatial/needs.hpp"

#include <optional>

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
  for (const ir::Range& r : box) ranges.emplace_back(r.begin, r.end);
  return to_physical(layout, shape, ranges);
}

namespace {
/// What each write into output operand `o` (the `ordinal`-th output) reads of input operand `in`.
std::vector<ir::Box> parts_of(const ir::AnyKernel& kernel, std::size_t in, std::size_t o, int ordinal,
                              const ir::Box& box) {
  const auto operand = static_cast<int>(in);
  const auto* k = std::get_if<ir::Kernel>(&kernel);
  if (k == nullptr) return {ir::needed(std::get<ir::LibraryKernel>(kernel), operand, box, ordinal)};
  std::vector<ir::Box> parts;
  for (std::size_t w = 0; w < k->outputs.size(); ++w)
    if (k->outputs[w].operand == static_cast<int>(o))
      parts.push_back(ir::needed(*k, operand, box, static_cast<int>(w)));
  return parts;
}
}  // namespace

std::vector<ir::Box> needed_inputs(const ir::Graph& graph, const ir::Node& node, const ir::KernelSequence& sequence,
                                   const ir::Box& output, std::size_t first_call, int output_index) {
  std::vector<ir::Box> inputs(node.inputs.size());
  std::vector<std::optional<ir::Box>> temporaries(sequence.temporaries.size());  // a box of rank 0 holds one element
  const auto nothing = [](const ir::Box& b) { return b.empty() || ir::is_empty(b); };
  const auto add = [&](ir::Box& to, const ir::Box& box) { to = nothing(to) ? box : ir::bounding(to, box); };
  for (std::size_t i = sequence.calls.size(); i-- > first_call;) {
    const ir::KernelCall& call = sequence.calls[i];
    const std::vector<ir::Operand>& operands = ir::operands_of(call.kernel);
    int ordinal = -1;
    for (std::size_t o = 0; o < operands.size(); ++o) {
      if (operands[o].role != ir::OperandRole::output) continue;
      ++ordinal;
      const ir::Slot slot = call.slots[o];
      ir::Box box;
      if (slot.kind == ir::SlotKind::output && slot.index == output_index) {
        const ir::Shape& shape = graph.type(node.outputs[static_cast<std::size_t>(output_index)]).shape;
        box = operands[o].type.shape == shape ? output : ir::whole(operands[o].type.shape);
      } else if (slot.kind == ir::SlotKind::temporary) {
        const auto& wanted = temporaries[static_cast<std::size_t>(slot.index)];
        if (!wanted) continue;
        const ir::Shape& stored = sequence.temporaries[static_cast<std::size_t>(slot.index)].shape;
        box = operands[o].type.shape == stored ? *wanted : ir::whole(operands[o].type.shape);
      } else {
        continue;
      }
      for (std::size_t in = 0; in < operands.size(); ++in) {
        if (operands[in].role != ir::OperandRole::input) continue;
        const ir::Slot source = call.slots[in];
        if (source.kind == ir::SlotKind::constant) continue;
        for (const ir::Box& part : parts_of(call.kernel, in, o, ordinal, box)) {
          if (!part.empty() && ir::is_empty(part)) continue;
          const auto at = static_cast<std::size_t>(source.index);
          if (source.kind == ir::SlotKind::input) {
            const ir::Shape& stored = graph.type(node.inputs[at]).shape;
            add(inputs[at], operands[in].type.shape == stored ? part : ir::whole(stored));
          } else if (source.kind == ir::SlotKind::temporary) {
            const ir::Shape& stored = sequence.temporaries[at].shape;
            const ir::Box needed = operands[in].type.shape == stored ? part : ir::whole(stored);
            temporaries[at] = temporaries[at] ? ir::bounding(*temporaries[at], needed) : needed;
          }
        }
      }
    }
  }
  return inputs;
}

}  // namespace pimento::pim
