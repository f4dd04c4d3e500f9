// Models larger than the chip: are values, cycles and figures those of the same model on a chip that holds it?
#include <doctest/doctest.h>

#include <fmt/format.h>

#include "compiler/frontend/import.hpp"
#include "isa/cost/programming.hpp"
#include "isa/support/error.hpp"
#include "models/zoo/zoo.hpp"
#include "validation/whole/ways_of_running.hpp"

using namespace pimento;
using namespace pimento::validation;

namespace {

/// tiny-4 with fewer crossbars; rendezvous or buffers, one instruction at a time or several.
isa::Chip chip_of(int crossbars, int buffers = 1, int window = 1) {
  return isa::with_values(isa::load_chip("tiny-4"), {{"core.crossbars", fmt::format("{}", crossbars)},
                                                     {"core.crossbar.program_energy", "2 pJ"},
                                                     {"core.window", fmt::format("{}", window)},
                                                     {"network.receive_buffer_messages", fmt::format("{}", buffers)}});
}

/// Three layers of 2, 4 and 4 strips, the first two with rows and halos; the residual crosses every round.
ir::Graph layers() {
  return frontend::import_text(R"(g (float[1,8,6,6] x) => (float[1,8,6,6] y) {
    v = Constant <value_float = 0.05> ()  s = Constant <value_ints = [8,8,3,3]> ()  w = Expand (v, s)
    a = Conv <pads = [1,1,1,1]> (x, w)  b = Relu (a)  c = Conv <pads = [1,1,1,1]> (b, w)
    d = Conv <pads = [1,1,1,1]> (c, w)  y = Add (d, b) })");
}

CompileResult compiled_in(const ir::Graph& graph, const isa::Chip& chip, int rounds, Numerics numerics) {
  CompileOptions options;
  options.numerics = numerics;
  options.rounds = rounds;
  return compile_graph(graph, chip, options);
}
/// All ways of executing a program, against the reference.
void expect_agreement(const ir::Graph& graph, const isa::Chip& chip, int rounds, Numerics numerics) {
  CAPTURE(rounds);
  Whole whole = make_whole(graph, isa::load_chip("tiny-4"), numerics);
  use(whole, compiled_in(graph, chip, rounds, numerics));
  CHECK(whole.compiled.record.figures.at("rounds") == rounds);
  const sim::Result ahead = run_every_way(whole, chip);
  const NumericalCheck values = check(whole, ahead);
  CHECK_MESSAGE(values.passed, to_text(values));
  CHECK(whole.compiled.bounds.mapping.cycles() <= ahead.cycles);
  CHECK(whole.compiled.bounds.hardware.cycles() <= ahead.cycles);
}

}  // namespace

TEST_CASE("rounds: are values right and cycles the same in two and three rounds, however the chip runs them?") {
  // 9 strips of 8 columns a layer and more, in 4 cores
  for (const int buffers : {0, 1})
    for (const int window : {1, 4})
      for (const int rounds : {2, 3})
        for (const Numerics numerics : {Numerics::exact, Numerics::quantised}) {
          CAPTURE(buffers);
          CAPTURE(window);
          expect_agreement(layers(), chip_of(8, buffers, window), rounds, numerics);
        }
}
TEST_CASE("rounds: does a network whose largest layer exceeds the chip give the reference's values?") {
  const ir::Graph lenet5 = zoo::build("lenet5").graph;  // 286 crossbars, 225 of them one layer
  const isa::Chip chip = chip_of(28);                   // 112
  const CompileResult compiled = compiled_in(lenet5, chip, 0, Numerics::quantised);
  CHECK(compiled.record.figures.at("rounds") >= 3);
  expect_agreement(lenet5, chip, static_cast<int>(compiled.record.figures.at("rounds")), Numerics::exact);
}
TEST_CASE("rounds: is a program's rewriting counted by compiler and simulator alike?") {
  const isa::Chip chip = chip_of(28);
  Whole whole = make_whole(zoo::build("lenet5").graph, isa::load_chip("tiny-4"), Numerics::quantised);
  use(whole, compiled_in(zoo::build("lenet5").graph, chip, 4, Numerics::quantised));
  const sim::Result result = simulate(whole, chip);
  REQUIRE(result.stop == sim::StopReason::finished);
  const isa::cost::Rewriting r = isa::cost::rewriting(chip, whole.compiled.program);
  const auto& figures = whole.compiled.record.figures;
  CHECK(r.groups > 0);
  CHECK(figures.at("rewritten_groups") == r.groups);
  CHECK(figures.at("rewritten_cells") == r.cells);
  CHECK(figures.at("rewritten_bytes") == r.bytes);
  CHECK(figures.at("rewriting_cycles") == *r.cycles);
  CHECK(figures.at("load_bytes") > r.bytes);  // the image as well
  std::int64_t cells = 0;
  for (const sim::EnergyEntry& e : result.energy)
    if (std::string(e.event) == "cell programmed") {
      cells += e.count;
      CHECK(e.per_event == 2.0);
    }
  CHECK(cells == r.cells);
  // every weight stands on the chip at the start or is written later
  std::int64_t weights = 0;
  for (const isa::Tile& tile : whole.compiled.program.tiles) weights += std::int64_t{tile.rows} * tile.cols;
  CHECK(isa::cost::initial_programming(chip, whole.compiled.program).cells + r.cells >= weights * chip.cell_columns());
}
TEST_CASE("rounds: do cycles grow with the time that writing a row takes, as predicted?") {
  const ir::Graph lenet5 = zoo::build("lenet5").graph;
  Cycles before = 0;
  for (const char* latency : {"unknown", "10 ns", "1 us", "10 us"}) {
    const isa::Chip chip = isa::with_values(chip_of(28, 0), {{"core.crossbar.program_latency", latency}});
    Whole whole = make_whole(lenet5, isa::load_chip("tiny-4"), Numerics::quantised);
    use(whole, compiled_in(lenet5, chip, 4, Numerics::quantised));
    whole.options.timing_only = true;
    const sim::Result result = simulate(whole, chip);
    REQUIRE(result.stop == sim::StopReason::finished);
    const Cycles cycles = result.cycles;
    CHECK(cycles > before);
    before = cycles;
    const auto predicted = static_cast<double>(whole.compiled.record.figures.at("predicted_cycles"));
    CHECK(predicted == doctest::Approx(static_cast<double>(cycles)).epsilon(0.1));
  }
}
TEST_CASE("rounds: does a model that fits keep its program, and is one that does not refused in one round?") {
  const ir::Graph lenet5 = zoo::build("lenet5").graph;
  const isa::Chip roomy = isa::load_chip("tiny-4");
  CHECK(isa::disassemble(compiled_in(lenet5, roomy, 0, Numerics::quantised).program, true) ==
        isa::disassemble(compiled_in(lenet5, roomy, 1, Numerics::quantised).program, true));
  std::string refusal;
  try {
    compiled_in(lenet5, chip_of(28), 1, Numerics::quantised);
  } catch (const UserError& e) {
    refusal = e.what();
  }
  CHECK(refusal.starts_with("chip 'tiny-4', stage graph-to-spatial: 286 crossbars needed, 112 on the chip"));
}
TEST_CASE("rounds: does a model whose crossbars add up and do not pack into the cores come in two rounds?") {
  // five layers of 3 crossbars, 15 of 4 x 4: one on each core, and 1 crossbar left there
  std::string text = "g (float[1,96] x) => (float[1,8] y) { s = Constant <value_ints = [96,8]> ()";
  for (int i = 0; i < 5; ++i)
    text += fmt::format(" v{0} = Constant <value_float = 0.0{1}> () w{0} = Expand (v{0}, s) a{0} = MatMul (x, w{0})", i,
                        i + 1);
  const ir::Graph graph = frontend::import_text(text + " y = Sum (a0, a1, a2, a3, a4) }");
  CHECK(compiled_in(graph, chip_of(4), 0, Numerics::quantised).record.figures.at("rounds") == 2);
  expect_agreement(graph, chip_of(4), 2, Numerics::exact);
  std::string refusal;
  try {
    compiled_in(graph, chip_of(4), 1, Numerics::quantised);
  } catch (const UserError& e) {
    refusal = e.what();
  }
  CHECK(refusal.find("no core has that many left") != std::string::npos);
}

namespace {
void expect_same_from_placement(const ir::Graph& graph, const isa::Chip& chip, int rounds) {
  const CompileResult first = compiled_in(graph, chip, rounds, Numerics::quantised);
  CAPTURE(first.placement);
  CHECK((first.placement.find("rounds: ") != std::string::npos) == (rounds != 1));
  CompileOptions options;
  options.rounds = 0;
  options.placement = first.placement;
  options.placement_file = "p.yaml";
  CompileResult again = compile_graph(graph, chip, options);
  for (const char* figure : {"rounds", "rewritten_bytes", "predicted_cycles"})
    CHECK(again.record.figures.count(figure) == first.record.figures.count(figure));
  again.program.settings_json = first.program.settings_json;  // they say where the mapping comes from
  CHECK(isa::disassemble(again.program, true) == isa::disassemble(first.program, true));
  CHECK(again.placement == first.placement);
  options.rounds = 40;
  CHECK_THROWS_AS(compile_graph(graph, chip, options), UserError);
}
}  // namespace

TEST_CASE("rounds: does the printed mapping of several make the same program again?") {
  for (const auto& [crossbars, its_rounds] : {std::pair{96, 1}, {6, 2}, {6, 3}}) {
    const auto& rounds = its_rounds;
    CAPTURE(rounds);
    expect_same_from_placement(layers(), chip_of(crossbars), rounds);
  }
}

TEST_CASE("rounds: is a layer that is cut between rounds printed tile by tile, and read back?") {
  const ir::Graph wide = frontend::import_text(
      "g (float[1,64] x) => (float[1,64] y) { c = Constant <value_float = 0.05> () s = Constant <value_ints = [64,64]> "
      "() w = Expand (c, s) a = MatMul (x, w) b = Relu (a) y = MatMul (b, w) }");
  const isa::Chip chip = isa::with_values(
      isa::load_chip("tiny-4"),
      {{"core.crossbars", "2"}, {"core.array_group.max_rows", "1"}, {"core.array_group.max_columns", "1"}});
  const CompileResult made = compiled_in(wide, chip, 0, Numerics::quantised);
  CHECK(made.placement.find("rounds: [0, ") != std::string::npos);
  expect_same_from_placement(wide, chip, 0);
}

TEST_CASE("rounds: is a layer before what it needs refused with its line?") {
  const isa::Chip chip = chip_of(6);
  CompileOptions options;
  options.placement = compiled_in(layers(), chip, 2, Numerics::quantised).placement;
  options.placement_file = "p.yaml";
  options.rounds = 0;
  const std::size_t first = options.placement->find("rounds: 0"), last = options.placement->rfind("rounds: 1");
  REQUIRE(first != std::string::npos);
  REQUIRE(last != std::string::npos);
  options.placement->replace(first, 9, "rounds: 1");
  options.placement->replace(last, 9, "rounds: 0");
  try {
    compile_graph(layers(), chip, options);
    FAIL("it was taken");
  } catch (const UserError& error) {
    const std::string text = error.what();
    CAPTURE(text);
    CHECK(text.starts_with("p.yaml:"));
    CHECK(text.find(" needs '") != std::string::npos);
    CHECK(text.find(", which is made in round 1") != std::string::npos);
  }
}
