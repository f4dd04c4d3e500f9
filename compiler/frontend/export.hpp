#pragma once
// Graph -> ONNX model file (IR 8, opset 13, or 17 where an operator is younger), for the zoo and for showing a graph to
// other tools. The inverse of the import for every operator whose registry entry names an ONNX spelling.
#include <string>

#include "compiler/ir/graph.hpp"

namespace pimento::frontend {

/// Writes the file whole or not at all (temporary, then rename); equal graphs give equal bytes. Constants become
/// initialisers, Graph::metadata becomes metadata_props. UserError when the file cannot be written, or for a
/// node that ONNX cannot express.
void export_onnx(const ir::Graph& graph, const std::string& path);

}  // namespace pimento::frontend
