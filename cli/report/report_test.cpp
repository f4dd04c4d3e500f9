#include "cli/report/report.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "cli/report/mapping_svg.hpp"
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
  for (const sim::LinkResult& l : m.report.result.links) {
    links += l.bytes;
    CHECK(l.bytes == l.busy * m.chip.network.flit);
  }
  CHECK(links == m.report.link_bytes);
  CHECK(links >= m.report.result.delivered + m.report.global_written);  // every one of them crosses a link here
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
  for (const validation::EnergyPart& part : some.report.energy) {
    total += part.known;
    if (part.component == "vector unit") vector = part.known;
  }
  CHECK(vector == 16.0);  // eight additions of 2 pJ
  CHECK(total == some.report.energy_known());
}
TEST_CASE("report: does the programming of the weights stand apart from the run's energy and time?") {
  const Made m(std::map<std::string, std::string>{{"core.crossbar.program_energy", "3 pJ"}});
  CHECK(m.report.programming.groups == 1);
  CHECK(m.report.programming.energy == doctest::Approx(3.0 * 8 * 4 * m.chip.columns_per_weight()));
  for (const validation::EnergyPart& part : m.report.energy) CHECK(part.known == 0);
  const nlohmann::json j = nlohmann::json::parse(to_json(m.report));
  CHECK(j["weight_programming"]["cells"] == m.report.programming.cells);
  CHECK(j["weight_programming"]["energy_pj"] == *m.report.programming.energy);
  const Made unknown;
  CHECK(nlohmann::json::parse(to_json(unknown.report))["weight_programming"]["energy_pj"].is_null());
  CHECK(to_table(unknown.report).find("unknown without core.crossbar.program_energy") != std::string::npos);
}
TEST_CASE("report: are the settings of the compiler shown?") {
  Made m;
  m.report.settings_json = R"({"numerics": "quantised", "seed": 7, "dimensions": {}})";
  CHECK(to_table(m.report).find("compiled with numerics quantised; seed 7\n") != std::string::npos);
  CHECK(nlohmann::json::parse(to_json(m.report))["configuration"]["program_settings"]["seed"] == 7);
  // in one line, lists and objects too
  m.report.settings_json = R"({"dimensions": {"n": 4}, "models": ["lenet5", "mlp"], "sizes": [1, 2]})";
  CHECK(to_table(m.report).find("compiled with dimensions {\"n\":4}; models lenet5, mlp; sizes [1,2]\n") !=
        std::string::npos);
}
TEST_CASE("report: is each of several models shown with the figures of its layers, and one alone not?") {
  Made m;
  CHECK(m.report.models.empty());
  CHECK(to_table(m.report).find("\nmodel ") == std::string::npos);
  CHECK_FALSE(nlohmann::json::parse(to_json(m.report)).contains("models"));
  m.program.nodes = {"a/first", "output 'b/y'"};
  m.program.settings_json = R"({"models": ["a", "b"]})";
  m.report = make_report(m.program, m.chip, sim::simulate(m.program, m.chip));
  REQUIRE(m.report.models.size() == 2);
  const ModelPart &a = m.report.models[0], &b = m.report.models[1];
  CHECK(a.mvms == 1);
  CHECK(a.bytes == 16);
  CHECK(a.last == m.report.layers[0].last);
  CHECK(b.mvms == 0);
  CHECK(b.bytes == 16);
  CHECK(b.first == m.report.layers[1].first);
  CHECK(to_table(m.report).find("\nmodel first cycle") != std::string::npos);
  CHECK(nlohmann::json::parse(to_json(m.report))["models"][1]["name"] == "b");
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
TEST_CASE("report: are accesses of a memory with rows counted by what they found, and of one without not?") {
  const Made rows({{"global_memory.row_size", "1 KiB"},
                   {"global_memory.activate_latency", "3 cycles"},
                   {"global_memory.precharge_latency", "4 cycles"}});
  const nlohmann::json channel = nlohmann::json::parse(to_json(rows.report))["global_memory"]["channels"][0];
  CHECK(channel["row_misses"] == 1);  // the store, whose row is the first
  CHECK(channel["row_conflicts"] == 0);
  CHECK(channel["row_hits"] == 16 / rows.chip.global_memory.width - 1);
  CHECK(to_table(rows.report).find("accesses to open rows, 1 to closed banks, 0 where another row was open\n") !=
        std::string::npos);
  const Made flat;
  CHECK_FALSE(nlohmann::json::parse(to_json(flat.report))["global_memory"]["channels"][0].contains("row_hits"));
  CHECK(to_table(flat.report).find("open rows") == std::string::npos);
}
TEST_CASE("report: do the parts of energy and area add up to totals, static power over the run's time included?") {
  Made m(std::map<std::string, std::string>{});
  m.chip = isa::load_chip("isaac");
  // 2 mW a core for 168 cores, 10.4 W beside the chip
  m.chip = isa::with_values(m.chip, {{"static_power.core", "2 mW"}});
  m.report = make_report(m.program, m.chip, sim::simulate(m.program, m.chip));
  REQUIRE(m.report.energy_complete());
  const double ns = static_cast<double>(m.report.result.time_fs) / 1e6;
  double parts = 0;
  double fixed = 0;
  for (const validation::EnergyPart& part : m.report.energy) {
    parts += part.known;
    if (part.component == "static power") fixed = part.known;
  }
  CHECK(parts == m.report.energy_known());
  CHECK(fixed == doctest::Approx((168 * 2 + 10400) * ns));
  CHECK(m.report.average_power_mw().value() == doctest::Approx(parts / ns));
  REQUIRE(m.report.area_complete());
  CHECK(m.report.area_known_mm2() == doctest::Approx(168 * 0.3345 + 6.342 + 22.88));
  const nlohmann::json j = nlohmann::json::parse(to_json(m.report));
  CHECK(j["area"]["parts"].size() == 3);
  CHECK(j["energy"]["complete"] == true);
}
TEST_CASE("report: is an area that nobody gave named?") {
  const Made m;
  CHECK(to_table(m.report).find("unknown  without area.core, area.network, area.global_memory\n") != std::string::npos);
}
TEST_CASE("report: does the mapping picture show every core, each layer's crossbars and names as text?") {
  Made m;
  m.program.nodes[0] = "a<b>&\"c\"";
  const std::string svg = mapping_svg(m.program, m.chip);
  for (const char* core : {">0</text>", ">1</text>", ">2</text>", ">3</text>"})
    CHECK(svg.find(core) != std::string::npos);
  CHECK(svg.find("a&lt;b&gt;&amp;&quot;c&quot;: 1 crossbar on 1 core</text>") != std::string::npos);
  CHECK(svg.find("second: 0 crossbars on 1 core</text>") != std::string::npos);
  CHECK(svg.find("a<b>") == std::string::npos);
  CHECK(svg.find(">mem</text>") != std::string::npos);
  CHECK(svg == mapping_svg(m.program, m.chip));
}
