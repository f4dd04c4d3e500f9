// No run may end before a bound: the zoo's small networks on every chip, random networks on random chips.
#include <doctest/doctest.h>

#include "compiler/drivers/pim/spatial/no_room.hpp"
#include "models/zoo/random.hpp"
#include "models/zoo/zoo.hpp"
#include "validation/whole/whole.hpp"

using namespace pimento;
using namespace pimento::validation;

namespace {

/// Runs without values; false when the network does not fit.
bool holds(const ir::Graph& graph, const isa::Chip& chip) {
  std::optional<Whole> whole;
  try {
    whole = make_whole(graph, chip, Numerics::quantised);
  } catch (const pim::NoRoom&) {
    return false;
  }
  whole->options.timing_only = true;
  const sim::Result result = simulate(*whole, chip);
  REQUIRE(result.stop == sim::StopReason::finished);
  for (const pim::Bound* bound : {&whole->compiled.bounds.hardware, &whole->compiled.bounds.mapping}) {
    CHECK(bound->cycles() > 0);
    for (const pim::Bound::Part& part : bound->parts) {
      CAPTURE(part.name);
      CHECK(part.cycles <= result.cycles);
    }
  }
  return true;
}

isa::Chip random_chip(zoo::Random& random) {
  const auto one_of = [&](std::vector<std::string> values) { return values[random.bits() % values.size()]; };
  const std::string channels = one_of({"1", "2"});
  const isa::Chip mesh = isa::with_values(isa::load_chip("tiny-4"),
                                          {{"core.clock", one_of({"1 GHz", "700 MHz", "3 GHz"})},
                                           {"core.window", one_of({"1", "2", "4", "9"})},
                                           {"core.scalar.latency", one_of({"1 cycle", "3 cycles"})},
                                           {"core.vector.lanes", one_of({"1", "8", "64"})},
                                           {"core.vector.latency", one_of({"1 cycle", "4 cycles"})},
                                           {"core.local_memory.width", one_of({"4 B", "16 B", "64 B"})},
                                           {"core.local_memory.ports", one_of({"1", "2", "3"})},
                                           {"core.local_memory.banks", one_of({"1", "4"})},
                                           {"core.local_memory.read_latency", one_of({"1 cycle", "5 cycles"})},
                                           {"core.local_memory.write_latency", one_of({"1 cycle", "7 cycles"})},
                                           {"core.local_memory.capacity", "256 KiB"},
                                           {"core.crossbar.dac_bits", one_of({"1", "4"})},
                                           {"core.crossbar.rows_active", one_of({"8", "32"})},
                                           {"core.crossbar.read_latency", one_of({"1 ns", "10 ns", "333 ns"})},
                                           {"core.crossbar.pipelined", one_of({"true", "false"})},
                                           {"core.crossbar.adc.per_crossbar", one_of({"1", "4", "32"})},
                                           {"core.crossbar.adc.latency", one_of({"0 cycles", "1 cycle", "10 cycles"})},
                                           {"core.array_group.max_rows", one_of({"1", "4"})},
                                           {"core.array_group.max_columns", one_of({"1", "4"})},
                                           {"network.clock", one_of({"1 GHz", "300 MHz"})},
                                           {"network.flit", one_of({"1 B", "8 B"})},
                                           {"network.router_latency", one_of({"0 cycles", "1 cycle", "4 cycles"})},
                                           {"network.handshake_latency", one_of({"0 cycles", "2 cycles"})},
                                           {"network.receive_buffer_messages", one_of({"0", "2"})},
                                           {"global_memory.clock", one_of({"1 GHz", "250 MHz"})},
                                           {"global_memory.width", one_of({"4 B", "16 B"})},
                                           {"global_memory.read_latency", one_of({"1 cycle", "20 cycles"})},
                                           {"global_memory.channels", channels},
                                           {"global_memory.attached_to", channels == "1" ? "[0]" : "[0, 3]"}});
  const std::string level = one_of({"message", "flit"});
  return isa::with_values(mesh, {{"network.topology", one_of({"mesh", "torus", "ring", "crossbar"})},
                                 {"network.level", mesh.network.router_cycles > 0 ? level : "message"}});
}

}  // namespace

TEST_CASE("bounds: does no run of the zoo's small networks end before them, on any shipped chip?") {
  int fit = 0;
  for (const std::string& name : isa::shipped_chips())
    for (const char* network : {"mlp", "lenet5"}) {
      CAPTURE(name);
      CAPTURE(network);
      fit += holds(zoo::build(network).graph, isa::load_chip(name)) ? 1 : 0;
    }
  CHECK(fit >= 15);  // which chips have the room: shipped_chips_test
}

TEST_CASE("bounds: does no run of a random network on a random chip end before them?") {
  int fit = 0;
  for (std::uint64_t seed = 300; seed < 380; ++seed) {
    zoo::Random random(seed);
    const isa::Chip chip = random_chip(random);
    CAPTURE(seed);
    CAPTURE(chip.yaml);
    fit += holds(random_network(seed), chip) ? 1 : 0;
  }
  CHECK(fit >= 50);
}

TEST_CASE("bounds: are those of one product the ones reckoned by hand?") {
  // one column of 32 x 32 weights on tiny-4: front 1 + 10 + 1, back 1 + 2 + 7 * 2 = 17, 8 steps: 12 + 8 * 17 = 148;
  // with one access before and after: 150. Four cores of 96 crossbars hold 32 * 8 weights each.
  const isa::Chip chip = isa::load_chip("tiny-4");
  ir::Graph graph;
  const ir::ValueId x = graph.add_input("x", {ElementType::f32, {64, 32}});
  const ir::ValueId w =
      graph.add_constant("w", ir::Tensor::filled({ElementType::f32, {32, 8}}, ir::Scalar::of(ElementType::f32, 1.0)));
  ir::Node node;
  node.op = node.source = "matmul";
  node.inputs = {x, w};
  node.outputs = {graph.add_value("y", {ElementType::f32, {64, 8}})};
  graph.outputs = graph.append(node).outputs;
  const Whole whole = make_whole(graph, chip, Numerics::quantised);
  const auto part = [&](const pim::Bound& bound, const std::string& name) {
    for (const pim::Bound::Part& p : bound.parts)
      if (p.name == name) return p.cycles;
    return Cycles{-1};
  };
  const pim::Bound& hardware = whole.compiled.bounds.hardware;
  CHECK(part(hardware, "matrix products") == 64 * 150 / 384);
  // a byte of input: 2 + 1 + 1 network cycles there, 2 of service, as many back, 1 to write; of output: 1, 4, 2
  CHECK(part(hardware, "depth") >= 150);
  CHECK(part(hardware, "global memory") == 64 * 32 / 16 * 2 + 64 * 8 / 16 * 2);
  CHECK(part(hardware, "links of the global memory") == 64 * 32 / 8);
}

TEST_CASE(
    "bounds: is that of one window told where an MVM makes several positions, and the same as of one that does not?") {
  const zoo::Model model = zoo::build("lenet5");
  const isa::Chip chip = isa::load_chip("pimsim-nn-64-wide");
  CompileOptions options;
  options.one_window_bound = true;
  const CompileResult several = compile_graph(model.graph, chip, options);
  REQUIRE(several.bounds.one_window.has_value());
  CHECK(several.bounds.one_window->cycles() > several.bounds.mapping.cycles());
  options.windows_per_mvm = 1;
  const CompileResult one = compile_graph(model.graph, chip, options);
  CHECK_FALSE(one.bounds.one_window.has_value());
  // both have every product once, however they are spread
  const auto products = [](const pim::Bound& bound) {
    for (const pim::Bound::Part& part : bound.parts)
      if (part.name == "matrix products") return part.cycles;
    return Cycles{-1};
  };
  CHECK(products(*several.bounds.one_window) > 0);
  CHECK(products(*several.bounds.one_window) <= one.bounds.mapping.cycles());
  CHECK_FALSE(several.bounds.one_window_interval.has_value());

  options.windows_per_mvm = CompileOptions{}.windows_per_mvm;
  options.images = 2;  // of a stream, per image
  const CompileResult stream = compile_graph(model.graph, chip, options);
  CHECK_FALSE(stream.bounds.one_window.has_value());
  REQUIRE(stream.bounds.one_window_interval.has_value());
  CHECK(products(*stream.bounds.one_window_interval) == products(*several.bounds.one_window));
}
