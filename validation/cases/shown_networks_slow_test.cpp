// ctest: slow
// The networks that a chip is shown with (folder PIMENTO_CASES): right where they fit, refused with the numbers where
// they do not.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <map>

#include "validation/cases/case.hpp"

using namespace pimento;
using namespace pimento::validation;
namespace fs = std::filesystem;

namespace {

fs::path cases() {
  const char* folder = std::getenv("PIMENTO_CASES");
  return folder ? folder : "";
}
CaseResult run(const std::string& name, std::optional<std::uint64_t> seed = {}) {
  CaseOptions options;
  options.numerics = Numerics::exact;
  options.randomise_weights = seed;
  return validate_case((cases() / name).string(), isa::load_chip("pimcomp-144"), options);
}

}  // namespace

TEST_CASE("shown networks: are their outputs right, with the published weights and with random ones?") {
  if (!fs::is_directory(cases())) return;
  for (const char* name :
       {"resnet18", "squeezenet1_1", "mobilenet_v3_small", "text_direction_cls", "light_densenet121",
        "light_inception_v1", "light_inception_v2", "light_resnet50", "light_shufflenet", "light_squeezenet"}) {
    CAPTURE(name);
    CaseResult result = run(name);
    CHECK(result.fault == "");
    CHECK(result.passed());
    if (!std::string(name).starts_with("light_")) continue;
    result = run(name, 7);
    CHECK(result.fault == "");
    CHECK(result.passed());
  }
}
TEST_CASE("shown networks: does one that is too large say what it needs, and where?") {
  if (!fs::is_directory(cases())) return;
  const std::map<std::string, std::string> expected{
      {"light_bvlc_alexnet", "14948"}, {"light_zfnet512", "21318"}, {"light_vgg19", "35100"}};
  for (const auto& each : expected) {
    const std::string& name = each.first;
    const std::string& needed = each.second;
    CAPTURE(name);
    const CaseResult result = run(name);
    CHECK(result.status == Status::bad_input);
    CHECK(result.fault.find(needed + " crossbars needed, 9216 on the chip; largest: ") != std::string::npos);
  }
}
