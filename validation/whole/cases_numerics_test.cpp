// ctest: slow
// Networks at hand, quantised: PIMENTO_CASES names a folder of cases in ONNX's test layout.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>

#include "validation/cases/case.hpp"

using namespace pimento;
using namespace pimento::validation;

TEST_CASE(
    "cases: does resnet18 reach 28 dB with min-max and 32 dB with adaptive calibration, bit for bit the integers'?") {
  const char* folder = std::getenv("PIMENTO_CASES");
  if (folder == nullptr || !std::filesystem::is_directory(std::filesystem::path(folder) / "resnet18")) {
    MESSAGE("skipped: PIMENTO_CASES names no folder with resnet18");
    return;
  }
  const isa::Chip chip = isa::load_chip("pimcomp-144");
  for (const auto& [kind, least] :
       {std::pair{pim::Calibration::min_max, 28.0}, std::pair{pim::Calibration::adaptive, 32.0}}) {
    CaseOptions options;
    options.calibration.kind = kind;
    options.min_sqnr_db = least;
    options.with_integers = true;
    const CaseResult result = validate_case((std::filesystem::path(folder) / "resnet18").string(), chip, options);
    CHECK_MESSAGE(result.passed(), result.fault);
    for (const CaseResult::Set& set : result.sets) CHECK_MESSAGE(set.check.passed, to_text(set.check));
  }
}
