// When may the second of two instructions issue? Every hazard, unit and window, to the cycle: a limit of so many cycles
// lets the pair end, one less does not (ends_exactly_at), ahead and in step, with values and without.
#include <doctest/doctest.h>

#include <fmt/format.h>

#include "simulator/chip/bench.hpp"

using namespace pimento;
using namespace pimento::sim;
using namespace pimento::sim::bench;

namespace {

/// uneven_chip with ports for everybody.
isa::Chip chip_of_window(int window) {
  isa::Chip c = uneven_chip(window);
  c.core.local_memory.ports = 8;
  return c;
}
constexpr int windows[] = {1, 4, 64};

/// The second takes `takes` cycles and issues at `issue` where windows let it, and behind the end of the first at 1.
bool second_issues(const char* first, const std::string& second, Cycles first_takes, Cycles takes, Cycles issue) {
  bool all = true;
  for (const int window : windows) {
    const Cycles at = window == 1 ? first_takes : issue;
    all = all && ends_exactly_at(program({{first, second.c_str()}}), chip_of_window(window),
                                 std::max(first_takes, at + takes));
  }
  return all;
}

constexpr Cycles move = 3 + 2, relu = 3 + 2 * 5 + 2;  // of 16 bytes; the move has read at 3

/// A relu of 16 bytes behind the move [32] <- [96].
bool relu_issues(int to, int from, Cycles issue) {
  return second_issues("move [32], [96], len 16", fmt::format("vrelu [{}]:i8, [{}]:i8, len 16", to, from), move, relu,
                       issue);
}
/// A relu of four segments behind such a move: [1024] <- [4096], 32 apart; both read in 12, write in 8.
bool strided_relu_issues(const std::string& to, const std::string& from, Cycles issue) {
  return second_issues("move [1024] stride 32, [4096] stride 32, x4 len 16",
                       fmt::format("vrelu {}, {}, x4 len 16", to, from), 12 + 8, 12 + 8 * 5 + 8, issue);
}

}  // namespace

TEST_CASE("hazards: does a reader of a result wait for its end, whatever byte they share?") {
  CHECK(relu_issues(512, 32, move));
  CHECK(relu_issues(512, 47, move));  // its last byte
  CHECK(relu_issues(512, 17, move));  // its first
  CHECK(relu_issues(512, 48, 1));     // the bytes behind it
  CHECK(relu_issues(512, 16, 1));     // and before it
}

TEST_CASE("hazards: does a writer wait for an earlier writer's end?") {
  CHECK(relu_issues(32, 512, move));
  CHECK(relu_issues(47, 512, move));
  CHECK(relu_issues(17, 512, move));
  CHECK(relu_issues(48, 512, 1));
  CHECK(relu_issues(16, 512, 1));
}

TEST_CASE("hazards: does a writer wait until an earlier reader has read, and no longer?") {
  constexpr Cycles has_read = 3;
  CHECK(relu_issues(96, 512, has_read));
  CHECK(relu_issues(111, 512, has_read));
  CHECK(relu_issues(81, 512, has_read));
  CHECK(relu_issues(112, 512, 1));
  CHECK(relu_issues(80, 512, 1));
}

TEST_CASE("hazards: do two readers of the same bytes wait for each other?") { CHECK(relu_issues(512, 96, 1)); }

TEST_CASE("hazards: do strided ranges conflict in their segments and not between them?") {
  constexpr Cycles end = 20, has_read = 12;
  // read after write
  CHECK(strided_relu_issues("[8192]:i8 stride 32", "[1024]:i8 stride 32", end));
  CHECK(strided_relu_issues("[8192]:i8 stride 32", "[1039]:i8 stride 32", end));  // a byte of each
  CHECK(strided_relu_issues("[8192]:i8 stride 32", "[1040]:i8 stride 32", 1));    // the gaps
  // write after write
  CHECK(strided_relu_issues("[1025]:i8 stride 32", "[8192]:i8 stride 32", end));
  CHECK(strided_relu_issues("[1040]:i8 stride 32", "[8192]:i8 stride 32", 1));
  // write after read
  CHECK(strided_relu_issues("[4111]:i8 stride 32", "[8192]:i8 stride 32", has_read));
  CHECK(strided_relu_issues("[4112]:i8 stride 32", "[8192]:i8 stride 32", 1));
  // of unequal strides all bytes between the first and the last count, and none beside them
  CHECK(strided_relu_issues("[8192]:i8 stride 32", "[1040]:i8 stride 64", end));
  CHECK(strided_relu_issues("[8192]:i8 stride 32", "[1136]:i8 stride 64", 1));
  CHECK(strided_relu_issues("[8192]:i8 stride 32", "[4000]:i8 stride 64", 1));
}

TEST_CASE("hazards: does a plain range conflict with segments that it reaches, and not in a gap?") {
  const auto issues = [](int from, Cycles issue) {
    return second_issues("move [1024] stride 32, [4096] stride 32, x4 len 16",
                         fmt::format("vrelu [8192]:i8, [{}]:i8, len 16", from), 20, relu, issue);
  };
  CHECK(issues(1040, 1));
  CHECK(issues(1041, 20));
  CHECK(issues(1039, 20));
  CHECK(issues(1136, 1));  // behind the last segment
  CHECK(issues(1135, 20));
  CHECK(issues(1008, 1));  // before the first
  CHECK(issues(1009, 20));
}

TEST_CASE("hazards: do registers hold those that read or write them?") {
  const char* const sets = "addr A1, base 512, strides 0 0 0 0";  // 4 cycles
  CHECK(second_issues(sets, "vrelu [A1]:i8, [0]:i8, len 16", 4, relu, 4));
  CHECK(second_issues(sets, "vrelu [A2]:i8, [0]:i8, len 16", 4, relu, 1));
  CHECK(second_issues(sets, "vrelu [0]:i8, [1024+A1]:i8, len 16", 4, relu, 4));
  CHECK(second_issues(sets, "move [A1], [0], len 16", 4, move, 4));
  // the instruction before has taken the register's value at its issue
  CHECK(second_issues("vrelu [A1]:i8, [0]:i8, len 16", sets, relu, 4, 1));
  // the scalar unit holds one instruction, so all that its own registers could forbid is forbidden anyway
  for (const char* const second : {"sadd R2, R1, R3", "sldi R1, imm 2", "sadd R4, R5, R6"})
    CHECK(second_issues("sadd R1, R3, R3", second, 4, 4, 4));
  CHECK(second_issues(sets, sets, 4, 4, 4));
}

TEST_CASE("hazards: does a loop that counts by a register wait for it, and one by a number not?") {
  for (const int window : windows) {
    CAPTURE(window);
    const isa::Chip chip = chip_of_window(window);
    const char* const sets = "addr A1, base 3, strides 0 0 0 0";
    CHECK(ends_exactly_at(program({{sets, "loop A1, body 1", "nop"}}), chip, 4 + 1 + 3));
    const Cycles free = window == 1 ? 4 + 1 + 3 : 1 + 1 + 3;
    CHECK(ends_exactly_at(program({{sets, "loop 3, body 1", "nop"}}), chip, free));
  }
}

TEST_CASE("hazards: does a scalar load, which may read anywhere, wait for every writer?") {
  CHECK(second_issues("move [32], [96], len 16", "sld R1, R2, imm 4096", move, 3 + 4, move));
  CHECK(second_issues("sld R1, R2, imm 4096", "vrelu [0]:i8, [512]:i8, len 16", 3 + 4, relu, 3));
}

TEST_CASE("hazards: do gathers and scatters count as all that they may reach?") {
  // bound 4, rows 16 apart: [1024, 1088)
  const auto gathers = [](int to) {
    return second_issues(fmt::format("move [{}], [96], len 16", to).c_str(),
                         "vgather [0]:i8 stride 16, [1024]:i8 stride 16, [2048]:i32, x1 len 16, bound 4", move,
                         3 + 3 + 2 * 5 + 2, to >= 1024 && to < 1088 ? move : 1);
  };
  CHECK(gathers(1024));
  CHECK(gathers(1072));
  CHECK(gathers(1088));
  CHECK(gathers(1008));
}

TEST_CASE("units: do those of two units overlap, and those of one follow each other?") {
  struct Work {
    const char* line;
    Cycles takes;
  };
  // by unit: scalar, vector, digital, transfer, two array groups; all on bytes of their own
  const Work all[] = {{"sldi R1, imm 1", 4},
                      {"vrelu [0]:i8, [64]:i8, len 16", relu},
                      {"dvm [128]:i32, [192]:i8, [256]:i8 stride 4, x4 len 4", 3 + 3 + 4 * 5 + 2},
                      {"move [512], [576], len 16", move},
                      {"mvm [640]:i32, [704]:u8, len 4, group 0", 3 + 10 + 2},
                      {"mvm [768]:i32, [704]:u8, len 4, group 1", 3 + 10 + 2}};
  // the same once more, where nothing is written twice
  const char* const again[] = {"sldi R2, imm 1",
                               "vrelu [1024]:i8, [1088]:i8, len 16",
                               "dvm [1152]:i32, [1216]:i8, [1280]:i8 stride 4, x4 len 4",
                               "move [1536], [1600], len 16",
                               "mvm [1664]:i32, [1728]:u8, len 4, group 0",
                               "mvm [1792]:i32, [1728]:u8, len 4, group 1"};
  for (std::size_t a = 0; a < std::size(all); ++a)
    for (std::size_t b = 0; b < std::size(all); ++b) {
      CAPTURE(all[a].line);
      CAPTURE(again[b]);
      CHECK(second_issues(all[a].line, again[b], all[a].takes, all[b].takes, a == b ? all[a].takes : 1));
    }
}

TEST_CASE("units: do MVMs on four groups of one core overlap as far as the window reaches?") {
  const Lines four{"mvm [0]:i32, [512]:u8, len 4, group 0", "mvm [64]:i32, [512]:u8, len 4, group 1",
                   "mvm [128]:i32, [512]:u8, len 4, group 2", "mvm [192]:i32, [512]:u8, len 4, group 3"};
  constexpr Cycles mvm = 3 + 10 + 2;
  CHECK(ends_exactly_at(program({four}), chip_of_window(1), 4 * mvm));
  CHECK(ends_exactly_at(program({four}), chip_of_window(2), 2 * mvm + 1));  // two, then two
  CHECK(ends_exactly_at(program({four}), chip_of_window(3), 2 * mvm));      // the fourth behind the first
  CHECK(ends_exactly_at(program({four}), chip_of_window(4), 3 + mvm));
  CHECK(ends_exactly_at(program({four}), chip_of_window(64), 3 + mvm));
}

TEST_CASE("windows: how many instructions may be in flight behind one that takes long?") {
  // 64 rows of 4 on the digital unit: reads 4 + 16 accesses, 64 passes, a write
  const char* const slow = "dvm [0]:i32, [1024]:i8, [2048]:i8 stride 4, x4 len 64";
  constexpr Cycles takes = 20 * 3 + 64 * 5 + 2;
  Lines lines(71, "nop");
  lines.front() = slow;
  for (const int window : {1, 2, 4, 64, 71, 72}) {
    CAPTURE(window);
    // window - 1 nops issue in the cycles behind it, the next when it has retired, and one a cycle from then on
    const Cycles beside = std::min<Cycles>(window - 1, 70);
    CHECK(ends_exactly_at(program({lines}), chip_of_window(window), takes + 70 - beside));
  }
}
