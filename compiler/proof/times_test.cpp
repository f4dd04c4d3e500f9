#include "compiler/proof/times.hpp"

#include <doctest/doctest.h>

namespace pimento::proof {

TEST_CASE("times: are passes of one name one row, the dearest first, and shares of the whole compile?") {
  Record record;
  record.stages = {{"dead-code", 0.125, 0.125, {}}, {"schedule", 1.5, 1.0, {}}, {"dead-code", 0.125, 0.125, {}}};
  record.know_real("wall_s", 2.25);
  record.know_real("cpu_s", 2.0);
  // between the stages: 2 - 1 - 2 * 0.125
  CHECK(time_table(record) ==
        "stage or pass                CPU s   share    wall s\n"
        "schedule                    1.0000  50.0 %    1.5000\n"
        "dead-code                   0.2500  12.5 %    0.2500\n"
        "between the stages          0.7500  37.5 %    0.5000\n"
        "compile                     2.0000 100.0 %    2.2500\n");
}
TEST_CASE("times: does a record without times have no shares?") {
  CHECK(time_table(Record{}) ==
        "stage or pass                CPU s   share    wall s\n"
        "between the stages          0.0000   0.0 %    0.0000\n"
        "compile                     0.0000   0.0 %    0.0000\n");
}

}  // namespace pimento::proof
