// How the points of a reduction become instructions: taken in element by element, along the lanes, or by products.
#include <algorithm>

#include "compiler/drivers/pim/lower/reduction.hpp"
#include "isa/support/error.hpp"

namespace pimento::pim {
namespace {
using isa::Opcode;

/// Temporaries of one reduction stay below this many elements: larger blocks are computed piece by piece.
constexpr std::int64_t largest_block = 16384;
constexpr Stride none{};

std::optional<Opcode> lane_opcode(ir::Combiner combiner, ElementType type) {
  using ir::Combiner;
  if (type == ElementType::boolean) return {};
  switch (combiner) {
    case Combiner::add:
      return Opcode::vrsum;
    case Combiner::mul:
      return Opcode::vrprod;
    case Combiner::max:
      return Opcode::vrmax;
    case Combiner::min:
      return Opcode::vrmin;
    default:
      return {};
  }
}
}  // namespace

View Reduction::weight_view(Terms& terms, const Body& body) {
  std::vector<bool> used(terms.domain().size());
  constants_.mark_axes(body.weight, used);
  for (std::size_t a = 0; a < used.size(); ++a) {
    if (columns_->steps[a] != 0) used[a] = true;
  }
  const bool wide = builder_.context().chip.numerics.weight_bits > 8;
  const auto real_at = [&](const Point& p) { return constants_.at(body.weight, p).as_double(); };
  const auto column_at = [&](const Point& p) {
    std::int64_t column = columns_->origin;
    for (std::size_t a = 0; a < p.size(); ++a) column += columns_->steps[a] * p[a];
    return (*columns_->scales)[static_cast<std::size_t>(column)];
  };
  std::vector<std::int64_t> key = columns_->steps;
  key.push_back(columns_->origin);
  key.push_back(static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(columns_->scales.get())));
  return terms.known_view(used, {wide ? ElementType::i16 : ElementType::i8, 1}, real_at, column_at, {body.weight, key});
}

/// One element of the body at every point of the terms' nest, in the accumulator's scale.
View Reduction::body_view(Terms& terms, const Part& part, const Body& body) {
  if (body.kind == Body::Kind::element) return terms.load(*body.a).view;
  if (body.kind == Body::Kind::general) return terms.plain(terms.evaluate(part.body), body.format, true);
  const View a = terms.load(*body.a).view;
  const View b = body.kind == Body::Kind::product ? terms.load(*body.b).view : weight_view(terms, body);
  View product = builder_.scratch(body.format.type, terms.nest());
  builder_.emit(instruction(Opcode::vmul, body.format.type, a.type, b.type), terms.nest(), product, a, b);
  return product;
}

void Reduction::take_in(const Part& part, const Body& body, ir::Combiner combiner, bool first) {
  const std::vector<int> reductions = varying_reductions(part.domain);
  std::vector<int> dims = reductions;
  dims.insert(dims.end(), dims_.begin(), dims_.end());
  std::int64_t size = 1;
  for (const int axis : dims) size *= part.domain[static_cast<std::size_t>(axis)].size();
  if (body.kind == Body::Kind::general && !reductions.empty() && size > largest_block) {
    const auto axis = static_cast<std::size_t>(reductions.front());
    for (std::int64_t i = part.domain[axis].begin; i < part.domain[axis].end; ++i) {
      Part point = part;
      point.domain[axis] = {i, i + 1};
      take_in(point, body, combiner, false);
    }
    return;
  }
  Terms here = terms(dims, part.domain);
  const View acc = accumulator_at(part.domain, dims);
  const ElementType type = body.format.type;
  if (body.kind == Body::Kind::product || body.kind == Body::Kind::weighted) {
    const View a = here.load(*body.a).view;
    const View b = body.kind == Body::Kind::product ? here.load(*body.b).view : weight_view(here, body);
    const bool swap = !dims.empty() && a.steps.back() == none && b.steps.back() != none;
    const View &x = swap ? b : a, &y = swap ? a : b;
    builder_.emit(instruction(first ? Opcode::vmul : Opcode::vmac, type, x.type, y.type), here.nest(), acc, x, y);
    return;
  }
  const View element = body_view(here, part, body);
  if (first) {
    auto move = instruction(element.type == type ? Opcode::vmov : Opcode::vcvt, type, element.type);
    builder_.emit(move, here.nest(), acc, element);
    return;
  }
  builder_.emit(instruction(combining_opcode(combiner), type, type, element.type), here.nest(), acc, acc, element);
}

bool Reduction::digital_product(const Part& part, const Body& body) {
  if (body.kind != Body::Kind::product || !has_one_reduction(part)) return false;
  const int inner = varying_reductions(part.domain).front();
  std::vector<int> dims = dims_;
  dims.push_back(inner);
  const Terms here = terms(dims, part.domain);
  auto a = here.direct(*body.a), b = here.direct(*body.b);
  if (!a || !b) return false;
  int lane = -1;
  for (std::size_t d = 0; d < dims_.size(); ++d) {
    if (here.nest()[d] > 1) lane = static_cast<int>(d);
  }
  if (lane < 0) return false;
  const auto column = static_cast<std::size_t>(lane), r = dims.size() - 1;
  const auto fits = [&](const View& vector, const View& matrix) {
    return builder_.contiguous(vector, r) && vector.steps[column] == none && builder_.contiguous(matrix, column);
  };
  if (!fits(a->view, b->view)) std::swap(a, b);
  if (!fits(a->view, b->view)) return false;
  PimOp op;
  op.form = instruction(Opcode::dvm, body.format.type, a->view.type, b->view.type);
  op.form.len = here.nest()[r];
  op.form.count = here.nest()[column];
  const Stride row = b->view.steps[r];
  op.b.row_step = row.row, op.b.position_step = row.position, op.b.channel_step = row.channel;
  const auto outer = [&](View view) { return without(std::move(view), column); };
  Extents nest = here.nest();
  nest.pop_back();
  nest.erase(nest.begin() + lane);
  builder_.each(op, nest, outer(acc_), outer(without(a->view, r)), outer(without(b->view, r)));
  return true;
}

bool Reduction::has_one_reduction(const Part& part) const { return varying_reductions(part.domain).size() == 1; }

bool Reduction::along_lanes(const Part& part, const Body& body, ir::Combiner combiner) {
  if (!lane_opcode(combiner, body.format.type)) return false;
  const std::vector<int> reductions = varying_reductions(part.domain);
  std::vector<int> dims = dims_;
  dims.insert(dims.end(), reductions.begin(), reductions.end());
  const Terms here = terms(dims, part.domain);
  int lane = -1;  // the parallel dimension that would be the lanes otherwise
  for (std::size_t d = 0; d < dims_.size(); ++d) {
    if (here.nest()[d] > 1) lane = static_cast<int>(d);
  }
  std::vector<bool> candidate(reductions.size(), false);
  bool blocked = false, streams = false;
  ir::visit(part.body, [&](const ir::Expr& e) {
    const auto* load = e.as<ir::Load>();
    if (load == nullptr || constants_.known(e)) return;
    const auto term = here.direct(*load);
    if (!term) {
      blocked = true;
      return;
    }
    if (lane >= 0 && builder_.contiguous(term->view, static_cast<std::size_t>(lane))) streams = true;
    for (std::size_t i = 0; i < reductions.size(); ++i) {
      const std::size_t d = dims_.size() + i;
      if (builder_.contiguous(term->view, d)) candidate[i] = true;
    }
  });
  if (blocked || streams) return false;
  for (std::size_t i = reductions.size(); i-- > 0;) {
    if (!candidate[i]) continue;
    reduce_lanes(part, body, combiner, reductions[i]);
    return true;
  }
  return false;
}

/// Reduces the lanes first, then what is left of the other reduction axes in the same way.
void Reduction::reduce_lanes(const Part& part, const Body& body, ir::Combiner combiner, int lane) {
  std::vector<int> dims = dims_;
  for (const int axis : varying_reductions(part.domain)) {
    if (axis != lane) dims.push_back(axis);
  }
  const std::size_t others = dims.size() - dims_.size();
  dims.push_back(lane);
  std::int64_t size = 1;
  for (const int axis : dims) size *= part.domain[static_cast<std::size_t>(axis)].size();
  if (size > largest_block) {
    for (const int dim : dims_) {
      const auto axis = static_cast<std::size_t>(dim);
      if (part.domain[axis].size() <= 1) continue;
      // As many points at once as keep the block small.
      const std::int64_t extent = part.domain[axis].size();
      const std::int64_t step = std::max<std::int64_t>(1, largest_block / std::max<std::int64_t>(1, size / extent));
      if (step >= extent) break;
      for (std::int64_t i = part.domain[axis].begin; i < part.domain[axis].end; i += step) {
        Part piece = part;
        piece.domain[axis] = {i, std::min(i + step, part.domain[axis].end)};
        reduce_lanes(piece, body, combiner, lane);
      }
      return;
    }
  }
  Terms here = terms(dims, part.domain);
  View elements = body_view(here, part, body);
  if (!builder_.contiguous(elements, dims.size() - 1)) {
    const View packed = builder_.scratch(elements.type, here.nest());
    builder_.emit(instruction(Opcode::vmov, packed.type, elements.type), here.nest(), packed, elements);
    elements = packed;
  }
  Extents nest = here.nest();
  const ElementType type = body.format.type;
  const Opcode opcode = *lane_opcode(combiner, type);
  for (std::size_t left = others; left > 0; --left) {
    Extents outer(nest.begin(), nest.end() - 1);
    const View partial = builder_.scratch(type, outer);
    builder_.reduce(opcode, nest, partial, elements);
    elements = partial;
    nest = outer;
  }
  builder_.reduce(opcode, nest, accumulator_at(part.domain, dims_), elements);
}

}  // namespace pimento::pim
