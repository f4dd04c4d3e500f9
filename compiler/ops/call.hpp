#pragma once
// One use of an operator, as its rules see it: operands and attributes of one node, with refusals that name their
// place.
#include <string>
#include <vector>

#include "compiler/ops/registry.hpp"

namespace pimento::ops {

class Call {
 public:
  Call(const OpDef& op, const ir::Graph& g, const ir::Node& node) : op_(op), graph_(g), node_(node) {}

  const OpDef& op() const { return op_; }
  int inputs() const { return static_cast<int>(node_.inputs.size()); }
  bool has(int input) const;
  const ir::TensorType& type(int input) const;
  ElementType element(int input = 0) const { return type(input).type; }
  const ir::Shape& shape(int input = 0) const { return type(input).shape; }
  int rank(int input = 0) const { return static_cast<int>(shape(input).size()); }
  /// Refuses an input of lower rank.
  std::int64_t dim(int input, int d) const;
  /// The operand's content when it is known at compile time, else null.
  const ir::Tensor* constant(int input) const;
  /// Name of an input as the entry gives it ("W"; "inputs[2]" of a variadic one).
  std::string input_name(int input) const;

  int outputs() const { return static_cast<int>(node_.outputs.size()); }
  bool wants(int output) const;
  /// Type of an output, by the shape rule.
  ir::TensorType output(int output = 0) const;

  // Attributes; an absent one gives the fallback of its description.
  bool given(std::string_view name) const;
  std::int64_t integer(std::string_view name) const;
  bool flag(std::string_view name) const { return integer(name) != 0; }
  double real(std::string_view name) const;
  const std::string& text(std::string_view name) const;
  const std::vector<std::int64_t>& integers(std::string_view name) const;
  std::int64_t integer(std::string_view name, int at) const { return integers(name).at(static_cast<std::size_t>(at)); }
  const std::vector<double>& reals(std::string_view name) const;
  const ir::Tensor& tensor(std::string_view name) const;

  // Refusals; "node 'Conv_7' (conv), input 'W' f32[64,3,7]".
  std::string place() const;
  std::string place(int input) const;
  std::string place(std::string_view attribute) const;
  [[noreturn]] void refuse(const std::string& expected, const std::string& got) const;
  [[noreturn]] void refuse(int input, const std::string& expected, const std::string& got) const;
  [[noreturn]] void refuse(std::string_view attribute, const std::string& expected, const std::string& got) const;
  void require_rank(int input, int expected, const std::string& why = "") const;
  void require_rank_at_least(int input, int expected) const;
  /// Attribute `name` counts axes 0 .. rank-1.
  int axis(std::string_view name, int rank) const;

 private:
  const ir::Attribute& attribute(std::string_view name) const;
  const OpDef& op_;
  const ir::Graph& graph_;
  const ir::Node& node_;
};

std::string to_string(const ir::Shape& shape);  ///< "[1,3,7]"

}  // namespace pimento::ops
