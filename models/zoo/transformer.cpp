#include "isa/support/math.hpp"
#include "models/zoo/builder.hpp"

namespace pimento::zoo {
namespace {
// One encoder block, normalised before each half, as exporters write it at opset 13: layer norm and GELU in pieces.
constexpr std::int64_t positions = 64, width = 128, heads = 4, hidden = 4 * width;
using Integers = std::vector<std::int64_t>;

ir::ValueId scalar(Builder& b, const std::string& name, double value) {
  return b.constant(name, ir::Tensor::of({ElementType::f32, {}}, {value}));
}
ir::ValueId filled(Builder& b, const std::string& name, std::int64_t n, double value) {
  return b.constant(name, ir::Tensor::filled({ElementType::f32, {n}}, ir::Scalar::of_real(ElementType::f32, value)));
}

ir::ValueId layer_norm(Builder& b, const std::string& name, ir::ValueId x) {
  const ir::Attributes last{{"axes", Integers{-1}}};
  const auto centred = b.op("Sub", name + ".centred", {x, b.op("ReduceMean", name + ".mean", {x}, last)});
  const auto variance =
      b.op("ReduceMean", name + ".variance", {b.op("Mul", name + ".squares", {centred, centred})}, last);
  const auto deviation = b.op("Sqrt", name + ".deviation",
                              {b.op("Add", name + ".stable", {variance, scalar(b, name + ".epsilon", 1e-5)})});
  const auto normal = b.op("Div", name + ".normal", {centred, deviation});
  const auto scaled = b.op("Mul", name + ".scaled", {normal, filled(b, name + ".weight", width, 1)});
  return b.op("Add", name, {scaled, filled(b, name + ".bias", width, 0)});
}

ir::ValueId dense(Builder& b, const std::string& name, ir::ValueId x, std::int64_t features) {
  const auto inputs = b.shape(x).back();
  const auto w = b.weights(name + ".weight", {inputs, features}, math::sqrt(1.0F / static_cast<float>(inputs)));
  return b.op("Add", name, {b.op("MatMul", name + ".product", {x, w}), b.weights(name + ".bias", {features}, 0.05F)});
}

/// 0.5 x (1 + erf(x / sqrt 2)).
ir::ValueId gelu(Builder& b, const std::string& name, ir::ValueId x) {
  const auto e =
      b.op("Erf", name + ".erf", {b.op("Mul", name + ".scaled", {x, scalar(b, name + ".root", 0.70710678118654752)})});
  const auto gate = b.op("Add", name + ".gate", {e, scalar(b, name + ".one", 1)});
  return b.op("Mul", name, {b.op("Mul", name + ".gated", {x, gate}), scalar(b, name + ".half", 0.5)});
}

ir::ValueId split_heads(Builder& b, const std::string& name, ir::ValueId x, const Integers& order) {
  const auto shape = b.constant(name + ".shape",
                                ir::Tensor::of_integers({ElementType::i64, {4}}, {1, positions, heads, width / heads}));
  return b.op("Transpose", name, {b.op("Reshape", name + ".split", {x, shape})}, {{"perm", order}});
}

ir::ValueId attention(Builder& b, const std::string& name, ir::ValueId x) {
  const auto q = split_heads(b, name + ".q", dense(b, name + ".query", x, width), {0, 2, 1, 3});
  const auto k = split_heads(b, name + ".k", dense(b, name + ".key", x, width), {0, 2, 3, 1});
  const auto v = split_heads(b, name + ".v", dense(b, name + ".value", x, width), {0, 2, 1, 3});
  static_assert(width % heads == 0);
  constexpr auto head_width = width / heads;
  const double root = static_cast<double>(math::sqrt(static_cast<float>(head_width)));
  auto scores = b.op("Div", name + ".scores", {b.op("MatMul", name + ".qk", {q, k}), scalar(b, name + ".root", root)});
  scores = b.op("Softmax", name + ".weights", {scores}, {{"axis", std::int64_t{-1}}});
  auto y = b.op("Transpose", name + ".joined", {b.op("MatMul", name + ".mixed", {scores, v})},
                {{"perm", Integers{0, 2, 1, 3}}});
  const auto shape =
      b.constant(name + ".shape", ir::Tensor::of_integers({ElementType::i64, {3}}, {1, positions, width}));
  y = b.op("Reshape", name + ".merged", {y, shape});
  return dense(b, name + ".output", y, width);
}

void build_transformer(Builder& b) {
  auto x = b.input("tokens", {1, positions, width});
  x = b.op("Add", "residual1", {x, attention(b, "attention", layer_norm(b, "norm1", x))});
  const auto h = gelu(b, "gelu", dense(b, "fc1", layer_norm(b, "norm2", x), hidden));
  b.output(b.op("Add", "residual2", {x, dense(b, "fc2", h, width)}));
}
const Registration registration({"transformer_block", "one encoder block: 64 positions, width 128, 4 heads",
                                 build_transformer});
}  // namespace
}  // namespace pimento::zoo
