#pragma once
// TensorProto <-> ir::Tensor. Raw data is moved out of the message and shared, external data is mapped; only the typed
// lists that need another width are converted. Internal to the frontend: it includes ONNX headers.
#include <onnx/onnx_pb.h>

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "compiler/ir/tensor.hpp"
#include "isa/support/error.hpp"
#include "isa/support/file.hpp"

namespace pimento::frontend {

/// The element type of an ONNX type code. f64 is taken as f32 (`is_narrowed` says so); nothing for u64, strings,
/// complex, sub-byte and 8-bit floating types.
std::optional<ElementType> element_type(int onnx_type);
bool is_narrowed(int onnx_type);
/// "FLOAT", "INT4"; "type 99" when unknown.
std::string onnx_type_name(int onnx_type);
int onnx_type(ElementType type);

/// Where external data may lie: the model's own folder and what is below it.
class ExternalData {
 public:
  /// `model` is the path of the model file; an empty one (a model from text) has no folder, so no external data.
  explicit ExternalData(std::string model) : model_(std::move(model)) {}
  /// The bytes that `proto` points to; UserError when they leave the folder (symbolic links included) or the file.
  std::shared_ptr<const std::byte> map(const onnx::TensorProto& proto, std::size_t bytes, std::size_t alignment,
                                       const Place& place);

 private:
  std::string model_;
  std::map<std::string, std::shared_ptr<const MappedFile>> files_;
};

/// The tensor of `proto`, whose raw data is taken out. `external` may be null: then external data is refused.
ir::Tensor take_tensor(onnx::TensorProto& proto, ExternalData* external, const Place& place);
onnx::TensorProto to_proto(const ir::Tensor& tensor, const std::string& name);

}  // namespace pimento::frontend
