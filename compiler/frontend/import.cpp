#include "compiler/frontend/import.hpp"

#include <fmt/format.h>
#include <onnx/defs/parser.h>

#include "compiler/frontend/importer.hpp"
#include "compiler/frontend/model_file.hpp"

namespace pimento::frontend {

ir::Graph import_onnx(const std::string& path, const ImportOptions& options) {
  auto model = read_model(path);
  return Importer(model, path, ExternalData(path), options).run();
}

ir::Graph import_text(std::string_view text, const ImportOptions& options) {
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
  return Importer(model, "ONNX text", ExternalData(""), options).run();
}

}  // namespace pimento::frontend
