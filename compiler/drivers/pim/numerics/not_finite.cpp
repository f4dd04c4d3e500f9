#include "compiler/drivers/pim/numerics/not_finite.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace pimento::pim {
namespace {

/// "[1, 2] is nan" of the first element for which `is_wrong` holds.
template <class Wrong>
std::optional<std::string> first(const ir::Tensor& tensor, Wrong&& is_wrong) {
  if (!is_float(tensor.element_type())) return std::nullopt;
  for (std::int64_t i = 0; i < tensor.elements(); ++i) {
    const double x = tensor.at(i).as_double();
    if (!is_wrong(x)) continue;
    ir::Shape at(tensor.shape().size());
    std::int64_t rest = i;
    for (std::size_t d = at.size(); d-- > 0; rest /= tensor.shape()[d]) at[d] = rest % tensor.shape()[d];
    return fmt::format("[{}] is {}", fmt::join(at, ", "), x);
  }
  return std::nullopt;
}

/// The constant that an operand is: of the graph itself, or of the node around it, whose body the graph is.
const ir::Value* constant_of(const ir::Graph& graph, ir::ValueId v, const ir::Graph* outer, const ir::Node* around) {
  if (v == ir::no_value) return nullptr;
  if (graph.is_constant(v)) return &graph.value(v);
  if (around == nullptr) return nullptr;
  const auto at = std::find(graph.inputs.begin(), graph.inputs.end(), v) - graph.inputs.begin();
  if (at >= static_cast<std::ptrdiff_t>(std::min(graph.inputs.size(), around->inputs.size()))) return nullptr;
  return constant_of(*outer, around->inputs[static_cast<std::size_t>(at)], nullptr, nullptr);
}

/// "'W' at [1, 2] is nan", of an operand of the node or of what it is fused from; "" without one.
std::string culprit(const ir::Graph& graph, const ir::Node& node, const ir::Graph* outer = nullptr,
                    const ir::Node* around = nullptr) {
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const ir::Value* operand = constant_of(graph, node.inputs[i], outer, around);
    if (operand == nullptr) continue;
    if (const auto at = not_finite(*operand->constant)) return fmt::format("'{}' at {}", operand->name, *at);
    if (node.op != "batch_norm" || i != 4) continue;
    if (const auto at = first(*operand->constant, [](double x) { return x < 0; }))
      return fmt::format("its variance '{}' at {}", operand->name, *at);
  }
  if (node.op != "group" || !node.body) return "";
  for (const ir::Node& inner : node.body->nodes)
    if (const std::string found = culprit(*node.body, inner, &graph, &node); !found.empty()) return found;
  return "";
}

}  // namespace

std::optional<std::string> not_finite(const ir::Tensor& tensor) {
  return first(tensor, [](double x) { return !std::isfinite(x); });
}

std::string cause_of_not_finite(const ir::Graph& graph, ir::ValueId value) {
  if (std::find(graph.inputs.begin(), graph.inputs.end(), value) != graph.inputs.end()) return "an input of the model";
  for (const ir::Node& node : graph.nodes) {
    if (std::find(node.outputs.begin(), node.outputs.end(), value) == node.outputs.end()) continue;
    const std::string label = fmt::format("node '{}'", node.source.empty() ? node.op : node.source);
    const std::string found = culprit(graph, node);
    return found.empty() ? label : fmt::format("{}: {}", label, found);
  }
  return "";
}

}  // namespace pimento::pim
