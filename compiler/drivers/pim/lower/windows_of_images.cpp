#include "compiler/drivers/pim/lower/windows_of_images.hpp"

#include <algorithm>

#include "compiler/ir/analysis.hpp"

namespace pimento::pim {
namespace {
std::size_t row_dimensions(const Layout& layout) { return layout.order.size() > 2 ? layout.order.size() - 2 : 0; }

/// The load of the contraction that is no constant; null when its content stands under another name.
const ir::Load* streamed_load(const SelectContext& context, const ir::KernelCall& call, const ir::Node& node,
                              const ir::Contraction& contraction, const SpatialValue& read) {
  for (const ir::Expr* e : {&contraction.left_load, &contraction.right_load}) {
    const auto* load = e->as<ir::Load>();
    const ir::Slot& slot = call.slots[static_cast<std::size_t>(load->operand)];
    if (slot.kind != ir::SlotKind::input) continue;
    const ir::ValueId v = node.inputs[static_cast<std::size_t>(slot.index)];
    if (!context.graph.is_constant(v)) return v == read.graph_value ? load : nullptr;
  }
  return nullptr;
}
}  // namespace

bool has_several_images(const SelectContext& context, const SpatialValue& value) {
  if (value.graph_value == ir::no_value || row_dimensions(value.layout) < 2) return false;
  const ir::Shape& shape = context.graph.type(value.graph_value).shape;
  std::size_t several = 0;
  for (std::size_t i = 0; i < row_dimensions(value.layout); ++i)
    several += shape[static_cast<std::size_t>(value.layout.order[i])] > 1 ? 1 : 0;
  return several >= 2;
}

std::vector<bool> segments_outside(const SelectContext& context, const WeightTile& tile, const SpatialValue& read,
                                   const Layout& layout, std::int32_t row) {
  if (!has_several_images(context, read)) return {};
  const ir::Shape& shape = context.graph.type(read.graph_value).shape;

  const ir::Node& node = context.graph.nodes[static_cast<std::size_t>(tile.node)];
  const ir::KernelCall& call = context.pool.kernels(context.graph, tile.node).calls[0];
  const auto& kernel = std::get<ir::Kernel>(call.kernel);
  const auto contraction = ir::as_contraction(kernel);
  const ir::Load* load = contraction ? streamed_load(context, call, node, *contraction, read) : nullptr;
  if (load == nullptr) return {};
  const int axes = static_cast<int>(kernel.axes.size());

  // The point of the output row: its row dimensions decoded, each the index of one axis.
  std::vector<std::int64_t> point(kernel.axes.size(), 0);
  const ir::Shape& out = context.graph.type(node.outputs[0]).shape;
  std::int64_t rest = row;
  for (std::size_t i = row_dimensions(layout); i-- > 0;) {
    const auto d = static_cast<std::size_t>(layout.order[i]);
    const auto map = ir::as_affine(kernel.outputs[0].map[d], axes);
    for (std::size_t a = 0; map && a < point.size(); ++a) {
      if (map->coefficients[a] == 1 && kernel.axes[a].extent > 1) point[a] = rest % out[d];
    }
    rest /= out[d];
  }
  std::vector<std::size_t> reductions;
  for (std::size_t a = 0; a < kernel.axes.size(); ++a) {
    if (kernel.axes[a].kind == ir::AxisKind::reduction) reductions.push_back(a);
  }
  const Window& w = tile.window;
  std::vector<bool> outside(static_cast<std::size_t>(w.count), false);
  bool any = false;
  for (std::int32_t k = 0; k < w.count; ++k) {
    const std::int32_t at = w.pace.row(row, 0) + w.row0 + k * w.row_step;
    if (at < 0 || at >= read.layout.rows) continue;  // padding rows of the buffer are zero
    std::int64_t flat = tile.reduction_of_row(k * w.len);
    for (std::size_t i = reductions.size(); i-- > 0;) {
      const std::int64_t n = kernel.axes[reductions[i]].extent;
      point[reductions[i]] = flat % n;
      flat /= n;
    }
    for (std::size_t i = 0; i < row_dimensions(read.layout); ++i) {
      const auto d = static_cast<std::size_t>(read.layout.order[i]);
      const auto map = ir::as_affine(load->indices[d], axes);
      if (!map) continue;
      std::int64_t index = map->constant;
      for (std::size_t a = 0; a < point.size(); ++a) index += map->coefficients[a] * point[a];
      if (index < 0 || index >= shape[d]) outside[static_cast<std::size_t>(k)] = any = true;
    }
  }
  return any ? outside : std::vector<bool>{};
}

}  // namespace pimento::pim
