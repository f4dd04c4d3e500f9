#include "cli/report/report.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "isa/support/error.hpp"

using namespace pimento;
using namespace pimento::cli;

namespace {

/// Two cores: one adds and multiplies by a tile and sends, the other receives and stores.
const char* const text = R"(
.model "pair"
.numerics quantised
.node "first"
.node "second"
.output "y" f32 shape [1 4] layout [0 1] type i32 scale 1 zero 0 address 0
.tile rows 8 cols 4 crossbars 1 1 type i8 bytes 32 reals 0
.core 0
.local_memory_used 300
.group crossbars 1 1 tile 0
.range 0 3 node 0
  vadd [0]:i8, [64]:i8, [128]:i8, len 8
  mvm [16]:i32, [0]:i8, len 8, group 0
  send [16], len 16, core 1, tag 1
.core 1
.local_memory_used 64
.range 0 2 node 1
  recv [0], len 16, core 0, tag 1
  store [0], [0], len 16
.core 2
.core 3
)";

struct Made {
  isa::Chip chip = isa::load_chip("tiny-4");
  isa::Program program = isa::assemble(text, "pair");
  sim::Result result;
  Report report;
  explicit Made(const std::map<std::string, std::string>& values = {}) {
    chip = isa::with_values(chip, values);
    result = sim::simulate(program, chip);
    report = make_report(program, chip, result);
  }
};

}  // namespace

TEST_CASE("report: do the units' cycles add up to the run's, on every core?") {
  const Made m;
  REQUIRE(m.report.cycles_of_all_cores() > 0);
  for (const Report::Unit& unit : m.report.units) {
    CAPTURE(unit.name);
    CHECK(unit.cycles.busy + unit.cycles.stalled + unit.cycles.idle == m.report.cycles_of_all_cores());
  }
}
TEST_CASE("report: do the layers' counts add up to the run's?") {
  const Made m;
  Layer sum;
  for (const Layer& l : m.report.layers) {
    sum.instructions += l.instructions;
    sum.mvms += l.mvms;
    sum.vector_instructions += l.vector_instructions;
    sum.sent += l.sent;
    sum.stored += l.stored;
    CHECK(l.cycles == l.last - l.first);
    CHECK(l.cores == 1);
  }
  CHECK(sum.instructions == m.report.result.instructions);
  CHECK(sum.instructions == 5);
  CHECK(sum.mvms == m.report.result.mvms);
  CHECK(sum.vector_instructions == m.report.result.vector_instructions);
  CHECK(sum.sent == m.report.result.injected);
  CHECK(sum.sent == 16);  // four i32 sums
  CHECK(sum.stored == m.report.global_written);
}
TEST_CASE("report: do the links' bytes, the cores' instructions and the crossbars add up?") {
  const Made m;
  Bytes links = 0;
  for (const sim::LinkResult& l : m.report.result.links) links += l.bytes;
  CHECK(links == m.report.link_bytes);
  std::int64_t instructions = 0;
  for (const sim::CoreResult& c : m.report.result.cores) instructions += c.instructions;
  CHECK(instructions == m.report.result.instructions);
  CHECK(m.report.emitted_instructions == 5);
  CHECK(m.report.largest_emitted == 3);
  CHECK(m.report.crossbars_used == 1);
  CHECK(m.report.crossbars_present == 384);
  CHECK(m.report.local_memory_high == 300);
  CHECK(m.report.local_memory_core == 0);
}
TEST_CASE("report: is a part of the energy that nobody gave named, and does the total add up?") {
  const Made unknown;
  CHECK_FALSE(unknown.report.energy_complete());
  CHECK(to_table(unknown.report).find("core.crossbar.read_energy") != std::string::npos);

  const Made some(std::map<std::string, std::string>{{"core.vector.energy", "2 pJ"}});
  double vector = 0;
  double total = 0;
  for (const EnergyPart& part : some.report.energy) {
    total += part.known;
    if (part.component == "vector unit") vector = part.known;
  }
  CHECK(vector == 16.0);  // eight additions of 2 pJ
  CHECK(total == some.report.energy_known());
}
TEST_CASE("report: does the JSON hold what the structure holds?") {
  Made m;
  m.report.other_costs = {"core.window"};
  const nlohmann::json j = nlohmann::json::parse(to_json(m.report));
  CHECK(j["schema"] == "pimento.report");
  CHECK(j["schema_version"] == 1);
  CHECK(j["cycles"] == m.report.result.cycles);
  CHECK(j["layers"].size() == 2);
  CHECK(j["instructions"]["executed"] == 5);
  CHECK(j["units"]["matrix"]["busy"] == m.report.units[3].cycles.busy);
  CHECK(j["energy"]["complete"] == false);
  CHECK(j["scheduled_for_other_costs"] == nlohmann::json{"core.window"});
  CHECK(to_table(m.report).find("scheduled for other costs: core.window\n") != std::string::npos);
}
