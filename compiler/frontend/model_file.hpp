#pragma once
// Bytes on disk -> protobuf messages. Whatever is wrong with the bytes is one UserError here; protobuf neither throws
// nor logs past this file. Internal to the frontend: it includes ONNX headers.
#include <onnx/onnx_pb.h>

#include <span>
#include <string>

namespace pimento::frontend {

/// The model in `path`. Empty, textual, cut short, not ONNX: UserError.
onnx::ModelProto read_model(const std::string& path);
/// The TensorProto in `bytes`; `path` names it in messages.
onnx::TensorProto parse_tensor(std::span<const std::byte> bytes, const std::string& path);

}  // namespace pimento::frontend
