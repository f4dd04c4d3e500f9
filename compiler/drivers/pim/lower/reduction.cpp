#include "compiler/drivers/pim/lower/reduction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "compiler/drivers/pim/lower/refusals.hpp"
#include "isa/support/error.hpp"

namespace pimento::pim {
namespace {
using isa::Opcode;

ir::Expr without_casts(ir::Expr e) {
  while (const auto* cast = e.as<ir::Cast>()) {
    if (is_float(cast->to) != is_float(cast->a.type()) || cast->to == ElementType::boolean) break;
    e = cast->a;
  }
  return e;
}
bool narrow(ElementType type) { return !is_float(type) && type != ElementType::boolean && size_of(type) <= 2; }
bool is_extreme(ir::Combiner c) { return c == ir::Combiner::max || c == ir::Combiner::min; }
double lowest_stored(ElementType type) {
  switch (type) {
    case ElementType::u8:
    case ElementType::u16:
    case ElementType::u32:
      return 0;
    case ElementType::i8:
      return -128;
    case ElementType::i16:
      return -32768;
    case ElementType::i32:
      return std::numeric_limits<std::int32_t>::min();
    default:
      return std::numeric_limits<float>::lowest();
  }
}
double highest_stored(ElementType type) {
  switch (type) {
    case ElementType::u8:
      return 255;
    case ElementType::i8:
      return 127;
    case ElementType::u16:
      return 65535;
    case ElementType::i16:
      return 32767;
    case ElementType::i32:
      return std::numeric_limits<std::int32_t>::max();
    case ElementType::u32:
      return std::numeric_limits<std::uint32_t>::max();
    default:
      return std::numeric_limits<float>::max();
  }
}
}  // namespace

Opcode combining_opcode(ir::Combiner combiner) {
  using ir::Combiner;
  switch (combiner) {
    case Combiner::add:
      return Opcode::vadd;
    case Combiner::mul:
      return Opcode::vmul;
    case Combiner::max:
      return Opcode::vmax;
    case Combiner::min:
      return Opcode::vmin;
    case Combiner::logical_and:
      return Opcode::vand;
    case Combiner::logical_or:
      return Opcode::vor;
    case Combiner::merge:
      break;
  }
  throw InternalError("a merge has no combining instruction");
}

Reduction::Reduction(Builder& builder, const Constants& constants, const std::vector<std::optional<Stored>>& operands,
                     std::vector<int> dims, Domain domain, Format work, const ColumnScales* columns, std::string node)
    : builder_(builder),
      constants_(constants),
      operands_(operands),
      dims_(std::move(dims)),
      domain_(std::move(domain)),
      work_(work),
      columns_(columns),
      node_(std::move(node)) {}

Terms Reduction::terms(const std::vector<int>& dims, const Domain& domain) const {
  return {builder_, constants_, operands_, none_, dims, domain, work_, node_};
}

std::vector<int> Reduction::varying_reductions(const Domain& domain) const {
  std::vector<int> result;
  const auto& axes = constants_.kernel().axes;
  for (std::size_t a = 0; a < axes.size(); ++a) {
    if (axes[a].kind == ir::AxisKind::reduction && domain[a].size() > 1) result.push_back(static_cast<int>(a));
  }
  return result;
}

bool Reduction::covers(const Part& part) const {
  return std::all_of(dims_.begin(), dims_.end(), [&](int axis) {
    return part.domain[static_cast<std::size_t>(axis)] == domain_[static_cast<std::size_t>(axis)];
  });
}

View Reduction::accumulator_at(const Domain& domain, const std::vector<int>& dims) const {
  View view = acc_;
  view.steps.assign(dims.size(), {});
  for (std::size_t d = 0; d < dims_.size(); ++d) {
    const auto axis = static_cast<std::size_t>(dims_[d]);
    view.origin = view.origin + acc_.steps[d] * (domain[axis].begin - domain_[axis].begin);
    for (std::size_t n = 0; n < dims.size(); ++n) {
      if (dims[n] == dims_[d]) view.steps[n] = acc_.steps[d];
    }
  }
  return view;
}

Reduction::Body Reduction::general(Format format) {
  Body body;
  body.format = format;
  return body;
}

Reduction::Body Reduction::classify(const ir::Expr& e, ir::Combiner combiner) const {
  Body body;
  body.format = {work_};
  const auto stored = [&](const ir::Load* load) -> const Stored* {
    if (load == nullptr) return nullptr;
    const auto& operand = operands_[static_cast<std::size_t>(load->operand)];
    return operand && !operand->meaning.columns && !operand->meaning.relu ? &*operand : nullptr;
  };
  const ir::Expr inner = without_casts(e);
  const auto* load = inner.as<ir::Load>();
  if (const Stored* s = stored(load); s != nullptr && combiner != ir::Combiner::mul) {
    const ElementType type = s->place.type;
    body.kind = Body::Kind::element;
    body.a = load;
    body.factor = s->meaning.factor;
    const bool sums = combiner == ir::Combiner::add && narrow(type);
    body.format = {sums ? ElementType::i32 : type, s->meaning.scale};
    if (type != ElementType::boolean || combiner == ir::Combiner::logical_and || combiner == ir::Combiner::logical_or) {
      if (is_extreme(combiner) && s->meaning.scale < 0) return general(work_);
      return body;
    }
    return general(work_);
  }
  const auto* product = inner.as<ir::Binary>();
  if (combiner != ir::Combiner::add || product == nullptr || product->op != ir::BinaryOp::mul) {
    if (!is_float(e.type()))
      body.format = {e.type() == ElementType::boolean ? ElementType::boolean : ElementType::i32, 1};
    return body;
  }
  const ir::Expr left = without_casts(product->a), right = without_casts(product->b);
  const Stored* a = stored(left.as<ir::Load>());
  const Stored* b = stored(right.as<ir::Load>());
  const auto known = [&](const ir::Expr& x) { return constants_.known(x); };
  if (a != nullptr && b != nullptr) {
    const bool integers = narrow(a->place.type) && narrow(b->place.type);
    const bool floats = a->place.type == ElementType::f32 && b->place.type == ElementType::f32;
    if (integers || floats) {
      body.kind = Body::Kind::product;
      body.a = left.as<ir::Load>(), body.b = right.as<ir::Load>();
      body.format = {integers ? ElementType::i32 : ElementType::f32, a->meaning.scale * b->meaning.scale};
      body.factor = a->meaning.factor * b->meaning.factor;
      return body;
    }
  }
  const bool first = a != nullptr && known(right), second = b != nullptr && known(left);
  if (columns_ != nullptr && (first || second)) {
    const Stored& data = first ? *a : *b;
    if (narrow(data.place.type)) {
      body.kind = Body::Kind::weighted;
      body.a = (first ? left : right).as<ir::Load>();
      body.weight = first ? right : left;
      body.format = {ElementType::i32, data.meaning.scale};
      body.factor = data.meaning.factor;
      body.columns = true;
      return body;
    }
  }
  if (!is_float(e.type())) body.format = {ElementType::i32, 1};
  return body;
}

/// The points to take in: all reduction points at once where nothing is cut, else one by one.
std::vector<Reduction::Part> Reduction::parts(const ir::Accumulator& a, bool& nested) const {
  std::vector<Part> all;
  const auto visit = [&](const ir::Expr& e, const Domain& d) { all.push_back({e, d}); };
  nested = true;
  if (const auto e = where_uniform(constants_, a.body, a.guard, domain_)) return {{*e, domain_}};
  nested = false;
  const std::vector<int> axes = varying_reductions(domain_);
  Domain point = domain_;
  std::vector<std::int64_t> at(axes.size(), 0);
  const auto& kernel_axes = constants_.kernel().axes;
  while (true) {
    for (std::size_t i = 0; i < axes.size(); ++i) point[static_cast<std::size_t>(axes[i])] = {at[i], at[i] + 1};
    for_uniform(constants_, a.body, a.guard, point, visit);
    std::size_t level = axes.size();
    for (; level > 0; --level) {
      if (++at[level - 1] < kernel_axes[static_cast<std::size_t>(axes[level - 1])].extent) break;
      at[level - 1] = 0;
    }
    if (level == 0) break;
  }
  // Parts where only the neutral element comes in change nothing.
  const auto neutral = [&](const Part& part) {
    const auto* c = without_casts(part.body).as<ir::Const>();
    if (c == nullptr) {
      const auto* m = without_casts(part.body).as<ir::Binary>();
      if (m == nullptr || m->op != ir::BinaryOp::mul || a.combiner != ir::Combiner::add) return false;
      const auto zero = [](const ir::Expr& e) {
        const auto* k = without_casts(e).as<ir::Const>();
        return k != nullptr && k->value.as_double() == 0;
      };
      return zero(m->a) || zero(m->b);
    }
    return c->value.as_double() == ir::identity(a.combiner, c->value.type).as_double();
  };
  std::erase_if(all, neutral);
  return all;
}

Stored Reduction::accumulate(int accumulator) {
  const ir::Accumulator& a = constants_.kernel().accumulators[static_cast<std::size_t>(accumulator)];
  const auto refuse = [&](const std::string& what) { throw NoSequence(builder_.context().chip.name, node_, what); };
  if (a.combiner == ir::Combiner::merge) refuse("a reduction to a tuple has no instruction sequence");
  if (a.guard && !constants_.known(a.guard)) refuse("a guard that depends on data has no instruction sequence");
  Body body = classify(a.body, a.combiner);
  bool nested = false;
  std::vector<Part> all = parts(a, nested);
  if (body.kind != Body::Kind::general) {
    for (Part& part : all) {
      const Body other = classify(part.body, a.combiner);
      if (other.kind != body.kind || other.a == nullptr) {
        body =
            general(is_float(a.type) ? work_ : Format{a.type == ElementType::boolean ? a.type : ElementType::i32, 1});
        break;
      }
    }
  }
  Extents block;
  for (const int axis : dims_)
    block.push_back(static_cast<std::int32_t>(domain_[static_cast<std::size_t>(axis)].size()));
  acc_ = builder_.scratch(body.format.type, block);

  const bool free_order = is_extreme(a.combiner) || !is_float(body.format.type);
  auto first = std::find_if(all.begin(), all.end(), [&](const Part& part) { return covers(part); });
  bool started = false;
  if (nested && all.size() == 1) {
    Body here = body.kind == Body::Kind::general ? body : classify(all[0].body, a.combiner);
    here.format = body.format;
    if (digital_product(all[0], here) || along_lanes(all[0], here, a.combiner)) {
      started = true;
      all.clear();
    } else if (varying_reductions(all[0].domain).empty()) {
      take_in(all[0], here, a.combiner, true);
      started = true;
      all.clear();
    }
  } else if (first != all.end() && (free_order || first == all.begin())) {
    std::rotate(all.begin(), first, first + 1);
    Body here = body.kind == Body::Kind::general ? body : classify(all[0].body, a.combiner);
    here.format = body.format;
    take_in(all[0], here, a.combiner, true);
    started = true;
    all.erase(all.begin());
  }
  if (!started) {
    auto fill = instruction(Opcode::vfill, body.format.type);
    const double neutral = a.combiner == ir::Combiner::max   ? lowest_stored(body.format.type)
                           : a.combiner == ir::Combiner::min ? highest_stored(body.format.type)
                           : a.combiner == ir::Combiner::mul || a.combiner == ir::Combiner::logical_and ? 1
                                                                                                        : 0;
    fill.scale = static_cast<float>(neutral);
    fill.real = is_extreme(a.combiner)
                    ? static_cast<float>(a.combiner == ir::Combiner::max ? lowest_stored(ElementType::f32)
                                                                         : highest_stored(ElementType::f32))
                    : static_cast<float>(neutral);
    builder_.emit(fill, block, acc_);
  }
  for (const Part& part : all) {
    Body here = body.kind == Body::Kind::general ? body : classify(part.body, a.combiner);
    here.format = body.format;
    take_in(part, here, a.combiner, false);
  }
  Stored result = stored_by_axis(acc_, dims_, domain_, body.format.scale);
  result.meaning.factor = body.factor;
  if (body.columns) {
    result.meaning.columns = columns_->scales;
    result.column_steps = columns_->steps;
    result.column_origin = columns_->origin;
  }
  return result;
}

}  // namespace pimento::pim
