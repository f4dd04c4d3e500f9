#include "compiler/drivers/pim/schedule/overlapping.hpp"

#include <utility>

#include "isa/instruction/writes_cells.hpp"

namespace pimento::pim {
namespace {
using isa::Opcode;

std::uint32_t unit_of(const isa::Instruction& instruction) {
  if (instruction.opcode == Opcode::mvm) return CoreClock::group_unit + instruction.target;
  if (instruction.opcode == Draft::drawn) return CoreClock::vector_unit;
  switch (isa::row(instruction.opcode).unit) {
    case isa::Unit::scalar:
      return CoreClock::scalar_unit;
    case isa::Unit::vector:
      return CoreClock::vector_unit;
    case isa::Unit::matrix:
      return CoreClock::digital_unit;
    case isa::Unit::transfer:
      return CoreClock::transfer_unit;
    default:
      return CoreClock::control_unit;
  }
}

}  // namespace

OverlappingCore::OverlappingCore(const Spatial& spatial, const isa::Chip& chip, Draft draft)
    : spatial_(spatial),
      chip_(chip),
      draft_(std::move(draft)),
      costs_(draft_.instructions.size()),
      is_unrolled_(chip.core.loop_depth == 0),
      clock_(chip) {}

const OverlappingCore::Cost& OverlappingCore::cost_of(std::size_t at) {
  Cost& cost = costs_[at];
  if (std::exchange(cost.is_known, true)) return cost;
  const isa::Instruction& i = draft_.instructions[at];
  cost.unit = unit_of(i);
  std::int64_t columns = 0;
  if (i.opcode == Opcode::mvm) {
    const WeightTile& tile = spatial_.tiles[static_cast<std::size_t>(draft_.tile_of_group[i.target])];
    cost.duration = isa::cost::mvm(chip_, tile.shape, i);
    columns = tile.columns();
  } else if (i.opcode == Draft::drawn) {
    cost.duration.compute = i.imm;
  } else if (!isa::writes_cells(i.opcode)) {
    cost.duration = isa::cost::local(chip_, i);
  }
  cost.touched = isa::cost::touched(i, columns, chip_.core.local_memory.capacity);
  return cost;
}

Timed OverlappingCore::timed(std::size_t at) {
  const Cost& cost = cost_of(at);
  const isa::Instruction& i = draft_.instructions[at];
  Timed t{cost.unit, cost.duration, {}, {i.reg_d, i.reg_a, i.reg_b}, i.opcode == Opcode::addr};
  isa::cost::footprint(cost.touched, registers_.places(i), t.bytes);
  return t;
}

OverlappingCore::Contact OverlappingCore::next() {
  while (at_ < draft_.instructions.size()) {
    const isa::Instruction& i = draft_.instructions[at_];
    if (i.opcode == Opcode::loop) {
      begin_loop(i);
      continue;
    }
    const std::size_t here = at_;
    if (i.opcode == Opcode::addr) {
      if (!is_unrolled_) clock_.issue(timed(here));
      registers_.set(i);
    } else {
      Timed t = timed(here);
      const bool is_contact = t.unit == CoreClock::transfer_unit || isa::writes_cells(i.opcode);
      if (!is_contact) clock_.issue(t);
      ++at_;
      end_loops();
      if (is_contact) return {&draft_.instructions[here], std::move(t)};
      continue;
    }
    ++at_;
    end_loops();
  }
  return {};
}

void OverlappingCore::begin_loop(const isa::Instruction& loop) {
  if (!is_unrolled_) clock_.issue({});
  const std::size_t begin = at_ + 1, end = begin + loop.target;
  const auto unit = unit_of(draft_.instructions[begin]);
  if (loop.target == 1 && unit != CoreClock::transfer_unit && unit != CoreClock::scalar_unit) {
    repeat(begin, loop.count);
    at_ = end;
    return end_loops();
  }
  loops_.push_back({begin, end, loop.count});
  registers_.counters[loops_.size() - 1] = 0;
  at_ = begin;
}

void OverlappingCore::end_loops() {
  while (!loops_.empty() && at_ == loops_.back().end) {
    std::int64_t& counter = registers_.counters[loops_.size() - 1];
    if (--loops_.back().left > 0) {
      ++counter;
      at_ = loops_.back().begin;
      return;
    }
    counter = 0;
    loops_.pop_back();
  }
}

/// A loop of one instruction. Once as many as the window holds have followed each other at one distance, so do all the
/// others; the last ones are issued again, since what comes waits for the bytes that they touch.
void OverlappingCore::repeat(std::size_t at, std::int64_t times) {
  const std::int64_t steady = clock_.window() + 2;
  std::int64_t& counter = registers_.counters[loops_.size()];
  Cycles last = 0, distance = 0;
  std::int64_t alike = 0;
  for (counter = 0; counter < times; ++counter) {
    const Cycles issued = clock_.issue(timed(at));
    alike = issued - last == distance ? alike + 1 : 0;
    distance = issued - last, last = issued;
    const std::int64_t skipped = times - counter - steady - 1;
    if (alike < steady || skipped <= 0 || clock_.has_open_transfer()) continue;
    clock_.move_on(skipped * distance);
    last += skipped * distance;
    counter += skipped;
  }
  counter = 0;
}

}  // namespace pimento::pim
