// pimsim-nn's and PIMCOMP's chip files. What is imported is then read as a chip of ours.
#include "isa/peers/peers.hpp"
#include "validation/fuzz/target.hpp"

namespace pimento::fuzz {
namespace {

bool feed(std::string_view bytes) {
  static const Scratch folder;
  static const std::string beside =
      folder.write("network.json", R"({"latency": {"0": {"-1": 3}, "-1": {"0": 3}}})");  // what it may name
  const std::string path = folder.write("c.json", bytes);
  bool taken = false;
  for (const auto rules : {isa::peers::PeerRules::documented, isa::peers::PeerRules::as_built}) {
    std::vector<std::string> warnings;
    std::string chip;
    if (!answered([&] { chip = isa::peers::import_peer_chip(path, rules, warnings); })) continue;
    taken = true;
    answered([&] { isa::parse_chip(chip, folder.at("c.yaml")); });
  }
  return taken;
}

FUZZ_TARGET("peer_chip", feed);

}  // namespace
}  // namespace pimento::fuzz
