#include "compiler/pipeline/calibrate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "compiler/drivers/pim/numerics/adapt.hpp"
#include "compiler/frontend/import.hpp"
#include "compiler/ir/interpreter.hpp"
#include "compiler/ops/registry.hpp"
#include "isa/support/counted.hpp"
#include "isa/support/error.hpp"
#include "isa/support/json.hpp"

namespace pimento {
namespace {

/// False when some value of the graph is not covered.
bool read_metadata(const ir::Graph& graph, pim::Ranges& result) {
  const auto at = graph.metadata.find(frontend::recorded_ranges);
  if (at == graph.metadata.end()) return false;
  pim::Ranges ranges;
  const nlohmann::json recorded = parse_json_or_discard(at->second);
  if (!recorded.is_object())
    throw UserError(
        fmt::format("model property '{}': expected a JSON object of name -> [min, max]", frontend::recorded_ranges));
  for (const auto& [name, range] : recorded.items()) {
    if (!range.is_array() || range.size() != 2 || !range[0].is_number() || !range[1].is_number())
      throw UserError(
          fmt::format("model property '{}', value '{}': expected [min, max]", frontend::recorded_ranges, name));
    ranges[name] = pim::Observed(range[0].get<double>(), range[1].get<double>());
  }
  const auto covered = [&](ir::ValueId v) {
    return v == ir::no_value || !is_float(graph.type(v).type) || ranges.contains(graph.value(v).name);
  };
  for (const ir::Node& node : graph.nodes)
    if (!std::all_of(node.outputs.begin(), node.outputs.end(), covered)) return false;
  if (!std::all_of(graph.inputs.begin(), graph.inputs.end(), covered)) return false;
  result = std::move(ranges);
  return true;
}

}  // namespace

bool has_recorded_ranges(const ir::Graph& graph) {
  pim::Ranges ranges;
  return read_metadata(graph, ranges);
}

ir::Tensor seeded_normal(const ir::TensorType& type, std::uint64_t seed) {
  ir::Tensor t = ir::Tensor::zeros(type);
  if (type.type != ElementType::f32) return t;
  float* data = t.mutable_data<float>();
  std::uint64_t state = seed;
  const auto next = [&state] {
    state += 0x9e3779b97f4a7c15ULL;
    std::uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  };
  for (std::int64_t i = 0; i < t.elements(); ++i) {
    std::int64_t sum = 0;
    for (int k = 0; k < 3; ++k) {
      const std::uint64_t bits = next();
      for (int part = 0; part < 4; ++part) sum += static_cast<std::int64_t>((bits >> (16 * part)) & 0xffffU);
    }
    data[i] = static_cast<float>(static_cast<double>(sum - 6 * 65535) / 65536.0);
  }
  return t;
}

static std::vector<std::vector<ir::Tensor>> calibration_samples(const ir::Graph& graph,
                                                                const std::vector<ir::Tensor>& given,
                                                                std::uint64_t seed, std::int64_t at_least,
                                                                const std::function<void(const std::string&)>& note) {
  const std::size_t inputs = graph.inputs.size();
  if (given.size() > inputs && (inputs == 0 || given.size() % inputs != 0))
    throw UserError(fmt::format("calibration: expected {} a sample, as the model has inputs, got {} in all",
                                counted(inputs, "tensor"), given.size()));
  std::vector<std::vector<ir::Tensor>> samples(
      std::max({std::size_t{1}, static_cast<std::size_t>(at_least), inputs == 0 ? 1 : given.size() / inputs}));
  for (std::size_t i = 0; i < given.size(); ++i) samples[i / inputs].push_back(given[i]);
  if (given.empty() && note && inputs > 0)
    note(fmt::format("no calibration input and no recorded ranges: ranges come from seeded normal inputs (seed {})",
                     seed));
  for (std::size_t s = 0; s < samples.size(); ++s)
    for (std::size_t i = samples[s].size(); i < inputs; ++i)
      samples[s].push_back(seeded_normal(graph.type(graph.inputs[i]), seed + s * inputs + i));
  return samples;
}

static pim::Ranges observed_ranges(const ir::Graph& graph, const std::vector<std::vector<ir::Tensor>>& samples) {
  pim::Ranges ranges;
  ir::RunOptions options;
  options.observer = [&](const ir::Graph& g, ir::ValueId v, const ir::Tensor& t) {
    if (&g == &graph && is_float(t.element_type())) ranges[g.value(v).name].take(t);
  };
  for (const auto& sample : samples) ir::interpret(graph, sample, ops::kernels_of, options);
  return ranges;
}

pim::NumericsPlan calibrated_plan(ir::Graph& graph, const isa::Chip& chip, Numerics numerics,
                                  const CalibrationOptions& options) {
  pim::Ranges ranges;
  if (numerics == Numerics::f32) return pim::plan_numerics(graph, chip, numerics, ranges);
  if (options.inputs.empty() && read_metadata(graph, ranges))
    return pim::plan_numerics(graph, chip, numerics, ranges, options.method);
  const auto samples = calibration_samples(graph, options.inputs, options.seed, options.samples, options.note);
  ranges = observed_ranges(graph, samples);
  pim::NumericsPlan plan = pim::plan_numerics(graph, chip, numerics, ranges, options.method);
  if (options.method.kind == pim::Calibration::adaptive && numerics == Numerics::quantised)
    pim::adapt_weights(graph, plan, chip.numerics.weight_bits, samples);
  return plan;
}

}  // namespace pimento
