// Kernels with carried axes (running sums and their kin): the points of the carried axes one after another, the states
// in scratch memory between them.
#include "compiler/drivers/pim/lower/lowering.hpp"

namespace pimento::pim {

void Lowering::recurrent(const Constants& constants, const std::vector<std::optional<Stored>>& operands, int output,
                         const std::vector<int>& dims, const Domain& domain, const Stored& target,
                         const std::vector<ir::Expr>& map) {
  const ir::Kernel& kernel = constants.kernel();
  const ir::Output& out = kernel.outputs[static_cast<std::size_t>(output)];
  int carried = -1;
  Domain point = domain;
  for (std::size_t a = 0; a < point.size(); ++a) {
    if (kernel.axes[a].kind == ir::AxisKind::parallel) continue;
    point[a] = {0, 1};
    if (kernel.axes[a].kind != ir::AxisKind::carried || kernel.axes[a].extent == 1) continue;
    if (carried >= 0) refuse("a recurrence along several axes has no instruction sequence");
    carried = static_cast<int>(a);
  }
  if (!kernel.accumulators.empty()) refuse("a recurrence over reductions has no instruction sequence");
  const ir::Range wanted = carried < 0 ? ir::Range{0, 1} : domain[static_cast<std::size_t>(carried)];
  Extents block;
  for (const int axis : dims) block.push_back(static_cast<std::int32_t>(domain[static_cast<std::size_t>(axis)].size()));
  const std::vector<std::optional<Stored>> none;
  std::vector<std::optional<Stored>> states(kernel.states.size());
  /// Every state of the next point, from those of this one.
  const auto advance = [&](bool first) {
    std::vector<std::optional<Stored>> next(kernel.states.size());
    for (std::size_t k = 0; k < kernel.states.size(); ++k) {
      const ElementType type = kernel.states[k].type;
      const bool logical = type == ElementType::boolean;
      const Format format = is_float(type) ? work_ : Format{logical ? type : ElementType::i32, 1};
      const View place = builder_.scratch(format.type, block);
      next[k] = stored_by_axis(place, dims, domain, format.scale);
      for_uniform(constants, first ? kernel.states[k].initial : kernel.states[k].next, {}, point,
                  [&](const ir::Expr& e, const Domain& piece) {
                    Terms terms(builder_, constants, operands, none, dims, piece, work_, node_.source);
                    terms.carry(&states);
                    terms.store(e, view_by_axis(*next[k], dims, piece), format);
                  });
    }
    states = std::move(next);
  };
  advance(true);
  for (std::int64_t c = 0; c < wanted.end; ++c) {
    if (carried >= 0) point[static_cast<std::size_t>(carried)] = {c, c + 1};
    if (c >= wanted.begin) {
      for_uniform(constants, out.value, out.guard, point, [&](const ir::Expr& e, const Domain& piece) {
        Terms terms(builder_, constants, operands, none, dims, piece, work_, node_.source);
        terms.carry(&states);
        const auto view = affine_view(map, target, dims, piece);
        if (!view) refuse("an output map that is not affine has no instruction sequence");
        terms.store(e, *view, {target.place.type, target.meaning.scale});
      });
    }
    if (c + 1 < wanted.end) advance(false);
  }
}

}  // namespace pimento::pim
