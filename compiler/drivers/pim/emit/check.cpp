#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "compiler/drivers/pim/emit/emit.hpp"
#include "compiler/drivers/pim/emit/parts.hpp"
#include "compiler/drivers/pim/schedule/residency.hpp"
#include "isa/program/execute.hpp"

namespace pimento::pim {
namespace {
using isa::Opcode;
/// Sizes of the messages from one core to another, in order.
using Messages = std::map<std::pair<CoreId, CoreId>, std::vector<Bytes>>;

/// The weights that are written while the program runs.
struct LaterWeights {
  std::vector<GroupId> first_group;      ///< by class
  std::vector<std::int64_t> address_of;  ///< in global memory, by tile; -1: never written
};
/// "" or what is wrong with the constants: one for each tile that is written, in the order of the first writes, and
/// with the tile's contents.
std::string find_later_weights(const isa::Program& program, const EmitInput& input, LaterWeights& found) {
  if (!input.steps.writes.empty())
    found.first_group = make_residency(input.spatial, input.context.chip, input.schedule.class_core).first_group;
  found.address_of.assign(input.spatial.tiles.size(), -1);
  std::size_t next = 0;
  for (const CellWrite& w : input.steps.writes) {
    const auto t = static_cast<std::size_t>(w.tile);
    if (found.address_of[t] >= 0) continue;
    if (next == program.global_constants.size()) return fmt::format("no constant holds tile {}", t);
    const isa::GlobalConstant& constant = program.global_constants[next++];
    if (!std::ranges::equal(constant.bytes.data, program.tiles[t].weights.data))
      return fmt::format("constant {} does not hold tile {}", next - 1, t);
    found.address_of[t] = constant.address;
  }
  if (next == program.global_constants.size()) return "";
  return fmt::format("{} constants, {} tiles are written", program.global_constants.size(), next);
}

/// Where what is spilled stands in global memory.
struct SpilledPlaces {
  std::vector<std::int64_t> address_of;  ///< by region, of image 0
  std::int64_t image_bytes = 0;
};
SpilledPlaces find_spilled(const isa::Program& program, const EmitInput& input) {
  const Bytes width = std::max<Bytes>(input.context.chip.global_memory.width, 1);
  const auto images = static_cast<std::size_t>(program.images);
  Bytes top = 0;
  for (const auto* ports : {&program.inputs, &program.outputs})
    for (std::size_t k = 0; k < ports->size() / images; ++k)
      top = std::max<Bytes>(top, ((*ports)[k].address + (*ports)[k].bytes() + width - 1) / width * width);
  SpilledPlaces found{region_addresses(input.steps, input.spatial, input.context.chip, top), 0};
  if (images > 1) found.image_bytes = top;
  return found;
}

/// Follows the contacts of one core along its steps; a box may travel in pieces.
class CoreCheck {
 public:
  CoreCheck(const isa::Program& program, const EmitInput& input, const LaterWeights& weights,
            const SpilledPlaces& spilled, CoreId core, Messages& sent, Messages& received)
      : program_(program),
        input_(input),
        weights_(weights),
        spilled_(spilled),
        steps_(input.steps.cores[core]),
        core_(core),
        sent_(sent),
        received_(received),
        machine_(program.cores[core].instructions.data) {}

  std::string run() {
    begin_turn();
    next_step();
    while (const isa::Instruction* i = machine_.next()) {
      if (!is_contact(i->opcode)) continue;
      if (at_ < steps_.size() && steps_[at_].kind == Step::Kind::write) {
        if (const std::string fault = write(*i); !fault.empty())
          return fmt::format("core {}, instruction {} '{}': {}", core_, machine_.index_of(*i), print(*i), fault);
        continue;
      }
      if (const std::string fault = contact(*i); !fault.empty())
        return fmt::format("core {}, instruction {} '{}': {}", core_, machine_.index_of(*i), print(*i), fault);
    }
    if (at_ == steps_.size()) return "";
    return fmt::format("core {}: step {} is not made, {} of its bytes are left", core_, at_, left_);
  }

 private:
  static bool is_contact(Opcode o) {
    return o == Opcode::send || o == Opcode::mcast || o == Opcode::recv || o == Opcode::load || o == Opcode::store ||
           o == Opcode::write;
  }
  const Transfer& transfer() const { return input_.steps.transfers[static_cast<std::size_t>(steps_[at_].index)]; }
  /// The steps of a stream follow each other turn by turn.
  void begin_turn() {
    stages_ = Pass{turn_, 1, std::max(0, turn_ - input_.steps.images + 1), std::min(input_.steps.stages - 1, turn_)};
  }
  void next_step() {
    const auto skip = [&] {
      while (at_ < steps_.size() && (steps_[at_].kind == Step::Kind::compute || !stages_.takes(steps_[at_]))) ++at_;
    };
    skip();
    while (at_ == steps_.size() && turn_ + 1 < input_.steps.images + input_.steps.stages - 1) {
      ++turn_, at_ = 0;
      begin_turn();
      skip();
    }
    if (at_ == steps_.size()) return;
    if (steps_[at_].kind == Step::Kind::write) {
      left_ = bytes_of(input_.steps.writes[static_cast<std::size_t>(steps_[at_].index)], input_.spatial);
      return;
    }
    const Access& what = transfer().what;
    left_ = what.box.elements() * size_of(input_.spatial.values[index_of(what.value)].type);
  }
  std::int64_t address(std::int32_t fixed, std::uint8_t reg) const {
    if (reg == isa::no_register) return fixed;
    const isa::AddressSetup& set = machine_.setup(reg);
    const std::int64_t start = fixed + machine_.value(reg);
    return set.ring_size > 0 ? isa::wrap(start, set.ring_lo, set.ring_size) : start;
  }
  /// The rows come whole from their place in the tile's constant, then they are written from where they came to into
  /// their class's group.
  std::string write(const isa::Instruction& i) {
    const CellWrite& w = input_.steps.writes[static_cast<std::size_t>(steps_[at_].index)];
    const isa::Instruction expected = instruction_of(w, input_.spatial);
    if (i.opcode == Opcode::load && left_ == Bytes{i.count} * i.len) {
      const std::int64_t from =
          weights_.address_of[static_cast<std::size_t>(w.tile)] + std::int64_t{expected.len} * w.row;
      if (address(i.a, i.reg_a) != from) return fmt::format("row {} of tile {} stands at {}", w.row, w.tile, from);
      came_to_ = address(i.dst, i.reg_d);
      left_ = 0;
      return "";
    }
    const bool same = i.opcode == Opcode::write && left_ == 0 && i.tag == expected.tag && i.imm == expected.imm &&
                      i.count == expected.count && i.len == expected.len &&
                      (i.count == 1 || i.stride_a == expected.stride_a);
    if (!same) return fmt::format("step {} writes rows {}:{} of tile {}", at_, w.row, w.row + w.count, w.tile);
    const std::size_t cls = index_of(w.cls);
    const GroupId group = weights_.first_group[cls] + static_cast<GroupId>(w.tile - input_.spatial.classes[cls].tile);
    if (i.target != group) return fmt::format("tile {} of class {} stands in group {}", w.tile, cls, group);
    if (address(i.a, i.reg_a) != came_to_) return fmt::format("the rows came to {}", came_to_);
    ++at_, next_step();
    return "";
  }
  /// What is spilled stands in its place from its first byte on, row after row.
  std::string spill(const isa::Instruction& i, const Transfer& t) const {
    const auto region = static_cast<std::size_t>(t.region);
    const PBox &all = input_.steps.regions[region].box, &box = t.what.box;
    const Bytes element = size_of(input_.spatial.values[index_of(t.what.value)].type);
    const std::int64_t begin = spilled_.address_of[region] + turn_ * spilled_.image_bytes;
    const std::int64_t at = i.opcode == Opcode::load ? address(i.a, i.reg_a) : address(i.dst, i.reg_d);
    const std::int64_t row = std::int64_t{box.r0 - all.r0} * all.positions() + (box.p0 - all.p0);
    const std::int64_t first = begin + element * (row * all.channels() + (box.c0 - all.c0));
    const bool is_first = left_ == box.elements() * element;
    if (is_first ? at == first : at > first && at < begin + element * all.elements()) return "";
    return fmt::format("step {} moves what is spilled at {}", at_, first);
  }
  std::string contact(const isa::Instruction& i) {
    if (at_ == steps_.size()) return "no step is left";
    const Transfer& t = transfer();
    if (!is_of(i, t)) return fmt::format("step {} is another contact", at_);
    const Bytes bytes = Bytes{i.count} * i.len;
    if (bytes > left_) return fmt::format("{} bytes, step {} has {} left", bytes, at_, left_);
    if (t.region >= 0)
      if (std::string fault = spill(i, t); !fault.empty()) return fault;
    if (i.opcode == Opcode::recv) received_[{t.source, core_}].push_back(bytes);
    if (i.opcode == Opcode::send || i.opcode == Opcode::mcast)
      for (const CoreId d : t.destinations) sent_[{core_, d}].push_back(bytes);
    left_ -= bytes;
    if (left_ == 0) ++at_, next_step();
    return "";
  }
  bool is_of(const isa::Instruction& i, const Transfer& t) const {
    switch (steps_[at_].kind) {
      case Step::Kind::load:
        return i.opcode == Opcode::load;
      case Step::Kind::store:
        return i.opcode == Opcode::store;
      case Step::Kind::receive:
        return i.opcode == Opcode::recv && i.target == t.source;
      default:
        break;
    }
    if (t.destinations.size() == 1) return i.opcode == Opcode::send && i.target == t.destinations[0];
    std::vector<CoreId> sorted = t.destinations;
    std::sort(sorted.begin(), sorted.end());
    return i.opcode == Opcode::mcast && i.target < program_.core_sets.size() && program_.core_sets[i.target] == sorted;
  }

  const isa::Program& program_;
  const EmitInput& input_;
  const LaterWeights& weights_;
  const SpilledPlaces& spilled_;
  const std::vector<Step>& steps_;
  CoreId core_;
  Messages &sent_, &received_;
  isa::LoopMachine machine_;
  std::int64_t came_to_ = -1;  ///< in local memory: the rows that were loaded last
  std::int32_t turn_ = 0;
  Pass stages_;
  std::size_t at_ = 0;
  Bytes left_ = 0;
};

std::string check_nodes(const isa::CoreProgram& core, std::size_t nodes) {
  std::uint32_t at = 0;
  for (const isa::NodeRange& range : core.nodes) {
    if (range.begin != at || range.end <= range.begin || range.node >= nodes)
      return fmt::format("range {}:{} of node {} follows instruction {}", range.begin, range.end, range.node, at);
    at = range.end;
  }
  if (at == core.instructions.size()) return "";
  return fmt::format("{} instructions, nodes are named for {}", core.instructions.size(), at);
}
}  // namespace

std::string verify(const isa::Program& program, const EmitInput& input) {
  LaterWeights weights;
  if (std::string fault = find_later_weights(program, input, weights); !fault.empty()) return fault;
  const SpilledPlaces spilled = find_spilled(program, input);
  Messages sent, received;
  for (std::size_t core = 0; core < program.cores.size(); ++core) {
    std::string fault = CoreCheck(program, input, weights, spilled, static_cast<CoreId>(core), sent, received).run();
    if (!fault.empty()) return fault;
    fault = check_nodes(program.cores[core], program.nodes.size());
    if (!fault.empty()) return fmt::format("core {}: {}", core, fault);
  }
  for (const auto& [pair, sizes] : sent)
    if (received[pair] != sizes)
      return fmt::format("cores {} and {} cut their messages apart", pair.first, pair.second);
  for (const auto* ports : {&program.inputs, &program.outputs})
    for (const isa::Port& port : *ports)
      if (!(port.scale > 0) || port.zero_point != 0)
        return fmt::format("port '{}': scale {} and zero point {}, expected above 0 and 0", port.name, port.scale,
                           port.zero_point);
  return "";
}

}  // namespace pimento::pim
