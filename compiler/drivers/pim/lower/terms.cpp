#include "compiler/drivers/pim/lower/terms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "compiler/drivers/pim/lower/refusals.hpp"
#include "isa/support/error.hpp"
#include "isa/support/math.hpp"

namespace pimento::pim {
namespace {
template <class T>
void append(std::vector<std::uint8_t>& bytes, T value) {
  const std::size_t at = bytes.size();
  bytes.resize(at + sizeof(T));
  std::memcpy(bytes.data() + at, &value, sizeof(T));
}
template <class T>
void append_rounded(std::vector<std::uint8_t>& bytes, double value) {
  const double low = static_cast<double>(std::numeric_limits<T>::lowest());
  const double high = static_cast<double>(std::numeric_limits<T>::max());
  append<T>(bytes, static_cast<T>(std::clamp(math::round_half_even(value), low, high)));
}
void append_element(std::vector<std::uint8_t>& bytes, ElementType type, double value) {
  switch (type) {
    case ElementType::u8:
      return append_rounded<std::uint8_t>(bytes, value);
    case ElementType::i8:
      return append_rounded<std::int8_t>(bytes, value);
    case ElementType::u16:
      return append_rounded<std::uint16_t>(bytes, value);
    case ElementType::i16:
      return append_rounded<std::int16_t>(bytes, value);
    case ElementType::u32:
      return append_rounded<std::uint32_t>(bytes, value);
    case ElementType::i32:
      return append_rounded<std::int32_t>(bytes, value);
    case ElementType::boolean:
      return append<std::uint8_t>(bytes, value != 0);
    case ElementType::f32:
      return append<float>(bytes, static_cast<float>(value));
    default:
      throw InternalError(fmt::format("constants of type {} in local memory", to_string(type)));
  }
}
}  // namespace

Terms::Terms(Builder& builder, const Constants& constants, const std::vector<std::optional<Stored>>& operands,
             const std::vector<std::optional<Stored>>& accumulators, std::vector<int> dims, Domain domain, Format work,
             std::string node)
    : builder_(builder),
      constants_(constants),
      operands_(operands),
      accumulators_(accumulators),
      dims_(std::move(dims)),
      domain_(std::move(domain)),
      work_(work),
      node_(std::move(node)) {
  for (const int axis : dims_) {
    nest_.push_back(static_cast<std::int32_t>(domain_[static_cast<std::size_t>(axis)].size()));
  }
}

void Terms::refuse(const std::string& what) const { throw NoSequence(builder_.context().chip.name, node_, what); }
void Terms::require_f32(std::string_view what) const {
  if (work_.type != ElementType::f32)
    refuse(fmt::format("{} needs f32 on the vector unit, which the chip lacks", what));
}
Format Terms::work(ElementType ir_type) const {
  if (is_float(ir_type)) return work_;
  return {ir_type == ElementType::boolean ? ElementType::boolean : ElementType::i32, 1};
}

View Terms::known_view(const std::vector<bool>& used_axes, Format format,
                       const std::function<double(const Point&)>& value,
                       const std::function<double(const Point&)>& unit, const Source& source) {
  std::vector<bool> used;
  for (const int axis : dims_) used.push_back(used_axes[static_cast<std::size_t>(axis)]);
  std::vector<std::int64_t> key = source.more;
  key.push_back(static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(source.of.identity())));
  key.push_back(static_cast<std::int64_t>(format.type));
  key.push_back(std::bit_cast<std::int64_t>(format.scale));
  for (const int axis : dims_) key.push_back(axis);
  for (std::size_t a = 0; a < domain_.size(); ++a) {
    if (used_axes[a]) key.insert(key.end(), {static_cast<std::int64_t>(a), domain_[a].begin, domain_[a].end});
  }
  ConstantPool& pool = builder_.context().pool;
  if (const std::int32_t kept = pool.made(key); kept >= 0) return builder_.constant(kept, nest_, used);

  Point point(domain_.size());
  for (std::size_t a = 0; a < domain_.size(); ++a) point[a] = domain_[a].begin;
  ConstantData data;
  data.type = format.type;
  const bool exact = builder_.context().plan.numerics == Numerics::exact;
  while (true) {
    const double real = value(point);
    append_element(data.bytes, format.type, real / (unit ? format.scale * unit(point) : format.scale));
    if (exact) data.real.push_back(static_cast<float>(real));
    std::size_t level = dims_.size();
    for (; level > 0; --level) {
      const auto axis = static_cast<std::size_t>(dims_[level - 1]);
      if (!used[level - 1]) continue;
      if (++point[axis] < domain_[axis].end) break;
      point[axis] = domain_[axis].begin;
    }
    if (level == 0) break;
  }
  const std::int32_t index = pool.add(std::move(data));
  pool.keep(std::move(key), index, source.of);
  return builder_.constant(index, nest_, used);
}

std::vector<std::int64_t> Terms::column_key(const Term& term) const {
  std::vector<std::int64_t> key = term.column_steps;
  key.push_back(term.column_origin);
  key.push_back(static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(term.meaning.columns.get())));
  return key;
}

View Terms::known_view(const ir::Expr& e, Format format, bool whole) {
  std::vector<bool> used(domain_.size());
  constants_.mark_axes(e, used);
  for (std::size_t d = dims_.size(); whole && d-- > 0;) {
    if (nest_[d] == 1) continue;
    used[static_cast<std::size_t>(dims_[d])] = true;
    break;
  }
  return known_view(used, format, [&](const Point& p) { return constants_.at(e, p).as_double(); }, {}, {e, {}});
}

Term Terms::of_stored(const Stored& stored, View view) const {
  Term term;
  term.view = std::move(view);
  term.meaning = stored.meaning;
  return term;
}

std::vector<ir::Expr> Terms::logical_indices(const ir::Load& load, const Stored& stored) const {
  const auto& own = constants_.kernel().operands[static_cast<std::size_t>(load.operand)].type.shape;
  std::vector<ir::Expr> indices = load.indices;
  for (std::size_t d = 0; d < indices.size(); ++d) {
    if (!constants_.known(indices[d])) refuse("an index that depends on data has no instruction sequence here");
    if (load.rule != ir::OutOfRange::clamp) continue;
    const ir::Range reach = ir::interval(indices[d], domain_);
    if (reach.begin < 0 || reach.end > own[d])
      indices[d] = ir::max(ir::min(indices[d], ir::index(own[d] - 1)), ir::index(0));
  }
  return indices_in(indices, own, stored.shape);
}

std::optional<Term> Terms::direct(const ir::Load& load) const {
  const auto& stored = operands_[static_cast<std::size_t>(load.operand)];
  if (!stored ||
      std::any_of(load.indices.begin(), load.indices.end(), [&](const ir::Expr& e) { return !constants_.known(e); }))
    return {};
  const auto indices = logical_indices(load, *stored);
  const auto view = affine_view(indices, *stored, dims_, domain_);
  if (!view) return {};
  Term term = of_stored(*stored, *view);
  if (!stored->meaning.columns) return term;
  // The column's index is one more affine coordinate.
  Stored columns = *stored;
  columns.place.origin = {0, 0, static_cast<std::int32_t>(stored->column_origin)};
  for (std::size_t d = 0; d < columns.place.steps.size(); ++d) {
    columns.place.steps[d] = {0, 0, static_cast<std::int32_t>(stored->column_steps[d])};
  }
  const auto walk = affine_view(indices, columns, dims_, domain_);
  term.column_origin = walk->origin.channel;
  for (const Stride step : walk->steps) term.column_steps.push_back(step.channel);
  return term;
}

Term Terms::by_axis(const Stored& stored) const {
  Term term = of_stored(stored, view_by_axis(stored, dims_, domain_));
  if (!stored.meaning.columns) return term;
  term.column_origin = stored.column_origin;
  for (std::size_t a = 0; a < domain_.size(); ++a) term.column_origin += stored.column_steps[a] * domain_[a].begin;
  for (const int axis : dims_) term.column_steps.push_back(stored.column_steps[static_cast<std::size_t>(axis)]);
  return term;
}

Term Terms::load(const ir::Load& load) {
  if (!std::all_of(load.indices.begin(), load.indices.end(), [&](const ir::Expr& e) { return constants_.known(e); })) {
    return gather(load);
  }
  if (auto term = direct(load)) return *term;
  const auto& stored = operands_[static_cast<std::size_t>(load.operand)];
  PIMENTO_CHECK(stored.has_value(), "operand without a place");
  if (stored->meaning.columns) refuse("a permutation of accumulators has no instruction sequence");
  const View gathered = builder_.scratch(stored->place.type, nest_);
  for (const CopyPiece& piece :
       copy_pieces(constants_, logical_indices(load, *stored), *stored, gathered, dims_, domain_)) {
    builder_.emit(instruction(isa::Opcode::vmov, gathered.type, gathered.type), piece.extents, piece.to, piece.from);
  }
  return of_stored(*stored, gathered);
}

Term Terms::evaluate(const ir::Expr& e) {
  if (constants_.known(e)) return {.known = e, .view = {}, .meaning = {}, .column_steps = {}, .deferred = {}};
  if (const auto found = memo_.find(e.identity()); found != memo_.end()) return found->second.second;
  Term term;
  if (const auto* x = e.as<ir::Load>()) {
    term = load(*x);
  } else if (const auto* sum = e.as<ir::Accumulated>()) {
    const auto& stored = accumulators_[static_cast<std::size_t>(sum->accumulator)];
    PIMENTO_CHECK(stored.has_value(), "accumulator without a place");
    term = by_axis(*stored);
  } else if (const auto* state = e.as<ir::Carried>()) {
    PIMENTO_CHECK(states_ != nullptr, "carried state without a place");
    term = by_axis(*(*states_)[static_cast<std::size_t>(state->state)]);
  } else if (const auto* one = e.as<ir::Unary>()) {
    term = unary(*one);
  } else if (const auto* two = e.as<ir::Binary>()) {
    term = binary(*two);
  } else if (const auto* choice = e.as<ir::Select>()) {
    term = select(*choice);
  } else if (const auto* conversion = e.as<ir::Cast>()) {
    term = cast(*conversion);
  } else {
    refuse("an expression of this kind has no instruction sequence");
  }
  memo_[e.identity()] = {e, term};
  return term;
}

Term Terms::defer(isa::Instruction form, View a, View b, double scale) {
  Term term;
  term.meaning.scale = scale;
  term.deferred = std::make_shared<Term::Deferred>(Term::Deferred{form, std::move(a), std::move(b), {}});
  return term;
}

Term Terms::force(Term term) {
  if (!term.deferred) return term;
  auto& deferred = *term.deferred;
  if (!deferred.result) {
    const Extents nest = without_repeats(deferred.a, deferred.b);
    deferred.result = repeated_scratch(deferred.form.type_d, nest);
    builder_.emit(deferred.form, nest, deferred.result, deferred.a, deferred.b);
  }
  term.view = deferred.result;
  term.deferred.reset();
  return term;
}

View Terms::plain(const Term& given, Format format, bool whole) {
  if (given.known) return known_view(given.known, format, whole);
  const Term term = force(given);
  View view = term.view;
  if (!(term.format() == format && term.meaning.plain())) {
    const Extents nest = without_repeats(term.view, {});
    view = repeated_scratch(format.type, nest);
    convert(term, view, format, nest);
  }
  return whole && repeats_on_lane(view) ? spread(view) : view;
}

void Terms::store_known(const Term& given, const View& dst, Format format, const Extents& nest) {
  if (!is_uniform(given)) {
    const View constant = known_view(given.known, format, true);
    return builder_.emit(instruction(isa::Opcode::vmov, dst.type, dst.type), nest, dst, constant);
  }
  auto fill = instruction(isa::Opcode::vfill, dst.type);
  const double real = uniform_value(given);
  fill.scale = static_cast<float>(real / format.scale);
  fill.real = static_cast<float>(real);
  if (!is_float(format.type)) fill.scale = static_cast<float>(math::round_half_even(real / format.scale));
  builder_.emit(fill, nest, dst);
}

void Terms::store(const Term& given, const View& dst, Format format) {
  if (given.known) return store_known(given, dst, format, nest_);
  const View& moving = given.deferred ? given.deferred->a : given.view;
  const bool once =
      repeats_on_lane(moving) && (!given.deferred || !given.deferred->b || repeats_on_lane(given.deferred->b));
  if (once && !repeats_on_lane(dst)) return repeat_into(dst, plain(given, format), nest_);
  if (given.deferred && !given.deferred->result && given.format() == format && given.meaning.plain()) {
    return builder_.emit(given.deferred->form, nest_, dst, given.deferred->a, given.deferred->b);
  }
  convert(force(given), dst, format, nest_);
}

void Terms::convert(const Term& term, const View& dst, Format format, const Extents& nest) {
  using isa::Opcode;
  const Meaning& meaning = term.meaning;
  const std::uint8_t relu = meaning.relu ? isa::flag::relu : std::uint8_t{0};
  if (meaning.columns) {
    auto requant = instruction(Opcode::vrequant, dst.type, term.type(), ElementType::f32);
    requant.flags = relu;
    requant.real = static_cast<float>(meaning.factor);
    std::vector<bool> used(domain_.size());
    std::vector<std::int64_t> step_of(domain_.size());
    for (std::size_t d = 0; d < dims_.size(); ++d) {
      const auto axis = static_cast<std::size_t>(dims_[d]);
      used[axis] = term.column_steps[d] != 0;
      step_of[axis] = term.column_steps[d];
    }
    std::vector<std::int64_t> key = column_key(term);
    key.push_back(std::bit_cast<std::int64_t>(meaning.scale));
    key.push_back(std::bit_cast<std::int64_t>(format.scale));
    const auto scale_at = [&](const Point& p) {
      std::int64_t column = term.column_origin;
      for (std::size_t a = 0; a < p.size(); ++a) column += step_of[a] * (p[a] - domain_[a].begin);
      return meaning.scale * (*meaning.columns)[static_cast<std::size_t>(column)] / format.scale;
    };
    const View scales = known_view(used, {ElementType::f32, 1}, scale_at, {}, {{}, key});
    return builder_.emit(requant, nest, dst, term.view, scales);
  }
  if (term.format() == format && meaning.factor == 1) {
    return builder_.emit(instruction(relu ? Opcode::vrelu : Opcode::vmov, dst.type, term.type()), nest, dst, term.view);
  }
  auto convert = instruction(Opcode::vcvt, dst.type, term.type());
  convert.flags = relu;
  convert.scale = static_cast<float>(meaning.scale / format.scale);
  convert.real = static_cast<float>(meaning.factor);
  builder_.emit(convert, nest, dst, term.view);
}

void Terms::store(const ir::Expr& e, const View& dst, Format format) {
  // A pure movement goes piece by piece to its destination.
  const auto* load = e.as<ir::Load>();
  if (load != nullptr && !constants_.known(e) && !direct(*load) &&
      std::all_of(load->indices.begin(), load->indices.end(), [&](const ir::Expr& i) { return constants_.known(i); })) {
    const Stored& from = *operands_[static_cast<std::size_t>(load->operand)];
    if (!from.meaning.columns) {
      for (const CopyPiece& piece : copy_pieces(constants_, logical_indices(*load, from), from, dst, dims_, domain_)) {
        Terms part(builder_, constants_, operands_, accumulators_, {}, domain_, work_, node_);
        part.nest_ = piece.extents;
        part.store(of_stored(from, piece.from), piece.to, format);
      }
      return;
    }
  }
  store(evaluate(e), dst, format);
}

bool Terms::is_uniform(const Term& term) const {
  if (!term.known) return false;
  std::vector<bool> used(domain_.size());
  constants_.mark_axes(term.known, used);
  for (const int axis : dims_) {
    if (used[static_cast<std::size_t>(axis)] && domain_[static_cast<std::size_t>(axis)].size() > 1) return false;
  }
  return true;
}
double Terms::uniform_value(const Term& term) const {
  Point point;
  for (const ir::Range& range : domain_) point.push_back(range.begin);
  return constants_.at(term.known, point).as_double();
}

}  // namespace pimento::pim
