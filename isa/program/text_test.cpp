#include <doctest/doctest.h>

#include "isa/instruction/samples.hpp"
#include "isa/program/program.hpp"
#include "isa/program/small_program.hpp"
#include "isa/support/error.hpp"
#include "isa/support/failing_disk.hpp"

using namespace pimento;
using namespace pimento::isa;

namespace {
std::string bytes_of(const Program& program) {
  FailingDisk disk(0);
  write_program(program, "a.pim", disk);
  return disk.files().at("a.pim");
}
std::string refusal(const std::string& text) {
  try {
    assemble(text, "a.pimasm");
  } catch (const UserError& e) {
    return e.what();
  }
  return "accepted";
}
}  // namespace

TEST_CASE("disassembler: is text with data the whole program?") {
  Program program = small_program(load_chip("tiny-4"));
  program.tiles[1].weights =
      Blob<std::uint8_t>::own({program.tiles[1].weights.data.begin(), program.tiles[1].weights.data.end()});
  program.tiles[1].real = Blob<float>::own({program.tiles[1].real.data.begin(), program.tiles[1].real.data.end()});
  CHECK(bytes_of(assemble(disassemble(program, true))) == bytes_of(program));
}

TEST_CASE("disassembler: does text without data keep all but the data, and say so?") {
  const Program program = small_program(load_chip("tiny-4"));
  const std::string text = disassemble(program);
  CHECK(text.starts_with("# without data: weights, constants and real values assemble to zeros\n"));
  const Program back = assemble(text);
  CHECK(disassemble(back) == text);
  CHECK(back.tiles[0].weights.size() == 32);
  CHECK(back.tiles[0].weights.data[1] == 0);
  CHECK_NOTHROW(verify_program(back, load_chip("tiny-4")));
}

TEST_CASE("disassembler: how does a program read?") {
  Chip chip = load_chip("tiny-4");
  chip.yaml = "name: tiny-4\ncores: 4\n";
  chip.fingerprints = {1, 2, 3};
  const std::string text = disassemble(small_program(chip), true);
  CHECK(text.starts_with(R"(.producer "pimento test"
.model "small.onnx"
.model_fingerprint "0123456789abcdef"
.numerics exact
.chip "tiny-4"
.fingerprints 0x0000000000000001 0x0000000000000002 0x0000000000000003
.chip_yaml "name: tiny-4\n"
.chip_yaml "cores: 4\n"
.cost_key "core.window=4"
.settings "{\"seed\": 1}"
.global_memory_used 4096
.node "conv \"1\""
.node "relu\n2"
.core_set 0 1
.core_set 1
.input "x" f32 shape [1 3 4] layout [0 2 1] type u8 scale 0.1 zero 3 address 0
.output "y" f32 shape [8] layout [0] type i8 scale 0.25 zero -1 address 64
.tile rows 4 cols 8 crossbars 1 1 type i8 bytes 32 reals 32  # tile 0
.bytes 00070e151c232a31383f464d545b626970777e858c939aa1a8afb6bdc4cbd2d9
)"));
  const std::string cores = text.substr(text.find(".core 0"));
  CHECK(cores == R"(.core 0
.local_memory_used 8200
.group crossbars 1 1 tile 0  # group 0
.group crossbars 2 1 tile none  # group 1
.constant address 512 type i8 bytes 3 reals 0
.bytes 090807
.range 2 5 node 0
.range 5 6 node 1
  addr A1, base 1024, strides 16 0 0 0, ring 1024 64
  addr A2, base 4096, strides 32 0 0 0
# "conv \"1\""
  load [1024], [0], len 12
  loop 6, body 4
    mvm [A2]:i32, [A1]:u8, len 4, group 0
# "relu\n2"
    vcvt [8192]:i8, [A2]:i32, len 8, scale 0.1, real 1.5, zero -3, relu
    send [8192], len 8, core 1, tag 7
    nop
  halt
.core 1
.local_memory_used 304
  addr A0, base 256, strides 8 0 0 0
  loop 6, body 1
    recv [A0], len 8, core 0, tag 7
  store [64], [256], len 8
)");
}

TEST_CASE("assembler: does a program with random bytes in every text survive?") {
  Random random(3);
  for (int n = 0; n < 50; ++n) {
    Program program = small_program(load_chip("tiny-4"));
    for (std::string* text :
         {&program.producer, &program.chip_yaml, &program.settings_json, &program.nodes[0], &program.inputs[0].name}) {
      text->clear();
      for (auto k = random.between(0, 40); k > 0; --k) text->push_back(static_cast<char>(random.between(0, 255)));
    }
    CHECK(disassemble(assemble(disassemble(program, true)), true) == disassemble(program, true));
    CHECK(assemble(disassemble(program)).chip_yaml == program.chip_yaml);
    CHECK(assemble(disassemble(program)).inputs[0].name == program.inputs[0].name);
  }
}

TEST_CASE("assembler: is a small text a program?") {
  const Program program = assemble("# two cores\n.core 0\n.core 1\n  nop   # nothing\n\n  halt\n");
  REQUIRE(program.cores.size() == 2);
  CHECK(program.cores[0].instructions.size() == 0);
  CHECK(program.cores[1].instructions.size() == 2);
  CHECK(assemble("").cores.empty());
}

TEST_CASE("assembler: what does each fault of the text say?") {
  CHECK(refusal("nop") == "a.pimasm:1:1: an instruction before the first '.core'");
  CHECK(refusal(".core 0\nnap") == "a.pimasm:2:1: unknown instruction 'nap'; nearest: 'nop'");
  CHECK(refusal(".cores 0") == "a.pimasm:1:2: unknown directive '.cores'; nearest: 'core'");
  CHECK(refusal(".core 1") == "a.pimasm:1:8: expected core 0, got 1: cores stand in order, without gaps");
  CHECK(refusal(".core 0 1") == "a.pimasm:1:9: expected the end of the line, got '1'");
  CHECK(refusal(".group crossbars 1 1 tile 0") == "a.pimasm:1:2: this directive belongs to a '.core'");
  CHECK(refusal(".model 3") == "a.pimasm:1:8: text: expected text in quotes, got '3'");
  CHECK(refusal(".model \"a") == "a.pimasm:1:10: expected '\"', got the end of the line");
  CHECK(refusal(".model \"\\q\"") == "a.pimasm:1:11: text: unknown escape after '\\'");
  CHECK(refusal(".numerics half") == "a.pimasm:1:11: unknown numerics 'half'; known: quantised, exact, f32");
  CHECK(refusal(".tile rows 1 columns 1") == "a.pimasm:1:14: expected 'cols'");
  CHECK(refusal(".bytes 00") == "a.pimasm:1:2: data before the tile or constant that it belongs to");
  const std::string tile = ".tile rows 1 cols 2 crossbars 1 1 type i8 bytes 2 reals 0\n";
  CHECK(refusal(tile + ".bytes 0001") == "accepted");
  CHECK(refusal(tile + ".bytes 00") == "a.pimasm:1: 1 byte of data instead of the 2 announced");
  CHECK(refusal(tile + ".bytes 000102") == "a.pimasm:2:14: 3 bytes of data, 2 were announced");
  CHECK(refusal(tile + ".bytes 000") == "a.pimasm:2:11: expected two hexadecimal digits a byte");
  CHECK(refusal(tile + ".bytes 0g") == "a.pimasm:2:10: expected hexadecimal digits, got 'g'");
  CHECK(refusal(".tile rows 1 cols 2 crossbars 1 1 type i9 bytes 2 reals 0") ==
        "a.pimasm:1:40: unknown element type 'i9'");
  CHECK(refusal(".fingerprints 1 2 x") == "a.pimasm:1:19: physics fingerprint: expected a number of 64 bits, got 'x'");
}

TEST_CASE("assembler: do data that are announced and not given take no memory?") {
  std::string text;
  for (int k = 0; k < 10'000; ++k)
    text += ".global_constant address 0 type i8 bytes 4294967296 reals 1073741824\n";  // 80 TB
  const Program program = assemble(text);
  REQUIRE(program.global_constants.size() == 10'000);
  CHECK(program.global_constants[9'999].bytes.size() == std::size_t{1} << 32);
  CHECK(program.global_constants[9'999].bytes.data.back() == 0);
  CHECK(disassemble(program).find("bytes 4294967296 reals 1073741824") != std::string::npos);
}
