#include "compiler/drivers/pim/numerics/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <numeric>
#include <optional>

#include "compiler/drivers/pim/numerics/emulate.hpp"
#include "compiler/drivers/pim/numerics/formats.hpp"
#include "compiler/drivers/pim/numerics/not_finite.hpp"
#include "compiler/drivers/pim/spatial/union_find.hpp"
#include "compiler/drivers/pim/spatial/windows.hpp"
#include "compiler/ir/analysis.hpp"
#include "compiler/ops/registry.hpp"
#include "isa/support/error.hpp"

namespace pimento::pim {
namespace {

/// The result holds elements of the inputs and nothing else (moves, concatenation, maxima): one format serves both.
bool keeps_elements(const ir::KernelSequence& sequence) {
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

ElementType stored_integer(ElementType t) { return t == ElementType::i64 ? ElementType::i32 : t; }

/// Half of what an i32 holds, for the products of a column; the other half is for what is added to them.
constexpr double largest_sum = 1 << 30;

struct Column {
  double largest = 0, sum = 0;  ///< of the magnitudes of its weights
  double scale = 1;             ///< that its weights alone ask for
};
std::vector<Column> columns_of(const ir::Graph& graph, const ir::Node& node, const Contracted& c, int bits,
                               bool least_error) {
  const ir::Tensor& weights = *graph.value(node.inputs[static_cast<std::size_t>(c.weight_input)]).constant;
  std::int32_t count = 0;
  for (const Contracted::Matrix& m : c.matrices) count = std::max(count, m.col1);
  std::vector<Column> columns(static_cast<std::size_t>(count));
  const float* data = weights.data<float>();
  const double codes = largest_code(ElementType::i16, bits);
  constexpr std::int32_t together = 8;  // columns: each has a sum of its own, in the order of the reduction
  std::vector<double> weights_of;
  for (const Contracted::Matrix& m : c.matrices)
    for (std::int32_t begin = m.col0; begin < m.col1; begin += together) {
      const std::int32_t n = std::min(together, m.col1 - begin);
      std::array<const float*, together> first{};
      for (std::int32_t k = 0; k < together; ++k)  // what is left over is the last one again
        first[static_cast<std::size_t>(k)] =
            data + m.weight_base + c.by_column[static_cast<std::size_t>(begin + std::min(k, n - 1) - m.col0)];
      std::array<double, together> largest{}, sum{};
      for (const std::int64_t r : c.by_reduction)
        for (std::size_t k = 0; k < together; ++k) {
          const double magnitude = std::abs(static_cast<double>(first[k][r]));
          largest[k] = std::max(largest[k], magnitude);
          sum[k] += magnitude;
        }
      for (std::int32_t k = 0; k < n; ++k) {
        const auto i = static_cast<std::size_t>(k);
        Column& column = columns[static_cast<std::size_t>(begin + k)];
        column = {largest[i], sum[i], largest[i] > 0 ? largest[i] / codes : 1.0};
        if (!least_error) continue;
        weights_of.clear();
        for (const std::int64_t r : c.by_reduction) weights_of.push_back(static_cast<double>(first[i][r]));
        column.scale = column_scale(weights_of, codes, least_error);
      }
    }
  return columns;
}

/// The code up to which inputs and weights alike leave every column's sum within i32, however the sum is cut into
/// strips: no part of it is more than the sum of the magnitudes. With 8 bits it is less than the largest code where
/// more than 2^30 / 255^2 = 16,512 weights of one magnitude are added.
double balanced_code(const std::vector<Column>& columns) {
  double code = largest_sum;
  for (const Column& c : columns)
    if (c.largest > 0) code = std::min(code, std::floor(std::sqrt(largest_sum * c.largest / c.sum)));
  return std::max(code, 1.0);
}

struct CodeLimit {
  ir::ValueId value{};
  double code = 0;
};
/// What keeps sums of a node's computed inputs, and of products of two of them, within i32, whatever they hold. 8-bit
/// codes are limited from 16,513 products or 4.2 million elements on, 16-bit codes from one product or 16,385 elements.
void limit_sums(const ir::Graph& graph, const ir::Node& node, const ir::KernelSequence& sequence,
                std::vector<CodeLimit>& limits) {
  for (const ir::KernelCall& call : sequence.calls) {
    const auto* kernel = std::get_if<ir::Kernel>(&call.kernel);
    if (kernel == nullptr) continue;
    double terms = 1;
    for (const ir::KernelAxis& axis : kernel->axes)
      if (axis.kind == ir::AxisKind::reduction) terms *= static_cast<double>(std::max<std::int64_t>(axis.extent, 1));
    const auto limit = [&](std::initializer_list<ir::Expr> loads) {
      std::vector<ir::ValueId> factors;
      for (const ir::Expr& load : loads) {
        const ir::Slot slot = call.slots[static_cast<std::size_t>(load.as<ir::Load>()->operand)];
        if (slot.kind != ir::SlotKind::input) return;
        const ir::ValueId v = node.inputs[static_cast<std::size_t>(slot.index)];
        if (v == ir::no_value || graph.is_constant(v)) return;  // constant weights: by what they are (balanced_code)
        factors.push_back(v);
      }
      const double sum = largest_sum / terms;
      const double code = std::max(1.0, std::floor(factors.size() == 2 ? std::sqrt(sum) : sum));
      for (const ir::ValueId v : factors) limits.push_back({v, code});
    };
    if (const std::optional<ir::Contraction> product = ir::as_contraction(*kernel))
      limit({product->left_load, product->right_load});
    for (const ir::Accumulator& a : kernel->accumulators) {
      ir::Expr body = a.body;
      while (const auto* cast = body.as<ir::Cast>()) body = cast->a;
      if (a.combiner == ir::Combiner::add && body.as<ir::Load>() != nullptr) limit({body});
    }
  }
}

/// What the weights ask for; more where the column's sum could leave i32 otherwise: with 16-bit codes, or since a bias
/// is large beside the weights. `biases`: by column, in units of the largest input; empty where there is none.
std::vector<double> column_scales(const std::vector<Column>& columns, std::size_t terms, double input_code,
                                  const std::vector<double>& biases) {
  // rounding adds half a code at most to each weight
  const double room = largest_sum / input_code - 0.5 * static_cast<double>(terms);
  std::vector<double> scales(columns.size(), 1.0);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].largest == 0) continue;
    scales[i] = columns[i].scale;
    const double bias = biases.empty() ? 0 : std::abs(biases[i]);
    if (room > 0) scales[i] = std::max(scales[i], (columns[i].sum + bias) / room);
  }
  return scales;
}

}  // namespace

const std::vector<std::string>& calibration_names() {
  static const std::vector<std::string> names{"min-max", "percentile", "mse", "adaptive"};
  return names;
}
std::optional<Calibration> parse_calibration(std::string_view text) {
  const auto& names = calibration_names();
  const auto at = std::find(names.begin(), names.end(), text);
  if (at == names.end()) return std::nullopt;
  return static_cast<Calibration>(at - names.begin());
}
std::string_view to_string(Calibration c) { return calibration_names()[static_cast<std::size_t>(c)]; }

NumericsPlan plan_numerics(const ir::Graph& graph, const isa::Chip& chip, Numerics numerics, const Ranges& ranges,
                           const CalibrationMethod& method) {
  if (numerics == Numerics::f32 && !chip.numerics.f32)
    throw UserError(fmt::format(
        "chip '{}': numerics f32 need a machine with f32 in its matrix path (numerics.f32); known: quantised, exact",
        chip.name));
  const isa::ChipNumerics& bits = chip.numerics;
  if (numerics != Numerics::f32 && (bits.weight_bits < 2 || bits.activation_bits < 2))
    throw UserError(
        fmt::format("chip '{}': models are quantised to 2 bits and more, got numerics.weight_bits {} and "
                    "activation_bits {}",
                    chip.name, bits.weight_bits, bits.activation_bits));
  if (const int applied = chip.core.crossbar.input_bits; applied > 0 && applied < bits.activation_bits)
    throw UserError(fmt::format("chip '{}': core.crossbar.input_bits of {} do not hold numerics.activation_bits of {}",
                                chip.name, applied, bits.activation_bits));
  NumericsPlan plan;
  plan.numerics = numerics;
  plan.formats.resize(graph.values.size());
  plan.weight_scales.resize(graph.nodes.size());

  UnionFind unions(graph.values.size());
  std::vector<CodeLimit> sum_limits;
  for (const ir::Node& node : graph.nodes) {
    if (node.op == "loop") continue;
    bool keeps = renames_only(node);
    if (!keeps) {
      const ir::KernelSequence sequence = ops::kernels_of(graph, node);
      keeps = node.op != "group" && keeps_elements(sequence);
      if (numerics != Numerics::f32) limit_sums(graph, node, sequence, sum_limits);
    }
    if (!keeps) continue;
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

  std::vector<Observed> joint(graph.values.size());
  const auto real = [&](std::size_t v) { return is_float(graph.values[v].type.type); };
  for (std::size_t v = 0; v < graph.values.size(); ++v) {
    if (!used[v] || !real(v) || numerics == Numerics::f32) continue;
    const auto at = ranges.find(graph.values[v].name);
    if (at == ranges.end()) throw InternalError(fmt::format("value '{}' has no observed range", graph.values[v].name));
    if (!at->second.finite()) {
      const std::string cause = cause_of_not_finite(graph, static_cast<ir::ValueId>(v));
      throw UserError({.node = fmt::format("value '{}'", graph.values[v].name)},
                      fmt::format("it was not finite during calibration{}; {} numerics need finite values (numerics "
                                  "f32 do not)",
                                  cause.empty() ? "" : " (" + cause + ")", to_string(numerics)));
    }
    joint[unions.find(v)].join(at->second);
  }
  const bool least_error = method.kind == Calibration::mse || method.kind == Calibration::adaptive;
  const std::vector<Layout> layouts = choose_layouts(graph);
  const std::vector<Root> roots = find_roots(graph, layouts);
  std::vector<std::shared_ptr<const Contracted>>& contractions = plan.contractions;
  contractions.resize(graph.nodes.size());
  std::vector<std::vector<Column>> columns(graph.nodes.size());
  std::vector<double> code_limit(graph.values.size(), largest_sum);
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const ir::Node& node = graph.nodes[n];
    if (renames_only(node)) continue;
    std::optional<Contracted> found = contracted(graph, node, layouts, roots);
    if (!found) continue;
    contractions[n] = std::make_shared<const Contracted>(std::move(*found));
    const ir::ValueId weights = node.inputs[static_cast<std::size_t>(contractions[n]->weight_input)];
    if (graph.type(weights).type != ElementType::f32) continue;
    columns[n] = columns_of(graph, node, *contractions[n], chip.numerics.weight_bits, least_error);
    const ir::ValueId data = node.inputs[static_cast<std::size_t>(contractions[n]->data_input)];
    double& limit = code_limit[unions.find(ir::to_index(data))];
    limit = std::min(limit, balanced_code(columns[n]));
  }
  for (const CodeLimit& l : sum_limits) {
    double& limit = code_limit[unions.find(ir::to_index(l.value))];
    limit = std::min(limit, l.code);
  }
  std::vector<std::optional<ValueFormat>> decided(graph.values.size());  // by group of values that share a format
  for (std::size_t v = 0; v < graph.values.size(); ++v) {
    ValueFormat& f = plan.formats[v];
    if (!real(v))
      f = {stored_integer(graph.values[v].type.type), 1.0};
    else if (numerics == Numerics::f32 || !used[v])
      f = {ElementType::f32, 1.0};
    else if (const std::size_t group = unions.find(v); !decided[group])
      f = decided[group].emplace(choose_format(joint[group], chip.numerics.activation_bits, code_limit[group], method));
    else
      f = *decided[group];
  }

  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    if (columns[n].empty()) continue;
    const auto data = ir::to_index(graph.nodes[n].inputs[static_cast<std::size_t>(contractions[n]->data_input)]);
    const double code =
        std::min(largest_code(plan.formats[data].type, chip.numerics.activation_bits), code_limit[unions.find(data)]);
    std::vector<double> biases;
    if (const auto at = bias_input(graph, graph.nodes[n], columns[n].size())) {
      const float* bias = graph.value(graph.nodes[n].inputs[*at]).constant->data<float>();
      for (std::size_t i = 0; i < columns[n].size(); ++i)
        biases.push_back(static_cast<double>(bias[i]) / (plan.formats[data].scale * code));
    }
    plan.weight_scales[n] = column_scales(columns[n], contractions[n]->by_reduction.size(), code, biases);
    if (numerics == Numerics::f32) std::fill(plan.weight_scales[n].begin(), plan.weight_scales[n].end(), 1.0);
  }
  return plan;
}

}  // namespace pimento::pim
