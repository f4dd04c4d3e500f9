#include <fmt/format.h>

#include "compiler/drivers/pim/emit/plan.hpp"

namespace pimento::pim {
namespace {
std::string step_text(std::int32_t row, std::int32_t position, std::int32_t channel) {
  return fmt::format("({},{},{})", row, position, channel);
}
std::string operand_text(const OperandRef& ref, const EmitInput& input, std::int32_t depth) {
  static constexpr std::array<std::string_view, 5> kinds{"", "", "scratch", "constant", "global"};
  if (ref.kind == OperandRef::Kind::none) return "";
  std::string text = ref.kind == OperandRef::Kind::value
                         ? "'" + input.spatial.values[static_cast<std::size_t>(ref.id)].name + "'"
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

std::string print(const EmitInput& input) {
  std::string text;
  for (std::size_t c = 0; c < input.selected.size(); ++c) {
    const Access& write = input.spatial.computes[c].write;
    text +=
        fmt::format("compute {} '{}' {}\n", c, input.spatial.values[index_of(write.value)].name, to_string(write.box));
    for (const PimOp& op : input.selected[c].ops) {
      text += "  ";
      for (std::int32_t level = 0; level < op.depth; ++level)
        text += fmt::format("{} x ", op.trips[static_cast<std::size_t>(level)]);
      text += fmt::format("{} {}x{}{}{}{}\n", isa::row(op.form.opcode).name, op.form.count, op.form.len,
                          operand_text(op.dst, input, op.depth), operand_text(op.a, input, op.depth),
                          operand_text(op.b, input, op.depth));
    }
  }
  return text;
}

}  // namespace pimento::pim
