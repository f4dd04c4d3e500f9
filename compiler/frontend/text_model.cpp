#include "compiler/frontend/text_model.hpp"

#include <onnx/defs/parser.h>
#include <onnx/onnx_pb.h>

#include "isa/support/error.hpp"

namespace pimento::frontend {

std::string model_bytes(std::string_view text) {
  const std::string source(text);
  const bool is_model = source.find_first_not_of(" \t\r\n") == source.find('<');
  onnx::ModelProto model;
  onnx::OnnxParser parser(source.c_str());
  const auto status = is_model ? parser.Parse(model) : parser.Parse(*model.mutable_graph());
  if (!status.IsOK()) throw UserError({.file = "ONNX text"}, status.ErrorMessage());
  if (!is_model) {
    model.set_ir_version(8);
    model.add_opset_import()->set_version(13);
  }
  return model.SerializeAsString();
}

}  // namespace pimento::frontend
