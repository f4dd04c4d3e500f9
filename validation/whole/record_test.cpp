#include <doctest/doctest.h>

#include <set>

#include "compiler/pipeline/compile.hpp"
#include "compiler/proof/figures.hpp"
#include "models/zoo/zoo.hpp"
#include "validation/cases/ports.hpp"

using namespace pimento;

namespace {
CompileResult compiled(const char* network, const isa::Chip& chip) {
  return compile_graph(zoo::build(network).graph, chip, {});
}
}  // namespace

TEST_CASE("record: has every figure a row, and every row a figure or a reason?") {
  const proof::Record record = compiled("lenet5", isa::load_chip("pimsim-nn-64")).record;
  std::set<std::string> names{"model_fingerprint", "chip_keys", "numerics"};
  for (const auto& [name, value] : record.figures) names.insert(name);
  for (const auto& [name, value] : record.reals) names.insert(name);
  for (const auto& [name, values] : record.lists) names.insert(name);
  for (const auto& [name, reason] : record.absent) {
    CHECK_FALSE(reason.empty());
    CHECK(names.insert(name).second);  // known or absent, never both
  }
  for (const std::string& name : names) {
    CAPTURE(name);
    CHECK(proof::find_figure(name) != nullptr);
  }
  for (const proof::Figure& figure : proof::figures()) {
    CAPTURE(figure.name);
    CHECK(names.contains(std::string(figure.name)));
  }
}

TEST_CASE("record: has every stage an entry of its own, with operations, values and time?") {
  const proof::Record record = compiled("lenet5", isa::load_chip("pimsim-nn-64")).record;
  std::vector<std::string> expected = stage_names();
  expected.erase(expected.begin());  // frontend: a graph in hand was not imported
  std::erase(expected, "spill");     // only where no mapping fits
  std::vector<std::string> found;
  for (const proof::StageRecord& stage : record.stages) {
    found.push_back(stage.name);
    CAPTURE(stage.name);
    CHECK(stage.wall_s >= 0);
    CHECK(stage.counts.at("operations") > 0);
    CHECK(stage.counts.at("values") > 0);
  }
  CHECK(found == expected);
}

TEST_CASE("record: does it count what the program executes?") {
  // row strips of 128 make partial sums that travel in pieces
  const isa::Chip chip = isa::load_chip("pimsim-nn-64");
  const zoo::Model model = zoo::build("lenet5");
  const CompileResult made = compile_graph(model.graph, chip, {});
  sim::Options options;
  for (std::size_t i = 0; i < made.program.inputs.size(); ++i)
    options.inputs.push_back(validation::encode(made.program.inputs[i], model.data.inputs.at(i).tensor));
  const sim::Result r = sim::simulate(made.program, chip, options);
  const auto& figures = made.record.figures;
  CHECK(figures.at("executed_instructions") == r.instructions);
  CHECK(figures.at("largest_core_executed") == r.largest_core);
  CHECK(figures.at("mvms") == r.mvms);
  CHECK(figures.at("vector_instructions") == r.vector_instructions);
  CHECK(figures.at("sends") == r.messages);
  CHECK(figures.at("send_bytes") == r.injected);
  CHECK(figures.at("receive_bytes") == r.delivered);
  Bytes read = 0, written = 0;
  for (const sim::ChannelResult& c : r.channels) read += c.read, written += c.written;
  CHECK(figures.at("load_bytes") == read);
  CHECK(figures.at("store_bytes") == written);
}
