#include "cli/faults/stage_for_tests.hpp"

using namespace pimento::faults;

TEST_CASE("faults: does a disk that is full at the n-th operation leave nothing half-written, for every n?") {
  const Stage stage;
  for (const Row& row : rows()) {
    CAPTURE(row.name);
    check_disk(stage, row, {});
  }
}

TEST_CASE("faults: does a file that stood there before keep its content when the disk is full?") {
  const Stage stage;
  check_disk(stage, rows()[0], {{"a.pim", "old"}});
  check_disk(stage, rows()[2], {{"results/report.json", "old"}, {"results/output_0.npy", "old"}});
}

TEST_CASE("faults: does a failing allocation leave nothing half-written?") {
  const Stage stage;
  for (const Row& row : rows()) {
    CAPTURE(row.name);
    check_memory(stage, row, Kind::memory, 60, 40);
  }
}

TEST_CASE("faults: is the end in order when memory is gone for good?") {
  const Stage stage;
  for (const Row& row : rows()) {
    CAPTURE(row.name);
    check_memory(stage, row, Kind::memory_gone, 20, 20);
  }
}
