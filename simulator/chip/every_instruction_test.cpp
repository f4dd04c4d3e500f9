// Every instruction by itself, to the cycle: a limit of so many cycles lets it end, one less does not, ahead and in
// step, with values and without, in windows of 1, 4 and 64. An instruction of the table without a row fails by name.
#include <doctest/doctest.h>

#include <set>

#include "simulator/chip/bench.hpp"

using namespace pimento;
using namespace pimento::sim;
using namespace pimento::sim::bench;

namespace {

struct Row {
  const char* name;
  std::vector<Lines> cores;
  Cycles end;
};
Row alone(const char* name, const char* line, Cycles end) { return {name, {{line}}, end}; }

const std::vector<Row>& rows() {
  constexpr Cycles unary = 3 + 2 * 5 + 2, binary = 3 + 3 + 2 * 5 + 2, ternary = 3 * 3 + 2 * 5 + 2;  // 16 bytes each
  constexpr Cycles rounds = 3 + 5 + 2, function = 3 + 7 + 2, function_of_two = 3 + 3 + 7 + 2;       // 4 floats
  static const std::vector<Row> all{
      alone("nop", "nop", 1),
      {"loop", {{"loop 1, body 1", "nop"}}, 1 + 1},
      {"halt", {{"halt", "nop"}}, 1},
      // scalar
      alone("addr", "addr A1, base 0, strides 0 0 0 0", 4),
      alone("sldi", "sldi R1, imm 16", 4),
      alone("sld", "sld R1, R2, imm 16", 3 + 4),
      alone("sadd", "sadd R1, R2, R3", 4),
      alone("ssub", "ssub R1, R2, R3", 4),
      alone("smul", "smul R1, R2, R3", 4),
      alone("saddi", "saddi R1, R2, imm 16", 4),
      alone("smuli", "smuli R1, R2, imm 16", 4),
      alone("setbw", "setbw in 8, out 8", 4),
      // matrix
      alone("mvm", "mvm [0]:i32, [64]:u8, len 4, group 0", 3 + 10 + 2),
      alone("program", "program group 0, tile 0", 4 * 10),
      // 16 bytes are one access
      alone("write", "write [0] stride 4, x4 len 4, group 0, tile 0, row 0", 3 + 4 * 10),
      // a and b are an access each; a pass for each of the four rows
      alone("dvm", "dvm [0]:i32, [64]:i8, [128]:i8 stride 4, x4 len 4", 3 + 3 + 4 * 5 + 2),
      // vector
      alone("vmov", "vmov [0]:i8, [64]:i8, len 16", unary),
      alone("vfill", "vfill [0]:i8, len 16, value 1", 2 * 5 + 2),
      alone("vcvt", "vcvt [0]:i8, [64]:f32, len 16, scale 1", 4 * 3 + 2 * 5 + 2),
      alone("vrequant", "vrequant [0]:i8, [64]:i32, [256]:f32, len 16", 4 * 3 + 4 * 3 + 2 * 5 + 2),
      alone("vlut", "vlut [0]:i8, [64]:u8, [256]:i8, len 16", 3 + 16 * 3 + 2 * 5 + 2),  // each element looks up
      alone("vclip", "vclip [0]:i8, [64]:i8, len 16, low -1, high 1", unary),
      alone("vadd", "vadd [0]:i8, [64]:i8, [128]:i8, len 16", binary),
      alone("vsub", "vsub [0]:i8, [64]:i8, [128]:i8, len 16", binary),
      alone("vmul", "vmul [0]:i8, [64]:i8, [128]:i8, len 16", binary),
      alone("vdiv", "vdiv [0]:f32, [64]:f32, [128]:f32, len 4", function_of_two),
      alone("vmod", "vmod [0]:f32, [64]:f32, [128]:f32, len 4", function_of_two),
      alone("vmax", "vmax [0]:i8, [64]:i8, [128]:i8, len 16", binary),
      alone("vmin", "vmin [0]:i8, [64]:i8, [128]:i8, len 16", binary),
      alone("vpow", "vpow [0]:f32, [64]:f32, [128]:f32, len 4", function_of_two),
      alone("vmac", "vmac [0]:i8, [64]:i8, [128]:i8, len 16", ternary),
      alone("vand", "vand [0]:i8, [64]:i8, [128]:i8, len 16", binary),
      alone("vor", "vor [0]:i8, [64]:i8, [128]:i8, len 16", binary),
      alone("vxor", "vxor [0]:i8, [64]:i8, [128]:i8, len 16", binary),
      alone("vshl", "vshl [0]:i8, [64]:i8, [128]:i8, len 16", binary),
      alone("vshr", "vshr [0]:i8, [64]:i8, [128]:i8, len 16", binary),
      alone("vnot", "vnot [0]:i8, [64]:i8, len 16", unary),
      alone("veq", "veq [0]:bool, [64]:i8, [128]:i8, len 16", binary),
      alone("vne", "vne [0]:bool, [64]:i8, [128]:i8, len 16", binary),
      alone("vlt", "vlt [0]:bool, [64]:i8, [128]:i8, len 16", binary),
      alone("vle", "vle [0]:bool, [64]:i8, [128]:i8, len 16", binary),
      alone("vsel", "vsel [0]:i8, [64]:bool, [128]:i8, len 16", ternary),
      alone("vneg", "vneg [0]:i8, [64]:i8, len 16", unary),
      alone("vabs", "vabs [0]:i8, [64]:i8, len 16", unary),
      alone("vrelu", "vrelu [0]:i8, [64]:i8, len 16", unary),
      alone("vexp", "vexp [0]:f32, [64]:f32, len 4", function),
      alone("vlog", "vlog [0]:f32, [64]:f32, len 4", function),
      alone("vsqrt", "vsqrt [0]:f32, [64]:f32, len 4", function),
      alone("vrsqrt", "vrsqrt [0]:f32, [64]:f32, len 4", function),
      alone("vrecip", "vrecip [0]:f32, [64]:f32, len 4", function),
      alone("verf", "verf [0]:f32, [64]:f32, len 4", function),
      alone("vtanh", "vtanh [0]:f32, [64]:f32, len 4", function),
      alone("vsigm", "vsigm [0]:f32, [64]:f32, len 4", function),
      alone("vsin", "vsin [0]:f32, [64]:f32, len 4", function),
      alone("vcos", "vcos [0]:f32, [64]:f32, len 4", function),
      alone("vfloor", "vfloor [0]:f32, [64]:f32, len 4", rounds),
      alone("vceil", "vceil [0]:f32, [64]:f32, len 4", rounds),
      alone("vround", "vround [0]:f32, [64]:f32, len 4", rounds),
      // one result of 16 elements
      alone("vrsum", "vrsum [0]:i32, [64]:i8, len 16", unary),
      alone("vrmax", "vrmax [0]:i8, [64]:i8, len 16", unary),
      alone("vrmin", "vrmin [0]:i8, [64]:i8, len 16", unary),
      alone("vrprod", "vrprod [0]:i32, [64]:i8, len 16", unary),
      alone("vrargmax", "vrargmax [0]:i32, [64]:i8, len 16", unary),
      alone("vrargmin", "vrargmin [0]:i32, [64]:i8, len 16", unary),
      alone("vscan", "vscan [0]:i8, [64]:i8, len 16", unary),
      alone("vravg", "vravg [0]:i32, [64]:i8, len 16", unary),
      alone("vdot", "vdot [0]:i32, [64]:i8, [128]:i8, len 16", binary),
      // four indices are one access, four rows of 16 bytes four; 64 elements are eight passes
      alone("vgather", "vgather [0]:i8 stride 16, [64]:i8 stride 16, [512]:i32, x4 len 16, bound 4",
            3 + 4 * 3 + 8 * 5 + 4 * 2),
      alone("vscatter", "vscatter [0]:i8 stride 16, [64]:i8 stride 16, [512]:i32, x4 len 16, bound 4",
            3 + 4 * 3 + 8 * 5 + 4 * 2),
      // transfer
      alone("move", "move [0], [64], len 16", 3 + 2),
      alone("fill", "fill [0], len 16, byte 1", 2),
      // core 0 sits beside the memory: a request is 1 + 1, data of n flits 1 + n
      alone("load", "load [0], [0], len 16", 2 + 2 + (1 + 2) + 2),
      alone("store", "store [0], [64], len 16", 3 + (1 + 2) + 2),
      // the request carries four indices, as do the data of a store
      alone("gload", "gload [0] stride 16, [0] stride 16, [512]:i32, x4 len 16, bound 4",
            3 + (1 + 2) + 4 * 2 + (1 + 8) + 4 * 2),
      alone("gstore", "gstore [0] stride 16, [64] stride 16, [512]:i32, x4 len 16, bound 4",
            3 + 4 * 3 + (1 + 10) + 4 * 2),
      // two flits over a hop
      {"send", {{"send [0], len 16, core 1, tag 1"}, {"recv [0], len 16, core 0, tag 1"}}, 3 + (2 + 1 + 2) + 2},
      {"recv", {{"recv [0], len 16, core 1, tag 1"}, {"send [0], len 16, core 0, tag 1"}}, 3 + (2 + 1 + 2) + 2},
      // core 3 is two hops away
      {"mcast",
       {{"mcast [0], len 16, set 0, tag 1"},
        {"recv [0], len 16, core 0, tag 1"},
        {},
        {"recv [0], len 16, core 0, tag 1"}},
       3 + (4 + 1 + 2) + 2},
      // a flit over a hop, away from the core 2 cycles after its issue
      {"sync", {{"sync core 1, event 1, value 1"}, {"wait core 0, event 1, value 1"}}, 2 + 1 + 1},
      {"wait", {{"wait core 0, event 1, value 1"}, {"sync core 0, event 1, value 1"}}, 2 + 1 + 1},
  };
  return all;
}

isa::Program program_of(const Row& row) {
  isa::Program p = program(row.cores);
  p.core_sets = {{1, 3}};
  // what `write` brings from local memory, where nothing was stored, must be what the tile says
  if (std::string_view(row.name) == "write")
    p.tiles[0].weights = isa::Blob<std::uint8_t>::own(std::vector<std::uint8_t>(16, 0));
  return p;
}

}  // namespace

TEST_CASE("every instruction: does it end in its cycle and in no earlier one, whatever the window?") {
  for (const Row& row : rows())
    for (const int window : {1, 4, 64}) {
      CAPTURE(row.name);
      CAPTURE(window);
      CHECK(ends_exactly_at(program_of(row), uneven_chip(window), row.end));
    }
}

TEST_CASE("every instruction: has every row of the instruction table its cycles here, and nothing else?") {
  std::set<std::string_view> tested;
  for (const Row& row : rows()) {
    CHECK_MESSAGE(tested.insert(row.name).second, row.name);
    CHECK_MESSAGE(isa::row(isa::parse(row.cores.front().front()).opcode).name == row.name, row.name);
  }
  for (const isa::Row& row : isa::table()) CHECK_MESSAGE(tested.count(row.name) == 1, row.name);
  CHECK(tested.size() == isa::table().size());
}

TEST_CASE(
    "every instruction: does the next one that depends on nothing issue a cycle later, and on one unit at its end?") {
  // A nop behind it: with a window of 1 it follows the end, else it is hidden but behind what takes a cycle.
  for (const Row& row : rows()) {
    const isa::Opcode opcode = isa::parse(row.cores.front().front()).opcode;
    if (opcode == isa::Opcode::halt || opcode == isa::Opcode::loop || row.cores.size() > 1) continue;
    Row two = row;
    two.cores.front().push_back("nop");
    CAPTURE(row.name);
    CHECK(ends_exactly_at(program_of(two), uneven_chip(1), row.end + 1));
    CHECK(ends_exactly_at(program_of(two), uneven_chip(4), std::max<Cycles>(row.end, 2)));
    Row many = row;  // of as many as it has cycles the last issues when it ends, not earlier and not later
    for (Cycles n = 0; n < row.end; ++n) many.cores.front().push_back("nop");
    CHECK(ends_exactly_at(program_of(many), uneven_chip(128), row.end + 1));
    two.cores.front().back() = row.cores.front().front();
    if (isa::row(opcode).unit == isa::Unit::control) continue;
    CHECK(ends_exactly_at(program_of(two), uneven_chip(1), 2 * row.end));
    CHECK(ends_exactly_at(program_of(two), uneven_chip(4), 2 * row.end));
  }
}
