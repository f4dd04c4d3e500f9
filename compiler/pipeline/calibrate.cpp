#include "compiler/pipeline/calibrate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "compiler/ir/interpreter.hpp"
#include "compiler/ops/registry.hpp"
#include "isa/support/error.hpp"

namespace pimento {
namespace {

/// False when some value of the graph is not covered.
bool read_metadata(const ir::Graph& graph, pim::Ranges& ranges) {
  const auto at = graph.metadata.find("pimento.ranges");
  if (at == graph.metadata.end()) return false;
  const nlohmann::json recorded = nlohmann::json::parse(at->second, nullptr, false);
  if (!recorded.is_object())
    throw UserError("model property 'pimento.ranges': expected a JSON object of name -> [min, max]");
  for (const auto& [name, range] : recorded.items()) {
    if (!range.is_array() || range.size() != 2 || !range[0].is_number() || !range[1].is_number())
      throw UserError(fmt::format("model property 'pimento.ranges', value '{}': expected [min, max]", name));
    ranges[name] = {range[0].get<double>(), range[1].get<double>()};
  }
  const auto covered = [&](ir::ValueId v) {
    return v == ir::no_value || !is_float(graph.type(v).type) || ranges.contains(graph.value(v).name);
  };
  for (const ir::Node& node : graph.nodes)
    if (!std::all_of(node.outputs.begin(), node.outputs.end(), covered)) return false;
  return std::all_of(graph.inputs.begin(), graph.inputs.end(), covered);
}

std::pair<double, double> range_of(const ir::Tensor& t) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  if (t.element_type() == ElementType::f32) {
    const float* data = t.data<float>();
    float least = std::numeric_limits<float>::infinity();
    float most = -least;
    bool finite = true;
    for (std::int64_t i = 0; i < t.elements(); ++i) {
      least = std::min(least, data[i]);
      most = std::max(most, data[i]);
      finite = finite && data[i] == data[i];
    }
    if (!finite) return {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
    return {static_cast<double>(least), static_cast<double>(most)};
  }
  for (const double x : t.to_doubles()) {
    low = std::min(low, x);
    high = std::max(high, x);
  }
  return {low, high};
}

}  // namespace

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

pim::Ranges find_ranges(const ir::Graph& graph, const std::vector<ir::Tensor>& inputs, std::uint64_t seed,
                        const std::function<void(const std::string&)>& note) {
  pim::Ranges ranges;
  if (inputs.empty() && read_metadata(graph, ranges)) return ranges;
  ranges.clear();
  std::vector<ir::Tensor> fed = inputs;
  if (fed.empty()) {
    if (note)
      note(fmt::format("no calibration input and no recorded ranges: ranges come from seeded normal inputs (seed {})",
                       seed));
    for (std::size_t i = 0; i < graph.inputs.size(); ++i)
      fed.push_back(seeded_normal(graph.type(graph.inputs[i]), seed + i));
  }
  ir::RunOptions options;
  options.observer = [&](const ir::Graph& g, ir::ValueId v, const ir::Tensor& t) {
    if (&g != &graph || !is_float(t.element_type()) || t.elements() == 0) return;
    const auto found = range_of(t);
    const auto [at, is_new] = ranges.try_emplace(g.value(v).name, found);
    if (!is_new) at->second = {std::min(at->second.first, found.first), std::max(at->second.second, found.second)};
  };
  ir::interpret(graph, fed, ops::kernels_of, options);
  return ranges;
}

}  // namespace pimento
