// ctest: slow
// Whole networks, where they are at hand: PIMENTO_CASES names a folder of cases in ONNX's test layout.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <set>

#include "compiler/frontend/comparison.hpp"
#include "compiler/frontend/data_set.hpp"
#include "compiler/frontend/import.hpp"
#include "compiler/ir/interpreter.hpp"
#include "compiler/ops/registry.hpp"

using namespace pimento;
using namespace pimento::frontend;
namespace fs = std::filesystem;

TEST_CASE("cases: does every network at hand give its stored outputs?") {
  const char* folder = std::getenv("PIMENTO_CASES");
  if (folder == nullptr || !fs::is_directory(folder)) {
    MESSAGE("skipped: PIMENTO_CASES names no folder of cases");
    return;
  }
  const char* only = std::getenv("PIMENTO_CASE");
  std::set<fs::path> cases(fs::directory_iterator(folder), fs::directory_iterator{});
  for (const auto& path : cases) {
    if (only && path.filename() != only) continue;
    CAPTURE(path.filename().string());
    const auto data = read_data_set((path / "test_data_set_0").string());
    ImportOptions options;
    std::vector<ir::Tensor> inputs;
    for (const auto& [name, tensor] : data.inputs) {
      inputs.push_back(tensor);
      for (std::size_t d = 0; d < tensor.shape().size(); ++d)  // dynamic dimensions are those of the data
        options.dimensions[fmt::format("{}.{}", name, d)] = tensor.shape()[d];
    }
    const auto graph = import_onnx((path / "model.onnx").string(), options);
    if (inputs.empty())  // ONNX's "light" models: equal weights everywhere, so any input gives the stored output
      for (const auto v : graph.inputs)
        inputs.push_back(ir::Tensor::filled(graph.type(v), ir::Scalar::of(graph.type(v).type, 1)));
    const auto result = ir::interpret(graph, inputs, ops::kernels_of);
    REQUIRE(result.outputs.size() == data.outputs.size());
    for (std::size_t i = 0; i < result.outputs.size(); ++i)
      CHECK(difference(result.outputs[i], data.outputs[i].tensor, {.relative = 1e-3, .absolute = 1e-4}) == "");
    MESSAGE(path.filename().string() << ": " << graph.nodes.size() << " nodes");
  }
}
