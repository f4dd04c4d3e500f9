// ONNX's own node suite through the reference: does its reading of the specification agree with ONNX's?
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "compiler/frontend/data_set.hpp"
#include "compiler/frontend/import.hpp"
#include "isa/support/error.hpp"
#include "validation/reference/reference.hpp"

using namespace pimento;
namespace fs = std::filesystem;

namespace {

const fs::path suite = "/usr/share/libonnx-testdata/data/node";
/// Cases that the reference answered when this was written: fewer means that an operator was lost.
constexpr int floor_of_passes = 686;

bool has_operators(const ir::Graph& g) {
  static const std::vector<std::string> names = reference::operators();
  return std::all_of(g.nodes.begin(), g.nodes.end(), [](const ir::Node& n) {
    return std::binary_search(names.begin(), names.end(), n.op) && (!n.body || has_operators(*n.body));
  });
}

/// Inputs from `first` on become constants: ONNX's suite passes even shapes and axes as inputs of the graph.
ir::Graph import_case(const fs::path& folder, const frontend::DataSet& data, std::size_t first) {
  frontend::ImportOptions options;
  for (std::size_t i = first; i < data.inputs.size(); ++i)
    options.constant_inputs[data.inputs[i].name] = data.inputs[i].tensor;
  return frontend::import_onnx((folder / "model.onnx").string(), options);
}

std::string difference(const ir::Tensor& got, const ir::Tensor& expected) {
  if (got.type() != expected.type())
    return fmt::format("expected {}, got {}", to_string(expected.type()), to_string(got.type()));
  const bool coarse = got.element_type() == ElementType::f16 || got.element_type() == ElementType::bf16;
  for (std::int64_t i = 0; i < got.elements(); ++i) {
    const double a = got.at(i).as_double();
    const double b = expected.at(i).as_double();
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    if (is_float(got.element_type()) &&
        std::fabs(a - b) <= (coarse ? 1e-3 : 1e-6) + (coarse ? 1e-2 : 1e-3) * std::fabs(b))
      continue;
    return fmt::format("element {} of {}: expected {}, got {}", i, to_string(got.type()), b, a);
  }
  return "";
}

enum class Outcome { passed, skipped };
Outcome run_case(const fs::path& folder) {
  const frontend::DataSet data = frontend::read_data_set((folder / "test_data_set_0").string());
  for (const std::size_t first : {data.inputs.size(), std::size_t{1}, std::size_t{0}}) {
    ir::Graph graph;
    try {
      graph = import_case(folder, data, first);
    } catch (const UserError&) {
      continue;
    }
    if (!has_operators(graph)) return Outcome::skipped;
    std::vector<ir::Tensor> inputs;
    for (std::size_t i = 0; i < std::min(first, data.inputs.size()); ++i) inputs.push_back(data.inputs[i].tensor);
    const std::vector<ir::Tensor> outputs = reference::run(graph, inputs);
    REQUIRE(outputs.size() == data.outputs.size());
    for (std::size_t o = 0; o < outputs.size(); ++o) CHECK(difference(outputs[o], data.outputs[o].tensor) == "");
    return Outcome::passed;
  }
  return Outcome::skipped;
}

}  // namespace

TEST_CASE("reference: does it give the stored outputs of ONNX's node suite?") {
  if (!fs::is_directory(suite)) {
    MESSAGE("skipped: " << suite.string() << " is not installed (package libonnx-testdata)");
    return;
  }
  // The stored output holds bit patterns as UINT16 where the model says BFLOAT16.
  const std::set<std::string> known{"test_cast_FLOAT_to_BFLOAT16"};
  int passed = 0;
  for (const auto& folder : std::set<fs::path>(fs::directory_iterator(suite), fs::directory_iterator{})) {
    const std::string name = folder.filename().string();
    if (known.count(name) != 0) continue;
    CAPTURE(name);
    try {
      passed += run_case(folder) == Outcome::passed ? 1 : 0;
    } catch (const UserError&) {
      continue;  // tensors of types that the IR does not have
    }
  }
  CHECK(passed >= floor_of_passes);
  MESSAGE(passed << " cases passed");
}
