#include <doctest/doctest.h>

#include <map>

#include "isa/instruction/form.hpp"
#include "isa/program/program.hpp"
#include "isa/program/random.hpp"
#include "isa/program/small_program.hpp"
#include "isa/support/error.hpp"

using namespace pimento;
using namespace pimento::isa;

namespace {
/// Executes loops by plain recursion and writes down every instruction with the places that its views touch.
struct Reference {
  std::span<const Instruction> records;
  std::map<int, AddressSetup> registers{};
  std::vector<std::int64_t> counters{};
  std::vector<std::string> log{};
  std::int64_t steps = 0;
  bool halted = false;

  std::int64_t value(int reg) {
    const AddressSetup& s = registers[reg];
    std::int64_t v = s.base;
    for (std::size_t level = 0; level < counters.size(); ++level) v += s.strides[level] * counters[level];
    return v;
  }
  static std::int64_t wrapped(std::int64_t start, const AddressSetup& s) {
    while (s.ring_size > 0 && start < s.ring_lo) start += s.ring_size;
    while (s.ring_size > 0 && start >= s.ring_lo + s.ring_size) start -= s.ring_size;
    return start;
  }
  void note(Instruction i) {
    std::string places;
    for (const Operand o : all_operands) {
      const View v = view(i, o);
      if (v.space == Space::none) continue;
      places += " |";
      for (std::int64_t k = 0; k < v.count; ++k) {
        const std::int64_t start = v.address + k * v.stride;
        places += " " + std::to_string(v.reg == no_register ? start : wrapped(start + value(v.reg), registers[v.reg]));
      }
    }
    if (row(i.opcode).unit != Unit::scalar) i.reg_d = i.reg_a = i.reg_b = no_register, i.dst = i.a = i.b = 0;
    log.push_back(print(i) + places);
  }
  void run(std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end && !halted; ++k) {
      const Instruction& i = records[k];
      ++steps;
      if (i.opcode == Opcode::addr) {
        registers[i.reg_d] = address_setup(i);
      } else if (i.opcode == Opcode::loop) {
        const std::int64_t trips =
            i.flags & flag::loop_register ? wrapped(value(i.reg_a), registers[i.reg_a]) : i.count;
        counters.push_back(0);
        for (std::int64_t n = 0; n < trips && !halted; ++n) {
          counters.back() = n;
          run(k + 1, k + 1 + i.target);
        }
        counters.pop_back();
        k += i.target;
      } else {
        note(i);
        halted = i.opcode == Opcode::halt;
      }
    }
  }
};
Reference executed(const CoreProgram& core) {
  Reference r{core.instructions.data};
  r.run(0, core.instructions.size());
  return r;
}
CoreProgram core_of(std::initializer_list<const char*> lines) {
  std::vector<Instruction> records;
  for (const char* line : lines) records.push_back(parse(line));
  CoreProgram core;
  core.instructions = Blob<Instruction>::own(std::move(records));
  return core;
}
std::string unrolled(std::initializer_list<const char*> lines) {
  Program p;
  p.cores.push_back(core_of(lines));
  std::string text;
  const Program result = unroll(p);
  for (const Instruction& i : result.cores[0].instructions.data) text += print(i) + "\n";
  return text;
}
}  // namespace

TEST_CASE("unroll: does a counter become an immediate address?") {
  CHECK(unrolled({"addr A0, base 100, strides 8 0 0 0", "loop 3, body 1", "recv [4+A0], len 8, core 1, tag 7"}) ==
        "recv [104], len 8, core 1, tag 7\nrecv [112], len 8, core 1, tag 7\nrecv [120], len 8, core 1, tag 7\n");
  // two levels, the inner count is 1 + the outer counter
  CHECK(unrolled({"addr A0, base 0, strides 100 1 0 0", "addr A1, base 1, strides 1 0 0 0", "loop 2, body 2",
                  "loop A1, body 1", "send [A0], len 8, core 1, tag 7"}) ==
        "send [0], len 8, core 1, tag 7\nsend [100], len 8, core 1, tag 7\nsend [101], len 8, core 1, tag 7\n");
  CHECK(unrolled({"loop 0, body 1", "nop", "loop 2, body 2", "nop", "halt", "nop"}) == "nop\nhalt\n");
}

TEST_CASE("unroll: when does a ring stay a register?") {
  // three rows of 16 in a ring of 64: the windows that begin at rows 0 and 1 do not wrap, those at 2 and 3 do
  CHECK(unrolled({"addr A0, base 1024, strides 16 0 0 0, ring 1024 64", "loop 5, body 1",
                  "mvm [0]:i32, [A0]:u8 stride 16, x3 len 4, group 0"}) ==
        "mvm [0]:i32, [1024]:u8 stride 16, x3 len 4, group 0\n"
        "mvm [0]:i32, [1040]:u8 stride 16, x3 len 4, group 0\n"
        "addr A0, base 1056, ring 1024 64\n"
        "mvm [0]:i32, [A0]:u8 stride 16, x3 len 4, group 0\n"
        "addr A0, base 1072, ring 1024 64\n"
        "mvm [0]:i32, [A0]:u8 stride 16, x3 len 4, group 0\n"
        "mvm [0]:i32, [1024]:u8 stride 16, x3 len 4, group 0\n");
  // the same place twice needs one setting
  CHECK(unrolled({"addr A0, base 48, ring 0 64", "loop 2, body 1", "move [128], [A0] stride 16, x2 len 4"}) ==
        "addr A0, base 48, ring 0 64\nmove [128], [A0] stride 16, x2 len 4\nmove [128], [A0] stride 16, x2 len 4\n");
}

TEST_CASE("unroll: do random programs touch the same places in the same order?") {
  const Chip chip = load_chip("tiny-4");
  std::size_t contacts = 0, mvms = 0, rings = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Program program = random_program(chip, seed);
    const Program flat = unroll(program);
    for (std::size_t c = 0; c < program.cores.size(); ++c) {
      const Reference before = executed(program.cores[c]);
      const Reference after = executed(flat.cores[c]);
      CHECK_MESSAGE(before.log == after.log, "seed " << seed << ", core " << c);
      CHECK(executed_instructions(program.cores[c]) == before.steps);
      for (const Instruction& i : flat.cores[c].instructions.data) {
        CHECK(i.opcode != Opcode::loop);
        contacts += row(i.opcode).unit == Unit::transfer ? 1 : 0;
        mvms += i.opcode == Opcode::mvm ? 1 : 0;
        rings += i.opcode == Opcode::addr ? 1 : 0;
      }
    }
  }
  CHECK(contacts > 10000);
  CHECK(mvms > 10000);
  CHECK(rings > 100);
}

TEST_CASE("unroll: is its result a program for a chip without loops, and does each instruction keep its node?") {
  Chip chip = load_chip("tiny-4");
  const Program flat = unroll(small_program(chip));
  chip.core.loops = LoopSupport::none;
  CHECK_NOTHROW(verify_program(flat, chip));
  // load; six rounds of mvm, vcvt, send, nop; halt. Node 0: load and mvm (and vcvt is outside), node 1: vcvt
  const CoreProgram& core = flat.cores[0];
  CHECK(core.instructions.size() == 1 + 6 * 4 + 1);
  std::map<std::uint32_t, int> counts;
  for (const NodeRange& range : core.nodes)
    for (std::uint32_t k = range.begin; k < range.end; ++k) {
      ++counts[range.node];
      CHECK((range.node == 1) == (core.instructions.data[k].opcode == Opcode::vcvt));
    }
  CHECK(counts[0] == 7);
  CHECK(counts[1] == 6);
}

TEST_CASE("executed_instructions: are loops multiplied, and where they cannot be, stepped?") {
  CHECK(executed_instructions(core_of({"loop 1000000, body 2", "loop 1000000, body 1", "nop"})) ==
        1 + 1000000LL * 1000001);
  CHECK(executed_instructions(core_of({"loop 10, body 1", "nop", "halt", "nop"})) == 12);
  CHECK(executed_instructions(core_of({"loop 10, body 2", "halt", "nop"})) == 2);
  // counts 1, 2, 3: three inner loops and six rounds; with the outer loop and its register 2 + 3 + 6
  CHECK(executed_instructions(
            core_of({"addr A1, base 1, strides 1 0 0 0", "loop 3, body 2", "loop A1, body 1", "nop"})) == 11);
  CHECK(executed_instructions(core_of({})) == 0);
}

TEST_CASE("unroll: is a loop that leaves its place refused rather than followed?") {
  CHECK_THROWS_WITH_AS(unrolled({"loop 3, body 4", "nop"}), "instruction 0: a loop ends outside of what is round it",
                       UserError);
  CHECK_THROWS_WITH_AS(executed_instructions(core_of({"loop 2, body 2", "loop 3, body 2", "nop", "nop"})),
                       "instruction 1: a loop ends outside of what is round it", UserError);
  CHECK_THROWS_WITH_AS(executed_instructions(core_of({"loop 2147483647, body 4", "loop 2147483647, body 3",
                                                      "loop 2147483647, body 2", "loop 2147483647, body 1", "nop"})),
                       "one core executes more than 2^63 instructions", UserError);
  CHECK_THROWS_WITH_AS(unrolled({"addr A0, base 2147483647", "move [1+A0], [0], len 1"}),
                       "unrolled, an address is 2147483648, which has more than 32 bits", UserError);
}
