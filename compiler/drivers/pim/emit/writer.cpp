#include "compiler/drivers/pim/emit/writer.hpp"

#include <algorithm>

#include "isa/support/error.hpp"

namespace pimento::pim {
namespace {

class RecordWriter {
 public:
  explicit RecordWriter(const isa::Chip& chip) : chip_(chip) {}
  Written run(const std::vector<Rolled>& parts) {
    for (const Rolled& part : parts) write_part(part);
    return std::move(out_);
  }

 private:
  void write_part(const Rolled& rolled);
  void write_item(const Rolled& rolled, const Item& item);
  void set_registers(const std::vector<Walk>& all, std::uint32_t node);
  std::uint8_t register_of(const Walk& walk) const;
  void write(const Rolled& rolled, const Item& item, const std::vector<Walk>& all, std::size_t slot);
  void append(const isa::Instruction& instruction, std::uint32_t node);

  const isa::Chip& chip_;
  Written out_;
  std::vector<Walk> held_;          ///< by register
  std::vector<std::int64_t> used_;  ///< time of last use, by register
  std::int64_t now_ = 0;
};

/// With its addresses, and no registers yet.
isa::Instruction placed(const FlatOp& op) {
  isa::Instruction form = op.form;
  form.reg_d = form.reg_a = form.reg_b = isa::no_register;
  form.dst = static_cast<std::int32_t>(op.d.address);
  form.a = static_cast<std::int32_t>(op.a.address);
  form.b = static_cast<std::int32_t>(op.b.address);
  return form;
}

void RecordWriter::append(const isa::Instruction& instruction, std::uint32_t node) {
  const auto at = static_cast<std::uint32_t>(out_.instructions.size());
  out_.instructions.push_back(instruction);
  if (out_.nodes.empty() || out_.nodes.back().node != node) out_.nodes.push_back({at, at, node});
  out_.nodes.back().end = at + 1;
}

std::uint8_t RecordWriter::register_of(const Walk& walk) const {
  if (walk.still()) return isa::no_register;
  const auto at = std::find_if(held_.begin(), held_.end(), [&](const Walk& held) { return walk.served_by(held); });
  PIMENTO_CHECK(at != held_.end(), "an operand walks and no register does");
  return static_cast<std::uint8_t>(at - held_.begin());
}

/// Registers for all the walks of an item, before its loops begin.
void RecordWriter::set_registers(const std::vector<Walk>& all, std::uint32_t node) {
  ++now_;
  std::vector<Walk> missing;
  for (const Walk& walk : distinct(all)) {
    const auto at = std::find_if(held_.begin(), held_.end(), [&](const Walk& held) { return walk.served_by(held); });
    if (at == held_.end())
      missing.push_back(walk);
    else
      used_[static_cast<std::size_t>(at - held_.begin())] = now_;
  }
  for (const Walk& walk : missing) {
    std::size_t reg = held_.size();
    if (held_.size() < static_cast<std::size_t>(chip_.core.scalar.address_registers)) {
      held_.push_back(walk);
      used_.push_back(now_);
    } else {
      reg = static_cast<std::size_t>(std::min_element(used_.begin(), used_.end()) - used_.begin());
      PIMENTO_CHECK(used_[reg] < now_,
                    "a loop walks in more ways than chip '" + chip_.name + "' has address registers");
      held_[reg] = walk;
      used_[reg] = now_;
    }
    isa::AddressSetup setup;
    setup.strides = walk.strides;
    setup.ring_lo = walk.ring_lo;
    setup.ring_size = walk.ring_size;
    append(isa::make_addr(static_cast<std::uint8_t>(reg), setup), node);
  }
}

void RecordWriter::write(const Rolled& rolled, const Item& item, const std::vector<Walk>& all, std::size_t slot) {
  const auto loop_over = [&](std::int32_t trips, std::size_t records, std::uint32_t node) {
    isa::Instruction loop;
    loop.opcode = isa::Opcode::loop;
    loop.count = trips;
    loop.target = static_cast<std::uint32_t>(records);
    append(loop, node);
  };
  const Operation& first = rolled.operations[rolled.places[item.first_place]];
  if (item.loop >= 0) {
    const RolledLoop& loop = rolled.loops[static_cast<std::size_t>(item.loop)];
    loop_over(loop.trips, item.records - 1, first.node);
    for (const Item& each : loop.body) {
      write(rolled, each, all, slot);
      slot += std::size_t{3} * each.places;
    }
    return;
  }
  const FlatOp& op = first.op;
  for (std::int32_t level = 0; level < op.depth; ++level)
    loop_over(op.trips[static_cast<std::size_t>(level)], static_cast<std::size_t>(op.depth - level), first.node);
  isa::Instruction form = placed(op);
  form.reg_d = register_of(all[slot]);
  form.reg_a = register_of(all[slot + 1]);
  form.reg_b = register_of(all[slot + 2]);
  append(form, first.node);
}

void RecordWriter::write_part(const Rolled& rolled) {
  if (rolled.items.empty()) return;
  out_.instructions.reserve(out_.instructions.size() + 2 * rolled.items.size());
  const std::size_t at = out_.instructions.size();
  if (rolled.repeat.is_loop()) {
    // a turn finds in the registers what the one before has left there: it sets its own
    held_.clear(), used_.clear();
    isa::Instruction loop;
    loop.opcode = isa::Opcode::loop;
    loop.count = rolled.repeat.turns;
    append(loop, rolled.operations[rolled.places[rolled.items.front().first_place]].node);
  }
  for (const Item& item : rolled.items) write_item(rolled, item);
  if (rolled.repeat.is_loop())
    out_.instructions[at].target = static_cast<std::uint32_t>(out_.instructions.size() - at - 1);
}

void RecordWriter::write_item(const Rolled& rolled, const Item& item) {
  if (item.loop < 0 && !rolled.repeat.is_loop()) {  // most operations walk nowhere
    const Operation& one = rolled.operations[rolled.places[item.first_place]];
    const std::uint8_t* const wraps = rolled.wraps.data() + std::size_t{3} * item.first_place;
    if (one.op.depth == 0 && wraps[0] == 0 && wraps[1] == 0 && wraps[2] == 0) {
      ++now_;
      return append(placed(one.op), one.node);
    }
  }
  const std::vector<Walk> all = walks(rolled, item);
  set_registers(all, rolled.operations[rolled.places[item.first_place]].node);
  write(rolled, item, all, 0);
}
}  // namespace

Written write_records(const std::vector<Rolled>& parts, const isa::Chip& chip) { return RecordWriter(chip).run(parts); }

std::vector<isa::Instruction> fewest_records(const std::vector<Operation>& operations, const isa::Chip& chip) {
  Written best = write_records({roll(operations, chip, Prefer::most)}, chip);
  Written other = write_records({roll(operations, chip, Prefer::shortest)}, chip);
  return std::move(other.instructions.size() < best.instructions.size() ? other.instructions : best.instructions);
}

/// What a core does in the first of some turns.
std::vector<Operation> CoreWriter::operations_of(const Pass& pass) const {
  std::vector<Operation> chosen;
  for (const Operation& operation : operations_) {
    if (operation.stage < pass.first_stage || operation.stage > pass.last_stage) continue;
    Operation& one = chosen.emplace_back(operation);
    const std::int64_t image = pass.first - operation.stage;
    if (one.op.form.opcode == isa::Opcode::load) one.op.a.address += image * stream_.stride;
    if (one.op.form.opcode == isa::Opcode::store) one.op.d.address += image * stream_.stride;
  }
  return chosen;
}

void CoreWriter::finish(isa::CoreProgram& core, bool rolled) {
  std::vector<Rolled> most, shortest;  // not rolled: `most` as it stands
  for (const Pass& pass : stream_.passes) {
    std::vector<Operation> operations = operations_of(pass);
    const Repeat repeat{pass.turns, stream_.stride};
    if (!rolled) {
      most.push_back(as_they_stand(std::move(operations), repeat));
      continue;
    }
    most.push_back(roll(operations, chip_, Prefer::most, repeat));
    shortest.push_back(roll(operations, chip_, Prefer::shortest, repeat));
  }
  Written best = write_records(most, chip_);
  if (rolled) {
    Written other = write_records(shortest, chip_);
    if (other.instructions.size() < best.instructions.size()) best = std::move(other);
  }
  core.nodes = std::move(best.nodes);
  core.instructions = isa::Blob<isa::Instruction>::own(std::move(best.instructions));
}

}  // namespace pimento::pim
