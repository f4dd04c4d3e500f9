#include "validation/whole/whole.hpp"

#include <algorithm>
#include <cmath>

#include "compiler/ops/registry.hpp"
#include "compiler/pipeline/calibrate.hpp"
#include "models/zoo/random.hpp"
#include "validation/cases/ports.hpp"

namespace pimento::validation {
namespace {

class Network {
 public:
  explicit Network(std::uint64_t seed) : random_(seed) {}
  ir::Graph graph;

  std::int64_t below(std::int64_t bound) {
    return static_cast<std::int64_t>(random_.bits() % static_cast<std::uint64_t>(bound));
  }
  ir::ValueId add(const std::string& op, const std::vector<ir::ValueId>& inputs,
                  const ir::Attributes& attributes = {}) {
    ir::Node node;
    node.op = op;
    node.inputs = inputs;
    node.attributes = attributes;
    node.source = op + "_" + std::to_string(graph.nodes.size());
    node.outputs = {graph.add_value(node.source, {})};
    graph.value(node.outputs[0]).type = ops::infer_or_throw(graph, node)[0];
    return graph.append(node).outputs[0];
  }
  /// Normal values whose sum over `terms` of them has variance 1.
  ir::ValueId weights(ir::Shape shape, std::int64_t terms) {
    std::vector<double> values(static_cast<std::size_t>(ir::element_count(shape)));
    for (double& v : values) v = static_cast<double>(random_.normal()) / std::sqrt(static_cast<double>(terms));
    return graph.add_constant("w" + std::to_string(graph.values.size()),
                              ir::Tensor::of({ElementType::f32, std::move(shape)}, values));
  }
  const ir::Shape& shape(ir::ValueId v) const { return graph.type(v).shape; }

  ir::ValueId conv(ir::ValueId x, std::int64_t filters, std::int64_t stride) {
    const ir::Shape& in = shape(x);
    const std::int64_t kernel = 1 + 2 * below(2);
    const std::int64_t pad = kernel / 2;
    const std::int64_t group = in[1] % 2 == 0 && filters % 2 == 0 && below(4) == 0 ? 2 : 1;
    std::vector<ir::ValueId> inputs{x,
                                    weights({filters, in[1] / group, kernel, kernel}, in[1] / group * kernel * kernel)};
    if (below(2) == 0) inputs.push_back(weights({filters}, 4));
    return add("conv", inputs,
               {{"strides", ir::Shape{stride, stride}},
                {"dilations", ir::Shape{1, 1}},
                {"pads", ir::Shape{pad, pad, pad, pad}},
                {"group", group}});
  }
  ir::ValueId pool(ir::ValueId x) {
    const bool largest = below(2) == 0;
    ir::Attributes attributes{{"kernel_shape", ir::Shape{2, 2}},
                              {"strides", ir::Shape{1 + below(2), 2}},
                              {"dilations", ir::Shape{1, 1}},
                              {"pads", ir::Shape{0, 0, below(2), 0}},
                              {"ceil_mode", std::int64_t{0}}};
    attributes[largest ? "storage_order" : "count_include_pad"] = std::int64_t{0};
    return add(largest ? "max_pool" : "average_pool", {x}, attributes);
  }
  ir::ValueId activation(ir::ValueId x) {
    static const std::vector<std::string> names{"relu", "relu", "relu", "sigmoid", "tanh", "hard_swish"};
    return add(names[static_cast<std::size_t>(below(static_cast<std::int64_t>(names.size())))], {x});
  }
  ir::ValueId block(ir::ValueId x) {
    switch (below(6)) {
      case 0:
        return activation(add("add", {conv(x, shape(x)[1], 1), x}));
      case 1:
        return add("concat", {x, activation(conv(x, 1 + below(6), 1))}, {{"axis", std::int64_t{1}}});
      case 2:
        return shape(x)[2] >= 3 && shape(x)[3] >= 3 ? pool(x) : activation(x);
      case 3:
        return conv(x, 1 + below(8), 1);
      case 4:
        return activation(conv(x, 2 + below(10), 1 + below(2)));
      default:
        return add("mul", {x, add("sigmoid", {conv(x, shape(x)[1], 1)})});
    }
  }
  ir::ValueId ending(ir::ValueId x) {
    const ir::Shape in = shape(x);
    const std::int64_t all = in[1] * in[2] * in[3];
    const ir::ValueId flat = add("reshape", {x}, {{"shape", ir::Shape{1, all}}});
    const std::int64_t columns = 1 + below(12);
    return add("gemm", {flat, weights({columns, all}, all), weights({columns}, 4)},
               {{"alpha", 1.0}, {"beta", 1.0}, {"trans_a", std::int64_t{0}}, {"trans_b", std::int64_t{1}}});
  }

 private:
  zoo::Random random_;
};

}  // namespace

ir::Graph random_network(std::uint64_t seed) {
  Network n(seed);
  n.graph.name = "random" + std::to_string(seed);
  ir::ValueId x = n.graph.add_input("x", {ElementType::f32, {1, 1 + n.below(4), 3 + n.below(6), 3 + n.below(6)}});
  x = n.conv(x, 2 + n.below(6), 1);
  const std::int64_t blocks = 1 + n.below(4);
  for (std::int64_t i = 0; i < blocks; ++i) x = n.block(x);
  const ir::Shape& shape = n.shape(x);
  if (shape[1] * shape[2] * shape[3] <= 200 && n.below(2) == 0) x = n.ending(x);
  n.graph.outputs = {x};
  return n.graph;
}

Whole make_whole(const ir::Graph& graph, const isa::Chip& chip, Numerics numerics, std::uint64_t seed,
                 const pim::CalibrationMethod& calibration) {
  CompileOptions options;
  options.numerics = numerics;
  options.seed = seed;
  options.calibration = calibration;
  return make_whole(graph, chip, std::move(options));
}

Whole make_whole(const ir::Graph& graph, const isa::Chip& chip, CompileOptions options) {
  Whole whole;
  for (const ir::ValueId v : graph.inputs) whole.inputs.push_back(seeded_normal(graph.type(v), options.seed));
  options.calibration_inputs = whole.inputs;
  use(whole, compile_graph(graph, chip, options));
  whole.options.track_writers = true;
  return whole;
}

void use(Whole& whole, CompileResult compiled) {
  whole.compiled = std::move(compiled);
  whole.options.inputs.clear();
  for (std::size_t i = 0; i < whole.inputs.size(); ++i)
    whole.options.inputs.push_back(encode(whole.compiled.program.inputs.at(i), whole.inputs[i]));
}

sim::Result simulate(const Whole& whole, const isa::Chip& chip) {
  return sim::simulate(whole.compiled.program, chip, whole.options);
}

NumericalCheck check(const Whole& whole, const sim::Result& result) {
  return check_outputs(whole.compiled.program, result, reference_outputs(whole.compiled.graph, whole.inputs),
                       "the Eigen reference in f64", default_min_sqnr_db);
}

}  // namespace pimento::validation
