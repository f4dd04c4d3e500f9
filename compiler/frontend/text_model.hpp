#pragma once
// ONNX's textual syntax -> the bytes of a model file: for cases that are easier to read as text than as a file.
#include <string>
#include <string_view>

namespace pimento::frontend {

/// The serialised model of `g (float[1,4] x) => (float[1,4] y) { y = Relu (x) }` (IR 8, opset 13), or of a whole model
/// `<ir_version: 8, opset_import: ["" : 17]> g (...) => (...) { ... }`. UserError for what is not that syntax.
std::string model_bytes(std::string_view text);

}  // namespace pimento::frontend
