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
  int since = 1;  ///< first opset in which this spelling stands
  std::vector<std::string> inputs{};
  ir::Attributes attributes;
  /// Makes an initialiser and returns its name.
  std::function<std::string(const std::string& hint, ir::Tensor)> constant;

  void rename(const std::string& from, const std::string& to);
  void drop(const std::string& attribute);
  /// Drops an attribute that the spelling does not have; UserError unless it holds what is then meant.
  void drop_neutral(const std::string& attribute, const ir::Attribute& neutral);
  /// Moves an attribute to an input, as ONNX wants it: integers as i64[n], a real as a scalar of `type`.
  void to_input(const std::string& attribute, std::size_t input, ElementType type = ElementType::i64);
};

inline constexpr int usual_export_opset = 13;
inline constexpr int newest_export_opset = 17;

/// Names for values, and initialisers that the spelling needs.
struct Names {
  std::function<std::string(ir::ValueId)> of;
  std::function<std::string(const std::string& hint, ir::Tensor)> constant;
};
/// UserError when the operator has no ONNX spelling.
Spelt spell(const ir::Graph& graph, const ir::Node& node, const Names& names);

}  // namespace pimento::frontend
