#include <fmt/format.h>

#include <limits>

#include "isa/program/execute.hpp"

namespace pimento::isa {
namespace {
struct Unroller {
  const CoreProgram& core;
  LoopMachine machine{core.instructions.data};
  std::vector<Instruction> out{};
  std::vector<NodeRange> ranges{};
  std::vector<std::uint32_t> node_of{};     ///< by instruction; no_node outside of every range
  std::array<AddressSetup, 256> emitted{};  ///< rings that the new program has set

  void map_nodes() {
    node_of.assign(core.instructions.size(), no_node);
    for (const NodeRange& range : core.nodes)
      for (std::uint32_t k = range.begin; k < std::min<std::size_t>(range.end, node_of.size()); ++k)
        node_of[k] = range.node;
  }

  void append(const Instruction& i, std::uint32_t node) {
    const auto at = static_cast<std::uint32_t>(out.size());
    if (at == std::numeric_limits<std::uint32_t>::max())
      throw UserError("unrolled, one core has more than 2^32 instructions");
    out.push_back(i);
    if (node == no_node) return;
    if (!ranges.empty() && ranges.back().end == at && ranges.back().node == node)
      ++ranges.back().end;
    else
      ranges.push_back({at, at + 1, node});
  }

  std::int32_t narrow(std::int64_t address) const {
    if (address < std::numeric_limits<std::int32_t>::min() || address > std::numeric_limits<std::int32_t>::max())
      throw UserError(fmt::format("unrolled, an address is {}, which has more than 32 bits", address));
    return static_cast<std::int32_t>(address);
  }

  void resolve(Instruction& i, Operand o, std::uint32_t node) {
    std::uint8_t& reg = o == Operand::d ? i.reg_d : o == Operand::a ? i.reg_a : i.reg_b;
    if (reg == no_register) return;
    std::int32_t& address = o == Operand::d ? i.dst : o == Operand::a ? i.a : i.b;
    const AddressSetup& set = machine.setup(reg);
    const std::int64_t value = machine.value(reg);
    std::int64_t start = address + value;
    if (set.ring_size > 0) {
      const View v = view(i, o);
      start = wrap(start, set.ring_lo, set.ring_size);
      const std::int64_t last = start + (v.count - 1) * v.stride;
      if (last < set.ring_lo || last >= std::int64_t{set.ring_lo} + set.ring_size) {
        keep_ring(reg,
                  {static_cast<std::int32_t>(wrap(value, set.ring_lo, set.ring_size)), {}, set.ring_lo, set.ring_size},
                  node);
        return;
      }
    }
    address = narrow(start);
    reg = no_register;
  }

  void keep_ring(std::uint8_t reg, const AddressSetup& wanted, std::uint32_t node) {
    AddressSetup& now = emitted[reg];
    if (now.base == wanted.base && now.ring_lo == wanted.ring_lo && now.ring_size == wanted.ring_size) return;
    now = wanted;
    append(make_addr(reg, wanted), node);
  }

  CoreProgram run() {
    map_nodes();
    out.reserve(static_cast<std::size_t>(std::min<std::int64_t>(executed_instructions(core), 1 << 24)));
    std::array<bool, 256> scalar{};
    for (const Row& each : table()) scalar[static_cast<std::size_t>(each.opcode)] = each.unit == Unit::scalar;
    while (const Instruction* next = machine.next()) {
      if (next->opcode == Opcode::loop || next->opcode == Opcode::addr) continue;
      const std::uint32_t node = node_of[machine.index_of(*next)];
      const bool plain = (next->reg_d & next->reg_a & next->reg_b) == no_register;
      if (plain || scalar[static_cast<std::size_t>(next->opcode)]) {
        append(*next, node);
        continue;
      }
      Instruction i = *next;
      for (const Operand o : all_operands) resolve(i, o, node);
      append(i, node);
    }
    CoreProgram result = core;
    result.instructions = Blob<Instruction>::own(std::move(out));
    result.nodes = std::move(ranges);
    return result;
  }
};

/// Counts by multiplication where every round of a loop is like the first.
struct Counter {
  std::span<const Instruction> records;

  /// Up to and with the first `halt` outside of loops.
  std::size_t end() const {
    for (std::size_t k = 0; k < records.size(); ++k) {
      if (records[k].opcode == Opcode::halt) return k + 1;
      if (records[k].opcode == Opcode::loop) k += records[k].target;
    }
    return records.size();
  }
  bool even(std::size_t begin, std::size_t end) const {
    for (std::size_t k = begin; k < end; ++k)
      if ((records[k].opcode == Opcode::halt && k + 1 < end) ||
          (records[k].flags & flag::loop_register && records[k].opcode == Opcode::loop))
        return false;
    return true;
  }
  /// Of a stretch without `halt` and register counts.
  std::int64_t count(std::size_t begin, std::size_t end) const {
    std::int64_t sum = 0;
    for (std::size_t k = begin; k < end; ++k) {
      ++sum;
      const Instruction& i = records[k];
      if (i.opcode != Opcode::loop) continue;
      const std::size_t body = k + 1;
      if (i.target > end - body)
        throw UserError(fmt::format("instruction {}: a loop ends outside of what is round it", k));
      std::int64_t rounds = 0;
      if (i.count > 0 && __builtin_mul_overflow(count(body, body + i.target), std::int64_t{i.count}, &rounds))
        too_many();
      if (__builtin_add_overflow(sum, rounds, &sum)) too_many();
      k += i.target;
    }
    return sum;
  }
  [[noreturn]] static void too_many() { throw UserError("one core executes more than 2^63 instructions"); }
};
}  // namespace

std::int64_t executed_instructions(const CoreProgram& core) {
  const Counter counter{core.instructions.data};
  if (const std::size_t end = counter.end(); counter.even(0, end)) return counter.count(0, end);
  LoopMachine machine(core.instructions.data);
  std::int64_t sum = 0;
  while (machine.next() != nullptr) ++sum;
  return sum;
}

Program unroll(const Program& program) {
  Program result = program;
  for (CoreProgram& core : result.cores) core = Unroller{core}.run();
  return result;
}

}  // namespace pimento::isa
