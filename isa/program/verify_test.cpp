#include <doctest/doctest.h>

#include "isa/program/check_chip.hpp"
#include "isa/program/program.hpp"
#include "isa/program/small_program.hpp"
#include "isa/support/error.hpp"

using namespace pimento;
using namespace pimento::isa;

namespace {
/// What verify_program says after a change to program or chip.
template <class F>
std::string refusal(F change, const std::string& file = "a.pim") {
  Chip chip = load_chip("tiny-4");
  chip.core.crossbars = 16;
  Program program = small_program(chip);
  change(program, chip);
  try {
    verify_program(program, chip, file);
  } catch (const UserError& e) {
    return e.what();
  }
  return "accepted";
}
/// The same after core 0's instructions were replaced.
std::string code(
    std::initializer_list<const char*> lines, std::string (*file)() = [] { return std::string(); }) {
  return refusal(
      [&](Program& p, Chip&) {
        std::vector<Instruction> records;
        for (const char* line : lines) records.push_back(parse(line));
        p.cores[0].instructions = Blob<Instruction>::own(std::move(records));
        p.cores[0].nodes.clear();
      },
      file());
}
std::string on_chip(std::initializer_list<const char*> lines, void (*change)(Chip&)) {
  return refusal(
      [&](Program& p, Chip& chip) {
        std::vector<Instruction> records;
        for (const char* line : lines) records.push_back(parse(line));
        p.cores[0].instructions = Blob<Instruction>::own(std::move(records));
        p.cores[0].nodes.clear();
        change(chip);
      },
      "");
}
}  // namespace

TEST_CASE("verify: is the small program accepted?") {
  CHECK(refusal([](Program&, Chip&) {}) == "accepted");
}

TEST_CASE("verify: is an instruction that goes through a memory again and again refused?") {
  CHECK(code({"move [0], [64], x8192 len 64"}) == "accepted");  // 8 times 64 KiB
  CHECK(
      code({"move [0], [64], x8193 len 64"}) ==
      "core 0, instruction 0: move: 8193 segments of 64 bytes for dst, expected no more than 8 times the local memory "
      "of 65536 bytes");
  CHECK(code({"send [0], x2147483647 len 4, core 1, tag 7"}).find("segments of 4 bytes for a") != std::string::npos);
}

TEST_CASE("verify: does an error name file, core, instruction and the byte in the file?") {
  // core 1 begins after the 9 records of core 0: 192 + 9 * 64 = 0x300; its third record stands at 0x380
  CHECK(refusal([](Program& p, Chip&) {
          std::vector<Instruction> records(p.cores[1].instructions.data.begin(), p.cores[1].instructions.data.end());
          records[2].target = 9;
          p.cores[1].instructions = Blob<Instruction>::own(std::move(records));
        }) == "a.pim: core 1, instruction 2 (byte 0x380): recv: core 9, program has 2");
  CHECK(code({"nop", "program group 9, tile 0"}) == "core 0, instruction 1: array group 9, core has 2");
}

TEST_CASE("verify: which faults of one instruction are found?") {
  CHECK(refusal([](Program& p, Chip&) {
          std::vector<Instruction> records(2);
          records[1].opcode = static_cast<Opcode>(0xee);
          p.cores[0].instructions = Blob<Instruction>::own(std::move(records));
          p.cores[0].nodes.clear();
        }) == "a.pim: core 0, instruction 1 (byte 0x100): no instruction has the code 0xee");
  CHECK(code({"sldi R32, imm 0"}) == "core 0, instruction 0: sldi: register 32, core has 32");
  CHECK(code({"vneg [A3]:i8, [0]:i8, len 1"}) == "core 0, instruction 0: vneg: no 'addr' before this sets A3");
  CHECK(code({"program group 0, tile 2"}) == "core 0, instruction 0: tile 2, program has 2");
  CHECK(code({"mvm [0]:i32, [64]:u8, len 4, group 1"}) == "core 0, instruction 0: mvm: array group 1 holds no tile");
  CHECK(code({"program group 1, tile 0", "mvm [0]:i32, [64]:u8, len 4, group 1"}) == "accepted");
  CHECK(code({"mvm [0]:i32, [64]:u8, len 5, group 0"}) ==
        "core 0, instruction 0: mvm: 5 inputs of type u8, the tile of array group 0 has 4 rows of type i8");
  CHECK(code({"mvm [0]:f32, [64]:f32, len 4, group 0"}) ==
        "core 0, instruction 0: mvm: 4 inputs of type f32, the tile of array group 0 has 4 rows of type i8");
  CHECK(code({"send [0], len 4, core 0, tag 1"}) == "core 0, instruction 0: send: core 0 names itself");
  CHECK(code({"send [0], len 4, core 2, tag 1"}) == "core 0, instruction 0: send: core 2, program has 2");
  CHECK(code({"sync core 2, event 2, value 1"}) == "core 0, instruction 0: core 2, program has 2");
  CHECK(code({"mcast [0], len 4, set 2, tag 1"}) == "core 0, instruction 0: mcast: core set 2, program has 2");
  CHECK(code({"mcast [0], len 4, set 0, tag 1"}) == "core 0, instruction 0: mcast: core set 0 holds core 0 itself");
  CHECK(on_chip({"mcast [0], len 4, set 1, tag 1"}, [](Chip& c) { c.network.multicast = false; }) ==
        "core 0, instruction 0: mcast: chip 'tiny-4' has no multicast");
  CHECK(on_chip({"vneg [0]:i8, [0]:i8, len 1"}, [](Chip& c) { c.core.vector.types = {ElementType::f32}; }) ==
        "core 0, instruction 0: vneg: dst is i8, which the vector unit of chip 'tiny-4' does not know");
  CHECK(on_chip({"mvm [0]:f32, [64]:f32, len 4, group 0"}, [](Chip& c) { c.numerics.f32 = false; }) ==
        "core 0, instruction 0: mvm: a is f32, chip 'tiny-4' has no f32 in its matrix path");
}

TEST_CASE("verify: are loops nested rightly?") {
  CHECK(code({"loop 2, body 2", "nop"}) ==
        "core 0, instruction 0: loop: a body of 2 instructions ends at 3, outside the program that ends at 2");
  CHECK(code({"loop 2, body 2", "loop 3, body 2", "nop", "nop"}) ==
        "core 0, instruction 1: loop: a body of 2 instructions ends at 4, outside the loop round it that ends at 3");
  CHECK(code({"loop 2, body 4", "loop 3, body 3", "loop 3, body 2", "loop 3, body 1", "nop"}) == "accepted");
  CHECK(code({"loop 2, body 5", "loop 3, body 4", "loop 3, body 3", "loop 3, body 2", "loop 3, body 1", "nop"}) ==
        "core 0, instruction 4: loop: nested to depth 5, core has 4");
  CHECK(on_chip({"loop 2, body 1", "nop"}, [](Chip& c) { c.core.loops = LoopSupport::none; }) ==
        "core 0, instruction 0: loop: chip 'tiny-4' has no hardware loops");
}

TEST_CASE("verify: are addresses that are certain kept inside the memory?") {
  CHECK(code({"move [65529], [0], len 8"}) ==
        "core 0, instruction 0: move: bytes 65529 to 65537 for dst, local memory has 65536");
  CHECK(code({"move [65528], [0], len 8"}) == "accepted");
  CHECK(code({"move [0] stride -4, [0], x2 len 8"}) ==
        "core 0, instruction 0: move: bytes -4 to 8 for dst, local memory has 65536");
  CHECK(code({"load [0], [67108860], len 8"}) ==
        "core 0, instruction 0: load: bytes 67108860 to 67108868 for a, global memory has 67108864");
  CHECK(code({"mvm [65508]:i32, [0]:u8, len 4, group 0"}) ==  // 8 columns of 4 bytes
        "core 0, instruction 0: mvm: bytes 65508 to 65540 for dst, local memory has 65536");
  CHECK(code({"vgather [0]:i8, [65500]:i8 stride 8, [64]:i32, x2 len 4, bound 6"}) ==  // row 5 ends at 65500 + 40 + 4
        "core 0, instruction 0: vgather: bytes 65500 to 65544 for a, local memory has 65536");
  // 10 rounds of 8000: the last begins at 72000
  CHECK(code({"addr A0, base 0, strides 8000 0 0 0", "loop 10, body 1", "move [A0], [0], len 8"}) ==
        "core 0, instruction 2: move: bytes 0 to 72008 for dst, local memory has 65536");
  CHECK(code({"addr A0, base 0, strides 8000 0 0 0", "loop 8, body 1", "move [A0], [0], len 8"}) == "accepted");
  // the second round uses another setting, so nothing is certain but the first
  CHECK(code({"addr A0, base 0, strides 8000 0 0 0", "loop 10, body 2", "move [A0], [0], len 8", "addr A0, base 0"}) ==
        "accepted");
  CHECK(code({"loop 0, body 1", "move [A0], [99999], len 8"}) == "accepted");  // never runs
  CHECK(code({"addr A0, base 0, ring 65000 1000", "move [A0], [0], len 8"}) ==
        "core 0, instruction 1: move: ring of 1000 at 65000 for dst, local memory has 65536");
  CHECK(code({"addr A0, base 0, ring 0 64", "move [A0], [0], len 65"}) ==
        "core 0, instruction 1: move: segments of 65 bytes for dst, its ring has 64");
  CHECK(code({"addr A0, base 124, ring 0 64", "move [A0], [0], len 8"}) ==
        "core 0, instruction 1: move: 8 bytes at 60 for dst straddle the end of its ring, 64");
  CHECK(code({"addr A0, base -2147483648, strides -2147483648 0 0 0", "loop 2147483647, body 1",
              "move [A0], [0], len 8"}) ==  // -2^31 * (2^31 - 1)
        "core 0, instruction 2: move: bytes -4611686016279904256 to -2147483640 for dst, local memory has 65536");
}

TEST_CASE("verify: which faults of a write into an array group are found?") {
  // tile 1 has 4 rows of 8 bytes
  CHECK(code({"write [0] stride 8, x4 len 8, group 1, tile 1, row 0"}) == "accepted");
  CHECK(code({"write [0] stride 8, x4 len 7, group 1, tile 1, row 0"}) ==
        "core 0, instruction 0: write: segments of 7 bytes, a row of tile 1 has 8");
  CHECK(code({"write [0] stride 8, x4 len 8, group 1, tile 1, row 1"}) ==
        "core 0, instruction 0: write: rows 1 to 5, tile 1 has 4");
  CHECK(code({"write [0] stride 8, x4 len 8, group 1, tile 1, row -1"}) ==
        "core 0, instruction 0: write: rows -1 to 3, tile 1 has 4");
  CHECK(code({"write [0] stride 8, x4 len 8, group 1, tile 2, row 0"}) ==
        "core 0, instruction 0: tile 2, program has 2");
  CHECK(code({"write [65520] stride 8, x4 len 8, group 1, tile 1, row 0"}).find("local memory has 65536") !=
        std::string::npos);
}

TEST_CASE("verify: which faults round the instructions are found?") {
  CHECK(refusal([](Program&, Chip& c) { c.core.instruction_memory = 64; }) ==
        "a.pim: core 0: 9 instructions take 576 bytes, instruction memory has 64");
  CHECK(refusal([](Program& p, Chip&) {
          p.inputs.clear();
          p.outputs.clear();
          p.images = std::int64_t{1} << 62;
        }) == "a.pim: 4611686018427387904 images, but at most 0 inputs or outputs");
  CHECK(refusal([](Program&, Chip& c) { c.cores = 1; }) == "a.pim: program for 2 cores, chip 'tiny-4' has 1");
  CHECK(refusal([](Program& p, Chip& c) { p.numerics = Numerics::f32, c.numerics.f32 = false; }) ==
        "a.pim: numerics are f32, chip 'tiny-4' has no f32 in its matrix path");
  CHECK(refusal([](Program& p, Chip&) { p.global_memory_used = 1 << 27; }) ==
        "a.pim: uses 134217728 bytes of global memory, which has 67108864");
  CHECK(refusal([](Program& p, Chip&) { p.cores[0].local_memory_used = 65537; }) ==
        "a.pim: core 0: uses 65537 bytes of local memory, which has 65536");
  CHECK(refusal([](Program& p, Chip&) { p.tiles[1].crossbar_rows = 5; }) ==
        "a.pim: tile 1: 5x1 crossbars, an array group of chip 'tiny-4' has at most 4x4");
  CHECK(refusal([](Program& p, Chip&) { p.tiles[1].cols = 9; }) ==
        "a.pim: tile 1: 4x9 weights, its 1x1 crossbars hold at most 32x8");
  CHECK(refusal([](Program& p, Chip&) { p.tiles[1].type = ElementType::u8; }) ==
        "a.pim: tile 1: expected weights of type i8, i16 or f32, got u8");
  CHECK(refusal([](Program& p, Chip&) { p.tiles[1].type = ElementType::i16; }) ==
        "a.pim: tile 1: expected 64 bytes of weights, got 32");
  CHECK(refusal([](Program& p, Chip& c) { p.tiles[1].type = ElementType::f32, c.numerics.f32 = false; }) ==
        "a.pim: tile 1: weights are f32, chip 'tiny-4' has no f32 in its matrix path");
  CHECK(refusal([](Program& p, Chip&) { p.tiles[1].real = Blob<float>::own({1.0F}); }) ==
        "a.pim: tile 1: expected 32 real weights or none, got 1");
  CHECK(refusal([](Program& p, Chip&) { p.tiles[1].real = {}; }) ==
        "a.pim: tile 1: exact numerics need the weights as real numbers, this tile has none");
  CHECK(refusal([](Program& p, Chip&) { p.cores[0].groups[0].tile = 7; }) ==
        "a.pim: core 0, array group 0: tile 7, program has 2");
  CHECK(refusal([](Program& p, Chip&) { p.tiles[0].crossbar_rows = 2; }) ==
        "a.pim: core 0, array group 0: tile 0 takes 2x1 crossbars, the group has 1x1");
  CHECK(refusal([](Program& p, Chip&) {
          p.cores[0].groups = {{0, 1, 1}, {no_tile, 4, 4}, {1, 1, 1}};
        }) ==
        "a.pim: core 0: array groups 0 and 2 share crossbars (18 in all, a core has 16), and both hold a tile at the "
        "start");
  CHECK(refusal([](Program&, Chip& c) { c.core.crossbars = 0; }) ==
        "a.pim: core 0, array group 0: 1 crossbar, a core has 0");
  CHECK(refusal([](Program& p, Chip&) { p.cores[0].constants[0].address = 65534; }) ==
        "a.pim: core 0, constant 0: 3 bytes at 65534, local memory has 65536");
  CHECK(refusal([](Program& p, Chip&) { p.cores[0].constants[0].type = ElementType::i16; }) ==
        "a.pim: core 0, constant 0: 3 bytes are no whole elements of type i16");
  CHECK(refusal([](Program& p, Chip&) { p.global_constants[0].real = Blob<float>::own({1}); }) ==
        "a.pim: global constant 0: expected 2 real values or none, got 1");
  CHECK(refusal([](Program& p, Chip&) {
          p.cores[0].constants.push_back(p.cores[0].constants[0]);
          p.cores[0].constants[1].address = 514;
        }) == "a.pim: core 0, constant 1: begins at 514, inside constant 0, which ends at 515");
  CHECK(refusal([](Program& p, Chip&) { p.cores[0].nodes[1].begin = 4; }) ==
        "a.pim: core 0, node range 1: [4, 6) of 9 instructions, after a range that ends at 5");
  CHECK(refusal([](Program& p, Chip&) { p.cores[0].nodes[1].node = 2; }) ==
        "a.pim: core 0, node range 1: node 2, program has 2");
  CHECK(refusal([](Program& p, Chip&) {
          p.core_sets[0] = {1, 0};
        }) == "a.pim: core set 0: core 0 after core 1: expected ascending order");
  CHECK(refusal([](Program& p, Chip&) { p.core_sets[0] = {}; }) == "a.pim: core set 0: has no core");
  CHECK(refusal([](Program& p, Chip&) { p.core_sets[0] = {2}; }) == "a.pim: core set 0: core 2, program has 2");
  CHECK(refusal([](Program& p, Chip&) {
          p.inputs[0].layout = {0, 1, 1};
        }) == "a.pim: input 'x': layout [0, 1, 1] is no permutation of 3 dimensions");
  CHECK(refusal([](Program& p, Chip&) { p.inputs[0].layout = {}; }) ==
        "a.pim: input 'x': layout [] is no permutation of 3 dimensions");
  CHECK(refusal([](Program& p, Chip&) { p.inputs[0].shape[1] = 0; }) ==
        "a.pim: input 'x': shape [1, 0, 4] does not fit global memory of 67108864 bytes");
  CHECK(refusal([](Program& p, Chip&) {
          p.inputs[0].shape = {1LL << 40, 1LL << 40, 4};
        }) == "a.pim: input 'x': shape [1099511627776, 1099511627776, 4] does not fit global memory of 67108864 bytes");
  CHECK(refusal([](Program& p, Chip&) { p.outputs[0].scale = 0; }) ==
        "a.pim: output 'y': expected a scale above 0, got 0");
  CHECK(refusal([](Program& p, Chip&) { p.outputs[0].address = 67108860; }) ==
        "a.pim: output 'y': 8 bytes at 67108860, global memory has 67108864");
  CHECK(refusal([](Program& p, Chip&) { p.inputs.push_back(p.inputs[0]); }) ==
        "a.pim: input 'x': the name stands twice");
}

TEST_CASE("check_chip: which difference is refused, which is only told?") {
  const Chip chip = load_chip("tiny-4");
  Program program = small_program(chip);
  CHECK(check_chip(program, chip).empty());
  program.schedule_cost_keys = {"core.window=4", "core.vector.lanes=16"};
  CHECK(check_chip(program, chip) == std::vector<std::string>{"core.vector.lanes"});
  std::string yaml = chip.yaml;
  const std::string was = "crossbars: {value: 96";
  REQUIRE(yaml.find(was) != std::string::npos);
  const Chip other = parse_chip(yaml.replace(yaml.find(was), was.size(), "crossbars: {value: 32"), "other.yaml");
  const auto said = [&](const Chip& on, std::size_t named) -> std::string {
    try {
      check_chip(program, on, named);
    } catch (const UserError& e) {
      return e.what();
    }
    return "";
  };
  CHECK(
      said(other, 3) ==
      "program is for chip 'tiny-4', which differs from chip 'tiny-4' in 1 key: core.crossbars (program 96, chip 32)");
  const std::string many = said(load_chip("pimsim-nn-64"), 2);
  CHECK(many.find("in 13 keys: cores (program 4, chip 64), core.instruction_memory (program 256 KiB, chip 4 MiB) and "
                  "11 more") != std::string::npos);
  CHECK(said(load_chip("pimsim-nn-64"), 100).find("more") == std::string::npos);
}
