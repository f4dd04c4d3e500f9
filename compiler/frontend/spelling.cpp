#include "compiler/frontend/spelling.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/ops/define.hpp"

namespace pimento::frontend {

void Spelt::rename(const std::string& from, const std::string& to) {
  const auto it = attributes.find(from);
  if (it == attributes.end()) return;
  auto value = std::move(it->second);
  attributes.erase(it);
  attributes[to] = std::move(value);
}
void Spelt::drop(const std::string& attribute) { attributes.erase(attribute); }
void Spelt::to_input(const std::string& attribute, std::size_t input, ElementType type) {
  const auto it = attributes.find(attribute);
  if (it == attributes.end()) return;
  ir::Tensor content;
  if (const auto* list = std::get_if<std::vector<std::int64_t>>(&it->second))
    content = ir::Tensor::of_integers({type, {static_cast<std::int64_t>(list->size())}}, *list);
  else if (const auto* integer = std::get_if<std::int64_t>(&it->second))
    content = ir::Tensor::of_integers({type, {}}, {*integer});
  else if (const auto* real = std::get_if<double>(&it->second))
    content = ir::Tensor::of({type, {}}, {*real});
  else if (const auto* tensor = std::get_if<ir::Tensor>(&it->second))
    content = *tensor;
  else
    throw InternalError(fmt::format("attribute '{}' cannot become an input", attribute));
  if (inputs.size() <= input) inputs.resize(input + 1);
  inputs[input] = constant(attribute, std::move(content));
  attributes.erase(it);
}

namespace {
struct Row {
  const char* op;
  void (*spell)(Spelt&, const ir::Graph&, const ir::Node&);
};
ElementType element(const ir::Graph& g, const ir::Node& n) { return g.type(n.inputs.at(0)).type; }
void as_it_is(Spelt&, const ir::Graph&, const ir::Node&) {}
void axes_to_axis(Spelt& s, const ir::Graph&, const ir::Node& n) {
  const auto axes = ir::integers_attribute(n, "axes", {});
  if (axes.size() != 1) throw UserError(fmt::format("{} axes cannot be written as one", axes.size()));
  s.drop("axes");
  s.attributes["axis"] = axes[0];
}

constexpr Row rows[] = {
    {"average_pool", as_it_is},
    {"batch_norm", as_it_is},
    {"clip",
     [](Spelt& s, const ir::Graph& g, const ir::Node& n) {
       s.to_input("min", 1, element(g, n));
       s.to_input("max", 2, element(g, n));
     }},
    {"concat", as_it_is},
    {"conv", as_it_is},
    {"elu", as_it_is},
    {"gemm",
     [](Spelt& s, const ir::Graph&, const ir::Node&) {
       s.rename("trans_a", "transA");
       s.rename("trans_b", "transB");
     }},
    {"hard_sigmoid", as_it_is},
    {"leaky_relu", as_it_is},
    {"log_softmax", axes_to_axis},
    {"lrn", as_it_is},
    {"max_pool", as_it_is},
    {"reduce_mean", [](Spelt& s, const ir::Graph&, const ir::Node&) { s.rename("keep_dims", "keepdims"); }},
    {"reshape",
     [](Spelt& s, const ir::Graph& g, const ir::Node& n) {
       const auto& shape = g.type(n.outputs[0]).shape;  // numbers only, whatever the node says of copied extents
       s.attributes = {{"shape", shape}};
       s.to_input("shape", 1);
     }},
    {"softmax", axes_to_axis},
    {"transpose", as_it_is},
};
}  // namespace

Spelt spell(const ir::Graph& graph, const ir::Node& node, const Names& names) {
  const auto* op = ops::find(node.op);
  const auto refuse = [&] {
    throw UserError({.node = fmt::format("node '{}'", node.source)},
                    fmt::format("operator '{}' has no spelling in ONNX opset {}", node.op, export_opset));
  };
  if (op == nullptr) refuse();
  const ops::OnnxForm* form = nullptr;
  for (const auto& candidate : op->onnx)
    if (form == nullptr && candidate.since <= export_opset && (candidate.until == 0 || candidate.until >= export_opset))
      form = &candidate;
  const auto* row = std::find_if(std::begin(rows), std::end(rows), [&](const Row& r) { return node.op == r.op; });
  if (form == nullptr || (row == std::end(rows) && !node.attributes.empty())) refuse();
  Spelt s{.op_type = form->name, .domain = form->domain, .attributes = node.attributes, .constant = names.constant};
  for (const auto v : node.inputs) s.inputs.push_back(v == ir::no_value ? "" : names.of(v));
  if (row != std::end(rows)) row->spell(s, graph, node);
  return s;
}

}  // namespace pimento::frontend
