#pragma once
// ONNX -> graph. ONNX spelling ends here: `auto_pad` is pads, axis -1 is a number, Constant nodes are constants, shape
// arithmetic is folded. Every refusal is collected and reported once, by node name. The file is only read.
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "compiler/ir/graph.hpp"

namespace pimento::frontend {

struct ImportOptions {
  /// Extents of dynamic dimensions, by the dimension's name, or by "INPUT.AXIS" where it has none (`--dim batch=4`,
  /// `--dim x.2=224`). A name that no input has is a UserError.
  std::map<std::string, std::int64_t> dimensions;
  std::string dimension_prefix;  ///< before these names where messages give them: of several models, "MODEL/"
  /// Graph inputs whose content is given at compile time: they become constants ("weights" that a test model passes as
  /// inputs). A name that is no input is a UserError.
  std::map<std::string, ir::Tensor> constant_inputs;
  /// Shapes of tensors at hand, one per input that is no constant, in their order (fewer are fine): they give the
  /// extents of dynamic dimensions that `dimensions` does not.
  std::vector<ir::Shape> input_shapes;
  /// Scalar operations that values known at compile time may take in all: beyond them an import would not end in sight.
  std::int64_t most_computed = std::int64_t{1} << 34;
  /// Told what was assumed: "input 'x': dimension 'batch' set to 1 (--dim batch=1)".
  std::function<void(const std::string&)> note;
};

/// The model's property, and the key in Graph::metadata, of recorded ranges: JSON, value name -> [min, max].
inline constexpr const char* recorded_ranges = "pimento.ranges";

/// The graph of a model file. Names are kept (values, Node::source); two imports have one fingerprint.
/// The model's property `recorded_ranges` arrives under that key in Graph::metadata.
/// UserError for everything that is wrong with file or model.
ir::Graph import_onnx(const std::string& path, const ImportOptions& options = {});

/// As import_onnx, from ONNX's textual syntax: a graph `g (float[1,4] x) => (float[1,4] y) { y = Relu (x) }` (read
/// under opset 13), or a model `<ir_version: 8, opset_import: ["" : 17]> g (...) => (...) { ... }`. For tests and bug
/// reports.
ir::Graph import_text(std::string_view text, const ImportOptions& options = {});

}  // namespace pimento::frontend
