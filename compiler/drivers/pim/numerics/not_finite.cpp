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

}  // namespace

std::optional<std::string> not_finite(const ir::Tensor& tensor) {
  return first(tensor, [](double x) { return !std::isfinite(x); });
}

std::string cause_of_not_finite(const ir::Graph& graph, ir::ValueId value) {
  if (std::find(graph.inputs.begin(), graph.inputs.end(), value) != graph.inputs.end()) return "an input of the model";
  for (const ir::Node& node : graph.nodes) {
    if (std::find(node.outputs.begin(), node.outputs.end(), value) == node.outputs.end()) continue;
    const std::string label = fmt::format("node '{}'", node.source.empty() ? node.op : node.source);
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i] == ir::no_value || !graph.is_constant(node.inputs[i])) continue;
      const ir::Value& operand = graph.value(node.inputs[i]);
      if (const auto at = not_finite(*operand.constant)) return fmt::format("{}: '{}' at {}", label, operand.name, *at);
      if (node.op != "batch_norm" || i != 4) continue;
      if (const auto at = first(*operand.constant, [](double x) { return x < 0; }))
        return fmt::format("{}: its variance '{}' at {}", label, operand.name, *at);
    }
    return label;
  }
  return "";
}

}  // namespace pimento::pim
