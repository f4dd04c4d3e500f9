#pragma once
// Writes a network in ONNX's words and computes it at the same time on a calibration input: what a layer needs to know
// about its input (a batch norm's statistics, a value's range) is there when the layer is added.
#include <cstdint>
#include <string>
#include <vector>

#include "models/zoo/random.hpp"
#include "models/zoo/zoo.hpp"

namespace pimento::zoo {

class Builder {
 public:
  Builder(const std::string& name, std::uint64_t seed);

  /// An input of normal values.
  ir::ValueId input(const std::string& name, ir::Shape shape);
  /// An input of integers in [0, limit).
  ir::ValueId indices(const std::string& name, ir::Shape shape, std::int64_t limit);
  ir::ValueId constant(const std::string& name, ir::Tensor tensor);
  /// Normal values times `scale`.
  ir::ValueId weights(const std::string& name, ir::Shape shape, float scale);
  /// An ONNX operator of opset 13 with one output; `name` names node and output.
  ir::ValueId op(const std::string& onnx_name, const std::string& name, std::vector<ir::ValueId> inputs,
                 ir::Attributes attributes = {});
  void output(ir::ValueId value);

  struct Window {
    std::int64_t kernel = 3;
    std::int64_t stride = 1;
    std::int64_t pad = 0;
    std::int64_t group = 1;
    bool bias = false;
  };
  ir::ValueId conv(const std::string& name, ir::ValueId x, std::int64_t channels, const Window& window);
  /// With the statistics of `x` on the calibration input.
  ir::ValueId batch_norm(const std::string& name, ir::ValueId x);
  ir::ValueId relu(const std::string& name, ir::ValueId x) { return op("Relu", name, {x}); }
  ir::ValueId max_pool(const std::string& name, ir::ValueId x, const Window& window);
  ir::ValueId flatten(const std::string& name, ir::ValueId x) { return op("Flatten", name, {x}); }
  /// A fully connected layer with bias (Gemm, weight [features, inputs]).
  ir::ValueId linear(const std::string& name, ir::ValueId x, std::int64_t features);

  const ir::Shape& shape(ir::ValueId v) const { return graph_.type(v).shape; }
  const ir::Tensor& content(ir::ValueId v) const { return contents_[ir::to_index(v)]; }
  /// The network with its ranges, and the calibration input with its outputs.
  Model finish();

 private:
  ir::ValueId add_input(const std::string& name, ir::Tensor content);
  /// Computes the nodes that were appended since the last call.
  void compute();
  /// Random numbers of one tensor: a network's other tensors do not depend on how many it draws.
  Random stream(const std::string& name) const;

  std::uint64_t seed_;
  ir::Graph graph_;
  std::vector<ir::Tensor> contents_;  ///< by value
  std::size_t computed_ = 0;          ///< nodes
};

}  // namespace pimento::zoo
