// Every case of ONNX's node suite: does the import and the interpreter's meaning of the graph give the stored outputs?
// A case whose operators are not supported is skipped, with the reason printed; known_node_failures.txt lists the rest.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "compiler/frontend/comparison.hpp"
#include "compiler/frontend/data_set.hpp"
#include "compiler/frontend/export.hpp"
#include "compiler/frontend/import.hpp"
#include "compiler/frontend/test_support.hpp"
#include "compiler/ir/fingerprint.hpp"
#include "compiler/ir/interpreter.hpp"
#include "compiler/ir/text.hpp"
#include "compiler/ops/registry.hpp"
#include "isa/support/error.hpp"

using namespace pimento;
using namespace pimento::frontend;
namespace fs = std::filesystem;

namespace {
const fs::path suite = "/usr/share/libonnx-testdata/data/node";

/// Supported cases when this was written: fewer means that an operator was lost.
constexpr int floor_of_passes = 725;

struct Outcome {
  enum class Kind { passed, failed, unsupported } kind = Kind::passed;
  std::string reason{};
};

/// Which of the model's inputs are given as constants: ONNX's suite passes even shapes and axes as run-time inputs.
enum class Constants { none, integers, all_but_first, all };
ImportOptions options_for(const DataSet& data, Constants which) {
  ImportOptions options;
  for (std::size_t i = 0; i < data.inputs.size(); ++i) {
    const auto& [name, tensor] = data.inputs[i];
    const bool take = which == Constants::all || (which == Constants::all_but_first && i > 0) ||
                      (which == Constants::integers && !is_float(tensor.element_type()));
    if (take) options.constant_inputs[name] = tensor;
  }
  return options;
}

std::string run_data_set(const fs::path& folder, const fs::path& data_folder, Constants which) {
  if (which == Constants::none) import_onnx((folder / "model.onnx").string());  // a refusal of the model comes first
  const auto data = read_data_set(data_folder.string());
  const auto options = options_for(data, which);
  const auto graph = import_onnx((folder / "model.onnx").string(), options);
  std::vector<ir::Tensor> inputs;
  for (const auto& [name, tensor] : data.inputs)
    if (options.constant_inputs.count(name) == 0) inputs.push_back(tensor);
  const auto result = ir::interpret(graph, inputs, ops::kernels_of);
  if (result.outputs.size() != data.outputs.size())
    return fmt::format("expected {} outputs, got {}", data.outputs.size(), result.outputs.size());
  for (std::size_t i = 0; i < data.outputs.size(); ++i)
    if (auto d = difference(result.outputs[i], data.outputs[i].tensor); !d.empty())
      return fmt::format("output {}: {}", i, d);
  return "";
}

Outcome run_case(const fs::path& folder) {
  std::string refusal;
  for (const auto which : {Constants::none, Constants::integers, Constants::all_but_first, Constants::all}) {
    try {
      std::string reason;
      for (int set = 0; fs::exists(folder / fmt::format("test_data_set_{}", set)); ++set)
        if (reason.empty()) reason = run_data_set(folder, folder / fmt::format("test_data_set_{}", set), which);
      return {reason.empty() ? Outcome::Kind::passed : Outcome::Kind::failed, reason};
    } catch (const UserError& e) {
      refusal = e.what();
    } catch (const std::exception& e) {
      return {Outcome::Kind::failed, e.what()};
    }
  }
  return {Outcome::Kind::unsupported, refusal};
}

/// Supported graphs also come back from a file as they were; what has no spelling is left out.
std::string round_trip(const fs::path& folder, const TestFolder& scratch) {
  try {
    const auto graph = import_onnx((folder / "model.onnx").string());
    try {
      export_onnx(graph, scratch / "m.onnx");
    } catch (const UserError&) {
      return "";
    }
    const auto back = import_onnx(scratch / "m.onnx");
    return ir::fingerprint(back) == ir::fingerprint(graph) ? "" : ir::print(graph) + "\nbecame\n" + ir::print(back);
  } catch (const UserError& e) {
    return std::string(e.what()).starts_with(scratch.path.string()) ? e.what() : "";
  }
}

/// Lines "name  # reason"; a '#' at the start is a comment.
std::set<std::string> known_failures() {
  const char* source = std::getenv("PIMENTO_SOURCE_DIR");
  std::ifstream file(fs::path(source ? source : ".") / "compiler/frontend/known_node_failures.txt");
  std::set<std::string> names;
  for (std::string line; std::getline(file, line);)
    if (!line.empty() && line[0] != '#') names.insert(line.substr(0, line.find(' ')));
  return names;
}
}  // namespace

TEST_CASE("node cases: does every graph that can be written come back as it was?") {
  if (!fs::is_directory(suite)) return;
  const TestFolder scratch("round_trip");
  for (const auto& folder : std::set<fs::path>(fs::directory_iterator(suite), fs::directory_iterator{}))
    CHECK_MESSAGE(round_trip(folder, scratch) == "", folder.filename().string());
}

TEST_CASE("node cases: does every supported operator of ONNX's suite give the stored outputs?") {
  if (!fs::is_directory(suite)) {
    MESSAGE("skipped: " << suite.string() << " is not installed (package libonnx-testdata)");
    return;
  }
  const auto known = known_failures();
  std::set<fs::path> folders(fs::directory_iterator(suite), fs::directory_iterator{});
  const char* only = std::getenv("PIMENTO_NODE_CASE");
  int passed = 0, unsupported = 0;
  for (const auto& folder : folders) {
    const auto name = folder.filename().string();
    if (only && name.find(only) == std::string::npos) continue;
    const auto outcome = run_case(folder);
    if (outcome.kind == Outcome::Kind::unsupported) {
      ++unsupported;
      MESSAGE("skipped " << name << ": " << outcome.reason.substr(outcome.reason.find(": ") + 2));
      continue;
    }
    passed += outcome.kind == Outcome::Kind::passed;
    const bool fails = outcome.kind == Outcome::Kind::failed;
    CHECK_MESSAGE(!(fails && known.count(name) == 0), name << ": " << outcome.reason);
    CHECK_MESSAGE(!(!fails && known.count(name) != 0), name << " passes: take it off known_node_failures.txt");
  }
  MESSAGE(passed << " cases pass, " << unsupported << " are not supported, " << known.size() << " are known to fail");
  if (!only) CHECK(passed >= floor_of_passes);
}
