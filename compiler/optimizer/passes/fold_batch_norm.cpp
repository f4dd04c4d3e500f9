// An inference batch normalisation is one factor and one shift per channel; both fit into the contraction that feeds
// it:
//   scale * ((W x + b) - mean) / sqrt(var + epsilon) + shift  =  (f W) x + (f (b - mean) + shift),  f = scale /
//   sqrt(...)
// The factors are computed in double and each weight is rounded once. One without such a contraction stays what it is,
// an element-wise node.
#include <algorithm>
#include <cmath>
#include <set>

#include "compiler/optimizer/facts.hpp"
#include "compiler/optimizer/pass.hpp"

namespace pimento::optimizer {
namespace {

struct Affine {
  std::vector<double> factor, shift;  ///< per channel
};

/// Nothing when a statistic is unknown or a factor is not finite.
std::optional<Affine> affine_of(const ir::Graph& graph, const ir::Node& node) {
  std::vector<std::vector<double>> operands;
  for (std::size_t i = 1; i < 5; ++i) {
    if (!is_present(node, i) || !graph.is_constant(node.inputs[i])) return {};
    operands.push_back(graph.value(node.inputs[i]).constant->to_doubles());
  }
  const double epsilon = ir::real_attribute(node, "epsilon", 1e-5);
  Affine affine;
  for (std::size_t c = 0; c < operands[0].size(); ++c) {
    const double factor = operands[0][c] / std::sqrt(operands[3][c] + epsilon);
    if (!std::isfinite(factor)) return {};
    affine.factor.push_back(factor);
    affine.shift.push_back(operands[1][c] - factor * operands[2][c]);
  }
  return affine;
}

/// Channel of the result that an element of the weight belongs to, as (position / inner) % channels, plus for grouped
/// transposed convolutions the group's offset.
struct ChannelOf {
  std::int64_t inner = 1, channels = 1, group_elements = 0;
  std::size_t operator()(std::int64_t position) const {
    const std::int64_t group = group_elements == 0 ? 0 : position / group_elements;
    return static_cast<std::size_t>(group * channels + (position / inner) % channels);
  }
};
std::optional<ChannelOf> channel_of(const ir::Graph& graph, const ir::Node& node) {
  const ir::Shape& w = graph.type(node.inputs[1]).shape;
  if (node.op == "conv") return ChannelOf{ir::element_count(w) / w[0], w[0], 0};
  if (node.op == "conv_transpose") {
    const std::int64_t groups = ir::integer_attribute(node, "group", 1);
    return ChannelOf{ir::element_count(w) / (w[0] * w[1]), w[1], groups > 1 ? ir::element_count(w) / groups : 0};
  }
  if (node.op == "gemm" && ir::integer_attribute(node, "trans_b", 0) == 0) return ChannelOf{1, w[1], 0};
  if (node.op == "gemm") return ChannelOf{w[1], w[0], 0};
  return {};
}

bool has_constant_weights(const ir::Graph& graph, const ir::Node& node) {
  if (!is_present(node, 1) || !graph.is_constant(node.inputs[1]) || !is_float(graph.type(node.inputs[1]).type))
    return false;
  if (!is_present(node, 2)) return true;
  // A bias that differs from row to row of a matrix product is no bias per channel.
  const ir::Shape& bias = graph.type(node.inputs[2]).shape;
  return graph.is_constant(node.inputs[2]) && (bias.size() < 2 || bias[0] == 1);
}

ir::Tensor scaled_weight(const ir::Tensor& weight, const ChannelOf& channel, const Affine& affine) {
  std::vector<double> values = weight.to_doubles();
  const auto run = static_cast<std::size_t>(std::max<std::int64_t>(1, channel.inner));  // elements of one channel
  for (std::size_t first = 0; first < values.size(); first += run) {
    const double factor = affine.factor[channel(static_cast<std::int64_t>(first))];
    for (std::size_t i = first; i < std::min(first + run, values.size()); ++i) values[i] *= factor;
  }
  return ir::Tensor::of(weight.type(), values);
}

ir::Tensor new_bias(const ir::Graph& graph, const ir::Node& node, const Affine& affine) {
  std::vector<double> bias(affine.factor.size(), 0.0);
  if (is_present(node, 2)) {
    const std::vector<double> old = graph.value(node.inputs[2]).constant->to_doubles();
    const double beta = node.op == "gemm" ? ir::real_attribute(node, "beta", 1.0) : 1.0;
    for (std::size_t c = 0; c < bias.size(); ++c) bias[c] = beta * (old.size() == 1 ? old[0] : old[c]);
  }
  for (std::size_t c = 0; c < bias.size(); ++c) bias[c] = affine.factor[c] * bias[c] + affine.shift[c];
  return ir::Tensor::of({graph.type(node.outputs[0]).type, {static_cast<std::int64_t>(bias.size())}}, bias);
}

bool fold_into_producer(ir::Graph& graph, const ir::Uses& uses, const ir::Node& normalisation) {
  const int at = uses.producer(normalisation.inputs[0]);
  if (at < 0 || !uses.single(normalisation.inputs[0]) || normalisation.outputs.size() != 1) return false;
  ir::Node& node = graph.nodes[static_cast<std::size_t>(at)];
  const auto affine = affine_of(graph, normalisation);
  if (node.body || !affine || !has_constant_weights(graph, node)) return false;
  const auto channel = channel_of(graph, node);
  if (!channel) return false;
  const ir::ValueId old_weight = node.inputs[1];
  const std::string name = graph.value(old_weight).name;
  const ir::ValueId weight =
      graph.add_constant(name, scaled_weight(*graph.value(old_weight).constant, *channel, *affine));
  const ir::ValueId bias = graph.add_constant(name + "_shift", new_bias(graph, node, *affine));
  node.inputs = {node.inputs[0], weight, bias};
  if (node.op == "gemm") node.attributes["beta"] = 1.0;
  node.outputs = normalisation.outputs;
  node.source = join_sources({node.source, normalisation.source});
  return true;
}

std::int64_t fold_batch_norm(ir::Graph& graph) {
  std::set<int> folded;
  const ir::Uses uses(graph);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const ir::Node normalisation = graph.nodes[i];
    if (normalisation.op == "batch_norm" && fold_into_producer(graph, uses, normalisation))
      folded.insert(static_cast<int>(i));
  }
  remove_nodes(graph, folded);
  return static_cast<std::int64_t>(folded.size());
}

PASS("fold-batch-norm")
    .summary("Moves an inference BatchNormalization into the convolution or matrix product that feeds it.")
    .precondition(
        "weight, bias and statistics are constant floats and every factor is finite; the contraction has one reader "
        "and its bias, "
        "if any, is one per channel")
    .place(
        40,
        "after canonical forms, which give matrix products a place for the bias; before fusion, which hides the pair")
    .run(fold_batch_norm);

}  // namespace
}  // namespace pimento::optimizer
