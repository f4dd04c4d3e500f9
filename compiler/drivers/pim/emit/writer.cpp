#include "compiler/drivers/pim/emit/writer.hpp"

#include <algorithm>

#include "isa/support/error.hpp"

namespace pimento::pim {
namespace {

class RecordWriter {
 public:
  explicit RecordWriter(const isa::Chip& chip) : chip_(chip) {}
  Written run(const Rolled& rolled) {
    out_.instructions.reserve(2 * rolled.items.size());
    for (const Item& item : rolled.items) write_item(rolled, item);
    return std::move(out_);
  }

 private:
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

void RecordWriter::write_item(const Rolled& rolled, const Item& item) {
  if (item.loop < 0) {  // most operations walk nowhere
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

Written write_records(const Rolled& rolled, const isa::Chip& chip) { return RecordWriter(chip).run(rolled); }

void CoreWriter::finish(isa::CoreProgram& core, bool rolled) {
  Written best;
  if (rolled) {
    best = write_records(roll(operations_, chip_, Prefer::most), chip_);
    Written other = write_records(roll(operations_, chip_, Prefer::shortest), chip_);
    if (other.instructions.size() < best.instructions.size()) best = std::move(other);
  } else {
    best = write_records(as_they_stand(std::move(operations_)), chip_);
  }
  core.nodes = std::move(best.nodes);
  core.instructions = isa::Blob<isa::Instruction>::own(std::move(best.instructions));
}

}  // namespace pimento::pim
