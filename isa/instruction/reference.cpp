// The reference of the instruction set, printed from the table: no sentence of it is typed twice.
#include <fmt/format.h>

#include <algorithm>

#include "isa/instruction/form.hpp"
#include "isa/instruction/text.hpp"
#include "isa/support/document.hpp"

namespace pimento::isa {
namespace {
std::string operand_syntax(Operand o, const OperandSpec& spec) {
  if (spec.space == Space::address_register) return fmt::format("A[{}]", o == Operand::d ? "d" : to_string(o));
  if (spec.space == Space::scalar_register) return fmt::format("R[{}]", o == Operand::d ? "d" : to_string(o));
  std::string text = fmt::format("[{}]", to_string(o));
  if (spec.typed) text += ":type";
  if (has_stride(spec.extent)) text += " stride n";
  return text;
}

std::string syntax(const Row& each) {
  const FormSpec& spec = form_spec(each.opcode);
  std::vector<std::string> parts;
  if (each.form == Form::loop) parts.emplace_back("n or A[a]");
  for (const Operand o : all_operands)
    if (spec[o].space != Space::none) parts.push_back(operand_syntax(o, spec[o]));
  if (each.form == Form::addr) parts.insert(parts.end(), {"base n", "strides n n n n", "ring start size"});
  if (spec.shaped) parts.emplace_back("xcount len n");
  for (const FieldSpec& field : spec.used_fields()) parts.push_back(fmt::format("{} n", field.keyword));
  for (const auto& [bit, word] : flag_words)
    if (spec.flags & bit) parts.emplace_back(word);
  return fmt::format("{}{}{}", each.name, parts.empty() ? "" : " ", fmt::join(parts, ", "));
}

/// Without the extremes of the fuzzer: small numbers that read well.
Instruction example(const Row& each) {
  Instruction i = samples(each).front();
  const FormSpec& spec = form_spec(each.opcode);
  if (each.form == Form::addr) return make_addr(3, {4096, {448, 64, 0, 0}, 4096, 1792});
  const auto small = [](Instruction& of, Operand o, std::int32_t address, std::int32_t stride) {
    (o == Operand::d ? of.dst : o == Operand::a ? of.a : of.b) = address;
    (o == Operand::d ? of.stride_d : o == Operand::a ? of.stride_a : of.stride_b) = stride;
  };
  for (const Operand o : all_operands) {
    const auto index = static_cast<std::int32_t>(o);
    const bool memory = spec[o].space == Space::local || spec[o].space == Space::global;
    std::uint8_t& reg = o == Operand::d ? i.reg_d : o == Operand::a ? i.reg_a : i.reg_b;
    if (memory) small(i, o, 1024 * (index + 1), has_stride(spec[o].extent) ? 256 : 0);
    if (spec[o].space != Space::none)
      reg = memory && o != Operand::a ? no_register : static_cast<std::uint8_t>(index + 1);
  }
  if (spec.shaped) i.count = 3, i.len = 64;
  for (const FieldSpec& field : spec.used_fields()) switch (field.member) {
      case Member::a:
      case Member::b:
        i.a = i.b = 8;
        break;
      case Member::target:
        i.target = 5;
        break;
      case Member::tag:
        i.tag = 7;
        break;
      case Member::imm:
        i.imm = 16;
        break;
      case Member::scale:
        i.scale = 0.125F;
        break;
      case Member::real:
        i.real = 1.0F;
        break;
    }
  if (each.form == Form::loop) i.flags = 0, i.reg_a = no_register, i.count = 14;
  return i;
}
}  // namespace

std::string isa_reference() {
  std::string out =
      "# Instruction set\n\n"
      "Generated from `isa/instruction/table.def`. A record has 64 bytes. `[n]` is an address in bytes, `[n+A3]` adds "
      "an\n"
      "address register; `xC len L` means C segments of L elements (bytes on the transfer unit), each operand's "
      "segments\n"
      "`stride` bytes apart; without `stride` every segment starts at the same place.\n";
  for (const Unit unit : {Unit::control, Unit::scalar, Unit::matrix, Unit::vector, Unit::transfer}) {
    out +=
        fmt::format("\n## {} unit\n\n| code | syntax | meaning | types | example |\n| --- | --- | --- | --- | --- |\n",
                    to_string(unit));
    for (const Row& each : table()) {
      if (each.unit != unit) continue;
      std::string meaning;
      for (const char c : each.meaning) {
        if (c == '|') meaning += '\\';
        meaning += c;
      }
      const FormSpec& spec = form_spec(each.opcode);
      const bool typed =
          std::any_of(spec.operands.begin(), spec.operands.end(), [](const OperandSpec& o) { return o.typed; });
      out += fmt::format("| 0x{:02x} | `{}` | {} | {} | `{}` |\n", static_cast<int>(each.opcode), syntax(each), meaning,
                         !typed                                      ? ""
                         : type_rule(each.opcode).text == "no types" ? "any"
                                                                     : type_rule(each.opcode).text,
                         print(example(each)));
    }
  }
  out += "\n## Reserved codes\n\n| code | why |\n| --- | --- |\n";
#define X(code, name, unit, form, text)
#define RESERVED(code, text) out += fmt::format("| 0x{:02x} | {} |\n", code, text);
#include "isa/instruction/table.def"
#undef X
#undef RESERVED
  return out;
}

DOCUMENT("isa/instruction/ISA.md", isa_reference);

}  // namespace pimento::isa
