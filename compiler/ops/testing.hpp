#pragma once
// For tests of operators: runs one ONNX node through normalisation, its kernels and the interpreter.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <functional>

#include "compiler/ir/interpreter.hpp"
#include "compiler/ir/text.hpp"
#include "compiler/ir/verify.hpp"
#include "compiler/ops/registry.hpp"

namespace pimento::ops::testing {

using ir::Attributes;
using ir::Shape;
using ir::Tensor;
using ir::TensorType;
using Ints = std::vector<std::int64_t>;
using Reals = std::vector<double>;
inline constexpr auto f32 = ElementType::f32;
inline constexpr auto i64 = ElementType::i64;

inline Tensor real(Shape shape, const Reals& values) { return Tensor::of({f32, std::move(shape)}, values); }
inline Tensor ints(Shape shape, const Ints& values) { return Tensor::of_integers({i64, std::move(shape)}, values); }
/// Eighths between -2 and 2 in a fixed irregular order: their sums and products are exact in f32.
inline Tensor sample(Shape shape, std::int64_t seed = 1, ElementType type = f32) {
  const TensorType t{type, std::move(shape)};
  Reals values;
  auto state = static_cast<std::uint64_t>(seed) * 2654435761U + 12345;
  for (std::int64_t i = 0; i < t.elements(); ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    const auto value = static_cast<double>((state >> 40) % 33) - 16;
    values.push_back(is_float(type) ? value / 8 : is_signed(type) ? value : value + 16);
  }
  return Tensor::of(t, values);
}

/// Element at coordinates `i`; `outside` beyond the tensor.
inline double at(const Reals& values, const Shape& shape, const Ints& i, double outside = 0) {
  std::int64_t flat = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (i[d] < 0 || i[d] >= shape[d]) return outside;
    flat = flat * shape[d] + i[d];
  }
  return values[static_cast<std::size_t>(flat)];
}
/// Calls f with every point of a box, row-major.
inline void each(const Shape& extents, const std::function<void(const Ints&)>& f) {
  Ints i(extents.size(), 0);
  if (ir::element_count(extents) == 0) return;
  while (true) {
    f(i);
    std::size_t d = extents.size();
    while (d > 0 && ++i[d - 1] == extents[d - 1]) i[--d] = 0;
    if (d == 0) return;
  }
}

struct Node {
  ir::Graph graph;
  ir::Node node;
  std::vector<Tensor> inputs;
  std::optional<Finding> finding;
};
/// An absent optional input is an empty handle. Inputs are constants, so that attribute-like ones are known.
inline Node import(const std::string& onnx, int opset, const Attributes& attributes, const std::vector<Tensor>& inputs,
                   int outputs = 1, const std::string& domain = "") {
  Node n;
  n.node.attributes = attributes;
  n.node.source = std::string("n");
  for (std::size_t i = 0; i < inputs.size(); ++i)
    n.node.inputs.push_back(inputs[i].empty_handle() ? ir::no_value
                                                     : n.graph.add_constant(fmt::format("x{}", i), inputs[i]));
  for (int i = 0; i < outputs; ++i) n.node.outputs.push_back(n.graph.add_value(fmt::format("y{}", i), {}));
  n.finding = normalise(n.graph, n.node, domain, onnx, opset);
  return n;
}

inline std::vector<Tensor> run_all(const std::string& onnx, int opset, const Attributes& attributes,
                                   const std::vector<Tensor>& inputs, int outputs = 1, const std::string& domain = "") {
  auto n = import(onnx, opset, attributes, inputs, outputs, domain);
  if (n.finding) FAIL(to_string(*n.finding));
  std::vector<Tensor> result;
  if (n.node.op.empty()) {
    for (const auto v : n.node.outputs) result.push_back(n.graph.value(v).constant.value());
    return result;
  }
  std::vector<TensorType> in, out;
  for (const auto v : n.node.inputs) in.push_back(v == ir::no_value ? TensorType{} : n.graph.type(v));
  for (const auto v : n.node.outputs) out.push_back(v == ir::no_value ? TensorType{} : n.graph.type(v));
  const auto sequence = kernels_of(n.graph, n.node);
  for (const auto& finding : ir::verify(sequence, in, out)) FAIL(finding.message);
  CHECK(check(n.graph).empty());
  result = fold(n.graph, n.node);
  REQUIRE(result.size() == out.size());
  for (std::size_t i = 0; i < result.size(); ++i) CHECK(ir::to_string(result[i].type()) == ir::to_string(out[i]));
  for (std::size_t i = n.node.outputs.size(); i < static_cast<std::size_t>(outputs); ++i) result.emplace_back();
  return result;
}
inline Tensor run(const std::string& onnx, int opset, const Attributes& attributes, const std::vector<Tensor>& inputs,
                  const std::string& domain = "") {
  return run_all(onnx, opset, attributes, inputs, 1, domain).front();
}
/// What is said of a node that does not hold; "" when it does.
inline std::string refusal(const std::string& onnx, int opset, const Attributes& attributes,
                           const std::vector<Tensor>& inputs, int outputs = 1) {
  const auto n = import(onnx, opset, attributes, inputs, outputs);
  return n.finding ? to_string(*n.finding) : "";
}
/// The kernel of a node that has only one.
inline ir::Kernel kernel(const Node& n) {
  const auto sequence = kernels_of(n.graph, n.node);
  REQUIRE(sequence.calls.size() == 1);
  return std::get<ir::Kernel>(sequence.calls.front().kernel);
}

inline void check_close(const Tensor& got, const Shape& shape, const Reals& expected, double tolerance = 1e-5) {
  REQUIRE(got.shape() == shape);
  const auto values = got.to_doubles();
  REQUIRE(values.size() == expected.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double bound = tolerance * std::max(1.0, std::fabs(expected[i]));
    const bool same = values[i] == expected[i] || (std::isnan(values[i]) && std::isnan(expected[i]));
    if (!same && !(std::fabs(values[i] - expected[i]) <= bound))
      FAIL_CHECK(fmt::format("element {}: expected {}, got {}", i, expected[i], values[i]));
  }
}
inline void check_equal(const Tensor& got, const Shape& shape, const Reals& expected) {
  check_close(got, shape, expected, 0);
}

}  // namespace pimento::ops::testing
