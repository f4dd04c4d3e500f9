#include "compiler/frontend/tensor_file.hpp"

#include "compiler/frontend/model_file.hpp"
#include "compiler/frontend/tensor_proto.hpp"

namespace pimento::frontend {

ir::Tensor read_tensor_pb(const std::string& path) {
  const auto file = MappedFile::open(path);
  auto proto = parse_tensor(file->bytes(), path);
  ExternalData external(path);
  return take_tensor(proto, &external, {.file = path});
}

void write_tensor_pb(const std::string& path, const ir::Tensor& tensor, const std::string& name) {
  write_file(path, to_proto(tensor, name).SerializeAsString());
}

ir::Tensor read_tensor(const std::string& path) {
  return path.ends_with(".npy") ? read_npy(path) : read_tensor_pb(path);
}
void write_tensor(const std::string& path, const ir::Tensor& tensor, const std::string& name) {
  if (path.ends_with(".npy")) return write_npy(path, tensor);
  write_tensor_pb(path, tensor, name);
}

}  // namespace pimento::frontend
