#pragma once
// Which models are read at all: IR and opset versions. Our own check, because the installed ONNX library knows only the
// versions of its day and passes newer ones silently. Internal to the frontend: it includes ONNX headers.
#include <onnx/onnx_pb.h>

#include <cstdint>
#include <string>

namespace pimento::frontend {

inline constexpr std::int64_t oldest_ir = 3, newest_ir = 10;
inline constexpr std::int64_t oldest_opset = 1, newest_opset = 21;

/// The opset of the default domain. UserError when IR or opset version lie outside of what is read.
int check_versions(const onnx::ModelProto& model, const std::string& path);

}  // namespace pimento::frontend
