#include "isa/program/executions.hpp"

#include <algorithm>

#include "isa/program/execute.hpp"

namespace pimento::isa {
namespace {

/// Neither `halt` before the end nor a loop that counts by a register.
bool is_plain(std::span<const Instruction> records) {
  return std::none_of(records.begin(), records.end(), [&](const Instruction& i) {
    return (i.opcode == Opcode::halt && &i != &records.back()) ||
           (i.opcode == Opcode::loop && (i.flags & flag::loop_register) != 0);
  });
}

void multiply(std::span<const Instruction> records, std::size_t begin, std::size_t end, std::int64_t times,
              std::vector<std::int64_t>& counts) {
  for (std::size_t k = begin; k < end; ++k) {
    counts[k] = times;
    if (records[k].opcode != Opcode::loop) continue;
    const std::size_t body_end = std::min(end, k + 1 + records[k].target);
    multiply(records, k + 1, body_end, times * std::max<std::int64_t>(0, records[k].count), counts);
    k = body_end - 1;
  }
}

}  // namespace

std::vector<std::int64_t> executions(const CoreProgram& core) {
  const std::span<const Instruction> records = core.instructions.data;
  std::vector<std::int64_t> counts(records.size(), 0);
  if (is_plain(records)) {
    multiply(records, 0, records.size(), 1, counts);
    return counts;
  }
  LoopMachine machine(records);
  while (const Instruction* i = machine.next()) ++counts[machine.index_of(*i)];
  return counts;
}

}  // namespace pimento::isa
