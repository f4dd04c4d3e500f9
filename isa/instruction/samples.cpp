#include "isa/instruction/samples.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "isa/instruction/form.hpp"
#include "isa/support/error.hpp"

namespace pimento::isa {

std::uint64_t Random::next() {
  std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}
std::int64_t Random::between(std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(high - low + 1));
}

namespace {
constexpr std::int64_t low32 = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t high32 = std::numeric_limits<std::int32_t>::max();

/// Small numbers, edges and anything else in turn.
std::int32_t any_number(Random& random, std::int64_t low = low32) {
  switch (random.between(0, 3)) {
    case 0:
      return static_cast<std::int32_t>(random.between(std::max<std::int64_t>(low, -9), 9));
    case 1:
      return static_cast<std::int32_t>(random.one_in(2) ? low : high32);
    case 2:
      return static_cast<std::int32_t>(random.between(std::max<std::int64_t>(low, 0), 65536));
    default:
      return static_cast<std::int32_t>(random.between(low, high32));
  }
}
float any_real(Random& random, bool finite) {
  for (;;) {
    const float value = random.one_in(4) ? static_cast<float>(random.between(-3, 3))
                                         : std::bit_cast<float>(static_cast<std::uint32_t>(random.next()));
    if (!finite || std::isfinite(value)) return value;
  }
}
std::uint8_t any_register(Random& random, bool needed) {
  return !needed && random.one_in(2) ? no_register : static_cast<std::uint8_t>(random.between(0, 254));
}

void fill_operand(Instruction& i, Operand o, const OperandSpec& spec, Random& random) {
  if (spec.space == Space::none) return;
  const bool memory = spec.space == Space::local || spec.space == Space::global;
  const std::uint8_t reg = any_register(random, !memory);
  const std::int32_t address = memory ? any_number(random) : 0;
  const std::int32_t stride = has_stride(spec.extent) ? any_number(random) : 0;
  (o == Operand::d ? i.reg_d : o == Operand::a ? i.reg_a : i.reg_b) = reg;
  if (memory) (o == Operand::d ? i.dst : o == Operand::a ? i.a : i.b) = address;
  if (has_stride(spec.extent)) (o == Operand::d ? i.stride_d : o == Operand::a ? i.stride_a : i.stride_b) = stride;
}

void fill_field(Instruction& i, const FieldSpec& field, Random& random) {
  const bool finite = field.keyword == "scale" || field.keyword == "real";
  switch (field.member) {
    case Member::a:
      i.a = static_cast<std::int32_t>(random.between(1, 64));
      break;
    case Member::b:
      i.b = static_cast<std::int32_t>(random.between(1, 64));
      break;
    case Member::target:
      i.target = static_cast<std::uint32_t>(any_number(random, 1));
      break;
    case Member::tag:
      i.tag = static_cast<std::uint32_t>(any_number(random));
      break;
    case Member::imm:
      i.imm = field.keyword == "byte" ? static_cast<std::int32_t>(random.between(-128, 255))
                                      : any_number(random, field.keyword == "bound" ? 1 : low32);
      break;
    case Member::scale:
      i.scale = any_real(random, finite);
      break;
    case Member::real:
      i.real = any_real(random, finite);
      break;
  }
}
}  // namespace

Instruction random_instruction(const Row& each, Random& random) {
  const FormSpec& spec = form_spec(each.opcode);
  Instruction i;
  i.opcode = each.opcode;
  if (each.form == Form::addr) {
    AddressSetup setup{.base = any_number(random)};
    for (std::int32_t& stride : setup.strides) stride = any_number(random);
    if (random.one_in(2)) setup.ring_lo = any_number(random), setup.ring_size = any_number(random, 1);
    return make_addr(any_register(random, true), setup);
  }
  for (const Operand o : all_operands) fill_operand(i, o, spec[o], random);
  const auto& types = legal_types(each.opcode);
  const auto& chosen = types[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(types.size()) - 1))];
  i.type_d = chosen[0], i.type_a = chosen[1], i.type_b = chosen[2];
  if (spec.shaped) i.count = any_number(random, 1), i.len = any_number(random, 1);
  for (const FieldSpec& field : spec.used_fields()) fill_field(i, field, random);
  if (each.form == Form::loop) {
    if (random.one_in(2)) {
      i.flags = flag::loop_register;
      i.reg_a = any_register(random, true);
    } else {
      i.count = any_number(random, 0);
    }
  } else {
    i.flags = static_cast<std::uint8_t>(random.next() & spec.flags);
  }
  if (each.form == Form::clip && !(i.scale <= i.real)) {
    std::swap(i.scale, i.real);
    if (!(i.scale <= i.real)) i.scale = -1.0F, i.real = std::numeric_limits<float>::infinity();
  }
  return i;
}

std::vector<Instruction> samples(const Row& each) {
  // A seed per row, so that adding a row changes no other row's samples.
  Random random(0x70696d00U + static_cast<std::uint64_t>(each.opcode));
  std::vector<Instruction> all;
  for (int n = 0; n < 16; ++n) {
    all.push_back(random_instruction(each, random));
    const std::string fault = check_fields(all.back());
    PIMENTO_CHECK(fault.empty(), "a sample is malformed: " + fault);
  }
  return all;
}

}  // namespace pimento::isa
