#include "models/zoo/builder.hpp"

namespace pimento::zoo {
namespace {
// LeNet-5 (LeCun et al. 1998) as it is built today: 32x32, rectified, maximum pooling.
void build_lenet5(Builder& b) {
  auto x = b.input("image", {1, 1, 32, 32});
  x = b.relu("relu1", b.conv("conv1", x, 6, {.kernel = 5, .bias = true}));
  x = b.max_pool("pool1", x, {.kernel = 2, .stride = 2});
  x = b.relu("relu2", b.conv("conv2", x, 16, {.kernel = 5, .bias = true}));
  x = b.max_pool("pool2", x, {.kernel = 2, .stride = 2});
  x = b.flatten("flatten", x);
  x = b.relu("relu3", b.linear("fc1", x, 120));
  x = b.relu("relu4", b.linear("fc2", x, 84));
  b.output(b.linear("fc3", x, 10));
}
const Registration registration({"lenet5", "LeNet-5 on a 32x32 image", build_lenet5});
}  // namespace
}  // namespace pimento::zoo
