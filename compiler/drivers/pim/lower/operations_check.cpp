#include <fmt/format.h>

#include <algorithm>

#include "compiler/drivers/pim/lower/operations.hpp"
#include "isa/instruction/form.hpp"

namespace pimento::pim {
namespace {
using isa::Operand;

/// Where the first elements of an operand's segments stand over all segments and rounds, and how many elements follow.
struct Reach {
  std::int64_t row0 = 0, row1 = 0, position0 = 0, position1 = 0, channel0 = 0, channel1 = 0;  ///< inclusive
  std::int64_t len = 0;
};

class ComputeCheck {
 public:
  ComputeCheck(const SelectContext& context, const Spatial& spatial, const Compute& compute, const Selected& selected)
      : context_(context),
        spatial_(spatial),
        compute_(compute),
        selected_(selected),
        written_(selected.scratch.size(), false) {}

  std::string run() {
    for (std::size_t k = 0; k < selected_.scratch.size(); ++k) {
      const Scratch& s = selected_.scratch[k];
      const Bytes end = s.offset + Bytes{s.elements} * size_of(s.type);
      if (s.offset < 0 || end > selected_.scratch_bytes)
        return fmt::format("temporary {} ends at byte {}, the temporaries have {}", k, end, selected_.scratch_bytes);
    }
    bool result = compute_.write.box.empty();
    for (std::size_t k = 0; k < selected_.ops.size(); ++k) {
      const PimOp& op = selected_.ops[k];
      if (const std::string fault = operation(op); !fault.empty())
        return fmt::format("operation {} '{}': {}", k, isa::row(op.form.opcode).name, fault);
      result = result || op.dst.kind == OperandRef::Kind::value;
    }
    return result ? "" : "no operation writes the result";
  }

 private:
  std::string operation(const PimOp& op) {
    if (op.depth > isa::max_loop_levels || op.depth > context_.chip.core.loop_depth)
      return fmt::format("{} loops, the chip nests {}", op.depth, context_.chip.core.loop_depth);
    std::int64_t columns = 0;
    if (op.form.opcode == isa::Opcode::mvm) {
      if (op.tile_class != static_cast<std::int32_t>(compute_.cls))
        return fmt::format("a tile of class {}, the compute has class {}", op.tile_class,
                           static_cast<std::int32_t>(compute_.cls));
      const TileClass& cls = spatial_.classes[index_of(compute_.cls)];
      if (op.tile < cls.tile || op.tile >= cls.tile + cls.tile_count)
        return fmt::format("tile {}, the class holds {} to {}", op.tile, cls.tile, cls.tile + cls.tile_count - 1);
      const WeightTile& tile = spatial_.tiles[static_cast<std::size_t>(op.tile)];
      columns = tile.columns();
    }
    for (const auto& [which, ref] : {std::pair{Operand::a, &op.a}, {Operand::b, &op.b}, {Operand::d, &op.dst}}) {
      if (ref->kind == OperandRef::Kind::none) continue;
      if (const std::string fault = operand(op, *ref, which, columns); !fault.empty())
        return fmt::format("operand {} {}", to_string(which), fault);
    }
    return "";
  }

  static Reach reach(const PimOp& op, const OperandRef& ref, Operand which, std::int64_t columns) {
    const isa::View view = isa::view(op.form, which, columns);
    const isa::OperandSpec& spec = isa::form_spec(op.form.opcode)[which];
    const Bytes size = spec.typed ? size_of(type_of(op.form, which)) : 1;
    Reach r{ref.row, ref.row, ref.position, ref.position, ref.channel, ref.channel, view.bytes / size};
    const auto add = [](std::int64_t& low, std::int64_t& high, std::int64_t span) { (span < 0 ? low : high) += span; };
    if (has_stride(spec.extent)) {
      const bool packed_rows =
          spec.extent == isa::Extent::rows && ref.row_step == 0 && ref.position_step == 0 && ref.channel_step == 0;
      add(r.row0, r.row1, ref.row_step * (view.count - 1));
      add(r.position0, r.position1, ref.position_step * (view.count - 1));
      add(r.channel0, r.channel1, ref.channel_step * (view.count - 1));
      if (packed_rows) r.len *= view.count;
    }
    for (std::int32_t level = 0; level < op.depth; ++level) {
      const auto l = static_cast<std::size_t>(level);
      add(r.row0, r.row1, std::int64_t{ref.loop_steps[l].row} * (op.trips[l] - 1));
      add(r.position0, r.position1, std::int64_t{ref.loop_steps[l].position} * (op.trips[l] - 1));
      add(r.channel0, r.channel1, std::int64_t{ref.loop_steps[l].channel} * (op.trips[l] - 1));
    }
    return r;
  }

  std::string operand(const PimOp& op, const OperandRef& ref, Operand which, std::int64_t columns) {
    const Reach r = reach(op, ref, which, columns);
    const auto id = static_cast<std::size_t>(ref.id);
    switch (ref.kind) {
      case OperandRef::Kind::value:
        return in_value(r, SpatialValueId{ref.id}, which == Operand::d);
      case OperandRef::Kind::scratch:
        if (id >= written_.size()) return fmt::format("names temporary {} of {}", id, written_.size());
        if (which == Operand::d)
          written_[id] = true;
        else if (!written_[id])
          return fmt::format("reads temporary {}, which nothing has written", id);
        return in_line(r, selected_.scratch[id].elements, "temporary", id);
      case OperandRef::Kind::constant: {
        if (which == Operand::d) return "is a result and a constant";
        if (id >= selected_.constants.size())
          return fmt::format("names constant {} of {}", id, selected_.constants.size());
        const ConstantData& data = context_.pool[selected_.constants[id]];
        return in_line(r, static_cast<std::int64_t>(data.bytes.size()) / size_of(data.type), "constant", id);
      }
      default:
        return "lies in global memory, which only transfers reach";
    }
  }

  static std::string in_line(const Reach& r, std::int64_t elements, std::string_view what, std::size_t id) {
    if (r.row0 == 0 && r.row1 == 0 && r.position0 == 0 && r.position1 == 0 && r.channel0 >= 0 &&
        r.channel1 + r.len <= elements)
      return "";
    return fmt::format("touches elements {} to {} of {} {}, which has {}", r.channel0, r.channel1 + r.len, what, id,
                       elements);
  }

  std::string in_value(const Reach& r, SpatialValueId id, bool result) const {
    const auto holds = [&](const Access& access) { return access.value == id && inside(r, access); };
    if (holds(compute_.write)) return "";
    if (!result && std::any_of(compute_.reads.begin(), compute_.reads.end(), holds)) return "";
    return fmt::format("touches rows {}:{} positions {}:{} channels {}:{} of '{}', outside of what the compute {}",
                       r.row0, r.row1 + 1, r.position0, r.position1 + 1, r.channel0, r.channel1 + r.len,
                       spatial_.values[index_of(id)].name, result ? "writes" : "reads and writes");
  }
  /// A segment may run on over the positions of its row where the box has every channel, so that they stand in one
  /// piece.
  bool inside(const Reach& r, const Access& access) const {
    const PBox& box = access.box;
    if (r.row0 < box.r0 || r.row1 >= box.r1 || r.position0 < box.p0 || r.channel0 < box.c0) return false;
    if (r.channel1 + r.len <= box.c1) return r.position1 < box.p1;
    const PBox whole = spatial_.values[index_of(access.value)].whole();
    if (box.c0 != whole.c0 || box.c1 != whole.c1) return false;
    return r.position1 + (r.channel1 - box.c0 + r.len - 1) / box.channels() < box.p1;
  }

  const SelectContext& context_;
  const Spatial& spatial_;
  const Compute& compute_;
  const Selected& selected_;
  std::vector<bool> written_;
};
}  // namespace

std::string verify(const Operations& operations, const SelectContext& context, const Spatial& spatial) {
  if (operations.size() != spatial.computes.size())
    return fmt::format("{} computes have operations, there are {}", operations.size(), spatial.computes.size());
  for (std::size_t c = 0; c < operations.size(); ++c) {
    const std::string fault = ComputeCheck(context, spatial, spatial.computes[c], operations[c]).run();
    if (!fault.empty()) return fmt::format("compute {}, {}", c, fault);
  }
  return "";
}

std::string verify_moved(const Operations& operations, const SelectContext& context, const Spatial& spatial) {
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const Compute& c = spatial.computes[i];
    if (operations[i] != select(context, spatial.batches[index_of(c.batch)].body, c.reads, c.write, c.cls))
      return fmt::format("compute {}: the operations moved from another row are not its own", i);
  }
  return "";
}

}  // namespace pimento::pim
