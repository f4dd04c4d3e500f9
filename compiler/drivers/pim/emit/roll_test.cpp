#include "compiler/drivers/pim/emit/roll.hpp"

#include <doctest/doctest.h>

#include "compiler/drivers/pim/emit/writer.hpp"
#include "isa/program/execute.hpp"

namespace pimento::pim {
namespace {
/// "[d] = op [a]" over 16 bytes.
FlatOp operation(isa::Opcode opcode, std::int64_t d, std::int64_t a) {
  FlatOp op;
  op.form.opcode = opcode;
  op.form.len = 16;
  op.d.address = d;
  op.a.address = a;
  return op;
}
/// 16 bytes of core 1 into a ring of three slots at 1024.
FlatOp receive(std::int64_t row) {
  FlatOp op;
  op.form.opcode = isa::Opcode::recv;
  op.form.len = 16;
  op.form.target = 1;
  op.d.address = 1024 + row % 3 * 16;
  op.d.home_lo = 1024, op.d.home_size = 48;
  return op;
}
std::vector<isa::Instruction> written(const std::vector<FlatOp>& ops, bool rolled, int registers = 32) {
  isa::Chip chip = isa::load_chip("tiny-4");
  chip.core.scalar.address_registers = registers;
  CoreWriter writer(chip);
  writer.begin_node(0);
  for (const FlatOp& op : ops) writer.write(op);
  isa::CoreProgram core;
  writer.finish(core, rolled);
  return {core.instructions.data.begin(), core.instructions.data.end()};
}
std::string text(const std::vector<isa::Instruction>& code) {
  std::string lines;
  for (const isa::Instruction& i : code) lines += print(i) + "\n";
  return lines;
}
/// What runs, with the addresses that the registers give; `loop` and `addr` left out.
std::string executed(const std::vector<isa::Instruction>& code) {
  isa::LoopMachine machine(code);
  std::string lines;
  while (const isa::Instruction* next = machine.next()) {
    if (next->opcode == isa::Opcode::loop || next->opcode == isa::Opcode::addr) continue;
    isa::Instruction i = *next;
    const auto resolve = [&](std::int32_t& address, std::uint8_t& reg) {
      if (reg == isa::no_register) return;
      const isa::AddressSetup& set = machine.setup(reg);
      std::int64_t start = address + machine.value(reg);
      if (set.ring_size > 0) start = isa::wrap(start, set.ring_lo, set.ring_size);
      address = static_cast<std::int32_t>(start);
      reg = isa::no_register;
    };
    resolve(i.dst, i.reg_d), resolve(i.a, i.reg_a), resolve(i.b, i.reg_b);
    lines += print(i) + "\n";
  }
  return lines;
}
}  // namespace

TEST_CASE("roll: does a loop of loops stay apart where they walk in more ways together than there are registers?") {
  std::vector<FlatOp> ops;
  for (int turn = 0; turn < 5; ++turn)
    for (const int stride : {16, 32, 48})  // three loops of one way each, in a loop of one way: three ways together
      for (int k = 0; k < 6; ++k)
        ops.push_back(operation(stride == 32 ? isa::Opcode::vabs : isa::Opcode::vrelu, 4096 * turn + stride * k,
                                4096 * turn + 2048 + stride * k));
  CHECK(written(ops, true, 3).size() == 10);  // three registers, four loops, three bodies
  CHECK(written(ops, true, 2).size() > 10);
  for (const int registers : {2, 3}) CHECK(executed(written(ops, true, registers)) == text(written(ops, false)));
}

TEST_CASE("roll: do neighbours that advance together become one loop?") {
  std::vector<FlatOp> ops;
  for (int turn = 0; turn < 5; ++turn) {
    ops.push_back(operation(isa::Opcode::vrelu, 16 * turn, 512 + 16 * turn));
    ops.push_back(operation(isa::Opcode::vabs, 256 + 16 * turn, 16 * turn));
  }
  // all four addresses advance by 16: one register
  CHECK(text(written(ops, true)) ==
        "addr A0, base 0, strides 16 0 0 0\n"
        "loop 5, body 2\n"
        "vrelu [A0]:u8, [512+A0]:u8, len 16\n"
        "vabs [256+A0]:u8, [A0]:u8, len 16\n");
  CHECK(executed(written(ops, true)) == text(written(ops, false)));
}

TEST_CASE("roll: does a ring of rows roll past its end, messages included?") {
  std::vector<FlatOp> ops;
  for (int row = 0; row < 8; ++row) {
    ops.push_back(receive(row));
    ops.push_back(operation(isa::Opcode::vrelu, 0, 1024 + row % 3 * 16));
    ops.back().a.home_lo = 1024, ops.back().a.home_size = 48;
  }
  CHECK(text(written(ops, true)) ==
        "addr A0, base 0, strides 16 0 0 0, ring 1024 48\n"
        "loop 8, body 2\n"
        "recv [1024+A0], len 16, core 1, tag 0\n"
        "vrelu [0]:u8, [1024+A0]:u8, len 16\n");
  CHECK(executed(written(ops, true)) == text(written(ops, false)));
}

TEST_CASE("roll: do loops that repeat become loops of loops?") {
  std::vector<FlatOp> ops;
  for (int outer = 0; outer < 6; ++outer) {
    for (int inner = 0; inner < 7; ++inner)
      ops.push_back(operation(isa::Opcode::vrelu, 16 * inner, 1024 + 128 * outer + 16 * inner));
    ops.push_back(operation(isa::Opcode::vabs, 512, 0));
  }
  const auto code = written(ops, true);
  CHECK(std::count_if(code.begin(), code.end(), [](const auto& i) { return i.opcode == isa::Opcode::loop; }) == 2);
  CHECK(code.size() <= 6);
  CHECK(executed(code) == text(written(ops, false)));
}

TEST_CASE("roll: do addresses without a constant step stay apart?") {
  std::vector<FlatOp> ops;
  for (const int at : {0, 16, 48, 64, 112, 128, 192}) ops.push_back(operation(isa::Opcode::vrelu, at, 512));
  CHECK(text(written(ops, true)) == text(written(ops, false)));
}

TEST_CASE("roll: does what would save nothing stay as it is?") {
  // two turns: one instruction saved, a loop and a register spent
  CHECK(written({operation(isa::Opcode::vrelu, 0, 512), operation(isa::Opcode::vrelu, 16, 528)}, true).size() == 2);
}

TEST_CASE("roll: does a body that walks in more ways than there are registers stay unrolled?") {
  std::vector<FlatOp> ops;
  for (int turn = 0; turn < 9; ++turn)
    for (int way = 1; way <= 12; ++way)
      ops.push_back(operation(isa::Opcode::vrelu, 256 * way * way + 16 * way * turn, 0));
  CHECK(written(ops, true, 32).size() == 12 + 1 + 12);
  CHECK(written(ops, true, 8).size() == 9 * 12);
}

TEST_CASE("roll: does a loop of two turns round one operation go, and one of many stay?") {
  FlatOp op = operation(isa::Opcode::vrelu, 0, 512);
  op.depth = 1;
  op.trips[0] = 2;
  op.d.loops[0] = op.a.loops[0] = 16;
  CHECK(text(written({op}, true)) ==
        "vrelu [0]:u8, [512]:u8, len 16\n"
        "vrelu [16]:u8, [528]:u8, len 16\n");
  op.trips[0] = 20;
  CHECK(written({op}, true).size() == 3);
  CHECK(executed(written({op}, true)) == executed(written({op}, false)));
}

}  // namespace pimento::pim
