#include "isa/program/random.hpp"

#include <doctest/doctest.h>

#include <deque>
#include <map>
#include <set>

#include "isa/program/execute.hpp"
#include "isa/support/failing_disk.hpp"

using namespace pimento;
using namespace pimento::isa;

namespace {
std::string bytes_of(const Program& program) {
  FailingDisk disk(0);
  write_program(program, "a.pim", disk);
  return disk.files().at("a.pim");
}

/// Runs the contacts alone, without any buffer: a message passes when its source and all its destinations stand at it.
/// Returns the number of messages, or -1 when cores are left that cannot move.
int rendezvous(const Program& program) {
  std::vector<std::deque<Instruction>> queues(program.cores.size());
  for (std::size_t c = 0; c < queues.size(); ++c) {
    LoopMachine machine(program.cores[c].instructions.data);
    while (const Instruction* i = machine.next())
      if (i->opcode == Opcode::send || i->opcode == Opcode::mcast || i->opcode == Opcode::recv ||
          row(i->opcode).form == Form::event)
        queues[c].push_back(*i);
  }
  std::map<std::uint32_t, int> events;
  int messages = 0;
  const auto waits_for = [&](CoreId at, std::size_t source, const Instruction& sent) {
    if (queues[at].empty()) return false;
    const Instruction& r = queues[at].front();
    return r.opcode == Opcode::recv && r.target == source && r.tag == sent.tag &&
           r.count * r.len == sent.count * sent.len;
  };
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t c = 0; c < queues.size(); ++c) {
      if (queues[c].empty()) continue;
      const Instruction i = queues[c].front();
      std::vector<CoreId> ends;
      if (i.opcode == Opcode::send) ends = {i.target};
      if (i.opcode == Opcode::mcast) ends = program.core_sets[i.target];
      bool passes = i.opcode == Opcode::sync || (i.opcode == Opcode::wait && events[i.tag] >= i.imm) || !ends.empty();
      for (const CoreId end : ends) passes = passes && waits_for(end, c, i);
      if (!passes) continue;
      if (i.opcode == Opcode::sync) events[i.tag] += i.imm;
      for (const CoreId end : ends) queues[end].pop_front();
      queues[c].pop_front();
      messages += ends.empty() ? 0 : 1;
      moved = true;
    }
  }
  for (const auto& queue : queues)
    if (!queue.empty()) return -1;
  return messages;
}
}  // namespace

TEST_CASE("random programs: is each one valid on its chip?") {
  for (const std::string& name : shipped_chips()) {
    const Chip chip = load_chip(name);
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      const Program program = random_program(chip, seed);
      CHECK_NOTHROW_MESSAGE(verify_program(program, chip), name << ", seed " << seed);
    }
  }
}

TEST_CASE("random programs: does each one end, without any message buffer?") {
  const Chip chip = load_chip("tiny-4");
  int messages = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const int passed = rendezvous(random_program(chip, seed));
    CHECK_MESSAGE(passed >= 0, "seed " << seed);
    messages += passed;
  }
  CHECK(messages > 10000);
}

TEST_CASE("random programs: does one seed give one program, and another seed another?") {
  const Chip chip = load_chip("tiny-4");
  CHECK(bytes_of(random_program(chip, 7)) == bytes_of(random_program(chip, 7)));
  CHECK(bytes_of(random_program(chip, 7)) != bytes_of(random_program(chip, 8)));
}

TEST_CASE("random programs: do they reach every instruction and every type?") {
  const Chip chip = load_chip("tiny-4");
  std::set<std::string_view> missing;
  std::set<ElementType> types;
  for (const Row& each : table()) missing.insert(each.name);
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Program program = random_program(chip, seed);
    for (const CoreProgram& core : program.cores)
      for (const Instruction& i : core.instructions.data) {
        missing.erase(row(i.opcode).name);
        types.insert({i.type_d, i.type_a, i.type_b});
      }
  }
  CHECK(missing == std::set<std::string_view>{"halt", "sld", "write"});
  CHECK(types.size() == element_type_count);
}

TEST_CASE("random programs: does an option leave out what it names?") {
  Chip chip = load_chip("tiny-4");
  const auto has = [&](const RandomOptions& options, auto question) {
    bool found = false;
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
      const Program program = random_program(chip, seed, options);
      for (const CoreProgram& core : program.cores)
        for (const Instruction& i : core.instructions.data) found = found || question(i);
    }
    return found;
  };
  const auto is_loop = [](const Instruction& i) { return i.opcode == Opcode::loop; };
  const auto is_multicast = [](const Instruction& i) { return i.opcode == Opcode::mcast; };
  const auto is_message = [](const Instruction& i) { return i.opcode == Opcode::recv; };
  const auto is_load = [](const Instruction& i) { return i.opcode == Opcode::load || i.opcode == Opcode::gload; };
  const auto is_real = [](const Instruction& i) {
    return i.opcode != Opcode::vrequant && (is_float(i.type_d) || is_float(i.type_a) || is_float(i.type_b));
  };
  CHECK(has({}, is_loop));
  CHECK_FALSE(has({.loops = false}, is_loop));
  CHECK(has({}, is_multicast));
  CHECK_FALSE(has({.multicast = false}, is_multicast));
  CHECK(has({.multicast = false}, is_message));
  CHECK_FALSE(has({.messages = false}, is_message));
  CHECK(has({}, is_load));
  CHECK_FALSE(has({.memory = false}, is_load));
  CHECK(has({}, is_real));
  CHECK_FALSE(has({.floats = false}, is_real));
  CHECK(random_program(chip, 1, {.cores = 2}).cores.size() == 2);
  chip.core.loops = LoopSupport::none;
  chip.network.multicast = false;
  CHECK_FALSE(has({}, is_loop));
  CHECK_FALSE(has({}, is_multicast));
}
