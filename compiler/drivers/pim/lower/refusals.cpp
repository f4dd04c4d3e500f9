#include "compiler/drivers/pim/lower/refusals.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/ops/registry.hpp"

namespace pimento::pim {
namespace {

using ir::Kernel;

/// An operand whose content stands in the graph or in the node's kernels.
bool is_constant(const ir::Graph& graph, const ir::Node& node, const ir::Slot& slot) {
  if (slot.kind == ir::SlotKind::constant) return true;
  if (slot.kind != ir::SlotKind::input) return false;
  const ir::ValueId v = node.inputs[static_cast<std::size_t>(slot.index)];
  return v == ir::no_value || graph.is_constant(v);
}

bool depends_on_data(const ir::Graph& graph, const ir::Node& node, const ir::KernelCall& call, const ir::Expr& e) {
  bool depends = false;
  if (e)
    ir::visit(e, [&](const ir::Expr& part) {
      if (const auto* load = part.as<ir::Load>())
        depends = depends || !is_constant(graph, node, call.slots[static_cast<std::size_t>(load->operand)]);
    });
  return depends;
}

std::string reason_of(const ir::Graph& graph, const ir::Node& node, const ir::KernelCall& call) {
  const auto* kernel = std::get_if<Kernel>(&call.kernel);
  if (kernel == nullptr)
    return fmt::format("library kernel '{}' has no instruction sequence", ir::name_of(call.kernel));
  for (std::size_t i = 0; i < kernel->operands.size(); ++i)
    if (kernel->operands[i].role == ir::OperandRole::input && call.slots[i].kind == ir::SlotKind::output)
      return "a kernel that reads an output of its own node has no instruction sequence";
  for (const ir::Output& out : kernel->outputs) {
    if (out.rule != ir::WriteRule::assign || out.starts_from >= 0) return "a scatter has no instruction sequence";
    if (depends_on_data(graph, node, call, out.guard))
      return "a write under a data-dependent guard has no instruction sequence";
  }
  for (const ir::Accumulator& a : kernel->accumulators)
    if (depends_on_data(graph, node, call, a.guard))
      return "a reduction under a data-dependent guard has no instruction sequence";
  const auto carried = std::count_if(kernel->axes.begin(), kernel->axes.end(), [](const ir::KernelAxis& a) {
    return a.kind == ir::AxisKind::carried && a.extent > 1;
  });
  if (carried > 1) return "a recurrence along several axes has no instruction sequence";
  if (carried == 1 && !kernel->accumulators.empty()) return "a recurrence over reductions has no instruction sequence";
  return "";
}

std::string text_of(const std::vector<Refused>& nodes, const isa::Chip& chip) {
  if (nodes.size() == 1)
    return fmt::format("chip '{}', node '{}' ({}): {}", chip.name, nodes[0].node, nodes[0].op, nodes[0].reason);
  std::string text = fmt::format("chip '{}': {} nodes cannot be lowered", chip.name, nodes.size());
  for (const Refused& n : nodes) text += fmt::format("\n  node '{}' ({}): {}", n.node, n.op, n.reason);
  return text;
}

}  // namespace

NoSequence::NoSequence(const std::string& chip, const std::string& node, const std::string& reason)
    : UserError(fmt::format("chip '{}', node '{}': {}", chip, node, reason)), reason_(reason) {}

std::vector<Refused> refused_nodes(const ir::Graph& graph) {
  std::vector<Refused> all;
  for (const ir::Node& node : graph.nodes) {
    if (node.op == "loop") {
      all.push_back({node.source, node.op, "loops over a graph are not supported on this backend"});
      continue;
    }
    for (const ir::KernelCall& call : ops::kernels_of(graph, node).calls)
      if (const std::string reason = reason_of(graph, node, call); !reason.empty()) {
        all.push_back({node.source, node.op, reason});
        break;
      }
  }
  return all;
}

CannotLower::CannotLower(const isa::Chip& chip, std::vector<Refused> nodes)
    : UserError(text_of(nodes, chip)), nodes_(std::move(nodes)) {}

void refuse(const std::vector<Refused>& nodes, const isa::Chip& chip) {
  if (!nodes.empty()) throw CannotLower(chip, nodes);
}

}  // namespace pimento::pim
