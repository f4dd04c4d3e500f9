#pragma once
// For the golden records' tests: the files of the source tree, and the check of one half of the cases.
#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

#include "isa/support/file.hpp"
#include "validation/golden/golden.hpp"

namespace pimento::validation {

inline std::string golden_folder() {
  const char* tree = std::getenv("PIMENTO_SOURCE_DIR");
  REQUIRE(tree != nullptr);
  return std::string(tree) + "/validation/golden";
}
inline Golden golden_record(const std::string& name) {
  const std::string file = golden_folder() + "/" + name + ".json";
  return parse_golden(read_file(file), file);
}

inline void check_cases(bool slow) {
  for (const GoldenCase& each : golden_cases()) {
    if (each.slow != slow) continue;
    std::string lines;
    for (const std::string& line : differences(golden_record(each.name()), measure(each).record)) lines += line + "\n";
    CHECK_MESSAGE(lines.empty(), each.name(), ":\n", lines,
                  "'pimento golden --accept --kind KIND --why TEXT' applies the stop rule");
  }
}

}  // namespace pimento::validation
