// ctest: slow
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "compiler/frontend/import.hpp"
#include "compiler/frontend/test_support.hpp"
#include "compiler/ir/fingerprint.hpp"
#include "models/zoo/zoo.hpp"

using namespace pimento;

TEST_CASE("resnet18: has it torchvision's size, and live outputs?") {
  const frontend::TestFolder folder("resnet");
  zoo::generate("resnet18", folder / "resnet18");
  const auto graph = frontend::import_onnx(folder / "resnet18/model.onnx");
  std::int64_t parameters = 0, convolutions = 0;
  for (const auto& value : graph.values)
    if (value.constant && value.name.find("running_") == std::string::npos) parameters += value.type.elements();
  for (const auto& node : graph.nodes) convolutions += node.op == "conv";
  CHECK(parameters == 11689512);  // as torchvision counts them
  CHECK(convolutions == 20);
  CHECK(graph.type(graph.outputs[0]).shape == ir::Shape{1, 1000});

  const auto logits = frontend::read_data_set(folder / "resnet18/test_data_set_0").outputs[0].tensor.to_doubles();
  double sum = 0, squares = 0;
  for (const double v : logits) sum += v, squares += v * v;
  const double mean = sum / 1000, deviation = std::sqrt(squares / 1000 - mean * mean);
  CHECK(std::abs(mean) < 1);
  CHECK(deviation > 0.2);
  CHECK(deviation < 10);
}
