#include "compiler/drivers/pim/numerics/emulate.hpp"

#include <algorithm>
#include <cmath>

#include "compiler/ir/interpreter.hpp"
#include "compiler/ops/registry.hpp"
#include "isa/support/math.hpp"

namespace pimento::pim {
namespace {

float code_of(double real, const ValueFormat& f) {
  const auto [low, high] = code_range(f.type);
  return static_cast<float>(std::clamp(math::round_half_even(real / f.scale), low, high));
}
float reading(double code, const ValueFormat& f) {
  return static_cast<float>(code * static_cast<double>(static_cast<float>(f.scale)));
}

template <class F>
ir::Tensor mapped(const ir::Tensor& t, F&& f) {
  ir::Tensor result = t;
  float* data = result.mutable_data<float>();
  for (std::int64_t i = 0; i < t.elements(); ++i) data[i] = f(i, data[i]);
  return result;
}

const ir::Node& leading(const ir::Node& node) { return node.op == "group" ? node.body->nodes.front() : node; }

/// The position among the node's inputs of an input of its leading node.
std::optional<std::size_t> outer_input(const ir::Node& node, std::size_t input) {
  const ir::ValueId v = leading(node).inputs[input];
  if (node.op != "group") return input;
  const auto& inside = node.body->inputs;
  const auto at = std::find(inside.begin(), inside.end(), v);
  if (at == inside.end()) return std::nullopt;
  return static_cast<std::size_t>(at - inside.begin());
}

class Product {
 public:
  Product(const ir::Graph& graph, const ir::Node& node, const NumericsPlan& plan, const Contracted& c,
          const std::vector<double>& scales, const std::vector<Layout>& layouts, const Content& content)
      : graph_(graph), node_(node), plan_(plan), c_(c), scales_(scales), content_(content) {
    const Layout& out = layouts[ir::to_index(node.outputs[0])];
    const ir::Shape& shape = graph.type(node.outputs[0]).shape;
    const auto channel = static_cast<std::size_t>(out.order.back());
    columns_ = shape[channel];
    column_stride_ = ir::row_major_strides(shape)[channel];
  }

  /// Integer sums, bias included, by output element.
  std::vector<double> sums() const {
    const auto weight_at = static_cast<std::size_t>(c_.weight_input);
    const auto data_at = static_cast<std::size_t>(c_.data_input);
    const ValueFormat& in = plan_.of(node_.inputs[data_at]);
    const ir::Tensor x = content_(node_.inputs[data_at]);
    const ir::Tensor weights = weight_codes();
    // Two halves of every input keep all sums exact in f32.
    const auto high = [&](std::int64_t, float real) {
      return std::floor(code_of(static_cast<double>(real), in) / 16.0F);
    };
    const auto low = [&](std::int64_t i, float real) {
      return code_of(static_cast<double>(real), in) - 16.0F * high(i, real);
    };
    const ir::Tensor above = product(mapped(x, high), weights, data_at, weight_at);
    const ir::Tensor below = product(mapped(x, low), weights, data_at, weight_at);
    std::vector<double> result(static_cast<std::size_t>(above.elements()));
    const std::vector<double> bias = bias_codes(in);
    for (std::size_t i = 0; i < result.size(); ++i)
      result[i] = 16 * static_cast<double>(above.data<float>()[i]) + static_cast<double>(below.data<float>()[i]) +
                  (bias.empty() ? 0 : bias[column(i)]);
    return result;
  }
  /// What one unit of a sum is, in units of `by`, as the chip's f32.
  double unit(std::size_t element, double by) const {
    const double in = plan_.of(node_.inputs[static_cast<std::size_t>(c_.data_input)]).scale;
    return static_cast<double>(static_cast<float>(in * scales_[column(element)] / by));
  }

 private:
  const ir::Graph& graph_;
  const ir::Node& node_;
  const NumericsPlan& plan_;
  const Contracted& c_;
  const std::vector<double>& scales_;
  const Content& content_;
  std::int64_t columns_ = 1, column_stride_ = 1;

  std::size_t column(std::size_t element) const {
    return static_cast<std::size_t>(static_cast<std::int64_t>(element) / column_stride_ % columns_);
  }
  ir::Tensor weight_codes() const {
    ir::Tensor codes = *graph_.value(node_.inputs[static_cast<std::size_t>(c_.weight_input)]).constant;
    float* data = codes.mutable_data<float>();
    for (const Contracted::Matrix& m : c_.matrices)
      for (std::int32_t col = m.col0; col < m.col1; ++col)
        for (const std::int64_t r : c_.by_reduction) {
          float& w = data[m.weight_base + c_.by_column[static_cast<std::size_t>(col - m.col0)] + r];
          w = static_cast<float>(
              math::round_half_even(static_cast<double>(w) / scales_[static_cast<std::size_t>(col)]));
        }
    return codes;
  }
  std::vector<double> bias_codes(const ValueFormat& in) const {
    const std::optional<std::size_t> at = bias_input(graph_, node_, scales_.size());
    if (!at) return {};
    const float* bias = graph_.value(node_.inputs[*at]).constant->data<float>();
    std::vector<double> codes;
    for (std::size_t col = 0; col < scales_.size(); ++col)
      codes.push_back(math::round_half_even(static_cast<double>(bias[col]) / (in.scale * scales_[col])));
    return codes;
  }
  /// The leading node alone, without what it adds.
  ir::Tensor product(const ir::Tensor& x, const ir::Tensor& weights, std::size_t data_at, std::size_t weight_at) const {
    ir::Node first = leading(node_);
    const ir::Graph& where = node_.op == "group" ? *node_.body : graph_;
    ir::Graph alone;
    std::vector<ir::Tensor> given;
    first.inputs.resize(2);
    for (std::size_t i = 0; i < 2; ++i) {
      const std::size_t outer = *outer_input(node_, i);
      const ir::Tensor& content = outer == data_at ? x : weights;
      if (outer == weight_at) {
        first.inputs[i] = alone.add_constant("w", content);
      } else {
        first.inputs[i] = alone.add_input("x", content.type());
        given.push_back(content);
      }
    }
    const ir::TensorType type = where.type(first.outputs[0]);
    first.outputs[0] = alone.add_value("y", type);
    alone.outputs = {first.outputs[0]};
    alone.append(std::move(first));
    return ir::interpret(alone, given, ops::kernels_of).outputs[0];
  }
};

/// A plain product, perhaps with a bias of its own and nothing else added in the node itself.
bool is_plain_product(const ir::Graph& graph, const ir::Node& node, std::size_t columns) {
  const ir::Node& first = leading(node);
  if (first.op != "conv" && first.op != "gemm" && first.op != "matmul") return false;
  if (!outer_input(node, 0) || !outer_input(node, 1)) return false;
  const bool adds = first.inputs.size() > 2 && first.inputs[2] != ir::no_value;
  return first.op == "matmul" || !adds || bias_input(graph, node, columns).has_value();
}

}  // namespace

ir::Tensor as_stored(const ValueFormat& format, const ir::Tensor& content) {
  if (content.element_type() != ElementType::f32 || is_float(format.type)) return content;
  return mapped(content, [&](std::int64_t, float x) {
    return reading(static_cast<double>(code_of(static_cast<double>(x), format)), format);
  });
}

std::vector<ir::Tensor> interpret_node(const ir::Graph& graph, const ir::Node& node, const Content& content) {
  ir::Graph alone;
  std::vector<ir::Tensor> given;
  ir::Node copy = node;
  for (ir::ValueId& v : copy.inputs) {
    if (v == ir::no_value) continue;
    const ir::Value& value = graph.value(v);
    if (value.constant) {
      v = alone.add_constant(value.name, *value.constant);
    } else {
      given.push_back(content(v));
      v = alone.add_input(value.name, value.type);
    }
  }
  for (ir::ValueId& v : copy.outputs) {
    if (v == ir::no_value) continue;
    v = alone.add_value(graph.value(v).name, graph.type(v));
    alone.outputs.push_back(v);
  }
  alone.append(std::move(copy));
  return ir::interpret(alone, given, ops::kernels_of).outputs;
}

std::optional<std::size_t> bias_input(const ir::Graph& graph, const ir::Node& node, std::size_t columns) {
  const ir::Node& first = leading(node);
  if (first.op != "conv" && first.op != "gemm") return std::nullopt;
  if (first.op == "gemm" && (ir::real_attribute(first, "alpha", 1) != 1 || ir::real_attribute(first, "beta", 1) != 1))
    return std::nullopt;
  if (first.inputs.size() < 3 || first.inputs[2] == ir::no_value) return std::nullopt;
  const std::optional<std::size_t> at = outer_input(node, 2);
  if (!at) return std::nullopt;
  const auto& constant = graph.value(node.inputs[*at]).constant;
  if (!constant || constant->element_type() != ElementType::f32 ||
      constant->elements() != static_cast<std::int64_t>(columns))
    return std::nullopt;
  return at;
}

std::vector<ir::Tensor> emulate(const ir::Graph& graph, const ir::Node& node, const NumericsPlan& plan,
                                const std::optional<Contracted>& contraction, const std::vector<double>& scales,
                                const std::vector<Layout>& layouts, const Content& content) {
  const auto stored = [&](std::vector<ir::Tensor> outputs) {
    std::size_t at = 0;
    for (const ir::ValueId v : node.outputs)
      if (v != ir::no_value) outputs[at] = as_stored(plan.of(v), outputs[at]), ++at;
    return outputs;
  };
  if (!contraction || scales.empty() || !is_plain_product(graph, node, scales.size()))
    return stored(interpret_node(graph, node, content));

  const Product product(graph, node, plan, *contraction, scales, layouts, content);
  const std::vector<double> sums = product.sums();
  const ValueFormat& out = plan.of(node.outputs[0]);
  ir::Tensor result = ir::Tensor::zeros(graph.type(node.outputs[0]));
  const auto [low, high] = code_range(out.type);
  const bool relu = node.op == "group" && node.body->nodes.size() == 2 && node.body->nodes[1].op == "relu";
  if (node.op != "group" || relu) {  // one conversion from the sum to the result
    float* data = result.mutable_data<float>();
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const double code = math::round_half_even(sums[i] * product.unit(i, out.scale));
      data[i] = reading(std::clamp(code, relu ? std::max(low, 0.0) : low, high), out);
    }
    return {result};
  }
  // The sum as f32, and what is fused to it in f32.
  float* data = result.mutable_data<float>();
  for (std::size_t i = 0; i < sums.size(); ++i) data[i] = static_cast<float>(sums[i] * product.unit(i, 1));
  ir::Graph rest = *node.body;
  const ir::ValueId sum = rest.nodes.front().outputs[0];
  rest.nodes.erase(rest.nodes.begin());
  std::vector<ir::Tensor> given;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const ir::Value& value = graph.value(node.inputs[i]);
    given.push_back(value.constant ? *value.constant : content(node.inputs[i]));
  }
  rest.inputs.push_back(sum);
  given.push_back(result);
  const ir::Tensor real = ir::interpret(rest, given, ops::kernels_of).outputs[0];
  const auto per_code = static_cast<double>(static_cast<float>(1 / out.scale));
  const double least = low, most = high;  // clang 14 does not let lambdas take structured bindings
  return {mapped(real, [&](std::int64_t, float x) {
    return reading(std::clamp(math::round_half_even(static_cast<double>(x) * per_code), least, most), out);
  })};
}

}  // namespace pimento::pim
