#include "compiler/optimizer/facts.hpp"

#include <algorithm>

#include "compiler/ir/analysis.hpp"
#include "compiler/ops/registry.hpp"

namespace pimento::optimizer {
namespace {

/// The only kernel of a node without a body and with one output; null when there are more.
const ir::Kernel* only_kernel(const ir::Node& node, const ir::KernelSequence& sequence) {
  if (node.outputs.size() != 1 || sequence.calls.size() != 1) return nullptr;
  return std::get_if<ir::Kernel>(&sequence.calls[0].kernel);
}

/// Axis of each dimension of output 0; empty unless every parallel axis stands there once (an extent of 1 may be 0).
std::optional<std::vector<int>> output_axes(const ir::Kernel& kernel) {
  std::vector<int> axes;
  for (const ir::Expr& index : kernel.outputs[0].map) {
    const auto* axis = index.as<ir::Axis>();
    if (axis == nullptr && index.as<ir::Const>() == nullptr) return {};
    axes.push_back(axis == nullptr ? -1 : axis->axis);
  }
  return axes;
}

/// Positions of the load's axes among the output's; nothing when an index is neither an axis nor 0.
std::optional<std::vector<int>> places_of(const ir::Load& load, const std::vector<int>& output) {
  std::vector<int> places;
  for (const ir::Expr& index : load.indices) {
    if (const auto* number = index.as<ir::Const>(); number != nullptr && number->value.integer == 0) continue;
    const auto* axis = index.as<ir::Axis>();
    if (axis == nullptr) return {};
    const auto at = std::find(output.begin(), output.end(), axis->axis);
    if (at == output.end()) return {};
    places.push_back(static_cast<int>(at - output.begin()));
  }
  return places;
}

bool strictly_rising(const std::vector<int>& places) {
  return std::adjacent_find(places.begin(), places.end(), [](int a, int b) { return a >= b; }) == places.end();
}

bool is_plain_map(const ir::Kernel& kernel) {
  return kernel.outputs.size() == 1 && !kernel.outputs[0].guard && kernel.outputs[0].starts_from < 0 &&
         kernel.outputs[0].rule == ir::WriteRule::assign && !ir::has_axis(kernel, ir::AxisKind::reduction) &&
         !ir::has_axis(kernel, ir::AxisKind::carried);
}

const ir::TensorType& type_of_operand(const ir::Kernel& kernel, int operand) {
  return kernel.operands[static_cast<std::size_t>(operand)].type;
}

}  // namespace

bool is_pointwise(const ir::Graph& graph, const ir::Node& node) {
  if (node.body) return false;
  const ir::KernelSequence sequence = ops::kernels_of(graph, node);
  const ir::Kernel* kernel = only_kernel(node, sequence);
  if (kernel == nullptr || !is_plain_map(*kernel) || copied_input(graph, node)) return false;
  const auto output = output_axes(*kernel);
  if (!output || type_of_operand(*kernel, kernel->outputs[0].operand).shape != graph.type(node.outputs[0]).shape)
    return false;
  bool computes = false;
  ir::visit(kernel->outputs[0].value, [&](const ir::Expr& e) {
    computes |= e.as<ir::Unary>() != nullptr || e.as<ir::Binary>() != nullptr || e.as<ir::Select>() != nullptr ||
                e.as<ir::Cast>() != nullptr;
  });
  if (!computes) return false;
  for (const ir::Read& read : ir::reads(*kernel)) {
    const ir::Load& load = *read;
    const auto places = places_of(load, *output);
    if (load.rule != ir::OutOfRange::error || !places || !strictly_rising(*places)) return false;
  }
  return true;
}

std::optional<ir::ValueId> copied_input(const ir::Graph& graph, const ir::Node& node) {
  if (node.body || node.outputs.size() != 1) return {};
  const ir::KernelSequence sequence = ops::kernels_of(graph, node);
  const ir::Kernel* kernel = only_kernel(node, sequence);
  if (kernel == nullptr || !is_plain_map(*kernel)) return {};
  const ir::Output& output = kernel->outputs[0];
  const auto* load = output.value.as<ir::Load>();
  if (load == nullptr) return {};
  if (type_of_operand(*kernel, load->operand).shape != type_of_operand(*kernel, output.operand).shape) return {};
  const ir::Shape& shape = type_of_operand(*kernel, load->operand).shape;
  for (std::size_t d = 0; d < output.map.size(); ++d) {
    // Along an extent of 1 every index that may not leave the operand is 0.
    const bool only_place = shape[d] == 1 && load->rule == ir::OutOfRange::error;
    if (!only_place && !ir::equal(load->indices[d], output.map[d])) return {};
  }
  const ir::Slot slot = sequence.calls[0].slots[static_cast<std::size_t>(load->operand)];
  if (slot.kind != ir::SlotKind::input) return {};
  const ir::ValueId input = node.inputs[static_cast<std::size_t>(slot.index)];
  if (graph.type(input) != graph.type(node.outputs[0])) return {};
  return input;
}

std::optional<int> constant_factor(const ir::Graph& graph, const ir::Node& node) {
  if (node.body || node.outputs.size() != 1) return {};
  const ir::KernelSequence sequence = ops::kernels_of(graph, node);
  const ir::Kernel* kernel = only_kernel(node, sequence);
  if (kernel == nullptr) return {};
  const std::optional<ir::Contraction> contraction = ir::as_contraction(*kernel);
  if (!contraction) return {};
  std::optional<int> found;
  for (const ir::Expr& side : {contraction->left_load, contraction->right_load}) {
    const ir::Slot slot = sequence.calls[0].slots[static_cast<std::size_t>(side.as<ir::Load>()->operand)];
    if (slot.kind != ir::SlotKind::input || !graph.is_constant(node.inputs[static_cast<std::size_t>(slot.index)]))
      continue;
    if (found) return {};  // both constant: folding's business
    found = slot.index;
  }
  return found;
}

bool is_present(const ir::Node& node, std::size_t input) {
  return input < node.inputs.size() && node.inputs[input] != ir::no_value;
}

void remove_nodes(ir::Graph& graph, const std::set<int>& positions) {
  std::vector<ir::Node> kept;
  kept.reserve(graph.nodes.size());
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    if (positions.count(static_cast<int>(i)) == 0) kept.push_back(std::move(graph.nodes[i]));
  graph.nodes = std::move(kept);
}

std::string join_sources(const std::vector<std::string>& sources) {
  std::vector<std::string> names;
  for (const std::string& source : sources) {
    for (std::size_t begin = 0; begin <= source.size();) {
      const std::size_t end = std::min(source.find('+', begin), source.size());
      const std::string name = source.substr(begin, end - begin);
      if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
      begin = end + 1;
    }
  }
  std::string joined;
  for (const std::string& name : names) joined += (joined.empty() ? "" : "+") + name;
  return joined;
}

}  // namespace pimento::optimizer
