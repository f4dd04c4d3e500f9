#pragma once
// How a graph node is spelt in ONNX (opset 13): the inverse of the operators' normalisers, as a table. An operator
// without attributes needs no row: its entry in the registry names its ONNX form.
#include <functional>
#include <string>
#include <vector>

#include "compiler/ir/graph.hpp"

namespace pimento::frontend {

/// A node on its way out. Inputs are names; "" is an absent one.
struct Spelt {
  std::string op_type;
  std::string domain;
  std::vector<std::string> inputs{};
  ir::Attributes attributes;
  /// Makes an initialiser and returns its name.
  std::function<std::string(const std::string& hint, ir::Tensor)> constant;

  void rename(const std::string& from, const std::string& to);
  void drop(const std::string& attribute);
  /// Moves an attribute to an input, as ONNX wants it: integers as i64[n], a real as a scalar of `type`.
  void to_input(const std::string& attribute, std::size_t input, ElementType type = ElementType::i64);
};

inline constexpr int export_opset = 13;

/// Names for values, and initialisers that the spelling needs.
struct Names {
  std::function<std::string(ir::ValueId)> of;
  std::function<std::string(const std::string& hint, ir::Tensor)> constant;
};
/// UserError when the operator has no ONNX spelling.
Spelt spell(const ir::Graph& graph, const ir::Node& node, const Names& names);

}  // namespace pimento::frontend
