#include <fmt/format.h>

#include "models/zoo/builder.hpp"

namespace pimento::zoo {
namespace {
// VGG-16 without batch norms (Simonyan and Zisserman 2014, configuration D); torchvision numbers the layers by
// position.
void build_vgg16(Builder& b) {
  auto x = b.input("image", {1, 3, 224, 224});
  int layer = 0;
  for (const auto& stage : {std::pair{64, 2}, {128, 2}, {256, 3}, {512, 3}, {512, 3}}) {
    for (int i = 0; i < stage.second; ++i, layer += 2) {
      const auto name = fmt::format("features.{}", layer);
      x = b.conv(name, x, stage.first, {.kernel = 3, .pad = 1, .bias = true});
      x = b.relu(fmt::format("features.{}", layer + 1), x);
    }
    x = b.max_pool(fmt::format("features.{}", layer++), x, {.kernel = 2, .stride = 2});
  }
  x = b.flatten("flatten", x);
  x = b.relu("classifier.1", b.linear("classifier.0", x, 4096));
  x = b.relu("classifier.4", b.linear("classifier.3", x, 4096));
  b.output(b.linear("classifier.6", x, 1000));
}
const Registration registration({"vgg16", "VGG-16 on a 224x224 image, 1000 classes", build_vgg16});
}  // namespace
}  // namespace pimento::zoo
