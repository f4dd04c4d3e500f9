#include <fmt/format.h>

#include "models/zoo/builder.hpp"

namespace pimento::zoo {
namespace {
// SqueezeNet 1.1 (Iandola et al. 2016), torchvision's topology: pooling rounds its output up.
ir::ValueId fire(Builder& b, const std::string& name, ir::ValueId x, std::int64_t squeeze, std::int64_t expand) {
  x = b.relu(name + ".squeeze_activation", b.conv(name + ".squeeze", x, squeeze, {.kernel = 1, .bias = true}));
  const auto narrow = b.conv(name + ".expand1x1", x, expand, {.kernel = 1, .bias = true});
  const auto wide = b.conv(name + ".expand3x3", x, expand, {.kernel = 3, .pad = 1, .bias = true});
  return b.op("Concat", name,
              {b.relu(name + ".expand1x1_activation", narrow), b.relu(name + ".expand3x3_activation", wide)},
              {{"axis", std::int64_t{1}}});
}
ir::ValueId pool(Builder& b, const std::string& name, ir::ValueId x) {
  using Integers = std::vector<std::int64_t>;
  return b.op("MaxPool", name, {x},
              {{"kernel_shape", Integers{3, 3}}, {"strides", Integers{2, 2}}, {"ceil_mode", std::int64_t{1}}});
}

void build_squeezenet(Builder& b) {
  auto x = b.input("image", {1, 3, 224, 224});
  x = b.relu("features.1", b.conv("features.0", x, 64, {.kernel = 3, .stride = 2, .bias = true}));
  x = pool(b, "features.2", x);
  x = fire(b, "features.4", fire(b, "features.3", x, 16, 64), 16, 64);
  x = pool(b, "features.5", x);
  x = fire(b, "features.7", fire(b, "features.6", x, 32, 128), 32, 128);
  x = pool(b, "features.8", x);
  x = fire(b, "features.10", fire(b, "features.9", x, 48, 192), 48, 192);
  x = fire(b, "features.12", fire(b, "features.11", x, 64, 256), 64, 256);
  x = b.relu("classifier.2", b.conv("classifier.1", x, 1000, {.kernel = 1, .bias = true}));
  b.output(b.flatten("flatten", b.op("GlobalAveragePool", "classifier.3", {x})));
}
const Registration registration({"squeezenet", "SqueezeNet 1.1 on a 224x224 image, 1000 classes", build_squeezenet});
}  // namespace
}  // namespace pimento::zoo
