#include "models/zoo/builder.hpp"

namespace pimento::zoo {
namespace {
// Three fully connected layers on a 28x28 image: 784, 256, 128, 10.
void build_mlp(Builder& b) {
  auto x = b.flatten("flatten", b.input("image", {1, 1, 28, 28}));
  x = b.relu("relu1", b.linear("fc1", x, 256));
  x = b.relu("relu2", b.linear("fc2", x, 128));
  b.output(b.linear("fc3", x, 10));
}
const Registration registration({"mlp", "three fully connected layers on a 28x28 image", build_mlp});
}  // namespace
}  // namespace pimento::zoo
