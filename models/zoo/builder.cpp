#include "models/zoo/builder.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "compiler/ir/interpreter.hpp"
#include "compiler/ops/registry.hpp"
#include "isa/support/error.hpp"
#include "isa/support/math.hpp"

namespace pimento::zoo {
namespace {
constexpr int opset = 13;
using Integers = std::vector<std::int64_t>;

std::vector<float> values_of(const ir::Tensor& t) { return {t.data<float>(), t.data<float>() + t.elements()}; }
ir::Tensor tensor_of(ir::Shape shape, const std::vector<float>& values) {
  return ir::Tensor::copy({ElementType::f32, std::move(shape)}, std::as_bytes(std::span(values)));
}
}  // namespace

Builder::Builder(const std::string& name, std::uint64_t seed) : seed_(seed) { graph_.name = name; }

Random Builder::stream(const std::string& name) const {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : graph_.name + "/" + name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return Random(hash ^ (seed_ * 0x9e3779b97f4a7c15));
}

ir::ValueId Builder::add_input(const std::string& name, ir::Tensor content) {
  const auto v = graph_.add_input(name, content.type());
  contents_.resize(graph_.values.size());
  contents_[ir::to_index(v)] = std::move(content);
  return v;
}
ir::ValueId Builder::input(const std::string& name, ir::Shape shape) {
  auto random = stream(name);
  std::vector<float> values(static_cast<std::size_t>(ir::element_count(shape)));
  for (auto& v : values) v = random.normal();
  return add_input(name, tensor_of(std::move(shape), values));
}
ir::ValueId Builder::indices(const std::string& name, ir::Shape shape, std::int64_t limit) {
  auto random = stream(name);
  Integers values(static_cast<std::size_t>(ir::element_count(shape)));
  for (auto& v : values) v = static_cast<std::int64_t>(random.bits() % static_cast<std::uint64_t>(limit));
  return add_input(name, ir::Tensor::of_integers({ElementType::i64, std::move(shape)}, values));
}
ir::ValueId Builder::constant(const std::string& name, ir::Tensor tensor) {
  const auto v = graph_.add_constant(name, tensor);
  contents_.resize(graph_.values.size());
  contents_[ir::to_index(v)] = std::move(tensor);
  return v;
}
ir::ValueId Builder::weights(const std::string& name, ir::Shape shape, float scale) {
  auto random = stream(name);
  std::vector<float> values(static_cast<std::size_t>(ir::element_count(shape)));
  for (auto& v : values) v = random.normal() * scale;
  return constant(name, tensor_of(std::move(shape), values));
}

ir::ValueId Builder::op(const std::string& onnx_name, const std::string& name, std::vector<ir::ValueId> inputs,
                        ir::Attributes attributes) {
  ir::Node node;
  node.source = name;
  node.inputs = std::move(inputs);
  node.attributes = std::move(attributes);
  node.outputs = {graph_.add_value(name, {})};
  const auto output = node.outputs[0];
  if (const auto finding = ops::normalise(graph_, node, "", onnx_name, opset))
    throw InternalError(fmt::format("network '{}': {}", graph_.name, ops::to_string(*finding)));
  PIMENTO_CHECK(!node.op.empty(), fmt::format("network '{}': '{}' is known before the run", graph_.name, name));
  graph_.append(std::move(node));
  compute();
  return output;
}

void Builder::compute() {
  contents_.resize(graph_.values.size());
  for (std::size_t v = 0; v < graph_.values.size(); ++v)
    if (graph_.values[v].constant && contents_[v].empty_handle()) contents_[v] = *graph_.values[v].constant;
  for (; computed_ < graph_.nodes.size(); ++computed_) {
    const auto& node = graph_.nodes[computed_];
    std::vector<ir::Tensor> inputs;
    for (const auto v : node.inputs) inputs.push_back(v == ir::no_value ? ir::Tensor{} : contents_[ir::to_index(v)]);
    std::vector<ir::TensorType> types;
    for (const auto v : node.outputs) types.push_back(graph_.type(v));
    const auto results = ir::interpret(ops::kernels_of(graph_, node), inputs, types);
    for (std::size_t i = 0; i < results.size(); ++i) contents_[ir::to_index(node.outputs[i])] = results[i];
  }
}

void Builder::output(ir::ValueId value) { graph_.outputs.push_back(value); }

ir::ValueId Builder::conv(const std::string& name, ir::ValueId x, std::int64_t channels, const Window& w) {
  const auto per_group = shape(x)[1] / w.group;
  const float he = math::sqrt(2.0F / static_cast<float>(per_group * w.kernel * w.kernel));
  std::vector<ir::ValueId> inputs{x, weights(name + ".weight", {channels, per_group, w.kernel, w.kernel}, he)};
  if (w.bias) inputs.push_back(weights(name + ".bias", {channels}, 0.1F));
  return op("Conv", name, inputs,
            {{"kernel_shape", Integers{w.kernel, w.kernel}},
             {"strides", Integers{w.stride, w.stride}},
             {"pads", Integers(4, w.pad)},
             {"group", w.group}});
}

ir::ValueId Builder::batch_norm(const std::string& name, ir::ValueId x) {
  const auto& s = shape(x);
  const auto images = s[0], channels = s[1], plane = ir::element_count(s) / (images * channels);
  std::vector<float> means, variances, scales, shifts;
  auto random = stream(name);
  const float* data = content(x).data<float>();
  for (std::int64_t c = 0; c < channels; ++c) {
    double sum = 0, squares = 0;
    for (std::int64_t n = 0; n < images; ++n)
      for (std::int64_t i = 0; i < plane; ++i) sum += static_cast<double>(data[(n * channels + c) * plane + i]);
    const double mean = sum / static_cast<double>(images * plane);
    for (std::int64_t n = 0; n < images; ++n)
      for (std::int64_t i = 0; i < plane; ++i) {
        const double d = static_cast<double>(data[(n * channels + c) * plane + i]) - mean;
        squares += d * d;
      }
    means.push_back(static_cast<float>(mean));
    variances.push_back(static_cast<float>(squares / static_cast<double>(images * plane)));
    scales.push_back(0.8F + 0.4F * random.uniform());
    shifts.push_back(0.2F * random.normal());
  }
  return op("BatchNormalization", name,
            {x, constant(name + ".weight", tensor_of({channels}, scales)),
             constant(name + ".bias", tensor_of({channels}, shifts)),
             constant(name + ".running_mean", tensor_of({channels}, means)),
             constant(name + ".running_var", tensor_of({channels}, variances))},
            {{"epsilon", 1e-5}});
}

ir::ValueId Builder::max_pool(const std::string& name, ir::ValueId x, const Window& w) {
  return op("MaxPool", name, {x},
            {{"kernel_shape", Integers{w.kernel, w.kernel}},
             {"strides", Integers{w.stride, w.stride}},
             {"pads", Integers(4, w.pad)}});
}

ir::ValueId Builder::linear(const std::string& name, ir::ValueId x, std::int64_t features) {
  const auto inputs = shape(x)[1];
  const float scale = math::sqrt(2.0F / static_cast<float>(inputs));
  return op("Gemm", name,
            {x, weights(name + ".weight", {features, inputs}, scale), weights(name + ".bias", {features}, 0.1F)},
            {{"transB", std::int64_t{1}}});
}

Model Builder::finish() {
  nlohmann::json ranges = nlohmann::json::object();
  for (std::size_t v = 0; v < graph_.values.size(); ++v) {
    if (graph_.values[v].constant || contents_[v].empty_handle() || contents_[v].element_type() != ElementType::f32)
      continue;
    const auto values = values_of(contents_[v]);
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    ranges[graph_.values[v].name] = {static_cast<double>(*least), static_cast<double>(*most)};
  }
  graph_.metadata["pimento.ranges"] = ranges.dump();
  Model model;
  for (const auto v : graph_.inputs) model.data.inputs.push_back({graph_.value(v).name, content(v)});
  for (const auto v : graph_.outputs) model.data.outputs.push_back({graph_.value(v).name, content(v)});
  ir::compact(graph_);  // constants that became attributes
  model.graph = std::move(graph_);
  return model;
}

}  // namespace pimento::zoo
