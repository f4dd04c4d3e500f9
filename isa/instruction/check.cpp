// check_fields: is one record well-formed by itself? Fields that the form does not use must hold their defaults, so
// that a record has one spelling and one meaning. The common case is a masked comparison of eight words.
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "isa/instruction/form.hpp"

namespace pimento::isa {
namespace {
using Words = std::array<std::uint64_t, 8>;
static_assert(sizeof(Words) == sizeof(Instruction));

Words words(const Instruction& i) { return std::bit_cast<Words>(i); }

template <class T>
void clear(T& field) {
  std::memset(&field, 0, sizeof field);
}

void use_operand(Instruction& mask, const OperandSpec& spec, Operand o) {
  if (spec.space == Space::none) return;
  const bool memory = spec.space == Space::local || spec.space == Space::global;
  const bool stride = has_stride(spec.extent);
  switch (o) {
    case Operand::d:
      clear(mask.reg_d);
      if (memory) clear(mask.dst);
      if (spec.typed) clear(mask.type_d);
      if (stride) clear(mask.stride_d);
      break;
    case Operand::a:
      clear(mask.reg_a);
      if (memory) clear(mask.a);
      if (spec.typed) clear(mask.type_a);
      if (stride) clear(mask.stride_a);
      break;
    case Operand::b:
      clear(mask.reg_b);
      if (memory) clear(mask.b);
      if (spec.typed) clear(mask.type_b);
      if (stride) clear(mask.stride_b);
      break;
  }
}

/// All ones where the form leaves a field unused.
Words unused_mask(const Row& each) {
  Instruction mask;
  std::memset(static_cast<void*>(&mask), 0xff, sizeof mask);
  const FormSpec& spec = form_spec(each.opcode);
  clear(mask.opcode);
  clear(mask.flags);
  for (const Operand o : all_operands) use_operand(mask, spec[o], o);
  if (spec.shaped) clear(mask.count), clear(mask.len);
  for (const FieldSpec& field : spec.used_fields()) switch (field.member) {
      case Member::a:
        clear(mask.a);
        break;
      case Member::b:
        clear(mask.b);
        break;
      case Member::target:
        clear(mask.target);
        break;
      case Member::tag:
        clear(mask.tag);
        break;
      case Member::imm:
        clear(mask.imm);
        break;
      case Member::scale:
        clear(mask.scale);
        break;
      case Member::real:
        clear(mask.real);
        break;
    }
  if (each.form == Form::loop) clear(mask.count), clear(mask.reg_a);
  if (each.form == Form::addr)
    clear(mask.dst), clear(mask.a), clear(mask.b), clear(mask.stride_d), clear(mask.stride_a), clear(mask.stride_b),
        clear(mask.len);
  return words(mask);
}

struct Masks {
  std::array<Words, 256> unused{};
  Words defaults = words(Instruction{});
  Masks() {
    for (const Row& each : table()) unused[static_cast<std::size_t>(each.opcode)] = unused_mask(each);
  }
};
const Masks& masks() {
  static const Masks all;
  return all;
}

std::string first_unused(const Instruction& i, const Words& mask, std::string_view name) {
  Instruction m = std::bit_cast<Instruction>(mask);
  const Instruction none;
  std::string found;
  const auto look = [&](std::string_view field, const auto& used, const auto& value, const auto& standard) {
    unsigned char set = 0;
    std::memcpy(&set, &used, 1);
    // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): a default is one pattern of bits
    if (set != 0 && std::memcmp(&value, &standard, sizeof value) != 0 && found.empty())
      found = fmt::format("{}: field '{}' is not used here and must keep its default", name, field);
  };
#define LOOK(field) look(#field, m.field, i.field, none.field)
  LOOK(type_d), LOOK(type_a), LOOK(type_b), LOOK(reg_d), LOOK(reg_a), LOOK(reg_b), LOOK(dst), LOOK(a), LOOK(b);
  LOOK(stride_d), LOOK(stride_a), LOOK(stride_b), LOOK(count), LOOK(len), LOOK(target), LOOK(tag), LOOK(imm);
  LOOK(scale), LOOK(real), LOOK(reserved);
#undef LOOK
  return found;
}

std::string types_text(const Instruction& i, const FormSpec& spec) {
  std::string text;
  for (const Operand o : all_operands)
    if (spec[o].typed) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", to_string(o), to_string(type_of(i, o)));
  return text;
}

std::string control_fault(const Instruction& i, Form form) {
  if (form == Form::loop) {
    const bool from_register = (i.flags & flag::loop_register) != 0;
    if (from_register && i.reg_a == no_register) return "loop: the count comes from a register, none is given";
    if (!from_register && i.reg_a != no_register) return "loop: a register is given beside a constant count";
    if (from_register && i.count != 1) return "loop: a constant count is given beside a register";
    if (i.count < 0) return fmt::format("loop: expected a count of at least 0, got {}", i.count);
    if (i.target == 0) return "loop: expected a body of at least 1 instruction, got 0";
  }
  if (form == Form::addr) {
    const bool ring = (i.flags & flag::ring) != 0;
    if (ring && i.len <= 0) return fmt::format("addr: expected a ring of at least 1 byte, got {}", i.len);
    if (!ring && (i.len != 0 || i.stride_b != 0)) return "addr: a ring is given without its flag";
  }
  return {};
}
}  // namespace

std::string check_fields(const Instruction& i) {
  const auto code = static_cast<std::uint8_t>(i.opcode);
  if (!is_opcode(code)) return fmt::format("no instruction has the code 0x{:02x}", code);
  const Row& each = row(i.opcode);
  const FormSpec& spec = form_spec(i.opcode);
  const Words mine = words(i);
  const Masks& all = masks();
  const Words& mask = all.unused[code];
  std::uint64_t difference = 0;
  for (std::size_t k = 0; k < mine.size(); ++k) difference |= (mine[k] ^ all.defaults[k]) & mask[k];
  if (difference != 0) return first_unused(i, mask, each.name);
  if ((i.flags & ~spec.flags) != 0)
    return fmt::format("{}: flags 0x{:x} are set, this instruction knows 0x{:x}", each.name, i.flags, spec.flags);
  for (const ElementType t : {i.type_d, i.type_a, i.type_b})
    if (static_cast<int>(t) >= element_type_count)
      return fmt::format("{}: no element type has the code {}", each.name, static_cast<int>(t));
  for (const Operand o : all_operands) {
    const bool needed = spec[o].space == Space::address_register || spec[o].space == Space::scalar_register;
    if (needed && reg_of(i, o) == no_register)
      return fmt::format("{}: register {} is missing", each.name, to_string(o));
  }
  if (!type_rule(i.opcode).holds(i.type_d, i.type_a, i.type_b))
    return fmt::format("{}: got types {}; expected: {}", each.name, types_text(i, spec), type_rule(i.opcode).text);
  if (spec.shaped) {
    if (i.count < 1) return fmt::format("{}: expected a count of at least 1, got {}", each.name, i.count);
    if (i.len < 1) return fmt::format("{}: expected a length of at least 1, got {}", each.name, i.len);
  }
  switch (each.form) {
    case Form::loop:
    case Form::addr:
      return control_fault(i, each.form);
    case Form::set_bits:
      for (const std::int32_t bits : {i.a, i.b})
        if (bits < 1 || bits > 64) return fmt::format("setbw: expected 1 to 64 bits, got {}", bits);
      break;
    case Form::gather:
    case Form::gather_global:
    case Form::scatter_global:
      if (i.imm < 1) return fmt::format("{}: expected a bound of at least 1, got {}", each.name, i.imm);
      break;
    case Form::convert:
    case Form::requant:
      if (!std::isfinite(i.scale) || !std::isfinite(i.real))
        return fmt::format("{}: expected finite multipliers, got scale {} and real {}", each.name, i.scale, i.real);
      break;
    case Form::fill_bytes:
      if (i.imm < -128 || i.imm > 255) return fmt::format("fill: expected a byte, -128 to 255, got {}", i.imm);
      break;
    case Form::clip:
      if (!(i.scale <= i.real)) return fmt::format("vclip: expected low <= high, got {} and {}", i.scale, i.real);
      break;
    default:
      break;
  }
  return {};
}

}  // namespace pimento::isa
