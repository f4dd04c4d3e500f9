#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>

#include "compiler/drivers/pim/emit/small_compile.hpp"

namespace pimento::pim {
namespace {
const char* const convolution = R"(graph net (%x : f32[1,2,8,8]) {
  @w : f32[2,2,3,3] = [1.0, 0.5, -0.5, 1.0, 0.25, 0.5, -1.0, 0.5, 1.0, 1.0, 0.5, -0.5, 1.0, 0.25, 0.5, -1.0, 0.5, 1.0,
                       0.5, 0.5, -0.5, 1.0, 0.25, 0.5, -1.0, 0.5, 0.5, 1.0, 0.5, -0.5, 1.0, 0.25, 0.5, -1.0, 0.5, 0.5]
  %y = conv %x, @w {strides = [1, 1], pads = [1, 1, 1, 1], dilations = [1, 1], group = 1} : f32[1,2,8,8] from "Conv_0"
  return %y
})";

std::vector<isa::Instruction> all(const isa::Program& program, isa::Opcode opcode) {
  std::vector<isa::Instruction> found;
  for (const isa::CoreProgram& core : program.cores) {
    for (const isa::Instruction& i : core.instructions.data) {
      if (i.opcode == opcode) found.push_back(i);
    }
  }
  return found;
}
}  // namespace

TEST_CASE("emit: is the program of a padded convolution well-formed, with one tile and one group?") {
  const bench::Compiled c = bench::compiled(convolution);
  CHECK_NOTHROW(isa::verify_program(c.program, c.chip));
  REQUIRE(c.program.tiles.size() == 1);
  CHECK(c.program.tiles[0].rows == 18);
  CHECK(c.program.tiles[0].cols == 2);
  CHECK(all(c.program, isa::Opcode::mvm).size() == 8);  // one per row, looped over its positions
}

TEST_CASE("emit: do weights stand in memory order of the input, rounded at the column's scale?") {
  const bench::Compiled c = bench::compiled(convolution);
  const isa::Tile& tile = c.program.tiles[0];
  // Rows run over ky, kx, channel; columns are the filters. W[0, 0, 0, 0] = 1 and W[1, 0, 0, 0] = 0.5 at scale 1/127.
  CHECK(static_cast<std::int8_t>(tile.weights.data[0]) == 127);
  CHECK(static_cast<std::int8_t>(tile.weights.data[1]) == 64);  // 63.5 rounds to even
  // Row 1: W[0, 1, 0, 0] = 1, W[1, 1, 0, 0] = 1
  CHECK(static_cast<std::int8_t>(tile.weights.data[2]) == 127);
}

TEST_CASE("emit: are padding columns zeroed once per buffer and padding rows once each?") {
  const bench::Compiled c = bench::compiled(convolution);
  CHECK(all(c.program, isa::Opcode::vfill).size() == 2 + 2);  // left and right columns; rows -1 and 8
}

TEST_CASE("emit: do exact numerics have the instructions of quantised ones?") {
  const bench::Compiled q = bench::compiled(convolution, Numerics::quantised);
  const bench::Compiled e = bench::compiled(convolution, Numerics::exact);
  REQUIRE(q.program.cores.size() == e.program.cores.size());
  for (std::size_t core = 0; core < q.program.cores.size(); ++core) {
    const auto& a = q.program.cores[core].instructions.data;
    const auto& b = e.program.cores[core].instructions.data;
    CHECK(std::equal(a.begin(), a.end(), b.begin(), b.end()));
  }
  CHECK(e.program.tiles[0].real.size() == 36);
}

TEST_CASE("emit: is emission repeatable?") {
  CHECK(isa::disassemble(bench::compiled(convolution).program, true) ==
        isa::disassemble(bench::compiled(convolution).program, true));
}

TEST_CASE("emit: do instructions say which node they stand for?") {
  const bench::Compiled c = bench::compiled(convolution);
  REQUIRE(c.program.nodes.size() == 1);
  CHECK(c.program.nodes[0] == "Conv_0");
  for (const isa::CoreProgram& core : c.program.cores) {
    std::uint32_t covered = 0;
    for (const isa::NodeRange& range : core.nodes) covered += range.end - range.begin;
    CHECK(covered == core.instructions.size());
  }
}

TEST_CASE("emit: does the verifier name a contact too many, missing, elsewhere, cut, and what bears no node?") {
  const bench::Compiled c = bench::compiled(convolution);
  bench::Compiled again = c;
  const SelectContext context = again.context();
  const EmitInput input = again.input(context);
  REQUIRE(verify(c.program, input) == "");
  std::size_t busy = 0;
  while (c.program.cores[busy].instructions.size() == 0) ++busy;
  const auto fault = [&](auto&& plant) {
    isa::Program program = c.program;
    const auto& data = program.cores[busy].instructions.data;
    std::vector<isa::Instruction> code(data.begin(), data.end());
    plant(code, program.cores[busy].nodes);
    program.cores[busy].instructions = isa::Blob<isa::Instruction>::own(std::move(code));
    return verify(program, input);
  };
  using Code = std::vector<isa::Instruction>;
  using Nodes = std::vector<isa::NodeRange>;
  const auto first = [](Code& code, isa::Opcode opcode) {
    return std::find_if(code.begin(), code.end(), [&](const isa::Instruction& i) { return i.opcode == opcode; });
  };
  CHECK(fault([&](Code& code, Nodes&) { code.push_back(*first(code, isa::Opcode::store)); }).find("no step is left") !=
        std::string::npos);
  CHECK(fault([&](Code& code, Nodes&) {
          first(code, isa::Opcode::store)->opcode = isa::Opcode::nop;
        }).find("of its bytes are left") != std::string::npos);
  CHECK(fault([&](Code& code, Nodes&) {
          first(code, isa::Opcode::load)->opcode = isa::Opcode::store;
        }).find("is another contact") != std::string::npos);
  CHECK(fault([&](Code& code, Nodes&) { first(code, isa::Opcode::load)->count += 1; }).find(" left") !=
        std::string::npos);
  CHECK(fault([&](Code&, Nodes& nodes) { nodes.back().end -= 1; }).find("nodes are named for") != std::string::npos);
  isa::Program scaled = c.program;
  scaled.outputs[0].scale = 0;
  CHECK(verify(scaled, input) == "port 'y': scale 0 and zero point 0, expected above 0 and 0");
}

TEST_CASE("emit: does the verifier name rows that come from elsewhere, and cells that are not theirs?") {
  // two layers of one crossbar each on a chip of one
  isa::Chip chip = isa::load_chip("tiny-4");
  chip.cores = chip.network.width = chip.network.height = 1;
  chip.core.crossbars = 1;
  const bench::Compiled c = bench::compiled(R"(graph net (%x : f32[1,4]) {
  @v : f32[4,4] = [1.0, 0.5, -0.5, 1.0, 0.25, 0.5, -1.0, 0.5, 1.0, 1.0, 0.5, -0.5, 1.0, 0.25, 0.5, -1.0]
  @w : f32[4,4] = [0.5, 1.0, 0.5, 0.5, -0.5, 1.0, 0.25, 0.5, -1.0, 0.5, 0.5, 1.0, 0.5, -0.5, 1.0, 0.25]
  %y = matmul %x, @v : f32[1,4] from "First"
  %z = matmul %y, @w : f32[1,4] from "Second"
  return %z
})",
                                            Numerics::quantised, -1, 1, &chip, 2);
  bench::Compiled again = c;
  const SelectContext context = again.context();
  const EmitInput input = again.input(context);
  REQUIRE(c.steps.writes.size() == 1);
  REQUIRE(verify(c.program, input) == "");
  const auto fault = [&](auto&& plant) {
    isa::Program program = c.program;
    const auto& data = program.cores[0].instructions.data;
    std::vector<isa::Instruction> code(data.begin(), data.end());
    const auto write = std::find_if(code.begin(), code.end(),
                                    [](const isa::Instruction& i) { return i.opcode == isa::Opcode::write; });
    plant(*(write - 1), *write, program.global_constants);
    program.cores[0].instructions = isa::Blob<isa::Instruction>::own(std::move(code));
    const std::string said = verify(program, input);
    return said.substr(std::min(said.size(), said.find("': ") == std::string::npos ? 0 : said.find("': ") + 3));
  };
  using I = isa::Instruction;
  using Constants = std::vector<isa::GlobalConstant>;
  CHECK(fault([](I& load, I&, Constants&) { load.a += 4; }) ==
        fmt::format("row 0 of tile 1 stands at {}", c.program.global_constants[0].address));
  CHECK(fault([](I& load, I&, Constants&) { load.dst += 64; }).starts_with("the rows came to "));
  CHECK(fault([](I&, I& write, Constants&) { write.a += 64; }).starts_with("the rows came to "));
  CHECK(fault([](I&, I& write, Constants&) { write.target = 0; }) == "tile 1 of class 1 stands in group 1");
  CHECK(fault([](I&, I& write, Constants&) { write.stride_a += 1; }).find("writes rows 0:4 of tile 1") !=
        std::string::npos);
  CHECK(fault([&](I&, I&, Constants& all) { all[0].bytes = c.program.tiles[0].weights; }) ==
        "constant 0 does not hold tile 1");
  CHECK(fault([&](I&, I&, Constants& all) { all.clear(); }) == "no constant holds tile 1");
  CHECK(fault([&](I&, I&, Constants& all) { all.push_back(all[0]); }) == "2 constants, 1 tiles are written");
}

TEST_CASE("plan-liveness: how is a core that overflows refused?") {
  isa::Chip chip = isa::load_chip("tiny-4");
  chip.core.local_memory.capacity = 128;
  try {
    bench::compiled(convolution, Numerics::quantised, -1, 1, &chip);
    FAIL("a chip of 128 bytes holds no convolution");
  } catch (const UserError& e) {
    const std::string message = e.what();
    CHECK(message.starts_with("chip 'tiny-4', stage plan-liveness: core "));
    CHECK(message.find("128 on the chip; largest: ") != std::string::npos);
  }
}

}  // namespace pimento::pim
