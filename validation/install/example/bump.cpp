// A plug-in: an operator from outside the tree, as kernels for the compiler and as doubles for the reference.
#include "compiler/ops/plugin.hpp"
#include "validation/reference/operator.hpp"

namespace {

using namespace pimento;

OP({.name = "example.bump",
    .summary = "1 / (1 + (width * x)^2)",
    .onnx = {{.name = "Bump", .since = 1, .domain = "com.example"}},
    .inputs = {ops::in("X", ops::Types::real)},
    .attributes = {ops::real("width", 1)},
    .infer = ops::same_as_input,
    .kernels = [](const ops::Call& c, ops::Sequence& s) {
      ops::elementwise_wide(c, s, [&](const std::vector<ir::Expr>& x) {
        const ir::Expr scaled = x[0] * c.real("width");
        return 1.0 / (1.0 + scaled * scaled);
      });
    }});

REFERENCE("example.bump", [](const reference::Call& c) {
  const double width = c.real("width", 1);
  return c.map([width](double x) { return 1 / (1 + width * x * width * x); });
});

}  // namespace
