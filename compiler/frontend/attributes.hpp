#pragma once
// An ONNX node's attributes as the IR's, spelt as ONNX spells them: the operators' normalisers do the rest. Internal to
// the frontend: it includes ONNX headers.
#include <onnx/onnx_pb.h>

#include "compiler/frontend/tensor_proto.hpp"
#include "compiler/ir/library.hpp"

namespace pimento::frontend {

/// Tensors are taken out of `node`. Several strings become one, joined by ','. UserError (naming the attribute) for
/// graphs, sparse tensors, types, and references to a function's attribute.
ir::Attributes take_attributes(onnx::NodeProto& node, ExternalData& external, const Place& place);

}  // namespace pimento::frontend
