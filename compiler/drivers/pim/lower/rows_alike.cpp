#include "compiler/drivers/pim/lower/rows_alike.hpp"

#include <algorithm>

#include "compiler/drivers/pim/lower/windows_of_images.hpp"
#include "compiler/ir/analysis.hpp"
#include "compiler/ir/kernel_sections.hpp"

namespace pimento::pim {
namespace {

/// Whether what an expression is depends on one of the axes, but for the elements of operands that are `moved` with it.
template <class Moved>
bool depends_on(const ir::Expr& e, const std::vector<bool>& axes, const Moved& moved) {
  if (const auto* axis = e.as<ir::Axis>()) return axes[static_cast<std::size_t>(axis->axis)];
  if (const auto* load = e.as<ir::Load>(); load != nullptr && moved(load->operand)) return false;
  bool found = false;
  ir::for_each_child(e, [&](const ir::Expr& child) { found = found || depends_on(child, axes, moved); });
  return found;
}

/// Whether a kernel over elements of `shape` does the same in every row: it reads operands where it writes, and
/// constants wherever the row is.
bool is_same_in_rows(const ir::KernelCall& call, const ir::Shape& shape, const Layout& layout) {
  const auto* kernel = std::get_if<ir::Kernel>(&call.kernel);
  if (kernel == nullptr || kernel->outputs.size() != 1 || !ir::is_elementwise(*kernel)) return false;
  const ir::Output& output = kernel->outputs[0];
  const auto is_constant = [&](int operand) {
    return call.slots[static_cast<std::size_t>(operand)].kind == ir::SlotKind::constant;
  };
  for (int o = 0; o < static_cast<int>(kernel->operands.size()); ++o) {
    if (is_constant(o)) continue;
    const ir::Operand& operand = kernel->operands[static_cast<std::size_t>(o)];
    if (operand.type.shape != shape) return false;
    if (operand.role == ir::OperandRole::input && !ir::reads_where_it_writes(*kernel, o)) return false;
  }
  std::vector<bool> rows(kernel->axes.size(), false);
  for (std::size_t i = 0; i + 2 < layout.order.size(); ++i) {
    const auto map =
        ir::as_affine(output.map[static_cast<std::size_t>(layout.order[i])], static_cast<int>(rows.size()));
    if (!map) return false;
    for (std::size_t a = 0; a < rows.size(); ++a) rows[a] = rows[a] || map->coefficients[a] != 0;
  }
  const auto moved = [&](int operand) { return !is_constant(operand); };
  return !depends_on(output.value, rows, moved) && (!output.guard || !depends_on(output.guard, rows, moved)) &&
         kernel->states.empty() && kernel->accumulators.empty();
}

}  // namespace

bool RowsAlike::moves_with_rows(const Body& body) {
  if (body.kind == BodyKind::vector) return false;
  if (body.kind == BodyKind::mvm && !body.epilogue) return true;
  const auto [at, is_new] = known_.try_emplace(body.node, true);
  if (!is_new) return at->second;
  const ir::Node& node = context_.graph.nodes[static_cast<std::size_t>(body.node)];
  const ir::ValueId out = node.outputs[0];
  const ir::Shape& shape = context_.graph.type(out).shape;
  const auto made = std::find_if(context_.values.begin(), context_.values.end(),
                                 [&](const SpatialValue& v) { return v.graph_value == out; });
  const ir::KernelSequence& kernels = context_.pool.kernels(context_.graph, body.node);
  bool& same = at->second;
  same = made != context_.values.end() && made->layout.order.size() == shape.size();
  for (std::size_t k = 1; same && k < kernels.calls.size(); ++k)
    same = is_same_in_rows(kernels.calls[k], shape, made->layout);
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
  if (!moves_with_rows(body)) return std::nullopt;
  std::vector<std::int32_t> key{static_cast<std::int32_t>(c.batch), static_cast<std::int32_t>(c.cls)};
  std::map<SpatialValueId, std::int32_t> strides;
  const auto add = [&](const Access& access, std::int32_t stride) {
    const PBox& b = access.box;
    const std::int32_t r0 = c.write.box.r0 * stride;
    for (const std::int32_t x : {static_cast<std::int32_t>(access.value), b.r0 - r0, b.r1 - r0, b.p0, b.p1, b.c0, b.c1})
      key.push_back(x);
    return strides.try_emplace(access.value, stride).first->second == stride;
  };
  key.push_back(c.write.box.rows());
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
