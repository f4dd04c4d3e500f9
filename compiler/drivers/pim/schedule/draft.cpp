#include "compiler/drivers/pim/schedule/draft.hpp"

#include <algorithm>
#include <array>

#include "compiler/drivers/pim/emit/moves.hpp"
#include "compiler/drivers/pim/emit/writer.hpp"
#include "compiler/drivers/pim/schedule/residency.hpp"
#include "isa/support/whole.hpp"

namespace pimento::pim {
namespace {
using isa::Opcode;

/// Of a core's steps: constants, then room for the temporaries of two computes, who have them in turn.
struct Places {
  std::map<std::uint64_t, std::int64_t> constants;  ///< by content
  std::array<std::int64_t, 2> scratch{};
  Bytes top = 0;  ///< behind them
};

const Alike* alike_of(const Compute& compute, const Spatial& spatial) {
  return compute.alike < 0 ? nullptr : spatial.alike[static_cast<std::size_t>(compute.alike)].get();
}

Places places_of(const std::vector<Step>& steps, const Spatial& spatial, Bytes alignment) {
  Places places;
  Bytes largest = 0;
  const auto take = [&](Bytes bytes) {
    const Bytes at = places.top;
    places.top = ceil_div(at + bytes, alignment) * alignment;
    return at;
  };
  std::vector<bool> seen(spatial.alike.size(), false);
  for (const Step& step : steps) {
    if (step.kind != Step::Kind::compute) continue;
    const Compute& compute = spatial.computes[static_cast<std::size_t>(step.index)];
    const Alike* alike = alike_of(compute, spatial);
    if (alike == nullptr || seen[static_cast<std::size_t>(compute.alike)]) continue;
    seen[static_cast<std::size_t>(compute.alike)] = true;
    largest = std::max(largest, alike->selected.scratch_bytes);
    for (const Alike::Constant& constant : alike->constants)
      if (!places.constants.contains(constant.content)) places.constants[constant.content] = take(constant.bytes);
  }
  for (std::int64_t& area : places.scratch) area = take(largest);
  return places;
}

class Drafter {
 public:
  Drafter(const Steps& steps, const Spatial& spatial, const isa::Chip& chip, const std::vector<CorePlan>& plans,
          CoreId core)
      : steps_(steps),
        spatial_(spatial),
        chip_(chip),
        plans_(plans),
        plan_(plans[core]),
        padding_(plan_, spatial),
        places_(places_of(steps.cores[core], spatial, std::max<Bytes>(chip.core.local_memory.width, 1))) {}

  Draft run(bool rolled) {
    const std::vector<Step>& steps = steps_.cores[plan_.core];
    draft_.moves.assign(steps.size(), 0);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const Step& step = steps[i];
      if (rolled) node_ = node_of(steps_, spatial_, plan_.core, i);  // operations of two nodes are not alike
      if (step.kind == Step::Kind::compute) {
        compute(spatial_.computes[static_cast<std::size_t>(step.index)], plan_.time(step, i));
      } else if (step.kind == Step::Kind::write) {
        FlatOp cells;
        cells.form = instruction_of(steps_.writes[static_cast<std::size_t>(step.index)], spatial_);
        write(cells);
      } else {
        draft_.moves[i] = transfer(step, plan_.time(step, i));
      }
    }
    draft_.instructions = rolled && chip_.core.loop_depth > 0
                              ? fewest_records(operations_, chip_)
                              : write_records({as_they_stand(std::move(operations_))}, chip_).instructions;
    return std::move(draft_);
  }

 private:
  const Steps& steps_;
  const Spatial& spatial_;
  const isa::Chip& chip_;
  const std::vector<CorePlan>& plans_;
  const CorePlan& plan_;
  Padding padding_;
  std::uint32_t node_ = 0;  ///< of the step in hand
  std::vector<Operation> operations_;
  Places places_;
  std::size_t turn_ = 0;  ///< whose temporaries come next
  Draft draft_;

  void write(const FlatOp& op) { operations_.push_back({op, node_, 0}); }
  void prepare(const Access& access, int time) {
    for (const FlatOp& zeros : padding_.before(access, time)) write(zeros);
  }

  std::int32_t transfer(const Step& step, int time) {
    const Transfer& t = steps_.transfers[static_cast<std::size_t>(step.index)];
    prepare(t.what, time);
    const SpatialValue& value = spatial_.values[index_of(t.what.value)];
    std::vector<FlatOp> all = moves(step.kind, t, plan_.core, value, plans_, dense(value, 0));
    for (FlatOp& each : all) {
      if (t.kind == Transfer::Kind::message) each.form.tag = static_cast<std::uint32_t>(t.what.value);
      // of several destinations the first: a set is as good a name
      if (step.kind == Step::Kind::send) each.form.target = t.destinations.front();
      if (step.kind == Step::Kind::receive) each.form.target = t.source;
      write(each);
    }
    return static_cast<std::int32_t>(all.size());
  }

  void compute(const Compute& c, int time) {
    for (const Access& read : c.reads) prepare(read, time);
    prepare(c.write, time);
    const Alike* alike = alike_of(c, spatial_);
    if (alike == nullptr) {
      FlatOp drawn;
      drawn.form.opcode = Draft::drawn;
      drawn.form.imm = static_cast<std::int32_t>(c.alone);
      return write(drawn);
    }
    for (const PimOp& original : alike->selected.ops) {
      PimOp op = original;
      for (OperandRef* ref : {&op.dst, &op.a, &op.b}) bring(*ref, *alike, c);
      FlatOp flat = flatten(op, locate(op.dst, *alike), locate(op.a, *alike), locate(op.b, *alike));
      if (op.form.opcode == Opcode::mvm) flat.form.target = group(c.cls, op.tile);
      write(flat);
    }
    if (alike->selected.scratch_bytes > 0) turn_ = 1 - turn_;
  }
  /// From the compute that was selected to one that is alike.
  static void bring(OperandRef& ref, const Alike& alike, const Compute& c) {
    if (ref.kind != OperandRef::Kind::value) return;
    const auto value = SpatialValueId{ref.id};
    const auto by = [&](const Access& of, const Access& mine) {
      ref.row += mine.box.r0 - of.box.r0;
      ref.position += mine.box.p0 - of.box.p0;
      ref.channel += mine.box.c0 - of.box.c0;
      ref.id = static_cast<std::int32_t>(mine.value);
    };
    if (value == alike.write.value) return by(alike.write, c.write);
    for (std::size_t k = 0; k < alike.reads.size(); ++k)
      if (value == alike.reads[k].value) return by(alike.reads[k], c.reads[k]);
  }
  std::uint32_t group(ClassId cls, std::int32_t tile) {
    const auto [at, is_new] =
        draft_.groups.try_emplace({cls, tile}, static_cast<std::uint32_t>(draft_.tile_of_group.size()));
    if (is_new) draft_.tile_of_group.push_back(tile);
    return at->second;
  }
  Located locate(const OperandRef& ref, const Alike& alike) const {
    Located at;
    const auto id = static_cast<std::size_t>(ref.id);
    switch (ref.kind) {
      case OperandRef::Kind::value:
        return plan_.buffers[plan_.buffer_at(SpatialValueId{ref.id}, ref.position, ref.channel)].located();
      case OperandRef::Kind::scratch:
        at.base = places_.scratch[turn_] + alike.selected.scratch[id].offset;
        at.channel_pitch = size_of(alike.selected.scratch[id].type);
        break;
      case OperandRef::Kind::constant:
        at.base = places_.constants.at(alike.constants[id].content);
        at.channel_pitch = size_of(alike.constants[id].type);
        break;
      default:
        break;
    }
    return at;
  }
};

}  // namespace

std::vector<CorePlan> drafted_plans(const Steps& steps, const Spatial& spatial, const isa::Chip& chip) {
  std::vector<CorePlan> plans;
  const Bytes alignment = std::max<Bytes>(chip.core.local_memory.width, 1);
  for (std::size_t core = 0; core < steps.cores.size(); ++core) {
    CorePlan& plan = plans.emplace_back(buffers_of(steps, spatial, chip, static_cast<CoreId>(core)));
    plan.high_water = places_of(steps.cores[core], spatial, alignment).top;
    std::vector<Buffer*> order;  // as plan-liveness has them
    for (Buffer& buffer : plan.buffers) order.push_back(&buffer);
    std::stable_sort(order.begin(), order.end(),
                     [](const Buffer* a, const Buffer* b) { return a->bytes() > b->bytes(); });
    for (Buffer* buffer : order) {
      buffer->address = plan.high_water;
      plan.high_water = ceil_div(plan.high_water + buffer->bytes(), alignment) * alignment;
    }
  }
  return plans;
}

Draft draft(const Steps& steps, const Spatial& spatial, const isa::Chip& chip, const std::vector<CorePlan>& plans,
            CoreId core, bool rolled) {
  return Drafter(steps, spatial, chip, plans, core).run(rolled);
}

}  // namespace pimento::pim
