#include "compiler/drivers/pim/emit/emit.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/drivers/pim/emit/moves.hpp"
#include "compiler/drivers/pim/emit/parts.hpp"
#include "compiler/drivers/pim/emit/writer.hpp"
#include "compiler/drivers/pim/schedule/residency.hpp"
#include "isa/support/error.hpp"

namespace pimento::pim {
namespace {
using isa::Opcode;

class CoreEmitter {
 public:
  CoreEmitter(const EmitInput& input, const CorePlan& plan, const std::vector<GroupId>& group_of,
              const std::vector<std::int64_t>& port_address, const std::vector<std::int64_t>& region_address,
              const std::vector<std::int64_t>& tile_address, std::vector<std::vector<CoreId>>& core_sets,
              const std::vector<CorePlan>& plans, Stream stream)
      : input_(input),
        plan_(plan),
        group_of_(group_of),
        port_address_(port_address),
        region_address_(region_address),
        tile_address_(tile_address),
        core_sets_(core_sets),
        plans_(plans),
        writer_(input.context.chip, std::move(stream)),
        padding_(plan, input.spatial) {}

  void run(isa::CoreProgram& core, bool rolled) {
    const std::vector<Step>& steps = input_.steps.cores[plan_.core];
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const Step& step = steps[i];
      writer_.begin_node(node_of(input_.steps, input_.spatial, plan_.core, i), step.stage);
      if (step.kind == Step::Kind::compute) {
        compute(static_cast<std::size_t>(step.index), i, plan_.time(step, i));
      } else if (step.kind == Step::Kind::write) {
        write_cells(input_.steps.writes[static_cast<std::size_t>(step.index)], i);
      } else {
        const Transfer& t = input_.steps.transfers[static_cast<std::size_t>(step.index)];
        prepare(t.what, plan_.time(step, i));
        transfer(step.kind, t);
      }
    }
    writer_.finish(core, rolled);
    core.local_memory_used = plan_.high_water;
    for (const auto& [index, address] : plan_.constants) {
      const ConstantData& data = input_.context.pool[index];
      isa::Constant constant;
      constant.address = static_cast<std::int32_t>(address);
      constant.type = data.type;
      constant.bytes = isa::Blob<std::uint8_t>::own(data.bytes);
      if (!data.real.empty()) constant.real = isa::Blob<float>::own(data.real);
      core.constants.push_back(std::move(constant));
    }
    std::sort(core.constants.begin(), core.constants.end(),
              [](const isa::Constant& a, const isa::Constant& b) { return a.address < b.address; });
  }

 private:
  const SpatialValue& value(SpatialValueId id) const { return input_.spatial.values[index_of(id)]; }

  /// Rows of a tile come to the step's temporaries and from there into the cells.
  void write_cells(const CellWrite& w, std::size_t at) {
    FlatOp write;
    write.form = instruction_of(w, input_.spatial);
    FlatOp load;
    load.form.opcode = Opcode::load;
    load.form.len = static_cast<std::int32_t>(bytes_of(w, input_.spatial));
    load.d.address = plan_.scratch_base[at];
    load.a.address = tile_address_[static_cast<std::size_t>(w.tile)] + std::int64_t{write.form.len} * w.row;
    writer_.write(load);
    write.a.stride = write.form.stride_a;
    write.a.address = plan_.scratch_base[at];
    const std::size_t cls = index_of(w.cls);
    write.form.target = group_of_[cls] + static_cast<GroupId>(w.tile - input_.spatial.classes[cls].tile);
    writer_.write(write);
  }

  void prepare(const Access& access, int time) {
    for (const FlatOp& zeros : padding_.before(access, time)) writer_.write(zeros);
  }

  void compute(std::size_t index, std::size_t at, int time) {
    const Compute& each = input_.spatial.computes[index];
    for (const Access& read : each.reads) prepare(read, time);
    prepare(each.write, time);
    const Selected& selected = input_.operations[index];
    for (const PimOp& op : selected.ops) {
      const auto located = [&](const OperandRef& ref) { return locate(ref, selected, at); };
      FlatOp flat = flatten(op, located(op.dst), located(op.a), located(op.b));
      if (op.form.opcode == Opcode::mvm) {
        const auto cls = static_cast<std::size_t>(op.tile_class);
        flat.form.target = group_of_[cls] + static_cast<GroupId>(op.tile - input_.spatial.classes[cls].tile);
      }
      writer_.write(flat);
    }
  }
  Located locate(const OperandRef& ref, const Selected& selected, std::size_t at) const {
    Located place;
    const auto id = static_cast<std::size_t>(ref.id);
    switch (ref.kind) {
      case OperandRef::Kind::value:
        return plan_.buffers[plan_.buffer_at(SpatialValueId{ref.id}, ref.position, ref.channel)].located();
      case OperandRef::Kind::scratch:
        place.base = plan_.scratch_base[at] + selected.scratch[id].offset;
        place.channel_pitch = size_of(selected.scratch[id].type);
        break;
      case OperandRef::Kind::constant: {
        const std::int32_t constant = selected.constants[id];
        place.base = plan_.constants.at(constant);
        place.channel_pitch = size_of(input_.context.pool[constant].type);
        break;
      }
      default:
        break;
    }
    return place;
  }

  /// In global memory a value, or what is spilled of it, stands densely.
  Located global(const Transfer& t) const {
    const SpatialValue& v = value(t.what.value);
    if (t.region >= 0) {
      Buffer there;
      there.box = input_.steps.regions[static_cast<std::size_t>(t.region)].box;
      there.element = size_of(v.type);
      there.address = region_address_[static_cast<std::size_t>(t.region)];
      return there.located();
    }
    const std::int64_t base = port_address_[index_of(t.what.value)];
    PIMENTO_CHECK(base >= 0, fmt::format("'{}' stands on no port", v.name));
    return dense(v, base);
  }
  void transfer(Step::Kind kind, const Transfer& t) {
    const Located there = t.kind == Transfer::Kind::message ? Located{} : global(t);
    for (FlatOp& flat : moves(kind, t, plan_.core, value(t.what.value), plans_, there)) {
      if (kind == Step::Kind::receive) flat.form.target = t.source;
      if (kind == Step::Kind::send)
        flat.form.target = t.destinations.size() > 1 ? set_of(t.destinations) : t.destinations[0];
      if (t.kind == Transfer::Kind::message) flat.form.tag = tag_of(t);
      writer_.write(flat);
    }
  }
  /// Messages of one value bear one tag, so that they may stand in a loop.
  static std::uint32_t tag_of(const Transfer& t) { return static_cast<std::uint32_t>(t.what.value); }
  std::uint32_t set_of(std::vector<CoreId> cores) {
    std::sort(cores.begin(), cores.end());
    const auto at = std::find(core_sets_.begin(), core_sets_.end(), cores);
    const auto index = static_cast<std::uint32_t>(at - core_sets_.begin());
    if (at == core_sets_.end()) core_sets_.push_back(std::move(cores));
    return index;
  }

  const EmitInput& input_;
  const CorePlan& plan_;
  const std::vector<GroupId>& group_of_;
  const std::vector<std::int64_t>&port_address_, &region_address_, &tile_address_;
  std::vector<std::vector<CoreId>>& core_sets_;
  const std::vector<CorePlan>& plans_;
  CoreWriter writer_;
  Padding padding_;
};

void check_instruction_memory(const isa::Program& program, const isa::Chip& chip) {
  for (std::size_t core = 0; core < program.cores.size(); ++core) {
    const std::size_t count = program.cores[core].instructions.size();
    const auto bytes = static_cast<Bytes>(count * sizeof(isa::Instruction));
    if (bytes > chip.core.instruction_memory)
      throw TooManyInstructions(fmt::format(
          "chip '{}', stage emit: core {} has {} instructions of {} B, {} B; its instruction memory holds {} B",
          chip.name, core, count, sizeof(isa::Instruction), bytes, chip.core.instruction_memory));
  }
}
}  // namespace

isa::Program emit_program(const EmitInput& input, const std::vector<CorePlan>& plans, Loops loops) {
  const SelectContext& context = input.context;
  isa::Program program;
  program.numerics = context.plan.numerics;
  program.chip_name = context.chip.name;
  program.chip_yaml = context.chip.yaml;
  program.chip = context.chip.fingerprints;
  program.cores.resize(static_cast<std::size_t>(context.chip.cores));
  for (const ir::Node& node : context.graph.nodes) program.nodes.push_back(node.source.empty() ? node.op : node.source);
  program.tiles = make_tiles(input);
  std::vector<GroupId> group_of;
  make_groups(input, program, group_of);
  std::vector<std::int64_t> port_address, region_address;
  const std::int64_t image_bytes = make_ports(input, program, port_address, region_address);
  std::vector<std::int64_t> tile_address;
  make_later_weights(input, program, tile_address);
  for (const CorePlan& plan : plans)
    CoreEmitter(input, plan, group_of, port_address, region_address, tile_address, program.core_sets, plans,
                {passes(input.steps), image_bytes})
        .run(program.cores[plan.core], loops == Loops::rolled);
  if (loops == Loops::none) program = isa::unroll(program);
  check_instruction_memory(program, context.chip);
  return program;
}

}  // namespace pimento::pim
