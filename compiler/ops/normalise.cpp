#include <fmt/format.h>

#include "compiler/ops/entries.hpp"

namespace pimento::ops {

namespace {

std::string place_of(const ir::Node& node, std::string_view domain, std::string_view onnx_name) {
  const auto of = domain.empty() || domain == "ai.onnx" ? "" : fmt::format(" of domain '{}'", domain);
  return fmt::format("node '{}' ({}{})", node.source, onnx_name, of);
}

}  // namespace

std::optional<Finding> normalise(ir::Graph& g, ir::Node& node, std::string_view domain, std::string_view onnx_name,
                                 int opset) {
  const auto match = find_onnx(domain, onnx_name, opset);
  if (!match) return Finding{place_of(node, domain, onnx_name), "", match.refusal};
  try {
    node.op = match.op->name;
    OnnxNode call(*match.op, g, node, opset);
    call.drop("consumed_inputs");  // opset 1 only; a hint for in-place execution
    if (match.form->normalise) match.form->normalise(call);
    if (call.dissolved()) return {};
    while (!node.inputs.empty() && node.inputs.back() == ir::no_value) node.inputs.pop_back();
    while (!node.outputs.empty() && node.outputs.back() == ir::no_value) node.outputs.pop_back();
    const OpDef* op = find(node.op);  // a normaliser may have chosen another operator
    PIMENTO_CHECK(op != nullptr,
                  fmt::format("the normaliser of '{}' chose '{}', which is no operator", onnx_name, node.op));
    for (const auto& spec : op->attributes)
      if (spec.fallback) node.attributes.try_emplace(spec.name, *spec.fallback);
    const auto types = infer_or_throw(g, node);
    for (std::size_t i = 0; i < node.outputs.size(); ++i)
      if (node.outputs[i] != ir::no_value) g.value(node.outputs[i]).type = types[i];
    return {};
  } catch (const RuleError& e) {
    return e.finding();
  }
}

}  // namespace pimento::ops
