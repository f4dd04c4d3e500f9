#include <array>

#include "isa/instruction/form.hpp"
#include "isa/instruction/instruction.hpp"
#include "isa/support/error.hpp"

namespace pimento::isa {
namespace {
struct Index {
  std::array<const Row*, 256> rows{};
  Index() {
    for (const Row& each : table()) {
      const auto code = static_cast<std::size_t>(each.opcode);
      PIMENTO_CHECK(rows[code] == nullptr,
                    "instruction table: a code stands twice, at '" + std::string(each.name) + "'");
      rows[code] = &each;
    }
  }
};
}  // namespace

std::string_view to_string(Unit unit) {
  constexpr std::array<std::string_view, 5> names{"control", "scalar", "vector", "matrix", "transfer"};
  return names[static_cast<std::size_t>(unit)];
}

const std::vector<Row>& table() {
  static const std::vector<Row> rows{
#define X(code, name, unit, form, text) {Opcode::name, #name, Unit::unit, Form::form, text},
#define RESERVED(code, text)
#include "isa/instruction/table.def"
#undef X
#undef RESERVED
  };
  return rows;
}

const Row* find_row(std::uint8_t code) {
  static const Index index;
  return index.rows[code];
}

const Row& row(Opcode opcode) {
  const Row* found = find_row(static_cast<std::uint8_t>(opcode));
  PIMENTO_CHECK(found != nullptr, "no instruction has the code " + std::to_string(static_cast<int>(opcode)));
  return *found;
}

Instruction make_addr(std::uint8_t reg, const AddressSetup& setup) {
  Instruction i;
  i.opcode = Opcode::addr;
  i.reg_d = reg;
  i.dst = setup.base;
  i.a = setup.strides[0];
  i.b = setup.strides[1];
  i.stride_d = setup.strides[2];
  i.stride_a = setup.strides[3];
  if (setup.ring_size > 0) {
    i.flags = flag::ring;
    i.stride_b = setup.ring_lo;
    i.len = setup.ring_size;
  }
  return i;
}

AddressSetup address_setup(const Instruction& addr) {
  AddressSetup setup{.base = addr.dst, .strides = {addr.a, addr.b, addr.stride_d, addr.stride_a}};
  if (addr.flags & flag::ring) {
    setup.ring_lo = addr.stride_b;
    setup.ring_size = addr.len;
  }
  return setup;
}

}  // namespace pimento::isa
