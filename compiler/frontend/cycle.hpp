#pragma once
// A graph whose nodes wait for each other has no order: the message names the nodes.
#include <onnx/onnx_pb.h>

#include <string>

namespace pimento::frontend {

/// A cycle of the graph in words, "'a' -> 'b' -> 'a'" by nodes; empty when there is none.
std::string find_cycle(const onnx::GraphProto& graph);

}  // namespace pimento::frontend
