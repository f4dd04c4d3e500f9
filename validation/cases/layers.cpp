#include "validation/cases/layers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "isa/support/error.hpp"
#include "isa/support/printable.hpp"
#include "validation/cases/ports.hpp"
#include "validation/reference/reference.hpp"

namespace pimento::validation {
namespace {

/// Every output of the program after a run on `inputs`, by the name of its value.
std::map<std::string, ir::Tensor> run_outputs(const isa::Program& program, const isa::Chip& chip,
                                              const std::vector<ir::Tensor>& inputs) {
  sim::Options options;
  options.counters = false;
  for (std::size_t i = 0; i < inputs.size(); ++i) options.inputs.push_back(encode(program.inputs[i], inputs[i]));
  const sim::Result result = sim::simulate(program, chip, options);
  if (result.stop != sim::StopReason::finished) throw Negative(result.explanation);
  std::map<std::string, ir::Tensor> outputs;
  for (std::size_t i = 0; i < program.outputs.size(); ++i)
    outputs.emplace(program.outputs[i].name, decode(program.outputs[i], result.outputs[i]));
  return outputs;
}

std::string label(const ir::Node& node) { return node.source.empty() ? node.op : node.source; }

/// Values that a name means: the outputs of nodes of that name, or one value.
std::vector<ir::ValueId> values_named(const ir::Graph& graph, const std::string& name) {
  std::vector<ir::ValueId> values;
  std::vector<std::string> names;
  for (const ir::Node& node : graph.nodes) {
    names.push_back(label(node));
    for (const ir::ValueId v : node.outputs) {
      if (v == ir::no_value) continue;
      names.push_back(graph.value(v).name);
      if (label(node) == name) values.push_back(v);
    }
  }
  if (!values.empty()) return values;
  const std::optional<ir::ValueId> value = graph.find(name);
  if (!value || graph.is_constant(*value))
    throw UserError(fmt::format("no node or value '{}' in the model{}", printable(name), suggestion(name, names)));
  return {*value};
}

std::string node_of(const ir::Graph& graph, const std::string& value) {
  for (const ir::Node& node : graph.nodes)
    for (const ir::ValueId v : node.outputs)
      if (v != ir::no_value && graph.value(v).name == value) return label(node);
  return value;
}

}  // namespace

std::vector<SeenValue> see(const ir::Graph& graph, const isa::Chip& chip, const CompileOptions& options,
                           const std::vector<ir::Tensor>& inputs, const std::string& name) {
  CompileOptions with = options;
  with.placement.reset();  // of another program
  with.images = 1;
  with.throughput = false;
  const std::vector<ir::ValueId> wanted = values_named(graph, name);
  for (const ir::ValueId v : wanted) with.observed.push_back(graph.value(v).name);
  const auto has = [&](const isa::Program& program, const std::string& value) {
    return std::any_of(program.outputs.begin(), program.outputs.end(),
                       [&](const isa::Port& port) { return port.name == value; });
  };
  CompileResult compiled = compile_graph(graph, chip, with);
  ir::Graph open = graph;
  for (const ir::ValueId v : wanted) {
    const std::string& value = graph.value(v).name;
    if (has(compiled.program, value)) continue;
    if (options.note)
      options.note(fmt::format("value '{}' is fused into another; it is shown as computed alone", value));
    open.outputs.push_back(v);
  }
  if (open.outputs.size() != graph.outputs.size()) compiled = compile_graph(open, chip, with);
  const std::map<std::string, ir::Tensor> outputs = run_outputs(compiled.program, chip, inputs);
  std::vector<SeenValue> seen;
  for (const ir::ValueId v : wanted) {
    const std::string& value = graph.value(v).name;
    const auto at = outputs.find(value);
    PIMENTO_CHECK(at != outputs.end(), fmt::format("value '{}' was not stored", value));
    seen.push_back({node_of(graph, value), value, at->second});
  }
  return seen;
}

std::vector<LayerComparison> compare_layers(const ir::Graph& graph, const isa::Chip& chip,
                                            const CompileOptions& options, const std::vector<ir::Tensor>& inputs) {
  CompileOptions with = options;
  with.placement.reset();  // of another program
  with.images = 1;
  with.throughput = false;
  with.observe_all = true;
  with.note = nullptr;
  const CompileResult compiled = compile_graph(graph, chip, with);
  const std::map<std::string, ir::Tensor> outputs = run_outputs(compiled.program, chip, inputs);
  std::vector<LayerComparison> layers;
  reference::Options watching;
  watching.observer = [&](ir::ValueId v, const reference::Value& expected) {
    const std::string& value = graph.value(v).name;
    const auto at = outputs.find(value);
    const ir::Tensor tensor = reference::to_tensor(expected);
    if (at == outputs.end() || at->second.type() != tensor.type()) return;
    layers.push_back({node_of(graph, value), compare(value, tensor, at->second, float_tolerance)});
  };
  reference::run(graph, inputs, watching);
  return layers;
}

std::string first_diverging(const ir::Graph& graph, const isa::Chip& chip, const CompileOptions& options,
                            const std::vector<ir::Tensor>& inputs, double min_sqnr_db) {
  std::vector<LayerComparison> layers;
  try {
    layers = compare_layers(graph, chip, options, inputs);
  } catch (const UserError& fault) {  // storing every value may take more memory than the chip has
    return fmt::format("layers cannot be compared: {}", fault.what());
  }
  std::size_t before = 0;
  for (const LayerComparison& layer : layers) {
    const Comparison& c = layer.comparison;
    if (accepts(c, options.numerics, min_sqnr_db)) {
      ++before;
      continue;
    }
    return fmt::format(
        "first diverging layer: '{}' (value '{}' {}): max relative error {:.3g}, SQNR {}; the {} layers before it "
        "agree",
        layer.node, c.output, ir::to_string(c.type), c.max_relative,
        c.sqnr_db ? fmt::format("{:.2f} dB", *c.sqnr_db) : "without noise", before);
  }
  return fmt::format("no layer diverges: all {} agree when each is stored", before);
}

}  // namespace pimento::validation
