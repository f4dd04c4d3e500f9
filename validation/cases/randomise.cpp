#include "validation/cases/randomise.hpp"

#include <cmath>

#include "compiler/ir/interpreter.hpp"
#include "compiler/ops/registry.hpp"
#include "compiler/pipeline/calibrate.hpp"

namespace pimento::validation {
namespace {

class Randomiser {
 public:
  Randomiser(ir::Graph graph, std::uint64_t seed) : graph_(std::move(graph)), seed_(seed) {}

  /// One walk: a node's constants are drawn, then it runs, so that the next ones see what reaches them.
  ir::Graph run() {
    std::vector<ir::Tensor> content(graph_.values.size());
    for (const ir::ValueId v : graph_.inputs) content[ir::to_index(v)] = seeded_normal(graph_.type(v), next_seed());
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      draw(n, content);
      content.resize(graph_.values.size());
      std::vector<ir::Tensor> inputs;
      for (const ir::ValueId v : graph_.nodes[n].inputs)
        inputs.push_back(v == ir::no_value       ? ir::Tensor()
                         : graph_.is_constant(v) ? *graph_.value(v).constant
                                                 : content[ir::to_index(v)]);
      std::vector<ir::Tensor> made = execute(graph_.nodes[n], inputs);
      for (std::size_t i = 0; i < graph_.nodes[n].outputs.size(); ++i)
        if (graph_.nodes[n].outputs[i] != ir::no_value) content[ir::to_index(graph_.nodes[n].outputs[i])] = made[i];
    }
    return std::move(graph_);
  }

 private:
  std::uint64_t next_seed() { return seed_ += 0x1000003; }

  std::vector<ir::Tensor> execute(const ir::Node& node, const std::vector<ir::Tensor>& inputs) const {
    ir::Graph alone;
    ir::Node copy = node;
    std::vector<ir::Tensor> fed;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (node.inputs[i] == ir::no_value) continue;
      if (graph_.is_constant(node.inputs[i])) {
        copy.inputs[i] = alone.add_constant("", inputs[i]);
      } else {
        copy.inputs[i] = alone.add_input("", inputs[i].type());
        fed.push_back(inputs[i]);
      }
    }
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      if (node.outputs[i] == ir::no_value) continue;
      copy.outputs[i] = alone.add_value("", graph_.type(node.outputs[i]));
      alone.outputs.push_back(copy.outputs[i]);
    }
    alone.append(std::move(copy));
    std::vector<ir::Tensor> made = ir::interpret(alone, fed, ops::kernels_of).outputs;
    for (std::size_t i = 0; i < node.outputs.size(); ++i)
      if (node.outputs[i] == ir::no_value) made.insert(made.begin() + static_cast<std::ptrdiff_t>(i), ir::Tensor());
    return made;
  }

  void draw(std::size_t n, const std::vector<ir::Tensor>& content) {
    const std::string op = graph_.nodes[n].op;
    if (op == "batch_norm") return calibrate(n, content[ir::to_index(graph_.nodes[n].inputs[0])]);
    const std::vector<ir::ValueId> inputs = graph_.nodes[n].inputs;
    const bool product = op == "conv" || op == "conv_transpose" || op == "gemm" || op == "matmul";
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (!graph_.is_constant(inputs[i]) || graph_.type(inputs[i]).type != ElementType::f32) continue;
      const ir::Tensor old = *graph_.value(inputs[i]).constant;
      if (product && i < 2)
        replace(n, i, normal(old.type(), 0, std::sqrt(2.0 / fan_in(graph_.nodes[n], old.shape()))));
      else if (product || (op == "add" && is_one_value(old)))
        replace(n, i, normal(old.type(), 0, 0.1));
      else if (op == "mul" && is_one_value(old))
        replace(n, i, normal(old.type(), 1, 0.1));
    }
  }
  static double fan_in(const ir::Node& node, const ir::Shape& weights) {
    if (node.op == "matmul") return static_cast<double>(weights[weights.size() < 2 ? 0 : weights.size() - 2]);
    if (node.op == "gemm") return static_cast<double>(weights[ir::integer_attribute(node, "transB", 0) != 0 ? 1 : 0]);
    double inputs = 1;
    for (std::size_t d = 0; d < weights.size(); ++d)
      if (d != (node.op == "conv" ? 0U : 1U)) inputs *= static_cast<double>(weights[d]);
    return inputs;
  }
  static bool is_one_value(const ir::Tensor& t) {
    for (std::int64_t i = 1; i < t.elements(); ++i)
      if (t.data<float>()[i] != t.data<float>()[0]) return false;
    return t.elements() > 1;
  }

  void calibrate(std::size_t n, const ir::Tensor& data) {
    const ir::Shape& shape = data.shape();
    const std::int64_t channels = shape[1];
    const std::int64_t inner = data.elements() / (shape[0] * channels);
    ir::Tensor mean = ir::Tensor::zeros({ElementType::f32, {channels}});
    ir::Tensor variance = ir::Tensor::zeros({ElementType::f32, {channels}});
    for (std::int64_t c = 0; c < channels; ++c) {
      double sum = 0;
      double squares = 0;
      for (std::int64_t b = 0; b < shape[0]; ++b)
        for (std::int64_t i = 0; i < inner; ++i) {
          const auto x = static_cast<double>(data.data<float>()[(b * channels + c) * inner + i]);
          sum += x;
          squares += x * x;
        }
      const auto count = static_cast<double>(shape[0] * inner);
      mean.mutable_data<float>()[c] = static_cast<float>(sum / count);
      // a channel of one element, or of equal ones, has no spread to speak of
      variance.mutable_data<float>()[c] =
          static_cast<float>(std::max(squares / count - (sum / count) * (sum / count), 1e-2));
    }
    const ir::TensorType type{ElementType::f32, {channels}};
    replace(n, 1, normal(type, 1, 0.1));
    replace(n, 2, normal(type, 0, 0.1));
    replace(n, 3, std::move(mean));
    replace(n, 4, std::move(variance));
  }

  ir::Tensor normal(const ir::TensorType& type, double mean, double deviation) {
    ir::Tensor t = seeded_normal(type, next_seed());
    float* data = t.mutable_data<float>();
    for (std::int64_t i = 0; i < t.elements(); ++i)
      data[i] = static_cast<float>(mean + deviation * static_cast<double>(data[i]));
    return t;
  }
  /// A constant of its own: another node may share the old one.
  void replace(std::size_t n, std::size_t input, ir::Tensor tensor) {
    const std::string name = graph_.value(graph_.nodes[n].inputs[input]).name;
    graph_.nodes[n].inputs[input] = graph_.add_constant(name, std::move(tensor));
  }

  ir::Graph graph_;
  std::uint64_t seed_;
};

}  // namespace

ir::Graph randomise_weights(ir::Graph graph, std::uint64_t seed) { return Randomiser(std::move(graph), seed).run(); }

}  // namespace pimento::validation
