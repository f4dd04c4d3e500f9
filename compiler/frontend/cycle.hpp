#pragma once
#include <onnx/onnx_pb.h>

#include <string>

namespace pimento::frontend {

/// A cycle of the graph in words, "'a' -> 'b' -> 'a'" by nodes; empty when there is none.
std::string find_cycle(const onnx::GraphProto& graph);

}  // namespace pimento::frontend
