// ONNX's Loop and Scan become a loop node: static trip count, carried values of one type, slices and stacks on
// dimension 0. What a body reads from around it becomes an invariant of the loop, or a constant of the body.
#include <fmt/format.h>

#include <numeric>

#include "compiler/frontend/importer.hpp"
#include "isa/support/counted.hpp"

namespace pimento::frontend {
namespace {
using Integers = std::vector<std::int64_t>;

Integers integers_of(const onnx::NodeProto& node, const std::string& name, std::size_t count) {
  for (const auto& a : node.attribute()) {
    if (a.name() != name) continue;
    if (static_cast<std::size_t>(a.ints_size()) != count)
      throw UserError(fmt::format("expected {} values as '{}', got {}", count, name, a.ints_size()));
    return {a.ints().begin(), a.ints().end()};
  }
  return Integers(count, 0);
}

/// The permutation that brings dimension `axis` to the front, or the one that brings the front to `axis`.
Integers to_front(std::int64_t axis, std::size_t rank) {
  Integers perm{axis};
  for (std::int64_t d = 0; d < static_cast<std::int64_t>(rank); ++d)
    if (d != axis) perm.push_back(d);
  return perm;
}
Integers from_front(std::int64_t axis, std::size_t rank) {
  const auto forward = to_front(axis, rank);
  Integers perm(rank);
  for (std::size_t d = 0; d < rank; ++d) perm[static_cast<std::size_t>(forward[d])] = static_cast<std::int64_t>(d);
  return perm;
}
std::int64_t positive(std::int64_t axis, std::size_t rank) {
  const auto r = static_cast<std::int64_t>(rank);
  if (axis < -r || axis >= r) throw UserError(fmt::format("expected a scan axis in [{}, {}), got {}", -r, r, axis));
  return axis < 0 ? axis + r : axis;
}
/// Only the trip count and the condition of a Loop may be left out.
void require_present(const std::vector<ir::ValueId>& inputs, std::size_t from) {
  for (std::size_t i = from; i < inputs.size(); ++i)
    if (inputs[i] == ir::no_value) throw UserError(fmt::format("expected a value as input {}, got none", i));
}
}  // namespace

ir::ValueId Importer::emit(Site& site, const std::string& op_type, std::vector<ir::ValueId> inputs,
                           ir::Attributes attributes) {
  auto& graph = *site.scope.graph;
  ir::Node node;
  node.source = site.name;
  node.inputs = std::move(inputs);
  node.attributes = std::move(attributes);
  node.outputs = {graph.add_value("", {})};
  const auto output = node.outputs[0];
  if (const auto finding = ops::normalise(graph, node, "", op_type, 13)) throw UserError(ops::to_string(*finding));
  append_or_fold(graph, std::move(node));
  return output;
}

std::vector<ir::ValueId> Importer::make_loop(Site& site, onnx::GraphProto& proto, const LoopPlan& plan) {
  auto& graph = *site.scope.graph;
  ir::Graph body;
  body.name = proto.name();
  Scope inner{.around = &site.scope, .graph = &body, .prefix = site.name + "/", .opsets = site.scope.opsets};
  const auto iteration = body.add_input(plan.iteration.empty() ? "iteration" : plan.iteration, {ElementType::i64, {}});
  if (!plan.iteration.empty()) inner.names[plan.iteration] = iteration;
  if (!plan.condition.empty())
    inner.names[plan.condition] =
        body.add_constant(plan.condition, ir::Tensor::scalar(ir::Scalar::of(ElementType::boolean, 1)));
  const auto add = [&](std::size_t i, const ir::TensorType& type) {
    define(inner, plan.names.at(i), body.add_input(plan.names.at(i), type), site.label);
  };
  for (std::size_t i = 0; i < plan.carried.size(); ++i) add(i, graph.type(plan.carried[i]));
  for (std::size_t i = 0; i < plan.scanned.size(); ++i) {
    auto type = graph.type(plan.scanned[i]);
    type.shape.erase(type.shape.begin());
    add(plan.carried.size() + i, type);
  }
  add_initialisers(proto, inner);
  walk(proto, inner);
  for (int i = 0; i < proto.output_size(); ++i) {
    const auto value = find(inner, proto.output(i).name());
    if (!value) throw UserError(fmt::format("its body does not make output '{}'", proto.output(i).name()));
    if (*value == poisoned) return {};
    if (i == 0 && plan.has_condition_output) {
      const auto& known = body.value(*value).constant;
      if (!known || known->elements() != 1 || known->at(0).as_double() == 0)
        throw UserError(
            "its condition depends on data; Pimento needs a loop whose trip count is known at compile time");
      continue;
    }
    body.outputs.push_back(*value);
  }
  if (body.outputs.size() < plan.carried.size())
    throw UserError(fmt::format("expected {} of its body, got {}", counted(plan.carried.size(), "carried value"),
                                body.outputs.size()));
  for (std::size_t i = 0; i < plan.carried.size(); ++i)
    if (body.type(body.outputs[i]) != graph.type(plan.carried[i]))
      throw UserError(fmt::format("carried value '{}' changes from {} to {}", plan.names[i],
                                  to_string(graph.type(plan.carried[i])), to_string(body.type(body.outputs[i]))));
  if (static_cast<std::size_t>(site.proto.output_size()) > body.outputs.size())
    throw UserError(
        fmt::format("names {}, its body makes {}", counted(site.proto.output_size(), "output"), body.outputs.size()));
  const auto stacks = body.outputs.size() - plan.carried.size();
  ir::erase_dead_nodes(body);
  ir::compact(body);

  ir::Node node;
  node.op = "loop";
  node.source = site.name;
  node.inputs = plan.carried;
  node.inputs.insert(node.inputs.end(), plan.scanned.begin(), plan.scanned.end());
  node.inputs.insert(node.inputs.end(), inner.captured.begin(), inner.captured.end());
  auto reverse = plan.reverse;
  reverse.resize(plan.scanned.size() + stacks, 0);
  node.attributes = {{"trip_count", plan.trip_count},
                     {"carried", static_cast<std::int64_t>(plan.carried.size())},
                     {"scan_inputs", static_cast<std::int64_t>(plan.scanned.size())},
                     {"scan_outputs", static_cast<std::int64_t>(stacks)}};
  if (std::accumulate(reverse.begin(), reverse.end(), std::int64_t{0}) != 0) node.attributes["reverse"] = reverse;
  for (std::size_t i = 0; i < body.outputs.size(); ++i) {
    auto type = body.type(body.outputs[i]);
    if (i >= plan.carried.size()) type.shape.insert(type.shape.begin(), plan.trip_count);
    const auto at = static_cast<int>(i);
    node.outputs.push_back(graph.add_value(at < site.proto.output_size() ? site.proto.output(at) : "", type));
  }
  node.body = std::make_shared<const ir::Graph>(std::move(body));
  return graph.append(std::move(node)).outputs;
}

void Importer::translate_loop(Site& site) {
  auto& graph = *site.scope.graph;
  auto& body = body_of(site.proto, "body");
  const auto known = [&](std::size_t i) -> const ir::Tensor* {
    return i < site.inputs.size() && graph.is_constant(site.inputs[i]) ? &*graph.value(site.inputs[i]).constant
                                                                       : nullptr;
  };
  if (known(0) == nullptr || known(0)->elements() != 1)
    throw UserError("its trip count depends on data; Pimento needs one that is known at compile time");
  require_present(site.inputs, 2);
  LoopPlan plan{.trip_count = std::max<std::int64_t>(known(0)->to_integers()[0], 0), .has_condition_output = true};
  if (site.inputs.size() > 1 && site.inputs[1] != ir::no_value) {
    if (known(1) == nullptr)
      throw UserError("its condition depends on data; Pimento needs one that is known at compile time");
    if (known(1)->elements() != 1)
      throw UserError(fmt::format("expected one condition, got {}", to_string(known(1)->type())));
    if (known(1)->at(0).as_double() == 0) plan.trip_count = 0;
  }
  for (std::size_t i = 2; i < site.inputs.size(); ++i) plan.carried.push_back(site.inputs[i]);
  if (static_cast<std::size_t>(body.input_size()) != 2 + plan.carried.size())
    throw UserError(
        fmt::format("expected {} of its body, got {}", counted(2 + plan.carried.size(), "input"), body.input_size()));
  plan.iteration = body.input(0).name();
  plan.condition = body.input(1).name();
  for (int i = 2; i < body.input_size(); ++i) plan.names.push_back(body.input(i).name());
  const auto results = make_loop(site, body, plan);
  if (results.empty() && site.proto.output_size() > 0) return poison(site.proto, site.scope);
  for (int i = 0; i < site.proto.output_size(); ++i)
    if (!site.proto.output(i).empty())
      define(site.scope, site.proto.output(i), results.at(static_cast<std::size_t>(i)), site.label);
}

void Importer::translate_scan(Site& site) {
  auto& graph = *site.scope.graph;
  if (const auto opset = site.scope.opsets->find(""); opset != site.scope.opsets->end() && opset->second < 9)
    throw UserError("its form before opset 9 has a batch dimension and is not supported");
  require_present(site.inputs, 0);
  auto& body = body_of(site.proto, "body");
  std::size_t scanned = 0;
  for (const auto& a : site.proto.attribute())
    if (a.name() == "num_scan_inputs") scanned = static_cast<std::size_t>(std::max<std::int64_t>(a.i(), 0));
  if (scanned == 0 || scanned > site.inputs.size())
    throw UserError(fmt::format("expected num_scan_inputs in 1 .. {}, got {}", site.inputs.size(), scanned));
  if (static_cast<std::size_t>(body.input_size()) != site.inputs.size())
    throw UserError(
        fmt::format("expected {} of its body, got {}", counted(site.inputs.size(), "input"), body.input_size()));
  const auto carried = site.inputs.size() - scanned;
  if (static_cast<std::size_t>(body.output_size()) < carried)
    throw UserError(
        fmt::format("expected {} of its body, got {}", counted(carried, "carried value"), body.output_size()));
  const auto stacked = static_cast<std::size_t>(body.output_size()) - carried;
  const auto axes = integers_of(site.proto, "scan_input_axes", scanned);
  const auto output_axes = integers_of(site.proto, "scan_output_axes", stacked);
  LoopPlan plan;
  plan.reverse = integers_of(site.proto, "scan_input_directions", scanned);
  for (const auto r : integers_of(site.proto, "scan_output_directions", stacked)) plan.reverse.push_back(r);
  for (std::size_t i = 0; i < site.inputs.size(); ++i) {
    plan.names.push_back(body.input(static_cast<int>(i)).name());
    if (i < carried) {
      plan.carried.push_back(site.inputs[i]);
      continue;
    }
    auto value = site.inputs[i];
    const auto rank = graph.type(value).shape.size();
    const auto axis = positive(axes[i - carried], rank);
    if (axis != 0) value = emit(site, "Transpose", {value}, {{"perm", to_front(axis, rank)}});
    const auto extent = graph.type(value).shape[0];
    if (i > carried && extent != plan.trip_count)
      throw UserError(fmt::format("expected {} slices of scan input {}, as the first has, got {}", plan.trip_count,
                                  i - carried, extent));
    plan.trip_count = extent;
    plan.scanned.push_back(value);
  }
  auto results = make_loop(site, body, plan);
  if (results.empty()) return poison(site.proto, site.scope);
  for (int i = 0; i < site.proto.output_size(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    auto value = results.at(at);
    if (at >= carried) {
      const auto rank = graph.type(value).shape.size();
      const auto axis = positive(output_axes[at - carried], rank);
      if (axis != 0) value = emit(site, "Transpose", {value}, {{"perm", from_front(axis, rank)}});
    }
    if (!site.proto.output(i).empty()) define(site.scope, site.proto.output(i), value, site.label);
  }
}

}  // namespace pimento::frontend
