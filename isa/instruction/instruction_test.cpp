#include "isa/instruction/instruction.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cstring>
#include <limits>
#include <set>

#include "isa/instruction/form.hpp"
#include "isa/instruction/samples.hpp"
#include "isa/support/error.hpp"

using namespace pimento;
using namespace pimento::isa;

namespace {
// NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): bits are what is asked
bool same_bits(const Instruction& a, const Instruction& b) { return std::memcmp(&a, &b, sizeof a) == 0; }
std::string refusal(std::string_view line) {
  try {
    parse(line, "a.pimasm", 3);
  } catch (const UserError& e) {
    return e.what();
  }
  return "accepted";
}
Instruction valid(std::string_view line) { return parse(line); }
template <class F>
std::string fault_after(std::string_view line, F change) {
  Instruction i = valid(line);
  change(i);
  return check_fields(i);
}
}  // namespace

TEST_CASE("table: does every code find its own row and nothing else?") {
  std::set<std::string_view> names;
  for (const Row& each : table()) {
    CHECK(find_row(static_cast<std::uint8_t>(each.opcode)) == &each);
    CHECK(&row(each.opcode) == &each);
    CHECK(names.insert(each.name).second);
  }
  std::size_t known = 0;
  for (int code = 0; code < 256; ++code) {
    const bool found = find_row(static_cast<std::uint8_t>(code)) != nullptr;
    known += found ? 1 : 0;
    CHECK(found == is_opcode(static_cast<std::uint8_t>(code)));
  }
  CHECK(known == table().size());
}

TEST_CASE("assembler: does every row survive print and parse?") {
  for (const Row& each : table())
    for (const Instruction& i : samples(each)) {
      CAPTURE(print(i));
      CHECK(same_bits(parse(print(i)), i));
    }
}

TEST_CASE("assembler: do random instructions survive print and parse, bit for bit?") {
  Random random(1);
  for (int n = 0; n < 20000; ++n) {
    const Row& each =
        table()[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(table().size()) - 1))];
    const Instruction i = random_instruction(each, random);
    REQUIRE_MESSAGE(check_fields(i).empty(), check_fields(i));
    const std::string text = print(i);
    REQUIRE_MESSAGE(same_bits(parse(text), i), text);
  }
}

TEST_CASE("assembler: how are instructions spelled?") {
  Instruction mvm;
  mvm.opcode = Opcode::mvm;
  mvm.type_d = ElementType::i32;
  mvm.dst = 4096, mvm.reg_d = 1, mvm.a = 128, mvm.reg_a = 2, mvm.stride_a = 448, mvm.count = 3, mvm.len = 192,
  mvm.target = 4;
  CHECK(print(mvm) == "mvm [4096+A1]:i32, [128+A2]:u8 stride 448, x3 len 192, group 4");
  for (const std::string_view line : {"nop",
                                      "loop 14, body 3",
                                      "loop A2, body 1",
                                      "addr A3, base 4096, strides 448 64 0 0, ring 4096 1792",
                                      "addr A0, base -8",
                                      "sldi R3, imm -17",
                                      "sadd R1, R2, R3",
                                      "saddi R1, R2, imm 5",
                                      "setbw in 8, out 16",
                                      "mvm [0]:f32, [A7]:f32, len 64, group 0, relu",
                                      "program group 2, tile 9",
                                      "write [64] stride 16, x3 len 12, group 2, tile 9, row 6",
                                      "dvm [0]:i32, [64]:i8, [128]:u8 stride 256, x10 len 20",
                                      "vadd [0]:i8, [64]:i8 stride 8, [128]:i8, x4 len 8, b_scalar",
                                      "vfill [0]:f32, len 4, value -0",
                                      "vfill [0]:i8, len 4, value 3, real 0.1",
                                      "vcvt [0]:i8, [64]:i32, len 16, scale 0.001234568, zero -3, relu",
                                      "vrequant [0]:u8, [64]:i32, [512]:f32, len 16, zero 128",
                                      "vclip [0]:f32, [64]:f32, len 16, low -inf, high 6",
                                      "vlut [0]:u8, [64]:i8, [512]:u8, len 16",
                                      "vrsum [0]:i32, [64]:i8 stride 16, x4 len 16",
                                      "vgather [0]:i8 stride 4, [64]:i8 stride 4, [512]:i32, x8 len 4, bound 100",
                                      "vscatter [0]:i8 stride 4, [64]:i8 stride 4, [512]:i32, x8 len 4, bound 100",
                                      "move [0], [64], len 32",
                                      "load [0] stride 64, [1000000] stride 4096, x4 len 64",
                                      "send [64+A1], len 32, core 5, tag 7",
                                      "mcast [64], len 32, set 2, tag 7",
                                      "recv [64] stride 64, x2 len 32, core 3, tag 4294967295",
                                      "sync core 3, event 2, value 1"})
    CHECK(print(valid(line)) == line);
}

TEST_CASE("assembler: are blanks, comments, hexadecimal numbers and the order of items free?") {
  CHECK(same_bits(valid("  vadd [0x10]:i8 ,[ 64 ]:i8,[128]:i8, b_scalar, x2 len 8   # sum"),
                  valid("vadd [16]:i8, [64]:i8, [128]:i8, x2 len 8, b_scalar")));
}

TEST_CASE("assembler: does each refusal name place, what it found and what it expected?") {
  CHECK(refusal("vad [0]:i8, [0]:i8, [0]:i8, len 1") == "a.pimasm:3:1: unknown instruction 'vad'; nearest: 'vadd'");
  CHECK(refusal("") == "a.pimasm:3:1: expected an instruction");
  CHECK(refusal("frobnicate") == "a.pimasm:3:1: unknown instruction 'frobnicate'");
  CHECK(refusal("halt 3") == "a.pimasm:3:6: expected the end of the line, got '3'");
  CHECK(refusal("move [0, [64], len 1") == "a.pimasm:3:8: expected ']', got ','");
  CHECK(refusal("move [0]") == "a.pimasm:3:9: expected ',', got the end of the line");
  CHECK(refusal("move [x], [64], len 1") == "a.pimasm:3:7: address: expected a number, got 'x'");
  CHECK(refusal("move [3000000000], [64], len 1") ==
        "a.pimasm:3:7: address: expected -2147483648 to 2147483647, got 3000000000");
  CHECK(refusal("move [0], [64], len 0") == "a.pimasm:3:21: len: expected 1 to 2147483647, got 0");
  CHECK(refusal("move [0], [64]") == "a.pimasm:3:15: 'move' needs 'len'");
  CHECK(refusal("move [0+A255], [64], len 1") == "a.pimasm:3:10: register A: expected 0 to 254, got 255");
  CHECK(refusal("vneg [0]:i9, [64]:i8, len 1") ==
        "a.pimasm:3:10: unknown element type 'i9'; known: u8, i8, u16, i16, u32, i32, i64, bool, f16, bf16, f32");
  CHECK(refusal("vneg [0]:i8, [64]:f32, len 1") ==
        "a.pimasm:3:29: vneg: got types dst i8, a f32; expected: dst and a have one type, not bool");
  CHECK(refusal("send [0], len 4, cor 5, tag 1") == "a.pimasm:3:18: unknown word 'cor' of 'send'; nearest: 'core'");
  CHECK(refusal("send [0], len 4, core 5, tag 1, core 6") == "a.pimasm:3:33: 'core' is given twice");
  CHECK(refusal("send [0], len 4, core 5") == "a.pimasm:3:24: 'send' needs 'tag'");
  CHECK(refusal("sldi A3, imm 1") == "a.pimasm:3:6: expected a register R0 .. R254");
  CHECK(refusal("addr A3") == "a.pimasm:3:8: 'addr' needs 'base'");
  CHECK(refusal("loop 4, body 0") == "a.pimasm:3:15: loop: expected a body of at least 1 instruction, got 0");
  CHECK(refusal("vcvt [0]:i8, [8]:f32, len 1, scale big") == "a.pimasm:3:36: scale: expected a real number, got 'big'");
  CHECK(refusal("vmax [0]:i8, [8]:i8, [8]:i8, x3 4") == "a.pimasm:3:33: expected 'len'");
  CHECK(refusal("vmax [0]:i8, [8]:i8, [8]:i8, ,") == "a.pimasm:3:30: expected one of len, b_scalar");
}

TEST_CASE("check_fields: which field is at fault?") {
  CHECK(fault_after("nop", [](Instruction& i) { i.opcode = static_cast<Opcode>(0xee); }) ==
        "no instruction has the code 0xee");
  CHECK(fault_after("nop", [](Instruction& i) { i.len = 4; }) ==
        "nop: field 'len' is not used here and must keep its default");
  CHECK(fault_after("nop", [](Instruction& i) { i.scale = -1.0F; }) ==
        "nop: field 'scale' is not used here and must keep its default");
  CHECK(fault_after("nop", [](Instruction& i) { i.reserved = 1; }) ==
        "nop: field 'reserved' is not used here and must keep its default");
  CHECK(fault_after("move [0], [8], len 1", [](Instruction& i) { i.type_a = ElementType::i8; }) ==
        "move: field 'type_a' is not used here and must keep its default");
  CHECK(fault_after("move [0], [8], len 1", [](Instruction& i) { i.flags = flag::relu; }) ==
        "move: flags 0x2 are set, this instruction knows 0x0");
  CHECK(fault_after("vneg [0]:i8, [8]:i8, len 1", [](Instruction& i) { i.type_a = static_cast<ElementType>(11); }) ==
        "vneg: no element type has the code 11");
  CHECK(fault_after("vneg [0]:i8, [8]:i8, len 1", [](Instruction& i) { i.count = 0; }) ==
        "vneg: expected a count of at least 1, got 0");
  CHECK(fault_after("vneg [0]:i8, [8]:i8, len 1", [](Instruction& i) { i.len = -1; }) ==
        "vneg: expected a length of at least 1, got -1");
  CHECK(fault_after("sadd R1, R2, R3", [](Instruction& i) { i.reg_b = no_register; }) == "sadd: register b is missing");
  CHECK(fault_after("loop 3, body 1", [](Instruction& i) { i.count = -1; }) ==
        "loop: expected a count of at least 0, got -1");
  CHECK(fault_after("loop 3, body 1", [](Instruction& i) { i.reg_a = 1; }) ==
        "loop: a register is given beside a constant count");
  CHECK(fault_after("loop A3, body 1", [](Instruction& i) { i.count = 2; }) ==
        "loop: a constant count is given beside a register");
  CHECK(fault_after("loop A3, body 1", [](Instruction& i) { i.reg_a = no_register; }) ==
        "loop: the count comes from a register, none is given");
  CHECK(fault_after("addr A3, base 0", [](Instruction& i) { i.len = 5; }) == "addr: a ring is given without its flag");
  CHECK(fault_after("addr A3, base 0", [](Instruction& i) { i.flags = flag::ring; }) ==
        "addr: expected a ring of at least 1 byte, got 0");
  CHECK(fault_after("setbw in 8, out 8", [](Instruction& i) { i.b = 65; }) == "setbw: expected 1 to 64 bits, got 65");
  CHECK(fault_after("vgather [0]:i8, [8]:i8, [8]:i32, len 1, bound 1", [](Instruction& i) { i.imm = 0; }) ==
        "vgather: expected a bound of at least 1, got 0");
  CHECK(fault_after("vcvt [0]:i8, [8]:i8, len 1", [](Instruction& i) {
          i.scale = std::numeric_limits<float>::infinity();
        }) == "vcvt: expected finite multipliers, got scale inf and real 1");
  CHECK(fault_after("vclip [0]:i8, [8]:i8, len 1, low 1, high 2", [](Instruction& i) { i.scale = 3; }) ==
        "vclip: expected low <= high, got 3 and 2");
}

TEST_CASE("check_fields: is a change of any unused byte of any row noticed?") {
  for (const Row& each : table()) {
    const Instruction good = samples(each).front();
    const std::string text = print(good);
    for (std::size_t byte = 1; byte < sizeof good; ++byte) {
      auto bytes = std::bit_cast<std::array<std::uint8_t, sizeof(Instruction)>>(good);
      bytes[byte] ^= 0x40;
      const auto changed = std::bit_cast<Instruction>(bytes);
      // a record that is accepted must say its difference in its text, or the assembler would lose it
      if (check_fields(changed).empty()) CHECK_MESSAGE(print(changed) != text, text << " byte " << byte);
    }
  }
}

TEST_CASE("print: is any 64-byte record printed, valid or not?") {
  Random random(2);
  for (int n = 0; n < 20000; ++n) {
    std::array<std::uint64_t, 8> raw{};
    for (auto& word : raw) word = random.next();
    CHECK_FALSE(print(std::bit_cast<Instruction>(raw)).empty());
  }
  Instruction bad;
  bad.opcode = static_cast<Opcode>(0xee);
  CHECK(print(bad).starts_with("invalid 0xee"));
}

TEST_CASE("addr: does a setup survive its record, and is a ring of zero none?") {
  const AddressSetup setup{100, {1, -2, 3, 4}, 64, 4096};
  const AddressSetup back = address_setup(make_addr(7, setup));
  CHECK(back.base == 100);
  CHECK(back.strides == setup.strides);
  CHECK(back.ring_lo == 64);
  CHECK(back.ring_size == 4096);
  CHECK(address_setup(make_addr(7, {100, {}, 64, 0})).ring_lo == 0);
}

TEST_CASE("view: which bytes does each operand touch?") {
  const Instruction dvm = valid("dvm [0]:i32, [64]:i8, [128]:u8 stride 256, x10 len 20");
  CHECK(view(dvm, Operand::d).bytes == 40);  // 10 results of 4 bytes
  CHECK(view(dvm, Operand::a).bytes == 20);
  CHECK(view(dvm, Operand::b).count == 20);  // 20 rows of 10 bytes
  CHECK(view(dvm, Operand::b).bytes == 10);
  const Instruction mvm = valid("mvm [4096+A1]:i32, [128+A2]:u8 stride 448, x3 len 192, group 4");
  CHECK(view(mvm, Operand::d, 64).bytes == 256);
  CHECK(view(mvm, Operand::a).count == 3);
  CHECK(view(mvm, Operand::b).space == Space::none);
  const Instruction scalar = valid("vadd [0]:i32, [64]:i32, [128]:i32 stride 4, x3 len 8, b_scalar");
  CHECK(view(scalar, Operand::a).bytes == 32);
  CHECK(view(scalar, Operand::b).bytes == 4);
  const Instruction scatter = valid("vscatter [0]:i8 stride 4, [64]:i8 stride 4, [512]:i32, x8 len 4, bound 100");
  CHECK(view(scatter, Operand::d).count == 100);  // any of the bound's rows may be written
  CHECK(view(scatter, Operand::a).count == 8);
  CHECK(view(valid("vrsum [0]:i32, [64]:i8 stride 16, x4 len 16"), Operand::d).bytes == 16);
  CHECK(view(valid("store [0], [64], len 16"), Operand::d).space == Space::global);
  CHECK(view(valid("saddi R1, R2, imm 3"), Operand::d).space == Space::none);
  CHECK(wrap(-1, 0, 8) == 7);
  CHECK(wrap(4096 + 17, 4096, 8) == 4097);
}

TEST_CASE("reference: does it hold every row, with an example that assembles?") {
  const std::string text = isa_reference();
  for (const Row& each : table()) {
    CHECK(text.find(std::string("`") + std::string(each.name)) != std::string::npos);
  }
  std::size_t examples = 0;
  for (std::size_t end = 0; (end = text.find("` |\n", end)) != std::string::npos; ++end, ++examples) {
    const std::size_t begin = text.rfind('`', end - 1) + 1;
    const std::string line = text.substr(begin, end - begin);
    CHECK_NOTHROW_MESSAGE(parse(line), line);
  }
  CHECK(examples == table().size());
}
