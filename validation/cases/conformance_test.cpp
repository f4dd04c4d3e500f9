// ctest: slow
// ONNX's conformance data the whole way: what the compiler accepts must come out of the simulator as stored. Each case
// is asked with its inputs at run time and with its weights, or its integers, as constants.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <set>

#include "validation/cases/case.hpp"

using namespace pimento;
using namespace pimento::validation;
namespace fs = std::filesystem;

namespace {

const fs::path data = "/usr/share/libonnx-testdata/data";
/// Cases that passed in some form when this was written: fewer means that an operator was lost.
constexpr int floor_of_passes = 800;

struct Outcome {
  bool passes = false;  ///< in one form at least
  std::string fault;    ///< wrong values or an invariant of ours, in any form
};

Outcome run(const fs::path& folder, const isa::Chip& chip) {
  Outcome outcome;
  for (const auto constants : {ConstantInputs::weights, ConstantInputs::none, ConstantInputs::integers}) {
    CaseOptions options;
    options.numerics = Numerics::exact;
    options.constants = constants;
    const CaseResult result = validate_case(folder.string(), chip, options);
    if (result.status == Status::our_fault) outcome.fault += result.fault + "\n";
    if (result.status != Status::done) continue;  // refused in this form
    outcome.passes = outcome.passes || result.passed();
    for (const CaseResult::Set& set : result.sets)
      if (!set.check.passed) outcome.fault += to_text(set.check);
  }
  return outcome;
}

}  // namespace

TEST_CASE("conformance: does everything that compiles for a small chip give the stored outputs?") {
  if (!fs::is_directory(data)) {
    MESSAGE("skipped: " << data.string() << " is not installed (package libonnx-testdata)");
    return;
  }
  const isa::Chip chip = isa::load_chip("tiny-4");
  const char* only = std::getenv("PIMENTO_NODE_CASE");
  // windows of 60 x 80 over a million elements: minutes on four cores, whose memory they do not fit
  const std::set<std::string> too_large{"test_MaxPool1d_stride_padding_dilation",
                                        "test_MaxPool2d_stride_padding_dilation"};
  int passed = 0;
  int refused = 0;
  for (const char* group : {"node", "pytorch-converted", "pytorch-operator", "simple"})
    for (const fs::path& folder : std::set<fs::path>(fs::directory_iterator(data / group), fs::directory_iterator{})) {
      const std::string name = folder.filename().string();
      if (too_large.count(name) != 0 || (only && name.find(only) == std::string::npos)) continue;
      const Outcome outcome = run(folder, chip);
      CAPTURE(name);
      CHECK(outcome.fault == "");
      ++(outcome.passes ? passed : refused);
    }
  MESSAGE(passed << " cases pass, " << refused << " are refused in every form");
  if (!only) CHECK(passed >= floor_of_passes);
}
