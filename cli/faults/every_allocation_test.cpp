// ctest: slow
#include <limits>

#include "cli/faults/stage_for_tests.hpp"

using namespace pimento::faults;

TEST_CASE("faults: does a failing allocation leave nothing half-written, for every n?") {
  const Stage stage;
  for (const Row& row : rows()) {
    CAPTURE(row.name);
    check_memory(stage, row, Kind::memory, std::numeric_limits<long>::max() / 4, 1);
  }
}
