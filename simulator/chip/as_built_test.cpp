// The chip section `rules:` against what pimsim-nn itself says.
#include <doctest/doctest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "isa/peers/as_built_model.hpp"
#include "isa/peers/peer_files_for_tests.hpp"
#include "simulator/chip/simulate.hpp"

using namespace pimento;
using isa::peers::micro;
using isa::peers::micro_names;

namespace {
isa::Program load(const std::string& path, const isa::Chip& chip) {
  std::vector<std::string> warnings;
  return isa::peers::load_peer_program(path, chip, warnings);
}
Cycles cycles(const isa::Program& program, const isa::Chip& chip, bool timing_only = true, bool lockstep = false) {
  sim::Options options;
  options.timing_only = timing_only;
  options.lockstep = lockstep;
  const sim::Result r = sim::simulate(program, chip, options);
  CHECK(r.stop == sim::StopReason::finished);
  return r.cycles;
}
}  // namespace

TEST_CASE("as built: does each micro program take pimsim-nn's cycles, with values and without?") {
  const auto expected = nlohmann::json::parse(read_file(micro("expected")));
  const isa::Chip shipped = isa::load_chip("pimsim-nn-64-as-built");
  for (const std::string& name : micro_names()) {
    CAPTURE(name);
    const std::string window = std::to_string(expected.at(name).at("rob_size").get<int>());
    const isa::Chip chip = isa::with_values(shipped, {{"core.window", window}});
    const isa::Program program = load(micro(name), chip);
    CHECK(cycles(program, chip) == expected.at(name).at("cycles").get<Cycles>());
    CHECK(cycles(program, chip, false) == expected.at(name).at("cycles").get<Cycles>());
    CHECK(cycles(program, chip, true, true) == expected.at(name).at("cycles").get<Cycles>());
  }
}

TEST_CASE("as built: does each rule change what it should?") {
  const isa::Chip shipped = isa::load_chip("pimsim-nn-64-as-built");
  const auto without = [&](const std::string& rule, const std::string& off, const std::string& program) {
    const isa::Chip chip = isa::with_values(shipped, {{"rules." + rule, off}});
    return cycles(load(micro(program), shipped), shipped) - cycles(load(micro(program), chip), chip);
  };
  CHECK(without("mvm_input_reads", "1", "mvmul_x1") == 14);                 // 16 accesses instead of 2
  CHECK(without("load_data_free", "false", "ld_640_x2") == -2400);          // twice 80 flits of 15 cycles
  CHECK(without("request_and_grant", "false", "send_recv_640_0_1") == 13);  // 4 there, 9 back
  CHECK(without("first_issue", "0 cycles", "lmv_640_x5") == 2);
  CHECK(without("start_latency", "0 cycles", "lmv_640_x5") == 5);
  CHECK(without("retire_latency", "0 cycles", "lmv_640_x5") == 5);
  CHECK(without("mvm_retire_latency", "0 cycles", "mvmul_x4_one_group") == 4);
  CHECK(without("network_retire_latency", "0 cycles", "st_6400") == 1);
}

TEST_CASE("as built: do whole networks take the cycles of the independent model, and nearly pimsim-nn's?") {
  const char* const folder = std::getenv("PIMENTO_PEER_PROGRAMS");
  if (folder == nullptr) {  // the programs are too large for the repository
    MESSAGE("skipped: PIMENTO_PEER_PROGRAMS names no folder with pimsim-nn's programs");
    return;
  }
  const isa::Chip chip = isa::load_chip("pimsim-nn-64-as-built");
  const std::pair<const char*, Cycles> networks[] = {{"resnet18", 218'000'567}, {"squeezenet", 70'952'601}};
  for (const auto& network : networks) {
    const std::string name = network.first;
    const Cycles theirs = network.second;
    CAPTURE(name);
    const isa::Program program = load(std::string(folder) + "/" + name + "_low_latency.json.gz", chip);
    const Cycles ours = cycles(program, chip);
    CHECK(ours == isa::peers::AsBuiltModel(program, chip).run());
    CHECK(std::abs(static_cast<double>(ours - theirs)) < 0.0005 * static_cast<double>(theirs));
    const isa::peers::Folder copy;
    isa::peers::write_peer_directory(program, chip, copy.at("p"));
    // The copy sets a width that one of squeezenet's cores uses without.
    CHECK(cycles(load(copy.at("p"), chip), chip) == ours + (std::string(name) == "squeezenet" ? 1 : 0));
  }
}
