// One line of text per instruction: mnemonic, operands, shape, fields, flags. Defaults are left out where the form says
// so.
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <iterator>

#include "isa/instruction/form.hpp"
#include "isa/instruction/text.hpp"

namespace pimento::isa {

void print_real(std::string& out, float value) {
  if (std::isnan(value))
    fmt::format_to(std::back_inserter(out), "nan:0x{:08x}", std::bit_cast<std::uint32_t>(value));
  else
    fmt::format_to(std::back_inserter(out), "{}", value);
}

namespace {
void print_operand(std::string& out, const Instruction& i, Operand o, const OperandSpec& spec) {
  const auto to = std::back_inserter(out);
  const std::uint8_t reg = reg_of(i, o);
  if (spec.space == Space::address_register || spec.space == Space::scalar_register) {
    fmt::format_to(to, "{}{}", spec.space == Space::address_register ? 'A' : 'R', reg);
    return;
  }
  const std::int32_t address = address_of(i, o);
  if (reg == no_register)
    fmt::format_to(to, "[{}]", address);
  else if (address == 0)
    fmt::format_to(to, "[A{}]", reg);
  else
    fmt::format_to(to, "[{}+A{}]", address, reg);
  if (spec.typed) fmt::format_to(to, ":{}", to_string(type_of(i, o)));
  if (has_stride(spec.extent) && stride_of(i, o) != 0) fmt::format_to(to, " stride {}", stride_of(i, o));
}

struct List {
  std::string& out;
  bool first = true;
  void next() {
    out += first ? " " : ", ";
    first = false;
  }
};

void print_field(List& list, const Instruction& i, const FieldSpec& field) {
  const bool real = field.member == Member::scale || field.member == Member::real;
  if (real) {
    const float value = field.member == Member::scale ? i.scale : i.real;
    if (!field.required && std::bit_cast<std::uint32_t>(value) == std::bit_cast<std::uint32_t>(1.0F)) return;
    list.next();
    fmt::format_to(std::back_inserter(list.out), "{} ", field.keyword);
    print_real(list.out, value);
    return;
  }
  std::int64_t value = 0;
  switch (field.member) {
    case Member::a:
      value = i.a;
      break;
    case Member::b:
      value = i.b;
      break;
    case Member::target:
      value = i.target;
      break;
    case Member::tag:
      value = i.tag;
      break;
    default:
      value = i.imm;
      break;
  }
  if (!field.required && value == 0) return;
  list.next();
  fmt::format_to(std::back_inserter(list.out), "{} {}", field.keyword, value);
}

void print_addr(List& list, const Instruction& i) {
  const AddressSetup setup = address_setup(i);
  const auto to = std::back_inserter(list.out);
  list.next();
  fmt::format_to(to, "base {}", setup.base);
  if (setup.strides != decltype(setup.strides){}) {
    list.next();
    fmt::format_to(to, "strides {}", fmt::join(setup.strides, " "));
  }
  if (setup.ring_size != 0) {
    list.next();
    fmt::format_to(to, "ring {} {}", setup.ring_lo, setup.ring_size);
  }
}
}  // namespace

void print_to(std::string& out, const Instruction& i) {
  if (!is_opcode(static_cast<std::uint8_t>(i.opcode)) || static_cast<int>(i.type_d) >= element_type_count ||
      static_cast<int>(i.type_a) >= element_type_count || static_cast<int>(i.type_b) >= element_type_count) {
    const auto bytes = std::bit_cast<std::array<std::uint8_t, sizeof(Instruction)>>(i);
    fmt::format_to(std::back_inserter(out), "invalid 0x{:02x}", fmt::join(bytes, ""));
    return;
  }
  const Row& each = row(i.opcode);
  const FormSpec& spec = form_spec(i.opcode);
  out += each.name;
  List list{out};
  if (each.form == Form::loop) {
    list.next();
    if (i.flags & flag::loop_register)
      fmt::format_to(std::back_inserter(out), "A{}", i.reg_a);
    else
      fmt::format_to(std::back_inserter(out), "{}", i.count);
  }
  for (const Operand o : all_operands)
    if (spec[o].space != Space::none) {
      list.next();
      print_operand(out, i, o, spec[o]);
    }
  if (each.form == Form::addr) print_addr(list, i);
  if (spec.shaped) {
    list.next();
    if (i.count != 1) fmt::format_to(std::back_inserter(out), "x{} ", i.count);
    fmt::format_to(std::back_inserter(out), "len {}", i.len);
  }
  for (const FieldSpec& field : spec.used_fields()) print_field(list, i, field);
  for (const auto& [bit, word] : flag_words)
    if ((i.flags & bit) != 0 && (spec.flags & bit) != 0) {
      list.next();
      out += word;
    }
}

std::string print(const Instruction& i) {
  std::string out;
  print_to(out, i);
  return out;
}

}  // namespace pimento::isa
