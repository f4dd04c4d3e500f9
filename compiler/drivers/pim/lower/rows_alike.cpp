#include "compiler/drivers/pim/lower/rows_alike.hpp"

#include "compiler/drivers/pim/lower/windows_of_images.hpp"
#include "compiler/ir/analysis.hpp"

namespace pimento::pim {
namespace {

/// Whether what an expression is depends on one of the axes, but for the elements of operands that move with it: all
/// that are no constants.
bool depends_on(const ir::Expr& e, const std::vector<bool>& axes, const std::vector<bool>& constant) {
  if (const auto* axis = e.as<ir::Axis>()) return axes[static_cast<std::size_t>(axis->axis)];
  const auto* load = e.as<ir::Load>();
  if (load != nullptr && !constant[static_cast<std::size_t>(load->operand)]) return false;
  bool found = false;
  ir::for_each_child(e, [&](const ir::Expr& child) { found = found || depends_on(child, axes, constant); });
  return found;
}

/// Whether a kernel over elements of `shape` does the same in every row: it works in place, and reads the same of
/// constants, those of the graph too, wherever the row is. `order`: of the dimensions, rows first.
bool is_same_in_rows(const ir::Graph& graph, const ir::Node& node, const ir::KernelCall& call, const ir::Shape& shape,
                     const std::vector<std::int32_t>& order) {
  std::vector<bool> constant = ir::constants_of(call);
  for (std::size_t o = 0; o < constant.size(); ++o)
    if (const ir::Slot& slot = call.slots[o]; slot.kind == ir::SlotKind::input)
      constant[o] = graph.is_constant(node.inputs[static_cast<std::size_t>(slot.index)]);
  if (!ir::works_in_place(call, shape, constant)) return false;
  std::vector<bool> rows(shape.size(), false);  // an element-wise kernel has an axis for each dimension
  for (std::size_t i = 0; i + 2 < order.size(); ++i) rows[static_cast<std::size_t>(order[i])] = true;
  return !depends_on(std::get<ir::Kernel>(call.kernel).outputs[0].value, rows, constant);
}

}  // namespace

bool RowsAlike::moves_with_rows(const Body& body, const SpatialValue& written) {
  if (body.kind == BodyKind::vector) return false;
  if (body.kind == BodyKind::mvm && !body.epilogue) return true;
  const auto [at, is_new] = known_.try_emplace(body.node, true);
  bool& same = at->second;
  if (!is_new) return same;
  const ir::Node& node = context_.graph.nodes[static_cast<std::size_t>(body.node)];
  const ir::Shape& shape = context_.graph.type(node.outputs[0]).shape;
  const std::vector<ir::KernelCall>& calls = context_.pool.kernels(context_.graph, body.node).calls;
  for (std::size_t k = 1; same && k < calls.size(); ++k)
    same = is_same_in_rows(context_.graph, node, calls[k], shape, written.layout.order);
  return same;
}

std::optional<std::int32_t> RowsAlike::stride(const Body& body, const Compute& c, std::size_t read) const {
  if (body.kind != BodyKind::mvm || read >= static_cast<std::size_t>(body.tile_count)) return 1;
  const WeightTile& tile = context_.tiles[static_cast<std::size_t>(body.tile) + read];
  const SpatialValue& value = context_.values[index_of(c.reads[read].value)];
  if (tile.window.pace.image_rows != 0 || has_several_images(context_, value)) return std::nullopt;
  return tile.window.pace.row_stride;
}

std::optional<Selected> RowsAlike::of(std::size_t compute, const Operations& before) {
  const Compute& c = spatial_.computes[compute];
  const Body& body = spatial_.batches[index_of(c.batch)].body;
  if (!moves_with_rows(body, context_.values[index_of(c.write.value)])) return std::nullopt;
  std::vector<std::int32_t> key{static_cast<std::int32_t>(c.batch), static_cast<std::int32_t>(c.cls)};
  std::map<SpatialValueId, std::int32_t> strides;
  const auto add = [&](const Access& access, std::int32_t stride) {
    const PBox& b = access.box;
    const std::int32_t r0 = c.write.box.r0 * stride;
    for (const std::int32_t x : {static_cast<std::int32_t>(access.value), b.r0 - r0, b.r1 - r0, b.p0, b.p1, b.c0, b.c1})
      key.push_back(x);
    return strides.try_emplace(access.value, stride).first->second == stride;
  };
  if (!add(c.write, 1)) return std::nullopt;
  for (std::size_t i = 0; i < c.reads.size(); ++i) {
    const std::optional<std::int32_t> moves = stride(body, c, i);
    if (!moves || !add(c.reads[i], *moves)) return std::nullopt;
  }
  const auto [at, is_new] = first_.try_emplace(std::move(key), compute);
  if (is_new) return std::nullopt;
  Selected made = before[at->second];
  const std::int32_t rows = c.write.box.r0 - spatial_.computes[at->second].write.box.r0;
  for (PimOp& op : made.ops)
    for (OperandRef* const ref : {&op.dst, &op.a, &op.b})
      if (ref->kind == OperandRef::Kind::value) ref->row += rows * strides.at(SpatialValueId{ref->id});
  return made;
}

}  // namespace pimento::pim
