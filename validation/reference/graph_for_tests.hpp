#pragma once
// Small graphs for the reference's tests, with values that repeat in no simple order.
#include "compiler/ir/graph.hpp"
#include "compiler/ops/registry.hpp"

namespace pimento::reference {

/// splitmix64.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  std::int64_t below(std::int64_t bound) {
    return static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(bound));
  }
  /// -2 .. 2 in steps of 1/64: sums of products of such numbers are exact in f64.
  double number() { return static_cast<double>(below(257) - 128) / 64; }

 private:
  std::uint64_t state_;
};

inline ir::Tensor random_tensor(Random& random, const ir::Shape& shape) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < ir::element_count(shape); ++i) values.push_back(random.number());
  return ir::Tensor::of({ElementType::f32, shape}, values);
}

/// Appends a node whose output type the registry infers; returns the output.
inline ir::ValueId add(ir::Graph& g, const std::string& op, const std::vector<ir::ValueId>& inputs,
                       const ir::Attributes& attributes = {}) {
  ir::Node node;
  node.op = op;
  node.inputs = inputs;
  node.attributes = attributes;
  node.source = op + std::to_string(g.nodes.size());
  node.outputs = {g.add_value(node.source, {})};
  g.value(node.outputs[0]).type = ops::infer_or_throw(g, node)[0];
  return g.append(node).outputs[0];
}

}  // namespace pimento::reference
