#include "simulator/observe/timeline.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "compiler/pipeline/compile.hpp"
#include "models/zoo/zoo.hpp"
#include "simulator/chip/simulate.hpp"
#include "simulator/observe/trace_rules_for_tests.hpp"

using namespace pimento;

TEST_CASE("timeline: does ResNet-18's keep the format's rules, every instruction once, without changing a cycle?") {
  const isa::Chip chip = isa::load_chip("pimsim-nn-64-wide");
  const isa::Program program = compile_graph(zoo::build("resnet18").graph, chip, {}).program;
  sim::Options options;
  options.timing_only = true;
  const sim::Result bare = sim::simulate(program, chip, options);
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / fmt::format("resnet18_timeline_{}.json", getpid());
  sim::Result seen;
  write_atomically(file.string(), [&](Output& out) {
    sim::Timeline timeline(out, program, chip, {}, false);
    options.observer = &timeline;
    seen = sim::simulate(program, chip, options);
    timeline.finish("finished");
  });
  const std::string text = read_file(file.string());
  std::filesystem::remove(file);
  CHECK(seen.cycles == bare.cycles);
  CHECK(sim::broken_rule(text) == "");
  std::int64_t slices = 0, flows = 0;
  const nlohmann::json document = nlohmann::json::parse(text);
  for (const nlohmann::json& e : document["traceEvents"]) {
    if (e["ph"] == "X" && e["pid"].get<int>() < chip.cores && e["cat"] != "wait") ++slices;
    if (e["ph"] == "s" || e["ph"] == "f") ++flows;
  }
  CHECK(slices == bare.instructions);
  CHECK(flows == 2 * bare.messages);
}
