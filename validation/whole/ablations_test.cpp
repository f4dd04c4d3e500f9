// What is left out on request: right values, another program, and its name in program and record.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "compiler/drivers/pim/schedule/schedulers.hpp"
#include "compiler/frontend/import.hpp"
#include "models/zoo/zoo.hpp"
#include "validation/whole/whole.hpp"

using namespace pimento;
using namespace pimento::validation;

namespace {

CompileResult compiled(const ir::Graph& model, const isa::Chip& chip, const Ablations& ablations = {}) {
  CompileOptions options;
  options.ablations = ablations;
  return compile_graph(model, chip, options);
}

std::string code_of(const CompileResult& made) {
  std::string all;
  for (const isa::CoreProgram& core : made.program.cores)
    all.append(reinterpret_cast<const char*>(core.instructions.data.data()),
               core.instructions.size() * sizeof(isa::Instruction))
        .append(";");
  return all;
}

void check_values(const ir::Graph& model, const isa::Chip& chip, CompileResult made) {
  Whole whole = make_whole(model, chip, Numerics::quantised);
  use(whole, std::move(made));
  const sim::Result result = simulate(whole, chip);
  REQUIRE(result.stop == sim::StopReason::finished);
  const NumericalCheck values = check(whole, result);
  CHECK_MESSAGE(values.passed, to_text(values));
}

/// A model and chip on which a part has something to do.
std::pair<ir::Graph, std::string> where(std::string_view part) {
  if (part == "no-merge")
    return {frontend::import_text(R"(branches (float[1,8,6,6] x) => (float[1,8,6,6] y) {
      v = Constant <value_float = 0.05> ()
      s = Constant <value_ints = [8,8,3,3]> ()  w = Expand (v, s)
      r = Constant <value_ints = [8,8,1,1]> ()  z = Expand (v, r)
      t = Constant <value_ints = [8,16,1,1]> ()  u = Expand (v, t)
      a = Conv <pads = [1,1,1,1]> (x, w)  e = Conv (x, z)  b = Relu (e)
      c = Concat <axis = 1> (a, b)  y = Conv (c, u) })"),
            "tiny-4"};
  if (part == "no-run-ahead") return {zoo::build("resnet20").graph, "pimcomp-144"};
  return {zoo::build("lenet5").graph, part == "no-multicast" || part == "no-roaming" ? "tiny-4" : "pimcomp-144"};
}

}  // namespace

TEST_CASE("ablations: does every part make another program that says what it lacks, and is it right?") {
  for (const Ablation& row : ablations()) {
    CAPTURE(row.name);
    if (row.part == &Ablations::no_spills) continue;  // without it there is no program: spills_test.cpp
    const auto [model, chip_name] = where(row.name);
    const isa::Chip chip = isa::load_chip(chip_name);
    Ablations without;  // what chooses might come to the same without the part
    without.no_choice = row.name != "no-choice" && row.name != "no-roaming";
    const std::string with_it = code_of(compiled(model, chip, without));
    without.*row.part = true;
    CompileResult made = compiled(model, chip, without);
    CHECK(code_of(made) != with_it);
    const nlohmann::json settings = nlohmann::json::parse(made.program.settings_json);
    CHECK(settings["left_out"] == left_out(without));
    CHECK(settings["left_out"][0] == row.name);
    CHECK(made.record.settings_json == made.program.settings_json);
    check_values(model, chip, std::move(made));
  }
}

TEST_CASE("ablations: does every scheduler make its own program, by its name, and is it right?") {
  const ir::Graph lenet5 = zoo::build("lenet5").graph;
  const isa::Chip chip = isa::load_chip("pimcomp-144");
  std::vector<std::string> seen;
  for (const pim::Scheduler& scheduler : pim::schedulers()) {
    CAPTURE(scheduler.name);
    CompileResult made = compiled(lenet5, chip, {.scheduler = std::string(scheduler.name)});
    CHECK(nlohmann::json::parse(made.program.settings_json)["scheduler"] == scheduler.name);
    CHECK(std::find(seen.begin(), seen.end(), code_of(made)) == seen.end());
    seen.push_back(code_of(made));
    check_values(lenet5, chip, std::move(made));
  }
  CHECK(seen.size() >= 4);
}

TEST_CASE("ablations: does the compiler take the scheduler whose program is quickest here, and say which?") {
  const ir::Graph lenet5 = zoo::build("lenet5").graph;
  const isa::Chip chip = isa::load_chip("pimcomp-144");
  const auto cycles = [&](const CompileResult& made) {
    sim::Options options;
    options.timing_only = true;
    const sim::Result result = sim::simulate(made.program, chip, options);
    REQUIRE(result.stop == sim::StopReason::finished);
    return result.cycles;
  };
  const CompileResult made = compiled(lenet5, chip);
  const nlohmann::json settings = nlohmann::json::parse(made.program.settings_json);
  CHECK(settings["left_out"] == nlohmann::json::array());
  for (const char* scheduler : {"peft", "load", "round-robin"})
    CHECK(cycles(made) <= cycles(compiled(lenet5, chip, {.scheduler = scheduler})));
  CHECK(code_of(made) == code_of(compiled(lenet5, chip, {.scheduler = settings["scheduler"]})));
  CHECK(cycles(made) < cycles(compiled(lenet5, chip, {.no_choice = true})));
}

TEST_CASE("ablations: is a part refused where it changes nothing?") {
  const auto refusal = [](const std::string& chip, const Ablations& without, bool given = false) {
    CompileOptions options;
    options.ablations = without;
    if (given) options.placement = "";
    try {
      check_ablations(options, isa::load_chip(chip));
      return std::string();
    } catch (const UserError& e) {
      return std::string(e.what());
    }
  };
  CHECK(refusal("tiny-4", {.no_multicast = true}) == "");
  CHECK(refusal("pimcomp-144", {.no_multicast = true}) ==
        "--no-multicast: it changes nothing on chip 'pimcomp-144': the chip has no multicast");
  CHECK(refusal("tiny-4", {.no_choice = true}) == "");
  CHECK(refusal("tiny-4", {.no_merge = true}, true) == "");
  CHECK(refusal("tiny-4", {.no_replicate = true}, true) == "--no-replicate: the mapping is given with --placement");
  CHECK(refusal("tiny-4", {.scheduler = "load"}, true) == "--scheduler: the mapping is given with --placement");
}
