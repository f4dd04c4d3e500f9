// ctest: slow
#include <doctest/doctest.h>

#include <cmath>
#include <map>

#include "compiler/frontend/import.hpp"
#include "compiler/frontend/test_support.hpp"
#include "compiler/ir/fingerprint.hpp"
#include "compiler/ir/interpreter.hpp"
#include "compiler/ops/registry.hpp"
#include "models/zoo/zoo.hpp"

using namespace pimento;

namespace {
/// Learnt numbers: a batch norm's running statistics are not.
std::int64_t parameters_of(const ir::Graph& graph) {
  std::int64_t parameters = 0;
  for (const auto& value : graph.values)
    if (value.constant && value.name.find("running_") == std::string::npos) parameters += value.type.elements();
  return parameters;
}
/// Standard deviation of the first output.
double spread(const frontend::DataSet& data) {
  const auto values = data.outputs[0].tensor.to_doubles();
  double sum = 0, squares = 0;
  for (const double v : values) sum += v, squares += v * v;
  const double mean = sum / static_cast<double>(values.size());
  return std::sqrt(squares / static_cast<double>(values.size()) - mean * mean);
}
}  // namespace

TEST_CASE("networks: have they torchvision's number of parameters, and live outputs?") {
  const std::map<std::string, std::int64_t> expected{{"alexnet", 61100840},  {"mobilenet_v2", 3504872},
                                                     {"resnet18", 11689512}, {"resnet34", 21797672},
                                                     {"resnet50", 25557032}, {"squeezenet", 1235496}};
  for (const auto& each : expected) {
    const std::string& name = each.first;
    const std::int64_t parameters = each.second;
    CAPTURE(name);
    const auto model = zoo::build(name);
    CHECK(parameters_of(model.graph) == parameters);
    CHECK(model.graph.type(model.graph.outputs[0]).shape == ir::Shape{1, 1000});
    CHECK(spread(model.data) > 0.1);
    CHECK(spread(model.data) < 20);
  }
}

TEST_CASE("networks: is every small one written, read and computed alike?") {
  const frontend::TestFolder folder("networks");
  for (const auto* name : {"resnet20", "squeezenet", "transformer_block", "vgg8"}) {
    CAPTURE(name);
    zoo::generate(name, folder / name);
    const auto graph = frontend::import_onnx(folder / (std::string(name) + "/model.onnx"));
    const auto data = frontend::read_data_set(folder / (std::string(name) + "/test_data_set_0"));
    CHECK(ir::fingerprint(graph) == ir::fingerprint(zoo::build(name).graph));
    CHECK(ir::interpret(graph, {data.inputs[0].tensor}, ops::kernels_of).outputs[0] == data.outputs[0].tensor);
  }
}

TEST_CASE("resnet18: does it survive its file?") {
  const frontend::TestFolder folder("resnet");
  zoo::generate("resnet18", folder / "resnet18");
  const auto graph = frontend::import_onnx(folder / "resnet18/model.onnx");
  CHECK(ir::fingerprint(graph) == ir::fingerprint(zoo::build("resnet18").graph));
  std::map<std::string, int> counts;
  for (const auto& node : graph.nodes) ++counts[node.op];
  CHECK(counts == std::map<std::string, int>{{"add", 8},
                                             {"batch_norm", 20},
                                             {"conv", 20},
                                             {"gemm", 1},
                                             {"global_average_pool", 1},
                                             {"max_pool", 1},
                                             {"relu", 17},
                                             {"reshape", 1}});
}
