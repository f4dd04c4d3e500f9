// Views of terms: what repeats along a dimension is computed once and written out only where an instruction needs it.
#include "compiler/drivers/pim/lower/terms.hpp"

namespace pimento::pim {

Extents Terms::without_repeats(const View& a, const View& b) const {
  Extents nest = nest_;
  for (std::size_t d = 0; d < nest.size(); ++d) {
    if (a.steps[d] == Stride{} && (!b || b.steps[d] == Stride{})) nest[d] = 1;
  }
  return nest;
}

View Terms::repeated_scratch(ElementType type, const Extents& nest) {
  View view = builder_.scratch(type, nest);
  for (std::size_t d = 0; d < nest.size(); ++d) {
    if (nest[d] == 1) view.steps[d] = {};
  }
  return view;
}

int Terms::lane() const {
  for (std::size_t d = nest_.size(); d-- > 0;) {
    if (nest_[d] > 1) return static_cast<int>(d);
  }
  return -1;
}

bool Terms::repeats_on_lane(const View& view) const {
  const int d = lane();
  return d >= 0 && view.steps[static_cast<std::size_t>(d)] == Stride{};
}

View Terms::spread(const View& view) {
  Extents nest = without_repeats(view, {});
  nest[static_cast<std::size_t>(lane())] = nest_[static_cast<std::size_t>(lane())];
  View result = repeated_scratch(view.type, nest);
  repeat_into(result, view, nest);
  return result;
}

void Terms::repeat_into(const View& dst, const View& view, const Extents& nest) {
  auto fill = instruction(isa::Opcode::vfill, dst.type);
  fill.scale = fill.real = 0;
  builder_.emit(fill, nest, dst);
  const isa::Opcode join = dst.type == ElementType::boolean ? isa::Opcode::vor : isa::Opcode::vadd;
  builder_.emit(instruction(join, dst.type, dst.type, dst.type), nest, dst, dst, view);
}

std::optional<Stored> Terms::as_stored(Term given, const std::vector<ir::Expr>& map, const ir::Shape& shape) {
  const Term term = force(std::move(given));
  Stored stored;
  stored.shape = shape;
  stored.meaning = term.meaning;
  stored.place = term.view;
  stored.place.steps.assign(shape.size(), {});
  if (term.meaning.columns) stored.column_steps.assign(shape.size(), 0);
  stored.column_origin = term.column_origin;
  for (std::size_t d = 0; d < map.size(); ++d) {
    const auto affine = ir::as_affine(map[d], static_cast<int>(domain_.size()));
    if (!affine) return {};
    // The axes of this dimension, mixed: their steps must be proportional to their coefficients.
    std::optional<std::pair<Stride, std::int64_t>> unit;
    for (std::size_t n = 0; n < dims_.size(); ++n) {
      const auto axis = static_cast<std::size_t>(dims_[n]);
      const std::int64_t c = affine->coefficients[axis];
      if (c == 0 || domain_[axis].size() <= 1) continue;
      if (!unit || c < unit->second) unit = {term.view.steps[n], c};
    }
    std::int64_t begin = affine->constant;
    for (std::size_t a = 0; a < domain_.size(); ++a) begin += affine->coefficients[a] * domain_[a].begin;
    if (!unit) continue;  // one index: its place is the origin
    if (unit->second != 1) return {};
    for (std::size_t n = 0; n < dims_.size(); ++n) {
      const auto axis = static_cast<std::size_t>(dims_[n]);
      const std::int64_t c = affine->coefficients[axis];
      if (c == 0 || domain_[axis].size() <= 1) continue;
      if (!(term.view.steps[n] == unit->first * c)) return {};
      if (term.meaning.columns && c == 1) stored.column_steps[d] = term.column_steps[n];
    }
    stored.place.steps[d] = unit->first;
    stored.place.origin = stored.place.origin + unit->first * -begin;
    if (term.meaning.columns) stored.column_origin -= stored.column_steps[d] * begin;
  }
  return stored;
}

}  // namespace pimento::pim
