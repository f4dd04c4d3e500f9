#include <doctest/doctest.h>

#include <algorithm>

#include "compiler/pipeline/compile.hpp"
#include "models/zoo/zoo.hpp"
#include "simulator/observe/interval.hpp"
#include "validation/cases/check.hpp"
#include "validation/cases/ports.hpp"
#include "validation/whole/contacts.hpp"

using namespace pimento;

namespace {

constexpr std::int64_t images = 5;

struct Stream {
  CompileResult compiled;
  std::vector<ir::Tensor> inputs;
  sim::Options options;
};
Stream stream_of(const ir::Graph& graph, const isa::Chip& chip, bool throughput, bool unroll = false,
                 std::int64_t count = images) {
  CompileOptions how;
  how.images = count;
  how.throughput = throughput;
  how.unroll = unroll;
  how.verify = true;
  Stream s{compile_graph(graph, chip, how), {}, {}};
  s.inputs = validation::complete_inputs(s.compiled.program.inputs, {}, 7, nullptr);
  for (std::size_t i = 0; i < s.inputs.size(); ++i)
    s.options.inputs.push_back(validation::encode(s.compiled.program.inputs[i], s.inputs[i]));
  return s;
}

struct Row {
  const char* network;
  const char* chip;
};
constexpr Row rows[] = {
    {"lenet5", "tiny-4"}, {"lenet5", "pimsim-nn-64-wide"}, {"lenet5", "pimcomp-144"}, {"mlp", "pimsim-nn-64"}};

}  // namespace

TEST_CASE("stream: is every image right, with and without overlap, and in every way of running it?") {
  for (const Row& row : rows)
    for (const bool throughput : {false, true}) {
      CAPTURE(row.network);
      CAPTURE(row.chip);
      CAPTURE(throughput);
      const isa::Chip chip = isa::load_chip(row.chip);
      const ir::Graph graph = zoo::build(row.network).graph;
      Stream s = stream_of(graph, chip, throughput);
      const isa::Program& program = s.compiled.program;
      REQUIRE(program.images == images);
      REQUIRE(program.outputs.size() == images * graph.outputs.size());
      const sim::Result values = sim::simulate(program, chip, s.options);
      REQUIRE(values.stop == sim::StopReason::finished);
      const auto check =
          validation::check_outputs(program, values, validation::reference_outputs(graph, s.inputs, images),
                                    "the reference", validation::default_min_sqnr_db);
      CHECK_MESSAGE(check.passed, validation::to_text(check));
      CHECK(std::is_sorted(values.image_ends.begin(), values.image_ends.end()));
      CHECK(values.image_ends.back() <= values.cycles);
      CHECK(values.mvms == s.compiled.record.figures.at("mvms"));

      s.options.timing_only = true;
      const sim::Result timed = sim::simulate(program, chip, s.options);
      CHECK(timed.cycles == values.cycles);
      CHECK(timed.image_ends == values.image_ends);
      if (row.network != std::string("lenet5") || row.chip != std::string("tiny-4")) continue;
      s.options.timing_only = false;
      s.options.lockstep = true;
      const sim::Result oracle = sim::simulate(program, chip, s.options);
      CHECK(oracle.cycles == values.cycles);
      CHECK(oracle.image_ends == values.image_ends);
    }
}

TEST_CASE("stream: has every image the values of a run of its own?") {
  const isa::Chip chip = isa::load_chip("pimsim-nn-64-wide");
  const ir::Graph graph = zoo::build("lenet5").graph;
  const Stream s = stream_of(graph, chip, true);
  const isa::Program alone = stream_of(graph, chip, false, false, 1).compiled.program;
  const sim::Result all = sim::simulate(s.compiled.program, chip, s.options);
  REQUIRE(all.outputs.size() == images);
  for (std::size_t i = 0; i < images; ++i) {
    sim::Options one;
    one.inputs = {validation::encode(alone.inputs[0], s.inputs[i])};
    CHECK(sim::simulate(alone, chip, one).outputs[0].bytes == all.outputs[i].bytes);
  }
}

TEST_CASE("stream: do loops and their turns written out make the same contacts in the same order?") {
  const isa::Chip chip = isa::load_chip("tiny-4");
  const ir::Graph graph = zoo::build("lenet5").graph;
  for (const bool throughput : {false, true}) {
    const auto made = [&](bool unroll) {
      Stream s = stream_of(graph, chip, throughput, unroll);
      s.options.record_contacts = true;
      return validation::exchanges(s.compiled.program, sim::simulate(s.compiled.program, chip, s.options));
    };
    CHECK(validation::first_difference(made(false), made(true)) == "");
  }
}

TEST_CASE("stream: does one image more cost no instruction more?") {
  const isa::Chip chip = isa::load_chip("tiny-4");
  const ir::Graph graph = zoo::build("lenet5").graph;
  const auto emitted = [&](std::int64_t count) {
    return stream_of(graph, chip, false, false, count).compiled.record.figures.at("emitted_instructions");
  };
  CHECK(emitted(40) == emitted(4));
}

TEST_CASE("stream: is its interval at least the bound, and shorter where images overlap?") {
  const isa::Chip chip = isa::load_chip("tiny-4");
  const ir::Graph graph = zoo::build("lenet5").graph;
  const auto interval = [&](bool throughput) {
    const Stream s = stream_of(graph, chip, throughput, false, 40);
    sim::Options options;
    options.timing_only = true;
    const double found = *sim::steady_interval(sim::simulate(s.compiled.program, chip, options));
    CHECK(found >= static_cast<double>(s.compiled.bounds.interval.cycles()));
    return found;
  };
  CHECK(interval(true) < interval(false));
}

TEST_CASE("stream: is the program of one image the one that it was?") {
  const isa::Chip chip = isa::load_chip("pimsim-nn-64");
  const ir::Graph graph = zoo::build("lenet5").graph;
  const isa::Program one = stream_of(graph, chip, false, false, 1).compiled.program;
  CHECK(isa::disassemble(one) == isa::disassemble(compile_graph(graph, chip, {}).program));
  CHECK(one.images == 1);
}
