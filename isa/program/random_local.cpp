#include "isa/program/random_local.hpp"

#include <algorithm>

namespace pimento::isa {
namespace {
bool is_integer(ElementType t) { return !is_float(t) && t != ElementType::boolean; }

/// Beyond the table's rule: combinations whose values would not be legal for every content of the pools.
bool values_stay_legal(Opcode opcode, const std::array<ElementType, 3>& t) {
  const auto [d, a, b] = t;
  switch (opcode) {
    // a float that was computed may be a NaN, so only constants become integers, and those are f32
    case Opcode::vcvt:
      return d != ElementType::boolean && a != ElementType::boolean &&
             (!is_float(a) || is_float(d) || a == ElementType::f32);
    case Opcode::vrequant:
      return is_integer(a) && is_integer(d);
    case Opcode::vfill:
      return d != ElementType::boolean;
    default:
      return true;
  }
}

bool is_wanted(const Row& each, const Chip& chip, const RandomOptions& options) {
  switch (each.form) {
    case Form::loop:
    case Form::addr:
    case Form::send:
    case Form::multicast:
    case Form::receive:
    case Form::event:
    case Form::write:  // its bytes must be those of a tile
      return false;
    case Form::load:
    case Form::store:
    case Form::gather_global:
    case Form::scatter_global:
      return options.memory;
    case Form::mvm:
    case Form::program:
      return chip.core.crossbars > 0;
    default:
      return each.opcode != Opcode::halt && each.opcode != Opcode::sld;
  }
}

bool chip_knows(const Chip& chip, const FormSpec& spec, Form form, const std::array<ElementType, 3>& types) {
  for (const Operand o : all_operands) {
    if (!spec[o].typed || (o == Operand::b && (form == Form::gather || form == Form::requant))) continue;
    const auto& known = chip.core.vector.types;
    if (std::find(known.begin(), known.end(), types[static_cast<std::size_t>(o)]) == known.end()) return false;
  }
  return true;
}
}  // namespace

LocalInstructions::LocalInstructions(const Chip& chip, const RandomOptions& options, const Pools& pools,
                                     const GlobalPlan& plan)
    : chip_(chip), pools_(pools), plan_(plan) {
  for (const Row& each : table()) {
    if (!is_wanted(each, chip, options)) continue;
    Choice choice{each.opcode, {}};
    const FormSpec& spec = form_spec(each.opcode);
    for (const auto& types : legal_types(each.opcode)) {
      const bool floats = std::any_of(types.begin(), types.end(), is_float) && each.form != Form::requant;
      if (floats && (each.form == Form::mvm ? !chip.numerics.f32 || !options.floats : !options.floats)) continue;
      if (each.form == Form::mvm && floats && types[1] != ElementType::f32) continue;
      const bool checked = each.unit == Unit::vector || each.form == Form::dvm;
      if ((!checked || chip_knows(chip, spec, each.form, types)) && values_stay_legal(each.opcode, types))
        choice.types.push_back(types);
    }
    if (!choice.types.empty()) choices_.push_back(std::move(choice));
  }
}

Pool LocalInstructions::pool_for(const Instruction& i, Operand o) const {
  const OperandSpec& spec = form_spec(i.opcode)[o];
  const Form form = row(i.opcode).form;
  if (!spec.typed) return Pool::ints;
  if (o == Operand::b) {
    if (form == Form::gather || form == Form::gather_global || form == Form::scatter_global) return Pool::indices;
    if (form == Form::requant) return Pool::f32_constants;
    if ((i.opcode == Opcode::vdiv || i.opcode == Opcode::vmod) && is_integer(i.type_b)) return Pool::nonzero;
  }
  if (o == Operand::a && i.opcode == Opcode::vcvt && is_float(i.type_a) && is_integer(i.type_d))
    return Pool::f32_constants;
  return pool_of(type_of(i, o));
}

Drawn LocalInstructions::place(Instruction& i, Operand o, Pool pool, const Wanted& wanted,
                               const std::vector<LiveRegister>& live, Random& random) const {
  const Drawn d = draw(pools_[pool], pool, wanted, live, random);
  if (!d.ok) return d;
  (o == Operand::d ? i.dst : o == Operand::a ? i.a : i.b) = static_cast<std::int32_t>(d.address);
  (o == Operand::d ? i.reg_d : o == Operand::a ? i.reg_a : i.reg_b) = d.reg;
  if (has_stride(form_spec(i.opcode)[o].extent))
    (o == Operand::d ? i.stride_d : o == Operand::a ? i.stride_a : i.stride_b) = static_cast<std::int32_t>(d.stride);
  return d;
}

/// Draws operands until the destination overlaps no source: what one instruction does to itself is then plain, while
/// different instructions overlap at will. Exact in-place use is drawn on purpose.
bool LocalInstructions::place_all(Instruction& i, std::int64_t columns, std::size_t core,
                                  const std::vector<LiveRegister>& live, Random& random) const {
  const FormSpec& spec = form_spec(i.opcode);
  std::array<Drawn, 3> drawn{};
  for (int attempt = 0; attempt < 12; ++attempt) {
    bool fits = true;
    for (const Operand o : all_operands) {
      const View v = view(i, o, columns);
      Drawn& d = drawn[static_cast<std::size_t>(o)];
      d = {};
      if (v.space == Space::none) continue;
      Wanted w{spec[o].typed ? size_of(type_of(i, o)) : 1, v.count, v.bytes, has_stride(spec[o].extent), false};
      if (v.space == Space::local) {
        d = place(i, o, pool_for(i, o), w, live, random);
      } else {
        const Region region = o == Operand::d ? plan_.scratch(core) : plan_.readable();
        d = draw(region, Pool::ints, w, {}, random);
        (o == Operand::d ? i.dst : i.a) = static_cast<std::int32_t>(d.address);
        (o == Operand::d ? i.stride_d : i.stride_a) = static_cast<std::int32_t>(d.stride);
      }
      fits = fits && d.ok;
      if (v.space == Space::global) d = {};  // never the memory of a source
    }
    if (!fits) continue;
    const bool alike = spec[Operand::d].extent == Extent::segments && spec[Operand::a].extent == Extent::segments &&
                       (!spec[Operand::d].typed || i.type_d == i.type_a) &&
                       spec[Operand::d].space == spec[Operand::a].space;
    if (alike && random.one_in(4)) {
      i.a = i.dst, i.reg_a = i.reg_d, i.stride_a = i.stride_d;
      const bool apart = i.count == 1 || i.stride_d == 0 || std::abs(i.stride_d) >= view(i, Operand::d).bytes;
      if (!apart) continue;
      drawn[1] = {};
    }
    const Drawn& d = drawn[0];
    const auto overlaps = [&](const Drawn& s) { return d.ok && s.ok && d.first < s.last && s.first < d.last; };
    if (!overlaps(drawn[1]) && !overlaps(drawn[2])) return true;
  }
  return false;
}

bool LocalInstructions::fill_fields(Instruction& i, const Program& program, std::size_t core, Random& random) const {
  const auto& groups = program.cores[core].groups;
  const auto any_group = [&] {
    return static_cast<std::uint32_t>(random.between(0, static_cast<std::int64_t>(groups.size()) - 1));
  };
  const auto any_r = [&] {
    return static_cast<std::uint8_t>(random.between(0, std::min(7, chip_.core.scalar.address_registers - 1)));
  };
  switch (row(i.opcode).form) {
    case Form::scalar_imm:
      i.reg_d = any_r(), i.imm = static_cast<std::int32_t>(random.next());
      break;
    case Form::scalar_reg:
      i.reg_d = any_r(), i.reg_a = any_r(), i.reg_b = any_r();
      break;
    case Form::scalar_reg_imm:
      i.reg_d = any_r(), i.reg_a = any_r(), i.imm = static_cast<std::int32_t>(random.next());
      break;
    case Form::set_bits:
      i.a = i.b = 8 * static_cast<std::int32_t>(random.between(1, 4));
      break;
    case Form::program: {
      i.target = any_group();
      const Tile& now = program.tiles[groups[i.target].tile];
      i.tag = static_cast<std::uint32_t>(random.between(0, static_cast<std::int64_t>(program.tiles.size()) - 1));
      const Tile& next = program.tiles[i.tag];
      return now.rows == next.rows && now.cols == next.cols && now.type == next.type;
    }
    case Form::mvm: {
      i.target = any_group();
      const Tile& tile = program.tiles[groups[i.target].tile];
      if ((tile.type == ElementType::f32) != is_float(i.type_a)) return false;
      i.count = static_cast<std::int32_t>(random.between(1, 4));
      while (tile.rows % i.count != 0) --i.count;
      i.len = tile.rows / i.count;
      if (random.one_in(3)) i.flags = flag::relu;
      break;
    }
    case Form::fill:
      i.scale = i.real = static_cast<float>(random.between(0, 9));
      break;
    case Form::fill_bytes:
      i.imm = static_cast<std::int32_t>(random.between(-128, 255));
      break;
    case Form::clip:
      i.scale = static_cast<float>(is_signed(i.type_d) ? random.between(-20, 0) : random.between(0, 3));
      i.real = static_cast<float>(random.between(4, 90));
      break;
    case Form::convert:
      if (!is_float(i.type_a) || !is_float(i.type_d)) i.scale = static_cast<float>(random.between(1, 64)) / 32.0F;
      i.real = is_float(i.type_a) && is_float(i.type_d) ? 1.0F : i.scale;
      if (is_integer(i.type_d)) i.imm = static_cast<std::int32_t>(random.between(-8, 8));
      if (random.one_in(4)) i.flags = flag::relu;
      break;
    case Form::requant:
      i.imm = static_cast<std::int32_t>(random.between(-8, 8));
      if (random.one_in(4)) i.flags = flag::relu;
      break;
    case Form::gather:
    case Form::gather_global:
    case Form::scatter_global:
      i.imm = index_bound;
      break;
    default:
      break;
  }
  if ((form_spec(i.opcode).flags & flag::b_scalar) != 0 && random.one_in(4)) i.flags |= flag::b_scalar;
  return true;
}

bool LocalInstructions::fill(Instruction& i, const Program& program, std::size_t core,
                             const std::vector<LiveRegister>& live, Random& random) const {
  if (form_spec(i.opcode).shaped) {
    i.count = static_cast<std::int32_t>(random.one_in(2) ? 1 : random.between(1, 4));
    i.len = static_cast<std::int32_t>(random.between(1, random.one_in(5) ? 40 : 12));
  }
  if (!fill_fields(i, program, core, random)) return false;
  std::int64_t columns = 0;
  if (i.opcode == Opcode::mvm) columns = program.tiles[program.cores[core].groups[i.target].tile].cols;
  return place_all(i, columns, core, live, random);
}

void LocalInstructions::add(std::vector<Instruction>& out, const Program& program, std::size_t core,
                            const std::vector<LiveRegister>& live, Random& random) const {
  const Choice* choice =
      &choices_[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(choices_.size()) - 1))];
  if (random.one_in(6))  // MVMs are rare in the table and frequent in programs
    for (const Choice& each : choices_)
      if (each.opcode == Opcode::mvm) choice = &each;
  Instruction i;
  i.opcode = choice->opcode;
  const auto& types =
      choice->types[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(choice->types.size()) - 1))];
  i.type_d = types[0], i.type_a = types[1], i.type_b = types[2];
  if (fill(i, program, core, live, random)) out.push_back(i);
}

}  // namespace pimento::isa
