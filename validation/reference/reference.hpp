#pragma once
// The reference executor: what a graph computes, in double precision, written from the ONNX operator specification. It
// shares the graph with the compiler and nothing else: no kernel, no rule of the operator registry. Floats are kept as
// doubles from node to node and rounded once at the outputs; integers wrap at their width.
#include <functional>
#include <string>
#include <vector>

#include "compiler/ir/graph.hpp"

namespace pimento::reference {

/// A tensor of the reference: real numbers, row-major.
struct Value {
  ElementType type = ElementType::f32;
  ir::Shape shape;
  std::vector<double> data;
};
Value to_value(const ir::Tensor& tensor);
/// Rounds floats to their type and wraps integers.
ir::Tensor to_tensor(const Value& value);

struct Options {
  /// Called with every value that a node of the outermost graph makes.
  std::function<void(ir::ValueId, const Value&)> observer;
  /// Content of the states, in Graph::states order; updated in place. Null: the initial content.
  std::vector<ir::Tensor>* states = nullptr;
};
/// The graph's outputs; inputs in Graph::inputs order. UserError names an operator that the reference does not have,
/// with its node, and an input whose type differs.
std::vector<ir::Tensor> run(const ir::Graph& graph, const std::vector<ir::Tensor>& inputs, const Options& options = {});

/// Operators (graph names) that the reference has, ordered; "group" and "loop" are among them.
std::vector<std::string> operators();

}  // namespace pimento::reference
