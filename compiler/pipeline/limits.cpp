#include "compiler/pipeline/limits.hpp"

#include <fmt/format.h>

#include "compiler/ir/analysis.hpp"
#include "compiler/ops/registry.hpp"
#include "isa/support/error.hpp"

namespace pimento {
namespace {

void check_value(const ir::Value& value, const isa::Chip& chip) {
  const ir::TensorType& type = value.type;
  for (const std::int64_t extent : type.shape)
    if (extent == 0)
      throw UserError(
          fmt::format("value '{}' {} has no elements; expected extents of 1 or more", value.name, to_string(type)));
  double bytes = size_of(type.type);
  for (const std::int64_t extent : type.shape) bytes *= static_cast<double>(extent);
  if (bytes > static_cast<double>(chip.global_memory.capacity))
    throw UserError(fmt::format("value '{}' {} takes {:.0f} bytes, the global memory of chip '{}' holds {}", value.name,
                                to_string(type), bytes, chip.name, chip.global_memory.capacity));
}

void refuse_endless(const ir::Node& node, double points) {
  if (points > static_cast<double>(most_points))
    throw UserError(
        {"", 0, 0, fmt::format("node '{}' ({})", node.source, node.op)},
        fmt::format("{:.2g} scalar operations, expected at most {:.2g}", points, static_cast<double>(most_points)));
}

void check_node(const ir::Graph& graph, const ir::Node& node) {
  if (node.op == "loop") return;
  // a window is counted before its kernel is made: even that would walk it
  double points = static_cast<double>(ir::element_count(graph.type(node.outputs[0]).shape));
  for (const std::int64_t extent : ir::integers_attribute(node, "kernel_shape", {}))
    points *= static_cast<double>(extent);
  refuse_endless(node, points);
  points = 0;
  for (const ir::KernelCall& call : ops::kernels_of(graph, node).calls)
    if (const auto* kernel = std::get_if<ir::Kernel>(&call.kernel)) {
      double all = 1;
      for (const ir::KernelAxis& axis : kernel->axes) all *= static_cast<double>(axis.extent);
      points += all;
    }
  refuse_endless(node, points);
}

}  // namespace

void check_limits(const ir::Graph& graph, const isa::Chip& chip) {
  for (const ir::ValueId v : graph.inputs) check_value(graph.value(v), chip);
  for (const ir::ValueId v : graph.outputs) check_value(graph.value(v), chip);
  for (const ir::Node& node : graph.nodes) {
    for (const ir::ValueId v : node.outputs)
      if (v != ir::no_value) check_value(graph.value(v), chip);
    check_node(graph, node);
  }
}

}  // namespace pimento
