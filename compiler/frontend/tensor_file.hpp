#pragma once
// Tensors on disk: ONNX's TensorProto (`input_0.pb`) and NumPy's `.npy`. A damaged file or an element type that the IR
// does not have is a UserError that names the file; files are written whole or not at all.
#include <string>

#include "compiler/ir/tensor.hpp"

namespace pimento::frontend {

struct NamedTensor {
  std::string name;  ///< may be empty
  ir::Tensor tensor;
};
NamedTensor read_named_tensor_pb(const std::string& path);
ir::Tensor read_tensor_pb(const std::string& path);
void write_tensor_pb(const std::string& path, const ir::Tensor& tensor, const std::string& name = "");

/// Little-endian, C order (a Fortran-order file is transposed on reading); versions 1 to 3 of the format. `f8` is read
/// as f32. bf16, which NumPy does not know, is written as `<u2`.
ir::Tensor read_npy(const std::string& path);
void write_npy(const std::string& path, const ir::Tensor& tensor);

/// By extension: `.npy`, else TensorProto.
ir::Tensor read_tensor(const std::string& path);
void write_tensor(const std::string& path, const ir::Tensor& tensor, const std::string& name = "");

}  // namespace pimento::frontend
