#pragma once
// An ONNX node on its way to one canonical form. A normaliser takes what is written in ONNX's manner (and differently
// in each opset) and puts what the operator's entry describes.
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler/ops/call.hpp"

namespace pimento::ops {

class OnnxNode : public Call {
 public:
  OnnxNode(const OpDef& op, ir::Graph& g, ir::Node& node, int opset)
      : Call(op, g, node), graph_(g), node_(node), opset_(opset) {}
  int opset() const { return opset_; }
  ir::Graph& graph() { return graph_; }
  ir::Node& node() { return node_; }

  // Attributes as written; taking one removes it.
  bool given(std::string_view name) const { return node_.attributes.find(name) != node_.attributes.end(); }
  std::int64_t take_integer(std::string_view name, std::int64_t fallback);
  double take_real(std::string_view name, double fallback);
  std::string take_text(std::string_view name, const std::string& fallback);
  std::optional<std::vector<std::int64_t>> take_integers(std::string_view name);
  std::optional<std::vector<double>> take_reals(std::string_view name);
  std::optional<ir::Tensor> take_tensor(std::string_view name);
  void drop(std::string_view name) { erase(name); }
  void put(const std::string& name, ir::Attribute value) { node_.attributes[name] = std::move(value); }

  // Inputs that ONNX uses like attributes: they must be known at compile time, and leave the node.
  /// Content of an input as integers; nothing when it is absent. The input is left in place.
  std::optional<std::vector<std::int64_t>> known_integers(int input);
  /// The same of positions and steps, brought within 2^31: beyond them "to the end" is all that is meant.
  std::optional<std::vector<std::int64_t>> known_positions(int input);
  std::optional<std::vector<double>> known_reals(int input);
  /// Positions or steps: attribute `name`, or else input `input`, whichever is given.
  std::optional<std::vector<std::int64_t>> integers_from(std::string_view name, int input);
  /// Removes all inputs from `first` on.
  void keep_inputs(int count);
  void set_input(int input, ir::ValueId value);

  /// axis or axes counted from the end become counted from 0; refuses what leaves [-rank, rank).
  std::int64_t positive_axis(std::int64_t axis, int rank, std::string_view attribute) const;
  std::vector<std::int64_t> positive_axes(std::vector<std::int64_t> axes, int rank, std::string_view attribute) const;
  void put_axis(std::string_view name, std::int64_t fallback, int rank);

  /// A value equal to `value` under another shape: a constant, or a reshape node appended to the graph.
  ir::ValueId reshaped(ir::ValueId value, ir::Shape shape);
  /// Opset 1 to 6: aligns input 1 of a binary operator by its attributes `axis` and `broadcast`.
  void legacy_broadcast();
  /// Output `i` is known at compile time; when all are, `dissolve` ends the node.
  void define(int output, ir::Tensor content);
  void dissolve() { node_.op.clear(); }
  bool dissolved() const { return node_.op.empty(); }
  /// Keeps the first `count` outputs; a wanted one beyond is refused with the reason.
  void keep_outputs(int count, const std::string& reason);

 private:
  std::optional<ir::Attribute> take(std::string_view name);
  void erase(std::string_view name);
  ir::Graph& graph_;
  ir::Node& node_;
  int opset_;
};

/// Element type of an ONNX TensorProto.DataType number. Double is computed as f32; nothing for strings, complex numbers
/// and unsigned 64-bit integers.
std::optional<ElementType> element_type_of_onnx(std::int64_t number);

}  // namespace pimento::ops
