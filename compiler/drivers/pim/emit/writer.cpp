#include "compiler/drivers/pim/emit/writer.hpp"

#include <algorithm>

#include "isa/support/error.hpp"

namespace pimento::pim {

void CoreWriter::begin_node(std::uint32_t node) {
  const auto at = static_cast<std::uint32_t>(instructions_.size());
  if (!nodes_.empty()) {
    if (nodes_.back().node == node) return;
    nodes_.back().end = at;
    if (nodes_.back().begin == at) nodes_.pop_back();
    if (!nodes_.empty() && nodes_.back().node == node) return;
  }
  nodes_.push_back({at, at, node});
}

/// The register that walks as this operand does; `addr` is written where none does yet.
std::uint8_t CoreWriter::register_for(const FlatOperand& operand, std::int32_t depth) {
  Walk walk;
  bool walks = operand.ring_size > 0;
  for (std::int32_t level = 0; level < depth; ++level) {
    const auto l = static_cast<std::size_t>(level);
    walk.strides[l] = static_cast<std::int32_t>(operand.loops[l]);
    walks = walks || walk.strides[l] != 0;
  }
  if (!walks) return isa::no_register;
  walk.ring_lo = operand.ring_size > 0 ? static_cast<std::int32_t>(operand.ring_lo) : 0;
  walk.ring_size = static_cast<std::int32_t>(operand.ring_size);
  ++now_;
  if (const auto found = register_of_.find(walk); found != register_of_.end()) {
    used_[found->second] = now_;
    return found->second;
  }
  std::size_t reg = held_.size();
  if (held_.size() < static_cast<std::size_t>(chip_.core.scalar.address_registers)) {
    held_.push_back(walk);
    used_.push_back(now_);
  } else {
    PIMENTO_CHECK(!held_.empty(), "chip '" + chip_.name + "' has no address registers");
    reg = static_cast<std::size_t>(std::min_element(used_.begin(), used_.end()) - used_.begin());
    register_of_.erase(held_[reg]);
    held_[reg] = walk;
    used_[reg] = now_;
  }
  const auto id = static_cast<std::uint8_t>(reg);
  register_of_[walk] = id;
  isa::AddressSetup setup;
  setup.strides = walk.strides;
  setup.ring_lo = walk.ring_lo;
  setup.ring_size = walk.ring_size;
  instructions_.push_back(isa::make_addr(id, setup));
  return id;
}

void CoreWriter::write(const FlatOp& op) {
  isa::Instruction form = op.form;
  form.reg_d = register_for(op.d, op.depth);
  form.reg_a = register_for(op.a, op.depth);
  form.reg_b = register_for(op.b, op.depth);
  form.dst = static_cast<std::int32_t>(op.d.address);
  form.a = static_cast<std::int32_t>(op.a.address);
  form.b = static_cast<std::int32_t>(op.b.address);
  for (std::int32_t level = 0; level < op.depth; ++level) {
    isa::Instruction loop;
    loop.opcode = isa::Opcode::loop;
    loop.count = op.trips[static_cast<std::size_t>(level)];
    loop.target = static_cast<std::uint32_t>(op.depth - level);
    instructions_.push_back(loop);
  }
  instructions_.push_back(form);
}

void CoreWriter::finish(isa::CoreProgram& core) {
  if (!nodes_.empty()) {
    nodes_.back().end = static_cast<std::uint32_t>(instructions_.size());
    if (nodes_.back().begin == nodes_.back().end) nodes_.pop_back();
  }
  core.nodes = std::move(nodes_);
  core.instructions = isa::Blob<isa::Instruction>::own(std::move(instructions_));
}

}  // namespace pimento::pim
