#include "models/zoo/zoo.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>

#include "compiler/frontend/comparison.hpp"
#include "compiler/frontend/import.hpp"
#include "compiler/frontend/test_support.hpp"
#include "compiler/ir/fingerprint.hpp"
#include "compiler/ir/interpreter.hpp"
#include "compiler/ops/registry.hpp"
#include "isa/support/file.hpp"

using namespace pimento;
using frontend::TestFolder;

TEST_CASE("zoo: is every file a network, and are the names sorted and single?") {
  const auto names = zoo::names();
  CHECK(std::is_sorted(names.begin(), names.end()));
  for (const auto* wanted : {"lenet5", "mlp", "resnet18"})
    CHECK(std::find(names.begin(), names.end(), wanted) != names.end());
  for (const auto& network : zoo::networks()) CHECK_FALSE(network.summary.empty());
}

TEST_CASE("zoo: what is said about a name that is none?") {
  CHECK(frontend::message_of([] { zoo::build("lenet6"); }) == "unknown network 'lenet6'; nearest: 'lenet5'");
}

TEST_CASE("zoo: do equal seeds give equal bytes, and others other weights?") {
  const TestFolder folder("zoo");
  zoo::generate("lenet5", folder / "a", 1);
  zoo::generate("lenet5", folder / "b", 1);
  zoo::generate("lenet5", folder / "c", 2);
  for (const auto* file : {"model.onnx", "test_data_set_0/input_0.pb", "test_data_set_0/output_0.pb"}) {
    CHECK(read_file(folder / ("a/" + std::string(file))) == read_file(folder / ("b/" + std::string(file))));
    CHECK(read_file(folder / ("a/" + std::string(file))) != read_file(folder / ("c/" + std::string(file))));
  }
}

TEST_CASE("zoo: does the written model compute its written output?") {
  const TestFolder folder("zoo");
  for (const auto* name : {"lenet5", "mlp"}) {
    CAPTURE(name);
    zoo::generate(name, folder / name);
    const auto data = frontend::read_data_set(folder / (std::string(name) + "/test_data_set_0"));
    const auto graph = frontend::import_onnx(folder / (std::string(name) + "/model.onnx"));
    CHECK(ir::fingerprint(graph) == ir::fingerprint(zoo::build(name).graph));
    const auto result = ir::interpret(graph, {data.inputs[0].tensor}, ops::kernels_of);
    REQUIRE(result.outputs.size() == 1);
    CHECK(result.outputs[0] == data.outputs[0].tensor);  // the same interpreter: bit for bit
  }
}

TEST_CASE("zoo: do outputs mean something, neither dead nor exploding?") {
  for (const auto* name : {"lenet5", "mlp"}) {
    CAPTURE(name);
    const auto model = zoo::build(name);
    double squares = 0;
    const auto values = model.data.outputs[0].tensor.to_doubles();
    for (const double v : values) squares += v * v;
    const double rms = std::sqrt(squares / static_cast<double>(values.size()));
    CHECK(rms > 0.1);
    CHECK(rms < 10);
    CHECK(model.graph.metadata.at("pimento.ranges").find("\"image\"") != std::string::npos);
  }
}

TEST_CASE("zoo: is a cached model made once?") {
  const TestFolder folder("zoo");
  ::setenv("XDG_CACHE_HOME", folder.path.c_str(), 1);
  const std::string place = zoo::cache_place("mlp", 3);
  CHECK_FALSE(std::filesystem::exists(place));
  const auto first = zoo::cached("mlp", 3);
  CHECK(first == place);
  const auto time = std::filesystem::last_write_time(first + "/model.onnx");
  CHECK(zoo::cached("mlp", 3) == first);
  CHECK(std::filesystem::last_write_time(first + "/model.onnx") == time);
  CHECK(zoo::cached("mlp", 4) != first);
  ::unsetenv("XDG_CACHE_HOME");
}
