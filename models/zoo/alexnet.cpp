#include "models/zoo/builder.hpp"

namespace pimento::zoo {
namespace {
// AlexNet in its one-tower form (Krizhevsky 2014), torchvision's topology.
void build_alexnet(Builder& b) {
  auto x = b.input("image", {1, 3, 224, 224});
  x = b.relu("features.1", b.conv("features.0", x, 64, {.kernel = 11, .stride = 4, .pad = 2, .bias = true}));
  x = b.max_pool("features.2", x, {.kernel = 3, .stride = 2});
  x = b.relu("features.4", b.conv("features.3", x, 192, {.kernel = 5, .pad = 2, .bias = true}));
  x = b.max_pool("features.5", x, {.kernel = 3, .stride = 2});
  x = b.relu("features.7", b.conv("features.6", x, 384, {.kernel = 3, .pad = 1, .bias = true}));
  x = b.relu("features.9", b.conv("features.8", x, 256, {.kernel = 3, .pad = 1, .bias = true}));
  x = b.relu("features.11", b.conv("features.10", x, 256, {.kernel = 3, .pad = 1, .bias = true}));
  x = b.flatten("flatten", b.max_pool("features.12", x, {.kernel = 3, .stride = 2}));
  x = b.relu("classifier.2", b.linear("classifier.1", x, 4096));
  x = b.relu("classifier.5", b.linear("classifier.4", x, 4096));
  b.output(b.linear("classifier.6", x, 1000));
}
const Registration registration({"alexnet", "AlexNet on a 224x224 image, 1000 classes", build_alexnet});
}  // namespace
}  // namespace pimento::zoo
