#include "compiler/drivers/pim/emit/emit.hpp"

#include <fmt/format.h>

#include <algorithm>

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
              const std::vector<std::int64_t>& port_address, const std::vector<std::int64_t>& tile_address,
              std::vector<std::vector<CoreId>>& core_sets, const std::vector<CorePlan>& plans, Stream stream)
      : input_(input),
        plan_(plan),
        group_of_(group_of),
        port_address_(port_address),
        tile_address_(tile_address),
        core_sets_(core_sets),
        plans_(plans),
        writer_(input.context.chip, std::move(stream)),
        born_(plan.buffers.size(), false) {}

  void run(isa::CoreProgram& core, bool rolled) {
    const std::vector<Step>& steps = input_.steps.cores[plan_.core];
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const Step& step = steps[i];
      writer_.begin_node(node_of(steps, i), step.stage);
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

  /// A contact stands for the node that made its data; a load for its first reader; weights for their own.
  std::uint32_t node_of(const std::vector<Step>& steps, std::size_t i) const {
    const auto of_compute = [&](std::size_t c) {
      return static_cast<std::uint32_t>(input_.spatial.batches[index_of(input_.spatial.computes[c].batch)].body.node);
    };
    if (steps[i].kind == Step::Kind::write) {
      const CellWrite& w = input_.steps.writes[static_cast<std::size_t>(steps[i].index)];
      return static_cast<std::uint32_t>(input_.spatial.tiles[static_cast<std::size_t>(w.tile)].node);
    }
    for (std::size_t at = i; at < steps.size(); ++at) {
      if (steps[at].kind == Step::Kind::write) continue;
      if (steps[at].kind == Step::Kind::compute) return of_compute(static_cast<std::size_t>(steps[at].index));
      const Transfer& t = input_.steps.transfers[static_cast<std::size_t>(steps[at].index)];
      if (t.producer != ComputeId{-1}) return of_compute(index_of(t.producer));
    }
    return 0;
  }

  /// Padding columns are zeroed when a buffer is born, padding rows where they are first touched.
  void prepare(const Access& access, int at) {
    if (access.box.empty()) return;
    const std::size_t index = plan_.buffer_at(access.value, access.box.p0, access.box.c0);
    const Buffer& buffer = plan_.buffers[index];
    const Layout& layout = value(access.value).layout;
    if (!born_[index] && at == buffer.birth) {
      born_[index] = true;
      const PBox& box = buffer.box;
      if (box.p0 < 0) zero(buffer, {box.r0, box.r0 + buffer.slots, box.p0, std::min(0, box.p1), box.c0, box.c1});
      if (box.p1 > layout.positions) {
        zero(buffer, {box.r0, box.r0 + buffer.slots, std::max(layout.positions, box.p0), box.p1, box.c0, box.c1});
      }
    }
    for (std::int32_t r = access.box.r0; r < access.box.r1; ++r) {
      if (r >= 0 && r < layout.rows) continue;
      if (buffer.rows[static_cast<std::size_t>(r - buffer.box.r0)].first != at) continue;
      zero(buffer, {r, r + 1, buffer.box.p0, buffer.box.p1, buffer.box.c0, buffer.box.c1});
    }
  }
  void zero(const Buffer& buffer, const PBox& box) {
    PimOp op = box_operation(Opcode::vfill, box);
    op.dst = box_operand(buffer.value, box);
    op.form.type_d = value(buffer.value).type;
    op.form.scale = op.form.real = 0;
    writer_.write(flatten(op, buffer.located(), {}, {}));
  }
  static PimOp box_operation(Opcode opcode, const PBox& box) {
    PimOp op;
    op.form.opcode = opcode;
    op.form.len = box.channels();
    op.form.count = box.positions();
    if (box.rows() > 1) {
      op.depth = 1;
      op.trips[0] = box.rows();
    }
    return op;
  }
  static OperandRef box_operand(SpatialValueId id, const PBox& box) {
    OperandRef ref;
    ref.kind = OperandRef::Kind::value;
    ref.id = static_cast<std::int32_t>(id);
    ref.row = box.r0, ref.position = box.p0, ref.channel = box.c0;
    ref.position_step = 1;
    ref.loop_steps[0] = {1, 0, 0};
    return ref;
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

  /// In global memory a value stands densely.
  Located global(SpatialValueId id) const {
    const SpatialValue& v = value(id);
    Located at;
    at.base = port_address_[index_of(id)];
    at.channel_pitch = size_of(v.type);
    at.position_pitch = at.channel_pitch * v.layout.channels;
    at.row_pitch = at.position_pitch * v.layout.positions;
    PIMENTO_CHECK(at.base >= 0, fmt::format("'{}' stands on no port", v.name));
    return at;
  }

  /// One view on both sides moves the box at once; where some side has gaps in two directions it goes row by row, on
  /// every side alike.
  void transfer(Step::Kind kind, const Transfer& t) {
    bool at_once = true;
    const auto one_view = [&](const Located& at) {
      PimOp op = box_operation(Opcode::move, t.what.box);
      op.form.type_d = value(t.what.value).type;
      op.dst = box_operand(t.what.value, t.what.box);
      return flatten(op, at, {}, {}).depth == 0;
    };
    if (t.kind == Transfer::Kind::message) {
      at_once = one_view(plans_[t.source].buffer(t.what).located());
      for (const CoreId d : t.destinations) at_once = at_once && one_view(plans_[d].buffer(t.what).located());
    }
    PBox box = t.what.box;
    if (at_once && move_box(kind, t, box)) return;
    for (std::int32_t r = t.what.box.r0; r < t.what.box.r1; ++r) {
      box.r0 = r, box.r1 = r + 1;
      const bool moved = move_box(kind, t, box);
      PIMENTO_CHECK(moved, "a row of a box is one view");
    }
  }
  bool move_box(Step::Kind kind, const Transfer& t, const PBox& box) {
    const Located here = plan_.buffer(t.what).located();
    const ElementType type = value(t.what.value).type;
    PimOp op = box_operation(Opcode::move, box);
    op.form.type_d = op.form.type_a = type;
    const OperandRef operand = box_operand(t.what.value, box);
    Located d = here, a = here;
    switch (kind) {
      case Step::Kind::load:
        op.form.opcode = Opcode::load;
        op.dst = op.a = operand;
        a = global(t.what.value);
        break;
      case Step::Kind::store:
        op.form.opcode = Opcode::store;
        op.dst = op.a = operand;
        d = global(t.what.value);
        break;
      case Step::Kind::receive:
        op.form.opcode = Opcode::recv;
        op.form.target = t.source;
        op.form.tag = tag_of(t);
        op.dst = operand;
        break;
      default:
        op.form.opcode = t.destinations.size() > 1 ? Opcode::mcast : Opcode::send;
        op.form.target = t.destinations.size() > 1 ? set_of(t.destinations) : t.destinations[0];
        op.form.tag = tag_of(t);
        op.a = operand;
        break;
    }
    FlatOp flat = flatten(op, d, a, {});
    if (flat.depth > 0) return false;
    flat.form.len *= size_of(type);
    flat.form.type_d = flat.form.type_a = ElementType::u8;
    writer_.write(flat);
    return true;
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
  const std::vector<std::int64_t>&port_address_, &tile_address_;
  std::vector<std::vector<CoreId>>& core_sets_;
  const std::vector<CorePlan>& plans_;
  CoreWriter writer_;
  std::vector<bool> born_;
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
  std::vector<std::int64_t> port_address;
  const std::int64_t image_bytes = make_ports(input, program, port_address);
  std::vector<std::int64_t> tile_address;
  make_later_weights(input, program, tile_address);
  for (const CorePlan& plan : plans)
    CoreEmitter(input, plan, group_of, port_address, tile_address, program.core_sets, plans,
                {passes(input.steps), image_bytes})
        .run(program.cores[plan.core], loops == Loops::rolled);
  if (loops == Loops::none) program = isa::unroll(program);
  check_instruction_memory(program, context.chip);
  return program;
}

}  // namespace pimento::pim
