#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compiler/drivers/pim/numerics/plan.hpp"

namespace pimento::pim {
namespace {
bool positive(double scale) { return std::isfinite(scale) && scale > 0; }

/// Values that something makes: inputs and results; constants have no format of their own.
std::vector<bool> made_values(const ir::Graph& graph) {
  std::vector<bool> made(graph.values.size(), false);
  for (const ir::ValueId v : graph.inputs) made[ir::to_index(v)] = true;
  for (const ir::Node& node : graph.nodes)
    for (const ir::ValueId v : node.outputs)
      if (v != ir::no_value) made[ir::to_index(v)] = true;
  return made;
}

std::string check_format(const ValueFormat& f, ElementType model, Numerics numerics, const isa::Chip& chip) {
  if (!positive(f.scale)) return fmt::format("scale {}, expected a finite number above 0", f.scale);
  if (!is_float(model)) {
    const ElementType stored = model == ElementType::i64 ? ElementType::i32 : model;
    if (f.type != stored) return fmt::format("type {}, expected {}", to_string(f.type), to_string(stored));
    return f.scale == 1 ? "" : fmt::format("scale {} of integers, expected 1", f.scale);
  }
  if (numerics == Numerics::f32) {
    if (!chip.numerics.f32) return fmt::format("type f32, chip '{}' has no f32", chip.name);
    return f.type == ElementType::f32 && f.scale == 1
               ? ""
               : fmt::format("type {} scale {}, expected f32 scale 1", to_string(f.type), f.scale);
  }
  const bool wide = chip.numerics.activation_bits > 8;
  const bool known = wide ? f.type == ElementType::i16 || f.type == ElementType::u16
                          : f.type == ElementType::i8 || f.type == ElementType::u8;
  return known ? ""
               : fmt::format("type {}, chip '{}' has activations of {} bits", to_string(f.type), chip.name,
                             chip.numerics.activation_bits);
}
}  // namespace

std::string print(const NumericsPlan& plan, const ir::Graph& graph) {
  std::string text = fmt::format("numerics: {}\n", to_string(plan.numerics));
  for (std::size_t v = 0; v < graph.values.size(); ++v)
    if (!graph.values[v].constant)
      text += fmt::format("  {} {} scale {}\n", graph.values[v].name, to_string(plan.formats[v].type),
                          plan.formats[v].scale);
  return text;
}

std::string verify(const NumericsPlan& plan, const ir::Graph& graph, const isa::Chip& chip) {
  if (plan.formats.size() != graph.values.size())
    return fmt::format("{} values have a format, the graph has {}", plan.formats.size(), graph.values.size());
  if (plan.weight_scales.size() != graph.nodes.size())
    return fmt::format("{} nodes have weight scales, the graph has {}", plan.weight_scales.size(), graph.nodes.size());
  const std::vector<bool> made = made_values(graph);
  for (std::size_t v = 0; v < graph.values.size(); ++v) {
    if (!made[v]) continue;
    const std::string fault = check_format(plan.formats[v], graph.values[v].type.type, plan.numerics, chip);
    if (!fault.empty()) return fmt::format("value '{}': {}", graph.values[v].name, fault);
  }
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const auto& scales = plan.weight_scales[n];
    const auto bad = std::find_if_not(scales.begin(), scales.end(), positive);
    if (bad != scales.end())
      return fmt::format("node '{}', column {}: weight scale {}, expected a finite number above 0",
                         graph.nodes[n].source, bad - scales.begin(), *bad);
  }
  return "";
}

}  // namespace pimento::pim
