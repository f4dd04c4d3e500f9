#pragma once
// What a run's cores had to do with the rest of the chip, without times and instruction numbers: so that two forms of a
// program can be compared contact by contact.
#include <algorithm>
#include <string>
#include <vector>

#include "isa/cost/cost.hpp"
#include "simulator/chip/simulate.hpp"

namespace pimento::validation {

struct Exchange {
  isa::Opcode opcode{};
  std::vector<CoreId> peers;  ///< the other core, or those of a multicast; none for the global memory
  std::uint32_t tag = 0;
  Bytes bytes = 0;
  bool operator==(const Exchange&) const = default;
};

/// By core, in program order. The run must have recorded its contacts.
inline std::vector<std::vector<Exchange>> exchanges(const isa::Program& program, const sim::Result& result) {
  std::vector<std::vector<Exchange>> all;
  for (std::size_t c = 0; c < result.contacts.size(); ++c) {
    auto& core = all.emplace_back();
    for (const sim::Contact& contact : result.contacts[c]) {
      const isa::Instruction& i = program.cores[c].instructions.data[contact.instruction];
      Exchange e{i.opcode, {}, i.tag, isa::cost::transfer_bytes(i)};
      if (i.opcode == isa::Opcode::mcast)
        e.peers = program.core_sets[i.target];
      else if (i.opcode == isa::Opcode::send || i.opcode == isa::Opcode::recv || i.opcode == isa::Opcode::sync)
        e.peers = {static_cast<CoreId>(i.target)};
      core.push_back(std::move(e));
    }
  }
  return all;
}

/// "" or the first place where the two differ: "core 3, contact 17: send to 5, tag 2, 64 bytes; ...".
inline std::string first_difference(const std::vector<std::vector<Exchange>>& a,
                                    const std::vector<std::vector<Exchange>>& b) {
  const auto text = [](const std::vector<Exchange>& core, std::size_t n) {
    if (n >= core.size()) return std::string("nothing");
    std::string peers;
    for (const CoreId peer : core[n].peers) peers += " " + std::to_string(peer);
    return std::string(isa::row(core[n].opcode).name) + " with" + peers + ", tag " + std::to_string(core[n].tag) +
           ", " + std::to_string(core[n].bytes) + " bytes";
  };
  if (a.size() != b.size()) return std::to_string(a.size()) + " and " + std::to_string(b.size()) + " cores";
  for (std::size_t c = 0; c < a.size(); ++c)
    for (std::size_t n = 0; n < std::max(a[c].size(), b[c].size()); ++n)
      if (n >= a[c].size() || n >= b[c].size() || !(a[c][n] == b[c][n]))
        return "core " + std::to_string(c) + ", contact " + std::to_string(n) + ": " + text(a[c], n) + "; " +
               text(b[c], n);
  return "";
}

}  // namespace pimento::validation
