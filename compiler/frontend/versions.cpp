#include "compiler/frontend/versions.hpp"

#include <fmt/format.h>

#include "isa/support/error.hpp"

namespace pimento::frontend {

int check_versions(const onnx::ModelProto& model, const std::string& path) {
  if (model.ir_version() < oldest_ir || model.ir_version() > newest_ir)
    throw UserError({.file = path}, fmt::format("IR version {} is not supported, expected {} to {}", model.ir_version(),
                                                oldest_ir, newest_ir));
  for (const auto& set : model.opset_import()) {
    if (!set.domain().empty() && set.domain() != "ai.onnx") continue;  // a node of another domain is refused by name
    if (set.version() < oldest_opset || set.version() > newest_opset)
      throw UserError({.file = path}, fmt::format("opset {} is not supported, expected {} to {}", set.version(),
                                                  oldest_opset, newest_opset));
    return static_cast<int>(set.version());
  }
  throw UserError({.file = path}, "the model imports no opset of the default domain");
}

}  // namespace pimento::frontend
