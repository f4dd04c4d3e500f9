#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "isa/instruction/form.hpp"
#include "isa/instruction/text.hpp"

namespace pimento::isa {
namespace {
constexpr std::int64_t low32 = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t high32 = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t unsigned32 = std::numeric_limits<std::uint32_t>::max();

std::int32_t signed_number(Scanner& s, std::string_view what) {
  return static_cast<std::int32_t>(s.integer(low32, high32, what));
}

const Row& mnemonic(Scanner& s) {
  const std::string name(s.word());
  for (const Row& each : table())
    if (each.name == name) return each;
  if (name.empty()) s.fail("expected an instruction");
  std::vector<std::string> names;
  for (const Row& each : table()) names.emplace_back(each.name);
  const std::string near = nearest(name, names);
  s.fail_at_word(fmt::format("unknown instruction '{}'{}", name, near.empty() ? "" : "; nearest: '" + near + "'"));
}

/// "A3" or "R3".
std::uint8_t register_number(Scanner& s, char letter) {
  if (s.peek_word().empty() || s.peek_word().front() != letter)
    s.fail(fmt::format("expected a register {}0 .. {}254", letter, letter));
  s.accept(letter);
  return static_cast<std::uint8_t>(s.integer(0, 254, fmt::format("register {}", letter)));
}

void parse_operand(Scanner& s, Instruction& i, Operand o, const OperandSpec& spec) {
  std::uint8_t& reg = o == Operand::d ? i.reg_d : o == Operand::a ? i.reg_a : i.reg_b;
  if (spec.space == Space::address_register || spec.space == Space::scalar_register) {
    reg = register_number(s, spec.space == Space::address_register ? 'A' : 'R');
    return;
  }
  std::int32_t& address = o == Operand::d ? i.dst : o == Operand::a ? i.a : i.b;
  s.expect('[');
  if (s.peek_word().starts_with('A')) {
    reg = register_number(s, 'A');
  } else {
    address = signed_number(s, "address");
    if (s.accept('+')) reg = register_number(s, 'A');
  }
  s.expect(']');
  if (spec.typed) {
    s.expect(':');
    const std::string name(s.word());
    const auto type = parse_element_type(name);
    if (!type)
      s.fail_at_word(
          fmt::format("unknown element type '{}'; known: u8, i8, u16, i16, u32, i32, i64, bool, f16, bf16, f32", name));
    (o == Operand::d ? i.type_d : o == Operand::a ? i.type_a : i.type_b) = *type;
  }
  if (has_stride(spec.extent) && s.peek_word() == "stride") {
    s.word();
    (o == Operand::d ? i.stride_d : o == Operand::a ? i.stride_a : i.stride_b) = signed_number(s, "stride");
  }
}

void parse_field(Scanner& s, Instruction& i, const FieldSpec& field) {
  switch (field.member) {
    case Member::a:
      i.a = signed_number(s, field.keyword);
      break;
    case Member::b:
      i.b = signed_number(s, field.keyword);
      break;
    case Member::target:
      i.target = static_cast<std::uint32_t>(s.integer(0, unsigned32, field.keyword));
      break;
    case Member::tag:
      i.tag = static_cast<std::uint32_t>(s.integer(0, unsigned32, field.keyword));
      break;
    case Member::imm:
      i.imm = signed_number(s, field.keyword);
      break;
    case Member::scale:
      i.scale = s.real(field.keyword);
      break;
    case Member::real:
      i.real = s.real(field.keyword);
      break;
  }
}

/// What may follow the operands, each at most once.
struct Tail {
  Scanner& s;
  const Row& each;
  const FormSpec& spec;
  Instruction& i;
  AddressSetup setup;
  std::vector<std::string_view> seen;

  void once(std::string_view word) {
    if (std::find(seen.begin(), seen.end(), word) != seen.end())
      s.fail_at_word(fmt::format("'{}' is given twice", word));
    seen.push_back(word);
  }
  bool has(std::string_view word) const { return std::find(seen.begin(), seen.end(), word) != seen.end(); }

  std::vector<std::string> known() const {
    std::vector<std::string> words;
    if (spec.shaped) words.emplace_back("len");
    if (each.form == Form::addr) words.insert(words.end(), {"base", "strides", "ring"});
    for (const FieldSpec& field : spec.used_fields()) words.emplace_back(field.keyword);
    for (const auto& [bit, word] : flag_words)
      if (spec.flags & bit) words.emplace_back(word);
    return words;
  }

  bool shape(std::string_view word) {
    if (!spec.shaped) return false;
    if (word.size() > 1 && word[0] == 'x' && word[1] >= '0' && word[1] <= '9') {
      s.accept('x');
      once("count");
      i.count = static_cast<std::int32_t>(s.integer(1, high32, "count"));
      if (s.peek_word() != "len") s.fail("expected 'len'");
      word = "len";
    }
    if (word != "len") return false;
    s.word();
    once("len");
    i.len = static_cast<std::int32_t>(s.integer(1, high32, "len"));
    return true;
  }

  bool address(std::string_view word) {
    if (each.form != Form::addr) return false;
    if (word != "base" && word != "strides" && word != "ring") return false;
    s.word();
    once(word);
    if (word == "base") setup.base = signed_number(s, "base");
    if (word == "strides")
      for (std::int32_t& stride : setup.strides) stride = signed_number(s, "stride");
    if (word == "ring") {
      setup.ring_lo = signed_number(s, "ring start");
      setup.ring_size = static_cast<std::int32_t>(s.integer(1, high32, "ring size"));
    }
    return true;
  }

  void item() {
    const std::string_view word = s.peek_word();
    if (shape(word) || address(word)) return;
    for (const FieldSpec& field : spec.used_fields())
      if (word == field.keyword) {
        s.word();
        once(word);
        return parse_field(s, i, field);
      }
    for (const auto& [bit, flag_word] : flag_words)
      if (word == flag_word && (spec.flags & bit)) {
        s.word();
        once(word);
        i.flags = static_cast<std::uint8_t>(i.flags | bit);
        return;
      }
    if (known().empty()) return s.expect_end();
    if (word.empty()) s.fail(fmt::format("expected one of {}", fmt::join(known(), ", ")));
    s.fail_at_word(fmt::format("unknown word '{}' of '{}'{}", word, each.name, suggestion(word, known())));
  }

  void finish() {
    for (const FieldSpec& field : spec.used_fields())
      if (field.required && !has(field.keyword)) s.fail(fmt::format("'{}' needs '{}'", each.name, field.keyword));
    if (spec.shaped && !has("len")) s.fail(fmt::format("'{}' needs 'len'", each.name));
    if (each.form == Form::addr) {
      if (!has("base")) s.fail("'addr' needs 'base'");
      i = make_addr(i.reg_d, setup);
    }
  }
};
}  // namespace

Instruction parse_instruction(Scanner& s) {
  const Row& each = mnemonic(s);
  const FormSpec& spec = form_spec(each.opcode);
  Instruction i;
  i.opcode = each.opcode;
  bool first = true;
  const auto next = [&] {
    if (!first) s.expect(',');
    first = false;
  };
  if (each.form == Form::loop) {
    next();
    if (s.peek_word().starts_with('A')) {
      i.reg_a = register_number(s, 'A');
      i.flags = flag::loop_register;
    } else {
      i.count = static_cast<std::int32_t>(s.integer(0, high32, "count"));
    }
  }
  for (const Operand o : all_operands)
    if (spec[o].space != Space::none) {
      next();
      parse_operand(s, i, o, spec[o]);
    }
  Tail tail{s, each, spec, i, {}, {}};
  while (!s.at_end()) {
    next();
    tail.item();
  }
  tail.finish();
  if (const std::string fault = check_fields(i); !fault.empty()) s.fail(fault);
  return i;
}

Instruction parse(std::string_view line, const std::string& file, int line_number) {
  Scanner scanner(line, file, line_number);
  return parse_instruction(scanner);
}

}  // namespace pimento::isa
