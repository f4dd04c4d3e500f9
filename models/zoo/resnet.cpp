#include <fmt/format.h>

#include "models/zoo/builder.hpp"

namespace pimento::zoo {
namespace {
// Residual networks (He et al. 2015) with torchvision's topology and names: the stride of a bottleneck is in its 3x3.
ir::ValueId shortcut(Builder& b, const std::string& name, ir::ValueId x, std::int64_t channels, std::int64_t stride) {
  if (stride == 1 && b.shape(x)[1] == channels) return x;
  x = b.conv(name + ".downsample.0", x, channels, {.kernel = 1, .stride = stride});
  return b.batch_norm(name + ".downsample.1", x);
}

ir::ValueId basic_block(Builder& b, const std::string& name, ir::ValueId x, std::int64_t channels,
                        std::int64_t stride) {
  const auto identity = x;
  x = b.conv(name + ".conv1", x, channels, {.kernel = 3, .stride = stride, .pad = 1});
  x = b.relu(name + ".relu1", b.batch_norm(name + ".bn1", x));
  x = b.conv(name + ".conv2", x, channels, {.kernel = 3, .pad = 1});
  x = b.batch_norm(name + ".bn2", x);
  return b.relu(name + ".relu", b.op("Add", name + ".add", {x, shortcut(b, name, identity, channels, stride)}));
}

ir::ValueId bottleneck(Builder& b, const std::string& name, ir::ValueId x, std::int64_t channels, std::int64_t stride) {
  const auto identity = x;
  x = b.relu(name + ".relu1", b.batch_norm(name + ".bn1", b.conv(name + ".conv1", x, channels, {.kernel = 1})));
  x = b.conv(name + ".conv2", x, channels, {.kernel = 3, .stride = stride, .pad = 1});
  x = b.relu(name + ".relu2", b.batch_norm(name + ".bn2", x));
  x = b.batch_norm(name + ".bn3", b.conv(name + ".conv3", x, 4 * channels, {.kernel = 1}));
  return b.relu(name + ".relu", b.op("Add", name + ".add", {x, shortcut(b, name, identity, 4 * channels, stride)}));
}

using Block = ir::ValueId (*)(Builder&, const std::string&, ir::ValueId, std::int64_t, std::int64_t);
void build_resnet(Builder& b, Block block, const std::vector<int>& blocks) {
  auto x = b.input("image", {1, 3, 224, 224});
  x = b.relu("relu", b.batch_norm("bn1", b.conv("conv1", x, 64, {.kernel = 7, .stride = 2, .pad = 3})));
  x = b.max_pool("maxpool", x, {.kernel = 3, .stride = 2, .pad = 1});
  std::int64_t channels = 64;
  for (std::size_t layer = 0; layer < blocks.size(); ++layer, channels *= 2)
    for (int i = 0; i < blocks[layer]; ++i)
      x = block(b, fmt::format("layer{}.{}", layer + 1, i), x, channels, layer > 0 && i == 0 ? 2 : 1);
  x = b.flatten("flatten", b.op("GlobalAveragePool", "avgpool", {x}));
  b.output(b.linear("fc", x, 1000));
}

// Three stages on CIFAR-10 images: 16, 32 and 64 channels, the network of the paper's section 4.2 with n = 3.
void build_resnet20(Builder& b) {
  auto x = b.input("image", {1, 3, 32, 32});
  x = b.relu("relu", b.batch_norm("bn1", b.conv("conv1", x, 16, {.kernel = 3, .pad = 1})));
  std::int64_t channels = 16;
  for (int layer = 1; layer <= 3; ++layer, channels *= 2)
    for (int i = 0; i < 3; ++i)
      x = basic_block(b, fmt::format("layer{}.{}", layer, i), x, channels, layer > 1 && i == 0 ? 2 : 1);
  x = b.flatten("flatten", b.op("GlobalAveragePool", "avgpool", {x}));
  b.output(b.linear("fc", x, 10));
}

Network on_imagenet(int layers, Block block, std::vector<int> blocks) {
  return {fmt::format("resnet{}", layers), fmt::format("ResNet-{} on a 224x224 image, 1000 classes", layers),
          [block, blocks = std::move(blocks)](Builder& b) { build_resnet(b, block, blocks); }};
}
const Registration resnet18(on_imagenet(18, basic_block, {2, 2, 2, 2}));
const Registration resnet34(on_imagenet(34, basic_block, {3, 4, 6, 3}));
const Registration resnet50(on_imagenet(50, bottleneck, {3, 4, 6, 3}));
const Registration resnet101(on_imagenet(101, bottleneck, {3, 4, 23, 3}));
const Registration resnet152(on_imagenet(152, bottleneck, {3, 8, 36, 3}));
const Registration resnet20({"resnet20", "ResNet-20 on a 32x32 image, 10 classes", build_resnet20});
}  // namespace
}  // namespace pimento::zoo
