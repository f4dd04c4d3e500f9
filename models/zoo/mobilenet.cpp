#include <fmt/format.h>

#include "models/zoo/builder.hpp"

namespace pimento::zoo {
namespace {
// MobileNet v2 (Sandler et al. 2018), torchvision's topology: inverted residuals with depthwise convolutions, ReLU6.
ir::ValueId relu6(Builder& b, const std::string& name, ir::ValueId x) {
  const auto bound = [&](const char* which, float value) {
    return b.constant(name + which, ir::Tensor::of({ElementType::f32, {}}, {static_cast<double>(value)}));
  };
  return b.op("Clip", name, {x, bound(".min", 0), bound(".max", 6)});
}
ir::ValueId unit(Builder& b, const std::string& name, ir::ValueId x, std::int64_t channels,
                 const Builder::Window& window) {
  return relu6(b, name + ".2", b.batch_norm(name + ".1", b.conv(name + ".0", x, channels, window)));
}

ir::ValueId inverted_residual(Builder& b, const std::string& name, ir::ValueId x, std::int64_t expansion,
                              std::int64_t channels, std::int64_t stride) {
  const auto identity = x;
  const auto in = b.shape(x)[1], hidden = in * expansion;
  int part = 0;
  const auto next = [&] { return fmt::format("{}.conv.{}", name, part++); };
  if (expansion != 1) x = unit(b, next(), x, hidden, {.kernel = 1});
  x = unit(b, next(), x, hidden, {.kernel = 3, .stride = stride, .pad = 1, .group = hidden});
  x = b.conv(next(), x, channels, {.kernel = 1});
  x = b.batch_norm(next(), x);
  return stride == 1 && in == channels ? b.op("Add", name + ".add", {identity, x}) : x;
}

void build_mobilenet(Builder& b) {
  struct Stage {
    std::int64_t expansion, channels;
    int repeats;
    std::int64_t stride;
  };
  auto x = unit(b, "features.0", b.input("image", {1, 3, 224, 224}), 32, {.kernel = 3, .stride = 2, .pad = 1});
  int block = 1;
  for (const Stage& s :
       {Stage{1, 16, 1, 1}, {6, 24, 2, 2}, {6, 32, 3, 2}, {6, 64, 4, 2}, {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}})
    for (int i = 0; i < s.repeats; ++i)
      x = inverted_residual(b, fmt::format("features.{}", block++), x, s.expansion, s.channels, i == 0 ? s.stride : 1);
  x = unit(b, fmt::format("features.{}", block), x, 1280, {.kernel = 1});
  x = b.flatten("flatten", b.op("GlobalAveragePool", "avgpool", {x}));
  b.output(b.linear("classifier.1", x, 1000));
}
const Registration registration({"mobilenet_v2", "MobileNet v2 on a 224x224 image, 1000 classes", build_mobilenet});
}  // namespace
}  // namespace pimento::zoo
