// Input tensors as ONNX's TensorProto. What is read must come back from what we write.
#include <algorithm>

#include "compiler/frontend/tensor_file.hpp"
#include "validation/fuzz/wire.hpp"

namespace pimento::fuzz {
namespace {

bool feed(std::string_view bytes) {
  static const Scratch folder;
  static const std::string beside = folder.write("w.bin", std::string(64, '\1'));  // what external data may name
  frontend::NamedTensor read;
  if (!answered([&] { read = frontend::read_named_tensor_pb(folder.write("x.pb", bytes)); })) return false;
  frontend::write_tensor_pb(folder.at("y.pb"), read.tensor, read.name);
  const frontend::NamedTensor again = frontend::read_named_tensor_pb(folder.at("y.pb"));
  promise(again.name == read.name && again.tensor.type() == read.tensor.type() &&
              std::ranges::equal(again.tensor.byte_span(), read.tensor.byte_span()),
          "a tensor survives its file");
  return true;
}

FUZZ_TARGET("tensor", feed, mutate_message);

}  // namespace
}  // namespace pimento::fuzz
