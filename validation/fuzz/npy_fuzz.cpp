// Input tensors in NumPy's format. What is read must come back from what we write.
#include <algorithm>

#include "compiler/frontend/tensor_file.hpp"
#include "validation/fuzz/target.hpp"

namespace pimento::fuzz {
namespace {

bool feed(std::string_view bytes) {
  static const Scratch folder;
  ir::Tensor tensor;
  if (!answered([&] { tensor = frontend::read_npy(folder.write("x.npy", bytes)); })) return false;
  frontend::write_npy(folder.at("y.npy"), tensor);
  const ir::Tensor again = frontend::read_npy(folder.at("y.npy"));
  promise(again.shape() == tensor.shape() && std::ranges::equal(again.byte_span(), tensor.byte_span()),
          "a tensor survives its file");
  return true;
}

FUZZ_TARGET("npy", feed);

}  // namespace
}  // namespace pimento::fuzz
