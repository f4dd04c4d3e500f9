#include <fmt/format.h>

#include "models/zoo/builder.hpp"

namespace pimento::zoo {
namespace {
// VGG without batch norms (Simonyan and Zisserman 2014); torchvision numbers the layers by position.
struct Stage {
  std::int64_t channels;
  int convolutions;
};
ir::ValueId features(Builder& b, ir::ValueId x, const std::vector<Stage>& stages) {
  int layer = 0;
  for (const auto& stage : stages) {
    for (int i = 0; i < stage.convolutions; ++i, layer += 2) {
      x = b.conv(fmt::format("features.{}", layer), x, stage.channels, {.kernel = 3, .pad = 1, .bias = true});
      x = b.relu(fmt::format("features.{}", layer + 1), x);
    }
    x = b.max_pool(fmt::format("features.{}", layer++), x, {.kernel = 2, .stride = 2});
  }
  return b.flatten("flatten", x);
}
void build_vgg(Builder& b, const std::vector<Stage>& stages) {
  auto x = features(b, b.input("image", {1, 3, 224, 224}), stages);
  x = b.relu("classifier.1", b.linear("classifier.0", x, 4096));
  x = b.relu("classifier.4", b.linear("classifier.3", x, 4096));
  b.output(b.linear("classifier.6", x, 1000));
}
// The eight-layer network on CIFAR-10 images by which in-memory accelerators are often compared.
void build_vgg8(Builder& b) {
  auto x = features(b, b.input("image", {1, 3, 32, 32}), {{128, 2}, {256, 2}, {512, 2}});
  x = b.relu("classifier.1", b.linear("classifier.0", x, 1024));
  b.output(b.linear("classifier.2", x, 10));
}

const Registration vgg8({"vgg8", "VGG-8 on a 32x32 image, 10 classes", build_vgg8});
const Registration vgg11({"vgg11", "VGG-11 on a 224x224 image, 1000 classes", [](Builder& b) {
                            build_vgg(b, {{64, 1}, {128, 1}, {256, 2}, {512, 2}, {512, 2}});
                          }});
const Registration vgg16({"vgg16", "VGG-16 on a 224x224 image, 1000 classes", [](Builder& b) {
                            build_vgg(b, {{64, 2}, {128, 2}, {256, 3}, {512, 3}, {512, 3}});
                          }});
const Registration vgg19({"vgg19", "VGG-19 on a 224x224 image, 1000 classes", [](Builder& b) {
                            build_vgg(b, {{64, 2}, {128, 2}, {256, 4}, {512, 4}, {512, 4}});
                          }});
}  // namespace
}  // namespace pimento::zoo
