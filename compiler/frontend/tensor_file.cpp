#include "compiler/frontend/tensor_file.hpp"

#include "compiler/frontend/model_file.hpp"
#include "compiler/frontend/tensor_proto.hpp"

namespace pimento::frontend {

NamedTensor read_named_tensor_pb(const std::string& path) {
  const MappedFile file(path);
  auto proto = parse_tensor(file.bytes(), path);
  ExternalData external(path);
  auto tensor = take_tensor(proto, &external, {.file = path});
  return {proto.name(), std::move(tensor)};
}
ir::Tensor read_tensor_pb(const std::string& path) { return read_named_tensor_pb(path).tensor; }

void write_tensor_pb(const std::string& path, const ir::Tensor& tensor, const std::string& name) {
  write_atomically(path, to_proto(tensor, name).SerializeAsString());
}

ir::Tensor read_tensor(const std::string& path) {
  return path.ends_with(".npy") ? read_npy(path) : read_tensor_pb(path);
}
void write_tensor(const std::string& path, const ir::Tensor& tensor, const std::string& name) {
  if (path.ends_with(".npy")) return write_npy(path, tensor);
  write_tensor_pb(path, tensor, name);
}

}  // namespace pimento::frontend
