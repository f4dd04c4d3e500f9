#include "validation/cases/case.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <limits>

#include "compiler/frontend/tensor_file.hpp"
#include "compiler/frontend/text_model.hpp"

using namespace pimento;
using namespace pimento::validation;
namespace fs = std::filesystem;

namespace {

/// A case folder of its own, removed at the end. y = relu(x * w + b), w = 1 .. 8 row by row.
struct Case {
  fs::path folder;
  explicit Case(const std::string& bias = "{0.5, 1.0, 1.5, 2.0}", const std::string& name = "case")
      : folder(fs::temp_directory_path() / ("pimento_" + name + "_" + std::to_string(::getpid()))) {
    fs::create_directories(folder / "test_data_set_0");
    std::ofstream(folder / "model.onnx", std::ios::binary)
        << frontend::model_bytes("g (float[1,2] x) => (float[1,4] y) <float[2,4] w = {1,2,3,4,5,6,7,8}, float[4] b = " +
                                 bias + "> { p = MatMul (x, w) s = Add (p, b) y = Relu (s) }");
  }
  ~Case() { fs::remove_all(folder); }
  Case(const Case&) = delete;
  Case& operator=(const Case&) = delete;
  void write(const std::string& name, const ir::Shape& shape, const std::vector<double>& values) const {
    frontend::write_tensor_pb((folder / "test_data_set_0" / name).string(),
                              ir::Tensor::of({ElementType::f32, shape}, values));
  }
  CaseResult run(const CaseOptions& options = {}) const {
    return validate_case(folder.string(), isa::load_chip("tiny-4"), options);
  }
};

}  // namespace

TEST_CASE("case: does a right one pass against its files?") {
  const Case c;
  c.write("input_0.pb", {1, 2}, {1, -0.5});
  // (1 - 2.5, 2 - 3, 3 - 3.5, 4 - 4) + b = (-1, 0, 1, 2), then relu
  c.write("output_0.pb", {1, 4}, {0, 0, 1, 2});
  CaseOptions exact;
  exact.numerics = Numerics::exact;
  const CaseResult result = c.run(exact);
  CHECK(result.fault == "");
  REQUIRE(result.sets.size() == 1);
  CHECK(result.passed());
  CHECK(result.sets[0].name == "test_data_set_0");
  CHECK(result.sets[0].check.reference == "outputs of test_data_set_0");
  CHECK(result.sets[0].cycles > 0);
}
TEST_CASE("case: is a wrong output reported down to its writer?") {
  const Case c;
  c.write("input_0.pb", {1, 2}, {1, -0.5});
  c.write("output_0.pb", {1, 4}, {0, 0, 0.25, 2});
  for (const Numerics numerics : {Numerics::exact, Numerics::quantised}) {
    CaseOptions options;
    options.numerics = numerics;
    options.min_sqnr_db = 40;
    const CaseResult result = c.run(options);
    CHECK_FALSE(result.passed());
    REQUIRE(result.sets.size() == 1);
    const std::string text = to_text(result.sets[0].check);
    CAPTURE(text);
    CHECK(text.find("first at [0, 2]: expected 0.25, got ") != std::string::npos);
    CHECK(text.find("; 1 of 4 elements differ") != std::string::npos);
    CHECK(text.find("written by core 0 at ") != std::string::npos);
    CHECK(text.find("(node 'MatMul_0+Add_0+Relu_0')") != std::string::npos);
  }
}
TEST_CASE("case: is a number that no integer can stand for refused, not clipped?") {
  const Case c;
  c.write("input_0.pb", {1, 2}, {1, std::numeric_limits<double>::quiet_NaN()});
  c.write("output_0.pb", {1, 4}, {0, 0, 1, 2});
  CaseOptions options;
  options.calibration_inputs = {ir::Tensor::of({ElementType::f32, {1, 2}}, {1, -0.5})};
  const CaseResult result = c.run(options);
  CHECK(result.fault == "input 'x': element 1 is nan; on this chip it is an integer of 8 bits and a scale");
  CHECK(result.status == Status::bad_input);
}
TEST_CASE(
    "case: do inputs that are constants come off the program's ports, and a folder's mistakes count as the user's?") {
  const Case c;
  c.write("input_0.pb", {1, 2}, {1, -0.5});
  c.write("output_0.pb", {1, 4}, {0, 0, 1, 2});
  frontend::write_tensor_pb((c.folder / "test_data_set_0" / "input_0.pb").string(),
                            ir::Tensor::of({ElementType::f32, {1, 2}}, {1, -0.5}), "x");
  CaseOptions options;
  options.numerics = Numerics::exact;
  options.constants = ConstantInputs::all;  // nothing is left to compute: the output is stored as it is known
  CHECK(c.run(options).passed());
  options.constants = ConstantInputs::weights;  // the first input is none
  CHECK(c.run(options).passed());
  CHECK(validate_case("/nowhere", isa::load_chip("tiny-4"), {}).status == Status::bad_input);
}
TEST_CASE("case: does one without files get seeded inputs, and say so?") {
  const Case c;
  std::string notes;
  CaseOptions options;
  options.note = [&](const std::string& text) { notes += text + "\n"; };
  const CaseResult result = c.run(options);
  CHECK(result.passed());
  CHECK(result.sets.at(0).check.reference == "the Eigen reference in f64");
  CHECK(notes.find("input 'x': no file, seeded standard normal values (splitmix64, seed 1)") != std::string::npos);
}
TEST_CASE("case: what is said of a folder that is none, and of an expected tensor of another shape?") {
  CHECK(validate_case("/nowhere", isa::load_chip("tiny-4"), {}).fault == "/nowhere: no such folder");
  const Case c;
  c.write("input_0.pb", {1, 2}, {1, 1});
  c.write("output_0.pb", {1, 3}, {1, 1, 1});
  CHECK(c.run().fault == "outputs of test_data_set_0: output 'y': expected f32[1,4], got f32[1,3]");
}

TEST_CASE("case: is each of several together held to its own data set?") {
  const Case one, other("{-0.5, 1.0, 1.5, 2.0}", "other");
  one.write("input_0.pb", {1, 2}, {1, 1});
  one.write("output_0.pb", {1, 4}, {6.5, 9, 11.5, 14});  // 1 + 5 + 0.5, ...
  other.write("input_0.pb", {1, 2}, {2, 0});
  other.write("output_0.pb", {1, 4}, {1.5, 5, 7.5, 10});
  const isa::Chip chip = isa::load_chip("tiny-4");
  CaseOptions options;
  options.numerics = Numerics::exact;
  const std::string name = one.folder.filename().string(), other_name = other.folder.filename().string();
  const CaseResult both = validate_cases({one.folder.string(), other.folder.string()}, chip, options);
  CHECK(both.fault == "");
  CHECK(both.passed());
  CHECK(both.name == name + "+" + other_name);
  REQUIRE(both.sets.size() == 1);
  REQUIRE(both.sets[0].check.outputs.size() == 2);
  CHECK(both.sets[0].check.outputs[0].output == name + "/y");
  CHECK(both.sets[0].check.outputs[1].output == other_name + "/y");
  other.write("output_0.pb", {1, 4}, {1.5, 5, 7.5, 11});
  const CaseResult wrong = validate_cases({one.folder.string(), other.folder.string()}, chip, options);
  CHECK_FALSE(wrong.passed());
  CHECK(wrong.sets[0].check.outputs[0].differing == 0);
  CHECK(wrong.sets[0].check.outputs[1].differing == 1);
}

TEST_CASE("case: is one with data refused together with one without?") {
  const Case one, other("{1, 1, 1, 1}", "other");
  one.write("input_0.pb", {1, 2}, {1, 1});
  const CaseResult result = validate_cases({one.folder.string(), other.folder.string()}, isa::load_chip("tiny-4"), {});
  CHECK(result.status == Status::bad_input);
  CHECK(result.fault.find("expected data sets in both, or in none") != std::string::npos);
}
