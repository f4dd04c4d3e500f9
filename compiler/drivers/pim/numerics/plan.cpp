#include "compiler/drivers/pim/numerics/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "compiler/drivers/pim/spatial/union_find.hpp"
#include "compiler/drivers/pim/spatial/windows.hpp"
#include "compiler/ir/analysis.hpp"
#include "compiler/ops/registry.hpp"
#include "isa/support/error.hpp"

namespace pimento::pim {
namespace {

/// The result holds elements of the inputs and nothing else (moves, concatenation, maxima): one format serves both.
bool keeps_elements(const ir::Graph& graph, const ir::Node& node) {
  if (node.op == "loop" || node.op == "group") return false;
  if (renames_only(node)) return true;
  const ir::KernelSequence sequence = ops::kernels_of(graph, node);
  return !sequence.calls.empty() &&
         std::all_of(sequence.calls.begin(), sequence.calls.end(), [](const ir::KernelCall& call) {
           const auto* k = std::get_if<ir::Kernel>(&call.kernel);
           if (k == nullptr || !k->states.empty()) return false;
           if (k->accumulators.empty()) return ir::is_data_movement(*k);
           const auto only_selects = [&](const ir::Accumulator& a) {
             return (a.combiner == ir::Combiner::max || a.combiner == ir::Combiner::min) &&
                    a.body.as<ir::Load>() != nullptr;
           };
           return k->accumulators.size() == 1 && only_selects(k->accumulators[0]) && k->outputs.size() == 1 &&
                  k->outputs[0].value.as<ir::Accumulated>() != nullptr;
         });
}

ValueFormat format_of(double low, double high, int bits) {
  const bool wide = bits > 8;
  const double codes_signed = std::ldexp(1.0, bits - 1) - 1;
  const double codes_unsigned = std::ldexp(1.0, bits) - 1;
  const double magnitude = std::max(std::abs(low), std::abs(high));
  ValueFormat f;
  if (low >= 0) {
    f.type = wide ? ElementType::u16 : ElementType::u8;
    f.scale = magnitude > 0 ? magnitude / codes_unsigned : 1.0;
  } else {
    f.type = wide ? ElementType::i16 : ElementType::i8;
    f.scale = magnitude / codes_signed;
  }
  return f;
}

ElementType stored_integer(ElementType t) { return t == ElementType::i64 ? ElementType::i32 : t; }

std::vector<double> column_scales(const ir::Graph& graph, const ir::Node& node, const Contracted& c, int bits) {
  const ir::Tensor& weights = *graph.value(node.inputs[static_cast<std::size_t>(c.weight_input)]).constant;
  const double codes = std::ldexp(1.0, bits - 1) - 1;
  std::int32_t columns = 0;
  for (const Contracted::Matrix& m : c.matrices) columns = std::max(columns, m.col1);
  std::vector<double> scales(static_cast<std::size_t>(columns), 1.0);
  const float* data = weights.data<float>();
  for (const Contracted::Matrix& m : c.matrices)
    for (std::int32_t col = m.col0; col < m.col1; ++col) {
      const float* column = data + m.weight_base + c.by_column[static_cast<std::size_t>(col - m.col0)];
      float largest = 0;
      for (const std::int64_t r : c.by_reduction) largest = std::max(largest, std::abs(column[r]));
      if (largest > 0) scales[static_cast<std::size_t>(col)] = static_cast<double>(largest) / codes;
    }
  return scales;
}

}  // namespace

NumericsPlan plan_numerics(const ir::Graph& graph, const isa::Chip& chip, Numerics numerics, const Ranges& ranges) {
  if (numerics == Numerics::f32 && !chip.numerics.f32)
    throw UserError(fmt::format(
        "chip '{}': numerics f32 need a machine with f32 in its matrix path (numerics.f32); known: quantised, exact",
        chip.name));
  NumericsPlan plan;
  plan.numerics = numerics;
  plan.formats.resize(graph.values.size());
  plan.weight_scales.resize(graph.nodes.size());

  UnionFind unions(graph.values.size());
  for (const ir::Node& node : graph.nodes) {
    if (!keeps_elements(graph, node)) continue;
    const ir::ValueId out = node.outputs[0];
    for (const ir::ValueId in : node.inputs)
      if (in != ir::no_value && !graph.is_constant(in) && graph.type(in).type == graph.type(out).type)
        unions.join(ir::to_index(in), ir::to_index(out));
  }
  std::vector<bool> used(graph.values.size(), false);
  for (const ir::ValueId v : graph.inputs) used[ir::to_index(v)] = true;
  for (const ir::Node& node : graph.nodes)
    for (const ir::ValueId v : node.outputs)
      if (v != ir::no_value) used[ir::to_index(v)] = true;

  std::vector<std::optional<std::pair<double, double>>> joint(graph.values.size());
  const auto real = [&](std::size_t v) { return is_float(graph.values[v].type.type); };
  for (std::size_t v = 0; v < graph.values.size(); ++v) {
    if (!used[v] || !real(v) || numerics == Numerics::f32) continue;
    const auto at = ranges.find(graph.values[v].name);
    if (at == ranges.end()) throw InternalError(fmt::format("value '{}' has no observed range", graph.values[v].name));
    if (!std::isfinite(at->second.first) || !std::isfinite(at->second.second))
      throw UserError(fmt::format(
          "value '{}' was not finite during calibration; {} numerics need finite values (numerics f32 do not)",
          graph.values[v].name, to_string(numerics)));
    auto& range = joint[unions.find(v)];
    range = range ? std::pair{std::min(range->first, at->second.first), std::max(range->second, at->second.second)}
                  : at->second;
  }
  for (std::size_t v = 0; v < graph.values.size(); ++v) {
    ValueFormat& f = plan.formats[v];
    if (!real(v))
      f = {stored_integer(graph.values[v].type.type), 1.0};
    else if (numerics == Numerics::f32 || !used[v])
      f = {ElementType::f32, 1.0};
    else
      f = format_of(joint[unions.find(v)]->first, joint[unions.find(v)]->second, chip.numerics.activation_bits);
  }

  const std::vector<Layout> layouts = choose_layouts(graph);
  const std::vector<Root> roots = find_roots(graph, layouts);
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    if (renames_only(graph.nodes[n])) continue;
    const std::optional<Contracted> c = contracted(graph, graph.nodes[n], layouts, roots);
    if (!c) continue;
    const ir::ValueId weights = graph.nodes[n].inputs[static_cast<std::size_t>(c->weight_input)];
    if (graph.type(weights).type != ElementType::f32) continue;
    plan.weight_scales[n] = column_scales(graph, graph.nodes[n], *c, chip.numerics.weight_bits);
    if (numerics == Numerics::f32) std::fill(plan.weight_scales[n].begin(), plan.weight_scales[n].end(), 1.0);
  }
  return plan;
}

}  // namespace pimento::pim
