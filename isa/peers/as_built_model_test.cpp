#include "isa/peers/as_built_model.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "isa/peers/peer_files_for_tests.hpp"

using namespace pimento;
using namespace pimento::isa;
using namespace pimento::isa::peers;

TEST_CASE("peers: does the independent model give pimsim-nn's cycles for its twelve micro programs?") {
  const auto expected = nlohmann::json::parse(read_file(micro("expected")));
  CHECK(expected.size() == micro_names().size());
  const Chip shipped = load_chip("pimsim-nn-64");
  for (const std::string& name : micro_names()) {
    CAPTURE(name);
    const int window = expected.at(name).at("rob_size").get<int>();
    const Chip chip = with_values(shipped, {{"core.window", std::to_string(window)}});
    std::vector<std::string> warnings;
    const Program program = load_peer_program(micro(name), chip, warnings);
    CHECK(AsBuiltModel(program, chip).run() == expected.at(name).at("cycles").get<Cycles>());
  }
}

TEST_CASE("peers: does the model say that cores wait for ever?") {
  const Folder folder;
  const std::string path = folder.write("p.json", R"({"config": {"core_cnt": 2, "array_group_map": {}},
    "core0": [{"op": "recv", "core": 1, "size": 8}], "core1": [{"op": "recv", "core": 0, "size": 8}]})");
  const Chip chip = load_chip("pimsim-nn-64");
  std::vector<std::string> warnings;
  const Program program = load_peer_program(path, chip, warnings);
  CHECK(AsBuiltModel(program, chip).run() == -1);
}
