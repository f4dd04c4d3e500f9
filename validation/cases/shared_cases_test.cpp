// Whole networks of others, where they are at hand: PIMENTO_CASES names a folder of cases in ONNX's test layout.
#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

#include "validation/cases/case.hpp"

using namespace pimento;
using namespace pimento::validation;

TEST_CASE("shared cases: are resnet18 and squeezenet1_1 exact on pimcomp-144?") {
  const char* folder = std::getenv("PIMENTO_CASES");
  if (folder == nullptr || *folder == '\0') {
    MESSAGE("skipped: PIMENTO_CASES names no folder of cases");
    return;
  }
  const isa::Chip chip = isa::load_chip("pimcomp-144");
  CaseOptions options;
  options.numerics = Numerics::exact;
  for (const std::string name : {"resnet18", "squeezenet1_1"}) {
    const CaseResult result = validate_case(std::string(folder) + "/" + name, chip, options);
    CAPTURE(name);
    CHECK(result.fault == "");
    REQUIRE_FALSE(result.sets.empty());
    for (const CaseResult::Set& set : result.sets) CHECK_MESSAGE(set.check.passed, to_text(set.check));
  }
}
