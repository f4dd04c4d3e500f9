// Models that fit no local memory: are the values of a program that spills those of one that does not, however the chip
// runs it, and does everything that counts say so?
#include <doctest/doctest.h>

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "compiler/frontend/import.hpp"
#include "isa/support/error.hpp"
#include "models/zoo/zoo.hpp"
#include "validation/cases/ports.hpp"
#include "validation/whole/ways_of_running.hpp"

using namespace pimento;
using namespace pimento::validation;

namespace {

isa::Chip with_memory(const isa::Chip& chip, Bytes bytes) {
  return isa::with_values(chip, {{"core.local_memory.capacity", fmt::format("{} B", bytes)}});
}
/// tiny-4; rendezvous or buffers, one instruction at a time or several.
isa::Chip chip_of(Bytes memory, int buffers, int window) {
  return isa::with_values(
      with_memory(isa::load_chip("tiny-4"), memory),
      {{"core.window", fmt::format("{}", window)}, {"network.receive_buffer_messages", fmt::format("{}", buffers)}});
}
/// Convolutions one after the other, and what they began with added at the end.
ir::Graph residual() {
  return frontend::import_text(R"(g (float[1,8,16,16] x) => (float[1,8,16,16] y) {
    v = Constant <value_float = 0.05> ()  s = Constant <value_ints = [8,8,3,3]> ()  w = Expand (v, s)
    a = Conv <pads = [1,1,1,1]> (x, w)  b = Relu (a)  c = Conv <pads = [1,1,1,1]> (b, w)
    d = Conv <pads = [1,1,1,1]> (c, w)  e = Conv <pads = [1,1,1,1]> (d, w)  y = Add (e, b) })");
}
constexpr Bytes roomy = 65536;
/// What no mapping fits; with buffers more of them are tried.
constexpr Bytes too_small(int buffers) { return buffers == 0 ? 2000 : 1400; }

CompileResult compiled(const ir::Graph& graph, const isa::Chip& chip, CompileOptions options = {}) {
  options.rounds = options.images > 1 ? 1 : 0;
  CompileResult made = compile_graph(graph, chip, options);
  for (const auto& absent : made.record.absent)
    CHECK_MESSAGE(!made.record.figures.contains(absent.first), absent.first);
  return made;
}
/// The refusal; nothing when it fits.
std::string refusal(const ir::Graph& graph, const isa::Chip& chip, const Ablations& without) {
  try {
    CompileOptions options;
    options.ablations = without;
    compiled(graph, chip, options);
    return "";
  } catch (const UserError& e) {
    return e.what();
  }
}
std::int64_t spills_of(const CompileResult& made) {
  const auto at = made.record.figures.find("spills");
  return at == made.record.figures.end() ? 0 : at->second;
}
/// Inputs of every image, encoded.
sim::Options inputs_of(const isa::Program& program) {
  sim::Options options;
  const std::vector<ir::Tensor> inputs = complete_inputs(program.inputs, {}, 7, nullptr);
  for (std::size_t i = 0; i < inputs.size(); ++i) options.inputs.push_back(encode(program.inputs[i], inputs[i]));
  return options;
}
/// On a chip with room and on one without: the same bytes.
void expect_agreement(const ir::Graph& graph, const isa::Chip& room, const isa::Chip& small,
                      const CompileOptions& options) {
  const CompileResult fits = compiled(graph, room, options), spilling = compiled(graph, small, options);
  CHECK(spills_of(fits) == 0);
  CHECK(spills_of(spilling) > 0);
  const sim::Result expected = sim::simulate(fits.program, room, inputs_of(fits.program));
  const sim::Result result = run_every_way(spilling.program, small, inputs_of(spilling.program));
  REQUIRE(result.outputs.size() == expected.outputs.size());
  for (std::size_t i = 0; i < expected.outputs.size(); ++i) CHECK(result.outputs[i].bytes == expected.outputs[i].bytes);
  CHECK(spilling.bounds.mapping.cycles() <= result.cycles);
}

}  // namespace

TEST_CASE("spills: are values those of a chip with room, however the chip runs the program?") {
  for (const int buffers : {0, 2})
    for (const int window : {1, 4})
      for (const Numerics numerics : {Numerics::exact, Numerics::quantised}) {
        CAPTURE(buffers);
        CAPTURE(window);
        CompileOptions options;
        options.numerics = numerics;
        expect_agreement(residual(), chip_of(roomy, buffers, window), chip_of(too_small(buffers), buffers, window),
                         options);
      }
}
TEST_CASE("spills: do values that wait for a later round wait in global memory?") {
  const isa::Chip small = chip_of(20000, 0, 4);  // 384 crossbars, resnet20 takes 1070
  CompileOptions options;
  options.rounds = 0;
  const Whole whole = make_whole(zoo::build("resnet20").graph, small, options);
  CHECK(whole.compiled.record.figures.at("rounds") > 1);
  CHECK(spills_of(whole.compiled) > 0);
  const sim::Result result = simulate(whole, small);
  REQUIRE(result.stop == sim::StopReason::finished);
  const NumericalCheck values = check(whole, result);
  CHECK_MESSAGE(values.passed, to_text(values));
  const auto predicted = static_cast<double>(whole.compiled.record.figures.at("predicted_cycles"));
  CHECK(predicted == doctest::Approx(static_cast<double>(result.cycles)).epsilon(0.15));
}
TEST_CASE("spills: does every image of a stream find its own?") {
  CompileOptions options;
  options.images = 3;
  expect_agreement(residual(), chip_of(roomy, 2, 4), chip_of(too_small(2), 2, 4), options);
}
TEST_CASE("spills: is nothing spilled where that is not wanted, or of no use, and is the refusal the same?") {
  const isa::Chip small = chip_of(too_small(2), 2, 4);
  const std::string without = refusal(residual(), small, {.no_spills = true});
  CHECK(without.find("B of local memory, 1400 on the chip; largest: ") != std::string::npos);
  CHECK(refusal(residual(), small, {}) == "");
  const isa::Chip tiny = chip_of(1024, 0, 4);  // a step takes more
  CHECK(refusal(residual(), tiny, {}) == refusal(residual(), tiny, {.no_spills = true}));
  CHECK(refusal(residual(), tiny, {}).find("B of local memory, 1024 on the chip; largest: ") != std::string::npos);
}
TEST_CASE("spills: do note, record, settings and the program's own loads and stores say the same?") {
  const ir::Graph graph = residual();
  CompileOptions options;
  std::string notes;
  options.note = [&](const std::string& note) { notes += note + "\n"; };
  const CompileResult spilling = compiled(graph, chip_of(too_small(2), 2, 4), options);
  const nlohmann::json settings = nlohmann::json::parse(spilling.program.settings_json)["spills"];
  const auto& figures = spilling.record.figures;
  CHECK(settings["stores"].get<std::int64_t>() + settings["loads"].get<std::int64_t>() == figures.at("spills"));
  CHECK(settings["bytes_stored"].get<Bytes>() + settings["bytes_loaded"].get<Bytes>() == figures.at("spill_bytes"));
  CHECK(notes.find(fmt::format("spilled to global memory: {} stores of {} B and {} loads of {} B",
                               settings["stores"].get<int>(), settings["bytes_stored"].get<int>(),
                               settings["loads"].get<int>(), settings["bytes_loaded"].get<int>())) !=
        std::string::npos);
  // the output has 8 * 16 * 16 elements and is stored once
  CHECK(figures.at("store_bytes") == 8 * 16 * 16 + settings["bytes_stored"].get<Bytes>());
  CHECK(std::any_of(spilling.record.stages.begin(), spilling.record.stages.end(),
                    [](const proof::StageRecord& stage) { return stage.name == "spill"; }));
  const CompileResult fits = compiled(graph, chip_of(roomy, 2, 4));
  CHECK(fits.record.absent.at("spills") == "every value stays in local memory");
  CHECK(!nlohmann::json::parse(fits.program.settings_json).contains("spills"));
}
TEST_CASE("spills: does the user's own mapping spill what it has no room for?") {
  const ir::Graph graph = residual();
  const isa::Chip room = chip_of(roomy, 2, 4), small = chip_of(2200, 2, 4);
  Whole whole = make_whole(graph, room, Numerics::quantised);
  const sim::Result expected = simulate(whole, room);
  CompileOptions options;
  options.placement = whole.compiled.placement;
  options.ablations.no_spills = true;
  CHECK_THROWS_AS(compiled(graph, small, options), UserError);
  options.ablations.no_spills = false;
  use(whole, compiled(graph, small, options));
  CHECK(spills_of(whole.compiled) > 0);
  const sim::Result result = simulate(whole, small);
  REQUIRE(result.stop == sim::StopReason::finished);
  CHECK(result.outputs[0].bytes == expected.outputs[0].bytes);
}
