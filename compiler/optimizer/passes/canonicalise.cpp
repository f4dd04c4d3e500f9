// One form for what can be written in several. Each rule is a row: what it finds, what it makes, when it may.
#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "compiler/optimizer/facts.hpp"
#include "compiler/optimizer/pass.hpp"
#include "compiler/optimizer/rearrangement.hpp"

namespace pimento::optimizer {
namespace {

/// A node under rewriting, with what a rule may ask.
struct Site {
  ir::Graph& graph;
  const ir::Uses& uses;
  std::set<int>& removed;
  int at;
  ir::Node& node() const { return graph.nodes[static_cast<std::size_t>(at)]; }
  const ir::TensorType& type(std::size_t input) const { return graph.type(node().inputs[input]); }
  const ir::TensorType& result() const { return graph.type(node().outputs[0]); }
  bool constant(std::size_t input) const { return graph.is_constant(node().inputs[input]); }
  /// The node that makes an input which nobody else reads; null otherwise.
  ir::Node* sole_producer(std::size_t input) const {
    const ir::ValueId v = node().inputs[input];
    const int producer = uses.producer(v);
    if (producer < 0 || !uses.single(v) || removed.count(producer) != 0) return nullptr;
    return &graph.nodes[static_cast<std::size_t>(producer)];
  }
  /// The producer takes over this node's result and place; `source` names both.
  void merge_into_producer(std::size_t input, ir::Node merged) const {
    removed.insert(uses.producer(node().inputs[input]));
    merged.source = join_sources({merged.source, node().source});
    merged.outputs = node().outputs;
    node() = std::move(merged);
  }
};

constexpr std::array<std::string_view, 5> commutative{"add", "mul", "and", "or", "xor"};

/// k + x -> x + k.
bool constant_second(const Site& s) {
  ir::Node& node = s.node();
  if (std::find(commutative.begin(), commutative.end(), node.op) == commutative.end()) return false;
  if (node.inputs.size() != 2 || !s.constant(0) || s.constant(1)) return false;
  std::swap(node.inputs[0], node.inputs[1]);
  return true;
}

/// x - k -> x + (-k). Negation of a float is exact, and so is the sum: both forms round the same real number. Integers
/// stay (an unsigned one has no negative).
bool subtraction_of_constant(const Site& s) {
  ir::Node& node = s.node();
  if (node.op != "sub" || !s.constant(1) || s.constant(0) || !is_float(s.type(1).type)) return false;
  std::vector<double> values = s.graph.value(node.inputs[1]).constant->to_doubles();
  for (double& value : values) value = -value;
  const ir::Tensor negative = ir::Tensor::of(s.type(1), values);
  node.inputs[1] = s.graph.add_constant("minus_" + s.graph.value(node.inputs[1]).name, negative);
  node.op = "add";
  return true;
}

/// clip(x, 0, inf) -> relu(x). They agree on every number; a NaN, which ONNX leaves open, becomes 0.
bool clip_at_zero(const Site& s) {
  ir::Node& node = s.node();
  if (node.op != "clip" || is_present(node, 1) || is_present(node, 2) || node.attributes.count("min") == 0)
    return false;
  const bool open = node.attributes.count("max") == 0 || std::isinf(ir::real_attribute(node, "max", 0));
  if (ir::real_attribute(node, "min", 1) != 0 || !open || ir::real_attribute(node, "max", 1) < 0) return false;
  node.op = "relu";
  node.attributes.clear();
  node.inputs.resize(1);
  return true;
}

/// The constant as one number per channel of dimension 1 of a result of this rank; empty when it varies elsewhere.
std::vector<double> per_channel(const ir::Tensor& constant, const ir::Shape& result) {
  const ir::Shape& shape = constant.shape();
  if (shape.size() > result.size() || result.size() < 2) return {};
  const std::size_t missing = result.size() - shape.size();
  for (std::size_t d = 0; d < shape.size(); ++d)
    if (shape[d] != 1 && d + missing != 1) return {};
  std::vector<double> values = constant.to_doubles();
  if (values.size() == 1) values.assign(static_cast<std::size_t>(result[1]), values[0]);
  return values;
}

/// conv(x, w) + k -> conv(x, w, k). A bias that is there already takes k in: its sum is rounded once more, in double.
bool bias_of_convolution(const Site& s) {
  if (s.node().op != "add" || !s.constant(1)) return false;
  const ir::Node* conv = s.sole_producer(0);
  if (conv == nullptr || (conv->op != "conv" && conv->op != "conv_transpose") || s.type(0) != s.result()) return false;
  if (is_present(*conv, 2) && !s.graph.is_constant(conv->inputs[2])) return false;
  std::vector<double> bias = per_channel(*s.graph.value(s.node().inputs[1]).constant, s.result().shape);
  if (bias.empty() || !is_float(s.result().type)) return false;
  ir::Node merged = *conv;
  if (is_present(merged, 2)) {
    const std::vector<double> old = s.graph.value(merged.inputs[2]).constant->to_doubles();
    for (std::size_t c = 0; c < bias.size(); ++c) bias[c] += old[c];
  }
  const ir::ValueId value =
      s.graph.add_constant(s.graph.value(s.node().inputs[1]).name,
                           ir::Tensor::of({s.result().type, {static_cast<std::int64_t>(bias.size())}}, bias));
  merged.inputs.resize(3);
  merged.inputs[2] = value;
  s.merge_into_producer(0, std::move(merged));
  return true;
}

/// a * b + k -> gemm(a, b, k), for matrices; a gemm without C takes k as C.
bool bias_of_matrix_product(const Site& s) {
  if (s.node().op != "add" || !s.constant(1) || s.type(1).shape.size() > 2) return false;
  const ir::Node* product = s.sole_producer(0);
  if (product == nullptr || s.type(0) != s.result() || s.result().shape.size() != 2) return false;
  if (product->op != "matmul" && (product->op != "gemm" || is_present(*product, 2))) return false;
  for (std::size_t i = 0; i < 2; ++i)
    if (s.graph.type(product->inputs[i]).shape.size() != 2) return false;
  ir::Node merged = *product;
  if (merged.op == "matmul")
    merged.attributes = {{"alpha", 1.0}, {"trans_a", std::int64_t{0}}, {"trans_b", std::int64_t{0}}};
  merged.op = "gemm";
  merged.attributes["beta"] = 1.0;
  merged.inputs.resize(3);
  merged.inputs[2] = s.node().inputs[1];
  s.merge_into_producer(0, std::move(merged));
  return true;
}

/// reshape(reshape(x)) -> reshape(x): elements keep their row-major sequence through both.
bool reshape_of_reshape(const Site& s) {
  ir::Node& node = s.node();
  if (node.op != "reshape") return false;
  const int producer = s.uses.producer(node.inputs[0]);
  if (producer < 0 || s.removed.count(producer) != 0) return false;
  const ir::Node& first = s.graph.nodes[static_cast<std::size_t>(producer)];
  if (first.op != "reshape") return false;
  node.inputs[0] = first.inputs[0];
  return true;
}

/// A transposition that only moves extents of 1 leaves the elements in their row-major sequence: a reshape.
bool transpose_of_units(const Site& s) {
  ir::Node& node = s.node();
  if (node.op != "transpose") return false;
  if (!keeps_sequence(*rearrangement_of(s.graph, node))) return false;
  node.op = "reshape";
  node.attributes = {{"shape", s.result().shape}};
  return true;
}

/// conv(pad(x, 0), w) -> conv(x, w) with the padding among its own: both read 0 there. Padding of images or channels,
/// and a negative one, stay.
bool padding_of_convolution(const Site& s) {
  ir::Node& node = s.node();
  if (node.op != "conv") return false;
  const ir::Node* pad = s.sole_producer(0);
  if (pad == nullptr || pad->op != "pad" || is_present(*pad, 1)) return false;
  if (ir::text_attribute(*pad, "mode", "constant") != "constant" || ir::real_attribute(*pad, "value", 0) != 0)
    return false;
  const std::vector<std::int64_t> added = ir::integers_attribute(*pad, "pads", {});
  const std::size_t rank = added.size() / 2;
  std::vector<std::int64_t> pads = ir::integers_attribute(node, "pads", std::vector<std::int64_t>(2 * (rank - 2), 0));
  for (std::size_t d = 0; d < rank; ++d) {
    if (added[d] < 0 || added[rank + d] < 0) return false;
    if (d < 2 && (added[d] != 0 || added[rank + d] != 0)) return false;
    if (d < 2) continue;
    pads[d - 2] += added[d];
    pads[rank - 2 + d - 2] += added[rank + d];
  }
  const ir::ValueId input = pad->inputs[0];
  node.source = join_sources({pad->source, node.source});
  s.removed.insert(s.uses.producer(node.inputs[0]));
  node.inputs[0] = input;
  node.attributes["pads"] = pads;
  return true;
}

constexpr std::array<bool (*)(const Site&), 8> rules{
    transpose_of_units,      reshape_of_reshape, padding_of_convolution, constant_second,
    subtraction_of_constant, clip_at_zero,       bias_of_convolution,    bias_of_matrix_product};

/// A pass over all nodes; what one rule makes, another may take up in the next.
std::int64_t once(ir::Graph& graph) {
  const ir::Uses uses(graph);
  std::set<int> removed;
  std::int64_t changed = 0;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const Site site{graph, uses, removed, static_cast<int>(i)};
    if (site.node().body || site.node().outputs.size() != 1) continue;
    for (const auto rule : rules) {
      if (!rule(site)) continue;
      ++changed;
      break;  // `uses` no longer tells this node's operands
    }
  }
  remove_nodes(graph, removed);
  return changed;
}

std::int64_t canonicalise(ir::Graph& graph) {
  std::int64_t changed = 0;
  for (std::int64_t now = once(graph); now > 0; now = once(graph)) changed += now;
  return changed;
}

PASS("canonicalise")
    .summary(
        "Gives one form to what can be written in several: constants stand second, x - k is x + (-k), clip(x, 0, inf) "
        "is relu(x), a transposition that only moves extents of 1 is a reshape, "
        "a product or convolution plus a constant has that as its bias.")
    .precondition(
        "the product, convolution or padding has one reader; a convolution's bias varies along channels only, its "
        "padding along "
        "spatial dimensions")
    .place(30, "after folding, which shows what is constant; before the patterns that look for one form")
    .run(canonicalise);

}  // namespace
}  // namespace pimento::optimizer
