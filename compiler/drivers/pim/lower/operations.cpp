#include "compiler/drivers/pim/lower/operations.hpp"

#include <fmt/format.h>

#include "compiler/drivers/pim/lower/rows_alike.hpp"

namespace pimento::pim {
namespace {
std::string step_text(std::int32_t row, std::int32_t position, std::int32_t channel) {
  return fmt::format("({},{},{})", row, position, channel);
}
std::string operand_text(const OperandRef& ref, const Spatial& spatial, std::int32_t depth) {
  static constexpr std::array<std::string_view, 5> kinds{"", "", "scratch", "constant", "global"};
  if (ref.kind == OperandRef::Kind::none) return "";
  std::string text = ref.kind == OperandRef::Kind::value
                         ? "'" + spatial.values[static_cast<std::size_t>(ref.id)].name + "'"
                         : fmt::format("{}{}", kinds[static_cast<std::size_t>(ref.kind)], ref.id);
  text += "@" + step_text(ref.row, ref.position, ref.channel);
  text += "+" + step_text(ref.row_step, ref.position_step, ref.channel_step);
  for (std::int32_t level = 0; level < depth; ++level) {
    const auto& s = ref.loop_steps[static_cast<std::size_t>(level)];
    text += "+" + step_text(s.row, s.position, s.channel);
  }
  return " " + text;
}
}  // namespace

Operations spatial_to_pim(const SelectContext& context, const Spatial& spatial) {
  Operations operations;
  operations.reserve(spatial.computes.size());
  RowsAlike rows_alike(context, spatial);
  for (std::size_t i = 0; i < spatial.computes.size(); ++i) {
    const Compute& c = spatial.computes[i];
    std::optional<Selected> moved = rows_alike.of(i, operations);
    operations.push_back(moved ? *std::move(moved)
                               : select(context, spatial.batches[index_of(c.batch)].body, c.reads, c.write, c.cls));
  }
  return operations;
}

std::string print(const Operations& operations, const Spatial& spatial) {
  std::string text;
  for (std::size_t c = 0; c < operations.size(); ++c) {
    const Access& write = spatial.computes[c].write;
    text += fmt::format("compute {} '{}' {}\n", c, spatial.values[index_of(write.value)].name, to_string(write.box));
    for (const PimOp& op : operations[c].ops) {
      text += "  ";
      for (std::int32_t level = 0; level < op.depth; ++level)
        text += fmt::format("{} x ", op.trips[static_cast<std::size_t>(level)]);
      text += fmt::format("{} {}x{}{}{}{}\n", isa::row(op.form.opcode).name, op.form.count, op.form.len,
                          operand_text(op.dst, spatial, op.depth), operand_text(op.a, spatial, op.depth),
                          operand_text(op.b, spatial, op.depth));
    }
  }
  return text;
}

}  // namespace pimento::pim
