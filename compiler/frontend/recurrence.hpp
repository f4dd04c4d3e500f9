#pragma once
// LSTM, GRU and RNN are functions over Scan: the products with the inputs of all steps at once, then one step as a
// loop's body. Written here as ONNX text, so that the formulas can be read beside the specification. Internal to the
// frontend.
#include <onnx/onnx_pb.h>

#include "compiler/ir/graph.hpp"

namespace pimento::frontend {

/// The function that a node of op_type LSTM, GRU or RNN stands for, over the node's inputs X, W, R, B, sequence_lens,
/// initial_h, initial_c, P. UserError for what is not supported: activations with scaling of their own, sequences of
/// different lengths.
onnx::FunctionProto recurrent_function(const onnx::NodeProto& node, const ir::Graph& graph,
                                       const std::vector<ir::ValueId>& inputs);

}  // namespace pimento::frontend
