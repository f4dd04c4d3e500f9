// Reductions to a tuple (arg-max and its kin): by the unit's own arg-reduction where it fits, else point by point.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "compiler/drivers/pim/lower/reduction.hpp"
#include "compiler/drivers/pim/lower/refusals.hpp"
#include "isa/support/error.hpp"

namespace pimento::pim {
namespace {
/// More points than this are not written out.
constexpr std::int64_t most_points = 1024;

bool is_accumulated(const ir::Expr& e, int k) {
  const auto* x = e.as<ir::Accumulated>();
  return x != nullptr && x->accumulator == k;
}
bool is_incoming(const ir::Expr& e, int k) {
  const auto* x = e.as<ir::Incoming>();
  return x != nullptr && x->accumulator == k;
}
}  // namespace

/// best = (place < 0 or in.best > best) ? in.best : best, and the place likewise.
std::optional<Reduction::ArgBest> Reduction::arg_best() const {
  const auto& all = constants_.kernel().accumulators;
  if (all.size() != 2) return {};
  const auto* choice = all[0].merge.as<ir::Select>();
  const auto* place = all[1].merge.as<ir::Select>();
  if (choice == nullptr || place == nullptr || !ir::equal(choice->condition, place->condition)) return {};
  const auto* either = choice->condition.as<ir::Binary>();
  if (either == nullptr || either->op != ir::BinaryOp::bit_or) return {};
  const auto* better = either->b.as<ir::Binary>();
  if (better == nullptr || !is_incoming(better->a, 0) || !is_accumulated(better->b, 0)) return {};
  if (!is_incoming(choice->a, 0) || !is_accumulated(choice->b, 0) || !is_incoming(place->a, 1) ||
      !is_accumulated(place->b, 1))
    return {};
  if (better->op != ir::BinaryOp::gt && better->op != ir::BinaryOp::lt) return {};
  return ArgBest{0, 1, better->op == ir::BinaryOp::gt ? isa::Opcode::vrargmax : isa::Opcode::vrargmin};
}

std::optional<std::vector<std::optional<Stored>>> Reduction::arg_best_along_lanes() {
  const auto pattern = arg_best();
  const std::vector<int> reductions = varying_reductions(domain_);
  if (!pattern || reductions.size() != 1) return {};
  const auto& all = constants_.kernel().accumulators;
  const auto* load = all[0].body.as<ir::Load>();
  // The place must be the position on the axis itself.
  const auto place = ir::as_affine(all[1].body, static_cast<int>(domain_.size()));
  const auto lane = static_cast<std::size_t>(reductions[0]);
  if (load == nullptr || !place || constants_.known(all[0].body) || load->rule != ir::OutOfRange::error) return {};
  for (std::size_t a = 0; a < domain_.size(); ++a) {
    if (place->coefficients[a] != (a == lane ? 1 : 0)) return {};
  }
  std::vector<int> dims = dims_;
  dims.push_back(reductions[0]);
  const Terms here = terms(dims, domain_);
  const auto values = here.direct(*load);
  if (!values || place->constant != 0 || !builder_.contiguous(values->view, dims.size() - 1) ||
      !values->meaning.plain() || values->meaning.scale <= 0) {
    return {};
  }
  Extents block(here.nest().begin(), here.nest().end() - 1);
  const View best = builder_.scratch(values->type(), block), at = builder_.scratch(ElementType::i32, block);
  const bool most = pattern->lane_opcode == isa::Opcode::vrargmax;
  builder_.reduce(most ? isa::Opcode::vrmax : isa::Opcode::vrmin, here.nest(), best, values->view);
  builder_.reduce(pattern->lane_opcode, here.nest(), at, values->view);
  return std::vector<std::optional<Stored>>{stored_by_axis(best, dims_, domain_, values->meaning.scale),
                                            stored_by_axis(at, dims_, domain_, 1)};
}

std::vector<std::optional<Stored>> Reduction::merge_tuple() {
  if (auto result = arg_best_along_lanes()) return *result;
  const auto& all = constants_.kernel().accumulators;
  const std::vector<int> axes = varying_reductions(domain_);
  std::int64_t points = 1;
  for (const int axis : axes) points *= domain_[static_cast<std::size_t>(axis)].size();
  if (points > most_points) {
    throw NoSequence(builder_.context().chip.name, node_,
                     fmt::format("a reduction of {} elements to a tuple has no instruction sequence", points));
  }
  Extents block;
  for (const int axis : dims_)
    block.push_back(static_cast<std::int32_t>(domain_[static_cast<std::size_t>(axis)].size()));
  const auto format = [&](const ir::Accumulator& a) {
    return is_float(a.type) ? work_ : Format{a.type == ElementType::boolean ? a.type : ElementType::i32, 1};
  };
  std::vector<std::optional<Stored>> so_far(all.size());
  std::vector<ir::Expr> merges(all.size());
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (all[k].combiner != ir::Combiner::merge) continue;
    const Format f = format(all[k]);
    const View start = builder_.scratch(f.type, block);
    auto fill = instruction(isa::Opcode::vfill, f.type);
    constexpr double widest = std::numeric_limits<float>::max();
    const double initial = std::clamp(all[k].initial.as_double(), -widest, widest);
    fill.scale = static_cast<float>(initial / f.scale);
    fill.real = static_cast<float>(initial);
    builder_.emit(fill, block, start);
    so_far[k] = stored_by_axis(start, dims_, domain_, f.scale);
    merges[k] = ir::rewrite(all[k].merge, [&](const ir::Expr& e) {
      const auto* incoming = e.as<ir::Incoming>();
      return incoming == nullptr ? e : all[static_cast<std::size_t>(incoming->accumulator)].body;
    });
  }
  Domain point = domain_;
  for (const int axis : axes) point[static_cast<std::size_t>(axis)] = {0, 1};
  while (true) {
    std::vector<std::optional<Stored>> next(all.size());
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (!so_far[k]) continue;
      const Format f = format(all[k]);
      const View merged = builder_.scratch(f.type, block);
      next[k] = stored_by_axis(merged, dims_, domain_, f.scale);
      for_uniform(constants_, merges[k], {}, point, [&](const ir::Expr& e, const Domain& piece) {
        Terms here(builder_, constants_, operands_, so_far, dims_, piece, work_, node_);
        here.store(e, view_by_axis(*next[k], dims_, piece), f);
      });
    }
    so_far = std::move(next);
    std::size_t level = axes.size();
    for (; level > 0; --level) {
      ir::Range& range = point[static_cast<std::size_t>(axes[level - 1])];
      ++range.begin, ++range.end;
      if (range.begin < domain_[static_cast<std::size_t>(axes[level - 1])].end) break;
      range = {0, 1};
    }
    if (level == 0) return so_far;
  }
}

}  // namespace pimento::pim
